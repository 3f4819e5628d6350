//! Pictures one after another: [`video`].

use super::builder::{Plot, invalid};
use super::chart::{Chart, Series};
use super::image::{Image, ImageSource, LONGEST, SeveralImages};
use super::png;
use super::shown::{Drawing, Shown};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::number::general;
use image::RgbImage;
use image::imageops::{self, FilterType};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

/// A notebook's server drops what is longer than three megabytes in three seconds, of which base64 takes a quarter.
const MOST_BYTES: usize = 2_000_000;
/// Frames of small arrays are enlarged to this many pixels.
const SMALLEST: u32 = 256;
/// What is shown is not made smaller than this.
const LEAST_SIDE: f64 = 48.0;

/// Pictures one after another, as an animated PNG: browsers play it, and what does not shows the first frame.
///
/// `frames`: a reference to an array of shape `(n, h, w)`, `(n, h, w, 3)` or `(n, h, w, 4)` on the host or on the device; or a `Vec`, an
/// array or a slice of images, of [`Plot`]s, or of [`Subplots`](crate::Subplots). Images are as [`imshow`](crate::imshow) takes them, and are
/// shown without axes. Colours stand for the same numbers in all frames: from the least to the largest number of all. Small images are
/// enlarged, so that elements are seen; images over 1024 on a side are averaged. A video that is longer than two megabytes is shown smaller, or with fewer
/// frames, and says so: a notebook has its outputs in it. [`Video::save`] writes all of it.
///
/// At first there are 10 frames a second, again and again. The video shows itself as the last expression of a cell and where it is dropped
/// in the cell that made it; elsewhere call [`Video::show`].
///
/// **Panics** if there are no frames, if their shapes differ, and for what `imshow` refuses.
///
/// Animated PNG is a part of PNG (W3C, third edition).
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let waves = ndarray::Array3::from_shape_fn((12, 32, 48), |(t, i, j)| (0.2 * (i + j) as f32 + 0.5 * t as f32).sin());
/// assert_eq!(format!("{:?}", gpu::video(&waves).fps(24.0)), "Video: 12 frames of 256×384 pixels, 24 a second");
///
/// let plots: Vec<gpu::Plot> = (1..4).map(|n| gpu::plot(&[0.0, 1.0, 0.0].map(|y| y * f64::from(n))).ylim(0.0, 3.0)).collect();
/// gpu::video(plots).fps(2.0).show();
/// ```
#[track_caller]
pub fn video(frames: impl Frames) -> Video {
    check(try_video(frames))
}

/// As [`video`], but returns the error.
///
/// ```
/// let error = warpcell::try_video(Vec::<warpcell::Plot>::new()).unwrap_err();
/// assert_eq!(error.to_string(), "video: there are no frames; write `gpu::video(&images)` with an array of shape (frames, rows, columns)");
/// ```
pub fn try_video(frames: impl Frames) -> Result<Video> {
    let mut frames = frames.frames()?;
    let Some(first) = frames.first() else {
        let reason = "there are no frames; write `gpu::video(&images)` with an array of shape (frames, rows, columns)";
        return Err(Error::argument("video", reason));
    };
    let form = first.form();
    if let Some(other) = frames.iter().position(|frame| frame.form() != form) {
        let text = |(rows, columns, what): (u32, u32, &str)| format!("{rows}×{columns}{what}");
        let reason = format!(
            "frame 0 has {}, but frame {other} has {}; give all frames one shape, such as that of the first one",
            text(form),
            text(frames[other].form())
        );
        return Err(Error::argument("video", reason));
    }
    share_range(&mut frames);
    Ok(Video { shown: Shown::new(Film { frames, fps: 10.0, repeats: true, small: OnceLock::new() }) })
}

/// A frame, as it is kept until it is drawn.
#[doc(hidden)]
#[derive(Clone)]
pub struct Frame(Content);

