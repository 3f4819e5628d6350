//! Printing: NumPy's brackets, long arrays abbreviated. `{:?}` adds a line with shape, dtype and device, and offers a table to
//! the notebook.

use super::html;
use super::print_options::{Settings, settings};
use crate::array::{DeviceArray, RawArray, transfer};
use crate::backend::Layout;
use crate::cell;
use crate::dtype::rounding::odd_from_f64;
use crate::dtype::{DType, Element, dtypes};
use crate::error::{Error, Result, fail};
use crate::rich::MimeBundle;
use num_complex::Complex;
use std::fmt;

/// The values as NumPy's `print` shows them; more than 1000 are abbreviated, or as
/// [`set_printoptions`](crate::set_printoptions) says. Waits for queued work.
impl<T: Element> fmt::Display for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_values(&self.raw, f)
    }
}

/// The values as [`Display`](fmt::Display) gives them, then a line with shape, dtype and device. So the last line of a cell
/// shows arrays. A notebook shows arrays with one or two axes as tables.
impl<T: Element> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_described(&self.raw, f)
    }
}

fn write_values(raw: &RawArray, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&text(&entries(raw, &settings())))
}

fn write_described(raw: &RawArray, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let entries = entries(raw, &settings());
    let shape: Vec<String> = raw.shape().iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let facts = format!("shape ({}{comma}), dtype {}, on {}", shape.join(", "), raw.dtype, raw.handle.device);
    let text = format!("{}\n{facts}", text(&entries));
    if let Ok(entries) = &entries {
        cell::offer_rich(&text, || {
            let table = html::of_entries(entries, &facts);
            table.map_or_else(MimeBundle::new, |table| MimeBundle::new().html(table)).into_data()
        });
    }
    f.write_str(&text)
}

/// The text of the entries, or why there is none. What a device has found since an earlier call is the error of that call, which nobody
/// would hear of any more: it panics here, as where elements are read in another way.
fn text(entries: &Result<Entries>) -> String {
    match entries {
        Ok(entries) => entries.text(),
        // Not while the message of a panic is written.
        Err(error @ Error::FoundLater { .. }) if !std::thread::panicking() => fail(error.clone()),
        Err(error) => format!("<the elements cannot be read: {error}>"),
    }
}

/// The elements that are shown, formatted and of one width.
pub(super) struct Entries {
    pub cells: Vec<String>,
    /// Per axis, how many entries are shown and whether there is a gap in the middle.
    pub axes: Vec<(usize, bool)>,
    /// How many entries are on each side of a gap.
    pub edge: usize,
    linewidth: usize,
}

/// The entries of an axis in turn; the gap is none of them.
pub(crate) fn with_gap((shown, gap): (usize, bool), edge: usize) -> Vec<Option<usize>> {
    let mut all: Vec<Option<usize>> = (0..shown).map(Some).collect();
    if gap {
        all.insert(edge, None);
    }
    all
}

impl Entries {
    fn text(&self) -> String {
        let mut text = String::new();
        self.write_axis(0, 0, &mut text);
        text
    }

    /// Writes the entries below one index of the axes before `axis`; gives the next cell.
    fn write_axis(&self, axis: usize, mut cell: usize, text: &mut String) -> usize {
        let Some(&(shown, gap)) = self.axes.get(axis) else {
            text.push_str(self.cells.get(cell).map_or("", String::as_str));
            return cell + 1;
        };
        let entries = with_gap((shown, gap), self.edge);
        text.push('[');
        if axis + 1 == self.axes.len() {
            let words = entries.into_iter().map(|entry| entry.map_or("...", |entry| &self.cells[cell + entry]));
            self.write_row(words, text);
            cell += shown;
        } else {
            let separator = format!("{}{}", "\n".repeat(self.axes.len() - axis - 1), " ".repeat(axis + 1));
            for (index, entry) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push_str(&separator);
                }
                match entry {
                    Some(_) => cell = self.write_axis(axis + 1, cell, text),
                    None => text.push_str("..."),
                }
            }
        }
        text.push(']');
        cell
    }

    /// Writes the entries of the last axis, in as many lines as they need.
    fn write_row<'a>(&self, words: impl Iterator<Item = &'a str>, text: &mut String) {
        // Behind the brackets, and with as many places for those that close.
        let indent = self.axes.len();
        let width = self.linewidth.saturating_sub(indent);
        let mut column = indent;
        for (index, word) in words.enumerate() {
            if index > 0 {
                text.push(' ');
                column += 1;
            }
            if column > indent && column + word.len() > width {
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\n');
                text.push_str(&" ".repeat(indent));
                column = indent;
            }
            text.push_str(word);
            column += word.len();
        }
    }
}

