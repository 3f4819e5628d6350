//! The memory of the processes of a session while nobody uses them.
//!
//! Huge pages make a start faster, because rust-analyzer touches much memory in a short time. But small allocations
//! fill them badly, and an idle process keeps four megabytes more with them. So the kernel uses them until it has
//! started. The processes below it do not use them. The compiler and the user's code have the default of the system.

use std::io::Result;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Allows huge pages for memory that this process touches from now on, or forbids them. Its children inherit this.
pub fn allow_huge_pages(allow: bool) {
    // Nothing depends on it, so a system that does not know the call costs memory only.
    let _ = set_huge_pages(allow);
}

/// Starts a command without huge pages.
pub fn without_huge_pages(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec only this system call runs.
    unsafe {
        command.pre_exec(|| {
            let _ = set_huge_pages(false);
            Ok(())
        })
    }
}

/// Runs a function while huge pages are allowed, so that its children have them.
pub fn with_huge_pages<T>(work: impl FnOnce() -> T) -> T {
    allow_huge_pages(true);
    let result = work();
    allow_huge_pages(false);
    result
}

/// Returns the memory that this thread has freed to the system.
pub fn give_back() {
    unsafe extern "C" {
        // The allocator's own; its crate declares it with a feature that brings more.
        fn mi_collect(force: bool);
    }
    // SAFETY: the function has this type, and may be called at any time.
    unsafe { mi_collect(true) }
}

fn set_huge_pages(allow: bool) -> Result<()> {
    let none: libc::c_ulong = 0;
    // SAFETY: the call changes a setting of the process and takes numbers only.
    match unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, libc::c_ulong::from(!allow), none, none, none) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
