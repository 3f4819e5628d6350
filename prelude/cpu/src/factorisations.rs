//! Factorisations of matrices, by `faer`.

use super::matrices::{Matrices, Real, Workspace, copy, each};
use super::numeric::Shared;
use super::{CpuBackend, origin, pool};
use std::ops::Range;
use warpcell_base::backend::View;
use warpcell_base::backend::factorisations::{Factorisations, Fault, SvdOutputs, Triangle};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_linalg::faer::diag::DiagMut;
use warpcell_linalg::faer::dyn_stack::{MemStack, StackReq};
use warpcell_linalg::faer::linalg::evd::ComputeEigenvectors;
use warpcell_linalg::faer::linalg::svd::ComputeSvdVectors;
use warpcell_linalg::faer::perm::PermRef;
use warpcell_linalg::faer::reborrow::{Reborrow, ReborrowMut};
use warpcell_linalg::faer::{MatMut, MatRef, Par};

/// Elements of a triangle that are not worth a second thread.
const GRAIN: usize = 1 << 14;

/// Calls a generic function for the views' dtype, which is f32 or f64.
macro_rules! for_float {
    ($dtype:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $dtype {
            // SAFETY: the invariants of `Memory`; the caller holds the queue's lock.
            DType::F32 => unsafe { $function::<f32>($($argument),*) },
            // SAFETY: as above.
            _ => unsafe { $function::<f64>($($argument),*) },
        }
    };
}

/// The matrices of a view of three axes.
fn stack<T: Real>(view: &View<'_>) -> Matrices<T> {
    Matrices::new(origin(view), view)
}

impl Factorisations for CpuBackend {
    fn can_factorise(&self) -> Result<()> {
        Ok(())
    }

    fn triangle(&self, x: View<'_>, part: Triangle, out: View<'_>) -> Result<()> {
        let guard = self.compute(|| format!("triangle {}", x.dtype));
        for_float!(x.dtype, triangles(&x, part, &out));
        guard.end()
    }

    fn determinants(&self, x: View<'_>, out: View<'_>) -> Result<()> {
        let guard = self.compute(|| format!("det {}", x.dtype));
        for_float!(x.dtype, determinants(&x, origin(&out)))?;
        guard.end()
    }

    fn inverses(&self, x: View<'_>, out: View<'_>) -> Result<Option<Fault>> {
        let guard = self.compute(|| format!("inv {}", x.dtype));
        let fault = for_float!(x.dtype, inverses(&x, &out))?;
        guard.end().map(|()| fault)
    }

    fn solve(&self, x: View<'_>, b: View<'_>, out: View<'_>) -> Result<Option<Fault>> {
        let guard = self.compute(|| format!("solve {}", x.dtype));
        let fault = for_float!(x.dtype, solutions(&x, &b, &out))?;
        guard.end().map(|()| fault)
    }

    fn lu(&self, x: View<'_>, packed: View<'_>) -> Result<Vec<usize>> {
        let guard = self.compute(|| format!("lu {}", x.dtype));
        let order = for_float!(x.dtype, lu(&x, &packed))?;
        guard.end().map(|()| order)
    }

    fn qr(&self, x: View<'_>, q: Option<View<'_>>, r: View<'_>) -> Result<()> {
        let guard = self.compute(|| format!("qr {}", x.dtype));
        for_float!(x.dtype, qr(&x, q.as_ref(), &r))?;
        guard.end()
    }

    fn cholesky(&self, x: View<'_>, out: View<'_>) -> Result<Option<Fault>> {
        let guard = self.compute(|| format!("cholesky {}", x.dtype));
        let fault = for_float!(x.dtype, cholesky(&x, &out))?;
        guard.end().map(|()| fault)
    }

    fn eigh(&self, x: View<'_>, values: View<'_>, vectors: Option<View<'_>>) -> Result<Option<Fault>> {
        let guard = self.compute(|| format!("eigh {}", x.dtype));
        let fault = for_float!(x.dtype, eigenvalues(&x, origin(&values), vectors.as_ref()))?;
        guard.end().map(|()| fault)
    }

