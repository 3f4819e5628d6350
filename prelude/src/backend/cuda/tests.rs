//! Tests of the CUDA backend. What needs a library or a device is ignored unless asked for, and fails without it:
//!
//! - `cargo test --release --locked -p warpcell nvrtc -- --ignored` compiles every program for several architectures;
//!   `WARPCELL_NVRTC` names the library. No GPU.
//! - `… gpu_check -- --ignored --nocapture` compares every method with slow references on a GPU.
//! - `… gpu_timing -- --ignored --nocapture` prints device and host times as lines of JSON.

mod check;
mod complex;
mod convert;
mod fft;
mod indexing;
mod nvrtc;
mod random;
mod reductions;
mod reference;
mod sorting;
mod timing;
mod transform;
