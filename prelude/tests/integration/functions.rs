//! Further elementwise functions, places of extremes, products, running sums: as NumPy, and what operators promise.

use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use serde_json::Value;
use warpcell as gpu;
use warpcell::ndarray::{ArrayD, Axis, arr1, array};
use warpcell::prelude::s;
use warpcell::{Bitwise, DeviceArray, Element, Error, Float, Integer, Number};

fn whole<T: Element>(value: T) -> ArrayD<T> {
    ArrayD::from_elem(vec![], value)
}

fn axis(case: &Value) -> Option<isize> {
    case["axis"].as_i64().map(|axis| axis as isize)
}

/// Numbers of any type, or none for a function of others.
fn of_numbers<T: Sample + Number>(case: &Value, x: &DeviceArray<T>) -> Option<DeviceArray<T>> {
    let y = || device::<T>(case, "y");
    Some(match case["name"].as_str().unwrap() {
        "round" => x.round(),
        "trunc" => x.trunc(),
        "floor_divide" => x.floor_divide(y()),
        "modulo" => x.modulo(y()),
        "clip" => x.clip(y(), device::<T>(case, "z")),
        _ => return None,
    })
}

fn of_bits<T: Sample + Bitwise>(case: &Value, x: &DeviceArray<T>) -> Option<DeviceArray<T>> {
    let y = || device::<T>(case, "y");
    Some(match case["name"].as_str().unwrap() {
        "bitwise_not" => x.bitwise_not(),
        "bitwise_and" => x.bitwise_and(y()),
        "bitwise_or" => x.bitwise_or(y()),
        "bitwise_xor" => x.bitwise_xor(y()),
        _ => return None,
    })
}

#[test]
fn functions() {
    fn truth<T: Sample + Number>(case: &Value, x: &DeviceArray<T>) -> bool {
        let actual = match case["name"].as_str().unwrap() {
            "is_inf" => x.is_inf(),
            "is_finite" => x.is_finite(),
            _ => return false,
        };
        assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
        true
    }
    fn integers<T: Sample + Integer>(case: &Value) {
        let x = device::<T>(case, "x");
        if truth(case, &x) {
            return;
        }
        let y = || device::<T>(case, "y");
        let actual = of_numbers(case, &x).or_else(|| of_bits(case, &x)).unwrap_or_else(|| {
            match case["name"].as_str().unwrap() {
                "left_shift" => x.left_shift(y()),
                "right_shift" => x.right_shift(y()),
                other => panic!("no test for {other}"),
            }
        });
        assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
    }
    fn floats<T: Sample + Float>(case: &Value, tolerance: f64) {
        let x = device::<T>(case, "x");
        if truth(case, &x) {
            return;
        }
        if let Some(actual) = of_numbers(case, &x) {
            // The reader of JSON may be off by a unit in the last place.
            let tolerance = if case["name"] == "modulo" { 2.3e-16 } else { 0.0 };
            return assert_same(&actual.to_host(), &host(case, "expected"), tolerance, case);
        }
        let y = || device::<T>(case, "y");
        let actual = match case["name"].as_str().unwrap() {
            "exp2" => x.exp2(),
            "expm1" => x.expm1(),
            "log2" => x.log2(),
            "log10" => x.log10(),
            "log1p" => x.log1p(),
            "cbrt" => x.cbrt(),
            "sinh" => x.sinh(),
            "cosh" => x.cosh(),
            "asin" => x.asin(),
            "acos" => x.acos(),
            "atan" => x.atan(),
            "asinh" => x.asinh(),
            "acosh" => x.acosh(),
            "atanh" => x.atanh(),
            "erf" => x.erf(),
            "erfc" => x.erfc(),
            "erfinv" => x.erfinv(),
            "ndtr" => {
                // SciPy's own values are off by up to 9e-16.
                return assert_same(&x.ndtr().to_host(), &host(case, "expected"), tolerance.max(2e-15), case);
            }
            "reciprocal" => x.reciprocal(),
            "radians" => x.radians(),
            "degrees" => x.degrees(),
            "atan2" => x.atan2(y()),
            "hypot" => x.hypot(y()),
            "copysign" => x.copysign(y()),
            other => panic!("no test for {other}"),
        };
        assert_same(&actual.to_host(), &host(case, "expected"), tolerance, case);
    }
    for case in cases("functions") {
        // A few units in the last place.
        match case["x"]["dtype"].as_str() {
            Some("f64") => floats::<f64>(case, 1e-15),
            Some("f32") => floats::<f32>(case, 5e-7),
            Some("bool") if case["name"] == "logical_xor" => {
                let actual = device::<bool>(case, "x").logical_xor(device::<bool>(case, "y"));
                assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
            }
            Some("bool") => {
                let actual = of_bits(case, &device::<bool>(case, "x")).expect("a function of bools");
                assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
            }
            _ => with_dtype!(case["x"]["dtype"], [u8 i32 u32 i64 u64], integers(case)),
        }
    }
}

