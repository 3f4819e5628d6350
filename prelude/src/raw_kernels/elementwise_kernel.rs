//! [`ElementwiseKernel`]: a kernel from CUDA C text that computes one element.

use super::arguments::{RawArgument, TextArguments, TextOutputs, TextResults, sealed};
use super::bound_arguments::{BoundArguments, axes_of_arrays};
use super::parameter_list::{ListedParameter, ParameterLists, texts};
use super::program_cache::{ArgumentTypes, ProgramCache, compiled};
use super::program_text::{elementwise, neighbours, typed};
use crate::array::{DeviceArray, RawArray, writable};
use crate::backend::cuda::axes::{KernelAxes, MOST_AXES};
use crate::backend::cuda::codegen::{ALIGNMENT, Form, THREADS};
use crate::backend::text::{LaunchSize, Passed, Text, TextProgram};
use crate::device::Handle;
use crate::dtype::{DType, Element};
use crate::error::{Result, check};
use crate::fallible::fallible;
use std::fmt;
use std::sync::Arc;

const NAME: &str = "ElementwiseKernel";

/// A kernel from CUDA C text that computes one element; CuPy's `ElementwiseKernel`. The arguments broadcast, and the text sees one
/// element of each.
///
/// A parameter is a type and a name, such as `float64 x`. The type is a name of NumPy, a name of Rust (`f64 x`), or a letter that
/// stands for the type of the argument: in `T x, T y` both have the same type. In the text, `i` is the number of the element in
/// row-major order, and `_ind.size()` is the number of elements. A parameter with `raw` before it is the whole array: the text
/// indexes it (`x[i]`, `x.size()`). `return` ends the element. `float16`, `bfloat16` and complex numbers have arithmetic too.
///
/// The text is compiled at the first call, once for each combination of types, and kept on disk. It runs on CUDA devices only. For
/// a function that runs on the CPU too, write it in Rust with `#[vectorize]`, and call it with [`map`](crate::map()).
///
/// ```
/// use warpcell as gpu;
/// let squared_difference = gpu::ElementwiseKernel::new("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference");
/// if gpu::device() != gpu::Device::Cpu {
///     let x = gpu::array(&[[1.0f32], [2.0]]);
///     let y = gpu::array(&[1.0f32, 4.0]);
///     let z = squared_difference.call::<f32>((&x, &y));
///     assert_eq!(z.to_host(), gpu::ndarray::array![[0.0f32, 9.0], [1.0, 4.0]].into_dyn());
/// }
/// ```
#[derive(Clone)]
pub struct ElementwiseKernel {
    definition: Arc<ElementwiseDefinition>,
    /// The number of elements, if all arrays are raw.
    size: Option<usize>,
}

// The programs inside are not changed once they are there.
impl std::panic::UnwindSafe for ElementwiseKernel {}
impl std::panic::RefUnwindSafe for ElementwiseKernel {}

#[derive(Clone)]
struct ElementwiseDefinition {
    parameters: ParameterLists,
    body: String,
    preamble: String,
    options: Vec<String>,
    programs: ProgramCache<(ArgumentTypes, Form), dyn TextProgram>,
}

impl ElementwiseKernel {
    /// A kernel with these inputs and outputs. `body` computes the outputs. `name` is for messages and profiles.
    ///
    /// **Panics** if a list of parameters or the name cannot be read.
    #[track_caller]
    pub fn new(inputs: &str, outputs: &str, body: &str, name: &str) -> ElementwiseKernel {
        check(ElementwiseKernel::try_new(inputs, outputs, body, name))
    }

    /// As [`new`](Self::new), but returns the error.
    pub fn try_new(inputs: &str, outputs: &str, body: &str, name: &str) -> Result<ElementwiseKernel> {
        let parameters = ParameterLists::new(NAME, inputs, outputs, name, &["i", "_ind"])?;
        let (body, preamble) = (body.to_owned(), String::new());
        let definition = ElementwiseDefinition {
            parameters,
            body,
            preamble,
            options: Vec::new(),
            programs: ProgramCache::default(),
        };
        Ok(ElementwiseKernel { definition: Arc::new(definition), size: None })
    }

    /// The kernel with text in front of it: functions, constants, `#include`s.
    pub fn preamble(&self, preamble: &str) -> ElementwiseKernel {
        self.changed(|definition| definition.preamble = preamble.to_owned())
    }

    /// The kernel with further options for the compiler, such as `-DWIDTH=4` or `--use_fast_math`.
    pub fn options<S: Into<String>>(&self, options: impl IntoIterator<Item = S>) -> ElementwiseKernel {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        self.changed(|definition| definition.options.extend(options))
    }

    /// The kernel for this number of elements, if all arrays are `raw`; CuPy's argument `size`.
    pub fn size(&self, elements: usize) -> ElementwiseKernel {
        ElementwiseKernel { size: Some(elements), ..self.clone() }
    }

