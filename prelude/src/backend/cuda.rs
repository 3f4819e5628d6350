//! The CUDA backend.

use crate::backend::Backend;
use crate::error::{Error, Result};
use std::sync::Arc;

/// Says whether CUDA device 0 can be used, and why not.
pub(crate) fn probe() -> std::result::Result<(), String> {
    Err("the CUDA backend is not built yet".into())
}

/// Opens a CUDA device.
pub(crate) fn open(ordinal: usize) -> Result<Arc<dyn Backend>> {
    Err(Error::DeviceUnavailable {
        device: format!("cuda:{ordinal}"),
        reason: "the CUDA backend is not built yet; set WARPCELL_DEVICE=cpu".into(),
    })
}
