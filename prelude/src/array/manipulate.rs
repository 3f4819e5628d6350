//! Joining, splitting and rearranging arrays: NumPy's array manipulation routines.

use crate::array::axes::{IntoAxes, axes_of, axis_of};
use crate::array::dimensions::with_axes;
use crate::array::sides::OnDevice;
use crate::array::splitting::{IntoSections, cut};
use crate::array::view::{assign, broadcast_to, reshape, slice_axis};
use crate::array::{DeviceArray, RawArray};
use crate::backend::Layout;
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::thin::thin;

fallible! {
    /// Arrays joined along an axis that they have; NumPy's `concatenate`.
    ///
    /// **Panics** if there is no array, if shapes differ along another axis ([`Error::InvalidShape`]), or if arrays are
    /// on different devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[[1, 2]]), gpu::array(&[[3, 4], [5, 6]]));
    /// assert_eq!(gpu::concatenate([&a, &b], 0).shape(), [3, 2]);
    /// ```
    pub fn concatenate, try_concatenate<'a, A: 'a + OnDevice<Elem = T>, T: Element>(
        arrays: impl IntoIterator<Item = &'a A>,
        axis: isize,
    ) -> Result<DeviceArray<T>> {
        join("concatenate", &raws(arrays), axis).map(DeviceArray::from_raw)
    }

    /// Arrays of one shape joined along a new axis; NumPy's `stack`.
    ///
    /// **Panics** if there is no array, if shapes differ ([`Error::InvalidShape`]), or if arrays are on different
    /// devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[1, 2, 3]), gpu::array(&[4, 5, 6]));
    /// assert_eq!(gpu::stack([&a, &b], 0).shape(), [2, 3]);
    /// assert_eq!(gpu::stack([&a, &b], -1).shape(), [3, 2]);
    /// ```
    pub fn stack, try_stack<'a, A: 'a + OnDevice<Elem = T>, T: Element>(
        arrays: impl IntoIterator<Item = &'a A>,
        axis: isize,
    ) -> Result<DeviceArray<T>> {
        stacked(&raws(arrays), axis).map(DeviceArray::from_raw)
    }
}

