//! Products of vectors, matrices and arrays of any rank: what sums up products of elements, and what lists them all.

use crate::array::axes::{IntoAxes, axis_of};
use crate::array::conversions::conversions;
use crate::array::{DeviceArray, OnDevice, RawArray, shape, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::elementwise::binary;
use crate::operations::reduce::reduce_all;
use crate::thin::thin;

/// Why the lengths of two axes must agree.
const SUMMED: &str =
    "these axes are summed over, so they must have the same length; transpose, slice or reshape one of the arrays";
const PAIRED: &str = "these axes count matrices, so they must have the same length, or one of them length 1; slice or \
                      reshape one of the arrays";

fallible! {
    /// The sum of the products of two vectors' elements; NumPy's `dot` of vectors. Waits for the result.
    ///
    /// Sums of floats are as accurate as [`sum`](crate::DeviceArray::sum). Integers wrap, as in NumPy; of `bool` it is
    /// whether both are true somewhere. Complex numbers are not conjugated: [`vdot`] does that. The products of matrices
    /// are [`matmul`]'s, those of arrays of more axes [`tensordot`]'s.
    ///
    /// **Panics** if an array is not 1-D ([`Error::InvalidShape`]), if they differ in length ([`Error::AxisMismatch`]),
    /// or if they are on two devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[1.0, 2.0, 3.0]), gpu::array(&[4.0, 5.0, 6.0]));
    /// assert_eq!(gpu::dot(&a, &b), 32.0);
    /// ```
    pub fn dot, try_dot<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(a: &A, b: &B) -> Result<T> {
        dot_of("dot", a.raw(), b.raw()).map(transfer::typed_scalar)
    }
}

/// The sum of the products of all elements of two arrays of one size, each in row-major order; NumPy's `vdot`. Complex
/// numbers of `a` are conjugated. Waits for the result; see [`dot`].
///
/// **Panics** if the arrays have different numbers of elements ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::vdot(&gpu::array(&[[1, 2], [3, 4]]), &gpu::array(&[[1, 0], [0, 1]])), 5);
/// let z = gpu::array(&[gpu::Complex::new(3.0, 4.0)]);
/// assert_eq!((gpu::vdot(&z, &z).re, gpu::dot(&z, &z).re), (25.0, -7.0));
/// ```
#[track_caller]
pub fn vdot<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(a: &A, b: &B) -> T {
    transfer::typed_scalar(check(vdot_of(a.raw(), b.raw())))
}

fallible! {
    /// The product of two matrices, or of pairs of them; NumPy's `matmul`, the operator `@` of Python.
    ///
    /// The last two axes are matrices, those before them count the matrices and broadcast. A vector on the left is a
    /// row, one on the right a column, which the result lacks; of two vectors it has no axis (and [`dot`] gives the
    /// number itself).
    ///
    /// `f32`, `f64` and complex numbers are added up in their own type, `f16` and `bf16` in `f32`; on CUDA by cuBLAS,
    /// which must be installed, and not with fewer bits than the type has, unless `gpu::matmul!(&a, &b, tf32 = true)` says
    /// that factors of `f32` may be rounded to TF32 (10 bits behind the point). On two devices sums differ by rounding: by at most the number of terms times the type's epsilon times the sum of the terms' absolute values.
    /// Complex numbers are not conjugated. Integers wrap and are the same everywhere; of `bool` it is whether any pair of
    /// elements is true. Transposed and sliced arrays are used where they lie, if rows or columns are neighbours in
    /// memory.
    ///
    /// **Panics** if an array has no axis ([`Error::InvalidShape`]), if the axes that are summed over have different
    /// lengths or those that count matrices do not broadcast ([`Error::AxisMismatch`]), or if the arrays are on two
    /// devices.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(gpu::matmul(&a, &a.t()).to_host(), ndarray::array![[5.0, 11.0], [11.0, 25.0]].into_dyn());
    /// assert_eq!(gpu::matmul(&a, &gpu::array(&[1.0, 1.0])).to_host(), ndarray::array![3.0, 7.0].into_dyn());
    /// let stacked = gpu::ones::<f32>((10, 3, 4));
    /// assert_eq!(gpu::matmul(&stacked, &gpu::ones::<f32>((4, 5))).shape(), [10, 3, 5]);
    /// ```
    pub fn matmul, try_matmul<A, B, T>(a: &A, b: &B) -> Result<DeviceArray<T>>
    where
        A: OnDevice<Elem = T>,
        B: OnDevice<Elem = T>,
        T: Element,
    {
        multiply("matmul", a.raw(), b.raw()).map(DeviceArray::from_raw)
    }
}

/// [`matmul`], whose factors of `f32` may be rounded to TF32.
pub(crate) fn matmul_by(a: &RawArray, b: &RawArray, tf32: bool) -> Result<RawArray> {
    let operation = "matmul";
    if tf32 && a.dtype != DType::F32 {
        return Err(Error::dtype(operation, a.dtype, "only `f32` can be rounded to TF32; leave out `tf32`"));
    }
    multiply_by(operation, a, b, tf32)
}

thin! {
    /// The sums of products along the last axes of both arrays, for all pairs of the others; NumPy's `inner`.
    ///
    /// The result has the axes of `a` but the last, then those of `b` but the last: none for two vectors, of which [`dot`]
    /// gives the number itself. An array without axes is multiplied with each element.
    ///
    /// **Panics** if the last axes have different lengths ([`Error::AxisMismatch`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(gpu::inner(&a, &gpu::array(&[1, 10])).to_host(), ndarray::array![21, 43].into_dyn());
    /// ```
    pub fn inner<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(a: &A, b: &B) -> DeviceArray<T> =>
        inner_of(a.raw(), b.raw());

    /// The products of each element of `a` with each of `b`, a row for each of `a`; both are taken as flat. NumPy's `outer`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let out = gpu::outer(&gpu::array(&[1, 2]), &gpu::array(&[1, 10, 100]));
    /// assert_eq!(out.to_host(), ndarray::array![[1, 10, 100], [2, 20, 200]].into_dyn());
    /// ```
    pub fn outer<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(a: &A, b: &B) -> DeviceArray<T> =>
        outer_of(a.raw(), b.raw());
}

fallible! {
    /// The sums of products over some axes of both arrays, for all pairs of the others; NumPy's `tensordot`.
    ///
    /// `axes` is how many of the last axes of `a` are summed over with as many of the first of `b`, or a pair of what
    /// may be given as axes: those of `a` and those of `b`, in the order in which they belong together. The result has
    /// the other axes of `a`, then those of `b`. See [`matmul`] for accuracy and element types.
    ///
    /// **Panics** if there are no such axes or one is named twice ([`Error::InvalidShape`]), if there are not as many
    /// of each array ([`Error::InvalidArgument`]), or if two that belong together have different lengths
    /// ([`Error::AxisMismatch`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::ones::<f64>((2, 3, 4)), gpu::ones::<f64>((4, 3, 5)));
    /// let out = gpu::tensordot(&a, &b, ((1, 2), (1, 0)));
    /// assert_eq!((out.shape(), out.get(&[0, 0])), (&[2, 5][..], 12.0));
    /// assert_eq!(gpu::tensordot(&a, &b, 1).shape(), [2, 3, 3, 5]);
    /// ```
    pub fn tensordot, try_tensordot<A, B, T>(a: &A, b: &B, axes: impl IntoPairedAxes) -> Result<DeviceArray<T>>
    where
        A: OnDevice<Elem = T>,
        B: OnDevice<Elem = T>,
        T: Element,
    {
        tensordot_of(a.raw(), b.raw(), &axes.into_paired_axes()).map(DeviceArray::from_raw)
    }
}

/// The Kronecker product: `b`, times each element of `a` in its place; NumPy's `kron`. Each axis has the product of the
/// lengths of both, aligned at the last axis.
///
/// ```
/// use warpcell as gpu;
/// let out = gpu::kron(&gpu::array(&[1, 10]), &gpu::array(&[1, 2, 3]));
/// assert_eq!(out.to_host(), ndarray::array![1, 2, 3, 10, 20, 30].into_dyn());
/// ```
#[track_caller]
pub fn kron<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Element>(a: &A, b: &B) -> DeviceArray<T> {
    DeviceArray::from_raw(check(kron_of(a.raw(), b.raw())))
}

/// The sum of the elements `[i, i]` of a 2-D array; NumPy's `trace`. Small integers widen as in
/// [`sum`](crate::DeviceArray::sum). Waits for the result.
///
/// **Panics** if the array is not 2-D ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::trace(&gpu::array(&[[1, 2, 3], [4, 5, 6]])), 6i64);
/// ```
#[track_caller]
pub fn trace<A: OnDevice<Elem = T>, T: Element>(a: &A) -> T::Sum {
    transfer::typed_scalar(check(trace_of(a.raw())))
}

mod sealed {
    pub trait Sealed {}
}

/// Which axes of two arrays belong together, as [`IntoPairedAxes`] gives them.
pub enum PairedAxes {
    /// So many of the last axes of the left array and of the first ones of the right array.
    Count(usize),
    /// These of the left array and these of the right one; negative ones count from the last.
    Named(Vec<isize>, Vec<isize>),
}

/// What can be given as the axes of [`tensordot`]: how many, or a pair of what can be given as axes. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name the axes of two arrays",
    label = "expected the axes of two arrays",
    note = "give the number of axes, such as `1`, or those of each array, such as `(0, 1)` or `((1, 2), (1, 0))`"
)]
pub trait IntoPairedAxes: sealed::Sealed {
    /// The axes of each array.
    fn into_paired_axes(self) -> PairedAxes;
}

