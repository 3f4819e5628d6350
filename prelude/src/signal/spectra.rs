//! Spectra of signals: by the transform of segments that overlap, and the signal back from them.
//!
//! Powers are averaged by the method of Welch, "The use of fast Fourier transform for the estimation of power spectra" (1967). A
//! signal is seen through its segments without a copy; all segments of all signals are transformed at once.

mod inverse;
mod kernels;
mod powers;
mod uneven;

use inverse::joined;
use powers::{averaged, cross, formula, levelled, power, squares};
pub use uneven::{lombscargle, lombscargle_with};

use super::filtering::Signals;
use super::windows::sealed::Specified;
use super::windows::{Spec, Window, weights};
use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray, slice_axis};
use crate::backend::Layout;
use crate::dtype::{Element, Inexact, Number, Signal, Spectrum};
use crate::error::{Error, Result, check};
use crate::fft::{Norm, fft_with, fftfreq, rfft_with, rfftfreq};
use crate::floats::IntoFloat;

use num_complex::Complex;

/// Several segments of a signal, and what is done with each.
struct Plan {
    fs: f64,
    /// The weights of the window: as many as there are samples in a segment.
    window: Vec<f64>,
    overlap: usize,
    points: usize,
    onesided: bool,
    detrend: Detrend,
}

#[derive(Clone, Copy, PartialEq)]
enum Detrend {
    No,
    Constant,
    Linear,
}

fn detrend_of(operation: &'static str, word: &str) -> Result<Detrend> {
    match word {
        "constant" => Ok(Detrend::Constant),
        "linear" => Ok(Detrend::Linear),
        "none" => Ok(Detrend::No),
        _ => {
            let reason = format!("`detrend` is {word:?}; give \"constant\", \"linear\" or \"none\"");
            Err(Error::argument(operation, reason))
        }
    }
}

/// How a spectrum is scaled: so that its integral is the power, or so that its peaks are.
fn is_density(operation: &'static str, scaling: &str, words: [&str; 2]) -> Result<bool> {
    match words.iter().position(|word| *word == scaling) {
        Some(place) => Ok(place == 0),
        None => {
            let reason = format!("`scaling` is {scaling:?}; give {:?} or {:?}", words[0], words[1]);
            Err(Error::argument(operation, reason))
        }
    }
}

impl Plan {
    fn new(
        operation: &'static str,
        length: usize,
        fs: f64,
        window: &dyn Specified,
        [nperseg, noverlap, nfft]: [Option<usize>; 3],
        detrend: Detrend,
        onesided: bool,
    ) -> Result<Plan> {
        let wrong = |reason: String| Err(Error::argument(operation, reason));
        let window = match window.spec(operation)? {
            Spec::Weights(weights) => {
                if let Some(nperseg) = nperseg.filter(|nperseg| *nperseg != weights.len()) {
                    return wrong(format!("`nperseg` is {nperseg}, but the window has {} weights", weights.len()));
                }
                if weights.len() > length {
                    return wrong(format!("the window has {} weights, but the signal {length} samples", weights.len()));
                }
                weights
            }
            Spec::Named(..) => weights(operation, window, nperseg.unwrap_or(256).min(length), false)?,
        };
        let count = window.len();
        if count == 0 || nperseg == Some(0) {
            return wrong("`nperseg` is 0; give how many samples a segment has".to_string());
        }
        let overlap = noverlap.unwrap_or(count / 2);
        if overlap >= count {
            return wrong(format!("`noverlap` is {overlap}; give less than `nperseg`, {count}"));
        }
        let points = nfft.unwrap_or(count);
        if points < count {
            return wrong(format!("`nfft` is {points}; give at least `nperseg`, {count}"));
        }
        Ok(Plan { fs, window, overlap, points, onesided, detrend })
    }

    fn step(&self) -> usize {
        self.window.len() - self.overlap
    }

    fn frequencies(&self) -> DeviceArray<f64> {
        let frequencies = if self.onesided { rfftfreq } else { fftfreq };
        frequencies(self.points, 1.0 / self.fs)
    }

