//! Balancing: rows and columns of a matrix get sizes that differ less, by exchanges and by powers of 2. Its eigenvalues stay what
//! they are, and are computed more exactly. As in James, Langou and Lowery, "On matrix balancing and eigenvector computation", 2014.

use super::{Elements, Wide};
use crate::{Float, number};
use faer::reborrow::Reborrow;
use faer::traits::math_utils::{eps, min_positive};
use std::ops::Range;

/// What was done to a matrix.
pub struct Balance {
    /// The rows, and columns, that were exchanged, in this order.
    exchanges: Vec<(usize, usize)>,
    /// By what the columns were multiplied, and the rows divided, after that.
    factors: Vec<f64>,
}

impl Balance {
    /// Makes an eigenvector of the matrix, as it was, from one of the balanced matrix; its length does not count.
    pub fn undo(&self, vector: &mut [Wide]) {
        let most = super::largest(vector);
        for (element, factor) in vector.iter_mut().zip(&self.factors) {
            *element = *element / most * factor;
        }
        for &(one, other) in self.exchanges.iter().rev() {
            vector.swap(one, other);
        }
    }
}

impl<T: Float> Elements<'_, T> {
    pub fn balance(&mut self) -> Balance {
        let n = self.size();
        let (mut inner, mut exchanges) = (0..n, Vec::new());
        // A row without other elements than that on the diagonal goes to the end, such a column to the start: they have an eigenvalue.
        while let Some(row) = inner.clone().rev().find(|&row| self.is_alone(row, &inner, true)) {
            inner.end -= 1;
            self.exchange(row, inner.end);
            exchanges.push((row, inner.end));
        }
        while let Some(column) = inner.clone().find(|&column| self.is_alone(column, &inner, false)) {
            self.exchange(column, inner.start);
            exchanges.push((column, inner.start));
            inner.start += 1;
        }
        let mut factors = vec![1.0; n];
        let mut rows = Vec::new();
        self.transpose(&mut rows);
        while self.equalise(&inner, &mut rows, &mut factors) {}
        Balance { exchanges, factors }
    }

    /// Whether the elements of a row, or of a column, are all 0 in this range, except for that on the diagonal.
    fn is_alone(&self, at: usize, inner: &Range<usize>, is_row: bool) -> bool {
        inner.clone().all(|other| {
            let element = if is_row { self.get(at, other) } else { self.get(other, at) };
            other == at || (element.re == 0.0 && element.im == 0.0)
        })
    }

    /// The parts of all rows, one row after the other.
    fn transpose(&self, rows: &mut Vec<T>) {
        let (n, parts) = (self.size(), self.parts);
        rows.resize(n * n * parts, number(0.0));
        super::by_tiles(n, |row, column| {
            for part in 0..parts {
                rows[(row * n + column) * parts + part] = self.matrix[(row * parts + part, column)];
            }
        });
    }

    /// The length of a vector of elements, and the largest part of one.
    fn sizes(parts: &[T]) -> (f64, f64) {
        let most = parts.iter().fold(0.0f64, |most, &part| most.max(part.into().abs()));
        if most == 0.0 {
            return (0.0, 0.0);
        }
        let scale = if (1e-140..1e140).contains(&most) { 1.0 } else { most };
        (scale * parts.iter().map(|&part| (part.into() / scale).powi(2)).sum::<f64>().sqrt(), most)
    }

    /// Multiplies each column by a power of 2 for which it is about as long as the row, which is divided by it; `rows` are those of the
    /// matrix. Whether one has changed.
    fn equalise(&mut self, inner: &Range<usize>, rows: &mut [T], factors: &mut [f64]) -> bool {
        let (n, parts) = (self.size(), self.parts);
        let (epsilon, least): (f64, f64) = (eps::<T>().into(), min_positive::<T>().into());
        let small = least / epsilon;
        let large = 1.0 / small;
        let mut is_changed = false;
        for at in inner.clone() {
            let of_column = self.matrix.rb().col(at).try_as_col_major().expect("a matrix by columns").as_slice();
            let of_row = &rows[at * n * parts..(at + 1) * n * parts];
            let (column, _) = Self::sizes(&of_column[inner.start * parts..inner.end * parts]);
            let (row, _) = Self::sizes(&of_row[inner.start * parts..inner.end * parts]);
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let (_, most_of_column) = Self::sizes(&of_column[..inner.end * parts]);
            let (_, most_of_row) = Self::sizes(&of_row[inner.start * parts..]);
            let mut sizes = [1.0f64, column, most_of_column, row, most_of_row];
            let step = |sizes: &mut [f64; 5], by: f64| {
                let next = [sizes[0] * by, sizes[1] * by, sizes[2] * by, sizes[3] / by, sizes[4] / by];
                let is_in_range = next.iter().all(|size| (small..large).contains(size));
                if is_in_range {
                    *sizes = next;
                }
                is_in_range
            };
            while sizes[1] < sizes[3] / 2.0 && step(&mut sizes, 2.0) {}
            while sizes[3] <= sizes[1] / 2.0 && step(&mut sizes, 0.5) {}
            let product = factors[at] * sizes[0];
            if sizes[1] + sizes[3] >= 0.95 * (column + row) || !(small..large).contains(&product) {
                continue;
            }
            let factor = sizes[0];
            factors[at] = product;
            is_changed = true;
            for column in inner.start..self.size() {
                self.multiply(at, column, 1.0 / factor);
            }
            for row in 0..inner.end {
                self.multiply(row, at, factor);
            }
            // Most matrices change in few places: what has changed is copied to the rows.
            for other in 0..n {
                for part in 0..parts {
                    rows[(at * n + other) * parts + part] = self.matrix[(at * parts + part, other)];
                    rows[(other * n + at) * parts + part] = self.matrix[(other * parts + part, at)];
                }
            }
        }
        is_changed
    }
}
