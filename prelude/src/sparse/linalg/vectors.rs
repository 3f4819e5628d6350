//! Vectors of solvers without their type.

use crate::array::{RawArray, transfer};
use crate::backend::{BinaryOperation, Layout};
use crate::device::Handle;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::map::{registered, registered_into};
use crate::operations::products::dot_raw;

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        mod $module {
            use warpcell_macros::vectorize;

            #[vectorize]
            pub fn plus_scaled(x: $float, factor: $float, y: $float) -> $float {
                x + factor * y
            }

            #[vectorize]
            pub fn scaled_plus(factor: $float, x: $float, other: $float, y: $float) -> $float {
                factor * x + other * y
            }
        }
    )*};
}
of_floats!(single f32 double f64);

fn name_of<F>(_function: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// The operations of a solver, whose name is in their errors.
#[derive(Clone)]
pub(super) struct Vectors {
    pub operation: &'static str,
    pub handle: Handle,
    pub dtype: DType,
}

impl Vectors {
    pub fn of(operation: &'static str, b: &RawArray) -> Result<Vectors> {
        b.handle.may_wait(operation)?;
        Ok(Vectors { operation, handle: b.handle.clone(), dtype: b.dtype })
    }

    pub fn number(&self, value: f64) -> Scalar {
        Scalar::of_float(value, self.dtype)
    }

    pub fn zeros(&self, length: usize) -> Result<RawArray> {
        RawArray::filled(self.operation, &self.handle, &[length], self.number(0.0))
    }

    /// Numbers of the host.
    pub fn numbers(&self, values: &[f64], shape: &[usize]) -> Result<RawArray> {
        RawArray::of_floats(self.operation, &self.handle, shape, values.iter().copied(), self.dtype)
    }

    /// The numbers of an array, on the host.
    pub fn downloaded(&self, array: &RawArray) -> Result<Vec<f64>> {
        transfer::download_vec(&array.converted(self.operation, DType::F64)?)
    }

    pub fn dot(&self, x: &RawArray, y: &RawArray) -> Result<f64> {
        Ok(dot_raw(self.operation, x, y)?.float().expect("a float"))
    }

    pub fn norm(&self, x: &RawArray) -> Result<f64> {
        // What is too large or too small to be squared is scaled first.
        let plain = self.dot(x, x)?.sqrt();
        if plain.is_normal() || x.size() == 0 {
            return Ok(plain);
        }
        let largest = crate::operations::reduce::reduce_all(
            self.operation,
            crate::backend::ReduceOperation::Max,
            &crate::operations::elementwise::unary(self.operation, crate::backend::UnaryOperation::Abs, x)?,
        )?;
        let largest = largest.float().expect("a float");
        if largest == 0.0 || !largest.is_finite() {
            return Ok(largest);
        }
        let scaled = binary(self.operation, BinaryOperation::Divide, x, self.number(largest))?;
        Ok(largest * self.dot(&scaled, &scaled)?.sqrt())
    }

    /// `x + factor · y`.
    pub fn plus(&self, x: &RawArray, factor: f64, y: &RawArray) -> Result<RawArray> {
        let operands = [RawOperand::Array(x), RawOperand::Scalar(self.number(factor)), RawOperand::Array(y)];
        registered(self.operation, self.plus_scaled(), &operands)
    }

    /// `x + factor · y` in the place of `x`, which nobody else uses.
    pub fn add(&self, x: &RawArray, factor: f64, y: &RawArray) -> Result<()> {
        let operands = [RawOperand::Array(x), RawOperand::Scalar(self.number(factor)), RawOperand::Array(y)];
        registered_into(self.operation, self.plus_scaled(), &operands, x)
    }

    fn plus_scaled(&self) -> &'static str {
        if self.dtype == DType::F32 { name_of(&single::plus_scaled) } else { name_of(&double::plus_scaled) }
    }

    /// `factor · x + other · y`.
    pub fn combined(&self, factor: f64, x: &RawArray, other: f64, y: &RawArray) -> Result<RawArray> {
        let name = if self.dtype == DType::F32 { name_of(&single::scaled_plus) } else { name_of(&double::scaled_plus) };
        let [factor, other] = [factor, other].map(|number| RawOperand::Scalar(self.number(number)));
        registered(self.operation, name, &[factor, RawOperand::Array(x), other, RawOperand::Array(y)])
    }

    /// `factor · x`.
    pub fn scaled(&self, factor: f64, x: &RawArray) -> Result<RawArray> {
        binary(self.operation, BinaryOperation::Multiply, x, self.number(factor))
    }

    /// The vector `b`, which must have a length.
    pub fn right_side(&self, b: &RawArray, length: usize) -> Result<RawArray> {
        match b.shape() {
            [size] if *size == length => b.contiguous(self.operation),
            &[size, 1] if size == length => {
                let b = b.contiguous(self.operation)?;
                Ok(b.with_layout(Layout { offset: b.layout.offset, ..Layout::contiguous(&[size]) }))
            }
            shape => {
                let reason = format!("of `b` is not that of the right side, [{length}]; give one number for each row");
                Err(Error::shape(self.operation, shape, reason))
            }
        }
    }
}
