//! Minima of functions of several variables.

use super::Variables;
use super::simplex::downhill;
use super::variables::Vector;
use super::variables::sealed::Point;
use crate::error::{Error, Result, check};
use crate::floats::MaybeFloat;
use std::fmt;

/// What a search gives, with SciPy's names; `fun` is a number, or those of a system of equations. It prints as in SciPy.
#[derive(Clone)]
pub struct OptimizeResult<V, F = f64> {
    /// Where it ended.
    pub x: V,
    /// The value of the function there.
    pub fun: F,
    /// The gradient there, if the method has one.
    pub jac: Option<V>,
    /// Whether it ended as it should.
    pub success: bool,
    /// Why it ended, as a number: 0 if it converged.
    pub status: i32,
    /// Why it ended.
    pub message: String,
    /// How many steps it made.
    pub nit: usize,
    /// How often it called the function.
    pub nfev: usize,
    /// How often it computed the gradient.
    pub njev: usize,
}

impl<V: fmt::Debug, F: fmt::Debug> fmt::Debug for OptimizeResult<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  message: {}", self.message)?;
        writeln!(f, "  success: {}", self.success)?;
        writeln!(f, "   status: {}", self.status)?;
        writeln!(f, "      fun: {:?}", self.fun)?;
        writeln!(f, "        x: {:?}", self.x)?;
        if let Some(jac) = &self.jac {
            writeln!(f, "      jac: {jac:?}")?;
        }
        writeln!(f, "      nit: {}", self.nit)?;
        write!(f, "     nfev: {}", self.nfev)?;
        if self.njev > 0 {
            write!(f, "\n     njev: {}", self.njev)?;
        }
        Ok(())
    }
}

impl<V: fmt::Debug, F: fmt::Debug> fmt::Display for OptimizeResult<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// How a search went.
pub(super) struct Search {
    pub x: Vector,
    pub fun: f64,
    pub jac: Option<Vector>,
    pub status: i32,
    pub message: &'static str,
    pub nit: usize,
    pub nfev: usize,
    pub njev: usize,
}

impl Search {
    fn result<V: Point>(self) -> OptimizeResult<V> {
        OptimizeResult {
            x: V::of(&self.x),
            fun: self.fun,
            jac: self.jac.map(|jac| V::of(&jac)),
            success: self.status == 0,
            status: self.status,
            message: self.message.to_string(),
            nit: self.nit,
            nfev: self.nfev,
            njev: self.njev,
        }
    }
}

/// The minimum of a function of several variables near `x0`. SciPy's `minimize`: `gpu::optimize::minimize!(|x| …, &x0, jac = |x| …, method =
/// "BFGS", tol = 1e-8, maxiter = 100)` has its keywords. The closure gets what `x0` is: an array of numbers, a `Vec`, or an array on the
/// device, which stays there.
///
/// The method is "L-BFGS-B", also without being told, because it serves for few variables and for many: Liu and Nocedal, "On the limited
/// memory BFGS method for large scale optimization" (1989), with 10 corrections and steps by the strong conditions of Wolfe (Nocedal and
/// Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6); bounds are not there yet. "BFGS" keeps the whole matrix on the host;
/// "Nelder-Mead" needs no gradient. Without `jac` gradients are forward differences, a call for each variable: for arrays on the device
/// give `jac`.
///
/// **Panics** if there is no such method, or no variable ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let best = gpu::optimize::minimize(|x| (x[0] - 1.0).powi(2) + (x[1] - 2.5).powi(2), &[2.0, 0.0]);
/// assert!(best.success && (best.x[1] - 2.5).abs() < 1e-5);
/// let best = gpu::optimize::minimize!(|x| (x[0] - 1.0).powi(2), &[2.0], method = "Nelder-Mead");
/// assert!((best.x[0] - 1.0).abs() < 1e-4);
/// println!("{best}");
/// ```
#[track_caller]
pub fn minimize<V: Variables>(fun: impl FnMut(&V) -> f64, x0: &V) -> OptimizeResult<V> {
    minimize_with(fun, x0, "L-BFGS-B", None, None)
}

