//! Views of an array, and writing through them.

use crate::array::axes::{IntoAxes, axes_of, axis_of};
use crate::array::sides::sealed::Host;
use crate::array::sides::{HostView, OnHost};
use crate::array::triangles::diagonal_along;
use crate::array::{DeviceArray, IntoNewShape, IntoShape, RawArray, shape, transfer};
use crate::backend::Layout;
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::elementwise::{Operand, RawOperand};
use ndarray::SliceInfoElem;

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The part that `s![…]` names, as in `ndarray`: `a.slice(s![0..32, ..;2, -1])`. A view: it shares the
        /// elements.
        ///
        /// A range with a negative step is reversed after it was cut: `s![..;-1]` reverses an axis, `s![1..5;-2]` takes
        /// elements 4 and 2. Negative bounds count from the end. An index removes its axis, `NewAxis` inserts one of
        /// length 1; axes that are not mentioned are kept whole.
        ///
        /// **Panics** if a bound is outside the array or there are more entries than axes ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use warpcell::prelude::*;
        /// let a = warpcell::arange(12).reshape((3, 4));
        /// assert_eq!(a.slice(s![1.., ..;2]).to_host(), ndarray::array![[4, 6], [8, 10]].into_dyn());
        /// ```
        pub fn slice, try_slice<I: AsRef<[SliceInfoElem]>>(&self, info: I) -> Result<DeviceArray<T>> {
            slice(&self.raw, info.as_ref()).map(DeviceArray::from_raw)
        }

        /// The same elements, in row-major order, in another shape, in which one length may be -1: it follows from the
        /// others. A view where the strides permit, else a copy.
        ///
        /// **Panics** if the shape has another number of elements ([`Error::InvalidShape`]).
        ///
        /// ```
        /// assert_eq!(warpcell::arange(6).reshape((2, 3)).get(&[1, 0]), 3);
        /// assert_eq!(warpcell::arange(6).reshape((2, -1)).shape(), [2, 3]);
        /// ```
        pub fn reshape, try_reshape(&self, shape: impl IntoNewShape) -> Result<DeviceArray<T>> {
            reshape(&self.raw, &new_shape(&self.raw, &shape.into_lengths())?).map(DeviceArray::from_raw)
        }
    }

    /// The elements in row-major order along one axis; a view of a contiguous array, else a copy.
    ///
    /// ```
    /// assert_eq!(warpcell::zeros::<f32>((4, 5)).ravel().shape(), [20]);
    /// ```
    #[track_caller]
    pub fn ravel(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(check(self.raw.flat("ravel")))
    }

    /// The axes in reverse order; a view.
    ///
    /// ```
    /// let a = warpcell::array(&[[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(a.transpose().get(&[2, 0]), 3);
    /// ```
    pub fn transpose(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(transpose(&self.raw))
    }

    /// [`transpose`](Self::transpose).
    pub fn t(&self) -> DeviceArray<T> {
        self.transpose()
    }

    /// The axes in another order, each named once; a view. NumPy's `permute_dims`, and `transpose` with axes.
    ///
    /// **Panics** if an axis is missing, or named twice ([`Error::InvalidShape`]).
    ///
    /// ```
    /// assert_eq!(warpcell::zeros::<f64>((2, 3, 4)).permute_dims((2, 0, 1)).shape(), [4, 2, 3]);
    /// ```
    #[track_caller]
    pub fn permute_dims(&self, axes: impl IntoAxes) -> DeviceArray<T> {
        DeviceArray::from_raw(check(permuted(&self.raw, &axes.into_axes())))
    }

    fallible! {
        /// The elements `[i, i]` of a 2-D array; a view.
        ///
        /// **Panics** if the array is not 2-D ([`Error::InvalidShape`]).
        ///
        /// ```
        /// assert_eq!(warpcell::eye::<i32>(3).diagonal().sum(), 3);
        /// ```
        pub fn diagonal, try_diagonal(&self) -> Result<DeviceArray<T>> {
            diagonal_along("diagonal", &self.raw, 0, [0, 1]).map(DeviceArray::from_raw)
        }

        /// The array repeated to `shape` without copying, as in NumPy's `broadcast_to`; such a view cannot be written
        /// to.
        ///
        /// **Panics** if the array does not broadcast to the shape ([`Error::ShapeMismatch`]).
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1, 2]).broadcast_to((3, 2)).sum(), 9i64);
        /// ```
        pub fn broadcast_to, try_broadcast_to(&self, shape: impl IntoShape) -> Result<DeviceArray<T>> {
            broadcast_to("broadcast_to", &self.raw, &shape.into_shape()).map(DeviceArray::from_raw)
        }

        /// A new contiguous array with the same elements.
        ///
        /// ```
        /// let a = warpcell::zeros::<f64>(3);
        /// let mut b = a.copy();
        /// b.fill(1.0);
        /// assert_eq!(a.sum(), 0.0);
        /// ```
        pub fn copy, try_copy(&self) -> Result<DeviceArray<T>> {
            self.raw.copied("copy").map(DeviceArray::from_raw)
        }

        /// A new array with each element converted as by Rust's `as`: floats to integers toward zero and within the
        /// type's range, NaN to 0; integers modulo a power of two; to floats, `f16` and `bf16` among them, the nearest
        /// value, of two as near the even one. To `bool`: whether it is not zero. To complex numbers: the real parts,
        /// with imaginary parts of 0.
        ///
        /// **Panics** for complex numbers as real ones other than `bool` ([`Error::UnsupportedDType`]).
        ///
        /// ```
        /// assert_eq!(warpcell::array(&[1.7, -1.7]).astype::<i32>().to_host(), ndarray::arr1(&[1, -1]).into_dyn());
        /// ```
        pub fn astype, try_astype<U: Element>(&self) -> Result<DeviceArray<U>> {
            self.raw.converted("astype", U::DTYPE).map(DeviceArray::from_raw)
        }

        /// Sets every element to `value`, also in the array that this is a view of.
        ///
        /// **Panics** if this is a view made by [`broadcast_to`](Self::broadcast_to) ([`Error::InvalidArgument`]).
        ///
        /// ```
        /// use warpcell::prelude::*;
        /// let a = warpcell::zeros::<f64>((4, 4));
        /// a.slice(s![1..3, 1..3]).fill(1.0);
        /// assert_eq!(a.sum(), 4.0);
        /// ```
        pub fn fill, try_fill(&mut self, value: T) -> Result<()> {
            fill(&self.raw, value.to_scalar())
        }

        /// Copies the elements of `source`, which broadcasts to this shape, into this array and the one it is a view
        /// of. A number becomes each element.
        ///
        /// **Panics** if `source` does not broadcast to this shape ([`Error::ShapeMismatch`]), is on another device, or
        /// if this is a view made by [`broadcast_to`](Self::broadcast_to).
        ///
        /// ```
        /// use warpcell::prelude::*;
        /// let a = warpcell::zeros::<i32>((2, 3));
        /// a.slice(s![.., 0]).assign(&warpcell::array(&[7, 8]));
        /// assert_eq!(a.get(&[1, 0]), 8);
        /// a.slice(s![0, ..]).assign(1);
        /// assert_eq!(a.sum(), 11);
        /// ```
        pub fn assign, try_assign(&mut self, source: impl Operand<T>) -> Result<()> {
            match source.raw_operand() {
                RawOperand::Array(source) => assign("assign", &self.raw, source),
                RawOperand::Scalar(value) => fill(&self.raw, value),
            }
        }

        /// Copies a host array of the same shape into this array; CuPy's `ndarray.set`.
        ///
        /// **Panics** if the shapes differ ([`Error::InvalidShape`]), or if this is a view made by
        /// [`broadcast_to`](Self::broadcast_to).
        ///
        /// ```
        /// let mut a = warpcell::zeros::<i32>(3);
        /// a.set(&[1, 2, 3]);
        /// a.slice(ndarray::s![1..]).set(&vec![7, 8]);
        /// assert_eq!(a.tolist(), [1, 7, 8]);
        /// ```
        pub fn set, try_set<A: ?Sized + OnHost<Elem = T>>(&mut self, host: &A) -> Result<()> {
            set(&self.raw, Host::host_view(host))
        }
    }
}

