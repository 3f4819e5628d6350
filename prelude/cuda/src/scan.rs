//! Running sums and products on CUDA; the kernels are in `kernels/scan.cu`.

use super::{Compiled, Program, address_of, blocks, family, kernels, source_of};
use warpcell_base::backend::{ScanOperation, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;

const SOURCE: &str = include_str!("../kernels/scan.cu");
const TYPES: usize = DType::ALL.len();
const OPERATIONS: usize = ScanOperation::ALL.len();
const NAME: &str = "a scan";
const THREADS: usize = 256;
/// Elements of a row that a block scans at a time.
const TILE: usize = 2048;
/// Bytes of a total in the kernels' source.
const TOTAL: usize = 8;
/// The longest rows for which one thread each is enough: what the threads of a warp read together stays in the cache.
const LONGEST_FOR_THREADS: usize = 16;
/// The longest rows for which one warp each is enough.
const LONGEST_FOR_WARPS: usize = 512;
/// The shortest part of a column that is worth a thread.
const LEAST_OF_COLUMN: usize = 64;

family! {
    struct Scan {
        /// Element types of the input; those of totals are among them.
        kernels: [[Compiled<Kernels>; TYPES]; OPERATIONS],
    }
}

kernels! {
    struct Kernels {
        long_rows = c"scan_long_rows",
        totals_of_rows = c"scan_totals_of_rows",
        short_rows = c"scan_short_rows",
        columns = c"scan_columns",
        totals_of_columns = c"scan_totals_of_columns",
    }
}

/// What is scanned: an array of `outer` times `length` times `inner` elements, along the middle axis.
#[derive(Clone, Copy)]
struct Job {
    operation: ScanOperation,
    dtype: DType,
    x: u64,
    out: u64,
    outer: usize,
    length: usize,
    inner: usize,
}

impl Scan {
    pub fn run(&self, operation: ScanOperation, x: View<'_>, axis: usize, out: View<'_>) -> Result<()> {
        let [outer, length, inner] = x.layout.around(axis);
        if x.layout.size() == 0 {
            return Ok(());
        }
        self.lines(Job { operation, dtype: x.dtype, x: source_of(x)?, out: address_of(out)?, outer, length, inner })
    }

    /// Queues the scan of all lines.
    fn lines(&self, job: Job) -> Result<()> {
        let cell = &self.kernels[job.operation as usize][job.dtype as usize];
        let kernels = cell.get(&self.device, || program(job.operation, job.dtype))?;
        if job.inner > 1 || job.length <= LONGEST_FOR_THREADS {
            self.columns(kernels, job)
        } else if job.length <= LONGEST_FOR_WARPS {
            let (rows, length) = (job.outer as i64, job.length as i64);
            let grid = (blocks(NAME, job.outer, THREADS / 32)?, 1);
            let mut arguments = arguments![job.x, job.out, rows, length];
            // SAFETY: the module is alive beside its functions; the arguments are those of `scan_short_rows`; both arrays
            // are contiguous and lie in live allocations.
            unsafe { launch(&self.device, kernels.short_rows, grid, THREADS as u32, &mut arguments) }
        } else {
            self.long_rows(kernels, job)
        }
    }

    /// Rows by blocks, cut into parts where they are few.
    fn long_rows(&self, kernels: &Kernels, job: Job) -> Result<()> {
        let (part, parts) = cut_row(job.outer, job.length, self.device.multiprocessors() as usize);
        let totals = self.totals(job.outer, parts)?;
        let grid = (blocks(NAME, job.outer, 1)?, parts as u32);
        let (length, part, address) = (job.length as i64, part as i64, totals.address());
        if parts > 1 {
            let mut arguments = arguments![job.x, length, part, address];
            // SAFETY: the module is alive beside its functions; the arguments are those of `scan_totals_of_rows`; the array
            // is contiguous and lies in a live allocation, and there is a total for each part of each row.
            unsafe { launch(&self.device, kernels.totals_of_rows, grid, THREADS as u32, &mut arguments)? };
            self.scan_totals(job, address, job.outer, parts)?;
        }
        let mut arguments = arguments![job.x, job.out, length, part, address];
        // SAFETY: as above, with the arguments of `scan_long_rows`.
        unsafe { launch(&self.device, kernels.long_rows, grid, THREADS as u32, &mut arguments) }
    }

    /// Columns by threads, cut into parts where they are few.
    fn columns(&self, kernels: &Kernels, job: Job) -> Result<()> {
        let lines = job.outer * job.inner;
        let (part, parts) = cut_column(lines, job.length, self.device.multiprocessors() as usize);
        let totals = self.totals(lines, parts)?;
        let grid = (blocks(NAME, lines * parts, THREADS)?, 1);
        let (count, inner, length) = (lines as i64, job.inner as i64, job.length as i64);
        let (part, number, address) = (part as i64, parts as i64, totals.address());
        if parts > 1 {
            let mut arguments = arguments![job.x, count, inner, length, part, number, address];
            // SAFETY: the module is alive beside its functions; the arguments are those of `scan_totals_of_columns`; the
            // array is contiguous and lies in a live allocation, and there is a total for each part of each column.
            unsafe { launch(&self.device, kernels.totals_of_columns, grid, THREADS as u32, &mut arguments)? };
            self.scan_totals(job, address, lines, parts)?;
        }
        let mut arguments = arguments![job.x, job.out, count, inner, length, part, number, address];
        // SAFETY: as above, with the arguments of `scan_columns`.
        unsafe { launch(&self.device, kernels.columns, grid, THREADS as u32, &mut arguments) }
    }

    /// Memory for the totals of `parts` parts of each line. The pool may hand it out again to work that is queued after
    /// its owner has dropped it.
    fn totals(&self, lines: usize, parts: usize) -> Result<DeviceMemory> {
        DeviceMemory::new(&self.device, if parts > 1 { lines * parts * TOTAL } else { 0 })
    }

    /// Scans the totals of each line's parts in place, as rows of their own. There are fewer of them at each turn.
    fn scan_totals(&self, job: Job, totals: u64, lines: usize, parts: usize) -> Result<()> {
        let dtype = wide_type(job.dtype);
        self.lines(Job { dtype, x: totals, out: totals, outer: lines, length: parts, inner: 1, ..job })
    }
}

/// The elements of each part of a row, and the number of parts: some blocks for each multiprocessor, of whole tiles.
fn cut_row(rows: usize, length: usize, multiprocessors: usize) -> (usize, usize) {
    let wanted = (4 * multiprocessors).div_ceil(rows).min(length.div_ceil(4 * TILE)).max(1);
    let part = length.div_ceil(wanted).next_multiple_of(TILE);
    (part, length.div_ceil(part))
}

/// The elements of each part of a column, and the number of parts: a thousand threads for each multiprocessor.
fn cut_column(lines: usize, length: usize, multiprocessors: usize) -> (usize, usize) {
    let wanted = (1024 * multiprocessors / lines).min(length / LEAST_OF_COLUMN).max(1);
    let part = length.div_ceil(wanted);
    (part, length.div_ceil(part))
}

/// What the kernels compute in, and totals are kept in.
fn wide_type(dtype: DType) -> DType {
    if dtype.is_float() { DType::F64 } else { DType::U64 }
}

fn program(operation: ScanOperation, dtype: DType) -> Program {
    let (identity, join) = match operation {
        ScanOperation::Sum => ("0", "+"),
        ScanOperation::Product => ("1", "*"),
    };
    let (output, wide) = (dtype.sum().cu_name(), wide_type(dtype).cu_name());
    let macros =
        [("INPUT", dtype.cu_name()), ("OUTPUT", output), ("WIDE", wide), ("IDENTITY", identity), ("JOIN", join)];
    Program::new("scan.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let of = |operation| DType::COMPUTED.map(|dtype| program(operation, dtype));
    [of(ScanOperation::Sum), of(ScanOperation::Product)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_a_line_and_fill_the_device() {
        for length in [1, 513, 8191, 8193, 100_000, 100_000_000] {
            for lines in [1, 3, 528, 1_000_000] {
                for (part, parts) in [cut_row(lines, length, 132), cut_column(lines, length, 132)] {
                    assert!(part * parts >= length && part * (parts - 1) < length, "{lines} {length} {part} {parts}");
                }
            }
        }
        assert_eq!(cut_row(1, 100_000_000, 132), (190_464, 526));
        assert_eq!(cut_row(1000, 100_000, 132).1, 1);
        assert_eq!(cut_row(1, 8000, 132).1, 1);
        assert_eq!(cut_column(2, 100_000_000, 132).1, 67_568);
        assert_eq!(cut_column(1_000_000, 1000, 132), (1000, 1));
        // Totals are scanned in one more turn, or two: each is of far fewer elements.
        assert!(cut_row(2, 67_568, 132).1 <= 9 && cut_row(1, 526, 132).1 == 1);
    }
}
