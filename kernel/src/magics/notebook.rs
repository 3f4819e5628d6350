//! [`Notebook`]: the facts about the notebook that the expansion of magics may use.

use super::types::readable;
use crate::syntax::{plain, words};
use std::collections::BTreeSet;

/// The notebook before the cell runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notebook {
    /// Names and types of the variables.
    pub variables: Vec<(String, String)>,
    /// Names of functions, types and other items.
    pub items: BTreeSet<String>,
    /// Names that the cell itself binds above a line for the shell, `%env` or `%cd`.
    pub above: BTreeSet<String>,
}

impl Notebook {
    /// Whether the notebook has a variable or an item of that name.
    pub fn knows(&self, name: &str) -> bool {
        self.items.contains(name) || self.variables.iter().any(|(variable, _)| variable == name)
    }

    /// Whether a name is that of a value: a variable, or a constant, which has capitals only.
    pub fn has_value(&self, name: &str) -> bool {
        let is_constant = || name.contains(|c: char| c.is_uppercase()) && !name.contains(|c: char| c.is_lowercase());
        self.above.contains(name)
            || self.variables.iter().any(|(variable, _)| plain(variable) == name)
            || (self.items.contains(name) && is_constant())
    }

    /// The variables in the order of their names, with types as users write them. If `types` are given, only variables
    /// whose type contains one of these words.
    pub fn variables_of(&self, types: &str) -> Vec<(&str, String)> {
        let wanted: Vec<&str> = types.split_whitespace().collect();
        let fits = |type_name: &str| {
            wanted.is_empty() || wanted.contains(&type_name) || words(type_name).any(|word| wanted.contains(&word))
        };
        let mut found: Vec<(&str, String)> = self
            .variables
            .iter()
            .map(|(name, type_name)| (name.as_str(), readable(type_name)))
            .filter(|(_, type_name)| fits(type_name))
            .collect();
        found.sort_unstable();
        found
    }
}
