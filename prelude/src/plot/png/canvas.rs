//! A picture in memory as a backend of `plotters`: lines, areas and text drawn by tiny-skia, at parts of pixels.

use super::strokes::Point;
use super::text;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageBuffer, ImageEncoder, PixelWithColorType, RgbImage, RgbaImage};
use plotters::coord::CoordTranslate;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;
use tiny_skia::{
    BlendMode, Color, ColorU8, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect,
    Shader, Stroke, StrokeDash, Transform,
};

/// What drawing returns: nothing can fail in memory.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<Infallible>>;

/// A canvas to draw elements of `plotters` on, at places in pixels.
pub(super) type Area<'a> = DrawingArea<Pen<'a>, Pixels>;

/// `plotters` has whole numbers for places and sizes: so many to a pixel.
const UNIT: f64 = 256.0;

/// `plotters` moves what is outside of an area to its edge. So areas are larger than any picture, by so many pixels on each
/// side.
const FAR: f64 = (1 << 21) as f64;

/// The coordinates of areas: pixels from the left upper corner of the canvas.
pub(super) struct Pixels;

impl CoordTranslate for Pixels {
    type From = Point;

    fn translate(&self, &(x, y): &Point) -> BackendCoord {
        let coordinate = |pixels: f64| ((pixels + FAR) * UNIT).round() as i32;
        (coordinate(x), coordinate(y))
    }
}

/// A length in pixels, for styles and elements of `plotters`.
pub(super) fn units(pixels: f64) -> u32 {
    (pixels * UNIT).round().clamp(1.0, f64::from(i32::MAX)) as u32
}

/// The pixels of a coordinate.
fn pixels((x, y): BackendCoord) -> (f32, f32) {
    let pixels = |coordinate: i32| (f64::from(coordinate) / UNIT - FAR) as f32;
    (pixels(x), pixels(y))
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

    /// The whole canvas, to draw on.
    pub fn area(&mut self) -> Area<'_> {
        self.area_with_dashes(&[])
    }

    /// The whole canvas, to draw lines with these lengths of strokes and gaps in turn, in widths of the line.
    pub fn area_with_dashes(&mut self, dashes: &'static [f64]) -> Area<'_> {
        Pen { canvas: self, dashes }.into_drawing_area().apply_coord_spec(Pixels)
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

    /// The picture with its transparency.
    pub fn transparent(self) -> RgbaImage {
        let (width, height) = self.size();
        let colors = self.pixels.pixels().iter().map(|pixel| pixel.demultiply());
        let colors = colors.flat_map(|color| [color.red(), color.green(), color.blue(), color.alpha()]).collect();
        match RgbaImage::from_raw(width, height, colors) {
            Some(pixels) => pixels,
            None => unreachable!("a picture has four bytes for each pixel"),
        }
    }

    /// The picture as a PNG file, on white.
    pub fn png(mut self) -> Vec<u8> {
        let (width, height) = self.size();
        let white = Paint {
            blend_mode: BlendMode::DestinationOver,
            ..paint(BackendColor { alpha: 1.0, rgb: (255, 255, 255) })
        };
        if let Some(whole) = Rect::from_xywh(0.0, 0.0, width as f32, height as f32) {
            self.pixels.fill_rect(whole, &white, Transform::identity(), None);
        }
        let colors: Vec<u8> =
            self.pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
        match RgbImage::from_raw(width, height, colors) {
            Some(pixels) => encoded(&pixels),
            None => unreachable!("a picture has three bytes for each pixel"),
        }
    }
}

/// Pixels as a PNG file.
pub(super) fn encoded<P: PixelWithColorType<Subpixel = u8>>(pixels: &ImageBuffer<P, Vec<u8>>) -> Vec<u8> {
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
    match encoder.write_image(pixels, pixels.width(), pixels.height(), P::COLOR_TYPE) {
        Ok(()) => png,
        Err(error) => unreachable!("a vector takes every byte, and the buffer has the stated size: {error}"),
    }
}

/// Draws on a canvas. The styles of `plotters` have no dashes: they are here.
pub(super) struct Pen<'a> {
    canvas: &'a mut Canvas,
    dashes: &'static [f64],
}

type Outcome = Result<(), DrawingErrorKind<Infallible>>;

impl Pen<'_> {
    fn fill(&mut self, path: Option<Path>, color: BackendColor, rule: FillRule) -> Outcome {
        if let Some(path) = path {
            self.canvas.pixels.fill_path(&path, &paint(color), rule, Transform::identity(), None);
        }
        Ok(())
    }

    fn stroke(&mut self, path: Option<Path>, style: &impl BackendStyle) -> Outcome {
        let Some(path) = path else { return Ok(()) };
        let width = (f64::from(style.stroke_width()) / UNIT) as f32;
        let line_cap = if self.dashes.is_empty() { LineCap::Round } else { LineCap::Butt };
        let stroke = Stroke { width, line_cap, line_join: LineJoin::Round, ..Stroke::default() };
        let dashes = self.dashes.iter().map(|&part| part as f32 * width).collect();
        // A curve with more dashes than can be counted is drawn without.
        let path = StrokeDash::new(dashes, 0.0).and_then(|dash| path.dash(&dash, 1.0)).unwrap_or(path);
        self.canvas.pixels.stroke_path(&path, &paint(style.color()), &stroke, Transform::identity(), None);
        Ok(())
    }
}

