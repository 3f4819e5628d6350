//! Running sums and products along an axis.
//!
//! Long lines are cut into parts, by the shape alone: first the total of each part is found, then what comes before each
//! part, then the elements. Within a part they are combined from its own beginning, and what comes before is put in
//! front last, in both passes alike: so sums of what is not negative never fall, not even by a rounding at a border.

use super::numeric::{Arithmetic, Ordered, Shared, by_isa, for_dtype, native};
use super::pool;
use super::reduce::{COLUMNS, TASK};
use std::marker::PhantomData;
use warpcell_base::backend::ScanOperation;
use warpcell_base::dtype::{DType, dtypes, if_dtype};

/// About as many elements make a part, where there are too few lines to keep all cores busy.
const PART: usize = 1 << 15;
/// As many lines, or groups of neighbouring ones, keep all cores busy.
const MANY: usize = 256;
/// The elements of a part where there are many lines: so many that the first pass is seldom needed.
const LONG_PART: usize = 1 << 22;
/// Elements that are combined among themselves first, since a chain of single steps would wait for each.
const STEP: usize = 8;

/// Scans the middle one of three axes.
///
/// # Safety
///
/// `x` and `out` must be contiguous memory of `shape`, not empty, that nothing else accesses; `out` for the dtype of sums.
pub(super) unsafe fn scan(operation: ScanOperation, dtype: DType, x: *const u8, shape: [usize; 3], out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            ScanOperation::Sum => for_dtype!(dtype, T => run::<Sums<T>>(x, shape, out)),
            ScanOperation::Product => for_dtype!(dtype, T => run::<Products<T>>(x, shape, out)),
        }
    }
}

/// A type of elements, and the type in which they are combined.
trait Widened: Ordered {
    type Wide: Arithmetic;
    fn wide(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self::Sum;
}

macro_rules! widened {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { computed $kind $use { widened!(@$kind native!($kind $type)); } {} })*
    };
    (@Float $type:ty) => { widened!(@as $type => f64, |value| f64::from(value), |wide| wide as $type); };
    (@$integer:ident $type:ty) => {
        widened!(@as $type => <$type as Ordered>::Sum, |value| Ordered::widen(value), |wide| wide);
    };
    (@as $type:ty => $wide:ty, |$value:ident| $into:expr, |$from:ident| $narrow:expr) => {
        impl Widened for $type {
            type Wide = $wide;
            #[inline(always)]
            fn wide(self) -> $wide {
                let $value = self;
                $into
            }
            #[inline(always)]
            fn narrow($from: $wide) -> Self::Sum {
                $narrow
            }
        }
    };
}
dtypes!(widened!());

/// What is computed.
trait Scan: Sized + Sync {
    type Input: Widened;
    fn identity() -> Wide<Self>;
    fn join(a: Wide<Self>, b: Wide<Self>) -> Wide<Self>;
}

type Wide<S> = <<S as Scan>::Input as Widened>::Wide;
type Output<S> = <<S as Scan>::Input as Ordered>::Sum;

macro_rules! scans {
    ($($name:ident $identity:expr, $join:ident;)*) => {$(
        struct $name<T>(PhantomData<fn() -> T>);

        impl<T: Widened> Scan for $name<T> {
            type Input = T;
            fn identity() -> T::Wide {
                $identity
            }
            #[inline(always)]
            fn join(a: T::Wide, b: T::Wide) -> T::Wide {
                a.$join(b)
            }
        }
    )*};
}
scans! {
    Sums T::Wide::default(), add;
    Products T::Wide::ONE, multiply;
}