conversions! {
    fn into_paired_axes(self) -> PairedAxes: IntoPairedAxes, sealed::Sealed;
    usize => PairedAxes::Count(self);
    (A, B) [A: IntoAxes, B: IntoAxes] => PairedAxes::Named(self.0.into_axes(), self.1.into_axes());
}

/// Finds that two axes that are summed over have one length.
pub(crate) fn agree(operation: &'static str, left: &[usize], right: &[usize], axes: (usize, usize)) -> Result<()> {
    if left[axes.0] == right[axes.1] {
        return Ok(());
    }
    Err(Error::AxisMismatch { operation, left: left.to_vec(), right: right.to_vec(), axes, advice: SUMMED })
}

fn dot_of(operation: &'static str, a: &RawArray, b: &RawArray) -> Result<Scalar> {
    a.same_device(operation, b)?;
    a.handle.may_wait(operation)?;
    for shape in [a.shape(), b.shape()] {
        if shape.len() != 1 {
            let reason = format!(
                "has {} axes, not one; use `matmul` for matrices, `vdot` for all elements of arrays of one size, or \
                     `tensordot` for sums over some axes",
                shape.len()
            );
            return Err(Error::shape(operation, shape, reason));
        }
    }
    agree(operation, a.shape(), b.shape(), (0, 0))?;
    vectors(operation, a, b, false, &[]).and_then(|out| transfer::item(&out))
}

