//! Roots and minima of functions of one variable, on the host.

use crate::error::{Error, Result, check};
use crate::floats::{FloatPair, IntoFloat, MaybeFloat};
use std::fmt;

/// Where a function is 0, with SciPy's names.
#[derive(Clone, Debug, PartialEq)]
pub struct RootResults {
    /// The root.
    pub root: f64,
    /// How many steps were made.
    pub iterations: usize,
    /// How often the function was called.
    pub function_calls: usize,
    /// Whether it converged.
    pub converged: bool,
    /// Why it ended.
    pub flag: &'static str,
    /// The method.
    pub method: &'static str,
}

/// Where a function of one variable is lowest, with SciPy's names.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarResult {
    /// Where it is lowest.
    pub x: f64,
    /// Its value there.
    pub fun: f64,
    /// Whether it converged.
    pub success: bool,
    /// Why it ended.
    pub message: &'static str,
    /// How many steps were made.
    pub nit: usize,
    /// How often the function was called.
    pub nfev: usize,
}

impl fmt::Display for RootResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "     converged: {}\n          flag: {}\nfunction_calls: {}\n    iterations: {}\n          root: {}\n        method: {}",
            self.converged, self.flag, self.function_calls, self.iterations, self.root, self.method
        )
    }
}

impl fmt::Display for ScalarResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            " message: {}\n success: {}\n     fun: {}\n       x: {}\n     nit: {}\n    nfev: {}",
            self.message, self.success, self.fun, self.x, self.nit, self.nfev
        )
    }
}

/// SciPy's tolerances.
const XTOL: f64 = 2e-12;
const RTOL: f64 = 4.0 * f64::EPSILON;

type Function<'a> = &'a mut dyn FnMut(f64) -> f64;

/// The values at both ends, which have different signs.
fn ends(operation: &'static str, f: Function<'_>, a: f64, b: f64) -> Result<(f64, f64)> {
    let (fa, fb) = (f(a), f(b));
    if fa.is_nan() || fb.is_nan() || fa * fb > 0.0 {
        let reason = format!(
            "the function is {fa} at {a} and {fb} at {b}; give an interval at whose ends it has different signs"
        );
        return Err(Error::argument(operation, reason));
    }
    Ok((fa, fb))
}

/// How a search for a root went.
struct Found {
    root: f64,
    iterations: usize,
    calls: usize,
    converged: bool,
}

impl Found {
    fn result(self, method: &'static str) -> RootResults {
        RootResults {
            root: self.root,
            iterations: self.iterations,
            function_calls: self.calls,
            converged: self.converged,
            flag: if self.converged { "converged" } else { "convergence error" },
            method,
        }
    }

    fn root(self, operation: &'static str) -> Result<f64> {
        if self.converged {
            return Ok(self.root);
        }
        let reason = format!("no root after {} steps, at {}; raise `maxiter`", self.iterations, self.root);
        Err(Error::argument(operation, reason))
    }
}

