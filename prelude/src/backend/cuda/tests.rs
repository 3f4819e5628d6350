//! Tests of the CUDA backend. What needs a library or a device is ignored unless asked for, and fails without it:
//!
//! - `cargo test --release --locked -p warpcell nvrtc -- --ignored` compiles every program for several architectures;
//!   `WARPCELL_NVRTC` names the library. No GPU.
//! - `… gpu_check -- --ignored --nocapture` compares every method with slow references on a GPU.
//! - `… gpu_streams -- --ignored --nocapture` does a part of that: streams, graphs, copies between devices.
//! - `… gpu_timing -- --ignored --nocapture` prints device and host times as lines of JSON.

mod check;
mod complex;
mod convert;
mod factorisations;
mod fault;
mod fft;
mod foreign;
mod indexing;
mod measurement;
mod nvrtc;
mod products;
mod random;
mod reductions;
mod reference;
mod sorting;
mod streams;
mod text;
mod timing;
mod transform;

pub(super) use nvrtc::all as all_programs;