    fn changed(&self, change: impl FnOnce(&mut ElementwiseDefinition)) -> ElementwiseKernel {
        let mut definition = ElementwiseDefinition::clone(&self.definition);
        change(&mut definition);
        ElementwiseKernel { definition: Arc::new(definition), size: self.size }
    }

    fallible! {
        /// Runs a kernel with one output, and returns the output: a new array of the broadcast shape. `T` must be the
        /// type of the output in the text.
        ///
        /// The inputs are a tuple of arrays and scalars of the types in the text. Nothing is converted. Arrays may be
        /// views. A view for a `raw` input is copied.
        ///
        /// **Panics** if the arguments do not fit the text, if shapes do not broadcast or devices differ, if the text
        /// does not compile ([`Error::KernelCompilation`](crate::Error::KernelCompilation)), or on the CPU device.
        pub fn call, try_call<T: Element>(&self, arguments: impl TextArguments) -> Result<DeviceArray<T>> {
            let mut made = self.made(&arguments, &[T::DTYPE])?;
            Ok(DeviceArray::from_raw(made.swap_remove(0)))
        }
    }

    /// As [`call`](Self::call), for several outputs, of the types `R`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let divide = gpu::ElementwiseKernel::new("int32 a, int32 b", "int32 q, int32 r", "q = a / b; r = a % b", "divide");
    /// if gpu::device() != gpu::Device::Cpu {
    ///     let (q, r) = divide.call_tuple::<(i32, i32)>((&gpu::array(&[7, 8]), 3));
    ///     assert_eq!((q.sum(), r.sum()), (4, 3));
    /// }
    /// ```
    #[track_caller]
    pub fn call_tuple<R: TextResults>(&self, arguments: impl TextArguments) -> <R as sealed::Results>::Arrays {
        R::arrays(check(self.made(&arguments, R::DTYPES)))
    }

    fallible! {
        /// Runs the kernel and writes its results to existing arrays: `&mut out`, or a tuple of such references. The
        /// text can read the elements of the outputs before it writes them.
        ///
        /// **Panics** as [`call`](Self::call), and if an output does not have the broadcast shape.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let reversed = gpu::ElementwiseKernel::new("raw T x", "T z", "z += x[_ind.size() - 1 - i]", "add_reversed");
        /// if gpu::device() != gpu::Device::Cpu {
        ///     let mut z = gpu::ones::<f64>(3);
        ///     reversed.call_into(&gpu::arange(3.0), &mut z);
        ///     assert_eq!(z.to_host(), gpu::ndarray::arr1(&[3.0, 2.0, 1.0]).into_dyn());
        /// }
        /// ```
        pub fn call_into, try_call_into(&self, arguments: impl TextArguments, outputs: impl TextOutputs) -> Result<()> {
            self.write(&arguments, &outputs)
        }
    }

    fn made(&self, arguments: &dyn sealed::Arguments, dtypes: &[DType]) -> Result<Vec<RawArray>> {
        let mut made = Vec::new();
        arguments.with(&mut |arguments| {
            made = self.definition.made(arguments, dtypes, self.size)?;
            Ok(())
        })?;
        Ok(made)
    }

    fn write(&self, arguments: &dyn sealed::Arguments, outputs: &dyn sealed::Arguments) -> Result<()> {
        arguments
            .with(&mut |arguments| outputs.with(&mut |outputs| self.definition.written(arguments, outputs, self.size)))
    }
}

impl fmt::Debug for ElementwiseKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParameterLists { name, inputs, outputs, .. } = &self.definition.parameters;
        write!(f, "ElementwiseKernel {name}({}) -> ({})", texts(inputs), texts(outputs))
    }
}

