//! Views with other axes: more of them, in another order, reversed, or of windows.

use crate::array::axes::axis_of;
use crate::array::manipulate::expanded;
use crate::array::view::{broadcast_to, slice_axis};
use crate::array::{DeviceArray, IntoShape, OnDevice, RawArray, shape, transfer};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::thin::thin;

thin! {
    /// The array with at least one axis; a view. NumPy's `atleast_1d`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::atleast_1d(&gpu::full((), 2.0)).shape(), [1]);
    /// ```
    pub fn atleast_1d<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        with_axes("atleast_1d", a.raw(), 1);

    /// The array with at least two axes, the new ones in front: a 1-D array becomes a row; a view. NumPy's `atleast_2d`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::atleast_2d(&gpu::arange(3)).shape(), [1, 3]);
    /// ```
    pub fn atleast_2d<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        with_axes("atleast_2d", a.raw(), 2);

    /// The array with at least three axes; a view. A 1-D array of `n` elements gets the shape `(1, n, 1)`, a matrix a third
    /// axis behind its two. NumPy's `atleast_3d`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::atleast_3d(&gpu::arange(3)).shape(), [1, 3, 1]);
    /// assert_eq!(gpu::atleast_3d(&gpu::zeros::<f64>((3, 4))).shape(), [3, 4, 1]);
    /// ```
    pub fn atleast_3d<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        with_axes("atleast_3d", a.raw(), 3);

    /// Arrays of one element type broadcast to one shape; views, which cannot be written to. NumPy's `broadcast_arrays`.
    ///
    /// **Panics** if the shapes do not broadcast ([`Error::ShapeMismatch`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::arange(3), gpu::array(&[[10], [20]]));
    /// let both = gpu::broadcast_arrays([&a, &b]);
    /// assert_eq!((both[0].shape(), both[1].shape()), (&[2, 3][..], &[2, 3][..]));
    /// ```
    pub fn broadcast_arrays<'a, A: 'a + OnDevice<Elem = T>, T: Element>(arrays: impl IntoIterator<Item = &'a A>)
    -> Vec<DeviceArray<T>> => {
        let raws = arrays.into_iter().map(|array| array.raw().clone()).collect();
        broadcast_together(raws)
    };

    /// The array with the elements of each row in reverse order; a view. NumPy's `fliplr`.
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::fliplr(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [2, 1, 4, 3]);
    /// ```
    pub fn fliplr<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> =>
        with_rank_of("fliplr", m.raw(), 2).map(|raw| reversed(raw, 1));

    /// The array with its rows in reverse order; a view. NumPy's `flipud`.
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::flipud(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [3, 4, 1, 2]);
    /// ```
    pub fn flipud<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> =>
        with_rank_of("flipud", m.raw(), 1).map(|raw| reversed(raw, 0));

    /// The array turned by 90 degrees, in the plane of its first two axes and from the first to the second, which is against
    /// the clock as arrays are printed; a view. NumPy's `rot90`. Twice and in another plane: `gpu::rot90!(&m, k = 2, axes =
    /// (1, 2))`; `k` may be negative.
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::rot90(&gpu::array(&[[1, 2], [3, 4]])).ravel().tolist(), [2, 4, 1, 3]);
    /// ```
    pub fn rot90<A: OnDevice<Elem = T>, T: Element>(m: &A) -> DeviceArray<T> => turned(m.raw(), 1, &[0, 1]);

    /// The array with an axis moved back to the front; a view. NumPy's `rollaxis`; `gpu::rollaxis!(&a, 2, start = 1)` moves
    /// it to before another axis. [`moveaxis`](DeviceArray::moveaxis) is easier to read.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::rollaxis(&gpu::zeros::<f64>((2, 3, 4)), 2).shape(), [4, 2, 3]);
    /// ```
    pub fn rollaxis<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: isize) -> DeviceArray<T> =>
        rolled_axis(a.raw(), axis, 0);

    /// The array with its last two axes exchanged: the transpose of a matrix, or of each matrix of a stack; a view. NumPy's
    /// `matrix_transpose`, and `a.mT`.
    ///
    /// **Panics** if the array has less than two axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::matrix_transpose(&gpu::zeros::<f64>((2, 3, 4))).shape(), [2, 4, 3]);
    /// ```
    pub fn matrix_transpose<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> => {
        let rank = a.raw().shape().len();
        let transposed = |raw: &RawArray| raw.moved(rank - 1, rank - 2);
        with_rank_of("matrix_transpose", a.raw(), 2).map(transposed)
    };

    /// The array with its elements in row-major order in memory, and at least one axis: the array itself if they are so, else
    /// a copy. NumPy's `ascontiguousarray`. Operations take arrays of any strides; kernels and other libraries may not.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let columns = gpu::array(&[[1, 2], [3, 4]]).t();
    /// assert_eq!(gpu::ascontiguousarray(&columns).strides(), [2, 1]);
    /// ```
    pub fn ascontiguousarray<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> => {
        const NAME: &str = "ascontiguousarray";
        with_axes(NAME, a.raw(), 1).and_then(|raw| raw.contiguous(NAME))
    };

    /// The array with its elements in column-major order in memory, as Fortran has them, and at least one axis: the array
    /// itself if they are so, else a copy. NumPy's `asfortranarray`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::asfortranarray(&gpu::array(&[[1, 2, 3], [4, 5, 6]]));
    /// assert_eq!((a.strides(), a.get(&[1, 0])), (&[1, 2][..], 4));
    /// ```
    pub fn asfortranarray<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> => column_major(a.raw());

    /// All windows of a shape in an array: a view, whose first axes say where a window begins, and whose last are those of the
    /// window. NumPy's `sliding_window_view`; windows along some axes only are `gpu::sliding_window_view!(&a, 3, axis = 1)`.
    ///
    /// Windows have elements in common, so they cannot be written to. Reductions of the last axes give moving sums, means and
    /// extremes, each with as many steps as a window has elements.
    ///
    /// **Panics** if the window has not one length for each axis, or a longer one than the axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1.0, 2.0, 4.0, 8.0]);
    /// let windows = gpu::sliding_window_view(&a, 2);
    /// assert_eq!(windows.shape(), [3, 2]);
    /// assert_eq!(windows.mean_axis(-1).tolist(), [1.5, 3.0, 6.0]);
    /// ```
    pub fn sliding_window_view<A: OnDevice<Elem = T>, T: Element>(x: &A, window_shape: impl IntoShape) -> DeviceArray<T> =>
        windows(x.raw(), &window_shape.into_shape(), None);
}

