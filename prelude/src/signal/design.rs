//! The design of filters, and their response to frequencies. On the host: they are a few numbers.

use super::arguments::sealed::{Edges, Passing, Points};
use super::arguments::{At, Passes, polynomial, sections};
use super::coefficients::{Tf, sos_array, sos_of_zpk, tf_arrays, tf_of_zpk, zpk_arrays};
use super::elliptic::elliptic;
use super::roots::{C, Zpk};
use super::windows::{Window, sealed::Specified, sinc, weights};
use super::{Band, Coefficients, Frequencies, PassZero};
use crate::array::DeviceArray;
use crate::array::create::of_values;
use crate::error::{Error, Result, check};
use crate::floats::{IntoFloat, MaybeFloat};
use num_complex::Complex;
use std::f64::consts::PI;

/// Which frequencies a filter of any kind is for.
struct Request<'a> {
    operation: &'static str,
    edges: Vec<f64>,
    kind: &'a str,
    analog: bool,
    fs: Option<f64>,
}

impl<'a> Request<'a> {
    fn new(operation: &'static str, band: &dyn Edges, kind: &'a str, analog: bool, fs: Option<f64>) -> Request<'a> {
        Request { operation, edges: band.edges(), kind, analog, fs }
    }
}

/// Defines a kind of filter: as coefficients, with and without SciPy's other arguments, as zeros and poles, and as sections.
macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $name:ident $with:ident $zpk:ident $sos:ident ($($parameter:ident),*) => $prototype:expr;
    )*) => {$(
        $(#[$doc])*
        #[track_caller]
        #[allow(non_snake_case, reason = "SciPy's names")]
        pub fn $name(N: usize, $($parameter: impl IntoFloat,)* Wn: impl Band) -> Tf {
            let kind = if_band(&Wn);
            $with(N, $($parameter,)* Wn, kind, false, None)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), with all of SciPy's arguments.")]
        #[track_caller]
        #[allow(non_snake_case, reason = "SciPy's names")]
        pub fn $with(
            N: usize, $($parameter: impl IntoFloat,)* Wn: impl Band, btype: &str, analog: bool, fs: impl MaybeFloat,
        ) -> Tf {
            let fs = fs.maybe_float();
            let request = Request::new(stringify!($name), &Wn, btype, analog, fs);
            let zpk = designed(&request, $prototype(N $(, $parameter.into_float())*));
            check(zpk.and_then(|zpk| tf_arrays(tf_of_zpk(request.operation, &zpk)?)))
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), as zeros, poles and the gain `(z, p, k)`.")]
        #[track_caller]
        #[allow(non_snake_case, reason = "SciPy's names")]
        pub fn $zpk(
            N: usize, $($parameter: impl IntoFloat,)* Wn: impl Band, btype: &str, analog: bool, fs: impl MaybeFloat,
        ) -> (DeviceArray<Complex<f64>>, DeviceArray<Complex<f64>>, f64) {
            let fs = fs.maybe_float();
            let request = Request::new(stringify!($name), &Wn, btype, analog, fs);
            check(designed(&request, $prototype(N $(, $parameter.into_float())*)).and_then(zpk_arrays))
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), as second-order sections, of digital filters.")]
        #[track_caller]
        #[allow(non_snake_case, reason = "SciPy's names")]
        pub fn $sos(
            N: usize, $($parameter: impl IntoFloat,)* Wn: impl Band, btype: &str, analog: bool, fs: impl MaybeFloat,
        ) -> DeviceArray<f64> {
            let fs = fs.maybe_float();
            let request = Request::new(stringify!($name), &Wn, btype, analog, fs);
            check(in_sections(&request, $prototype(N $(, $parameter.into_float())*)))
        }
    )*};
}
kinds! {
    /// The coefficients `(b, a)` of a digital filter of Butterworth of the order `N`: a low pass up to the frequency `Wn`, or a band
    /// pass of a band `(low, high)`. Frequencies are parts of half the number of samples a second. SciPy's `butter`:
    /// `gpu::signal::butter!(4, 30.0, btype = "high", output = "sos", fs = 500.0)` has its keywords, of which `btype` is "low",
    /// "high", "bandpass" or "bandstop", and `output` "ba", "zpk" or "sos".
    ///
    /// **Panics** if a frequency is not between 0 and half the number of samples a second, or there are not as many as the type
    /// of the filter needs ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (b, a) = gpu::signal::butter(1, 0.5);
    /// assert!(gpu::allclose(&b, &[0.5, 0.5]) && gpu::allclose(&a, &[1.0, 0.0]));
    /// assert_eq!(gpu::signal::butter!(4, (0.2, 0.4), btype = "band", output = "sos").shape(), [4, 6]);
    /// ```
    butter butter_with butter_zpk butter_sos () => butterworth;
    /// The coefficients `(b, a)` of a digital filter of Chebyshev of the first type: up to `rp` decibels of ripple where it lets
    /// frequencies pass. All else is as for [`butter`](fn@butter). SciPy's `cheby1`.
    ///
    /// **Panics** as `butter` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (b, a) = gpu::signal::cheby1(4, 1.0, 0.3);
    /// // An even order begins at the bottom of the ripple.
    /// assert!((b.sum() / a.sum() - 10f64.powf(-1.0 / 20.0)).abs() < 1e-9);
    /// ```
    cheby1 cheby1_with cheby1_zpk cheby1_sos (rp) => chebyshev_of_first_type;
    /// The coefficients `(b, a)` of a digital filter of Chebyshev of the second type: at least `rs` decibels less where it stops
    /// frequencies. All else is as for [`butter`](fn@butter). SciPy's `cheby2`.
    ///
    /// **Panics** as `butter` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (b, a) = gpu::signal::cheby2(4, 40.0, 0.3);
    /// assert!((b.sum() / a.sum() - 1.0).abs() < 1e-9);
    /// ```
    cheby2 cheby2_with cheby2_zpk cheby2_sos (rs) => chebyshev_of_second_type;
    /// The coefficients `(b, a)` of a digital elliptic filter, of Cauer: up to `rp` decibels of ripple where it lets frequencies pass,
    /// and at least `rs` decibels less where it stops them, which no filter of the same order does in less width. All else is as for
    /// [`butter`](fn@butter). SciPy's `ellip`.
    ///
    /// **Panics** as `butter` does, or if no filter has such an `rp` and `rs` ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (b, a) = gpu::signal::ellip(3, 1.0, 40.0, 0.3);
    /// assert!((b.sum() / a.sum() - 1.0).abs() < 1e-9);
    /// ```
    ellip ellip_with ellip_zpk ellip_sos (rp, rs) => elliptic;
}

