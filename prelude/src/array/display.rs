//! Printing: NumPy's brackets, long arrays abbreviated. `{:?}` adds a line with shape, dtype and device.

use crate::array::{DeviceArray, RawArray, transfer};
use crate::backend::Layout;
use crate::dtype::rounding::odd_from_f64;
use crate::dtype::{DType, Element, dtypes};
use crate::error::Result;
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt::{self, Write};

/// Arrays of more elements are abbreviated.
const THRESHOLD: usize = 1000;
/// How many entries an abbreviated axis shows at each end.
const EDGE: usize = 3;

/// The values as NumPy's `print` shows them; more than 1000 are abbreviated. Waits for queued work.
impl<T: Element> fmt::Display for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&values(&self.raw))
    }
}

/// The values as [`Display`](fmt::Display) gives them, then a line with shape, dtype and device. So the last line of a cell
/// shows arrays.
impl<T: Element> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&described(&self.raw))
    }
}

fn values(raw: &RawArray) -> String {
    let mut text = String::new();
    match entries(raw) {
        Ok(entries) => entries.write(&mut text),
        Err(error) => write!(text, "<the elements cannot be read: {error}>").expect("strings take all text"),
    }
    text
}

fn described(raw: &RawArray) -> String {
    let mut text = values(raw);
    let shape: Vec<String> = raw.shape().iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let device = raw.handle.device;
    write!(text, "\nshape ({}{comma}), dtype {}, on {device}", shape.join(", "), raw.dtype)
        .expect("strings take all text");
    text
}

/// The elements that are shown, formatted and of one width.
struct Entries {
    cells: Vec<String>,
    /// Per axis, how many entries are shown and whether there is a gap in the middle.
    axes: Vec<(usize, bool)>,
}

impl Entries {
    fn write(&self, text: &mut String) {
        self.write_axis(0, 0, 0, text);
    }

    /// Writes the entries below one index of the axes before `axis`; gives the next cell.
    fn write_axis(&self, axis: usize, mut cell: usize, indent: usize, text: &mut String) -> usize {
        let Some(&(shown, gap)) = self.axes.get(axis) else {
            text.push_str(self.cells.get(cell).map_or("", String::as_str));
            return cell + 1;
        };
        let last = axis + 1 == self.axes.len();
        let separator = if last {
            " ".to_owned()
        } else {
            format!("{}{}", "\n".repeat(self.axes.len() - axis - 1), " ".repeat(indent + 1))
        };
        text.push('[');
        for entry in 0..shown {
            if entry > 0 {
                text.push_str(&separator);
            }
            if gap && entry == EDGE {
                text.push_str("...");
                text.push_str(&separator);
            }
            cell = self.write_axis(axis + 1, cell, indent + 1, text);
        }
        text.push(']');
        cell
    }
}

/// The elements of an array as text, not yet of one width.
macro_rules! cells {
    ($sample:ident $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        match $sample.dtype {
            $(DType::$tag => {
                let values = transfer::download_vec::<$type>(&$sample)?;
                cells!(@$kind values, $type)
            })*
        }
    };
    (@Half $values:ident, $type:ty) => { small_floats(&$values, <$type>::from_f32) };
    (@Brain $values:ident, $type:ty) => { small_floats(&$values, <$type>::from_f32) };
    (@Float $values:ident, $type:ty) => {{
        let values: Vec<f64> = $values.into_iter().map(shortest).collect();
        floats(&values, &values, LARGE)
    }};
    (@Complex $values:ident, $type:ty) => { complex(&$values) };
    (@$whole:ident $values:ident, $type:ty) => { $values.iter().map(<$type>::to_string).collect::<Vec<String>>() };
}

fn entries(raw: &RawArray) -> Result<Entries> {
    let abbreviates = raw.size() > THRESHOLD;
    let gap = |length: usize| abbreviates && length > 2 * EDGE;
    let axes: Vec<(usize, bool)> =
        raw.shape().iter().map(|&length| (if gap(length) { 2 * EDGE } else { length }, gap(length))).collect();
    let shown: Vec<usize> = axes.iter().map(|&(shown, _)| shown).collect();
    let sample = RawArray::uninitialised("display", &raw.handle, &shown, raw.dtype)?;
    if sample.size() > 0 {
        copy_corners(raw, &sample)?;
    }
    let mut cells = dtypes!(cells!(sample));
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    cells.iter_mut().for_each(|cell| *cell = format!("{cell:>width$}"));
    Ok(Entries { cells, axes })
}

/// Copies the shown entries to `sample`: of each abbreviated axis, the first and the last few.
fn copy_corners(raw: &RawArray, sample: &RawArray) -> Result<()> {
    let rank = raw.shape().len();
    let halved: Vec<usize> = (0..rank).filter(|&axis| raw.shape()[axis] != sample.shape()[axis]).collect();
    for corner in 0..1usize << halved.len() {
        let part = |array: &RawArray| {
            let mut layout: Layout = array.layout.clone();
            for (bit, &axis) in halved.iter().enumerate() {
                if corner >> bit & 1 == 1 {
                    let skipped = (layout.shape[axis] - EDGE) as isize * layout.strides[axis];
                    layout.offset = layout.offset.checked_add_signed(skipped).expect("within the allocation");
                }
                layout.shape[axis] = EDGE;
            }
            array.with_layout(layout)
        };
        raw.handle.backend.copy(part(raw).view(), part(sample).view())?;
    }
    Ok(())
}

