//! Tables that a click sorts: [`table`].

use super::{MimeBundle, escaped, shortened};
use crate::array::DeviceArray;
use crate::cell;
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use crate::number::general;
use crate::timing::table::aligned;
use ndarray::{ArrayBase, Axis, Data, Dimension};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// What makes buttons of the headers. Front ends that run no scripts show the table as it is.
const SCRIPT: &str = include_str!("table.html");

/// The most bytes of a table in a notebook. Of a longer one the first rows are shown.
const MOST_BYTES: usize = 1_000_000;
/// The most rows. A browser sorts so many at once.
const MOST_ROWS: usize = 5_000;
const MOST_COLUMNS: usize = 200;
/// The most characters of a cell.
const MOST_CHARACTERS: usize = 1_000;
/// So many rows and columns, and so many characters of a cell, are printed where only text is shown.
const PRINTED_ROWS: usize = 20;
const PRINTED_COLUMNS: usize = 20;
const PRINTED_CHARACTERS: usize = 80;

/// A table in the notebook. A click on a header sorts the rows by that column: up, down, and as they were.
///
/// `rows`: a `Vec`, an array or a slice of rows, which are tuples, arrays or `Vec`s; an array with one or two axes on the host or on the device; or a map, whose rows are
/// pairs of keys and values. Numbers, `bool`, `char`, text, and `Option`s of them can stand in a cell. Without [`Table::columns`] columns are
/// called 0, 1 and so on. [`Table::column`] adds one of another type.
///
/// The table shows itself as the value of a cell, or by [`display`](crate::display()). Of more than 5,000 rows, or of a megabyte, the first ones are
/// shown; of more than 200 columns and of a text with more than 1,000 characters, too. `bool`s are sorted as texts. A `HashMap` has its rows in any order; a
/// `BTreeMap` sorts them by their keys.
///
/// **Panics** if the rows differ in length, and for arrays with more than two axes.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let times = gpu::table(&[("host", 120.25), ("device", 3.5)]).columns(["where", "ms"]).column("runs", &[3, 100]);
/// assert_eq!(
///     format!("{times:?}"),
///     "where        ms   runs\n\
///      host     120.25      3\n\
///      device      3.5    100"
/// );
/// gpu::table(&gpu::eye::<f32>(3)).columns(["x", "y", "z"]);
/// ```
#[track_caller]
pub fn table(rows: impl TableRows) -> Table {
    check(try_table(rows))
}

/// As [`table`], but returns the error.
///
/// ```
/// let error = warpcell::try_table(&vec![vec![1, 2], vec![3]]).unwrap_err();
/// assert_eq!(error.to_string(), "table: row 0 has 2 cells, but row 1 has 1; give all rows the same number of cells");
/// ```
pub fn try_table(rows: impl TableRows) -> Result<Table> {
    let rows = rows.rows()?;
    let width = rows.first().map_or(0, Vec::len);
    if let Some(other) = rows.iter().position(|row| row.len() != width) {
        let reason = format!(
            "row 0 has {width} cells, but row {other} has {}; give all rows the same number of cells",
            rows[other].len()
        );
        return Err(Error::argument("table", reason));
    }
    Ok(Table { names: (0..width).map(|column| column.to_string()).collect(), rows })
}

/// A table of rows and named columns. See [`table`].
#[derive(Clone)]
pub struct Table {
    names: Vec<String>,
    rows: Vec<Vec<TableValue>>,
}

/// What stands in a cell.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub enum TableValue {
    Text(String),
    /// A number as text, and for sorting.
    Number(String, f64),
    Missing,
}

impl TableValue {
    fn text(&self) -> &str {
        match self {
            TableValue::Text(text) | TableValue::Number(text, _) => text,
            TableValue::Missing => "",
        }
    }
}

