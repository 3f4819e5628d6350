//! Signals from the transforms of their segments.

use super::is_density;
use super::kernels::overlap_add;
use crate::array::axes::axis_of;
use crate::array::{DeviceArray, RawArray};
use crate::backend::Layout;
use crate::error::{Error, Result};
use crate::fft::{Norm, ifft_with, irfft_with};
use crate::signal::windows::sealed::Specified;
use crate::signal::windows::weights;
use num_complex::Complex;

#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub(super) fn joined(
    z: &RawArray,
    fs: f64,
    window: &dyn Specified,
    [nperseg, noverlap, nfft]: [Option<usize>; 3],
    onesided: bool,
    boundary: bool,
    axes: [isize; 2],
    scaling: &str,
    dtype: crate::DType,
) -> Result<(DeviceArray<f64>, RawArray)> {
    const NAME: &str = "istft";
    let wrong = |reason: String| Err(Error::argument(NAME, reason));
    let density = is_density(NAME, scaling, ["psd", "spectrum"])?;
    let rank = z.shape().len();
    if rank < 2 {
        return Err(Error::shape(NAME, z.shape(), "has less than two axes; give one of times and one of frequencies"));
    }
    let (time, frequency) = (axis_of(NAME, z.shape(), axes[0])?, axis_of(NAME, z.shape(), axes[1])?);
    if time == frequency {
        return wrong(format!("`time_axis` and `freq_axis` are both {time}"));
    }
    // Times, then frequencies, at the end.
    let last = z.moved(frequency, rank - 1);
    let time_now = if time > frequency { time - 1 } else { time };
    let last = last.moved(time_now, rank - 2);
    let (segments, count) = (last.shape()[rank - 2], last.shape()[rank - 1]);
    if segments == 0 || count == 0 {
        return Err(Error::shape(NAME, z.shape(), "has no segments"));
    }
    let most = if onesided { 2 * (count - 1) } else { count };
    let nperseg = nperseg.unwrap_or(most);
    let points = nfft.unwrap_or(if onesided && nperseg == most + 1 { nperseg } else { most });
    if nperseg == 0 || points < nperseg {
        return wrong(format!("`nfft` is {points}; give at least `nperseg`, {nperseg}, which is greater than 0"));
    }
    let overlap = noverlap.unwrap_or(nperseg / 2);
    if overlap >= nperseg {
        return wrong(format!("`noverlap` is {overlap}; give less than `nperseg`, {nperseg}"));
    }
    let step = nperseg - overlap;
    let weights = weights(NAME, window, nperseg, false)?;
    let outer = last.shape()[..rank - 2].to_vec();
    let rows: usize = outer.iter().product();
    let whole = last.converted(NAME, crate::DType::C128)?.with_layout(Layout::contiguous(&[rows, segments, count]));
    let whole = DeviceArray::<Complex<f64>>::from_raw(whole);
    let parts = if onesided {
        irfft_with(&whole, points, -1, Norm::Backward)
    } else {
        ifft_with(&whole, points, -1, Norm::Backward).real()
    };
    let scale =
        if density { (fs * weights.iter().map(|w| w * w).sum::<f64>()).sqrt() } else { weights.iter().sum::<f64>() };
    let taps = RawArray::of_floats(NAME, &z.handle, &[nperseg], weights.iter().map(|w| w * scale), crate::DType::F64)?;
    let parts = parts.slice(ndarray::s![.., .., ..nperseg]);
    let parts = &parts * &DeviceArray::<f64>::from_raw(taps);
    let length = nperseg + (segments - 1) * step;
    let squares = RawArray::of_floats(NAME, &z.handle, &[nperseg], weights.iter().map(|w| w * w), crate::DType::F64)?;
    let squares = DeviceArray::<f64>::from_raw(squares);
    let out = RawArray::uninitialised(NAME, &z.handle, &[rows, length], crate::DType::F64)?;
    let mut sums = DeviceArray::<f64>::from_raw(out);
    let tasks = rows * length;
    let parts = parts.try_copy()?;
    if tasks > 0 {
        let arguments = (&parts, &squares, step as u64, &mut sums);
        // SAFETY: a thread takes the samples that there are.
        unsafe { crate::launch::try_launch_unchecked(overlap_add, tasks.div_ceil(1024), 128, arguments)? };
    }
    let edge = if boundary { nperseg / 2 } else { 0 };
    let length = length - 2 * edge;
    let cut = crate::array::slice_axis(&sums.raw, 1, edge, 1, length);
    let cut = cut.converted(NAME, dtype)?;
    let mut shape = outer;
    shape.push(length);
    let found = cut.with_layout(Layout::contiguous(&shape));
    let to = if frequency < time { time - 1 } else { time };
    let found = found.moved(rank - 2, to);
    let times = crate::array::create::of_values((0..length).map(|at| at as f64 / fs).collect())?;
    Ok((times, found))
}
