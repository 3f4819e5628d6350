//! Text files of numbers: NumPy's `loadtxt`, `genfromtxt` and `savetxt`.
//!
//! Where a delimiter separates the columns, the crate `csv` splits the lines, with quotes; where blanks do, the standard library.
//! Numbers are written in the formats of C's `printf`, as NumPy's are. (The crate `sprintf` rounds the last digits of floats wrong.)

use super::target::Target;
use super::{Order, failed, npy, refused};
use crate::array::transfer::{self, Owned};
use crate::array::{AnyArray, DeviceArray};
use crate::device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use ndarray::{ArrayD, IxDyn};
use num_complex::Complex;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::str::FromStr;

/// How a text file of numbers is read: what NumPy's `loadtxt` and `genfromtxt` take as keywords.
///
/// ```
/// use warpcell::ReadText;
/// let options = ReadText::new().delimiter(",").skiprows(1).usecols(&[0, -1]);
/// ```
#[derive(Clone, Debug)]
pub struct ReadText {
    delimiter: String,
    comments: String,
    skiprows: usize,
    skip_footer: usize,
    usecols: Vec<isize>,
    max_rows: Option<usize>,
    filling_values: Option<f64>,
}

impl Default for ReadText {
    fn default() -> ReadText {
        ReadText::new()
    }
}

impl ReadText {
    /// Columns separated by blanks, comments from a `#` on, all lines and columns.
    pub fn new() -> ReadText {
        ReadText {
            delimiter: String::new(),
            comments: "#".to_owned(),
            skiprows: 0,
            skip_footer: 0,
            usecols: Vec::new(),
            max_rows: None,
            filling_values: None,
        }
    }

    /// The character between two columns, such as `","`. Without one it is any number of blanks.
    pub fn delimiter(mut self, delimiter: &str) -> ReadText {
        delimiter.clone_into(&mut self.delimiter);
        self
    }

    /// The text that starts a comment, `"#"` if it is not given. `""` is for files without comments.
    pub fn comments(mut self, comments: &str) -> ReadText {
        comments.clone_into(&mut self.comments);
        self
    }

    /// So many lines at the start are skipped, such as a line with the columns' names.
    pub fn skiprows(mut self, rows: usize) -> ReadText {
        self.skiprows = rows;
        self
    }

    /// The same as [`skiprows`](ReadText::skiprows), under the name that `genfromtxt` has for it.
    pub fn skip_header(self, rows: usize) -> ReadText {
        self.skiprows(rows)
    }

    /// So many lines at the end are skipped.
    pub fn skip_footer(mut self, rows: usize) -> ReadText {
        self.skip_footer = rows;
        self
    }

    /// Only these columns are read, in this order. -1 is the last one.
    pub fn usecols(mut self, columns: &[isize]) -> ReadText {
        columns.clone_into(&mut self.usecols);
        self
    }

    /// At most so many rows are read.
    pub fn max_rows(mut self, rows: usize) -> ReadText {
        self.max_rows = Some(rows);
        self
    }

    /// The value of fields that are empty or no numbers, for [`genfromtxt_with`].
    pub fn filling_values(mut self, value: f64) -> ReadText {
        self.filling_values = Some(value);
        self
    }
}

/// How a text file of numbers is written: what NumPy's `savetxt` takes as keywords.
///
/// ```
/// use warpcell::WriteText;
/// let options = WriteText::new().fmt("%.3f").delimiter(",").header("time,height");
/// ```
#[derive(Clone, Debug)]
pub struct WriteText {
    fmt: String,
    delimiter: String,
    newline: String,
    header: String,
    footer: String,
    comments: String,
}

impl Default for WriteText {
    fn default() -> WriteText {
        WriteText::new()
    }
}

impl WriteText {
    /// NumPy's: `%.18e` for each number, a blank between columns, no header.
    pub fn new() -> WriteText {
        WriteText {
            fmt: "%.18e".to_owned(),
            delimiter: " ".to_owned(),
            newline: "\n".to_owned(),
            header: String::new(),
            footer: String::new(),
            comments: "# ".to_owned(),
        }
    }

