//! The arguments of kernels of CUDA C text, arrays and scalars in tuples, and the arrays of their results.

use crate::array::conversions::conversions;
use crate::array::{DeviceArray, RawArray};
use crate::dtype::{DType, Element, Kind, Scalar};
use crate::error::Result;

pub(crate) mod sealed {
    use super::{DType, RawArgument, RawArray, Result};

    pub trait Argument {
        fn raw_argument(&self) -> RawArgument<'_>;
    }
    pub trait Arguments {
        /// Does `work` with the arguments in their order.
        fn with(&self, work: &mut dyn FnMut(&[RawArgument<'_>]) -> Result<()>) -> Result<()>;
    }
    pub trait Results {
        type Arrays;
        const DTYPES: &'static [DType];
        fn arrays(raw: Vec<RawArray>) -> Self::Arrays;
    }
}

/// An argument without its type.
#[derive(Clone, Copy)]
pub enum RawArgument<'a> {
    /// An array; `writes` if it was given as `&mut`.
    Array {
        /// The array.
        array: &'a RawArray,
        /// Whether it was given as `&mut`.
        writes: bool,
    },
    /// A value.
    Scalar {
        /// The value.
        value: Scalar,
        /// Rust's name of its type.
        type_name: &'static str,
    },
}

impl<'a> RawArgument<'a> {
    pub(super) fn dtype(&self) -> DType {
        match self {
            RawArgument::Array { array, .. } => array.dtype,
            RawArgument::Scalar { value, .. } => value.dtype(),
        }
    }

    pub(crate) fn array(&self) -> Option<&'a RawArray> {
        match self {
            RawArgument::Array { array, .. } => Some(array),
            RawArgument::Scalar { .. } => None,
        }
    }
}

/// An argument of the wrong type, for a message, and what to write instead.
pub(super) fn described(argument: &RawArgument<'_>, wanted: DType) -> String {
    match argument {
        RawArgument::Array { array, .. } => {
            let given = array.dtype;
            if given.is_complex() && !wanted.is_complex() {
                return format!(
                    "an array of {given}; take a part of it, such as `.real()`, or change the type in the text"
                );
            }
            format!("an array of {given}; convert it with `.astype::<{wanted}>()`, or change the type in the text")
        }
        RawArgument::Scalar { value, type_name } => {
            let written = shown(*value);
            match literal(*value, wanted) {
                Some(literal) => {
                    format!(
                        "{written}, a value of {type_name}; write `{literal}`, or convert a variable with `as {wanted}`"
                    )
                }
                None => format!("{written}, a value of {type_name}; give it as {wanted}"),
            }
        }
    }
}

/// A value as a message shows it.
fn shown(value: Scalar) -> String {
    match value {
        Scalar::F32(value) => format!("{value:?}"),
        Scalar::F64(value) => format!("{value:?}"),
        other => other.to_string(),
    }
}

/// The same value as a literal of another type; none if it has no such literal.
fn literal(value: Scalar, wanted: DType) -> Option<String> {
    let number: f64 = match value {
        // With as few digits as are needed to tell it from others.
        Scalar::F32(value) => value.to_string().parse().ok()?,
        // Doubles do not have all larger integers.
        _ if value.dtype().is_integer() => value.integer().filter(|value| value.unsigned_abs() < 1 << 53)? as f64,
        _ => value.float()?,
    };
    let most_of = |bits: usize| ((bits as f64).exp2() - 1.0).min(9e15);
    let bits = 8 * wanted.size();
    let (least, most) = match wanted.kind() {
        Kind::Float if number.is_finite() => return Some(format!("{number:?}{wanted}")),
        Kind::Unsigned => (0.0, most_of(bits)),
        Kind::Signed => (-most_of(bits - 1) - 1.0, most_of(bits - 1)),
        _ => return None,
    };
    (number == number.trunc() && (least..=most).contains(&number)).then(|| format!("{number:.0}{wanted}"))
}

/// An argument of a kernel of CUDA C text: `&a`, `&mut a` for an array that the kernel writes to, or a scalar: an element type,
/// `usize` or `isize`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be given `{Self}`",
    label = "expected `&a`, `&mut a` or a scalar",
    note = "pass arrays by reference: `&a` for an array that is read, `&mut a` for one that is written to",
    note = "copy a host array to the device first: `gpu::asarray(&a)`"
)]
pub trait TextArgument: sealed::Argument {}

