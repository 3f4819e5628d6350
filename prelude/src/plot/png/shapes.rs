//! What charts are made of, as elements of `plotters`: curves, markers, boxes, pictures and text. Places are in pixels.

use super::super::colormap::Rgb;
use super::super::look::{Marker, Stroke};
use super::canvas::{Area, Canvas, Drawn, units};
use super::layout::Box2;
use super::strokes::{Point, visible};
use plotters::element::{BitMapElement, Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor};

/// Where a text stands, seen from its place.
pub(super) const ABOVE: Pos = Pos { h_pos: HPos::Center, v_pos: VPos::Bottom };
pub(super) const BELOW: Pos = Pos { h_pos: HPos::Center, v_pos: VPos::Top };
pub(super) const LEFT: Pos = Pos { h_pos: HPos::Right, v_pos: VPos::Center };
pub(super) const RIGHT: Pos = Pos { h_pos: HPos::Left, v_pos: VPos::Center };

/// Fills whole pixels.
pub(super) fn fill(area: &Area, place: (i32, i32, i32, i32), color: Rgb, alpha: f64) -> Drawn {
    let (left, top, width, height) = place;
    let corners = [(left, top), (left + width, top + height)].map(|(x, y)| (f64::from(x), f64::from(y)));
    area.draw(&Rectangle::new(corners, ink(color).mix(alpha).filled()))
}

/// Draws a line of one pixel around a box.
pub(super) fn frame(area: &Area, Box2 { left, top, width, height }: Box2, color: Rgb) -> Drawn {
    let (left, top) = (f64::from(left) - 0.5, f64::from(top) - 0.5);
    let corners = [(left, top), (left + f64::from(width) + 1.0, top + f64::from(height) + 1.0)];
    area.draw(&Rectangle::new(corners, ink(color).stroke_width(units(1.0))))
}

/// Draws a curve, with a gap where a point has no place.
pub(super) fn curve(canvas: &mut Canvas, points: &[Point], stroke: Stroke, color: Rgb) -> Drawn {
    let parts = visible(points, canvas.size(), 2.0 * stroke.width);
    let (area, style) = (canvas.area_with_dashes(stroke.style.dashes()), ink(color).stroke_width(units(stroke.width)));
    parts.into_iter().try_for_each(|part| area.draw(&PathElement::new(part, style)))
}

/// Fills what a closed line encloses.
pub(super) fn polygon(area: &Area, points: Vec<Point>, color: Rgb) -> Drawn {
    area.draw(&Polygon::new(points, ink(color)))
}

/// Draws a marker of this diameter.
pub(super) fn marker(area: &Area, marker: Marker, size: f64, (x, y): Point, color: Rgb) -> Drawn {
    let r = size / 2.0;
    let circle = |r: f64| area.draw(&Circle::new((x, y), units(r), ink(color).filled()));
    let polygon = |corners: &[Point]| polygon(area, corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect(), color);
    // Between a point and the one opposite to it.
    let line = |dx: f64, dy: f64| {
        let half = (size / 10.0).clamp(0.5, 2.0) / dx.hypot(dy);
        let (across, down) = (-dy * half, dx * half);
        polygon(&[
            (dx + across, dy + down),
            (dx - across, dy - down),
            (-dx - across, -dy - down),
            (-dx + across, -dy + down),
        ])
    };
    match marker {
        Marker::Circle => circle(r),
        Marker::Point => circle(r / 2.0),
        Marker::Square => polygon(&[(-r, -r), (r, -r), (r, r), (-r, r)]),
        Marker::Up => polygon(&[(0.0, -r), (r, r), (-r, r)]),
        Marker::Down => polygon(&[(0.0, r), (r, -r), (-r, -r)]),
        Marker::Diamond => polygon(&[(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)]),
        Marker::Cross => line(r, r).and_then(|()| line(r, -r)),
        Marker::Plus => line(r, 0.0).and_then(|()| line(0.0, r)),
        Marker::Dash => line(r, 0.0),
        Marker::Bar => line(0.0, r),
    }
}

/// Draws a picture of so many columns and rows of pixels, row by row.
pub(super) fn picture(
    area: &Area,
    (left, top): (i32, i32),
    size: (u32, u32),
    colors: impl Iterator<Item = Rgb>,
) -> Drawn {
    let place = (f64::from(left), f64::from(top));
    match BitMapElement::with_owned_buffer(place, size, colors.flatten().collect()) {
        Some(picture) => area.draw(&picture),
        None => unreachable!("there is a colour for each pixel"),
    }
}

/// Writes a line of text.
pub(super) fn write(area: &Area, text: &str, size: f64, place: (i32, i32), at: Pos, color: Rgb) -> Drawn {
    write_turned(area, text, size, place, (at, FontTransform::None), color)
}

/// Writes a line of text from the bottom to the top, right of its place, as labels beside an axis are read.
pub(super) fn write_upright(area: &Area, text: &str, size: f64, place: (i32, i32), color: Rgb) -> Drawn {
    write_turned(area, text, size, place, (BELOW, FontTransform::Rotate270), color)
}

fn write_turned(
    area: &Area,
    text: &str,
    size: f64,
    (x, y): (i32, i32),
    (at, turn): (Pos, FontTransform),
    color: Rgb,
) -> Drawn {
    let font = FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal).transform(turn);
    area.draw(&Text::new(text, (f64::from(x), f64::from(y)), font.color(&ink(color)).pos(at)))
}

fn ink([red, green, blue]: Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}
