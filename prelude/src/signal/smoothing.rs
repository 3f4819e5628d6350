//! Trends, envelopes, smooth curves, and other rates of samples.

mod boxes;
mod kernels;

use super::arguments::polynomial;
use super::arguments::sealed::Numbers;
use super::design::firwin_taps;
use super::filtering::{Signals, down_sampled, filter_by_loops};
use super::spectra::without_line;
use super::windows::Spec;
use super::windows::sealed::Specified;
use super::{Coefficients, Window};
use crate::array::create::of_values;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis};
use crate::backend::loops::Between;
use crate::device::Device;
use crate::dtype::{DType, Element, Number, Spectrum};
use crate::error::{Error, Result, check};
use crate::fft::{Norm, ifft_with, irfft_with, rfft_with};
use crate::floats::{IntoFloat, MaybeFloat};
use crate::launch::try_launch_unchecked;
use crate::thin::thin;
use kernels::{filter_between, slide_weights};
use num_complex::Complex;
use num_integer::gcd;

thin! {
    /// The signal less the straight line that is nearest to it, along the last axis (`f64` for integers). SciPy's `detrend`:
    /// `gpu::signal::detrend!(&x, axis = 0, type = "constant")` has its keywords; with "constant" it is the signal less its mean.
    /// With breaks, `bp = [100, 200]`, each part of the signal between them has a line of its own.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), or no such type, or a break is beyond the end
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let flat = gpu::signal::detrend(&(gpu::arange(9.0) * 2.0 + 1.0));
    /// assert!(gpu::allclose(&flat, &gpu::zeros::<f64>(9)));
    /// ```
    pub fn detrend<X: OnDevice<Elem = T>, T: Number>(data: &X) -> DeviceArray<T::Mean> =>
        without_trend(data.raw(), -1, "linear", &[], T::Mean::DTYPE);

    /// As [`detrend`](fn@detrend), with SciPy's other arguments.
    pub fn detrend_with<X: OnDevice<Elem = T>, T: Number>(
        data: &X,
        axis: isize,
        kind: &str,
        bp: impl Sizes
    ) -> DeviceArray<T::Mean> => without_trend(data.raw(), axis, kind, &bp.sizes(), T::Mean::DTYPE);

    /// The analytic signal of a real one, along the last axis: its real part is the signal, its absolute value the envelope. By the
    /// transform without negative frequencies. SciPy's `hilbert`: `gpu::signal::hilbert!(&x, N = 256, axis = 0)` has its
    /// keywords.
    ///
    /// **Panics** if there is no such axis, or no sample ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = (gpu::arange(64.0) * (std::f64::consts::TAU / 8.0)).cos();
    /// assert!(gpu::allclose(&gpu::signal::hilbert(&x).abs(), &gpu::ones::<f64>(64)));
    /// ```
    pub fn hilbert<X: OnDevice<Elem = T>, T: Number>(x: &X) -> DeviceArray<Spectrum<T>> =>
        analytic(x.raw(), None, -1, Spectrum::<T>::DTYPE);

    /// As [`hilbert`](fn@hilbert), of `N` points along an axis.
    #[allow(non_snake_case, reason = "SciPy's name")]
    pub fn hilbert_with<X: OnDevice<Elem = T>, T: Number>(
        x: &X,
        N: impl Into<Option<usize>>,
        axis: isize,
    ) -> DeviceArray<Spectrum<T>> => analytic(x.raw(), N.into(), axis, Spectrum::<T>::DTYPE);

    /// The signal in `num` samples, along the first axis, as if it were periodic: by the transform, with fewer frequencies or with
    /// more (`f64` for integers). SciPy's `resample`; `gpu::signal::resample!(&x, 100, axis = 1)` has another axis.
    ///
    /// **Panics** if there is no such axis or no sample ([`Error::InvalidShape`]), or `num` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let wave = |count: usize| (gpu::arange(count as f64) * (std::f64::consts::TAU / count as f64)).sin();
    /// assert!(gpu::allclose(&gpu::signal::resample(&wave(16), 24), &wave(24)));
    /// ```
    pub fn resample<X: OnDevice<Elem = T>, T: Number>(x: &X, num: usize) -> DeviceArray<T::Mean> =>
        resampled(x.raw(), num, 0, T::Mean::DTYPE);

    /// As [`resample`](fn@resample), along an axis.
    pub fn resample_with<X: OnDevice<Elem = T>, T: Number>(x: &X, num: usize, axis: isize) -> DeviceArray<T::Mean> =>
        resampled(x.raw(), num, axis, T::Mean::DTYPE);

    /// The signal, along the last axis, with `up - 1` zeros between samples, through a filter of finite response, and of that every
    /// `down`th sample; none of the others is computed (`f64` for integers). SciPy's `upfirdn`: `gpu::signal::upfirdn!(&h, &x, up
    /// = 3, down = 2, axis = 0)` has its keywords.
    ///
    /// **Panics** if `h` is not 1-D or empty, or there is no such axis ([`Error::InvalidShape`]), or `up` or `down` is 0
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let y = gpu::signal::upfirdn!(&[1.0, 1.0], &gpu::array(&[1.0, 2.0]), up = 3);
    /// assert_eq!(y.tolist(), [1.0, 1.0, 0.0, 2.0, 2.0]);
    /// ```
    pub fn upfirdn<X: OnDevice<Elem = T>, T: Number>(h: impl Coefficients, x: &X) -> DeviceArray<T::Mean> =>
        filtered_between(&h, x.raw(), 1, 1, -1, T::Mean::DTYPE);

    /// As [`upfirdn`](fn@upfirdn), with SciPy's other arguments.
    pub fn upfirdn_with<X: OnDevice<Elem = T>, T: Number>(
        h: impl Coefficients,
        x: &X,
        up: usize,
        down: usize,
        axis: isize,
    ) -> DeviceArray<T::Mean> => filtered_between(&h, x.raw(), up, down, axis, T::Mean::DTYPE);

    /// The signal, along the first axis, with `up` samples in place of `down`, through a low pass by Kaiser's window (`f64` for
    /// integers); beyond its ends it is 0. SciPy's `resample_poly`: `gpu::signal::resample_poly!(&x, 3, 2, axis = 1, window =
    /// ("kaiser", 8.0), padtype = "mean")` has its keywords; as `window` also the coefficients `&h` of a low pass. With the `padtype`
    /// "mean", "median", "minimum" or "maximum" the signal is that beyond its ends.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), or `up` or `down` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::signal::resample_poly(&gpu::ones::<f64>(20), 3, 2).shape(), [30]);
    /// ```
    pub fn resample_poly<X: OnDevice<Elem = T>, T: Number>(x: &X, up: usize, down: usize) -> DeviceArray<T::Mean> =>
        rated("resample_poly", x.raw(), up, down, 0, &("kaiser", 5.0), T::Mean::DTYPE);

    /// As [`resample_poly`](fn@resample_poly), with SciPy's other arguments.
    pub fn resample_poly_with<X: OnDevice<Elem = T>, T: Number>(
        x: &X,
        up: usize,
        down: usize,
        axis: isize,
        window: impl Window,
        padtype: &str,
    ) -> DeviceArray<T::Mean> => rated_about(x.raw(), [up, down], axis, &window, padtype, T::Mean::DTYPE);

    /// Every `q`th sample of the signal, along the last axis, after a low pass: of Chebyshev's first type and of the order 8, forward
    /// and backward (`f64` for integers). SciPy's `decimate`: `gpu::signal::decimate!(&x, 4, n = 30, ftype = "fir", axis = 0,
    /// zero_phase = false)` has its keywords.
    ///
    /// **Panics** if the signal is too short ([`Error::InvalidShape`]), or `q` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::signal::decimate(&gpu::ones::<f64>(100), 4).shape(), [25]);
    /// ```
    pub fn decimate<X: OnDevice<Elem = T>, T: Number>(x: &X, q: usize) -> DeviceArray<T::Mean> =>
        decimated(x.raw(), q, None, "iir", -1, true, T::Mean::DTYPE);

    /// As [`decimate`](fn@decimate), with SciPy's other arguments.
    pub fn decimate_with<X: OnDevice<Elem = T>, T: Number>(
        x: &X,
        q: usize,
        n: impl Into<Option<usize>>,
        ftype: &str,
        axis: isize,
        zero_phase: bool,
    ) -> DeviceArray<T::Mean> => decimated(x.raw(), q, n.into(), ftype, axis, zero_phase, T::Mean::DTYPE);

    /// The signal smoothed, along the last axis, by the polynomial of the degree `polyorder` that fits `window_length` samples best
    /// (`f64` for integers). At the ends it is that of the first samples and of the last ones. SciPy's
    /// `savgol_filter`: `gpu::signal::savgol_filter!(&x, 7, 2, deriv = 1, delta = 0.1, axis = 0, mode = "mirror")` has its
    /// keywords; `mode` is "interp", "mirror", "nearest", "wrap" or "constant", the last with `cval`.
    ///
    /// **Panics** if there is no such axis, or fewer samples than the window has ([`Error::InvalidShape`]), or the window or the
    /// degree does not fit ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::arange(20.0);
    /// let parabola = &x * &x;
    /// assert!(gpu::allclose(&gpu::signal::savgol_filter(&parabola, 7, 2), &parabola));
    /// assert!(gpu::allclose(&gpu::signal::savgol_filter!(&parabola, 7, 2, deriv = 1), &(&x * 2.0)));
    /// ```
    pub fn savgol_filter<X: OnDevice<Elem = T>, T: Number>(
        x: &X,
        window_length: usize,
        polyorder: usize,
    ) -> DeviceArray<T::Mean> => smoothed(x.raw(), window_length, polyorder, 0, 1.0, -1, "interp", 0.0, T::Mean::DTYPE);

    /// As [`savgol_filter`](fn@savgol_filter), with SciPy's other arguments.
    #[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
    pub fn savgol_filter_with<X: OnDevice<Elem = T>, T: Number>(
        x: &X,
        window_length: usize,
        polyorder: usize,
        deriv: usize,
        delta: impl IntoFloat,
        axis: isize,
        mode: &str,
        cval: impl IntoFloat,
    ) -> DeviceArray<T::Mean> =>
        smoothed(x.raw(), window_length, polyorder, deriv, delta.into_float(), axis, mode, cval.into_float(), T::Mean::DTYPE);
}

