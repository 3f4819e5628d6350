//! Products and factorisations of matrices by `faer`, compiled for `f32` and `f64`; products for complex numbers too.
//!
//! `faer` is generic: what it has to compile, the crate that calls it compiles. That takes as long as the rest of the prelude, so
//! it has a crate of its own, which is built beside others and not again for the prelude's tests. [`Multiply`] has the product. A
//! [`Routine`] factorises one matrix: the CPU backend calls it for each matrix of a stack, and gives it memory and threads.

mod general;
mod lu;
mod spectra;
mod triangles;

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::{ComplexField, RealField};
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::{DivAssign, Mul, SubAssign};

pub use faer;
pub use general::EIG;
pub use lu::*;
pub use spectra::*;
pub use triangles::*;

/// What products of matrices are compiled for: the floats, and the complex numbers that have them as parts.
pub trait Multiply: ComplexField + Copy {
    /// Writes a product of matrices to `out`, or adds it.
    fn matmul(out: MatMut<'_, Self>, mode: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>, par: Par);
    /// Writes the diagonal of a product of matrices, and what is below it, to `out`.
    fn lower_matmul(out: MatMut<'_, Self>, a: MatRef<'_, Self>, b: MatRef<'_, Self>, par: Par);
}

macro_rules! multiply {
    ($($type:ty: $one:expr;)*) => {$(
        impl Multiply for $type {
            fn matmul(out: MatMut<'_, Self>, mode: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>, par: Par) {
                faer::linalg::matmul::matmul(out, mode, a, b, $one, par);
            }

            fn lower_matmul(out: MatMut<'_, Self>, a: MatRef<'_, Self>, b: MatRef<'_, Self>, par: Par) {
                let (lower, all) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
                triangular::matmul(out, lower, Accum::Replace, a, all, b, all, $one, par);
            }
        }
    )*};
}
multiply! {
    f32: 1.0;
    f64: 1.0;
    faer::c32: faer::c32::new(1.0, 0.0);
    faer::c64: faer::c64::new(1.0, 0.0);
}

/// The floats.
pub trait Float: Multiply + RealField + Into<f64> + Mul<Output = Self> + DivAssign + SubAssign {
    /// A routine, for this type.
    fn routine(routine: &Routine) -> &'static dyn Factorise<Self>;
}

impl Float for f32 {
    fn routine(routine: &Routine) -> &'static dyn Factorise<f32> {
        routine.single
    }
}

impl Float for f64 {
    fn routine(routine: &Routine) -> &'static dyn Factorise<f64> {
        routine.double
    }
}

/// A factorisation, compiled for both types.
pub struct Routine {
    single: &'static dyn Factorise<f32>,
    double: &'static dyn Factorise<f64>,
}

impl Routine {
    /// To be made in this crate, since it is compiled where it is made.
    const fn new<F: Factorise<f32> + Factorise<f64>>(factorise: &'static F) -> Routine {
        Routine { single: factorise, double: factorise }
    }
}

/// The rows and columns of a matrix.
pub type Shape = (usize, usize);

/// The shapes that decide what a routine does.
#[derive(Clone, Copy, Debug)]
pub struct Shapes {
    /// The matrix, and a second one if the routine takes one, else no rows and columns.
    pub inputs: [Shape; 2],
    /// The outputs besides the first one, if they are asked for.
    pub more: [Option<Shape>; 2],
}

/// The size of the memory that a routine works with.
pub struct WorkspaceSize {
    /// Matrices by columns, with any numbers in them at first.
    pub matrices: [Shape; 3],
    /// For `faer`.
    pub rest: StackReq,
}

/// The matrices of one call.
pub struct Job<'a, T: Float> {
    /// As in [`Shapes`]; of any strides.
    pub inputs: [MatRef<'a, T>; 2],
    /// The output; of any strides.
    pub out: MatMut<'a, T>,
    /// As in [`Shapes`]; of any strides.
    pub more: [Option<MatMut<'a, T>>; 2],
    /// As in [`WorkspaceSize`].
    pub matrices: [MatMut<'a, T>; 3],
    /// For [`LU`], the order of the rows; else empty.
    pub order: &'a mut [usize],
    /// The threads.
    pub par: Par,
    /// As in [`WorkspaceSize`].
    pub rest: &'a mut MemStack,
    /// Copies a matrix, whatever the strides are.
    pub copy: fn(MatRef<'_, T>, MatMut<'_, T>, Par),
}

/// How a matrix is factorised.
pub trait Factorise<T: Float>: Sync {
    /// The multiplications that it takes, roughly: whether several threads are worth it depends on them.
    fn work(&self, shapes: &Shapes) -> usize {
        let (rows, columns) = shapes.inputs[0];
        rows.saturating_mul(columns).saturating_mul(rows.min(columns))
    }

    /// The size of the memory that it works with.
    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize;

    /// Does it. If that is not possible, gives the number of the pivot or of the leading minor, from 1, or 0 for an iteration that
    /// comes to no end; the outputs are then undefined.
    fn run(&self, job: Job<'_, T>) -> Option<usize>;
}

/// A number that the type has, or the nearest one.
fn number<T: Float>(value: f64) -> T {
    faer::traits::math_utils::from_f64(value)
}
