//! Magics for a cell of Rust that is not run: `%check`, `%rustfmt`.

use super::action::Action;
use super::magic::Arguments;

/// `%check`.
pub(super) fn check(arguments: &Arguments<'_>, body: &str) -> Result<Action, String> {
    let code = code(arguments, body, "check")?;
    Ok(Action::new(move |kernel| {
        kernel.check(&code)?;
        kernel.print("The cell compiles.");
        Ok(())
    }))
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
            "let a = 1;\n%rustfmt\nlet b=2;",
            expect![[r#"
                UsageError
                line 2: `%%rustfmt` must be on the first line of the cell"#]],
        );
    }
}
