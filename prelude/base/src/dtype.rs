//! Element types: the tag [`DType`], the trait [`Tagged`] that ties a Rust type to its tag, and [`Scalar`] values.
//!
//! Nothing here allocates or computes; backends match on [`DType`] and never on Rust types.
//!
//! Some types are for storage ([`DType::is_storage`]): arrays of them are made, moved, converted and shown as all others.
//! Operations convert such arrays first, to [`DType::compute_type`], so that backends compute in
//! [`DType::COMPUTED`] only. A backend may convert the terms of sums itself, while it reads them.
//!
//! Complex numbers ([`DType::is_complex`]) are neither: they have arithmetic, but no order, and of the operations on real
//! numbers only some.

pub mod rounding;
mod table;
pub mod typestr;

use std::fmt;
pub use table::{dtypes, if_dtype, types};
pub use types::*;

/// What sort of values a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Bool,
    /// Integers from 0 on.
    Unsigned,
    /// Integers.
    Signed,
    /// Floats of less than 32 bits, which operations compute on in `f32`: structs, with methods such as `from_f32`.
    Narrow,
    /// IEEE's floats of 32 and 64 bits.
    Float,
    /// Two floats: the real part, and behind it the imaginary one.
    Complex,
}

macro_rules! tags {
    ($({
        $kind:ident $use:ident $tag:ident $type:ty, $computed:ty, $sum:ty, $mean:ty,
        $name:literal, $cu_name:literal, $c_name:literal, $dlpack_code:literal
    })*) => {
        /// The type of an array's elements, as a value.
        ///
        /// `f16` has 5 bits of exponent and 11 of precision; `bf16`, the first half of an `f32`, has 8 of each.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub enum DType {$(
            #[doc = concat!("`", $name, "`.")]
            $tag,
        )*}

        impl DType {
            /// All element types, in order of promotion.
            pub const ALL: [DType; [$(DType::$tag),*].len()] = [$(DType::$tag),*];

            /// The size of one element in bytes.
            pub const fn size(self) -> usize {
                match self {
                    $(DType::$tag => size_of::<$type>(),)*
                }
            }

            /// Rust's name of the type, such as `f32`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(DType::$tag => $name,)*
                }
            }

            /// The name of the type in CUDA C, such as `float`.
            pub const fn c_name(self) -> &'static str {
                match self {
                    $(DType::$tag => $c_name,)*
                }
            }

            /// The name of the type in the sources in `prelude/cuda/kernels/`.
            pub const fn cu_name(self) -> &'static str {
                match self {
                    $(DType::$tag => $cu_name,)*
                }
            }

            /// DLPack's number of the kind of values.
            pub const fn dlpack_code(self) -> u8 {
                match self {
                    $(DType::$tag => $dlpack_code,)*
                }
            }

            /// What sort of values it has.
            pub const fn kind(self) -> Kind {
                match self {
                    $(DType::$tag => Kind::$kind,)*
                }
            }

            /// Whether it is one of [`COMPUTED`](Self::COMPUTED).
            const fn is_computed(self) -> bool {
                match self {
                    $(DType::$tag => if_dtype!(computed $kind $use { true } { false }),)*
                }
            }

            /// The type that operations on arrays of this type compute in: `i32` and `u32` for narrow integers for storage, `f32` for
            /// `f16` and `bf16`, else the type itself. It has all values of this type.
            pub const fn compute_type(self) -> DType {
                match self {
                    $(DType::$tag => <$computed as Tagged>::TAG,)*
                }
            }

            /// The type of sums and products: `u64` for bools and unsigned integers, `i64` for signed ones, `f32` for `f16` and
            /// `bf16`, else the type itself.
            pub const fn sum(self) -> DType {
                match self {
                    $(DType::$tag => <$sum as Tagged>::TAG,)*
                }
            }
        }

        /// One value together with its element type: what crosses from generic code to a backend.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Scalar {$(
            #[doc = concat!("A value of the type `", $name, "`.")]
            $tag($type),
        )*}

        impl Scalar {
            /// The value's element type.
            pub const fn dtype(self) -> DType {
                match self {
                    $(Scalar::$tag(_) => DType::$tag,)*
                }
            }

            /// The value's bytes, in the low end of a word of 128 bits.
            pub const fn bits(self) -> u128 {
                match self {
                    $(Scalar::$tag(value) => to_bits(value),)*
                }
            }

            /// The value that has these [`bits`](Self::bits); a bool is true if its byte is not 0.
            pub const fn from_bits(dtype: DType, bits: u128) -> Scalar {
                match dtype {
                    $(DType::$tag => Scalar::$tag(from_bits(bits)),)*
                }
            }

            /// A number as a float of `dtype`, real or complex, rounded once.
            pub fn of_float(value: f64, dtype: DType) -> Scalar {
                match dtype {
                    $(DType::$tag => tags!(@of_float $kind $type, value).tagged(),)*
                }
            }

            /// The value of a real float.
            pub fn float(self) -> Option<f64> {
                match self {
                    $(Scalar::$tag(value) => tags!(@float $kind value),)*
                }
            }

            /// The same value in the type that operations compute in, [`DType::compute_type`].
            pub fn to_compute_type(self) -> Scalar {
                match self {
                    $(Scalar::$tag(value) => <$computed>::from(value).tagged(),)*
                }
            }
        }

        impl fmt::Display for Scalar {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Scalar::$tag(value) => value.fmt(f),)*
                }
            }
        }

        $(impl Tagged for $type {
            const TAG: DType = DType::$tag;
            fn tagged(self) -> Scalar {
                Scalar::$tag(self)
            }
            fn untagged(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::$tag(value) => Some(value),
                    _ => None,
                }
            }
        })*
    };
    (@of_float Narrow $type:ty, $value:ident) => { <$type>::from_f32(rounding::odd_from_f64($value)) };
    (@of_float Float $type:ty, $value:ident) => { $value as $type };
    (@of_float Complex $type:ty, $value:ident) => { <$type>::new($value as _, 0.0) };
    (@of_float $kind:ident $type:ty, $value:ident) => { $value };
    (@float Narrow $value:ident) => { Some($value.into()) };
    (@float Float $value:ident) => { Some($value.into()) };
    (@float $kind:ident $value:ident) => {{
        let _ = $value;
        None
    }};
}
dtypes!(tags!());

