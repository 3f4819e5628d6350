//! Which device arrays live on: [`Device`], the choice of one for the process, and other ones for a while.

use crate::backend::stream::{copies, waits};
use crate::backend::{Backend, cpu, cuda};
use crate::error::{Error, Result, check, fail};
use crate::fallible::fallible;
use crate::output;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;
#[doc(inline)]
pub use warpcell_base::backend::DeviceProperties;

/// Where an array's elements are and where its operations run.
///
/// New arrays are made on the current device ([`device()`]). [`set_device`] changes that for the whole program, and so for all
/// cells from then on; [`with`](Self::with) for the time of a closure, in its thread. An operation runs where its arrays are,
/// whatever the current device is, and needs all of them on one device; [`DeviceArray::to_device`](crate::DeviceArray::to_device)
/// copies an array to another.
///
/// CUDA devices are numbered as the driver does it: `CUDA_VISIBLE_DEVICES` chooses and orders them, parts of divided devices
/// (MIG) are devices of their own.
///
/// ```
/// use warpcell as gpu;
/// for device in gpu::devices() {
///     let sum = device.with(|| gpu::arange(5).sum());
///     println!("{device}: {sum}");
/// }
/// ```
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

/// The CUDA devices that can be used, or the CPU where there is none or `WARPCELL_DEVICE` asks for it. So `devices()[0]` exists
/// everywhere, and `devices()` has one entry a GPU.
///
/// ```
/// let devices = warpcell::devices();
/// println!("{} of them, the first is {}", devices.len(), devices[0]);
/// ```
pub fn devices() -> Vec<Device> {
    let wishes_cpu = std::env::var(VARIABLE).is_ok_and(|wish| wish == "cpu");
    if wishes_cpu || cuda::probe().is_err() {
        return vec![Device::Cpu];
    }
    (0..cuda::count()).map(Device::Cuda).collect()
}

fallible! {
    /// Makes this the device of new arrays, in all threads and cells, until it is changed; CuPy's `Device.use`. Arrays
    /// that there are stay where they are.
    ///
    /// Within [`Device::with`] it holds at once, also after the closure.
    ///
    /// **Panics** if the device cannot be used ([`Error::DeviceUnavailable`]); then nothing has changed.
    ///
    /// ```
    /// use warpcell as gpu;
    /// gpu::set_device(gpu::devices()[0]); // also where there is no GPU
    /// assert_eq!(gpu::zeros::<f32>(3).device(), gpu::devices()[0]);
    /// ```
    pub fn set_device, try_set_device(device: Device) -> Result<()> {
        let handle = open(device)?;
        SCOPE.with_borrow_mut(|scope| {
            if let Some(scope) = scope {
                *scope = handle.clone();
            }
        });
        *CHOSEN.write().unwrap_or_else(PoisonError::into_inner) = Some(handle);
        Ok(())
    }
}

/// What [`set_device`] has chosen.
static CHOSEN: RwLock<Option<Handle>> = RwLock::new(None);

thread_local! {
    /// The device of the innermost [`Device::with`] of this thread.
    static SCOPE: RefCell<Option<Handle>> = const { RefCell::new(None) };
}

/// A scope of [`Device::with`], or of a stream: what was before comes back at its end, also if that is a panic.
pub(crate) struct Scope(Option<Handle>);

impl Scope {
    pub fn begin(handle: Handle) -> Scope {
        Scope(SCOPE.replace(Some(handle)))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        SCOPE.set(self.0.take());
    }
}

impl Device {
    /// The device of this number in [`devices`]: a CUDA device, or the CPU as number 0 where there is none.
    ///
    /// ```
    /// use warpcell::{Device, devices};
    /// assert_eq!(Device::new(0), Ok(devices()[0]));
    /// println!("{}", Device::new(99).unwrap_err());
    /// ```
    pub fn new(number: usize) -> Result<Device> {
        let devices = devices();
        devices.get(number).copied().ok_or_else(|| {
            let names: Vec<String> = devices.iter().map(ToString::to_string).collect();
            Error::DeviceUnavailable {
                device: format!("device {number}"),
                reason: format!("it does not exist; numbers start at 0, and the devices are: {}", names.join(", ")),
            }
        })
    }

