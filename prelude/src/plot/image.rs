//! What can be shown as a picture: [`ImageSource`], and the reduced copy of it that a plot keeps.

use super::values::Numeral;
use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::error::{Error, Result};
use ndarray::{ArrayBase, ArrayViewD, Axis, Data, Dimension};
use std::fmt;
use std::ops::Range;

/// The longest side of the copy that a plot keeps; a larger image is averaged over blocks.
pub(super) const LONGEST: usize = 1024;

/// An array that [`imshow`](crate::imshow()) can show: on the host (`ndarray`, owned or a view) or on the device, of floats,
/// integers or bools, of shape `(h, w)`, `(h, w, 3)` or `(h, w, 4)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown as an image",
    label = "not an array of numbers",
    note = "`gpu::imshow` takes a reference to an array of floats, integers or bools: `gpu::imshow(&image)`"
)]
pub trait ImageSource: sealed::Sealed {
    #[doc(hidden)]
    fn image(&self) -> Result<Image>;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Element + Numeral> sealed::Sealed for DeviceArray<T> {}

impl<T: Element + Numeral> ImageSource for DeviceArray<T> {
    #[doc(hidden)]
    fn image(&self) -> Result<Image> {
        require_image(self.shape(), "permute_dims")?;
        self.to_host().image()
    }
}

impl<S: Data<Elem = T>, D: Dimension, T: Numeral> sealed::Sealed for ArrayBase<S, D> {}

impl<S: Data<Elem = T>, D: Dimension, T: Numeral> ImageSource for ArrayBase<S, D> {
    #[doc(hidden)]
    fn image(&self) -> Result<Image> {
        require_image(self.shape(), "view().permuted_axes")?;
        Ok(T::image(self.view().into_dyn()))
    }
}

/// An array of images that [`video`](crate::video()) can show: on the host or on the device, of shape `(n, h, w)`, `(n, h, w, 3)` or `(n, h, w, 4)`.
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of frames",
    label = "expected images one after another",
    note = "`gpu::video` takes a reference to an array of shape `(frames, rows, columns)`, or a `Vec` of images or of plots: \
            `gpu::video(&images)`, `gpu::video(plots)`"
)]
pub trait SeveralImages: sealed::Sealed {
    /// Calls `take` with one after the other.
    #[doc(hidden)]
    fn each_image(&self, take: &mut dyn FnMut(Image)) -> Result<()>;
}

impl<T: Element + Numeral> SeveralImages for DeviceArray<T> {
    #[doc(hidden)]
    fn each_image(&self, take: &mut dyn FnMut(Image)) -> Result<()> {
        require_images(self.shape(), "permute_dims")?;
        self.to_host().each_image(take)
    }
}

impl<S: Data<Elem = T>, D: Dimension, T: Numeral> SeveralImages for ArrayBase<S, D> {
    #[doc(hidden)]
    fn each_image(&self, take: &mut dyn FnMut(Image)) -> Result<()> {
        require_images(self.shape(), "view().permuted_axes")?;
        self.view().into_dyn().outer_iter().for_each(|image| take(T::image(image)));
        Ok(())
    }
}

/// As [`require_image`], for images one after another.
fn require_images(shape: &[usize], permute: &str) -> Result<()> {
    let reason = match *shape {
        [_, 0, _] | [_, _, 0] | [_, 0, _, 1 | 3 | 4] | [_, _, 0, 1 | 3 | 4] => {
            "has no elements; an image needs at least one row and one column".to_owned()
        }
        [_, _, _] | [_, _, _, 1 | 3 | 4] => return Ok(()),
        [_, _] => {
            "is that of one image; show it by `gpu::imshow(&x)`, or give an array of shape (frames, rows, columns)"
                .to_owned()
        }
        [_, 3 | 4, _, _] => format!(
            "has the colours on axis 1, and they belong on the last one; write `gpu::video(&x.{permute}((0, 2, 3, 1)))`"
        ),
        _ => format!(
            "has {} axes; a video is `(frames, rows, columns)`, or with colours `(frames, rows, columns, 3)`",
            shape.len()
        ),
    };
    Err(Error::shape("video", shape, reason))
}

