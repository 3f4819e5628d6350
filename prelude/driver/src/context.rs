//! A device with its primary context; its queues are in [`super::queue`].

use super::checks::Checks;
use super::compile::Target;
use super::cublas;
use super::failures::Failures;
use super::memory::{Withheld, limit_from_environment};
use super::pool::Pool;
use super::queue::{self, Queues};
use super::staging::Staging;
use super::status::check;
use super::{embedded, library, nvml, nvrtc, oldest};
use cudarc::driver::sys;
use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpcell_base::error::{Error, Result};

/// An opened device. Only its raw handles are used, never cudarc's safe wrappers: those make two events for every
/// allocation and cost more host time at each launch.
pub struct Device {
    pub(super) context: sys::CUcontext,
    /// Of all that were opened in this process.
    pub(super) id: usize,
    /// That of the first queue, which all work goes to unless a thread has entered another.
    pub(super) first_stream: sys::CUstream,
    /// Whether there may be others, or graphs: then blocks of memory note who uses them.
    pub(super) has_streams: AtomicBool,
    pub(super) queues: Queues,
    /// What the user's functions write when they fail.
    pub(super) failures: Failures,
    /// Of indices, which kernels make and the host hears of later.
    pub(super) checks: Checks,
    handle: sys::CUdevice,
    ordinal: usize,
    name: String,
    target: Target,
    multiprocessors: u32,
    shared_memory: usize,
    total_memory: usize,
    pub(super) pool: Mutex<Pool>,
    /// Blocks that were given back while other queues than the pool's still used them. Lock the pool first.
    pub(super) withheld: Mutex<Vec<Withheld>>,
    /// The contexts of devices from which this one was asked to copy directly.
    peers: Mutex<HashSet<usize>>,
    pub(super) staging: Mutex<Staging>,
    /// cuBLAS, from its first use on.
    pub(super) cublas: Mutex<Option<cublas::Handle>>,
    /// The first error since the last `synchronize` that happened where nobody could be told.
    deferred: Mutex<Option<Error>>,
}

// SAFETY: the handles are tokens of the driver, which may be used from every thread; `bind` makes the context current
// in the thread that uses them. All mutable state is behind mutexes.
unsafe impl Send for Device {}
// SAFETY: as for `Send`.
unsafe impl Sync for Device {}

/// The number of CUDA devices, or in words why there is none that can be used. Never panics.
pub fn count() -> std::result::Result<usize, String> {
    library::driver()?;
    let mut count: c_int = 0;
    // SAFETY: the driver is present; `count` is an int to write to.
    let counted =
        initialise().and_then(|()| unsafe { check(sys::cuDeviceGetCount(&raw mut count), "cuDeviceGetCount") });
    match counted {
        Err(Error::Cuda { status, .. }) if status.starts_with("CUDA_ERROR_NO_DEVICE") => {
            Err("the NVIDIA driver is installed but finds no device; ask for a machine with a GPU (and check \
                 CUDA_VISIBLE_DEVICES), or use the CPU"
                .to_string())
        }
        Err(Error::Cuda { status, .. }) => Err(format!(
            "the NVIDIA driver does not start: {status}; run `nvidia-smi` in a terminal to find the reason, or use the \
             CPU"
        )),
        Err(other) => Err(other.to_string()),
        Ok(()) if count < 1 => Err("the NVIDIA driver finds no device; use the CPU".to_string()),
        Ok(()) => Ok(count as usize),
    }
}

/// Starts the driver, which is present. The first time NVRTC is loaded meanwhile: without it no device is used, unless programs are
/// embedded.
fn initialise() -> Result<()> {
    // SAFETY: the driver is present, and this may be called any number of times.
    let start = || check(unsafe { sys::cuInit(0) }, "cuInit");
    static FIRST: AtomicBool = AtomicBool::new(true);
    if !FIRST.swap(false, Ordering::Relaxed) || embedded::is_used() {
        return start();
    }
    std::thread::scope(|scope| {
        // What it finds, or does not, is kept.
        let load = || driver_major().and_then(nvrtc::Nvrtc::get).map(|_| ());
        // Without a thread, whoever compiles loads it.
        let _ = std::thread::Builder::new().name("warpcell-nvrtc".into()).spawn_scoped(scope, load);
        start()
    })
}

