//! `%history`: the cells of this session.

use super::action::{Action, ActionError};
use super::magic::Arguments;
use super::notebook::Notebook;
use std::fmt::Write as _;

/// Which cells `%history` shows, and how.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// First and last number. All cells, if there are none.
    ranges: Vec<(usize, usize)>,
    /// So many of the last cells only.
    last: Option<usize>,
    /// Only cells that contain this.
    text: Option<String>,
    with_numbers: bool,
    /// Where to write them, in place of showing them.
    file: Option<String>,
}

/// `%history`.
pub(super) fn history(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    let count = |text: &str| text.parse::<usize>().map_err(|_| format!("`-l` needs a number of cells, not `{text}`"));
    let wanted = Wanted {
        ranges: arguments.rest.split_whitespace().map(range).collect::<Result<_, _>>()?,
        last: arguments.option("-l").map(count).transpose()?,
        text: arguments.option("-g").map(str::to_owned),
        with_numbers: arguments.option("-n").is_some(),
        file: arguments.option("-f").map(str::to_owned),
    };
    Ok(Action::new(move |kernel| {
        let text = wanted.of(&kernel.inputs());
        let Some(file) = &wanted.file else {
            kernel.print(if text.is_empty() { "There are no such cells." } else { &text });
            return Ok(());
        };
        let path = kernel.resolve(file);
        std::fs::write(&path, text).map_err(|error| {
            ActionError::new("FileError", format!("%history: {} cannot be written: {error}", path.display()))
        })
    }))
}

/// `3`, `2-5` or `4-`.
fn range(text: &str) -> Result<(usize, usize), String> {
    let wrong = || format!("`{text}` is no range of cells; write `3`, `2-5` or `4-`");
    let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
    match text.split_once('-') {
        None => number(text).map(|number| (number, number)),
        Some((first, "")) => Ok((number(first)?, usize::MAX)),
        Some((first, last)) => Ok((number(first)?, number(last)?)),
    }
}

impl Wanted {
    /// The texts of the cells, of all of them.
    fn of(&self, inputs: &[(usize, String)]) -> String {
        let in_range = |number: usize| {
            self.ranges.is_empty() || self.ranges.iter().any(|&(first, last)| (first..=last).contains(&number))
        };
        let has_text = |input: &str| self.text.as_ref().is_none_or(|text| input.contains(text.as_str()));
        let found: Vec<&(usize, String)> =
            inputs.iter().filter(|(number, input)| in_range(*number) && has_text(input)).collect();
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
    fn cells_are_written_to_a_file() {
        let mut kernel = Recorder::new();
        assert_eq!(kernel.run(&expand("%history -f cells.rs 1-2").unwrap()), []);
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
                Usage: %history [-n] [-l COUNT] [-g TEXT] [-f FILE] [RANGE …]
                `%history?` shows more."#]],
        );
        check(
            "%history -l all",
            expect![[r#"
                UsageError
                line 1: `%history`: `-l` needs a number of cells, not `all`
                Usage: %history [-n] [-l COUNT] [-g TEXT] [-f FILE] [RANGE …]
                `%history?` shows more."#]],
        );
    }
}
