//! Element types as the kernels see them, and the instruction sets that kernels are compiled for.

use std::hint::select_unpredictable;
use std::sync::OnceLock;
use warpcell_base::dtype::{Scalar, dtypes, if_dtype};

/// A bool in memory; not `bool`, for which a byte other than 0 and 1 would be undefined behaviour.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
#[repr(transparent)]
pub(super) struct Bit(pub u8);

impl Bit {
    #[inline(always)]
    pub fn is_true(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Bit {
    #[inline(always)]
    fn from(value: bool) -> Bit {
        Bit(value as u8)
    }
}

/// A type of elements in memory. Any bytes are a value of it.
pub(super) trait Native: Copy + Default + PartialEq + Send + Sync + 'static {
    /// The value in a scalar of this type.
    fn of(scalar: Scalar) -> Self;
}

/// A type of elements that have an order, and sums.
pub(super) trait Ordered: Native + PartialOrd {
    /// The type of sums.
    type Sum: Arithmetic;
    fn widen(self) -> Self::Sum;
    /// The sum, where there is a quicker way to it than to widen each element.
    #[inline(always)]
    fn sum_of(_x: &[Self]) -> Option<Self::Sum> {
        None
    }
}

/// Elements as they are moved: only their size matters.
pub(super) trait Word: Native {
    /// The low bytes of a scalar's.
    fn of_bits(bits: u128) -> Self;
}

macro_rules! words {
    ($($type:ty: |$bits:ident| $of_bits:expr;)*) => {$(
        impl Word for $type {
            #[inline(always)]
            fn of_bits($bits: u128) -> Self { $of_bits }
        }
    )*};
}
words! {
    u8: |bits| bits as u8;
    u16: |bits| bits as u16;
    u32: |bits| bits as u32;
    u64: |bits| bits as u64;
    // Not u128 and u64, whose alignment complex numbers need not have: they may be the host's.
    [u64; 2]: |bits| [bits as u64, (bits >> 64) as u64];
    [u32; 2]: |bits| [bits as u32, (bits >> 32) as u32];
}

macro_rules! pairs {
    ($($type:ty)*) => {$(
        impl Native for $type {
            fn of(scalar: Scalar) -> Self { Word::of_bits(scalar.bits()) }
        }
    )*};
}
pairs!([u64; 2] [u32; 2]);

/// The unsigned integer of as many bytes, by an array of that length: `<[(); 4] as Bytes>::Word` is `u32`.
pub(super) trait Bytes {
    type Word: Word;
}

macro_rules! bytes {
    ($($type:ty)*) => {$(
        impl Bytes for [(); size_of::<$type>()] {
            type Word = $type;
        }
    )*};
}
bytes!(u8 u16 u32 u64);

/// Numbers. Integers wrap.
pub(super) trait Arithmetic: Ordered {
    const LOWEST: Self;
    const HIGHEST: Self;
    const ONE: Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, other: Self) -> Self;
    fn remainder(self, other: Self) -> Self;
    /// NumPy's quotient, rounded down.
    fn floor_divide(self, other: Self) -> Self;
    /// NumPy's remainder, with the divisor's sign.
    fn modulo(self, other: Self) -> Self;
    fn power(self, other: Self) -> Self;
    fn maximum(self, other: Self) -> Self;
    fn minimum(self, other: Self) -> Self;
    fn negative(self) -> Self;
    fn absolute(self) -> Self;
    fn sign(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round(self) -> Self;
    fn trunc(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;
    fn is_finite(self) -> bool;
}

/// Methods that are always inlined: `name(other) = value;`. The result is `Self` where no other type is given.
macro_rules! inlined {
    ($self:ident; $($name:ident($($other:ident)?) $(-> $result:ty)? = $value:expr;)*) => {$(
        #[inline(always)]
        fn $name($self $(, $other: Self)?) -> inlined!(@result $($result)?) {
            $value
        }
    )*};
    (@result) => { Self };
    (@result $result:ty) => { $result };
}

macro_rules! integers {
    ($type:ty) => {
        #[allow(unused_comparisons, reason = "unsigned types share the code")]
        impl Arithmetic for $type {
            const LOWEST: Self = <$type>::MIN;
            const HIGHEST: Self = <$type>::MAX;
            const ONE: Self = 1;
            inlined! { self;
                add(other) = self.wrapping_add(other);
                subtract(other) = self.wrapping_sub(other);
                multiply(other) = self.wrapping_mul(other);
                divide(other) = if other == 0 { 0 } else { self.wrapping_div(other) };
                remainder(other) = if other == 0 { 0 } else { self.wrapping_rem(other) };
                floor_divide(other) = {
                    let rest = self.remainder(other);
                    let past = rest != 0 && (rest < 0) != (other < 0);
                    Arithmetic::divide(self, other).wrapping_sub(past as Self)
                };
                modulo(other) = {
                    let rest = self.remainder(other);
                    if rest != 0 && (rest < 0) != (other < 0) { rest.wrapping_add(other) } else { rest }
                };
                power(other) = {
                    if other < 0 {
                        // Powers of 1 and −1 are whole; all others are less than 1.
                        return match self.wrapping_add(1) {
                            2 => 1,
                            0 if other & 1 == 1 => self,
                            0 => 1,
                            _ => 0,
                        };
                    }
                    let (mut result, mut base, mut exponent): (Self, Self, Self) = (1, self, other);
                    while exponent > 0 {
                        if exponent & 1 == 1 {
                            result = result.wrapping_mul(base);
                        }
                        base = base.wrapping_mul(base);
                        exponent >>= 1;
                    }
                    result
                };
                maximum(other) = self.max(other);
                minimum(other) = self.min(other);
                negative() = self.wrapping_neg();
                absolute() = if self < 0 { self.wrapping_neg() } else { self };
                sign() = (self > 0) as Self - (self < 0) as Self;
                floor() = self;
                ceil() = self;
                round() = self;
                trunc() = self;
                is_nan() -> bool = false;
                is_infinite() -> bool = false;
                is_finite() -> bool = true;
            }
        }
        impl Bits for $type {
            inlined! { self;
                and(other) = self & other;
                or(other) = self | other;
                xor(other) = self ^ other;
                not() = !self;
            }
        }
        #[allow(unused_comparisons, reason = "unsigned types share the code")]
        impl Integer for $type {
            inlined! { self;
                // A negative count is a large one as u64.
                left_shift(count) = if (count as u64) < u64::from(<$type>::BITS) { self.wrapping_shl(count as u32) } else { 0 };
                right_shift(count) = {
                    if (count as u64) < u64::from(<$type>::BITS) {
                        self.wrapping_shr(count as u32)
                    } else if self < 0 {
                        !0
                    } else {
                        0
                    }
                };
            }
        }
    };
}

/// Types whose bits are combined.
pub(super) trait Bits: Native {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
}

impl Bits for Bit {
    inlined! { self;
        and(other) = Bit::from(self.is_true() & other.is_true());
        or(other) = Bit::from(self.is_true() | other.is_true());
        xor(other) = Bit::from(self.is_true() ^ other.is_true());
        not() = Bit::from(!self.is_true());
    }
}

/// Integers. Shifted out of their bits, or by a negative count, they become 0, or −1 to the right of a negative value.
pub(super) trait Integer: Bits + Arithmetic {
    fn left_shift(self, count: Self) -> Self;
    fn right_shift(self, count: Self) -> Self;
}

/// Floats, and what complex numbers need of them.
pub(super) trait Real: Arithmetic {
    fn exp(self) -> Self;
    fn sqrt(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn atan2(self, other: Self) -> Self;
    fn copysign(self, other: Self) -> Self;
}

/// Divisions with very large quotients, and of what is not finite: so seldom that loops over all others are to be short, and have the
/// instructions that they are compiled for.
trait LongDivision {
    fn long_floor_divide(self, other: Self) -> Self;
    fn long_modulo(self, other: Self) -> Self;
}

macro_rules! floats {
    ($type:ty) => {
        impl LongDivision for $type {
            #[cold]
            #[inline(never)]
            fn long_floor_divide(self, other: Self) -> Self {
                if other == 0.0 {
                    return self / other;
                }
                let rest = self % other;
                let past = rest != 0.0 && (rest < 0.0) != (other < 0.0);
                // A whole number, but for rounding.
                let quotient = (self - rest) / other - if past { 1.0 } else { 0.0 };
                if quotient == 0.0 {
                    return <$type>::copysign(0.0, self / other);
                }
                let whole = <$type>::floor(quotient);
                if quotient - whole > 0.5 { whole + 1.0 } else { whole }
            }

            #[cold]
            #[inline(never)]
            fn long_modulo(self, other: Self) -> Self {
                let rest = self % other;
                if rest == 0.0 {
                    <$type>::copysign(0.0, other)
                } else if (rest < 0.0) != (other < 0.0) {
                    rest + other
                } else {
                    rest
                }
            }
        }

        impl Arithmetic for $type {
            const LOWEST: Self = <$type>::NEG_INFINITY;
            const HIGHEST: Self = <$type>::INFINITY;
            const ONE: Self = 1.0;
            inlined! { self;
                add(other) = self + other;
                subtract(other) = self - other;
                multiply(other) = self * other;
                divide(other) = self / other;
                remainder(other) = self % other;
                floor_divide(other) = {
                    let down = <$type>::floor(self / other);
                    if down.abs() < 0.25 / <$type>::EPSILON && other.is_finite() {
                        let left = (-down).mul_add(other, self);
                        return if left != 0.0 && (left < 0.0) != (other < 0.0) {
                            down - 1.0
                        } else if down == 0.0 {
                            <$type>::copysign(0.0, self / other)
                        } else {
                            down
                        };
                    }
                    self.long_floor_divide(other)
                };
                modulo(other) = {
                    // As on CUDA: what a whole quotient leaves is rounded once. If the rounded quotient has come up to a whole number
                    // that the exact one is below, what is left is exact, and of the other sign.
                    let whole = <$type>::floor(self / other);
                    if whole.abs() < 0.25 / <$type>::EPSILON && other.is_finite() {
                        let left = (-whole).mul_add(other, self);
                        return if left == 0.0 {
                            <$type>::copysign(0.0, other)
                        } else if (left < 0.0) != (other < 0.0) {
                            left + other
                        } else {
                            left
                        };
                    }
                    self.long_modulo(other)
                };
                power(other) = self.powf(other);
                maximum(other) = {
                    // As vector instructions have it: no branch, which the compiler makes of an `if` where the result is stored.
                    let larger = select_unpredictable(other > self, other, self);
                    select_unpredictable(other.is_nan(), other, larger)
                };
                minimum(other) = {
                    let smaller = select_unpredictable(other < self, other, self);
                    select_unpredictable(other.is_nan(), other, smaller)
                };
                negative() = -self;
                absolute() = self.abs();
                sign() = {
                    if self > 0.0 {
                        1.0
                    } else if self < 0.0 {
                        -1.0
                    } else if self == 0.0 {
                        0.0
                    } else {
                        self
                    }
                };
                floor() = <$type>::floor(self);
                ceil() = <$type>::ceil(self);
                round() = <$type>::round_ties_even(self);
                trunc() = <$type>::trunc(self);
                is_nan() -> bool = <$type>::is_nan(self);
                is_infinite() -> bool = <$type>::is_infinite(self);
                is_finite() -> bool = <$type>::is_finite(self);
            }
        }
        impl Real for $type {
            inlined! { self;
                exp() = <$type>::exp(self);
                sqrt() = <$type>::sqrt(self);
                sin() = <$type>::sin(self);
                cos() = <$type>::cos(self);
                atan2(other) = <$type>::atan2(self, other);
                copysign(other) = <$type>::copysign(self, other);
            }
        }
    };
}

/// The type of a dtype's elements in memory.
macro_rules! native {
    (Bool $type:ty) => {
        $crate::numeric::Bit
    };
    ($kind:ident $type:ty) => {
        $type
    };
}
pub(super) use native;

macro_rules! natives {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $computed:ty, $sum:ty, $($rest:tt)* })*) => {$(
        impl Native for native!($kind $type) {
            fn of(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::$tag(value) => value.into(),
                    _ => unreachable!("the scalar has the arrays' dtype"),
                }
            }
        }
        natives!(@$kind $type, $sum);
    )*};
    (@Bool $type:ty, $sum:ty) => {
        natives!(@sum Bit, $sum: |value| value.is_true().into(), {
            #[inline(always)]
            fn sum_of(x: &[Bit]) -> Option<$sum> {
                // A sum of bytes fits a byte for 255 of them.
                let few = |few: &[Bit]| few.iter().fold(0u8, |sum, flag| sum + u8::from(flag.is_true()));
                Some(x.chunks(255).map(|part| <$sum>::from(few(part))).sum())
            }
        });
    };
    (@Unsigned $type:ty, $sum:ty) => {
        natives!(@sum $type, $sum: |value| value.into());
        integers!($type);
    };
    (@Signed $type:ty, $sum:ty) => {
        natives!(@sum $type, $sum: |value| value.into());
        integers!($type);
    };
    (@Float $type:ty, $sum:ty) => {
        natives!(@sum $type, $sum: |value| value);
        floats!($type);
    };
    // Nothing is computed in narrow floats, and complex numbers have no order.
    (@$other:ident $type:ty, $sum:ty) => {};
    (@sum $type:ty, $sum:ty: |$value:ident| $widen:expr $(, { $($quicker:tt)* })?) => {
        impl Ordered for $type {
            type Sum = $sum;
            #[inline(always)]
            fn widen(self) -> $sum {
                let $value = self;
                $widen
            }
            $($($quicker)*)?
        }
    };
}
dtypes!(natives!());