fn vdot_of(a: &RawArray, b: &RawArray) -> Result<Scalar> {
    let operation = "vdot";
    a.handle.may_wait(operation)?;
    if a.size() != b.size() {
        let reason = format!(
            "the arrays of the shapes {:?} and {:?} have {} and {} elements; give arrays with the same number of \
             elements",
            a.shape(),
            b.shape(),
            a.size(),
            b.size()
        );
        return Err(Error::argument(operation, reason));
    }
    a.same_device(operation, b)?;
    let conjugates = a.dtype.is_complex();
    vectors(operation, &a.flat(operation)?, &b.flat(operation)?, conjugates, &[]).and_then(|out| transfer::item(&out))
}

/// The sum of the products of two vectors of one length, as the one element of an array of `shape`. With `conjugates` those
/// of `a` are conjugated.
fn vectors(operation: &'static str, a: &RawArray, b: &RawArray, conjugates: bool, shape: &[usize]) -> Result<RawArray> {
    if a.dtype.is_storage() {
        let (wide, other) = (a.to_compute_type(operation)?, b.to_compute_type(operation)?);
        let out = vectors(operation, &wide, &other, conjugates, shape)?;
        return out.converted(operation, a.dtype);
    }
    let out = RawArray::uninitialised(operation, &a.handle, shape, a.dtype)?;
    if a.size() == 0 {
        a.handle.backend.fill(Scalar::zero(a.dtype), out.view())?;
    } else {
        a.handle.backend.dot(a.view(), b.view(), conjugates, out.view())?;
    }
    Ok(out)
}

