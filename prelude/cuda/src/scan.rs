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
/// The words of a total, in the same place: its halves, and whether they are there.
const WORDS: usize = 2;
/// So many tiles make a group, and so many groups a set.
const GROUP: usize = 32;
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
        tiles = c"scan_tiles",
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

    /// Rows by blocks, cut into tiles where they are few.
    fn long_rows(&self, kernels: &Kernels, job: Job) -> Result<()> {
        let length = job.length as i64;
        let tile = tile(job.dtype);
        let tiles = job.length.div_ceil(tile);
        if tiles == 1 || job.outer >= 4 * self.device.multiprocessors() as usize {
            let grid = (blocks(NAME, job.outer, 1)?, 1);
            let mut arguments = arguments![job.x, job.out, length];
            // SAFETY: the module is alive beside its functions; the arguments are those of `scan_long_rows`; both arrays are
            // contiguous and lie in live allocations.
            return unsafe { launch(&self.device, kernels.long_rows, grid, THREADS as u32, &mut arguments) };
        }
        let count = job.outer * tiles;
        // Half as many blocks as run at once: their elements stay in the second-level cache until they are scanned.
        let ahead = count.min(2 * self.device.multiprocessors() as usize);
        let grid = (blocks(NAME, ahead + 2 * count, 1)?, 1);
        let words = row_words(tiles);
        // The counter of tiles, with a word of its own. Dropped at the end: the pool may hand it out again to work that is queued later.
        let scratch = DeviceMemory::new(&self.device, (1 + job.outer * words) * size_of::<u64>())?;
        scratch.set_bytes(0)?;
        let (ticket, totals) = (scratch.address(), scratch.address() + size_of::<u64>() as u64);
        let sizes = [job.dtype.size(), job.dtype.sum().size()];
        let are_packed = i32::from(are_packed([job.x, job.out], sizes, [job.outer, job.length]));
        let [tiles, count, ahead] = [tiles, count, ahead].map(|number| number as u32);
        let words = words as i64;
        let mut arguments = arguments![job.x, job.out, length, tiles, count, ahead, ticket, totals, words, are_packed];
        // SAFETY: as above, with the arguments of `scan_tiles`; there are totals for each tile, group and set of each row.
        unsafe { launch(&self.device, kernels.tiles, grid, THREADS as u32, &mut arguments) }
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

/// Elements of a row that a block takes: each thread 4 or 8 times 4 of them.
fn tile(dtype: DType) -> usize {
    THREADS * if dtype.size() == 8 { 16 } else { 32 }
}

/// The words of the totals of a row: of its tiles and their warps, of groups of tiles, and of sets of groups, and a counter for each group and
/// set.
fn row_words(tiles: usize) -> usize {
    let groups = tiles.div_ceil(GROUP);
    let sets = groups.div_ceil(GROUP);
    (tiles + tiles * THREADS / 32 + groups + sets) * WORDS + groups + sets
}

/// Whether four neighbours of the array and of the result may be read and written together: as packs of 16 bytes at most.
fn are_packed(addresses: [u64; 2], sizes: [usize; 2], [rows, length]: [usize; 2]) -> bool {
    let fits = |side: usize| addresses[side].is_multiple_of((4 * sizes[side]).min(16) as u64);
    fits(0) && fits(1) && (rows == 1 || length.is_multiple_of(4))
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
                let (part, parts) = cut_column(lines, length, 132);
                assert!(part * parts >= length && part * (parts - 1) < length, "{lines} {length} {part} {parts}");
            }
        }
        assert_eq!(cut_column(2, 100_000_000, 132).1, 67_568);
        assert_eq!(cut_column(1_000_000, 1000, 132), (1000, 1));
    }

    #[test]
    fn totals_of_rows_have_room() {
        assert_eq!([1, 32, 33, 1024, 1025].map(row_words), [24, 582, 603, 18_531, 18_555]);
        assert!(are_packed([256, 512], [4, 4], [1, 1001]) && are_packed([256, 512], [1, 8], [3, 1000]));
        assert!(!are_packed([256, 512], [4, 4], [3, 1001]) && !are_packed([260, 512], [4, 4], [1, 1000]));
        assert!(are_packed([260, 512], [1, 8], [1, 1000]));
    }
}
