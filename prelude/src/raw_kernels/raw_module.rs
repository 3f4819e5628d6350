//! [`RawKernel`] and [`RawModule`]: whole functions of CUDA C.

use super::arguments::{RawArgument, TextArguments, sealed};
use super::attributes::{KernelAttributes, Occupancy};
use super::compiler_log;
use super::dim3::IntoDim3;
use super::launch_checks::{self, NAME};
use super::parameter_list::common_device;
use super::program_cache::{ProgramCache, compiled};
use super::signatures::{CParameter, CType, Signature, signatures};
use crate::array::{DeviceArray, RawArray};
use crate::backend::text::{FunctionAttributes, Passed, Text, TextProgram};
use crate::backend::{Foreign, Layout};
use crate::device::{self, Handle};
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A kernel that is a function of a CUDA C text; CuPy's `RawKernel`.
///
/// The text is that of a file for `nvcc`, without the host's part. `#include` finds CUDA's own headers where they are installed.
/// The function need not be `extern "C"`. Namespaces and a template's arguments are a part of the name: `space::scale<float>`.
/// It is compiled at the first launch, or by [`compile`](Self::compile), and kept on disk.
///
/// Arguments are checked against the parameters that the text declares: their number, the element types of arrays, and the types
/// of scalars. Nothing is converted: an `int` takes an `i32`, a `size_t` a `usize`. A pointer without `const` takes `&mut`.
/// Arrays must be contiguous, because the function gets only an address. For templates, and for types and macros that the text
/// defines itself, only the number and the sizes of the parameters are checked. **What the function does with an address is not
/// checked:** a kernel that reads or writes outside of its arrays gives wrong results, or ends in [`Error::ContextLost`].
///
/// A kernel runs in the current [`Stream`](crate::Stream), on the device of its arrays. That is a CUDA device.
///
/// ```
/// use warpcell as gpu;
/// let scale = gpu::RawKernel::new(
///     r#"
///     extern "C" __global__
///     void scale(const float* x, float by, float* out, int n) {
///         int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) out[i] = by * x[i];
///     }
///     "#,
///     "scale",
/// );
/// if gpu::device() != gpu::Device::Cpu {
///     let x = gpu::arange(1000.0f32);
///     let mut out = gpu::empty::<f32>(1000);
///     scale.launch(1000usize.div_ceil(256), 256, (&x, 0.5f32, &mut out, 1000));
///     assert_eq!(out.get(&[999]), 499.5);
///     println!("{:?}", scale.attributes());
/// }
/// ```
#[derive(Clone)]
pub struct RawKernel {
    definition: Arc<ModuleDefinition>,
    /// The number of the function among the requested ones.
    number: usize,
    /// Bytes of dynamic shared memory.
    shared: usize,
}

/// Several functions of one CUDA C text, with its variables; CuPy's `RawModule`.
///
/// ```
/// use warpcell as gpu;
/// let module = gpu::RawModule::new(
///     "__device__ float factors[2] = {2.0f, 3.0f};
///      __global__ void first(float* x) { x[threadIdx.x] *= factors[0]; }
///      template <int N> __global__ void second(float* x) { x[threadIdx.x] += N * factors[1]; }",
/// )
/// .name_expressions(["second<4>"]);
/// let (first, second) = (module.get_function("first"), module.get_function("second<4>"));
/// if gpu::device() != gpu::Device::Cpu {
///     let mut x = gpu::ones::<f32>(2);
///     first.launch(1, 2, &mut x);
///     second.launch(1, 2, &mut x);
///     assert_eq!(x.sum(), 28.0);
///     module.get_global::<f32>("factors").fill(10.0);
///     first.launch(1, 2, &mut x);
///     assert_eq!(x.sum(), 280.0);
/// }
/// ```
#[derive(Clone)]
pub struct RawModule {
    definition: Arc<ModuleDefinition>,
}

// Programs are added, and never changed.
impl std::panic::UnwindSafe for RawKernel {}
impl std::panic::RefUnwindSafe for RawKernel {}
impl std::panic::UnwindSafe for RawModule {}
impl std::panic::RefUnwindSafe for RawModule {}

#[derive(Clone)]
struct ModuleDefinition {
    source: String,
    options: Vec<String>,
    signatures: Vec<Signature>,
    requested: Vec<RequestedFunction>,
    programs: ProgramCache<(), CompiledModule>,
}

