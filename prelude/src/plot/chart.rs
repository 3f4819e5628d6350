//! [`plot()`], [`scatter`], [`bar`] and [`hist`], and the [`Plot`] that they give.

use super::axis::{Axis, Scale};
use super::due::Due;
use super::paint;
use super::series::{Kind, LineStyle, Marker, Series, color};
use super::values::{Categories, Curve, Places, Values, non_empty, pair};
use crate::cell;
use crate::error::{Error, Result, check, fail};
use crate::rich::MimeBundle;
use std::fmt;
use std::sync::OnceLock;

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
    let (x, y) = curve.points("plot")?;
    Ok(Plot::new().with_curve(x, y))
}

/// Draws points, as matplotlib's `scatter` does. `x` and `y` are what [`plot()`] takes.
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
    let (x, y) = pair("scatter", ["x", "y"], x.values("scatter")?, y.values("scatter")?)?;
    Ok(Plot::new().with_points(x, y))
}

/// Draws bars, as matplotlib's `bar` does.
///
/// `x`: the names below the bars, or the numbers above which they stand. `heights`: one number for each; what is not
/// finite gets no bar.
///
/// **Panics** if there are no values, or not as many of `x` as of `heights`.
///
/// ```
/// warpcell::bar(&["host", "device"], &[120.0, 3.5]).ylabel("ms").show();
/// ```
#[track_caller]
pub fn bar<X: Categories + ?Sized, H: Values + ?Sized>(x: &X, heights: &H) -> Plot {
    check(try_bar(x, heights))
}

/// As [`bar`], but returns the error.
///
/// ```
/// let error = warpcell::try_bar(&["host", "device"], &[120.0]).unwrap_err();
/// assert_eq!(error.to_string(), "bar: x has 2 values and heights has 1; give both the same number");
/// ```
pub fn try_bar<X: Categories + ?Sized, H: Values + ?Sized>(x: &X, heights: &H) -> Result<Plot> {
    Plot::new().with_bars(x.places()?, heights.values("bar")?)
}

/// Draws a histogram, as matplotlib's `hist` does: how many of the values lie in each of 10 intervals, or as many as
/// [`Plot::bins`] says. What is not finite is left out.
///
/// **Panics** if there are no values, or they have more than one axis.
///
/// ```
/// let squares: Vec<i32> = (0..100).map(|x| x * x).collect();
/// warpcell::hist(&squares).bins(20).title("Squares").show();
/// ```
#[track_caller]
pub fn hist<A: Values + ?Sized>(values: &A) -> Plot {
    check(try_hist(values))
}

/// As [`hist`], but returns the error.
///
/// ```
/// assert!(warpcell::try_hist(&[0.0; 0]).unwrap_err().to_string().contains("no values"));
/// ```
pub fn try_hist<A: Values + ?Sized>(values: &A) -> Result<Plot> {
    let values = non_empty("hist", values.values("hist")?)?;
    Ok(Plot::new().with_histogram(values))
}

/// Curves, points, bars and histograms over common axes. See [`plot()`].
///
/// Methods that set a look, such as [`Plot::color`], are about what was added last.
#[derive(Clone)]
pub struct Plot {
    pub(super) chart: Chart,
    png: OnceLock<Vec<u8>>,
    due: Due,
}

/// What is drawn, and how.
#[derive(Clone)]
pub(super) struct Chart {
    pub series: Vec<Series>,
    /// The names on the x axis, at 0, 1, 2 …
    pub names: Vec<String>,
    pub title: Option<String>,
    pub xlabel: Option<String>,
    pub ylabel: Option<String>,
    pub xscale: Scale,
    pub yscale: Scale,
    pub xlim: Option<(f64, f64)>,
    pub ylim: Option<(f64, f64)>,
    pub grid: bool,
    pub legend: bool,
    pub size: (u32, u32),
}

