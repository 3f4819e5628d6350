//! What only CUDA has: streams, memory, kernels of the user and how they fail.

use crate::backend::cuda::driver::nvrtc::Nvrtc;
use std::path::PathBuf;

mod along;
mod check;
mod checks;
mod differential;
mod failures;
mod fault;
mod foreign;
mod functions;
mod kernels;
mod map;
mod map_programs;
mod measurement;
mod raw_kernels;
mod streams;
mod timing;

/// The compiler that the environment names.
fn nvrtc() -> Nvrtc {
    let path = std::env::var_os("WARPCELL_NVRTC").expect("set WARPCELL_NVRTC to the path of libnvrtc.so.13 or .12");
    Nvrtc::open(&PathBuf::from(path)).unwrap()
}
