//! The ceilings of a device, measured: how many bytes a second its memory gives, and how many operations a second it computes.

#![expect(clippy::needless_range_loop, reason = "device code has no iterators over arrays")]

use crate::array::RawArray;
use crate::device::{Device, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::Result;
use crate::launch::{LaunchArgument, Work, launch_untyped};
use crate::raw_kernels::RawArgument;
use crate::timing::ceiling::copy_bandwidth;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use warpcell_macros::kernel;
use warpcell_threads::{ViewMut, global_idx};

/// What a device can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ceilings {
    /// Bytes a second that a copy reads and writes, of arrays that are larger than the cache; none if there was no room for them.
    pub bandwidth: Option<f64>,
    /// Operations a second, of `f32`, `f64` and `i32`.
    pub single: f64,
    pub double: f64,
    pub integer: f64,
}

/// A thread makes a multiply-add in each of eight variables, which do not wait for one another, so many times.
const PASSES: usize = 2048;
const ROWS: usize = 8;
/// The threads of a block, and blocks for each multiprocessor: all of them are full for some rounds.
const BLOCK: usize = 256;
const BLOCKS: usize = 32;

macro_rules! multiply_adds_of_floats {
    ($($name:ident $float:ident)*) => {$(
        #[kernel]
        fn $name(by: $float, mut out: ViewMut<$float>) {
            let i = global_idx().x;
            let mut rows = [i as $float; ROWS];
            for _ in 0..PASSES {
                for row in 0..ROWS {
                    rows[row] = rows[row].mul_add(by, by);
                }
            }
            let mut sum = 0.0;
            for row in 0..ROWS {
                sum += rows[row];
            }
            out[i] = sum;
        }
    )*};
}
multiply_adds_of_floats!(multiply_add_single f32 multiply_add_double f64);

#[kernel]
fn multiply_add_integer(by: i32, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    let mut rows = [i as i32; ROWS];
    for _ in 0..PASSES {
        for row in 0..ROWS {
            rows[row] = rows[row].wrapping_mul(by).wrapping_add(by);
        }
    }
    let mut sum = 0i32;
    for row in 0..ROWS {
        sum = sum.wrapping_add(rows[row]);
    }
    out[i] = sum;
}

/// The ceilings of a device. They are measured once.
pub(super) fn ceilings(operation: &'static str, handle: &Handle) -> Result<Ceilings> {
    static KNOWN: Mutex<Option<HashMap<Device, Ceilings>>> = Mutex::new(None);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known().as_ref().and_then(|known| known.get(&handle.device).copied()) {
        return Ok(found);
    }
    let blocks = handle.backend.launch_limits()?.multiprocessors.max(1) * BLOCKS;
    let work = Work { grid: blocks, block: BLOCK };
    let peak = |by: Scalar, dtype: DType| -> Result<f64> {
        let out = RawArray::uninitialised(operation, handle, &[blocks * BLOCK], dtype)?;
        let arguments = [
            LaunchArgument::Plain(RawArgument::Scalar { value: by, type_name: dtype.name() }),
            LaunchArgument::Plain(RawArgument::Array { array: &out, writes: true }),
        ];
        // SAFETY: there is an element for each thread.
        let run = || unsafe {
            match dtype {
                DType::F32 => launch_untyped(operation, multiply_add_single, work, &arguments),
                DType::F64 => launch_untyped(operation, multiply_add_double, work, &arguments),
                _ => launch_untyped(operation, multiply_add_integer, work, &arguments),
            }
        };
        let backend = &handle.backend;
        let mut best = f64::INFINITY;
        // The first compiles the kernel.
        for round in 0..4 {
            backend.synchronize()?;
            let start = backend.record()?;
            run()?;
            let end = backend.record()?;
            let seconds = backend.elapsed(&*start, &*end)?;
            if round > 0 {
                best = best.min(seconds);
            }
        }
        Ok((2 * ROWS * PASSES * BLOCK * blocks) as f64 / best)
    };
    let found = Ceilings {
        bandwidth: copy_bandwidth(handle)?,
        single: peak(0.5f32.to_scalar(), DType::F32)?,
        double: peak(0.5f64.to_scalar(), DType::F64)?,
        integer: peak(3i32.to_scalar(), DType::I32)?,
    };
    known().get_or_insert_default().insert(handle.device, found);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::cuda_source;

    #[test]
    fn the_peaks_are_measured_by_eight_rows_of_multiply_adds() {
        assert_eq!((PASSES, ROWS), (2048, 8));
        for (text, operation) in [
            (cuda_source(multiply_add_single), "fmaf"),
            (cuda_source(multiply_add_double), "fma"),
            (cuda_source(multiply_add_integer), "2048"),
        ] {
            assert!(text.contains(operation) && text.contains("2048"), "{text}");
        }
    }
}
