//! One float as text: NumPy's `format_float_positional` and `format_float_scientific`.

use super::digits::{Decimal, Number, Wanted};
use crate::error::{Error, Result, check};

pub use super::digits::TextFloat;

/// What is done with zeros at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trim {
    /// They stay, and as many as are wanted are added.
    Keep,
    /// They go, but the point stays.
    Point,
    /// They go, but one digit stays behind the point.
    Zero,
    /// They go, and the point with them.
    Bare,
}

/// How a float is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub wanted: Wanted,
    pub trim: Trim,
    /// Whether positive numbers have a sign.
    pub sign: bool,
    /// The least characters in front of the point.
    pub pad_left: usize,
    /// The least characters behind the point.
    pub pad_right: Option<usize>,
    /// The least digits of an exponent.
    pub exp_digits: usize,
}

impl Style {
    /// As few digits as tell numbers apart, at most so many behind the point.
    pub fn new(most: Option<usize>, trim: Trim) -> Style {
        let wanted = Wanted { is_unique: true, is_fractional: true, most, least: None };
        Style { wanted, trim, sign: false, pad_left: 0, pad_right: None, exp_digits: 2 }
    }

    fn sign_of(&self, value: f64) -> &'static str {
        match () {
            () if value.is_sign_negative() => "-",
            () if self.sign => "+",
            () => "",
        }
    }

    /// NaN or an infinity; NaN has no sign.
    fn special(&self, value: f64) -> String {
        if value.is_nan() { "nan".to_owned() } else { format!("{}inf", self.sign_of(value)) }
    }

    /// The digits behind the point, after zeros were added to them or taken from them, and the point.
    fn trimmed(&self, mut fraction: String, least: i64) -> (&'static str, String) {
        let kept = fraction.trim_end_matches('0').len();
        match self.trim {
            Trim::Keep => {
                let missing = usize::try_from(least - fraction.len() as i64).unwrap_or(0);
                fraction.push_str(&"0".repeat(missing));
            }
            Trim::Zero if kept == 0 => fraction = "0".to_owned(),
            Trim::Zero | Trim::Point | Trim::Bare => fraction.truncate(kept),
        }
        (if self.trim == Trim::Bare && fraction.is_empty() { "" } else { "." }, fraction)
    }

    /// How many digits the text has at least.
    fn least(&self) -> i64 {
        let count = if self.wanted.is_unique { self.wanted.least } else { self.wanted.most };
        count.map_or(-1, |count| count as i64)
    }
}

/// A number without an exponent.
pub(super) fn positional(number: &Number, style: &Style) -> String {
    if !number.value.is_finite() {
        return style.special(number.value);
    }
    let Decimal { digits, exponent } = number.digits(style.wanted);
    let (whole, fraction) = match usize::try_from(exponent) {
        Ok(exponent) if digits.len() <= exponent + 1 => {
            (format!("{digits:0<width$}", width = exponent + 1), String::new())
        }
        Ok(exponent) => (digits[..=exponent].to_owned(), digits[exponent + 1..].to_owned()),
        Err(_) => ("0".to_owned(), "0".repeat((-exponent - 1) as usize) + &digits),
    };
    let sign = style.sign_of(number.value);
    let counted = if style.wanted.is_fractional { 0 } else { whole.len() as i64 };
    let (point, fraction) = style.trimmed(fraction, style.least() - counted);
    let before = " ".repeat(style.pad_left.saturating_sub(sign.len() + whole.len()));
    let behind = match style.pad_right {
        Some(width) if width >= fraction.len() => {
            // In the place of the point, too.
            " ".repeat(width - fraction.len() + usize::from(point.is_empty()))
        }
        _ => String::new(),
    };
    format!("{before}{sign}{whole}{point}{fraction}{behind}")
}

/// A number with an exponent. The digits of `style` are counted behind the point.
pub(super) fn scientific(number: &Number, style: &Style) -> String {
    if !number.value.is_finite() {
        return style.special(number.value);
    }
    let with_first = |count: Option<usize>| count.map(|count| count + 1);
    let Wanted { is_unique, most, least, .. } = style.wanted;
    let wanted = Wanted { is_unique, is_fractional: false, most: with_first(most), least: with_first(least) };
    let Decimal { digits, exponent } = number.digits(wanted);
    let sign = style.sign_of(number.value);
    let (first, fraction) = digits.split_at(1);
    // As in NumPy, a point behind which there were zeros stays.
    let has_point = !fraction.is_empty();
    let (point, fraction) = style.trimmed(fraction.to_owned(), style.least());
    let point = if has_point { "." } else { point };
    let before = " ".repeat(style.pad_left.saturating_sub(sign.len() + 1));
    let direction = if exponent < 0 { '-' } else { '+' };
    let width = style.exp_digits;
    format!("{before}{sign}{first}{point}{fraction}e{direction}{:0>width$}", exponent.unsigned_abs())
}

