//! Splines: their coefficients, for several lines at once, and their values between the elements.

use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use warpcell_base::backend::loops::{Splines, Taps};

/// Lines that are filtered together.
const LANES: usize = 8;
/// About so many elements are worth a thread.
const GRAIN: usize = 1 << 12;

/// Writes the coefficients of splines along an axis over the elements; see `Loops::SplineLines`.
pub(super) fn filter(x: &mut [f64], around: [usize; 3], mode: i32, gain: f64, poles: &[f64]) {
    let [outer, length, inner] = around;
    let lines = outer * inner;
    let target = Shared(x.as_mut_ptr());
    let groups = lines.div_ceil(LANES);
    let grain = (GRAIN / (length * LANES)).max(1);
    pool::split(groups, grain, &|range| {
        let mut buffer = vec![[0.0; LANES]; length];
        for group in range {
            let count = LANES.min(lines - group * LANES);
            let bases: [usize; LANES] = std::array::from_fn(|lane| {
                let line = group * LANES + lane.min(count - 1);
                line / inner * (inner * length) + line % inner
            });
            for (k, values) in buffer.iter_mut().enumerate() {
                // SAFETY: elements of lines of this task.
                *values = bases.map(|base| unsafe { target.get().add(base + k * inner).read() } * gain);
            }
            for &pole in poles {
                recur(&mut buffer, pole, mode);
            }
            for (k, values) in buffer.iter().enumerate() {
                for (base, value) in bases.iter().zip(values).take(count) {
                    // SAFETY: as above.
                    unsafe { target.get().add(base + k * inner).write(*value) };
                }
            }
        }
    });
}

by_isa! {
    /// One pole's filter, there and back.
    fn recur(x: &mut [[f64; LANES]], pole: f64, mode: i32) {
        let length = x.len();
        let last = length - 1;
        // `sum + factor · terms`
        let plus = |sum: [f64; LANES], factor: f64, terms: [f64; LANES]| -> [f64; LANES] {
            std::array::from_fn(|lane| sum[lane] + factor * terms[lane])
        };
        let first = x[0];
        let mut sum = first;
        let mut power = pole;
        if mode == 4 {
            for k in 1..length {
                sum = plus(sum, power, x[length - k]);
                power *= pole;
            }
            sum = sum.map(|sum| sum / (1.0 - power));
        } else if mode == 2 {
            let all = (0..length).fold(1.0, |all, _| all * pole);
            sum = plus(sum, all, x[last]);
            for k in 1..length {
                // The last term has the sum so far in the place of the first element, as in SciPy: with few elements that shows.
                let behind = if k == last { sum } else { x[last - k] };
                sum = plus(sum, power, plus(x[k], all, behind));
                power *= pole;
            }
            sum = std::array::from_fn(|lane| sum[lane] * pole / (1.0 - all * all) + first[lane]);
        } else {
            let all = (1..length).fold(1.0, |all, _| all * pole);
            sum = plus(sum, all, x[last]);
            for k in 1..last {
                sum = plus(sum, power, plus(x[k], all, x[last - k]));
                power *= pole;
            }
            sum = sum.map(|sum| sum / (1.0 - all * all));
        }
        x[0] = sum;
        let mut before = sum;
        for values in &mut x[1..] {
            before = plus(*values, pole, before);
            *values = before;
        }
        let end = x[last];
        let mut behind = if mode == 4 {
            let (mut sum, mut power) = (end, pole);
            for values in &x[..last] {
                sum = plus(sum, power, *values);
                power *= pole;
            }
            sum.map(|sum| sum * pole / (power - 1.0))
        } else if mode == 2 {
            end.map(|end| end * pole / (pole - 1.0))
        } else {
            let near = x[last - 1];
            std::array::from_fn(|lane| (pole * near[lane] + end[lane]) * pole / (pole * pole - 1.0))
        };
        x[last] = behind;
        for values in x[..last].iter_mut().rev() {
            behind = std::array::from_fn(|lane| pole * (behind[lane] - values[lane]));
            *values = behind;
        }
    }
}

/// An axis that the array does not have.
const NO_AXIS: Taps = Taps { weights: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], places: [0; 6], count: 1, is_outside: false };

