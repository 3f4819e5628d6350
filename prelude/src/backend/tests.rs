//! Tests of the backends. Each operation is compared with slow references; those in `cuda/` are of what only CUDA has.
//!
//! - `cargo test --release --locked -p warpcell cpu_check` compares the CPU's operations, on few elements, as the unit tests do.
//!
//! What needs a library or a device is ignored unless asked for, and fails without it:
//!
//! - `cargo test --release --locked -p warpcell nvrtc -- --ignored` compiles kernels of the user for several architectures;
//!   `WARPCELL_NVRTC` names the library. No GPU.
//! - `… gpu_check -- --ignored --nocapture` compares the operations on a GPU.
//! - `… gpu_kernels -- --ignored --nocapture` runs Rust functions over arrays and thread kernels, also those that fail and those
//!   that do not end.
//! - `… gpu_differential -- --ignored --nocapture` runs the functions of the translator's differential tests.
//! - `… gpu_streams -- --ignored --nocapture` checks streams, graphs and copies between devices.
//! - `… gpu_timing -- --ignored --nocapture` prints device and host times as lines of JSON.

mod check;
mod complex;
mod convert;
mod cuda;
mod factorisations;
mod indexing;
mod products;
mod random;
mod reductions;
mod reference;
mod sorting;
mod transform;