/// Conversion as by `as`; to bool, whether the value is not zero.
pub(super) trait Cast<U> {
    fn cast(self) -> U;
}

/// From each primitive type to each other one.
macro_rules! casts {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { primitive $kind $use { dtypes!(casts!(@from $kind $type =>)); } {} })*
    };
    (@from $from_kind:ident $from:ty => $({ $kind:ident $use:ident $tag:ident $to:ty, $($rest:tt)* })*) => {
        $(if_dtype! { primitive $kind $use { casts!(@$from_kind $from => $kind $to); } {} })*
    };
    (@Bool $from:ty => Bool $to:ty) => { casts!(@cast Bit => Bit, |value| value.is_true().into()); };
    (@Bool $from:ty => $kind:ident $to:ty) => { casts!(@cast Bit => $to, |value| value.is_true() as u8 as $to); };
    (@$kind:ident $from:ty => Bool $to:ty) => { casts!(@cast $from => Bit, |value| (value != 0 as $from).into()); };
    (@$kind:ident $from:ty => $other:ident $to:ty) => { casts!(@cast $from => $to, |value| value as $to); };
    (@cast $from:ty => $to:ty, |$value:ident| $cast:expr) => {
        impl Cast<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                let $value = self;
                $cast
            }
        }
    };
}
dtypes!(casts!());

