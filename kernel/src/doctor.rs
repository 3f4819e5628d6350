//! `warpcell doctor`: what is there, what is missing, and what to do about it.

use crate::{PINNED_COMPILER, kernelspec};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One thing to look at. To add a check, add an entry.
const CHECKS: &[Check] = &[
    Check { name: "compiler", needed: true, look: compiler },
    Check { name: "standard library sources", needed: true, look: standard_library_sources },
    Check { name: "prelude", needed: true, look: prelude },
    Check { name: "Jupyter", needed: true, look: kernel_entry },
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

/// What a check has found.
enum Finding {
    /// All is well; some words on what there is.
    Ok(String),
    /// Something is missing or wrong.
    Problem {
        /// What.
        what: String,
        /// What the user can do.
        remedy: String,
    },
}

use Finding::Problem;

/// Prints the table. Returns whether everything needed is there.
pub fn run() -> bool {
    let width = CHECKS.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut good = true;
    for check in CHECKS {
        let finding = (check.look)();
        let word = match (&finding, check.needed) {
            (Finding::Ok(_), _) => "ok",
            (Problem { .. }, true) => "MISSING",
            (Problem { .. }, false) => "absent",
        };
        good &= word != "MISSING";
        match finding {
            Finding::Ok(what) => println!("{word:<7}  {:<width$}  {what}", check.name),
            Problem { what, remedy } => {
                println!("{word:<7}  {:<width$}  {what}", check.name);
                println!("{:7}  {:width$}  -> {remedy}", "", "");
            }
        }
    }
    println!();
    println!("{}", if good { "Notebooks can run." } else { "Notebooks cannot run until what is MISSING is there." });
    good
}

/// Loads a library and reports by the exit status. Run in a process of its own, because a library that is broken may
/// end the process that loads it.
pub fn probe_library(path: &Path) -> anyhow::Result<()> {
    Library::open(path.as_os_str().as_bytes()).map(|_| ()).map_err(anyhow::Error::msg)
}

fn compiler() -> Finding {
    let remedy = format!("rustup toolchain install {PINNED_COMPILER} (https://rustup.rs)");
    let Some((version, program)) = compilers().next() else {
        return Problem { what: "no rustc found".into(), remedy };
    };
    let pinned = std::iter::once((version.clone(), program)).chain(compilers()).find(|(v, _)| v == PINNED_COMPILER);
    match pinned {
        Some((version, program)) => Finding::Ok(format!("rustc {version} ({program})")),
        None => Problem { what: format!("rustc {version}, but {PINNED_COMPILER} is needed"), remedy },
    }
}

/// The compilers at hand: the one in the PATH, then rustup's of the pinned version; as version and command.
fn compilers() -> impl Iterator<Item = (String, String)> {
    let candidates = [vec!["rustc"], vec!["rustup", "run", PINNED_COMPILER, "rustc"]];
    candidates.into_iter().filter_map(|command| {
        let text = output(&command, &["--version"])?;
        let version = text.strip_prefix("rustc ")?.split_whitespace().next()?.to_owned();
        Some((version, command.join(" ")))
    })
}

/// The directory of the pinned compiler.
fn sysroot() -> Option<PathBuf> {
    let (_, command) = compilers().find(|(version, _)| version == PINNED_COMPILER)?;
    let command: Vec<&str> = command.split(' ').collect();
    Some(PathBuf::from(output(&command, &["--print", "sysroot"])?.trim_end()))
}

fn standard_library_sources() -> Finding {
    let in_sysroot = sysroot().map(|sysroot| sysroot.join("lib/rustlib/src/rust/library"));
    let from_variable = std::env::var_os("RUST_SRC_PATH").map(PathBuf::from);
    let packaged = std::fs::read_dir("/usr/src").into_iter().flatten().flatten().filter_map(|entry| {
        let is_rust = entry.file_name().as_bytes().starts_with(b"rustc-");
        is_rust.then(|| entry.path().join("library"))
    });
    let mut places = from_variable.into_iter().chain(in_sysroot).chain(packaged);
    match places.find(|place| place.join("std/src/lib.rs").exists()) {
        Some(place) => Finding::Ok(place.display().to_string()),
        None => Problem {
            what: "not found; types of variables cannot be inferred".into(),
            remedy: format!(
                "rustup component add rust-src --toolchain {PINNED_COMPILER}, or set RUST_SRC_PATH to its `library`"
            ),
        },
    }
}

/// Where the installation puts the prelude, beside this program.
fn prelude_library() -> std::io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let directory = program.parent().unwrap_or(Path::new("/"));
    Ok(directory.join("../lib/warpcell/prelude/libwarpcell.so"))
}

