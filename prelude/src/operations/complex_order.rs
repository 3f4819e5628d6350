//! What complex numbers have that backends compute of real ones only: products and running products, and what needs their order.
//!
//! NumPy orders complex numbers by their real parts, and those of equal real parts by their imaginary parts. All is composed of
//! operations on the numbers and on their parts.

use crate::array::{RawArray, assign, join, slice_axis};
use crate::backend::loops::Loops;
use crate::backend::{BinaryOperation, Layout, ReduceOperation, ScanOperation, UnaryOperation};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::operations::complex_functions;
use crate::operations::composing::Composed;
use crate::operations::elementwise::RawOperand;
use crate::operations::formulas::apply_one;
use crate::operations::ordering::by_keys;
use crate::operations::reduce::{reduce, remaining};
use crate::operations::scan::scan_axis;
use crate::operations::selection::{choose, compressed, flat_positions};
use crate::operations::statistics::with_axes;

/// Longer rows are sorted by their parts: the backend shares them out to its threads.
const LOOPED: usize = 1 << 14;

/// Whether a part of each number is NaN.
pub(crate) fn is_nan(name: &'static str, x: &RawArray) -> Result<RawArray> {
    apply_one(name, complex_functions::has_nan, &[RawOperand::Array(x)])
}

/// The elements of each row at the positions, which are contiguous and in range.
pub(crate) fn rearranged(name: &'static str, x: &RawArray, order: &RawArray) -> Result<RawArray> {
    RawArray::written(name, &x.handle, order.shape(), x.dtype, |out| {
        out.handle.backend.gather(x.view(), x.shape().len() - 1, order.view(), out.view())
    })
}

/// The positions that the elements of each row have in ascending order. Numbers with a NaN come last: those whose imaginary part alone
/// is NaN, those whose real part alone is, and those of which both are.
pub(crate) fn order_of_rows(name: &'static str, x: &RawArray) -> Result<RawArray> {
    if *x.shape().last().expect("there is an axis") <= LOOPED {
        let given = for_loops(name, x, x.shape())?;
        if let Some((x, out)) = given
            && looped(&out, Loops::ComplexOrder { x: x.view(), out: out.view() })?
        {
            return Ok(out);
        }
    }
    let calc = Composed(name);
    let (real, imag) = (x.part(false), x.part(true));
    let nan = |part: &RawArray| calc.each(UnaryOperation::IsNan, part)?.converted(name, DType::U8);
    let twice = calc.with(BinaryOperation::Multiply, &nan(&real)?, 2.0)?;
    let class = calc.pair(BinaryOperation::Add, &twice, &nan(&imag)?)?;
    by_keys(name, &[imag, real, class], -1)
}

/// A contiguous array, and integers of this shape for what loops say of it. None where the backend has no such loops.
fn for_loops(name: &'static str, x: &RawArray, shape: &[usize]) -> Result<Option<(RawArray, RawArray)>> {
    if x.handle.device != Device::Cpu {
        return Ok(None);
    }
    Ok(Some((x.contiguous(name)?, RawArray::uninitialised(name, &x.handle, shape, DType::I64)?)))
}

/// Whether loops have written all that there is of `out`.
fn looped(out: &RawArray, loops: Loops<'_>) -> Result<bool> {
    Ok(out.size() == 0 || out.handle.backend.by_loops(loops)?)
}

/// The array with `axes`, sorted, joined behind the others; contiguous.
fn joined_rows(name: &'static str, x: &RawArray, axes: &[usize]) -> Result<RawArray> {
    let last = x.shape().len().saturating_sub(1);
    // The first axis that is moved to the end comes to stand before the others.
    let moved = axes.iter().enumerate().fold(x.clone(), |x, (done, axis)| x.moved(axis - done, last));
    let length = axes.iter().map(|&axis| x.shape()[axis]).product();
    Composed(name).shaped(&moved, &[&remaining(x.shape(), axes)[..], &[length]].concat())
}

/// The array without the last axis, which has length 1.
fn without_last(x: &RawArray) -> RawArray {
    let Layout { mut shape, mut strides, offset } = x.layout.clone();
    shape.pop();
    strides.pop();
    x.with_layout(Layout { shape, strides, offset })
}