/// The coefficients with which [`savgol_filter`](fn@savgol_filter) convolves: those of the polynomial of the degree `polyorder` that
/// fits `window_length` samples best. SciPy's `savgol_coeffs`: `gpu::signal::savgol_coeffs!(5, 2, deriv = 1, delta = 0.1, pos =
/// 4.0, use = "dot")` has its keywords. On the host, by orthogonal polynomials: Gorry, "General least-squares smoothing and
/// differentiation by the convolution (Savitzky-Golay) method" (1990).
///
/// **Panics** if the window or the degree does not fit ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let c = gpu::signal::savgol_coeffs(5, 2);
/// assert!(gpu::allclose(&(c * 35.0), &[-3.0, 12.0, 17.0, 12.0, -3.0]));
/// ```
#[track_caller]
pub fn savgol_coeffs(window_length: usize, polyorder: usize) -> DeviceArray<f64> {
    savgol_coeffs_with(window_length, polyorder, 0, 1.0, None, "conv")
}

/// As [`savgol_coeffs`](fn@savgol_coeffs), with SciPy's other arguments.
#[track_caller]
pub fn savgol_coeffs_with(
    window_length: usize,
    polyorder: usize,
    deriv: usize,
    delta: impl IntoFloat,
    pos: impl MaybeFloat,
    order: &str,
) -> DeviceArray<f64> {
    let delta = delta.into_float();
    let pos = pos.maybe_float();
    const NAME: &str = "savgol_coeffs";
    let of = || {
        check_window(NAME, window_length, polyorder)?;
        // Half a place beyond the middle sample of an even number.
        let pos = pos.unwrap_or((window_length as f64 - 1.0) / 2.0);
        if !(0.0..window_length as f64).contains(&pos) {
            return Err(Error::argument(NAME, format!("`pos` is {pos}; give a place from 0 to {window_length}")));
        }
        let mut weights = fitted(window_length, polyorder, deriv, delta, pos);
        match order {
            "conv" => weights.reverse(),
            "dot" => {}
            _ => return Err(Error::argument(NAME, format!("`use` is {order:?}; give \"conv\" or \"dot\""))),
        }
        of_values(weights)
    };
    check(of())
}

