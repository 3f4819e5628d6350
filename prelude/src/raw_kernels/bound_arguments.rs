//! The arguments of a call of an [`ElementwiseKernel`](super::ElementwiseKernel) or a
//! [`ReductionKernel`](super::ReductionKernel), as its kernels get them.

use super::arguments::RawArgument;
use super::parameter_list::{MOST, ParameterLists};
use super::program_cache::ArgumentTypes;
use crate::array::{RawArray, shape};
use crate::backend::cuda::axes::{Axis, joined};
use crate::backend::text::Passed;
use crate::dtype::Scalar;
use crate::error::Result;
use std::borrow::Cow;

/// An axis with the strides of as many arrays as a kernel can have.
pub(super) type ArrayAxis = Axis<MOST>;

/// Arguments and outputs, in the order of the parameters.
pub(super) struct BoundArguments<'a> {
    all: Vec<Bound<'a>>,
    /// How many of them are inputs.
    inputs: usize,
}

enum Bound<'a> {
    Scalar(Scalar),
    /// A contiguous array that the text indexes itself, and the number of its elements.
    Raw(Cow<'a, RawArray>, [i64; 1]),
    /// An array of which each element is met once.
    Walked(Cow<'a, RawArray>),
}

impl<'a> BoundArguments<'a> {
    /// Views for raw inputs are copied, and so are inputs that share memory with an output in another layout.
    pub fn new(
        lists: &ParameterLists,
        arguments: &[RawArgument<'a>],
        outputs: &[&'a RawArray],
    ) -> Result<BoundArguments<'a>> {
        let bind = |array: Cow<'a, RawArray>, is_raw: bool| {
            let size = [array.size() as i64];
            if is_raw { Bound::Raw(array, size) } else { Bound::Walked(array) }
        };
        let mut all = Vec::with_capacity(arguments.len() + outputs.len());
        for (parameter, argument) in lists.inputs.iter().zip(arguments) {
            all.push(match *argument {
                RawArgument::Scalar { value, .. } => Bound::Scalar(value),
                RawArgument::Array { array, .. } => {
                    let collides = |output: &&RawArray| array.shares_memory(output) && array.layout != output.layout;
                    let is_copied = match parameter.is_raw {
                        true => !array.layout.is_contiguous(),
                        false => outputs.iter().any(collides),
                    };
                    let array =
                        if is_copied { Cow::Owned(array.copied(lists.operation)?) } else { Cow::Borrowed(array) };
                    bind(array, parameter.is_raw)
                }
            });
        }
        let outputs = lists.outputs.iter().zip(outputs);
        all.extend(outputs.map(|(parameter, output)| bind(Cow::Borrowed(*output), parameter.is_raw)));
        Ok(BoundArguments { all, inputs: arguments.len() })
    }

    pub fn types(&self) -> ArgumentTypes {
        let types = self.all.iter().map(|bound| match bound {
            Bound::Scalar(value) => (value.dtype(), true),
            Bound::Raw(array, _) | Bound::Walked(array) => (array.dtype, false),
        });
        types.collect()
    }

    /// The arrays of which each element is met once.
    pub fn walked(&self) -> impl Iterator<Item = &RawArray> {
        Self::walked_among(&self.all)
    }

    /// The inputs of which each element is met once.
    pub fn walked_inputs(&self) -> impl Iterator<Item = &RawArray> {
        Self::walked_among(&self.all[..self.inputs])
    }

    fn walked_among<'b>(all: &'b [Bound<'a>]) -> impl Iterator<Item = &'b RawArray> {
        all.iter().filter_map(|bound| if let Bound::Walked(array) = bound { Some(&**array) } else { None })
    }

    /// Copies the results from contiguous copies back to the outputs.
    pub fn copy_back(&self, outputs: &[&RawArray]) -> Result<()> {
        for (output, bound) in outputs.iter().zip(&self.all[self.inputs..]) {
            if let Bound::Walked(array) = bound
                && !output.shares_memory(array)
            {
                output.handle.backend.copy(array.view(), output.view())?;
            }
        }
        Ok(())
    }

    /// Replaces inputs that are walked over, and outputs too if `with_outputs`, by contiguous copies of this shape.
    pub fn make_contiguous(&mut self, operation: &'static str, shape: &[usize], with_outputs: bool) -> Result<()> {
        let count = if with_outputs { self.all.len() } else { self.inputs };
        for bound in &mut self.all[..count] {
            if let Bound::Walked(array) = bound {
                let layout = shape::broadcast_layout(&array.layout, shape);
                *array = Cow::Owned(array.with_layout(layout).contiguous(operation)?);
            }
        }
        Ok(())
    }

    /// The arguments of a launch: scalars, addresses, and after the address of a raw array the number of its elements.
    pub fn pass(&self) -> Vec<Passed<'_>> {
        let mut passed = Vec::with_capacity(2 * self.all.len());
        for (number, bound) in self.all.iter().enumerate() {
            let is_output = number >= self.inputs;
            match bound {
                Bound::Scalar(value) => passed.push(Passed::Scalar(*value)),
                Bound::Raw(array, size) => {
                    passed.extend([Passed::Address(array.view(), is_output), Passed::Words(size)]);
                }
                Bound::Walked(array) => passed.push(Passed::Address(array.view(), is_output)),
            }
        }
        passed
    }
}

/// The wanted axes of arrays, broadcast to `shape`: from the innermost outwards, and joined.
pub(super) fn axes_of_arrays<'a>(
    arrays: impl Iterator<Item = &'a RawArray>,
    shape: &[usize],
    wanted: impl Fn(usize) -> bool,
) -> Vec<ArrayAxis> {
    let numbers: Vec<usize> = (0..shape.len()).filter(|&number| wanted(number)).collect();
    let lengths: Vec<usize> = numbers.iter().map(|&number| shape[number]).collect();
    let strides: Vec<Vec<isize>> = arrays
        .map(|array| {
            let layout = shape::broadcast_layout(&array.layout, shape);
            numbers.iter().map(|&number| layout.strides[number]).collect()
        })
        .collect();
    joined(&lengths, std::array::from_fn(|array| strides.get(array).map_or(&[][..], Vec::as_slice)))
}
