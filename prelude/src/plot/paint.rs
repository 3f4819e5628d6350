//! Draws a [`Plot`](super::chart::Plot): where its parts lie, the axes, the legend. What lies between the axes is drawn
//! three times as large and then reduced, which makes lines smooth.

use super::axis::Axis;
use super::chart::Chart;
use super::colormap::Rgb;
use super::draw::{Box2, GAP, INK, LABEL, MARGIN, TICK, TITLE, encoded, text_height, text_width};
use super::font;
use super::series::{Bar, Kind, LineStyle, Marker, Series};
use super::strokes::{Point, clipped, dashes, runs, thinned};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::collections::HashSet;

const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Plots of more pixels are not smoothed: they are fine enough, and would take much memory.
const MOST_SMOOTHED: u32 = 4_000_000;
const LEGEND_SAMPLE: i32 = 26;

type Canvas<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

/// Where the parts lie, and the ticks.
struct Layout {
    /// What the axes enclose.
    inside: Box2,
    x: Axis,
    y: Axis,
    /// Places from 0 to 1 with their labels.
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
}

/// The plot as a PNG file.
pub(super) fn png(chart: &Chart) -> Vec<u8> {
    let (width, height) = chart.size;
    let mut pixels = vec![0xff; 3 * width as usize * height as usize];
    let layout = layout(chart);
    let inside = Inside::new(chart, &layout);
    let occupied = inside.draw(&mut pixels);
    // Drawing into memory with an embedded font does not fail.
    let area = BitMapBackend::with_buffer(&mut pixels, chart.size).into_drawing_area();
    draw_axes(&area, chart, &layout);
    draw_legend(&area, chart, layout.inside, &occupied);
    drop(area);
    encoded(&pixels, chart.size)
}

fn layout(chart: &Chart) -> Layout {
    font::register();
    let (width, height) = chart.size;
    let line = text_height(LABEL);
    let (x, y) = chart.axes();
    let label = |label: &Option<String>| if label.is_some() { line + 2 * GAP } else { 0 };
    let top = MARGIN + if chart.title.is_some() { text_height(TITLE) + GAP + 2 } else { line / 2 };
    let bottom = TICK + GAP + line + label(&chart.xlabel) + MARGIN;
    let inner_height = height.saturating_sub(top + bottom).max(1);
    let y_ticks = ticks(&y, (inner_height / (3 * line)).clamp(2, 9) as usize);
    let widest = y_ticks.iter().map(|(_, label)| text_width(label, LABEL)).max().unwrap_or(0);
    let left = (MARGIN + label(&chart.ylabel) + widest + GAP + TICK).min(width / 2);
    let right = MARGIN + 12;
    let inner_width = width.saturating_sub(left + right).max(1);
    let x_ticks = match chart.names.len() {
        0 => ticks(&x, (inner_width / 80).clamp(2, 9) as usize),
        _ => named_ticks(&chart.names, &x, inner_width),
    };
    Layout { inside: Box2 { left, top, width: inner_width, height: inner_height }, x, y, x_ticks, y_ticks }
}

fn ticks(axis: &Axis, most: usize) -> Vec<(f64, String)> {
    let placed = axis.ticks(most).into_iter().map(|(value, label)| (axis.place(value), label));
    placed.filter(|(place, _)| (-1e-9..=1.0 + 1e-9).contains(place)).collect()
}

/// Every name, or if there is no room, each second, third …
fn named_ticks(names: &[String], axis: &Axis, width: u32) -> Vec<(f64, String)> {
    let distance = (axis.place(1.0) - axis.place(0.0)) * f64::from(width);
    let widest = names.iter().map(|name| text_width(name, LABEL)).max().unwrap_or(0) + 8;
    let step = ((f64::from(widest) / distance.max(1e-3)).ceil() as usize).clamp(1, names.len());
    let placed = names.iter().enumerate().step_by(step).map(|(index, name)| (axis.place(index as f64), name.clone()));
    placed.filter(|(place, _)| (0.0..=1.0).contains(place)).collect()
}

