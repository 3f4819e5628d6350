//! The functions of SciPy's modules that the fuzz calls.

mod images;
mod modules;
mod signal;
mod sparse;
mod special;

use super::families::Call;

/// The calls by the name of a function and an element type.
pub const CALLS: [fn(&str, &str) -> Option<Call>; 11] = [
    special::elementwise,
    images::filters,
    images::shapes,
    images::measurements,
    signal::filters,
    signal::designs,
    sparse::matrices,
    modules::algebra,
    modules::transforms,
    modules::interpolation,
    modules::statistics,
];
