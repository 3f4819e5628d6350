//! Magics that the kernel answers by itself.

use super::calls::Action;
use super::magic::Arguments;
use super::notebook::Notebook;

/// `%lsmagic`.
pub(super) fn lsmagic(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    arguments.nothing()?;
    Ok(Action::ListMagics)
}

/// `%celltime`.
pub(super) fn celltime(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    arguments.nothing()?;
    Ok(Action::CellTime)
}
