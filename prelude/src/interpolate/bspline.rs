//! Splines by their knots and coefficients.

use super::arguments::sealed::Bounds;
use super::arguments::{BoundaryValues, Form, Values, check_finite, numbers, on_device, places};
use super::banded::Banded;
use super::pieces::{Outside, is_pieces};
use super::{Boundaries, Extrapolate, Extrapolation, PPoly};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::device::Handle;
use crate::dtype::Number;
use crate::error::{Error, Result, check};
use crate::fallible::fallible;

/// A spline of the degree `k` by its knots `t` and its coefficients `c`, SciPy's `BSpline`. It is evaluated as the polynomial by pieces
/// that it is, and has the methods of [`PPoly`]; derivatives and antiderivatives are splines again.
///
/// ```
/// use warpcell as gpu;
/// use gpu::interpolate::BSpline;
/// // The hat function.
/// let hat = BSpline::new(&gpu::array(&[0.0, 0.0, 1.0, 2.0, 2.0]), &gpu::array(&[0.0, 1.0, 0.0]), 1);
/// assert_eq!(hat.eval(&gpu::array(&[0.5, 1.0, 1.5])).tolist(), [0.5, 1.0, 0.5]);
/// assert_eq!(hat.derivative(1).eval(&gpu::array(&[0.5, 1.5])).tolist(), [1.0, -1.0]);
/// assert_eq!(hat.integrate(0.0, 2.0).item(), 1.0);
/// ```
#[derive(Clone)]
pub struct BSpline(PPoly, Spline);

is_pieces!(BSpline);

/// Knots, coefficients `count × columns`, and the degree.
#[derive(Clone)]
struct Spline {
    t: Vec<f64>,
    c: Vec<f64>,
    k: usize,
}

impl BSpline {
    /// The spline with the knots `t`, the coefficients `c` and the degree `k`. There are `k + 1` knots more than coefficients; of more
    /// coefficients the last ones do not count. Beyond the knots it goes on. Both are copied to the host, which waits.
    ///
    /// **Panics** if there are less than `k + 1` coefficients, or the shapes do not fit ([`Error::InvalidShape`]), or if the knots
    /// descend or are not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<K: OnDevice<Elem: Number>, C: OnDevice<Elem: Number>>(t: &K, c: &C, k: usize) -> BSpline {
        BSpline::with(t, c, k, true, 0)
    }

    /// As [`new`](Self::new), with SciPy's other arguments.
    #[track_caller]
    pub fn with<K: OnDevice<Elem: Number>, C: OnDevice<Elem: Number>>(
        t: &K,
        c: &C,
        k: usize,
        extrapolate: impl Extrapolation,
        axis: isize,
    ) -> BSpline {
        const NAME: &str = "BSpline";
        let made = || {
            let outside = extrapolate.extrapolate(NAME)?.into();
            t.raw().same_device(NAME, c.raw())?;
            let (t, raw) = (t.raw(), c.raw());
            if t.shape().len() != 1 || t.size() < 2 * k + 2 {
                let reason = format!("of `t` is not that of knots for the degree {k}; give {} or more", 2 * k + 2);
                return Err(Error::shape(NAME, t.shape(), reason));
            }
            let knots = numbers(NAME, t)?;
            check_finite(NAME, "t", &knots)?;
            if let Some(at) = (1..knots.len()).find(|&at| knots[at] < knots[at - 1]) {
                let reason = format!("`t` descends: {} at {at} follows {}; sort the knots", knots[at], knots[at - 1]);
                return Err(Error::argument(NAME, reason));
            }
            let count = knots.len() - k - 1;
            if knots[k] == knots[count] {
                return Err(Error::argument(NAME, format!("`t` has no interval: the knots {k} to {count} are equal")));
            }
            let axis = crate::array::axes::axis_of(NAME, raw.shape(), axis)?;
            if raw.shape()[axis] < count {
                let reason =
                    format!("of `c` has less than {count} coefficients for {} knots of the degree {k}", knots.len());
                return Err(Error::shape(NAME, raw.shape(), reason));
            }
            let mut values = Values::new(NAME, "c", raw, raw.shape()[axis], axis as isize)?;
            values.data.truncate(count * values.columns);
            BSpline::of(NAME, &raw.handle, Spline { t: knots, c: values.data, k }, values.form, outside)
        };
        check(made())
    }

    fn of(operation: &'static str, handle: &Handle, spline: Spline, form: Form, outside: Outside) -> Result<BSpline> {
        let (breaks, table) = spline.pieces(form.columns());
        Ok(BSpline(PPoly::of(operation, handle, breaks, table, form, outside)?, spline))
    }

    /// The knots.
    pub fn t(&self) -> DeviceArray<f64> {
        check(on_device("BSpline", self.handle(), &self.1.t, &[self.1.t.len()]))
    }

    /// The coefficients: a row for each, and the shape of the values.
    pub fn c(&self) -> DeviceArray<f64> {
        let count = self.1.t.len() - self.1.k - 1;
        let shape = [&[count], &self.0.form.rest[..]].concat();
        check(on_device("BSpline", self.handle(), &self.1.c, &shape))
    }

    /// The degree.
    pub fn k(&self) -> usize {
        self.1.k
    }

    fn changed(&self, operation: &'static str, spline: Spline, outside: Outside) -> Result<BSpline> {
        BSpline::of(operation, self.handle(), spline, self.0.form.clone(), outside)
    }

    fn derived(&self, operation: &'static str, nu: usize) -> Result<BSpline> {
        if nu > self.1.k {
            let reason = format!(
                "the derivative {nu} of a spline of the degree {} is no spline; give at most {}",
                self.1.k, self.1.k
            );
            return Err(Error::argument(operation, reason));
        }
        let columns = self.0.form.columns();
        let spline = (0..nu).fold(self.1.clone(), |spline, _| spline.derivative(columns));
        self.changed(operation, spline, self.0.outside)
    }

    fn integrated(&self, operation: &'static str, nu: usize) -> Result<BSpline> {
        let columns = self.0.form.columns();
        let spline = (0..nu).fold(self.1.clone(), |spline, _| spline.antiderivative(columns));
        let is_periodic = self.0.outside == Outside::Periodic && nu > 0;
        self.changed(operation, spline, if is_periodic { Extrapolate::No.into() } else { self.0.outside })
    }

    fallible! {
        /// The derivative `nu`, a spline of the degree `k - nu`.
        ///
        /// **Panics** if `nu` is greater than the degree ([`Error::InvalidArgument`]).
        pub fn derivative, try_derivative(&self, nu: usize) -> Result<BSpline> {
            self.derived("derivative", nu)
        }

        /// The function whose derivative `nu` this is, a spline of the degree `k + nu` that is 0 at the first knot.
        pub fn antiderivative, try_antiderivative(&self, nu: usize) -> Result<BSpline> {
            self.integrated("antiderivative", nu)
        }
    }
}

