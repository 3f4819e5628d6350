//! Text files are written row by row, with numbers as C's `printf` writes them.

use super::WriteText;
use crate::array::sides::AnyView;
use crate::dtype::{Scalar, dtypes};
use crate::error::{Error, Result};
use crate::files::target::Target;
use crate::files::{Order, failed, npy};
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(super) fn write(path: &Path, array: &AnyView<'_>, options: &WriteText) -> Result<()> {
    let (shape, dtype, order) = npy::described(array);
    let columns = match *shape {
        [_] => 1,
        [_, columns] => columns,
        _ => {
            let reason = "has not one or two axes; write its parts, or use `gpu::save`";
            return Err(Error::shape("savetxt", shape, reason));
        }
    };
    let refused = |reason| failed("savetxt", path, reason);
    let (formats, between) = formats_of(options, columns).map_err(refused)?;
    let mut bytes = Vec::new();
    let order = if order == Order::RowMajor { order } else { Order::Strided };
    let written = npy::write_elements("savetxt", array, order, &mut bytes);
    written.map_err(|error| error.downcast::<Error>().unwrap_or(Error::Interrupted))?;
    let number = |index: usize, format: &Format<'_>| {
        let mut word = [0; 16];
        word[..dtype.size()].copy_from_slice(&bytes[index * dtype.size()..][..dtype.size()]);
        format.number(Scalar::from_bits(dtype, u128::from_le_bytes(word)))
    };
    Target::exactly("savetxt", path)?.write(|file| {
        let mut file = BufWriter::new(file);
        let comment = |file: &mut dyn Write, text: &str| -> io::Result<()> {
            for line in text.lines() {
                write!(file, "{}{line}{}", options.comments, options.newline)?;
            }
            Ok(())
        };
        comment(&mut file, &options.header)?;
        for row in 0..shape[0] {
            for column in 0..columns {
                let between = if column == 0 { "" } else { between };
                let format = &formats[if formats.len() == 1 { 0 } else { column }];
                write!(file, "{between}{}", number(row * columns + column, format))?;
            }
            file.write_all(options.newline.as_bytes())?;
        }
        comment(&mut file, &options.footer)?;
        file.flush()
    })
}

/// One format for all columns, or one for each, and what stands between two of them; or why there are none.
fn formats_of(options: &WriteText, columns: usize) -> std::result::Result<(Vec<Format<'_>>, &str), String> {
    let wrong = |fmt: &str| {
        let examples = "\"%.3f\", \"%.18e\", \"%g\" or \"%d\"";
        format!("cannot be written with the format {fmt:?}; a format of one number is such as {examples}")
    };
    let given: Vec<&str> = options.fmt.iter().map(String::as_str).collect();
    let (each, between) = match given[..] {
        [row] if columns > 1 && row.matches('%').count() == columns => (pieces(row), ""),
        _ => (given, options.delimiter.as_str()),
    };
    if each.len() != 1 && each.len() != columns {
        return Err(format!(
            "has {} formats for {columns} columns; give one for each column, or one for all",
            each.len()
        ));
    }
    let formats =
        each.iter().map(|fmt| Format::parsed(fmt).ok_or_else(|| wrong(fmt))).collect::<std::result::Result<_, _>>()?;
    Ok((formats, between))
}

/// The format of a row in pieces with one number each. The text in front belongs to the first one.
fn pieces(row: &str) -> Vec<&str> {
    let starts: Vec<usize> = row.match_indices('%').skip(1).map(|(at, _)| at).chain([row.len()]).collect();
    let mut start = 0;
    starts.into_iter().map(|end| &row[std::mem::replace(&mut start, end)..end]).collect()
}

/// A format of C's `printf` for one number, with the text around it: `[text]%[flags][width][.precision]conversion[text]`.
struct Format<'a> {
    before: &'a str,
    after: &'a str,
    flags: &'a str,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

/// A number in a format, by what sort of values its type has.
macro_rules! written {
    ($format:ident, $value:ident $({ $kind:ident $use:ident $tag:ident $($rest:tt)* })*) => {
        match $value {
            $(Scalar::$tag(value) => written!(@$kind $format, value),)*
        }
    };
    (@Narrow $format:ident, $value:ident) => { $format.real($value.into()) };
    (@Float $format:ident, $value:ident) => { $format.real($value.into()) };
    (@Complex $format:ident, $value:ident) => {
        format!("({}+{}j)", $format.real($value.re.into()), $format.real($value.im.into()))
    };
    (@$whole:ident $format:ident, $value:ident) => { $format.integer($value.into()) };
}

impl<'a> Format<'a> {
    fn parsed(fmt: &'a str) -> Option<Format<'a>> {
        let (before, rest) = fmt.split_once('%')?;
        let (flags, rest) = rest.split_at(rest.find(|c| !"-+ 0".contains(c))?);
        let (width, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (digits, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
                (Some(if digits.is_empty() { 0 } else { digits.parse().ok()? }), rest)
            }
            None => (None, rest),
        };
        let conversion = rest.chars().next().filter(|c| "dieEfFgG".contains(*c))?;
        let after = &rest[1..];
        let width = if width.is_empty() { 0 } else { width.parse().ok()? };
        let is_sane = width <= 1000 && precision.unwrap_or(0) <= 1000 && !after.contains('%');
        is_sane.then_some(Format { before, after, flags, width, precision, conversion })
    }

    /// A number as `printf` writes it. An integer takes the formats of floats and the other way round, as in Python.
    fn number(&self, value: Scalar) -> String {
        dtypes!(written!(self, value))
    }

    fn integer(&self, value: i128) -> String {
        if self.is_whole() { self.padded(&value.to_string()) } else { self.real(value as f64) }
    }

    fn is_whole(&self) -> bool {
        matches!(self.conversion, 'd' | 'i')
    }

    fn real(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6);
        let digits = match self.conversion.to_ascii_lowercase() {
            _ if value.is_nan() => "nan".to_owned(),
            _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
            'f' => format!("{value:.precision$}"),
            'e' => exponential(value, precision),
            'g' => shorter(value, precision.max(1)),
            _ => (value as i128).to_string(),
        };
        self.padded(&if self.conversion.is_uppercase() { digits.to_uppercase() } else { digits })
    }

    /// The number with its sign, in its width.
    fn padded(&self, digits: &str) -> String {
        let (sign, digits) = match digits.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None if self.flags.contains('+') => ("+", digits),
            None if self.flags.contains(' ') => (" ", digits),
            None => ("", digits),
        };
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        let is_left = self.flags.contains('-');
        let is_zeros = self.flags.contains('0') && !is_left && digits.starts_with(|c: char| c.is_ascii_digit());
        let blanks = " ".repeat(missing);
        let number = match () {
            () if is_left => format!("{sign}{digits}{blanks}"),
            () if is_zeros => format!("{sign}{}{digits}", "0".repeat(missing)),
            () => format!("{blanks}{sign}{digits}"),
        };
        format!("{}{number}{}", self.before, self.after)
    }
}

/// As `%.*e`: the exponent has a sign and at least two digits.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// As `%.*g`: so many significant digits, without zeros at the end, with an exponent where it is large or small.
fn shorter(value: f64, digits: usize) -> String {
    let text = exponential(value, digits - 1);
    let (mantissa, exponent) = text.split_once('e').expect("an exponent");
    let places: i32 = exponent.parse().expect("a number");
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match usize::try_from(digits as i64 - 1 - i64::from(places)) {
        Ok(after) if places >= -4 => trimmed(&format!("{value:.after$}")),
        _ => format!("{}e{exponent}", trimmed(mantissa)),
    }
}
