//! Short words for functions that are composed of several operations on arrays without their types.

use crate::array::RawArray;
use crate::backend::{BinaryOperation, Layout, UnaryOperation};
use crate::device::Handle;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::operations::elementwise::{binary, binary_into, unary};

/// The operations of one function, whose name is in their errors.
#[derive(Clone, Copy)]
pub(crate) struct Composed(pub &'static str);

impl Composed {
    /// An operation on each element.
    pub fn each(self, operation: UnaryOperation, x: &RawArray) -> Result<RawArray> {
        unary(self.0, operation, x)
    }

    /// An operation on pairs of elements, after broadcasting.
    pub fn pair(self, operation: BinaryOperation, a: &RawArray, b: &RawArray) -> Result<RawArray> {
        binary(self.0, operation, a, b)
    }

    /// An operation on each element and one number.
    pub fn with(self, operation: BinaryOperation, x: &RawArray, value: f64) -> Result<RawArray> {
        binary(self.0, operation, x, number(value, x.dtype))
    }

    /// As [`pair`](Self::pair), into the left array.
    pub fn pair_into(self, operation: BinaryOperation, target: &RawArray, other: &RawArray) -> Result<()> {
        binary_into(self.0, operation, target, other)
    }

    /// As [`with`](Self::with), into the array.
    pub fn with_into(self, operation: BinaryOperation, target: &RawArray, value: f64) -> Result<()> {
        binary_into(self.0, operation, target, number(value, target.dtype))
    }

    /// The elements in row-major order under another shape of as many; a view if they are so in memory.
    pub fn shaped(self, x: &RawArray, shape: &[usize]) -> Result<RawArray> {
        debug_assert_eq!(x.size(), shape.iter().product::<usize>());
        let x = x.contiguous(self.0)?;
        Ok(x.with_layout(Layout { offset: x.layout.offset, ..Layout::contiguous(shape) }))
    }
}

/// A matrix of numbers that follow one another has so many columns.
const COLUMNS: usize = 1024;

/// `start`, `start + step`, … in row-major order, as the sums of a column and a row of a matrix with `count` elements or a few more.
/// Broadcast to one another, they are a pass over memory less than the numbers themselves.
pub(crate) fn range_of_sums(
    name: &'static str,
    handle: &Handle,
    count: usize,
    [start, step]: [f64; 2],
    dtype: DType,
) -> Result<[RawArray; 2]> {
    let columns = count.clamp(1, COLUMNS);
    let rows = count.div_ceil(columns);
    let numbers = |start: f64, step: f64, shape: [usize; 2]| {
        RawArray::written(name, handle, &shape, dtype, |out| {
            let line = out.with_layout(Layout::contiguous(&[out.size()]));
            handle.backend.arange(number(start, dtype), number(step, dtype), line.view())
        })
    };
    Ok([numbers(start, step * columns as f64, [rows, 1])?, numbers(0.0, step, [1, columns])?])
}

/// A number as a value of `dtype`, an integer's or a float's that operations compute in.
pub(crate) fn number(value: f64, dtype: DType) -> Scalar {
    // Negative ones are extended to 128 bits, of which the low ones count.
    if dtype.is_integer() { Scalar::from_bits(dtype, value as i64 as u128) } else { Scalar::of_float(value, dtype) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_type_of_the_array() {
        assert_eq!(number(-1.0, DType::I32), Scalar::I32(-1));
        assert_eq!(number(255.0, DType::U8), Scalar::U8(255));
        assert_eq!(number(-0.5, DType::F32), Scalar::F32(-0.5));
    }
}
