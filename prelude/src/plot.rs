//! Pictures in the notebook: arrays as colours, [`imshow()`], and numbers over axes, [`plot()`], [`scatter`], [`bar`], [`hist`].

mod axis;
mod chart;
mod colormap;
mod draw;
mod due;
mod font;
mod image;
mod imshow;
mod paint;
mod series;
mod strokes;
mod ticks;
mod values;

pub use chart::*;
pub use image::ImageSource;
pub use imshow::{Figure, heatmap, imshow, try_imshow};
pub use values::{Categories, Curve, Values};

#[cfg(test)]
mod tests;
