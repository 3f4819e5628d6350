//! [`ReductionKernel`]: a reduction from three expressions in CUDA C.

use super::arguments::{RawArgument, TextArguments, TextOutputs, TextResults, sealed};
use super::bound_arguments::{ArrayAxis, BoundArguments, axes_of_arrays};
use super::parameter_list::{ParameterLists, texts};
use super::program_cache::{ArgumentTypes, ProgramCache, compiled};
use super::program_text::{Expressions, ReductionAxes, reduction, typed};
use crate::array::axes::axes_of;
use crate::array::{DeviceArray, IntoAxes, RawArray, writable};
use crate::backend::cuda::axes::{KernelAxes, MOST_AXES};
use crate::backend::cuda::codegen::THREADS;
use crate::backend::text::{LaunchSize, Passed, Text, TextProgram};
use crate::device::Handle;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use std::fmt;
use std::sync::Arc;

const NAME: &str = "ReductionKernel";

/// A reduction from CUDA C text, over whole arrays or along axes; CuPy's `ReductionKernel`.
///
/// The map expression computes a value from one element of each input. The reduce expression computes one value from two, `a` and
/// `b`. The values are paired in any order. The post map expression computes the outputs from the result `a`, such as
/// `y = sqrt(a)`. The identity is the first value of the reduction, and its result over no elements. If it is empty, a reduction
/// of no elements is an error. Values have the type of the first output, or the type that
/// [`reduce_type`](Self::reduce_type) sets.
///
/// Parameters are written as for an [`ElementwiseKernel`](crate::ElementwiseKernel). In the map expression, `_J` is the number of
/// the element among those that are reduced to one value, and `raw` inputs are indexed. Scalars and `raw` inputs can be used in
/// the post map expression too.
///
/// It runs on CUDA devices only. It is compiled at the first call, once for each combination of types, and kept on disk.
///
/// ```
/// use warpcell as gpu;
/// let norm = gpu::ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
/// if gpu::device() != gpu::Device::Cpu {
///     let x = gpu::array(&[[3.0, 4.0], [6.0, 8.0]]);
///     assert_eq!(norm.call_axis::<f64>(&x, 1).to_host(), gpu::ndarray::arr1(&[5.0, 10.0]).into_dyn());
///     assert_eq!(norm.call::<f64>(&x).item(), 125f64.sqrt());
/// }
/// ```
#[derive(Clone)]
pub struct ReductionKernel {
    definition: Arc<ReductionDefinition>,
}

// Programs are added, and never changed.
impl std::panic::UnwindSafe for ReductionKernel {}
impl std::panic::RefUnwindSafe for ReductionKernel {}

#[derive(Clone)]
struct ReductionDefinition {
    parameters: ParameterLists,
    map: String,
    reduce: String,
    post_map: String,
    identity: Option<String>,
    kind: Option<String>,
    preamble: String,
    options: Vec<String>,
    programs: ProgramCache<(ArgumentTypes, ReductionAxes), CompiledReduction>,
}

struct CompiledReduction {
    program: Arc<dyn TextProgram>,
    /// The most bytes that the state of one reduction can have.
    state: usize,
    multiprocessors: usize,
}

impl ReductionKernel {
    /// A reduction with these inputs, outputs and expressions. `name` is for messages and profiles.
    ///
    /// **Panics** if a list of parameters or the name cannot be read.
    #[track_caller]
    pub fn new(
        inputs: &str,
        outputs: &str,
        map_expression: &str,
        reduce_expression: &str,
        post_map_expression: &str,
        identity: &str,
        name: &str,
    ) -> ReductionKernel {
        let expressions = [map_expression, reduce_expression, post_map_expression];
        check(ReductionKernel::try_new(inputs, outputs, expressions, identity, name))
    }

    /// As [`new`](Self::new), but returns the error; takes the three expressions together.
    pub fn try_new(
        inputs: &str,
        outputs: &str,
        [map, reduce, post_map]: [&str; 3],
        identity: &str,
        name: &str,
    ) -> Result<ReductionKernel> {
        let parameters = ParameterLists::new(NAME, inputs, outputs, name, &["a", "b", "_J"])?;
        if let Some(output) = parameters.outputs.iter().find(|output| output.is_raw) {
            return Err(parameters.wrong(format!(
                "the output `{}` is raw, but a reduction cannot have raw outputs; remove `raw`",
                output.text()
            )));
        }
        for (text, what) in [(map, "map"), (reduce, "reduce"), (post_map, "post map")] {
            if text.trim().is_empty() {
                return Err(
                    parameters.wrong(format!("the {what} expression is empty; see the example of `ReductionKernel`"))
                );
            }
        }
        let definition = ReductionDefinition {
            parameters,
            map: map.to_owned(),
            reduce: reduce.to_owned(),
            post_map: post_map.to_owned(),
            identity: (!identity.trim().is_empty()).then(|| identity.to_owned()),
            kind: None,
            preamble: String::new(),
            options: Vec::new(),
            programs: ProgramCache::default(),
        };
        Ok(ReductionKernel { definition: Arc::new(definition) })
    }

