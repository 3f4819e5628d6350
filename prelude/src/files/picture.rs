//! Pictures: arrays of shape (h, w), (h, w, 3) and (h, w, 4) from and to `image::DynamicImage` and PNG files.

use super::target::Target;
use super::{Order, failed, npy, refused};
use crate::array::sides::AnyView;
use crate::array::transfer::{self, Owned};
use crate::array::{AnyArray, DeviceArray};
use crate::device;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use image::{ColorType, DynamicImage, ImageBuffer, ImageError, ImageFormat, ImageReader};
use ndarray::{ArrayD, IxDyn};
use std::io::{self, BufWriter, Write};
use std::path::Path;

fallible! {
    /// Reads a PNG file to the current device: shape (height, width) if it is grey, (height, width, 3) if it has
    /// colours, (height, width, 4) with transparency. The name is scikit-image's and imageio's.
    ///
    /// Values go from 0 to 255; of files with 16 bits a channel, the upper ones are taken ([`interop::from_image`]
    /// keeps all).
    ///
    /// **Panics** if the file cannot be read or is no PNG file ([`Error::File`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// # let path = std::env::temp_dir().join(format!("warpcell-imread-{}.png", std::process::id()));
    /// let rings = gpu::arange(64).reshape((8, 8)) * 4;
    /// gpu::imsave(&path, &rings.astype::<u8>()); // such as "rings.png"
    /// let again = gpu::imread(&path);
    /// assert_eq!((again.shape(), again.get(&[7, 7])), (&[8, 8][..], 252));
    /// # std::fs::remove_file(&path).unwrap();
    /// ```
    ///
    /// [`interop::from_image`]: crate::interop::from_image
    pub fn imread, try_imread(path: impl AsRef<Path>) -> Result<DeviceArray<u8>> {
        try_from_image(&decode("imread", path.as_ref())?)
    }
}

/// The host's side.
pub(crate) mod host {
    use super::{ArrayD, IxDyn, Path, decode, fallible, parts};

    fallible! {
        /// Reads a PNG file to a host array, as [`gpu::imread`](crate::imread) does to the device.
        ///
        /// **Panics** as that does.
        ///
        /// ```no_run
        /// let picture = warpcell::host::imread("rings.png");
        /// println!("{:?}", picture.shape());
        /// ```
        pub fn imread, try_imread(path: impl AsRef<Path>) -> Result<ArrayD<u8>> {
            let (shape, values) = parts(&decode("host::imread", path.as_ref())?);
            Ok(ArrayD::from_shape_vec(IxDyn(&shape), values).expect("as many values as the picture has"))
        }
    }
}

fallible! {
    /// Writes an array, on the device or on the host, of shape (h, w), (h, w, 3) or (h, w, 4) to a PNG file. The name
    /// is scikit-image's and imageio's.
    ///
    /// `u8` and `u16` are written as they are, floats from 0 to 1 with 8 bits (what is outside is clipped, NaN is 0),
    /// `bool` as black and white. For plots and colour maps see [`imshow`](crate::imshow).
    ///
    /// **Panics** for another shape ([`Error::InvalidShape`]) or type ([`Error::UnsupportedDType`]), and if the file
    /// cannot be written or its name does not end with `.png` ([`Error::File`]).
    pub fn imsave, try_imsave<A: ?Sized + AnyArray>(path: impl AsRef<Path>, array: &A) -> Result<()> {
        save("imsave", path.as_ref(), &array.any_view())
    }
}

/// A channel of a picture: `u8` from 0 to 255, `u16` from 0 to 65535, or `f32` from 0 to 1. Not an extension point.
pub trait Pixel: Element + sealed::Channels {}
impl Pixel for u8 {}
impl Pixel for u16 {}
impl Pixel for f32 {}

mod sealed {
    use image::DynamicImage;