/// Says what to write where a shape is not that of a picture. `permute` is the method that gives the axes another order.
fn require_image(shape: &[usize], permute: &str) -> Result<()> {
    let reason = match *shape {
        [0, _] | [_, 0] | [0, _, 1 | 3 | 4] | [_, 0, 1 | 3 | 4] => {
            "has no elements; an image needs at least one row and one column".into()
        }
        [_, _] | [_, _, 1 | 3 | 4] => return Ok(()),
        [_] => "is that of one row; write `gpu::imshow(&x.slice(s![NewAxis, ..]))`".into(),
        [3 | 4, _, _] => format!(
            "has the colours on the first axis, and they belong on the last one; write \
             `gpu::imshow(&x.{permute}((1, 2, 0)))`"
        ),
        [_, _, _] => "has too many axes; an image is `(h, w)`, `(h, w, 3)` or `(h, w, 4)`; show a part of it by \
                      `gpu::imshow(&x.slice(s![0, .., ..]))`"
            .into(),
        _ => format!(
            "has {} axes; an image is `(h, w)`, `(h, w, 3)` or `(h, w, 4)`; show a part of it, such as \
             `gpu::imshow(&x.slice(s![0, 0, .., ..]))` of an array with four axes",
            shape.len()
        ),
    };
    Err(Error::shape("imshow", shape, reason))
}

/// Where an image is drawn.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Place {
    /// Left, right, bottom and top in the coordinates of the axes; of cells, unless they are given.
    pub extent: Option<[f64; 4]>,
    /// Whether row 0 is at the bottom.
    pub is_upward: bool,
    /// Whether the picture takes all room that there is; otherwise units are as long along both axes.
    pub is_stretched: bool,
}

/// An image as a plot keeps it.
#[derive(Clone, PartialEq)]
#[doc(hidden)]
pub struct Image {
    /// Rows and columns of the original.
    pub(super) shape: (usize, usize),
    /// Numbers of one element: 1, or the parts of its colour, 3 or 4.
    pub(super) channels: usize,
    /// The original's element type.
    pub(super) dtype: &'static str,
    /// The least and the largest finite element, if there is one.
    pub(super) range: Option<(f64, f64)>,
    /// Where it is drawn.
    pub(super) place: Place,
    /// How many rows and columns of the original one element of `values` stands for.
    block: (usize, usize),
    /// Means over blocks, row by row, all channels of an element together; NaN where a block has no number. The parts of
    /// colours go from 0 to 1.
    values: Vec<f64>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image {{ shape: {:?}, channels: {}, dtype: {} }}", self.shape, self.channels, self.dtype)
    }
}

impl Image {
    /// Reads an array of the shape of a picture, row by row. Parts of colours are from 0 to `full`.
    pub(super) fn read<T: Numeral>(array: ArrayViewD<'_, T>, dtype: &'static str, full: f64) -> Image {
        let (rows, columns) = (array.shape()[0], array.shape()[1]);
        let channels = array.shape().get(2).copied().unwrap_or(1);
        let unit = if channels == 1 { 1.0 } else { full };
        let block = (rows.div_ceil(LONGEST), columns.div_ceil(LONGEST));
        let mut extremes = Extremes::default();
        let mut numbers = vec![0.0; columns * channels];
        let mut means = Means::new(columns.div_ceil(block.1), channels);
        let mut values = Vec::with_capacity(rows.div_ceil(block.0) * columns.div_ceil(block.1) * channels);
        for row in 0..rows {
            let elements = array.index_axis(Axis(0), row);
            match elements.as_slice() {
                Some(slice) => numbers.iter_mut().zip(slice).for_each(|(number, x)| *number = x.number() / unit),
                None => numbers.iter_mut().zip(elements).for_each(|(number, x)| *number = x.number() / unit),
            }
            extremes.add(&numbers);
            if block == (1, 1) {
                values.extend_from_slice(&numbers);
                continue;
            }
            means.add(numbers.chunks(block.1 * channels));
            if (row + 1) % block.0 == 0 || row + 1 == rows {
                means.take(&mut values);
            }
        }
        Image {
            shape: (rows, columns),
            channels,
            dtype,
            range: extremes.ends(),
            place: Place::default(),
            block,
            values,
        }
    }

