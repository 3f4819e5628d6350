//! Charts as PNG files, drawn with `plotters`.

mod canvas;
mod layout;
mod shapes;
mod strokes;
mod text;

use super::chart::{Chart, Series};
use super::colormap::{MISSING, Rgb};
use super::colors::Colors;
use super::image::Image;
use super::look::Stroke;
use super::mark::{Bar, Direction, Mark};
use ::image::RgbImage;
use ::image::imageops::{self, FilterType};
use canvas::{Area, Canvas, Drawn};
pub(super) use layout::{Box2, Layout, layout, size};
use layout::{GAP, LABEL, LINE, MARGIN, TICK, TITLE, TITLE_LINE, label_width};
use shapes::{ABOVE, BELOW, LEFT, RIGHT, fill, frame};
use std::ops::Range;
use strokes::Point;
pub(super) use strokes::ends_and_extremes;
pub(crate) use text::DEJAVU_SANS;

const INK: Rgb = [0x26; 3];
const GRID: Rgb = [0xdd; 3];
const LEGEND_FRAME: Rgb = [0xcc; 3];
const LEGEND_SAMPLE: i32 = 26;

/// The chart as a PNG file.
pub(super) fn of_chart(chart: &Chart) -> Vec<u8> {
    let (width, height) = size(chart);
    png((width, height), |canvas| draw(chart, Box2 { left: 0, top: 0, width, height }, canvas))
}

/// Charts side by side, row by row, as a PNG file.
pub(super) fn of_grid(shape: (usize, usize), charts: &[Chart], title: Option<&str>, size: (u32, u32)) -> Vec<u8> {
    let whole = Box2 { left: 0, top: 0, width: size.0, height: size.1 };
    let room = if title.is_some() { MARGIN + TITLE_LINE + GAP } else { 0 };
    let (rows, columns) = (shape.0 as u32, shape.1 as u32);
    let (width, height) = (size.0 / columns, size.1.saturating_sub(room) / rows);
    png(size, |canvas| {
        for (chart, index) in charts.iter().zip(0..) {
            let (left, top) = (index % columns * width, room + index / columns * height);
            draw(chart, Box2 { left, top, width, height }, canvas)?;
        }
        let below = (size.0 as i32 / 2, room as i32);
        title.map_or(Ok(()), |title| draw_title(&canvas.area(), title, whole, below))
    })
}

/// An image alone, in so many rows and columns of pixels, as a PNG file.
pub(super) fn of_image(series: &Series, image: &Image, size: (usize, usize)) -> Vec<u8> {
    canvas::encoded(&pixels_of_image(series, image, size))
}

/// The same as pixels.
pub(super) fn pixels_of_image(series: &Series, image: &Image, (rows, columns): (usize, usize)) -> RgbImage {
    let mut values = image.resampled((rows, columns), 0..rows, 0..columns);
    if image.place.is_upward {
        values = values.chunks(columns * image.channels).rev().flatten().copied().collect();
    }
    let color_of = colors_of(series);
    let colors = values.chunks(image.channels).flat_map(|element| color_of_element(&color_of, element)).collect();
    match RgbImage::from_raw(columns as u32, rows as u32, colors) {
        Some(pixels) => pixels,
        None => unreachable!("there is a colour for each pixel"),
    }
}

fn png(size: (u32, u32), draw: impl FnOnce(&mut Canvas) -> Drawn) -> Vec<u8> {
    let mut canvas = Canvas::new(size);
    match draw(&mut canvas) {
        Ok(()) => canvas.png(),
        Err(error) => unreachable!("a picture in memory can be drawn on: {error}"),
    }
}

