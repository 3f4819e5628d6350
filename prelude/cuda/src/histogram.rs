//! Counting into bins on CUDA; the kernels are in `kernels/histogram.cu`.

use super::{Compiled, Program, address_of, blocks, family, kernels, source_of, takes};
use std::sync::Arc;
use warpcell_base::backend::{self, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_driver::context::Device;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;

const SOURCE: &str = include_str!("../kernels/histogram.cu");
const TYPES: usize = DType::ALL.len();
/// As in the kernels' source.
const THREADS: usize = 512;
/// Bytes of bins that a block counts in shared memory.
const SHARED: usize = 32_768;
/// Blocks of `THREADS` that a multiprocessor runs at once.
const RESIDENT: usize = 4;
/// Parts of the bins that elements are sorted by, and the threads and elements of a block that does so.
const BUCKETS: usize = 128;
const SPLITTERS: usize = 1024;
const TILE: usize = SPLITTERS * 8;
/// So many elements pay for being sorted by buckets.
const LEAST_TO_SPLIT: usize = 1 << 20;
/// So many are sorted at a time: what is written of them stays in the second-level cache.
const MOST_AT_ONCE: usize = 1 << 24;

/// Into which bins elements are counted.
#[derive(Clone, Copy)]
pub(super) enum Bins<'a> {
    /// Each value has its own; or the weights of its elements are added up.
    Values(Option<View<'a>>),
    /// Between neighbouring edges.
    Between(View<'a>, backend::Span),
}

/// What a program counts.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Values,
    Weights,
    Between,
}

family! {
    struct Histogram {
        programs: [[Compiled<Kernels>; TYPES]; 3],
        /// For many elements in many bins, without weights.
        split: [[Compiled<Split>; TYPES]; 3],
    }
}

kernels! {
    struct Kernels {
        few = c"count_few",
        many = c"count_many",
    }
    struct Split {
        split = c"split_bins",
        count = c"count_buckets",
    }
}

/// `Span` in the kernels' source.
#[repr(C)]
#[derive(Clone, Copy)]
struct Span {
    first: f64,
    last: f64,
    scale: f64,
    even: i32,
}

impl Histogram {
    /// Adds to `out`, which holds zeros.
    pub fn run(&self, x: View<'_>, bins: Bins<'_>, out: View<'_>) -> Result<()> {
        let (size, count) = (x.layout.size(), out.layout.size());
        if size == 0 {
            return Ok(());
        }
        let none = Span { first: 0.0, last: 0.0, scale: 0.0, even: 0 };
        let (kind, edges, span, weights) = match bins {
            Bins::Values(None) => (Kind::Values, 0, none, 0),
            Bins::Values(Some(weights)) => (Kind::Weights, 0, none, source_of(weights)?),
            Bins::Between(edges, span) => {
                let (scale, even) = (span.scale.unwrap_or(0.0), i32::from(span.scale.is_some()));
                (Kind::Between, source_of(edges)?, Span { first: span.first, last: span.last, scale, even }, 0)
            }
        };
        let (special, general) = (|| split_program(kind, x.dtype), || program(kind, x.dtype));
        if let Some(buckets) = Buckets::of(kind, size, count)
            && takes(&self.device, special, general)?
            && let Some(memory) = buckets.memory(&self.device)?
        {
            return self.by_buckets(buckets, &memory, kind, x, [edges, address_of(out)?], span);
        }
        let kernels = self.programs[kind as usize][x.dtype as usize].get(&self.device, || program(kind, x.dtype))?;
        let (from, size_of_x, target) = (source_of(x)?, size as i64, address_of(out)?);
        let most = self.device.multiprocessors() as usize * RESIDENT;
        // Each thread counts some elements, so that clearing and adding up a block's bins is not most of the work.
        let partial = if matches!(kind, Kind::Weights) { 8 } else { 4 };
        if count * partial <= SHARED {
            let grid = (blocks("counting", size, THREADS * 16)? as usize).min(most) as u32;
            let (bins, copies) = (count as u32, (SHARED / partial / count).min(8) as u32);
            let mut arguments = arguments![from, size_of_x, weights, edges, span, bins, copies, target];
            // SAFETY: the module is alive beside its functions; the arguments are those of `count_few`, and `Span` has the
            // layout of theirs; all views are contiguous in live allocations; the bins' copies fit into shared memory.
            unsafe { launch(&self.device, kernels.few, (grid, 1), THREADS as u32, &mut arguments) }
        } else {
            let grid = (blocks("counting", size, THREADS * 4)? as usize).min(most) as u32;
            let bins = count as i64;
            let mut arguments = arguments![from, size_of_x, weights, edges, span, bins, target];
            // SAFETY: as above, with the arguments of `count_many`.
            unsafe { launch(&self.device, kernels.many, (grid, 1), THREADS as u32, &mut arguments) }
        }
    }

    /// Sorts elements by their buckets, and counts each bucket.
    fn by_buckets(
        &self,
        buckets: Buckets,
        memory: &DeviceMemory,
        kind: Kind,
        x: View<'_>,
        [edges, target]: [u64; 2],
        span: Span,
    ) -> Result<()> {
        let cell = &self.split[kind as usize][x.dtype as usize];
        let kernels = cell.get(&self.device, || split_program(kind, x.dtype))?;
        let Buckets { bins, shift, used, room } = buckets;
        let (lengths, places) = (memory.address(), memory.address() + LENGTHS as u64);
        let (mut from, mut left) = (source_of(x)?, x.layout.size());
        let (bins, shift, room) = (bins as i64, shift, room as u32);
        while left > 0 {
            let taken = left.min(MOST_AT_ONCE);
            memory.set_first_bytes(0, LENGTHS)?;
            let (size, grid) = (taken as u32, blocks("counting", taken, TILE)?);
            let mut arguments = arguments![from, size, edges, span, bins, shift, room, places, lengths, target];
            // SAFETY: the module is alive beside its functions; the arguments are those of `split_bins`, and `Span` has the layout of
            // theirs; all views are contiguous in live allocations; there is a length and room for each bucket.
            unsafe { launch(&self.device, kernels.split, (grid, 1), SPLITTERS as u32, &mut arguments)? };
            let mut arguments = arguments![places, lengths, room, shift, bins, target];
            // SAFETY: as above, with the arguments of `count_buckets`; a bucket's bins fit into shared memory.
            unsafe { launch(&self.device, kernels.count, (used as u32, 1), SPLITTERS as u32, &mut arguments)? };
            from += (taken * x.dtype.size()) as u64;
            left -= taken;
        }
        Ok(())
    }
}

/// Bytes of the buckets' lengths.
const LENGTHS: usize = BUCKETS * size_of::<u32>();

/// How many bins are cut into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buckets {
    bins: usize,
    /// Of the number of a bucket's bins.
    shift: u32,
    used: usize,
    /// For so many elements each bucket has room: twice as many as come on the average.
    room: usize,
}

