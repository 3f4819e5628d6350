//! What only CUDA has: streams, memory, kernels of the user and how they fail.

use crate::backend::cuda::driver::nvrtc::{Form, Nvrtc};
use crate::error::Result;
use std::path::PathBuf;

mod along;
mod check;
mod checks;
mod differential;
mod failures;
mod fault;
mod foreign;
mod functions;
mod kernels;
mod map;
mod map_programs;
mod measurement;
mod raw_kernels;
mod streams;
mod timing;

/// The compiler that the environment names.
fn nvrtc() -> Nvrtc {
    let path = std::env::var_os("WARPCELL_NVRTC").expect("set WARPCELL_NVRTC to the path of libnvrtc.so.13 or .12");
    Nvrtc::open(&PathBuf::from(path)).unwrap()
}

/// The machine code of a program for the oldest architecture. It is also compiled to PTX for one of the later ones, `number` says which:
/// no program compares its architecture, and what the oldest one can do the others can.
fn compiled(nvrtc: &Nvrtc, number: usize, name: &str, source: &str) -> Result<Vec<u8>> {
    let later: Vec<i32> = [80, 90, 100, 120].into_iter().filter(|later| nvrtc.architectures.contains(later)).collect();
    let for_one = |architecture: String, form, more: &[String]| {
        let options = [format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned()];
        nvrtc.compile(name, source, &[&options, more].concat(), form)
    };
    assert!(!source.contains("__CUDA_ARCH__ "), "{name} compares its architecture");
    for_one(format!("compute_{}", later[number % later.len()]), Form::Ptx, nvrtc.minimal().as_slice())?;
    for_one("sm_75".to_owned(), Form::Cubin, &[])
}
