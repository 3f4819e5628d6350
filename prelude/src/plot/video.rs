//! Pictures one after another: [`video`].

use super::builder::{Plot, invalid};
use super::chart::Chart;
use super::image::{ImageSource, SeveralImages};
use super::png;
use super::shown::{Drawing, Shown};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use image::RgbImage;
use image::imageops::{self, FilterType};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

/// A notebook's server drops what is longer than three megabytes in three seconds, of which base64 takes a quarter.
const MOST_BYTES: usize = 2_000_000;
/// Frames of small arrays are enlarged to this many pixels.
const SMALLEST: usize = 256;
/// What is shown is not made smaller than this.
const LEAST_SIDE: u32 = 48;

/// Pictures one after another, as an animated PNG: browsers play it, and what does not shows the first frame.
///
/// `frames`: a reference to an array of shape `(n, h, w)`, `(n, h, w, 3)` or `(n, h, w, 4)` on the host or on the device; or a `Vec`, an
/// array or a slice of images, of [`Plot`]s, or of [`Subplots`](crate::Subplots). Images are as [`imshow`](crate::imshow) takes them, and are
/// shown without axes. Colours stand for the same numbers in all frames: from the least to the largest number of all. Small images are
/// enlarged, so that elements are seen. A video that is longer than two megabytes is shown smaller than it is, and says so: a notebook
/// has its outputs in it. [`Video::save`] writes all pixels.
///
/// At first there are 10 frames a second, again and again. The video shows itself as the last expression of a cell and where it is dropped
/// in the cell that made it; elsewhere call [`Video::show`].
///
/// **Panics** if there are no frames, if their shapes differ, and for what `imshow` refuses.
///
/// Animated PNG is a part of PNG since its third edition (W3C, 2025).
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
        let reason = format!(
            "frame 0 has {form}, but frame {other} has {}; give all frames one shape, such as that of the first one",
            frames[other].form()
        );
        return Err(Error::argument("video", reason));
    }
    share_range(&mut frames);
    Ok(Video { shown: Shown::new(Film { frames, fps: 10.0, repeats: true }) })
}

/// A frame, as it is kept until it is drawn.
#[doc(hidden)]
#[derive(Clone)]
pub struct Frame(Content);

#[derive(Clone)]
enum Content {
    /// The element of an array, without axes.
    Picture(Box<Chart>),
    /// A picture of its own.
    Drawn(Vec<u8>),
}

impl Frame {
    fn picture(image: &(impl ImageSource + ?Sized)) -> Result<Frame> {
        Ok(Frame(Content::Picture(Box::new(super::kinds::try_imshow(image)?.into_chart()))))
    }

    /// What must be the same in all frames, in words.
    fn form(&self) -> String {
        match &self.0 {
            Content::Picture(chart) => match chart.picture() {
                Some(image) => {
                    let (rows, columns) = image.shape;
                    let colors = if image.channels == 1 { "" } else { " colours" };
                    format!("{rows}×{columns}{colors}")
                }
                None => "no image".to_owned(),
            },
            Content::Drawn(png) => {
                // The first chunk of a PNG file has its size.
                let number = |at: usize| u32::from_be_bytes(std::array::from_fn(|index| png[at + index]));
                format!("{}×{} pixels", number(20), number(16))
            }
        }
    }

    fn pixels(&self) -> RgbImage {
        let decoded = |png: &[u8]| match image::load_from_memory(png) {
            Ok(picture) => picture.into_rgb8(),
            Err(error) => unreachable!("a picture was written as PNG before: {error}"),
        };
        let chart = match &self.0 {
            Content::Drawn(png) => return decoded(png),
            Content::Picture(chart) => chart,
        };
        let (Some(image), Some(series)) = (chart.picture(), chart.series.first()) else {
            unreachable!("a frame has an image")
        };
        let (rows, columns) = (image.shape.0.min(super::image::LONGEST), image.shape.1.min(super::image::LONGEST));
        let picture = decoded(&png::of_image(series, image, (rows, columns)));
        match (SMALLEST / rows.min(columns)).min(super::image::LONGEST / rows.max(columns)) {
            0 | 1 => picture,
            times => {
                let (width, height) = (picture.width() * times as u32, picture.height() * times as u32);
                imageops::resize(&picture, width, height, FilterType::Nearest)
            }
        }
    }
}

