//! Draws a figure: where its parts lie, the cells, the axes, the colour bar.

use super::colormap::Colormap;
use super::image::Image;
use super::imshow::Options;
use super::{font, ticks};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The largest picture, without titles and labels, if no size is given.
const PICTURE: (u32, u32) = (440, 370);
/// The picture is at least so wide and high, however long and thin the array.
const THINNEST: u32 = 20;
pub(super) const LABEL: f64 = 14.0;
pub(super) const TITLE: f64 = 17.0;
/// The length of a tick, and the gap between it and its label.
pub(super) const TICK: u32 = 5;
pub(super) const GAP: u32 = 4;
pub(super) const MARGIN: u32 = 10;
const BAR_WIDTH: u32 = 16;
const BAR_GAP: u32 = 16;

pub(super) const INK: RGBColor = RGBColor(0x26, 0x26, 0x26);

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Box2 {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

/// Where the parts of a figure lie.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// Width and height of the whole.
    pub size: (u32, u32),
    pub cells: Box2,
    pub bar: Option<Box2>,
    row_ticks: Vec<usize>,
    column_ticks: Vec<usize>,
    bar_ticks: Vec<(f64, String)>,
}

/// The figure as a PNG file.
pub(super) fn png(image: &Image, options: &Options) -> Vec<u8> {
    let layout = layout(image, options);
    let (width, height) = layout.size;
    let mut pixels = vec![0xff; 3 * width as usize * height as usize];
    draw_lines(image, options, &layout, &mut pixels);
    draw_cells(image, options, &layout, &mut pixels);
    if let Some(bar) = layout.bar {
        draw_bar(options.colormap, bar, width, &mut pixels);
    }
    encoded(&pixels, layout.size)
}

/// Pixels, three bytes each, as a PNG file.
pub(super) fn encoded(pixels: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
    match encoder.write_image(pixels, width, height, ExtendedColorType::Rgb8) {
        Ok(()) => png,
        Err(error) => unreachable!("a vector takes every byte, and the buffer has the stated size: {error}"),
    }
}

/// Finds places for all parts: what labels and title need is known first, the rest is for the cells.
pub(super) fn layout(image: &Image, options: &Options) -> Layout {
    font::register();
    let (rows, columns) = image.shape;
    let line = text_height(LABEL);
    let axis = options.axis(image);
    let room = |label: &Option<String>| if label.is_some() { line + 2 * GAP } else { 0 };
    // The widths of labels depend on the ticks, and these on the space: the widest possible label stands for all.
    let left = MARGIN + room(&options.ylabel) + text_width(&(rows - 1).to_string(), LABEL) + GAP + TICK;
    let right_of_bar = |labels: &[(f64, String)]| {
        let widest = labels.iter().map(|(_, label)| text_width(label, LABEL)).max().unwrap_or(0);
        BAR_GAP + BAR_WIDTH + TICK + GAP + widest + room(&options.colorbar_label)
    };
    let bar_space = if options.colorbar { right_of_bar(&axis.ticks(7)) } else { 0 };
    let right = MARGIN.max(text_width(&(columns - 1).to_string(), LABEL) / 2) + bar_space;
    let top = MARGIN + if options.title.is_some() { text_height(TITLE) + GAP + 2 } else { line / 2 };
    let bottom = TICK + GAP + line + room(&options.xlabel) + MARGIN;

    let space = match options.size {
        Some((width, height)) => {
            (width.saturating_sub(left + right).max(1), height.saturating_sub(top + bottom).max(1))
        }
        None => PICTURE,
    };
    let (width, height) = fit((columns, rows), space);
    let title_width = options.title.as_deref().map_or(0, |title| text_width(title, TITLE) + 2 * MARGIN);
    let needed = ((left + width + right).max(title_width), top + height + bottom);
    let size = options.size.unwrap_or(needed);
    let shift = (size.0.saturating_sub(left + width + right) / 2, size.1.saturating_sub(needed.1) / 2);
    let cells = Box2 { left: left + shift.0, top: top + shift.1, width, height };
    let cells = Box2 { left: cells.left.min(size.0 - 1), top: cells.top.min(size.1 - 1), ..cells };

    // A thin picture gets a bar of some height all the same, where there is room.
    let bar_height = height.max(120.min(space.1));
    let bar = options.colorbar.then(|| Box2 {
        left: cells.left + width + BAR_GAP,
        top: (cells.top + height / 2).saturating_sub(bar_height / 2).max(cells.top.min(top)),
        width: BAR_WIDTH,
        height: bar_height,
    });
    let (size, cells, bar) = grown(size, cells, bar, options, bottom);
    Layout {
        size,
        cells,
        bar,
        row_ticks: ticks::cells(rows, (height / (2 * line)) as usize),
        column_ticks: ticks::cells(columns, (width / (text_width(&(columns - 1).to_string(), LABEL) + 16)) as usize),
        bar_ticks: bar.map_or(Vec::new(), |bar| axis.ticks((bar.height / (3 * line)).clamp(1, 6) as usize)),
    }
}

