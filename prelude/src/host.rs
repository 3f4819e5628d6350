//! The same functions on host arrays: `ndarray` arrays in and out, computed by the code of the CPU backend.
//!
//! What `ndarray` itself offers (`mapv`, `sum`, `diag`, arithmetic) is used as it is. Results are written into their vectors
//! directly. Linear algebra takes arrays of the CPU backend instead, since it takes longer than the copies. Other functions would
//! be slower by them: of 256 × 256 elements a sort by a tenth, a product by a third, a convolution takes 2.6 times as long, and
//! stacked arrays three times; of 4096 × 4096 elements a sort is slower by 6 % and stacked arrays by half and more.

use crate::array::axes::axis_of;
use crate::array::sides::{HostView, sealed::Host};
use crate::array::{IntoRange, OnHost, arange_length, bad_range, byte_count};
use crate::backend::{Padding, cpu};
use crate::dtype::{Element, Float, Number, Real};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::convolve::{Boundary, Mode, Plan1, Plan2, Sum, padding};
use ndarray::{Array, Array1, Array2, ArrayBase, Data, Dimension, IntoDimension, Ix1, Ix2};

mod joining;
pub mod linalg;
pub(crate) mod mapping;
pub(crate) mod memory;
mod products;
pub mod random;
pub(crate) mod sparse;

pub use crate::files::host::{describe, load, save, try_load, try_save};
pub use crate::files::npz::{load_npz, savez, savez_compressed, try_load_npz, try_savez, try_savez_compressed};
pub use crate::files::picture::host::{imread, try_imread};
pub use crate::files::picture::{imsave, try_imsave};
pub use crate::files::text::host::{
    genfromtxt_with, loadtxt, loadtxt_with, try_genfromtxt_with, try_loadtxt, try_loadtxt_with,
};
pub use crate::files::text::{savetxt, savetxt_with, try_savetxt, try_savetxt_with};
pub use crate::operations::allclose::{allclose, allclose_with};
pub use crate::operations::convolve::{convolve, try_convolve};
pub use crate::operations::correlate::{correlate, correlate2d, correlate2d_with, try_correlate};
pub use crate::operations::fftconvolve::{
    choose_conv_method, convolve_with, fftconvolve, try_convolve_with, try_fftconvolve,
};
pub use crate::operations::map::host::{map, try_map};
pub use joining::{concatenate, reshape, stack};
pub use products::{dot, matmul};

/// Zeros: `gpu::host::zeros::<f64, _>((16, 16))` is an `Array2<f64>`.
///
/// ```
/// let mut a = warpcell::host::zeros::<f64, _>((2, 3));
/// a[[1, 2]] = 1.0;
/// ```
pub fn zeros<T: Element, S: IntoDimension>(shape: S) -> Array<T, S::Dim> {
    full(shape, T::default())
}

/// Ones.
///
/// ```
/// assert_eq!(warpcell::host::ones::<f64, _>(3), ndarray::array![1.0, 1.0, 1.0]);
/// ```
pub fn ones<T: Float, S: IntoDimension>(shape: S) -> Array<T, S::Dim> {
    full(shape, T::from_f64(1.0))
}

/// An array with every element `value`.
///
/// ```
/// assert_eq!(warpcell::host::full((1, 2), 7), ndarray::array![[7, 7]]);
/// ```
pub fn full<T: Element, S: IntoDimension>(shape: S, value: T) -> Array<T, S::Dim> {
    Array::from_elem(shape.into_dimension(), value)
}

/// `start`, `start + step`, … up to but without `stop`, from `stop`, `start..stop` or `(start, stop, step)`; NumPy's
/// `arange`.
///
/// **Panics** if `step` is zero or not finite.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::host::arange(3), ndarray::array![0, 1, 2]);
/// assert_eq!(gpu::host::arange((0, 10, 3)), ndarray::array![0, 3, 6, 9]);
/// ```
#[track_caller]
pub fn arange<T: Number>(range: impl IntoRange<T>) -> Array1<T> {
    let (start, stop, step) = range.into_range();
    check(range_values(start, stop, step)).into()
}

