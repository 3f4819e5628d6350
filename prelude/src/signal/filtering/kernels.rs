//! What threads do of filters.

use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, grid_stride};

#[kernel]
pub(super) fn filter_chunks(
    coefficients: View<f64>,
    data: View<f64>,
    chunk: u64,
    backward: bool,
    writes: bool,
    mut states: ViewMut<f64>,
    mut filtered: ViewMut<f64>,
) {
    let (tasks, rows, length) = (states.shape()[1], data.shape()[0], data.shape()[1]);
    let chunks = tasks / rows;
    let order = states.shape()[0];
    for task in grid_stride(tasks) {
        let row = task / chunks;
        let first = task % chunks * chunk as usize;
        let last = (first + chunk as usize).min(length);
        for at in first..last {
            let place = if backward { length - 1 - at } else { at };
            let sample = data[[row, place]];
            let out = states[[0, task]] + coefficients[[0, 0]] * sample;
            for k in 1..order {
                states[[k - 1, task]] = states[[k, task]] + coefficients[[0, k]] * sample - coefficients[[1, k]] * out;
            }
            states[[order - 1, task]] = coefficients[[0, order]] * sample - coefficients[[1, order]] * out;
            if writes {
                filtered[[row, place]] = out;
            }
        }
    }
}

#[kernel]
pub(super) fn filter_chunks_of_first_order(
    coefficients: View<f64>,
    data: View<f64>,
    chunk: u64,
    backward: bool,
    writes: bool,
    mut states: ViewMut<f64>,
    mut filtered: ViewMut<f64>,
) {
    let (tasks, rows, length) = (states.shape()[1], data.shape()[0], data.shape()[1]);
    let chunks = tasks / rows;
    let (b0, b1, a1) = (coefficients[[0, 0]], coefficients[[0, 1]], coefficients[[1, 1]]);
    for task in grid_stride(tasks) {
        let row = task / chunks;
        let first = task % chunks * chunk as usize;
        let last = (first + chunk as usize).min(length);
        let mut state = states[[0, task]];
        for at in first..last {
            let place = if backward { length - 1 - at } else { at };
            let sample = data[[row, place]];
            let out = state + b0 * sample;
            state = b1 * sample - a1 * out;
            if writes {
                filtered[[row, place]] = out;
            }
        }
        states[[0, task]] = state;
    }
}

#[kernel]
pub(super) fn filter_chunks_of_second_order(
    coefficients: View<f64>,
    data: View<f64>,
    chunk: u64,
    backward: bool,
    writes: bool,
    mut states: ViewMut<f64>,
    mut filtered: ViewMut<f64>,
) {
    let (tasks, rows, length) = (states.shape()[1], data.shape()[0], data.shape()[1]);
    let chunks = tasks / rows;
    let (b0, b1, b2) = (coefficients[[0, 0]], coefficients[[0, 1]], coefficients[[0, 2]]);
    let (a1, a2) = (coefficients[[1, 1]], coefficients[[1, 2]]);
    for task in grid_stride(tasks) {
        let row = task / chunks;
        let first = task % chunks * chunk as usize;
        let last = (first + chunk as usize).min(length);
        let mut near = states[[0, task]];
        let mut far = states[[1, task]];
        for at in first..last {
            let place = if backward { length - 1 - at } else { at };
            let sample = data[[row, place]];
            let out = near + b0 * sample;
            near = far + b1 * sample - a1 * out;
            far = b2 * sample - a2 * out;
            if writes {
                filtered[[row, place]] = out;
            }
        }
        states[[0, task]] = near;
        states[[1, task]] = far;
    }
}

/// Two sections of second order, one after the other: their coefficients and their states follow one another.
#[kernel]
pub(super) fn filter_chunks_of_two_sections(
    coefficients: View<f64>,
    data: View<f64>,
    chunk: u64,
    backward: bool,
    writes: bool,
    mut states: ViewMut<f64>,
    mut filtered: ViewMut<f64>,
) {
    let (tasks, rows, length) = (states.shape()[1], data.shape()[0], data.shape()[1]);
    let chunks = tasks / rows;
    let (b0, b1, b2) = (coefficients[[0, 0]], coefficients[[0, 1]], coefficients[[0, 2]]);
    let (a1, a2) = (coefficients[[1, 1]], coefficients[[1, 2]]);
    let (d0, d1, d2) = (coefficients[[2, 0]], coefficients[[2, 1]], coefficients[[2, 2]]);
    let (c1, c2) = (coefficients[[3, 1]], coefficients[[3, 2]]);
    for task in grid_stride(tasks) {
        let row = task / chunks;
        let first = task % chunks * chunk as usize;
        let last = (first + chunk as usize).min(length);
        let mut near = states[[0, task]];
        let mut far = states[[1, task]];
        let mut next_near = states[[2, task]];
        let mut next_far = states[[3, task]];
        for at in first..last {
            let place = if backward { length - 1 - at } else { at };
            let sample = data[[row, place]];
            let middle = near + b0 * sample;
            near = far + b1 * sample - a1 * middle;
            far = b2 * sample - a2 * middle;
            let out = next_near + d0 * middle;
            next_near = next_far + d1 * middle - c1 * out;
            next_far = d2 * middle - c2 * out;
            if writes {
                filtered[[row, place]] = out;
            }
        }
        states[[0, task]] = near;
        states[[1, task]] = far;
        states[[2, task]] = next_near;
        states[[3, task]] = next_far;
    }
}

