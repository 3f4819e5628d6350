//! Runs the real cargo on a set of crates: its progress goes to the cell, and its errors become ones of a notebook.

use super::progress::{BarState, Progress};
use super::set::{PACKAGE, Set};
use crate::build_step::tools::real_cargo;
use crate::cargo_metadata::{has_kind, items, package};
use crate::environment::{self, DEP_COMPILER};
use crate::files;
use crate::installation::Installation;
use crate::installation::bundle::crates as bundled;
use crate::installation::cache;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// The longest error that is shown whole, in lines.
const ERROR_LINES: usize = 40;

/// Cargo's report of one step of a build.
pub struct CargoMessage(Value);

impl CargoMessage {
    /// The package's id and the file, if it is a library that crates can be compiled against.
    pub fn library(&self) -> Option<(&str, &Path)> {
        let is_library = |kind: &Value| {
            matches!(kind.as_str(), Some("lib" | "rlib" | "dylib" | "cdylib" | "staticlib" | "proc-macro"))
        };
        if self.0["reason"] != "compiler-artifact" || !self.0["target"]["kind"].as_array()?.iter().any(is_library) {
            return None;
        }
        let is_macro = self.0["target"]["kind"][0] == "proc-macro";
        let end = if is_macro { ".so" } else { ".rlib" };
        let mut files = self.0["filenames"].as_array()?.iter().filter_map(Value::as_str);
        Some((self.0["package_id"].as_str()?, Path::new(files.find(|file| file.ends_with(end))?)))
    }

    /// The folders of native libraries from a build script, as `KIND=FOLDER`.
    pub fn native(&self) -> impl Iterator<Item = &String> {
        let paths = self.0["linked_paths"].as_array().filter(|_| self.0["reason"] == "build-script-executed");
        paths.into_iter().flatten().filter_map(|path| match path {
            Value::String(path) => Some(path),
            _ => None,
        })
    }
}

/// `cargo metadata` of the set.
pub fn metadata(installation: &Installation, set: &Set, progress: &mut Progress) -> Result<Value> {
    let target = &installation.record.prelude.target;
    let words = ["metadata", "--format-version", "1", "--filter-platform", target];
    let output = cargo(installation, set, &words, "", progress)?;
    let metadata: Value = serde_json::from_str(&output).context("cargo's metadata cannot be read")?;
    require_libraries(&metadata)?;
    Ok(metadata)
}

/// `cargo build` of the set.
pub fn build(
    installation: &Installation,
    set: &Set,
    fingerprint: &str,
    progress: &mut Progress,
) -> Result<Vec<CargoMessage>> {
    let target = &installation.record.prelude.target;
    let words = ["build", "--message-format", "json-render-diagnostics", "--target", target];
    let output = cargo(installation, set, &words, fingerprint, progress)?;
    Ok(output.lines().filter_map(|line| serde_json::from_str(line).ok()).map(CargoMessage).collect())
}

fn cargo(
    installation: &Installation,
    set: &Set,
    words: &[&str],
    fingerprint: &str,
    progress: &mut Progress,
) -> Result<String> {
    let mut command = real_cargo(installation);
    // The user's own tools, but without another cargo or rustc.
    let mut path = installation.record.toolchain.join("bin").into_os_string();
    if let Some(user) = std::env::var_os("PATH") {
        path.push(":");
        path.push(user);
    }
    command
        .current_dir(&set.directory)
        .args(words)
        .args(bundled::replacement(installation))
        .args(std::env::args_os().filter(|argument| argument == "--offline"))
        .env("PATH", path)
        .env("RUSTC", std::env::current_exe().context("the path of this program cannot be found")?)
        .env(DEP_COMPILER, fingerprint)
        .env("CARGO_TARGET_DIR", &set.target)
        .env("CARGO_BUILD_BUILD_DIR", &set.target)
        // This mark distinguishes these crates from the same versions inside the prelude.
        .env("RUSTFLAGS", "-C prefer-dynamic -C metadata=notebook")
        .env("RUSTC_WRAPPER", "")
        .env("RUSTC_WORKSPACE_WRAPPER", "")
        .env("CARGO_TERM_COLOR", "never")
        // Its bar, as `n/m`, becomes our bar.
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "160")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    use_cargo_home(&mut command, set)?;
    let mut child = command.spawn().context("cargo cannot be run")?;
    let mut stdout = child.stdout.take().context("cargo's output is missing")?;
    let stderr = child.stderr.take().context("cargo's messages are missing")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let mut messages = Vec::new();
    let mut stderr = BufReader::new(stderr);
    while let Some((line, is_overwritten)) = next_line(&mut stderr)? {
        if is_overwritten {
            if let Some(built) = built_of(&line) {
                progress.built(built);
            }
            continue;
        }
        match progress_of(&line) {
            Some(line) if is_of_interest(installation, line) => progress.line(line),
            Some(_) => {}
            None => messages.push(line),
        }
    }
    let text = reader.join().map_err(|_| anyhow::anyhow!("cargo's output cannot be read"))??;
    let ended_well = child.wait()?.success();
    progress.build_ended(ended_well);
    if !ended_well {
        bail!(explain(&messages, bundled::named(installation).as_deref()));
    }
    Ok(text)
}

