//! [`imshow()`] and the [`Figure`] that it gives.

use super::axis::{Axis, Scale};
use super::colormap::Colormap;
use super::draw;
use super::due::Due;
use super::image::{Image, ImageSource};
use crate::cell;
use crate::error::{Error, Result, check, fail};
use crate::number::general;
use crate::rich::MimeBundle;
use std::fmt;
use std::sync::OnceLock;

/// Shows a 2-D array as a picture, as matplotlib's `imshow` does: a colour for each element, row 0 at the top.
///
/// `image`: a reference to a 2-D array of floats, integers or bools, or to a view of one. NaN is drawn grey. An image
/// with more elements than pixels is averaged.
///
/// The figure shows itself as the last expression of a cell; elsewhere call [`Figure::show`].
///
/// **Panics** if the array is empty or not 2-D.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// use ndarray::Array2;
///
/// let waves = Array2::from_shape_fn((64, 96), |(i, j)| (i as f32 / 9.0).sin() * (j as f32 / 9.0).cos());
/// gpu::imshow(&waves).title("Waves").colormap("magma").show();
///
/// let steps = Array2::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as u8);
/// assert_eq!(format!("{:?}", gpu::imshow(&steps)), "Figure: image 2×3 u8, min 0, max 5");
/// ```
#[track_caller]
pub fn imshow<A: ImageSource + ?Sized>(image: &A) -> Figure {
    check(try_imshow(image))
}

/// The same as [`imshow`], by the name that other libraries give it: a colour for each element of a 2-D array.
///
/// ```
/// let table = ndarray::array![[1.0, 10.0], [100.0, 1000.0]];
/// warpcell::heatmap(&table).norm("log").cmap("magma").xlabel("size").colorbar_label("ms").show();
/// ```
#[track_caller]
pub fn heatmap<A: ImageSource + ?Sized>(image: &A) -> Figure {
    imshow(image)
}

/// As [`imshow`], but returns the error.
///
/// **Errors**: `InvalidShape` if the array is empty or not 2-D.
///
/// ```
/// use ndarray::Array2;
/// let error = warpcell::try_imshow(&Array2::<f32>::zeros((0, 4))).unwrap_err();
/// assert!(error.to_string().contains("no elements"));
/// ```
pub fn try_imshow<A: ImageSource + ?Sized>(image: &A) -> Result<Figure> {
    Ok(Figure::new(image.image()?))
}

/// A picture of an array, with axes and a colour bar. See [`imshow`].
///
/// In a notebook it is shown once without being asked: as the value of its cell, or when it is dropped in the cell that
/// made it, so that `gpu::imshow(&a);` draws where it stands. A figure that is kept in a variable waits for `.show()`.
#[derive(Clone)]
pub struct Figure {
    image: Image,
    options: Options,
    png: OnceLock<Vec<u8>>,
    due: Due,
}

/// How a figure is drawn.
#[derive(Clone)]
pub(super) struct Options {
    pub title: Option<String>,
    pub colormap: Colormap,
    /// Width and height in pixels; else as large as the picture needs.
    pub size: Option<(u32, u32)>,
    /// The numbers at the ends of the colour map; else the least and the largest element.
    pub vmin: Option<f64>,
    pub vmax: Option<f64>,
    /// How numbers are spread over the colours.
    pub scale: Scale,
    pub colorbar: bool,
    pub colorbar_label: Option<String>,
    pub xlabel: Option<String>,
    pub ylabel: Option<String>,
}

impl Options {
    /// From numbers to places on the colour map.
    pub fn axis(&self, image: &Image) -> Axis {
        let (least, largest) = image.range.unwrap_or((0.0, 1.0));
        let (min, max) = match self.scale {
            Scale::Linear => (self.vmin.unwrap_or(least), self.vmax.unwrap_or(largest)),
            Scale::Log => {
                let max = self.vmax.filter(|&max| max > 0.0).unwrap_or(largest);
                let max = if max > 0.0 { max } else { 1.0 };
                let least = image.least_positive().unwrap_or(max / 10.0);
                (self.vmin.filter(|&min| min > 0.0).unwrap_or(least), max)
            }
        };
        let (min, max) = match self.scale {
            _ if min < max => (min, max),
            // One number only: it gets the middle of the colour map.
            Scale::Linear => (min - 0.5 * min.abs().max(1.0), min + 0.5 * min.abs().max(1.0)),
            Scale::Log => (min / 10f64.sqrt(), min * 10f64.sqrt()),
        };
        Axis { scale: self.scale, min, max }
    }
}

