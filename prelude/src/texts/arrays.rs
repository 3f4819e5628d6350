//! Whole arrays as text: NumPy's `array2string`, `array_repr` and `array_str`.
//!
//! The texts are NumPy's to the last character, with `True`, `1.j` and NumPy's names of types, so that they can be compared with
//! NumPy's and pasted into Python. They follow the options of [`set_printoptions`](crate::set_printoptions). `{}` shows Rust's words.

use super::digits::{Number, Sealed, Wanted};
use super::floats::{Style, TextFloat, Trim, positional, scientific};
use crate::array::{OnDevice, RawArray};
use crate::array::{Settings, copy_of_shown, settings, transfer, with_gap};
use crate::dtype::{DType, dtypes};
use crate::error::{Error, Result, check};
use num_complex::Complex;

/// The elements of an array as texts of one width.
macro_rules! cells {
    ($sample:ident, $form:ident $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        match $sample.dtype {
            $(DType::$tag => {
                let values = transfer::download_vec::<$type>(&$sample)?;
                cells!(@$kind values, $form)
            })*
        }
    };
    (@Bool $values:ident, $form:ident) => {
        $values.iter().map(|&value| truth(value, $form.is_single).to_owned()).collect::<Vec<String>>()
    };
    (@Complex $values:ident, $form:ident) => { complex(&$values, $form) };
    (@Narrow $values:ident, $form:ident) => { floats(&$values, $form, $form.sign) };
    (@Float $values:ident, $form:ident) => { floats(&$values, $form, $form.sign) };
    (@$whole:ident $values:ident, $form:ident) => {
        integers(&$values.into_iter().map(i128::from).collect::<Vec<i128>>(), $form)
    };
}

/// The only element of an array, as Python writes it.
macro_rules! only {
    ($raw:ident $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        match $raw.dtype {
            $(DType::$tag => {
                let value: $type = transfer::typed_scalar(transfer::item($raw)?);
                only!(@$kind value)
            })*
        }
    };
    (@Bool $value:ident) => { truth($value, true).to_owned() };
    (@Complex $value:ident) => { single_complex($value) };
    (@Narrow $value:ident) => { single($value, Trim::Zero, false) };
    (@Float $value:ident) => { single($value, Trim::Zero, false) };
    (@$whole:ident $value:ident) => { $value.to_string() };
}

/// How an array is written: what differs from the print options, as it is given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArrayStyle<'a> {
    pub max_line_width: Option<usize>,
    pub precision: Option<usize>,
    pub suppress_small: Option<bool>,
    pub separator: Option<&'a str>,
    pub prefix: Option<&'a str>,
    pub suffix: Option<&'a str>,
    pub threshold: Option<usize>,
    pub edgeitems: Option<usize>,
    pub sign: Option<&'a str>,
    pub floatmode: Option<&'a str>,
}

/// The elements of an array as text, in NumPy's form; NumPy's `array2string`. Waits for queued work.
///
/// The array has any element type and any number of axes. The macro `gpu::array2string!` takes NumPy's keywords:
/// `max_line_width`, `precision` (the most digits behind the point), `suppress_small = true` (no exponents for small numbers),
/// `separator`, `prefix` and `suffix` (texts around the array, for which lines leave room), `threshold` (with more elements, the
/// array is abbreviated), `edgeitems`, `sign` (`"-"`, `"+"` or `" "`) and `floatmode` (`"maxprec"`, `"maxprec_equal"`, `"fixed"`
/// or `"unique"`). Without them, [`set_printoptions`](crate::set_printoptions) holds.
///
/// Bools are `True` and `False`, and complex numbers end with `j`, as in Python. `{}` prints an array with Rust's words.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::array(&[[1.0, -2.0], [4.0, 5.5]]);
/// assert_eq!(gpu::array2string(&a), "[[ 1.  -2. ]\n [ 4.   5.5]]");
/// assert_eq!(gpu::array2string!(&a, separator = ", ", floatmode = "fixed", precision = 1), "[[ 1.0, -2.0],\n [ 4.0,  5.5]]");
/// ```
#[track_caller]
pub fn array2string<A: OnDevice>(a: &A) -> String {
    check(text_of("array2string", a.raw(), &ArrayStyle::default()))
}