/// The array if it has so many axes at least.
fn with_rank_of<'a>(operation: &'static str, raw: &'a RawArray, rank: usize) -> Result<&'a RawArray> {
    if raw.shape().len() >= rank {
        return Ok(raw);
    }
    let reason = format!(
        "has {} axes, but at least {rank} are needed; add axes with `expand_dims` or `reshape`",
        raw.shape().len()
    );
    Err(Error::shape(operation, raw.shape(), reason))
}

/// The array with so many axes at least, where NumPy puts them.
pub(super) fn with_axes(operation: &'static str, raw: &RawArray, rank: usize) -> Result<RawArray> {
    let mut raw = raw.clone();
    while raw.shape().len() < rank {
        raw = expanded(operation, &raw, if raw.shape().len() == 2 { 2 } else { 0 })?;
    }
    Ok(raw)
}

/// The array with an axis in reverse order.
fn reversed(raw: &RawArray, axis: usize) -> RawArray {
    let length = raw.shape()[axis];
    slice_axis(raw, axis, length.saturating_sub(1), -1, length)
}

fn broadcast_together(raws: Vec<RawArray>) -> Result<Vec<RawArray>> {
    const NAME: &str = "broadcast_arrays";
    let common = raws.iter().try_fold(Vec::new(), |common, raw| shape::broadcast_shapes(NAME, &common, raw.shape()))?;
    raws.iter().map(|raw| broadcast_to(NAME, raw, &common)).collect()
}

