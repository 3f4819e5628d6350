//! Counting into bins on CUDA; the kernels are in `kernels/count.cu`.

use super::{Program, address_of, blocks, source_of, type_name};
use std::sync::{Arc, OnceLock};
use warpcell_base::backend::{Bins, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::context::Device;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::module::{Function, Module};

const SOURCE: &str = include_str!("../kernels/count.cu");
const TYPES: usize = DType::ALL.len();
/// As in the kernels' source.
const THREADS: usize = 512;
/// Bytes of bins that a block counts in shared memory.
const SHARED: usize = 32_768;
/// Blocks of `THREADS` that a multiprocessor runs at once.
const RESIDENT: usize = 4;

/// What a program counts.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Values,
    Weights,
    Between,
}

pub(super) struct Count {
    device: Arc<Device>,
    programs: [[OnceLock<Kernels>; TYPES]; 3],
}

struct Kernels {
    few: Function,
    many: Function,
    /// Owns the functions.
    _module: Module,
}

/// `Span` in the kernels' source.
#[repr(C)]
struct Span {
    first: f64,
    last: f64,
    scale: f64,
    even: i32,
}

impl Count {
    pub fn new(device: &Arc<Device>) -> Count {
        Count { device: device.clone(), programs: Default::default() }
    }

    /// Adds to `out`, which holds zeros.
    pub fn run(&self, x: View<'_>, bins: Bins<'_>, weights: Option<View<'_>>, out: View<'_>) -> Result<()> {
        let (size, count) = (x.layout.size(), out.layout.size());
        if size == 0 {
            return Ok(());
        }
        let kind = match (bins, weights) {
            (Bins::Between(..), _) => Kind::Between,
            (Bins::Values, None) => Kind::Values,
            (Bins::Values, Some(_)) => Kind::Weights,
        };
        let kernels = self.kernels(kind, x.dtype)?;
        let (edges, span) = match bins {
            Bins::Values => (0, Span { first: 0.0, last: 0.0, scale: 0.0, even: 0 }),
            Bins::Between(edges, span) => {
                let (scale, even) = (span.scale.unwrap_or(0.0), i32::from(span.scale.is_some()));
                (source_of(edges)?, Span { first: span.first, last: span.last, scale, even })
            }
        };
        let weights = weights.map_or(Ok(0), source_of)?;
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

    fn kernels(&self, kind: Kind, dtype: DType) -> Result<&Kernels> {
        let cell = &self.programs[kind as usize][dtype as usize];
        match cell.get() {
            Some(kernels) => Ok(kernels),
            None => self.load(cell, &program(kind, dtype)),
        }
    }

    #[cold]
    fn load<'a>(&self, cell: &'a OnceLock<Kernels>, program: &Program) -> Result<&'a Kernels> {
        let module = program.load(&self.device)?;
        let kernels =
            Kernels { few: module.function(c"count_few")?, many: module.function(c"count_many")?, _module: module };
        Ok(cell.get_or_init(|| kernels))
    }
}

fn program(kind: Kind, dtype: DType) -> Program {
    let mut macros = vec![("ELEMENT", type_name(dtype))];
    match kind {
        Kind::Values => {}
        Kind::Weights => macros.push(("WEIGHTED", "1")),
        Kind::Between => macros.push(("BETWEEN", "1")),
    }
    Program::new("count.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for: floats have no bins by value.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let kinds = [Kind::Values, Kind::Weights, Kind::Between];
    let wanted = |&(kind, dtype): &(Kind, DType)| matches!(kind, Kind::Between) || !dtype.is_float();
    let pairs = DType::COMPUTED.into_iter().flat_map(|dtype| kinds.map(|kind| (kind, dtype)));
    pairs.filter(wanted).map(|(kind, dtype)| program(kind, dtype)).collect()
}