/// `count` evenly spaced values from `start` to `stop`, both included.
///
/// ```
/// assert_eq!(warpcell::host::linspace(-2.0, 2.0, 5), ndarray::array![-2.0, -1.0, 0.0, 1.0, 2.0]);
/// ```
pub fn linspace<T: Float>(start: T, stop: T, count: usize) -> Array1<T> {
    linspace_values(start.to_f64(), stop.to_f64(), count).map(T::from_f64).collect()
}

/// The coordinates of a grid: `(x, y)` of shape `(y.len(), x.len())`, where `x` varies along the columns and `y`
/// along the rows (NumPy's `indexing="xy"`).
///
/// ```
/// let axis = warpcell::host::linspace(-2.0, 2.0, 15);
/// let (x, y) = warpcell::host::meshgrid(&axis, &axis);
/// assert_eq!((x[[0, 14]], y[[0, 14]]), (2.0, -2.0));
/// ```
pub fn meshgrid<T, R, S>(x: &ArrayBase<R, Ix1>, y: &ArrayBase<S, Ix1>) -> (Array2<T>, Array2<T>)
where
    T: Element,
    R: Data<Elem = T>,
    S: Data<Elem = T>,
{
    let shape = (y.len(), x.len());
    (Array2::from_shape_fn(shape, |(_, column)| x[column]), Array2::from_shape_fn(shape, |(row, _)| y[row]))
}

/// The array repeated along each axis as often as `repetitions` says.
///
/// **Panics** if `repetitions` has not one number per axis, or if the result is too large to address.
///
/// ```
/// let unit = ndarray::array![[1, 0], [0, 0]];
/// assert_eq!(warpcell::host::tile(&unit, (3, 2)).shape(), [6, 4]);
/// ```
#[track_caller]
pub fn tile<T, S, D, R>(a: &ArrayBase<S, D>, repetitions: R) -> Array<T, D>
where
    T: Element,
    S: Data<Elem = T>,
    D: Dimension,
    R: IntoDimension<Dim = D>,
{
    let repetitions = repetitions.into_dimension();
    let mut shape = a.raw_dim();
    let values = check(tile_values(&a.host_view(), repetitions.slice(), shape.slice_mut()));
    Array::from_shape_vec(shape, values).expect("as many elements as the shape has")
}

/// The identity matrix of order `n`.
///
/// ```
/// assert_eq!(warpcell::host::eye::<f64>(3).sum(), 3.0);
/// ```
pub fn eye<T: Float>(n: usize) -> Array2<T> {
    Array2::from_shape_fn((n, n), |(row, column)| T::from_f64(if row == column { 1.0 } else { 0.0 }))
}

/// The elements in row-major order along one axis, copied.
///
/// ```
/// assert_eq!(warpcell::host::ravel(&ndarray::array![[1, 2], [3, 4]]), ndarray::array![1, 2, 3, 4]);
/// ```
#[track_caller]
pub fn ravel<T: Element, S: Data<Elem = T>, D: Dimension>(a: &ArrayBase<S, D>) -> Array1<T> {
    check(tile_values(&a.host_view(), &vec![1; a.ndim()], &mut a.shape().to_vec())).into()
}

/// The elements `[i, i]`, copied.
///
/// ```
/// assert_eq!(warpcell::host::diagonal(&ndarray::array![[1, 2], [3, 4]]), ndarray::array![1, 4]);
/// ```
pub fn diagonal<T: Element, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> Array1<T> {
    a.diag().to_owned()
}

/// A new array with the elements in ascending order along the last axis, NaN last; NumPy's `sort`.
///
/// As [`gpu::sort`](fn@crate::sort), but for host arrays and always on the CPU.
///
/// **Panics** if the array has no axis.
///
/// ```
/// assert_eq!(warpcell::host::sort(&ndarray::array![[3, 1, 2], [0, -1, 5]]), ndarray::array![[1, 2, 3], [-1, 0, 5]]);
/// ```
#[track_caller]
pub fn sort<T: Real, S: Data<Elem = T>, D: Dimension>(a: &ArrayBase<S, D>) -> Array<T, D> {
    let values = check(sorted_values(&a.host_view()));
    Array::from_shape_vec(a.raw_dim(), values).expect("as many elements as the shape has")
}

