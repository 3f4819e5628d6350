//! Bessel functions of the orders 0 and 1, one number at a time, in code that runs on every device.
//!
//! Up to 8 by series in `x²`; those of the first kind have their first two roots as factors, so they are exact there too. Beyond 8 by
//! Hankel's asymptotic form.

use super::series::{
    i1_far, i1_near, j0_near, j1_near, k0_far, k0_near, k1_far, k1_near, p0_far, p1_far, q0_far, q1_far, y0_near,
    y1_near,
};
use crate::operations::per_element::{bessel_far_from_zero, bessel_near_zero};
use warpcell_macros::device;

/// The sum and the difference of sine and cosine, by `√(πx)`.
#[device]
fn waves(x: f64) -> (f64, f64) {
    let (sine, cosine) = x.sin_cos();
    let size = (std::f64::consts::PI * x).sqrt();
    ((sine + cosine) / size, (sine - cosine) / size)
}

#[device]
#[inline(never)]
pub(super) fn j0(x: f64) -> f64 {
    let size = x.abs();
    if size <= 8.0 {
        let first = ((size - 2.404825557695773) + 1.176691651530894e-16) * (size + 2.404825557695773);
        let second = ((size - 5.520078110286311) - 8.088597146146722e-17) * (size + 5.520078110286311);
        return first * second * j0_near(size * size);
    }
    if size.is_infinite() {
        return 0.0;
    }
    let (sum, difference) = waves(size);
    let square = (8.0 / size) * (8.0 / size);
    p0_far(square) * sum - q0_far(square) / size * difference
}

#[device]
#[inline(never)]
pub(super) fn j1(x: f64) -> f64 {
    let size = x.abs();
    let mut value = 0.0;
    if size <= 8.0 {
        let first = ((size - 3.8317059702075125) + 1.5269184090088067e-16) * (size + 3.8317059702075125);
        let second = ((size - 7.015586669815619) + 9.414165653410389e-17) * (size + 7.015586669815619);
        value = size * first * second * j1_near(size * size);
    } else if size < f64::INFINITY {
        let (sum, difference) = waves(size);
        let square = (8.0 / size) * (8.0 / size);
        value = p1_far(square) * difference + q1_far(square) / size * sum;
    } else if size.is_nan() {
        return x;
    }
    if x < 0.0 { -value } else { value }
}

/// Whether [`quick_j0`] gives `J₀`.
#[inline(always)]
pub(super) fn has_quick_j0(x: f64) -> bool {
    x.abs() <= 8.0
}

/// `J₀` by the operations of [`j0`], of a number up to 8.
#[inline(always)]
pub(super) fn quick_j0(x: f64) -> f64 {
    let size = x.abs();
    let first = ((size - 2.404825557695773) + 1.176691651530894e-16) * (size + 2.404825557695773);
    let second = ((size - 5.520078110286311) - 8.088597146146722e-17) * (size + 5.520078110286311);
    first * second * j0_near(size * size)
}

/// Whether [`quick_j1`] gives `J₁`.
#[inline(always)]
pub(super) fn has_quick_j1(x: f64) -> bool {
    x.abs() <= 8.0
}

/// `J₁` by the operations of [`j1`], of a number up to 8.
#[inline(always)]
pub(super) fn quick_j1(x: f64) -> f64 {
    let size = x.abs();
    let first = ((size - 3.8317059702075125) + 1.5269184090088067e-16) * (size + 3.8317059702075125);
    let second = ((size - 7.015586669815619) + 9.414165653410389e-17) * (size + 7.015586669815619);
    let value = size * first * second * j1_near(size * size);
    if x < 0.0 { -value } else { value }
}

#[device]
#[inline(never)]
pub(super) fn y0(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 8.0 {
        return y0_near(x * x) + std::f64::consts::FRAC_2_PI * x.ln() * j0(x);
    }
    if x.is_infinite() {
        return 0.0;
    }
    let (sum, difference) = waves(x);
    let square = (8.0 / x) * (8.0 / x);
    p0_far(square) * difference + q0_far(square) / x * sum
}

#[device]
#[inline(never)]
pub(super) fn y1(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 8.0 {
        return x * y1_near(x * x) + std::f64::consts::FRAC_2_PI * (x.ln() * j1(x) - 1.0 / x);
    }
    if x.is_infinite() {
        return 0.0;
    }
    let (sum, difference) = waves(x);
    let square = (8.0 / x) * (8.0 / x);
    q1_far(square) / x * difference - p1_far(square) * sum
}

#[device]
pub(super) fn i0(x: f64) -> f64 {
    let size = x.abs();
    if size <= 10.0 {
        return bessel_near_zero(0.25 * size * size);
    }
    let half = (0.5 * size).exp();
    half * (bessel_far_from_zero(1.0 / size) / size.sqrt()) * half
}

#[device]
pub(super) fn i0e(x: f64) -> f64 {
    let size = x.abs();
    if size <= 10.0 {
        return bessel_near_zero(0.25 * size * size) * (-size).exp();
    }
    bessel_far_from_zero(1.0 / size) / size.sqrt()
}

#[device]
pub(super) fn i1(x: f64) -> f64 {
    let size = x.abs();
    if size <= 10.0 {
        return x * i1_near(0.25 * size * size);
    }
    let half = (0.5 * size).exp();
    (half * (i1_far(1.0 / size) / size.sqrt()) * half).copysign(x)
}

#[device]
pub(super) fn i1e(x: f64) -> f64 {
    let size = x.abs();
    if size <= 10.0 {
        return x * i1_near(0.25 * size * size) * (-size).exp();
    }
    (i1_far(1.0 / size) / size.sqrt()).copysign(x)
}

#[device]
#[inline(never)]
pub(super) fn k0e(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    if x <= 2.0 {
        return (k0_near(x * x) - (0.5 * x).ln() * bessel_near_zero(0.25 * x * x)) * x.exp();
    }
    k0_far(1.0 / x) / x.sqrt()
}

#[device]
pub(super) fn k0(x: f64) -> f64 {
    if x > 0.0 && x <= 2.0 {
        return k0_near(x * x) - (0.5 * x).ln() * bessel_near_zero(0.25 * x * x);
    }
    if x > 0.0 { k0_far(1.0 / x) / x.sqrt() * (-x).exp() } else { k0e(x) }
}

/// Of a positive number up to 2.
#[device]
fn small_k1(x: f64) -> f64 {
    x * (k1_near(x * x) + (0.5 * x).ln() * i1_near(0.25 * x * x)) + 1.0 / x
}

#[device]
#[inline(never)]
pub(super) fn k1e(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    if x <= 2.0 { small_k1(x) * x.exp() } else { k1_far(1.0 / x) / x.sqrt() }
}

#[device]
pub(super) fn k1(x: f64) -> f64 {
    if x > 0.0 && x <= 2.0 {
        return small_k1(x);
    }
    if x > 0.0 { k1_far(1.0 / x) / x.sqrt() * (-x).exp() } else { k1e(x) }
}
