//! A tree of points, in which the nearest ones are found.

use super::kernels::{nearest, within};
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::Layout;
use crate::backend::loops::{Loops, Tree};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::floats::IntoFloat;
use crate::launch::try_launch_unchecked;

/// A tree of points, in which the nearest ones are found; SciPy's `KDTree`. Each node halves its points along its longest side, down to
/// 16 of them: Friedman, Bentley and Finkel, "An algorithm for finding best matches in logarithmic expected time" (1977). The tree is
/// built on the host (this waits); it lies on the device of the points, and there one thread walks through it for each point that is
/// asked for. That visits few of the points, where brute force would compare each with all: a walk of a hundred thousand points takes as
/// long as comparisons with a few hundred.
///
/// ```
/// use warpcell as gpu;
/// use gpu::spatial::KDTree;
/// let tree = KDTree::new(&gpu::array(&[[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]]));
/// let (distances, indices) = tree.query(&gpu::array(&[[0.9, 0.0], [4.0, 5.0]]), 1);
/// assert!(gpu::allclose(&distances, &[0.1, 1.0]));
/// assert_eq!(indices.tolist(), [1, 2]);
/// assert_eq!(tree.query_ball_point(&gpu::array(&[[0.0, 0.0]]), 2.0), [[0, 1]]);
/// ```
#[derive(Clone)]
pub struct KDTree {
    /// The points in the order of the tree, and where each was.
    data: DeviceArray<f64>,
    order: DeviceArray<i64>,
    /// Of each node the first point, the one behind its last, and its right child, or 0; the left child is the next node.
    nodes: DeviceArray<i64>,
    /// The lowest and the highest coordinates of each node.
    boxes: DeviceArray<f64>,
}

/// So many points are compared one by one.
const LEAF: usize = 16;

impl std::fmt::Debug for KDTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KDTree({} points of {} coordinates)", self.n(), self.m())
    }
}

/// What a tree is made of, on the host.
struct Built<'a> {
    points: &'a [f64],
    dimensions: usize,
    nodes: Vec<i64>,
    boxes: Vec<f64>,
}

impl Built<'_> {
    /// Adds the node of these points, and those below it.
    fn add(&mut self, order: &mut [u32], start: usize) {
        let d = self.dimensions;
        let node = self.nodes.len() / 3;
        self.nodes.extend([start as i64, (start + order.len()) as i64, 0]);
        let first = self.boxes.len();
        self.boxes.resize(first + d, f64::INFINITY);
        self.boxes.resize(first + 2 * d, f64::NEG_INFINITY);
        let (low, high) = self.boxes[first..].split_at_mut(d);
        for &at in order.iter() {
            for (axis, &x) in self.points[at as usize * d..][..d].iter().enumerate() {
                low[axis] = low[axis].min(x);
                high[axis] = high[axis].max(x);
            }
        }
        let length = |axis: &usize| high[*axis] - low[*axis];
        let longest = (0..d).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(0);
        if order.len() <= LEAF || high[longest] <= low[longest] {
            return;
        }
        let middle = order.len() / 2;
        let x = |at: &u32| self.points[*at as usize * d + longest];
        order.select_nth_unstable_by(middle, |a, b| x(a).total_cmp(&x(b)));
        let (left, right) = order.split_at_mut(middle);
        self.add(left, start);
        self.nodes[3 * node + 2] = (self.nodes.len() / 3) as i64;
        self.add(right, start + middle);
    }
}

/// How distances are summed, and what a distance is in that sum.
fn kind_of(operation: &'static str, p: f64) -> Result<i32> {
    if p.is_nan() || p < 1.0 {
        return Err(Error::argument(operation, format!("`p` is {p}; give a number from 1 on, or infinity")));
    }
    Ok(if p == 2.0 {
        2
    } else if p == 1.0 {
        1
    } else if p.is_infinite() {
        0
    } else {
        3
    })
}

fn in_sum(distance: f64, kind: i32, p: f64) -> f64 {
    match kind {
        2 => distance * distance,
        3 => distance.powf(p),
        _ => distance,
    }
}

