//! The search for a toolchain: where it looks, which toolchains fit, and the command that installs what is missing.
//!
//! `WARPCELL_RUSTC` names a compiler or the folder of a toolchain. If it is set, nothing else counts. Otherwise `rustc`
//! is searched in PATH, among all toolchains of rustup, and in the folder of cargo's programs. The release that
//! Warpcell is made for wins, because its prelude is already built. A later release works too, but the prelude must be
//! built for it.

use super::Toolchain;
use crate::PINNED_COMPILER;
use crate::files;
use crate::installation::SOURCES;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The compiler or toolchain that the user wants.
pub const CHOICE: &str = "WARPCELL_RUSTC";
/// The only platform that cells are compiled for.
const HOST: &str = "x86_64-unknown-linux-gnu";
/// The address of rustup's installer.
const RUSTUP_ADDRESS: &str = "https://sh.rustup.rs";
/// The address of the parts of toolchains.
const PARTS_ADDRESS: &str = "https://static.rust-lang.org/dist";

/// Why cells cannot be compiled, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub what: String,
    /// One command.
    pub remedy: String,
}

/// Everything on a machine that concerns Rust.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    choice: Option<PathBuf>,
    /// The folders of PATH.
    path: Vec<PathBuf>,
    /// The folder for programs of cargo and rustup.
    cargo_programs: Option<PathBuf>,
    /// The folder of rustup's toolchains.
    rustup_home: Option<PathBuf>,
    /// The active conda environment.
    conda: Option<PathBuf>,
    /// Sources that the user names.
    sources: Option<PathBuf>,
    /// The folder of the distribution's compiler, and of the sources that it packages.
    distribution: PathBuf,
    /// An `install.sh` that can get Rust.
    installer: Option<PathBuf>,
    /// Whether the user may install packages of the distribution without sudo.
    is_root: bool,
    /// Whether the distribution has a package with rustup.
    offers_rustup: bool,
}

/// Why a toolchain cannot compile cells, if this is known without trying.
fn unfit(toolchain: &Toolchain) -> Option<String> {
    let Toolchain { root, compiler, release, target, .. } = toolchain;
    let place = root.display();
    if (release.major, release.minor, release.patch) < oldest() {
        return Some(format!("{compiler} in {place} is too old"));
    }
    if target != HOST {
        return Some(format!("{compiler} in {place} is for {target}, and cells need {HOST}"));
    }
    let cargo = toolchain.tool("cargo");
    (!cargo.is_file()).then(|| format!("{compiler} in {place} has no cargo: {} does not exist", cargo.display()))
}

