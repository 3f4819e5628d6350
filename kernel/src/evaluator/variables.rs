//! Which variables there are, beyond what evcxr knows: those whose old values outlived a cell that was about to define
//! them anew, and those that are gone, with the reason.

use crate::build_step::Taken;
use evcxr::CommandContext;
use std::collections::{BTreeMap, BTreeSet};

/// The names of the variables of a session, from cell to cell.
#[derive(Default)]
pub struct Variables {
    /// What has become of variables that are not there any more.
    gone: BTreeMap<String, Gone>,
}

/// Why a variable is not there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// Its value was moved away.
    Moved,
    /// Its type was redefined.
    Redefined,
    /// The process that held it has ended.
    ProcessEnded,
}

/// The names of the variables that evcxr knows.
pub fn names(context: &CommandContext) -> BTreeSet<String> {
    context.variables_and_types().map(|(name, _)| name.to_owned()).collect()
}

impl Variables {
    /// Notes which variables a cell has taken away: `before` are those of before, `taken` what the cell has taken from
    /// the store. Gives the names of those that it has moved away.
    pub fn note(&mut self, before: &BTreeSet<String>, taken: &Taken, context: &CommandContext) -> Vec<String> {
        let now = names(context);
        self.gone.retain(|name, _| !now.contains(name));
        let (moved, redefined): (Vec<String>, Vec<String>) =
            before.difference(&now).cloned().partition(|name| taken.names.contains(name));
        self.gone.extend(moved.iter().map(|name| (name.clone(), Gone::Moved)));
        self.gone.extend(redefined.into_iter().map(|name| (name, Gone::Redefined)));
        moved
    }

    /// Notes that the process which held the variables has ended.
    pub fn all_gone(&mut self, before: &BTreeSet<String>) {
        self.gone.extend(before.iter().map(|name| (name.clone(), Gone::ProcessEnded)));
    }

    /// Forgets everything, as `:clear` does.
    pub fn clear(&mut self) {
        self.gone.clear();
    }

    /// What to say where a variable is missed.
    pub fn hint(&self, name: &str) -> Option<String> {
        Some(match self.gone.get(name)? {
            Gone::Moved => format!(
                "an earlier cell has moved the value of `{name}` away; make it again, and pass `&{name}` or \
                 `{name}.clone()` there"
            ),
            Gone::Redefined => format!("`{name}` is lost because its type was redefined; make it again"),
            Gone::ProcessEnded => {
                format!("`{name}` was lost when the process that runs the cells ended; run its cell again")
            }
        })
    }
}

/// Makes evcxr know again the variables whose old values the cell has left in the store, because it did not come to
/// the end where the new ones are stored; gives what went wrong.
pub fn restore(before: &BTreeSet<String>, taken: &Taken, context: &mut CommandContext) -> Result<(), String> {
    let now = names(context);
    let statements: Vec<&str> =
        before.difference(&now).filter_map(|name| taken.kept.get(name)).map(String::as_str).collect();
    if statements.is_empty() {
        return Ok(());
    }
    context.execute(&statements.join("\n")).map(drop).map_err(|error| error.to_string())
}
