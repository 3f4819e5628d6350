//! All element types: conversions between them, and what arrays of the types for storage can do.

use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{DType, Pad, Real, bf16, f16};

/// Elements as bit patterns, as which fixtures have them.
trait Bits: Real {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn is_nan(self) -> bool;
}

macro_rules! bits {
    ($($type:ident: $of:expr, $bits:expr, $is_nan:expr;)*) => {$(
        impl Bits for $type {
            fn of(bits: u64) -> Self {
                $of(bits)
            }
            fn bits(self) -> u64 {
                $bits(self)
            }
            fn is_nan(self) -> bool {
                $is_nan(self)
            }
        }
    )*};
}
bits! {
    bool: |bits| bits == 1, u64::from, |_| false;
    u8: |bits| bits as u8, u64::from, |_| false;
    i8: |bits| bits as u8 as i8, |value| u64::from(value as u8), |_| false;
    u16: |bits| bits as u16, u64::from, |_| false;
    i16: |bits| bits as u16 as i16, |value| u64::from(value as u16), |_| false;
    i32: |bits| bits as u32 as i32, |value| u64::from(value as u32), |_| false;
    u32: |bits| bits as u32, u64::from, |_| false;
    i64: |bits| bits as i64, |value| value as u64, |_| false;
    u64: |bits| bits, |value| value, |_| false;
    f16: |bits| f16::from_bits(bits as u16), |value: f16| u64::from(value.to_bits()), f16::is_nan;
    bf16: |bits| bf16::from_bits(bits as u16), |value: bf16| u64::from(value.to_bits()), bf16::is_nan;
    f32: |bits| f32::from_bits(bits as u32), |value: f32| u64::from(value.to_bits()), f32::is_nan;
    f64: f64::from_bits, f64::to_bits, f64::is_nan;
}

/// Calls a generic function for each element type.
macro_rules! for_all {
    ($function:ident $arguments:tt) => {
        for_all!(@each $function $arguments; bool u8 i8 u16 i16 i32 u32 i64 u64 f16 bf16 f32 f64)
    };
    (@each $function:ident $arguments:tt; $($type:ident)*) => { $(for_all!(@call $function $type $arguments);)* };
    (@call $function:ident $type:ident ($($argument:expr),*)) => { $function::<$type>($($argument),*) };
}

fn conversions_from<T: Bits>(case: &Value) {
    fn to<T: Bits, U: Bits>(case: &Value, x: &DeviceArray<T>) {
        let expected = case["to"][U::DTYPE.name()].as_array().unwrap();
        // As they lie, and backwards with gaps.
        let plain: Vec<U> = x.astype::<U>().to_host().into_iter().collect();
        let strided: Vec<U> = gpu::repeat(x, 2, 0).slice(s![..;-2]).astype::<U>().to_host().into_iter().collect();
        for (actual, order) in [(plain, "plain"), (strided.into_iter().rev().collect(), "strided")] {
            assert_eq!(actual.len(), expected.len());
            for (index, (&actual, expected)) in actual.iter().zip(expected).enumerate() {
                let same = if expected == "nan" { actual.is_nan() } else { expected.as_u64() == Some(actual.bits()) };
                let from = x.get(&[index]);
                assert!(
                    same,
                    "{from} ({:#x}) as {}: {:#x}, not {expected}, {order}",
                    from.bits(),
                    U::DTYPE,
                    actual.bits()
                );
            }
        }
    }
    if case["from"] != T::DTYPE.name() {
        return;
    }
    let x: Vec<T> = case["x"].as_array().unwrap().iter().map(|bits| T::of(bits.as_u64().unwrap())).collect();
    let x = gpu::asarray(&x);
    macro_rules! to {
        ($($type:ident)*) => { $(to::<T, $type>(case, &x);)* };
    }
    to!(bool u8 i8 u16 i16 i32 u32 i64 u64 f16 bf16 f32 f64);
}

#[test]
fn conversions_between_all_types() {
    let mut count = 0;
    for case in cases("dtypes").iter().filter(|case| case["name"] == "convert") {
        for_all!(conversions_from(case));
        count += 1;
    }
    assert_eq!(count, DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()).count());
}

