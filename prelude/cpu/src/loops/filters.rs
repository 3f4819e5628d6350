//! Filters of signals in rows, and the peaks of a signal: neighbours together, in vectors.

use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use num_integer::gcd;
use std::ops::Range;
use warpcell_base::backend::loops::Between;

/// About so many multiplications are worth a thread.
const GRAIN: usize = 1 << 15;
/// The chunks that are filtered together: those of a recursive filter do not wait for one another.
const LANES: usize = 8;
/// The samples of each chunk that are copied together before they are filtered.
const TILE: usize = 64;
/// The results that are added up together.
const TOGETHER: usize = 16;
/// The results of a task.
const SEGMENT: usize = 4096;

/// Filters with a state; see `Loops::Recursive`.
pub(super) struct Recursive<'a> {
    pub coefficients: &'a [f64],
    pub order: usize,
    pub rows: usize,
    pub length: usize,
    pub chunk: usize,
    pub backward: bool,
    pub writes: bool,
}

/// A number of each chunk.
type Lanes = [f64; LANES];

pub(super) fn recursive(job: &Recursive<'_>, states: &mut [f64], data: &[f64], out: &mut [f64]) {
    let chunks = job.length.div_ceil(job.chunk);
    let tasks = job.rows * chunks;
    let filters = job.coefficients.len() / (2 * job.order + 2);
    let grain = GRAIN.div_ceil(LANES * job.chunk * filters * (2 * job.order + 1));
    let (all, target) = (Shared(states.as_mut_ptr()), Shared(out.as_mut_ptr()));
    pool::split(tasks.div_ceil(LANES), grain, &|range| {
        let mut states = vec![[0.0; LANES]; filters * job.order];
        let mut tile = vec![[0.0; LANES]; TILE];
        for group in range {
            let tasks = group * LANES..tasks.min((group + 1) * LANES);
            for (k, state) in states.iter_mut().enumerate() {
                for (lane, task) in tasks.clone().enumerate() {
                    // SAFETY: there is a state for each task, and a task belongs to this thread.
                    state[lane] = unsafe { all.get().add(k * job.rows * chunks + task).read() };
                }
            }
            // SAFETY: the chunks belong to this thread.
            unsafe { filter_group(job, tasks.clone(), &mut states, &mut tile, data, target.get()) };
            for (k, state) in states.iter().enumerate() {
                for (lane, task) in tasks.clone().enumerate() {
                    // SAFETY: as above.
                    unsafe { all.get().add(k * job.rows * chunks + task).write(state[lane]) };
                }
            }
        }
    });
}

by_isa! {
    /// Filters some chunks, at most as many as there are lanes.
    ///
    /// # Safety
    ///
    /// They are there, also in `out`, where nothing else accesses them.
    unsafe fn filter_group(
        job: &Recursive<'_>,
        tasks: Range<usize>,
        states: &mut [Lanes],
        tile: &mut [Lanes],
        data: &[f64],
        out: *mut f64
    ) {
        let Recursive { coefficients, order, length, chunk, backward, writes, .. } = *job;
        let chunks = length.div_ceil(chunk);
        // Of each chunk: where its row begins, its first sample, and how many it has.
        let mut places = [(0, 0, 0); LANES];
        for (place, task) in places.iter_mut().zip(tasks.clone()) {
            let first = task % chunks * chunk;
            *place = (task / chunks * length, first, chunk.min(length - first));
        }
        let places = &places[..tasks.len()];
        let longest = places.iter().map(|place| place.2).max().unwrap_or(0);
        let mut ends = vec![[0.0; LANES]; states.len()];
        for start in (0..longest).step_by(TILE) {
            let most = TILE.min(longest - start);
            for (lane, &(row, first, count)) in places.iter().enumerate() {
                let count = count.saturating_sub(start).min(most);
                if count == 0 {
                    continue;
                }
                let row = &data[row..row + length];
                if backward {
                    let samples = row[..length - first - start].iter().rev();
                    tile.iter_mut().zip(samples).take(count).for_each(|(tile, sample)| tile[lane] = *sample);
                } else {
                    let samples = &row[first + start..];
                    tile.iter_mut().zip(samples).take(count).for_each(|(tile, sample)| tile[lane] = *sample);
                }
            }
            // The last chunk of a row may be shorter: its state is kept, and what is made of other numbers is not used.
            let shortest = places.iter().map(|place| place.2).filter(|count| (start..start + most).contains(count));
            let mut done = 0;
            let mut stops: Vec<usize> = shortest.map(|count| count - start).collect();
            stops.sort_unstable();
            stops.push(most);
            for stop in stops {
                let part = &mut tile[done..stop];
                for (coefficients, states) in coefficients.chunks_exact(2 * order + 2).zip(states.chunks_exact_mut(order)) {
                    let (b, a) = coefficients.split_at(order + 1);
                    match order {
                        1 => filter_tile::<1>(part, b, a, states),
                        2 => filter_tile::<2>(part, b, a, states),
                        _ => filter_tile_of_order(part, b, a, states),
                    }
                }
                for (lane, &(_, _, count)) in places.iter().enumerate() {
                    if count == start + stop {
                        ends.iter_mut().zip(&*states).for_each(|(end, state)| end[lane] = state[lane]);
                    }
                }
                done = stop;
            }
            if writes {
                for (lane, &(row, first, count)) in places.iter().enumerate() {
                    let count = count.saturating_sub(start).min(most);
                    if count == 0 {
                        continue;
                    }
                    // SAFETY: `count` samples of the row.
                    unsafe {
                        let to = out.add(row);
                        if backward {
                            let to = to.add(length - 1 - first - start);
                            (0..count).for_each(|at| to.sub(at).write(tile[at][lane]));
                        } else {
                            let to = to.add(first + start);
                            (0..count).for_each(|at| to.add(at).write(tile[at][lane]));
                        }
                    }
                }
            }
        }
        states.copy_from_slice(&ends);
    }
}

