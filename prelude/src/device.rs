//! Which device arrays live on: [`Device`], and the choice of one for the process.

use crate::backend::{Backend, cpu, cuda};
use crate::error::{Error, Result, fail};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where an array's elements are and where its operations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// The processor: all of its cores.
    Cpu,
    /// The CUDA device of this ordinal.
    Cuda(usize),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// The environment variable that overrides the choice: `cpu` or `cuda:N`.
const VARIABLE: &str = "WARPCELL_DEVICE";

/// The device of new arrays, chosen once per process: what `WARPCELL_DEVICE` says (`cpu` or `cuda:N`), else CUDA
/// device 0 if it can be used, else the CPU.
///
/// **Panics** if `WARPCELL_DEVICE` has another value or names a device that cannot be used.
///
/// ```
/// println!("arrays are made on {}", warpcell::device());
/// ```
#[track_caller]
pub fn device() -> Device {
    match current() {
        Ok(handle) => handle.device,
        Err(error) => fail(error),
    }
}

/// The device of new arrays, or the error for which there is none (see [`device`]).
pub fn try_device() -> Result<Device> {
    current().map(|handle| handle.device)
}

/// Why [`device`] is what it is, in one sentence, for a banner.
pub fn reason() -> String {
    match choice() {
        Ok(choice) => choice.reason.clone(),
        Err(error) => error.to_string(),
    }
}

/// One line about the current device, such as `cuda:0: NVIDIA H200` or `CPU: AMD EPYC, 2 threads`.
///
/// **Panics** as [`device`] does.
#[track_caller]
pub fn device_info() -> String {
    match current() {
        Ok(handle) => match handle.device {
            Device::Cpu => format!("CPU: {}, {} threads", handle.backend.name(), cpu::threads()),
            Device::Cuda(_) => format!("{}: {}", handle.device, handle.backend.name()),
        },
        Err(error) => fail(error),
    }
}

/// Waits until all work queued on the current device is done.
///
/// **Panics** if a queued operation failed on the device.
#[track_caller]
pub fn synchronize() {
    if let Err(error) = try_synchronize() {
        fail(error)
    }
}

/// As [`synchronize`], but returns the error of a queued operation that failed.
pub fn try_synchronize() -> Result<()> {
    current()?.backend.synchronize()
}

/// A device together with its backend: what every array holds.
#[derive(Clone)]
pub(crate) struct Handle {
    pub device: Device,
    pub backend: Arc<dyn Backend>,
}

struct Choice {
    handle: Handle,
    reason: String,
}

static CHOICE: OnceLock<Result<Choice>> = OnceLock::new();

fn choice() -> &'static Result<Choice> {
    CHOICE.get_or_init(|| choose(std::env::var(VARIABLE).ok().as_deref()))
}

fn choose(wish: Option<&str>) -> Result<Choice> {
    if let Some(wish) = wish {
        let handle = open(parse(wish)?)?;
        return Ok(Choice { handle, reason: format!("{VARIABLE} is set to {wish}") });
    }
    match cuda::probe().and_then(|()| open(Device::Cuda(0)).map_err(|error| error.to_string())) {
        Ok(handle) => Ok(Choice { handle, reason: "CUDA device 0 is usable".into() }),
        Err(reason) => Ok(Choice { handle: open(Device::Cpu)?, reason: format!("no CUDA device is usable: {reason}") }),
    }
}

fn parse(wish: &str) -> Result<Device> {
    let ordinal = wish.strip_prefix("cuda:").and_then(|digits| digits.parse().ok());
    match (wish, ordinal) {
        ("cpu", _) => Ok(Device::Cpu),
        ("cuda", _) => Ok(Device::Cuda(0)),
        (_, Some(ordinal)) => Ok(Device::Cuda(ordinal)),
        _ => Err(Error::DeviceUnavailable {
            device: format!("{wish:?}"),
            reason: format!("{VARIABLE} must be cpu or cuda:N, such as cuda:0; correct or unset it and restart"),
        }),
    }
}

/// The device of new arrays with its backend.
pub(crate) fn current() -> Result<Handle> {
    match choice() {
        Ok(choice) => Ok(choice.handle.clone()),
        Err(error) => Err(error.clone()),
    }
}

/// The CPU, whatever the current device is: what host functions compute on.
pub(crate) fn host() -> Handle {
    Handle { device: Device::Cpu, backend: cpu::backend() }
}

/// The backends of CUDA devices that were opened.
static OPENED: OnceLock<Mutex<HashMap<usize, Arc<dyn Backend>>>> = OnceLock::new();

/// Gives pooled memory that nothing has used for some time back to devices and system, without waiting for them.
pub(crate) fn trim_idle() {
    let opened = OPENED.get().map(|opened| opened.lock().unwrap_or_else(PoisonError::into_inner));
    let backends: Vec<Arc<dyn Backend>> = opened.iter().flat_map(|opened| opened.values().cloned()).collect();
    drop(opened);
    backends.iter().for_each(|backend| backend.trim_idle());
    host().backend.trim_idle();
}

/// A device's handle; a backend is opened once per process.
pub(crate) fn open(device: Device) -> Result<Handle> {
    let ordinal = match device {
        Device::Cpu => return Ok(host()),
        Device::Cuda(ordinal) => ordinal,
    };
    let mut opened = OPENED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(backend) = opened.get(&ordinal) {
        return Ok(Handle { device, backend: backend.clone() });
    }
    let backend = cuda::open(ordinal)?;
    opened.insert(ordinal, backend.clone());
    Ok(Handle { device, backend })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn devices_are_parsed() {
        assert_eq!(parse("cpu"), Ok(Device::Cpu));
        assert_eq!(parse("cuda:3"), Ok(Device::Cuda(3)));
        expect![[r#""gpu" cannot be used: WARPCELL_DEVICE must be cpu or cuda:N, such as cuda:0; correct or unset it and restart"#]]
            .assert_eq(&parse("gpu").unwrap_err().to_string());
        assert!(parse("cuda:x").is_err());
    }

    #[test]
    fn the_cpu_can_be_asked_for() {
        let choice = choose(Some("cpu")).ok().unwrap();
        assert_eq!(choice.handle.device, Device::Cpu);
        assert_eq!(choice.reason, "WARPCELL_DEVICE is set to cpu");
    }
}
