//! Magics that the kernel answers by itself.

use super::expand::Action;
use super::magic::Arguments;
use super::notebook::Notebook;
use super::reference;

/// `%lsmagic`.
pub(super) fn lsmagic(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    arguments.nothing()?;
    Ok(Action::Print(reference::lsmagic()))
}

/// `%celltime`.
pub(super) fn celltime(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    arguments.nothing()?;
    Ok(Action::CellTime)
}