fn check_window(operation: &'static str, count: usize, degree: usize) -> Result<()> {
    if degree >= count {
        let reason = format!("`polyorder` is {degree}; give less than `window_length`, {count}");
        return Err(Error::argument(operation, reason));
    }
    Ok(())
}

/// The weights of samples that give a derivative, at a place, of the polynomial that fits them best.
fn fitted(count: usize, degree: usize, deriv: usize, delta: f64, pos: f64) -> Vec<f64> {
    let mut weights = vec![0.0; count];
    if deriv > degree {
        return weights;
    }
    let at: Vec<f64> = (0..count).map(|at| at as f64 - (count - 1) as f64 / 2.0).collect();
    let place = pos - (count - 1) as f64 / 2.0;
    // Polynomials that are orthogonal on the samples, by their recurrence, and their derivatives at the place.
    let (mut before, mut now) = (vec![0.0; count], vec![1.0; count]);
    let (mut values_before, mut values) = (vec![0.0; deriv + 1], vec![0.0; deriv + 1]);
    values[0] = 1.0;
    let mut norm_before = 1.0;
    for k in 0..=degree {
        let norm: f64 = now.iter().map(|p| p * p).sum();
        weights.iter_mut().zip(&now).for_each(|(weight, p)| *weight += p * values[deriv] / norm);
        // The samples are symmetric, so no term has the polynomial itself.
        let beta = if k == 0 { 0.0 } else { norm / norm_before };
        let next: Vec<f64> = (0..count).map(|j| at[j] * now[j] - beta * before[j]).collect();
        let of = |d: usize| {
            let lower = if d > 0 { d as f64 * values[d - 1] } else { 0.0 };
            place * values[d] + lower - beta * values_before[d]
        };
        let next_values = (0..=deriv).map(of).collect();
        (before, now) = (now, next);
        (values_before, values) = (values, next_values);
        norm_before = norm;
    }
    weights.iter_mut().for_each(|weight| *weight /= delta.powi(deriv as i32));
    weights
}

