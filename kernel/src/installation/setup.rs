//! Puts an installation together of a package and a toolchain, and takes it away: the prelude, the tools' links, the
//! private sysroot, the recorded start. The parts are listed in [`crate::installation`].

use crate::analysed_sources::standard_library;
use crate::build_step::Linker;
use crate::environment::{INSTALLATION, RECORD};
use crate::files;
use crate::installation::bundle::{crates, toolchain};
use crate::installation::cache;
use crate::installation::directories;
use crate::installation::package::{Package, ReportProgress};
use crate::installation::toolchain::search::Surroundings;
use crate::installation::toolchain::{Toolchain, release_of_sources};
use crate::installation::{
    CELLS, Installation, InstallationRecord, LibrarySources, SOURCES, has_package, home_beside, home_in, package_in,
};
use crate::kernelspec;
use crate::lessons::precompile::lessons_into;
use crate::printing::errln;
use crate::private;
use anyhow::{Context, Result, bail};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Directories that an installation makes in a prefix if they are not there.
pub const MADE: &[&str] =
    &["bin", "lib", "share/jupyter/kernels/warpcell", "share/jupyter/kernels", "share/jupyter", "share"];

/// The parameters of an installation from sources.
pub struct InstallRequest<'a> {
    /// Warpcell's source directory.
    pub source: &'a Path,
    /// The prefix.
    pub prefix: &'a Path,
    /// The standard library's sources, if they are not the toolchain's.
    pub standard_library: Option<&'a Path>,
    /// The directory of the entry for Jupyter.
    pub entry: &'a Path,
}

/// Installs from a source directory: makes a package, sets it up, and writes the entry for Jupyter. If one step fails,
/// nothing is changed. Returns a note for the user, if there is one.
pub fn install(request: &InstallRequest<'_>) -> Result<Option<String>> {
    let surroundings = Surroundings::here(Some(&request.source.join("install.sh")));
    let toolchain = surroundings.find()?;
    let standard_library = sources(&surroundings, &toolchain, request.standard_library)?;
    from_package(request.prefix, |directory, lock| {
        let plan = SetupPlan {
            package: &Package::make(request.source, &toolchain, directory)?,
            keep_package: false,
            toolchain: &toolchain,
            standard_library: standard_library.as_deref(),
            crates: None,
            home: &home_in(request.prefix),
            program: &binary_in(request.prefix),
        };
        install_package(&plan, request.prefix, request.entry, lock)
    })?;
    let is_for_all = private::is_open_to_all(request.prefix);
    Ok((is_for_all && !private::is_open_to_all(&toolchain.root)).then(|| {
        format!(
            "note: other users of this machine can see the kernel but cannot use it: they cannot read the compiler in {}. If they \
             need it, install Rust where all users can read it (RUSTUP_HOME=/opt/rust/rustup CARGO_HOME=/opt/rust/cargo), and run \
             ./install.sh again with /opt/rust/cargo/bin first in PATH.",
            toolchain.root.display()
        )
    }))
}

/// Installs into a prefix from a package, for which there is a directory until the end.
pub fn from_package(prefix: &Path, install: impl FnOnce(&Path, &std::fs::File) -> Result<()>) -> Result<()> {
    let home = home_in(prefix);
    let lock = directories::lock(&prefix.join("lib"))?;
    directories::remove_leftovers(&home)?;
    let directory = directories::beside(&home, "package");
    let result = install(&directory, &lock);
    directories::remove(&directory)?;
    if result.is_err() {
        directories::remove_empty(prefix, MADE);
    }
    result
}

/// Puts the running program, an installation and the entry for Jupyter into a prefix: all of them or none. `_lock`
/// excludes other processes.
pub fn install_package(plan: &SetupPlan<'_>, prefix: &Path, entry: &Path, _lock: &std::fs::File) -> Result<()> {
    let program = install_binary(prefix)?;
    let home = set_up_for_now(plan)?;
    kernelspec::install(entry, &binary_in(prefix))?;
    home.keep()?;
    program.map_or(Ok(()), directories::Put::keep)?;
    // This version cannot use what the version before has built.
    cache::sweep();
    Ok(())
}

