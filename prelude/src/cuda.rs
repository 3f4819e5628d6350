//! The driver layer: what the backend needs of CUDA, as safe handles where that is possible. The only place that names
//! `cudarc`.
//!
//! Each file is a noun: [`library`] finds shared libraries, [`nvrtc`] binds the compiler, [`nvml`] the
//! monitor, [`cufft`] plans Fourier transforms, [`status`] turns status codes
//! into errors, [`context`] holds a device with its context and its one stream, [`pool`] and [`memory`] its memory,
//! [`staging`] the transfers, [`compile`] and [`cache`] turn CUDA C into machine code, [`module`], [`launch`] and
//! [`event`] are what their names say. Nothing here knows arrays or operations.
//!
//! Invariants:
//! 1. No function of `cudarc` is called before [`library::driver`] has answered: a missing library panics inside it.
//! 2. A [`context::Device`] has one stream, on which all its work is queued. Memory that is given back to the pool may
//!    be handed out again at once: work on its new contents is queued behind all work on the old ones.
//! 3. Every handle owns an `Arc` of its device, so the context outlives it.
//! 4. `Drop` never panics: an error is kept in the device, and the next `synchronize` reports it.

pub(crate) mod cache;
pub(crate) mod compile;
pub(crate) mod context;
pub(crate) mod cufft;
pub(crate) mod event;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod nvml;
pub(crate) mod nvrtc;
pub(crate) mod pool;
pub(crate) mod staging;
pub(crate) mod status;
