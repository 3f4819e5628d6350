//! Polynomials by pieces.

use super::arguments::{Form, THREADS, check_finite, flat_points, numbers, on_device, places};
use super::bspline::BSpline;
use super::kernels::evaluate_pieces;
use super::{Extrapolate, Extrapolation};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::Layout;
use crate::backend::loops::Loops;
use crate::device::Handle;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::floats::IntoFloat;
use crate::launch::try_launch_unchecked;
use std::fmt;

/// A polynomial by pieces, SciPy's `PPoly`: between the breaks `x[i]` and `x[i + 1]` it is the sum over `k` of
/// `c[k, i] * (x - x[i]).powi(order - 1 - k)`. Splines are such polynomials, and have its methods.
///
/// ```
/// use warpcell as gpu;
/// use gpu::interpolate::PPoly;
/// // x² from 0 to 1, then 1 + 2 (x - 1).
/// let p = PPoly::new(&gpu::array(&[[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]]), &gpu::array(&[0.0, 1.0, 2.0]));
/// assert_eq!(p.eval(&gpu::array(&[0.5, 1.5])).tolist(), [0.25, 2.0]);
/// assert_eq!(p.derivative(1).eval(&gpu::array(&[0.5, 1.5])).tolist(), [1.0, 2.0]);
/// assert!((p.integrate(0.0, 2.0).item() - (1.0 / 3.0 + 2.0)).abs() < 1e-14);
/// ```
#[derive(Clone)]
pub struct PPoly {
    pub(super) breaks: Vec<f64>,
    /// `pieces × columns × order`: what is evaluated at one point stands together.
    pub(super) table: Vec<f64>,
    pub(super) order: usize,
    pub(super) form: Form,
    pub(super) outside: Outside,
    on_device: [DeviceArray<f64>; 2],
    /// Pieces by length, if all are of one length, else 0.
    scale: f64,
}

/// What a function gives outside of its breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outside {
    Numbers(f64, f64),
    Extrapolated,
    Periodic,
    /// The last piece goes on above, and below it is NaN.
    Above,
    /// The first piece goes on below, and above it is NaN.
    Below,
}

impl From<Extrapolate> for Outside {
    fn from(extrapolate: Extrapolate) -> Outside {
        match extrapolate {
            Extrapolate::No => Outside::Numbers(f64::NAN, f64::NAN),
            Extrapolate::Yes => Outside::Extrapolated,
            Extrapolate::Periodic => Outside::Periodic,
        }
    }
}

/// Pieces by length, if all are of one length but for rounding, else 0.
fn scale_of(breaks: &[f64]) -> f64 {
    let pieces = (breaks.len() - 1) as f64;
    let scale = pieces / (breaks[breaks.len() - 1] - breaks[0]);
    let is_near = |(at, x): (usize, &f64)| ((x - breaks[0]) * scale - at as f64).abs() < 0.01;
    if scale.is_finite() && scale > 0.0 && breaks.iter().enumerate().all(is_near) { scale } else { 0.0 }
}

impl fmt::Debug for PPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.breaks[0], self.breaks[self.breaks.len() - 1]);
        write!(f, "PPoly({} pieces of degree {} from {first} to {last}", self.pieces(), self.order - 1)?;
        if !self.form.rest.is_empty() {
            write!(f, ", values of shape {:?}", self.form.rest)?;
        }
        match self.outside {
            Outside::Numbers(below, above) if below.is_nan() && above.is_nan() => write!(f, ", outside NaN)"),
            Outside::Numbers(below, above) => write!(f, ", outside {below} and {above})"),
            Outside::Extrapolated => write!(f, ", extrapolated)"),
            Outside::Periodic => write!(f, ", periodic)"),
            Outside::Above => write!(f, ", extrapolated above)"),
            Outside::Below => write!(f, ", extrapolated below)"),
        }
    }
}

impl PPoly {
    pub(super) fn of(
        operation: &'static str,
        handle: &Handle,
        breaks: Vec<f64>,
        table: Vec<f64>,
        form: Form,
        outside: Outside,
    ) -> Result<PPoly> {
        let (pieces, columns) = (breaks.len() - 1, form.columns());
        let order = table.len().checked_div(pieces * columns).unwrap_or(1).max(1);
        let on_device = [
            on_device(operation, handle, &breaks, &[breaks.len()])?,
            on_device(operation, handle, &table, &[pieces, columns, order])?,
        ];
        let scale = scale_of(&breaks);
        Ok(PPoly { breaks, table, order, form, outside, on_device, scale })
    }

