//! What evcxr does not know about variables: variables whose old values survived a cell that failed before it redefined
//! them, and variables that are gone, with the reason.

use crate::build_step::{self, KnownTypes, StoredVariable, Types, VariableReport};
use crate::evaluator::supervisor_link::StoredSinceFailure as Since;
use evcxr::CommandContext;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The names of the variables of a session, from cell to cell.
#[derive(Default)]
pub struct VariableHistory {
    /// Why variables are gone.
    gone: BTreeMap<String, Gone>,
    /// Variables without a value that an assignment may give one, with their types if these are certain.
    without_value: BTreeMap<String, Option<String>>,
}

/// Why a variable is gone.
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

/// The variables that evcxr knows, with their types. evcxr knows names for some types, which `known` has.
pub fn types(context: &CommandContext, known: &KnownTypes) -> Types {
    let variables = context.variables_and_types();
    variables.map(|(name, type_name)| (name.to_owned(), known.put_into(type_name).into_owned())).collect()
}

impl VariableHistory {
    /// Records the variables that a cell has removed. `before` has the variables before the cell, `report` is about the
    /// cell. Returns the names of the variables that it has moved.
    pub fn note(&mut self, before: &Types, report: &VariableReport, context: &CommandContext) -> Vec<String> {
        let now = names(context);
        self.gone.retain(|name, _| !now.contains(name));
        self.without_value.retain(|name, _| !now.contains(name));
        let (moved, redefined): (Vec<String>, Vec<String>) = before
            .keys()
            .filter(|name| !now.contains(*name) && !self.gone.contains_key(*name))
            .cloned()
            .partition(|name| report.has_moved(name));
        self.gone.extend(moved.iter().map(|name| (name.clone(), Gone::Moved)));
        self.without_value.extend(moved.iter().map(|name| (name.clone(), Some(before[name].clone()))));
        self.gone.extend(redefined.into_iter().map(|name| (name, Gone::Redefined)));
        moved
    }

    /// Records the variables that evcxr has given up while it tried to run a cell: their types are not what they were.
    pub fn note_redefined(&mut self, before: &Types, context: &CommandContext) {
        let now = names(context);
        for name in before.keys().filter(|name| !now.contains(*name)) {
            self.gone.entry(name.clone()).or_insert(Gone::Redefined);
        }
    }

    /// Records the variables that a cell has defined and that have no value at its end. A cell that has failed may not
    /// have reached its definitions.
    pub fn note_without_value(
        &mut self,
        cell: &str,
        has_failed: bool,
        gone: &BTreeMap<String, Option<String>>,
        context: &CommandContext,
    ) {
        let now = names(context);
        for (name, type_name) in build_step::defined_in(cell).into_iter().filter(|(name, _)| !now.contains(name)) {
            if has_failed {
                if let Some(gone @ Gone::Redefined) = self.gone.get_mut(&name) {
                    *gone = Gone::Moved;
                }
                self.may_be_without_value(name, type_name);
            } else {
                // Facts about this name belong to an earlier variable.
                self.without_value.remove(&name);
                self.without_value.extend(type_name.map(|type_name| (name, Some(type_name))));
            }
        }
        for (name, type_name) in gone.iter().filter(|(name, _)| !now.contains(*name)) {
            self.gone.insert(name.clone(), Gone::Moved);
            if has_failed {
                self.may_be_without_value(name.clone(), type_name.clone());
            } else {
                self.without_value.insert(name.clone(), type_name.clone());
            }
        }
    }

    /// Records a variable that has this type, or belongs to an earlier definition.
    fn may_be_without_value(&mut self, name: String, type_name: Option<String>) {
        match self.without_value.entry(name) {
            Entry::Occupied(mut earlier) if *earlier.get() != type_name => drop(earlier.insert(None)),
            Entry::Occupied(_) => {}
            Entry::Vacant(entry) => drop(entry.insert(type_name)),
        }
    }

    /// Declarations of the variables without a value that a cell assigns to.
    pub fn declarations_for(&self, cell: &str) -> String {
        if self.without_value.is_empty() {
            return String::new();
        }
        let assigned = build_step::assigned_in(cell);
        let known = assigned.iter().filter_map(|name| self.without_value.get_key_value(name));
        let declarations = known.map(|(name, type_name)| match type_name {
            Some(type_name) => format!("let mut {name}: {type_name}; "),
            None => format!("let mut {name}; "),
        });
        declarations.collect()
    }

