//! Text files of numbers: NumPy's `loadtxt`, `genfromtxt` and `savetxt`.
//!
//! Where a delimiter separates the columns, the crate `csv` splits the lines, with quotes; where blanks do, the standard library.
//! Numbers are written in the formats of C's `printf`, as NumPy's are. (The crate `sprintf` rounds the last digits of floats wrong.)

mod columns;
mod numbers;
mod options;
mod read;
mod write;

use crate::array::transfer::{self, Owned};
use crate::array::{AnyArray, DeviceArray};
use crate::device;
use crate::dtype::Element;
use crate::error::Result;
use crate::fallible::fallible;
pub use columns::NamedColumns;
pub(crate) use columns::named;
use ndarray::{ArrayD, IxDyn};
pub use numbers::fromstring;
pub(crate) use numbers::{numbers, numbers_of};
pub use options::{ReadText, WriteText};
use read::read;
use std::path::Path;
use write::write;

fallible! {
    /// Reads a text file of numbers in columns to the current device; NumPy's `loadtxt`.
    ///
    /// Columns are separated by blanks; for a comma or another separator see [`loadtxt_with`]. What follows a `#` is a
    /// comment. The array has the shape (rows, columns); one row or one column makes it 1-D, and a single number 0-D, as
    /// in NumPy.
    ///
    /// **Panics** if the file cannot be read, if a field is not a number of type `T`, or if rows have different numbers
    /// of columns ([`Error::File`](crate::Error::File), with the line and the column).
    ///
    /// ```
    /// use warpcell as gpu;
    /// # let folder = std::env::temp_dir().join(format!("warpcell-loadtxt-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("heights.txt");
    /// std::fs::write(&path, "0.0 1.5\n0.5 2.5 # measured twice\n").unwrap(); // such as "heights.txt"
    /// let heights = gpu::loadtxt::<f64>(&path);
    /// assert_eq!(heights.shape(), [2, 2]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn loadtxt, try_loadtxt<T: Element>(path: impl AsRef<Path>) -> Result<DeviceArray<T>> {
        on_device("loadtxt", path.as_ref(), &ReadText::new(), false)
    }

    /// As [`loadtxt`], with the options of [`ReadText`].
    ///
    /// **Panics** as that does, for a delimiter that is not one character, and for a column that a row does not have.
    ///
    /// ```
    /// use warpcell::{self as gpu, ReadText};
    /// # let folder = std::env::temp_dir().join(format!("warpcell-loadtxt-with-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("heights.csv");
    /// std::fs::write(&path, "time,height\n0,1.5\n1,2.5\n").unwrap(); // such as "heights.csv"
    /// let heights = gpu::loadtxt_with::<f32>(&path, &ReadText::new().delimiter(",").skiprows(1).usecols(&[1]));
    /// assert_eq!(heights.tolist(), [1.5, 2.5]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn loadtxt_with, try_loadtxt_with<T: Element>(path: impl AsRef<Path>, options: &ReadText) -> Result<DeviceArray<T>> {
        on_device("loadtxt", path.as_ref(), options, false)
    }

    /// As [`loadtxt`], for files in which values are missing; NumPy's `genfromtxt`.
    ///
    /// A field that is empty or no number becomes NaN in an array of floats, -1 in one of integers (0 if
    /// they have no sign), and `false`.
    ///
    /// **Panics** if the file cannot be read, or if rows have different numbers of columns ([`Error::File`](crate::Error::File)).
    ///
    /// ```no_run
    /// let a = warpcell::genfromtxt::<f64>("measured.txt");
    /// ```
    pub fn genfromtxt, try_genfromtxt<T: Element>(path: impl AsRef<Path>) -> Result<DeviceArray<T>> {
        on_device("genfromtxt", path.as_ref(), &ReadText::new(), true)
    }

    /// As [`genfromtxt`], with the options of [`ReadText`].
    ///
    /// **Panics** as [`loadtxt_with`] does, but not for fields that are not numbers.
    ///
    /// ```
    /// use warpcell::{self as gpu, ReadText};
    /// # let folder = std::env::temp_dir().join(format!("warpcell-genfromtxt-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("gaps.csv");
    /// std::fs::write(&path, "1,,3\n4,n/a,6\n").unwrap(); // such as "gaps.csv"
    /// let gaps = gpu::genfromtxt_with::<f64>(&path, &ReadText::new().delimiter(",").filling_values(0.0));
    /// assert_eq!(gaps.ravel().tolist(), [1.0, 0.0, 3.0, 4.0, 0.0, 6.0]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn genfromtxt_with, try_genfromtxt_with<T: Element>(
        path: impl AsRef<Path>,
        options: &ReadText,
    ) -> Result<DeviceArray<T>> {
        on_device("genfromtxt", path.as_ref(), options, true)
    }

    /// Writes an array with one or two axes, on the device or on the host, to a text file; NumPy's `savetxt`.
    ///
    /// A row of the array is a line; a 1-D array is one column. The file appears under its name when it is complete.
    ///
    /// **Panics** if the file cannot be written ([`Error::File`](crate::Error::File)), and for an array with another number of axes
    /// ([`Error::InvalidShape`](crate::Error::InvalidShape)).
    ///
    /// ```no_run
    /// use warpcell as gpu;
    /// gpu::savetxt("squares.txt", &gpu::arange(5.0).square());
    /// ```
    pub fn savetxt, try_savetxt<A: ?Sized + AnyArray>(path: impl AsRef<Path>, array: &A) -> Result<()> {
        write(path.as_ref(), &array.any_view(), &WriteText::new())
    }

    /// As [`savetxt`], with the options of [`WriteText`].
    ///
    /// **Panics** as that does, and for a format that does not fit ([`Error::File`](crate::Error::File)).
    ///
    /// ```
    /// use warpcell::{self as gpu, WriteText};
    /// # let folder = std::env::temp_dir().join(format!("warpcell-savetxt-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("table.csv");
    /// let table = gpu::array(&[[0.0, 1.5], [1.0, 2.5]]);
    /// let options = WriteText::new().fmt("%.2f").delimiter(",").header("time,height").comments("");
    /// gpu::savetxt_with(&path, &table, &options); // such as "table.csv"
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "time,height\n0.00,1.50\n1.00,2.50\n");
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn savetxt_with, try_savetxt_with<A: ?Sized + AnyArray>(
        path: impl AsRef<Path>,
        array: &A,
        options: &WriteText,
    ) -> Result<()> {
        write(path.as_ref(), &array.any_view(), options)
    }
}

