//! What calls of statistics, differences and interpolation with keywords need.

use crate::array::sides::sealed::Any;
use crate::array::transfer::{self, bring};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{Element, Float, Scalar};
use crate::error::{Result, check};
use crate::files::npz::MixedArray;
use crate::operations::covariance::{Options, correlations, covariances};
use crate::operations::elementwise::{Operand, RawOperand};
use crate::operations::interp::{Outside, interpolated};
use crate::operations::scan::differences_with;
use crate::thin::thin;
use std::marker::PhantomData;

/// Weights of any numbers, on the device of the array.
pub(super) fn brought(name: &'static str, weights: Option<&dyn MixedArray>, x: &RawArray) -> Result<Option<RawArray>> {
    weights.map(|weights| bring(name, &Any::any_view(weights), &x.handle)).transpose()
}

thin! {
    /// `gpu::cov` with its keywords.
    pub fn cov<A: OnDevice<Elem = T>, T: Element>(
        m: &A, y: Option<&DeviceArray<T>>, rowvar: Option<bool>, bias: Option<bool>, ddof: Option<f64>,
        fweights: Option<&dyn MixedArray>, aweights: Option<&dyn MixedArray>
    ) -> DeviceArray<T::Mean> => {
        let frequencies = brought("cov", fweights, m.raw());
        frequencies.and_then(|frequencies| {
            let importances = brought("cov", aweights, m.raw())?;
            let usual = if bias == Some(true) { 0.0 } else { 1.0 };
            let options = Options {
                y: y.map(|y| &*y.raw),
                rowvar: rowvar.unwrap_or(true),
                ddof: ddof.unwrap_or(usual),
                frequencies: frequencies.as_ref(),
                importances: importances.as_ref(),
            };
            covariances("cov", m.raw(), options, T::Mean::DTYPE)
        })
    };

    /// `gpu::corrcoef` with its keywords.
    pub fn corrcoef<A: OnDevice<Elem = T>, T: Element>(x: &A, y: Option<&DeviceArray<T>>, rowvar: Option<bool>)
    -> DeviceArray<T::Mean> => {
        let options = Options { y: y.map(|y| &*y.raw), rowvar: rowvar.unwrap_or(true), ..Options::default() };
        correlations(x.raw(), options, T::Mean::DTYPE)
    };

    /// `gpu::diff` with more before and behind the array.
    pub fn diff<A: OnDevice<Elem = T>, T: Element>(
        a: &A, n: usize, axis: isize, prepend: Option<End<T>>, append: Option<End<T>>
    ) -> DeviceArray<T> => {
        let [before, behind] = [&prepend, &append].map(|end| end.as_ref().map(End::operand));
        differences_with(a.raw(), n, axis, before, behind)
    };

    /// `gpu::interp` with its keywords.
    pub fn interp<P: OnDevice<Elem = T>, F: OnDevice<Elem = T>, T: Float>(
        x: impl Operand<T>, xp: &P, fp: &F, left: Option<T>, right: Option<T>, period: Option<T>
    ) -> DeviceArray<T> => {
        let [left, right] = [left, right].map(|value| value.map(Element::to_scalar));
        let outside = Outside { left, right, period: period.map(Float::to_f64) };
        interpolated(x.raw_operand(), xp.raw(), fp.raw(), outside)
    };
}

/// What stands before an array or behind it: an array, or a number.
pub struct End<T> {
    array: Option<RawArray>,
    value: Scalar,
    elements: PhantomData<T>,
}

impl<T> End<T> {
    fn operand(&self) -> RawOperand<'_> {
        self.array.as_ref().map_or(RawOperand::Scalar(self.value), RawOperand::Array)
    }
}

/// An array or a number as an end.
pub fn end<T: Element>(values: impl Operand<T>) -> End<T> {
    let (array, value) = match values.raw_operand() {
        RawOperand::Array(array) => (Some(array.clone()), Scalar::zero(T::DTYPE)),
        RawOperand::Scalar(value) => (None, value),
    };
    End { array, value, elements: PhantomData }
}

/// How far the numbers of `gpu::linspace` are apart.
pub fn step_of<T: Float>(start: T, stop: T, num: usize, endpoint: bool) -> T {
    let steps = if endpoint { num.saturating_sub(1) } else { num };
    let distance = stop.to_f64() - start.to_f64();
    T::from_f64(if steps == 0 { f64::NAN } else { distance / steps as f64 })
}

/// The sums of the weights of `gpu::average`, in the shape of the means.
#[track_caller]
pub fn sums_of_weights<A: OnDevice<Elem = T>, T: Element>(
    a: &A,
    axes: super::Axes,
    weights: Option<&dyn MixedArray>,
) -> DeviceArray<T::Mean> {
    DeviceArray::from_raw(check(super::reductions::total_weights(a.raw(), &axes, weights, T::Mean::DTYPE)))
}

/// How many elements there are, as the mean's type.
#[track_caller]
pub fn count_of<A: OnDevice<Elem = T>, T: Element>(a: &A) -> T::Mean {
    transfer::typed_scalar(Scalar::of_float(a.raw().size() as f64, T::Mean::DTYPE))
}
