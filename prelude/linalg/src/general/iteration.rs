//! Eigenvectors by inverse iteration, for eigenvalues that are known: of matrices for which the usual way leaves the range of the type,
//! such as large Jordan blocks. All is computed with `f64`, and scaled where it gets large.

use super::{Elements, Wide, largest};
use crate::Float;

/// Numbers beyond which a vector is scaled.
const LARGE: f64 = 1e100;

/// A matrix as `q · h · qᴴ`, where `h` is zero below the elements under its diagonal.
pub struct Hessenberg {
    n: usize,
    /// By rows.
    h: Vec<Wide>,
    /// The vectors of the reflections that `q` is the product of, each for the rows behind its own number.
    reflections: Vec<Vec<Wide>>,
    norm: f64,
}

impl Hessenberg {
    /// By Householder's reflections.
    pub fn of<T: Float>(a: &Elements<'_, T>) -> Hessenberg {
        let n = a.size();
        let mut h: Vec<Wide> = (0..n * n).map(|at| a.get(at / n, at % n)).collect();
        let norm = h.iter().fold(0.0f64, |norm, element| norm.max(element.norm()));
        let mut reflections = Vec::with_capacity(n.saturating_sub(2));
        for column in 0..n.saturating_sub(2) {
            let first = column + 1;
            let mut v: Vec<Wide> = (first..n).map(|row| h[row * n + column]).collect();
            let length = length(&v);
            let turn = if v[0].norm() == 0.0 { Wide::ONE } else { v[0] / v[0].norm() };
            if length == v[0].norm() {
                // There is nothing below.
                v.fill(Wide::ZERO);
            } else {
                v[0] += turn * length;
                let length = self::length(&v);
                v.iter_mut().for_each(|element| *element /= length);
            }
            for column in column..n {
                let sum: Wide = (first..n).map(|row| v[row - first].conj() * h[row * n + column]).sum();
                (first..n).for_each(|row| h[row * n + column] -= v[row - first] * sum * 2.0);
            }
            for row in 0..n {
                let sum: Wide = (first..n).map(|column| h[row * n + column] * v[column - first]).sum();
                (first..n).for_each(|column| h[row * n + column] -= sum * v[column - first].conj() * 2.0);
            }
            reflections.push(v);
        }
        Hessenberg { n, h, reflections, norm }
    }

    /// An eigenvector for this eigenvalue, which has errors of about `epsilon` times the matrix.
    pub fn vector(&self, value: Wide, epsilon: f64) -> Vec<Wide> {
        let upper = self.upper(value);
        let enough = 0.1 / (epsilon * self.norm.max(f64::MIN_POSITIVE) * (self.n as f64).sqrt());
        let mut best = (Vec::new(), -1.0);
        // Of a start without a part along the eigenvector nothing grows; not all of these are such.
        let starts: [fn(usize) -> f64; 3] =
            [|_| 1.0, |at| if at % 2 == 0 { 1.0 } else { -1.0 }, |at| 1.0 / (1.0 + at as f64)];
        for start in starts {
            let (vector, growth) = self.solve(&upper, start);
            if growth > best.1 {
                best = (vector, growth);
            }
            if growth >= enough {
                break;
            }
        }
        let mut vector = best.0;
        for (at, v) in self.reflections.iter().enumerate().rev() {
            let part = &mut vector[at + 1..];
            let sum: Wide = part.iter().zip(v).map(|(element, v)| v.conj() * element).sum();
            part.iter_mut().zip(v).for_each(|(element, v)| *element -= v * sum * 2.0);
        }
        vector
    }

    /// The upper factor of `h` without the eigenvalue; pivots that are next to nothing are replaced.
    fn upper(&self, value: Wide) -> Vec<Wide> {
        let n = self.n;
        let mut upper = self.h.clone();
        (0..n).for_each(|at| upper[at * n + at] -= value);
        let least = (f64::EPSILON * self.norm).max(f64::MIN_POSITIVE);
        for at in 0..n {
            let (pivot, below) = (at * n + at, (at + 1) * n + at);
            if at + 1 < n && upper[below].norm() > upper[pivot].norm() {
                (at..n).for_each(|column| upper.swap(at * n + column, (at + 1) * n + column));
            }
            if upper[pivot].norm() < least {
                upper[pivot] = least.into();
            }
            if at + 1 < n {
                let factor = upper[below] / upper[pivot];
                for column in at..n {
                    let above = upper[at * n + column];
                    upper[(at + 1) * n + column] -= above * factor;
                }
            }
        }
        upper
    }

    /// The solution for a right side, but for its length, and how much longer it is than the right side.
    fn solve(&self, upper: &[Wide], start: fn(usize) -> f64) -> (Vec<Wide>, f64) {
        let n = self.n;
        let (mut x, mut scale) = (vec![Wide::ZERO; n], 1.0);
        for row in (0..n).rev() {
            let known: Wide = (row + 1..n).map(|column| upper[row * n + column] * x[column]).sum();
            x[row] = (Wide::from(start(row) * scale) - known) / upper[row * n + row];
            let size = x[row].norm();
            if size > LARGE {
                x[row..].iter_mut().for_each(|element| *element /= size);
                scale /= size;
            }
        }
        let most = largest(&x);
        x.iter_mut().for_each(|element| *element /= most);
        (x, most / scale)
    }
}

fn length(vector: &[Wide]) -> f64 {
    let most = largest(vector);
    most * vector.iter().map(|element| (element / most).norm_sqr()).sum::<f64>().sqrt()
}
