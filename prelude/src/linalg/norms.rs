//! Norms of every order, of vectors and of matrices.

use super::spectra::svd_of;
use super::stacks::squares;
use crate::array::RawArray;
use crate::array::conversions::conversions;
use crate::backend::{BinaryOperation, ReduceOperation, UnaryOperation};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::operations::elementwise::{binary, unary};
use crate::operations::reduce::reduce;

const NAME: &str = "norm";

/// The order of a norm; NumPy's `ord`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// The root of the sum of squares, of vectors and of matrices.
    Usual,
    /// A number: of vectors any, of matrices 1, 2, infinity, and the same with a minus.
    Number(f64),
    /// Of matrices, the sum of the singular values.
    Nuclear,
}

/// What can be given as the order of a norm: a number, `f64::INFINITY`, or `"fro"`, `"nuc"`, `"inf"`, `"-inf"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the order of a norm",
    label = "expected a number or a word",
    note = "orders are numbers such as `1` or `f64::INFINITY`, and the words \"fro\", \"nuc\" and \"inf\""
)]
pub trait NormOrder {
    /// The order.
    fn order(self) -> Result<Order>;
}
conversions! {
    fn order(self) -> Result<Order>: NormOrder;
    () => Ok(Order::Usual);
    i32 => Ok(Order::Number(self.into()));
    f64 => Ok(Order::Number(self));
    &str => match self {
        "fro" => Ok(Order::Usual),
        "nuc" => Ok(Order::Nuclear),
        "inf" => Ok(Order::Number(f64::INFINITY)),
        "-inf" => Ok(Order::Number(f64::NEG_INFINITY)),
        _ => {
            let reason = format!("there is no order \"{self}\"; write `ord = \"fro\"`, `\"nuc\"`, `\"inf\"` or a number");
            Err(Error::argument(NAME, reason))
        }
    };
}

fn invalid<T>(order: Order, of: &str, known: &str) -> Result<T> {
    let reason = format!("there is no norm {order:?} of {of}; write {known}");
    Err(Error::argument(NAME, reason))
}

fn absolute(x: &RawArray) -> Result<RawArray> {
    unary(NAME, UnaryOperation::Abs, x)
}

fn power(x: &RawArray, exponent: f64) -> Result<RawArray> {
    binary(NAME, BinaryOperation::Power, x, Scalar::of_float(exponent, x.dtype))
}

/// The norms along `axes`, sorted, of an array of floats or complex numbers.
pub(crate) fn vector_norms(x: &RawArray, axes: &[usize], order: Order) -> Result<RawArray> {
    let reduced = |operation, x: &RawArray| reduce(NAME, operation, x, axes);
    match order {
        Order::Usual => unary(NAME, UnaryOperation::Sqrt, &squares(NAME, x, axes)?),
        Order::Number(2.0) => vector_norms(x, axes, Order::Usual),
        _ if x.dtype.is_complex() => vector_norms(&absolute(x)?, axes, order),
        // The largest of no elements counts as 0, as in NumPy.
        Order::Number(f64::INFINITY) if axes.iter().any(|&axis| x.shape()[axis] == 0) => {
            reduced(ReduceOperation::Sum, &absolute(x)?)
        }
        Order::Number(f64::INFINITY) => reduced(ReduceOperation::Max, &absolute(x)?),
        Order::Number(f64::NEG_INFINITY) => reduced(ReduceOperation::Min, &absolute(x)?),
        Order::Number(1.0) => reduced(ReduceOperation::Sum, &absolute(x)?),
        Order::Number(0.0) => {
            let is_other = binary(NAME, BinaryOperation::NotEqual, x, Scalar::of_float(0.0, x.dtype))?;
            reduced(ReduceOperation::Sum, &is_other)?.converted(NAME, x.dtype)
        }
        Order::Number(p) => power(&reduced(ReduceOperation::Sum, &power(&absolute(x)?, p)?)?, 1.0 / p),
        Order::Nuclear => invalid(order, "vectors", "a number, such as `ord = 1`"),
    }
}

/// The norms of the matrices in the last two axes of an array of floats or complex numbers.
pub(crate) fn matrix_norms(x: &RawArray, order: Order) -> Result<RawArray> {
    let last = x.shape().len() - 1;
    let of_sums = |summed: usize, operation| -> Result<RawArray> {
        // The rows and columns as they lie in memory: else the absolute values would be a transposed copy.
        let is_transposed = x.layout.strides[last - 1].abs() < x.layout.strides[last].abs();
        let summed = if is_transposed { 2 * last - 1 - summed } else { summed };
        let x = if is_transposed { x.moved(last, last - 1) } else { x.clone() };
        let sums = reduce(NAME, ReduceOperation::Sum, &absolute(&x)?, &[summed])?;
        reduce(NAME, operation, &sums, &[last - 1])
    };
    // The largest of no sums or singular values counts as 0, as in NumPy.
    let largest = if x.shape()[last - 1..].contains(&0) { ReduceOperation::Sum } else { ReduceOperation::Max };
    let of_values = |operation| reduce(NAME, operation, &svd_of(NAME, x, None)?.0, &[last - 1]);
    match order {
        Order::Usual => vector_norms(x, &[last - 1, last], order),
        Order::Number(1.0) => of_sums(last - 1, largest),
        Order::Number(-1.0) => of_sums(last - 1, ReduceOperation::Min),
        Order::Number(f64::INFINITY) => of_sums(last, largest),
        Order::Number(f64::NEG_INFINITY) => of_sums(last, ReduceOperation::Min),
        Order::Number(2.0) => of_values(largest),
        Order::Number(-2.0) => of_values(ReduceOperation::Min),
        Order::Nuclear => of_values(ReduceOperation::Sum),
        Order::Number(_) => invalid(order, "matrices", "`ord = 1`, `2`, `f64::INFINITY`, `\"fro\"` or `\"nuc\"`"),
    }
}
