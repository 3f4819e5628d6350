//! Means and variances in windows, for Wiener's filter. A GPU rounds here as the CPU does: a variance that is 0 must not be another
//! number because it was rounded once less.

use crate::array::{DeviceArray, RawArray};
use crate::backend::Layout;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::launch::try_launch_unchecked;
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered;
use warpcell_macros::{kernel, vectorize};
use warpcell_threads::{View, ViewMut, grid_stride};

/// Sums of `size` neighbours along an axis, as far as they are in the array, of which `inner` elements lie behind one of the axis; and
/// sums of the squares: of `data` along the first axis, then of `squares`, which the axis before has summed. Of the last axis the means
/// over `count` elements, and the variances.
#[kernel]
#[allow(clippy::too_many_arguments)]
fn sum_boxes(
    data: View<f64>,
    squares: View<f64>,
    inner: u64,
    length: u64,
    size: u64,
    count: f64,
    is_first: bool,
    is_last: bool,
    mut means: ViewMut<f64>,
    mut variances: ViewMut<f64>,
) {
    let (inner, length, size) = (inner as usize, length as usize, size as usize);
    let elements = means.len();
    let before = size / 2;
    for at in grid_stride(elements) {
        let place =
            if elements >> 32 == 0 { (at as u32 / inner as u32 % length as u32) as usize } else { at / inner % length };
        let left = place.min(before);
        let right = (size - before).min(length - place);
        let mut from = at - left * inner;
        let (mut sum, mut of_squares) = (0.0, 0.0);
        for _ in 0..left + right {
            let value = data[from];
            sum += value;
            of_squares += if is_first { value * value } else { squares[from] };
            from += inner;
        }
        if is_last {
            let mean = sum / count;
            means[at] = mean;
            variances[at] = of_squares / count - mean * mean;
        } else {
            means[at] = sum;
            variances[at] = of_squares;
        }
    }
}

/// The element without noise.
#[vectorize]
fn cleaned(value: f64, mean: f64, variance: f64, noise: f64) -> f64 {
    if variance < noise { mean } else { (value - mean) * (1.0 - noise / variance) + mean }
}

/// The image through Wiener's filter with windows of these sizes, which are as those of SciPy's "same".
pub(super) fn without_noise(
    operation: &'static str,
    x: &RawArray,
    sizes: &[usize],
    noise: Option<f64>,
    dtype: DType,
) -> Result<RawArray> {
    let image = if x.dtype == DType::F64 { x.contiguous(operation)? } else { x.converted(operation, DType::F64)? };
    let count = sizes.iter().product::<usize>() as f64;
    let flat = |raw: &RawArray| -> DeviceArray<f64> {
        let offset = raw.layout.offset;
        DeviceArray::from_raw(raw.with_layout(Layout { offset, ..Layout::contiguous(&[raw.size()]) }))
    };
    let new = || RawArray::uninitialised(operation, &x.handle, x.shape(), DType::F64);
    let (mut means, mut variances) = (image.clone(), image.clone());
    for (axis, &size) in sizes.iter().enumerate() {
        let [_, length, inner] = image.layout.around(axis);
        let (data, squares) = (flat(&means), flat(&variances));
        (means, variances) = (new()?, new()?);
        if image.size() > 0 {
            let (is_first, is_last) = (axis == 0, axis + 1 == sizes.len());
            let (inner, length, size) = (inner as u64, length as u64, size as u64);
            let (mut to, mut to_other) = (flat(&means), flat(&variances));
            let arguments = (&data, &squares, inner, length, size, count, is_first, is_last, &mut to, &mut to_other);
            let blocks = image.size().div_ceil(512);
            // SAFETY: a thread takes the elements that there are.
            unsafe { try_launch_unchecked(sum_boxes, blocks, 128, arguments)? };
        }
    }
    // Without waiting: the mean is an array without axes.
    let noise = match noise {
        Some(noise) => RawArray::filled(operation, &x.handle, &[], Scalar::F64(noise))?,
        None => {
            let all = DeviceArray::<f64>::from_raw(variances.clone());
            let mean = all.mean_axis((0..x.shape().len() as isize).collect::<Vec<_>>());
            (*mean.raw).clone()
        }
    };
    let operands = [&image, &means, &variances, &noise].map(RawOperand::Array);
    let found = registered(operation, std::any::type_name_of_val(&cleaned), &operands)?;
    if dtype == DType::F64 { Ok(found) } else { found.converted(operation, dtype) }
}
