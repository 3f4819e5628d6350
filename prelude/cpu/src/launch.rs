//! Kernels on the CPU: the threads of `warpcell_threads`, blocks spread over the backend's own threads.

use super::map::Running;
use super::{QueueGuard, origin, pool};
use std::time::Instant;
use warpcell_base::backend::launch::{Argument, Checks, Launch};
use warpcell_base::backend::text::Limits;
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_base::failures;
use warpcell_base::interrupt::Stop;
use warpcell_base::registry::{Arguments, Given};
use warpcell_threads::{FailureKind, Mode};

/// What a kernel may ask for: as much as of every CUDA device.
pub(super) fn limits() -> Limits {
    Limits {
        threads: 1024,
        block: [1024, 1024, 64],
        grid: [2_147_483_647, 65_535, 65_535],
        shared_bytes: 48 << 10,
        resident_threads: 1024,
        multiprocessors: super::threads(),
    }
}

/// Runs the threads of a launch.
pub(super) fn launch(guard: QueueGuard<'_>, launch: &Launch, arguments: &[Argument<'_>]) -> Result<()> {
    let mode = if launch.checks == Checks::All { Mode::Checked } else { Mode::Plain };
    let (name, threads) = (launch.kernel.short_name(), launch.kernel.threads);
    let given: Vec<Given<'_>> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Scalar(value) => Given::Scalar(*value),
            Argument::Struct(value) => Given::Struct(value),
            Argument::Array(view, _) => {
                let (start, shape, strides) = (origin(view), &view.layout.shape[..], &view.layout.strides[..]);
                if view.dtype == DType::Bool {
                    // SAFETY: the invariants of `Memory`; every index within the shape is in the allocation.
                    unsafe { make_bools(start, shape, strides) };
                }
                Given::Array { start, shape, strides }
            }
        })
        .collect();
    // SAFETY: the launch has checked the types; the views lie in allocations of this backend, which by the invariants of `Memory`
    // nothing else accesses; bools were made such.
    let given = unsafe { Arguments::new(&given, threads.parameters) };
    let stop = Stop::of_this_thread();
    let began = Instant::now();
    let is_late = || launch.time_limit.is_some_and(|limit| began.elapsed() >= limit);
    let interrupted = || stop.is_asked() || is_late();
    let spec = warpcell_threads::Launch {
        function: name,
        grid: launch.size.grid.map(|length| length as usize),
        block: launch.size.block.map(|length| length as usize),
        dynamic_shared_bytes: launch.size.shared as usize,
        mode,
        interrupted: &interrupted,
    };
    let mut outcome = None;
    (threads.run)(&given, &mut |thread| {
        let thread = || {
            let _running = Running::begin();
            thread();
        };
        // SAFETY: the views of the thread lie in memory that only the launch accesses, as above.
        outcome = Some(pool::install(|| unsafe { warpcell_threads::run(&spec, &thread) }.map_err(Box::new)));
    });
    let result = outcome.expect("the macro's function runs the threads");
    let ended = guard.end();
    match result {
        Ok(()) => ended,
        Err(failure) if failure.kind == FailureKind::Interrupted => {
            if stop.is_asked() {
                Err(Error::Interrupted)
            } else {
                let seconds = launch.time_limit.unwrap_or_default().as_secs_f64();
                Err(failures::out_of_time(name, seconds, "cpu".to_owned(), launch.kernel.text.line))
            }
        }
        Err(failure) => {
            let error = failures::of_threads(launch.operation, &launch.kernel, &failure, "cpu".to_owned());
            Err(if mode == Mode::Checked { failures::with_trace(error) } else { error })
        }
    }
}

/// Makes every byte of an array of bools 0 or 1, as Rust wants it: memory that nothing was written to yet may hold anything, and so may
/// that of others.
///
/// # Safety
///
/// Every index within the shape must be of a byte that may be read and written.
unsafe fn make_bools(start: *mut u8, shape: &[usize], strides: &[isize]) {
    let Some((&length, inner)) = shape.split_first() else {
        // SAFETY: the caller's promise.
        let byte = unsafe { &mut *start };
        if *byte > 1 {
            *byte = 1;
        }
        return;
    };
    for index in 0..length {
        // SAFETY: the caller's promise.
        unsafe { make_bools(start.offset(index as isize * strides[0]), inner, &strides[1..]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_bools() {
        let mut bytes = [0u8, 1, 2, 255, 7, 7];
        // SAFETY: the indices are those of the bytes, but for the last column.
        unsafe { make_bools(bytes.as_mut_ptr(), &[2, 2], &[3, 1]) };
        assert_eq!(bytes, [0, 1, 2, 1, 1, 7]);
    }
}