/// Makes room for a colour bar that is higher than the picture, if the figure's size is free.
fn grown(
    size: (u32, u32),
    cells: Box2,
    bar: Option<Box2>,
    options: &Options,
    bottom: u32,
) -> ((u32, u32), Box2, Option<Box2>) {
    match bar {
        Some(bar) if options.size.is_none() && bar.height > cells.height => {
            let extra = bar.height - cells.height;
            let cells_top = bar.top + extra / 2;
            let height = (bar.top + bar.height + MARGIN).max(cells_top + cells.height + bottom);
            ((size.0, height), Box2 { top: cells_top, ..cells }, Some(bar))
        }
        _ => (size, cells, bar),
    }
}

/// The largest picture of `columns` × `rows` square cells in a space; cells of whole pixels, if of a few.
fn fit((columns, rows): (usize, usize), (width, height): (u32, u32)) -> (u32, u32) {
    let scale = (f64::from(width) / columns as f64).min(f64::from(height) / rows as f64);
    let scale = if scale >= 3.0 { scale.floor() } else { scale };
    let side = |count: usize, space: u32| ((count as f64 * scale).round() as u32).clamp(THINNEST.min(space), space);
    (side(columns, width), side(rows, height))
}

fn draw_cells(image: &Image, options: &Options, layout: &Layout, pixels: &mut [u8]) {
    let Box2 { left, top, width, height } = layout.cells;
    let (figure_width, figure_height) = layout.size;
    // A tiny figure may not hold all of it.
    let (shown_width, shown_height) =
        (width.min(figure_width - left) as usize, height.min(figure_height - top) as usize);
    let values = image.resampled((height as usize, width as usize));
    let axis = options.axis(image);
    for (y, row) in values.chunks(width as usize).take(shown_height).enumerate() {
        let start = 3 * ((top as usize + y) * figure_width as usize + left as usize);
        let line = &mut pixels[start..start + 3 * shown_width];
        for (pixel, &value) in line.chunks_mut(3).zip(row) {
            pixel.copy_from_slice(&options.colormap.color(axis.place(value)));
        }
    }
}

fn draw_bar(colormap: Colormap, bar: Box2, figure_width: u32, pixels: &mut [u8]) {
    for y in 0..bar.height {
        let color = colormap.color(1.0 - (f64::from(y) + 0.5) / f64::from(bar.height));
        for x in bar.left..(bar.left + bar.width).min(figure_width) {
            let at = 3 * ((bar.top + y) as usize * figure_width as usize + x as usize);
            if let Some(pixel) = pixels.get_mut(at..at + 3) {
                pixel.copy_from_slice(&color);
            }
        }
    }
}

