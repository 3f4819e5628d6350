//! Elements along an axis combined by any associative function, which was recorded as operations on elements: to one, in parts, or each
//! with all before it.
//!
//! Lanes, results that have nothing to do with each other, are computed side by side: an operation gets a row of them, in the
//! first-level cache. Where there are few lanes, an axis is cut into as many neighbouring pieces, whose results are combined in their
//! order. So each element is read once, and the function need not be commutative. The work is cut by the shape alone.

mod rows;

use super::elementwise::{self, Input};
use super::map::{BLOCK, Payload, call_block, caught, repeated, spread};
use super::numeric::Shared;
use super::runs::Runs;
use super::{convert, origin, where_};
use rows::{Gathered, are_neighbours, gather, scatter};
use std::ops::Range;
use warpcell_base::backend::Layout;
use warpcell_base::backend::recording::{Fold, Program, Step, Taken};
use warpcell_base::dtype::DType;

/// Lanes that are computed side by side; a block of a function of the user has as many elements at most.
const WIDTH: usize = BLOCK;
/// Rows of lanes that are gathered at a time, where those of the array do not lie side by side.
const ROWS: usize = 32;
/// With fewer lanes, an axis is cut into pieces.
const FEW: usize = 64;
/// About as many elements make a task.
const TASK: usize = 1 << 16;
/// Of a running result with few lanes: as many pieces of an axis, each of at most so many elements, are in the caches at once.
const PIECES: usize = 1024;
const LONGEST: usize = 128;
/// The pieces of one task.
const GROUP: usize = 256;

/// Does it; gives what a function of the user has panicked with.
///
/// # Safety
///
/// The arrays are as [`Fold`] says, in memory that nothing else accesses.
pub(super) unsafe fn fold(fold: &Fold<'_>) -> Option<Payload> {
    let Fold { program, x, axis, parts, out } = *fold;
    let without = |layout: &Layout| {
        let mut kept = Layout { offset: 0, ..layout.clone() };
        kept.shape.remove(axis);
        kept.strides.remove(axis);
        kept
    };
    // `out` may lack the axis, if there is one part.
    let [_, places, inner] = match parts {
        Some(parts) => [0, parts.len(), x.layout.shape[axis + 1..].iter().product()],
        None => x.layout.around(axis),
    };
    let mut shape = x.layout.shape.clone();
    shape[axis] = places;
    let kept = [without(x.layout), without(&Layout::contiguous(&shape))];
    let runs = Runs::new(&[&kept[0], &kept[1]]);
    let job = Job {
        program,
        dtype: x.dtype,
        size: x.dtype.size(),
        x: Shared(origin(&x)),
        step: x.layout.strides[axis],
        out: Shared(origin(&out)),
        out_step: inner as isize,
        lanes: runs.total(),
        runs,
    };
    let length = x.layout.shape[axis];
    // SAFETY: the caller's promise.
    unsafe {
        match parts {
            Some(parts) => job.reduce(parts),
            None if job.lanes < FEW && length >= 4 * GROUP => job.accumulate_pieces(length),
            None => job.accumulate(length),
        }
    }
}

/// What is the same for all tasks.
struct Job<'a> {
    program: &'a Program,
    dtype: DType,
    size: usize,
    x: Shared<u8>,
    /// Elements of `x` from one along the axis to the next.
    step: isize,
    out: Shared<u8>,
    out_step: isize,
    lanes: usize,
    /// The lanes, in `x` and in `out`.
    runs: Runs,
}

/// The distances of some lanes' first elements, in elements.
type Offsets = Vec<isize>;

