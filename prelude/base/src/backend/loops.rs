//! What a backend may compute by loops of its own, where others run kernels: [`Loops`], which [`Backend::by_loops`] takes.
//!
//! A thread of a kernel computes one element, or a few. The CPU has vector instructions and caches, so for what is used most it has loops
//! over rows. Results are those of the kernels: terms are added up in the same order.
//!
//! [`Backend::by_loops`]: super::Backend::by_loops

use super::{Allocation, View};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static ONLY_KERNELS: Cell<bool> = const { Cell::new(false) };
}

/// Does something without loops, so that kernels run where others take loops: for tests of kernels, which compare both.
pub fn by_kernels<R>(work: impl FnOnce() -> R) -> R {
    /// Loops are allowed again, even if the work has panicked.
    struct Until(bool);
    impl Drop for Until {
        fn drop(&mut self) {
            ONLY_KERNELS.set(self.0);
        }
    }
    let _until = Until(ONLY_KERNELS.replace(true));
    work()
}

/// Whether this thread is to run kernels alone, as [`by_kernels`] says.
pub fn only_kernels() -> bool {
    ONLY_KERNELS.get()
}

/// How an array continues beyond its ends, by the numbers of the kernels of `ndimage`: with a value (0), with its last element (1),
/// mirrored with it doubled (2), mirrored with it once (3), or from its other end (4).
pub type Mode = i32;

/// Windows around the elements of an array of four axes; those that it does not have are 1 long, before its own.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// The lengths of the array.
    pub shape: [usize; 4],
    /// The lengths of a window.
    pub window: [usize; 4],
    /// How many elements of a window lie before its element.
    pub before: [i64; 4],
    /// What lies outside.
    pub mode: Mode,
}

/// The elements along an axis that a spline has its value from.
#[derive(Clone, Copy, Debug)]
pub struct Taps {
    /// What each is multiplied with.
    pub weights: [f64; 6],
    /// Where each is; below 0 where the array has a value outside.
    pub places: [i64; 6],
    /// How many there are.
    pub count: usize,
    /// Whether the spline has the value outside as a whole.
    pub is_outside: bool,
}

/// The values of splines, as the kernel of `ndimage` finds them.
#[derive(Clone, Copy)]
pub struct Splines<'a> {
    /// The lengths of the array, of at most four axes.
    pub shape: &'a [usize],
    /// Which axes are left as they are.
    pub is_still: [bool; 4],
    /// How many elements were added before the first one along each axis.
    pub padding: f64,
    /// The order.
    pub order: i32,
    /// What lies outside, by the numbers of the kernel.
    pub mode: i32,
    /// The value there.
    pub outside: f64,
    /// The lengths of the result, a matrix by which its indices are multiplied, and what is added; not used with coordinates.
    pub out_shape: &'a [usize],
    /// The matrix, row by row, and what is added.
    pub matrix: (&'a [f64], &'a [f64]),
    /// The least and the greatest integer, if values become such, halves away from 0.
    pub rounds: Option<(f64, f64)>,
    /// The elements for a coordinate, along an axis of a length, by the order and the mode.
    pub taps: fn(f64, i64, i32, i32) -> Taps,
}

/// Which rank equal elements have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankOf {
    /// The mean of theirs.
    Average,
    /// The least of theirs.
    Least,
    /// The greatest of theirs.
    Greatest,
    /// Each its own.
    Place,
}

/// A cosine or a sine transform.
#[derive(Clone, Copy, Debug)]
pub struct WaveKind {
    /// The type, from 1 to 4.
    pub number: usize,
    /// Whether it is of sines.
    pub is_sine: bool,
    /// Whether it is made orthogonal: types 1 (of cosines) to 3 then have other factors at the ends.
    pub is_orthogonal: bool,
    /// What all results are multiplied by.
    pub scale: f64,
}

/// A filter without recursion, which takes some of the samples between the samples of a signal.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// How far apart samples are in what is filtered; there are zeros between them.
    pub up: usize,
    /// How far apart those that are kept are.
    pub down: usize,
    /// The number of the first one that is kept.
    pub first: usize,
    /// Whether the newest sample is added up first, else the oldest one.
    pub newest_first: bool,
}