/// Evaluates an expression with `$T` standing for the [`Word`] of a dtype's size and alignment: for what moves bits.
macro_rules! for_bits {
    ($dtype:expr, $T:ident => $body:expr) => {
        match ($dtype, $dtype.size()) {
            (_, 1) => {
                type $T = u8;
                $body
            }
            (_, 2) => {
                type $T = u16;
                $body
            }
            (_, 4) => {
                type $T = u32;
                $body
            }
            (warpcell_base::dtype::DType::C64, _) => {
                type $T = [u32; 2];
                $body
            }
            (_, 8) => {
                type $T = u64;
                $body
            }
            _ => {
                type $T = [u64; 2];
                $body
            }
        }
    };
}
pub(super) use for_bits;

/// Evaluates an expression with `$T` standing for the type of a dtype that operations compute in.
macro_rules! for_dtype {
    ($dtype:expr, $T:ident => $body:expr) => { $crate::numeric::for_set!(computed $dtype, $T => $body) };
}
pub(super) use for_dtype;

/// As [`for_dtype`], without bool.
macro_rules! for_number {
    ($dtype:expr, $T:ident => $body:expr) => { $crate::numeric::for_set!(numbers $dtype, $T => $body) };
}
pub(super) use for_number;

/// As [`for_dtype`], for integers.
macro_rules! for_integer {
    ($dtype:expr, $T:ident => $body:expr) => { $crate::numeric::for_set!(integers $dtype, $T => $body) };
}
pub(super) use for_integer;

