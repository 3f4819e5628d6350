//! The operators `+ - * /` for numbers, `%` for real ones, `& | ^` for integers and bools, `<< >>` for integers, their assigning forms, `-`
//! and `!`: on values and references alike.

use crate::array::DeviceArray;
use crate::backend::BinaryOperation;
use crate::dtype::{Arithmetic, Bitwise, Element, Integer, RealNumber, dtypes, if_dtype};
use crate::error::check;
use crate::operations::elementwise::{binary, binary_into};
use num_complex::Complex;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

macro_rules! operator {
    ($bound:ident $trait:ident, $method:ident, $assign_trait:ident, $assign:ident, $name:ident => $operation:ident) => {
        operator!(@arrays $bound [DeviceArray<T>] [DeviceArray<T>] $trait $method $name);
        operator!(@arrays $bound [DeviceArray<T>] [&DeviceArray<T>] $trait $method $name);
        operator!(@arrays $bound [&DeviceArray<T>] [DeviceArray<T>] $trait $method $name);
        operator!(@arrays $bound [&DeviceArray<T>] [&DeviceArray<T>] $trait $method $name);
        operator!(@arrays $bound [DeviceArray<T>] [T] $trait $method $name);
        operator!(@arrays $bound [&DeviceArray<T>] [T] $trait $method $name);
        dtypes!(operator!(@scalars $bound $trait $method $name $operation));
        operator!(@assign $bound [DeviceArray<T>] $assign_trait $assign $name $operation |other| &*other.raw);
        operator!(@assign $bound [&DeviceArray<T>] $assign_trait $assign $name $operation |other| &*other.raw);
        operator!(@assign $bound [T] $assign_trait $assign $name $operation |other| other.to_scalar());
    };
    (@arrays $bound:ident [$left:ty] [$right:ty] $trait:ident $method:ident $name:ident) => {
        impl<T: $bound> $trait<$right> for $left {
            type Output = DeviceArray<T>;
            #[track_caller]
            fn $method(self, other: $right) -> DeviceArray<T> {
                DeviceArray::$name(&self, other)
            }
        }
    };
    (@scalars $bound:ident $trait:ident $method:ident $name:ident $operation:ident
        $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*
    ) => {
        $(if_bound!($bound $kind $use { operator!(@scalar $type, $trait $method $name $operation); });)*
    };
    (@scalar $type:ty, $trait:ident $method:ident $name:ident $operation:ident) => {
        impl $trait<&DeviceArray<$type>> for $type {
            type Output = DeviceArray<$type>;
            #[track_caller]
            fn $method(self, array: &DeviceArray<$type>) -> DeviceArray<$type> {
                let result = binary(stringify!($name), BinaryOperation::$operation, self.to_scalar(), &*array.raw);
                DeviceArray::from_raw(check(result))
            }
        }
        impl $trait<DeviceArray<$type>> for $type {
            type Output = DeviceArray<$type>;
            #[track_caller]
            fn $method(self, array: DeviceArray<$type>) -> DeviceArray<$type> {
                $trait::$method(self, &array)
            }
        }
    };
    (@assign $bound:ident [$right:ty] $trait:ident $method:ident $name:ident $operation:ident |$other:ident| $operand:expr) => {
        impl<T: $bound> $trait<$right> for DeviceArray<T> {
            /// Writes to the array's elements, also those of the array that it is a view of.
            #[track_caller]
            fn $method(&mut self, $other: $right) {
                check(binary_into(stringify!($name), BinaryOperation::$operation, &self.raw, $operand));
            }
        }
    };
}

/// The items in braces, for dtypes that meet a bound.
macro_rules! if_bound {
    (Arithmetic Complex $use:ident { $($items:tt)* }) => { $($items)* };
    (Arithmetic $kind:ident $use:ident $items:tt) => { if_dtype! { arithmetic $kind $use $items {} } };
    (RealNumber $kind:ident $use:ident $items:tt) => { if_dtype! { arithmetic $kind $use $items {} } };
    (Bitwise Bool $use:ident { $($items:tt)* }) => { $($items)* };
    (Bitwise $kind:ident $use:ident $items:tt) => { if_dtype! { bits $kind $use $items {} } };
    (Integer $kind:ident $use:ident $items:tt) => { if_dtype! { integers $kind $use $items {} } };
}

