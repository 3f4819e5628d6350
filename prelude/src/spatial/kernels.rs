//! What threads do of distances and of neighbours.
#![allow(clippy::too_many_arguments, reason = "kernels have what they read and write as arguments")]

use warpcell_macros::{device, kernel};
use warpcell_threads::{View, ViewMut, grid_stride};

/// `x ln(x / y)`, 0 for 0.
#[device]
fn relative(x: f64, y: f64) -> f64 {
    if x > 0.0 { x * (x / y).ln() } else { 0.0 }
}

/// The distance of two rows by a metric, in the order of `METRICS`.
#[device]
fn between(a: View<f64>, i: usize, b: View<f64>, j: usize, metric: i32, p: f64) -> f64 {
    let count = a.shape()[1];
    let mut sum = 0.0;
    // Euclidean distances and their squares.
    if metric == 0 || metric == 1 {
        for k in 0..count {
            let distance = a[[i, k]] - b[[j, k]];
            sum += distance * distance;
        }
        return if metric == 0 { sum.sqrt() } else { sum };
    }
    if metric == 2 {
        for k in 0..count {
            sum += (a[[i, k]] - b[[j, k]]).abs();
        }
        return sum;
    }
    if metric == 3 {
        for k in 0..count {
            let distance = (a[[i, k]] - b[[j, k]]).abs();
            sum = if distance > sum || distance.is_nan() { distance } else { sum };
        }
        return sum;
    }
    if metric == 4 {
        for k in 0..count {
            sum += (a[[i, k]] - b[[j, k]]).abs().powf(p);
        }
        return sum.powf(1.0 / p);
    }
    // Canberra.
    if metric == 5 {
        for k in 0..count {
            let (x, y) = (a[[i, k]], b[[j, k]]);
            let size = x.abs() + y.abs();
            sum += if size == 0.0 { 0.0 } else { (x - y).abs() / size };
        }
        return sum;
    }
    // Bray and Curtis.
    if metric == 6 {
        let mut all = 0.0;
        for k in 0..count {
            let (x, y) = (a[[i, k]], b[[j, k]]);
            sum += (x - y).abs();
            all += (x + y).abs();
        }
        return sum / all;
    }
    // Jensen and Shannon.
    if metric == 7 {
        let mut one = 0.0;
        let mut other = 0.0;
        for k in 0..count {
            one += a[[i, k]];
            other += b[[j, k]];
        }
        for k in 0..count {
            let (x, y) = (a[[i, k]] / one, b[[j, k]] / other);
            let middle = 0.5 * (x + y);
            sum += relative(x, middle) + relative(y, middle);
        }
        return (0.5 * sum).max(0.0).sqrt();
    }
    // Kullback and Leibler.
    if metric == 8 {
        for k in 0..count {
            sum += relative(a[[i, k]], b[[j, k]]);
        }
        return sum;
    }
    // Hellinger.
    if metric == 9 {
        for k in 0..count {
            let distance = a[[i, k]].sqrt() - b[[j, k]].sqrt();
            sum += distance * distance;
        }
        return (0.5 * sum).sqrt();
    }
    if metric == 10 {
        for k in 0..count {
            sum += if a[[i, k]] == b[[j, k]] { 0.0 } else { 1.0 };
        }
        return sum / count as f64;
    }
    // Of numbers Jaccard's counts those that differ.
    if metric == 11 {
        let mut all = 0.0;
        for k in 0..count {
            let (x, y) = (a[[i, k]], b[[j, k]]);
            let is_any = x != 0.0 || y != 0.0;
            sum += if is_any && x != y { 1.0 } else { 0.0 };
            all += if is_any { 1.0 } else { 0.0 };
        }
        return if all == 0.0 { 0.0 } else { sum / all };
    }
    // What is left is of booleans: both true, one of them, the other, and none.
    let mut both = 0.0;
    let mut one = 0.0;
    let mut other = 0.0;
    for k in 0..count {
        let (x, y) = (a[[i, k]] != 0.0, b[[j, k]] != 0.0);
        both += if x && y { 1.0 } else { 0.0 };
        one += if x && !y { 1.0 } else { 0.0 };
        other += if !x && y { 1.0 } else { 0.0 };
    }
    let all = count as f64;
    let differ = one + other;
    if metric == 12 {
        return (all - both) / all;
    }
    if metric == 13 {
        return differ / (2.0 * both + differ);
    }
    if metric == 14 {
        return 2.0 * differ / (all + differ);
    }
    if metric == 15 {
        return 2.0 * differ / (both + 2.0 * differ);
    }
    // Yule.
    let none = all - both - differ;
    if one * other == 0.0 { 0.0 } else { 2.0 * one * other / (both * none + one * other) }
}

