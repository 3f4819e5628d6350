//! The host's memory, as arrays and files use it. The code is that of the CPU backend, which nothing outside of `host` names but
//! what chooses a device.

pub(crate) use crate::backend::cpu::copy::packed;
pub(crate) use crate::backend::cpu::free_memory;
pub(crate) use crate::backend::cpu::memory::{prefer_large_pages, room_for, vector_of};
