//! Which variables there are, beyond what evcxr knows: those whose old values outlived a cell that was about to define
//! them anew, and those that are gone, with the reason.

use crate::build_step::{Left, Taken};
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
    /// Notes which variables a cell has taken away: `before` are those of before, `taken` what it has found in the
    /// store. Gives the names of those that it has moved away.
    pub fn note(&mut self, before: &BTreeSet<String>, taken: &Taken, context: &CommandContext) -> Vec<String> {
        let now = names(context);
        self.gone.retain(|name, _| !now.contains(name));
        let (moved, redefined): (Vec<String>, Vec<String>) = before
            .difference(&now)
            .filter(|name| !self.gone.contains_key(*name))
            .cloned()
            .partition(|name| taken.has_moved(name));
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

/// Makes evcxr know again the variables whose old values are still in the store, because the cell did not come to the
/// end where the new ones are stored.
pub fn restore(before: &BTreeSet<String>, taken: &Taken, context: &mut CommandContext) {
    let missing = |context: &CommandContext| -> Vec<&Left> {
        let now = names(context);
        taken.left.iter().filter(|left| before.contains(&left.name) && !now.contains(&left.name)).collect()
    };
    let all = missing(context);
    if all.is_empty() {
        return;
    }
    take(&all, context);
    // If one of them is not what it was, none has been taken.
    for left in missing(context).into_iter().filter(|_| all.len() > 1) {
        take(&[left], context);
    }
}

fn take(variables: &[&Left], context: &mut CommandContext) {
    let demands: Vec<&str> = variables.iter().map(|left| left.demand.as_str()).collect();
    let takes: Vec<&str> = variables.iter().map(|left| left.take.as_str()).collect();
    // What fails shows by the variables that evcxr does not know afterwards.
    let _ = context.execute(&format!("{{ {} }}\n{}", demands.join(" "), takes.join("\n")));
}
