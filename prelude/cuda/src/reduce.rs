//! Reductions on CUDA; the kernels are in `kernels/reduce.cu`.

use super::axes::{Axis, KernelAxes, MOST_AXES, joined};
use super::{Compiled, Program, address_of, blocks, family, kernels, source_of, takes};
use std::sync::OnceLock;
use warpcell_base::backend::{ReduceOperation, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::{Error, Result};
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;
use warpcell_driver::queue::queues;

mod dot;

/// The states of reductions, and what merges them; the kernels of this module too, unless `WARPCELL_MAP` is defined.
pub(super) const REDUCTIONS: &str =
    concat!(include_str!("../kernels/reductions.cuh"), "#line 1\n", include_str!("../kernels/reduce.cu"));
const SOURCE: &str = concat!(
    include_str!("../kernels/axes.cuh"),
    "#line 1\n",
    include_str!("../kernels/reductions.cuh"),
    "#line 1\n",
    include_str!("../kernels/reduce.cu")
);
const TYPES: usize = DType::ALL.len();
const OPERATIONS: usize = ReduceOperation::ALL.len();
/// What there is a program for: an operation, and sums of squared distances with and without NaN.
const KINDS: usize = OPERATIONS + 2;
const THREADS: usize = 256;
/// The most bytes of a state in the kernels' source.
const STATE: usize = 32;
/// Blocks of `THREADS` that a multiprocessor runs at once.
const RESIDENT: u32 = 8;

family! {
    struct Reduce {
        /// By what elements are converted to ([`conversion`]).
        whole: [[[Compiled<Whole>; TYPES]; KINDS]; CONVERSIONS],
        axes: [[[Compiled<OverAxes>; TYPES]; KINDS]; CONVERSIONS],
        /// Of the elements as they are, and of their conjugates.
        dots: [[Compiled<dot::Kernels>; TYPES]; 2],
        /// What the kernels of whole arrays need besides their operands: a counter, 0 between launches, then a state for each block,
        /// and then what those of columns need, more such counters.
        /// One for each queue is enough: launches follow one another there.
        scratch: [OnceLock<DeviceMemory>; queues()],
    }
}

kernels! {
    struct Whole {
        all = c"reduce_all",
    }
    struct OverAxes {
        long_rows = c"reduce_long_rows",
        short_rows = c"reduce_short_rows",
        shortest_rows = c"reduce_shortest_rows",
        tiny_rows = c"reduce_tiny_rows",
        columns = c"reduce_columns",
        wide_columns = c"reduce_wide_columns",
        shares = c"reduce_shares",
    }
}

/// `Axes` in the kernels' source.
#[repr(C)]
struct Axes {
    axes: KernelAxes<1>,
    narrow: i32,
}

/// What is reduced, and how.
#[derive(Clone, Copy)]
enum Reduced<'a> {
    Elements(ReduceOperation),
    /// The squares of the distances from the centres of the outputs.
    Distances {
        centres: View<'a>,
        skips_nan: bool,
    },
}

impl Reduced<'_> {
    /// The number of the program.
    fn kind(self) -> usize {
        match self {
            Reduced::Elements(operation) => operation as usize,
            Reduced::Distances { skips_nan, .. } => OPERATIONS + usize::from(skips_nan),
        }
    }

    /// What elements of `x` are converted to, which may be what they are.
    fn terms(self, x: View<'_>, out: View<'_>) -> DType {
        match self {
            Reduced::Elements(ReduceOperation::Sum | ReduceOperation::SquaredDeviations) if out.dtype.is_float() => {
                out.dtype
            }
            Reduced::Elements(_) => x.dtype.compute_type(),
            Reduced::Distances { centres, .. } => centres.dtype,
        }
    }

    fn program(self, stored: DType, terms: DType, whole: bool) -> Program {
        match self {
            Reduced::Elements(operation) => program(operation, [stored, terms], whole),
            Reduced::Distances { skips_nan, .. } => distances_program([stored, terms], skips_nan, whole),
        }
    }

    /// Where the centres are, if there are any.
    fn centres(self) -> Result<u64> {
        match self {
            Reduced::Elements(_) => Ok(0),
            Reduced::Distances { centres, .. } => source_of(centres),
        }
    }
}

/// Whether a reduction was queued, or is one value everywhere.
pub(super) enum Outcome {
    Done,
    Constant(Scalar),
}

impl Reduce {
    pub fn run(&self, operation: ReduceOperation, x: View<'_>, axes: &[usize], out: View<'_>) -> Result<Outcome> {
        let outputs = out.layout.size();
        if outputs == 0 {
            return Ok(Outcome::Done);
        }
        if x.layout.size() == 0 {
            return Ok(Outcome::Constant(of_nothing(operation, out.dtype)));
        }
        self.queue(Reduced::Elements(operation), x, axes, out)?;
        Ok(Outcome::Done)
    }