impl Figure {
    fn new(image: Image) -> Figure {
        let colormap = Colormap::named("viridis").expect("viridis is in the table");
        let options = Options {
            title: None,
            colormap,
            size: None,
            vmin: None,
            vmax: None,
            scale: Scale::Linear,
            colorbar: true,
            colorbar_label: None,
            xlabel: None,
            ylabel: None,
        };
        Figure { image, options, png: OnceLock::new(), due: Due::now() }
    }

    /// Writes a title above the picture.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).title("Two pixels").show();
    /// ```
    pub fn title(self, title: impl Into<String>) -> Figure {
        self.with(|options| options.title = Some(title.into()))
    }

    /// Sets the colours: `viridis` (the default), `plasma`, `inferno`, `magma`, `gray`, or one of them with `_r` after
    /// its name, reversed.
    ///
    /// **Panics** for any other name.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).colormap("gray_r").show();
    /// ```
    #[track_caller]
    pub fn colormap(self, name: &str) -> Figure {
        let colormap = check(Colormap::named(name));
        self.with(|options| options.colormap = colormap)
    }

    /// Sets the size of the whole figure in pixels. Without it the figure is as large as the picture needs.
    ///
    /// **Panics** unless the width is from 200 to 8192 and the height from 150 to 8192.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).size(800, 600).show();
    /// ```
    #[track_caller]
    pub fn size(self, width: u32, height: u32) -> Figure {
        if !(200..=8192).contains(&width) || !(150..=8192).contains(&height) {
            fail(Error::InvalidArgument {
                operation: "Figure::size",
                reason: format!("{width}×{height} pixels cannot be drawn; use 200×150 to 8192×8192"),
            });
        }
        self.with(|options| options.size = Some((width, height)))
    }

    /// Sets the numbers at the ends of the colour map; what lies outside gets the colour of the end. Without it they
    /// are the least and the largest element.
    ///
    /// **Panics** unless `min < max` and both are finite.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).limits(0.0, 10.0).show();
    /// ```
    #[track_caller]
    pub fn limits(self, min: f64, max: f64) -> Figure {
        if !(min < max && min.is_finite() && max.is_finite()) {
            fail(Error::InvalidArgument {
                operation: "Figure::limits",
                reason: format!("({min}, {max}) is not a range; give two finite numbers, the smaller one first"),
            });
        }
        self.with(|options| (options.vmin, options.vmax) = (Some(min), Some(max)))
    }

    /// Sets the number at the lower end of the colour map; what is less gets the same colour.
    ///
    /// **Panics** unless it is finite and less than the upper end.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).vmin(0.0).show();
    /// ```
    #[track_caller]
    pub fn vmin(self, min: f64) -> Figure {
        let max = self.options.vmax.or(self.image.range.map(|(_, max)| max));
        require_order("Figure::vmin", min, max.unwrap_or(f64::INFINITY), min);
        self.with(|options| options.vmin = Some(min))
    }

    /// Sets the number at the upper end of the colour map; what is more gets the same colour.
    ///
    /// **Panics** unless it is finite and more than the lower end.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).vmax(5.0).show();
    /// ```
    #[track_caller]
    pub fn vmax(self, max: f64) -> Figure {
        let min = self.options.vmin.or(self.image.range.map(|(min, _)| min));
        require_order("Figure::vmax", min.unwrap_or(f64::NEG_INFINITY), max, max);
        self.with(|options| options.vmax = Some(max))
    }

    /// Spreads the numbers over the colours `linear`ly or by their logarithm, `log`. What is not over 0 has no logarithm
    /// and is drawn grey.
    ///
    /// **Panics** for any other name.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 1000.0]];
    /// warpcell::imshow(&image).norm("log").show();
    /// ```
    #[track_caller]
    pub fn norm(self, name: &str) -> Figure {
        let scale = check(Scale::named("Figure::norm", name));
        self.with(|options| options.scale = scale)
    }

