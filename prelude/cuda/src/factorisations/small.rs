//! Factorisations of small real matrices on CUDA, by kernels of our own: the libraries need a launch or more for each step.

use super::{Strides, lengths, strides};
use crate::{Compiled, CudaBackend, Program, address_of, blocks, kernels, source_of};
use warpcell_base::backend::View;
use warpcell_base::backend::factorisations::Fault;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::context::Device;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;
use warpcell_driver::staging;

const SOURCE: &str = concat!(
    include_str!("../../kernels/factorisations.cuh"),
    "#line 1\n",
    include_str!("../../kernels/small_matrices.cu")
);
const THREADS: usize = 128;
/// As many rows as a warp has lanes.
const MOST_ROWS: usize = 32;
/// What the kernels are told of no fault.
const NONE: u64 = u64::MAX;

kernels! {
    pub(super) struct Kernels {
        inverses = c"small_inverses",
        solutions = c"small_solutions",
        determinants = c"small_determinants",
        cholesky = c"small_cholesky",
        report = c"report_first",
    }
}

/// For f32 and f64.
pub(super) type Small = [Compiled<Kernels>; 2];

/// What the kernels need to know of a stack: how many matrices and rows, how many lanes work on a matrix, and the blocks.
struct Teams {
    count: i64,
    rows: i32,
    width: i32,
    grid: (u32, u32),
}

impl Teams {
    fn new(operation: &'static str, x: View<'_>) -> Result<Teams> {
        let (count, n, _) = lengths(x);
        let width = n.next_power_of_two();
        let grid = (blocks(operation, count, THREADS / width)?, 1);
        Ok(Teams { count: count as i64, rows: n as i32, width: width as i32, grid })
    }
}

/// Where the kernels write the first fault of all.
pub(super) struct First(DeviceMemory);

impl First {
    /// Waits.
    pub(super) fn read(&self, device: &Device) -> Result<Option<Fault>> {
        let mut bytes = [0; 8];
        // SAFETY: the block has as many bytes.
        unsafe { staging::download(device, self.0.address(), &mut bytes)? };
        let found = u64::from_ne_bytes(bytes);
        let fault = Fault { matrix: (found >> 32) as usize, order: found as u32 as usize };
        Ok((found != NONE).then_some(fault))
    }
}

impl CudaBackend {
    /// Whether the kernels here take the matrices.
    pub(super) fn are_small(x: View<'_>) -> bool {
        let (count, rows, columns) = lengths(x);
        let is_real = matches!(x.dtype, DType::F32 | DType::F64);
        is_real && rows == columns && (1..=MOST_ROWS).contains(&rows) && (1..u32::MAX as usize).contains(&count)
    }

    fn small(&self, dtype: DType) -> Result<&Kernels> {
        self.factorise.small[usize::from(dtype == DType::F64)].get(&self.device, || program(dtype))
    }

    fn first(&self) -> Result<First> {
        let memory = DeviceMemory::new(&self.device, 8)?;
        memory.set_bytes(0xff)?;
        Ok(First(memory))
    }

    pub(super) fn small_inverses(&self, x: View<'_>, out: View<'_>) -> Result<First> {
        let (Teams { count, rows, width, grid }, found) = (Teams::new("inv", x)?, self.first()?);
        let (from, to, first) = (source_of(x)?, address_of(out)?, found.0.address());
        let (of_x, of_out) = (strides(x), strides(out));
        let mut arguments = arguments![from, to, count, rows, width, of_x, of_out, first];
        // SAFETY: the module is in `self`; the arguments are those of `small_inverses`; all elements lie in the views, which are live,
        // and there are no more rows than the kernel has room for.
        unsafe { launch(&self.device, self.small(x.dtype)?.inverses, grid, THREADS as u32, &mut arguments)? };
        Ok(found)
    }

    /// With one right side.
    pub(super) fn small_solutions(&self, x: View<'_>, b: View<'_>, out: View<'_>) -> Result<First> {
        let (Teams { count, rows, width, grid }, found) = (Teams::new("solve", x)?, self.first()?);
        let (from, right, to, first) = (source_of(x)?, source_of(b)?, address_of(out)?, found.0.address());
        let (of_x, of_b, of_out) = (strides(x), strides(b), strides(out));
        let mut arguments = arguments![from, right, to, count, rows, width, of_x, of_b, of_out, first];
        // SAFETY: as above, with the arguments of `small_solutions`.
        unsafe { launch(&self.device, self.small(x.dtype)?.solutions, grid, THREADS as u32, &mut arguments)? };
        Ok(found)
    }

    pub(super) fn small_determinants(&self, x: View<'_>, out: View<'_>) -> Result<()> {
        let Teams { count, rows, width, grid } = Teams::new("det", x)?;
        let (from, to, of_x) = (source_of(x)?, address_of(out)?, strides(x));
        let mut arguments = arguments![from, to, count, rows, width, of_x];
        // SAFETY: as above, with the arguments of `small_determinants`; there are three numbers in `out` for each matrix.
        unsafe { launch(&self.device, self.small(x.dtype)?.determinants, grid, THREADS as u32, &mut arguments) }
    }

    pub(super) fn small_cholesky(&self, x: View<'_>, out: View<'_>) -> Result<First> {
        let (Teams { count, rows, width, grid }, found) = (Teams::new("cholesky", x)?, self.first()?);
        let (from, to, first) = (source_of(x)?, address_of(out)?, found.0.address());
        let (of_x, of_out): (Strides, Strides) = (strides(x), strides(out));
        let mut arguments = arguments![from, to, count, rows, width, of_x, of_out, first];
        // SAFETY: as above, with the arguments of `small_cholesky`.
        unsafe { launch(&self.device, self.small(x.dtype)?.cholesky, grid, THREADS as u32, &mut arguments)? };
        Ok(found)
    }

    /// Queues a report of what a kernel has found.
    pub(super) fn report_first(&self, found: &First, dtype: DType, report: u64, call: u32) -> Result<()> {
        let first = found.0.address();
        let mut arguments = arguments![first, report, call];
        // SAFETY: as above, with the arguments of `report_first`; a report has room at its address.
        unsafe { launch(&self.device, self.small(dtype)?.report, (1, 1), 1, &mut arguments) }
    }
}

fn program(dtype: DType) -> Program {
    Program::new("small_matrices.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    [DType::F32, DType::F64].map(program).to_vec()
}