/// The type of filter that follows from the frequencies if none is said.
fn if_band(band: &dyn Edges) -> &'static str {
    if band.edges().len() == 1 { "low" } else { "bandpass" }
}

/// `e` to the power of an imaginary number.
fn turn(angle: f64) -> C {
    C::from_polar(1.0, angle)
}

/// `-N + 1`, `-N + 3`, … up to `N - 1`.
fn steps(order: usize) -> impl Iterator<Item = f64> {
    (0..order).map(move |at| 2.0 * at as f64 + 1.0 - order as f64)
}

fn negated_product(of: &[C]) -> C {
    of.iter().map(|c| -c).product()
}

/// A low pass up to the frequency 1, of poles on a circle.
fn butterworth(order: usize) -> Zpk {
    let p = steps(order).map(|m| -turn(PI * m / (2 * order) as f64)).collect();
    Zpk { z: Vec::new(), p, k: 1.0 }
}

fn chebyshev_of_first_type(order: usize, rp: f64) -> Zpk {
    if order == 0 {
        return Zpk { z: Vec::new(), p: Vec::new(), k: 10f64.powf(-rp / 20.0) };
    }
    let eps = (10f64.powf(0.1 * rp) - 1.0).sqrt();
    let mu = (1.0 / eps).asinh() / order as f64;
    let p: Vec<C> = steps(order).map(|m| -C::new(mu, PI * m / (2 * order) as f64).sinh()).collect();
    let mut k = negated_product(&p).re;
    if order.is_multiple_of(2) {
        k /= (1.0 + eps * eps).sqrt();
    }
    Zpk { z: Vec::new(), p, k }
}