operator!(Arithmetic Add, add, AddAssign, add_assign, add => Add);
operator!(Arithmetic Sub, sub, SubAssign, sub_assign, subtract => Subtract);
operator!(Arithmetic Mul, mul, MulAssign, mul_assign, multiply => Multiply);
operator!(Arithmetic Div, div, DivAssign, div_assign, divide => Divide);
operator!(RealNumber Rem, rem, RemAssign, rem_assign, remainder => Remainder);
operator!(Bitwise BitAnd, bitand, BitAndAssign, bitand_assign, bitwise_and => BitwiseAnd);
operator!(Bitwise BitOr, bitor, BitOrAssign, bitor_assign, bitwise_or => BitwiseOr);
operator!(Bitwise BitXor, bitxor, BitXorAssign, bitxor_assign, bitwise_xor => BitwiseXor);
operator!(Integer Shl, shl, ShlAssign, shl_assign, left_shift => LeftShift);
operator!(Integer Shr, shr, ShrAssign, shr_assign, right_shift => RightShift);

/// Plain floats beside arrays of complex numbers, as which they have an imaginary part of 0, and beside arrays of narrow floats,
/// to which they are rounded.
macro_rules! other_scalars {
    ($($trait:ident $method:ident $assign_trait:ident $assign:ident;)*) => {$(
        other_scalars!(@each f32 [Complex<f32>] [Complex::from] $trait $method $assign_trait $assign);
        other_scalars!(@each f64 [Complex<f64>] [Complex::from] $trait $method $assign_trait $assign);
        dtypes!(other_scalars!(@narrow $trait $method $assign_trait $assign));
    )*};
    (@narrow $trait:ident $method:ident $assign_trait:ident $assign:ident
        $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*
    ) => {
        $(if_dtype! { narrow $kind $use {
            other_scalars!(@each f32 [$type] [<$type>::from_f32] $trait $method $assign_trait $assign);
        } {} })*
    };
    (@each $scalar:ident [$type:ty] $from:tt $trait:ident $method:ident $assign_trait:ident $assign:ident) => {
        other_scalars!(@arrays $scalar [$type] $from $trait $method [DeviceArray<$type>] [&DeviceArray<$type>]);
        impl $assign_trait<$scalar> for DeviceArray<$type> {
            /// Writes to the array's elements, also those of the array that it is a view of.
            #[track_caller]
            fn $assign(&mut self, other: $scalar) {
                $assign_trait::$assign(self, other_scalars!(@call $from other));
            }
        }
    };
    (@arrays $scalar:ident [$type:ty] $from:tt $trait:ident $method:ident $([$array:ty])*) => {$(
        impl $trait<$scalar> for $array {
            type Output = DeviceArray<$type>;
            #[track_caller]
            fn $method(self, other: $scalar) -> DeviceArray<$type> {
                $trait::$method(self, other_scalars!(@call $from other))
            }
        }
        impl $trait<$array> for $scalar {
            type Output = DeviceArray<$type>;
            #[track_caller]
            fn $method(self, array: $array) -> DeviceArray<$type> {
                $trait::$method(other_scalars!(@call $from self), array)
            }
        }
    )*};
    (@call [$($from:tt)*] $value:expr) => { $($from)*($value) };
}
other_scalars! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}

impl<T: Arithmetic> Neg for &DeviceArray<T> {
    type Output = DeviceArray<T>;
    #[track_caller]
    fn neg(self) -> DeviceArray<T> {
        self.negative()
    }
}
impl<T: Arithmetic> Neg for DeviceArray<T> {
    type Output = DeviceArray<T>;
    #[track_caller]
    fn neg(self) -> DeviceArray<T> {
        self.negative()
    }
}

impl<T: Bitwise> Not for &DeviceArray<T> {
    type Output = DeviceArray<T>;
    #[track_caller]
    fn not(self) -> DeviceArray<T> {
        self.bitwise_not()
    }
}
impl<T: Bitwise> Not for DeviceArray<T> {
    type Output = DeviceArray<T>;
    #[track_caller]
    fn not(self) -> DeviceArray<T> {
        self.bitwise_not()
    }
}
