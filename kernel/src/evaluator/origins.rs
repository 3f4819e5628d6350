//! The cells that interactions are from: of those that can still be called.

use crate::magics::Expansion;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The cells, by the identities of the interactions.
#[derive(Default)]
pub struct Origins(HashMap<String, Arc<Origin>>);

/// A cell as it was compiled. The next cell takes the place of its source.
pub struct Origin {
    /// What its magics have become.
    pub expansion: Expansion,
    /// Its text.
    pub cell: String,
    /// What the compiler got.
    pub source: String,
}

impl Origins {
    /// Keeps the cell that has shown these interactions.
    pub fn keep(&mut self, shown: Vec<String>, compiled: &Path, expansion: &Expansion, cell: &str) {
        if shown.is_empty() {
            return;
        }
        let source = std::fs::read_to_string(compiled).unwrap_or_default();
        let origin = Arc::new(Origin { expansion: expansion.clone(), cell: cell.to_owned(), source });
        self.0.extend(shown.into_iter().map(|interaction| (interaction, Arc::clone(&origin))));
    }

    /// The cell of an interaction.
    pub fn of(&self, interaction: &str) -> Option<Arc<Origin>> {
        self.0.get(interaction).cloned()
    }

    /// Drops what is known of an interaction that nobody can call any more.
    pub fn forget(&mut self, interaction: &str) {
        self.0.remove(interaction);
    }

    /// The same for all interactions.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_kept_as_long_as_one_of_its_interactions_can_be_called() {
        let compiled = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(compiled.path(), "fn cell() {}").unwrap();
        let mut origins = Origins::default();
        let keep = |origins: &mut Origins, shown: &[&str]| {
            let shown = shown.iter().map(ToString::to_string).collect();
            origins.keep(shown, compiled.path(), &Expansion::default(), "the cell");
        };
        keep(&mut origins, &[]);
        assert!(origins.0.is_empty());
        keep(&mut origins, &["a", "b"]);
        let cell = Arc::downgrade(&origins.of("a").unwrap());
        assert_eq!(
            (cell.upgrade().unwrap().cell.as_str(), cell.upgrade().unwrap().source.as_str()),
            ("the cell", "fn cell() {}")
        );
        origins.forget("a");
        assert!(origins.of("a").is_none() && cell.upgrade().is_some(), "b can be called");
        origins.forget("b");
        assert!(cell.upgrade().is_none());
        keep(&mut origins, &["c"]);
        origins.clear();
        assert!(origins.of("c").is_none());
    }
}
