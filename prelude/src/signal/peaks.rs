//! Peaks of a signal: where they are, and how high, prominent and wide.
//!
//! Where peaks are, their prominences and their widths are found on the device, by a thread for each sample or peak, as in SciPy's
//! `_peak_finding_utils`, and so are those that fit the conditions. Only which peaks are too near others is decided on the host.

use crate::array::create::of_values;
use crate::array::{DeviceArray, OnDevice, RawArray, transfer};
use crate::backend::Layout;
use crate::backend::loops::Loops;
use crate::dtype::{DType, Real, Scalar};
use crate::error::{Error, Result, check};
use crate::floats::{IntoFloat, MaybeFloat};
use crate::launch::try_launch_unchecked;
use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, grid_stride};

/// What [`find_peaks`](fn@find_peaks) found beside the places of peaks: an element for each peak. Arrays of what no argument asked
/// for have no elements.
#[derive(Clone, Debug)]
pub struct PeakProperties {
    /// The samples, with `height`.
    pub peak_heights: DeviceArray<f64>,
    /// How much greater peaks are than the samples before, with `threshold`.
    pub left_thresholds: DeviceArray<f64>,
    /// How much greater peaks are than the samples after, with `threshold`.
    pub right_thresholds: DeviceArray<f64>,
    /// The prominences, with `prominence` or `width`.
    pub prominences: DeviceArray<f64>,
    /// The lowest places before peaks, with `prominence` or `width`.
    pub left_bases: DeviceArray<i64>,
    /// The lowest places after peaks, with `prominence` or `width`.
    pub right_bases: DeviceArray<i64>,
    /// The widths, with `width`.
    pub widths: DeviceArray<f64>,
    /// The heights at which widths are measured, with `width`.
    pub width_heights: DeviceArray<f64>,
    /// The left ends of widths, between samples, with `width`.
    pub left_ips: DeviceArray<f64>,
    /// The right ends of widths, between samples, with `width`.
    pub right_ips: DeviceArray<f64>,
    /// How many equal samples peaks have, with `plateau_size`.
    pub plateau_sizes: DeviceArray<i64>,
    /// The first samples of plateaus, with `plateau_size`.
    pub left_edges: DeviceArray<i64>,
    /// The last samples of plateaus, with `plateau_size`.
    pub right_edges: DeviceArray<i64>,
}

/// What peaks must have at least: a number, or at least and at most `(least, most)`, or `()` for no condition. Not an extension
/// point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition of peaks",
    label = "expected the least such as `0.5`, or the least and the most such as `(0.5, 2.0)`"
)]
pub trait Limits: sealed::Limited {}

mod sealed {
    pub trait Limited {
        /// The least and the most, if there is a condition.
        fn limits(&self) -> Option<[f64; 2]>;
    }
}
use sealed::Limited;

impl Limited for () {
    fn limits(&self) -> Option<[f64; 2]> {
        None
    }
}
impl<F: IntoFloat> Limited for F {
    fn limits(&self) -> Option<[f64; 2]> {
        Some([self.into_float(), f64::INFINITY])
    }
}
impl<A: MaybeFloat, B: MaybeFloat> Limited for (A, B) {
    fn limits(&self) -> Option<[f64; 2]> {
        Some([self.0.maybe_float().unwrap_or(f64::NEG_INFINITY), self.1.maybe_float().unwrap_or(f64::INFINITY)])
    }
}
impl<L: Limited> Limited for Option<L> {
    fn limits(&self) -> Option<[f64; 2]> {
        self.as_ref().and_then(Limited::limits)
    }
}
impl<L: Limited> Limits for L {}

