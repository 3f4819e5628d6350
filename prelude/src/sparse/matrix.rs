//! The type of sparse matrices: what it is made of, its parts, its conversions, and arithmetic.

// Long because: it is one type, with the documentation of all that it can do.

use super::lines::Maker;
use super::make::check_shape;
use super::raw::{Format, RawSparse};
use super::shown;
use crate::array::indices::RawIndices;
use crate::array::sides::AnyView;
use crate::array::{AnyArray, DeviceArray, IntoIndices, OnDevice, RawArray, transfer};
use crate::backend::{BinaryOperation, ReduceOperation, UnaryOperation};
use crate::device::{self, Device, Handle};
use crate::dtype::{DType, Float, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::elementwise::{binary, unary};
use crate::operations::reduce::reduce_all;
use ndarray::SliceInfoElem;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A matrix that stores the elements that are not 0 only, of `f32` or `f64`, on a device. Its [`format`](Self::format) is known at
/// run time: "csr" (by rows), "csc" (by columns) or "coo" (row, column and value of each element), as SciPy's `csr_array`,
/// `csc_array` and `coo_array`.
///
/// Matrices do not change: methods give new ones, which share what stays the same. `*` multiplies element by element, as SciPy's
/// sparse arrays do; products of matrices are [`dot`](Self::dot)'s.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::csr_matrix(&gpu::array(&[[4.0, 0.0, 1.0], [0.0, 3.0, 0.0]]));
/// assert_eq!((a.shape(), a.nnz(), a.format().name()), ([2, 3], 3, "csr"));
/// assert_eq!(a.dot(&gpu::array(&[1.0, 1.0, 2.0])).tolist(), [6.0, 3.0]);
/// assert_eq!((&a * 2.0).to_dense().get(&[0, 2]), 2.0);
/// ```
#[derive(Clone)]
pub struct SparseMatrix<T: Float> {
    pub(super) raw: RawSparse,
    element: PhantomData<T>,
}

/// What a sparse matrix can be made of. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a sparse matrix cannot be made of `{Self}`",
    label = "expected a dense matrix, a sparse matrix, or the parts of one",
    note = "give a dense matrix `&a` of f32 or f64, a sparse matrix `&m`, a shape `(rows, columns)` for one without elements, \
            `(&data, (&rows, &columns), (m, n))`, or `(&data, &indices, &indptr, (m, n))`"
)]
pub trait SparseSource<T: Float>: sealed::Source {}

/// What a sparse matrix can be multiplied by: a dense vector or matrix on the device, or a sparse matrix. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a sparse matrix cannot be multiplied by `{Self}`",
    label = "expected a dense array on the device, or a sparse matrix",
    note = "both have elements of one type, f32 or f64; convert one of them: `a.astype::<f64>()`",
    note = "for the product with a number, write `&a * 2.0`"
)]
pub trait Multiplicand<T: Float>: sealed::Right<T> {}

pub(crate) mod sealed {
    use super::{Format, RawSparse, Result};

    pub trait Source {
        fn made(self, operation: &'static str, format: Format) -> Result<RawSparse>;
    }

