//! Shapes and words as SVG.

use std::fmt::Write;

pub(super) type Point = (f64, f64);

/// How far the words stand from the place that is given for them.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
}

/// A drawing that is as large as what is in it.
#[derive(Default)]
pub(super) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// Colours on the ground, which is that of the client's theme: they are read on light and on dark ground.
pub(super) const RED: &str = "#e53935";
pub(super) const WORDS: &str = "#767676";
/// Words in cells and threads, which are light.
pub(super) const INK: &str = "#212121";
pub(super) const GREY: &str = "#9e9e9e";
pub(super) const LINE: &str = "#607d8b";

const MARGIN: f64 = 14.0;

impl Svg {
    fn reach(&mut self, (x, y): Point) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // A string takes everything.
        let _ = self.body.write_fmt(text);
    }

    pub fn rectangle(&mut self, (x, y): Point, (width, height): Point, fill: &str, stroke: &str, style: &str) {
        self.reach((x + width, y + height));
        self.write(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}" stroke="{stroke}" {style}/>"#
        ));
    }

    pub fn circle(&mut self, (x, y): Point, radius: f64, fill: &str, stroke: &str, style: &str) {
        self.reach((x + radius, y + radius));
        self.write(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{fill}" stroke="{stroke}" {style}/>"#
        ));
    }

    /// A line with a dot where it leads to.
    pub fn arrow(&mut self, from: Point, to: Point, colour: &str, style: &str) {
        self.line(from, to, colour, style);
        self.circle(to, 2.6, colour, "none", "");
    }

    pub fn line(&mut self, from: Point, to: Point, colour: &str, style: &str) {
        self.reach(from);
        self.reach(to);
        self.write(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" {style}/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    pub fn text(&mut self, (x, y): Point, anchor: Anchor, size: f64, colour: &str, words: &str) {
        // Letters are half as wide as high, or a little more.
        let width = words.chars().count() as f64 * size * 0.56;
        let (name, right) = match anchor {
            Anchor::Start => ("start", x + width),
            Anchor::Middle => ("middle", x + width / 2.0),
        };
        self.reach((right, y));
        let words = crate::rich::escaped(words);
        self.write(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{name}" font-size="{size}" fill="{colour}">{words}</text>"#
        ));
    }

    /// The whole drawing, on the ground that it is shown on.
    pub fn finish(self) -> String {
        let (width, height) = (self.width + 2.0 * MARGIN, self.height + 2.0 * MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"{0} {0} {width:.0} {height:.0}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">{1}</svg>",
            -MARGIN, self.body
        )
    }
}