/// The states from which chunks begin, from those at the ends of chunks that began with zeros. A thread takes a group of chunks of a row,
/// from the group's state on; or, if it does not write, the state at the end of the group if that began with zeros.
#[kernel]
pub(super) fn join_chunks(
    matrix: View<f64>,
    from: View<f64>,
    ends: View<f64>,
    chunks: u64,
    group: u64,
    writes: bool,
    mut starts: ViewMut<f64>,
) {
    let order = matrix.shape()[0];
    let (chunks, group) = (chunks as usize, group as usize);
    let groups = chunks.div_ceil(group);
    let rows = ends.shape()[1] / chunks;
    // Of few numbers, which a thread keeps.
    let mut factors = [0.0f64; 16];
    for k in 0..4usize {
        for other in 0..4usize {
            if k < order && other < order {
                factors[4 * k + other] = matrix[[k, other]];
            }
        }
    }
    for at in grid_stride(rows * groups) {
        let row = at / groups;
        let first = at % groups * group;
        let last = (first + group).min(chunks);
        let mut state = [0.0f64; 4];
        for k in 0..4usize {
            if writes && k < order {
                state[k] = from[[k, at]];
            }
        }
        for chunk in first..last {
            let task = row * chunks + chunk;
            let mut next = [0.0f64; 4];
            for k in 0..4usize {
                if k < order {
                    if writes {
                        starts[[k, task]] = state[k];
                    }
                    let mut sum = ends[[k, task]];
                    for other in 0..4usize {
                        sum += factors[4 * k + other] * state[other];
                    }
                    next[k] = sum;
                }
            }
            state = next;
        }
        for k in 0..4usize {
            if !writes && k < order {
                starts[[k, at]] = state[k];
            }
        }
    }
}

/// As [`join_chunks`], for states of any number of numbers, a thread for each row.
#[kernel]
pub(super) fn join_long_states(
    matrix: View<f64>,
    from: View<f64>,
    ends: View<f64>,
    chunks: u64,
    mut starts: ViewMut<f64>,
) {
    let (order, rows) = (from.shape()[0], from.shape()[1]);
    let chunks = chunks as usize;
    for row in grid_stride(rows) {
        for k in 0..order {
            starts[[k, row * chunks]] = from[[k, row]];
        }
        for task in row * chunks + 1..(row + 1) * chunks {
            for k in 0..order {
                let mut sum = ends[[k, task - 1]];
                for other in 0..order {
                    sum += matrix[[k, other]] * starts[[other, task - 1]];
                }
                starts[[k, task]] = sum;
            }
        }
    }
}

#[kernel]
pub(super) fn filter_finite(data: View<f64>, taps: View<f64>, mut out: ViewMut<f64>) {
    let (rows, length, count) = (out.shape()[0], out.shape()[1], taps.shape()[0]);
    for at in grid_stride(rows * length) {
        let row = at / length;
        let place = at % length;
        let mut sum = 0.0;
        for k in 0..count.min(place + 1) {
            sum += taps[k] * data[[row, place - k]];
        }
        out[[row, place]] = sum;
    }
}

#[kernel]
pub(super) fn scale_states(data: View<f64>, state: View<f64>, first: u64, rows: u64, mut states: ViewMut<f64>) {
    let rows = rows as usize;
    for at in grid_stride(state.shape()[0] * rows) {
        states[[at / rows, at % rows]] = state[at / rows] * data[[at % rows, first as usize]];
    }
}

/// Signals with more samples at both ends: turned about the end (0), mirrored (1), constant (2), or zeros (3).
#[kernel]
pub(super) fn extend_ends(data: View<f64>, edge: u64, kind: i32, mut out: ViewMut<f64>) {
    let (rows, wide, length) = (out.shape()[0], out.shape()[1], data.shape()[1]);
    let edge = edge as usize;
    for at in grid_stride(rows * wide) {
        let row = at / wide;
        let place = at % wide;
        let value = if place < edge {
            let end = data[[row, 0]];
            let mirrored = data[[row, if kind >= 2 { 0 } else { edge - place }]];
            if kind == 0 {
                2.0 * end - mirrored
            } else if kind == 3 {
                0.0
            } else {
                mirrored
            }
        } else if place >= edge + length {
            let end = data[[row, length - 1]];
            let mirrored = data[[row, if kind >= 2 { length - 1 } else { 2 * length + edge - 2 - place }]];
            if kind == 0 {
                2.0 * end - mirrored
            } else if kind == 3 {
                0.0
            } else {
                mirrored
            }
        } else {
            data[[row, place - edge]]
        };
        out[[row, place]] = value;
    }
}
