//! Notebooks as files, and what is made of them.

pub mod page;
pub mod tables;

use crate::files;
use anyhow::{Context, Result, bail};
use nbformat::Notebook as Parsed;
use nbformat::v4::{Cell, Notebook};
use std::path::Path;

/// Reads a notebook of any version from 3 on. Older ones come as 4.5, in which cells have identifiers.
pub fn read(path: &Path) -> Result<Notebook> {
    parse(&files::read(path)?).with_context(|| format!("{} is not a notebook that can be read", path.display()))
}

fn parse(text: &str) -> Result<Notebook> {
    Ok(match nbformat::parse_notebook(text)? {
        Parsed::V4(notebook) => notebook,
        Parsed::V4QuirksMode(quirks) => quirks.repair(),
        Parsed::Legacy(old) => nbformat::upgrade_legacy_notebook(old)?,
        Parsed::V3(old) => nbformat::upgrade_v3_notebook(old)?,
        _ => bail!("its version is not known"),
    })
}

/// A cell's text.
pub fn source(cell: &Cell) -> String {
    cell.source().concat()
}

/// Whether a cell has a tag, such as `raises-exception`.
pub fn has_tag(cell: &Cell, tag: &str) -> bool {
    cell.metadata().tags.iter().flatten().any(|one| one == tag)
}