    /// Does `work` with this as the device of new arrays; Python's `with device:`. Gives what `work` gives.
    ///
    /// That holds for the calling thread: one that `work` starts makes its arrays on the device that [`set_device`] has chosen,
    /// or that was chosen at the start, unless it uses `with` itself.
    ///
    /// **Panics** if the device cannot be used ([`Error::DeviceUnavailable`]), or `work` does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::Device::Cpu.with(|| gpu::ones::<f64>(3));
    /// assert_eq!(a.device(), gpu::Device::Cpu);
    /// ```
    #[track_caller]
    #[doc(alias = "use")]
    pub fn with<R>(self, work: impl FnOnce() -> R) -> R {
        let _scope = Scope::begin(check(open(self)));
        work()
    }

    /// The same as [`with`](Self::with).
    #[track_caller]
    pub fn scope<R>(self, work: impl FnOnce() -> R) -> R {
        self.with(work)
    }

    /// What is known of the device: its name, its memory at this moment, what it can do.
    ///
    /// **Panics** if the device cannot be used ([`Error::DeviceUnavailable`]).
    ///
    /// ```
    /// let properties = warpcell::device().properties();
    /// println!("{}: {} bytes free", properties.name, properties.free_memory);
    /// ```
    #[track_caller]
    pub fn properties(self) -> DeviceProperties {
        check(open(self)).backend.properties()
    }

    /// Waits until the work of all streams of the device is done.
    ///
    /// **Panics** if the device cannot be used, or a queued operation failed on it.
    #[track_caller]
    pub fn synchronize(self) {
        check(open(self).and_then(|handle| handle.backend.synchronize()));
    }
}

/// The environment variable that overrides the choice: `cpu` or `cuda:N`.
const VARIABLE: &str = "WARPCELL_DEVICE";

fallible! {
    /// The device of new arrays: that of the [`Device::with`] in which this is called, else what [`set_device`] has
    /// chosen, else what was chosen at the start: what `WARPCELL_DEVICE` says (`cpu` or `cuda:N`), CUDA device 0 if it
    /// can be used, or the CPU.
    ///
    /// **Panics** if `WARPCELL_DEVICE` counts and has another value or names a device that cannot be used.
    ///
    /// ```
    /// println!("arrays are made on {}", warpcell::device());
    /// ```
    pub fn device, try_device() -> Result<Device> {
        current().map(|handle| handle.device)
    }
}

/// Why [`device`] is what it is, in one sentence, for a banner.
pub fn reason() -> String {
    if SCOPE.with_borrow(Option::is_some) {
        return "chosen for a part of a cell, by `with`".into();
    }
    if chosen().is_some() {
        return "chosen by `set_device`".into();
    }
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
        Ok(handle) => info(handle.device, &handle.backend.name()),
        Err(error) => fail(error),
    }
}

fallible! {
    /// Waits until all work queued on the current device is done, in whatever stream.
    ///
    /// **Panics** if a queued operation failed on the device.
    pub fn synchronize, try_synchronize() -> Result<()> {
        current()?.backend.synchronize()
    }
}

/// A device together with its backend: what every array holds.
#[derive(Clone)]
pub(crate) struct Handle {
    pub device: Device,
    pub backend: Arc<dyn Backend>,
}

impl Handle {
    /// Fails for an operation that waits for results, while this thread captures a graph of the device.
    pub fn may_wait(&self, operation: &'static str) -> Result<()> {
        if self.backend.is_capturing() { Err(waits(operation)) } else { Ok(()) }
    }

    /// Fails for an operation that copies host memory, while this thread captures a graph of the device.
    pub fn may_upload(&self, operation: &'static str) -> Result<()> {
        if self.backend.is_capturing() { Err(copies(operation)) } else { Ok(()) }
    }
}

struct Choice {
    handle: Handle,
    reason: String,
}

