//! `warpcell doctor`: what is installed, what is missing, and what to do.

use crate::choices;
use crate::files;
use crate::installation::toolchain::Toolchain;
use crate::installation::toolchain::search::{Problem, Surroundings};
use crate::installation::{self, Installation};
use crate::kernelspec;
use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// One thing to look at. To add a check, add an entry.
const CHECKS: &[Check] = &[
    Check { name: "compiler", needed: true, look: compiler },
    Check { name: "standard library sources", needed: false, look: standard_library_sources },
    Check { name: "prelude", needed: true, look: prelude },
    Check { name: "kernelspec", needed: true, look: kernel_entry },
    Check { name: "GPU", needed: false, look: gpu },
    Check { name: "CUDA libraries", needed: false, look: cuda_libraries },
];

/// One line of the table.
struct Check {
    name: &'static str,
    /// Whether notebooks do not run without it.
    needed: bool,
    look: fn() -> Finding,
}

/// The result of a check: a description, or the problem and its remedy.
type Finding = Result<String, Problem>;

/// Writes the table. Returns whether everything needed is there.
pub fn run(output: &mut impl Write) -> std::io::Result<bool> {
    let width = CHECKS.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut good = true;
    for check in CHECKS {
        let finding = (check.look)();
        let word = match (&finding, check.needed) {
            (Ok(_), _) => "ok",
            (Err(_), true) => "MISSING",
            (Err(_), false) => "absent",
        };
        good &= word != "MISSING";
        match finding {
            Ok(what) => writeln!(output, "{word:<7}  {:<width$}  {what}", check.name)?,
            Err(Problem { what, remedy }) => {
                writeln!(output, "{word:<7}  {:<width$}  {what}", check.name)?;
                writeln!(output, "{:7}  {:width$}  -> {remedy}", "", "")?;
            }
        }
    }
    let verdict =
        if good { "Notebooks can run." } else { "Notebooks cannot run until the MISSING parts are installed." };
    writeln!(output, "\n{verdict}")?;
    Ok(good)
}

fn installed() -> Result<Installation, Problem> {
    choices::installation().map_err(|error| to_install(format!("{error:#}")))
}

/// A problem that installing again solves.
fn to_install(what: String) -> Problem {
    Problem { what, remedy: installation::remedy().to_owned() }
}

fn compiler() -> Finding {
    let installation = installed()?;
    let program = installation.real_tool("rustc");
    let expected = &installation.record.prelude.compiler;
    let what = match output(&program, &["-V"]) {
        Some(version) if version.trim() == expected => return Ok(format!("{expected} ({})", program.display())),
        Some(version) => {
            format!("{} is {} now, but the prelude was built by {expected}", program.display(), version.trim())
        }
        None => format!("{} cannot be run", program.display()),
    };
    let remedy = match Surroundings::here(None).find() {
        Ok(found) => format!("{}, which takes {} in {}", installation::remedy(), found.compiler, found.root.display()),
        Err(problem) => format!("{} && {}", problem.remedy, installation::remedy()),
    };
    Err(Problem { what, remedy })
}

fn standard_library_sources() -> Finding {
    let installation = installed()?;
    let toolchain = Toolchain::at(&installation.record.toolchain).ok();
    let problem = |what: String| Problem { what, remedy: get_sources(toolchain.as_ref()) };
    let sources = installation.record.sources.as_ref().filter(|_| installation.has_sources()).ok_or_else(|| {
        problem(
            "none. Cells run, but a `let` takes longer, as the compiler is asked for its type, and completion does not \
             know the standard library"
                .to_owned(),
        )
    })?;
    let place = sources.directory.display();
    let compiler = toolchain.as_ref().map(|toolchain| toolchain.release.to_string());
    match (&sources.release, compiler) {
        (Some(release), Some(compiler)) if *release != compiler => Err(problem(format!(
            "{place} is of Rust {release}, and the compiler of {compiler}: completion may offer items that this \
             compiler lacks, and miss new ones"
        ))),
        (Some(release), _) => Ok(format!("{place} ({release})")),
        (None, _) => Ok(place.to_string()),
    }
}

/// The commands that get the sources of a toolchain and use them.
fn get_sources(toolchain: Option<&Toolchain>) -> String {
    let remedy = installation::remedy();
    match toolchain {
        Some(toolchain) => format!("{} && {remedy}", Surroundings::here(None).get_sources(toolchain)),
        None => remedy.to_owned(),
    }
}

/// This runs in a separate process, because a broken library may end the process that loads it.
fn prelude() -> Finding {
    let library = installed()?.prelude_library();
    device().map_err(to_install)?;
    Ok(library.display().to_string())
}