/// As [`minimize`](fn@minimize), by a method, with a tolerance, and with so many steps at most.
#[track_caller]
pub fn minimize_with<V: Variables>(
    mut fun: impl FnMut(&V) -> f64,
    x0: &V,
    method: &str,
    tol: impl MaybeFloat,
    maxiter: impl Into<Option<usize>>,
) -> OptimizeResult<V> {
    let tol = tol.maybe_float();
    let mut value = |x: &Vector| fun(&V::of(x));
    let options = Options { method, tol, maxiter: maxiter.into() };
    check(searched(&mut value, None, x0.vector(), options)).result()
}

/// As [`minimize_with`](fn@minimize_with), with the gradient.
#[track_caller]
pub fn minimize_with_jac<V: Variables>(
    mut fun: impl FnMut(&V) -> f64,
    x0: &V,
    mut jac: impl FnMut(&V) -> V,
    method: &str,
    tol: impl MaybeFloat,
    maxiter: impl Into<Option<usize>>,
) -> OptimizeResult<V> {
    let tol = tol.maybe_float();
    let mut value = |x: &Vector| fun(&V::of(x));
    let mut gradient = |x: &Vector| jac(&V::of(x)).vector();
    let options = Options { method, tol, maxiter: maxiter.into() };
    check(searched(&mut value, Some(&mut gradient), x0.vector(), options)).result()
}

struct Options<'a> {
    method: &'a str,
    tol: Option<f64>,
    maxiter: Option<usize>,
}

pub(super) type Value<'a> = &'a mut dyn FnMut(&Vector) -> f64;
type Gradient<'a> = &'a mut dyn FnMut(&Vector) -> Vector;

/// A function with its gradient, and how often they were called.
struct Function<'a> {
    value: Value<'a>,
    gradient: Option<Gradient<'a>>,
    nfev: usize,
    njev: usize,
}

impl Function<'_> {
    fn at(&mut self, x: &Vector) -> Result<(f64, Vector)> {
        let value = (self.value)(x);
        self.nfev += 1;
        self.njev += 1;
        if let Some(gradient) = &mut self.gradient {
            let gradient = gradient(x);
            if gradient.len() != x.len() {
                let reason =
                    format!("`jac` gives {} numbers for {} variables; give the gradient", gradient.len(), x.len());
                return Err(Error::argument("minimize", reason));
            }
            return Ok((value, gradient));
        }
        let values = x.to_host();
        let mut slopes = Vec::with_capacity(values.len());
        for at in 0..values.len() {
            let mut moved = values.clone();
            moved[at] += f64::EPSILON.sqrt() * values[at].abs().max(1.0);
            let step = moved[at] - values[at];
            slopes.push(((self.value)(&x.like(moved)?) - value) / step);
            self.nfev += 1;
        }
        Ok((value, x.like(slopes)?))
    }
}

fn searched<'a>(value: Value<'a>, gradient: Option<Gradient<'a>>, x0: Vector, options: Options<'_>) -> Result<Search> {
    const NAME: &str = "minimize";
    const METHODS: [&str; 3] = ["L-BFGS-B", "BFGS", "Nelder-Mead"];
    let Options { method, tol, maxiter } = options;
    if x0.len() == 0 {
        return Err(Error::argument(NAME, "`x0` has no variables; give some"));
    }
    let known = METHODS.iter().find(|known| known.eq_ignore_ascii_case(method));
    let count = x0.len();
    let mut function = Function { value, gradient, nfev: 0, njev: 0 };
    match known {
        Some(&"Nelder-Mead") => downhill(function.value, &x0, tol.unwrap_or(1e-4), maxiter.unwrap_or(200 * count)),
        Some(&"BFGS") => descend(
            &mut function,
            x0,
            Memory::Whole(Vec::new()),
            0.0,
            tol.unwrap_or(1e-5),
            maxiter.unwrap_or(200 * count),
        ),
        Some(_) => {
            let (ftol, gtol) = tol.map_or((2.220446049250313e-09, 1e-5), |tol| (tol, tol));
            descend(&mut function, x0, Memory::Last(Vec::new()), ftol, gtol, maxiter.unwrap_or(15_000))
        }
        None => Err(Error::argument(NAME, format!("`method` is {method:?}; give one of {METHODS:?}"))),
    }
}

