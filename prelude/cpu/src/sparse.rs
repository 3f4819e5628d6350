//! Factors of sparse matrices, by the threads of the backend.

use super::pool;
use warpcell_linalg::SparseLu;

/// The LU factors of a square matrix.
pub struct Factors(SparseLu);

impl Factors {
    /// Factorises a matrix by its columns, whose indices ascend without duplicates. None if the pattern alone makes it singular.
    ///
    /// # Panics
    ///
    /// If pointers and indices are not those of a square matrix.
    pub fn new(pointers: &[i32], indices: &[i32], values: &[f64]) -> Option<Factors> {
        let unsigned = |numbers: &[i32]| numbers.iter().map(|&number| number as u32).collect::<Vec<u32>>();
        let (pointers, indices) = (unsigned(pointers), unsigned(indices));
        pool::install(|| SparseLu::new(&pointers, &indices, values)).map(Factors)
    }

    /// Solves for columns one after another, in place; of the transposed matrix if it `transposes`.
    pub fn solve(&self, columns: &mut [f64], transposes: bool) {
        pool::install(|| self.0.solve(columns, transposes));
    }
}