/// The places of peaks in a 1-D signal, samples that are greater than both neighbours, and their properties; of equal samples the
/// middle one. SciPy's `find_peaks`: `gpu::signal::find_peaks!(&x, height = 0.5, threshold = (0.1, 1.0), distance = 10.0, prominence
/// = 1.0, width = 3.0, wlen = 101, rel_height = 0.5, plateau_size = 2.0)` has its keywords, conditions that are a number, the
/// least, or a pair with the most. Waits for the device, since only it knows how many peaks there are.
///
/// **Panics** if the signal is not 1-D ([`Error::InvalidShape`]), or `distance` is less than 1 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0.0, 2.0, 0.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0]);
/// assert_eq!(gpu::signal::find_peaks(&x).0.tolist(), [1, 4, 7]);
/// let (peaks, found) = gpu::signal::find_peaks!(&x, height = 1.5);
/// assert_eq!((peaks.tolist(), found.peak_heights.tolist()), (vec![1, 7], vec![2.0, 3.0]));
/// ```
#[track_caller]
pub fn find_peaks<X: OnDevice<Elem = T>, T: Real>(x: &X) -> (DeviceArray<i64>, PeakProperties) {
    find_peaks_with(x, (), (), None, (), (), None, 0.5, ())
}

/// As [`find_peaks`](fn@find_peaks), with all of SciPy's arguments.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
pub fn find_peaks_with<X: OnDevice<Elem = T>, T: Real>(
    x: &X,
    height: impl Limits,
    threshold: impl Limits,
    distance: impl MaybeFloat,
    prominence: impl Limits,
    width: impl Limits,
    wlen: impl Into<Option<usize>>,
    rel_height: impl IntoFloat,
    plateau_size: impl Limits,
) -> (DeviceArray<i64>, PeakProperties) {
    let rel_height = rel_height.into_float();
    let distance = distance.maybe_float();
    let conditions = Conditions {
        height: height.limits(),
        threshold: threshold.limits(),
        distance,
        prominence: prominence.limits(),
        width: width.limits(),
        wlen: wlen.into(),
        rel_height,
        plateau_size: plateau_size.limits(),
    };
    check(found(x.raw(), &conditions))
}

/// How far each peak stands out of what is around it: its height over the higher one of the lowest places on both sides, up to a
/// higher peak; and these places `(prominences, left_bases, right_bases)`. SciPy's `peak_prominences`; `gpu::signal::peak_prominences!(&x, &peaks, wlen = 101)` looks at so many samples around a peak.
///
/// **Panics** if an array is not 1-D ([`Error::InvalidShape`]), or a peak is not in the signal ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0.0, 3.0, 1.0, 2.0, 0.0]);
/// let (prominences, left, _) = gpu::signal::peak_prominences(&x, &gpu::array(&[1i64, 3]));
/// assert_eq!((prominences.tolist(), left.tolist()), (vec![3.0, 1.0], vec![0, 2]));
/// ```
#[track_caller]
pub fn peak_prominences<X: OnDevice<Elem = T>, P: OnDevice<Elem = i64>, T: Real>(
    x: &X,
    peaks: &P,
) -> (DeviceArray<f64>, DeviceArray<i64>, DeviceArray<i64>) {
    peak_prominences_with(x, peaks, None)
}

/// As [`peak_prominences`](fn@peak_prominences), within so many samples.
#[track_caller]
pub fn peak_prominences_with<X: OnDevice<Elem = T>, P: OnDevice<Elem = i64>, T: Real>(
    x: &X,
    peaks: &P,
    wlen: impl Into<Option<usize>>,
) -> (DeviceArray<f64>, DeviceArray<i64>, DeviceArray<i64>) {
    const NAME: &str = "peak_prominences";
    let of = || {
        let (x, peaks) = (signal_of(NAME, x.raw())?, peaks_of(NAME, x.raw(), peaks.raw())?);
        let [prominences, left, right] = prominences_of(NAME, &x, &peaks, wlen.into())?;
        Ok((prominences, left.try_astype()?, right.try_astype()?))
    };
    check(of())
}

/// How wide each peak is at half of its prominence, and where: `(widths, width_heights, left_ips, right_ips)`. SciPy's `peak_widths`;
/// `gpu::signal::peak_widths!(&x, &peaks, rel_height = 0.9, wlen = 101)` measures at another part of the prominence.
///
/// **Panics** as [`peak_prominences`](fn@peak_prominences) does, and if `rel_height` is negative ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0.0, 1.0, 2.0, 1.0, 0.0]);
/// let (widths, heights, _, _) = gpu::signal::peak_widths(&x, &gpu::array(&[2i64]));
/// assert_eq!((widths.tolist(), heights.tolist()), (vec![2.0], vec![1.0]));
/// ```
#[track_caller]
pub fn peak_widths<X: OnDevice<Elem = T>, P: OnDevice<Elem = i64>, T: Real>(
    x: &X,
    peaks: &P,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>) {
    peak_widths_with(x, peaks, 0.5, None)
}

