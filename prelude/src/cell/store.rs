//! The variable store: where variables live between cells. It offers what the one that evcxr pastes into each cell does,
//! compiled once, and two things more: it keeps the old value of a variable until a new one is stored, and it knows by
//! which definitions each value was laid out.
//!
//! The generic functions are thin, because every cell compiles them again for every type.

use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The variables that the cell which runs has stored, and lost, since it failed.
static SINCE_FAILURE: Mutex<SinceFailure> = Mutex::new(SinceFailure {
    stored: Vec::new(),
    hidden: Vec::new(),
    kept: Vec::new(),
    other_types: Vec::new(),
    lost: Vec::new(),
});

struct SinceFailure {
    /// The variables that it has stored.
    stored: Vec<String>,
    /// Those of which the last one of the name has no value any more, and hides an earlier one that has.
    hidden: Vec<String>,
    /// Those whose old values are there again.
    kept: Vec<String>,
    /// Those among the first that have another type than the cell would have given the name in the end.
    other_types: Vec<(String, &'static str)>,
    /// Those whose values are lost.
    lost: Vec<String>,
}

fn since_failure() -> MutexGuard<'static, SinceFailure> {
    SINCE_FAILURE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports what a cell that has failed has stored and lost since then.
pub(super) fn report_stored() {
    let mut since = since_failure();
    let stored = std::mem::take(&mut since.stored);
    since.hidden.clear();
    let kept = std::mem::take(&mut since.kept);
    let other_types = std::mem::take(&mut since.other_types);
    let lost = std::mem::take(&mut since.lost);
    if !(stored.is_empty() && kept.is_empty() && lost.is_empty()) {
        crate::output::stored(&stored, &kept, &other_types, &lost);
    }
}

/// Variables by name.
#[derive(Default)]
pub struct VariableStore {
    variables: HashMap<String, Variable>,
    /// What [`defined_by`](VariableStore::defined_by) said for the call that follows it.
    definitions: u64,
    /// Variables that a cell has moved away without giving them a new value, though it seemed to be about to.
    missed: HashSet<String>,
}

/// A value, boxed with its type, and the definitions that the type's name stood for when it was stored.
///
/// A type that a later cell defines anew has the same `TypeId` if crate and path are the same. The old value can be
/// dropped even then: the box has the code of the library that stored it, which is never unloaded.
struct Variable {
    value: Box<dyn Any>,
    definitions: u64,
}

impl VariableStore {
    /// An empty store.
    pub fn new() -> VariableStore {
        VariableStore::default()
    }

    /// Says for the next call by which definitions of the notebook its type is laid out, as a hash; without this, by
    /// none.
    pub fn defined_by(&mut self, definitions: u64) -> &mut VariableStore {
        self.definitions = definitions;
        self
    }

    /// Stores a variable, replacing one of the same name.
    ///
    /// Not inline, so that cells call the prelude's instances and do not compile the box.
    #[inline(never)]
    pub fn put_variable<T: 'static>(&mut self, name: &str, value: T) {
        self.put(name, Box::new(value));
    }

    fn put(&mut self, name: &str, value: Box<dyn Any>) {
        super::settle();
        self.insert(name, value);
        if super::has_failed() {
            since_failure().stored.push(name.to_owned());
        }
    }

    fn insert(&mut self, name: &str, value: Box<dyn Any>) {
        let definitions = std::mem::take(&mut self.definitions);
        self.missed.remove(name);
        self.variables.insert(name.to_owned(), Variable { value, definitions });
    }