impl Buckets {
    /// For elements in bins, if sorting them pays.
    fn of(kind: Kind, size: usize, bins: usize) -> Option<Buckets> {
        let least = SHARED / size_of::<u32>();
        if matches!(kind, Kind::Weights) || bins <= least || bins > BUCKETS * least || size < LEAST_TO_SPLIT {
            return None;
        }
        let shift = bins.div_ceil(BUCKETS).next_power_of_two().ilog2();
        let used = bins.div_ceil(1 << shift);
        let room = (2 * size.min(MOST_AT_ONCE) / used + TILE).next_multiple_of(8);
        Some(Buckets { bins, shift, used, room })
    }

    /// Room for all buckets, behind their lengths; `None` if the device has not so much left. The pool may hand it out again to work that
    /// is queued after its owner has dropped it.
    fn memory(self, device: &Arc<Device>) -> Result<Option<DeviceMemory>> {
        match DeviceMemory::new(device, LENGTHS + self.used * self.room * size_of::<u16>()) {
            Err(Error::OutOfMemory { .. }) => Ok(None),
            memory => memory.map(Some),
        }
    }
}

fn split_program(kind: Kind, dtype: DType) -> Program {
    program(kind, dtype).with("SPLIT")
}

fn program(kind: Kind, dtype: DType) -> Program {
    let mut macros = vec![("ELEMENT", dtype.cu_name())];
    match kind {
        Kind::Values => {}
        Kind::Weights => macros.push(("WEIGHTED", "1")),
        Kind::Between => macros.push(("BETWEEN", "1")),
    }
    Program::new("histogram.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for: floats have no bins by value.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let kinds = [Kind::Values, Kind::Weights, Kind::Between];
    let wanted = |&(kind, dtype): &(Kind, DType)| matches!(kind, Kind::Between) || !dtype.is_float();
    let pairs = DType::COMPUTED.into_iter().flat_map(|dtype| kinds.map(|kind| (kind, dtype)));
    let both = |(kind, dtype)| {
        let split = (!matches!(kind, Kind::Weights)).then(|| split_program(kind, dtype));
        [Some(program(kind, dtype)), split].into_iter().flatten()
    };
    pairs.filter(wanted).flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_the_bins_and_fit_into_a_block() {
        let of = |size, bins| Buckets::of(Kind::Values, size, bins);
        for bins in [8193, 10_000, 16_384, 16_385, 1_000_000, 1 << 20] {
            let Buckets { shift, used, room, .. } = of(1 << 24, bins).unwrap();
            assert!(used <= BUCKETS && used << shift >= bins && (used - 1) << shift < bins, "{bins}");
            assert!(4 << shift <= SHARED && used >= BUCKETS / 2 && room % 8 == 0, "{bins}");
            assert!(used * room >= 2 << 24, "{bins}");
        }
        assert_eq!(of(1 << 24, 1_000_000).unwrap().used, 123);
        assert_eq!(of(1 << 40, 1_000_000), of(1 << 24, 1_000_000));
        assert!(
            of(1 << 24, 8192).is_none() && of(1 << 24, (1 << 20) + 1).is_none() && of(1 << 19, 1_000_000).is_none()
        );
        assert!(Buckets::of(Kind::Weights, 1 << 24, 1_000_000).is_none());
    }
}
