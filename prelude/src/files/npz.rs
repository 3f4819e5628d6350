//! `.npz`: several arrays in one file, a ZIP archive of `.npy` files.

use super::npy::{self, Header};
use super::target::Target;
use super::{broken, failed, on_device, on_host, values};
use crate::array::DeviceArray;
use crate::array::sides::sealed::Any;
use crate::array::sides::{AnyArray, AnyView};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use ndarray::ArrayD;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// An array of any element type, on the device or on the host: for arguments that take arrays of several types at once. Not
/// an extension point.
#[diagnostic::on_unimplemented(
    message = "this function needs arrays, but `{Self}` is not one",
    label = "neither a host array nor a device array",
    note = "arrays are `gpu::DeviceArray`, `ndarray` arrays of element types, and `Vec`s"
)]
pub trait MixedArray: Any {}
impl<A: AnyArray> MixedArray for A {}

fallible! {
    /// Writes several arrays, on the device or on the host and of any element types, with their names to one `.npz`
    /// file, which NumPy's `load` and [`load_npz`] read; NumPy's `savez`.
    ///
    /// The file appears under its name when it is complete, and `.npz` is appended to a name that does not end so.
    ///
    /// **Panics** if the file cannot be written, if two arrays have one name or a name is empty ([`Error::File`]), and
    /// for arrays of `bf16`, which NumPy has not ([`Error::UnsupportedDType`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// # let folder = std::env::temp_dir().join(format!("warpcell-savez-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("run.npz");
    /// let (steps, losses) = (gpu::arange(3), gpu::array(&[0.5f32, 0.25, 0.125]));
    /// gpu::savez(&path, [("steps", &steps), ("losses", &losses)]); // such as "run.npz"
    /// let run = gpu::load_npz(&path);
    /// assert_eq!(run.names(), ["steps", "losses"]);
    /// assert_eq!(run.get::<f32>("losses").to_host(), losses.to_host());
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn savez, try_savez<const N: usize>(
        path: impl AsRef<Path>,
        arrays: [(&str, &dyn MixedArray); N],
    ) -> Result<()> {
        write("savez", path.as_ref(), &arrays, false)
    }

    /// As [`savez`], but compressed: smaller where values repeat, and much slower to write; NumPy's `savez_compressed`.
    ///
    /// **Panics** as [`savez`] does.
    pub fn savez_compressed, try_savez_compressed<const N: usize>(
        path: impl AsRef<Path>,
        arrays: [(&str, &dyn MixedArray); N],
    ) -> Result<()> {
        write("savez_compressed", path.as_ref(), &arrays, true)
    }

    /// Opens a `.npz` file, as NumPy's `savez` and [`savez`] write it: reads what arrays are in it, and each of them
    /// when it is asked for. NumPy's `load`.
    ///
    /// **Panics** if the file cannot be read or is not such an archive ([`Error::File`]).
    ///
    /// ```no_run
    /// let run = warpcell::load_npz("run.npz");
    /// println!("{run}"); // names, types and shapes
    /// let losses = run.get::<f32>("losses");
    /// ```
    pub fn load_npz, try_load_npz(path: impl AsRef<Path>) -> Result<Npz> {
        Npz::open(path.as_ref())
    }
}

