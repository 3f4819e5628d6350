//! What functions for Python return.

use super::Value;
use super::arguments::kinds;
use crate::array::{DeviceArray, RawArray};
use crate::dtype::{Element, Kind, Scalar};
use crate::error::Result as ArrayResult;
use crate::interop::{ForUse, export, export_legacy};
use dlpark::ffi::DLManagedTensorVersioned;
use ndarray::{Array, Dimension};
use std::ffi::c_void;
use std::fmt::Display;

/// What a function has returned: its values, or its error.
pub type Outcome = Result<Vec<Item>, String>;

/// A value that goes to Python.
pub enum Item {
    /// A number.
    Number(Scalar),
    /// An array.
    Array(RawArray),
}

impl Item {
    /// The one element of an array.
    pub fn read(array: &RawArray) -> ArrayResult<Item> {
        Ok(Item::Number(crate::array::transfer::item(array)?))
    }

    /// The value as Python gets it; an array as a tensor, of DLPack 1.x if it is `versioned`.
    pub fn into_value(self, versioned: bool) -> ArrayResult<Value> {
        let number =
            |kind: u32, word: u64, real: f64, imaginary: f64| Value { kind, retained: 0, word, real, imaginary };
        Ok(match self {
            Item::Array(array) => {
                // PyTorch ends the process over strides below 0.
                let is_forward = array.layout.strides.iter().all(|&stride| stride >= 0);
                let array = if is_forward { array } else { array.copied("a result")? };
                let (kind, address) = if versioned {
                    let tensor = export::<DLManagedTensorVersioned>("a result", &array, ForUse::OnThisStream)?;
                    (kinds::VERSIONED_TENSOR, tensor.into_raw().expose_provenance())
                } else {
                    let tensor = export_legacy("a result", &array, ForUse::OnThisStream)?;
                    (kinds::TENSOR, tensor.into_raw().expose_provenance())
                };
                number(kind, address as u64, 0.0, 0.0)
            }
            Item::Number(value) => match (value, value.dtype().kind()) {
                (Scalar::Bool(value), _) => number(kinds::BOOL, value.into(), 0.0, 0.0),
                (Scalar::C64(value), _) => number(kinds::COMPLEX, 0, value.re.into(), value.im.into()),
                (Scalar::C128(value), _) => number(kinds::COMPLEX, 0, value.re, value.im),
                (_, Kind::Unsigned) => number(kinds::UINT, value.bits() as u64, 0.0, 0.0),
                (_, Kind::Signed) => number(kinds::INT, value.integer().unwrap_or(0) as i64 as u64, 0.0, 0.0),
                _ => number(kinds::FLOAT, 0, value.float().unwrap_or(f64::NAN), 0.0),
            },
        })
    }
}

impl Value {
    /// Drops the tensor of a result, if it is one.
    pub(super) fn release(&self) {
        if [kinds::TENSOR, kinds::VERSIONED_TENSOR].contains(&self.kind) {
            let tensor = std::ptr::with_exposed_provenance_mut(self.word as usize);
            // SAFETY: `into_value` has made it, and nobody has got it.
            unsafe { release(tensor, self.kind == kinds::VERSIONED_TENSOR) };
        }
    }
}

/// Drops the tensor of a result.
///
/// # Safety
///
/// It is one, of this version, and is used no more.
pub unsafe fn release(tensor: *mut c_void, versioned: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        if versioned {
            drop(dlpark::versioned::Dlpack::from_raw(tensor.cast()));
        } else {
            drop(dlpark::legacy::Dlpack::from_raw(tensor.cast()));
        }
    }
}

/// One value that a function for Python can return. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a function for Python cannot return `{Self}`",
    label = "not a type that Python has values for",
    note = "it can return arrays (`DeviceArray<f32>`, `Array2<f32>`, `Vec<f32>`), numbers, tuples of such, and `Result`s"
)]
pub trait One {
    /// The value as Python gets it.
    fn item(self) -> ArrayResult<Item>;
}

impl<T: Element> One for T {
    fn item(self) -> ArrayResult<Item> {
        Ok(Item::Number(self.to_scalar()))
    }
}

impl One for usize {
    fn item(self) -> ArrayResult<Item> {
        Ok(Item::Number(Scalar::U64(self as u64)))
    }
}

impl One for isize {
    fn item(self) -> ArrayResult<Item> {
        Ok(Item::Number(Scalar::I64(self as i64)))
    }
}

impl<T: Element> One for DeviceArray<T> {
    fn item(self) -> ArrayResult<Item> {
        Ok(Item::Array(self.raw.into_inner()))
    }
}

impl<T: Element, D: Dimension> One for Array<T, D> {
    fn item(self) -> ArrayResult<Item> {
        crate::try_asarray(self)?.item()
    }
}

impl<T: Element> One for Vec<T> {
    fn item(self) -> ArrayResult<Item> {
        crate::try_asarray(self)?.item()
    }
}

/// What a function for Python can return: one value, a tuple of up to eight, nothing, or a `Result` with such. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a function for Python cannot return `{Self}`",
    label = "not a type that Python has values for",
    note = "it can return arrays (`DeviceArray<f32>`, `Array2<f32>`, `Vec<f32>`), numbers, tuples of such, and `Result`s"
)]
pub trait Returned {
    /// How many values these are.
    const COUNT: usize;
    /// The values as Python gets them.
    fn give(self) -> Outcome;
}

fn told(item: ArrayResult<Item>) -> Result<Item, String> {
    item.map_err(|error| error.to_string())
}

impl<T: One> Returned for T {
    const COUNT: usize = 1;

    fn give(self) -> Outcome {
        Ok(vec![told(self.item())?])
    }
}

impl<R: Returned, E: Display> Returned for Result<R, E> {
    const COUNT: usize = R::COUNT;

    fn give(self) -> Outcome {
        self.map_err(|error| error.to_string())?.give()
    }
}

macro_rules! tuples {
    ($(($($type:ident $index:tt),*))*) => {$(
        impl<$($type: One),*> Returned for ($($type,)*) {
            const COUNT: usize = [$($index),*].len();

            fn give(self) -> Outcome {
                Ok(vec![$(told(self.$index.item())?),*])
            }
        }
    )*};
}
tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

impl Returned for () {
    const COUNT: usize = 0;

    fn give(self) -> Outcome {
        Ok(Vec::new())
    }
}
