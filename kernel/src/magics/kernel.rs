//! Magics that the kernel answers itself: `%lsmagic`, `%celltime`.

use super::action::Action;
use super::magic::Arguments;
use super::notebook::Notebook;
use super::reference;

/// `%lsmagic`.
pub(super) fn lsmagic(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    arguments.nothing()?;
    Ok(Action::print(reference::lsmagic()))
}

/// `%celltime`.
pub(super) fn celltime(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    arguments.nothing()?;
    Ok(Action::simple(|kernel| match kernel.last_cell_time() {
        Some(time) => kernel.print(&time),
        None => kernel.print("No cell with code has run yet."),
    }))
}

#[cfg(test)]
mod tests {
    use crate::magics::tests::check;
    use expect_test::expect;

    #[test]
    fn the_magics_are_listed() {
        check(
            "let a = 1;\n%lsmagic",
            expect![[r#"
            [plain, prints `Line magics:…`]
            let a = 1;
        "#]],
        );
    }

    #[test]
    fn time_of_the_last_cell() {
        check(
            "%celltime",
            expect![[r#"
            [plain, prints `the time of the last cell`]
        "#]],
        );
    }
}
