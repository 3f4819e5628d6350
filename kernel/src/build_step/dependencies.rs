//! Crates that the user adds with `:dep`.
//!
//! A crate that the prelude contains is the prelude's own crate ([`requirement`]), so that its types match. The other
//! crates form a set. The real cargo builds it once, in a cache that all notebooks share ([`set`]). What the compiler
//! of a cell needs to know about them is recorded, so later cells do not run cargo ([`record`]). While cargo builds,
//! our binary takes the place of the compiler, and provides crates of the prelude instead of building them again
//! ([`dep_compiler`]).

pub mod dep_compiler;
mod plan;
mod progress;
mod record;
mod requirement;
mod run;
mod set;

use super::messages::BuildAnswer;
use super::tools::lead_group;
use crate::environment::SESSION;
use crate::files;
use crate::installation::Installation;
use anyhow::{Context, Result};
use progress::Progress;
use record::{CrateRecord, Resolved, trees};
use serde_json::Value;
use set::Set;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use plan::{CellManifest, CratePlan, OPT_LEVEL};
pub use progress::SOCKET_NAME;

/// Crates ready for the compiler.
#[derive(Default)]
pub struct BuiltCrates {
    /// Compiler arguments.
    pub arguments: Vec<String>,
    /// Names in code of the crates that replace the prelude's crates.
    pub externs: Vec<String>,
    /// Whether types of these crates may have their own method for display. Such types in the prelude's crates
    /// (`plotters` has some) are shown without this, unless they are in a `Box` or similar.
    pub own_display: bool,
}

impl BuiltCrates {
    /// What identifies the built files, by the names of the crates in code: a type of a crate that was built again
    /// keeps its `TypeId`.
    pub fn identities(&self) -> Vec<(String, String)> {
        let files = self.arguments.windows(2).filter(|pair| pair[0] == "--extern");
        let files = files.filter_map(|pair| pair[1].split_once('='));
        let identity = |file: &str| {
            let metadata = std::fs::metadata(file).ok()?;
            Some(format!("{file} {} {:?}", metadata.len(), metadata.modified().ok()?))
        };
        files.map(|(name, file)| (name.to_owned(), identity(file).unwrap_or_else(|| file.to_owned()))).collect()
    }

    /// Adds the prelude's crates of a plan.
    fn add_carried(&mut self, installation: &Installation, plan: &CratePlan<'_>) {
        for (library, carried) in &plan.carried {
            self.arguments.push("--extern".to_owned());
            self.arguments.push(format!("{library}={}", installation.prelude().join(&carried.file).display()));
        }
    }

    /// Adds the crates of a set.
    fn add(&mut self, record: CrateRecord) {
        self.arguments.extend(record.arguments);
        self.externs = record.externs;
        self.own_display = record.own_display;
    }
}

/// The crates of the cell, built if they are not; no process is started when nothing has changed.
pub fn build(installation: &Installation, manifest: &CellManifest) -> Result<BuiltCrates> {
    let plan = manifest.plan(installation)?;
    let mut built = BuiltCrates::default();
    built.add_carried(installation, &plan);
    if plan.foreign.is_empty() {
        return Ok(built);
    }
    let session = session()?;
    let sets = Set::places(installation, &session, &plan)?;
    let current = sets.iter().find_map(|set| {
        let record = set.read::<CrateRecord>().filter(CrateRecord::is_current)?;
        set.keep_for(installation);
        Some(record)
    });
    let record = match current {
        Some(record) => record,
        None => {
            lead_group(&session)?;
            let mut progress = Progress::connect(&session);
            build_set(installation, &plan, &sets, &mut progress)?
        }
    };
    show_once(&session, plan.notes.iter().chain(&record.notes))?;
    built.add(record);
    Ok(built)
}

/// The crates of these lines, if the kernel has built them for all sessions. Nothing is built.
pub fn built_before(installation: &Installation, dependencies: BTreeMap<String, toml::Value>) -> Option<BuiltCrates> {
    let manifest = CellManifest { opt_level: OPT_LEVEL.to_owned(), dependencies };
    let plan = manifest.plan(installation).ok()?;
    let mut built = BuiltCrates::default();
    built.add_carried(installation, &plan);
    if !plan.foreign.is_empty() {
        let sets = Set::places(installation, Path::new("no session"), &plan).ok()?;
        built.add(sets.iter().find_map(|set| set.read::<CrateRecord>().filter(CrateRecord::is_current))?);
    }
    Some(built)
}

fn build_set(
    installation: &Installation,
    plan: &CratePlan<'_>,
    sets: &[Set],
    progress: &mut Progress,
) -> Result<CrateRecord> {
    let answer = resolve(installation, plan, sets, progress)?;
    let set = Set::writable(sets, installation, progress)?;
    if let Some(record) = set.read::<CrateRecord>() {
        record.remove_damaged();
    }
    // Before the build: what changes meanwhile is built again.
    let fingerprint = trees(&answer.paths);
    let artifacts = run::build(installation, set, &fingerprint, progress)?;
    let record = CrateRecord::new(installation, plan, set, &answer, &artifacts, fingerprint)?;
    set.write(&record)?;
    Ok(record)
}

/// Cargo's metadata of the user's crates; no process is started when nothing has changed.
pub fn metadata(installation: &Installation, plan: &CratePlan<'_>) -> Result<Value> {
    let session = session()?;
    let sets = Set::places(installation, &session, plan)?;
    if let Some((set, answer)) = resolved(&sets) {
        set.keep_versions()?;
        return Ok(answer.metadata);
    }
    lead_group(&session)?;
    let mut progress = Progress::connect(&session);
    let answer = resolve(installation, plan, &sets, &mut progress);
    // evcxr says of this call only that it failed.
    answer.map(|answer| answer.metadata).inspect_err(|error| {
        let _ = BuildAnswer::change(&session, |answer| answer.problem_of_crates = Some(error.to_string()));
    })
}

fn resolve(
    installation: &Installation,
    plan: &CratePlan<'_>,
    sets: &[Set],
    progress: &mut Progress,
) -> Result<Resolved> {
    if let Some((_, answer)) = resolved(sets) {
        return Ok(answer);
    }
    let set = Set::writable(sets, installation, progress)?;
    let metadata = run::metadata(installation, set, progress).inspect_err(|_| set.forget())?;
    let answer = Resolved::new(metadata, |name| plan.is_taken(name, installation));
    set.write(&answer)?;
    set.keep_versions()?;
    Ok(answer)
}

fn resolved(sets: &[Set]) -> Option<(&Set, Resolved)> {
    sets.iter().find_map(|set| Some((set, set.read::<Resolved>().filter(Resolved::is_current)?)))
}

/// Shows notes in the cell, each once in a session.
fn show_once<'a>(session: &Path, notes: impl Iterator<Item = &'a String>) -> Result<()> {
    let path = session.join("notes-on-crates");
    let mut shown = std::fs::read_to_string(&path).unwrap_or_default();
    let fresh: Vec<&String> = notes.filter(|note| !shown.lines().any(|line| line == *note)).collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let mut progress = Progress::connect(session);
    for note in fresh {
        progress.line(&format!("note: {note}"));
        shown.push_str(note);
        shown.push('\n');
    }
    files::write(&path, shown)
}

fn session() -> Result<PathBuf> {
    std::env::var_os(SESSION).map(PathBuf::from).context("the session has no directory")
}
