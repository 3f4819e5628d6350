//! Sorting few long rows on CUDA, whose keys are read once in each pass; the kernels are in `kernels/sort_sweep.cu`.

use super::{DIGITS, Pairs, Room, SHORT, Sort};
use crate::{Program, address_of, blocks, kernels, source_of};
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::context::Device;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;

const SOURCE: &str =
    concat!(include_str!("../../kernels/sort.cuh"), "#line 1\n", include_str!("../../kernels/sort_sweep.cu"));
/// Threads of a block that counts, and the keys that each takes at a time.
const COUNTING: usize = 512;
const COUNTED: usize = 8;
/// Blocks of those for each multiprocessor.
const COUNTERS: usize = 4;
/// A count and two marks are a word.
const MOST: usize = 1 << 30;
/// Rows so long are sorted by their highest digits at first, if keys have eight bytes: in others nearly all digits are needed.
const LONG: usize = 1 << 20;
/// Threads of a block that puts runs right, and how many such blocks there are for each multiprocessor.
const FINISHING: usize = 256;
const FINISHERS: usize = 8;

kernels! {
    pub(super) struct Kernels {
        digits = c"sort_digits",
        sweep = c"sort_sweep",
        finish = c"sort_finish",
    }
}

/// Whether rows are sorted here: few enough that blocks would have to share them, and of lengths that the counts have.
pub(super) fn takes(rows: usize, length: usize, multiprocessors: usize) -> bool {
    length > SHORT && length < MOST && rows < 2 * multiprocessors
}

/// Threads of a block that sorts.
const THREADS: usize = DIGITS;
/// Shared memory of a multiprocessor, in bytes, that has room for the large tiles of several blocks.
const ROOMY: usize = 160 << 10;

/// How many keys a thread has: as many as three or four blocks have room for in a multiprocessor's registers and shared memory, where it
/// has much of that. The fastest of those that were tried on an H200; the smaller ones are half of these.
fn items(size: usize, positions: bool, is_roomy: bool) -> usize {
    match (positions, size, is_roomy) {
        (_, 8, true) => 15,
        (_, 8, false) => 7,
        (true, _, true) => 24,
        (false, _, true) => 28,
        (true, _, false) => 12,
        (false, _, false) => 14,
    }
}

/// How many of the highest digits that differ long rows of keys of eight bytes are sorted by at first: as many as hardly any two of so many
/// floating-point numbers agree in, whose sign and exponent have twelve bits.
fn highest(length: usize) -> usize {
    (length.ilog2() as usize + 12).div_ceil(8)
}

impl Sort {
    pub(super) fn sweep(&self, x: View<'_>, out: View<'_>, rows: usize, length: usize, positions: bool) -> Result<()> {
        let cell = &self.sweeps[usize::from(positions)][x.dtype as usize];
        let is_roomy = is_roomy(&self.device);
        let kernels = cell.get(&self.device, || program(x.dtype, positions, is_roomy))?;
        let passes = x.dtype.size();
        let tiles = length.div_ceil(THREADS * items(passes, positions, is_roomy));
        let grid = (blocks("sort", rows * tiles, 1)?, 1);
        let room = Room::new(&self.device, rows * length, passes, positions)?;
        let (from, target) = (source_of(x)?, address_of(out)?);
        let [Pairs { keys: keys_0, values: values_0 }, Pairs { keys: keys_1, values: values_1 }] =
            room.places(positions, target);

        // What begins as zeros: which bits differ among the keys of each row, the counts of the digits, a counter for each pass, the marks of
        // rows that need all of them, and what tiles publish in the first one.
        let parts = [rows * 8, rows * passes * DIGITS * 4, 2 * passes * 4, (rows + 1) * 4, rows * tiles * DIGITS * 4];
        let zeros = DeviceMemory::new(&self.device, parts.iter().sum::<usize>() + parts[4])?;
        zeros.set_first_bytes(0, parts.iter().sum())?;
        let place = |part: usize| zeros.address() + parts[..part].iter().sum::<usize>() as u64;
        let (varying, counts, tickets, marks, published) = (place(0), place(1), place(2), place(3), place(4));

        let counters = (COUNTERS * self.device.multiprocessors() as usize).div_ceil(rows);
        let counters = counters.min(length.div_ceil(COUNTING * COUNTED));
        let counting = (blocks("sort", rows * counters, 1)?, 1);
        let finishers = (FINISHERS * self.device.multiprocessors() as usize).div_ceil(rows);
        let finishers = finishers.min(length.div_ceil(FINISHING));
        let finishing = (blocks("sort", rows * finishers, 1)?, 1);
        let most = if passes == 8 && length >= LONG { highest(length) } else { passes } as u32;
        let (length, counters, tiles, finishers) = (length as u32, counters as u32, tiles as u32, finishers as u32);
        let mut arguments = arguments![from, length, counters, varying, counts];
        // SAFETY: the module is alive beside its functions; the arguments are those of `sort_digits`; the keys are contiguous in live
        // memory, and there is a word for each row and a count for each digit.
        unsafe { launch(&self.device, kernels.digits, counting, COUNTING as u32, &mut arguments)? };
        let all_passes = |unsorted: u64, tickets: u64| {
            for pass in 0..passes {
                let shift = 8 * pass as i32;
                let mut arguments = arguments![
                    from, keys_0, keys_1, values_0, values_1, length, tiles, most, shift, varying, unsorted, counts,
                    tickets, published, target
                ];
                // SAFETY: as above, with the arguments of `sort_sweep`: what a pass reads and what it writes are different memory, each with
                // room for all keys, and for all positions if the program moves them; tiles have two words for each digit.
                unsafe { launch(&self.device, kernels.sweep, grid, THREADS as u32, &mut arguments)? };
            }
            Ok(())
        };
        all_passes(0, tickets)?;
        if most < passes as u32 {
            let mut arguments = arguments![keys_0, target, length, finishers, most, varying, marks];
            // SAFETY: as above, with the arguments of `sort_finish`: the first place has the keys, and is the result's where it has elements.
            unsafe { launch(&self.device, kernels.finish, finishing, FINISHING as u32, &mut arguments)? };
            all_passes(marks, tickets + 4 * passes as u64)?;
        }
        Ok(())
    }
}

/// Whether a device's multiprocessors have room for large tiles.
pub(super) fn is_roomy(device: &Device) -> bool {
    device.shared_memory() >= ROOMY
}

pub(super) fn program(dtype: DType, positions: bool, is_roomy: bool) -> Program {
    let items = items(dtype.size(), positions, is_roomy).to_string();
    let mut macros = vec![("ELEMENT", dtype.cu_name()), ("ITEMS", &items)];
    if positions {
        macros.push(("POSITIONS", "1"));
    }
    Program::new("sort_sweep.cu", SOURCE, &macros)
}
