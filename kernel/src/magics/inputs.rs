//! `%history`: the cells of this session.

use super::action::{Action, ActionError};
use super::magic::{Arguments, MagicOption, flag, option};
use super::notebook::Notebook;
use super::values::KernelText;
use std::fmt::Write as _;

/// The options of `%history`.
pub(super) const OPTIONS: &[MagicOption] = &[
    flag("-n", "with the numbers of the cells"),
    option("-l", "COUNT", "the last so many cells only"),
    option("-g", "TEXT", "only cells that contain this text; * is any text, ? any character"),
    option("-f", "FILE", "write them to a new file"),
    flag("-u", "of cells with the same text only the last one"),
    flag("-r", "as they were typed (default)"),
];

/// Which cells `%history` shows, and how.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// First and last number. All cells, if there are none.
    ranges: Vec<(usize, usize)>,
    /// So many of the last cells only.
    last: Option<usize>,
    /// Only cells that contain this, in which `*` is any text and `?` any character.
    pattern: Option<String>,
    /// Of cells with the same text only the last one.
    unique: bool,
    with_numbers: bool,
    /// Where to write them, in place of showing them.
    file: Option<String>,
}

/// `%history`.
pub(super) fn history(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<Action, String> {
    let mut wanted = Wanted::default();
    wanted.take(arguments)?;
    let file = wanted.file.as_deref().map(|file| KernelText::of(file, notebook));
    Ok(Action::new(move |kernel| {
        let text = wanted.of(&kernel.inputs());
        let Some(file) = &file else {
            kernel.print(if text.is_empty() { "There are no such cells." } else { &text });
            return Ok(());
        };
        let file = &file.get(kernel)?;
        let path = kernel.resolve(file);
        if path.exists() {
            let message =
                format!("%history: {file} is there already, and would be overwritten; write another name behind `-f`");
            return Err(ActionError::new("FileError", message));
        }
        std::fs::write(&path, text).map_err(|error| {
            ActionError::new("FileError", format!("%history: {} cannot be written: {error}", path.display()))
        })
    }))
}

/// `3`, `2-5` or `4-`.
fn range(text: &str) -> Result<(usize, usize), String> {
    if text.starts_with('~') || text.contains('/') {
        let own = text.rsplit('/').next().filter(|own| range(own).is_ok()).unwrap_or("1-3");
        return Err(format!(
            "`{text}` names an earlier session, and only the cells of this session are kept; write `%history {own}`"
        ));
    }
    let wrong = || format!("`{text}` is no range of cells; write `3`, `2-5` or `4-`");
    let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
    match text.split_once('-') {
        None => number(text).map(|number| (number, number)),
        Some((first, "")) => Ok((number(first)?, usize::MAX)),
        Some((first, last)) => Ok((number(first)?, number(last)?)),
    }
}

/// Whether a text contains a pattern.
fn contains(text: &[char], pattern: &[char]) -> bool {
    (0..=text.len()).any(|start| begins(&text[start..], pattern))
}

fn begins(text: &[char], pattern: &[char]) -> bool {
    match pattern.split_first() {
        None => true,
        // Where it ends does not matter: the rest of the pattern may be found anywhere behind.
        Some(('*', rest)) => contains(text, rest),
        Some((first, rest)) => {
            text.split_first().is_some_and(|(next, text)| (*first == '?' || first == next) && begins(text, rest))
        }
    }
}

impl Wanted {
    /// Takes options, and the ranges and further options behind them.
    fn take(&mut self, arguments: &Arguments<'_>) -> Result<(), String> {
        let count =
            |text: &str| text.parse::<usize>().map_err(|_| format!("`-l` needs a number of cells, not `{text}`"));
        self.last = arguments.option("-l").map(count).transpose()?.or(self.last);
        self.pattern = arguments.option("-g").map(str::to_owned).or_else(|| self.pattern.take());
        self.file = arguments.option("-f").map(str::to_owned).or_else(|| self.file.take());
        self.with_numbers |= arguments.option("-n").is_some();
        self.unique |= arguments.option("-u").is_some();
        let mut rest = arguments.rest;
        while !rest.is_empty() {
            if rest.starts_with('-') {
                return self.take(&Arguments::parse(rest, OPTIONS)?);
            }
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            self.ranges.push(range(word)?);
            rest = behind.trim_start();
        }
        Ok(())
    }

    /// The texts of the cells, of all of them.
    fn of(&self, inputs: &[(usize, String)]) -> String {
        let in_range = |number: usize| {
            self.ranges.is_empty() || self.ranges.iter().any(|&(first, last)| (first..=last).contains(&number))
        };
        let characters = |text: &str| text.chars().collect::<Vec<char>>();
        let pattern = self.pattern.as_deref().map(characters);
        let has_text = |input: &str| pattern.as_ref().is_none_or(|pattern| contains(&characters(input), pattern));
        let is_last =
            |index: usize, input: &str| !self.unique || inputs[index + 1..].iter().all(|(_, later)| later != input);
        let found: Vec<&(usize, String)> = inputs
            .iter()
            .enumerate()
            .filter(|(index, (number, input))| in_range(*number) && has_text(input) && is_last(*index, input))
            .map(|(_, cell)| cell)
            .collect();
        let skipped = self.last.map_or(0, |last| found.len().saturating_sub(last));
        let mut text = String::new();
        for (number, input) in &found[skipped..] {
            // Writing to a string does not fail.
            let _ = match self.with_numbers {
                true => writeln!(text, "{number}: {}", input.trim_end()),
                false => writeln!(text, "{}", input.trim_end()),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::magics::tests::{Recorder, check, expand};
    use expect_test::expect;

    #[test]
    fn cells_are_chosen_by_number_and_text() {
        let shown = |line: &str| Recorder::new().run(&expand(line).unwrap()).remove(0).1;
        assert_eq!(shown("%history"), "let a = 1;\na + 1\nlet b = a;\nb\n");
        assert_eq!(shown("%history -n 2-"), "2: a + 1\n3: let b = a;\nb\n");
        assert_eq!(shown("%history 1 3"), "let a = 1;\nlet b = a;\nb\n");
        assert_eq!(shown("%history -l 1 -n 1-2"), "2: a + 1\n");
        assert_eq!(shown("%history -g let -l 1"), "let b = a;\nb\n");
        assert_eq!(shown("%history 7"), "There are no such cells.");
    }

    #[test]
    fn options_are_written_as_in_ipython() {
        let shown = |line: &str| Recorder::new().run(&expand(line).unwrap()).remove(0).1;
        // Attached values, values in quotes, several letters at once, and options behind the ranges.
        assert_eq!(shown("%history -n2"), "2: a + 1\n");
        assert_eq!(shown("%history -l1"), "let b = a;\nb\n");
        assert_eq!(shown("%history -g\"let b\""), "let b = a;\nb\n");
        assert_eq!(shown("%history -g 'a = 1'"), "let a = 1;\n");
        assert_eq!(shown("%history -g \"let ?=\""), "There are no such cells.");
        assert_eq!(shown("%history -g \"l*b = ?;\""), "let b = a;\nb\n");
        assert_eq!(shown("%history -rnl 1"), "3: let b = a;\nb\n");
        assert_eq!(shown("%history 1-2 -n"), "1: let a = 1;\n2: a + 1\n");
        assert_eq!(shown("%history -u"), "let a = 1;\na + 1\nlet b = a;\nb\n");
        let mut kernel = Recorder::new();
        assert_eq!(kernel.run(&expand("%history 2 -f \"my cells.rs\"").unwrap()), []);
        assert_eq!(std::fs::read_to_string(kernel.folder.path().join("my cells.rs")).unwrap(), "a + 1\n");
        for (line, message) in [
            ("%history -o", "there is no option `-o`; there are `-n`, `-l COUNT`, `-g TEXT`, `-f FILE`, `-u` and `-r`"),
            ("%history -t 1", "there is no option `-t`; there are"),
            ("%history 1 -o", "there is no option `-o`; there are"),
            (
                "%history ~2/1-3",
                "`~2/1-3` names an earlier session, and only the cells of this session are kept; write `%history 1-3`",
            ),
            ("%history -g", "`-g` needs a value: TEXT"),
        ] {
            let error = expand(line).unwrap_err().to_string();
            assert!(error.contains(message), "{line}: {error}");
        }
    }

    #[test]
    fn cells_are_written_to_a_file() {
        let mut kernel = Recorder::new();
        assert_eq!(kernel.run(&expand("%history -f cells.rs 1-2").unwrap()), []);
        assert_eq!(std::fs::read_to_string(kernel.folder.path().join("cells.rs")).unwrap(), "let a = 1;\na + 1\n");
        let failed = kernel.run(&expand("%history -f cells.rs").unwrap()).remove(0);
        let message =
            "FileError: %history: cells.rs is there already, and would be overwritten; write another name behind `-f`";
        assert_eq!(failed.1, message);
        assert_eq!(std::fs::read_to_string(kernel.folder.path().join("cells.rs")).unwrap(), "let a = 1;\na + 1\n");
        let failed = kernel.run(&expand("%history -f no/cells.rs").unwrap()).remove(0);
        assert!(
            failed.1.starts_with("FileError: %history: no/cells.rs cannot be written: No such file"),
            "{}",
            failed.1
        );
    }

    #[test]
    fn ranges_are_named_as_the_usage_says() {
        check(
            "%history 3-x",
            expect![[r#"
                UsageError
                line 1: `%history`: `3-x` is no range of cells; write `3`, `2-5` or `4-`
                Usage: %history [-n] [-l COUNT] [-g TEXT] [-f FILE] [-u] [-r] [RANGE …]
                `%history?` shows more."#]],
        );
        check(
            "%history -l all",
            expect![[r#"
                UsageError
                line 1: `%history`: `-l` needs a number of cells, not `all`
                Usage: %history [-n] [-l COUNT] [-g TEXT] [-f FILE] [-u] [-r] [RANGE …]
                `%history?` shows more."#]],
        );
    }
}