macro_rules! in_brackets {
    ($($(#[$doc:meta])* $name:ident $with:ident $core:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(mut f: impl FnMut(f64) -> f64, a: impl IntoFloat, b: impl IntoFloat) -> f64 {
            let a = a.into_float();
            let b = b.into_float();
            check($core(&mut f, a, b, XTOL, RTOL, 100).and_then(|found| found.root(stringify!($name))))
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), with SciPy's other arguments.")]
        #[track_caller]
        pub fn $with(mut f: impl FnMut(f64) -> f64, a: impl IntoFloat, b: impl IntoFloat, xtol: impl IntoFloat, rtol: impl IntoFloat, maxiter: usize) -> f64 {
            let a = a.into_float();
            let b = b.into_float();
            let xtol = xtol.into_float();
            let rtol = rtol.into_float();
            check($core(&mut f, a, b, xtol, rtol, maxiter).and_then(|found| found.root(stringify!($name))))
        }
    )*};
}
in_brackets! {
    /// Where a function is 0 between `a` and `b`, at which it has different signs: by Brent's method, "Algorithms for minimization without
    /// derivatives" (1973), chapter 4. SciPy's `brentq`: `gpu::optimize::brentq!(|x| …, a, b, xtol = 1e-9, maxiter = 50)` has its keywords.
    ///
    /// **Panics** if the signs are equal, or it does not converge ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let root = warpcell::optimize::brentq(|x| x * x - 2.0, 0.0, 2.0);
    /// assert!((root - 2f64.sqrt()).abs() < 1e-12);
    /// ```
    brentq brentq_with brent;

    /// Where a function is 0 between `a` and `b`, by halving the interval; see [`brentq`](fn@brentq), which needs fewer calls. SciPy's
    /// `bisect`, with its keywords.
    ///
    /// **Panics** as `brentq` does.
    ///
    /// ```
    /// let root = warpcell::optimize::bisect(|x| x * x - 2.0, 0.0, 2.0);
    /// assert!((root - 2f64.sqrt()).abs() < 1e-11);
    /// ```
    bisect bisect_with halved;

    /// Where a function is 0 between `a` and `b`: by Ridders, "A new algorithm for computing a single root of a real continuous function"
    /// (1979); see [`brentq`](fn@brentq). SciPy's `ridder`, with its keywords.
    ///
    /// **Panics** as `brentq` does.
    ///
    /// ```
    /// let root = warpcell::optimize::ridder(|x| x * x - 2.0, 0.0, 2.0);
    /// assert!((root - 2f64.sqrt()).abs() < 1e-11);
    /// ```
    ridder ridder_with ridders;
}

fn brent(f: Function<'_>, a: f64, b: f64, xtol: f64, rtol: f64, maxiter: usize) -> Result<Found> {
    let (fa, fb) = ends("brentq", f, a, b)?;
    let found = |root, iterations, converged| Ok(Found { root, iterations, calls: iterations + 2, converged });
    for (x, value) in [(a, fa), (b, fb)] {
        if value == 0.0 {
            return found(x, 0, true);
        }
    }
    let (mut before, mut now, mut f_before, mut f_now) = (a, b, fa, fb);
    let (mut other, mut f_other, mut step_before, mut step) = (0.0, 0.0, 0.0, 0.0);
    for iteration in 0..maxiter {
        if (f_before > 0.0) != (f_now > 0.0) {
            (other, f_other) = (before, f_before);
            step_before = now - before;
            step = step_before;
        }
        if f64::abs(f_other) < f64::abs(f_now) {
            (before, now, other) = (now, other, now);
            (f_before, f_now, f_other) = (f_now, f_other, f_now);
        }
        let delta = 0.5 * (xtol + rtol * now.abs());
        let half = 0.5 * (other - now);
        if f_now == 0.0 || half.abs() < delta {
            return Ok(Found { root: now, iterations: iteration + 1, calls: iteration + 2, converged: true });
        }
        if step_before.abs() > delta && f_now.abs() < f_before.abs() {
            let try_step = if before == other {
                -f_now * (now - before) / (f_now - f_before)
            } else {
                let d_before = (f_before - f_now) / (before - now);
                let d_other = (f_other - f_now) / (other - now);
                -f_now * (f_other * d_other - f_before * d_before) / (d_other * d_before * (f_other - f_before))
            };
            if 2.0 * try_step.abs() < step_before.abs().min(3.0 * half.abs() - delta) {
                (step_before, step) = (step, try_step);
            } else {
                (step_before, step) = (half, half);
            }
        } else {
            (step_before, step) = (half, half);
        }
        (before, f_before) = (now, f_now);
        now += if step.abs() > delta { step } else { delta.copysign(half) };
        f_now = f(now);
    }
    found(now, maxiter, false)
}

fn halved(f: Function<'_>, a: f64, b: f64, xtol: f64, rtol: f64, maxiter: usize) -> Result<Found> {
    let (fa, fb) = ends("bisect", f, a, b)?;
    for (x, value) in [(a, fa), (b, fb)] {
        if value == 0.0 {
            return Ok(Found { root: x, iterations: 0, calls: 2, converged: true });
        }
    }
    let (mut low, mut width) = (a, b - a);
    for iteration in 1..=maxiter {
        width *= 0.5;
        let middle = low + width;
        let value = f(middle);
        if (value > 0.0) == (fa > 0.0) {
            low = middle;
        }
        if value == 0.0 || width.abs() < xtol + rtol * middle.abs() {
            return Ok(Found { root: middle, iterations: iteration, calls: iteration + 2, converged: true });
        }
    }
    Ok(Found { root: low, iterations: maxiter, calls: maxiter + 2, converged: false })
}