    /// The middles of segments, in seconds, of which the first one begins at a place.
    fn times(&self, segments: usize, first: f64) -> Result<DeviceArray<f64>> {
        let middle = self.window.len() as f64 / 2.0;
        let time = |segment: usize| (first + middle + (segment * self.step()) as f64) / self.fs;
        crate::array::create::of_values((0..segments).map(time).collect())
    }

    /// The transforms of all segments of signals in rows: `[rows, segments, frequencies]`.
    fn transforms(&self, signals: &Signals) -> Result<DeviceArray<Complex<f64>>> {
        self.transforms_times(signals, 1.0)
    }

    /// As [`transforms`](Self::transforms), multiplied by a number.
    fn transforms_times(&self, signals: &Signals, factor: f64) -> Result<DeviceArray<Complex<f64>>> {
        let (count, step) = (self.window.len(), self.step());
        let segments = (signals.length - self.overlap) / step;
        let Layout { strides, offset, .. } = signals.data.layout.clone();
        // Each segment is within its row.
        let layout = Layout {
            shape: vec![signals.rows, segments, count],
            strides: vec![strides[0], strides[1] * step as isize, strides[1]],
            offset,
        };
        let parts = DeviceArray::<f64>::from_raw(signals.data.with_layout(layout));
        let window: Vec<f64> = self.window.iter().map(|weight| weight * factor).collect();
        let is_plain = window.iter().all(|weight| *weight == 1.0);
        let window = DeviceArray::<f64>::from_raw(signals.numbers(&window, &[count])?);
        let weighted = match self.detrend {
            Detrend::No if is_plain => parts,
            Detrend::No => &parts * &window,
            Detrend::Constant => {
                let means = parts.mean_axis(-1).expand_dims(-1);
                if is_plain {
                    &parts - &means
                } else {
                    formula(signals.operation, &levelled, [&parts, &means, &window])?
                }
            }
            Detrend::Linear => &without_line(&parts) * &window,
        };
        let transform = if self.onesided { rfft_half } else { fft_whole };
        Ok(transform(&weighted, self.points))
    }

    /// What powers are divided by.
    fn scale(&self, density: bool) -> f64 {
        if density {
            1.0 / (self.fs * self.window.iter().map(|w| w * w).sum::<f64>())
        } else {
            1.0 / self.window.iter().sum::<f64>().powi(2)
        }
    }

    /// The scale of each power: those of a half of the spectrum count twice, except that of 0 and the last one of an even number.
    fn scales(&self, signals: &Signals, density: bool) -> Result<DeviceArray<f64>> {
        let scale = self.scale(density);
        let count = if self.onesided { self.points / 2 + 1 } else { self.points };
        let is_single = |at: usize| !self.onesided || at == 0 || (self.points.is_multiple_of(2) && at == count - 1);
        let scales: Vec<f64> = (0..count).map(|at| if is_single(at) { scale } else { 2.0 * scale }).collect();
        Ok(DeviceArray::from_raw(signals.numbers(&scales, &[count])?))
    }
}

fn rfft_half(x: &DeviceArray<f64>, points: usize) -> DeviceArray<Complex<f64>> {
    rfft_with(x, points, -1, Norm::Backward)
}

fn fft_whole(x: &DeviceArray<f64>, points: usize) -> DeviceArray<Complex<f64>> {
    fft_with(x, points, -1, Norm::Backward)
}

/// Lines of numbers, along the last axis, less the straight line that is nearest to each.
pub(super) fn without_line(x: &DeviceArray<f64>) -> DeviceArray<f64> {
    let count = *x.shape().last().expect("an axis");
    let level = x - &x.mean_axis(-1).expand_dims(-1);
    let at = crate::array::create::of_values((0..count).map(|at| at as f64 - (count - 1) as f64 / 2.0).collect());
    let at = check(at.and_then(|at| at.try_to_device(x.device())));
    let squares = (count as f64).powi(3) / 12.0 - count as f64 / 12.0;
    if squares == 0.0 {
        return level;
    }
    let slopes = (&level * &at).sum_axis(-1).expand_dims(-1) / squares;
    &level - &(&slopes * &at)
}