static CHOICE: OnceLock<Result<Choice>> = OnceLock::new();

fn choice() -> &'static Result<Choice> {
    CHOICE.get().unwrap_or_else(|| output::waiting_for(OPENING_TAKES_LONG, make_choice))
}

fn make_choice() -> &'static Result<Choice> {
    CHOICE.get_or_init(|| choose(std::env::var(VARIABLE).ok().as_deref()))
}

const OPENING_TAKES_LONG: &str = "Waiting for the GPU: the driver sets it up for this session. When many sessions start at once, \
                                  this takes some seconds.";

/// The thread that makes the choice ahead of the first use.
static OPENING: Mutex<Option<JoinHandle<()>>> = Mutex::new(None);

/// Makes the choice in a thread, unless it is made. Whoever needs the device meanwhile waits for it.
pub(crate) fn open_ahead() {
    if CHOICE.get().is_some() || chosen().is_some() {
        return;
    }
    let mut opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if opening.is_none() {
        let name = "warpcell-device".to_owned();
        // An error is kept in the choice. Without a thread the first use makes it.
        *opening = std::thread::Builder::new().name(name).spawn(|| _ = make_choice()).ok();
    }
}

/// Waits for the thread of [`open_ahead`].
pub(crate) fn wait_for_opening() {
    if let Some(opening) = OPENING.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = output::waiting_for(OPENING_TAKES_LONG, || opening.join());
    }
}

fn choose(wish: Option<&str>) -> Result<Choice> {
    let (device, reason) = foresee(wish)?;
    match open(device) {
        Ok(handle) => Ok(Choice { handle, reason }),
        Err(error) if wish.is_none() => {
            Ok(Choice { handle: open(Device::Cpu)?, reason: format!("{WITHOUT}: {error}") })
        }
        Err(error) => Err(error),
    }
}

const WITHOUT: &str = "no CUDA device is usable";

/// The device that is chosen if it can be opened, and why.
fn foresee(wish: Option<&str>) -> Result<(Device, String)> {
    if let Some(wish) = wish {
        return Ok((parse(wish)?, format!("{VARIABLE} is set to {wish}")));
    }
    Ok(match cuda::probe() {
        Ok(()) => (Device::Cuda(0), "CUDA device 0 is usable".to_owned()),
        // Whoever has compiled kernels for GPUs is not given the CPU in place of a GPU.
        Err(reason) if cuda::embeds() && cuda::count() > 0 => {
            let reason = format!("it has no kernels for this GPU ({VARIABLE}=cpu chooses the CPU): {reason}");
            return Err(Error::DeviceUnavailable { device: Device::Cuda(0).to_string(), reason });
        }
        Err(reason) => (Device::Cpu, format!("{WITHOUT}: {reason}")),
    })
}

/// One line about the device that cells compute on, and why. Without opening it, which takes memory of the device, and seconds
/// where many processes do so at once, the line is about the device that will be tried.
pub(crate) fn description(opens: bool) -> Result<String> {
    if opens {
        return try_device().map(|_| format!("{} ({})", device_info(), reason()));
    }
    let (device, reason) = foresee(std::env::var(VARIABLE).ok().as_deref())?;
    let name = match device {
        Device::Cpu => host().backend.name(),
        Device::Cuda(ordinal) => cuda::name(ordinal)?,
    };
    Ok(format!("{} ({reason})", info(device, &name)))
}

