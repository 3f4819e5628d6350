//! Counting into bins on CUDA; the kernels are in `kernels/histogram.cu`.

use super::{Compiled, Program, address_of, blocks, family, kernels, source_of};
use warpcell_base::backend::{self, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::launch::{arguments, launch};

const SOURCE: &str = include_str!("../kernels/histogram.cu");
const TYPES: usize = DType::ALL.len();
/// As in the kernels' source.
const THREADS: usize = 512;
/// Bytes of bins that a block counts in shared memory.
const SHARED: usize = 32_768;
/// Blocks of `THREADS` that a multiprocessor runs at once.
const RESIDENT: usize = 4;

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
    }
}

kernels! {
    struct Kernels {
        few = c"count_few",
        many = c"count_many",
    }
}

/// `Span` in the kernels' source.
#[repr(C)]
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
    pairs.filter(wanted).map(|(kind, dtype)| program(kind, dtype)).collect()
}