/// An array with an element type of the user's, and with its last axis where the axis of the signals was.
fn placed(array: RawArray, signals: &Signals, dtype: crate::DType, kept: usize) -> Result<RawArray> {
    // `[rows, …]` with as many axes behind the rows as are kept.
    let array = array.contiguous(signals.operation)?;
    let mut shape = signals.moved[..signals.moved.len() - 1].to_vec();
    shape.extend(&array.shape()[1..]);
    let offset = array.layout.offset;
    let array = array.with_layout(Layout { offset, ..Layout::contiguous(&shape) }).in_type(signals.operation, dtype)?;
    let from = shape.len() - kept;
    Ok(array.moved(from, signals.axis))
}

type Pair<T> = (DeviceArray<f64>, DeviceArray<T>);

/// The frequencies and the powers of a real signal, along the last axis: the mean of those of segments of 256 samples, of which each
/// overlaps half of the next, through a window of Hann and without their means. SciPy's `welch`:
/// `gpu::signal::welch!(&x, fs = 10e3, window = "hamming", nperseg = 1024, noverlap = 512, nfft = 2048, detrend = "linear",
/// return_onesided = false, scaling = "spectrum", axis = 0, average = "median")` has its keywords. `detrend` may be "none".
///
/// **Panics** if there is no such axis ([`Error::InvalidShape`]), or an argument does not fit ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let time = gpu::arange(2000.0) / 1000.0;
/// let x = (&time * (std::f64::consts::TAU * 125.0)).sin();
/// let (f, power) = gpu::signal::welch!(&x, fs = 1000.0);
/// assert_eq!(f.get(&[power.argmax()]), 125.0);
/// ```
#[track_caller]
pub fn welch<X: OnDevice<Elem = T>, T: Number>(x: &X) -> Pair<T::Mean> {
    welch_with(x, 1.0, "hann", None, None, None, "constant", true, "density", -1, "mean")
}

/// As [`welch`](fn@welch), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn welch_with<X: OnDevice<Elem = T>, T: Number>(
    x: &X,
    fs: impl IntoFloat,
    window: impl Window,
    nperseg: impl Into<Option<usize>>,
    noverlap: impl Into<Option<usize>>,
    nfft: impl Into<Option<usize>>,
    detrend: &str,
    return_onesided: bool,
    scaling: &str,
    axis: isize,
    average: &str,
) -> Pair<T::Mean> {
    let fs = fs.into_float();
    let of = averaged_powers(
        "welch",
        x.raw(),
        fs,
        &window,
        [nperseg.into(), noverlap.into(), nfft.into()],
        detrend,
        return_onesided,
        scaling,
        axis,
        average,
        T::Mean::DTYPE,
    );
    let (f, power) = check(of);
    (f, DeviceArray::from_raw(power))
}

/// The frequencies and the powers of a real signal as a whole, along the last axis, without its mean. SciPy's `periodogram`:
/// `gpu::signal::periodogram!(&x, fs = 10e3, window = "hann", nfft = 2048, detrend = "linear", return_onesided = false, scaling =
/// "spectrum", axis = 0)` has its keywords.
///
/// **Panics** as [`welch`](fn@welch) does.
///
/// ```
/// use warpcell as gpu;
/// let x = (gpu::arange(100.0) * (std::f64::consts::TAU * 0.25)).sin();
/// let (f, power) = gpu::signal::periodogram(&x);
/// assert_eq!((f.get(&[power.argmax()]), f.shape()), (0.25, &[51][..]));
/// ```
#[track_caller]
pub fn periodogram<X: OnDevice<Elem = T>, T: Number>(x: &X) -> Pair<T::Mean> {
    periodogram_with(x, 1.0, "boxcar", None, "constant", true, "density", -1)
}

