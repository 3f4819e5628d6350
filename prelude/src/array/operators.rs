//! The operators `+ - * / %`, their assigning forms, `-`, and `& | !` for bools: on values and references alike.

use crate::array::DeviceArray;
use crate::backend::BinaryOperation;
use crate::dtype::{Element, Number};
use crate::error::check;
use crate::operations::elementwise::{RawOperand, binary, binary_into};
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign,
};

macro_rules! operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign:ident, $name:ident => $operation:ident) => {
        operator!(@arrays [DeviceArray<T>] [DeviceArray<T>] $trait $method $name);
        operator!(@arrays [DeviceArray<T>] [&DeviceArray<T>] $trait $method $name);
        operator!(@arrays [&DeviceArray<T>] [DeviceArray<T>] $trait $method $name);
        operator!(@arrays [&DeviceArray<T>] [&DeviceArray<T>] $trait $method $name);
        operator!(@arrays [DeviceArray<T>] [T] $trait $method $name);
        operator!(@arrays [&DeviceArray<T>] [T] $trait $method $name);
        operator!(@scalars $trait $method $name $operation [u8 i32 u32 i64 u64 f32 f64]);
        operator!(@assign [DeviceArray<T>] $assign_trait $assign $name $operation |other| RawOperand::Array(&other.raw));
        operator!(@assign [&DeviceArray<T>] $assign_trait $assign $name $operation |other| RawOperand::Array(&other.raw));
        operator!(@assign [T] $assign_trait $assign $name $operation |other| RawOperand::Scalar(other.to_scalar()));
    };
    (@arrays [$left:ty] [$right:ty] $trait:ident $method:ident $name:ident) => {
        impl<T: Number> $trait<$right> for $left {
            type Output = DeviceArray<T>;
            #[track_caller]
            fn $method(self, other: $right) -> DeviceArray<T> {
                DeviceArray::$name(&self, other)
            }
        }
    };
    (@scalars $trait:ident $method:ident $name:ident $operation:ident [$($type:ty)*]) => {$(
        impl $trait<&DeviceArray<$type>> for $type {
            type Output = DeviceArray<$type>;
            #[track_caller]
            fn $method(self, array: &DeviceArray<$type>) -> DeviceArray<$type> {
                let left = RawOperand::Scalar(self.to_scalar());
                let right = RawOperand::Array(&array.raw);
                DeviceArray::from_raw(check(binary(stringify!($name), BinaryOperation::$operation, left, right)))
            }
        }
        impl $trait<DeviceArray<$type>> for $type {
            type Output = DeviceArray<$type>;
            #[track_caller]
            fn $method(self, array: DeviceArray<$type>) -> DeviceArray<$type> {
                $trait::$method(self, &array)
            }
        }
    )*};
    (@assign [$right:ty] $trait:ident $method:ident $name:ident $operation:ident |$other:ident| $operand:expr) => {
        impl<T: Number> $trait<$right> for DeviceArray<T> {
            /// Writes to the array's elements, also those of the array that it is a view of.
            #[track_caller]
            fn $method(&mut self, $other: $right) {
                check(binary_into(stringify!($name), BinaryOperation::$operation, &self.raw, $operand));
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign, add => Add);
operator!(Sub, sub, SubAssign, sub_assign, subtract => Subtract);
operator!(Mul, mul, MulAssign, mul_assign, multiply => Multiply);
operator!(Div, div, DivAssign, div_assign, divide => Divide);
operator!(Rem, rem, RemAssign, rem_assign, remainder => Remainder);

impl<T: Number> Neg for &DeviceArray<T> {
    type Output = DeviceArray<T>;
    #[track_caller]
    fn neg(self) -> DeviceArray<T> {
        self.negative()
    }
}
impl<T: Number> Neg for DeviceArray<T> {
    type Output = DeviceArray<T>;
    #[track_caller]
    fn neg(self) -> DeviceArray<T> {
        self.negative()
    }
}

macro_rules! logical {
    ($([$left:ty] [$right:ty])*) => {$(
        impl BitAnd<$right> for $left {
            type Output = DeviceArray<bool>;
            #[track_caller]
            fn bitand(self, other: $right) -> DeviceArray<bool> {
                self.logical_and(other)
            }
        }
        impl BitOr<$right> for $left {
            type Output = DeviceArray<bool>;
            #[track_caller]
            fn bitor(self, other: $right) -> DeviceArray<bool> {
                self.logical_or(other)
            }
        }
    )*};
}
logical! {
    [DeviceArray<bool>] [DeviceArray<bool>]
    [DeviceArray<bool>] [&DeviceArray<bool>]
    [&DeviceArray<bool>] [DeviceArray<bool>]
    [&DeviceArray<bool>] [&DeviceArray<bool>]
}

impl Not for &DeviceArray<bool> {
    type Output = DeviceArray<bool>;
    #[track_caller]
    fn not(self) -> DeviceArray<bool> {
        self.logical_not()
    }
}
impl Not for DeviceArray<bool> {
    type Output = DeviceArray<bool>;
    #[track_caller]
    fn not(self) -> DeviceArray<bool> {
        self.logical_not()
    }
}