    fn svd(&self, x: View<'_>, values: View<'_>, vectors: Option<SvdOutputs<'_>>) -> Result<Option<Fault>> {
        let guard = self.compute(|| format!("svd {}", x.dtype));
        let fault = for_float!(x.dtype, singular_values(&x, origin(&values), vectors.as_ref()))?;
        guard.end().map(|()| fault)
    }
}

/// # Safety
///
/// The views describe memory that nothing else accesses, of elements of this type; so for all functions here.
unsafe fn triangles<T: Real>(x: &View<'_>, part: Triangle, out: &View<'_>) {
    let (x, out) = (stack::<T>(x), stack::<T>(out));
    let grain = GRAIN.div_ceil(x.rows * x.columns);
    pool::split(x.count, grain, &|range| {
        for index in range {
            // SAFETY: the caller's promise; each matrix belongs to one task.
            unsafe { triangle(x.get(index), part, out.get_mut(index), Par::Seq) };
        }
    });
}

fn triangle<T: Real>(x: MatRef<'_, T>, part: Triangle, mut out: MatMut<'_, T>, par: Par) {
    let (rows, columns) = (x.nrows(), x.ncols());
    copy(x, out.rb_mut(), par);
    for row in 0..rows {
        let outside: Range<usize> = match part {
            Triangle::Upper => 0..row.min(columns),
            Triangle::Lower | Triangle::UnitLower => (row + 1).min(columns)..columns,
        };
        outside.for_each(|column| out[(row, column)] = T::narrow(0.0));
        if part == Triangle::UnitLower && row < columns {
            out[(row, row)] = T::narrow(1.0);
        }
    }
}

/// A matrix that was replaced by its LU factors, and its permutation.
struct Factors<'a, T> {
    packed: MatMut<'a, T>,
    order: Vec<usize>,
    back: Vec<usize>,
    /// Whether the number of exchanges is odd.
    is_odd: bool,
}

impl<'a, T: Real> Factors<'a, T> {
    fn scratch(rows: usize, columns: usize) -> StackReq {
        T::lu_scratch(rows, columns)
    }

    fn new(mut matrix: MatMut<'a, T>, par: Par, rest: &mut MemStack) -> Factors<'a, T> {
        let rows = matrix.nrows();
        let (mut order, mut back) = (vec![0; rows], vec![0; rows]);
        let exchanges = T::lu(matrix.rb_mut(), &mut order, &mut back, par, rest);
        Factors { packed: matrix, order, back, is_odd: exchanges % 2 == 1 }
    }

    fn permutation(&self) -> PermRef<'_, usize> {
        PermRef::new_checked(&self.order, &self.back, self.order.len())
    }

    /// The number of the first pivot that is 0, from 1. What is behind it on the diagonal means nothing.
    fn zero(&self) -> Option<usize> {
        let size = self.packed.nrows().min(self.packed.ncols());
        (0..size).find(|&at| self.packed[(at, at)] == T::narrow(0.0)).map(|at| at + 1)
    }
}

/// A product of floats that leaves their range neither on the way nor, as a logarithm, at the end.
struct Product {
    /// At least 1 and less than 2, if finite and not zero.
    significand: f64,
    exponent: f64,
}

impl Product {
    fn multiply(&mut self, factor: f64) {
        let (significand, exponent) = split(factor);
        // Less than 4.
        let (significand, carry) = split(self.significand * significand);
        self.significand = significand;
        self.exponent += exponent + carry;
    }

    fn value(&self) -> f64 {
        let exponent = self.exponent.clamp(-3000.0, 3000.0);
        let third = (exponent / 3.0).floor();
        self.significand * third.exp2() * third.exp2() * (exponent - 2.0 * third).exp2()
    }
}

/// A number between 1 and 2, or about these, and the power of two by which it is multiplied.
fn split(value: f64) -> (f64, f64) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0.0);
    }
    let exponent = value.abs().log2().floor();
    // In two steps, as one power of two may be out of range.
    let half = (-exponent / 2.0).floor();
    (value * half.exp2() * (-exponent - half).exp2(), exponent)
}

