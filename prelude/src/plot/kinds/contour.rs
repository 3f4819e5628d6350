//! Contour lines: [`contour`].

use super::super::values::{Parts, Values};
use super::super::{builder::Plot, chart::PlotKind, colors::Colors};
use super::super::{look::Look, mark::Mark, ticks};
use crate::error::{Error, Result, check};
use std::collections::BTreeMap;

/// A surface over a grid, and the heights at which lines are drawn.
#[derive(Clone, Debug)]
struct Contours {
    columns: usize,
    /// The places of the columns, or of all points of the grid.
    x: Vec<f64>,
    /// The places of the rows, or of all points of the grid.
    y: Vec<f64>,
    z: Vec<f64>,
    levels: Vec<f64>,
}

impl PlotKind for Contours {
    fn name(&self) -> &'static str {
        "contour"
    }

    fn describe(&self, _look: &Look) -> String {
        let (rows, columns) = (self.z.len() / self.columns, self.columns);
        format!("contours of {rows}×{columns} values at {} levels", self.levels.len())
    }

    fn marks(&self, look: &Look) -> Vec<Mark<'_>> {
        let Some(stroke) = look.stroke() else { return Vec::new() };
        let line = |&level: &f64| {
            let (x, y): (Vec<f64>, Vec<f64>) = self.curves(level).into_iter().unzip();
            Mark::Line { x: x.into(), y: y.into(), stroke, number: Some(level) }
        };
        self.levels.iter().map(line).collect()
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn fills_axes(&self) -> bool {
        true
    }
}

impl Contours {
    /// The curves at one height, with NaN between them: in each cell of the grid straight lines between places on its edges.
    fn curves(&self, level: f64) -> Vec<(f64, f64)> {
        let columns = self.columns;
        // An edge is named by the point where it begins, in row-major order, and whether it goes down.
        let mut next: BTreeMap<(usize, bool), Vec<(usize, bool)>> = BTreeMap::new();
        for first in (0..self.z.len() - columns).filter(|first| (first + 1) % columns != 0) {
            let corners = [first, first + 1, first + columns + 1, first + columns].map(|point| self.z[point]);
            if !corners.iter().all(|height| height.is_finite()) {
                continue;
            }
            let edges = [(first, false), (first + 1, true), (first + columns, false), (first, true)];
            let is_above = corners.map(|height| height > level);
            let crossed: Vec<_> = (0..4).filter(|&side| is_above[side] != is_above[(side + 1) % 4]).collect();
            // Where opposite corners are above, the middle decides which of them the lines cut off.
            let middle_is_above = corners.iter().sum::<f64>() / 4.0 > level;
            let pairs = match crossed[..] {
                [from, to] => vec![(from, to)],
                [_, _, _, _] if middle_is_above == is_above[0] => vec![(0, 1), (2, 3)],
                [_, _, _, _] => vec![(3, 0), (1, 2)],
                _ => continue,
            };
            for (from, to) in pairs.into_iter().map(|(from, to)| (edges[from], edges[to])) {
                next.entry(from).or_default().push(to);
                next.entry(to).or_default().push(from);
            }
        }
        // First the curves that begin at the border or at a gap, then the closed ones.
        let ends = next.iter().filter(|(_, neighbours)| neighbours.len() == 1).map(|(&edge, _)| edge);
        let starts: Vec<_> = ends.chain(next.keys().copied()).collect();
        let mut curves = Vec::new();
        for start in starts {
            let mut edge = start;
            while let Some(neighbour) = next.get_mut(&edge).and_then(Vec::pop) {
                if edge == start {
                    curves.push(self.crossing(edge, level));
                }
                curves.push(self.crossing(neighbour, level));
                if let Some(back) = next.get_mut(&neighbour) {
                    back.retain(|&other| other != edge);
                }
                edge = neighbour;
            }
            curves.push((f64::NAN, f64::NAN));
        }
        curves
    }

    /// Where the surface has a height on an edge.
    fn crossing(&self, (first, goes_down): (usize, bool), level: f64) -> (f64, f64) {
        let second = if goes_down { first + self.columns } else { first + 1 };
        let part = (level - self.z[first]) / (self.z[second] - self.z[first]);
        let between = |place: &dyn Fn(usize) -> f64| place(first) + part * (place(second) - place(first));
        let of_all = |places: &[f64]| places.len() == self.z.len();
        (
            between(&|point| self.x[if of_all(&self.x) { point } else { point % self.columns }]),
            between(&|point| self.y[if of_all(&self.y) { point } else { point / self.columns }]),
        )
    }
}

