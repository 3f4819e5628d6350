//! Neighbours of points: walks through a tree, the nearer half first.

use super::super::numeric::Shared;
use super::super::pool;
use warpcell_base::backend::loops::Tree;

/// So many points are worth a thread.
const GRAIN: usize = 1 << 7;
/// The most nodes that wait: trees are not that deep.
const DEPTH: usize = 64;

/// A tree of points in memory.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a> {
    /// The points, those of a node one after another.
    pub data: &'a [f64],
    pub order: &'a [i64],
    /// Of each node its first point, the one behind its last, and its right child or 0; the left one is the next node.
    pub nodes: &'a [i64],
    /// Of each node the least coordinates, and the greatest.
    pub boxes: &'a [f64],
    pub dimensions: usize,
}

/// How coordinates become a distance.
trait Metric: Sync {
    fn with(&self, sum: f64, distance: f64) -> f64;
    fn end(&self, sum: f64) -> f64;
}

struct Squares;
struct Sizes;
struct Largest;
struct Powers(f64);

impl Metric for Squares {
    #[inline(always)]
    fn with(&self, sum: f64, distance: f64) -> f64 {
        sum + distance * distance
    }
    fn end(&self, sum: f64) -> f64 {
        sum.sqrt()
    }
}
impl Metric for Sizes {
    #[inline(always)]
    fn with(&self, sum: f64, distance: f64) -> f64 {
        sum + distance.abs()
    }
    fn end(&self, sum: f64) -> f64 {
        sum
    }
}
impl Metric for Largest {
    #[inline(always)]
    fn with(&self, sum: f64, distance: f64) -> f64 {
        sum.max(distance.abs())
    }
    fn end(&self, sum: f64) -> f64 {
        sum
    }
}
impl Metric for Powers {
    #[inline(always)]
    fn with(&self, sum: f64, distance: f64) -> f64 {
        sum + distance.abs().powf(self.0)
    }
    fn end(&self, sum: f64) -> f64 {
        sum.powf(1.0 / self.0)
    }
}

/// Evaluates an expression for the metric of a tree, and for a usual number of coordinates.
macro_rules! by_metric {
    ($tree:expr, $dimensions:expr, |$metric:ident, $D:ident| $body:expr) => {
        match ($tree.kind, $dimensions) {
            (2, 2) => by_metric!(@2, &Squares, |$metric, $D| $body),
            (2, 3) => by_metric!(@3, &Squares, |$metric, $D| $body),
            (2, _) => by_metric!(@0, &Squares, |$metric, $D| $body),
            (1, _) => by_metric!(@0, &Sizes, |$metric, $D| $body),
            (0, _) => by_metric!(@0, &Largest, |$metric, $D| $body),
            _ => by_metric!(@0, &Powers($tree.p), |$metric, $D| $body),
        }
    };
    (@$dimensions:literal, $of:expr, |$metric:ident, $D:ident| $body:expr) => {{
        const $D: usize = $dimensions;
        let $metric = $of;
        $body
    }};
}