#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
fn smoothed(
    x: &RawArray,
    count: usize,
    degree: usize,
    deriv: usize,
    delta: f64,
    axis: isize,
    mode: &str,
    cval: f64,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "savgol_filter";
    const MODES: [&str; 5] = ["interp", "mirror", "nearest", "wrap", "constant"];
    check_window(NAME, count, degree)?;
    let Some(kind) = MODES.iter().position(|word| *word == mode) else {
        return Err(Error::argument(NAME, format!("`mode` is {mode:?}; give one of {MODES:?}")));
    };
    let mut signals = Signals::new(NAME, x, axis)?;
    if kind == 0 && signals.length < count {
        let reason = format!("has {} samples along the axis, less than `window_length`, {count}", signals.length);
        return Err(Error::shape(NAME, x.shape(), reason));
    }
    // A row of weights for each place in the first half of a window, its middle, and each place in its other half. The middle serves
    // everywhere but at the ends.
    let half = count / 2;
    let places = (0..half).map(|place| place as f64);
    let places = places.chain([(count as f64 - 1.0) / 2.0]).chain((count - half..count).map(|place| place as f64));
    let weights: Vec<f64> = places.flat_map(|place| fitted(count, degree, deriv, delta, place)).collect();
    let taps: Vec<f64> = weights[half * count..(half + 1) * count].iter().rev().copied().collect();
    let weights = DeviceArray::<f64>::from_raw(signals.numbers(&weights, &[2 * half + 1, count])?);
    // Where windows are within the signal, they are a filter.
    let taps = match signals.handle().device {
        Device::Cpu if signals.length >= count => Some(signals.numbers(&taps, &[count])?),
        _ => None,
    };
    let (rows, length) = (signals.rows, signals.length);
    signals.replace(length, |data, out| {
        let between = Between { up: 1, down: 1, first: half, newest_first: false };
        let by_loops = match taps {
            Some(taps) => filter_by_loops(data, &DeviceArray::from_raw(taps), between, out)?,
            None => false,
        };
        let (from, to) = if by_loops { (half, length - half) } else { (0, 0) };
        let left = rows * (length - (to - from));
        if left == 0 {
            return Ok(());
        }
        let arguments = (data, &weights, kind as i32, cval, from as u64, to as u64, out);
        // SAFETY: a thread takes the samples that there are.
        unsafe { try_launch_unchecked(slide_weights, left.div_ceil(1024), 128, arguments) }
    })?;
    signals.into_result(dtype)
}

