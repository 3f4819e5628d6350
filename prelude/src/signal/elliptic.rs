//! Elliptic filters, of Cauer: the low pass of which others are made, and the elliptic functions that it needs. On the host.
//!
//! S. J. Orfanidis, "Lecture notes on elliptic filter design" (2006); the functions of Jacobi by the arithmetic-geometric mean
//! (Abramowitz and Stegun, 16.4), those of complex arguments by Landen's transformation.

use super::roots::{C, Zpk};
use crate::special::scalar::{ellipk, ellipkm1};
use std::f64::consts::{FRAC_PI_2, PI};

/// `10 ** x - 1`
fn power_of_ten_less_one(x: f64) -> f64 {
    (x * 10f64.ln()).exp_m1()
}

/// `sn`, `cn` and `dn` of a real number, where `rest` is 1 less the parameter `m`.
fn jacobi(u: f64, m: f64, rest: f64) -> [f64; 3] {
    let (mut a, mut b, mut steps) = (1.0, rest.sqrt(), Vec::new());
    let mut c = m.sqrt();
    while c.abs() > f64::EPSILON * a && steps.len() < 40 {
        let next = ((a + b) / 2.0, (a * b).sqrt());
        c = (a - b) / 2.0;
        (a, b) = next;
        steps.push(c / a);
    }
    let mut angle = 2f64.powi(steps.len() as i32) * a * u;
    for ratio in steps.iter().rev() {
        angle = (angle + (ratio * angle.sin()).asin()) / 2.0;
    }
    let (sn, cn) = angle.sin_cos();
    [sn, cn, (1.0 - m * sn * sn).sqrt()]
}

/// The parameter for which the quotient of the periods is `n` times that for `m`.
fn of_degree(n: usize, m: f64) -> f64 {
    let nome = (-PI * ellipkm1(m) / ellipk(m)).exp().powf(1.0 / n as f64);
    let above: f64 = (0..8).map(|k| nome.powi(k * (k + 1))).sum();
    let below: f64 = 1.0 + 2.0 * (1..9).map(|k| nome.powi(k * k)).sum::<f64>();
    16.0 * nome * (above / below).powi(4)
}

/// The number whose `sc` for the parameter `1 - m` is `w`.
fn inverse_sc(w: f64, m: f64) -> f64 {
    let other = |k: C| ((1.0 - k) * (1.0 + k)).sqrt();
    let mut moduli = vec![m.sqrt()];
    while moduli[moduli.len() - 1] != 0.0 && moduli.len() < 11 {
        let modulus = moduli[moduli.len() - 1];
        // `(1 - k') / (1 + k')`, without the difference.
        let root = ((1.0 - modulus) * (1.0 + modulus)).sqrt();
        moduli.push((modulus / (1.0 + root)).powi(2));
    }
    let quarter = moduli[1..].iter().map(|k| 1.0 + k).product::<f64>() * FRAC_PI_2;
    let mut w = C::new(0.0, w);
    for pair in moduli.windows(2) {
        w = 2.0 * w / ((1.0 + pair[1]) * (1.0 + other(pair[0] * w)));
    }
    (quarter / FRAC_PI_2 * w.asin()).im
}

/// A low pass up to the frequency 1, with up to `rp` decibels of ripple there and at least `rs` less where it stops. Its gain is NaN
/// if there is none.
pub(super) fn elliptic(order: usize, rp: f64, rs: f64) -> Zpk {
    let none = |k: f64| Zpk { z: Vec::new(), p: Vec::new(), k };
    if order == 0 {
        return none(10f64.powf(-rp / 20.0));
    }
    let ripple = power_of_ten_less_one(0.1 * rp);
    if order == 1 {
        let k = (1.0 / ripple).sqrt();
        return Zpk { z: Vec::new(), p: vec![C::new(-k, 0.0)], k };
    }
    let of_ends = ripple / power_of_ten_less_one(0.1 * rs);
    if !(of_ends > 0.0 && of_ends < 1.0) {
        return none(f64::NAN);
    }
    let m = of_degree(order, of_ends);
    let (quarter, period) = (ellipk(m), ellipk(of_ends));
    let start = inverse_sc(1.0 / ripple.sqrt(), of_ends) * quarter / (order as f64 * period);
    let [sv, cv, dv] = jacobi(start, 1.0 - m, m);
    let (mut z, mut p) = (Vec::new(), Vec::new());
    for j in (1 - order % 2..order).step_by(2) {
        let [s, c, d] = jacobi(j as f64 * quarter / order as f64, m, 1.0 - m);
        let below = 1.0 - (d * sv).powi(2);
        let pole = C::new(-c * d * sv * cv / below, -s * dv / below);
        if j == 0 {
            // The one in the middle is real.
            p.push(C::new(pole.re, 0.0));
            continue;
        }
        let zero = C::new(0.0, 1.0 / (m.sqrt() * s));
        z.extend([zero, zero.conj()]);
        p.extend([pole, pole.conj()]);
    }
    let negated = |of: &[C]| -> C { of.iter().map(|c| -c).product() };
    let mut k = (negated(&p) / negated(&z)).re;
    if order.is_multiple_of(2) {
        k /= (1.0 + ripple).sqrt();
    }
    Zpk { z, p, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_their_identities() {
        for m in [1e-9, 0.2, 0.7, 0.999] {
            for u in [0.1, 0.8, 1.4] {
                let [sn, cn, dn] = jacobi(u, m, 1.0 - m);
                assert!((sn * sn + cn * cn - 1.0).abs() < 1e-14 && (dn * dn + m * sn * sn - 1.0).abs() < 1e-14);
                let [sn, cn, _] = jacobi(u, 1.0 - m, m);
                assert!((inverse_sc(sn / cn, m) - u).abs() < 1e-12, "{m} {u}");
            }
            assert!((jacobi(ellipk(m), m, 1.0 - m)[0] - 1.0).abs() < 1e-14);
        }
        let m = of_degree(3, 1e-4);
        let periods = |m: f64| ellipkm1(m) / ellipk(m);
        assert!((periods(1e-4) / periods(m) - 3.0).abs() < 1e-12);
    }
}
