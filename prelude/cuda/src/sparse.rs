//! Products of sparse matrices on CUDA; the kernels are in `kernels/sparse.cu`.

use super::{Compiled, Program, address_of, blocks, family, kernels, source_of};
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};

const SOURCE: &str = include_str!("../kernels/sparse.cu");
/// As in the kernels' source.
const THREADS: usize = 256;
/// The threads of a warp.
const WARP: usize = 32;

family! {
    struct Sparse {
        /// Of f32 and of f64.
        programs: [Compiled<Kernels>; 2],
    }
}

kernels! {
    struct Kernels {
        vector = c"multiply_vector",
        matrix = c"multiply_matrix",
    }
}

impl Sparse {
    /// The products of the lines of a sparse matrix with the columns of a dense one.
    pub fn multiply(
        &self,
        pointers: View<'_>,
        indices: View<'_>,
        data: View<'_>,
        x: View<'_>,
        out: View<'_>,
    ) -> Result<()> {
        let kernels = self.programs[usize::from(data.dtype == DType::F64)].get(&self.device, || program(data.dtype))?;
        let lines = pointers.layout.size() - 1;
        let columns = out.layout.shape[1];
        // So many threads share a line that each has about two elements.
        let lanes = (data.layout.size() / lines.max(1) / 2).clamp(1, WARP).next_power_of_two();
        let (first, numbers, values) = (source_of(pointers)?, source_of(indices)?, source_of(data)?);
        let (from, target) = (source_of(x)?, address_of(out)?);
        let (function, threads, last) = match columns {
            1 => (kernels.vector, lines * lanes, lanes as i64),
            _ => (kernels.matrix, lines * columns, columns as i64),
        };
        let grid = blocks("sparse product", threads, THREADS)?;
        let lines = lines as i64;
        let mut arguments = arguments![first, numbers, values, from, lines, last, target];
        // SAFETY: the module is alive beside its functions; the arguments are those of both kernels; the views are contiguous in
        // live allocations, and the indices in range, as the operation states.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
    }
}

fn program(dtype: DType) -> Program {
    Program::new("sparse.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    [DType::F32, DType::F64].map(program).into()
}