impl Chart {
    /// Both axes: as wide as the numbers need, or as the limits say.
    pub fn axes(&self) -> (Axis, Axis) {
        let bars: Vec<_> = self.series.iter().filter_map(Series::bars).flatten().collect();
        let curves = || {
            self.series.iter().filter_map(|series| match &series.kind {
                Kind::Points { x, y } => Some((x, y)),
                _ => None,
            })
        };
        // A point without a place on one axis does not count on the other.
        let points = || curves().flat_map(|(x, y)| x.iter().copied().zip(y.iter().copied()));
        let drawn = || points().filter(|&(x, y)| self.xscale.has(x) && self.yscale.has(y));
        let bar_sides = bars.iter().filter(|bar| bar.height.is_finite()).flat_map(|bar| [bar.left, bar.right]);
        let bar_ends = bars.iter().flat_map(|bar| [0.0, bar.height]);
        let x = drawn().map(|(x, _)| x).chain(bar_sides);
        let y = drawn().map(|(_, y)| y).chain(bar_ends);
        let axis = |limits: Option<(f64, f64)>, found: Axis| match limits {
            // A limit without a place, such as 0 on a logarithmic axis, is none.
            Some((min, max)) if found.scale.has(max) => {
                Axis { min: if found.scale.has(min) { min } else { found.min.min(max / 10.0) }, max, ..found }
            }
            _ => found,
        };
        let ground = (!bars.is_empty()).then_some(0.0);
        (axis(self.xlim, Axis::around(self.xscale, x, None)), axis(self.ylim, Axis::around(self.yscale, y, ground)))
    }
}

impl Plot {
    fn new() -> Plot {
        let chart = Chart {
            series: Vec::new(),
            names: Vec::new(),
            title: None,
            xlabel: None,
            ylabel: None,
            xscale: Scale::Linear,
            yscale: Scale::Linear,
            xlim: None,
            ylim: None,
            grid: false,
            legend: true,
            size: (640, 420),
        };
        Plot { chart, png: OnceLock::new(), due: Due::now() }
    }

    fn with(mut self, change: impl FnOnce(&mut Chart)) -> Plot {
        change(&mut self.chart);
        self.png = OnceLock::new();
        self
    }

    fn with_series(self, kind: Kind) -> Plot {
        self.with(|chart| chart.series.push(Series::new(kind, chart.series.len())))
    }

    fn with_last(self, change: impl FnOnce(&mut Series)) -> Plot {
        self.with(|chart| {
            // There is always one: every function that makes a plot adds one.
            if let Some(series) = chart.series.last_mut() {
                change(series);
            }
        })
    }

    fn with_curve(self, x: Vec<f64>, y: Vec<f64>) -> Plot {
        self.with_series(Kind::Points { x, y })
    }

    fn with_points(self, x: Vec<f64>, y: Vec<f64>) -> Plot {
        self.with_series(Kind::Points { x, y }).with_last(|series| {
            series.line = None;
            series.marker = Some(Marker::Circle);
        })
    }

    fn with_bars(mut self, places: Places, heights: Vec<f64>) -> Result<Plot> {
        let places = match places {
            Places::At(places) => places,
            // A name has one place, wherever it comes from.
            Places::Named(names) => names.into_iter().map(|name| place_of(&mut self.chart.names, name)).collect(),
        };
        let (places, heights) = pair("bar", ["x", "heights"], places, heights)?;
        let mut sorted: Vec<f64> = places.iter().copied().filter(|place| place.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let distances = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|&distance| distance > 0.0);
        let least = distances.fold(f64::INFINITY, f64::min);
        let width = 0.8 * if least.is_finite() { least } else { 1.0 };
        Ok(self.with_series(Kind::Bars { places, heights, width }))
    }

    fn with_histogram(self, values: Vec<f64>) -> Plot {
        self.with_series(Kind::Histogram { values, bins: 10, density: false })
    }

