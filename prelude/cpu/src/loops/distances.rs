//! Distances between points: from one point to many at once, in vectors.

use super::super::numeric::{Shared, by_isa};
use super::super::pool;
use super::super::vector::{Function, Lanes};
use warpcell_base::dtype::DType;

/// About so many coordinates are worth a thread.
const GRAIN: usize = 1 << 14;
/// The points whose distances are computed together.
const LANES: usize = 16;

/// Which distance.
#[derive(Clone, Copy)]
pub(super) struct Metric {
    /// In the order of `METRICS` of `spatial`.
    pub number: usize,
    /// The power of Minkowski's.
    pub p: f64,
    pub dimensions: usize,
}

/// Points, one row each, and how many there are.
type Points<'a> = (&'a [f64], usize);

/// Writes the distances of all points of one set from those of another; without that, of each from those behind it.
pub(super) fn distances(metric: &Metric, a: Points<'_>, b: Option<Points<'_>>, out: &mut [f64]) {
    let is_of_pairs = b.is_none();
    let (b, columns) = b.unwrap_or(a);
    let dimensions = metric.dimensions;
    // Points of distributions are shares.
    let shares = |points: &[f64]| -> Vec<f64> {
        let rows = points.chunks_exact(dimensions.max(1));
        rows.flat_map(|row| {
            let all = row.iter().fold(0.0, |sum, x| sum + x);
            row.iter().map(move |x| x / all)
        })
        .collect()
    };
    let roots = |points: &[f64]| points.iter().map(|x| x.sqrt()).collect::<Vec<f64>>();
    let prepared = |points: &[f64]| match metric.number {
        7 => Some(shares(points)),
        9 => Some(roots(points)),
        _ => None,
    };
    let (a_prepared, b_prepared) = (prepared(a.0), prepared(b));
    let (from, b) = (a_prepared.as_deref().unwrap_or(a.0), b_prepared.as_deref().unwrap_or(b));
    // A row for each coordinate, filled up to whole vectors.
    let width = columns.next_multiple_of(LANES);
    let mut turned = vec![0.0; width * dimensions];
    for (place, row) in b.chunks_exact(dimensions.max(1)).enumerate() {
        for (k, &x) in row.iter().enumerate() {
            turned[k * width + place] = x;
        }
    }
    let (target, turned) = (Shared(out.as_mut_ptr()), &turned[..]);
    let grain = (GRAIN / (columns * dimensions).max(1)).max(1);
    pool::split(a.1, grain, &|range| {
        let mut row = vec![0.0; width];
        for i in range {
            let first = if is_of_pairs { i + 1 } else { 0 };
            let start = if is_of_pairs { i * (2 * columns - i - 1) / 2 } else { i * columns };
            let point = &from[i * dimensions..(i + 1) * dimensions];
            let begin = first / LANES * LANES;
            if begin < width {
                from_point(metric, point, turned, begin, &mut row);
            }
            for (place, &distance) in row[first.min(columns)..columns].iter().enumerate() {
                // SAFETY: the distances from each point belong to one task.
                unsafe { target.get().add(start + place).write(distance) };
            }
        }
    });
}

