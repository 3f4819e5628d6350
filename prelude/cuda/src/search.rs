//! Searching sorted arrays on CUDA; the kernels are in `kernels/search.cu`.

use super::{Compiled, CudaAllocation, Program, address_of, blocks, family, kernels, source_of};
use std::sync::Arc;
use warpcell_base::backend::{Unique, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;
use warpcell_driver::module::Function;
use warpcell_driver::staging;

const SOURCE: &str = include_str!("../kernels/search.cu");
const TYPES: usize = DType::ALL.len();
/// As in the kernels' source.
const THREADS: usize = 256;
const TILE: usize = THREADS * 16;

family! {
    struct Search {
        programs: [Compiled<Kernels>; TYPES],
        /// Of f32 and of f64.
        interpolations: [Compiled<Interpolation>; 2],
    }
}

kernels! {
    struct Interpolation {
        interpolate = c"interpolate",
    }
}

kernels! {
    struct Kernels {
        search = c"search_sorted",
        contains = c"contains",
        count = c"runs_count",
        scan = c"runs_scan",
        write = c"runs_write",
    }
}

impl Search {
    pub fn search_sorted(&self, sorted: View<'_>, values: View<'_>, right: bool, out: View<'_>) -> Result<()> {
        let kernels = self.programs[sorted.dtype as usize].get(&self.device, || program(sorted.dtype))?;
        self.run(kernels.search, sorted, values, right, out)
    }

    pub fn contains(&self, sorted: View<'_>, values: View<'_>, is_inverted: bool, out: View<'_>) -> Result<()> {
        let kernels = self.programs[sorted.dtype as usize].get(&self.device, || program(sorted.dtype))?;
        self.run(kernels.contains, sorted, values, is_inverted, out)
    }

    /// Launches one of the two kernels that take a flag.
    fn run(&self, function: Function, sorted: View<'_>, values: View<'_>, flag: bool, out: View<'_>) -> Result<()> {
        let (from, length) = (source_of(sorted)?, sorted.layout.size() as i64);
        let (wanted, count) = (source_of(values)?, values.layout.size() as i64);
        let (flag, target) = (i32::from(flag), address_of(out)?);
        let grid = blocks("searchsorted", values.layout.size(), THREADS)?;
        let mut arguments = arguments![from, length, wanted, count, flag, target];
        // SAFETY: the module is alive beside its functions; the arguments are those of `search_sorted` and `contains`; the views
        // are contiguous in live allocations.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
    }

    pub fn interpolate(&self, x: View<'_>, places: View<'_>, values: View<'_>, out: View<'_>) -> Result<()> {
        let kernels =
            self.interpolations[usize::from(x.dtype == DType::F64)].get(&self.device, || interpolation(x.dtype))?;
        let (from, count) = (source_of(x)?, x.layout.size() as i64);
        let (points, heights, length) = (source_of(places)?, source_of(values)?, places.layout.size() as i64);
        let target = address_of(out)?;
        let grid = blocks("interp", x.layout.size(), THREADS)?;
        let mut arguments = arguments![from, count, points, heights, length, target];
        // SAFETY: the module is alive beside its function; the arguments are those of `interpolate`; the views are contiguous in
        // live allocations.
        unsafe { launch(&self.device, kernels.interpolate, (grid, 1), THREADS as u32, &mut arguments) }
    }

    pub fn unique(&self, sorted: View<'_>) -> Result<Unique> {
        let kernels = self.programs[sorted.dtype as usize].get(&self.device, || program(sorted.dtype))?;
        let (from, length) = (source_of(sorted)?, sorted.layout.size() as i64);
        let grid = blocks("unique", sorted.layout.size(), TILE)?;
        let tiles = i64::from(grid);
        let counts = DeviceMemory::new(&self.device, (grid as usize + 1) * 8)?;
        let counts_address = counts.address();
        let mut arguments = arguments![from, length, counts_address];
        // SAFETY: the module is alive beside its functions; the arguments are those of `runs_count`; the view is contiguous
        // in a live allocation; there is a count for each tile, and one more.
        unsafe { launch(&self.device, kernels.count, (grid, 1), THREADS as u32, &mut arguments)? };
        let mut arguments = arguments![counts_address, tiles];
        // SAFETY: as above, with the arguments of `runs_scan`.
        unsafe { launch(&self.device, kernels.scan, (1, 1), THREADS as u32, &mut arguments)? };
        let mut total = [0; 8];
        // SAFETY: the last of the counts.
        unsafe { staging::download(&self.device, counts_address + 8 * u64::from(grid), &mut total)? };
        let count = u64::from_ne_bytes(total) as usize;
        let elements = DeviceMemory::new(&self.device, count * sorted.dtype.size())?;
        let starts = DeviceMemory::new(&self.device, (count + 1) * 8)?;
        let (to_elements, to_starts) = (elements.address(), starts.address());
        let mut arguments = arguments![from, length, counts_address, to_elements, to_starts];
        // SAFETY: as above, with the arguments of `runs_write`; there is room for as many runs as were counted.
        unsafe { launch(&self.device, kernels.write, (grid, 1), THREADS as u32, &mut arguments)? };
        Ok(Unique { elements: Arc::new(CudaAllocation(elements)), starts: Arc::new(CudaAllocation(starts)), count })
    }
}

fn program(dtype: DType) -> Program {
    Program::new("search.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}

fn interpolation(dtype: DType) -> Program {
    Program::new("search.cu", SOURCE, &[("ELEMENT", dtype.cu_name()), ("IS_FLOAT", "1")])
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    DType::COMPUTED.into_iter().map(program).chain([DType::F32, DType::F64].map(interpolation)).collect()
}
