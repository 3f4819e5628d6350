//! Programs on a device, and their kernels.

use super::compile;
use super::context::Device;
use super::status::check;
use crate::error::Result;
use cudarc::driver::sys;
use std::ffi::CStr;
use std::sync::Arc;

/// A loaded program.
pub(crate) struct Module {
    device: Arc<Device>,
    raw: sys::CUmodule,
}

// SAFETY: modules may be used from every thread.
unsafe impl Send for Module {}
// SAFETY: as for `Send`.
unsafe impl Sync for Module {}

/// A kernel of a module. Whoever holds it also holds the module: see [`super::launch::launch`].
#[derive(Clone, Copy)]
pub(crate) struct Function(pub(super) sys::CUfunction);

// SAFETY: a token of the driver, which may be used from every thread.
unsafe impl Send for Function {}
// SAFETY: as for `Send`.
unsafe impl Sync for Function {}

impl Module {
    /// Compiles CUDA C for the device, or takes it from the cache, and loads it.
    pub fn compile(device: &Arc<Device>, name: &str, source: &str, options: &[String]) -> Result<Module> {
        Module::load(device, &compile::compile(device.target(), name, source, options)?)
    }

    /// What [`compile`](Self::compile) gives, if that need not be compiled: it is in the cache on disk.
    pub fn cached(device: &Arc<Device>, source: &str, options: &[String]) -> Result<Option<Module>> {
        let image = compile::cached(device.target(), source, options)?;
        image.map(|image| Module::load(device, &image)).transpose()
    }

    fn load(device: &Arc<Device>, image: &[u8]) -> Result<Module> {
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the image is a whole cubin or zero-terminated PTX from NVRTC; the driver copies what it needs.
        check(unsafe { sys::cuModuleLoadData(&raw mut raw, image.as_ptr().cast()) }, "cuModuleLoadData")?;
        Ok(Module { device: device.clone(), raw })
    }

    /// The kernel of that name (`extern "C"`).
    pub fn function(&self, name: &CStr) -> Result<Function> {
        self.device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the module is alive and the name zero-terminated.
        check(unsafe { sys::cuModuleGetFunction(&raw mut raw, self.raw, name.as_ptr()) }, "cuModuleGetFunction")?;
        Ok(Function(raw))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Unloading waits for kernels that run, so a module may go while its work is queued.
        if self.device.bind().is_ok() {
            // SAFETY: loaded by `compile`, not used after this.
            let result = check(unsafe { sys::cuModuleUnload(self.raw) }, "cuModuleUnload");
            self.device.defer(result);
        }
    }
}