fn chebyshev_of_second_type(order: usize, rs: f64) -> Zpk {
    if order == 0 {
        return Zpk { z: Vec::new(), p: Vec::new(), k: 1.0 };
    }
    let de = 1.0 / (10f64.powf(0.1 * rs) - 1.0).sqrt();
    let mu = (1.0 / de).asinh() / order as f64;
    let z: Vec<C> =
        steps(order).filter(|m| *m != 0.0).map(|m| C::new(0.0, 1.0 / (m * PI / (2 * order) as f64).sin())).collect();
    let pole = |m: f64| {
        let on_circle = -turn(PI * m / (2 * order) as f64);
        C::new(mu.sinh() * on_circle.re, mu.cosh() * on_circle.im).inv()
    };
    let p: Vec<C> = steps(order).map(pole).collect();
    let k = (negated_product(&p) / negated_product(&z)).re;
    Zpk { z, p, k }
}

fn in_sections(request: &Request<'_>, prototype: Zpk) -> Result<DeviceArray<f64>> {
    if request.analog {
        return Err(Error::argument(request.operation, "`analog` is true, but sections are those of digital filters"));
    }
    sos_array(sos_of_zpk(request.operation, designed(request, prototype)?)?)
}

/// A low pass up to the frequency 1, turned into the filter that is asked for.
fn designed(request: &Request<'_>, prototype: Zpk) -> Result<Zpk> {
    let &Request { operation, ref edges, kind, analog, fs, .. } = request;
    let wrong = |reason: String| Err(Error::argument(operation, reason));
    if prototype.k.is_nan() {
        return wrong(
            "no filter has this `rp` and `rs`; give an `rp` greater than 0, and an `rs` greater than that".to_string(),
        );
    }
    if let (true, Some(fs)) = (analog, fs) {
        return wrong(format!("`fs` is {fs}, but an analog filter has no samples"));
    }
    let is_pair = match kind {
        "low" | "lowpass" | "lp" | "l" | "high" | "highpass" | "hp" | "h" => false,
        "band" | "bandpass" | "bp" | "pass" | "bandstop" | "bs" | "stop" | "bands" => true,
        _ => return wrong(format!("`btype` is {kind:?}; give \"low\", \"high\", \"bandpass\" or \"bandstop\"")),
    };
    if edges.len() != 1 + usize::from(is_pair) {
        return wrong(format!(
            "`Wn` is {edges:?}, but {kind:?} needs {}",
            if is_pair { "two frequencies" } else { "one" }
        ));
    }
    if let Some(fs) = fs.filter(|fs| fs.is_nan() || *fs <= 0.0) {
        return wrong(format!("`fs` is {fs}; give a number greater than 0"));
    }
    let half = if analog { 1.0 } else { fs.unwrap_or(2.0) / 2.0 };
    if let Some(edge) = edges.iter().find(|edge| !(**edge > 0.0 && (analog || **edge < half))) {
        return wrong(match analog {
            true => format!("`Wn` has {edge}; give frequencies greater than 0"),
            false => format!("`Wn` has {edge}; give frequencies between 0 and {half}, half the samples a second"),
        });
    }
    if is_pair && edges[0] >= edges[1] {
        return wrong(format!("`Wn` is {edges:?}; give the lower frequency first"));
    }
    let warped: Vec<f64> =
        edges.iter().map(|&edge| if analog { edge } else { 4.0 * (PI * (edge / half) / 2.0).tan() }).collect();
    let degree = prototype.p.len() - prototype.z.len();
    let found = match kind.as_bytes()[0] {
        b'l' => scaled(prototype, warped[0], degree),
        b'h' => inverted(prototype, warped[0], degree),
        _ => {
            let (width, centre) = (warped[1] - warped[0], (warped[0] * warped[1]).sqrt());
            if matches!(kind, "bandstop" | "bs" | "stop" | "bands") {
                stopped(prototype, centre, width, degree)
            } else {
                passed(prototype, centre, width, degree)
            }
        }
    };
    Ok(if analog { found } else { sampled(found) })
}

fn scaled(of: Zpk, to: f64, degree: usize) -> Zpk {
    let list = |of: Vec<C>| of.iter().map(|c| c * to).collect();
    Zpk { z: list(of.z), p: list(of.p), k: of.k * to.powi(degree as i32) }
}

fn inverted(of: Zpk, at: f64, degree: usize) -> Zpk {
    let k = of.k * (negated_product(&of.z) / negated_product(&of.p)).re;
    let list = |of: Vec<C>| -> Vec<C> { of.iter().map(|c| at / c).collect() };
    let mut z = list(of.z);
    z.extend(std::iter::repeat_n(C::new(0.0, 0.0), degree));
    Zpk { z, p: list(of.p), k }
}