/// The arguments of a kernel of CUDA C text: a tuple of references to arrays and of scalars, such as `(&a, &mut out, 3)`, or a
/// reference to one array. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a kernel",
    label = "expected a tuple such as `(&a, &mut out, 3)`",
    note = "give one argument for each parameter, arrays by reference; write a tuple of one argument as `(&a,)`"
)]
pub trait TextArguments: sealed::Arguments {}

/// The arrays that a kernel of CUDA C text writes its results to: `&mut out`, or a tuple of such references. Not an extension
/// point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take the results of a kernel",
    label = "expected `&mut out`, or a tuple such as `(&mut quotients, &mut remainders)`",
    note = "make the array first, such as `let mut out = gpu::empty::<f64>(n);`"
)]
pub trait TextOutputs: sealed::Arguments {}

/// The element types of a kernel's results, as a tuple: `(f64, i32)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the element types of a kernel's results",
    label = "expected a tuple of element types such as `(f64, i32)`"
)]
pub trait TextResults: sealed::Results {}

conversions! {
    fn raw_argument(&self) -> RawArgument<'_>: sealed::Argument, TextArgument;
    T [T: Element] => RawArgument::Scalar { value: self.to_scalar(), type_name: T::DTYPE.name() };
    usize => RawArgument::Scalar { value: Scalar::U64(*self as u64), type_name: "usize" };
    isize => RawArgument::Scalar { value: Scalar::I64(*self as i64), type_name: "isize" };
}

macro_rules! references {
    ($($type:ty: $writes:literal;)*) => {$(
        conversions! {
            fn raw_argument(&self) -> RawArgument<'_>: sealed::Argument, TextArgument;
            $type [T: Element] => RawArgument::Array { array: &self.raw, writes: $writes };
        }
        conversions! {
            fn with(&self, work: &mut dyn FnMut(&[RawArgument<'_>]) -> Result<()>) -> Result<()>: sealed::Arguments, TextArguments;
            $type [T: Element] => work(&[sealed::Argument::raw_argument(self)]);
        }
    )*};
}
references! {
    &DeviceArray<T>: false;
    &mut DeviceArray<T>: true;
}
impl<T: Element> TextOutputs for &mut DeviceArray<T> {}

macro_rules! tuples {
    ($(($($argument:ident $index:tt),*))*) => {$(
        impl<$($argument: sealed::Argument),*> sealed::Arguments for ($($argument,)*) {
            fn with(&self, work: &mut dyn FnMut(&[RawArgument<'_>]) -> Result<()>) -> Result<()> {
                work(&[$(self.$index.raw_argument()),*])
            }
        }
        impl<$($argument: TextArgument),*> TextArguments for ($($argument,)*) {}
    )*};
}
tuples! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15)
}

macro_rules! outputs {
    ($(($($element:ident),*))*) => {$(
        impl<$($element: Element),*> TextOutputs for ($(&mut DeviceArray<$element>,)*) {}
        impl<$($element: Element),*> sealed::Results for ($($element,)*) {
            type Arrays = ($(DeviceArray<$element>,)*);
            const DTYPES: &'static [DType] = &[$($element::DTYPE),*];
            fn arrays(raw: Vec<RawArray>) -> Self::Arrays {
                let mut raw = raw.into_iter();
                ($({
                    let Some(one) = raw.next() else { unreachable!("there is an array for each type") };
                    DeviceArray::<$element>::from_raw(one)
                },)*)
            }
        }
        impl<$($element: Element),*> TextResults for ($($element,)*) {}
    )*};
}
outputs! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_literals_of_other_types() {
        assert_eq!(literal(Scalar::I64(5), DType::I32).as_deref(), Some("5i32"));
        assert_eq!(literal(Scalar::I32(-5), DType::U32), None);
        assert_eq!(literal(Scalar::F64(0.1), DType::F32).as_deref(), Some("0.1f32"));
        assert_eq!(literal(Scalar::F32(0.1), DType::F64).as_deref(), Some("0.1f64"));
        assert_eq!(literal(Scalar::I32(2), DType::F64).as_deref(), Some("2.0f64"));
        assert_eq!(literal(Scalar::F64(2.5), DType::I32), None);
        assert_eq!(literal(Scalar::F64(2.0), DType::I64).as_deref(), Some("2i64"));
        assert_eq!(literal(Scalar::Bool(true), DType::I64), None);
        assert_eq!(literal(Scalar::F64(f64::NAN), DType::F32), None);
    }
}
