//! Areas between two curves: [`fill_between`].

use super::super::values::{PerPoint, Values, non_empty};
use super::super::{builder::Plot, chart::PlotKind, look::Look, mark::Mark};
use crate::error::{Result, check};

/// What lies between two curves.
#[derive(Clone, Debug)]
struct Area {
    x: Vec<f64>,
    y1: Vec<f64>,
    y2: Vec<f64>,
}

impl PlotKind for Area {
    fn name(&self) -> &'static str {
        "fill_between"
    }

    fn describe(&self, _look: &Look) -> String {
        format!("area over {} points", self.x.len())
    }

    fn marks(&self, _look: &Look) -> Vec<Mark<'_>> {
        vec![Mark::Area { x: &self.x, y: (&self.y1, &self.y2) }]
    }
}

/// Fills what lies between two curves, as matplotlib's `fill_between` does.
///
/// `x`: what [`plot()`](crate::plot()) takes. `y1` and `y2`: the same, or one number for a horizontal line. Where a number
/// is not finite the area has a gap.
///
/// **Panics** if there are no values, or if arrays differ in length or have more than one axis.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let x = gpu::linspace(0.0, 6.3, 100);
/// let (mean, spread) = (x.sin(), 0.2 * &x);
/// gpu::fill_between(&x, &(&mean - &spread), &(&mean + &spread)).alpha(0.3).plot((&x, &mean)).show();
/// gpu::fill_between(&x, &mean, 0.0).show();
/// ```
#[track_caller]
pub fn fill_between<X: Values + ?Sized>(x: &X, y1: impl PerPoint, y2: impl PerPoint) -> Plot {
    check(try_fill_between(x, y1, y2))
}

/// As [`fill_between`], but returns the error.
///
/// ```
/// let error = warpcell::try_fill_between(&[1, 2, 3], &[1.0, 2.0], 0.0).unwrap_err();
/// assert_eq!(error.to_string(), "fill_between: x has 3 values and y1 has 2; give both the same number");
/// ```
pub fn try_fill_between<X: Values + ?Sized>(x: &X, y1: impl PerPoint, y2: impl PerPoint) -> Result<Plot> {
    Ok(Plot::new().with_series(area(x, y1, y2)?))
}

impl Plot {
    /// Adds the area between two curves. See [`fill_between`].
    ///
    /// ```
    /// let (x, low, high) = ([0.0, 1.0, 2.0], [1.0, 1.5, 1.0], [2.0, 3.0, 2.5]);
    /// warpcell::plot((&x, &[1.5, 2.0, 2.0])).fill_between(&x, &low, &high).alpha(0.2).label("range").show();
    /// ```
    #[track_caller]
    pub fn fill_between<X: Values + ?Sized>(self, x: &X, y1: impl PerPoint, y2: impl PerPoint) -> Plot {
        let area = check(area(x, y1, y2));
        self.with_series(area)
    }
}

fn area<X: Values + ?Sized>(x: &X, y1: impl PerPoint, y2: impl PerPoint) -> Result<Area> {
    let x = non_empty("fill_between", x.values("fill_between")?)?;
    let (y1, y2) = (y1.per_point("fill_between", "y1", &x)?, y2.per_point("fill_between", "y2", &x)?);
    Ok(Area { x, y1, y2 })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::tests::{BLUE, extent, picture, save};
    use super::*;

    pub fn hard_to_draw() -> Vec<Plot> {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        vec![
            fill_between(&[1.0], 0.0, 1.0),
            fill_between(&[1.0, 2.0, nan, 3.0], &[1.0, inf, 1.0, 1.0], nan),
            fill_between(&[-1e300, 1e300], 1, 2).xlim(0.0, 1.0),
            fill_between(&[1, 2, 3], &[1, 10, 100], 0).yscale("log"),
        ]
    }

    #[test]
    fn an_area_lies_between_its_curves() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0];
        let plot = fill_between(&x, &[1.0, 2.0, f64::NAN, 2.0, 1.0], 0.0).label("area");
        assert_eq!(plot.to_string(), "Plot: area over 5 points");
        save(&plot, "plot_area");
        let image = picture(&plot.legend(false));
        let ([left, top, right, low], _) = extent(&image, BLUE);
        let blue = |x: u32| (0..420).filter(|&y| *image.get_pixel(x, y) == BLUE).count() as u32;
        assert!(blue((left + right) / 2) == 0, "a gap at NaN");
        assert!((blue(left + 2) * 2).abs_diff(low - top) < 12, "{} of {}", blue(left + 2), low - top);
    }
}