impl DType {
    /// The types that operations on real numbers compute in, in order of promotion. The others are for
    /// [storage](Self::is_storage), or [complex](Self::is_complex).
    pub const COMPUTED: [DType; COMPUTED] = {
        let mut computed = [DType::Bool; COMPUTED];
        let (mut from, mut to) = (0, 0);
        while from < DType::ALL.len() {
            if DType::ALL[from].is_computed() {
                computed[to] = DType::ALL[from];
                to += 1;
            }
            from += 1;
        }
        computed
    };

    /// Whether the type is `f16`, `bf16`, `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Narrow | Kind::Float)
    }

    /// Whether the type is one of integers; bools are none.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Unsigned | Kind::Signed)
    }

    /// Whether the type is `Complex<f32>` or `Complex<f64>`.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// The type of the real and the imaginary part; of real numbers, the type itself.
    pub const fn part(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// Whether the type is for storage: `i8`, `u16`, `i16`, `f16` and `bf16`. What computes on arrays of it, or
    /// compares and sums them, does so in a wider type.
    pub const fn is_storage(self) -> bool {
        !self.is_computed() && !self.is_complex()
    }

    /// NumPy's name of the type, such as `float32`, and in the same manner `bfloat16`, which NumPy has not.
    pub fn numpy_name(self) -> String {
        let kind = match self.kind() {
            Kind::Bool => return "bool".to_owned(),
            Kind::Unsigned => "uint",
            Kind::Signed => "int",
            Kind::Narrow => return self.c_name().to_owned(),
            Kind::Float => "float",
            Kind::Complex => "complex",
        };
        format!("{kind}{}", 8 * self.size())
    }
}

/// How many types operations on real numbers compute in.
const COMPUTED: usize = {
    let (mut at, mut count) = (0, 0);
    while at < DType::ALL.len() {
        count += DType::ALL[at].is_computed() as usize;
        at += 1;
    }
    count
};

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Scalar {
    /// 0, or `false`.
    pub fn zero(dtype: DType) -> Scalar {
        Scalar::from_bits(dtype, 0)
    }

    /// 1, or `true`.
    pub fn one(dtype: DType) -> Scalar {
        match dtype.kind() {
            Kind::Bool | Kind::Unsigned | Kind::Signed => Scalar::from_bits(dtype, 1),
            Kind::Narrow | Kind::Float | Kind::Complex => Scalar::of_float(1.0, dtype),
        }
    }

    /// The value of an integer; of a bool, 0 or 1.
    pub const fn integer(self) -> Option<i128> {
        let dtype = self.dtype();
        // Signed ones are extended to 128 bits.
        let unused = 128 - 8 * dtype.size();
        match dtype.kind() {
            Kind::Bool | Kind::Unsigned => Some(self.bits() as i128),
            Kind::Signed => Some((self.bits() << unused) as i128 >> unused),
            _ => None,
        }
    }

    /// A float, real or complex, divided by a real number; for complex ones, part by part.
    pub fn divided(self, divisor: f64) -> Scalar {
        match self {
            Scalar::F32(value) => Scalar::F32((f64::from(value) / divisor) as f32),
            Scalar::F64(value) => Scalar::F64(value / divisor),
            Scalar::C64(value) => {
                let part = |part: f32| (f64::from(part) / divisor) as f32;
                Scalar::C64(Complex::new(part(value.re), part(value.im)))
            }
            Scalar::C128(value) => Scalar::C128(Complex::new(value.re / divisor, value.im / divisor)),
            other => unreachable!("{other:?} is not a float"),
        }
    }
}