thin! {
    /// Arrays one below the other, vectors as rows; NumPy's `vstack`.
    ///
    /// **Panics** as [`concatenate`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1, 2, 3]);
    /// assert_eq!(gpu::vstack([&a, &a]).shape(), [2, 3]);
    /// ```
    pub fn vstack<'a, A: 'a + OnDevice<Elem = T>, T: Element>(arrays: impl IntoIterator<Item = &'a A>) -> DeviceArray<T> => {
        let rows: Result<Vec<RawArray>> = raws(arrays).iter().map(|raw| with_rank("vstack", raw, 2)).collect();
        rows.and_then(|rows| join("vstack", &rows, 0))
    };

    /// Arrays side by side: along their second axis, vectors along their only one; NumPy's `hstack`.
    ///
    /// **Panics** as [`concatenate`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[1, 2]), gpu::array(&[3]));
    /// assert_eq!(gpu::hstack([&a, &b]).shape(), [3]);
    /// ```
    pub fn hstack<'a, A: 'a + OnDevice<Elem = T>, T: Element>(arrays: impl IntoIterator<Item = &'a A>) -> DeviceArray<T> => {
        let parts: Result<Vec<RawArray>> = raws(arrays).iter().map(|raw| with_rank("hstack", raw, 1)).collect();
        parts.and_then(|parts| {
            let axis = parts.first().is_some_and(|first| first.shape().len() > 1);
            join("hstack", &parts, isize::from(axis))
        })
    };

    /// Matrices one behind the other: arrays along their third axis, which a vector and a matrix get, as
    /// [`atleast_3d`](fn@crate::atleast_3d) says. NumPy's `dstack`.
    ///
    /// **Panics** as [`concatenate`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[1, 2, 3]);
    /// assert_eq!(gpu::dstack([&a, &a]).shape(), [1, 3, 2]);
    /// ```
    pub fn dstack<'a, A: 'a + OnDevice<Elem = T>, T: Element>(arrays: impl IntoIterator<Item = &'a A>) -> DeviceArray<T> => {
        let parts: Result<Vec<RawArray>> = raws(arrays).iter().map(|raw| with_axes("dstack", raw, 3)).collect();
        parts.and_then(|parts| join("dstack", &parts, 2))
    };

    /// Vectors as the columns of a matrix, and matrices with their columns side by side; NumPy's `column_stack`.
    ///
    /// **Panics** as [`concatenate`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[1, 2]), gpu::array(&[3, 4]));
    /// assert_eq!(gpu::column_stack([&a, &b]).ravel().tolist(), [1, 3, 2, 4]);
    /// ```
    pub fn column_stack<'a, A: 'a + OnDevice<Elem = T>, T: Element>(arrays: impl IntoIterator<Item = &'a A>)
    -> DeviceArray<T> => {
        let column = |raw: &RawArray| match raw.shape().len() {
            0 | 1 => expanded("column_stack", &with_rank("column_stack", raw, 1)?, 1),
            _ => Ok(raw.clone()),
        };
        let columns: Result<Vec<RawArray>> = raws(arrays).iter().map(column).collect();
        columns.and_then(|columns| join("column_stack", &columns, 1))
    };

    /// The array cut along an axis into so many equal parts, or where other parts than the first shall begin; views. NumPy's
    /// `split`.
    ///
    /// **Panics** if there is no such axis, or its length is no multiple of the number of parts ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let halves = gpu::split(&gpu::arange(6), 2, 0);
    /// assert_eq!(halves[1].get(&[0]), 3);
    /// let parts = gpu::split(&gpu::arange(6), [1, 4], 0);
    /// assert_eq!(parts[1].tolist(), [1, 2, 3]);
    /// ```
    pub fn split<A: OnDevice<Elem = T>, T: Element>(a: &A, sections: impl IntoSections, axis: isize)
    -> Vec<DeviceArray<T>> => cut("split", a.raw(), &sections.into_sections(), axis, true);

    /// The array with its elements in reverse order along some axes; a view. NumPy's `flip`.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(gpu::flip(&a, 1).get(&[0, 0]), 2);
    /// assert_eq!(gpu::flip(&a, (0, 1)).get(&[0, 0]), 4);
    /// ```
    pub fn flip<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: impl IntoAxes) -> DeviceArray<T> =>
        flipped(a.raw(), &axes.into_axes());

    /// The array with its elements moved by `shift` places along an axis; those that leave at one end enter at the other.
    /// NumPy's `roll`.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::roll(&gpu::arange(5), 2, 0);
    /// assert_eq!(a.to_host(), ndarray::arr1(&[3, 4, 0, 1, 2]).into_dyn());
    /// ```
    pub fn roll<A: OnDevice<Elem = T>, T: Element>(a: &A, shift: isize, axis: isize) -> DeviceArray<T> =>
        rolled(a.raw(), &[(shift, axis)]);

    /// The array with each element repeated `count` times in a row along an axis; NumPy's `repeat`.
    ///
    /// **Panics** if there is no such axis, or the result has too many elements ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::repeat(&gpu::array(&[1, 2]), 2, 0);
    /// assert_eq!(a.to_host(), ndarray::arr1(&[1, 1, 2, 2]).into_dyn());
    /// ```
    pub fn repeat<A: OnDevice<Elem = T>, T: Element>(a: &A, count: usize, axis: isize) -> DeviceArray<T> =>
        repeated(a.raw(), count, axis);
}

impl<T: Element> DeviceArray<T> {
    /// The array without its axes of length 1; a view. NumPy's `squeeze`.
    ///
    /// ```
    /// assert_eq!(warpcell::zeros::<f32>((1, 3, 1)).squeeze().shape(), [3]);
    /// ```
    pub fn squeeze(&self) -> DeviceArray<T> {
        let Layout { shape, strides, offset } = &self.raw.layout;
        let (shape, strides) = shape.iter().zip(strides).filter(|(length, _)| **length != 1).unzip();
        DeviceArray::from_raw(self.raw.with_layout(Layout { shape, strides, offset: *offset }))
    }

    /// The array with a new axis of length 1 at `axis`, which may be -1 for behind all others; a view. NumPy's
    /// `expand_dims`.
    ///
    /// **Panics** if `axis` is not in the result ([`Error::InvalidShape`]).
    ///
    /// ```
    /// let a = warpcell::zeros::<f32>(3);
    /// assert_eq!((a.expand_dims(0).shape(), a.expand_dims(-1).shape()), (&[1, 3][..], &[3, 1][..]));
    /// ```
    #[track_caller]
    pub fn expand_dims(&self, axis: isize) -> DeviceArray<T> {
        DeviceArray::from_raw(check(expanded("expand_dims", &self.raw, axis)))
    }

