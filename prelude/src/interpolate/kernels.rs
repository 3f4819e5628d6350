//! What threads do of interpolation.
#![allow(clippy::too_many_arguments, reason = "kernels have what they read and write as arguments")]

use warpcell_macros::{device, kernel};
use warpcell_threads::{View, ViewMut, grid_stride};

/// The piece in which a place lies: that behind the last inner break that is not above it. `scale` is pieces by length if all are
/// of one length, else 0.
#[device]
fn piece_of(breaks: View<f64>, x: f64, scale: f64) -> usize {
    let pieces = breaks.shape()[0] - 1;
    if scale > 0.0 {
        // A guess that is off by one at most.
        let guess = (x - breaks[0]) * scale;
        let mut at = if guess > 0.0 { (guess as usize).min(pieces - 1) } else { 0 };
        while at > 0 && x < breaks[at] {
            at -= 1;
        }
        while at + 1 < pieces && x >= breaks[at + 1] {
            at += 1;
        }
        return at;
    }
    let mut at = 0;
    let mut count = pieces;
    while count > 1 {
        let half = count / 2;
        at = if x >= breaks[at + half] { at + half } else { at };
        count -= half;
    }
    at
}

/// A place moved by periods into the interval of the breaks.
#[device]
fn within_period(x: f64, first: f64, last: f64) -> f64 {
    let period = last - first;
    let rest = (x - first) % period;
    first + if rest < 0.0 { rest + period } else { rest }
}

/// Derivatives of polynomials by pieces: outside with the numbers that are given (0), extrapolated (1), periodic
/// (2), or extrapolated above (3) or below (4) only.
#[kernel]
pub(super) fn evaluate_pieces(
    points: View<f64>,
    breaks: View<f64>,
    table: View<f64>,
    scale: f64,
    mode: i32,
    below: f64,
    above: f64,
    nu: u64,
    mut out: ViewMut<f64>,
) {
    let (count, columns, order) = (points.shape()[0], table.shape()[1], table.shape()[2]);
    let last = breaks.shape()[0] - 1;
    let nu = nu as usize;
    for at in grid_stride(count) {
        let mut x = points[at];
        if mode == 2 {
            x = within_period(x, breaks[0], breaks[last]);
        }
        let is_low = (mode == 0 || mode == 3) && x < breaks[0];
        let is_high = (mode == 0 || mode == 4) && x > breaks[last];
        let piece = piece_of(breaks, x, scale);
        let distance = x - breaks[piece];
        for column in 0..columns {
            let mut sum = 0.0;
            for k in 0..order.max(nu) - nu {
                let mut factor = 1.0;
                for less in 0..nu {
                    factor *= (order - 1 - k - less) as f64;
                }
                sum = sum * distance + factor * table[[piece, column, k]];
            }
            if x.is_nan() {
                sum = x;
            }
            if is_low {
                sum = below;
            }
            if is_high {
                sum = above;
            }
            out[[at, column]] = sum;
        }
    }
}

/// The barycentric formula of the second kind.
#[kernel]
pub(super) fn evaluate_barycentric(
    points: View<f64>,
    nodes: View<f64>,
    weights: View<f64>,
    values: View<f64>,
    mut out: ViewMut<f64>,
) {
    let (count, columns, order) = (points.shape()[0], values.shape()[1], nodes.shape()[0]);
    for task in grid_stride(count * columns) {
        let (at, column) = (task / columns, task % columns);
        let x = points[at];
        let mut above = 0.0;
        let mut below = 0.0;
        let mut hit = order;
        for j in 0..order {
            let distance = x - nodes[j];
            if distance == 0.0 {
                hit = j;
            }
            let weight = weights[j] / distance;
            above += weight * values[[j, column]];
            below += weight;
        }
        out[[at, column]] = if hit < order { values[[hit, column]] } else { above / below };
    }
}

/// Newton's form and its derivatives, each in its plane of the results.
#[kernel]
pub(super) fn evaluate_newton(points: View<f64>, nodes: View<f64>, values: View<f64>, mut out: ViewMut<f64>) {
    let (count, columns, order) = (points.shape()[0], values.shape()[1], nodes.shape()[0]);
    let planes = out.shape()[0];
    for task in grid_stride(count * columns) {
        let (at, column) = (task / columns, task % columns);
        let x = points[at];
        for plane in 0..planes {
            out[[plane, at, column]] = 0.0;
        }
        for step in 0..order {
            let j = order - 1 - step;
            let distance = x - nodes[j];
            for less in 0..planes {
                let plane = planes - 1 - less;
                let mut sum = out[[plane, at, column]] * distance;
                if plane > 0 {
                    sum += plane as f64 * out[[plane - 1, at, column]];
                } else {
                    sum += values[[j, column]];
                }
                out[[plane, at, column]] = sum;
            }
        }
    }
}

