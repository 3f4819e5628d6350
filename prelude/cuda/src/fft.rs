//! Fourier transforms on CUDA by cuFFT; the product of spectra is in `kernels/spectra.cu`.

use super::{Compiled, Program, address_of, blocks, kernels, source_of};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use warpcell_base::backend::View;
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::context::Device;
use warpcell_driver::cufft::{self, Kind, Plan, Shape};
use warpcell_driver::launch::{arguments, launch};

const SOURCE: &str = include_str!("../kernels/spectra.cu");
const THREADS: usize = 256;
/// More plans than this are not kept: each holds some memory of the device.
const MOST_PLANS: usize = 64;
/// Axes of one transform of cuFFT.
const MOST_AXES: usize = 3;

pub(super) struct Fft {
    device: Arc<Device>,
    plans: Mutex<HashMap<Shape, Plan>>,
    /// For f32 and f64.
    multiply: [Compiled<Spectra>; 2],
}

kernels! {
    struct Spectra {
        multiply = c"multiply",
    }
}

/// An array of real numbers and its spectrum: the first axis counts, the others are transformed.
struct Pair<'a> {
    lengths: &'a [usize],
    count: usize,
    is_double: bool,
    /// Bytes of a real number.
    size: u64,
}

impl<'a> Pair<'a> {
    fn new(real: View<'a>) -> Pair<'a> {
        let (count, lengths) = (real.layout.shape[0], &real.layout.shape[1..]);
        Pair { lengths, count, is_double: real.dtype == DType::F64, size: real.dtype.size() as u64 }
    }

    /// The axes that are transformed apart, and those that are transformed together.
    fn axes(&self) -> (&'a [usize], &'a [usize]) {
        self.lengths.split_at(self.lengths.len().saturating_sub(MOST_AXES))
    }
}

/// The number of elements of these lengths, and of their spectrum.
fn sizes(lengths: &[usize]) -> (usize, usize) {
    let lines: usize = lengths[..lengths.len() - 1].iter().product();
    let last = lengths[lengths.len() - 1];
    (lines * last, lines * (last / 2 + 1))
}

impl Fft {
    pub fn new(device: &Arc<Device>) -> Fft {
        Fft { device: device.clone(), plans: Mutex::default(), multiply: Default::default() }
    }

    pub fn present(&self) -> Result<()> {
        cufft::present(self.device.target().driver_major)
    }

    pub fn forward(&self, x: View<'_>, spectrum: View<'_>) -> Result<()> {
        let pair = Pair::new(x);
        let (outer, inner) = pair.axes();
        let ((real, complex), apart) = (sizes(inner), outer.iter().product::<usize>());
        let (from, to) = (source_of(x)?, address_of(spectrum)?);
        let distance = x.layout.strides[0].unsigned_abs();
        let shape = |count, distance| Shape {
            kind: Kind::RealToComplex,
            is_double: pair.is_double,
            lengths: inner.to_vec(),
            count,
            distances: [distance, complex],
            stride: 1,
        };
        if outer.is_empty() {
            self.run(shape(pair.count, if pair.count == 1 { real } else { distance }), from, to, false)?;
        } else {
            for index in 0..pair.count as u64 {
                let from = from + index * distance as u64 * pair.size;
                let to = to + index * (apart * complex) as u64 * 2 * pair.size;
                self.run(shape(apart, real), from, to, false)?;
            }
        }
        self.outer_axes(&pair, to, false)
    }

    pub fn backward(&self, spectrum: View<'_>, x: View<'_>) -> Result<()> {
        let pair = Pair::new(x);
        let (outer, inner) = pair.axes();
        let (from, to) = (address_of(spectrum)?, address_of(x)?);
        self.outer_axes(&pair, from, true)?;
        let (real, complex) = sizes(inner);
        let shape = Shape {
            kind: Kind::ComplexToReal,
            is_double: pair.is_double,
            lengths: inner.to_vec(),
            count: pair.count * outer.iter().product::<usize>(),
            distances: [complex, real],
            stride: 1,
        };
        self.run(shape, from, to, false)
    }

    /// Transforms the axes that are too many for one transform, in place.
    fn outer_axes(&self, pair: &Pair<'_>, spectrum: u64, is_inverse: bool) -> Result<()> {
        let (outer, inner) = pair.axes();
        let complex = sizes(inner).1;
        for (axis, &length) in outer.iter().enumerate().rev() {
            let behind = outer[axis + 1..].iter().product::<usize>() * complex;
            let shape = Shape {
                kind: Kind::Complex,
                is_double: pair.is_double,
                lengths: vec![length],
                count: behind,
                distances: [1, 1],
                stride: behind,
            };
            for index in 0..(pair.count * outer[..axis].iter().product::<usize>()) as u64 {
                let address = spectrum + index * (length * behind) as u64 * 2 * pair.size;
                self.run(shape.clone(), address, address, is_inverse)?;
            }
        }
        Ok(())
    }

    /// Runs a plan, made at the first use; the addresses are those of views as the backend's contract says.
    pub fn run(&self, shape: Shape, from: u64, to: u64, is_inverse: bool) -> Result<()> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if !plans.contains_key(&shape) {
            if plans.len() >= MOST_PLANS {
                plans.clear();
            }
            let plan = Plan::new(&self.device, shape.clone())?;
            plans.insert(shape.clone(), plan);
        }
        let Some(plan) = plans.get_mut(&shape) else { unreachable!("was just inserted") };
        // SAFETY: the views are as the backend's contract says, and lie in live allocations.
        unsafe { plan.run(from, to, is_inverse) }
    }

    pub fn multiply(&self, a: View<'_>, b: View<'_>, scale: f64) -> Result<()> {
        let kernels = self.multiply[usize::from(a.dtype == DType::F64)].get(&self.device, || program(a.dtype))?;
        let (size, others) = ((a.layout.size() / 2) as i64, (b.layout.size() / 2) as i64);
        let (address, other) = (address_of(a)?, source_of(b)?);
        let grid = blocks("multiply_spectra", size as usize, THREADS)?;
        let mut arguments = arguments![address, other, size, others, scale];
        // SAFETY: the module is in `self`; the arguments are those of `multiply`; the views are contiguous and lie in live
        // allocations, as pairs of floats from the start of each.
        unsafe { launch(&self.device, kernels.multiply, (grid, 1), THREADS as u32, &mut arguments) }
    }
}

fn program(dtype: DType) -> Program {
    Program::new("spectra.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}

#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    [DType::F32, DType::F64].map(program).to_vec()
}