    /// The array with two axes exchanged; a view. NumPy's `swapaxes`.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// assert_eq!(warpcell::zeros::<f32>((2, 3, 4)).swapaxes(0, -1).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn swapaxes(&self, one: isize, other: isize) -> DeviceArray<T> {
        // Not in a closure: the panic is at the caller's line.
        let one = check(axis_of("swapaxes", self.shape(), one));
        let other = check(axis_of("swapaxes", self.shape(), other));
        let mut layout = self.raw.layout.clone();
        layout.shape.swap(one, other);
        layout.strides.swap(one, other);
        DeviceArray::from_raw(self.raw.with_layout(layout))
    }

    /// The array with one axis moved to another place, or several to as many places, the others in their order; a view. NumPy's
    /// `moveaxis`.
    ///
    /// **Panics** if there is no such axis, or one is named twice ([`Error::InvalidShape`]), or if there is not one place for each axis
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let a = warpcell::zeros::<f32>((2, 3, 4));
    /// assert_eq!(a.moveaxis(0, -1).shape(), [3, 4, 2]);
    /// assert_eq!(a.moveaxis([0, 1], [-1, -2]).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn moveaxis(&self, from: impl IntoAxes, to: impl IntoAxes) -> DeviceArray<T> {
        DeviceArray::from_raw(check(axes_moved(&self.raw, &from.into_axes(), &to.into_axes())))
    }
}

fn axes_moved(raw: &RawArray, from: &[isize], to: &[isize]) -> Result<RawArray> {
    const NAME: &str = "moveaxis";
    if from.len() != to.len() {
        let reason =
            format!("there are {} axes and {} places for them; give one place for each axis", from.len(), to.len());
        return Err(Error::argument(NAME, reason));
    }
    // Each axis is there, and is named once.
    axes_of(NAME, raw.shape(), from)?;
    axes_of(NAME, raw.shape(), to)?;
    let place = |axis: &isize| axis_of(NAME, raw.shape(), *axis);
    let mut moves = Vec::with_capacity(from.len());
    for (from, to) in from.iter().zip(to) {
        moves.push((place(to)?, place(from)?));
    }
    moves.sort_unstable();
    let mut order: Vec<usize> =
        (0..raw.shape().len()).filter(|axis| moves.iter().all(|(_, from)| from != axis)).collect();
    for (to, from) in moves {
        order.insert(to, from);
    }
    let Layout { shape, strides, offset } = &raw.layout;
    Ok(raw.with_layout(Layout {
        shape: order.iter().map(|&axis| shape[axis]).collect(),
        strides: order.iter().map(|&axis| strides[axis]).collect(),
        offset: *offset,
    }))
}

fn raws<'a, A: OnDevice + 'a>(arrays: impl IntoIterator<Item = &'a A>) -> Vec<RawArray> {
    arrays.into_iter().map(|array| array.raw().clone()).collect()
}

/// A new array of the parts, one behind the other along an axis that all have.
pub(crate) fn join(operation: &'static str, parts: &[RawArray], axis: isize) -> Result<RawArray> {
    let Some(first) = parts.first() else {
        return Err(Error::argument(operation, "there is no array to join; give at least one"));
    };
    let axis = axis_of(operation, first.shape(), axis)?;
    let mut shape = first.shape().to_vec();
    shape[axis] = 0;
    for (index, part) in parts.iter().enumerate() {
        first.same_device(operation, part)?;
        let fits = part.shape().len() == shape.len()
            && (0..shape.len()).all(|other| other == axis || part.shape()[other] == shape[other]);
        if !fits {
            let reason = format!(
                "of array {index} does not fit the shape of the first array, {:?}, along axis {axis}; make all other lengths equal",
                first.shape()
            );
            return Err(Error::shape(operation, part.shape(), reason));
        }
        shape[axis] = shape[axis].checked_add(part.shape()[axis]).ok_or_else(|| {
            Error::shape(operation, part.shape(), "makes the joined array larger than memory can address")
        })?;
    }
    let out = RawArray::uninitialised(operation, &first.handle, &shape, first.dtype)?;
    let mut start = 0;
    for part in parts {
        let length = part.shape()[axis];
        assign(operation, &slice_axis(&out, axis, start, 1, length), part)?;
        start += length;
    }
    Ok(out)
}

pub(crate) fn stacked(parts: &[RawArray], axis: isize) -> Result<RawArray> {
    let Some(first) = parts.first() else { return join("stack", parts, axis) };
    if let Some(other) = parts.iter().find(|part| part.shape() != first.shape()) {
        let reason = format!(
            "differs from the shape of the first array, {:?}; only arrays of the same shape can be stacked",
            first.shape()
        );
        return Err(Error::shape("stack", other.shape(), reason));
    }
    let parts = parts.iter().map(|part| expanded("stack", part, axis)).collect::<Result<Vec<_>>>()?;
    join("stack", &parts, axis)
}

/// The array with axes of length 1 in front, until it has `rank` of them.
pub(crate) fn with_rank(operation: &'static str, raw: &RawArray, rank: usize) -> Result<RawArray> {
    (raw.shape().len()..rank).try_fold(raw.clone(), |raw, _| expanded(operation, &raw, 0))
}