/// What lies between the axes.
struct Inside<'a> {
    chart: &'a Chart,
    layout: &'a Layout,
    /// How many times as large it is drawn.
    factor: u32,
    width: u32,
    height: u32,
}

impl<'a> Inside<'a> {
    fn new(chart: &'a Chart, layout: &'a Layout) -> Inside<'a> {
        let Box2 { width, height, .. } = layout.inside;
        let factor = if width * height > MOST_SMOOTHED { 1 } else { 3 };
        Inside { chart, layout, factor, width: factor * width, height: factor * height }
    }

    /// Draws into the plot's pixels; gives places where something is, in pixels from the left upper corner.
    fn draw(&self, pixels: &mut [u8]) -> Vec<Point> {
        let mut occupied = Vec::new();
        let mut buffer = vec![0xff; 3 * self.width as usize * self.height as usize];
        if self.chart.grid {
            self.draw_grid(&mut buffer);
        }
        for series in &self.chart.series {
            let before = if series.alpha < 1.0 { buffer.clone() } else { Vec::new() };
            self.draw_series(series, &mut buffer, &mut occupied);
            for (pixel, old) in buffer.iter_mut().zip(before) {
                *pixel = (series.alpha * f64::from(*pixel) + (1.0 - series.alpha) * f64::from(old)).round() as u8;
            }
        }
        self.reduce(&buffer, pixels);
        let factor = f64::from(self.factor);
        occupied.iter().map(|(x, y)| (x / factor, y / factor)).collect()
    }

    /// Each pixel of the plot is the mean of those that were drawn for it.
    fn reduce(&self, buffer: &[u8], pixels: &mut [u8]) {
        let Box2 { left, top, width, height } = self.layout.inside;
        let factor = self.factor as usize;
        let count = (factor * factor) as u32;
        for y in 0..height as usize {
            let start = 3 * ((top as usize + y) * self.chart.size.0 as usize + left as usize);
            let Some(row) = pixels.get_mut(start..start + 3 * width as usize) else { return };
            for (index, part) in row.iter_mut().enumerate() {
                let (x, channel) = (index / 3, index % 3);
                let sum: u32 = (0..count as usize)
                    .map(|cell| {
                        let (row, column) = (y * factor + cell / factor, x * factor + cell % factor);
                        u32::from(buffer[3 * (row * self.width as usize + column) + channel])
                    })
                    .sum();
                *part = ((sum + count / 2) / count) as u8;
            }
        }
    }

    fn canvas<'b>(&self, buffer: &'b mut [u8]) -> Canvas<'b> {
        BitMapBackend::with_buffer(buffer, (self.width, self.height)).into_drawing_area()
    }

    fn draw_grid(&self, buffer: &mut [u8]) {
        let canvas = self.canvas(buffer);
        let (right, bottom) = (self.width as i32 - 1, self.height as i32 - 1);
        let half = self.factor as i32 / 2;
        let fill = |from, to| shape(&canvas, &Rectangle::new([from, to], GRID.filled()));
        for (place, _) in &self.layout.x_ticks {
            let x = (place * f64::from(right)).round() as i32;
            fill((x - half, 0), (x + half, bottom));
        }
        for (place, _) in &self.layout.y_ticks {
            let y = ((1.0 - place) * f64::from(bottom)).round() as i32;
            fill((0, y - half), (right, y + half));
        }
    }

    fn place(&self, x: f64, y: f64) -> Point {
        let (right, bottom) = (f64::from(self.width) - 1.0, f64::from(self.height) - 1.0);
        (self.layout.x.place(x) * right, (1.0 - self.layout.y.place(y)) * bottom)
    }

    fn draw_series(&self, series: &Series, buffer: &mut [u8], occupied: &mut Vec<Point>) {
        let canvas = self.canvas(buffer);
        if let Some(bars) = series.bars() {
            for bar in bars {
                self.draw_bar(&canvas, bar, series.color, occupied);
            }
            return;
        }
        let Kind::Points { x, y } = &series.kind else { return };
        let points: Vec<Point> = x.iter().zip(y).map(|(&x, &y)| self.place(x, y)).collect();
        if let Some(style) = series.line {
            let width = series.line_width * f64::from(self.factor);
            for run in runs(&points) {
                let run = thinned(run, self.width as usize);
                draw_curve(&canvas, &run, (self.width, self.height), style, width, series.color);
                occupied.extend(run);
            }
        }
        if let Some(marker) = series.marker {
            let size = series.marker_size * f64::from(self.factor);
            let margin = size + 1.0;
            let (right, bottom) = (f64::from(self.width) + margin, f64::from(self.height) + margin);
            let mut drawn = HashSet::new();
            for &(x, y) in &points {
                // NaN lies nowhere.
                let is_near = (-margin..right).contains(&x) && (-margin..bottom).contains(&y);
                if is_near && drawn.insert((x.round() as i32, y.round() as i32)) {
                    draw_marker(&canvas, marker, (x, y), size, series.color);
                    occupied.push((x, y));
                }
            }
        }
    }

    fn draw_bar(&self, canvas: &Canvas<'_>, bar: Bar, color: Rgb, occupied: &mut Vec<Point>) {
        if !bar.height.is_finite() {
            return;
        }
        let (left, end) = self.place(bar.left, bar.height);
        let (right, ground) = self.place(bar.right, 0.0);
        let (width, bottom) = (f64::from(self.width), f64::from(self.height));
        // On a logarithmic axis 0 is infinitely far down, and so is what is below it.
        let down = |y: f64| if y.is_nan() { bottom + 1.0 } else { y.clamp(-1.0, bottom + 1.0) };
        let (end, ground) = (down(end), down(ground));
        if left.is_nan() || right.is_nan() || right < 0.0 || left > width || end == ground {
            return;
        }
        let left = left.clamp(-1.0, width).round() as i32;
        let right = (right.clamp(-1.0, width + 1.0).round() as i32).max(left + 1);
        let (top, low) = (end.min(ground).round() as i32, end.max(ground).round() as i32);
        shape(canvas, &Rectangle::new([(left, top), (right, low)], style(color).filled()));
        for step in 0..=10 {
            let y = f64::from(top) + f64::from(low - top) * f64::from(step) / 10.0;
            occupied.extend([left, (left + right) / 2, right].map(|x| (f64::from(x), y)));
        }
    }
}

