//! New lines of sparse matrices, whose number of elements is known when they are there: each thread collects some lines, and then all
//! are moved behind one another.
//!
//! Products are computed line by line (Gustavson, "Two fast algorithms for sparse matrices: multiplication and permuted transposition",
//! 1978): terms are added up in a dense line, and bits tell which of its elements there are, so they come out in order.

use super::super::loops::{elements, lines};
use super::super::memory::Memory;
use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use super::{Entry, Lines, for_entry};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use warpcell_base::backend::loops::{Made, NewLines};
use warpcell_base::error::{Error, Result};

/// About so many terms are worth a thread.
const GRAIN: usize = 1 << 13;

/// Makes lines. None if there are too many elements.
///
/// # Safety
///
/// The arrays are as `Made` says.
pub(in super::super) unsafe fn made(of: Made<'_>) -> Result<Option<NewLines>> {
    // SAFETY: of all calls: the caller's promise.
    unsafe {
        match of {
            Made::Product { a, b, length } => {
                for_entry!(a.data.dtype, T => product::<T>(&lines(&a), &lines(&b), length))
            }
            Made::Joined { a, b, kind } => for_entry!(a.data.dtype, T => joined::<T>(&lines(&a), &lines(&b), kind)),
            Made::Summed { lines: from } => for_entry!(from.data.dtype, T => summed::<T>(&lines(&from))),
            Made::Selected { lines: from, rows, columns } => {
                for_entry!(from.data.dtype, T => selected::<T>(&lines(&from), elements(&rows), columns))
            }
            Made::OfDense { dense } => {
                let length = dense.layout.shape[1];
                for_entry!(dense.dtype, T => of_dense::<T>(elements(&dense), dense.layout.shape[0], length))
            }
        }
    }
}

/// Where a thread puts the elements of its lines.
struct Part<T> {
    lines: Range<usize>,
    indices: Vec<i32>,
    data: Vec<T>,
}

/// Makes `count` lines, of about so many `terms` in all. `collect` puts the elements of a line behind others; it has what `state` makes,
/// which one thread uses at a time.
fn collected<T: Entry, S: Send>(
    count: usize,
    terms: usize,
    state: impl Fn() -> S + Sync,
    collect: impl Fn(&mut S, usize, &mut Vec<i32>, &mut Vec<T>) + Sync,
) -> Result<Option<NewLines>> {
    let mut pointers = Memory::new((count + 1) * size_of::<i32>())?;
    let ends: &mut [i32] = {
        let bytes = pointers.bytes_mut().expect("our own memory");
        // SAFETY: the memory is aligned for every type, and initialised; any bytes are an i32.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), count + 1) }
    };
    ends[0] = 0;
    let lengths = Shared(ends.as_mut_ptr());
    let grain = (GRAIN / (terms / count.max(1) + 1)).max(1);
    let unused: Mutex<Vec<S>> = Mutex::default();
    let parts: Mutex<Vec<Part<T>>> = Mutex::default();
    let total = AtomicUsize::new(0);
    pool::split(count, grain, &|range| {
        if total.load(Ordering::Relaxed) > i32::MAX as usize {
            return;
        }
        let known = unused.lock().expect("nobody panics").pop();
        let mut own = known.unwrap_or_else(&state);
        let mut part = Part { lines: range.clone(), indices: Vec::new(), data: Vec::new() };
        for line in range {
            let before = part.data.len();
            collect(&mut own, line, &mut part.indices, &mut part.data);
            // SAFETY: the number behind each line's belongs to one task.
            unsafe { lengths.get().add(line + 1).write((part.data.len() - before) as i32) };
        }
        total.fetch_add(part.data.len(), Ordering::Relaxed);
        unused.lock().expect("nobody panics").push(own);
        parts.lock().expect("nobody panics").push(part);
    });
    if pool::left_out() {
        return Err(Error::Interrupted);
    }
    let total = total.into_inner();
    if total > i32::MAX as usize {
        return Ok(None);
    }
    let mut end = 0;
    for length in ends.iter_mut() {
        end += *length;
        *length = end;
    }
    let indices = Memory::of_elements(total * size_of::<i32>(), align_of::<i32>())?;
    let data = Memory::of_elements(total * size_of::<T>(), align_of::<T>())?;
    let targets = (Shared(indices.start().cast::<i32>()), Shared(data.start().cast::<T>()));
    let parts = parts.into_inner().expect("nobody panics");
    let grain = (GRAIN * parts.len() / total.max(1)).max(1);
    pool::split(parts.len(), grain, &|range| {
        for part in &parts[range] {
            let first = ends[part.lines.start] as usize;
            // SAFETY: the elements of the lines of each part belong to one task.
            unsafe {
                targets.0.get().add(first).copy_from_nonoverlapping(part.indices.as_ptr(), part.indices.len());
                targets.1.get().add(first).copy_from_nonoverlapping(part.data.as_ptr(), part.data.len());
            }
        }
    });
    Ok(Some(NewLines { pointers: Arc::new(pointers), indices: Arc::new(indices), data: Arc::new(data), count: total }))
}