    pub trait Right<T> {
        type Product;
        fn product(self, operation: &'static str, left: &RawSparse) -> Result<Self::Product>;
    }
}
use sealed::{Right, Source};

impl<T: Float> Source for &DeviceArray<T> {
    fn made(self, operation: &'static str, format: Format) -> Result<RawSparse> {
        if self.ndim() != 2 {
            return Err(Error::shape(operation, self.shape(), "is not that of a matrix; `reshape` the array first"));
        }
        check_shape(operation, [self.shape()[0], self.shape()[1]])?;
        if format == Format::Csc {
            let turned = self.raw.moved(0, 1);
            return Ok(RawSparse::of_lines(format, super::lines::Lines::of_dense(operation, &turned)?, true));
        }
        RawSparse::of_lines(Format::Csr, super::lines::Lines::of_dense(operation, &self.raw)?, true)
            .to(operation, format)
    }
}
impl<T: Float> SparseSource<T> for &DeviceArray<T> {}

impl<T: Float> Source for &SparseMatrix<T> {
    fn made(self, operation: &'static str, format: Format) -> Result<RawSparse> {
        self.raw.to(operation, format)
    }
}
impl<T: Float> SparseSource<T> for &SparseMatrix<T> {}

/// Indices below a length as a new array of i32 with one axis.
fn indices(
    operation: &'static str,
    name: &str,
    indices: RawIndices,
    handle: &Handle,
    below: usize,
) -> Result<RawArray> {
    let raw = match indices {
        RawIndices::Host { shape, values } => {
            handle.may_upload(operation)?;
            if shape.len() > 1 {
                return Err(Error::shape(operation, shape, format!("of `{name}` is not that of a vector")));
            }
            RawArray::of_indices(operation, handle, &[values.len()], &values)?
        }
        RawIndices::Device(raw) => transfer::bring(operation, &AnyView::Device(&raw), handle)?,
    };
    if raw.shape().len() != 1 {
        return Err(Error::shape(operation, raw.shape(), format!("of `{name}` is not that of a vector")));
    }
    if raw.size() > 0 {
        handle.may_wait(operation)?;
        let end = |end| Ok(reduce_all(operation, end, &raw)?.integer().expect("an integer"));
        let (least, most) = (end(ReduceOperation::Min)?, end(ReduceOperation::Max)?);
        if least < 0 || most >= below as i128 {
            let wrong = if least < 0 { least } else { most };
            let reason = format!("`{name}` has {wrong}; give numbers from 0 on, below {below}");
            return Err(Error::argument(operation, reason));
        }
    }
    raw.converted(operation, DType::I32)
}

/// The values, as a new array, and where they are.
fn values<D: AnyArray>(operation: &'static str, data: &D) -> Result<RawArray> {
    let view = data.any_view();
    let handle = match &view {
        AnyView::Device(raw) => raw.handle.clone(),
        AnyView::Host(_) => device::current()?,
    };
    let raw = transfer::bring(operation, &view, &handle)?;
    if raw.shape().len() != 1 {
        return Err(Error::shape(operation, raw.shape(), "of `data` is not that of a vector"));
    }
    raw.copied(operation)
}

fn same_length(operation: &'static str, data: &RawArray, name: &str, other: &RawArray) -> Result<()> {
    if data.size() == other.size() {
        return Ok(());
    }
    let reason = format!("`data` has {} elements, but `{name}` has {}; give one for each", data.size(), other.size());
    Err(Error::argument(operation, reason))
}

impl<D: AnyArray, R: IntoIndices, C: IntoIndices> Source for (&D, (R, C), (usize, usize)) {
    fn made(self, operation: &'static str, format: Format) -> Result<RawSparse> {
        let (data, (rows, columns), (m, n)) = self;
        check_shape(operation, [m, n])?;
        let data = values(operation, data)?;
        let first = indices(operation, "row", rows.raw_indices(), &data.handle, m)?;
        let second = indices(operation, "col", columns.raw_indices(), &data.handle, n)?;
        same_length(operation, &data, "row", &first)?;
        same_length(operation, &data, "col", &second)?;
        let matrix = RawSparse { format: Format::Coo, shape: [m, n], first, second, data, canonical: false };
        matrix.to(operation, format)
    }
}
impl<T: Float, D: AnyArray<Elem = T>, R: IntoIndices, C: IntoIndices> SparseSource<T> for (&D, (R, C), (usize, usize)) {}

impl<D: AnyArray, I: IntoIndices, P: IntoIndices> Source for (&D, I, P, (usize, usize)) {
    fn made(self, operation: &'static str, format: Format) -> Result<RawSparse> {
        let (data, numbers, pointers, (m, n)) = self;
        check_shape(operation, [m, n])?;
        let data = values(operation, data)?;
        let (stored, lines, length) = match format {
            Format::Csc => (Format::Csc, n, m),
            _ => (Format::Csr, m, n),
        };
        let second = indices(operation, "indices", numbers.raw_indices(), &data.handle, length)?;
        same_length(operation, &data, "indices", &second)?;
        let first = indices(operation, "indptr", pointers.raw_indices(), &data.handle, data.size() + 1)?;
        let on_host: Vec<i32> = transfer::download_vec(&first)?;
        if on_host.len() != lines + 1 || on_host[0] != 0 || on_host[lines] as usize != data.size() {
            let reason = format!(
                "`indptr` has {} numbers, from {:?} to {:?}; give {} numbers, from 0 to {}, the number of elements",
                on_host.len(),
                on_host.first(),
                on_host.last(),
                lines + 1,
                data.size()
            );
            return Err(Error::argument(operation, reason));
        }
        if let Some(at) = on_host.windows(2).position(|pair| pair[0] > pair[1]) {
            let (one, next) = (on_host[at], on_host[at + 1]);
            let reason = format!("`indptr` falls from {one} to {next}; give numbers that do not fall");
            return Err(Error::argument(operation, reason));
        }
        RawSparse { format: stored, shape: [m, n], first, second, data, canonical: false }.to(operation, format)
    }
}
impl<T: Float, D: AnyArray<Elem = T>, I: IntoIndices, P: IntoIndices> SparseSource<T> for (&D, I, P, (usize, usize)) {}

/// A shape, and the type of the elements of a matrix without any.
impl<T: Float> Source for ((usize, usize), PhantomData<T>) {
    fn made(self, operation: &'static str, format: Format) -> Result<RawSparse> {
        let ((m, n), _) = self;
        check_shape(operation, [m, n])?;
        let handle = device::current()?;
        let maker = Maker { operation, handle: &handle };
        let lines = super::lines::Lines::empty(&maker, m, n, T::DTYPE)?;
        RawSparse::of_lines(Format::Csr, lines, true).to(operation, format)
    }
}
impl<T: Float> SparseSource<T> for ((usize, usize), PhantomData<T>) {}

impl<T: Float> Right<T> for &DeviceArray<T> {
    type Product = DeviceArray<T>;
    fn product(self, operation: &'static str, left: &RawSparse) -> Result<DeviceArray<T>> {
        left.times_dense(operation, &self.raw).map(DeviceArray::from_raw)
    }
}
impl<T: Float> Multiplicand<T> for &DeviceArray<T> {}

impl<T: Float> Right<T> for &SparseMatrix<T> {
    type Product = SparseMatrix<T>;
    fn product(self, operation: &'static str, left: &RawSparse) -> Result<SparseMatrix<T>> {
        left.times(operation, &self.raw).map(SparseMatrix::from_raw)
    }
}
impl<T: Float> Multiplicand<T> for &SparseMatrix<T> {}

fallible! {
    /// A matrix by rows, of a dense matrix, of another sparse matrix, or of its parts: `(&data, (&rows, &columns), (m, n))` adds up
    /// elements at one place, `(&data, &indices, &indptr, (m, n))` has those of row `i` at `indptr[i]..indptr[i + 1]`. Parts are arrays
    /// of the host or of the device. SciPy's `csr_matrix` and `csr_array`.
    ///
    /// **Panics** if the shape does not fit, or an index is outside of it ([`Error::InvalidShape`], [`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::csr_matrix((&[1.0, 2.0, 3.0], ([0, 0, 1], [2, 2, 0]), (2, 3)));
    /// assert_eq!(a.to_dense().to_host(), ndarray::array![[0.0, 0.0, 3.0], [3.0, 0.0, 0.0]].into_dyn());
    /// let b = gpu::sparse::csr_matrix((&[3.0, 3.0], [2, 0], [0, 1, 2], (2, 3)));
    /// assert_eq!((&a - &b).nnz(), 0);
    /// ```
    pub fn csr_matrix, try_csr_matrix<T: Float, S: SparseSource<T>>(source: S) -> Result<SparseMatrix<T>> {
        source.made("csr_matrix", Format::Csr).map(SparseMatrix::from_raw)
    }

    /// A matrix by columns; see [`csr_matrix`]. With `indptr`, `indices` are rows. SciPy's `csc_matrix` and `csc_array`.
    ///
    /// **Panics** as [`csr_matrix`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::csc_matrix((&[3.0, 4.0], [1, 0], [0, 1, 2], (2, 2)));
    /// assert_eq!(a.to_dense().to_host(), ndarray::array![[0.0, 4.0], [3.0, 0.0]].into_dyn());
    /// ```
    pub fn csc_matrix, try_csc_matrix<T: Float, S: SparseSource<T>>(source: S) -> Result<SparseMatrix<T>> {
        source.made("csc_matrix", Format::Csc).map(SparseMatrix::from_raw)
    }

    /// A matrix of elements with their rows and columns; see [`csr_matrix`]. Elements at one place stay apart until the matrix is
    /// converted, or [`sum_duplicates`](SparseMatrix::sum_duplicates). SciPy's `coo_matrix` and `coo_array`.
    ///
    /// **Panics** as [`csr_matrix`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::coo_matrix((&[1.0, 2.0], ([1, 1], [0, 0]), (2, 2)));
    /// assert_eq!((a.nnz(), a.sum_duplicates().nnz(), a.tocsr().nnz()), (2, 1, 1));
    /// ```
    pub fn coo_matrix, try_coo_matrix<T: Float, S: SparseSource<T>>(source: S) -> Result<SparseMatrix<T>> {
        source.made("coo_matrix", Format::Coo).map(SparseMatrix::from_raw)
    }
}

impl<T: Float> SparseMatrix<T> {
    pub(super) fn from_raw(raw: RawSparse) -> SparseMatrix<T> {
        debug_assert_eq!(raw.dtype(), T::DTYPE);
        SparseMatrix { raw, element: PhantomData }
    }