/// The 2-D convolution of host arrays, with zeros outside the image; SciPy's `signal.convolve2d`.
///
/// As [`gpu::convolve2d`](fn@crate::convolve2d), but for host arrays and always on the CPU.
///
/// **Panics** if an argument is not 2-D or is empty, if in `Mode::Valid` neither is as large as the other along both
/// axes, and for arrays of bool and of types for storage.
///
/// ```
/// use warpcell::prelude::*;
/// let image = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// let kernel = ndarray::array![[1.0, 1.0]];
/// let out = warpcell::host::convolve2d(&image, &kernel, Mode::Full);
/// assert_eq!(out, ndarray::array![[1.0, 3.0, 2.0], [3.0, 7.0, 4.0]]);
/// ```
#[track_caller]
pub fn convolve2d<A, K, T>(image: &A, kernel: &K, mode: Mode) -> Array2<T>
where
    A: OnHost<Elem = T>,
    K: OnHost<Elem = T>,
    T: Element,
{
    check(try_convolve2d_with(image, kernel, mode, Boundary::Fill(T::default())))
}

fallible! {
    /// As [`convolve2d`], with a choice of what lies outside the image.
    ///
    /// ```
    /// use warpcell::prelude::*;
    /// let image = ndarray::array![[1.0, 2.0, 3.0]];
    /// let kernel = ndarray::array![[1.0, 1.0, 1.0]];
    /// let out = warpcell::host::convolve2d_with(&image, &kernel, Mode::Same, Boundary::Symmetric);
    /// assert_eq!(out, ndarray::array![[4.0, 6.0, 8.0]]);
    /// ```
    pub fn convolve2d_with, try_convolve2d_with<A, K, T>(
        image: &A,
        kernel: &K,
        mode: Mode,
        boundary: Boundary<T>,
    ) -> Result<Array2<T>>
    where
        A: OnHost<Elem = T>,
        K: OnHost<Elem = T>,
        T: Element,
    {
        let (image, kernel) = (image.host_view(), kernel.host_view());
        let plan = Plan2::new("convolve2d", &image.shape, &kernel.shape, image.dtype, mode, Sum::Convolution)?;
        let (image, kernel) = if plan.swapped { (&kernel, &image) } else { (&image, &kernel) };
        let values = convolved("convolve2d", image, kernel, plan.origin, padding(boundary), &plan.shape)?;
        Ok(Array2::from_shape_vec(plan.shape, values).expect("as many elements as the shape has"))
    }
}

/// A vector for an array of this shape, written by `write`, which must write every element.
fn vec_of<T: Element>(operation: &'static str, shape: &[usize], write: impl FnOnce(*mut u8)) -> Result<Vec<T>> {
    let size = byte_count(operation, shape, T::DTYPE)? / size_of::<T>();
    let mut values = Vec::<T>::new();
    values.try_reserve_exact(size).map_err(|_| {
        let reason = format!("needs more memory for elements of {} than there is; use smaller arrays", T::DTYPE);
        Error::shape(operation, shape, reason)
    })?;
    memory::prefer_large_pages(values.as_mut_ptr().cast(), size * size_of::<T>());
    write(values.as_mut_ptr().cast());
    // SAFETY: `size` elements were reserved, and `write` wrote them.
    unsafe { values.set_len(size) };
    Ok(values)
}

/// The elements of a repeated array; `shape` becomes the result's.
fn tile_values<T: Element>(host: &HostView<'_>, repetitions: &[usize], shape: &mut [usize]) -> Result<Vec<T>> {
    if repetitions.len() != host.shape.len() {
        let reason =
            format!("has {} axes, but the repetitions are {repetitions:?}; give one per axis", host.shape.len());
        return Err(Error::shape("tile", host.shape.clone(), reason));
    }
    for (length, &count) in shape.iter_mut().zip(repetitions) {
        // What saturates here is too large to address, which `vec_of` reports.
        *length = length.saturating_mul(count);
    }
    vec_of("tile", shape, |out| {
        // SAFETY: `out` has room for the elements of `shape`.
        unsafe { cpu::copy::tile(host, repetitions, out) }
    })
}