unsafe fn determinants<T: Real>(x: &View<'_>, out: *mut u8) -> Result<()> {
    let x = stack::<T>(x);
    let (n, count, out) = (x.rows, x.count, Shared(out.cast::<T>()));
    each(count, x.work(), &|index, par| {
        let mut space = Workspace::new::<T>([(n, n)], Factors::<T>::scratch(n, n))?;
        let ([mut matrix], rest) = space.parts::<T>();
        // SAFETY: the caller's promise.
        copy(unsafe { x.get(index) }, matrix.rb_mut(), par);
        let factors = Factors::new(matrix, par, rest);
        let mut product = Product { significand: if factors.is_odd { -1.0 } else { 1.0 }, exponent: 0.0 };
        if factors.zero().is_some() {
            product.significand = 0.0;
        } else {
            (0..n).for_each(|at| product.multiply(factors.packed[(at, at)].wide()));
        }
        let sign = if product.significand == 0.0 { 0.0 } else { product.significand.signum() };
        let logarithm = product.significand.abs().ln() + product.exponent * std::f64::consts::LN_2;
        for (row, value) in [product.value(), sign, logarithm].into_iter().enumerate() {
            // SAFETY: the output has three rows; each column belongs to one task.
            unsafe { out.get().add(row * count + index).write(T::narrow(value)) };
        }
        Ok(None)
    })
    .map(|_| ())
}

unsafe fn inverses<T: Real>(x: &View<'_>, out: &View<'_>) -> Result<Option<Fault>> {
    let (x, out) = (stack::<T>(x), stack::<T>(out));
    let n = x.rows;
    each(x.count, x.work(), &|index, par| {
        let need = StackReq::any_of(&[Factors::<T>::scratch(n, n), T::inverse_scratch(n, par)]);
        let mut space = Workspace::new::<T>([(n, n), (n, n)], need)?;
        let ([mut matrix, mut inverse], rest) = space.parts::<T>();
        // SAFETY: the caller's promise.
        copy(unsafe { x.get(index) }, matrix.rb_mut(), par);
        let factors = Factors::new(matrix, par, rest);
        if let Some(order) = factors.zero() {
            return Ok(Some(order));
        }
        let packed = factors.packed.rb();
        T::inverse(inverse.rb_mut(), packed, factors.permutation(), par, rest);
        // SAFETY: the caller's promise; each matrix belongs to one task.
        copy(inverse.rb(), unsafe { out.get_mut(index) }, par);
        Ok(None)
    })
}

unsafe fn solutions<T: Real>(x: &View<'_>, b: &View<'_>, out: &View<'_>) -> Result<Option<Fault>> {
    let (x, b, out) = (stack::<T>(x), stack::<T>(b), stack::<T>(out));
    let (n, k) = (x.rows, b.columns);
    each(x.count, x.work().saturating_add(n.saturating_mul(n).saturating_mul(k)), &|index, par| {
        let solve = T::solve_scratch(n, k, par);
        let mut space = Workspace::new::<T>([(n, n), (n, k)], StackReq::any_of(&[Factors::<T>::scratch(n, n), solve]))?;
        let ([mut matrix, mut right], rest) = space.parts::<T>();
        // SAFETY: the caller's promise.
        copy(unsafe { x.get(index) }, matrix.rb_mut(), par);
        let factors = Factors::new(matrix, par, rest);
        if let Some(order) = factors.zero() {
            return Ok(Some(order));
        }
        // SAFETY: the caller's promise.
        copy(unsafe { b.get(index) }, right.rb_mut(), par);
        let packed = factors.packed.rb();
        T::solve(packed, factors.permutation(), right.rb_mut(), par, rest);
        // SAFETY: the caller's promise; each matrix belongs to one task.
        copy(right.rb(), unsafe { out.get_mut(index) }, par);
        Ok(None)
    })
}