/// What can stand in a cell of a [`table`]: numbers, `bool`, `char`, text, and `Option`s of them. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a cell of a table",
    label = "not a number and not a text",
    note = "cells are numbers, `bool`, `char`, `&str`, `String`, or `Option`s of them; write others as text: `format!(\"{{value:?}}\")`"
)]
pub trait TableCell {
    #[doc(hidden)]
    fn cell(&self) -> TableValue;
}

macro_rules! cells {
    ($($kind:ty)*; $value:ident => $cell:expr) => {$(
        impl TableCell for $kind {
            fn cell(&self) -> TableValue {
                let $value = self;
                $cell
            }
        }
    )*};
}
cells!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize; value => TableValue::Number(value.to_string(), *value as f64));
cells!(f32; value => TableValue::Number(general(f64::from(*value), 6), f64::from(*value)));
cells!(f64; value => TableValue::Number(general(*value, 6), *value));
cells!(half::f16 half::bf16; value => TableValue::Number(general(value.to_f64(), 6), value.to_f64()));
cells!(bool char str String std::borrow::Cow<'_, str>; value => TableValue::Text(value.to_string()));

impl<T: TableCell> TableCell for Option<T> {
    fn cell(&self) -> TableValue {
        self.as_ref().map_or(TableValue::Missing, TableCell::cell)
    }
}

impl<T: TableCell + ?Sized> TableCell for &T {
    fn cell(&self) -> TableValue {
        (**self).cell()
    }
}

/// What can be a row of a [`table`]: a tuple, an array or a `Vec` of cells, or one cell. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a row of a table",
    label = "not a tuple of numbers and texts",
    note = "rows are tuples, arrays or `Vec`s of numbers and texts: `gpu::table(&[(\"host\", 120.0), (\"device\", 3.5)])`"
)]
pub trait TableRow {
    #[doc(hidden)]
    fn row(&self) -> Vec<TableValue>;
}

macro_rules! single {
    ($($kind:ty)*) => {$(
        impl TableRow for $kind {
            fn row(&self) -> Vec<TableValue> {
                vec![self.cell()]
            }
        }
    )*};
}
single!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 half::f16 half::bf16 bool char String &str);

impl<T: TableCell> TableRow for Option<T> {
    fn row(&self) -> Vec<TableValue> {
        vec![self.cell()]
    }
}

impl<T: TableCell> TableRow for Vec<T> {
    fn row(&self) -> Vec<TableValue> {
        self.iter().map(TableCell::cell).collect()
    }
}

impl<T: TableCell> TableRow for &[T] {
    fn row(&self) -> Vec<TableValue> {
        self.iter().map(TableCell::cell).collect()
    }
}

impl<T: TableCell, const N: usize> TableRow for [T; N] {
    fn row(&self) -> Vec<TableValue> {
        self.iter().map(TableCell::cell).collect()
    }
}

macro_rules! tuples {
    ($($($kind:ident)+;)*) => {$(
        impl<$($kind: TableCell),+> TableRow for ($($kind,)+) {
            #[allow(non_snake_case, reason = "a type and its value have one name")]
            fn row(&self) -> Vec<TableValue> {
                let ($($kind,)+) = self;
                vec![$($kind.cell()),+]
            }
        }
    )*};
}
tuples! {
    A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
    A B C D E F G H I; A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}

/// What [`table`] takes. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rows for a table",
    label = "expected rows",
    note = "`gpu::table` takes rows, such as `&[(\"host\", 120.0), (\"device\", 3.5)]`, a reference to an array with one or two axes, or a map"
)]
pub trait TableRows {
    #[doc(hidden)]
    fn rows(self) -> Result<Vec<Vec<TableValue>>>;
}

impl<R: TableRow> TableRows for Vec<R> {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        self.as_slice().rows()
    }
}

impl<R: TableRow> TableRows for &Vec<R> {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        self.as_slice().rows()
    }
}

impl<R: TableRow> TableRows for &[R] {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        Ok(self.iter().map(TableRow::row).collect())
    }
}

impl<R: TableRow, const N: usize> TableRows for [R; N] {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        self.as_slice().rows()
    }
}