    /// The same as [`Figure::colormap`], by matplotlib's name.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).cmap("magma").show();
    /// ```
    #[track_caller]
    pub fn cmap(self, name: &str) -> Figure {
        self.colormap(name)
    }

    /// Writes what the columns mean.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).xlabel("time").show();
    /// ```
    pub fn xlabel(self, label: impl Into<String>) -> Figure {
        self.with(|options| options.xlabel = Some(label.into()))
    }

    /// Writes what the rows mean.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).ylabel("channel").show();
    /// ```
    pub fn ylabel(self, label: impl Into<String>) -> Figure {
        self.with(|options| options.ylabel = Some(label.into()))
    }

    /// Writes what the colours mean, beside the colour bar.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).colorbar_label("counts").show();
    /// ```
    pub fn colorbar_label(self, label: impl Into<String>) -> Figure {
        self.with(|options| options.colorbar_label = Some(label.into()))
    }

    /// Sets whether the colour bar is drawn; it is at first.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).colorbar(false).show();
    /// ```
    pub fn colorbar(self, on: bool) -> Figure {
        self.with(|options| options.colorbar = on)
    }

    /// Shows the figure in the notebook now, wherever in the cell this stands.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).show();
    /// ```
    pub fn show(&self) {
        self.due.settle();
        crate::rich::display(self);
    }

    /// The picture as a PNG file, for saving.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// let png = warpcell::imshow(&image).png().to_vec();
    /// assert!(png.starts_with(b"\x89PNG"));
    /// ```
    pub fn png(&self) -> &[u8] {
        self.png.get_or_init(|| draw::png(&self.image, &self.options))
    }

    fn with(mut self, set: impl FnOnce(&mut Options)) -> Figure {
        set(&mut self.options);
        self.png = OnceLock::new();
        self
    }
}

#[track_caller]
fn require_order(operation: &'static str, min: f64, max: f64, given: f64) {
    if !(min < max && given.is_finite()) {
        let reason = format!("from {min} to {max} is not a range; set both ends with `limits`");
        fail(Error::InvalidArgument { operation, reason });
    }
}

impl Drop for Figure {
    fn drop(&mut self) {
        if self.due.is_open() {
            self.show();
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Image { shape: (rows, columns), dtype, range, .. } = &self.image;
        write!(f, "Figure: image {rows}×{columns} {dtype}")?;
        match range {
            Some((min, max)) => write!(f, ", min {}, max {}", general(*min, 6), general(*max, 6)),
            None => write!(f, ", no finite element"),
        }
    }
}

impl fmt::Debug for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value of a cell is shown by its `Debug`, also behind a wrapper.
        let text = self.to_string();
        cell::offer_rich(&text, || {
            self.due.settle();
            MimeBundle::new().png(self.png()).into_data()
        });
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::image::{Rgb, RgbImage};
    use ndarray::{Array2, array};

    const WHITE: Rgb<u8> = Rgb([255; 3]);

    /// The picture, and the range of pixels of the cells: found as what the frame encloses.
    fn drawn(figure: &Figure) -> (RgbImage, Cells) {
        let picture = ::image::load_from_memory(figure.png()).unwrap().to_rgb8();
        let place = draw::layout(&figure.image, &figure.options).cells;
        let cells = Cells { place, shape: figure.image.shape };
        (picture, cells)
    }

    struct Cells {
        place: draw::Box2,
        shape: (usize, usize),
    }

    impl Cells {
        /// The colour at the middle of a cell.
        fn color(&self, picture: &RgbImage, row: usize, column: usize) -> [u8; 3] {
            let at = |start: u32, length: u32, index: usize, count: usize| {
                start + ((index as f64 + 0.5) * f64::from(length) / count as f64) as u32
            };
            let x = at(self.place.left, self.place.width, column, self.shape.1);
            let y = at(self.place.top, self.place.height, row, self.shape.0);
            picture.get_pixel(x, y).0
        }
    }

    /// Set `WARPCELL_SAVE_FIGURES` to a folder to look at what the tests draw.
    fn save(figure: &Figure, name: &str) {
        if let Ok(folder) = std::env::var("WARPCELL_SAVE_FIGURES") {
            std::fs::write(format!("{folder}/{name}.png"), figure.png()).unwrap();
        }
    }