/// As [`peak_widths`](fn@peak_widths), at another part of the prominence, and within so many samples.
#[track_caller]
pub fn peak_widths_with<X: OnDevice<Elem = T>, P: OnDevice<Elem = i64>, T: Real>(
    x: &X,
    peaks: &P,
    rel_height: impl IntoFloat,
    wlen: impl Into<Option<usize>>,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>) {
    let rel_height = rel_height.into_float();
    const NAME: &str = "peak_widths";
    let of = || {
        let (x, peaks) = (signal_of(NAME, x.raw())?, peaks_of(NAME, x.raw(), peaks.raw())?);
        let prominences = prominences_of(NAME, &x, &peaks, wlen.into())?;
        let [widths, heights, left, right] = widths_of(NAME, &x, &peaks, rel_height, &prominences)?;
        Ok((widths, heights, left, right))
    };
    check(of())
}

/// Defines functions of extremes by a comparison.
macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident $with:ident $word:literal;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<X: OnDevice<Elem = T>, T: Real>(data: &X) -> Vec<DeviceArray<i64>> {
            $with(data, 0, 1, "clip")
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), with SciPy's other arguments.")]
        #[track_caller]
        pub fn $with<X: OnDevice<Elem = T>, T: Real>(
            data: &X, axis: isize, order: usize, mode: &str,
        ) -> Vec<DeviceArray<i64>> {
            check(extremes_of(stringify!($name), data.raw(), $word, axis, order, mode))
        }
    )*};
}
extremes! {
    /// The places of elements that are greater than both neighbours along the first axis: an array of indices for each axis. SciPy's
    /// `argrelmax`: `gpu::signal::argrelmax!(&x, axis = 1, order = 3, mode = "wrap")` compares with so many on each side; beyond the
    /// ends are those of the other end, or with "clip" the last ones. Waits for the device.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), or `order` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let x = warpcell::array(&[0.0, 2.0, 1.0, 3.0, 0.0]);
    /// assert_eq!(warpcell::signal::argrelmax(&x)[0].tolist(), [1, 3]);
    /// ```
    argrelmax argrelmax_with "greater";
    /// The places of elements that are less than both neighbours along the first axis; see [`argrelmax`](fn@argrelmax). SciPy's
    /// `argrelmin`.
    ///
    /// **Panics** as `argrelmax` does.
    ///
    /// ```
    /// let x = warpcell::array(&[3.0, 2.0, 3.0, 1.0, 5.0]);
    /// assert_eq!(warpcell::signal::argrelmin(&x)[0].tolist(), [1, 3]);
    /// ```
    argrelmin argrelmin_with "less";
}

/// The places of elements that compare so with both neighbours along the first axis; `comparator` is "greater", "less",
/// "greater_equal" or "less_equal". SciPy's `argrelextrema`, with the keywords of [`argrelmax`](fn@argrelmax).
///
/// **Panics** as `argrelmax` does, and if there is no such comparison ([`Error::InvalidArgument`]).
///
/// ```
/// let x = warpcell::array(&[3.0, 2.0, 2.0, 4.0]);
/// assert_eq!(warpcell::signal::argrelextrema(&x, "less_equal")[0].tolist(), [1, 2]);
/// ```
#[track_caller]
pub fn argrelextrema<X: OnDevice<Elem = T>, T: Real>(data: &X, comparator: &str) -> Vec<DeviceArray<i64>> {
    argrelextrema_with(data, comparator, 0, 1, "clip")
}

/// As [`argrelextrema`](fn@argrelextrema), with SciPy's other arguments.
#[track_caller]
pub fn argrelextrema_with<X: OnDevice<Elem = T>, T: Real>(
    data: &X,
    comparator: &str,
    axis: isize,
    order: usize,
    mode: &str,
) -> Vec<DeviceArray<i64>> {
    check(extremes_of("argrelextrema", data.raw(), comparator, axis, order, mode))
}

