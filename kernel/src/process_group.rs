//! Signals to a process and all that it has started: to the process group that it leads.

use std::process::Child;

/// Sends a signal to the group of a process. The caller knows that the number still belongs to this process.
pub fn signal(leader: libc::pid_t, signal: i32) {
    // SAFETY: the call takes numbers only.
    unsafe { libc::kill(-leader, signal) };
}

/// Ends a child that leads its group, and all that it has started.
pub fn end(child: &mut Child) {
    // Without the check, the number could belong to another process.
    if let (Ok(None), Ok(leader)) = (child.try_wait(), libc::pid_t::try_from(child.id())) {
        signal(leader, libc::SIGKILL);
        // It has ended as soon as the signal is delivered.
        let _ = child.wait();
    }
}