/// The major CUDA version that the driver supports. Ask [`count`] first.
pub fn driver_major() -> Result<i32> {
    Ok(driver_version()?.0)
}

/// The CUDA version that the driver supports, such as (12, 8). Ask [`count`] first.
pub fn driver_version() -> Result<(i32, i32)> {
    let mut version: c_int = 0;
    // SAFETY: `count` found the driver; `version` is an int to write to.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) }, "cuDriverGetVersion")?;
    Ok((version / 1000, version % 1000 / 10))
}

/// What code for device `ordinal` is compiled for; opens no context.
pub fn target_of(ordinal: usize) -> Result<Target> {
    Ok(Target { capability: capability(handle_of(ordinal)?)?, driver_major: driver_major()? })
}

/// The name of device `ordinal`; opens no context.
pub fn name_of(ordinal: usize) -> Result<String> {
    name(handle_of(ordinal)?)
}

/// The driver's handle of device `ordinal`.
fn handle_of(ordinal: usize) -> Result<sys::CUdevice> {
    let unavailable = |reason| Error::DeviceUnavailable { device: format!("cuda:{ordinal}"), reason };
    let count = count().map_err(unavailable)?;
    if ordinal >= count {
        let there_is = if count == 1 {
            "there is one CUDA device, number 0".to_owned()
        } else {
            format!("there are {count} CUDA devices, numbered from 0")
        };
        return Err(unavailable(format!("{there_is}; `gpu::devices()` lists them")));
    }
    let mut handle = 0;
    // SAFETY: the driver is initialised and `ordinal` is in its range; the pointer is to a local of the type that the call writes.
    check(unsafe { sys::cuDeviceGet(&raw mut handle, ordinal as c_int) }, "cuDeviceGet")?;
    Ok(handle)
}

fn name(handle: sys::CUdevice) -> Result<String> {
    let mut name = [0 as c_char; 256];
    // SAFETY: the handle is the driver's, and `name` has the length that is passed.
    let read = unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int - 1, handle) };
    check(read, "cuDeviceGetName")?;
    // SAFETY: the last byte was never written, so the array is zero-terminated.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

