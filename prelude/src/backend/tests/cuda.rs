//! What only CUDA has: streams, memory, kernels of the user and how they fail.

use crate::backend::cuda::driver::nvrtc::Nvrtc;
use std::path::PathBuf;

pub(super) mod check;
mod differential;
mod failures;
mod fault;
pub(super) mod foreign;
mod functions;
mod kernels;
mod map;
mod map_programs;
mod measurement;
pub(super) mod raw_kernels;
pub(super) mod streams;
mod timing;

/// The compiler that the environment names.
fn nvrtc() -> Nvrtc {
    let path = std::env::var_os("WARPCELL_NVRTC").expect("set WARPCELL_NVRTC to the path of libnvrtc.so.13 or .12");
    Nvrtc::open(&PathBuf::from(path)).unwrap()
}