/// # Safety
///
/// As for [`scan`].
unsafe fn run<S: Scan>(x: *const u8, [outer, length, inner]: [usize; 3], out: *mut u8) {
    let (x, out) = (Shared(x.cast_mut().cast::<S::Input>()), Shared(out.cast::<Output<S>>()));
    // Lines that are neighbours in memory are scanned side by side.
    let width = inner.min(COLUMNS);
    let groups_per_row = inner.div_ceil(width);
    let groups = outer * groups_per_row;
    let part = if groups < MANY { PART / width } else { LONG_PART / width };
    let parts = length.div_ceil(part);
    let grain = (TASK / (part.min(length) * width)).max(1);
    // A part's first element, its length along the axis, and its lines.
    let part_of = |index: usize| {
        let (group, first) = (index / parts, index % parts * part);
        let column = group % groups_per_row * width;
        let start = (group / groups_per_row * length + first) * inner + column;
        (start, part.min(length - first), width.min(inner - column))
    };
    // What comes before each part.
    let mut before = vec![S::identity(); if parts > 1 { groups * parts * width } else { width }];
    if parts > 1 {
        let totals = Shared(before.as_mut_ptr());
        pool::split(groups * parts, grain, &|range| {
            for index in range {
                let (start, rows, columns) = part_of(index);
                // SAFETY: the part lies within the array, and has its own places among the totals.
                unsafe {
                    let x = x.get().add(start);
                    let totals = std::slice::from_raw_parts_mut(totals.get().add(index * width), columns);
                    if inner == 1 {
                        totals[0] = line_total::<S>(std::slice::from_raw_parts(x, rows));
                    } else {
                        totals_of_columns::<S>(x, inner, rows, totals);
                    }
                }
            }
        });
        for of_group in before.chunks_exact_mut(parts * width) {
            let mut carry = vec![S::identity(); width];
            for totals in of_group.chunks_exact_mut(width) {
                for (carry, total) in carry.iter_mut().zip(totals) {
                    let next = S::join(*carry, *total);
                    *total = *carry;
                    *carry = next;
                }
            }
        }
    }
    pool::split(groups * parts, grain, &|range| {
        let mut local = [S::identity(); COLUMNS];
        for index in range {
            let (start, rows, columns) = part_of(index);
            let before = if parts > 1 { &before[index * width..][..columns] } else { &before[..columns] };
            // SAFETY: the part lies within both arrays, which do not overlap, and belongs to one task.
            unsafe {
                let (x, out) = (x.get().add(start), out.get().add(start));
                if inner == 1 {
                    let (x, out) = (std::slice::from_raw_parts(x, rows), std::slice::from_raw_parts_mut(out, rows));
                    scan_line::<S>(x, before[0], out);
                } else {
                    local[..columns].fill(S::identity());
                    scan_columns::<S>(x, inner, rows, &mut local[..columns], before, out);
                }
            }
        }
    });
}

/// Combines the elements of a group with those before them within it.
#[inline(always)]
fn step<S: Scan>(x: &[S::Input; STEP]) -> [Wide<S>; STEP] {
    let mut through = x.map(Widened::wide);
    for index in 1..STEP {
        through[index] = S::join(through[index - 1], through[index]);
    }
    through
}

by_isa! {
    /// Scans a part of a line; `before` is put in front.
    fn scan_line<S: Scan>(x: &[S::Input], before: Wide<S>, out: &mut [Output<S>]) {
        let (groups, rest) = x.as_chunks::<STEP>();
        let (targets, rest_of_out) = out.as_chunks_mut::<STEP>();
        let mut local = S::identity();
        for (group, target) in groups.iter().zip(targets) {
            let through = step::<S>(group);
            for (target, through) in target.iter_mut().zip(through) {
                *target = S::Input::narrow(S::join(before, S::join(local, through)));
            }
            local = S::join(local, through[STEP - 1]);
        }
        for (target, &x) in rest_of_out.iter_mut().zip(rest) {
            local = S::join(local, x.wide());
            *target = S::Input::narrow(S::join(before, local));
        }
    }
}

/// The total of a part of a line, combined in the order of [`scan_line`].
fn line_total<S: Scan>(x: &[S::Input]) -> Wide<S> {
    let (groups, rest) = x.as_chunks::<STEP>();
    let total = groups.iter().fold(S::identity(), |total, group| S::join(total, step::<S>(group)[STEP - 1]));
    rest.iter().fold(total, |total, &x| S::join(total, x.wide()))
}

by_isa! {
    /// Scans a part of lines side by side, whose rows are `stride` apart; `local` begins as the identity.
    ///
    /// # Safety
    ///
    /// Each row, of `local`'s length, must lie within memory that nothing else accesses, in `x` and in `out`.
    unsafe fn scan_columns<S: Scan>(
        x: *const S::Input,
        stride: usize,
        rows: usize,
        local: &mut [Wide<S>],
        before: &[Wide<S>],
        out: *mut Output<S>,
    ) {
        for row in 0..rows {
            // SAFETY: the caller's promise.
            let (x, out) = unsafe {
                let x = std::slice::from_raw_parts(x.add(row * stride), local.len());
                (x, std::slice::from_raw_parts_mut(out.add(row * stride), local.len()))
            };
            for (((local, &x), &before), out) in local.iter_mut().zip(x).zip(before).zip(out) {
                *local = S::join(*local, x.wide());
                *out = S::Input::narrow(S::join(before, *local));
            }
        }
    }
}

by_isa! {
    /// The totals of a part of lines side by side, combined in the order of [`scan_columns`]; they begin as the identity.
    ///
    /// # Safety
    ///
    /// As for [`scan_columns`].
    unsafe fn totals_of_columns<S: Scan>(x: *const S::Input, stride: usize, rows: usize, totals: &mut [Wide<S>]) {
        for row in 0..rows {
            // SAFETY: the caller's promise.
            let x = unsafe { std::slice::from_raw_parts(x.add(row * stride), totals.len()) };
            totals.iter_mut().zip(x).for_each(|(total, &x)| *total = S::join(*total, x.wide()));
        }
    }
}