/// The derivative `n` of a spline; SciPy's `splder`.
///
/// **Panics** if `n` is greater than the degree ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(6.0);
/// let s = gpu::interpolate::make_interp_spline(&x, &(&x * &x), 3);
/// assert!(gpu::allclose(&gpu::interpolate::splder(&s, 1).eval(&gpu::array(&[2.5])), &[5.0]));
/// ```
#[track_caller]
pub fn splder(spline: &BSpline, n: usize) -> BSpline {
    check(spline.derived("splder", n))
}

/// The function whose derivative `n` a spline is; SciPy's `splantider`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(6.0);
/// let s = gpu::interpolate::make_interp_spline(&x, &(&x * 2.0), 3);
/// assert!(gpu::allclose(&gpu::interpolate::splantider(&s, 1).eval(&gpu::array(&[2.5])), &[6.25]));
/// ```
#[track_caller]
pub fn splantider(spline: &BSpline, n: usize) -> BSpline {
    check(spline.integrated("splantider", n))
}

impl Spline {
    fn count(&self) -> usize {
        self.t.len() - self.k - 1
    }

    fn derivative(&self, columns: usize) -> Spline {
        let (t, c, k) = (&self.t, &self.c, self.k);
        let of = |at: usize, column: usize| {
            let length = t[at + k + 1] - t[at + 1];
            let step = c[(at + 1) * columns + column] - c[at * columns + column];
            if length > 0.0 { k as f64 * step / length } else { 0.0 }
        };
        let c = (0..self.count() - 1).flat_map(|at| (0..columns).map(move |column| (at, column)));
        Spline { c: c.map(|(at, column)| of(at, column)).collect(), t: t[1..t.len() - 1].to_vec(), k: k - 1 }
    }

    fn antiderivative(&self, columns: usize) -> Spline {
        let (t, k) = (&self.t, self.k);
        let mut c = vec![0.0; columns];
        for at in 0..self.count() {
            for column in 0..columns {
                let before = c[at * columns + column];
                c.push(before + self.c[at * columns + column] * (t[at + k + 1] - t[at]) / (k + 1) as f64);
            }
        }
        let t = [&t[..1], t, &t[t.len() - 1..]].concat();
        Spline { t, c, k: k + 1 }
    }

