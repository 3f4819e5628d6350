//! Arrays of complex numbers: their parts as real numbers, and conversions.

use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Float, Inexact, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{binary, unary};
use crate::operations::reduce::reduce_all;
use crate::thin::thin;
use num_complex::Complex;

impl<R: Float> DeviceArray<Complex<R>>
where
    Complex<R>: Inexact<Part = R>,
{
    /// The real parts; a view: what is written to it is written to this array.
    ///
    /// ```
    /// use warpcell::{Complex, array};
    /// let z = array(&[Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]);
    /// z.real().fill(5.0);
    /// assert_eq!(z.get(&[1]), Complex::new(5.0, 4.0));
    /// ```
    pub fn real(&self) -> DeviceArray<R> {
        DeviceArray::from_raw(self.raw.part(false))
    }

    /// The imaginary parts; a view: what is written to it is written to this array.
    ///
    /// ```
    /// use warpcell::{Complex, array};
    /// assert_eq!(array(&[Complex::new(1.0f32, 2.0)]).imag().item(), 2.0);
    /// ```
    pub fn imag(&self) -> DeviceArray<R> {
        DeviceArray::from_raw(self.raw.part(true))
    }

    thin! {
        /// The complex conjugates: imaginary parts with the opposite sign.
        ///
        /// ```
        /// use warpcell::{Complex, array};
        /// assert_eq!(array(&[Complex::new(1.0, 2.0)]).conj().item(), Complex::new(1.0, -2.0));
        /// ```
        pub fn conj(&self) -> DeviceArray<Complex<R>> => unary("conj", UnaryOperation::Conjugate, &self.raw);

        /// The angles to the positive real axis, −π to π.
        ///
        /// ```
        /// use warpcell::{Complex, array};
        /// assert_eq!(array(&[Complex::new(0.0, 3.0)]).angle().item(), std::f64::consts::FRAC_PI_2);
        /// ```
        pub fn angle(&self) -> DeviceArray<R> => unary("angle", UnaryOperation::Angle, &self.raw);
    }
}

/// The real parts of complex numbers, if all imaginary parts are close to 0; else `None`. NumPy's `real_if_close`, which
/// gives the complex numbers then. The real parts are a view. Waits for the comparison.
///
/// Close is less than 100 times the type's epsilon. `gpu::real_if_close!(&z, tol = 1000.0)` gives another factor, or with
/// a `tol` of at most 1 the bound itself. NaN is not close.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[1.0, 2.0, 4.0]);
/// let again = gpu::real_if_close(&gpu::fft::ifft(&gpu::fft::fft(&a))).expect("real numbers");
/// assert!(gpu::allclose(&again, &a));
/// assert!(gpu::real_if_close(&gpu::array(&[gpu::Complex::new(1.0, 1e-9)])).is_none());
/// ```
#[track_caller]
pub fn real_if_close<A: OnDevice<Elem = Complex<R>>, R: Float>(a: &A) -> Option<DeviceArray<R>>
where
    Complex<R>: Inexact<Part = R>,
{
    check(reals_if_close(a.raw(), 100.0)).map(DeviceArray::from_raw)
}

/// `real_if_close` with its tolerance.
pub(crate) fn reals_if_close(z: &RawArray, tol: f64) -> Result<Option<RawArray>> {
    const NAME: &str = "real_if_close";
    let imaginary = unary(NAME, UnaryOperation::Abs, &z.part(true))?;
    let epsilon = if imaginary.dtype == DType::F32 { f32::EPSILON.into() } else { f64::EPSILON };
    let bound = Scalar::of_float(if tol > 1.0 { tol * epsilon } else { tol }, imaginary.dtype);
    let is_close = binary(NAME, BinaryOperation::Less, &imaginary, bound)?;
    let are_close = reduce_all(NAME, ReduceOperation::All, &is_close)? == Scalar::Bool(true);
    Ok(are_close.then(|| z.part(false)))
}

impl RawArray {
    /// Complex numbers as real ones, with one more axis, the last, for the two parts; a view.
    pub(crate) fn parts(&self) -> RawArray {
        RawArray { dtype: self.dtype.part(), ..self.with_layout(self.layout.parts()) }
    }

    /// One of the parts of complex numbers; a view.
    pub(crate) fn part(&self, is_imaginary: bool) -> RawArray {
        let Layout { mut shape, mut strides, offset } = self.layout.parts();
        shape.pop();
        strides.pop();
        let offset = offset + usize::from(is_imaginary && self.size() > 0);
        RawArray { dtype: self.dtype.part(), ..self.with_layout(Layout { shape, strides, offset }) }
    }

    /// The opposite of [`parts`](Self::parts), of a new array; `dtype` is that of the complex numbers.
    pub(crate) fn joined(&self, dtype: DType) -> RawArray {
        debug_assert!(self.layout.is_contiguous() && self.layout.offset == 0 && self.shape().last() == Some(&2));
        let shape = &self.shape()[..self.shape().len() - 1];
        RawArray { dtype, ..self.with_layout(Layout::contiguous(shape)) }
    }
}

/// Conversions between complex numbers and others, between both precisions, and to bool.
pub(super) fn converted(operation: &'static str, raw: &RawArray, dtype: DType) -> Result<RawArray> {
    match (raw.dtype.is_complex(), dtype.is_complex()) {
        (true, true) => RawArray::written(operation, &raw.handle, raw.shape(), dtype, |out| {
            raw.handle.backend.copy(raw.parts().view(), out.parts().view())
        }),
        (false, true) => RawArray::written(operation, &raw.handle, raw.shape(), dtype, |out| {
            raw.handle.backend.copy(raw.view(), out.view())
        }),
        _ if dtype == DType::Bool => either(operation, ReduceOperation::Any, &raw.parts().converted(operation, dtype)?),
        _ => {
            let advice =
                "convert complex numbers to real numbers with `a.real()`, `a.imag()`, `a.abs()` or `a.angle()`";
            Err(Error::dtype(operation, raw.dtype, advice))
        }
    }
}

/// Reduces the last axis of bools.
fn either(operation: &'static str, reduction: ReduceOperation, bools: &RawArray) -> Result<RawArray> {
    let last = bools.shape().len() - 1;
    RawArray::written(operation, &bools.handle, &bools.shape()[..last], DType::Bool, |out| {
        bools.handle.backend.reduce(reduction, bools.view(), &[last], out.view())
    })
}