#[derive(Clone)]
enum Content {
    /// An image of numbers, without axes.
    Numbers(Box<Chart>),
    /// An image with its colours.
    Colors(RgbImage),
    /// A plot as a PNG file.
    Plot(Vec<u8>),
}

impl Frame {
    fn of_image(image: Image) -> Frame {
        let chart = super::kinds::of_image(image).into_chart();
        let (image, series) = drawn(&chart);
        Frame(match image.channels {
            1 => Content::Numbers(Box::new(chart)),
            _ => Content::Colors(png::pixels_of_image(series, image, size(image))),
        })
    }

    /// What must be the same in all frames: rows, columns, and what it is, in words.
    fn form(&self) -> (u32, u32, &'static str) {
        match &self.0 {
            Content::Numbers(chart) => {
                let (rows, columns) = drawn(chart).0.shape;
                (rows as u32, columns as u32, "")
            }
            Content::Colors(pixels) => (pixels.height(), pixels.width(), " with colours"),
            Content::Plot(png) => {
                // The first chunk of a PNG file has its size.
                let number = |at: usize| u32::from_be_bytes(std::array::from_fn(|index| png[at + index]));
                (number(20), number(16), " as a plot")
            }
        }
    }

    fn pixels(&self) -> RgbImage {
        let pixels = match &self.0 {
            Content::Plot(png) => match image::load_from_memory(png) {
                Ok(picture) => return picture.into_rgb8(),
                Err(error) => unreachable!("a picture was written as PNG before: {error}"),
            },
            Content::Colors(pixels) => pixels.clone(),
            Content::Numbers(chart) => {
                let (image, series) = drawn(chart);
                png::pixels_of_image(series, image, size(image))
            }
        };
        let (width, height) = pixels.dimensions();
        match (SMALLEST / width.min(height)).min(LONGEST as u32 / width.max(height)) {
            0 | 1 => pixels,
            times => imageops::resize(&pixels, width * times, height * times, FilterType::Nearest),
        }
    }
}

/// The image of a chart that has one, and its series.
fn drawn(chart: &Chart) -> (&Image, &Series) {
    match (chart.picture(), chart.series.first()) {
        (Some(image), Some(series)) => (image, series),
        _ => unreachable!("a frame has an image"),
    }
}

/// Rows and columns of pixels of an image: one for each element, as far as they are kept.
fn size(image: &Image) -> (usize, usize) {
    let times = image.shape.0.max(image.shape.1).div_ceil(LONGEST);
    (image.shape.0.div_ceil(times), image.shape.1.div_ceil(times))
}

/// Lets colours stand for the same numbers in all frames.
fn share_range(frames: &mut [Frame]) {
    let charts = || {
        frames.iter().filter_map(|frame| match &frame.0 {
            Content::Numbers(chart) => Some(chart),
            Content::Colors(_) | Content::Plot(_) => None,
        })
    };
    let range = charts().filter_map(|chart| chart.picture()?.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let least_positive = charts().filter_map(|chart| chart.picture()?.least_positive()).min_by(f64::total_cmp);
    for frame in frames {
        if let Content::Numbers(chart) = &mut frame.0 {
            let colors = chart.series.iter_mut().filter_map(|series| series.colors.as_mut());
            colors.for_each(|colors| colors.set_range(range, least_positive));
        }
    }
}

/// What [`video`] takes. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of frames",
    label = "expected images one after another",
    note = "`gpu::video` takes a reference to an array of shape `(frames, rows, columns)`, or a `Vec` of images or of plots: \
            `gpu::video(&images)`, `gpu::video(plots)`"
)]
pub trait Frames {
    #[doc(hidden)]
    fn frames(self) -> Result<Vec<Frame>>;
}

/// What can be one frame of a [`video`]: an image as [`imshow`](crate::imshow) takes it, a [`Plot`] or [`Subplots`](crate::Subplots). Not an
/// extension point.
pub trait IntoFrame {
    #[doc(hidden)]
    fn frame(&self) -> Result<Frame>;
}