/// `rot90` with all arguments.
pub(crate) fn turned(raw: &RawArray, times: isize, axes: &[isize]) -> Result<RawArray> {
    const NAME: &str = "rot90";
    let invalid = |reason: String| Error::shape(NAME, raw.shape(), reason);
    with_rank_of(NAME, raw, 2)?;
    let &[from, to] = axes else {
        return Err(invalid(format!("is turned in a plane of two axes, not of {}; give two", axes.len())));
    };
    let (from, to) = (axis_of(NAME, raw.shape(), from)?, axis_of(NAME, raw.shape(), to)?);
    if from == to {
        return Err(invalid(format!("cannot be turned from axis {from} to itself; give two different axes")));
    }
    let exchanged = |raw: &RawArray| {
        let mut layout = raw.layout.clone();
        layout.shape.swap(from, to);
        layout.strides.swap(from, to);
        raw.with_layout(layout)
    };
    Ok(match times.rem_euclid(4) {
        0 => raw.clone(),
        1 => exchanged(&reversed(raw, to)),
        2 => reversed(&reversed(raw, from), to),
        _ => reversed(&exchanged(raw), to),
    })
}

/// `rollaxis` with all arguments.
pub(crate) fn rolled_axis(raw: &RawArray, axis: isize, start: isize) -> Result<RawArray> {
    const NAME: &str = "rollaxis";
    let axis = axis_of(NAME, raw.shape(), axis)?;
    let rank = raw.shape().len() as isize;
    let place = if start < 0 { start + rank } else { start };
    if !(0..=rank).contains(&place) {
        let reason = format!("has no place {start} between its axes; places are -{rank} to {rank}");
        return Err(Error::shape(NAME, raw.shape(), reason));
    }
    let place = place as usize;
    Ok(raw.moved(axis, if axis < place { place - 1 } else { place }))
}

fn column_major(raw: &RawArray) -> Result<RawArray> {
    const NAME: &str = "asfortranarray";
    let raw = with_axes(NAME, raw, 1)?;
    let rows = raw.with_layout(transfer::reversed(&raw.layout)).contiguous(NAME)?;
    Ok(rows.with_layout(transfer::reversed(&rows.layout)))
}

/// `sliding_window_view` along all axes, or some.
pub(crate) fn windows(raw: &RawArray, lengths: &[usize], axes: Option<&[isize]>) -> Result<RawArray> {
    const NAME: &str = "sliding_window_view";
    let invalid = |reason: String| Error::shape(NAME, raw.shape(), reason);
    let axes: Vec<usize> = match axes {
        None => (0..raw.shape().len()).collect(),
        Some(axes) => axes.iter().map(|&axis| axis_of(NAME, raw.shape(), axis)).collect::<Result<_>>()?,
    };
    if lengths.len() != axes.len() {
        return Err(invalid(format!(
            "has windows along {} axes, but {} lengths are given, {lengths:?}; give one for each axis",
            axes.len(),
            lengths.len()
        )));
    }
    let mut layout = raw.layout.clone();
    for (&axis, &length) in axes.iter().zip(lengths) {
        let places = (layout.shape[axis] + 1).checked_sub(length).filter(|&places| places > 0);
        layout.shape[axis] = places.ok_or_else(|| {
            invalid(format!(
                "has {} elements along axis {axis}, fewer than the window's {length}; give a smaller window",
                raw.shape()[axis]
            ))
        })?;
        layout.shape.push(length);
        layout.strides.push(raw.layout.strides[axis]);
    }
    Ok(raw.with_layout(layout))
}