/// Both frequencies into which one is split about a centre.
fn split(of: &[C], centre: f64) -> Vec<C> {
    let distance = |c: &C| (c * c - centre * centre).sqrt();
    of.iter().map(|c| c + distance(c)).chain(of.iter().map(|c| c - distance(c))).collect()
}

fn passed(of: Zpk, centre: f64, width: f64, degree: usize) -> Zpk {
    let list = |of: &[C]| split(&of.iter().map(|c| c * (width / 2.0)).collect::<Vec<C>>(), centre);
    let mut z = list(&of.z);
    z.extend(std::iter::repeat_n(C::new(0.0, 0.0), degree));
    Zpk { z, p: list(&of.p), k: of.k * width.powi(degree as i32) }
}

fn stopped(of: Zpk, centre: f64, width: f64, degree: usize) -> Zpk {
    let k = of.k * (negated_product(&of.z) / negated_product(&of.p)).re;
    let list = |of: &[C]| split(&of.iter().map(|c| (width / 2.0) / c).collect::<Vec<C>>(), centre);
    let mut z = list(&of.z);
    z.extend(std::iter::repeat_n(C::new(0.0, centre), degree));
    z.extend(std::iter::repeat_n(C::new(0.0, -centre), degree));
    Zpk { z, p: list(&of.p), k }
}

/// The bilinear transform at 2 samples a second.
fn sampled(of: Zpk) -> Zpk {
    let degree = of.p.len() - of.z.len();
    let less = |of: &[C]| -> C { of.iter().map(|c| 4.0 - c).product() };
    let k = of.k * (less(&of.z) / less(&of.p)).re;
    let list = |of: &[C]| -> Vec<C> { of.iter().map(|c| (4.0 + c) / (4.0 - c)).collect() };
    let mut z = list(&of.z);
    z.extend(std::iter::repeat_n(C::new(-1.0, 0.0), degree));
    Zpk { z, p: list(&of.p), k }
}

/// The `numtaps` coefficients of a filter of finite response, by a Hamming window: a low pass up to `cutoff`, or with several
/// frequencies one that lets the bands in between pass by turns. Frequencies are parts of half the number of samples a second.
/// SciPy's `firwin`: `gpu::signal::firwin!(65, 40.0, window = "hann", pass_zero = false, fs = 500.0)` has its keywords.
///
/// **Panics** if the frequencies are not between 0 and half the number of samples a second or do not ascend, or an even number of
/// coefficients is to let the greatest frequency pass ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert!((gpu::signal::firwin(31, 0.2).sum() - 1.0).abs() < 1e-12);
/// assert!(gpu::signal::firwin!(31, 0.2, pass_zero = "highpass").sum().abs() < 0.01);
/// ```
#[track_caller]
pub fn firwin(numtaps: usize, cutoff: impl Band) -> DeviceArray<f64> {
    firwin_with(numtaps, cutoff, None, "hamming", true, true, None)
}

/// As [`firwin`](fn@firwin), with all of SciPy's arguments. A `width` of the transition chooses Kaiser's window.
#[track_caller]
pub fn firwin_with(
    numtaps: usize,
    cutoff: impl Band,
    width: impl MaybeFloat,
    window: impl Window,
    pass_zero: impl PassZero,
    scale: bool,
    fs: impl MaybeFloat,
) -> DeviceArray<f64> {
    let width = width.maybe_float();
    let fs = fs.maybe_float();
    let taps = by_window(numtaps, cutoff.edges(), width, &window, &pass_zero, scale, fs);
    check(taps.and_then(of_values))
}

