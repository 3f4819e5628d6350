//! From the parameters of a distribution to an array: what the parameters may be, the random words, and the formula that runs over
//! them.

use super::{fill, formulas, size_of};
use crate::array::{DeviceArray, IntoShape, RawArray, shape, transfer};
use crate::backend::{BinaryOperation, Distribution, Layout, ReduceOperation};
use crate::device::{self, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::composing::range_of_sums;
use crate::operations::elementwise::sealed::Sealed;
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::map::hidden::Argument;
use crate::operations::map::{MapOperand, registered, registered_reduced, registered_with};
use crate::operations::reduce::reduce_all;
use crate::philox::Stream;
use std::ops::RangeInclusive;

/// What a parameter may be: a number from `low` to `high`.
#[derive(Clone, Copy)]
pub(super) struct Domain {
    low: f64,
    high: f64,
    text: &'static str,
}

impl Domain {
    pub const FINITE: Domain = Domain { low: f64::MIN, high: f64::MAX, text: "a finite number" };
    pub const NOT_NEGATIVE: Domain = Domain { low: 0.0, high: f64::MAX, text: "a finite number that is not negative" };
    pub const POSITIVE: Domain =
        Domain { low: f64::from_bits(1), high: f64::MAX, text: "a finite number greater than 0" };
    pub const PROBABILITY: Domain = Domain { low: 0.0, high: 1.0, text: "a probability from 0 to 1" };
    pub const PROBABILITY_ABOVE_0: Domain =
        Domain { low: f64::from_bits(1), high: 1.0, text: "a probability greater than 0, up to 1" };
    pub const PROBABILITY_BELOW_1: Domain =
        Domain { low: 0.0, high: 1.0 - f64::EPSILON / 2.0, text: "a probability from 0 to below 1" };
    pub const ABOVE_1: Domain =
        Domain { low: 1.0 + f64::EPSILON, high: f64::MAX, text: "a finite number greater than 1" };
    /// Beyond this mean, ten standard deviations more do not fit into an i64.
    pub const MEAN_OF_COUNTS: Domain =
        Domain { low: 0.0, high: 9.223_372_006_484_771e18, text: "a number from 0 to 9.22e18" };
    pub const POPULATION: Domain = Domain { low: 0.0, high: 1e9, text: "an integer from 0 to 1,000,000,000" };
    pub const COUNT: Domain = Domain { low: 0.0, high: f64::MAX, text: "an integer that is not negative" };

    fn has(self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }
}

/// A parameter with its name.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub name: &'static str,
    pub value: RawOperand<'a>,
    pub domain: Domain,
}

/// What a formula reads before its parameters.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// One word of 64 bits.
    Word,
    /// A normal number of f64.
    Normal,
    /// Its index, and where the stream's blocks are, one of which belongs to each element.
    Blocks,
}

/// A formula of this module, by the name under which it is registered.
#[derive(Clone, Copy)]
pub(super) struct Formula(&'static str);

impl Formula {
    pub fn of<F>(_function: &F) -> Formula {
        Formula(std::any::type_name::<F>())
    }

    pub fn name(self) -> &'static str {
        self.0
    }
}

/// What a random array is made of.
#[derive(Clone, Copy)]
pub(super) struct Recipe<'a> {
    pub operation: &'static str,
    pub source: Source,
    pub formula: Formula,
    pub parameters: &'a [Parameter<'a>],
    /// Another formula for parameters that are values, if it has one.
    pub of_one: Option<OfOne>,
    /// What the backend draws by itself of parameters that are values, if it does.
    pub of_values: Option<OfValues>,
    /// What else must be so of the parameters, each of which is in its domain.
    pub relations: &'a [Relation],
}

/// The distribution of the backend that has these parameters, and is computed in their type.
pub(super) type OfValues = fn(&[Scalar]) -> Result<Distribution>;

/// The formula for numbers of one distribution, whose parameters these are.
pub(super) type OfOne = fn(&[f64]) -> Option<Prepared>;