/// From which value on, and from which ratio of the largest to the smallest on, floats are shown with exponents.
#[derive(Clone, Copy)]
struct Exponents {
    from: f64,
    ratio: f64,
}

const LARGE: Exponents = Exponents { from: 1e8, ratio: 1e8 };
/// Of 16-bit floats, whose digits in front of the point are not exact for long; NumPy's bounds for them.
const SMALL: Exponents = Exponents { from: 1e3, ratio: 1e3 };

/// As NumPy with 8 digits: fixed point with as many decimals as the elements need, aligned at the point; or exponents
/// if values are very large, very small or far apart. `values` have as few digits as tell them apart; where the others make
/// for more, they are those of `exact`.
fn floats(values: &[f64], exact: &[f64], exponents: Exponents) -> Vec<String> {
    const DIGITS: usize = 8;
    let magnitudes = values.iter().map(|value| value.abs()).filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) = magnitudes.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let exponential = high >= exponents.from || low < 1e-4 || high / low > exponents.ratio;
    let format = |value: f64, digits: usize| -> (String, String) {
        match value {
            _ if value.is_nan() => ("nan".to_owned(), String::new()),
            _ if value.is_infinite() => (if value > 0.0 { "inf" } else { "-inf" }.to_owned(), String::new()),
            _ if exponential => {
                let text = format!("{value:.digits$e}");
                let (mantissa, exponent) = text.split_once('e').expect("an exponent was asked for");
                let exponent: i32 = exponent.parse().expect("exponents are integers");
                let sign = if exponent < 0 { '-' } else { '+' };
                (mantissa.to_owned(), format!("e{sign}{:02}", exponent.abs()))
            }
            _ => (format!("{value:.digits$}"), String::new()),
        }
    };
    let decimals = |value: f64| {
        let (mantissa, _) = format(value, DIGITS);
        mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.trim_end_matches('0').len())
    };
    let digits = values.iter().map(|&value| decimals(value)).max().unwrap_or(0);
    let cell = |value: f64| {
        let (mut mantissa, exponent) = format(value, digits);
        if value.is_finite() {
            if digits == 0 {
                mantissa.push('.');
            } else if !exponential {
                let zeros = mantissa.len() - mantissa.trim_end_matches('0').len();
                mantissa.replace_range(mantissa.len() - zeros.., &" ".repeat(zeros));
            }
        }
        mantissa + &exponent
    };
    (if exponential { exact } else { values }).iter().map(|&value| cell(value)).collect()
}

/// Both parts as [`floats`], each aligned, the second with its sign and an `i`.
fn complex<T: Copy + ToString>(values: &[Complex<T>]) -> Vec<String> {
    let aligned = |mut cells: Vec<String>| {
        let width = cells.iter().map(String::len).max().unwrap_or(0);
        cells.iter_mut().for_each(|cell| *cell = format!("{cell:>width$}"));
        cells
    };
    let part = |part: fn(&Complex<T>) -> T| -> Vec<f64> { values.iter().map(|value| shortest(part(value))).collect() };
    let (real, imaginary) = (part(|value| value.re), part(|value| value.im));
    let signed = |(cell, value): (String, &f64)| {
        let sign = if value.is_sign_negative() && !value.is_nan() { "" } else { "+" };
        format!("{sign}{cell}")
    };
    let imaginary_cells = floats(&imaginary, &imaginary, LARGE).into_iter().zip(&imaginary).map(signed).collect();
    let cells = aligned(floats(&real, &real, LARGE)).into_iter().zip(aligned(imaginary_cells));
    cells
        .map(|(real, imaginary)| {
            // The unit follows the digits.
            let digits = imaginary.trim_end().len();
            format!("{real}{}i{}", &imaginary[..digits], &imaginary[digits..])
        })
        .collect()
}

/// The shortest decimal number that is this value among those of its type, as `f64`: 0.1 stays 0.1.
fn shortest<T: ToString>(value: T) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}

/// [`floats`] of 16 bits.
fn small_floats<T: Copy + PartialEq + Into<f64>>(values: &[T], from_f32: impl Fn(f32) -> T) -> Vec<String> {
    let exact: Vec<f64> = values.iter().map(|&value| value.into()).collect();
    let shortest = |(&value, &exact): (&T, &f64)| {
        // Five digits tell all values apart.
        let mut candidates = (0..5).filter_map(|digits| format!("{exact:.digits$e}").parse::<f64>().ok());
        candidates.find(|&candidate| from_f32(odd_from_f64(candidate)) == value).unwrap_or(exact)
    };
    let few_digits: Vec<f64> = values.iter().zip(&exact).map(shortest).collect();
    floats(&few_digits, &exact, SMALL)
}
