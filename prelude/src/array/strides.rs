//! How arrays lie in memory: views with any strides, the order of elements, and the shape that several shapes broadcast to.

use crate::array::{DeviceArray, IntoAxes, IntoShape, OnDevice, RawArray, byte_count, shape, transfer};
use crate::backend::Layout;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::fallible::fallible;

fallible! {
    /// A view of the same memory with another shape and other strides, which begins at the array's first element; NumPy's
    /// `lib.stride_tricks.as_strided`.
    ///
    /// Strides say how many **elements** apart neighbours along each axis are, as [`strides`](DeviceArray::strides) does; NumPy
    /// counts bytes. They may be 0 or negative. A view in which indices share an element cannot be written to. Windows are made
    /// more easily by [`sliding_window_view`](fn@crate::sliding_window_view).
    ///
    /// **Panics** if the view is not within the memory of the array ([`Error::InvalidArgument`]), or if shape and strides have
    /// different lengths ([`Error::InvalidShape`]). The memory of a view is that of the array that it was made of.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::arange(5);
    /// assert_eq!(gpu::as_strided(&a, (3, 2), (1, 1)).ravel().tolist(), [0, 1, 1, 2, 2, 3]);
    /// assert!(gpu::try_as_strided(&a, (3, 2), (2, 1)).is_err());
    /// ```
    pub fn as_strided, try_as_strided<A: OnDevice<Elem = T>, T: Element>(
        x: &A,
        shape: impl IntoShape,
        strides: impl IntoAxes,
    ) -> Result<DeviceArray<T>> {
        with_strides(x.raw(), shape.into_shape(), strides.into_axes()).map(DeviceArray::from_raw)
    }

    /// The shape to which shapes broadcast; NumPy's `broadcast_shapes`, and the shape of its `broadcast(a, b)`. The arrays
    /// themselves are given by [`broadcast_arrays`](fn@crate::broadcast_arrays).
    ///
    /// **Panics** if the shapes do not broadcast ([`Error::ShapeMismatch`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::arange(3), gpu::array(&[[10], [20]]));
    /// assert_eq!(gpu::broadcast_shapes([a.shape(), b.shape()]), [2, 3]);
    /// assert_eq!(gpu::broadcast_shapes([[6, 1], [1, 7]]), [6, 7]);
    /// ```
    pub fn broadcast_shapes, try_broadcast_shapes<S: AsRef<[usize]>>(
        shapes: impl IntoIterator<Item = S>,
    ) -> Result<Vec<usize>> {
        let mut shapes = shapes.into_iter();
        shapes.try_fold(Vec::new(), |common, other| shape::broadcast_shapes("broadcast_shapes", &common, other.as_ref()))
    }
}

/// Whether the elements of an array with two axes or more follow one another in column-major order in memory, as Fortran has
/// them, and not also in row-major order; NumPy's `isfortran`.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1, 2, 3], [4, 5, 6]]);
/// assert!(gpu::isfortran(&a.t()) && !gpu::isfortran(&a));
/// ```
pub fn isfortran<A: OnDevice>(a: &A) -> bool {
    let layout = &a.raw().layout;
    // Elements that are not there are in both orders.
    layout.size() > 0 && !layout.is_contiguous() && transfer::reversed(layout).is_contiguous()
}

fn with_strides(x: &RawArray, shape: Vec<usize>, strides: Vec<isize>) -> Result<RawArray> {
    const NAME: &str = "as_strided";
    if shape.len() != strides.len() {
        let reason = format!(
            "has {} axes, but {} strides are given, {strides:?}; give one stride for each axis",
            shape.len(),
            strides.len()
        );
        return Err(Error::shape(NAME, shape, reason));
    }
    byte_count(NAME, &shape, x.dtype)?;
    let offset = x.layout.offset;
    if shape.contains(&0) {
        return Ok(x.with_layout(Layout { shape, strides, offset }));
    }
    let steps = || shape.iter().zip(&strides).map(|(&length, &stride)| (length as i128 - 1) * stride as i128);
    let sum = |steps: &mut dyn Iterator<Item = i128>| steps.fold(offset as i128, i128::saturating_add);
    let (first, last) = (sum(&mut steps().filter(|&step| step < 0)), sum(&mut steps().filter(|&step| step > 0)));
    let elements = x.allocation.bytes() / x.dtype.size();
    if first < 0 || last >= elements as i128 {
        let reason = format!(
            "the shape {shape:?} with the strides {strides:?} reaches from element {first} to element {last} of memory that has \
             {elements} elements, counted from 0; give a smaller shape or smaller strides, in elements and not in bytes"
        );
        return Err(Error::argument(NAME, reason));
    }
    Ok(x.with_layout(Layout { shape, strides, offset }))
}
