//! Curves of cubic pieces, which differ in the slopes at the points.

use super::arguments::sealed::Bounds;
use super::arguments::{BoundaryValues, Values, numbers, places};
use super::banded::Banded;
use super::pieces::{Outside, is_pieces};
use super::{Boundaries, Extrapolate, Extrapolation, PPoly};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{Element, Number};
use crate::error::{Error, Result, check};

/// The curve of cubic pieces through points whose first two derivatives have no jumps; SciPy's `CubicSpline`. It has the methods of
/// [`PPoly`]: [`eval`](PPoly::eval), [`derivative`](PPoly::derivative), [`integrate`](PPoly::integrate) and others.
///
/// `gpu::interpolate::CubicSpline!(&x, &y, axis = 1, bc_type = "natural", extrapolate = false)` has SciPy's keywords. At its ends the
/// curve is as `bc_type` says: "not-a-knot" (the first two pieces are one cubic), "natural" (no curvature), "clamped" (no slope),
/// "periodic", one of these for each end as `("natural", "clamped")`, or derivatives and their values as `((1, 0.5), (2, 0.0))`.
/// The equations of the slopes are tridiagonal: de Boor, "A Practical Guide to Splines" (1978), chapter IV. They are solved on the
/// host.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0.0f64, 1.0, 2.0, 4.0]);
/// let cs = gpu::interpolate::CubicSpline::new(&x, &(&x * &x * &x));
/// assert!(gpu::allclose(&cs.eval(&gpu::array(&[3.0, 5.0])), &[27.0, 125.0]));
/// let flat = gpu::interpolate::CubicSpline!(&x, &(&x * &x), bc_type = "clamped");
/// assert!(flat.eval_nu(&x, 1).get(&[3]).abs() < 1e-12);
/// ```
#[derive(Clone)]
pub struct CubicSpline(PPoly);

/// The curve of cubic pieces through points which rises where they rise and falls where they fall, without overshoot; SciPy's
/// `PchipInterpolator`. By Fritsch and Butland, "A method for constructing local monotone piecewise cubic interpolants" (1984). It has
/// the methods of [`PPoly`]. `gpu::interpolate::PchipInterpolator!(&x, &y, axis = 1, extrapolate = false)` has SciPy's keywords.
///
/// ```
/// use warpcell as gpu;
/// let (x, y) = (gpu::arange(4.0), gpu::array(&[0.0, 0.0, 1.0, 1.0]));
/// let p = gpu::interpolate::PchipInterpolator::new(&x, &y).eval(&gpu::linspace(0.0, 3.0, 100));
/// assert!(p.min() >= 0.0 && p.max() <= 1.0);
/// ```
#[derive(Clone)]
pub struct PchipInterpolator(PPoly);

/// The curve of cubic pieces through points which looks as if it were drawn by hand; SciPy's `Akima1DInterpolator`. By Akima, "A new
/// method of interpolation and smooth curve fitting based on local procedures" (1970). It has the methods of [`PPoly`], and is NaN
/// outside of the points. `gpu::interpolate::Akima1DInterpolator!(&x, &y, axis = 1, method = "makima", extrapolate = true)` has SciPy's
/// keywords.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(6.0);
/// let a = gpu::interpolate::Akima1DInterpolator::new(&x, &(&x * 2.0));
/// assert!(gpu::allclose(&a.eval(&gpu::array(&[0.5, 4.5])), &[1.0, 9.0]));
/// ```
#[derive(Clone)]
pub struct Akima1DInterpolator(PPoly);

/// The curve of cubic pieces through points with the slopes that are given; SciPy's `CubicHermiteSpline`. It has the methods of
/// [`PPoly`].
///
/// ```
/// use warpcell as gpu;
/// let (x, y, slopes) = (gpu::array(&[0.0, 1.0]), gpu::array(&[0.0, 1.0]), gpu::array(&[0.0, 0.0]));
/// assert_eq!(gpu::interpolate::CubicHermiteSpline::new(&x, &y, &slopes).eval(&gpu::array(&[0.5])).item(), 0.5);
/// ```
#[derive(Clone)]
pub struct CubicHermiteSpline(PPoly);

is_pieces!(CubicSpline PchipInterpolator Akima1DInterpolator CubicHermiteSpline);

