//! The polynomial through all points.

use super::arguments::{THREADS, Values, check_finite, flat_points, numbers, on_device};
use super::kernels::{evaluate_barycentric, evaluate_newton};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::Layout;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::launch::try_launch_unchecked;

/// The polynomial through points, by the barycentric formula; SciPy's `BarycentricInterpolator`. By Berrut and Trefethen, "Barycentric
/// Lagrange interpolation" (2004). The weights are computed on the host.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0.0, 1.0, 3.0]);
/// let p = gpu::interpolate::BarycentricInterpolator::new(&x, &(&x * &x));
/// assert!(gpu::allclose(&p.eval(&gpu::array(&[2.0, 3.0])), &[4.0, 9.0]));
/// ```
#[derive(Clone)]
pub struct BarycentricInterpolator {
    nodes: DeviceArray<f64>,
    weights: DeviceArray<f64>,
    table: DeviceArray<f64>,
    values: Values,
}

/// The polynomial through points, in Newton's form; SciPy's `KroghInterpolator`. Where a point is given several times, the values are
/// those of the function and of its derivatives there. By Krogh, "Efficient algorithms for polynomial interpolation and numerical
/// differentiation" (1970). The differences are computed on the host.
///
/// ```
/// use warpcell as gpu;
/// // 0 with the slope 1 at 0, and 2 at 1.
/// let p = gpu::interpolate::KroghInterpolator::new(&gpu::array(&[0.0, 0.0, 1.0]), &gpu::array(&[0.0, 1.0, 2.0]));
/// assert_eq!(p.eval(&gpu::array(&[2.0])).item(), 6.0);
/// assert_eq!(p.derivative(&gpu::array(&[2.0]), 1).item(), 5.0);
/// ```
#[derive(Clone)]
pub struct KroghInterpolator {
    nodes: DeviceArray<f64>,
    table: DeviceArray<f64>,
    values: Values,
}

impl std::fmt::Debug for BarycentricInterpolator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BarycentricInterpolator({} points)", self.nodes.size())
    }
}
impl std::fmt::Debug for KroghInterpolator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KroghInterpolator({} points)", self.nodes.size())
    }
}

/// Places, which may be in any order, and the values at them.
fn points_of(operation: &'static str, x: &RawArray, y: &RawArray, axis: isize) -> Result<(Vec<f64>, Values)> {
    x.same_device(operation, y)?;
    if x.shape().len() != 1 || x.size() == 0 {
        return Err(Error::shape(operation, x.shape(), "of `xi` is not that of points; give a 1-D array"));
    }
    let places = numbers(operation, x)?;
    check_finite(operation, "xi", &places)?;
    let values = Values::new(operation, "yi", y, places.len(), axis)?;
    Ok((places, values))
}