/// Draws a chart into a part of a picture.
fn draw(chart: &Chart, whole: Box2, canvas: &mut Canvas) -> Drawn {
    let layout = layout(chart, whole);
    let Box2 { left, top, width, height } = layout.inside;
    let mut inside = Canvas::new((width, height));
    for series in &chart.series {
        draw_series(&layout, series, &series.marks(), &mut inside)?;
    }
    if chart.grid {
        draw_grid(&canvas.area(), &layout)?;
    }
    canvas.lay(&inside, (left as i32, top as i32), 1.0);
    draw_axes(&canvas.area(), chart, &layout, whole)?;
    if let (Some(colors), Some((place, ticks))) = (chart.colorbar(), &layout.bar) {
        draw_bar(&canvas.area(), colors, *place, ticks, layout.bar_label_distance as i32)?;
    }
    draw_legend(canvas, chart, &layout, &inside)
}

/// Draws the marks of a series on a canvas that is what lies within the axes.
fn draw_series(layout: &Layout, series: &Series, marks: &[Mark], inside: &mut Canvas) -> Drawn {
    let place = PlacedSeries { layout, series };
    if series.look.alpha == 1.0 {
        return marks.iter().try_for_each(|mark| place.draw(mark, inside));
    }
    let mut layer = Canvas::new(inside.size());
    marks.iter().try_for_each(|mark| place.draw(mark, &mut layer))?;
    inside.lay(&layer, (0, 0), series.look.alpha);
    Ok(())
}

/// Series on a transparent ground, as they lie within the axes of a chart.
pub(super) struct Sheet<'l> {
    layout: &'l Layout,
    inside: Canvas,
}

impl Sheet<'_> {
    pub fn new(layout: &Layout) -> Sheet<'_> {
        Sheet { layout, inside: Canvas::new((layout.inside.width, layout.inside.height)) }
    }

    pub fn add(&mut self, series: &Series, marks: &[Mark]) {
        if let Err(error) = draw_series(self.layout, series, marks, &mut self.inside) {
            unreachable!("a picture in memory can be drawn on: {error}");
        }
    }

    /// The sheet as a PNG file, coarser if it would be long.
    pub fn png(self) -> Vec<u8> {
        const MOST_BYTES: usize = 250_000;
        let mut pixels = self.inside.transparent();
        loop {
            let file = canvas::encoded(&pixels);
            let (width, height) = pixels.dimensions();
            if file.len() <= MOST_BYTES || width.min(height) < 64 {
                return file;
            }
            pixels = imageops::resize(&pixels, width / 2, height / 2, FilterType::Triangle);
        }
    }
}

/// A series with the places of its numbers, in pixels from the left upper corner of the inside.
struct PlacedSeries<'a> {
    layout: &'a Layout,
    series: &'a Series,
}

