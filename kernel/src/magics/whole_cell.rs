//! Magics that take the whole cell, which the kernel does not run as it is: `%check`, `%rustfmt`, `%%capture`.

use super::action::{Action, Shown};
use super::magic::{Arguments, MagicOption, flag};
use super::without_text;
use crate::syntax::{is_keyword, is_name};
use std::borrow::Cow;

/// `%check`.
pub(super) fn check(arguments: &Arguments<'_>, body: &str) -> Result<Action, String> {
    let code = code(arguments, body, "check")?;
    let says = if has_no_rust(&code) {
        "There is no Rust in the cell, so nothing was compiled."
    } else {
        "The cell compiles."
    };
    let check = Action::new(move |kernel| {
        kernel.check(&code)?;
        kernel.print(says);
        Ok(())
    });
    Ok(check.also_checked())
}

/// Whether a cell is only text for another program: that below `%%bash`, or lines such as `!ls`.
fn has_no_rust(cell: &str) -> bool {
    let mut lines = cell.lines().filter(|line| !line.trim().is_empty());
    matches!(without_text(cell), Cow::Owned(_)) || lines.all(|line| line.starts_with('!'))
}

/// The options of `%%capture`.
pub(super) const CAPTURE_OPTIONS: &[MagicOption] = &[
    flag("--no-stdout", "show what the cell prints"),
    flag("--no-stderr", "show what the cell prints as errors"),
    flag("--no-display", "show displays, and the value of the last expression"),
];

/// `%%capture`.
pub(super) fn capture(arguments: &Arguments<'_>, body: &str) -> Result<Action, String> {
    // Options may stand behind the name, as in IPython.
    let (name, behind) = arguments.rest.split_once(char::is_whitespace).unwrap_or((arguments.rest, ""));
    let behind = Arguments::parse(behind, CAPTURE_OPTIONS)?;
    let variable = (!name.is_empty()).then(|| if behind.rest.is_empty() { name } else { arguments.rest }.to_owned());
    if let Some(name) = variable.as_deref().filter(|name| !is_name(name) || is_keyword(name) || *name == "_") {
        return Err(format!("`{name}` is no name of a variable; write one, such as `%%capture output`"));
    }
    if body.trim().is_empty() {
        return Err("there is nothing to run; write the code below".to_owned());
    }
    let has = |option: &str| arguments.option(option).or_else(|| behind.option(option)).is_some();
    let shown = Shown { stdout: has("--no-stdout"), stderr: has("--no-stderr"), displays: has("--no-display") };
    let code = body.to_owned();
    Ok(Action::new(move |kernel| kernel.capture(&code, shown, variable.as_deref())).also_checked())
}

/// `%rustfmt`.
pub(super) fn rustfmt(arguments: &Arguments<'_>, body: &str) -> Result<Action, String> {
    let code = code(arguments, body, "format")?;
    Ok(Action::new(move |kernel| {
        let formatted = kernel.formatted(&code)?;
        kernel.set_next_input(&formatted);
        Ok(())
    }))
}

fn code(arguments: &Arguments<'_>, body: &str, verb: &str) -> Result<String, String> {
    if !arguments.rest.is_empty() {
        return Err(format!("nothing may follow it on its line, but got `{}`; write the code below", arguments.rest));
    }
    if body.trim().is_empty() {
        return Err(format!("there is nothing to {verb}; write the code below"));
    }
    Ok(body.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::magics::tests::{Recorder, check, expand};
    use expect_test::expect;

    #[test]
    fn a_cell_is_checked_and_not_run() {
        for first in ["%check", "%%check", "//%%check"] {
            let expansion = expand(&format!("{first}\nlet a = 1;\n%time f(a)")).unwrap();
            assert_eq!(expansion.code, "\n\n", "{first}");
            let did = Recorder::new().run(&expansion);
            // The lines keep their numbers.
            assert_eq!(
                did,
                [("checks", "\nlet a = 1;\n%time f(a)".to_owned()), ("prints", "The cell compiles.".to_owned())]
            );
        }
        for (cell, says) in [
            ("%%check\n%%bash\nls", "There is no Rust in the cell, so nothing was compiled."),
            ("%%check\n!ls\n\n!pwd", "There is no Rust in the cell, so nothing was compiled."),
            ("%%check\n!ls\nlet a = 1;", "The cell compiles."),
        ] {
            let did = Recorder::new().run(&expand(cell).unwrap());
            assert_eq!(did.last().unwrap(), &("prints", says.to_owned()), "{cell}");
        }
        // A comment may stand above.
        let below = Recorder::new().run(&expand("// a\n\n%check\nx").unwrap()).remove(0);
        assert_eq!(below, ("checks", "\n\n\nx".to_owned()));
    }

    #[test]
    fn a_cell_is_replaced_by_its_formatted_text() {
        let did = Recorder::new().run(&expand("%rustfmt\nlet a=1;").unwrap());
        assert_eq!(did, [("sets the next input", "formatted: \nlet a=1;".to_owned())]);
    }

    #[test]
    fn a_cell_is_captured() {
        let did = |cell: &str| Recorder::new().run(&expand(cell).unwrap()).remove(0);
        assert_eq!(
            did("%%capture\n1 + 1"),
            ("captures", "\n1 + 1, None, Shown { stdout: false, stderr: false, displays: false }".to_owned())
        );
        let line = "%%capture --no-stdout --no-display output";
        let options = "Shown { stdout: true, stderr: false, displays: true }";
        assert_eq!(did(&format!("{line}\nf()")), ("captures", format!("\nf(), Some(\"output\"), {options}")));
        let line = "%%capture output --no-stdout --no-display";
        assert_eq!(did(&format!("{line}\nf()")), ("captures", format!("\nf(), Some(\"output\"), {options}")));
        check(
            "%%capture 2x\nf()",
            expect![[r#"
                UsageError
                line 1: `%%capture`: `2x` is no name of a variable; write one, such as `%%capture output`
                Usage: %%capture [--no-stdout] [--no-stderr] [--no-display] [NAME]
                `%capture?` shows more."#]],
        );
    }

    #[test]
    fn they_stand_on_the_first_line_and_alone() {
        check(
            "%check",
            expect![[r#"
                UsageError
                line 1: `%check`: there is nothing to check; write the code below
                Usage: %%check
                `%check?` shows more."#]],
        );
        check(
            "%check let a = 1;\n",
            expect![[r#"
                UsageError
                line 1: `%check`: nothing may follow it on its line, but got `let a = 1;`; write the code below
                Usage: %%check
                `%check?` shows more."#]],
        );
        check(
            "%%html\n%rustfmt\n<b>bold</b>",
            expect![[r#"
                UsageError
                line 1: `%rustfmt` is for a cell of Rust, and below `%%html` everything is text for it; remove the line `%rustfmt`"#]],
        );
        check(
            "%%bash\n\n%%capture out\nls",
            expect![[r#"
                UsageError
                line 1: `%%capture` must be the first line: write it above `%%bash`"#]],
        );
        check(
            "%rustfmt\n%%bash\nls",
            expect![[r#"
                UsageError
                line 1: a cell for `%%bash` is not Rust, so rustfmt cannot format it; remove the line `%%rustfmt`"#]],
        );
        check(
            "let a = 1;\n%rustfmt\nlet b=2;",
            expect![[r#"
                UsageError
                line 2: `%%rustfmt` must be on the first line of the cell"#]],
        );
    }
}
