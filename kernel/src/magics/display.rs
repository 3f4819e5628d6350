//! Cells of text that the front end draws: `%%html`, `%%latex`, `%%markdown`, `%%svg`, `%%javascript`.

use super::action::Action;
use super::literal::literal;
use super::magic::{Arguments, TextCell};
use super::notebook::Notebook;

/// `%%html`.
pub(super) fn html(arguments: &Arguments<'_>, body: &str, _: &Notebook) -> Result<TextCell, String> {
    display(arguments, body, "text/html")
}

/// `%%javascript`.
pub(super) fn javascript(arguments: &Arguments<'_>, body: &str, _: &Notebook) -> Result<TextCell, String> {
    display(arguments, body, "application/javascript")
}

/// `%%latex`.
pub(super) fn latex(arguments: &Arguments<'_>, body: &str, _: &Notebook) -> Result<TextCell, String> {
    display(arguments, body, "text/latex")
}

/// `%%markdown`.
pub(super) fn markdown(arguments: &Arguments<'_>, body: &str, _: &Notebook) -> Result<TextCell, String> {
    display(arguments, body, "text/markdown")
}

/// `%%svg`.
pub(super) fn svg(arguments: &Arguments<'_>, body: &str, _: &Notebook) -> Result<TextCell, String> {
    display(arguments, body, "image/svg+xml")
}

fn display(arguments: &Arguments<'_>, body: &str, mime_type: &'static str) -> Result<TextCell, String> {
    arguments.nothing()?;
    if body.trim().is_empty() {
        return Err("there is nothing to show; write the text below".to_owned());
    }
    let code = format!("warpcell::program::display({}, {});", literal(mime_type), literal(body));
    let text = body.to_owned();
    Ok(TextCell::Act(Action::simple(move |kernel| kernel.display(mime_type, &text)).with_code(code)))
}

#[cfg(test)]
mod tests {
    use crate::magics::tests::{Recorder, check, expand};
    use expect_test::expect;

    #[test]
    fn texts_are_shown_in_their_mime_types() {
        for (name, mime_type) in [
            ("html", "text/html"),
            ("javascript", "application/javascript"),
            ("latex", "text/latex"),
            ("markdown", "text/markdown"),
            ("svg", "image/svg+xml"),
        ] {
            let expansion = expand(&format!("%%{name}\n<b>it's</b>\n%time")).unwrap();
            assert_eq!(expansion.code, "\n\n");
            let shown = ("displays", format!("{mime_type}: <b>it's</b>\n%time"));
            assert_eq!(Recorder::new().run(&expansion), [shown]);
        }
        check(
            "%%html\n",
            expect![[r#"
                UsageError
                line 1: `%%html`: there is nothing to show; write the text below
                Usage: %%html
                `%html?` shows more."#]],
        );
    }
}
