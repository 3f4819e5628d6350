//! Patterns of sparse matrices: [`spy()`].

use super::super::builder::Plot;
use super::super::image::Image;
use super::imshow;
use crate::dtype::Float;
use crate::error::{Error, Result, check};
use crate::sparse::SparseMatrix;

/// The most rows and columns of a picture: of a larger matrix a cell is dark if any of its elements is not 0.
const MOST: usize = 256;

/// Shows which elements of a sparse matrix are not 0, dark on white, with row 0 at the top, as matplotlib's `spy` does. Of a large
/// matrix a cell of the picture stands for a block, which is dark if any of its elements is not 0.
///
/// **Panics** if the matrix has no rows or no columns ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// let line = gpu::sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (20, 20));
/// gpu::spy(&gpu::sparse::kronsum(&line, &line)).title("Poisson's equation").show();
/// assert_eq!(format!("{:?}", gpu::spy(&line)), "Figure: image 20×20 f64, min 0, max 1");
/// ```
#[track_caller]
pub fn spy<T: Float>(matrix: &SparseMatrix<T>) -> Plot {
    check(try_spy(matrix))
}

/// As [`spy`], but returns the error.
///
/// **Errors**: `InvalidShape` if the matrix has no rows or no columns.
///
/// ```
/// let error = warpcell::try_spy(&warpcell::sparse::SparseMatrix::<f32>::zeros((0, 4))).unwrap_err();
/// assert!(error.to_string().contains("[0, 4]"));
/// ```
pub fn try_spy<T: Float>(matrix: &SparseMatrix<T>) -> Result<Plot> {
    let operation = "spy";
    let [rows, columns] = matrix.shape();
    if rows == 0 || columns == 0 {
        return Err(Error::shape(operation, [rows, columns], "has no elements; a picture needs a row and a column"));
    }
    let block = (rows.div_ceil(MOST), columns.div_ceil(MOST));
    let marks = matrix.blocks(operation, [block.0, block.1])?;
    let values = marks.into_iter().map(f64::from).collect();
    let image = Image::of_blocks((rows, columns), block, T::DTYPE.name(), values);
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