    /// The format of a number, as of C's `printf`: `"%.3f"`, `"%.18e"`, `"%g"`, `"%d"`, `"%8.2f"`.
    pub fn fmt(mut self, fmt: &str) -> WriteText {
        fmt.clone_into(&mut self.fmt);
        self
    }

    /// What stands between two columns.
    pub fn delimiter(mut self, delimiter: &str) -> WriteText {
        delimiter.clone_into(&mut self.delimiter);
        self
    }

    /// What ends a line.
    pub fn newline(mut self, newline: &str) -> WriteText {
        newline.clone_into(&mut self.newline);
        self
    }

    /// A text before the numbers, as a comment.
    pub fn header(mut self, header: &str) -> WriteText {
        header.clone_into(&mut self.header);
        self
    }

    /// A text behind the numbers, as a comment.
    pub fn footer(mut self, footer: &str) -> WriteText {
        footer.clone_into(&mut self.footer);
        self
    }

    /// What starts each line of header and footer, `"# "` if it is not given; `""` for a plain line of names.
    pub fn comments(mut self, comments: &str) -> WriteText {
        comments.clone_into(&mut self.comments);
        self
    }
}

fallible! {
    /// Reads a text file of numbers in columns to the current device; NumPy's `loadtxt`.
    ///
    /// Columns are separated by blanks; for a comma or another separator see [`loadtxt_with`]. What follows a `#` is a
    /// comment. The array has the shape (rows, columns); one row or one column makes it 1-D, and a single number 0-D, as
    /// in NumPy.
    ///
    /// **Panics** if the file cannot be read, if a field is not a number of type `T`, or if rows have different numbers
    /// of columns ([`Error::File`], with the line and the column).
    ///
    /// ```
    /// use warpcell as gpu;
    /// # let folder = std::env::temp_dir().join(format!("warpcell-loadtxt-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("heights.txt");
    /// std::fs::write(&path, "0.0 1.5\n0.5 2.5 # measured twice\n").unwrap(); // such as "heights.txt"
    /// let heights = gpu::loadtxt::<f64>(&path);
    /// assert_eq!(heights.shape(), [2, 2]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn loadtxt, try_loadtxt<T: Element>(path: impl AsRef<Path>) -> Result<DeviceArray<T>> {
        on_device("loadtxt", path.as_ref(), &ReadText::new(), false)
    }

    /// As [`loadtxt`], with the options of [`ReadText`].
    ///
    /// **Panics** as that does, for a delimiter that is not one character, and for a column that a row does not have.
    ///
    /// ```
    /// use warpcell::{self as gpu, ReadText};
    /// # let folder = std::env::temp_dir().join(format!("warpcell-loadtxt-with-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("heights.csv");
    /// std::fs::write(&path, "time,height\n0,1.5\n1,2.5\n").unwrap(); // such as "heights.csv"
    /// let heights = gpu::loadtxt_with::<f32>(&path, &ReadText::new().delimiter(",").skiprows(1).usecols(&[1]));
    /// assert_eq!(heights.tolist(), [1.5, 2.5]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn loadtxt_with, try_loadtxt_with<T: Element>(path: impl AsRef<Path>, options: &ReadText) -> Result<DeviceArray<T>> {
        on_device("loadtxt", path.as_ref(), options, false)
    }

    /// As [`loadtxt`], for files in which values are missing; NumPy's `genfromtxt`.
    ///
    /// A field that is empty or no number becomes NaN in an array of floats, -1 in one of integers (the largest value if
    /// they have no sign), and `false`.
    ///
    /// **Panics** if the file cannot be read, or if rows have different numbers of columns ([`Error::File`]).
    ///
    /// ```no_run
    /// let a = warpcell::genfromtxt::<f64>("measured.txt");
    /// ```
    pub fn genfromtxt, try_genfromtxt<T: Element>(path: impl AsRef<Path>) -> Result<DeviceArray<T>> {
        on_device("genfromtxt", path.as_ref(), &ReadText::new(), true)
    }

    /// As [`genfromtxt`], with the options of [`ReadText`].
    ///
    /// **Panics** as [`loadtxt_with`] does, but not for fields that are no numbers.
    ///
    /// ```
    /// use warpcell::{self as gpu, ReadText};
    /// # let folder = std::env::temp_dir().join(format!("warpcell-genfromtxt-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("gaps.csv");
    /// std::fs::write(&path, "1,,3\n4,n/a,6\n").unwrap(); // such as "gaps.csv"
    /// let gaps = gpu::genfromtxt_with::<f64>(&path, &ReadText::new().delimiter(",").filling_values(0.0));
    /// assert_eq!(gaps.ravel().tolist(), [1.0, 0.0, 3.0, 4.0, 0.0, 6.0]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn genfromtxt_with, try_genfromtxt_with<T: Element>(
        path: impl AsRef<Path>,
        options: &ReadText,
    ) -> Result<DeviceArray<T>> {
        on_device("genfromtxt", path.as_ref(), options, true)
    }

    /// Writes an array with one or two axes, on the device or on the host, to a text file; NumPy's `savetxt`.
    ///
    /// A row of the array is a line; a 1-D array is one column. The file appears under its name when it is complete.
    ///
    /// **Panics** if the file cannot be written ([`Error::File`]), and for an array with another number of axes
    /// ([`Error::InvalidShape`]).
    ///
    /// ```no_run
    /// use warpcell as gpu;
    /// gpu::savetxt("squares.txt", &gpu::arange(5.0).square());
    /// ```
    pub fn savetxt, try_savetxt<A: ?Sized + AnyArray>(path: impl AsRef<Path>, array: &A) -> Result<()> {
        write(path.as_ref(), array, &WriteText::new())
    }

    /// As [`savetxt`], with the options of [`WriteText`].
    ///
    /// **Panics** as that does, and for a format that does not fit ([`Error::File`]).
    ///
    /// ```
    /// use warpcell::{self as gpu, WriteText};
    /// # let folder = std::env::temp_dir().join(format!("warpcell-savetxt-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("table.csv");
    /// let table = gpu::array(&[[0.0, 1.5], [1.0, 2.5]]);
    /// let options = WriteText::new().fmt("%.2f").delimiter(",").header("time,height").comments("");
    /// gpu::savetxt_with(&path, &table, &options); // such as "table.csv"
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "time,height\n0.00,1.50\n1.00,2.50\n");
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn savetxt_with, try_savetxt_with<A: ?Sized + AnyArray>(
        path: impl AsRef<Path>,
        array: &A,
        options: &WriteText,
    ) -> Result<()> {
        write(path.as_ref(), array, options)
    }
}

