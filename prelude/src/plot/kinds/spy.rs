//! Patterns of sparse matrices: [`spy()`].

use super::super::builder::Plot;
use super::super::image::Image;
use super::imshow;
use crate::array::DeviceArray;
use crate::dtype::{DType, Element, Float};
use crate::error::{Error, Result, check};
use crate::sparse::{SparseMatrix, try_csr_matrix};

/// The most rows and columns of a picture: of a larger matrix a cell is dark if any of its elements is not 0.
const MOST: usize = 256;

/// What has a pattern: a sparse matrix, or a dense one. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a matrix",
    label = "expected `&m` of a sparse matrix, or of a `DeviceArray`"
)]
pub trait Pattern: sealed::Matrix {}

mod sealed {
    use super::Result;

    /// The lengths of a matrix, the name of its type, and marks for blocks with an element that is not 0.
    pub struct Marks {
        pub shape: [usize; 2],
        pub dtype: &'static str,
        pub block: (usize, usize),
        pub values: Vec<f64>,
    }
    pub trait Matrix {
        fn marks(&self, operation: &'static str) -> Result<Marks>;
    }
}
use sealed::{Marks, Matrix};

impl<T: Float> Matrix for SparseMatrix<T> {
    fn marks(&self, operation: &'static str) -> Result<Marks> {
        let shape = self.shape();
        let [rows, columns] = shape;
        if rows == 0 || columns == 0 {
            return Err(Error::shape(operation, shape, "has no elements; a picture needs a row and a column"));
        }
        let block = (rows.div_ceil(MOST), columns.div_ceil(MOST));
        let marks = self.blocks(operation, [block.0, block.1])?;
        Ok(Marks { shape, dtype: T::DTYPE.name(), block, values: marks.into_iter().map(f64::from).collect() })
    }
}
impl<T: Element> Matrix for DeviceArray<T> {
    fn marks(&self, operation: &'static str) -> Result<Marks> {
        if self.ndim() != 2 {
            return Err(Error::shape(operation, self.shape(), "is not that of a matrix; give an array with two axes"));
        }
        let pattern =
            DeviceArray::<f32>::from_raw(self.raw.converted(operation, DType::Bool)?.converted(operation, DType::F32)?);
        Ok(Marks { dtype: T::DTYPE.name(), ..try_csr_matrix(&pattern)?.marks(operation)? })
    }
}
impl<M: Matrix + ?Sized> Matrix for &M {
    fn marks(&self, operation: &'static str) -> Result<Marks> {
        (**self).marks(operation)
    }
}
impl<M: Matrix + ?Sized> Pattern for M {}

/// Shows which elements of a matrix, sparse or dense, are not 0, dark on white, with row 0 at the top, as matplotlib's `spy` does. Of a large
/// matrix a cell of the picture stands for a block, which is dark if any of its elements is not 0.
///
/// **Panics** if the matrix has no rows or no columns, or a dense one has not two axes ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// let line = gpu::sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (20, 20));
/// gpu::spy(&gpu::sparse::kronsum(&line, &line)).title("Poisson's equation").show();
/// assert_eq!(format!("{:?}", gpu::spy(&line)), "Figure: image 20×20 f64, min 0, max 1");
/// assert_eq!(format!("{:?}", gpu::spy(&line.to_dense())), "Figure: image 20×20 f64, min 0, max 1");
/// ```
#[track_caller]
pub fn spy<M: Pattern + ?Sized>(matrix: &M) -> Plot {
    check(try_spy(matrix))
}

/// As [`spy`], but returns the error.
///
/// **Errors**: `InvalidShape` if the matrix has no rows or no columns, or a dense one has not two axes.
///
/// ```
/// let error = warpcell::try_spy(&warpcell::sparse::SparseMatrix::<f32>::zeros((0, 4))).unwrap_err();
/// assert!(error.to_string().contains("[0, 4]"));
/// ```
pub fn try_spy<M: Pattern + ?Sized>(matrix: &M) -> Result<Plot> {
    let Marks { shape: [rows, columns], dtype, block, values } = matrix.marks("spy")?;
    let image = Image::of_blocks((rows, columns), block, dtype, values);
    Ok(imshow::of_image(image).cmap("gray_r").colorbar(false).limits(0.0, 1.0))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::sparse;

    pub fn hard_to_draw() -> Vec<Plot> {
        let nothing = SparseMatrix::<f64>::zeros((3, 1));
        vec![spy(&nothing), spy(&sparse::eye::<f32>(1)), spy(&sparse::eye_with::<f64>(2000, 3, 1, "csc"))]
    }

    #[test]
    fn large_matrices_are_shown_by_blocks() {
        let matrix = sparse::csr_matrix((&[1.0, 0.0], ([999, 0], [3, 0]), (1000, 4)));
        let marks = matrix.blocks("spy", [4, 1]).unwrap();
        assert_eq!(marks.len(), 1000);
        let dark: Vec<usize> = (0..marks.len()).filter(|&at| marks[at] == 1).collect();
        assert_eq!(dark, [999]);
    }
}