fn ridders(f: Function<'_>, a: f64, b: f64, xtol: f64, rtol: f64, maxiter: usize) -> Result<Found> {
    let (mut fa, mut fb) = ends("ridder", f, a, b)?;
    let (mut a, mut b) = (a, b);
    for (x, value) in [(a, fa), (b, fb)] {
        if value == 0.0 {
            return Ok(Found { root: x, iterations: 0, calls: 2, converged: true });
        }
    }
    let mut root = a;
    for iteration in 1..=maxiter {
        let middle = a + 0.5 * (b - a);
        let f_middle = f(middle);
        let mut near = 0.5 * (b - a) * f_middle * (fb - fa).signum() / (f_middle * f_middle - fa * fb).sqrt();
        near = near.abs().min(0.5 * (b - a).abs() - 0.5 * (xtol + rtol * middle.abs())).copysign(near);
        // Against the sign of the middle value.
        root = middle - if near.is_finite() { near } else { 0.0 };
        let value = f(root);
        if (value > 0.0) != (f_middle > 0.0) {
            (a, fa, b, fb) = (root, value, middle, f_middle);
        } else if (value > 0.0) != (fa > 0.0) {
            (b, fb) = (root, value);
        } else {
            (a, fa) = (root, value);
        }
        if value == 0.0 || (b - a).abs() < xtol + rtol * root.abs() {
            return Ok(Found { root, iterations: iteration, calls: 2 * iteration + 2, converged: true });
        }
    }
    Ok(Found { root, iterations: maxiter, calls: 2 * maxiter + 2, converged: false })
}

/// A root near `x0`, by the secant method. SciPy's `newton`: `gpu::optimize::newton!(|x| …, x0, fprime = |x| …, tol = 1e-10, maxiter = 99)`
/// has its keywords, and with the derivative it is Newton's method.
///
/// **Panics** if it does not converge ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::optimize;
/// assert!((optimize::newton(|x| x * x * x - 1.0, 1.5) - 1.0).abs() < 1e-8);
/// assert!((optimize::newton!(|x| x * x * x - 1.0, 1.5, fprime = |x| 3.0 * x * x) - 1.0).abs() < 1e-8);
/// ```
#[track_caller]
pub fn newton(mut func: impl FnMut(f64) -> f64, x0: impl IntoFloat) -> f64 {
    let x0 = x0.into_float();
    check(secants(&mut func, x0, None, None, 1.48e-8, 50).and_then(|found| found.root("newton")))
}

/// As [`newton`](fn@newton), with SciPy's other arguments.
#[track_caller]
pub fn newton_with(mut func: impl FnMut(f64) -> f64, x0: impl IntoFloat, tol: impl IntoFloat, maxiter: usize) -> f64 {
    let x0 = x0.into_float();
    let tol = tol.into_float();
    check(secants(&mut func, x0, None, None, tol, maxiter).and_then(|found| found.root("newton")))
}

/// As [`newton_with`], with the derivative: Newton's method.
#[track_caller]
pub fn newton_with_fprime(
    mut func: impl FnMut(f64) -> f64,
    x0: impl IntoFloat,
    mut fprime: impl FnMut(f64) -> f64,
    tol: impl IntoFloat,
    maxiter: usize,
) -> f64 {
    let x0 = x0.into_float();
    let tol = tol.into_float();
    check(secants(&mut func, x0, None, Some(&mut fprime), tol, maxiter).and_then(|found| found.root("newton")))
}

