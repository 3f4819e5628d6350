//! Functions that make sparse matrices: of diagonals, of blocks, of products, at random; and parts of them.

use super::kernels;
use super::lines::{Lines, Maker, read, run_plain, value, write};
use super::matrix::SparseMatrix;
use super::raw::{Format, RawSparse};
use crate::array::sides::AnyView;
use crate::array::{AnyArray, DeviceArray, IntoAxes, RawArray, assign, slice_axis, transfer};
use crate::device;
use crate::dtype::{DType, Float, Scalar};
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::launch::Work;
use crate::launch::launch_untyped;
use crate::operations::random;

/// Finds that rows and columns can be numbered by i32.
pub(super) fn check_shape(operation: &'static str, shape: [usize; 2]) -> Result<()> {
    if shape.iter().all(|&length| length < i32::MAX as usize) {
        return Ok(());
    }
    Err(Error::shape(operation, shape, format!("is too large; give lengths below {}", i32::MAX)))
}

/// A matrix of diagonals: numbers for the same everywhere, or arrays of the host or the device. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not diagonals of a sparse matrix",
    label = "expected a number or an array for each diagonal",
    note = "give numbers `&[1.0, -2.0, 1.0]`, or arrays `&[&a, &b]`; and an offset for each: `&[-1, 0, 1]`"
)]
pub trait Diagonals<T: Float>: sealed::Values {}

mod sealed {
    use super::{RawArray, Result};

    pub trait Values {
        /// Each as a vector of one number or of several.
        fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>>;
    }
}
use sealed::Values;

fn numbers<T: Float>(operation: &'static str, numbers: &[T]) -> Result<Vec<RawArray>> {
    let handle = device::current()?;
    let each = |number: &T| RawArray::filled(operation, &handle, &[1], number.to_scalar());
    numbers.iter().map(each).collect()
}

fn vectors<A: AnyArray>(operation: &'static str, arrays: &[&A]) -> Result<Vec<RawArray>> {
    let handle = match arrays.first().map(|array| array.any_view()) {
        Some(AnyView::Device(raw)) => raw.handle.clone(),
        _ => device::current()?,
    };
    let each = |array: &&A| {
        let raw = transfer::bring(operation, &array.any_view(), &handle)?;
        match raw.shape().len() {
            1 => Ok(raw),
            _ => Err(Error::shape(operation, raw.shape(), "is not that of a diagonal; give vectors")),
        }
    };
    arrays.iter().map(each).collect()
}

macro_rules! of_numbers {
    ($($float:ty)*) => {$(
        impl Values for &[$float] {
            fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
                numbers(operation, self)
            }
        }
        impl Diagonals<$float> for &[$float] {}
        impl<const N: usize> Values for &[$float; N] {
            fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
                numbers(operation, *self)
            }
        }
        impl<const N: usize> Diagonals<$float> for &[$float; N] {}
    )*};
}
of_numbers!(f32 f64);

/// Integers are `f64` in a matrix.
macro_rules! of_integers {
    ($($integer:ty)*) => {$(
        impl Values for &[$integer] {
            fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
                numbers(operation, &self.iter().map(|&number| number as f64).collect::<Vec<f64>>())
            }
        }
        impl Diagonals<f64> for &[$integer] {}
        impl<const N: usize> Values for &[$integer; N] {
            fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
                self.as_slice().vectors(operation)
            }
        }
        impl<const N: usize> Diagonals<f64> for &[$integer; N] {}
    )*};
}
of_integers!(i32 i64);

/// An array of the numbers themselves, without `&`.
impl<N: Copy, const COUNT: usize> Values for [N; COUNT]
where
    for<'a> &'a [N; COUNT]: Values,
{
    fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
        (&self).vectors(operation)
    }
}
impl<T: Float, N: Copy, const COUNT: usize> Diagonals<T> for [N; COUNT] where for<'a> &'a [N; COUNT]: Diagonals<T> {}
impl<A: AnyArray> Values for &[&A] {
    fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
        vectors(operation, self)
    }
}
impl<T: Float, A: AnyArray<Elem = T>> Diagonals<T> for &[&A] {}
impl<A: AnyArray, const N: usize> Values for &[&A; N] {
    fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
        vectors(operation, *self)
    }
}
impl<T: Float, A: AnyArray<Elem = T>, const N: usize> Diagonals<T> for &[&A; N] {}