#[test]
fn comparisons_sums_and_means() {
    fn check<T>(case: &Value)
    where
        T: Sample + Real<Sum: Sample, Mean: Sample>,
    {
        let x = device::<T>(case, "x");
        let whole = |value| ArrayD::from_elem(vec![], value);
        let axis = case["axis"].as_u64().map(|axis| axis as usize);
        let truth = |result: DeviceArray<bool>| assert_same(&result.to_host(), &host(case, "expected"), 0.0, case);
        let y = || device::<T>(case, "y");
        match (case["name"].as_str().unwrap(), axis) {
            ("sum", None) => assert_same(&whole(x.sum()), &host(case, "expected"), 0.0, case),
            ("sum", Some(axis)) => assert_same(&x.sum_axis(axis).to_host(), &host(case, "expected"), 0.0, case),
            ("mean", None) => {
                assert_same(&ArrayD::from_elem(vec![], x.mean()), &host(case, "expected"), 1e-6, case);
            }
            ("mean", Some(axis)) => assert_same(&x.mean_axis(axis).to_host(), &host(case, "expected"), 1e-6, case),
            ("eq", _) => truth(x.eq(y())),
            ("ne", _) => truth(x.ne(y())),
            ("lt", _) => truth(x.lt(y())),
            ("le", _) => truth(x.le(y())),
            ("gt", _) => truth(x.t().gt(y().t()).t()),
            ("ge", _) => truth(x.ge(y())),
            (other, _) => panic!("no test for {other}"),
        }
    }
    for case in cases("dtypes").iter().filter(|case| case["name"] != "convert") {
        with_dtype!(case["x"]["dtype"], [i8 u16 i16 f16], check(case));
    }
    let brain = gpu::array(&[1.0f32, 2.5, -3.0]).astype::<bf16>();
    assert_eq!((brain.sum(), brain.mean()), (0.5, 0.5f32 / 3.0));
    assert_eq!(brain.gt(bf16::from_f32(1.0)).to_host(), ndarray::arr1(&[false, true, false]).into_dyn());
    // Beyond the types themselves.
    assert_eq!(gpu::full(1000, i8::MIN).sum(), -128_000);
    assert_eq!(gpu::full((1000, 2), u16::MAX).sum_axis(0).get(&[1]), 65_535_000);
    assert_eq!(gpu::full(1000, f16::MAX).sum(), 65_504_000.0);
    assert_eq!(gpu::zeros::<f16>(0).sum(), 0.0);
    assert_eq!(gpu::zeros::<i16>((0, 2)).sum_axis(1).shape(), [0]);
}

