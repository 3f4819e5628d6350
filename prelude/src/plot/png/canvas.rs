//! A picture to draw on, by tiny-skia: lines, areas, markers, text.

use super::super::colormap::Rgb;
use super::super::look::{Marker, Stroke};
use super::layout::Box2;
use super::strokes::{Point, clipped, runs, thinned};
use super::text;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use std::collections::HashSet;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, PremultipliedColorU8, Rect,
    Shader, StrokeDash, Transform,
};

/// Where a text stands, seen from its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Above,
    Below,
    Left,
    Right,
    /// Below after the picture is turned by a quarter: from the bottom to the top, as labels beside an axis are read.
    Upright,
}

pub(super) struct Canvas {
    pixels: Pixmap,
}

impl Canvas {
    /// A transparent picture.
    pub fn new((width, height): (u32, u32)) -> Canvas {
        Canvas { pixels: Pixmap::new(width.max(1), height.max(1)).expect("a picture has at most 8192×8192 pixels") }
    }

    pub fn size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    /// Fills whole pixels.
    pub fn fill(&mut self, (left, top, width, height): (i32, i32, i32, i32), color: Rgb, alpha: f64) {
        if let Some(rectangle) = Rect::from_xywh(left as f32, top as f32, width as f32, height as f32) {
            let paint = Paint { anti_alias: false, ..paint(color, alpha) };
            self.pixels.fill_rect(rectangle, &paint, Transform::identity(), None);
        }
    }

    /// Draws a line of one pixel around a box.
    pub fn frame(&mut self, Box2 { left, top, width, height }: Box2, color: Rgb) {
        let [left, top, width, height] = [left, top, width, height].map(|pixels| pixels as i32);
        for side in [
            (left - 1, top - 1, width + 2, 1),
            (left - 1, top + height, width + 2, 1),
            (left - 1, top, 1, height),
            (left + width, top, 1, height),
        ] {
            self.fill(side, color, 1.0);
        }
    }

    /// Gives a pixel a colour; nothing happens outside of the picture.
    pub fn set(&mut self, x: i32, y: i32, [red, green, blue]: Rgb) {
        let (width, height) = self.size();
        let is_inside = (0..width as i32).contains(&x) && (0..height as i32).contains(&y);
        if let (true, Some(color)) = (is_inside, PremultipliedColorU8::from_rgba(red, green, blue, 255)) {
            self.pixels.pixels_mut()[y as usize * width as usize + x as usize] = color;
        }
    }

