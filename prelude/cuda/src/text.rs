//! Programs of the user's CUDA C text on CUDA.

use super::{address_of, source_of};
use std::ffi::c_void;
use std::sync::Arc;
use warpcell_base::backend::recording;
use warpcell_base::backend::text::{FunctionAttributes, LaunchSize, Limits, Passed, Text, TextProgram};
use warpcell_base::error::Result;
use warpcell_driver::context::Device;
use warpcell_driver::recorded::Request;
use warpcell_driver::text::TextModule;

/// Compiles and loads a program.
pub(super) fn compile(device: &Arc<Device>, text: &Text<'_>) -> Result<Arc<dyn TextProgram>> {
    let &Text { name, source, options, kernels } = text;
    let request = Request { name, source, options, functions: Some(kernels) };
    Ok(Arc::new(CudaText(TextModule::load(device, &request)?)))
}

struct CudaText(TextModule);

impl TextProgram for CudaText {
    fn launch(&self, kernel: usize, size: LaunchSize, arguments: &[Passed<'_>]) -> Result<()> {
        // What it does to elements is not known.
        recording::spoil();
        self.0.device().learn_checks()?;
        // The values of addresses and scalars; all of them are there before pointers to them are taken.
        let mut values: Vec<u128> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(match *argument {
                Passed::Address(view, true) => address_of(view)?.into(),
                Passed::Address(view, false) => source_of(view)?.into(),
                Passed::Scalar(value) => value.bits(),
                Passed::Words(_) => 0,
            });
        }
        let place = |(argument, value): (&Passed<'_>, &u128)| match argument {
            Passed::Words(words) => words.as_ptr().cast_mut().cast::<c_void>(),
            _ => std::ptr::from_ref(value).cast_mut().cast::<c_void>(),
        };
        let mut places: Vec<*mut c_void> = arguments.iter().zip(&values).map(place).collect();
        // SAFETY: whoever compiled the program gives values that are as many as the parameters and at least as large; `values`
        // and the words live until this returns; views lie in live allocations, and `address_of` and `source_of` have ordered
        // the work; the module is in `self`.
        unsafe { self.0.launch(kernel, size, &mut places) }
    }

    fn attributes(&self, kernel: usize) -> Result<FunctionAttributes> {
        self.0.attributes(kernel)
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn resident_blocks(&self, kernel: usize, threads: usize, shared: usize) -> Result<usize> {
        self.0.resident_blocks(kernel, threads, shared)
    }

    fn parameter_sizes(&self, kernel: usize) -> Result<Option<Vec<usize>>> {
        self.0.parameter_sizes(kernel)
    }

    fn global(&self, name: &str) -> Result<Option<(usize, usize)>> {
        Ok(self.0.global(name)?.map(|(address, bytes)| (address as usize, bytes)))
    }
}