    /// Adds up the squares of the distances from the centres, of which there is one for each output. Neither is empty.
    pub fn squared_distances(
        &self,
        x: View<'_>,
        axes: &[usize],
        centres: View<'_>,
        skips_nan: bool,
        out: View<'_>,
    ) -> Result<()> {
        self.queue(Reduced::Distances { centres, skips_nan }, x, axes, out)
    }

    fn queue(&self, reduced: Reduced<'_>, x: View<'_>, axes: &[usize], out: View<'_>) -> Result<()> {
        match out.layout.size() {
            1 if x.layout.is_contiguous() && self.takes_whole(reduced, x, out)? => self.whole(reduced, x, out),
            outputs => self.over_axes(reduced, x, axes, out, outputs),
        }
    }

    /// Whether the program for all elements can be had, rather than that for any axes.
    fn takes_whole(&self, reduced: Reduced<'_>, x: View<'_>, out: View<'_>) -> Result<bool> {
        let terms = reduced.terms(x, out);
        let program = |whole| move || reduced.program(x.dtype, terms, whole);
        let is_there = self.whole[conversion(x.dtype, terms)][reduced.kind()][x.dtype as usize].is_there();
        Ok(is_there || takes(&self.device, program(true), program(false))?)
    }

    fn whole(&self, reduced: Reduced<'_>, x: View<'_>, out: View<'_>) -> Result<()> {
        let terms = reduced.terms(x, out);
        let cell = &self.whole[conversion(x.dtype, terms)][reduced.kind()][x.dtype as usize];
        let function = cell.get(&self.device, || reduced.program(x.dtype, terms, true))?.all;
        let size = x.layout.size();
        // Each thread takes 4 loads of 16 bytes at a time.
        let useful = size.div_ceil(THREADS * 64 / x.dtype.size());
        let grid = useful.clamp(1, self.most_blocks()) as u32;
        let (address, centres, count, target) = (source_of(x)?, reduced.centres()?, size as i64, address_of(out)?);
        self.with_scratch(|finished, states| {
            let mut arguments = arguments![address, centres, count, states, finished, target];
            // SAFETY: the module is in `self`; the arguments are those of `reduce_all`; the scratch has a counter and a state
            // for each of `most_blocks` blocks; both views lie in live allocations.
            unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
        })
    }

    /// Launches what needs a counter and states, whose addresses it gets.
    pub fn with_scratch(&self, launch: impl FnOnce(u64, u64) -> Result<()>) -> Result<()> {
        if self.device.is_capturing() {
            // A graph may run beside other work in whatever stream.
            return self.with_own_scratch(launch);
        }
        let scratch = self.scratch()?;
        launch(scratch.address(), scratch.address() + STATE as u64)
    }

    /// As `with_scratch`, for what runs beside other work, or may leave the counter at anything.
    pub fn with_own_scratch(&self, launch: impl FnOnce(u64, u64) -> Result<()>) -> Result<()> {
        // Dropped at the end of this function: the pool may hand it out again to work that is queued later.
        let scratch = DeviceMemory::new(&self.device, self.scratch_bytes())?;
        scratch.set_bytes(0)?;
        launch(scratch.address(), scratch.address() + STATE as u64)
    }

