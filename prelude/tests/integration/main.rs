//! Tests through the public interface, on the device that `WARPCELL_DEVICE` names.

mod convolution;
mod errors;
mod fixtures;
mod lesson;
mod map;
mod parity;
mod printing;
mod random;
mod semantics;