/// The sum of the products of the elements of two vectors of one length on one device.
pub(crate) fn dot_raw(operation: &'static str, a: &RawArray, b: &RawArray) -> Result<Scalar> {
    transfer::item(&vectors(operation, a, b, false, &[])?)
}

/// The product of matrices, as [`matmul`] describes it.
pub(crate) fn multiply(operation: &'static str, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    multiply_by(operation, a, b, false)
}

fn multiply_by(operation: &'static str, a: &RawArray, b: &RawArray, may_round: bool) -> Result<RawArray> {
    a.same_device(operation, b)?;
    let plan = ProductLengths::new(operation, a.shape(), b.shape())?;
    if a.dtype.is_storage() && !a.handle.backend.multiplies(a.dtype) {
        let out = plan.run(operation, &a.to_compute_type(operation)?, &b.to_compute_type(operation)?, false)?;
        return out.converted(operation, a.dtype);
    }
    plan.run(operation, a, b, may_round)
}

/// The lengths of a product of matrices.
struct ProductLengths {
    /// The axes that count the matrices.
    pairs: Vec<usize>,
    rows: usize,
    inner: usize,
    columns: usize,
    /// Of the result.
    shape: Vec<usize>,
}

impl ProductLengths {
    fn new(operation: &'static str, a: &[usize], b: &[usize]) -> Result<ProductLengths> {
        for shape in [a, b] {
            if shape.is_empty() {
                let reason = "has no axes; use `*` to multiply by a number or by an array without axes";
                return Err(Error::shape(operation, Vec::new(), reason));
            }
        }
        let (pairs_a, pairs_b) = (&a[..a.len().saturating_sub(2)], &b[..b.len().saturating_sub(2)]);
        agree(operation, a, b, (a.len() - 1, pairs_b.len()))?;
        let pairs = broadcast_pairs(operation, a, b)?;
        let rows = (a.len() > 1).then(|| a[pairs_a.len()]);
        let columns = (b.len() > 1).then(|| b[b.len() - 1]);
        let shape = pairs.iter().copied().chain(rows).chain(columns).collect();
        let inner = a[a.len() - 1];
        Ok(ProductLengths { pairs, rows: rows.unwrap_or(1), inner, columns: columns.unwrap_or(1), shape })
    }

    /// The product of arrays of these shapes, of a type that the backend multiplies.
    fn run(&self, operation: &'static str, a: &RawArray, b: &RawArray, may_round: bool) -> Result<RawArray> {
        let ProductLengths { pairs, rows, inner, columns, shape } = self;
        let (rows, inner, columns) = (*rows, *inner, *columns);
        if pairs.iter().all(|&length| length == 1) && rows == 1 && columns == 1 && !a.dtype.is_storage() {
            return vectors(operation, &along(a, 1), &along(b, b.shape().len().min(2)), false, shape);
        }
        RawArray::written(operation, &a.handle, shape, a.dtype, |out| {
            if inner == 0 {
                return a.handle.backend.fill(Scalar::zero(a.dtype), out.view());
            }
            let is_column = b.shape().len() == 1;
            let a = usable(operation, &with_axis(a, 0, a.shape().len() == 1))?;
            let b = usable(operation, &with_axis(b, 1, is_column))?;
            let of_pairs = |matrix: [usize; 2]| [&pairs[..], &matrix[..]].concat();
            let product = Layout { offset: out.layout.offset, ..Layout::contiguous(&of_pairs([rows, columns])) };
            // One matrix on the right, and rows that are equally far apart: one product with as many rows as all have.
            if let Some(stacked) = stacked(&a.layout, &b.layout) {
                let all = out.size() / columns;
                let product = Layout { offset: out.layout.offset, ..Layout::contiguous(&[all, columns]) };
                let (a, b, target) =
                    (a.with_layout(stacked), b.with_layout(last_two(&b.layout)), out.with_layout(product));
                return out.handle.backend.matmul(a.view(), b.view(), may_round, target.view());
            }
            let a = a.with_layout(shape::broadcast_layout(&a.layout, &of_pairs([rows, inner])));
            let b = b.with_layout(shape::broadcast_layout(&b.layout, &of_pairs([inner, columns])));
            let target = out.with_layout(product);
            out.handle.backend.matmul(a.view(), b.view(), may_round, target.view())
        })
    }
}