impl CubicSpline {
    /// The spline through the points `(x, y)`, "not-a-knot" at its ends; the points are along the first axis of `y`. Both are copied
    /// to the host, which waits.
    ///
    /// **Panics** if `x` is not 1-D with two points at least, or the shape of `y` does not fit ([`Error::InvalidShape`]), or if `x` is
    /// not increasing or a number is not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(x: &X, y: &Y) -> CubicSpline {
        CubicSpline::with(x, y, 0, "not-a-knot", ())
    }

    /// As [`new`](Self::new), with SciPy's other arguments.
    #[track_caller]
    pub fn with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
        x: &X,
        y: &Y,
        axis: isize,
        bc_type: impl Boundaries,
        extrapolate: impl MaybeExtrapolation,
    ) -> CubicSpline {
        CubicSpline(check(cubic_spline(x.raw(), y.raw(), axis, &bc_type, &extrapolate)))
    }
}

impl PchipInterpolator {
    /// The curve through the points `(x, y)`, which are along the first axis of `y`. Both are copied to the host, which waits.
    ///
    /// **Panics** as [`CubicSpline::new`] does.
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(x: &X, y: &Y) -> PchipInterpolator {
        PchipInterpolator::with(x, y, 0, ())
    }

    /// As [`new`](Self::new), with SciPy's other arguments.
    #[track_caller]
    pub fn with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
        x: &X,
        y: &Y,
        axis: isize,
        extrapolate: impl MaybeExtrapolation,
    ) -> PchipInterpolator {
        const NAME: &str = "PchipInterpolator";
        PchipInterpolator(check(local(NAME, x.raw(), y.raw(), axis, &extrapolate, Extrapolate::Yes, monotone_slopes)))
    }
}

impl Akima1DInterpolator {
    /// The curve through the points `(x, y)`, which are along the first axis of `y`. Both are copied to the host, which waits.
    ///
    /// **Panics** as [`CubicSpline::new`] does.
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(x: &X, y: &Y) -> Akima1DInterpolator {
        Akima1DInterpolator::with(x, y, 0, "akima", ())
    }

    /// As [`new`](Self::new), with SciPy's other arguments; `method` is "akima" or "makima".
    #[track_caller]
    pub fn with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
        x: &X,
        y: &Y,
        axis: isize,
        method: &str,
        extrapolate: impl MaybeExtrapolation,
    ) -> Akima1DInterpolator {
        const NAME: &str = "Akima1DInterpolator";
        let made = match method {
            "akima" | "makima" => local(NAME, x.raw(), y.raw(), axis, &extrapolate, Extrapolate::No, |x, y| {
                akima_slopes(x, y, method == "makima")
            }),
            _ => Err(Error::argument(NAME, format!("`method` is {method:?}; give \"akima\" or \"makima\""))),
        };
        Akima1DInterpolator(check(made))
    }
}

impl CubicHermiteSpline {
    /// The curve through the points `(x, y)` with the slopes `dydx`; the points are along the first axis of both. All are copied to
    /// the host, which waits.
    ///
    /// **Panics** as [`CubicSpline::new`] does.
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>, D: OnDevice<Elem: Number>>(
        x: &X,
        y: &Y,
        dydx: &D,
    ) -> CubicHermiteSpline {
        const NAME: &str = "CubicHermiteSpline";
        let made = || {
            let places = places(NAME, "x", x.raw(), 2)?;
            let values = Values::new(NAME, "y", y.raw(), places.len(), 0)?;
            if dydx.raw().shape() != y.raw().shape() {
                let reason = format!("of `dydx` is not that of `y`, {:?}", y.raw().shape());
                return Err(Error::shape(NAME, dydx.raw().shape(), reason));
            }
            hermite(NAME, y.raw(), places, &values, &numbers(NAME, dydx.raw())?, Outside::Extrapolated)
        };
        CubicHermiteSpline(check(made()))
    }
}

/// The values at `xi` of the [`PchipInterpolator`] through the points `(x, y)`. SciPy's `pchip_interpolate`.
///
/// **Panics** as [`CubicSpline::new`] does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(4.0);
/// assert_eq!(gpu::interpolate::pchip_interpolate(&x, &x, &gpu::array(&[0.5])).tolist(), [0.5]);
/// ```
#[track_caller]
pub fn pchip_interpolate<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>, P: OnDevice<Elem = T>, T: Number>(
    x: &X,
    y: &Y,
    xi: &P,
) -> DeviceArray<T::Mean> {
    let curve = PchipInterpolator::new(x, y);
    let raw = check(curve.evaluated("pchip_interpolate", xi.raw(), 0, curve.outside, T::Mean::DTYPE));
    DeviceArray::from_raw(raw)
}

/// [`Extrapolation`], or `()` for what is usual. Not an extension point.
pub trait MaybeExtrapolation: maybe::Maybe {}