/// The value outside.
const OUTSIDE: Taps = Taps { is_outside: true, ..NO_AXIS };

/// The weights of the elements around a place of a spline of the order 1 or 3 (two or four of them), by the distance from the one before.
#[inline(always)]
fn weights<const COUNT: usize>(f: f64) -> [f64; COUNT] {
    let mut found = [0.0; COUNT];
    let near = |x: f64| (x * x * (x - 2.0) * 3.0 + 4.0) / 6.0;
    let mut rest = 1.0;
    for (tap, weight) in found[..COUNT - 1].iter_mut().enumerate() {
        *weight = match (COUNT, tap) {
            (2, _) => 1.0 - f,
            (_, 0) => (1.0 - f) * (1.0 - f) * (1.0 - f) / 6.0,
            (_, 1) => near(f),
            _ => near(1.0 - f),
        };
        rest -= *weight;
    }
    // All are 1 together.
    found[COUNT - 1] = rest;
    found
}

/// The value at a place of a plane whose elements around it are all there. None where they are not.
#[inline(always)]
fn within<const COUNT: usize>(x: &[f64], [rows, columns]: [usize; 2], [row, column]: [f64; 2]) -> Option<f64> {
    let before = (COUNT / 2 - 1) as f64;
    let is_within = |at: f64, length: usize| at - before >= 0.0 && at + before + 1.0 < length as f64;
    let (low_row, low_column) = (row.floor(), column.floor());
    if !(is_within(low_row, rows) && is_within(low_column, columns)) {
        return None;
    }
    let (row_weights, column_weights) = (weights::<COUNT>(row - low_row), weights::<COUNT>(column - low_column));
    let (first_row, first_column) = ((low_row - before) as usize, (low_column - before) as usize);
    let mut sum = 0.0;
    for (k, row_weight) in row_weights.into_iter().enumerate() {
        let line: &[f64; COUNT] = x[(first_row + k) * columns + first_column..][..COUNT].try_into().expect("as many");
        for (value, weight) in line.iter().zip(column_weights) {
            sum += value * row_weight * weight;
        }
    }
    Some(sum)
}

/// Writes the values of splines.
pub(super) fn evaluate(splines: &Splines<'_>, x: &[f64], coordinates: Option<&[f64]>, out: &mut [f64]) {
    let rank = splines.shape.len();
    let order_of = |axis: usize| if splines.is_still[axis] { 0 } else { splines.order };
    let mut steps = [0usize; 4];
    let mut step = 1;
    for axis in (0..rank).rev() {
        steps[4 - rank + axis] = step;
        step *= splines.shape[axis];
    }
    let taps_at = |axis: usize, at: f64| {
        let at = at + splines.padding;
        let n = splines.shape[axis];
        if splines.mode == 0 && !(at >= 0.0 && at <= (n - 1) as f64) {
            return OUTSIDE;
        }
        (splines.taps)(at, n as i64, order_of(axis), splines.mode)
    };
    let (matrix, offset) = splines.matrix;
    let lengths = splines.out_shape;
    // With a diagonal matrix, what is found along an axis depends on the index along it alone.
    let is_diagonal = (0..rank * rank).all(|at| at / rank == at % rank || matrix.get(at).is_some_and(|&x| x == 0.0));
    let of_axes: Option<Vec<Vec<Taps>>> = (coordinates.is_none() && is_diagonal).then(|| {
        let along = |axis: usize| {
            (0..lengths[axis]).map(move |at| taps_at(axis, matrix[axis * rank + axis] * at as f64 + offset[axis]))
        };
        (0..rank).map(|axis| along(axis).collect()).collect()
    });
    let is_of_plane = rank == 2 && matches!(splines.order, 1 | 3) && !splines.is_still[..rank].contains(&true);
    let total = out.len();
    let target = Shared(out.as_mut_ptr());
    pool::split(total, GRAIN, &|range| {
        let mut index = [0usize; 4];
        let mut rest = range.start;
        for axis in (0..lengths.len().min(rank)).rev() {
            index[axis] = rest % lengths[axis];
            rest /= lengths[axis];
        }
        for at in range {
            let (mut known, mut taps) = (None, [&NO_AXIS; 4]);
            let mut own;
            if let Some(tables) = &of_axes {
                for (axis, table) in tables.iter().enumerate() {
                    taps[4 - rank + axis] = &table[index[axis]];
                }
            } else {
                let mut places = [0.0; 4];
                for (axis, place) in places.iter_mut().enumerate().take(rank) {
                    *place = match coordinates {
                        Some(coordinates) => coordinates[axis * total + at],
                        None => {
                            let row = &matrix[axis * rank..(axis + 1) * rank];
                            row.iter().zip(index).fold(0.0, |sum, (x, index)| sum + x * index as f64) + offset[axis]
                        }
                    };
                }
                if is_of_plane {
                    let plane = [splines.shape[0], splines.shape[1]];
                    let place = [places[0] + splines.padding, places[1] + splines.padding];
                    known =
                        if splines.order == 1 { within::<2>(x, plane, place) } else { within::<4>(x, plane, place) };
                }
                if known.is_none() {
                    own = [NO_AXIS; 4];
                    for axis in 0..rank {
                        own[4 - rank + axis] = taps_at(axis, places[axis]);
                    }
                    taps = own.each_ref();
                }
            }
            let mut sum = if let Some(known) = known {
                known
            } else if taps.iter().any(|taps| taps.is_outside) {
                splines.outside
            } else {
                value(x, &taps, &steps, splines.outside)
            };
            if let Some((least, most)) = splines.rounds {
                sum = if sum > 0.0 { (sum + 0.5).floor() } else { (sum - 0.5).ceil() };
                sum = sum.max(least).min(most);
            }
            // SAFETY: each element belongs to one task.
            unsafe { target.get().add(at).write(sum) };
            if coordinates.is_none() {
                for axis in (0..rank).rev() {
                    index[axis] += 1;
                    if index[axis] < lengths[axis] {
                        break;
                    }
                    index[axis] = 0;
                }
            }
        }
    });
}