#[test]
fn places() {
    fn check<T>(case: &Value, x: &DeviceArray<T>)
    where
        T: Sample + Element<Sum: Sample>,
    {
        match (case["name"].as_str().unwrap(), axis(case)) {
            ("prod", None) => assert_same(&whole(x.prod()), &host(case, "expected"), 1e-6, case),
            ("prod", Some(axis)) => assert_same(&x.prod_axis(axis).to_host(), &host(case, "expected"), 1e-6, case),
            ("argmax", None) => assert_eq!(whole(x.argmax() as i64), host::<i64>(case, "expected"), "{case}"),
            ("argmin", None) => assert_eq!(whole(x.argmin() as i64), host::<i64>(case, "expected"), "{case}"),
            ("argmax", Some(axis)) => {
                assert_eq!(x.argmax_axis(axis).to_host(), host::<i64>(case, "expected"), "{case}")
            }
            ("argmin", Some(axis)) => {
                assert_eq!(x.argmin_axis(axis).to_host(), host::<i64>(case, "expected"), "{case}")
            }
            (other, _) => panic!("no test for {other}"),
        }
    }
    fn all<T: Sample + Element<Sum: Sample>>(case: &Value) {
        let x = device::<T>(case, "x");
        check(case, &x);
        // The same elements with other strides, reversed twice.
        check(case, &x.t().copy().t());
        check(case, &gpu::flip(&gpu::flip(&x, every_axis(&x)).copy(), every_axis(&x)));
    }
    fn every_axis<T: Element>(x: &DeviceArray<T>) -> Vec<usize> {
        (0..x.ndim()).collect()
    }
    fn norm<T: Sample + Number<Mean: Sample + Float>>(case: &Value) {
        let x = device::<T>(case, "x");
        assert_same(&whole(gpu::linalg::norm(&x)), &host(case, "expected"), 1e-6, case);
    }
    for case in cases("places") {
        if case["name"] == "norm" {
            with_dtype!(case["x"]["dtype"], [u8 i32 u32 i64 u64 f32 f64], norm(case));
        } else {
            with_dtype!(case["x"]["dtype"], [u8 i32 u32 i64 u64 f32 f64 bool], all(case));
        }
    }
}

#[test]
fn scans() {
    fn check<T>(case: &Value, x: &DeviceArray<T>)
    where
        T: Sample + Element<Sum: Sample>,
    {
        let actual = match (case["name"].as_str().unwrap(), axis(case)) {
            ("cumsum", None) => x.cumsum(),
            ("cumprod", None) => x.cumprod(),
            ("cumsum", Some(axis)) => x.cumsum_axis(axis),
            ("cumprod", Some(axis)) => x.cumprod_axis(axis),
            (other, _) => panic!("no test for {other}"),
        };
        // Products of many factors are not exact.
        let tolerance = if case["name"] == "cumprod" { 1e-14 } else { 0.0 };
        assert_same(&actual.to_host(), &host(case, "expected"), tolerance, case);
    }
    fn all<T: Sample + Element<Sum: Sample>>(case: &Value) {
        let x = device::<T>(case, "x");
        check(case, &x);
        check(case, &x.t().copy().t());
    }
    fn diff<T: Sample + Number>(case: &Value) {
        let actual = gpu::diff(&device::<T>(case, "x"), case["n"].as_u64().unwrap() as usize, axis(case).unwrap());
        assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
    }
    for case in cases("scans") {
        if case["name"] == "diff" {
            with_dtype!(case["x"]["dtype"], [u8 i32 f64], diff(case));
        } else {
            with_dtype!(case["x"]["dtype"], [u8 i32 u32 i64 u64 f32 f64 bool], all(case));
        }
    }
}

#[test]
fn operators_of_integers_and_bools() {
    let (a, b) = (gpu::array(&[12i32, 10, -1]), gpu::array(&[6i32, 3, 1]));
    assert_eq!((&a & &b).to_host(), arr1(&[4, 2, 1]).into_dyn());
    assert_eq!((a.clone() | 1).to_host(), arr1(&[13, 11, -1]).into_dyn());
    assert_eq!((7 ^ &a).to_host(), arr1(&[11, 13, -8]).into_dyn());
    assert_eq!((!&a).to_host(), arr1(&[-13, -11, 0]).into_dyn());
    assert_eq!((&a >> 1).to_host(), arr1(&[6, 5, -1]).into_dyn());
    assert_eq!((1 << &b).to_host(), arr1(&[64, 8, 2]).into_dyn());
    assert_eq!((&a << gpu::array(&[31, 32, -1])).to_host(), arr1(&[0, 0, 0]).into_dyn());
    let mut c = a.copy();
    c &= &b;
    c |= 8;
    c ^= gpu::array(&[1, 1, 1]);
    c <<= 2;
    c >>= &gpu::array(&[0, 1, 2]);
    assert_eq!(c.to_host(), arr1(&[52, 22, 8]).into_dyn());
    let (t, f) = (gpu::array(&[true, true, false]), gpu::array(&[true, false, false]));
    assert_eq!((&t ^ &f).to_host(), arr1(&[false, true, false]).into_dyn());
    let mut mask = t.clone();
    mask &= &f;
    assert!((&mask ^ true).to_host() == arr1(&[false, true, true]).into_dyn() && !(!&t & &t).any());
}

