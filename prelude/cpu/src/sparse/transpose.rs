//! Elements of a sparse matrix in the order of other lines: each thread counts those of its part, and then moves them.

use super::super::loops::{elements_mut, lines};
use super::super::numeric::Shared;
use super::super::pool;
use super::{Entry, Lines, for_entry, parts_for};
use std::ops::Range;
use std::sync::Mutex;
use warpcell_base::backend::View;
use warpcell_base::backend::loops::LinesView;
use warpcell_base::error::{Error, Result};

/// Writes the lines of the transposed matrix.
///
/// # Safety
///
/// The arrays are as `Loops::Transpose` says; nothing else accesses those of `out`.
pub(in super::super) unsafe fn transpose(from: LinesView<'_>, out: LinesView<'_>) -> Result<()> {
    for_entry!(from.data.dtype, T => {
        // SAFETY: the caller's promise.
        let from: Lines<'_, T> = unsafe { lines(&from) };
        let length = out.pointers.layout.size() - 1;
        let parts = from.parts(parts_for(from.data.len(), length));
        // SAFETY: the caller's promise; the parts have each element once.
        unsafe { distribute(from.indices, &parts, &OfLines(from.pointers), from.data, out) }
    })
}

/// Writes lines of elements in any order.
///
/// # Safety
///
/// The arrays are as `Loops::Group` says; nothing else accesses those of `out`.
pub(in super::super) unsafe fn group(keys: &[i32], others: &[i32], data: &View<'_>, out: LinesView<'_>) -> Result<()> {
    for_entry!(data.dtype, T => {
        // SAFETY: the caller's promise.
        let data: &[T] = unsafe { super::super::loops::elements(data) };
        let count = parts_for(keys.len(), out.pointers.layout.size() - 1);
        let parts: Vec<Range<usize>> =
            (0..count).map(|part| keys.len() * part / count..keys.len() * (part + 1) / count).collect();
        // SAFETY: as above.
        unsafe { distribute(keys, &parts, &OfElements(others), data, out) }
    })
}

/// The elements of parts, and the index that each gets.
trait Source: Sync {
    fn elements(&self, part: &Range<usize>) -> Range<usize>;
    /// Calls a function with each element of a part, in order.
    fn each(&self, part: Range<usize>, place: impl FnMut(usize, i32));
}

/// Parts are lines, which begin where the pointers say: an element gets the number of its line.
struct OfLines<'a>(&'a [i32]);

impl Source for OfLines<'_> {
    fn elements(&self, part: &Range<usize>) -> Range<usize> {
        self.0[part.start] as usize..self.0[part.end] as usize
    }
    #[inline(always)]
    fn each(&self, part: Range<usize>, mut place: impl FnMut(usize, i32)) {
        for line in part {
            for at in self.elements(&(line..line + 1)) {
                place(at, line as i32);
            }
        }
    }
}

/// Parts are elements, which have their indices.
struct OfElements<'a>(&'a [i32]);

impl Source for OfElements<'_> {
    fn elements(&self, part: &Range<usize>) -> Range<usize> {
        part.clone()
    }
    #[inline(always)]
    fn each(&self, part: Range<usize>, mut place: impl FnMut(usize, i32)) {
        for at in part {
            place(at, self.0[at]);
        }
    }
}

/// Distributes elements over the lines of their keys.
///
/// # Safety
///
/// Keys are below the number of lines; the parts have each element once.
unsafe fn distribute<T: Entry, S: Source>(
    keys: &[i32],
    parts: &[Range<usize>],
    source: &S,
    data: &[T],
    out: LinesView<'_>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let pointers: &mut [i32] = unsafe { elements_mut(&out.pointers) };
    let lines = pointers.len() - 1;
    let counts: Vec<Mutex<Vec<i32>>> = parts.iter().map(|_| Mutex::default()).collect();
    pool::split(parts.len(), 1, &|range| {
        for part in range {
            let mut found = vec![0; lines];
            for &key in &keys[source.elements(&parts[part])] {
                found[key as usize] += 1;
            }
            *counts[part].lock().expect("nobody panics") = found;
        }
    });
    if pool::left_out() {
        return Err(Error::Interrupted);
    }
    // Where each part begins in each line.
    let mut places: Vec<Vec<i32>> = counts.into_iter().map(|part| part.into_inner().expect("nobody panics")).collect();
    let mut next = 0;
    for line in 0..lines {
        pointers[line] = next;
        for part in &mut places {
            next += std::mem::replace(&mut part[line], next);
        }
    }
    pointers[lines] = next;
    // SAFETY: the caller's promise.
    let targets = unsafe { (elements_mut::<i32>(&out.indices), elements_mut::<T>(&out.data)) };
    assert!(targets.0.len() >= keys.len() && targets.1.len() >= keys.len() && data.len() >= keys.len());
    let (indices, values) = (Shared(targets.0.as_mut_ptr()), Shared(targets.1.as_mut_ptr()));
    let places: Vec<Mutex<Vec<i32>>> = places.into_iter().map(Mutex::new).collect();
    pool::split(parts.len(), 1, &|range| {
        for part in range {
            let places = &mut *places[part].lock().expect("nobody panics");
            source.each(parts[part].clone(), |at, other| {
                let place = &mut places[keys[at] as usize];
                // SAFETY: there are as many places as elements were counted, each of one element.
                unsafe {
                    indices.get().add(*place as usize).write(other);
                    values.get().add(*place as usize).write(data[at]);
                }
                *place += 1;
            });
        }
    });
    Ok(())
}
