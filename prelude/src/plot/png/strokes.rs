//! Curves and markers before they are drawn: without what has no place, or cannot be seen.

use std::collections::HashSet;

/// A place in pixels.
pub(super) type Point = (f64, f64);

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
    parts
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
    let mut result = Vec::new();
    for group in run.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let extreme = |better: fn(f64, f64) -> bool| {
            (0..group.len()).fold(0, |best, index| if better(group[index].1, group[best].1) { index } else { best })
        };
        let mut kept = [0, extreme(|a, b| a < b), extreme(|a, b| a > b), group.len() - 1];
        kept.sort_unstable();
        let mut last = None;
        for index in kept {
            if last != Some(index) {
                result.push(group[index]);
            }
            last = Some(index);
        }
    }
    result
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
}
