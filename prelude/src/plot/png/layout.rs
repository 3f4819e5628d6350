//! Where the parts of a chart lie, in pixels.
//!
//! What is drawn again with other numbers keeps its size, and mostly its place too: labels of ticks have a minimum of room, so
//! that frames of an animation do not jump.

use super::super::axis::Axis;
use super::super::chart::Chart;
use super::super::image::Image;
use super::super::ticks;
use super::text;

/// The size of a plot, if none is set.
pub(super) const PLOT: (u32, u32) = (640, 420);
/// The largest picture, without titles and labels, if no size is set.
const PICTURE: (u32, u32) = (440, 370);
/// A picture is at least so wide and high, however long and thin the array.
const THINNEST: u32 = 20;
/// A colour bar is at least so high, if there is room.
const LOWEST_BAR: u32 = 120;
/// A figure is at least so wide.
const NARROWEST: u32 = 200;

/// Sizes of the font, and the height of a line of labels and of the title.
pub(super) const LABEL: f64 = 12.0;
pub(super) const TITLE: f64 = 14.5;
pub(super) const LINE: u32 = 14;
pub(super) const TITLE_LINE: u32 = 17;
/// The length of a tick, and the gap between it and its label.
pub(super) const TICK: u32 = 5;
pub(super) const GAP: u32 = 4;
pub(super) const MARGIN: u32 = 10;
const BAR_WIDTH: u32 = 16;
const BAR_GAP: u32 = 16;

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Box2 {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

/// A place on an axis from 0 to 1, and what is written there.
pub(super) type Tick = (f64, String);

/// Where the parts of a chart lie.
#[derive(Debug)]
pub(in super::super) struct Layout {
    /// What the axes enclose.
    pub inside: Box2,
    pub x: Axis,
    pub y: Axis,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    /// The colour bar and its ticks.
    pub bar: Option<(Box2, Vec<Tick>)>,
    /// From the inside to the left edge of the label of the y axis, and of the colour bar.
    pub ylabel_distance: u32,
    pub bar_label_distance: u32,
}

/// What lies around the inside.
struct Sides {
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
}

/// The size of the whole that a chart asks for. It depends on shapes and titles, but not on numbers.
pub(in super::super) fn size(chart: &Chart) -> (u32, u32) {
    let picture = chart.picture().filter(|image| !image.place.is_stretched).map(|image| {
        let sides = sides(chart, row_width(image.shape.0), bar_label_width(&[]));
        let (width, height) = fit(image, PICTURE);
        let height = if chart.colorbar().is_some() { height.max(LOWEST_BAR) } else { height };
        ((sides.left + width + sides.right).max(NARROWEST), sides.top + height + sides.bottom)
    });
    chart.size.or(picture).unwrap_or(PLOT)
}

/// Finds places for all parts: what labels and title need is known first, the rest is for the inside.
pub(in super::super) fn layout(chart: &Chart, area: Box2) -> Layout {
    let (x, y) = chart.axes();
    let top_and_bottom = sides(chart, 0, 0);
    let height = area.height.saturating_sub(top_and_bottom.top + top_and_bottom.bottom).max(1);
    let y_ticks = ticks(&y, (height / (3 * LINE)).clamp(2, 9));
    let bar_axis = chart.colorbar().map(|colors| colors.axis());
    let bar_width = bar_axis.map_or(0, |axis| bar_label_width(&axis.ticks(7)));
    // Cells are counted, unless the picture has its own coordinates.
    let cells = chart.picture().filter(|image| image.place.extent.is_none()).map(|image| image.shape);
    let y_width = match cells {
        Some((rows, _)) => row_width(rows),
        None => widest(&y_ticks).max(label_width("\u{2212}0.00")),
    };
    let Sides { left, right, top, .. } = sides(chart, y_width, bar_width);
    let left = left.min(area.width / 2);
    let space = (area.width.saturating_sub(left + right).max(1), height);
    let (width, height) = chart.picture().map_or(space, |image| fit(image, space));
    let inside = Box2 {
        left: area.left + left + (space.0 - width) / 2,
        top: area.top + top + (space.1 - height) / 2,
        width,
        height,
    };
    let (x_ticks, y_ticks) = match cells {
        Some((rows, columns)) => {
            let most = (width / (row_width(columns) + 16), height / (2 * LINE));
            (cell_ticks(&x, columns, most.0, chart.xlim.is_some()), cell_ticks(&y, rows, most.1, chart.ylim.is_some()))
        }
        None if chart.names.is_empty() => (ticks(&x, (width / 80).clamp(2, 9)), y_ticks),
        None => (named_ticks(&chart.names, &x, width), y_ticks),
    };
    let bar = bar_axis.map(|axis| {
        let bar_height = height.max(LOWEST_BAR.min(space.1));
        let top = inside.top + height / 2 - (bar_height / 2).min(inside.top + height / 2);
        let place = Box2 { left: inside.left + width + BAR_GAP, top, width: BAR_WIDTH, height: bar_height };
        (place, ticks(&axis, (bar_height / (3 * LINE)).clamp(1, 6)))
    });
    Layout {
        inside,
        x,
        y,
        x_ticks,
        y_ticks,
        bar,
        ylabel_distance: (left + GAP).saturating_sub(MARGIN),
        bar_label_distance: TICK + GAP + bar_width + GAP,
    }
}

fn sides(chart: &Chart, y_width: u32, bar_width: u32) -> Sides {
    let room = |label: &Option<String>| if label.is_some() { LINE + 2 * GAP } else { 0 };
    let last_label = chart.picture().map_or(12 + MARGIN, |image| MARGIN.max(row_width(image.shape.1) / 2));
    let bar = chart.colorbar().map_or(0, |colors| BAR_GAP + BAR_WIDTH + TICK + GAP + bar_width + room(&colors.label));
    Sides {
        left: MARGIN + room(&chart.ylabel) + y_width + GAP + TICK,
        right: last_label + bar,
        top: MARGIN + if chart.title.is_some() { TITLE_LINE + GAP + 2 } else { LINE / 2 },
        bottom: TICK + GAP + LINE + room(&chart.xlabel) + MARGIN,
    }
}

/// The largest picture of square cells in a space; cells of whole pixels, if of a few. Of a picture with its own coordinates units are as
/// long along both axes, and a picture that is stretched takes all of it.
fn fit(image: &Image, (width, height): (u32, u32)) -> (u32, u32) {
    if image.place.is_stretched {
        return (width, height);
    }
    if let Some([left, right, bottom, top]) = image.place.extent {
        let (across, up) = ((right - left).abs(), (top - bottom).abs());
        let scale = (f64::from(width) / across).min(f64::from(height) / up);
        let side = |length: f64, space: u32| ((length * scale).round() as u32).clamp(THINNEST.min(space), space);
        return (side(across, width), side(up, height));
    }
    let (rows, columns) = image.shape;
    let scale = (f64::from(width) / columns as f64).min(f64::from(height) / rows as f64);
    let scale = if scale >= 3.0 { scale.floor() } else { scale };
    let side = |count: usize, space: u32| ((count as f64 * scale).round() as u32).clamp(THINNEST.min(space), space);
    (side(columns, width), side(rows, height))
}

fn ticks(axis: &Axis, most: u32) -> Vec<Tick> {
    on_axis(axis, axis.ticks(most as usize))
}

/// Ticks at cells of a picture.
fn cell_ticks(axis: &Axis, count: usize, most: u32, is_part: bool) -> Vec<Tick> {
    match is_part {
        true => ticks(axis, most.clamp(2, 9)),
        false => {
            on_axis(axis, ticks::cells(count, most as usize).into_iter().map(|cell| (cell as f64, cell.to_string())))
        }
    }
}

/// Every name, or if there is no room, each second, third …
fn named_ticks(names: &[String], axis: &Axis, width: u32) -> Vec<Tick> {
    let distance = (axis.place(1.0) - axis.place(0.0)) * f64::from(width);
    let widest = names.iter().map(|name| label_width(name)).max().unwrap_or(0) + 8;
    let step = ((f64::from(widest) / distance.max(1e-3)).ceil() as usize).clamp(1, names.len());
    on_axis(axis, names.iter().enumerate().step_by(step).map(|(index, name)| (index as f64, name.clone())))
}

fn on_axis(axis: &Axis, values: impl IntoIterator<Item = (f64, String)>) -> Vec<Tick> {
    let placed = values.into_iter().map(|(value, label)| (axis.place(value), label));
    placed.filter(|(place, _)| (-1e-9..=1.0 + 1e-9).contains(place)).collect()
}

/// The width of the labels of a colour bar, or of those that most colour bars have.
fn bar_label_width(ticks: &[Tick]) -> u32 {
    widest(ticks).max(label_width("\u{2212}0.00"))
}

/// The width of the number of the last row or column.
fn row_width(count: usize) -> u32 {
    label_width(&(count - 1).to_string())
}

fn widest(ticks: &[Tick]) -> u32 {
    ticks.iter().map(|(_, label)| label_width(label)).max().unwrap_or(0)
}

pub(super) fn label_width(label: &str) -> u32 {
    text::width(label, LABEL).ceil() as u32
}
