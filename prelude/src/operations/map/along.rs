//! Formulas along an axis: sums and extremes over it, and what then needs all elements once more.

use super::function::Results;
use super::{Fused, Given, MapOperand, Operand, Request, arguments::hidden};
use crate::array::RawArray;
use crate::array::axes::axis_of;
use crate::backend::launch::Argument as Passed;
use crate::backend::{Layout, ReduceOperation, Stage, best_or_general};
use crate::device::Handle;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::elementwise::RawOperand;
use crate::operations::reduce::reduce;
use crate::registry;

mod sealed {
    use super::{ReduceOperation, registry};

    /// A formula, and how its results are reduced.
    pub trait Formula {
        fn stage(&self) -> (registry::Function, Option<Reduction>);
    }
    pub trait Formulas {
        fn stages(&self) -> Vec<(registry::Function, Option<Reduction>)>;
    }
    pub struct Reduction(pub(in super::super) ReduceOperation);
}

/// A formula of [`fuse!`](crate::fuse), of any signature. Not an extension point.
pub trait Formula: sealed::Formula {
    /// What it gives for an element, or what that is reduced to.
    type Output: Results;
}

/// One to six formulas of [`fuse!`](crate::fuse), a tuple. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not formulas along an axis",
    label = "expected a tuple of formulas",
    note = "write `(gpu::fuse!(|x: f32| max(x)), gpu::fuse!(|x: f32, largest: f32| x / largest))`"
)]
pub trait Formulas: sealed::Formulas {
    /// What the last one gives.
    type Output: Results;
}

macro_rules! formulas_of {
    ($(($($type:ident $unused:ident $argument:ident $index:tt),*))*) => {$(
        impl<R: Results, $($type: Element),*> sealed::Formula for Fused<fn($($type),*) -> R> {
            fn stage(&self) -> (registry::Function, Option<sealed::Reduction>) {
                (self.function, R::reduction().map(|reduction| sealed::Reduction(reduction.0)))
            }
        }
        impl<R: Results, $($type: Element),*> Formula for Fused<fn($($type),*) -> R> {
            type Output = R;
        }
    )*};
}
one_to_eight!(formulas_of);

macro_rules! tuples {
    ($(($($formula:ident $index:tt),* => $last:ident))*) => {$(
        impl<$($formula: Formula),*> sealed::Formulas for ($($formula,)*) {
            fn stages(&self) -> Vec<(registry::Function, Option<sealed::Reduction>)> {
                vec![$(self.$index.stage()),*]
            }
        }
        impl<$($formula: Formula),*> Formulas for ($($formula,)*) {
            type Output = $last::Output;
        }
    )*};
}
tuples! {
    (A 0 => A)
    (A 0, B 1 => B)
    (A 0, B 1, C 2 => C)
    (A 0, B 1, C 2, D 3 => D)
    (A 0, B 1, C 2, D 3, E 4 => E)
    (A 0, B 1, C 2, D 3, E 4, G 5 => G)
}

fallible! {
    /// Applies formulas along an axis, of which later ones take what earlier ones were reduced to over it: a softmax, or values
    /// less their mean. What `torch.compile` and `jax.jit` fuse.
    ///
    /// All formulas but the last one have `sum`, `prod`, `min`, `max`, `any` or `all` around them, and are reduced along `axis`
    /// (negative axes count from the last, -1). Each takes the elements of the `arguments`, and then those values in their order,
    /// which are the same for all elements along the axis. The result is what the last formula gives, in the shape to which the
    /// arguments broadcast; if it is reduced too, the result lacks the axis. Arguments are those of [`map`](fn@crate::map): one array, or a tuple of arrays
    /// and scalars.
    ///
    /// On CUDA one kernel computes all formulas of `f32` and `f64` along the last axis of contiguous arrays; a row that the first
    /// formula has read is in the caches for the next ones. Otherwise each formula takes passes of its own. Sums are as accurate as
    /// [`sum`](crate::DeviceArray::sum), and may differ between devices by rounding.
    ///
    /// **Panics** as [`map`](fn@crate::map) does; if there is no such axis ([`Error::InvalidShape`]); and if a formula is not
    /// reduced, or does not take those values ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// let softmax = (
    ///     fuse!(|x: f32| max(x)),
    ///     fuse!(|x: f32, largest: f32| sum((x - largest).exp())),
    ///     fuse!(|x: f32, largest: f32, total: f32| (x - largest).exp() / total),
    /// );
    /// # if gpu::device() == gpu::Device::Cpu {
    /// let x = gpu::array(&[[0.0f32, 0.0], [1.0, 1.0 + 3f32.ln()]]);
    /// let shares = gpu::map_along(softmax, &x, 1);
    /// assert_eq!(shares.get(&[0, 1]), 0.5);
    /// assert!((shares.get(&[1, 1]) - 0.75).abs() < 1e-6);
    /// # }
    /// ```
    pub fn map_along, try_map_along<S: Formulas, A: hidden::Arguments>(
        formulas: S,
        arguments: A,
        axis: isize,
    ) -> Result< <S::Output as Results>::Arrays> {
        let stages: Vec<_> = formulas.stages().into_iter().map(|(function, reduction)| Kept {
            function,
            reduction: reduction.map(|reduction| reduction.0),
        }).collect();
        let function = stages[0].function;
        let along = Some((&stages[..], axis));
        let request = Request { operation: "map_along", function, reduction: None, targets: None, along };
        request.of(&arguments).map(S::Output::arrays)
    }
}

