//! Choosing elements by bools and by indices gives what NumPy gives.

use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{DeviceArray, Index};

/// The arrays of a list that a case holds.
fn places(case: &Value) -> Vec<ArrayD<i64>> {
    let list = case["places"].as_array().expect("a list of arrays");
    list.iter().map(|place| host(&serde_json::json!({ "place": place }), "place")).collect()
}

fn compare_places(found: &[DeviceArray<i64>], case: &Value) {
    let expected = places(case);
    assert_eq!(found.len(), expected.len(), "{case}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_same(&found.to_host(), expected, 0.0, case);
    }
}

/// The same elements in another order in memory.
fn transposed<T: Sample>(a: &DeviceArray<T>) -> DeviceArray<T> {
    a.t().copy().t()
}

#[test]
fn selection() {
    fn check<T: Sample>(case: &Value) {
        let (x, dense) = (device::<T>(case, "x"), device::<T>(case, "x"));
        for x in [&dense, &transposed(&x)] {
            let expected = |actual: &DeviceArray<T>| assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
            let (mask, y) = (|| device::<bool>(case, "mask"), || device::<T>(case, "y"));
            match case["name"].as_str().unwrap() {
                "where" => {
                    let condition = device::<bool>(case, "condition");
                    expected(&gpu::where_(&condition, x, y()));
                    expected(&gpu::where_(&condition.logical_not(), y(), x));
                    if y().ndim() == 0 {
                        expected(&gpu::where_(&condition, x, y().item()));
                    }
                }
                "extract" => {
                    expected(&x.extract(&mask()));
                    expected(&x.extract(&transposed(&mask())));
                }
                "putmask" => {
                    let mut changed = x.copy();
                    changed.putmask(&mask(), y());
                    expected(&changed);
                    let mut view = transposed(x);
                    view.putmask(&transposed(&mask()), y());
                    expected(&view);
                    if y().ndim() == 0 {
                        let mut changed = x.copy();
                        changed.putmask(&mask(), y().item());
                        expected(&changed);
                    }
                }
                "place" => {
                    let mut view = transposed(x);
                    view.place(&mask(), &y());
                    expected(&view);
                }
                "nonzero" => {
                    assert_same(&x.flatnonzero().to_host(), &host(case, "expected"), 0.0, case);
                    assert_same(&x.argwhere().to_host(), &host(case, "y"), 0.0, case);
                    if x.ndim() > 0 {
                        compare_places(&x.nonzero(), case);
                    }
                }
                other => panic!("no test for {other}"),
            }
        }
    }
    for case in cases("selection") {
        with_dtype!(case["x"]["dtype"], [u8 i32 i64 f32 f64 bool], check(case));
    }
}

#[test]
fn indexing() {
    fn with_indices<T: Sample, I: Index + Sample>(case: &Value) {
        let dense = device::<T>(case, "x");
        let on_host = host::<i64>(case, "indices");
        let indices = gpu::asarray(&on_host.mapv(|index| I::read(&index.into())));
        let axis = || case["axis"].as_i64().unwrap() as isize;
        let y = || device::<T>(case, "y");
        for (x, indices) in [(&dense, &indices), (&transposed(&dense), &transposed(&indices))] {
            let expected = |actual: &DeviceArray<T>| assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
            match case["name"].as_str().unwrap() {
                "take" => {
                    expected(&x.take(indices));
                    expected(&x.take(&on_host));
                }
                "take_axis" => {
                    expected(&x.take_axis(indices, axis()));
                    expected(&x.take_axis(&on_host, axis()));
                }
                "take_along_axis" => expected(&x.take_along_axis(indices, axis())),
                "put" => {
                    let (mut view, mut dense) = (transposed(x), x.copy());
                    view.put(indices, y());
                    expected(&view);
                    dense.put(&on_host, transposed(&y()));
                    expected(&dense);
                }
                "put_axis" => {
                    let (mut view, mut dense) = (transposed(x), x.copy());
                    view.put_axis(indices, y(), axis());
                    expected(&view);
                    dense.put_axis(&on_host, transposed(&y()), axis());
                    expected(&dense);
                }
                "put_along_axis" => {
                    let (mut view, mut dense) = (transposed(x), x.copy());
                    view.put_along_axis(indices, y(), axis());
                    expected(&view);
                    dense.put_along_axis(&on_host, transposed(&y()), axis());
                    expected(&dense);
                }
                "unravel_index" => {
                    let found = gpu::unravel_index(indices, x.shape());
                    compare_places(&found, case);
                    let positions = gpu::ravel_multi_index(&found, x.shape());
                    assert_same(&positions.to_host(), &host(case, "expected"), 0.0, case);
                    let positions = gpu::ravel_multi_index(places(case).iter(), x.shape());
                    assert_same(&positions.to_host(), &host(case, "expected"), 0.0, case);
                }
                other => panic!("no test for {other}"),
            }
        }
    }
    fn check<T: Sample>(case: &Value) {
        match case["dtype"].as_str() {
            Some("i32") => with_indices::<T, i32>(case),
            Some("u32") => with_indices::<T, u32>(case),
            Some("u64") => with_indices::<T, u64>(case),
            _ => with_indices::<T, i64>(case),
        }
    }
    for case in cases("indexing") {
        with_dtype!(case["x"]["dtype"], [u8 i32 f32 f64 bool], check(case));
    }
}

#[test]
fn what_is_chosen_from_does_not_change_under_the_hand() {
    let mut a = gpu::arange(6).reshape((2, 3));
    // The mask and the values are made of the array itself.
    let values = a.slice(s![.., ..;-1]);
    a.putmask(&a.ne(1), &values);
    assert_eq!(a.to_host(), array![[2, 1, 0], [5, 4, 3]].into_dyn());
    let mut truths = gpu::array(&[true, false, true]);
    truths.putmask(&truths.clone(), false);
    assert!(!truths.any());
    assert_eq!(gpu::where_(&truths, 1.5, -1.0).to_host(), array![-1.0, -1.0, -1.0].into_dyn());
}

#[test]
fn masks_that_do_not_fit_are_errors() {
    let a = gpu::zeros::<f64>((3, 4));
    let error = a.try_extract(&gpu::zeros::<bool>((3, 3))).unwrap_err().to_string();
    assert_eq!(
        error,
        "extract: the shape [3, 3] of the mask is neither the shape of the array, [3, 4], nor the shape of its leading \
         axes; make the mask from the array itself, such as `a.gt(0.0)`, or broadcast it first with `broadcast_to`"
    );
    assert!(a.clone().try_putmask(&gpu::zeros::<bool>((3, 4, 1)), 0.0).is_err());
    assert!(a.clone().try_putmask(&gpu::zeros::<bool>(3), gpu::zeros::<f64>(3)).is_err());
    let error = gpu::try_where(&gpu::zeros::<bool>(2), &a, 0.0).unwrap_err();
    assert!(matches!(error, gpu::Error::ShapeMismatch { operation: "where_", .. }));
}
