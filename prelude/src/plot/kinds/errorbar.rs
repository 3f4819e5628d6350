//! Points with error bars: [`errorbar`].

use super::super::look::{LineStyle, Look, Marker, Stroke};
use super::super::mark::Mark;
use super::super::values::{PerPoint, Values, pair};
use super::super::{
    builder::{Plot, invalid},
    chart::PlotKind,
};
use crate::error::{Error, Result, check};

/// How far each point may be off: downwards and upwards, or to the left and to the right.
type Sides = [Vec<f64>; 2];

/// Points with how far each may be off, downwards and upwards.
#[derive(Clone, Debug)]
struct ErrorBars {
    x: Vec<f64>,
    y: Vec<f64>,
    xerr: Option<Sides>,
    yerr: Option<Sides>,
    /// Half the length of the lines at the ends, in pixels.
    capsize: f64,
}

impl PlotKind for ErrorBars {
    fn name(&self) -> &'static str {
        "errorbar"
    }

    fn describe(&self, _look: &Look) -> String {
        format!("{} points with error bars", self.x.len())
    }

    fn marks(&self, look: &Look) -> Vec<Mark<'_>> {
        let ends = |middle: &[f64], [down, up]: &Sides| {
            let end =
                |errors: &[f64], sign: f64| middle.iter().zip(errors).map(|(x, error)| x + sign * error).collect();
            [end(down, -1.0), end(up, 1.0)]
        };
        let (x, y) = (&self.x[..], &self.y[..]);
        let mut marks = Vec::new();
        let mut add = |x: Sides, y: Sides, marker| {
            if self.capsize > 0.0 {
                for (x, y) in x.iter().zip(&y) {
                    let (x, y) = (x.clone().into(), y.clone().into());
                    marks.push(Mark::Points { x, y, marker, size: 2.0 * self.capsize, numbers: None });
                }
            }
            let ([left, right], [low, high]) = (x, y);
            let stroke = Stroke { style: LineStyle::Solid, width: look.line_width };
            marks.push(Mark::Sticks { x: (left.into(), right.into()), y: (low.into(), high.into()), stroke });
        };
        if let Some(errors) = &self.yerr {
            add([x.to_vec(), x.to_vec()], ends(y, errors), Marker::Dash);
        }
        if let Some(errors) = &self.xerr {
            add(ends(x, errors), [y.to_vec(), y.to_vec()], Marker::Bar);
        }
        marks.extend(look.curve(x, y, None));
        marks
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn has_markers(&self) -> bool {
        true
    }
}

/// Draws a curve whose points have error bars, as matplotlib's `errorbar` does. How long the bars are is said by
/// [`Plot::yerr`] and [`Plot::xerr`].
///
/// `x` and `y`: what [`plot()`](crate::plot()) takes. `.linestyle("none").marker("o")` draws points without the curve.
///
/// **Panics** if there are no values, if `x` and `y` differ in length, or have more than one axis.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let (size, seconds, spread) = ([1, 2, 4, 8], [1.0, 1.9, 4.2, 7.7], [0.1, 0.2, 0.2, 0.5]);
/// gpu::errorbar(&size, &seconds).yerr(&spread).capsize(4.0).marker("o").xlabel("size").ylabel("s").show();
/// ```
#[track_caller]
pub fn errorbar<X: Values + ?Sized, Y: Values + ?Sized>(x: &X, y: &Y) -> Plot {
    check(try_errorbar(x, y))
}

/// As [`errorbar`], but returns the error.
///
/// ```
/// let error = warpcell::try_errorbar(&[1, 2], &[1.0]).unwrap_err();
/// assert_eq!(error.to_string(), "errorbar: x has 2 values and y has 1; give both the same number");
/// ```
pub fn try_errorbar<X: Values + ?Sized, Y: Values + ?Sized>(x: &X, y: &Y) -> Result<Plot> {
    Ok(Plot::new().with_series(error_bars(x, y)?))
}

