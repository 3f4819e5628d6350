//! Adds trees and texts to an archive.

use crate::installation::directories;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Adds the contents of a directory, as files below `name`.
pub fn append(
    archive: &mut tar::Builder<impl Write>,
    from: &Path,
    name: &str,
    is_left_out: &dyn Fn(&Path) -> bool,
) -> Result<()> {
    let mut entries: Vec<PathBuf> = directories::entries(from)?.into_iter().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries.into_iter().filter(|path| !is_left_out(path)) {
        let name = format!("{name}/{}", file_name(&path));
        if path.is_dir() {
            append(archive, &path, &name, is_left_out)?;
        } else {
            archive
                .append_path_with_name(&path, name)
                .with_context(|| format!("{} cannot be packed", path.display()))?;
        }
    }
    Ok(())
}

/// Adds a text as a file.
pub fn append_text(archive: &mut tar::Builder<impl Write>, name: &str, text: &str) -> Result<()> {
    append_bytes(archive, name, text, 0o644)
}

/// Adds a text as a file that can be run.
pub fn append_script(archive: &mut tar::Builder<impl Write>, name: &str, text: &str) -> Result<()> {
    append_bytes(archive, name, text, 0o755)
}

fn append_bytes(archive: &mut tar::Builder<impl Write>, name: &str, text: &str, mode: u32) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(mode);
    archive.append_data(&mut header, name, text.as_bytes()).with_context(|| format!("{name} cannot be packed"))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