/// Lines up to this length have no words of words: to look at all words of bits takes less time.
const NARROW: usize = 1 << 15;

/// A line that is added up. All is 0 between two lines.
struct Sums<T> {
    values: Vec<T>,
    /// Which elements there are.
    bits: Vec<u64>,
    /// Which words of `bits` are not 0, if the line is wide.
    words: Vec<u64>,
    /// The first element that there may be, and the last one.
    used: [usize; 2],
}

impl<T: Entry> Sums<T> {
    fn new(length: usize) -> Sums<T> {
        let words = length.div_ceil(64);
        let (bits, high) = (vec![0; words], vec![0; words.div_ceil(64)]);
        Sums { values: vec![T::default(); length], bits, words: high, used: [usize::MAX, 0] }
    }
}

by_isa! {
    /// Adds a line times a factor.
    fn add<T: Entry; const IS_WIDE: bool>(sums: &mut Sums<T>, factor: T, indices: &[i32], data: &[T]) {
        let [mut first, mut last] = sums.used;
        for (&index, &value) in indices.iter().zip(data) {
            let index = index as usize;
            first = first.min(index);
            last = last.max(index);
            sums.values[index] += factor * value;
            sums.bits[index / 64] |= 1 << (index % 64);
            if IS_WIDE {
                sums.words[index / 4096] |= 1 << (index / 64 % 64);
            }
        }
        sums.used = [first, last];
    }
}

by_isa! {
    /// Moves the elements behind those that are there; at most `most`.
    fn take<T: Entry; const IS_WIDE: bool>(sums: &mut Sums<T>, most: usize, indices: &mut Vec<i32>, data: &mut Vec<T>) {
        let [first, last] = std::mem::replace(&mut sums.used, [usize::MAX, 0]);
        if first > last {
            return;
        }
        indices.reserve(most);
        data.reserve(most);
        let mut of_word = |middle: usize| {
            let mut bits = std::mem::take(&mut sums.bits[middle]);
            while bits != 0 {
                let index = middle * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                indices.push(index as i32);
                data.push(std::mem::take(&mut sums.values[index]));
            }
        };
        if IS_WIDE {
            for high in first / 4096..=last / 4096 {
                let mut word = std::mem::take(&mut sums.words[high]);
                while word != 0 {
                    of_word(high * 64 + word.trailing_zeros() as usize);
                    word &= word - 1;
                }
            }
        } else {
            for middle in first / 64..=last / 64 {
                of_word(middle);
            }
        }
    }
}

fn product<T: Entry>(a: &Lines<'_, T>, b: &Lines<'_, T>, length: usize) -> Result<Option<NewLines>> {
    if length > NARROW { product_of::<T, true>(a, b, length) } else { product_of::<T, false>(a, b, length) }
}

fn product_of<T: Entry, const IS_WIDE: bool>(
    a: &Lines<'_, T>,
    b: &Lines<'_, T>,
    length: usize,
) -> Result<Option<NewLines>> {
    let terms = a.data.len().saturating_mul(b.data.len() / b.count().max(1) + 1);
    collected(
        a.count(),
        terms,
        || Sums::new(length),
        |sums, line, indices, data| {
            let elements = a.range(line);
            let mut most = 0;
            for (&index, &factor) in a.indices[elements.clone()].iter().zip(&a.data[elements]) {
                let others = b.range(index as usize);
                most += others.len();
                add::<T, IS_WIDE>(sums, factor, &b.indices[others.clone()], &b.data[others]);
            }
            take::<T, IS_WIDE>(sums, most.min(length), indices, data);
        },
    )
}