impl DrawingBackend for Pen<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.canvas.size();
        (units(f64::from(width) + 2.0 * FAR), units(f64::from(height) + 2.0 * FAR))
    }

    fn ensure_prepared(&mut self) -> Outcome {
        Ok(())
    }

    fn present(&mut self) -> Outcome {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Outcome {
        self.draw_rect((x, y), (x + UNIT as i32, y + UNIT as i32), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Outcome {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Outcome {
        let ((left, top), (right, bottom)) = (pixels(from), pixels(to));
        let Some(rectangle) = Rect::from_ltrb(left, top, right, bottom) else { return Ok(()) };
        let mut path = PathBuilder::new();
        if fill {
            path.push_rect(rectangle);
        } else {
            let half = (f64::from(style.stroke_width()) / UNIT / 2.0) as f32;
            let sides = [rectangle.outset(half, half), rectangle.inset(half, half)];
            sides.into_iter().flatten().for_each(|side| path.push_rect(side));
        }
        self.fill(path.finish(), style.color(), FillRule::EvenOdd)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Outcome {
        self.stroke(lines(path).finish(), style)
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Outcome {
        let (x, y) = pixels(center);
        let circle = PathBuilder::from_circle(x, y, (f64::from(radius) / UNIT) as f32);
        match fill {
            true => self.fill(circle, style.color(), FillRule::Winding),
            false => self.stroke(circle, style),
        }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Outcome {
        let mut path = lines(path);
        path.close();
        self.fill(path.finish(), style.color(), FillRule::Winding)
    }

    /// Writes a line of text in the font of plots. Above it is the top of a capital letter, below it the end of a `g`.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, place: BackendCoord) -> Outcome {
        let (size, width) = (style.size(), text::width(text, style.size()));
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let line = match style.anchor().v_pos {
            VPos::Top => size * text::CAPITAL,
            VPos::Center => size * text::CAPITAL / 2.0,
            VPos::Bottom => -size * text::DESCENT,
        };
        let ((x, y), turn) = (pixels(place), style.transform());
        let ((xx, xy), (yx, yy)) = (turn.transform(1, 0), turn.transform(0, 1));
        let turn = Transform::from_row(xx as f32, xy as f32, yx as f32, yy as f32, x, y);
        // Lines on whole pixels make sharp letters.
        let transform = Transform::from_translate(left.round() as f32, line.round() as f32).post_concat(turn);
        let outlines = text::outlines(text, size).and_then(|outlines| outlines.transform(transform));
        self.fill(outlines, style.color(), FillRule::Winding)
    }

    /// Draws pixels of red, green and blue.
    fn blit_bitmap(&mut self, place: BackendCoord, (width, height): (u32, u32), colors: &[u8]) -> Outcome {
        let (x, y) = pixels(place);
        let (left, top, width) = (x.round() as i64, y.round() as i64, width as usize);
        let (across, down) = self.canvas.size();
        let column = |column: i64| column.clamp(0, width as i64) as usize;
        let shown = column(-left)..column(i64::from(across) - left);
        let pixels = self.canvas.pixels.pixels_mut();
        let rows = colors.chunks_exact(3 * width.max(1)).take(height as usize).zip(top..);
        for (row, y) in rows.filter(|(_, y)| (0..i64::from(down)).contains(y) && !shown.is_empty()) {
            let first = (y * i64::from(across) + left + shown.start as i64) as usize;
            let targets = &mut pixels[first..first + shown.len()];
            for (pixel, color) in targets.iter_mut().zip(row[3 * shown.start..].chunks_exact(3)) {
                *pixel = ColorU8::from_rgba(color[0], color[1], color[2], 255).premultiply();
            }
        }
        Ok(())
    }
}

fn paint(BackendColor { alpha, rgb: (red, green, blue) }: BackendColor) -> Paint<'static> {
    let color = Color::from_rgba8(red, green, blue, (255.0 * alpha).round() as u8);
    Paint { shader: Shader::SolidColor(color), ..Paint::default() }
}

/// Straight lines from point to point.
fn lines(points: impl IntoIterator<Item = BackendCoord>) -> PathBuilder {
    let mut path = PathBuilder::new();
    for (x, y) in points.into_iter().map(pixels) {
        // The first one begins the path.
        if path.is_empty() { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path
}
