//! The rows of a matrix by rows (CSR), or the columns of a matrix by columns (CSC), without their type: what all formats compute with.

// Long because: each method says how two kernels are launched.

use super::merging::{few, several};
use super::{kernels, merging};
use crate::array::{RawArray, slice_axis, transfer};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, ScanOperation};
use crate::device::{Device, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::launch::{LaunchArgument, Work, launch_untyped};
use crate::operations::elementwise::binary;
use crate::operations::reduce::reduce_all;
use crate::operations::scan::scan_axis;
use crate::operations::selection::{compressed, unravelled};
use crate::operations::sorting::sorted_rows;
use crate::raw_kernels::RawArgument;

/// An array that a kernel reads.
pub(super) fn read(array: &RawArray) -> LaunchArgument<'_> {
    LaunchArgument::Plain(RawArgument::Array { array, writes: false })
}

/// An array that a kernel changes.
pub(super) fn write(array: &RawArray) -> LaunchArgument<'_> {
    LaunchArgument::Plain(RawArgument::Array { array, writes: true })
}

/// A number for a kernel.
pub(super) fn value<T: Element>(value: T) -> LaunchArgument<'static> {
    LaunchArgument::Plain(RawArgument::Scalar { value: value.to_scalar(), type_name: T::DTYPE.name() })
}

/// Runs a kernel for matrices of a type.
macro_rules! run {
    ($operation:expr, $dtype:expr, $kernel:ident, $work:expr, [$($argument:expr),* $(,)?]) => {{
        let (work, arguments) = ($work, [$($argument),*]);
        // SAFETY: the indices of a matrix are those of its lines, which its maker has checked.
        unsafe {
            if $dtype == DType::F32 {
                launch_untyped($operation, kernels::single::$kernel, work, &arguments)
            } else {
                launch_untyped($operation, kernels::double::$kernel, work, &arguments)
            }
        }
    }};
}

/// Runs a kernel that knows no values.
macro_rules! run_plain {
    ($operation:expr, $kernel:ident, $work:expr, [$($argument:expr),* $(,)?]) => {{
        let (work, arguments) = ($work, [$($argument),*]);
        // SAFETY: as for `run`.
        unsafe { launch_untyped($operation, kernels::$kernel, work, &arguments) }
    }};
}
pub(super) use run_plain;

/// The fewest lines that a thread of the CPU takes.
const FEWEST: usize = 256;
/// About so many parts a loop has on the CPU.
const PARTS: usize = 64;

/// How many lines a thread takes, and the threads.
pub(super) fn chunks(handle: &Handle, lines: usize) -> (LaunchArgument<'static>, Work) {
    if handle.device == Device::Cpu {
        let chunk = lines.div_ceil(PARTS).max(FEWEST);
        (value(chunk as u64), Work { grid: lines.div_ceil(chunk), block: 1 })
    } else {
        (value(1u64), Work::threads(lines))
    }
}

/// New arrays of one axis.
pub(crate) struct Maker<'a> {
    pub operation: &'static str,
    pub handle: &'a Handle,
}

impl Maker<'_> {
    pub fn empty(&self, length: usize, dtype: DType) -> Result<RawArray> {
        RawArray::uninitialised(self.operation, self.handle, &[length], dtype)
    }

    pub fn zeros(&self, length: usize, dtype: DType) -> Result<RawArray> {
        RawArray::filled(self.operation, self.handle, &[length], Scalar::zero(dtype))
    }

    pub fn longs(&self, values: &[i64]) -> Result<RawArray> {
        RawArray::of_indices(self.operation, self.handle, &[values.len()], values)
    }

    /// Where each line begins, and how many elements all have, from how many each has; the first count is 0, and stands before those of
    /// the lines.
    pub fn pointers(&self, counts: &RawArray) -> Result<(RawArray, usize)> {
        self.handle.may_wait(self.operation)?;
        let sums = scan_axis(self.operation, ScanOperation::Sum, counts, 0)?;
        let last = Layout { shape: vec![], strides: vec![], offset: sums.layout.offset + sums.size() - 1 };
        let total = transfer::item(&sums.with_layout(last))?.integer().expect("an integer") as usize;
        if total > i32::MAX as usize {
            let reason = format!("the matrix would have {total} elements, but at most {} are supported", i32::MAX);
            return Err(Error::argument(self.operation, reason));
        }
        Ok((sums.converted(self.operation, DType::I32)?, total))
    }
}