    /// A picture of one number for each block of elements, of an array of this shape.
    pub(super) fn of_blocks(
        shape: (usize, usize),
        block: (usize, usize),
        dtype: &'static str,
        values: Vec<f64>,
    ) -> Image {
        debug_assert_eq!(values.len(), shape.0.div_ceil(block.0) * shape.1.div_ceil(block.1));
        let mut extremes = Extremes::default();
        extremes.add(&values);
        Image { shape, channels: 1, dtype, range: extremes.ends(), place: Place::default(), block, values }
    }

    /// Left, right, bottom and top: element (i, j) fills the square around (j, i) unless something else is given.
    pub(super) fn extent(&self) -> [f64; 4] {
        let [low, high] = [-0.5, self.shape.0 as f64 - 0.5];
        let [bottom, top] = if self.place.is_upward { [low, high] } else { [high, low] };
        self.place.extent.unwrap_or([-0.5, self.shape.1 as f64 - 0.5, bottom, top])
    }

    /// The least number over 0, if there is one.
    pub(super) fn least_positive(&self) -> Option<f64> {
        let least = |least, &value: &f64| if value > 0.0 && value < least { value } else { least };
        Some(self.values.iter().fold(f64::INFINITY, least)).filter(|least| least.is_finite())
    }

    /// A part of the image at a size of so many pixels, row by row: each pixel is the mean of the cells that it covers, or
    /// the one cell in which it lies. `size` is that of the whole image, `rows` and `columns` are the pixels of it that are
    /// wanted.
    pub(super) fn resampled(&self, size: (usize, usize), rows: Range<usize>, columns: Range<usize>) -> Vec<f64> {
        let stored = self.shape.1.div_ceil(self.block.1);
        let under = |x| covered(x, size.1, self.shape.1, self.block.1);
        let ranges: Vec<_> =
            columns.map(under).map(|cells| cells.start * self.channels..cells.end * self.channels).collect();
        let mut means = Means::new(ranges.len(), self.channels);
        let mut pixels = Vec::with_capacity(rows.len() * ranges.len() * self.channels);
        for y in rows {
            for row in covered(y, size.0, self.shape.0, self.block.0) {
                let row = &self.values[row * stored * self.channels..(row + 1) * stored * self.channels];
                means.add(ranges.iter().map(|range| &row[range.clone()]));
            }
            means.take(&mut pixels);
        }
        pixels
    }
}

/// The stored cells under one of `pixels` pixels along an axis of `cells` cells, `block` of which are stored as one.
fn covered(pixel: usize, pixels: usize, cells: usize, block: usize) -> Range<usize> {
    let start = pixel * cells / pixels;
    let end = ((pixel + 1) * cells / pixels).max(start + 1);
    start / block..end.div_ceil(block)
}

/// The least and the largest finite number, in lanes of their own so that the compiler can use vector instructions.
struct Extremes {
    least: [f64; 8],
    largest: [f64; 8],
}

impl Default for Extremes {
    fn default() -> Extremes {
        Extremes { least: [f64::INFINITY; 8], largest: [f64::NEG_INFINITY; 8] }
    }
}

