//! [`Plot`]: a chart that is built by methods and shows itself.

use super::axis::Scale;
use super::chart::{Chart, PlotKind, Series};
use super::look::{LineStyle, Look, Marker, color};
use super::shown::{Drawing, Shown};
use super::{png, vega};
use crate::error::{Error, Result, check, fail};
use crate::fallible::fallible;
use serde_json::Value;
use std::fmt;
use std::path::Path;

/// Curves, points, bars, pictures and more over common axes. See [`plot()`](crate::plot()).
///
/// Methods that set a look, such as [`Plot::color`], are about what was added last.
///
/// In a notebook it is shown once without being asked: as the value of its cell, or when it is dropped in the cell that
/// made it, so that `gpu::plot(&y);` draws where it stands. A plot that is kept in a variable waits for `.show()`.
///
/// In JupyterLab and VS Code one can enter it: the numbers under the pointer are shown, dragging moves what is seen, the wheel with
/// Ctrl zooms, and a double click shows the whole again. Elsewhere, and where there are too many points, it is a picture.
#[derive(Clone)]
pub struct Plot {
    shown: Shown<Chart>,
}

impl Drawing for Chart {
    fn png(&self) -> Vec<u8> {
        png::of_chart(self)
    }

    fn specification(&self) -> Option<Value> {
        vega::of_chart(self)
    }

    fn describe(&self) -> String {
        let series = self.series.iter().map(Series::describe).collect::<Vec<_>>().join(", ");
        match &self.title {
            _ if self.picture().is_some() => format!("Figure: {series}"),
            Some(title) => format!("Plot {title:?}: {series}"),
            None => format!("Plot: {series}"),
        }
    }

    fn is_empty(&self) -> bool {
        self.series.is_empty()
    }
}

impl Default for Plot {
    fn default() -> Plot {
        Plot::new()
    }
}

impl Plot {
    /// A plot without anything in it yet.
    ///
    /// ```
    /// let mut plot = warpcell::Plot::new().title("Powers").yscale("log");
    /// for base in [2.0f64, 3.0, 5.0] {
    ///     let powers: Vec<f64> = (0..8).map(|exponent| base.powi(exponent)).collect();
    ///     plot = plot.plot(&powers).label(format!("of {base}"));
    /// }
    /// plot.show();
    /// ```
    pub fn new() -> Plot {
        Plot { shown: Shown::new(Chart::default()) }
    }