/// Lines and their elements.
#[derive(Clone)]
pub(crate) struct Lines {
    pub lines: usize,
    /// The length of a line.
    pub length: usize,
    pub pointers: RawArray,
    pub indices: RawArray,
    pub data: RawArray,
}

impl Lines {
    pub fn dtype(&self) -> DType {
        self.data.dtype
    }

    pub fn handle(&self) -> &Handle {
        &self.data.handle
    }

    pub fn nnz(&self) -> usize {
        self.data.size()
    }

    pub fn maker(&self, operation: &'static str) -> Maker<'_> {
        Maker { operation, handle: self.handle() }
    }

    /// Lines without elements.
    pub fn empty(maker: &Maker<'_>, lines: usize, length: usize, dtype: DType) -> Result<Lines> {
        Ok(Lines {
            lines,
            length,
            pointers: maker.zeros(lines + 1, DType::I32)?,
            indices: maker.empty(0, DType::I32)?,
            data: maker.empty(0, dtype)?,
        })
    }

    /// Lines of which a pass counts the elements, and another one writes them.
    pub fn made(
        maker: &Maker<'_>,
        (lines, length): (usize, usize),
        dtype: DType,
        count: impl FnOnce(&RawArray) -> Result<()>,
        collect: impl FnOnce(&RawArray, &RawArray, &RawArray) -> Result<()>,
    ) -> Result<Lines> {
        let counts = maker.zeros(lines + 1, DType::I32)?;
        count(&counts)?;
        let (pointers, total) = maker.pointers(&counts)?;
        let (indices, data) = (maker.empty(total, DType::I32)?, maker.empty(total, dtype)?);
        if total > 0 {
            collect(&pointers, &indices, &data)?;
        }
        Ok(Lines { lines, length, pointers, indices, data })
    }

    /// Lines of elements in any order: `keys` has the number of the line of each, `others` the index within it. Elements of a line stay in
    /// their order.
    pub fn grouped(
        operation: &'static str,
        keys: &RawArray,
        others: &RawArray,
        data: &RawArray,
        (lines, length): (usize, usize),
    ) -> Result<Lines> {
        if let Some(lines) = Lines::grouped_by_loops(operation, keys, others, data, (lines, length))? {
            return Ok(lines);
        }
        let maker = Maker { operation, handle: &data.handle };
        let collect = |_: &RawArray, indices: &RawArray, values: &RawArray| {
            let order = sorted_rows(operation, keys, true)?;
            run!(
                operation,
                data.dtype,
                take_in_order,
                Work::threads(data.size()),
                [read(&order), read(others), read(data), write(indices), write(values)]
            )
        };
        Lines::made(&maker, (lines, length), data.dtype, |counts| count_keys(&maker, keys, counts), collect)
    }

    /// As [`grouped`](Lines::grouped), of elements whose lines may ascend already.
    pub fn of_elements(
        operation: &'static str,
        keys: &RawArray,
        others: &RawArray,
        data: &RawArray,
        shape: (usize, usize),
    ) -> Result<Lines> {
        // The loops of a backend take as long for both.
        if let Some(lines) = Lines::grouped_by_loops(operation, keys, others, data, shape)? {
            return Ok(lines);
        }
        if is_ascending(operation, keys)? {
            return Lines::ascending(
                operation,
                keys,
                others.contiguous(operation)?,
                data.contiguous(operation)?,
                shape,
            );
        }
        Lines::grouped(operation, keys, others, data, shape)
    }

    /// Lines of elements that are in the order of their lines, of which `keys` has the numbers.
    fn ascending(
        operation: &'static str,
        keys: &RawArray,
        indices: RawArray,
        data: RawArray,
        (lines, length): (usize, usize),
    ) -> Result<Lines> {
        let maker = Maker { operation, handle: &data.handle };
        let counts = maker.zeros(lines + 1, DType::I32)?;
        count_keys(&maker, keys, &counts)?;
        let (pointers, _) = maker.pointers(&counts)?;
        Ok(Lines { lines, length, pointers, indices, data })
    }

    /// The number of the line of each element.
    pub fn expanded(&self, operation: &'static str) -> Result<RawArray> {
        let out = self.maker(operation).empty(self.nnz(), DType::I32)?;
        let (chunk, work) = chunks(self.handle(), self.lines);
        if self.nnz() > 0 {
            run_plain!(operation, expand_pointers, work, [read(&self.pointers), chunk, write(&out)])?;
        }
        Ok(out)
    }

    /// The columns of a matrix of rows, or the rows of one of columns. Their elements are in order.
    pub fn transposed(&self, operation: &'static str) -> Result<Lines> {
        let shape = (self.length, self.lines);
        if self.nnz() == 0 {
            return Lines::empty(&self.maker(operation), shape.0, shape.1, self.dtype());
        }
        match self.transposed_by_loops(operation)? {
            Some(lines) => Ok(lines),
            None => Lines::grouped(operation, &self.indices, &self.expanded(operation)?, &self.data, shape),
        }
    }

    /// How many elements are out of order, and how many have the index of the one before.
    fn disorder(&self, operation: &'static str) -> Result<[i32; 2]> {
        if self.nnz() < 2 {
            return Ok([0, 0]);
        }
        self.handle().may_wait(operation)?;
        let out = self.maker(operation).zeros(2, DType::I32)?;
        if !self.disorder_by_loops(&out)? {
            let (chunk, work) = chunks(self.handle(), self.lines);
            let arguments = [read(&self.pointers), read(&self.indices), chunk, write(&out)];
            // SAFETY: as for `run`.
            unsafe { launch_untyped(operation, kernels::count_disorder, work, &arguments)? };
        }
        let found: Vec<i32> = transfer::download_vec(&out)?;
        Ok([found[0], found[1]])
    }

    /// With the indices of each line in ascending order.
    pub fn sorted(&self, operation: &'static str) -> Result<Lines> {
        match self.disorder(operation)? {
            [0, _] => Ok(self.clone()),
            _ => self.in_order(operation),
        }
    }

    /// The same, of lines that are not.
    fn in_order(&self, operation: &'static str) -> Result<Lines> {
        match self.sorted_by_loops(operation)? {
            Some(lines) => Ok(lines),
            None => self.transposed(operation)?.transposed(operation),
        }
    }

    /// Sorted, and with one element for each index: the sum of those that were there.
    pub fn canonical(&self, operation: &'static str) -> Result<Lines> {
        let [falls, mut repeats] = self.disorder(operation)?;
        let mut lines = self.clone();
        if falls > 0 {
            lines = self.in_order(operation)?;
            repeats = lines.disorder(operation)?[1];
        }
        if repeats == 0 {
            return Ok(lines);
        }
        if let Some(lines) = lines.summed_by_loops(operation)? {
            return Ok(lines);
        }
        let work = || chunks(self.handle(), self.lines);
        let (pointers, indices) = (&lines.pointers, &lines.indices);
        Lines::made(
            &self.maker(operation),
            (self.lines, self.length),
            self.dtype(),
            |counts| {
                let (chunk, work) = work();
                run_plain!(operation, count_different, work, [read(pointers), read(indices), chunk, write(counts)])
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    sum_equal,
                    work,
                    [
                        read(pointers),
                        read(indices),
                        read(&lines.data),
                        read(starts),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )
    }

    /// The elements whose index minus the number of their line is from `low` to `high`; `drops` leaves out zeros.
    pub fn kept(&self, operation: &'static str, [low, high]: [i64; 2], drops: bool) -> Result<Lines> {
        if self.nnz() == 0 {
            return Ok(self.clone());
        }
        let work = || chunks(self.handle(), self.lines);
        Lines::made(
            &self.maker(operation),
            (self.lines, self.length),
            self.dtype(),
            |counts| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    count_kept,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(&self.data),
                        value(low),
                        value(high),
                        value(drops),
                        chunk,
                        write(counts)
                    ]
                )
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    collect_kept,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(&self.data),
                        read(starts),
                        value(low),
                        value(high),
                        value(drops),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )
    }

    /// Lines `lines` (i64, checked), and of each the elements at `start`, `start + step`, …, `count` of them.
    pub fn selected(
        &self,
        operation: &'static str,
        lines: &RawArray,
        (start, step, count): (i64, i64, usize),
    ) -> Result<Lines> {
        let shape = (lines.size(), count);
        if self.nnz() == 0 || lines.size() == 0 {
            return Lines::empty(&self.maker(operation), shape.0, shape.1, self.dtype());
        }
        if let Some(chosen) = self.selected_by_loops(operation, lines, (start, step, count))? {
            return if step < 0 { chosen.sorted(operation) } else { Ok(chosen) };
        }
        let work = || chunks(self.handle(), lines.size());
        let result = Lines::made(
            &self.maker(operation),
            shape,
            self.dtype(),
            |counts| {
                let (chunk, work) = work();
                run_plain!(
                    operation,
                    count_selected,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(lines),
                        value(start),
                        value(step),
                        value(count as i64),
                        chunk,
                        write(counts)
                    ]
                )
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    collect_selected,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(&self.data),
                        read(lines),
                        value(start),
                        value(step),
                        value(count as i64),
                        read(starts),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )?;
        if step < 0 { result.sorted(operation) } else { Ok(result) }
    }

    /// Element by element with lines of the same shape; both canonical. The kinds are those of the kernel.
    pub fn joined(&self, operation: &'static str, other: &Lines, kind: i32) -> Result<Lines> {
        if let Some(lines) = self.joined_by_loops(operation, other, kind)? {
            return Ok(lines);
        }
        let work = || chunks(self.handle(), self.lines);
        let (pointers, indices, data) = (&other.pointers, &other.indices, &other.data);
        Lines::made(
            &self.maker(operation),
            (self.lines, self.length),
            self.dtype(),
            |counts| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    count_joined,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(&self.data),
                        read(pointers),
                        read(indices),
                        read(data),
                        value(kind),
                        chunk,
                        write(counts)
                    ]
                )
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    collect_joined,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(&self.data),
                        read(pointers),
                        read(indices),
                        read(data),
                        value(kind),
                        read(starts),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )
    }

    /// Adds the elements to a dense matrix whose rows are the lines.
    pub fn spread(&self, operation: &'static str, out: &RawArray) -> Result<()> {
        if self.nnz() == 0 {
            return Ok(());
        }
        let (chunk, work) = chunks(self.handle(), self.lines);
        run!(
            operation,
            self.dtype(),
            spread,
            work,
            [read(&self.pointers), read(&self.indices), read(&self.data), chunk, write(out)]
        )
    }

    /// What is not 0 of a dense matrix, whose rows become the lines.
    pub fn of_dense(operation: &'static str, dense: &RawArray) -> Result<Lines> {
        let maker = Maker { operation, handle: &dense.handle };
        let shape = (dense.shape()[0], dense.shape()[1]);
        if dense.size() == 0 {
            return Lines::empty(&maker, shape.0, shape.1, dense.dtype);
        }
        if let Some(lines) = Lines::of_dense_by_loops(operation, dense)? {
            return Ok(lines);
        }
        let rows = dense.contiguous(operation)?;
        let truths = rows.converted(operation, DType::Bool)?;
        let places = unravelled(operation, &compressed(operation, &truths, None)?, dense.shape())?;
        let data = compressed(operation, &truths, Some(&rows))?;
        let [keys, indices] = [0, 1].map(|axis| places[axis].converted(operation, DType::I32));
        Lines::ascending(operation, &keys?, indices?, data, shape)
    }

    /// The sum of each line, or with `absolute` that of the absolute values.
    pub fn sums(&self, operation: &'static str, absolute: bool) -> Result<RawArray> {
        if self.nnz() == 0 {
            return self.maker(operation).zeros(self.lines, self.dtype());
        }
        let out = self.maker(operation).empty(self.lines, self.dtype())?;
        let (chunk, work) = chunks(self.handle(), self.lines);
        let kind = value(i32::from(absolute));
        run!(
            operation,
            self.dtype(),
            sum_lines,
            work,
            [read(&self.pointers), read(&self.data), kind, chunk, write(&out)]
        )?;
        Ok(out)
    }

    /// The elements at `[line, line + distance]`.
    pub fn diagonal(&self, operation: &'static str, distance: i64) -> Result<RawArray> {
        let start = (-distance).max(0) as usize;
        let count = self.lines.saturating_sub(start).min(self.length.saturating_sub(distance.max(0) as usize));
        if count == 0 || self.nnz() == 0 {
            return self.maker(operation).zeros(count, self.dtype());
        }
        let out = self.maker(operation).empty(count, self.dtype())?;
        let (chunk, work) = chunks(self.handle(), count);
        run!(
            operation,
            self.dtype(),
            pick_diagonal,
            work,
            [
                read(&self.pointers),
                read(&self.indices),
                read(&self.data),
                value(start as u64),
                value(distance),
                chunk,
                write(&out)
            ]
        )?;
        Ok(out)
    }

    /// The products with a vector, or with the columns of a dense matrix.
    pub fn times_dense(&self, operation: &'static str, x: &RawArray) -> Result<RawArray> {
        let shape: Vec<usize> = [self.lines].into_iter().chain(x.shape().get(1).copied()).collect();
        if self.nnz() == 0 || shape.contains(&0) {
            return RawArray::filled(operation, self.handle(), &shape, Scalar::zero(self.dtype()));
        }
        let out = RawArray::uninitialised(operation, self.handle(), &shape, self.dtype())?;
        let rows = |of: &RawArray, columns: usize| {
            of.with_layout(Layout { offset: of.layout.offset, ..Layout::contiguous(&[of.size() / columns, columns]) })
        };
        let columns = shape.get(1).copied().unwrap_or(1);
        let (x, target) = (rows(&x.contiguous(operation)?, columns), rows(&out, columns));
        let (pointers, indices, data) = (self.pointers.view(), self.indices.view(), self.data.view());
        self.handle().backend.sparse_product(pointers, indices, data, x.view(), target.view())?;
        Ok(out)
    }

    /// The product with a matrix in the same format. On a device: all products of elements, which are sorted and added up.
    pub fn times_lines(&self, operation: &'static str, other: &Lines) -> Result<Lines> {
        let shape = (self.lines, other.length);
        if self.nnz() == 0 || other.nnz() == 0 {
            return Lines::empty(&self.maker(operation), shape.0, shape.1, self.dtype());
        }
        if let Some(product) = self.times_lines_by_loops(operation, other)? {
            return Ok(product);
        }
        let longest = self.longest(operation)?;
        if longest <= merging::MOST {
            return self.merged(operation, &other.sorted(operation)?, longest <= merging::FEW);
        }
        let work = || chunks(self.handle(), self.nnz());
        let products = Lines::made(
            &self.maker(operation),
            (self.nnz(), other.length),
            self.dtype(),
            |counts| {
                let (chunk, work) = work();
                run_plain!(
                    operation,
                    count_products,
                    work,
                    [read(&self.indices), read(&other.pointers), chunk, write(counts)]
                )
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    expand_products,
                    work,
                    [
                        read(&self.indices),
                        read(&self.data),
                        read(&other.pointers),
                        read(&other.indices),
                        read(&other.data),
                        read(starts),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )?;
        let pointers = self.maker(operation).empty(self.lines + 1, DType::I32)?;
        let (chunk, work) = chunks(self.handle(), self.lines + 1);
        run_plain!(
            operation,
            compose_pointers,
            work,
            [read(&self.pointers), read(&products.pointers), chunk, write(&pointers)]
        )?;
        Lines { lines: self.lines, pointers, ..products }.canonical(operation)
    }

    /// How many elements the longest line has. Waits.
    fn longest(&self, operation: &'static str) -> Result<usize> {
        let from = |start| slice_axis(&self.pointers, 0, start, 1, self.lines);
        let lengths = binary(operation, BinaryOperation::Subtract, &from(1), &from(0))?;
        Ok(reduce_all(operation, ReduceOperation::Max, &lengths)?.integer().expect("an integer") as usize)
    }

    /// The product with lines whose indices ascend, by merging them; of short lines.
    fn merged(&self, operation: &'static str, other: &Lines, has_few: bool) -> Result<Lines> {
        Lines::made(
            &self.maker(operation),
            (self.lines, other.length),
            self.dtype(),
            |counts| {
                let (chunk, work) = chunks(self.handle(), self.lines);
                let arguments = [
                    read(&self.pointers),
                    read(&self.indices),
                    read(&other.pointers),
                    read(&other.indices),
                    chunk,
                    write(counts),
                ];
                // SAFETY: the indices of a matrix are those of its lines, which its maker has checked.
                unsafe {
                    if has_few {
                        launch_untyped(operation, few::count_merged, work, &arguments)
                    } else {
                        launch_untyped(operation, several::count_merged, work, &arguments)
                    }
                }
            },
            |starts, targets, values| {
                let (chunk, work) = chunks(self.handle(), self.lines);
                let arguments = [
                    read(&self.pointers),
                    read(&self.indices),
                    read(&self.data),
                    read(&other.pointers),
                    read(&other.indices),
                    read(&other.data),
                    read(starts),
                    chunk,
                    write(targets),
                    write(values),
                ];
                // SAFETY: as above; places are those that were counted.
                unsafe {
                    match (has_few, self.dtype() == DType::F32) {
                        (true, true) => launch_untyped(operation, few::single::collect_merged, work, &arguments),
                        (true, false) => launch_untyped(operation, few::double::collect_merged, work, &arguments),
                        (false, true) => launch_untyped(operation, several::single::collect_merged, work, &arguments),
                        (false, false) => launch_untyped(operation, several::double::collect_merged, work, &arguments),
                    }
                }
            },
        )
    }

    /// The product by Kronecker.
    pub fn kron(&self, operation: &'static str, other: &Lines) -> Result<Lines> {
        let lines = self.lines * other.lines;
        let work = || chunks(self.handle(), lines);
        Lines::made(
            &self.maker(operation),
            (lines, self.length * other.length),
            self.dtype(),
            |counts| {
                let (chunk, work) = work();
                run_plain!(
                    operation,
                    count_kron,
                    work,
                    [read(&self.pointers), read(&other.pointers), chunk, write(counts)]
                )
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    self.dtype(),
                    collect_kron,
                    work,
                    [
                        read(&self.pointers),
                        read(&self.indices),
                        read(&self.data),
                        read(&other.pointers),
                        read(&other.indices),
                        read(&other.data),
                        value(other.length as u64),
                        read(starts),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )
    }

    /// The lines of diagonals: those of the offsets, ascending, in the rows of a dense matrix, each value at its index within the line.
    pub fn of_diagonals(
        operation: &'static str,
        diagonals: &RawArray,
        offsets: &[i64],
        (lines, length): (usize, usize),
    ) -> Result<Lines> {
        let maker = Maker { operation, handle: &diagonals.handle };
        if diagonals.size() == 0 || lines == 0 {
            return Lines::empty(&maker, lines, length, diagonals.dtype);
        }
        let offsets = maker.longs(offsets)?;
        let work = || chunks(&diagonals.handle, lines);
        Lines::made(
            &maker,
            (lines, length),
            diagonals.dtype,
            |counts| {
                let (chunk, work) = work();
                run!(
                    operation,
                    diagonals.dtype,
                    count_diagonals,
                    work,
                    [read(diagonals), read(&offsets), value(length as u64), chunk, write(counts)]
                )
            },
            |starts, targets, values| {
                let (chunk, work) = work();
                run!(
                    operation,
                    diagonals.dtype,
                    collect_diagonals,
                    work,
                    [
                        read(diagonals),
                        read(&offsets),
                        value(length as u64),
                        read(starts),
                        chunk,
                        write(targets),
                        write(values)
                    ]
                )
            },
        )
    }
}

/// Whether no number is less than the one before. Waits.
fn is_ascending(operation: &'static str, keys: &RawArray) -> Result<bool> {
    let pairs = keys.size().saturating_sub(1);
    if pairs == 0 {
        return Ok(true);
    }
    let (before, behind) = (slice_axis(keys, 0, 0, 1, pairs), slice_axis(keys, 0, 1, 1, pairs));
    let falls = binary(operation, BinaryOperation::Less, &behind, &before)?;
    Ok(reduce_all(operation, ReduceOperation::Any, &falls)? == Scalar::Bool(false))
}

/// How many keys there are of each, behind a first 0.
fn count_keys(maker: &Maker<'_>, keys: &RawArray, counts: &RawArray) -> Result<()> {
    if keys.size() == 0 {
        return Ok(());
    }
    let (chunk, work) = chunks(maker.handle, keys.size());
    run_plain!(maker.operation, count_keys, work, [read(keys), chunk, write(counts)])
}
