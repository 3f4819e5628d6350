//! Sets of neighbours among the elements that are true: runs of each line, which are joined with those of the lines before it.
//!
//! Each thread has a part of the lines. The least run of a set names it, so sets are numbered in the order of their first elements.

use super::super::numeric::{Bit, Shared};
use super::super::pool;
use std::sync::Mutex;

/// About so many elements are worth a thread.
const GRAIN: usize = 1 << 15;

/// Where a run begins and ends in its line.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    last: u32,
}

/// A part of the lines, and its runs.
struct Part {
    /// Where the runs of each line begin, and last how many there are.
    starts: Vec<usize>,
    runs: Vec<Run>,
}

/// A line before one, by the lines between, and which of its elements are neighbours: those before, at and behind an index.
struct Before {
    steps: [i64; 3],
    taps: [bool; 3],
}

/// Writes the number of the set of each element; gives the number of sets.
pub(super) fn label(mask: &[Bit], shape: [usize; 4], neighbours: &[bool; 81], out: &mut [i32]) -> usize {
    let (lines, length) = (shape[..3].iter().product::<usize>(), shape[3]);
    let before: Vec<Before> = (0..13)
        .map(|line| Before {
            steps: [line / 9 - 1, line / 3 % 3 - 1, line % 3 - 1].map(|step| step as i64),
            taps: std::array::from_fn(|tap| neighbours[3 * line as usize + tap]),
        })
        .filter(|before| before.taps.contains(&true))
        .collect();
    let joins = neighbours[39];
    let grain = (GRAIN / length).max(1).max(lines.div_ceil(8 * pool::threads()));
    let count = lines.div_ceil(grain);
    let parts: Vec<Mutex<Option<Part>>> = (0..count).map(|_| Mutex::default()).collect();
    let lines_of = |part: usize| part * grain..lines.min((part + 1) * grain);
    pool::split(count, 1, &|range| {
        for part in range {
            let found = runs_of(mask, length, lines_of(part), joins);
            *parts[part].lock().expect("nobody panics") = Some(found);
        }
    });
    let Some(parts) =
        parts.into_iter().map(|part| part.into_inner().expect("nobody panics")).collect::<Option<Vec<_>>>()
    else {
        // The cell was interrupted, which the end of the operation reports.
        return 0;
    };
    let mut bases = vec![0];
    for part in &parts {
        bases.push(bases.last().expect("the first") + part.runs.len());
    }
    let mut parents: Vec<u32> = (0..bases[count] as u32).collect();
    let shared = Shared(parents.as_mut_ptr());
    let lines_before = |line: usize| {
        let index = [line / (shape[1] * shape[2]), line / shape[2] % shape[1], line % shape[2]];
        before.iter().filter_map(move |before| {
            let mut other = 0;
            for axis in 0..3 {
                let at = index[axis].checked_add_signed(before.steps[axis] as isize).filter(|&at| at < shape[axis])?;
                other = other * shape[axis] + at;
            }
            Some((other, &before.taps))
        })
    };
    let runs_in = |part: usize, line: usize| {
        let (part, line) = (&parts[part], line - part * grain);
        part.starts[line]..part.starts[line + 1]
    };
    let join = |parents: &mut [u32], offset: usize, part: usize, line: usize, other_part: usize, other: usize, taps| {
        let (mine, theirs) = (runs_in(part, line), runs_in(other_part, other));
        let firsts = [bases[part] + mine.start - offset, bases[other_part] + theirs.start - offset];
        join_lines(parents, &parts[part].runs[mine], &parts[other_part].runs[theirs], firsts, taps);
    };
    pool::split(count, 1, &|range| {
        for part in range {
            // SAFETY: the runs of each part belong to one task.
            let own = unsafe {
                let length = bases[part + 1] - bases[part];
                std::slice::from_raw_parts_mut(shared.get().add(bases[part]), length)
            };
            let offset = bases[part];
            own.iter_mut().for_each(|parent| *parent -= offset as u32);
            for line in lines_of(part) {
                for (other, taps) in lines_before(line) {
                    if other / grain == part {
                        join(own, offset, part, line, part, other, taps);
                    }
                }
            }
            own.iter_mut().for_each(|parent| *parent += offset as u32);
        }
    });
    for part in 1..count {
        for line in lines_of(part) {
            let mut is_inside = true;
            for (other, taps) in lines_before(line) {
                if other / grain != part {
                    is_inside = false;
                    join(&mut parents, 0, part, line, other / grain, other, taps);
                }
            }
            // Lines farther from the part before reach no other part, if all axes but the last two are 1 long.
            if is_inside && shape[0] == 1 && shape[1] == 1 {
                break;
            }
        }
    }
    // A run's parent stands before it, so it has its number already.
    let mut sets = 0;
    for run in 0..parents.len() {
        let parent = parents[run] as usize;
        parents[run] = if parent == run {
            sets += 1;
            sets
        } else {
            parents[parent]
        };
    }
    let out = Shared(out.as_mut_ptr());
    pool::split(count, 1, &|range| {
        for part in range {
            let mut numbers = parents[bases[part]..].iter();
            for line in lines_of(part) {
                // SAFETY: each line belongs to one task.
                let row = unsafe { std::slice::from_raw_parts_mut(out.get().add(line * length), length) };
                let mut end = 0;
                for run in &parts[part].runs[runs_in(part, line)] {
                    row[end..run.first as usize].fill(0);
                    end = run.last as usize;
                    let number = *numbers.next().expect("a number for each run");
                    row[run.first as usize..end].fill(number as i32);
                }
                row[end..].fill(0);
            }
        }
    });
    sets as usize
}