impl Extremes {
    fn add(&mut self, numbers: &[f64]) {
        let (chunks, rest) = numbers.as_chunks::<8>();
        for chunk in chunks {
            self.add_lanes(chunk);
        }
        let mut last = [f64::NAN; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add_lanes(&last);
    }

    fn add_lanes(&mut self, numbers: &[f64; 8]) {
        for ((least, largest), &number) in self.least.iter_mut().zip(&mut self.largest).zip(numbers) {
            // False for NaN as for the infinities.
            let finite = number.abs() < f64::INFINITY;
            *least = if finite & (number < *least) { number } else { *least };
            *largest = if finite & (number > *largest) { number } else { *largest };
        }
    }

    fn ends(&self) -> Option<(f64, f64)> {
        let least = self.least.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = self.largest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (least <= largest).then_some((least, largest))
    }
}

/// Means of groups of elements that come row by row, one mean for each channel; NaN is left out.
struct Means {
    channels: usize,
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Means {
    fn new(groups: usize, channels: usize) -> Means {
        Means { channels, sums: vec![0.0; groups * channels], counts: vec![0.0; groups * channels] }
    }

    fn add<'a>(&mut self, groups: impl Iterator<Item = &'a [f64]>) {
        let sums = self.sums.chunks_mut(self.channels).zip(self.counts.chunks_mut(self.channels));
        for ((sums, counts), group) in sums.zip(groups) {
            for element in group.chunks(self.channels) {
                for ((sum, count), &number) in sums.iter_mut().zip(counts.iter_mut()).zip(element) {
                    let present = !number.is_nan();
                    *sum += if present { number } else { 0.0 };
                    *count += f64::from(u8::from(present));
                }
            }
        }
    }

    fn take(&mut self, means: &mut Vec<f64>) {
        // 0/0 is NaN: a group without numbers.
        means.extend(self.sums.iter().zip(&self.counts).map(|(sum, count)| sum / count));
        self.sums.fill(0.0);
        self.counts.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use ndarray::{Array2, Array3, Array4, array, s};

    fn whole(image: &Image, (height, width): (usize, usize)) -> Vec<f64> {
        image.resampled((height, width), 0..height, 0..width)
    }

    #[test]
    fn elements_of_all_types_and_views() {
        let image = array![[1.0f32, -2.5], [f32::NAN, 4.0]].image().unwrap();
        assert_eq!((image.shape, image.dtype, image.range), ((2, 2), "f32", Some((-2.5, 4.0))));
        assert_eq!(array![[true, false]].image().unwrap().range, Some((0.0, 1.0)));
        let halves = crate::asarray(&array![[0.5f32, -1.5]]).astype::<f16>().image().unwrap();
        assert_eq!((halves.dtype, halves.range), ("f16", Some((-1.5, 0.5))));
        assert_eq!(array![[u64::MAX]].image().unwrap().range, Some((u64::MAX as f64, u64::MAX as f64)));
        let array = Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as i32);
        let part = array.slice(s![1.., ..;2]).image().unwrap();
        assert_eq!(whole(&part, (3, 3)), [10., 12., 14., 20., 22., 24., 30., 32., 34.]);
        assert_eq!(part.resampled((3, 3), 1..3, 0..2), [20., 22., 30., 32.]);
        assert_eq!(array.t().image().unwrap().shape, (6, 4));
        assert_eq!(array.into_dyn().image().unwrap().shape, (4, 6));
        assert_eq!(array![[f64::NAN, f64::INFINITY]].image().unwrap().range, None);
    }

