//! Results equal those of NumPy and SciPy. Inputs are such that sums and products are exact.

use crate::fixtures::{Sample, assert_same, cases, device, host, mode, with_dtype};
use serde_json::Value;
use warpcell::ndarray::{ArrayD, SliceInfoElem};
use warpcell::{Boundary, DeviceArray, Element, Float, Inexact, Number, Pad};

#[test]
fn convolve2d() {
    fn check<T: Sample + Number>(case: &Value) {
        let boundary = match case["boundary"].as_str() {
            Some("fill") => Boundary::Fill(T::read(&case["fill"])),
            Some("wrap") => Boundary::Wrap,
            Some("symmetric") => Boundary::Symmetric,
            _ => panic!("{case}"),
        };
        let expected = host::<T>(case, "expected");
        let on_device =
            warpcell::convolve2d_with(&device::<T>(case, "image"), &device::<T>(case, "kernel"), mode(case), boundary);
        assert_same(&on_device.to_host(), &expected, 0.0, case);
        let (image, kernel) = (host::<T>(case, "image"), host::<T>(case, "kernel"));
        let on_host = warpcell::host::convolve2d_with(&image, &kernel, mode(case), boundary);
        assert_same(&on_host.into_dyn(), &expected, 0.0, case);
    }
    for case in cases("convolve2d") {
        with_dtype!(case["image"]["dtype"], [u8 i32 u32 i64 u64 f32 f64], check(case));
    }
}

#[test]
fn convolve() {
    fn check<T: Sample + Number>(case: &Value) {
        let expected = host::<T>(case, "expected");
        let on_device = warpcell::convolve(&device::<T>(case, "a"), &device::<T>(case, "v"), mode(case));
        assert_same(&on_device.to_host(), &expected, 0.0, case);
        let on_host = warpcell::convolve(&host::<T>(case, "a"), &host::<T>(case, "v"), mode(case));
        assert_same(&on_host.into_dyn(), &expected, 0.0, case);
    }
    for case in cases("convolve") {
        with_dtype!(case["a"]["dtype"], [u8 i32 i64 u64 f32 f64], check(case));
    }
}

#[test]
fn reduce() {
    fn whole<T: Element>(value: T) -> ArrayD<T> {
        ArrayD::from_elem(vec![], value)
    }
    fn compare<T: Sample>(actual: ArrayD<T>, case: &Value, tolerance: f64) {
        assert_same(&actual, &host::<T>(case, "expected"), tolerance, case);
    }
    fn numbers<T>(case: &Value)
    where
        T: Sample + Number<Sum: Sample, Mean: Sample>,
    {
        let (x, axis) = (device::<T>(case, "x"), case["axis"].as_u64().map(|axis| axis as usize));
        match (case["name"].as_str().unwrap(), axis) {
            ("sum", None) => compare(whole(x.sum()), case, 0.0),
            ("sum", Some(axis)) => compare(x.sum_axis(axis).to_host(), case, 0.0),
            ("max", None) => compare(whole(x.max()), case, 0.0),
            ("max", Some(axis)) => compare(x.max_axis(axis).to_host(), case, 0.0),
            ("min", None) => compare(whole(x.min()), case, 0.0),
            ("min", Some(axis)) => compare(x.min_axis(axis).to_host(), case, 0.0),
            ("mean", None) => compare(whole(x.mean()), case, 1e-6),
            ("mean", Some(axis)) => compare(x.mean_axis(axis).to_host(), case, 1e-6),
            _ => panic!("{case}"),
        }
    }
    fn bools(case: &Value) {
        let (x, axis) = (device::<bool>(case, "x"), case["axis"].as_u64().map(|axis| axis as usize));
        match (case["name"].as_str().unwrap(), axis) {
            // NumPy counts in i64, we in u64.
            ("sum", None) => assert_eq!(whole(x.sum() as i64), host::<i64>(case, "expected")),
            ("sum", Some(axis)) => compare(x.sum_axis(axis).astype::<i64>().to_host(), case, 0.0),
            ("all", None) => compare(whole(x.all()), case, 0.0),
            ("all", Some(axis)) => compare(x.all_axis(axis).to_host(), case, 0.0),
            ("any", None) => compare(whole(x.any()), case, 0.0),
            ("any", Some(axis)) => compare(x.any_axis(axis).to_host(), case, 0.0),
            ("mean", None) => compare(whole(x.mean()), case, 0.0),
            ("mean", Some(axis)) => compare(x.mean_axis(axis).to_host(), case, 0.0),
            ("max" | "min", _) => {} // arrays of bool have none here; `any` and `all` say it
            _ => panic!("{case}"),
        }
    }
    for case in cases("reduce") {
        match case["x"]["dtype"].as_str() {
            Some("bool") => bools(case),
            _ => with_dtype!(case["x"]["dtype"], [u8 i32 u32 i64 u64 f32 f64], numbers(case)),
        }
    }
}