/// One sample of each chunk through a filter.
#[inline(always)]
fn step(sample: Lanes, b: &[f64], a: &[f64], states: &mut [Lanes]) -> Lanes {
    let order = states.len();
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = states[0][lane] + b[0] * sample[lane];
    }
    for k in 1..order {
        for lane in 0..LANES {
            states[k - 1][lane] = states[k][lane] + b[k] * sample[lane] - a[k] * out[lane];
        }
    }
    for lane in 0..LANES {
        states[order - 1][lane] = b[order] * sample[lane] - a[order] * out[lane];
    }
    out
}

/// The samples through a filter of a small order, whose state stays in registers.
#[inline(always)]
fn filter_tile<const ORDER: usize>(tile: &mut [Lanes], b: &[f64], a: &[f64], states: &mut [Lanes]) {
    let mut state: [Lanes; ORDER] = std::array::from_fn(|k| states[k]);
    for sample in tile {
        *sample = step(*sample, &b[..=ORDER], &a[..=ORDER], &mut state);
    }
    states.copy_from_slice(&state);
}

#[inline(always)]
fn filter_tile_of_order(tile: &mut [Lanes], b: &[f64], a: &[f64], states: &mut [Lanes]) {
    for sample in tile {
        *sample = step(*sample, b, a, states);
    }
}

/// Filters without a state; see `Loops::Between`. `lengths` are those of the rows of `data` and of `out`.
pub(super) fn between(job: &Between, lengths: [usize; 2], data: &[f64], taps: &[f64], out: &mut [f64]) {
    let [length, count] = lengths;
    if out.is_empty() {
        return;
    }
    let segments = count.div_ceil(SEGMENT);
    let each = SEGMENT.min(count) * taps.len().div_ceil(job.up);
    let target = Shared(out.as_mut_ptr());
    pool::split(out.len() / count * segments, GRAIN.div_ceil(each), &|range| {
        let mut phases = Vec::new();
        for task in range {
            let (row, first) = (task / segments, task % segments * SEGMENT);
            let part = first..count.min(first + SEGMENT);
            let data = &data[row * length..(row + 1) * length];
            // SAFETY: the results belong to this task.
            let out = unsafe { std::slice::from_raw_parts_mut(target.get().add(row * count + first), part.len()) };
            filter_segment(job, part, data, taps, &mut phases, out);
        }
    });
}