pub(super) fn slice(raw: &RawArray, info: &[SliceInfoElem]) -> Result<RawArray> {
    let old = &raw.layout;
    let invalid = |reason: String| Error::shape("slice", old.shape.clone(), reason + SLICE_HELP);
    let taken = info.iter().filter(|element| !element.is_new_axis()).count();
    if taken > old.shape.len() {
        return Err(invalid(format!("has {} axes, but the slice names {taken}", old.shape.len())));
    }
    let mut new = Layout { shape: Vec::new(), strides: Vec::new(), offset: old.offset };
    let mut axis = 0;
    for element in info {
        if element.is_new_axis() {
            new.shape.push(1);
            new.strides.push(0);
            continue;
        }
        let (length, stride) = (old.shape[axis], old.strides[axis]);
        let absolute = |index: isize| if index < 0 { index + length as isize } else { index };
        let skipped = match *element {
            SliceInfoElem::Slice { start, end, step } => {
                let first = absolute(start);
                // An end before the start is an empty range, as in ndarray.
                let last = end.map_or(length as isize, absolute).max(first);
                if first < 0 || last > length as isize || step == 0 {
                    let end = end.map_or(String::new(), |end| end.to_string());
                    return Err(invalid(format!("has no {start}..{end};{step} along axis {axis} of length {length}")));
                }
                let count = (last - first).unsigned_abs().div_ceil(step.unsigned_abs());
                new.shape.push(count);
                new.strides.push(if count > 1 { stride * step } else { stride });
                match count {
                    0 => 0,
                    _ if step < 0 => last - 1,
                    _ => first,
                }
            }
            SliceInfoElem::Index(index) => {
                let position = absolute(index);
                if position < 0 || position >= length as isize {
                    return Err(invalid(format!("has no index {index} along axis {axis} of length {length}")));
                }
                position
            }
            SliceInfoElem::NewAxis => unreachable!("handled above"),
        };
        new.offset = new.offset.checked_add_signed(skipped * stride).expect("within the allocation");
        axis += 1;
    }
    new.shape.extend_from_slice(&old.shape[axis..]);
    new.strides.extend_from_slice(&old.strides[axis..]);
    Ok(raw.with_layout(new))
}

