//! Fits: least squares of residuals, by Levenberg's and Marquardt's method.

use super::variables::{Vector, solve};
use super::{Parameters, Residuals};
use crate::array::create::of_values;
use crate::array::{DeviceArray, OnDevice};
use crate::backend::Layout;
use crate::dtype::Number;
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use std::fmt;

/// What a fit gives, with SciPy's names. It prints as in SciPy.
#[derive(Clone)]
pub struct LeastSquaresResult<P, R> {
    /// The parameters.
    pub x: P,
    /// Half of the sum of the squares of the residuals.
    pub cost: f64,
    /// The residuals.
    pub fun: R,
    /// Whether it converged.
    pub success: bool,
    /// Why it ended, as a number: above 0 if it converged.
    pub status: i32,
    /// Why it ended.
    pub message: String,
    /// How many steps it made.
    pub nit: usize,
    /// How often it called the function, without the differences.
    pub nfev: usize,
    /// The largest element of the gradient.
    pub optimality: f64,
}

impl<P: fmt::Debug, R: fmt::Debug> fmt::Debug for LeastSquaresResult<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "    message: {}\n    success: {}\n     status: {}\n        fun: {:?}\n          x: {:?}\n       cost: {}\n optimality: \
             {}\n        nit: {}\n       nfev: {}",
            self.message, self.success, self.status, self.fun, self.x, self.cost, self.optimality, self.nit, self.nfev
        )
    }
}

impl<P: fmt::Debug, R: fmt::Debug> fmt::Display for LeastSquaresResult<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The parameters with the least sum of the squares of the residuals that a function gives, near `x0`. SciPy's `least_squares`:
/// `gpu::optimize::least_squares!(|p| …, &x0, ftol = 1e-12, xtol = 1e-12, gtol = 1e-12, max_nfev = 100)` has these of its keywords. By
/// Levenberg and Marquardt, as in Madsen, Nielsen and Tingleff, "Methods for non-linear least squares problems" (2004); derivatives are
/// central differences. Residuals on the device stay there: their products, a small matrix, are computed there, and the equations of the
/// step are solved on the host.
///
/// **Panics** if there is no parameter, or there are less residuals than parameters ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let found = gpu::optimize::least_squares(|p| [10.0 * (p[1] - p[0] * p[0]), 1.0 - p[0]], &[-1.2, 1.0]);
/// assert!(found.success && (found.x[1] - 1.0).abs() < 1e-8);
/// ```
#[track_caller]
pub fn least_squares<P: Parameters, R: Residuals>(fun: impl FnMut(&P) -> R, x0: &P) -> LeastSquaresResult<P, R> {
    least_squares_with(fun, x0, 1e-8, 1e-8, 1e-8, None)
}

/// As [`least_squares`](fn@least_squares), with SciPy's other arguments.
#[track_caller]
pub fn least_squares_with<P: Parameters, R: Residuals>(
    mut fun: impl FnMut(&P) -> R,
    x0: &P,
    ftol: impl IntoFloat,
    xtol: impl IntoFloat,
    gtol: impl IntoFloat,
    max_nfev: impl Into<Option<usize>>,
) -> LeastSquaresResult<P, R> {
    let ftol = ftol.into_float();
    let xtol = xtol.into_float();
    let gtol = gtol.into_float();
    let mut residuals = |p: &[f64]| Ok(fun(&P::of(&Vector::Host(p.to_vec()))).vector());
    let limits = Limits { ftol, xtol, gtol, calls: max_nfev.into().unwrap_or(100 * x0.as_ref().len().max(1)) };
    let found = check(marquardt("least_squares", &mut residuals, x0.as_ref(), limits));
    LeastSquaresResult {
        x: P::of(&Vector::Host(found.x)),
        cost: 0.5 * found.squares,
        fun: R::of(&found.residuals),
        success: found.status > 0,
        status: found.status,
        message: found.message.to_string(),
        nit: found.nit,
        nfev: found.nfev,
        optimality: found.optimality,
    }
}

