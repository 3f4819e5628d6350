//! A file that appears under its name when it is complete.

use super::{failed, refused};
use crate::error::Result;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a file shall be. It is written beside that place, under a name of its own, and renamed at the end: so a reader sees
/// the old file or the whole new one, and a failure leaves the old one.
pub(super) struct Target {
    operation: &'static str,
    path: PathBuf,
}

/// What is being written; removed when dropped, unless it was renamed.
struct Temporary(Option<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nothing better can be done about a file that cannot be removed either.
            let _ = fs::remove_file(path);
        }
    }
}

impl Target {
    /// The file of this name, with `extension` appended unless it has it.
    pub fn new(operation: &'static str, path: &Path, extension: &str) -> Result<Target> {
        let has_extension = path.extension().is_some_and(|own| own == extension);
        let mut name = path.as_os_str().to_owned();
        if !has_extension {
            name.push(".");
            name.push(extension);
        }
        Target::exactly(operation, Path::new(&name))
    }

    /// The file of exactly this name. Where it is a link, the file that it leads to.
    pub fn exactly(operation: &'static str, path: &Path) -> Result<Target> {
        let mut path = path.to_owned();
        if path.is_symlink()
            && let Ok(real) = path.canonicalize()
        {
            path = real;
        }
        if path.file_name().is_none() || path.is_dir() {
            return Err(failed(operation, &path, "is a folder; give the name of a file in it"));
        }
        if path.exists() && !path.is_file() {
            return Err(failed(operation, &path, "is a device or a pipe; give the name of a file"));
        }
        Ok(Target { operation, path })
    }

    /// Writes the file by `write`, which gets it empty.
    pub fn write(self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
        self.try_write(write).map_err(|error| match interrupted_or(error) {
            Ok(known) => known,
            Err(error) => refused(self.operation, &self.path, "written", &error),
        })
    }

    fn try_write(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let old = match OpenOptions::new().write(true).open(&self.path) {
            Ok(old) => Some(old.metadata()?.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            // Renaming would replace a file that is protected.
            Err(error) => return Err(error),
        };
        let (mut file, mut temporary) = self.create()?;
        write(&mut file)?;
        if let Some(permissions) = old {
            file.set_permissions(permissions)?;
        }
        drop(file);
        if let Some(path) = &temporary.0 {
            fs::rename(path, &self.path)?;
        }
        temporary.0 = None;
        Ok(())
    }

    /// A new file beside the one that shall be.
    fn create(&self) -> io::Result<(File, Temporary)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = self.path.parent().map_or_else(PathBuf::new, Path::to_owned);
        loop {
            // Short, whatever the file's own name: names have a limit.
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".warpcell-{}-{number}.part", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Temporary(Some(path)))),
                // What a process of the same number has left.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The library's own error, where it has travelled as one of input and output; else the error itself.
fn interrupted_or(error: io::Error) -> std::result::Result<crate::error::Error, io::Error> {
    error.downcast::<crate::error::Error>()
}