/// Arrays of the device themselves.
impl<T: Float> Values for &[DeviceArray<T>] {
    fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
        vectors(operation, &self.iter().collect::<Vec<_>>())
    }
}
impl<T: Float> Diagonals<T> for &[DeviceArray<T>] {}
impl<T: Float, const N: usize> Values for &[DeviceArray<T>; N] {
    fn vectors(&self, operation: &'static str) -> Result<Vec<RawArray>> {
        self.as_slice().vectors(operation)
    }
}
impl<T: Float, const N: usize> Diagonals<T> for &[DeviceArray<T>; N] {}

/// A square matrix of diagonals: numbers for the same everywhere, or arrays whose first element is that of the first row or column; each
/// at its offset, above the main diagonal if that is positive. The size follows from the arrays; of numbers alone there is
/// [`diags_with`]. Integers are `f64` in the matrix. SciPy's `diags`: `gpu::sparse::diags!(&[1.0, -2.0, 1.0], &[-1, 0, 1], shape = (4, 4))` has its keywords.
///
/// **Panics** if there are not as many offsets, an offset is there twice, or a diagonal has another length
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::diags(&[&vec![1.0, 2.0, 3.0], &vec![4.0, 5.0]], &[0, 1]);
/// assert_eq!(a.to_dense().to_host(), ndarray::array![[1.0, 4.0, 0.0], [0.0, 2.0, 5.0], [0.0, 0.0, 3.0]].into_dyn());
/// let b = gpu::sparse::diags(&[gpu::full(3, 2.0), gpu::full(2, -1.0)], &[0, 1]);
/// assert_eq!(b.to_dense().to_host()[[0, 1]], -1.0);
/// ```
#[track_caller]
pub fn diags<T: Float, D: Diagonals<T>>(diagonals: D, offsets: impl IntoAxes) -> SparseMatrix<T> {
    diags_with(diagonals, offsets, None)
}

/// As [`diags`], of a shape.
///
/// **Panics** as [`diags`] does, and if a diagonal is outside of the shape.
///
/// ```
/// let a = warpcell::sparse::diags_with(&[1.0, -2.0, 1.0], &[-1, 0, 1], (3, 3));
/// assert_eq!(a.to_dense().to_host(), ndarray::array![[-2.0, 1.0, 0.0], [1.0, -2.0, 1.0], [0.0, 1.0, -2.0]].into_dyn());
/// ```
#[track_caller]
pub fn diags_with<T: Float, D: Diagonals<T>>(
    diagonals: D,
    offsets: impl IntoAxes,
    shape: impl Into<Option<(usize, usize)>>,
) -> SparseMatrix<T> {
    let made = || of_diagonals("diags", diagonals.vectors("diags")?, &offsets.into_axes(), shape.into(), T::DTYPE);
    SparseMatrix::from_raw(check(made()))
}

/// Where a diagonal lies in a shape: the first column, and how many elements.
fn extent(shape: (usize, usize), offset: isize) -> (usize, usize) {
    let (above, below) = (offset.max(0) as usize, (-offset).max(0) as usize);
    (above, shape.0.saturating_sub(below).min(shape.1.saturating_sub(above)))
}