/// The parameters with which a function fits data best, and their covariance, a matrix. The function gets `xdata`, which can be anything,
/// and the parameters, and gives an array like `ydata`. SciPy's `curve_fit`: `gpu::optimize::curve_fit!(|x, p| …, &x, &y, &p0, sigma =
/// &errors, absolute_sigma = true)` has these of its keywords; `sigma` has the errors of the data. See [`least_squares`](fn@least_squares)
/// for the method. The square roots of the covariance's diagonal are the standard errors of the parameters.
///
/// **Panics** if the shapes differ ([`Error::InvalidShape`]), there are less data than parameters, or it does not converge
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::linspace(0.0, 4.0, 50);
/// let y = (&x * -1.3).exp() * 2.5 + 0.5;
/// let (p, cov) = gpu::optimize::curve_fit(|x, p| (x * -p[1]).exp() * p[0] + p[2], &x, &y, &[1.0, 1.0, 1.0]);
/// assert!((p[0] - 2.5).abs() < 1e-6 && (p[1] - 1.3).abs() < 1e-6 && (p[2] - 0.5).abs() < 1e-6);
/// let errors = gpu::diagonal(&cov).sqrt();
/// assert!(errors.max() < 1e-6);
/// ```
#[track_caller]
pub fn curve_fit<X, Y: OnDevice<Elem = T>, T: Number, P: Parameters>(
    mut f: impl FnMut(&X, &P) -> DeviceArray<f64>,
    xdata: &X,
    ydata: &Y,
    p0: &P,
) -> (P, DeviceArray<f64>) {
    let mut model = |p: &[f64]| f(xdata, &P::of(&Vector::Host(p.to_vec())));
    let (x, covariance) = check(fitted(&mut model, ydata.raw(), p0.as_ref(), None, false));
    (P::of(&Vector::Host(x)), covariance)
}

/// As [`curve_fit`](fn@curve_fit), with the errors of the data; if `absolute_sigma` they are not scaled by the residuals.
#[track_caller]
pub fn curve_fit_with<X, Y: OnDevice<Elem = T>, T: Number, P: Parameters>(
    mut f: impl FnMut(&X, &P) -> DeviceArray<f64>,
    xdata: &X,
    ydata: &Y,
    p0: &P,
    sigma: &DeviceArray<f64>,
    absolute_sigma: bool,
) -> (P, DeviceArray<f64>) {
    let mut model = |p: &[f64]| f(xdata, &P::of(&Vector::Host(p.to_vec())));
    let (x, covariance) = check(fitted(&mut model, ydata.raw(), p0.as_ref(), Some(sigma), absolute_sigma));
    (P::of(&Vector::Host(x)), covariance)
}