    /// Notes that the process which held the variables has ended.
    pub fn all_gone(&mut self, before: &BTreeSet<String>) {
        self.gone.extend(before.iter().map(|name| (name.clone(), Gone::ProcessEnded)));
    }

    /// Forgets everything, as `:clear` does.
    pub fn clear(&mut self) {
        self.gone.clear();
        self.without_value.clear();
    }

    /// What to say if a variable is missing.
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

/// Variables that a cell replaces with items of the same names: the later definition counts. The variables get other
/// names until the cell has compiled.
pub struct ReplacedByItems(Types);

impl ReplacedByItems {
    /// Puts aside the variables that the cell defines as items.
    pub fn by(cell: &str, context: &mut CommandContext, known: &KnownTypes) -> ReplacedByItems {
        let items = build_step::items_in(cell);
        let mut replaced = if items.is_empty() { Types::new() } else { types(context, known) };
        replaced.retain(|name, _| items.contains(name));
        replaced.retain(|name, type_name| {
            let _ = context.execute(&format!("let {}: {type_name} = {name};", aside(name)));
            if names(context).contains(name) {
                // A number is not moved away by that. Its name is spelt so that the cell does not seem to use it.
                let spelt: String =
                    name.chars().map(|character| format!("\\u{{{:x}}}", u32::from(character))).collect();
                let take = format!("drop(evcxr_variable_store.take_variable::<{type_name}>(\"{spelt}\"));");
                let _ = context.execute(&format!("{take} evcxr_variable_store.miss_variable(\"{spelt}\");"));
                // The next cell finds that out.
                let _ = context.execute("{}");
            }
            !names(context).contains(name)
        });
        ReplacedByItems(replaced)
    }

    /// Drops them, or restores them if the cell did not compile.
    pub fn settle(&self, compiled: bool, context: &mut CommandContext) {
        for (name, type_name) in &self.0 {
            let code = match compiled {
                true => format!("drop({});", aside(name)),
                false => format!("let {name}: {type_name} = {};", aside(name)),
            };
            let _ = context.execute(&code);
        }
    }
}

fn aside(name: &str) -> String {
    format!("warpcell_replaced_{name}")
}

/// Tells evcxr about variables that are in the store although the cell failed: old values of variables that the cell
/// was about to redefine, and values that it has stored after the failure. Returns the names of variables whose type is
/// not known.
pub fn restore(
    before: &BTreeSet<String>,
    report: &VariableReport,
    since: &Since,
    context: &mut CommandContext,
) -> Vec<String> {
    let others: Vec<StoredVariable> = since
        .types
        .iter()
        .map(|(name, type_name)| StoredVariable::new(name, &build_step::type_as_code(type_name), true, 0))
        .collect();
    let now = names(context);
    let is_other = |name: &String| others.iter().any(|other| other.name == *name);
    let made = report.made.iter().filter(|made| since.new.contains(&made.name) && !is_other(&made.name));
    let uncertain = report.uncertain.iter().filter(|old| since.kept.contains(&old.name));
    let made: Vec<&StoredVariable> =
        others.iter().chain(made).chain(uncertain).filter(|made| !now.contains(&made.name)).collect();
    let is_left = |left: &&StoredVariable| {
        before.contains(&left.name) && !now.contains(&left.name) && !made.iter().any(|made| made.name == left.name)
    };
    let all: Vec<&StoredVariable> = report.left.iter().filter(is_left).chain(made.iter().copied()).collect();
    // A cell finds out, too, which of those that were moved away have got no new value.
    if all.is_empty() && report.replaced.is_empty() {
        return Vec::new();
    }
    take(&all, context);
    // If one of them has another type now, none has been taken.
    for stored in all {
        if !names(context).contains(&stored.name) {
            take(&[stored], context);
        }
    }
    let now = names(context);
    others.into_iter().map(|other| other.name).filter(|name| !now.contains(name)).collect()
}

fn take(variables: &[&StoredVariable], context: &mut CommandContext) {
    let demands: Vec<&str> = variables.iter().map(|stored| stored.demand.as_str()).collect();
    let takes: Vec<&str> = variables.iter().map(|stored| stored.take.as_str()).collect();
    // What fails shows by the variables that evcxr does not know afterwards.
    let _ = context.execute(&format!("{{ {} }}\n{}", demands.join(" "), takes.join("\n")));
}