unsafe fn lu<T: Real>(x: &View<'_>, packed: &View<'_>) -> Result<Vec<usize>> {
    let (x, packed) = (stack::<T>(x), stack::<T>(packed));
    let (m, n) = (x.rows, x.columns);
    let mut orders = vec![0; x.count * m];
    let shared = Shared(orders.as_mut_ptr());
    each(x.count, x.work(), &|index, par| {
        let mut space = Workspace::new::<T>([(m, n)], Factors::<T>::scratch(m, n))?;
        let ([mut matrix], rest) = space.parts::<T>();
        // SAFETY: the caller's promise.
        let source = unsafe { x.get(index) };
        copy(source, matrix.rb_mut(), par);
        let mut factors = Factors::new(matrix, par, rest);
        if factors.zero().is_some() {
            // `faer` divides by the pivot of 0.
            copy(source, factors.packed.rb_mut(), par);
            factors.order = singular_lu(factors.packed.rb_mut());
        }
        // SAFETY: the caller's promise; each matrix, and its part of the orders, belongs to one task.
        unsafe {
            copy(factors.packed.rb(), packed.get_mut(index), par);
            std::ptr::copy_nonoverlapping(factors.order.as_ptr(), shared.get().add(index * m), m);
        }
        Ok(None)
    })?;
    Ok(orders)
}

