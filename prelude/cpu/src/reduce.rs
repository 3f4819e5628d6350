//! Reductions to a value: leaves of some hundred elements summed in vector lanes, joined pairwise.
//!
//! The work is cut by the shape alone, never by the number of threads, so that sums are the same on every machine.

mod columns;

use super::matmul::Ring;
use super::numeric::{Arithmetic, Bit, Bits, Native, Ordered, Shared, by_isa, for_dtype, for_integer, for_number};
use super::pool;
use super::runs::Runs;
use columns::{ROWS, columns};
use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use warpcell_base::backend::{Layout, ReduceOperation};
use warpcell_base::dtype::DType;

/// The elements of a leaf of the tree of sums.
pub(super) const LEAF: usize = 512;
/// The independent sums within a leaf.
pub(super) const LANES: usize = 16;
/// About as many elements make a task.
pub(super) const TASK: usize = 1 << 16;
/// Results that are computed side by side where they, not the reduced elements, are neighbours in memory.
pub(super) const COLUMNS: usize = 256;

/// Reduces `x` over `axes`.
///
/// # Safety
///
/// `x` and `layout` must describe memory that nothing else accesses, and `out` must have room for the remaining
/// axes' elements of the operation's output dtype.
pub(super) unsafe fn reduce(
    operation: ReduceOperation,
    dtype: DType,
    x: *const u8,
    layout: &Layout,
    axes: &[usize],
    out: *mut u8,
) {
    macro_rules! all {
        ($R:ty) => {
            // SAFETY: the caller's promise; of nothing there is a value everywhere.
            unsafe { run::<$R>(x, layout, axes, std::ptr::NonNull::dangling().as_ptr(), out) }
        };
    }
    macro_rules! floats {
        ($T:ident => $R:ty) => {
            match dtype {
                DType::F32 => {
                    type $T = f32;
                    all!($R)
                }
                DType::F64 => {
                    type $T = f64;
                    all!($R)
                }
                _ => unreachable!("operations reject all but floats"),
            }
        };
    }
    match operation {
        ReduceOperation::Sum if dtype == DType::C64 => all!(Terms<Complex<f32>>),
        ReduceOperation::Sum if dtype == DType::C128 => all!(Terms<Complex<f64>>),
        ReduceOperation::Sum => for_dtype!(dtype, T => all!(Sum<T>)),
        ReduceOperation::Max => for_number!(dtype, T => all!(Max<T>)),
        ReduceOperation::Min => for_number!(dtype, T => all!(Min<T>)),
        ReduceOperation::All => all!(All),
        ReduceOperation::Any => all!(Any),
        ReduceOperation::Product => for_dtype!(dtype, T => all!(Product<T>)),
        ReduceOperation::SumSquares => floats!(T => SumSquares<T>),
        // SAFETY: the caller's promise.
        ReduceOperation::SquaredDeviations => unsafe { squared_deviations(dtype, x, layout, axes, out) },
        ReduceOperation::SumNumbers => floats!(T => Numbers<Sum<T>>),
        ReduceOperation::ProductNumbers => floats!(T => Numbers<Product<T>>),
        ReduceOperation::MaxNumbers => floats!(T => MaxNumbers<T>),
        ReduceOperation::MinNumbers => floats!(T => MinNumbers<T>),
        ReduceOperation::CountNumbers => floats!(T => CountNumbers<T>),
        ReduceOperation::CountNonzero => for_number!(dtype, T => all!(CountNonzero<T>)),
        ReduceOperation::BitwiseAnd => for_integer!(dtype, T => all!(BitAnd<T>)),
        ReduceOperation::BitwiseOr => for_integer!(dtype, T => all!(BitOr<T>)),
        ReduceOperation::BitwiseXor if dtype == DType::Bool => all!(BitXor<Bit>),
        ReduceOperation::BitwiseXor => for_integer!(dtype, T => all!(BitXor<T>)),
        ReduceOperation::ArgMax | ReduceOperation::ArgMin => unreachable!("`arg` has them"),
    }
}

