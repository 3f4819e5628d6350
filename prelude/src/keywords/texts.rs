//! What calls with keywords need that write numbers and arrays as text.

use crate::array::OnDevice;
use crate::error::check;
use crate::texts::{
    ArrayStyle, Options, TextFloat, in_base, in_binary, positional_of, repr_of, scientific_of, str_of, text_of, whole,
};

/// `gpu::base_repr` with its base, and zeros in front.
#[track_caller]
pub fn base_repr(number: impl TryInto<i128>, base: u32, padding: usize) -> String {
    check(in_base(whole(number), base, padding))
}

/// `gpu::binary_repr` with its width.
#[track_caller]
pub fn binary_repr(num: impl TryInto<i128>, width: Option<usize>) -> String {
    check(in_binary(whole(num), width))
}

/// `gpu::format_float_positional` with its keywords.
#[track_caller]
#[allow(clippy::too_many_arguments)] // Cells write them by name.
pub fn format_float_positional<T: TextFloat>(
    x: T,
    precision: Option<usize>,
    unique: Option<bool>,
    fractional: Option<bool>,
    trim: Option<&str>,
    sign: Option<bool>,
    pad_left: Option<usize>,
    pad_right: Option<usize>,
    min_digits: Option<usize>,
) -> String {
    let options =
        Options { precision, unique, fractional, trim, sign, pad_left, pad_right, exp_digits: None, min_digits };
    check(positional_of(x, &options))
}

/// `gpu::format_float_scientific` with its keywords.
#[track_caller]
#[allow(clippy::too_many_arguments)] // Cells write them by name.
pub fn format_float_scientific<T: TextFloat>(
    x: T,
    precision: Option<usize>,
    unique: Option<bool>,
    trim: Option<&str>,
    sign: Option<bool>,
    pad_left: Option<usize>,
    exp_digits: Option<usize>,
    min_digits: Option<usize>,
) -> String {
    let options = Options { precision, unique, trim, sign, pad_left, exp_digits, min_digits, ..Options::default() };
    check(scientific_of(x, &options))
}

/// `gpu::array2string` with its keywords.
#[track_caller]
#[allow(clippy::too_many_arguments)] // Cells write them by name.
pub fn array2string<A: OnDevice>(
    a: &A,
    max_line_width: Option<usize>,
    precision: Option<usize>,
    suppress_small: Option<bool>,
    separator: Option<&str>,
    prefix: Option<&str>,
    threshold: Option<usize>,
    edgeitems: Option<usize>,
    sign: Option<&str>,
    floatmode: Option<&str>,
    suffix: Option<&str>,
) -> String {
    let style = ArrayStyle {
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        suffix,
        threshold,
        edgeitems,
        sign,
        floatmode,
    };
    check(text_of("array2string", a.raw(), &style))
}

/// `gpu::array_repr` with its keywords.
#[track_caller]
pub fn array_repr<A: OnDevice>(
    arr: &A,
    max_line_width: Option<usize>,
    precision: Option<usize>,
    suppress_small: Option<bool>,
) -> String {
    let style = ArrayStyle { max_line_width, precision, suppress_small, ..ArrayStyle::default() };
    check(repr_of("array_repr", arr.raw(), &style))
}

/// `gpu::array_str` with its keywords.
#[track_caller]
pub fn array_str<A: OnDevice>(
    a: &A,
    max_line_width: Option<usize>,
    precision: Option<usize>,
    suppress_small: Option<bool>,
) -> String {
    let style = ArrayStyle { max_line_width, precision, suppress_small, ..ArrayStyle::default() };
    check(str_of("array_str", a.raw(), &style))
}
