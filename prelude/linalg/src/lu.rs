//! What LU with row exchanges gives: the factors, determinants, inverses, solutions of equations.

use crate::{Factorise, Field, Job, Routine, Shape, Shapes, Wide, WorkspaceSize, number};
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, inverse, solve};
use faer::perm::PermRef;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{MatMut, Par};

/// The factors: L without its diagonal of ones, and U. `order` says for each row of L·U which row of the matrix it is. Singular
/// matrices have factors, too.
pub static LU: Routine = Routine::new(&Lu);
/// Of a square matrix: the determinant, its sign (0 for a determinant of 0) and the logarithm of its absolute value, in a column.
pub static DETERMINANTS: Routine = Routine::new(&Determinants);
/// The inverse of a square matrix; a pivot of 0 is a fault.
pub static INVERSES: Routine = Routine::new(&Inverses);
/// The solution of equations, of a square matrix and a right side; a pivot of 0 is a fault.
pub static SOLVE: Routine = Routine::new(&Solve);

struct Lu;
struct Determinants;
struct Inverses;
struct Solve;

/// A matrix that was replaced by its LU factors, and its permutation.
struct Factors<'a, T> {
    packed: MatMut<'a, T>,
    order: Vec<usize>,
    back: Vec<usize>,
    /// Whether the number of exchanges is odd.
    is_odd: bool,
}

impl<'a, T: Field> Factors<'a, T> {
    fn scratch((rows, columns): Shape) -> StackReq {
        factor::lu_in_place_scratch::<usize, T>(rows, columns, Par::Seq, Default::default())
    }

    fn new(mut matrix: MatMut<'a, T>, par: Par, rest: &mut MemStack) -> Factors<'a, T> {
        let rows = matrix.nrows();
        let (mut order, mut back) = (vec![0; rows], vec![0; rows]);
        let (info, _) = factor::lu_in_place(matrix.rb_mut(), &mut order, &mut back, par, rest, Default::default());
        Factors { packed: matrix, order, back, is_odd: info.transposition_count % 2 == 1 }
    }

    fn permutation(&self) -> PermRef<'_, usize> {
        PermRef::new_checked(&self.order, &self.back, self.order.len())
    }

    /// The number of the first pivot that is 0, from 1. What is behind it on the diagonal means nothing.
    fn zero(&self) -> Option<usize> {
        let size = self.packed.nrows().min(self.packed.ncols());
        (0..size).find(|&at| self.packed[(at, at)] == number(0.0)).map(|at| at + 1)
    }
}

impl<T: Field> Factorise<T> for Lu {
    fn workspace_size(&self, shapes: &Shapes, _par: Par) -> WorkspaceSize {
        let shape = shapes.inputs[0];
        WorkspaceSize { matrices: [shape, (0, 0), (0, 0)], rest: Factors::<T>::scratch(shape) }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], out, matrices: [mut matrix, ..], order, par, rest, copy, .. } = job;
        copy(source, matrix.rb_mut(), par);
        let mut factors = Factors::new(matrix, par, rest);
        if factors.zero().is_some() {
            // `faer` divides by the pivot of 0.
            copy(source, factors.packed.rb_mut(), par);
            factors.order = singular_lu(factors.packed.rb_mut());
        }
        copy(factors.packed.rb(), out, par);
        order.copy_from_slice(&factors.order);
        None
    }
}

/// LU of a matrix with pivots that are 0, in place, column by column: below such a pivot there are zeros, and they stay. Gives the
/// order of the rows.
fn singular_lu<T: Field>(mut matrix: MatMut<'_, T>) -> Vec<usize> {
    let (m, n) = (matrix.nrows(), matrix.ncols());
    let mut order: Vec<usize> = (0..m).collect();
    for at in 0..m.min(n) {
        let size = |row: usize| matrix[(row, at)].size();
        let mut pivot = at;
        for row in at + 1..m {
            if size(row) > size(pivot) {
                pivot = row;
            }
        }
        if matrix[(pivot, at)] == number(0.0) {
            continue;
        }
        order.swap(at, pivot);
        for column in 0..n {
            let upper = matrix[(at, column)];
            matrix[(at, column)] = matrix[(pivot, column)];
            matrix[(pivot, column)] = upper;
        }
        let divisor = matrix[(at, at)];
        for row in at + 1..m {
            matrix[(row, at)] /= divisor;
        }
        for column in at + 1..n {
            let factor = matrix[(at, column)];
            for row in at + 1..m {
                let lower = matrix[(row, at)];
                matrix[(row, column)] -= lower * factor;
            }
        }
    }
    order
}

