//! Functions of the notebook over arrays: [`map`] and its relatives.

use crate::array::{DeviceArray, RawArray, assign, shape, writable};
use crate::backend::launch::Argument as Passed;
use crate::backend::{ReduceOperation, View};
use crate::device::{self, Handle};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::launch::without_room;
use crate::operations::elementwise::RawOperand;
use crate::operations::reduce::reduce;
use crate::registry::{self, FunctionParameter, Value};
use std::borrow::Cow;

/// Hands tuples of one to eight elements to a macro: for each element two names of types, the name of a value, and its number.
macro_rules! one_to_eight {
    ($each:ident) => {
        $each! {
            (A X a 0)
            (A X a 0, B Y b 1)
            (A X a 0, B Y b 1, C Z c 2)
            (A X a 0, B Y b 1, C Z c 2, D U d 3)
            (A X a 0, B Y b 1, C Z c 2, D U d 3, E V e 4)
            (A X a 0, B Y b 1, C Z c 2, D U d 3, E V e 4, G W g 5)
            (A X a 0, B Y b 1, C Z c 2, D U d 3, E V e 4, G W g 5, H P h 6)
            (A X a 0, B Y b 1, C Z c 2, D U d 3, E V e 4, G W g 5, H P h 6, I Q i 7)
        }
    };
}

mod along;
mod arguments;
mod function;
pub(crate) mod fuse;
pub(crate) mod host;
pub mod reduction;
mod traced;

pub(crate) use along::registered_along;
pub use along::{Formula, Formulas, map_along, try_map_along};
pub use arguments::{Argument, Arguments, MapOperand, MapParameter, hidden};
pub use function::{Function, Results};
pub use fuse::Fused;
pub use host::{HostArgument, HostArguments, map_host, try_map_host};
use reduction::Reduction;
pub use traced::{trace_map, try_trace_map};

