//! The closed set of what a backend does to arrays: [`Operation`], plain data.
//!
//! A backend gets each operation by [`Backend::execute`]. So what concerns all of them is in one place: order in the queue, the
//! names in profiles, interrupts, graphs. A graph keeps operations ([`KeptOperation`]) and executes them again at each launch.
//!
//! An operation is a row of the table below: its variant, the method of backends that executes it, and its fields. Unless a row
//! says otherwise, `out` is a view that no other operand overlaps (or, elementwise, is identical to one), of the shape of the
//! broadcast operands; strides may be anything, zero and negative included. What only moves elements takes all dtypes, what
//! computes takes those in [`DType::COMPUTED`], and of complex numbers sums and what `takes_complex` says of an operation.

use super::launch::{Argument, Launch};
use super::{
    Allocation, Backend, BinaryOperation, Distribution, Layout, Operand, Padding, ReduceOperation, ScanOperation, Span,
    UnaryOperation, View,
};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::philox::Blocks;
use crate::registry::{Function, Value};
use std::marker::PhantomData;
use std::sync::Arc;

/// A sort of field: how an operation has it, and how it is kept.
pub trait Field {
    /// In an operation.
    type Lent<'a>: Copy;
    /// In a kept one.
    type Kept: Send + Sync;
    /// What a kept one is lent from.
    type Lender<'a>;
    /// Makes a copy that refers to nothing else.
    fn keep(lent: Self::Lent<'_>) -> Self::Kept;
    /// The first half of the way back.
    fn lender(kept: &Self::Kept) -> Self::Lender<'_>;
    /// The second half.
    fn lend<'a>(lender: &'a Self::Lender<'a>) -> Self::Lent<'a>;
    /// Shows the arrays in it, each with whether it is written to. Of a field that does not say so itself, `writes` tells.
    fn each_array(lent: Self::Lent<'_>, writes: bool, see: &mut dyn FnMut(View<'_>, bool));
}

/// A field that refers to nothing.
pub struct Plain<T>(PhantomData<T>);
/// A field that refers to a value.
pub struct Borrowed<T>(PhantomData<T>);
/// An array.
pub struct Array;
/// An array or one value for all elements.
pub struct Input;
/// A list of lengths or axes.
pub struct Numbers;
/// What is there or not.
pub struct Maybe<F>(PhantomData<F>);
/// Several of a sort.
pub struct Several<F>(PhantomData<F>);
/// An argument of a kernel, or of a function over arrays.
pub struct KernelArgument;

impl<T: Copy + Send + Sync + 'static> Field for Plain<T> {
    type Lent<'a> = T;
    type Kept = T;
    type Lender<'a> = T;
    fn keep(lent: T) -> T {
        lent
    }
    fn lender(kept: &T) -> T {
        *kept
    }
    fn lend(lender: &T) -> T {
        *lender
    }
    fn each_array(_: T, _: bool, _: &mut dyn FnMut(View<'_>, bool)) {}
}

impl<T: Copy + Send + Sync + 'static> Field for Borrowed<T> {
    type Lent<'a> = &'a T;
    type Kept = T;
    type Lender<'a> = &'a T;
    fn keep(lent: &T) -> T {
        *lent
    }
    fn lender(kept: &T) -> &T {
        kept
    }
    fn lend<'a>(lender: &'a &'a T) -> &'a T {
        lender
    }
    fn each_array(_: &T, _: bool, _: &mut dyn FnMut(View<'_>, bool)) {}
}

/// An array that is kept.
pub struct KeptView {
    allocation: Arc<dyn Allocation>,
    layout: Layout,
    dtype: DType,
}

impl Field for Array {
    type Lent<'a> = View<'a>;
    type Kept = KeptView;
    type Lender<'a> = View<'a>;
    fn keep(lent: View<'_>) -> KeptView {
        KeptView { allocation: lent.allocation.clone(), layout: lent.layout.clone(), dtype: lent.dtype }
    }
    fn lender(kept: &KeptView) -> View<'_> {
        View { allocation: &kept.allocation, layout: &kept.layout, dtype: kept.dtype }
    }
    fn lend<'a>(lender: &'a View<'a>) -> View<'a> {
        *lender
    }
    fn each_array(lent: View<'_>, writes: bool, see: &mut dyn FnMut(View<'_>, bool)) {
        see(lent, writes);
    }
}

