//! Our binary as the compiler of the crates of `:dep`.
//!
//! A crate that the prelude contains is not compiled again. Under the file names that cargo expects, we write a text
//! that names the prelude's file. Crates that depend on it are compiled with this file. So a foreign crate that uses
//! `ndarray` uses the notebook's `ndarray`, and their arrays have the same type.
//!
//! The prelude's crate is used if version and features allow it, and if the same is true for all crates below it. This
//! depends only on the crate and on the crates below it, which cargo encodes in its file names. So different sets of
//! crates agree on it and can share one target directory.

use crate::build_step::tools::{finish, replace_by};
use crate::choices;
use crate::environment::DEP_COMPILER;
use crate::files;
use crate::installation::{Carried, Installation};
use crate::printing::errln;
use anyhow::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How the text begins that stands for a file of the prelude.
const MARK: &str = "carried by the prelude: ";

/// The role.
pub fn run() -> i32 {
    finish(choices::installation().and_then(|installation| {
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        let fingerprint = std::env::var(DEP_COMPILER).unwrap_or_default();
        let mut compiler = Command::new(installation.real_tool("rustc"));
        let Some(mut call) = arguments
            .iter()
            .map(|argument| argument.to_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .and_then(CrateCall::parse)
        else {
            return replace_by(&mut compiler, &arguments);
        };
        if let Some(carried) = call.carried(&installation) {
            call.leave_marks(&carried.file)?;
            return Ok(0);
        }
        call.use_the_prelude(&installation)?;
        if is_path_crate() && !fingerprint.is_empty() {
            // When the crate changes, its types become other ones: variables of the old ones are not read as the new.
            call.arguments.push(format!("-Cmetadata={fingerprint}"));
        }
        replace_by(&mut compiler, &call.arguments.into_iter().map(OsString::from).collect::<Vec<_>>())
    }))
}

/// The prelude's file for which a file in cargo's target directory stands.
pub fn carried_file(installation: &Installation, file: &Path) -> Option<PathBuf> {
    // Libraries are large; the text is short.
    if std::fs::metadata(file).ok()?.len() > 4096 {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    Some(installation.prelude().join(text.strip_prefix(MARK)?.trim()))
}

/// Whether the package being compiled is on the user's disk, and not from a registry or repository.
fn is_path_crate() -> bool {
    std::env::var("CARGO_MANIFEST_DIR").is_ok_and(|directory| !is_downloaded(&directory))
}

fn is_downloaded(directory: &str) -> bool {
    directory.contains("/registry/src/") || directory.contains("/git/checkouts/")
}

/// A call that compiles a library for cells (not for the build itself).
struct CrateCall {
    arguments: Vec<String>,
    library: String,
    suffix: String,
    folder: PathBuf,
}

impl CrateCall {
    /// `None` for every other call: questions, build scripts, procedural macros, and what these are built on.
    fn parse(arguments: Vec<String>) -> Option<CrateCall> {
        let after = |name: &str| {
            let index = arguments.iter().position(|argument| argument == name)?;
            arguments.get(index + 1).cloned()
        };
        after("--target")?;
        let is_library = values(&arguments, "--crate-type").iter().any(|kind| matches!(kind.as_str(), "lib" | "rlib"));
        let suffix = arguments.iter().find_map(|argument| argument.strip_prefix("extra-filename="))?.to_owned();
        let folder = PathBuf::from(after("--out-dir")?);
        let library = after("--crate-name")?;
        is_library.then_some(CrateCall { library, suffix, folder, arguments })
    }

    fn externs(&self) -> Vec<PathBuf> {
        let externs = values(&self.arguments, "--extern");
        externs.iter().filter_map(|text| Some(PathBuf::from(text.split_once('=')?.1))).collect()
    }

    /// The prelude's crate that can take this one's place.
    fn carried<'a>(&self, installation: &'a Installation) -> Option<&'a Carried> {
        let (name, version) = (std::env::var("CARGO_PKG_NAME").ok()?, std::env::var("CARGO_PKG_VERSION").ok()?);
        let is_downloaded = std::env::var("CARGO_MANIFEST_DIR").is_ok_and(|directory| is_downloaded(&directory));
        let carried = installation
            .carried(&name)
            .find(|carried| carried.version == version && carried.library == self.library)
            .filter(|_| is_downloaded)?;
        let is_macro = |file: &Path| file.extension().is_some_and(|end| end == "so");
        let is_given = |file: &PathBuf| is_macro(file) || carried_file(installation, file).is_some();
        (covers(&carried.features, &features(&self.arguments)) && self.externs().iter().all(is_given))
            .then_some(carried)
    }

    /// Leaves the files that cargo expects.
    fn leave_marks(&self, file: &str) -> Result<()> {
        let named =
            |prefix: &str, end: &str| self.folder.join(format!("{prefix}{}{}.{end}", self.library, self.suffix));
        let metadata = named("lib", "rmeta");
        for path in [&named("lib", "rlib"), &metadata] {
            // The existing file may be a link.
            let _ = std::fs::remove_file(path);
            files::write(path, format!("{MARK}{file}\n"))?;
        }
        let source = self.arguments.iter().find(|argument| argument.ends_with(".rs")).cloned().unwrap_or_default();
        let source = source.replace(' ', "\\ ");
        let target = metadata.display().to_string().replace(' ', "\\ ");
        files::write(&named("", "d"), format!("{target}: {source}\n\n{source}:\n"))?;
        // Cargo starts the dependents when it hears this.
        let artifact = serde_json::json!({ "$message_type": "artifact", "artifact": metadata, "emit": "metadata" });
        errln!("{artifact}");
        Ok(())
    }

    /// Replaces our texts by the files of the prelude in the arguments.
    fn use_the_prelude(&mut self, installation: &Installation) -> Result<()> {
        let prelude = installation.prelude();
        let mut result: Vec<String> = Vec::with_capacity(self.arguments.len() + 2);
        let mut stripped = Vec::new();
        let mut arguments = std::mem::take(&mut self.arguments).into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--extern" => {
                    let text = arguments.next().unwrap_or_default();
                    let carried = text
                        .split_once('=')
                        .and_then(|(name, file)| Some((name, carried_file(installation, Path::new(file))?)));
                    result.push(argument);
                    result.push(match carried {
                        Some((name, file)) => format!("{name}={}", file.display()),
                        None => text,
                    });
                }
                // Linked as a library of its own, the crate would need libraries of all crates below it.
                "--crate-type" => match arguments.next() {
                    Some(kind) if matches!(kind.as_str(), "cdylib" | "dylib" | "staticlib") => stripped.push(kind),
                    kind => result.extend([Some(argument), kind].into_iter().flatten()),
                },
                _ => result.push(argument),
            }
        }
        result.push("-L".to_owned());
        result.push(format!("dependency={}", prelude.display()));
        self.arguments = result;
        for kind in stripped {
            // Cargo looks for the files. Without them it would compile again.
            let end = if kind == "staticlib" { "a" } else { "so" };
            for suffix in ["", &self.suffix] {
                files::write(&self.folder.join(format!("lib{}{suffix}.{end}", self.library)), "")?;
            }
        }
        Ok(())
    }
}