/// The distances of all rows of one matrix from all rows of another.
#[kernel]
pub(super) fn all_distances(a: View<f64>, b: View<f64>, metric: i32, p: f64, mut out: ViewMut<f64>) {
    let (rows, columns) = (out.shape()[0], out.shape()[1]);
    for task in grid_stride(rows * columns) {
        let (i, j) = (task / columns, task % columns);
        out[[i, j]] = between(a, i, b, j, metric, p);
    }
}

/// The distances of each row from those behind it, one after another.
#[kernel]
pub(super) fn pair_distances(a: View<f64>, metric: i32, p: f64, mut out: ViewMut<f64>) {
    let rows = a.shape()[0];
    for task in grid_stride(rows * rows) {
        let (i, j) = (task / rows, task % rows);
        if i < j {
            out[i * (2 * rows - i - 1) / 2 + j - i - 1] = between(a, i, a, j, metric, p);
        }
    }
}

/// A vector of the distances of pairs as the symmetric matrix of all.
#[kernel]
pub(super) fn square_of_pairs(pairs: View<f64>, mut out: ViewMut<f64>) {
    let rows = out.shape()[0];
    for task in grid_stride(rows * rows) {
        let (i, j) = (task / rows, task % rows);
        let (low, high) = (i.min(j), i.max(j));
        out[[i, j]] = if i == j { 0.0 } else { pairs[low * (2 * rows - low - 1) / 2 + high - low - 1] };
    }
}

#[kernel]
pub(super) fn pairs_of_square(square: View<f64>, mut out: ViewMut<f64>) {
    let rows = square.shape()[0];
    for task in grid_stride(rows * rows) {
        let (i, j) = (task / rows, task % rows);
        if i < j {
            out[i * (2 * rows - i - 1) / 2 + j - i - 1] = square[[i, j]];
        }
    }
}

/// One more coordinate of a distance: `kind` is 2 for the sum of squares, 1 for the sum, 0 for the largest, else the sum of powers.
#[device]
fn with_coordinate(sum: f64, distance: f64, kind: i32, p: f64) -> f64 {
    if kind == 2 {
        return sum + distance * distance;
    }
    if kind == 1 {
        return sum + distance.abs();
    }
    if kind == 0 {
        return sum.max(distance.abs());
    }
    sum + distance.abs().powf(p)
}

/// How far a point is from the box of a node.
#[device]
fn from_box(points: View<f64>, at: usize, boxes: View<f64>, node: usize, kind: i32, p: f64) -> f64 {
    let dimensions = points.shape()[1];
    let mut sum = 0.0;
    for k in 0..dimensions {
        let x = points[[at, k]];
        let (low, high) = (boxes[[node, k]], boxes[[node, dimensions + k]]);
        let distance = if x < low {
            low - x
        } else if x > high {
            x - high
        } else {
            0.0
        };
        sum = with_coordinate(sum, distance, kind, p);
    }
    sum
}

#[device]
fn from_point(points: View<f64>, at: usize, data: View<f64>, other: usize, kind: i32, p: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..points.shape()[1] {
        sum = with_coordinate(sum, points[[at, k]] - data[[other, k]], kind, p);
    }
    sum
}

