//! Roots of systems of equations.

use super::variables::solve;
use super::{OptimizeResult, Parameters};
use crate::error::{Error, Result, check};
use crate::floats::MaybeFloat;

/// A root of a system of as many equations as variables, near `x0`. SciPy's `root`: `gpu::optimize::root!(|x| …, &x0, tol = 1e-10)` has its
/// keyword. By Powell's hybrid method ("A hybrid method for nonlinear equations", 1970), as in MINPACK's `hybrd`: steps between Newton's and
/// that along the gradient, within a region that grows while they are good; derivatives are differences, corrected by Broyden's
/// formula. On the host: the closure gets an array of numbers, or a `Vec`, and gives as many.
///
/// **Panics** if there are as many equations as variables only in part, or no variable ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let found = gpu::optimize::root(|x| [x[0] + 0.5 * (x[0] - x[1]).powi(3) - 1.0, 0.5 * (x[1] - x[0]).powi(3) + x[1]], &[0.0, 0.0]);
/// assert!(found.success && (found.x[0] - 0.8411639019140096).abs() < 1e-9);
/// ```
#[track_caller]
pub fn root<V: Parameters>(fun: impl FnMut(&V) -> V, x0: &V) -> OptimizeResult<V, V> {
    root_with(fun, x0, None)
}

/// As [`root`](fn@root), with the relative tolerance of the variables.
#[track_caller]
pub fn root_with<V: Parameters>(mut fun: impl FnMut(&V) -> V, x0: &V, tol: impl MaybeFloat) -> OptimizeResult<V, V> {
    let tol = tol.maybe_float();
    let mut values = |x: &[f64]| fun(&V::of(&super::variables::Vector::Host(x.to_vec()))).as_ref().to_vec();
    let found = check(hybrid(&mut values, x0.as_ref(), tol.unwrap_or(1.49012e-8)));
    let of = |values: Vec<f64>| V::of(&super::variables::Vector::Host(values));
    OptimizeResult {
        x: of(found.x),
        fun: of(found.fun),
        jac: None,
        success: found.status == 1,
        status: found.status,
        message: found.message.to_string(),
        nit: found.nit,
        nfev: found.nfev,
        njev: 0,
    }
}