/// As [`periodogram`](fn@periodogram), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn periodogram_with<X: OnDevice<Elem = T>, T: Number>(
    x: &X,
    fs: impl IntoFloat,
    window: impl Window,
    nfft: impl Into<Option<usize>>,
    detrend: &str,
    return_onesided: bool,
    scaling: &str,
    axis: isize,
) -> Pair<T::Mean> {
    let fs = fs.into_float();
    const NAME: &str = "periodogram";
    let of = axis_of(NAME, x.raw().shape(), axis).and_then(|at| {
        // Of fewer points than samples, the first samples count.
        let nfft = nfft.into();
        let whole = x.raw().shape()[at];
        let length = nfft.map_or(whole, |points| points.min(whole));
        let part = if length < whole { slice_axis(x.raw(), at, 0, 1, length) } else { x.raw().clone() };
        let lengths = [Some(length), Some(0), nfft];
        averaged_powers(
            NAME,
            &part,
            fs,
            &window,
            lengths,
            detrend,
            return_onesided,
            scaling,
            axis,
            "mean",
            T::Mean::DTYPE,
        )
    });
    let (f, power) = check(of);
    (f, DeviceArray::from_raw(power))
}

#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
fn averaged_powers(
    operation: &'static str,
    x: &RawArray,
    fs: f64,
    window: &dyn Specified,
    lengths: [Option<usize>; 3],
    detrend: &str,
    onesided: bool,
    scaling: &str,
    axis: isize,
    average: &str,
    dtype: crate::DType,
) -> Result<(DeviceArray<f64>, RawArray)> {
    let density = is_density(operation, scaling, ["density", "spectrum"])?;
    let detrend = detrend_of(operation, detrend)?;
    let signals = Signals::new(operation, x, axis)?;
    let plan = Plan::new(operation, signals.length, fs, window, lengths, detrend, onesided)?;
    let transforms = plan.transforms(&signals)?;
    let (real, imaginary) = (transforms.real(), transforms.imag());
    let powers = formula(operation, &power, [&real, &imaginary, &plan.scales(&signals, density)?])?;
    let found = averaged(&powers, average)?;
    Ok((plan.frequencies(), placed((*found.raw).clone(), &signals, dtype, 1)?))
}

/// The frequencies and the cross spectrum of two real signals, along the last axis, as [`welch`](fn@welch) finds powers. SciPy's
/// `csd`, with the keywords of `welch`.
///
/// **Panics** if the shapes differ ([`Error::InvalidShape`]), and as `welch` does.
///
/// ```
/// use warpcell as gpu;
/// let x = (gpu::arange(512.0) * (std::f64::consts::TAU * 0.125)).sin();
/// let (f, power) = gpu::signal::csd(&x, &(-&x));
/// assert!(power.real().get(&[power.abs().argmax()]) < 0.0 && f.get(&[power.abs().argmax()]) == 0.125);
/// ```
#[track_caller]
pub fn csd<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number>(x: &X, y: &Y) -> Pair<Spectrum<T>> {
    csd_with(x, y, 1.0, "hann", None, None, None, "constant", true, "density", -1, "mean")
}

/// As [`csd`](fn@csd), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn csd_with<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number>(
    x: &X,
    y: &Y,
    fs: impl IntoFloat,
    window: impl Window,
    nperseg: impl Into<Option<usize>>,
    noverlap: impl Into<Option<usize>>,
    nfft: impl Into<Option<usize>>,
    detrend: &str,
    return_onesided: bool,
    scaling: &str,
    axis: isize,
    average: &str,
) -> Pair<Spectrum<T>> {
    let fs = fs.into_float();
    const NAME: &str = "csd";
    let of = || {
        let density = is_density(NAME, scaling, ["density", "spectrum"])?;
        let detrend = detrend_of(NAME, detrend)?;
        let [one, other] = two(NAME, x.raw(), y.raw(), axis)?;
        let plan = Plan::new(
            NAME,
            one.length,
            fs,
            &window,
            [nperseg.into(), noverlap.into(), nfft.into()],
            detrend,
            return_onesided,
        )?;
        let (x, y) = (plan.transforms(&one)?, plan.transforms(&other)?);
        let found = cross(&x, &y, average, &plan.scales(&one, density)?)?;
        Ok((plan.frequencies(), DeviceArray::from_raw(placed((*found.raw).clone(), &one, Spectrum::<T>::DTYPE, 1)?)))
    };
    check(of())
}

