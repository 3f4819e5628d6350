//! Short words for functions that are composed of several operations on arrays without their types.

use crate::array::RawArray;
use crate::backend::{BinaryOperation, Layout, UnaryOperation};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::operations::elementwise::{RawOperand, binary, binary_into, unary};

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
        binary(self.0, operation, RawOperand::Array(a), RawOperand::Array(b))
    }

    /// An operation on each element and one number.
    pub fn with(self, operation: BinaryOperation, x: &RawArray, value: f64) -> Result<RawArray> {
        binary(self.0, operation, RawOperand::Array(x), RawOperand::Scalar(number(value, x.dtype)))
    }

    /// As [`pair`](Self::pair), into the left array.
    pub fn pair_into(self, operation: BinaryOperation, target: &RawArray, other: &RawArray) -> Result<()> {
        binary_into(self.0, operation, target, RawOperand::Array(other))
    }

    /// As [`with`](Self::with), into the array.
    pub fn with_into(self, operation: BinaryOperation, target: &RawArray, value: f64) -> Result<()> {
        binary_into(self.0, operation, target, RawOperand::Scalar(number(value, target.dtype)))
    }

    /// The elements in row-major order under another shape of as many; a view if they are so in memory.
    pub fn shaped(self, x: &RawArray, shape: &[usize]) -> Result<RawArray> {
        debug_assert_eq!(x.size(), shape.iter().product::<usize>());
        let x = x.contiguous(self.0)?;
        Ok(x.with_layout(Layout { offset: x.layout.offset, ..Layout::contiguous(shape) }))
    }
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