/// The elements of an array as text, not yet of one width.
macro_rules! cells {
    ($sample:ident, $settings:ident $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        match $sample.dtype {
            $(DType::$tag => {
                let values = transfer::download_vec::<$type>(&$sample)?;
                cells!(@$kind values, $type, $settings)
            })*
        }
    };
    (@Narrow $values:ident, $type:ty, $settings:ident) => { small_floats(&$values, <$type>::from_f32, $settings) };
    (@Float $values:ident, $type:ty, $settings:ident) => {{
        let values: Vec<f64> = $values.into_iter().map(shortest).collect();
        floats(&values, &values, LARGE, $settings)
    }};
    (@Complex $values:ident, $type:ty, $settings:ident) => { complex(&$values, $settings) };
    (@$whole:ident $values:ident, $type:ty, $settings:ident) => { $values.iter().map(<$type>::to_string).collect::<Vec<String>>() };
}

fn entries(raw: &RawArray, settings: &Settings) -> Result<Entries> {
    let (sample, axes) = copy_of_shown(raw, settings)?;
    let mut cells = dtypes!(cells!(sample, settings));
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    cells.iter_mut().for_each(|cell| *cell = format!("{cell:>width$}"));
    Ok(Entries { cells, axes, edge: edge(settings), linewidth: settings.linewidth })
}

/// How many entries are on each side of a gap. Twice as many are still a number.
fn edge(settings: &Settings) -> usize {
    settings.edgeitems.min(usize::MAX / 2)
}

/// The elements that are shown, in a new array, and of each axis how many are shown and whether there is a gap in the middle.
pub(crate) fn copy_of_shown(raw: &RawArray, settings: &Settings) -> Result<(RawArray, Vec<(usize, bool)>)> {
    let edge = edge(settings);
    let abbreviates = raw.size() > settings.threshold;
    let gap = |length: usize| abbreviates && length > 2 * edge;
    let axes: Vec<(usize, bool)> =
        raw.shape().iter().map(|&length| (if gap(length) { 2 * edge } else { length }, gap(length))).collect();
    let shown: Vec<usize> = axes.iter().map(|&(shown, _)| shown).collect();
    let sample = RawArray::uninitialised("display", &raw.handle, &shown, raw.dtype)?;
    if sample.size() > 0 {
        copy_corners(raw, &sample, edge)?;
    }
    Ok((sample, axes))
}

