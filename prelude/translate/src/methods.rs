//! The methods, associated functions and constants of scalars that kernels may use: what they take and give, and what they are
//! called in the support texts, where their definitions stand.

mod advice;
mod complex;
mod constants;
mod floats;
mod halves;
mod integers;

use crate::scalars::{Scalar, is_half, scalars};

pub use advice::distance;
pub(crate) use advice::suggestion;
pub(crate) use constants::{associated_constant, path_constant};

/// A function of the support texts, as Rust sees it.
#[derive(Debug)]
pub(crate) struct Method {
    /// What the function is called in C; for a conversion the name of a type, which is called likewise.
    pub(crate) c_name: &'static str,
    /// Whether the first argument is of the type whose method this is.
    pub(crate) takes_self: bool,
    /// The other parameters.
    pub(crate) parameters: &'static [Parameter],
    pub(crate) result: MethodResult,
    /// Whether it can panic, and so takes the numbers of the function and the line behind its arguments.
    pub(crate) may_fail: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Parameter {
    /// The type whose method it is.
    Same,
    Scalar(Scalar),
    /// The type of the parts of complex numbers.
    Part,
    /// Each type that converts without loss. Rust's compiler sees to it.
    Lossless,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MethodResult {
    /// The type whose method it is.
    Same,
    Scalar(Scalar),
    /// The type of the parts of complex numbers.
    Part,
    /// Functions with such a result are templates of the tuple's struct.
    Tuple(&'static [MethodResult]),
}

type Table = &'static [(&'static str, Method)];

/// `receiver.name(…)`.
pub(crate) fn method(receiver: Scalar, name: &str) -> Option<&'static Method> {
    associated_function(receiver, name).filter(|method| method.takes_self)
}

/// `of::name(…)`: methods too, which take their receiver as the first argument.
pub(crate) fn associated_function(of: Scalar, name: &str) -> Option<&'static Method> {
    named_function(of, name).map(|(_, method)| method)
}

/// The same, with the name as the tables have it.
pub(crate) fn named_function(of: Scalar, name: &str) -> Option<(&'static str, &'static Method)> {
    let rows = tables(of).iter().flat_map(|table| table.iter());
    rows.map(|(known, method)| (*known, method)).find(|(known, _)| *known == name)
}

/// All functions of a type, by their names in Rust.
fn tables(of: Scalar) -> &'static [Table] {
    match of {
        Scalar::F32 => &floats::OF_F32,
        Scalar::F64 => &floats::OF_F64,
        Scalar::C64 => &complex::OF_C64,
        Scalar::C128 => &complex::OF_C128,
        other if is_half(other) => halves::of(other),
        other => integers::of(other),
    }
}

macro_rules! tags {
    ($({ $sort:ident $use:ident $tag:ident $type:ident $name:ident, $host:ty, $bits:ty, $c_type:literal })*) => {
        /// The type of a parameter, for the rows of the tables.
        #[allow(dead_code, reason = "not every type is that of a parameter")]
        mod parameter {
            use super::{Parameter, Scalar};
            pub(super) const SAME: Parameter = Parameter::Same;
            pub(super) const PART: Parameter = Parameter::Part;
            $(pub(super) const $name: Parameter = Parameter::Scalar(Scalar::$tag);)*
        }

        /// The type of a result, likewise.
        #[allow(dead_code, reason = "not every type is that of a result")]
        mod result {
            use super::{MethodResult, Scalar};
            pub(super) const SAME: MethodResult = MethodResult::Same;
            pub(super) const PART: MethodResult = MethodResult::Part;
            $(pub(super) const $name: MethodResult = MethodResult::Scalar(Scalar::$tag);)*
        }
    };
}
scalars!(tags!());

/// Rows such as `clamp(SAME, SAME) -> SAME, fails;`: what a method takes beside `self`, what it gives, whether it can panic.
macro_rules! table {
    ($type:expr; $($name:ident($($taken:ident),*) -> $given:tt $(, $fails:ident)?;)*) => {
        &[$((
            stringify!($name),
            $crate::methods::Method {
                c_name: concat!($type, "_", stringify!($name)),
                takes_self: true,
                parameters: &[$($crate::methods::parameter::$taken),*],
                result: $crate::methods::given!($given),
                may_fail: $crate::methods::given!(fails $($fails)?),
            },
        )),*]
    };
}

/// The result and the last mark of a row.
macro_rules! given {
    (fails) => { false };
    (fails fails) => { true };
    (($($part:ident),*)) => { $crate::methods::MethodResult::Tuple(&[$($crate::methods::result::$part),*]) };
    ($whole:ident) => { $crate::methods::result::$whole };
}

/// A row for a function without `self`.
macro_rules! function {
    ($name:literal, $c_name:expr $(, $taken:expr)*) => {
        (
            $name,
            $crate::methods::Method {
                c_name: $c_name,
                takes_self: false,
                parameters: &[$($taken),*],
                result: $crate::methods::MethodResult::Same,
                may_fail: false,
            },
        )
    };
}

use {function, given, table};

/// The names of all methods, in Rust and in C.
#[cfg(test)]
pub(crate) fn all_c_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = crate::scalars::ALL.into_iter().flat_map(tables).flat_map(|table| table.iter());
    rows.map(|(name, method)| (*name, method.c_name))
}

#[cfg(test)]
mod tests;
