//! What is said after a kernel has faulted on the device. CUDA refuses all work of such a process, so it is one of its own.

use crate::backend::cuda::driver::launch::{arguments, launch};
use crate::backend::cuda::driver::module::Module;
use crate::backend::cuda::driver::recorded::Request;
use crate::backend::cuda::{CudaBackend, probe};
use crate::backend::{Backend, BinaryOperation, Layout, Operand, Operation, View};
use crate::dtype::DType;
use crate::error::{Error, Result};
use std::process::Command;

/// Writes to an address that no program has.
const SOURCE: &str = "extern \"C\" __global__ void fault(int* at) { *at = 1; }";

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_fault() {
    probe().unwrap_or_else(|reason| panic!("no CUDA device: {reason}"));
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "backend::tests::cuda::fault::faults_in_its_own_process"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    println!("{said}{}", String::from_utf8_lossy(&child.stderr));
    assert!(child.status.success() && said.contains("1 passed"), "{}", child.status);
}

#[test]
#[ignore = "loses the process's CUDA context: gpu_check_fault runs it in a process of its own"]
fn faults_in_its_own_process() {
    let gpu = CudaBackend::new(0).unwrap();
    let request = Request { name: "fault.cu", source: SOURCE, options: &[], functions: None };
    let module = Module::compile(&gpu.device, &request, String::new()).unwrap();
    let function = module.function(c"fault").unwrap();
    let allocation = gpu.allocate(1 << 20).unwrap();
    gpu.synchronize().unwrap();
    let address = 0u64;
    let mut arguments = arguments![address];
    // SAFETY: the module is alive and the argument is of the kernel's type. It breaks the promise that the address is that of a
    // block, which is what is tried here: the device notices, and nobody uses its memory any more.
    unsafe { launch(&gpu.device, function, (1, 1), 1, &mut arguments) }.unwrap();

    let lost = |result: Result<()>, what: &str| match result {
        Err(error @ Error::ContextLost { .. }) => println!("{what}: {error}"),
        other => panic!("{what}: {other:?}"),
    };
    lost(gpu.synchronize(), "waiting");
    let layout = Layout::contiguous(&[1 << 18]);
    let x = View { allocation: &allocation, layout: &layout, dtype: DType::F32 };
    let sum = Operation::Binary { function: BinaryOperation::Add, a: Operand::Array(x), b: Operand::Array(x), out: x };
    lost(gpu.execute(sum), "an operation");
    lost(gpu.upload(&[0; 64], &allocation), "an upload");
    lost(gpu.download(&allocation, 0, &mut [0; 64]), "a download");
    lost(gpu.allocate(1 << 30).map(drop), "an allocation");
    // Neither may end the process.
    drop(allocation);
    drop(module);
}