fn style(color: Rgb) -> RGBColor {
    RGBColor(color[0], color[1], color[2])
}

/// Draws something into memory, which does not fail.
fn shape<'a, 'b: 'a, E>(canvas: &Canvas<'b>, element: &'a E)
where
    for<'c> &'c E: plotters::element::PointCollection<'c, (i32, i32)>,
    E: plotters::element::Drawable<BitMapBackend<'b>>,
{
    if let Err(error) = canvas.draw(element) {
        unreachable!("drawing into memory does not fail: {error}");
    }
}

fn draw_curve(canvas: &Canvas<'_>, run: &[Point], size: (u32, u32), line: LineStyle, width: f64, color: Rgb) {
    let pen = style(color).stroke_width(width.round().max(1.0) as u32);
    let round = |(x, y): Point| (x.round() as i32, y.round() as i32);
    let strokes = dashes(run, line.dashes(), width);
    for stroke in &strokes {
        for pair in stroke.windows(2) {
            let Some((from, to)) = clipped(pair[0], pair[1], size, 2.0 * width) else { continue };
            shape(canvas, &PathElement::new([round(from), round(to)], pen));
            // Fills the gap between this stroke and the next one, which may turn.
            if width > 2.0 && line == LineStyle::Solid {
                for end in [from, to] {
                    shape(canvas, &Circle::new(round(end), (width / 2.0) as i32, style(color).filled()));
                }
            }
        }
    }
    if let ([only], true) = (run, width > 1.0) {
        draw_marker(canvas, Marker::Point, *only, 2.0 * width, color);
    }
}