/// The array as Python writes it, `array([1., 2.])`, with the element type where the numbers do not show it; NumPy's
/// `array_repr`. Waits for queued work.
///
/// The macro `gpu::array_repr!` takes `max_line_width`, `precision` and `suppress_small`, as of
/// [`array2string`](fn@array2string).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::array_repr(&gpu::array(&[1.0, 2.5])), "array([1. , 2.5])");
/// assert_eq!(gpu::array_repr(&gpu::array(&[1.0f32])), "array([1.], dtype=float32)");
/// ```
#[track_caller]
pub fn array_repr<A: OnDevice>(arr: &A) -> String {
    check(repr_of("array_repr", arr.raw(), &ArrayStyle::default()))
}

/// The elements of an array as text; NumPy's `array_str`. Of an array without axes it is the number with all its digits, else
/// the same as [`array2string`](fn@array2string). Waits for queued work.
///
/// The macro `gpu::array_str!` takes `max_line_width`, `precision` and `suppress_small`, as of [`array2string`](fn@array2string).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::array_str(&gpu::arange(3)), "[0 1 2]");
/// assert_eq!(gpu::array_str(&gpu::full((), 0.1 + 0.2)), "0.30000000000000004");
/// ```
#[track_caller]
pub fn array_str<A: OnDevice>(a: &A) -> String {
    check(str_of("array_str", a.raw(), &ArrayStyle::default()))
}

/// In which form floats are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloatMode {
    /// As few digits as tell numbers apart, at most the precision.
    Least,
    /// The same, and all numbers have as many as the longest.
    Equal,
    /// As many digits as the precision.
    Fixed,
    /// As few digits as tell numbers apart, whatever the precision is.
    Unique,
}

/// What elements are written with.
struct ElementFormat {
    precision: usize,
    suppress: bool,
    sign: char,
    mode: FloatMode,
    /// Whether the array has no axes.
    is_single: bool,
}

impl ArrayStyle<'_> {
    fn settings(&self) -> Settings {
        let held = settings();
        Settings {
            precision: self.precision.unwrap_or(held.precision),
            threshold: self.threshold.unwrap_or(held.threshold),
            // Twice as many are still a number.
            edgeitems: self.edgeitems.unwrap_or(held.edgeitems).min(usize::MAX / 2),
            linewidth: self.max_line_width.unwrap_or(held.linewidth),
            suppress: self.suppress_small.unwrap_or(held.suppress),
        }
    }

    fn form(&self, operation: &'static str, raw: &RawArray) -> Result<ElementFormat> {
        let invalid = |reason: String| Err(Error::argument(operation, reason));
        let sign = match self.sign {
            None | Some("-") => '-',
            Some("+") => '+',
            Some(" ") => ' ',
            Some(other) => return invalid(format!("sign is {other:?}; write \"-\", \"+\" or \" \"")),
        };
        let mode = match self.floatmode {
            None | Some("maxprec") => FloatMode::Least,
            Some("maxprec_equal") => FloatMode::Equal,
            Some("fixed") => FloatMode::Fixed,
            Some("unique") => FloatMode::Unique,
            Some(other) => {
                let words = "\"maxprec\", \"maxprec_equal\", \"fixed\" or \"unique\"";
                return invalid(format!("floatmode is {other:?}; write {words}"));
            }
        };
        let Settings { precision, suppress, .. } = self.settings();
        // More digits than NumPy writes.
        Ok(ElementFormat { precision: precision.min(16_000), suppress, sign, mode, is_single: raw.shape().is_empty() })
    }
}

/// `array2string` with all arguments.
pub(crate) fn text_of(operation: &'static str, raw: &RawArray, style: &ArrayStyle<'_>) -> Result<String> {
    let form = &style.form(operation, raw)?;
    if raw.size() == 0 {
        return Ok("[]".to_owned());
    }
    let settings = style.settings();
    let (sample, axes) = copy_of_shown(raw, &settings)?;
    let lines = Lines {
        cells: dtypes!(cells!(sample, form)),
        axes,
        edge: settings.edgeitems,
        separator: style.separator.unwrap_or(" "),
    };
    let indent = " ".repeat(1 + style.prefix.map_or(0, |prefix| prefix.chars().count()));
    let width = settings.linewidth.saturating_sub(style.suffix.map_or(0, |suffix| suffix.chars().count()));
    Ok(lines.text(0, &mut 0, &indent, width))
}

