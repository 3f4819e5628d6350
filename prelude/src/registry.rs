//! The functions that cells have registered by `#[vectorize]`: found by their names, with what runs them over blocks of
//! elements. What the macro emits calls this; nothing here is for users' code.
//!
//! A function is registered by code that the loader runs when it loads a cell. A later definition of the same name wins.
//! Under a kernel, each registration adds a line to a file of the session, so that the build step knows what need not
//! be compiled again (see `kernel/OUTPUT_CONTRACT.md`).

use crate::dtype::DType;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Computes a block of results from blocks of arguments, all of one length.
pub type BlockFunction = fn(&Inputs<'_>, &mut Output<'_>);

/// A registered function.
#[derive(Clone)]
pub struct Function {
    /// What `std::any::type_name` says of the function: its path.
    pub(crate) name: &'static str,
    pub(crate) parameters: Vec<DType>,
    pub(crate) result: DType,
    pub(crate) block: BlockFunction,
}

/// Blocks of arguments: elements that follow one another.
pub struct Inputs<'a> {
    blocks: &'a [*const u8],
    dtypes: &'a [DType],
    length: usize,
    elements: PhantomData<&'a [u8]>,
}

/// The block of results.
pub struct Output<'a> {
    block: *mut u8,
    dtype: DType,
    length: usize,
    elements: PhantomData<&'a mut [u8]>,
}

impl<'a> Inputs<'a> {
    /// # Safety
    ///
    /// Each of `blocks` must point to `length` elements of its dtype, aligned, which are not written to for `'a`; those
    /// of bool must be 0 or 1.
    pub(crate) unsafe fn new(blocks: &'a [*const u8], dtypes: &'a [DType], length: usize) -> Inputs<'a> {
        assert_eq!(blocks.len(), dtypes.len());
        Inputs { blocks, dtypes, length, elements: PhantomData }
    }

    fn block(&self, index: usize, dtype: DType) -> *const u8 {
        assert_eq!(self.dtypes[index], dtype, "the function was registered with other types");
        self.blocks[index]
    }
}

impl<'a> Output<'a> {
    /// # Safety
    ///
    /// `block` must point to `length` initialised elements of `dtype`, aligned, which nothing else accesses for `'a`.
    pub(crate) unsafe fn new(block: *mut u8, dtype: DType, length: usize) -> Output<'a> {
        Output { block, dtype, length, elements: PhantomData }
    }

    fn block(&self, dtype: DType) -> *mut u8 {
        assert_eq!(self.dtype, dtype, "the function was registered with another result");
        self.block
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
        impl Output<'_> {$(
            /// The block, which is of this type.
            pub fn $type(&mut self) -> &mut [$type] {
                // SAFETY: of this type, as was just checked; the rest is what `new` was promised.
                unsafe { std::slice::from_raw_parts_mut(self.block(DType::$tag).cast(), self.length) }
            }
        )*}
    };
}
blocks!(bool Bool u8 U8 i32 I32 u32 U32 i64 I64 u64 U64 f32 F32 f64 F64);

#[derive(Default)]
struct Registry {
    functions: HashMap<&'static str, Arc<Function>>,
    /// Where the kernel's build step reads what is registered.
    listing: Option<File>,
}

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: OnceLock<Mutex<Registry>> = OnceLock::new();
    REGISTRY.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a function; called when the library that has it is loaded. `hash` is what the build step will recognise
/// it by, empty without one.
pub fn register(name: &'static str, hash: &str, parameters: &[DType], result: DType, block: BlockFunction) {
    let function = Function { name, parameters: parameters.to_vec(), result, block };
    let mut registry = registry();
    registry.functions.insert(name, Arc::new(function));
    if let Some(listing) = &mut registry.listing {
        // One write for the line. If it fails, the function is compiled once more in the next cell.
        let _ = listing.write_all(format!("{name} {hash}\n").as_bytes());
    }
}

/// Begins the listing of what is registered from now on, in place of that of an earlier process.
pub(crate) fn list_in(path: &Path) {
    // The old file is not emptied but replaced: an earlier process may still be about to end.
    let _ = std::fs::remove_file(path);
    registry().listing = File::options().create_new(true).append(true).open(path).ok();
}

/// The function of this name.
pub(crate) fn find(name: &str) -> Option<Arc<Function>> {
    registry().functions.get(name).cloned()
}
