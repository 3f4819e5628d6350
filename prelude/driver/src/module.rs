//! Programs on a device, and their kernels.

use super::compile;
use super::context::Device;
use super::recorded::Request;
use super::status::check;
use cudarc::driver::sys;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_int};
use std::sync::{Arc, Mutex, PoisonError};
use warpcell_base::error::Result;

/// A loaded program.
pub struct Module {
    device: Arc<Device>,
    raw: sys::CUmodule,
    /// What its kernels have behind their names.
    suffix: String,
}

// SAFETY: modules may be used from every thread.
unsafe impl Send for Module {}
// SAFETY: as for `Send`.
unsafe impl Sync for Module {}

/// A kernel of a module. Whoever holds it also holds the module: see [`super::launch::launch`].
#[derive(Clone, Copy)]
pub struct Function {
    pub(super) raw: sys::CUfunction,
    /// For profiles.
    pub(super) name: &'static str,
}

// SAFETY: a token of the driver, which may be used from every thread.
unsafe impl Send for Function {}
// SAFETY: as for `Send`.
unsafe impl Sync for Function {}

impl Module {
    /// Compiles CUDA C for the device, or takes it from where it is compiled already, and loads it. `suffix` is what its kernels have
    /// behind the names by which [`function`](Self::function) asks for them.
    pub fn compile(device: &Arc<Device>, request: &Request<'_>, suffix: String) -> Result<Module> {
        Module::load(device, &compile::compile(device.target(), request)?.0, suffix)
    }

    /// What [`compile`](Self::compile) gives, if that need not be compiled.
    pub fn cached(device: &Arc<Device>, request: &Request<'_>, suffix: String) -> Result<Option<Module>> {
        let made = compile::cached(device.target(), request)?;
        made.map(|(image, _)| Module::load(device, &image, suffix)).transpose()
    }

    /// Loads an image from the compiler.
    pub(super) fn load(device: &Arc<Device>, image: &[u8], suffix: String) -> Result<Module> {
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the image is a whole cubin or zero-terminated PTX from NVRTC; the driver copies what it needs.
        check(unsafe { sys::cuModuleLoadData(&raw mut raw, image.as_ptr().cast()) }, "cuModuleLoadData")?;
        Ok(Module { device: device.clone(), raw, suffix })
    }

    /// The kernel of that name (`extern "C"`).
    pub fn function(&self, name: &CStr) -> Result<Function> {
        self.device.bind()?;
        let mut raw = std::ptr::null_mut();
        let name = interned(&format!("{}{}", name.to_string_lossy(), self.suffix));
        // SAFETY: the module is alive and the name zero-terminated.
        check(unsafe { sys::cuModuleGetFunction(&raw mut raw, self.raw, name.as_ptr()) }, "cuModuleGetFunction")?;
        // Made of text above.
        Ok(Function { raw, name: name.to_str().unwrap_or_default() })
    }

    /// The address of a variable of the program (of no namespace), which has `bytes` bytes.
    pub(super) fn variable(&self, name: &str, bytes: usize) -> Result<u64> {
        let found = self.global(name)?;
        let (address, found) = found.unwrap_or_else(|| panic!("the program has no variable `{name}`"));
        assert_eq!(found, bytes, "the variable `{name}` of the program");
        Ok(address)
    }

    /// How many blocks of so many threads, with so many bytes of dynamic shared memory, a multiprocessor runs at once.
    pub fn resident_blocks(&self, function: Function, threads: usize, shared: usize) -> Result<usize> {
        self.device.bind()?;
        let mut blocks = 0;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: the function is of this module, which is alive; `blocks` is an int to write to.
        let status =
            unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function.raw, threads, shared) };
        check(status, "cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        Ok(usize::try_from(blocks).unwrap_or(0))
    }

    /// The address and the size in bytes of a variable, if there is one of this name.
    pub fn global(&self, name: &str) -> Result<Option<(u64, usize)>> {
        let Ok(name) = CString::new(name) else { return Ok(None) };
        let (mut address, mut bytes) = (0, 0);
        self.device.bind()?;
        // SAFETY: the module is alive, the name zero-terminated; the others are locals to write to.
        match unsafe { sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw, name.as_ptr()) } {
            sys::CUresult::CUDA_ERROR_NOT_FOUND => Ok(None),
            status => check(status, "cuModuleGetGlobal").map(|()| Some((address, bytes))),
        }
    }
}

/// A name that is kept for good; one copy of each.
fn interned(name: &str) -> &'static CStr {
    static NAMES: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
    // A name with a zero in it would be no kernel's, and none is found under the empty one.
    let name = CString::new(name).unwrap_or_default();
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_c_str()) {
        return known;
    }
    let kept: &'static CStr = Box::leak(name.into_boxed_c_str());
    names.insert(kept);
    kept
}

impl Drop for Module {
    fn drop(&mut self) {
        // Unloading waits for kernels that run, so a module may go while its work is queued.
        // SAFETY: loaded by `compile`, not used after this.
        self.device.release(|| check(unsafe { sys::cuModuleUnload(self.raw) }, "cuModuleUnload"));
    }
}