/// What moves elements gives the same as if they were of another type: arrays of `T` against those of `i32`.
fn moved<T: Bits>() {
    let small = gpu::arange(24).reshape((2, 3, 4));
    let a = small.astype::<T>();
    let seven = gpu::full((), 7).astype::<T>().item();
    fn same<T: Bits>(actual: &DeviceArray<T>, expected: &DeviceArray<i32>) {
        assert_eq!(actual.shape(), expected.shape());
        assert_eq!(actual.to_host(), expected.astype::<T>().to_host());
    }
    same(&gpu::asarray(&a.to_host()), &small);
    same(&gpu::asarray(&a.to_host().t()), &small.t());
    same(&a.copy(), &small);
    same(&a.t().copy(), &small.t());
    same(&a.slice(s![.., 1..;-1, ..;2]), &small.slice(s![.., 1..;-1, ..;2]));
    same(&a.reshape((6, 4)).diagonal(), &small.reshape((6, 4)).diagonal());
    same(&a.broadcast_to((3, 2, 3, 4)).copy(), &small.broadcast_to((3, 2, 3, 4)));
    same(&gpu::concatenate([&a, &a], -1), &gpu::concatenate([&small, &small], -1));
    same(&gpu::stack([&a, &a], 1), &gpu::stack([&small, &small], 1));
    same(&gpu::tile(&a, (2, 1, 3)), &gpu::tile(&small, (2, 1, 3)));
    same(&gpu::roll(&a, 5, 2), &gpu::roll(&small, 5, 2));
    same(&gpu::flip(&a, (0, 2)), &gpu::flip(&small, (0, 2)));
    same(&gpu::repeat(&a, 3, 1), &gpu::repeat(&small, 3, 1));
    same(&gpu::pad(&a, 2, Pad::Constant(seven)), &gpu::pad(&small, 2, Pad::Constant(7)));
    same(&gpu::pad(&a, 1, Pad::Reflect), &gpu::pad(&small, 1, Pad::Reflect));
    same(&gpu::full((3, 5), seven), &gpu::full((3, 5), 7));
    same(&gpu::zeros::<T>((3, 5)), &gpu::zeros((3, 5)));
    let (mut filled, mut reference) = (gpu::zeros::<T>(1003), gpu::zeros::<i32>(1003));
    filled.slice(s![3..;5]).fill(seven);
    reference.slice(s![3..;5]).fill(7);
    same(&filled, &reference);
    filled.slice(s![..24;-1]).assign(&a.ravel());
    reference.slice(s![..24;-1]).assign(&small.ravel());
    same(&filled, &reference);
    filled.assign(&gpu::full((), seven));
    reference.fill(7);
    same(&filled, &reference);
    assert_eq!(a.get(&[1, 2, 3]), a.slice(s![-1, -1, -1]).item());
    assert_eq!(a.nbytes(), 24 * T::DTYPE.size());
    assert_eq!((a.dtype(), a.eq(&a).all()), (T::DTYPE, true));
    let on_host = gpu::host::tile(&a.to_host_as::<ndarray::Ix3>().t(), (1, 2, 1));
    same(&gpu::asarray(&on_host), &gpu::tile(&small.t(), (1, 2, 1)));
    assert!(gpu::allclose(&a, &a.to_host()) && gpu::allclose(&a.astype::<f64>(), &a));
}

#[test]
fn arrays_of_all_types_are_moved() {
    for_all!(moved());
}

#[test]
fn large_arrays_are_converted_by_all_threads() {
    let x = gpu::arange(300_001i64) - 150_000;
    let wrapped: Vec<i8> = (-150_000i64..150_001).map(|x| x as i8).collect();
    assert_eq!(x.astype::<i8>().to_host(), ndarray::Array1::from(wrapped).into_dyn());
    let halves = x.astype::<f16>();
    assert_eq!(halves.get(&[150_000 + 2049]), f16::from_f32(2048.0));
    assert_eq!((halves.get(&[0]), halves.get(&[300_000])), (f16::NEG_INFINITY, f16::INFINITY));
    // From i64 to f16 and on is as from f32, which has all of these numbers.
    assert!(halves.eq(x.astype::<f32>().astype::<f16>()).all());
    assert_eq!(x.astype::<bf16>().astype::<i64>().get(&[150_000 + 257]), 256);
}

#[test]
fn host_arrays_of_all_types() {
    let halves = Array2::from_shape_fn((2, 3), |(i, j)| f16::from_f32((i + j) as f32 / 2.0));
    let on_device = gpu::asarray(&halves);
    assert_eq!(on_device.to_host_as::<Ix2>(), halves);
    assert_eq!(gpu::asarray(&vec![1i8, -2]).sum(), -1);
    assert_eq!(gpu::array(&[[1u16, 2], [3, 4]]).sum(), 10);
    assert_eq!(gpu::asarray(&[bf16::ONE; 3][..]).shape(), [3]);
    assert_eq!(gpu::host::zeros::<f16, _>((2, 2)).len(), 4);
    assert!(gpu::allclose(&halves, &on_device) && !gpu::allclose(&halves, &[bf16::ONE]));
}

