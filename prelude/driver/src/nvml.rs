//! Bindings of NVML, the driver's library for monitoring: how busy a device is. It comes with the driver, but not in every
//! container; cudarc has no bindings of it.

use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

type Status = c_int;
type Handle = *mut c_void;

/// What NVML says of a device at one moment; parts that it does not tell are missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Monitored {
    /// The driver's version, such as `570.86.15`.
    pub driver: Option<String>,
    /// Percent of the last sample period in which kernels ran, and in which memory was read or written.
    pub busy: Option<(u32, u32)>,
}

#[repr(C)]
#[derive(Default)]
struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

/// Asks NVML about the device at a PCI address, such as `0000:81:00.0`; an error says why it cannot be asked.
pub fn monitor(address: &CStr) -> Result<Monitored, String> {
    // SAFETY: loads NVIDIA's library by its name; its initialisers have no preconditions.
    let library = unsafe { Library::new("libnvidia-ml.so.1") }
        .map_err(|_| "NVIDIA's monitoring library libnvidia-ml.so.1 was not found".to_owned())?;
    // SAFETY: the functions have these types by nvml.h; they are called while the library is loaded, between its
    // initialisation and its shutdown, with pointers to locals of the types that they write.
    unsafe {
        let initialise = function::<unsafe extern "C" fn() -> Status>(&library, c"nvmlInit_v2")?;
        let shutdown = function::<unsafe extern "C" fn() -> Status>(&library, c"nvmlShutdown")?;
        let status = initialise();
        if status != 0 {
            return Err(format!("NVIDIA's monitoring library does not start (status {status})"));
        }
        let monitored = ask(&library, address);
        shutdown();
        monitored
    }
}

/// # Safety
/// NVML is initialised.
unsafe fn ask(library: &Library, address: &CStr) -> Result<Monitored, String> {
    type VersionFunction = unsafe extern "C" fn(*mut c_char, c_uint) -> Status;
    type FindFunction = unsafe extern "C" fn(*const c_char, *mut Handle) -> Status;
    type BusyFunction = unsafe extern "C" fn(Handle, *mut Utilization) -> Status;
    let mut monitored = Monitored::default();
    // SAFETY: as in `monitor`; the text has the length that is passed, and its last byte stays zero.
    unsafe {
        let version = function::<VersionFunction>(library, c"nvmlSystemGetDriverVersion")?;
        let mut text = [0 as c_char; 128];
        if version(text.as_mut_ptr(), text.len() as c_uint - 1) == 0 {
            monitored.driver = Some(CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned());
        }
        let find = function::<FindFunction>(library, c"nvmlDeviceGetHandleByPciBusId_v2")?;
        let busy = function::<BusyFunction>(library, c"nvmlDeviceGetUtilizationRates")?;
        let (mut handle, mut utilization) = (std::ptr::null_mut(), Utilization::default());
        // Parts of a divided device (MIG) do not tell how busy they are.
        if find(address.as_ptr(), &raw mut handle) == 0 && busy(handle, &raw mut utilization) == 0 {
            monitored.busy = Some((utilization.gpu, utilization.memory));
        }
    }
    Ok(monitored)
}

/// # Safety
/// The library's function of that name is of type `F`, and the result is not used after the library is closed.
unsafe fn function<F: Copy>(library: &Library, name: &CStr) -> Result<F, String> {
    // SAFETY: by the caller's promise.
    let symbol = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    symbol
        .map(|symbol| *symbol)
        .map_err(|error| format!("a function is missing in NVIDIA's monitoring library: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_asked_is_an_error_in_words() {
        // With a driver: no device has this address. Without: there is no library.
        match monitor(c"ffff:ff:1f.7") {
            Ok(monitored) => assert!(monitored.driver.is_some() && monitored.busy.is_none()),
            Err(reason) => assert!(reason.contains("monitoring library"), "{reason}"),
        }
    }
}
