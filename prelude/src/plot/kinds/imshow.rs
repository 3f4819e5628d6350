//! Arrays as pictures: [`imshow()`].

use super::super::image::{Image, ImageSource, Place};
use super::super::{builder::Plot, chart::PlotKind, colors::Colors, look::Look, mark::Mark};
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::number::general;

impl PlotKind for Image {
    fn name(&self) -> &'static str {
        "imshow"
    }

    fn describe(&self, _look: &Look) -> String {
        let (Image { dtype, range, .. }, (rows, columns)) = (self, self.shape);
        match (self.channels, range) {
            (1, Some((min, max))) => {
                format!("image {rows}×{columns} {dtype}, min {}, max {}", general(*min, 6), general(*max, 6))
            }
            (1, None) => format!("image {rows}×{columns} {dtype}, no finite element"),
            (channels, _) => format!("image {rows}×{columns} {dtype}, {}", if channels == 3 { "RGB" } else { "RGBA" }),
        }
    }

    fn marks(&self, _look: &Look) -> Vec<Mark<'_>> {
        vec![Mark::Picture(self)]
    }

    fn fills_axes(&self) -> bool {
        true
    }
}

/// Shows an array as a picture, as matplotlib's `imshow` does, with row 0 at the top.
///
/// `image`: a reference to an array on the host or on the device, or to a view of one, of floats, integers or bools. A 2-D
/// array gets a colour for each element, and a colour bar; NaN is drawn grey. An array of shape `(h, w, 3)` or
/// `(h, w, 4)`, such as [`imread`](crate::imread) gives, has the colours in it: red, green, blue and how opaque the pixel
/// is, as floats from 0 to 1 or as integers from 0 to 255. What is outside is clipped. An image with more elements than
/// pixels is averaged.
///
/// More is drawn over the picture by [`Plot::plot`], [`Plot::contour`] and so on: element `[i, j]` is at x = j and y = i.
/// The plot shows itself as the last expression of a cell; elsewhere call [`Plot::show`].
///
/// **Panics** if the array is empty or has another shape.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// use ndarray::{Array2, Array3};
///
/// let waves = Array2::from_shape_fn((64, 96), |(i, j)| (i as f32 / 9.0).sin() * (j as f32 / 9.0).cos());
/// gpu::imshow(&waves).title("Waves").cmap("magma").show();
///
/// let steps = Array2::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as u8);
/// assert_eq!(format!("{:?}", gpu::imshow(&steps)), "Figure: image 2×3 u8, min 0, max 5");
///
/// let red_to_blue = Array3::from_shape_fn((8, 64, 3), |(_, j, channel)| [63 - j, 0, j][channel] as f32 / 63.0);
/// assert_eq!(format!("{:?}", gpu::imshow(&red_to_blue)), "Figure: image 8×64 f32, RGB");
/// ```
#[track_caller]
pub fn imshow<A: ImageSource + ?Sized>(image: &A) -> Plot {
    check(try_imshow(image))
}

/// The same as [`imshow`], by the name that other libraries give it: a colour for each element of a 2-D array.
///
/// ```
/// let table = ndarray::array![[1.0, 10.0], [100.0, 1000.0]];
/// warpcell::heatmap(&table).norm("log").cmap("magma").xlabel("size").colorbar_label("ms").show();
/// ```
#[track_caller]
pub fn heatmap<A: ImageSource + ?Sized>(image: &A) -> Plot {
    imshow(image)
}

/// As [`imshow`], but returns the error.
///
/// **Errors**: `InvalidShape` if the array is empty or has another shape.
///
/// ```
/// use ndarray::Array2;
/// let error = warpcell::try_imshow(&Array2::<f32>::zeros((0, 4))).unwrap_err();
/// assert!(error.to_string().contains("no elements"));
/// ```
pub fn try_imshow<A: ImageSource + ?Sized>(image: &A) -> Result<Plot> {
    Ok(Plot::new().with_image(image.image()?))
}

