//! Reading and writing elements by arrays of indices on CUDA; the kernels are in `kernels/index.cu`.

use super::axes::{Axis, joined, launch_over};
use super::{Compiled, Program, address_of, blocks, family, kernels, memory_of, source_of};
use std::sync::OnceLock;
use warpcell_base::backend::{IndexCheck, Layout, Operand, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_base::profiling::Kind;
use warpcell_driver::checks::Asked;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;
use warpcell_driver::queue::queues;
use warpcell_driver::{profile, staging};

const SOURCE: &str = concat!(include_str!("../kernels/axes.cuh"), "#line 1\n", include_str!("../kernels/index.cu"));
const THREADS: usize = 256;
/// Elements that a thread moves.
const EACH: usize = 4;
/// Bytes of `Report` in the kernels' source.
const REPORT: usize = 16;
/// Bytes that are moved at once, and what the kernels call them: neighbours are moved together where that is possible.
const UNITS: [(usize, &str); 5] = [(1, "u8"), (2, "u16"), (4, "u32"), (8, "u64"), (16, "u128")];
/// Types of indices in the kernels; a u64 that is in range is an i64 too.
const INDICES: [DType; 3] = [DType::I32, DType::U32, DType::I64];

family! {
    struct Index {
        gather: [[Compiled<Gather>; UNITS.len()]; INDICES.len()],
        scatter: [[Compiled<Scatter>; UNITS.len()]; INDICES.len()],
        repeats: [Compiled<Repeats>; INDICES.len()],
        /// Where a kernel reports an index that is out of range, if the host waits for that; 0 between launches. One for each queue.
        outside: [OnceLock<DeviceMemory>; queues()],
    }
}

kernels! {
    /// The kernels of a program that reads elements: few enough that their numbers have 31 bits, or more.
    struct Gather {
        few = c"gather",
        many = c"gather_wide",
        packs = c"gather_packs",
    }
    /// The kernels of a program that writes elements.
    struct Scatter {
        few = c"scatter",
        many = c"scatter_wide",
    }
    /// The kernels of a program that finds repeated indices.
    struct Repeats {
        claim = c"claim",
        settle = c"settle",
    }
}

/// `Indices` in the kernels' source.
#[repr(C)]
#[derive(Clone, Copy)]
struct Indices {
    start: u64,
    count: i64,
    along: i64,
    inner: i64,
    length: i64,
}

/// What is moved, in units of some bytes, and between which addresses: the array that is indexed, the indices, and the
/// elements that are read or written, in this order.
struct Moves {
    /// Its place in `UNITS`.
    unit: usize,
    addresses: [u64; 3],
    axes: Vec<Axis>,
    /// Along the axis that is indexed.
    length: usize,
    step: isize,
    /// Bytes of a unit, or of an index.
    sizes: [usize; 3],
}

impl Moves {
    /// `shape` is that of the elements; the strides of the array count along its own axes.
    fn new(
        shape: &[usize],
        axis: usize,
        array: (u64, &Layout),
        indices: (u64, DType, &[isize]),
        elements: (u64, &[isize]),
        size: usize,
    ) -> Moves {
        let mut base = array.1.strides.clone();
        let (length, step) = (array.1.shape[axis], std::mem::take(&mut base[axis]));
        let mut moves = Moves {
            unit: UNITS.iter().position(|&(bytes, _)| bytes == size).expect("an element has 1, 2, 4, 8 or 16 bytes"),
            addresses: [array.0, indices.0, elements.0],
            axes: joined(shape, [&base[..], indices.2, elements.1]),
            length,
            step,
            sizes: [size, indices.1.size(), size],
        };
        moves.widen(size);
        moves
    }

    /// How many elements are read, if they are those of one line by indices that follow one another, and the kernel of packs takes them.
    fn packs(&self) -> Option<usize> {
        let &[axis] = &self.axes[..] else { return None };
        let is_line = axis.strides == [0, 1, 1] && self.step == 1;
        let has_size = matches!(self.sizes[0], 4 | 8);
        let is_aligned = self.addresses[1..].iter().all(|address| address.is_multiple_of(16));
        (is_line && has_size && is_aligned).then_some(axis.length)
    }

    /// Moves neighbours together, if an index leads to whole rows of them.
    fn widen(&mut self, size: usize) {
        let row = self.axes[0];
        let is_value = self.addresses[2] == 0;
        let is_row = row.strides[0] == 1 && row.strides[1] == 0 && (row.strides[2] == 1 || is_value);
        if !is_row {
            return;
        }
        let fits = |bytes: usize| {
            let fits = |stride: isize| (stride.unsigned_abs() * size).is_multiple_of(bytes);
            self.addresses[0].is_multiple_of(bytes as u64)
                && self.addresses[2].is_multiple_of(bytes as u64)
                && (row.length * size).is_multiple_of(bytes)
                && fits(self.step)
                && self.axes[1..].iter().all(|axis| fits(axis.strides[0]) && fits(axis.strides[2]))
        };
        let widest = (self.unit + 1..UNITS.len()).rev().find(|&unit| fits(UNITS[unit].0));
        if let Some(unit) = widest {
            let bytes = UNITS[unit].0;
            let together = bytes / size;
            self.unit = unit;
            self.axes[0].length /= together;
            for axis in &mut self.axes[1..] {
                axis.strides[0] /= together as isize;
                axis.strides[2] /= together as isize;
            }
            self.step /= together as isize;
            (self.sizes[0], self.sizes[2]) = (bytes, bytes);
        }
    }
}

/// Whether indices vary along `axis` only, and follow one another there.
pub(super) fn is_shared(indices: View<'_>, axis: usize) -> bool {
    let mut axes = indices.layout.shape.iter().zip(&indices.layout.strides).enumerate();
    axes.all(|(number, (&length, &stride))| length == 1 || stride == isize::from(number == axis))
}

impl Index {
    pub fn gather(&self, source: View<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<()> {
        self.gather_into(source, axis, indices, out, (0, 0))
    }

    /// The same, with a check of which the host hears later.
    pub fn gather_later(
        &self,
        source: View<'_>,
        axis: usize,
        indices: View<'_>,
        out: View<'_>,
        check: IndexCheck,
    ) -> Result<()> {
        let check = self.device.begin_check(Asked::Index(check))?;
        let mut set = check.set;
        for view in [source, indices] {
            set |= self.device.checks_of(memory_of(view.allocation)?)?;
        }
        self.device.add_checks(memory_of(out.allocation)?, set);
        self.gather_into(source, axis, indices, out, (check.report, check.call))
    }

    /// The same; whether all indices are in range, for which it waits.
    pub fn gather_checked(&self, source: View<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<bool> {
        let outside = self.outside()?;
        self.gather_into(source, axis, indices, out, (outside.address(), 1))?;
        let mut found = [0; REPORT];
        // SAFETY: the block has as many bytes.
        unsafe { staging::download(&self.device, outside.address(), &mut found)? };
        if found == [0; REPORT] {
            return Ok(true);
        }
        outside.set_bytes(0)?;
        Ok(false)
    }

    fn outside(&self) -> Result<&DeviceMemory> {
        let cell = &self.outside[self.device.queue_number()];
        if let Some(outside) = cell.get() {
            return Ok(outside);
        }
        let outside = DeviceMemory::outside_pool(&self.device, REPORT)?;
        outside.set_bytes(0)?;
        Ok(cell.get_or_init(|| outside))
    }

    /// If an index is out of range, writes a report of this call to the address, unless that is 0.
    fn gather_into(
        &self,
        source: View<'_>,
        axis: usize,
        indices: View<'_>,
        out: View<'_>,
        (report, call): (u64, u32),
    ) -> Result<()> {
        let moves = Moves::new(
            &out.layout.shape,
            axis,
            (source_of(source)?, source.layout),
            (source_of(indices)?, indices.dtype, &indices.layout.strides[..]),
            (address_of(out)?, &out.layout.strides[..]),
            out.dtype.size(),
        );
        let number = index_number(indices.dtype);
        let kernels = self.gather[number][moves.unit].get(&self.device, || move_program(false, number, moves.unit))?;
        if let Some(size) = moves.packs() {
            let ([source, indices, out], count, length) = (moves.addresses, size as i64, moves.length as i64);
            let grid = (blocks("take", size, THREADS * EACH)?, 1);
            let mut arguments = arguments![source, indices, out, count, length, report, call];
            // SAFETY: as below, with the arguments of `gather_packs`; indices and results are contiguous, from multiples of 16 bytes on.
            return unsafe { launch(&self.device, kernels.packs, grid, THREADS as u32, &mut arguments) };
        }
        launch_over(&moves.axes, moves.addresses, moves.sizes, &mut |addresses, size, axes| {
            let function = if size <= i32::MAX as usize { kernels.few } else { kernels.many };
            let grid = blocks("take", size, THREADS * EACH)?;
            let ([source, indices, out], count) = (addresses, size as i64);
            let (length, step) = (moves.length as i64, moves.step as i64);
            let mut arguments = arguments![source, indices, out, count, length, step, report, call, axes];
            // SAFETY: the module is alive beside its functions; the arguments are those of `gather` and `gather_wide`, and
            // `KernelAxes` has the layout of their `warpcell_axes`; whatever the indices are, the kernels stay within the views, which lie in
            // live allocations; units are as wide as addresses and strides allow; the address of the report is 0 or has room for one.
            unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
        })
    }

    /// The indices are shared (see [`is_shared`]) or contiguous, or there is one value for all.
    pub fn scatter(&self, values: Operand<'_>, axis: usize, indices: View<'_>, out: View<'_>) -> Result<()> {
        let shape = &indices.layout.shape;
        let none = vec![0; shape.len()];
        // In which order equal values are written does not matter.
        let settled = match values {
            Operand::Array(_) => Some(self.settle(axis, indices, out)?),
            Operand::Scalar(_) => None,
        };
        let (index, index_address) = match &settled {
            Some(places) => (DType::I64, places.address()),
            None => (indices.dtype, source_of(indices)?),
        };
        let dense = Layout::contiguous(shape);
        let mut along = none.clone();
        along[axis] = 1;
        let index_strides = if settled.is_none() {
            &indices.layout.strides[..]
        } else if is_shared(indices, axis) {
            &along[..]
        } else {
            &dense.strides[..]
        };
        let (value_address, value_strides, pattern) = match values {
            Operand::Array(view) => (source_of(view)?, &view.layout.strides[..], [0; 2]),
            Operand::Scalar(value) => (0, &none[..], repeated(value.bits(), out.dtype.size())),
        };
        let moves = Moves::new(
            shape,
            axis,
            (address_of(out)?, out.layout),
            (index_address, index, index_strides),
            (value_address, value_strides),
            out.dtype.size(),
        );
        let number = index_number(index);
        let kernels = self.scatter[number][moves.unit].get(&self.device, || move_program(true, number, moves.unit))?;
        launch_over(&moves.axes, moves.addresses, moves.sizes, &mut |addresses, size, axes| {
            let function = if size <= i32::MAX as usize { kernels.few } else { kernels.many };
            let grid = blocks("put", size, THREADS * EACH)?;
            let ([target, indices, values], count) = (addresses, size as i64);
            let (length, step) = (moves.length as i64, moves.step as i64);
            let mut arguments = arguments![target, indices, values, pattern, count, length, step, axes];
            // SAFETY: as in `gather`, with the arguments of `scatter` and `scatter_wide`.
            unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
        })
    }

    /// The place of each index, without those that are repeated later; contiguous, or along `axis` alone.
    fn settle(&self, axis: usize, indices: View<'_>, out: View<'_>) -> Result<DeviceMemory> {
        let shape = &indices.layout.shape;
        let shared = is_shared(indices, axis);
        let along = shape[axis];
        let size = indices.layout.size();
        let (count, inner, lanes) =
            if shared { (along, 1, 1) } else { (size, shape[axis + 1..].iter().product(), size / along) };
        if count >= u32::MAX as usize {
            let reason = format!("{count} indices are more than one call can write to; split them");
            return Err(Error::argument("put", reason));
        }
        let (number, start) = (index_number(indices.dtype), source_of(indices)?);
        let kernels = self.repeats[number].get(&self.device, || repeat_program(INDICES[number]))?;
        let slots = out.layout.shape[axis].saturating_mul(lanes);
        let hashed = 2 * count.next_power_of_two();
        let direct = i32::from(slots <= hashed);
        let entries = if direct == 1 { slots } else { hashed };
        let bits = hashed.ilog2() as i32;
        let table = DeviceMemory::new(&self.device, entries * 4)?;
        let places = DeviceMemory::new(&self.device, count * 8)?;
        let span = profile::begin(&self.device, Kind::Memset, "memset", entries * 4)?;
        table.set_bytes(0)?;
        profile::end(&self.device, span)?;
        let passed = Indices {
            start,
            count: count as i64,
            along: along as i64,
            inner: inner as i64,
            length: out.layout.shape[axis] as i64,
        };
        let grid = blocks("put", count, THREADS)?;
        let (entries, target) = (table.address(), places.address());
        let mut arguments = arguments![passed, entries, bits, direct];
        // SAFETY: the module is alive beside its functions; the arguments are those of `claim`, and `Indices` has the layout
        // of its; the indices follow one another in a live allocation; the table has an entry for each slot, or twice as many
        // as there are indices.
        unsafe { launch(&self.device, kernels.claim, (grid, 1), THREADS as u32, &mut arguments)? };
        let mut arguments = arguments![passed, entries, bits, direct, target];
        // SAFETY: as above, with the arguments of `settle`; there is room for as many places as there are indices.
        unsafe { launch(&self.device, kernels.settle, (grid, 1), THREADS as u32, &mut arguments)? };
        Ok(places)
    }
}

/// The place in `INDICES` of the type as which indices are read.
fn index_number(dtype: DType) -> usize {
    match dtype {
        DType::I32 => 0,
        DType::U32 => 1,
        _ => 2,
    }
}

/// The low `size` bytes, repeated until they fill two words; the low word first.
fn repeated(mut bits: u128, mut size: usize) -> [u64; 2] {
    while size < 16 {
        // What is above them goes.
        bits &= (1 << (8 * size)) - 1;
        bits |= bits << (8 * size);
        size *= 2;
    }
    [bits as u64, (bits >> 64) as u64]
}

/// By the places in `INDICES` and `UNITS`.
fn move_program(writes: bool, index: usize, unit: usize) -> Program {
    let mut macros = vec![("INDEX", INDICES[index].cu_name()), ("ELEMENT", UNITS[unit].1)];
    if writes {
        macros.push(("SCATTER", "1"));
    }
    Program::new("index.cu", SOURCE, &macros)
}

fn repeat_program(index: DType) -> Program {
    Program::new("index.cu", SOURCE, &[("INDEX", index.cu_name())])
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let kinds = [false, true].into_iter().flat_map(|writes| (0..INDICES.len()).map(move |index| (writes, index)));
    let moves = kinds.flat_map(|(writes, index)| (0..UNITS.len()).map(move |unit| move_program(writes, index, unit)));
    moves.chain(INDICES.map(repeat_program)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(shape: &[usize], axis: usize, length: usize, size: usize, address: u64) -> Moves {
        let mut array = Layout::contiguous(shape);
        array.shape[axis] = length;
        array = Layout::contiguous(&array.shape);
        let mut indices = vec![0; shape.len()];
        indices[axis] = 1;
        let elements = Layout::contiguous(shape);
        Moves::new(shape, axis, (address, &array), (64, DType::I64, &indices), (1024, &elements.strides), size)
    }

    #[test]
    fn rows_are_moved_in_the_widest_units_that_fit() {
        let rows = moves(&[10, 12], 0, 7, 4, 512);
        assert_eq!((UNITS[rows.unit].0, rows.step, rows.length), (16, 3, 7));
        assert_eq!(rows.axes, [Axis { length: 3, strides: [1, 0, 1] }, Axis { length: 10, strides: [0, 1, 3] }]);
        assert_eq!(rows.sizes, [16, 8, 16]);
        assert_eq!(UNITS[moves(&[10, 12], 0, 7, 4, 520).unit].0, 8, "as the address allows");
        assert_eq!(UNITS[moves(&[10, 3], 0, 7, 4, 512).unit].0, 4, "as the row allows");
        assert_eq!(UNITS[moves(&[10], 0, 7, 4, 512).unit].0, 4, "single elements");
        assert_eq!(UNITS[moves(&[5, 10, 16], 1, 7, 1, 512).unit].0, 16);
        let single = moves(&[1000], 0, 7, 8, 512);
        assert_eq!(single.axes, [Axis { length: 1000, strides: [0, 1, 1] }]);
        assert_eq!((single.packs(), rows.packs()), (Some(1000), None));
        assert_eq!(moves(&[1000], 0, 7, 2, 512).packs(), None, "small elements");
    }

    #[test]
    fn values_are_repeated_in_a_word() {
        assert_eq!(repeated(0xfe, 1), [0xfefe_fefe_fefe_fefe; 2]);
        assert_eq!(repeated(1 | 5 << 32, 4), [0x0000_0001_0000_0001; 2]);
        assert_eq!(repeated(5, 8), [5, 5]);
        assert_eq!(repeated(5 | 7 << 64, 16), [5, 7]);
    }
}
