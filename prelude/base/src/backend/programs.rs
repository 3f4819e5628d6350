//! Where the programs of a device come from, and what that means for operations with several ways to compute one thing.

use super::Backend;
use crate::error::{Error, Result};

/// Where the programs of a device come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Compiled when they are needed, or there are none.
    Compiled,
    /// The same, and they are recorded, so that they can be embedded.
    Recorded,
    /// Embedded in the process. Others are compiled if the compiler is there.
    Embedded,
}

/// The library that compiles programs, as [`Error::LibraryMissing`] names it.
pub const COMPILER: &str = "libnvrtc.so";

/// Computes by `best`, which is for some sizes only. Where programs are embedded and one of `best` is missing, `general` computes the
/// same; it is for all sizes. So where programs are recorded, both are computed.
pub fn best_or_general<R>(
    backend: &dyn Backend,
    best: impl FnOnce() -> Result<R>,
    general: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let found = best();
    match (&found, backend.programs()) {
        (Err(Error::LibraryMissing { library, .. }), Programs::Embedded) if library == COMPILER => general(),
        (Ok(_), Programs::Recorded) => {
            // Only its programs are wanted.
            drop(general());
            found
        }
        _ => found,
    }
}