/// LU of a matrix with pivots that are 0, in place, column by column: below such a pivot there are zeros, and they stay. Gives the
/// order of the rows.
fn singular_lu<T: Real>(mut matrix: MatMut<'_, T>) -> Vec<usize> {
    let (m, n) = (matrix.nrows(), matrix.ncols());
    let mut order: Vec<usize> = (0..m).collect();
    for at in 0..m.min(n) {
        let size = |row: usize| matrix[(row, at)].wide().abs();
        let mut pivot = at;
        for row in at + 1..m {
            if size(row) > size(pivot) {
                pivot = row;
            }
        }
        if matrix[(pivot, at)] == T::narrow(0.0) {
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

unsafe fn qr<T: Real>(x: &View<'_>, q: Option<&View<'_>>, r: &View<'_>) -> Result<()> {
    let (x, q, r) = (stack::<T>(x), q.map(stack::<T>), stack::<T>(r));
    let (m, n) = (x.rows, x.columns);
    let size = m.min(n);
    let width = T::qr_block_size(m, n);
    let columns = q.map_or(0, |q| q.columns);
    each(x.count, x.work(), &|index, par| {
        let need = StackReq::any_of(&[T::qr_scratch(m, n, width, par), T::reflect_scratch(m, width, columns)]);
        let mut space = Workspace::new::<T>([(m, n), (width, size), (m, columns)], need)?;
        let ([mut matrix, mut blocks, mut product], rest) = space.parts::<T>();
        // SAFETY: the caller's promise.
        copy(unsafe { x.get(index) }, matrix.rb_mut(), par);
        T::qr(matrix.rb_mut(), blocks.rb_mut(), par, rest);
        // SAFETY: the caller's promise; each matrix belongs to one task.
        let out = unsafe { r.get_mut(index) };
        triangle(matrix.rb().get(..out.nrows(), ..), Triangle::Upper, out, par);
        let Some(q) = q else { return Ok(None) };
        product.fill(T::narrow(0.0));
        product.rb_mut().diagonal_mut().fill(T::narrow(1.0));
        // The last reflections first: those before them change nothing in the columns that are left out.
        for first in (0..size).step_by(width).rev() {
            let last = size.min(first + width);
            T::reflect(
                matrix.rb().get(first.., first..last),
                blocks.rb().get(..last - first, first..last),
                product.rb_mut().get_mut(first.., first..),
                par,
                rest,
            );
        }
        // SAFETY: as above.
        copy(product.rb(), unsafe { q.get_mut(index) }, par);
        Ok(None)
    })
    .map(|_| ())
}

unsafe fn cholesky<T: Real>(x: &View<'_>, out: &View<'_>) -> Result<Option<Fault>> {
    let (x, out) = (stack::<T>(x), stack::<T>(out));
    let n = x.rows;
    each(x.count, x.work(), &|index, par| {
        let need = T::cholesky_scratch(n, par);
        let mut space = Workspace::new::<T>([(n, n)], need)?;
        let ([mut matrix], rest) = space.parts::<T>();
        // SAFETY: the caller's promise.
        copy(unsafe { x.get(index) }, matrix.rb_mut(), par);
        if let Err(pivot) = T::cholesky(matrix.rb_mut(), par, rest) {
            return Ok(Some(pivot + 1));
        }
        // SAFETY: the caller's promise; each matrix belongs to one task.
        triangle(matrix.rb(), Triangle::Lower, unsafe { out.get_mut(index) }, par);
        Ok(None)
    })
}

unsafe fn eigenvalues<T: Real>(x: &View<'_>, values: *mut u8, vectors: Option<&View<'_>>) -> Result<Option<Fault>> {
    let (x, values, vectors) = (stack::<T>(x), Shared(values.cast::<T>()), vectors.map(stack::<T>));
    let n = x.rows;
    let compute = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    // They take several times as many multiplications as the others.
    each(x.count, x.work().saturating_mul(4), &|index, par| {
        let need = T::eigh_scratch(n, compute, par);
        let mut space = Workspace::new::<T>([(n, if vectors.is_some() { n } else { 0 })], need)?;
        let ([mut matrix], rest) = space.parts::<T>();
        // SAFETY: the caller's promise; each matrix, and its row of values, belongs to one task.
        let (source, row) = unsafe { (x.get(index), DiagMut::from_raw_parts_mut(values.get().add(index * n), n, 1)) };
        let columns = vectors.is_some().then_some(matrix.rb_mut());
        if T::eigh(source, row, columns, par, rest).is_err() {
            return Ok(Some(0));
        }
        if let Some(vectors) = vectors {
            // SAFETY: as above.
            copy(matrix.rb(), unsafe { vectors.get_mut(index) }, par);
        }
        Ok(None)
    })
}

unsafe fn singular_values<T: Real>(
    x: &View<'_>,
    values: *mut u8,
    vectors: Option<&SvdOutputs<'_>>,
) -> Result<Option<Fault>> {
    let (x, values) = (stack::<T>(x), Shared(values.cast::<T>()));
    let vectors = vectors.map(|vectors| (stack::<T>(&vectors.u), stack::<T>(&vectors.vh).transposed()));
    let (m, n) = (x.rows, x.columns);
    let size = m.min(n);
    let compute = match vectors {
        None => ComputeSvdVectors::No,
        Some((u, v)) if u.columns == m && v.columns == n => ComputeSvdVectors::Full,
        Some(_) => ComputeSvdVectors::Thin,
    };
    let columns = vectors.map_or(0, |(u, _)| u.columns);
    each(x.count, x.work().saturating_mul(8), &|index, par| {
        let need = T::svd_scratch(m, n, compute, par);
        let mut space = Workspace::new::<T>([(m, columns)], need)?;
        let ([mut left], rest) = space.parts::<T>();
        // SAFETY: the caller's promise; each matrix, and its row of values, belongs to one task.
        let (source, row) =
            unsafe { (x.get(index), DiagMut::from_raw_parts_mut(values.get().add(index * size), size, 1)) };
        // SAFETY: as above. By columns it is the matrix that is asked for by rows.
        let right = vectors.map(|(_, v)| unsafe { v.get_mut(index) });
        let u = vectors.is_some().then_some(left.rb_mut());
        if T::svd(source, row, u, right, par, rest).is_err() {
            return Ok(Some(0));
        }
        if let Some((u, _)) = vectors {
            // SAFETY: as above.
            copy(left.rb(), unsafe { u.get_mut(index) }, par);
        }
        Ok(None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_keep_within_range() {
        let product = |factors: &[f64]| {
            let mut product = Product { significand: 1.0, exponent: 0.0 };
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
