//! Factorisations of matrices, by the routines of `prelude/linalg/`: each is called for every matrix of a stack.

use super::matrices::{Entry, Matrices, Workspace, copy, each};
use super::numeric::Shared;
use super::{CpuBackend, origin, pool};
use num_complex::Complex;
use warpcell_base::backend::View;
use warpcell_base::backend::factorisations::{
    Factorisation, Factorisations, Fault, FaultCheck, Triangle, factorisations,
};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_linalg::faer::Par;
use warpcell_linalg::faer::reborrow::ReborrowMut;
use warpcell_linalg::{Field, Job, Routine, Shapes, WorkspaceSize, keep_lower, keep_unit_lower, keep_upper};

/// Elements of a triangle that are not worth a second thread.
const GRAIN: usize = 1 << 14;

/// Calls a generic function for the views' dtype, of floats or complex numbers.
macro_rules! for_field {
    ($dtype:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $dtype {
            // SAFETY: the invariants of `Memory`; the caller holds the queue's lock.
            DType::F32 => unsafe { $function::<f32>($($argument),*) },
            // SAFETY: as above.
            DType::C64 => unsafe { $function::<Complex<f32>>($($argument),*) },
            // SAFETY: as above.
            DType::C128 => unsafe { $function::<Complex<f64>>($($argument),*) },
            // SAFETY: as above.
            _ => unsafe { $function::<f64>($($argument),*) },
        }
    };
}

/// How the CPU does each.
macro_rules! routines {
    ($($(#[$doc:meta])* $variant:ident $routine:ident $name:literal;)*) => {
        fn routine(factorisation: Factorisation) -> (&'static str, &'static Routine) {
            match factorisation {
                $(Factorisation::$variant => ($name, &warpcell_linalg::$routine),)*
            }
        }
    };
}
factorisations!(routines);

/// The matrices of a view of three axes, or the columns of one of two.
fn stack<T>(view: &View<'_>) -> Matrices<T> {
    let mut layout = view.layout.clone();
    if layout.shape.len() == 2 {
        layout.shape.push(1);
        layout.strides.push(1);
    }
    Matrices::new(origin(view), &View { layout: &layout, ..*view })
}

impl Factorisations for CpuBackend {
    fn can_factorise(&self) -> Result<()> {
        Ok(())
    }

    fn finds_eigenvalues(&self, _rows: usize) -> bool {
        true
    }

    fn finds_least_squares(&self) -> bool {
        true
    }

    fn triangle(&self, x: View<'_>, part: Triangle, out: View<'_>) -> Result<()> {
        let guard = self.compute(|| format!("triangle {}", x.dtype));
        for_field!(x.dtype, triangles(&x, part, &out));
        guard.end()
    }

    fn lu(&self, x: View<'_>, packed: View<'_>) -> Result<Vec<usize>> {
        let mut orders = vec![0; x.layout.shape[0] * x.layout.shape[1]];
        self.run("lu", &warpcell_linalg::LU, &[x], &[packed], &mut orders, 0.0)?;
        Ok(orders)
    }

    fn factorise(
        &self,
        what: Factorisation,
        inputs: &[View<'_>],
        outputs: &[View<'_>],
        _later: Option<FaultCheck>,
    ) -> Result<Option<Fault>> {
        let (name, routine) = routine(what);
        self.run(name, routine, inputs, outputs, &mut [], 0.0)
    }

    fn least_squares(&self, inputs: [View<'_>; 2], fraction: f64, outputs: &[View<'_>]) -> Result<Option<Fault>> {
        self.run("lstsq", &warpcell_linalg::LEAST_SQUARES, &inputs, outputs, &mut [], fraction)
    }
}

impl CpuBackend {
    fn run(
        &self,
        name: &str,
        routine: &Routine,
        inputs: &[View<'_>],
        outputs: &[View<'_>],
        orders: &mut [usize],
        fraction: f64,
    ) -> Result<Option<Fault>> {
        let guard = self.compute(|| format!("{name} {}", inputs[0].dtype));
        let fault = for_field!(inputs[0].dtype, run(routine, inputs, outputs, orders, fraction))?;
        guard.end().map(|()| fault)
    }
}

/// Calls a routine for each matrix of stacks; `orders` has as many numbers for each matrix as the matrix has rows, or is empty;
/// `fraction` is for least squares.
///
/// # Safety
///
/// The views describe memory that nothing else accesses, of elements of this type; so for all functions here.
unsafe fn run<T: Entry>(
    routine: &Routine,
    inputs: &[View<'_>],
    outputs: &[View<'_>],
    orders: &mut [usize],
    fraction: f64,
) -> Result<Option<Fault>> {
    let routine = T::routine(routine);
    let (first, second) = (stack::<T>(&inputs[0]), inputs.get(1).map(stack::<T>));
    let (out, more) = (stack::<T>(&outputs[0]), [1, 2].map(|index| outputs.get(index).map(stack::<T>)));
    let shape = |matrices: Matrices<T>| (matrices.rows, matrices.columns);
    // Real results of complex matrices: the routine writes them with imaginary parts.
    let real = (outputs[0].dtype != inputs[0].dtype).then(|| stack::<<T as Field>::Part>(&outputs[0]));
    let beside = real.map_or((0, 0), |_| shape(out));
    let shapes = Shapes { inputs: [shape(first), second.map_or((0, 0), shape)], more: more.map(|out| out.map(shape)) };
    let length = orders.len() / first.count;
    let orders = Shared(orders.as_mut_ptr());
    each(first.count, routine.work(&shapes), &|index, par| {
        let WorkspaceSize { matrices: [one, two, three], rest } = routine.workspace_size(&shapes, par);
        let mut space = Workspace::new::<T>([one, two, three, beside], rest)?;
        let ([one, two, three, mut beside], rest) = space.parts::<T>();
        // SAFETY: the caller's promise; each matrix, and its part of the orders, belongs to one task.
        let job = unsafe {
            let source = first.get(index);
            Job {
                inputs: [source, second.map_or(source.get(..0, ..0), |second| second.get(index))],
                out: if real.is_some() { beside.rb_mut() } else { out.get_mut(index) },
                more: more.map(|out| out.map(|out| out.get_mut(index))),
                matrices: [one, two, three],
                order: std::slice::from_raw_parts_mut(orders.get().add(index * length), length),
                fraction,
                par,
                rest,
                together: if par == Par::Seq { &|work| work() } else { &pool::together },
                copy,
            }
        };
        let fault = routine.run(job);
        if let Some(real) = real {
            // SAFETY: the caller's promise; each column belongs to one task.
            let mut column = unsafe { real.get_mut(index) };
            (0..column.nrows()).for_each(|row| column[(row, 0)] = beside[(row, 0)].re());
        }
        Ok(fault)
    })
}

unsafe fn triangles<T: Entry>(x: &View<'_>, part: Triangle, out: &View<'_>) {
    let (x, out) = (stack::<T>(x), stack::<T>(out));
    let grain = GRAIN.div_ceil(x.rows * x.columns);
    let keep = match part {
        Triangle::Upper => keep_upper,
        Triangle::Lower => keep_lower,
        Triangle::UnitLower => keep_unit_lower,
    };
    pool::split(x.count, grain, &|range| {
        for index in range {
            // SAFETY: the caller's promise; each matrix belongs to one task.
            let (source, mut target) = unsafe { (x.get(index), out.get_mut(index)) };
            copy(source, target.rb_mut(), Par::Seq);
            keep(target);
        }
    });
}