    pub trait Channels: Sized {
        fn grey(image: &DynamicImage) -> Vec<Self>;
        fn colour(image: &DynamicImage) -> Vec<Self>;
        fn transparent(image: &DynamicImage) -> Vec<Self>;
    }
    macro_rules! channels {
        ($($type:ty: $grey:ident $colour:ident $transparent:ident;)*) => {$(
            impl Channels for $type {
                fn grey(image: &DynamicImage) -> Vec<Self> {
                    image.$grey().into_raw()
                }
                fn colour(image: &DynamicImage) -> Vec<Self> {
                    image.$colour().into_raw()
                }
                fn transparent(image: &DynamicImage) -> Vec<Self> {
                    image.$transparent().into_raw()
                }
            }
        )*};
    }
    channels! {
        u8: to_luma8 to_rgb8 to_rgba8;
        u16: to_luma16 to_rgb16 to_rgba16;
        f32: to_luma32f to_rgb32f to_rgba32f;
    }
}

fallible! {
    /// A picture of the crate `image` on the current device: shape (height, width) if it is grey, (height, width, 3) if
    /// it has colours, (height, width, 4) with transparency. Channels are converted to `T`: `u8`, `u16` or `f32`.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell::interop;
    /// let picture = interop::image::DynamicImage::new_rgb8(4, 3);
    /// let a = interop::from_image::<f32>(&picture);
    /// assert_eq!(a.shape(), [3, 4, 3]);
    /// ```
    pub fn from_image, try_from_image<T: Pixel>(image: &DynamicImage) -> Result<DeviceArray<T>> {
        let (shape, values) = parts::<T>(image);
        transfer::take_over("from_image", Owned::vector(values, &shape), &device::current()?).map(DeviceArray::from_raw)
    }

    /// An array, on the device or on the host, of shape (h, w), (h, w, 3) or (h, w, 4) as a picture of the crate
    /// `image`.
    ///
    /// `u8` and `u16` keep their values, `bool` becomes black and white with 8 bits. `f32` and `f64` from 0 to 1 become
    /// 32-bit floats where there are colours, and 16-bit integers in grey pictures, of which that crate has none with
    /// floats (what is outside is clipped, NaN is 0).
    ///
    /// **Panics** for another shape ([`Error::InvalidShape`]) or type ([`Error::UnsupportedDType`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let picture = gpu::interop::to_image(&gpu::full((3, 4, 3), 200u8));
    /// assert_eq!((picture.width(), picture.height()), (4, 3));
    /// ```
    pub fn to_image, try_to_image<A: ?Sized + AnyArray>(array: &A) -> Result<DynamicImage> {
        picture("to_image", &array.any_view(), false)
    }
}

/// A picture's shape and channels.
fn parts<T: Pixel>(image: &DynamicImage) -> (Vec<usize>, Vec<T>) {
    let (height, width) = (image.height() as usize, image.width() as usize);
    match image.color() {
        ColorType::L8 | ColorType::L16 => (vec![height, width], T::grey(image)),
        ColorType::Rgb8 | ColorType::Rgb16 | ColorType::Rgb32F => (vec![height, width, 3], T::colour(image)),
        _ => (vec![height, width, 4], T::transparent(image)),
    }
}

fn decode(operation: &'static str, path: &Path) -> Result<DynamicImage> {
    let (file, _) = npy::open_file(operation, path, "png")?;
    let reader = ImageReader::new(io::BufReader::new(file)).with_guessed_format();
    let reader = reader.map_err(|error| refused(operation, path, "read", &error))?;
    reader.decode().map_err(|error| match error {
        ImageError::IoError(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            refused(operation, path, "read", &error)
        }
        ImageError::Unsupported(_) => {
            failed(operation, path, "is not a PNG file; convert it to PNG first, other formats are not supported")
        }
        ImageError::Limits(_) => failed(operation, path, "is too large: the picture would take more than 512 MiB"),
        error => failed(operation, path, format!("cannot be read as a PNG file: {error}; it may be damaged")),
    })
}

