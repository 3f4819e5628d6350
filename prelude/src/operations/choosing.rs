//! Choosing among arrays, and functions for what masks and indices do as methods: NumPy's indexing routines.

use crate::array::axes::axis_of;
use crate::array::indices::{Index, IntoIndices, RawIndices};
use crate::array::view::{assign, broadcast_to, fill};
use crate::array::{DeviceArray, OnDevice, RawArray, shape, writable};
use crate::backend::BinaryOperation;
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::{Operand, RawOperand, binary};
use crate::operations::indexing::{extremes, parts, ravel_multi_index_raw, take, take_axis, within};
use crate::operations::selection::{compressed, putmask as put_masked, select as select_into};
use crate::thin::thin;

/// For each index the element at its place in the choice that it names: `choices[a[i]][i]`. NumPy's `choose`.
///
/// The choices are arrays or numbers of one type; they and the indices broadcast. Indices go from 0 to below the number of
/// choices, and are checked, which waits; `gpu::choose!(&a, [&x, &y], mode = "wrap")` or `"clip"` gives others a meaning.
///
/// **Panics** if there is no choice, if an index names none ([`Error::InvalidArgument`]), if the shapes do not broadcast
/// ([`Error::ShapeMismatch`]) or the devices differ.
///
/// ```
/// use warpcell as gpu;
/// let (x, y) = (gpu::array(&[1.0, 2.0, 3.0]), gpu::array(&[10.0, 20.0, 30.0]));
/// assert_eq!(gpu::choose(&gpu::array(&[1, 0, 1]), [&x, &y]).tolist(), [10.0, 2.0, 30.0]);
/// ```
#[track_caller]
pub fn choose<I, C, T>(a: &DeviceArray<I>, choices: impl IntoIterator<Item = C>) -> DeviceArray<T>
where
    I: Index + Element,
    C: Operand<T>,
    T: Element,
{
    choose_with(a, choices, Outside::Refused)
}

/// [`choose`] with a meaning of indices that name no choice.
#[track_caller]
pub(crate) fn choose_with<I, C, T>(
    a: &DeviceArray<I>,
    choices: impl IntoIterator<Item = C>,
    outside: Outside,
) -> DeviceArray<T>
where
    I: Index + Element,
    C: Operand<T>,
    T: Element,
{
    let choices: Vec<C> = choices.into_iter().collect();
    let choices: Vec<RawOperand<'_>> = choices.iter().map(|choice| choice.raw_operand()).collect();
    DeviceArray::from_raw(check(chosen(&a.raw, &choices, outside)))
}

/// For each place the element of the first choice whose condition is true there, 0 (`false`) where none is. NumPy's `select`;
/// another value than 0 is `gpu::select!([&c, &d], [&x, &y], default = 1.0)`.
///
/// There is one condition for each choice. The choices are arrays or numbers of one type; all of them broadcast. Queued.
///
/// **Panics** if there is not one condition for each choice, or no choice ([`Error::InvalidArgument`]), if the shapes do not
/// broadcast ([`Error::ShapeMismatch`]) or the devices differ.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[-2.0, 0.5, 3.0]);
/// let steps = gpu::select([&a.lt(0.0), &a.gt(1.0)], [&a.negative(), &(&a * 10.0)]);
/// assert_eq!(steps.tolist(), [2.0, 0.0, 30.0]);
/// ```
#[track_caller]
pub fn select<'a, C: Operand<T>, T: Element>(
    condlist: impl IntoIterator<Item = &'a DeviceArray<bool>>,
    choicelist: impl IntoIterator<Item = C>,
) -> DeviceArray<T> {
    select_or(condlist, choicelist, Scalar::zero(T::DTYPE))
}

/// [`select`] with a value for where no condition is true.
#[track_caller]
pub(crate) fn select_or<'a, C: Operand<T>, T: Element>(
    condlist: impl IntoIterator<Item = &'a DeviceArray<bool>>,
    choicelist: impl IntoIterator<Item = C>,
    default: Scalar,
) -> DeviceArray<T> {
    let conditions: Vec<&RawArray> = condlist.into_iter().map(|condition| &*condition.raw).collect();
    let choices: Vec<C> = choicelist.into_iter().collect();
    let choices: Vec<RawOperand<'_>> = choices.iter().map(|choice| choice.raw_operand()).collect();
    DeviceArray::from_raw(check(selected(&conditions, &choices, RawOperand::Scalar(default))))
}