/// The prelude's description of the device, which is opened. It is asked once.
fn device() -> Result<String, String> {
    static DEVICE: OnceLock<Result<String, String>> = OnceLock::new();
    DEVICE.get_or_init(|| ask_for_device(&[])).clone()
}

/// The prelude's description of the device, which is not opened.
pub fn unopened_device() -> Result<String, String> {
    ask_for_device(&["--unopened"])
}

/// Asks in a separate process.
fn ask_for_device(options: &[&str]) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    let result =
        command.arg("device").args(options).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if result.status.success() {
        return Ok(String::from_utf8_lossy(&result.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&result.stderr).trim().to_owned();
    Err(if said.is_empty() { format!("loading the prelude ends the process: {}", result.status) } else { said })
}

fn kernel_entry() -> Finding {
    if let Some(found) = kernelspec::find() {
        if !found.program.is_file() {
            return Err(Problem {
                what: format!("{} names {}, which is gone", found.directory.display(), found.program.display()),
                remedy: "warpcell install".into(),
            });
        }
        return Ok(found.directory.display().to_string());
    }
    // The installation has its own prefix. It is complete, but Jupyter does not look there by itself.
    if let Some(data) = own_data_directory().filter(|data| kernelspec::is_in(data)) {
        return Ok(format!("{0}; Jupyter finds it with JUPYTER_PATH={0}", data.display()));
    }
    let path: Vec<String> = kernelspec::search_path().iter().map(|path| path.display().to_string()).collect();
    Err(Problem {
        what: format!("no kernel `{}` in {}", kernelspec::NAME, path.join(", ")),
        remedy: "warpcell install (or install --sys-prefix for the active Python environment)".into(),
    })
}

/// `share/jupyter` of the prefix that this program is installed in.
fn own_data_directory() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.parent()?.join("share/jupyter"))
}

fn gpu() -> Finding {
    let device = device().map_err(to_install)?;
    if device.starts_with("cuda") {
        return Ok(device);
    }
    Err(Problem {
        what: device,
        remedy: "none needed: notebooks run on the CPU. For a GPU, install NVIDIA's driver and CUDA 12 or 13".into(),
    })
}

fn cuda_libraries() -> Finding {
    const LIBRARIES: [&str; 2] = ["libnvrtc", "libcublas"];
    let found = LIBRARIES.map(find_cuda_library);
    let missing: Vec<&str> =
        LIBRARIES.into_iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(name, _)| name).collect();
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    Err(Problem {
        what: format!("not found: {}", missing.join(", ")),
        remedy: "only for a GPU: install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12 nvidia-cublas-cu12`"
            .into(),
    })
}

/// The path of the library, or its name if the system's loader knows it.
fn find_cuda_library(name: &str) -> Option<String> {
    let versions = ["13", "12"];
    if let Some(known) =
        versions.iter().map(|version| format!("{name}.so.{version}")).find(|file| is_known_to_loader(file))
    {
        return Some(known);
    }
    let home = ["CUDA_HOME", "CUDA_PATH"].into_iter().find_map(std::env::var_os).map(PathBuf::from);
    let toolkits = home
        .into_iter()
        .chain(["/usr/local/cuda".into()])
        .flat_map(|home| ["lib64", "lib", "targets/x86_64-linux/lib"].map(|directory| home.join(directory)));
    toolkits.chain(wheel_directories()).find_map(|directory| {
        let file = versions.iter().map(|version| directory.join(format!("{name}.so.{version}")));
        file.into_iter().find(|file| file.exists()).map(|file| file.display().to_string())
    })
}

/// The library directories of the `nvidia-*` wheels of the active Python.
fn wheel_directories() -> Vec<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let Some(packages) = output(Path::new("python3"), &["-c", script]) else { return vec![] };
    let nvidia = Path::new(packages.trim_end()).join("nvidia");
    files::paths_in(&nvidia).map(|wheel| wheel.join("lib")).collect()
}

/// The output of a command, if it succeeds.
fn output(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the loader finds a library by name. It stays loaded: some of CUDA's cannot be unloaded safely.
fn is_known_to_loader(name: &str) -> bool {
    // SAFETY: loading runs the library's initialisers. This is the purpose of the call.
    unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_LOCAL) }.map(std::mem::forget).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PINNED_COMPILER;

    #[test]
    fn the_pinned_compiler_is_that_of_the_toolchain_file() {
        let file: toml::Table = include_str!("../../rust-toolchain.toml").parse().unwrap();
        assert_eq!(file["toolchain"]["channel"].as_str(), Some(PINNED_COMPILER));
    }

    #[test]
    fn names_of_checks_are_unique() {
        let mut names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }
}