impl<R: TableRow, const N: usize> TableRows for &[R; N] {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        self.as_slice().rows()
    }
}

impl<K: TableCell, V: TableCell> TableRows for &BTreeMap<K, V> {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        Ok(self.iter().map(|(key, value)| vec![key.cell(), value.cell()]).collect())
    }
}

impl<K: TableCell, V: TableCell, S> TableRows for &HashMap<K, V, S> {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        Ok(self.iter().map(|(key, value)| vec![key.cell(), value.cell()]).collect())
    }
}

impl<S: Data<Elem = T>, D: Dimension, T: TableCell> TableRows for &ArrayBase<S, D> {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        let all = self.view().into_dyn();
        match all.ndim() {
            1 => Ok(all.iter().map(|value| vec![value.cell()]).collect()),
            2 => Ok(all.axis_iter(Axis(0)).map(|row| row.iter().map(TableCell::cell).collect()).collect()),
            _ => Err(axes(self.shape())),
        }
    }
}

impl<T: Element + TableCell> TableRows for &DeviceArray<T> {
    fn rows(self) -> Result<Vec<Vec<TableValue>>> {
        match self.ndim() {
            1 | 2 => self.to_host().rows(),
            _ => Err(axes(self.shape())),
        }
    }
}

fn axes(shape: &[usize]) -> Error {
    let reason = format!("has {} axes; a table has one or two: `gpu::table(&x.reshape((rows, columns)))`", shape.len());
    Error::shape("table", shape, reason)
}