/// The sources of the standard library: those that are named, or those that are found.
fn sources(surroundings: &Surroundings, toolchain: &Toolchain, named: Option<&Path>) -> Result<Option<PathBuf>> {
    match named {
        Some(named) => toolchain.sources(Some(named)),
        None => Ok(surroundings.sources(toolchain).ok()),
    }
}

/// Makes a package of a source directory that serves all compilers.
pub fn package(source: &Path, directory: &Path) -> Result<()> {
    if directory.exists() {
        bail!("{} is there already", directory.display());
    }
    let toolchain = Surroundings::here(Some(&source.join("install.sh"))).find()?;
    let staging = directories::beside(directory, "new");
    directories::remove(&staging)?;
    let result = Package::make(source, &toolchain, &staging)
        .and_then(|package| add_cells(&package, &toolchain, &directories::beside(directory, "cells")))
        .and_then(|()| std::fs::rename(&staging, directory).context("the package cannot be moved to its place"));
    if result.is_err() {
        directories::remove(&staging)?;
    }
    result
}

/// Adds the compiled cells of the lessons to a package. `work` is a folder for an installation that compiles them.
fn add_cells(package: &Package, toolchain: &Toolchain, work: &Path) -> Result<()> {
    errln!("Compiling the cells of the lessons");
    let program = std::env::current_exe().context("the path of this program cannot be found")?;
    let standard_library = sources(&Surroundings::here(None), toolchain, None)?;
    directories::remove(work)?;
    let home = home_in(work);
    let plan = SetupPlan {
        package,
        keep_package: true,
        toolchain,
        standard_library: standard_library.as_deref(),
        crates: None,
        home: &home,
        program: &program,
    };
    let folder = package.directory.join(CELLS);
    let compiled = files::create_folder(&home)
        .and_then(|()| set_up(&plan))
        .and_then(|()| lessons_into(&Installation::open(&home)?, &folder, &|line| errln!("{line}")));
    directories::remove(work)?;
    compiled
}

/// Whether the prefix of this program cannot be written, so that it can be set up for this user only; says so.
pub fn own_prefix_is_closed() -> Result<bool> {
    let program = std::env::current_exe().context("the path of this program cannot be found")?;
    let own = program.parent().and_then(Path::parent).context("this program has no prefix")?;
    let is_closed = !is_writable(&own.join("lib"));
    if is_closed {
        errln!("{} cannot be written; Warpcell is set up for this user only.", own.display());
    }
    Ok(is_closed)
}

/// The command `warpcell setup`: sets up the package that came with this program, or a given one, in a prefix or in the
/// program's own prefix. Returns the installation's directory.
pub fn set_up_here(prefix: Option<&Path>, package: Option<&Path>, standard_library: Option<&Path>) -> Result<PathBuf> {
    let program = std::env::current_exe().context("the path of this program cannot be found")?;
    let own = program.parent().and_then(Path::parent).context("this program has no prefix")?;
    let package = Package::open(package.unwrap_or(&package_in(own)))?;
    let surroundings = Surroundings::here(None);
    let toolchain = surroundings.find()?;
    let standard_library = sources(&surroundings, &toolchain, standard_library)?;
    let prefix = std::path::absolute(prefix.unwrap_or(own))?;
    let home = home_in(&prefix);
    let plan = SetupPlan {
        package: &package,
        keep_package: true,
        toolchain: &toolchain,
        standard_library: standard_library.as_deref(),
        crates: None,
        home: &home,
        program: &program,
    };
    let _lock = directories::lock(&prefix.join("lib"))?;
    errln!("Setting Warpcell up for {}", toolchain.compiler);
    if let (false, Some(command)) = (package.fits(&toolchain), surroundings.shortcut()) {
        errln!("This takes some minutes. After `{command}` it takes seconds.");
    }
    set_up_for_any(&plan, &mut |built, total| {
        errln!("building the array library: {built} of {total} crates");
    })?;
    Ok(home)
}