/// A formula that is given, in place of the parameters, a struct that is computed of them once, and other values.
pub(super) struct Prepared {
    formula: Formula,
    common: Box<dyn Argument>,
    more: Vec<Scalar>,
}

impl Prepared {
    pub fn new<const N: usize>(formula: Formula, common: impl Argument + 'static, more: [Scalar; N]) -> Prepared {
        Prepared { formula, common: Box::new(common), more: more.to_vec() }
    }
}

/// Distributions as rows: the parameters with what they may be, the type of the numbers, what the formula reads, the formula, and
/// what else must be so of the parameters; behind `=>` what [`OfOne`] is, and behind `|` what [`OfValues`] is. Each makes a function and a
/// method of `Generator`.
macro_rules! distributions {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$generic:ident: $bound:path>)? ($($parameter:ident: $type:ident in $domain:ident),*) -> $value:ident,
        $source:ident $formula:path $(=> $of_one:path)? $(| $of_values:path)? $(, $relation:path)?;
    )*) => {
        $crate::operations::random::generator::generator! {
            impl Generator;
            $(
                $(#[$doc])*
                pub fn $name $(<$generic: $bound>)? (
                    stream,
                    $($parameter: impl $crate::operations::elementwise::Operand<$type>,)*
                    size: impl IntoShape,
                ) -> DeviceArray<$value> {
                    use $crate::operations::random::sampling;
                    let recipe = sampling::Recipe {
                        operation: stringify!($name),
                        source: sampling::Source::$source,
                        formula: sampling::Formula::of(&$formula),
                        parameters: &[
                            $(sampling::parameter(stringify!($parameter), &$parameter, sampling::Domain::$domain)),*
                        ],
                        of_one: [$($of_one as sampling::OfOne)?].first().copied(),
                        of_values: [$($of_values as sampling::OfValues)?].first().copied(),
                        relations: &[$($relation)?],
                    };
                    sampling::drawn(recipe, stream, size)
                }
            )*
        }
    };
}
pub(super) use distributions;

/// A parameter of a distribution.
pub(super) fn parameter<'a>(name: &'static str, value: &'a dyn Sealed, domain: Domain) -> Parameter<'a> {
    Parameter { name, value: value.raw_operand(), domain }
}

/// An array of what a formula gives.
#[track_caller]
pub(super) fn drawn<T: Element>(recipe: Recipe<'_>, stream: &mut Stream, size: impl IntoShape) -> DeviceArray<T> {
    DeviceArray::from_raw(check(recipe.sampled(stream, &size.into_shape(), T::DTYPE)))
}

/// A check of several parameters.
pub(super) type Relation = fn(&'static str, &[Parameter<'_>]) -> Result<()>;