/// Draws title, frames, ticks and labels.
fn draw_lines(image: &Image, options: &Options, layout: &Layout, pixels: &mut [u8]) {
    let area = BitMapBackend::with_buffer(pixels, layout.size).into_drawing_area();
    let drawn = || -> std::result::Result<(), Box<dyn std::error::Error + '_>> {
        let Box2 { left, top, width, height } = layout.cells;
        let [left, top, width, height] = [left, top, width, height].map(|pixels| pixels as i32);
        let (rows, columns) = image.shape;
        let (tick, gap) = (TICK as i32, GAP as i32);
        let text = |text: &str, size, place, h, v| {
            let style = TextStyle::from((font::FAMILY, size).into_font()).color(&INK).pos(Pos::new(h, v));
            area.draw_text(text, &style, place)
        };
        // From the bottom to the top, as labels beside an axis are read.
        let upright = |text: &str, place| {
            let font = (font::FAMILY, LABEL).into_font().transform(FontTransform::Rotate270);
            let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
            area.draw_text(text, &style, place)
        };
        let line = |from, to| area.draw(&PathElement::new([from, to], INK));
        let frame = |part: Box2| {
            let (x, y) = (part.left as i32, part.top as i32);
            area.draw(&Rectangle::new([(x - 1, y - 1), (x + part.width as i32, y + part.height as i32)], INK))
        };
        let middle = |index: usize, count: usize, length: i32| {
            ((index as f64 + 0.5) * f64::from(length) / count as f64 - 0.5).round() as i32
        };
        if let Some(title) = &options.title {
            text(title, TITLE, (left + width / 2, top - gap - 4), HPos::Center, VPos::Bottom)?;
        }
        frame(layout.cells)?;
        for &row in &layout.row_ticks {
            let y = top + middle(row, rows, height);
            line((left - 1 - tick, y), (left - 1, y))?;
            text(&row.to_string(), LABEL, (left - 1 - tick - gap, y), HPos::Right, VPos::Center)?;
        }
        for &column in &layout.column_ticks {
            let (x, bottom) = (left + middle(column, columns, width), top + height);
            line((x, bottom), (x, bottom + tick))?;
            text(&column.to_string(), LABEL, (x, bottom + tick + gap), HPos::Center, VPos::Top)?;
        }
        if let Some(bar) = layout.bar {
            frame(bar)?;
            let axis = options.axis(image);
            let right = (bar.left + bar.width) as i32;
            for (value, label) in &layout.bar_ticks {
                let part = axis.place(*value);
                let y = (f64::from(bar.top) + (1.0 - part) * f64::from(bar.height - 1)).round() as i32;
                line((right, y), (right + tick, y))?;
                text(label, LABEL, (right + tick + gap, y), HPos::Left, VPos::Center)?;
            }
            if let Some(label) = &options.colorbar_label {
                let widest = layout.bar_ticks.iter().map(|(_, label)| text_width(label, LABEL)).max().unwrap_or(0);
                let x = right + tick + gap + widest as i32 + gap;
                upright(label, (x, (bar.top + bar.height / 2) as i32))?;
            }
        }
        if let Some(label) = &options.xlabel {
            let y = top + height + tick + gap + text_height(LABEL) as i32 + gap;
            text(label, LABEL, (left + width / 2, y), HPos::Center, VPos::Top)?;
        }
        if let Some(label) = &options.ylabel {
            let widest = text_width(&(rows - 1).to_string(), LABEL) as i32;
            let x = left - 1 - tick - gap - widest - gap - text_height(LABEL) as i32;
            upright(label, (x, top + height / 2))?;
        }
        area.present()?;
        Ok(())
    };
    if let Err(error) = drawn() {
        unreachable!("drawing into memory with an embedded font does not fail: {error}");
    }
}

pub(super) fn text_width(text: &str, size: f64) -> u32 {
    (font::FAMILY, size).into_font().box_size(text).map_or(0, |(width, _)| width)
}

pub(super) fn text_height(size: f64) -> u32 {
    size.ceil() as u32
}
