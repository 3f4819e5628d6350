//! Tests through the public interface, on the device that `WARPCELL_DEVICE` names.

mod complex;
mod convolution;
mod dtypes;
mod errors;
mod fixtures;
mod fourier;
mod functions;
mod indexing;
mod lesson;
mod map;
mod names;
mod parity;
mod printing;
mod random;
mod semantics;
mod sorting;