/// Lets colours stand for the same numbers in all frames.
fn share_range(frames: &mut [Frame]) {
    let charts = || {
        frames.iter().filter_map(|frame| match &frame.0 {
            Content::Picture(chart) => Some(chart),
            Content::Drawn(_) => None,
        })
    };
    let range = charts().filter_map(|chart| chart.picture()?.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let least_positive = charts().filter_map(|chart| chart.picture()?.least_positive()).min_by(f64::total_cmp);
    for frame in frames {
        if let Content::Picture(chart) = &mut frame.0 {
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
        Frame::picture(self)
    }
}

impl IntoFrame for Plot {
    fn frame(&self) -> Result<Frame> {
        self.settle();
        Ok(Frame(Content::Drawn(self.png().to_vec())))
    }
}

impl IntoFrame for super::Subplots {
    fn frame(&self) -> Result<Frame> {
        self.settle();
        Ok(Frame(Content::Drawn(self.png().to_vec())))
    }
}

impl<F: IntoFrame> Frames for Vec<F> {
    fn frames(self) -> Result<Vec<Frame>> {
        self.iter().map(IntoFrame::frame).collect()
    }
}

impl<F: IntoFrame> Frames for &Vec<F> {
    fn frames(self) -> Result<Vec<Frame>> {
        self.iter().map(IntoFrame::frame).collect()
    }
}

impl<F: IntoFrame> Frames for &[F] {
    fn frames(self) -> Result<Vec<Frame>> {
        self.iter().map(IntoFrame::frame).collect()
    }
}

impl<F: IntoFrame, const N: usize> Frames for [F; N] {
    fn frames(self) -> Result<Vec<Frame>> {
        self.iter().map(IntoFrame::frame).collect()
    }
}

impl<F: IntoFrame, const N: usize> Frames for &[F; N] {
    fn frames(self) -> Result<Vec<Frame>> {
        self.iter().map(IntoFrame::frame).collect()
    }
}

impl<A: SeveralImages> Frames for &A {
    fn frames(self) -> Result<Vec<Frame>> {
        let images = self.images()?;
        Ok(images
            .into_iter()
            .map(|image| Frame(Content::Picture(Box::new(super::kinds::of_image(image).into_chart()))))
            .collect())
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
}

impl Film {
    fn pictures(&self) -> Vec<RgbImage> {
        self.frames.iter().map(Frame::pixels).collect()
    }

    /// An animated PNG file.
    fn encoded(&self, pictures: &[RgbImage]) -> Vec<u8> {
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
            let [time, unit] = delay(self.fps);
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

    /// As it is shown: small enough for a notebook.
    fn small(&self) -> Vec<u8> {
        let mut pictures = self.pictures();
        loop {
            let bytes = self.encoded(&pictures);
            let (width, height) = pictures[0].dimensions();
            if bytes.len() <= MOST_BYTES || width.min(height) <= LEAST_SIDE {
                return bytes;
            }
            let times = (MOST_BYTES as f64 / bytes.len() as f64).sqrt().min(0.9);
            let side = |pixels: u32| ((f64::from(pixels) * times) as u32).max(1);
            let smaller =
                |picture: &RgbImage| imageops::resize(picture, side(width), side(height), FilterType::Triangle);
            pictures = pictures.iter().map(smaller).collect();
        }
    }

    /// Rows and columns of the frames in pixels.
    fn size(&self) -> (u32, u32) {
        let (width, height) = self.frames[0].pixels().dimensions();
        (height, width)
    }
}

/// The time of a frame as a fraction of a second.
fn delay(fps: f64) -> [u16; 2] {
    let milliseconds = (1000.0 / fps).round();
    match milliseconds <= f64::from(u16::MAX) {
        true => [milliseconds.max(1.0) as u16, 1000],
        false => [(1.0 / fps).round().min(f64::from(u16::MAX)) as u16, 1],
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
        self.small()
    }

    fn describe(&self) -> String {
        let (rows, columns) = self.size();
        let frames =
            if self.frames.len() == 1 { "1 frame".to_owned() } else { format!("{} frames", self.frames.len()) };
        let fps = crate::number::general(self.fps, 6);
        format!("Video: {frames} of {rows}×{columns} pixels, {fps} a second")
    }

    fn is_empty(&self) -> bool {
        false
    }
}

impl Video {
    #[track_caller]
    fn with_colors(mut self, operation: &'static str, change: impl Fn(Plot) -> Plot) -> Video {
        for frame in &mut self.shown.change().frames {
            let Content::Picture(chart) = &mut frame.0 else {
                invalid(
                    operation,
                    "the frames are plots, which have colours of their own; call it on each plot".to_owned(),
                );
            };
            **chart = change(Plot::of_chart(std::mem::take(&mut **chart))).into_chart();
        }
        self
    }

    /// Sets how many frames are shown in a second. At first they are 10.
    ///
    /// **Panics** unless it is a number over 0, at most 1000.
    ///
    /// ```
    /// # let images = ndarray::Array3::<f32>::zeros((3, 8, 8));
    /// warpcell::video(&images).fps(30.0).show();
    /// ```
    #[track_caller]
    pub fn fps(mut self, fps: f64) -> Video {
        if !(fps > 0.0 && fps <= 1000.0) {
            invalid(
                "Video::fps",
                format!("{fps} frames a second cannot be shown; give a number over 0, such as `.fps(10.0)`"),
            );
        }
        self.shown.change().fps = fps;
        self
    }

    /// Sets whether the frames are shown again and again, as they are at first; otherwise the last one stays.
    ///
    /// ```
    /// # let images = ndarray::Array3::<f32>::zeros((3, 8, 8));
    /// warpcell::video(&images).repeat(false).show();
    /// ```
    pub fn repeat(mut self, repeat: bool) -> Video {
        self.shown.change().repeats = repeat;
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
        /// Writes an animated PNG file, with all pixels.
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
            std::fs::write(path, film.encoded(&film.pictures())).map_err(|error| {
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
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use ndarray::{Array2, Array3, Array4, array};

    /// The frames of an animated PNG, how often they are shown, and the seconds of each.
    fn decoded(bytes: &[u8]) -> (Vec<RgbImage>, u32, f64) {
        let mut decoder = ::png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(::png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let control = *reader.info().animation_control().unwrap();
        let mut seconds = 0.0;
        let mut frame = || {
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut pixels).unwrap();
            let frame = reader.info().frame_control().unwrap();
            seconds = f64::from(frame.delay_num) / f64::from(frame.delay_den);
            RgbImage::from_raw(info.width, info.height, pixels).unwrap()
        };
        let frames = (0..control.num_frames).map(|_| frame()).collect();
        (frames, control.num_plays, seconds)
    }

    #[test]
    fn frames_are_shown_in_their_order_with_the_same_colours_for_the_same_numbers() {
        let images = Array3::from_shape_fn((3, 2, 4), |(t, i, j)| (10 * t + 4 * i + j) as f64);
        let video = video(&images).fps(4.0).cmap("gray");
        assert_eq!(format!("{video:?}"), "Video: 3 frames of 256×512 pixels, 4 a second");
        let (frames, plays, seconds) = decoded(&video.shown.drawing().small());
        assert_eq!((frames.len(), plays, seconds), (3, 0, 0.25));
        for (t, frame) in frames.iter().enumerate() {
            assert_eq!(frame.dimensions(), (512, 256));
            for (i, j) in [(0, 0), (1, 3), (0, 2)] {
                let expected = (images[[t, i, j]] / 27.0 * 255.0).round() as i32;
                let pixel = frame.get_pixel(128 * j as u32 + 64, 128 * i as u32 + 64).0;
                assert!((i32::from(pixel[0]) - expected).abs() <= 1, "{t} {i} {j}: {pixel:?}, not {expected}");
            }
        }
        let (_, plays, _) = decoded(&video.repeat(false).limits(0.0, 1.0).shown.drawing().small());
        assert_eq!(plays, 1);
    }

    #[test]
    fn many_kinds_of_frames() {
        let text = |video: Video| format!("{video:?}");
        let red = Array4::from_shape_fn((2, 300, 300, 3), |(t, _, _, c)| if c == 0 { 120 * t as u8 } else { 0 });
        let colored = video(&red);
        assert_eq!(decoded(&colored.shown.drawing().small()).0[1].get_pixel(5, 5).0, [120, 0, 0]);
        assert_eq!(text(colored), "Video: 2 frames of 300×300 pixels, 10 a second");
        let device = crate::zeros::<f32>((4, 16, 16));
        assert_eq!(text(video(&device)), "Video: 4 frames of 256×256 pixels, 10 a second");
        let image = array![[1.0f32, 2.0], [3.0, f32::NAN]];
        assert_eq!(text(video(vec![image.clone(), &image * 2.0])), "Video: 2 frames of 256×256 pixels, 10 a second");
        assert_eq!(text(video(&[image.view(), image.view()])), "Video: 2 frames of 256×256 pixels, 10 a second");
        let plots = [crate::plot(&[1, 2]), crate::plot(&[2, 1])];
        assert_eq!(text(video(&plots)), "Video: 2 frames of 420×640 pixels, 10 a second");
        let pairs = vec![crate::subplots((1, 2), [crate::plot(&[1]), crate::plot(&[2])]); 3];
        assert!(text(video(&pairs[..2])).starts_with("Video: 2 frames of "), "{pairs:?}");
        let shown = representations_of(&video(&device)).unwrap();
        assert!(shown["image/png"].as_str().unwrap().starts_with("iVBOR"));
    }

    #[test]
    fn a_long_video_is_shown_smaller_and_saved_whole() {
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let images = Array4::from_shape_simple_fn((20, 256, 256, 3), &mut noise);
        let film = video(&images);
        let small = film.shown.drawing().small();
        assert!(small.len() <= MOST_BYTES, "{}", small.len());
        let (frames, _, _) = decoded(&small);
        assert!(
            frames.len() == 20 && frames[0].width() < 256 && frames[0].width() > 100,
            "{:?}",
            frames[0].dimensions()
        );
        let folder = tempfile();
        film.save(folder.join("noise.png"));
        let (frames, _, _) = decoded(&std::fs::read(folder.join("noise.png")).unwrap());
        assert_eq!(frames[19].get_pixel(3, 200).0[1], images[[19, 200, 3, 1]]);
        let error = film.try_save(folder.join("noise.gif")).unwrap_err().to_string();
        assert!(
            error.contains("only as an animated PNG; write `.save(") && error.ends_with("noise.png\")`"),
            "{error}"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn tempfile() -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("warpcell-video-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_is_no_video_is_refused() {
        let error = |frames: Result<Video>| frames.map(drop).unwrap_err().to_string();
        assert!(error(try_video(&Array3::<f32>::zeros((0, 3, 3)))).contains("no frames"));
        expect_test::expect![[r#"
            video: frame 0 has 2×3, but frame 1 has 3×2; give all frames one shape, such as that of the first one
            video: the shape [3, 4] is that of one image; show it by `gpu::imshow(&x)`, or give an array of shape (frames, rows, columns)
            video: the shape [2, 0, 3] has no elements; an image needs at least one row and one column"#]]
        .assert_eq(
            &[
                error(try_video(vec![Array2::<f32>::zeros((2, 3)), Array2::zeros((3, 2))])),
                error(try_video(&Array2::<f32>::zeros((3, 4)))),
                error(try_video(&Array3::<f32>::zeros((2, 0, 3)))),
            ]
            .join("\n"),
        );
    }
}
