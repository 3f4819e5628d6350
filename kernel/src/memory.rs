//! What the processes of a session cost in memory while nobody uses them.
//!
//! Huge pages make a start quicker, since rust-analyzer touches much memory in a short time; but what is allocated in small
//! pieces fills them badly, and a process that does next to nothing keeps four megabytes by them. So the kernel has them
//! until it has started, the processes below it have none, and the compiler and the user's code have what the system gives.

use std::io::Result;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets this process have huge pages for what it touches from now on, or not; processes that it starts have the same.
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

/// Does something while this process may have huge pages, so that what is started has them.
pub fn with_huge_pages<T>(work: impl FnOnce() -> T) -> T {
    allow_huge_pages(true);
    let result = work();
    allow_huge_pages(false);
    result
}

/// Gives back to the system what this thread has freed.
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