fn two(operation: &'static str, x: &RawArray, y: &RawArray, axis: isize) -> Result<[Signals; 2]> {
    x.same_device(operation, y)?;
    if x.shape() != y.shape() {
        return Err(Error::shape(operation, y.shape(), format!("is not that of the first signal, {:?}", x.shape())));
    }
    Ok([Signals::new(operation, x, axis)?, Signals::new(operation, y, axis)?])
}

/// The frequencies and the coherence of two real signals, along the last axis: how much of one follows from the other, from 0 to 1.
/// SciPy's `coherence`, with the keywords `fs`, `window`, `nperseg`, `noverlap`, `nfft`, `detrend` and `axis` of
/// [`welch`](fn@welch).
///
/// **Panics** as [`csd`](fn@csd) does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::random::Generator::new(1).normal(0.0, 1.0, 1024);
/// let (_, found) = gpu::signal::coherence(&x, &(&x * 2.0));
/// assert!(gpu::allclose(&found, &gpu::ones::<f64>(129)));
/// ```
#[track_caller]
pub fn coherence<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number>(x: &X, y: &Y) -> Pair<T::Mean> {
    coherence_with(x, y, 1.0, "hann", None, None, None, "constant", -1)
}

/// As [`coherence`](fn@coherence), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn coherence_with<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number>(
    x: &X,
    y: &Y,
    fs: impl IntoFloat,
    window: impl Window,
    nperseg: impl Into<Option<usize>>,
    noverlap: impl Into<Option<usize>>,
    nfft: impl Into<Option<usize>>,
    detrend: &str,
    axis: isize,
) -> Pair<T::Mean> {
    let fs = fs.into_float();
    const NAME: &str = "coherence";
    let of = || {
        let detrend = detrend_of(NAME, detrend)?;
        let [one, other] = two(NAME, x.raw(), y.raw(), axis)?;
        let plan =
            Plan::new(NAME, one.length, fs, &window, [nperseg.into(), noverlap.into(), nfft.into()], detrend, true)?;
        let (x, y) = (plan.transforms(&one)?, plan.transforms(&other)?);
        let scales = plan.scales(&one, true)?;
        let both = cross(&x, &y, "mean", &scales)?;
        let alone = [&x, &y].map(|of| (&squares(of) * &scales).mean_axis(1));
        let found = &squares(&both) / &(&alone[0] * &alone[1]);
        Ok((plan.frequencies(), DeviceArray::from_raw(placed((*found.raw).clone(), &one, T::Mean::DTYPE, 1)?)))
    };
    check(of())
}

/// The frequencies, the times of the middles of segments, and the powers of a real signal in each segment: a row for each
/// frequency, a column for each time. Segments have 256 samples, of which an eighth overlaps, a window of Tukey, and no mean. SciPy's
/// `spectrogram`: `gpu::signal::spectrogram!(&x, fs = 10e3, window = "hann", nperseg = 512, noverlap = 256, nfft = 512, detrend =
/// "none", return_onesided = true, scaling = "spectrum", axis = 0, mode = "magnitude")` has its keywords; `mode` is "psd",
/// "magnitude", "angle" or "phase" ("complex" is [`stft`](fn@stft)).
///
/// **Panics** as [`welch`](fn@welch) does.
///
/// ```
/// use warpcell as gpu;
/// let (f, t, power) = gpu::signal::spectrogram(&gpu::ones::<f64>(1000));
/// assert_eq!(power.shape(), [f.size(), t.size()]);
/// ```
#[track_caller]
pub fn spectrogram<X: OnDevice<Elem = T>, T: Number>(
    x: &X,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<T::Mean>) {
    spectrogram_with(x, 1.0, ("tukey", 0.25), None, None, None, "constant", true, "density", -1, "psd")
}