impl Recipe<'_> {
    /// An array of this size with elements of `dtype`. An empty size stands for the shape of the parameters.
    pub fn sampled(&self, stream: &mut Stream, size: &[usize], dtype: DType) -> Result<RawArray> {
        let values: Option<Vec<Scalar>> = self.parameters.iter().map(Parameter::scalar).collect();
        if let Some((of_values, values)) = self.of_values.zip(values) {
            return super::drawn(of_values(&values)?, self.operation, stream, size, dtype);
        }
        for parameter in self.parameters {
            parameter.check(self.operation)?;
        }
        for relation in self.relations {
            relation(self.operation, self.parameters)?;
        }
        self.drawn(stream, size, dtype)
    }

    /// The same of parameters that were checked.
    pub fn drawn(&self, stream: &mut Stream, size: &[usize], dtype: DType) -> Result<RawArray> {
        let shape = self.shape(size)?;
        let handle = match self.parameters.iter().find_map(|parameter| parameter.array()) {
            Some(array) => array.handle.clone(),
            None => device::current()?,
        };
        // Formulas compute in f64, and with counts in i64.
        let wide = self.parameters.iter().map(|parameter| match parameter.array() {
            Some(array) if array.dtype != DType::I64 && array.dtype != DType::F64 => {
                array.converted(self.operation, DType::F64).map(Some)
            }
            _ => Ok(None),
        });
        let wide = wide.collect::<Result<Vec<Option<RawArray>>>>()?;
        let axes = match self.source {
            Source::Blocks => axes_of(&shape),
            Source::Word | Source::Normal => shape.clone(),
        };
        let in_axes = |array: &RawArray| array.with_layout(with_axes(&array.layout, &shape, &axes));
        let arrays: Vec<Option<RawArray>> = (self.parameters.iter().zip(&wide))
            .map(|(parameter, wide)| wide.as_ref().or(parameter.array()).map(in_axes))
            .collect();
        let parameters = self.parameters.iter().zip(&arrays).map(|(parameter, array)| match (parameter.value, array) {
            (_, Some(array)) => RawOperand::Array(array),
            (RawOperand::Scalar(Scalar::F32(value)), None) => RawOperand::Scalar(Scalar::F64(value.into())),
            (value, None) => value,
        });
        let new = |dtype| RawArray::uninitialised(self.operation, &handle, &shape, dtype);
        let (inputs, place) = match self.source {
            Source::Word => {
                let words = Distribution::Integers { low: Scalar::U64(0), count: 0 };
                (vec![fill(new(DType::U64)?, words, stream)?], Vec::new())
            }
            Source::Normal => {
                let normal = Distribution::Normal { mean: Scalar::F64(0.0), deviation: Scalar::F64(1.0) };
                (vec![fill(new(DType::F64)?, normal, stream)?], Vec::new())
            }
            Source::Blocks => {
                let size = size_of(self.operation, &shape, DType::I64)?;
                let blocks = stream.take(size as u64);
                let place = vec![Scalar::U64(blocks.key), Scalar::U64(blocks.stream), Scalar::U64(blocks.first)];
                let indices = if self.parameters.iter().all(|parameter| parameter.array().is_none()) {
                    range_of_sums(self.operation, &handle, size, [0.0, 1.0], DType::I64)?
                } else {
                    // Parameters have the axes of the result, and so must the indices.
                    indices(self.operation, &handle, &axes)?
                };
                (indices.to_vec(), place)
            }
        };
        let inputs = inputs.iter().map(RawOperand::Array).chain(place.into_iter().map(RawOperand::Scalar));
        let values: Option<Vec<f64>> = self.parameters.iter().map(|parameter| parameter.scalar().map(number)).collect();
        let prepared = self.of_one.zip(values).and_then(|(of_one, values)| of_one(&values));
        let out = match prepared {
            Some(Prepared { formula, common, more }) => {
                let more = more.into_iter().map(|value| MapOperand::Elements(RawOperand::Scalar(value)));
                let operands = inputs.map(MapOperand::Elements).chain([common.map_operand()]).chain(more);
                registered_with(self.operation, formula.name(), &operands.collect::<Vec<_>>())?
            }
            None => {
                let operands: Vec<RawOperand<'_>> = inputs.chain(parameters).collect();
                registered(self.operation, self.formula.name(), &operands)?
            }
        };
        // Of a matrix of indices some may be too many.
        out.with_layout(Layout::contiguous(&shape)).in_type(self.operation, dtype)
    }

    fn shape(&self, size: &[usize]) -> Result<Vec<usize>> {
        let mut of_parameters = Vec::new();
        for array in self.parameters.iter().filter_map(|parameter| parameter.array()) {
            of_parameters = shape::broadcast_shapes(self.operation, &of_parameters, array.shape())?;
        }
        if size.is_empty() {
            return Ok(of_parameters);
        }
        if shape::broadcast_shapes(self.operation, size, &of_parameters).is_ok_and(|shape| shape == size) {
            return Ok(size.to_vec());
        }
        let reason =
            format!("of the parameters does not fit the size {size:?}; give a size that ends with it, or `()`");
        Err(Error::shape(self.operation, of_parameters, reason))
    }
}

/// The columns of a matrix of indices are so many.
const COLUMNS: RangeInclusive<usize> = 64..=4096;