/// As [`for_dtype`], for the types of a set of [`if_dtype`].
macro_rules! for_set {
    ($set:ident $dtype:expr, $T:ident => $body:expr) => {
        warpcell_base::dtype::dtypes!($crate::numeric::for_set!(@$set $dtype, $T => $body;))
    };
    (@$set:ident $dtype:expr, $T:ident => $body:expr;
        $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*
    ) => {
        match $dtype {
            $(warpcell_base::dtype::DType::$tag => warpcell_base::dtype::if_dtype! { $set $kind $use {{
                type $T = $crate::numeric::native!($kind $type);
                $body
            }} {
                unreachable!("operations refuse other types, and convert those for storage first")
            } },)*
        }
    };
}
pub(super) use for_set;

/// The instruction sets that kernels are compiled for; the program itself is built for x86-64 with SSE2 only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    Sse2,
    Avx2,
    Avx512,
}

impl Isa {
    /// The best that this processor has.
    pub fn detected() -> Isa {
        static DETECTED: OnceLock<Isa> = OnceLock::new();
        *DETECTED.get_or_init(|| *Isa::usable().last().expect("SSE2 is part of x86-64"))
    }

    /// All that this processor has.
    pub fn usable() -> Vec<Isa> {
        let mut usable = vec![Isa::Sse2];
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            usable.push(Isa::Avx2);
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                usable.push(Isa::Avx512);
            }
        }
        usable
    }
}

