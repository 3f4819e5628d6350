//! Text as outlines. The font is part of the library: a notebook server need not have any.

use ab_glyph::{Font, FontRef, GlyphId, OutlineCurve};
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};

/// What a cell needs that draws with `plotters` itself, too.
pub(crate) static DEJAVU_SANS: &[u8] = include_bytes!("../../../../assets/fonts/DejaVuSans-subset.ttf");

static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::try_from_slice(DEJAVU_SANS).expect("the embedded font is a whole TrueType file"));

/// How high a digit or a capital letter is, in parts of the font's size.
pub(super) const CAPITAL: f64 = 0.73;
/// How far letters such as `g` go below the line, in parts of the font's size.
pub(super) const DESCENT: f64 = 0.24;

/// The width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    glyphs(text).last().map_or(0.0, |(at, glyph)| f64::from(at + FONT.h_advance_unscaled(glyph)) * scale(size))
}

/// The outlines of a text that begins at (0, 0). Glyphs are placed at parts of pixels, closer where the font says so for a
/// pair, as for "AV".
pub(super) fn outlines(text: &str, size: f64) -> Option<Path> {
    let scale = scale(size) as f32;
    let mut path = PathBuilder::new();
    for (at, glyph) in glyphs(text) {
        let mut end = None;
        for curve in FONT.outline(glyph).into_iter().flat_map(|outline| outline.curves) {
            // A TrueType font has lines and curves with one control point.
            let (from, control, to) = match curve {
                OutlineCurve::Line(from, to) => (from, to, to),
                OutlineCurve::Quad(from, control, to) | OutlineCurve::Cubic(from, _, control, to) => {
                    (from, control, to)
                }
            };
            let [from, control, to] = [from, control, to].map(|point| ((at + point.x) * scale, -point.y * scale));
            if end != Some(from) {
                path.move_to(from.0, from.1);
            }
            path.quad_to(control.0, control.1, to.0, to.1);
            end = Some(to);
        }
    }
    path.finish()
}

/// Glyphs with their places, in units of the font.
fn glyphs(text: &str) -> impl Iterator<Item = (f32, GlyphId)> {
    let mut end = 0.0;
    let mut before = None;
    text.chars().map(move |character| {
        let glyph = FONT.glyph_id(character);
        let at = end + before.map_or(0.0, |before| FONT.kern_unscaled(before, glyph));
        before = Some(glyph);
        end = at + FONT.h_advance_unscaled(glyph);
        (at, glyph)
    })
}

/// Pixels of one unit of the font.
fn scale(size: f64) -> f64 {
    size / f64::from(FONT.units_per_em().unwrap_or(1000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_kerned() {
        let apart = width("A", 100.0) + width("V", 100.0);
        assert!(width("AV", 100.0) < apart - 5.0, "{} and {apart}", width("AV", 100.0));
        assert_eq!(width("", 12.0), 0.0);
    }

    #[test]
    fn glyphs_have_the_gaps_that_the_font_gives_them() {
        // Once the space before each glyph was lost: "sampl es".
        let left = |text: &str| outlines(text, 2048.0).unwrap().bounds().left();
        let bearing = FONT.h_side_bearing_unscaled(FONT.glyph_id('l'));
        assert!(bearing > 100.0 && (left("l") - bearing).abs() < 1.0, "{} and {bearing}", left("l"));
        let right = |text: &str| outlines(text, 2048.0).unwrap().bounds().right();
        assert!((right("le") - f64::from(right("e")) as f32 - width("l", 2048.0) as f32).abs() < 1.0);
        assert!(outlines("  ", 12.0).is_none());
    }
}