/// Whether a word is the second of two.
#[track_caller]
fn word(operation: &'static str, given: &str, words: [&str; 2]) -> bool {
    if !words.contains(&given) {
        let reason = format!("there is no {given:?}; use {:?} or {:?}", words[0], words[1]);
        check::<()>(Err(Error::argument(operation, reason)));
    }
    given == words[1]
}

/// A plot of a picture.
pub(in crate::plot) fn of_image(image: Image) -> Plot {
    Plot::new().with_image(image)
}

impl Plot {
    /// Adds a picture. See [`imshow()`].
    ///
    /// ```
    /// let image = ndarray::array![[0.0, 1.0], [2.0, 3.0]];
    /// warpcell::Plot::new().imshow(&image).plot((&[0.0, 1.0], &[0.0, 1.0])).show();
    /// ```
    #[track_caller]
    pub fn imshow<A: ImageSource + ?Sized>(self, image: &A) -> Plot {
        let image = check(image.image());
        self.with_image(image)
    }

    /// Sets where row 0 of a picture is: "upper" (at first) or "lower".
    ///
    /// **Panics** for any other word, and for anything but a picture.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).origin("lower").show();
    /// ```
    #[track_caller]
    pub fn origin(self, origin: &str) -> Plot {
        let is_upward = word("Plot::origin", origin, ["upper", "lower"]);
        self.with_place("Plot::origin", |place| place.is_upward = is_upward)
    }

    /// Sets the coordinates of the edges of a picture: left, right, bottom and top. Units are then as long along both axes, unless
    /// [`Plot::aspect`] says something else.
    ///
    /// **Panics** if two edges are at one place or not finite, and for anything but a picture.
    ///
    /// ```
    /// # let image = ndarray::array![[1.0, 2.0]];
    /// warpcell::imshow(&image).origin("lower").extent([0.0, 10.0, -1.0, 1.0]).aspect("auto").show();
    /// ```
    #[track_caller]
    pub fn extent(self, extent: [impl IntoFloat; 4]) -> Plot {
        let extent = extent.map(|edge| edge.into_float());
        let [left, right, bottom, top] = extent;
        if !extent.iter().all(|edge| edge.is_finite()) || left == right || bottom == top {
            let reason = format!(
                "{extent:?} is not a rectangle; give left, right, bottom and top, such as `[0.0, 1.0, 0.0, 1.0]`"
            );
            check::<()>(Err(Error::argument("Plot::extent", reason)));
        }
        self.with_place("Plot::extent", |place| place.extent = Some(extent))
    }

    /// Sets the form of a picture: "equal" (at first), where units are as long along both axes, so that cells are squares; or "auto",
    /// where the picture takes all room that there is.
    ///
    /// **Panics** for any other word, and for anything but a picture.
    ///
    /// ```
    /// # let image = ndarray::Array2::<f64>::zeros((3, 500));
    /// warpcell::imshow(&image).aspect("auto").show();
    /// ```
    #[track_caller]
    pub fn aspect(self, aspect: &str) -> Plot {
        let is_stretched = word("Plot::aspect", aspect, ["equal", "auto"]);
        self.with_place("Plot::aspect", |place| place.is_stretched = is_stretched)
    }

    #[track_caller]
    fn with_place(self, operation: &'static str, change: impl FnOnce(&mut Place)) -> Plot {
        let example = "gpu::imshow(&image).origin(\"lower\").extent([0.0, 1.0, 0.0, 1.0]).aspect(\"auto\")";
        self.with_kind(operation, example, |image: &mut Image, _| change(&mut image.place))
    }

    fn with_image(self, image: Image) -> Plot {
        let colors = (image.channels == 1).then(|| Colors::new(image.range, image.least_positive()));
        self.with_series(image).with_last("imshow", |series| series.colors = colors)
    }
}

