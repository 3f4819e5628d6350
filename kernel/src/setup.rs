//! Puts an installation together, and takes it away: the binary, the prelude, the tools' links, the private sysroot,
//! and the recorded answers for rust-analyzer. The parts are listed in [`crate::installation`].

use crate::analysed_sources;
use crate::build_step::{CONTEXT_PLACEHOLDER, HOME_PLACEHOLDER, Linker, package_of};
use crate::environment::RECORD;
use crate::installation::{Carried, Record, home_in};
use crate::private;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Crates whose types a variable of a cell may have: the ones that rust-analyzer reads.
const ANALYSED: &[&str] = &["warpcell", "warpcell-threads", "ndarray", "half", "num-complex", "num-traits"];
/// Crates that cells can name without `:dep`.
const NAMEABLE: &[&str] = &["warpcell", "ndarray"];
/// Carried crates that cells get by `:dep`, as the prelude has them.
const OFFERED: &[&str] = &[
    "approx",
    "half",
    "image",
    "ndarray",
    "num-complex",
    "num-integer",
    "num-traits",
    "plotters",
    "rand",
    "rayon",
    "serde",
    "serde_json",
];
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
    record_start(request.prefix, &home)?;
    if private::is_open_to_all(request.prefix) && !private::is_open_to_all(&toolchain) {
        eprintln!(
            "note: other users of this machine can see the kernel, but not use it: they cannot read the compiler in {}. If they \
             are to, install Rust where all can read it (RUSTUP_HOME=/opt/rust/rustup CARGO_HOME=/opt/rust/cargo), and run \
             ./install.sh again with /opt/rust/cargo/bin first in PATH.",
            toolchain.display()
        );
    }
    Ok(())
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
    package: String,
    version: String,
    library: String,
    features: Vec<String>,
    files: Vec<PathBuf>,
    is_macro: bool,
    /// Whether it is built for build scripts and macros only, and so not part of the prelude.
    is_host: bool,
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
            let (package, version) = package_of(message["package_id"].as_str().unwrap_or_default());
            artifacts.push(Artifact {
                package: package.to_owned(),
                version: version.to_owned(),
                features: strings(&message["features"]).into_iter().map(str::to_owned).collect(),
                // Cargo does not say what it builds a crate for, but what only runs during the build is not optimised.
                is_host: !is_macro && message["profile"]["opt_level"] == "0",
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
    let metadata = workspace_metadata(source, toolchain, &target)?;
    let Contents { externs, mut carried, identity } = copy_prelude(artifacts, &prelude)?;
    for carried in &mut carried {
        let package = |package: &&Value| package["name"] == *carried.name && package["version"] == *carried.version;
        // A package without default features has them all.
        if items(&metadata["packages"]).find(package).is_some_and(|package| package["features"]["default"].is_null()) {
            carried.features.push("default".to_owned());
        }
    }
    link_standard_library(toolchain, &target, &prelude)?;
    Linker::record(home, toolchain, &target)?;
    link_tools(&home.join("tools"), &["cargo", "rustc", "rustup"], "../../../bin/warpcell")?;
    // For the `!` lines of evcxr, which looks where it looks for cargo.
    symlink("/bin/sh", home.join("tools/sh"))?;
    link_tools(&home.join("sysroot/bin"), &["cargo", "rustc"], "../../../../bin/warpcell")?;
    link_libraries(toolchain, standard_library, &home.join("sysroot/lib"))?;
    record_metadata(home, source, &metadata, &target, &carried)?;
    let record = Record {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        compiler: query(Command::new(toolchain.join("bin/rustc")).arg("-V"))?,
        toolchain: toolchain.to_owned(),
        target,
        externs,
        carried,
        identity,
    };
    let path = home.join("installation.json");
    std::fs::write(&path, serde_json::to_string_pretty(&record)?)
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// What the prelude's directory holds.
struct Contents {
    /// What cells can name without `:dep`, and its file.
    externs: Vec<(String, String)>,
    carried: Vec<Carried>,
    /// A hash of the files.
    identity: String,
}

/// Copies the prelude's library and the metadata of the crates behind it.
fn copy_prelude(artifacts: &[Artifact], prelude: &Path) -> Result<Contents> {
    let mut externs = Vec::new();
    let mut carried = Vec::new();
    let mut identity = DefaultHasher::new();
    for artifact in artifacts.iter().filter(|artifact| !artifact.is_host) {
        let is_prelude = artifact.library == "warpcell";
        let wanted = if is_prelude || artifact.is_macro { "so" } else { "rmeta" };
        let Some(path) = artifact.files.iter().find(|file| file.extension().is_some_and(|found| found == wanted))
        else {
            bail!("cargo did not name a .{wanted} file of {}", artifact.library);
        };
        // The prelude's own hash is not part of its name, so that cells of a later build find it.
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let contents = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        (&file, &contents).hash(&mut identity);
        std::fs::copy(path, prelude.join(&file)).with_context(|| format!("{} cannot be copied", path.display()))?;
        if NAMEABLE.contains(&artifact.library.as_str()) {
            externs.push((artifact.library.clone(), file.clone()));
        }
        if !artifact.is_macro {
            carried.push(Carried {
                name: artifact.package.clone(),
                version: artifact.version.clone(),
                library: artifact.library.clone(),
                features: artifact.features.clone(),
                offered: OFFERED.contains(&artifact.package.as_str()),
                file,
            });
        }
    }
    for name in NAMEABLE.iter().chain(OFFERED) {
        if !carried.iter().any(|carried| carried.name == *name) {
            bail!("cargo built no library `{name}`");
        }
    }
    Ok(Contents { externs, carried, identity: format!("{:016x}", identity.finish()) })
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

/// `cargo metadata` of Warpcell's own workspace.
fn workspace_metadata(source: &Path, toolchain: &Path, target: &str) -> Result<Value> {
    let text = query(
        Command::new(toolchain.join("bin/cargo"))
            .current_dir(source)
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target])
            .env("RUSTC", toolchain.join("bin/rustc")),
    )?;
    serde_json::from_str(&text).context("cargo's metadata cannot be read")
}

/// Records the answer to `cargo metadata` for the cell crate, what it becomes with carried crates that `:dep` names, and
/// the locked versions; copies the sources of the crates that these name.
fn record_metadata(home: &Path, source: &Path, all: &Value, target: &str, carried: &[Carried]) -> Result<()> {
    let analysed = |package: &Value| ANALYSED.contains(&package["name"].as_str().unwrap_or_default());
    let (packages, nodes) = part_of(all, &analysed);
    let offered = below(all, carried);
    let (more_packages, more_nodes) = part_of(all, &|package| offered.contains(&package["id"]));
    let mut answer = cell_metadata(packages, nodes, target);
    let mut more = json!({ "packages": more_packages, "nodes": more_nodes });
    for package in more["packages"].as_array_mut().into_iter().flatten() {
        plain_library(package);
    }
    let mut directories = Vec::new();
    for package in items(&all["packages"]).filter(|package| analysed(package) || offered.contains(&package["id"])) {
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
    relocate(&mut more, &directories);
    let metadata = home.join("metadata");
    std::fs::create_dir_all(&metadata)?;
    std::fs::write(metadata.join("cell.json"), answer.to_string())?;
    std::fs::write(metadata.join("carried.json"), more.to_string())?;
    let lock = std::fs::read_to_string(source.join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    std::fs::write(metadata.join("Cargo.lock"), part_of_lock(&lock, carried)?)?;
    Ok(())
}

/// Ids of the offered crates and of those in the prelude that they build on.
fn below(all: &Value, carried: &[Carried]) -> Vec<Value> {
    let is_inside = |package: &Value| {
        let matches = |carried: &&Carried| package["name"] == *carried.name && package["version"] == *carried.version;
        carried.iter().find(matches).map(|carried| carried.offered)
    };
    let is_macro =
        |package: &Value| items(&package["targets"]).any(|target| strings(&target["kind"]).contains(&"proc-macro"));
    let package = |id: &Value| items(&all["packages"]).find(|package| package["id"] == *id);
    let mut ids: Vec<Value> = items(&all["packages"])
        .filter(|package| is_inside(package) == Some(true))
        .map(|package| package["id"].clone())
        .collect();
    let mut index = 0;
    while let Some(id) = ids.get(index).cloned() {
        index += 1;
        if package(&id).is_some_and(is_macro) {
            continue;
        }
        let node = items(&all["resolve"]["nodes"]).find(|node| node["id"] == id);
        for below in node.into_iter().flat_map(|node| items(&node["dependencies"])) {
            let wanted = package(below).is_some_and(|package| is_inside(package).is_some() || is_macro(package));
            if wanted && !ids.contains(below) {
                ids.push(below.clone());
            }
        }
    }
    ids
}

/// The packages of a kind, and their nodes in the graph, which name no other packages.
fn part_of(all: &Value, wanted: &dyn Fn(&Value) -> bool) -> (Vec<Value>, Vec<Value>) {
    let packages: Vec<Value> = items(&all["packages"]).filter(|package| wanted(package)).cloned().collect();
    let ids: Vec<&Value> = packages.iter().map(|package| &package["id"]).collect();
    let nodes = items(&all["resolve"]["nodes"])
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
    (packages, nodes)
}

/// The entries of a `Cargo.lock` for the carried crates.
fn part_of_lock(lock: &str, carried: &[Carried]) -> Result<String> {
    let mut lock: toml::Table = toml::from_str(lock).context("Cargo.lock cannot be read")?;
    if let Some(packages) = lock.get_mut("package").and_then(toml::Value::as_array_mut) {
        packages.retain(|package| {
            let text = |key: &str| package.get(key).and_then(toml::Value::as_str);
            text("source").is_some()
                && carried
                    .iter()
                    .any(|carried| text("name") == Some(&carried.name) && text("version") == Some(&carried.version))
        });
    }
    Ok(toml::to_string(&lock)?)
}

/// The answer for the cell crate, which depends on the analysed crates that cells can name.
fn cell_metadata(mut packages: Vec<Value>, mut nodes: Vec<Value>, target: &str) -> Value {
    let root = format!("path+file://{CONTEXT_PLACEHOLDER}#ctx@1.0.0");
    let mut dependencies = Vec::new();
    let mut deps = Vec::new();
    for package in &mut packages {
        let name = package["name"].as_str().unwrap_or_default().to_owned();
        plain_library(package);
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

/// Cells do not compile these crates: what kind of library they are does not matter here, only that they are.
fn plain_library(package: &mut Value) {
    for item in package["targets"].as_array_mut().into_iter().flatten() {
        if strings(&item["kind"]).iter().any(|kind| matches!(*kind, "dylib" | "rlib")) {
            item["kind"] = json!(["lib"]);
            item["crate_types"] = json!(["lib"]);
        }
    }
    if let Some(targets) = package["targets"].as_array_mut() {
        targets.retain(|item| matches!(strings(&item["kind"]).as_slice(), ["lib"] | ["proc-macro"]));
    }
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