fn without_trend(x: &RawArray, axis: isize, kind: &str, breaks: &[f64], dtype: DType) -> Result<RawArray> {
    const NAME: &str = "detrend";
    let is_line = match kind {
        "linear" | "l" => true,
        "constant" | "c" => false,
        _ => return Err(Error::argument(NAME, format!("`type` is {kind:?}; give \"linear\" or \"constant\""))),
    };
    let mut signals = Signals::new(NAME, x, axis)?;
    if !signals.is_empty() {
        let data = DeviceArray::<f64>::from_raw(signals.data.clone());
        let mut ends: Vec<usize> = breaks.iter().map(|place| *place as usize).chain([0, signals.length]).collect();
        ends.sort_unstable();
        ends.dedup();
        if let Some(place) = ends.last().filter(|place| **place > signals.length) {
            let reason = format!("`bp` has {place}, but there are {} samples along the axis", signals.length);
            return Err(Error::argument(NAME, reason));
        }
        signals.data = if is_line && ends.len() > 2 {
            let out = signals.scratch(&[signals.rows, signals.length])?;
            for pair in ends.windows(2) {
                let part = |of: &RawArray| slice_axis(of, 1, pair[0], 1, pair[1] - pair[0]);
                let found = without_line(&DeviceArray::from_raw(part(&signals.data)));
                crate::array::assign(NAME, &part(&out), &found.raw)?;
            }
            out
        } else if is_line {
            (*without_line(&data).raw).clone()
        } else {
            (*(&data - &data.mean_axis(-1).expand_dims(-1)).raw).clone()
        };
    }
    signals.into_result(dtype)
}

fn no_samples(operation: &'static str, signals: &Signals) -> Error {
    Error::shape(operation, signals.moved.clone(), "has no samples along the axis")
}

fn analytic(x: &RawArray, count: Option<usize>, axis: isize, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "hilbert";
    let mut signals = Signals::new(NAME, x, axis)?;
    let count = count.unwrap_or(signals.length);
    if count == 0 || signals.length == 0 {
        return Err(no_samples(NAME, &signals));
    }
    let data = DeviceArray::<f64>::from_raw(signals.data.clone());
    // Of a real signal half of the frequencies are enough. The transform back continues them with zeros.
    let spectrum = rfft_with(&data, count, -1, Norm::Backward);
    let is_single = |at: usize| at == 0 || (count.is_multiple_of(2) && at == count / 2);
    let weights: Vec<f64> = (0..count / 2 + 1).map(|at| if is_single(at) { 1.0 } else { 2.0 }).collect();
    let weights = DeviceArray::<f64>::from_raw(signals.numbers(&weights, &[weights.len()])?).astype::<Complex<f64>>();
    let found = ifft_with(&(&spectrum * &weights), count, -1, Norm::Backward);
    signals.data = (*found.raw).clone();
    signals.length = count;
    signals.into_result_of(DType::C128, dtype)
}

