//! The files of an exported program beside its source: `Cargo.toml`, `Cargo.lock`, `.gitignore`, `README.md`, and the prelude if it is copied.

use super::cells::Cells;
use super::libraries;
use super::program::{KERNELS, Program, TOKIO};
use super::tokens::tokens;
use crate::build_step::{self, BuiltCrates};
use crate::files;
use crate::installation::package::workspace_of;
use crate::installation::{Installation, remedy};
use anyhow::{Context, Result, bail};
use ra_ap_parser::{SyntaxKind, T};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The folder of the prelude in a project that has it.
const COPY: &str = "warpcell";
/// The package of the prelude's tests, which a program does not have.
const TESTS: &str = "warpcell-tests";
/// Names that cargo does not allow for a program, or that another package has.
const RESERVED: [&str; 10] =
    ["test", "core", "std", "alloc", "proc-macro", "warpcell", "build", "deps", "examples", "incremental"];

/// What a project is made of.
pub struct Project<'a> {
    pub program: &'a Program,
    pub cells: &'a Cells,
    pub installation: &'a Installation,
    /// The notebook's file name without its ending.
    pub stem: &'a str,
    /// Whether the prelude is copied.
    pub vendor: bool,
    /// Whether kernels come along.
    pub embeds: bool,
}

impl Project<'_> {
    /// Writes the project into a folder, which is there and empty.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let workspace = workspace_of(&self.installation.home);
        if !workspace.join("Cargo.toml").exists() {
            bail!(
                "this installation has no sources of the array library, which the program is built with ({} is missing): run {} again",
                workspace.display(),
                remedy()
            );
        }
        files::create_folder(&folder.join("src"))?;
        files::write(&folder.join("src/main.rs"), &self.program.text)?;
        files::write(&folder.join(".gitignore"), "/target\n/output\n")?;
        self.write_page(folder, None)?;
        if self.embeds {
            files::write(&folder.join("src").join(KERNELS), "")?;
        }
        let prelude = if self.vendor {
            files::copy_folder(&workspace, &folder.join(COPY), &[])?;
            format!("{COPY}/prelude")
        } else {
            workspace.join("prelude").display().to_string()
        };
        std::fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock"))
            .context("Cargo.lock cannot be copied")?;
        let mut dependencies = self.dependencies();
        let profile = profile(&files::read(&workspace.join("prelude/dylib.toml"))?)?;
        let text = |dependencies: &BTreeMap<String, toml::Value>| {
            manifest(self.stem, &prelude, self.vendor, dependencies) + &profile + &checks(self.stem)
        };
        files::write(&folder.join("Cargo.toml"), text(&dependencies))?;
        let versions = resolved(self.installation, folder)?;
        for (name, requirement) in &mut dependencies {
            if let Some(version) = versions.get(name) {
                set_version(requirement, version);
            }
        }
        files::write(&folder.join("Cargo.toml"), text(&dependencies))
    }

    /// Writes the page about the project. `kernels`: those that come along, in a few words.
    pub fn write_page(&self, folder: &Path, kernels: Option<&str>) -> Result<()> {
        files::write(&folder.join("README.md"), readme(self.stem, self.vendor, &self.program.text, kernels))
    }

    /// Whether the program has no crates beside those of the installation.
    pub fn needs_installed_only(&self) -> bool {
        needs_installed_only(self.cells, self.program, self.installation)
    }

    /// The installation's cargo, in the folder of the project.
    pub fn cargo(&self, folder: &Path) -> Command {
        cargo(self.installation, folder)
    }

    /// The crates of `:dep`, and those of the prelude's that the code names.
    fn dependencies(&self) -> BTreeMap<String, toml::Value> {
        let mut dependencies = self.cells.dependencies.clone();
        dependencies.remove("warpcell");
        let named = crates_in(&self.program.text);
        let has = |dependencies: &BTreeMap<String, toml::Value>, library: &str| {
            dependencies.keys().any(|name| name.replace('-', "_") == library)
        };
        for (library, _) in &self.installation.record.prelude.externs {
            let carried = self.installation.record.prelude.carried.iter().find(|carried| carried.library == *library);
            let Some(carried) = carried.filter(|_| named.contains(library) && library != "warpcell") else { continue };
            if !has(&dependencies, library) {
                let mut fields = toml::Table::new();
                fields.insert("version".to_owned(), carried.version.clone().into());
                fields.insert("default-features".to_owned(), false.into());
                dependencies.insert(carried.name.clone(), toml::Value::Table(fields));
            }
        }
        if self.program.awaits && !has(&dependencies, TOKIO.0) {
            let table = toml::from_str::<toml::Table>(&format!("tokio = {}", TOKIO.1)).unwrap_or_default();
            dependencies.extend(table);
        }
        dependencies
    }
}