impl<A: ImageSource> IntoFrame for A {
    fn frame(&self) -> Result<Frame> {
        Ok(Frame::of_image(self.image()?))
    }
}

impl IntoFrame for Plot {
    fn frame(&self) -> Result<Frame> {
        self.settle();
        Ok(Frame(Content::Plot(self.png().to_vec())))
    }
}

impl IntoFrame for super::Subplots {
    fn frame(&self) -> Result<Frame> {
        self.settle();
        Ok(Frame(Content::Plot(self.png().to_vec())))
    }
}

impl<F: IntoFrame> Frames for Vec<F> {
    fn frames(self) -> Result<Vec<Frame>> {
        self.as_slice().frames()
    }
}

impl<F: IntoFrame> Frames for &Vec<F> {
    fn frames(self) -> Result<Vec<Frame>> {
        self.as_slice().frames()
    }
}

impl<F: IntoFrame> Frames for &[F] {
    fn frames(self) -> Result<Vec<Frame>> {
        self.iter().map(IntoFrame::frame).collect()
    }
}

impl<F: IntoFrame, const N: usize> Frames for [F; N] {
    fn frames(self) -> Result<Vec<Frame>> {
        self.as_slice().frames()
    }
}

impl<F: IntoFrame, const N: usize> Frames for &[F; N] {
    fn frames(self) -> Result<Vec<Frame>> {
        self.as_slice().frames()
    }
}

impl<A: SeveralImages> Frames for &A {
    fn frames(self) -> Result<Vec<Frame>> {
        let mut frames = Vec::new();
        self.each_image(&mut |image| frames.push(Frame::of_image(image)))?;
        Ok(frames)
    }
}

/// Pictures one after another. See [`video`].
#[derive(Clone)]
pub struct Video {
    shown: Shown<Film>,
}

#[derive(Clone)]
struct Film {
    frames: Vec<Frame>,
    fps: f64,
    repeats: bool,
    /// As it is shown, once that is known.
    small: OnceLock<Small>,
}

/// A video that is small enough for a notebook.
#[derive(Clone)]
struct Small {
    png: Vec<u8>,
    /// Columns and rows of the whole video, and those that are shown.
    whole: (u32, u32),
    size: (u32, u32),
    /// One frame of so many is shown.
    every: usize,
}

impl Film {
    fn pictures(&self) -> Vec<RgbImage> {
        self.frames.iter().map(Frame::pixels).collect()
    }

    /// An animated PNG file of pictures that are each shown for the time of so many frames.
    fn encoded(&self, pictures: &[RgbImage], every: usize) -> Vec<u8> {
        let (width, height) = pictures[0].dimensions();
        let mut bytes = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
        encoder.set_depth(::png::BitDepth::Eight);
        encoder.set_compression(::png::Compression::Balanced);
        let palette = Palette::of(pictures);
        match &palette {
            Some(palette) => {
                encoder.set_color(::png::ColorType::Indexed);
                encoder.set_palette(palette.colors.concat());
                encoder.set_filter(::png::Filter::NoFilter);
            }
            None => encoder.set_color(::png::ColorType::Rgb),
        }
        let write = || -> std::result::Result<(), ::png::EncodingError> {
            // 0 is without end.
            encoder.set_animated(pictures.len() as u32, u32::from(!self.repeats))?;
            let [time, unit] = delay(self.fps / every as f64);
            encoder.set_frame_delay(time, unit)?;
            let mut writer = encoder.write_header()?;
            for picture in pictures {
                match &palette {
                    Some(palette) => writer.write_image_data(&palette.indices(picture))?,
                    None => writer.write_image_data(picture)?,
                }
            }
            writer.finish()
        };
        match write() {
            Ok(()) => bytes,
            Err(error) => unreachable!("a vector takes every byte, and frames have the stated size: {error}"),
        }
    }