fn resampled(x: &RawArray, num: usize, axis: isize, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "resample";
    if num == 0 {
        return Err(Error::argument(NAME, "`num` is 0; give how many samples"));
    }
    let mut signals = Signals::new(NAME, x, axis)?;
    let length = signals.length;
    if length == 0 {
        return Err(no_samples(NAME, &signals));
    }
    let data = DeviceArray::<f64>::from_raw(signals.data.clone());
    let least = num.min(length);
    let kept = least / 2 + 1;
    let spectrum = rfft_with(&data, length, -1, Norm::Backward).slice(ndarray::s![.., ..kept]);
    let mut weights = vec![num as f64 / length as f64; kept];
    if least.is_multiple_of(2) && num != length {
        // The greatest frequency is one of two with fewer samples, and one for two with more.
        weights[kept - 1] *= if num < length { 2.0 } else { 0.5 };
    }
    let weights = DeviceArray::<f64>::from_raw(signals.numbers(&weights, &[kept])?).astype::<Complex<f64>>();
    let found = irfft_with(&(&spectrum * &weights), num, -1, Norm::Backward);
    signals.data = (*found.raw).clone();
    signals.length = num;
    signals.into_result(dtype)
}

/// How many samples come of a filter between samples.
fn samples_between(taps: usize, length: usize, up: usize, down: usize) -> usize {
    if length == 0 { 0 } else { ((length - 1) * up + taps - 1) / down + 1 }
}

impl Signals {
    /// Puts zeros between samples, filters, and leaves out samples; of those that are left, `count` from the one at `first` on.
    fn filter_between(&mut self, taps: &[f64], [up, down]: [usize; 2], first: usize, count: usize) -> Result<()> {
        let taps = DeviceArray::<f64>::from_raw(self.numbers(taps, &[taps.len()])?);
        self.replace(count, |data, out| {
            if filter_by_loops(data, &taps, Between { up, down, first, newest_first: false }, out)? {
                return Ok(());
            }
            let blocks = out.size().div_ceil(512);
            let arguments = (data, &taps, up as u64, down as u64, first as u64, out);
            // SAFETY: a thread takes the samples that there are.
            unsafe { try_launch_unchecked(filter_between, blocks, 128, arguments) }
        })
    }
}

fn rates(operation: &'static str, up: usize, down: usize) -> Result<()> {
    if up == 0 || down == 0 {
        return Err(Error::argument(
            operation,
            format!("`up` is {up} and `down` is {down}; give numbers greater than 0"),
        ));
    }
    Ok(())
}

fn filtered_between(
    h: &impl Coefficients,
    x: &RawArray,
    up: usize,
    down: usize,
    axis: isize,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "upfirdn";
    rates(NAME, up, down)?;
    let taps = polynomial(NAME, "h", h)?;
    let mut signals = Signals::new(NAME, x, axis)?;
    let count = samples_between(taps.len(), signals.length, up, down);
    signals.filter_between(&taps, [up, down], 0, count)?;
    signals.into_result(dtype)
}

fn rated(
    operation: &'static str,
    x: &RawArray,
    up: usize,
    down: usize,
    axis: isize,
    window: &dyn Specified,
    dtype: DType,
) -> Result<RawArray> {
    rates(operation, up, down)?;
    let divisor = gcd(up, down);
    let (up, down) = (up / divisor, down / divisor);
    let mut signals = Signals::new(operation, x, axis)?;
    if up == 1 && down == 1 {
        return signals.into_result(dtype);
    }
    let count = (signals.length * up).div_ceil(down);
    let greatest = up.max(down);
    let taps = match window.spec(operation)? {
        Spec::Weights(taps) => taps,
        Spec::Named(..) => firwin_taps(20 * greatest + 1, 1.0 / greatest as f64, window)?,
    };
    if taps.is_empty() {
        return Err(Error::argument(operation, "the filter has no coefficients"));
    }
    let half = (taps.len() - 1) / 2;
    // Zeros in front, so that the middle of the filter is at a sample that is left.
    let zeros = down - half % down;
    let padded: Vec<f64> = std::iter::repeat_n(0.0, zeros).chain(taps.iter().map(|tap| tap * up as f64)).collect();
    signals.filter_between(&padded, [up, down], (half + zeros) / down, count)?;
    signals.into_result(dtype)
}