/// Draws lines where a surface has the same height, as matplotlib's `contour` does. Their colours stand for heights, as a
/// colour bar shows.
///
/// `surface`: `&z`, a 2-D array on the host or on the device, or `(&x, &y, &z)`. Element `z[i, j]` is at `x[j]` and `y[i]`,
/// and without `x` and `y` at j and i; `x` and `y` may also have the shape of `z`, as [`meshgrid`](fn@crate::meshgrid) gives
/// them. There are no lines beside numbers that are not finite. [`Plot::levels`] says at which heights there are lines,
/// [`Plot::cmap`] or [`Plot::color`] in which colours.
///
/// **Panics** unless `z` has two axes and at least two rows and columns, and `x` and `y` fit it.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let hill = ndarray::Array2::from_shape_fn((40, 60), |(i, j)| {
///     let (y, x) = (i as f64 / 10.0 - 2.0, j as f64 / 10.0 - 3.0);
///     (-x * x - y * y).exp()
/// });
/// gpu::contour(&hill).levels(5).colorbar_label("height").show();
/// gpu::imshow(&hill).contour(&hill).levels(&[0.5]).color("white").show();
/// ```
#[track_caller]
pub fn contour<S: Surface>(surface: S) -> Plot {
    check(try_contour(surface))
}

/// As [`contour`], but returns the error.
///
/// ```
/// let error = warpcell::try_contour(&[1.0, 2.0]).unwrap_err();
/// assert!(error.to_string().contains("contour lines need a 2-D array"), "{error}");
/// ```
pub fn try_contour<S: Surface>(surface: S) -> Result<Plot> {
    Ok(Plot::new().with_contours(contours(surface.parts())?))
}

impl Plot {
    /// Adds contour lines. See [`contour`].
    ///
    /// ```
    /// let image = ndarray::array![[0.0, 1.0], [1.0, 3.0]];
    /// warpcell::imshow(&image).contour(&image).color("white").show();
    /// ```
    #[track_caller]
    pub fn contour<S: Surface>(self, surface: S) -> Plot {
        let contours = check(contours(surface.parts()));
        self.with_contours(contours)
    }

    /// Sets at which heights there are contour lines: how many, of which round numbers are made, at most that many, or
    /// `&heights`. At first there are at most 8.
    ///
    /// **Panics** for anything but contour lines.
    ///
    /// ```
    /// let z = ndarray::array![[0.0, 1.0], [1.0, 3.0]];
    /// warpcell::contour(&z).levels(20).show();
    /// warpcell::contour(&z).levels(&[0.5, 1.5, 2.5]).show();
    /// ```
    #[track_caller]
    pub fn levels(self, levels: impl ContourLevels) -> Plot {
        self.with_levels(&|z| levels.levels(z))
    }

    #[track_caller]
    fn with_levels(self, levels: &dyn Fn(&[f64]) -> Result<Vec<f64>>) -> Plot {
        let mut colors = None;
        let example = "gpu::contour(&z).levels(10)";
        let plot = self.try_with_kind("Plot::levels", example, |contours: &mut Contours, _| {
            contours.levels = levels(&contours.z)?;
            colors = Some(Colors::of(&contours.levels));
            Ok(())
        });
        check(plot).with_last("Plot::levels", |series| {
            if series.colors.is_some() {
                series.colors = colors;
            }
        })
    }

    fn with_contours(self, contours: Contours) -> Plot {
        let colors = Colors::of(&contours.levels);
        self.with_series(contours).with_last("contour", |series| series.colors = Some(colors))
    }
}

/// What [`contour`] takes: `&z` or `(&x, &y, &z)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no contour lines",
    label = "neither `&z` nor `(&x, &y, &z)`",
    note = "`gpu::contour` takes a reference to a 2-D array of numbers: `gpu::contour(&z)`"
)]
pub trait Surface {
    /// The numbers with their shapes: z, and x and y if they are given.
    #[doc(hidden)]
    fn parts(&self) -> Parts;
}

impl<Z: Values + ?Sized> Surface for &Z {
    fn parts(&self) -> Parts {
        (self.elements(), None)
    }
}

impl<X: Values + ?Sized, Y: Values + ?Sized, Z: Values + ?Sized> Surface for (&X, &Y, &Z) {
    fn parts(&self) -> Parts {
        (self.2.elements(), Some([self.0.elements(), self.1.elements()]))
    }
}

/// Heights of contour lines: how many, or `&heights`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the levels of contour lines",
    note = "write how many lines there are at most, such as `10`, or a reference to their heights, such as `&[0.5, 1.0]`"
)]
pub trait ContourLevels {
    #[doc(hidden)]
    fn levels(&self, z: &[f64]) -> Result<Vec<f64>>;
}

macro_rules! numbers_of_levels {
    ($($type:ty)*) => {$(
        impl ContourLevels for $type {
            fn levels(&self, z: &[f64]) -> Result<Vec<f64>> {
                let finite = || z.iter().copied().filter(|height| height.is_finite());
                let range = finite().min_by(f64::total_cmp).zip(finite().max_by(f64::total_cmp));
                let round = |(min, max)| ticks::values(min, max, usize::try_from(*self).unwrap_or(1));
                Ok(range.map_or(Vec::new(), round).into_iter().map(|(level, _)| level).collect())
            }
        }
    )*};
}
numbers_of_levels!(usize i32);

impl<V: Values + ?Sized> ContourLevels for &V {
    fn levels(&self, _z: &[f64]) -> Result<Vec<f64>> {
        self.values("Plot::levels")
    }
}

