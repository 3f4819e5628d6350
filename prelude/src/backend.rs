//! The backends, and their tests: what a backend must do, from `prelude/base`, and the two that there are.

pub(crate) use warpcell_base::backend::*;
pub(crate) use warpcell_cpu as cpu;
pub(crate) use warpcell_cuda as cuda;

#[cfg(test)]
mod tests;
