//! The crates that the user has asked for, and where they come from.

use super::requirement::{self, CrateVerdict};
use crate::files;
use crate::installation::{Carried, Installation};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// The optimisation level if the user has chosen none.
pub const OPT_LEVEL: &str = "2";

/// The contents of the cell crate's Cargo.toml, which evcxr wrote.
pub struct CellManifest {
    /// The optimisation level that the user chose (`:opt`).
    pub opt_level: String,
    /// The user's crates: name and requirement, as TOML.
    pub dependencies: BTreeMap<String, toml::Value>,
}

/// Where each crate of the user comes from.
pub struct CratePlan<'a> {
    /// From the prelude: the name in code, and the crate.
    pub carried: Vec<(String, &'a Carried)>,
    /// From cargo: name and requirement.
    pub foreign: BTreeMap<String, toml::Value>,
    /// The optimisation level.
    pub opt_level: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl CellManifest {
    /// Reads the manifest of the cell crate.
    pub fn read(context: &Path) -> Result<CellManifest> {
        let path = context.join("Cargo.toml");
        let mut table: toml::Table =
            toml::from_str(&files::read(&path)?).with_context(|| format!("{} is not valid TOML", path.display()))?;
        let dependencies = match table.remove("dependencies") {
            Some(toml::Value::Table(table)) => table.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        let opt_level = table
            .get("profile")
            .and_then(|profile| profile.get("dev")?.get("opt-level"))
            .map_or(OPT_LEVEL.to_owned(), |level| level.to_string().trim_matches('"').to_owned());
        Ok(CellManifest { opt_level, dependencies })
    }

    /// Sorts the crates. An error if a crate cannot be used together with the prelude.
    pub fn plan<'a>(&self, installation: &'a Installation) -> Result<CratePlan<'a>> {
        let mut plan = CratePlan {
            carried: Vec::new(),
            foreign: BTreeMap::new(),
            opt_level: self.opt_level.clone(),
            notes: Vec::new(),
        };
        for (name, requirement) in &self.dependencies {
            match requirement::judge(installation, name, requirement) {
                CrateVerdict::Carried(carried) => {
                    let is_renamed = requirement.get("package").is_some();
                    let library = if is_renamed { name.replace('-', "_") } else { carried.library.clone() };
                    plan.carried.push((library, carried));
                }
                CrateVerdict::Foreign(note) => {
                    plan.foreign.insert(name.clone(), requirement.clone());
                    plan.notes.extend(note);
                }
                CrateVerdict::Refused(reason) => bail!(reason),
            }
        }
        Ok(plan)
    }
}

impl CratePlan<'_> {
    /// Whether a name in code belongs to a crate of the prelude.
    pub fn is_taken(&self, name: &str, installation: &Installation) -> bool {
        installation.record.prelude.externs.iter().any(|(own, _)| own == name)
            || self.carried.iter().any(|(own, _)| own == name)
            || installation.record.prelude.carried.iter().any(|carried| carried.offered && carried.library == name)
            || name == "warpcell"
    }
}