/// Lets cargo keep its downloads beside the set, if it cannot write or lock files in the user's home. The user's
/// settings of cargo still apply.
fn use_cargo_home(command: &mut Command, set: &Set) -> Result<()> {
    let Some(home) = environment::cargo_home() else { return Ok(()) };
    if std::fs::create_dir_all(&home).is_ok() && cache::check_locks(&home).is_ok() {
        return Ok(());
    }
    files::create_folder(&set.cargo_home)?;
    command.env("CARGO_HOME", &set.cargo_home);
    let settings = ["config.toml", "config"].map(|name| home.join(name));
    if let Some(settings) = settings.iter().find(|settings| settings.is_file()) {
        command.arg("--config").arg(settings);
    }
    Ok(())
}

/// Crates that only have a program cannot be used from code.
fn require_libraries(metadata: &Value) -> Result<()> {
    let root = package(metadata, &metadata["resolve"]["root"]);
    for dependency in root.into_iter().flat_map(|root| items(&root["dependencies"])) {
        let mut found = items(&metadata["packages"]).filter(|package| package["name"] == dependency["name"]);
        let name = dependency["name"].as_str().unwrap_or_default();
        // Cargo leaves such a package out, with a warning.
        if !found.any(|package| has_kind(package, &["lib", "rlib", "dylib", "proc-macro"])) {
            bail!(
                "the crate `{name}` is a program, not a library: cells cannot use it. \
                 Leave the line `:dep {name}` out"
            );
        }
    }
    Ok(())
}

/// The line, if it reports cargo's progress: a word, right-aligned in twelve columns, and its subject.
fn progress_of(line: &str) -> Option<&str> {
    let (word, about) = (line.get(..12)?, line.get(12..)?);
    let is_word = word.trim_start().chars().all(char::is_alphabetic) && !word.trim_start().is_empty();
    (is_word && !word.ends_with(' ') && about.starts_with(' ')).then_some(line)
}

/// The next line, and whether the line after it overwrites it (it ends with a carriage return).
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<(String, bool)>> {
    let mut line = Vec::new();
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok((!line.is_empty()).then(|| (String::from_utf8_lossy(&line).into_owned(), false)));
        }
        let end = bytes.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
        let (used, last) = end.map_or((bytes.len(), None), |end| (end + 1, Some(bytes[end])));
        reader.consume(used);
        if let Some(last) = last {
            return Ok(Some((String::from_utf8_lossy(&line).into_owned(), last == b'\r')));
        }
    }
}

/// How far the build is, as cargo's bar says it: `    Building [==>   ] 3/10: itoa, serde`.
fn built_of(line: &str) -> Option<BarState> {
    let (_, after) = line.trim_start().strip_prefix("Building [")?.split_once("] ")?;
    let (counts, now) = after.split_once(": ").unwrap_or((after, ""));
    let (done, total) = counts.split_once('/')?;
    let is_ours = |name: &&str| !name.starts_with(PACKAGE);
    let now = now.split(", ").filter(is_ours).collect::<Vec<_>>().join(", ");
    Some(BarState { done: done.trim().parse().ok()?, total: total.trim().parse().ok()?, now })
}

