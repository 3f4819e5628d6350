//! What can be shown as an image: [`ImageSource`], and the reduced copy of it that a figure keeps.

use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::error::{Error, Result};
use half::{bf16, f16};
use ndarray::{ArrayBase, ArrayView2, Data, Dimension, Ix2};

/// The longest side of the copy that a figure keeps; a larger image is averaged over blocks.
const LONGEST: usize = 1024;

/// A 2-D array that [`imshow`](crate::imshow) can show: a host array (`ndarray`, owned or a view) of floats,
/// integers or bools. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown as an image",
    label = "not a 2-D array of numbers",
    note = "`gpu::imshow` takes a reference to a 2-D array of floats, integers or bools: `gpu::imshow(&image)`"
)]
pub trait ImageSource: sealed::Sealed {
    #[doc(hidden)]
    fn image(&self) -> Result<Image>;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Element + Pixel> sealed::Sealed for DeviceArray<T> {}

impl<T: Element + Pixel> ImageSource for DeviceArray<T> {
    #[doc(hidden)]
    fn image(&self) -> Result<Image> {
        self.to_host().image()
    }
}

impl<S: Data<Elem = T>, D: Dimension, T: Pixel> sealed::Sealed for ArrayBase<S, D> {}

impl<S: Data<Elem = T>, D: Dimension, T: Pixel> ImageSource for ArrayBase<S, D> {
    #[doc(hidden)]
    fn image(&self) -> Result<Image> {
        match self.view().into_dimensionality::<Ix2>() {
            Ok(view) => T::image(view),
            Err(_) => Err(wrong_rank(self.shape())),
        }
    }
}

#[cold]
fn wrong_rank(shape: &[usize]) -> Error {
    let reason = match shape.len() {
        0 | 1 => "is not an image; give a 2-D array, such as `x.insert_axis(Axis(0))` for one row",
        _ => "has too many axes; give a 2-D array, such as one plane of it: `x.index_axis(Axis(0), 0)`",
    };
    Error::InvalidShape { operation: "imshow", shape: shape.to_vec(), reason: reason.into() }
}

/// A number type of host arrays. Its method is compiled here for each type, not in each cell.
#[diagnostic::on_unimplemented(
    message = "an array of `{Self}` cannot be shown as an image",
    note = "convert its elements to floats first: `image.mapv(|x| …)`"
)]
#[doc(hidden)]
pub trait Pixel: Copy + sealed::Sealed {
    fn image(view: ArrayView2<'_, Self>) -> Result<Image>;
}

macro_rules! pixels {
    ($($type:ident: $value:ident => $number:expr),*) => {$(
        impl sealed::Sealed for $type {}
        impl Pixel for $type {
            fn image(view: ArrayView2<'_, $type>) -> Result<Image> {
                Image::reduced(view.dim(), stringify!($type), &mut |row, numbers| {
                    for (number, &$value) in numbers.iter_mut().zip(view.row(row)) {
                        *number = $number;
                    }
                })
            }
        }
    )*};
}
pixels!(
    f32: x => f64::from(x), f64: x => x, f16: x => f64::from(x), bf16: x => f64::from(x), bool: x => f64::from(u8::from(x)),
    u8: x => f64::from(x), u16: x => f64::from(x), u32: x => f64::from(x), u64: x => x as f64, usize: x => x as f64,
    i8: x => f64::from(x), i16: x => f64::from(x), i32: x => f64::from(x), i64: x => x as f64, isize: x => x as f64
);

/// An image as a figure keeps it.
#[derive(Clone, PartialEq)]
#[doc(hidden)]
pub struct Image {
    /// Rows and columns of the original.
    pub(super) shape: (usize, usize),
    /// The original's element type.
    pub(super) dtype: &'static str,
    /// The least and the largest finite element, if there is one.
    pub(super) range: Option<(f64, f64)>,
    /// How many rows and columns of the original one element of `values` stands for.
    block: (usize, usize),
    /// Means over blocks, row by row; NaN where a block has no number.
    values: Vec<f64>,
}

impl Image {
    /// Reads an image row by row: `read` fills in the row of the given index.
    fn reduced(shape: (usize, usize), dtype: &'static str, read: &mut dyn FnMut(usize, &mut [f64])) -> Result<Image> {
        let (rows, columns) = shape;
        if rows == 0 || columns == 0 {
            return Err(Error::InvalidShape {
                operation: "imshow",
                shape: vec![rows, columns],
                reason: "has no elements; an image needs at least one row and one column".into(),
            });
        }
        let block = (rows.div_ceil(LONGEST), columns.div_ceil(LONGEST));
        let mut range = Range::default();
        let mut numbers = vec![0.0; columns];
        let mut means = Means::new(columns.div_ceil(block.1));
        let mut values = Vec::with_capacity(rows.div_ceil(block.0) * columns.div_ceil(block.1));
        for row in 0..rows {
            read(row, &mut numbers);
            range.add(&numbers);
            if block == (1, 1) {
                values.extend_from_slice(&numbers);
                continue;
            }
            means.add(numbers.chunks(block.1));
            if (row + 1) % block.0 == 0 || row + 1 == rows {
                means.take(&mut values);
            }
        }
        Ok(Image { shape, dtype, range: range.ends(), block, values })
    }

    /// The least number over 0, if there is one.
    pub(super) fn least_positive(&self) -> Option<f64> {
        self.values.iter().copied().filter(|value| *value > 0.0 && value.is_finite()).min_by(f64::total_cmp)
    }