    fn viridis(t: f64) -> [u8; 3] {
        Colormap::named("viridis").unwrap().color(t)
    }

    #[test]
    fn cells_have_the_colours_of_their_numbers_with_row_0_at_the_top() {
        let figure = imshow(&array![[0.0, 1.0, 2.0], [3.0, f64::NAN, 4.0]]).title("Two rows");
        let (picture, cells) = drawn(&figure);
        for (row, column, expected) in [
            (0, 0, viridis(0.0)),
            (0, 1, viridis(0.25)),
            (0, 2, viridis(0.5)),
            (1, 0, viridis(0.75)),
            (1, 1, super::super::colormap::MISSING),
            (1, 2, viridis(1.0)),
        ] {
            assert_eq!(cells.color(&picture, row, column), expected, "row {row}, column {column}");
        }
        assert_eq!(cells.place.width * 2, cells.place.height * 3, "cells are square");
        assert_eq!(*picture.get_pixel(0, 0), WHITE);
        save(&figure, "two_rows");
    }

    #[test]
    fn a_size_is_kept() {
        for (width, height) in [(400, 300), (300, 400), (200, 150), (1200, 200)] {
            let figure = imshow(&Array2::<u8>::eye(16)).title("Eye").size(width, height);
            let (picture, cells) = drawn(&figure);
            assert_eq!(picture.dimensions(), (width, height));
            assert_eq!(cells.color(&picture, 3, 3), viridis(1.0));
            assert_eq!(cells.color(&picture, 3, 4), viridis(0.0));
            save(&figure, &format!("eye_{width}x{height}"));
        }
    }

    #[test]
    fn a_logarithmic_heatmap_spreads_decades_evenly() {
        let figure = heatmap(&array![[1.0, 10.0, 100.0], [0.0, -1.0, f64::NAN]])
            .norm("log")
            .title("Decades")
            .xlabel("column")
            .ylabel("row")
            .colorbar_label("counts");
        let (picture, cells) = drawn(&figure);
        assert_eq!(cells.color(&picture, 0, 0), viridis(0.0));
        assert_eq!(cells.color(&picture, 0, 1), viridis(0.5));
        assert_eq!(cells.color(&picture, 0, 2), viridis(1.0));
        for column in 0..3 {
            assert_eq!(cells.color(&picture, 1, column), super::super::colormap::MISSING, "no logarithm");
        }
        save(&figure, "decades");
        drawn(&heatmap(&array![[0.0, -1.0]]).norm("log"));
        drawn(&heatmap(&array![[5.0]]).norm("log"));
        save(&heatmap(&Array2::<u8>::eye(16)).xlabel("column").ylabel("row").size(300, 200), "small_with_labels");
    }

    #[test]
    fn one_end_of_the_colours_can_be_set() {
        let (picture, cells) = drawn(&imshow(&array![[0.0, 1.0]]).vmax(2.0).cmap("gray"));
        assert_eq!(cells.color(&picture, 0, 1), [128; 3]);
        let (picture, cells) = drawn(&imshow(&array![[0.0, 1.0]]).vmin(-1.0).cmap("gray"));
        assert_eq!(cells.color(&picture, 0, 0), [128; 3]);
    }

    #[test]
    #[should_panic(expected = "Figure::vmin: from 3 to 1 is not a range; set both ends with `limits`")]
    fn an_end_beyond_the_other_one_panics() {
        let _ = imshow(&array![[0.0, 1.0]]).vmin(3.0);
    }

    #[test]
    fn a_colour_bar_goes_from_the_limits_at_the_bottom_to_the_top() {
        let figure = imshow(&array![[0.0, 1.0]]).limits(-1.0, 1.0).colormap("gray");
        let (picture, cells) = drawn(&figure);
        assert_eq!(cells.color(&picture, 0, 0), [128; 3]);
        let bar = draw::layout(&figure.image, &figure.options).bar.unwrap();
        let x = bar.left + bar.width / 2;
        assert!(picture.get_pixel(x, bar.top + 1).0[0] > 245);
        assert!(picture.get_pixel(x, bar.top + bar.height - 2).0[0] < 10);
        let bare = figure.colorbar(false);
        assert!(draw::layout(&bare.image, &bare.options).bar.is_none());
    }

