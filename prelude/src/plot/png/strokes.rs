//! Curves and markers before they are drawn: without what has no place, or cannot be seen.

use super::super::look::{LineStyle, Stroke};
use std::cmp::Ordering;
use std::collections::HashSet;

/// A place in pixels.
pub(super) type Point = (f64, f64);

/// The most points of a curve or an area, and the most parts of a curve, that are drawn: more take seconds. What goes to and fro so often
/// fills its part of the picture with fewer, too.
const MOST: usize = 50_000;

/// Some of many, at equal distances.
fn sampled<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step).collect()
}

/// The parts of a curve that are seen in a picture of this size, with a margin around it. A single point is a curve that ends
/// where it begins.
pub(super) fn visible(points: &[Point], size: (u32, u32), margin: f64) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for run in runs(points) {
        let run = thinned(run, size.0 as usize);
        let ends = if run.len() == 1 { &run } else { &run[1..] };
        let mut end = None;
        for (&from, &to) in run.iter().zip(ends) {
            let Some((start, stop)) = clipped(from, to, size, margin) else { continue };
            match parts.last_mut() {
                Some(part) if end == Some(from) && start == from => part.push(stop),
                _ => parts.push(vec![start, stop]),
            }
            end = (stop == to).then_some(to);
        }
    }
    sampled(parts)
}

/// Straight lines that look the same but are fewer: of many those that lie upright or level, and on one another within a quarter of a pixel,
/// become one. So do no lines with gaps in them.
pub(super) fn joined(sticks: Vec<(Point, Point)>, stroke: Stroke) -> Vec<(Point, Point)> {
    const FEW: usize = 10_000;
    if sticks.len() <= FEW || stroke.style != LineStyle::Solid {
        return sticks;
    }
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    for (from, to) in sticks {
        let across = [from, to].map(|(x, y)| (y, x));
        let (is_upright, [a, b]) = if from.0 == to.0 { (true, [from, to]) } else { (false, across) };
        if a.0 == b.0 && [a.0, a.1, b.1].iter().all(|number| number.is_finite()) {
            lines.push((is_upright, (4.0 * a.0).round(), a.1.min(b.1), a.1.max(b.1)));
        } else {
            others.push((from, to));
        }
    }
    lines.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let mut merged: Vec<(bool, f64, f64, f64)> = Vec::new();
    for line in lines {
        match merged.last_mut() {
            Some(last) if (last.0, last.1) == (line.0, line.1) && line.2 <= last.3 => last.3 = last.3.max(line.3),
            _ => merged.push(line),
        }
    }
    let stick = |(is_upright, at, start, end): (bool, f64, f64, f64)| {
        let at = at / 4.0;
        if is_upright { ((at, start), (at, end)) } else { ((start, at), (end, at)) }
    };
    others.extend(merged.into_iter().map(stick));
    others
}

/// The sides of an area, places on the x axis with two numbers, that looks the same with fewer: of those that follow one another in one
/// column of pixels the first and the last, and those with the lowest and the highest numbers.
pub(super) fn thinned_sides(run: &[(f64, f64, f64)], columns: usize) -> Vec<(f64, f64, f64)> {
    if run.len() <= 4 * columns {
        return run.to_vec();
    }
    let groups = run.chunk_by(|a, b| a.0.floor() == b.0.floor());
    sampled(groups.flat_map(|group| ends_and_extremes(group, &[|side| side.1, |side| side.2])).collect())
}

/// Of some that follow one another the first and the last, and those of which a number is the lowest or the highest one.
pub(in super::super) fn ends_and_extremes<T: Copy>(group: &[T], numbers: &[fn(&T) -> f64]) -> Vec<T> {
    let mut kept = vec![0, group.len() - 1];
    for number in numbers {
        let extreme = |is_better: fn(f64, f64) -> bool| {
            let better = |best: usize, index: usize| {
                if is_better(number(&group[index]), number(&group[best])) { index } else { best }
            };
            (0..group.len()).fold(0, better)
        };
        kept.extend([extreme(|a, b| a < b), extreme(|a, b| a > b)]);
    }
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|index| group[index]).collect()
}

/// Of markers of one diameter those that are seen in a picture of this size: of those at one place the last one.
pub(super) fn seen<T: Copy>(places: &[(Point, T)], size: (u32, u32), diameter: f64) -> Vec<(Point, T)> {
    let (right, bottom) = (f64::from(size.0) + diameter, f64::from(size.1) + diameter);
    // NaN lies nowhere.
    let is_near = |(x, y): Point| (-diameter..right).contains(&x) && (-diameter..bottom).contains(&y);
    // Of very many, there is one for each pixel.
    let parts = if places.len() > 100_000 { 1.0 } else { 2.0 };
    let mut taken = HashSet::new();
    let mut is_last = |(x, y): Point| taken.insert(((parts * x) as i32, (parts * y) as i32));
    let mut seen: Vec<_> =
        places.iter().rev().filter(|&&(place, _)| is_near(place) && is_last(place)).copied().collect();
    seen.reverse();
    seen
}

/// The parts of a curve between points that have no place.
fn runs(points: &[Point]) -> impl Iterator<Item = &[Point]> {
    points.split(|(x, y)| !(x.is_finite() && y.is_finite())).filter(|run| !run.is_empty())
}

