//! The entry with which Jupyter finds the kernel: writes, removes and finds it.

use crate::files;
use crate::installation::directories;
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the directory. Notebooks use it in their metadata to name the kernel.
pub const NAME: &str = "warpcell";

/// The logos, by the names that Jupyter looks for. `kernel.json` comes last, so that an entry is never seen without.
const LOGOS: [(&str, &[u8]); 3] = [
    ("logo-32x32.png", include_bytes!("../../assets/logo-32x32.png")),
    ("logo-64x64.png", include_bytes!("../../assets/logo-64x64.png")),
    ("logo-svg.svg", include_bytes!("../../assets/logo.svg")),
];

/// What Jupyter replaces by the entry's directory.
const RESOURCE_DIRECTORY: &str = "{resource_dir}";

const SPECIFICATION: &str = "kernel.json";

/// The place of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecPlace {
    /// The user's data directory.
    User,
    /// The active Python environment.
    SysPrefix,
    /// `share/jupyter` below a directory.
    Prefix(PathBuf),
}

impl SpecPlace {
    /// The directory of this kernel's entry.
    pub fn directory(&self) -> anyhow::Result<PathBuf> {
        let data = match self {
            Self::User => user_data_directory()?,
            Self::SysPrefix => sys_prefix()?.join("share/jupyter"),
            Self::Prefix(prefix) => std::path::absolute(prefix)?.join("share/jupyter"),
        };
        Ok(data.join("kernels").join(NAME))
    }

    /// The prefix that program and prelude belong to.
    pub fn prefix(&self) -> anyhow::Result<PathBuf> {
        match self {
            Self::User => {
                Ok(std::env::home_dir().context("the home directory is not known; give --prefix")?.join(".local"))
            }
            Self::SysPrefix => sys_prefix(),
            Self::Prefix(prefix) => Ok(std::path::absolute(prefix)?),
        }
    }
}

/// Writes the entry, file by file, each complete or not at all. An earlier entry is replaced.
pub fn install(directory: &Path, binary: &Path) -> anyhow::Result<()> {
    let binary = binary.to_str().with_context(|| {
        format!("{} is not UTF-8, which kernel.json cannot express; move the program", binary.display())
    })?;
    write(directory, binary)
}

/// Writes an entry for `share/jupyter/kernels/warpcell` below any prefix, with the program in `bin`: Jupyter replaces
/// `{resource_dir}` by the entry's directory.
pub fn write_relocatable(directory: &Path) -> anyhow::Result<()> {
    write(directory, &format!("{RESOURCE_DIRECTORY}/../../../../bin/{}", env!("CARGO_BIN_NAME")))
}

fn write(directory: &Path, program: &str) -> anyhow::Result<()> {
    files::create_folder(directory)?;
    for (name, bytes) in LOGOS {
        files::replace_for_all(&directory.join(name), bytes)?;
    }
    let text = serde_json::to_string_pretty(&specification(program))? + "\n";
    files::replace_for_all(&directory.join(SPECIFICATION), text)
}

/// Removes the files that [`install`] has written, and the directory if nothing else is in it.
///
/// Returns whether there was an entry. An entry that starts another program is not removed.
pub fn uninstall(directory: &Path) -> anyhow::Result<bool> {
    let Some(found) = read(directory)? else { return Ok(false) };
    if !is_ours(&found) {
        bail!("{} belongs to another program; it was left as it is", directory.display());
    }
    // The specification goes first. Without it Jupyter does not see a kernel.
    for name in [SPECIFICATION].into_iter().chain(LOGOS.map(|(name, _)| name)) {
        directories::remove_file(&directory.join(name))?;
    }
    match std::fs::remove_dir(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::DirectoryNotEmpty => {
            Err(error).with_context(|| format!("cannot remove {}", directory.display()))
        }
        _ => Ok(true),
    }
}

/// An entry of this kernel that Jupyter would find.
pub struct Found {
    /// Its directory.
    pub directory: PathBuf,
    /// The program that it starts.
    pub program: PathBuf,
}

/// The first entry of this name, in the order in which Jupyter searches.
pub fn find() -> Option<Found> {
    search_path().into_iter().map(|data| data.join("kernels").join(NAME)).find_map(|directory| {
        let specification = read(&directory).ok()??;
        let program = specification["argv"][0].as_str()?;
        let program = program.replace(RESOURCE_DIRECTORY, directory.to_str().unwrap_or_default()).into();
        Some(Found { directory, program })
    })
}