/// The axes of a shape, with a long last one in two where that is possible.
fn axes_of(shape: &[usize]) -> Vec<usize> {
    let Some((&length, outer)) = shape.split_last() else { return Vec::new() };
    let columns =
        if length > *COLUMNS.end() { COLUMNS.rev().find(|columns| length.is_multiple_of(*columns)) } else { None };
    match columns {
        Some(columns) => [outer, &[length / columns, columns]].concat(),
        None => shape.to_vec(),
    }
}

/// A layout that broadcasts to a shape, with the axes that [`axes_of`] gives of that.
fn with_axes(layout: &Layout, shape: &[usize], axes: &[usize]) -> Layout {
    let mut layout = shape::broadcast_layout(layout, shape);
    if axes.len() > shape.len() {
        let columns = axes[axes.len() - 1];
        let step = layout.strides[shape.len() - 1];
        layout.shape = axes.to_vec();
        layout.strides[shape.len() - 1] = step * columns as isize;
        layout.strides.push(step);
    }
    layout
}

/// The numbers of the elements along some axes, as the sums of two arrays that broadcast to them.
fn indices(operation: &'static str, handle: &Handle, axes: &[usize]) -> Result<[RawArray; 2]> {
    let size = axes.iter().product();
    match axes.split_last() {
        Some((&columns, outer)) if COLUMNS.contains(&columns) => {
            let line = |step: usize, shape: &[usize]| {
                RawArray::written(operation, handle, shape, DType::I64, |out| {
                    let line = out.with_layout(Layout::contiguous(&[out.size()]));
                    handle.backend.arange(Scalar::I64(0), Scalar::I64(step as i64), line.view())
                })
            };
            Ok([line(columns, &[outer, &[1]].concat())?, line(1, &[columns])?])
        }
        _ => {
            let sums = range_of_sums(operation, handle, size, [0.0, 1.0], DType::I64)?;
            let [starts, steps] = sums.each_ref().map(RawOperand::Array);
            let sums = binary(operation, BinaryOperation::Add, starts, steps)?;
            let none = RawArray::filled(operation, handle, &[], Scalar::I64(0))?;
            Ok([sums.with_layout(Layout::contiguous(axes)), none])
        }
    }
}

