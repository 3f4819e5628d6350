//! Distances that are sums over coordinates, for the CPU: a few coordinates at a time for many pairs, in the loops of `#[vectorize]`, which
//! use the vector instructions of the processor. The sums are those of the kernel, in the same order.

use crate::array::{DeviceArray, RawArray, slice_axis};
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::operations::composing::Composed;
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered_into;
use warpcell_macros::vectorize;

#[vectorize]
fn add_square(sum: f64, x: f64, y: f64) -> f64 {
    let distance = x - y;
    sum + distance * distance
}

#[vectorize]
fn add_size(sum: f64, x: f64, y: f64) -> f64 {
    sum + (x - y).abs()
}

#[vectorize]
fn larger_size(sum: f64, x: f64, y: f64) -> f64 {
    let distance = (x - y).abs();
    // NaN stays, and comes in.
    if distance <= sum || sum.is_nan() { sum } else { distance }
}

#[vectorize]
fn add_share(sum: f64, x: f64, y: f64) -> f64 {
    let size = x.abs() + y.abs();
    sum + if size == 0.0 { 0.0 } else { (x - y).abs() / size }
}

#[vectorize]
fn add_difference(sum: f64, x: f64, y: f64) -> f64 {
    sum + if x == y { 0.0 } else { 1.0 }
}

#[vectorize]
fn root(sum: f64) -> f64 {
    sum.sqrt()
}

/// The same for three coordinates, one after another.
macro_rules! of_three {
    ($($name:ident = $one:ident;)*) => {$(
        #[vectorize]
        #[allow(clippy::too_many_arguments, reason = "three coordinates of two points")]
        fn $name(sum: f64, x: f64, y: f64, x1: f64, y1: f64, x2: f64, y2: f64) -> f64 {
            $one($one($one(sum, x, y), x1, y1), x2, y2)
        }
    )*};
}
of_three! {
    add_squares = add_square;
    add_sizes = add_size;
    largest_size = larger_size;
    add_shares = add_share;
    add_differences = add_difference;
}

fn name_of<F>(_function: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// The functions of one coordinate and of three for a metric that is such a sum.
fn functions(metric: usize) -> Option<[&'static str; 2]> {
    Some(match metric {
        0 | 1 => [name_of(&add_square), name_of(&add_squares)],
        2 => [name_of(&add_size), name_of(&add_sizes)],
        3 => [name_of(&larger_size), name_of(&largest_size)],
        5 => [name_of(&add_share), name_of(&add_shares)],
        10 => [name_of(&add_difference), name_of(&add_differences)],
        _ => return None,
    })
}

/// So many distances are computed before the next ones: they stay in a cache between the coordinates.
const TILE: usize = 1 << 17;

/// Writes the distances of all rows of `a` from all rows of `b`; whether the metric is such a sum.
pub(super) fn write_sums(
    operation: &'static str,
    a: &DeviceArray<f64>,
    b: &DeviceArray<f64>,
    metric: usize,
    out: &RawArray,
) -> Result<bool> {
    let Some([one, three]) = functions(metric) else { return Ok(false) };
    let (rows, columns, coordinates) = (out.shape()[0], out.shape()[1], a.shape()[1]);
    if coordinates == 0 {
        return Ok(false);
    }
    // Neighbours in memory are those of one coordinate.
    let b = b.raw.moved(1, 0).copied(operation)?;
    let height = (TILE / columns.max(1)).clamp(1, rows);
    for first in (0..rows).step_by(height) {
        let count = height.min(rows - first);
        let target = slice_axis(out, 0, first, 1, count);
        let part = slice_axis(&a.raw, 0, first, 1, count);
        let pair = |k: usize| {
            let row = slice_axis(&b, 0, k, 1, 1);
            let row = row.with_layout(Layout { offset: row.layout.offset, ..Layout::contiguous(&[columns]) });
            [slice_axis(&part, 1, k, 1, 1), row]
        };
        let mut k = 0;
        while k < coordinates {
            let (function, step) = if k + 3 <= coordinates { (three, 3) } else { (one, 1) };
            let pairs: Vec<RawArray> = (k..k + step).flat_map(pair).collect();
            let sum = if k == 0 { RawOperand::Scalar(Scalar::F64(0.0)) } else { RawOperand::Array(&target) };
            let operands: Vec<RawOperand<'_>> = [sum].into_iter().chain(pairs.iter().map(RawOperand::Array)).collect();
            registered_into(operation, function, &operands, &target)?;
            k += step;
        }
        match metric {
            0 => registered_into(operation, name_of(&root), &[RawOperand::Array(&target)], &target)?,
            10 => Composed(operation).with_into(BinaryOperation::Divide, &target, coordinates as f64)?,
            _ => {}
        }
    }
    debug_assert_eq!(out.dtype, DType::F64);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let texts = [
            crate::cuda_source(add_squares),
            crate::cuda_source(add_sizes),
            crate::cuda_source(largest_size),
            crate::cuda_source(add_shares),
            crate::cuda_source(add_differences),
        ];
        assert!(texts.iter().all(|text| text.contains("__global__")));
    }
}
