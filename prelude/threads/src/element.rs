//! What the elements of views may be, and what is done to them in one step.

use half::{bf16, f16};
use num_complex::Complex;
use std::any::TypeId;
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

/// What the elements of views and shared arrays may be: `bool`, integers of 8 to 64 bits, `f16`, `bf16`, `f32`, `f64`,
/// `Complex<f32>` and `Complex<f64>`.
#[diagnostic::on_unimplemented(
    message = "views and shared arrays have no elements of type `{Self}`",
    note = "their elements are bool, integers of 8 to 64 bits, f16, bf16, f32, f64, Complex<f32> or Complex<f64>"
)]
pub trait ViewElement: Copy + PartialEq + Send + Sync + 'static + sealed::Sealed {
    /// The type's name in Rust.
    const NAME: &'static str;

    /// A number of its own for each type.
    #[doc(hidden)]
    const TAG: u8;

    /// What shared memory holds before anything was written there: nothing that a kernel would compute, so that a result
    /// that was made of it is seen to be wrong.
    #[doc(hidden)]
    const UNSET: Self;

    /// Whether this is [`ViewElement::UNSET`], or what a `+=` or the like has made of it.
    #[doc(hidden)]
    fn comes_from_unset(self) -> bool;
}

/// What warp shuffles pass on: `i32`, `u32`, `i64`, `u64`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "warps do not shuffle values of type `{Self}`",
    note = "they pass on i32, u32, i64, u64, f32 and f64; convert other numbers with `as`"
)]
pub trait ShuffleElement: ViewElement {
    #[doc(hidden)]
    fn to_word(self) -> u64;
    #[doc(hidden)]
    fn from_word(word: u64) -> Self;
}

/// What atomic operations work on: `i32`, `u32`, `i64`, `u64`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations on elements of type `{Self}`",
    note = "they work on i32, u32, i64, u64, f32 and f64"
)]
pub trait AtomicElement: ViewElement {
    /// Replaces an element by what `change` makes of it; gives the old one.
    ///
    /// # Safety
    ///
    /// `at` must be valid for reads and writes and aligned; others may access it by atomic operations only meanwhile.
    #[doc(hidden)]
    unsafe fn update(at: *mut Self, change: impl Fn(Self) -> Self) -> Self;

    /// Reads an element.
    ///
    /// # Safety
    ///
    /// As for [`AtomicElement::update`].
    #[doc(hidden)]
    unsafe fn load(at: *mut Self) -> Self;

    /// Replaces an element if its bits are those of `compare`; gives the old one.
    ///
    /// # Safety
    ///
    /// As for [`AtomicElement::update`].
    #[doc(hidden)]
    unsafe fn compare_exchange(at: *mut Self, compare: Self, value: Self) -> Self;

    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn minus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn larger(self, other: Self) -> Self;
    #[doc(hidden)]
    fn smaller(self, other: Self) -> Self;
}

/// What `atomic_and`, `atomic_or` and `atomic_xor` work on: `i32`, `u32`, `i64`, `u64`.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations on the bits of `{Self}`",
    note = "they work on i32, u32, i64 and u64"
)]
pub trait AtomicInteger: AtomicElement + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> {}

mod sealed {
    pub trait Sealed {}
}

/// Which type this is.
pub(crate) fn type_of<T: ViewElement>() -> TypeId {
    TypeId::of::<T>()
}

macro_rules! atomics {
    ($type:ty, $atomic:ty, $word:ty, $to_bits:expr, $from_bits:expr, $plus:expr, $minus:expr) => {
        #[inline]
        unsafe fn update(at: *mut Self, change: impl Fn(Self) -> Self) -> Self {
            // SAFETY: the caller's promise.
            let place = unsafe { <$atomic>::from_ptr(at.cast()) };
            let mut old = place.load(Ordering::Relaxed);
            loop {
                let new = $to_bits(change($from_bits(old)));
                match place.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) => return $from_bits(old),
                    Err(found) => old = found,
                }
            }
        }

        #[inline]
        unsafe fn load(at: *mut Self) -> Self {
            // SAFETY: the caller's promise.
            let place = unsafe { <$atomic>::from_ptr(at.cast()) };
            $from_bits(place.load(Ordering::Acquire))
        }

        #[inline]
        unsafe fn compare_exchange(at: *mut Self, compare: Self, value: Self) -> Self {
            // SAFETY: the caller's promise.
            let place = unsafe { <$atomic>::from_ptr(at.cast()) };
            let (compare, value): ($word, $word) = ($to_bits(compare), $to_bits(value));
            match place.compare_exchange(compare, value, Ordering::AcqRel, Ordering::Acquire) {
                Ok(old) | Err(old) => $from_bits(old),
            }
        }

        atomics! { @each plus $plus, minus $minus, larger <$type>::max, smaller <$type>::min }
    };
    (@each $($name:ident $function:expr),*) => {$(
        #[inline]
        fn $name(self, other: Self) -> Self {
            $function(self, other)
        }
    )*};
}