fallible! {
    /// Applies a function that has `#[vectorize]` before it to each element, or to those of several arrays that meet in
    /// broadcasting; CuPy's `vectorize`, Numba's `@vectorize`. It takes formulas of [`fuse!`](crate::fuse) too.
    ///
    /// The arguments are one array, `&a`, or a tuple of arrays, views, scalars and `#[device]` structs, one for each parameter
    /// of the function; shapes broadcast as in NumPy, and a struct is the same for all elements. The result is a new array of
    /// the function's result type, of the broadcast shape, on the arrays' device; of a function that returns a tuple, a tuple
    /// of such arrays. In which order the elements are computed, and by how many threads, is not specified; the function
    /// cannot use arrays itself.
    ///
    /// On a CUDA device the function runs as CUDA C, into which its Rust text is translated at the first call. On the
    /// CPU it runs as the cell that defined it has compiled it: with checks for overflow, unless that was a timed cell.
    ///
    /// **Panics** if the function has no `#[vectorize]`, if shapes do not broadcast or devices differ, if structs have more
    /// than 2,560 bytes, or if the function panics or fails on an element: divides an integer by zero, or indexes past the
    /// end of an array. A panic of the function is one of [`try_map`] too.
    ///
    /// ```
    /// use warpcell as gpu; // in a notebook, this and the next line are done already
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn distance(x: f64, y: f64, scale: f64) -> f64 {
    ///     scale * (x * x + y * y).sqrt()
    /// }
    ///
    /// #[vectorize]
    /// fn polar(x: f64, y: f64) -> (f64, f64) {
    ///     ((x * x + y * y).sqrt(), y.atan2(x))
    /// }
    /// # if gpu::device() == gpu::Device::Cpu {
    /// let x = gpu::array(&[3.0, 5.0]);
    /// let y = gpu::array(&[[4.0], [12.0]]);
    /// let d = gpu::map(distance, (&x, &y, 2.0));
    /// assert_eq!(d.shape(), [2, 2]);
    /// assert_eq!((d.get(&[0, 0]), d.get(&[1, 1])), (10.0, 26.0));
    /// assert_eq!(distance(3.0, 4.0, 1.0), 5.0);
    ///
    /// #[device]
    /// #[derive(Clone, Copy)]
    /// struct Line {
    ///     slope: f64,
    ///     offset: f64,
    /// }
    ///
    /// #[vectorize]
    /// fn on_line(x: f64, line: Line) -> f64 {
    ///     line.slope * x + line.offset
    /// }
    /// let line = Line { slope: 2.0, offset: 1.0 };
    /// assert_eq!(gpu::map(on_line, (&x, line)).sum(), 18.0);
    ///
    /// let (radius, angle) = gpu::map(polar, (&x, 0.0));
    /// assert_eq!((radius.get(&[1]), angle.sum()), (5.0, 0.0));
    /// # }
    /// ```
    pub fn map, try_map<T, F: Function<T>, A: Arguments<T>>(
        function: F,
        arguments: A,
    ) -> Result< <F::Output as Results>::Arrays> {
        let request = Request::new::<T, F>("map", &function)?;
        request.of(&arguments).map(F::Output::arrays)
    }

    /// As [`map`], but writes the results to an array that is there: no memory is asked for.
    ///
    /// `out` has the shape to which the arguments broadcast. It may be one of the arguments, or a view of one. Of a
    /// function that returns a tuple, `out` is a tuple of such: `(&mut a, &mut b)`.
    ///
    /// **Panics** as [`map`] does; and if `out` has another shape, is on another device, or is a broadcast view.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn damped(x: f32, rate: f32) -> f32 {
    ///     x * (1.0 - rate)
    /// }
    /// # if gpu::device() == gpu::Device::Cpu {
    /// let mut x = gpu::array(&[1.0f32, 2.0]);
    /// let before = x.clone(); // shares the elements
    /// gpu::map_into(damped, (&before, 0.5), &mut x);
    /// assert_eq!(x.to_host(), ndarray::arr1(&[0.5f32, 1.0]).into_dyn());
    /// # }
    /// ```
    pub fn map_into, try_map_into<T, F: Function<T>, A: Arguments<T>>(
        function: F,
        arguments: A,
        out: <F::Output as Results>::Targets<'_>,
    ) -> Result<()> {
        let mut request = Request::new::<T, F>("map_into", &function)?;
        request.targets = Some(F::Output::targets(out));
        request.of(&arguments).map(drop)
    }

    /// Applies a function to each element as [`map`] does, and reduces the results to one, in the same pass over
    /// memory: Thrust's `transform_reduce`, Julia's `mapreduce`.
    ///
    /// The reduction is one of those in [`gpu::reduction`](crate::reduction): `Sum`, `Product`, `Min`, `Max`, `Any`,
    /// `All`. The result is an array without axes on the arguments' device; its [`item`](DeviceArray::item) is the
    /// value, which is that of the array's method (`sum`, `prod`, `min` …) over what [`map`] gives, up to rounding:
    /// sums are pairwise or better.
    ///
    /// **Panics** as [`map`] does; and if there are no elements, for `Min` and `Max`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn squared_difference(x: f32, y: f32) -> f32 {
    ///     (x - y) * (x - y)
    /// }
    /// # if gpu::device() == gpu::Device::Cpu {
    /// let (x, y) = (gpu::array(&[1.0f32, 2.0, 3.0]), gpu::array(&[1.0f32, 4.0, 0.0]));
    /// let total = gpu::map_reduce(squared_difference, gpu::reduction::Sum, (&x, &y));
    /// assert_eq!(total.item(), 13.0);
    /// # }
    /// ```
    pub fn map_reduce, try_map_reduce<T, F, K, A>(
        function: F,
        _reduction: K,
        arguments: A,
    ) -> Result<DeviceArray<K::Output>>
    where
        F: Function<T>,
        K: Reduction<F::Output>,
        A: Arguments<T>,
    {
        let mut request = Request::new::<T, F>("map_reduce", &function)?;
        request.reduction = Some(K::operation().0);
        request.of(&arguments).map(first)
    }
}

/// The array of a function with one result.
pub(crate) fn first<T: crate::dtype::Element>(arrays: Vec<RawArray>) -> DeviceArray<T> {
    DeviceArray::from_raw(arrays.into_iter().next().expect("a function has a result"))
}

/// An argument, of a struct with its value.
enum Operand<'a> {
    Elements(RawOperand<'a>),
    Struct(Value),
}

/// What an argument is, for a comparison with a parameter.
enum Given<'a> {
    /// Elements of a type.
    Elements(DType),
    /// A struct.
    Struct(&'a Value),
}

impl<'a> Operand<'a> {
    fn of(operand: &MapOperand<'a>) -> Operand<'a> {
        match operand {
            MapOperand::Elements(operand) => Operand::Elements(*operand),
            MapOperand::Struct(value) => Operand::Struct(value.value()),
        }
    }

    fn given(&self) -> Given<'_> {
        match self {
            Operand::Elements(operand) => Given::Elements(operand.dtype()),
            Operand::Struct(value) => Given::Struct(value),
        }
    }

    fn array(&self) -> Option<&'a RawArray> {
        match self {
            Operand::Elements(RawOperand::Array(array)) => Some(array),
            Operand::Elements(RawOperand::Scalar(_)) | Operand::Struct(_) => None,
        }
    }
}