by_isa! {
    /// Some results that follow one another.
    ///
    /// Results that are `up / g` apart have the same taps, where `g` is the greatest common divisor of `up` and `down`, and take
    /// samples that are `down / g` apart. So samples are dealt out to as many lists, in which neighbouring results have neighbours.
    fn filter_segment(
        job: &Between,
        part: Range<usize>,
        data: &[f64],
        taps: &[f64],
        phases: &mut Vec<f64>,
        out: &mut [f64]
    ) {
        let Between { up, down, first, newest_first } = *job;
        let divisor = gcd(up, down);
        let (apart, lists) = (up / divisor, down / divisor);
        let length = data.len() as i64;
        // The samples that any of the results takes, from a multiple of the lists on.
        let last_place = (first + part.end - 1) * down;
        let place = (first + part.start) * down;
        let from = if place < taps.len() { 0 } else { (place - taps.len()) / up + 1 };
        let from = (from.min(data.len()) / lists * lists) as i64;
        let to = ((last_place / up + 1) as i64).min(length);
        let wide = ((to - from).max(0) as usize).div_ceil(lists);
        phases.clear();
        if lists > 1 {
            for list in 0..lists {
                phases.extend(data[from as usize..].iter().skip(list).step_by(lists).take(wide).copied());
                phases.resize((list + 1) * wide, 0.0);
            }
        }
        for class in 0..apart.min(part.len()) {
            let begin = part.start + class;
            // The newest sample of the first result of the class and its tap; each older one has a tap that is `up` more.
            let (newest, tap) = (((first + begin) * down / up) as i64, (first + begin) * down % up);
            let count = if tap < taps.len() { (taps.len() - tap).div_ceil(up) as i64 } else { 0 };
            let results = (part.len() - class).div_ceil(apart);
            let mut at = 0;
            while at < results {
                let newest = newest + (at * lists) as i64;
                let is_whole = at + TOGETHER <= results
                    && newest - count + 1 >= 0
                    && length > newest + ((TOGETHER - 1) * lists) as i64;
                if is_whole {
                    let mut sums = [0.0; TOGETHER];
                    let mut step = 0;
                    while step < count {
                        let k = if newest_first { step } else { count - 1 - step };
                        let sample = newest - k;
                        let values = if lists == 1 {
                            &data[sample as usize..][..TOGETHER]
                        } else {
                            let sample = (sample - from) as usize;
                            &phases[sample % lists * wide + sample / lists..][..TOGETHER]
                        };
                        let weight = taps[tap + k as usize * up];
                        for lane in 0..TOGETHER {
                            sums[lane] += weight * values[lane];
                        }
                        step += 1;
                    }
                    for lane in 0..TOGETHER {
                        out[class + (at + lane) * apart] = sums[lane];
                    }
                    at += TOGETHER;
                } else {
                    let mut sum = 0.0;
                    let mut step = 0;
                    while step < count {
                        let k = if newest_first { step } else { count - 1 - step };
                        let sample = newest - k;
                        if (0..length).contains(&sample) {
                            sum += taps[tap + k as usize * up] * data[sample as usize];
                        }
                        step += 1;
                    }
                    out[class + at * apart] = sum;
                    at += 1;
                }
            }
        }
    }
}

/// More samples at both ends of signals; see `Loops::Extend`. `lengths` are those of the rows of `data` and of `out`.
pub(super) fn extend(edge: usize, kind: i32, [length, wide]: [usize; 2], data: &[f64], out: &mut [f64]) {
    let target = Shared(out.as_mut_ptr());
    pool::split(out.len() / wide, GRAIN.div_ceil(wide), &|range| {
        for row in range {
            let data = &data[row * length..(row + 1) * length];
            // SAFETY: a row of this task.
            let out = unsafe { std::slice::from_raw_parts_mut(target.get().add(row * wide), wide) };
            out[edge..edge + length].copy_from_slice(data);
            let (first, last) = (data[0], data[length - 1]);
            for far in 1..=edge {
                let (before, after) = match kind {
                    0 => (2.0 * first - data[far], 2.0 * last - data[length - 1 - far]),
                    1 => (data[far], data[length - 1 - far]),
                    2 => (first, last),
                    _ => (0.0, 0.0),
                };
                out[edge - far] = before;
                out[edge + length - 1 + far] = after;
            }
        }
    });
}

/// Marks the first samples of peaks; see `Loops::Peaks`.
pub(super) fn mark_peaks(x: &[f64], marks: &mut [i64]) {
    let length = x.len();
    let target = Shared(marks.as_mut_ptr());
    pool::split(length, GRAIN, &|range| {
        // SAFETY: the marks belong to this task.
        let marks = unsafe { std::slice::from_raw_parts_mut(target.get().add(range.start), range.len()) };
        mark_part(x, range, marks);
    });
}

by_isa! {
    fn mark_part(x: &[f64], range: Range<usize>, marks: &mut [i64]) {
        let length = x.len();
        marks.fill(0);
        let (first, last) = (range.start.max(1), range.end.min(length.saturating_sub(1)));
        if first >= last {
            return;
        }
        let offset = first - range.start;
        let middle = &x[first..last];
        let (before, after) = (&x[first - 1..last - 1], &x[first + 1..last + 1]);
        let marks = &mut marks[offset..offset + middle.len()];
        let mut plateaus = 0i64;
        for (((mark, &before), &value), &after) in marks.iter_mut().zip(before).zip(middle).zip(after) {
            let is_rise = before < value;
            *mark = i64::from(is_rise & (value > after));
            plateaus += i64::from(is_rise & (value == after));
        }
        if plateaus == 0 {
            return;
        }
        for (index, mark) in marks.iter_mut().enumerate() {
            let at = first + index;
            if x[at - 1] < x[at] && x[at] == x[at + 1] {
                let equal = x[at..].iter().take_while(|value| **value == x[at]).count();
                if x.get(at + equal).is_some_and(|end| *end < x[at]) {
                    *mark = equal as i64;
                }
            }
        }
    }
}