fn secants(
    f: Function<'_>,
    x0: f64,
    x1: Option<f64>,
    slope: Option<Function<'_>>,
    tol: f64,
    maxiter: usize,
) -> Result<Found> {
    const NAME: &str = "newton";
    if tol.is_nan() || tol <= 0.0 {
        return Err(Error::argument(NAME, format!("`tol` is {tol}; give a positive number")));
    }
    let found = |root, iterations, calls, converged| Ok(Found { root, iterations, calls, converged });
    let mut x = x0;
    if let Some(slope) = slope {
        for iteration in 0..maxiter {
            let value = f(x);
            if value == 0.0 {
                return found(x, iteration, 2 * iteration + 1, true);
            }
            let rise = slope(x);
            if rise == 0.0 {
                return Err(Error::argument(NAME, format!("the derivative is 0 at {x}; begin elsewhere")));
            }
            let next = x - value / rise;
            if (next - x).abs() <= tol {
                return found(next, iteration + 1, 2 * iteration + 2, true);
            }
            x = next;
        }
        return found(x, maxiter, 2 * maxiter, false);
    }
    let mut other = x1.unwrap_or_else(|| x0 * (1.0 + 1e-4) + if x0 >= 0.0 { 1e-4 } else { -1e-4 });
    let (mut value, mut value_other) = (f(x), f(other));
    if value_other.abs() < value.abs() {
        (x, other, value, value_other) = (other, x, value_other, value);
    }
    // `x` is the older one.
    (x, other, value, value_other) = (other, x, value_other, value);
    for iteration in 0..maxiter {
        if value == value_other {
            if x != other {
                return Err(Error::argument(
                    NAME,
                    format!("the function is flat from {x} to {other}; begin elsewhere"),
                ));
            }
            return found(other, iteration, iteration + 2, true);
        }
        let next = other - value_other * (other - x) / (value_other - value);
        if (next - other).abs() <= tol {
            return found(next, iteration + 1, iteration + 2, true);
        }
        (x, value) = (other, value_other);
        other = next;
        value_other = f(other);
    }
    found(other, maxiter, maxiter + 2, false)
}

/// A root of a function between both ends of `bracket`, at which it has different signs. SciPy's `root_scalar`:
/// `gpu::optimize::root_scalar!(|x| …, bracket = (a, b), method = "bisect")` has its keywords; `method` is "brentq", "bisect" or "ridder",
/// or "secant", which begins at both ends. What it gives prints as in SciPy.
///
/// **Panics** if the signs are equal, or there is no such method ([`Error::InvalidArgument`]).
///
/// ```
/// let found = warpcell::optimize::root_scalar(|x| x * x * x - 1.0, (0.0, 3.0));
/// assert!(found.converged && (found.root - 1.0).abs() < 1e-12);
/// ```
#[track_caller]
pub fn root_scalar(f: impl FnMut(f64) -> f64, bracket: impl FloatPair) -> RootResults {
    root_scalar_with(f, bracket, "brentq", XTOL, RTOL, 100)
}

/// As [`root_scalar`](fn@root_scalar), with SciPy's other arguments.
#[track_caller]
pub fn root_scalar_with(
    mut f: impl FnMut(f64) -> f64,
    bracket: impl FloatPair,
    method: &str,
    xtol: impl IntoFloat,
    rtol: impl IntoFloat,
    maxiter: usize,
) -> RootResults {
    let (a, b) = bracket.into_pair();
    let (xtol, rtol) = (xtol.into_float(), rtol.into_float());
    const METHODS: [&str; 4] = ["brentq", "bisect", "ridder", "secant"];
    let f = &mut f;
    let found = match METHODS.iter().find(|known| **known == method) {
        Some(&"brentq") => brent(f, a, b, xtol, rtol, maxiter).map(|found| found.result("brentq")),
        Some(&"bisect") => halved(f, a, b, xtol, rtol, maxiter).map(|found| found.result("bisect")),
        Some(&"ridder") => ridders(f, a, b, xtol, rtol, maxiter).map(|found| found.result("ridder")),
        Some(_) => secants(f, a, Some(b), None, xtol, maxiter).map(|found| found.result("secant")),
        None => Err(Error::argument("root_scalar", format!("`method` is {method:?}; give one of {METHODS:?}"))),
    };
    check(found)
}