/// `array_repr` with all arguments.
pub(crate) fn repr_of(operation: &'static str, raw: &RawArray, style: &ArrayStyle<'_>) -> Result<String> {
    const PREFIX: &str = "array(";
    let style = ArrayStyle { separator: Some(", "), prefix: Some(PREFIX), suffix: Some(")"), ..*style };
    let text = PREFIX.to_owned() + &text_of(operation, raw, &style)?;
    let settings = style.settings();
    let mut facts = Vec::new();
    if (raw.size() == 0 && raw.shape() != [0]) || raw.size() > settings.threshold {
        facts.push(format!("shape={}", tuple(raw.shape())));
    }
    if raw.size() == 0 || !matches!(raw.dtype, DType::Bool | DType::I64 | DType::F64 | DType::C128) {
        facts.push(format!("dtype={}", raw.dtype.numpy_name()));
    }
    if facts.is_empty() {
        return Ok(text + ")");
    }
    let facts = facts.join(", ") + ")";
    let last_line = text.chars().rev().take_while(|&character| character != '\n').count() + 1;
    let fits = last_line + facts.chars().count() < settings.linewidth;
    let gap = if fits { " ".to_owned() } else { format!("\n{}", " ".repeat(PREFIX.len())) };
    Ok(format!("{text},{gap}{facts}"))
}

/// `array_str` with all arguments.
pub(crate) fn str_of(operation: &'static str, raw: &RawArray, style: &ArrayStyle<'_>) -> Result<String> {
    if !raw.shape().is_empty() {
        return text_of(operation, raw, style);
    }
    Ok(dtypes!(only!(raw)))
}

/// A shape as a tuple of Python.
fn tuple(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", lengths.join(", "), if shape.len() == 1 { "," } else { "" })
}

/// As wide as `False`, but in an array without axes.
fn truth(value: bool, is_single: bool) -> &'static str {
    match (value, is_single) {
        (true, true) => "True",
        (true, false) => " True",
        (false, _) => "False",
    }
}

fn integers(values: &[i128], form: &ElementFormat) -> Vec<String> {
    // A blank stands for the sign where no number has one.
    let sign = match form.sign {
        ' ' if values.iter().any(|&value| value < 0) => "",
        ' ' => " ",
        '+' => "+",
        _ => "",
    };
    let cells: Vec<String> =
        values.iter().map(|&value| if value < 0 { value.to_string() } else { format!("{sign}{value}") }).collect();
    aligned(cells)
}

fn aligned(mut cells: Vec<String>) -> Vec<String> {
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    cells.iter_mut().for_each(|cell| *cell = format!("{cell:>width$}"));
    cells
}

fn complex<T: TextFloat>(values: &[Complex<T>], form: &ElementFormat) -> Vec<String> {
    let part = |part: fn(&Complex<T>) -> T| values.iter().map(part).collect::<Vec<T>>();
    let (real, imaginary) =
        (floats(&part(|value| value.re), form, form.sign), floats(&part(|value| value.im), form, '+'));
    // The unit follows the digits.
    let joined = |(real, imaginary): (String, String)| {
        let digits = imaginary.trim_end();
        format!("{real}{digits}j{}", &imaginary[digits.len()..])
    };
    real.into_iter().zip(imaginary).map(joined).collect()
}

fn floats<T: TextFloat>(values: &[T], form: &ElementFormat, sign: char) -> Vec<String> {
    let numbers: Vec<Number> = values.iter().map(|&value| Number::of(value)).collect();
    let column = Column::new::<T>(&numbers, form, sign);
    numbers.iter().map(|number| column.cell(number)).collect()
}

/// How the floats of an array are written so that their points are below one another.
struct Column {
    is_exponential: bool,
    style: Style,
    /// How wide the whole cell is.
    width: usize,
}