    /// As of the matrix without its type.
    pub(crate) fn blocks(&self, operation: &'static str, block: [usize; 2]) -> Result<Vec<i32>> {
        self.raw.blocks(operation, block)
    }

    /// A matrix without elements, by rows.
    ///
    /// **Panics** if the shape is too large ([`Error::InvalidShape`]).
    ///
    /// ```
    /// assert_eq!(warpcell::sparse::SparseMatrix::<f32>::zeros((3, 4)).nnz(), 0);
    /// ```
    #[track_caller]
    pub fn zeros(shape: (usize, usize)) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check((shape, PhantomData::<T>).made("zeros", Format::Csr)))
    }

    /// How many rows and columns there are.
    pub fn shape(&self) -> [usize; 2] {
        self.raw.shape
    }

    /// How many elements are stored, zeros and those at one place included; SciPy's `nnz`.
    pub fn nnz(&self) -> usize {
        self.raw.nnz()
    }

    /// How the matrix is stored.
    pub fn format(&self) -> Format {
        self.raw.format
    }

    /// The element type, as a value.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// Where the elements are.
    pub fn device(&self) -> Device {
        self.raw.handle().device
    }

    /// The values of the stored elements; a copy.
    ///
    /// ```
    /// let a = warpcell::sparse::eye::<f64>(3);
    /// assert_eq!((a.data().tolist(), a.indices().tolist(), a.indptr().tolist()), (vec![1.0; 3], vec![0, 1, 2], vec![0, 1, 2, 3]));
    /// ```
    #[track_caller]
    pub fn data(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(check(self.raw.data.copied("data")))
    }