    /// Adds a curve. See [`plot()`](crate::plot()).
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).plot((&[0.5, 1.5], &[2, 2])).show();
    /// ```
    #[track_caller]
    pub fn plot<C: Curve>(self, curve: C) -> Plot {
        let (x, y) = check(curve.points("plot"));
        self.with_curve(x, y)
    }

    /// Adds points. See [`scatter`].
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).scatter(&[0.5, 1.5], &[2, 2]).show();
    /// ```
    #[track_caller]
    pub fn scatter<X: Values + ?Sized, Y: Values + ?Sized>(self, x: &X, y: &Y) -> Plot {
        let (x, y) = check(pair("scatter", ["x", "y"], check(x.values("scatter")), check(y.values("scatter"))));
        self.with_points(x, y)
    }

    /// Adds bars. See [`bar`].
    ///
    /// ```
    /// warpcell::bar(&["a", "b"], &[1, 2]).label("first").bar(&["c"], &[3]).label("second").show();
    /// ```
    #[track_caller]
    pub fn bar<X: Categories + ?Sized, H: Values + ?Sized>(self, x: &X, heights: &H) -> Plot {
        check(self.with_bars(check(x.places()), check(heights.values("bar"))))
    }

    /// Adds a histogram. See [`hist`].
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).alpha(0.5).hist(&[2, 3, 3, 4]).alpha(0.5).show();
    /// ```
    #[track_caller]
    pub fn hist<A: Values + ?Sized>(self, values: &A) -> Plot {
        let values = check(values.values("hist").and_then(|values| non_empty("hist", values)));
        self.with_histogram(values)
    }

    /// Names what was added last in the legend, which appears as soon as there is a name.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).label("up").plot(&[3, 2, 1]).label("down").show();
    /// ```
    pub fn label(self, label: impl Into<String>) -> Plot {
        self.with_last(|series| series.label = Some(label.into()))
    }

    /// Sets the colour of what was added last, as matplotlib names it: `red`, `r`, `tab:red`, `C3`, `#d62728`. Without it
    /// the colours are those of matplotlib's cycle.
    ///
    /// **Panics** for any other name.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).color("tab:red").show();
    /// ```
    #[track_caller]
    pub fn color(self, name: &str) -> Plot {
        let color = check(color(name));
        self.with_last(|series| series.color = color)
    }

    /// Makes what was added last transparent: 0 is invisible, 1 opaque.
    ///
    /// **Panics** unless `alpha` is from 0 to 1.
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).alpha(0.5).show();
    /// ```
    #[track_caller]
    pub fn alpha(self, alpha: f64) -> Plot {
        if !(0.0..=1.0).contains(&alpha) {
            invalid("Plot::alpha", format!("{alpha} is not from 0 to 1"));
        }
        self.with_last(|series| series.alpha = alpha)
    }

    /// Sets the marker of the points that were added last: `o`, `.`, `s`, `^`, `v`, `D`, `x`, `+`, or `none`.
    ///
    /// **Panics** for any other sign, and for bars.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).marker("o").show();
    /// ```
    #[track_caller]
    pub fn marker(self, sign: &str) -> Plot {
        let marker = check(Marker::named(sign));
        self.require_points("Plot::marker").with_last(|series| series.marker = marker)
    }

    /// Sets the diameter of the markers that were added last, in pixels; at first it is 7.
    ///
    /// **Panics** unless it is from 1 to 200, and for bars.
    ///
    /// ```
    /// warpcell::scatter(&[1, 2, 3], &[3, 1, 2]).markersize(3.0).show();
    /// ```
    #[track_caller]
    pub fn markersize(self, pixels: f64) -> Plot {
        if !(1.0..=200.0).contains(&pixels) {
            invalid("Plot::markersize", format!("{pixels} pixels cannot be drawn; use 1 to 200"));
        }
        self.require_points("Plot::markersize").with_last(|series| series.marker_size = pixels)
    }

    /// Sets the style of the line that was added last: `-`, `--`, `:`, `-.`, or `none` for markers alone.
    ///
    /// **Panics** for any other sign, and for bars.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).linestyle("--").show();
    /// ```
    #[track_caller]
    pub fn linestyle(self, sign: &str) -> Plot {
        let line = check(LineStyle::named(sign));
        self.require_points("Plot::linestyle").with_last(|series| series.line = line)
    }

    /// Sets the width of the line that was added last, in pixels; at first it is 1.6.
    ///
    /// **Panics** unless it is from 0.3 to 100, and for bars.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).linewidth(4.0).show();
    /// ```
    #[track_caller]
    pub fn linewidth(self, pixels: f64) -> Plot {
        if !(0.3..=100.0).contains(&pixels) {
            invalid("Plot::linewidth", format!("{pixels} pixels cannot be drawn; use 0.3 to 100"));
        }
        self.require_points("Plot::linewidth").with_last(|series| series.line_width = pixels)
    }

    /// Sets into how many intervals the histogram that was added last is divided; at first it is 10.
    ///
    /// **Panics** unless it is from 1 to 100,000, and for anything but a histogram.
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).bins(3).show();
    /// ```
    #[track_caller]
    pub fn bins(self, number: usize) -> Plot {
        if !(1..=100_000).contains(&number) {
            invalid("Plot::bins", format!("{number} intervals cannot be drawn; use 1 to 100000"));
        }
        self.with_histogram_options("Plot::bins", |bins, _| *bins = number)
    }

    /// Sets whether the histogram that was added last shows densities, of which the integral is 1, in place of numbers.
    ///
    /// **Panics** for anything but a histogram.
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).density(true).show();
    /// ```
    #[track_caller]
    pub fn density(self, on: bool) -> Plot {
        self.with_histogram_options("Plot::density", |_, density| *density = on)
    }

    #[track_caller]
    fn with_histogram_options(mut self, operation: &'static str, set: impl FnOnce(&mut usize, &mut bool)) -> Plot {
        match self.chart.series.last_mut().map(|series| &mut series.kind) {
            Some(Kind::Histogram { bins, density, .. }) => set(bins, density),
            _ => invalid(operation, "the last series is not a histogram; call it directly after `hist`".into()),
        }
        self.with(|_| ())
    }

    #[track_caller]
    fn require_points(self, operation: &'static str) -> Plot {
        if !matches!(self.chart.series.last(), Some(Series { kind: Kind::Points { .. }, .. })) {
            invalid(
                operation,
                "the last series has bars, which have neither lines nor markers; call it directly after `plot` or \
                 `scatter`"
                    .into(),
            );
        }
        self
    }

    /// Writes a title above the plot.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).title("Three numbers").show();
    /// ```
    pub fn title(self, title: impl Into<String>) -> Plot {
        self.with(|chart| chart.title = Some(title.into()))
    }

    /// Writes what the x axis means.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).xlabel("step").show();
    /// ```
    pub fn xlabel(self, label: impl Into<String>) -> Plot {
        self.with(|chart| chart.xlabel = Some(label.into()))
    }

    /// Writes what the y axis means.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).ylabel("loss").show();
    /// ```
    pub fn ylabel(self, label: impl Into<String>) -> Plot {
        self.with(|chart| chart.ylabel = Some(label.into()))
    }

    /// Makes the x axis `linear` or `log`. What is not over 0 has no place on a logarithmic axis and is left out.
    ///
    /// **Panics** for any other name.
    ///
    /// ```
    /// warpcell::plot((&[1, 10, 100], &[1, 2, 3])).xscale("log").show();
    /// ```
    #[track_caller]
    pub fn xscale(self, name: &str) -> Plot {
        let scale = check(Scale::named("Plot::xscale", name));
        self.with(|chart| chart.xscale = scale)
    }

    /// Makes the y axis `linear` or `log`. What is not over 0 has no place on a logarithmic axis and is left out.
    ///
    /// **Panics** for any other name.
    ///
    /// ```
    /// warpcell::plot(&[1.0, 0.1, 0.01]).yscale("log").show();
    /// ```
    #[track_caller]
    pub fn yscale(self, name: &str) -> Plot {
        let scale = check(Scale::named("Plot::yscale", name));
        self.with(|chart| chart.yscale = scale)
    }

    /// Sets the ends of the x axis.
    ///
    /// **Panics** unless `min < max` and both are finite.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).xlim(0.0, 10.0).show();
    /// ```
    #[track_caller]
    pub fn xlim(self, min: f64, max: f64) -> Plot {
        require_range("Plot::xlim", min, max);
        self.with(|chart| chart.xlim = Some((min, max)))
    }

    /// Sets the ends of the y axis.
    ///
    /// **Panics** unless `min < max` and both are finite.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).ylim(0.0, 10.0).show();
    /// ```
    #[track_caller]
    pub fn ylim(self, min: f64, max: f64) -> Plot {
        require_range("Plot::ylim", min, max);
        self.with(|chart| chart.ylim = Some((min, max)))
    }

    /// Sets whether lines are drawn across the plot at the ticks; at first they are not.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).grid(true).show();
    /// ```
    pub fn grid(self, on: bool) -> Plot {
        self.with(|chart| chart.grid = on)
    }

    /// Sets whether the legend is drawn if anything has a [label](Plot::label); at first it is.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).label("up").legend(false).show();
    /// ```
    pub fn legend(self, on: bool) -> Plot {
        self.with(|chart| chart.legend = on)
    }

    /// Sets the size of the whole in pixels; at first it is 640×420.
    ///
    /// **Panics** unless the width is from 200 to 8192 and the height from 150 to 8192.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).size(900, 300).show();
    /// ```
    #[track_caller]
    pub fn size(self, width: u32, height: u32) -> Plot {
        if !(200..=8192).contains(&width) || !(150..=8192).contains(&height) {
            invalid("Plot::size", format!("{width}×{height} pixels cannot be drawn; use 200×150 to 8192×8192"));
        }
        self.with(|chart| chart.size = (width, height))
    }

    /// Shows the plot in the notebook now, wherever in the cell this stands.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).show();
    /// ```
    pub fn show(&self) {
        crate::rich::display(self);
    }

    /// The plot as a PNG file, for saving.
    ///
    /// ```
    /// assert!(warpcell::plot(&[1, 2, 3]).png().starts_with(b"\x89PNG"));
    /// ```
    pub fn png(&self) -> &[u8] {
        self.png.get_or_init(|| paint::png(&self.chart))
    }

    /// The plot as a PNG file for what shows it in its place.
    pub(crate) fn into_png(self) -> Vec<u8> {
        self.due.settle();
        self.png().to_vec()
    }
}