/// A function that the compiled program should have.
#[derive(Clone)]
struct RequestedFunction {
    name: String,
    /// None if they cannot be read from the text.
    parameters: Option<Vec<CParameter>>,
    /// Whether the user has named it. Others may be missing: the text may have them under a condition that is false.
    is_named: bool,
}

struct CompiledModule {
    program: Arc<dyn TextProgram>,
    /// For each requested function; none if the program does not have it.
    functions: Vec<Option<CompiledFunction>>,
}

struct CompiledFunction {
    /// Its number in the program.
    number: usize,
    attributes: OnceLock<FunctionAttributes>,
    /// The sizes of the parameters, if the driver reports them.
    sizes: OnceLock<Option<Vec<usize>>>,
}

impl RawKernel {
    /// The function `name` of a source text.
    ///
    /// **Panics** if the name is that of a template without arguments.
    #[track_caller]
    pub fn new(source: &str, name: &str) -> RawKernel {
        check(RawKernel::try_new(source, name))
    }

    /// As [`new`](Self::new), but returns the error.
    pub fn try_new(source: &str, name: &str) -> Result<RawKernel> {
        let mut definition = ModuleDefinition::new(source);
        if definition.signatures.iter().any(|signature| signature.is_template && signature.name == name) {
            let reason = format!("`{name}` is a template; name an instance of it, such as `{name}<float>`");
            return Err(Error::argument(NAME, reason));
        }
        definition.request(name, true);
        Ok(RawKernel { definition: Arc::new(definition), number: 0, shared: 0 })
    }

    /// The kernel with further options for the compiler, such as `-DTILE=16`, `--std=c++20` or `--use_fast_math`.
    pub fn options<S: Into<String>>(&self, options: impl IntoIterator<Item = S>) -> RawKernel {
        RawKernel { definition: self.definition.with_options(options), ..*self }
    }

    /// The kernel with this many bytes of dynamic shared memory for each block, which the text declares as
    /// `extern __shared__ float room[];`. More than 48 KiB is possible if the device has it.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let text = "__global__ void reverse(float* x) {
    ///     extern __shared__ float room[];
    ///     room[threadIdx.x] = x[threadIdx.x];
    ///     __syncthreads();
    ///     x[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
    /// }";
    /// let reverse = gpu::RawKernel::new(text, "reverse");
    /// if gpu::device() != gpu::Device::Cpu {
    ///     let mut x = gpu::arange(64.0f32);
    ///     reverse.shared_mem(4 * 64).launch(1, 64, &mut x);
    ///     assert_eq!(x.get(&[0]), 63.0);
    /// }
    /// ```
    pub fn shared_mem(&self, bytes: usize) -> RawKernel {
        RawKernel { shared: bytes, ..self.clone() }
    }

    fallible! {
        /// Compiles the kernel for the current device now, and not at the first launch.
        ///
        /// **Panics** if the text does not compile ([`Error::KernelCompilation`], with the
        /// compiler's log, in which lines are those of the text), if it has no such function, or on the CPU device.
        pub fn compile, try_compile(&self) -> Result<()> {
            let compiled = self.definition.compiled(&device::current()?)?;
            self.definition.function(&compiled, self.number).map(|_| ())
        }

        /// Queues the kernel: `grid` blocks of `block` threads each, both `n`, `(x, y)` or `(x, y, z)`.
        ///
        /// **Panics** if the arguments do not fit the parameters, the device cannot launch blocks or grids of that
        /// size, and as [`compile`](Self::compile) does.
        pub fn launch, try_launch(
            &self,
            grid: impl IntoDim3,
            block: impl IntoDim3,
            arguments: impl TextArguments,
        ) -> Result<()> {
            self.launch_with(grid.into_dim3(), block.into_dim3(), &arguments)
        }
    }

    fn launch_with(&self, grid: [i64; 3], block: [i64; 3], arguments: &dyn sealed::Arguments) -> Result<()> {
        arguments.with(&mut |arguments| self.definition.launch(self.number, [grid, block], self.shared, arguments))
    }