    /// Draws a curve, with a gap where a point has no place.
    pub fn curve(&mut self, points: &[Point], stroke: Stroke, color: Rgb) {
        let pen = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: if stroke.style.dashes().is_empty() { LineCap::Round } else { LineCap::Butt },
            line_join: LineJoin::Round,
            ..tiny_skia::Stroke::default()
        };
        let mut path = PathBuilder::new();
        for run in runs(points) {
            let run = thinned(run, self.size().0 as usize);
            // A single point is a dot.
            let pairs = if run.len() == 1 {
                vec![(run[0], run[0])]
            } else {
                run.iter().copied().zip(run[1..].iter().copied()).collect()
            };
            let mut end = None;
            for (from, to) in pairs {
                let Some((start, stop)) = clipped(from, to, self.size(), 2.0 * stroke.width) else { continue };
                if end != Some(from) || start != from {
                    path.move_to(start.0 as f32, start.1 as f32);
                }
                path.line_to(stop.0 as f32, stop.1 as f32);
                end = (stop == to).then_some(to);
            }
        }
        let dashes = stroke.style.dashes().iter().map(|part| (part * stroke.width) as f32).collect();
        if let Some(path) = path.finish() {
            // A curve with more dashes than can be counted is drawn without.
            let path = StrokeDash::new(dashes, 0.0).and_then(|dash| path.dash(&dash, 1.0)).unwrap_or(path);
            self.pixels.stroke_path(&path, &paint(color, 1.0), &pen, Transform::identity(), None);
        }
    }

    /// Fills what a closed line encloses.
    pub fn polygon(&mut self, points: &[Point], color: Rgb) {
        if let Some(path) = polygon(points) {
            self.pixels.fill_path(&path, &paint(color, 1.0), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// Draws markers of one diameter; of those at one place the last one.
    pub fn markers(&mut self, marker: Marker, size: f64, places: &[(Point, Rgb)]) {
        let Some(shape) = shape(marker, size) else { return };
        let (width, height) = self.size();
        let (right, bottom) = (f64::from(width) + size, f64::from(height) + size);
        let mut drawn = HashSet::new();
        // NaN lies nowhere.
        let is_near = |(x, y): Point| (-size..right).contains(&x) && (-size..bottom).contains(&y);
        // Of very many, there is one for each pixel.
        let parts = if places.len() > 100_000 { 1.0 } else { 2.0 };
        let mut is_last = |(x, y): Point| drawn.insert(((parts * x) as i32, (parts * y) as i32));
        let seen: Vec<_> = places.iter().rev().filter(|&&(place, _)| is_near(place) && is_last(place)).collect();
        for &((x, y), color) in seen.into_iter().rev() {
            let transform = Transform::from_translate(x as f32, y as f32);
            self.pixels.fill_path(&shape, &paint(color, 1.0), FillRule::Winding, transform, None);
        }
    }

    /// Writes a line of text.
    pub fn text(&mut self, text: &str, size: f64, (x, y): (i32, i32), anchor: Anchor, color: Rgb) {
        let Some(path) = text::outlines(text, size) else { return };
        let width = text::width(text, size);
        let (capital, descent) = (size * text::CAPITAL, size * text::DESCENT);
        let (left, line) = match anchor {
            Anchor::Above => (-width / 2.0, -descent),
            Anchor::Below | Anchor::Upright => (-width / 2.0, capital),
            Anchor::Left => (-width, capital / 2.0),
            Anchor::Right => (0.0, capital / 2.0),
        };
        // Lines on whole pixels make sharp letters.
        let place = Transform::from_translate(left.round() as f32, line.round() as f32);
        let turn = if anchor == Anchor::Upright { Transform::from_rotate(-90.0) } else { Transform::identity() };
        let transform = place.post_concat(turn).post_translate(x as f32, y as f32);
        self.pixels.fill_path(&path, &paint(color, 1.0), FillRule::Winding, transform, None);
    }

    /// Lays another picture over this one, more or less transparent.
    pub fn lay(&mut self, above: &Canvas, (x, y): (i32, i32), alpha: f64) {
        let paint = PixmapPaint { opacity: alpha as f32, ..PixmapPaint::default() };
        self.pixels.draw_pixmap(x, y, above.pixels.as_ref(), &paint, Transform::identity(), None);
    }

    /// How many pixels of a part of the picture are not transparent.
    pub fn covered(&self, (left, top, width, height): (i32, i32, i32, i32)) -> usize {
        let (whole, _) = self.size();
        let rows = self.pixels.pixels().chunks(whole as usize).skip(top.max(0) as usize).take(height.max(0) as usize);
        let parts = rows.flat_map(|row| row.iter().skip(left.max(0) as usize).take(width.max(0) as usize));
        parts.filter(|pixel| pixel.alpha() > 0).count()
    }

    /// The picture as a PNG file, on white.
    pub fn png(mut self) -> Vec<u8> {
        let (width, height) = self.size();
        let white = Paint { blend_mode: tiny_skia::BlendMode::DestinationOver, ..paint([255; 3], 1.0) };
        if let Some(whole) = Rect::from_xywh(0.0, 0.0, width as f32, height as f32) {
            self.pixels.fill_rect(whole, &white, Transform::identity(), None);
        }
        let colors: Vec<u8> =
            self.pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
        let mut png = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
        match encoder.write_image(&colors, width, height, ExtendedColorType::Rgb8) {
            Ok(()) => png,
            Err(error) => unreachable!("a vector takes every byte, and the buffer has the stated size: {error}"),
        }
    }
}

fn paint([red, green, blue]: Rgb, alpha: f64) -> Paint<'static> {
    let color = Color::from_rgba8(red, green, blue, (255.0 * alpha).round() as u8);
    Paint { shader: Shader::SolidColor(color), ..Paint::default() }
}

fn polygon(points: &[Point]) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    path.move_to(first.0 as f32, first.1 as f32);
    rest.iter().for_each(|point| path.line_to(point.0 as f32, point.1 as f32));
    path.close();
    path.finish()
}

/// A marker around (0, 0), to be filled.
fn shape(marker: Marker, size: f64) -> Option<Path> {
    let r = size / 2.0;
    let circle = |r: f64| PathBuilder::from_circle(0.0, 0.0, r as f32);
    let lines = |lines: &[[Point; 2]]| {
        let mut path = PathBuilder::new();
        for [from, to] in lines {
            path.move_to(from.0 as f32, from.1 as f32);
            path.line_to(to.0 as f32, to.1 as f32);
        }
        path.finish()?
            .stroke(&tiny_skia::Stroke { width: (size / 5.0).clamp(1.0, 4.0) as f32, ..Default::default() }, 1.0)
    };
    match marker {
        Marker::Circle => circle(r),
        Marker::Point => circle(r / 2.0),
        Marker::Square => polygon(&[(-r, -r), (r, -r), (r, r), (-r, r)]),
        Marker::Up => polygon(&[(0.0, -r), (r, r), (-r, r)]),
        Marker::Down => polygon(&[(0.0, r), (r, -r), (-r, -r)]),
        Marker::Diamond => polygon(&[(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)]),
        Marker::Cross => lines(&[[(-r, -r), (r, r)], [(-r, r), (r, -r)]]),
        Marker::Plus => lines(&[[(-r, 0.0), (r, 0.0)], [(0.0, -r), (0.0, r)]]),
        Marker::Dash => lines(&[[(-r, 0.0), (r, 0.0)]]),
        Marker::Bar => lines(&[[(0.0, -r), (0.0, r)]]),
    }
}