struct Conditions {
    height: Option<[f64; 2]>,
    threshold: Option<[f64; 2]>,
    distance: Option<f64>,
    prominence: Option<[f64; 2]>,
    width: Option<[f64; 2]>,
    wlen: Option<usize>,
    rel_height: f64,
    plateau_size: Option<[f64; 2]>,
}

fn signal_of(operation: &'static str, x: &RawArray) -> Result<DeviceArray<f64>> {
    if x.shape().len() != 1 {
        return Err(Error::shape(operation, x.shape(), "is not 1-D; give one signal"));
    }
    Ok(DeviceArray::from_raw(x.converted(operation, DType::F64)?))
}

/// The places of peaks, which are in the signal.
fn peaks_of(operation: &'static str, x: &RawArray, peaks: &RawArray) -> Result<DeviceArray<i64>> {
    x.same_device(operation, peaks)?;
    if peaks.shape().len() != 1 {
        return Err(Error::shape(operation, peaks.shape(), "is not 1-D; give the places of peaks"));
    }
    let places: Vec<i64> = transfer::download_vec(peaks)?;
    if let Some(place) = places.iter().find(|place| **place < 0 || **place >= x.size() as i64) {
        let reason = format!("a peak is at {place}, but the signal has {} samples", x.size());
        return Err(Error::argument(operation, reason));
    }
    Ok(DeviceArray::from_raw(peaks.contiguous(operation)?))
}

fn scratch(x: &DeviceArray<f64>, operation: &'static str, count: usize) -> Result<DeviceArray<f64>> {
    Ok(DeviceArray::from_raw(RawArray::uninitialised(operation, &x.raw.handle, &[count], DType::F64)?))
}

/// Prominences and bases.
fn prominences_of(
    operation: &'static str,
    x: &DeviceArray<f64>,
    peaks: &DeviceArray<i64>,
    wlen: Option<usize>,
) -> Result<[DeviceArray<f64>; 3]> {
    if let Some(wlen) = wlen.filter(|wlen| *wlen < 2) {
        return Err(Error::argument(operation, format!("`wlen` is {wlen}; give at least 2")));
    }
    let count = peaks.size();
    let mut out = [scratch(x, operation, count)?, scratch(x, operation, count)?, scratch(x, operation, count)?];
    if count > 0 {
        let half = wlen.map_or(x.size(), |wlen| wlen / 2);
        let [prominences, left, right] = &mut out;
        // SAFETY: a thread takes a peak of those that there are.
        unsafe {
            try_launch_unchecked(
                find_prominences,
                count.div_ceil(64),
                64,
                (x, peaks, half as i64, prominences, left, right),
            )?;
        }
    }
    Ok(out)
}

/// Widths, their heights, and their ends.
fn widths_of(
    operation: &'static str,
    x: &DeviceArray<f64>,
    peaks: &DeviceArray<i64>,
    rel_height: f64,
    [prominences, left, right]: &[DeviceArray<f64>; 3],
) -> Result<[DeviceArray<f64>; 4]> {
    if rel_height.is_nan() || rel_height < 0.0 {
        return Err(Error::argument(operation, format!("`rel_height` is {rel_height}; give a number from 0 on")));
    }
    let count = peaks.size();
    let make = || scratch(x, operation, count);
    let mut out = [make()?, make()?, make()?, make()?];
    if count > 0 {
        let [widths, heights, from, to] = &mut out;
        let arguments = (x, peaks, prominences, left, right, rel_height, widths, heights, from, to);
        // SAFETY: a thread takes a peak of those that there are.
        unsafe { try_launch_unchecked(find_widths, count.div_ceil(64), 64, arguments)? };
    }
    Ok(out)
}