    /// The same pieces with other coefficients.
    fn with_table(&self, operation: &'static str, table: Vec<f64>, outside: Outside) -> Result<PPoly> {
        PPoly::of(operation, self.handle(), self.breaks.clone(), table, self.form.clone(), outside)
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.on_device[0].raw.handle
    }

    pub(super) fn pieces(&self) -> usize {
        self.breaks.len() - 1
    }

    fn columns(&self) -> usize {
        self.form.columns()
    }

    /// The values, or those of a derivative, as floats of `dtype`.
    pub(super) fn evaluated(
        &self,
        operation: &'static str,
        x: &RawArray,
        nu: usize,
        outside: Outside,
        dtype: DType,
    ) -> Result<RawArray> {
        self.on_device[0].raw.same_device(operation, x)?;
        let points = flat_points(operation, x)?;
        let out = RawArray::uninitialised(operation, &x.handle, &[points.size(), self.columns()], DType::F64)?;
        let mut out = DeviceArray::<f64>::from_raw(out);
        if out.size() > 0 {
            let (mode, below, above) = match outside {
                Outside::Numbers(below, above) => (0, below, above),
                Outside::Extrapolated => (1, 0.0, 0.0),
                Outside::Periodic => (2, 0.0, 0.0),
                Outside::Above => (3, f64::NAN, f64::NAN),
                Outside::Below => (4, f64::NAN, f64::NAN),
            };
            let [breaks, table] = &self.on_device;
            let loops = Loops::Pieces {
                points: points.raw.view(),
                breaks: breaks.raw.view(),
                table: table.raw.view(),
                scale: self.scale,
                mode,
                below,
                above,
                derivative: nu,
                out: out.raw.view(),
            };
            if x.handle.backend.by_loops(loops)? {
                return self.form.shaped(&out.raw, x.shape()).in_type(operation, dtype);
            }
            let blocks = points.size().div_ceil(8 * THREADS);
            let arguments = (&points, breaks, table, self.scale, mode, below, above, nu as u64, &mut out);
            // SAFETY: a thread writes the results of one point.
            unsafe { try_launch_unchecked(evaluate_pieces, blocks, THREADS, arguments)? };
        }
        self.form.shaped(&out.raw, x.shape()).in_type(operation, dtype)
    }

    /// The value in a column, on the host; `x` may lie outside.
    fn value(&self, x: f64, column: usize) -> f64 {
        let piece = self.breaks[1..self.pieces()].partition_point(|&at| at <= x);
        let start = (piece * self.columns() + column) * self.order;
        let distance = x - self.breaks[piece];
        self.table[start..start + self.order].iter().fold(0.0, |sum, c| sum * distance + c)
    }

    fn derived(&self, operation: &'static str, nu: usize) -> Result<PPoly> {
        let kept = self.order.saturating_sub(nu);
        let coefficients = self.table.chunks(self.order).flat_map(|c| {
            let factor = |at: usize| (0..nu).map(|less| (self.order - 1 - at - less) as f64).product::<f64>();
            let zero = (kept == 0).then_some(0.0);
            c[..kept].iter().enumerate().map(move |(at, c)| c * factor(at)).chain(zero).collect::<Vec<_>>()
        });
        self.with_table(operation, coefficients.collect(), self.outside)
    }

    fn integrated(&self, operation: &'static str) -> Result<PPoly> {
        let (order, columns) = (self.order, self.columns());
        let mut table = Vec::with_capacity(self.table.len() / order * (order + 1));
        let mut sums = vec![0.0; columns];
        for (piece, rows) in self.table.chunks(order * columns).enumerate() {
            let length = self.breaks[piece + 1] - self.breaks[piece];
            for (c, sum) in rows.chunks(order).zip(&mut sums) {
                let start = table.len();
                table.extend(c.iter().enumerate().map(|(at, c)| c / (order - at) as f64));
                table.push(*sum);
                *sum = table[start..].iter().fold(0.0, |sum, c| sum * length + c);
            }
        }
        let outside = if self.outside == Outside::Periodic { Extrapolate::No.into() } else { self.outside };
        self.with_table(operation, table, outside)
    }

