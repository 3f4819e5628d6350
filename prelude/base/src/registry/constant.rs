//! The values of constants, for the translator.

use crate::dtype::types::*;
use crate::dtype::{DType, Tagged};
use warpcell_translate::{Scalar, Type, Value, scalars};

/// What a constant that a function for devices uses may be, or the argument of a kernel: a scalar, a tuple or an array of such, a `#[device]` struct.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be used in a function that runs on devices",
    label = "not a number, nor a tuple, an array or a `#[device]` struct of numbers",
    note = "if it is a struct of numbers, write `#[device]` and `#[derive(Clone, Copy)]` before it"
)]
pub trait Constant {
    /// Its value.
    fn value(&self) -> Value;
    /// Its type.
    fn kind() -> Type
    where
        Self: Sized;
    /// The constant of this value; none if the value is of another type.
    fn from_value(value: &Value) -> Option<Self>
    where
        Self: Sized;
}

/// The value of a struct: the name of its type, and its fields.
pub fn structure(name: &str, fields: &[(&str, &dyn Constant)]) -> Value {
    let fields = fields.iter().map(|(field, value)| ((*field).to_owned(), value.value()));
    Value::Struct(name.to_owned(), fields.collect())
}

/// A field of the value of a struct, of the type that is asked for.
pub fn field<T: Constant>(of: &Value, index: usize, name: &str) -> Option<T> {
    match of {
        Value::Struct(_, fields) => {
            fields.get(index).filter(|(known, _)| known == name).and_then(|(_, value)| T::from_value(value))
        }
        _ => None,
    }
}

/// A value as `Debug` has it, of a struct without the path of its name.
pub fn text_of(value: &Value) -> String {
    let list = |parts: &[Value]| parts.iter().map(text_of).collect::<Vec<_>>().join(", ");
    match value {
        Value::Scalar(..) => text_of_scalar(value),
        Value::Tuple(parts) => format!("({})", list(parts)),
        Value::Array(_, elements) => format!("[{}]", list(elements)),
        Value::Struct(path, fields) => {
            let name = path.rsplit("::").next().unwrap_or(path);
            let has_names = fields.iter().any(|(field, _)| !field.starts_with(|letter: char| letter.is_ascii_digit()));
            let field = |(field, value): &(String, Value)| match has_names {
                true => format!("{field}: {}", text_of(value)),
                false => text_of(value),
            };
            let fields = fields.iter().map(field).collect::<Vec<_>>().join(", ");
            if has_names { format!("{name} {{ {fields} }}") } else { format!("{name}({fields})") }
        }
    }
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
            fn from_value(value: &Value) -> Option<$type> {
                match value {
                    Value::Scalar(Scalar::$tag, bits) => constants!(@$use $tag $type *bits),
                    _ => None,
                }
            }
        }
    )*};
    (@element $tag:ident $type:ident $bits:expr) => {
        <$type>::untagged(crate::dtype::Scalar::from_bits(DType::$tag, $bits))
    };
    (@size $tag:ident $type:ident $bits:expr) => { Some($bits as $type) };
    (@Float $value:expr, $bits:ty) => { $value.to_bits() };
    (@Complex $value:expr, $bits:ty) => { complex_bits($value.re.to_bits(), $value.im.to_bits()) };
    (@Half $value:expr, $bits:ty) => { $value.to_bits() };
    (@$integer:ident $value:expr, $bits:ty) => { $value as $bits };
}
scalars!(constants!());

macro_rules! texts {
    ($({ $sort:ident $use:ident $tag:ident $type:ident $name:ident, $host:ty, $bits:ty, $c_type:literal })*) => {
        fn text_of_scalar(value: &Value) -> String {
            match value {
                $(Value::Scalar(Scalar::$tag, _) => {
                    <$type as Constant>::from_value(value).map_or_else(String::new, |known| format!("{known:?}"))
                })*
                _ => String::new(),
            }
        }
    };
}
scalars!(texts!());

/// The bits of a complex number: the real part's in the low half.
fn complex_bits<T: Into<u128>>(re: T, im: T) -> u128 {
    re.into() | im.into() << (8 * size_of::<T>())
}

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn value(&self) -> Value {
        Value::Array(T::kind(), self.iter().map(Constant::value).collect())
    }
    fn kind() -> Type {
        Type::Array(Box::new(T::kind()), N)
    }
    fn from_value(value: &Value) -> Option<[T; N]> {
        match value {
            Value::Array(_, elements) => {
                elements.iter().map(T::from_value).collect::<Option<Vec<T>>>()?.try_into().ok()
            }
            _ => None,
        }
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
            fn from_value(value: &Value) -> Option<($($type,)*)> {
                const COUNT: usize = { let indices: &[usize] = &[$($index),*]; indices.len() };
                match value {
                    Value::Tuple(parts) if parts.len() == COUNT => Some(($($type::from_value(&parts[$index])?,)*)),
                    _ => None,
                }
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
