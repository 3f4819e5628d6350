//! The clocks of the host: wall time and the CPU time of this process.

use std::sync::OnceLock;
use std::time::Instant;

/// CPU time of this process, all threads, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CpuTimes {
    /// In the program itself.
    pub user: f64,
    /// In the operating system on its behalf.
    pub system: f64,
}

impl CpuTimes {
    /// Both together.
    pub fn total(self) -> f64 {
        self.user + self.system
    }
}

/// Seconds on a clock that never goes back.
pub(super) fn wall() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The CPU time used so far.
pub(super) fn cpu() -> CpuTimes {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is valid for writes of one `rusage`, which is all that getrusage(2) touches.
    let status = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    assert_eq!(status, 0, "getrusage(RUSAGE_SELF) can only fail for a bad pointer or a bad argument");
    // SAFETY: on success the whole structure has been written.
    let usage = unsafe { usage.assume_init() };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    CpuTimes { user: seconds(usage.ru_utime), system: seconds(usage.ru_stime) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_forward() {
        let (wall_start, cpu_start) = (wall(), cpu());
        let mut x = 1u64;
        while cpu().total() - cpu_start.total() < 0.01 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(wall() > wall_start);
        assert!(cpu().user >= cpu_start.user && cpu().system >= cpu_start.system);
    }
}