fn prelude() -> Finding {
    let remedy = || "run the installer again (install.sh)".to_owned();
    let library = match prelude_library() {
        Ok(library) => library,
        Err(error) => return Problem { what: format!("this program's place is not known: {error}"), remedy: remedy() },
    };
    let Ok(library) = library.canonicalize() else {
        return Problem { what: format!("not installed in {}", library.display()), remedy: remedy() };
    };
    let Ok(program) = std::env::current_exe() else { return Finding::Ok(library.display().to_string()) };
    let mut probe = Command::new(program);
    probe.arg("probe-library").arg(&library).stdin(Stdio::null());
    if let Some(sysroot) = sysroot() {
        // The prelude is linked to the standard library of its compiler, as cells are.
        probe.env("LD_LIBRARY_PATH", sysroot.join("lib"));
    }
    match probe.output() {
        Ok(output) if output.status.success() => Finding::Ok(library.display().to_string()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let what = format!("cannot be loaded: {}", said.lines().next().unwrap_or("it ends the process"));
            Problem { what, remedy: remedy() }
        }
        Err(error) => Problem { what: format!("cannot be tried: {error}"), remedy: remedy() },
    }
}

fn kernel_entry() -> Finding {
    let Some(found) = kernelspec::find() else {
        let path: Vec<String> = kernelspec::search_path().iter().map(|path| path.display().to_string()).collect();
        return Problem {
            what: format!("no kernel `{}` in {}", kernelspec::NAME, path.join(", ")),
            remedy: "warpcell install (or install --sys-prefix for the active Python environment)".into(),
        };
    };
    if !found.program.is_file() {
        return Problem {
            what: format!("{} names {}, which is gone", found.directory.display(), found.program.display()),
            remedy: "warpcell install".into(),
        };
    }
    Finding::Ok(found.directory.display().to_string())
}

fn gpu() -> Finding {
    let remedy = || "none needed: notebooks run on the CPU. For a GPU, install NVIDIA's driver".to_owned();
    let driver = match Library::open(b"libcuda.so.1") {
        Ok(driver) => driver,
        Err(_) => return Problem { what: "no NVIDIA driver (libcuda.so.1)".into(), remedy: remedy() },
    };
    match describe_devices(&driver) {
        Ok(devices) => Finding::Ok(devices),
        Err(what) => Problem { what, remedy: remedy() },
    }
}

