//! Waves and pulses, made of their times, and what belongs to convolutions.

#![expect(clippy::approx_constant, clippy::manual_range_contains, reason = "code for devices is written in numbers")]

use super::Coefficients;
use super::arguments::polynomial;
use super::roots::product;
use crate::array::create::of_values;
use crate::array::{DeviceArray, IntoShape, OnDevice, RawArray};
use crate::dtype::{DType, Float, Scalar};
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::operations::convolve::Mode;
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered;
use crate::thin::thin;
use std::f64::consts::{PI, TAU};
use warpcell_macros::{device, vectorize};

thin! {
    /// A saw of period 2π at the times `t`: from -1 up to 1, and at once down again. SciPy's `sawtooth`;
    /// `gpu::signal::sawtooth!(&t, width = 0.5)` rises in this part of a period and falls in the rest of it.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use std::f64::consts::PI;
    /// let t = gpu::array(&[0.0, PI / 2.0, PI]);
    /// assert_eq!(gpu::signal::sawtooth(&t).tolist(), [-1.0, -0.5, 0.0]);
    /// assert_eq!(gpu::signal::sawtooth!(&t, width = 0.5).tolist(), [-1.0, 0.0, 1.0]);
    /// ```
    pub fn sawtooth<X: OnDevice<Elem = T>, T: Float>(t: &X) -> DeviceArray<T> =>
        of_times("sawtooth", name_of(&saw), t.raw(), &[1.0]);

    /// As [`sawtooth`](fn@sawtooth), of this width; one that is not from 0 to 1 gives NaN.
    pub fn sawtooth_with<X: OnDevice<Elem = T>, T: Float>(t: &X, width: impl IntoFloat) -> DeviceArray<T> =>
        of_times("sawtooth", name_of(&saw), t.raw(), &[width.into_float()]);

    /// A square wave of period 2π at the times `t`: 1 in the first half of a period, then -1. SciPy's `square`;
    /// `gpu::signal::square!(&t, duty = 0.3)` is 1 in this part of a period.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::square(&warpcell::array(&[0.0, 1.0, 4.0])).tolist(), [1.0, 1.0, -1.0]);
    /// ```
    pub fn square<X: OnDevice<Elem = T>, T: Float>(t: &X) -> DeviceArray<T> =>
        of_times("square", name_of(&square_wave), t.raw(), &[0.5]);

    /// As [`square`](fn@square), of this duty; one that is not from 0 to 1 gives NaN.
    pub fn square_with<X: OnDevice<Elem = T>, T: Float>(t: &X, duty: impl IntoFloat) -> DeviceArray<T> =>
        of_times("square", name_of(&square_wave), t.raw(), &[duty.into_float()]);

    /// A cosine at the times `t` whose frequency is `f0` at 0 and `f1` at the time `t1`, and changes evenly. SciPy's `chirp`:
    /// `gpu::signal::chirp!(&t, 1.0, 2.0, 10.0, method = "logarithmic", phi = 90.0, vertex_zero = false)` has its keywords;
    /// `method` is "linear", "quadratic", "logarithmic" or "hyperbolic", `phi` the phase in degrees, and `vertex_zero` whether the
    /// vertex of a parabola is at 0 or at `t1`.
    ///
    /// **Panics** if there is no such method, or the frequencies do not fit it ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let t = gpu::linspace(0.0, 1.0, 5);
    /// let even = gpu::signal::chirp(&t, 1.0, 1.0, 1.0);
    /// assert!(gpu::allclose(&even, &[1.0, 0.0, -1.0, 0.0, 1.0]));
    /// ```
    pub fn chirp<X: OnDevice<Elem = T>, T: Float>(t: &X, f0: impl IntoFloat, t1: impl IntoFloat, f1: impl IntoFloat) -> DeviceArray<T> =>
        sweep(t.raw(), [f0.into_float(), t1.into_float(), f1.into_float()], "linear", 0.0, true);

    /// As [`chirp`](fn@chirp), with SciPy's other arguments.
    pub fn chirp_with<X: OnDevice<Elem = T>, T: Float>(
        t: &X,
        f0: impl IntoFloat,
        t1: impl IntoFloat,
        f1: impl IntoFloat,
        method: &str,
        phi: impl IntoFloat,
        vertex_zero: bool,
    ) -> DeviceArray<T> => sweep(t.raw(), [f0.into_float(), t1.into_float(), f1.into_float()], method, phi.into_float(), vertex_zero);

    /// A cosine at the times `t` whose frequency is a polynomial of the time, with the coefficient of the highest power first.
    /// SciPy's `sweep_poly`; `gpu::signal::sweep_poly!(&t, &p, phi = 90.0)` has a phase in degrees.
    ///
    /// **Panics** if `poly` is not 1-D or empty ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let t = gpu::linspace(0.0, 1.0, 5);
    /// assert!(gpu::allclose(&gpu::signal::sweep_poly(&t, &[1.0]), &[1.0, 0.0, -1.0, 0.0, 1.0]));
    /// ```
    pub fn sweep_poly<X: OnDevice<Elem = T>, T: Float>(t: &X, poly: impl Coefficients) -> DeviceArray<T> =>
        polynomial_sweep(t.raw(), &poly, 0.0);

    /// As [`sweep_poly`](fn@sweep_poly), with a phase in degrees.
    pub fn sweep_poly_with<X: OnDevice<Elem = T>, T: Float>(t: &X, poly: impl Coefficients, phi: impl IntoFloat) -> DeviceArray<T> =>
        polynomial_sweep(t.raw(), &poly, phi.into_float());

    /// A cosine of 1000 periods a unit of time in a bell of Gauss, at the times `t`. SciPy's `gausspulse`:
    /// `gpu::signal::gausspulse!(&t, fc = 5.0, bw = 0.5, bwr = -6.0)` has the frequency, and how broad its band is at which
    /// level in decibels.
    ///
    /// **Panics** if `fc` is negative, `bw` not greater than 0, or `bwr` not less than 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// assert_eq!(warpcell::signal::gausspulse(&warpcell::array(&[0.0])).tolist(), [1.0]);
    /// ```
    pub fn gausspulse<X: OnDevice<Elem = T>, T: Float>(t: &X) -> DeviceArray<T> => pulse(t.raw(), 1000.0, 0.5, -6.0);

    /// As [`gausspulse`](fn@gausspulse), with SciPy's other arguments.
    pub fn gausspulse_with<X: OnDevice<Elem = T>, T: Float>(t: &X, fc: impl IntoFloat, bw: impl IntoFloat, bwr: impl IntoFloat) -> DeviceArray<T> =>
        pulse(t.raw(), fc.into_float(), bw.into_float(), bwr.into_float());
}