    fn over_axes(
        &self,
        reduced: Reduced<'_>,
        x: View<'_>,
        axes: &[usize],
        out: View<'_>,
        outputs: usize,
    ) -> Result<()> {
        let terms = reduced.terms(x, out);
        let cell = &self.axes[conversion(x.dtype, terms)][reduced.kind()][x.dtype as usize];
        let kernels = cell.get(&self.device, || reduced.program(x.dtype, terms, false))?;
        let (kept, gone) = split(x, axes);
        let (kept_axes, reduced_axes) = (passed(&kept, x)?, passed(&gone, x)?);
        let length: usize = gone.iter().map(|axis| axis.length).product();

        let (address, centres) = (source_of(x)?, reduced.centres()?);
        let neighbours = neighbours(&kept, &gone, address, x.dtype.size());
        let choice = choice(&kept, &gone, outputs, length, neighbours, self.device.multiprocessors() as usize);
        let function = match choice.shape {
            Shape::Columns => kernels.columns,
            Shape::WideColumns(_) => kernels.wide_columns,
            Shape::LongRows => kernels.long_rows,
            Shape::ShortRows => kernels.short_rows,
            Shape::ShortestRows => kernels.shortest_rows,
            Shape::TinyRows => kernels.tiny_rows,
        };
        let grid = (blocks("a reduction", outputs, choice.shape.outputs_a_block())?, choice.shares);
        // Dropped at the end of this function: the pool may hand it out again to work that is queued later.
        let shares = match choice.shares {
            1 => DeviceMemory::new(&self.device, 0)?,
            count => DeviceMemory::new(&self.device, outputs * count as usize * STATE)?,
        };
        let (target, states) = (address_of(out)?, shares.address());
        let (outputs_count, length_count) = (outputs as i64, length as i64);
        let merges = matches!(choice.shape, Shape::Columns | Shape::WideColumns(_));
        let queue = |finished: u64| {
            let mut arguments = arguments![
                address,
                centres,
                kept_axes,
                reduced_axes,
                outputs_count,
                length_count,
                states,
                finished,
                target
            ];
            // SAFETY: the module is alive beside its functions; the arguments are those of the kernels, and `Axes` has the layout of
            // theirs; there is a state for each share of each output, and a counter for each of the grid's columns if there are
            // several shares, which are those of few columns; the views lie in live allocations.
            unsafe { launch(&self.device, function, grid, THREADS as u32, &mut arguments) }
        };
        if choice.shares > 1 && merges {
            return self.with_scratch(|_, counters| queue(counters + self.states_bytes() as u64));
        }
        queue(0)?;
        if choice.shares > 1 {
            let count = i64::from(choice.shares);
            let grid = (blocks("a reduction", outputs, THREADS / 32)?, 1);
            let mut arguments = arguments![states, outputs_count, count, target];
            // SAFETY: as above, with the arguments of `reduce_shares`.
            unsafe { launch(&self.device, kernels.shares, grid, THREADS as u32, &mut arguments)? };
        }
        Ok(())
    }

    /// How many blocks there are states for.
    pub fn most_blocks(&self) -> usize {
        (self.device.multiprocessors() * RESIDENT) as usize
    }

    fn states_bytes(&self) -> usize {
        STATE * self.most_blocks()
    }

    /// Of a counter, of the states, and of a counter for each of as many blocks.
    fn scratch_bytes(&self) -> usize {
        STATE + self.states_bytes() + size_of::<u32>() * self.most_blocks()
    }

    fn scratch(&self) -> Result<&DeviceMemory> {
        let cell = &self.scratch[self.device.queue_number()];
        if let Some(scratch) = cell.get() {
            return Ok(scratch);
        }
        let scratch = DeviceMemory::outside_pool(&self.device, self.scratch_bytes())?;
        scratch.set_bytes(0)?;
        Ok(cell.get_or_init(|| scratch))
    }
}

/// The result over no elements.
pub(super) fn of_nothing(operation: ReduceOperation, dtype: DType) -> Scalar {
    match operation {
        ReduceOperation::All | ReduceOperation::Product | ReduceOperation::ProductNumbers => Scalar::one(dtype),
        _ => Scalar::zero(dtype),
    }
}

/// The axes that stay and those that are reduced, each from the innermost outwards and joined.
fn split(x: View<'_>, reduced: &[usize]) -> (Vec<Axis<1>>, Vec<Axis<1>>) {
    let part = |wanted: bool| {
        let numbers = (0..x.layout.shape.len()).filter(|number| reduced.contains(number) == wanted);
        let (shape, strides): (Vec<usize>, Vec<isize>) =
            numbers.map(|number| (x.layout.shape[number], x.layout.strides[number])).unzip();
        joined(&shape, [&strides])
    };
    (part(false), part(true))
}

fn passed(axes: &[Axis<1>], x: View<'_>) -> Result<Axes> {
    if axes.len() > MOST_AXES {
        let reason = format!("has more than {MOST_AXES} axes that cannot be joined; reshape it, or reduce in steps");
        return Err(Error::shape("a reduction", x.layout.shape.as_slice(), reason));
    }
    let size: usize = axes.iter().map(|axis| axis.length).product();
    Ok(Axes { axes: KernelAxes::new(axes), narrow: i32::from(size <= i32::MAX as usize) })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Columns,
    /// Each thread takes so many neighbours.
    WideColumns(usize),
    LongRows,
    ShortRows,
    ShortestRows,
    TinyRows,
}