    /// The column of each element of a matrix by rows, or the row of each of one by columns; a copy. A COO matrix is converted to rows.
    #[track_caller]
    pub fn indices(&self) -> DeviceArray<i32> {
        let indices = self.raw.compressed("indices").and_then(|raw| raw.second.copied("indices"));
        DeviceArray::from_raw(check(indices))
    }

    /// Where each row, or column, begins among the elements, and where the last one ends; a copy. A COO matrix is converted to rows.
    #[track_caller]
    pub fn indptr(&self) -> DeviceArray<i32> {
        let pointers = self.raw.compressed("indptr").and_then(|raw| raw.first.copied("indptr"));
        DeviceArray::from_raw(check(pointers))
    }

    /// The row and the column of each element; SciPy's `coords`.
    #[track_caller]
    pub fn coords(&self) -> (DeviceArray<i32>, DeviceArray<i32>) {
        let raw = check(self.raw.to("coords", Format::Coo));
        let copy = |array: &RawArray| DeviceArray::from_raw(check(array.copied("coords")));
        (copy(&raw.first), copy(&raw.second))
    }

    /// In a format: "csr", "csc" or "coo".
    ///
    /// **Panics** if there is no such format ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn asformat(&self, format: &str) -> SparseMatrix<T> {
        let made = Format::of("asformat", format).and_then(|format| self.raw.to("asformat", format));
        SparseMatrix::from_raw(check(made))
    }

    /// By rows.
    #[track_caller]
    pub fn tocsr(&self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.to("tocsr", Format::Csr)))
    }

    /// By columns.
    #[track_caller]
    pub fn tocsc(&self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.to("tocsc", Format::Csc)))
    }

    /// With the row and the column of each element.
    #[track_caller]
    pub fn tocoo(&self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.to("tocoo", Format::Coo)))
    }

    /// All elements, as an array on the device; SciPy's `toarray` and `todense`.
    ///
    /// **Panics** if there is not enough memory ([`Error::OutOfMemory`]).
    ///
    /// ```
    /// assert_eq!(warpcell::sparse::eye::<f64>(2).to_dense().to_host(), ndarray::array![[1.0, 0.0], [0.0, 1.0]].into_dyn());
    /// ```
    #[track_caller]
    pub fn to_dense(&self) -> DeviceArray<T> {
        DeviceArray::from_raw(check(self.raw.to_dense("to_dense")))
    }

    /// As [`to_dense`](Self::to_dense).
    #[track_caller]
    pub fn todense(&self) -> DeviceArray<T> {
        self.to_dense()
    }

    /// The bytes of the matrix in memory: of its elements and of their places.
    ///
    /// ```
    /// // Three elements of 8 bytes, their columns, and where the three rows begin and end.
    /// assert_eq!(warpcell::sparse::eye::<f64>(3).nbytes(), 3 * 8 + 3 * 4 + 4 * 4);
    /// ```
    pub fn nbytes(&self) -> usize {
        [&self.raw.data, &self.raw.first, &self.raw.second]
            .into_iter()
            .map(|part| part.size() * part.dtype.size())
            .sum()
    }

    /// SciPy's name of [`to_dense`](Self::to_dense).
    #[track_caller]
    pub fn toarray(&self) -> DeviceArray<T> {
        self.to_dense()
    }

    /// With elements of another type.
    ///
    /// ```
    /// assert_eq!(warpcell::sparse::eye::<f64>(2).astype::<f32>().dtype(), warpcell::DType::F32);
    /// ```
    #[track_caller]
    pub fn astype<U: Float>(&self) -> SparseMatrix<U> {
        SparseMatrix::from_raw(self.raw.with_data(check(self.raw.data.converted("astype", U::DTYPE))))
    }

    /// A copy on another device.
    #[track_caller]
    pub fn to_device(&self, device: Device) -> SparseMatrix<T> {
        let moved = || {
            let handle = device::open(device)?;
            let bring = |array: &RawArray| transfer::bring("to_device", &AnyView::Device(array), &handle);
            let (first, second) = (bring(&self.raw.first)?, bring(&self.raw.second)?);
            Ok(RawSparse { first, second, data: bring(&self.raw.data)?, ..self.raw.clone() })
        };
        SparseMatrix::from_raw(check(moved()))
    }

    /// The transposed matrix, which shares all elements: one by rows becomes one by columns.
    pub fn transpose(&self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(self.raw.transposed())
    }

    /// The transposed matrix; see [`transpose`](Self::transpose).
    pub fn t(&self) -> SparseMatrix<T> {
        self.transpose()
    }

    /// With the elements at one place added up, and in order.
    #[track_caller]
    pub fn sum_duplicates(&self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.canonical("sum_duplicates")))
    }

    /// With the indices of each row, or column, in ascending order; SciPy's `sorted_indices`.
    #[track_caller]
    pub fn sorted_indices(&self) -> SparseMatrix<T> {
        if self.raw.canonical || self.raw.format == Format::Coo {
            return self.clone();
        }
        let lines = check(self.raw.lines().sorted("sorted_indices"));
        SparseMatrix::from_raw(RawSparse::of_lines(self.raw.format, lines, false))
    }

    /// Without the stored elements that are 0.
    ///
    /// ```
    /// let a = warpcell::sparse::csr_matrix((&[0.0, 2.0], ([0, 1], [1, 1]), (2, 2)));
    /// assert_eq!((a.nnz(), a.eliminate_zeros().nnz(), a.count_nonzero()), (2, 1, 1));
    /// ```
    #[track_caller]
    pub fn eliminate_zeros(&self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.kept("eliminate_zeros", [i64::MIN, i64::MAX], true)))
    }

    /// How many elements are not 0.
    #[track_caller]
    pub fn count_nonzero(&self) -> usize {
        check(self.raw.canonical("count_nonzero").and_then(|raw| raw.kept("count_nonzero", [i64::MIN, i64::MAX], true)))
            .nnz()
    }

    fallible! {
        /// The product with a dense vector or matrix, which gives an array, or with a sparse matrix, which gives a sparse one; Python's
        /// `@`. Products with dense arrays are added up in the element type.
        ///
        /// **Panics** if the columns are not as many as the rows of the other one ([`Error::AxisMismatch`]), or devices differ.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let a = gpu::sparse::csr_matrix(&gpu::array(&[[0.0, 2.0], [1.0, 0.0]]));
        /// assert_eq!(a.dot(&gpu::array(&[1.0, 10.0])).tolist(), [20.0, 1.0]);
        /// assert!(gpu::array_equal(&a.dot(&a).to_dense(), &a.to_dense().matmul(&a.to_dense())));
        /// ```
        pub fn dot, try_dot<R: Multiplicand<T>>(&self, other: R) -> Result<R::Product> {
            other.product("dot", &self.raw)
        }

        /// The other name of [`dot`](Self::dot).
        ///
        /// **Panics** as [`dot`](Self::dot) does.
        pub fn matmul, try_matmul<R: Multiplicand<T>>(&self, other: R) -> Result<R::Product> {
            other.product("matmul", &self.raw)
        }

        /// A part of the matrix, as of [`DeviceArray::slice`]: `a.slice(s![1..3, ..])`. An index in place of a range gives one row, or one
        /// column, of a matrix still.
        ///
        /// **Panics** if the matrix does not have the part ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use ndarray::s;
        /// let a = warpcell::sparse::eye::<f64>(4);
        /// assert_eq!(a.slice(s![1..3, ..]).shape(), [2, 4]);
        /// assert_eq!(a.slice(s![.., ..;2]).nnz(), 2);
        /// assert_eq!(a.slice(s![-1, ..]).indices().tolist(), [3]);
        /// ```
        pub fn slice, try_slice<I: AsRef<[SliceInfoElem]>>(&self, info: I) -> Result<SparseMatrix<T>> {
            sliced(&self.raw, info.as_ref()).map(SparseMatrix::from_raw)
        }

        /// These rows, in this order; SciPy's `a[[2, 0]]`. Negative indices count from the end.
        ///
        /// **Panics** if there is no such row ([`Error::IndexOutOfRange`]).
        ///
        /// ```
        /// let a = warpcell::sparse::eye::<f64>(3);
        /// let rows = a.take_rows([2, 2]).to_dense();
        /// assert!(warpcell::array_equal(&rows, &a.to_dense().take_axis([2, 2], 0)));
        /// ```
        pub fn take_rows, try_take_rows(&self, rows: impl IntoIndices) -> Result<SparseMatrix<T>> {
            taken(&self.raw, rows.raw_indices()).map(SparseMatrix::from_raw)
        }

        /// These columns, in this order; SciPy's `a[:, [2, 0]]`. Negative indices count from the end.
        ///
        /// **Panics** if there is no such column ([`Error::IndexOutOfRange`]).
        ///
        /// ```
        /// let a = warpcell::sparse::eye::<f64>(3);
        /// assert_eq!(a.take_columns([0, -1]).shape(), [3, 2]);
        /// ```
        pub fn take_columns, try_take_columns(&self, columns: impl IntoIndices) -> Result<SparseMatrix<T>> {
            Ok(SparseMatrix::from_raw(taken(&self.raw.transposed(), columns.raw_indices())?.transposed()))
        }

        /// One element. Waits for it.
        ///
        /// **Panics** if there is no such element ([`Error::InvalidShape`]).
        ///
        /// ```
        /// let a = warpcell::sparse::eye::<f64>(3);
        /// assert_eq!((a.get(&[1, 1]), a.get(&[1, 2])), (1.0, 0.0));
        /// ```
        pub fn get, try_get(&self, index: &[usize]) -> Result<T> {
            element(&self.raw, index).map(transfer::typed_scalar)
        }
    }

    /// One row, as a matrix; SciPy's `getrow`. Negative numbers count from the end.
    ///
    /// **Panics** if there is no such row ([`Error::IndexOutOfRange`]).
    #[track_caller]
    pub fn getrow(&self, i: isize) -> SparseMatrix<T> {
        self.take_rows([i])
    }

    /// One column, as a matrix; SciPy's `getcol`. Negative numbers count from the end.
    ///
    /// **Panics** if there is no such column ([`Error::IndexOutOfRange`]).
    #[track_caller]
    pub fn getcol(&self, j: isize) -> SparseMatrix<T> {
        self.take_columns([j])
    }

    /// The sum of all elements. Waits for it.
    ///
    /// ```
    /// let a = warpcell::sparse::csr_matrix(&warpcell::array(&[[1.0, 0.0], [3.0, 4.0]]));
    /// assert_eq!((a.sum(), a.mean()), (8.0, 2.0));
    /// assert_eq!((a.sum_axis(0).tolist(), a.sum_axis(1).tolist()), (vec![4.0, 4.0], vec![1.0, 7.0]));
    /// assert_eq!(a.mean_axis(-1).tolist(), [0.5, 3.5]);
    /// ```
    #[track_caller]
    pub fn sum(&self) -> T {
        transfer::typed_scalar(check(reduce_all("sum", ReduceOperation::Sum, &self.raw.data)))
    }

    /// The sums along an axis: of the columns for 0, of the rows for 1 or -1.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    #[track_caller]
    pub fn sum_axis(&self, axis: isize) -> DeviceArray<T> {
        let sums = axis_of("sum", &self.raw, axis).and_then(|axis| self.raw.sums("sum", axis, false));
        DeviceArray::from_raw(check(sums))
    }

    /// The mean of all elements, zeros included. Waits for it.
    #[track_caller]
    pub fn mean(&self) -> T {
        let [rows, columns] = self.shape();
        T::from_f64(self.sum().to_f64() / (rows * columns) as f64)
    }

    /// The means along an axis, zeros included.
    ///
    /// **Panics** as [`sum_axis`](Self::sum_axis) does.
    #[track_caller]
    pub fn mean_axis(&self, axis: isize) -> DeviceArray<T> {
        let axis = check(axis_of("mean", &self.raw, axis));
        let sums = check(self.raw.sums("mean", axis, false));
        let count = Scalar::of_float(self.raw.shape[axis] as f64, T::DTYPE);
        DeviceArray::from_raw(check(binary("mean", BinaryOperation::Divide, &sums, count)))
    }

    /// The elements at `[i, i + k]`.
    ///
    /// ```
    /// let a = warpcell::sparse::csr_matrix(&warpcell::array(&[[1.0, 2.0], [0.0, 4.0]]));
    /// assert_eq!((a.diagonal(0).tolist(), a.diagonal(1).tolist()), (vec![1.0, 4.0], vec![2.0]));
    /// ```
    #[track_caller]
    pub fn diagonal(&self, k: isize) -> DeviceArray<T> {
        DeviceArray::from_raw(check(self.raw.diagonal("diagonal", k as i64)))
    }

    /// The sum of the diagonal. Waits for it.
    #[track_caller]
    pub fn trace(&self) -> T {
        let sum =
            self.raw.diagonal("trace", 0).and_then(|diagonal| reduce_all("trace", ReduceOperation::Sum, &diagonal));
        transfer::typed_scalar(check(sum))
    }

    /// Element by element, the larger one of both; a NaN wins. SciPy's `maximum`.
    ///
    /// **Panics** if shapes or devices differ.
    #[track_caller]
    pub fn maximum(&self, other: &SparseMatrix<T>) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.joined("maximum", &other.raw, 3)))
    }

    /// Element by element, the smaller one of both; a NaN wins. SciPy's `minimum`.
    ///
    /// **Panics** if shapes or devices differ.
    #[track_caller]
    pub fn minimum(&self, other: &SparseMatrix<T>) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.joined("minimum", &other.raw, 4)))
    }

    /// The products of elements; SciPy's `multiply`, and `&a * &b`.
    ///
    /// **Panics** if shapes or devices differ.
    #[track_caller]
    pub fn multiply(&self, other: &SparseMatrix<T>) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(self.raw.joined("multiply", &other.raw, 2)))
    }

    /// Each stored element to a power, which is larger than 0.
    ///
    /// **Panics** if it is not ([`Error::InvalidArgument`]): elements that are not stored would not stay 0.
    ///
    /// ```
    /// assert_eq!((warpcell::sparse::eye::<f64>(2) * 3.0).power(2.0).sum(), 18.0);
    /// ```
    #[track_caller]
    pub fn power(&self, exponent: T) -> SparseMatrix<T> {
        let raw = || {
            if exponent.to_f64().is_nan() || exponent.to_f64() <= 0.0 {
                let reason = format!("the exponent is {exponent:?}; give one that is larger than 0, or use `to_dense`");
                return Err(Error::argument("power", reason));
            }
            let raw = self.raw.canonical("power")?;
            Ok(raw.with_data(binary("power", BinaryOperation::Power, &raw.data, exponent.to_scalar())?))
        };
        SparseMatrix::from_raw(check(raw()))
    }

    /// Each row times a number: the matrix with the diagonal `factors`, times this one.
    ///
    /// **Panics** if there are not as many as rows ([`Error::InvalidShape`]), or devices differ.
    ///
    /// ```
    /// let a = warpcell::sparse::eye::<f64>(2).scale_rows(&warpcell::array(&[2.0, 3.0]));
    /// assert_eq!(a.diagonal(0).tolist(), [2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn scale_rows<A: OnDevice<Elem = T>>(&self, factors: &A) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(scaled(&self.raw, factors.raw())))
    }

    /// Each column times a number: this matrix, times the one with the diagonal `factors`.
    ///
    /// **Panics** if there are not as many as columns ([`Error::InvalidShape`]), or devices differ.
    #[track_caller]
    pub fn scale_columns<A: OnDevice<Elem = T>>(&self, factors: &A) -> SparseMatrix<T> {
        SparseMatrix::from_raw(check(scaled(&self.raw.transposed(), factors.raw())).transposed())
    }
}

