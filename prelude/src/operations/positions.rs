//! Indices of diagonals and triangles, and indices that broadcast to a grid.

use crate::array::grids::{numbers, on_axis};
use crate::array::indices::RawIndices;
use crate::array::sides::sealed::Host;
use crate::array::{DeviceArray, IntoIndices, OnDevice, RawArray, byte_count, transfer};
use crate::backend::{BinaryOperation, Layout};
use crate::device::{self, Handle};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::operations::elementwise::binary_into;
use crate::operations::insertion::repeated_each;
use crate::thin::thin;

thin! {
    /// The indices of the main diagonal of a matrix of order `n`: one array for the rows, one for the columns. NumPy's
    /// `diag_indices`; of an array with three axes `gpu::diag_indices!(n, ndim = 3)`. The arrays share their elements.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let mut a = gpu::zeros::<f64>((3, 3));
    /// a.put(&gpu::ravel_multi_index(&gpu::diag_indices(3), (3, 3)), 1.0);
    /// assert_eq!(a.sum(), 3.0);
    /// ```
    pub fn diag_indices(n: usize) -> Vec<DeviceArray<i64>> => diagonal("diag_indices", n, 2);

    /// The indices of the main diagonal of an array, one array for each axis. NumPy's `diag_indices_from`.
    ///
    /// **Panics** if the array has less than two axes, or axes of different lengths ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let places = gpu::diag_indices_from(&gpu::zeros::<f64>((2, 2, 2)));
    /// assert_eq!((places.len(), places[2].tolist()), (3, vec![0, 1]));
    /// ```
    pub fn diag_indices_from<A: OnDevice>(arr: &A) -> Vec<DeviceArray<i64>> => diagonal_of(arr.raw());

    /// The indices of the elements on the main diagonal of a matrix of order `n` and below it: their rows and their columns, in
    /// row-major order. NumPy's `tril_indices`; `gpu::tril_indices!(n, k = -1, m = 4)` has its keywords. Waits.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let places = gpu::tril_indices(2);
    /// assert_eq!((places[0].tolist(), places[1].tolist()), (vec![0, 1, 1], vec![0, 0, 1]));
    /// ```
    pub fn tril_indices(n: usize) -> Vec<DeviceArray<i64>> => triangle("tril_indices", [n, n], 0, false);

    /// The indices of the elements on the main diagonal of a matrix of order `n` and above it: their rows and their columns, in
    /// row-major order. NumPy's `triu_indices`; `gpu::triu_indices!(n, k = 1, m = 4)` has its keywords. Waits.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let places = gpu::triu_indices(2);
    /// assert_eq!((places[0].tolist(), places[1].tolist()), (vec![0, 0, 1], vec![0, 1, 1]));
    /// ```
    pub fn triu_indices(n: usize) -> Vec<DeviceArray<i64>> => triangle("triu_indices", [n, n], 0, true);

    /// The indices of the elements on the main diagonal of a matrix and below it, as [`tril_indices`] gives them for its shape.
    /// NumPy's `tril_indices_from`; another diagonal is `gpu::tril_indices_from!(&a, k = -1)`. Waits.
    ///
    /// **Panics** if the array is not 2-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::tril_indices_from(&gpu::zeros::<f64>((2, 3)))[1].tolist(), [0, 0, 1]);
    /// ```
    pub fn tril_indices_from<A: OnDevice>(arr: &A) -> Vec<DeviceArray<i64>> =>
        triangle_of("tril_indices_from", arr.raw(), 0, false);

    /// The indices of the elements on the main diagonal of a matrix and above it, as [`triu_indices`] gives them for its shape.
    /// NumPy's `triu_indices_from`; another diagonal is `gpu::triu_indices_from!(&a, k = 1)`. Waits.
    ///
    /// **Panics** if the array is not 2-D ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::triu_indices_from(&gpu::zeros::<f64>((2, 3)))[1].tolist(), [0, 1, 2, 1, 2]);
    /// ```
    pub fn triu_indices_from<A: OnDevice>(arr: &A) -> Vec<DeviceArray<i64>> =>
        triangle_of("triu_indices_from", arr.raw(), 0, true);
}

/// The indices of what a function such as [`triu`](fn@crate::triu) leaves of a matrix of ones of order `n`: of the elements that
/// are not zero, one array for each axis. NumPy's `mask_indices`; its `k` is written into the function. Waits.
///
/// **Panics** if the function gives an array without axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::mask_indices(2, gpu::tril)[1].tolist(), [0, 0, 1]);
/// assert_eq!(gpu::mask_indices(2, |m| gpu::triu!(m, k = 1))[1].tolist(), [1]);
/// ```
#[track_caller]
pub fn mask_indices<R: Element>(
    n: usize,
    mask_func: impl FnOnce(&DeviceArray<i64>) -> DeviceArray<R>,
) -> Vec<DeviceArray<i64>> {
    mask_func(&crate::ones((n, n))).nonzero()
}