impl Surroundings {
    /// The surroundings of this process. `installer` is an `install.sh` that can install Rust, if the user has one.
    pub fn here(installer: Option<&Path>) -> Surroundings {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let at_home = |name: &str| std::env::home_dir().map(|home| home.join(name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        // SAFETY: asks the system for a number.
        let is_root = unsafe { libc::geteuid() } == 0;
        Surroundings {
            choice: variable(CHOICE).map(|choice| std::path::absolute(&choice).unwrap_or(choice)),
            path: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            cargo_programs: variable("CARGO_HOME").or_else(|| at_home(".cargo")).map(|home| home.join("bin")),
            rustup_home: variable("RUSTUP_HOME").or_else(|| at_home(".rustup")),
            conda: variable("CONDA_PREFIX"),
            sources: variable("RUST_SRC_PATH"),
            distribution: "/usr".into(),
            installer: installer.map(Path::to_owned),
            is_root,
            offers_rustup: offers_rustup(),
        }
    }

    /// The toolchain to compile cells with.
    pub fn find(&self) -> Result<Toolchain, Problem> {
        if let Some(choice) = &self.choice {
            return self.chosen(choice);
        }
        let mut others = Vec::new();
        let mut reasons = Vec::new();
        for candidate in self.candidates() {
            // rustup's proxy fails if there is no default toolchain.
            let Ok(toolchain) = candidate.toolchain() else { continue };
            match unfit(&toolchain) {
                None if toolchain.is_pinned() => return Ok(toolchain),
                None => others.push(toolchain),
                Some(reason) if !reasons.contains(&reason) => reasons.push(reason),
                Some(_) => {}
            }
        }
        // The toolchain in the user's PATH comes first, then the newest release that is not a preview.
        let is_first = |toolchain: &Toolchain| self.path.iter().any(|folder| *folder == toolchain.root.join("bin"));
        let rank =
            |toolchain: &&Toolchain| (is_first(toolchain), toolchain.release.pre.is_empty(), toolchain.release.clone());
        if let Some(best) = others.iter().max_by_key(rank) {
            return Ok(best.clone());
        }
        let oldest = oldest();
        let what = if reasons.is_empty() {
            format!("there is no Rust compiler: no rustc in PATH{}", self.places())
        } else {
            format!("no Rust compiler fits, {}.{} or later is needed: {}", oldest.0, oldest.1, reasons.join("; "))
        };
        Err(Problem { what, remedy: self.get_rust() })
    }

    fn chosen(&self, choice: &Path) -> Result<Toolchain, Problem> {
        let found = if choice.is_dir() { Toolchain::at(choice) } else { Toolchain::of(choice) };
        let reason = match found {
            Ok(toolchain) => match unfit(&toolchain) {
                None => return Ok(toolchain),
                Some(reason) => reason,
            },
            Err(error) => format!("{error:#}"),
        };
        Err(Problem {
            what: format!("{CHOICE} is {}, which cannot compile cells: {reason}", choice.display()),
            remedy: format!("unset {CHOICE}"),
        })
    }

    /// The sources of the standard library for a toolchain. rust-analyzer infers types with them.
    pub fn sources(&self, toolchain: &Toolchain) -> Result<PathBuf, Problem> {
        let own = toolchain.root.join(SOURCES);
        let folder = self.distribution.join("src");
        let distribution = |name: &str| folder.join(name).join("library");
        let named = self.sources.iter().cloned();
        // Debian keeps the sources of its compilers here. Sources of another release are better than none.
        let is_rust =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rustc-"));
        let mut packaged: Vec<PathBuf> =
            files::paths_in(&folder).filter(is_rust).map(|path| path.join("library")).collect();
        packaged.sort();
        let same = distribution(&format!("rustc-{}", toolchain.release));
        let places = named.chain([own.clone(), same]).chain(packaged.into_iter().rev());
        let found = places.into_iter().find(|place| place.join("core/src/lib.rs").is_file());
        found.ok_or_else(|| Problem {
            what: format!(
                "the sources of the standard library are missing, without which types such as Vec are not inferred: \
                 {} does not exist",
                own.display()
            ),
            remedy: self.get_sources(toolchain),
        })
    }

    /// The problem if the prelude cannot be built with a toolchain.
    pub fn cannot_build(&self, toolchain: &Toolchain) -> Problem {
        Problem {
            what: format!(
                "the prelude cannot be built with {}; this version of Warpcell comes with one for Rust {PINNED_COMPILER}",
                toolchain.compiler
            ),
            remedy: self.get_rust(),
        }
    }

    /// The command that gets the release that Warpcell is made for.
    pub fn get_rust(&self) -> String {
        let install = |rustup: &str| {
            format!("{rustup} toolchain install {PINNED_COMPILER} --profile minimal --component rust-src")
        };
        if let Some(rustup) = self.rustup() {
            return install(&rustup);
        }
        if self.conda.is_some() {
            return format!("conda install -y -c conda-forge rust={PINNED_COMPILER} rust-src={PINNED_COMPILER}");
        }
        if let Some(installer) = &self.installer {
            return format!("{} --with-rust", quoted(&installer.display().to_string()));
        }
        if self.offers_rustup {
            return format!("{}apt-get install -y rustup && {}", self.sudo(), install("rustup"));
        }
        format!(
            "curl --proto '=https' --tlsv1.2 -sSf {RUSTUP_ADDRESS} | sh -s -- -y --profile minimal --default-toolchain \
             {PINNED_COMPILER} --component rust-src"
        )
    }

    /// A command after which setting up takes seconds instead of minutes, if another compiler than the prelude's would
    /// be used. `None` if there is no short command, or if the user has chosen that compiler.
    pub fn shortcut(&self) -> Option<String> {
        (self.choice.is_none() && self.rustup().is_some()).then(|| self.get_rust())
    }

    /// The command that gets a toolchain's sources.
    pub fn get_sources(&self, toolchain: &Toolchain) -> String {
        let root = &toolchain.root;
        let release = &toolchain.release;
        let toolchains = self.rustup_home.as_ref().map(|home| home.join("toolchains"));
        if let (Some(rustup), true) =
            (self.rustup(), root.parent().is_some_and(|parent| toolchains.as_deref() == Some(parent)))
        {
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            return format!("{rustup} component add rust-src --toolchain {name}");
        }
        if self.conda.as_ref() == Some(root) {
            return format!("conda install -y -c conda-forge rust-src={release}");
        }
        if *root == self.distribution {
            let manager = if self.program("dnf").is_some() { "dnf" } else { "apt-get" };
            return format!("{}{manager} install -y rust-src", self.sudo());
        }
        let folder = quoted(&root.display().to_string());
        format!("curl -sSf {PARTS_ADDRESS}/rust-src-{release}.tar.xz | tar -xJ --strip-components=2 -C {folder}")
    }

    /// The searched folders besides PATH.
    fn places(&self) -> String {
        let toolchains = self.rustup_home.as_ref().map(|home| home.join("toolchains"));
        let places: Vec<String> =
            toolchains.iter().chain(&self.cargo_programs).map(|place| place.display().to_string()).collect();
        if places.is_empty() { String::new() } else { format!(", none in {}", places.join(" and ")) }
    }

    fn candidates(&self) -> Vec<ToolchainCandidate> {
        let mut candidates: Vec<ToolchainCandidate> =
            self.program("rustc").into_iter().map(ToolchainCandidate::Compiler).collect();
        let mut installed: Vec<PathBuf> = self
            .rustup_home
            .iter()
            .flat_map(|home| files::paths_in(&home.join("toolchains")))
            .filter(|root| root.join("bin/rustc").is_file())
            .collect();
        // The toolchain that is named after the release comes first. Then the others need not be asked.
        let is_named = |root: &Path| {
            root.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{PINNED_COMPILER}-")))
        };
        installed.sort_by_key(|root| (!is_named(root), root.clone()));
        candidates.extend(installed.into_iter().map(ToolchainCandidate::Folder));
        let outside = self.cargo_programs.iter().map(|folder| folder.join("rustc")).filter(|file| file.is_file());
        candidates.extend(outside.map(ToolchainCandidate::Compiler));
        candidates
    }

    /// A program in PATH.
    fn program(&self, name: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(name)).find(|file| is_executable(file))
    }

    /// The command for rustup, if it is installed.
    fn rustup(&self) -> Option<String> {
        if self.program("rustup").is_some() {
            return Some("rustup".to_owned());
        }
        let file = self.cargo_programs.as_ref()?.join("rustup");
        is_executable(&file).then(|| quoted(&file.display().to_string()))
    }

    fn sudo(&self) -> &'static str {
        if self.is_root { "" } else { "sudo " }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. To fix it:\n  {}", self.what, self.remedy)
    }
}

