//! Text files are read line by line.

use super::ReadText;
use crate::dtype::{DType, Element, Scalar, dtypes};
use crate::error::{Error, Result};
use crate::files::{failed, npy, refused};
use num_complex::Complex;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

/// The numbers of a file, and their shape.
pub(super) fn read<T: Element>(
    operation: &'static str,
    path: &Path,
    options: &ReadText,
    may_lack: bool,
) -> Result<(Vec<T>, Vec<usize>)> {
    let mut values = Vec::new();
    let mut take = |scalar| values.push(T::from_scalar(scalar).expect("a number of the wanted type"));
    let shape = Reading { operation, path, options, dtype: T::DTYPE, may_lack }.rows(&mut take)?;
    Ok((values, shape))
}

/// The names of the columns that are read, from the first line that is not skipped, where they may stand behind the sign of a comment. As
/// NumPy has them: without what is no part of a name, and with a number behind one that was there before.
pub(super) fn names_of(operation: &'static str, path: &Path, options: &ReadText) -> Result<Vec<String>> {
    let reading = Reading { operation, path, options, dtype: DType::F64, may_lack: true };
    let (file, _) = npy::open_file(operation, path, "txt")?;
    let mut lines = BufReader::new(file).lines().skip(options.skiprows);
    let line = lines.next().transpose().map_err(|error| reading.refused(&error))?.unwrap_or_default();
    let text =
        if options.comments.is_empty() { &line } else { line.trim_start().trim_start_matches(&options.comments) };
    let fields: Vec<&str> = match options.delimiter.trim() {
        "" => text.split_whitespace().collect(),
        delimiter => text.split(delimiter).collect(),
    };
    let mut names: Vec<String> = Vec::new();
    for field in fields {
        let is_kept = |character: &char| character.is_alphanumeric() || matches!(character, '_' | ' ');
        let name: String = field.trim().trim_matches('"').chars().filter(is_kept).collect();
        let name = if name.is_empty() { format!("f{}", names.len()) } else { name.replace(' ', "_") };
        let again = (1..).map(|count| format!("{name}_{count}")).find(|other| !names.contains(other));
        names.push(if names.contains(&name) { again.expect("some number is free") } else { name });
    }
    let chosen = |&column: &isize| {
        let place = if column < 0 { names.len().checked_add_signed(column) } else { Some(column as usize) };
        place.and_then(|place| names.get(place).cloned()).ok_or_else(|| {
            reading.failed(format!("has no column {column} among its names, of which there are {}", names.len()))
        })
    };
    if options.usecols.is_empty() { Ok(names) } else { options.usecols.iter().map(chosen).collect() }
}

/// A file that is being read.
struct Reading<'a> {
    operation: &'static str,
    path: &'a Path,
    options: &'a ReadText,
    dtype: DType,
    /// Whether a field may lack a number.
    may_lack: bool,
}

/// What is done with a line that has fields: its number and the fields. `false` ends the reading.
type OnLine<'a> = dyn FnMut(usize, &[&str]) -> Result<bool> + 'a;

