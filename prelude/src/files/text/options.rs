//! The options of text files.

use crate::setters::setters;

/// How a text file of numbers is read: what NumPy's `loadtxt` and `genfromtxt` take as keywords.
///
/// ```
/// use warpcell::ReadText;
/// let options = ReadText::new().delimiter(",").skiprows(1).usecols(&[0, -1]);
/// ```
#[derive(Clone, Debug)]
pub struct ReadText {
    pub(super) delimiter: String,
    pub(super) comments: String,
    pub(super) skiprows: usize,
    pub(super) skip_footer: usize,
    pub(super) usecols: Vec<isize>,
    pub(super) max_rows: Option<usize>,
    pub(super) filling_values: Option<f64>,
    pub(super) ndmin: usize,
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
            ndmin: 0,
        }
    }

    setters! {
        /// The character between two columns, such as `","`. Without one it is any number of blanks.
        pub fn delimiter(delimiter: &str) => delimiter = delimiter.to_owned();

        /// The text that starts a comment, `"#"` if it is not given. `""` is for files without comments.
        pub fn comments(comments: &str) => comments = comments.to_owned();

        /// So many lines at the start are skipped, such as a line with the columns' names.
        pub fn skiprows(rows: usize) => skiprows = rows;

        /// So many lines at the end are skipped.
        pub fn skip_footer(rows: usize) => skip_footer = rows;

        /// Only these columns are read, in this order. -1 is the last one.
        pub fn usecols(columns: &[isize]) => usecols = columns.to_vec();

        /// At most so many rows are read.
        pub fn max_rows(rows: usize) => max_rows = Some(rows);

        /// The same as [`skiprows`](ReadText::skiprows), under the name that `genfromtxt` has for it.
        pub fn skip_header(rows: usize) => skiprows = rows;

        /// The array has so many axes at least: with 2, a single row or column has both.
        pub fn ndmin(axes: usize) => ndmin = axes;

        /// The value of fields that are empty or no numbers, for [`genfromtxt_with`](crate::genfromtxt_with).
        pub fn filling_values(value: f64) => filling_values = Some(value);
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
    pub(super) fmt: Vec<String>,
    pub(super) delimiter: String,
    pub(super) newline: String,
    pub(super) header: String,
    pub(super) footer: String,
    pub(super) comments: String,
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
            fmt: vec!["%.18e".to_owned()],
            delimiter: " ".to_owned(),
            newline: "\n".to_owned(),
            header: String::new(),
            footer: String::new(),
            comments: "# ".to_owned(),
        }
    }

    setters! {
        /// The format of a number, as of C's `printf`: `"%.3f"`, `"%.18e"`, `"%g"`, `"%d"`, `"%8.2f"`. One with as many numbers as there
        /// are columns is that of a row: `"%d: %.3f"`; it has no delimiters but its own.
        pub fn fmt(fmt: &str) => fmt = vec![fmt.to_owned()];

        /// A format for each column.
        pub fn formats(formats: &[&str]) => fmt = formats.iter().map(|&format| format.to_owned()).collect();

        /// What stands between two columns.
        pub fn delimiter(delimiter: &str) => delimiter = delimiter.to_owned();

        /// What ends a line.
        pub fn newline(newline: &str) => newline = newline.to_owned();

        /// A text before the numbers, as a comment.
        pub fn header(header: &str) => header = header.to_owned();

        /// A text behind the numbers, as a comment.
        pub fn footer(footer: &str) => footer = footer.to_owned();

        /// What starts each line of header and footer, `"# "` if it is not given; `""` for a plain line of names.
        pub fn comments(comments: &str) => comments = comments.to_owned();
    }
}