/// Two canonical matrices, element by element.
fn joined<T: Entry>(a: &Lines<'_, T>, b: &Lines<'_, T>, kind: i32) -> Result<Option<NewLines>> {
    #[allow(clippy::eq_op, reason = "only NaN is unequal to itself")]
    let first = |a: T, is_first: bool| is_first || a != a;
    match kind {
        0 => joined_by(a, b, |a, b| a + b),
        1 => joined_by(a, b, |a, b| a - b),
        2 => joined_by(a, b, |a, b| a * b),
        3 => joined_by(a, b, |a, b| if first(a, a > b) { a } else { b }),
        _ => joined_by(a, b, |a, b| if first(a, a < b) { a } else { b }),
    }
}

/// What is 0 is left out.
fn joined_by<T: Entry>(
    a: &Lines<'_, T>,
    b: &Lines<'_, T>,
    value_of: impl Fn(T, T) -> T + Sync,
) -> Result<Option<NewLines>> {
    let zero = T::default();
    collected(
        a.count(),
        a.data.len() + b.data.len(),
        || (),
        |(), line, indices, data| {
            let (left, right) = (a.range(line), b.range(line));
            let mut push = |index: i32, value: T| {
                if value != zero {
                    indices.push(index);
                    data.push(value);
                }
            };
            let (mut at, mut other) = (left.start, right.start);
            while at < left.end && other < right.end {
                let (a_index, b_index) = (a.indices[at], b.indices[other]);
                let index = a_index.min(b_index);
                let value = value_of(
                    if a_index == index { a.data[at] } else { zero },
                    if b_index == index { b.data[other] } else { zero },
                );
                push(index, value);
                at += usize::from(a_index == index);
                other += usize::from(b_index == index);
            }
            for at in at..left.end {
                push(a.indices[at], value_of(a.data[at], zero));
            }
            for other in other..right.end {
                push(b.indices[other], value_of(zero, b.data[other]));
            }
        },
    )
}

/// Adds up the elements of sorted lines that have the same index.
fn summed<T: Entry>(from: &Lines<'_, T>) -> Result<Option<NewLines>> {
    collected(
        from.count(),
        from.data.len(),
        || (),
        |(), line, indices, data| {
            let start = indices.len();
            let elements = from.range(line);
            for (&index, &value) in from.indices[elements.clone()].iter().zip(&from.data[elements]) {
                match data.last_mut() {
                    Some(last) if indices.len() > start && indices[indices.len() - 1] == index => *last += value,
                    _ => {
                        indices.push(index);
                        let mut sum = T::default();
                        sum += value;
                        data.push(sum);
                    }
                }
            }
        },
    )
}

/// Some lines, and of each the elements at some places.
fn selected<T: Entry>(
    from: &Lines<'_, T>,
    rows: &[i64],
    (start, step, count, length): (i64, i64, usize, usize),
) -> Result<Option<NewLines>> {
    let is_all = (start, step) == (0, 1) && count == length;
    let terms = from.data.len() / from.count().max(1) * rows.len();
    collected(
        rows.len(),
        terms,
        || (),
        |(), line, indices, data| {
            let elements = from.range(rows[line] as usize);
            let (own, values) = (&from.indices[elements.clone()], &from.data[elements]);
            if is_all {
                indices.extend_from_slice(own);
                data.extend_from_slice(values);
                return;
            }
            indices.reserve(own.len());
            data.reserve(own.len());
            for (&index, &value) in own.iter().zip(values) {
                let mut distance = (i64::from(index) - start) * step.signum();
                if distance < 0 {
                    continue;
                }
                let width = step.abs();
                if width != 1 {
                    if distance % width != 0 {
                        continue;
                    }
                    distance /= width;
                }
                if distance < count as i64 {
                    indices.push(distance as i32);
                    data.push(value);
                }
            }
        },
    )
}

/// What is not 0 of a dense matrix.
fn of_dense<T: Entry>(dense: &[T], count: usize, length: usize) -> Result<Option<NewLines>> {
    let zero = T::default();
    collected(
        count,
        dense.len(),
        || (),
        |(), line, indices, data| {
            let row = &dense[line * length..(line + 1) * length];
            for (first, few) in row.chunks(8).enumerate() {
                if few.iter().any(|&value| value != zero) {
                    for (at, &value) in few.iter().enumerate() {
                        if value != zero {
                            indices.push((8 * first + at) as i32);
                            data.push(value);
                        }
                    }
                }
            }
        },
    )
}