    /// The breaks and the coefficients of powers: the derivatives at the start of each interval, by de Boor's recurrence for the
    /// derivatives of the spline, each of which is a spline.
    fn pieces(&self, columns: usize) -> (Vec<f64>, Vec<f64>) {
        let (k, count) = (self.k, self.count());
        // Of steps the last one may have no length: it is the value at the end.
        let intervals: Vec<usize> =
            (k..count).filter(|&at| self.t[at] < self.t[at + 1] || k == 0 && at + 1 == count).collect();
        let mut breaks: Vec<f64> = intervals.iter().map(|&at| self.t[at]).collect();
        breaks.push(self.t[count]);
        let order = k + 1;
        let mut table = vec![0.0; intervals.len() * columns * order];
        let mut spline = self.clone();
        let mut factorial = 1.0;
        for nu in 0..=k {
            if nu > 0 {
                spline = spline.derivative(columns);
                factorial *= nu as f64;
            }
            let mut points = vec![0.0; spline.k + 1];
            for (piece, &at) in intervals.iter().enumerate() {
                for column in 0..columns {
                    // Its knots begin `nu` later.
                    let value = spline.value(self.t[at], at - nu, column, columns, &mut points);
                    table[(piece * columns + column) * order + k - nu] = value / factorial;
                }
            }
        }
        (breaks, table)
    }

    /// The value at a place of the interval that begins at the knot `interval`, by way of `k + 1` numbers.
    fn value(&self, x: f64, interval: usize, column: usize, columns: usize, d: &mut [f64]) -> f64 {
        let (t, k) = (&self.t, self.k);
        for (j, d) in d.iter_mut().enumerate() {
            *d = self.c[(interval - k + j) * columns + column];
        }
        for r in 1..=k {
            for j in (r..=k).rev() {
                let low = t[interval - k + j];
                let high = t[interval + 1 + j - r];
                let share = (x - low) / (high - low);
                d[j] = (1.0 - share) * d[j - 1] + share * d[j];
            }
        }
        d[k]
    }
}

/// Writes the derivative `nu` at `x` of the `k + 1` basis functions that are not 0 in the interval that begins at the knot `interval`.
fn basis(t: &[f64], k: usize, x: f64, interval: usize, nu: usize, values: &mut Vec<f64>) {
    // Those of the degree `k - nu` by Cox and de Boor's recurrence, then one derivative more with each degree.
    values.clear();
    values.push(1.0);
    for degree in 1..=k {
        let mut carried = 0.0;
        for (j, value) in values.iter_mut().enumerate() {
            // The function whose support begins at this knot.
            let low = t[interval + 1 + j - degree];
            let high = t[interval + 1 + j];
            let length = high - low;
            let (own, next) = if degree + nu > k {
                let step = degree as f64 * *value / length;
                (-step, step)
            } else {
                (*value * (high - x) / length, *value * (x - low) / length)
            };
            *value = carried + own;
            carried = next;
        }
        values.push(carried);
    }
}

/// The interval of the knots in which a place lies; the last one has its end.
fn interval_of(t: &[f64], k: usize, x: f64) -> usize {
    let count = t.len() - k - 1;
    let at = t[k + 1..count].partition_point(|&knot| knot <= x) + k;
    // An interval that has a length.
    (k..=at).rev().find(|&at| t[at] < t[at + 1]).unwrap_or(at)
}

/// The spline of the degree `k` through the points `(x, y)`, which are along the first axis of `y`. SciPy's `make_interp_spline`:
/// `gpu::interpolate::make_interp_spline!(&x, &y, k = 5, bc_type = "natural", axis = 1)` has its keywords, but `t`. Both are copied to
/// the host, which waits; there the equations of the coefficients, a band as wide as the degree, are solved: de Boor, "A Practical
/// Guide to Splines" (1978), chapter XIII.
///
/// **Panics** if `x` is not 1-D with `k + 1` points at least, or the shape of `y` does not fit ([`Error::InvalidShape`]), or if `x` is
/// not increasing, a number is not finite, or `bc_type` has too few derivatives or too many ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(8.0);
/// let s = gpu::interpolate::make_interp_spline(&x, &(&x * &x * &x), 3);
/// assert!(gpu::allclose(&s.eval(&gpu::array(&[0.5, 6.5])), &[0.125, 274.625]));
/// ```
#[track_caller]
pub fn make_interp_spline<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(x: &X, y: &Y, k: usize) -> BSpline {
    make_interp_spline_with(x, y, k, "not-a-knot", 0)
}

/// As [`make_interp_spline`](fn@make_interp_spline), with SciPy's other arguments.
#[track_caller]
pub fn make_interp_spline_with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
    x: &X,
    y: &Y,
    k: usize,
    bc_type: impl Boundaries,
    axis: isize,
) -> BSpline {
    check(interpolating("make_interp_spline", x.raw(), y.raw(), k, &bc_type, axis))
}

