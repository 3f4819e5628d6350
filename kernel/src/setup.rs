//! Puts an installation together, and takes it away: the binary, the prelude, the tools' links, the private sysroot,
//! and the recorded answers for rust-analyzer. The parts are listed in [`crate::installation`].

use crate::analysed_sources;
use crate::build_step::{CONTEXT_PLACEHOLDER, HOME_PLACEHOLDER, Linker};
use crate::environment::RECORD;
use crate::installation::{Record, home_in};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Crates whose types a variable of a cell may have: the ones that rust-analyzer reads.
const ANALYSED: &[&str] = &["warpcell", "ndarray", "num-complex", "num-traits"];
/// Crates that cells can name without `:dep`.
const NAMEABLE: &[&str] = &["warpcell", "ndarray"];
/// Crates of the standard library that rust-analyzer reads.
const STANDARD_CRATES: &[&str] = &["alloc", "core", "proc_macro", "std"];

/// What to install from where to where.
pub struct Request<'a> {
    /// Warpcell's source directory.
    pub source: &'a Path,
    /// The prefix.
    pub prefix: &'a Path,
    /// The standard library's sources, if not those of the toolchain.
    pub standard_library: Option<&'a Path>,
}

/// Installs everything but the kernelspec.
pub fn install(request: &Request<'_>) -> Result<()> {
    let toolchain = toolchain(request.source)?;
    let standard_library = find_standard_library(&toolchain, request.standard_library)?;
    let artifacts = build_prelude(request.source, &toolchain)?;
    let home = home_in(request.prefix);
    let staging = home.with_extension(format!("new-{}", std::process::id()));
    remove_directory(&staging)?;
    let result = fill(&staging, request.source, &toolchain, standard_library.as_deref(), &artifacts)
        .and_then(|()| install_binary(request.prefix))
        .and_then(|()| replace_directory(&staging, &home));
    if result.is_err() {
        remove_directory(&staging)?;
    }
    result?;
    record_start(request.prefix, &home)
}