    fallible! {
        /// Registers, memory and occupancy of the kernel on the current device. Compiles it if it is not compiled yet.
        ///
        /// **Panics** as [`compile`](Self::compile) does.
        pub fn attributes, try_attributes(&self) -> Result<KernelAttributes> {
            let compiled = self.definition.compiled(&device::current()?)?;
            let function = self.definition.function(&compiled, self.number)?;
            let (attributes, limits) = (*function.attributes(&compiled)?, compiled.program.limits());
            let sizes = [32, 64, 128, 192, 256, 384, 512, 768, 1024]
                .into_iter()
                .filter(|&threads| threads <= attributes.max_threads);
            let occupancy = sizes.map(|threads| {
                let blocks = compiled.program.resident_blocks(function.number, threads, self.shared)?;
                Ok(Occupancy::new(threads, blocks, &limits))
            });
            Ok(KernelAttributes::new(self.name(), attributes, occupancy.collect::<Result<Vec<Occupancy>>>()?))
        }
    }

    /// How many blocks of this size a multiprocessor of the current device runs at once.
    ///
    /// **Panics** as [`compile`](Self::compile) does, and if a length is not positive.
    #[track_caller]
    pub fn occupancy(&self, block: impl IntoDim3) -> Occupancy {
        check(self.occupancy_of(block.into_dim3()))
    }

    fn occupancy_of(&self, block: [i64; 3]) -> Result<Occupancy> {
        let size = launch_checks::launch_size(self.name(), [1; 3], block, self.shared)?;
        let threads = size.block.iter().fold(1usize, |product, &length| product.saturating_mul(length as usize));
        let compiled = self.definition.compiled(&device::current()?)?;
        let function = self.definition.function(&compiled, self.number)?;
        let limits = compiled.program.limits();
        let is_possible = threads <= function.attributes(&compiled)?.max_threads;
        let blocks =
            if is_possible { compiled.program.resident_blocks(function.number, threads, self.shared)? } else { 0 };
        Ok(Occupancy::new(threads, blocks, &limits))
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.definition.requested[self.number].name
    }
}

impl fmt::Debug for RawKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RequestedFunction { name, parameters, .. } = &self.definition.requested[self.number];
        let list = parameters.as_ref().map_or("…".to_owned(), |all| {
            all.iter().map(|parameter| parameter.text.as_str()).collect::<Vec<_>>().join(", ")
        });
        write!(f, "RawKernel {name}({list})")
    }
}

impl RawModule {
    /// A module from a source text. [`get_function`](Self::get_function) returns its functions.
    pub fn new(source: &str) -> RawModule {
        let mut definition = ModuleDefinition::new(source);
        for signature in definition.signatures.clone().iter().filter(|signature| !signature.is_template) {
            definition.request(&signature.name, false);
        }
        RawModule { definition: Arc::new(definition) }
    }

    /// The module with further options for the compiler, such as `-DTILE=16` or `--std=c++20`. Call it before
    /// [`get_function`](Self::get_function).
    pub fn options<S: Into<String>>(&self, options: impl IntoIterator<Item = S>) -> RawModule {
        RawModule { definition: self.definition.with_options(options) }
    }

    /// The module with more functions: instances of its templates, such as `scale<float>`, and functions that macros define.
    pub fn name_expressions<S: Into<String>>(&self, names: impl IntoIterator<Item = S>) -> RawModule {
        let mut definition = ModuleDefinition::clone(&self.definition);
        for name in names {
            definition.request(&name.into(), true);
        }
        RawModule { definition: Arc::new(definition) }
    }

    fallible! {
        /// Compiles the text for the current device now, and not at the first launch.
        ///
        /// **Panics** as [`RawKernel::compile`] does.
        pub fn compile, try_compile(&self) -> Result<()> {
            self.definition.compiled(&device::current()?).map(|_| ())
        }

        /// A function of the text, by its name: `add`, `space::add`, or an instance of a template that was named by
        /// [`name_expressions`](Self::name_expressions). All functions of a module share its variables.
        ///
        /// **Panics** if there is no such function. The message names the functions of the text.
        pub fn get_function, try_get_function(&self, name: &str) -> Result<RawKernel> {
            let wanted = without_blanks(name);
            let number = self.definition.requested.iter().position(|known| without_blanks(&known.name) == wanted);
            match number {
                Some(number) => Ok(RawKernel { definition: self.definition.clone(), number, shared: 0 }),
                None => Err(self.definition.not_found(name)),
            }
        }
    }

