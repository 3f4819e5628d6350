//! The font of plots, part of the library: a notebook server need not have any.

use plotters::style::{FontStyle, register_font};
use std::sync::Once;

/// The name under which plotters finds the font.
pub(super) const FAMILY: &str = "DejaVu Sans";

static DEJAVU_SANS: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSans-subset.ttf");

/// Makes the font known to plotters, once; also as `sans-serif`, for a cell that draws with plotters itself.
pub(super) fn register() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        for name in [FAMILY, "sans-serif"] {
            if register_font(name, FontStyle::Normal, DEJAVU_SANS).is_err() {
                unreachable!("the embedded font is a whole TrueType file");
            }
        }
    });
}
