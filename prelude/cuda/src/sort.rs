//! Sorting on CUDA; the kernels are in `kernels/sort.cu`, `kernels/sort_sweep.cu` and `kernels/select.cu`.

use super::{Compiled, Program, address_of, blocks, family, kernels, source_of, takes};
use std::sync::Arc;
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_driver::context::Device;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;

mod select;
mod sweep;

const SOURCE: &str = concat!(include_str!("../kernels/sort.cuh"), "#line 1\n", include_str!("../kernels/sort.cu"));
const TYPES: usize = DType::ALL.len();
/// As in the kernels' source.
const SHORT: usize = 2048;
const SHORT_THREADS: usize = 256;
const THREADS: usize = 512;
const DIGITS: usize = 256;
/// Blocks of `THREADS` that a multiprocessor runs at once.
const RESIDENT: usize = 2;

family! {
    /// The programs, for elements and for positions.
    struct Sort {
        programs: [[Compiled<Kernels>; TYPES]; 2],
        sweeps: [[Compiled<sweep::Kernels>; TYPES]; 2],
        selections: [Compiled<select::Kernels>; TYPES],
    }
}

kernels! {
    struct Kernels {
        short = c"sort_short",
        count = c"sort_count",
        scan = c"sort_scan",
        scatter = c"sort_scatter",
    }
}

/// Where keys and positions are between passes.
#[derive(Clone, Copy)]
struct Pairs {
    keys: u64,
    values: u64,
}

/// Room for keys and positions between passes. What is dropped, the pool may hand out again to work that is queued later.
struct Room {
    keys: [DeviceMemory; 2],
    values: [DeviceMemory; 2],
}

impl Room {
    fn new(device: &Arc<Device>, elements: usize, size: usize, positions: bool) -> Result<Room> {
        let memory =
            |wanted: bool, element: usize| DeviceMemory::new(device, if wanted { elements * element } else { 0 });
        let several = size > 1;
        let keys = [memory(several && positions, size)?, memory(several, size)?];
        Ok(Room { keys, values: [memory(several && positions, 4)?, memory(several && positions, 4)?] })
    }

    /// The last pass of those that are needed writes to the first place, which is the result's where that has room for keys.
    fn places(&self, positions: bool, target: u64) -> [Pairs; 2] {
        let first_keys = if positions { self.keys[0].address() } else { target };
        [
            Pairs { keys: first_keys, values: self.values[0].address() },
            Pairs { keys: self.keys[1].address(), values: self.values[1].address() },
        ]
    }
}

impl Sort {
    /// Sorts the rows of `x` into those of `out`, or writes positions.
    pub fn run(&self, x: View<'_>, out: View<'_>, positions: bool) -> Result<()> {
        let length = *x.layout.shape.last().expect("sorted arrays have an axis");
        let rows = x.layout.size() / length;
        let special = || sweep::program(x.dtype, positions, sweep::is_roomy(&self.device));
        let general = || program(x.dtype, positions);
        if sweep::takes(rows, length, self.device.multiprocessors() as usize) && takes(&self.device, special, general)?
        {
            return self.sweep(x, out, rows, length, positions);
        }
        let cell = &self.programs[usize::from(positions)][x.dtype as usize];
        let kernels = cell.get(&self.device, || program(x.dtype, positions))?;
        if length <= SHORT {
            return self.short(kernels, x, out, rows, length);
        }
        if positions && u32::try_from(length).is_err() {
            let reason = format!("has rows of more than {} elements; sort parts of them", u32::MAX);
            return Err(Error::shape("argsort", x.layout.shape.as_slice(), reason));
        }
        self.long(kernels, x, out, rows, length, positions)
    }

    fn short(&self, kernels: &Kernels, x: View<'_>, out: View<'_>, rows: usize, length: usize) -> Result<()> {
        let width = length.next_power_of_two();
        let grid = blocks("sort", rows, SHORT / width)?;
        let (from, to) = (source_of(x)?, address_of(out)?);
        let (row_count, row_length, row_width) = (rows as i64, length as u32, width as u32);
        let mut arguments = arguments![from, row_count, row_length, row_width, to, to];
        // SAFETY: the module is alive beside its functions; the arguments are those of `sort_short`, of which a program uses
        // one of the last two; both views are contiguous, of as many elements, in live allocations.
        unsafe { launch(&self.device, kernels.short, (grid, 1), SHORT_THREADS as u32, &mut arguments) }
    }

