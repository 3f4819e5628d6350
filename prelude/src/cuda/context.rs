//! A device with its primary context and the one stream that all work goes to.

use super::compile::Target;
use super::cublas;
use super::pool::Pool;
use super::staging::Staging;
use super::status::check;
use super::{library, nvml, nvrtc};
use crate::error::{Error, Result};
use cudarc::driver::sys;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An opened device. Only its raw handles are used, never cudarc's safe wrappers: those make two events for every
/// allocation and cost more host time at each launch.
pub(crate) struct Device {
    pub(super) context: sys::CUcontext,
    /// Non-blocking: it does not wait for the legacy default stream, and it can be captured.
    pub(super) stream: sys::CUstream,
    handle: sys::CUdevice,
    ordinal: usize,
    name: String,
    target: Target,
    multiprocessors: u32,
    total_memory: usize,
    pool: Mutex<Pool>,
    staging: Mutex<Staging>,
    /// cuBLAS, from its first use on.
    cublas: Mutex<Option<cublas::Handle>>,
    /// The first error since the last `synchronize` that happened where nobody could be told.
    deferred: Mutex<Option<Error>>,
}

// SAFETY: the handles are tokens of the driver, which may be used from every thread; `bind` makes the context current
// in the thread that uses them. All mutable state is behind mutexes.
unsafe impl Send for Device {}
// SAFETY: as for `Send`.
unsafe impl Sync for Device {}

/// The number of CUDA devices, or in words why there is none that can be used. Never panics.
pub(crate) fn count() -> std::result::Result<usize, String> {
    library::driver()?;
    let mut count: c_int = 0;
    // SAFETY: the driver is present; `cuInit` may be called any number of times, and `count` is an int to write to.
    let counted = unsafe {
        check(sys::cuInit(0), "cuInit").and_then(|()| check(sys::cuDeviceGetCount(&raw mut count), "cuDeviceGetCount"))
    };
    match counted {
        Err(Error::Cuda { status, .. }) if status.starts_with("CUDA_ERROR_NO_DEVICE") => {
            Err("the NVIDIA driver is installed but sees no device; ask for a machine with a GPU (and check \
                 CUDA_VISIBLE_DEVICES), or use the CPU"
                .to_string())
        }
        Err(Error::Cuda { status, .. }) => Err(format!(
            "the NVIDIA driver does not start: {status}; `nvidia-smi` in a terminal may say more; or use the CPU"
        )),
        Err(other) => Err(other.to_string()),
        Ok(()) if count < 1 => Err("the NVIDIA driver sees no device; or use the CPU".to_string()),
        Ok(()) => Ok(count as usize),
    }
}

/// The major CUDA version that the driver supports. Ask [`count`] first.
pub(crate) fn driver_major() -> Result<i32> {
    Ok(driver_version()?.0)
}

/// The CUDA version that the driver supports, such as (12, 8). Ask [`count`] first.
pub(crate) fn driver_version() -> Result<(i32, i32)> {
    let mut version: c_int = 0;
    // SAFETY: `count` found the driver; `version` is an int to write to.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) }, "cuDriverGetVersion")?;
    Ok((version / 1000, version % 1000 / 10))
}

/// Whether kernels could be compiled; if not, why and what to do. Ask [`count`] first.
pub(crate) fn can_compile() -> std::result::Result<(), String> {
    let major = driver_major().map_err(|error| error.to_string())?;
    nvrtc::Nvrtc::get(major).map(|_| ()).map_err(|error| error.to_string())
}

impl Device {
    /// Opens device `ordinal`: its primary context, which is shared with other libraries of the process, and a stream.
    pub fn open(ordinal: usize) -> Result<Arc<Device>> {
        let unavailable = |reason| Error::DeviceUnavailable { device: format!("cuda:{ordinal}"), reason };
        let count = count().map_err(unavailable)?;
        if ordinal >= count {
            return Err(unavailable(format!("there are {count} CUDA devices, numbered from 0")));
        }
        let driver_major = driver_major()?;
        let (mut handle, mut total_memory, mut name) = (0, 0, [0 as c_char; 256]);
        let mut context = std::ptr::null_mut();
        let mut stream = std::ptr::null_mut();
        let (mut major, mut minor, mut multiprocessors) = (0, 0, 0);
        // SAFETY: the driver is initialised and `ordinal` is in its range; every pointer is to a local of the type that
        // the call writes, and `name` has the length that is passed.
        unsafe {
            use sys::CUdevice_attribute as Attribute;
            check(sys::cuDeviceGet(&raw mut handle, ordinal as c_int), "cuDeviceGet")?;
            let attribute = |value: &mut c_int, which| {
                check(sys::cuDeviceGetAttribute(value, which, handle), "cuDeviceGetAttribute")
            };
            attribute(&mut major, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
            attribute(&mut minor, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
            attribute(&mut multiprocessors, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
            check(sys::cuDeviceTotalMem_v2(&raw mut total_memory, handle), "cuDeviceTotalMem")?;
            check(sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int - 1, handle), "cuDeviceGetName")?;
            check(sys::cuDevicePrimaryCtxRetain(&raw mut context, handle), "cuDevicePrimaryCtxRetain")?;
            let made = check(sys::cuCtxSetCurrent(context), "cuCtxSetCurrent").and_then(|()| {
                let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
                check(sys::cuStreamCreate(&raw mut stream, flags), "cuStreamCreate")
            });
            if let Err(error) = made {
                let _ = sys::cuDevicePrimaryCtxRelease_v2(handle);
                return Err(error);
            }
        }
        // SAFETY: the last byte was never written, so the array is zero-terminated.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        Ok(Arc::new(Device {
            context,
            stream,
            handle,
            ordinal,
            name,
            target: Target { capability: (major, minor), driver_major },
            multiprocessors: multiprocessors.max(1) as u32,
            total_memory,
            pool: Mutex::default(),
            staging: Mutex::default(),
            cublas: Mutex::default(),
            deferred: Mutex::default(),
        }))
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

    /// Waits for all queued work; reports errors of it, and errors that were deferred.
    pub fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: the stream lives as long as `self`.
        check(unsafe { sys::cuStreamSynchronize(self.stream) }, "the queued work")?;
        match lock(&self.deferred).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Keeps an error for the next `synchronize`.
    pub fn defer(&self, result: Result<()>) {
        if let Err(error) = result {
            lock(&self.deferred).get_or_insert(error);
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

    pub(super) fn pool(&self) -> MutexGuard<'_, Pool> {
        lock(&self.pool)
    }

    pub(super) fn staging(&self) -> MutexGuard<'_, Staging> {
        lock(&self.staging)
    }

    pub(super) fn cublas_handle(&self) -> MutexGuard<'_, Option<cublas::Handle>> {
        lock(&self.cublas)
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
            let _ = sys::cuStreamSynchronize(self.stream);
            lock(&self.cublas).take();
            lock(&self.staging).release();
            for address in lock(&self.pool).remove_unused() {
                let _ = sys::cuMemFree_v2(address);
            }
            let _ = sys::cuStreamDestroy_v2(self.stream);
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.handle);
        }
    }
}

/// Locks, also after a panic of another holder: what these mutexes guard is whole between statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
