//! The order of the elements in lines, and sums across lines.

use super::super::loops::{Float, elements, elements_mut, lines};
use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use super::{Entry, GRAIN, Lines, for_entry, parts_for};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_base::backend::View;
use warpcell_base::backend::loops::LinesView;
use warpcell_base::error::{Error, Result};

/// Lines of at most so many elements are sorted by insertion.
const SHORT: usize = 24;

/// How many indices are less than those before them in their line, and how many equal them.
pub(in super::super) fn disorder(pointers: &[i32], indices: &[i32]) -> [i32; 2] {
    let [all, between] = [(); 2].map(|()| [AtomicUsize::new(0), AtomicUsize::new(0)]);
    let add = |to: &[AtomicUsize; 2], [falls, repeats]: [usize; 2]| {
        to[0].fetch_add(falls, Ordering::Relaxed);
        to[1].fetch_add(repeats, Ordering::Relaxed);
    };
    // Of all neighbours, and then less those that are in two lines.
    pool::split(indices.len().saturating_sub(1), GRAIN, &|range| {
        add(&all, falls_and_repeats(&indices[range.start..range.end + 1]));
    });
    let starts = &pointers[1..];
    pool::split(starts.len().saturating_sub(1), GRAIN, &|range| {
        let found = range.fold([0; 2], |[falls, repeats], line| {
            // The last of some lines that are empty begins where the next one does.
            let at = starts[line] as usize;
            if starts[line] == starts[line + 1] || at == 0 {
                return [falls, repeats];
            }
            let (before, index) = (indices[at - 1], indices[at]);
            [falls + usize::from(index < before), repeats + usize::from(index == before)]
        });
        add(&between, found);
    });
    [0, 1].map(|which| all[which].load(Ordering::Relaxed).saturating_sub(between[which].load(Ordering::Relaxed)) as i32)
}

by_isa! {
    fn falls_and_repeats(indices: &[i32]) -> [usize; 2] {
        let (mut falls, mut repeats) = (0, 0);
        for part in indices.windows(2) {
            falls += u32::from(part[1] < part[0]);
            repeats += u32::from(part[1] == part[0]);
        }
        [falls as usize, repeats as usize]
    }
}

/// Sorts the elements of each line.
///
/// # Safety
///
/// The arrays are as `Loops::Sort` says; nothing else accesses indices and values.
pub(in super::super) unsafe fn sort(view: LinesView<'_>) {
    for_entry!(view.data.dtype, T => {
        // SAFETY: the caller's promise; only pointers are read through these.
        let pointers: &[i32] = unsafe { elements(&view.pointers) };
        // SAFETY: the caller's promise.
        let (indices, data) = unsafe { (elements_mut::<i32>(&view.indices), elements_mut::<T>(&view.data)) };
        sort_lines(pointers, indices, data);
    });
}

fn sort_lines<T: Entry>(pointers: &[i32], indices: &mut [i32], data: &mut [T]) {
    let lines = pointers.len() - 1;
    let length = data.len();
    assert!(indices.len() == length && pointers.iter().all(|&at| at as usize <= length));
    let (all_indices, all_data) = (Shared(indices.as_mut_ptr()), Shared(data.as_mut_ptr()));
    let grain = (GRAIN / (length / lines.max(1) + 1)).max(1);
    pool::split(lines, grain, &|range| {
        let mut pairs = Vec::new();
        for line in range {
            let (first, last) = (pointers[line] as usize, pointers[line + 1] as usize);
            let count = last.saturating_sub(first);
            // SAFETY: each line belongs to one task, and lies within the arrays.
            let (indices, data) = unsafe {
                (
                    std::slice::from_raw_parts_mut(all_indices.get().add(first), count),
                    std::slice::from_raw_parts_mut(all_data.get().add(first), count),
                )
            };
            if indices.is_sorted() {
                continue;
            }
            if count <= SHORT {
                for at in 1..count {
                    let (index, value) = (indices[at], data[at]);
                    let mut place = at;
                    while place > 0 && indices[place - 1] > index {
                        indices[place] = indices[place - 1];
                        data[place] = data[place - 1];
                        place -= 1;
                    }
                    (indices[place], data[place]) = (index, value);
                }
                continue;
            }
            pairs.clear();
            pairs.extend(indices.iter().copied().zip(data.iter().copied()));
            pairs.sort_by_key(|&(index, _)| index);
            for ((index, value), pair) in indices.iter_mut().zip(data.iter_mut()).zip(&pairs) {
                (*index, *value) = *pair;
            }
        }
    });
}

/// For each index the sum of the elements that have it, times what `factors` has for their line.
///
/// # Safety
///
/// The arrays are as `Loops::SumAcross` says; nothing else accesses `out`.
pub(in super::super) unsafe fn sum_across(
    view: LinesView<'_>,
    absolute: bool,
    factors: Option<View<'_>>,
    out: View<'_>,
) -> Result<()> {
    for_entry!(view.data.dtype, T => {
        // SAFETY: the caller's promise.
        let (lines, out) = unsafe { (lines::<T>(&view), elements_mut::<T>(&out)) };
        // SAFETY: the caller's promise.
        let factors: Option<&[T]> = factors.map(|factors| unsafe { elements(&factors) });
        match factors {
            Some(factors) => sums(&lines, out, |line, value| value.wide() * factors[line].wide()),
            None if absolute => sums(&lines, out, |_, value| value.wide().abs()),
            None => sums(&lines, out, |_, value| value.wide()),
        }
    })
}

fn sums<T: Entry>(lines: &Lines<'_, T>, out: &mut [T], term: impl Fn(usize, T) -> f64 + Sync) -> Result<()> {
    let length = out.len();
    let parts = lines.parts(parts_for(lines.data.len(), length));
    let found: Vec<Mutex<Vec<f64>>> = parts.iter().map(|_| Mutex::default()).collect();
    pool::split(parts.len(), 1, &|range| {
        for part in range {
            let mut sums = vec![0.0; length];
            for line in parts[part].clone() {
                let elements = lines.range(line);
                for (&index, &value) in lines.indices[elements.clone()].iter().zip(&lines.data[elements]) {
                    sums[index as usize] += term(line, value);
                }
            }
            *found[part].lock().expect("nobody panics") = sums;
        }
    });
    if pool::left_out() {
        return Err(Error::Interrupted);
    }
    let found: Vec<Vec<f64>> = found.into_iter().map(|part| part.into_inner().expect("nobody panics")).collect();
    for (at, out) in out.iter_mut().enumerate() {
        *out = T::narrow(found.iter().map(|part| part[at]).sum());
    }
    Ok(())
}
