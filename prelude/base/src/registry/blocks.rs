//! Blocks of elements: what a function over arrays gets and fills on the CPU.

use super::captures::Captures;
use crate::dtype::{DType, Tagged, dtypes};
use half::{bf16, f16};
use num_complex::Complex;
use std::marker::PhantomData;

/// Computes blocks of results from blocks of arguments, all of one length.
pub type BlockFunction = fn(&Inputs<'_>, &mut Outputs<'_>);

/// Blocks of arguments: elements that follow one another.
pub struct Inputs<'a> {
    blocks: &'a [*const u8],
    dtypes: &'a [DType],
    captures: &'a Captures,
    length: usize,
    elements: PhantomData<&'a [u8]>,
}

/// The blocks of results, each of which can be had once.
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
    /// Each of `blocks` must point to `length` elements of its dtype, aligned, which are not written to for `'a`; those
    /// of bool must be 0 or 1.
    pub unsafe fn new(
        blocks: &'a [*const u8],
        dtypes: &'a [DType],
        captures: &'a Captures,
        length: usize,
    ) -> Inputs<'a> {
        assert_eq!(blocks.len(), dtypes.len());
        Inputs { blocks, dtypes, captures, length, elements: PhantomData }
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

    fn block(&self, index: usize, dtype: DType) -> *const u8 {
        assert_eq!(self.dtypes[index], dtype, "the function was registered with other types");
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