/// The devices and the driver's CUDA version.
///
/// By hand and not through a CUDA crate: the kernel process carries none, so that it can never hold a context.
fn describe_devices(driver: &Library) -> Result<String, String> {
    let check = |name: &str, status: c_int| match status {
        0 => Ok(()),
        status => Err(format!("{name} fails with CUDA error {status}")),
    };
    let init = driver.symbol(c"cuInit")?;
    // SAFETY: the driver's header declares `CUresult cuInit(unsigned int)`.
    let init = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u32) -> c_int>(init) };
    type WithInt = unsafe extern "C" fn(*mut c_int) -> c_int;
    let version = driver.symbol(c"cuDriverGetVersion")?;
    // SAFETY: the driver's header declares `CUresult cuDriverGetVersion(int *)`.
    let version = unsafe { std::mem::transmute::<*mut c_void, WithInt>(version) };
    let count = driver.symbol(c"cuDeviceGetCount")?;
    // SAFETY: the driver's header declares `CUresult cuDeviceGetCount(int *)`.
    let count = unsafe { std::mem::transmute::<*mut c_void, WithInt>(count) };
    let name = driver.symbol(c"cuDeviceGetName")?;
    // SAFETY: the driver's header declares `CUresult cuDeviceGetName(char *, int, CUdevice)`, and `CUdevice` is `int`.
    // An ordinal is its own handle: `cuDeviceGet` returns what it is given.
    let name =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int>(name) };

    let (mut cuda, mut devices) = (0, 0);
    // SAFETY: flags must be zero, and are.
    check("cuInit", unsafe { init(0) })?;
    // SAFETY: the pointer is to a local that outlives the call.
    check("cuDriverGetVersion", unsafe { version(&mut cuda) })?;
    // SAFETY: the same, and the driver is initialised.
    check("cuDeviceGetCount", unsafe { count(&mut devices) })?;
    if devices == 0 {
        return Err("the driver finds no device".into());
    }
    let mut names = Vec::new();
    for ordinal in 0..devices {
        let mut buffer = [0 as c_char; 256];
        // SAFETY: the buffer is as long as stated, the ordinal below the count. The name ends in a zero byte.
        check("cuDeviceGetName", unsafe { name(buffer.as_mut_ptr(), 255, ordinal) })?;
        // SAFETY: the last byte is never written and is zero, so the text ends within the buffer.
        names.push(unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_string_lossy().into_owned());
    }
    Ok(format!("{} (driver for CUDA {}.{})", names.join(", "), cuda / 1000, cuda % 1000 / 10))
}

fn cuda_libraries() -> Finding {
    const LIBRARIES: [&str; 2] = ["libnvrtc", "libcublas"];
    let missing: Vec<&str> = LIBRARIES.into_iter().filter(|name| find_cuda_library(name).is_none()).collect();
    if missing.is_empty() {
        let places: Vec<String> = LIBRARIES.into_iter().filter_map(find_cuda_library).collect();
        return Finding::Ok(places.join(", "));
    }
    Problem {
        what: format!("not found: {}", missing.join(", ")),
        remedy: "only for a GPU: install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12 nvidia-cublas-cu12`"
            .into(),
    }
}

/// The library's place, or its name where the system's loader knows it.
fn find_cuda_library(name: &str) -> Option<String> {
    let versions = ["13", "12"];
    if let Some(known) = versions
        .iter()
        .map(|version| format!("{name}.so.{version}"))
        .find(|file| Library::open(file.as_bytes()).is_ok())
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
    let Some(packages) = output(&["python3"], &["-c", script]) else { return vec![] };
    let nvidia = Path::new(packages.trim_end()).join("nvidia");
    std::fs::read_dir(nvidia).into_iter().flatten().flatten().map(|entry| entry.path().join("lib")).collect()
}

/// What a command prints, if it succeeds.
fn output(command: &[&str], arguments: &[&str]) -> Option<String> {
    let (program, first) = command.split_first()?;
    let output = Command::new(program).args(first).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A library that stays loaded until the process ends: some of CUDA's cannot be unloaded safely.
struct Library(*mut c_void);

impl Library {
    /// Loads by name or path; the loader's words if it cannot.
    fn open(name: &[u8]) -> Result<Self, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        // SAFETY: the name ends in a zero byte. Loading runs the library's initialisers, which is what is asked for.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() { Err(loader_error()) } else { Ok(Self(handle)) }
    }

    /// The address of a function; never null.
    fn symbol(&self, name: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: the handle comes from `dlopen` and is never closed.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        if address.is_null() { Err(loader_error()) } else { Ok(address) }
    }
}

fn loader_error() -> String {
    // SAFETY: the text belongs to this thread until its next call of the loader, and is copied before.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error of the loader".into();
    }
    // SAFETY: not null, and the loader ends its texts with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_missing_library_is_named() {
        let error = Library::open(b"/nowhere/libmissing.so").err().unwrap();
        assert!(error.contains("libmissing.so"), "{error}");
        assert!(Library::open(b"libc.so.6").unwrap().symbol(c"getpid").is_ok());
    }
}
