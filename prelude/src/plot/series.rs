//! What is drawn into a plot: curves, points, bars and histograms, and the look of each.

use super::colormap::Rgb;
use crate::error::{Error, Result};

/// One thing in a plot, with its look.
#[derive(Clone)]
pub(super) struct Series {
    pub kind: Kind,
    pub label: Option<String>,
    pub color: Rgb,
    pub alpha: f64,
    pub marker: Option<Marker>,
    /// The diameter of markers, in pixels.
    pub marker_size: f64,
    pub line: Option<LineStyle>,
    /// In pixels.
    pub line_width: f64,
}

/// What is drawn.
#[derive(Clone)]
pub(super) enum Kind {
    /// Points, or the curve through them.
    Points { x: Vec<f64>, y: Vec<f64> },
    /// Bars on 0.
    Bars { places: Vec<f64>, heights: Vec<f64>, width: f64 },
    /// How many values there are in each of so many intervals of one length.
    Histogram { values: Vec<f64>, bins: usize, density: bool },
}

/// A bar on 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub left: f64,
    pub right: f64,
    pub height: f64,
}

/// How a point looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Marker {
    Circle,
    Point,
    Square,
    Up,
    Down,
    Diamond,
    Cross,
    Plus,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LineStyle {
    Solid,
    Dashed,
    Dotted,
    DashDotted,
}

impl Series {
    /// A curve, or with a marker and no line, points.
    pub fn new(kind: Kind, index: usize) -> Series {
        Series {
            kind,
            label: None,
            color: CYCLE[index % CYCLE.len()].1,
            alpha: 1.0,
            marker: None,
            marker_size: 7.0,
            line: Some(LineStyle::Solid),
            line_width: 1.6,
        }
    }

    /// The bars, if these are what is drawn.
    pub fn bars(&self) -> Option<Vec<Bar>> {
        match &self.kind {
            Kind::Points { .. } => None,
            Kind::Bars { places, heights, width } => {
                let bar = |(&place, &height): (&f64, &f64)| Bar {
                    left: place - width / 2.0,
                    right: place + width / 2.0,
                    height,
                };
                Some(places.iter().zip(heights).map(bar).collect())
            }
            Kind::Histogram { values, bins, density } => Some(histogram(values, *bins, *density)),
        }
    }

    /// In a few words.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Points { x, .. } if self.line.is_some() => format!("line of {} points", x.len()),
            Kind::Points { x, .. } => format!("{} points", x.len()),
            Kind::Bars { heights, .. } => format!("{} bars", heights.len()),
            Kind::Histogram { values, bins, .. } => format!("histogram of {} values in {bins} bins", values.len()),
        }
    }
}

/// As NumPy's `histogram`, but what is not finite is left out.
fn histogram(values: &[f64], bins: usize, density: bool) -> Vec<Bar> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (min, max) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (min.min(x), max.max(x)));
    let (min, max) = match () {
        () if min > max => (0.0, 1.0),
        () if min == max => (min - 0.5, max + 0.5),
        () => (min, max),
    };
    // Halved, so that the difference of the largest numbers is finite.
    let (low, range) = (min / 2.0, max / 2.0 - min / 2.0);
    let mut counts = vec![0u64; bins];
    for value in finite() {
        let bin = ((value / 2.0 - low) / range * bins as f64) as usize;
        counts[bin.min(bins - 1)] += 1;
    }
    let edge = |index: usize| 2.0 * (low + range * (index as f64 / bins as f64));
    let total = counts.iter().sum::<u64>().max(1) as f64;
    let bar = |(index, &count): (usize, &u64)| {
        let (left, right) = (edge(index), edge(index + 1));
        let height = if density { count as f64 / total / (right - left) } else { count as f64 };
        Bar { left, right, height }
    };
    counts.iter().enumerate().map(bar).collect()
}

impl Marker {
    /// By matplotlib's sign.
    pub fn named(sign: &str) -> Result<Option<Marker>> {
        Ok(Some(match sign {
            "o" => Marker::Circle,
            "." => Marker::Point,
            "s" => Marker::Square,
            "^" => Marker::Up,
            "v" => Marker::Down,
            "D" | "d" => Marker::Diamond,
            "x" => Marker::Cross,
            "+" => Marker::Plus,
            "" | "none" | "None" => return Ok(None),
            _ => {
                return Err(Error::InvalidArgument {
                    operation: "Plot::marker",
                    reason: format!(
                        "there is no marker {sign:?}; use \"o\", \".\", \"s\", \"^\", \"v\", \"D\", \"x\", \"+\" or \"none\""
                    ),
                });
            }
        }))
    }
}

impl LineStyle {
    /// By matplotlib's sign or name.
    pub fn named(sign: &str) -> Result<Option<LineStyle>> {
        Ok(Some(match sign {
            "-" | "solid" => LineStyle::Solid,
            "--" | "dashed" => LineStyle::Dashed,
            ":" | "dotted" => LineStyle::Dotted,
            "-." | "dashdot" => LineStyle::DashDotted,
            "" | "none" | "None" => return Ok(None),
            _ => {
                return Err(Error::InvalidArgument {
                    operation: "Plot::linestyle",
                    reason: format!("there is no line style {sign:?}; use \"-\", \"--\", \":\", \"-.\" or \"none\""),
                });
            }
        }))
    }

    /// Lengths of strokes and gaps in turn, in widths of the line; none for a solid line.
    pub fn dashes(self) -> &'static [f64] {
        match self {
            LineStyle::Solid => &[],
            LineStyle::Dashed => &[3.7, 1.6],
            LineStyle::Dotted => &[1.0, 1.65],
            LineStyle::DashDotted => &[6.4, 1.6, 1.0, 1.6],
        }
    }
}