impl Table {
    /// Names the columns, from the first one on.
    ///
    /// **Panics** if there are more or fewer names than columns.
    ///
    /// ```
    /// warpcell::table(&[(1, 1.5), (2, 2.5)]).columns(["n", "ms"]);
    /// ```
    #[track_caller]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Table {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if !self.rows.is_empty() && names.len() != self.names.len() {
            let all: Vec<String> = self.names.iter().map(|name| format!("{:?}", format!("column {name}"))).collect();
            let reason = format!(
                "there are {} names for {} columns; name each one: `.columns([{}])`",
                names.len(),
                self.names.len(),
                all.join(", ")
            );
            check::<()>(Err(Error::argument("Table::columns", reason)));
        }
        self.names = names;
        self
    }

    /// Adds a column on the right.
    ///
    /// `values`: an array, a slice or a `Vec`, with a value for each row.
    ///
    /// **Panics** if there are more or fewer values than rows.
    ///
    /// ```
    /// let sizes = [256, 512];
    /// warpcell::table(&sizes).columns(["size"]).column("seconds", &[0.5, 2.0]).column("note", &["small", "large"]);
    /// ```
    #[track_caller]
    pub fn column(mut self, name: impl Into<String>, values: impl TableRows) -> Table {
        let (name, values) = (name.into(), check(values.rows()));
        let wide = values.iter().find(|value| value.len() != 1).map(Vec::len);
        let reason = match wide {
            Some(width) => Some(format!("the column {name:?} has {width} cells in a row; give one value for each row")),
            None if values.len() != self.rows.len() && !(self.names.is_empty() && self.rows.is_empty()) => {
                Some(format!(
                    "the column {name:?} has {} values, but the table has {} rows; give one value for each row",
                    values.len(),
                    self.rows.len()
                ))
            }
            None => None,
        };
        if let Some(reason) = reason {
            check::<()>(Err(Error::argument("Table::column", reason)));
        }
        self.rows.resize(values.len(), Vec::new());
        self.rows.iter_mut().zip(values).for_each(|(row, value)| row.extend(value));
        self.names.push(name);
        self
    }

    /// Whether all cells of a column that have something in them have numbers.
    fn is_of_numbers(&self, column: usize) -> bool {
        let mut values =
            self.rows.iter().map(|row| &row[column]).filter(|value| **value != TableValue::Missing).peekable();
        values.peek().is_some() && values.all(|value| matches!(value, TableValue::Number(..)))
    }

    fn html(&self) -> String {
        let id = format!("warpcell-table-{}", super::new_id());
        let columns = self.names.len().min(MOST_COLUMNS);
        let numbers: Vec<bool> = (0..columns).map(|column| self.is_of_numbers(column)).collect();
        let side = |is_number: bool| if is_number { "right" } else { "left" };
        let mut html = format!("<div id=\"{id}\" style=\"max-height:32em;overflow:auto\"><table><thead><tr>");
        for (name, &is_number) in self.names.iter().zip(&numbers) {
            html.push_str(&format!(
                "<th{} style=\"text-align:{};position:sticky;top:0;background:var(--vscode-editor-background,var(--jp-layout-color0,Canvas));color:var(--vscode-editor-foreground,inherit)\">{}</th>",
                if is_number { " data-n" } else { "" },
                side(is_number),
                escaped(&shortened(name, MOST_CHARACTERS))
            ));
        }
        html.push_str("</tr></thead><tbody>");
        let mut shown = 0;
        for row in self.rows.iter().take(MOST_ROWS) {
            let mut line = "<tr>".to_owned();
            for (value, &is_number) in row.iter().zip(&numbers) {
                let exact = match value {
                    // Where the text has fewer digits.
                    TableValue::Number(text, number) if text.parse() != Ok(*number) && number.is_finite() => {
                        format!(" data-n=\"{number:?}\"")
                    }
                    _ => String::new(),
                };
                let text = shortened(value.text(), MOST_CHARACTERS);
                line.push_str(&format!("<td style=\"text-align:{}\"{exact}>{}</td>", side(is_number), escaped(&text)));
            }
            if shown > 0 && html.len() + line.len() > MOST_BYTES {
                break;
            }
            html.push_str(&line);
            html.push_str("</tr>");
            shown += 1;
        }
        html.push_str("</tbody></table></div>");
        if shown < self.rows.len() {
            html.push_str(&format!("<div>The first {shown} of {} rows. A click sorts these.</div>", self.rows.len()));
        }
        if columns < self.names.len() {
            html.push_str(&format!("<div>The first {columns} of {} columns.</div>", self.names.len()));
        }
        html + &SCRIPT.trim().replace("@ID@", &id)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.names.len().min(PRINTED_COLUMNS);
        // A line of the text is a row.
        let printed = |text: &str| shortened(text, PRINTED_CHARACTERS).replace(['\n', '\r', '\t'], " ");
        let cells = |row: &Vec<TableValue>| row[..columns].iter().map(|value| printed(value.text())).collect();
        let header = self.names[..columns].iter().map(|name| printed(name)).collect();
        let rows: Vec<Vec<String>> =
            std::iter::once(header).chain(self.rows.iter().take(PRINTED_ROWS).map(cells)).collect();
        let numbers: Vec<bool> = (0..columns).map(|column| self.is_of_numbers(column)).collect();
        let mut lines = aligned(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), |column| numbers[column]);
        if self.rows.len() > PRINTED_ROWS {
            lines.push(format!("… {} rows in all", self.rows.len()));
        }
        if self.names.len() > columns {
            lines.push(format!("… {} columns in all", self.names.len()));
        }
        f.write_str(&lines.join("\n"))
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_string();
        cell::offer_rich(&text, || MimeBundle::new().html(self.html()).into_data());
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use crate::testing::panic_message;

    fn html(table: &Table) -> String {
        representations_of(table).unwrap()["text/html"].as_str().unwrap().to_owned()
    }

    #[test]
    fn rows_of_all_kinds() {
        let text = |table: Table| table.to_string();
        assert_eq!(
            text(table(&[("a", 1.5, true), ("bc", -2.0, false)])),
            "0      1   2\na    1.5   true\nbc    -2   false"
        );
        assert_eq!(text(table(vec![[1u8, 20], [3, 4]])), "0    1\n1   20\n3    4");
        assert_eq!(text(table(&vec![vec![Some(1), None]])), "0   1\n1");
        assert_eq!(text(table(&[1.0f32, 0.1])), "  0\n  1\n0.1");
        assert_eq!(text(table(["one", "two"])), "0\none\ntwo");
        assert_eq!(text(table(&ndarray::array![[1, 2], [3, 4]]).columns(["x", "y"])), "x   y\n1   2\n3   4");
        assert_eq!(text(table(&crate::arange(2.0).reshape((2, 1)))), "0\n0\n1");
        assert_eq!(text(table(&crate::array(&[true, false]))), "0\ntrue\nfalse");
        let map = BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]);
        assert_eq!(text(table(&map).columns(["word", "count"])), "word   count\na          2\nb          1");
        assert_eq!(text(table(&HashMap::from([(7, 'x')]))), "0   1\n7   x");
        let empty: [(i32, i32); 0] = [];
        assert_eq!(text(table(&empty)), "");
        assert_eq!(text(table(&empty).column("x", &[1, 2]).column("y", &[3.5, 4.0])), "x     y\n1   3.5\n2     4");
    }

    #[test]
    fn html_has_what_sorts() {
        let html = html(&table(&[("<b>", 1.0 / 3.0), ("c", 2.0)]).columns(["na&me", "ms"]));
        assert!(html.contains(">na&amp;me</th><th data-n style="), "{html}");
        assert!(html.contains("<td style=\"text-align:left\">&lt;b&gt;</td><td style=\"text-align:right\" data-n=\"0.3333333333333333\">0.333333</td>"));
        assert!(html.contains("<td style=\"text-align:right\">2</td>") && html.ends_with("</script>"));
        let id = html.split('"').nth(1).unwrap();
        assert_eq!(html.matches(id).count(), 2, "{html}");
    }

    #[test]
    fn long_tables_are_cut() {
        let long = table(&crate::arange(100_000i64));
        let html = html(&long);
        assert!(html.len() < MOST_BYTES + 10_000 && html.contains("The first 5000 of 100000 rows."));
        assert_eq!(long.to_string().lines().count(), PRINTED_ROWS + 2);
        let long_texts = self::html(&table(vec!["x".repeat(10_000); 5000]));
        assert!((500..2000).contains(&html_rows(&long_texts)) && long_texts.len() < MOST_BYTES + 10_000);
        let wide = table(&crate::zeros::<f32>((3, 10_000)));
        let html = self::html(&wide);
        assert!(html_rows(&html) == 3 && html.contains("The first 200 of 10000 columns.") && html.len() < 100_000);
        assert!(wide.to_string().len() < 1_000 && wide.to_string().ends_with("… 10000 columns in all"));
        let one = table(&["y".repeat(3_000_000)]);
        assert!(html_rows(&self::html(&one)) == 1 && one.to_string().len() < 200);
        assert_eq!(table(&[("a\nb", 1)]).to_string(), "0     1\na b   1");
    }

    fn html_rows(html: &str) -> usize {
        html.matches("<tr>").count() - 1
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let message = |work: &dyn Fn() -> Table| panic_message(|| drop(work()));
        expect_test::expect![[r#"
            Table::columns: there are 1 names for 2 columns; name each one: `.columns(["column 0", "column 1"])`
            Table::column: the column "ms" has 3 values, but the table has 2 rows; give one value for each row
            Table::column: the column "ms" has 2 cells in a row; give one value for each row
            table: the shape [2, 2, 2] has 3 axes; a table has one or two: `gpu::table(&x.reshape((rows, columns)))`"#]]
        .assert_eq(
            &[
                message(&|| table(&[(1, 2)]).columns(["a"])),
                message(&|| table(&[1, 2]).column("ms", &[1, 2, 3])),
                message(&|| table(&[1, 2]).column("ms", &[(1, 2), (3, 4)])),
                message(&|| table(&crate::zeros::<f32>((2, 2, 2)))),
            ]
            .join("\n"),
        );
    }
}