impl std::fmt::Display for Given<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Given::Elements(dtype) => dtype.fmt(formatter),
            Given::Struct(Value::Struct(name, _)) => formatter.write_str(short(name)),
            Given::Struct(_) => formatter.write_str("a struct"),
        }
    }
}

/// What a function of the prelude itself gives, which has `#[vectorize]` before it: `name` is that of its type.
pub(crate) fn registered(operation: &'static str, name: &'static str, operands: &[RawOperand<'_>]) -> Result<RawArray> {
    Ok(registered_all(operation, name, operands)?.swap_remove(0))
}

/// As [`registered`], with a target of the shape of the result.
pub(crate) fn registered_into(
    operation: &'static str,
    name: &'static str,
    operands: &[RawOperand<'_>],
    target: &RawArray,
) -> Result<()> {
    let function = *registry::find(name).expect("the loader has registered it");
    let operands: Vec<MapOperand<'_>> = operands.iter().copied().map(MapOperand::Elements).collect();
    Request { operation, function, reduction: None, targets: Some(vec![target]), along: None }.run(&operands).map(drop)
}

/// As [`registered`], for a function that may have several results.
pub(crate) fn registered_all(
    operation: &'static str,
    name: &'static str,
    operands: &[RawOperand<'_>],
) -> Result<Vec<RawArray>> {
    run_registered(operation, name, None, operands)
}

/// As [`registered`], with structs among the operands.
pub(crate) fn registered_with(
    operation: &'static str,
    name: &'static str,
    operands: &[MapOperand<'_>],
) -> Result<RawArray> {
    let function = *registry::find(name).expect("the loader has registered it");
    let request = Request { operation, function, reduction: None, targets: None, along: None };
    Ok(request.run(operands)?.swap_remove(0))
}

/// The results of such a function reduced to one, an array without axes.
pub(crate) fn registered_reduced(
    operation: &'static str,
    name: &'static str,
    reduction: ReduceOperation,
    operands: &[RawOperand<'_>],
) -> Result<RawArray> {
    Ok(run_registered(operation, name, Some(reduction), operands)?.swap_remove(0))
}

fn run_registered(
    operation: &'static str,
    name: &'static str,
    reduction: Option<ReduceOperation>,
    operands: &[RawOperand<'_>],
) -> Result<Vec<RawArray>> {
    let function = *registry::find(name).expect("the loader has registered it");
    let request = Request { operation, function, reduction, targets: None, along: None };
    let operands: Vec<MapOperand<'_>> = operands.iter().copied().map(MapOperand::Elements).collect();
    request.run(&operands)
}

/// What is to be done with a function.
pub struct Request<'a> {
    operation: &'static str,
    function: registry::Function,
    /// What the results are reduced by.
    reduction: Option<ReduceOperation>,
    /// Where results go, if they get no arrays of their own.
    targets: Option<Vec<&'a RawArray>>,
    /// Formulas along an axis, of which the function is the first.
    along: Option<(&'a [along::Kept], isize)>,
}

impl<'a> Request<'a> {
    /// For the results of `F`.
    fn new<T, F: Function<T>>(operation: &'static str, function: &F) -> Result<Request<'a>> {
        let function = function.found(operation)?;
        Request::checked(operation, function, F::Output::DTYPES, F::Output::reduction().map(|reduction| reduction.0))
    }

    fn checked(
        operation: &'static str,
        function: registry::Function,
        results: &[DType],
        reduction: Option<ReduceOperation>,
    ) -> Result<Request<'a>> {
        if function.results != results {
            let reason = format!(
                "`{}` was registered with the result {:?}, but is called for {results:?}; run the cell that defines it again",
                short(function.name),
                function.results
            );
            return Err(Error::argument(operation, reason));
        }
        Ok(Request { operation, function, reduction, targets: None, along: None })
    }

    /// The error if these are not of the types of the function's parameters.
    fn accepts(&self, given: &[Given<'_>]) -> Result<()> {
        let parameters = self.function.parameters;
        let fits = |(given, parameter): (&Given<'_>, &FunctionParameter)| match (given, parameter) {
            (Given::Elements(dtype), FunctionParameter::Element(of)) => dtype == of,
            (Given::Struct(value), FunctionParameter::Struct(of)) => (of.fits)(value),
            _ => false,
        };
        let wrong = |reason| Err(Error::argument(self.operation, reason));
        let function = short(self.function.name);
        if given.len() != parameters.len() || !given.iter().zip(parameters).all(fits) {
            let listed = |names: Vec<String>| names.join(", ");
            return wrong(format!(
                "`{function}` was registered with the arguments ({}), but is called with ({}); run the cell that defines it \
                 again",
                listed(parameters.iter().map(ToString::to_string).collect()),
                listed(given.iter().map(ToString::to_string).collect()),
            ));
        }
        let structs = given.iter().enumerate().filter_map(|(number, given)| match given {
            Given::Elements(_) => None,
            Given::Struct(value) => Some((format!("argument {}", number + 1), *value)),
        });
        without_room(function, structs).map_or(Ok(()), wrong)
    }

    /// The shape of the results.
    fn result_shape<'s>(&self, shape: &'s [usize]) -> Result<&'s [usize]> {
        let Some(reduction) = self.reduction else { return Ok(shape) };
        if reduction.needs_elements() && shape.contains(&0) {
            let reason = "has no elements to compare; reduce arrays that have some";
            return Err(Error::shape(self.operation, shape, reason));
        }
        Ok(&[])
    }

    /// New arrays for the results.
    fn new_arrays(&self, handle: &Handle, shape: &[usize]) -> Result<Vec<RawArray>> {
        let new = |&dtype: &DType| {
            let dtype = self.reduction.map_or(dtype, |reduction| reduction.output(dtype));
            RawArray::uninitialised(self.operation, handle, shape, dtype)
        };
        self.function.results.iter().map(new).collect()
    }

    /// As `run`, with arguments whose types are not known here.
    fn of(&self, arguments: &dyn hidden::Arguments) -> Result<Vec<RawArray>> {
        let mut results = Ok(Vec::new());
        arguments.with(&mut |operands| results = self.run(operands));
        results
    }

    /// Does it; gives the results if they have no targets.
    fn run(&self, operands: &[MapOperand<'_>]) -> Result<Vec<RawArray>> {
        if let Some((stages, axis)) = self.along {
            return along::run(self, operands, stages, axis);
        }
        let operands: Vec<Operand<'_>> = operands.iter().map(Operand::of).collect();
        self.accepts(&operands.iter().map(Operand::given).collect::<Vec<_>>())?;
        let (handle, shape) = self.place(&operands)?;
        let result_shape = self.result_shape(&shape)?;
        let given = match &self.targets {
            Some(targets) => self.accepted(targets, &handle, result_shape)?,
            None => None,
        };
        let outs = match &given {
            Some(given) => given.clone(),
            None => self.new_arrays(&handle, result_shape)?,
        };
        if outs[0].size() > 0 {
            self.compute(&handle, &operands, &shape, &outs)?;
        }
        if let (Some(targets), None) = (&self.targets, &given) {
            for (target, out) in targets.iter().zip(&outs) {
                assign(self.operation, target, out)?;
            }
        }
        Ok(outs)
    }

    /// The device, and the shape to which the operands broadcast.
    fn place<'s>(&'s self, operands: &[Operand<'s>]) -> Result<(Handle, Cow<'s, [usize]>)> {
        let mut arrays = operands.iter().filter_map(Operand::array);
        let Some(first) = arrays.next() else {
            let target = self.targets.as_ref().and_then(|targets| targets.first());
            let handle = target.map_or_else(device::current, |target| Ok(target.handle.clone()))?;
            return Ok((handle, target.map_or(&[][..], |target| target.shape()).into()));
        };
        let mut shape = Cow::Borrowed(first.shape());
        for array in arrays {
            first.same_device(self.operation, array)?;
            if *shape != *array.shape() {
                shape = shape::broadcast_shapes(self.operation, &shape, array.shape())?.into();
            }
        }
        Ok((first.handle.clone(), shape))
    }

    /// The targets if results can be written to them directly, or nothing if they overlap.
    fn accepted(&self, targets: &[&RawArray], handle: &Handle, shape: &[usize]) -> Result<Option<Vec<RawArray>>> {
        for target in targets {
            writable(self.operation, target)?;
            if target.handle.device != handle.device {
                return Err(Error::DeviceMismatch {
                    operation: self.operation,
                    left: handle.device.to_string(),
                    right: target.handle.device.to_string(),
                });
            }
            if target.shape() != shape {
                let reason = format!(
                    "of the target differs from the shape of the results, {shape:?}; give a target of that shape"
                );
                return Err(Error::shape(self.operation, target.shape(), reason));
            }
        }
        let overlap = targets
            .iter()
            .enumerate()
            .any(|(index, target)| targets[..index].iter().any(|other| other.shares_memory(target)));
        Ok((!overlap).then(|| targets.iter().copied().cloned().collect()))
    }

    fn compute(&self, handle: &Handle, operands: &[Operand<'_>], shape: &[usize], outs: &[RawArray]) -> Result<()> {
        let wide = operands
            .iter()
            .map(|operand| operand.array().map_or(Ok(None), |array| self.widened(array, shape, outs)))
            .collect::<Result<Vec<Option<RawArray>>>>()?;
        let inputs: Vec<Passed<'_>> = operands
            .iter()
            .zip(&wide)
            .map(|(operand, wide)| match operand {
                Operand::Elements(RawOperand::Scalar(value)) => Passed::Scalar(*value),
                Operand::Elements(RawOperand::Array(array)) => {
                    Passed::Array(wide.as_ref().unwrap_or(array).view(), false)
                }
                Operand::Struct(value) => Passed::Struct(value),
            })
            .collect();
        match self.reduction {
            Some(reduction) if self.function.results[0].is_storage() || self.function.results[0].is_complex() => {
                // Reductions compute in a wider type, or on the parts: first the elements, then these.
                let dtype = self.function.results[0];
                let elements = RawArray::uninitialised(self.operation, handle, shape, dtype)?;
                if elements.size() > 0 {
                    handle.backend.map(&self.function, &inputs, &[elements.view()])?;
                }
                let axes: Vec<usize> = (0..shape.len()).collect();
                let result = reduce(self.operation, reduction, &elements, &axes)?;
                handle.backend.copy(result.view(), outs[0].view())
            }
            Some(reduction) => handle.backend.map_reduce(&self.function, reduction, &inputs, shape, outs[0].view()),
            None => {
                let outs: Vec<View<'_>> = outs.iter().map(RawArray::view).collect();
                handle.backend.map(&self.function, &inputs, &outs)
            }
        }
    }

    /// An array that cannot be read as it is, in the form in which it can: repeated to the shape, or copied.
    fn widened(&self, array: &RawArray, shape: &[usize], outs: &[RawArray]) -> Result<Option<RawArray>> {
        // New arrays are nobody's input.
        if array.shape() == shape && self.targets.is_none() {
            return Ok(None);
        }
        let wide = array.with_layout(shape::broadcast_layout(&array.layout, shape));
        // Views of one allocation may overlap; backends accept only the very elements of an output as an input.
        let overlaps = outs.iter().any(|out| out.shares_memory(&wide) && out.layout != wide.layout);
        if !overlaps {
            return Ok(Some(wide));
        }
        let copy = array.copied(self.operation)?;
        Ok(Some(copy.with_layout(shape::broadcast_layout(&copy.layout, shape))))
    }
}

/// Names for the parameters of a function.
const PARAMETERS: [&str; 8] = ["x", "y", "z", "w", "a", "b", "c", "d"];

/// The error for a function that was not registered. `parameters` are the types that it is called with.
fn not_registered(operation: &'static str, name: &str, parameters: &[&str]) -> Error {
    let short_name = short(name);
    let reason = if name.contains("{{closure}}") && name.ends_with('}') {
        let typed = PARAMETERS.iter().zip(parameters).map(|(name, of)| format!("{name}: {}", short(of)));
        format!(
            "a closure cannot run over arrays; write it as `gpu::fuse!(|{}| …)`, or write a function with `#[vectorize]` before \
             it and give its name",
            typed.collect::<Vec<_>>().join(", ")
        )
    } else if name.contains("fn(") {
        format!("`{name}` is a pointer to a function; give the function itself, by its name")
    } else if registry::has_item(name) {
        format!(
            "the function `{short_name}` has `#[device]` before it, so only other functions can call it; write \
             `#[vectorize]` instead: then it also runs over arrays"
        )
    } else {
        format!("the function `{short_name}` cannot run over arrays; write `#[vectorize]` before its `fn`")
    };
    Error::argument(operation, reason)
}

/// The last part of a path.
fn short(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