/// The host's side: `gpu::host::loadtxt` and so on.
pub(crate) mod host {
    use super::{ArrayD, Element, IxDyn, Path, ReadText, Result, fallible, read};

    fallible! {
        /// Reads a text file of numbers to a host array, as [`gpu::loadtxt`](crate::loadtxt) does to the device.
        ///
        /// **Panics** as that does.
        ///
        /// ```no_run
        /// let a = warpcell::host::loadtxt::<f64>("measured.txt");
        /// ```
        pub fn loadtxt, try_loadtxt<T: Element>(path: impl AsRef<Path>) -> Result<ArrayD<T>> {
            on_host("host::loadtxt", path.as_ref(), &ReadText::new(), false)
        }

        /// As [`loadtxt`], with the options of [`ReadText`].
        ///
        /// **Panics** as [`gpu::loadtxt_with`](crate::loadtxt_with) does.
        pub fn loadtxt_with, try_loadtxt_with<T: Element>(path: impl AsRef<Path>, options: &ReadText) -> Result<ArrayD<T>> {
            on_host("host::loadtxt", path.as_ref(), options, false)
        }

        /// As [`gpu::genfromtxt_with`](crate::genfromtxt_with), to a host array.
        ///
        /// **Panics** as that does.
        pub fn genfromtxt_with, try_genfromtxt_with<T: Element>(
            path: impl AsRef<Path>,
            options: &ReadText,
        ) -> Result<ArrayD<T>> {
            on_host("host::genfromtxt", path.as_ref(), options, true)
        }
    }