/// Values between those of a grid: linear (0), or the nearest (1). The coordinates of all axes stand one after another, those of an
/// axis from `starts` on; `table` has the values. Outside: numbers (0), or the outer cells go on (1).
#[kernel]
pub(super) fn evaluate_grid(
    points: View<f64>,
    coordinates: View<f64>,
    starts: View<i64>,
    table: View<f64>,
    is_nearest: bool,
    extrapolates: bool,
    fill: f64,
    mut out: ViewMut<f64>,
) {
    let (count, dimensions, columns) = (points.shape()[0], points.shape()[1], table.shape()[1]);
    for at in grid_stride(count) {
        let mut places = [0usize; 8];
        let mut steps = [0usize; 8];
        let mut shares = [0.0f64; 8];
        let mut is_outside = false;
        let mut is_nan = false;
        for axis in 0..dimensions {
            let x = points[[at, axis]];
            let start = starts[axis] as usize;
            let length = starts[axis + 1] as usize - start;
            is_nan = is_nan || x.is_nan();
            is_outside = is_outside || x < coordinates[start] || x > coordinates[start + length - 1];
            let mut low = 0;
            let mut left = if length > 1 { length - 1 } else { 1 };
            while left > 1 {
                let half = left / 2;
                low = if x >= coordinates[start + low + half] { low + half } else { low };
                left -= half;
            }
            places[axis] = low;
            if length > 1 {
                let near = coordinates[start + low];
                shares[axis] = (x - near) / (coordinates[start + low + 1] - near);
                steps[axis] = 1;
            }
        }
        for column in 0..columns {
            let mut sum = 0.0;
            if is_nearest {
                let mut place = 0;
                for axis in 0..dimensions {
                    let length = (starts[axis + 1] - starts[axis]) as usize;
                    place = place * length + places[axis] + if shares[axis] > 0.5 { steps[axis] } else { 0 };
                }
                sum = table[[place, column]];
            } else {
                for corner in 0..1usize << dimensions {
                    let mut place = 0;
                    let mut weight = 1.0;
                    for axis in 0..dimensions {
                        let length = (starts[axis + 1] - starts[axis]) as usize;
                        let is_far = (corner >> axis) & 1 == 1;
                        place = place * length + places[axis] + if is_far { steps[axis] } else { 0 };
                        weight *= if is_far { shares[axis] } else { 1.0 - shares[axis] };
                    }
                    sum += weight * table[[place, column]];
                }
            }
            if is_outside && !extrapolates {
                sum = fill;
            }
            if is_nan {
                sum = f64::NAN;
            }
            out[[at, column]] = sum;
        }
    }
}

/// A radial function of a squared distance.
#[device]
fn radial(kind: i32, square: f64) -> f64 {
    if kind == 0 {
        return -square.sqrt();
    }
    if kind == 1 {
        return if square == 0.0 { 0.0 } else { 0.5 * square * square.ln() };
    }
    if kind == 2 {
        return square * square.sqrt();
    }
    if kind == 3 {
        return -square * square * square.sqrt();
    }
    if kind == 4 {
        return -(square + 1.0).sqrt();
    }
    if kind == 5 {
        return 1.0 / (square + 1.0).sqrt();
    }
    if kind == 6 {
        return 1.0 / (square + 1.0);
    }
    (-square).exp()
}

#[device]
fn radial_between(a: View<f64>, one: usize, b: View<f64>, other: usize, kind: i32, epsilon: f64) -> f64 {
    let mut square = 0.0;
    for k in 0..a.shape()[1] {
        let distance = epsilon * (a[[one, k]] - b[[other, k]]);
        square += distance * distance;
    }
    radial(kind, square)
}

/// A product of powers of the coordinates.
#[device]
fn monomial(points: View<f64>, at: usize, shift: View<f64>, powers: View<i64>, term: usize) -> f64 {
    let mut product = 1.0;
    for k in 0..points.shape()[1] {
        let x = (points[[at, k]] - shift[[0, k]]) / shift[[1, k]];
        for _ in 0..powers[[term, k]] {
            product *= x;
        }
    }
    product
}

/// The matrix of a system for radial functions and polynomials.
#[kernel]
pub(super) fn radial_matrix(
    nodes: View<f64>,
    smoothing: View<f64>,
    shift: View<f64>,
    powers: View<i64>,
    kind: i32,
    epsilon: f64,
    mut out: ViewMut<f64>,
) {
    let (count, size) = (nodes.shape()[0], out.shape()[0]);
    for task in grid_stride(size * size) {
        let (row, column) = (task / size, task % size);
        let value = if row < count && column < count {
            let more = if row == column { smoothing[row] } else { 0.0 };
            radial_between(nodes, row, nodes, column, kind, epsilon) + more
        } else if row < count {
            monomial(nodes, row, shift, powers, column - count)
        } else if column < count {
            monomial(nodes, column, shift, powers, row - count)
        } else {
            0.0
        };
        out[[row, column]] = value;
    }
}

#[kernel]
pub(super) fn evaluate_radial(
    points: View<f64>,
    nodes: View<f64>,
    coefficients: View<f64>,
    shift: View<f64>,
    powers: View<i64>,
    kind: i32,
    epsilon: f64,
    mut out: ViewMut<f64>,
) {
    let (points_count, columns, count) = (points.shape()[0], out.shape()[1], nodes.shape()[0]);
    let size = coefficients.shape()[0];
    for at in grid_stride(points_count) {
        for column in 0..columns {
            out[[at, column]] = 0.0;
        }
        for j in 0..size {
            let value = if j < count {
                radial_between(points, at, nodes, j, kind, epsilon)
            } else {
                monomial(points, at, shift, powers, j - count)
            };
            for column in 0..columns {
                out[[at, column]] += value * coefficients[[j, column]];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let texts = [
            crate::cuda_source(evaluate_pieces),
            crate::cuda_source(evaluate_barycentric),
            crate::cuda_source(evaluate_newton),
            crate::cuda_source(evaluate_grid),
            crate::cuda_source(radial_matrix),
            crate::cuda_source(evaluate_radial),
        ];
        assert!(texts.iter().all(|text| text.contains("__global__")));
    }
}
