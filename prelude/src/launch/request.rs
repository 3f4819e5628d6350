//! A launch before it is the backend's: whether its arguments and its size are such that it can be made.

use super::arguments::{LaunchArgument, hidden};
use super::config::LaunchConfig;
use super::overlap::may_overlap;
use super::sources;
use crate::array::{RawArray, writable};
use crate::backend::launch::{Argument, Checks, Launch, LaunchSize, Residency};
use crate::device::{self, Device, Handle};
use crate::error::{Error, Result};
use crate::raw_kernels::{KernelAttributes, Occupancy, RawArgument};
use crate::registry::{Kernel, Parameter, Value, values_of};
use crate::tracing;
use warpcell_base::limits;

/// What is done with a launch as a backend gets it: the device, the launch and its arguments.
type Work<'a> = &'a mut dyn FnMut(&Handle, &Launch, &[Argument<'_>]) -> Result<()>;

/// Of the 4 KiB that CUDA has for the arguments of a launch, the most for structs: sixteen arrays take the rest.
const MOST_STRUCT_BYTES: usize = 2560;

/// The most axes of an argument.
const MOST_AXES: usize = 4;

/// Why structs do not fit into the arguments of a launch of `function`. Each comes with what messages say of its parameter.
pub(crate) fn without_room<'a>(function: &str, structs: impl Iterator<Item = (String, &'a Value)>) -> Option<String> {
    let mut total = 0;
    for (parameter, value) in structs {
        let Some(bytes) = value.bytes() else {
            return Some(format!(
                "the struct for {parameter} of `{function}` has an empty array of structs; remove the array"
            ));
        };
        total += bytes.len();
    }
    (total > MOST_STRUCT_BYTES).then(|| {
        format!(
            "the structs for `{function}` have {total} bytes, but at most {MOST_STRUCT_BYTES} are allowed; pass large arrays \
             as a `View` of a kernel: `gpu::array(&values)`"
        )
    })
}

/// A launch that is in order.
pub(crate) struct Ready<'a, 'b> {
    pub operation: &'static str,
    pub kernel: Kernel,
    pub config: &'a LaunchConfig,
    pub size: LaunchSize,
    pub arguments: &'a [LaunchArgument<'b>],
}

impl Ready<'_, '_> {
    fn request(&self) -> Request {
        Request::new(self.operation, self.kernel, self.config.clone())
    }

    /// The device of the arrays, or the current one.
    pub fn place(&self) -> Result<Handle> {
        self.request().place(self.arguments)
    }

    /// Launches the kernel there.
    pub fn launch(&self) -> Result<()> {
        self.request().launch(self.arguments)
    }

    /// What the kernel needs there, and how many of its blocks run at once; none without CUDA.
    pub fn residency(&self) -> Result<Option<Residency>> {
        let mut found = None;
        self.request().prepared(self.arguments, &mut |handle, request, passed| {
            found = handle.backend.residency(request, passed)?;
            Ok(())
        })?;
        Ok(found)
    }

    /// The arrays that the kernel may write to.
    pub fn written(&self) -> impl Iterator<Item = &RawArray> {
        let parameters = self.kernel.threads.parameters.iter();
        let written =
            parameters.zip(self.arguments).filter(|(parameter, _)| matches!(parameter, Parameter::ViewMut(..)));
        written.filter_map(|(_, argument)| argument.array())
    }
}

/// What is to be launched.
pub(super) struct Request {
    /// The function that was called.
    operation: &'static str,
    kernel: Kernel,
    config: LaunchConfig,
    /// Whether there is anything to do.
    has_threads: bool,
    /// See [`Launch::fixed`].
    fixed: u16,
}

impl Request {
    pub fn new(operation: &'static str, kernel: Kernel, config: LaunchConfig) -> Request {
        Request { operation, kernel, config, has_threads: true, fixed: 0 }
    }

    /// With a thread for each index below `lengths`.
    pub fn for_threads(operation: &'static str, kernel: Kernel, lengths: [i64; 3]) -> Result<Request> {
        if lengths.iter().any(|&length| length < 0) {
            let reason = format!(
                "`{}` cannot be launched for {} threads: lengths must be at least 0",
                kernel.short_name(),
                limits::times(lengths)
            );
            return Err(Error::argument(operation, reason));
        }
        let [grid, block] = limits::for_threads(lengths);
        let has_threads = !lengths.contains(&0);
        Ok(Request { operation, kernel, config: LaunchConfig::new(grid, block), has_threads, fixed: 0 })
    }

    /// Without checks of indices, and compiled for the values of these arguments.
    pub fn compiled_for(self, fixed: u16) -> Request {
        Request { config: LaunchConfig { checks: Checks::None, ..self.config }, fixed, ..self }
    }

    pub fn run(&self, arguments: &dyn hidden::Arguments) -> Result<()> {
        arguments.with(&mut |arguments| self.launch(arguments))
    }

