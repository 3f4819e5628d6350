//! The closed sets of operations that a backend has for each element, or along axes.

use super::functions::{float_functions, float_functions_of_two};
use crate::dtype::DType;

/// An enum without data, and the list of its variants: tables that have an entry for each of them take their length from it.
/// A variant has a name in CUDA C, which is the variant's own name if no other is given.
macro_rules! closed_set {
    (name $variant:ident) => {
        stringify!($variant)
    };
    (name $variant:ident $cuda:literal) => {
        $cuda
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident { $($(#[$note:meta])* $variant:ident $($cuda:literal)?,)+ }
    ) => {
        $(#[$attribute])*
        $visibility enum $name {
            $($(#[$note])* $variant,)+
        }

        impl $name {
            /// All of them, each at the index that it has as a number.
            pub const ALL: [$name; [$($name::$variant),+].len()] = [$($name::$variant),+];

            /// The name in CUDA C.
            pub const fn cuda_name(self) -> &'static str {
                match self {
                    $($name::$variant => closed_set!(name $variant $($cuda)?),)+
                }
            }
        }
    };
}

macro_rules! unary_operations {
    ($($variant:ident $method:ident $cuda:literal |$x:ident| $value:expr;)*) => {
        closed_set! {
            /// Elementwise functions of one argument.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum UnaryOperation {
                Negative "negative",
                Abs "absolute",
                Sign "sign",
                Floor "floor_of",
                Ceil "ceil_of",
                /// To the nearest integer, halves to the even one.
                Round "round_of",
                Trunc "trunc_of",
                LogicalNot "logical_not",
                IsNan "is_nan",
                IsInf "is_inf",
                IsFinite "is_finite",
                /// Integers, and bools as `LogicalNot`.
                BitwiseNot "bitwise_not",
                /// Complex numbers, as the next one.
                Conjugate "conjugate",
                /// The angle to the positive real axis, a real number.
                Angle "angle",
                $(
                    #[doc = concat!("Floats: `", $cuda, "`.")]
                    $variant $cuda,
                )*
            }
        }

        impl UnaryOperation {
            /// Whether it is one of the table's functions, which are only given floats and complex numbers.
            pub const fn is_float_function(self) -> bool {
                matches!(self, $(UnaryOperation::$variant)|*)
            }
        }
    };
}
float_functions!(unary_operations);

impl UnaryOperation {
    /// The dtype of the output for inputs of `dtype`: bool for what is true or false, the type of the parts for what is a real
    /// number of complex ones, else the same.
    pub const fn output(self, dtype: DType) -> DType {
        use UnaryOperation::{Abs, Angle, IsFinite, IsInf, IsNan, LogicalNot};
        match self {
            LogicalNot | IsNan | IsInf | IsFinite => DType::Bool,
            Abs | Angle => dtype.part(),
            _ => dtype,
        }
    }

    /// Whether complex numbers have it.
    pub const fn takes_complex(self) -> bool {
        use UnaryOperation::{Abs, Angle, Conjugate, Exp, Negative, Sqrt};
        matches!(self, Negative | Abs | Exp | Sqrt | Conjugate | Angle)
    }

    /// Whether a backend is given arrays of `dtype`, which is one that it computes in.
    pub const fn takes(self, dtype: DType) -> bool {
        use UnaryOperation::{Angle, BitwiseNot, Conjugate, LogicalNot};
        if dtype.is_complex() {
            return self.takes_complex();
        }
        match self {
            Conjugate | Angle => false,
            LogicalNot => matches!(dtype, DType::Bool),
            BitwiseNot => !dtype.is_float(),
            _ if self.is_float_function() => dtype.is_float(),
            _ => !matches!(dtype, DType::Bool),
        }
    }
}

macro_rules! binary_operations {
    ($($variant:ident $method:ident $cuda:literal |$a:ident, $b:ident| $value:expr;)*) => {
        closed_set! {
            /// Elementwise functions of two arguments of one dtype.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum BinaryOperation {
                Add "add",
                Subtract "subtract",
                Multiply "multiply",
                /// Floats: IEEE. Integers: truncated as in Rust; a zero divisor gives 0, as in NumPy.
                Divide "divide",
                /// Rust's `%`; a zero divisor of an integer gives 0.
                Remainder "remainder_of",
                /// Floats: `powf`. Integers: wrapping power; a negative exponent gives 0 (1 for base 1, ±1 for base −1).
                Power "power",
                /// NumPy's `maximum`: NaN if either is NaN.
                Maximum "maximum",
                /// NumPy's `minimum`: NaN if either is NaN.
                Minimum "minimum",
                Equal "equal",
                NotEqual "not_equal",
                Less "less",
                LessEqual "less_equal",
                Greater "greater",
                GreaterEqual "greater_equal",
                LogicalAnd "logical_and",
                LogicalOr "logical_or",
                /// The quotient, rounded down; a zero divisor of an integer gives 0.
                FloorDivide "floor_divide",
                /// What `FloorDivide` leaves, with the divisor's sign; a zero divisor of an integer gives 0.
                Modulo "modulo",
                /// Integers and bools, as the next two.
                BitwiseAnd "bitwise_and",
                BitwiseOr "bitwise_or",
                BitwiseXor "bitwise_xor",
                /// Integers. Shifted by as many bits as there are or more, or by a negative number: 0.
                LeftShift "left_shift",
                /// Integers, with their sign. Shifted by as many bits as there are or more, or by a negative number: 0, or −1 for
                /// negative values.
                RightShift "right_shift",
                $(
                    #[doc = concat!("Floats: `", $cuda, "`.")]
                    $variant $cuda,
                )*
            }
        }

        impl BinaryOperation {
            /// Whether it is one of the table's functions, which are only given floats.
            pub const fn is_float_function(self) -> bool {
                matches!(self, $(BinaryOperation::$variant)|*)
            }
        }
    };
}
float_functions_of_two!(binary_operations);

impl BinaryOperation {
    /// The dtype of the output for inputs of `dtype`: bool for what is true or false, else the same.
    pub const fn output(self, dtype: DType) -> DType {
        use BinaryOperation as B;
        match self {
            B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => DType::Bool,
            B::LogicalAnd | B::LogicalOr => DType::Bool,
            _ => dtype,
        }
    }

    /// Whether complex numbers have it.
    pub const fn takes_complex(self) -> bool {
        use BinaryOperation::{Add, Divide, Equal, Multiply, NotEqual, Subtract};
        matches!(self, Add | Subtract | Multiply | Divide | Equal | NotEqual)
    }

    /// Whether a backend is given pairs of arrays of `dtype`, which is one that it computes in.
    pub const fn takes(self, dtype: DType) -> bool {
        use BinaryOperation::{BitwiseAnd, BitwiseOr, BitwiseXor, LeftShift, LogicalAnd, LogicalOr, RightShift};
        use BinaryOperation::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        if dtype.is_complex() {
            return self.takes_complex();
        }
        match self {
            LogicalAnd | LogicalOr => matches!(dtype, DType::Bool),
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => true,
            BitwiseAnd | BitwiseOr | BitwiseXor => !dtype.is_float(),
            LeftShift | RightShift => !dtype.is_float() && !matches!(dtype, DType::Bool),
            _ if self.is_float_function() => dtype.is_float(),
            _ => !matches!(dtype, DType::Bool),
        }
    }
}

closed_set! {
    /// Reductions. `Max`, `Min` give NaN if there is one. `All`, `Any` take bool. Sums are pairwise or better.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ReduceOperation {
        Sum,
        Max,
        Min,
        All,
        Any,
        Product,
        /// The sum of the squares, of floats.
        SumSquares,
        /// The sum of the squares of the distances from the mean, of floats.
        SquaredDeviations,
        /// Where the largest element is along the one axis that is reduced: the first of several, the first NaN if there is one.
        ArgMax,
        /// As `ArgMax`, of the smallest.
        ArgMin,
        /// As `Sum`, of the floats that are not NaN; and the next three as well.
        SumNumbers,
        ProductNumbers,
        /// NaN if there is nothing else, as the next one.
        MaxNumbers,
        MinNumbers,
        /// How many floats are not NaN.
        CountNumbers,
        /// How many real numbers are not 0.
        CountNonzero,
        /// Of integers, bit by bit; of bools there are `All` and `Any`.
        BitwiseAnd,
        BitwiseOr,
        /// Of integers and bools.
        BitwiseXor,
    }
}

impl ReduceOperation {
    /// The dtype of the output for inputs of `dtype`.
    pub const fn output(self, dtype: DType) -> DType {
        match self {
            ReduceOperation::Sum
            | ReduceOperation::Product
            | ReduceOperation::SumNumbers
            | ReduceOperation::ProductNumbers => dtype.sum(),
            ReduceOperation::ArgMax
            | ReduceOperation::ArgMin
            | ReduceOperation::CountNumbers
            | ReduceOperation::CountNonzero => DType::I64,
            _ => dtype,
        }
    }

    /// Whether there is no result over no elements.
    pub const fn needs_elements(self) -> bool {
        use ReduceOperation::{ArgMax, ArgMin, BitwiseAnd, Max, MaxNumbers, Min, MinNumbers};
        matches!(self, Max | Min | ArgMax | ArgMin | MaxNumbers | MinNumbers | BitwiseAnd)
    }
}

closed_set! {
    /// Running reductions along an axis, from the first element to each.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ScanOperation {
        Sum,
        Product,
    }
}