#[test]
fn binary() {
    fn check<T: Sample + Number>(case: &Value) {
        let (a, b) = (device::<T>(case, "a"), device::<T>(case, "b"));
        let number = |array: DeviceArray<T>| assert_same(&array.to_host(), &host::<T>(case, "expected"), 0.0, case);
        let truth = |array: DeviceArray<bool>| assert_same(&array.to_host(), &host(case, "expected"), 0.0, case);
        match case["name"].as_str().unwrap() {
            "add" => number(&a + &b),
            "subtract" => number(&a - &b),
            "multiply" => number(&a * &b),
            "divide" => number(&a / &b),
            "remainder" => number(&a % &b),
            "pow" => number(a.pow(&b)),
            "maximum" => number(a.maximum(&b)),
            "minimum" => number(a.minimum(&b)),
            "eq" => truth(a.eq(&b)),
            "ne" => truth(a.ne(&b)),
            "lt" => truth(a.lt(&b)),
            "le" => truth(a.le(&b)),
            "gt" => truth(a.gt(&b)),
            "ge" => truth(a.ge(&b)),
            other => panic!("no test for {other}"),
        }
    }
    for case in cases("binary") {
        with_dtype!(case["a"]["dtype"], [u8 i32 i64 f64], check(case));
    }
}

#[test]
fn unary() {
    fn numbers<T: Sample + Number>(case: &Value, x: &DeviceArray<T>) -> Option<DeviceArray<T>> {
        Some(match case["name"].as_str().unwrap() {
            "abs" => x.abs(),
            "floor" => x.floor(),
            "ceil" => x.ceil(),
            "sign" => x.sign(),
            "negative" => -x,
            "square" => x.square(),
            _ => return None,
        })
    }
    fn integers<T: Sample + Number>(case: &Value) {
        let actual = numbers(case, &device::<T>(case, "x")).expect("a function of integers").to_host();
        assert_same(&actual, &host(case, "expected"), 0.0, case);
    }
    fn floats<T: Sample + Float>(case: &Value, tolerance: f64) {
        let x = device::<T>(case, "x");
        if case["name"] == "is_nan" {
            return assert_same(&x.is_nan().to_host(), &host(case, "expected"), 0.0, case);
        }
        let (actual, tolerance) = match case["name"].as_str().unwrap() {
            "exp" => (x.exp(), tolerance),
            "log" => (x.log(), tolerance),
            "sin" => (x.sin(), tolerance),
            "cos" => (x.cos(), tolerance),
            "tan" => (x.tan(), tolerance),
            "tanh" => (x.tanh(), tolerance),
            "sqrt" => (x.sqrt(), 0.0),
            other => (numbers(case, &x).unwrap_or_else(|| panic!("no test for {other}")), 0.0),
        };
        assert_same(&actual.to_host(), &host(case, "expected"), tolerance, case);
    }
    for case in cases("unary") {
        // A few units in the last place.
        match case["x"]["dtype"].as_str() {
            Some("f64") => floats::<f64>(case, 1e-15),
            Some("f32") => floats::<f32>(case, 5e-7),
            _ => with_dtype!(case["x"]["dtype"], [u8 i32 i64], integers(case)),
        }
    }
}

