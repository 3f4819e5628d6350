//! Derivatives and integrals of sampled functions, cross products, and angles without jumps.

use crate::array::axes::{axes_of, axis_of};
use crate::array::{DeviceArray, OnDevice, RawArray, assign, shape, slice_axis};
use crate::backend::{BinaryOperation, Layout, Operand, ReduceOperation, UnaryOperation};
use crate::dtype::{Arithmetic, DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::operations::composing::Composed;
use crate::operations::elementwise::RawOperand;
use crate::operations::formulas::{self, apply_one};
use crate::operations::reduce::{as_mean, reduce};
use crate::operations::scan::{differences, scan_axis};
use crate::thin::thin;

/// How far the samples of [`gradient`] are apart: a number for all axes, the coordinates along the only axis, or a tuple with a
/// number or the coordinates for each axis. Coordinates are a 1-D array of floats. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how far samples are apart",
    label = "expected a number, or coordinates",
    note = "a spacing is a number such as `0.1`, the coordinates `&x` of the samples, or a tuple with one for each axis: `(0.1, &x)`"
)]
pub trait IntoSpacing: sealed::Spacing {}

mod sealed {
    use super::RawArray;

    /// Along one axis.
    pub enum Distance {
        Number(f64),
        Coordinates(RawArray),
    }

    pub trait One {
        fn distance(self) -> Distance;
    }
    pub trait Spacing {
        fn distances(self) -> Vec<Distance>;
    }
}
pub(crate) use sealed::Distance;

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl sealed::One for $type {
            fn distance(self) -> Distance {
                Distance::Number(self as f64)
            }
        }
    )*};
}
numbers! { f64 f32 i32 i64 usize }
impl<T: Element> sealed::One for &DeviceArray<T> {
    fn distance(self) -> Distance {
        Distance::Coordinates((*self.raw).clone())
    }
}
impl<S: sealed::One> sealed::Spacing for S {
    fn distances(self) -> Vec<Distance> {
        vec![self.distance()]
    }
}
impl<S: sealed::One> IntoSpacing for S {}
macro_rules! tuples {
    ($(($($part:ident)+))*) => {$(
        impl<$($part: sealed::One),+> sealed::Spacing for ($($part,)+) {
            #[allow(non_snake_case, reason = "the names of the types are those of the values")]
            fn distances(self) -> Vec<Distance> {
                let ($($part,)+) = self;
                vec![$($part.distance()),+]
            }
        }
        impl<$($part: sealed::One),+> IntoSpacing for ($($part,)+) {}
    )*};
}
tuples! { (A B) (A B C) (A B C D) }

/// The derivatives along each axis of a function that was sampled at points one apart (`f64` for integers): central
/// differences inside, one-sided ones at the ends. NumPy's `gradient`. `gpu::gradient!(&f, 0.1, axis = 0)` has the spacing,
/// which may be coordinates, too, or differ from axis to axis, and `edge_order`. With one axis it gives one array; with axes
/// in parentheses, such as `axis = (0, 1)`, a list.
///
/// **Panics** if there are less than two samples along an axis ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// let f = gpu::array(&[1.0, 2.0, 4.0, 7.0]);
/// assert_eq!(gpu::gradient(&f)[0].tolist(), [1.0, 1.5, 2.5, 3.0]);
/// assert_eq!(gpu::gradient!(&f, 0.5, axis = 0).tolist(), [2.0, 3.0, 5.0, 6.0]);
/// ```
#[track_caller]
pub fn gradient<A: OnDevice<Elem = T>, T: Arithmetic>(f: &A) -> Vec<DeviceArray<T::Mean>> {
    let found = gradients(f.raw(), &[Distance::Number(1.0)], None, 1, T::Mean::DTYPE);
    check(found).into_iter().map(DeviceArray::from_raw).collect()
}