pub(crate) fn expanded(operation: &'static str, raw: &RawArray, axis: isize) -> Result<RawArray> {
    let mut layout = raw.layout.clone();
    // A shape of the result's rank, so that negative axes are counted there.
    let mut result = layout.shape.clone();
    result.push(1);
    let axis = axis_of(operation, &result, axis)?;
    layout.shape.insert(axis, 1);
    layout.strides.insert(axis, 0);
    Ok(raw.with_layout(layout))
}

fn flipped(raw: &RawArray, axes: &[isize]) -> Result<RawArray> {
    let axes = axes_of("flip", raw.shape(), axes)?;
    Ok(axes.into_iter().fold(raw.clone(), |raw, axis| {
        let length = raw.shape()[axis];
        slice_axis(&raw, axis, length.saturating_sub(1), -1, length)
    }))
}

/// The array with its elements moved along axes, by as many places as stand before each.
pub(crate) fn rolled(raw: &RawArray, moves: &[(isize, isize)]) -> Result<RawArray> {
    let out = RawArray::uninitialised("roll", &raw.handle, raw.shape(), raw.dtype)?;
    // Where parts of the array come to lie: along each axis there are two.
    let mut parts = vec![(out.clone(), raw.clone())];
    for &(shift, axis) in moves {
        let axis = axis_of("roll", raw.shape(), axis)?;
        let length = raw.shape()[axis];
        // `length` is that of an axis of an array in memory.
        let tail = shift.checked_rem_euclid(length as isize).unwrap_or(0) as usize;
        let head = length - tail;
        let cut = |(to, from): (RawArray, RawArray)| {
            [(tail, 0, head), (0, head, tail)].map(|(place, start, count)| {
                (slice_axis(&to, axis, place, 1, count), slice_axis(&from, axis, start, 1, count))
            })
        };
        parts = parts.into_iter().flat_map(cut).collect();
    }
    parts.iter().try_for_each(|(to, from)| assign("roll", to, from))?;
    Ok(out)
}

pub(crate) fn repeated(raw: &RawArray, count: usize, axis: isize) -> Result<RawArray> {
    let axis = axis_of("repeat", raw.shape(), axis)?;
    let too_many = || {
        let reason = format!("cannot be repeated {count} times: the result is larger than memory can address");
        Error::shape("repeat", raw.shape(), reason)
    };
    let mut shape = raw.shape().to_vec();
    shape[axis] = shape[axis].checked_mul(count).ok_or_else(too_many)?;
    let mut repeated = raw.shape().to_vec();
    repeated.insert(axis + 1, count);
    let source = expanded("repeat", raw, axis as isize + 1)?;
    // Not by `copied`, whose error would name this shape.
    let out = RawArray::uninitialised("repeat", &raw.handle, &shape, raw.dtype)?;
    assign("repeat", &reshape(&out, &repeated)?, &broadcast_to("repeat", &source, &repeated)?)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::splitting::Sections;
    use crate::array::{Pad, pad};

    #[test]
    fn errors_name_the_shapes() {
        let (a, b) = (crate::zeros::<f32>((2, 3)), crate::zeros::<f32>((2, 4)));
        let error = try_concatenate([&a, &b], 0).unwrap_err().to_string();
        assert!(error.contains("[2, 4]") && error.contains("[2, 3]") && error.contains("array 1"), "{error}");
        assert_eq!(try_concatenate([&a, &b], -1).unwrap().shape(), [2, 7]);
        let error = try_stack([&a, &b], 0).unwrap_err().to_string();
        assert!(error.contains("[2, 4]") && error.contains("same shape"), "{error}");
        let none: [&DeviceArray<f32>; 0] = [];
        assert!(try_concatenate(none, 0).unwrap_err().to_string().contains("no array to join"));
        assert!(
            cut("split", &a.raw, &Sections::Parts(2), 1, true)
                .err()
                .unwrap()
                .to_string()
                .contains("3 elements along axis 1")
        );
        assert!(repeated(&a.raw, usize::MAX, 0).is_err());
    }

    #[test]
    fn results_do_not_share_their_elements_unless_they_are_views() {
        let a = crate::zeros::<i32>(4);
        for mut made in [pad(&a, 0, Pad::Wrap), roll(&a, 0, 0), repeat(&a, 1, 0), concatenate([&a], 0), stack([&a], 0)]
        {
            made.fill(1);
            assert_eq!(a.sum(), 0);
        }
        flip(&a, 0).fill(1);
        split(&a, 2, 0)[0].fill(3);
        assert_eq!(a.sum(), 8);
    }
}