/// The array along one axis, counted from the last as 1; the others have one element.
fn along(raw: &RawArray, back: usize) -> RawArray {
    let axis = raw.shape().len() - back;
    let layout = &raw.layout;
    raw.with_layout(Layout {
        shape: vec![layout.shape[axis]],
        strides: vec![layout.strides[axis]],
        offset: layout.offset,
    })
}

/// The common shape of the axes before the last two.
fn broadcast_pairs(operation: &'static str, a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let (pairs_a, pairs_b) = (&a[..a.len().saturating_sub(2)], &b[..b.len().saturating_sub(2)]);
    shape::broadcast_shapes(operation, pairs_a, pairs_b).map_err(|_| {
        let common = pairs_a.len().min(pairs_b.len());
        let at = |back: usize| (pairs_a.len() - 1 - back, pairs_b.len() - 1 - back);
        let differ = |&(left, right): &(usize, usize)| a[left] != b[right] && a[left] != 1 && b[right] != 1;
        let axes = (0..common).map(at).find(differ).expect("they do not broadcast");
        Error::AxisMismatch { operation, left: a.to_vec(), right: b.to_vec(), axes, advice: PAIRED }
    })
}

/// The array with an axis of length 1 inserted, if it is to be.
fn with_axis(raw: &RawArray, axis: usize, inserted: bool) -> RawArray {
    let mut layout = raw.layout.clone();
    if inserted {
        layout.shape.insert(axis, 1);
        layout.strides.insert(axis, 0);
    }
    raw.with_layout(layout)
}

/// The array as a backend multiplies it: itself if its matrices lie as libraries take them, else a copy.
fn usable(operation: &'static str, raw: &RawArray) -> Result<RawArray> {
    let axes = raw.shape().len() - 2;
    let is_usable =
        raw.layout.leading_dimension().is_some() && raw.layout.strides[..axes].iter().all(|&stride| stride >= 0);
    let is_of_libraries = raw.dtype.is_float() || raw.dtype.is_complex();
    if is_of_libraries && !is_usable { raw.copied(operation) } else { Ok(raw.clone()) }
}

/// The layout of the last two axes.
fn last_two(layout: &Layout) -> Layout {
    let from = layout.shape.len() - 2;
    Layout { shape: layout.shape[from..].to_vec(), strides: layout.strides[from..].to_vec(), offset: layout.offset }
}

/// The left matrices as one of all their rows, if there is one right matrix and the rows permit it.
fn stacked(a: &Layout, b: &Layout) -> Option<Layout> {
    let axes = a.shape.len() - 1;
    if b.shape[..b.shape.len() - 2].iter().any(|&length| length != 1) {
        return None;
    }
    let rows = joined(&a.shape[..axes], &a.strides[..axes])?;
    let shape = vec![a.shape[..axes].iter().product(), a.shape[axes]];
    let stacked = Layout { shape, strides: vec![rows, a.strides[axes]], offset: a.offset };
    stacked.leading_dimension().map(|_| stacked)
}

/// The stride of some neighbouring axes taken as one, if their elements are equally far apart.
fn joined(shape: &[usize], strides: &[isize]) -> Option<isize> {
    let mut along = shape.iter().zip(strides).rev().filter(|&(&length, _)| length != 1);
    let Some((&length, &innermost)) = along.next() else { return Some(1) };
    let mut next = innermost * length as isize;
    for (&length, &stride) in along {
        if stride != next {
            return None;
        }
        next *= length as isize;
    }
    Some(innermost)
}

fn inner_of(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    if a.shape().is_empty() || b.shape().is_empty() {
        return all_products("inner", a, b);
    }
    let (last_a, last_b) = (a.shape().len() - 1, b.shape().len() - 1);
    contract("inner", a, b, &[last_a], &[last_b])
}

fn outer_of(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    let (a, b) = (a.flat("outer")?, b.flat("outer")?);
    all_products("outer", &with_axis(&a, 1, true), &with_axis(&b, 0, true))
}