impl<'a> Parameter<'a> {
    fn array(&self) -> Option<&'a RawArray> {
        self.value.array()
    }

    fn scalar(&self) -> Option<Scalar> {
        match self.value {
            RawOperand::Scalar(value) => Some(value),
            RawOperand::Array(_) => None,
        }
    }

    /// Whether an element is outside of the domain, by one pass; true if there is no formula that tells so.
    fn may_be_outside(&self, operation: &'static str, array: &RawArray) -> Result<bool> {
        let name = match array.dtype {
            DType::F64 => Formula::of(&formulas::is_outside).name(),
            DType::I64 => Formula::of(&formulas::is_count_outside).name(),
            _ => return Ok(true),
        };
        let limits = [self.domain.low, self.domain.high].map(|limit| RawOperand::Scalar(Scalar::F64(limit)));
        let operands = [RawOperand::Array(array), limits[0], limits[1]];
        let found = registered_reduced(operation, name, ReduceOperation::Any, &operands)?;
        Ok(transfer::item(&found)? != Scalar::Bool(false))
    }

    /// As [`check`](Self::check), of elements that were copied to the host.
    pub fn check_elements(&self, operation: &'static str, elements: &[f64]) -> Result<()> {
        let (name, text) = (self.name, self.domain.text);
        match elements.iter().find(|element| !self.domain.has(**element)) {
            Some(element) => {
                let reason = format!("the parameter `{name}` has an element {element}; each must be {text}");
                Err(Error::argument(operation, reason))
            }
            None => Ok(()),
        }
    }

    pub fn check(&self, operation: &'static str) -> Result<()> {
        let (name, text) = (self.name, self.domain.text);
        let wrong = |reason| Err(Error::argument(operation, reason));
        match self.value {
            RawOperand::Scalar(value) if !self.domain.has(number(value)) => {
                wrong(format!("the parameter `{name}` is {value}; give {text}"))
            }
            RawOperand::Array(array) if array.size() > 0 => {
                if !self.may_be_outside(operation, array)? {
                    return Ok(());
                }
                for extreme in [ReduceOperation::Min, ReduceOperation::Max] {
                    let value = reduce_all(operation, extreme, array)?;
                    if !self.domain.has(number(value)) {
                        return wrong(format!("the parameter `{name}` has an element {value}; each must be {text}"));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The smallest of the differences between the sum of some parameters and that of others.
fn least_distance(operation: &'static str, low: &[Parameter<'_>], high: &[Parameter<'_>]) -> Result<f64> {
    let parameters = [high, low].concat();
    let scalars = |parameters: &[Parameter<'_>]| -> Option<f64> {
        parameters.iter().map(|parameter| parameter.scalar().map(number)).sum()
    };
    if let (Some(low), Some(high)) = (scalars(low), scalars(high)) {
        return Ok(high - low);
    }
    let handle = parameters.iter().find_map(Parameter::array).expect("not all are scalars").handle.clone();
    let mut sum: Option<RawArray> = None;
    for (index, parameter) in parameters.iter().enumerate() {
        let step = if index < high.len() { BinaryOperation::Add } else { BinaryOperation::Subtract };
        let term = parameter.value.on(operation, &handle)?;
        sum = Some(match sum {
            None => term,
            Some(sum) => binary(operation, step, &sum, &term)?,
        });
    }
    let distance = sum.expect("there are parameters");
    if distance.size() == 0 {
        Ok(f64::INFINITY)
    } else {
        reduce_all(operation, ReduceOperation::Min, &distance).map(number)
    }
}

fn shown(parameter: &Parameter<'_>) -> String {
    match parameter.value {
        RawOperand::Scalar(value) => format!("`{}` = {value}", parameter.name),
        RawOperand::Array(_) => format!("an element of `{}`", parameter.name),
    }
}

/// Three parameters in ascending order, of which the first and the last differ.
pub(super) fn ascending(operation: &'static str, parameters: &[Parameter<'_>]) -> Result<()> {
    let [left, mode, right] = parameters else { unreachable!("three parameters") };
    for (low, high, is_strict) in [(left, mode, false), (mode, right, false), (left, right, true)] {
        let distance = least_distance(operation, &[*low], &[*high])?;
        if distance < 0.0 || (is_strict && distance == 0.0) {
            let (low, high) = (shown(low), shown(high));
            let reason = format!("{low} is not less than {high}; give `left`, `mode` and `right` in ascending order");
            return Err(Error::argument(operation, reason));
        }
    }
    Ok(())
}

/// The second parameter is nowhere less than the first one.
pub(super) fn not_descending(operation: &'static str, parameters: &[Parameter<'_>]) -> Result<()> {
    let [low, high] = parameters else { unreachable!("two parameters") };
    if least_distance(operation, &[*low], &[*high])? >= 0.0 {
        return Ok(());
    }
    let reason = format!("{} is greater than {}; give the lower bounds first", shown(low), shown(high));
    Err(Error::argument(operation, reason))
}

/// The third parameter is at most the sum of the first two.
pub(super) fn all_there(operation: &'static str, parameters: &[Parameter<'_>]) -> Result<()> {
    let [good, bad, taken] = parameters else { unreachable!("three parameters") };
    if least_distance(operation, &[*taken], &[*good, *bad])? >= 0.0 {
        return Ok(());
    }
    let (good, bad, taken) = (shown(good), shown(bad), shown(taken));
    let reason = format!("{taken} is greater than the sum of {good} and {bad}; take at most as many as there are");
    Err(Error::argument(operation, reason))
}

/// The value of a parameter, as far as a float has it.
fn number(value: Scalar) -> f64 {
    value.float().or_else(|| value.integer().map(|value| value as f64)).unwrap_or(f64::NAN)
}
