//! What the driver says of a device that only measurements ask for.

use super::context::Device;
use super::status::check;
use cudarc::driver::sys;
use warpcell_base::error::Result;

/// The bytes of the device's L2 cache.
pub fn cache_bytes(device: &Device) -> Result<usize> {
    let (mut handle, mut bytes) = (0, 0);
    device.bind()?;
    // SAFETY: the context is current, and both are integers to write to.
    unsafe {
        check(sys::cuCtxGetDevice(&raw mut handle), "cuCtxGetDevice")?;
        let which = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
        check(sys::cuDeviceGetAttribute(&raw mut bytes, which, handle), "cuDeviceGetAttribute")?;
    }
    Ok(usize::try_from(bytes).unwrap_or(0))
}