impl PlacedSeries<'_> {
    fn x(&self, x: f64) -> f64 {
        self.layout.x.place(x) * f64::from(self.layout.inside.width)
    }

    fn y(&self, y: f64) -> f64 {
        (1.0 - self.layout.y.place(y)) * f64::from(self.layout.inside.height)
    }

    fn points(&self, x: &[f64], y: &[f64]) -> Vec<Point> {
        x.iter().zip(y).map(|(&x, &y)| (self.x(x), self.y(y))).collect()
    }

    fn draw(&self, mark: &Mark, canvas: &mut Canvas) -> Drawn {
        let (width, height) = canvas.size();
        let color = colors_of(self.series);
        match mark {
            Mark::Line { x, y, stroke, number } => shapes::curve(canvas, &self.points(x, y), *stroke, color(*number)),
            Mark::Points { x, y, marker, size, numbers } => {
                let places = self.points(x, y).into_iter().enumerate();
                let places: Vec<_> =
                    places.map(|(index, place)| (place, color(numbers.map(|numbers| numbers[index])))).collect();
                let (seen, area) = (strokes::seen(&places, (width, height), *size), canvas.area());
                seen.into_iter().try_for_each(|(place, color)| shapes::marker(&area, *marker, *size, place, color))
            }
            Mark::Sticks { x, y, stroke } => {
                let ends = self.points(&x.0, &y.0).into_iter().zip(self.points(&x.1, &y.1));
                let gap = (f64::NAN, f64::NAN);
                let sticks = strokes::joined(ends.collect(), *stroke);
                let lines: Vec<Point> = sticks.into_iter().flat_map(|(from, to)| [from, to, gap]).collect();
                shapes::curve(canvas, &lines, *stroke, color(None))
            }
            Mark::Rule { axis: Direction::X, at, stroke } => {
                let x = self.x(*at);
                shapes::curve(canvas, &[(x, 0.0), (x, f64::from(height))], *stroke, color(None))
            }
            Mark::Rule { axis: Direction::Y, at, stroke } => {
                let y = self.y(*at);
                shapes::curve(canvas, &[(0.0, y), (f64::from(width), y)], *stroke, color(None))
            }
            Mark::Area { x, y } => self.draw_area(x, *y, canvas),
            Mark::Bars(bars) => bars.iter().try_for_each(|bar| self.draw_bar(bar, canvas)),
            Mark::Picture(image) => self.draw_picture(image, canvas),
            Mark::Mesh { x, y, numbers } => self.draw_mesh(x, y, numbers, canvas),
        }
    }

    fn draw_area(&self, x: &[f64], y: (&[f64], &[f64]), canvas: &mut Canvas) -> Drawn {
        let area = canvas.area();
        let sides: Vec<_> = x.iter().zip(y.0).zip(y.1).map(|((&x, &low), &high)| (self.x(x), low, high)).collect();
        let has_place = |&(x, low, high): &(f64, f64, f64)| x.is_finite() && low.is_finite() && high.is_finite();
        sides.split(|side| !has_place(side)).try_for_each(|run| {
            let run = strokes::thinned_sides(run, self.layout.inside.width as usize);
            let there = run.iter().map(|&(x, low, _)| (x, self.down(low)));
            let back = run.iter().rev().map(|&(x, _, high)| (x, self.down(high)));
            shapes::polygon(&area, there.chain(back).collect(), self.series.look.color)
        })
    }

    fn draw_bar(&self, bar: &Bar, canvas: &mut Canvas) -> Drawn {
        if !bar.height.is_finite() {
            return Ok(());
        }
        let (left, right) = (self.x(bar.left), self.x(bar.right));
        let (width, height) = canvas.size();
        let (end, ground) = (self.down(bar.height), self.down(0.0));
        if left.is_nan() || right.is_nan() || right < 0.0 || left > f64::from(width) || end == ground {
            return Ok(());
        }
        // On whole pixels, so that there is nothing between bars that touch.
        let left = left.clamp(-1.0, f64::from(width)).round() as i32;
        let right = (right.clamp(-1.0, f64::from(width) + 1.0).round() as i32).max(left + 1);
        let down = |y: f64| y.clamp(-1.0, f64::from(height) + 1.0).round() as i32;
        let (top, low) = (down(end.min(ground)), down(end.max(ground)));
        fill(&canvas.area(), (left, top, right - left, (low - top).max(1)), self.series.look.color, 1.0)
    }

    /// The height of a number; on a logarithmic axis 0 is infinitely far down, and so is what is below it.
    fn down(&self, y: f64) -> f64 {
        let place = self.y(y);
        if place.is_nan() { f64::from(self.layout.inside.height) + 1.0 } else { place }
    }

    fn draw_picture(&self, image: &Image, canvas: &mut Canvas) -> Drawn {
        let [first, last, bottom, high] = image.extent();
        let edges = |start: f64, end: f64, count: u32| {
            // A scale that has no place for the first row shows nothing.
            let (start, end) = (start.round() as i64, end.round() as i64);
            let shown =
                (-start).clamp(0, (end - start).max(0))..(i64::from(count) - start).clamp(0, (end - start).max(0));
            (start, (end - start).max(0) as usize, shown.start as usize..shown.end as usize)
        };
        let (width, height) = canvas.size();
        let (left, whole_width, shown_columns): (i64, usize, Range<usize>) = edges(self.x(first), self.x(last), width);
        let (top, whole_height, shown_rows) = edges(self.y(high), self.y(bottom), height);
        // Pixels go down, rows may go up.
        let rows = match image.place.is_upward {
            true => whole_height - shown_rows.end..whole_height - shown_rows.start,
            false => shown_rows.clone(),
        };
        let mut values = image.resampled((whole_height, whole_width), rows, shown_columns.clone());
        let row = shown_columns.len() * image.channels;
        if image.place.is_upward && row > 0 {
            values = values.chunks(row).rev().flatten().copied().collect();
        }
        let (left, top) = (left + shown_columns.start as i64, top + shown_rows.start as i64);
        let size = (shown_columns.len() as u32, shown_rows.len() as u32);
        let color_of = colors_of(self.series);
        let colors = values.chunks(image.channels).map(|element| color_of_element(&color_of, element));
        shapes::picture(&canvas.area(), (left as i32, top as i32), size, colors)
    }

    /// Each pixel has the colour of the cell in which its middle is.
    fn draw_mesh(&self, x: &[f64], y: &[f64], numbers: &[f64], canvas: &mut Canvas) -> Drawn {
        let (width, height) = canvas.size();
        let cells = |ends: Vec<f64>, pixels: u32| -> Vec<Option<usize>> {
            let is_turned = ends.first() > ends.last();
            let cell = |pixel: u32| {
                let at = f64::from(pixel) + 0.5;
                let below = ends.partition_point(|&end| if is_turned { end > at } else { end <= at });
                (1..ends.len()).contains(&below).then(|| below - 1)
            };
            (0..pixels).map(cell).collect()
        };
        let columns = cells(x.iter().map(|&x| self.x(x)).collect(), width);
        let rows = cells(y.iter().map(|&y| self.y(y)).collect(), height);
        let Some(left) = columns.iter().position(Option::is_some) else { return Ok(()) };
        let Some(top) = rows.iter().position(Option::is_some) else { return Ok(()) };
        let columns: Vec<usize> = columns[left..].iter().map_while(|&cell| cell).collect();
        let rows: Vec<usize> = rows[top..].iter().map_while(|&cell| cell).collect();
        let size = (columns.len() as u32, rows.len() as u32);
        let number = |row: usize, column: usize| numbers[row * (x.len() - 1) + column];
        let colors = rows.iter().flat_map(|&row| columns.iter().map(move |&column| (row, column)));
        let color_of = colors_of(self.series);
        let colors = colors.map(|(row, column)| color_of(Some(number(row, column))));
        shapes::picture(&canvas.area(), (left as i32, top as i32), size, colors)
    }
}

