//! Sums of the products of two vectors on CUDA; the kernels are in `kernels/reduce.cu`.

use super::{Reduce, SOURCE, THREADS};
use crate::{Program, address_of, kernels, source_of};
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};

kernels! {
    pub(super) struct Kernels {
        packed = c"dot_packed",
        strided = c"dot_strided",
    }
}

impl Reduce {
    pub fn dot(&self, x: View<'_>, y: View<'_>, conjugates: bool, out: View<'_>) -> Result<()> {
        let cell = &self.dots[usize::from(conjugates)][x.dtype as usize];
        let kernels = cell.get(&self.device, || program(x.dtype, conjugates))?;
        let (from_x, from_y, target) = (source_of(x)?, source_of(y)?, address_of(out)?);
        let size = x.layout.shape[0];
        let count = size as i64;
        let is_packed = x.layout.is_contiguous() && y.layout.is_contiguous() && from_x % 16 == from_y % 16;
        // Each thread takes 2 loads of 16 bytes of each vector, or 4 of an element, at a time.
        let each = if is_packed { 32 / x.dtype.size() } else { 4 };
        let grid = (size.div_ceil(THREADS * each).clamp(1, self.most_blocks()) as u32, 1);
        // SAFETY, of both launches: the module is alive beside its functions; the arguments are those of the kernels; the
        // scratch has a counter and a state for each of `most_blocks` blocks; the views lie in live allocations.
        self.with_scratch(|finished, states| {
            if is_packed {
                let mut arguments = arguments![from_x, from_y, count, states, finished, target];
                // SAFETY: see above; the addresses are equally far from a multiple of 16.
                unsafe { launch(&self.device, kernels.packed, grid, THREADS as u32, &mut arguments) }
            } else {
                let (stride_x, stride_y) = (x.layout.strides[0] as i64, y.layout.strides[0] as i64);
                let mut arguments = arguments![from_x, from_y, count, stride_x, stride_y, states, finished, target];
                // SAFETY: see above.
                unsafe { launch(&self.device, kernels.strided, grid, THREADS as u32, &mut arguments) }
            }
        })
    }
}

fn program(dtype: DType, conjugates: bool) -> Program {
    let name = dtype.cu_name();
    let mut macros = vec![("INPUT", name), ("OUTPUT", name), ("REDUCTION", "Dot"), ("DOT", "1")];
    if dtype.is_complex() {
        macros.push(("COMPLEX", "1"));
    }
    if conjugates {
        macros.push(("CONJUGATES", "1"));
    }
    Program::new("reduce.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let of_complex = [DType::C64, DType::C128].into_iter().flat_map(|dtype| [(dtype, false), (dtype, true)]);
    let all = DType::COMPUTED.into_iter().map(|dtype| (dtype, false)).chain(of_complex);
    all.map(|(dtype, conjugates)| program(dtype, conjugates)).collect()
}
