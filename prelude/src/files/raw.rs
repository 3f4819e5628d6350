//! Files that have the elements of an array and nothing else: NumPy's `fromfile` and `tofile`.

use super::npy::{self, Opened};
use super::target::Target;
use super::text::numbers_of;
use super::{Order, failed, on_device, refused};
use crate::array::DeviceArray;
use crate::array::sides::AnyView;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use std::path::Path;

fallible! {
    /// Reads a file that has elements and nothing else, as [`tofile`](DeviceArray::tofile) and NumPy's `tofile` write them, to the
    /// current device; NumPy's `fromfile`.
    ///
    /// The result is 1-D. The file does not say what the elements are: `T` must be the type that was written, in the order of bytes
    /// of this machine. Bytes behind the last whole element are left out. `gpu::fromfile!(path, dtype = f32, count = 9, offset = 8)`
    /// reads at most so many elements, from a byte on; with a separator, `sep = ","`, it reads numbers as text. `.npy` files say
    /// what is in them: see [`load`](fn@crate::load).
    ///
    /// **Panics** if the file cannot be read, or is shorter than the offset ([`Error::File`]), or if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// # let folder = std::env::temp_dir().join(format!("warpcell-fromfile-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("samples.bin");
    /// gpu::array(&[1.5f32, -2.0]).tofile(&path); // such as "samples.bin"
    /// assert_eq!(gpu::fromfile::<f32>(&path).tolist(), [1.5, -2.0]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn fromfile, try_fromfile<T: Element>(file: impl AsRef<Path>) -> Result<DeviceArray<T>> {
        of_file(file.as_ref(), -1, "", 0)
    }
}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// Writes the elements in row-major order to a file, and nothing else; NumPy's `tofile`. [`fromfile`](fn@crate::fromfile) and
        /// NumPy's `fromfile` read it. Neither shape nor type is in the file: [`save`](fn@crate::save) writes them too, and
        /// [`savetxt`](fn@crate::savetxt) writes text.
        ///
        /// The file appears under its name when it is complete. Waits for queued work.
        ///
        /// **Panics** if the file cannot be written ([`Error::File`]).
        ///
        /// ```
        /// # let path = std::env::temp_dir().join(format!("warpcell-tofile-{}", std::process::id()));
        /// warpcell::array(&[1u8, 2, 255]).tofile(&path); // such as "bytes.bin"
        /// assert_eq!(std::fs::read(&path).unwrap(), [1, 2, 255]);
        /// # std::fs::remove_file(&path).unwrap();
        /// ```
        pub fn tofile, try_tofile(&self, file: impl AsRef<Path>) -> Result<()> {
            const NAME: &str = "tofile";
            let array = AnyView::Device(&self.raw);
            let order = if Order::of(&self.raw.layout) == Order::RowMajor { Order::RowMajor } else { Order::Strided };
            Target::exactly(NAME, file.as_ref())?.write(|file| npy::write_elements(NAME, &array, order, file))
        }
    }
}

/// `fromfile` with all arguments. All elements are read if the count is negative.
pub(crate) fn of_file<T: Element>(path: &Path, count: isize, sep: &str, offset: usize) -> Result<DeviceArray<T>> {
    const NAME: &str = "fromfile";
    let count = usize::try_from(count).ok();
    if sep.is_empty() {
        let opened = Opened::raw(NAME, path, T::DTYPE, count, offset)?;
        return on_device(NAME, &opened.header, |target| opened.read(target));
    }
    if offset > 0 {
        let reason =
            format!("the offset {offset} counts bytes, but with a separator the file is read as text; leave one out");
        return Err(Error::argument(NAME, reason));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(NAME, path, "read as text", &error))?;
    numbers_of(NAME, &text, count, sep, true).map_err(|error| match error {
        Error::InvalidArgument { reason, .. } => failed(NAME, path, format!("cannot be read as text: {reason}")),
        other => other,
    })
}
