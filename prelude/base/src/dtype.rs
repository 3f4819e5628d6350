//! Element types: the tag [`DType`], the trait [`Tagged`] that ties a Rust type to its tag, and [`Scalar`] values.
//!
//! Nothing here allocates or computes; backends match on [`DType`] and never on Rust types.
//!
//! Some types are for storage ([`DType::is_storage`]): arrays of them are made, moved, converted and shown as all others.
//! What computes on such arrays converts them first, to [`DType::computed`], so that backends compute in
//! [`DType::COMPUTED`] only.
//!
//! Complex numbers ([`DType::is_complex`]) are neither: they have arithmetic, but no order, and of the operations on real
//! numbers only some.

pub mod rounding;
pub mod typestr;

use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;

/// The type of an array's elements, as a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum DType {
    /// `bool`, one byte.
    Bool,
    /// `u8`.
    U8,
    /// `i8`.
    I8,
    /// `u16`.
    U16,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
    /// [`struct@f16`], 5 bits of exponent and 11 of precision.
    F16,
    /// [`bf16`], the first half of an `f32`: 8 bits of exponent and of precision.
    BF16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// [`Complex<f32>`], the real part before the imaginary one.
    C64,
    /// [`Complex<f64>`], the real part before the imaginary one.
    C128,
}

impl DType {
    /// All element types, in order of promotion.
    pub const ALL: [DType; 15] = [
        DType::Bool,
        DType::U8,
        DType::I8,
        DType::U16,
        DType::I16,
        DType::I32,
        DType::U32,
        DType::I64,
        DType::U64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// The types that operations on real numbers compute in, in order of promotion. The others are for
    /// [storage](Self::is_storage), or [complex](Self::is_complex).
    pub const COMPUTED: [DType; 8] =
        [DType::Bool, DType::U8, DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64];

    /// The size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 | DType::I8 => 1,
            DType::U16 | DType::I16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// Rust's name of the type, such as `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "u8",
            DType::I8 => "i8",
            DType::U16 => "u16",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::I64 => "i64",
            DType::U64 => "u64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::C64 => "Complex<f32>",
            DType::C128 => "Complex<f64>",
        }
    }

    /// Whether the type is `f16`, `bf16`, `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// Whether the type is `Complex<f32>` or `Complex<f64>`.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// The type of the real and the imaginary part; of real numbers, the type itself.
    pub const fn part(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// Whether the type is for storage: `i8`, `u16`, `i16`, `f16` and `bf16`. There is no arithmetic on arrays of it; what
    /// compares and sums them computes in a wider type.
    pub const fn is_storage(self) -> bool {
        matches!(self, DType::I8 | DType::U16 | DType::I16 | DType::F16 | DType::BF16)
    }

    /// The type that operations on arrays of this type compute in: `i32` for `i8` and `i16`, `u32` for `u16`, `f32` for
    /// `f16` and `bf16`, else the type itself. It has all values of this type.
    pub const fn computed(self) -> DType {
        match self {
            DType::I8 | DType::I16 => DType::I32,
            DType::U16 => DType::U32,
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        }
    }
}

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

/// One value together with its element type: what crosses from generic code to a backend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A `bool`.
    Bool(bool),
    /// A `u8`.
    U8(u8),
    /// An `i8`.
    I8(i8),
    /// A `u16`.
    U16(u16),
    /// An `i16`.
    I16(i16),
    /// An `i32`.
    I32(i32),
    /// A `u32`.
    U32(u32),
    /// An `i64`.
    I64(i64),
    /// A `u64`.
    U64(u64),
    /// An [`struct@f16`].
    F16(f16),
    /// A [`bf16`].
    BF16(bf16),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// A [`Complex<f32>`].
    C64(Complex<f32>),
    /// A [`Complex<f64>`].
    C128(Complex<f64>),
}