fn is_writable(directory: &Path) -> bool {
    files::create_folder(directory).is_ok() && tempfile::tempfile_in(directory).is_ok()
}

/// An installation to be.
pub struct SetupPlan<'a> {
    /// The package.
    pub package: &'a Package,
    /// Whether the package stays, or becomes the installation.
    pub keep_package: bool,
    /// The toolchain that cells are compiled with; the package's prelude is for this one.
    pub toolchain: &'a Toolchain,
    /// The standard library's sources.
    pub standard_library: Option<&'a Path>,
    /// Crates from a bundle, which become a part of the installation.
    pub crates: Option<&'a Path>,
    /// The installation's directory: `PREFIX/lib/warpcell` beside the program's `PREFIX/bin`, or any other one.
    pub home: &'a Path,
    /// The program that the installation is for.
    pub program: &'a Path,
}

/// Makes an installation. It appears when it is complete and replaces an older one. If it does not start, the older one
/// is restored. The caller excludes other processes (`directories::lock`).
pub fn set_up(plan: &SetupPlan<'_>) -> Result<()> {
    set_up_for_now(plan)?.keep()
}

fn set_up_for_now(plan: &SetupPlan<'_>) -> Result<directories::Put> {
    plan.package.check(plan.toolchain)?;
    directories::remove_leftovers(plan.home)?;
    let staging = directories::beside(plan.home, "new");
    directories::remove(&staging)?;
    let result = fill(&staging, plan).and_then(|()| directories::put(&staging, plan.home));
    if result.is_err() {
        directories::remove(&staging)?;
    }
    let put = result?;
    record_start(plan)?;
    Ok(put)
}

/// Makes an installation from a package, with any toolchain. If the package is for another toolchain, the prelude is
/// built again, and `report` gets the progress.
pub fn set_up_for_any(plan: &SetupPlan<'_>, report: &mut ReportProgress<'_>) -> Result<()> {
    if plan.package.fits(plan.toolchain) {
        return set_up(plan);
    }
    let directory = directories::beside(plan.home, "package");
    directories::remove(&directory)?;
    let result = plan
        .package
        .rebuild(plan.toolchain, &directory, report)
        .map_err(|error| {
            let problem = Surroundings::here(None).cannot_build(plan.toolchain);
            anyhow::anyhow!("{}: {error:#}. To fix it:\n  {}", problem.what, problem.remedy)
        })
        .and_then(|package| set_up(&SetupPlan { package: &package, keep_package: false, ..*plan }));
    directories::remove(&directory)?;
    result
}

