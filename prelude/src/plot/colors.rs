//! Colours that stand for numbers: of the elements of a picture, of points and of contour lines.

use super::axis::{Axis, Scale};
use super::builder::{Plot, invalid, require_range};
use super::colormap::{Colormap, Rgb};
use crate::error::{Error, check};

/// From numbers to colours.
#[derive(Clone, Debug)]
pub(super) struct Colors {
    map: Colormap,
    /// How numbers are spread over the colours.
    scale: Scale,
    /// The numbers at the ends of the colour map; else the least and the largest number.
    vmin: Option<f64>,
    vmax: Option<f64>,
    /// The least and the largest number, if there is one.
    range: Option<(f64, f64)>,
    least_positive: Option<f64>,
    /// Whether a bar shows which colour stands for which number.
    pub bar: bool,
    pub label: Option<String>,
}

impl Colors {
    /// For numbers of this range; the least one over 0 counts where they are spread by their logarithm.
    pub fn new(range: Option<(f64, f64)>, least_positive: Option<f64>) -> Colors {
        let (map, scale) = (Colormap::default(), Scale::Linear);
        Colors { map, scale, vmin: None, vmax: None, range, least_positive, bar: true, label: None }
    }

    /// For these numbers.
    pub fn of(numbers: &[f64]) -> Colors {
        let finite = || numbers.iter().copied().filter(|number| number.is_finite());
        let range = finite().min_by(f64::total_cmp).zip(finite().max_by(f64::total_cmp));
        Colors::new(range, finite().filter(|&number| number > 0.0).min_by(f64::total_cmp))
    }

    /// Sets the least and the largest number, and the least one over 0.
    pub fn set_range(&mut self, range: Option<(f64, f64)>, least_positive: Option<f64>) {
        (self.range, self.least_positive) = (range, least_positive);
    }

    /// From numbers to places on the colour map.
    pub fn axis(&self) -> Axis {
        let (least, largest) = self.range.unwrap_or((0.0, 1.0));
        let (min, max) = match self.scale {
            Scale::Linear => (self.vmin.unwrap_or(least), self.vmax.unwrap_or(largest)),
            Scale::Log => {
                let max = self.vmax.filter(|&max| max > 0.0).unwrap_or(largest);
                let max = if max > 0.0 { max } else { 1.0 };
                let least = self.least_positive.unwrap_or(max / 10.0);
                (self.vmin.filter(|&min| min > 0.0).unwrap_or(least), max)
            }
        };
        let (min, max) = match self.scale {
            _ if min < max => (min, max),
            // One number only: it gets the middle of the colour map.
            Scale::Linear => (min - 0.5 * min.abs().max(1.0), min + 0.5 * min.abs().max(1.0)),
            Scale::Log => (min / 10f64.sqrt(), min * 10f64.sqrt()),
        };
        Axis { scale: self.scale, min, max }
    }

    /// The colour at a place on the map, from 0 to 1.
    pub fn at(&self, place: f64) -> Rgb {
        self.map.color(place)
    }
}

impl Plot {
    #[track_caller]
    fn with_colors(self, operation: &'static str, change: impl FnOnce(&mut Colors)) -> Plot {
        check(self.try_with_last(operation, |series| match &mut series.colors {
            Some(colors) => {
                change(colors);
                Ok(())
            }
            None => {
                let reason = format!(
                    "the colours of the last series, `{}`, do not stand for numbers; call it directly after `imshow`, \
                     `contour` or `c`",
                    series.kind.name()
                );
                Err(Error::argument(operation, reason))
            }
        }))
    }

    /// Sets the colours: `viridis` (the default), `plasma`, `inferno`, `magma`, the diverging `coolwarm` and `RdBu`, `gray`, or one of them with `_r` after
    /// its name, reversed.
    ///
    /// **Panics** for any other name, and where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).cmap("gray_r").show();
    /// ```
    #[track_caller]
    pub fn cmap(self, name: &str) -> Plot {
        let map = check(Colormap::named(name));
        self.with_colors("Plot::cmap", |colors| colors.map = map)
    }

    /// The same as [`Plot::cmap`].
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).colormap("magma").show();
    /// ```
    #[track_caller]
    pub fn colormap(self, name: &str) -> Plot {
        self.cmap(name)
    }

    /// Sets the numbers at the ends of the colour map; what lies outside gets the colour of the end. Without it they
    /// are the least and the largest number.
    ///
    /// **Panics** unless `min < max` and both are finite, and where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).limits(0.0, 10.0).show();
    /// ```
    #[track_caller]
    pub fn limits(self, min: f64, max: f64) -> Plot {
        require_range("Plot::limits", min, max);
        self.with_colors("Plot::limits", |colors| (colors.vmin, colors.vmax) = (Some(min), Some(max)))
    }

    /// Sets the number at the lower end of the colour map; what is less gets the same colour.
    ///
    /// **Panics** unless it is finite and less than the upper end, and where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).vmin(0.0).show();
    /// ```
    #[track_caller]
    pub fn vmin(self, min: f64) -> Plot {
        self.with_colors("Plot::vmin", |colors| {
            let max = colors.vmax.or(colors.range.map(|(_, max)| max));
            require_order("Plot::vmin", min, max.unwrap_or(f64::INFINITY), min);
            colors.vmin = Some(min);
        })
    }

    /// Sets the number at the upper end of the colour map; what is more gets the same colour.
    ///
    /// **Panics** unless it is finite and more than the lower end, and where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).vmax(5.0).show();
    /// ```
    #[track_caller]
    pub fn vmax(self, max: f64) -> Plot {
        self.with_colors("Plot::vmax", |colors| {
            let min = colors.vmin.or(colors.range.map(|(min, _)| min));
            require_order("Plot::vmax", min.unwrap_or(f64::NEG_INFINITY), max, max);
            colors.vmax = Some(max);
        })
    }

    /// Spreads the numbers over the colours `linear`ly or by their logarithm, `log`. What is not over 0 has no logarithm
    /// and is drawn grey.
    ///
    /// **Panics** for any other name, and where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 1000.0]];
    /// warpcell::imshow(&image).norm("log").show();
    /// ```
    #[track_caller]
    pub fn norm(self, name: &str) -> Plot {
        let scale = check(Scale::named("Plot::norm", name));
        self.with_colors("Plot::norm", |colors| colors.scale = scale)
    }

    /// Writes what the colours mean, beside the colour bar.
    ///
    /// **Panics** where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).colorbar_label("counts").show();
    /// ```
    #[track_caller]
    pub fn colorbar_label(self, label: impl Into<String>) -> Plot {
        self.with_colors("Plot::colorbar_label", |colors| colors.label = Some(label.into()))
    }

    /// Sets whether a bar shows which colour stands for which number; at first it does.
    ///
    /// **Panics** where colours do not stand for numbers.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).colorbar(false).show();
    /// ```
    #[track_caller]
    pub fn colorbar(self, on: bool) -> Plot {
        self.with_colors("Plot::colorbar", |colors| colors.bar = on)
    }
}

#[track_caller]
fn require_order(operation: &'static str, min: f64, max: f64, given: f64) {
    if !(min < max && given.is_finite()) {
        invalid(operation, format!("from {min} to {max} is not a range; set both ends with `limits`"));
    }
}