fn contours(((shape, z), places): Parts) -> Result<Contours> {
    let invalid = |shape: &[usize], reason: String| Err(Error::shape("contour", shape, reason));
    let [rows @ (2..), columns @ (2..)] = shape[..] else {
        let reason = "has no contour lines; contour lines need a 2-D array of at least 2×2, write `gpu::contour(&z.reshape((20, 30)))`";
        return invalid(&shape, reason.into());
    };
    let [(x_shape, x), (y_shape, y)] = places.unwrap_or_else(|| {
        let count = |count: usize| (vec![count], (0..count).map(|index| index as f64).collect());
        [count(columns), count(rows)]
    });
    for (name, given, length) in [("x", &x_shape, columns), ("y", &y_shape, rows)] {
        if *given != [length] && *given != shape {
            return invalid(
                given,
                format!("of {name} does not fit the shape {shape:?} of z; give {name} {length} values"),
            );
        }
    }
    let levels = 8.levels(&z)?;
    Ok(Contours { columns, x, y, z, levels })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::tests::{picture, save};
    use super::*;
    use ndarray::{Array2, array};

    pub fn hard_to_draw() -> Vec<Plot> {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        vec![
            contour(&array![[nan, 1.0, 2.0], [inf, 2.0, 3.0], [1.0, 4.0, 9.0]]),
            contour(&Array2::from_elem((3, 3), nan)),
            contour(&Array2::<u8>::zeros((2, 2))),
            contour(&array![[f64::MIN, f64::MAX], [0.0, 1.0]]),
            contour((&[nan, 1.0], &[1e300, 2e300], &array![[0, 1], [2, 3]])).levels(&[nan, 1.5]),
        ]
    }

    fn contours_of(z: Array2<f64>) -> Contours {
        super::contours((&z).parts()).unwrap()
    }

    #[test]
    fn lines_go_through_the_heights() {
        let plane = contours_of(Array2::from_shape_fn((3, 4), |(_, j)| j as f64));
        assert_eq!(plane.levels, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
        let curve = plane.curves(1.5);
        assert_eq!(curve[..3], [(1.5, 0.0), (1.5, 1.0), (1.5, 2.0)]);
        assert!(curve[3..].iter().all(|point| point.0.is_nan()), "{curve:?}");
        assert!(plane.curves(7.0).is_empty());
    }

    #[test]
    fn a_hill_has_a_closed_line() {
        let hill = contours_of(array![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
        let curve: Vec<_> = hill.curves(0.5).into_iter().filter(|point| !point.0.is_nan()).collect();
        assert_eq!((curve.len(), curve.first()), (5, curve.last()));
        assert!(curve.iter().all(|(x, y)| (x - 1.0).abs() + (y - 1.0).abs() == 0.5), "{curve:?}");
    }

    #[test]
    fn the_middle_of_a_saddle_decides() {
        let corners = |saddle: Array2<f64>| {
            let curves = contours_of(saddle).curves(0.5);
            curves
                .split(|point| point.0.is_nan())
                .filter(|curve| !curve.is_empty())
                .map(<[_]>::to_vec)
                .collect::<Vec<_>>()
        };
        // The ridge from (0, 0) to (1, 1) is cut off from the other corners, or the valley between them.
        assert_eq!(corners(array![[1.0, 0.0], [0.4, 1.0]])[0], [(0.5, 0.0), (1.0, 0.5)]);
        assert_eq!(corners(array![[0.6, 0.0], [0.0, 0.6]]).len(), 2);
        assert_eq!(corners(array![[0.6, 0.0], [0.0, 0.6]])[0].len(), 2);
    }

    #[test]
    fn surfaces_of_both_sides_and_places() {
        let z = Array2::from_shape_fn((20, 30), |(i, j)| {
            ((i as f64 - 10.0) / 5.0).powi(2) - ((j as f64 - 15.0) / 6.0).powi(2)
        });
        let (x, y): (Vec<f64>, Vec<i32>) = ((0..30).map(|j| f64::from(j) * 0.1).collect(), (0..20).collect());
        let plot = contour((&x, &y, &crate::asarray(&z)));
        assert_eq!(plot.to_string(), "Plot: contours of 20×30 values at 6 levels");
        let grid = Array2::from_shape_fn((20, 30), |(_, j)| x[j]);
        assert_eq!(picture(&plot), picture(&contour((&grid, &y, &z))));
        save(&plot.title("Saddle").colorbar_label("height"), "plot_contour");
        save(&crate::imshow(&z).contour(&z).levels(&[0.0, 1.0]).color("white"), "contour_on_image");
    }

    #[test]
    fn errors_name_the_shapes() {
        let message = |error: Result<Plot>| error.unwrap_err().to_string();
        expect_test::expect![[r#"
            contour: the shape [1, 5] has no contour lines; contour lines need a 2-D array of at least 2×2, write `gpu::contour(&z.reshape((20, 30)))`
            contour: the shape [2] of x does not fit the shape [2, 3] of z; give x 3 values"#]]
        .assert_eq(
            &[
                message(try_contour(&Array2::<f32>::zeros((1, 5)))),
                message(try_contour((&[1, 2], &[1, 2], &Array2::<f32>::zeros((2, 3))))),
            ]
            .join("\n"),
        );
    }
}