impl Job<'_> {
    /// Where lanes are in `x` and in `out`.
    fn offsets(&self, lanes: Range<usize>) -> [Offsets; 2] {
        let mut found = [const { Vec::new() }; 2];
        self.runs.visit(lanes, &mut |offsets, length| {
            for (operand, found) in found.iter_mut().enumerate() {
                let steps = (0..length as isize).map(|index| index * self.runs.inner_strides[operand]);
                found.extend(steps.map(|step| offsets[operand] + step));
            }
        });
        found
    }

    /// Memory for so many elements.
    fn room(&self, elements: usize) -> Vec<u128> {
        vec![0; (elements * self.size).div_ceil(16)]
    }

    /// Combines each part to one element of each lane.
    ///
    /// # Safety
    ///
    /// As for [`fold`].
    unsafe fn reduce(&self, parts: &[Range<usize>]) -> Option<Payload> {
        let longest = parts.iter().map(Range::len).max().unwrap_or(0);
        let is_narrow = self.lanes < FEW && longest >= 2 * GROUP;
        let width = if is_narrow { 1 } else { WIDTH.min(self.lanes) };
        let groups = self.lanes.div_ceil(width);
        // So that few lanes, too, are the work of several threads.
        let block = if groups >= 16 { longest } else { (TASK / width).max(ROWS) };
        // The tasks: the blocks of the first group of the first part, those of the next group, and so on.
        let blocks: Vec<usize> = parts.iter().map(|part| part.len().div_ceil(block)).collect();
        let tasks: Vec<[usize; 3]> = (0..parts.len())
            .flat_map(|part| (0..groups).map(move |group| (part, group)))
            .flat_map(|(part, group)| (0..blocks[part]).map(move |block| [part, group, block]))
            .collect();
        let mut partial = self.room(tasks.len() * width);
        let partial = Shared(partial.as_mut_ptr().cast::<u8>());
        let lanes_of = |group: usize| group * width..self.lanes.min((group + 1) * width);
        let grain = (TASK / (block.min(longest) * width)).max(1);
        let panicked = spread(tasks.len(), grain, grain, &|range| {
            let mut machine = Machine::new(self);
            for task in range {
                let [part, group, number] = tasks[task];
                let first = parts[part].start + number * block;
                let count = block.min(parts[part].end - first);
                let [offsets, _] = self.offsets(lanes_of(group));
                // SAFETY: there is room for each task's results, and each task is one thread's; the elements lie within the layout.
                unsafe {
                    let target = partial.get().add(task * width * self.size);
                    let start = self.x.get().cast_const().offset(first as isize * self.step * self.size as isize);
                    if is_narrow {
                        let start = start.offset(offsets[0] * self.size as isize);
                        machine.total(start, self.step, count, target);
                    } else {
                        machine.totals(start, &offsets, self.step, count, target);
                    }
                }
            }
        });
        if panicked.is_some() {
            return panicked;
        }
        // Of each group in each part, where its first block is among the tasks.
        let mut firsts = Vec::with_capacity(parts.len() * groups);
        let mut first = 0;
        for &blocks in &blocks {
            for _ in 0..groups {
                firsts.push(first);
                first += blocks;
            }
        }
        spread(firsts.len(), (TASK / width).max(1), (TASK / width).max(1), &|range| {
            let mut machine = Machine::new(self);
            for index in range {
                let (part, group) = (index / groups, index % groups);
                let [_, offsets] = self.offsets(lanes_of(group));
                let rows: Offsets = (0..offsets.len() as isize).collect();
                // SAFETY: the results of the first pass, and the places of `out`, each of which is of one group and part.
                unsafe {
                    let start = partial.get().cast_const().add(firsts[index] * width * self.size);
                    let total = machine.of_rows(start, &rows, width as isize, blocks[part]);
                    let target = self.out.get().offset(part as isize * self.out_step * self.size as isize);
                    scatter(self.dtype, total, WIDTH, 1, target, &offsets, 0);
                }
            }
        })
    }

    /// Combines each element with all before it, lanes side by side.
    ///
    /// # Safety
    ///
    /// As for [`fold`].
    unsafe fn accumulate(&self, length: usize) -> Option<Payload> {
        let width = WIDTH.min(self.lanes);
        let grain = (TASK / (width * length)).max(1);
        spread(self.lanes.div_ceil(width), grain, grain, &|groups| {
            let mut machine = Machine::new(self);
            let (mut made, mut last) = (self.room(ROWS * WIDTH), self.room(WIDTH));
            for group in groups {
                let [offsets, targets] = self.offsets(group * width..self.lanes.min((group + 1) * width));
                // Where the rows before this one are.
                // SAFETY: the elements lie within the layouts; each lane is one thread's.
                unsafe {
                    machine.running(
                        (self.x.get(), &offsets, self.step),
                        (self.out.get(), &targets, self.out_step),
                        length,
                        [&mut made, &mut last],
                    );
                }
            }
        })
    }

    /// The same for few lanes: pieces of each are lanes, and then get what is before them.
    ///
    /// # Safety
    ///
    /// As for [`fold`].
    unsafe fn accumulate_pieces(&self, length: usize) -> Option<Payload> {
        let [starts, targets] = self.offsets(0..self.lanes);
        let mut rows = self.room(PIECES * LONGEST);
        let rows = Shared(rows.as_mut_ptr().cast::<u8>());
        let mut machine = Machine::new(self);
        let size = self.size;
        for (start, target) in starts.into_iter().zip(targets) {
            // What all elements before `first` are combined to, if there are some.
            let mut before: Vec<u128> = Vec::new();
            let mut first = 0;
            while first < length {
                let pieces = PIECES.min(length - first);
                let each = LONGEST.min((length - first) / pieces);
                let places = |start: isize, step: isize, pieces: Range<usize>| -> Offsets {
                    pieces.map(|piece| start + (first + piece * each) as isize * step).collect()
                };
                let groups = pieces.div_ceil(GROUP);
                let of_group = |group: usize| group * GROUP..pieces.min((group + 1) * GROUP);
                // A group's rows are one thread's.
                let rows_of = |group: usize| rows.get().wrapping_add(group * GROUP * LONGEST * size);
                let grain = if pieces * each > TASK / 2 { 1 } else { groups };
                let panicked = spread(groups, grain, grain, &|range| {
                    let mut machine = Machine::new(self);
                    for group in range {
                        let from = places(start, self.step, of_group(group));
                        let side_by_side: Offsets = (0..from.len() as isize).collect();
                        // SAFETY: the elements lie within the layout.
                        unsafe {
                            let to = (rows_of(group), &side_by_side[..], GROUP as isize);
                            machine.running(
                                (self.x.get(), &from, self.step),
                                to,
                                each,
                                [&mut Vec::new(), &mut Vec::new()],
                            );
                        }
                    }
                });
                if panicked.is_some() {
                    return panicked;
                }
                // What is before each piece, and at the end before the next ones: the totals' running results.
                let has_before = usize::from(!before.is_empty());
                let count = pieces + has_before;
                let mut totals = [self.room(PIECES + 1), self.room(PIECES + 1)];
                // SAFETY: the rows were written, and the pieces' totals are their last ones.
                let combined = caught(|| unsafe {
                    let all = totals[0].as_mut_ptr().cast::<u8>();
                    if has_before == 1 {
                        std::ptr::copy_nonoverlapping(before.as_ptr().cast(), all, size);
                    }
                    for group in 0..groups {
                        let lanes = of_group(group);
                        let last = rows_of(group).add((each - 1) * GROUP * size);
                        let place = all.add((has_before + lanes.start) * size);
                        std::ptr::copy_nonoverlapping(last, place, lanes.len() * size);
                    }
                    machine.scan(&mut totals, count);
                });
                if combined.is_some() {
                    return combined;
                }
                let running = Shared(totals[0].as_mut_ptr().cast::<u8>());
                let panicked = spread(groups, grain, grain, &|range| {
                    let mut machine = Machine::new(self);
                    let mut made = self.room(ROWS * WIDTH);
                    let made = made.as_mut_ptr().cast::<u8>();
                    for group in range {
                        let lanes = of_group(group);
                        // The first piece of all has nothing before it.
                        let skipped = usize::from(has_before == 0 && group == 0);
                        let to = places(target, self.out_step, lanes.clone());
                        for top in (0..each).step_by(ROWS) {
                            let tile = ROWS.min(each - top);
                            // SAFETY: the totals and rows were written; the places are this task's.
                            unsafe {
                                for row in 0..tile {
                                    let own = rows_of(group).cast_const().add((top + row) * GROUP * size);
                                    let place = made.add(row * WIDTH * size);
                                    std::ptr::copy_nonoverlapping(own, place, skipped * size);
                                    let first = has_before + lanes.start + skipped - 1;
                                    let before = running.get().cast_const().add(first * size);
                                    let (own, place) = (own.add(skipped * size), place.add(skipped * size));
                                    machine.run(before, own, place, lanes.len() - skipped);
                                }
                                let place = self.out.get().offset(top as isize * self.out_step * size as isize);
                                scatter(self.dtype, made, WIDTH, tile, place, &to, self.out_step);
                            }
                        }
                    }
                });
                if panicked.is_some() {
                    return panicked;
                }
                before = self.room(1);
                // SAFETY: there are so many running results, and room for one.
                unsafe {
                    let last = running.get().cast_const().add((count - 1) * size);
                    std::ptr::copy_nonoverlapping(last, before.as_mut_ptr().cast(), size);
                }
                first += pieces * each;
            }
        }
        None
    }
}