struct Found {
    x: Vec<f64>,
    fun: Vec<f64>,
    status: i32,
    message: &'static str,
    nit: usize,
    nfev: usize,
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The product of a matrix and a vector.
fn product(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn hybrid(function: &mut dyn FnMut(&[f64]) -> Vec<f64>, x0: &[f64], tol: f64) -> Result<Found> {
    const NAME: &str = "root";
    let n = x0.len();
    let mut nfev = 0;
    let mut at = |x: &[f64]| {
        nfev += 1;
        function(x)
    };
    let mut x = x0.to_vec();
    let mut fun = at(&x);
    if n == 0 || fun.len() != n {
        let reason = format!("the function gives {} numbers for {n} variables; give as many, at least 1", fun.len());
        return Err(Error::argument(NAME, reason));
    }
    let most = 200 * (n + 1);
    let mut calls = 1;
    let mut jacobian: Vec<f64> = Vec::new();
    let mut is_fresh = false;
    let mut scale = vec![0.0f64; n];
    let mut radius = 0.0;
    let mut slow = 0;
    let mut bad = 0;
    let mut nit = 0;
    let (status, message) = loop {
        if norm(&fun) == 0.0 {
            break (1, "the solution converged");
        }
        if fun.iter().any(|value| !value.is_finite()) {
            break (5, "the function is not finite");
        }
        if jacobian.is_empty() {
            jacobian = vec![0.0; n * n];
            for column in 0..n {
                let mut moved = x.clone();
                let step = f64::EPSILON.sqrt() * if x[column] == 0.0 { 1.0 } else { x[column].abs() };
                moved[column] += step;
                let step = moved[column] - x[column];
                let values = at(&moved);
                calls += 1;
                (0..n).for_each(|row| jacobian[row * n + column] = (values[row] - fun[row]) / step);
            }
            is_fresh = true;
            bad = 0;
            for (column, scale) in scale.iter_mut().enumerate() {
                let length = norm(&(0..n).map(|row| jacobian[row * n + column]).collect::<Vec<_>>());
                *scale = scale.max(if length == 0.0 && *scale == 0.0 { 1.0 } else { length });
            }
            if nit == 0 {
                let length = norm(&x.iter().zip(&scale).map(|(x, scale)| x * scale).collect::<Vec<_>>());
                radius = if length == 0.0 { 100.0 } else { 100.0 * length };
            }
        }
        nit += 1;
        let step = dogleg(&jacobian, &fun, &scale, radius);
        let length = norm(&step.iter().zip(&scale).map(|(p, scale)| p * scale).collect::<Vec<_>>());
        let next: Vec<f64> = x.iter().zip(&step).map(|(x, p)| x + p).collect();
        let values = at(&next);
        calls += 1;
        if nit == 1 {
            radius = f64::min(radius, length);
        }
        let (now, then) = (norm(&fun), norm(&values));
        let actual = if then < now { 1.0 - (then / now).powi(2) } else { -1.0 };
        let linear = product(&jacobian, &step);
        let wanted = norm(&fun.iter().zip(&linear).map(|(f, l)| f + l).collect::<Vec<_>>());
        let predicted = if wanted < now { 1.0 - (wanted / now).powi(2) } else { 0.0 };
        let ratio = if predicted > 0.0 && then.is_finite() { actual / predicted } else { 0.0 };
        if ratio < 0.1 {
            bad += 1;
            radius *= 0.5;
        } else {
            bad = 0;
            if ratio >= 0.5 {
                radius = radius.max(2.0 * length);
            }
            if (ratio - 1.0).abs() <= 0.1 {
                radius = 2.0 * length;
            }
        }
        // Broyden's correction, also by a step that is not made.
        let square: f64 = step.iter().zip(&scale).map(|(p, scale)| (p * scale).powi(2)).sum();
        if square > 0.0 && then.is_finite() {
            for row in 0..n {
                let miss = values[row] - fun[row] - linear[row];
                for column in 0..n {
                    jacobian[row * n + column] += miss * step[column] * scale[column].powi(2) / square;
                }
            }
        }
        if ratio >= 1e-4 {
            (x, fun) = (next, values);
        }
        let size = norm(&x.iter().zip(&scale).map(|(x, scale)| x * scale).collect::<Vec<_>>());
        if radius <= tol * size || norm(&fun) == 0.0 {
            break (1, "the solution converged");
        }
        if calls >= most {
            break (2, "the number of calls to the function has reached its maximum");
        }
        slow = if actual >= 0.001 { 0 } else { slow + 1 };
        if 0.1 * (0.1 * radius).max(length) <= f64::EPSILON * size {
            break (3, "`tol` is too small: no further improvement is possible");
        }
        if slow >= 20 {
            break (5, "the iteration is not making good progress");
        }
        if bad >= 2 {
            if is_fresh && bad >= 20 {
                break (4, "the iteration is not making good progress");
            }
            jacobian.clear();
            is_fresh = false;
        }
    };
    Ok(Found { x, fun, status, message, nit, nfev })
}

/// The step of least linear residual within a radius: Newton's, or one between it and that along the gradient.
fn dogleg(jacobian: &[f64], fun: &[f64], scale: &[f64], radius: f64) -> Vec<f64> {
    let n = fun.len();
    let length = |p: &[f64]| norm(&p.iter().zip(scale).map(|(p, scale)| p * scale).collect::<Vec<_>>());
    let newton = solve(jacobian.to_vec(), fun.iter().map(|f| -f).collect());
    if let Some(newton) = &newton
        && length(newton) <= radius
    {
        return newton.clone();
    }
    // Along the gradient of the squares, in the scaled variables.
    let descent: Vec<f64> = (0..n)
        .map(|column| -(0..n).map(|row| jacobian[row * n + column] * fun[row]).sum::<f64>() / scale[column])
        .collect();
    let steep = norm(&descent);
    if steep == 0.0 {
        let Some(newton) = newton else { return vec![0.0; n] };
        let share = radius / length(&newton);
        return newton.iter().map(|p| share * p).collect();
    }
    let unit: Vec<f64> = descent.iter().zip(scale).map(|(d, scale)| d / steep / scale).collect();
    let curvature = norm(&product(jacobian, &unit));
    let lowest = steep / (curvature * curvature);
    let cauchy = |share: f64| unit.iter().map(|u| share * u).collect::<Vec<f64>>();
    let Some(newton) = newton else { return cauchy(lowest.min(radius)) };
    if lowest >= radius || lowest.is_nan() {
        return cauchy(radius);
    }
    // Where the line from the lowest point to Newton's leaves the region.
    let low = cauchy(lowest);
    let scaled = |p: &[f64]| p.iter().zip(scale).map(|(p, scale)| p * scale).collect::<Vec<f64>>();
    let (a, b) = (scaled(&low), scaled(&newton));
    let way: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (qa, qb, qc) = (dot(&way, &way), 2.0 * dot(&a, &way), dot(&a, &a) - radius * radius);
    let share = ((-qb + (qb * qb - 4.0 * qa * qc).max(0.0).sqrt()) / (2.0 * qa)).clamp(0.0, 1.0);
    low.iter().zip(&newton).map(|(low, newton)| low + share * (newton - low)).collect()
}