macro_rules! view_of_integers {
    ($tag:literal $type:ident $unset:literal, $comes_from_unset:expr) => {
        impl sealed::Sealed for $type {}
        impl ViewElement for $type {
            const NAME: &'static str = stringify!($type);
            const TAG: u8 = $tag;
            const UNSET: Self = $unset;

            fn comes_from_unset(self) -> bool {
                ($comes_from_unset)(self)
            }
        }
    };
}

macro_rules! integers {
    ($($tag:literal $type:ident $atomic:ident $unset:literal)*) => {$(
        view_of_integers!($tag $type $unset, |value: $type| value.abs_diff(<$type>::UNSET) <= 64);
        impl ShuffleElement for $type {
            #[inline]
            fn to_word(self) -> u64 {
                self as u64
            }

            #[inline]
            fn from_word(word: u64) -> Self {
                word as Self
            }
        }

        impl AtomicElement for $type {
            atomics! {
                $type, $atomic, $type, |value: $type| value, |bits: $type| bits,
                <$type>::wrapping_add, <$type>::wrapping_sub
            }
        }

        impl AtomicInteger for $type {}
    )*};
}
integers! {
    0 i32 AtomicI32 0x2a5c_97e1
    1 u32 AtomicU32 0x2a5c_97e1
    2 i64 AtomicI64 0x2a5c_97e1_d34b_86f5
    3 u64 AtomicU64 0x2a5c_97e1_d34b_86f5
}

macro_rules! view_of_floats {
    ($tag:literal $type:ident $word:ident $unset:literal) => {
        impl sealed::Sealed for $type {}
        impl ViewElement for $type {
            const NAME: &'static str = stringify!($type);
            const TAG: u8 = $tag;
            // A quiet NaN: what is computed of it has its bits, perhaps with another sign.
            const UNSET: Self = <$type>::from_bits($unset);

            fn comes_from_unset(self) -> bool {
                self.to_bits() & ($word::MAX >> 1) == $unset
            }
        }
    };
}

macro_rules! floats {
    ($($tag:literal $type:ident $atomic:ident $word:ident $unset:literal)*) => {$(
        view_of_floats!($tag $type $word $unset);
        impl ShuffleElement for $type {
            #[inline]
            fn to_word(self) -> u64 {
                self.to_bits().into()
            }

            #[inline]
            fn from_word(word: u64) -> Self {
                <$type>::from_bits(word as $word)
            }
        }

        impl AtomicElement for $type {
            atomics! {
                $type, $atomic, $word, |value: $type| value.to_bits(), |bits: $word| <$type>::from_bits(bits),
                Add::add, Sub::sub
            }
        }
    )*};
}
floats! {
    4 f32 AtomicU32 u32 0x7fda_5c97
    5 f64 AtomicU64 u64 0x7ffa_5c97_e1d3_4b86
}

macro_rules! narrow_integers {
    ($($tag:literal $type:ident $unset:literal)*) => {$(
        // Too few values to tell.
        view_of_integers!($tag $type $unset, |_: $type| false);
    )*};
}
narrow_integers! {
    6 u8 0xa5
    8 i8 0x5a
    9 u16 0x97e1
    10 i16 0x67e1
}

macro_rules! halves {
    ($($tag:literal $type:ident $unset:literal)*) => {$(
        view_of_floats!($tag $type u16 $unset);
    )*};
}
halves! {
    11 f16 0x7fda
    12 bf16 0x7fda
}

macro_rules! complex {
    ($($tag:literal $type:ty, $name:literal)*) => {$(
        impl sealed::Sealed for $type {}
        impl ViewElement for $type {
            const NAME: &'static str = $name;
            const TAG: u8 = $tag;
            const UNSET: Self = Complex::new(ViewElement::UNSET, ViewElement::UNSET);

            fn comes_from_unset(self) -> bool {
                self.re.comes_from_unset() || self.im.comes_from_unset()
            }
        }
    )*};
}
complex! {
    13 Complex<f32>, "Complex<f32>"
    14 Complex<f64>, "Complex<f64>"
}

impl sealed::Sealed for bool {}
impl ViewElement for bool {
    const NAME: &'static str = "bool";
    const TAG: u8 = 7;
    const UNSET: Self = true;

    fn comes_from_unset(self) -> bool {
        false
    }
}
