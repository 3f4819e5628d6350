//! Choosing between two operands by a condition on CUDA; the kernels are in `kernels/where_.cu`.

use super::axes::{joined, launch_over};
use super::elementwise::Side;
use super::{Compiled, Program, blocks, family, kernels, unsigned};
use warpcell_base::backend::{Operand, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};

const SOURCE: &str = concat!(include_str!("../kernels/axes.cuh"), "#line 1\n", include_str!("../kernels/where_.cu"));
const THREADS: usize = 256;

family! {
    struct Where {
        kernels: [Compiled<Kernels>; DType::ALL.len()],
    }
}

kernels! {
    struct Kernels {
        packed = c"packed",
        single = c"single",
        strided = c"strided",
        strided_wide = c"strided_wide",
    }
}

impl Where {
    pub fn run(&self, condition: View<'_>, a: Operand<'_>, b: Operand<'_>, out: View<'_>) -> Result<()> {
        let size = out.layout.size();
        if size == 0 {
            return Ok(());
        }
        // Only the bits matter: one program for each size of element.
        let dtype = unsigned(out.dtype);
        let cell = &self.kernels[dtype as usize];
        let kernels = cell.get(&self.device, || program(dtype))?;
        let sides = [Side::source(condition)?, Side::operand(a)?, Side::operand(b)?, Side::target(out)?];
        if sides.iter().all(|side| side.contiguous) {
            let aligned = sides.iter().all(|side| side.address.is_multiple_of(16));
            let (function, each) = if aligned { (kernels.packed, 16 / dtype.size()) } else { (kernels.single, 1) };
            let grid = blocks("where_", size, THREADS * each)?;
            let ([condition, a, b, target], count) = (sides, size as i64);
            let mut arguments =
                arguments![condition.address, a.address, b.address, target.address, count, a.bits, b.bits];
            // SAFETY: the module is alive beside its functions; the arguments are those of `packed` and `single`; the views
            // lie in live allocations; packs are only used for addresses that are multiples of 16.
            return unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) };
        }
        let axes = joined(&out.layout.shape, sides.map(|side| side.strides));
        let [_, a, b, _] = sides.map(|side| side.bits);
        let (addresses, sizes) = (sides.map(|side| side.address), sides.map(|side| side.size));
        launch_over(&axes, addresses, sizes, &mut |[condition, of_a, of_b, target], size, axes| {
            let grid = blocks("where_", size, THREADS)?;
            let function = if size <= i32::MAX as usize { kernels.strided } else { kernels.strided_wide };
            let count = size as i64;
            let mut arguments = arguments![condition, of_a, of_b, target, count, a, b, axes];
            // SAFETY: the module is alive beside its functions; the arguments are those of `strided` and `strided_wide`, and
            // `KernelAxes` has the layout of their `warpcell_axes`; every index inside the shape lies in a live allocation.
            unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
        })
    }
}

fn program(dtype: DType) -> Program {
    Program::new("where_.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    DType::ALL.into_iter().filter(|&dtype| unsigned(dtype) == dtype).map(program).collect()
}
