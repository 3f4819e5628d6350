//! From coefficients to roots, and back.

use super::{at, length_of, nonzero_place};
use crate::array::sides::AnyView;
use crate::array::triangles::diagonal_view;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, slice_axis, transfer};
use crate::backend::{BinaryOperation, Layout, UnaryOperation};
use crate::device;
use crate::dtype::{Arithmetic, DType, Element, Scalar, Spectrum};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::linalg::spectra::eig_of;
use crate::operations::composing::Composed;

fallible! {
    /// The roots of the polynomial with these coefficients, that of the highest power first: complex numbers, as many as the degree, without
    /// a certain order. NumPy's `roots`. [`poly`](super::poly()) is the opposite.
    ///
    /// Zeros in front do not count; each zero at the end is a root 0. The others are the eigenvalues of the companion matrix; see
    /// [`eigvals`](crate::linalg::eigvals()). It waits for the device, and is computed on the host. `Complex<f32>` for `f32`, else
    /// `Complex<f64>`.
    ///
    /// **Panics** if the array is not 1-D ([`Error::InvalidShape`]), if a coefficient is NaN or infinite, or so small in front that its
    /// ratio to others is not finite ([`Error::NotFinite`]), or if the iteration does not converge ([`Error::NoConvergence`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// // x² − 3x + 2 is (x − 1)(x − 2).
    /// let roots = gpu::roots(&gpu::array(&[1.0, -3.0, 2.0]));
    /// assert!(gpu::allclose(&gpu::sort(&roots.real()), &[1.0, 2.0]));
    /// ```
    pub fn roots, try_roots<A: OnDevice<Elem = T>, T: Arithmetic>(p: &A) -> Result<DeviceArray<Spectrum<T>>> {
        roots_of("roots", p.raw(), Spectrum::<T>::DTYPE).map(DeviceArray::from_raw)
    }
}

/// The roots, as complex numbers of `dtype`.
pub(crate) fn roots_of(name: &'static str, p: &RawArray, dtype: DType) -> Result<RawArray> {
    let calc = Composed(name);
    let count = length_of(name, p)?;
    p.handle.may_wait(name)?;
    let p_on_host = transfer::bring(name, &AnyView::Device(p), &device::host())?;
    let p_on_host = p_on_host.converted(name, if p.dtype.is_complex() { dtype } else { dtype.part() })?;
    let host = &p_on_host.handle;
    let ends = (nonzero_place(name, &p_on_host, false)?, nonzero_place(name, &p_on_host, true)?);
    let (Some(first), Some(last)) = ends else {
        return RawArray::uninitialised(name, &p.handle, &[0], dtype);
    };
    let order = last - first;
    let out = RawArray::filled(name, host, &[count - 1 - first], Scalar::zero(dtype))?;
    if order > 0 {
        let companion = RawArray::filled(name, host, &[order, order], Scalar::zero(p_on_host.dtype))?;
        let below = diagonal_view(&companion, -1);
        if below.size() > 0 {
            host.backend.fill(Scalar::one(p_on_host.dtype), below.view())?;
        }
        let others = slice_axis(&p_on_host, 0, first + 1, 1, order);
        let ratios = calc.pair(BinaryOperation::Divide, &others, &at(&p_on_host, first))?;
        let row = companion.with_layout(Layout { shape: vec![order], strides: vec![1], offset: 0 });
        assign(name, &row, &calc.each(UnaryOperation::Negative, &ratios)?)?;
        assign(name, &slice_axis(&out, 0, 0, 1, order), &eig_of(name, &companion, false)?.0)?;
    }
    transfer::bring(name, &AnyView::Device(&out), &p.handle)
}

/// The coefficients of the polynomial with these roots, or with the eigenvalues of a matrix.
pub(super) fn coefficients(roots: &RawArray) -> Result<RawArray> {
    const NAME: &str = "poly";
    match *roots.shape() {
        [_] => from_roots(NAME, roots),
        [rows, columns] if rows == columns && rows > 0 => {
            let found = from_roots(NAME, &eig_of(NAME, roots, false)?.0)?;
            // Eigenvalues of a real matrix come in conjugate pairs.
            if roots.dtype.is_complex() { Ok(found) } else { found.part(false).copied(NAME) }
        }
        _ => {
            let reason =
                "is neither that of a 1-D array of roots nor that of a square matrix with elements; give one of these";
            Err(Error::shape(NAME, roots.shape(), reason))
        }
    }
}

fn from_roots(name: &'static str, roots: &RawArray) -> Result<RawArray> {
    let calc = Composed(name);
    let count = length_of(name, roots)?;
    let out = RawArray::filled(name, &roots.handle, &[count.saturating_add(1)], Scalar::zero(roots.dtype))?;
    let first = slice_axis(&out, 0, 0, 1, 1);
    first.handle.backend.fill(Scalar::one(roots.dtype), first.view())?;
    for place in 0..count {
        // Each coefficient less that of the next higher power times the root.
        let before = calc.pair(BinaryOperation::Multiply, &slice_axis(&out, 0, 0, 1, place + 1), &at(roots, place))?;
        calc.pair_into(BinaryOperation::Subtract, &slice_axis(&out, 0, 1, 1, place + 1), &before)?;
    }
    Ok(out)
}