    fn long(
        &self,
        kernels: &Kernels,
        x: View<'_>,
        out: View<'_>,
        rows: usize,
        length: usize,
        positions: bool,
    ) -> Result<()> {
        let plan = Plan::new(rows, length, x.dtype.size(), positions, self.device.multiprocessors() as usize);
        let grid = blocks("sort", rows * plan.parts, 1)?;
        let passes = x.dtype.size();
        let room = Room::new(&self.device, rows * length, x.dtype.size(), positions)?;
        let target = address_of(out)?;
        let places = room.places(positions, target);
        let lines = rows * DIGITS;
        let counts = DeviceMemory::new(&self.device, lines * plan.parts * 8)?;
        let totals = DeviceMemory::new(&self.device, if plan.parts > 1 { lines * 8 } else { 0 })?;
        let (row_length, each, parts) = (length as i64, plan.each as i64, plan.parts as u32);
        let counts_address = counts.address();
        let (before, totals_address) =
            if plan.parts > 1 { (counts_address, totals.address()) } else { (0u64, counts_address) };
        // Which bits differ among the keys of each part, and of each row.
        let masks = DeviceMemory::new(&self.device, if passes > 1 { rows * plan.parts * 8 } else { 0 })?;
        let of_rows = DeviceMemory::new(&self.device, if passes > 1 && plan.parts > 1 { rows * 8 } else { 0 })?;
        let masks_address = masks.address();
        let varying = if plan.parts > 1 { of_rows.address() } else { masks_address };
        let from = source_of(x)?;
        let [Pairs { keys: keys_0, values: values_0 }, Pairs { keys: keys_1, values: values_1 }] = places;
        for pass in 0..passes {
            let shift = 8 * pass as i32;
            let mut arguments = arguments![
                from,
                keys_0,
                keys_1,
                row_length,
                each,
                parts,
                shift,
                varying,
                masks_address,
                counts_address
            ];
            // SAFETY: the module is alive beside its functions; the arguments are those of `sort_count`; the keys are
            // contiguous in live memory, and there is a count for each row's digit of each part, and a mask for each part.
            unsafe { launch(&self.device, kernels.count, (grid, 1), THREADS as u32, &mut arguments)? };
            if plan.parts > 1 {
                let count = lines as i64;
                let warps = blocks("sort", lines, SHORT_THREADS / 32)?;
                let mut arguments =
                    arguments![counts_address, count, parts, shift, masks_address, varying, totals_address];
                // SAFETY: as above, with the arguments of `sort_scan`.
                unsafe { launch(&self.device, kernels.scan, (warps, 1), SHORT_THREADS as u32, &mut arguments)? };
            }
            let mut arguments = arguments![
                from,
                keys_0,
                keys_1,
                values_0,
                values_1,
                row_length,
                each,
                parts,
                shift,
                varying,
                before,
                totals_address,
                target
            ];
            // SAFETY: as above, with the arguments of `sort_scatter`: what a pass reads and what it writes are different
            // memory, each with room for all keys, and for all positions if the program moves them.
            unsafe { launch(&self.device, kernels.scatter, (grid, 1), THREADS as u32, &mut arguments)? };
        }
        Ok(())
    }
}

/// In how many parts each row is sorted, and the elements of each: whole tiles of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    parts: usize,
    each: usize,
}

impl Plan {
    /// Parts enough to fill the device, but no more: each costs a count of all digits.
    fn new(rows: usize, length: usize, size: usize, positions: bool, multiprocessors: usize) -> Plan {
        let items = match (positions, size) {
            (true, 8) => 6,
            (true, _) | (false, 8) => 8,
            (false, 4) => 12,
            (false, _) => 16,
        };
        let tile = THREADS * items;
        let tiles = length.div_ceil(tile);
        let wanted = (RESIDENT * multiprocessors).div_ceil(rows).clamp(1, tiles);
        let each = tiles.div_ceil(wanted);
        Plan { parts: tiles.div_ceil(each), each: each * tile }
    }
}

fn program(dtype: DType, positions: bool) -> Program {
    let mut macros = vec![("ELEMENT", dtype.cu_name())];
    if positions {
        macros.push(("POSITIONS", "1"));
    }
    Program::new("sort.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let kinds = DType::COMPUTED.into_iter().flat_map(|dtype| [(dtype, false), (dtype, true)]);
    let sorts = kinds.flat_map(|(dtype, positions)| {
        let [small, large] = [false, true].map(|is_roomy| sweep::program(dtype, positions, is_roomy));
        [program(dtype, positions), small, large]
    });
    sorts.chain(DType::COMPUTED.into_iter().map(select::program)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_tiles_and_cover_the_row() {
        assert_eq!(Plan::new(1, 1 << 24, 4, false, 132), Plan { parts: 249, each: 11 * 6144 });
        assert_eq!(Plan::new(1, 1 << 24, 4, true, 132), Plan { parts: 256, each: 16 * 4096 });
        assert_eq!(Plan::new(1, 2049, 4, true, 132), Plan { parts: 1, each: 4096 });
        assert_eq!(Plan::new(1000, 1 << 20, 8, false, 132), Plan { parts: 1, each: 1 << 20 });
        for (rows, length, size) in [(1, 100_000, 1), (3, 1_000_003, 8), (100, 10_000, 4), (1, 5_000_000_000, 4)] {
            for positions in [false, true] {
                let plan = Plan::new(rows, length, size, positions, 132);
                assert!(plan.parts * plan.each >= length && (plan.parts - 1) * plan.each < length, "{plan:?}");
            }
        }
    }
}
