//! The LU factorisation of sparse matrices, by `faer`: columns in COLAMD's order, rows by their pivots, supernodes where they are
//! worth it.

use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut};

/// The factors of a square matrix.
pub struct SparseLu {
    factors: Lu<u32, f64>,
    rows: usize,
}

impl SparseLu {
    /// Factorises a square matrix by its columns: the indices of each ascend, without duplicates. None if the pattern alone makes it
    /// singular.
    ///
    /// # Panics
    ///
    /// If pointers and indices are not those of such a matrix, or there is not enough memory.
    pub fn new(pointers: &[u32], indices: &[u32], values: &[f64]) -> Option<SparseLu> {
        let rows = pointers.len() - 1;
        let pattern = SymbolicSparseColMatRef::new_checked(rows, rows, pointers, None, indices);
        let symbolic = SymbolicLu::try_new(pattern).expect("enough memory");
        match Lu::try_new_with_symbolic(symbolic, SparseColMatRef::new(pattern, values)) {
            Ok(factors) => Some(SparseLu { factors, rows }),
            Err(LuError::SymbolicSingular { .. }) => None,
            Err(LuError::Generic(error)) => panic!("the sparse factorisation failed: {error:?}"),
        }
    }

    /// Solves for the columns of a matrix that is stored by columns, in place; of the transposed matrix if it `transposes`.
    ///
    /// # Panics
    ///
    /// If the columns are not as long as those of the matrix.
    pub fn solve(&self, columns: &mut [f64], transposes: bool) {
        if self.rows == 0 {
            return;
        }
        let count = columns.len() / self.rows;
        let right = MatMut::from_column_major_slice_mut(columns, self.rows, count);
        if transposes {
            self.factors.solve_transpose_in_place_with_conj(Conj::No, right);
        } else {
            self.factors.solve_in_place_with_conj(Conj::No, right);
        }
    }
}
