//! Arrays in files: NumPy's `.npy` and `.npz`, text, and pictures.
//!
//! [`npy`] is one array: its header and its bytes. [`npz`] is an archive of them, [`picture`] what the crate `image` reads and
//! writes, [`raw`] elements without a header, [`text`] numbers in lines and columns, [`target`] a file that appears under its name
//! when it is complete.
//!
//! What comes from a file is not trusted: sizes are compared with the file's length, and with the memory that there is, before
//! anything is allocated.

pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod picture;
pub(crate) mod raw;
mod target;
pub(crate) mod text;

use crate::array::sides::AnyView;
use crate::array::transfer::{self, Owned};
use crate::array::{AnyArray, DeviceArray, OnHost, RawArray, byte_count, slice_axis};
use crate::backend::Layout;
use crate::device::{self, Device};
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::host::memory;
use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use npy::{Header, Opened};
use std::io;
use std::ops::Range;
use std::path::Path;
use target::Target;

fallible! {
    /// Writes an array, on the device or on the host, to a `.npy` file, which NumPy's `load` and [`load`] read; NumPy's
    /// `save`.
    ///
    /// As in NumPy, `.npy` is appended to a name that does not end so. The file appears under its name when it is
    /// complete: until then, and if writing fails, what was there before stays. An array whose columns follow one
    /// another in memory (Fortran's order) is written as it lies, and read so.
    ///
    /// **Panics** if the file cannot be written ([`Error::File`]), and for arrays of `bf16`, which NumPy has not
    /// ([`Error::UnsupportedDType`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// # let folder = std::env::temp_dir().join(format!("warpcell-save-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("squares.npy");
    /// let squares = gpu::arange(5).square();
    /// gpu::save(&path, &squares); // such as "squares.npy"
    /// let again = gpu::load::<i32>(&path);
    /// assert_eq!(again.to_host(), squares.to_host());
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn save, try_save<A: ?Sized + AnyArray>(path: impl AsRef<Path>, array: &A) -> Result<()> {
        save_view("save", path.as_ref(), &array.any_view())
    }

    /// Reads a `.npy` file, as NumPy writes it, to the current device; NumPy's `load`.
    ///
    /// `T` must be the type of the file's elements: another one is an error that names it, and [`DeviceArray::astype`]
    /// converts. Bytes in the other order (big-endian) are turned around. An array in Fortran's order stays so: it has
    /// the strides that it has in NumPy.
    ///
    /// **Panics** if the file cannot be read, is none of these, is shorter than its header says, or holds Python's
    /// objects, text or records ([`Error::File`]); if it has elements of another type ([`Error::FileDType`]); or if
    /// there is not enough memory.
    ///
    /// ```no_run
    /// let a = warpcell::load::<f32>("measured.npy");
    /// println!("{:?}", a.shape());
    /// ```
    pub fn load, try_load<T: Element>(path: impl AsRef<Path>) -> Result<DeviceArray<T>> {
        let opened = Opened::new("load", path.as_ref(), T::DTYPE)?;
        on_device("load", &opened.header, |target| opened.read(target))
    }
}

/// Some rows of a `.npy` file on the current device: those that `choose` names, given how many there are. Others are not read, unless columns
/// follow one another in the file.
pub(crate) fn load_rows<T: Element>(
    operation: &'static str,
    path: &Path,
    choose: impl FnOnce(usize) -> Range<usize>,
) -> Result<DeviceArray<T>> {
    let mut opened = Opened::new(operation, path, T::DTYPE)?;
    let Some(&length) = opened.header.shape.first() else {
        return Err(failed(operation, path, "holds one number, which has no axis to split; read it with `gpu::load`"));
    };
    let rows = choose(length);
    if opened.header.is_fortran {
        let whole: DeviceArray<T> = on_device(operation, &opened.header, |target| opened.read(target))?;
        return slice_axis(&whole.raw, 0, rows.start, 1, rows.len()).copied(operation).map(DeviceArray::from_raw);
    }
    let row = opened.header.shape[1..].iter().product::<usize>() * T::DTYPE.size();
    opened.header.shape[0] = rows.len();
    opened.header.bytes = rows.len() * row;
    opened.header.length += rows.start * row;
    on_device(operation, &opened.header, |target| opened.read(target))
}

/// The host's side: `gpu::host::save` and so on.
pub(crate) mod host {
    use super::{AnyView, ArrayD, Element, OnHost, Opened, Path, check, fallible, npy, on_host, save_view, values};
    use crate::array::sides::sealed::Host;

    fallible! {
        /// Writes a host array to a `.npy` file, as [`gpu::save`](crate::save) does.
        ///
        /// **Panics** as that does.
        ///
        /// ```
        /// use warpcell::host;
        /// # let folder = std::env::temp_dir().join(format!("warpcell-host-save-{}", std::process::id()));
        /// # std::fs::create_dir_all(&folder).unwrap();
        /// # let path = folder.join("a.npy");
        /// let a = ndarray::array![[1.5, 2.5], [3.5, 4.5]];
        /// host::save(&path, &a); // such as "a.npy"
        /// assert_eq!(host::load::<f64>(&path), a.into_dyn());
        /// # std::fs::remove_dir_all(&folder).unwrap();
        /// ```
        pub fn save, try_save<A: ?Sized + OnHost>(path: impl AsRef<Path>, array: &A) -> Result<()> {
            save_view("host::save", path.as_ref(), &AnyView::Host(Host::host_view(array)))
        }

        /// Reads a `.npy` file to a host array, as [`gpu::load`](crate::load) does to the device.
        ///
        /// **Panics** as that does.
        ///
        /// ```no_run
        /// use warpcell::prelude::*;
        /// let image: Array2<f64> = warpcell::host::load("image.npy").into_dimensionality().unwrap();
        /// ```
        pub fn load, try_load<T: Element>(path: impl AsRef<Path>) -> Result<ArrayD<T>> {
            let opened = Opened::new("host::load", path.as_ref(), T::DTYPE)?;
            let values = values("host::load", &opened.header, |target| opened.read(target))?;
            Ok(on_host(values, &opened.header))
        }
    }