/// As [`rated`], with a level beyond the ends that follows from the signal.
fn rated_about(
    x: &RawArray,
    [up, down]: [usize; 2],
    axis: isize,
    window: &dyn Specified,
    padtype: &str,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "resample_poly";
    const LEVELS: [&str; 5] = ["line", "mean", "median", "minimum", "maximum"];
    if padtype == "constant" {
        return rated(NAME, x, up, down, axis, window, dtype);
    }
    if !LEVELS.contains(&padtype) {
        return Err(Error::argument(NAME, format!("`padtype` is {padtype:?}; give \"constant\" or one of {LEVELS:?}")));
    }
    rates(NAME, up, down)?;
    if Signals::new(NAME, x, axis)?.length == 0 {
        return rated(NAME, x, up, down, axis, window, dtype);
    }
    let data = DeviceArray::<f64>::from_raw(x.converted(NAME, DType::F64)?);
    if padtype == "line" {
        return rated_along_line(&data, [up, down], axis, window, dtype);
    }
    let level = match padtype {
        "mean" => data.mean_axis(axis),
        "median" => crate::median_axis(&data, axis),
        "minimum" => data.min_axis(axis),
        _ => data.max_axis(axis),
    };
    let level = level.expand_dims(axis);
    let found = rated(NAME, &(&data - &level).raw, up, down, axis, window, DType::F64)?;
    let found = DeviceArray::<f64>::from_raw(found) + level;
    if dtype == DType::F64 { Ok((*found.raw).clone()) } else { found.raw.converted(NAME, dtype) }
}

/// As `rated`, with the line through the first sample and the last one beyond the ends.
fn rated_along_line(
    data: &DeviceArray<f64>,
    [up, down]: [usize; 2],
    axis: isize,
    window: &dyn Specified,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "resample_poly";
    let at = crate::array::axes::axis_of(NAME, data.shape(), axis)?;
    let length = data.shape()[at];
    let taps = match window.spec(NAME)? {
        Spec::Weights(taps) => taps.len(),
        Spec::Named(..) => 20 * up.max(down) + 1,
    };
    // As many samples as the filter reaches, of which a whole number of results comes.
    let reach = (taps.div_ceil(up) + 1).next_multiple_of(down);
    let end = |place: usize| DeviceArray::<f64>::from_raw(slice_axis(&data.raw, at, place, 1, 1));
    let (first, last) = (end(0), end(length - 1));
    let slope = (&last - &first) / (length.max(2) - 1) as f64;
    let mut shape = vec![1; data.ndim()];
    shape[at] = reach;
    let distances = (crate::arange(reach as f64) + 1.0).reshape(shape).to_device(data.device());
    let before = crate::flip(&(&first - &(&distances * &slope)), at as isize);
    let behind = &last + &(&distances * &slope);
    let longer = crate::concatenate([&before, data, &behind], at as isize);
    let found = rated(NAME, &longer.raw, up, down, axis, window, dtype)?;
    slice_axis(&found, at, reach * up / down, 1, (length * up).div_ceil(down)).copied(NAME)
}

