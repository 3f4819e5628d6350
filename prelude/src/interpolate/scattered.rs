//! Values between those of scattered points.

use super::arguments::{Form, THREADS, check_finite, numbers, on_device};
use super::kernels::{evaluate_radial, radial_matrix};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::Layout;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::floats::{IntoFloat, MaybeFloat};
use crate::launch::try_launch_unchecked;
use crate::linalg::solve_of;
use crate::spatial::KDTree;

/// A function through scattered points of any dimension, as a sum of radial functions around them and of a polynomial; SciPy's
/// `RBFInterpolator`. `gpu::interpolate::RBFInterpolator!(&y, &d, smoothing = 0.1, kernel = "gaussian", epsilon = 2.0, degree = 1)` has its
/// keywords, but `neighbors`. `kernel` is "linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric",
/// "inverse_quadratic" or "gaussian"; the last four need `epsilon`. By Fasshauer, "Meshfree approximation methods with MATLAB" (2007). The
/// matrix of all pairs is made and solved on the device.
///
/// ```
/// use warpcell as gpu;
/// let points = gpu::array(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.4, 0.6]]);
/// let values = gpu::array(&[0.0f64, 1.0, 2.0, 3.0, 1.6]); // x + 2 y
/// let f = gpu::interpolate::RBFInterpolator::new(&points, &values);
/// assert!((f.eval(&gpu::array(&[[0.5f64, 0.25]])).item() - 1.0).abs() < 1e-9);
/// ```
#[derive(Clone)]
pub struct RBFInterpolator {
    nodes: DeviceArray<f64>,
    coefficients: DeviceArray<f64>,
    shift: DeviceArray<f64>,
    powers: DeviceArray<i64>,
    kind: usize,
    epsilon: f64,
    form: Form,
}

/// The kernels, with the least degree of the polynomial that makes their matrix regular, and whether their width matters.
const KERNELS: [(&str, i32, bool); 8] = [
    ("linear", 0, false),
    ("thin_plate_spline", 1, false),
    ("cubic", 1, false),
    ("quintic", 2, false),
    ("multiquadric", 0, true),
    ("inverse_multiquadric", -1, true),
    ("inverse_quadratic", -1, true),
    ("gaussian", -1, true),
];

impl std::fmt::Debug for RBFInterpolator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape = self.nodes.shape();
        write!(f, "RBFInterpolator({}, {} points of {} coordinates)", KERNELS[self.kind].0, shape[0], shape[1])
    }
}

/// The exponents of the products of powers up to a degree, a row for each.
fn exponents(dimensions: usize, degree: i32) -> Vec<i64> {
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for total in 0..=degree {
        let start = rows.len();
        // All products of as many coordinates, in order.
        let mut chosen = vec![0usize; total as usize];
        loop {
            let mut row = vec![0; dimensions];
            chosen.iter().for_each(|&axis| row[axis] += 1);
            rows.push(row);
            let Some(at) = chosen.iter().rposition(|&axis| axis + 1 < dimensions) else { break };
            let next = chosen[at] + 1;
            chosen[at..].iter_mut().for_each(|axis| *axis = next);
        }
        debug_assert!(rows.len() > start);
    }
    rows.concat()
}

