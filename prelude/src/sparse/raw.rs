//! A sparse matrix without its element type, in any format.

use super::kernels;
use super::lines::{Lines, Maker, chunks, read, run_plain, value, write};
use crate::array::{RawArray, assign, slice_axis, transfer};
use crate::backend::BinaryOperation;
use crate::device::Handle;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::launch::launch_untyped;
use crate::operations::elementwise::binary;
use std::fmt;

/// How a sparse matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The row, the column and the value of each element ("coo").
    Coo,
    /// By rows: where each row begins, and the column and the value of each element ("csr").
    Csr,
    /// By columns: where each column begins, and the row and the value of each element ("csc").
    Csc,
}

impl Format {
    /// The format of a name: "coo", "csr" or "csc".
    pub(super) fn of(operation: &'static str, name: &str) -> Result<Format> {
        match name {
            "coo" => Ok(Format::Coo),
            "csr" => Ok(Format::Csr),
            "csc" => Ok(Format::Csc),
            _ => Err(Error::argument(operation, format!("`format` is {name:?}; give \"csr\", \"csc\" or \"coo\""))),
        }
    }

    /// SciPy's name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Coo => "coo",
            Format::Csr => "csr",
            Format::Csc => "csc",
        }
    }

    /// That of the transposed matrix.
    fn transposed(self) -> Format {
        match self {
            Format::Coo => Format::Coo,
            Format::Csr => Format::Csc,
            Format::Csc => Format::Csr,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Indices are i32, of one axis and contiguous, as the values are; they are never changed once they are part of a matrix.
#[derive(Clone)]
pub struct RawSparse {
    pub(crate) format: Format,
    pub(crate) shape: [usize; 2],
    /// The rows of a COO matrix, otherwise the pointers.
    pub(crate) first: RawArray,
    /// The columns of a COO matrix, otherwise the indices.
    pub(crate) second: RawArray,
    pub(crate) data: RawArray,
    /// Whether it is known to have each element once, and those of lines in order.
    pub(crate) canonical: bool,
}

impl RawSparse {
    pub(crate) fn dtype(&self) -> DType {
        self.data.dtype
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.data.handle
    }

    pub(crate) fn nnz(&self) -> usize {
        self.data.size()
    }

    pub(crate) fn maker(&self, operation: &'static str) -> Maker<'_> {
        Maker { operation, handle: self.handle() }
    }

    /// A matrix of such lines, by rows or by columns.
    pub(crate) fn of_lines(format: Format, lines: Lines, canonical: bool) -> RawSparse {
        let shape = if format == Format::Csc { [lines.length, lines.lines] } else { [lines.lines, lines.length] };
        RawSparse { format, shape, first: lines.pointers, second: lines.indices, data: lines.data, canonical }
    }

    /// The lines of a matrix by rows or by columns.
    pub(crate) fn lines(&self) -> Lines {
        debug_assert!(self.format != Format::Coo);
        let [rows, columns] = self.shape;
        let (lines, length) = if self.format == Format::Csc { (columns, rows) } else { (rows, columns) };
        let (pointers, indices) = (self.first.clone(), self.second.clone());
        Lines { lines, length, pointers, indices, data: self.data.clone() }
    }

    /// The same matrix in a format.
    pub(crate) fn to(&self, operation: &'static str, format: Format) -> Result<RawSparse> {
        let [rows, columns] = self.shape;
        match (self.format, format) {
            (from, to) if from == to => Ok(self.clone()),
            (Format::Coo, to) => {
                let (keys, others, shape) = match to {
                    Format::Csc => (&self.second, &self.first, (columns, rows)),
                    _ => (&self.first, &self.second, (rows, columns)),
                };
                let lines = Lines::of_elements(operation, keys, others, &self.data, shape)?.canonical(operation)?;
                Ok(RawSparse::of_lines(to, lines, true))
            }
            (_, Format::Coo) => {
                let numbers = self.lines().expanded(operation)?;
                let (first, second) = match self.format {
                    Format::Csc => (self.second.clone(), numbers),
                    _ => (numbers, self.second.clone()),
                };
                Ok(RawSparse { format: Format::Coo, first, second, ..self.clone() })
            }
            (_, to) => Ok(RawSparse::of_lines(to, self.lines().transposed(operation)?, self.canonical)),
        }
    }

    /// By rows or by columns, as it is, or by rows.
    pub(crate) fn compressed(&self, operation: &'static str) -> Result<RawSparse> {
        if self.format == Format::Coo { self.to(operation, Format::Csr) } else { Ok(self.clone()) }
    }

    /// Each element once, in the order of its row and column, in the same format.
    pub(crate) fn canonical(&self, operation: &'static str) -> Result<RawSparse> {
        if self.canonical {
            return Ok(self.clone());
        }
        if self.format == Format::Coo {
            return self.to(operation, Format::Csr)?.to(operation, Format::Coo);
        }
        Ok(RawSparse::of_lines(self.format, self.lines().canonical(operation)?, true))
    }

    /// The lines of the rows, each element once and in order.
    pub(crate) fn rows(&self, operation: &'static str) -> Result<Lines> {
        Ok(self.to(operation, Format::Csr)?.canonical(operation)?.lines())
    }

    pub(crate) fn transposed(&self) -> RawSparse {
        let [rows, columns] = self.shape;
        let mut result = RawSparse { format: self.format.transposed(), shape: [columns, rows], ..self.clone() };
        if self.format == Format::Coo {
            std::mem::swap(&mut result.first, &mut result.second);
            // By columns.
            result.canonical = false;
        }
        result
    }

    /// With other values at the same places.
    pub(crate) fn with_data(&self, data: RawArray) -> RawSparse {
        RawSparse { data, ..self.clone() }
    }

    pub(crate) fn to_dense(&self, operation: &'static str) -> Result<RawArray> {
        let out = RawArray::filled(operation, self.handle(), &self.shape, Scalar::zero(self.dtype()))?;
        let matrix = self.compressed(operation)?;
        let target = if matrix.format == Format::Csc { out.moved(0, 1) } else { out.clone() };
        matrix.lines().spread(operation, &target)?;
        Ok(out)
    }

    /// Finds that both matrices have one shape, and are on one device.
    fn alike(&self, operation: &'static str, other: &RawSparse) -> Result<()> {
        self.data.same_device(operation, &other.data)?;
        if self.shape != other.shape {
            let (left, right) = (self.shape.to_vec(), other.shape.to_vec());
            return Err(Error::ShapeMismatch { operation, left, right });
        }
        Ok(())
    }

    /// Element by element: the kinds are those of the kernel. What is 0 is left out.
    pub(crate) fn joined(&self, operation: &'static str, other: &RawSparse, kind: i32) -> Result<RawSparse> {
        self.alike(operation, other)?;
        let left = self.compressed(operation)?.canonical(operation)?;
        let right = other.to(operation, left.format)?.canonical(operation)?;
        Ok(RawSparse::of_lines(left.format, left.lines().joined(operation, &right.lines(), kind)?, true))
    }

    /// The elements from the `low`th diagonal to the `high`th; `drops` leaves out zeros.
    pub(crate) fn kept(&self, operation: &'static str, [low, high]: [i64; 2], drops: bool) -> Result<RawSparse> {
        let matrix = self.compressed(operation)?;
        let bounds =
            if matrix.format == Format::Csc { [high.saturating_neg(), low.saturating_neg()] } else { [low, high] };
        let kept = RawSparse::of_lines(matrix.format, matrix.lines().kept(operation, bounds, drops)?, matrix.canonical);
        kept.to(operation, self.format)
    }

    /// Finds that the columns are as many as another operand has rows.
    fn agree(&self, operation: &'static str, right: &[usize]) -> Result<()> {
        if self.shape[1] == right[0] {
            return Ok(());
        }
        let advice = "they are summed over";
        Err(Error::AxisMismatch { operation, left: self.shape.to_vec(), right: right.to_vec(), axes: (1, 0), advice })
    }

    /// The product with a dense vector or matrix.
    pub(crate) fn times_dense(&self, operation: &'static str, x: &RawArray) -> Result<RawArray> {
        self.data.same_device(operation, x)?;
        if !matches!(x.shape().len(), 1 | 2) {
            return Err(Error::shape(operation, x.shape(), "is neither that of a vector nor that of a matrix"));
        }
        self.agree(operation, x.shape())?;
        if self.format == Format::Csc && x.shape().len() == 1 && self.nnz() > 0 {
            let factors = x.contiguous(operation)?;
            if let Some(product) = self.lines().sums_across(operation, false, Some(&factors))? {
                return Ok(product);
            }
        }
        self.to(operation, Format::Csr)?.lines().times_dense(operation, x)
    }

    pub(crate) fn times(&self, operation: &'static str, other: &RawSparse) -> Result<RawSparse> {
        self.data.same_device(operation, &other.data)?;
        self.agree(operation, &other.shape)?;
        if self.format == Format::Csc && other.format == Format::Csc {
            return Ok(RawSparse::of_lines(Format::Csc, other.lines().times_lines(operation, &self.lines())?, true));
        }
        let (left, right) = (self.to(operation, Format::Csr)?, other.to(operation, Format::Csr)?);
        Ok(RawSparse::of_lines(Format::Csr, left.lines().times_lines(operation, &right.lines())?, true))
    }

    /// The sums along an axis; `absolute` adds up absolute values.
    pub(crate) fn sums(&self, operation: &'static str, axis: usize, absolute: bool) -> Result<RawArray> {
        let format = if axis == 0 { Format::Csc } else { Format::Csr };
        if self.format == format.transposed()
            && let Some(sums) = self.lines().sums_across(operation, absolute, None)?
        {
            return Ok(sums);
        }
        self.to(operation, format)?.lines().sums(operation, absolute)
    }

    pub(crate) fn diagonal(&self, operation: &'static str, k: i64) -> Result<RawArray> {
        let matrix = self.compressed(operation)?;
        let distance = if matrix.format == Format::Csc { -k } else { k };
        matrix.lines().diagonal(operation, distance)
    }

    /// Blocks of so many rows and columns, by rows: 1 for those that have an element that is not 0, on the host.
    pub(crate) fn blocks(&self, operation: &'static str, [height, width]: [usize; 2]) -> Result<Vec<i32>> {
        self.handle().may_wait(operation)?;
        let coo = self.canonical(operation)?.kept(operation, [i64::MIN, i64::MAX], true)?.to(operation, Format::Coo)?;
        let (rows, columns) = (self.shape[0].div_ceil(height), self.shape[1].div_ceil(width));
        let out = self.maker(operation).zeros(rows * columns, DType::I32)?;
        if coo.nnz() > 0 {
            let (chunk, work) = chunks(self.handle(), coo.nnz());
            run_plain!(
                operation,
                mark_blocks,
                work,
                [
                    read(&coo.first),
                    read(&coo.second),
                    value(height as u64),
                    value(width as u64),
                    value(columns as u64),
                    chunk,
                    write(&out)
                ]
            )?;
        }
        transfer::download_vec(&out)
    }

    /// Rows and columns that are chosen, in the same format.
    pub(crate) fn selected(
        &self,
        operation: &'static str,
        rows: &RawArray,
        (start, step, count): (i64, i64, usize),
    ) -> Result<RawSparse> {
        let matrix = self.to(operation, Format::Csr)?;
        let chosen = matrix.lines().selected(operation, rows, (start, step, count))?;
        RawSparse::of_lines(Format::Csr, chosen, matrix.canonical).to(operation, self.format)
    }

    /// A matrix of blocks, each with the row and the column where it begins.
    pub(crate) fn assembled(
        operation: &'static str,
        blocks: &[([usize; 2], RawSparse)],
        shape: [usize; 2],
        handle: &Handle,
        dtype: DType,
    ) -> Result<RawSparse> {
        super::make::check_shape(operation, shape)?;
        let maker = Maker { operation, handle };
        let total: usize = blocks.iter().map(|(_, block)| block.nnz()).sum();
        let [first, second] = [maker.empty(total, DType::I32)?, maker.empty(total, DType::I32)?];
        let data = maker.empty(total, dtype)?;
        let mut at = 0;
        for (place, block) in blocks {
            let block = block.to(operation, Format::Coo)?;
            let count = block.nnz();
            for (target, source, offset) in [(&first, &block.first, place[0]), (&second, &block.second, place[1])] {
                let moved = binary(operation, BinaryOperation::Add, source, Scalar::I32(offset as i32))?;
                assign(operation, &slice_axis(target, 0, at, 1, count), &moved)?;
            }
            assign(operation, &slice_axis(&data, 0, at, 1, count), &block.data)?;
            at += count;
        }
        Ok(RawSparse { format: Format::Coo, shape, first, second, data, canonical: false })
    }
}