    #[test]
    fn odd_images_are_drawn() {
        let text = |figure: &Figure| figure.to_string();
        let one = imshow(&array![[7i64]]);
        let (picture, cells) = drawn(&one);
        assert_eq!(cells.color(&picture, 0, 0), viridis(0.5));
        assert_eq!(text(&one), "Figure: image 1×1 i64, min 7, max 7");
        save(&one, "one");
        let constant = imshow(&Array2::<f32>::zeros((3, 5)));
        assert_eq!(text(&constant), "Figure: image 3×5 f32, min 0, max 0");
        save(&constant, "constant");
        let nan = imshow(&array![[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]]);
        let (picture, cells) = drawn(&nan);
        assert_eq!(cells.color(&picture, 0, 1), viridis(1.0));
        assert_eq!(cells.color(&picture, 0, 2), viridis(0.0));
        assert_eq!(text(&nan), "Figure: image 1×3 f64, no finite element");
        for (rows, columns) in [(1, 1000), (1000, 1), (1, 5000)] {
            let long = imshow(&Array2::from_shape_fn((rows, columns), |(i, j)| (i + j) as f32)).title("Long");
            let (picture, cells) = drawn(&long);
            assert!(cells.place.width >= 16 && cells.place.height >= 16, "{rows}×{columns}");
            assert!(picture.width() <= 600 && picture.height() <= 500);
            save(&long, &format!("long_{rows}x{columns}"));
        }
        let huge = imshow(&array![[-1e300, 1e300]]);
        let (picture, cells) = drawn(&huge);
        assert_eq!(cells.color(&picture, 0, 0), viridis(0.0));
        assert_eq!(cells.color(&picture, 0, 1), viridis(1.0));
        let extreme = imshow(&array![[f64::MIN, f64::MAX, 0.0]]);
        let (picture, cells) = drawn(&extreme);
        assert_eq!(cells.color(&picture, 0, 2), viridis(0.5));
        drawn(&imshow(&array![[1e-310, 2e-310]]));
        drawn(&imshow(&array![[1e16, 1e16 + 2.0]]));
    }

    #[test]
    fn large_images_are_drawn_fast() {
        let large = Array2::from_shape_fn((2048, 2048), |(i, j)| {
            let (x, y) = (i as f32 / 300.0 - 3.4, j as f32 / 300.0 - 3.4);
            (x * x + y * y).sin() * (-0.1 * (x * x + y * y)).exp()
        });
        let start = std::time::Instant::now();
        let figure = imshow(&large).title("Ripples, 2048×2048");
        let read = start.elapsed();
        figure.png();
        println!("2048×2048 read in {read:?}, drawn in {:?}", start.elapsed() - read);
        save(&figure, "ripples");
    }

    #[test]
    fn pictures_to_look_at() {
        let deltas = Array2::from_shape_fn((32, 32), |(i, j)| if (i % 16, j % 16) == (8, 8) { 1.0 } else { 0.0 });
        save(&imshow(&deltas), "deltas");
        save(&imshow(&deltas).title("No bar").colorbar(false).colormap("gray"), "deltas_gray");
        let small = Array2::from_shape_fn((120, 300), |(i, j)| 1e-6 * (i as f64 * 0.1).sin() * (j as f64 * 0.05).cos());
        save(&imshow(&small).colormap("magma").title("Äußeres Feld B\u{2093} (µT)"), "small_numbers");
        let big = Array2::from_shape_fn((300, 120), |(i, j)| (i * j) as i64 * 1_000_003 - 50_000_000);
        save(&imshow(&big).colormap("plasma"), "tall");
    }

    #[test]
    #[should_panic(expected = "there is no colour map \"jet\"")]
    fn an_unknown_colormap_panics_with_the_names() {
        let _ = imshow(&array![[1.0]]).colormap("jet");
    }

    #[test]
    #[should_panic(expected = "(1, 1) is not a range")]
    fn wrong_limits_panic() {
        let _ = imshow(&array![[1.0]]).limits(1.0, 1.0);
    }

    #[test]
    #[should_panic(expected = "10×9000 pixels cannot be drawn")]
    fn wrong_sizes_panic() {
        let _ = imshow(&array![[1.0]]).size(10, 9000);
    }
}