/// Adds up the squares of the distances of `x`, which has floats, from its means over `axes`.
///
/// # Safety
///
/// As for [`reduce`].
unsafe fn squared_deviations(dtype: DType, x: *const u8, layout: &Layout, axes: &[usize], out: *mut u8) {
    let is_kept = |axis: &usize| !axes.contains(axis);
    let results: usize = (0..layout.shape.len()).filter(is_kept).map(|axis| layout.shape[axis]).product();
    let count: f64 = axes.iter().map(|&axis| layout.shape[axis] as f64).product();
    macro_rules! deviations {
        ($T:ty) => {{
            // SAFETY: the caller's promise; of nothing there is a value everywhere.
            unsafe { run::<Sum<$T>>(x, layout, axes, std::ptr::NonNull::dangling().as_ptr(), out) };
            let mut means: Vec<$T> = vec![0.0; results];
            let (sums, centres) = (Shared(out.cast::<$T>()), Shared(means.as_mut_ptr()));
            pool::split(results, TASK, &|range| {
                for index in range {
                    // SAFETY: both have as many elements, and each is one thread's.
                    unsafe { centres.get().add(index).write(*sums.get().add(index) / count as $T) };
                }
            });
            // SAFETY: the caller's promise; there is a mean for each result.
            unsafe { run::<SquaredDistances<$T, false>>(x, layout, axes, means.as_ptr(), out) };
        }};
    }
    match dtype {
        DType::F32 => deviations!(f32),
        DType::F64 => deviations!(f64),
        _ => unreachable!("operations reject all but floats"),
    }
}

/// Adds up the squares of the distances of `x`, which has floats, from the centres over `axes`.
///
/// # Safety
///
/// As for [`reduce`]; there must be a centre for each result.
pub(super) unsafe fn squared_distances(
    dtype: DType,
    (x, layout): (*const u8, &Layout),
    axes: &[usize],
    centres: *const u8,
    skips_nan: bool,
    out: *mut u8,
) {
    macro_rules! distances {
        ($T:ty, $skips:literal) => {
            // SAFETY: the caller's promise.
            unsafe { run::<SquaredDistances<$T, $skips>>(x, layout, axes, centres.cast(), out) }
        };
    }
    match (dtype, skips_nan) {
        (DType::F32, false) => distances!(f32, false),
        (DType::F32, true) => distances!(f32, true),
        (DType::F64, false) => distances!(f64, false),
        (DType::F64, true) => distances!(f64, true),
        _ => unreachable!("operations reject all but floats"),
    }
}

/// What is computed: elements are lifted, then joined in any grouping.
pub(super) trait Reduction: Sync {
    type Input: Native;
    type Output: Native;
    /// What is known of each result, and needed to lift its elements.
    type Centre: Copy + Send + Sync;
    fn identity() -> Self::Output;
    fn lift(x: Self::Input, centre: Self::Centre) -> Self::Output;
    fn join(a: Self::Output, b: Self::Output) -> Self::Output;
    /// The result of all of these elements, where there is a quicker way to it than to join them in lanes.
    #[inline(always)]
    fn of_all(_x: &[Self::Input]) -> Option<Self::Output> {
        None
    }
    /// Whether nothing that is joined to the value changes it.
    #[inline(always)]
    fn is_settled(_value: Self::Output) -> bool {
        false
    }
}