/// The nearest points of each: a walk through the tree, the nearer half first, with a list of what is left. `nodes` has of each node
/// the first point, the one behind its last, and its right child, or 0; the left child is the next node.
#[kernel]
pub(super) fn nearest(
    points: View<f64>,
    data: View<f64>,
    order: View<i64>,
    nodes: View<i64>,
    boxes: View<f64>,
    kind: i32,
    p: f64,
    bound: f64,
    mut distances: ViewMut<f64>,
    mut indices: ViewMut<i64>,
) {
    let (count, k) = (distances.shape()[0], distances.shape()[1]);
    for at in grid_stride(count) {
        for place in 0..k {
            distances[[at, place]] = f64::INFINITY;
            indices[[at, place]] = data.shape()[0] as i64;
        }
        let mut waiting = [0usize; 64];
        let mut far = [0.0f64; 64];
        let mut left = 1;
        far[0] = from_box(points, at, boxes, 0, kind, p);
        // What is as far as this is not looked for.
        let mut limit = bound;
        while left > 0 {
            left -= 1;
            let mut node = waiting[left];
            if far[left] < limit {
                let mut is_inner = nodes[[node, 2]] != 0;
                while is_inner {
                    let (one, other) = (node + 1, nodes[[node, 2]] as usize);
                    let from_one = from_box(points, at, boxes, one, kind, p);
                    let from_other = from_box(points, at, boxes, other, kind, p);
                    let is_left = from_one <= from_other;
                    let farther = if is_left { from_other } else { from_one };
                    if farther < limit {
                        waiting[left] = if is_left { other } else { one };
                        far[left] = farther;
                        left += 1;
                    }
                    node = if is_left { one } else { other };
                    is_inner = nodes[[node, 2]] != 0;
                }
                for other in nodes[[node, 0]] as usize..nodes[[node, 1]] as usize {
                    let distance = from_point(points, at, data, other, kind, p);
                    if distance < limit {
                        // Among those found, in ascending order.
                        let mut place = k - 1;
                        while place > 0 && distances[[at, place - 1]] > distance {
                            distances[[at, place]] = distances[[at, place - 1]];
                            indices[[at, place]] = indices[[at, place - 1]];
                            place -= 1;
                        }
                        distances[[at, place]] = distance;
                        indices[[at, place]] = order[other];
                        limit = bound.min(distances[[at, k - 1]]);
                    }
                }
            }
        }
        for place in 0..k {
            let distance = distances[[at, place]];
            distances[[at, place]] = if kind == 2 {
                distance.sqrt()
            } else if kind == 3 {
                distance.powf(1.0 / p)
            } else {
                distance
            };
        }
    }
}

/// The points within a distance of each: how many, and which, from `starts` on, if there is room for them.
#[kernel]
pub(super) fn within(
    points: View<f64>,
    data: View<f64>,
    order: View<i64>,
    nodes: View<i64>,
    boxes: View<f64>,
    kind: i32,
    p: f64,
    limits: View<f64>,
    starts: View<i64>,
    writes: bool,
    mut counts: ViewMut<i64>,
    mut found: ViewMut<i64>,
) {
    for at in grid_stride(points.shape()[0]) {
        let mut waiting = [0usize; 64];
        let mut left = 1;
        let mut count = 0;
        let limit = limits[at];
        while left > 0 {
            left -= 1;
            let node = waiting[left];
            if from_box(points, at, boxes, node, kind, p) <= limit {
                if nodes[[node, 2]] != 0 {
                    waiting[left] = nodes[[node, 2]] as usize;
                    waiting[left + 1] = node + 1;
                    left += 2;
                } else {
                    for other in nodes[[node, 0]] as usize..nodes[[node, 1]] as usize {
                        if from_point(points, at, data, other, kind, p) <= limit {
                            if writes {
                                found[starts[at] as usize + count] = order[other];
                            }
                            count += 1;
                        }
                    }
                }
            }
        }
        if !writes {
            counts[at] = count as i64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_a_translation() {
        let texts = [
            crate::cuda_source(all_distances),
            crate::cuda_source(pair_distances),
            crate::cuda_source(square_of_pairs),
            crate::cuda_source(pairs_of_square),
            crate::cuda_source(nearest),
            crate::cuda_source(within),
        ];
        assert!(texts.iter().all(|text| text.contains("__global__")));
    }
}