impl RBFInterpolator {
    /// The function with the values `d` at the points `y`, a row for each, with the kernel "thin_plate_spline". The points are copied to
    /// the host once, for their extent (this waits).
    ///
    /// **Panics** if `y` is not 2-D, or the shape of `d` does not begin with the number of points, or there are too few of them
    /// ([`Error::InvalidShape`]), or a number is not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<Y: OnDevice<Elem: Number>, D: OnDevice<Elem: Number>>(y: &Y, d: &D) -> RBFInterpolator {
        RBFInterpolator::with(y, d, 0.0, "thin_plate_spline", None, None)
    }

    /// As [`new`](Self::new), with SciPy's other arguments.
    #[track_caller]
    pub fn with<Y: OnDevice<Elem: Number>, D: OnDevice<Elem: Number>>(
        y: &Y,
        d: &D,
        smoothing: impl IntoFloat,
        kernel: &str,
        epsilon: impl MaybeFloat,
        degree: impl Into<Option<i32>>,
    ) -> RBFInterpolator {
        let smoothing = smoothing.into_float();
        let epsilon = epsilon.maybe_float();
        check(RBFInterpolator::made(y.raw(), d.raw(), smoothing, kernel, epsilon, degree.into()))
    }

    fn made(
        y: &RawArray,
        d: &RawArray,
        smoothing: f64,
        kernel: &str,
        epsilon: Option<f64>,
        degree: Option<i32>,
    ) -> Result<RBFInterpolator> {
        const NAME: &str = "RBFInterpolator";
        y.same_device(NAME, d)?;
        let [count, dimensions] = *y.shape() else {
            return Err(Error::shape(NAME, y.shape(), "of `y` is not that of points; give a row for each point"));
        };
        if d.shape().first() != Some(&count) || count == 0 || dimensions == 0 {
            let reason =
                format!("of `d` does not begin with the number of points, {count}; give values for each point");
            return Err(Error::shape(NAME, d.shape(), reason));
        }
        let Some(kind) = KERNELS.iter().position(|(name, ..)| *name == kernel) else {
            let names = KERNELS.map(|(name, ..)| name);
            return Err(Error::argument(NAME, format!("`kernel` is {kernel:?}; give one of {names:?}")));
        };
        let (_, least, has_width) = KERNELS[kind];
        let epsilon = match epsilon {
            Some(epsilon) => epsilon,
            None if !has_width => 1.0,
            None => {
                return Err(Error::argument(
                    NAME,
                    format!("the kernel {kernel:?} needs `epsilon`, the width; give a number"),
                ));
            }
        };
        let degree = degree.unwrap_or(least.max(0));
        if degree < -1 {
            return Err(Error::argument(NAME, format!("`degree` is {degree}; give -1 or more")));
        }
        let nodes = numbers(NAME, y)?;
        check_finite(NAME, "y", &nodes)?;
        let mut shift = vec![0.0; 2 * dimensions];
        for axis in 0..dimensions {
            let along = || nodes.iter().skip(axis).step_by(dimensions);
            let low = along().fold(f64::INFINITY, |low, x| low.min(*x));
            let high = along().fold(f64::NEG_INFINITY, |high, x| high.max(*x));
            shift[axis] = 0.5 * (high + low);
            let scale = 0.5 * (high - low);
            shift[dimensions + axis] = if scale == 0.0 { 1.0 } else { scale };
        }
        let powers = exponents(dimensions, degree);
        let terms = powers.len() / dimensions;
        if terms > count {
            let reason = format!("has {count} points, and a polynomial of the degree {degree} needs {terms}");
            return Err(Error::shape(NAME, y.shape(), reason));
        }
        let form = Form { rest: d.shape()[1..].to_vec(), axis: 0 };
        let (size, columns) = (count + terms, form.columns());
        let handle = &d.handle;
        let nodes = on_device(NAME, handle, &nodes, &[count, dimensions])?;
        let smoothing = on_device(NAME, handle, &vec![smoothing; count], &[count])?;
        let shift = on_device(NAME, handle, &shift, &[2, dimensions])?;
        let powers = DeviceArray::<i64>::from_raw(RawArray::of_indices(NAME, handle, &[terms, dimensions], &powers)?);
        let scratch = |shape: &[usize]| RawArray::uninitialised(NAME, handle, shape, DType::F64);
        let mut matrix = DeviceArray::<f64>::from_raw(scratch(&[size, size])?);
        let arguments = (&nodes, &smoothing, &shift, &powers, kind as i32, epsilon, &mut matrix);
        // SAFETY: a thread writes one element.
        unsafe { try_launch_unchecked(radial_matrix, (size * size).div_ceil(THREADS), THREADS, arguments)? };
        let d = d.converted(NAME, DType::F64)?;
        let d = d.with_layout(Layout::contiguous(&[count, columns]));
        let zeros = RawArray::filled(NAME, handle, &[terms, columns], crate::Scalar::F64(0.0))?;
        let right = crate::array::join(NAME, &[d, zeros], 0)?;
        let coefficients = if columns == 0 { right } else { solve_of(&matrix.raw, &right, None)? };
        let coefficients = DeviceArray::from_raw(coefficients.contiguous(NAME)?);
        Ok(RBFInterpolator { nodes, coefficients, shift, powers, kind, epsilon, form })
    }

    fn evaluated(&self, operation: &'static str, x: &RawArray, dtype: DType) -> Result<RawArray> {
        self.nodes.raw.same_device(operation, x)?;
        let dimensions = self.nodes.shape()[1];
        let [count, wide] = *x.shape() else {
            return Err(Error::shape(operation, x.shape(), "of `x` is not that of points; give a row for each point"));
        };
        if wide != dimensions {
            let reason = format!("of `x` has not {dimensions} columns, a coordinate in each");
            return Err(Error::shape(operation, x.shape(), reason));
        }
        let points = if x.dtype == DType::F64 { x.clone() } else { x.converted(operation, DType::F64)? };
        let points = DeviceArray::<f64>::from_raw(points);
        let columns = self.form.columns();
        let out = RawArray::uninitialised(operation, &x.handle, &[count, columns], DType::F64)?;
        let mut out = DeviceArray::<f64>::from_raw(out);
        if out.size() > 0 {
            let arguments = (
                &points,
                &self.nodes,
                &self.coefficients,
                &self.shift,
                &self.powers,
                self.kind as i32,
                self.epsilon,
                &mut out,
            );
            // SAFETY: a thread writes the results of one point.
            unsafe { try_launch_unchecked(evaluate_radial, count.div_ceil(THREADS), THREADS, arguments)? };
        }
        self.form.shaped(&out.raw, &[count]).in_type(operation, dtype)
    }

    fallible! {
        /// The values at points, a row for each (`f64` for integers). Queues.
        ///
        /// **Panics** if it is not a matrix with a column for each coordinate ([`Error::InvalidShape`]), or if the device differs.
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, x: &X) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval", x.raw(), T::Mean::DTYPE).map(DeviceArray::from_raw)
        }
    }
}