    /// A variable of the text, `__device__` or `__constant__`, on the current device, as an array with one axis. Kernels and the
    /// array share the memory. [`assign`](DeviceArray::assign) sets it.
    ///
    /// **Panics** if there is no such variable, if its size is not a multiple of the size of a `T`, and as
    /// [`compile`](Self::compile) does.
    #[track_caller]
    pub fn get_global<T: Element>(&self, name: &str) -> DeviceArray<T> {
        DeviceArray::from_raw(check(self.definition.global(name, T::DTYPE)))
    }

    /// The names of the functions.
    pub fn functions(&self) -> Vec<String> {
        self.definition.requested.iter().map(|wanted| wanted.name.clone()).collect()
    }
}

impl fmt::Debug for RawModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawModule of {}", listed(&self.functions()))
    }
}

impl CompiledFunction {
    fn attributes(&self, compiled: &CompiledModule) -> Result<&FunctionAttributes> {
        if let Some(attributes) = self.attributes.get() {
            return Ok(attributes);
        }
        let attributes = compiled.program.attributes(self.number)?;
        Ok(self.attributes.get_or_init(|| attributes))
    }

    fn sizes(&self, compiled: &CompiledModule) -> Result<Option<&[usize]>> {
        if self.sizes.get().is_none() {
            let sizes = compiled.program.parameter_sizes(self.number)?;
            let _ = self.sizes.set(sizes);
        }
        Ok(self.sizes.get().and_then(Option::as_deref))
    }
}

impl ModuleDefinition {
    fn new(source: &str) -> ModuleDefinition {
        ModuleDefinition {
            source: source.to_owned(),
            options: Vec::new(),
            signatures: signatures(source),
            requested: Vec::new(),
            programs: ProgramCache::default(),
        }
    }

    /// Adds a function to those that the compiled program should have.
    fn request(&mut self, name: &str, is_named: bool) {
        if let Some(known) = self.requested.iter_mut().find(|known| known.name == name) {
            known.is_named |= is_named;
            return;
        }
        let plain_name = name.trim_start_matches("::");
        let signature = self.signatures.iter().find(|signature| signature.name == plain_name);
        let parameters = signature.and_then(|signature| signature.parameters.clone());
        self.requested.push(RequestedFunction { name: name.to_owned(), parameters, is_named });
    }

    fn with_options<S: Into<String>>(&self, options: impl IntoIterator<Item = S>) -> Arc<ModuleDefinition> {
        let mut definition = self.clone();
        definition.options.extend(options.into_iter().map(Into::into));
        Arc::new(definition)
    }

    /// The name of the text in messages of the compiler.
    fn title(&self) -> &str {
        self.requested.first().map_or("RawModule", |function| &function.name)
    }

    fn compiled(&self, handle: &Handle) -> Result<Arc<CompiledModule>> {
        self.programs.get(handle, &(), || self.compile(handle))
    }

    #[cold]
    fn compile(&self, handle: &Handle) -> Result<Arc<CompiledModule>> {
        let mut asked: Vec<usize> = (0..self.requested.len()).collect();
        let program = loop {
            let names: Vec<String> = asked.iter().map(|&number| self.requested[number].name.clone()).collect();
            let text = Text { name: self.title(), source: &self.source, options: &self.options, kernels: &names };
            let error = match compiled(handle, &text) {
                Ok(program) => break program,
                Err(error) => error,
            };
            let Some(missing) = compiler_log::missing(&error) else { return Err(error) };
            let missing: Vec<String> = missing.iter().map(|name| without_blanks(name)).collect();
            let is_missing = |number: &usize| missing.contains(&without_blanks(&self.requested[*number].name));
            if let Some(&number) = asked.iter().find(|number| self.requested[**number].is_named && is_missing(number)) {
                return Err(self.unresolved(&self.requested[number].name, &error));
            }
            let before = asked.len();
            // The text has these under a condition that is false.
            asked.retain(|number| !is_missing(number));
            if asked.len() == before {
                return Err(error);
            }
        };
        let function = |number: usize| {
            let place = asked.iter().position(|&asked| asked == number)?;
            Some(CompiledFunction { number: place, attributes: OnceLock::new(), sizes: OnceLock::new() })
        };
        Ok(Arc::new(CompiledModule { program, functions: (0..self.requested.len()).map(function).collect() }))
    }

