//! Pictures of arrays in the notebook: [`imshow()`].

mod colormap;
mod draw;
mod font;
mod image;
mod imshow;
mod ticks;

pub use image::ImageSource;
pub use imshow::{Figure, imshow, try_imshow};