/// Where a function of one variable is lowest, by Brent's method, "Algorithms for minimization without derivatives" (1973), chapter 5, from
/// an interval that is looked for around 0 and 1. SciPy's `minimize_scalar`: `gpu::optimize::minimize_scalar!(|x| …, bounds = (0.0, 4.0), tol =
/// 1e-9)` has its keywords; within bounds it is the bounded method. What it gives prints as in SciPy.
///
/// ```
/// use warpcell::optimize;
/// let best = optimize::minimize_scalar(|x| (x - 2.0) * x * (x + 2.0).powi(2));
/// assert!(best.success && (best.x - 1.28077640403).abs() < 1e-7);
/// let best = optimize::minimize_scalar!(|x| (x - 2.0) * x * (x + 2.0).powi(2), bounds = (-3.0, -1.0));
/// assert!((best.x + 2.0).abs() < 1e-5);
/// ```
#[track_caller]
pub fn minimize_scalar(fun: impl FnMut(f64) -> f64) -> ScalarResult {
    minimize_scalar_with(fun, None, 500)
}

/// As [`minimize_scalar`](fn@minimize_scalar), with a relative tolerance, and with so many steps at most.
#[track_caller]
pub fn minimize_scalar_with(mut fun: impl FnMut(f64) -> f64, tol: impl MaybeFloat, maxiter: usize) -> ScalarResult {
    let tol = tol.maybe_float();
    lowest(&mut fun, tol.unwrap_or(1.48e-8), maxiter)
}

/// As [`minimize_scalar`](fn@minimize_scalar), between two bounds.
///
/// **Panics** if they are not in ascending order, or not finite ([`Error::InvalidArgument`]).
#[track_caller]
pub fn minimize_scalar_bounded(
    mut fun: impl FnMut(f64) -> f64,
    bounds: impl FloatPair,
    tol: impl MaybeFloat,
    maxiter: usize,
) -> ScalarResult {
    let tol = tol.maybe_float();
    check(lowest_within(&mut fun, bounds.into_pair(), tol.unwrap_or(1e-5), maxiter))
}

const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// Three places of which the middle one is lowest: by steps that grow, as SciPy's `bracket`.
fn bracket(f: Function<'_>, nfev: &mut usize) -> Option<[(f64, f64); 3]> {
    const GROWTH: f64 = 1.618034;
    let mut at = |x: f64| {
        *nfev += 1;
        (x, f(x))
    };
    let (mut a, mut b) = (at(0.0), at(1.0));
    if a.1 < b.1 {
        (a, b) = (b, a);
    }
    let mut c = at(b.0 + GROWTH * (b.0 - a.0));
    for _ in 0..1000 {
        if c.1 >= b.1 {
            return Some([a, b, c]);
        }
        let limit = b.0 + 110.0 * (c.0 - b.0);
        let (r, q) = ((b.0 - a.0) * (b.1 - c.1), (b.0 - c.0) * (b.1 - a.1));
        let divisor = 2.0 * (q - r).abs().max(1e-21).copysign(q - r);
        let mut place = b.0 - ((b.0 - c.0) * q - (b.0 - a.0) * r) / divisor;
        let next = if (place - c.0) * (b.0 - place) > 0.0 {
            let w = at(place);
            if w.1 < c.1 {
                return Some([b, w, c]);
            }
            if w.1 > b.1 {
                return Some([a, b, w]);
            }
            at(c.0 + GROWTH * (c.0 - b.0))
        } else if (place - limit) * (limit - c.0) >= 0.0 {
            at(limit)
        } else if (place - limit) * (c.0 - place) > 0.0 {
            let w = at(place);
            if w.1 < c.1 {
                (b, c) = (c, w);
                place = c.0 + GROWTH * (c.0 - b.0);
                at(place)
            } else {
                w
            }
        } else {
            at(c.0 + GROWTH * (c.0 - b.0))
        };
        (a, b, c) = (b, c, next);
    }
    None
}

fn lowest(f: Function<'_>, tol: f64, maxiter: usize) -> ScalarResult {
    let mut nfev = 0;
    let Some([one, middle, other]) = bracket(f, &mut nfev) else {
        return ScalarResult {
            x: f64::NAN,
            fun: f64::NAN,
            success: false,
            message: "no interval with a minimum was found",
            nit: 0,
            nfev,
        };
    };
    let (mut a, mut b) = (one.0.min(other.0), one.0.max(other.0));
    let (mut x, mut w, mut v) = (middle, middle, middle);
    let (mut before, mut step) = (0.0f64, 0.0f64);
    let mut nit = 0;
    let mut success = false;
    while nit < maxiter {
        let tol1 = tol * x.0.abs() + 1e-11;
        let centre = 0.5 * (a + b);
        if (x.0 - centre).abs() < 2.0 * tol1 - 0.5 * (b - a) {
            success = true;
            break;
        }
        step_of(&x, &w, &v, a, b, centre, tol1, &mut before, &mut step);
        let place = if step.abs() < tol1 { x.0 + tol1.copysign(step) } else { x.0 + step };
        let u = (place, f(place));
        nfev += 1;
        narrow(u, &mut a, &mut b, &mut x, &mut w, &mut v);
        nit += 1;
    }
    ended(x, success, nit, nfev)
}