/// The products of elements, broadcast; of bools, whether both are true.
pub(super) fn all_products(operation: &'static str, a: &RawArray, b: &RawArray) -> Result<RawArray> {
    if a.dtype.is_storage() {
        let out = all_products(operation, &a.to_compute_type(operation)?, &b.to_compute_type(operation)?)?;
        return out.converted(operation, a.dtype);
    }
    let product = if a.dtype == DType::Bool { BinaryOperation::BitwiseAnd } else { BinaryOperation::Multiply };
    binary(operation, product, a, b)
}

fn kron_of(a: &RawArray, b: &RawArray) -> Result<RawArray> {
    let rank = a.shape().len().max(b.shape().len());
    // Each axis becomes two, of which the first is that of `a`.
    let spread = |raw: &RawArray, is_first: bool| {
        let mut layout = Layout { shape: Vec::new(), strides: Vec::new(), offset: raw.layout.offset };
        for axis in 0..rank {
            let own = (axis + raw.shape().len()).checked_sub(rank);
            let (length, stride) = own.map_or((1, 0), |own| (raw.shape()[own], raw.layout.strides[own]));
            layout.shape.extend(if is_first { [length, 1] } else { [1, length] });
            layout.strides.extend(if is_first { [stride, 0] } else { [0, stride] });
        }
        raw.with_layout(layout)
    };
    let out = all_products("kron", &spread(a, true), &spread(b, false))?;
    let shape: Vec<usize> = out.shape().chunks(2).map(|pair| pair[0] * pair[1]).collect();
    Ok(out.with_layout(Layout { offset: out.layout.offset, ..Layout::contiguous(&shape) }))
}

fn trace_of(a: &RawArray) -> Result<Scalar> {
    a.handle.may_wait("trace")?;
    let Layout { shape, strides, offset } = &a.layout;
    let (&[rows, columns], &[down, across]) = (&shape[..], &strides[..]) else {
        return Err(Error::shape("trace", shape.clone(), "is not 2-D; slice or reshape the array to two axes first"));
    };
    let diagonal = Layout { shape: vec![rows.min(columns)], strides: vec![down + across], offset: *offset };
    reduce_all("trace", ReduceOperation::Sum, &a.with_layout(diagonal))
}

fn tensordot_of(a: &RawArray, b: &RawArray, axes: &PairedAxes) -> Result<RawArray> {
    let operation = "tensordot";
    let (of_a, of_b) = match axes {
        &PairedAxes::Count(count) => {
            let (rank_a, rank_b) = (a.shape().len(), b.shape().len());
            if count > rank_a || count > rank_b {
                let reason = format!(
                    "the shapes {:?} and {:?} do not both have {count} axes to sum over; give a smaller number, or name the axes",
                    a.shape(),
                    b.shape()
                );
                return Err(Error::argument(operation, reason));
            }
            ((rank_a - count..rank_a).collect::<Vec<_>>(), (0..count).collect::<Vec<_>>())
        }
        PairedAxes::Named(of_a, of_b) => {
            if of_a.len() != of_b.len() {
                let reason = format!(
                    "the axes {of_a:?} and {of_b:?} do not pair up; name the same number of axes for both arrays"
                );
                return Err(Error::argument(operation, reason));
            }
            (unique_axes(operation, a.shape(), of_a)?, unique_axes(operation, b.shape(), of_b)?)
        }
    };
    contract(operation, a, b, &of_a, &of_b)
}

/// Axes of an array in the order in which they are named, each once.
fn unique_axes(operation: &'static str, shape: &[usize], axes: &[isize]) -> Result<Vec<usize>> {
    let found = axes.iter().map(|&axis| axis_of(operation, shape, axis)).collect::<Result<Vec<usize>>>()?;
    match (0..found.len()).find(|&index| found[..index].contains(&found[index])) {
        Some(index) => {
            let reason = format!("cannot be used with axis {} twice in {axes:?}; name each axis once", found[index]);
            Err(Error::shape(operation, shape, reason))
        }
        None => Ok(found),
    }
}