#[kernel]
fn find_prominences(
    x: View<f64>,
    peaks: View<i64>,
    half: i64,
    mut prominences: ViewMut<f64>,
    mut left: ViewMut<f64>,
    mut right: ViewMut<f64>,
) {
    let length = x.shape()[0] as i64;
    for at in grid_stride(peaks.shape()[0]) {
        let peak = peaks[at];
        let height = x[peak as usize];
        let first = (peak - half).max(0);
        let last = (peak + half).min(length - 1);
        let mut lowest_before = height;
        let mut base_before = peak;
        let mut place = peak;
        while place >= first && x[place as usize] <= height {
            if x[place as usize] < lowest_before {
                lowest_before = x[place as usize];
                base_before = place;
            }
            place -= 1;
        }
        let mut lowest_after = height;
        let mut base_after = peak;
        place = peak;
        while place <= last && x[place as usize] <= height {
            if x[place as usize] < lowest_after {
                lowest_after = x[place as usize];
                base_after = place;
            }
            place += 1;
        }
        prominences[at] = height - lowest_before.max(lowest_after);
        left[at] = base_before as f64;
        right[at] = base_after as f64;
    }
}

#[kernel]
#[expect(clippy::too_many_arguments, reason = "all that is found of a peak")]
fn find_widths(
    x: View<f64>,
    peaks: View<i64>,
    prominences: View<f64>,
    left: View<f64>,
    right: View<f64>,
    rel_height: f64,
    mut widths: ViewMut<f64>,
    mut heights: ViewMut<f64>,
    mut from: ViewMut<f64>,
    mut to: ViewMut<f64>,
) {
    for at in grid_stride(peaks.shape()[0]) {
        let peak = peaks[at];
        let height = x[peak as usize] - prominences[at] * rel_height;
        let first = left[at] as i64;
        let last = right[at] as i64;
        let mut place = peak;
        while first < place && height < x[place as usize] {
            place -= 1;
        }
        let mut before = place as f64;
        if x[place as usize] < height {
            before += (height - x[place as usize]) / (x[place as usize + 1] - x[place as usize]);
        }
        place = peak;
        while place < last && height < x[place as usize] {
            place += 1;
        }
        let mut after = place as f64;
        if x[place as usize] < height {
            after -= (height - x[place as usize]) / (x[place as usize - 1] - x[place as usize]);
        }
        widths[at] = after - before;
        heights[at] = height;
        from[at] = before;
        to[at] = after;
    }
}

/// Marks the first sample of each peak with how many equal ones it has, and all others with 0.
#[kernel]
fn mark_peaks(x: View<f64>, mut marks: ViewMut<i64>) {
    let length = x.shape()[0];
    for at in grid_stride(length) {
        let mut count = 0;
        if at > 0 && at + 1 < length && x[at - 1] < x[at] {
            let mut end = at + 1;
            while end + 1 < length && x[end] == x[at] {
                end += 1;
            }
            if x[end] < x[at] {
                count = (end - at) as i64;
            }
        }
        marks[at] = count;
    }
}

/// Whether each element compares so with its neighbours along rows: greater (0), less (1), at least (2), at most (3).
#[kernel]
fn compare_neighbours(x: View<f64>, order: i64, kind: i32, wraps: bool, mut out: ViewMut<i64>) {
    let (rows, length) = (x.shape()[0], x.shape()[1]);
    for at in grid_stride(rows * length) {
        let row = at / length;
        let place = (at % length) as i64;
        let value = x[[row, place as usize]];
        let last = length as i64 - 1;
        let mut fits = true;
        for far in 1..order + 1 {
            let mut before = place - far;
            let mut after = place + far;
            if wraps {
                before = ((before % (last + 1)) + last + 1) % (last + 1);
                after %= last + 1;
            }
            before = before.max(0);
            after = after.min(last);
            let one = x[[row, before as usize]];
            let other = x[[row, after as usize]];
            if kind == 0 {
                fits = fits && value > one && value > other;
            }
            if kind == 1 {
                fits = fits && value < one && value < other;
            }
            if kind == 2 {
                fits = fits && value >= one && value >= other;
            }
            if kind == 3 {
                fits = fits && value <= one && value <= other;
            }
        }
        out[[row, place as usize]] = if fits { 1 } else { 0 };
    }
}