thin! {
    /// Arrays of indices that broadcast to a grid: each along an axis of its own, with axes of length 1 for the others. NumPy's
    /// `ix_`. With them, `a[np.ix_(rows, columns)]` is
    /// `a.take(&gpu::ravel_multi_index(&gpu::ix_([&rows, &columns]), a.shape()))`.
    ///
    /// The arguments are 1-D indices of one kind, such as device arrays, arrays or ranges. Of bools, give `mask.flatnonzero()`.
    ///
    /// **Panics** if an argument is not 1-D ([`Error::InvalidShape`]), or if device arrays are on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let places = gpu::ix_([[0, 2], [1, 3]]);
    /// assert_eq!((places[0].shape(), places[1].shape()), (&[2, 1][..], &[1, 2][..]));
    /// let a = gpu::arange(12).reshape((3, 4));
    /// assert_eq!(a.take(&gpu::ravel_multi_index(&places, a.shape())).ravel().tolist(), [1, 3, 9, 11]);
    /// ```
    pub fn ix_<I: IntoIndices>(args: impl IntoIterator<Item = I>) -> Vec<DeviceArray<i64>> =>
        open_grid(args.into_iter().map(I::raw_indices).collect());
}

/// `diag_indices` of an array with so many axes.
pub(crate) fn diagonal(name: &'static str, n: usize, rank: usize) -> Result<Vec<RawArray>> {
    Ok(vec![numbers(name, &device::current()?, n)?; rank])
}

fn diagonal_of(x: &RawArray) -> Result<Vec<RawArray>> {
    const NAME: &str = "diag_indices_from";
    let shape = x.shape();
    if shape.len() < 2 || shape.iter().any(|&length| length != shape[0]) {
        let reason = "has not at least two axes, all of one length; give a square array";
        return Err(Error::shape(NAME, shape, reason));
    }
    Ok(vec![numbers(NAME, &x.handle, shape[0])?; shape.len()])
}

/// The indices of a triangle, on the current device.
pub(crate) fn triangle(name: &'static str, shape: [usize; 2], k: isize, is_upper: bool) -> Result<Vec<RawArray>> {
    triangle_on(name, &device::current()?, shape, k, is_upper)
}

/// The indices of a triangle of a matrix, on its device.
pub(crate) fn triangle_of(name: &'static str, x: &RawArray, k: isize, is_upper: bool) -> Result<Vec<RawArray>> {
    let [rows, columns] = *x.shape() else {
        let reason = "is not 2-D; give a matrix";
        return Err(Error::shape(name, x.shape(), reason));
    };
    triangle_on(name, &x.handle, [rows, columns], k, is_upper)
}

/// The indices of a triangle: each row's number as often as it has elements, and how far each element is behind the row's first one.
fn triangle_on(
    name: &'static str,
    handle: &Handle,
    [rows, columns]: [usize; 2],
    k: isize,
    is_upper: bool,
) -> Result<Vec<RawArray>> {
    // The matrix need not fit in memory, but its number of elements is a number.
    byte_count(name, &[rows, columns], DType::I64)?;
    // There may not be enough memory for a number for each row. Reserved here, that is an error and not the end of the process.
    drop(RawArray::uninitialised(name, handle, &[rows], DType::I64)?);
    let (mut counts, mut shifts) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let mut before = 0;
    for row in 0..rows as isize {
        let diagonal = row.saturating_add(k).saturating_add(isize::from(!is_upper)).clamp(0, columns as isize);
        let (from, count) = if is_upper { (diagonal, columns as isize - diagonal) } else { (0, diagonal) };
        counts.push(count as i64);
        shifts.push((from - before) as i64);
        before += count;
    }
    let shifts = transfer::upload(name, &Host::host_view(&shifts), handle)?;
    let counts = transfer::upload(name, &Host::host_view(&counts), handle)?;
    let repeated = |x: &RawArray| repeated_each(x, RawIndices::Device(counts.clone()), 0);
    let (down, across) = (repeated(&numbers(name, handle, rows)?)?, repeated(&shifts)?);
    let places = numbers(name, handle, across.size())?;
    binary_into(name, BinaryOperation::Add, &across, &places)?;
    Ok(vec![down, across])
}

fn open_grid(arguments: Vec<RawIndices>) -> Result<Vec<RawArray>> {
    const NAME: &str = "ix_";
    let mut handle = None;
    for argument in &arguments {
        if let RawIndices::Device(raw) = argument {
            handle.get_or_insert(raw).same_device(NAME, raw)?;
        }
    }
    let handle = match handle {
        Some(raw) => raw.handle.clone(),
        None => device::current()?,
    };
    let rank = arguments.len();
    let mut grid = Vec::with_capacity(rank);
    for (axis, argument) in arguments.into_iter().enumerate() {
        let raw = match argument {
            RawIndices::Device(raw) if raw.dtype == DType::I64 => raw,
            RawIndices::Device(raw) => raw.converted(NAME, DType::I64)?,
            RawIndices::Host { shape, values } => {
                let flat = transfer::upload(NAME, &values.host_view(), &handle)?;
                flat.with_layout(Layout::contiguous(&shape))
            }
        };
        if raw.shape().len() != 1 {
            let reason = "of an argument is not 1-D; `ravel` the indices first";
            return Err(Error::shape(NAME, raw.shape(), reason));
        }
        grid.push(on_axis(&raw, axis, rank));
    }
    Ok(grid)
}