mod maybe {
    use super::{Extrapolate, Extrapolation, Result};

    pub trait Maybe {
        fn maybe(&self, operation: &'static str) -> Result<Option<Extrapolate>>;
    }
    impl Maybe for () {
        fn maybe(&self, _operation: &'static str) -> Result<Option<Extrapolate>> {
            Ok(None)
        }
    }
    impl<E: Extrapolation> Maybe for E {
        fn maybe(&self, operation: &'static str) -> Result<Option<Extrapolate>> {
            self.extrapolate(operation).map(Some)
        }
    }
}
use maybe::Maybe;
impl<M: Maybe> MaybeExtrapolation for M {}

/// The curve of cubic pieces with the slopes of each column at the points.
fn hermite(
    operation: &'static str,
    y: &RawArray,
    x: Vec<f64>,
    values: &Values,
    slopes: &[f64],
    outside: Outside,
) -> Result<PPoly> {
    let columns = values.columns;
    let mut table = Vec::with_capacity(4 * (x.len() - 1) * columns);
    for piece in 0..x.len() - 1 {
        let length = x[piece + 1] - x[piece];
        for column in 0..columns {
            let [low, high] = [piece, piece + 1].map(|at| values.data[at * columns + column]);
            let [start, end] = [piece, piece + 1].map(|at| slopes[at * columns + column]);
            let slope = (high - low) / length;
            let t = (start + end - 2.0 * slope) / length;
            table.extend([t / length, (slope - start) / length - t, start, low]);
        }
    }
    PPoly::of(operation, &y.handle, x, table, values.form.clone(), outside)
}

/// A curve whose slopes in a column follow from the points of that column.
fn local(
    operation: &'static str,
    x: &RawArray,
    y: &RawArray,
    axis: isize,
    extrapolate: &dyn Maybe,
    usual: Extrapolate,
    slopes_of: impl Fn(&[f64], &Values) -> Vec<f64>,
) -> Result<PPoly> {
    let outside = extrapolate.maybe(operation)?.unwrap_or(usual).into();
    let places = places(operation, "x", x, 2)?;
    x.same_device(operation, y)?;
    let values = Values::new(operation, "y", y, places.len(), axis)?;
    let slopes = slopes_of(&places, &values);
    hermite(operation, y, places, &values, &slopes, outside)
}

/// The slopes of the lines between the points of a column.
fn secants(x: &[f64], values: &Values, column: usize) -> Vec<f64> {
    let at = |row: usize| values.data[row * values.columns + column];
    (0..x.len() - 1).map(|row| (at(row + 1) - at(row)) / (x[row + 1] - x[row])).collect()
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn monotone_slopes(x: &[f64], values: &Values) -> Vec<f64> {
    let (count, columns) = (x.len(), values.columns);
    let h: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut slopes = vec![0.0; count * columns];
    for column in 0..columns {
        let m = secants(x, values, column);
        if count == 2 {
            slopes[column] = m[0];
            slopes[columns + column] = m[0];
            continue;
        }
        for at in 1..count - 1 {
            let (before, after) = (m[at - 1], m[at]);
            if sign(before) == sign(after) && before != 0.0 {
                let (w1, w2) = (2.0 * h[at] + h[at - 1], h[at] + 2.0 * h[at - 1]);
                slopes[at * columns + column] = (w1 + w2) / (w1 / before + w2 / after);
            }
        }
        let end = |h0: f64, h1: f64, m0: f64, m1: f64| {
            let slope = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
            if sign(slope) != sign(m0) {
                0.0
            } else if sign(m0) != sign(m1) && slope.abs() > 3.0 * m0.abs() {
                3.0 * m0
            } else {
                slope
            }
        };
        let last = count - 2;
        slopes[column] = end(h[0], h[1], m[0], m[1]);
        slopes[(count - 1) * columns + column] = end(h[last], h[last - 1], m[last], m[last - 1]);
    }
    slopes
}

fn akima_slopes(x: &[f64], values: &Values, is_modified: bool) -> Vec<f64> {
    let (count, columns) = (x.len(), values.columns);
    let mut slopes = vec![0.0; count * columns];
    if count == 2 {
        for column in 0..columns {
            let m = secants(x, values, column)[0];
            slopes[column] = m;
            slopes[columns + column] = m;
        }
        return slopes;
    }
    // Two secants more at each end.
    let secants_of = |column: usize| {
        let m = secants(x, values, column);
        let last = m.len() - 1;
        let (before, after) = (2.0 * m[0] - m[1], 2.0 * m[last] - m[last - 1]);
        let (first, end) = (2.0 * before - m[0], 2.0 * after - m[last]);
        [&[first, before], &m[..], &[after, end]].concat()
    };
    let all: Vec<Vec<f64>> = (0..columns).map(secants_of).collect();
    let weights = |m: &[f64], at: usize| {
        let change =
            |at: usize| (m[at + 1] - m[at]).abs() + if is_modified { 0.5 * (m[at + 1] + m[at]).abs() } else { 0.0 };
        (change(at + 2), change(at))
    };
    let largest = all
        .iter()
        .flat_map(|m| (0..count).map(move |at| weights(m, at)))
        .map(|(w1, w2)| w1 + w2)
        .fold(f64::NEG_INFINITY, f64::max);
    for (column, m) in all.iter().enumerate() {
        for at in 0..count {
            let (w1, w2) = weights(m, at);
            slopes[at * columns + column] = if w1 + w2 > 1e-9 * largest {
                m[at + 1] + w2 / (w1 + w2) * (m[at + 2] - m[at + 1])
            } else {
                0.5 * (m[at + 3] + m[at])
            };
        }
    }
    slopes
}

fn cubic_spline(
    x: &RawArray,
    y: &RawArray,
    axis: isize,
    bounds: &dyn Bounds,
    extrapolate: &dyn Maybe,
) -> Result<PPoly> {
    const NAME: &str = "CubicSpline";
    let ends = bounds.bounds(NAME)?;
    let x_places = places(NAME, "x", x, 2)?;
    x.same_device(NAME, y)?;
    let values = Values::new(NAME, "y", y, x_places.len(), axis)?;
    let is_periodic = ends[0] == BoundaryValues::Periodic;
    let usual = if is_periodic { Extrapolate::Periodic } else { Extrapolate::Yes };
    let outside = extrapolate.maybe(NAME)?.unwrap_or(usual).into();
    if is_periodic {
        let (first, last) = (values.row(0), values.row(x_places.len() - 1));
        if let Some(at) = (0..values.columns).find(|&at| (first[at] - last[at]).abs() > 1e-15 + 1e-15 * last[at].abs())
        {
            let reason = format!(
                "a periodic spline has one value at both ends, but `y` has {} and {}; give the first value again",
                first[at], last[at]
            );
            return Err(Error::argument(NAME, reason));
        }
    }
    for (end, name) in ends.iter().zip(["first", "last"]) {
        if let BoundaryValues::Derivative(order @ 3.., _) = end {
            return Err(Error::argument(
                NAME,
                format!("`bc_type` has the derivative {order} at the {name} point; give 1 or 2"),
            ));
        }
    }
    let slopes = if values.columns == 0 { Vec::new() } else { spline_slopes(NAME, &x_places, &values, ends)? };
    hermite(NAME, y, x_places, &values, &slopes, outside)
}

fn spline_slopes(
    operation: &'static str,
    x: &[f64],
    values: &Values,
    mut ends: [BoundaryValues; 2],
) -> Result<Vec<f64>> {
    use BoundaryValues::{Derivative, NotAKnot, Periodic};
    let (count, columns) = (x.len(), values.columns);
    let h: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let m: Vec<f64> = (0..count - 1)
        .flat_map(|row| {
            let (low, high) = (values.row(row), values.row(row + 1));
            low.iter().zip(high).map(|(low, high)| (high - low) / h[row]).collect::<Vec<_>>()
        })
        .collect();
    let m = |row: usize, column: usize| m[row * columns + column];
    let every = |of: &dyn Fn(usize) -> f64| (0..columns).map(of).collect::<Vec<f64>>();
    if count == 2 {
        // A line, as far as the ends say nothing.
        if ends == [Periodic; 2] {
            return Ok(vec![0.0; 2 * columns]);
        }
        if ends == [NotAKnot; 2] {
            return Ok([every(&|column| m(0, column)), every(&|column| m(0, column))].concat());
        }
    }
    if count == 3 && ends == [NotAKnot; 2] {
        // The parabola through the points.
        let of = |place: f64| {
            every(&|column| {
                let curve = (m(1, column) - m(0, column)) / (x[2] - x[0]);
                m(0, column) + curve * (2.0 * place - x[0] - x[1])
            })
        };
        return Ok([of(x[0]), of(x[1]), of(x[2])].concat());
    }
    if ends[0] == Periodic {
        if count == 3 {
            let slope = every(&|column| (m(0, column) / h[0] + m(1, column) / h[1]) / (1.0 / h[0] + 1.0 / h[1]));
            return Ok([slope.clone(), slope.clone(), slope].concat());
        }
        return periodic_slopes(operation, &h, &m, columns);
    }
    let size = count;
    let mut matrix = Banded::new(size, 1, 1);
    let mut right = vec![0.0; size * columns];
    for at in 1..size - 1 {
        matrix.set(at, at - 1, h[at]);
        matrix.set(at, at, 2.0 * (h[at - 1] + h[at]));
        matrix.set(at, at + 1, h[at - 1]);
        for column in 0..columns {
            right[at * columns + column] = 3.0 * (h[at] * m(at - 1, column) + h[at - 1] * m(at, column));
        }
    }
    if count == 2 {
        // With two points, "not-a-knot" is the slope of the line at that end.
        ends = ends.map(|end| if end == NotAKnot { Derivative(0, 0.0) } else { end });
    }
    let last = size - 1;
    // The neighbour, its distance, and the one beyond it, at each end.
    for (end, row, near, far, inner, side) in [
        (ends[0], 0, 0, 1.min(h.len() - 1), 1, 1.0),
        (ends[1], last, h.len() - 1, h.len().saturating_sub(2), last - 1, -1.0),
    ] {
        let set = |right: &mut [f64], of: &dyn Fn(usize) -> f64| {
            for column in 0..columns {
                right[row * columns + column] = of(column);
            }
        };
        match end {
            NotAKnot => {
                let both = h[near] + h[far];
                matrix.set(row, row, h[far]);
                matrix.set(row, inner, both);
                set(&mut right, &|column| {
                    ((h[near] + 2.0 * both) * h[far] * m(near, column) + h[near] * h[near] * m(far, column)) / both
                });
            }
            Derivative(0, _) => {
                matrix.set(row, row, 1.0);
                matrix.set(row, inner, 0.0);
                set(&mut right, &|column| m(near, column));
            }
            Derivative(1, value) => {
                matrix.set(row, row, 1.0);
                matrix.set(row, inner, 0.0);
                set(&mut right, &|_| value);
            }
            Derivative(_, value) => {
                matrix.set(row, row, 2.0 * h[near]);
                matrix.set(row, inner, h[near]);
                set(&mut right, &|column| -side * 0.5 * value * h[near] * h[near] + 3.0 * m(near, column) * h[near]);
            }
            Periodic => unreachable!("both ends are periodic, or none"),
        }
    }
    matrix.solve(operation, &mut right, columns)?;
    Ok(right)
}

/// The slopes of a periodic spline: its matrix has two corners more, which make one unknown that is found last.
fn periodic_slopes(
    operation: &'static str,
    h: &[f64],
    m: &dyn Fn(usize, usize) -> f64,
    columns: usize,
) -> Result<Vec<f64>> {
    let pieces = h.len();
    let size = pieces - 1;
    let before = |at: usize| (at + pieces - 1) % pieces;
    let right_of = |at: usize, column: usize| 3.0 * (h[at] * m(before(at), column) + h[before(at)] * m(at, column));
    let mut matrix = Banded::new(size, 1, 1);
    // The last unknown is a column of the right side.
    let wide = columns + 1;
    let mut right = vec![0.0; size * wide];
    for at in 0..size {
        if at > 0 {
            matrix.set(at, at - 1, h[at]);
        }
        matrix.set(at, at, 2.0 * (h[before(at)] + h[at]));
        if at + 1 < size {
            matrix.set(at, at + 1, h[before(at)]);
        }
        for column in 0..columns {
            right[at * wide + column] = right_of(at, column);
        }
    }
    right[columns] -= h[0];
    right[(size - 1) * wide + columns] -= h[before(size - 1)];
    matrix.solve(operation, &mut right, wide)?;
    let (low, high) = (h[size], h[size - 1]);
    let ratio = &right[..];
    let mut slopes = vec![0.0; (pieces + 1) * columns];
    for column in 0..columns {
        let [first, last] = [0, size - 1].map(|at| (ratio[at * wide + column], ratio[at * wide + columns]));
        let free = (right_of(size, column) - high * first.0 - low * last.0)
            / (2.0 * (low + high) + high * first.1 + low * last.1);
        for at in 0..size {
            slopes[at * columns + column] = ratio[at * wide + column] + free * ratio[at * wide + columns];
        }
        slopes[size * columns + column] = free;
        slopes[pieces * columns + column] = slopes[column];
    }
    Ok(slopes)
}