#[test]
fn large_arrays_take_all_paths_of_scans_and_places() {
    // Whole numbers, so sums are exact; the extremes are repeated.
    let number = |index: usize| ((index * 7919) % 1013) as i64 - 300;
    for shape in
        [vec![1_000_003], vec![300_000, 3], vec![3, 300_000], vec![700, 1300], vec![50, 60, 70], vec![2, 70_000, 3]]
    {
        let values = (0..shape.iter().product()).map(number).collect();
        let x = ArrayD::from_shape_vec(shape.clone(), values).unwrap();
        let on_device = gpu::asarray(&x);
        for axis in 0..shape.len() {
            let mut sums = x.clone();
            sums.accumulate_axis_inplace(Axis(axis), |&before, now| *now += before);
            assert_eq!(on_device.cumsum_axis(axis as isize).to_host(), sums, "{shape:?} {axis}");
            let floats = on_device.astype::<f32>().cumsum_axis(axis as isize).to_host();
            assert_eq!(floats, sums.mapv(|sum| sum as f32), "{shape:?} {axis}");
            assert_eq!(on_device.astype::<f64>().cumsum_axis(axis as isize).to_host(), sums.mapv(|sum| sum as f64));
            for (actual, best) in [
                (on_device.argmax_axis(axis as isize), i64::MAX),
                (on_device.astype::<f32>().argmin_axis(axis as isize), i64::MIN),
            ] {
                let expected = x.map_axis(Axis(axis), |line| {
                    let wins = |x: i64, y: i64| if best == i64::MAX { x > y } else { x < y };
                    (1..line.len()).fold(0, |at, next| if wins(line[next], line[at]) { next } else { at }) as i64
                });
                assert_eq!(actual.to_host(), expected, "{shape:?} {axis}");
            }
        }
        let flat: Vec<i64> = x
            .iter()
            .scan(0, |sum, &x| {
                *sum += x;
                Some(*sum)
            })
            .collect();
        assert_eq!(on_device.cumsum().to_host().into_raw_vec_and_offset().0, flat);
        let largest = x.iter().max().unwrap();
        assert_eq!(on_device.argmax(), x.iter().position(|x| x == largest).unwrap());
        assert_eq!(on_device.t().argmax(), x.t().iter().position(|x| x == largest).unwrap());
    }
    let x = gpu::ones::<u8>((200, 1000));
    assert_eq!(x.prod(), 1);
    assert_eq!((x.slice(s![.., ..3]) * 3).prod_axis(1).max(), 27);
}

#[test]
fn running_sums_of_what_is_not_negative_never_fall() {
    // The host's promise; other devices join partial sums in other groups.
    if gpu::device() != gpu::Device::Cpu {
        return;
    }
    let x = ArrayD::from_shape_fn(vec![1_000_000], |index| ((index[0] * 7919) % 1013) as f64 * 1e-7 + 0.1);
    for x in [gpu::asarray(&x), gpu::asarray(&x).reshape((250_000, 4))] {
        let sums = x.cumsum_axis(0);
        assert!(gpu::diff(&sums, 1, 0).ge(0.0).all());
        assert!(gpu::allclose(&sums.slice(s![-1]), &x.sum_axis(0)));
    }
}

#[test]
fn errors_say_what_to_do() {
    let empty = gpu::zeros::<f64>((2, 0));
    for result in [empty.try_argmax(), empty.try_argmin()] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::InvalidShape { .. }), "{error}");
        assert!(
            error.to_string().starts_with("argm") && error.to_string().contains("no elements to compare"),
            "{error}"
        );
    }
    assert!(empty.try_argmax_axis(1).is_err());
    assert_eq!(empty.argmax_axis(0).shape(), [0]);
    let a = gpu::zeros::<i32>((2, 3));
    for error in [
        a.try_argmin_axis(2).err(),
        a.try_cumsum_axis(-3).map(drop).err(),
        a.try_cumprod_axis(5).map(drop).err(),
        a.try_prod_axis((0, 0)).map(drop).err(),
    ] {
        assert!(error.unwrap().to_string().contains("axis"));
    }
    let error = a.try_bitwise_and(gpu::zeros::<i32>(2)).unwrap_err().to_string();
    assert!(error.starts_with("bitwise_and: the shapes [2, 3] and [2]"), "{error}");
    assert_eq!(gpu::array(&[[1, 2]]).cumsum().to_host(), array![1i64, 3].into_dyn());
}