impl Plot {
    /// Adds a curve whose points have error bars. See [`errorbar`].
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).errorbar(&[0, 1, 2], &[1.1, 1.9, 3.2]).yerr(0.2).linestyle("none").show();
    /// ```
    #[track_caller]
    pub fn errorbar<X: Values + ?Sized, Y: Values + ?Sized>(self, x: &X, y: &Y) -> Plot {
        let bars = check(error_bars(x, y));
        self.with_series(bars)
    }

    /// Sets how long the vertical error bars are: one number for all points, `&sizes` with one for each, or
    /// `(&down, &up)`.
    ///
    /// **Panics** unless there are as many sizes as points and none is negative, and for anything but error bars.
    ///
    /// ```
    /// let (x, y) = ([1, 2, 3], [1.0, 2.0, 4.0]);
    /// warpcell::errorbar(&x, &y).yerr(0.5).show();
    /// warpcell::errorbar(&x, &y).yerr((&[0.1, 0.2, 0.3], 1.0)).show();
    /// ```
    #[track_caller]
    pub fn yerr(self, sizes: impl ErrorSizes) -> Plot {
        self.with_errors("Plot::yerr", "yerr", &|x| sizes.sizes("Plot::yerr", "yerr", x))
    }

    /// Sets how long the horizontal error bars are: one number for all points, `&sizes` with one for each, or
    /// `(&left, &right)`.
    ///
    /// **Panics** unless there are as many sizes as points and none is negative, and for anything but error bars.
    ///
    /// ```
    /// warpcell::errorbar(&[1, 2, 3], &[1.0, 2.0, 4.0]).xerr(0.2).yerr(&[0.1, 0.2, 0.3]).show();
    /// ```
    #[track_caller]
    pub fn xerr(self, sizes: impl ErrorSizes) -> Plot {
        self.with_errors("Plot::xerr", "xerr", &|x| sizes.sizes("Plot::xerr", "xerr", x))
    }

    /// Sets the length of the lines at the ends of error bars, in pixels to each side; at first there are none.
    ///
    /// **Panics** unless it is from 0 to 100, and for anything but error bars.
    ///
    /// ```
    /// warpcell::errorbar(&[1, 2, 3], &[1.0, 2.0, 4.0]).yerr(0.5).capsize(4.0).show();
    /// ```
    #[track_caller]
    pub fn capsize(self, pixels: f64) -> Plot {
        if !(0.0..=100.0).contains(&pixels) {
            invalid("Plot::capsize", format!("{pixels} pixels cannot be drawn; use 0 to 100"));
        }
        let example = "gpu::errorbar(&x, &y).yerr(&sizes).capsize(4.0)";
        self.with_kind("Plot::capsize", example, |bars: &mut ErrorBars, _| bars.capsize = pixels)
    }

    #[track_caller]
    fn with_errors(self, operation: &'static str, name: &str, sizes: &dyn Fn(&[f64]) -> Result<Sides>) -> Plot {
        let example = format!("gpu::errorbar(&x, &y).{name}(&sizes)");
        let found = |x: &[f64]| {
            let sizes = sizes(x)?;
            let negative = sizes.iter().flat_map(|side| side.iter().enumerate()).find(|(_, size)| **size < 0.0);
            match negative {
                None => Ok(sizes),
                Some((index, size)) => {
                    let reason =
                        format!("the size at {index} is {size}; an error bar is 0 or longer, write `{name}.abs()`");
                    Err(Error::argument(operation, reason))
                }
            }
        };
        check(self.try_with_kind(operation, &example, |bars: &mut ErrorBars, _| {
            *if name == "yerr" { &mut bars.yerr } else { &mut bars.xerr } = Some(found(&bars.x)?);
            Ok(())
        }))
    }
}

/// How far points may be off: one number, `&sizes`, or `(&down, &up)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the sizes of error bars",
    note = "write one number for all points, such as `0.1`, a reference to as many as points, `&sizes`, or both sides, \
            `(&down, &up)`"
)]
pub trait ErrorSizes {
    #[doc(hidden)]
    fn sizes(&self, operation: &'static str, name: &str, x: &[f64]) -> Result<Sides>;
}

impl<E: PerPoint> ErrorSizes for E {
    fn sizes(&self, operation: &'static str, name: &str, x: &[f64]) -> Result<Sides> {
        let sizes = self.per_point(operation, name, x)?;
        Ok([sizes.clone(), sizes])
    }
}

impl<D: PerPoint, U: PerPoint> ErrorSizes for (D, U) {
    fn sizes(&self, operation: &'static str, name: &str, x: &[f64]) -> Result<Sides> {
        Ok([self.0.per_point(operation, name, x)?, self.1.per_point(operation, name, x)?])
    }
}

fn error_bars<X: Values + ?Sized, Y: Values + ?Sized>(x: &X, y: &Y) -> Result<ErrorBars> {
    let (x, y) = pair("errorbar", ["x", "y"], x.values("errorbar")?, y.values("errorbar")?)?;
    Ok(ErrorBars { x, y, xerr: None, yerr: None, capsize: 0.0 })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::tests::{BLUE, extent, picture, save};
    use super::*;

    pub fn hard_to_draw() -> Vec<Plot> {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        vec![
            errorbar(&[1.0, nan], &[inf, 1.0]).yerr(1).xerr(&[inf, nan]).capsize(3.0),
            errorbar(&[1.0], &[1e300]).yerr(1e300).xerr((0, 1e-300)),
            errorbar(&[1, 2], &[1, 10]).yerr(2).capsize(2.0).yscale("log"),
        ]
    }

    #[test]
    fn bars_are_as_long_as_errors() {
        let (x, y) = ([0.0, 1.0, 2.0], [0.0, 0.0, 0.0]);
        let plot = errorbar(&x, &y).yerr((&[1.0, 2.0, 1.0], 1.0)).linestyle("none").linewidth(3.0).ylim(-4.0, 4.0);
        let ([_, top, _, low], _) = extent(&picture(&plot), BLUE);
        let height = f64::from(low - top) / 3.0;
        let ([_, top, _, low], _) = extent(&picture(&plot.yerr(1)), BLUE);
        assert!((f64::from(low - top) / 2.0 - height).abs() < 2.0, "{height}");
        let plot = errorbar(&[1, 2, 3], &[1.0, 2.0, 4.0]).xerr(0.2).yerr(&[0.1f32, 0.2, 0.3]).capsize(4.0).marker("o");
        assert_eq!(plot.to_string(), "Plot: 3 points with error bars");
        save(&plot.label("measured"), "plot_errors");
    }

    #[test]
    #[should_panic(expected = "Plot::yerr: x has 2 values and yerr has 3; give both the same number")]
    fn sizes_of_another_number_panic() {
        let _ = errorbar(&[1, 2], &[1, 2]).yerr(&[1, 2, 3]);
    }

    #[test]
    #[should_panic(expected = "Plot::xerr: the size at 1 is -2; an error bar is 0 or longer, write `xerr.abs()`")]
    fn negative_sizes_panic() {
        let _ = errorbar(&[1, 2], &[1, 2]).xerr(&[1, -2]);
    }

    #[test]
    #[should_panic(expected = "Plot::yerr: the last series is `plot`, which has no such setting; write \
                               `gpu::errorbar(&x, &y).yerr(&sizes)`")]
    fn error_bars_of_a_curve_panic() {
        let _ = crate::plot(&[1, 2]).yerr(0.5);
    }
}
