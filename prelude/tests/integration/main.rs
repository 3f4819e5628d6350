//! Tests through the public interface, on the device that `WARPCELL_DEVICE` names.

mod complex;
mod convolution;
mod devices;
mod dtypes;
mod errors;
mod factorisations;
mod files;
mod fixtures;
mod fourier;
mod functions;
mod fuse;
mod generated;
mod indexing;
mod interop;
mod kernels;
mod lesson;
mod map;
mod names;
mod parity;
mod printing;
mod products;
mod random;
mod semantics;
mod sorting;
mod text;
mod translated;
