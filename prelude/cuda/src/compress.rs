//! The true elements of a mask on CUDA; the kernels are in `kernels/compress.cu`.

use super::{Compiled, Program, blocks, family, kernels, source_of, unsigned};
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;
use warpcell_driver::staging;

const SOURCE: &str = include_str!("../kernels/compress.cu");
const THREADS: usize = 256;
const SUM_THREADS: u32 = 1024;
/// Elements of a block.
const CHUNK: usize = THREADS * 16 * 4;

family! {
    struct Compress {
        /// One for each size of element, and the last for positions.
        kernels: [Compiled<Kernels>; DType::ALL.len() + 1],
    }
}

kernels! {
    struct Kernels {
        count = c"count_true",
        sum = c"sum_counts",
        compress = c"compress",
    }
}

impl Compress {
    pub fn run(&self, mask: View<'_>, source: Option<View<'_>>) -> Result<(DeviceMemory, usize)> {
        let size = mask.layout.size();
        if size == 0 {
            return Ok((DeviceMemory::new(&self.device, 0)?, 0));
        }
        // Only the bits matter: one program for each size of element.
        let dtype = source.map(|source| unsigned(source.dtype));
        let cell = &self.kernels[dtype.map_or(DType::ALL.len(), |dtype| dtype as usize)];
        let kernels = cell.get(&self.device, || program(dtype))?;
        let grid = blocks("a selection", size, CHUNK)?;
        let counts = DeviceMemory::new(&self.device, (grid as usize + 1) * 8)?;
        let (flags, count, counted) = (source_of(mask)?, size as i64, counts.address());
        let mut arguments = arguments![flags, count, counted];
        // SAFETY: the module is alive beside its functions; the arguments are those of `count_true`; the mask lies in a live
        // allocation, and there is a count for each block.
        unsafe { launch(&self.device, kernels.count, (grid, 1), THREADS as u32, &mut arguments)? };
        let number = i64::from(grid);
        let mut arguments = arguments![counted, number];
        // SAFETY: as above, with the arguments of `sum_counts`; behind the counts there is room for their sum.
        unsafe { launch(&self.device, kernels.sum, (1, 1), SUM_THREADS, &mut arguments)? };
        let mut total = [0; 8];
        // SAFETY: the sum lies behind the counts.
        unsafe { staging::download(&self.device, counted + u64::from(grid) * 8, &mut total)? };
        let total = i64::from_ne_bytes(total);
        let found = usize::try_from(total).unwrap_or(0).min(size);
        let out = DeviceMemory::new(&self.device, found * dtype.map_or(8, DType::size))?;
        if found > 0 {
            let (elements, total, target) = (source.map_or(Ok(0), source_of)?, found as i64, out.address());
            let mut arguments = arguments![flags, elements, count, counted, total, target];
            // SAFETY: as above, with the arguments of `compress`; the source has as many elements as the mask, and nothing is
            // written behind `total` elements, for which there is room.
            unsafe { launch(&self.device, kernels.compress, (grid, 1), THREADS as u32, &mut arguments)? };
        }
        Ok((out, found))
    }
}

/// The program for elements, or for positions.
fn program(dtype: Option<DType>) -> Program {
    let macros: Vec<(&str, &str)> = dtype.map(|dtype| ("ELEMENT", dtype.cu_name())).into_iter().collect();
    Program::new("compress.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let elements = DType::ALL.into_iter().filter(|&dtype| unsigned(dtype) == dtype);
    elements.map(|dtype| program(Some(dtype))).chain([program(None)]).collect()
}
