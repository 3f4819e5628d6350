//! Elements of windows by their rank: medians and others.

use super::arguments::sealed::Numbers;
use super::smoothing::{Sizes, sizes_of};
use crate::array::{DeviceArray, OnDevice, RawArray, assign, dimensions, slice_axis, transfer};
use crate::backend::Layout;
use crate::dtype::{DType, Number, Scalar};
use crate::error::{Error, Result};
use crate::ndimage::small_medians;
use crate::operations::sorting::sorted_rows;
use crate::thin::thin;

thin! {
    /// The medians of windows of 3 elements along each axis, with zeros beyond the ends. SciPy's `medfilt`:
    /// `gpu::signal::medfilt!(&x, 5)`, or with a size for each axis `gpu::signal::medfilt!(&x, [3, 5])`. Small windows of
    /// floats, and on a GPU of most types, are those of [`median_filter`](fn@crate::ndimage::median_filter); others are sorted.
    ///
    /// **Panics** if a size is even ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 1.0, 9.0, 1.0, 1.0]);
    /// assert_eq!(gpu::signal::medfilt(&x).tolist(), [1.0, 1.0, 1.0, 1.0, 1.0]);
    /// ```
    pub fn medfilt<X: OnDevice<Elem = T>, T: Number>(volume: &X) -> DeviceArray<T> => medians(volume.raw(), &3.0);

    /// As [`medfilt`](fn@medfilt), with windows of these sizes.
    pub fn medfilt_with<X: OnDevice<Elem = T>, T: Number>(volume: &X, kernel_size: impl Sizes) -> DeviceArray<T> =>
        medians(volume.raw(), &kernel_size.sizes());

    /// As [`medfilt`](fn@medfilt), of an image. SciPy's `medfilt2d`: `gpu::signal::medfilt2d!(&x, kernel_size = [3, 5])`.
    ///
    /// **Panics** if the array does not have two axes ([`Error::InvalidShape`]), and as [`medfilt`](fn@medfilt) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::diag(&gpu::array(&[0.0, 9.0, 0.0]));
    /// assert_eq!(gpu::signal::medfilt2d(&x).sum(), 0.0);
    /// ```
    pub fn medfilt2d<X: OnDevice<Elem = T>, T: Number>(input: &X) -> DeviceArray<T> => image_medians(input.raw(), &3.0);

    /// As [`medfilt2d`](fn@medfilt2d), with windows of these sizes.
    pub fn medfilt2d_with<X: OnDevice<Elem = T>, T: Number>(input: &X, kernel_size: impl Sizes) -> DeviceArray<T> =>
        image_medians(input.raw(), &kernel_size.sizes());

    /// For each element the one that is number `rank`, from 0, when its neighbours are sorted: those where `domain` around it is
    /// not 0. Beyond the ends are zeros. SciPy's `order_filter`. All windows are sorted. Waits for `domain`.
    ///
    /// **Panics** if `domain` does not have as many axes, or an even length ([`Error::InvalidShape`]), or `rank` is not less than
    /// the number of neighbours ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[4, 1, 3, 2]);
    /// assert_eq!(gpu::signal::order_filter(&x, &gpu::array(&[1, 0, 1]), 1).tolist(), [1, 4, 2, 3]);
    /// ```
    pub fn order_filter<X: OnDevice<Elem = T>, D: OnDevice<Elem: Number>, T: Number>(
        a: &X,
        domain: &D,
        rank: usize
    ) -> DeviceArray<T> => ordered(a.raw(), domain.raw(), rank);
}

fn medians(x: &RawArray, sizes: &dyn Numbers) -> Result<RawArray> {
    const NAME: &str = "medfilt";
    let sizes = sizes_of(NAME, x, sizes, true)?;
    if x.size() == 0 || sizes.is_empty() {
        return x.copied(NAME);
    }
    if let Some(found) = small_medians(NAME, x, &sizes)? {
        return Ok(found);
    }
    let rows = all_windows(NAME, x, &sizes)?;
    of_rank(NAME, x, &rows, rows.shape()[1] / 2)
}

fn image_medians(x: &RawArray, sizes: &dyn Numbers) -> Result<RawArray> {
    if x.shape().len() != 2 {
        return Err(Error::shape(
            "medfilt2d",
            x.shape(),
            "is not the shape of an image; use `medfilt`, or `reshape` it",
        ));
    }
    medians(x, sizes)
}

/// The windows about the elements, in rows, with zeros beyond the ends.
fn all_windows(operation: &'static str, x: &RawArray, sizes: &[usize]) -> Result<RawArray> {
    let padded_shape: Vec<usize> = x.shape().iter().zip(sizes).map(|(length, size)| length + size - 1).collect();
    let padded = RawArray::filled(operation, &x.handle, &padded_shape, Scalar::zero(x.dtype))?;
    let inner = sizes
        .iter()
        .enumerate()
        .fold(padded.clone(), |part, (axis, size)| slice_axis(&part, axis, size / 2, 1, x.shape()[axis]));
    assign(operation, &inner, x)?;
    let windows = dimensions::windows(&padded, sizes, None)?;
    let count: usize = sizes.iter().product();
    Ok(windows.copied(operation)?.with_layout(Layout::contiguous(&[x.size(), count])))
}

/// The element with this number in each sorted row, in the shape of an array.
fn of_rank(operation: &'static str, like: &RawArray, rows: &RawArray, rank: usize) -> Result<RawArray> {
    let sorted = sorted_rows(operation, rows, false)?;
    let found = slice_axis(&sorted, 1, rank, 1, 1).copied(operation)?;
    Ok(found.with_layout(Layout::contiguous(like.shape())))
}

fn ordered(x: &RawArray, domain: &RawArray, rank: usize) -> Result<RawArray> {
    const NAME: &str = "order_filter";
    let sizes = domain.shape();
    if sizes.len() != x.shape().len() || sizes.iter().any(|size| size.is_multiple_of(2)) {
        let reason =
            format!("is the shape of `domain`; give {} odd lengths, one for each axis of the array", x.shape().len());
        return Err(Error::shape(NAME, sizes, reason));
    }
    x.handle.may_wait(NAME)?;
    let domain = transfer::download_vec::<f64>(&domain.converted(NAME, DType::F64)?)?;
    let there: Vec<usize> = (0..domain.len()).filter(|at| domain[*at] != 0.0).collect();
    if rank >= there.len() {
        let reason = format!("`rank` is {rank}, but `domain` has {} elements that are not 0; give less", there.len());
        return Err(Error::argument(NAME, reason));
    }
    if x.size() == 0 {
        return x.copied(NAME);
    }
    let rows = all_windows(NAME, x, sizes)?;
    if there.len() == domain.len() {
        return of_rank(NAME, x, &rows, rank);
    }
    let kept = RawArray::uninitialised(NAME, &x.handle, &[x.size(), there.len()], x.dtype)?;
    for (at, from) in there.iter().enumerate() {
        assign(NAME, &slice_axis(&kept, 1, at, 1, 1), &slice_axis(&rows, 1, *from, 1, 1))?;
    }
    of_rank(NAME, x, &kept, rank)
}