fn sorted_values<T: Element>(host: &HostView<'_>) -> Result<Vec<T>> {
    let length = host.shape[axis_of("sort", &host.shape, -1)?];
    let rows = host.shape.iter().product::<usize>() / length.max(1);
    let mut sorted = Ok(());
    let values = vec_of("sort", &host.shape, |out| {
        let packed = Packed::new(host);
        // SAFETY: the view's elements are borrowed and contiguous; `out` has room for as many.
        sorted = unsafe { cpu::sort::sort(host.dtype, packed.pointer(), out, (rows, length), None) };
    })?;
    sorted.map(|()| values)
}

/// The 1-D convolution or correlation of host arrays.
pub(crate) fn slide_views<T: Number>(a: &HostView<'_>, v: &HostView<'_>, mode: Mode, sum: Sum) -> Result<Vec<T>> {
    let plan = Plan1::new(&a.shape, &v.shape, a.dtype, mode, sum)?;
    let turned;
    let v = if sum == Sum::Correlation {
        turned = v.reversed();
        &turned
    } else {
        v
    };
    let (a, v) = if plan.swapped { (v, a) } else { (a, v) };
    let padding = Padding::Fill(T::default().to_scalar());
    convolved(sum.name(), a, v, (0, plan.origin), padding, &[plan.length])
}

/// The part of a convolution of an image and a kernel from `origin` on; 1-D arrays are images of one row.
fn convolved<T: Element>(
    operation: &'static str,
    image: &HostView<'_>,
    kernel: &HostView<'_>,
    origin: (usize, usize),
    padding: Padding,
    shape: &[usize],
) -> Result<Vec<T>> {
    let plane = |shape: &[usize]| if let [rows, columns] = *shape { [rows, columns] } else { [1, shape[0]] };
    vec_of(operation, shape, |out| {
        let (packed, packed_kernel) = (Packed::new(image), Packed::new(kernel));
        let job = cpu::convolve::Job {
            image: packed.pointer(),
            image_shape: plane(&image.shape),
            filter: packed_kernel.pointer(),
            filter_shape: plane(&kernel.shape),
            origin,
            padding,
            out,
            out_shape: plane(shape),
        };
        // SAFETY: the views' elements are borrowed and contiguous; `out` has room for its shape.
        unsafe { cpu::convolve::convolve2d(image.dtype, &job) };
    })
}

/// A host array's elements in row-major order: the array's own if they are, else a copy.
struct Packed<'a> {
    host: &'a HostView<'a>,
    copy: Option<Vec<u64>>,
}

impl<'a> Packed<'a> {
    fn new(host: &'a HostView<'a>) -> Self {
        Packed { host, copy: cpu::copy::packed(host) }
    }

    fn pointer(&self) -> *const u8 {
        self.copy.as_ref().map_or(self.host.pointer, |copy| copy.as_ptr().cast())
    }
}

fn range_values<T: Number>(start: T, stop: T, step: T) -> Result<Vec<T>> {
    let (start, stop, step) = (start.to_scalar(), stop.to_scalar(), step.to_scalar());
    let length = arange_length(start, stop, step).ok_or_else(|| bad_range(start, stop, step))?;
    vec_of("arange", &[length], |out| {
        // SAFETY: `out` has room for `length` elements of the scalars' dtype.
        unsafe { cpu::elementwise::arange(start, step, T::DTYPE, out, 1, length) }
    })
}

/// Evenly spaced values, both ends included and exact; NumPy's formula.
pub(crate) fn linspace_values(start: f64, stop: f64, count: usize) -> impl Iterator<Item = f64> {
    let step = (stop - start) / count.saturating_sub(1).max(1) as f64;
    (0..count).map(move |index| if index + 1 == count && count > 1 { stop } else { start + index as f64 * step })
}