/// Jupyter's data directories, without asking Jupyter.
pub fn search_path() -> Vec<PathBuf> {
    let mut path: Vec<PathBuf> = std::env::var_os("JUPYTER_PATH")
        .map(|path| std::env::split_paths(&path).filter(|part| !part.as_os_str().is_empty()).collect())
        .unwrap_or_default();
    path.extend(user_data_directory().ok());
    path.extend(sys_prefix().ok().map(|prefix| prefix.join("share/jupyter")));
    path.extend(["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from));
    path
}

/// Whether a data directory has an entry of this kernel.
pub fn is_in(data: &Path) -> bool {
    data.join("kernels").join(NAME).join(SPECIFICATION).is_file()
}

fn specification(program: &str) -> Value {
    json!({
        "argv": [program, "kernel", "--connection-file", "{connection_file}"],
        "display_name": "Rust GPU",
        "language": "rust",
        "interrupt_mode": "message",
        "metadata": { "debugger": false },
    })
}

fn read(directory: &Path) -> anyhow::Result<Option<Value>> {
    let path = directory.join(SPECIFICATION);
    match std::fs::read(&path) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", path.display()))?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn is_ours(specification: &Value) -> bool {
    let program = specification["argv"][0].as_str().map(Path::new);
    let names_us = program.and_then(Path::file_name).is_some_and(|name| name == env!("CARGO_BIN_NAME"));
    names_us && specification["argv"][1] == "kernel"
}

/// As `jupyter_core.paths.jupyter_data_dir` has it.
fn user_data_directory() -> anyhow::Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = variable("JUPYTER_DATA_DIR") {
        return Ok(directory);
    }
    if let Some(directory) = variable("XDG_DATA_HOME") {
        return Ok(directory.join("jupyter"));
    }
    let home = std::env::home_dir().context("the home directory is not known; give --prefix")?;
    Ok(home.join(".local/share/jupyter"))
}

/// The prefix of the Python that is active here.
fn sys_prefix() -> anyhow::Result<PathBuf> {
    for python in ["python3", "python"] {
        let Ok(output) = Command::new(python).args(["-c", "import sys; print(sys.prefix)"]).output() else { continue };
        if output.status.success() {
            return Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim_end_matches('\n')));
        }
    }
    bail!("no Python found, so its prefix is not known; give --prefix")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn installs_over_an_old_entry_and_removes_only_its_own_files() {
        let root = tempfile::tempdir().unwrap();
        let directory = SpecPlace::Prefix(root.path().join("préfixe avec espace")).directory().unwrap();
        let binary = Path::new("/opt/ma cellule é/{bin}/warpcell");
        install(&directory, Path::new("/old/warpcell")).unwrap();
        install(&directory, binary).unwrap();
        assert_eq!(names(&directory), ["kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"]);
        let found = read(&directory).unwrap().unwrap();
        let argv = json!([binary.to_str().unwrap(), "kernel", "--connection-file", "{connection_file}"]);
        assert_eq!(found["argv"], argv);
        assert_eq!(found["interrupt_mode"], "message");
        let mode = std::fs::metadata(directory.join("kernel.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);

        std::fs::write(directory.join("notes.txt"), "mine").unwrap();
        assert!(uninstall(&directory).unwrap());
        assert_eq!(names(&directory), ["notes.txt"]);
        assert!(!uninstall(&directory).unwrap());
    }

    #[test]
    fn removes_the_empty_directory() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("kernels/warpcell");
        install(&directory, Path::new("/usr/bin/warpcell")).unwrap();
        assert!(uninstall(&directory).unwrap());
        assert!(!directory.exists());
        assert!(root.path().join("kernels").exists());
    }

    #[test]
    fn leaves_the_entry_of_another_program() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("kernel.json"), r#"{"argv": ["python3", "-m", "other"]}"#).unwrap();
        let error = uninstall(root.path()).unwrap_err().to_string();
        assert!(error.contains("another program"), "{error}");
        assert_eq!(names(root.path()), ["kernel.json"]);
    }

    #[test]
    fn a_path_that_json_cannot_hold_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let binary = Path::new(std::ffi::OsStr::from_bytes(b"/opt/\xff/warpcell"));
        let root = tempfile::tempdir().unwrap();
        assert!(install(&root.path().join("warpcell"), binary).is_err());
        assert!(names(root.path()).is_empty());
    }

    #[test]
    fn an_entry_of_a_wheel_finds_the_program_of_its_prefix() {
        let root = tempfile::tempdir().unwrap();
        let directory = SpecPlace::Prefix(root.path().join("a prefix")).directory().unwrap();
        write_relocatable(&directory).unwrap();
        let specification = read(&directory).unwrap().unwrap();
        assert!(is_ours(&specification));
        let program = specification["argv"][0].as_str().unwrap();
        let program = PathBuf::from(program.replace(RESOURCE_DIRECTORY, directory.to_str().unwrap()));
        std::fs::create_dir(root.path().join("a prefix/bin")).unwrap();
        std::fs::write(root.path().join("a prefix/bin/warpcell"), "").unwrap();
        assert!(program.is_file(), "{}", program.display());
    }
}