thin! {
    /// The integral of samples one apart along the last axis, which the result lacks, by the trapezoidal rule (`f64` for
    /// integers). NumPy's `trapezoid`. `gpu::trapezoid!(&y, &x)` takes the coordinates of the samples, and
    /// `gpu::trapezoid!(&y, dx = 0.1, axis = 0)` another distance and another axis.
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::trapezoid(&gpu::array(&[1.0, 2.0, 3.0])).item(), 4.0);
    /// assert_eq!(gpu::trapezoid!(&gpu::array(&[1.0, 2.0, 3.0]), dx = 2.0).item(), 8.0);
    /// ```
    pub fn trapezoid<A: OnDevice<Elem = T>, T: Arithmetic>(y: &A) -> DeviceArray<T::Mean> =>
        integral(y.raw(), None, 1.0, -1, T::Mean::DTYPE);

    /// The angles along the last axis without jumps (`f64` for integers): where two neighbours differ by more than π, a
    /// multiple of 2π is added to all that follow, so that they differ by π at most. NumPy's `unwrap`. `gpu::unwrap!(&p, axis
    /// = 0, period = 360.0)` has its keywords.
    ///
    /// **Panics** if the array has no axes ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// use std::f64::consts::TAU;
    /// let p = gpu::unwrap(&gpu::array(&[0.0, 3.0, 6.0 - TAU]));
    /// assert!(gpu::allclose(&p, &[0.0, 3.0, 6.0]));
    /// ```
    pub fn unwrap<A: OnDevice<Elem = T>, T: Number>(p: &A) -> DeviceArray<T::Mean> =>
        unwrapped(p.raw(), None, -1, std::f64::consts::TAU, T::Mean::DTYPE);

    /// The differences of neighbours in row-major order; 1-D. NumPy's `ediff1d`. `gpu::ediff1d!(&a, to_end = &b)` puts more
    /// elements behind them, and `to_begin` before them.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::ediff1d(&gpu::array(&[[1, 2], [4, 7]])).tolist(), [1, 2, 3]);
    /// ```
    pub fn ediff1d<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<T> =>
        differences_between(a.raw(), None, None);

    /// The cross products of the vectors along the last axes, of 3 elements each; all other axes are broadcast. Of vectors of
    /// 2 elements it is the third element, as a number. NumPy's `cross`. `gpu::cross!(&a, &b, axis = 0)` has vectors along
    /// another axis.
    ///
    /// **Panics** if the last axes do not both have the length 3 or both 2 ([`Error::InvalidShape`]), if the other axes do not
    /// broadcast, or if a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, y) = (gpu::array(&[1.0, 0.0, 0.0]), gpu::array(&[0.0, 1.0, 0.0]));
    /// assert_eq!(gpu::cross(&x, &y).tolist(), [0.0, 0.0, 1.0]);
    /// ```
    pub fn cross<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Arithmetic>(a: &A, b: &B) -> DeviceArray<T> =>
        cross_products(a.raw(), b.raw(), [-1, -1, -1]);
}

/// `ediff1d` with more elements at its ends.
pub(crate) fn differences_between(x: &RawArray, begin: Option<&RawArray>, end: Option<&RawArray>) -> Result<RawArray> {
    const NAME: &str = "ediff1d";
    let flat = x.flat(NAME)?;
    let flat_end = |part: Option<&RawArray>| part.map(|part| part.flat(NAME)).transpose();
    let (begin, end) = (flat_end(begin)?, flat_end(end)?);
    for part in begin.iter().chain(&end) {
        x.same_device(NAME, part)?;
    }
    let (before, count) = (begin.as_ref().map_or(0, RawArray::size), flat.size().saturating_sub(1));
    let behind = end.as_ref().map_or(0, RawArray::size);
    let out = RawArray::uninitialised(NAME, &x.handle, &[before + count + behind], x.dtype)?;
    let part = |start: usize, count: usize| slice_axis(&out, 0, start, 1, count);
    if let Some(begin) = begin {
        assign(NAME, &part(0, before), &begin)?;
    }
    if x.dtype.is_storage() {
        assign(NAME, &part(before, count), &differences(NAME, &flat, 1, 0)?)?;
    } else if count > 0 {
        let (later, earlier) = (slice_axis(&flat, 0, 1, 1, count), slice_axis(&flat, 0, 0, 1, count));
        let operands = (Operand::Array(later.view()), Operand::Array(earlier.view()));
        x.handle.backend.binary(BinaryOperation::Subtract, operands.0, operands.1, part(before, count).view())?;
    }
    if let Some(end) = end {
        assign(NAME, &part(before + count, behind), &end)?;
    }
    Ok(out)
}

