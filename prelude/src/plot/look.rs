//! How a series looks: its colour, its line, its markers, by matplotlib's names.

use super::colormap::Rgb;
use super::mark::{Mark, Numbers};
use crate::error::{Error, Result};

/// The look of a series.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub color: Rgb,
    pub alpha: f64,
    pub marker: Option<Marker>,
    /// The diameter of markers, in pixels.
    pub marker_size: f64,
    pub line: Option<LineStyle>,
    /// In pixels.
    pub line_width: f64,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub style: LineStyle,
    /// In pixels.
    pub width: f64,
}

impl Look {
    /// A line, in the colour that matplotlib gives to the series of this index.
    pub fn new(index: usize) -> Look {
        Look {
            color: CYCLE[index % CYCLE.len()].1,
            alpha: 1.0,
            marker: None,
            marker_size: 7.0,
            line: Some(LineStyle::Solid),
            line_width: 1.6,
        }
    }

    /// How lines are drawn, if they are.
    pub fn stroke(&self) -> Option<Stroke> {
        self.line.map(|style| Stroke { style, width: self.line_width })
    }

    /// The curve through points and their markers, as far as the look has both.
    pub fn curve<'a>(&self, x: &'a [f64], y: &'a [f64], numbers: Option<&'a [f64]>) -> Vec<Mark<'a>> {
        let (x, y) = (Numbers::Borrowed(x), Numbers::Borrowed(y));
        let line = self.stroke().map(|stroke| Mark::Line { x: x.clone(), y: y.clone(), stroke, number: None });
        let points = self.marker.map(|marker| Mark::Points { x, y, marker, size: self.marker_size, numbers });
        line.into_iter().chain(points).collect()
    }
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
    Dash,
    Bar,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LineStyle {
    Solid,
    Dashed,
    Dotted,
    DashDotted,
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
            "_" => Marker::Dash,
            "|" => Marker::Bar,
            "" | "none" | "None" => return Ok(None),
            _ => {
                let reason = format!(
                    "there is no marker {sign:?}; use \"o\", \".\", \"s\", \"^\", \"v\", \"D\", \"x\", \"+\", \"_\", \"|\" or \"none\""
                );
                return Err(Error::argument("Plot::marker", reason));
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
                let reason = format!("there is no line style {sign:?}; use \"-\", \"--\", \":\", \"-.\" or \"none\"");
                return Err(Error::argument("Plot::linestyle", reason));
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
    let unknown = || {
        let reason = format!(
            "there is no colour {name:?}; use {}, one of matplotlib's such as \"tab:blue\" or \"C0\", or red, green \
             and blue in hexadecimal digits such as \"#1f77b4\"",
            COLORS.map(|(known, _, _)| format!("{known:?}")).join(", ")
        );
        Error::argument("Plot::color", reason)
    };
    named().or_else(tab).or_else(in_cycle).or_else(|| hexadecimal(name)).ok_or_else(unknown)
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
