//! Filters as zeros and poles, as the coefficients of two polynomials, and as second-order sections; and what turns one into the
//! other.

use super::Coefficients;
use super::arguments::{polynomial, sections};
use super::roots::{C, Zpk, product, real_polynomial_of, roots_of};
use crate::array::create::of_values;
use crate::array::{DeviceArray, OnDevice, transfer};
use crate::backend::Layout;
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use num_complex::Complex;

/// Zeros, poles and the gain of a filter.
pub(super) type Zeros = (DeviceArray<Complex<f64>>, DeviceArray<Complex<f64>>, f64);

/// The polynomials of a filter.
pub(super) type Tf = (DeviceArray<f64>, DeviceArray<f64>);

/// The zeros, the poles and the gain of the filter with these coefficients, `(z, p, k)`; SciPy's `tf2zpk`. On the host.
///
/// **Panics** if an array is not 1-D or empty ([`Error::InvalidShape`]), or all of `a` are 0 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::signal::tf2zpk;
/// let (z, p, k) = tf2zpk(&[2.0, -1.0], &[1.0, 0.25]);
/// assert_eq!((z.get(&[0]).re, p.get(&[0]).re, k), (0.5, -0.25, 2.0));
/// ```
#[track_caller]
pub fn tf2zpk(
    b: impl Coefficients,
    a: impl Coefficients,
) -> (DeviceArray<Complex<f64>>, DeviceArray<Complex<f64>>, f64) {
    check(zpk_of_tf("tf2zpk", &b, &a).and_then(zpk_arrays))
}

/// The coefficients `(b, a)` of the filter with these zeros and poles and this gain; SciPy's `zpk2tf`. On the host: zeros and
/// poles are copied to it.
///
/// **Panics** if a zero or a pole that is not real has no conjugate ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::{Complex, array, signal::zpk2tf};
/// let (b, a) = zpk2tf(&array(&[Complex::new(0.5, 0.0)]), &array(&[Complex::new(-0.25, 0.0)]), 2.0);
/// assert_eq!((b.tolist(), a.tolist()), (vec![2.0, -1.0], vec![1.0, 0.25]));
/// ```
#[track_caller]
pub fn zpk2tf<Z, P>(z: &Z, p: &P, k: impl IntoFloat) -> Tf
where
    Z: OnDevice<Elem = Complex<f64>>,
    P: OnDevice<Elem = Complex<f64>>,
{
    let k = k.into_float();
    const NAME: &str = "zpk2tf";
    let of = || {
        tf_arrays(tf_of_zpk(
            NAME,
            &Zpk { z: transfer::download_vec(z.raw())?, p: transfer::download_vec(p.raw())?, k },
        )?)
    };
    check(of())
}

/// The second-order sections of the filter with these zeros and poles and this gain: a matrix with a row `b0 b1 b2 1 a1 a2` for
/// each. The poles nearest to the unit circle are in the last section, each with the zeros nearest to it. SciPy's `zpk2sos`, with
/// the pairing "nearest". On the host: zeros and poles are copied to it.
///
/// **Panics** if a zero or a pole that is not real has no conjugate ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::{Complex, array, signal::zpk2sos};
/// let sos = zpk2sos(&array(&[Complex::new(0.5, 0.0)]), &array(&[Complex::new(-0.25, 0.0)]), 2.0);
/// assert_eq!(sos.ravel().tolist(), [2.0, -1.0, 0.0, 1.0, 0.25, 0.0]);
/// ```
#[track_caller]
pub fn zpk2sos<Z, P>(z: &Z, p: &P, k: impl IntoFloat) -> DeviceArray<f64>
where
    Z: OnDevice<Elem = Complex<f64>>,
    P: OnDevice<Elem = Complex<f64>>,
{
    let k = k.into_float();
    let of = || {
        let zpk = Zpk { z: transfer::download_vec(z.raw())?, p: transfer::download_vec(p.raw())?, k };
        sos_array(sos_of_zpk("zpk2sos", zpk)?)
    };
    check(of())
}

/// The second-order sections of the filter with these coefficients; SciPy's `tf2sos`. On the host. To design a filter in
/// sections (`output = "sos"`) is more precise.
///
/// **Panics** as [`tf2zpk`] does.
///
/// ```
/// use warpcell::signal::tf2sos;
/// assert_eq!(tf2sos(&[2.0, -1.0], &[1.0, 0.25]).ravel().tolist(), [2.0, -1.0, 0.0, 1.0, 0.25, 0.0]);
/// ```
#[track_caller]
pub fn tf2sos(b: impl Coefficients, a: impl Coefficients) -> DeviceArray<f64> {
    check(zpk_of_tf("tf2sos", &b, &a).and_then(|zpk| sos_array(sos_of_zpk("tf2sos", zpk)?)))
}