pub(super) fn interpolating(
    operation: &'static str,
    x: &RawArray,
    y: &RawArray,
    k: usize,
    bounds: &dyn Bounds,
    axis: isize,
) -> Result<BSpline> {
    x.same_device(operation, y)?;
    let ends = bounds.bounds(operation)?;
    let at = places(operation, "x", x, 2)?;
    let values = Values::new(operation, "y", y, at.len(), axis)?;
    let spline = through(operation, &at, &values, k, ends)?;
    BSpline::of(operation, &y.handle, spline, values.form, Outside::Extrapolated)
}

fn through(operation: &'static str, x: &[f64], values: &Values, k: usize, ends: [BoundaryValues; 2]) -> Result<Spline> {
    let (count, columns) = (x.len(), values.columns);
    let (first, last) = (x[0], x[count - 1]);
    let derivative = |end: BoundaryValues| match end {
        BoundaryValues::Derivative(order, value) => Some((order, value)),
        _ => None,
    };
    if ends.contains(&BoundaryValues::Periodic) {
        let reason =
            "`bc_type` is \"periodic\"; for a periodic cubic spline use `CubicSpline!(…, bc_type = \"periodic\")`";
        return Err(Error::argument(operation, reason));
    }
    let given: Vec<Option<(usize, f64)>> = ends.iter().map(|&end| derivative(end)).collect();
    if let Some((order, _)) = given.iter().flatten().find(|(order, _)| *order > k) {
        let reason = format!("`bc_type` has the derivative {order} of a spline of the degree {k}; give at most {k}");
        return Err(Error::argument(operation, reason));
    }
    let conditions = given.iter().flatten().count();
    if count + conditions < k + 1 {
        let reason = format!("of {count} points is too small for a spline of the degree {k}; give {} or more", k + 1);
        return Err(Error::shape(operation, vec![count], reason));
    }
    // As many knots as there are conditions and k + 1 more.
    let repeated = |x: f64, times: usize| vec![x; times];
    let t = match (conditions, k) {
        (0, 0) => [x, &[last]].concat(),
        (0, _) if k % 2 == 1 => {
            let half = k.div_ceil(2);
            let inner = if count > 2 * half { &x[half..count - half] } else { &[] };
            [&repeated(first, k + 1), inner, &repeated(last, k + 1)].concat()
        }
        (0, _) => {
            let half = k / 2;
            let middles: Vec<f64> = x.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
            let inner = if middles.len() > 2 * half { &middles[half..middles.len() - half] } else { &[] };
            [&repeated(first, k + 1), inner, &repeated(last, k + 1)].concat()
        }
        _ => [&repeated(first, k), x, &repeated(last, k)].concat(),
    };
    let size = t.len() - k - 1;
    if size != count + conditions {
        let reason = format!(
            "`bc_type` has {conditions} conditions, and a spline of the degree {k} through all points needs {}",
            size - count
        );
        return Err(Error::argument(operation, reason));
    }
    if k == 0 {
        return Ok(Spline { t, c: values.data.clone(), k });
    }
    let mut matrix = Banded::new(size, k, k);
    let mut right = vec![0.0; size * columns];
    let mut row = 0;
    let mut functions = Vec::with_capacity(k + 1);
    let mut condition = |matrix: &mut Banded, at: f64, nu: usize, of: &dyn Fn(usize) -> f64| -> Result<()> {
        let interval = interval_of(&t, k, at);
        basis(&t, k, at, interval, nu, &mut functions);
        for (j, &value) in functions.iter().enumerate() {
            let column = interval - k + j;
            if value != 0.0 {
                if column + k < row || column > row + k {
                    return Err(Error::argument(
                        operation,
                        "the points do not determine the spline; give other points",
                    ));
                }
                matrix.set(row, column, value);
            }
        }
        for column in 0..columns {
            right[row * columns + column] = of(column);
        }
        row += 1;
        Ok(())
    };
    if let Some((order, value)) = given[0] {
        condition(&mut matrix, first, order, &|_| value)?;
    }
    for (at, &place) in x.iter().enumerate() {
        condition(&mut matrix, place, 0, &|column| values.data[at * columns + column])?;
    }
    if let Some((order, value)) = given[1] {
        condition(&mut matrix, last, order, &|_| value)?;
    }
    matrix.solve(operation, &mut right, columns)?;
    Ok(Spline { t, c: right, k })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basis_functions_sum_to_one_and_their_derivatives_to_zero() {
        let t = [0.0, 0.0, 0.0, 0.0, 1.0, 1.5, 4.0, 4.0, 4.0, 4.0];
        for x in [0.0, 0.3, 1.2, 3.9, 4.0] {
            let interval = interval_of(&t, 3, x);
            for (nu, wanted) in [1.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
                let mut values = Vec::new();
                basis(&t, 3, x, interval, nu, &mut values);
                let sum: f64 = values.iter().sum();
                assert!((sum - wanted).abs() < 1e-12, "{x} {nu}: {sum}");
            }
        }
    }
}