/// The derivatives along axes, or along all, in their order, as floats of `dtype`.
pub(crate) fn gradients(
    f: &RawArray,
    distances: &[Distance],
    axes: Option<&[isize]>,
    edge_order: usize,
    dtype: DType,
) -> Result<Vec<RawArray>> {
    const NAME: &str = "gradient";
    let axes: Vec<usize> = match axes {
        Some(axes) => {
            axes_of(NAME, f.shape(), axes)?;
            axes.iter().map(|&axis| axis_of(NAME, f.shape(), axis)).collect::<Result<_>>()?
        }
        None => (0..f.shape().len()).collect(),
    };
    let is_one_number = matches!(distances, [Distance::Number(_)]);
    if !is_one_number && distances.len() != axes.len() {
        let reason = format!(
            "there are {} spacings for {} axes; give one number for all axes, or a number or coordinates for each",
            distances.len(),
            axes.len()
        );
        return Err(Error::argument(NAME, reason));
    }
    if !matches!(edge_order, 1 | 2) {
        let reason = format!("`edge_order` is {edge_order}; give 1 or 2");
        return Err(Error::argument(NAME, reason));
    }
    let distance = |at: usize| if is_one_number { &distances[0] } else { &distances[at] };
    for (at, &axis) in axes.iter().enumerate() {
        let length = f.shape()[axis];
        if length <= edge_order {
            let reason =
                format!("has {length} elements along axis {axis}; differences there need {} at least", edge_order + 1);
            return Err(Error::shape(NAME, f.shape(), reason));
        }
        if let Distance::Coordinates(x) = distance(at) {
            f.same_device(NAME, x)?;
            if x.shape() != [length] {
                let reason = format!(
                    "of the coordinates does not fit axis {axis} of the shape {:?}; give a 1-D array of {length} coordinates",
                    f.shape()
                );
                return Err(Error::shape(NAME, x.shape(), reason));
            }
        }
    }
    let f = as_mean(NAME, f, dtype)?;
    let along = |(at, &axis): (usize, &usize)| match distance(at) {
        Distance::Number(step) => evenly(&f, axis, *step, edge_order),
        Distance::Coordinates(x) => unevenly(&f, axis, &as_mean(NAME, x, dtype)?, edge_order),
    };
    axes.iter().enumerate().map(along).collect()
}

/// Where the first of three samples is of which the differences at an end are made, and the place of the end.
fn ends(length: usize) -> [(usize, usize); 2] {
    [(0, 0), (length.saturating_sub(3), length - 1)]
}

/// `target = Σ f · coefficient`, at places along the axis.
fn weighted_sum(target: &RawArray, terms: [(&RawArray, f64); 3]) -> Result<()> {
    let calc = Composed("gradient");
    let [first, second, third] = terms;
    assign(calc.0, target, first.0)?;
    calc.with_into(BinaryOperation::Multiply, target, first.1)?;
    for (samples, factor) in [second, third] {
        calc.pair_into(BinaryOperation::Add, target, &calc.with(BinaryOperation::Multiply, samples, factor)?)?;
    }
    Ok(())
}

/// The derivatives along an axis of samples that are `step` apart.
fn evenly(f: &RawArray, axis: usize, step: f64, edge_order: usize) -> Result<RawArray> {
    let calc = Composed("gradient");
    let length = f.shape()[axis];
    let part = |x: &RawArray, start: usize, count: usize| slice_axis(x, axis, start, 1, count);
    let out = RawArray::uninitialised(calc.0, &f.handle, f.shape(), f.dtype)?;
    let difference = |target: &RawArray, later: &RawArray, earlier: &RawArray, distance: f64| -> Result<()> {
        assign(calc.0, target, later)?;
        calc.pair_into(BinaryOperation::Subtract, target, earlier)?;
        calc.with_into(BinaryOperation::Divide, target, distance)
    };
    let inner = length - 2;
    difference(&part(&out, 1, inner), &part(f, 2, inner), &part(f, 0, inner), 2.0 * step)?;
    if edge_order == 1 {
        for (place, later, earlier) in [(0, 1, 0), (length - 1, length - 1, length - 2)] {
            difference(&part(&out, place, 1), &part(f, later, 1), &part(f, earlier, 1), step)?;
        }
        return Ok(out);
    }
    for ((start, place), factors) in ends(length).into_iter().zip([[-1.5, 2.0, -0.5], [0.5, -2.0, 1.5]]) {
        let samples = [0, 1, 2].map(|at| part(f, start + at, 1));
        let terms = [0, 1, 2].map(|at| (&samples[at], factors[at] / step));
        weighted_sum(&part(&out, place, 1), terms)?;
    }
    Ok(out)
}

