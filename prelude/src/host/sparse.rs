//! Factors of sparse matrices, which the host computes for all devices.

pub(crate) use crate::backend::cpu::sparse::Factors;
