//! Choosing a device.

use warpcell::Device;

/// The CUDA devices, or the CPU where there is none: `devices()[0]` exists everywhere.
pub fn devices() -> Vec<Device> {
    todo!()
}

/// Makes this the device of new arrays, until it is changed; `cupy.cuda.Device.use`, which Rust cannot call `use`.
pub fn set_device(device: Device) {
    todo!()
}

/// Will be a method of `Device`.
pub trait DeviceScope {
    /// Does `work` with this as the device of new arrays; Python's `with device:`.
    ///
    /// A closure, because its value is the cell's; a guard would need a block and `let` outside of it.
    fn with<R>(self, work: impl FnOnce() -> R) -> R;
}

impl DeviceScope for Device {
    fn with<R>(self, work: impl FnOnce() -> R) -> R {
        todo!()
    }
}
