//! Blocks of elements: what a function over arrays gets and fills on the CPU.

use super::captures::Captures;
use crate::dtype::{DType, Tagged};
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

macro_rules! blocks {
    ($($type:ident $tag:ident)*) => {
        impl<'a> Inputs<'a> {$(
            /// The block of the argument of this number, which is of this type.
            pub fn $type(&self, index: usize) -> &'a [$type] {
                // SAFETY: of this type, as was just checked; the rest is what `new` was promised.
                unsafe { std::slice::from_raw_parts(self.block(index, DType::$tag).cast(), self.length) }
            }
        )*}
        impl<'a> Outputs<'a> {$(
            /// The next block of results, which is of this type.
            pub fn $type(&mut self) -> &'a mut [$type] {
                // SAFETY: of this type, as was just checked, and given to nobody before; the rest is what `new` was promised.
                unsafe { std::slice::from_raw_parts_mut(self.block(DType::$tag).cast(), self.length) }
            }
        )*}
    };
}
blocks!(bool Bool u8 U8 i32 I32 u32 U32 i64 I64 u64 U64 f32 F32 f64 F64);