impl BarycentricInterpolator {
    /// The polynomial through the points `(xi, yi)`, which are along the first axis of `yi`. Both are copied to the host, which waits.
    ///
    /// **Panics** if `xi` is not 1-D with a point at least, or the shape of `yi` does not fit ([`Error::InvalidShape`]), or if two
    /// points are at one place, or a number is not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(xi: &X, yi: &Y) -> BarycentricInterpolator {
        check(BarycentricInterpolator::made(xi.raw(), yi.raw(), 0))
    }

    /// As [`new`](Self::new), with the points along an axis of `yi`.
    #[track_caller]
    pub fn with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
        xi: &X,
        yi: &Y,
        axis: isize,
    ) -> BarycentricInterpolator {
        check(BarycentricInterpolator::made(xi.raw(), yi.raw(), axis))
    }

    fn made(x: &RawArray, y: &RawArray, axis: isize) -> Result<BarycentricInterpolator> {
        const NAME: &str = "BarycentricInterpolator";
        let (places, values) = points_of(NAME, x, y, axis)?;
        let (low, high) =
            places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
        // By the capacity of the interval, so that products neither overflow nor vanish.
        let scale = if high > low { 4.0 / (high - low) } else { 1.0 };
        let mut weights = Vec::with_capacity(places.len());
        for (at, x) in places.iter().enumerate() {
            let mut product = 1.0;
            let mut exponent = 0i64;
            for (other, y) in places.iter().enumerate() {
                if other != at {
                    product *= scale * (x - y);
                    if product == 0.0 {
                        return Err(Error::argument(NAME, format!("`xi` has {x} twice; give each point once")));
                    }
                    // The exponent apart.
                    let bits = product.abs().log2().floor() as i64;
                    if bits.abs() > 500 {
                        product *= 2f64.powi(-bits as i32);
                        exponent += bits;
                    }
                }
            }
            weights.push((1.0 / product, -exponent));
        }
        let largest = weights.iter().map(|(_, exponent)| *exponent).max().unwrap_or(0);
        let weights: Vec<f64> = weights
            .iter()
            .map(|(weight, exponent)| weight * 2f64.powi((exponent - largest).max(-4000) as i32))
            .collect();
        Ok(BarycentricInterpolator {
            nodes: on_device(NAME, &y.handle, &places, &[places.len()])?,
            weights: on_device(NAME, &y.handle, &weights, &[weights.len()])?,
            table: on_device(NAME, &y.handle, &values.data, &[places.len(), values.columns])?,
            values,
        })
    }

    fn evaluated(&self, operation: &'static str, x: &RawArray, dtype: DType) -> Result<RawArray> {
        self.nodes.raw.same_device(operation, x)?;
        let points = flat_points(operation, x)?;
        let shape = [points.size(), self.values.columns];
        let mut out = DeviceArray::<f64>::from_raw(RawArray::uninitialised(operation, &x.handle, &shape, DType::F64)?);
        if out.size() > 0 {
            let blocks = out.size().div_ceil(THREADS);
            let arguments = (&points, &self.nodes, &self.weights, &self.table, &mut out);
            // SAFETY: a thread writes one result.
            unsafe { try_launch_unchecked(evaluate_barycentric, blocks, THREADS, arguments)? };
        }
        self.values.form.shaped(&out.raw, x.shape()).in_type(operation, dtype)
    }

    fallible! {
        /// The values at points of any shape (`f64` for integers). Queues.
        ///
        /// **Panics** if the device differs.
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, x: &X) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval", x.raw(), T::Mean::DTYPE).map(DeviceArray::from_raw)
        }
    }
}