/// The derivatives along an axis of samples at coordinates. Inside, they are those of the parabola through three neighbours.
fn unevenly(f: &RawArray, axis: usize, x: &RawArray, edge_order: usize) -> Result<RawArray> {
    use BinaryOperation::{Add, Divide, Multiply, Subtract};
    let calc = Composed("gradient");
    let length = f.shape()[axis];
    let part = |x: &RawArray, start: usize, count: usize| slice_axis(x, axis, start, 1, count);
    // Along the axis, whatever axes are behind it.
    let along = |x: &RawArray| {
        let behind = f.shape().len() - axis - 1;
        let layout = Layout {
            shape: [x.shape(), &vec![1; behind]].concat(),
            strides: [&x.layout.strides[..], &vec![0; behind]].concat(),
            offset: x.layout.offset,
        };
        x.with_layout(layout)
    };
    let out = RawArray::uninitialised(calc.0, &f.handle, f.shape(), f.dtype)?;
    let steps = differences(calc.0, x, 1, 0)?;
    let step = |start: usize, count: usize| slice_axis(&steps, 0, start, 1, count);
    // `target` is the sum of three neighbours with these factors.
    let sum = |target: &RawArray, start: usize, factors: [&RawArray; 3]| -> Result<()> {
        let count = target.shape()[axis];
        assign(calc.0, target, &part(f, start, count))?;
        calc.pair_into(Multiply, target, &along(factors[0]))?;
        for (at, factor) in factors.into_iter().enumerate().skip(1) {
            let term = calc.pair(Multiply, &part(f, start + at, count), &along(factor))?;
            calc.pair_into(Add, target, &term)?;
        }
        Ok(())
    };
    let inner = length - 2;
    let (first, second) = (step(0, inner), step(1.min(length - 1), inner));
    let both = calc.pair(Add, &first, &second)?;
    let product = calc.pair(Multiply, &first, &second)?;
    let negative = |x: &RawArray| calc.each(UnaryOperation::Negative, x);
    let before = negative(&calc.pair(Divide, &second, &calc.pair(Multiply, &first, &both)?)?)?;
    let middle = calc.pair(Divide, &calc.pair(Subtract, &second, &first)?, &product)?;
    let behind = calc.pair(Divide, &first, &calc.pair(Multiply, &second, &both)?)?;
    sum(&part(&out, 1, inner), 0, [&before, &middle, &behind])?;
    if edge_order == 1 {
        for (place, later, earlier, at) in [(0, 1, 0, 0), (length - 1, length - 1, length - 2, length - 2)] {
            let target = part(&out, place, 1);
            assign(calc.0, &target, &part(f, later, 1))?;
            calc.pair_into(Subtract, &target, &part(f, earlier, 1))?;
            calc.pair_into(Divide, &target, &along(&step(at, 1)))?;
        }
        return Ok(out);
    }
    // At the ends it is the slope of the parabola through the three samples there.
    for (end, (start, place)) in ends(length).into_iter().enumerate() {
        let (first, second) = (step(start, 1), step(start + 1, 1));
        let (near, far) = if end == 0 { (&first, &second) } else { (&second, &first) };
        let both = calc.pair(Add, near, far)?;
        let wide = calc.pair(Add, &both, near)?;
        let at_end = calc.pair(Divide, &wide, &calc.pair(Multiply, near, &both)?)?;
        let middle = calc.pair(Divide, &both, &calc.pair(Multiply, near, far)?)?;
        let other = calc.pair(Divide, near, &calc.pair(Multiply, far, &both)?)?;
        let target = part(&out, place, 1);
        if end == 0 {
            sum(&target, start, [&negative(&at_end)?, &middle, &negative(&other)?])?;
        } else {
            sum(&target, start, [&other, &negative(&middle)?, &at_end])?;
        }
    }
    Ok(out)
}

/// The integral along an axis, as floats of `dtype`. Coordinates are 1-D along the axis, or broadcast to the samples.
pub(crate) fn integral(y: &RawArray, x: Option<&RawArray>, dx: f64, axis: isize, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "trapezoid";
    let calc = Composed(NAME);
    let at = axis_of(NAME, y.shape(), axis)?;
    let pairs = y.shape()[at].saturating_sub(1);
    let steps = match x {
        None => None,
        Some(x) => {
            y.same_device(NAME, x)?;
            let x = as_mean(NAME, x, dtype)?;
            if x.shape().len() != 1 {
                Some(differences(NAME, &x, 1, axis)?)
            } else if x.shape()[0] == y.shape()[at] {
                let behind = y.shape().len() - at - 1;
                let steps = differences(NAME, &x, 1, 0)?;
                Some(calc.shaped(&steps, &[&[pairs], &vec![1; behind][..]].concat())?)
            } else {
                let reason = format!(
                    "of the coordinates does not fit axis {at} of the shape {:?}; give one for each sample along the axis",
                    y.shape()
                );
                return Err(Error::shape(NAME, x.shape(), reason));
            }
        }
    };
    let y = as_mean(NAME, y, dtype)?;
    let (later, earlier) = (slice_axis(&y, at, 1.min(pairs), 1, pairs), slice_axis(&y, at, 0, 1, pairs));
    let sums = calc.pair(BinaryOperation::Add, &later, &earlier)?;
    let Some(steps) = steps else {
        let sums = reduce(NAME, ReduceOperation::Sum, &sums, &[at])?;
        return calc.with(BinaryOperation::Multiply, &sums, dx / 2.0);
    };
    let areas = calc.pair(BinaryOperation::Multiply, &sums, &steps)?;
    // More axes of the coordinates come to stand before the others.
    let at = areas.shape().len() - (y.shape().len() - at);
    let total = reduce(NAME, ReduceOperation::Sum, &areas, &[at])?;
    calc.with(BinaryOperation::Multiply, &total, 0.5)
}