/// Zeros, and a one in the first place. SciPy's `unit_impulse`; `gpu::signal::unit_impulse!(7, idx = "mid")` has it elsewhere: in a
/// place `idx` along each axis, in places `[2, 3]`, or in the middle.
///
/// **Panics** if there is no such place ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::signal::unit_impulse(3).tolist(), [1.0, 0.0, 0.0]);
/// assert_eq!(gpu::signal::unit_impulse!(3, idx = "mid").tolist(), [0.0, 1.0, 0.0]);
/// ```
#[track_caller]
pub fn unit_impulse(shape: impl IntoShape) -> DeviceArray<f64> {
    unit_impulse_with(shape, 0)
}

/// As [`unit_impulse`](fn@unit_impulse), with the place of the one.
#[track_caller]
pub fn unit_impulse_with(shape: impl IntoShape, idx: impl Place) -> DeviceArray<f64> {
    let shape = shape.into_shape();
    let of = || {
        let places = idx.places(&shape)?;
        if places.len() != shape.len() || places.iter().zip(&shape).any(|(place, length)| place >= length) {
            let reason = format!("`idx` is {places:?}, but the shape is {shape:?}");
            return Err(Error::argument("unit_impulse", reason));
        }
        let mut numbers = vec![0.0; shape.iter().product()];
        let flat = places.iter().zip(&shape).fold(0, |flat, (place, length)| flat * length + place);
        numbers[flat] = 1.0;
        of_values(numbers)
    };
    check(of()).reshape(&shape[..])
}

/// The place of an element: along each axis, or `"mid"`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a place",
    label = "expected a place such as `2`, `[2, 3]` or `\"mid\"`"
)]
pub trait Place: sealed::Places {}

mod sealed {
    use super::*;

    pub trait Places {
        fn places(&self, shape: &[usize]) -> Result<Vec<usize>>;
    }
}

impl sealed::Places for usize {
    fn places(&self, shape: &[usize]) -> Result<Vec<usize>> {
        Ok(vec![*self; shape.len()])
    }
}
impl<const N: usize> sealed::Places for [usize; N] {
    fn places(&self, _shape: &[usize]) -> Result<Vec<usize>> {
        Ok(self.to_vec())
    }
}
impl sealed::Places for &str {
    fn places(&self, shape: &[usize]) -> Result<Vec<usize>> {
        if *self == "mid" {
            return Ok(shape.iter().map(|length| length / 2).collect());
        }
        Err(Error::argument("unit_impulse", format!("`idx` is {self:?}; give places, or \"mid\"")))
    }
}
impl<P: sealed::Places> Place for P {}

