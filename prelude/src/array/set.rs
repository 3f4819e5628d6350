//! Writing into parts of an array: the macro [`set!`](macro@crate::set).

use crate::array::indices::{Index, RawIndices, sealed::Sealed as _};
use crate::array::view::{assign as copy_into, fill, slice};
use crate::array::{DeviceArray, RawArray};
use crate::backend::BinaryOperation;
use crate::dtype::{Arithmetic, Element};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{Operand, RawOperand, binary, binary_into};
use crate::operations::{indexing, selection};
use ndarray::{NewAxis, SliceInfoElem};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// Writes into a part of an array of the device; NumPy's `a[…] = x`, `a[…] += x`, and the same with `-=`, `*=` and `/=`.
///
/// Between the brackets stand, for each axis, an index, a range, or a range and a step (`..;2`), as in `s![…]`; or a
/// reference to an array of integers, which are indices; or a reference to an array of bools, a mask. Negative indices and
/// bounds count from the end. Axes that are not mentioned are taken whole. Several arrays of integers go together: each
/// takes one axis, and all axes have one. The value is a number or an array that broadcasts to the part. With a mask of the
/// array's shape it may also have one element for each that is true. Where an index is repeated, the last value stays, and
/// `+=` adds once, as in NumPy.
///
/// The array is a variable or a field, and stays what it is; views of it see what is written.
///
/// **Panics** if an index, a bound or a shape does not fit ([`Error::InvalidShape`], [`Error::IndexOutOfRange`],
/// [`Error::ShapeMismatch`]), a device differs, or the array is a view made by
/// [`broadcast_to`](crate::DeviceArray::broadcast_to).
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
/// let u = gpu::zeros::<f64>((4, 4));
/// gpu::set!(u[1..-1, 1..-1] += 2.0);
/// gpu::set!(u[0, ..] = &gpu::arange(4.0));
/// gpu::set!(u[&u.gt(2.5)] = 0.0);
/// gpu::set!(u[&gpu::array(&[3, 1]), 0] = 5.0);
/// assert_eq!(u.slice(s![0, ..]).tolist(), [0.0, 1.0, 2.0, 0.0]);
/// assert_eq!(u.slice(s![.., 0]).tolist(), [0.0, 5.0, 0.0, 5.0]);
/// ```
#[macro_export]
macro_rules! set {
    (@function =) => { $crate::set::assign };
    (@function +=) => { $crate::set::add };
    (@function -=) => { $crate::set::subtract };
    (@function *=) => { $crate::set::multiply };
    (@function /=) => { $crate::set::divide };
    ($($array:ident).+ [$($part:expr $(; $step:expr)?),* $(,)?] $operator:tt $value:expr) => {
        $crate::set!(@function $operator)(
            &$($array).+,
            ::std::vec![$($crate::set::part($part) $(.step($step))?),*],
            $value,
        )
    };
}

/// What stands for one axis between the brackets of [`set!`](macro@crate::set).
pub enum Part {
    /// An index, a range or a new axis.
    Slice(SliceInfoElem),
    /// Indices.
    Indices(RawIndices),
    /// A mask.
    Mask(RawArray),
}

impl Part {
    /// The range with a step.
    #[track_caller]
    pub fn step(self, step: isize) -> Part {
        match self {
            Part::Slice(SliceInfoElem::Slice { start, end, .. }) => {
                Part::Slice(SliceInfoElem::Slice { start, end, step })
            }
            _ => {
                let reason = format!("only a range has a step; write a range in front of `;{step}`");
                check(Err(Error::argument("set!", reason)))
            }
        }
    }

    /// How many axes of the array it takes.
    fn axes(&self) -> usize {
        match self {
            Part::Slice(SliceInfoElem::NewAxis) => 0,
            Part::Slice(_) | Part::Indices(_) => 1,
            Part::Mask(mask) => mask.shape().len(),
        }
    }
}

/// What can stand between the brackets of [`set!`](macro@crate::set).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand between the brackets of `gpu::set!`",
    label = "expected an index, a range, or a reference to an array of integers or bools",
    note = "write for example `gpu::set!(a[1..-1, 0] = 2.0)`, `gpu::set!(a[&mask] = 0.0)` or `gpu::set!(a[&rows, ..] = &b)`"
)]
pub trait IntoPart {
    /// The part.
    fn into_part(self) -> Part;
}

/// The part that an expression stands for.
pub fn part(part: impl IntoPart) -> Part {
    part.into_part()
}

macro_rules! slices {
    ($($type:ty)*) => {$(
        impl IntoPart for $type {
            fn into_part(self) -> Part {
                Part::Slice(self.into())
            }
        }
    )*};
}
slices! {
    i32 isize usize Range<i32> Range<isize> Range<usize> RangeFrom<i32> RangeFrom<isize> RangeFrom<usize> RangeTo<i32>
    RangeTo<isize> RangeTo<usize> RangeInclusive<i32> RangeInclusive<isize> RangeInclusive<usize> RangeToInclusive<i32>
    RangeToInclusive<isize> RangeToInclusive<usize> RangeFull NewAxis
}
impl<I: Index + Element> IntoPart for &DeviceArray<I> {
    fn into_part(self) -> Part {
        Part::Indices(self.raw_indices())
    }
}
impl IntoPart for &DeviceArray<bool> {
    fn into_part(self) -> Part {
        Part::Mask((*self.raw).clone())
    }
}

/// `set!(a[…] = value)`
#[track_caller]
pub fn assign<T: Element>(array: &DeviceArray<T>, parts: Vec<Part>, value: impl Operand<T>) {
    check(write(&array.raw, parts, None, value.raw_operand()));
}