    /// As it is shown: with fewer pixels if it is too long, and if these become too few, with fewer frames.
    fn small(&self) -> &Small {
        self.small.get_or_init(|| {
            let pictures = self.pictures();
            let whole @ (width, height) = pictures[0].dimensions();
            let (mut scale, mut every) = (1.0, 1);
            loop {
                let side = |pixels: u32| ((f64::from(pixels) * scale) as u32).max(1);
                let size = (side(width), side(height));
                let smaller = |picture: &RgbImage| imageops::resize(picture, size.0, size.1, FilterType::Triangle);
                let some = pictures.iter().step_by(every);
                let shown: Vec<RgbImage> =
                    if size == whole { some.cloned().collect() } else { some.map(smaller).collect() };
                let png = self.encoded(&shown, every);
                if png.len() <= MOST_BYTES || shown.len() == 1 {
                    return Small { png, whole, size, every };
                }
                let next = scale * (MOST_BYTES as f64 / png.len() as f64).sqrt().min(0.9);
                match f64::from(width.min(height)) * next >= LEAST_SIDE {
                    true => scale = next,
                    false => every *= 2,
                }
            }
        })
    }
}

/// The time of a frame as a fraction of a second.
fn delay(fps: f64) -> [u16; 2] {
    let most = f64::from(u16::MAX);
    match 1.0 / fps {
        _ if (1.0..most / 1000.0).contains(&fps) => [1000, (1000.0 * fps).round() as u16],
        seconds if 1000.0 * seconds <= most => [(1000.0 * seconds).round() as u16, 1000],
        seconds => [seconds.round().min(most) as u16, 1],
    }
}

/// At most 256 colours, of which a pixel has a number.
struct Palette {
    colors: Vec<[u8; 3]>,
    numbers: HashMap<[u8; 3], u8>,
}

impl Palette {
    /// The colours of pictures, if they are few.
    fn of(pictures: &[RgbImage]) -> Option<Palette> {
        let mut palette = Palette { colors: Vec::new(), numbers: HashMap::new() };
        for pixel in pictures.iter().flat_map(|picture| picture.pixels()) {
            if !palette.numbers.contains_key(&pixel.0) {
                palette.numbers.insert(pixel.0, u8::try_from(palette.colors.len()).ok()?);
                palette.colors.push(pixel.0);
            }
        }
        Some(palette)
    }

    fn indices(&self, picture: &RgbImage) -> Vec<u8> {
        picture.pixels().map(|pixel| self.numbers[&pixel.0]).collect()
    }
}

impl Drawing for Film {
    fn png(&self) -> Vec<u8> {
        self.small().png.clone()
    }

    fn describe(&self) -> String {
        let Small { whole, size, every, .. } = self.small();
        let frames =
            if self.frames.len() == 1 { "1 frame".to_owned() } else { format!("{} frames", self.frames.len()) };
        let fps = general(self.fps, 6);
        let mut text = format!("Video: {frames} of {}×{} pixels, {fps} a second", whole.1, whole.0);
        if size != whole {
            text.push_str(&format!(", shown in {}×{}", size.1, size.0));
        }
        if *every > 1 {
            text.push_str(&format!(", of {every} frames one is shown"));
        }
        if size != whole || *every > 1 {
            text.push_str("; `.save(\"video.png\")` writes all of it");
        }
        text
    }

    fn is_empty(&self) -> bool {
        false
    }
}

impl Video {
    fn film(&mut self) -> &mut Film {
        let film = self.shown.change();
        film.small = OnceLock::new();
        film
    }

    #[track_caller]
    fn with_colors(mut self, operation: &'static str, change: impl Fn(Plot) -> Plot) -> Video {
        for frame in &mut self.film().frames {
            match &mut frame.0 {
                Content::Numbers(chart) => {
                    **chart = change(Plot::of_chart(std::mem::take(&mut **chart))).into_chart();
                }
                Content::Colors(_) => invalid(
                    operation,
                    "the images have colours in them, which do not stand for numbers; leave this call out".to_owned(),
                ),
                Content::Plot(_) => invalid(
                    operation,
                    "the frames are plots, which have colours of their own; call it on each plot".to_owned(),
                ),
            }
        }
        self
    }

