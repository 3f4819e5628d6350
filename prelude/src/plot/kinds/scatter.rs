//! Points: [`scatter`].

use super::super::values::{Values, pair, same_length};
use super::super::{builder::Plot, colors::Colors, look::Marker};
use super::plot::Points;
use crate::error::{Result, check};

/// Draws points, as matplotlib's `scatter` does. `x` and `y` are what [`plot()`](crate::plot()) takes. [`Plot::c`] gives
/// each point a colour.
///
/// **Panics** if there are no values, if `x` and `y` differ in length, or have more than one axis.
///
/// ```
/// let (height, weight) = ([1.6, 1.7, 1.8], [55, 70, 74]);
/// warpcell::scatter(&height, &weight).xlabel("height / m").ylabel("weight / kg").show();
/// ```
#[track_caller]
pub fn scatter<X: Values + ?Sized, Y: Values + ?Sized>(x: &X, y: &Y) -> Plot {
    check(try_scatter(x, y))
}

/// As [`scatter`], but returns the error.
///
/// ```
/// assert!(warpcell::try_scatter(&[1, 2], &[1]).is_err());
/// ```
pub fn try_scatter<X: Values + ?Sized, Y: Values + ?Sized>(x: &X, y: &Y) -> Result<Plot> {
    Ok(Plot::new().with_scatter(points(x, y)?))
}

impl Plot {
    /// Adds points. See [`scatter`].
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).scatter(&[0.5, 1.5], &[2, 2]).show();
    /// ```
    #[track_caller]
    pub fn scatter<X: Values + ?Sized, Y: Values + ?Sized>(self, x: &X, y: &Y) -> Plot {
        let points = check(points(x, y));
        self.with_scatter(points)
    }

    /// Gives each of the points that were added last a colour that stands for a number, as matplotlib's `c` does. A colour
    /// bar shows which. [`Plot::cmap`], [`Plot::vmin`], [`Plot::vmax`], [`Plot::norm`] and [`Plot::colorbar_label`] set
    /// more; NaN is grey.
    ///
    /// `numbers`: a 1-D array, slice or `Vec`, as [`plot()`](crate::plot()) takes. One colour for all points is set by
    /// [`Plot::color`].
    ///
    /// **Panics** unless there are as many numbers as points, and for anything but points.
    ///
    /// ```
    /// let (x, y, depth) = ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [10, 20, 40]);
    /// warpcell::scatter(&x, &y).c(&depth).cmap("plasma").colorbar_label("depth / m").show();
    /// ```
    #[track_caller]
    pub fn c<N: Values + ?Sized>(self, numbers: &N) -> Plot {
        let numbers = check(numbers.values("Plot::c"));
        self.with_numbers(numbers)
    }

    #[track_caller]
    fn with_numbers(self, numbers: Vec<f64>) -> Plot {
        let colors = Colors::of(&numbers);
        let plot = self.try_with_kind("Plot::c", "gpu::scatter(&x, &y).c(&numbers)", |points: &mut Points, _| {
            points.numbers = Some(same_length("Plot::c", ["x", "c"], points.x.len(), numbers)?);
            Ok(())
        });
        check(plot).with_last("Plot::c", |series| series.colors = Some(colors))
    }

    fn with_scatter(self, points: Points) -> Plot {
        self.with_series(points).with_last("scatter", |series| {
            series.look.line = None;
            series.look.marker = Some(Marker::Circle);
        })
    }
}

fn points<X: Values + ?Sized, Y: Values + ?Sized>(x: &X, y: &Y) -> Result<Points> {
    let (x, y) = pair("scatter", ["x", "y"], x.values("scatter")?, y.values("scatter")?)?;
    Ok(Points { x, y, numbers: None })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn hard_to_draw() -> Vec<Plot> {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        vec![
            scatter(&[inf, 1.0], &[1.0, nan]),
            scatter(&[1e300, 1.0], &[1.0, 2.0]).xlim(0.0, 2.0),
            scatter(&[1.0, 2.0], &[1.0, 2.0]).c(&[nan, nan]).label("none"),
            scatter(&[1.0, 2.0], &[1.0, 2.0]).c(&[-inf, f64::MAX]),
        ]
    }
}