    pub(super) fn chart(&self) -> &Chart {
        self.shown.drawing()
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Chart)) -> Plot {
        change(self.shown.change());
        self
    }

    /// Adds a series with the look of a line.
    pub(super) fn with_series(self, kind: impl PlotKind) -> Plot {
        self.with(|chart| {
            let look = Look::new(chart.series.len());
            chart.series.push(Series { kind: Box::new(kind), label: None, look, colors: None });
        })
    }

    /// Changes what was added last.
    #[track_caller]
    pub(super) fn with_last(self, operation: &'static str, change: impl FnOnce(&mut Series)) -> Plot {
        check(self.try_with_last(operation, |series| {
            change(series);
            Ok(())
        }))
    }

    /// The same, if the change can fail. A panic in a closure would have a place in here, and not that of the caller.
    pub(super) fn try_with_last(
        mut self,
        operation: &'static str,
        change: impl FnOnce(&mut Series) -> Result<()>,
    ) -> Result<Plot> {
        let Some(series) = self.shown.change().series.last_mut() else {
            let reason = "the plot has nothing in it yet; call it after `plot`, `scatter` or another one";
            return Err(Error::argument(operation, reason));
        };
        if let Err(error) = change(series) {
            // What was not meant so is not shown.
            self.settle();
            return Err(error);
        }
        Ok(self)
    }

    /// Changes what was added last, which has to be of one kind: that which `example` adds.
    #[track_caller]
    pub(super) fn with_kind<K: PlotKind>(
        self,
        operation: &'static str,
        example: &str,
        change: impl FnOnce(&mut K, &mut Look),
    ) -> Plot {
        check(self.try_with_kind(operation, example, |kind, look| {
            change(kind, look);
            Ok(())
        }))
    }

    /// The same, if the change can fail.
    pub(super) fn try_with_kind<K: PlotKind>(
        self,
        operation: &'static str,
        example: &str,
        change: impl FnOnce(&mut K, &mut Look) -> Result<()>,
    ) -> Result<Plot> {
        self.try_with_last(operation, |Series { kind, look, .. }| {
            let name = kind.name();
            let kind: &mut dyn std::any::Any = kind.as_mut();
            match kind.downcast_mut() {
                Some(kind) => change(kind, look),
                None => {
                    let reason = format!("the last series is `{name}`, which has no such setting; write `{example}`");
                    Err(Error::argument(operation, reason))
                }
            }
        })
    }

    /// Names what was added last in the legend, which appears as soon as there is a name.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).label("up").plot(&[3, 2, 1]).label("down").show();
    /// ```
    #[track_caller]
    pub fn label(self, label: impl Into<String>) -> Plot {
        self.with_last("Plot::label", |series| series.label = Some(label.into()))
    }

    /// Sets the colour of what was added last, as matplotlib names it: `red`, `r`, `tab:red`, `C3`, `#d62728`. Without it
    /// the colours are those of matplotlib's cycle.
    ///
    /// **Panics** for any other name, and for pictures.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).color("tab:red").show();
    /// ```
    #[track_caller]
    pub fn color(self, name: &str) -> Plot {
        let color = check(color(name));
        check(self.try_with_last("Plot::color", |series| {
            if series.kind.name() == "imshow" {
                let reason = "the last series is a picture, which has many colours; set them with `.cmap(\"gray\")`";
                return Err(Error::argument("Plot::color", reason));
            }
            series.look.color = color;
            series.colors = None;
            Ok(())
        }))
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
        self.with_last("Plot::alpha", |series| series.look.alpha = alpha)
    }

    /// Sets the marker of the points that were added last: `o`, `.`, `s`, `^`, `v`, `D`, `x`, `+`, `_`, `|`, or `none`.
    ///
    /// **Panics** for any other sign, and for what has no markers, such as bars.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).marker("o").show();
    /// ```
    #[track_caller]
    pub fn marker(self, sign: &str) -> Plot {
        let marker = check(Marker::named(sign));
        self.with_points("Plot::marker", |look| look.marker = marker)
    }

    /// Sets the diameter of the markers that were added last, in pixels; at first it is 7.
    ///
    /// **Panics** unless it is from 1 to 200, and for what has no markers, such as bars.
    ///
    /// ```
    /// warpcell::scatter(&[1, 2, 3], &[3, 1, 2]).markersize(3.0).show();
    /// ```
    #[track_caller]
    pub fn markersize(self, pixels: f64) -> Plot {
        if !(1.0..=200.0).contains(&pixels) {
            invalid("Plot::markersize", format!("{pixels} pixels cannot be drawn; use 1 to 200"));
        }
        self.with_points("Plot::markersize", |look| look.marker_size = pixels)
    }

    /// Sets the style of the line that was added last: `-`, `--`, `:`, `-.`, or `none` for markers alone.
    ///
    /// **Panics** for any other sign, and for what has no lines, such as bars.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).linestyle("--").show();
    /// ```
    #[track_caller]
    pub fn linestyle(self, sign: &str) -> Plot {
        let line = check(LineStyle::named(sign));
        self.with_lines("Plot::linestyle", |look| look.line = line)
    }

    /// Sets the width of the line that was added last, in pixels; at first it is 1.6.
    ///
    /// **Panics** unless it is from 0.3 to 100, and for what has no lines, such as bars.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).linewidth(4.0).show();
    /// ```
    #[track_caller]
    pub fn linewidth(self, pixels: f64) -> Plot {
        if !(0.3..=100.0).contains(&pixels) {
            invalid("Plot::linewidth", format!("{pixels} pixels cannot be drawn; use 0.3 to 100"));
        }
        self.with_lines("Plot::linewidth", |look| look.line_width = pixels)
    }

    #[track_caller]
    fn with_points(self, operation: &'static str, change: impl FnOnce(&mut Look)) -> Plot {
        let lacks = "has no markers; call it directly after `plot`, `scatter` or `errorbar`";
        self.with_look_if(operation, |kind| kind.has_markers(), lacks, change)
    }

    #[track_caller]
    fn with_lines(self, operation: &'static str, change: impl FnOnce(&mut Look)) -> Plot {
        let lacks = "has no lines; call it directly after `plot`, `errorbar`, `contour` or `axhline`";
        self.with_look_if(operation, |kind| kind.has_lines(), lacks, change)
    }

    /// Changes the look of what was added last, if its kind `has` what the look is of; else it `lacks` that.
    #[track_caller]
    fn with_look_if(
        self,
        operation: &'static str,
        has: impl FnOnce(&dyn PlotKind) -> bool,
        lacks: &str,
        change: impl FnOnce(&mut Look),
    ) -> Plot {
        check(self.try_with_last(operation, |Series { kind, look, .. }| {
            if !has(kind.as_ref()) {
                let reason = format!("the last series is `{}`, which {lacks}", kind.name());
                return Err(Error::argument(operation, reason));
            }
            change(look);
            Ok(())
        }))
    }

    /// Writes a title above the plot.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).title("Three numbers").show();
    /// ```
    pub fn title(self, title: impl Into<String>) -> Plot {
        self.with(|chart| chart.title = Some(title.into()))
    }

    /// Writes what the x axis means, or the columns of a picture.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).xlabel("step").show();
    /// ```
    pub fn xlabel(self, label: impl Into<String>) -> Plot {
        self.with(|chart| chart.xlabel = Some(label.into()))
    }

    /// Writes what the y axis means, or the rows of a picture.
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

    /// Sets the size of the whole in pixels. At first it is 640×420, or for a picture what its shape needs.
    ///
    /// **Panics** unless the width is from 200 to 8192 and the height from 150 to 8192.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).size(900, 300).show();
    /// ```
    #[track_caller]
    pub fn size(self, width: u32, height: u32) -> Plot {
        require_size("Plot::size", (width, height));
        self.with(|chart| chart.size = Some((width, height)))
    }

    /// Shows the plot in the notebook now, wherever in the cell this stands.
    ///
    /// ```
    /// warpcell::plot(&[1, 2, 3]).show();
    /// ```
    pub fn show(&self) {
        self.shown.show();
    }

    /// The plot as a PNG file, for saving.
    ///
    /// ```
    /// assert!(warpcell::plot(&[1, 2, 3]).png().starts_with(b"\x89PNG"));
    /// ```
    pub fn png(&self) -> &[u8] {
        self.shown.png()
    }

    fallible! {
        /// Writes the plot to a PNG file, as matplotlib's `savefig`.
        ///
        /// **Panics** if the file cannot be written ([`Error::File`]).
        ///
        /// ```
        /// # let path = std::env::temp_dir().join("warpcell-doc-plot.png");
        /// warpcell::plot(&[1, 2, 3]).savefig(&path); // such as "plot.png"
        /// assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
        /// ```
        pub fn savefig, try_savefig(&self, path: impl AsRef<Path>) -> Result<()> {
            let path = path.as_ref();
            std::fs::write(path, self.png())
                .map_err(|error| Error::File {
                    operation: "savefig",
                    path: path.display().to_string(),
                    reason: format!("cannot be written: {error}; give a folder that is there and that you may write to"),
                })
        }
    }

    /// A plot of a chart, which is shown only when it is asked to.
    pub(super) fn of_chart(chart: Chart) -> Plot {
        let plot = Plot { shown: Shown::new(chart) };
        plot.settle();
        plot
    }

    /// The plot is part of something that is shown in its place.
    pub(super) fn settle(&self) {
        self.shown.settle();
    }

    /// The chart for what shows it in its place.
    pub(super) fn into_chart(mut self) -> Chart {
        self.shown.settle();
        std::mem::take(self.shown.change())
    }

    /// The plot as a PNG file for what shows it in its place.
    pub(crate) fn into_png(self) -> Vec<u8> {
        self.shown.settle();
        self.png().to_vec()
    }
}

#[track_caller]
pub(super) fn require_range(operation: &'static str, min: f64, max: f64) {
    if !(min < max && min.is_finite() && max.is_finite()) {
        invalid(operation, format!("({min}, {max}) is not a range; give two finite numbers, the smaller one first"));
    }
}

#[track_caller]
pub(super) fn require_size(operation: &'static str, (width, height): (u32, u32)) {
    if !(200..=8192).contains(&width) || !(150..=8192).contains(&height) {
        invalid(operation, format!("{width}×{height} pixels cannot be drawn; use 200×150 to 8192×8192"));
    }
}

#[cold]
#[track_caller]
pub(super) fn invalid(operation: &'static str, reason: impl Into<String>) -> ! {
    fail(Error::argument(operation, reason))
}

impl fmt::Display for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chart().describe())
    }
}

impl fmt::Debug for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}