fn of_diagonals(
    operation: &'static str,
    diagonals: Vec<RawArray>,
    offsets: &[isize],
    shape: Option<(usize, usize)>,
    dtype: DType,
) -> Result<RawSparse> {
    if diagonals.len() != offsets.len() {
        let reason =
            format!("there are {} diagonals, but {} offsets; give one for each", diagonals.len(), offsets.len());
        return Err(Error::argument(operation, reason));
    }
    let shape = shape.unwrap_or_else(|| {
        let length = diagonals.iter().zip(offsets).map(|(diagonal, offset)| diagonal.size() + offset.unsigned_abs());
        let length = length.max().unwrap_or(0);
        (length, length)
    });
    check_shape(operation, [shape.0, shape.1])?;
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&at| offsets[at]);
    if let Some(pair) = order.windows(2).find(|pair| offsets[pair[0]] == offsets[pair[1]]) {
        let reason = format!("the offset {} is there twice; give each once", offsets[pair[0]]);
        return Err(Error::argument(operation, reason));
    }
    let handle = match diagonals.first() {
        Some(diagonal) => diagonal.handle.clone(),
        None => device::current()?,
    };
    let sorted: Vec<i64> = order.iter().map(|&at| offsets[at] as i64).collect();
    let table = RawArray::filled(operation, &handle, &[order.len(), shape.1], Scalar::zero(dtype))?;
    for (row, &at) in order.iter().enumerate() {
        let (diagonal, (first, count)) = (&diagonals[at], extent(shape, offsets[at]));
        if diagonal.size() != 1 && diagonal.size() != count || count == 0 && diagonal.size() > 1 {
            let reason = format!(
                "the diagonal at the offset {} has {} elements, but there are {count} in a matrix of the shape ({}, {})",
                offsets[at],
                diagonal.size(),
                shape.0,
                shape.1
            );
            return Err(Error::argument(operation, reason));
        }
        if count == 0 {
            let reason =
                format!("the offset {} is outside of a matrix of the shape ({}, {})", offsets[at], shape.0, shape.1);
            return Err(Error::argument(operation, reason));
        }
        let target = slice_axis(&slice_axis(&table, 0, row, 1, 1), 1, first, 1, count);
        assign(operation, &target, diagonal)?;
    }
    let lines = Lines::of_diagonals(operation, &table, &sorted, shape)?;
    Ok(RawSparse::of_lines(Format::Csr, lines, true))
}

/// A matrix whose diagonals are the rows of a dense one, each element at its column: SciPy's `spdiags`.
///
/// **Panics** if there are not as many offsets as rows ([`Error::InvalidArgument`]), or an offset is there twice.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::spdiags(&gpu::array(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), &[0, 1], 3, 3);
/// assert_eq!(a.to_dense().to_host(), ndarray::array![[1.0, 5.0, 0.0], [0.0, 2.0, 6.0], [0.0, 0.0, 3.0]].into_dyn());
/// ```
#[track_caller]
pub fn spdiags<T: Float>(data: &DeviceArray<T>, offsets: &[isize], m: usize, n: usize) -> SparseMatrix<T> {
    let operation = "spdiags";
    let made = || {
        let shape = data.shape();
        if shape.len() != 2 || shape[0] != offsets.len() {
            let reason = format!("is not that of a matrix with a row for each of the {} offsets", offsets.len());
            return Err(Error::shape(operation, shape, reason));
        }
        check_shape(operation, [m, n])?;
        let mut order: Vec<usize> = (0..offsets.len()).collect();
        order.sort_by_key(|&at| offsets[at]);
        if let Some(pair) = order.windows(2).find(|pair| offsets[pair[0]] == offsets[pair[1]]) {
            let reason = format!("the offset {} is there twice; give each once", offsets[pair[0]]);
            return Err(Error::argument(operation, reason));
        }
        let rows: Vec<i64> = order.iter().map(|&at| at as i64).collect();
        let maker = Maker { operation, handle: &data.raw.handle };
        let rows = crate::array::indices::RawIndices::Device(maker.longs(&rows)?);
        let table = crate::operations::indexing::take_axis(&data.raw, rows, 0)?;
        let sorted: Vec<i64> = order.iter().map(|&at| offsets[at] as i64).collect();
        Ok(RawSparse::of_lines(Format::Csr, Lines::of_diagonals(operation, &table, &sorted, (m, n))?, true))
    };
    SparseMatrix::from_raw(check(made()))
}

/// The matrix with ones on the diagonal, by rows. SciPy's `eye`: `gpu::sparse::eye!(3, 4, k = 1, dtype = f32, format = "csc")` has its
/// keywords.
///
/// ```
/// assert_eq!(warpcell::sparse::eye::<f64>(3).diagonal(0).tolist(), [1.0; 3]);
/// ```
#[track_caller]
pub fn eye<T: Float>(m: usize) -> SparseMatrix<T> {
    eye_with(m, None, 0, "csr")
}