/// Copies the shown entries to `sample`: of each abbreviated axis, the first and the last few.
fn copy_corners(raw: &RawArray, sample: &RawArray, edge: usize) -> Result<()> {
    let rank = raw.shape().len();
    let halved: Vec<usize> = (0..rank).filter(|&axis| raw.shape()[axis] != sample.shape()[axis]).collect();
    for corner in 0..1usize << halved.len() {
        let part = |array: &RawArray| {
            let mut layout: Layout = array.layout.clone();
            for (bit, &axis) in halved.iter().enumerate() {
                if corner >> bit & 1 == 1 {
                    let skipped = (layout.shape[axis] - edge) as isize * layout.strides[axis];
                    layout.offset = layout.offset.checked_add_signed(skipped).expect("within the allocation");
                }
                layout.shape[axis] = edge;
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

/// More decimals no float has.
const MOST_DIGITS: usize = 1074;

/// As NumPy: fixed point with as many decimals as the elements need, but at most the precision, aligned at the point; or
/// exponents if values are very large, very small or far apart. `values` have as few digits as tell them apart; where the others
/// make for more, they are those of `exact`.
fn floats(values: &[f64], exact: &[f64], exponents: Exponents, settings: &Settings) -> Vec<String> {
    let magnitudes = values.iter().map(|value| value.abs()).filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) = magnitudes.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let is_small = || !settings.suppress && (low < 1e-4 || high / low > exponents.ratio);
    let exponential = high >= exponents.from || is_small();
    let format = |value: f64, digits: usize| -> (String, String) {
        match value {
            _ if value.is_nan() => ("nan".to_owned(), String::new()),
            _ if value.is_infinite() => (if value > 0.0 { "inf" } else { "-inf" }.to_owned(), String::new()),
            _ if exponential => {
                let (mantissa, exponent) = split(&format!("{value:e}"));
                let (mantissa, exponent) = match padded(&mantissa, digits) {
                    Some(mantissa) => (mantissa, exponent),
                    None => split(&format!("{value:.digits$e}")),
                };
                let sign = if exponent < 0 { '-' } else { '+' };
                (mantissa, format!("e{sign}{:02}", exponent.abs()))
            }
            _ => {
                let fixed = padded(&value.to_string(), digits);
                (fixed.unwrap_or_else(|| format!("{value:.digits$}")), String::new())
            }
        }
    };
    let decimals = |value: f64| {
        let (mantissa, _) = format(value, settings.precision.min(MOST_DIGITS));
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

/// Mantissa and exponent of a number.
fn split(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').expect("an exponent was asked for");
    (mantissa.to_owned(), exponent.parse().expect("exponents are integers"))
}

/// A number with so many decimals, if it has no more: more digits than those that tell a float from its neighbours would say
/// nothing.
fn padded(number: &str, digits: usize) -> Option<String> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let point = if digits > 0 { "." } else { "" };
    (decimals.len() <= digits).then(|| format!("{whole}{point}{decimals:0<digits$}"))
}

/// Both parts as [`floats`], each aligned, the second with its sign and an `i`.
fn complex<T: Copy + ToString>(values: &[Complex<T>], settings: &Settings) -> Vec<String> {
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
    let imaginary_cells =
        floats(&imaginary, &imaginary, LARGE, settings).into_iter().zip(&imaginary).map(signed).collect();
    let cells = aligned(floats(&real, &real, LARGE, settings)).into_iter().zip(aligned(imaginary_cells));
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
fn small_floats<T: Copy + PartialEq + Into<f64>>(
    values: &[T],
    from_f32: impl Fn(f32) -> T,
    settings: &Settings,
) -> Vec<String> {
    let exact: Vec<f64> = values.iter().map(|&value| value.into()).collect();
    let shortest = |(&value, &exact): (&T, &f64)| {
        // Five digits tell all values apart.
        let mut candidates = (0..5).filter_map(|digits| format!("{exact:.digits$e}").parse::<f64>().ok());
        candidates.find(|&candidate| from_f32(odd_from_f64(candidate)) == value).unwrap_or(exact)
    };
    let few_digits: Vec<f64> = values.iter().zip(&exact).map(shortest).collect();
    floats(&few_digits, &exact, SMALL, settings)
}

#[cfg(test)]
mod tests {
    use super::super::print_options::INITIAL;
    use super::*;
    use crate::array::{arange, array};

    /// The text under options of its own: those of the process are for all tests.
    fn printed<T: Element>(array: DeviceArray<T>, change: impl Fn(&mut Settings)) -> String {
        let mut settings = INITIAL;
        change(&mut settings);
        text(&entries(&array.raw, &settings))
    }

    #[test]
    fn what_an_earlier_call_has_done_wrong_is_no_text() {
        let place = std::panic::Location::caller();
        let wrong = Error::IndexOutOfRange { operation: "take", index: 9, axis: None, length: 3 };
        let later = Error::FoundLater { error: Box::new(wrong.clone()), location: place };
        let panic = std::panic::catch_unwind(|| text(&Err(later))).unwrap_err();
        let said = panic.downcast_ref::<String>().unwrap();
        assert!(said.contains("take: the index 9 is out of range") && said.contains("display.rs"), "{said}");
        let invalid = text(&Err(Error::InvalidResult { cause: Box::new(wrong) }));
        assert!(invalid.starts_with("<the elements cannot be read: this array was computed"), "{invalid}");
    }

    /// The expected texts are NumPy's.
    #[test]
    fn precision_is_the_most_decimals() {
        let digits = |digits: usize| move |settings: &mut Settings| settings.precision = digits;
        let numbers = || array(&[1.0 / 3.0, 200.0 / 3.0, 0.1]);
        assert_eq!(printed(numbers(), digits(3)), "[ 0.333 66.667  0.1  ]");
        assert_eq!(printed(numbers(), digits(0)), "[ 0. 67.  0.]");
        // No more digits than tell a number from its neighbours.
        let all = "[ 0.3333333333333333 66.66666666666667    0.1               ]";
        assert_eq!(printed(numbers(), digits(17)), all);
        assert_eq!(printed(numbers(), digits(usize::MAX)), all);
        assert_eq!(printed(array(&[0.1f32, 1.0 / 3.0]), digits(12)), "[0.1        0.33333334]");
        assert_eq!(printed(array(&[0.1, 1e-10, 5.0]), digits(20)), "[1.e-01 1.e-10 5.e+00]");
        assert_eq!(printed(array(&[crate::Complex::new(1.0 / 3.0, 0.5)]), digits(2)), "[0.33+0.5i]");
    }

    #[test]
    fn small_numbers_can_be_suppressed() {
        let suppress = |settings: &mut Settings| settings.suppress = true;
        assert_eq!(printed(array(&[1e-10, 0.5, -2e-7]), suppress), "[ 0.         0.5       -0.0000002]");
        assert_eq!(printed(array(&[1e9, 0.5]), suppress), "[1.e+09 5.e-01]");
    }

    #[test]
    fn rows_have_a_width() {
        let width = |width: usize| move |settings: &mut Settings| settings.linewidth = width;
        let lines = "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.\n  9. 10. 11. 12. 13. 14. 15. 16. 17.\n \
                     18. 19. 20. 21. 22. 23. 24. 25. 26.\n 27. 28. 29.]";
        assert_eq!(printed(arange(30.0), width(40)), lines);
        assert_eq!(
            printed(arange(24.0).reshape((2, 12)) / 8.0, width(30)),
            "[[0.    0.125 0.25  0.375\n  0.5   0.625 0.75  0.875\n  1.    1.125 1.25  1.375]\n \
             [1.5   1.625 1.75  1.875\n  2.    2.125 2.25  2.375\n  2.5   2.625 2.75  2.875]]"
        );
        assert_eq!(
            printed(arange(12).reshape((2, 1, 6)), width(12)),
            "[[[ 0  1\n    2  3\n    4  5]]\n\n [[ 6  7\n    8  9\n   10 11]]]"
        );
        assert_eq!(printed(arange((0, 4000, 1000)), width(3)), "[   0\n 1000\n 2000\n 3000]");
    }

    #[test]
    fn ends_have_any_length() {
        let ends = |threshold: usize, edgeitems: usize| {
            move |settings: &mut Settings| (settings.threshold, settings.edgeitems) = (threshold, edgeitems)
        };
        assert_eq!(printed(arange(100), ends(10, 4)), "[ 0  1  2  3 ... 96 97 98 99]");
        assert_eq!(printed(arange(49).reshape((7, 7)), ends(10, 1)), "[[ 0 ...  6]\n ...\n [42 ... 48]]");
        assert_eq!(printed(arange(20), ends(5, 0)), "[...]");
        assert_eq!(printed(arange(3), ends(0, usize::MAX)), "[0 1 2]");
        assert!(!printed(arange(2000), ends(usize::MAX, 3)).contains("..."));
    }
}