/// The type that [`imshow`] gave before pictures became plots.
#[deprecated(note = "write `gpu::Plot`")]
pub type Figure = Plot;

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::colormap::{Colormap, MISSING};
    use super::super::super::png::{Box2, Layout, layout, size};
    use super::super::super::tests::{WHITE, picture, save};
    use super::*;
    use ::image::RgbImage;
    use ndarray::{Array2, array};

    /// The picture, and the range of pixels of the cells: found as what the frame encloses.
    fn drawn(figure: &Plot) -> (RgbImage, Cells) {
        let cells = Cells { place: parts(figure).inside, shape: figure.chart().picture().unwrap().shape };
        (picture(figure), cells)
    }

    fn parts(figure: &Plot) -> Layout {
        let (width, height) = size(figure.chart());
        layout(figure.chart(), Box2 { left: 0, top: 0, width, height })
    }

    struct Cells {
        place: Box2,
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

    pub fn hard_to_draw() -> Vec<Plot> {
        vec![
            imshow(&array![[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]]),
            imshow(&array![[-1e300, 1e300]]).xlim(0.2, 0.3),
            imshow(&Array2::<f32>::zeros((1, 5000))).xscale("log"),
            imshow(&array![[0.0, -1.0]]).norm("log"),
            imshow(&array![[5.0]]).norm("log").ylim(-7.0, 9.0),
            imshow(&array![[[f64::NAN, 1.0, 2.0]], [[-1.0, 7.0, f64::INFINITY]]]).size(200, 150),
        ]
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
            (1, 1, MISSING),
            (1, 2, viridis(1.0)),
        ] {
            assert_eq!(cells.color(&picture, row, column), expected, "row {row}, column {column}");
        }
        assert_eq!(cells.place.width * 2, cells.place.height * 3, "cells are square");
        assert_eq!(*picture.get_pixel(0, 0), WHITE);
        save(&figure, "two_rows");
    }

    #[test]
    fn a_picture_has_a_place() {
        let array = array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
        let lower = imshow(&array).origin("lower");
        let (picture, cells) = drawn(&lower);
        assert_eq!(cells.color(&picture, 1, 0), viridis(0.0), "row 0 is at the bottom");
        assert_eq!(cells.color(&picture, 0, 2), viridis(1.0));
        let (picture, cells) = drawn(&imshow(&array).origin("lower").extent([0, 30, 0, 10]));
        assert_eq!(cells.place.width, 3 * cells.place.height, "units are as long along both axes");
        assert_eq!(cells.color(&picture, 1, 0), viridis(0.0));
        let stretched = imshow(&array).extent([0.0, 1.0, 5.0, 2.0]).aspect("auto").size(400, 300);
        let (picture, cells) = drawn(&stretched);
        assert!(cells.place.width > 200 && cells.place.height > 200);
        assert_eq!(cells.color(&picture, 0, 0), viridis(0.0));
        let layout = parts(&stretched);
        assert_eq!((layout.y.min, layout.y.max), (5.0, 2.0));
        save(&stretched, "stretched");
    }

    #[test]
    #[should_panic(expected = "there is no \"bottom\"; use \"upper\" or \"lower\"")]
    fn a_wrong_origin_panics() {
        let _ = imshow(&array![[1.0]]).origin("bottom");
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
            assert_eq!(cells.color(&picture, 1, column), MISSING, "no logarithm");
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
    #[should_panic(expected = "Plot::vmin: from 3 to 1 is not a range; set both ends with `limits`")]
    fn an_end_beyond_the_other_one_panics() {
        let _ = imshow(&array![[0.0, 1.0]]).vmin(3.0);
    }

    #[test]
    fn a_colour_bar_goes_from_the_limits_at_the_bottom_to_the_top() {
        let figure = imshow(&array![[0.0, 1.0]]).limits(-1.0, 1.0).colormap("gray");
        let (picture, cells) = drawn(&figure);
        assert_eq!(cells.color(&picture, 0, 0), [128; 3]);
        let (bar, _) = parts(&figure).bar.unwrap();
        let x = bar.left + bar.width / 2;
        assert!(picture.get_pixel(x, bar.top + 1).0[0] > 245);
        assert!(picture.get_pixel(x, bar.top + bar.height - 2).0[0] < 10);
        let bare = figure.colorbar(false);
        assert!(parts(&bare).bar.is_none());
    }

    #[test]
    fn odd_images_are_drawn() {
        let text = |figure: &Plot| figure.to_string();
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