    fn on_host<T: Element>(
        operation: &'static str,
        path: &Path,
        options: &ReadText,
        may_lack: bool,
    ) -> Result<ArrayD<T>> {
        let (values, shape) = read(operation, path, options, may_lack)?;
        Ok(ArrayD::from_shape_vec(IxDyn(&shape), values).expect("as many values as the shape has"))
    }
}

fn on_device<T: Element>(
    operation: &'static str,
    path: &Path,
    options: &ReadText,
    may_lack: bool,
) -> Result<DeviceArray<T>> {
    let (values, shape) = read::<T>(operation, path, options, may_lack)?;
    transfer::take_over(operation, Owned::vector(values, &shape), &device::current()?).map(DeviceArray::from_raw)
}

/// The numbers of a file, and their shape.
fn read<T: Element>(
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
        // As NumPy's: an axis of one element is left out.
        let columns = first.map_or(0, |(_, columns)| columns);
        Ok(match (rows, columns) {
            (0, _) => vec![0],
            (1, 1) => Vec::new(),
            (1, count) | (count, 1) => vec![count],
            (rows, columns) => vec![rows, columns],
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

    /// The error for a field that is no number, with the line that reads the file.
    fn no_number(&self, line: usize, column: usize, field: &str) -> Error {
        let (path, delimiter) = (self.path, self.options.delimiter.as_str());
        let keyword = if delimiter.is_empty() { String::new() } else { format!(", delimiter = {delimiter:?}") };
        let separator = [',', ';', '\t', '|'].into_iter().find(|&one| delimiter.is_empty() && field.contains(one));
        let advice = match separator {
            Some(one) => {
                format!("its columns are separated by {one:?}; write `gpu::loadtxt!({path:?}, delimiter = {one:?})`")
                    .replace('\'', "\"")
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

/// The number of a field.
fn parsed(field: &str, dtype: DType) -> Option<Scalar> {
    fn number<N: FromStr>(field: &str, of: impl FnOnce(N) -> Scalar) -> Option<Scalar> {
        field.parse().ok().map(of)
    }
    match dtype {
        DType::Bool => match field {
            "1" | "true" | "True" => Some(Scalar::Bool(true)),
            "0" | "false" | "False" => Some(Scalar::Bool(false)),
            _ => None,
        },
        DType::U8 => number(field, Scalar::U8),
        DType::I8 => number(field, Scalar::I8),
        DType::U16 => number(field, Scalar::U16),
        DType::I16 => number(field, Scalar::I16),
        DType::I32 => number(field, Scalar::I32),
        DType::U32 => number(field, Scalar::U32),
        DType::I64 => number(field, Scalar::I64),
        DType::U64 => number(field, Scalar::U64),
        DType::F16 => number(field, Scalar::F16),
        DType::BF16 => number(field, Scalar::BF16),
        DType::F32 => number(field, Scalar::F32),
        DType::F64 => number(field, Scalar::F64),
        // NumPy writes them in parentheses.
        DType::C64 => complex::<f32>(field).map(Scalar::C64),
        DType::C128 => complex::<f64>(field).map(Scalar::C128),
    }
}

fn complex<F>(field: &str) -> Option<Complex<F>>
where
    Complex<F>: FromStr,
{
    let inside = field.strip_prefix('(').and_then(|field| field.strip_suffix(')'));
    // NumPy writes `+-` before a negative part.
    inside.unwrap_or(field).replace("+-", "-").parse().ok()
}

fn write<A: ?Sized + AnyArray>(path: &Path, array: &A, options: &WriteText) -> Result<()> {
    let view = array.any_view();
    let (shape, _, order) = npy::described(&view);
    let [rows, columns] = match *shape {
        [rows] => [rows, 1],
        [rows, columns] => [rows, columns],
        _ => {
            let reason = "has not one or two axes; write its parts, or use `gpu::save`".to_owned();
            return Err(Error::InvalidShape { operation: "savetxt", shape: shape.to_vec(), reason });
        }
    };
    let mut bytes = Vec::new();
    let order = if order == Order::RowMajor { order } else { Order::Strided };
    let written = npy::write_elements("savetxt", &view, order, &mut bytes);
    written.map_err(|error| error.downcast::<Error>().unwrap_or(Error::Interrupted))?;
    let scalar = |index: usize| {
        let bytes = &bytes[index * size_of::<A::Elem>()..][..size_of::<A::Elem>()];
        // SAFETY: these are the bytes of an element, as it lies in memory; it may lie at any address.
        unsafe { bytes.as_ptr().cast::<A::Elem>().read_unaligned() }.to_scalar()
    };
    write_rows(path, rows, columns, &scalar, options)
}

fn write_rows(
    path: &Path,
    rows: usize,
    columns: usize,
    scalar: &dyn Fn(usize) -> Scalar,
    options: &WriteText,
) -> Result<()> {
    let mut failure = None;
    let written = Target::exactly("savetxt", path)?.write(|file| {
        let mut file = BufWriter::new(file);
        let comment = |file: &mut dyn Write, text: &str| -> io::Result<()> {
            for line in text.lines() {
                write!(file, "{}{line}{}", options.comments, options.newline)?;
            }
            Ok(())
        };
        comment(&mut file, &options.header)?;
        for row in 0..rows {
            for column in 0..columns {
                let between = if column == 0 { "" } else { &options.delimiter };
                match formatted(scalar(row * columns + column), &options.fmt) {
                    Ok(text) => write!(file, "{between}{text}")?,
                    Err(error) => {
                        failure = Some(error);
                        return Err(io::Error::other("format"));
                    }
                }
            }
            file.write_all(options.newline.as_bytes())?;
        }
        comment(&mut file, &options.footer)?;
        file.flush()
    });
    match failure {
        Some(reason) => Err(failed("savetxt", path, reason)),
        None => written,
    }
}

/// A number as `printf` writes it. An integer takes the formats of floats and the other way round, as in Python.
fn formatted(value: Scalar, fmt: &str) -> std::result::Result<String, String> {
    let format = Format::parsed(fmt).ok_or_else(|| {
        format!("cannot be written with the format {fmt:?}; a format of one number is such as \"%.3f\", \"%.18e\", \"%g\" or \"%d\"")
    })?;
    let real = |value: f64| format.real(value);
    Ok(match value {
        Scalar::Bool(value) => format.integer(value.into()),
        Scalar::U8(value) => format.integer(value.into()),
        Scalar::I8(value) => format.integer(value.into()),
        Scalar::U16(value) => format.integer(value.into()),
        Scalar::I16(value) => format.integer(value.into()),
        Scalar::I32(value) => format.integer(value.into()),
        Scalar::U32(value) => format.integer(value.into()),
        Scalar::I64(value) => format.integer(value.into()),
        Scalar::U64(value) => format.integer(value.into()),
        Scalar::F16(value) => real(value.into()),
        Scalar::BF16(value) => real(value.into()),
        Scalar::F32(value) => real(value.into()),
        Scalar::F64(value) => real(value),
        Scalar::C64(value) => format!("({}+{}j)", real(value.re.into()), real(value.im.into())),
        Scalar::C128(value) => format!("({}+{}j)", real(value.re), real(value.im)),
    })
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