/// How far the second of two 1-D arrays is moved for each element of their correlation. SciPy's `correlation_lags`;
/// `gpu::signal::correlation_lags!(9, 4, mode = "same")` are those of a part of it.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::signal::correlation_lags(3, 2).tolist(), [-1, 0, 1, 2]);
/// ```
#[track_caller]
pub fn correlation_lags(in1_len: usize, in2_len: usize) -> DeviceArray<i64> {
    correlation_lags_with(in1_len, in2_len, Mode::Full)
}

/// As [`correlation_lags`](fn@correlation_lags), of a part.
#[track_caller]
pub fn correlation_lags_with(in1_len: usize, in2_len: usize, mode: Mode) -> DeviceArray<i64> {
    let (one, other) = (in1_len as i64, in2_len as i64);
    let all: Vec<i64> = (1 - other..one).collect();
    let lags = match mode {
        Mode::Full => all,
        Mode::Same => {
            let (middle, bound) = (all.len() / 2, in1_len / 2);
            let from = middle.saturating_sub(bound);
            all[from..(middle + bound + in1_len % 2).min(all.len())].to_vec()
        }
        Mode::Valid if one >= other => (0..=one - other).collect(),
        Mode::Valid => (one - other..=0).collect(),
    };
    check(of_values(lags))
}

/// The quotient and the remainder of a signal by a divisor, `(q, r)`: the signal is the convolution of `q` and the divisor, and `r`.
/// SciPy's `deconvolve`. On the host, since each element needs those before.
///
/// **Panics** if an array is not 1-D or empty ([`Error::InvalidShape`]), or the divisor begins with 0 ([`Error::InvalidArgument`]).
///
/// ```
/// let (q, r) = warpcell::signal::deconvolve(&[0.0, 2.0, 3.0, 0.0], &[2.0, 1.0]);
/// assert_eq!((q.tolist(), r.tolist()), (vec![0.0, 1.0, 1.0], vec![0.0, 0.0, 0.0, -1.0]));
/// ```
#[track_caller]
pub fn deconvolve(signal: impl Coefficients, divisor: impl Coefficients) -> (DeviceArray<f64>, DeviceArray<f64>) {
    const NAME: &str = "deconvolve";
    let of = || {
        let (signal, divisor) = (polynomial(NAME, "signal", &signal)?, polynomial(NAME, "divisor", &divisor)?);
        if divisor[0] == 0.0 {
            return Err(Error::argument(NAME, "`divisor[0]` is 0, but all is divided by it"));
        }
        if divisor.len() > signal.len() {
            return Ok((of_values(Vec::new())?, of_values(signal)?));
        }
        let count = signal.len() - divisor.len() + 1;
        let mut quotient: Vec<f64> = Vec::with_capacity(count);
        for place in 0..count {
            let known: f64 = (1..divisor.len().min(place + 1)).map(|k| divisor[k] * quotient[place - k]).sum();
            quotient.push((signal[place] - known) / divisor[0]);
        }
        let rest = signal.iter().zip(product(&divisor, &quotient)).map(|(whole, part)| whole - part).collect();
        Ok((of_values(quotient)?, of_values(rest)?))
    };
    check(of())
}

/// The place of a time in its period.
#[device]
fn within_period(t: f64) -> f64 {
    let rest = t % 6.283185307179586;
    if rest < 0.0 { rest + 6.283185307179586 } else { rest }
}

#[vectorize]
fn saw(t: f64, width: f64) -> f64 {
    if !(width >= 0.0 && width <= 1.0) {
        return f64::NAN;
    }
    let place = within_period(t);
    if place < width * 6.283185307179586 {
        place / (3.141592653589793 * width) - 1.0
    } else {
        (3.141592653589793 * (width + 1.0) - place) / (3.141592653589793 * (1.0 - width))
    }
}

#[vectorize]
fn square_wave(t: f64, duty: f64) -> f64 {
    if !(duty >= 0.0 && duty <= 1.0) {
        return f64::NAN;
    }
    if within_period(t) < duty * 6.283185307179586 { 1.0 } else { -1.0 }
}

/// The cosine of `offset` and a polynomial of degree 3 without a constant.
#[vectorize]
fn cubic_chirp(t: f64, third: f64, second: f64, first: f64, offset: f64) -> f64 {
    (((third * t + second) * t + first) * t + offset).cos()
}