/// `name: input => output, identity, lift, join`, without centres.
macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        $visibility:vis $name:ident $(<$T:ident: $bound:path>)?: $input:ty => $output:ty,
        $identity:expr, |$x:ident| $lift:expr, |$a:ident, $b:ident| $join:expr
        $(, of_all: $of_all:expr)? $(, is_settled: |$value:ident| $is_settled:expr)?;
    )*) => {$(
        $(#[$doc])*
        $visibility struct $name $(<$T>(PhantomData<fn() -> $T>))?;

        impl $(<$T: $bound>)? Reduction for $name $(<$T>)? {
            type Input = $input;
            type Output = $output;
            type Centre = ();
            fn identity() -> $output {
                $identity
            }
            #[inline(always)]
            fn lift($x: $input, _centre: ()) -> $output {
                $lift
            }
            #[inline(always)]
            fn join($a: $output, $b: $output) -> $output {
                $join
            }
            $(
                #[inline(always)]
                fn of_all(x: &[$input]) -> Option<$output> {
                    $of_all(x)
                }
            )?
            $(
                #[inline(always)]
                fn is_settled($value: $output) -> bool {
                    $is_settled
                }
            )?
        }
    )*};
}
reductions! {
    pub(super) Sum<T: Ordered>: T => T::Sum, T::Sum::default(), |x| x.widen(), |a, b| a.add(b), of_all: T::sum_of;
    pub(super) Product<T: Ordered>: T => T::Sum, T::Sum::ONE, |x| x.widen(), |a, b| a.multiply(b);
    /// Sums of what is of the type of its sum.
    pub(super) Terms<T: Ring>: T => T, T::default(), |x| x, |a, b| a.plus(b);
    SumSquares<T: Arithmetic>: T => T, T::default(), |x| x.multiply(x), |a, b| a.add(b);
    pub(super) Max<T: Arithmetic>: T => T, T::LOWEST, |x| x, |a, b| a.maximum(b);
    pub(super) Min<T: Arithmetic>: T => T, T::HIGHEST, |x| x, |a, b| a.minimum(b);
    /// As the reduction, of what is not NaN.
    Numbers<R: Reduction<Centre = (), Input: Arithmetic>>: R::Input => R::Output,
        R::identity(), |x| if x.is_nan() { R::identity() } else { R::lift(x, ()) }, |a, b| R::join(a, b);
    /// Of what is not NaN; that, if there is nothing else.
    MaxNumbers<T: Arithmetic>: T => T, nan(), |x| x, |a, b| if a >= b || b.is_nan() { a } else { b };
    MinNumbers<T: Arithmetic>: T => T, nan(), |x| x, |a, b| if a <= b || b.is_nan() { a } else { b };
    BitAnd<T: Bits>: T => T, T::default().not(), |x| x, |a, b| a.and(b);
    BitOr<T: Bits>: T => T, T::default(), |x| x, |a, b| a.or(b);
    BitXor<T: Bits>: T => T, T::default(), |x| x, |a, b| a.xor(b);
    CountNumbers<T: Arithmetic>: T => i64, 0, |x| i64::from(!x.is_nan()), |a, b| a + b;
    CountNonzero<T: Ordered>: T => i64, 0, |x| i64::from(x != T::default()), |a, b| a + b;
    pub(super) All: Bit => Bit, Bit(1), |x| Bit::from(x.is_true()), |a, b| Bit(a.0 & b.0),
        of_all: all_true, is_settled: |value| value.0 == 0;
    pub(super) Any: Bit => Bit, Bit(0), |x| Bit::from(x.is_true()), |a, b| Bit(a.0 | b.0),
        of_all: any_true, is_settled: |value| value.0 != 0;
}

/// In whole vector registers, while lanes of bytes are half of one.
#[inline(always)]
fn all_true(x: &[Bit]) -> Option<Bit> {
    Some(x.iter().fold(Bit(1), |all, flag| Bit(all.0 & u8::from(flag.is_true()))))
}

#[inline(always)]
fn any_true(x: &[Bit]) -> Option<Bit> {
    Some(x.iter().fold(Bit(0), |any, flag| Bit(any.0 | u8::from(flag.is_true()))))
}

#[inline(always)]
fn nan<T: Arithmetic>() -> T {
    T::default().divide(T::default())
}

struct SquaredDistances<T, const SKIPS_NAN: bool>(PhantomData<fn() -> T>);

impl<T: Arithmetic, const SKIPS_NAN: bool> Reduction for SquaredDistances<T, SKIPS_NAN> {
    type Input = T;
    type Output = T;
    type Centre = T;
    fn identity() -> T {
        T::default()
    }
    #[inline(always)]
    fn lift(x: T, centre: T) -> T {
        if SKIPS_NAN && x.is_nan() {
            return T::default();
        }
        let distance = x.subtract(centre);
        distance.multiply(distance)
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.add(b)
    }
}