/// The coefficients `(b, a)` of the filter with these second-order sections; SciPy's `sos2tf`. On the host.
///
/// **Panics** if it is not a matrix of 6 columns ([`Error::InvalidShape`]) whose fourth one is 1 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::signal::sos2tf;
/// let (b, a) = sos2tf(&[[1.0, 1.0, 0.0, 1.0, 0.5, 0.0], [1.0, -1.0, 0.0, 1.0, 0.0, 0.0]]);
/// assert_eq!(b.tolist(), [1.0, 0.0, -1.0, 0.0, 0.0]);
/// assert_eq!(a.tolist(), [1.0, 0.5, 0.0, 0.0, 0.0]);
/// ```
#[track_caller]
pub fn sos2tf(sos: impl Coefficients) -> Tf {
    let of = || {
        let (mut b, mut a) = (vec![1.0], vec![1.0]);
        for section in sections("sos2tf", &sos)? {
            b = product(&b, &section[..3]);
            a = product(&a, &section[3..]);
        }
        tf_arrays((b, a))
    };
    check(of())
}

/// The digital filter `(b, a)` of an analog one, at `fs` samples a second, by the bilinear transform; SciPy's `bilinear`. On the
/// host.
///
/// **Panics** if an array is not 1-D or empty ([`Error::InvalidShape`]), or all of `a` are 0 ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::signal::bilinear;
/// let (b, a) = bilinear(&[1.0], &[1.0, 1.0], 0.5);
/// assert_eq!((b.tolist(), a.tolist()), (vec![0.5, 0.5], vec![1.0, 0.0]));
/// ```
#[track_caller]
pub fn bilinear(b: impl Coefficients, a: impl Coefficients, fs: impl IntoFloat) -> Tf {
    let fs = fs.into_float();
    const NAME: &str = "bilinear";
    let of = || {
        let (b, a) = (polynomial(NAME, "b", &b)?, polynomial(NAME, "a", &a)?);
        let order = b.len().max(a.len()) - 1;
        // s = 2 fs (z - 1) / (z + 1), times (z + 1) to the power of the order.
        let substituted = |of: &[f64]| {
            let mut sum = vec![0.0; order + 1];
            for (place, &c) in of.iter().enumerate() {
                let power = of.len() - 1 - place;
                let mut term = vec![c * (2.0 * fs).powi(power as i32)];
                for factor in 0..order {
                    term = product(&term, if factor < power { &[1.0, -1.0] } else { &[1.0, 1.0] });
                }
                sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
            }
            sum
        };
        tf_arrays(normalized(NAME, substituted(&b), substituted(&a))?)
    };
    check(of())
}

/// Both polynomials without zeros in front, divided by the first coefficient of `a`.
pub(super) fn normalized(operation: &'static str, b: Vec<f64>, a: Vec<f64>) -> Result<(Vec<f64>, Vec<f64>)> {
    let Some(first) = a.iter().position(|&c| c != 0.0) else {
        return Err(Error::argument(operation, "all of `a` are 0"));
    };
    let scale = a[first];
    let b: Vec<f64> = b.iter().map(|c| c / scale).collect();
    let zeros = b.iter().position(|c| c.abs() > 1e-14).unwrap_or(b.len() - 1);
    Ok((b[zeros..].to_vec(), a[first..].iter().map(|c| c / scale).collect()))
}

fn zpk_of_tf(operation: &'static str, b: &impl Coefficients, a: &impl Coefficients) -> Result<Zpk> {
    let (b, a) = normalized(operation, polynomial(operation, "b", b)?, polynomial(operation, "a", a)?)?;
    Ok(Zpk { z: roots_of(operation, &b)?, p: roots_of(operation, &a)?, k: b[0] })
}

pub(super) fn tf_of_zpk(operation: &'static str, zpk: &Zpk) -> Result<(Vec<f64>, Vec<f64>)> {
    let b = real_polynomial_of(operation, &zpk.z)?.iter().map(|c| c * zpk.k).collect();
    Ok((b, real_polynomial_of(operation, &zpk.p)?))
}

pub(super) fn tf_arrays((b, a): (Vec<f64>, Vec<f64>)) -> Result<Tf> {
    Ok((of_values(b)?, of_values(a)?))
}

pub(super) fn zpk_arrays(zpk: Zpk) -> Result<Zeros> {
    Ok((of_values(zpk.z)?, of_values(zpk.p)?, zpk.k))
}

pub(super) fn sos_array(sections: Vec<[f64; 6]>) -> Result<DeviceArray<f64>> {
    let flat = of_values(sections.concat())?;
    Ok(DeviceArray::from_raw(flat.raw.with_layout(Layout::contiguous(&[sections.len(), 6]))))
}

