//! What a backend does with lines by loops of its own. `None` where it has none, and kernels do it.

use super::lines::{Lines, Maker};
use crate::array::RawArray;
use crate::backend::Layout;
use crate::backend::loops::{LinesView, Loops, Made};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Result;

impl Lines {
    fn view(&self) -> LinesView<'_> {
        LinesView { pointers: self.pointers.view(), indices: self.indices.view(), data: self.data.view() }
    }

    /// New lines that a loop writes.
    fn written(
        maker: &Maker<'_>,
        (lines, length): (usize, usize),
        (count, dtype): (usize, DType),
        write: impl FnOnce(LinesView<'_>) -> Result<bool>,
    ) -> Result<Option<Lines>> {
        if maker.handle.device != Device::Cpu {
            return Ok(None);
        }
        let (pointers, indices) = (maker.empty(lines + 1, DType::I32)?, maker.empty(count, DType::I32)?);
        let out = Lines { lines, length, pointers, indices, data: maker.empty(count, dtype)? };
        Ok(write(out.view())?.then_some(out))
    }

    /// As `grouped`.
    pub(super) fn grouped_by_loops(
        operation: &'static str,
        keys: &RawArray,
        others: &RawArray,
        data: &RawArray,
        shape: (usize, usize),
    ) -> Result<Option<Lines>> {
        let maker = Maker { operation, handle: &data.handle };
        Lines::written(&maker, shape, (data.size(), data.dtype), |out| {
            let (keys, others, data) = (keys.view(), others.view(), data.view());
            maker.handle.backend.by_loops(Loops::Group { keys, others, data, out })
        })
    }

    /// As `transposed`.
    pub(super) fn transposed_by_loops(&self, operation: &'static str) -> Result<Option<Lines>> {
        Lines::written(&self.maker(operation), (self.length, self.lines), (self.nnz(), self.dtype()), |out| {
            self.handle().backend.by_loops(Loops::Transpose { lines: self.view(), out })
        })
    }

    /// With the indices of each line in ascending order.
    pub(super) fn sorted_by_loops(&self, operation: &'static str) -> Result<Option<Lines>> {
        if self.handle().device != Device::Cpu {
            return Ok(None);
        }
        let (indices, data) = (self.indices.copied(operation)?, self.data.copied(operation)?);
        let out = Lines { indices, data, ..self.clone() };
        let is_done = self.handle().backend.by_loops(Loops::Sort { lines: out.view() })?;
        Ok(is_done.then_some(out))
    }

    /// Lines that a backend makes.
    fn made_by_loops(
        maker: &Maker<'_>,
        (lines, length): (usize, usize),
        dtype: DType,
        made: Made<'_>,
    ) -> Result<Option<Lines>> {
        let Some(found) = maker.handle.backend.make_lines(made)? else { return Ok(None) };
        let array = |allocation, length, dtype| {
            let (handle, layout) = (maker.handle.clone(), Layout::contiguous(&[length]));
            RawArray { handle, allocation, layout, dtype }
        };
        Ok(Some(Lines {
            lines,
            length,
            pointers: array(found.pointers, lines + 1, DType::I32),
            indices: array(found.indices, found.count, DType::I32),
            data: array(found.data, found.count, dtype),
        }))
    }

    /// As `times_lines`.
    pub(super) fn times_lines_by_loops(&self, operation: &'static str, other: &Lines) -> Result<Option<Lines>> {
        let made = Made::Product { a: self.view(), b: other.view(), length: other.length };
        Lines::made_by_loops(&self.maker(operation), (self.lines, other.length), self.dtype(), made)
    }

    /// As `joined`.
    pub(super) fn joined_by_loops(&self, operation: &'static str, other: &Lines, kind: i32) -> Result<Option<Lines>> {
        let made = Made::Joined { a: self.view(), b: other.view(), kind };
        Lines::made_by_loops(&self.maker(operation), (self.lines, self.length), self.dtype(), made)
    }

    /// With one element for each index, the sum of those that were there; of sorted lines.
    pub(super) fn summed_by_loops(&self, operation: &'static str) -> Result<Option<Lines>> {
        let made = Made::Summed { lines: self.view() };
        Lines::made_by_loops(&self.maker(operation), (self.lines, self.length), self.dtype(), made)
    }

    /// As `selected`.
    pub(super) fn selected_by_loops(
        &self,
        operation: &'static str,
        rows: &RawArray,
        (start, step, count): (i64, i64, usize),
    ) -> Result<Option<Lines>> {
        if self.handle().device != Device::Cpu {
            return Ok(None);
        }
        let rows = rows.contiguous(operation)?;
        let columns = (start, step, count, self.length);
        let made = Made::Selected { lines: self.view(), rows: rows.view(), columns };
        Lines::made_by_loops(&self.maker(operation), (rows.size(), count), self.dtype(), made)
    }

    /// As `of_dense`.
    pub(super) fn of_dense_by_loops(operation: &'static str, dense: &RawArray) -> Result<Option<Lines>> {
        if dense.handle.device != Device::Cpu {
            return Ok(None);
        }
        let maker = Maker { operation, handle: &dense.handle };
        let rows = dense.contiguous(operation)?;
        let shape = (dense.shape()[0], dense.shape()[1]);
        Lines::made_by_loops(&maker, shape, dense.dtype, Made::OfDense { dense: rows.view() })
    }

    /// As `disorder`.
    pub(super) fn disorder_by_loops(&self, out: &RawArray) -> Result<bool> {
        self.handle().backend.by_loops(Loops::Disorder { lines: self.view(), out: out.view() })
    }

    /// The sums of the elements with the same index, or of their absolute values, or of their products with the factors of their lines.
    pub(super) fn sums_across(
        &self,
        operation: &'static str,
        absolute: bool,
        factors: Option<&RawArray>,
    ) -> Result<Option<RawArray>> {
        if self.handle().device != Device::Cpu {
            return Ok(None);
        }
        let out = self.maker(operation).empty(self.length, self.dtype())?;
        let (lines, factors) = (self.view(), factors.map(RawArray::view));
        let is_done = self.handle().backend.by_loops(Loops::SumAcross { lines, absolute, factors, out: out.view() })?;
        Ok(is_done.then_some(out))
    }
}