    fn integral(&self, operation: &'static str, a: f64, b: f64) -> Result<RawArray> {
        let sum = self.integrated(operation)?;
        let (first, last) = (self.breaks[0], self.breaks[self.pieces()]);
        let (low, high, sign) = if b < a { (b, a, -1.0) } else { (a, b, 1.0) };
        let between = |column: usize, low: f64, high: f64| sum.value(high, column) - sum.value(low, column);
        let of_column = |column: usize| match self.outside {
            Outside::Numbers(..) if low < first || high > last => f64::NAN,
            Outside::Periodic => {
                let period = last - first;
                let whole = ((high - low) / period).floor();
                let rest = high - low - whole * period;
                let start = first + (low - first).rem_euclid(period);
                let end = start + rest;
                let part = if end <= last {
                    between(column, start, end)
                } else {
                    between(column, start, last) + between(column, first, first + rest - (last - start))
                };
                whole * between(column, first, last) + part
            }
            _ => between(column, low, high),
        };
        let values: Vec<f64> = (0..self.columns()).map(|column| sign * of_column(column)).collect();
        Ok((*on_device(operation, self.handle(), &values, &self.form.rest)?.raw).clone())
    }

    fn crossings(&self, operation: &'static str, y: f64) -> Result<DeviceArray<f64>> {
        if !self.form.rest.is_empty() {
            let reason = "of the values of a piece is not that of one number; give a polynomial of one column";
            return Err(Error::shape(operation, self.form.rest.clone(), reason));
        }
        let mut found: Vec<f64> = Vec::new();
        let last = self.pieces() - 1;
        for (piece, c) in self.table.chunks(self.order).enumerate() {
            let mut c = c.to_vec();
            *c.last_mut().expect("a coefficient") -= y;
            let length = self.breaks[piece + 1] - self.breaks[piece];
            // Roots of all the line in the outer pieces, if these go on.
            let goes_on = self.outside == Outside::Extrapolated;
            let low = if piece == 0 && goes_on { f64::NEG_INFINITY } else { -1e-12 * length };
            let high = if piece == last && goes_on { f64::INFINITY } else { length * (1.0 + 1e-12) };
            let mut roots = real_roots(&c);
            roots.retain(|root| (low..=high).contains(root));
            roots.sort_by(f64::total_cmp);
            for root in roots {
                let x = self.breaks[piece] + root;
                // A root at a break is that of both of its pieces.
                let is_new = found.last().is_none_or(|before| x - before > 1e-10 * length.abs().max(1e-300));
                if is_new {
                    found.push(x);
                }
            }
        }
        on_device(operation, self.handle(), &found, &[found.len()])
    }

    /// The breaks: `pieces + 1` places.
    pub fn x(&self) -> DeviceArray<f64> {
        self.on_device[0].clone()
    }

    /// The coefficients, of the highest power first: `order × pieces`, and the shape of the values.
    pub fn c(&self) -> DeviceArray<f64> {
        let table = &self.on_device[1].raw;
        let shape = [&[self.pieces()], &self.form.rest[..], &[self.order]].concat();
        let table = table.with_layout(Layout { offset: table.layout.offset, ..Layout::contiguous(&shape) });
        DeviceArray::from_raw(table.moved(shape.len() - 1, 0))
    }