/// The runs of some lines; with `joins`, neighbours in a line belong together.
fn runs_of(mask: &[Bit], length: usize, lines: std::ops::Range<usize>, joins: bool) -> Part {
    let mut part = Part { starts: Vec::with_capacity(lines.len() + 1), runs: Vec::new() };
    for line in lines {
        part.starts.push(part.runs.len());
        let row = &mask[line * length..(line + 1) * length];
        let mut at = 0;
        while let Some(step) = row[at..].iter().position(|bit| bit.is_true()) {
            let first = at + step;
            at = match row[first..].iter().position(|bit| !bit.is_true()) {
                Some(step) if joins => first + step,
                None if joins => length,
                _ => first + 1,
            };
            part.runs.push(Run { first: first as u32, last: at as u32 });
        }
    }
    part.starts.push(part.runs.len());
    part
}

/// The run that a set is named after.
#[inline]
fn root(parents: &mut [u32], run: u32) -> u32 {
    let mut at = run;
    while parents[at as usize] != at {
        let above = parents[parents[at as usize] as usize];
        parents[at as usize] = above;
        at = above;
    }
    at
}

fn unite(parents: &mut [u32], one: usize, other: usize) {
    let (one, other) = (root(parents, one as u32), root(parents, other as u32));
    parents[one.max(other) as usize] = one.min(other);
}

/// Joins the runs of a line with those of one before it; the first of each has this number among `parents`.
fn join_lines(parents: &mut [u32], runs: &[Run], others: &[Run], firsts: [usize; 2], taps: &[bool; 3]) {
    if taps[1] {
        // The neighbours of a run are those of its ends and between.
        join_near(parents, runs, others, firsts, [-i64::from(taps[0]), i64::from(taps[2])]);
    } else {
        for (tap, step) in [(taps[0], -1), (taps[2], 1)] {
            if tap {
                join_near(parents, runs, others, firsts, [step, step]);
            }
        }
    }
}

/// Joins runs that meet, if the ends of those of the first line are moved.
fn join_near(parents: &mut [u32], runs: &[Run], others: &[Run], firsts: [usize; 2], ends: [i64; 2]) {
    let mut at = 0;
    for (number, run) in runs.iter().enumerate() {
        let (first, last) = (i64::from(run.first) + ends[0], i64::from(run.last) + ends[1]);
        while at < others.len() && i64::from(others[at].last) <= first {
            at += 1;
        }
        let mut other = at;
        while other < others.len() && i64::from(others[other].first) < last {
            unite(parents, firsts[0] + number, firsts[1] + other);
            other += 1;
        }
    }
}

/// Writes the places of labels among values; see `Loops::Slots`.
pub(super) fn slots(labels: &[i64], values: &[i64], form: i32, out: &mut [i64]) {
    assert_eq!(labels.len(), out.len());
    let count = values.len() as i64;
    let first = values.first().copied().unwrap_or_default();
    let target = Shared(out.as_mut_ptr());
    let each = |slot: &(dyn Fn(&[i64], &mut [i64]) + Sync)| {
        pool::split(labels.len(), GRAIN, &|range| {
            // SAFETY: each element belongs to one task.
            let out = unsafe { std::slice::from_raw_parts_mut(target.get().add(range.start), range.len()) };
            slot(&labels[range], out);
        });
    };
    match form {
        2 => each(&|labels, out| {
            for (out, &label) in out.iter_mut().zip(labels) {
                *out = i64::from(label <= 0);
            }
        }),
        1 => each(&|labels, out| {
            for (out, &label) in out.iter_mut().zip(labels) {
                // Those below the first one become large numbers.
                let distance = (label as u64).wrapping_sub(first as u64);
                *out = if label >= first && distance < count as u64 { distance as i64 } else { count };
            }
        }),
        _ => each(&|labels, out| {
            for (out, label) in out.iter_mut().zip(labels) {
                *out = values.binary_search(label).map_or(count, |at| at as i64);
            }
        }),
    }
}
