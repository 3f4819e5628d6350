//! What the functions of filters take: coefficients, frequencies, and bands.

use crate::array::{DeviceArray, RawArray, transfer};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::floats::IntoFloat;

/// Coefficients of a filter: a number, an array on the host, or an array on the device, which is copied to the host (this waits).
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the coefficients of a filter",
    label = "expected coefficients",
    note = "coefficients are `&b` of a `DeviceArray` of floats, of an array `[f64; N]`, of a slice or of a `Vec<f64>`, or a number"
)]
pub trait Coefficients: sealed::Numbers {}

/// The frequencies at which a response is computed: how many, or which ones. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say at which frequencies",
    label = "expected how many frequencies, or their values",
    note = "such as `512`, or an array `&w` of frequencies"
)]
pub trait Frequencies: sealed::Points {}

/// One frequency, or both ends of a band. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a frequency nor a band of them",
    label = "expected a frequency such as `0.2`, or a band such as `(0.2, 0.4)`"
)]
pub trait Band: sealed::Edges {}

/// Whether a filter lets the frequency 0 pass: a bool, or one of SciPy's words. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether the frequency 0 passes",
    label = "expected a bool, or `\"lowpass\"`, `\"highpass\"`, `\"bandpass\"` or `\"bandstop\"`"
)]
pub trait PassZero: sealed::Passing {}

pub(crate) mod sealed {
    use super::*;

    pub trait Numbers {
        /// The shape and the numbers.
        fn numbers(&self, operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)>;
    }

    pub enum At {
        Count(usize),
        Values(Vec<f64>),
    }

    pub trait Points {
        fn points(&self, operation: &'static str) -> Result<At>;
    }

    pub trait Edges {
        fn edges(&self) -> Vec<f64>;
    }

    pub enum Passes {
        Zero(bool),
        Word(&'static str),
    }

    pub trait Passing {
        fn passes(&self, operation: &'static str) -> Result<Passes>;
    }
}
pub(crate) use sealed::{At, Passes};
use sealed::{Edges, Numbers, Passing, Points};

/// The numbers of an array on the device.
pub(super) fn downloaded(operation: &'static str, raw: &RawArray) -> Result<Vec<f64>> {
    transfer::download_vec(&raw.converted(operation, DType::F64)?)
}

/// One number of any type.
macro_rules! of_one {
    ($($number:ty)*) => {$(
        impl Numbers for $number {
            fn numbers(&self, _operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
                Ok((vec![1], vec![self.into_float()]))
            }
        }
        impl Edges for $number {
            fn edges(&self) -> Vec<f64> {
                vec![self.into_float()]
            }
        }
    )*};
}
of_one!(f64 f32 i32 i64 u32 u64 usize);
impl<T: Number> Numbers for DeviceArray<T> {
    fn numbers(&self, operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
        Ok((self.shape().to_vec(), downloaded(operation, &self.raw)?))
    }
}
impl<F: IntoFloat> Numbers for [F] {
    fn numbers(&self, _operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
        Ok((vec![self.len()], self.iter().map(|number| number.into_float()).collect()))
    }
}
impl<F: IntoFloat> Numbers for Vec<F> {
    fn numbers(&self, operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
        self[..].numbers(operation)
    }
}
impl<F: IntoFloat, const N: usize> Numbers for [F; N] {
    fn numbers(&self, operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
        self[..].numbers(operation)
    }
}
impl<F: IntoFloat, const N: usize> Numbers for [[F; 6]; N] {
    fn numbers(&self, _operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
        Ok((vec![N, 6], self.as_flattened().iter().map(|number| number.into_float()).collect()))
    }
}
impl<C: Numbers + ?Sized> Numbers for &C {
    fn numbers(&self, operation: &'static str) -> Result<(Vec<usize>, Vec<f64>)> {
        (**self).numbers(operation)
    }
}
impl<C: Numbers + ?Sized> Coefficients for C {}

impl Points for usize {
    fn points(&self, _operation: &'static str) -> Result<At> {
        Ok(At::Count(*self))
    }
}
impl<C: Numbers + ?Sized> Points for &C {
    fn points(&self, operation: &'static str) -> Result<At> {
        Ok(At::Values((**self).numbers(operation)?.1))
    }
}
impl<P: Points> Frequencies for P {}

impl<A: IntoFloat, B: IntoFloat> Edges for (A, B) {
    fn edges(&self) -> Vec<f64> {
        vec![self.0.into_float(), self.1.into_float()]
    }
}
impl<F: IntoFloat, const N: usize> Edges for [F; N] {
    fn edges(&self) -> Vec<f64> {
        self.map(F::into_float).to_vec()
    }
}
impl<F: IntoFloat> Edges for Vec<F> {
    fn edges(&self) -> Vec<f64> {
        self.iter().map(|edge| edge.into_float()).collect()
    }
}
impl<E: Edges + ?Sized> Edges for &E {
    fn edges(&self) -> Vec<f64> {
        (**self).edges()
    }
}
impl<E: Edges> Band for E {}

impl Passing for bool {
    fn passes(&self, _operation: &'static str) -> Result<Passes> {
        Ok(Passes::Zero(*self))
    }
}
impl Passing for &str {
    fn passes(&self, operation: &'static str) -> Result<Passes> {
        const WORDS: [&str; 4] = ["lowpass", "highpass", "bandpass", "bandstop"];
        match WORDS.iter().find(|word| *word == self) {
            Some(word) => Ok(Passes::Word(word)),
            None => {
                Err(Error::argument(operation, format!("`pass_zero` is {self:?}; give a bool or one of {WORDS:?}")))
            }
        }
    }
}
impl<P: Passing> PassZero for P {}

/// The coefficients of a polynomial: a 1-D array with an element.
pub(super) fn polynomial(operation: &'static str, name: &str, of: &dyn Numbers) -> Result<Vec<f64>> {
    let (shape, numbers) = of.numbers(operation)?;
    if shape.len() > 1 || numbers.is_empty() {
        let reason = format!("`{name}` is not 1-D with elements; give the coefficients of a polynomial");
        return Err(Error::shape(operation, shape, reason));
    }
    Ok(numbers)
}

/// Second-order sections: a matrix of 6 columns, of which the fourth is 1.
pub(super) fn sections(operation: &'static str, of: &dyn Numbers) -> Result<Vec<[f64; 6]>> {
    let (shape, numbers) = of.numbers(operation)?;
    if !matches!(shape[..], [1..=usize::MAX, 6]) {
        return Err(Error::shape(
            operation,
            shape,
            "is not that of second-order sections; give a matrix with 6 columns",
        ));
    }
    let sections: Vec<[f64; 6]> = numbers.chunks(6).map(|row| row.try_into().expect("6 numbers")).collect();
    if let Some(row) = sections.iter().position(|section| section[3] != 1.0) {
        let reason = format!("`sos[{row}, 3]` is {}, and must be 1", sections[row][3]);
        return Err(Error::argument(operation, reason));
    }
    Ok(sections)
}