/// As [`spectrogram`](fn@spectrogram), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn spectrogram_with<X: OnDevice<Elem = T>, T: Number>(
    x: &X,
    fs: impl IntoFloat,
    window: impl Window,
    nperseg: impl Into<Option<usize>>,
    noverlap: impl Into<Option<usize>>,
    nfft: impl Into<Option<usize>>,
    detrend: &str,
    return_onesided: bool,
    scaling: &str,
    axis: isize,
    mode: &str,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<T::Mean>) {
    let fs = fs.into_float();
    const NAME: &str = "spectrogram";
    let of = || {
        let density = is_density(NAME, scaling, ["density", "spectrum"])?;
        let detrend = detrend_of(NAME, detrend)?;
        let signals = Signals::new(NAME, x.raw(), axis)?;
        let mut plan = Plan::new(
            NAME,
            signals.length,
            fs,
            &window,
            [nperseg.into(), Some(0), nfft.into()],
            detrend,
            return_onesided,
        )?;
        plan.overlap = noverlap.into().unwrap_or(plan.window.len() / 8);
        if plan.overlap >= plan.window.len() {
            let reason = format!("`noverlap` is {}; give less than `nperseg`, {}", plan.overlap, plan.window.len());
            return Err(Error::argument(NAME, reason));
        }
        let transforms = plan.transforms(&signals)?;
        let segments = transforms.shape()[1];
        let scale = plan.scale(density).sqrt();
        let found = match mode {
            "psd" => formula(NAME, &power, [&transforms.real(), &transforms.imag(), &plan.scales(&signals, density)?])?,
            "magnitude" => transforms.abs() * scale,
            "angle" => transforms.angle(),
            // Along the frequencies, as in SciPy.
            "phase" => crate::unwrap(&transforms.angle()),
            _ => {
                let reason = format!("`mode` is {mode:?}; give \"psd\", \"magnitude\", \"angle\" or \"phase\"");
                return Err(Error::argument(NAME, reason));
            }
        };
        // The times lie along the last axis, and the frequencies where the samples were.
        let found = found.swapaxes(1, 2);
        let found = placed((*found.raw).clone(), &signals, T::Mean::DTYPE, 2)?;
        Ok((plan.frequencies(), plan.times(segments, 0.0)?, DeviceArray::from_raw(found)))
    };
    check(of())
}

/// The frequencies, the times and the transforms of the segments of a real signal: a row for each frequency, a column for each
/// time. Segments have 256 samples, of which half overlaps, and a window of Hann; zeros are put at both ends, so that all samples
/// count as much. SciPy's `stft`: `gpu::signal::stft!(&x, fs = 10e3, window = "hamming", nperseg = 512, noverlap = 256, nfft = 512,
/// detrend = "none", return_onesided = true, boundary = "none", padded = false, axis = 0, scaling = "psd")` has its keywords; a
/// `boundary` is "zeros", "even", "odd", "constant" or "none". [`istft`](fn@istft) is the inverse.
///
/// **Panics** as [`welch`](fn@welch) does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(1000.0).sin();
/// let (f, t, z) = gpu::signal::stft!(&x, nperseg = 100);
/// assert_eq!(z.shape(), [f.size(), t.size()]);
/// assert!(gpu::allclose(&gpu::signal::istft!(&z, nperseg = 100).1, &x));
/// ```
#[track_caller]
pub fn stft<X: OnDevice<Elem = T>, T: Number>(x: &X) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<Spectrum<T>>) {
    stft_with(x, 1.0, "hann", 256, None, None, "none", true, "zeros", true, -1, "spectrum")
}