/// As [`eye`], with another number of columns, the ones on the `k`th diagonal, and in a format.
///
/// **Panics** if there is no such format ([`Error::InvalidArgument`]).
#[track_caller]
pub fn eye_with<T: Float>(m: usize, n: impl Into<Option<usize>>, k: isize, format: &str) -> SparseMatrix<T> {
    let operation = "eye";
    let shape = (m, n.into().unwrap_or(m));
    let made = || {
        let format = Format::of(operation, format)?;
        check_shape(operation, [shape.0, shape.1])?;
        let handle = device::current()?;
        let maker = Maker { operation, handle: &handle };
        let (first, count) = extent(shape, k);
        let range = |start: usize| {
            RawArray::written(operation, &handle, &[count], DType::I32, |out| {
                handle.backend.arange(Scalar::I32(start as i32), Scalar::I32(1), out.view())
            })
        };
        let data = RawArray::filled(operation, &handle, &[count], T::from_f64(1.0).to_scalar())?;
        if count == 0 {
            let lines = Lines::empty(&maker, shape.0, shape.1, T::DTYPE)?;
            return RawSparse::of_lines(Format::Csr, lines, true).to(operation, format);
        }
        let (first, second) = (range((-k).max(0) as usize)?, range(first)?);
        let shape = [shape.0, shape.1];
        RawSparse { format: Format::Coo, shape, first, second, data, canonical: true }.to(operation, format)
    };
    SparseMatrix::from_raw(check(made()))
}

/// The square matrix with ones on the diagonal; SciPy's `identity`.
///
/// ```
/// assert_eq!(warpcell::sparse::identity::<f32>(4).nnz(), 4);
/// ```
#[track_caller]
pub fn identity<T: Float>(n: usize) -> SparseMatrix<T> {
    eye(n)
}

/// The product by Kronecker of two sparse matrices, by rows: each element of `a` times the whole of `b`. SciPy's `kron`.
///
/// **Panics** if the shape would be too large ([`Error::InvalidShape`]), or devices differ.
///
/// ```
/// use warpcell as gpu;
/// let (a, b) = (gpu::array(&[[1.0, 2.0], [0.0, 3.0]]), gpu::array(&[[0.0, 1.0]]));
/// let product = gpu::sparse::kron(&gpu::sparse::csr_matrix(&a), &gpu::sparse::csr_matrix(&b));
/// assert!(gpu::array_equal(&product.to_dense(), &gpu::kron(&a, &b)));
/// ```
#[track_caller]
pub fn kron<T: Float>(a: &SparseMatrix<T>, b: &SparseMatrix<T>) -> SparseMatrix<T> {
    SparseMatrix::from_raw(check(kron_of("kron", &a.raw, &b.raw)))
}

fn kron_of(operation: &'static str, a: &RawSparse, b: &RawSparse) -> Result<RawSparse> {
    a.data.same_device(operation, &b.data)?;
    let [rows, columns] = [0, 1].map(|axis| a.shape[axis].saturating_mul(b.shape[axis]));
    check_shape(operation, [rows, columns])?;
    Ok(RawSparse::of_lines(Format::Csr, a.rows(operation)?.kron(operation, &b.rows(operation)?)?, true))
}

/// The sum by Kronecker of two square matrices, `kron(identity(n), a) + kron(b, identity(m))`, by rows: of two derivatives along one axis
/// that along both. SciPy's `kronsum`.
///
/// **Panics** if a matrix is not square ([`Error::InvalidShape`]), and as [`kron`] does.
///
/// ```
/// // The Laplacian of a grid of 3 × 3 points.
/// let line = warpcell::sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (3, 3));
/// let plane = warpcell::sparse::kronsum(&line, &line);
/// assert_eq!((plane.shape(), plane.nnz(), plane.diagonal(0).tolist()), ([9, 9], 33, vec![4.0; 9]));
/// ```
#[track_caller]
pub fn kronsum<T: Float>(a: &SparseMatrix<T>, b: &SparseMatrix<T>) -> SparseMatrix<T> {
    let operation = "kronsum";
    for matrix in [a, b] {
        check(square(operation, &matrix.raw).map(drop));
    }
    let unit = |n: usize| a.raw.handle().device.scope(|| eye::<T>(n));
    let left = check(kron_of(operation, &unit(b.shape()[0]).raw, &a.raw));
    let right = check(kron_of(operation, &b.raw, &unit(a.shape()[0]).raw));
    SparseMatrix::from_raw(check(left.joined(operation, &right, 0)))
}