#[test]
fn slices() {
    for case in cases("slices") {
        let axis = |name: &str| {
            let bound = |index: usize| case[name][index].as_i64().map(|bound| bound as isize);
            SliceInfoElem::Slice { start: bound(0).unwrap(), end: bound(1), step: bound(2).unwrap() }
        };
        let info = [axis("rows"), axis("columns")];
        let expected = host::<i32>(case, "expected");
        let on_host = host::<i32>(case, "x");
        assert_eq!(on_host.slice(&info[..]).to_owned(), expected, "ndarray itself");
        assert_same(&device::<i32>(case, "x").slice(info).to_host(), &expected, 0.0, case);
        // From a host view with the same strides, transposed.
        assert_same(&warpcell::asarray(&on_host.slice(&info[..]).t()).t().to_host(), &expected, 0.0, case);
    }
}

#[test]
fn allclose() {
    for case in cases("allclose") {
        let expected = case["expected"].as_bool().unwrap();
        let equal_nan = case["equal_nan"].as_bool().unwrap();
        let (x, y) = (host::<f64>(case, "x"), host::<f64>(case, "y"));
        let (x_device, y_device) = (warpcell::asarray(&x), warpcell::asarray(&y));
        let close = |close: bool| assert_eq!(close, expected, "{case}");
        close(warpcell::allclose_with(&x, &y, 1e-5, 1e-8, equal_nan));
        close(warpcell::allclose_with(&x_device, &y, 1e-5, 1e-8, equal_nan));
        close(warpcell::allclose_with(&x, &y_device, 1e-5, 1e-8, equal_nan));
        close(warpcell::allclose_with(&x_device, &y_device, 1e-5, 1e-8, equal_nan));
    }
}

/// A list of axes, or of other integers.
fn integers(value: &Value) -> Vec<isize> {
    value.as_array().unwrap().iter().map(|axis| axis.as_i64().unwrap() as isize).collect()
}

#[test]
fn axes() {
    fn numbers<T>(case: &Value)
    where
        T: Sample + Number<Sum: Sample, Mean: Sample>,
    {
        let (x, axes) = (device::<T>(case, "x"), integers(&case["axes"]));
        match case["name"].as_str().unwrap() {
            "sum" => assert_same(&x.sum_axis(axes).to_host(), &host(case, "expected"), 0.0, case),
            "mean" => assert_same(&x.mean_axis(axes).to_host(), &host(case, "expected"), 1e-6, case),
            "max" => assert_same(&x.max_axis(axes).to_host(), &host(case, "expected"), 0.0, case),
            "min" => assert_same(&x.min_axis(axes).to_host(), &host(case, "expected"), 0.0, case),
            other => panic!("no test for {other}"),
        }
    }
    fn bools(case: &Value) {
        let (x, axes) = (device::<bool>(case, "x"), integers(&case["axes"]));
        match case["name"].as_str().unwrap() {
            "sum" => assert_same(&x.sum_axis(axes).astype::<i64>().to_host(), &host(case, "expected"), 0.0, case),
            "mean" => assert_same(&x.mean_axis(axes).to_host(), &host(case, "expected"), 1e-6, case),
            "all" => assert_same(&x.all_axis(axes).to_host(), &host(case, "expected"), 0.0, case),
            "any" => assert_same(&x.any_axis(axes).to_host(), &host(case, "expected"), 0.0, case),
            other => panic!("no test for {other}"),
        }
    }
    for case in cases("axes") {
        if case["x"]["dtype"] == "bool" {
            bools(case);
        } else {
            with_dtype!(case["x"]["dtype"], [u8 i32 f32 f64], numbers(case));
        }
    }
}

