//! Rows by their indices on CUDA; the kernel is in `kernels/gather.cu`.

use super::{Program, address_of, blocks, type_name, unsigned};
use crate::backend::View;
use crate::cuda::context::Device;
use crate::cuda::launch::{arguments, launch};
use crate::cuda::module::{Function, Module};
use crate::dtype::DType;
use crate::error::Result;
use std::sync::{Arc, OnceLock};

const SOURCE: &str = include_str!("../../../kernels/gather.cu");
const TYPES: usize = DType::ALL.len();
const THREADS: u32 = 256;

pub(super) struct Gather {
    device: Arc<Device>,
    /// By element type; those of one size share a program.
    loaded: [OnceLock<(Function, Module)>; TYPES],
}

impl Gather {
    pub fn new(device: &Arc<Device>) -> Gather {
        Gather { device: device.clone(), loaded: Default::default() }
    }

    pub fn run(&self, source: View<'_>, indices: View<'_>, out: View<'_>) -> Result<()> {
        let dtype = unsigned(out.dtype);
        let cell = &self.loaded[dtype as usize];
        if cell.get().is_none() {
            let module = program(dtype).load(&self.device)?;
            let _ = cell.set((module.function(c"gather")?, module));
        }
        let Some((function, _)) = cell.get() else { unreachable!("was just set") };
        let (size, count) = (out.layout.size() as i64, indices.layout.size() as i64);
        let row = size / count;
        let grid = blocks("gather", size as usize, THREADS as usize)?;
        let (from, at, to) = (address_of(source)?, address_of(indices)?, address_of(out)?);
        let mut arguments = arguments![from, at, to, size, row];
        // SAFETY: the module is in `self`; the arguments are those of `gather`; the views are contiguous and lie in live
        // allocations, and the indices within the source.
        unsafe { launch(&self.device, *function, (grid, 1), THREADS, &mut arguments) }
    }
}

fn program(dtype: DType) -> Program {
    Program::new("gather.cu", SOURCE, &[("ELEMENT", type_name(dtype))])
}

#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    [DType::U8, DType::U32, DType::U64].map(program).to_vec()
}
