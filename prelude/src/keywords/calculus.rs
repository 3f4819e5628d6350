//! What calls of derivatives, integrals, polynomials and functions of elements with keywords need.

use crate::array::axes::IntoAxes;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{ScanOperation, UnaryOperation};
use crate::dtype::{Arithmetic, Element, Float, Inexact, Number, Scalar};
use crate::error::{Result, check};
use crate::linalg::{stacks, tensors};
use crate::operations::calculus::{self, IntoSpacing, cross_products, gradients, integral, unwrapped};
use crate::operations::composed;
use crate::operations::composing::Composed;
use crate::operations::elementwise::RawOperand;
use crate::operations::formulas::{self, apply_one};
use crate::operations::polynomials::{antiderivative, constants, derivative, fitted, series, trimmed};
use crate::operations::scan::cumulative;
use crate::thin::thin;

thin! {
    /// `gpu::gradient` of samples that are so far apart.
    pub fn gradient<A: OnDevice<Elem = T>, T: Arithmetic>(f: &A, spacing: impl IntoSpacing, edge_order: usize)
    -> Vec<DeviceArray<T::Mean>> =>
        gradients(f.raw(), &spacing.distances(), None, edge_order, T::Mean::DTYPE);

    /// The same along some axes.
    pub fn gradient_axes<A: OnDevice<Elem = T>, T: Arithmetic>(
        f: &A, spacing: impl IntoSpacing, axes: impl IntoAxes, edge_order: usize
    ) -> Vec<DeviceArray<T::Mean>> =>
        gradients(f.raw(), &spacing.distances(), Some(&axes.into_axes()), edge_order, T::Mean::DTYPE);

    /// The same along one axis.
    pub fn gradient_along<A: OnDevice<Elem = T>, T: Arithmetic>(
        f: &A, spacing: impl IntoSpacing, axis: isize, edge_order: usize
    ) -> DeviceArray<T::Mean> =>
        gradients(f.raw(), &spacing.distances(), Some(&[axis]), edge_order, T::Mean::DTYPE)
            .map(|mut found| found.swap_remove(0));

    /// `gpu::trapezoid` with coordinates or a distance, along an axis.
    pub fn trapezoid<A: OnDevice<Elem = T>, T: Arithmetic>(
        y: &A, x: Option<&DeviceArray<T::Mean>>, dx: Option<f64>, axis: Option<isize>
    ) -> DeviceArray<T::Mean> =>
        integral(y.raw(), x.map(|x| &*x.raw), dx.unwrap_or(1.0), axis.unwrap_or(-1), T::Mean::DTYPE);

    /// `gpu::unwrap` along an axis, for another period.
    pub fn unwrap<A: OnDevice<Elem = T>, T: Number>(
        p: &A, discont: Option<f64>, axis: Option<isize>, period: Option<f64>
    ) -> DeviceArray<T::Mean> => {
        let period = period.unwrap_or(std::f64::consts::TAU);
        unwrapped(p.raw(), discont, axis.unwrap_or(-1), period, T::Mean::DTYPE)
    };

    /// `gpu::cross` of vectors along other axes.
    pub fn cross<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(
        a: &A, b: &B, axisa: Option<isize>, axisb: Option<isize>, axisc: Option<isize>, axis: Option<isize>
    ) -> DeviceArray<T> => {
        let axes = [axisa, axisb, axisc].map(|one| axis.or(one).unwrap_or(-1));
        cross_products(a.raw(), b.raw(), axes)
    };

    /// `gpu::ediff1d` with more elements at its ends.
    pub fn ediff1d<A: OnDevice<Elem = T>, T: Arithmetic>(
        a: &A, to_end: Option<&DeviceArray<T>>, to_begin: Option<&DeviceArray<T>>
    ) -> DeviceArray<T> => {
        let [begin, end] = [to_begin, to_end].map(|part| part.map(|part| &*part.raw));
        calculus::differences_between(a.raw(), begin, end)
    };

    /// `gpu::nan_to_num` with other numbers.
    pub fn nan_to_num<A: OnDevice<Elem: Inexact>>(a: &A, nan: Option<f64>, posinf: Option<f64>, neginf: Option<f64>)
    -> DeviceArray<A::Elem> => composed::nan_to_num(a.raw(), nan.unwrap_or(0.0), posinf, neginf);

    /// `gpu::round` to so many digits behind the point, or in front of it if they are negative.
    pub fn round<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A, decimals: i32) -> DeviceArray<T> =>
        rounded(a.raw(), decimals);

    /// `gpu::polyfit` with a weight for each point, and a bound for singular values.
    pub fn polyfit<X, Y, T>(x: &X, y: &Y, deg: usize, rcond: Option<f64>, w: Option<&DeviceArray<T::Mean>>)
    -> DeviceArray<T::Mean>
    where X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number => {
        let weights = w.map(|weights| &*weights.raw);
        fitted(x.raw(), y.raw(), deg, rcond, weights, T::Mean::DTYPE).map(|fit| fit.coefficients)
    };

    /// `gpu::polyder` of this order.
    pub fn polyder<A: OnDevice<Elem = T>, T: Arithmetic>(p: &A, m: usize) -> DeviceArray<T> => derivative(p.raw(), m);

    /// `gpu::polyint` so many times, with a constant for each, one for all, or none for zeros.
    pub fn polyint<A: OnDevice<Elem = T>, T: Arithmetic>(p: &A, m: usize, k: impl AsRef<[T::Mean]>)
    -> DeviceArray<T::Mean> => {
        let given = k.as_ref().iter().map(|constant| constant.to_scalar()).collect();
        constants(m, given, T::Mean::default().to_scalar())
            .and_then(|constants| antiderivative(p.raw(), &constants, T::Mean::DTYPE))
    };

    /// `gpu::trimcoef` with a tolerance.
    pub fn trimcoef<A: OnDevice<Elem = T>, T: Float>(c: &A, tolerance: f64) -> DeviceArray<T> =>
        trimmed(c.raw(), tolerance);

    /// Matrices of which the lower triangle is the upper one of symmetric or Hermitian matrices.
    pub fn adjoint<A: OnDevice<Elem = T>, T: Inexact>(a: &A) -> DeviceArray<T> => of_upper(a.raw());

    /// `gpu::linalg::tensorinv` with so many axes for the rows.
    pub fn tensorinv<A: OnDevice<Elem = T>, T: Inexact>(a: &A, ind: usize) -> DeviceArray<T> =>
        tensors::inverse(a.raw(), ind);

    /// `gpu::linalg::tensorsolve` after axes were moved to the end.
    pub fn tensorsolve<A, B, T>(a: &A, b: &B, axes: impl IntoAxes) -> DeviceArray<T>
    where A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Inexact =>
        tensors::solution(a.raw(), b.raw(), &axes.into_axes());
}