/// Products and extremes, and the places of these.
pub(crate) fn reduced(
    name: &'static str,
    operation: ReduceOperation,
    x: &RawArray,
    axes: &[usize],
) -> Result<RawArray> {
    use ReduceOperation::{ArgMax, ArgMin, Max, Min, Product};
    let rows = joined_rows(name, x, axes)?;
    let axis = rows.shape().len() - 1;
    match operation {
        Product if rows.shape()[axis] == 0 => {
            RawArray::filled(name, &rows.handle, &rows.shape()[..axis], Scalar::one(rows.dtype))
        }
        Product => combined(name, BinaryOperation::Multiply, rows),
        Max => combined(name, BinaryOperation::Maximum, rows),
        Min => combined(name, BinaryOperation::Minimum, rows),
        ArgMax | ArgMin => {
            let greatest = operation == ArgMax;
            if let Some((x, out)) = for_loops(name, &rows, &rows.shape()[..axis])?
                && looped(&out, Loops::ComplexExtremes { x: x.view(), greatest, out: out.view() })?
            {
                return Ok(out);
            }
            let which = if greatest { BinaryOperation::Maximum } else { BinaryOperation::Minimum };
            let extremes = with_axes(&combined(name, which, rows.clone())?, &[axis]);
            // The first one is wanted, or the first NaN.
            let operands = [RawOperand::Array(&rows), RawOperand::Array(&extremes)];
            reduce(name, ArgMax, &apply_one(name, complex_functions::is_found, &operands)?, &[axis])
        }
        other => unreachable!("{other:?} of complex numbers does not compile"),
    }
}

/// What an operation makes of each row, which has a number at least: halves are combined with one another until one number is left.
fn combined(name: &'static str, operation: BinaryOperation, rows: RawArray) -> Result<RawArray> {
    let axis = rows.shape().len() - 1;
    let mut found = rows;
    while found.shape()[axis] > 1 {
        let length = found.shape()[axis];
        let part = |start: usize, count: usize| slice_axis(&found, axis, start, 1, count);
        let half = length / 2;
        let pairs = Composed(name).pair(operation, &part(0, half), &part(half, half))?;
        if length % 2 == 1 {
            let first = slice_axis(&pairs, axis, 0, 1, 1);
            assign(name, &first, &Composed(name).pair(operation, &first, &part(length - 1, 1))?)?;
        }
        found = pairs;
    }
    // A row of one number is still a view.
    without_last(&found).copied(name)
}

/// Running sums or products along an axis of a contiguous array.
pub(crate) fn scanned(name: &'static str, operation: ScanOperation, x: &RawArray, axis: usize) -> Result<RawArray> {
    match operation {
        ScanOperation::Sum => {
            let parts = x.parts();
            // Numbers of no axis are one number.
            if x.shape().is_empty() {
                return x.copied(name);
            }
            Ok(scan_axis(name, operation, &parts, axis as isize)?.joined(x.dtype))
        }
        ScanOperation::Product => running_products(name, x, axis),
    }
}

/// The products of pairs are run through first; each of them is one of two results. So all take twice as many products as numbers.
fn running_products(name: &'static str, x: &RawArray, axis: usize) -> Result<RawArray> {
    let calc = Composed(name);
    let length = x.shape()[axis];
    if length < 2 {
        return x.copied(name);
    }
    let (pairs, rest) = (length / 2, (length - 1) / 2);
    let every_other = |x: &RawArray, start: usize, count: usize| slice_axis(x, axis, start, 2, count);
    let products = calc.pair(BinaryOperation::Multiply, &every_other(x, 0, pairs), &every_other(x, 1, pairs))?;
    let run = running_products(name, &products, axis)?;
    let out = RawArray::uninitialised(name, &x.handle, x.shape(), x.dtype)?;
    assign(name, &slice_axis(&out, axis, 0, 1, 1), &slice_axis(x, axis, 0, 1, 1))?;
    assign(name, &every_other(&out, 1, pairs), &run)?;
    let later = calc.pair(BinaryOperation::Multiply, &slice_axis(&run, axis, 0, 1, rest), &every_other(x, 2, rest))?;
    assign(name, &every_other(&out, 2, rest), &later)?;
    Ok(out)
}