/// The crates that the compiler needs to check a program, if they are all here: those of the installation, and those that the kernel has
/// built for these lines of `:dep`.
pub fn crates_here(cells: &Cells, program: &Program, installation: &Installation) -> Option<BuiltCrates> {
    if needs_installed_only(cells, program, installation) {
        return Some(BuiltCrates::default());
    }
    let mut dependencies = cells.dependencies.clone();
    if program.awaits {
        // The kernel's crates are those of such a line.
        let table = toml::from_str::<toml::Table>(&format!("{} = {}", TOKIO.0, TOKIO.1)).unwrap_or_default();
        for (name, value) in table {
            dependencies.entry(name).or_insert(value);
        }
    }
    build_step::crates_built_before(installation, dependencies)
}

/// Whether a program has no crates beside those of the installation.
fn needs_installed_only(cells: &Cells, program: &Program, installation: &Installation) -> bool {
    let prelude = &installation.record.prelude;
    let is_here = |(name, requirement): (&String, &toml::Value)| {
        let library = name.replace('-', "_");
        let wanted = requirement.as_str().and_then(|text| semver::VersionReq::parse(text).ok());
        let carried = prelude.carried.iter().find(|carried| carried.library == library);
        let version = carried.and_then(|carried| semver::Version::parse(&carried.version).ok());
        prelude.externs.iter().any(|(known, _)| *known == library)
            && wanted.zip(version).is_some_and(|(wanted, version)| wanted.matches(&version))
    };
    !program.awaits && cells.dependencies.iter().all(is_here)
}

/// The page about the project.
fn readme(stem: &str, vendor: bool, program: &str, kernels: Option<&str>) -> String {
    let needed = libraries::needed(program, kernels.is_some());
    let kernels = kernels.map_or(String::new(), |kernels| {
        format!(
            "Its kernels are compiled: `src/{KERNELS}` has {kernels}. Code for an architecture `sm_XY` runs on GPUs of compute capability X.Z, where \
             Z is not below Y. Kernels that are not in this file, as for other types of arrays than when they were recorded, and other GPUs \
             need NVRTC, `nvidia-cuda-nvrtc`.\n\n"
        )
    });
    let libraries = match needed.is_empty() {
        true => "On a GPU it needs NVIDIA's driver.\n".to_owned(),
        false => format!(
            "On a GPU it needs the driver and these libraries of CUDA 12 or later, but not of a later version than the driver supports. They \
             come with the CUDA toolkit, or with pip into the active Python environment; for CUDA 12 the names of these packages end with \
             `-cu12`.\n\n{}\nA library is loaded when a call needs it.\n",
            libraries::table(&needed)
        ),
    };
    let place = if vendor {
        format!("The array library is in `{COPY}/`, so the project can be built on another machine.")
    } else {
        "The array library is a path in `Cargo.toml`, to the sources in an installation of Warpcell. With \
         `warpcell export --vendor` they are in the project, and it can be built on another machine."
            .to_owned()
    };
    format!(
        "# {name}\n\nThe notebook `{stem}.ipynb` as a program, written by Warpcell {}.\n\n```console\n$ cargo run --release\n```\n\n\
         It needs Rust 1.95 or later. {place}\n\n## CUDA\n\nWith a GPU of NVIDIA's the program computes there, otherwise on the CPU; \
         `WARPCELL_DEVICE=cpu` chooses the CPU. {kernels}{libraries}",
        env!("CARGO_PKG_VERSION"),
        name = package_name(stem)
    )
}

/// The crates that code may name: what stands before `::`, and behind `use`.
pub fn crates_in(text: &str) -> BTreeSet<String> {
    let tokens: Vec<_> = tokens(text).into_iter().filter(|(kind, _)| *kind != SyntaxKind::WHITESPACE).collect();
    let kind = |index: usize| tokens.get(index).map(|(kind, _)| *kind);
    let is_crate = |index: &usize| {
        kind(*index) == Some(SyntaxKind::IDENT)
            && (kind(index + 1) == Some(T![:]) && kind(index + 2) == Some(T![:])
                || index.checked_sub(1).and_then(kind) == Some(T![use]))
    };
    (0..tokens.len()).filter(is_crate).map(|index| tokens[index].1.to_owned()).collect()
}

