//! The expansion of `%prun`, which calls functions in `warpcell::session`, and its options.

use super::literal::literal;
use super::magic::{CellCall, LineCall, Wrap};
use super::options::{skip_blanks, word_end};
use super::rewrite::Edit;
use super::rust::{Last, last_statement};
use super::timing::{around, measure_once};
use crate::profile::{Limit, ProfileOptions, SORTS};
use crate::syntax::is_word;

const VALUE: &str = "session::prun_value";
const END: &str = "session::prun_end";

/// `%prun`.
pub(super) fn prun(call: &LineCall<'_>) -> Result<Wrap, String> {
    let (options, start) = parse(call.arguments)?;
    let mut edits = vec![Edit::replace(0..start, "")];
    let Some(measured) = measure_once(&call.arguments[start..], call.shows_value, VALUE, END)? else {
        return Err("there is nothing to profile; write a statement after it".into());
    };
    edits.extend(keep_value(&call.arguments[start..]).into_iter().chain(measured).map(|edit| edit.shifted(start)));
    Ok(Wrap { before: begin(&options), edits, after: String::new() })
}

/// `%%prun`.
pub(super) fn prun_cell(call: &CellCall<'_>) -> Result<Vec<Edit>, String> {
    let (options, start) = parse(call.arguments)?;
    if !call.arguments[start..].is_empty() {
        let rest = &call.arguments[start..];
        return Err(format!("only options may follow it on its line, not `{rest}`; write the statements below"));
    }
    let nothing = "there is nothing to profile; write the statements below";
    let mut edits = around(call, &begin(&options), VALUE, END, nothing)?;
    edits.extend(keep_value(call.body()).into_iter().map(|edit| edit.shifted(call.code.start)));
    Ok(edits)
}

/// Edits that keep the compiler from leaving out a last statement because its value is not used.
fn keep_value(statements: &str) -> Vec<Edit> {
    match last_statement(statements) {
        // A macro may be statements.
        Last::Expression { range, place: false, semicolon: true } if !is_macro_call(&statements[range.clone()]) => {
            vec![Edit::insert(range.start, "std::hint::black_box("), Edit::insert(range.end, ")")]
        }
        _ => Vec::new(),
    }
}

/// Whether a macro is called: `name!(…)`.
fn is_macro_call(expression: &str) -> bool {
    let is_path = |text: &str| !text.is_empty() && text.chars().all(|character| is_word(character) || character == ':');
    expression.split_once('!').is_some_and(|(path, rest)| is_path(path.trim_end()) && !rest.starts_with('='))
}

/// The call that begins a profile.
fn begin(options: &ProfileOptions) -> String {
    let text = serde_json::to_string(options).unwrap_or_else(|error| unreachable!("options are plain data: {error}"));
    let text = if *options == ProfileOptions::default() { String::new() } else { text };
    format!("warpcell::session::prun_begin({});", literal(&text))
}

/// Parses the options at the start of `arguments`. Returns them and the byte at which the statement begins.
fn parse(arguments: &str) -> Result<(ProfileOptions, usize), String> {
    let mut options = ProfileOptions::default();
    let mut at = skip_blanks(arguments, 0);
    // Only the first line has options: a statement may go on below.
    let line_end = arguments.find('\n').unwrap_or(arguments.len());
    while arguments[at..].starts_with('-') {
        let end = word_end(arguments, at, line_end);
        let word = &arguments[at..end];
        at = skip_blanks(arguments, end);
        let mut letters = word.chars().skip(1);
        let value = letters.clone().skip(1).collect::<String>();
        match letters.next() {
            Some('-') if word == "--" => break,
            Some('q') if value.is_empty() => options.quiet = true,
            Some(letter @ ('l' | 's' | 'T' | 'o')) => {
                let value = if value.is_empty() {
                    let (value, end) = value_at(arguments, at, line_end);
                    at = skip_blanks(arguments, end);
                    value.to_owned()
                } else {
                    value
                };
                set(&mut options, letter, value)?;
            }
            _ => {
                return Err(format!(
                    "there is no option `{word}`; there are `-q`, `-l LIMIT`, `-s KEY`, `-T FILE` and `-o FILE`; write `--` before a \
                     statement that starts with a minus"
                ));
            }
        }
    }
    Ok((options, at))
}