/// Arithmetic of the types that are computed in a wider one: what the type's own arithmetic gives, rounded or wrapped once.
#[test]
fn narrow_types_add_multiply_and_compare() {
    macro_rules! integers {
        ($($type:ident)*) => {$(
            let values: Vec<$type> = [$type::MIN, $type::MIN + 1, $type::MAX / 2, $type::MAX, 0, 1, 2, 3, 7, 100].to_vec();
            let (column, row) = (gpu::asarray(&values).reshape((-1, 1)), gpu::asarray(&values));
            let each = |of: fn($type, $type) -> $type| -> Vec<$type> {
                values.iter().flat_map(|&a| values.iter().map(move |&b| of(a, b))).collect()
            };
            assert_eq!((&column + &row).ravel().tolist(), each($type::wrapping_add));
            assert_eq!((&column - &row).ravel().tolist(), each($type::wrapping_sub));
            assert_eq!((&column * &row).ravel().tolist(), each($type::wrapping_mul));
            assert_eq!((&column / &row).ravel().tolist(), each(|a, b| if b == 0 { 0 } else { a.wrapping_div(b) }));
            assert_eq!((&column % &row).ravel().tolist(), each(|a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }));
            assert_eq!((&column & &row).ravel().tolist(), each(|a, b| a & b));
            assert_eq!((&column | &row).ravel().tolist(), each(|a, b| a | b));
            assert_eq!((&column ^ &row).ravel().tolist(), each(|a, b| a ^ b));
            assert_eq!((!&row).tolist(), values.iter().map(|&a| !a).collect::<Vec<_>>());
            assert_eq!((-&row).tolist(), values.iter().map(|&a| a.wrapping_neg()).collect::<Vec<_>>());
            assert_eq!(column.maximum(&row).ravel().tolist(), each(Ord::max));
            assert_eq!(gpu::minimum(&column, &row).ravel().tolist(), each(Ord::min));
            assert_eq!((2 as $type - &row).tolist(), values.iter().map(|&a| (2 as $type).wrapping_sub(a)).collect::<Vec<_>>());
            assert_eq!(row.clip(1, 50).tolist(), values.iter().map(|&a| a.clamp(1, 50)).collect::<Vec<_>>());
            assert_eq!((row.max(), row.min()), ($type::MAX, $type::MIN));
            assert_eq!(row.sum() as i128, values.iter().map(|&a| a as i128).sum::<i128>());
            // Into a part, by steps.
            let mut target = gpu::asarray(&values);
            let mut part = target.slice(s![..;3]);
            part += 5 as $type;
            part *= &gpu::asarray(&values).slice(s![..;3]);
            let expected = values.iter().enumerate();
            let expected = expected.map(|(at, &a)| if at % 3 == 0 { a.wrapping_add(5).wrapping_mul(a) } else { a });
            assert_eq!(target.tolist(), expected.collect::<Vec<_>>());
            target -= &row;
            assert_eq!(target.get(&[1]), 0);
        )*};
    }
    integers!(i8 u16 i16);
    macro_rules! floats {
        ($($type:ident)*) => {$(
            let values = [0.0f32, -0.0, 0.1, -2.5, 3.0, 1e-7, 6e4, f32::INFINITY, f32::NAN].map($type::from_f32).to_vec();
            let (column, row) = (gpu::asarray(&values).reshape((-1, 1)), gpu::asarray(&values));
            let each = |of: fn(f32, f32) -> f32| -> Vec<u16> {
                let of = move |a: $type, b: $type| $type::from_f32(of(a.to_f32(), b.to_f32())).to_bits();
                values.iter().flat_map(|&a| values.iter().map(move |&b| of(a, b))).collect()
            };
            let same = |found: DeviceArray<$type>, expected: Vec<u16>| {
                for (found, expected) in found.ravel().tolist().into_iter().zip(expected) {
                    let expected = $type::from_bits(expected);
                    assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{found} {expected}");
                }
            };
            same(&column + &row, each(|a, b| a + b));
            same(&column - &row, each(|a, b| a - b));
            same(&column * &row, each(|a, b| a * b));
            same(&column / &row, each(|a, b| a / b));
            let of = |of: fn(f32) -> f32| values.iter().map(|a| $type::from_f32(of(a.to_f32())).to_bits()).collect::<Vec<_>>();
            same(&row * 2.0, of(|a| a * 2.0));
            same(1.0 - &row, of(|a| 1.0 - a));
            same(row.abs(), of(f32::abs));
            same(row.floor(), of(f32::floor));
            let mut target = row.copy();
            target /= 4.0;
            same(target, of(|a| a / 4.0));
            assert_eq!(row.slice(s![..6]).max(), $type::from_f32(3.0));
        )*};
    }
    floats!(f16 bf16);
}