/// The colour of an element of a picture.
fn color_of_element(color_of: &impl Fn(Option<f64>) -> Rgb, element: &[f64]) -> Rgb {
    match *element {
        [number] => color_of(Some(number)),
        _ if element.iter().any(|part| part.is_nan()) => MISSING,
        [ref color @ .., alpha] if element.len() == 4 => on_white(color, alpha),
        _ => on_white(element, 1.0),
    }
}

/// A colour in parts of 1, more or less opaque.
fn on_white(color: &[f64], alpha: f64) -> Rgb {
    let alpha = alpha.clamp(0.0, 1.0);
    std::array::from_fn(|index| (255.0 * (alpha * color[index].clamp(0.0, 1.0) + 1.0 - alpha)).round() as u8)
}

/// The colours that stand for numbers; where there is no number, or none stands for it, that of the series.
fn colors_of(series: &Series) -> impl Fn(Option<f64>) -> Rgb {
    let colors = series.colors.as_ref().map(|colors| (colors, colors.axis()));
    move |number| match (&colors, number) {
        (Some((colors, axis)), Some(number)) => colors.at(axis.place(number)),
        _ => series.look.color,
    }
}

/// The colour that stands for a number, or if there is none, that of the series.
pub(super) fn color_of(series: &Series, number: Option<f64>) -> Rgb {
    colors_of(series)(number)
}

/// The pixel of a place on an axis of so many pixels.
fn pixel(place: f64, length: u32) -> i32 {
    (place * f64::from(length) - 0.5).round() as i32
}