fn ended(x: (f64, f64), success: bool, nit: usize, nfev: usize) -> ScalarResult {
    let message = if success {
        "the interval is within the tolerance"
    } else {
        "the maximum number of iterations has been reached"
    };
    ScalarResult { x: x.0, fun: x.1, success, message, nit, nfev }
}

/// The next step: to the lowest point of the parabola through three points, or a golden section.
#[expect(clippy::too_many_arguments, reason = "the state of the search")]
fn step_of(
    x: &(f64, f64),
    w: &(f64, f64),
    v: &(f64, f64),
    a: f64,
    b: f64,
    centre: f64,
    tolerance: f64,
    before: &mut f64,
    step: &mut f64,
) {
    if before.abs() > tolerance {
        let r = (x.0 - w.0) * (x.1 - v.1);
        let mut q = (x.0 - v.0) * (x.1 - w.1);
        let mut p = (x.0 - v.0) * q - (x.0 - w.0) * r;
        q = 2.0 * (q - r);
        if q > 0.0 {
            p = -p;
        }
        q = q.abs();
        let last = *before;
        *before = *step;
        if p > q * (a - x.0) && p < q * (b - x.0) && p.abs() < (0.5 * q * last).abs() {
            *step = p / q;
            let place = x.0 + *step;
            if place - a < 2.0 * tolerance || b - place < 2.0 * tolerance {
                *step = tolerance.copysign(centre - x.0);
            }
            return;
        }
    }
    *before = if x.0 >= centre { a - x.0 } else { b - x.0 };
    *step = GOLDEN * *before;
}

/// Takes a new point into the interval, and into the three lowest ones.
fn narrow(u: (f64, f64), a: &mut f64, b: &mut f64, x: &mut (f64, f64), w: &mut (f64, f64), v: &mut (f64, f64)) {
    if u.1 <= x.1 {
        if u.0 >= x.0 {
            *a = x.0;
        } else {
            *b = x.0;
        }
        (*v, *w, *x) = (*w, *x, u);
        return;
    }
    if u.0 < x.0 {
        *a = u.0;
    } else {
        *b = u.0;
    }
    if u.1 <= w.1 || w.0 == x.0 {
        (*v, *w) = (*w, u);
    } else if u.1 <= v.1 || v.0 == x.0 || v.0 == w.0 {
        *v = u;
    }
}

fn lowest_within(f: Function<'_>, (low, high): (f64, f64), xatol: f64, maxiter: usize) -> Result<ScalarResult> {
    if !low.is_finite() || !high.is_finite() || low > high {
        let reason = format!("`bounds` is ({low}, {high}); give two finite numbers in ascending order");
        return Err(Error::argument("minimize_scalar", reason));
    }
    let (mut a, mut b) = (low, high);
    let first = a + GOLDEN * (b - a);
    let mut x = (first, f(first));
    let (mut w, mut v) = (x, x);
    let mut nfev = 1;
    let (mut before, mut step) = (0.0f64, 0.0f64);
    let mut nit = 0;
    let mut success = false;
    while nit < maxiter {
        let centre = 0.5 * (a + b);
        let tol1 = f64::EPSILON.sqrt() * x.0.abs() + xatol / 3.0;
        if (x.0 - centre).abs() <= 2.0 * tol1 - 0.5 * (b - a) {
            success = true;
            break;
        }
        step_of(&x, &w, &v, a, b, centre, tol1, &mut before, &mut step);
        let place = x.0 + step.abs().max(tol1).copysign(step);
        let u = (place, f(place));
        nfev += 1;
        narrow(u, &mut a, &mut b, &mut x, &mut w, &mut v);
        nit += 1;
    }
    Ok(ended(x, success, nit, nfev))
}
