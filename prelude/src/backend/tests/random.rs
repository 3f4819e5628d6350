//! Random numbers, against the definitions.

use super::check::{Check, UNTOUCHED};
use super::reference::{float, from_bytes};
use crate::backend::{Allocation, Backend, Distribution, Layout, View};
use crate::dtype::{DType, Scalar};
use crate::philox::Blocks;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Places wrap in the midst of the larger arrays.
const BLOCKS: Blocks = Blocks { key: 0x0123_4567_89ab_cdef, stream: 0x00fe_dcba_9876_5432, first: u64::MAX - 700 };

fn uploaded(backend: &Arc<dyn Backend>, bytes: &[u8]) -> Arc<dyn Allocation> {
    let allocation = backend.allocate(bytes.len()).unwrap();
    backend.upload(bytes, &allocation).unwrap();
    allocation
}

/// The numbers, `offset` elements behind the beginning of an allocation.
fn drawn(
    backend: &Arc<dyn Backend>,
    blocks: Blocks,
    distribution: Distribution,
    dtype: DType,
    size: usize,
    offset: usize,
) -> Vec<Scalar> {
    let element = dtype.size();
    let allocation = uploaded(backend, &vec![UNTOUCHED; (size + 2 * offset) * element]);
    let layout = Layout { offset, ..Layout::contiguous(&[size]) };
    backend.random(blocks, distribution, View { allocation: &allocation, layout: &layout, dtype }).unwrap();
    let mut bytes = vec![0; (size + 2 * offset) * element];
    backend.download(&allocation, 0, &mut bytes).unwrap();
    let (before, rest) = bytes.split_at(offset * element);
    let (numbers, after) = rest.split_at(size * element);
    assert!(before.iter().chain(after).all(|&byte| byte == UNTOUCHED), "{distribution:?}: written outside");
    numbers.chunks_exact(element).map(|bytes| from_bytes(dtype, bytes)).collect()
}

/// The 32-bit word of an index.
fn half(index: usize) -> u32 {
    (BLOCKS.word(index as u64 / 2) >> (index % 2 * 32)) as u32
}

#[test]
fn cpu_check_random() {
    every_distribution(&Check::on_cpu());
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_random() {
    every_distribution(&Check::on_first_device());
}

fn every_distribution(check: &Check) {
    let backend = &check.backend;
    for (size, offset) in [(1, 0), (2, 1), (3, 3), (2047, 0), (4096, 1), (4097, 2), (100_003, 0)] {
        if check.takes(size) {
            floats(backend, size, offset);
            integers(backend, size, offset);
        }
    }
    let uniform = Distribution::Uniform { low: Scalar::F64(0.0), span: Scalar::F64(1.0), last: Scalar::F64(1.0) };
    let whole = drawn(backend, BLOCKS, uniform, DType::F64, 10_000, 0);
    let later = Blocks { first: BLOCKS.first.wrapping_add(1000), ..BLOCKS };
    assert_eq!(drawn(backend, later, uniform, DType::F64, 8000, 0), whole[2000..], "a part of the whole");
}

fn floats(backend: &Arc<dyn Backend>, size: usize, offset: usize) {
    for dtype in [DType::F32, DType::F64] {
        let is_short = dtype == DType::F32;
        let of = |value: f64| if is_short { Scalar::F32(value as f32) } else { Scalar::F64(value) };
        let uniform = Distribution::Uniform { low: of(-1.5), span: of(4.0), last: of(2.0) };
        for (index, found) in drawn(backend, BLOCKS, uniform, dtype, size, offset).into_iter().enumerate() {
            let expected = if is_short {
                let unit = (half(index) >> 8) as f32 / (1u32 << 24) as f32;
                Scalar::F32((-1.5 + 4.0 * unit).min(2.0))
            } else {
                let unit = (BLOCKS.word(index as u64) >> 11) as f64 / (1u64 << 53) as f64;
                Scalar::F64((-1.5 + 4.0 * unit).min(2.0))
            };
            assert_eq!(found, expected, "uniform {dtype}, element {index} of {size}");
        }
        // The largest rounding is that of the angle to f32.
        let tolerance = if is_short { 1e-6 } else { 2e-15 };
        let minus_log = |index: usize| {
            if is_short {
                -((f64::from(half(index)) + 1.0) / (1u64 << 32) as f64).ln()
            } else {
                -(-((BLOCKS.word(index as u64) >> 12) as f64 / (1u64 << 52) as f64)).ln_1p()
            }
        };
        let exponential = Distribution::Exponential { scale: of(3.0) };
        for (index, found) in drawn(backend, BLOCKS, exponential, dtype, size, offset).into_iter().enumerate() {
            let (found, expected) = (float(found), 3.0 * minus_log(index));
            assert!((found - expected).abs() <= tolerance * expected, "exponential {dtype}: {found}, not {expected}");
        }
        let normal = Distribution::Normal { mean: of(10.0), deviation: of(0.5) };
        for (index, found) in drawn(backend, BLOCKS, normal, dtype, size, offset).into_iter().enumerate() {
            let (first, second) = (index / 2 * 2, index / 2 * 2 + 1);
            let turns = if is_short {
                f64::from(half(second)) / (1u64 << 32) as f64
            } else {
                BLOCKS.word(second as u64) as f64 / 2f64.powi(64)
            };
            let radius = (2.0 * minus_log(first)).sqrt();
            let expected = 10.0 + 0.5 * radius * if index % 2 == 0 { (turns * TAU).cos() } else { (turns * TAU).sin() };
            let found = float(found);
            assert!((found - expected).abs() <= tolerance * 10.0, "normal {dtype}, {index}: {found}, not {expected}");
        }
    }
}

fn integers(backend: &Arc<dyn Backend>, size: usize, offset: usize) {
    let of = |low, count| Distribution::Integers { low, count };
    for (low, count) in [
        (Scalar::U8(250), 6),
        (Scalar::U8(0), 256),
        (Scalar::I32(-3), 7),
        (Scalar::I32(i32::MIN), 1 << 32),
        (Scalar::U32(5), 1),
        (Scalar::I64(i64::MIN), (1 << 63) + 1),
        (Scalar::I64(-10), 1_000_000_000_007),
        (Scalar::U64(0), 0),
    ] {
        let dtype = low.dtype();
        for (index, found) in drawn(backend, BLOCKS, of(low, count), dtype, size, offset).into_iter().enumerate() {
            let number = BLOCKS.below(BLOCKS.word(index as u64), index as u64, count);
            let expected = match low {
                Scalar::U8(low) => Scalar::U8(low.wrapping_add(number as u8)),
                Scalar::I32(low) => Scalar::I32(low.wrapping_add(number as i32)),
                Scalar::U32(low) => Scalar::U32(low.wrapping_add(number as u32)),
                Scalar::I64(low) => Scalar::I64(low.wrapping_add(number as i64)),
                Scalar::U64(low) => Scalar::U64(low.wrapping_add(number)),
                _ => unreachable!(),
            };
            assert_eq!(found, expected, "{count} integers from {low} on, element {index} of {size}");
        }
    }
}
