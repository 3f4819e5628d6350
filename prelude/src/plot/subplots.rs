//! [`subplots`]: a grid of plots in one figure.

use super::builder::{Plot, require_size};
use super::chart::Chart;
use super::png;
use super::shown::{Drawing, Shown};
use super::vega;
use crate::error::{Error, Result, check};
use serde_json::Value;
use std::fmt;

/// Several plots in one figure, side by side and one below another, as matplotlib's `subplots` makes them.
///
/// `shape`: the numbers of rows and columns. `plots`: at most so many plots, row by row, in an array or a `Vec`. Titles,
/// labels and legends are their own; the figure says how large they are.
///
/// The figure shows itself as the last expression of a cell and where it is dropped in the cell that made it; elsewhere
/// call [`Subplots::show`].
///
/// **Panics** if there are more plots than places, or none.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let noise = ndarray::Array2::from_shape_fn((32, 32), |(i, j)| (i * 37 + j * 101) % 255);
/// let figure = gpu::subplots((1, 2), [gpu::imshow(&noise).title("Noise"), gpu::hist(&noise).title("Values")]);
/// figure.suptitle("An image and its values").show();
///
/// let waves = (1..=4).map(|n| gpu::plot(&[0.0, 1.0, 0.0, -1.0, 0.0].map(|y| y * f64::from(n))).title(format!("wave {n}")));
/// gpu::subplots((2, 2), waves).show();
/// ```
#[track_caller]
pub fn subplots(shape: (usize, usize), plots: impl IntoIterator<Item = Plot>) -> Subplots {
    check(try_subplots(shape, plots))
}

/// As [`subplots`], but returns the error.
///
/// ```
/// let error = warpcell::try_subplots((1, 1), [warpcell::plot(&[1]), warpcell::plot(&[2])]).unwrap_err();
/// assert_eq!(error.to_string(), "subplots: a grid of 1×1 has no place for 2 plots; write `gpu::subplots((1, 2), …)`");
/// ```
pub fn try_subplots(shape: (usize, usize), plots: impl IntoIterator<Item = Plot>) -> Result<Subplots> {
    grid(shape, plots.into_iter().map(Plot::into_chart).collect())
}

fn grid(shape: (usize, usize), charts: Vec<Chart>) -> Result<Subplots> {
    let (rows, columns) = shape;
    let reason = match charts.len() {
        0 => "there are no plots; write `gpu::subplots((1, 2), [first, second])`".into(),
        count if count > rows.saturating_mul(columns) => {
            let columns_needed = count.div_ceil(rows.max(1));
            format!(
                "a grid of {rows}×{columns} has no place for {count} plots; write `gpu::subplots(({}, {columns_needed}), …)`",
                rows.max(1)
            )
        }
        _ if rows > MOST || columns > MOST => {
            format!("a grid of {rows}×{columns} cannot be drawn; use at most {MOST} rows and columns")
        }
        _ => return Ok(Subplots { shown: Shown::new(Grid { shape, charts, title: None, size: None }) }),
    };
    Err(Error::argument("subplots", reason))
}

/// More rows or columns have no place in the largest figure.
const MOST: usize = 40;

/// A grid of plots in one figure. See [`subplots`].
#[derive(Clone)]
pub struct Subplots {
    shown: Shown<Grid>,
}

/// Charts side by side, row by row.
#[derive(Clone, Debug)]
struct Grid {
    /// Rows and columns.
    shape: (usize, usize),
    charts: Vec<Chart>,
    title: Option<String>,
    size: Option<(u32, u32)>,
}

impl Grid {
    /// As wide as a notebook, or as each plot needs.
    fn size(&self) -> (u32, u32) {
        let (rows, columns) = (self.shape.0 as u32, self.shape.1 as u32);
        let width = (440 * columns).clamp(640, 960.max(200 * columns));
        let height = (3 * width / columns / 4).clamp(150, 330);
        self.size.unwrap_or((width, rows * height))
    }
}

impl Drawing for Grid {
    fn png(&self) -> Vec<u8> {
        png::of_grid(self.shape, &self.charts, self.title.as_deref(), self.size())
    }

    fn specification(&self) -> Option<Value> {
        let (rows, columns) = self.shape;
        let (width, height) = self.size();
        let part = (width / columns as u32, height / rows as u32);
        vega::of_grid(columns, &self.charts, self.title.as_deref(), part)
    }

    fn describe(&self) -> String {
        let (rows, columns) = self.shape;
        let title = self.title.as_ref().map_or_else(String::new, |title| format!(" {title:?}"));
        let charts: Vec<String> = self.charts.iter().map(Drawing::describe).collect();
        format!("Subplots{title} {rows}×{columns}: {}", charts.join("; "))
    }

    fn is_empty(&self) -> bool {
        self.charts.is_empty()
    }
}

impl Subplots {
    /// Writes a title above all plots.
    ///
    /// ```
    /// warpcell::subplots((1, 2), [warpcell::plot(&[1, 2]), warpcell::plot(&[2, 1])]).suptitle("Up and down").show();
    /// ```
    pub fn suptitle(mut self, title: impl Into<String>) -> Subplots {
        self.shown.change().title = Some(title.into());
        self
    }

    /// Sets the size of the whole in pixels. At first it is as wide as a notebook.
    ///
    /// **Panics** unless the width is from 200 to 8192 and the height from 150 to 8192.
    ///
    /// ```
    /// warpcell::subplots((2, 1), [warpcell::plot(&[1, 2]), warpcell::plot(&[2, 1])]).size(800, 600).show();
    /// ```
    #[track_caller]
    pub fn size(mut self, width: u32, height: u32) -> Subplots {
        require_size("Subplots::size", (width, height));
        self.shown.change().size = Some((width, height));
        self
    }

    /// Shows the figure in the notebook now, wherever in the cell this stands.
    ///
    /// ```
    /// warpcell::subplots((1, 1), [warpcell::plot(&[1, 2])]).show();
    /// ```
    pub fn show(&self) {
        self.shown.show();
    }

    /// The figure is part of something that is shown in its place.
    pub(super) fn settle(&self) {
        self.shown.settle();
    }

    /// The figure as a PNG file, for saving.
    ///
    /// ```
    /// let figure = warpcell::subplots((1, 1), [warpcell::plot(&[1, 2])]);
    /// assert!(figure.png().starts_with(b"\x89PNG"));
    /// ```
    pub fn png(&self) -> &[u8] {
        self.shown.png()
    }
}

impl fmt::Display for Subplots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown.drawing().describe())
    }
}

impl fmt::Debug for Subplots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}