    /// The same for a launch of the user's, which is recorded in cells with `%%trace`.
    pub fn run_or_trace(&self, arguments: &dyn hidden::Arguments) -> Result<()> {
        if !self.has_threads || !tracing::is_watched() {
            return self.run(arguments);
        }
        arguments.with(&mut |arguments| tracing::watched(&self.ready(arguments)?))
    }

    /// What a traced launch needs, which runs on the CPU wherever the arrays are, if everything is in order.
    pub fn ready<'a, 'b>(&'a self, arguments: &'a [LaunchArgument<'b>]) -> Result<Ready<'a, 'b>> {
        let LaunchConfig { grid, block, dynamic_shared_bytes, .. } = &self.config;
        self.fit(arguments)?;
        self.have_room(arguments)?;
        let handle = self.place(arguments)?;
        handle.may_wait(self.operation)?;
        let parameters = self.kernel.threads.parameters;
        arguments.iter().zip(parameters).try_for_each(|(argument, parameter)| {
            argument.array().map_or(Ok(()), |array| self.takes(parameter, array))
        })?;
        let name = self.kernel.short_name();
        let size = limits::launch_size(self.operation, name, *grid, *block, *dynamic_shared_bytes)?;
        let cpu = device::open(Device::Cpu)?;
        limits::within(self.operation, name, "cpu", size, &cpu.backend.launch_limits()?)?;
        // Fails if two that are written to overlap. Those that are read are copied in any case.
        self.apart(arguments)?;
        Ok(Ready { operation: self.operation, kernel: self.kernel, config: &self.config, size, arguments })
    }

    /// Launches the kernel if everything is in order.
    fn launch(&self, arguments: &[LaunchArgument<'_>]) -> Result<()> {
        self.prepared(arguments, &mut |handle, request, passed| {
            sources::record(request, passed)?;
            match &self.config.stream {
                Some(stream) => {
                    if stream.device() != handle.device {
                        return Err(self.wrong(format!(
                            "the stream belongs to {}, but the arrays are on {}; give a stream of their device",
                            stream.device(),
                            handle.device
                        )));
                    }
                    stream.with(|| handle.backend.launch(request, passed))
                }
                None => handle.backend.launch(request, passed),
            }
        })
    }

    /// Does something with the launch as a backend gets it, if everything is in order and there are threads.
    fn prepared(&self, arguments: &[LaunchArgument<'_>], work: Work<'_>) -> Result<()> {
        let LaunchConfig { grid, block, dynamic_shared_bytes, checks, time_limit, .. } = &self.config;
        let name = self.kernel.short_name();
        self.fit(arguments)?;
        self.have_room(arguments)?;
        let handle = self.place(arguments)?;
        arguments.iter().zip(self.kernel.threads.parameters).try_for_each(|(argument, parameter)| {
            argument.array().map_or(Ok(()), |array| self.takes(parameter, array))
        })?;
        if !self.has_threads {
            return Ok(());
        }
        let (grid, block) = (*grid, *block);
        let size = limits::launch_size(self.operation, name, grid, block, *dynamic_shared_bytes)?;
        let device = handle.device.to_string();
        limits::within(self.operation, name, &device, size, &handle.backend.launch_limits()?)?;
        if *checks == Checks::All && handle.device != Device::Cpu {
            return Err(self.has_no_checker(&handle));
        }
        let copies = self.apart(arguments)?;
        let passed: Vec<Argument<'_>> = arguments
            .iter()
            .zip(self.kernel.threads.parameters)
            .zip(&copies)
            .map(|((argument, parameter), copy)| match argument {
                LaunchArgument::Plain(RawArgument::Array { array, .. }) => {
                    Argument::Array(copy.as_ref().unwrap_or(array).view(), matches!(parameter, Parameter::ViewMut(..)))
                }
                LaunchArgument::Plain(RawArgument::Scalar { value, .. }) => Argument::Scalar(*value),
                LaunchArgument::Struct(value) => Argument::Struct(value),
            })
            .collect();
        let (operation, kernel) = (self.operation, self.kernel);
        let request = Launch { operation, kernel, size, checks: *checks, fixed: self.fixed, time_limit: *time_limit };
        work(&handle, &request, &passed)
    }

    fn wrong(&self, reason: String) -> Error {
        Error::argument(self.operation, reason)
    }

    /// Fails if the arguments are not of the parameters' types. The compiler has seen to that, unless the kernel was defined anew.
    fn fit(&self, arguments: &[LaunchArgument<'_>]) -> Result<()> {
        let parameters = self.kernel.threads.parameters;
        let fits = |(argument, parameter): (&LaunchArgument<'_>, &Parameter)| match argument {
            LaunchArgument::Struct(value) => matches!(parameter, Parameter::Struct(_, of) if (of.fits)(value)),
            LaunchArgument::Plain(plain) => match (plain, parameter) {
                (RawArgument::Array { array, .. }, Parameter::View(_, dtype)) => array.dtype == *dtype,
                (RawArgument::Array { array, writes }, Parameter::ViewMut(_, dtype)) => {
                    array.dtype == *dtype && *writes
                }
                (RawArgument::Scalar { value, .. }, Parameter::Scalar(_, of)) => values_of(*of) == value.dtype(),
                _ => false,
            },
        };
        if parameters.len() == arguments.len() && arguments.iter().zip(parameters).all(fits) {
            return Ok(());
        }
        let names: Vec<&str> = parameters.iter().map(Parameter::name).collect();
        Err(self.wrong(format!(
            "`{}` was registered with other parameters ({}) than it is called for; run the cell that defines it again",
            self.kernel.short_name(),
            names.join(", ")
        )))
    }

    /// Fails if structs take more room than CUDA has for arguments.
    fn have_room(&self, arguments: &[LaunchArgument<'_>]) -> Result<()> {
        let structs =
            arguments.iter().zip(self.kernel.threads.parameters).filter_map(|(argument, parameter)| match argument {
                LaunchArgument::Struct(value) => Some((format!("`{}`", parameter.name()), value)),
                LaunchArgument::Plain(_) => None,
            });
        without_room(self.kernel.short_name(), structs).map_or(Ok(()), |reason| Err(self.wrong(reason)))
    }

    /// The device of the arrays, or the current one.
    fn place(&self, arguments: &[LaunchArgument<'_>]) -> Result<Handle> {
        let mut arrays = arguments.iter().filter_map(LaunchArgument::array);
        let Some(first) = arrays.next() else { return device::current() };
        arrays.try_for_each(|array| first.same_device(self.operation, array))?;
        Ok(first.handle.clone())
    }

    /// Fails if a kernel cannot take an array.
    fn takes(&self, parameter: &Parameter, array: &RawArray) -> Result<()> {
        let (name, axes) = (parameter.name(), array.shape().len());
        let kernel = self.kernel.short_name();
        if axes == 0 {
            return Err(self.wrong(format!(
                "the array for `{name}` of `{kernel}` has no axes, so it cannot be indexed; give it one axis: \
                 `a.reshape(1)`"
            )));
        }
        if axes > MOST_AXES {
            let reason = format!(
                "has {axes} axes, but the arrays of a kernel, such as `{name}` of `{kernel}`, can have at most \
                     {MOST_AXES}; join some axes with `reshape`"
            );
            return Err(Error::shape(self.operation, array.shape(), reason));
        }
        if let Parameter::ViewMut(..) = parameter {
            writable(self.operation, array)?;
        }
        Ok(())
    }

    /// Copies of those arrays that are read and overlap one that is written to; fails if two that are written to overlap.
    fn apart(&self, arguments: &[LaunchArgument<'_>]) -> Result<Vec<Option<RawArray>>> {
        let parameters = self.kernel.threads.parameters;
        let writes = |number: usize| matches!(parameters[number], Parameter::ViewMut(..));
        let written = |but: usize| {
            let others = arguments.iter().enumerate().filter(move |(number, _)| *number != but && writes(*number));
            others.filter_map(|(number, argument)| Some((number, argument.array()?)))
        };
        let mut copies = Vec::with_capacity(arguments.len());
        for (number, argument) in arguments.iter().enumerate() {
            let mut copy = None;
            if let Some(array) = argument.array()
                && let Some((other, _)) = written(number).find(|(_, other)| may_overlap(array, other))
            {
                if writes(number) {
                    return Err(self.wrong(format!(
                        "the arrays for `{}` and `{}` of `{}` have elements in common, and both are written to; give \
                         one of them as a copy, `&mut a.copy()`, or use one parameter for both",
                        parameters[number.min(other)].name(),
                        parameters[number.max(other)].name(),
                        self.kernel.short_name()
                    )));
                }
                copy = Some(array.copied(self.operation)?);
            }
            copies.push(copy);
        }
        Ok(copies)
    }

    #[cold]
    fn has_no_checker(&self, handle: &Handle) -> Error {
        self.wrong(format!(
            "races, barriers and shared memory are checked only on the CPU, but the arrays for `{}` are on {}; copy them with \
             `to_device(gpu::Device::Cpu)` and launch it there, or run the program under NVIDIA's tool: `compute-sanitizer --tool \
             racecheck`, `--tool synccheck` or `--tool initcheck`, and the program's name",
            self.kernel.short_name(),
            handle.device
        ))
    }
}

/// What is known of a kernel on the current device.
pub(super) fn attributes(kernel: &Kernel) -> Result<KernelAttributes> {
    let handle = device::current()?;
    let (attributes, blocks) = handle.backend.kernel_attributes(kernel)?;
    let limits = handle.backend.launch_limits()?;
    let occupancy = blocks.into_iter().map(|(threads, blocks)| Occupancy::new(threads, blocks, &limits)).collect();
    Ok(KernelAttributes::new(kernel.short_name(), attributes, occupancy))
}