/// A Rust type with a tag. Arrays' own trait for elements is `warpcell::Element`: it has to be in the crate whose traits it is for,
/// since a crate may not rely on what types of other crates do not implement.
pub trait Tagged: Copy + Send + Sync + 'static {
    /// The tag of this type.
    const TAG: DType;
    /// This value with its tag.
    fn tagged(self) -> Scalar;
    /// The value in a scalar of this very type, or `None` for a scalar of another type.
    fn untagged(scalar: Scalar) -> Option<Self>;
}

/// The bytes of a value, in the low end of a word: all machines with CUDA are little-endian.
const fn to_bits<T: Tagged>(value: T) -> u128 {
    let mut bits = 0u128;
    // SAFETY: no element type has more than 16 bytes, and all of its bytes are initialised.
    unsafe { (&raw mut bits).cast::<T>().write_unaligned(value) };
    bits
}

/// The value that has these bytes.
const fn from_bits<T: Tagged>(bits: u128) -> T {
    let bits = if matches!(T::TAG, DType::Bool) { (bits as u8 != 0) as u128 } else { bits };
    // SAFETY: no element type has more than 16 bytes, and all bits are a value, except for bool, whose bits are 0 or 1 here.
    unsafe { (&raw const bits).cast::<T>().read_unaligned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_computes_in_itself_or_is_for_storage() {
        for dtype in DType::ALL {
            assert_eq!(dtype.compute_type() == dtype, !dtype.is_storage(), "{dtype}");
            assert!(!dtype.compute_type().is_storage() && !dtype.sum().is_storage(), "{dtype}");
        }
    }

    #[test]
    fn names_and_numbers_tell_the_types_apart() {
        let facts: [fn(DType) -> String; 5] = [
            |dtype| dtype.name().to_owned(),
            |dtype| dtype.numpy_name(),
            |dtype| dtype.c_name().to_owned(),
            |dtype| dtype.cu_name().to_owned(),
            |dtype| format!("{} {}", dtype.dlpack_code(), dtype.size()),
        ];
        for fact in facts {
            let of_all: std::collections::BTreeSet<String> = DType::ALL.into_iter().map(fact).collect();
            assert_eq!(of_all.len(), DType::ALL.len(), "{of_all:?}");
        }
    }

    #[test]
    fn bits_are_values() {
        for dtype in DType::ALL {
            let one = Scalar::one(dtype);
            assert_eq!((one.dtype(), Scalar::from_bits(dtype, one.bits())), (dtype, one));
            assert_eq!(one.integer().map(|one| one as f64).or(one.float()).unwrap_or(1.0), 1.0);
            assert_ne!(Scalar::zero(dtype), one);
            // Of an integer, and of the real part of a complex number, as it is written.
            assert!(one.to_string().starts_with(if dtype == DType::Bool { "true" } else { "1" }));
        }
        assert_eq!((DType::C64.name(), DType::C128.name()), ("Complex<f32>", "Complex<f64>"));
        assert_eq!(Scalar::I16(-2).bits(), 0xfffe);
        assert_eq!((Scalar::I16(-2).integer(), Scalar::U64(u64::MAX).integer()), (Some(-2), Some(u64::MAX.into())));
        assert_eq!((Scalar::F16(f16::from_f32(-0.5)).float(), Scalar::I8(1).float()), (Some(-0.5), None));
        assert_eq!(Scalar::C64(Complex::new(1.0, -2.0)).bits(), 0xc000_0000_3f80_0000);
        assert_eq!(Scalar::from_bits(DType::Bool, 0x102), Scalar::Bool(true));
    }
}