/// The host's side: `gpu::host::loadtxt` and so on.
pub(crate) mod host {
    use super::{ArrayD, Element, IxDyn, Path, ReadText, Result, fallible, read};

    fallible! {
        /// Reads a text file of numbers to a host array, as [`gpu::loadtxt`](fn@crate::loadtxt) does to the device.
        ///
        /// **Panics** as that does.
        ///
        /// ```no_run
        /// let a = warpcell::host::loadtxt::<f64>("measured.txt");
        /// ```
        pub fn loadtxt, try_loadtxt<T: Element>(path: impl AsRef<Path>) -> Result<ArrayD<T>> {
            on_host("host::loadtxt", path.as_ref(), &ReadText::new(), false)
        }

        /// As [`loadtxt`], with the options of [`ReadText`].
        ///
        /// **Panics** as [`gpu::loadtxt_with`](crate::loadtxt_with) does.
        pub fn loadtxt_with, try_loadtxt_with<T: Element>(path: impl AsRef<Path>, options: &ReadText) -> Result<ArrayD<T>> {
            on_host("host::loadtxt", path.as_ref(), options, false)
        }

        /// As [`gpu::genfromtxt_with`](crate::genfromtxt_with), to a host array.
        ///
        /// **Panics** as that does.
        pub fn genfromtxt_with, try_genfromtxt_with<T: Element>(
            path: impl AsRef<Path>,
            options: &ReadText,
        ) -> Result<ArrayD<T>> {
            on_host("host::genfromtxt", path.as_ref(), options, true)
        }
    }

    fn on_host<T: Element>(
        operation: &'static str,
        path: &Path,
        options: &ReadText,
        may_lack: bool,
    ) -> Result<ArrayD<T>> {
        let (values, shape) = read(operation, path, options, may_lack)?;
        Ok(ArrayD::from_shape_vec(IxDyn(&shape), values).expect("as many values as the shape has"))
    }
}

fn on_device<T: Element>(
    operation: &'static str,
    path: &Path,
    options: &ReadText,
    may_lack: bool,
) -> Result<DeviceArray<T>> {
    let (values, shape) = read::<T>(operation, path, options, may_lack)?;
    transfer::take_over(operation, Owned::vector(values, &shape), &device::current()?).map(DeviceArray::from_raw)
}