/// A curve that looks the same with fewer points: of those that follow one another in one column of pixels the first,
/// the lowest, the highest and the last.
fn thinned(run: &[Point], columns: usize) -> Vec<Point> {
    if run.len() <= 4 * columns {
        return run.to_vec();
    }
    let groups = run.chunk_by(|a, b| a.0.floor() == b.0.floor());
    sampled(groups.flat_map(|group| ends_and_extremes(group, &[|point| point.1])).collect())
}

/// The part of a stroke within a picture of this size and a margin around it: points may be so far outside that their
/// pixels have no place in an `f32`.
///
/// Source: Y.-D. Liang, B. A. Barsky, "A new concept and method for line clipping", ACM TOG 3 (1984).
fn clipped(from: Point, to: Point, size: (u32, u32), margin: f64) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (right, bottom) = (f64::from(size.0) + margin, f64::from(size.1) + margin);
    let sides = [(-dx, from.0 + margin), (dx, right - from.0), (-dy, from.1 + margin), (dy, bottom - from.1)];
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for (direction, distance) in sides {
        if direction == 0.0 {
            if distance < 0.0 {
                return None;
            }
        } else if direction < 0.0 {
            start = start.max(distance / direction);
        } else {
            end = end.min(distance / direction);
        }
    }
    let at = |part: f64| (from.0 + part * dx, from.1 + part * dy);
    (start <= end).then(|| (at(start), at(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_cut_where_points_have_no_place() {
        let points = [(0.0, 0.0), (1.0, f64::NAN), (2.0, 0.0), (3.0, 1.0), (f64::INFINITY, 0.0)];
        assert_eq!(runs(&points).collect::<Vec<_>>(), [&points[..1], &points[2..4]]);
    }

    #[test]
    fn a_long_curve_keeps_its_outline() {
        let run: Vec<Point> = (0..100_000).map(|i| (f64::from(i) / 1000.0, f64::from(i * 7919 % 1000))).collect();
        let thin = thinned(&run, 100);
        assert!(thin.len() <= 400, "{}", thin.len());
        assert_eq!((thin[0], thin[thin.len() - 1]), (run[0], run[run.len() - 1]));
        let column = || thin.iter().filter(|point| point.0.floor() == 50.0).map(|point| point.1);
        assert_eq!(column().fold(f64::INFINITY, f64::min), 0.0);
        assert_eq!(column().fold(0.0, f64::max), 999.0);
        assert_eq!(thinned(&run[..400], 100), run[..400]);
    }

    #[test]
    fn strokes_are_clipped() {
        assert_eq!(clipped((1.0, 1.0), (5.0, 5.0), (10, 10), 0.0), Some(((1.0, 1.0), (5.0, 5.0))));
        assert_eq!(clipped((-1e300, 5.0), (1e300, 5.0), (10, 10), 0.0).map(|(from, _)| from.1), Some(5.0));
        let (from, to) = clipped((-10.0, 5.0), (30.0, 5.0), (10, 10), 1.0).unwrap();
        assert!((from.0 + 1.0).abs() < 1e-9 && (to.0 - 11.0).abs() < 1e-9);
        assert_eq!(clipped((-10.0, -5.0), (30.0, -5.0), (10, 10), 1.0), None);
    }

    #[test]
    fn many_sticks_become_the_few_that_one_sees() {
        let solid = Stroke { style: LineStyle::Solid, width: 1.0 };
        let sticks: Vec<(Point, Point)> = (0..200_000)
            .map(|i| {
                let (x, y) = (f64::from(i % 400), f64::from(i * 7919 % 100));
                ((x, y), (x, y + 50.0))
            })
            .collect();
        let few = joined(sticks.clone(), solid);
        assert!(few.len() <= 800, "{}", few.len());
        let ends = |sticks: &[(Point, Point)], x: f64| {
            let column = sticks.iter().filter(|stick| stick.0.0 == x).flat_map(|stick| [stick.0.1, stick.1.1]);
            column.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
        };
        for x in [0.0, 7.0, 399.0] {
            assert_eq!(ends(&few, x), ends(&sticks, x), "{x}");
        }
        assert_eq!(joined(sticks.clone(), Stroke { style: LineStyle::Dashed, width: 1.0 }), sticks);
        let level: Vec<(Point, Point)> = sticks.iter().map(|&((x, y), (_, z))| ((y, x), (z, x))).collect();
        assert_eq!(joined(level, solid).len(), few.len());
    }

    #[test]
    fn a_long_area_keeps_its_outline() {
        let sides: Vec<_> =
            (0..100_000).map(|i| (f64::from(i) / 1000.0, f64::from(i % 7), f64::from(i % 1000))).collect();
        let thin = thinned_sides(&sides, 100);
        assert!(thin.len() <= 600, "{}", thin.len());
        let column = || thin.iter().filter(|side| side.0.floor() == 50.0);
        assert_eq!(column().map(|side| side.1).fold(f64::INFINITY, f64::min), 0.0);
        assert_eq!(column().map(|side| side.2).fold(0.0, f64::max), 999.0);
    }
}