/// What computes the program for rows of lanes, with the memory that one thread needs for it.
struct Machine<'a> {
    program: &'a Program,
    dtype: DType,
    size: usize,
    /// The shape of what is computed.
    layout: Layout,
    /// Of each value that is not an argument and not the result: its elements.
    buffers: Vec<Vec<u128>>,
    /// Of each scalar that functions of the user take, a block of it: by step and input.
    blocks: Vec<Vec<Vec<u128>>>,
    /// Rows that were gathered.
    tile: Vec<u128>,
    /// Results that change places.
    totals: [Vec<u128>; 2],
}

impl<'a> Machine<'a> {
    fn new(job: &Job<'a>) -> Machine<'a> {
        let program = job.program;
        let room = |(number, dtype): (usize, &DType)| {
            let is_needed = number > 1 && number != program.result;
            vec![0u128; if is_needed { (WIDTH * dtype.size()).div_ceil(16) } else { 0 }]
        };
        let blocks = |step: &Step| match step {
            Step::Map { inputs, .. } => inputs
                .iter()
                .map(|input| match input {
                    Taken::Scalar(value) => repeated(*value),
                    Taken::Value(_) => Vec::new(),
                })
                .collect(),
            _ => Vec::new(),
        };
        Machine {
            program,
            dtype: job.dtype,
            size: job.size,
            layout: Layout::contiguous(&[0]),
            buffers: program.dtypes.iter().enumerate().map(room).collect(),
            blocks: program.steps.iter().map(blocks).collect(),
            tile: Vec::new(),
            totals: [const { Vec::new() }; 2],
        }
    }

    /// Combines `count` elements of `x` with as many of `y`.
    ///
    /// # Safety
    ///
    /// There must be so many, and room for as many at `out`, which overlaps neither; bools are 0 or 1.
    unsafe fn run(&mut self, mut x: *const u8, mut y: *const u8, mut out: *mut u8, mut count: usize) {
        // SAFETY: the caller's promise, for each block.
        unsafe {
            while count > WIDTH {
                self.block(x, y, out, WIDTH);
                let bytes = WIDTH * self.size;
                (x, y, out, count) = (x.add(bytes), y.add(bytes), out.add(bytes), count - WIDTH);
            }
            if count > 0 {
                self.block(x, y, out, count);
            }
        }
    }

    /// The same, for at most `WIDTH` elements.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn block(&mut self, x: *const u8, y: *const u8, out: *mut u8, count: usize) {
        let Machine { program, layout, buffers, blocks, .. } = self;
        let Program { dtypes, steps, result } = program;
        layout.shape[0] = count;
        let layout = &*layout;
        let mut place = |value: usize| match value {
            0 => x.cast_mut(),
            1 => y.cast_mut(),
            value if value == *result => out,
            value => buffers[value].as_mut_ptr().cast(),
        };
        for (step, blocks) in steps.iter().zip(blocks) {
            let mut input = |taken: Taken| match taken {
                Taken::Value(value) => Input::Array(place(value).cast_const(), layout),
                Taken::Scalar(value) => Input::Scalar(value),
            };
            let dtype_of = |taken: Taken| match taken {
                Taken::Value(value) => dtypes[value],
                Taken::Scalar(value) => value.dtype(),
            };
            // SAFETY: the caller's promise; each value has memory of its own, and its dtype is the one that was noted.
            unsafe {
                match step {
                    &Step::Unary { function, x, out } => {
                        let x_input = input(Taken::Value(x));
                        elementwise::unary(function, dtypes[x], x_input, place(out), layout);
                    }
                    &Step::Binary { function, a, b, out } => {
                        let dtype = if let Taken::Value(_) = a { dtype_of(a) } else { dtype_of(b) };
                        let inputs = [a, b].map(&mut input);
                        elementwise::binary(function, dtype, inputs, place(out), layout);
                    }
                    &Step::Convert { x, out } => {
                        let (from, to) = (place(x).cast_const(), place(out));
                        convert::convert(dtypes[x], from, layout, dtypes[out], to, layout);
                    }
                    &Step::Where { condition, a, b, out } => {
                        let inputs = [a, b].map(&mut input);
                        let condition = (place(condition).cast_const(), layout);
                        where_::where_(dtypes[out], condition, inputs, place(out), layout);
                    }
                    &Step::Fill { value, out } => elementwise::fill(value, place(out), layout),
                    Step::Map { function, inputs, outs } => {
                        let given: Vec<*const u8> = inputs
                            .iter()
                            .zip(blocks)
                            .map(|(input, block)| match input {
                                Taken::Value(value) => place(*value).cast_const(),
                                Taken::Scalar(_) => block.as_ptr().cast(),
                            })
                            .collect();
                        let made: Vec<*mut u8> = outs.iter().map(|out| place(*out)).collect();
                        call_block(function, &given, &made, count);
                    }
                }
            }
        }
        if *result < 2 {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(place(*result).cast_const(), out, count * self.size) };
        }
    }

    /// Running results: row after row of lanes.
    ///
    /// # Safety
    ///
    /// Lanes of `length` elements are at the offsets from each start, a step apart; nothing else accesses the second ones. The
    /// buffers are for `ROWS` rows, and for one, if lanes of the results do not lie side by side.
    unsafe fn running(
        &mut self,
        (start, offsets, step): (*mut u8, &[isize], isize),
        (out, targets, out_step): (*mut u8, &[isize], isize),
        length: usize,
        [made, last]: [&mut Vec<u128>; 2],
    ) {
        let (count, size) = (offsets.len(), self.size);
        let is_direct = are_neighbours(targets);
        let mut rows = Gathered::new(self.dtype, start.cast_const(), offsets, step, length);
        let mut before: *const u8 = std::ptr::null();
        for number in 0..length {
            let in_tile = number % ROWS;
            // SAFETY: the caller's promise; rows of a tile come one after the other, and the last one is kept.
            unsafe {
                let row = rows.row(number, &mut self.tile);
                let place = if is_direct {
                    out.offset((targets[0] + number as isize * out_step) * size as isize)
                } else {
                    if in_tile == 0 && number > 0 {
                        std::ptr::copy_nonoverlapping(before, last.as_mut_ptr().cast(), count * size);
                        before = last.as_ptr().cast();
                    }
                    made.as_mut_ptr().cast::<u8>().add(in_tile * WIDTH * size)
                };
                if number == 0 {
                    std::ptr::copy_nonoverlapping(row, place, count * size);
                } else {
                    self.run(before, row, place, count);
                }
                before = place;
                if !is_direct && (in_tile == ROWS - 1 || number == length - 1) {
                    let place = out.offset((number - in_tile) as isize * out_step * size as isize);
                    scatter(self.dtype, made.as_ptr().cast(), WIDTH, in_tile + 1, place, targets, out_step);
                }
            }
        }
    }

    /// Combines rows of at most `WIDTH` lanes to one; gives where it is, until the next call.
    ///
    /// # Safety
    ///
    /// Lanes of `length` elements, at least one, are at the offsets from `start`, a step apart.
    unsafe fn of_rows(&mut self, start: *const u8, offsets: &[isize], step: isize, length: usize) -> *const u8 {
        let count = offsets.len();
        let mut rows = Gathered::new(self.dtype, start, offsets, step, length);
        let [mut total, mut next] = self.two_totals();
        // SAFETY: the caller's promise; the rooms are for as many lanes.
        unsafe {
            std::ptr::copy_nonoverlapping(rows.row(0, &mut self.tile), total, count * self.size);
            for number in 1..length {
                let row = rows.row(number, &mut self.tile);
                self.run(total, row, next, count);
                (total, next) = (next, total);
            }
        }
        total
    }

    /// Room for two results of twice as many lanes as there are at most.
    fn two_totals(&mut self) -> [*mut u8; 2] {
        let words = (2 * WIDTH * self.size).div_ceil(16);
        for total in &mut self.totals {
            total.resize(words, 0);
        }
        self.totals.each_mut().map(|total| total.as_mut_ptr().cast())
    }

    /// Writes what lanes are combined to.
    ///
    /// # Safety
    ///
    /// As for [`of_rows`](Self::of_rows); there is room for the results at `target`.
    unsafe fn totals(&mut self, start: *const u8, offsets: &[isize], step: isize, length: usize, target: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            let total = self.of_rows(start, offsets, step, length);
            std::ptr::copy_nonoverlapping(total, target, offsets.len() * self.size);
        }
    }

    /// Writes what one lane is combined to: neighbouring pieces of it are lanes, whose results are combined by halves.
    ///
    /// # Safety
    ///
    /// `length` elements, at least one, are at `start`, a step apart; there is room for an element at `target`.
    unsafe fn total(&mut self, start: *const u8, step: isize, length: usize, target: *mut u8) {
        let (size, dtype) = (self.size, self.dtype);
        let each = length / WIDTH;
        let (pieces, rest) = if each >= 2 { (WIDTH, length - WIDTH * each) } else { (0, length) };
        let mut halves = vec![0u128; 2 * (WIDTH * size).div_ceil(16)];
        let (first, second) = halves.split_at_mut((WIDTH * size).div_ceil(16));
        let (first, second) = (first.as_mut_ptr().cast::<u8>(), second.as_mut_ptr().cast::<u8>());
        // SAFETY: the caller's promise; there are never more than twice `WIDTH` values, and half of them fit into each half.
        unsafe {
            let values = if pieces > 0 {
                let offsets: Offsets = (0..pieces).map(|piece| (piece * each) as isize * step).collect();
                self.of_rows(start, &offsets, step, each).cast_mut()
            } else {
                self.two_totals()[0]
            };
            let behind = start.offset((pieces * each) as isize * step * size as isize);
            gather(dtype, behind, &[0], step, rest, values.add(pieces * size), 1);
            let mut count = pieces + rest;
            while count > 1 {
                let pairs = count / 2;
                gather(dtype, values, &[0], 2, pairs, first, 1);
                gather(dtype, values.add(size), &[0], 2, pairs, second, 1);
                self.run(first, second, values, pairs);
                if count % 2 == 1 {
                    std::ptr::copy(values.add((count - 1) * size), values.add(pairs * size), size);
                }
                count = count.div_ceil(2);
            }
            std::ptr::copy_nonoverlapping(values, target, size);
        }
    }

    /// Replaces `count` values by their running results.
    ///
    /// # Safety
    ///
    /// The first of the two has so many values, and the second one room for as many.
    unsafe fn scan(&mut self, values: &mut [Vec<u128>; 2], count: usize) {
        let mut step = 1;
        while step < count {
            let [old, new] = &mut *values;
            let (old, new) = (old.as_ptr().cast::<u8>(), new.as_mut_ptr().cast::<u8>());
            let bytes = step * self.size;
            // SAFETY: the caller's promise.
            unsafe {
                std::ptr::copy_nonoverlapping(old, new, bytes);
                self.run(old, old.add(bytes), new.add(bytes), count - step);
            }
            values.swap(0, 1);
            step *= 2;
        }
    }
}
