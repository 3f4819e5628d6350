//! New lines of sparse matrices: a pass counts the elements of each line, and another one writes them.
//!
//! Products are computed line by line (Gustavson, "Two fast algorithms for sparse matrices: multiplication and permuted transposition",
//! 1978): terms are added up in a dense line, and bits tell which of its elements there are, so they come out in order.

use super::super::loops::{elements, lines};
use super::super::memory::Memory;
use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use super::{Entry, Lines, for_entry};
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

/// The elements of a line, one behind another.
struct Target<'a, T> {
    indices: &'a mut [i32],
    data: &'a mut [T],
    count: usize,
}

impl<T> Target<'_, T> {
    #[inline(always)]
    fn push(&mut self, index: i32, value: T) {
        self.indices[self.count] = index;
        self.data[self.count] = value;
        self.count += 1;
    }
}

/// Makes `count` lines, of about so many `terms` in all: `size` gives the number of elements of a line, and `write` writes them. Both have
/// what `state` makes, which one thread uses at a time.
fn collected<T: Entry, S: Send>(
    count: usize,
    terms: usize,
    state: impl Fn() -> S + Sync,
    size: impl Fn(&mut S, usize) -> usize + Sync,
    write: impl Fn(&mut S, usize, &mut Target<'_, T>) + Sync,
) -> Result<Option<NewLines>> {
    let mut pointers = Memory::new((count + 1) * size_of::<i32>())?;
    let ends: &mut [i32] = {
        let bytes = pointers.bytes_mut().expect("our own memory");
        // SAFETY: the memory is aligned for every type, and initialised; any bytes are an i32.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), count + 1) }
    };
    let grain = (GRAIN / (terms / count.max(1) + 1)).max(1);
    let unused: Mutex<Vec<S>> = Mutex::default();
    let with_state = |work: &mut dyn FnMut(&mut S)| {
        let known = unused.lock().expect("nobody panics").pop();
        let mut own = known.unwrap_or_else(&state);
        work(&mut own);
        unused.lock().expect("nobody panics").push(own);
    };
    let (lengths, total) = (Shared(ends.as_mut_ptr()), AtomicUsize::new(0));
    pool::split(count, grain, &|range| {
        with_state(&mut |own| {
            let mut sum = 0;
            for line in range.clone() {
                let length = size(own, line);
                sum += length;
                // SAFETY: the number behind each line's belongs to one task.
                unsafe { lengths.get().add(line + 1).write(length as i32) };
            }
            total.fetch_add(sum, Ordering::Relaxed);
        });
    });
    if pool::left_out() {
        return Err(Error::Interrupted);
    }
    let total = total.into_inner();
    if total > i32::MAX as usize {
        return Ok(None);
    }
    ends[0] = 0;
    let mut end = 0;
    for length in ends.iter_mut() {
        end += *length;
        *length = end;
    }
    let indices = Memory::of_elements(total * size_of::<i32>(), align_of::<i32>())?;
    let data = Memory::of_elements(total * size_of::<T>(), align_of::<T>())?;
    let (all_indices, all_data) = (Shared(indices.start().cast::<i32>()), Shared(data.start().cast::<T>()));
    pool::split(count, grain, &|range| {
        with_state(&mut |own| {
            for line in range.clone() {
                let (first, last) = (ends[line] as usize, ends[line + 1] as usize);
                // SAFETY: the elements of each line belong to one task, and were counted before.
                let mut target = unsafe {
                    Target {
                        indices: std::slice::from_raw_parts_mut(all_indices.get().add(first), last - first),
                        data: std::slice::from_raw_parts_mut(all_data.get().add(first), last - first),
                        count: 0,
                    }
                };
                write(own, line, &mut target);
            }
        });
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

    /// Marks the elements of a line.
    #[inline(always)]
    fn mark<const IS_WIDE: bool>(&mut self, indices: &[i32]) {
        let [mut first, mut last] = self.used;
        for &index in indices {
            let index = index as usize;
            first = first.min(index);
            last = last.max(index);
            self.bits[index / 64] |= 1 << (index % 64);
            if IS_WIDE {
                self.words[index / 4096] |= 1 << (index / 64 % 64);
            }
        }
        self.used = [first, last];
    }

    /// Calls a function with each word of bits that is not 0, and clears it.
    #[inline(always)]
    fn each_word<const IS_WIDE: bool>(&mut self, mut work: impl FnMut(usize, u64, &mut [T])) {
        let [first, last] = std::mem::replace(&mut self.used, [usize::MAX, 0]);
        if first > last {
            return;
        }
        if IS_WIDE {
            for high in first / 4096..=last / 4096 {
                let mut word = std::mem::take(&mut self.words[high]);
                while word != 0 {
                    let middle = high * 64 + word.trailing_zeros() as usize;
                    work(middle, std::mem::take(&mut self.bits[middle]), &mut self.values);
                    word &= word - 1;
                }
            }
        } else {
            for middle in first / 64..=last / 64 {
                let bits = std::mem::take(&mut self.bits[middle]);
                if bits != 0 {
                    work(middle, bits, &mut self.values);
                }
            }
        }
    }
}

by_isa! {
    /// How many elements a line of the product has.
    fn size_of_product<T: Entry; const IS_WIDE: bool>(
        sums: &mut Sums<T>,
        own: &[i32],
        b: &Lines<'_, T>,
    ) -> usize {
        for &index in own {
            sums.mark::<IS_WIDE>(&b.indices[b.range(index as usize)]);
        }
        let mut count = 0;
        sums.each_word::<IS_WIDE>(|_, bits, _| count += bits.count_ones() as usize);
        count
    }
}

by_isa! {
    /// Writes a line of the product.
    fn write_product<T: Entry; const IS_WIDE: bool>(
        sums: &mut Sums<T>,
        own: &[i32],
        factors: &[T],
        b: &Lines<'_, T>,
        target: &mut Target<'_, T>,
    ) {
        for (&index, &factor) in own.iter().zip(factors) {
            let others = b.range(index as usize);
            let (indices, data) = (&b.indices[others.clone()], &b.data[others]);
            sums.mark::<IS_WIDE>(indices);
            for (&index, &value) in indices.iter().zip(data) {
                sums.values[index as usize] += factor * value;
            }
        }
        sums.each_word::<IS_WIDE>(|middle, mut bits, values| {
            while bits != 0 {
                let index = middle * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                target.push(index as i32, std::mem::take(&mut values[index]));
            }
        });
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
        |sums, line| size_of_product::<T, IS_WIDE>(sums, &a.indices[a.range(line)], b),
        |sums, line, target| {
            let own = a.range(line);
            write_product::<T, IS_WIDE>(sums, &a.indices[own.clone()], &a.data[own], b, target);
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
        |(), line| {
            let mut count = 0;
            join(a, b, line, &value_of, |_, value| count += usize::from(value != zero));
            count
        },
        |(), line, target| {
            join(a, b, line, &value_of, |index, value| {
                if value != zero {
                    target.push(index, value);
                }
            });
        },
    )
}

/// Goes through the elements of a line of both.
#[inline(always)]
fn join<T: Entry>(
    a: &Lines<'_, T>,
    b: &Lines<'_, T>,
    line: usize,
    value_of: &impl Fn(T, T) -> T,
    mut found: impl FnMut(i32, T),
) {
    let zero = T::default();
    let (left, right) = (a.range(line), b.range(line));
    let (a_indices, a_data) = (&a.indices[left.clone()], &a.data[left]);
    let (b_indices, b_data) = (&b.indices[right.clone()], &b.data[right]);
    let (mut at, mut other) = (0, 0);
    while at < a_indices.len() && other < b_indices.len() {
        let (a_index, b_index) = (a_indices[at], b_indices[other]);
        let index = a_index.min(b_index);
        let value = value_of(
            if a_index == index { a_data[at] } else { zero },
            if b_index == index { b_data[other] } else { zero },
        );
        found(index, value);
        at += usize::from(a_index == index);
        other += usize::from(b_index == index);
    }
    for (&index, &value) in a_indices[at..].iter().zip(&a_data[at..]) {
        found(index, value_of(value, zero));
    }
    for (&index, &value) in b_indices[other..].iter().zip(&b_data[other..]) {
        found(index, value_of(zero, value));
    }
}

/// Adds up the elements of sorted lines that have the same index.
fn summed<T: Entry>(from: &Lines<'_, T>) -> Result<Option<NewLines>> {
    collected(
        from.count(),
        from.data.len(),
        || (),
        |(), line| {
            let own = &from.indices[from.range(line)];
            own.len() - own.windows(2).filter(|pair| pair[0] == pair[1]).count()
        },
        |(), line, target| {
            let own = from.range(line);
            let (indices, data) = (&from.indices[own.clone()], &from.data[own]);
            for (at, (&index, &value)) in indices.iter().zip(data).enumerate() {
                if at == 0 || indices[at - 1] != index {
                    target.push(index, T::default());
                }
                target.data[target.count - 1] += value;
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
    let (width, sign) = (step.abs(), step.signum());
    let place = |index: i32| -> Option<i32> {
        let distance = (i64::from(index) - start) * sign;
        let place = if width == 1 { distance } else { distance / width };
        let is_there = distance >= 0 && place < count as i64 && (width == 1 || distance % width == 0);
        is_there.then_some(place as i32)
    };
    collected(
        rows.len(),
        terms,
        || (),
        |(), line| {
            let own = from.range(rows[line] as usize);
            if is_all { own.len() } else { from.indices[own].iter().filter(|&&index| place(index).is_some()).count() }
        },
        |(), line, target| {
            let own = from.range(rows[line] as usize);
            let (indices, data) = (&from.indices[own.clone()], &from.data[own]);
            if is_all {
                target.indices.copy_from_slice(indices);
                target.data.copy_from_slice(data);
                return;
            }
            for (&index, &value) in indices.iter().zip(data) {
                if let Some(place) = place(index) {
                    target.push(place, value);
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
        |(), line| {
            let row = &dense[line * length..(line + 1) * length];
            row.iter().map(|&value| u32::from(value != zero)).sum::<u32>() as usize
        },
        |(), line, target| {
            let row = &dense[line * length..(line + 1) * length];
            for (first, few) in row.chunks(8).enumerate() {
                if few.iter().any(|&value| value != zero) {
                    for (at, &value) in few.iter().enumerate() {
                        if value != zero {
                            target.push((8 * first + at) as i32, value);
                        }
                    }
                }
            }
        },
    )
}
