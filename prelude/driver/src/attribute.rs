//! What the driver says of a device that only measurements ask for.

use super::context::Device;
use super::status::check;
use cudarc::driver::sys::{self, CUdevice_attribute as Of};
use std::ffi::c_int;
use warpcell_base::backend::launch::Room;
use warpcell_base::error::Result;

/// The bytes of the device's L2 cache.
pub fn cache_bytes(device: &Device) -> Result<usize> {
    let [bytes] = ask(device, [Of::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE])?;
    Ok(bytes)
}

/// What a multiprocessor of the device has.
pub fn room(device: &Device) -> Result<Room> {
    let [threads, blocks, registers, shared_bytes, reserved_bytes] = ask(
        device,
        [
            Of::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            Of::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
            Of::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
            Of::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            Of::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
        ],
    )?;
    Ok(Room { threads, blocks, registers, shared_bytes, reserved_bytes })
}

fn ask<const N: usize>(device: &Device, attributes: [Of; N]) -> Result<[usize; N]> {
    let (mut handle, mut values) = (0, [0; N]);
    device.bind()?;
    // SAFETY: the context is current; `handle` is a local to write to.
    check(unsafe { sys::cuCtxGetDevice(&raw mut handle) }, "cuCtxGetDevice")?;
    for (attribute, found) in attributes.into_iter().zip(&mut values) {
        let mut value: c_int = 0;
        // SAFETY: the handle is the driver's; `value` is an int to write to.
        check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, handle) }, "cuDeviceGetAttribute")?;
        *found = usize::try_from(value).unwrap_or(0);
    }
    Ok(values)
}