fn extremes_of(
    operation: &'static str,
    x: &RawArray,
    comparator: &str,
    axis: isize,
    order: usize,
    mode: &str,
) -> Result<Vec<DeviceArray<i64>>> {
    const WORDS: [&str; 4] = ["greater", "less", "greater_equal", "less_equal"];
    let Some(kind) = WORDS.iter().position(|word| *word == comparator) else {
        return Err(Error::argument(operation, format!("`comparator` is {comparator:?}; give one of {WORDS:?}")));
    };
    if order == 0 {
        return Err(Error::argument(operation, "`order` is 0; give how many neighbours on each side"));
    }
    let wraps = match mode {
        "clip" => false,
        "wrap" => true,
        _ => return Err(Error::argument(operation, format!("`mode` is {mode:?}; give \"clip\" or \"wrap\""))),
    };
    let signals = super::filtering::Signals::new(operation, x, axis)?;
    let data = DeviceArray::<f64>::from_raw(signals.data.clone());
    let marks = RawArray::filled(operation, &x.handle, &[signals.rows, signals.length], Scalar::I64(0))?;
    let mut marks = DeviceArray::<i64>::from_raw(marks);
    let count = signals.rows * signals.length;
    if count > 0 {
        let arguments = (&data, order as i64, kind as i32, wraps, &mut marks);
        // SAFETY: a thread takes an element of those that there are.
        unsafe { try_launch_unchecked(compare_neighbours, count.div_ceil(512), 128, arguments)? };
    }
    let (last, axis) = (signals.moved.len() - 1, signals.axis);
    let marks = marks.raw.with_layout(Layout::contiguous(&signals.moved)).moved(last, axis);
    Ok(DeviceArray::<i64>::from_raw(marks).nonzero())
}

/// Peaks that are left, on the device. Numbers are of what a condition has asked for.
struct Peaks {
    /// The first sample of each plateau, and how many there are.
    firsts: DeviceArray<i64>,
    sizes: DeviceArray<i64>,
    thresholds: Option<[DeviceArray<f64>; 2]>,
    /// Prominences and bases.
    prominences: Option<[DeviceArray<f64>; 3]>,
    /// Widths, their heights, and their ends.
    widths: Option<[DeviceArray<f64>; 4]>,
}

impl Peaks {
    /// The middle samples of the plateaus.
    fn middles(&self) -> DeviceArray<i64> {
        &self.firsts + (&self.sizes - 1).floor_divide(2)
    }

    /// Keeps the peaks with `true`.
    fn keep(&mut self, keeps: &DeviceArray<bool>) {
        let places = keeps.flatnonzero();
        if places.size() == keeps.size() {
            return;
        }
        for list in [&mut self.firsts, &mut self.sizes] {
            *list = list.take(&places);
        }
        let numbers = [
            self.thresholds.as_mut().map(|lists| &mut lists[..]),
            self.prominences.as_mut().map(|lists| &mut lists[..]),
            self.widths.as_mut().map(|lists| &mut lists[..]),
        ];
        for list in numbers.into_iter().flatten().flatten() {
            *list = list.take(&places);
        }
    }
}

/// Which values are within limits.
fn within(values: &DeviceArray<f64>, [least, most]: [f64; 2]) -> DeviceArray<bool> {
    values.ge(least) & values.le(most)
}

