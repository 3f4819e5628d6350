//! Tables in reports: as text and as HTML, from the same cells.

use crate::cell;
use crate::rich::{MimeBundle, escaped};
use std::fmt;

/// Rows of texts under a header. Names stand left, numbers right.
pub(crate) struct Table {
    /// How many of the columns, from the first on, are names.
    names: usize,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether the last row is the sum of the others.
    has_total: bool,
}

impl Table {
    pub fn new(names: usize, header: &[&str]) -> Table {
        let header = header.iter().map(ToString::to_string).collect();
        Table { names, header, rows: Vec::new(), has_total: false }
    }

    /// Adds a row, with as many cells as the header has.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds the last row, the sum.
    pub fn total(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
        self.has_total = true;
    }

    /// One line a row, without a line's end behind the last.
    pub fn text(&self) -> String {
        let all = std::iter::once(&self.header).chain(&self.rows);
        aligned(&all.map(Vec::as_slice).collect::<Vec<_>>(), |column| column >= self.names).join("\n")
    }

    /// A `<table>` for notebooks. Front ends keep styles, but no classes of ours.
    pub fn html(&self) -> String {
        let cells = |row: &[String], tag: &str, weight: &str| {
            let cell = |(column, text): (usize, &String)| {
                let side = if column < self.names { "left" } else { "right" };
                format!("<{tag} style=\"text-align:{side};{weight}\">{}</{tag}>", escaped(text))
            };
            format!("<tr>{}</tr>", row.iter().enumerate().map(cell).collect::<String>())
        };
        let is_total = |index: usize| self.has_total && index + 1 == self.rows.len();
        let rows = self.rows.iter().enumerate();
        let body: String =
            rows.map(|(index, row)| cells(row, "td", if is_total(index) { "font-weight:bold" } else { "" })).collect();
        let header = cells(&self.header, "th", "");
        format!("<table><thead>{header}</thead><tbody>{body}</tbody></table>")
    }
}

/// Rows as lines of text with columns of one width each, on whose right or left side the cells stand.
pub(crate) fn aligned(rows: &[&[String]], is_right: impl Fn(usize) -> bool) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, |row| row.len())).map(width).collect();
    let line = |row: &&[String]| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if is_right(column) { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        cells.collect::<Vec<String>>().join("   ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A table with words before and behind it, as `Debug` writes it: text, and in a notebook HTML.
///
/// `extra`: more HTML behind all of it.
pub(crate) fn write_rich(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    [before, behind]: [&str; 2],
    table: &Table,
    extra: impl FnOnce() -> String,
) -> fmt::Result {
    cell::offer_rich(text, || {
        let paragraph = |words: &str| match words {
            "" => String::new(),
            words => format!("<div>{}</div>", escaped(words).replace('\n', "<br>")),
        };
        let html = format!("{}{}{}{}", paragraph(before), table.html(), paragraph(behind), extra());
        MimeBundle::new().html(html).into_data()
    });
    f.write_str(text)
}

#[cfg(test)]
mod tests {
    use super::Table;
    use expect_test::expect;

    fn table() -> Table {
        let mut table = Table::new(1, &["step", "time"]);
        table.row(vec!["a<b".into(), "1.5 μs".into()]);
        table.total(vec!["all of it".into(), "12 ms".into()]);
        table
    }

    #[test]
    fn names_stand_left_and_numbers_right() {
        expect![[r#"
            step          time
            a<b         1.5 μs
            all of it    12 ms"#]]
        .assert_eq(&table().text());
    }

    #[test]
    fn html_is_escaped() {
        expect![[r#"<table><thead><tr><th style="text-align:left;">step</th><th style="text-align:right;">time</th></tr></thead><tbody><tr><td style="text-align:left;">a&lt;b</td><td style="text-align:right;">1.5 μs</td></tr><tr><td style="text-align:left;font-weight:bold">all of it</td><td style="text-align:right;font-weight:bold">12 ms</td></tr></tbody></table>"#]]
        .assert_eq(&table().html());
    }
}
