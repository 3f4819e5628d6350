//! Crates that the prelude does not use itself, but that cells get from it with `:dep`. So their types match the types of
//! `ndarray` and of each other. Naming them here puts their code into the shared library.

extern crate approx as _;
extern crate either as _;
extern crate num_complex as _;
extern crate num_integer as _;
extern crate num_traits as _;
extern crate rand as _;
extern crate serde as _;
extern crate serde as _;

use crate::plot::DEJAVU_SANS;
use plotters::style::{FontStyle, register_font};

/// Gives `plotters` the font of plots, for cells that draw with it themselves: a notebook server need not have any.
pub(crate) fn register_fonts() {
    for name in ["DejaVu Sans", "sans-serif"] {
        if register_font(name, FontStyle::Normal, DEJAVU_SANS).is_err() {
            unreachable!("the embedded font is a whole TrueType file");
        }
    }
}

#[cfg(test)]
mod tests {
    use plotters::prelude::*;

    #[test]
    fn plotters_finds_a_font() {
        super::register_fonts();
        let mut pixels = vec![255; 3 * 60 * 30];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (60, 30)).into_drawing_area();
            area.draw_text("text", &("sans-serif", 15).into_text_style(&area), (5, 5)).unwrap();
        }
        assert!(pixels.iter().filter(|&&part| part < 100).count() > 30);
    }
}
