//! Plots: numbers over axes, and arrays as pictures.
//!
//! A [`Plot`] is a [`Chart`](chart::Chart), plain data, with what a notebook needs to show it. Each kind of plot is a file in
//! `kinds`. It turns its numbers into marks, such as curves and bars. A renderer knows charts and marks only: `png` draws
//! them as a picture, `vega` describes them to clients that draw themselves.

mod axis;
mod builder;
mod chart;
mod colormap;
mod colors;
mod image;
mod kinds;
mod look;
mod mark;
mod png;
mod shown;
mod subplots;
mod ticks;
mod values;
mod vega;
mod video;

pub use builder::Plot;
pub use image::{ImageSource, SeveralImages};
pub use kinds::*;
pub(crate) use png::DEJAVU_SANS;
pub use subplots::{Subplots, subplots, try_subplots};
pub use values::{Categories, Curve, PerPoint, Values};
pub use video::{Frames, IntoFrame, Video, try_video, video};

#[cfg(test)]
mod tests;