/// A tree of points, as the kernels of `spatial` go through it.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// The points (f64), in the order of the tree.
    pub data: View<'a>,
    /// Their numbers (i64).
    pub order: View<'a>,
    /// Of each node (i64) the first point, the one behind its last, and its right child or 0.
    pub nodes: View<'a>,
    /// Of each node (f64) the least coordinates, and the greatest.
    pub boxes: View<'a>,
    /// Distances are sums of squares (2), sums (1), the largest (0), or sums of powers.
    pub kind: i32,
    /// The power.
    pub p: f64,
}

/// Lines of a sparse matrix: where each begins, and last where the last one ends, i32; the index of each element in its line, i32, and
/// its value, f32 or f64. Pointers and indices were seen to be in range.
#[derive(Clone, Copy)]
pub struct LinesView<'a> {
    /// One more than there are lines.
    pub pointers: View<'a>,
    /// Of each element.
    pub indices: View<'a>,
    /// Of each element.
    pub data: View<'a>,
}

/// Lines that a backend has made.
pub struct NewLines {
    /// As i32.
    pub pointers: Arc<dyn Allocation>,
    /// As i32.
    pub indices: Arc<dyn Allocation>,
    /// Of the type of the operands.
    pub data: Arc<dyn Allocation>,
    /// How many elements there are.
    pub count: usize,
}

/// Lines with a number of elements that is not known before.
#[derive(Clone, Copy)]
pub enum Made<'a> {
    /// The product of two matrices of one type, the second with lines of `length`: each index once and in order.
    Product { a: LinesView<'a>, b: LinesView<'a>, length: usize },
    /// Two canonical matrices of one shape and type, element by element: by the kinds of the kernels of `sparse`, the sum (0), the
    /// difference (1), the product (2), the larger one (3), the smaller one (4). What is 0 is left out.
    Joined { a: LinesView<'a>, b: LinesView<'a>, kind: i32 },
    /// Sorted lines with one element for each index, the sum of those that were there.
    Summed { lines: LinesView<'a> },
    /// Lines by their numbers (i64, in range), and of each the elements at `start`, `start + step`, …, `count` of them: `columns` has
    /// these three, and how long lines are.
    Selected { lines: LinesView<'a>, rows: View<'a>, columns: (i64, i64, usize, usize) },
    /// What is not 0 in the rows of a dense matrix, f32 or f64, contiguous.
    OfDense { dense: View<'a> },
}

impl Made<'_> {
    /// What profiles call it.
    pub fn name(&self) -> &'static str {
        match self {
            Made::Product { .. } => "sparse product of sparse",
            Made::Joined { .. } => "sparse element by element",
            Made::Summed { .. } => "sparse sum of duplicates",
            Made::Selected { .. } => "sparse selection",
            Made::OfDense { .. } => "sparse of dense",
        }
    }
}