    fallible! {
        /// The values at points of any shape (`f64` for integers). The axis along which the function was given becomes the axes of the
        /// points. Queues.
        ///
        /// **Panics** if the device differs.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let x = gpu::arange(5.0);
        /// let cs = gpu::interpolate::CubicSpline::new(&x, &(&x * &x));
        /// assert!(gpu::allclose(&cs.eval(&gpu::array(&[1.5, 2.5])), &[2.25, 6.25]));
        /// ```
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, x: &X) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval", x.raw(), 0, self.outside, T::Mean::DTYPE).map(DeviceArray::from_raw)
        }

        /// The values of the derivative `nu` at points, as [`eval`](Self::eval).
        ///
        /// ```
        /// use warpcell as gpu;
        /// let x = gpu::arange(5.0);
        /// let cs = gpu::interpolate::CubicSpline::new(&x, &(&x * &x));
        /// assert!(gpu::allclose(&cs.eval_nu(&gpu::array(&[1.5, 2.5]), 1), &[3.0, 5.0]));
        /// ```
        pub fn eval_nu, try_eval_nu<X: OnDevice<Elem = T>, T: Number>(&self, x: &X, nu: usize) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval_nu", x.raw(), nu, self.outside, T::Mean::DTYPE).map(DeviceArray::from_raw)
        }

        /// As [`eval_nu`](Self::eval_nu), and outside of the breaks as `extrapolate` says: a bool, or "periodic".
        ///
        /// **Panics** if it is another word ([`Error::InvalidArgument`]), or the device differs.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let x = gpu::arange(5.0f64);
        /// let cs = gpu::interpolate::CubicSpline::new(&x, &(&x * &x));
        /// assert!(cs.eval_with(&gpu::array(&[7.0f64]), 0, false).item().is_nan());
        /// ```
        pub fn eval_with, try_eval_with<X: OnDevice<Elem = T>, T: Number, E: Extrapolation>(
            &self,
            x: &X,
            nu: usize,
            extrapolate: E
        ) -> Result<DeviceArray<T::Mean>> {
            let outside = extrapolate.extrapolate("eval_with")?.into();
            self.evaluated("eval_with", x.raw(), nu, outside, T::Mean::DTYPE).map(DeviceArray::from_raw)
        }

        /// The derivative `nu`, a polynomial by pieces.
        pub fn derivative, try_derivative(&self, nu: usize) -> Result<PPoly> {
            self.derived("derivative", nu)
        }

        /// The function whose derivative `nu` this is, and which is 0, with its derivatives below, at the first break.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let x = gpu::arange(5.0);
        /// let cs = gpu::interpolate::CubicSpline::new(&x, &(&x * 2.0));
        /// assert!(gpu::allclose(&cs.antiderivative(1).eval(&x), &(&x * &x)));
        /// ```
        pub fn antiderivative, try_antiderivative(&self, nu: usize) -> Result<PPoly> {
            (0..nu).try_fold(self.clone(), |of, _| of.integrated("antiderivative"))
        }

        /// The integral from `a` to `b`, of the shape of the values; NaN if it goes beyond the breaks and the function does not.
        /// On the host.
        pub fn integrate, try_integrate(&self, a: impl IntoFloat, b: impl IntoFloat) -> Result<DeviceArray<f64>> {
            let a = a.into_float();
            let b = b.into_float();
            self.integral("integrate", a, b).map(DeviceArray::from_raw)
        }

        /// Where the function is 0, in ascending order; also beyond the breaks, if the function goes on. On the host, by the
        /// eigenvalues of companion matrices. Where it is 0 in a whole piece, that piece has no root.
        ///
        /// **Panics** if the values are not single numbers ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use warpcell as gpu;
        /// let x = gpu::arange(5.0);
        /// let cs = gpu::interpolate::CubicSpline::new(&x, &(&x * &x - 2.0));
        /// let wanted = 2f64.sqrt();
        /// assert!(gpu::allclose(&cs.roots(), &[-wanted, wanted]));
        /// ```
        pub fn roots, try_roots(&self) -> Result<DeviceArray<f64>> {
            self.crossings("roots", 0.0)
        }

        /// Where the function is `y`; see [`roots`](Self::roots).
        pub fn solve, try_solve(&self, y: impl IntoFloat) -> Result<DeviceArray<f64>> {
            let y = y.into_float();
            self.crossings("solve", y)
        }
    }

    /// The polynomial with the coefficients `c`, `order × pieces` and perhaps more axes, those of the values, between the breaks `x`.
    /// It goes on beyond them; [`eval_with`](Self::eval_with) says otherwise. Both are copied to the host, which waits.
    ///
    /// **Panics** if the shapes do not fit ([`Error::InvalidShape`]), or the breaks are not increasing ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<C: OnDevice, X: OnDevice>(c: &C, x: &X) -> PPoly {
        check(of_coefficients("PPoly", c.raw(), x.raw(), |c, _| c))
    }

    /// The polynomial of a spline.
    pub fn from_spline(spline: &BSpline) -> PPoly {
        (**spline).clone()
    }
}

/// The polynomial with the coefficients that `change` makes of those of a piece and its length.
fn of_coefficients(
    operation: &'static str,
    c: &RawArray,
    x: &RawArray,
    change: impl Fn(Vec<f64>, f64) -> Vec<f64>,
) -> Result<PPoly> {
    c.same_device(operation, x)?;
    let breaks = places(operation, "x", x, 2)?;
    let shape = c.shape();
    if shape.len() < 2 || shape[0] == 0 || shape[1] + 1 != breaks.len() {
        let reason =
            format!("of `c` does not fit {} breaks; give order × {} coefficients", breaks.len(), breaks.len() - 1);
        return Err(Error::shape(operation, shape, reason));
    }
    let order = shape[0];
    let form = Form { rest: shape[2..].to_vec(), axis: 0 };
    let table = numbers(operation, &c.moved(0, shape.len() - 1))?;
    check_finite(operation, "c", &table)?;
    let columns = form.columns();
    let table = table
        .chunks(order)
        .enumerate()
        .flat_map(|(at, c)| change(c.to_vec(), breaks[at / columns + 1] - breaks[at / columns]))
        .collect();
    PPoly::of(operation, &c.handle, breaks, table, form, Outside::Extrapolated)
}