fn by_window(
    count: usize,
    cutoff: Vec<f64>,
    width: Option<f64>,
    window: &dyn Specified,
    pass_zero: &dyn Passing,
    scale: bool,
    fs: Option<f64>,
) -> Result<Vec<f64>> {
    const NAME: &str = "firwin";
    let wrong = |reason: String| Err(Error::argument(NAME, reason));
    if count == 0 {
        return wrong("`numtaps` is 0; give how many coefficients".to_string());
    }
    let half = fs.unwrap_or(2.0) / 2.0;
    let mut edges: Vec<f64> = cutoff.iter().map(|edge| edge / half).collect();
    if edges.is_empty()
        || edges.iter().any(|edge| !(*edge > 0.0 && *edge < 1.0))
        || edges.windows(2).any(|w| w[0] >= w[1])
    {
        return wrong(format!("`cutoff` is {cutoff:?}; give ascending frequencies between 0 and {half}"));
    }
    let passes_zero = match pass_zero.passes(NAME)? {
        Passes::Zero(passes) => passes,
        Passes::Word(word) => {
            if word.starts_with("band") != (edges.len() > 1) {
                return wrong(format!("`pass_zero` is {word:?}, for which `cutoff` {cutoff:?} has the wrong length"));
            }
            matches!(word, "lowpass" | "bandstop")
        }
    };
    let passes_last = edges.len().is_multiple_of(2) == passes_zero;
    if passes_last && count.is_multiple_of(2) {
        return wrong(format!(
            "`numtaps` is {count}, but an even number of coefficients cannot let the greatest frequency pass"
        ));
    }
    if passes_zero {
        edges.insert(0, 0.0);
    }
    if passes_last {
        edges.push(1.0);
    }
    let weights = match width {
        None => weights(NAME, window, count, true)?,
        Some(width) => {
            // Kaiser's formulas of the attenuation, and of the shape for it.
            let attenuation = 2.285 * (count - 1) as f64 * PI * (width / half) + 7.95;
            let beta = if attenuation > 50.0 {
                0.1102 * (attenuation - 8.7)
            } else if attenuation > 21.0 {
                0.5842 * (attenuation - 21.0).powf(0.4) + 0.07886 * (attenuation - 21.0)
            } else {
                0.0
            };
            self::weights(NAME, &("kaiser", beta), count, true)?
        }
    };
    let place = |at: usize| at as f64 - 0.5 * (count - 1) as f64;
    let tap = |at: usize| {
        let m = place(at);
        edges.chunks(2).map(|band| band[1] * sinc(band[1] * m) - band[0] * sinc(band[0] * m)).sum::<f64>() * weights[at]
    };
    let mut taps: Vec<f64> = (0..count).map(tap).collect();
    if scale {
        let frequency = match (edges[0], edges[1]) {
            (0.0, _) => 0.0,
            (_, 1.0) => 1.0,
            (left, right) => 0.5 * (left + right),
        };
        let sum: f64 = taps.iter().enumerate().map(|(at, tap)| tap * (PI * place(at) * frequency).cos()).sum();
        taps.iter_mut().for_each(|tap| *tap /= sum);
    }
    Ok(taps)
}

/// The `numtaps` coefficients of a filter of finite response with these gains at these frequencies, and straight lines between them, by
/// a Hamming window. The frequencies ascend from 0 to 1, half the number of samples a second; two that are equal are a step. SciPy's
/// `firwin2`: `gpu::signal::firwin2!(65, &[0.0, 50.0, 100.0], &[1.0, 1.0, 0.0], window = "hann", fs = 200.0)` has its keywords.
///
/// **Panics** if the frequencies and gains do not fit one another, the number of coefficients, or the symmetry of the filter
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let taps = gpu::signal::firwin2(31, &[0.0, 0.5, 1.0], &[1.0, 1.0, 0.0]);
/// assert!((taps.sum() - 1.0).abs() < 0.01);
/// ```
#[track_caller]
pub fn firwin2(numtaps: usize, freq: impl Coefficients, gain: impl Coefficients) -> DeviceArray<f64> {
    firwin2_with(numtaps, freq, gain, None, "hamming", false, None)
}

/// As [`firwin2`](fn@firwin2), with all of SciPy's arguments: between how many frequencies lines are drawn, and whether the filter is
/// antisymmetric.
#[track_caller]
pub fn firwin2_with(
    numtaps: usize,
    freq: impl Coefficients,
    gain: impl Coefficients,
    nfreqs: impl Into<Option<usize>>,
    window: impl Window,
    antisymmetric: bool,
    fs: impl MaybeFloat,
) -> DeviceArray<f64> {
    let fs = fs.maybe_float();
    let of = || {
        let (freq, gain) = (polynomial("firwin2", "freq", &freq)?, polynomial("firwin2", "gain", &gain)?);
        by_gains(numtaps, freq, gain, nfreqs.into(), &window, antisymmetric, fs.unwrap_or(2.0) / 2.0)
    };
    check(of().and_then(of_values))
}

