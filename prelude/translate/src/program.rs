//! What is translated and what comes of it, as plain data.

use crate::scalars::Scalar;
use std::fmt;

/// What a function may take, hold and return.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A number or a truth value.
    Scalar(Scalar),
    /// The empty tuple is what a function without a result returns.
    Tuple(Vec<Type>),
    /// The type of the elements, and how many there are.
    Array(Box<Type>, usize),
    /// A struct, by the name of its item.
    Struct(String),
}

/// A constant: the host's compiler has computed it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The bits of the value, those above its size zero.
    Scalar(Scalar, u128),
    /// The parts.
    Tuple(Vec<Value>),
    /// The elements, and their type, which an empty array has too.
    Array(Type, Vec<Value>),
    /// The name of the struct's item, and its fields in the order of their declaration.
    Struct(String, Vec<(String, Value)>),
}

/// What a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `#[vectorize]`: over arrays; scalars in, a scalar or a tuple of scalars out.
    Vectorize,
    /// `#[device]`: for other functions to call.
    Device,
    /// The closure of `fuse!`, written as a function whose last parameters are what it captures, without types.
    Formula,
    /// `#[kernel]`: what one thread of a grid does; views of arrays and scalars in, nothing out.
    Kernel,
}

/// An item of the program: a function or a struct, as it was registered.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// By what others refer to it: the path by which the host's compiler knows it.
    pub name: String,
    /// Its text, without attributes other than `#[inline(never)]`: `fn f(x: f32) -> f32 { … }`, `struct P { x: f32 }`.
    pub source: String,
    /// The line of the source in the user's file or cell, 1 for the first; what messages and comments add to.
    pub line: usize,
    /// The functions that it calls: each path as it is written, without blanks, and the name of the item.
    pub functions: Vec<(String, String)>,
    /// The structs that it names, likewise.
    pub structs: Vec<(String, String)>,
    /// The constants that it uses: the path as it is written, and the value.
    pub constants: Vec<(String, Value)>,
}

/// Where items are found by their names.
pub trait Items {
    /// The item of that name, the newest if there were several.
    fn item(&self, name: &str) -> Option<&Item>;
}

/// A function, and all that it leads to, as CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// What goes before `source`: the record of failures, and those functions of Rust's numbers that are needed.
    pub support: String,
    /// CUDA C without `#include`s: structs, constants and `__device__` functions, each Rust line above its translation as a
    /// comment.
    pub source: String,
    /// What the entry is called there.
    pub name: String,
    /// The entry's parameters.
    pub parameters: Vec<FunctionParameter>,
    /// One for a scalar result, several for a tuple.
    pub results: Vec<Scalar>,
    /// The type of the result in CUDA C. A tuple's parts are its members `_0`, `_1` ….
    pub result_type: String,
    /// Whether it can fail on its arguments (divide an integer by zero, index past an array's end) or run for ever, and so
    /// uses the record of failures that `support` declares.
    pub may_fail: bool,
    /// The names of its functions, by the numbers that a record of failures has for them; the entry's is the first.
    pub functions: Vec<String>,
}

impl Translation {
    /// The types of the parameters that are scalars.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            FunctionParameter::Scalar(scalar) => Some(*scalar),
            FunctionParameter::Struct { .. } => None,
        })
    }
}

/// A parameter of a function over arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionParameter {
    /// A number or a truth value.
    Scalar(Scalar),
    /// A struct by value, whose bytes are [`Value::bytes`].
    Struct {
        /// The name of its item.
        item: String,
        /// What it is called in CUDA C.
        c_name: String,
    },
}

/// What is passed for a parameter of a kernel at a launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// An array: `struct { T *data; unsigned long long shape[rank]; long long strides[rank]; }`, by value, the strides in
    /// elements. Without axes there are no shape and no strides.
    View {
        /// The type of the elements.
        element: Scalar,
        /// How many axes the array has.
        rank: usize,
        /// Whether its elements lie in C order without gaps: then the strides are there, but nobody reads them.
        contiguous: bool,
        /// Whether it is a `ViewMut`.
        changing: bool,
    },
    /// A number or a truth value.
    Scalar(Scalar),
    /// A struct by value, whose bytes are [`Value::bytes`]: the name of its item.
    Struct(String),
    /// An integer or a truth value that the program is made for, so that the compiler knows it: it is not passed.
    Fixed(Scalar, i64),
}

/// How a kernel is to be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelOptions {
    /// Whether indices are checked: one that is out of bounds ends its thread and leaves a record of that.
    pub checked: bool,
}

/// A kernel, and all that it leads to, as CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTranslation {
    /// What goes before `source`.
    pub support: String,
    /// CUDA C without `#include`s, with an `extern "C" __global__ void` function for the kernel.
    pub source: String,
    /// What that function is called.
    pub name: String,
    /// Whether it can fail or run for long, and so uses the record of failures that `support` declares.
    pub may_fail: bool,
    /// The names of its functions, by the numbers that a record of failures has for them; the kernel's is the first.
    pub functions: Vec<String>,
    /// The names of arrays, by the numbers, less one, that a record of failures has for them: the views among the parameters,
    /// then shared arrays.
    pub arrays: Vec<String>,
    /// Where shared arrays are declared, for each of `arrays` its line in the user's file or cell; 0 for parameters.
    pub array_lines: Vec<usize>,
    /// How much of a block's shared memory the arrays with fixed lengths take.
    pub static_shared_bytes: usize,
    /// Whether it has a shared array whose length is that of the memory that a launch asks for.
    pub uses_dynamic_shared: bool,
    /// Whether threads of a block wait for one another.
    pub uses_barriers: bool,
}

/// Why something cannot be translated: for a program, where no compiler shows the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The function in which it is.
    pub function: String,
    /// The line in the user's file or cell.
    pub line: usize,
    /// What is wrong, and what to write instead.
    pub reason: String,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`, line {}: {}", self.function, self.line, self.reason)
    }
}

impl std::error::Error for Error {}

/// What a function refers to outside of itself, each path once, in the order of the text.
#[derive(Clone, Default)]
pub struct References {
    /// The functions that it calls.
    pub functions: Vec<syn::Path>,
    /// The structs that it names.
    pub structs: Vec<syn::Path>,
    /// The constants that it uses, but for those of Rust's numbers.
    pub constants: Vec<syn::Path>,
    /// What the closure of `fuse!` captures; empty for the others.
    pub captures: Vec<syn::Ident>,
}