impl ElementwiseDefinition {
    /// New arrays with the results.
    fn made(&self, arguments: &[RawArgument<'_>], dtypes: &[DType], size: Option<usize>) -> Result<Vec<RawArray>> {
        let handle = self.parameters.device(arguments, dtypes, &[])?;
        if let Some(raw) = self.parameters.outputs.iter().find(|output| output.is_raw) {
            let reason = "is raw, so its shape is not known; make the array first and use `call_into`";
            return Err(self.parameters.wrong(format!("the output `{}` {reason}", raw.text())));
        }
        let shape = self.shape(arguments, None, size)?;
        let made = dtypes.iter().map(|&dtype| RawArray::uninitialised(NAME, &handle, &shape, dtype));
        let made = made.collect::<Result<Vec<RawArray>>>()?;
        let outputs: Vec<&RawArray> = made.iter().collect();
        self.run(&handle, arguments, &outputs, &shape)?;
        Ok(made)
    }

    /// Writes the results to arrays.
    fn written(&self, arguments: &[RawArgument<'_>], outputs: &[RawArgument<'_>], size: Option<usize>) -> Result<()> {
        let dtypes: Vec<DType> = outputs.iter().map(RawArgument::dtype).collect();
        let handle = self.parameters.device(arguments, &dtypes, outputs)?;
        let outputs: Vec<&RawArray> = outputs.iter().filter_map(RawArgument::array).collect();
        let mut walked = None;
        for (parameter, &output) in self.parameters.outputs.iter().zip(&outputs) {
            writable(NAME, output)?;
            if parameter.is_raw && !output.layout.is_contiguous() {
                let reason = "is raw, but the view that it gets is not contiguous; give it a contiguous array";
                return Err(self.parameters.wrong(format!("the output `{}` {reason}", parameter.text())));
            }
            if !parameter.is_raw {
                walked.get_or_insert(output.shape());
            }
        }
        let shape = self.shape(arguments, walked, size)?;
        let differs = |(parameter, output): (&ListedParameter, &&RawArray)| {
            (!parameter.is_raw && output.shape() != shape).then(|| (parameter.text(), output.shape().to_vec()))
        };
        if let Some((text, found)) = self.parameters.outputs.iter().zip(&outputs).find_map(differs) {
            let reason = format!(
                "the output `{text}` has the shape {found:?}, but the arrays broadcast to the shape {shape:?}; give an \
                 output of that shape"
            );
            return Err(self.parameters.wrong(reason));
        }
        self.run(&handle, arguments, &outputs, &shape)
    }

    /// The shape over which the kernel runs.
    fn shape(
        &self,
        arguments: &[RawArgument<'_>],
        output: Option<&[usize]>,
        size: Option<usize>,
    ) -> Result<Vec<usize>> {
        let shape = self.parameters.broadcast(arguments, output.map(<[usize]>::to_vec))?;
        match (shape, size) {
            (Some(_), Some(_)) => Err(self.parameters.wrong(
                "`size` is only for kernels whose arrays are all raw; here the arrays give the number of elements",
            )),
            (Some(shape), None) => Ok(shape),
            (None, Some(size)) => Ok(vec![size]),
            // Without arrays there is one element.
            (None, None)
                if arguments.iter().all(|argument| argument.array().is_none())
                    && self.parameters.outputs.iter().all(|output| !output.is_raw) =>
            {
                Ok(Vec::new())
            }
            (None, None) => Err(self
                .parameters
                .wrong("all arrays are raw, so the number of elements is unknown; set it with `.size(n)`")),
        }
    }

    /// Runs the kernel over `shape`. The walked inputs broadcast to it, and the walked outputs have it.
    fn run(
        &self,
        handle: &Handle,
        arguments: &[RawArgument<'_>],
        outputs: &[&RawArray],
        shape: &[usize],
    ) -> Result<()> {
        if shape.contains(&0) {
            return Ok(());
        }
        let mut bound = BoundArguments::new(&self.parameters, arguments, outputs)?;
        if self.launched(handle, &bound, shape)? {
            return Ok(());
        }
        bound.make_contiguous(NAME, shape, true)?;
        self.launched(handle, &bound, shape)?;
        bound.copy_back(outputs)
    }

    /// Launches the kernel, unless the arrays have more axes than it takes.
    fn launched(&self, handle: &Handle, bound: &BoundArguments<'_>, shape: &[usize]) -> Result<bool> {
        let count: usize = shape.iter().product();
        let are_contiguous = bound.walked().all(|array| array.shape() == shape && array.layout.is_contiguous());
        // Memory of other libraries may begin anywhere, so the kernel looks at the addresses again.
        let are_aligned =
            bound.walked().all(|array| (array.layout.offset * array.dtype.size()).is_multiple_of(ALIGNMENT));
        let form = Form::of(are_contiguous, are_aligned, count);
        let axes = if are_contiguous { Vec::new() } else { axes_of_arrays(bound.walked(), shape, |_| true) };
        if axes.len() > MOST_AXES {
            return Ok(false);
        }
        let types = bound.types();
        let each = neighbours(form, &typed(&self.parameters, &types));
        let blocks = self.parameters.blocks(count, THREADS * each)?;
        let elements = [count as i64];
        let axes = form.is_strided().then(|| KernelAxes::new(&axes).words(bound.walked().count()));
        let mut passed = bound.pass();
        passed.push(Passed::Words(&elements));
        passed.extend(axes.as_deref().map(Passed::Words));
        let size = LaunchSize { grid: [blocks, 1, 1], block: [THREADS as u32, 1, 1], shared: 0 };
        let key = (types, form);
        self.programs.get(handle, &key, || self.compile(handle, &key))?.launch(0, size, &passed)?;
        Ok(true)
    }

    #[cold]
    fn compile(&self, handle: &Handle, (types, form): &(ArgumentTypes, Form)) -> Result<Arc<dyn TextProgram>> {
        let name = &self.parameters.name;
        let parameters = typed(&self.parameters, types);
        let source = elementwise(name, &parameters, &self.body, &self.preamble, *form);
        let kernels = [format!("{name}_{}", form.name())];
        compiled(handle, &Text { name, source: &source, options: &self.options, kernels: &kernels })
    }
}