/// A formula along an axis.
pub(crate) struct Kept {
    pub function: registry::Function,
    pub reduction: Option<ReduceOperation>,
}

/// What functions of the prelude itself give along the last axis, in one pass over rows; if the device has such.
pub(crate) fn registered_along<const N: usize>(
    operation: &'static str,
    stages: [(&'static str, Option<ReduceOperation>); N],
    x: &RawArray,
) -> Result<Option<RawArray>> {
    let stages = stages.map(|(name, reduction)| Kept {
        function: *registry::find(name).expect("the loader has registered it"),
        reduction,
    });
    by_rows(operation, &stages, &[Operand::Elements(RawOperand::Array(x))], &x.handle, x.shape())
}

/// As [`map_along`] with arguments of any types.
pub(super) fn run(
    request: &Request<'_>,
    operands: &[MapOperand<'_>],
    stages: &[Kept],
    axis: isize,
) -> Result<Vec<RawArray>> {
    let operation = request.operation;
    let (_, reduced) = stages.split_last().expect("there is a formula");
    let given: Vec<Operand<'_>> = operands.iter().map(Operand::of).collect();
    let (handle, shape) = request.place(&given)?;
    let axis = axis_of(operation, &shape, axis)?;
    if let Some(place) = reduced.iter().position(|stage| stage.reduction.is_none()) {
        let reason = format!(
            "formula {} of {} is not reduced; write `sum(…)`, `max(…)`, `min(…)` or `prod(…)` around it",
            place + 1,
            stages.len()
        );
        return Err(Error::argument(operation, reason));
    }
    let of =
        |stage: &Kept| Request { operation, function: stage.function, reduction: None, targets: None, along: None };
    let mut types: Vec<Given<'_>> = given.iter().map(Operand::given).collect();
    for stage in stages {
        of(stage).accepts(&types)?;
        types.extend(stage.reduction.map(|reduction| Given::Elements(reduction.output(stage.function.results[0]))));
    }
    let apart = || one_by_one(operation, operands, stages, axis);
    if axis + 1 != shape.len() {
        return apart();
    }
    let together = || match by_rows(operation, stages, &given, &handle, &shape)? {
        Some(out) => Ok(vec![out]),
        None => apart(),
    };
    best_or_general(&*handle.backend, together, apart)
}

/// Along any axis, by an operation for each formula and for each reduction.
fn one_by_one(
    operation: &'static str,
    operands: &[MapOperand<'_>],
    stages: &[Kept],
    axis: usize,
) -> Result<Vec<RawArray>> {
    let mut values: Vec<RawArray> = Vec::new();
    for stage in stages {
        let others = values.iter().map(|value| MapOperand::Elements(RawOperand::Array(value)));
        let all: Vec<MapOperand<'_>> = operands.iter().copied().chain(others).collect();
        let request = Request { operation, function: stage.function, reduction: None, targets: None, along: None };
        let results = request.run(&all)?;
        let Some(reduction) = stage.reduction else { return Ok(results) };
        let mut value = reduce(operation, reduction, &results[0], &[axis])?;
        value.layout.shape.insert(axis, 1);
        value.layout.strides.insert(axis, 0);
        values.push(value);
    }
    let mut value = values.pop().expect("the last one is reduced");
    value.layout.shape.remove(axis);
    value.layout.strides.remove(axis);
    Ok(vec![value])
}

/// Along the last axis, by a kernel for rows; if the device has one for these.
fn by_rows(
    operation: &'static str,
    stages: &[Kept],
    operands: &[Operand<'_>],
    handle: &Handle,
    shape: &[usize],
) -> Result<Option<RawArray>> {
    let Some((&length, kept)) = shape.split_last() else { return Ok(None) };
    let rows: usize = kept.iter().product();
    let last = stages.last().expect("there is a formula");
    if rows == 0 || length == 0 || last.function.results.len() > 1 {
        return Ok(None);
    }
    // All rows, or one that they share.
    let as_rows = |array: &RawArray| {
        let strides = if array.shape() == shape {
            vec![length as isize, 1]
        } else if array.size() == length && array.shape().last() == Some(&length) {
            vec![0, 1]
        } else {
            return None;
        };
        let layout = Layout { shape: vec![rows, length], strides, offset: array.layout.offset };
        array.layout.is_contiguous().then(|| array.with_layout(layout))
    };
    let mut arrays: Vec<Option<RawArray>> = Vec::with_capacity(operands.len());
    for operand in operands {
        match operand.array().map(as_rows) {
            Some(None) => return Ok(None),
            found => arrays.push(found.flatten()),
        }
    }
    let inputs = operands.iter().zip(&arrays).map(|(operand, array)| match (operand, array) {
        (_, Some(array)) => Some(Passed::Array(array.view(), false)),
        (Operand::Elements(RawOperand::Scalar(value)), None) => Some(Passed::Scalar(*value)),
        _ => None,
    });
    let Some(inputs) = inputs.collect::<Option<Vec<Passed<'_>>>>() else { return Ok(None) };
    let result = last.function.results[0];
    let (shape, dtype) = match last.reduction {
        Some(reduction) => (kept, reduction.output(result)),
        None => (shape, result),
    };
    let out = RawArray::uninitialised(operation, handle, shape, dtype)?;
    let stages: Vec<Stage<'_>> =
        stages.iter().map(|stage| Stage { function: &stage.function, reduction: stage.reduction }).collect();
    Ok(handle.backend.map_along(&stages, &inputs, [rows, length], out.view())?.then_some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse;

    #[test]
    fn values_of_earlier_formulas() {
        let x = crate::arange(60i64).reshape((3, 4, 5)).astype::<f64>();
        let centred = || (fuse!(|x: f64| sum(x)), fuse!(|x: f64, total: f64| x - total / 4.0));
        for axis in [1isize, -2] {
            let found = crate::map_along(centred(), &x, axis);
            let expected = &x - &x.mean_axis(1).expand_dims(1);
            assert_eq!(found.to_host(), expected.to_host());
        }
        let spread = (fuse!(|x: f64| max(x)), fuse!(|x: f64, top: f64| min(x - top)));
        assert_eq!(crate::map_along(spread, &x, 2).ravel().tolist(), vec![-4.0; 12]);
        let weights = crate::array(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let scale = 10.0f64;
        let weighted = (
            fuse!(|x: f64, w: f64, one: f64| sum(x * w * one)),
            fuse!(|x: f64, w: f64, one: f64, all: f64| (all - x * w) * scale + one - one),
        );
        let found = crate::map_along(weighted, (&x, &weights, 1.0), -1);
        let all = (&x * &weights).sum_axis(2).expand_dims(2);
        assert_eq!(found.to_host(), ((all - &x * &weights) * 10.0).to_host());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let x = crate::ones::<f32>((2, 3));
        let text = |error: Option<Error>| error.expect("an error").to_string();
        let unreduced = (fuse!(|x: f32| x + 1.0), fuse!(|x: f32, y: f32| x + y));
        assert!(text(crate::try_map_along(unreduced, &x, 0).err()).contains("formula 1 of 2 is not reduced"));
        let few = (fuse!(|x: f32| sum(x)), fuse!(|x: f32| x));
        assert!(text(crate::try_map_along(few, &x, 0).err()).contains("is called with (f32, f32)"));
        let one = (fuse!(|x: f32| sum(x)),);
        assert!(text(crate::try_map_along(one, &x, 2).err()).contains("no axis 2"));
        assert_eq!(crate::map_along(one, &x, 0).tolist(), [2.0; 3]);
    }
}