    /// The reduction with values of another type: the name of a C type, such as `double`, or of a type that the preamble defines.
    pub fn reduce_type(&self, name: &str) -> ReductionKernel {
        self.changed(|definition| definition.kind = Some(name.to_owned()))
    }

    /// The reduction with text in front of it: functions, types, `#include`s.
    pub fn preamble(&self, preamble: &str) -> ReductionKernel {
        self.changed(|definition| definition.preamble = preamble.to_owned())
    }

    /// The reduction with further options for the compiler, such as `-DWIDTH=4`.
    pub fn options<S: Into<String>>(&self, options: impl IntoIterator<Item = S>) -> ReductionKernel {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        self.changed(|definition| definition.options.extend(options))
    }

    fn changed(&self, change: impl FnOnce(&mut ReductionDefinition)) -> ReductionKernel {
        let mut definition = ReductionDefinition::clone(&self.definition);
        change(&mut definition);
        ReductionKernel { definition: Arc::new(definition) }
    }

    fallible! {
        /// Reduces all elements to one, and returns an array without axes. [`item`](DeviceArray::item) is its value.
        /// `T` must be the type of the output in the text.
        ///
        /// **Panics** if the arguments do not fit the text, if shapes do not broadcast or devices differ, if there are
        /// no elements and no identity, if the text does not compile, or on the CPU device.
        pub fn call, try_call<T: Element>(&self, arguments: impl TextArguments) -> Result<DeviceArray<T>> {
            self.made(&arguments, &[T::DTYPE], None).map(|mut made| DeviceArray::from_raw(made.swap_remove(0)))
        }

        /// Reduces along one axis or several axes of the broadcast shape. The result does not have these axes. Negative
        /// axes count from the last, -1.
        ///
        /// **Panics** as [`call`](Self::call), and if there is no such axis, or one is named twice.
        pub fn call_axis, try_call_axis<T: Element>(
            &self,
            arguments: impl TextArguments,
            axes: impl IntoAxes,
        ) -> Result<DeviceArray<T>> {
            let made = self.made(&arguments, &[T::DTYPE], Some(axes.into_axes()));
            made.map(|mut made| DeviceArray::from_raw(made.swap_remove(0)))
        }
    }

    /// As [`call`](Self::call), for several outputs, of the types `R`.
    #[track_caller]
    pub fn call_tuple<R: TextResults>(&self, arguments: impl TextArguments) -> <R as sealed::Results>::Arrays {
        R::arrays(check(self.made(&arguments, R::DTYPES, None)))
    }

    /// As [`call_axis`](Self::call_axis), for several outputs, of the types `R`.
    #[track_caller]
    pub fn call_axis_tuple<R: TextResults>(
        &self,
        arguments: impl TextArguments,
        axes: impl IntoAxes,
    ) -> <R as sealed::Results>::Arrays {
        R::arrays(check(self.made(&arguments, R::DTYPES, Some(axes.into_axes()))))
    }

    /// Reduces along axes, and writes the results to existing arrays: `&mut out`, or a tuple of such references.
    ///
    /// **Panics** as [`call_axis`](Self::call_axis), and if an output does not have the shape of the axes that stay.
    #[track_caller]
    pub fn call_into(&self, arguments: impl TextArguments, axes: impl IntoAxes, outputs: impl TextOutputs) {
        check(self.write(&arguments, &axes.into_axes(), &outputs));
    }

    fn made(
        &self,
        arguments: &dyn sealed::Arguments,
        dtypes: &[DType],
        axes: Option<Vec<isize>>,
    ) -> Result<Vec<RawArray>> {
        let mut made = Vec::new();
        arguments.with(&mut |arguments| {
            made = self.definition.made(arguments, dtypes, axes.as_deref())?;
            Ok(())
        })?;
        Ok(made)
    }

    fn write(&self, arguments: &dyn sealed::Arguments, axes: &[isize], outputs: &dyn sealed::Arguments) -> Result<()> {
        arguments.with(&mut |arguments| outputs.with(&mut |outputs| self.definition.written(arguments, axes, outputs)))
    }
}

impl fmt::Debug for ReductionKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParameterLists { name, inputs, outputs, .. } = &self.definition.parameters;
        write!(f, "ReductionKernel {name}({}) -> ({})", texts(inputs), texts(outputs))
    }
}

