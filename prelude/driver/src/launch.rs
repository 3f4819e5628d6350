//! Starting kernels.

use super::context::Device;
use super::module::Function;
use super::profile;
use super::status::check;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::sync::Arc;
use warpcell_base::backend::text::LaunchSize;
use warpcell_base::error::{Error, Result};
use warpcell_base::profiling::Kind;

/// Pointers to the values at the places named, for [`launch`]. The places must outlive the launch's call.
#[macro_export]
macro_rules! arguments {
    ($($value:expr),* $(,)?) => { [$((&raw const $value).cast_mut().cast::<std::ffi::c_void>()),*] };
}
pub use arguments;

/// Queues a kernel: `grid` blocks (x, y) of `block` threads.
///
/// # Safety
/// As for [`launch_sized`].
#[inline]
pub unsafe fn launch(
    device: &Arc<Device>,
    function: Function,
    grid: (u32, u32),
    block: u32,
    arguments: &mut [*mut c_void],
) -> Result<()> {
    let size = LaunchSize { grid: [grid.0, grid.1, 1], block: [block, 1, 1], shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { launch_sized(device, function, size, arguments) }
}

/// Queues a kernel of any size.
///
/// # Safety
/// - `function`'s module is alive until the kernel has ended (unloading waits for it).
/// - `arguments` points to one value for each of the kernel's parameters, of its type and in its order; they are read
///   before this returns.
/// - What the kernel reads and writes through device addresses lies in live blocks of `device`, which were ordered for it or
///   made for it (see [`super::memory::DeviceMemory::order`]). They may be dropped when this returns, since blocks are reused
///   in the order of their queue.
#[inline]
pub(super) unsafe fn launch_sized(
    device: &Arc<Device>,
    function: Function,
    size: LaunchSize,
    arguments: &mut [*mut c_void],
) -> Result<()> {
    if warpcell_base::interrupt::interrupted() {
        return Err(Error::Interrupted);
    }
    device.bind()?;
    let span = profile::begin(device, Kind::Kernel, function.name, 0)?;
    let ([grid_x, grid_y, grid_z], [x, y, z]) = (size.grid, size.block);
    let (stream, values, none) = (device.stream(), arguments.as_mut_ptr(), std::ptr::null_mut());
    // SAFETY: the stream is alive; the rest is the caller's promise. No extra options.
    let status = unsafe {
        sys::cuLaunchKernel(function.raw, grid_x, grid_y, grid_z, x, y, z, size.shared, stream, values, none)
    };
    check(status, "cuLaunchKernel")?;
    profile::end(device, span)
}