/// A kept array or value.
pub enum KeptOperand {
    /// An array.
    Array(KeptView),
    /// One value for all elements.
    Scalar(Scalar),
}

impl Field for Input {
    type Lent<'a> = Operand<'a>;
    type Kept = KeptOperand;
    type Lender<'a> = Operand<'a>;
    fn keep(lent: Operand<'_>) -> KeptOperand {
        match lent {
            Operand::Array(view) => KeptOperand::Array(Array::keep(view)),
            Operand::Scalar(value) => KeptOperand::Scalar(value),
        }
    }
    fn lender(kept: &KeptOperand) -> Operand<'_> {
        match kept {
            KeptOperand::Array(view) => Operand::Array(Array::lender(view)),
            KeptOperand::Scalar(value) => Operand::Scalar(*value),
        }
    }
    fn lend<'a>(lender: &'a Operand<'a>) -> Operand<'a> {
        *lender
    }
    fn each_array(lent: Operand<'_>, writes: bool, see: &mut dyn FnMut(View<'_>, bool)) {
        if let Operand::Array(view) = lent {
            see(view, writes);
        }
    }
}

/// A kept argument of a kernel.
pub enum KeptArgument {
    /// An array, and whether the kernel may write to it.
    Array(KeptView, bool),
    /// A value.
    Scalar(Scalar),
    /// The value of a struct.
    Struct(Value),
}

impl Field for KernelArgument {
    type Lent<'a> = Argument<'a>;
    type Kept = KeptArgument;
    type Lender<'a> = Argument<'a>;
    fn keep(lent: Argument<'_>) -> KeptArgument {
        match lent {
            Argument::Array(view, writes) => KeptArgument::Array(Array::keep(view), writes),
            Argument::Scalar(value) => KeptArgument::Scalar(value),
            Argument::Struct(value) => KeptArgument::Struct(value.clone()),
        }
    }
    fn lender(kept: &KeptArgument) -> Argument<'_> {
        match kept {
            KeptArgument::Array(view, writes) => Argument::Array(Array::lender(view), *writes),
            KeptArgument::Scalar(value) => Argument::Scalar(*value),
            KeptArgument::Struct(value) => Argument::Struct(value),
        }
    }
    fn lend<'a>(lender: &'a Argument<'a>) -> Argument<'a> {
        *lender
    }
    fn each_array(lent: Argument<'_>, _writes: bool, see: &mut dyn FnMut(View<'_>, bool)) {
        if let Argument::Array(view, writes) = lent {
            see(view, writes);
        }
    }
}

impl Field for Numbers {
    type Lent<'a> = &'a [usize];
    type Kept = Vec<usize>;
    type Lender<'a> = &'a [usize];
    fn keep(lent: &[usize]) -> Vec<usize> {
        lent.to_vec()
    }
    fn lender(kept: &Vec<usize>) -> &[usize] {
        kept
    }
    fn lend<'a>(lender: &'a &'a [usize]) -> &'a [usize] {
        lender
    }
    fn each_array(_: &[usize], _: bool, _: &mut dyn FnMut(View<'_>, bool)) {}
}

impl<F: Field> Field for Maybe<F> {
    type Lent<'a> = Option<F::Lent<'a>>;
    type Kept = Option<F::Kept>;
    type Lender<'a> = Option<F::Lender<'a>>;
    fn keep(lent: Option<F::Lent<'_>>) -> Option<F::Kept> {
        lent.map(F::keep)
    }
    fn lender(kept: &Option<F::Kept>) -> Option<F::Lender<'_>> {
        kept.as_ref().map(F::lender)
    }
    fn lend<'a>(lender: &'a Option<F::Lender<'a>>) -> Option<F::Lent<'a>> {
        lender.as_ref().map(F::lend)
    }
    fn each_array(lent: Option<F::Lent<'_>>, writes: bool, see: &mut dyn FnMut(View<'_>, bool)) {
        if let Some(lent) = lent {
            F::each_array(lent, writes, see);
        }
    }
}

/// What is lent as it is kept, so that a list of kept ones becomes a list.
pub trait Item: for<'a> Field<Lender<'a> = <Self as Field>::Lent<'a>> {}
impl Item for Array {}
impl Item for Input {}
impl Item for KernelArgument {}