impl Column {
    fn new<T: TextFloat>(numbers: &[Number], form: &ElementFormat, sign: char) -> Column {
        let finite: Vec<&Number> = numbers.iter().filter(|number| number.value.is_finite()).collect();
        let most = (form.mode != FloatMode::Unique).then_some(form.precision);
        let is_exponential = Column::is_exponential::<T>(&finite, form.suppress);
        let mut style = Style { sign: sign == '+', ..Style::new(most, Trim::Point) };
        if form.mode == FloatMode::Fixed {
            let wanted = Wanted { is_unique: false, ..style.wanted };
            style = Style { wanted, trim: Trim::Keep, ..style };
        }
        // What all numbers are without alignment: in front of the point, behind it, and the exponent.
        let parts = |number: &&Number| -> [usize; 3] {
            let text = if is_exponential { scientific(number, &style) } else { positional(number, &style) };
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            [whole.len(), fraction.len(), exponent.len()]
        };
        let widest = |[a, b, c]: [usize; 3], [x, y, z]: [usize; 3]| [a.max(x), b.max(y), c.max(z)];
        let [mut left, right, exponent] = finite.iter().map(parts).fold([0; 3], widest);
        if sign == ' ' && !finite.iter().any(|number| number.value.is_sign_negative()) {
            left += 1;
        }
        let digits = |is_unique| Wanted { is_unique, is_fractional: true, most: Some(right), least: Some(right) };
        let mut behind = right;
        if is_exponential {
            // The exponent has a sign; with it and the `e`, this is what follows the point.
            let exp_digits = exponent.saturating_sub(1);
            behind = exp_digits + 2 + right;
            style = Style { wanted: digits(style.wanted.is_unique), trim: Trim::Keep, exp_digits, ..style };
        } else if matches!(form.mode, FloatMode::Fixed | FloatMode::Equal) {
            style = Style { wanted: digits(style.wanted.is_unique), trim: Trim::Keep, pad_right: Some(right), ..style };
        } else {
            let wanted = Wanted { least: Some(0), ..style.wanted };
            style = Style { wanted, pad_right: Some(right), ..style };
        }
        if finite.len() < numbers.len() {
            // Room for `inf` or `nan`, and for a sign if one of the infinities has any.
            let has_sign = sign != '-' || numbers.iter().any(|number| number.value == f64::NEG_INFINITY);
            left = left.max((3 + usize::from(has_sign)).saturating_sub(behind + 1));
        }
        style.pad_left = left;
        Column { is_exponential, style, width: left + 1 + behind }
    }

    /// Whether the numbers are so large, so small, or so far apart that they are written with exponents.
    fn is_exponential<T: TextFloat>(finite: &[&Number], suppress: bool) -> bool {
        let magnitudes = finite.iter().map(|number| number.value.abs()).filter(|&magnitude| magnitude > 0.0);
        let (low, high) = magnitudes.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
        if high == 0.0 {
            return false;
        }
        let is_small = || low < <T as Sealed>::nearest(0.0001) || <T as Sealed>::nearest(high / low) > 1000.0;
        high >= 10f64.powi(<T as Sealed>::PRECISION.min(8)) || (!suppress && is_small())
    }

    fn cell(&self, number: &Number) -> String {
        let width = self.width;
        match number.value {
            value if value.is_nan() => format!("{:>width$}", if self.style.sign { "+nan" } else { "nan" }),
            value if value.is_infinite() => {
                let text = match () {
                    () if value < 0.0 => "-inf",
                    () if self.style.sign => "+inf",
                    () => "inf",
                };
                format!("{text:>width$}")
            }
            _ if self.is_exponential => scientific(number, &self.style),
            _ => positional(number, &self.style),
        }
    }
}

/// A float as Python's `str` of NumPy's number: with all digits, and with an exponent if it is large or small.
fn single<T: TextFloat>(value: T, trim: Trim, sign: bool) -> String {
    let number = Number::of(value);
    let magnitude = number.value.abs();
    // Only of doubles, more digits are written than are kept.
    let digits = if <T as Sealed>::PRECISION == 15 { 16 } else { <T as Sealed>::PRECISION };
    let style = Style { sign, ..Style::new(None, trim) };
    if magnitude == 0.0 || (1e-4..10f64.powi(digits)).contains(&magnitude) {
        positional(&number, &style)
    } else {
        scientific(&number, &Style { trim: Trim::Bare, ..style })
    }
}

fn single_complex<T: TextFloat>(value: Complex<T>) -> String {
    let real = Number::of(value.re).value;
    if real == 0.0 && real.is_sign_positive() {
        return format!("{}j", single(value.im, Trim::Bare, false));
    }
    let imaginary = single(value.im, Trim::Bare, true);
    let sign = if imaginary == "nan" { "+" } else { "" };
    format!("({}{sign}{imaginary}j)", single(value.re, Trim::Bare, false))
}

/// The texts of the elements, and what stands between them.
struct Lines<'a> {
    cells: Vec<String>,
    /// Per axis, how many entries are shown and whether there is a gap in the middle.
    axes: Vec<(usize, bool)>,
    /// How many entries are on each side of a gap.
    edge: usize,
    separator: &'a str,
}