const SLICE_HELP: &str = "; keep each bound within the array's shape";

pub(super) fn reshape(raw: &RawArray, shape: &[usize]) -> Result<RawArray> {
    let size = shape.iter().try_fold(1usize, |size, &length| size.checked_mul(length));
    if size != Some(raw.size()) {
        let reason = format!("has {} elements and cannot become {shape:?}; keep the number of elements", raw.size());
        return Err(Error::shape("reshape", raw.shape(), reason));
    }
    if let Some(layout) = reshaped(&raw.layout, shape) {
        return Ok(raw.with_layout(layout));
    }
    let raw = raw.copied("reshape")?;
    let offset = raw.layout.offset;
    Ok(raw.with_layout(Layout { offset, ..Layout::contiguous(shape) }))
}

/// The same elements in another shape of as many, if there are strides for it: axes that become one must be as evenly spaced as one.
fn reshaped(layout: &Layout, shape: &[usize]) -> Option<Layout> {
    let Layout { offset, .. } = *layout;
    if layout.is_contiguous() || shape.contains(&0) {
        return Some(Layout { offset, ..Layout::contiguous(shape) });
    }
    // Axes of length 1 have no say. From the end on, as many axes of both shapes are taken as have the same number of elements.
    let pairs = layout.shape.iter().copied().zip(layout.strides.iter().copied());
    let mut old: Vec<(usize, isize)> = pairs.filter(|&(length, _)| length != 1).collect();
    let mut strides = vec![0; shape.len()];
    let mut at = shape.len();
    while let Some((length, stride)) = old.pop() {
        let (mut count, mut span) = (length, 1);
        let mut step = stride;
        while span < count || at > 0 && shape[at - 1] == 1 {
            at -= 1;
            strides[at] = step;
            step *= shape[at] as isize;
            span *= shape[at];
            while count < span {
                let (length, outer) = old.pop()?;
                if outer != stride * count as isize {
                    return None;
                }
                count *= length;
            }
        }
    }
    Some(Layout { shape: shape.to_vec(), strides, offset })
}

/// The lengths of an array's new shape, with the one that is given as -1.
fn new_shape(raw: &RawArray, lengths: &[i128]) -> Result<Vec<usize>> {
    let size = raw.size();
    let invalid = |reason: String| Error::shape("reshape", raw.shape(), reason);
    if let Some(length) = lengths.iter().find(|length| **length < -1) {
        return Err(invalid(format!("cannot get the length {length}; only -1 may be negative, for one axis")));
    }
    let known =
        lengths.iter().filter(|length| **length >= 0).map(|length| usize::try_from(*length).unwrap_or(usize::MAX));
    let product = known.fold(1usize, usize::saturating_mul);
    let missing = match lengths.iter().filter(|length| **length == -1).count() {
        0 => 0,
        1 if product > 0 && size.is_multiple_of(product) => size / product,
        1 => {
            return Err(invalid(format!(
                "has {size} elements and cannot become {lengths:?}: the other lengths make {product}, which does not \
                 divide {size}; choose others"
            )));
        }
        count => return Err(invalid(format!("cannot become {lengths:?}: -1 stands {count} times; write it once"))),
    };
    Ok(lengths.iter().map(|length| usize::try_from(*length).unwrap_or(missing)).collect())
}

