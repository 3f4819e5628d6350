//! The order of the lines of a cell. What the kernel does itself, such as `%run`, cannot stand in compiled code: a cell is
//! divided there, and its parts run one after another, as cells do.

use super::expand::{Form, MagicPlace, places};
use super::lexer::{CellTokenKind, tokens, word_length};
use super::magic::LineHandler;
use super::notebook::Notebook;
use super::usage::UsageError;
use crate::syntax::blank;
use std::ops::Range;

/// The names of evcxr's commands.
pub(super) const COMMANDS: &str = "allow_static_linking build_env cache clear clear_cache codegen_backend dep doc efmt env explain fmt help \
                        internal_debug last_compile_dir last_error_json linker load_config offline opt preserve_vars_on_panic quit \
                        restart sccache show_deps t time_passes timing toolchain type types vars version";

/// More lines of a corrected cell are not shown.
const SHOWN: usize = 10;

/// The parts of a cell that run one after another. Each has the lines above it as blank lines.
///
/// # Errors
/// A magic stands where the order cannot be kept, or a command of evcxr stands below code.
pub fn in_order(cell: &str, notebook: &Notebook) -> Result<Vec<String>, UsageError> {
    let mut parts = Vec::new();
    let mut rest = cell.to_owned();
    loop {
        let next = end_of_part(&rest, notebook)?;
        let part = rest[..next.unwrap_or(rest.len())].to_owned();
        commands_lead(&part, notebook)?;
        if let Some(next) = next {
            rest = "\n".repeat(part.matches('\n').count()) + &rest[next..];
        }
        parts.push(part);
        if next.is_none() {
            return Ok(parts);
        }
    }
}

/// Where the next part begins: at the first line that the kernel does itself and that has code above it.
fn end_of_part(cell: &str, notebook: &Notebook) -> Result<Option<usize>, UsageError> {
    let places = places(cell, notebook);
    let code = code_of(cell, &places);
    let around = places.iter().find(|place| place.form == Form::Cell && place.first).and_then(|place| place.magic);
    for place in &places {
        let Some(magic) = place.magic.filter(|_| place.form == Form::Line) else { continue };
        let may_be_code = matches!(magic.line, Some(LineHandler::Variables(_)));
        let above = &code[..place.word.start];
        let is_divided = (place.is_action() || may_be_code) && place.asks_help(cell).is_none();
        if !is_divided || !has_code(above) {
            continue;
        }
        let fail = |message: &str| Err(place.usage_error(cell, magic, message));
        match around {
            _ if may_be_code && (place.depth > 0 || around.is_some()) => continue,
            _ if place.depth > 0 => {
                return fail(
                    "it cannot stand inside brackets: the kernel does it between statements; write it above or below the block",
                );
            }
            Some(around) => {
                return fail(&format!(
                    "it cannot stand below code in a cell with `%%{}`, which goes around the whole code; write it in a cell of its own",
                    around.name
                ));
            }
            None if place.unfinished && has_code(&code[place.arguments.end..]) => {
                return fail("the statement before it is unfinished; end it with `;`");
            }
            None => return Ok(Some(above.rfind('\n').map_or(0, |at| at + 1))),
        }
    }
    Ok(None)
}