fn write(operation: &'static str, path: &Path, arrays: &[(&str, &dyn MixedArray)], is_compressed: bool) -> Result<()> {
    let views: Vec<(&str, AnyView<'_>)> = arrays.iter().map(|(name, array)| (*name, array.any_view())).collect();
    for (index, (name, _)) in views.iter().enumerate() {
        let problem = match () {
            () if name.is_empty() => "is empty",
            () if name.contains('\0') => "holds a zero byte",
            () if views[..index].iter().any(|(other, _)| other == name) => "is used twice",
            () => continue,
        };
        let reason = format!("cannot be written: the name {name:?} {problem}; give each array its own name");
        return Err(failed(operation, path, reason));
    }
    // What NumPy cannot read fails before anything is written.
    let described = views.iter().map(|(name, view)| {
        let (shape, dtype, order) = npy::described(view);
        Ok((*name, view, order, npy::header_bytes(operation, shape, dtype, order)?))
    });
    let described = described.collect::<Result<Vec<_>>>()?;
    let method = if is_compressed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    Target::new(operation, path, "npz")?.write(|file| {
        let mut archive = ZipWriter::new(BufWriter::new(file));
        for (name, view, order, header) in &described {
            let (shape, dtype, _) = npy::described(view);
            let bytes = header.len() + shape.iter().product::<usize>() * dtype.size();
            // Larger ones need the longer form of sizes, which is written before the size is known if they are compressed.
            let is_large = bytes >= (u32::MAX - (1 << 20)) as usize;
            let options = SimpleFileOptions::default().compression_method(method).large_file(is_large);
            archive.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
            archive.write_all(header)?;
            npy::write_elements(operation, view, *order, &mut archive)?;
        }
        archive.finish().map_err(io::Error::other)?.flush()
    })
}

/// An opened `.npz` file: the arrays that [`load_npz`] found in it.
///
/// It shows itself as a table of names, types and shapes.
pub struct Npz {
    path: PathBuf,
    archive: Mutex<ZipArchive<BufReader<File>>>,
    entries: Vec<Entry>,
}

/// An array of an archive. What cannot be read as an array is an error when it is asked for, not before.
struct Entry {
    name: String,
    index: usize,
    header: Result<Header>,
}

/// Deflate makes at most so many bytes of one.
const HIGHEST_RATIO: u64 = 1032;

impl Npz {
    fn open(path: &Path) -> Result<Npz> {
        const OPERATION: &str = "load_npz";
        let (file, length) = npy::open_file(OPERATION, path, "npz")?;
        let mut start = [0; 6];
        let read = (&file).read(&mut start).and_then(|_| (&file).rewind());
        read.map_err(|error| broken(OPERATION, path, &error))?;
        if &start == b"\x93NUMPY" {
            return Err(failed(OPERATION, path, "is a .npy file, which holds one array; read it with `load`"));
        }
        if !start.starts_with(b"PK") {
            return Err(failed(OPERATION, path, "is not a .npz file: it does not begin like a ZIP archive"));
        }
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| zip_error(OPERATION, path, &error))?;
        let mut entries = Vec::new();
        for index in 0..archive.len() {
            let Some(Ok(name)) = archive.name_for_index(index).map(|name| name.map(|name| name.into_owned())) else {
                continue;
            };
            let Some(name) = name.strip_suffix(".npy") else { continue };
            let full = member_path(path, name);
            let header = match archive.by_index(index) {
                Ok(mut member) => {
                    let most = match member.compression() {
                        CompressionMethod::Stored => member.compressed_size(),
                        _ => member.compressed_size().saturating_mul(HIGHEST_RATIO),
                    };
                    let size = member.size();
                    if member.compressed_size() > length || size > most {
                        Err(failed("get", &full, "claims more bytes than the archive has; the file is damaged"))
                    } else {
                        npy::read_header("get", &full, &mut member, size)
                    }
                }
                Err(error) => Err(zip_error("get", &full, &error)),
            };
            entries.push(Entry { name: name.to_owned(), index, header });
        }
        Ok(Npz { path: path.to_owned(), archive: Mutex::new(archive), entries })
    }

    /// The names of the arrays, in the file's order.
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    /// The number of arrays.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no array.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// The element type of an array.
    ///
    /// **Panics** if there is none of this name, or it is none that can be read ([`Error::File`]).
    #[track_caller]
    pub fn dtype(&self, name: &str) -> DType {
        check(self.header("dtype", name)).1.dtype
    }

    /// The length of each axis of an array.
    ///
    /// **Panics** if there is none of this name, or it is none that can be read ([`Error::File`]).
    #[track_caller]
    pub fn shape(&self, name: &str) -> &[usize] {
        &check(self.header("shape", name)).1.shape
    }

    fallible! {
        /// Reads an array to the current device.
        ///
        /// **Panics** if there is none of this name, it cannot be read or is damaged ([`Error::File`]), or it has
        /// elements of another type ([`Error::FileDType`]).
        pub fn get, try_get<T: Element>(&self, name: &str) -> Result<DeviceArray<T>> {
            let (index, header) = self.wanted("get", name, T::DTYPE)?;
            on_device("get", header, |target| self.read("get", name, index, header, target))
        }

        /// Reads an array to the host.
        ///
        /// **Panics** as [`get`](Self::get) does.
        pub fn get_host, try_get_host<T: Element>(&self, name: &str) -> Result<ArrayD<T>> {
            let (index, header) = self.wanted("get_host", name, T::DTYPE)?;
            let values = values("get_host", header, |target| self.read("get_host", name, index, header, target))?;
            Ok(on_host(values, header))
        }
    }

    /// Where an array is in the archive, and its header.
    fn header(&self, operation: &'static str, name: &str) -> Result<(usize, &Header)> {
        // Of several of one name the last is taken, as in Python.
        match self.entries.iter().rev().find(|entry| entry.name == name) {
            Some(Entry { index, header: Ok(header), .. }) => Ok((*index, header)),
            Some(Entry { header: Err(error), .. }) => Err(error.clone()),
            None => {
                let names = self.names().join("`, `");
                let names = if names.is_empty() { "none".to_owned() } else { format!("`{names}`") };
                Err(failed(operation, &self.path, format!("has no array `{name}`; there are {names}")))
            }
        }
    }

    fn wanted(&self, operation: &'static str, name: &str, wanted: DType) -> Result<(usize, &Header)> {
        let (index, header) = self.header(operation, name)?;
        if header.dtype == wanted {
            return Ok((index, header));
        }
        let path = member_path(&self.path, name).display().to_string();
        Err(Error::FileDType { operation, path, found: header.dtype, wanted })
    }

    /// Reads the bytes of an array's elements, to their end, so that the archive's checksum is compared.
    fn read(
        &self,
        operation: &'static str,
        name: &str,
        index: usize,
        header: &Header,
        target: &mut [u8],
    ) -> Result<()> {
        let path = member_path(&self.path, name);
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let mut member = archive.by_index(index).map_err(|error| zip_error(operation, &path, &error))?;
        let mut read = || -> io::Result<()> {
            io::copy(&mut member.by_ref().take(header.length as u64), &mut io::sink())?;
            for piece in target.chunks_mut(npy::PIECE) {
                member.read_exact(piece)?;
                npy::interruptible()?;
            }
            io::copy(&mut member, &mut io::sink())?;
            Ok(())
        };
        read().map_err(|error| error.downcast::<Error>().unwrap_or_else(|error| broken(operation, &path, &error)))
    }
}

fn zip_error(operation: &'static str, path: &Path, error: &ZipError) -> Error {
    match error {
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) | ZipError::InvalidPassword => {
            let reason = format!("cannot be read: {error}; write it with NumPy's `savez` or `savez_compressed`");
            failed(operation, path, reason)
        }
        other => broken(operation, path, other),
    }
}

/// What an array of an archive is called in messages.
fn member_path(path: &Path, name: &str) -> PathBuf {
    path.join(name)
}

impl fmt::Debug for Npz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Npz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.entries.len();
        write!(f, "{}: {count} array{}", self.path.display(), if count == 1 { "" } else { "s" })?;
        let width = self.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
        for Entry { name, header, .. } in &self.entries {
            match header {
                Ok(header) => write!(f, "\n{name:width$}  {:4} {:?}", header.dtype.name(), header.shape)?,
                Err(error) => write!(f, "\n{name:width$}  {error}")?,
            }
        }
        Ok(())
    }
}
