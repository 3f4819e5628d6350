//! The elements at some places of sorted rows on CUDA, without sorting; the kernels are in `kernels/select.cu`.

use super::{DIGITS, Sort};
use crate::{Program, address_of, blocks, kernels, source_of};
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;

const SOURCE: &str =
    concat!(include_str!("../../kernels/sort.cuh"), "#line 1\n", include_str!("../../kernels/select.cu"));
/// As in the kernels' source.
const COUNTING: usize = 512;
const EACH: usize = 8;
const PLACES: usize = 3;
/// Blocks that count, for each multiprocessor.
const COUNTERS: usize = 4;
/// Shorter rows are sorted. Longer ones than the last have more elements than the counts can have.
const LENGTHS: std::ops::Range<usize> = 1 << 15..1 << 31;

kernels! {
    pub(super) struct Kernels {
        count_first = c"select_count_first",
        count = c"select_count",
        choose = c"select_choose",
    }
}

/// Whether elements of rows are found here: of rows so long, and so few, that blocks share them.
pub(super) fn takes(rows: usize, length: usize, multiprocessors: usize) -> bool {
    LENGTHS.contains(&length) && (1..2 * multiprocessors).contains(&rows)
}

/// Bits of a digit, and how many numbers it may be.
fn digit(dtype: DType) -> (usize, usize) {
    if dtype.size() == 1 { (8, 1 << 8) } else { (11, 1 << 11) }
}

impl Sort {
    /// Whether [`select`](Self::select) takes rows.
    pub fn selects(&self, rows: usize, length: usize) -> bool {
        takes(rows, length, self.device.multiprocessors() as usize)
    }

    /// Writes the elements at these places of each sorted row of `x`, which ascend, to the rows of `out`.
    pub fn select(&self, x: View<'_>, places: [usize; PLACES], out: View<'_>) -> Result<()> {
        let length = *x.layout.shape.last().expect("rows have an axis");
        let rows = x.layout.size() / length;
        let kernels = self.selections[x.dtype as usize].get(&self.device, || program(x.dtype))?;
        let (bits, bins) = digit(x.dtype);
        let parts = [rows * PLACES * bins * 4, rows * PLACES * 16];
        let memory = DeviceMemory::new(&self.device, parts.iter().sum())?;
        memory.set_first_bytes(0, parts[0])?;
        let (counts, states) = (memory.address(), memory.address() + parts[0] as u64);
        let (from, target) = (source_of(x)?, address_of(out)?);
        let counters = (COUNTERS * self.device.multiprocessors() as usize).div_ceil(rows);
        let counters = counters.min(length.div_ceil(COUNTING * EACH));
        let grid = (blocks("a selection by order", rows * counters, 1)?, 1);
        let (of_row, counters, places) = (length as u32, counters as u32, places.map(|place| place as u32));
        let mut high = 8 * x.dtype.size() as u32;
        while high > 0 {
            let low = high.saturating_sub(bits as u32);
            let count = if high == 8 * x.dtype.size() as u32 { kernels.count_first } else { kernels.count };
            let mut arguments = arguments![from, of_row, counters, low, high, states, counts];
            // SAFETY: the module is alive beside its functions; the arguments are those of `select_count` and `select_count_first`; the
            // keys are contiguous in live memory; there are a state for each place of each row, and its bins.
            unsafe { launch(&self.device, count, grid, COUNTING as u32, &mut arguments)? };
            let mut arguments = arguments![low, high, places, states, counts, target];
            // SAFETY: as above, with the arguments of `select_choose`, and `Places` is an array of them; `out` is contiguous in a live
            // allocation, with an element for each place of each row.
            unsafe { launch(&self.device, kernels.choose, (rows as u32, 1), DIGITS as u32, &mut arguments)? };
            high = low;
        }
        Ok(())
    }
}

pub(super) fn program(dtype: DType) -> Program {
    Program::new("select.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}
