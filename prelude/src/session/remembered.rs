//! What `%cd` and `%env` have changed, kept in the session's directory: a new cell process begins with it, so that a crash
//! does not undo them.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The file in the session's directory.
const NAME: &str = "remembered.json";

static FILE: OnceLock<PathBuf> = OnceLock::new();
static CHANGES: Mutex<Changes> = Mutex::new(Changes { directories: None, variables: BTreeMap::new() });

struct Changes {
    /// The current directory and the one before it.
    directories: Option<(PathBuf, Option<PathBuf>)>,
    /// Values of environment variables; none for those that were removed.
    variables: BTreeMap<String, Option<String>>,
}

impl Changes {
    fn to_json(&self) -> Value {
        // A path that is not text is not remembered. Such paths are rare.
        let text = |path: &PathBuf| path.to_str().map(str::to_owned);
        let (now, before) = match &self.directories {
            Some((now, before)) => (text(now), before.as_ref().and_then(text)),
            None => (None, None),
        };
        json!({ "directory": now, "before": before, "variables": self.variables })
    }

    fn from_json(value: &Value) -> Changes {
        let path = |name: &str| value[name].as_str().map(PathBuf::from);
        Changes {
            directories: path("directory").map(|now| (now, path("before"))),
            variables: serde_json::from_value(value["variables"].clone()).unwrap_or_default(),
        }
    }
}

/// Takes the session's directory, and brings back what an earlier process of it has changed; called before any cell runs.
pub(crate) fn restore_in(session: &Path) {
    let file = FILE.get_or_init(|| session.join(NAME));
    let Ok(text) = std::fs::read(file) else { return };
    let changes = Changes::from_json(&serde_json::from_slice(&text).unwrap_or_default());
    for (name, value) in &changes.variables {
        // SAFETY: the process has only begun: no other thread uses the environment.
        unsafe {
            match value {
                Some(value) => std::env::set_var(name, value),
                None => std::env::remove_var(name),
            }
        }
    }
    if let Some((directory, _)) = &changes.directories
        && let Err(error) = std::env::set_current_dir(directory)
    {
        let here = std::env::current_dir().unwrap_or_default();
        eprintln!(
            "The directory of the last `%cd`, {}, can no longer be entered ({error}); cells run in {}.",
            directory.display(),
            here.display()
        );
    }
    *CHANGES.lock().unwrap_or_else(PoisonError::into_inner) = changes;
}

/// Notes that the directory has been changed, from `before`.
pub(super) fn directory(before: Option<PathBuf>) {
    change(|changes| changes.directories = std::env::current_dir().ok().map(|now| (now, before)));
}

/// The directory before the last change.
pub(super) fn directory_before() -> Option<PathBuf> {
    CHANGES.lock().unwrap_or_else(PoisonError::into_inner).directories.as_ref()?.1.clone()
}

/// Notes the new value of an environment variable, or that it was removed.
pub(super) fn variable(name: &str, value: Option<&str>) {
    change(|changes| drop(changes.variables.insert(name.to_owned(), value.map(str::to_owned))));
}

fn change(make: impl FnOnce(&mut Changes)) {
    let mut changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
    make(&mut changes);
    let Some(file) = FILE.get() else { return };
    if let Err(error) = std::fs::write(file, changes.to_json().to_string()) {
        eprintln!("{} cannot be written ({error}): after a crash the change is lost", file.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let variables = BTreeMap::from([("A".to_owned(), Some("a \"value\"".to_owned())), ("B".to_owned(), None)]);
        let directories = Some((PathBuf::from("/a b"), Some(PathBuf::from("/c"))));
        let changes = Changes { directories, variables };
        let read = Changes::from_json(&serde_json::from_str(&changes.to_json().to_string()).unwrap());
        assert_eq!((&read.directories, &read.variables), (&changes.directories, &changes.variables));
        let nothing = Changes::from_json(&Value::Null);
        assert!(nothing.directories.is_none() && nothing.variables.is_empty());
    }
}