/// A function through scattered points of any dimension that is the value of the nearest one; SciPy's `NearestNDInterpolator`. The points
/// are in a [`KDTree`].
///
/// ```
/// use warpcell as gpu;
/// let points = gpu::array(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
/// let f = gpu::interpolate::NearestNDInterpolator::new(&points, &gpu::array(&[1.0, 2.0, 3.0]));
/// assert_eq!(f.eval(&gpu::array(&[[0.9, 0.2], [0.1, 5.0]])).tolist(), [2.0, 3.0]);
/// ```
#[derive(Clone, Debug)]
pub struct NearestNDInterpolator {
    tree: KDTree,
    values: DeviceArray<f64>,
}

impl NearestNDInterpolator {
    /// The function with the values `y` at the points `x`, a row for each. The points are copied to the host, which waits.
    ///
    /// **Panics** if `x` is not a matrix, or the shape of `y` does not begin with the number of points ([`Error::InvalidShape`]), or a
    /// point is not finite ([`Error::InvalidArgument`]).
    #[track_caller]
    pub fn new<X: OnDevice<Elem: Number>, Y: OnDevice<Elem: Number>>(x: &X, y: &Y) -> NearestNDInterpolator {
        check(NearestNDInterpolator::made(x.raw(), y.raw()))
    }

    fn made(x: &RawArray, y: &RawArray) -> Result<NearestNDInterpolator> {
        const NAME: &str = "NearestNDInterpolator";
        x.same_device(NAME, y)?;
        let tree = KDTree::made(NAME, x)?;
        if y.shape().first() != Some(&tree.n()) || tree.n() == 0 {
            let reason =
                format!("of `y` does not begin with the number of points, {}; give values for each point", tree.n());
            return Err(Error::shape(NAME, y.shape(), reason));
        }
        Ok(NearestNDInterpolator { tree, values: DeviceArray::from_raw(y.converted(NAME, DType::F64)?) })
    }

    fn evaluated(&self, operation: &'static str, x: &RawArray, dtype: DType) -> Result<RawArray> {
        let (_, indices) = self.tree.neighbours(operation, x, 1, 2.0, f64::INFINITY)?;
        let values = crate::take_axis(&self.values, &DeviceArray::<i64>::from_raw(indices), 0);
        values.raw.in_type(operation, dtype)
    }

    fallible! {
        /// The values at points, whose coordinates are along the last axis (`f64` for integers).
        ///
        /// **Panics** if the last axis is not that of the coordinates ([`Error::InvalidShape`]), or if the device differs.
        pub fn eval, try_eval<X: OnDevice<Elem = T>, T: Number>(&self, x: &X) -> Result<DeviceArray<T::Mean>> {
            self.evaluated("eval", x.raw(), T::Mean::DTYPE).map(DeviceArray::from_raw)
        }
    }
}