fn save(operation: &'static str, path: &Path, array: &AnyView<'_>) -> Result<()> {
    if !matches!(ImageFormat::from_path(path), Ok(ImageFormat::Png)) {
        return Err(failed(operation, path, "does not end with .png; only PNG files can be written"));
    }
    let picture = picture(operation, array, true)?;
    Target::exactly(operation, path)?.write(|file| {
        let mut file = BufWriter::new(file);
        picture.write_to(&mut file, ImageFormat::Png).map_err(|error| match error {
            ImageError::IoError(error) => error,
            error => io::Error::other(error),
        })?;
        file.flush()
    })
}

/// The array as a picture; `is_narrow` if floats shall become 8 bits.
fn picture(operation: &'static str, array: &AnyView<'_>, is_narrow: bool) -> Result<DynamicImage> {
    let (shape, dtype, order) = npy::described(array);
    let invalid = |reason: &str| Error::shape(operation, shape, reason);
    let (height, width, channels) = match *shape {
        [height, width] => (height, width, 1),
        [height, width, channels @ (3 | 4)] => (height, width, channels),
        _ => {
            return Err(invalid(
                "is not the shape of a picture; use (h, w), (h, w, 3) for red, green, blue, or (h, w, 4)",
            ));
        }
    };
    let (Ok(height), Ok(width)) = (u32::try_from(height), u32::try_from(width)) else {
        return Err(invalid("has more rows or columns than a picture can have; use a part of it"));
    };
    if height == 0 || width == 0 {
        return Err(invalid("has no elements; a picture needs at least one pixel"));
    }
    let mut bytes = Vec::with_capacity(shape.iter().product::<usize>() * dtype.size());
    let order = if order == Order::RowMajor { order } else { Order::Strided };
    let written = npy::write_elements(operation, array, order, &mut bytes);
    written.map_err(|error| error.downcast::<Error>().unwrap_or(Error::Interrupted))?;
    let floats = || -> Vec<f32> {
        let clipped = |value: f64| if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) as f32 };
        match dtype {
            DType::F32 => bytes.as_chunks().0.iter().map(|&bytes| clipped(f32::from_ne_bytes(bytes).into())).collect(),
            _ => bytes.as_chunks().0.iter().map(|&bytes| clipped(f64::from_ne_bytes(bytes))).collect(),
        }
    };
    let size = (width, height, channels);
    match dtype {
        DType::U8 => narrow(size, bytes),
        DType::Bool => narrow(size, bytes.iter().map(|&byte| byte * u8::MAX).collect()),
        DType::U16 => wide(size, bytes.as_chunks().0.iter().map(|&bytes| u16::from_ne_bytes(bytes)).collect()),
        DType::F32 | DType::F64 if is_narrow => {
            narrow(size, floats().iter().map(|value| (value * 255.0).round() as u8).collect())
        }
        DType::F32 | DType::F64 if channels == 1 => {
            wide(size, floats().iter().map(|value| (value * 65535.0).round() as u16).collect())
        }
        DType::F32 | DType::F64 => floating(size, floats()),
        _ => {
            let advice = "pictures are of u8, u16, f32, f64 or bool; convert the array, such as `a.astype::<u8>()`";
            return Err(Error::dtype(operation, dtype, advice));
        }
    }
    .ok_or_else(|| invalid("is too large for a picture"))
}

fn narrow((width, height, channels): (u32, u32, usize), values: Vec<u8>) -> Option<DynamicImage> {
    match channels {
        1 => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageLuma8),
        3 => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb8),
        _ => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgba8),
    }
}

fn wide((width, height, channels): (u32, u32, usize), values: Vec<u16>) -> Option<DynamicImage> {
    match channels {
        1 => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageLuma16),
        3 => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb16),
        _ => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgba16),
    }
}

fn floating((width, height, channels): (u32, u32, usize), values: Vec<f32>) -> Option<DynamicImage> {
    match channels {
        3 => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb32F),
        _ => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgba32F),
    }
}