macro_rules! computed {
    ($($name:ident $operation:ident;)*) => {$(
        #[doc = concat!("[`set!`](macro@crate::set) that writes what [`", stringify!($name), "`](DeviceArray::", stringify!($name), ") gives.")]
        #[track_caller]
        pub fn $name<T: Arithmetic>(array: &DeviceArray<T>, parts: Vec<Part>, value: impl Operand<T>) {
            check(write(&array.raw, parts, Some(BinaryOperation::$operation), value.raw_operand()));
        }
    )*};
}
computed! { add Add; subtract Subtract; multiply Multiply; divide Divide; }

const NAME: &str = "set!";

/// Writes the values, or what the operation makes of the old elements and of them.
fn write(
    target: &RawArray,
    mut parts: Vec<Part>,
    operation: Option<BinaryOperation>,
    values: RawOperand<'_>,
) -> Result<()> {
    match &parts[..] {
        [Part::Mask(mask)] if mask.shape().len() > 1 || target.shape().len() == 1 => {
            return write_masked(target, mask, operation, values);
        }
        _ => {}
    }
    for part in &mut parts {
        if let Part::Mask(mask) = part {
            *part = Part::Indices(positions(mask)?);
        }
    }
    let is_indices = |part: &Part| matches!(part, Part::Indices(_));
    match parts.iter().filter(|part| is_indices(part)).count() {
        0 => {
            let view = sliced(target, &parts)?;
            match (operation, values) {
                (Some(operation), _) => binary_into(NAME, operation, &view, values),
                (None, RawOperand::Scalar(value)) => fill(&view, value),
                (None, RawOperand::Array(array)) => copy_into(NAME, &view, array),
            }
        }
        1 => {
            let place = parts.iter().position(is_indices).expect("there is one");
            let all = Part::Slice(SliceInfoElem::Slice { start: 0, end: None, step: 1 });
            let Part::Indices(indices) = std::mem::replace(&mut parts[place], all) else { unreachable!("found above") };
            let view = sliced(target, &parts)?;
            let is_kept = |part: &&Part| !matches!(part, Part::Slice(SliceInfoElem::Index(_)));
            let axis = parts[..place].iter().filter(is_kept).count() as isize;
            write_each(
                operation,
                values,
                |indices| indexing::take_axis(&view, indices, axis),
                |indices, values| indexing::put_axis(&view, indices, values, axis),
                indices,
            )
        }
        count if count == parts.len() && count == target.shape().len() => {
            let indices = parts.into_iter().filter_map(|part| match part {
                Part::Indices(indices) => Some(indices),
                Part::Slice(_) | Part::Mask(_) => None,
            });
            let places = RawIndices::Device(indexing::ravel_multi_index_raw(indices.collect(), target.shape())?);
            write_each(
                operation,
                values,
                |places| indexing::take(target, places),
                |places, values| indexing::put(target, places, values),
                places,
            )
        }
        count => {
            let reason = format!(
                "has {} axes, and {count} of {} parts are arrays of indices; give one such array, or one for each axis",
                target.shape().len(),
                parts.len()
            );
            Err(Error::shape(NAME, target.shape(), reason))
        }
    }
}

/// The view that parts without arrays stand for.
fn sliced(target: &RawArray, parts: &[Part]) -> Result<RawArray> {
    let taken: usize = parts.iter().map(Part::axes).sum();
    if taken > target.shape().len() {
        let reason = format!("has {} axes, but {taken} parts are given; give one for each axis", target.shape().len());
        return Err(Error::shape(NAME, target.shape(), reason));
    }
    let slices: Vec<SliceInfoElem> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Slice(slice) => Some(*slice),
            Part::Indices(_) | Part::Mask(_) => None,
        })
        .collect();
    slice(target, &slices)
}

/// Writes through indices: reads the old elements first where there is an operation.
fn write_each(
    operation: Option<BinaryOperation>,
    values: RawOperand<'_>,
    take: impl Fn(RawIndices) -> Result<RawArray>,
    put: impl Fn(RawIndices, RawOperand<'_>) -> Result<()>,
    indices: RawIndices,
) -> Result<()> {
    match operation {
        None => put(indices, values),
        Some(operation) => {
            let old = take(indices.clone())?;
            let new = binary(NAME, operation, &old, values)?;
            put(indices, RawOperand::Array(&new))
        }
    }
}

/// Where a mask of one axis is true.
fn positions(mask: &RawArray) -> Result<RawIndices> {
    if mask.shape().len() != 1 {
        let reason = "of the mask is not 1-D; a mask of more axes stands alone: `gpu::set!(a[&mask] = 0.0)`";
        return Err(Error::shape(NAME, mask.shape(), reason));
    }
    selection::flat_positions(NAME, mask).map(RawIndices::Device)
}

fn write_masked(
    target: &RawArray,
    mask: &RawArray,
    operation: Option<BinaryOperation>,
    values: RawOperand<'_>,
) -> Result<()> {
    let is_one_value = match values {
        RawOperand::Scalar(_) => true,
        RawOperand::Array(array) => array.size() == 1 && array.shape().len() <= 1,
    };
    match operation {
        None if is_one_value => selection::putmask(target, mask, values),
        None => match values {
            RawOperand::Array(array) => selection::place(target, mask, array),
            RawOperand::Scalar(_) => unreachable!("one value"),
        },
        Some(operation) if is_one_value => {
            let new = binary(NAME, operation, target, values)?;
            selection::putmask(target, mask, RawOperand::Array(&new))
        }
        Some(operation) => {
            let old = selection::extract(target, mask)?;
            let new = binary(NAME, operation, &old, values)?;
            selection::place(target, mask, &new)
        }
    }
}