/// The array with its axes in the order of `axes`.
fn permuted(raw: &RawArray, axes: &[isize]) -> Result<RawArray> {
    let order = axes.iter().map(|axis| axis_of("permute_dims", raw.shape(), *axis)).collect::<Result<Vec<usize>>>()?;
    if axes_of("permute_dims", raw.shape(), axes)?.len() != raw.shape().len() {
        let reason = format!("has {} axes, which {axes:?} does not name once each; name each once", raw.shape().len());
        return Err(Error::shape("permute_dims", raw.shape(), reason));
    }
    let mut layout = raw.layout.clone();
    layout.shape = order.iter().map(|axis| raw.layout.shape[*axis]).collect();
    layout.strides = order.iter().map(|axis| raw.layout.strides[*axis]).collect();
    Ok(raw.with_layout(layout))
}

fn transpose(raw: &RawArray) -> RawArray {
    let mut layout = raw.layout.clone();
    layout.shape.reverse();
    layout.strides.reverse();
    raw.with_layout(layout)
}

/// The array repeated to `shape`; a view with zero strides.
pub(crate) fn broadcast_to(operation: &'static str, raw: &RawArray, shape: &[usize]) -> Result<RawArray> {
    let common = shape::broadcast_shapes(operation, raw.shape(), shape)?;
    if common != shape {
        let (left, right) = (raw.shape().to_vec(), shape.to_vec());
        return Err(Error::ShapeMismatch { operation, left, right });
    }
    Ok(raw.with_layout(shape::broadcast_layout(&raw.layout, shape)))
}

/// The error for an array that cannot be written to because it repeats elements, if it does.
pub(crate) fn writable(operation: &'static str, raw: &RawArray) -> Result<()> {
    if raw.layout.is_contiguous() {
        return Ok(());
    }
    let axes = raw.layout.shape.iter().zip(&raw.layout.strides).filter(|(length, _)| **length > 1);
    let mut axes: Vec<(usize, usize)> = axes.map(|(&length, stride)| (stride.unsigned_abs(), length)).collect();
    axes.sort_unstable();
    let what = if axes.first().is_some_and(|&(stride, _)| stride == 0) {
        "a broadcast view, whose elements repeat"
    } else if overlaps(&axes) {
        "a view of windows, which have elements in common"
    } else {
        return Ok(());
    };
    Err(Error::argument(operation, format!("the target is {what}; write to a `copy()` of it")))
}

/// Whether steps along one axis may lead to elements that steps along others lead to. The axes are sorted by their strides.
fn overlaps(axes: &[(usize, usize)]) -> bool {
    let mut reach = 0;
    axes.iter().any(|&(stride, length)| {
        let is_within = stride <= reach;
        reach += stride * (length - 1);
        is_within
    })
}

pub(crate) fn fill(raw: &RawArray, value: Scalar) -> Result<()> {
    writable("fill", raw)?;
    if raw.size() == 0 { Ok(()) } else { raw.handle.backend.fill(value, raw.view()) }
}

fn set(target: &RawArray, host: HostView<'_>) -> Result<()> {
    if target.shape() != host.shape {
        let reason =
            format!("is not the array's shape {:?}; for values that shall repeat, use `assign`", target.shape());
        return Err(Error::shape("set", host.shape, reason));
    }
    assign("set", target, &transfer::upload("set", &host, &target.handle)?)
}

/// Copies the elements of `source`, which broadcasts to the target's shape, into it.
pub(crate) fn assign(operation: &'static str, target: &RawArray, source: &RawArray) -> Result<()> {
    writable(operation, target)?;
    target.same_device(operation, source)?;
    let source = broadcast_to(operation, source, target.shape())?;
    if target.size() == 0 || (target.shares_memory(&source) && target.layout == source.layout) {
        return Ok(());
    }
    // Views of one allocation may overlap, and backends copy in any order.
    let source = if target.shares_memory(&source) { source.copied(operation)? } else { source };
    target.handle.backend.copy(source.view(), target.view())
}

/// The `count` elements along an axis that begin at `start` and are `step` apart; all of them are in the array.
pub(crate) fn slice_axis(raw: &RawArray, axis: usize, start: usize, step: isize, count: usize) -> RawArray {
    let mut layout = raw.layout.clone();
    let stride = layout.strides[axis];
    if count > 0 {
        layout.offset = layout.offset.checked_add_signed(stride * start as isize).expect("within the allocation");
    }
    layout.shape[axis] = count;
    layout.strides[axis] = if count > 1 { stride * step } else { stride };
    raw.with_layout(layout)
}