fn capability(handle: sys::CUdevice) -> Result<(c_int, c_int)> {
    use sys::CUdevice_attribute as Attribute;
    if oldest::is_wished() {
        return Ok(oldest::CAPABILITY);
    }
    let attribute = |which| {
        let mut value: c_int = 0;
        // SAFETY: the handle is the driver's; `value` is an int to write to.
        let status = unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, handle) };
        check(status, "cuDeviceGetAttribute").map(|()| value)
    };
    Ok((
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

/// Whether kernels can be had for device 0, embedded or compiled; if not, why and what to do. Ask [`count`] first.
pub fn can_compile() -> std::result::Result<(), String> {
    let words = |error: Error| error.to_string();
    let unserved = match embedded::is_used() {
        true => embedded::unserved(target_of(0).map_err(words)?),
        false => Some(String::new()),
    };
    let Some(unserved) = unserved else { return Ok(()) };
    let nvrtc = nvrtc::Nvrtc::get(driver_major().map_err(words)?);
    nvrtc.map(|_| ()).map_err(|error| if unserved.is_empty() { words(error) } else { format!("{error}. {unserved}") })
}

impl Device {
    /// Opens device `ordinal`: its primary context, which is shared with other libraries of the process, and a stream.
    pub fn open(ordinal: usize) -> Result<Arc<Device>> {
        let handle = handle_of(ordinal)?;
        let (name, capability, driver_major) = (name(handle)?, capability(handle)?, driver_major()?);
        let mut total_memory = 0;
        let mut context = std::ptr::null_mut();
        let (first_stream, limit);
        let (mut multiprocessors, mut shared_memory) = (0, 0);
        // SAFETY: the handle is the driver's; every pointer is to a local of the type that the call writes.
        unsafe {
            use sys::CUdevice_attribute as Attribute;
            let attribute = |value: &mut c_int, which| {
                check(sys::cuDeviceGetAttribute(value, which, handle), "cuDeviceGetAttribute")
            };
            attribute(&mut multiprocessors, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
            attribute(&mut shared_memory, Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
            check(sys::cuDeviceTotalMem_v2(&raw mut total_memory, handle), "cuDeviceTotalMem")?;
            limit = limit_from_environment(total_memory)?;
            check(sys::cuDevicePrimaryCtxRetain(&raw mut context, handle), "cuDevicePrimaryCtxRetain")?;
            let made = check(sys::cuCtxSetCurrent(context), "cuCtxSetCurrent").and_then(|()| queue::new_stream());
            match made {
                Ok(made) => first_stream = made,
                Err(error) => {
                    let _ = sys::cuDevicePrimaryCtxRelease_v2(handle);
                    return Err(error);
                }
            }
        }
        let mut pool = Pool::default();
        pool.set_limit(limit);
        if oldest::is_wished() {
            multiprocessors = multiprocessors.min(oldest::MULTIPROCESSORS);
            shared_memory = shared_memory.min(oldest::SHARED_MEMORY);
        }
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let device = Device {
            context,
            id: OPENED.fetch_add(1, Ordering::Relaxed),
            first_stream,
            has_streams: AtomicBool::new(false),
            queues: Queues::default(),
            failures: Failures::default(),
            checks: Checks::default(),
            handle,
            ordinal,
            name,
            target: Target { capability, driver_major },
            multiprocessors: multiprocessors.max(1) as u32,
            shared_memory: shared_memory.max(0) as usize,
            total_memory,
            pool: Mutex::new(pool),
            withheld: Mutex::default(),
            peers: Mutex::default(),
            staging: Mutex::default(),
            cublas: Mutex::default(),
            deferred: Mutex::default(),
        };
        device.begin_queues()?;
        Ok(Arc::new(device))
    }

    /// Makes the context current in this thread, as calls that name no handle of it need.
    ///
    /// The driver is asked each time (about 20 ns) instead of remembering an answer per thread: other code in the cell
    /// may have set another context.
    #[inline]
    pub fn bind(&self) -> Result<()> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the driver is initialised, and the context is retained for as long as `self` lives.
        unsafe {
            check(sys::cuCtxGetCurrent(&raw mut current), "cuCtxGetCurrent")?;
            if current != self.context {
                check(sys::cuCtxSetCurrent(self.context), "cuCtxSetCurrent")?;
            }
        }
        Ok(())
    }

    /// Waits for the work of all queues; reports errors of it, failures of the user's functions, and errors that were deferred.
    pub fn synchronize(&self) -> Result<()> {
        self.bind()?;
        self.wait_for_queues()?;
        self.failure()?;
        self.settle_checks()?;
        self.deferred()
    }

    /// The error that was kept, if there is one.
    pub(super) fn deferred(&self) -> Result<()> {
        lock(&self.deferred).take().map_or(Ok(()), Err)
    }

    /// Keeps an error for the next `synchronize`.
    pub fn defer(&self, result: Result<()>) {
        if let Err(error) = result {
            lock(&self.deferred).get_or_insert(error);
        }
    }

    /// Frees a handle that the driver has for this device, if that is still there; keeps an error.
    pub(super) fn release(&self, free: impl FnOnce() -> Result<()>) {
        if self.bind().is_ok() {
            self.defer(free());
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// `cuda:0` and so on, as error messages call the device.
    pub fn label(&self) -> String {
        format!("cuda:{} ({})", self.ordinal, self.name)
    }

    pub fn target(&self) -> Target {
        self.target
    }

    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Shared memory of a multiprocessor, in bytes.
    pub fn shared_memory(&self) -> usize {
        self.shared_memory
    }

    /// Major and minor version of what the device can do.
    pub fn capability(&self) -> (i32, i32) {
        self.target.capability
    }

    /// What the driver's monitor says of the device now; an error in words if there is none.
    pub fn monitor(&self) -> std::result::Result<nvml::Monitored, String> {
        let mut address = [0 as c_char; 32];
        // SAFETY: the handle is the driver's; the text has the length that is passed, and its last byte stays zero.
        let address = unsafe {
            check(
                sys::cuDeviceGetPCIBusId(address.as_mut_ptr(), address.len() as c_int - 1, self.handle),
                "cuDeviceGetPCIBusId",
            )
            .map_err(|error| error.to_string())?;
            CStr::from_ptr(address.as_ptr())
        };
        nvml::monitor(address)
    }

    pub fn total_memory(&self) -> usize {
        self.total_memory
    }

    /// The most bytes a second that the memory's clock and width allow, if the driver tells them.
    pub fn peak_bandwidth(&self) -> Option<f64> {
        use sys::CUdevice_attribute as Attribute;
        let attribute = |which| {
            let mut value: c_int = 0;
            // SAFETY: the handle is the driver's; `value` is an int to write to.
            let status = unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, self.handle) };
            (check(status, "cuDeviceGetAttribute").is_ok() && value > 0).then(|| f64::from(value))
        };
        let kilohertz = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?;
        let bits = attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?;
        // Two transfers a cycle.
        Some(kilohertz * 1e3 * 2.0 * bits / 8.0)
    }

    /// What tells the device, or the part of a divided one, from all others; as `nvidia-smi -L` prints it.
    pub fn uuid(&self) -> Option<String> {
        let mut uuid = sys::CUuuid { bytes: [0; 16] };
        // SAFETY: the handle is the driver's; `uuid` is a local to write to.
        check(unsafe { sys::cuDeviceGetUuid_v2(&raw mut uuid, self.handle) }, "cuDeviceGetUuid").ok()?;
        let hex: Vec<String> = uuid.bytes.iter().map(|byte| format!("{:02x}", byte.cast_unsigned())).collect();
        let parts = [&hex[..4], &hex[4..6], &hex[6..8], &hex[8..10], &hex[10..]].map(<[String]>::concat);
        let kind = if self.name.contains(" MIG ") { "MIG" } else { "GPU" };
        Some(format!("{kind}-{}", parts.join("-")))
    }

    /// Lets this device read the memory of another one directly, if the machine can; without that the driver copies by way of
    /// the host.
    pub(super) fn allow_peer(&self, other: &Device) -> Result<()> {
        if self.context == other.context || !lock(&self.peers).insert(other.context as usize) {
            return Ok(());
        }
        let mut can: c_int = 0;
        self.bind()?;
        // SAFETY: both handles are the driver's; both contexts are retained, and this device's is current.
        unsafe {
            check(sys::cuDeviceCanAccessPeer(&raw mut can, self.handle, other.handle), "cuDeviceCanAccessPeer")?;
            if can != 0 {
                // If CUDA refuses it, or other code has asked for it already, copies work too.
                let _ = sys::cuCtxEnablePeerAccess(other.context, 0);
            }
        }
        Ok(())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // Nothing of the device is left: every handle holds an `Arc` of it.
        if self.bind().is_err() {
            return;
        }
        // SAFETY: no work can be queued any more; all handles are used for the last time, the context as the last one.
        unsafe {
            let _ = self.wait_for_queues();
            lock(&self.cublas).take();
            lock(&self.staging).release();
            self.failures.release();
            self.checks.release();
            for withheld in lock(&self.withheld).drain(..) {
                lock(&self.pool).free(withheld.end());
            }
            for address in lock(&self.pool).remove_unused() {
                let _ = sys::cuMemFree_v2(address);
            }
            self.end_queues();
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.handle);
        }
    }
}

/// Locks, also after a panic of another holder: what these mutexes guard is whole between statements.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