impl<T: Field> Factorise<T> for Determinants {
    fn workspace_size(&self, shapes: &Shapes, _par: Par) -> WorkspaceSize {
        let shape = shapes.inputs[0];
        WorkspaceSize { matrices: [shape, (0, 0), (0, 0)], rest: Factors::<T>::scratch(shape) }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], mut out, matrices: [mut matrix, ..], par, rest, copy, .. } = job;
        copy(source, matrix.rb_mut(), par);
        let factors = Factors::new(matrix, par, rest);
        let one = T::Wide::ONE;
        let mut product = Product { significand: if factors.is_odd { one * -1.0 } else { one }, exponent: 0.0 };
        if factors.zero().is_some() {
            product.significand = T::Wide::ZERO;
        } else {
            (0..source.nrows()).for_each(|at| product.multiply(factors.packed[(at, at)].wide()));
        }
        let logarithm = product.significand.length().ln() + product.exponent * std::f64::consts::LN_2;
        let results = [product.value(), product.significand.sign(), T::Wide::of_real(logarithm)];
        for (row, value) in results.into_iter().enumerate() {
            out[(row, 0)] = T::narrow(value);
        }
        None
    }
}

/// A product of numbers that leaves their range neither on the way nor, as a logarithm, at the end.
struct Product<N> {
    /// Its larger part is at least 1 and less than 2, if finite and not zero.
    significand: N,
    exponent: f64,
}

impl<N: Wide> Product<N> {
    fn multiply(&mut self, factor: N) {
        let (significand, exponent) = split(factor);
        // Of floats less than 4, of complex numbers less than 8.
        let (significand, carry) = split(self.significand * significand);
        self.significand = significand;
        self.exponent += exponent + carry;
    }

    fn value(&self) -> N {
        let exponent = self.exponent.clamp(-3000.0, 3000.0);
        let third = (exponent / 3.0).floor();
        self.significand * third.exp2() * third.exp2() * (exponent - 2.0 * third).exp2()
    }
}

/// A number between 1 and 2, or about these, and the power of two by which it is multiplied.
fn split<N: Wide>(value: N) -> (N, f64) {
    let size = value.largest();
    if size == 0.0 || !size.is_finite() {
        return (value, 0.0);
    }
    let exponent = size.log2().floor();
    // In two steps, as one power of two may be out of range.
    let half = (-exponent / 2.0).floor();
    (value * half.exp2() * (-exponent - half).exp2(), exponent)
}

impl<T: Field> Factorise<T> for Inverses {
    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let shape = shapes.inputs[0];
        let inverse = inverse::inverse_scratch::<usize, T>(shape.0, par);
        let rest = StackReq::any_of(&[Factors::<T>::scratch(shape), inverse]);
        WorkspaceSize { matrices: [shape, shape, (0, 0)], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, _], out, matrices, par, rest, copy, .. } = job;
        let [mut matrix, mut inverse, _] = matrices;
        copy(source, matrix.rb_mut(), par);
        let factors = Factors::new(matrix, par, rest);
        if let Some(order) = factors.zero() {
            return Some(order);
        }
        let packed = factors.packed.rb();
        inverse::inverse(inverse.rb_mut(), packed, packed, factors.permutation(), par, rest);
        copy(inverse.rb(), out, par);
        None
    }
}

