//! Products and factorisations of matrices by `faer`, compiled for `f32`, `f64` and the complex numbers of both.
//!
//! `faer` is generic: what it has to compile, the crate that calls it compiles. That takes as long as the rest of the prelude, so
//! it has a crate of its own, which is built beside others and not again for the prelude's tests. [`Multiply`] has the product. A
//! [`Routine`] factorises one matrix: the CPU backend calls it for each matrix of a stack, and gives it memory and threads.

mod bidiagonal;
mod general;
mod lanes;
mod least_squares;
mod lu;
mod reduction;
mod rotations;
mod singular_values;
mod sparse;
mod spectra;
mod steps;
mod symmetric;
mod triangles;
mod tridiagonal;

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::{ComplexField, RealField};
use faer::{Accum, MatMut, MatRef, Par};
use reduction::Reduction;
use std::ops::{Add, DivAssign, Mul, SubAssign};

pub use faer;
pub use general::EIG;
pub use lanes::Lane;
pub use least_squares::LEAST_SQUARES;
pub use lu::*;
pub use sparse::SparseLu;
pub use spectra::*;
pub use steps::Together;
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

/// What is factorised: floats, and complex numbers.
pub trait Field: Multiply + Mul<Output = Self> + DivAssign + SubAssign {
    /// The power of two that is near the largest number, and a little less.
    const MOST_EXPONENT: u16;
    /// The type of the real and imaginary parts; of floats, the type itself.
    type Part: Float;
    /// The same numbers, of parts of 64 bits.
    type Wide: Wide;
    /// The same number.
    fn wide(self) -> Self::Wide;
    /// The nearest number of this type.
    fn narrow(wide: Self::Wide) -> Self;
    /// A routine, for this type.
    fn routine(routine: &Routine) -> &'static dyn Factorise<Self>;
    /// The real part.
    fn re(self) -> Self::Part;
    /// The number without its imaginary part.
    fn without_imaginary(self) -> Self;
    /// Makes a matrix of at least as many rows as columns bidiagonal.
    fn bidiagonalise(reduction: &mut Reduction<'_, Self>, keeps_right: bool, par: Par, stack: &mut MemStack);
    /// Makes a symmetric matrix tridiagonal, of which the lower triangle is read: the diagonal, the absolute values beside it, and what
    /// all elements were multiplied by before.
    fn tridiagonalise(
        source: MatRef<'_, Self>,
        workspace: [MatMut<'_, Self>; 2],
        together: Together<'_>,
        par: Par,
        stack: &mut MemStack,
    ) -> (Vec<f64>, Vec<f64>, f64);
    /// The size of a number by which pivots are chosen, as LAPACK does it: the sum of the absolute values of both parts.
    fn size(self) -> f64;
}

/// The floats.
pub trait Float: Field<Part = Self, Wide = f64> + RealField + Lane + Into<f64> {}
impl Float for f32 {}
impl Float for f64 {}

/// Numbers of 64 bits, or of two parts of 64 bits.
pub trait Wide: Copy + Add<Output = Self> + Mul<Output = Self> + Mul<f64, Output = Self> {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The absolute value of the number, or of its larger part.
    fn largest(self) -> f64;
    /// The absolute value.
    fn length(self) -> f64;
    /// A number of this direction and of the length 1; 0 of 0.
    fn sign(self) -> Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The number with this real part, and no other.
    fn of_real(value: f64) -> Self;
}

impl Wide for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn largest(self) -> f64 {
        self.abs()
    }

    fn length(self) -> f64 {
        self.abs()
    }

    fn sign(self) -> f64 {
        if self == 0.0 { 0.0 } else { self.signum() }
    }

    fn conjugate(self) -> f64 {
        self
    }

    fn of_real(value: f64) -> f64 {
        value
    }
}

impl Wide for faer::c64 {
    const ZERO: faer::c64 = faer::c64::new(0.0, 0.0);
    const ONE: faer::c64 = faer::c64::new(1.0, 0.0);

    fn largest(self) -> f64 {
        // The maximum of a number and NaN is the number.
        if self.re.is_nan() || self.im.is_nan() { f64::NAN } else { self.re.abs().max(self.im.abs()) }
    }