    /// Stores the old value of a variable that the cell has defined anew, unless the new value is there: the cell may
    /// have ended before it came to that.
    #[inline(never)]
    pub fn keep_variable<T: 'static>(&mut self, name: &str, old: T) {
        self.keep(name, Box::new(old));
    }

    fn keep(&mut self, name: &str, old: Box<dyn Any>) {
        // The new value is there, or was moved away.
        let is_hidden = || since_failure().hidden.iter().any(|hiding| hiding == name);
        if self.variables.contains_key(name) || is_hidden() {
            self.definitions = 0;
            drop_quietly(old);
        } else {
            self.insert(name, old);
            since_failure().kept.push(name.to_owned());
        }
    }

    /// Stores a variable of a cell that has failed; `Known` is the type that the cell would have given the name in the end. Where it
    /// has another one, the kernel hears which.
    pub fn put_variable_as<Known: 'static, T: 'static>(&mut self, name: &str, value: T) {
        let type_name = std::any::type_name::<T>();
        // A variable that hides this one has been stored before it, or moved away.
        let is_hidden = || {
            let since = since_failure();
            since.stored.iter().chain(&since.hidden).any(|hiding| hiding == name)
        };
        if !super::has_failed() || is_hidden() {
            self.definitions = 0;
            drop_quietly(Box::new(value));
        } else if TypeId::of::<Known>() == TypeId::of::<T>() {
            self.put(name, Box::new(value));
        } else {
            self.definitions = 0;
            self.put(name, Box::new(value));
            since_failure().other_types.push((name.to_owned(), type_name));
        }
    }

    /// Says that the variable of this name, whose value was moved away, hides an earlier one.
    pub fn hide_variable(&mut self, name: &str) {
        let mut since = since_failure();
        // Of one that the statement which failed had moved away, the user hears that the old value is there.
        if super::has_failed() && !since.lost.iter().any(|lost| lost == name) {
            let is_new = since.stored.iter().any(|stored| stored == name);
            since.hidden.push(name.to_owned());
            drop(since);
            // The cell may not have taken an old value out.
            if !is_new && let Some(old) = self.variables.remove(name) {
                drop_quietly(old.value);
            }
        }
    }

    /// Says that the value which the cell has given a variable is lost: the statement that failed had moved it away.
    pub fn lose_value(&mut self, name: &str) {
        self.definitions = 0;
        since_failure().lost.push(name.to_owned());
    }

    /// Says that the cell has lost the variable, unless it is stored: it was moved away, and should have got a new value.
    pub fn miss_variable(&mut self, name: &str) {
        if !self.variables.contains_key(name) {
            self.missed.insert(name.to_owned());
        }
    }

    /// Whether `name` can be taken as a `T`; if not, tells evcxr that the variable is lost.
    pub fn check_variable<T: 'static>(&mut self, name: &str) -> bool {
        self.check(name, Some(TypeId::of::<T>()), std::any::type_name::<T>())
    }

    /// Whether the variables that the cell does not name are there, with the definitions that their types had; tells evcxr which ones are
    /// lost. For each variable its name, its type as the cells write it, and the hash of the definitions.
    ///
    /// One call for all, because each call costs the compiler time.
    pub fn check_others(&mut self, variables: &[(&str, &str, u64)]) -> bool {
        variables.iter().fold(true, |are_there, (name, type_name, definitions)| {
            self.definitions = *definitions;
            self.check(name, None, type_name) && are_there
        })
    }

    fn check(&mut self, name: &str, wanted: Option<TypeId>, type_name: &str) -> bool {
        let found = self.is(name, wanted);
        match found {
            Some(true) => {}
            Some(false) => self.lose_variable(name, &short(type_name)),
            None => {
                // The error of the cell that has lost it has said so, and a process that is new has none.
                if !self.missed.remove(name) && super::current_cell() > 1 {
                    eprintln!(
                        "The variable `{name}` has no value: the cell that defines it ended before that, by `return`."
                    );
                }
                report_lost(name);
            }
        }
        found == Some(true)
    }

    /// Whether there is a variable of the name, and if so, whether it has this type (if one is given), laid out as it was.
    fn is(&mut self, name: &str, wanted: Option<TypeId>) -> Option<bool> {
        let definitions = std::mem::take(&mut self.definitions);
        let variable = self.variables.get(name)?;
        // The type of the content, not of the box.
        let value: &dyn Any = &*variable.value;
        Some(wanted.is_none_or(|wanted| value.type_id() == wanted) && variable.definitions == definitions)
    }

    /// Makes sure that `name` can be taken as a `T`.
    ///
    /// # Panics
    ///
    /// If it cannot.
    pub fn demand_variable<T: 'static>(&mut self, name: &str) {
        let is = self.is(name, Some(TypeId::of::<T>()));
        assert!(is == Some(true), "the variable `{name}` is not there, or not what it was");
    }

    /// Gives a variable up whose type, `type_name`, is not what it was; tells the user and evcxr.
    pub fn lose_variable(&mut self, name: &str, type_name: &str) {
        if let Some(variable) = self.variables.remove(name) {
            drop_quietly(variable.value);
        }
        eprintln!(
            "The variable `{name}` is lost: its type `{type_name}` has been redefined since the value was made. Make it \
             again with the new type."
        );
        report_lost(name);
    }

    /// Takes a variable out.
    ///
    /// # Panics
    ///
    /// If there is none of that name and type, which `check_variable` rules out.
    pub fn take_variable<T: 'static>(&mut self, name: &str) -> T {
        match self.take(name).downcast::<T>() {
            Ok(value) => *value,
            Err(_) => panic!("the variable `{name}` has changed its type"),
        }
    }

    fn take(&mut self, name: &str) -> Box<dyn Any> {
        match self.variables.remove(name) {
            Some(variable) => variable.value,
            None => panic!("the variable `{name}` has gone missing"),
        }
    }

    /// A shared value that is created at the first call; evcxr keeps the asynchronous runtime in one.
    pub fn lazy_arc<T: 'static, F: FnOnce() -> T>(&mut self, name: &str, create: F) -> Arc<T> {
        let known = self.variables.get(name).and_then(|variable| variable.value.downcast_ref::<Arc<T>>());
        if let Some(value) = known {
            return Arc::clone(value);
        }
        let value = Arc::new(create());
        let variable = Variable { value: Box::new(Arc::clone(&value)), definitions: 0 };
        // One of another type is of another build of its crate, as when `:dep tokio` has got other features. What it has started may
        // still run, so it stays.
        std::mem::forget(self.variables.insert(name.to_owned(), variable));
        value
    }

    /// Moves all variables of another store into this one.
    pub fn merge(&mut self, mut other: VariableStore) {
        self.variables.extend(other.variables.drain());
    }
}

