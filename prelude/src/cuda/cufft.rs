//! Plans of cuFFT, NVIDIA's library of Fourier transforms.

use super::context::Device;
use super::library;
use super::memory::DeviceMemory;
use crate::error::{Error, Result};
use cudarc::cufft::sys::{self, cufftResult, cufftType};
use std::sync::Arc;

/// Which numbers a transform takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    RealToComplex,
    ComplexToReal,
    Complex,
}

/// A number of transforms of the same lengths.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub kind: Kind,
    /// Whether the numbers are f64, else f32.
    pub is_double: bool,
    /// One to three, row-major.
    pub lengths: Vec<usize>,
    pub count: usize,
    /// How many real or complex numbers apart the inputs of neighbouring transforms are, and their outputs.
    pub distances: [usize; 2],
    /// How many numbers apart neighbours along the last axis are; other than 1 with one length only.
    pub stride: usize,
}

/// A plan; it may be used by one thread at a time.
pub(crate) struct Plan {
    device: Arc<Device>,
    handle: sys::cufftHandle,
    shape: Shape,
    /// Bytes of memory that a transform needs beside its arrays.
    workspace: usize,
}

/// Whether transforms can be computed; if not, what is missing. Never panics.
pub(crate) fn present(driver_major: i32) -> Result<()> {
    let library = "libcufft.so".to_string();
    library::fft(driver_major).map_err(|reason| Error::LibraryMissing { library, reason })
}

fn check(status: cufftResult, operation: &'static str) -> Result<()> {
    if status == cufftResult::CUFFT_SUCCESS {
        return Ok(());
    }
    Err(Error::Cuda { operation: operation.to_string(), status: format!("{status:?}") })
}

impl Plan {
    pub fn new(device: &Arc<Device>, shape: Shape) -> Result<Plan> {
        present(device.target().driver_major)?;
        device.bind()?;
        let mut handle = 0;
        // SAFETY: the library is present; `handle` is a handle to write to.
        check(unsafe { sys::cufftCreate(&raw mut handle) }, "cufftCreate")?;
        // From here on the plan is destroyed when dropped.
        let mut plan = Plan { device: device.clone(), handle, shape, workspace: 0 };
        let shape = &plan.shape;
        let real: Vec<i64> = shape.lengths.iter().map(|&length| length as i64).collect();
        let mut half = real.clone();
        if let Some(last) = half.last_mut() {
            *last = *last / 2 + 1;
        }
        let (mut lengths, mut inputs, mut outputs) = match shape.kind {
            Kind::RealToComplex => (real.clone(), real, half),
            Kind::ComplexToReal => (real.clone(), half, real),
            Kind::Complex => (real.clone(), real.clone(), real),
        };
        let [input_distance, output_distance] = shape.distances.map(|distance| distance as i64);
        let kind = match (shape.kind, shape.is_double) {
            (Kind::RealToComplex, false) => cufftType::CUFFT_R2C,
            (Kind::RealToComplex, true) => cufftType::CUFFT_D2Z,
            (Kind::ComplexToReal, false) => cufftType::CUFFT_C2R,
            (Kind::ComplexToReal, true) => cufftType::CUFFT_Z2D,
            (Kind::Complex, false) => cufftType::CUFFT_C2C,
            (Kind::Complex, true) => cufftType::CUFFT_Z2Z,
        };
        let (rank, count, stride) = (lengths.len() as i32, shape.count as i64, shape.stride as i64);
        let mut workspace = 0;
        // SAFETY: the handle was just created; the three lists have `rank` numbers; `workspace` is a size to write to.
        // Memory for the work is given at each transform, from the device's pool.
        unsafe {
            check(sys::cufftSetAutoAllocation(handle, 0), "cufftSetAutoAllocation")?;
            let status = sys::cufftMakePlanMany64(
                handle,
                rank,
                lengths.as_mut_ptr(),
                inputs.as_mut_ptr(),
                stride,
                input_distance,
                outputs.as_mut_ptr(),
                stride,
                output_distance,
                kind,
                count,
                &raw mut workspace,
            );
            check(status, "cufftMakePlanMany64")?;
        }
        plan.workspace = workspace;
        Ok(plan)
    }

    /// Queues the transforms: from one address to another, or in place for complex numbers. `is_inverse` counts for those only.
    ///
    /// # Safety
    /// Both addresses lead to as many numbers as the plan's shape says, in live blocks of the device, aligned to complex
    /// numbers. A transform to real numbers may overwrite its input.
    pub unsafe fn run(&mut self, input: u64, output: u64, is_inverse: bool) -> Result<()> {
        if crate::cell::interrupted() {
            return Err(Error::Interrupted);
        }
        // It goes back to the pool when this returns, and whatever gets it then is queued behind this.
        let work = DeviceMemory::new(&self.device, self.workspace)?;
        self.device.bind()?;
        let direction = if is_inverse { 1 } else { -1 };
        // SAFETY: the plan is alive and used by this thread alone; the stream lives as long as the device; the addresses are the
        // caller's promise. Each call has its own memory for work, so one plan may be at work in several streams.
        unsafe {
            check(sys::cufftSetStream(self.handle, self.device.stream().cast()), "cufftSetStream")?;
            check(sys::cufftSetWorkArea(self.handle, work.address() as *mut _), "cufftSetWorkArea")?;
            let status = match (self.shape.kind, self.shape.is_double) {
                (Kind::RealToComplex, false) => sys::cufftExecR2C(self.handle, input as *mut _, output as *mut _),
                (Kind::RealToComplex, true) => sys::cufftExecD2Z(self.handle, input as *mut _, output as *mut _),
                (Kind::ComplexToReal, false) => sys::cufftExecC2R(self.handle, input as *mut _, output as *mut _),
                (Kind::ComplexToReal, true) => sys::cufftExecZ2D(self.handle, input as *mut _, output as *mut _),
                (Kind::Complex, false) => sys::cufftExecC2C(self.handle, input as *mut _, output as *mut _, direction),
                (Kind::Complex, true) => sys::cufftExecZ2Z(self.handle, input as *mut _, output as *mut _, direction),
            };
            check(status, "a Fourier transform")
        }
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: created by `new`, not used after this.
            let result = check(unsafe { sys::cufftDestroy(self.handle) }, "cufftDestroy");
            self.device.defer(result);
        }
    }
}
