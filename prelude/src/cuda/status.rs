//! The driver's status codes as results.

use crate::error::{Error, Result};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_char};

/// `Ok` for success, else [`Error::Cuda`] with the driver's name and description of the status.
#[inline]
pub(crate) fn check(status: CUresult, operation: &'static str) -> Result<()> {
    if status == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(failure(status, operation)) }
}

#[cold]
fn failure(status: CUresult, operation: &'static str) -> Error {
    let mut name: *const c_char = std::ptr::null();
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: a status came from the driver, so the driver is loaded; both calls only write the pointer they are given.
    unsafe {
        let _ = sys::cuGetErrorName(status, &raw mut name);
        let _ = sys::cuGetErrorString(status, &raw mut text);
    }
    let words = |pointer: *const c_char| {
        if pointer.is_null() {
            return String::from("an unknown status");
        }
        // SAFETY: not null, so it is one of the driver's static strings.
        unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
    };
    Error::Cuda { operation: operation.to_string(), status: format!("{} ({})", words(name), words(text)) }
}