/// A function that is compiled for each set of instructions, and runs for the best that the processor has. AVX-512 has no version of
/// its own: where memory is the limit, it gains nothing. Constants stand behind the types: `fn name<T: Copy; const N: usize>()`.
macro_rules! by_isa {
    ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
        $crate::numeric::by_isa! { @[$(#[$attribute])*] [$visibility] [] $($rest)* }
    };
    ($(#[$attribute:meta])* $visibility:vis unsafe fn $($rest:tt)*) => {
        $crate::numeric::by_isa! { @[$(#[$attribute])*] [$visibility] [unsafe] $($rest)* }
    };
    (@[$($attribute:tt)*] [$visibility:vis] [$($unsafe:tt)?]
        $name:ident $(<$($T:ident $(: $bound:path)?),* $(; const $N:ident: $kind:ty)?>)?
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        $($attribute)*
        $visibility $($unsafe)? fn $name $(<$($T $(: $bound)?,)* $(const $N: $kind)?>)? ($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            $($unsafe)? fn any $(<$($T $(: $bound)?,)* $(const $N: $kind)?>)? ($($argument: $type),*) $(-> $result)? $body
            #[target_feature(enable = "avx2,fma")]
            $($unsafe)? fn avx2 $(<$($T $(: $bound)?,)* $(const $N: $kind)?>)? ($($argument: $type),*) $(-> $result)? {
                #[allow(unused_unsafe)]
                // SAFETY: the caller's promise, if there is one.
                unsafe {
                    any $(::<$($T,)* $($N)?>)? ($($argument),*)
                }
            }
            #[allow(unused_unsafe)]
            // SAFETY: the caller's promise, if there is one; the processor has AVX2 and FMA where they are used.
            unsafe {
                match $crate::numeric::Isa::detected() {
                    $crate::numeric::Isa::Sse2 => any $(::<$($T,)* $($N)?>)? ($($argument),*),
                    _ => avx2 $(::<$($T,)* $($N)?>)? ($($argument),*),
                }
            }
        }
    };
}
pub(super) use by_isa;

/// A raw pointer that tasks on several threads may use.
pub(super) struct Shared<T>(pub *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer. A method, so that closures capture the wrapper and not its field.
    #[inline(always)]
    pub fn get(self) -> *mut T {
        self.0
    }
}

// SAFETY: a pointer alone gives no access; each use states why its accesses do not conflict.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as for `Send`.
unsafe impl<T> Sync for Shared<T> {}