    fn length(self) -> f64 {
        self.norm()
    }

    fn sign(self) -> faer::c64 {
        if self == Self::ZERO { Self::ZERO } else { self / self.norm() }
    }

    fn conjugate(self) -> faer::c64 {
        self.conj()
    }

    fn of_real(value: f64) -> faer::c64 {
        faer::c64::new(value, 0.0)
    }
}

macro_rules! fields {
    ($($type:ty, $part:ty, $wide:ty, $routine:ident, $kind:ident,
        |$value:ident| $widened:expr, $narrowed:expr, $re:expr, $without:expr;)*) => {$(
        impl Field for $type {
            const MOST_EXPONENT: u16 = <$part>::MAX_EXP as u16 - 8;
            type Part = $part;
            type Wide = $wide;

            fn wide(self) -> $wide {
                let $value = self;
                $widened
            }

            fn narrow($value: $wide) -> $type {
                $narrowed
            }

            fn re(self) -> $part {
                let $value = self;
                $re
            }

            fn without_imaginary(self) -> $type {
                let $value = self;
                $without
            }

            fn bidiagonalise(reduction: &mut Reduction<'_, Self>, keeps_right: bool, par: Par, stack: &mut MemStack) {
                reduction::$kind(reduction, keeps_right, par, stack);
            }

            fn tridiagonalise(
                source: MatRef<'_, Self>,
                workspace: [MatMut<'_, Self>; 2],
                together: Together<'_>,
                par: Par,
                stack: &mut MemStack,
            ) -> (Vec<f64>, Vec<f64>, f64) {
                spectra::$kind(source, workspace, together, par, stack)
            }

            fn size(self) -> f64 {
                faer::traits::math_utils::abs1(&self).into()
            }

            fn routine(routine: &Routine) -> &'static dyn Factorise<$type> {
                routine.$routine.expect("this routine takes complex matrices as real ones")
            }
        }
    )*};
}
fields! {
    f32, f32, f64, single, real, |x| x.into(), x as f32, x, x;
    f64, f64, f64, double, real, |x| x, x, x, x;
    faer::c32, f32, faer::c64, complex_single, complex,
        |z| faer::c64::new(z.re.into(), z.im.into()), faer::c32::new(z.re as f32, z.im as f32), z.re, z.re.into();
    faer::c64, f64, faer::c64, complex_double, complex, |z| z, z, z.re, z.re.into();
}

/// A factorisation, compiled for all types that it takes.
pub struct Routine {
    single: Option<&'static dyn Factorise<f32>>,
    double: Option<&'static dyn Factorise<f64>>,
    complex_single: Option<&'static dyn Factorise<faer::c32>>,
    complex_double: Option<&'static dyn Factorise<faer::c64>>,
}

impl Routine {
    /// To be made in this crate, since it is compiled where it is made.
    const fn new<F>(factorise: &'static F) -> Routine
    where
        F: Factorise<f32> + Factorise<f64> + Factorise<faer::c32> + Factorise<faer::c64>,
    {
        let Routine { single, double, .. } = Routine::of_floats(factorise);
        Routine { single, double, complex_single: Some(factorise), complex_double: Some(factorise) }
    }

    /// The same, of floats only.
    const fn of_floats<F: Factorise<f32> + Factorise<f64>>(factorise: &'static F) -> Routine {
        Routine { single: Some(factorise), double: Some(factorise), complex_single: None, complex_double: None }
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

/// The matrices of one call. Where a result is real, it is of complex matrices complex, too, without imaginary parts.
pub struct Job<'a, T: Field> {
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
    /// For [`LEAST_SQUARES`], singular values up to this fraction of the largest one count as 0; else 0.
    pub fraction: f64,
    /// The threads.
    pub par: Par,
    /// As in [`WorkspaceSize`].
    pub rest: &'a mut MemStack,
    /// The same threads, for what shares work out itself.
    pub together: Together<'a>,
    /// Copies a matrix, whatever the strides are.
    pub copy: fn(MatRef<'_, T>, MatMut<'_, T>, Par),
}

/// How a matrix is factorised.
pub trait Factorise<T: Field>: Sync {
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
fn number<T: Field>(value: f64) -> T {
    faer::traits::math_utils::from_f64(value)
}