/// # Safety
///
/// As for [`reduce`]; there must be a centre for each result.
unsafe fn run<R: Reduction>(x: *const u8, layout: &Layout, axes: &[usize], centres: *const R::Centre, out: *mut u8) {
    let part = |reduced: bool| {
        let (shape, strides) = (0..layout.shape.len())
            .filter(|axis| axes.contains(axis) == reduced)
            .map(|axis| (layout.shape[axis], layout.strides[axis]))
            .unzip();
        Layout { shape, strides, offset: 0 }
    };
    let (kept, reduced) = (part(false), part(true));
    let (results, elements) = (kept.size(), reduced.size());
    let (x, out) = (Shared(x.cast_mut().cast::<R::Input>()), Shared(out.cast::<R::Output>()));
    let centres = Shared(centres.cast_mut());
    if elements == 0 {
        for index in 0..results {
            // SAFETY: `out` has room for all results.
            unsafe { out.get().add(index).write(R::identity()) };
        }
        return;
    }
    let reduced = Runs::new(&[&reduced]);
    let kept = Runs::row_major(&[&kept]);
    let side_by_side = kept.inner > 1
        && kept.inner_strides[0] == 1
        && (reduced.inner_strides[0] != 1 || reduced.inner == 1)
        && elements > 1;
    // A group of neighbouring results is computed at once; of one result otherwise.
    // Of bytes more of them, whose results are exact in any order.
    let most = if size_of::<R::Input>() == 1 { 4 * COLUMNS } else { COLUMNS };
    let width = if side_by_side { kept.inner.min(most) } else { 1 };
    if width == 1 && elements <= TASK {
        // Lines one after the other.
        pool::split(results, (TASK / elements).max(1), &|range| {
            // SAFETY: the line lies within the layout, and `out` has room, and there is a centre, for each result.
            kept.each(range, |result, offset| unsafe {
                let centre = *centres.get().add(result);
                out.get().add(result).write(line::<R>(x.get().offset(offset), &reduced, 0..elements, centre));
            });
        });
        return;
    }
    let groups_per_row = kept.inner.div_ceil(width);
    let groups = results / kept.inner * groups_per_row;
    let chunk = if side_by_side { (TASK / width).next_multiple_of(ROWS) } else { TASK };
    let chunks = elements.div_ceil(chunk);
    let mut partial = vec![R::identity(); if chunks > 1 { groups * chunks * width } else { 0 }];
    let parts = Shared(partial.as_mut_ptr());
    let task = |index: usize| {
        let (group, chunk_index) = (index / chunks, index % chunks);
        let first = group / groups_per_row * kept.inner + group % groups_per_row * width;
        let count = width.min(kept.inner - group % groups_per_row * width);
        let range = chunk_index * chunk..elements.min((chunk_index + 1) * chunk);
        let mut base = 0;
        kept.visit(first..first + 1, &mut |offsets, _| base = offsets[0]);
        // SAFETY: the first of the group's elements.
        let start = unsafe { x.get().offset(base) };
        let target = if chunks > 1 {
            // SAFETY: `partial` has `width` places for each task.
            unsafe { parts.get().add(index * width) }
        } else {
            // SAFETY: `out` has room for all results.
            unsafe { out.get().add(first) }
        };
        // SAFETY: each task has its own places.
        let target = unsafe { std::slice::from_raw_parts_mut(target, count) };
        // SAFETY: there is a centre for each result, and nobody writes to them.
        let centres = unsafe { std::slice::from_raw_parts(centres.get().add(first), count) };
        if side_by_side {
            // SAFETY: the group's elements lie side by side in each row of the reduced part.
            unsafe { columns::<R>(start, &reduced, range, centres, target) };
        } else {
            // SAFETY: the reduced part's elements lie within the layout.
            target[0] = unsafe { line::<R>(start, &reduced, range, centres[0]) };
        }
    };
    let tasks = groups * chunks;
    let grain = (TASK / (elements.min(chunk) * width)).max(1);
    if groups == 1 && width == 1 {
        // The first part may say it all. The others are in parallel.
        task(0);
        if R::is_settled(partial[0]) {
            // SAFETY: `out` has room for all results.
            return unsafe { out.get().write(partial[0]) };
        }
        pool::split(tasks - 1, grain, &|range| range.for_each(|index| task(index + 1)));
    } else {
        pool::split(tasks, grain, &|range| range.for_each(task));
    }
    if chunks > 1 {
        for group in 0..groups {
            let first = group / groups_per_row * kept.inner + group % groups_per_row * width;
            let count = width.min(kept.inner - group % groups_per_row * width);
            for column in 0..count {
                let mut cascade = Cascade::<R>::new();
                (0..chunks).for_each(|chunk| cascade.push(partial[(group * chunks + chunk) * width + column]));
                // SAFETY: `out` has room for all results.
                unsafe { out.get().add(first + column).write(cascade.total()) };
            }
        }
    }
}

/// Joins values pairwise as they come: each slot holds the join of twice as many as the one before it.
pub(super) struct Cascade<R: Reduction> {
    /// As many as bits of a count; on the stack, since there is a cascade for each short line.
    slots: [MaybeUninit<R::Output>; usize::BITS as usize],
    /// How many values came: of its binary digits, the ones are the slots that have a value.
    count: usize,
}

impl<R: Reduction> Cascade<R> {
    pub fn new() -> Self {
        Cascade { slots: [const { MaybeUninit::uninit() }; usize::BITS as usize], count: 0 }
    }

    /// The value of a slot that has one.
    fn slot(&self, index: usize) -> Option<R::Output> {
        // SAFETY: written when the count got this digit.
        (self.count >> index & 1 == 1).then(|| unsafe { self.slots[index].assume_init_read() })
    }

