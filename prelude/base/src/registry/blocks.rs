//! Blocks of elements: what a function over arrays gets and fills on the CPU.

use super::captures::Captures;
use super::{DeviceStruct, StructParameter, Type, Value};
use crate::dtype::{DType, Tagged, dtypes};
use std::fmt;
use std::marker::PhantomData;

/// Computes blocks of results from blocks of arguments, all of one length.
pub type BlockFunction = fn(&Inputs<'_>, &mut Outputs<'_>);

/// A parameter of a function over arrays.
#[derive(Clone, Copy, Debug)]
pub enum FunctionParameter {
    /// An element of an array, or one value for all elements.
    Element(DType),
    /// A `#[device]` struct, the same for all elements.
    Struct(StructParameter),
}

impl FunctionParameter {
    /// The type of the elements; none of a struct.
    pub fn dtype(&self) -> Option<DType> {
        match self {
            FunctionParameter::Element(dtype) => Some(*dtype),
            FunctionParameter::Struct(_) => None,
        }
    }
}

impl fmt::Display for FunctionParameter {
    /// The type: of a struct the last part of its name.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionParameter::Element(dtype) => dtype.fmt(formatter),
            FunctionParameter::Struct(of) => match (of.kind)() {
                Type::Struct(name) => formatter.write_str(name.rsplit("::").next().unwrap_or(&name)),
                _ => formatter.write_str("a struct"),
            },
        }
    }
}

/// Blocks of arguments: elements that follow one another.
pub struct Inputs<'a> {
    blocks: &'a [*const u8],
    parameters: &'a [FunctionParameter],
    captures: &'a Captures,
    length: usize,
    elements: PhantomData<&'a [u8]>,
}

/// The blocks of results. Each of them can be taken once.
pub struct Outputs<'a> {
    blocks: &'a [*mut u8],
    dtypes: &'a [DType],
    length: usize,
    /// How many blocks are given away.
    given: usize,
    elements: PhantomData<&'a mut [u8]>,
}

impl<'a> Inputs<'a> {
    /// # Safety
    ///
    /// Each of `blocks` must point to `length` elements of its parameter's dtype, aligned, which are not written to for `'a`; those
    /// of bool must be 0 or 1. For a struct it must point to its [`Value`].
    pub unsafe fn new(
        blocks: &'a [*const u8],
        parameters: &'a [FunctionParameter],
        captures: &'a Captures,
        length: usize,
    ) -> Inputs<'a> {
        assert_eq!(blocks.len(), parameters.len());
        Inputs { blocks, parameters, captures, length, elements: PhantomData }
    }

    /// What the function has captured.
    pub fn captures(&self) -> &'a Captures {
        self.captures
    }

    /// How many elements each block has.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The block of the argument of this number, which is of type `T`.
    pub fn elements<T: Tagged>(&self, index: usize) -> &'a [T] {
        // SAFETY: of this type, as is checked; the rest is what `new` was promised.
        unsafe { std::slice::from_raw_parts(self.block(index, T::TAG).cast(), self.length) }
    }

    /// The struct of the argument of this number.
    pub fn structure<T: DeviceStruct>(&self, index: usize) -> T {
        assert!(
            matches!(self.parameters[index], FunctionParameter::Struct(_)),
            "the function was registered with other types"
        );
        // SAFETY: a value, as `new` was promised.
        let value = unsafe { &*self.blocks[index].cast::<Value>() };
        T::from_value(value).expect("arguments are checked")
    }

    fn block(&self, index: usize, dtype: DType) -> *const u8 {
        assert_eq!(self.parameters[index].dtype(), Some(dtype), "the function was registered with other types");
        self.blocks[index]
    }
}

impl<'a> Outputs<'a> {
    /// # Safety
    ///
    /// Each of `blocks` must point to `length` initialised elements of its dtype, aligned, which nothing else accesses for
    /// `'a`.
    pub unsafe fn new(blocks: &'a [*mut u8], dtypes: &'a [DType], length: usize) -> Outputs<'a> {
        assert_eq!(blocks.len(), dtypes.len());
        Outputs { blocks, dtypes, length, given: 0, elements: PhantomData }
    }

    /// The next block of results, which is of type `T` and has so many elements.
    #[inline(always)]
    pub fn next_of<T: Tagged>(&mut self, length: usize) -> &'a mut [T] {
        assert!(self.length == length);
        // SAFETY: of this type, as is checked, and given to nobody before; the rest is what `new` was promised.
        unsafe { std::slice::from_raw_parts_mut(self.block(T::TAG).cast(), length) }
    }

    /// The next block.
    fn block(&mut self, dtype: DType) -> *mut u8 {
        let index = self.given;
        assert_eq!(self.dtypes[index], dtype, "the function was registered with another result");
        self.given += 1;
        self.blocks[index]
    }
}

/// A type of elements: the blocks of it.
#[doc(hidden)]
pub trait Block: Sized {
    /// The block of the argument of this number.
    fn input<'a>(inputs: &Inputs<'a>, index: usize) -> &'a [Self];
    /// The next block of results.
    fn output<'a>(outputs: &mut Outputs<'a>) -> &'a mut [Self];
}

// What the macro calls is not generic: what is generic is compiled again in each cell.
macro_rules! blocks {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(
            impl Block for $type {
                fn input<'a>(inputs: &Inputs<'a>, index: usize) -> &'a [$type] {
                    inputs.elements(index)
                }
                fn output<'a>(outputs: &mut Outputs<'a>) -> &'a mut [$type] {
                    outputs.next_of(outputs.length)
                }
            }
        )*
    };
}
dtypes!(blocks!());
