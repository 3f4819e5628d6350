//! Arrays as stacks of matrices: their last two axes are matrices, those before them count.

use crate::array::{RawArray, transfer};
use crate::backend::factorisations::{Factorisation, Factorisations, Fault, FaultCheck};
use crate::backend::{Layout, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::unary;
use crate::operations::indexing::Call;
use crate::operations::reduce::{reduce, reduce_all};

/// A stack of matrices: an array of three axes, and the axes that its first one stands for.
pub(crate) struct Stack {
    pub raw: RawArray,
    pub leading: Vec<usize>,
}

impl Stack {
    /// Of an array of two axes or more.
    pub fn new(operation: &'static str, raw: &RawArray) -> Result<Stack> {
        // Most results tell whether there is one; those that do not wait on one backend do on another.
        raw.handle.may_wait(operation)?;
        let Layout { shape, strides, offset } = &raw.layout;
        let Some((leading, &[rows, columns])) = shape.split_last_chunk() else {
            let reason = "has fewer than two axes, but a matrix has two; use `reshape` or `expand_dims` first";
            return Err(Error::shape(operation, shape.clone(), reason));
        };
        let three = match leading {
            [_] => raw.clone(),
            [] => {
                let (shape, strides) = (vec![1, rows, columns], [&[0], strides.as_slice()].concat());
                raw.with_layout(Layout { shape, strides, offset: *offset })
            }
            _ => {
                let raw = raw.contiguous(operation)?;
                let count = leading.iter().product();
                let offset = raw.layout.offset;
                raw.with_layout(Layout { offset, ..Layout::contiguous(&[count, rows, columns]) })
            }
        };
        Ok(Stack { raw: three, leading: leading.to_vec() })
    }

    /// The same, if the matrices are square.
    pub fn square(operation: &'static str, raw: &RawArray) -> Result<Stack> {
        let stack = Stack::new(operation, raw)?;
        if stack.rows() == stack.columns() {
            return Ok(stack);
        }
        let reason = "is not the shape of a square matrix, where the last two lengths are equal; slice it, or use \
                     `lstsq`, `pinv`, `qr` or `svd`, which take any matrix";
        Err(Error::shape(operation, raw.shape(), reason))
    }

    /// The same, of one matrix.
    pub fn single(operation: &'static str, raw: &RawArray, instead: &'static str) -> Result<Stack> {
        if raw.shape().len() > 2 {
            let reason = format!("is the shape of several matrices, but this function takes only one; use `{instead}`");
            return Err(Error::shape(operation, raw.shape(), reason));
        }
        Stack::new(operation, raw)
    }

    pub fn count(&self) -> usize {
        self.raw.shape()[0]
    }

    pub fn rows(&self) -> usize {
        self.raw.shape()[1]
    }

    pub fn columns(&self) -> usize {
        self.raw.shape()[2]
    }

    /// Whether there is nothing to factorise.
    pub fn is_empty(&self) -> bool {
        self.raw.size() == 0
    }

    /// What factorises the matrices, or the error for what is missing.
    pub fn backend(&self) -> Result<&dyn Factorisations> {
        let backend = self.raw.handle.backend.factorisations();
        backend.can_factorise().map(|()| backend)
    }

    /// A new array with something of these lengths for each matrix.
    pub fn output(&self, operation: &'static str, lengths: &[usize]) -> Result<RawArray> {
        self.output_of(self.raw.dtype, operation, lengths)
    }

    /// The same, of real numbers if the matrices are complex.
    pub fn real_output(&self, operation: &'static str, lengths: &[usize]) -> Result<RawArray> {
        self.output_of(self.raw.dtype.part(), operation, lengths)
    }

    fn output_of(&self, dtype: DType, operation: &'static str, lengths: &[usize]) -> Result<RawArray> {
        let shape = [&[self.count()], lengths].concat();
        RawArray::uninitialised(operation, &self.raw.handle, &shape, dtype)
    }

    /// An output with the axes that count, in place of the one that they are for the backend.
    pub fn unstacked(&self, output: &RawArray) -> RawArray {
        let shape = [self.leading.as_slice(), &output.shape()[1..]].concat();
        output.with_layout(Layout::contiguous(&shape))
    }

    /// Has the backend do `work`, and gives the error of a matrix that could not be factorised. With the place of the call, a backend that
    /// can report it later does; else elements that must be finite are looked at before.
    pub fn factorise(
        &self,
        what: Factorisation,
        operation: &'static str,
        call: Call,
        work: impl FnOnce(&dyn Factorisations, Option<FaultCheck>) -> Result<Option<Fault>>,
    ) -> Result<()> {
        let later = self.later(what, operation, call);
        if what == Factorisation::Eigh && later.is_none() {
            self.finite(operation)?;
        }
        let fault = work(self.backend()?, later)?;
        self.sound(what, operation, fault)
    }

    /// What a backend that reports faults later is to say, if the call need not wait for them.
    fn later(&self, what: Factorisation, operation: &'static str, call: Call) -> Option<FaultCheck> {
        let is_stack = !self.leading.is_empty();
        let check = call.map(|location| FaultCheck { what, operation, is_stack, location });
        check.filter(|_| self.raw.handle.backend.factorisations().reports_later())
    }

    /// The error of a matrix that could not be factorised, if there is one.
    pub fn sound(&self, what: Factorisation, operation: &'static str, fault: Option<Fault>) -> Result<()> {
        fault.map_or(Ok(()), |fault| Err(what.error(operation, !self.leading.is_empty(), fault)))
    }

    /// The error of elements for which no iteration comes to an end, if there are some. Waits.
    pub fn finite(&self, operation: &'static str) -> Result<()> {
        // Of complex numbers both parts are looked at.
        let numbers = if self.raw.dtype.is_complex() { &self.raw.parts() } else { &self.raw };
        let finite = unary(operation, UnaryOperation::IsFinite, numbers)?;
        match reduce_all(operation, ReduceOperation::All, &finite)? {
            Scalar::Bool(true) => Ok(()),
            _ => Err(Error::NotFinite { operation }),
        }
    }
}

/// Fills new matrices with the identity.
pub(super) fn fill_identity(out: &RawArray) -> Result<()> {
    let &[count, rows, columns] = out.shape() else { unreachable!("outputs have three axes") };
    if out.size() == 0 {
        return Ok(());
    }
    out.handle.backend.fill(Scalar::zero(out.dtype), out.view())?;
    let strides = vec![(rows * columns) as isize, columns as isize + 1];
    let diagonal = out.with_layout(Layout { shape: vec![count, rows.min(columns)], strides, offset: 0 });
    out.handle.backend.fill(Scalar::one(out.dtype), diagonal.view())
}

/// The elements as f64, in row-major order; waits.
pub(super) fn numbers(raw: &RawArray) -> Result<Vec<f64>> {
    match raw.dtype {
        DType::F32 => Ok(transfer::download_vec::<f32>(raw)?.into_iter().map(f64::from).collect()),
        _ => transfer::download_vec::<f64>(raw),
    }
}

/// The distance from 1 to the next number of a float type, or of the parts of a complex one.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    if dtype.part() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// A vector as a matrix of one column; a view.
pub(super) fn column(raw: &RawArray) -> RawArray {
    let mut layout = raw.layout.clone();
    layout.shape.push(1);
    layout.strides.push(0);
    raw.with_layout(layout)
}

/// A matrix of one column as a vector; a view.
pub(super) fn line(raw: &RawArray) -> RawArray {
    let mut layout = raw.layout.clone();
    layout.shape.pop();
    layout.strides.pop();
    raw.with_layout(layout)
}

/// With rows and columns exchanged; a view.
pub(super) fn transposed(raw: &RawArray) -> RawArray {
    let rank = raw.shape().len();
    raw.moved(rank - 1, rank - 2)
}

/// With rows and columns exchanged, and complex numbers conjugated; of real ones a view.
pub(crate) fn adjoint(operation: &'static str, raw: &RawArray) -> Result<RawArray> {
    let view = transposed(raw);
    if raw.dtype.is_complex() { unary(operation, UnaryOperation::Conjugate, &view) } else { Ok(view) }
}

/// The sums of the squares of absolute values over `axes`, sorted.
pub(super) fn squares(operation: &'static str, x: &RawArray, axes: &[usize]) -> Result<RawArray> {
    if !x.dtype.is_complex() {
        return reduce(operation, ReduceOperation::SumSquares, x, axes);
    }
    // Of both parts, which are neighbours along a last axis.
    reduce(operation, ReduceOperation::SumSquares, &x.parts(), &[axes, &[x.shape().len()]].concat())
}
