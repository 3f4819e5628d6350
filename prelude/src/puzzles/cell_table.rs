//! Arrays as rows of cells.

use super::case::{PuzzleArray, indices};
use super::svg::{Anchor, GREY, INK, LINE, Point, Svg, WORDS};

pub(super) const CELL: Point = (34.0, 24.0);
/// The height of an array's name.
pub(super) const TITLE: f64 = 18.0;

/// More than these are not drawn; "…" stands for the others.
const MOST_COLUMNS: usize = 24;
const MOST_ROWS: usize = 16;

/// An array somewhere on the drawing.
pub(super) struct CellTable {
    origin: Point,
    rows: usize,
    columns: usize,
    /// Whether its name stands below it.
    named_below: bool,
}

/// How a cell looks.
#[derive(Clone)]
pub(super) struct Look {
    pub fill: String,
    pub stroke: &'static str,
    pub words: String,
    pub ink: &'static str,
    /// In the lower right corner.
    pub note: String,
}

impl Look {
    pub fn plain(words: String) -> Look {
        Look { fill: "white".to_owned(), stroke: LINE, words, ink: INK, note: String::new() }
    }

    /// A cell whose value is not known: it shows its index.
    pub fn indexed(element: usize, shape: &[usize]) -> Look {
        let index: Vec<String> = indices(element, shape).iter().map(usize::to_string).collect();
        Look { ink: GREY, ..Look::plain(format!("[{}]", index.join(","))) }
    }
}

impl CellTable {
    /// An array of this shape whose name begins here. The axes before the last are all drawn as rows.
    pub fn new((x, y): Point, shape: &[usize]) -> CellTable {
        let columns = shape.last().copied().unwrap_or(1);
        let rows = shape.iter().rev().skip(1).product();
        CellTable { origin: (x, y + TITLE), rows, columns, named_below: false }
    }

    /// The same with the name below, for an array to which arrows come from above.
    pub fn below((x, y): Point, shape: &[usize]) -> CellTable {
        CellTable { origin: (x, y), named_below: true, ..CellTable::new((x, y), shape) }
    }

    /// The size with the name above and the dots at the ends.
    pub fn size(&self) -> Point {
        let dots = if self.columns > MOST_COLUMNS { 0.7 } else { 0.0 };
        let width = CELL.0 * (self.columns.min(MOST_COLUMNS) as f64 + dots);
        let dots = if self.rows > MOST_ROWS { 0.7 } else { 0.0 };
        (width, TITLE + CELL.1 * (self.rows.min(MOST_ROWS) as f64 + dots))
    }

    /// The upper left corner of a row and a column, also of such as are not there.
    fn corner(&self, row: f64, column: f64) -> Point {
        (self.origin.0 + CELL.0 * column, self.origin.1 + CELL.1 * row)
    }

    /// The middle of a cell, if it is drawn.
    pub fn middle(&self, flat: usize) -> Option<Point> {
        let (row, column) = (flat / self.columns.max(1), flat % self.columns.max(1));
        (row < self.rows.min(MOST_ROWS) && column < self.columns.min(MOST_COLUMNS)).then(|| {
            let corner = self.corner(row as f64, column as f64);
            (corner.0 + CELL.0 / 2.0, corner.1 + CELL.1 / 2.0)
        })
    }

    /// The middle of the lower or upper edge of a cell, where arrows meet it.
    pub fn edge(&self, flat: usize, lower: bool) -> Option<Point> {
        let half = CELL.1 / 2.0 - 2.0;
        self.middle(flat).map(|(x, y)| (x, if lower { y + half } else { y - half }))
    }

    pub fn draw(&self, svg: &mut Svg, title: &str, mut look: impl FnMut(usize) -> Look) {
        let base = if self.named_below { self.size().1 - TITLE + 14.0 } else { -6.0 };
        svg.text((self.origin.0, self.origin.1 + base), Anchor::Start, 12.0, WORDS, title);
        for row in 0..self.rows.min(MOST_ROWS) {
            for column in 0..self.columns.min(MOST_COLUMNS) {
                cell(svg, self.corner(row as f64, column as f64), &look(row * self.columns + column), "");
            }
        }
        if self.columns > MOST_COLUMNS {
            let (x, y) = self.corner(0.0, MOST_COLUMNS as f64);
            svg.text((x + 6.0, y + 16.0), Anchor::Start, 12.0, WORDS, "…");
        }
        if self.rows > MOST_ROWS {
            let (x, y) = self.corner(MOST_ROWS as f64, 0.0);
            svg.text((x + 6.0, y + 12.0), Anchor::Start, 12.0, WORDS, "…");
        }
        if self.rows * self.columns == 0 {
            svg.text((self.origin.0, self.origin.1 + 16.0), Anchor::Start, 12.0, WORDS, "no elements");
        }
    }

    /// Draws a cell where an index leads that the array does not have; gives its middle. Far ones come near.
    pub fn draw_missing(&self, svg: &mut Svg, index: &[usize]) -> Point {
        let near = |index: usize, length: usize, most: usize| {
            // What went below zero has wrapped around, and stands before the first.
            if (index as isize) < 0 {
                -1.5
            } else if index < length.min(most) {
                index as f64
            } else {
                length.min(most) as f64 + 0.5
            }
        };
        let last = index.last().copied().unwrap_or(0);
        let column = near(last, self.columns, MOST_COLUMNS);
        let row = match index {
            [_] => 0.0,
            [.., row, _] => near(*row, self.rows, MOST_ROWS),
            [] => 0.0,
        };
        let (x, y) = self.corner(row, column);
        let words: Vec<String> = index.iter().map(|&index| (index as isize).to_string()).collect();
        let words = words.join(",");
        // Numbers without end would cover the array.
        let words = if words.len() > 6 { "far".to_owned() } else { words };
        let look = Look {
            fill: "#ffebee".to_owned(),
            stroke: super::svg::RED,
            words,
            ink: super::svg::RED,
            note: String::new(),
        };
        cell(svg, (x, y), &look, r#"stroke-width="2" stroke-dasharray="4 3""#);
        (x + CELL.0 / 2.0, y + CELL.1 - 2.0)
    }
}

fn cell(svg: &mut Svg, (x, y): Point, look: &Look, style: &str) {
    let width = if look.stroke == super::svg::RED && style.is_empty() { r#"stroke-width="2.5""# } else { style };
    let (corner, sides) = ((x + 1.0, y + 1.0), (CELL.0 - 2.0, CELL.1 - 2.0));
    // Some fills let the ground through, which may be dark.
    svg.rectangle(corner, sides, "white", "none", "");
    svg.rectangle(corner, sides, &look.fill, look.stroke, width);
    let size = if look.words.chars().count() > 4 { 9.0 } else { 11.0 };
    svg.text((x + CELL.0 / 2.0, y + CELL.1 / 2.0 + 4.0), Anchor::Middle, size, look.ink, &look.words);
    if !look.note.is_empty() {
        svg.text((x + CELL.0 - 9.0, y + CELL.1 - 3.0), Anchor::Middle, 7.0, INK, &look.note);
    }
}

/// A value, as short as a cell is wide.
pub(super) fn value(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e5 {
        format!("{value:.0}")
    } else if value.abs() < 1000.0 {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').to_owned()
    } else {
        format!("{value:.0e}")
    }
}

/// The look of an array's cells with their values.
pub(super) fn values_of(array: &PuzzleArray) -> impl FnMut(usize) -> Look {
    |element| Look::plain(array.values.get(element).copied().map_or(String::new(), value))
}
