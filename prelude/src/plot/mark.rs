//! Marks: what a renderer draws. They are in the coordinates of the data, and have all that their look needs.

use super::image::Image;
use super::look::{Marker, Stroke};
use std::borrow::Cow;

/// Numbers of a mark: borrowed from the kind, or made for the mark.
pub(super) type Numbers<'a> = Cow<'a, [f64]>;

/// A thing to draw. Its colour is that of its series, or where `numbers` are given, the one that stands for the number.
#[derive(Debug)]
pub(super) enum Mark<'a> {
    /// The curve through points, with a gap where a point has no place.
    Line { x: Numbers<'a>, y: Numbers<'a>, stroke: Stroke, number: Option<f64> },
    /// Markers. Their size is the diameter in pixels.
    Points { x: Numbers<'a>, y: Numbers<'a>, marker: Marker, size: f64, numbers: Option<&'a [f64]> },
    /// Straight lines, each from (x.0, y.0) to (x.1, y.1).
    Sticks { x: (Numbers<'a>, Numbers<'a>), y: (Numbers<'a>, Numbers<'a>), stroke: Stroke },
    /// A straight line across the whole plot, where this axis has the number.
    Rule { axis: Direction, at: f64, stroke: Stroke },
    /// What lies between two curves.
    Area { x: &'a [f64], y: (&'a [f64], &'a [f64]) },
    /// Bars on 0.
    Bars(Vec<Bar>),
    /// The array as a picture, in the place that it has.
    Picture(&'a Image),
    /// Cells of a grid: the ends of columns and rows, and a number for each cell, row by row.
    Mesh { x: &'a [f64], y: &'a [f64], numbers: &'a [f64] },
}

/// One of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Direction {
    X,
    Y,
}

/// A bar on 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub left: f64,
    pub right: f64,
    pub height: f64,
}

/// A point that axes have to contain. One that lacks a number is about the other axis only.
pub(super) type Corner = (Option<f64>, Option<f64>);

impl Mark<'_> {
    /// Tells what the axes have to contain.
    pub fn corners(&self, tell: &mut dyn FnMut(Corner)) {
        let mut points = |x: &[f64], y: &[f64]| x.iter().zip(y).for_each(|(&x, &y)| tell((Some(x), Some(y))));
        match self {
            Mark::Line { x, y, .. } | Mark::Points { x, y, .. } => points(x, y),
            Mark::Sticks { x, y, .. } => {
                points(&x.0, &y.0);
                points(&x.1, &y.1);
            }
            Mark::Area { x, y } => {
                points(x, y.0);
                points(x, y.1);
            }
            Mark::Rule { axis: Direction::X, at, .. } => tell((Some(*at), None)),
            Mark::Rule { axis: Direction::Y, at, .. } => tell((None, Some(*at))),
            Mark::Bars(bars) => {
                for bar in bars.iter().filter(|bar| bar.height.is_finite()) {
                    [Some(bar.left), Some(bar.right)].into_iter().for_each(|x| tell((x, None)));
                    [Some(0.0), Some(bar.height)].into_iter().for_each(|y| tell((None, y)));
                }
            }
            Mark::Picture(image) => {
                let [left, right, bottom, top] = image.extent();
                points(&[left, right], &[bottom, top]);
            }
            Mark::Mesh { x, y, .. } => {
                x.iter().for_each(|&x| tell((Some(x), None)));
                y.iter().for_each(|&y| tell((None, Some(y))));
            }
        }
    }
}