impl<F: Item + 'static> Field for Several<F> {
    type Lent<'a> = &'a [F::Lent<'a>];
    type Kept = Vec<F::Kept>;
    type Lender<'a> = Vec<F::Lent<'a>>;
    fn keep(lent: &[F::Lent<'_>]) -> Vec<F::Kept> {
        lent.iter().map(|&item| F::keep(item)).collect()
    }
    fn lender(kept: &Vec<F::Kept>) -> Vec<F::Lent<'_>> {
        kept.iter().map(F::lender).collect()
    }
    fn lend<'a>(lender: &'a Vec<F::Lent<'a>>) -> &'a [F::Lent<'a>] {
        lender
    }
    fn each_array(lent: &[F::Lent<'_>], writes: bool, see: &mut dyn FnMut(View<'_>, bool)) {
        lent.iter().for_each(|&item| F::each_array(item, writes, see));
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident $method:ident { $($field:ident: $sort:ty),+ $(,)? })*) => {
        /// What a backend does to arrays.
        #[derive(Clone, Copy)]
        pub enum Operation<'a> {
            $($(#[$doc])* $variant { $($field: <$sort as Field>::Lent<'a>),+ },)*
        }

        /// An operation that refers to nothing, and keeps the memory of its arrays.
        pub enum KeptOperation {
            $($variant { $($field: <$sort as Field>::Kept),+ },)*
        }

        impl Operation<'_> {
            /// Shows its arrays, each with whether it is written to: that are the results, and what a kernel says so of.
            pub fn each_array(self, see: &mut dyn FnMut(View<'_>, bool)) {
                match self {
                    $(Operation::$variant { $($field),+ } => {
                        $(<$sort as Field>::each_array($field, matches!(stringify!($field), "out" | "outs"), see);)+
                    })*
                }
            }

            /// A copy that can be executed later.
            pub fn keep(self) -> KeptOperation {
                match self {
                    $(Operation::$variant { $($field),+ } => {
                        KeptOperation::$variant { $($field: <$sort as Field>::keep($field)),+ }
                    })*
                }
            }
        }

        impl KeptOperation {
            /// Executes the operation.
            pub fn execute(&self, backend: &dyn Backend) -> Result<()> {
                match self {
                    $(KeptOperation::$variant { $($field),+ } => {
                        $(let $field = <$sort as Field>::lender($field);)+
                        backend.execute(Operation::$variant { $($field: <$sort as Field>::lend(&$field)),+ })
                    })*
                }
            }
        }

        impl dyn Backend + '_ {
            $(
                $(#[$doc])*
                pub fn $method<'a>(&self, $($field: <$sort as Field>::Lent<'a>),+) -> Result<()> {
                    let operation = Operation::$variant { $($field),+ };
                    super::recording::note(&operation);
                    self.execute(operation)
                }
            )*
        }
    };
}