/// The angles without jumps of more than `discont`, half a period if it is not given, as floats of `dtype`.
pub(crate) fn unwrapped(
    p: &RawArray,
    discont: Option<f64>,
    axis: isize,
    period: f64,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "unwrap";
    let at = axis_of(NAME, p.shape(), axis)?;
    let out = p.converted(NAME, dtype)?;
    let count = p.shape()[at].saturating_sub(1);
    let (later, earlier) = (slice_axis(&out, at, 1.min(count), 1, count), slice_axis(&out, at, 0, 1, count));
    let number = |value: f64| RawOperand::Scalar(crate::operations::composing::number(value, dtype));
    let (period, least) = (number(period), number(discont.unwrap_or(period / 2.0)));
    let operands = [RawOperand::Array(&later), RawOperand::Array(&earlier), period, least];
    let corrections = apply_one(NAME, formulas::turn, &operands)?;
    let sums = scan_axis(NAME, crate::backend::ScanOperation::Sum, &corrections, axis)?;
    Composed(NAME).pair_into(BinaryOperation::Add, &later, &sums)?;
    Ok(out)
}

/// The cross products of vectors along the axes of `a`, `b` and of the result.
pub(crate) fn cross_products(a: &RawArray, b: &RawArray, axes: [isize; 3]) -> Result<RawArray> {
    const NAME: &str = "cross";
    let calc = Composed(NAME);
    a.same_device(NAME, b)?;
    let [axis_a, axis_b] = [axis_of(NAME, a.shape(), axes[0])?, axis_of(NAME, b.shape(), axes[1])?];
    let (a, b) = (a.moved(axis_a, a.shape().len() - 1), b.moved(axis_b, b.shape().len() - 1));
    let ((count_a, kept_a), (count_b, kept_b)) =
        (a.shape().split_last().expect("an axis"), b.shape().split_last().expect("an axis"));
    if count_a != count_b || !matches!(count_a, 2 | 3) {
        let reason = format!(
            "has vectors of {count_b} elements, and the shape {:?} of the first array has vectors of {count_a}; give vectors of 3 \
             elements, or two of 2",
            a.shape()
        );
        return Err(Error::shape(NAME, b.shape(), reason));
    }
    let kept = shape::broadcast_shapes(NAME, kept_a, kept_b)?;
    let element = |x: &RawArray, at: usize| {
        let Layout { mut shape, mut strides, offset } = x.layout.clone();
        shape.pop();
        let step = strides.pop().expect("an axis");
        // An array without elements may have no place for this one.
        let skipped = if x.size() == 0 { 0 } else { step * at as isize };
        let offset = offset.checked_add_signed(skipped).expect("within the allocation");
        x.with_layout(Layout { shape, strides, offset })
    };
    let product = |at_a: usize, at_b: usize| {
        let (a, b) = (element(&a, at_a), element(&b, at_b));
        calc.pair(BinaryOperation::Multiply, &a, &b)
    };
    if *count_a == 2 {
        let out = product(0, 1)?;
        return calc.pair(BinaryOperation::Subtract, &out, &product(1, 0)?);
    }
    let out = RawArray::uninitialised(NAME, &a.handle, &[&kept[..], &[3]].concat(), a.dtype)?;
    let axis = axis_of(NAME, out.shape(), axes[2])?;
    for (at, (second, third)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
        let difference = calc.pair(BinaryOperation::Subtract, &product(second, third)?, &product(third, second)?)?;
        assign(NAME, &element(&out, at), &difference)?;
    }
    Ok(out.moved(kept.len(), axis))
}