/// Whether a line of progress says something to the user.
fn is_of_interest(installation: &Installation, line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (word, name, version) = (words.next().unwrap_or_default(), words.next(), words.next());
    let is_carried = || {
        let version = version.and_then(|version| version.strip_prefix('v'));
        name.is_some_and(|name| installation.carried(name).any(|carried| version == Some(&carried.version)))
    };
    match word {
        "Downloading" | "Downloaded" | "Blocking" => true,
        // Versions in the lock file do not interest the user.
        "Updating" => line.ends_with("index") || line.contains(" git "),
        // Crates of the prelude are not compiled, only named.
        "Compiling" => name != Some(PACKAGE) && !is_carried(),
        _ => false,
    }
}

/// Cargo's error for a notebook: without text about the crate that we made, and with advice.
///
/// `bundled` are the crates of the bundle that this installation came from.
fn explain(messages: &[String], bundled: Option<&[String]>) -> String {
    let text = messages.join("\n");
    let mut lines: Vec<String> = Vec::new();
    let mut in_error = false;
    for line in messages {
        // Warnings of crates that compile do not interest the user.
        if line.starts_with("error") {
            in_error = true;
        } else if line.starts_with("warning") {
            in_error = false;
        }
        let is_ours = line.contains(&format!("required by package `{PACKAGE}"))
            || line.trim_start().starts_with("location searched: crates.io")
            || (bundled.is_some() && line.trim_start().starts_with("location searched: directory source"))
            || line.starts_with("perhaps a crate was updated and forgotten to be re-vendored")
            || line.starts_with("For more information about")
            || line.starts_with("Some errors have detailed")
            || line.starts_with("warning: build failed, waiting");
        if in_error && !is_ours {
            lines.push(shorten(line));
        }
    }
    if lines.is_empty() {
        lines = messages.to_vec();
    }
    if lines.len() > ERROR_LINES {
        let left = lines.len() - ERROR_LINES;
        lines.truncate(ERROR_LINES - 1);
        lines.push(format!("… and {} more lines", left + 1));
        // Cargo's last word says which crate it was.
        lines.extend(messages.iter().rfind(|line| line.starts_with("error: could not compile")).cloned());
    }
    let mut result = lines.join("\n").trim().trim_start_matches("error: ").to_owned();
    let is_missing = ["no matching package", "failed to select a version"].iter().any(|part| text.contains(part));
    if let Some(bundled) = bundled.filter(|_| is_missing) {
        result.push_str(&format!(
            "\nThis installation came in a bundle and uses only the crates of the bundle: {}. `warpcell bundle --crate \
             NAME=VERSION` makes a bundle with more crates on a machine with a network. If this machine has a network, \
             WARPCELL_BUNDLED_CRATES=no allows crates from there.",
            bundled.join(", ")
        ));
    } else if let Some(advice) = advice(&text) {
        result.push_str(&format!("\n{advice}"));
    }
    result
}

/// A line without the name of the crate that we made.
fn shorten(line: &str) -> String {
    match line.find(&format!(" as a dependency of package `{PACKAGE}")) {
        Some(end) => line[..end].to_owned(),
        None => line.to_owned(),
    }
}

/// What to do about cargo's errors, by parts of its messages. The first entry that fits counts.
const ADVICE: [(&[&str], &str); 7] = [
    (
        &[
            "Could not resolve host",
            "Couldn't resolve host",
            "spurious network error",
            "Couldn't connect",
            "failed to download",
            "Timeout was reached",
        ],
        "The network cannot be reached. `:offline 1` in an earlier cell uses crates that were downloaded before. \
         A version that was downloaded can be named exactly, such as \"=1.2.3\".",
    ),
    (
        &["--offline was specified", "offline mode"],
        "`:offline 1` allows only crates that were downloaded earlier; `:offline 0` allows all crates again.",
    ),
    (&["no matching package"], "Is the name spelled correctly? https://crates.io lists all names."),
    (&["multiple times with different names"], "A crate has one name in a notebook: use the name that it already has."),
    (&["failed to select a version"], "Name a version that exists, or write `*` for any."),
    (
        &["No space left on device"],
        "The disk is full. Free some space, or set WARPCELL_CACHE_DIR to a folder on another disk.",
    ),
    (
        &["could not compile", "failed to run custom build command"],
        "The crate was not added. Another version of it may compile, or it needs a system library.",
    ),
];

