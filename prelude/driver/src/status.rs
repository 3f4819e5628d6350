//! The driver's status codes as results.

use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_char};
use warpcell_base::error::{Error, Result};

/// `Ok` for success, else [`Error::Cuda`], or [`Error::ContextLost`] where nothing more can be done in this process, with the
/// driver's name and description of the status.
#[inline]
pub fn check(status: CUresult, operation: &'static str) -> Result<()> {
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
    let (operation, words) = (operation.to_string(), format!("{} ({})", words(name), words(text)));
    if loses_context(status) {
        Error::ContextLost { operation, status: words }
    } else {
        Error::Cuda { operation, status: words }
    }
}

/// Whether the driver's documentation says of a status that the process must be ended and started again to go on.
fn loses_context(status: CUresult) -> bool {
    use CUresult::*;
    matches!(
        status,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_kernels_lose_the_context_and_refused_calls_do_not() {
        assert!(
            loses_context(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS) && loses_context(CUresult::CUDA_ERROR_LAUNCH_FAILED)
        );
        assert!(
            !loses_context(CUresult::CUDA_ERROR_OUT_OF_MEMORY) && !loses_context(CUresult::CUDA_ERROR_INVALID_VALUE)
        );
    }
}