fn draw_grid(area: &Area, layout: &Layout) -> Drawn {
    let Box2 { left, top, width, height } = layout.inside;
    for (place, _) in &layout.x_ticks {
        fill(area, (left as i32 + pixel(*place, width), top as i32, 1, height as i32), GRID, 1.0)?;
    }
    for (place, _) in &layout.y_ticks {
        fill(area, (left as i32, top as i32 + pixel(1.0 - place, height), width as i32, 1), GRID, 1.0)?;
    }
    Ok(())
}

/// Draws the frame, ticks, labels and the title.
fn draw_axes(area: &Area, chart: &Chart, layout: &Layout, whole: Box2) -> Drawn {
    let Box2 { left, top, width, height } = layout.inside;
    frame(area, layout.inside, INK)?;
    let (across, down) = (|place| left as i32 + pixel(place, width), |place| top as i32 + pixel(1.0 - place, height));
    let [left, top, width, height, tick, gap] = [left, top, width, height, TICK, GAP].map(|pixels| pixels as i32);
    let bottom = top + height;
    for (place, label) in &layout.x_ticks {
        fill(area, (across(*place), bottom, 1, tick + 1), INK, 1.0)?;
        shapes::write(area, label, LABEL, (across(*place), bottom + tick + gap), BELOW, INK)?;
    }
    for (place, label) in &layout.y_ticks {
        fill(area, (left - 1 - tick, down(*place), tick + 1, 1), INK, 1.0)?;
        shapes::write(area, label, LABEL, (left - 1 - tick - gap, down(*place)), LEFT, INK)?;
    }
    let is_inside = |place: &f64| (0.0..=1.0).contains(place);
    for place in layout.x.minor_ticks().iter().map(|&value| layout.x.place(value)).filter(is_inside) {
        fill(area, (across(place), bottom, 1, tick / 2 + 1), INK, 1.0)?;
    }
    for place in layout.y.minor_ticks().iter().map(|&value| layout.y.place(value)).filter(is_inside) {
        fill(area, (left - 1 - tick / 2, down(place), tick / 2 + 1, 1), INK, 1.0)?;
    }
    let middle = (left + width / 2, top + height / 2);
    if let Some(title) = &chart.title {
        draw_title(area, title, whole, (middle.0, top - gap - 2))?;
    }
    if let Some(label) = &chart.xlabel {
        shapes::write(area, label, LABEL, (middle.0, bottom + tick + 2 * gap + LINE as i32), BELOW, INK)?;
    }
    if let Some(label) = &chart.ylabel {
        shapes::write_upright(area, label, LABEL, (left - layout.ylabel_distance as i32, middle.1), INK)?;
    }
    Ok(())
}

/// Writes a title, smaller if there is no room, so that it lies in the area.
fn draw_title(area: &Area, title: &str, whole: Box2, (middle, low): (i32, i32)) -> Drawn {
    let room = f64::from(whole.width.saturating_sub(2 * MARGIN));
    let size = (TITLE * room / text::width(title, TITLE).max(1.0)).clamp(0.5 * TITLE, TITLE);
    let half = text::width(title, size) / 2.0;
    let (left, right) = (f64::from(whole.left) + half, f64::from(whole.left + whole.width) - half);
    let middle = if left < right { f64::from(middle).clamp(left, right) } else { (left + right) / 2.0 };
    shapes::write(area, title, size, (middle.round() as i32, low), ABOVE, INK)
}

fn draw_bar(area: &Area, colors: &Colors, place: Box2, ticks: &[layout::Tick], label_distance: i32) -> Drawn {
    let [left, top, width, height] = [place.left, place.top, place.width, place.height].map(|pixels| pixels as i32);
    let right = left + width;
    let rows = (0..height).map(|y| colors.at(1.0 - (f64::from(y) + 0.5) / f64::from(height)));
    let pixels = rows.flat_map(|color| std::iter::repeat_n(color, width as usize));
    shapes::picture(area, (left, top), (place.width, place.height), pixels)?;
    frame(area, place, INK)?;
    for (part, label) in ticks {
        let y = top + pixel(1.0 - part, place.height);
        fill(area, (right, y, TICK as i32 + 1, 1), INK, 1.0)?;
        shapes::write(area, label, LABEL, (right + (TICK + GAP) as i32, y), RIGHT, INK)?;
    }
    if let Some(label) = &colors.label {
        shapes::write_upright(area, label, LABEL, (right + label_distance, top + height / 2), INK)?;
    }
    Ok(())
}