/// Makes evcxr forget the variable and run the cell again without it.
fn report_lost(name: &str) {
    crate::output::control(&format!("EVCXR_VARIABLE_CHANGED_TYPE:{name}"));
}

/// Drops a value outside of the cell's own code, where a panic would end the process. The hook has reported it.
pub(super) fn drop_quietly(value: Box<dyn Any>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
}

/// A type's name without the paths: `Vec<P>` for `alloc::vec::Vec<ctx::P>`.
fn short(type_name: &str) -> String {
    let mut result = String::new();
    for part in type_name
        .split_inclusive(|character: char| !character.is_alphanumeric() && character != '_' && character != ':')
    {
        result.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    result
}

/// A new store, owned by the cell process for its whole life.
pub fn create_variable_store() -> *mut VariableStore {
    Box::into_raw(Box::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn variables_come_back_as_they_were_put() {
        let mut store = VariableStore::new();
        store.put_variable("x", vec![1, 2, 3]);
        assert!(store.check_variable::<Vec<i32>>("x"));
        assert_eq!(store.take_variable::<Vec<i32>>("x"), [1, 2, 3]);
        assert!(!store.check_variable::<Vec<i32>>("x"), "what is not there cannot be taken");
    }

    #[test]
    fn a_variable_of_another_type_is_lost_and_gone() {
        let mut store = VariableStore::new();
        store.put_variable("x", vec![1, 2, 3]);
        assert!(!store.check_variable::<String>("x"));
        assert_eq!(store.is("x", Some(TypeId::of::<Vec<i32>>())), None);
    }

    #[test]
    fn a_variable_that_is_not_named_is_checked_by_its_definitions() {
        let mut store = VariableStore::new();
        store.defined_by(7).put_variable("x", 1);
        store.put_variable("y", 2);
        assert!(store.check_others(&[]));
        assert!(store.check_others(&[("x", "P", 7), ("y", "i32", 0)]));
        assert!(!store.check_others(&[("x", "P", 8), ("y", "i32", 0)]));
        assert!(!store.check_others(&[("y", "i32", 0), ("x", "P", 7)]), "it is gone");
        assert!(store.check_others(&[("y", "i32", 0)]));
    }

    #[test]
    fn the_same_type_laid_out_by_other_definitions_is_another_type() {
        let mut store = VariableStore::new();
        store.defined_by(7).put_variable("x", 1);
        store.put_variable("y", 2);
        assert!(store.defined_by(7).check_variable::<i32>("x"));
        assert!(store.check_variable::<i32>("y"), "the definitions are those of one call");
        store.defined_by(7).demand_variable::<i32>("x");
        let demand = AssertUnwindSafe(|| store.defined_by(8).demand_variable::<i32>("x"));
        assert!(catch_unwind(demand).is_err());
        assert!(!store.defined_by(8).check_variable::<i32>("x"));
    }

    #[test]
    fn the_old_value_is_kept_until_there_is_a_new_one() {
        let mut store = VariableStore::new();
        store.defined_by(7).keep_variable("x", String::from("old"));
        assert!(store.defined_by(7).check_variable::<String>("x"));
        store.put_variable("x", 5);
        store.defined_by(7).keep_variable("x", String::from("older"));
        assert!(store.check_variable::<i32>("x"));
        assert_eq!(store.take_variable::<i32>("x"), 5);
    }

    #[test]
    fn an_old_value_that_panics_when_it_is_dropped_ends_nothing() {
        struct Grumpy<'a>(&'a AtomicU32);
        impl Drop for Grumpy<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
                panic!("dropped");
            }
        }
        static DROPPED: AtomicU32 = AtomicU32::new(0);
        let mut store = VariableStore::new();
        store.put_variable("x", 1);
        store.keep_variable("x", Grumpy(&DROPPED));
        assert_eq!(DROPPED.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn types_are_named_without_their_paths() {
        assert_eq!(short("alloc::vec::Vec<ctx::m::P>"), "Vec<P>");
        assert_eq!(short("(ctx::A, &[core::option::Option<i32>; 3])"), "(A, &[Option<i32>; 3])");
    }

    #[test]
    fn a_variable_that_was_stored_is_not_missed() {
        let mut store = VariableStore::new();
        store.put_variable("x", 1);
        store.miss_variable("x");
        store.miss_variable("y");
        assert_eq!(store.missed, HashSet::from(["y".to_owned()]));
        assert!(store.check_variable::<i32>("x") && !store.check_variable::<i32>("y"));
        assert!(store.missed.is_empty());
    }

    #[test]
    fn a_shared_value_is_created_once() {
        let mut store = VariableStore::new();
        let first = store.lazy_arc("runtime", || 1);
        let second = store.lazy_arc("runtime", || 2);
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(*store.lazy_arc("runtime", || "of another build"), "of another build");
    }
}