/// Functions of each stored element that give 0 for 0.
macro_rules! elementwise {
    ($($(#[$doc:meta])* $name:ident $operation:ident;)*) => {
        impl<T: Float> SparseMatrix<T> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self) -> SparseMatrix<T> {
                let raw = check(self.raw.canonical(stringify!($name)));
                let data = check(unary(stringify!($name), UnaryOperation::$operation, &raw.data));
                SparseMatrix::from_raw(raw.with_data(data))
            }
        )*}
    };
}
elementwise! {
    /// The absolute value of each element.
    abs Abs;
    /// The square root of each element.
    sqrt Sqrt;
    /// The sine of each element.
    sin Sin;
    /// The tangent of each element.
    tan Tan;
    /// The hyperbolic tangent of each element.
    tanh Tanh;
    /// `exp(x) - 1` of each element.
    expm1 Expm1;
    /// `ln(1 + x)` of each element.
    log1p Log1p;
    /// The sign of each element.
    sign Sign;
    /// The largest integer that is not larger than each element.
    floor Floor;
    /// The smallest integer that is not smaller than each element.
    ceil Ceil;
    /// The integer part of each element.
    trunc Trunc;
}

fn axis_of(operation: &'static str, matrix: &RawSparse, axis: isize) -> Result<usize> {
    crate::array::axes::axis_of(operation, &matrix.shape, axis)
}