by_isa! {
    /// The distances of a point from many, from the one number `begin` on. The coordinates stand in rows as long as `out`.
    fn from_point(metric: &Metric, point: &[f64], turned: &[f64], begin: usize, out: &mut [f64]) {
        let count = point.len() as f64;
        match metric.number {
            0 => each(point, turned, begin, out, [0.0], |[sum], x, y| [sum + (x - y) * (x - y)], |[sum]| sum.sqrt()),
            1 => each(point, turned, begin, out, [0.0], |[sum], x, y| [sum + (x - y) * (x - y)], |[sum]| sum),
            2 => each(point, turned, begin, out, [0.0], |[sum], x, y| [sum + (x - y).abs()], |[sum]| sum),
            3 => {
                let larger = |[most]: [f64; 1], x: f64, y: f64| {
                    let distance = (x - y).abs();
                    [if distance > most || distance.is_nan() { distance } else { most }]
                };
                each(point, turned, begin, out, [0.0], larger, |[most]| most);
            }
            4 => {
                let p = metric.p;
                let power = |[sum]: [f64; 1], x: f64, y: f64| [sum + (x - y).abs().powf(p)];
                each(point, turned, begin, out, [0.0], power, |[sum]| sum.powf(1.0 / p));
            }
            5 => {
                let canberra = |[sum]: [f64; 1], x: f64, y: f64| {
                    let size = x.abs() + y.abs();
                    [sum + if size == 0.0 { 0.0 } else { (x - y).abs() / size }]
                };
                each(point, turned, begin, out, [0.0], canberra, |[sum]| sum);
            }
            6 => {
                let bray = |[sum, all]: [f64; 2], x: f64, y: f64| [sum + (x - y).abs(), all + (x + y).abs()];
                each(point, turned, begin, out, [0.0; 2], bray, |[sum, all]| sum / all);
            }
            7 => entropies(point, turned, begin, out, true),
            8 => entropies(point, turned, begin, out, false),
            9 => {
                let square = |[sum]: [f64; 1], x: f64, y: f64| [sum + (x - y) * (x - y)];
                each(point, turned, begin, out, [0.0], square, |[sum]| (0.5 * sum).sqrt());
            }
            10 => {
                let differ = |[sum]: [f64; 1], x: f64, y: f64| [sum + if x == y { 0.0 } else { 1.0 }];
                each(point, turned, begin, out, [0.0], differ, |[sum]| sum / count);
            }
            11 => {
                let differ = |[sum, all]: [f64; 2], x: f64, y: f64| {
                    let is_any = x != 0.0 || y != 0.0;
                    [sum + if is_any && x != y { 1.0 } else { 0.0 }, all + if is_any { 1.0 } else { 0.0 }]
                };
                each(point, turned, begin, out, [0.0; 2], differ, |[sum, all]| if all == 0.0 { 0.0 } else { sum / all });
            }
            number => {
                let counted = |[both, one, other]: [f64; 3], x: f64, y: f64| {
                    let (x, y) = (if x != 0.0 { 1.0 } else { 0.0 }, if y != 0.0 { 1.0 } else { 0.0 });
                    [both + x * y, one + x * (1.0 - y), other + y * (1.0 - x)]
                };
                each(point, turned, begin, out, [0.0; 3], counted, |[both, one, other]| {
                    let differ = one + other;
                    match number {
                        12 => (count - both) / count,
                        13 => differ / (2.0 * both + differ),
                        14 => 2.0 * differ / (count + differ),
                        15 => 2.0 * differ / (both + 2.0 * differ),
                        _ if one * other == 0.0 => 0.0,
                        // Yule's, with those in which none is true.
                        _ => 2.0 * one * other / (both * (count - both - differ) + one * other),
                    }
                });
            }
        }
    }
}

/// Goes through the coordinates of some points at once, and keeps numbers of each.
#[inline(always)]
fn each<const N: usize>(
    point: &[f64],
    turned: &[f64],
    begin: usize,
    out: &mut [f64],
    first: [f64; N],
    with: impl Fn([f64; N], f64, f64) -> [f64; N],
    last: impl Fn([f64; N]) -> f64,
) {
    let width = out.len();
    for (block, out) in out[begin..].as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let start = begin + block * LANES;
        let mut sums = [[0.0; LANES]; N];
        for (sum, first) in sums.iter_mut().zip(first) {
            *sum = [first; LANES];
        }
        for (k, &x) in point.iter().enumerate() {
            let others: &[f64; LANES] = turned[k * width + start..][..LANES].try_into().expect("as many");
            for lane in 0..LANES {
                let found = with(std::array::from_fn(|n| sums[n][lane]), x, others[lane]);
                for n in 0..N {
                    sums[n][lane] = found[n];
                }
            }
        }
        for (lane, out) in out.iter_mut().enumerate() {
            *out = last(std::array::from_fn(|n| sums[n][lane]));
        }
    }
}

/// Sums of `x ln(x / y)`, 0 for 0: of shares and their middle, for the distance of Jensen and Shannon, or the divergence of Kullback
/// and Leibler.
#[inline(always)]
fn entropies(point: &[f64], turned: &[f64], begin: usize, out: &mut [f64], is_of_middle: bool) {
    static LOGARITHM: Function = Function::new("log", 1, DType::F64);
    let width = out.len();
    let logarithms = |ratios: &[f64; LANES]| {
        let mut logarithms = [0.0; LANES];
        if LOGARITHM.exists() {
            // SAFETY: a function of one argument, and as many elements of both.
            unsafe { f64::call(&LOGARITHM, [&ratios[..]], &mut logarithms) };
        } else {
            logarithms = ratios.map(f64::ln);
        }
        logarithms
    };
    for (block, out) in out[begin..].as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let start = begin + block * LANES;
        let mut sums = [0.0; LANES];
        let add = |x: &[f64; LANES], y: &[f64; LANES]| -> [f64; LANES] {
            // The logarithm of 1 in the place of those that do not count.
            let ratios = std::array::from_fn(|lane| if x[lane] > 0.0 { x[lane] / y[lane] } else { 1.0 });
            let logarithms = logarithms(&ratios);
            std::array::from_fn(|lane| if x[lane] > 0.0 { x[lane] * logarithms[lane] } else { 0.0 })
        };
        for (k, &x) in point.iter().enumerate() {
            let others: &[f64; LANES] = turned[k * width + start..][..LANES].try_into().expect("as many");
            let own = [x; LANES];
            let more: [f64; LANES] = if is_of_middle {
                let middles = others.map(|y| 0.5 * (x + y));
                let (one, other) = (add(&own, &middles), add(others, &middles));
                std::array::from_fn(|lane| one[lane] + other[lane])
            } else {
                add(&own, others)
            };
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = if is_of_middle { (0.5 * sum).max(0.0).sqrt() } else { sum };
        }
    }
}
