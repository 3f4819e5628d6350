//! The options of text files.

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

    /// The value of fields that are empty or no numbers, for [`genfromtxt_with`](crate::genfromtxt_with).
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
    pub(super) fmt: String,
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
