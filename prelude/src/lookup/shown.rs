//! An answer as text and as HTML.
//!
//! The kernel has this file too, for `np.percentile?`. So it needs the standard library only.

use super::page::{code, only_code};
use super::search::Found;

/// A longer expression has a line of its own.
const WIDEST: usize = 48;

/// What the tables are about.
const ARRAYS: &str = "`a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`.";

impl Found {
    /// The sentences before the rows and behind them, in Markdown.
    fn sentences(&self) -> (Vec<String>, Vec<String>) {
        let listed = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for (name, reason) in &self.absent {
            before.push(format!("`{name}` is absent: {reason}."));
        }
        let is_found = !(self.rows.is_empty() && self.absent.is_empty());
        match (self.is_name, is_found, self.question.as_str()) {
            (_, _, "") => before.push("Ask for a name or for words: `gpu::lookup(\"np.percentile\")`.".to_owned()),
            (true, false, _) => before.push(format!("Names in `{}`: {}.", self.question, listed(&self.others))),
            (true, true, _) if !self.others.is_empty() => behind.push(format!("See also {}.", listed(&self.others))),
            (true, ..) => {}
            (false, true, question) if self.is_meant => before.push(format!("These rows are about `{question}`.")),
            (false, _, question) => {
                if !self.rows.is_empty() {
                    before.push(format!("These rows have the words `{question}`."));
                } else if !is_found {
                    before.push(format!("`{question}` is in no table."));
                    before.push(match self.others[..] {
                        [] => "`gpu::lookup(\"sliding window\")` looks for words.".to_owned(),
                        _ => format!("Names like it: {}.", listed(&self.others)),
                    });
                }
            }
        }
        if self.more > 0 {
            let rows = if self.more == 1 { "row" } else { "rows" };
            behind.insert(0, format!("{} more {rows}: ask for a longer name.", self.more));
        }
        for call in &self.calls {
            behind.push(format!("With optional arguments, in any order: `{call}`"));
        }
        for (name, arguments) in &self.arguments {
            behind.push(format!("Arguments of `{name}` that are not here: {arguments}."));
        }
        if self.has_arrays {
            behind.push(ARRAYS.to_owned());
        }
        (before, behind)
    }

    /// The answer as text, without a line end behind it.
    pub fn text(&self) -> String {
        let plain = |markdown: &str| only_code(markdown).unwrap_or(markdown).to_owned();
        let (before, behind) = self.sentences();
        let mut lines = before;
        let rows: Vec<(String, String)> = self.rows.iter().map(|(theirs, ours)| (plain(theirs), plain(ours))).collect();
        if !rows.is_empty() {
            let head = ("NumPy, CuPy".to_owned(), "Warpcell".to_owned());
            let all = || std::iter::once(&head).chain(&rows);
            let length = |text: &str| text.chars().count();
            let width =
                all().map(|(theirs, _)| length(theirs)).filter(|width| *width <= WIDEST).max().unwrap_or(WIDEST);
            for (theirs, ours) in all() {
                if length(theirs) > width {
                    lines.push(theirs.clone());
                    lines.push(format!("{:width$}   {ours}", ""));
                } else {
                    lines.push(format!("{theirs:width$}   {ours}"));
                }
            }
        }
        lines.extend(behind);
        lines.join("\n")
    }

    /// The answer as a piece of HTML, with the colours and fonts of the notebook.
    pub fn html(&self) -> String {
        let (before, behind) = self.sentences();
        let paragraphs = |sentences: &[String]| {
            sentences.iter().map(|sentence| format!("<p>{}</p>", marked(sentence))).collect::<String>()
        };
        let mut html = paragraphs(&before);
        if !self.rows.is_empty() {
            // JupyterLab would write the cells at the right.
            let cell = |tag: &str, text: &str| format!("<{tag} style=\"text-align:left\">{text}</{tag}>");
            html += "<table><thead><tr>";
            html += &(cell("th", "NumPy, CuPy") + &cell("th", "Warpcell"));
            html += "</tr></thead><tbody>";
            for (theirs, ours) in &self.rows {
                html += &format!("<tr>{}{}</tr>", cell("td", &marked(theirs)), cell("td", &marked(ours)));
            }
            html += "</tbody></table>";
        }
        html + &paragraphs(&behind)
    }
}

/// Markdown with code in it as HTML.
fn marked(markdown: &str) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut html = String::new();
    let mut rest = markdown;
    for code in code(markdown) {
        let (before, behind) = rest.split_once('`').unwrap_or((rest, ""));
        html += &escaped(before);
        html += &format!("<code>{}</code>", escaped(code));
        rest = behind.strip_prefix(code).and_then(|behind| behind.strip_prefix('`')).unwrap_or_default();
    }
    html + &escaped(rest)
}