/// Cargo.toml.
fn manifest(stem: &str, prelude: &str, vendor: bool, dependencies: &BTreeMap<String, toml::Value>) -> String {
    let mut text = format!(
        "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"1.95\"\npublish = false\n\n\
         [dependencies]\nwarpcell = {{ path = {}, default-features = false }}\n",
        package_name(stem),
        toml::Value::from(prelude)
    );
    for (name, requirement) in dependencies {
        let _ = writeln!(text, "{} = {requirement}", toml_key(name));
    }
    text += "\n[workspace]\n";
    if vendor {
        let _ = writeln!(text, "exclude = [\"{COPY}\"]");
    }
    text
}

/// The levels of optimisation that the prelude's crates have in cells: those whose speed is not felt take long to build.
fn profile(settings: &str) -> Result<String> {
    let settings: toml::Table = toml::from_str(settings).context("prelude/dylib.toml cannot be read")?;
    let packages = settings["profile"].get("release").and_then(|release| release.get("package"));
    let packages = packages.and_then(toml::Value::as_table).into_iter().flatten();
    let levels = packages.filter(|(name, _)| *name != TESTS);
    let levels = levels.filter_map(|(name, package)| Some((name, package.get("opt-level")?)));
    let lines: String =
        levels.map(|(name, level)| format!("{} = {{ opt-level = {level} }}\n", toml_key(name))).collect();
    Ok(if lines.is_empty() { lines } else { format!("\n[profile.release.package]\n{lines}") })
}

/// The program stops where a cell stops: at an overflow, and at what `debug_assert!` says.
fn checks(stem: &str) -> String {
    let name = package_name(stem);
    format!("\n[profile.release.package.{name}]\noverflow-checks = true\ndebug-assertions = true\n")
}

fn toml_key(name: &str) -> String {
    let is_bare = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_bare { name.to_owned() } else { toml::Value::from(name).to_string() }
}

/// A name for the package, made of the notebook's.
pub fn package_name(stem: &str) -> String {
    let words: Vec<String> = stem
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let name = words.join("-");
    let is_allowed = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !RESERVED.contains(&name.as_str());
    match (is_allowed, name.as_str()) {
        (true, _) => name,
        (false, "") => "notebook".to_owned(),
        (false, name) => format!("notebook-{name}"),
    }
}

fn set_version(requirement: &mut toml::Value, version: &str) {
    match requirement {
        toml::Value::Table(table) if table.contains_key("git") => {}
        toml::Value::Table(table) => drop(table.insert("version".to_owned(), version.into())),
        other => *other = version.into(),
    }
}

/// Cargo in a folder, without the settings of other builds.
fn cargo(installation: &Installation, folder: &Path) -> Command {
    let mut command = Command::new(installation.real_tool("cargo"));
    command.current_dir(folder).env("RUSTC", installation.real_tool("rustc"));
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_BOOTSTRAP"] {
        command.env_remove(name);
    }
    command
}

/// Has cargo write the lock file, and gives the versions of the program's own crates, by their names in Cargo.toml. Without a network
/// this works with the crates that are on this machine.
fn resolved(installation: &Installation, folder: &Path) -> Result<BTreeMap<String, String>> {
    let ask = |offline: bool| -> Result<Value> {
        let mut command = cargo(installation, folder);
        command.args(["metadata", "--format-version", "1", "--quiet"]).args(offline.then_some("--offline"));
        let output = command.output().context("cargo cannot be run")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("the crates of the program cannot be found: {}{}", said.trim(), without_network(&said));
        }
        serde_json::from_slice(&output.stdout).context("cargo's answer cannot be read")
    };
    let metadata = ask(true).or_else(|_| ask(false))?;
    let root = metadata["packages"].as_array().into_iter().flatten().find(|package| {
        package["manifest_path"].as_str().is_some_and(|path| {
            Path::new(path).parent().and_then(|path| path.canonicalize().ok()) == folder.canonicalize().ok()
        })
    });
    let root = root.context("cargo does not know the program")?;
    let nodes = metadata["resolve"]["nodes"].as_array().into_iter().flatten();
    let used: BTreeMap<&str, &str> = nodes
        .filter(|node| node["id"] == root["id"])
        .flat_map(|node| node["deps"].as_array().into_iter().flatten())
        .filter_map(|dependency| Some((dependency["name"].as_str()?, dependency["pkg"].as_str()?)))
        .collect();
    let version = |id: &str| {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        packages
            .filter(|package| package["id"] == id)
            .find_map(|package| package["version"].as_str().map(str::to_owned))
    };
    let own = root["dependencies"].as_array().into_iter().flatten();
    let names = own.filter_map(|dependency| dependency["rename"].as_str().or(dependency["name"].as_str()));
    let found = names.filter_map(|name| {
        // The library's name may be another one than the package's with other signs.
        let id = used.get(name.replace('-', "_").as_str())?;
        Some((name.to_owned(), version(id)?))
    });
    Ok(found.collect())
}