fn advice(text: &str) -> Option<&'static str> {
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    if has(&["failed to clone into"]) && has(&["failed to resolve path", "not found", "does not appear to be a git"]) {
        return Some("There is no git repository at that address, or it is not public. Is the address correct?");
    }
    ADVICE.iter().find(|(parts, _)| has(parts)).map(|(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_progress() {
        for line in ["   Compiling itoa v1.0.15", "    Updating crates.io index", " Downloading crates ..."] {
            assert_eq!(progress_of(line), Some(line));
        }
        for line in ["error: no", "warning: unused variable: `x`", "  --> src/lib.rs:1:2", "", "   |", "äöüäöüäöüäöü x"]
        {
            assert_eq!(progress_of(line), None, "{line}");
        }
    }

    #[test]
    fn cargos_bar_is_read() {
        let mut text = "   Compiling a v1\n    Building [=> ] 3/10: a, b(build)\rrest".as_bytes();
        let lines: Vec<_> = std::iter::from_fn(|| next_line(&mut text).unwrap()).collect();
        let expected = [("   Compiling a v1", false), ("    Building [=> ] 3/10: a, b(build)", true), ("rest", false)];
        assert_eq!(lines, expected.map(|(line, is_overwritten)| (line.to_owned(), is_overwritten)));
        let built = |done, total, now: &str| Some(BarState { done, total, now: now.to_owned() });
        assert_eq!(built_of(&lines[1].0), built(3, 10, "a, b(build)"));
        assert_eq!(built_of("    Building [>  ] 0/2"), built(0, 2, ""));
        assert_eq!(built_of(&format!("    Building [>  ] 1/2: {PACKAGE}")), built(1, 2, ""));
        for line in ["   Compiling a v1", " Downloading [=> ] 1/2: a", "    Building [=> ] x/2"] {
            assert_eq!(built_of(line), None, "{line}");
        }
    }

    #[test]
    fn an_error_of_cargo_without_our_own_crate() {
        let messages = [
            "error: no matching package named `fooz` found",
            "location searched: crates.io index",
            "required by package `notebook-dependencies v0.0.0 (/cache/sets/1)`",
        ];
        let text = explain(&messages.map(str::to_owned), None);
        assert!(text.starts_with("no matching package named `fooz` found\n"), "{text}");
        assert!(!text.contains(PACKAGE) && text.contains("spelled correctly"), "{text}");
    }

    #[test]
    fn a_crate_that_is_not_in_the_bundle() {
        let messages = [
            "error: no matching package named `fooz` found",
            "location searched: directory source `/prefix/lib/warpcell/crates` (which is replacing registry `crates-io`)",
        ];
        let bundled = ["anyhow 1.0.100".to_owned(), "csv 1.4.0".to_owned()];
        let text = explain(&messages.map(str::to_owned), Some(&bundled));
        assert!(
            text.starts_with("no matching package named `fooz` found\nThis installation came in a bundle"),
            "{text}"
        );
        assert!(text.contains("anyhow 1.0.100, csv 1.4.0") && text.contains("--crate NAME=VERSION"), "{text}");
    }

    #[test]
    fn a_repository_that_is_not_there_is_no_matter_of_the_network() {
        let text = "warning: spurious network error (3 tries remaining): failed to resolve path '/x'\n\
                    error: failed to get `x`\n  failed to clone into: /y\n  failed to resolve path '/x': No such file";
        assert!(advice(text).unwrap().contains("no git repository"));
        let text = "warning: spurious network error\nerror: failed to get `x`\n  failed to clone into: /y\n  timed out";
        assert!(advice(text).unwrap().contains("network cannot be reached"));
    }

    #[test]
    fn errors_without_the_warnings_around_them() {
        let mut messages = vec!["warning: unused variable".to_owned(), " --> a.rs:1".to_owned()];
        messages.push("error[E0308]: mismatched types".to_owned());
        messages.extend((0..100).map(|number| format!("   {number}")));
        messages.push("error: could not compile `broken` (lib) due to 1 previous error".to_owned());
        let text = explain(&messages, None);
        assert!(text.starts_with("error[E0308]: mismatched types"), "{text}");
        assert!(!text.contains("unused") && text.contains("could not compile `broken`"), "{text}");
        assert!(text.lines().count() < ERROR_LINES + 4, "{text}");
    }
}
