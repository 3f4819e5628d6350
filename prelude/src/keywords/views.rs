//! What calls of views with keywords need: diagonals, other axes, other orders, and grids.

use crate::array::axes::{IntoAxes, axes_of};
use crate::array::create::grids;
use crate::array::indices::RawIndices;
use crate::array::triangles::diagonal_along;
use crate::array::{DeviceArray, IntoNewShape, IntoShape, OnDevice, RawArray, join, transfer, with_rank};
use crate::backend::{Layout, ReduceOperation};
use crate::dtype::{DType, Element, Float, Inexact, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::Operand;
use crate::operations::indexing::take_axis;
use crate::operations::partition::parted;
use crate::operations::reduce::reduce;
use crate::operations::siblings::typed;
use crate::operations::sorting::{self, sorted_rows};
use crate::thin::thin;
use num_complex::Complex;

/// The array without some axes of length 1; a view.
fn squeezed(x: &RawArray, axes: &[isize]) -> Result<RawArray> {
    let axes = axes_of("squeeze", x.shape(), axes)?;
    if let Some(&axis) = axes.iter().find(|&&axis| x.shape()[axis] != 1) {
        let reason = format!("has length {} along axis {axis}; only axes of length 1 can be left out", x.shape()[axis]);
        return Err(Error::shape("squeeze", x.shape(), reason));
    }
    let Layout { mut shape, mut strides, offset } = x.layout.clone();
    for &axis in axes.iter().rev() {
        shape.remove(axis);
        strides.remove(axis);
    }
    Ok(x.with_layout(Layout { shape, strides, offset }))
}

/// The sums of the diagonals of two axes, whose elements get this type.
fn sum_of_diagonal(x: &RawArray, offset: isize, axes: [isize; 2], dtype: DType) -> Result<RawArray> {
    let line = diagonal_along("trace", x, offset, axes)?.in_type("trace", dtype)?;
    reduce("trace", ReduceOperation::Sum, &line, &[line.shape().len() - 1])
}

fn flat_join(arrays: Vec<RawArray>) -> Result<RawArray> {
    let flat = arrays.iter().map(|array| array.flat("concatenate")).collect::<Result<Vec<_>>>()?;
    join("concatenate", &flat, 0)
}

thin! {
    /// `gpu::diagonal` for another diagonal, of other axes.
    pub fn diagonal<A: OnDevice<Elem = T>, T: Element>(a: &A, offset: isize, axis1: isize, axis2: isize)
    -> DeviceArray<T> => diagonal_along("diagonal", a.raw(), offset, [axis1, axis2]);

    /// The sums of the diagonals of two axes.
    pub fn traces<A: OnDevice<Elem = T>, T: Element>(a: &A, offset: isize, axis1: isize, axis2: isize)
    -> DeviceArray<T::Sum> => sum_of_diagonal(a.raw(), offset, [axis1, axis2], T::DTYPE);

    /// The same of another element type.
    pub fn traces_as<D: Element, A: OnDevice>(a: &A, offset: isize, axis1: isize, axis2: isize) -> DeviceArray<D::Sum> =>
        sum_of_diagonal(a.raw(), offset, [axis1, axis2], D::DTYPE);

    /// `gpu::squeeze` of some axes.
    pub fn squeeze<A: OnDevice<Elem = T>, T: Element>(a: &A, axis: impl IntoAxes) -> DeviceArray<T> =>
        squeezed(a.raw(), &axis.into_axes());

    /// The elements in ascending order, along one axis.
    pub fn sort_flat<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        a.raw().flat("sort").and_then(|flat| sorted_rows("sort", &flat, false));

    /// The positions in row-major order that the elements have in ascending order.
    pub fn argsort_flat<A: OnDevice>(a: &A) -> DeviceArray<i64> =>
        a.raw().flat("argsort").and_then(|flat| sorted_rows("argsort", &flat, true));

    /// `gpu::partition` of all elements.
    pub fn partition_flat<A: OnDevice<Elem = T>, T: Element>(a: &A, kth: usize) -> DeviceArray<T> =>
        a.raw().flat("partition").and_then(|flat| parted("partition", &flat, kth, -1, false));

    /// `gpu::argpartition` of all elements.
    pub fn argpartition_flat<A: OnDevice>(a: &A, kth: usize) -> DeviceArray<i64> =>
        a.raw().flat("argpartition").and_then(|flat| parted("argpartition", &flat, kth, -1, true));

    /// The elements of all arrays, one array behind the other.
    pub fn concatenate_flat<'a, A: 'a + OnDevice<Elem = T>, T: Element>(arrays: impl IntoIterator<Item = &'a A>)
    -> DeviceArray<T> => flat_join(arrays.into_iter().map(|array| array.raw().clone()).collect());

    /// The array with axes of length 1 in front, until it has so many.
    pub fn at_least<A: OnDevice<Elem = T>, T: Element>(a: &A, ndmin: usize) -> DeviceArray<T> =>
        with_rank("array", a.raw(), ndmin);

    /// The positions of `gpu::searchsorted` in an array that an order sorts.
    pub fn searchsorted<A: OnDevice<Elem = T>, T: Element>(
        a: &A, v: impl Operand<T>, side: sorting::Side, sorter: &DeviceArray<i64>
    ) -> DeviceArray<i64> => {
        let sorted = take_axis(a.raw(), RawIndices::Device((*sorter.raw).clone()), 0);
        sorted.and_then(|sorted| sorting::searched(&sorted, v.raw_operand(), side))
    };
}

/// The sum of a diagonal.
#[track_caller]
pub fn trace<A: OnDevice<Elem = T>, T: Element>(a: &A, offset: isize) -> T::Sum {
    trace_as::<T, A>(a, offset)
}

/// The sum of a diagonal of another element type. Only the diagonal is converted.
#[track_caller]
pub fn trace_as<D: Element, A: OnDevice>(a: &A, offset: isize) -> D::Sum {
    fn found(x: &RawArray, offset: isize, dtype: DType) -> Result<Scalar> {
        x.handle.may_wait("trace")?;
        if x.shape().len() != 2 {
            let reason =
                "is not 2-D; write `gpu::trace!(&a, axis1 = 0, axis2 = 1)`, or slice the array to two axes first";
            return Err(Error::shape("trace", x.shape(), reason));
        }
        transfer::item(&sum_of_diagonal(x, offset, [0, 1], dtype)?)
    }
    transfer::typed_scalar(check(found(a.raw(), offset, D::DTYPE)))
}

/// `gpu::angle` in degrees, if they are wanted.
#[track_caller]
pub fn angle<A: OnDevice<Elem = Complex<R>>, R: Float>(z: &A, deg: bool) -> DeviceArray<R>
where
    Complex<R>: Inexact<Part = R>,
{
    let angles = crate::angle(z);
    if deg { angles.degrees() } else { angles }
}

/// Whether elements are read in the order in which columns stand in memory.
#[track_caller]
fn by_columns(name: &'static str, order: &str, x: &RawArray) -> bool {
    let reason = || Error::argument(name, format!("there is no order \"{order}\"; write \"C\", \"F\" or \"A\""));
    check(match order {
        "C" => Ok(false),
        "F" => Ok(true),
        "A" => {
            let turned = transfer::reversed(&x.layout);
            Ok(turned == Layout { offset: turned.offset, ..Layout::contiguous(&turned.shape) } && x.shape().len() > 1)
        }
        _ => Err(reason()),
    })
}

/// `gpu::ravel` in an order.
#[track_caller]
pub fn ravel<A: OnDevice<Elem = T>, T: Element>(a: &A, order: &str) -> DeviceArray<T> {
    let all = typed(a);
    if by_columns("ravel", order, a.raw()) { all.transpose().ravel() } else { all.ravel() }
}

/// `gpu::reshape` in an order.
#[track_caller]
pub fn reshape<A: OnDevice<Elem = T>, T: Element>(a: &A, shape: impl IntoNewShape, order: &str) -> DeviceArray<T> {
    let all = typed(a);
    if !by_columns("reshape", order, a.raw()) {
        return all.reshape(shape);
    }
    // The lengths are those of an array in the other order.
    let lengths = all.reshape(shape).shape().to_vec();
    let turned: Vec<usize> = lengths.into_iter().rev().collect();
    all.transpose().reshape(turned).transpose()
}

/// Whether the coordinates of `gpu::meshgrid` are in the order of the axes.
fn is_turned(indexing: &str) -> Result<bool> {
    match indexing {
        "xy" => Ok(false),
        "ij" => Ok(true),
        _ => {
            let reason = format!("there is no indexing \"{indexing}\"; write \"xy\" or \"ij\"");
            Err(Error::argument("meshgrid", reason))
        }
    }
}

macro_rules! meshgrids {
    ($($name:ident $count:literal: $($axis:ident $type:ident),*;)*) => {$(
        #[doc = concat!("`gpu::meshgrid` of ", $count, " axes, with its keywords.")]
        #[track_caller]
        pub fn $name<T: Element, $($type: OnDevice<Elem = T>),*>($($axis: &$type,)* indexing: &str, sparse: bool)
        -> ($(meshgrids!(@grid $axis T)),*) {
            let found = is_turned(indexing).and_then(|is_turned| grids(&[$($axis.raw()),*], is_turned, sparse));
            let mut found = check(found).into_iter().map(DeviceArray::from_raw);
            ($(meshgrids!(@next $axis found)),*)
        }
    )*};
    (@grid $axis:ident $element:ident) => { DeviceArray<$element> };
    (@next $axis:ident $found:ident) => { $found.next().expect("a grid for each axis") };
}
meshgrids! {
    meshgrid "two": x X, y Y;
    meshgrid3 "three": x X, y Y, z Z;
    meshgrid4 "four": x X, y Y, z Z, w W;
}

/// The place of an extreme among all elements, with as many axes as the array.
#[track_caller]
pub fn place_of_all<A: OnDevice>(a: &A, place: usize) -> DeviceArray<i64> {
    let place = Scalar::I64(i64::try_from(place).expect("positions are i64"));
    let raw = a.raw();
    DeviceArray::from_raw(check(RawArray::filled("argmax", &raw.handle, &vec![1; raw.shape().len()], place)))
}

/// The coordinates of `gpu::indices`, each with axes of length 1 for the others.
#[track_caller]
pub fn open_indices(dimensions: impl IntoShape) -> Vec<DeviceArray<i64>> {
    crate::ogrid(dimensions.into_shape().into_iter().map(|length| 0..length as i64))
}