#[test]
fn manipulate() {
    fn manipulated<T: Sample>(case: &Value, x: &DeviceArray<T>) -> DeviceArray<T> {
        let integer = |name: &str| case[name].as_i64().unwrap_or_else(|| panic!("{name} of {case}")) as isize;
        let y = || device::<T>(case, "y");
        match case["name"].as_str().unwrap() {
            "concatenate" => warpcell::concatenate([x, &y(), x], integer("axis")),
            "stack" => warpcell::stack([x, &y()], integer("axis")),
            "vstack" => warpcell::vstack([x, &y()]),
            "hstack" => warpcell::hstack([x, &y()]),
            "flip" => warpcell::flip(x, integers(&case["axes"])),
            "roll" => warpcell::roll(x, integer("shift"), integer("axis")),
            "repeat" => warpcell::repeat(x, integer("count") as usize, integer("axis")),
            "split" => {
                warpcell::split(x, integer("parts") as usize, integer("axis")).swap_remove(integer("index") as usize)
            }
            "expand_dims" => x.expand_dims(integer("axis")),
            "squeeze" => x.squeeze(),
            "swapaxes" => x.swapaxes(integer("one"), integer("other")),
            "moveaxis" => x.moveaxis(integer("one"), integer("other")),
            "pad" => {
                let pairs = case["widths"].as_array().unwrap().iter();
                let pairs: Vec<(usize, usize)> =
                    pairs.map(|pair| (integers(pair)[0] as usize, integers(pair)[1] as usize)).collect();
                let mode = match case["mode"].as_str().unwrap() {
                    "constant" => Pad::Constant(T::read(&1.into())),
                    "edge" => Pad::Edge,
                    "reflect" => Pad::Reflect,
                    "symmetric" => Pad::Symmetric,
                    "wrap" => Pad::Wrap,
                    other => panic!("no test for {other}"),
                };
                warpcell::pad(x, &pairs[..], mode)
            }
            other => panic!("no test for {other}"),
        }
    }
    fn check<T: Sample>(case: &Value) {
        let expected = host::<T>(case, "expected");
        let x = device::<T>(case, "x");
        assert_same(&manipulated(case, &x).to_host(), &expected, 0.0, case);
        // The same elements with other strides.
        let transposed = x.t().copy().t();
        assert_same(&manipulated(case, &transposed).to_host(), &expected, 0.0, case);
    }
    for case in cases("manipulate") {
        with_dtype!(case["x"]["dtype"], [u8 i32 f32 f64 bool], check(case));
    }
}

#[test]
fn statistics() {
    fn check<T>(case: &Value, tolerance: f64)
    where
        T: Sample + Number<Mean: Inexact<Part: Sample>>,
    {
        let x = device::<T>(case, "x");
        if case["name"] == "count_nonzero" {
            assert_eq!(case["expected"]["data"][0], x.count_nonzero(), "{case}");
            return;
        }
        let whole = |value: warpcell::Signal<T>| ArrayD::from_elem(vec![], value);
        let (name, ddof) = (case["name"].as_str().unwrap(), case["ddof"].as_f64().unwrap());
        let actual = match (name, case["axes"].is_null()) {
            ("var", true) => whole(x.var()),
            ("std", true) => whole(x.std()),
            ("var", false) => x.var_with(integers(&case["axes"]), ddof).to_host(),
            ("std", false) => x.std_with(integers(&case["axes"]), ddof).to_host(),
            (other, _) => panic!("no test for {other}"),
        };
        assert_same(&actual, &host(case, "expected"), tolerance, case);
    }
    for case in cases("statistics") {
        match case["x"]["dtype"].as_str() {
            Some("f32") => check::<f32>(case, 1e-6),
            _ => with_dtype!(case["x"]["dtype"], [u8 i32 f64], check(case, 1e-14)),
        }
    }
}