impl ReductionDefinition {
    fn made(&self, arguments: &[RawArgument<'_>], dtypes: &[DType], axes: Option<&[isize]>) -> Result<Vec<RawArray>> {
        let parameters = &self.parameters;
        let handle = parameters.device(arguments, dtypes, &[])?;
        let shape = self.shape(arguments)?;
        let axes = axes.map_or_else(|| Ok((0..shape.len()).collect()), |axes| axes_of(NAME, &shape, axes))?;
        let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect();
        let made = dtypes.iter().map(|&dtype| RawArray::uninitialised(NAME, &handle, &kept, dtype));
        let made = made.collect::<Result<Vec<RawArray>>>()?;
        self.run(&handle, arguments, &made.iter().collect::<Vec<_>>(), &shape, &axes)?;
        Ok(made)
    }

    fn written(&self, arguments: &[RawArgument<'_>], axes: &[isize], outputs: &[RawArgument<'_>]) -> Result<()> {
        let parameters = &self.parameters;
        let dtypes: Vec<DType> = outputs.iter().map(RawArgument::dtype).collect();
        let handle = parameters.device(arguments, &dtypes, outputs)?;
        let shape = self.shape(arguments)?;
        let axes = axes_of(NAME, &shape, axes)?;
        let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect();
        let outputs: Vec<&RawArray> = outputs.iter().filter_map(RawArgument::array).collect();
        for (parameter, output) in parameters.outputs.iter().zip(&outputs) {
            writable(NAME, output)?;
            if output.shape() != kept {
                let (text, found) = (parameter.text(), output.shape());
                return Err(parameters.wrong(format!(
                    "the output `{text}` has the shape {found:?}; give an output of the shape {kept:?}"
                )));
            }
        }
        // The kernels write contiguous outputs.
        let targets = outputs.iter().map(|output| output.contiguous(NAME)).collect::<Result<Vec<RawArray>>>()?;
        self.run(&handle, arguments, &targets.iter().collect::<Vec<_>>(), &shape, &axes)?;
        for (output, target) in outputs.iter().zip(&targets) {
            if output.size() > 0 && !output.shares_memory(target) {
                handle.backend.copy(target.view(), output.view())?;
            }
        }
        Ok(())
    }

    /// The shape that the inputs have together.
    fn shape(&self, arguments: &[RawArgument<'_>]) -> Result<Vec<usize>> {
        let shape = self.parameters.broadcast(arguments, None)?;
        shape.ok_or_else(|| {
            self.parameters.wrong("there is nothing to reduce: no input is an array that is not raw; give one")
        })
    }

    /// Reduces the inputs, which broadcast to `shape`, over `axes`, into contiguous outputs of what stays.
    fn run(
        &self,
        handle: &Handle,
        arguments: &[RawArgument<'_>],
        outputs: &[&RawArray],
        shape: &[usize],
        axes: &[usize],
    ) -> Result<()> {
        let parameters = &self.parameters;
        let count = outputs.first().map_or(0, |output| output.size());
        let length: usize = axes.iter().map(|&axis| shape[axis]).product();
        if count == 0 {
            return Ok(());
        }
        if length == 0 && self.identity.is_none() {
            let reason = format!(
                "the shape {shape:?} has no elements to reduce, and the kernel has no identity; give the kernel an \
                 identity"
            );
            return Err(parameters.wrong(reason));
        }
        let mut bound = BoundArguments::new(parameters, arguments, outputs)?;
        let [kept, reduced] = self.axes(&mut bound, shape, axes)?;
        let are_many = [kept.len() > 1, reduced.len() > 1];
        let is_wide = count.max(length) > i32::MAX as usize;
        let key = (bound.types(), ReductionAxes { are_many, is_wide });
        let compiled = self.programs.get(handle, &key, || self.compile(handle, &key))?;
        let division = divided(&kept, &reduced, count, length, compiled.multiprocessors);
        let shares = division.shares;
        let blocks = parameters.blocks(count, THREADS / division.lanes)?;
        // One state for each share of each output.
        let bytes = if shares > 1 { count * shares * compiled.state } else { 0 };
        let states = RawArray::uninitialised(NAME, handle, &[bytes], DType::U8)?;
        let walked = bound.walked_inputs().count();
        let [kept, reduced] = [kept, reduced].map(|axes| KernelAxes::new(&axes).words(walked));
        let numbers = [
            [count as i64],
            [length as i64],
            [division.lanes as i64],
            [i64::from(division.by_columns)],
            [shares as i64],
        ];
        let bound = bound.pass();
        let mut passed: Vec<Passed<'_>> = numbers[..4].iter().map(|number| Passed::Words(number)).collect();
        passed.extend_from_slice(&bound);
        passed.extend([Passed::Address(states.view(), true), Passed::Words(&kept), Passed::Words(&reduced)]);
        let block = [THREADS as u32, 1, 1];
        compiled.program.launch(0, LaunchSize { grid: [blocks, shares as u32, 1], block, shared: 0 }, &passed)?;
        if shares > 1 {
            let mut passed = vec![Passed::Words(&numbers[4])];
            passed.extend_from_slice(&bound);
            passed.push(Passed::Address(states.view(), false));
            compiled.program.launch(1, LaunchSize { grid: [count as u32, 1, 1], block, shared: 0 }, &passed)?;
        }
        Ok(())
    }

    /// The axes that stay and those that are reduced. What has more axes than the kernels take is copied.
    fn axes(&self, bound: &mut BoundArguments<'_>, shape: &[usize], reduced: &[usize]) -> Result<[Vec<ArrayAxis>; 2]> {
        for is_copied in [false, true] {
            if is_copied {
                bound.make_contiguous(NAME, shape, false)?;
            }
            let part = |wanted| axes_of_arrays(bound.walked_inputs(), shape, |axis| reduced.contains(&axis) == wanted);
            let parts = [part(false), part(true)];
            if parts.iter().all(|axes| axes.len() <= MOST_AXES) {
                return Ok(parts);
            }
        }
        let reason =
            format!("has more than {MOST_AXES} axes that cannot be joined; reshape the arrays, or reduce in steps");
        Err(Error::shape(NAME, shape, reason))
    }

    #[cold]
    fn compile(
        &self,
        handle: &Handle,
        (types, axes): &(ArgumentTypes, ReductionAxes),
    ) -> Result<Arc<CompiledReduction>> {
        let name = &self.parameters.name;
        let expressions = Expressions {
            map: &self.map,
            reduce: &self.reduce,
            post_map: &self.post_map,
            identity: self.identity.as_deref(),
            kind: self.kind.as_deref(),
        };
        let source = reduction(name, &typed(&self.parameters, types), &expressions, &self.preamble, *axes);
        let kernels = [format!("{name}_reduce"), format!("{name}_finish")];
        let program = compiled(handle, &Text { name, source: &source, options: &self.options, kernels: &kernels })?;
        // The kernel has a state for each thread in shared memory, and nothing else.
        let state = program.attributes(0)?.shared_bytes.div_ceil(THREADS);
        let multiprocessors = program.limits().multiprocessors;
        Ok(Arc::new(CompiledReduction { program, state, multiprocessors }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WorkDivision {
    /// Threads for each output, a power of two.
    lanes: usize,
    /// Whether neighbouring threads have neighbouring outputs, else neighbouring elements of one output.
    by_columns: bool,
    /// Blocks among which the elements of each output are shared.
    shares: usize,
}

/// How the elements are given to threads: so that neighbours read neighbours, and few outputs still fill the device.
fn divided(
    kept: &[ArrayAxis],
    reduced: &[ArrayAxis],
    outputs: usize,
    length: usize,
    multiprocessors: usize,
) -> WorkDivision {
    let step = |axes: &[ArrayAxis]| match &axes[0] {
        // There is no axis.
        ArrayAxis { length: 1, .. } => usize::MAX,
        axis => axis.strides.iter().map(|stride| stride.unsigned_abs()).sum(),
    };
    let by_columns = outputs >= 16 && step(kept) < step(reduced);
    let most = match length {
        _ if by_columns => 8,
        0..1024 => 32,
        _ => THREADS,
    };
    let lanes = length.max(1).next_power_of_two().min(most);
    let blocks = outputs.div_ceil(THREADS / lanes);
    // A share has 16 elements a thread at least.
    let shares = (8 * multiprocessors).div_ceil(blocks).min(length / (16 * lanes)).clamp(1, 4096);
    WorkDivision { lanes, by_columns, shares }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw_kernels::parameter_list::MOST;

    #[test]
    fn division_follows_the_strides() {
        let axis = |length, stride| {
            let mut strides = [0; MOST];
            strides[0] = stride;
            ArrayAxis { length, strides }
        };
        let of = |kept, reduced, outputs, length| divided(&[kept], &[reduced], outputs, length, 132);
        let none = axis(1, 0);
        let of_rows = of(axis(1000, 1000), axis(1000, 1), 1000, 1000);
        assert_eq!(of_rows, WorkDivision { lanes: 32, by_columns: false, shares: 1 });
        let of_columns = of(axis(1000, 1), axis(1000, 1000), 1000, 1000);
        assert_eq!(of_columns, WorkDivision { lanes: 8, by_columns: true, shares: 7 });
        assert_eq!(
            of(none, axis(100_000_000, 1), 1, 100_000_000),
            WorkDivision { lanes: 256, by_columns: false, shares: 1056 }
        );
        assert_eq!(of(axis(5, 1), none, 5, 1), WorkDivision { lanes: 1, by_columns: false, shares: 1 });
        assert_eq!(of(none, axis(0, 1), 1, 0), WorkDivision { lanes: 1, by_columns: false, shares: 1 });
    }
}