/// What to do if cargo could not download crates.
fn without_network(said: &str) -> &'static str {
    let is_one = ["failed to download", "download of config.json failed", "Could not resolve host"];
    match is_one.iter().any(|text| said.contains(text)) {
        true => {
            "\nThis machine has not all crates that the program is built with, and cargo cannot download them. Export the notebook where there is \
             a network, with all sources, and bring the folder here:\n  \
             warpcell export NOTEBOOK --to DIR --vendor\n  \
             cd DIR && mkdir -p .cargo && cargo vendor >.cargo/config.toml"
        }
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_network_it_is_said_how_to_bring_the_crates() {
        let said =
            "error: failed to get `zip` …\nCaused by:\n  [6] Could not resolve hostname (Could not resolve host: x)";
        assert!(without_network(said).ends_with("cargo vendor >.cargo/config.toml"));
        assert_eq!(without_network("error: failed to select a version for `rand`."), "");
    }

    #[test]
    fn packages_have_names_that_cargo_allows() {
        let names = ["01-convolution", "My Notebook (2)", "test", "Übung", "a_b"].map(package_name);
        assert_eq!(names, ["notebook-01-convolution", "my-notebook-2", "notebook-test", "bung", "a-b"]);
        assert_eq!(package_name("…"), "notebook");
    }

    #[test]
    fn the_page_lists_kernels_and_libraries() {
        let page = |program, kernels| readme("a", true, program, kernels);
        let plain = page("a.matmul(&b)", None);
        assert!(plain.contains("| NVRTC |") && plain.contains("| cuBLAS |") && !plain.contains(KERNELS), "{plain}");
        let embedded = page("a.matmul(&b)", Some("2 programs for sm_80, 100 bytes"));
        assert!(embedded.contains("`src/kernels.bin` has 2 programs for sm_80, 100 bytes. Code for"), "{embedded}");
        assert!(!embedded.contains("| NVRTC |") && embedded.contains("| cuBLAS |"), "{embedded}");
        let alone = page("a + b", Some("2 programs for sm_80, 100 bytes"));
        assert!(alone.ends_with("\n\nOn a GPU it needs NVIDIA's driver.\n"), "{alone}");
    }

    #[test]
    fn the_crates_in_a_program_are_found() {
        let found =
            crates_in("use ndarray::array;\nuse rand;\nlet image = x.image(); rayon::join(a, b); plotters :: y");
        let expected = ["ndarray", "plotters", "rand", "rayon"].map(str::to_owned);
        assert_eq!(found, BTreeSet::from(expected));
    }

    #[test]
    fn crates_whose_speed_is_not_felt_are_not_optimised() {
        let text = profile(include_str!("../../../../prelude/dylib.toml")).unwrap();
        let table: toml::Table = toml::from_str(&text).unwrap();
        let packages = table["profile"]["release"]["package"].as_table().unwrap();
        assert!(
            packages.values().all(|package| package.as_table().is_some_and(|settings| settings.len() == 1)),
            "{text}"
        );
        assert_eq!(packages["gemm-c64"]["opt-level"].as_integer(), Some(0));
        assert!(!packages.contains_key("warpcell") && !packages.contains_key(TESTS));
        assert_eq!(profile("[profile.release]\ncodegen-units = 1").unwrap(), "");
    }

    #[test]
    fn the_manifest_has_the_crates() {
        let dependencies: toml::Table =
            toml::from_str("rand = \"0.9.2\"\nserde = { version = \"1\", features = [\"derive\"] }").unwrap();
        let dependencies = dependencies.into_iter().collect();
        let text = manifest("a", "warpcell/prelude", true, &dependencies);
        expect_test::expect![[r#"
            [package]
            name = "a"
            version = "0.1.0"
            edition = "2024"
            rust-version = "1.95"
            publish = false

            [dependencies]
            warpcell = { path = "warpcell/prelude", default-features = false }
            rand = "0.9.2"
            serde = { features = ["derive"], version = "1" }

            [workspace]
            exclude = ["warpcell"]
        "#]]
        .assert_eq(&text);
        let text: toml::Table = toml::from_str(&manifest("a", "/a \"b\"/prelude", false, &dependencies)).unwrap();
        assert_eq!(text["dependencies"]["warpcell"]["path"].as_str(), Some("/a \"b\"/prelude"));
    }
}