/// What is known of the second derivatives: the last steps and the changes of the gradient on them, or the whole inverse matrix.
enum Memory {
    Last(Vec<(Vector, Vector, f64)>),
    Whole(Vec<f64>),
}

/// So many steps are kept.
const KEPT: usize = 10;

impl Memory {
    /// The direction of the next step: the gradient by the inverse of the second derivatives, with the other sign.
    fn direction(&self, gradient: &Vector) -> Result<Vector> {
        match self {
            Memory::Last(steps) => {
                let mut q = gradient.clone();
                let mut shares = Vec::with_capacity(steps.len());
                for (s, y, sy) in steps.iter().rev() {
                    let share = s.dot(&q) / sy;
                    q = q.plus(-share, y);
                    shares.push(share);
                }
                if let Some((_, y, sy)) = steps.last() {
                    q = q.times(sy / y.dot(y));
                }
                for ((s, y, sy), share) in steps.iter().zip(shares.iter().rev()) {
                    let other = y.dot(&q) / sy;
                    q = q.plus(share - other, s);
                }
                Ok(q.times(-1.0))
            }
            Memory::Whole(inverse) if inverse.is_empty() => Ok(gradient.times(-1.0)),
            Memory::Whole(inverse) => {
                let g = gradient.to_host();
                let row = |row: &[f64]| -row.iter().zip(&g).map(|(h, g)| h * g).sum::<f64>();
                gradient.like(inverse.chunks(g.len()).map(row).collect())
            }
        }
    }

    fn learn(&mut self, s: Vector, y: Vector) {
        let sy = s.dot(&y);
        if sy.is_nan() || sy <= f64::EPSILON * y.dot(&y) {
            return;
        }
        match self {
            Memory::Last(steps) => {
                if steps.len() == KEPT {
                    steps.remove(0);
                }
                steps.push((s, y, sy));
            }
            Memory::Whole(inverse) => {
                let (s, y) = (s.to_host(), y.to_host());
                let n = s.len();
                if inverse.is_empty() {
                    *inverse = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }).collect();
                }
                let hy: Vec<f64> = inverse.chunks(n).map(|row| row.iter().zip(&y).map(|(h, y)| h * y).sum()).collect();
                let yhy: f64 = y.iter().zip(&hy).map(|(y, hy)| y * hy).sum();
                for i in 0..n {
                    for j in 0..n {
                        inverse[i * n + j] += (1.0 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
                    }
                }
            }
        }
    }

    /// Begins anew with the gradient; whether there was something to forget.
    fn forget(&mut self) -> bool {
        let had = match self {
            Memory::Last(steps) => !steps.is_empty(),
            Memory::Whole(inverse) => !inverse.is_empty(),
        };
        *self = match self {
            Memory::Last(_) => Memory::Last(Vec::new()),
            Memory::Whole(_) => Memory::Whole(Vec::new()),
        };
        had
    }
}