/// The coefficients of a fit, the sums of the squares of the residuals, the rank, the singular values, and the bound for these.
pub type FullFit<M> = (DeviceArray<M>, DeviceArray<M>, usize, DeviceArray<M>, f64);

/// As [`polyfit`](fn@polyfit), with all that the fit found out.
#[track_caller]
pub fn polyfit_full<X, Y, T>(
    x: &X,
    y: &Y,
    deg: usize,
    rcond: Option<f64>,
    w: Option<&DeviceArray<T::Mean>>,
) -> FullFit<T::Mean>
where
    X: OnDevice<Elem = T>,
    Y: OnDevice<Elem = T>,
    T: Number,
{
    let weights = w.map(|weights| &*weights.raw);
    let fit = check(fitted(x.raw(), y.raw(), deg, rcond, weights, T::Mean::DTYPE));
    let [coefficients, squares, values] = [fit.coefficients, fit.squares, fit.values].map(DeviceArray::from_raw);
    (coefficients, squares, fit.rank, values, fit.rcond)
}

/// As [`polyfit`](fn@polyfit), with the covariances of the coefficients.
#[track_caller]
pub fn polyfit_cov<X, Y, T>(
    x: &X,
    y: &Y,
    deg: usize,
    rcond: Option<f64>,
    w: Option<&DeviceArray<T::Mean>>,
    scaled: Option<bool>,
) -> (DeviceArray<T::Mean>, DeviceArray<T::Mean>)
where
    X: OnDevice<Elem = T>,
    Y: OnDevice<Elem = T>,
    T: Number,
{
    let weights = w.map(|weights| &*weights.raw);
    let fit = fitted(x.raw(), y.raw(), deg, rcond, weights, T::Mean::DTYPE);
    let both = fit.and_then(|fit| Ok((fit.covariance(scaled.unwrap_or(true))?, fit.coefficients)));
    let (covariance, coefficients) = check(both);
    (DeviceArray::from_raw(coefficients), DeviceArray::from_raw(covariance))
}

/// Rows and columns exchanged; what has none is left to the function that is called.
fn of_upper(x: &RawArray) -> Result<RawArray> {
    if x.shape().len() < 2 { Ok(x.clone()) } else { stacks::adjoint("eigh", x) }
}

fn rounded(x: &RawArray, decimals: i32) -> Result<RawArray> {
    let calc = Composed("round");
    if decimals == 0 {
        return calc.each(UnaryOperation::Round, x);
    }
    if x.dtype.is_complex() {
        return Ok(rounded(&x.parts(), decimals)?.joined(x.dtype));
    }
    let factor = 10f64.powi(decimals.saturating_abs());
    if !x.dtype.is_float() {
        let operands = [RawOperand::Array(x), RawOperand::Scalar(Scalar::F64(factor))];
        return if decimals > 0 { x.copied(calc.0) } else { apply_one(calc.0, formulas::rounded_integer, &operands) };
    }
    let factor = Scalar::of_float(factor, x.dtype.compute_type());
    let operands = [RawOperand::Array(x), RawOperand::Scalar(factor), RawOperand::Scalar(Scalar::Bool(decimals > 0))];
    apply_one(calc.0, formulas::rounded, &operands)
}

macro_rules! cumulative {
    ($($name:ident $operation:ident;)*) => {$(
        #[doc = concat!("`gpu::", stringify!($name), "` along an axis, and with what it begins from.")]
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: Element>(
            x: &A,
            axis: Option<isize>,
            include_initial: Option<bool>,
        ) -> DeviceArray<T::Sum> {
            let include_initial = include_initial.unwrap_or(false);
            let found = cumulative(stringify!($name), ScanOperation::$operation, x.raw(), axis, include_initial);
            DeviceArray::from_raw(check(found))
        }
    )*};
}
cumulative! {
    cumulative_sum Sum;
    cumulative_prod Product;
}

/// `gpu::as_series`, of which zeros may stay.
#[track_caller]
pub fn as_series<'a, A: OnDevice<Elem = T> + 'a, T: Arithmetic>(
    alist: impl IntoIterator<Item = &'a A>,
    trim: bool,
) -> Vec<DeviceArray<T::Mean>> {
    check(alist.into_iter().map(|one| series(one.raw(), trim, T::Mean::DTYPE).map(DeviceArray::from_raw)).collect())
}