    fn function<'a>(&self, compiled: &'a CompiledModule, number: usize) -> Result<&'a CompiledFunction> {
        compiled.functions[number].as_ref().ok_or_else(|| {
            let name = &self.requested[number].name;
            let reason = "under a condition, such as `#ifdef`, that is false; define names with `options`: `-DNAME`";
            Error::argument(
                NAME,
                format!("there is no kernel `{name}` in the compiled program: in the text it is {reason}"),
            )
        })
    }

    fn launch(
        &self,
        number: usize,
        [grid, block]: [[i64; 3]; 2],
        shared: usize,
        arguments: &[RawArgument<'_>],
    ) -> Result<()> {
        let RequestedFunction { name, parameters, .. } = &self.requested[number];
        let size = launch_checks::launch_size(name, grid, block, shared)?;
        if let Some(parameters) = parameters {
            launch_checks::arguments(name, parameters, arguments)?;
        }
        launch_checks::contiguous(name, arguments)?;
        let handle = common_device(NAME, arguments.iter())?;
        let compiled = self.compiled(&handle)?;
        let function = self.function(&compiled, number)?;
        launch_checks::within(name, &handle, size, &compiled.program.limits(), function.attributes(&compiled)?)?;
        launch_checks::sizes(name, parameters.as_deref(), function.sizes(&compiled)?, arguments)?;
        let mut passed = Vec::with_capacity(arguments.len());
        for (number, argument) in arguments.iter().enumerate() {
            passed.push(match *argument {
                RawArgument::Scalar { value, .. } => Passed::Scalar(value),
                RawArgument::Array { array, writes } => {
                    let c_type = parameters.as_ref().map(|parameters| &parameters[number].c_type);
                    let writes = if let Some(CType::Pointer { is_const, .. }) = c_type { !is_const } else { writes };
                    Passed::Address(array.view(), writes)
                }
            });
        }
        compiled.program.launch(function.number, size, &passed)
    }

    fn global(&self, name: &str, dtype: crate::dtype::DType) -> Result<RawArray> {
        let handle = device::current()?;
        let compiled = self.compiled(&handle)?;
        let wrong = |reason: String| Error::argument("get_global", reason);
        let Some((address, bytes)) = compiled.program.global(name)? else {
            let reason =
                "in the text; write variables as `__device__` or `__constant__`, outside of functions and namespaces";
            return Err(wrong(format!("there is no variable `{name}` {reason}")));
        };
        if bytes % dtype.size() != 0 || !address.is_multiple_of(dtype.size().min(8)) {
            return Err(wrong(format!(
                "`{name}` has {bytes} bytes at {address:#x}, which cannot be elements of {dtype}; use the type that it \
                 is declared with"
            )));
        }
        let memory = Foreign { address, bytes, owner: Box::new(compiled.clone()) };
        // SAFETY: the variable is in the memory of the program, which its owner keeps; it is aligned, as was just checked. The
        // user orders what kernels of the same text do with it in other streams.
        let allocation = unsafe { handle.backend.adopt(memory)? };
        Ok(RawArray { handle, allocation, layout: Layout::contiguous(&[bytes / dtype.size()]), dtype })
    }

    /// The error for a function that the text does not have, or has more than once.
    #[cold]
    fn unresolved(&self, name: &str, error: &Error) -> Error {
        match error {
            Error::KernelCompilation { log, .. } if log.contains("overloaded function") => Error::argument(
                NAME,
                format!("the text has several functions with the name `{name}`; give each function its own name"),
            ),
            _ => self.not_found(name),
        }
    }

    #[cold]
    fn not_found(&self, name: &str) -> Error {
        let found: Vec<String> = self.signatures.iter().map(Signature::shown).collect();
        let advice = if found.iter().any(|found| found.contains('<')) {
            "; name an instance of a template with its arguments (in a `RawModule` with `name_expressions`)"
        } else {
            ""
        };
        let has = if found.is_empty() { "no `__global__` function".to_owned() } else { listed(&found) };
        Error::argument(NAME, format!("there is no kernel `{name}` in the text; it has {has}{advice}"))
    }
}

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    match names {
        [] => "no kernels".into(),
        [one] => format!("`{one}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} and `{last}`", first.join(", "))
        }
    }
}

fn without_blanks(name: &str) -> String {
    name.split_whitespace().collect()
}