fn found(x: &RawArray, conditions: &Conditions) -> Result<(DeviceArray<i64>, PeakProperties)> {
    const NAME: &str = "find_peaks";
    if let Some(distance) = conditions.distance.filter(|distance| distance.is_nan() || *distance < 1.0) {
        return Err(Error::argument(NAME, format!("`distance` is {distance}; give at least 1")));
    }
    let x = signal_of(NAME, x)?;
    let marks = RawArray::uninitialised(NAME, &x.raw.handle, &[x.size()], DType::I64)?;
    let mut marks = DeviceArray::<i64>::from_raw(marks);
    let loops = Loops::Peaks { x: x.raw.view(), marks: marks.raw.view() };
    if x.size() > 0 && !x.raw.handle.backend.by_loops(loops)? {
        // SAFETY: a thread takes a sample of those that there are.
        unsafe { try_launch_unchecked(mark_peaks, x.size().div_ceil(512), 128, (&x, &mut marks))? };
    }
    let firsts = marks.flatnonzero();
    let sizes = marks.take(&firsts);
    let mut peaks = Peaks { firsts, sizes, thresholds: None, prominences: None, widths: None };
    if let Some(limits) = conditions.plateau_size {
        peaks.keep(&within(&peaks.sizes.astype::<f64>(), limits));
    }
    if let Some(limits) = conditions.height {
        peaks.keep(&within(&x.take(&peaks.middles()), limits));
    }
    if let Some([least, most]) = conditions.threshold {
        let middles = peaks.middles();
        let heights = x.take(&middles);
        let [before, after] = [-1, 1].map(|far| &heights - x.take(&(&middles + far)));
        let keeps = before.minimum(&after).ge(least) & before.maximum(&after).le(most);
        peaks.thresholds = Some([before, after]);
        peaks.keep(&keeps);
    }
    if let Some(distance) = conditions.distance {
        // One peak decides on the next: the host does it.
        let middles = peaks.middles();
        let heights: Vec<f64> = transfer::download_vec(&x.take(&middles).raw)?;
        let keeps = far_enough(&transfer::download_vec(&middles.raw)?, &heights, distance);
        peaks.keep(&of_values(keeps)?.try_to_device(x.device())?);
    }
    if conditions.prominence.is_some() || conditions.width.is_some() {
        let middles = peaks.middles();
        let prominences = prominences_of(NAME, &x, &middles, conditions.wlen)?;
        if conditions.width.is_some() {
            peaks.widths = Some(widths_of(NAME, &x, &middles, conditions.rel_height, &prominences)?);
        }
        peaks.prominences = Some(prominences);
        if let (Some(limits), Some([prominences, ..])) = (conditions.prominence, &peaks.prominences) {
            peaks.keep(&within(prominences, limits));
        }
        if let (Some(limits), Some([widths, ..])) = (conditions.width, &peaks.widths) {
            peaks.keep(&within(widths, limits));
        }
    }
    let middles = peaks.middles();
    let none = || scratch(&x, NAME, 0);
    let [left_thresholds, right_thresholds] = peaks.thresholds.map_or_else(|| Ok([none()?, none()?]), Ok)?;
    let [prominences, left, right] = peaks.prominences.map_or_else(|| Ok([none()?, none()?, none()?]), Ok)?;
    let [widths, width_heights, left_ips, right_ips] =
        peaks.widths.map_or_else(|| Ok([none()?, none()?, none()?, none()?]), Ok)?;
    let [plateau_sizes, left_edges, right_edges] = if conditions.plateau_size.is_some() {
        [peaks.sizes.clone(), peaks.firsts.clone(), &peaks.firsts + &peaks.sizes - 1]
    } else {
        let none = none()?.astype::<i64>();
        [none.clone(), none.clone(), none]
    };
    let properties = PeakProperties {
        peak_heights: if conditions.height.is_some() { x.take(&middles) } else { none()? },
        left_thresholds,
        right_thresholds,
        prominences,
        left_bases: left.astype::<i64>(),
        right_bases: right.astype::<i64>(),
        widths,
        width_heights,
        left_ips,
        right_ips,
        plateau_sizes,
        left_edges,
        right_edges,
    };
    Ok((middles, properties))
}

/// Which peaks stay if of two that are nearer than this the lower one goes, beginning with the highest.
fn far_enough(peaks: &[i64], heights: &[f64], distance: f64) -> Vec<bool> {
    let distance = distance.ceil() as i64;
    let mut keeps = vec![true; peaks.len()];
    let mut order: Vec<usize> = (0..peaks.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    for &at in order.iter().rev() {
        if !keeps[at] {
            continue;
        }
        for other in (0..at).rev().take_while(|&other| peaks[at] - peaks[other] < distance) {
            keeps[other] = false;
        }
        for other in (at + 1..peaks.len()).take_while(|&other| peaks[other] - peaks[at] < distance) {
            keeps[other] = false;
        }
    }
    keeps
}
