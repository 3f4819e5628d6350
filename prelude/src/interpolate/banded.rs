//! Systems of equations whose matrix is a narrow band, on the host.

use crate::error::{Error, Result};

/// A square matrix with `below` diagonals below the main one and `above` ones above it.
pub(super) struct Banded {
    size: usize,
    below: usize,
    width: usize,
    /// Rows of `below + 1 + above + below` numbers: exchanges of rows fill as many diagonals above as there are below.
    data: Vec<f64>,
}

impl Banded {
    pub fn new(size: usize, below: usize, above: usize) -> Banded {
        let width = 2 * below + 1 + above;
        Banded { size, below, width, data: vec![0.0; size * width] }
    }

    fn place(&self, row: usize, column: usize) -> usize {
        row * self.width + column + self.below - row
    }

    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        let place = self.place(row, column);
        self.data[place] = value;
    }

    /// Solves for several columns of right sides, which become the solutions. By elimination with exchanges of rows, as LAPACK's
    /// `gbsv`.
    pub fn solve(mut self, operation: &'static str, right: &mut [f64], columns: usize) -> Result<()> {
        let size = self.size;
        for pivot in 0..size {
            let last = (pivot + self.below).min(size - 1);
            let size_at = |row: usize| self.data[self.place(row, pivot)].abs();
            let best = (pivot..=last).max_by(|&a, &b| size_at(a).total_cmp(&size_at(b))).expect("the pivot itself");
            if size_at(best) == 0.0 {
                let reason = "the points do not determine the spline: its equations are singular; give other points";
                return Err(Error::argument(operation, reason));
            }
            let end = (pivot + self.width - self.below).min(size);
            if best != pivot {
                for column in pivot..end {
                    let (one, other) = (self.place(pivot, column), self.place(best, column));
                    self.data.swap(one, other);
                }
                for column in 0..columns {
                    right.swap(pivot * columns + column, best * columns + column);
                }
            }
            let diagonal = self.data[self.place(pivot, pivot)];
            for row in pivot + 1..=last {
                let factor = self.data[self.place(row, pivot)] / diagonal;
                if factor == 0.0 {
                    continue;
                }
                for column in pivot..end {
                    let (from, to) = (self.place(pivot, column), self.place(row, column));
                    self.data[to] -= factor * self.data[from];
                }
                for column in 0..columns {
                    right[row * columns + column] -= factor * right[pivot * columns + column];
                }
            }
        }
        for row in (0..size).rev() {
            let end = (row + self.width - self.below).min(size);
            let diagonal = self.data[self.place(row, row)];
            for column in 0..columns {
                let mut sum = right[row * columns + column];
                for other in row + 1..end {
                    sum -= self.data[self.place(row, other)] * right[other * columns + column];
                }
                right[row * columns + column] = sum / diagonal;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_with_a_zero_on_its_diagonal_is_solved() {
        let rows = [[0.0, 2.0, 0.0, 0.0], [1.0, 0.0, 3.0, 0.0], [0.0, 4.0, 1.0, -1.0], [0.0, 0.0, 2.0, 5.0]];
        let mut matrix = Banded::new(4, 1, 1);
        for (at, row) in rows.iter().enumerate() {
            for (column, value) in row.iter().enumerate().filter(|(column, _)| at.abs_diff(*column) <= 1) {
                matrix.set(at, column, *value);
            }
        }
        let wanted = [1.0, -2.0, 0.5, 3.0];
        let mut right: Vec<f64> = rows.iter().map(|row| row.iter().zip(wanted).map(|(a, x)| a * x).sum()).collect();
        matrix.solve("test", &mut right, 1).unwrap();
        assert!(right.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{right:?}");
    }
}