impl<T: Field> Factorise<T> for Solve {
    fn work(&self, shapes: &Shapes) -> usize {
        let ([(n, _), (_, k)], cubed) = (shapes.inputs, |n: usize| n.saturating_mul(n).saturating_mul(n));
        cubed(n).saturating_add(n.saturating_mul(n).saturating_mul(k))
    }

    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let [shape, right] = shapes.inputs;
        let solve = solve::solve_in_place_scratch::<usize, T>(shape.0, right.1, par);
        let rest = StackReq::any_of(&[Factors::<T>::scratch(shape), solve]);
        WorkspaceSize { matrices: [shape, right, (0, 0)], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job { inputs: [source, right], out, matrices, par, rest, copy, .. } = job;
        let [mut matrix, mut solution, _] = matrices;
        copy(source, matrix.rb_mut(), par);
        let factors = Factors::new(matrix, par, rest);
        if let Some(order) = factors.zero() {
            return Some(order);
        }
        copy(right, solution.rb_mut(), par);
        let packed = factors.packed.rb();
        solve::solve_in_place(packed, packed, factors.permutation(), solution.rb_mut(), par, rest);
        copy(solution.rb(), out, par);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_keep_within_range() {
        let product = |factors: &[f64]| {
            let mut product = Product { significand: 1.0f64, exponent: 0.0 };
            factors.iter().for_each(|&factor| product.multiply(factor));
            (product.value(), product.exponent)
        };
        assert_eq!(product(&[2.0, -3.0]).0, -6.0);
        assert_eq!(product(&[1e300, 1e300, 1e-300, 1e-300]).0.round(), 1.0);
        assert_eq!(product(&[1e-300, 1e-300, 1e300, 1e300, 5.0]).0.round(), 5.0);
        assert_eq!(product(&[1.5, f64::MAX, 0.5]).0, f64::MAX * 0.75);
        assert_eq!(product(&[f64::MAX, 2.0]).0, f64::INFINITY);
        assert_eq!(product(&[5e-324, 0.25, 4.0]).0, 5e-324);
        assert_eq!(product(&[1e-200, 1e-200]).0, 0.0);
        assert!(product(&[1.0, f64::NAN]).0.is_nan());
        assert_eq!(product(&[1.0, f64::INFINITY]).0, f64::INFINITY);
        let many = vec![1e100; 100];
        assert!((product(&many).1 * 2f64.log10() - 1e4).abs() < 1.0);
    }

    #[test]
    fn products_of_complex_numbers_keep_within_range() {
        use faer::c64;
        let product = |factors: &[c64]| {
            let mut product = Product { significand: c64::ONE, exponent: 0.0 };
            factors.iter().for_each(|&factor| product.multiply(factor));
            product
        };
        assert_eq!(product(&[c64::new(0.0, 2.0), c64::new(1.0, -3.0)]).value(), c64::new(6.0, 2.0));
        let many = product(&vec![c64::new(0.0, 1e300); 101]);
        assert_eq!(many.significand.sign(), c64::new(0.0, 1.0));
        assert!((many.exponent * 2f64.log10() - 30300.0).abs() < 1.0 && many.value().im == f64::INFINITY);
        let back =
            product(&[c64::new(1e-200, 1e-200), c64::new(1e-200, -1e-200), c64::new(0.0, 1e300), c64::new(1e100, 0.0)]);
        assert!((back.value() - c64::new(0.0, 2.0)).norm() < 1e-14);
        assert!(product(&[c64::new(0.0, 1.0), c64::new(1.0, f64::NAN)]).value().re.is_nan());
        assert_eq!(
            (c64::new(3.0, f64::NAN).largest().is_nan(), c64::new(f64::NAN, 3.0).largest().is_nan()),
            (true, true)
        );
        assert_eq!(c64::new(f64::NEG_INFINITY, 3.0).largest(), f64::INFINITY);
    }

    #[test]
    fn singular_matrices_have_factors() {
        // The second column is twice the first, the last row the sum of the others.
        let elements = [1.0, 2.0, 0.0, 4.0, 2.0, 4.0, 1.0, 0.0, 3.0, 6.0, 1.0, 4.0];
        let mut packed = elements;
        let (rows, columns) = (3, 4);
        let order = singular_lu(MatMut::from_row_major_slice_mut(&mut packed, rows, columns));
        for row in 0..rows {
            for column in 0..columns {
                let lower = |inner: usize| match inner.cmp(&row) {
                    std::cmp::Ordering::Less => packed[row * columns + inner],
                    std::cmp::Ordering::Equal => 1.0,
                    std::cmp::Ordering::Greater => 0.0,
                };
                let upper = |inner: usize| if inner <= column { packed[inner * columns + column] } else { 0.0 };
                let product: f64 = (0..rows).map(|inner| lower(inner) * upper(inner)).sum();
                assert_eq!(product, elements[order[row] * columns + column]);
            }
        }
    }
}