fn decimated(
    x: &RawArray,
    q: usize,
    n: Option<usize>,
    ftype: &str,
    axis: isize,
    zero_phase: bool,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "decimate";
    if q == 0 {
        return Err(Error::argument(NAME, "`q` is 0; give a number greater than 0"));
    }
    match ftype {
        "fir" => {
            let taps = firwin_taps(n.unwrap_or(20 * q) + 1, 1.0 / q as f64, &"hamming")?;
            if zero_phase {
                return rated(NAME, x, 1, q, axis, &&taps, dtype);
            }
            let mut signals = Signals::new(NAME, x, axis)?;
            let count = signals.length.div_ceil(q);
            signals.filter_between(&taps, [1, q], 0, count)?;
            signals.into_result(dtype)
        }
        "iir" => {
            let signals = down_sampled(NAME, Signals::new(NAME, x, axis)?, q, n.unwrap_or(8), zero_phase)?;
            signals.into_result(dtype)
        }
        _ => Err(Error::argument(NAME, format!("`ftype` is {ftype:?}; give \"iir\" or \"fir\""))),
    }
}

/// One size for all axes, or one for each.
pub(super) fn sizes_of(operation: &'static str, x: &RawArray, sizes: &dyn Numbers, odd: bool) -> Result<Vec<usize>> {
    let (_, numbers) = sizes.numbers(operation)?;
    let rank = x.shape().len();
    let sizes: Vec<usize> = if numbers.len() == 1 {
        vec![numbers[0] as usize; rank]
    } else {
        numbers.iter().map(|n| *n as usize).collect()
    };
    if sizes.len() != rank || sizes.iter().any(|size| *size == 0 || (odd && size.is_multiple_of(2))) {
        let wanted = if odd { "odd numbers" } else { "numbers greater than 0" };
        return Err(Error::argument(
            operation,
            format!("the window has the sizes {sizes:?}; give {wanted}, one or {rank} of them"),
        ));
    }
    Ok(sizes)
}

thin! {
    /// The array through Wiener's filter with windows of 3 elements along each axis (`f64` for integers): where the variance in the
    /// window is about that of the noise the mean of the window, elsewhere rather the element. SciPy's `wiener`:
    /// `gpu::signal::wiener!(&x, mysize = 5, noise = 0.1)` has its keywords; without `noise` it is the mean of the variances.
    ///
    /// **Panics** if a size is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0]);
    /// assert!(gpu::signal::wiener(&x).max() <= 9.0);
    /// ```
    pub fn wiener<X: OnDevice<Elem = T>, T: Number>(im: &X) -> DeviceArray<T::Mean> =>
        without_noise(im.raw(), &3.0, None, T::Mean::DTYPE);

    /// As [`wiener`](fn@wiener), with SciPy's other arguments.
    pub fn wiener_with<X: OnDevice<Elem = T>, T: Number>(
        im: &X,
        mysize: impl Sizes,
        noise: impl MaybeFloat,
    ) -> DeviceArray<T::Mean> => without_noise(im.raw(), &mysize.sizes(), noise.maybe_float(), T::Mean::DTYPE);
}

/// The size of a window: a number for all axes, or one for each. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a window",
    label = "expected a size such as `3` or `[3, 5]`"
)]
pub trait Sizes: sealed::Sized {}

mod sealed {
    pub trait Sized {
        fn sizes(&self) -> Vec<f64>;
    }
}

impl sealed::Sized for usize {
    fn sizes(&self) -> Vec<f64> {
        vec![*self as f64]
    }
}
impl<const N: usize> sealed::Sized for [usize; N] {
    fn sizes(&self) -> Vec<f64> {
        self.iter().map(|size| *size as f64).collect()
    }
}
impl<const N: usize> sealed::Sized for &[usize; N] {
    fn sizes(&self) -> Vec<f64> {
        self.iter().map(|size| *size as f64).collect()
    }
}
impl sealed::Sized for &Vec<usize> {
    fn sizes(&self) -> Vec<f64> {
        self.iter().map(|size| *size as f64).collect()
    }
}
impl<S: sealed::Sized> Sizes for S {}

fn without_noise(x: &RawArray, sizes: &dyn Numbers, noise: Option<f64>, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "wiener";
    let sizes = sizes_of(NAME, x, sizes, false)?;
    boxes::without_noise(NAME, x, &sizes, noise, dtype)
}