impl Nodes<'_> {
    /// The coordinates; as many as the constant says, unless it is 0.
    #[inline(always)]
    fn count<const D: usize>(&self) -> usize {
        if D > 0 { D } else { self.dimensions }
    }

    #[inline(always)]
    fn box_distance<M: Metric, const D: usize>(&self, metric: &M, point: &[f64], node: usize) -> f64 {
        let count = self.count::<D>();
        let ends = &self.boxes[2 * node * count..2 * (node + 1) * count];
        let mut sum = 0.0;
        for k in 0..count {
            let (x, low, high) = (point[k], ends[k], ends[count + k]);
            let distance = if x < low {
                low - x
            } else if x > high {
                x - high
            } else {
                0.0
            };
            sum = metric.with(sum, distance);
        }
        sum
    }

    #[inline(always)]
    fn point_distance<M: Metric, const D: usize>(&self, metric: &M, point: &[f64], other: usize) -> f64 {
        let count = self.count::<D>();
        let data = &self.data[other * count..(other + 1) * count];
        let mut sum = 0.0;
        for k in 0..count {
            sum = metric.with(sum, point[k] - data[k]);
        }
        sum
    }

    fn node(&self, node: usize) -> [usize; 3] {
        std::array::from_fn(|field| self.nodes[3 * node + field] as usize)
    }

    fn nearest<M: Metric, const D: usize>(
        &self,
        metric: &M,
        point: &[f64],
        bound: f64,
        distances: &mut [f64],
        indices: &mut [i64],
    ) {
        let k = distances.len();
        distances.fill(f64::INFINITY);
        indices.fill((self.data.len() / self.count::<D>().max(1)) as i64);
        let mut waiting = [(0usize, 0.0f64); DEPTH];
        waiting[0].1 = self.box_distance::<M, D>(metric, point, 0);
        let mut left = 1;
        // What is as far as this is not looked for.
        let mut limit = bound;
        while left > 0 {
            left -= 1;
            let (mut node, far) = waiting[left];
            if far >= limit || far.is_nan() {
                continue;
            }
            let mut fields = self.node(node);
            while fields[2] != 0 {
                let (one, other) = (node + 1, fields[2]);
                let from_one = self.box_distance::<M, D>(metric, point, one);
                let from_other = self.box_distance::<M, D>(metric, point, other);
                let (near, rest) =
                    if from_one <= from_other { (one, (other, from_other)) } else { (other, (one, from_one)) };
                if rest.1 < limit {
                    waiting[left] = rest;
                    left += 1;
                }
                node = near;
                fields = self.node(node);
            }
            for other in fields[0]..fields[1] {
                let distance = self.point_distance::<M, D>(metric, point, other);
                if distance < limit {
                    // Among those found, in ascending order.
                    let mut place = k - 1;
                    while place > 0 && distances[place - 1] > distance {
                        distances[place] = distances[place - 1];
                        indices[place] = indices[place - 1];
                        place -= 1;
                    }
                    distances[place] = distance;
                    indices[place] = self.order[other];
                    limit = bound.min(distances[k - 1]);
                }
            }
        }
        for distance in distances {
            *distance = metric.end(*distance);
        }
    }

    fn within<M: Metric, const D: usize>(&self, metric: &M, point: &[f64], limit: f64, mut found: impl FnMut(i64)) {
        let mut waiting = [0usize; DEPTH];
        let mut left = 1;
        while left > 0 {
            left -= 1;
            let node = waiting[left];
            if self.box_distance::<M, D>(metric, point, node) > limit || limit.is_nan() {
                continue;
            }
            let fields = self.node(node);
            if fields[2] != 0 {
                waiting[left] = fields[2];
                waiting[left + 1] = node + 1;
                left += 2;
                continue;
            }
            for other in fields[0]..fields[1] {
                if self.point_distance::<M, D>(metric, point, other) <= limit {
                    found(self.order[other]);
                }
            }
        }
    }
}

/// Writes the nearest points of each; see `Loops::Nearest`.
pub(super) fn nearest(
    tree: &Tree<'_>,
    nodes: &Nodes<'_>,
    points: &[f64],
    bound: f64,
    distances: &mut [f64],
    indices: &mut [i64],
) {
    let count = points.len() / nodes.dimensions.max(1);
    let k = distances.len() / count.max(1);
    assert!(k > 0 && distances.len() == count * k && indices.len() == count * k);
    let (distances, indices) = (Shared(distances.as_mut_ptr()), Shared(indices.as_mut_ptr()));
    by_metric!(tree, nodes.dimensions, |metric, D| {
        pool::split(count, GRAIN, &|range| {
            for at in range {
                // SAFETY: the rows of each point belong to one task.
                let (distances, indices) = unsafe {
                    (
                        std::slice::from_raw_parts_mut(distances.get().add(at * k), k),
                        std::slice::from_raw_parts_mut(indices.get().add(at * k), k),
                    )
                };
                let point = &points[at * nodes.dimensions..(at + 1) * nodes.dimensions];
                nodes.nearest::<_, D>(metric, point, bound, distances, indices);
            }
        });
    });
}

/// Counts the points within the limit of each, or writes which they are, from `starts` on; see `Loops::Within`.
///
/// # Safety
///
/// There is room for as many points as are counted.
pub(super) unsafe fn within(
    tree: &Tree<'_>,
    nodes: &Nodes<'_>,
    points: &[f64],
    limits: &[f64],
    starts: Option<&[i64]>,
    out: &mut [i64],
) {
    let count = points.len() / nodes.dimensions.max(1);
    let target = Shared(out.as_mut_ptr());
    by_metric!(tree, nodes.dimensions, |metric, D| {
        pool::split(count, GRAIN, &|range| {
            for at in range {
                let point = &points[at * nodes.dimensions..(at + 1) * nodes.dimensions];
                let mut number = 0;
                nodes.within::<_, D>(metric, point, limits[at], |index| {
                    if let Some(starts) = starts {
                        // SAFETY: the caller's promise; the places of each point belong to one task.
                        unsafe { target.get().add(starts[at] as usize + number).write(index) };
                    }
                    number += 1;
                });
                if starts.is_none() {
                    // SAFETY: the number of each point belongs to one task.
                    unsafe { target.get().add(at).write(number as i64) };
                }
            }
        });
    });
}
