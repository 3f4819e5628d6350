//! Cells that compute on a device: it is opened while they are compiled. That takes 0.2 s for one process, and seconds if many
//! processes open the same device.

use crate::syntax;

/// The words of the prelude by which a cell has something to do with devices.
const USES: [&str; 2] = ["gpu", "DeviceArray"];

/// The words by which a cell may choose a device, or change the environment that the driver reads when it starts, or
/// copy the process. Such a cell opens the device itself. `session` is the module that magics call.
const DECIDES: [&str; 7] = ["set_device", "Device", "env", "set_var", "remove_var", "fork", "session"];

/// Whether a cell's text says that it uses the device that arrays are made on by default.
pub fn is_used_by(code: &str) -> bool {
    let has = |words: &[&str]| syntax::words(code).any(|word| words.contains(&word));
    has(&USES) && !has(&DECIDES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cells_that_use_the_default_device_open_it() {
        for used in ["let a = gpu::arange(5);", "fn f(a: &DeviceArray<f64>) -> f64 { a.sum() }", "gpu::device()"] {
            assert!(is_used_by(used), "{used}");
        }
        for unused in [
            "1 + 1",
            "let gpus = 2;",
            "gpu::set_device(Device::Cuda(1)); gpu::arange(5)",
            "gpu::Device::Cpu.with(|| gpu::arange(5))",
            "unsafe { std::env::set_var(\"CUDA_VISIBLE_DEVICES\", \"1\") }; gpu::arange(5)",
            "gpu::session::set_variable(\"CUDA_VISIBLE_DEVICES\", \"1\");",
        ] {
            assert!(!is_used_by(unused), "{unused}");
        }
    }
}
