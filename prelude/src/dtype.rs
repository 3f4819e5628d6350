//! Element types: the tag [`DType`], the trait [`Element`] that ties a Rust type to its tag, and [`Scalar`] values.
//!
//! Nothing here allocates or computes; backends match on [`DType`] and never on Rust types.

use std::fmt;

/// The type of an array's elements, as a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// `bool`, one byte.
    Bool,
    /// `u8`.
    U8,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl DType {
    /// All element types, in order of promotion.
    pub const ALL: [DType; 8] =
        [DType::Bool, DType::U8, DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64];

    /// The size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 => 1,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 => 8,
        }
    }

    /// Rust's name of the type, such as `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "u8",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::I64 => "i64",
            DType::U64 => "u64",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// Whether the type is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
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
#[non_exhaustive]
pub enum Scalar {
    /// A `bool`.
    Bool(bool),
    /// A `u8`.
    U8(u8),
    /// An `i32`.
    I32(i32),
    /// A `u32`.
    U32(u32),
    /// An `i64`.
    I64(i64),
    /// A `u64`.
    U64(u64),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
}

impl Scalar {
    /// The value's element type.
    pub const fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::U8(_) => DType::U8,
            Scalar::I32(_) => DType::I32,
            Scalar::U32(_) => DType::U32,
            Scalar::I64(_) => DType::I64,
            Scalar::U64(_) => DType::U64,
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
        }
    }

    /// The value's bytes, in the low end of a word.
    pub(crate) const fn bits(self) -> u64 {
        match self {
            Scalar::Bool(value) => value as u64,
            Scalar::U8(value) => value as u64,
            Scalar::I32(value) => value as u32 as u64,
            Scalar::U32(value) => value as u64,
            Scalar::I64(value) => value as u64,
            Scalar::U64(value) => value,
            Scalar::F32(value) => value.to_bits() as u64,
            Scalar::F64(value) => value.to_bits(),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => value.fmt(f),
            Scalar::U8(value) => value.fmt(f),
            Scalar::I32(value) => value.fmt(f),
            Scalar::U32(value) => value.fmt(f),
            Scalar::I64(value) => value.fmt(f),
            Scalar::U64(value) => value.fmt(f),
            Scalar::F32(value) => value.fmt(f),
            Scalar::F64(value) => value.fmt(f),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that arrays can hold: `bool u8 i32 u32 i64 u64 f32 f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "device arrays cannot hold `{Self}`",
    label = "not an element type",
    note = "the element types are bool, u8, i32, u32, i64, u64, f32 and f64"
)]
pub trait Element:
    sealed::Sealed + Copy + PartialOrd + Default + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The type of sums: `u64` for `bool`, `u8` and `u32`; `i64` for `i32`; else the type itself.
    type Sum: Element;
    /// The type of means: the type itself for floats, else `f64`.
    type Mean: Float;
    /// The tag of this type.
    const DTYPE: DType;
    /// This value with its tag.
    fn to_scalar(self) -> Scalar;
    /// The value in a scalar of this very type, or `None` for a scalar of another type.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

/// An element type with arithmetic: all but `bool`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "arithmetic needs an array of numbers, but its elements are `{Self}`",
    label = "not a number type",
    note = "convert the array first, such as `a.astype::<f32>()`"
)]
pub trait Number: Element {}

/// `f32` or `f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this operation needs an array of floats, but its elements are `{Self}`",
    label = "not a float type",
    note = "convert the array first, such as `a.astype::<f64>()`"
)]
pub trait Float: Number {
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value as `f64`.
    fn to_f64(self) -> f64;
}

macro_rules! elements {
    ($($type:ty => $tag:ident, $sum:ty, $mean:ty;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            type Sum = $sum;
            type Mean = $mean;
            const DTYPE: DType = DType::$tag;
            fn to_scalar(self) -> Scalar {
                Scalar::$tag(self)
            }
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::$tag(value) => Some(value),
                    _ => None,
                }
            }
        }
    )*};
}
elements! {
    bool => Bool, u64, f64;
    u8 => U8, u64, f64;
    i32 => I32, i64, f64;
    u32 => U32, u64, f64;
    i64 => I64, i64, f64;
    u64 => U64, u64, f64;
    f32 => F32, f32, f32;
    f64 => F64, f64, f64;
}

macro_rules! numbers {
    ($($type:ty)*) => { $(impl Number for $type {})* };
}
numbers!(u8 i32 u32 i64 u64 f32 f64);

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Float for $type {
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}
floats!(f32 f64);