/// The numbers of a list that is its own conjugate: one of each pair, with a positive imaginary part, then the real ones; both
/// sorted.
fn pairs(operation: &'static str, mut list: Vec<C>) -> Result<Vec<C>> {
    const TOLERANCE: f64 = 100.0 * f64::EPSILON;
    let by_parts = |a: &C, b: &C| a.re.total_cmp(&b.re).then(a.im.abs().total_cmp(&b.im.abs()));
    list.sort_by(by_parts);
    let is_real = |c: &C| c.im.abs() <= TOLERANCE * c.norm();
    let reals = list.iter().filter(|c| is_real(c)).map(|c| C::new(c.re, 0.0));
    let mut upper: Vec<C> = list.iter().filter(|c| !is_real(c) && c.im > 0.0).copied().collect();
    let mut lower: Vec<C> = list.iter().filter(|c| !is_real(c) && c.im < 0.0).copied().collect();
    let unpaired = || Error::argument(operation, "a zero or a pole that is not real has no conjugate");
    if upper.len() != lower.len() {
        return Err(unpaired());
    }
    // Where several have about the same real part, the imaginary one decides.
    let mut start = 0;
    while start < upper.len() {
        let mut stop = start + 1;
        while stop < upper.len() && upper[stop].re - upper[stop - 1].re <= TOLERANCE * upper[stop - 1].norm() {
            stop += 1;
        }
        for part in [&mut upper, &mut lower] {
            part[start..stop].sort_by(|a, b| a.im.abs().total_cmp(&b.im.abs()));
        }
        start = stop;
    }
    if upper.iter().zip(&lower).any(|(up, low)| (up - low.conj()).norm() > TOLERANCE * low.norm()) {
        return Err(unpaired());
    }
    Ok(upper.iter().zip(&lower).map(|(up, low)| (up + low.conj()) / 2.0).chain(reals).collect())
}

/// The place of the least of some numbers, of several the first one.
fn least(values: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    values
        .fold(None, |found: Option<(usize, f64)>, one| match found {
            Some(found) if found.1 <= one.1 => Some(found),
            _ => Some(one),
        })
        .map(|found| found.0)
}

/// Takes the number nearest to `to` that is as asked for.
fn take_nearest(from: &mut Vec<C>, to: C, fits: impl Fn(&C) -> bool) -> Option<C> {
    let distances = from.iter().enumerate().filter(|(_, c)| fits(c)).map(|(place, c)| (place, (c - to).norm()));
    least(distances).map(|place| from.remove(place))
}

fn take_worst(from: &mut Vec<C>, fits: impl Fn(&C) -> bool) -> Option<C> {
    let distances = from.iter().enumerate().filter(|(_, c)| fits(c)).map(|(place, c)| (place, (1.0 - c.norm()).abs()));
    least(distances).map(|place| from.remove(place))
}

/// Sections of digital filters, paired as SciPy's `zpk2sos` does it with the pairing "nearest".
pub(super) fn sos_of_zpk(operation: &'static str, zpk: Zpk) -> Result<Vec<[f64; 6]>> {
    let Zpk { mut z, mut p, k } = zpk;
    if z.is_empty() && p.is_empty() {
        return Ok(vec![[k, 0.0, 0.0, 1.0, 0.0, 0.0]]);
    }
    let count = z.len().max(p.len()).next_multiple_of(2);
    let zero = C::new(0.0, 0.0);
    z.resize(count, zero);
    p.resize(count, zero);
    let (mut z, mut p) = (pairs(operation, z)?, pairs(operation, p)?);
    let is_real = |c: &C| c.im == 0.0;
    let number_of_reals = |of: &[C]| of.iter().filter(|c| is_real(c)).count();
    let mut found = vec![[0.0; 6]; count / 2];
    let lacking = || Error::argument(operation, "zeros and poles do not form sections");
    for section in found.iter_mut().rev() {
        let first = take_worst(&mut p, |_| true).ok_or_else(lacking)?;
        let complex_zero_is_due =
            p.len() + 1 == z.len() && !is_real(&first) && number_of_reals(&p) == 1 && number_of_reals(&z) == 1;
        let (zeros, poles);
        if is_real(&first) && number_of_reals(&p) == 0 {
            let nearest = take_nearest(&mut z, first, is_real).ok_or_else(lacking)?;
            (zeros, poles) = ([nearest, zero], [first, zero]);
        } else if complex_zero_is_due {
            let nearest = take_nearest(&mut z, first, |c| !is_real(c)).ok_or_else(lacking)?;
            (zeros, poles) = ([nearest, nearest.conj()], [first, first.conj()]);
        } else {
            let second = if is_real(&first) { take_worst(&mut p, is_real).ok_or_else(lacking)? } else { first.conj() };
            let nearest = take_nearest(&mut z, first, |_| true).ok_or_else(lacking)?;
            let other = if is_real(&nearest) {
                take_nearest(&mut z, first, is_real).ok_or_else(lacking)?
            } else {
                nearest.conj()
            };
            (zeros, poles) = ([nearest, other], [first, second]);
        }
        section[..3].copy_from_slice(&real_polynomial_of(operation, &zeros)?);
        section[3..].copy_from_slice(&real_polynomial_of(operation, &poles)?);
    }
    found[0][..3].iter_mut().for_each(|c| *c *= k);
    Ok(found)
}