/// The number of rows and of columns of a square matrix.
pub(super) fn square(operation: &'static str, matrix: &RawSparse) -> Result<usize> {
    match matrix.shape {
        [rows, columns] if rows == columns => Ok(rows),
        shape => Err(Error::shape(operation, shape, "is not that of a square matrix")),
    }
}

/// A matrix with random elements, uniform from 0 to 1, at `density * m * n` different places; by rows. SciPy's `random`:
/// `gpu::sparse::random!(100, 200, density = 0.05, format = "csc", dtype = f32)` has its keywords. It draws from the default generator:
/// [`gpu::random::seed`](crate::random::seed) decides which places and elements there are.
///
/// **Panics** if the density is not from 0 to 1 ([`Error::InvalidArgument`]).
///
/// ```
/// let a = warpcell::sparse::random_with::<f64>(100, 200, 0.05, "csr");
/// assert_eq!(a.nnz(), 1000);
/// ```
#[track_caller]
pub fn random_with<T: Float>(m: usize, n: usize, density: impl IntoFloat, format: &str) -> SparseMatrix<T> {
    let density = density.into_float();
    let operation = "random";
    let made = || {
        let format = Format::of(operation, format)?;
        check_shape(operation, [m, n])?;
        if !(0.0..=1.0).contains(&density) {
            return Err(Error::argument(operation, format!("`density` is {density}; give a number from 0 to 1")));
        }
        let size = m as u64 * n as u64;
        let count = (density * size as f64).round_ties_even() as usize;
        if count > i32::MAX as usize {
            let reason = format!("the matrix would have {count} elements, but at most {} are supported", i32::MAX);
            return Err(Error::argument(operation, reason));
        }
        let keys = random::integers(0..u64::MAX, 6);
        let data = random::uniform(T::from_f64(0.0), T::from_f64(1.0), count);
        let maker = Maker { operation, handle: &data.raw.handle };
        let [first, second] = [maker.empty(count, DType::I32)?, maker.empty(count, DType::I32)?];
        if count > 0 {
            let bits = u64::from(64 - (size - 1).max(1).leading_zeros());
            run_plain!(
                operation,
                scatter_places,
                Work::threads(count),
                [read(&keys.raw), value(bits.div_ceil(2)), value(size), value(n as u64), write(&first), write(&second)]
            )?;
        }
        let data = (*data.raw).clone();
        let coo = RawSparse { format: Format::Coo, shape: [m, n], first, second, data, canonical: false };
        coo.to(operation, Format::Csr)?.to(operation, format)
    };
    SparseMatrix::from_raw(check(made()))
}

/// As [`random_with`], by rows, of a density.
///
/// **Panics** as [`random_with`] does.
///
/// ```
/// assert_eq!(warpcell::sparse::random::<f32>(10, 10, 0.1).nnz(), 10);
/// ```
#[track_caller]
pub fn random<T: Float>(m: usize, n: usize, density: impl IntoFloat) -> SparseMatrix<T> {
    let density = density.into_float();
    random_with(m, n, density, "csr")
}

/// Blocks below one another, by rows; SciPy's `vstack`.
///
/// **Panics** if there are none, their columns differ in number ([`Error::InvalidShape`]), or devices differ.
///
/// ```
/// let a = warpcell::sparse::eye::<f64>(2);
/// assert_eq!(warpcell::sparse::vstack(&[&a, &a]).shape(), [4, 2]);
/// ```
#[track_caller]
pub fn vstack<T: Float>(blocks: &[&SparseMatrix<T>]) -> SparseMatrix<T> {
    let rows: Vec<Vec<Option<&RawSparse>>> = blocks.iter().map(|block| vec![Some(&block.raw)]).collect();
    SparseMatrix::from_raw(check(of_blocks("vstack", &rows)))
}