thin! {
    /// The elements where a 1-D condition is true, of the array in row-major order; 1-D. NumPy's `compress`; the parts along
    /// an axis are `gpu::compress!(&condition, &a, axis = 0)`. Waits, for their number.
    ///
    /// The condition may be shorter than the array: what is behind it is left out.
    ///
    /// **Panics** if the condition is not 1-D, or longer than the array ([`Error::InvalidShape`]), or on another device.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(gpu::compress(&gpu::array(&[false, true, true]), &a).tolist(), [2, 3]);
    /// ```
    pub fn compress<A: OnDevice<Elem = T>, T: Element>(condition: &DeviceArray<bool>, a: &A) -> DeviceArray<T> =>
        compressed_along("compress", &condition.raw, a.raw(), None);

    /// The elements of an array at the places where a condition of the same size is true, both in row-major order; 1-D. NumPy's
    /// `extract`; the method [`extract`](DeviceArray::extract) takes whole rows too. Waits, for their number.
    ///
    /// **Panics** if the sizes differ ([`Error::InvalidShape`]), or the devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1, -2], [-3, 4]]);
    /// assert_eq!(gpu::extract(&a.gt(0), &a).tolist(), [1, 4]);
    /// ```
    pub fn extract<A: OnDevice<Elem = T>, T: Element>(condition: &DeviceArray<bool>, arr: &A) -> DeviceArray<T> =>
        extracted(&condition.raw, arr.raw());
}

/// Copies values, which broadcast, into an array and the one that it is a view of: the method
/// [`assign`](DeviceArray::assign). NumPy's `copyto`; `gpu::copyto!(&mut a, 0.0, where = &mask)` writes only where the mask,
/// which broadcasts, is true.
///
/// **Panics** as the method does.
///
/// ```
/// use warpcell as gpu;
/// let mut a = gpu::zeros::<f64>((2, 2));
/// gpu::copyto(&mut a, &gpu::array(&[1.0, 2.0]));
/// assert_eq!(a.sum(), 6.0);
/// ```
#[track_caller]
pub fn copyto<T: Element>(dst: &mut DeviceArray<T>, src: impl Operand<T>) {
    dst.assign(src);
}

macro_rules! writers {
    ($($name:ident ($($argument:ident: $type:ty),*) $example:literal;)*) => {$(
        #[doc = concat!(
            "`gpu::", stringify!($name), "(&mut a", $(", ", stringify!($argument),)* ")` is the method [`",
            stringify!($name), "`](DeviceArray::", stringify!($name), ")."
        )]
        ///
        /// **Panics** as the method does.
        ///
        /// ```
        /// use warpcell as gpu;
        #[doc = $example]
        /// ```
        #[track_caller]
        pub fn $name<T: Element>(a: &mut DeviceArray<T>, $($argument: $type),*) {
            a.$name($($argument),*);
        }
    )*};
}
writers! {
    put(indices: impl IntoIndices, values: impl Operand<T>)
        "let mut a = gpu::zeros::<f64>(3);\ngpu::put(&mut a, [0, -1], 5.0);\nassert_eq!(a.tolist(), [5.0, 0.0, 5.0]);";
    put_along_axis(indices: impl IntoIndices, values: impl Operand<T>, axis: isize)
        "let mut a = gpu::array(&[[1, 2], [3, 4]]);\ngpu::put_along_axis(&mut a, &gpu::array(&[[1], [0]]), 9, 1);\nassert_eq!(a.ravel().tolist(), [1, 9, 9, 4]);";
    putmask(mask: &DeviceArray<bool>, values: impl Operand<T>)
        "let mut a = gpu::array(&[1, -2, 3]);\nlet mask = a.lt(0);\ngpu::putmask(&mut a, &mask, 0);\nassert_eq!(a.tolist(), [1, 0, 3]);";
    place(mask: &DeviceArray<bool>, values: impl Operand<T>)
        "let mut a = gpu::array(&[-1, 5, -2]);\nlet mask = a.lt(0);\ngpu::place(&mut a, &mask, &gpu::array(&[10, 20]));\nassert_eq!(a.tolist(), [10, 5, 20]);";
}

/// What becomes of an index that names no choice, or no element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    /// It is an error.
    Refused,
    /// It counts on from the first choice again, or back from the last.
    Wrapped,
    /// It names the first choice or the last.
    Clipped,
}

/// [`take`], or [`take_axis`], with a meaning of indices that are out of range.
pub(crate) fn take_with(
    array: &RawArray,
    indices: RawIndices,
    axis: Option<isize>,
    outside: Outside,
) -> Result<RawArray> {
    let length = match axis {
        Some(axis) => array.shape()[axis_of("take", array.shape(), axis)?],
        None => array.size(),
    };
    let indices = within("take", indices, length, outside)?;
    match axis {
        Some(axis) => take_axis(array, indices, axis),
        None => take(array, indices),
    }
}

/// The position of indices that count as they do in an array of each of the lengths.
pub(crate) fn ravel_multi_index_with(indices: Vec<RawIndices>, shape: &[usize], outside: Outside) -> Result<RawArray> {
    let lengths = shape.iter().copied().chain(std::iter::repeat(0));
    let indices = indices.into_iter().zip(lengths);
    let indices = indices.map(|(indices, length)| within("ravel_multi_index", indices, length, outside));
    ravel_multi_index_raw(indices.collect::<Result<_>>()?, shape)
}