fn by_gains(
    count: usize,
    mut freq: Vec<f64>,
    gain: Vec<f64>,
    nfreqs: Option<usize>,
    window: &dyn Specified,
    antisymmetric: bool,
    half: f64,
) -> Result<Vec<f64>> {
    const NAME: &str = "firwin2";
    let wrong = |reason: String| Err(Error::argument(NAME, reason));
    let points = nfreqs.unwrap_or(1 + count.max(1).next_power_of_two());
    if count == 0 || count >= points {
        return wrong(format!("`numtaps` is {count}; give at least 1, and less than `nfreqs`, {points}"));
    }
    if freq.len() != gain.len() || freq.len() < 2 {
        return wrong(format!(
            "there are {} frequencies and {} gains; give as many, at least two",
            freq.len(),
            gain.len()
        ));
    }
    let last = freq.len() - 1;
    if freq[0] != 0.0 || freq[last] != half {
        return wrong(format!("`freq` is from {} to {}; give frequencies from 0 to {half}", freq[0], freq[last]));
    }
    let ascends = freq.windows(2).all(|pair| pair[0] <= pair[1]) && freq.windows(3).all(|three| three[0] < three[2]);
    if !ascends || (last > 1 && (freq[1] == 0.0 || freq[last - 1] == half)) {
        return wrong(format!(
            "`freq` is {freq:?}; give ascending frequencies, of which two in the middle may be equal"
        ));
    }
    let is_even = count.is_multiple_of(2);
    let is_refused = match (antisymmetric, is_even) {
        (false, true) => gain[last] != 0.0,
        (true, false) => gain[0] != 0.0 || gain[last] != 0.0,
        (true, true) => gain[0] != 0.0,
        (false, false) => false,
    };
    if is_refused {
        return wrong(format!(
            "`gain` is {} at 0 and {} at {half}; {} filter with {count} coefficients has 0 at {}",
            gain[0],
            gain[last],
            if antisymmetric { "an antisymmetric" } else { "a symmetric" },
            match (antisymmetric, is_even) {
                (true, false) => "both ends",
                (true, true) => "0",
                _ => "the greatest frequency",
            }
        ));
    }
    for at in 0..last {
        if freq[at] == freq[at + 1] {
            freq[at] -= f64::EPSILON * half;
            freq[at + 1] += f64::EPSILON * half;
        }
    }
    let weights = weights(NAME, window, count, true)?;
    let gain_at = |place: usize| {
        let x = half * place as f64 / (points - 1) as f64;
        let right = freq.partition_point(|edge| *edge <= x).clamp(1, last);
        let share = (x - freq[right - 1]) / (freq[right] - freq[right - 1]);
        gain[right - 1] + share.clamp(0.0, 1.0) * (gain[right] - gain[right - 1])
    };
    let gains: Vec<f64> = (0..points).map(gain_at).collect();
    // The inverse transform of the gains, delayed by half the filter.
    let middle = (count - 1) as f64 / 2.0;
    let angle_of = |place: usize, tap: usize| PI * place as f64 * (tap as f64 - middle) / (points - 1) as f64;
    let tap = |tap: usize| {
        let term = |place: usize| {
            let (sine, cosine) = angle_of(place, tap).sin_cos();
            let wave = if antisymmetric { -sine } else { cosine };
            let single = if place == 0 || place == points - 1 { 0.5 } else { 1.0 };
            single * gains[place] * wave
        };
        (0..points).map(term).sum::<f64>() / (points - 1) as f64 * weights[tap]
    };
    let mut taps: Vec<f64> = (0..count).map(tap).collect();
    if antisymmetric && !is_even {
        taps[count / 2] = 0.0;
    }
    Ok(taps)
}

/// The coefficients of a low pass.
pub(super) fn firwin_taps(count: usize, cutoff: f64, window: &dyn Specified) -> Result<Vec<f64>> {
    by_window(count, vec![cutoff], None, window, &true, true, None)
}

/// The sections of a digital low pass of Chebyshev's first type.
pub(super) fn cheby1_sections(operation: &'static str, order: usize, rp: f64, edge: f64) -> Result<Vec<[f64; 6]>> {
    let request = Request::new(operation, &edge, "low", false, None);
    sos_of_zpk(operation, designed(&request, chebyshev_of_first_type(order, rp))?)
}

