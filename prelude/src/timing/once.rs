//! One run of the statements between a beginning and an end: `%time`, `%%time` and `%%gpusync`.
//!
//! The statements stay where they are in the cell, so that what they define stays defined; so beginning and end are
//! calls of their own, and what the beginning noted waits on a stack. A panic between the two leaves its entry there,
//! which later pairs never see.

use super::clock::{self, CpuTimes};
use super::device::{self, Mark};
use super::format;
use std::cell::RefCell;

/// Begins a measurement that [`time_end`] or [`time_value`] ends; pairs may be nested. `%time` calls this.
///
/// **Panics** if work that was queued before failed on the device.
///
/// ```
/// use warpcell::timing::{time_begin, time_end};
/// time_begin();
/// let total: u64 = (0..1000).sum();
/// time_end();
/// // prints, for example:
/// // CPU times: user 2 μs, sys: 0 ns, total: 2 μs
/// // Wall time: 3.1 μs
/// ```
#[track_caller]
pub fn time_begin() {
    begin(device::watched().map(Mark::set));
}

/// Ends the measurement that [`time_begin`] began, and prints its CPU times and wall time, and the device's time if
/// the device went on longer than the host.
///
/// **Panics** if work on the device failed, or if nothing was begun.
#[track_caller]
pub fn time_end() {
    println!("{}", end().time_report());
}

/// As [`time_end`], and returns `value`, which is computed before.
///
/// ```
/// use warpcell::timing::{time_begin, time_value};
/// time_begin();
/// assert_eq!(time_value(1 + 1), 2);
/// ```
#[track_caller]
pub fn time_value<T>(value: T) -> T {
    time_end();
    value
}

/// Begins a measurement that [`gpusync_end`] or [`gpusync_value`] ends. `%%gpusync` calls this.
///
/// It waits for the device whatever [`set_synchronize`](super::set_synchronize) says.
///
/// **Panics** if work that was queued before failed on the device.
///
/// ```
/// use warpcell::timing::{gpusync_begin, gpusync_value};
/// gpusync_begin();
/// assert_eq!(gpusync_value(1 + 1), 2);
/// // prints, for example:
/// // Host time:   12.3 μs
/// // Device time: 3.16 ms (cuda:0)
/// ```
#[track_caller]
pub fn gpusync_begin() {
    begin(device::current().map(Mark::set));
}

/// Ends the measurement that [`gpusync_begin`] began, and prints the times of host and device.
///
/// **Panics** if work on the device failed, or if nothing was begun.
#[track_caller]
pub fn gpusync_end() {
    println!("{}", end().gpusync_report());
}

/// As [`gpusync_end`], and returns `value`, which is computed before.
#[track_caller]
pub fn gpusync_value<T>(value: T) -> T {
    gpusync_end();
    value
}

thread_local! {
    static BEGUN: RefCell<Vec<Begun>> = const { RefCell::new(Vec::new()) };
}

struct Begun {
    mark: Option<Mark>,
    cpu: CpuTimes,
    wall: f64,
}

struct Measured {
    cpu: CpuTimes,
    wall: f64,
    device: Option<(f64, String)>,
}

fn begin(mark: Option<Mark>) {
    BEGUN.with_borrow_mut(|begun| begun.push(Begun { mark, cpu: clock::cpu(), wall: clock::wall() }));
}

#[track_caller]
fn end() -> Measured {
    let (wall, cpu) = (clock::wall(), clock::cpu());
    let Some(begun) = BEGUN.with_borrow_mut(Vec::pop) else {
        panic!("this timing was not started on this thread; call `time_begin` or `gpusync_begin` first");
    };
    Measured {
        cpu: CpuTimes { user: cpu.user - begun.cpu.user, system: cpu.system - begun.cpu.system },
        wall: wall - begun.wall,
        device: begun.mark.map(|mark| (mark.elapsed(wall - begun.wall), mark.label())),
    }
}

impl Measured {
    fn time_report(&self) -> String {
        let time = |seconds| format::time(seconds, 3);
        let mut report = format!(
            "CPU times: user {}, sys: {}, total: {}\nWall time: {}",
            time(self.cpu.user),
            time(self.cpu.system),
            time(self.cpu.total()),
            time(self.wall)
        );
        if let Some((seconds, label)) = &self.device
            && device::differs(self.wall, *seconds)
        {
            report += &format!(
                "\nDevice time: {} ({label})\n\
                 The host only queued the work and went on; the device was done after the device time.",
                time(*seconds)
            );
        }
        report
    }

    fn gpusync_report(&self) -> String {
        let host = format!("Host time:   {}", format::time(self.wall, 3));
        match &self.device {
            Some((seconds, label)) => format!("{host}\nDevice time: {} ({label})", format::time(*seconds, 3)),
            None => format!("{host}\nDevice time: there is no device"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn measured(device: Option<f64>) -> Measured {
        Measured {
            cpu: CpuTimes { user: 0.002, system: 0.0 },
            wall: 0.0031,
            device: device.map(|seconds| (seconds, "cuda:0".into())),
        }
    }

    #[test]
    fn time_reports_as_ipython_does() {
        let expected = "CPU times: user 2 ms, sys: 0 ns, total: 2 ms\nWall time: 3.1 ms";
        assert_eq!(measured(None).time_report(), expected);
        assert_eq!(measured(Some(0.0031)).time_report(), expected);
    }

    #[test]
    fn time_reports_a_device_that_took_longer() {
        expect![[r#"
            CPU times: user 2 ms, sys: 0 ns, total: 2 ms
            Wall time: 3.1 ms
            Device time: 34 ms (cuda:0)
            The host only queued the work and went on; the device was done after the device time."#]]
        .assert_eq(&measured(Some(0.034)).time_report());
    }

    #[test]
    fn gpusync_reports_both() {
        expect![[r#"
            Host time:   3.1 ms
            Device time: 3.1 ms (cuda:0)"#]]
        .assert_eq(&measured(Some(0.0031)).gpusync_report());
        expect![[r#"
            Host time:   3.1 ms
            Device time: there is no device"#]]
        .assert_eq(&measured(None).gpusync_report());
    }

    #[test]
    fn pairs_nest() {
        time_begin();
        time_begin();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let inner = end();
        let outer = end();
        assert!(inner.wall >= 0.002 && outer.wall >= inner.wall);
    }

    #[test]
    #[should_panic(expected = "was not started")]
    fn an_end_without_beginning_says_so() {
        time_end();
    }
}
