//! What notebooks set for CUDA's driver, which reads it in the environment when it starts.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of hardware queues for each of the device's copy engines; 8 by default, of which a context makes all. A queue for
/// each engine is enough, since an engine does one copy at a time. Of 30 processes that make a context at once, the last then has
/// it after 3.0 s in place of 5.2 s (one H200).
const COPY_QUEUES: (&str, &str) = ("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1");

/// Whether the value is ours and not the user's.
static IS_OURS: AtomicBool = AtomicBool::new(false);

/// Sets what the user has not set.
///
/// # Safety
///
/// No other thread may read or write the environment.
pub unsafe fn set() {
    let (name, value) = COPY_QUEUES;
    if std::env::var_os(name).is_none() {
        IS_OURS.store(true, Ordering::Relaxed);
        // SAFETY: the caller promises it.
        unsafe { std::env::set_var(name, value) };
    }
}

/// Lets a program start without our settings.
pub fn keep_from(program: &mut Command) {
    let (name, value) = COPY_QUEUES;
    if IS_OURS.load(Ordering::Relaxed) && std::env::var_os(name).is_some_and(|now| now == value) {
        program.env_remove(name);
    }
}