    #[inline]
    pub fn push(&mut self, mut value: R::Output) {
        let mut index = 0;
        while let Some(earlier) = self.slot(index) {
            value = R::join(earlier, value);
            index += 1;
        }
        self.slots[index].write(value);
        self.count += 1;
    }

    pub fn total(&self) -> R::Output {
        let slots = (0..self.slots.len() - self.count.leading_zeros() as usize).filter_map(|index| self.slot(index));
        slots.reduce(|later, earlier| R::join(earlier, later)).unwrap_or_else(R::identity)
    }
}

/// Reduces the elements in `range` to one.
///
/// # Safety
///
/// They must lie within memory that nothing else accesses.
unsafe fn line<R: Reduction>(
    start: *const R::Input,
    runs: &Runs,
    range: std::ops::Range<usize>,
    centre: R::Centre,
) -> R::Output {
    let stride = runs.inner_strides[0];
    if stride == 1 && runs.inner == runs.total() && range.len() <= LEAF {
        // SAFETY: the caller's promise; the run's elements follow one another.
        return leaf::<R>(unsafe { std::slice::from_raw_parts(start.add(range.start), range.len()) }, centre);
    }
    let mut cascade = Cascade::<R>::new();
    // Not cleared, which takes as long as the sum of a short line.
    let mut buffer = [const { MaybeUninit::<R::Input>::uninit() }; LEAF];
    let mut filled = 0;
    // What nothing behind it changes.
    let mut settled = None;
    let mut behind = range.len();
    runs.visit(range, &mut |offsets, length| {
        // SAFETY: the caller's promise.
        let run = unsafe { start.offset(offsets[0]) };
        behind -= length;
        let mut first = 0;
        while first < length && settled.is_none() {
            if filled == 0 && stride == 1 && (length - first >= LEAF || behind == 0) {
                let count = LEAF.min(length - first);
                // SAFETY: the run's elements follow one another.
                let value = leaf::<R>(unsafe { std::slice::from_raw_parts(run.add(first), count) }, centre);
                settled = Some(value).filter(|&value| R::is_settled(value));
                cascade.push(value);
                first += count;
                continue;
            }
            let count = (LEAF - filled).min(length - first);
            for (index, value) in buffer[filled..filled + count].iter_mut().enumerate() {
                // SAFETY: the run's elements are `stride` apart.
                value.write(unsafe { run.offset((first + index) as isize * stride).read() });
            }
            filled += count;
            first += count;
            if filled == LEAF {
                // SAFETY: all of it was written.
                cascade.push(leaf::<R>(unsafe { buffer.assume_init_ref() }, centre));
                filled = 0;
            }
        }
    });
    if filled > 0 {
        // SAFETY: so many were written.
        cascade.push(leaf::<R>(unsafe { buffer[..filled].assume_init_ref() }, centre));
    }
    settled.unwrap_or_else(|| cascade.total())
}

/// Joins a leaf's lanes, the second half to the first, to the last one.
///
/// The halves have fixed sizes, so that they stay in registers: in a loop over halves that shrink, the lanes go through memory at each
/// step, and a sum of f32 takes half as long again.
///
/// The lanes go through memory once: if the compiler sees that they end as pairs, it keeps them as pairs in the loop before, too,
/// and sums take up to twice as long.
#[inline(always)]
pub(super) fn joined<T: Copy>(lanes: [T; LANES], join: impl Fn(T, T) -> T) -> T {
    let lanes = std::hint::black_box(lanes);
    let eight: [T; 8] = std::array::from_fn(|index| join(lanes[index], lanes[index + 8]));
    let four: [T; 4] = std::array::from_fn(|index| join(eight[index], eight[index + 4]));
    join(join(four[0], four[2]), join(four[1], four[3]))
}

by_isa! {
    /// Reduces elements that follow one another.
    pub(super) fn leaf<R: Reduction>(x: &[R::Input], centre: R::Centre) -> R::Output {
        if let Some(result) = R::of_all(x) {
            return result;
        }
        let mut lanes = [R::identity(); LANES];
        let (chunks, rest) = x.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, &x) in lanes.iter_mut().zip(chunk) {
                *lane = R::join(*lane, R::lift(x, centre));
            }
        }
        if !rest.is_empty() {
            // All lanes at once, so that they stay in registers.
            let mut last = [R::identity(); LANES];
            last.iter_mut().zip(rest).for_each(|(last, &x)| *last = R::lift(x, centre));
            lanes.iter_mut().zip(last).for_each(|(lane, last)| *lane = R::join(*lane, last));
        }
        joined(lanes, R::join)
    }
}