    /// The shape and the element type of a `.npy` file, from its header alone.
    ///
    /// **Panics** if the file cannot be read or is none of these ([`Error::File`](crate::Error::File)).
    ///
    /// ```no_run
    /// let (shape, dtype) = warpcell::host::describe("measured.npy");
    /// println!("{shape:?} of {dtype}");
    /// ```
    #[track_caller]
    pub fn describe(path: impl AsRef<Path>) -> (Vec<usize>, crate::DType) {
        let described = npy::describe("host::describe", path.as_ref());
        check(described.map(|header| (header.shape, header.dtype)))
    }
}

/// The error for a file.
fn failed(operation: &'static str, path: &Path, reason: impl Into<String>) -> Error {
    Error::File { operation, path: path.display().to_string(), reason: reason.into() }
}

/// The error for a file that the system refuses: what it says, and what may help.
fn refused(operation: &'static str, path: &Path, wish: &str, error: &io::Error) -> Error {
    let folder = std::env::current_dir().map_or_else(|_| "?".to_owned(), |folder| folder.display().to_string());
    let help = match error.kind() {
        io::ErrorKind::NotFound if path.is_relative() => format!("; relative paths start at {folder}"),
        io::ErrorKind::NotFound => "; check the name, and that the folder exists".to_owned(),
        io::ErrorKind::StorageFull => "; free some space, or write to another place".to_owned(),
        _ => String::new(),
    };
    failed(operation, path, format!("cannot be {wish}: {error}{help}"))
}

/// The error for an archive's or a reader's own message.
fn broken(operation: &'static str, path: &Path, error: &dyn std::fmt::Display) -> Error {
    let reason = format!("cannot be read: {error}; the file may be damaged or incomplete; write it again");
    failed(operation, path, reason)
}

fn save_view(operation: &'static str, path: &Path, array: &AnyView<'_>) -> Result<()> {
    let (shape, dtype, order) = npy::described(array);
    let header = npy::header_bytes(operation, shape, dtype, order)?;
    Target::new(operation, path, "npy")?.write(|file| {
        io::Write::write_all(file, &header)?;
        npy::write_elements(operation, array, order, file)
    })
}

/// A vector with the elements that a header promises, filled by `read`, which gets their bytes in the file's order.
fn values<T: Element>(
    operation: &'static str,
    header: &Header,
    read: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<Vec<T>> {
    let count = byte_count(operation, &header.shape, T::DTYPE)? / size_of::<T>();
    if count == 0 {
        read(&mut [])?;
        return Ok(Vec::new());
    }
    let layout = std::alloc::Layout::array::<T>(count).expect("`byte_count` has checked the size");
    memory::room_for(layout.size())?;
    // SAFETY: the size is not zero.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    if start.is_null() {
        memory::room_for(usize::MAX)?;
    }
    memory::prefer_large_pages(start, layout.size());
    // SAFETY: allocated as a vector allocates; all bits zero are a value of every element type.
    let mut values = unsafe { Vec::from_raw_parts(start.cast::<T>(), count, count) };
    // SAFETY: the vector's bytes, which nothing else looks at; `finish` makes values of `T` of what is written to them, and
    // after a failure they are freed unread.
    let bytes = unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), layout.size()) };
    read(bytes)?;
    npy::finish(bytes, header);
    Ok(values)
}

/// An array on the current device with the elements that a header promises; `read` as for [`values`]. Where the host can write to the
/// device's memory it reads straight into it: blocks of it are kept and aligned, those of vectors are not.
fn on_device<T: Element>(
    operation: &'static str,
    header: &Header,
    read: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<DeviceArray<T>> {
    let mut shape = header.shape.clone();
    if header.is_fortran {
        shape.reverse();
    }
    let handle = device::current()?;
    let mut raw = if handle.device == Device::Cpu {
        let mut raw = RawArray::uninitialised(operation, &handle, &shape, T::DTYPE)?;
        let bytes = handle.backend.host_bytes(&mut raw.allocation).expect("new memory of the host");
        read(bytes)?;
        npy::finish(bytes, header);
        raw
    } else {
        transfer::take_over(operation, Owned::vector(values::<T>(operation, header, read)?, &shape), &handle)?
    };
    if header.is_fortran {
        raw.layout.shape.reverse();
        raw.layout.strides.reverse();
    }
    Ok(DeviceArray::from_raw(raw))
}

/// A file's elements as a host array.
fn on_host<T: Element>(values: Vec<T>, header: &Header) -> ArrayD<T> {
    let shape = IxDyn(&header.shape).set_f(header.is_fortran);
    ArrayD::from_shape_vec(shape, values).expect("as many elements as the header says")
}

/// Whether elements follow one another in memory, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    RowMajor,
    ColumnMajor,
    /// They do not: they are copied before they are written.
    Strided,
}

impl Order {
    fn of(layout: &Layout) -> Order {
        if layout.is_contiguous() {
            Order::RowMajor
        } else if transfer::reversed(layout).is_contiguous() {
            Order::ColumnMajor
        } else {
            Order::Strided
        }
    }
}