fn element(matrix: &RawSparse, index: &[usize]) -> Result<Scalar> {
    let operation = "get";
    let &[row, column] = index else {
        return Err(Error::shape(
            operation,
            matrix.shape,
            format!("has no element {index:?}; give a row and a column"),
        ));
    };
    if row >= matrix.shape[0] || column >= matrix.shape[1] {
        let reason = format!("has no element {index:?}; give indices below the lengths");
        return Err(Error::shape(operation, matrix.shape, reason));
    }
    let matrix = matrix.compressed(operation)?;
    let (line, at) = if matrix.format == Format::Csc { (column, row) } else { (row, column) };
    let lines = matrix.maker(operation).longs(&[line as i64])?;
    let chosen = matrix.lines().selected(operation, &lines, (at as i64, 1, 1))?;
    reduce_all(operation, ReduceOperation::Sum, &chosen.data)
}

/// The numbers along an axis that a part of a slice names: the first, the step and how many.
fn part(operation: &'static str, shape: [usize; 2], axis: usize, part: &SliceInfoElem) -> Result<(i64, i64, usize)> {
    let length = shape[axis] as isize;
    let absolute = |index: isize| if index < 0 { index + length } else { index };
    let invalid = |what: String| {
        let reason = format!("has no {what} along axis {axis}; give a range within its length, such as `s![1..3, ..]`");
        Err(Error::shape(operation, shape, reason))
    };
    match *part {
        SliceInfoElem::Index(index) => {
            let at = absolute(index);
            if at < 0 || at >= length { invalid(index.to_string()) } else { Ok((at as i64, 1, 1)) }
        }
        SliceInfoElem::Slice { start, end, step } => {
            let first = absolute(start);
            let last = end.map_or(length, absolute).max(first);
            if first < 0 || last > length || step == 0 {
                let end = end.map_or(String::new(), |end| end.to_string());
                return invalid(format!("{start}..{end};{step}"));
            }
            let count = (last - first).unsigned_abs().div_ceil(step.unsigned_abs());
            Ok((if step < 0 { last as i64 - 1 } else { first as i64 }, step as i64, count))
        }
        SliceInfoElem::NewAxis => invalid("new axis".to_owned()),
    }
}