/// Blocks beside one another, by rows; SciPy's `hstack`.
///
/// **Panics** if there are none, their rows differ in number ([`Error::InvalidShape`]), or devices differ.
///
/// ```
/// let a = warpcell::sparse::eye::<f64>(2);
/// assert_eq!(warpcell::sparse::hstack(&[&a, &a]).shape(), [2, 4]);
/// ```
#[track_caller]
pub fn hstack<T: Float>(blocks: &[&SparseMatrix<T>]) -> SparseMatrix<T> {
    let row: Vec<Option<&RawSparse>> = blocks.iter().map(|block| Some(&block.raw)).collect();
    SparseMatrix::from_raw(check(of_blocks("hstack", &[row])))
}

/// A matrix of rows of blocks, by rows; `None` is a block of zeros. SciPy's `bmat` and `block_array`.
///
/// **Panics** if a block does not fit the others, or a row or column has no block ([`Error::InvalidArgument`]), or devices differ.
///
/// ```
/// let a = warpcell::sparse::eye::<f64>(2);
/// let b = warpcell::sparse::bmat(&[&[Some(&a), None], &[Some(&a), Some(&a)]]);
/// assert_eq!((b.shape(), b.nnz()), ([4, 4], 6));
/// ```
#[track_caller]
pub fn bmat<T: Float>(blocks: &[&[Option<&SparseMatrix<T>>]]) -> SparseMatrix<T> {
    let rows: Vec<Vec<Option<&RawSparse>>> =
        blocks.iter().map(|row| row.iter().map(|block| block.map(|block| &block.raw)).collect()).collect();
    SparseMatrix::from_raw(check(of_blocks("bmat", &rows)))
}

/// SciPy's newer name of [`bmat`].
///
/// **Panics** as [`bmat`] does.
#[track_caller]
pub fn block_array<T: Float>(blocks: &[&[Option<&SparseMatrix<T>>]]) -> SparseMatrix<T> {
    bmat(blocks)
}

/// Blocks along the diagonal, by rows; SciPy's `block_diag`.
///
/// **Panics** if there are none ([`Error::InvalidArgument`]), or devices differ.
///
/// ```
/// let a = warpcell::sparse::eye::<f64>(2);
/// assert_eq!(warpcell::sparse::block_diag(&[&a, &a, &a]).diagonal(0).tolist(), [1.0; 6]);
/// ```
#[track_caller]
pub fn block_diag<T: Float>(blocks: &[&SparseMatrix<T>]) -> SparseMatrix<T> {
    let count = blocks.len();
    let row = |at: usize| (0..count).map(|other| (at == other).then_some(&blocks[at].raw)).collect();
    let rows: Vec<Vec<Option<&RawSparse>>> = (0..count).map(row).collect();
    SparseMatrix::from_raw(check(of_blocks("block_diag", &rows)))
}

fn of_blocks(operation: &'static str, rows: &[Vec<Option<&RawSparse>>]) -> Result<RawSparse> {
    let width = rows.first().map_or(0, Vec::len);
    let Some(some) = rows.iter().flatten().find_map(|block| *block) else {
        return Err(Error::argument(operation, "there is no block; give at least one"));
    };
    let mut heights: Vec<Option<usize>> = vec![None; rows.len()];
    let mut widths: Vec<Option<usize>> = vec![None; width];
    for (i, row) in rows.iter().enumerate() {
        if row.len() != width {
            let reason = format!("row {i} has {} blocks, but row 0 has {width}; give as many, or `None`", row.len());
            return Err(Error::argument(operation, reason));
        }
        for (j, block) in row.iter().enumerate() {
            let Some(block) = block else { continue };
            some.data.same_device(operation, &block.data)?;
            let lengths = [(&mut heights[i], block.shape[0], "rows"), (&mut widths[j], block.shape[1], "columns")];
            for (known, length, what) in lengths {
                if *known.get_or_insert(length) != length {
                    let wanted = known.expect("it is there");
                    let reason =
                        format!("the block ({i}, {j}) has {length} {what}, but the blocks beside it have {wanted}");
                    return Err(Error::argument(operation, reason));
                }
            }
        }
    }
    let places = |lengths: &[Option<usize>], what: &str| {
        let mut place = 0;
        let mut places = Vec::with_capacity(lengths.len());
        for (at, length) in lengths.iter().enumerate() {
            let Some(length) = length else {
                return Err(Error::argument(operation, format!("all blocks of the {what} {at} are `None`; give one")));
            };
            places.push(place);
            place += length;
        }
        Ok((places, place))
    };
    let ((tops, height), (lefts, width)) = (places(&heights, "row")?, places(&widths, "column")?);
    let mut placed = Vec::new();
    for (top, row) in tops.iter().zip(rows) {
        for (left, block) in lefts.iter().zip(row) {
            if let Some(block) = block {
                placed.push(([*top, *left], (*block).clone()));
            }
        }
    }
    let coo = RawSparse::assembled(operation, &placed, [height, width], some.handle(), some.dtype())?;
    coo.to(operation, Format::Csr)
}