fn descend(
    function: &mut Function<'_>,
    mut x: Vector,
    mut memory: Memory,
    ftol: f64,
    gtol: f64,
    maxiter: usize,
) -> Result<Search> {
    let (mut fun, mut gradient) = function.at(&x)?;
    let mut nit = 0;
    let (status, message) = loop {
        let largest = gradient.largest();
        if largest <= gtol {
            break (0, "CONVERGENCE: the gradient is not above `gtol`");
        }
        if !fun.is_finite() || largest.is_nan() {
            break (3, "the function or its gradient is not finite");
        }
        if nit >= maxiter {
            break (1, "the maximum number of iterations has been reached");
        }
        let mut direction = memory.direction(&gradient)?;
        let mut slope = gradient.dot(&direction);
        if slope >= 0.0 || slope.is_nan() {
            memory.forget();
            direction = gradient.times(-1.0);
            slope = gradient.dot(&direction);
        }
        // The first step has about the length 1.
        let is_first = nit == 0;
        let first = if is_first { (1.0 / gradient.dot(&gradient).sqrt()).min(1.0) } else { 1.0 };
        let Some(step) = line_search(function, &x, &direction, fun, slope, first)? else {
            // From the gradient again, before giving up.
            if memory.forget() {
                nit += 1;
                continue;
            }
            break (2, "the line search found no lower point; precision may be lost");
        };
        let change = (fun - step.value) / fun.abs().max(step.value.abs()).max(1.0);
        memory.learn(step.x.plus(-1.0, &x), step.gradient.plus(-1.0, &gradient));
        (x, fun, gradient) = (step.x, step.value, step.gradient);
        nit += 1;
        if change <= ftol && ftol > 0.0 {
            break (0, "CONVERGENCE: the relative reduction of the function is not above `ftol`");
        }
    };
    Ok(Search { x, fun, jac: Some(gradient), status, message, nit, nfev: function.nfev, njev: function.njev })
}

/// A point on a line.
struct Step {
    length: f64,
    x: Vector,
    value: f64,
    gradient: Vector,
    slope: f64,
}

/// A step that satisfies Wolfe's strong conditions, or is at least lower.
fn line_search(
    function: &mut Function<'_>,
    x: &Vector,
    direction: &Vector,
    value: f64,
    slope: f64,
    first: f64,
) -> Result<Option<Step>> {
    const DECREASE: f64 = 1e-4;
    const CURVATURE: f64 = 0.9;
    let mut at = |length: f64| -> Result<Step> {
        let x = x.plus(length, direction);
        let (value, gradient) = function.at(&x)?;
        let slope = gradient.dot(direction);
        Ok(Step { length, x, value, gradient, slope })
    };
    let is_low = |step: &Step| step.value <= value + DECREASE * step.length * slope;
    let is_flat = |step: &Step| step.slope.abs() <= -CURVATURE * slope;
    // The end that is lower, and the other one: length, value, slope.
    let mut low = (0.0, value, slope);
    let mut best: Option<Step> = None;
    let mut high: Option<(f64, f64, f64)> = None;
    let mut length = first;
    for _ in 0..40 {
        let step = at(length)?;
        if !step.value.is_finite() {
            high = Some((length, f64::INFINITY, 0.0));
            length = 0.5 * (low.0 + length);
            continue;
        }
        if !is_low(&step) || step.value >= low.1 && low.0 > 0.0 {
            high = Some((length, step.value, step.slope));
        } else {
            if is_flat(&step) {
                return Ok(Some(step));
            }
            let is_turned = match high {
                Some((end, ..)) => step.slope * (end - low.0) >= 0.0,
                None => step.slope >= 0.0,
            };
            if is_turned {
                high = Some(low);
            }
            low = (length, step.value, step.slope);
            best = Some(step);
        }
        length = match high {
            None => length * 2.0,
            Some(end) => between(low, end),
        };
        if let Some((end, ..)) = high
            && (end - low.0).abs() <= 1e-14 * end.abs().max(low.0.abs())
        {
            break;
        }
    }
    Ok(best)
}

/// The place between two ends where a cubic with their values and slopes is lowest, not too near to an end.
fn between((a, fa, da): (f64, f64, f64), (b, fb, db): (f64, f64, f64)) -> f64 {
    let middle = 0.5 * (a + b);
    if !fb.is_finite() {
        return middle;
    }
    let d1 = da + db - 3.0 * (fa - fb) / (a - b);
    let square = d1 * d1 - da * db;
    if square.is_nan() || square < 0.0 {
        return middle;
    }
    let d2 = square.sqrt().copysign(b - a);
    let place = b - (b - a) * (db + d2 - d1) / (db - da + 2.0 * d2);
    let margin = 0.1 * (b - a).abs();
    let (least, most) = (a.min(b) + margin, a.max(b) - margin);
    if place.is_finite() { place.clamp(least, most) } else { middle }
}