impl Reading<'_> {
    /// Reads all rows; the shape of the array.
    fn rows(&self, take: &mut dyn FnMut(Scalar)) -> Result<Vec<usize>> {
        let mut rows = 0;
        // The line of the first row, and the number of its columns.
        let mut first = None;
        let mut row = |line: usize, fields: &[&str]| {
            let count = self.row(line, fields, take)?;
            let (first_line, columns) = *first.get_or_insert((line, count));
            if columns != count {
                return Err(self.failed(format!(
                    "has {count} columns in line {line}, but {columns} in line {first_line}; all rows must have the same number"
                )));
            }
            rows += 1;
            Ok(self.options.max_rows.is_none_or(|most| rows < most))
        };
        // Whether a line is one of the last shows when others have followed.
        let mut held: VecDeque<(usize, Vec<String>)> = VecDeque::new();
        let mut on_line = |line: usize, fields: &[&str]| {
            if self.options.skip_footer == 0 {
                return row(line, fields);
            }
            held.push_back((line, fields.iter().map(|&field| field.to_owned()).collect()));
            if held.len() <= self.options.skip_footer {
                return Ok(true);
            }
            let (line, fields) = held.pop_front().expect("one was added");
            row(line, &fields.iter().map(String::as_str).collect::<Vec<_>>())
        };
        if self.options.max_rows != Some(0) {
            self.lines(&mut on_line)?;
        }
        // As NumPy's: an axis of one element is left out, unless so many are asked for.
        let columns = first.map_or(0, |(_, columns)| columns);
        Ok(match (rows, columns, self.options.ndmin) {
            (rows, columns, 2..) => vec![rows, columns],
            (0, _, _) => vec![0],
            (1, 1, 0) => Vec::new(),
            (1, count, _) | (count, 1, _) => vec![count],
            (rows, columns, _) => vec![rows, columns],
        })
    }

    /// Splits the file into lines and these into fields.
    fn lines(&self, on_line: &mut OnLine<'_>) -> Result<()> {
        let (file, _) = npy::open_file(self.operation, self.path, "txt")?;
        let mut file = BufReader::new(file);
        let mut skipped = Vec::new();
        for _ in 0..self.options.skiprows {
            file.read_until(b'\n', &mut skipped).map_err(|error| self.refused(&error))?;
            skipped.clear();
        }
        match self.options.delimiter.as_bytes() {
            [] | [b' '] => self.blank_lines(file, on_line),
            [delimiter] => self.delimited_lines(file, *delimiter, on_line),
            _ => {
                let delimiter = &self.options.delimiter;
                Err(self
                    .failed(format!("has no delimiter {delimiter:?}: it must be one ASCII character, such as \",\"")))
            }
        }
    }

    /// Lines in which blanks separate the fields.
    fn blank_lines(&self, mut file: impl BufRead, on_line: &mut OnLine<'_>) -> Result<()> {
        let mut text = String::new();
        for number in self.options.skiprows + 1.. {
            text.clear();
            if file.read_line(&mut text).map_err(|error| self.refused(&error))? == 0 {
                break;
            }
            let fields: Vec<&str> = self.before_comment(&text).0.split_whitespace().collect();
            if !fields.is_empty() && !on_line(number, &fields)? {
                break;
            }
        }
        Ok(())
    }

    /// Lines in which a delimiter separates them. Text in quotes is one field.
    fn delimited_lines(&self, file: impl Read, delimiter: u8, on_line: &mut OnLine<'_>) -> Result<()> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(file);
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| self.failed(format!("cannot be read: {error}")))? {
            let line = record.position().map_or(0, csv::Position::line) as usize + self.options.skiprows;
            let mut fields = Vec::with_capacity(record.len());
            for field in &record {
                let (before, has_comment) = self.before_comment(field);
                if !has_comment || !before.trim().is_empty() || !fields.is_empty() {
                    fields.push(before.trim());
                }
                if has_comment {
                    break;
                }
            }
            if !matches!(fields[..], [] | [""]) && !on_line(line, &fields)? {
                break;
            }
        }
        Ok(())
    }

    /// What stands before a comment, and whether there is one.
    fn before_comment<'t>(&self, text: &'t str) -> (&'t str, bool) {
        match self.options.comments.as_str() {
            "" => (text, false),
            mark => text.split_once(mark).map_or((text, false), |(before, _)| (before, true)),
        }
    }

    /// Takes the numbers of one row; how many there are.
    fn row(&self, line: usize, fields: &[&str], take: &mut dyn FnMut(Scalar)) -> Result<usize> {
        if self.options.usecols.is_empty() {
            for (column, field) in fields.iter().enumerate() {
                take(self.number(line, column, field)?);
            }
            return Ok(fields.len());
        }
        for &wanted in &self.options.usecols {
            let column = if wanted < 0 { fields.len().checked_add_signed(wanted) } else { Some(wanted as usize) };
            let Some((column, field)) = column.and_then(|column| Some((column, fields.get(column)?))) else {
                let count = fields.len();
                return Err(self.failed(format!("has no column {wanted} in line {line}, which has {count} columns")));
            };
            take(self.number(line, column, field)?);
        }
        Ok(self.options.usecols.len())
    }

    fn number(&self, line: usize, column: usize, field: &str) -> Result<Scalar> {
        match parsed(field, self.dtype) {
            Some(value) => Ok(value),
            None if self.may_lack => Ok(self.filling()),
            None => Err(self.no_number(line, column, field)),
        }
    }

    /// What stands for a number that is missing.
    fn filling(&self) -> Scalar {
        match self.options.filling_values {
            Some(value) => parsed(&value.to_string(), self.dtype),
            // NaN where there is one, as in NumPy.
            None => ["nan", "-1", "0"].iter().find_map(|text| parsed(text, self.dtype)),
        }
        .or_else(|| parsed("0", self.dtype))
        .expect("zero is a number of each type")
    }

    /// The error for a field that is not a number, with the line that reads the file.
    fn no_number(&self, line: usize, column: usize, field: &str) -> Error {
        let (path, delimiter) = (self.path, self.options.delimiter.as_str());
        let keyword = if delimiter.is_empty() { String::new() } else { format!(", delimiter = {delimiter:?}") };
        let separator = [",", ";", "\t", "|"].into_iter().find(|&one| delimiter.is_empty() && field.contains(one));
        let advice = match separator {
            Some(one) => {
                format!("its columns are separated by {one:?}; write `gpu::loadtxt!({path:?}, delimiter = {one:?})`")
            }
            None if field.is_empty() => format!("a value is missing; write `gpu::genfromtxt!({path:?}{keyword})`"),
            None if line == self.options.skiprows + 1 => {
                format!(
                    "if this line has the columns' names, write `gpu::loadtxt!({path:?}{keyword}, skiprows = {line})`"
                )
            }
            None => format!("to get NaN in its place, write `gpu::genfromtxt!({path:?}{keyword})`"),
        };
        let (column, dtype) = (column + 1, self.dtype);
        self.failed(format!(
            "has in line {line}, column {column}, {field:?}, which is not a number of type {dtype}; {advice}"
        ))
    }

    fn failed(&self, reason: String) -> Error {
        failed(self.operation, self.path, reason)
    }

    fn refused(&self, error: &io::Error) -> Error {
        refused(self.operation, self.path, "read", error)
    }
}

/// The number of a field, by what sort of values the type has.
macro_rules! parsed {
    ($field:ident, $dtype:ident $({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        match $dtype {
            $(DType::$tag => parsed!(@$kind $field, $type).map(Scalar::$tag),)*
        }
    };
    (@Bool $field:ident, $type:ty) => {
        match $field {
            "1" | "true" | "True" => Some(true),
            "0" | "false" | "False" => Some(false),
            _ => None,
        }
    };
    (@Complex $field:ident, $type:ty) => { complex($field) };
    (@$kind:ident $field:ident, $type:ty) => { $field.parse::<$type>().ok() };
}

pub(super) fn parsed(field: &str, dtype: DType) -> Option<Scalar> {
    dtypes!(parsed!(field, dtype))
}

/// NumPy writes complex numbers in parentheses.
fn complex<F>(field: &str) -> Option<Complex<F>>
where
    Complex<F>: FromStr,
{
    let inside = field.strip_prefix('(').and_then(|field| field.strip_suffix(')'));
    // NumPy writes `+-` before a negative part.
    inside.unwrap_or(field).replace("+-", "-").parse().ok()
}
