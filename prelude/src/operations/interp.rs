//! Linear interpolation.

use crate::array::{DeviceArray, OnDevice, RawArray, assign, join, slice_axis};
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{Element, Float, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::composing::Composed;
use crate::operations::elementwise::{Operand, RawOperand};
use crate::operations::indexing::parts;
use crate::operations::selection::choose;
use crate::operations::sorting::sorted_rows;
use num_complex::Complex;

const NAME: &str = "interp";

/// The values at `x` of the function that is linear between the points `(xp, fp)`; before the first point and behind the last
/// one it is constant. NumPy's `interp`; `gpu::interp!(&x, &xp, &fp, left = 0.0, right = 0.0)` has its keywords. `xp` is 1-D and
/// ascending, `x` is an array of any shape, or a number. Of complex values it is [`interp_complex`].
///
/// **Panics** if `xp` and `fp` are not 1-D and of one length, or empty ([`Error::InvalidShape`]), or if a device differs.
///
/// ```
/// use warpcell as gpu;
/// let (xp, fp) = (gpu::array(&[1.0, 2.0, 4.0]), gpu::array(&[3.0, 2.0, 0.0]));
/// assert_eq!(gpu::interp(&gpu::array(&[0.0, 1.5, 3.0, 9.0]), &xp, &fp).tolist(), [3.0, 2.5, 1.0, 0.0]);
/// ```
#[track_caller]
pub fn interp<P, F, T>(x: impl Operand<T>, xp: &P, fp: &F) -> DeviceArray<T>
where
    P: OnDevice<Elem = T>,
    F: OnDevice<Elem = T>,
    T: Float,
{
    DeviceArray::from_raw(check(interpolated(x.raw_operand(), xp.raw(), fp.raw(), Outside::default())))
}

/// As [`interp`], where the values `fp` are complex numbers of the precision of `xp` and `x`. NumPy's `interp` takes both; here they are two
/// functions, so that the type of numbers in a call of `interp` follows from them.
///
/// **Panics** as [`interp`] does.
///
/// ```
/// use warpcell::{self as gpu, Complex};
/// let (xp, fp) = (gpu::array(&[0.0, 2.0]), gpu::array(&[Complex::new(0.0, 4.0), Complex::new(2.0, 0.0)]));
/// assert_eq!(gpu::interp_complex(0.5, &xp, &fp).item(), Complex::new(0.5, 3.0));
/// ```
#[track_caller]
pub fn interp_complex<P, F, R>(x: impl Operand<R>, xp: &P, fp: &F) -> DeviceArray<Complex<R>>
where
    P: OnDevice<Elem = R>,
    F: OnDevice<Elem = Complex<R>>,
    R: Float,
    Complex<R>: Element,
{
    DeviceArray::from_raw(check(interpolated(x.raw_operand(), xp.raw(), fp.raw(), Outside::default())))
}

/// What there is outside of the points.
#[derive(Default)]
pub(crate) struct Outside {
    /// Before the first one.
    pub left: Option<Scalar>,
    /// Behind the last one.
    pub right: Option<Scalar>,
    /// After this distance the points come again.
    pub period: Option<f64>,
}

/// `interp` with its keywords.
pub(crate) fn interpolated(x: RawOperand<'_>, xp: &RawArray, fp: &RawArray, outside: Outside) -> Result<RawArray> {
    let one;
    let x = match x {
        RawOperand::Array(x) => x,
        RawOperand::Scalar(value) => {
            one = RawArray::filled(NAME, &xp.handle, &[], value)?;
            &one
        }
    };
    fitting(x, xp, fp)?;
    let calc = Composed(NAME);
    if let Some(period) = outside.period {
        if !(period != 0.0 && period.is_finite()) {
            return Err(Error::argument(NAME, format!("the period is {period}; give a finite number that is not 0")));
        }
        let within = |x: &RawArray| calc.with(BinaryOperation::Modulo, x, period.abs());
        let places = within(xp)?;
        let order = sorted_rows(NAME, &places, true)?;
        let [places, values] = [&places, fp].map(|array| parts(NAME, array, 0, &order));
        let (places, values) = (places?, values?);
        // The last point stands before the first one, too, and the first one behind the last one.
        let last = xp.size() - 1;
        let end = |array: &RawArray, at: usize| slice_axis(array, 0, at, 1, 1);
        let shifted = |at: usize, by: f64| calc.with(BinaryOperation::Add, &end(&places, at), by);
        let places = join(NAME, &[shifted(last, -period.abs())?, places.clone(), shifted(0, period.abs())?], 0)?;
        let values = join(NAME, &[end(&values, last), values.clone(), end(&values, 0)], 0)?;
        return between(&within(x)?, &places, &values);
    }
    let mut found = between(x, xp, fp)?;
    let ends = [(outside.left, BinaryOperation::Less, 0), (outside.right, BinaryOperation::Greater, xp.size() - 1)];
    for (value, comparison, at) in ends {
        let Some(value) = value else { continue };
        let end = line(&slice_axis(xp, 0, at, 1, 1));
        found = choose(&calc.pair(comparison, x, &end)?, value, &found)?;
    }
    Ok(found)
}

/// An array of one element without axes.
fn line(one: &RawArray) -> RawArray {
    one.with_layout(Layout { offset: one.layout.offset, ..Layout::contiguous(&[]) })
}

fn fitting(x: &RawArray, xp: &RawArray, fp: &RawArray) -> Result<()> {
    x.same_device(NAME, fp)?;
    if xp.shape() != fp.shape() || fp.shape().len() != 1 || fp.size() == 0 {
        let reason = format!(
            "of `fp` does not fit that of `xp`, {:?}; give two 1-D arrays of one length, with a point at least",
            xp.shape()
        );
        return Err(Error::shape(NAME, fp.shape(), reason));
    }
    xp.same_device(NAME, fp)
}

fn between(x: &RawArray, xp: &RawArray, fp: &RawArray) -> Result<RawArray> {
    if fp.dtype.is_complex() {
        return RawArray::written(NAME, &x.handle, x.shape(), fp.dtype, |out| {
            [false, true].iter().try_for_each(|&is_imaginary| {
                assign(NAME, &out.part(is_imaginary), &between(x, xp, &fp.part(is_imaginary))?)
            })
        });
    }
    RawArray::written(NAME, &x.handle, x.shape(), x.dtype, |out| {
        let [x, places, values] = [x, xp, fp].map(|array| array.contiguous(NAME));
        out.handle.backend.interpolate(x?.view(), places?.view(), values?.view(), out.view())
    })
}