/// One line about a device.
fn info(device: Device, name: &str) -> String {
    match device {
        Device::Cpu => format!("CPU: {name}, {} threads", cpu::threads()),
        Device::Cuda(_) => format!("{device}: {name}"),
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
    // A thread that ends is in no scope.
    let scope = SCOPE.try_with(|scope| scope.borrow().clone()).ok().flatten();
    if let Some(handle) = scope.or_else(chosen) {
        return Ok(handle);
    }
    match choice() {
        Ok(choice) => Ok(choice.handle.clone()),
        Err(error) => Err(error.clone()),
    }
}

fn chosen() -> Option<Handle> {
    CHOSEN.read().unwrap_or_else(PoisonError::into_inner).clone()
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

/// Waits for what devices check while they compute, and reports what they found. Waits for nothing if they check nothing.
pub(crate) fn settle() -> Result<()> {
    let Some(opened) = OPENED.get() else { return Ok(()) };
    let opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
    let unsettled: Vec<Arc<dyn Backend>> = opened.values().filter(|backend| backend.has_checks()).cloned().collect();
    drop(opened);
    // All of them: the error of one does not leave the next cell the error of another.
    unsettled.iter().map(|backend| backend.settle()).fold(Ok(()), Result::and)
}

/// Waits for the work of all devices that were opened; the first error of it.
pub(crate) fn synchronize_all() -> Result<()> {
    let Some(opened) = OPENED.get() else { return Ok(()) };
    let backends: Vec<Arc<dyn Backend>> =
        opened.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
    backends.iter().map(|backend| backend.synchronize()).fold(Ok(()), Result::and)
}

/// Lets loops of the user's functions end that run on devices now. Called from a thread that does not wait for any.
pub(crate) fn stop_functions() {
    // Whoever opens a device at this moment has started nothing there.
    if let Some(Ok(opened)) = OPENED.get().map(Mutex::try_lock) {
        opened.values().for_each(|backend| backend.stop_functions());
    }
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
    fn a_device_is_described_before_it_is_opened_as_it_is_after() {
        let before = description(false);
        assert_eq!(before, try_device().map(|_| format!("{} ({})", device_info(), reason())));
        assert_eq!(before, description(true));
        let missing = Device::Cuda(cuda::count() + 3);
        let (described, opened) = (foresee(Some(&missing.to_string())), open(missing).err());
        assert_eq!(described.map(|(device, _)| device), Ok(missing));
        assert!(matches!(opened, Some(Error::DeviceUnavailable { .. })), "{opened:?}");
        assert_eq!(cuda::name(cuda::count() + 3).err(), opened);
    }

    #[test]
    fn a_device_that_is_opened_ahead_is_the_one_that_is_used() {
        open_ahead();
        let used = choice().as_ref().map(|choice| choice.handle.device).map_err(Clone::clone);
        wait_for_opening();
        assert_eq!(used, choice().as_ref().map(|choice| choice.handle.device).map_err(Clone::clone));
        // Nothing is left to wait for.
        assert!(OPENING.lock().unwrap().is_none());
        open_ahead();
        assert!(OPENING.lock().unwrap().is_none(), "the choice is made");
    }

    #[test]
    fn devices_hold_for_their_scope_and_thread() {
        let outside = try_device();
        Device::Cpu.with(|| {
            assert_eq!(device(), Device::Cpu);
            assert_eq!(Device::Cpu.scope(|| Device::Cpu.with(device)), Device::Cpu);
            assert!(SCOPE.with_borrow(Option::is_some));
            assert_eq!(std::thread::spawn(try_device).join().unwrap(), outside, "threads are not in it");
        });
        assert!(std::panic::catch_unwind(|| Device::Cpu.with(|| panic!("on purpose"))).is_err());
        assert!(SCOPE.with_borrow(Option::is_none), "it has ended, also by a panic");
        assert_eq!(try_device(), outside);
    }

    #[test]
    fn numbers_of_devices_are_checked() {
        assert_eq!(Device::new(0), Ok(devices()[0]));
        let error = Device::new(77).unwrap_err().to_string();
        let known = format!(
            "device 77 cannot be used: it does not exist; numbers start at 0, and the devices are: {}",
            devices()[0]
        );
        assert!(error.starts_with(&known), "{error}");
        assert!(matches!(try_set_device(Device::Cuda(77)), Err(Error::DeviceUnavailable { .. })));
    }

    #[test]
    fn the_cpu_can_be_asked_for() {
        let choice = choose(Some("cpu")).ok().unwrap();
        assert_eq!(choice.handle.device, Device::Cpu);
        assert_eq!(choice.reason, "WARPCELL_DEVICE is set to cpu");
    }
}
