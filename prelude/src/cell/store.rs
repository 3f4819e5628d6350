//! The variable store: where variables live between cells. The same interface as the one that evcxr pastes into each
//! cell, compiled once.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Variables by name, each boxed with its type.
#[derive(Default)]
pub struct VariableStore {
    variables: HashMap<String, Box<dyn Any>>,
}

impl VariableStore {
    /// An empty store.
    pub fn new() -> VariableStore {
        VariableStore::default()
    }

    /// Stores a variable, replacing one of the same name.
    pub fn put_variable<T: 'static>(&mut self, name: &str, value: T) {
        self.put(name, Box::new(value));
    }

    fn put(&mut self, name: &str, value: Box<dyn Any>) {
        self.variables.insert(name.to_owned(), value);
    }

    /// Whether `name` still has type `T`; if not, tells evcxr that the variable is lost.
    pub fn check_variable<T: 'static>(&mut self, name: &str) -> bool {
        let matches = self.variables.get(name).is_none_or(|value| value.is::<T>());
        if !matches {
            report_lost(name);
        }
        matches
    }

    /// Takes a variable out.
    ///
    /// # Panics
    ///
    /// If there is none of that name and type, which `check_variable` rules out.
    pub fn take_variable<T: 'static>(&mut self, name: &str) -> T {
        match self.variables.remove(name).map(|value| value.downcast::<T>()) {
            Some(Ok(value)) => *value,
            Some(Err(_)) => panic!("the variable `{name}` has changed its type"),
            None => panic!("the variable `{name}` has gone missing"),
        }
    }

    /// A shared value that is created at the first call; evcxr keeps the asynchronous runtime in one.
    pub fn lazy_arc<T: 'static, F: FnOnce() -> T>(&mut self, name: &str, create: F) -> Arc<T> {
        let value = self.variables.entry(name.to_owned()).or_insert_with(|| Box::new(Arc::new(create())));
        match value.downcast_ref::<Arc<T>>() {
            Some(value) => Arc::clone(value),
            None => panic!("the shared value `{name}` has changed its type"),
        }
    }

    /// Moves all variables of another store into this one.
    pub fn merge(&mut self, mut other: VariableStore) {
        self.variables.extend(other.variables.drain());
    }
}

fn report_lost(name: &str) {
    eprintln!("The type of the variable `{name}` was redefined, so its value is lost.");
    crate::output::control(&format!("EVCXR_VARIABLE_CHANGED_TYPE:{name}"));
}

/// A new store, owned by the cell process for its whole life.
pub fn create_variable_store() -> *mut VariableStore {
    Box::into_raw(Box::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_come_back_as_they_were_put() {
        let mut store = VariableStore::new();
        store.put_variable("x", vec![1, 2, 3]);
        assert!(store.check_variable::<Vec<i32>>("x"));
        assert!(!store.check_variable::<String>("x"));
        assert_eq!(store.take_variable::<Vec<i32>>("x"), [1, 2, 3]);
        assert!(store.check_variable::<String>("x"), "a variable that is not there cannot have the wrong type");
    }

    #[test]
    fn a_shared_value_is_created_once() {
        let mut store = VariableStore::new();
        let first = store.lazy_arc("runtime", || 1);
        let second = store.lazy_arc("runtime", || 2);
        assert!(Arc::ptr_eq(&first, &second));
    }
}
