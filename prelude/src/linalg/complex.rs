//! Systems of complex linear equations, as real ones of twice the size: backends factorise real matrices.

use super::stacks::Stack;
use crate::array::RawArray;
use crate::backend::factorisations::Fault;
use crate::backend::{Layout, UnaryOperation};
use crate::error::Result;

/// The inverses of complex matrices, which have elements.
pub(super) fn inverses(operation: &'static str, stack: &Stack) -> Result<RawArray> {
    let (count, n) = (stack.count(), stack.rows());
    let real = spread(operation, stack)?;
    let out = RawArray::uninitialised(operation, &real.handle, real.shape(), real.dtype)?;
    not_singular(operation, stack, stack.backend()?.inverses(real.view(), out.view())?)?;
    // The left column of each square has both parts.
    let parts = Layout {
        shape: vec![count, n, n, 2],
        strides: [4 * n * n, 4 * n, 2, 2 * n].map(|stride| stride as isize).to_vec(),
        offset: 0,
    };
    Ok(out.with_layout(parts).copied(operation)?.joined(stack.raw.dtype))
}

/// The solutions of systems of complex equations, of which there are some.
pub(super) fn solutions(operation: &'static str, matrices: &Stack, right: &Stack) -> Result<RawArray> {
    let (count, n, k) = (right.count(), right.rows(), right.columns());
    let real = spread(operation, matrices)?;
    // Below the real parts of each row are its imaginary parts.
    let lines = right.raw.parts().moved(3, 2).copied(operation)?;
    let lines = lines.with_layout(Layout::contiguous(&[count, 2 * n, k]));
    let out = RawArray::uninitialised(operation, &real.handle, lines.shape(), real.dtype)?;
    not_singular(operation, matrices, matrices.backend()?.solve(real.view(), lines.view(), out.view())?)?;
    let parts = out.with_layout(Layout::contiguous(&[count, n, 2, k])).moved(2, 3);
    Ok(parts.copied(operation)?.joined(right.raw.dtype))
}

/// The matrices with a square of real numbers in the place of each complex one: x + iy becomes `[[x, -y], [y, x]]`. Such squares are
/// added, multiplied and inverted as the numbers are.
fn spread(operation: &'static str, stack: &Stack) -> Result<RawArray> {
    let (raw, width) = (&stack.raw, 2 * stack.columns());
    let shape = [stack.count(), 2 * stack.rows(), width];
    let out = RawArray::uninitialised(operation, &raw.handle, &shape, raw.dtype.part())?;
    let place = |row: usize, column: usize| {
        let strides = [2 * stack.rows() * width, 2 * width, 2].map(|stride| stride as isize).to_vec();
        out.with_layout(Layout { shape: raw.shape().to_vec(), strides, offset: row * width + column })
    };
    let (backend, real, imaginary) = (&raw.handle.backend, raw.part(false), raw.part(true));
    backend.copy(real.view(), place(0, 0).view())?;
    backend.copy(real.view(), place(1, 1).view())?;
    backend.copy(imaginary.view(), place(1, 0).view())?;
    backend.unary(UnaryOperation::Negative, imaginary.view(), place(0, 1).view())?;
    Ok(out)
}

/// The error of a matrix that has no inverse, if there is one: two pivots are one of the complex matrix.
fn not_singular(operation: &'static str, stack: &Stack, fault: Option<Fault>) -> Result<()> {
    stack.not_singular(operation, fault.map(|fault| Fault { order: fault.order.div_ceil(2), ..fault }))
}