impl Shape {
    fn outputs_a_block(self) -> usize {
        match self {
            Shape::Columns => 32,
            Shape::WideColumns(neighbours) => 32 * neighbours,
            Shape::LongRows => 1,
            Shape::ShortRows => THREADS / 32,
            Shape::ShortestRows => THREADS / 4,
            Shape::TinyRows => THREADS,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    shape: Shape,
    shares: u32,
}

/// How many neighbouring outputs `reduce_wide_columns` may load at once: 16 bytes or four elements, or 1 if they do not lie so, in a
/// matrix.
fn neighbours(kept: &[Axis<1>], reduced: &[Axis<1>], address: u64, size: usize) -> usize {
    let each = (16 / size).min(4);
    let (&[outputs], &[row]) = (kept, reduced) else { return 1 };
    let fits = outputs.strides[0] == 1
        && outputs.length.is_multiple_of(each)
        && row.strides[0].unsigned_abs().is_multiple_of(each)
        && address.is_multiple_of((each * size) as u64);
    if fits { each } else { 1 }
}

/// Which kernel, and in how many shares each output's elements are taken, so that few outputs still fill the device. A thread may
/// load so many `neighbours` among the outputs at once.
fn choice(
    kept: &[Axis<1>],
    reduced: &[Axis<1>],
    outputs: usize,
    length: usize,
    neighbours: usize,
    multiprocessors: usize,
) -> Choice {
    let step = |axes: &[Axis<1>]| axes[0].strides[0].unsigned_abs();
    let (shape, least) = if length > 8 && outputs >= 16 && step(kept) < step(reduced) {
        // With few outputs, most threads of a warp would have none.
        (if neighbours > 1 && outputs >= 64 { Shape::WideColumns(neighbours) } else { Shape::Columns }, 256)
    } else if length >= 1024 {
        (Shape::LongRows, 8192)
    } else if length > 64 {
        (Shape::ShortRows, usize::MAX)
    } else if length <= 8 || step(kept) == step(reduced) {
        // Few elements, or windows that lie one above the other: the threads of a warp read the same lines of memory.
        (Shape::TinyRows, usize::MAX)
    } else {
        (Shape::ShortestRows, usize::MAX)
    };
    let without = outputs.div_ceil(shape.outputs_a_block());
    // Of loads of 16 bytes, more blocks run at once. Columns must not have more than there are counters.
    let many = if matches!(shape, Shape::WideColumns(_)) { RESIDENT as usize } else { 4 };
    let wanted = (many * multiprocessors).div_ceil(without);
    Choice { shape, shares: wanted.min(length.div_ceil(least)).clamp(1, 65_535) as u32 }
}

const CONVERSIONS: usize = 4;

/// A number for what elements in memory are converted to: nothing, `f32`, `f64`, or the type that others compute in.
fn conversion(stored: DType, terms: DType) -> usize {
    match terms {
        terms if terms == stored => 0,
        DType::F32 => 1,
        DType::F64 => 2,
        _ => 3,
    }
}

/// The types that elements have in memory and are converted to, as macros.
fn types([stored, terms]: [DType; 2]) -> Vec<(&'static str, &'static str)> {
    let conversion = (stored != terms).then_some(("STORED", stored.cu_name()));
    conversion.into_iter().chain([("INPUT", terms.cu_name())]).collect()
}

fn program(operation: ReduceOperation, [stored, terms]: [DType; 2], whole: bool) -> Program {
    let output = operation.output(terms).cu_name();
    let mut macros = types([stored, terms]);
    macros.extend([("OUTPUT", output), ("REDUCTION", operation.cuda_name())]);
    if whole {
        macros.push(("WHOLE", "1"));
    }
    Program::new("reduce.cu", SOURCE, &macros)
}

fn distances_program([stored, terms]: [DType; 2], skips_nan: bool, whole: bool) -> Program {
    let name = ReduceOperation::SumSquares.cuda_name();
    let mut macros = types([stored, terms]);
    macros.extend([("OUTPUT", terms.cu_name()), ("REDUCTION", name), ("CENTRED", "1")]);
    if skips_nan {
        macros.push(("SKIPS_NAN", "1"));
    }
    if whole {
        macros.push(("WHOLE", "1"));
    }
    Program::new("reduce.cu", SOURCE, &macros)
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    for whole in [true, false] {
        for dtype in DType::COMPUTED {
            use ReduceOperation::{ArgMax, ArgMin, CountNonzero, CountNumbers, Max, MaxNumbers, Min, MinNumbers};
            use ReduceOperation::{Product, ProductNumbers, SquaredDeviations, Sum, SumNumbers, SumSquares};
            let as_it_is = |operation| program(operation, [dtype; 2], whole);
            all.extend([Sum, Max, Min, Product, ArgMax, ArgMin, CountNonzero].map(as_it_is));
            if dtype.is_integer() {
                use ReduceOperation::{BitwiseAnd, BitwiseOr, BitwiseXor};
                all.extend([BitwiseAnd, BitwiseOr, BitwiseXor].map(as_it_is));
            }
            if dtype.is_float() {
                let of_floats = [SumSquares, SquaredDeviations, SumNumbers, ProductNumbers];
                all.extend(of_floats.map(as_it_is));
                all.extend([MaxNumbers, MinNumbers, CountNumbers].map(as_it_is));
                all.extend([false, true].map(|skips_nan| distances_program([dtype; 2], skips_nan, whole)));
            }
        }
        let of_bools = [ReduceOperation::All, ReduceOperation::Any, ReduceOperation::BitwiseXor];
        all.extend(of_bools.map(|operation| program(operation, [DType::Bool; 2], whole)));
        for stored in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
            let of_sums = stored.compute_type();
            let of_means = if of_sums.is_float() { of_sums } else { DType::F64 };
            let mut types = vec![of_sums, of_means];
            types.dedup();
            types.retain(|&terms| terms != stored);
            all.extend(types.into_iter().map(|terms| program(ReduceOperation::Sum, [stored, terms], whole)));
            if of_means != stored {
                all.push(program(ReduceOperation::SquaredDeviations, [stored, of_means], whole));
                all.push(distances_program([stored, of_means], false, whole));
            }
        }
    }
    all.extend(dot::programs());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(length: usize, stride: isize) -> Axis<1> {
        Axis { length, strides: [stride] }
    }

    #[test]
    fn what_elements_are_converted_to_has_kernels_of_its_own() {
        for stored in DType::ALL {
            let mut terms = vec![stored, stored.compute_type(), DType::F32, DType::F64];
            terms.sort_by_key(|&dtype| dtype as usize);
            terms.dedup();
            let mut numbers: Vec<usize> = terms.iter().map(|&terms| conversion(stored, terms)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), terms.len(), "{stored:?}");
            assert!(numbers.iter().all(|&number| number < CONVERSIONS));
        }
    }