impl Scalar {
    /// The value's element type.
    pub const fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::U8(_) => DType::U8,
            Scalar::I8(_) => DType::I8,
            Scalar::U16(_) => DType::U16,
            Scalar::I16(_) => DType::I16,
            Scalar::I32(_) => DType::I32,
            Scalar::U32(_) => DType::U32,
            Scalar::I64(_) => DType::I64,
            Scalar::U64(_) => DType::U64,
            Scalar::F16(_) => DType::F16,
            Scalar::BF16(_) => DType::BF16,
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
            Scalar::C64(_) => DType::C64,
            Scalar::C128(_) => DType::C128,
        }
    }

    /// The value's bytes, in the low end of a word of 128 bits.
    pub const fn bits(self) -> u128 {
        match self {
            Scalar::Bool(value) => value as u128,
            Scalar::U8(value) => value as u128,
            Scalar::I8(value) => value as u8 as u128,
            Scalar::U16(value) => value as u128,
            Scalar::I16(value) => value as u16 as u128,
            Scalar::I32(value) => value as u32 as u128,
            Scalar::U32(value) => value as u128,
            Scalar::I64(value) => value as u64 as u128,
            Scalar::U64(value) => value as u128,
            Scalar::F16(value) => value.to_bits() as u128,
            Scalar::BF16(value) => value.to_bits() as u128,
            Scalar::F32(value) => value.to_bits() as u128,
            Scalar::F64(value) => value.to_bits() as u128,
            Scalar::C64(value) => value.re.to_bits() as u128 | (value.im.to_bits() as u128) << 32,
            Scalar::C128(value) => value.re.to_bits() as u128 | (value.im.to_bits() as u128) << 64,
        }
    }

    /// A number as a float of `dtype`, which is `f32`, `f64` or complex.
    pub fn of_float(value: f64, dtype: DType) -> Scalar {
        match dtype {
            DType::F32 => Scalar::F32(value as f32),
            DType::C64 => Scalar::C64(Complex::new(value as f32, 0.0)),
            DType::C128 => Scalar::C128(Complex::new(value, 0.0)),
            _ => Scalar::F64(value),
        }
    }

    /// The value of a real float.
    pub fn float(self) -> f64 {
        match self {
            Scalar::F32(value) => value.into(),
            Scalar::F64(value) => value,
            other => unreachable!("{other:?} is no real float"),
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
            other => unreachable!("{other:?} is no float"),
        }
    }

    /// The same value in the type that operations compute in, [`DType::computed`].
    pub fn computed(self) -> Scalar {
        match self {
            Scalar::I8(value) => Scalar::I32(value.into()),
            Scalar::U16(value) => Scalar::U32(value.into()),
            Scalar::I16(value) => Scalar::I32(value.into()),
            Scalar::F16(value) => Scalar::F32(value.into()),
            Scalar::BF16(value) => Scalar::F32(value.into()),
            other => other,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => value.fmt(f),
            Scalar::U8(value) => value.fmt(f),
            Scalar::I8(value) => value.fmt(f),
            Scalar::U16(value) => value.fmt(f),
            Scalar::I16(value) => value.fmt(f),
            Scalar::I32(value) => value.fmt(f),
            Scalar::U32(value) => value.fmt(f),
            Scalar::I64(value) => value.fmt(f),
            Scalar::U64(value) => value.fmt(f),
            Scalar::F16(value) => value.fmt(f),
            Scalar::BF16(value) => value.fmt(f),
            Scalar::F32(value) => value.fmt(f),
            Scalar::F64(value) => value.fmt(f),
            Scalar::C64(value) => value.fmt(f),
            Scalar::C128(value) => value.fmt(f),
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

macro_rules! tagged {
    ($($type:ty => $tag:ident;)*) => {$(
        impl Tagged for $type {
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
        }
    )*};
}
tagged! {
    bool => Bool;
    u8 => U8;
    i8 => I8;
    u16 => U16;
    i16 => I16;
    i32 => I32;
    u32 => U32;
    i64 => I64;
    u64 => U64;
    f16 => F16;
    bf16 => BF16;
    f32 => F32;
    f64 => F64;
    Complex<f32> => C64;
    Complex<f64> => C128;
}
