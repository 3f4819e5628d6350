//! Curves: [`plot()`].

use super::super::builder::Plot;
use super::super::chart::PlotKind;
use super::super::look::Look;
use super::super::mark::Mark;
use super::super::values::Curve;
use crate::error::{Result, check};

/// Points, with the curve through them or without, as the look says.
#[derive(Clone, Debug)]
pub(in super::super) struct Points {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// One number for each point, for which its colour stands.
    pub numbers: Option<Vec<f64>>,
}

impl PlotKind for Points {
    fn name(&self) -> &'static str {
        "plot"
    }

    fn describe(&self, look: &Look) -> String {
        match look.line {
            Some(_) => format!("line of {} points", self.x.len()),
            None => format!("{} points", self.x.len()),
        }
    }

    fn marks(&self, look: &Look) -> Vec<Mark<'_>> {
        look.curve(&self.x, &self.y, self.numbers.as_deref())
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn has_markers(&self) -> bool {
        true
    }
}

/// Draws a curve, as matplotlib's `plot` does.
///
/// `curve`: `&y`, above 0, 1, 2 …, or `(&x, &y)`; each a 1-D array on the host or on the device (of which a copy is
/// taken), a slice or a `Vec`, of floats, integers or bools. Where a number is not finite the curve has a gap.
///
/// More is drawn into the same plot by [`Plot::plot`], [`Plot::scatter`] and so on. The plot shows itself as the last
/// expression of a cell and where it is dropped in the cell that made it; elsewhere call [`Plot::show`].
///
/// **Panics** if there are no values, if `x` and `y` differ in length, or have more than one axis.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let x = gpu::linspace(0.0, 6.3, 100);
/// gpu::plot((&x, &x.sin())).label("sin").plot((&x, &x.cos())).label("cos").title("Waves").xlabel("x").show();
///
/// let losses = [1.0, 0.3, 0.1, 0.04];
/// let plot = gpu::plot(&losses).yscale("log").marker("o").ylabel("loss");
/// assert_eq!(format!("{plot:?}"), "Plot: line of 4 points");
/// ```
#[track_caller]
pub fn plot<C: Curve>(curve: C) -> Plot {
    check(try_plot(curve))
}

/// As [`plot()`], but returns the error.
///
/// ```
/// let error = warpcell::try_plot((&[1, 2, 3], &[1.0, 2.0])).unwrap_err();
/// assert_eq!(error.to_string(), "plot: x has 3 values and y has 2; give both the same number");
/// ```
pub fn try_plot<C: Curve>(curve: C) -> Result<Plot> {
    Ok(Plot::new().with_series(points(curve)?))
}

impl Plot {
    /// Adds a curve. See [`plot()`](crate::plot()).
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).plot((&[0.5, 1.5], &[2, 2])).show();
    /// ```
    #[track_caller]
    pub fn plot<C: Curve>(self, curve: C) -> Plot {
        let points = check(points(curve));
        self.with_series(points)
    }
}

fn points<C: Curve>(curve: C) -> Result<Points> {
    let (x, y) = curve.points("plot")?;
    Ok(Points { x, y, numbers: None })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn hard_to_draw() -> Vec<Plot> {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        vec![
            plot(&[nan, nan]),
            plot(&[1.0, nan, 3.0, inf, 2.0, 2.5]).marker("x"),
            plot(&[5.0]),
            plot(&[f64::MIN, f64::MAX]),
            plot(&[1e-310, 2e-310]),
            plot(&[1e16, 1e16 + 2.0]),
            plot((&[-1e300, 1e300], &[0.0, 1.0])).xlim(0.0, 1.0).linestyle("--"),
            plot(&[1, 2]).size(200, 150).title("A title that is longer than the plot is wide").ylabel("y").label("l"),
            plot(&[1, 2]).size(3000, 2000),
            plot(&[-1.0, 0.0, 5.0]).yscale("log"),
            plot(&[-1.0, 0.0]).yscale("log").xscale("log"),
            plot(&[1.0, 2.0]).yscale("log").ylim(0.0, 10.0),
        ]
    }

    #[test]
    #[should_panic(expected = "plot: x has 2 values and y has 1; give both the same number")]
    fn lengths_that_differ_panic() {
        let _ = plot(&[1, 2]).plot((&[1, 2], &[1]));
    }
}