/// What may be computed by loops. All arrays are contiguous; those that are written to overlap no others.
#[derive(Clone, Copy)]
pub enum Loops<'a> {
    /// `ndimage`'s sums along one axis, over `divisor`: `around` has how many elements lie before the axis, along it and behind it, and
    /// `left` elements of the window are before each element. `x` and `out` are f32 or f64, `weights` f64. An odd number of weights that
    /// are symmetric, or the negative ones on the other side, are used by pairs, others from the last one on.
    CorrelateLine {
        x: View<'a>,
        weights: View<'a>,
        divisor: f64,
        around: [usize; 3],
        left: i64,
        mode: Mode,
        outside: f64,
        out: View<'a>,
    },
    /// The largest element of each window along an axis, or the least one; the windows are as above, `size` elements long.
    ExtremeLine {
        x: View<'a>,
        is_largest: bool,
        size: usize,
        around: [usize; 3],
        left: i64,
        mode: Mode,
        outside: f64,
        out: View<'a>,
    },
    /// `ndimage`'s sums over windows, in row-major order; weights (f64) up to 2⁻⁵² count as 0. `x` and `out` are f32 or f64.
    Correlate { x: View<'a>, weights: View<'a>, windows: Windows, outside: f64, out: View<'a> },
    /// The element of a rank, from 0 on, among those of a window where the footprint (bools) is true; of at most 100 elements, the least
    /// and the greatest left out. `x` and `out` are f32 or f64.
    Rank { x: View<'a>, footprint: View<'a>, rank: usize, windows: Windows, outside: f64, out: View<'a> },
    /// Whether all bools of a window are true where the structure is, or with `is_dilation` any; where a mask is false, what `x` has.
    Erode {
        x: View<'a>,
        structure: View<'a>,
        mask: Option<View<'a>>,
        windows: Windows,
        border: bool,
        is_dilation: bool,
        out: View<'a>,
    },
    /// The coefficients of splines along an axis, in the place of the elements (f64): by a recursive filter for each pole. The mode is
    /// 2, 3 or 4.
    SplineLines { x: View<'a>, around: [usize; 3], mode: Mode, gain: f64, poles: &'a [f64] },
    /// The values of splines with the coefficients `x` (f64), at the coordinates that are given, a row for each axis, or at those of the
    /// indices of `out`.
    Splines { x: View<'a>, coordinates: Option<View<'a>>, splines: Splines<'a>, out: View<'a> },
    /// For each label (i64) its place among `values` (i64, ascending, not empty unless `form` is 0), else how many there are: by the
    /// forms of the kernel of `ndimage`, of any values (0), of successive ones (1), or of all labels above 0 as one (2).
    Slots { labels: View<'a>, values: View<'a>, form: i32, out: View<'a> },
    /// Numbers (i32) for the sets of neighbours among the elements of a mask that are true, in the order of their first elements, and 0
    /// elsewhere; and how many sets there are (i64, one element). `neighbours` says for the 81 elements around one along four axes
    /// which are neighbours; it is symmetric.
    Label { mask: View<'a>, shape: [usize; 4], neighbours: &'a [bool; 81], out: View<'a>, count: View<'a> },
    /// The distances of the rows of `a` from those of `b` (f64), by the number of a metric of `spatial` up to 16; or, without `b`, of the
    /// rows of `a` from those behind them, one after another.
    Distances { a: View<'a>, b: Option<View<'a>>, metric: usize, p: f64, out: View<'a> },
    /// The nearest points of each of `points`, in ascending order, and their distances (rows of f64) and numbers (rows of i64), below a
    /// bound for what distances are sums of.
    Nearest { tree: Tree<'a>, points: View<'a>, bound: f64, distances: View<'a>, indices: View<'a> },
    /// How many points lie within the limit (f64) of each of `points` (to `out`, i64); or which they are, from `starts` (i64) on.
    Within { tree: Tree<'a>, points: View<'a>, limits: View<'a>, starts: Option<View<'a>>, out: View<'a> },
    /// Polynomials by pieces, as the kernel of `interpolate` evaluates them: `table` has an axis for pieces, columns and
    /// coefficients. All are f64.
    Pieces {
        points: View<'a>,
        breaks: View<'a>,
        table: View<'a>,
        scale: f64,
        mode: i32,
        below: f64,
        above: f64,
        derivative: usize,
        out: View<'a>,
    },
    /// The ranks of elements, from 1 on: `order` (i64) has their places in ascending order, `sorted` (f64) the elements in it, and `out`
    /// gets the rank of each as f64.
    Ranks { sorted: View<'a>, order: View<'a>, of: RankOf, out: View<'a> },
    /// Where each row of complex numbers has its first number with a NaN, else its first greatest one, or least one; rows are not empty.
    ComplexExtremes { x: View<'a>, greatest: bool, out: View<'a> },
    /// The places that the complex numbers of each row have in ascending order (i64); equal ones stay in their order.
    ComplexOrder { x: View<'a>, out: View<'a> },
    /// How many of the sorted complex numbers are less than each value (i64); with `right`, less or equal.
    ComplexPlaces { sorted: View<'a>, values: View<'a>, right: bool, out: View<'a> },
    /// Cosine or sine transforms along an axis of `around`, as [`Loops::CorrelateLine`] has it. `x` and `out` are f32 or f64, and may be
    /// the same array.
    Waves { x: View<'a>, kind: WaveKind, around: [usize; 3], out: View<'a> },
    /// Recursive filters, one after another, of signals in the rows of `data`: each signal is cut into chunks of `chunk` samples,
    /// which are filtered from states of their own (`[filters × order, rows × chunks]`), and leave their last states there. Of each
    /// filter `coefficients` has both polynomials, b and a, `order + 1` long and with an `a[0]` of 1. Samples are filtered from the
    /// last one on if `backward`; they are only written, to `out`, if `writes`. All are f64 and contiguous.
    Recursive {
        coefficients: &'a [f64],
        order: usize,
        chunk: usize,
        backward: bool,
        writes: bool,
        states: View<'a>,
        data: View<'a>,
        out: View<'a>,
    },
    /// Sums of samples of signals in rows, with the weights of a filter; f64.
    Between { data: View<'a>, taps: View<'a>, between: Between, out: View<'a> },
    /// Signals in rows with `edge` samples more at both ends: turned about the end (0), mirrored (1), constant (2), or zeros (3); f64. Rows
    /// are not empty, and of the first two kinds longer than `edge`.
    Extend { data: View<'a>, edge: usize, kind: i32, out: View<'a> },
    /// The first sample (f64) of each peak of a signal is marked (i64) with how many equal ones it has, all others with 0.
    Peaks { x: View<'a>, marks: View<'a> },
    /// How far below and above the diagonal of a matrix there are elements that are not 0: two i64, not negative.
    Band { x: View<'a>, out: View<'a> },
    /// The solution of the equations of a triangular matrix, the lower or upper triangle of `a`, which has two axes, for a vector. All are
    /// f32, f64 or complex, of any strides. With `unit` the diagonal counts as ones. If there is a 0 on it, its first place, from 1 on, goes
    /// to `fault`, and nothing is written.
    Substitute { a: View<'a>, b: View<'a>, lower: bool, unit: bool, fault: &'a Cell<usize>, out: View<'a> },
    /// The lines of the transposed matrix; those of `out` are not written yet.
    Transpose { lines: LinesView<'a>, out: LinesView<'a> },
    /// Lines of elements in any order: the number of the line of each (i32), and its index in it. Elements of a line stay in their order.
    Group { keys: View<'a>, others: View<'a>, data: View<'a>, out: LinesView<'a> },
    /// Sorts the elements of each line by their indices, in place; those with equal indices stay in their order.
    Sort { lines: LinesView<'a> },
    /// How many elements have an index less than the one before in their line, and how many have the same: two i32.
    Disorder { lines: LinesView<'a>, out: View<'a> },
    /// For each index the sum of the elements that have it, or of their absolute values, or of their products with the factors of their
    /// lines (of the type of the elements); added up in f64.
    SumAcross { lines: LinesView<'a>, absolute: bool, factors: Option<View<'a>>, out: View<'a> },
}

impl Loops<'_> {
    /// What profiles call it.
    pub fn name(&self) -> &'static str {
        match self {
            Loops::CorrelateLine { .. } => "correlate along an axis",
            Loops::ExtremeLine { .. } => "extreme along an axis",
            Loops::Correlate { .. } => "correlate",
            Loops::Rank { .. } => "rank",
            Loops::Erode { is_dilation: false, .. } => "erode",
            Loops::Erode { .. } => "dilate",
            Loops::SplineLines { .. } => "spline coefficients",
            Loops::Splines { .. } => "splines",
            Loops::Slots { .. } => "slots of labels",
            Loops::Label { .. } => "label",
            Loops::Distances { .. } => "distances",
            Loops::Nearest { .. } => "nearest points",
            Loops::Within { .. } => "points within a distance",
            Loops::Pieces { .. } => "polynomials by pieces",
            Loops::Ranks { .. } => "ranks",
            Loops::ComplexExtremes { .. } => "complex extremes",
            Loops::ComplexOrder { .. } => "complex order",
            Loops::ComplexPlaces { .. } => "complex search",
            Loops::Waves { .. } => "cosine transform",
            Loops::Recursive { .. } => "recursive filter",
            Loops::Between { .. } => "filter",
            Loops::Extend { .. } => "extend signals",
            Loops::Peaks { .. } => "peaks",
            Loops::Band { .. } => "bandwidth",
            Loops::Substitute { .. } => "triangular solve",
            Loops::Transpose { .. } => "sparse transpose",
            Loops::Group { .. } => "sparse group",
            Loops::Sort { .. } => "sparse sort",
            Loops::Disorder { .. } => "sparse order",
            Loops::SumAcross { .. } => "sparse sum",
        }
    }
}
