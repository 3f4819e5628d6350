//! The values of constants, for the translator.

use half::{bf16, f16};
use warpcell_translate::{Scalar, Type, Value, scalars};

/// What a constant may be that a function for devices uses: a scalar, a tuple or an array of such, a `#[device]` struct.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot be used in a function that runs on devices",
    label = "not a number, nor a tuple, an array or a `#[device]` struct of numbers",
    note = "if it is a struct of numbers, write `#[device]` before it"
)]
pub trait Constant {
    /// Its value.
    fn value(&self) -> Value;
    /// Its type.
    fn kind() -> Type
    where
        Self: Sized;
}

/// The value of a struct: the name of its type, and its fields.
pub fn structure(name: &str, fields: &[(&str, &dyn Constant)]) -> Value {
    let fields = fields.iter().map(|(field, value)| ((*field).to_owned(), value.value()));
    Value::Struct(name.to_owned(), fields.collect())
}

/// The type of a struct.
pub fn structure_type(name: &str) -> Type {
    Type::Struct(name.to_owned())
}

macro_rules! constants {
    ($({ $sort:ident $use:ident $tag:ident $type:ident $name:ident, $host:ty, $bits:ty, $c_type:literal })*) => {$(
        impl Constant for $type {
            fn value(&self) -> Value {
                Value::Scalar(Scalar::$tag, constants!(@$sort *self, $bits).into())
            }
            fn kind() -> Type {
                Type::Scalar(Scalar::$tag)
            }
        }
    )*};
    (@Float $value:expr, $bits:ty) => { $value.to_bits() };
    (@Half $value:expr, $bits:ty) => { $value.to_bits() };
    (@$integer:ident $value:expr, $bits:ty) => { $value as $bits };
}
scalars!(constants!());

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn value(&self) -> Value {
        Value::Array(T::kind(), self.iter().map(Constant::value).collect())
    }
    fn kind() -> Type {
        Type::Array(Box::new(T::kind()), N)
    }
}

macro_rules! tuples {
    ($(($($type:ident $index:tt),*))*) => {$(
        impl<$($type: Constant),*> Constant for ($($type,)*) {
            fn value(&self) -> Value {
                Value::Tuple(vec![$(self.$index.value()),*])
            }
            fn kind() -> Type {
                Type::Tuple(vec![$($type::kind()),*])
            }
        }
    )*};
}
tuples! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