fn draw_marker(canvas: &Canvas<'_>, marker: Marker, (x, y): Point, size: f64, color: Rgb) {
    let (x, y, r) = (x.round() as i32, y.round() as i32, (size / 2.0).round().max(1.0) as i32);
    let fill = style(color).filled();
    let pen = style(color).stroke_width((size / 5.0).round().max(1.0) as u32);
    let line = |from, to| shape(canvas, &PathElement::new([from, to], pen));
    match marker {
        Marker::Circle => shape(canvas, &Circle::new((x, y), r, fill)),
        Marker::Point => shape(canvas, &Circle::new((x, y), (r / 2).max(1), fill)),
        Marker::Square => shape(canvas, &Rectangle::new([(x - r, y - r), (x + r, y + r)], fill)),
        Marker::Up => shape(canvas, &Polygon::new(vec![(x, y - r), (x + r, y + r), (x - r, y + r)], fill)),
        Marker::Down => shape(canvas, &Polygon::new(vec![(x, y + r), (x + r, y - r), (x - r, y - r)], fill)),
        Marker::Diamond => {
            shape(canvas, &Polygon::new(vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)], fill));
        }
        Marker::Cross => {
            line((x - r, y - r), (x + r, y + r));
            line((x - r, y + r), (x + r, y - r));
        }
        Marker::Plus => {
            line((x - r, y), (x + r, y));
            line((x, y - r), (x, y + r));
        }
    }
}

fn text(canvas: &Canvas<'_>, text: &str, size: f64, place: (i32, i32), pos: Pos) {
    let style = TextStyle::from((font::FAMILY, size).into_font()).color(&INK).pos(pos);
    if let Err(error) = canvas.draw_text(text, &style, place) {
        unreachable!("drawing into memory with an embedded font does not fail: {error}");
    }
}

/// Draws the frame, ticks, labels and the title.
fn draw_axes(canvas: &Canvas<'_>, chart: &Chart, layout: &Layout) {
    let Box2 { left, top, width, height } = layout.inside;
    let [left, top, width, height] = [left, top, width, height].map(|pixels| pixels as i32);
    let (tick, gap, bottom) = (TICK as i32, GAP as i32, top + height);
    let line = |from, to| shape(canvas, &PathElement::new([from, to], INK));
    shape(canvas, &Rectangle::new([(left - 1, top - 1), (left + width, bottom)], INK));
    let across = |place: f64| left + (place * f64::from(width - 1)).round() as i32;
    let down = |place: f64| top + ((1.0 - place) * f64::from(height - 1)).round() as i32;
    for (place, label) in &layout.x_ticks {
        let x = across(*place);
        line((x, bottom), (x, bottom + tick));
        text(canvas, label, LABEL, (x, bottom + tick + gap), Pos::new(HPos::Center, VPos::Top));
    }
    for (place, label) in &layout.y_ticks {
        let y = down(*place);
        line((left - 1 - tick, y), (left - 1, y));
        text(canvas, label, LABEL, (left - 1 - tick - gap, y), Pos::new(HPos::Right, VPos::Center));
    }
    let is_inside = |place: &f64| (0.0..=1.0).contains(place);
    for place in layout.x.minor_ticks().iter().map(|&value| layout.x.place(value)).filter(is_inside) {
        line((across(place), bottom), (across(place), bottom + tick / 2));
    }
    for place in layout.y.minor_ticks().iter().map(|&value| layout.y.place(value)).filter(is_inside) {
        line((left - 1 - tick / 2, down(place)), (left - 1, down(place)));
    }
    let middle = (left + width / 2, top + height / 2);
    if let Some(title) = &chart.title {
        text(canvas, title, TITLE, (middle.0, top - gap - 4), Pos::new(HPos::Center, VPos::Bottom));
    }
    if let Some(label) = &chart.xlabel {
        let y = chart.size.1 as i32 - MARGIN as i32 + 2;
        text(canvas, label, LABEL, (middle.0, y), Pos::new(HPos::Center, VPos::Bottom));
    }
    if let Some(label) = &chart.ylabel {
        let font = (font::FAMILY, LABEL).into_font().transform(FontTransform::Rotate270);
        let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
        if let Err(error) = canvas.draw_text(label, &style, (MARGIN as i32 - 4, middle.1)) {
            unreachable!("drawing into memory with an embedded font does not fail: {error}");
        }
    }
}