    /// The image at a size of so many pixels, row by row: each pixel is the mean of the cells that it covers, or the
    /// one cell in which it lies.
    pub(super) fn resampled(&self, (height, width): (usize, usize)) -> Vec<f64> {
        let columns = self.shape.1.div_ceil(self.block.1);
        let ranges: Vec<_> = (0..width).map(|x| covered(x, width, self.shape.1, self.block.1)).collect();
        let mut means = Means::new(width);
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            for row in covered(y, height, self.shape.0, self.block.0) {
                let row = &self.values[row * columns..(row + 1) * columns];
                means.add(ranges.iter().map(|range| &row[range.clone()]));
            }
            means.take(&mut pixels);
        }
        pixels
    }
}

/// The stored cells under one of `pixels` pixels along an axis of `cells` cells, `block` of which are stored as one.
fn covered(pixel: usize, pixels: usize, cells: usize, block: usize) -> std::ops::Range<usize> {
    let start = pixel * cells / pixels;
    let end = ((pixel + 1) * cells / pixels).max(start + 1);
    start / block..end.div_ceil(block)
}

/// The least and the largest finite number, in lanes of their own so that the compiler can use vector instructions.
struct Range {
    least: [f64; 8],
    largest: [f64; 8],
}

impl Default for Range {
    fn default() -> Range {
        Range { least: [f64::INFINITY; 8], largest: [f64::NEG_INFINITY; 8] }
    }
}

impl Range {
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

/// Means of groups of numbers that come row by row; NaN is left out.
struct Means {
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Means {
    fn new(groups: usize) -> Means {
        Means { sums: vec![0.0; groups], counts: vec![0.0; groups] }
    }

    fn add<'a>(&mut self, groups: impl Iterator<Item = &'a [f64]>) {
        for ((sum, count), group) in self.sums.iter_mut().zip(&mut self.counts).zip(groups) {
            for &number in group {
                let present = !number.is_nan();
                *sum += if present { number } else { 0.0 };
                *count += f64::from(u8::from(present));
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
    use ndarray::{Array2, array, s};

    #[test]
    fn elements_of_all_types_and_views() {
        let image = array![[1.0f32, -2.5], [f32::NAN, 4.0]].image().unwrap();
        assert_eq!((image.shape, image.dtype, image.range), ((2, 2), "f32", Some((-2.5, 4.0))));
        assert_eq!(array![[true, false]].image().unwrap().range, Some((0.0, 1.0)));
        let halves = crate::asarray(&array![[0.5f32, -1.5]]).astype::<f16>().image().unwrap();
        assert_eq!((halves.dtype, halves.range), ("f16", Some((-1.5, 0.5))));
        assert_eq!(array![[u64::MAX]].image().unwrap().range, Some((u64::MAX as f64, u64::MAX as f64)));
        let whole = Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as i32);
        assert_eq!(
            whole.slice(s![1.., ..;2]).image().unwrap().resampled((3, 3)),
            [10., 12., 14., 20., 22., 24., 30., 32., 34.]
        );
        assert_eq!(whole.t().image().unwrap().shape, (6, 4));
        assert_eq!(whole.into_dyn().image().unwrap().shape, (4, 6));
        assert_eq!(array![[f64::NAN, f64::INFINITY]].image().unwrap().range, None);
    }

    #[test]
    fn errors_say_what_to_do() {
        let message = |source: &dyn ImageSource| source.image().map(|_| ()).unwrap_err().to_string();
        expect_test::expect![
            "imshow: the shape [0, 3] has no elements; an image needs at least one row and one column"
        ]
        .assert_eq(&message(&Array2::<f32>::zeros((0, 3))));
        expect_test::expect!["imshow: the shape [3, 4, 5] has too many axes; give a 2-D array, such as one plane of it: `x.index_axis(Axis(0), 0)`"].assert_eq(&message(&ndarray::Array3::<f32>::zeros((3, 4, 5))));
        expect_test::expect![
            "imshow: the shape [2] is not an image; give a 2-D array, such as `x.insert_axis(Axis(0))` for one row"
        ]
        .assert_eq(&message(&array![1, 2]));
    }

    #[test]
    fn large_images_are_averaged() {
        let large = Array2::from_shape_fn((2050, 5), |(i, _)| i as f64);
        let image = large.image().unwrap();
        assert_eq!((image.block, image.values.len()), ((3, 1), 684 * 5));
        assert_eq!(&image.values[..6], [1.0, 1.0, 1.0, 1.0, 1.0, 4.0]);
        assert_eq!(image.values.last(), Some(&2049.0), "the last block has one row");
        assert_eq!(image.range, Some((0.0, 2049.0)), "of the elements, not of their means");
        let halves = image.resampled((2, 1));
        assert!((halves[0] - 512.0).abs() < 2.0 && (halves[1] - 1537.0).abs() < 2.0, "{halves:?}");
    }

    #[test]
    fn pixels_are_means_or_cells() {
        let image = array![[1.0, 2.0], [3.0, f64::NAN]].image().unwrap();
        assert_eq!(image.resampled((1, 2)), [2.0, 2.0]);
        let large = image.resampled((4, 4));
        assert_eq!(large[..4], [1.0, 1.0, 2.0, 2.0]);
        assert_eq!(large[8..10], [3.0, 3.0]);
        assert!(large[10].is_nan());
    }
}