    /// Sets how many frames are shown in a second. At first they are 10.
    ///
    /// **Panics** unless it is a number over 0, at most 90: browsers show no more.
    ///
    /// ```
    /// # let images = ndarray::Array3::<f32>::zeros((3, 8, 8));
    /// warpcell::video(&images).fps(30.0).show();
    /// ```
    #[track_caller]
    pub fn fps(mut self, fps: f64) -> Video {
        if !(fps > 0.0 && fps <= 90.0) {
            invalid(
                "Video::fps",
                format!(
                    "{fps} frames a second cannot be shown; give a number over 0 and at most 90, such as `.fps(30.0)`"
                ),
            );
        }
        self.film().fps = fps;
        self
    }

    /// Sets whether the frames are shown again and again, as they are at first; otherwise the last one stays.
    ///
    /// ```
    /// # let images = ndarray::Array3::<f32>::zeros((3, 8, 8));
    /// warpcell::video(&images).repeat(false).show();
    /// ```
    pub fn repeat(mut self, repeat: bool) -> Video {
        self.film().repeats = repeat;
        self
    }

    /// Sets the colours of images, as [`Plot::cmap`] does.
    ///
    /// **Panics** for a name that is unknown, and if the frames are plots or have colours in them.
    ///
    /// ```
    /// # let images = ndarray::Array3::<f32>::zeros((3, 8, 8));
    /// warpcell::video(&images).cmap("magma").show();
    /// ```
    #[track_caller]
    pub fn cmap(self, name: &str) -> Video {
        self.with_colors("Video::cmap", |plot| plot.cmap(name))
    }

    /// Sets the numbers at the ends of the colour map, as [`Plot::limits`] does.
    ///
    /// **Panics** unless `min < max` and both are finite, and if the frames are plots or have colours in them.
    ///
    /// ```
    /// # let images = ndarray::Array3::<f32>::zeros((3, 8, 8));
    /// warpcell::video(&images).limits(0.0, 1.0).show();
    /// ```
    #[track_caller]
    pub fn limits(self, min: f64, max: f64) -> Video {
        self.with_colors("Video::limits", |plot| plot.limits(min, max))
    }

    /// Shows the video in the notebook now, wherever in the cell this stands.
    ///
    /// ```
    /// warpcell::video(&ndarray::Array3::<u8>::zeros((3, 8, 8))).show();
    /// ```
    pub fn show(&self) {
        self.shown.show();
    }

    fallible! {
        /// Writes an animated PNG file, with all pixels and frames.
        ///
        /// **Panics** if the file cannot be written ([`Error::File`]), and if its name ends with `.gif`, `.mp4` or the like.
        ///
        /// ```
        /// # let path = std::env::temp_dir().join("warpcell-doc-video.png");
        /// warpcell::video(&ndarray::Array3::<u8>::zeros((3, 8, 8))).save(&path); // such as "video.png"
        /// assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
        /// ```
        pub fn save, try_save(&self, path: impl AsRef<Path>) -> Result<()> {
            let path = path.as_ref();
            let wrong = |reason: String| Error::File { operation: "Video::save", path: path.display().to_string(), reason };
            let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
            if let Some(ending) = ending.filter(|ending| !["png", "apng"].contains(&ending.as_str())) {
                let name = path.with_extension("png");
                return Err(wrong(format!("is not written as {ending}, only as an animated PNG; write `.save({name:?})`")));
            }
            let film = self.shown.drawing();
            std::fs::write(path, film.encoded(&film.pictures(), 1)).map_err(|error| {
                wrong(format!("cannot be written: {error}; give a folder that is there and that you may write to"))
            })
        }
    }
}

impl fmt::Debug for Video {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

#[cfg(test)]
mod tests;
