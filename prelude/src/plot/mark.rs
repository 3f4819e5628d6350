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
    /// Bars on 0.
    Bars(Vec<Bar>),
    /// The array as a picture, with row 0 at the top: element (i, j) fills the square around (j, i).
    Picture(&'a Image),
}

/// A bar on 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub left: f64,
    pub right: f64,
    pub height: f64,
}

impl Mark<'_> {
    /// The points that the axes have to contain. A point that lacks one number is about one axis only.
    pub fn corners(&self) -> Box<dyn Iterator<Item = (Option<f64>, Option<f64>)> + '_> {
        match self {
            Mark::Line { x, y, .. } | Mark::Points { x, y, .. } => {
                Box::new(x.iter().zip(y.iter()).map(|(&x, &y)| (Some(x), Some(y))))
            }
            Mark::Bars(bars) => Box::new(bars.iter().filter(|bar| bar.height.is_finite()).flat_map(|bar| {
                [(Some(bar.left), None), (Some(bar.right), None), (None, Some(0.0)), (None, Some(bar.height))]
            })),
            Mark::Picture(image) => {
                let (rows, columns) = image.shape;
                Box::new(
                    [(-0.5, -0.5), (columns as f64 - 0.5, rows as f64 - 0.5)]
                        .map(|(x, y)| (Some(x), Some(y)))
                        .into_iter(),
                )
            }
        }
    }
}