impl std::error::Error for Problem {}

/// A possible place of a toolchain.
enum ToolchainCandidate {
    /// A compiler, or rustup's program of that name.
    Compiler(PathBuf),
    /// A toolchain's folder.
    Folder(PathBuf),
}

impl ToolchainCandidate {
    fn toolchain(&self) -> anyhow::Result<Toolchain> {
        match self {
            ToolchainCandidate::Compiler(rustc) => Toolchain::of(rustc),
            ToolchainCandidate::Folder(root) => Toolchain::at(root),
        }
    }
}

/// The oldest release that compiles the prelude.
fn oldest() -> (u64, u64, u64) {
    let mut parts = env!("CARGO_PKG_RUST_VERSION").split('.').map(|part| part.parse().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    (part(), part(), part())
}

/// Whether apt knows a package with rustup.
fn offers_rustup() -> bool {
    let answer = Command::new("apt-cache").args(["policy", "rustup"]).stdin(Stdio::null()).output();
    answer.is_ok_and(|answer| {
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        text.lines().any(|line| line.trim().strip_prefix("Candidate: ").is_some_and(|version| version != "(none)"))
    })
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A machine in a folder.
    struct Machine {
        root: tempfile::TempDir,
        surroundings: Surroundings,
    }

    impl Machine {
        fn new() -> Machine {
            let root = tempfile::tempdir().unwrap();
            let at = |name: &str| root.path().join(name);
            let surroundings = Surroundings {
                path: vec![at("programs"), at("usr/bin")],
                cargo_programs: Some(at("cargo/bin")),
                rustup_home: Some(at("rustup")),
                distribution: at("usr"),
                ..Surroundings::default()
            };
            Machine { root, surroundings }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.root.path().join(name)
        }

        fn program(&self, name: &str, script: &str) {
            let file = self.at(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            // A process that another test starts just now would hold a file open that this one has written, and then it cannot be run.
            let text = file.with_extension("text");
            std::fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
            assert!(Command::new("cp").args([&text, &file]).status().unwrap().success());
            std::fs::remove_file(&text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }

        /// A toolchain of a release in a folder.
        fn toolchain(&self, folder: &str, release: &str) {
            self.toolchain_for(folder, release, HOST);
        }

        fn toolchain_for(&self, folder: &str, release: &str, host: &str) {
            let root = self.at(folder);
            let script = format!(
                "if [ \"$1\" = -vV ]; then printf 'rustc {release} (0123 2026-01-01)\\nhost: {host}\\nrelease: {release}\\n'; \
                 else echo '{}'; fi",
                root.display()
            );
            self.program(&format!("{folder}/bin/rustc"), &script);
            self.program(&format!("{folder}/bin/cargo"), "");
            let libraries = root.join("lib/rustlib").join(host).join("lib");
            std::fs::create_dir_all(&libraries).unwrap();
            std::fs::write(libraries.join("libstd-0123.so"), "").unwrap();
        }

        fn found(&self) -> PathBuf {
            self.surroundings.find().unwrap().root
        }

        fn problem(&self) -> Problem {
            self.surroundings.find().unwrap_err()
        }
    }

    #[test]
    fn the_wanted_release_wins_though_another_is_the_default() {
        let machine = Machine::new();
        machine.toolchain("rustup/toolchains/stable-x86_64-unknown-linux-gnu", "1.99.0");
        machine.toolchain("usr", "1.98.0");
        machine.toolchain(&format!("rustup/toolchains/{PINNED_COMPILER}-x86_64-unknown-linux-gnu"), PINNED_COMPILER);
        assert!(machine.found().ends_with(format!("{PINNED_COMPILER}-x86_64-unknown-linux-gnu")));
    }

    #[test]
    fn a_later_release_will_do_and_that_in_the_path_comes_first() {
        let machine = Machine::new();
        machine.toolchain("rustup/toolchains/nightly-x86_64-unknown-linux-gnu", "1.99.0-nightly");
        assert!(machine.found().ends_with("nightly-x86_64-unknown-linux-gnu"));
        machine.toolchain("rustup/toolchains/stable-x86_64-unknown-linux-gnu", "1.98.0");
        assert!(machine.found().ends_with("stable-x86_64-unknown-linux-gnu"), "no preview where there is a release");
        machine.toolchain("usr", "1.97.0");
        assert!(machine.found().ends_with("usr"));
    }

    #[test]
    fn rustups_programs_are_found_without_the_path() {
        let machine = Machine::new();
        machine.toolchain("elsewhere/toolchain", PINNED_COMPILER);
        let rustc = machine.at("elsewhere/toolchain/bin/rustc");
        machine.program("cargo/bin/rustc", &format!("exec '{}' \"$@\"", rustc.display()));
        assert!(machine.found().ends_with("elsewhere/toolchain"));
    }

    #[test]
    fn a_choice_counts_alone() {
        let mut machine = Machine::new();
        machine.toolchain("usr", PINNED_COMPILER);
        machine.toolchain("my own toolchain", "1.97.0");
        for choice in ["my own toolchain", "my own toolchain/bin/rustc"] {
            machine.surroundings.choice = Some(machine.at(choice));
            assert!(machine.found().ends_with("my own toolchain"), "{choice}");
        }
        for wrong in ["nowhere", "usr/src"] {
            machine.surroundings.choice = Some(machine.at(wrong));
            let problem = machine.problem();
            assert!(problem.what.contains("WARPCELL_RUSTC") && problem.what.contains(wrong), "{problem}");
            assert_eq!(problem.remedy, "unset WARPCELL_RUSTC");
        }
    }

    #[test]
    fn nothing_there_and_the_command_that_gets_it() {
        let mut machine = Machine::new();
        let problem = machine.problem();
        assert!(problem.what.starts_with("there is no Rust compiler") && problem.what.contains("rustup"), "{problem}");
        assert!(problem.remedy.starts_with("curl ") && problem.remedy.contains(PINNED_COMPILER), "{problem}");
        machine.surroundings.offers_rustup = true;
        assert!(machine.problem().remedy.starts_with("sudo apt-get install -y rustup && rustup toolchain install"));
        machine.surroundings.is_root = true;
        assert!(machine.problem().remedy.starts_with("apt-get install -y rustup"));
        machine.surroundings.installer = Some("/srv/my warpcell/install.sh".into());
        assert_eq!(machine.problem().remedy, "'/srv/my warpcell/install.sh' --with-rust");
        machine.surroundings.conda = Some(machine.at("conda"));
        let conda = format!("conda install -y -c conda-forge rust={PINNED_COMPILER} rust-src={PINNED_COMPILER}");
        assert_eq!(machine.problem().remedy, conda);
        machine.program("programs/rustup", "");
        let rustup = format!("rustup toolchain install {PINNED_COMPILER} --profile minimal --component rust-src");
        assert_eq!(machine.problem().remedy, rustup);
    }

    #[test]
    fn the_shortcut_is_one_command_and_not_for_those_who_have_chosen() {
        let mut machine = Machine::new();
        assert_eq!(machine.surroundings.shortcut(), None);
        machine.program("programs/rustup", "");
        assert!(machine.surroundings.shortcut().unwrap().starts_with("rustup toolchain install"));
        machine.surroundings.choice = Some(machine.at("my own toolchain"));
        assert_eq!(machine.surroundings.shortcut(), None);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let machine = Machine::new();
        machine.toolchain("usr", "1.63.0");
        let problem = machine.problem();
        assert!(problem.what.contains("rustc 1.63.0") && problem.what.contains("too old"), "{problem}");
        machine.toolchain_for("usr", PINNED_COMPILER, "x86_64-unknown-linux-musl");
        assert!(machine.problem().what.contains("x86_64-unknown-linux-musl"));
        machine.toolchain("usr", PINNED_COMPILER);
        std::fs::remove_file(machine.at("usr/bin/cargo")).unwrap();
        assert!(machine.problem().what.contains("has no cargo"));
        // A beta of the release that is wanted is not that release, but may do.
        machine.toolchain("usr", &format!("{PINNED_COMPILER}-beta.3"));
        assert!(!machine.surroundings.find().unwrap().is_pinned());
    }

    #[test]
    fn a_program_that_fails_is_passed_over() {
        let machine = Machine::new();
        machine.program("programs/rustc", "echo 'error: no default toolchain' >&2; exit 1");
        assert!(machine.problem().what.starts_with("there is no Rust compiler"));
        machine.toolchain("rustup/toolchains/stable-x86_64-unknown-linux-gnu", PINNED_COMPILER);
        assert!(machine.found().ends_with("stable-x86_64-unknown-linux-gnu"));
    }

    #[test]
    fn sources_and_the_command_that_gets_them() {
        let mut machine = Machine::new();
        let of_rustup = format!("rustup/toolchains/{PINNED_COMPILER}-{HOST}");
        machine.toolchain(&of_rustup, PINNED_COMPILER);
        let toolchain = machine.surroundings.find().unwrap();
        let remedy =
            |machine: &Machine, toolchain: &Toolchain| machine.surroundings.sources(toolchain).unwrap_err().remedy;
        assert!(remedy(&machine, &toolchain).starts_with("curl ") && remedy(&machine, &toolchain).contains("rust-src"));
        machine.program("programs/rustup", "");
        assert_eq!(
            remedy(&machine, &toolchain),
            format!("rustup component add rust-src --toolchain {PINNED_COMPILER}-{HOST}")
        );
        let packaged = Toolchain { root: machine.at("usr"), ..toolchain.clone() };
        assert_eq!(remedy(&machine, &packaged), "sudo apt-get install -y rust-src");
        machine.surroundings.conda = Some(machine.at("conda"));
        let of_conda = Toolchain { root: machine.at("conda"), ..toolchain.clone() };
        assert_eq!(remedy(&machine, &of_conda), format!("conda install -y -c conda-forge rust-src={PINNED_COMPILER}"));

        let add = |folder: &str| {
            std::fs::create_dir_all(machine.at(folder).join("core/src")).unwrap();
            std::fs::write(machine.at(folder).join("core/src/lib.rs"), "").unwrap();
        };
        for folder in [
            "usr/src/rustc-1.63.0/library",
            &format!("usr/src/rustc-{PINNED_COMPILER}/library"),
            &format!("{of_rustup}/{SOURCES}"),
        ] {
            add(folder);
            assert_eq!(machine.surroundings.sources(&toolchain).unwrap(), machine.at(folder));
        }
    }

    #[test]
    fn words_for_the_shell() {
        assert_eq!(quoted("/opt/rust/bin/rustup"), "/opt/rust/bin/rustup");
        assert_eq!(quoted("/my tools/rustup"), "'/my tools/rustup'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