/// The cosine of `phase + factor · base^(t / end)`.
#[vectorize]
fn exponential_chirp(t: f64, factor: f64, base: f64, end: f64, phase: f64) -> f64 {
    (factor * (base.powf(t / end) - 1.0) + phase).cos()
}

#[vectorize]
fn hyperbolic_chirp(t: f64, factor: f64, pole: f64, phase: f64) -> f64 {
    (factor * (1.0 - t / pole).abs().ln() + phase).cos()
}

#[vectorize]
fn bell(t: f64, width: f64, turns: f64) -> f64 {
    (-width * t * t).exp() * (turns * t).cos()
}

/// The name under which a function is registered.
fn name_of<F>(_function: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// A function of times, in `f64`, and of numbers.
fn of_times(operation: &'static str, function: &'static str, t: &RawArray, numbers: &[f64]) -> Result<RawArray> {
    let wide = if t.dtype == DType::F64 { t.clone() } else { t.converted(operation, DType::F64)? };
    let numbers = numbers.iter().map(|&value| RawOperand::Scalar(Scalar::F64(value)));
    let operands: Vec<RawOperand<'_>> = std::iter::once(RawOperand::Array(&wide)).chain(numbers).collect();
    let found = registered(operation, function, &operands)?;
    if t.dtype == DType::F64 { Ok(found) } else { found.converted(operation, t.dtype) }
}

fn sweep(t: &RawArray, [f0, t1, f1]: [f64; 3], method: &str, phi: f64, vertex_zero: bool) -> Result<RawArray> {
    const NAME: &str = "chirp";
    let wrong = |reason: String| Err(Error::argument(NAME, reason));
    let phase = phi * PI / 180.0;
    let cubic = |third: f64, second: f64, first: f64| {
        of_times(NAME, name_of(&cubic_chirp), t, &[TAU * third, TAU * second, TAU * first, phase])
    };
    match method {
        "linear" | "lin" | "li" => cubic(0.0, 0.5 * (f1 - f0) / t1, f0),
        "quadratic" | "quad" | "q" => {
            let beta = (f1 - f0) / (t1 * t1);
            if vertex_zero {
                cubic(beta / 3.0, 0.0, f0)
            } else {
                // f1 t + beta ((t1 - t)³ - t1³) / 3, in powers of t.
                cubic(-beta / 3.0, beta * t1, f1 - beta * t1 * t1)
            }
        }
        "logarithmic" | "log" | "lo" => {
            if f0 * f1 <= 0.0 {
                return wrong(format!("`f0` is {f0} and `f1` is {f1}; give two of one sign, and not 0"));
            }
            if f0 == f1 {
                return cubic(0.0, 0.0, f0);
            }
            let factor = TAU * (t1 / (f1 / f0).ln()) * f0;
            of_times(NAME, name_of(&exponential_chirp), t, &[factor, f1 / f0, t1, phase])
        }
        "hyperbolic" | "hyp" => {
            if f0 == 0.0 || f1 == 0.0 {
                return wrong(format!("`f0` is {f0} and `f1` is {f1}; give two that are not 0"));
            }
            if f0 == f1 {
                return cubic(0.0, 0.0, f0);
            }
            let pole = -f1 * t1 / (f0 - f1);
            of_times(NAME, name_of(&hyperbolic_chirp), t, &[TAU * (-pole * f0), pole, phase])
        }
        _ => {
            wrong(format!("`method` is {method:?}; give \"linear\", \"quadratic\", \"logarithmic\" or \"hyperbolic\""))
        }
    }
}

fn polynomial_sweep(t: &RawArray, poly: &impl Coefficients, phi: f64) -> Result<RawArray> {
    const NAME: &str = "sweep_poly";
    let poly = polynomial(NAME, "poly", poly)?;
    let degree = poly.len();
    let mut integral: Vec<f64> = poly.iter().enumerate().map(|(at, c)| TAU * c / (degree - at) as f64).collect();
    integral.push(phi * PI / 180.0);
    let wide = if t.dtype == DType::F64 { t.clone() } else { t.converted(NAME, DType::F64)? };
    let integral = RawArray::of_floats(NAME, &t.handle, &[degree + 1], integral.into_iter(), DType::F64)?;
    let phases = crate::polyval(&DeviceArray::<f64>::from_raw(integral), &DeviceArray::<f64>::from_raw(wide));
    let found = phases.cos();
    if t.dtype == DType::F64 { Ok((*found.raw).clone()) } else { found.raw.converted(NAME, t.dtype) }
}

fn pulse(t: &RawArray, fc: f64, bw: f64, bwr: f64) -> Result<RawArray> {
    const NAME: &str = "gausspulse";
    if !(fc >= 0.0 && bw > 0.0 && bwr < 0.0) {
        let reason = format!("`fc` is {fc}, `bw` {bw} and `bwr` {bwr}; give `fc >= 0`, `bw > 0` and `bwr < 0`");
        return Err(Error::argument(NAME, reason));
    }
    let level = 10f64.powf(bwr / 20.0);
    let width = -(PI * fc * bw).powi(2) / (4.0 * level.ln());
    of_times(NAME, name_of(&bell), t, &[width, TAU * fc])
}

/// Pseudorandom zeros and ones that repeat after `2 ** nbits - 1`, and the state behind them: of a shift register of `nbits` bits, which
/// are 1 at the beginning. SciPy's `max_len_seq`: `gpu::signal::max_len_seq!(8, state = &[0, 1, 1, 0, 0, 1, 0, 1], length = 100, taps =
/// &[7, 6, 1])` has its keywords. On the host.
///
/// **Panics** if there are no taps known for `nbits`, which are those of 2 to 32 bits, the state does not have `nbits` bits or has only
/// zeros, or a tap is not between 0 and `nbits` ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let (ones, state) = gpu::signal::max_len_seq(4);
/// assert_eq!(ones.tolist(), [1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0]);
/// assert_eq!(state.tolist(), [1, 1, 1, 1]);
/// ```
#[track_caller]
pub fn max_len_seq(nbits: usize) -> (DeviceArray<i8>, DeviceArray<i8>) {
    max_len_seq_with(nbits, None, None, None)
}

/// As [`max_len_seq`](fn@max_len_seq), with SciPy's other arguments.
#[track_caller]
pub fn max_len_seq_with(
    nbits: usize,
    state: Option<&[i8]>,
    length: Option<usize>,
    taps: Option<&[usize]>,
) -> (DeviceArray<i8>, DeviceArray<i8>) {
    let of = || -> Result<_> {
        let (bits, state) = shifted_bits(nbits, state, length, taps)?;
        Ok((of_values(bits)?, of_values(state)?))
    };
    check(of())
}

/// The taps of registers of 2 to 32 bits: those of primitive polynomials.
const TAPS: [&[usize]; 31] = [
    &[1],
    &[2],
    &[3],
    &[3],
    &[5],
    &[6],
    &[7, 6, 1],
    &[5],
    &[7],
    &[9],
    &[11, 10, 4],
    &[12, 11, 8],
    &[13, 12, 2],
    &[14],
    &[15, 13, 4],
    &[14],
    &[11],
    &[18, 17, 14],
    &[17],
    &[19],
    &[21],
    &[18],
    &[23, 22, 17],
    &[22],
    &[25, 24, 20],
    &[26, 25, 22],
    &[25],
    &[27],
    &[29, 28, 7],
    &[28],
    &[31, 30, 10],
];

fn shifted_bits(
    nbits: usize,
    state: Option<&[i8]>,
    length: Option<usize>,
    taps: Option<&[usize]>,
) -> Result<(Vec<i8>, Vec<i8>)> {
    const NAME: &str = "max_len_seq";
    let wrong = |reason: String| Err(Error::argument(NAME, reason));
    let taps = match (taps, nbits) {
        (Some(taps), 1..) => taps,
        (None, 2..=32) => TAPS[nbits - 2],
        _ => return wrong(format!("`nbits` is {nbits}; give 2 to 32, or `taps`")),
    };
    if let Some(tap) = taps.iter().find(|tap| **tap > nbits) {
        return wrong(format!("`taps` has {tap}; give numbers from 0 to `nbits`, {nbits}"));
    }
    let mut bits: Vec<i8> = state.map_or(vec![1; nbits], |state| state.iter().map(|bit| i8::from(*bit != 0)).collect());
    if bits.len() != nbits || bits.iter().all(|bit| *bit == 0) {
        return wrong(format!("`state` is {bits:?}; give {nbits} bits, of which one is not 0"));
    }
    let length = match length {
        Some(length) => length,
        None if nbits < usize::BITS as usize => (1 << nbits) - 1,
        None => return wrong(format!("`nbits` is {nbits}; give a `length` too")),
    };
    let mut at = 0;
    let mut next = || {
        let bit = bits[at];
        bits[at] = taps.iter().fold(bit, |back, tap| back ^ bits[(tap + at) % nbits]);
        at = (at + 1) % nbits;
        bit
    };
    let found = (0..length).map(|_| next()).collect();
    bits.rotate_left(at);
    Ok((found, bits))
}