    #[test]
    fn neighbours_are_loaded_at_once_where_all_lie_so() {
        let of = |kept: &[Axis<1>], row, address, size| neighbours(kept, &[axis(50, row)], address, size);
        assert_eq!([1, 2, 4, 8].map(|size| of(&[axis(8, 1)], 8, 256, size)), [4, 4, 4, 2]);
        assert_eq!(of(&[axis(8, 1)], 8, 260, 4), 1, "the address");
        assert_eq!(of(&[axis(8, 1)], 10, 256, 4), 1, "the next row");
        assert_eq!(of(&[axis(10, 1)], 12, 256, 4), 1, "the last neighbours");
        assert_eq!(of(&[axis(8, 2)], 16, 256, 4), 1);
        assert_eq!(of(&[axis(8, 1)], -8, 256, 4), 4);
        assert_eq!(of(&[axis(8, 1), axis(3, 400)], 8, 256, 4), 1, "more axes");
    }

    #[test]
    fn plan_follows_the_strides() {
        let of = |kept, reduced, outputs, length| choice(&[kept], &[reduced], outputs, length, 1, 132);
        assert_eq!(of(axis(1000, 1), axis(1000, 1000), 1000, 1000), Choice { shape: Shape::Columns, shares: 4 });
        let wide = |outputs| choice(&[axis(outputs, 1)], &[axis(1000, outputs as isize)], outputs, 1000, 4, 132).shape;
        assert_eq!([60, 64].map(wide), [Shape::Columns, Shape::WideColumns(4)]);
        assert_eq!(
            of(axis(1_000_000, 10), axis(10, 1), 1_000_000, 10),
            Choice { shape: Shape::ShortestRows, shares: 1 }
        );
        assert_eq!(of(axis(1_000_000, 8), axis(8, 1), 1_000_000, 8), Choice { shape: Shape::TinyRows, shares: 1 });
        assert_eq!(
            of(axis(1_000_000, 1), axis(8, 1_000_000), 1_000_000, 8),
            Choice { shape: Shape::TinyRows, shares: 1 }
        );
        assert_eq!(of(axis(1_000_000, 1), axis(50, 1), 1_000_000, 50), Choice { shape: Shape::TinyRows, shares: 1 });
        assert_eq!(of(axis(1_000_000, 65), axis(65, 1), 1_000_000, 65), Choice { shape: Shape::ShortRows, shares: 1 });
        assert_eq!(of(axis(2, 1 << 26), axis(1 << 26, 1), 2, 1 << 26), Choice { shape: Shape::LongRows, shares: 264 });
        assert_eq!(of(axis(1, 0), axis(1 << 26, 2), 1, 1 << 26).shape, Shape::LongRows);
    }
}