/// `choose` with all arguments.
fn chosen(indices: &RawArray, choices: &[RawOperand<'_>], outside: Outside) -> Result<RawArray> {
    const NAME: &str = "choose";
    let Some((&first, others)) = choices.split_first() else {
        let reason = "there is nothing to choose from; give at least one array";
        return Err(Error::argument(NAME, reason));
    };
    let shape = common_shape(NAME, &[indices], choices)?;
    // Not negative, so its bits are those of each integer type.
    let number = |value: usize| RawOperand::Scalar(Scalar::from_bits(indices.dtype, value as u128));
    let by = |operation, x: &RawArray, value| binary(NAME, operation, x, number(value));
    let last = others.len();
    let indices = match outside {
        Outside::Refused => {
            if indices.size() > 0 {
                indices.handle.may_wait(NAME)?;
                let (least, most) = extremes(NAME, &indices.contiguous(NAME)?)?;
                if let Some(index) = [least, most].into_iter().find(|index| !(0..=last as i128).contains(index)) {
                    let reason = format!(
                        "the index {index} names none of the {} choices; indices go from 0 to {last}, or write \
                         `mode = \"wrap\"` or `mode = \"clip\"`",
                        last + 1
                    );
                    return Err(Error::argument(NAME, reason));
                }
            }
            indices.clone()
        }
        Outside::Wrapped => by(BinaryOperation::Modulo, indices, last + 1)?,
        Outside::Clipped => by(BinaryOperation::Minimum, &by(BinaryOperation::Maximum, indices, 0)?, last)?,
    };
    let out = RawArray::uninitialised(NAME, &indices.handle, &shape, first.dtype())?;
    write(NAME, &out, first)?;
    for (index, &choice) in others.iter().enumerate() {
        select_into(&by(BinaryOperation::Equal, &indices, index + 1)?, choice, RawOperand::Array(&out), &out)?;
    }
    Ok(out)
}

/// `select` with all arguments.
fn selected(conditions: &[&RawArray], choices: &[RawOperand<'_>], default: RawOperand<'_>) -> Result<RawArray> {
    const NAME: &str = "select";
    if conditions.len() != choices.len() || choices.is_empty() {
        let reason = format!(
            "there are {} conditions for {} choices; give one condition for each choice, and at least one",
            conditions.len(),
            choices.len()
        );
        return Err(Error::argument(NAME, reason));
    }
    let shape = common_shape(NAME, conditions, &[choices, &[default]].concat())?;
    let out = RawArray::uninitialised(NAME, &conditions[0].handle, &shape, default.dtype())?;
    write(NAME, &out, default)?;
    for (condition, &choice) in conditions.iter().zip(choices).rev() {
        select_into(condition, choice, RawOperand::Array(&out), &out)?;
    }
    Ok(out)
}

/// The shape to which all of them broadcast, which are on one device.
fn common_shape(name: &'static str, arrays: &[&RawArray], operands: &[RawOperand<'_>]) -> Result<Vec<usize>> {
    let operands = operands.iter().filter_map(|operand| operand.array());
    arrays.iter().copied().chain(operands).try_fold(Vec::new(), |common, array| {
        arrays[0].same_device(name, array)?;
        shape::broadcast_shapes(name, &common, array.shape())
    })
}

fn write(name: &'static str, target: &RawArray, value: RawOperand<'_>) -> Result<()> {
    match value {
        RawOperand::Array(array) => assign(name, target, array),
        RawOperand::Scalar(value) => fill(target, value),
    }
}

/// `compress` of the flattened array, or along an axis.
pub(crate) fn compressed_along(
    name: &'static str,
    condition: &RawArray,
    x: &RawArray,
    axis: Option<isize>,
) -> Result<RawArray> {
    condition.same_device(name, x)?;
    let flat;
    let (x, axis) = match axis {
        Some(axis) => (x, axis_of(name, x.shape(), axis)?),
        None => {
            flat = x.flat(name)?;
            (&flat, 0)
        }
    };
    let length = x.shape()[axis];
    match *condition.shape() {
        [count] if count <= length => parts(name, x, axis, &compressed(name, condition, None)?),
        _ => {
            let reason =
                format!("of the condition is not that of a 1-D array of at most {length} elements; give such a one");
            Err(Error::shape(name, condition.shape(), reason))
        }
    }
}

fn extracted(condition: &RawArray, x: &RawArray) -> Result<RawArray> {
    const NAME: &str = "extract";
    condition.same_device(NAME, x)?;
    if condition.size() != x.size() {
        let reason = format!(
            "of the condition has {} elements, but the array has {}; give one bool for each element",
            condition.size(),
            x.size()
        );
        return Err(Error::shape(NAME, condition.shape(), reason));
    }
    compressed(NAME, &condition.flat(NAME)?, Some(&x.flat(NAME)?))
}

/// `copyto` where a mask is true.
pub(crate) fn copied_where(target: &RawArray, source: RawOperand<'_>, mask: &RawArray) -> Result<()> {
    const NAME: &str = "copyto";
    writable(NAME, target)?;
    target.same_device(NAME, mask)?;
    let mask = broadcast_to(NAME, mask, target.shape())?;
    if let Some(array) = source.array() {
        target.same_device(NAME, array)?;
        broadcast_to(NAME, array, target.shape())?;
    }
    put_masked(target, &mask, source)
}