    #[test]
    fn colours_are_parts_of_1() {
        let bytes = Array3::from_shape_fn((2, 5, 3), |(i, j, channel)| (51 * (i + j) * channel / 2) as u8);
        for image in [bytes.image().unwrap(), crate::asarray(&bytes).image().unwrap()] {
            assert_eq!((image.shape, image.channels, image.dtype), ((2, 5), 3, "u8"));
            assert_eq!(whole(&image, (2, 5))[27..], [0.0, 127.0 / 255.0, 1.0]);
        }
        let floats = array![[[0.0, 0.5, 1.0, 0.25], [1.0, 0.5, 0.0, 0.75]]].image().unwrap();
        assert_eq!((floats.channels, whole(&floats, (1, 1))), (4, vec![0.5, 0.5, 0.5, 0.5]));
        assert_eq!(Array3::<bool>::default((2, 3, 1)).image().unwrap().channels, 1);
        let large = Array3::from_shape_fn((2, 2050, 3), |(_, j, channel)| (j % 3 * channel) as f32);
        assert_eq!(large.image().unwrap().values[..6], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn errors_say_what_to_write() {
        let message = |source: &dyn ImageSource| source.image().map(|_| ()).unwrap_err().to_string();
        let cube = Array3::<f32>::zeros((3, 8, 9));
        expect_test::expect![[r#"
            imshow: the shape [0, 3] has no elements; an image needs at least one row and one column
            imshow: the shape [8, 0, 3] has no elements; an image needs at least one row and one column
            imshow: the shape [5, 4, 6] has too many axes; an image is `(h, w)`, `(h, w, 3)` or `(h, w, 4)`; show a part of it by `gpu::imshow(&x.slice(s![0, .., ..]))`
            imshow: the shape [3, 8, 9] has the colours on the first axis, and they belong on the last one; write `gpu::imshow(&x.view().permuted_axes((1, 2, 0)))`
            imshow: the shape [3, 8, 9] has the colours on the first axis, and they belong on the last one; write `gpu::imshow(&x.permute_dims((1, 2, 0)))`
            imshow: the shape [2, 2, 2, 2] has 4 axes; an image is `(h, w)`, `(h, w, 3)` or `(h, w, 4)`; show a part of it, such as `gpu::imshow(&x.slice(s![0, 0, .., ..]))` of an array with four axes
            imshow: the shape [2] is that of one row; write `gpu::imshow(&x.slice(s![NewAxis, ..]))`"#]]
        .assert_eq(
            &[
                message(&Array2::<f32>::zeros((0, 3))),
                message(&Array3::<u8>::zeros((8, 0, 3))),
                message(&Array3::<f32>::zeros((5, 4, 6))),
                message(&cube),
                message(&crate::asarray(&cube)),
                message(&Array4::<u8>::zeros((2, 2, 2, 2))),
                message(&array![1, 2]),
            ]
            .join("\n"),
        );
        assert!(cube.view().permuted_axes((1, 2, 0)).image().is_ok());
        assert!(array![1, 2].slice(s![ndarray::NewAxis, ..]).image().is_ok());
    }

    #[test]
    fn large_images_are_averaged() {
        let large = Array2::from_shape_fn((2050, 5), |(i, _)| i as f64);
        let image = large.image().unwrap();
        assert_eq!((image.block, image.values.len()), ((3, 1), 684 * 5));
        assert_eq!(&image.values[..6], [1.0, 1.0, 1.0, 1.0, 1.0, 4.0]);
        assert_eq!(image.values.last(), Some(&2049.0), "the last block has one row");
        assert_eq!(image.range, Some((0.0, 2049.0)), "of the elements, not of their means");
        let halves = whole(&image, (2, 1));
        assert!((halves[0] - 512.0).abs() < 2.0 && (halves[1] - 1537.0).abs() < 2.0, "{halves:?}");
    }

    #[test]
    fn pixels_are_means_or_cells() {
        let image = array![[1.0, 2.0], [3.0, f64::NAN]].image().unwrap();
        assert_eq!(whole(&image, (1, 2)), [2.0, 2.0]);
        let large = whole(&image, (4, 4));
        assert_eq!(large[..4], [1.0, 1.0, 2.0, 2.0]);
        assert_eq!(large[8..10], [3.0, 3.0]);
        assert!(large[10].is_nan());
    }
}
