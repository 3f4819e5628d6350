//! The same kernels by two ways: compiled by Rust and run by `warpcell-threads`, and translated to CUDA C and run on the host
//! in one thread of the operating system for each thread of a block. Both write the same bits, and fail at the same places.
//!
//! With `WARPCELL_NVRTC` set to CUDA's compiler library all translations are compiled by it too, for which no GPU is needed. With
//! `WARPCELL_GRIDS` set to a folder the programs are left there for devices: `checked.cu` and `unchecked.cu`, to be compiled by
//! `nvcc -fmad=false`, read the file `.inputs` that is named to them, and write for each case a record of failures and the
//! arrays, as `.expected` has them.

mod grids {
    pub mod cases;
    pub mod faults;
    pub mod kernels;
    pub mod programs;
}
mod program;

use grids::cases::{self, Outcome};
use grids::programs;

#[test]
fn kernels_are_those_of_rust() {
    let cases = cases::all();
    assert!(cases.len() >= 50, "there are {} cases", cases.len());
    let differences = programs::differences(&cases);
    assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), cases.len(), differences.join("\n"));
    assert!(cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed { .. })).count() >= 8);
}

/// All translations are compiled as CUDA C by CUDA's own compiler, if that is at hand.
#[test]
fn kernels_are_cuda_c() {
    let Some(library) = std::env::var_os("WARPCELL_NVRTC") else { return };
    programs::compile_as_cuda(&cases::all(), &library);
}