/// matplotlib's cycle of colours, with the names it gives them.
const CYCLE: [(&str, Rgb); 10] = [
    ("tab:blue", [0x1f, 0x77, 0xb4]),
    ("tab:orange", [0xff, 0x7f, 0x0e]),
    ("tab:green", [0x2c, 0xa0, 0x2c]),
    ("tab:red", [0xd6, 0x27, 0x28]),
    ("tab:purple", [0x94, 0x67, 0xbd]),
    ("tab:brown", [0x8c, 0x56, 0x4b]),
    ("tab:pink", [0xe3, 0x77, 0xc2]),
    ("tab:gray", [0x7f, 0x7f, 0x7f]),
    ("tab:olive", [0xbc, 0xbd, 0x22]),
    ("tab:cyan", [0x17, 0xbe, 0xcf]),
];

/// Names and letters of other colours.
const COLORS: [(&str, &str, Rgb); 14] = [
    ("black", "k", [0, 0, 0]),
    ("white", "w", [0xff, 0xff, 0xff]),
    ("blue", "b", [0, 0, 0xff]),
    ("green", "g", [0, 0x80, 0]),
    ("red", "r", [0xff, 0, 0]),
    ("cyan", "c", [0, 0xff, 0xff]),
    ("magenta", "m", [0xff, 0, 0xff]),
    ("yellow", "y", [0xff, 0xff, 0]),
    ("orange", "", [0xff, 0xa5, 0]),
    ("purple", "", [0x80, 0, 0x80]),
    ("brown", "", [0xa5, 0x2a, 0x2a]),
    ("pink", "", [0xff, 0xc0, 0xcb]),
    ("gray", "grey", [0x80, 0x80, 0x80]),
    ("olive", "", [0x80, 0x80, 0]),
];

/// A colour as matplotlib names it: `red`, `r`, `tab:red`, `C3`, `#d62728`.
pub(super) fn color(name: &str) -> Result<Rgb> {
    let in_cycle = || name.strip_prefix('C')?.parse().ok().map(|index: usize| CYCLE[index % CYCLE.len()].1);
    let tab = || CYCLE.iter().find(|(known, _)| *known == name).map(|&(_, color)| color);
    let named = || {
        let found = COLORS.iter().find(|(known, other, _)| *known == name || (!name.is_empty() && *other == name));
        found.map(|&(_, _, color)| color)
    };
    named().or_else(tab).or_else(in_cycle).or_else(|| hexadecimal(name)).ok_or_else(|| Error::InvalidArgument {
        operation: "Plot::color",
        reason: format!(
            "there is no colour {name:?}; use {}, one of matplotlib's such as \"tab:blue\" or \"C0\", or red, green \
             and blue in hexadecimal digits such as \"#1f77b4\"",
            COLORS.map(|(known, _, _)| format!("{known:?}")).join(", ")
        ),
    })
}

fn hexadecimal(name: &str) -> Option<Rgb> {
    let digits = name.strip_prefix('#').filter(|digits| digits.is_ascii())?;
    let (length, factor) = match digits.len() {
        3 => (1, 17),
        6 => (2, 1),
        _ => return None,
    };
    let mut color = [0; 3];
    for (part, index) in color.iter_mut().zip(0..) {
        *part = factor * u8::from_str_radix(&digits[index * length..(index + 1) * length], 16).ok()?;
    }
    Some(color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_are_those_of_numpy() {
        let heights = |values: &[f64], bins, density| -> Vec<f64> {
            histogram(values, bins, density).into_iter().map(|bar| bar.height).collect()
        };
        // numpy.histogram([1, 2, 2, 3, 4, 10], 3) and with density=True
        let values = [1.0, 2.0, 2.0, 3.0, 4.0, 10.0];
        assert_eq!(heights(&values, 3, false), [4.0, 1.0, 1.0]);
        let expected = [0.2222222222222222, 0.05555555555555555, 0.05555555555555555];
        let near = heights(&values, 3, true).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(near, "{:?}", heights(&values, 3, true));
        let same = histogram(&[5.0, 5.0], 2, false);
        assert_eq!((same[0].left, same[1].right, same[1].height), (4.5, 5.5, 2.0));
        let odd = [f64::NAN, f64::INFINITY, 1.0, 2.0, f64::MIN, f64::MAX];
        assert_eq!(heights(&odd, 3, false), [1.0, 2.0, 1.0]);
        assert_eq!(heights(&[f64::NAN], 2, false), [0.0, 0.0]);
    }

    #[test]
    fn colours_by_name_and_number() {
        for (name, expected) in [
            ("red", [255, 0, 0]),
            ("k", [0, 0, 0]),
            ("tab:orange", [255, 127, 14]),
            ("C1", [255, 127, 14]),
            ("C11", [255, 127, 14]),
            ("#1f77B4", [0x1f, 0x77, 0xb4]),
            ("#f0a", [255, 0, 170]),
        ] {
            assert_eq!(color(name).unwrap(), expected, "{name}");
        }
        for name in ["", "reddish", "#12", "#ggg", "#äää", "Cx"] {
            let message = color(name).unwrap_err().to_string();
            assert!(message.contains(&format!("no colour {name:?}")) && message.contains("\"orange\""), "{message}");
        }
    }

    #[test]
    fn unknown_signs_list_the_known_ones() {
        assert!(Marker::named("q").unwrap_err().to_string().contains("\"D\""));
        assert!(LineStyle::named("~").unwrap_err().to_string().contains("\"-.\""));
        assert_eq!((Marker::named("none").unwrap(), LineStyle::named("").unwrap()), (None, None));
    }
}