impl KroghInterpolator {
    /// The polynomial through the points `(xi, yi)`, which are along the first axis of `yi`; equal points stand together. Both are
    /// copied to the host, which waits.
    ///
    /// **Panics** if `xi` is not 1-D with a point at least, or the shape of `yi` does not fit ([`Error::InvalidShape`]), or a number is
    /// not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(xi: &X, yi: &Y) -> KroghInterpolator {
        check(KroghInterpolator::made(xi.raw(), yi.raw(), 0))
    }

    /// As [`new`](Self::new), with the points along an axis of `yi`.
    #[track_caller]
    pub fn with<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(
        xi: &X,
        yi: &Y,
        axis: isize,
    ) -> KroghInterpolator {
        check(KroghInterpolator::made(xi.raw(), yi.raw(), axis))
    }

    fn made(x: &RawArray, y: &RawArray, axis: isize) -> Result<KroghInterpolator> {
        const NAME: &str = "KroghInterpolator";
        let (places, values) = points_of(NAME, x, y, axis)?;
        let (count, columns) = (places.len(), values.columns);
        // How often a place stands before each one.
        let before: Vec<usize> =
            (0..count).map(|at| places[..at].iter().rev().take_while(|x| **x == places[at]).count()).collect();
        let mut table = vec![0.0; count * columns];
        for column in 0..columns {
            // The divided differences of what came before, of the orders 0 on, with a diagonal for each point.
            let mut diagonal: Vec<f64> = Vec::with_capacity(count);
            for at in 0..count {
                let first = at - before[at];
                let mut next = Vec::with_capacity(at + 1);
                let mut factorial = 1.0;
                next.push(values.data[first * columns + column]);
                for order in 1..=at {
                    factorial *= order as f64;
                    let other = places[at - order];
                    let value = if other == places[at] && order <= before[at] {
                        values.data[(first + order) * columns + column] / factorial
                    } else {
                        (next[order - 1] - diagonal[order - 1]) / (places[at] - other)
                    };
                    next.push(value);
                }
                table[at * columns + column] = next[at];
                diagonal = next;
            }
        }
        if let Some(at) = table.iter().position(|value| !value.is_finite()) {
            let reason = format!("`xi` has {} at two places; let equal points stand together", places[at / columns]);
            return Err(Error::argument(NAME, reason));
        }
        Ok(KroghInterpolator {
            nodes: on_device(NAME, &y.handle, &places, &[count])?,
            table: on_device(NAME, &y.handle, &table, &[count, columns])?,
            values,
        })
    }

    /// The values and the derivatives below `orders`, with the orders as the first axis.
    fn planes(&self, operation: &'static str, x: &RawArray, orders: usize) -> Result<RawArray> {
        self.nodes.raw.same_device(operation, x)?;
        let points = flat_points(operation, x)?;
        let shape = [orders, points.size(), self.values.columns];
        let mut out = DeviceArray::<f64>::from_raw(RawArray::uninitialised(operation, &x.handle, &shape, DType::F64)?);
        if out.size() > 0 {
            let blocks = (shape[1] * shape[2]).div_ceil(THREADS);
            // SAFETY: a thread writes the results of one point and column.
            unsafe {
                try_launch_unchecked(evaluate_newton, blocks, THREADS, (&points, &self.nodes, &self.table, &mut out))?
            };
        }
        Ok((*out.raw).clone())
    }

    /// One of the planes.
    fn plane(&self, operation: &'static str, x: &RawArray, order: usize, dtype: DType) -> Result<RawArray> {
        let planes = self.planes(operation, x, order + 1)?;
        let shape = &planes.shape()[1..];
        let offset = planes.layout.offset + order * shape.iter().product::<usize>();
        let plane = planes.with_layout(Layout { offset, ..Layout::contiguous(shape) });
        self.values.form.shaped(&plane, x.shape()).in_type(operation, dtype)
    }

    fallible! {
        /// The values at points of any shape (`f64` for integers). Queues.
        ///
        /// **Panics** if the device differs.
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, x: &X) -> Result<DeviceArray<T::Mean>> {
            self.plane("eval", x.raw(), 0, T::Mean::DTYPE).map(DeviceArray::from_raw)
        }

        /// The derivative of an order at points.
        ///
        /// **Panics** if the device differs.
        pub fn derivative, try_derivative<X: OnDevice<Elem = T>, T: Number>(&self, x: &X, der: usize) -> Result<DeviceArray<T::Mean>> {
            self.plane("derivative", x.raw(), der, T::Mean::DTYPE).map(DeviceArray::from_raw)
        }

        /// The values and the derivatives of the orders below `der` at points, along a new first axis.
        ///
        /// **Panics** if the device differs.
        pub fn derivatives, try_derivatives<X: OnDevice<Elem = T>, T: Number>(&self, x: &X, der: usize) -> Result<DeviceArray<T::Mean>> {
            let planes = (0..der).map(|order| {
                let plane = self.plane("derivatives", x.raw(), order, T::Mean::DTYPE)?;
                let shape = [&[1], plane.shape()].concat();
                let plane = plane.contiguous("derivatives")?;
                Ok(plane.with_layout(Layout { offset: plane.layout.offset, ..Layout::contiguous(&shape) }))
            });
            let planes = planes.collect::<Result<Vec<_>>>()?;
            if planes.is_empty() {
                return Err(Error::argument("derivatives", "`der` is 0; give how many"));
            }
            crate::array::join("derivatives", &planes, 0).map(DeviceArray::from_raw)
        }
    }
}

/// The values at `x` of the polynomial through the points `(xi, yi)`. SciPy's `barycentric_interpolate`.
///
/// **Panics** as [`BarycentricInterpolator::new`] does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(4.0f64);
/// let y = gpu::interpolate::barycentric_interpolate(&x, &(&x * &x), &gpu::array(&[2.5f64]));
/// assert!((y.item() - 6.25).abs() < 1e-12);
/// ```
#[track_caller]
pub fn barycentric_interpolate<
    X: OnDevice<Elem: Number>,
    Y: OnDevice<Elem: Number>,
    P: OnDevice<Elem = T>,
    T: Number,
>(
    xi: &X,
    yi: &Y,
    x: &P,
) -> DeviceArray<T::Mean> {
    BarycentricInterpolator::new(xi, yi).eval(x)
}

/// The values at `x` of the polynomial through the points `(xi, yi)`. SciPy's `krogh_interpolate`.
///
/// **Panics** as [`KroghInterpolator::new`] does.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(4.0);
/// assert_eq!(gpu::interpolate::krogh_interpolate(&x, &(&x * &x), &gpu::array(&[2.5])).item(), 6.25);
/// ```
#[track_caller]
pub fn krogh_interpolate<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>, P: OnDevice<Elem = T>, T: Number>(
    xi: &X,
    yi: &Y,
    x: &P,
) -> DeviceArray<T::Mean> {
    KroghInterpolator::new(xi, yi).eval(x)
}
