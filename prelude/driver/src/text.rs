//! Programs of the user's text: their kernels by the names that C++ has for them, what is known of them, and launches of any
//! size.

use super::compile;
use super::context::{self, Device};
use super::launch::launch_sized;
use super::module::{Function, Module};
use super::recorded::Request;
use super::status::check;
use cudarc::driver::sys::{self, CUdevice_attribute as Of, CUfunction_attribute as Attribute, CUresult};
use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use warpcell_base::backend::text::{FunctionAttributes, LaunchSize, Limits};
use warpcell_base::error::Result;

/// A loaded program.
pub struct TextModule {
    device: Arc<Device>,
    kernels: Vec<Kernel>,
    limits: Limits,
    /// Owns the functions.
    module: Module,
}

struct Kernel {
    function: Function,
    /// The bytes of dynamic shared memory for which it was made ready.
    shared: AtomicU32,
}

/// Bytes of shared memory that need no asking.
const SHARED: u32 = 48 << 10;

impl TextModule {
    /// Compiles a program with functions, or takes it from where it is compiled already, and loads it.
    pub fn load(device: &Arc<Device>, request: &Request<'_>) -> Result<TextModule> {
        let (image, names) = compile::compile(device.target(), request)?;
        let module = Module::load(device, &image, String::new())?;
        let function = |name: &String| {
            let name = CString::new(name.as_str()).unwrap_or_default();
            module.function(&name).map(|function| Kernel { function, shared: AtomicU32::new(SHARED) })
        };
        let kernels = names.iter().map(function).collect::<Result<Vec<Kernel>>>()?;
        let text = TextModule { device: device.clone(), kernels, limits: limits(device)?, module };
        for (number, kernel) in text.kernels.iter().enumerate() {
            // What the kernel declares is a part of what needs no asking.
            let declared = u32::try_from(text.attributes(number)?.shared_bytes).unwrap_or(SHARED);
            kernel.shared.store(SHARED.saturating_sub(declared), Ordering::Relaxed);
        }
        Ok(text)
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The program itself.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Queues a kernel.
    ///
    /// # Safety
    /// - `arguments` points to one value for each of the kernel's parameters, at least as large and in their order; they are
    ///   read before this returns.
    /// - What the kernel reads and writes through device addresses lies in live blocks of the device, which were ordered for it
    ///   (see [`super::memory::DeviceMemory::order`]). What the user's text does beyond that is the user's.
    /// - The module is alive until the kernel has ended (unloading waits for it).
    pub unsafe fn launch(&self, kernel: usize, size: LaunchSize, arguments: &mut [*mut c_void]) -> Result<()> {
        self.device.bind()?;
        let function = self.ready(kernel, size.shared)?;
        // SAFETY: the caller's promise.
        unsafe { launch_sized(&self.device, function, size, arguments) }
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// A kernel that can be launched with this many bytes of dynamic shared memory. The context is current.
    fn ready(&self, kernel: usize, bytes: u32) -> Result<Function> {
        let Kernel { function, shared } = &self.kernels[kernel];
        if bytes > shared.load(Ordering::Relaxed) {
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is of the module, which is alive.
            let status = unsafe { sys::cuFuncSetAttribute(function.raw, attribute, bytes as c_int) };
            check(status, "cuFuncSetAttribute")?;
            shared.fetch_max(bytes, Ordering::Relaxed);
        }
        Ok(*function)
    }

    pub fn attributes(&self, kernel: usize) -> Result<FunctionAttributes> {
        self.device.bind()?;
        let function = self.kernels[kernel].function.raw;
        let ask = |attribute| {
            let mut value: c_int = 0;
            // SAFETY: the function is of the module, which is alive; `value` is an int to write to.
            check(unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, function) }, "cuFuncGetAttribute")?;
            Ok(usize::try_from(value).unwrap_or(0))
        };
        let version = ask(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?;
        Ok(FunctionAttributes {
            registers: ask(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            shared_bytes: ask(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: ask(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            constant_bytes: ask(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            max_threads: ask(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            binary_version: (version / 10, version % 10),
        })
    }

    /// How many blocks of a size a multiprocessor runs at once; none if they need more shared memory than there is.
    pub fn resident_blocks(&self, kernel: usize, threads: usize, shared: usize) -> Result<usize> {
        if self.attributes(kernel)?.shared_bytes + shared > self.limits.shared_bytes {
            return Ok(0);
        }
        self.module.resident_blocks(self.ready(kernel, shared as u32)?, threads, shared)
    }

    /// The sizes of a kernel's parameters; none from a driver that does not tell them.
    pub fn parameter_sizes(&self, kernel: usize) -> Result<Option<Vec<usize>>> {
        // Older drivers lack the function.
        if context::driver_version()? < (12, 4) {
            return Ok(None);
        }
        self.device.bind()?;
        let (function, mut sizes) = (self.kernels[kernel].function.raw, Vec::new());
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function is of the module, which is alive; the others are sizes to write to.
            match unsafe { sys::cuFuncGetParamInfo(function, sizes.len(), &raw mut offset, &raw mut size) } {
                // Past the last one.
                CUresult::CUDA_ERROR_INVALID_VALUE => return Ok(Some(sizes)),
                status => check(status, "cuFuncGetParamInfo")?,
            }
            sizes.push(size);
        }
    }

    /// The address and the size of a variable (`extern "C"`, or at the outermost level), if there is one of this name.
    pub fn global(&self, name: &str) -> Result<Option<(u64, usize)>> {
        self.module.global(name)
    }
}

/// What a device can launch.
pub fn limits(device: &Device) -> Result<Limits> {
    let mut handle = 0;
    device.bind()?;
    // SAFETY: the context is current; `handle` is a local to write to.
    check(unsafe { sys::cuCtxGetDevice(&raw mut handle) }, "cuCtxGetDevice")?;
    let ask = |attribute| {
        let mut value: c_int = 0;
        // SAFETY: the handle is the driver's; `value` is an int to write to.
        check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, handle) }, "cuDeviceGetAttribute")?;
        Ok(usize::try_from(value).unwrap_or(0))
    };
    Ok(Limits {
        threads: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        block: [
            ask(Of::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            ask(Of::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            ask(Of::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        grid: [
            ask(Of::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            ask(Of::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            ask(Of::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        shared_bytes: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        resident_threads: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        multiprocessors: device.multiprocessors() as usize,
    })
}
