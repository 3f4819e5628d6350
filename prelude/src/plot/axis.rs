//! The axes of a plot: from numbers to places, linear or logarithmic, and where the ticks stand.

use super::ticks;
use crate::error::{Error, Result};

/// How numbers are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Scale {
    #[default]
    Linear,
    Log,
}

impl Scale {
    /// The scale of that name.
    pub fn named(operation: &'static str, name: &str) -> Result<Scale> {
        match name {
            "linear" => Ok(Scale::Linear),
            "log" => Ok(Scale::Log),
            _ => Err(Error::argument(operation, format!("there is no scale {name:?}; use \"linear\" or \"log\""))),
        }
    }

    /// Whether a number has a place on such an axis.
    pub fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

/// The part of an axis that is drawn. Where `min` is more than `max`, the numbers become less along the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub scale: Scale,
    pub min: f64,
    pub max: f64,
}

impl Axis {
    /// An axis for these numbers, with margins, but not at an end that is the `bound`, where nothing goes beyond (bars stand
    /// on 0). Without any number it goes from 0 to 1.
    pub fn around(scale: Scale, values: impl Iterator<Item = f64>, bound: Option<f64>, has_margins: bool) -> Axis {
        let range = values.filter(|&value| scale.has(value)).fold(None, |range: Option<(f64, f64)>, value| {
            Some(range.map_or((value, value), |(min, max)| (min.min(value), max.max(value))))
        });
        match (scale, range) {
            (Scale::Linear, None) => Axis { scale, min: 0.0, max: 1.0 },
            (Scale::Log, None) => Axis { scale, min: 1.0, max: 10.0 },
            (_, Some((min, max))) if min < max && !has_margins => Axis { scale, min, max },
            (Scale::Linear, Some((min, max))) => {
                // Halved, so that the difference of the largest numbers is finite.
                let half = match max / 2.0 - min / 2.0 {
                    0.0 => 0.5 * min.abs().max(1.0),
                    half => half * 0.1,
                };
                let sticks = |end: f64| bound == Some(end) && min < max;
                let min = if sticks(min) { min } else { (min - half).max(f64::MIN) };
                let max = if sticks(max) { max } else { (max + half).min(f64::MAX) };
                Axis { scale, min, max }
            }
            (Scale::Log, Some((min, max))) => {
                let margin = if min == max { 10f64.sqrt() } else { (max / min).powf(0.05) };
                Axis { scale, min: (min / margin).max(f64::MIN_POSITIVE), max: (max * margin).min(f64::MAX) }
            }
        }
    }

    /// From 0 at the beginning of the axis to 1 at its end; NaN for what has no place.
    pub fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value / 2.0 - self.min / 2.0) / (self.max / 2.0 - self.min / 2.0),
            Scale::Log if value > 0.0 => (value.ln() - self.min.ln()) / (self.max.ln() - self.min.ln()),
            Scale::Log => f64::NAN,
        }
    }

    /// Round numbers on the axis with their labels, `most` of them or a few more.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let (min, max) = self.ends();
        match self.scale {
            Scale::Linear => ticks::values(min, max, most),
            Scale::Log => ticks::powers(min, max, most),
        }
    }

    /// The smaller and the larger end.
    fn ends(&self) -> (f64, f64) {
        (self.min.min(self.max), self.min.max(self.max))
    }

    /// Numbers between the ticks of a logarithmic axis.
    pub fn minor_ticks(&self) -> Vec<f64> {
        let (min, max) = self.ends();
        let decades = max.log10().floor() - min.log10().floor();
        if self.scale == Scale::Linear || decades > 6.0 {
            return Vec::new();
        }
        let exponents = min.log10().floor() as i32..=max.log10().floor() as i32;
        let minor = exponents.flat_map(|exponent| (2..10).map(move |digit| f64::from(digit) * 10f64.powi(exponent)));
        minor.filter(|value| (min..=max).contains(value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(values: &[f64], bound: Option<f64>) -> (f64, f64) {
        let axis = Axis::around(Scale::Linear, values.iter().copied(), bound, true);
        (axis.min, axis.max)
    }

    #[test]
    fn an_axis_has_margins_but_not_below_bars() {
        assert_eq!(around(&[0.0, 10.0], None), (-0.5, 10.5));
        assert_eq!(around(&[0.0, 10.0], Some(0.0)), (0.0, 10.5));
        assert_eq!(around(&[-10.0, 0.0], Some(0.0)), (-10.5, 0.0));
        assert_eq!(around(&[3.0], None), (1.5, 4.5));
        assert_eq!(around(&[f64::NAN, f64::INFINITY], None), (0.0, 1.0));
        assert_eq!(around(&[f64::NAN, 0.0, 10.0, f64::NEG_INFINITY], None), (-0.5, 10.5));
        let bare = Axis::around(Scale::Linear, [1.0, 2.0].into_iter(), None, false);
        assert_eq!((bare.min, bare.max), (1.0, 2.0));
        let (min, max) = around(&[f64::MIN, f64::MAX], None);
        assert!(min.is_finite() && max.is_finite());
        let log = Axis::around(Scale::Log, [-5.0, 0.0, 1.0, 1000.0].into_iter(), None, true);
        assert!(log.min > 0.5 && log.min < 1.0 && log.max > 1000.0 && log.max < 2000.0, "{log:?}");
    }

    #[test]
    fn places() {
        let linear = Axis { scale: Scale::Linear, min: f64::MIN, max: f64::MAX };
        assert_eq!((linear.place(f64::MIN), linear.place(0.0), linear.place(f64::MAX)), (0.0, 0.5, 1.0));
        let log = Axis { scale: Scale::Log, min: 1.0, max: 100.0 };
        assert!((log.place(10.0) - 0.5).abs() < 1e-12 && log.place(0.0).is_nan() && log.place(-1.0).is_nan());
        assert_eq!(log.minor_ticks()[..3], [2.0, 3.0, 4.0]);
        assert_eq!(log.minor_ticks().len(), 16);
        assert!(linear.minor_ticks().is_empty());
        let down = Axis { scale: Scale::Linear, min: 4.0, max: 0.0 };
        assert_eq!((down.place(4.0), down.place(1.0), down.ticks(5)[1].0), (0.0, 0.75, 1.0));
    }
}