/// The elements on the main diagonal and below it, in the same format. SciPy's `tril`: `gpu::sparse::tril!(&a, k = 1)` has its
/// keywords.
///
/// ```
/// let a = warpcell::sparse::csr_matrix(&warpcell::ones::<f64>((3, 3)));
/// assert_eq!((warpcell::sparse::tril(&a).nnz(), warpcell::sparse::triu(&a).nnz()), (6, 6));
/// ```
#[track_caller]
pub fn tril<T: Float>(a: &SparseMatrix<T>) -> SparseMatrix<T> {
    tril_with(a, 0)
}

/// As [`tril`], on the `k`th diagonal and below it.
#[track_caller]
pub fn tril_with<T: Float>(a: &SparseMatrix<T>, k: isize) -> SparseMatrix<T> {
    SparseMatrix::from_raw(check(a.raw.kept("tril", [i64::MIN, k as i64], false)))
}

/// The elements on the main diagonal and above it, in the same format. SciPy's `triu`: `gpu::sparse::triu!(&a, k = 1)` has its
/// keywords.
#[track_caller]
pub fn triu<T: Float>(a: &SparseMatrix<T>) -> SparseMatrix<T> {
    triu_with(a, 0)
}

/// As [`triu`], on the `k`th diagonal and above it.
#[track_caller]
pub fn triu_with<T: Float>(a: &SparseMatrix<T>, k: isize) -> SparseMatrix<T> {
    SparseMatrix::from_raw(check(a.raw.kept("triu", [k as i64, i64::MAX], false)))
}

/// The rows, the columns and the values of the elements that are not 0, in the order of the rows. SciPy's `find`.
///
/// ```
/// let a = warpcell::sparse::csr_matrix(&warpcell::array(&[[0.0, 7.0], [8.0, 0.0]]));
/// let (rows, columns, values) = warpcell::sparse::find(&a);
/// assert_eq!((rows.tolist(), columns.tolist(), values.tolist()), (vec![0, 1], vec![1, 0], vec![7.0, 8.0]));
/// ```
#[track_caller]
pub fn find<T: Float>(a: &SparseMatrix<T>) -> (DeviceArray<i32>, DeviceArray<i32>, DeviceArray<T>) {
    let operation = "find";
    let found = || {
        let rows = a.raw.to(operation, Format::Csr)?.canonical(operation)?;
        rows.kept(operation, [i64::MIN, i64::MAX], true)?.to(operation, Format::Coo)
    };
    let raw = check(found());
    let copy = |array: &RawArray| DeviceArray::from_raw(check(array.copied(operation)));
    (copy(&raw.first), copy(&raw.second), DeviceArray::from_raw(raw.data))
}

/// Whether a value is a sparse matrix. SciPy's `issparse` and `isspmatrix`.
///
/// ```
/// use warpcell as gpu;
/// assert!(gpu::sparse::issparse(&gpu::sparse::eye::<f32>(2)) && !gpu::sparse::issparse(&gpu::eye::<f32>(2)));
/// ```
pub fn issparse<A: std::any::Any>(value: &A) -> bool {
    let value: &dyn std::any::Any = value;
    value.is::<SparseMatrix<f32>>() || value.is::<SparseMatrix<f64>>()
}