fn fitted(
    model: &mut dyn FnMut(&[f64]) -> DeviceArray<f64>,
    data: &crate::array::RawArray,
    p0: &[f64],
    sigma: Option<&DeviceArray<f64>>,
    absolute: bool,
) -> Result<(Vec<f64>, DeviceArray<f64>)> {
    const NAME: &str = "curve_fit";
    let data = DeviceArray::<f64>::from_raw(data.converted(NAME, crate::DType::F64)?);
    if let Some(sigma) = sigma {
        data.raw.same_device(NAME, &sigma.raw)?;
        if sigma.shape() != data.shape() {
            let reason = format!("of `sigma` is not that of the data, {:?}", data.shape());
            return Err(Error::shape(NAME, sigma.shape(), reason));
        }
    }
    let mut residuals = |p: &[f64]| {
        let values = model(p);
        if values.shape() != data.shape() {
            let reason = format!("of what the function gives is not that of the data, {:?}", data.shape());
            return Err(Error::shape(NAME, values.shape(), reason));
        }
        data.raw.same_device(NAME, &values.raw)?;
        let distances = &values - &data;
        Ok(Vector::Device(match sigma {
            Some(sigma) => &distances / sigma,
            None => distances,
        }))
    };
    let tolerance = 1.49012e-8;
    let limits = Limits { ftol: tolerance, xtol: tolerance, gtol: 0.0, calls: 200 * (p0.len() + 1) };
    let found = marquardt(NAME, &mut residuals, p0, limits)?;
    if found.status <= 0 {
        let reason =
            format!("no best parameters after {} calls: {}; give other ones to begin from", found.nfev, found.message);
        return Err(Error::argument(NAME, reason));
    }
    let n = p0.len();
    let (gram, _) = Vector::gram(&jacobian(&mut residuals, &found.x)?, &found.residuals)?;
    let count = data.size();
    let scale = if absolute {
        1.0
    } else if count > n {
        found.squares / (count - n) as f64
    } else {
        f64::INFINITY
    };
    // What the data do not determine has an infinite covariance.
    let unit = |column: usize| (0..n).map(|row| if row == column { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let columns: Option<Vec<Vec<f64>>> = (0..n).map(|column| solve(gram.clone(), unit(column))).collect();
    let covariance = match columns {
        Some(columns) if scale.is_finite() => columns.concat().iter().map(|value| value * scale).collect(),
        _ => vec![f64::INFINITY; n * n],
    };
    let covariance = of_values(covariance)?;
    Ok((found.x, DeviceArray::from_raw(covariance.raw.with_layout(Layout::contiguous(&[n, n])))))
}

struct Limits {
    ftol: f64,
    xtol: f64,
    gtol: f64,
    calls: usize,
}

struct Found {
    x: Vec<f64>,
    residuals: Vector,
    squares: f64,
    status: i32,
    message: &'static str,
    nit: usize,
    nfev: usize,
    optimality: f64,
}

type Model<'a> = &'a mut dyn FnMut(&[f64]) -> Result<Vector>;

/// The derivatives of the residuals by each parameter, as central differences.
fn jacobian(residuals: Model<'_>, x: &[f64]) -> Result<Vec<Vector>> {
    (0..x.len())
        .map(|at| {
            let step = f64::EPSILON.cbrt() * if x[at] == 0.0 { 1.0 } else { x[at].abs() };
            let mut moved = x.to_vec();
            moved[at] = x[at] + step;
            let above = residuals(&moved)?;
            let high = moved[at];
            moved[at] = x[at] - step;
            let below = residuals(&moved)?;
            Ok(above.plus(-1.0, &below).times(1.0 / (high - moved[at])))
        })
        .collect()
}

fn marquardt(operation: &'static str, residuals: Model<'_>, x0: &[f64], limits: Limits) -> Result<Found> {
    let n = x0.len();
    let mut x = x0.to_vec();
    let mut now = residuals(&x)?;
    let mut nfev = 1;
    if n == 0 || now.len() < n {
        let reason = format!("there are {} residuals for {n} parameters; give as many, at least 1", now.len());
        return Err(Error::argument(operation, reason));
    }
    let mut squares = now.dot(&now);
    if !squares.is_finite() {
        return Err(Error::argument(operation, "the residuals at the beginning are not finite; begin elsewhere"));
    }
    let (mut gram, mut gradient) = Vector::gram(&jacobian(residuals, &x)?, &now)?;
    let mut damping = 1e-3;
    let mut growth = 2.0;
    let mut nit = 0;
    let mut scale = vec![0.0f64; n];
    let largest = |gradient: &[f64]| gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
    let (status, message) = loop {
        if squares == 0.0 || largest(&gradient) <= limits.gtol {
            break (1, "the gradient is not above `gtol`");
        }
        if nfev >= limits.calls {
            break (0, "the maximum number of function evaluations has been reached");
        }
        for (at, scale) in scale.iter_mut().enumerate() {
            *scale = scale.max(gram[at * n + at]);
        }
        let mut damped = gram.clone();
        (0..n).for_each(|at| damped[at * n + at] += damping * if scale[at] > 0.0 { scale[at] } else { 1.0 });
        let step = solve(damped, gradient.iter().map(|g| -g).collect());
        nit += 1;
        let Some(step) = step.filter(|step| step.iter().all(|p| p.is_finite())) else {
            damping *= growth;
            growth *= 2.0;
            if damping > 1e30 {
                break (0, "the equations of the step are singular");
            }
            continue;
        };
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let is_short = norm(&step) <= limits.xtol * (limits.xtol + norm(&x));
        let next: Vec<f64> = x.iter().zip(&step).map(|(x, p)| x + p).collect();
        let then = residuals(&next)?;
        nfev += 1;
        let squares_then = then.dot(&then);
        // What the linear model promises: twice the reduction of the half squares.
        let promised: f64 = (0..n)
            .map(|at| step[at] * (damping * if scale[at] > 0.0 { scale[at] } else { 1.0 } * step[at] - gradient[at]))
            .sum();
        let actual = squares - squares_then;
        if squares_then.is_finite() && actual > 0.0 {
            let ratio = actual / promised.max(f64::MIN_POSITIVE);
            let is_small = actual <= limits.ftol * squares && promised <= 2.0 * limits.ftol * squares;
            (x, now, squares) = (next, then, squares_then);
            (gram, gradient) = Vector::gram(&jacobian(residuals, &x)?, &now)?;
            if is_small {
                break (2, "the relative reduction of the cost is not above `ftol`");
            }
            damping *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
        } else {
            // At the bottom rounding is all that changes.
            if promised <= f64::EPSILON * squares {
                break (2, "the relative reduction of the cost is not above `ftol`");
            }
            damping *= growth;
            growth *= 2.0;
        }
        if is_short {
            break (3, "the relative change of the parameters is not above `xtol`");
        }
    };
    Ok(Found { x, residuals: now, squares, status, message, nit, nfev, optimality: largest(&gradient) })
}
