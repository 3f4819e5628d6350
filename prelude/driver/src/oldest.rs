//! Tests on a new device of what only older ones need. With `WARPCELL_AS_OLDEST_GPU` in the environment a device counts as one of the
//! oldest that are supported: of compute capability 7.5, with few multiprocessors. Programs become PTX for it, which the driver compiles, as
//! where NVRTC is older than the device; and what libraries do not have for such devices, or did not have in their first versions, counts as
//! missing. Slower than anything else, and no faster on a device that is old.

use std::sync::OnceLock;

/// What the device can do.
pub const CAPABILITY: (i32, i32) = (7, 5);
/// More multiprocessors it does not have.
pub const MULTIPROCESSORS: i32 = 14;
/// More shared memory a multiprocessor does not have, in bytes.
pub const SHARED_MEMORY: i32 = 64 << 10;

/// Whether devices count as old ones.
pub fn is_wished() -> bool {
    static WISHED: OnceLock<bool> = OnceLock::new();
    *WISHED.get_or_init(|| std::env::var_os("WARPCELL_AS_OLDEST_GPU").is_some())
}