fn sliced(matrix: &RawSparse, info: &[SliceInfoElem]) -> Result<RawSparse> {
    let operation = "slice";
    if info.len() > 2 {
        let reason = format!("has 2 axes, but the slice names {}", info.len());
        return Err(Error::shape(operation, matrix.shape, reason));
    }
    let of = |axis: usize| match info.get(axis) {
        Some(range) => part(operation, matrix.shape, axis, range),
        None => Ok((0, 1, matrix.shape[axis])),
    };
    let (rows, columns) = (of(0)?, of(1)?);
    if matrix.format == Format::Csc {
        return Ok(chosen(operation, &matrix.transposed(), columns, rows)?.transposed());
    }
    chosen(operation, matrix, rows, columns)
}

type Part = (i64, i64, usize);

fn chosen(operation: &'static str, matrix: &RawSparse, (start, step, count): Part, columns: Part) -> Result<RawSparse> {
    let numbers: Vec<i64> = (0..count as i64).map(|at| start + at * step).collect();
    matrix.selected(operation, &matrix.maker(operation).longs(&numbers)?, columns)
}

fn taken(matrix: &RawSparse, rows: RawIndices) -> Result<RawSparse> {
    let operation = "take";
    let length = matrix.shape[0];
    // Indices of the device are looked at, and made positive, by way of those of an array of all rows.
    let all = RawArray::written(operation, matrix.handle(), &[length], DType::I64, |out| {
        matrix.handle().backend.arange(Scalar::I64(0), Scalar::I64(1), out.view())
    })?;
    let numbers = crate::operations::indexing::take_axis(&all, rows, 0)?.flat(operation)?;
    matrix.selected(operation, &numbers, (0, 1, matrix.shape[1]))
}