impl KDTree {
    /// The tree of points, the rows of a matrix.
    ///
    /// **Panics** if it is not a matrix ([`Error::InvalidShape`]), or a number is not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<D: OnDevice<Elem = T>, T: Number>(data: &D) -> KDTree {
        check(KDTree::made("KDTree", data.raw()))
    }

    pub(crate) fn made(operation: &'static str, data: &RawArray) -> Result<KDTree> {
        let [count, dimensions] = *data.shape() else {
            return Err(Error::shape(
                operation,
                data.shape(),
                "is not that of points; give a matrix with a row for each",
            ));
        };
        if u32::try_from(count).is_err() {
            return Err(Error::shape(operation, data.shape(), "has too many points; give less than 2^32"));
        }
        let points: Vec<f64> = transfer::download_vec(&data.converted(operation, DType::F64)?)?;
        if let Some(at) = points.iter().position(|x| !x.is_finite()) {
            let reason = format!("the point {} has {}; give finite numbers", at / dimensions, points[at]);
            return Err(Error::argument(operation, reason));
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut built = Built { points: &points, dimensions, nodes: Vec::new(), boxes: Vec::new() };
        built.add(&mut order, 0);
        let Built { nodes, boxes, .. } = built;
        let sorted = order.iter().flat_map(|&at| points[at as usize * dimensions..][..dimensions].iter().copied());
        let handle = &data.handle;
        let order: Vec<i64> = order.iter().map(|&at| i64::from(at)).collect();
        let rows = nodes.len() / 3;
        let floats = |shape: [usize; 2], values: &mut dyn Iterator<Item = f64>| {
            RawArray::of_floats(operation, handle, &shape, values, DType::F64)
        };
        Ok(KDTree {
            data: DeviceArray::from_raw(floats([count, dimensions], &mut { sorted })?),
            order: DeviceArray::from_raw(RawArray::of_indices(operation, handle, &[count], &order)?),
            nodes: DeviceArray::from_raw(RawArray::of_indices(operation, handle, &[rows, 3], &nodes)?),
            boxes: DeviceArray::from_raw(floats([rows, 2 * dimensions], &mut boxes.into_iter())?),
        })
    }

    /// How many points there are.
    pub fn n(&self) -> usize {
        self.data.shape()[0]
    }

    /// How many coordinates they have.
    pub fn m(&self) -> usize {
        self.data.shape()[1]
    }

    /// The points that are asked for, as a matrix, and their shape.
    fn points<'x>(&self, operation: &'static str, x: &'x RawArray) -> Result<(DeviceArray<f64>, &'x [usize])> {
        self.data.raw.same_device(operation, x)?;
        let Some((&last, shape)) = x.shape().split_last().filter(|(last, _)| **last == self.m()) else {
            let reason =
                format!("does not end with the number of coordinates, {}; give a row for each point", self.m());
            return Err(Error::shape(operation, x.shape(), reason));
        };
        let x = if x.dtype == DType::F64 { x.contiguous(operation)? } else { x.converted(operation, DType::F64)? };
        let layout = Layout { offset: x.layout.offset, ..Layout::contiguous(&[shape.iter().product(), last]) };
        Ok((DeviceArray::from_raw(x.with_layout(layout)), shape))
    }

    /// As loops go through it.
    fn view(&self, kind: i32, p: f64) -> Tree<'_> {
        let [data, boxes] = [&self.data, &self.boxes].map(|of| of.raw.view());
        let [order, nodes] = [&self.order, &self.nodes].map(|of| of.raw.view());
        Tree { data, order, nodes, boxes, kind, p }
    }

    pub(crate) fn neighbours(
        &self,
        operation: &'static str,
        x: &RawArray,
        k: usize,
        p: f64,
        bound: f64,
    ) -> Result<(RawArray, RawArray)> {
        let kind = kind_of(operation, p)?;
        if k == 0 {
            return Err(Error::argument(operation, "`k` is 0; give how many neighbours"));
        }
        let (points, shape) = self.points(operation, x)?;
        let count = points.shape()[0];
        let new = |dtype| RawArray::uninitialised(operation, &x.handle, &[count, k], dtype);
        let mut distances = DeviceArray::<f64>::from_raw(new(DType::F64)?);
        let mut indices = DeviceArray::<i64>::from_raw(new(DType::I64)?);
        if count > 0 {
            let bound = in_sum(bound, kind, p);
            let (tree, from, to, which) =
                (self.view(kind, p), points.raw.view(), distances.raw.view(), indices.raw.view());
            let loops = Loops::Nearest { tree, points: from, bound, distances: to, indices: which };
            let is_done = self.m() > 0 && x.handle.backend.by_loops(loops)?;
            let arguments = (
                &points,
                &self.data,
                &self.order,
                &self.nodes,
                &self.boxes,
                kind,
                p,
                bound,
                &mut distances,
                &mut indices,
            );
            if !is_done {
                // SAFETY: a thread writes the results of one point.
                unsafe { try_launch_unchecked(nearest, count.div_ceil(64), 64, arguments)? };
            }
        }
        // Of one neighbour there is no axis, as in SciPy.
        let shape = if k == 1 { shape.to_vec() } else { [shape, &[k]].concat() };
        let shaped = |of: &RawArray| of.with_layout(Layout { offset: of.layout.offset, ..Layout::contiguous(&shape) });
        Ok((shaped(&distances.raw), shaped(&indices.raw)))
    }

    /// How many points lie within distances, or which, from `starts` on.
    #[expect(clippy::too_many_arguments, reason = "those of the kernel")]
    fn balls(
        &self,
        points: &DeviceArray<f64>,
        kind: i32,
        p: f64,
        limits: &DeviceArray<f64>,
        starts: &DeviceArray<i64>,
        writes: bool,
        counts: &mut DeviceArray<i64>,
        found: &mut DeviceArray<i64>,
    ) -> Result<()> {
        let count = points.shape()[0];
        if count == 0 {
            return Ok(());
        }
        let (from, limits_view) = (points.raw.view(), limits.raw.view());
        let (starts_view, out) =
            if writes { (Some(starts.raw.view()), found.raw.view()) } else { (None, counts.raw.view()) };
        let loops =
            Loops::Within { tree: self.view(kind, p), points: from, limits: limits_view, starts: starts_view, out };
        if self.m() > 0 && points.raw.handle.backend.by_loops(loops)? {
            return Ok(());
        }
        let arguments =
            (points, &self.data, &self.order, &self.nodes, &self.boxes, kind, p, limits, starts, writes, counts, found);
        // SAFETY: a thread writes the results of one point, of which there are as many as it counted before.
        unsafe { try_launch_unchecked(within, count.div_ceil(64), 64, arguments) }
    }

    fn counted(&self, operation: &'static str, x: &RawArray, r: f64, p: f64) -> Result<Counted> {
        let kind = kind_of(operation, p)?;
        let (points, shape) = self.points(operation, x)?;
        let count = points.shape()[0];
        let handle = &x.handle;
        let limits = RawArray::filled(operation, handle, &[count], crate::Scalar::F64(in_sum(r, kind, p)))?;
        let limits = DeviceArray::<f64>::from_raw(if r < 0.0 {
            RawArray::filled(operation, handle, &[count], crate::Scalar::F64(-1.0))?
        } else {
            limits
        });
        let new = |count: usize| RawArray::filled(operation, handle, &[count], crate::Scalar::I64(0));
        let mut counts = DeviceArray::<i64>::from_raw(new(count)?);
        let starts = DeviceArray::<i64>::from_raw(new(count.max(1))?);
        let mut none = DeviceArray::<i64>::from_raw(new(1)?);
        self.balls(&points, kind, p, &limits, &starts, false, &mut counts, &mut none)?;
        Ok(Counted { points, shape: shape.to_vec(), kind, p, limits, counts })
    }

    fn listed(&self, operation: &'static str, x: &RawArray, r: f64, p: f64) -> Result<Vec<Vec<usize>>> {
        let Counted { points, kind, p, limits, mut counts, .. } = self.counted(operation, x, r, p)?;
        let lengths: Vec<i64> = transfer::download_vec(&counts.raw)?;
        let mut starts = vec![0];
        lengths.iter().for_each(|length| starts.push(starts[starts.len() - 1] + length));
        let total = starts[starts.len() - 1] as usize;
        let handle = &x.handle;
        let begin = DeviceArray::from_raw(RawArray::of_indices(operation, handle, &[starts.len()], &starts)?);
        let found = RawArray::uninitialised(operation, handle, &[total.max(1)], DType::I64)?;
        let mut found = DeviceArray::<i64>::from_raw(found);
        if total == 0 {
            return Ok(vec![Vec::new(); lengths.len()]);
        }
        self.balls(&points, kind, p, &limits, &begin, true, &mut counts, &mut found)?;
        let found: Vec<i64> = transfer::download_vec(&found.raw)?;
        let of = |pair: &[i64]| {
            let mut list: Vec<usize> =
                found[pair[0] as usize..pair[1] as usize].iter().map(|&at| at as usize).collect();
            list.sort_unstable();
            list
        };
        Ok(starts.windows(2).map(of).collect())
    }

    fallible! {
        /// The distances of the `k` nearest points from each of `x`, and which they are: arrays of the shape of `x` without its last axis,
        /// that of the coordinates, and with an axis of `k` unless it is 1. Where there are less points, the distance is infinite and the
        /// index the number of points. SciPy's `query`. Queues.
        ///
        /// **Panics** if the last axis of `x` is not that of the coordinates ([`Error::InvalidShape`]), `k` is 0
        /// ([`Error::InvalidArgument`]), or if the device differs.
        pub fn query, try_query<X: OnDevice<Elem = T>, T: Number>(&self, x: &X, k: usize) -> Result<(DeviceArray<f64>, DeviceArray<i64>)> {
            let (distances, indices) = self.neighbours("query", x.raw(), k, 2.0, f64::INFINITY)?;
            Ok((DeviceArray::from_raw(distances), DeviceArray::from_raw(indices)))
        }

        /// As [`query`](Self::query), with SciPy's other arguments: Minkowski's power `p`, and only points nearer than
        /// `distance_upper_bound`.
        ///
        /// **Panics** also if `p` is less than 1 ([`Error::InvalidArgument`]).
        pub fn query_with, try_query_with<X: OnDevice<Elem = T>, T: Number>(
            &self,
            x: &X,
            k: usize,
            p: impl IntoFloat,
            distance_upper_bound: impl IntoFloat
        ) -> Result<(DeviceArray<f64>, DeviceArray<i64>)> {
            let p = p.into_float();
            let distance_upper_bound = distance_upper_bound.into_float();
            let (distances, indices) = self.neighbours("query", x.raw(), k, p, distance_upper_bound)?;
            Ok((DeviceArray::from_raw(distances), DeviceArray::from_raw(indices)))
        }

        /// Which points lie within the distance `r` of each of `x`, in ascending order; a list for each. SciPy's `query_ball_point`. Waits:
        /// the lists are on the host.
        ///
        /// **Panics** if the last axis of `x` is not that of the coordinates ([`Error::InvalidShape`]), or if the device differs.
        pub fn query_ball_point, try_query_ball_point<X: OnDevice<Elem = T>, T: Number>(&self, x: &X, r: impl IntoFloat) -> Result<Vec<Vec<usize>>> {
            let r = r.into_float();
            self.listed("query_ball_point", x.raw(), r, 2.0)
        }

        /// As [`query_ball_point`](Self::query_ball_point), with Minkowski's power `p`.
        ///
        /// **Panics** also if `p` is less than 1 ([`Error::InvalidArgument`]).
        pub fn query_ball_point_with, try_query_ball_point_with<X: OnDevice<Elem = T>, T: Number>(
            &self,
            x: &X,
            r: impl IntoFloat,
            p: impl IntoFloat
        ) -> Result<Vec<Vec<usize>>> {
            let r = r.into_float();
            let p = p.into_float();
            self.listed("query_ball_point", x.raw(), r, p)
        }

        /// How many points lie within the distance `r` of each of `x`; SciPy's `query_ball_point` with `return_length`. Queues.
        ///
        /// **Panics** as [`query_ball_point`](Self::query_ball_point) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let points = gpu::array(&[[0.0], [1.0], [5.0]]);
        /// assert_eq!(gpu::spatial::KDTree::new(&points).query_ball_count(&points, 1.0).tolist(), [2, 2, 1]);
        /// ```
        pub fn query_ball_count, try_query_ball_count<X: OnDevice<Elem = T>, T: Number>(&self, x: &X, r: impl IntoFloat) -> Result<DeviceArray<i64>> {
            let r = r.into_float();
            let counted = self.counted("query_ball_count", x.raw(), r, 2.0)?;
            let counts = &counted.counts.raw;
            let layout = Layout { offset: counts.layout.offset, ..Layout::contiguous(&counted.shape) };
            Ok(DeviceArray::from_raw(counts.with_layout(layout)))
        }

        /// All pairs of points within the distance `r`, each in ascending order. SciPy's `query_pairs`. Waits: the pairs are on the host.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let tree = gpu::spatial::KDTree::new(&gpu::array(&[[0.0], [1.0], [5.0]]));
        /// assert_eq!(tree.query_pairs(2.0), [(0, 1)]);
        /// ```
        pub fn query_pairs, try_query_pairs(&self, r: impl IntoFloat) -> Result<Vec<(usize, usize)>> {
            let r = r.into_float();
            let places: Vec<i64> = transfer::download_vec(&self.order.raw)?;
            let lists = self.listed("query_pairs", &self.data.raw, r, 2.0)?;
            let mut pairs: Vec<(usize, usize)> = places
                .iter()
                .zip(lists)
                .flat_map(|(&at, list)| {
                    let at = at as usize;
                    list.into_iter().filter(move |&other| other > at).map(move |other| (at, other))
                })
                .collect();
            pairs.sort_unstable();
            Ok(pairs)
        }
    }
}

/// How many points lie within a distance of each, and what is needed to say which.
struct Counted {
    points: DeviceArray<f64>,
    shape: Vec<usize>,
    kind: i32,
    p: f64,
    limits: DeviceArray<f64>,
    counts: DeviceArray<i64>,
}
