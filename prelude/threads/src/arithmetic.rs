//! Arithmetic that a recorded kernel tells: `#[kernel]` gives each operation of its copy to a function of these, which counts it by the
//! type of its value and gives the value back.

use crate::worker::running;
use half::{bf16, f16};
use num_complex::Complex;
use std::any::TypeId;
use std::ops::AddAssign;

/// How many operations of arithmetic there were, of floating-point numbers by their sizes and of integers. A fused multiply-add is two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Of `f16` and `bf16`.
    pub half: u64,
    /// Of `f32`.
    pub single: u64,
    /// Of `f64`.
    pub double: u64,
    /// Of integers.
    pub integer: u64,
}

impl Operations {
    /// Those of floating-point numbers.
    pub fn floating(&self) -> u64 {
        self.half + self.single + self.double
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        self.half += other.half;
        self.single += other.single;
        self.double += other.double;
        self.integer += other.integer;
    }
}

/// What is computed. Of complex numbers it is several operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Sum,
    Product,
    Quotient,
    /// A product and a sum.
    MultiplyAdd,
    /// Anything else, such as a square root.
    Function,
}

impl Operation {
    fn count(self, is_complex: bool) -> u64 {
        match (self, is_complex) {
            (Operation::MultiplyAdd, false) | (Operation::Sum, true) => 2,
            (Operation::Product, true) => 6,
            (Operation::MultiplyAdd, true) => 8,
            // Six products, three sums and two quotients.
            (Operation::Quotient, true) => 11,
            _ => 1,
        }
    }
}

/// The operations of one that gives a value of the type; none if it is no number.
#[inline]
fn operations<T: 'static>(operation: Operation) -> Option<Operations> {
    let of = TypeId::of::<T>();
    let is = |other: TypeId| of == other;
    let (real, complex) = (operation.count(false), operation.count(true));
    let none = Operations::default();
    Some(if is(TypeId::of::<f32>()) {
        Operations { single: real, ..none }
    } else if is(TypeId::of::<f64>()) {
        Operations { double: real, ..none }
    } else if is(TypeId::of::<f16>()) || is(TypeId::of::<bf16>()) {
        Operations { half: real, ..none }
    } else if is(TypeId::of::<Complex<f32>>()) {
        Operations { single: complex, ..none }
    } else if is(TypeId::of::<Complex<f64>>()) {
        Operations { double: complex, ..none }
    } else if is(TypeId::of::<usize>())
        || is(TypeId::of::<i32>())
        || is(TypeId::of::<u32>())
        || is(TypeId::of::<i64>())
        || is(TypeId::of::<u64>())
        || is(TypeId::of::<isize>())
        || is(TypeId::of::<u8>())
        || is(TypeId::of::<i8>())
        || is(TypeId::of::<u16>())
        || is(TypeId::of::<i16>())
    {
        Operations { integer: real, ..none }
    } else {
        return None;
    })
}

#[inline]
fn counted<T: 'static>(value: T, operation: Operation) -> T {
    if let Some(operations) = operations::<T>(operation) {
        tell(operations);
    }
    value
}

fn tell(operations: Operations) {
    if let Some(worker) = running() {
        worker.computes(operations);
    }
}

/// Counts a sum or a difference.
#[inline]
pub fn sum<T: 'static>(value: T) -> T {
    counted(value, Operation::Sum)
}

/// Counts a product.
#[inline]
pub fn product<T: 'static>(value: T) -> T {
    counted(value, Operation::Product)
}

/// Counts a quotient or a remainder.
#[inline]
pub fn quotient<T: 'static>(value: T) -> T {
    counted(value, Operation::Quotient)
}

/// Counts a product to which something is added.
#[inline]
pub fn multiply_add<T: 'static>(value: T) -> T {
    counted(value, Operation::MultiplyAdd)
}

/// Counts anything else that is one operation.
#[inline]
pub fn function<T: 'static>(value: T) -> T {
    counted(value, Operation::Function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_by_the_type_of_their_value() {
        let none = Operations::default();
        assert_eq!(operations::<f32>(Operation::Sum), Some(Operations { single: 1, ..none }));
        assert_eq!(operations::<f64>(Operation::MultiplyAdd), Some(Operations { double: 2, ..none }));
        assert_eq!(operations::<bf16>(Operation::Product), Some(Operations { half: 1, ..none }));
        assert_eq!(operations::<usize>(Operation::Quotient), Some(Operations { integer: 1, ..none }));
        assert_eq!(operations::<Complex<f32>>(Operation::Product), Some(Operations { single: 6, ..none }));
        assert_eq!(operations::<bool>(Operation::Function), None);
        assert_eq!(sum(2.5f32), 2.5);
    }
}