/// Lets the installed program start once, to record what every start asks of the tools.
fn record_start(plan: &SetupPlan<'_>) -> Result<()> {
    files::create_folder(&plan.home.join("recorded"))?;
    let output = Command::new(plan.program)
        .arg("record-start")
        .env(INSTALLATION, plan.home)
        .env(RECORD, "1")
        .stdin(Stdio::null())
        .output()
        .context("the installed program cannot be run")?;
    if !output.status.success() {
        bail!("the installed kernel does not start: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Removes what [`install`] puts into a prefix, and what installations that were ended have left there.
pub fn uninstall(prefix: &Path) -> Result<()> {
    let (home, binary) = (home_in(prefix), binary_in(prefix));
    if home.parent().is_some_and(Path::is_dir) {
        let _lock = directories::lock(&prefix.join("lib"))?;
        directories::remove(&home)?;
        directories::remove_leftovers(&home)?;
        toolchain::remove(prefix, None)?;
    }
    if !has_package(prefix) {
        directories::remove_file(&binary)?;
        directories::remove_leftovers(&binary)?;
    }
    directories::remove_empty(prefix, MADE);
    cache::sweep();
    Ok(())
}

/// The binary in a prefix.
pub fn binary_in(prefix: &Path) -> PathBuf {
    prefix.join("bin").join("warpcell")
}

fn fill(home: &Path, plan: &SetupPlan<'_>) -> Result<()> {
    let toolchain = plan.toolchain;
    files::create_folder(home)?;
    if plan.keep_package {
        plan.package.link_into(home)?;
    } else {
        plan.package.move_into(home)?;
    }
    if let Some(crates) = plan.crates {
        std::fs::rename(crates, home.join(crates::CRATES))
            .context("the bundled crates cannot be moved to their place")?;
    }
    // Beside the prelude, whose search path is its own directory.
    let library = &toolchain.standard_library;
    symlink(toolchain.libraries().join(library), home.join("prelude").join(library))?;
    Linker::record(home, &toolchain.root, &toolchain.target)?;
    // In a prefix by relative links: it may be moved.
    let relative = plan.home == home_beside(plan.program)?;
    let program = |up: &str| if relative { Path::new(up).join("bin/warpcell") } else { plan.program.to_owned() };
    link_tools(&home.join("tools"), &["cargo", "rustc", "rustup"], &program("../../.."))?;
    // For the `!` lines of evcxr. evcxr looks for the shell where it looks for cargo.
    symlink("/bin/sh", home.join("tools/sh"))?;
    link_tools(&home.join("sysroot/bin"), &["cargo", "rustc"], &program("../../../.."))?;
    link_libraries(toolchain, plan.standard_library, &home.join("sysroot"))?;
    let record = InstallationRecord {
        prelude: plan.package.manifest.prelude.clone(),
        toolchain: toolchain.root.clone(),
        sources: plan.standard_library.map(|directory| LibrarySources {
            directory: directory.to_owned(),
            release: release_of_sources(toolchain, directory),
        }),
    };
    files::write(&home.join("installation.json"), serde_json::to_string_pretty(&record)?)
}

fn link_tools(directory: &Path, names: &[&str], target: &Path) -> Result<()> {
    files::create_folder(directory)?;
    for name in names {
        symlink(target, directory.join(name))?;
    }
    Ok(())
}

/// Links the toolchain's libraries, and writes the sources of the standard library without their manifest. Without a
/// manifest rust-analyzer combines the crates itself. Otherwise it would run cargo and need the network.
fn link_libraries(toolchain: &Toolchain, sources: Option<&Path>, sysroot: &Path) -> Result<()> {
    let libraries = &sysroot.join("lib");
    let real = toolchain.root.join("lib");
    let crates = sysroot.join(SOURCES);
    files::create_folder(&libraries.join("rustlib"))?;
    for (from, to, except) in
        [(real.clone(), libraries.to_owned(), "rustlib"), (real.join("rustlib"), libraries.join("rustlib"), "src")]
    {
        for entry in directories::entries(&from)? {
            if entry.file_name() != except {
                symlink(entry.path(), to.join(entry.file_name()))?;
            }
        }
    }
    match sources {
        Some(sources) => standard_library::write(&toolchain.tool("rustc"), toolchain.architecture(), sources, &crates),
        None => Ok(()),
    }
}

/// Copies the running binary into the prefix. A kernel that runs keeps the old file.
fn install_binary(prefix: &Path) -> Result<Option<directories::Put>> {
    let source = std::env::current_exe()?;
    let target = binary_in(prefix);
    if target.canonicalize().is_ok_and(|target| target == source) {
        return Ok(None);
    }
    files::create_folder(&prefix.join("bin"))?;
    directories::remove_leftovers(&target)?;
    let new = directories::beside(&target, "new");
    let copied = std::fs::copy(&source, &new)
        .with_context(|| format!("{} cannot be written", target.display()))
        .and_then(|_| directories::put(&new, &target));
    if copied.is_err() {
        directories::remove_file(&new)?;
    }
    copied.map(Some)
}