/// The place of a name on the x axis.
fn place_of(names: &mut Vec<String>, name: String) -> f64 {
    let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    place as f64
}

#[track_caller]
fn require_range(operation: &'static str, min: f64, max: f64) {
    if !(min < max && min.is_finite() && max.is_finite()) {
        invalid(operation, format!("({min}, {max}) is not a range; give two finite numbers, the smaller one first"));
    }
}

#[cold]
#[track_caller]
fn invalid(operation: &'static str, reason: String) -> ! {
    fail(Error::InvalidArgument { operation, reason })
}

impl Drop for Plot {
    fn drop(&mut self) {
        // What was to be the first thing in it may have been refused.
        if self.due.is_open() && !self.chart.series.is_empty() {
            self.show();
        }
    }
}

impl fmt::Display for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let series: Vec<String> = self.chart.series.iter().map(Series::describe).collect();
        let title = self.chart.title.as_ref().map_or_else(String::new, |title| format!(" {title:?}"));
        write!(f, "Plot{title}: {}", series.join(", "))
    }
}

impl fmt::Debug for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value of a cell is shown by its `Debug`, also behind a wrapper.
        let text = self.to_string();
        cell::offer_rich(&text, || {
            self.due.settle();
            MimeBundle::new().png(self.png()).into_data()
        });
        f.write_str(&text)
    }
}