/// The values of an option that is given as two arguments.
fn values(arguments: &[String], name: &str) -> Vec<String> {
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    pairs.filter(|(option, _)| *option == name).map(|(_, value)| value.clone()).collect()
}

/// Features that a call turns on.
fn features(arguments: &[String]) -> Vec<String> {
    let quoted = |text: &String| Some(text.strip_prefix("feature=\"")?.strip_suffix('"')?.to_owned());
    values(arguments, "--cfg").iter().filter_map(quoted).collect()
}

fn covers(has: &[String], wanted: &[String]) -> bool {
    wanted.iter().all(|feature| has.contains(feature))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    const LIBRARY: &str = "--crate-name ndarray --edition=2021 /r/src/lib.rs --crate-type lib \
         --emit=dep-info,metadata,link -C opt-level=2 --cfg feature=\"default\" --cfg feature=\"std\" -C metadata=1 \
         -C extra-filename=-ab --out-dir /t/deps --target x86_64 --extern num_traits=/t/deps/libnum_traits-cd.rmeta";

    #[test]
    fn libraries_for_cells_are_told_from_other_calls() {
        let call = CrateCall::parse(arguments(LIBRARY)).unwrap();
        assert_eq!((call.library.as_str(), call.suffix.as_str()), ("ndarray", "-ab"));
        assert_eq!(call.externs(), [PathBuf::from("/t/deps/libnum_traits-cd.rmeta")]);
        assert_eq!(features(&call.arguments), ["default", "std"]);
        assert!(
            CrateCall::parse(arguments(&LIBRARY.replace(" --target x86_64", ""))).is_none(),
            "for the build itself"
        );
        assert!(CrateCall::parse(arguments(&LIBRARY.replace("--crate-type lib", "--crate-type bin"))).is_none());
        assert!(CrateCall::parse(arguments("-vV")).is_none());
    }

    #[test]
    fn all_wanted_features_must_be_there() {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(covers(&list("default std serde"), &list("std")));
        assert!(!covers(&list("default std"), &list("std blas")));
    }
}