/// Draws the legend where it hides least.
fn draw_legend(canvas: &mut Canvas, chart: &Chart, layout: &Layout, inside: &Canvas) -> Drawn {
    let entries: Vec<(&Series, &String)> =
        chart.series.iter().filter_map(|series| Some((series, series.label.as_ref()?))).collect();
    if entries.is_empty() || !chart.legend {
        return Ok(());
    }
    const PADDING: i32 = 7;
    let row = LINE as i32 + 5;
    let widest = entries.iter().map(|(_, label)| label_width(label)).max().unwrap_or(0) as i32;
    let (width, height) = (widest + LEGEND_SAMPLE + 3 * PADDING, row * entries.len() as i32 + 2 * PADDING - 4);
    let Box2 { left, top, width: inside_width, height: inside_height } = layout.inside;
    let (free_width, free_height) = (inside_width as i32 - width - 8, inside_height as i32 - height - 8);
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
    let hidden = |&(left, top): &(i32, i32)| inside.covered((left, top, width, height));
    let Some(&(x, y)) = places.iter().min_by_key(|place| hidden(place)) else { return Ok(()) };
    let (left, top) = (left as i32 + x.max(0), top as i32 + y.max(0));
    fill(&canvas.area(), (left, top, width, height), [255; 3], 0.85)?;
    let place = Box2 { left: left as u32, top: top as u32, width: width as u32, height: height as u32 };
    frame(&canvas.area(), place, LEGEND_FRAME)?;
    for ((series, label), index) in entries.into_iter().zip(0..) {
        let y = top + PADDING + row * index + row / 2 - 2;
        draw_sample(canvas, series, (left + PADDING, y))?;
        shapes::write(&canvas.area(), label, LABEL, (left + 2 * PADDING + LEGEND_SAMPLE, y), RIGHT, INK)?;
    }
    Ok(())
}

/// A short piece of each mark of a series.
fn draw_sample(canvas: &mut Canvas, series: &Series, (left, y): (i32, i32)) -> Drawn {
    const HEIGHT: i32 = 14;
    let mut sample = Canvas::new((LEGEND_SAMPLE as u32, HEIGHT as u32));
    let (width, middle) = (f64::from(LEGEND_SAMPLE), f64::from(HEIGHT) / 2.0);
    let color = match &series.colors {
        Some(colors) => colors.at(0.5),
        None => series.look.color,
    };
    for mark in series.marks() {
        match mark {
            Mark::Line { stroke, .. } | Mark::Rule { stroke, .. } => {
                let stroke = Stroke { width: stroke.width.min(8.0), ..stroke };
                shapes::curve(&mut sample, &[(0.0, middle), (width, middle)], stroke, color)?;
            }
            Mark::Points { marker, size, .. } => {
                shapes::marker(&sample.area(), marker, size.clamp(3.0, 12.0), (width / 2.0, middle), color)?
            }
            Mark::Sticks { stroke, .. } => {
                shapes::curve(&mut sample, &[(width / 2.0, 0.0), (width / 2.0, f64::from(HEIGHT))], stroke, color)?;
            }
            Mark::Bars(_) | Mark::Area { .. } => {
                fill(&sample.area(), (2, 2, LEGEND_SAMPLE - 4, HEIGHT - 4), color, 1.0)?
            }
            Mark::Picture(_) | Mark::Mesh { .. } => {}
        }
    }
    canvas.lay(&sample, (left, y - HEIGHT / 2), series.look.alpha);
    Ok(())
}