/// As [`stft`](fn@stft), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn stft_with<X: OnDevice<Elem = T>, T: Number>(
    x: &X,
    fs: impl IntoFloat,
    window: impl Window,
    nperseg: impl Into<Option<usize>>,
    noverlap: impl Into<Option<usize>>,
    nfft: impl Into<Option<usize>>,
    detrend: &str,
    return_onesided: bool,
    boundary: &str,
    padded: bool,
    axis: isize,
    scaling: &str,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<Spectrum<T>>) {
    let fs = fs.into_float();
    const NAME: &str = "stft";
    let of = || {
        let density = is_density(NAME, scaling, ["psd", "spectrum"])?;
        let detrend = detrend_of(NAME, detrend)?;
        let mut signals = Signals::new(NAME, x.raw(), axis)?;
        let plan = Plan::new(
            NAME,
            signals.length,
            fs,
            &window,
            [nperseg.into(), noverlap.into(), nfft.into()],
            detrend,
            return_onesided,
        )?;
        let count = plan.window.len();
        let kind = match boundary {
            "odd" => Some(0),
            "even" => Some(1),
            "constant" => Some(2),
            "zeros" => Some(3),
            "none" => None,
            _ => {
                let reason =
                    format!("`boundary` is {boundary:?}; give \"zeros\", \"even\", \"odd\", \"constant\" or \"none\"");
                return Err(Error::argument(NAME, reason));
            }
        };
        if let Some(kind) = kind {
            if kind < 2 && count / 2 >= signals.length {
                let reason = format!("is too short for the boundary {boundary:?} of segments of {count} samples");
                return Err(Error::shape(NAME, signals.moved.clone(), reason));
            }
            signals.extend(count / 2, kind)?;
        }
        if padded {
            let left = (signals.length - count) % plan.step();
            signals.append_zeros((plan.step() - left) % plan.step() % count)?;
        }
        let scaled = plan.transforms_times(&signals, plan.scale(density).sqrt())?;
        let segments = scaled.shape()[1];
        let first = if kind.is_some() { -(count as f64) / 2.0 } else { 0.0 };
        let found = scaled.swapaxes(1, 2);
        let found = placed((*found.raw).clone(), &signals, Spectrum::<T>::DTYPE, 2)?;
        Ok((plan.frequencies(), plan.times(segments, first)?, DeviceArray::from_raw(found)))
    };
    check(of())
}

/// The times and the real signal of which [`stft`](fn@stft) gave this: the sum of the inverse transforms of the segments through
/// their windows, divided by the sum of the squares of these. SciPy's `istft`: `gpu::signal::istft!(&z, fs = 10e3, window =
/// "hamming", nperseg = 512, noverlap = 256, nfft = 512, input_onesided = true, boundary = false, time_axis = -1, freq_axis = -2,
/// scaling = "psd")` has its keywords.
///
/// **Panics** if there are less than two axes ([`Error::InvalidShape`]), or an argument does not fit ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(1024.0).cos();
/// let (_, _, z) = gpu::signal::stft(&x);
/// assert!(gpu::allclose(&gpu::signal::istft(&z).1, &x));
/// ```
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's name")]
pub fn istft<Z: OnDevice<Elem = T>, T: Inexact>(Zxx: &Z) -> Pair<Signal<T>> {
    istft_with(Zxx, 1.0, "hann", None, None, None, true, true, -1, -2, "spectrum")
}

/// As [`istft`](fn@istft), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
#[allow(non_snake_case, reason = "SciPy's name")]
pub fn istft_with<Z: OnDevice<Elem = T>, T: Inexact>(
    Zxx: &Z,
    fs: impl IntoFloat,
    window: impl Window,
    nperseg: impl Into<Option<usize>>,
    noverlap: impl Into<Option<usize>>,
    nfft: impl Into<Option<usize>>,
    input_onesided: bool,
    boundary: bool,
    time_axis: isize,
    freq_axis: isize,
    scaling: &str,
) -> Pair<Signal<T>> {
    let fs = fs.into_float();
    let lengths = [nperseg.into(), noverlap.into(), nfft.into()];
    let of = joined(
        Zxx.raw(),
        fs,
        &window,
        lengths,
        input_onesided,
        boundary,
        [time_axis, freq_axis],
        scaling,
        Signal::<T>::DTYPE,
    );
    let (times, found) = check(of);
    (times, DeviceArray::from_raw(found))
}