/// The distinct elements of a sorted 1-D array that is not empty, and where the run of each begins, with the number of all behind. All
/// numbers with a NaN are one element.
pub(crate) fn runs_of(name: &'static str, sorted: &RawArray) -> Result<(RawArray, RawArray)> {
    let calc = Composed(name);
    let count = sorted.size();
    let neighbours = |x: &RawArray| (slice_axis(x, 0, 1, 1, count - 1), slice_axis(x, 0, 0, 1, count - 1));
    let (later, earlier) = neighbours(sorted);
    let (later_nan, earlier_nan) = neighbours(&is_nan(name, sorted)?);
    let both_nan = calc.pair(BinaryOperation::LogicalAnd, &later_nan, &earlier_nan)?;
    let differ = calc.pair(BinaryOperation::NotEqual, &later, &earlier)?;
    let begins = calc.pair(BinaryOperation::LogicalAnd, &differ, &calc.each(UnaryOperation::LogicalNot, &both_nan)?)?;
    let first = RawArray::filled(name, &sorted.handle, &[1], Scalar::Bool(true))?;
    let begins = join(name, &[first, begins], 0)?;
    let end = RawArray::filled(name, &sorted.handle, &[1], Scalar::I64(count as i64))?;
    let starts = join(name, &[flat_positions(name, &begins)?, end], 0)?;
    Ok((compressed(name, &begins, Some(sorted))?, starts))
}

/// How many elements of a sorted 1-D array are less than each value, or less or equal; where there are no loops, by sorting both together.
pub(crate) fn found_in(name: &'static str, sorted: &RawArray, values: &RawArray, right: bool) -> Result<RawArray> {
    if let (Some((values, out)), sorted) = (for_loops(name, values, values.shape())?, sorted.contiguous(name)?)
        && looped(&out, Loops::ComplexPlaces { sorted: sorted.view(), values: values.view(), right, out: out.view() })?
    {
        return Ok(out);
    }
    let calc = Composed(name);
    let flat = values.flat(name)?;
    let (count, all) = (flat.size(), flat.size() + sorted.size());
    // What stands in front comes first of equal elements.
    let both = if right { join(name, &[sorted.clone(), flat], 0)? } else { join(name, &[flat, sorted.clone()], 0)? };
    let order = order_of_rows(name, &both)?;
    let border = if right { sorted.size() } else { count } as f64;
    let side = if right { BinaryOperation::Less } else { BinaryOperation::GreaterEqual };
    let of_sorted = calc.with(side, &order, border)?.converted(name, DType::I64)?;
    let before = scan_axis(name, ScanOperation::Sum, &of_sorted, 0)?;
    let places = RawArray::uninitialised(name, &values.handle, &[all], DType::I64)?;
    values.handle.backend.scatter(crate::backend::Operand::Array(before.view()), 0, order.view(), places.view())?;
    let begin = if right { sorted.size() } else { 0 };
    calc.shaped(&slice_axis(&places, 0, begin, 1, count), values.shape())
}

/// Whether each value is in a sorted 1-D array, or is not. NaN is in none.
pub(crate) fn is_in(name: &'static str, sorted: &RawArray, values: &RawArray, is_inverted: bool) -> Result<RawArray> {
    let calc = Composed(name);
    if sorted.size() == 0 || values.size() == 0 {
        return RawArray::filled(name, &values.handle, values.shape(), Scalar::Bool(is_inverted));
    }
    let last = (sorted.size() - 1) as f64;
    let places = calc.with(BinaryOperation::Minimum, &found_in(name, sorted, values, false)?, last)?;
    let nearest = rearranged(name, sorted, &places.flat(name)?)?;
    let operation = if is_inverted { BinaryOperation::NotEqual } else { BinaryOperation::Equal };
    calc.pair(operation, &calc.shaped(&nearest, values.shape())?, values)
}

/// The numbers with this value in place of those that have a NaN.
pub(crate) fn without_nan(name: &'static str, x: &RawArray, value: f64) -> Result<RawArray> {
    let other = RawOperand::Scalar(Scalar::of_float(value, x.dtype));
    apply_one(name, complex_functions::number_or_other, &[RawOperand::Array(x), other])
}

/// NaN where all elements over `axes` have a NaN, elsewhere what was found.
pub(crate) fn nan_where_all_are(
    name: &'static str,
    x: &RawArray,
    axes: &[usize],
    found: &RawArray,
) -> Result<RawArray> {
    let only_nan = reduce(name, ReduceOperation::All, &is_nan(name, x)?, axes)?;
    choose(&only_nan, Scalar::of_float(f64::NAN, x.dtype), found)
}