operations! {
    /// Sets every element of `out` to `value`, which is of its dtype.
    Fill fill { value: Plain<Scalar>, out: Array }
    /// `out[i] = start + i * step`, computed in f64 for floats and in i64/u64 (wrapping) for integers; 1-D. The scalars are of
    /// `out`'s dtype, or f64 where that is a float.
    Arange arange { start: Plain<Scalar>, step: Plain<Scalar>, out: Array }
    /// Copies `source` to `out` (same shape), converting the dtype as Rust's `as` does (to bool: not zero; to 16-bit floats:
    /// rounded once, to nearest, ties to even), with the same bits on all backends. Complex numbers stay what they are; a real
    /// number becomes a complex one with the imaginary part 0.
    Copy copy { source: Array, out: Array }
    /// Applies `function` to each element. Transcendental functions get floats only.
    Unary unary { function: Plain<UnaryOperation>, x: Array, out: Array }
    /// Applies `function` to each pair of elements; both operands have one dtype, arrays are broadcast to `out`.
    Binary binary { function: Plain<BinaryOperation>, a: Input, b: Input, out: Array }
    /// Computes each element of `outs`, an array for each result, by a function of the user; inputs and `outs` are of the
    /// function's types. Arrays are only read, and are broadcast to `outs`, which are of one shape and may be empty. An array
    /// may have the very elements of one of `outs` (the same allocation and layout); otherwise none of `outs` overlaps any
    /// other. Passes a panic of the function on.
    Map map { function: Borrowed<Function>, inputs: Several<KernelArgument>, outs: Several<Array> }
    /// Reduces to the one element of `out`, which is of the reduction's dtype, what a function with one result gives for each
    /// element of the inputs; those are as for `Map`, with arrays broadcast to `shape`. There are elements if the reduction
    /// needs some; it is one of `Sum`, `Product`, `Max`, `Min`, `All` and `Any`.
    MapReduce map_reduce {
        function: Borrowed<Function>,
        reduction: Plain<ReduceOperation>,
        inputs: Several<KernelArgument>,
        shape: Numbers,
        out: Array,
    }
    /// Reduces `x` over `axes` (sorted, distinct; one for `ArgMax` and `ArgMin`); `out` is contiguous and has the remaining
    /// axes. The reduced part is not empty if the reduction needs elements. A backend that converts terms takes sums and squared
    /// deviations of all real numbers: as floats of the type of `out`, if it is a float, else in the type that operations on them
    /// compute in.
    Reduce reduce { reduction: Plain<ReduceOperation>, x: Array, axes: Numbers, out: Array }
    /// The sums over `axes`, as for `Reduce`, of the squares of the distances between the elements of `x` and the one of `centres`
    /// that belongs to the same output. All are of one dtype, f32 or f64; `x` may be of another for a backend that converts terms.
    /// `centres` and `out` are contiguous, of one shape. With `skips_nan`, elements that are NaN do not count.
    SquaredDistances squared_distances {
        x: Array,
        axes: Numbers,
        centres: Array,
        skips_nan: Plain<bool>,
        out: Array,
    }
    /// `out` has along `axis` the sums or products of `x` up to each element; f32 is added and multiplied in f64. Both are
    /// contiguous, of one shape, not empty; `out` has the dtype of sums of `x`.
    Scan scan { reduction: Plain<ScanOperation>, x: Array, axis: Plain<usize>, out: Array }
    /// Discrete 2-D convolution: `out[i, j] = Σ image[i + origin.0 - p, j + origin.1 - q] · filter[p, q]`, the image
    /// continued by `padding`. All three are 2-D, contiguous, of one dtype (f32 or f64, or integers, wrapping),
    /// none empty. `origin` is (0, 0) for the full result; larger for the same and valid parts of it.
    Convolve2d convolve2d {
        image: Array,
        filter: Array,
        origin: Plain<(usize, usize)>,
        padding: Plain<Padding>,
        out: Array,
    }
    /// Discrete 1-D convolution with zeros outside: `out[i] = Σ signal[i + origin - p] · filter[p]`; contiguous,
    /// one dtype, none empty.
    Convolve convolve { signal: Array, filter: Array, origin: Plain<usize>, out: Array }
    /// `out[at] = a[at]` where `condition[at]` holds, else `b[at]`; arrays are broadcast to `out`, and `a` and `b` have its
    /// dtype. `out` may be `a` or `b`.
    Where where_ { condition: Array, a: Input, b: Input, out: Array }
    /// `out[.., i, ..] = source[.., indices[.., i, ..], ..]`, where `i` counts along `axis`. `out` is contiguous and not
    /// empty, `indices` is broadcast to it, `source` has its shape but for the length of `axis`.
    ///
    /// Indices are i32, i64, u32 or u64, negative ones count from the end, and all were seen to be in range. Since other
    /// threads may have written to them meanwhile, the backend must make sure that it reads nothing outside `source`.
    Gather gather { source: Array, axis: Plain<usize>, indices: Array, out: Array }
    /// `out[.., indices[.., i, ..], ..] = values[.., i, ..]`, where `i` counts along `axis`; of repeated indices the last
    /// wins. `indices` is not empty, `values` is broadcast to its shape, `out` has that shape but for the length of `axis`.
    ///
    /// Indices are as for `Gather`, and nothing outside `out` may be written to.
    Scatter scatter { values: Input, axis: Plain<usize>, indices: Array, out: Array }
    /// Sorts each row (along the last axis) of `x` into that of `out`: NaN last, -0.0 before 0.0. Both are contiguous, of one
    /// dtype and of one shape with at least one axis, not empty. With `places`, which are below the length of a row, a backend may do
    /// less: only these places of a row have the elements of the sorted row, with what is not greater before each of them, and what is
    /// not less behind it.
    Sort sort { x: Array, places: Maybe<Plain<[usize; 3]>>, out: Array }
    /// For each row of `x`, the positions of its elements in ascending order, i64: NaN last, those of equal elements ascending,
    /// -0.0 equal to 0.0. As for `Sort`, but for the dtype.
    ArgSort argsort { x: Array, out: Array }
    /// For each of `values`, the number of elements of `sorted` that are less (`right`: or equal), i64. NaN is equal to
    /// itself and greater than all others. All are contiguous, `sorted` 1-D and perhaps empty, `values` not.
    SearchSorted search_sorted { sorted: Array, values: Array, right: Plain<bool>, out: Array }
    /// For each of `values`, whether one of the elements of `sorted` equals it, or with `is_inverted`, whether none does. As for
    /// `SearchSorted`, but NaN equals none, and `out` is bool.
    Contains contains { sorted: Array, values: Array, is_inverted: Plain<bool>, out: Array }
    /// The values at the elements of `x` of the function that is linear between points: `places`, ascending, at least one, and the
    /// `values` there. Before the first point and behind the last one it is constant. All are contiguous, of one dtype, f32 or f64.
    Interpolate interpolate { x: Array, places: Array, values: Array, out: Array }
    /// Counts how often each value of `x` occurs, as i64, or adds up the `weights` (f64) of each, as f64. The values are integers
    /// from 0 on, below the size of `out`. All are contiguous, `x` and `weights` of one size, `out` a new array.
    BinCount bincount { x: Array, weights: Maybe<Array>, out: Array }
    /// Counts the elements of `x` in each bin, as i64. The bins are between neighbouring `edges`: f64, ascending, contiguous, one
    /// more than there are bins. What is outside, and NaN, is not counted. `out` is a new array with an element for each bin.
    Histogram histogram { x: Array, edges: Array, span: Plain<Span>, out: Array }
    /// Random numbers: `out`, contiguous and not empty, gets those that `blocks` give, from its first element on; what an
    /// element gets depends on its index alone. The distribution's scalars are of `out`'s dtype.
    Random random { blocks: Plain<Blocks>, distribution: Plain<Distribution>, out: Array }
    /// The products of pairs of matrices: the last two axes of `a` and of `b`; the others count the pairs and are those of
    /// `out`, over which `a` and `b` are broadcast. All have one dtype, none is empty, `out` is contiguous.
    ///
    /// Integers wrap; of bools it is whether any pair of elements is true. Matrices of floats and of complex numbers have
    /// [`Layout::leading_dimension`], and are added up in f32 or f64. f32 is not rounded to fewer bits on the way, unless
    /// `may_round`: then the factors may be rounded to TF32.
    MatMul matmul { a: Array, b: Array, may_round: Plain<bool>, out: Array }
    /// The sum of the products of two vectors' elements, not empty, as accurate as a sum; `out` has one element. As for
    /// `MatMul`, but for types for storage. With `conjugates` the numbers are complex, and those of `a` are conjugated.
    Dot dot { a: Array, b: Array, conjugates: Plain<bool>, out: Array }
    /// The products of the lines of a sparse matrix with the columns of a dense one: `out[i, c] = Σ data[k] · x[indices[k], c]`, where
    /// `k` goes from `pointers[i]` up to `pointers[i + 1]`. Pointers and indices are i32, and were seen to be in range; the others
    /// have one dtype, f32 or f64. `x` and `out` have two axes; all are contiguous, `out` is not empty and overlaps no other.
    SparseProduct sparse_product { pointers: Array, indices: Array, data: Array, x: Array, out: Array }
    /// The Fourier transform of `x` along distinct `axes`, one at least: complex numbers, both arrays of one shape; or of real
    /// numbers to all complex ones (both of one shape) or to those that the others follow from (`out` has the first `n / 2 + 1`
    /// along the last of the transform's axes, where `x` has `n`), not inverse; or of such ones to real numbers, inverse, where
    /// what would make them complex is not looked at. The parts are f32 or f64 in both arrays. Both are contiguous, not empty,
    /// and do not overlap; but rows of real numbers, of an array of two axes transformed along the last one, may overlap each
    /// other, an even number of elements apart. An inverse transform has `e^(+i…)` in the place of `e^(-i…)`. All results are
    /// multiplied by `scale`. One to real numbers may write to `x` if it `destroys`.
    Transform transform {
        axes: Numbers,
        is_inverse: Plain<bool>,
        scale: Plain<f64>,
        destroys: Plain<bool>,
        x: Array,
        out: Array,
    }
    /// Runs a kernel, or queues it. Indices are checked, and more, as the launch says.
    Launch launch { launch: Borrowed<Launch>, arguments: Several<KernelArgument> }
}