/// Lets the installed program start once, to record what every start asks of the tools.
fn record_start(prefix: &Path, home: &Path) -> Result<()> {
    std::fs::create_dir_all(home.join("recorded"))?;
    let output = Command::new(binary_in(prefix))
        .arg("record-start")
        .env(RECORD, "1")
        .stdin(Stdio::null())
        .output()
        .context("the installed program cannot be run")?;
    if !output.status.success() {
        bail!("the installed kernel does not start: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Removes what [`install`] puts into a prefix.
pub fn uninstall(prefix: &Path) -> Result<()> {
    remove_directory(&home_in(prefix))?;
    remove_file(&binary_in(prefix))
}

/// The binary in a prefix.
pub fn binary_in(prefix: &Path) -> PathBuf {
    prefix.join("bin").join("warpcell")
}

/// Root directory of the toolchain that `rustc` in the source directory names.
fn toolchain(source: &Path) -> Result<PathBuf> {
    let root = query(Command::new("rustc").current_dir(source).args(["--print", "sysroot"]))
        .context("the Rust compiler was not found; install Rust from https://rustup.rs, then run this again")?;
    Ok(PathBuf::from(root))
}

/// The standard library's sources: the given ones, or the toolchain's if it has them. Without them cells run, but
/// rust-analyzer cannot infer the types of variables that hold standard types.
fn find_standard_library(toolchain: &Path, given: Option<&Path>) -> Result<Option<PathBuf>> {
    let own = toolchain.join("lib/rustlib/src/rust/library");
    let found = given.unwrap_or(&own);
    if found.join("core/src/lib.rs").exists() {
        return Ok(Some(found.canonicalize()?));
    }
    if given.is_some() {
        bail!("the sources of the standard library are not at {}: core/src/lib.rs is missing there", found.display());
    }
    Ok(None)
}

/// A library that cargo built.
struct Artifact {
    library: String,
    files: Vec<PathBuf>,
    is_macro: bool,
}

/// Builds the prelude (quick when nothing changed) and lists its libraries.
fn build_prelude(source: &Path, toolchain: &Path) -> Result<Vec<Artifact>> {
    let mut child = Command::new(toolchain.join("bin/cargo"))
        .current_dir(source)
        .args(["build", "--release", "--locked", "-p", "warpcell", "--config", "prelude/dylib.toml"])
        .args(["--message-format", "json-render-diagnostics"])
        .env("RUSTC", toolchain.join("bin/rustc"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo cannot be run")?;
    let output = child.stdout.take().context("cargo's output is missing")?;
    let mut artifacts = Vec::new();
    for line in BufReader::new(output).lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        let kinds: Vec<&str> = strings(&message["target"]["kind"]);
        let is_macro = kinds.contains(&"proc-macro");
        if is_macro || kinds.iter().any(|kind| matches!(*kind, "lib" | "rlib" | "dylib")) {
            artifacts.push(Artifact {
                library: message["target"]["name"].as_str().unwrap_or_default().replace('-', "_"),
                files: strings(&message["filenames"]).into_iter().map(PathBuf::from).collect(),
                is_macro,
            });
        }
    }
    if !child.wait()?.success() {
        bail!("the prelude could not be built; the compiler's messages are above");
    }
    Ok(artifacts)
}

fn fill(
    home: &Path,
    source: &Path,
    toolchain: &Path,
    standard_library: Option<&Path>,
    artifacts: &[Artifact],
) -> Result<()> {
    let target = query(Command::new(toolchain.join("bin/rustc")).arg("-vV"))?
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .context("rustc does not name its host")?;
    let prelude = home.join("prelude");
    std::fs::create_dir_all(&prelude).with_context(|| format!("{} cannot be created", prelude.display()))?;
    let externs = copy_prelude(artifacts, &prelude)?;
    link_standard_library(toolchain, &target, &prelude)?;
    Linker::record(home, toolchain, &target)?;
    link_tools(&home.join("tools"), &["cargo", "rustc", "rustup"], "../../../bin/warpcell")?;
    link_tools(&home.join("sysroot/bin"), &["cargo", "rustc"], "../../../../bin/warpcell")?;
    link_libraries(toolchain, standard_library, &home.join("sysroot/lib"))?;
    let carried = record_metadata(home, source, toolchain, &target)?;
    let record = Record {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        compiler: query(Command::new(toolchain.join("bin/rustc")).arg("-V"))?,
        toolchain: toolchain.to_owned(),
        target,
        externs,
        carried,
    };
    let path = home.join("installation.json");
    std::fs::write(&path, serde_json::to_string_pretty(&record)?)
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Copies the prelude's library and the metadata of the crates behind it; gives what cells can name.
fn copy_prelude(artifacts: &[Artifact], prelude: &Path) -> Result<Vec<(String, String)>> {
    let mut externs = Vec::new();
    for artifact in artifacts {
        let is_prelude = artifact.library == "warpcell";
        let wanted = if is_prelude || artifact.is_macro { "so" } else { "rmeta" };
        let Some(file) = artifact.files.iter().find(|file| file.extension().is_some_and(|found| found == wanted))
        else {
            bail!("cargo did not name a .{wanted} file of {}", artifact.library);
        };
        // The prelude's own hash is not part of its name, so that cells of a later build find it.
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        std::fs::copy(file, prelude.join(&name)).with_context(|| format!("{} cannot be copied", file.display()))?;
        if NAMEABLE.contains(&artifact.library.as_str()) {
            externs.push((artifact.library.clone(), name));
        }
    }
    match NAMEABLE.iter().find(|name| !externs.iter().any(|(found, _)| found == *name)) {
        Some(missing) => bail!("cargo built no library `{missing}`"),
        None => Ok(externs),
    }
}

/// Links the standard library's shared object beside the prelude, whose search path is its own directory.
fn link_standard_library(toolchain: &Path, target: &str, prelude: &Path) -> Result<()> {
    let libraries = toolchain.join("lib/rustlib").join(target).join("lib");
    for entry in read_directory(&libraries)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("libstd-") && name.ends_with(".so") {
            symlink(entry.path(), prelude.join(name))?;
            return Ok(());
        }
    }
    bail!("no libstd-*.so in {}", libraries.display())
}

fn link_tools(directory: &Path, names: &[&str], target: &str) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    for name in names {
        symlink(target, directory.join(name))?;
    }
    Ok(())
}

/// Links the toolchain's libraries, and copies the sources of the standard library without their manifest: rust-analyzer then
/// puts the crates together by itself, where it would otherwise run cargo on them and need the network.
fn link_libraries(toolchain: &Path, standard_library: Option<&Path>, libraries: &Path) -> Result<()> {
    let real = toolchain.join("lib");
    let crates = libraries.join("rustlib/src/rust/library");
    std::fs::create_dir_all(libraries.join("rustlib"))?;
    for (from, to, except) in
        [(real.clone(), libraries.to_owned(), "rustlib"), (real.join("rustlib"), libraries.join("rustlib"), "src")]
    {
        for entry in read_directory(&from)? {
            if entry.file_name() != except {
                symlink(entry.path(), to.join(entry.file_name()))?;
            }
        }
    }
    if let Some(standard_library) = standard_library {
        for name in STANDARD_CRATES {
            analysed_sources::copy(&standard_library.join(name).join("src"), &crates.join(name).join("src"))?;
        }
    }
    Ok(())
}

/// Records the answer to `cargo metadata` for the cell crate and copies the crates that it names; gives the names and
/// versions of all crates that the prelude carries.
fn record_metadata(home: &Path, source: &Path, toolchain: &Path, target: &str) -> Result<Vec<(String, String)>> {
    let text = query(
        Command::new(toolchain.join("bin/cargo"))
            .current_dir(source)
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target])
            .env("RUSTC", toolchain.join("bin/rustc")),
    )?;
    let all: Value = serde_json::from_str(&text).context("cargo's metadata cannot be read")?;
    let is_analysed = |package: &&Value| ANALYSED.contains(&package["name"].as_str().unwrap_or_default());
    let packages: Vec<Value> = items(&all["packages"]).filter(is_analysed).cloned().collect();
    let ids: Vec<&Value> = packages.iter().map(|package| &package["id"]).collect();
    let nodes: Vec<Value> = items(&all["resolve"]["nodes"])
        .filter(|node| ids.contains(&&node["id"]))
        .map(|node| {
            let mut node = node.clone();
            for list in ["deps", "dependencies"] {
                if let Some(list) = node[list].as_array_mut() {
                    list.retain(|item| ids.contains(&&item["pkg"]) || ids.contains(&item));
                }
            }
            node
        })
        .collect();
    let mut answer = cell_metadata(packages.clone(), nodes, target);
    let mut directories = Vec::new();
    for package in &packages {
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
        let directory = manifest.parent().context("a manifest without a directory")?.to_owned();
        let name = format!(
            "{}-{}",
            package["name"].as_str().unwrap_or_default(),
            package["version"].as_str().unwrap_or_default()
        );
        let copy = home.join("sources").join(&name);
        std::fs::create_dir_all(&copy)?;
        std::fs::copy(&manifest, copy.join("Cargo.toml"))?;
        analysed_sources::copy(&directory.join("src"), &copy.join("src"))?;
        directories.push((directory, format!("{HOME_PLACEHOLDER}/sources/{name}")));
    }
    // The longest first: one crate's directory may lie inside another's.
    directories.sort_by_key(|(directory, _)| std::cmp::Reverse(directory.as_os_str().len()));
    relocate(&mut answer, &directories);
    std::fs::create_dir_all(home.join("metadata"))?;
    std::fs::write(home.join("metadata/cell.json"), answer.to_string())?;
    let version =
        |package: &Value| Some((package["name"].as_str()?.to_owned(), package["version"].as_str()?.to_owned()));
    Ok(items(&all["packages"]).filter_map(version).collect())
}

/// The answer for the cell crate, which depends on the analysed crates that cells can name.
fn cell_metadata(mut packages: Vec<Value>, mut nodes: Vec<Value>, target: &str) -> Value {
    let root = format!("path+file://{CONTEXT_PLACEHOLDER}#ctx@1.0.0");
    let mut dependencies = Vec::new();
    let mut deps = Vec::new();
    for package in &mut packages {
        let name = package["name"].as_str().unwrap_or_default().to_owned();
        // Cells do not compile these crates: what kind of library they are does not matter here, only that they are.
        for item in package["targets"].as_array_mut().into_iter().flatten() {
            if strings(&item["kind"]).iter().any(|kind| matches!(*kind, "dylib" | "rlib")) {
                item["kind"] = json!(["lib"]);
                item["crate_types"] = json!(["lib"]);
            }
        }
        if let Some(targets) = package["targets"].as_array_mut() {
            targets.retain(|item| strings(&item["kind"]) == ["lib"]);
        }
        if NAMEABLE.contains(&name.as_str()) {
            dependencies.push(json!({
                "name": name, "source": package["source"], "req": "*", "kind": null, "rename": null,
                "optional": false, "uses_default_features": true, "features": [], "target": null, "registry": null,
            }));
            deps.push(json!({
                "name": name.replace('-', "_"), "pkg": package["id"],
                "dep_kinds": [{ "kind": null, "target": null }],
            }));
        }
    }
    let ids: Vec<Value> = deps.iter().map(|dep| dep["pkg"].clone()).collect();
    nodes.push(json!({ "id": root, "dependencies": ids, "deps": deps, "features": [] }));
    packages.push(json!({
        "name": "ctx", "version": "1.0.0", "id": root, "license": null, "license_file": null, "description": null,
        "source": null, "dependencies": dependencies, "features": {}, "metadata": null, "publish": null,
        "authors": [], "categories": [], "keywords": [], "readme": null, "repository": null, "homepage": null,
        "documentation": null, "edition": "2024", "links": null, "default_run": null, "rust_version": null,
        "manifest_path": format!("{CONTEXT_PLACEHOLDER}/Cargo.toml"),
        "targets": [{
            "kind": ["cdylib"], "crate_types": ["cdylib"], "name": "ctx",
            "src_path": format!("{CONTEXT_PLACEHOLDER}/src/lib.rs"), "edition": "2024",
            "doc": true, "doctest": false, "test": true,
        }],
    }));
    json!({
        "packages": packages,
        "workspace_members": [root],
        "workspace_default_members": [root],
        "resolve": { "nodes": nodes, "root": root },
        "target_directory": format!("{CONTEXT_PLACEHOLDER}/target"),
        "build_directory": format!("{CONTEXT_PLACEHOLDER}/target"),
        "workspace_root": CONTEXT_PLACEHOLDER,
        "version": 1,
        "metadata": { "target": target },
    })
}

/// Replaces directories in all strings of an answer.
fn relocate(value: &mut Value, directories: &[(PathBuf, String)]) {
    match value {
        Value::String(text) => {
            for (from, to) in directories {
                let from = from.to_string_lossy();
                if text.contains(from.as_ref()) {
                    *text = text.replace(from.as_ref(), to);
                    return;
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| relocate(item, directories)),
        Value::Object(map) => map.values_mut().for_each(|item| relocate(item, directories)),
        _ => {}
    }
}

/// Copies the running binary into the prefix. A kernel that runs keeps the old file.
fn install_binary(prefix: &Path) -> Result<()> {
    let source = std::env::current_exe()?;
    let target = binary_in(prefix);
    if target.canonicalize().is_ok_and(|target| target == source) {
        return Ok(());
    }
    let directory = prefix.join("bin");
    std::fs::create_dir_all(&directory).with_context(|| format!("{} cannot be created", directory.display()))?;
    let new = target.with_extension(format!("new-{}", std::process::id()));
    std::fs::copy(&source, &new)
        .and_then(|_| std::fs::rename(&new, &target))
        .with_context(|| format!("{} cannot be written", target.display()))
}

fn replace_directory(new: &Path, target: &Path) -> Result<()> {
    let old = target.with_extension(format!("old-{}", std::process::id()));
    if target.exists() {
        std::fs::rename(target, &old).with_context(|| format!("{} cannot be replaced", target.display()))?;
    }
    std::fs::rename(new, target).with_context(|| format!("{} cannot be written", target.display()))?;
    remove_directory(&old)
}

fn remove_directory(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

fn read_directory(path: &Path) -> Result<Vec<std::fs::DirEntry>> {
    std::fs::read_dir(path)
        .and_then(Iterator::collect)
        .with_context(|| format!("the directory {} cannot be read", path.display()))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn strings(value: &Value) -> Vec<&str> {
    items(value).filter_map(Value::as_str).collect()
}

/// What a command prints, trimmed.
fn query(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} cannot be run"))?;
    if !output.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
