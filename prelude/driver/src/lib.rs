//! The driver layer: what the backend needs of CUDA, as safe handles where that is possible. The only place that names
//! `cudarc`.
//!
//! Each file is a noun: [`library`] finds shared libraries, [`nvrtc`] binds the compiler, [`nvml`] the
//! monitor, [`cupti`] the profiler (whose names [`demangle`] makes readable; [`profile`] does without it where it must),
//! [`attribute`] knows what measurements ask of a device, [`cufft`] plans Fourier transforms, [`cublas`] multiplies matrices,
//! [`cusolver`] factorises them, [`nccl`] moves and reduces elements among devices, [`status`] turns status codes into errors, [`context`] holds a device with its context,
//! [`queue`] its streams, [`failures`] what the user's functions say of themselves, [`checks`] what
//! kernels say of the indices and matrices that they are given, [`pool`], [`memory`] and [`usage`] its memory, [`staging`] the transfers, [`pinned`] host memory for them, [`mapped`] host memory that kernels write to, [`interop`] what shares
//! memory with others, [`graph`] work that is captured, [`background`] what is done beside the user's work, [`compile`] and
//! [`cache`] turn CUDA C into machine code, [`recorded`] keeps the text of programs and [`embedded`] their machine code for programs without NVRTC, [`oldest`] lets tests take a device for an old one, [`text`] programs of the user; [`module`], [`launch`] and [`event`] are what their
//! names say. Nothing here knows arrays or operations.
//!
//! Invariants:
//! 1. No function of `cudarc` is called before [`library::driver`] has answered, none of cuBLAS
//!    before [`library::blas`] has, none of cuSOLVER before [`library::solver`] has: a missing library panics inside
//!    it.
//! 2. Work goes to the thread's own queue of the device, [`context::Device::queue_number`]; whoever hands a stream to a library
//!    does so at each call. Memory that is given back to the pool may be handed out again at once, for work in the same queue:
//!    that is queued behind all work on its old contents. Before queued work uses memory that is not made for it, it is ordered
//!    behind what other queues do to that ([`memory::DeviceMemory::order`]).
//! 3. Every handle owns an `Arc` of its device, so the context outlives it.
//! 4. `Drop` never panics: an error is kept in the device, and the next `synchronize` reports it.

// Users never see this crate: names that say enough need no documentation.
#![allow(missing_docs, rustdoc::private_intra_doc_links)]

pub mod attribute;
pub mod background;
pub mod cache;
pub mod checks;
pub mod compile;
pub mod context;
pub mod cublas;
pub mod cufft;
mod cupti;
pub mod cusolver;
mod demangle;
pub mod embedded;
pub mod event;
pub mod failures;
pub mod graph;
pub mod interop;
pub mod launch;
pub mod library;
mod mapped;
pub mod memory;
pub mod module;
pub mod nccl;
pub mod nvml;
pub mod nvrtc;
mod oldest;
pub mod pinned;
pub mod pool;
pub mod profile;
pub mod queue;
pub mod recorded;
pub mod staging;
pub mod status;
pub mod text;
mod usage;
