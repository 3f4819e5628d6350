//! A function for Python as a shared library: the compiler's call, and the cache.
//!
//! An entry of the cache is a library. Its name is a hash of all that it is made of: the source, the compiler, the prelude, the installation,
//! whose folder it names, and the processor, whose instructions it uses. Whoever compiles an entry locks its name: of many workers that want
//! the same function at once, one compiles it.

use super::cell_cache::{is_safe, processor, prune};
use super::functions::{self, Functions};
use super::messages::BuildRequest;
use super::{CompilerMessage, flags};
use crate::files;
use crate::hashing::digest;
use crate::installation::{Installation, cache};
use crate::private;
use anyhow::{Context, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A part of each name. Another text around the functions has another number.
const LAYOUT: &str = "layout 2";
/// The folder, beside the crates of `:dep`.
const FOLDER: &str = "functions";
/// The path of every source, as panics tell it (`prelude/src/python/failures.rs`).
const SOURCE: &str = "function.rs";
/// The most bytes of all entries. When there are more, those that were not used for the longest time are removed.
const MOST: u64 = 256 << 20;

/// What came of a source.
pub enum Library {
    /// The library.
    Built(PathBuf),
    /// The compiler has refused it; its messages, in JSON.
    Refused(String),
}

/// The library of a source: `text` is the user's, and `written` is the same with what calls the function.
pub fn build(installation: &Installation, text: &str, written: &str) -> Result<Library> {
    let cache = cache::folder()
        .context("there is no folder for the user's cache: neither HOME nor WARPCELL_CACHE_DIR is set")?;
    let crates = cache::crates_of(installation).context("there is no folder for the user's cache")?;
    let folder = crates.join(FOLDER);
    let prelude = &installation.record.prelude;
    let home = installation.home.to_string_lossy();
    let parts = [LAYOUT, &prelude.compiler, &prelude.identity, &home, &format!("{:?}", processor()), written];
    let name = digest(serde_json::to_string(&parts)?.as_bytes());
    let library = folder.join(format!("{name}.so"));
    if is_usable(&library) {
        return Ok(Library::Built(library));
    }
    private::create_cache(&cache)?;
    private::create(&folder)?;
    let lock = folder.join(format!("{name}.lock"));
    let locked = locked(&lock);
    let compiled = if is_usable(&library) {
        Ok(Library::Built(library))
    } else {
        cache::claim(&crates, installation)?;
        compile(installation, text, written, &name, &library)
    };
    prune(&folder, MOST);
    // Whoever waits for it finds the library, or compiles.
    let _ = std::fs::remove_file(lock);
    drop(locked);
    compiled
}

/// Whether there is a library that nobody else could have written. Notes that it is used.
fn is_usable(library: &Path) -> bool {
    let Ok(file) = File::open(library) else { return false };
    let folder = library.parent().and_then(|folder| std::fs::metadata(folder).ok());
    let usable = file.metadata().is_ok_and(|found| is_safe(&found)) && folder.is_some_and(|folder| is_safe(&folder));
    if usable {
        let _ = file.set_modified(SystemTime::now());
    }
    usable
}

/// Waits for others that compile the same. A file system without locks has none.
fn locked(path: &Path) -> Option<File> {
    let file = File::options().create(true).append(true).open(path).ok()?;
    file.lock().ok()?;
    Some(file)
}

/// Compiles a library for this machine's cache.
fn compile(installation: &Installation, text: &str, written: &str, name: &str, target: &Path) -> Result<Library> {
    let prelude = installation.prelude();
    let place = |command: &mut Command| {
        flags::generate_code(command, BuildRequest { timed: true, ..BuildRequest::default() }, "");
        // The library names the prelude, which Python's process has not loaded for all to see.
        flags::link(command, &installation.home, &prelude, false);
    };
    Ok(match compiled(installation, text, written, name, place)? {
        Ok(library) => {
            files::replace(target, library)?;
            Library::Built(target.to_owned())
        }
        Err(messages) => Library::Refused(messages),
    })
}

/// Compiles a library for any x86-64 processor, beside which the prelude will be. Gives what the compiler says if it refuses.
pub fn portable(installation: &Installation, text: &str, written: &str) -> Result<Result<Vec<u8>, String>> {
    compiled(installation, text, written, &digest(written.as_bytes()), |command| {
        flags::generate_portable_code(command);
        command.args(["-C", "link-arg=-Wl,-rpath,$ORIGIN"]).arg("--remap-path-prefix");
        command.arg(format!("{}=/rust", installation.record.toolchain.display()));
    })
}

/// Compiles a library; `name` is one that no other library has.
fn compiled(
    installation: &Installation,
    text: &str,
    written: &str,
    name: &str,
    place: impl Fn(&mut Command),
) -> Result<Result<Vec<u8>, String>> {
    let folder = private::temporary(&std::env::temp_dir(), "warpcell-function-")
        .context("a folder for the compiler cannot be made")?;
    // What the compiler says of this file is of the user's source.
    let source = folder.path().join("lib.rs");
    files::write(&source, written)?;
    let notebook = folder.path().join("notebook");
    files::write(&notebook, Functions::of_library(text))?;
    let library = folder.path().join("function.so");
    let prelude = installation.prelude();
    let mut command = Command::new(installation.real_tool("rustc"));
    command
        .current_dir(folder.path())
        // Functions are registered by their paths, so each library has a name of its own.
        .args(["--crate-name", &format!("function_{}", &name[..16]), "--edition", "2024", "--crate-type", "cdylib"])
        .arg(&source)
        .args(["--error-format", "json", "--json", "diagnostic-rendered-ansi", "--cap-lints", "allow"])
        .args(["-C", "prefer-dynamic", "-C", "strip=debuginfo"])
        .arg("-L")
        .arg(format!("dependency={}", prelude.display()))
        .arg("--remap-path-prefix")
        .arg(format!("{}={SOURCE}", source.display()))
        .args(["--remap-path-scope", "macro,object"])
        .arg("--emit")
        .arg(format!("link={}", library.display()));
    place(&mut command);
    for (name, file) in &installation.record.prelude.externs {
        let path = prelude.join(file);
        command.arg("--extern").arg(format!("{name}={}", path.display()));
        if name == "warpcell" {
            command.arg("--extern").arg(format!("gpu={}", path.display()));
        }
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTFLAGS").env_remove("RUSTC");
    command.env(functions::NOTEBOOK, &notebook);
    let output =
        command.output().with_context(|| format!("{} cannot be run", installation.real_tool("rustc").display()))?;
    if output.status.success() {
        return Ok(Ok(std::fs::read(&library).context("the compiler has written no library")?));
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if CompilerMessage::errors(&messages).next().is_none() {
        anyhow::bail!("the compiler has failed ({}): {}", output.status, messages.trim());
    }
    Ok(Err(messages))
}