impl Lines<'_> {
    /// The text below one index of the axes before `axis`, without the indent of its first line. `next` is the next cell.
    fn text(&self, axis: usize, next: &mut usize, indent: &str, width: usize) -> String {
        let Some(&extent) = self.axes.get(axis) else {
            *next += 1;
            return self.cells[*next - 1].clone();
        };
        let (inner_indent, inner_width) = (format!("{indent} "), width.saturating_sub(1));
        let entries = with_gap(extent, self.edge).into_iter().map(|entry| match entry {
            Some(_) => self.text(axis + 1, next, &inner_indent, inner_width),
            None => "...".to_owned(),
        });
        let below = self.axes.len() - axis - 1;
        let text = match below {
            0 => self.row(entries, indent, width),
            _ => {
                let separator = format!("{}{}{indent}", self.separator.trim_end(), "\n".repeat(below));
                entries.collect::<Vec<String>>().join(&separator)
            }
        };
        format!("[{text}]")
    }

    /// The entries of the last axis, in as many lines as they need; without the indent of the first one.
    fn row(&self, words: impl Iterator<Item = String>, indent: &str, width: usize) -> String {
        // Behind each word, there is room for a bracket or for the separator.
        let room = width.saturating_sub(self.separator.trim_end().chars().count().max(1));
        let length = |text: &str| text.chars().count();
        let (mut text, mut line) = (String::new(), indent.to_owned());
        for (index, word) in words.enumerate() {
            if index > 0 {
                line += self.separator;
            }
            if length(&line) + length(&word) > room && length(&line) > length(indent) {
                text += line.trim_end();
                text.push('\n');
                line = indent.to_owned();
            }
            line += &word;
        }
        (text + &line)[indent.len()..].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceArray, Element, arange, array, full, zeros};

    fn text<T: Element>(a: DeviceArray<T>, style: ArrayStyle<'_>) -> String {
        text_of("array2string", &a.raw, &style).unwrap()
    }

    /// The texts are NumPy's.
    #[test]
    fn elements_are_written_as_in_numpy() {
        let plain = ArrayStyle::default();
        assert_eq!(text(array(&[true, false]), plain), "[ True False]");
        assert_eq!(text(full((), true), plain), "True");
        assert_eq!(text(array(&[0.001, 5.0]), plain), "[1.e-03 5.e+00]");
        assert_eq!(text(array(&[1e6f32, 1.0]), plain), "[1.e+06 1.e+00]");
        assert_eq!(text(array(&[f64::NAN, -f64::INFINITY, 1.5]), plain), "[ nan -inf  1.5]");
        assert_eq!(text(array(&[Complex::new(1.0, -2.0), Complex::new(-0.5, 0.25)]), plain), "[ 1. -2.j   -0.5+0.25j]");
        assert_eq!(text(array(&[1, -20, 3]), ArrayStyle { sign: Some("+"), ..plain }), "[ +1 -20  +3]");
        assert_eq!(text(array(&[1u8, 2]), ArrayStyle { sign: Some(" "), ..plain }), "[ 1  2]");
        assert_eq!(text(zeros::<f64>((2, 0)), plain), "[]");
    }

    #[test]
    fn lines_leave_room_for_what_is_around_them() {
        let style = ArrayStyle { max_line_width: Some(20), separator: Some(", "), ..ArrayStyle::default() };
        assert_eq!(text(arange(8.0), style), "[0., 1., 2., 3., 4.,\n 5., 6., 7.]");
        let around = ArrayStyle { prefix: Some("array("), suffix: Some(")"), ..style };
        assert_eq!(text(arange(8.0), around), "[0., 1., 2.,\n       3., 4., 5.,\n       6., 7.]");
        let short = ArrayStyle { threshold: Some(3), edgeitems: Some(1), ..ArrayStyle::default() };
        assert_eq!(text(arange(9).reshape((3, 3)), short), "[[0 ... 2]\n ...\n [6 ... 8]]");
    }

    #[test]
    fn wrong_words_are_named() {
        let a = array(&[1.0]);
        let said = |style: ArrayStyle<'_>| text_of("array2string", &a.raw, &style).unwrap_err().to_string();
        let words =
            "array2string: floatmode is \"short\"; write \"maxprec\", \"maxprec_equal\", \"fixed\" or \"unique\"";
        assert_eq!(said(ArrayStyle { floatmode: Some("short"), ..ArrayStyle::default() }), words);
        assert!(said(ArrayStyle { sign: Some("x"), ..ArrayStyle::default() }).contains("sign is \"x\"; write"));
    }
}