/// The cell with blanks for the lines that the kernel does itself.
fn code_of(cell: &str, places: &[MagicPlace<'_>]) -> String {
    let mut code = cell.to_owned();
    let is_code =
        |place: &&MagicPlace<'_>| place.form != Form::Question && !place.is_action() && place.asks_help(cell).is_none();
    for place in places.iter().filter(|place| !is_code(place)) {
        let range = place.word.start..place.arguments.end.max(place.word.end);
        code.replace_range(range.clone(), &blank(&cell[range]));
    }
    for place in places.iter().filter(|place| place.form == Form::Cell) {
        code.replace_range(place.word.clone(), &blank(&cell[place.word.clone()]));
    }
    code
}

fn has_code(text: &str) -> bool {
    tokens(text, 0).any(|token| !token.kind.is_trivia())
}

/// An error if a command of evcxr stands below code.
fn commands_lead(part: &str, notebook: &Notebook) -> Result<(), UsageError> {
    let below = commands_below_code(part, notebook);
    let Some(first) = below.first() else { return Ok(()) };
    let name = part[first.clone()].trim().split(' ').next().unwrap_or_default();
    let message = format!(
        "`{name}` must stand above all code of its cell, or in a cell of its own: commands are done before the code is \
         compiled. Write:\n\n{}",
        corrected(part, &below)
    );
    Err(UsageError { line: 1 + part[..first.start].matches('\n').count(), message, incomplete: false })
}

/// The lines with commands that stand below code, without their line ends.
fn commands_below_code(part: &str, notebook: &Notebook) -> Vec<Range<usize>> {
    let places = places(part, notebook);
    if places.iter().any(MagicPlace::takes_all) {
        return Vec::new();
    }
    let mut code = code_of(part, &places);
    for place in places.iter().filter(|place| place.form == Form::Shell) {
        code.replace_range(place.word.clone(), &blank(&part[place.word.clone()]));
    }
    let end_of_line = |from: usize| code[from..].find('\n').map_or(code.len(), |length| from + length);
    let mut found = Vec::new();
    let (mut at, mut depth, mut line_start, mut seen_code) = (0, 0_usize, true, false);
    while let Some(token) = tokens(&code, at).next() {
        at = token.range.end;
        match token.kind {
            CellTokenKind::Newline => line_start = true,
            kind if kind.is_trivia() => {}
            // A shell line above a command.
            CellTokenKind::Symbol('!') if line_start && !seen_code => at = end_of_line(at),
            CellTokenKind::Symbol(':') if line_start && depth == 0 && is_command(&code[at..]) => {
                at = end_of_line(at);
                if seen_code {
                    found.push(token.range.start..at);
                }
            }
            kind => {
                match kind {
                    CellTokenKind::Open(_) => depth += 1,
                    CellTokenKind::Close(_) => depth = depth.saturating_sub(1),
                    _ => {}
                }
                (line_start, seen_code) = (false, true);
            }
        }
    }
    found
}

/// Whether a text behind a colon begins with the name of a command.
fn is_command(text: &str) -> bool {
    let name = &text[..word_length(text)];
    COMMANDS.split_whitespace().any(|known| known == name)
        && text[name.len()..].chars().next().is_none_or(char::is_whitespace)
}

/// The cell with these commands above its code.
fn corrected(part: &str, commands: &[Range<usize>]) -> String {
    let lines = |range: &Range<usize>| part[range.clone()].trim().to_owned();
    let mut code = part.to_owned();
    for command in commands.iter().rev() {
        let start = part[..command.start].rfind('\n').map_or(0, |at| at + 1);
        code.replace_range(start..(command.end + 1).min(code.len()), "");
    }
    let mut all: Vec<String> = commands.iter().map(lines).collect();
    all.extend(code.trim_matches('\n').lines().map(str::to_owned));
    if all.len() > SHOWN {
        all.truncate(SHOWN);
        all.push("…".to_owned());
    }
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn parts(cell: &str) -> Result<Vec<String>, String> {
        in_order(cell, &Notebook::default()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn refused(cell: &str, expected: Expect) {
        expected.assert_eq(&parts(cell).unwrap_err());
    }

    #[test]
    fn a_cell_is_divided_where_the_kernel_acts_below_code() {
        for (cell, expected) in [
            ("let a = 1;\n%run b.rs\nf(a)", vec!["let a = 1;\n", "\n%run b.rs\nf(a)"]),
            ("!make a.rs\n%run a.rs", vec!["!make a.rs\n", "\n%run a.rs"]),
            (":dep a\n%run b.rs\n:dep c\n1", vec![":dep a\n", "\n%run b.rs\n:dep c\n1"]),
            ("%cd x\n  //%load b.rs\nf();\n%who", vec!["%cd x\n", "\n  //%load b.rs\nf();\n", "\n\n\n%who"]),
            ("let a = 1;\na?\n%lsmagic\n%who\n", vec!["let a = 1;\na?\n", "\n\n%lsmagic\n%who\n"]),
            ("let a = 1;\n%whos", vec!["let a = 1;\n", "\n%whos"]),
            ("a\n%who", vec!["a\n", "\n%who"]),
        ] {
            assert_eq!(parts(cell).unwrap(), expected, "{cell}");
        }
        for whole in [
            "",
            "%run a.rs\n%who\n// code\nf()",
            "let a = 1;\n%time f(a)\n!ls\n%cd x\na",
            "let a = 1;\n%run?\nf(a)",
            "%%capture out\nf();\n%who",
            "%%bash\nls\n%who\n:dep a",
            "%%time\n%run a.rs\nf()",
            "%%time\nf();\n%whos",
            "for a in 0..2 {\n%whos\n}",
        ] {
            assert_eq!(parts(whole).unwrap(), [whole]);
        }
    }

    #[test]
    fn where_the_order_cannot_be_kept_is_said() {
        refused(
            "let a =\n%run b.rs\n1;",
            expect![[r#"
            line 2: `%run`: the statement before it is unfinished; end it with `;`
            Usage: %run FILE
            `%run?` shows more."#]],
        );
        refused(
            "if a {\n    %run b.rs\n}",
            expect![[r#"
            line 2: `%run`: it cannot stand inside brackets: the kernel does it between statements; write it above or below the block
            Usage: %run FILE
            `%run?` shows more."#]],
        );
        refused(
            "%%time\nf();\n%run b.rs",
            expect![[r#"
            line 3: `%run`: it cannot stand below code in a cell with `%%time`, which goes around the whole code; write it in a cell of its own
            Usage: %run FILE
            `%run?` shows more."#]],
        );
    }

    #[test]
    fn commands_below_code_are_refused_with_the_corrected_cell() {
        refused(
            "let a = 1;\n\n:dep itoa = \"1\"\n:vars\na",
            expect![[r#"
            line 3: `:dep` must stand above all code of its cell, or in a cell of its own: commands are done before the code is compiled. Write:

            :dep itoa = "1"
            :vars
            let a = 1;

            a"#]],
        );
        refused(
            "%time f()\n:dep itoa",
            expect![[r#"
            line 2: `:dep` must stand above all code of its cell, or in a cell of its own: commands are done before the code is compiled. Write:

            :dep itoa
            %time f()"#]],
        );
        refused(
            &format!("{}:clear", "f();\n".repeat(20)),
            expect![[r#"
            line 21: `:clear` must stand above all code of its cell, or in a cell of its own: commands are done before the code is compiled. Write:

            :clear
            f();
            f();
            f();
            f();
            f();
            f();
            f();
            f();
            f();
            …"#]],
        );
        for cell in [
            ":dep a\n// b\n!ls\n:dep c\nlet x = 1;",
            "%%time\n:dep a\nf()",
            "%who\n:dep a\nf()",
            "let x\n: type_of = 1;",
            "let x = S {\n:t\n};",
            "let s = \"\n:dep a\n\";",
            "f();\n/*\n:dep a\n*/",
            "let x\n:dependency = 1;",
            "%%bash\n:\n:dep a",
        ] {
            assert!(parts(cell).is_ok(), "{cell}");
        }
    }
}