/// The sums of products over axes that belong together, for all pairs of the others.
fn contract(operation: &'static str, a: &RawArray, b: &RawArray, of_a: &[usize], of_b: &[usize]) -> Result<RawArray> {
    for (&left, &right) in of_a.iter().zip(of_b) {
        agree(operation, a.shape(), b.shape(), (left, right))?;
    }
    let free = |raw: &RawArray, summed: &[usize]| -> Vec<usize> {
        (0..raw.shape().len()).filter(|axis| !summed.contains(axis)).collect()
    };
    let (free_a, free_b) = (free(a, of_a), free(b, of_b));
    let lengths = |raw: &RawArray, axes: &[usize]| axes.iter().map(|&axis| raw.shape()[axis]).collect::<Vec<_>>();
    let shape = [lengths(a, &free_a), lengths(b, &free_b)].concat();
    let (left, right) = (grouped(operation, a, &[&free_a, of_a])?, grouped(operation, b, &[of_b, &free_b])?);
    let product = multiply(operation, &left, &right)?;
    // What has fewer elements than memory can address may have a shape, with a length of 0, that has not.
    crate::array::byte_count(operation, &shape, product.dtype)?;
    Ok(product.with_layout(Layout { offset: product.layout.offset, ..Layout::contiguous(&shape) }))
}

/// An array with an axis for each group of its axes, which are its own in another order. A view if the strides permit it.
pub(super) fn grouped(operation: &'static str, raw: &RawArray, groups: &[&[usize]]) -> Result<RawArray> {
    let shape: Vec<usize> = groups.iter().map(|group| group.iter().map(|&axis| raw.shape()[axis]).product()).collect();
    let offset = raw.layout.offset;
    if raw.size() == 0 {
        return Ok(raw.with_layout(Layout { offset, ..Layout::contiguous(&shape) }));
    }
    let part = |group: &[usize]| -> (Vec<usize>, Vec<isize>) {
        group.iter().map(|&axis| (raw.shape()[axis], raw.layout.strides[axis])).unzip()
    };
    let stride = |group: &&[usize]| {
        let (lengths, strides) = part(group);
        joined(&lengths, &strides)
    };
    if let Some(strides) = groups.iter().map(stride).collect() {
        return Ok(raw.with_layout(Layout { shape, strides, offset }));
    }
    let (lengths, strides) = part(&groups.concat());
    let copy = raw.with_layout(Layout { shape: lengths, strides, offset }).copied(operation)?;
    Ok(copy.with_layout(Layout { offset: copy.layout.offset, ..Layout::contiguous(&shape) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shape: &[usize], strides: &[isize]) -> Layout {
        Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: 0 }
    }

    #[test]
    fn rows_of_many_matrices_are_taken_together() {
        let one = layout(&[4, 5], &[5, 1]);
        let of = |shape: &[usize], strides: &[isize]| stacked(&layout(shape, strides), &one).map(|found| found.strides);
        assert_eq!(of(&[2, 3, 4], &[12, 4, 1]), Some(vec![4, 1]));
        assert_eq!(of(&[2, 1, 3, 4], &[30, 99, 10, 1]), Some(vec![10, 1]));
        assert_eq!(of(&[2, 3, 4], &[12, 1, 3]), None);
        assert_eq!(of(&[2, 3, 4], &[0, 4, 1]), None);
        assert_eq!(stacked(&layout(&[2, 3, 4], &[12, 4, 1]), &layout(&[2, 4, 5], &[20, 5, 1])), None);
    }

    #[test]
    fn only_f32_is_rounded() {
        let a = crate::array(&[[1.0f32, 2.0], [3.0, 4.0]]);
        assert_eq!(crate::keywords::matmul(&a, &a, true).to_host(), crate::matmul(&a, &a).to_host());
        let wide = a.astype::<f64>();
        let text = matmul_by(&wide.raw, &wide.raw, true).err().expect("an error").to_string();
        assert!(text.contains("only `f32` can be rounded to TF32"), "{text}");
        assert!(matmul_by(&wide.raw, &wide.raw, false).is_ok());
    }

    #[test]
    fn neighbouring_axes_join() {
        assert_eq!(joined(&[], &[]), Some(1));
        assert_eq!(joined(&[2, 3], &[3, 1]), Some(1));
        assert_eq!(joined(&[2, 1, 3], &[-6, 7, -2]), Some(-2));
        assert_eq!(joined(&[2, 3], &[1, 2]), None);
    }
}