/// The response `(w, h)` of a digital filter to 512 frequencies from 0 up to π, in radians a sample. SciPy's `freqz`:
/// `gpu::signal::freqz!(&b, &a, worN = 1024, fs = 500.0)` has its keywords; `worN` is how many, or an array of frequencies. On the
/// host.
///
/// **Panics** if an array is not 1-D or empty ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let (w, h) = gpu::signal::freqz(&[0.5, 0.5], 1.0);
/// assert_eq!((w.shape(), h.get(&[0]).re), (&[512][..], 1.0));
/// ```
#[track_caller]
pub fn freqz(b: impl Coefficients, a: impl Coefficients) -> (DeviceArray<f64>, DeviceArray<Complex<f64>>) {
    freqz_with(b, a, 512, false, std::f64::consts::TAU, false)
}

/// As [`freqz`](fn@freqz), with all of SciPy's arguments: the frequencies, whether they go on to 2π, how many samples there are a
/// second, and whether the last one is π itself.
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's names")]
pub fn freqz_with(
    b: impl Coefficients,
    a: impl Coefficients,
    worN: impl Frequencies,
    whole: bool,
    fs: impl IntoFloat,
    include_nyquist: bool,
) -> (DeviceArray<f64>, DeviceArray<Complex<f64>>) {
    let fs = fs.into_float();
    const NAME: &str = "freqz";
    let of = || {
        let parts = [(polynomial(NAME, "b", &b)?, polynomial(NAME, "a", &a)?)];
        response(NAME, &parts, &worN, whole, fs, include_nyquist)
    };
    check(of())
}

/// The response `(w, h)` of a digital filter in second-order sections to 512 frequencies from 0 up to π, in radians a sample. SciPy's
/// `sosfreqz`, with its keywords as those of [`freqz`](fn@freqz). On the host.
///
/// **Panics** if it is not a matrix of 6 columns ([`Error::InvalidShape`]) whose fourth one is 1 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let (w, h) = gpu::signal::sosfreqz(&[[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]]);
/// assert_eq!((w.shape(), h.get(&[0]).re), (&[512][..], 1.0));
/// ```
#[track_caller]
pub fn sosfreqz(sos: impl Coefficients) -> (DeviceArray<f64>, DeviceArray<Complex<f64>>) {
    sosfreqz_with(sos, 512, false, std::f64::consts::TAU)
}

/// As [`sosfreqz`](fn@sosfreqz), with all of SciPy's arguments.
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's names")]
pub fn sosfreqz_with(
    sos: impl Coefficients,
    worN: impl Frequencies,
    whole: bool,
    fs: impl IntoFloat,
) -> (DeviceArray<f64>, DeviceArray<Complex<f64>>) {
    let fs = fs.into_float();
    const NAME: &str = "sosfreqz";
    let of = || {
        let sections = sections(NAME, &sos)?;
        let parts: Vec<_> = sections.iter().map(|row| (row[..3].to_vec(), row[3..].to_vec())).collect();
        response(NAME, &parts, &worN, whole, fs, false)
    };
    check(of())
}

type Response = (DeviceArray<f64>, DeviceArray<Complex<f64>>);

fn response(
    operation: &'static str,
    parts: &[(Vec<f64>, Vec<f64>)],
    at: &dyn Points,
    whole: bool,
    fs: f64,
    include_nyquist: bool,
) -> Result<Response> {
    let tau = std::f64::consts::TAU;
    let radians: Vec<f64> = match at.points(operation)? {
        At::Values(values) => values.iter().map(|f| tau * f / fs).collect(),
        At::Count(count) => {
            let last = if whole { tau } else { PI };
            let steps = if include_nyquist && !whole { count.saturating_sub(1).max(1) } else { count };
            (0..count).map(|at| at as f64 * (last / steps as f64)).collect()
        }
    };
    let value = |w: f64| -> C {
        let back = turn(-w);
        let of = |polynomial: &[f64]| polynomial.iter().rev().fold(C::new(0.0, 0.0), |sum, &c| sum * back + c);
        parts.iter().map(|(b, a)| of(b) / of(a)).product()
    };
    let values = radians.iter().map(|&w| value(w)).collect();
    Ok((of_values(radians.iter().map(|w| w * (fs / tau)).collect())?, of_values(values)?))
}
