//! The columns of a text file under the names that stand in its first line.

use super::ReadText;
use super::read::names_of;
use crate::array::{DeviceArray, RawArray};
use crate::backend::Layout;
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use std::fmt;
use std::ops::Index;
use std::path::Path;

/// Columns with names: what `gpu::genfromtxt!("table.csv", delimiter = ",", names = true)` gives. `table["height"]` is a 1-D array.
///
/// ```
/// use warpcell as gpu;
/// # let path = std::env::temp_dir().join(format!("warpcell-columns-{}.csv", std::process::id()));
/// std::fs::write(&path, "time,height\n0,1.5\n1,2.5\n").unwrap(); // such as "heights.csv"
/// let table = gpu::genfromtxt!(&path, delimiter = ",", names = true);
/// assert_eq!(table.names(), ["time", "height"]);
/// assert_eq!(table["height"].mean(), 2.0);
/// # std::fs::remove_file(&path).unwrap();
/// ```
#[derive(Clone)]
pub struct NamedColumns<T: Element> {
    names: Vec<String>,
    columns: Vec<DeviceArray<T>>,
}

impl<T: Element> NamedColumns<T> {
    /// The names, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column of this name; the same as `table[name]`.
    ///
    /// **Panics** if there is none ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn get(&self, name: &str) -> &DeviceArray<T> {
        let place = self.names.iter().position(|known| known == name).ok_or_else(|| {
            let names: Vec<String> = self.names.iter().map(|name| format!("\"{name}\"")).collect();
            Error::argument(
                "genfromtxt",
                format!("there is no column \"{name}\"; the columns are {}", names.join(", ")),
            )
        });
        &self.columns[check(place)]
    }

    /// The names with their columns.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &DeviceArray<T>)> {
        self.names.iter().map(String::as_str).zip(&self.columns)
    }
}

/// `table["height"]`.
impl<T: Element> Index<&str> for NamedColumns<T> {
    type Output = DeviceArray<T>;

    #[track_caller]
    fn index(&self, name: &str) -> &DeviceArray<T> {
        self.get(name)
    }
}

/// The names and the columns.
impl<T: Element> fmt::Debug for NamedColumns<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The columns of a file: their names are given, or stand in the first line that is not skipped.
pub(crate) fn named<T: Element>(path: &Path, options: &ReadText, names: &[&str]) -> Result<NamedColumns<T>> {
    const NAME: &str = "genfromtxt";
    let mut options = options.clone().ndmin(2);
    let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    if names.is_empty() {
        names = names_of(NAME, path, &options)?;
        options.skiprows += 1;
    }
    let table = super::on_device::<T>(NAME, path, &options, true)?;
    // A file without rows says nothing about its columns.
    let columns = if table.shape()[0] == 0 { names.len() } else { table.shape()[1] };
    if names.len() != columns {
        let (count, listed) = (names.len(), names.join(", "));
        let reason = format!("has {columns} columns; give a name for each of them, not {count} ({listed})");
        return Err(crate::files::failed(NAME, path, reason));
    }
    let column = |at: usize| -> RawArray {
        let Layout { shape, strides, offset } = table.raw.layout.clone();
        let offset = if shape[0] == 0 { offset } else { offset + at * strides[1] as usize };
        table.raw.with_layout(Layout { shape: vec![shape[0]], strides: vec![strides[0]], offset })
    };
    let columns = (0..columns).map(|at| DeviceArray::from_raw(column(at))).collect();
    Ok(NamedColumns { names, columns })
}
