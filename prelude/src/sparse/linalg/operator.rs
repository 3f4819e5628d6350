//! What solvers multiply vectors by: sparse matrices, dense ones, and functions.

use super::super::matrix::SparseMatrix;
use super::super::raw::{Format, RawSparse};
use crate::array::{DeviceArray, RawArray};
use crate::dtype::Float;
use crate::error::{Error, Result};
use crate::operations::products::multiply;
use std::fmt;
use std::rc::Rc;

/// A linear map that solvers multiply by: a [`SparseMatrix`], a dense matrix, or a [`LinearOperator`]. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a linear operator",
    label = "expected a sparse matrix, a dense matrix, or a `LinearOperator`",
    note = "wrap a function: `gpu::sparse::linalg::LinearOperator::new((n, n), move |x| a.dot(x))`"
)]
pub trait Operator<T: Float>: sealed::Apply {}

/// Multiplies vectors.
pub type Product<'a> = Box<dyn Fn(&RawArray) -> Result<RawArray> + 'a>;

/// A map that is ready to multiply many vectors.
pub struct Ready<'a> {
    /// Its rows and columns.
    pub shape: [usize; 2],
    /// The product with a vector.
    pub product: Product<'a>,
}

pub(crate) mod sealed {
    use super::{Ready, Result};

    pub trait Apply {
        /// The product with vectors.
        fn ready(&self, operation: &'static str) -> Result<Ready<'_>>;
        /// That of the transposed map.
        fn transposed(&self, operation: &'static str) -> Result<Ready<'_>>;
    }
}
pub(super) use sealed::Apply;

fn of_sparse(operation: &'static str, matrix: &RawSparse) -> Result<Ready<'static>> {
    let matrix = matrix.to(operation, Format::Csr)?;
    Ok(Ready { shape: matrix.shape, product: Box::new(move |x| matrix.times_dense(operation, x)) })
}

impl<T: Float> Apply for SparseMatrix<T> {
    fn ready(&self, operation: &'static str) -> Result<Ready<'_>> {
        of_sparse(operation, &self.raw)
    }

    fn transposed(&self, operation: &'static str) -> Result<Ready<'_>> {
        of_sparse(operation, &self.raw.transposed())
    }
}
impl<T: Float> Operator<T> for SparseMatrix<T> {}

fn of_dense(operation: &'static str, matrix: RawArray) -> Result<Ready<'static>> {
    match matrix.shape() {
        &[rows, columns] => {
            Ok(Ready { shape: [rows, columns], product: Box::new(move |x| multiply(operation, &matrix, x)) })
        }
        shape => Err(Error::shape(operation, shape, "is not that of a matrix")),
    }
}

impl<T: Float> Apply for DeviceArray<T> {
    fn ready(&self, operation: &'static str) -> Result<Ready<'_>> {
        of_dense(operation, (*self.raw).clone())
    }

    fn transposed(&self, operation: &'static str) -> Result<Ready<'_>> {
        match self.ndim() {
            2 => of_dense(operation, self.raw.moved(0, 1)),
            _ => of_dense(operation, (*self.raw).clone()),
        }
    }
}
impl<T: Float> Operator<T> for DeviceArray<T> {}

/// A function from vectors to vectors.
type Function<T> = Rc<dyn Fn(&DeviceArray<T>) -> DeviceArray<T>>;

/// A linear map that is a function of vectors, for solvers. SciPy's `LinearOperator`.
///
/// ```
/// use warpcell as gpu;
/// use gpu::sparse::linalg::{LinearOperator, cg};
/// // Differences of neighbours, without a matrix.
/// let second = LinearOperator::new((5, 5), |x: &gpu::DeviceArray<f64>| {
///     let line = gpu::sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (5, 5));
///     line.dot(x)
/// });
/// let (x, info) = cg(&second, &gpu::ones::<f64>(5));
/// assert!(info == 0 && gpu::allclose(&second.matvec(&x), &gpu::ones::<f64>(5)));
/// ```
#[derive(Clone)]
pub struct LinearOperator<T: Float> {
    shape: (usize, usize),
    product: Function<T>,
    transposed: Option<Function<T>>,
}

impl<T: Float> LinearOperator<T> {
    /// The map of a function, with as many rows as its results have elements, and as many columns as its vectors.
    pub fn new(
        shape: (usize, usize),
        matvec: impl Fn(&DeviceArray<T>) -> DeviceArray<T> + 'static,
    ) -> LinearOperator<T> {
        LinearOperator { shape, product: Rc::new(matvec), transposed: None }
    }

    /// With the function of the transposed map, which `lsqr`, `lsmr` and `svds` need.
    pub fn with_rmatvec(self, rmatvec: impl Fn(&DeviceArray<T>) -> DeviceArray<T> + 'static) -> LinearOperator<T> {
        LinearOperator { transposed: Some(Rc::new(rmatvec)), ..self }
    }

    /// How many rows and columns there are.
    pub fn shape(&self) -> [usize; 2] {
        [self.shape.0, self.shape.1]
    }

    /// The product with a vector.
    #[track_caller]
    pub fn matvec(&self, x: &DeviceArray<T>) -> DeviceArray<T> {
        (self.product)(x)
    }

    /// The product of the transposed map with a vector.
    ///
    /// **Panics** if there is no function for it; see [`with_rmatvec`](Self::with_rmatvec).
    #[track_caller]
    pub fn rmatvec(&self, x: &DeviceArray<T>) -> DeviceArray<T> {
        (crate::error::check(self.back("rmatvec")))(x)
    }

    fn back(&self, operation: &'static str) -> Result<&Function<T>> {
        let reason = "the operator has no function for the transposed product; add one: `.with_rmatvec(|x| …)`";
        self.transposed.as_ref().ok_or_else(|| Error::argument(operation, reason))
    }
}

impl<T: Float> fmt::Debug for LinearOperator<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "linear operator, shape ({}, {}), dtype {}", self.shape.0, self.shape.1, T::DTYPE)
    }
}

fn of_function<'a, T: Float>(operation: &'static str, shape: [usize; 2], function: &'a Function<T>) -> Ready<'a> {
    let product = move |x: &RawArray| {
        let found = function(&DeviceArray::from_raw(x.clone()));
        if found.shape() != [shape[0]] {
            let reason = format!("of a product of the operator is not that of its rows, [{}]", shape[0]);
            return Err(Error::shape(operation, found.shape(), reason));
        }
        Ok(found.raw.into_inner())
    };
    Ready { shape, product: Box::new(product) }
}

impl<T: Float> Apply for LinearOperator<T> {
    fn ready(&self, operation: &'static str) -> Result<Ready<'_>> {
        Ok(of_function(operation, self.shape(), &self.product))
    }

    fn transposed(&self, operation: &'static str) -> Result<Ready<'_>> {
        Ok(of_function(operation, [self.shape.1, self.shape.0], self.back(operation)?))
    }
}
impl<T: Float> Operator<T> for LinearOperator<T> {}

/// A matrix as a [`LinearOperator`]. SciPy's `aslinearoperator`.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::linalg::aslinearoperator(&gpu::sparse::eye::<f64>(3));
/// assert_eq!(a.rmatvec(&gpu::array(&[1.0, 2.0, 3.0])).tolist(), [1.0, 2.0, 3.0]);
/// ```
pub fn aslinearoperator<T: Float>(a: &SparseMatrix<T>) -> LinearOperator<T> {
    let (forward, back) = (a.clone(), a.transpose());
    let [rows, columns] = a.shape();
    LinearOperator::new((rows, columns), move |x| forward.dot(x)).with_rmatvec(move |x| back.dot(x))
}
