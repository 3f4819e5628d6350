//! Signals, and the process that started the kernel.

use super::event::Event;
use super::log::log;
use anyhow::Context;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

/// SIGINT interrupts the cell, SIGTERM ends the kernel.
pub fn signals(events: UnboundedSender<Event>) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot handle SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot handle SIGTERM")?;
    tokio::spawn(async move {
        loop {
            let event = tokio::select! {
                _ = interrupt.recv() => Event::Interrupt,
                _ = terminate.recv() => Event::Terminate { reason: "SIGTERM" },
                () = events.closed() => return,
            };
            if events.send(event).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Ends the kernel when the process of `JPY_PARENT_PID` is gone. So a killed server leaves no kernels.
pub fn parent(events: UnboundedSender<Event>) {
    let Some(pid) = std::env::var("JPY_PARENT_PID").ok().and_then(|pid| pid.parse::<libc::pid_t>().ok()) else {
        return;
    };
    if pid <= 0 || !exists(pid) {
        // The number belongs to another process namespace, as when a server outside a container starts kernels in it.
        log(format_args!("no process {pid} (JPY_PARENT_PID), so its end is not watched"));
        return;
    }
    tokio::spawn(async move {
        tokio::select! {
            () = end_of(pid) => { let _ = events.send(Event::Terminate { reason: "the parent process is gone" }); }
            () = events.closed() => {}
        }
    });
}

async fn end_of(pid: libc::pid_t) {
    if let Some(process) = open(pid)
        && process.readable().await.is_ok()
    {
        return;
    }
    // Kernels before Linux 5.3, and some sandboxes, have no pidfd.
    while exists(pid) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// A descriptor that becomes readable when the process ends.
fn open(pid: libc::pid_t) -> Option<AsyncFd<OwnedFd>> {
    // SAFETY: the system call takes two integers and touches no memory of ours.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = i32::try_from(fd).ok().filter(|&fd| fd >= 0)?;
    // SAFETY: the call has just returned this descriptor. Nothing else uses it.
    let process = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: an `OwnedFd` stays open, and the same, until it is dropped, and the `AsyncFd` owns it.
    unsafe { AsyncFd::register_with_interest(process, Interest::READABLE) }.ok()
}

fn exists(pid: libc::pid_t) -> bool {
    // SAFETY: signal 0 sends nothing. It only asks whether the process exists.
    let answer = unsafe { libc::kill(pid, 0) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}