/// A word, or a text in quotes; and where it ends.
fn value_at(arguments: &str, at: usize, line_end: usize) -> (&str, usize) {
    if let Some(quoted) = arguments[at..line_end.max(at)].strip_prefix('"')
        && let Some(length) = quoted.find('"')
    {
        return (&quoted[..length], at + length + 2);
    }
    let end = word_end(arguments, at, line_end);
    (&arguments[at..end], end)
}

fn set(options: &mut ProfileOptions, letter: char, value: String) -> Result<(), String> {
    if value.is_empty() {
        return Err(format!("`-{letter}` needs a value"));
    }
    match letter {
        'T' => options.text = Some(value.into()),
        'o' => options.picture = Some(value.into()),
        's' => {
            let Some((_, sort)) = SORTS.iter().find(|(name, _)| *name == value) else {
                let names: Vec<&str> = SORTS.iter().map(|(name, _)| *name).collect();
                return Err(format!("`-s` needs one of {}, not `{value}`", names.join(", ")));
            };
            options.sort = *sort;
        }
        _ => options.limits.push(limit(value)),
    }
    Ok(())
}

/// As in IPython: a whole number is a number of rows, one with a point a part of them, another text a part of names.
fn limit(value: String) -> Limit {
    if let Ok(rows) = value.parse() {
        return Limit::Rows(rows);
    }
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Limit::Share(share),
        _ => Limit::Name(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;
    use crate::profile::Sort;
    use expect_test::expect;

    #[test]
    fn statements_are_sampled() {
        check(
            "let n = 3;\n%prun f(n)\n",
            expect![[r#"
            [timed]
            let n = 3;
            warpcell::session::prun_begin(""); warpcell::session::prun_value(f(n))
        "#]],
        );
        check(
            "%prun -q -l 5 let y = f(2);\ny",
            expect![[r#"
            [timed]
            warpcell::session::prun_begin("{\"quiet\":true,\"limits\":[{\"rows\":5}]}"); let y = f(2); warpcell::session::prun_end();
            y"#]],
        );
        check(
            "%%prun\nlet y = f(2);\ny.len()",
            expect![[r#"
            [timed]
            warpcell::session::prun_begin("");
            let y = f(2);
            warpcell::session::prun_value(y.len())"#]],
        );
        check(
            "%prun f(2);",
            expect![[r#"
            [timed]
            warpcell::session::prun_begin(""); std::hint::black_box(f(2)); warpcell::session::prun_end();"#]],
        );
        for (cell, profiled) in [("%prun f()", true), ("%%prun\nf()", true), ("%time f()", false), ("f()", false)] {
            assert_eq!(super::super::expand(cell, &super::super::Notebook::default()).unwrap().profiled, profiled);
        }
    }

    #[test]
    fn wrong_uses_are_explained() {
        check(
            "%prun",
            expect![[r#"
                UsageError
                line 1: `%prun`: there is nothing to profile; write a statement after it
                Usage: %prun [-q] [-l LIMIT] [-s KEY] [-T FILE] [-o FILE] statement
                `%prun?` shows more."#]],
        );
        for (cell, message) in [
            ("%%prun f()\ng()", "only options may follow it on its line, not `f()`; write the statements below"),
            ("%%prun\n", "there is nothing to profile; write the statements below"),
            ("%prun -s calls f()", "`-s` needs one of tottime, "),
            ("%prun -x f()", "there is no option `-x`"),
            ("%%prun -T\nf()", "`-T` needs a value"),
        ] {
            let error = super::super::expand(cell, &super::super::Notebook::default()).unwrap_err().to_string();
            assert!(error.contains(message), "{cell}: {error}");
        }
    }

    #[test]
    fn options_are_those_of_ipython() {
        let (options, start) =
            parse("-l 3 -l0.5 -l rows::f -s cumtime -T a.txt -o \"my graph.svg\" -q -- -f()").unwrap();
        assert_eq!(options.limits, [Limit::Rows(3), Limit::Share(0.5), Limit::Name("rows::f".into())]);
        assert_eq!((options.sort, options.quiet), (Sort::Total, true));
        assert_eq!((options.text, options.picture), (Some("a.txt".into()), Some("my graph.svg".into())));
        assert_eq!(start, 66);
        assert_eq!(parse("f(-1)").unwrap(), (ProfileOptions::default(), 0));
        assert_eq!(limit("1.5".into()), Limit::Name("1.5".into()));
        let text = serde_json::to_string(&ProfileOptions::default()).unwrap();
        assert_eq!(serde_json::from_str::<ProfileOptions>(&text).unwrap(), ProfileOptions::default());
    }
}