/// The sum of the elements around a place, in SciPy's order.
#[inline]
fn value(x: &[f64], taps: &[&Taps; 4], steps: &[usize; 4], outside: f64) -> f64 {
    let [a, b, c, d] = taps;
    let is_inside = |taps: &Taps| taps.places[..taps.count].iter().all(|&place| place >= 0);
    if a.count == 1 && b.count == 1 && taps.iter().all(|taps| is_inside(taps)) && a.weights[0] * b.weights[0] == 1.0 {
        let first = a.places[0] as usize * steps[0] + b.places[0] as usize * steps[1];
        return match (c.count, d.count) {
            (2, 2) => of_plane::<2>(x, first, c, d, steps),
            (4, 4) => of_plane::<4>(x, first, c, d, steps),
            _ => {
                let mut sum = 0.0;
                for (&row, row_weight) in c.places[..c.count].iter().zip(c.weights) {
                    for (&column, weight) in d.places[..d.count].iter().zip(d.weights) {
                        sum += x[first + row as usize * steps[2] + column as usize * steps[3]] * row_weight * weight;
                    }
                }
                sum
            }
        };
    }
    let mut sum = 0.0;
    for i in 0..a.count {
        for j in 0..b.count {
            for k in 0..c.count {
                let is_known = a.places[i] >= 0 && b.places[j] >= 0 && c.places[k] >= 0;
                for l in 0..d.count {
                    let value = if is_known && d.places[l] >= 0 {
                        let place = |taps: &Taps, at: usize, axis: usize| taps.places[at] as usize * steps[axis];
                        x[place(a, i, 0) + place(b, j, 1) + place(c, k, 2) + place(d, l, 3)]
                    } else {
                        outside
                    };
                    sum += value * a.weights[i] * b.weights[j] * c.weights[k] * d.weights[l];
                }
            }
        }
    }
    sum
}

/// The same in a plane, with a number of elements along both axes that is known.
#[inline(always)]
fn of_plane<const COUNT: usize>(x: &[f64], first: usize, rows: &Taps, columns: &Taps, steps: &[usize; 4]) -> f64 {
    let mut sum = 0.0;
    for k in 0..COUNT {
        let row = first + rows.places[k] as usize * steps[2];
        for l in 0..COUNT {
            sum += x[row + columns.places[l] as usize * steps[3]] * rows.weights[k] * columns.weights[l];
        }
    }
    sum
}
