//! Tests of the CUDA backend. What needs a library or a device is ignored unless asked for, and fails without it:
//!
//! - `cargo test --release --locked -p warpcell nvrtc -- --ignored` compiles kernels of the user for several architectures;
//!   `WARPCELL_NVRTC` names the library. No GPU.
//! - `… gpu_check -- --ignored --nocapture` compares every method with slow references on a GPU.
//! - `… gpu_kernels -- --ignored --nocapture` runs Rust functions over arrays and thread kernels, also those that fail and those
//!   that do not end.
//! - `… gpu_differential -- --ignored --nocapture` runs the functions of the translator's differential tests.
//! - `… gpu_streams -- --ignored --nocapture` does a part of that: streams, graphs, copies between devices.
//! - `… gpu_timing -- --ignored --nocapture` prints device and host times as lines of JSON.

use super::cuda::driver::nvrtc::Nvrtc;
use std::path::PathBuf;

mod check;
mod complex;
mod convert;
mod differential;
mod factorisations;
mod failures;
mod fault;
mod foreign;
mod functions;
mod indexing;
mod kernels;
mod map;
mod map_programs;
mod measurement;
mod products;
mod random;
mod raw_kernels;
mod reductions;
mod reference;
mod sorting;
mod streams;
mod timing;
mod transform;

/// The compiler that the environment names.
fn nvrtc() -> Nvrtc {
    let path = std::env::var_os("WARPCELL_NVRTC").expect("set WARPCELL_NVRTC to the path of libnvrtc.so.13 or .12");
    Nvrtc::open(&PathBuf::from(path)).unwrap()
}
