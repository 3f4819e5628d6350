//! Lines and cells for the shell: `!command`, `%%bash`. The functions that they call are in `warpcell::session`.

use super::lexer::word_length;
use super::literal::literal;
use super::magic::{Arguments, TextCell};
use super::notebook::Notebook;
use super::values::{Dollar, text};
use crate::syntax::{is_keyword, is_word};

/// The code of a line `!command`.
pub fn command(line: &str, notebook: &Notebook) -> String {
    let text = text(line.trim_start_matches('!').trim(), notebook, Dollar::Shell);
    let call = format!("warpcell::session::shell({});", text.expression);
    match text.items {
        "" => call,
        items => format!("{{ {items}{call} }};"),
    }
}

/// A line that keeps what a command prints: `let lines = !command`.
pub(super) struct Assigned<'a> {
    /// What stands before the sign: `let lines`, `let mut lines`, `lines`.
    target: &'a str,
    pub name: &'a str,
    command: &'a str,
}

/// Such a line. Where Rust can negate something, it is Rust: `let no = !yes;`, `mask = !0;`, `let few = !v.is_empty();`.
pub(super) fn assigned<'a>(line: &'a str, known: &dyn Fn(&str) -> bool) -> Option<Assigned<'a>> {
    let (target, rest) = line.split_once('=')?;
    let rest = rest.trim_start();
    let name = target.trim();
    let name = name.strip_prefix("let ").map_or(name, str::trim_start);
    let name = name.strip_prefix("mut ").map_or(name, str::trim_start);
    let name = name.split(':').next().unwrap_or_default().trim();
    let is_name = crate::syntax::is_name(name) && !is_keyword(name);
    let command = rest.strip_prefix('!')?;
    let begins_well = command.starts_with(|c: char| c.is_lowercase() || "./~$".contains(c));
    let word = &command[..word_length(command)];
    let is_path = command[word.len()..].starts_with("::");
    let is_rust = is_keyword(word) || is_path || !is_command(rest, known);
    (is_name && begins_well && !is_rust).then(|| Assigned {
        target: target.trim(),
        name,
        command: command.trim().trim_end_matches(';').trim_end(),
    })
}

/// The code of such a line.
pub(super) fn assignment(line: &Assigned<'_>, notebook: &Notebook) -> Result<String, String> {
    let Assigned { target, name, command } = line;
    if !target.starts_with("let ") && !notebook.has_value(name) {
        return Err(format!(
            "there is no variable `{name}`; write `let {name} = !{command}`, which keeps the lines that the command prints"
        ));
    }
    let text = text(command, notebook, Dollar::Shell);
    let run = "std::process::Command::new(\"sh\").arg(\"-c\").arg(line).stdin(std::process::Stdio::null())\
               .stderr(std::process::Stdio::inherit()).output()";
    let lines = "String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect::<Vec<String>>()";
    Ok(format!(
        "{target} = {{ {}let line: &str = {}; \
         let output = {run}.unwrap_or_else(|error| panic!(\"`sh` cannot be started: {{error}}\")); \
         warpcell::cell::check(); assert!(output.status.success(), \"`!{{line}}` failed: {{}}\", output.status.to_string().replace(\": \", \" \")); {lines} }};",
        text.items, text.expression
    ))
}

/// Whether a line that starts with `!`, below other code, is for the shell and no negation: `known` tells the names that
/// mean something in Rust.
pub(super) fn is_command(line: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let command = &line[1..];
    let Some(first) = command.chars().next() else { return false };
    if !is_word(first) {
        return matches!(first, '.' | '/' | '~' | '$' | '!');
    }
    let word = word_length(command);
    let is_operand = |c: char| is_word(c) || c == '.' || c == ':';
    let operand = command.find(|c: char| !is_operand(c)).unwrap_or(command.len());
    let is_called = command[operand..].starts_with(['(', '[', '{', '!', '<', '?']);
    !is_called && !known(&command[..word]) && !["true", "false", "self"].contains(&&command[..word])
}

/// `%%bash`.
pub(super) fn bash(arguments: &Arguments<'_>, body: &str, _: &Notebook) -> Result<TextCell, String> {
    if !arguments.rest.is_empty() {
        return Err(format!(
            "only options may follow it on its line, but got `{}`; write the script below",
            arguments.rest
        ));
    }
    if body.trim().is_empty() {
        return Err("there is nothing to run; write the script below".to_owned());
    }
    let must_succeed = arguments.option("--no-raise-error").is_none();
    // The line end before the script makes bash count lines as the cell does.
    let script = literal(&format!("\n{body}"));
    Ok(TextCell::Code(format!("warpcell::session::script(\"bash\", {must_succeed}, {script});")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::magics::tests::{check, expand};
    use expect_test::expect;

    #[test]
    fn lines_that_are_kept() {
        let known = |name: &str| ["flag", "mask"].contains(&name);
        let kept = |line| assigned(line, &known).map(|line| (line.target, line.name, line.command));
        assert_eq!(kept("let files = !ls -l;"), Some(("let files", "files", "ls -l")));
        assert_eq!(kept("let mut x: Vec<String> = !./run a=b"), Some(("let mut x: Vec<String>", "x", "./run a=b")));
        assert_eq!(kept("files = !ls"), Some(("files", "files", "ls")));
        for rust in [
            "let no = !flag;",
            "let no = !flag && other;",
            "mask = !0;",
            "let few = !is_many(&v);",
            "let few = !std::env::var(\"X\").is_ok();",
            "let most = !u32::MAX;",
            "let yes = !true;",
            "let all = !!flag;",
            "let all = !MASK;",
            "let (a, b) = !x;",
            "a != b",
            "if x = !y {",
        ] {
            assert_eq!(kept(rust), None, "{rust}");
        }
    }

    #[test]
    fn values_and_lines_are_part_of_the_code() {
        let code = |cell: &str| expand(cell).unwrap().code;
        let shell = code("!echo {x}");
        assert!(shell.starts_with("{ struct ValueInLine"), "{shell}");
        assert!(shell.ends_with(
            "warpcell::session::shell(&[\"echo \", (&&&ValueInLine(&(x), \"x\")).in_line().as_str()].concat()); };"
        ));
        // A name of the cell itself counts from its line on.
        assert!(
            code("!echo {y:?}\nlet y = 1;\n!echo {y:?}")
                .starts_with("warpcell::session::shell(\"echo {y:?}\");\nlet y = 1;\nwarpcell::session::shell(&[")
        );
        let lines = code("let lines = !ls\nlines.len()");
        assert!(lines.starts_with("let lines = { let line: &str = \"ls\"; let output = "), "{lines}");
        assert!(lines.ends_with(".collect::<Vec<String>>() };\nlines.len()"), "{lines}");
        assert_eq!(code("let no = !flag;"), "let no = !flag;");
        assert!(code("%env A=$HOME/{x}").starts_with("{ struct ValueInLine"));
        assert_eq!(code("%env A='$HOME'"), "warpcell::session::env_set(\"A\", \"$HOME\");");
        check(
            "files = !ls *.txt;",
            expect![[r#"
                UsageError
                line 1: there is no variable `files`; write `let files = !ls *.txt`, which keeps the lines that the command prints"#]],
        );
    }
}