/// A polynomial by pieces in Bernstein's basis, SciPy's `BPoly`: between the breaks `x[i]` and `x[i + 1]` it is the sum of `c[a, i]
/// binom(k, a) t^a (1 - t)^(k - a)`, with the degree `k` and `t` from 0 to 1. It is evaluated as the [`PPoly`] that it is, and has its
/// methods.
///
/// ```
/// use warpcell as gpu;
/// let b = gpu::interpolate::BPoly::new(&gpu::array(&[[1.0], [2.0], [5.0]]), &gpu::array(&[0.0, 2.0]));
/// assert_eq!(b.eval(&gpu::array(&[0.0, 1.0, 2.0])).tolist(), [1.0, 2.5, 5.0]);
/// ```
#[derive(Clone)]
pub struct BPoly(PPoly);

impl BPoly {
    /// The polynomial with the coefficients `c`, `order × pieces` and perhaps more axes, between the breaks `x`.
    ///
    /// **Panics** as [`PPoly::new`] does.
    #[track_caller]
    pub fn new<C: OnDevice, X: OnDevice>(c: &C, x: &X) -> BPoly {
        BPoly(check(of_coefficients("BPoly", c.raw(), x.raw(), powers_of_bernstein)))
    }
}

/// The coefficients of powers, the highest first, of a polynomial in Bernstein's basis over an interval.
fn powers_of_bernstein(c: Vec<f64>, length: f64) -> Vec<f64> {
    let degree = c.len() - 1;
    let mut differences = c;
    let mut powers = Vec::with_capacity(degree + 1);
    let mut binomial = 1.0;
    for j in 0..=degree {
        powers.push(binomial * differences[0] / length.powi(j as i32));
        differences = differences.windows(2).map(|pair| pair[1] - pair[0]).collect();
        binomial *= (degree - j) as f64 / (j + 1) as f64;
    }
    powers.reverse();
    powers
}

/// Types that are polynomials by pieces: they have its methods.
macro_rules! is_pieces {
    ($($name:ident)*) => {$(
        impl std::ops::Deref for $name {
            type Target = $crate::interpolate::PPoly;
            fn deref(&self) -> &$crate::interpolate::PPoly {
                &self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = format!("{:?}", self.0);
                write!(f, "{}{}", stringify!($name), text.strip_prefix("PPoly").unwrap_or(&text))
            }
        }
    )*};
}
pub(super) use is_pieces;
is_pieces!(BPoly);

/// The real roots of a polynomial, the highest power first, in ascending order. Between the roots of its derivative there is one root at
/// most, which is found by bisection and Newton's steps.
fn real_roots(c: &[f64]) -> Vec<f64> {
    let largest = c.iter().fold(0.0f64, |most, c| most.max(c.abs()));
    let Some(first) = c.iter().position(|c| c.abs() > 1e-14 * largest) else { return Vec::new() };
    let c = &c[first..];
    if let [a, b] = *c {
        return vec![-b / a];
    }
    if c.len() < 2 {
        return Vec::new();
    }
    let degree = c.len() - 1;
    let value = |x: f64| c.iter().fold(0.0, |sum, c| sum * x + c);
    let slope: Vec<f64> = c[..degree].iter().enumerate().map(|(at, c)| c * (degree - at) as f64).collect();
    let slope_at = |x: f64| slope.iter().fold(0.0, |sum, c| sum * x + c);
    // Cauchy's bound.
    let bound = 1.0 + c[1..].iter().fold(0.0f64, |most, other| most.max((other / c[0]).abs()));
    let mut ends = vec![-bound];
    ends.extend(real_roots(&slope).into_iter().filter(|root| root.abs() < bound));
    ends.push(bound);
    let mut roots = Vec::new();
    for pair in ends.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let at_low = value(low);
        let is_touching = |x: f64| value(x).abs() <= 1e-13 * c.iter().fold(0.0, |sum, c| sum * x.abs() + c.abs());
        if at_low == 0.0 || is_touching(low) {
            if roots.last() != Some(&low) {
                roots.push(low);
            }
            continue;
        }
        if (at_low > 0.0) == (value(high) > 0.0) {
            continue;
        }
        let mut x = 0.5 * (low + high);
        for _ in 0..200 {
            let now = value(x);
            if (now > 0.0) == (at_low > 0.0) {
                low = x;
            } else {
                high = x;
            }
            let step = x - now / slope_at(x);
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            if next == x || high - low <= f64::EPSILON * x.abs() {
                break;
            }
            x = next;
        }
        roots.push(x);
    }
    roots
}