/// Draws the legend where it hides least.
fn draw_legend(canvas: &Canvas<'_>, chart: &Chart, inside: Box2, occupied: &[Point]) {
    let entries: Vec<(&Series, &String)> =
        chart.series.iter().filter_map(|series| Some((series, series.label.as_ref()?))).collect();
    if entries.is_empty() || !chart.legend {
        return;
    }
    const PADDING: i32 = 7;
    let row = text_height(LABEL) as i32 + 5;
    let widest = entries.iter().map(|(_, label)| text_width(label, LABEL)).max().unwrap_or(0) as i32;
    let (width, height) = (widest + LEGEND_SAMPLE + 3 * PADDING, row * entries.len() as i32 + 2 * PADDING - 4);
    let (free_width, free_height) = (inside.width as i32 - width - 8, inside.height as i32 - height - 8);
    // Corners first: of places that hide equally much the first one is taken.
    let places = [
        (free_width, 8),
        (8, 8),
        (8, free_height),
        (free_width, free_height),
        (free_width / 2, 8),
        (free_width, free_height / 2),
        (8, free_height / 2),
        (free_width / 2, free_height),
    ];
    let hidden = |&(left, top): &(i32, i32)| {
        let (across, down) = (f64::from(left)..f64::from(left + width), f64::from(top)..f64::from(top + height));
        occupied.iter().filter(|(x, y)| across.contains(x) && down.contains(y)).count()
    };
    let Some(&(left, top)) = places.iter().min_by_key(|place| hidden(place)) else { return };
    let (left, top) = (inside.left as i32 + left.max(0), inside.top as i32 + top.max(0));
    let corner = (left + width, top + height);
    shape(canvas, &Rectangle::new([(left, top), corner], WHITE.mix(0.85).filled()));
    shape(canvas, &Rectangle::new([(left, top), corner], RGBColor(0xcc, 0xcc, 0xcc)));
    for ((series, label), index) in entries.into_iter().zip(0..) {
        let y = top + PADDING + row * index + row / 2 - 2;
        let from = left + PADDING;
        draw_sample(canvas, series, (from, y));
        text(canvas, label, LABEL, (from + LEGEND_SAMPLE + PADDING, y), Pos::new(HPos::Left, VPos::Center));
    }
}

/// A short piece of line, a marker or a bar, as in the plot.
fn draw_sample(canvas: &Canvas<'_>, series: &Series, (left, y): (i32, i32)) {
    let mixed = series.color.map(|part| (series.alpha * f64::from(part) + (1.0 - series.alpha) * 255.0).round() as u8);
    if !matches!(series.kind, Kind::Points { .. }) {
        let corners = [(left + 2, y - 5), (left + LEGEND_SAMPLE - 2, y + 5)];
        return shape(canvas, &Rectangle::new(corners, style(mixed).filled()));
    }
    let (from, to) = ((f64::from(left), f64::from(y)), (f64::from(left + LEGEND_SAMPLE), f64::from(y)));
    if let Some(line) = series.line {
        let width = series.line_width.clamp(1.0, 8.0);
        for stroke in dashes(&[from, to], line.dashes(), width) {
            let ends = [stroke[0], stroke[stroke.len() - 1]].map(|(x, y)| (x.round() as i32, y as i32));
            shape(canvas, &PathElement::new(ends, style(mixed).stroke_width(width.round() as u32)));
        }
    }
    if let Some(marker) = series.marker {
        let middle = ((from.0 + to.0) / 2.0, from.1);
        draw_marker(canvas, marker, middle, series.marker_size.clamp(3.0, 12.0), mixed);
    }
}