fn scaled(matrix: &RawSparse, factors: &RawArray) -> Result<RawSparse> {
    let operation = "scale";
    matrix.data.same_device(operation, factors)?;
    if factors.shape() != [matrix.shape[0]] {
        let reason = format!("is not that of {} factors", matrix.shape[0]);
        return Err(Error::shape(operation, factors.shape(), reason));
    }
    let rows = matrix.to(operation, Format::Coo)?.first;
    let each = crate::operations::indexing::take_axis(factors, RawIndices::Device(rows), 0)?;
    let coo = matrix.to(operation, Format::Coo)?;
    let data = binary(operation, BinaryOperation::Multiply, &coo.data, &each)?;
    Ok(matrix.with_data(data))
}

/// A binary operator on values and references alike.
macro_rules! operator {
    ($trait:ident $method:ident $kind:literal) => {
        operator!(@ $trait $method $kind [SparseMatrix<T>] [SparseMatrix<T>]);
        operator!(@ $trait $method $kind [SparseMatrix<T>] [&SparseMatrix<T>]);
        operator!(@ $trait $method $kind [&SparseMatrix<T>] [SparseMatrix<T>]);
        operator!(@ $trait $method $kind [&SparseMatrix<T>] [&SparseMatrix<T>]);
    };
    (@ $trait:ident $method:ident $kind:literal [$left:ty] [$right:ty]) => {
        impl<T: Float> $trait<$right> for $left {
            type Output = SparseMatrix<T>;
            #[track_caller]
            fn $method(self, other: $right) -> SparseMatrix<T> {
                SparseMatrix::from_raw(check(self.raw.joined(stringify!($method), &other.raw, $kind)))
            }
        }
    };
}
operator!(Add add 0);
operator!(Sub sub 1);
operator!(Mul mul 2);

macro_rules! by_number {
    ($($trait:ident $method:ident $operation:ident [$matrix:ty];)*) => {$(
        impl<T: Float> $trait<T> for $matrix {
            type Output = SparseMatrix<T>;
            #[track_caller]
            fn $method(self, number: T) -> SparseMatrix<T> {
                let result = binary(stringify!($method), BinaryOperation::$operation, &self.raw.data, number.to_scalar());
                SparseMatrix::from_raw(self.raw.with_data(check(result)))
            }
        }
    )*};
}
by_number! {
    Mul mul Multiply [SparseMatrix<T>];
    Mul mul Multiply [&SparseMatrix<T>];
    Div div Divide [SparseMatrix<T>];
    Div div Divide [&SparseMatrix<T>];
}

macro_rules! number_first {
    ($($float:ty)*) => {$(
        impl Mul<SparseMatrix<$float>> for $float {
            type Output = SparseMatrix<$float>;
            #[track_caller]
            fn mul(self, matrix: SparseMatrix<$float>) -> SparseMatrix<$float> {
                &matrix * self
            }
        }
        impl Mul<&SparseMatrix<$float>> for $float {
            type Output = SparseMatrix<$float>;
            #[track_caller]
            fn mul(self, matrix: &SparseMatrix<$float>) -> SparseMatrix<$float> {
                matrix * self
            }
        }
    )*};
}
number_first!(f32 f64);

impl<T: Float> Neg for &SparseMatrix<T> {
    type Output = SparseMatrix<T>;
    #[track_caller]
    fn neg(self) -> SparseMatrix<T> {
        SparseMatrix::from_raw(self.raw.with_data(check(unary("neg", UnaryOperation::Negative, &self.raw.data))))
    }
}
impl<T: Float> Neg for SparseMatrix<T> {
    type Output = SparseMatrix<T>;
    #[track_caller]
    fn neg(self) -> SparseMatrix<T> {
        -&self
    }
}

/// The stored elements with their places, one a line, as SciPy prints them; of many the first and the last ones.
impl<T: Float> fmt::Display for SparseMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown::write_elements(&self.raw, f)
    }
}

/// The elements as [`Display`](fmt::Display) gives them, then a line with format, shape, number of elements, dtype and device. So the
/// last line of a cell shows matrices.
impl<T: Float> fmt::Debug for SparseMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown::write_described(&self.raw, f)
    }
}