/// The arguments of both functions as they are given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options<'a> {
    pub precision: Option<usize>,
    pub unique: Option<bool>,
    pub fractional: Option<bool>,
    pub trim: Option<&'a str>,
    pub sign: Option<bool>,
    pub pad_left: Option<usize>,
    pub pad_right: Option<usize>,
    pub exp_digits: Option<usize>,
    pub min_digits: Option<usize>,
}

/// More characters than NumPy writes.
const LONGEST: usize = 16_000;

impl Options<'_> {
    fn style(&self, operation: &'static str) -> Result<Style> {
        let invalid = |reason: String| Err(Error::argument(operation, reason));
        let trim = match self.trim {
            None | Some("k") => Trim::Keep,
            Some(".") => Trim::Point,
            Some("0") => Trim::Zero,
            Some("-") => Trim::Bare,
            Some(other) => {
                return invalid(format!("trim is {other:?}; write \"k\", \".\", \"0\" or \"-\""));
            }
        };
        let counts = [
            ("precision", self.precision),
            ("pad_left", self.pad_left),
            ("pad_right", self.pad_right),
            ("min_digits", self.min_digits),
        ];
        if let Some((name, Some(count))) =
            counts.into_iter().find(|(_, count)| count.is_some_and(|count| count > LONGEST))
        {
            return invalid(format!("{name} is {count}; give at most {LONGEST}"));
        }
        let is_unique = self.unique.unwrap_or(true);
        let is_fractional = self.fractional.unwrap_or(true);
        match (self.precision, self.min_digits) {
            (None, _) if !is_unique => {
                return invalid("with unique = false, give a precision, such as precision = 8".into());
            }
            (Some(0), _) if !is_fractional => {
                return invalid(
                    "with fractional = false, a number has at least one digit; give a precision from 1 on".into(),
                );
            }
            (Some(most), Some(least)) if most > 0 && least > most => {
                let reason = format!("min_digits is {least}, more than the precision {most}; give a smaller number");
                return invalid(reason);
            }
            _ => {}
        }
        let wanted = Wanted { is_unique, is_fractional, most: self.precision, least: self.min_digits };
        Ok(Style {
            wanted,
            trim,
            sign: self.sign.unwrap_or(false),
            pad_left: self.pad_left.unwrap_or(0),
            pad_right: self.pad_right,
            // As in NumPy, no more than 5.
            exp_digits: self.exp_digits.unwrap_or(2).min(5),
        })
    }
}

/// `format_float_positional` with all arguments.
pub(crate) fn positional_of<T: TextFloat>(x: T, options: &Options<'_>) -> Result<String> {
    options.style("format_float_positional").map(|style| positional(&Number::of(x), &style))
}

/// `format_float_scientific` with all arguments.
pub(crate) fn scientific_of<T: TextFloat>(x: T, options: &Options<'_>) -> Result<String> {
    options.style("format_float_scientific").map(|style| scientific(&Number::of(x), &style))
}

/// A float as text without an exponent, with as few digits as tell it from its neighbours of the same type; NumPy's
/// `format_float_positional`.
///
/// The float is `f16`, `bf16`, `f32` or `f64`. The macro `gpu::format_float_positional!` takes NumPy's keywords: `precision` (at
/// most so many digits), `min_digits` (at least so many), `unique = false` (the digits of the exact value), `fractional = false`
/// (`precision` counts all digits, not those behind the point), `trim` (`"k"` keeps zeros at the end, `"."` keeps the point,
/// `"0"` keeps one zero, `"-"` keeps nothing), `sign = true` (a `+`), `pad_left` and `pad_right` (blanks up to so many characters
/// on that side of the point). Rounding is to nearest, ties to the even digit.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::format_float_positional(1e-4f32), "0.0001");
/// assert_eq!(gpu::format_float_positional!(2.0 / 3.0, precision = 3), "0.667");
/// assert_eq!(gpu::format_float_positional!(gpu::f16::from_f32(0.3), unique = false, precision = 10), "0.3000488281");
/// ```
pub fn format_float_positional<T: TextFloat>(x: T) -> String {
    check(positional_of(x, &Options::default()))
}

/// A float as text with an exponent, with as few digits as tell it from its neighbours of the same type; NumPy's
/// `format_float_scientific`.
///
/// The float is `f16`, `bf16`, `f32` or `f64`. The macro `gpu::format_float_scientific!` takes NumPy's keywords: those of
/// [`format_float_positional`](fn@format_float_positional) but for `fractional` and `pad_right`, and `exp_digits`, the least
/// digits of the exponent (2, and at most 5). `precision` and `min_digits` count digits behind the point.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::format_float_scientific(1.23e24f32), "1.23e+24");
/// assert_eq!(gpu::format_float_scientific!(1.23e24f32, exp_digits = 4), "1.23e+0024");
/// assert_eq!(gpu::format_float_scientific!(std::f64::consts::PI, precision = 2), "3.14e+00");
/// ```
pub fn format_float_scientific<T: TextFloat>(x: T) -> String {
    check(scientific_of(x, &Options::default()))
}
