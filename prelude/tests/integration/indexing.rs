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
    assert!(a.clone().try_putmask(&gpu::zeros::<bool>((3, 4, 2)), 0.0).is_err());
    assert!(a.clone().try_putmask(&gpu::zeros::<bool>(3), gpu::zeros::<f64>(3)).is_err());
    let error = gpu::try_where(&gpu::zeros::<bool>(2), &a, 0.0).unwrap_err();
    assert!(matches!(error, gpu::Error::ShapeMismatch { operation: "where_", .. }));
}

/// As NumPy's `putmask` and `place`, not as broadcasting.
#[test]
fn values_of_another_shape_are_repeated() {
    let mask = gpu::array(&[[true, true, false], [true, true, true]]);
    let of = |write: &dyn Fn(&mut DeviceArray<i64>)| {
        let mut a = gpu::zeros::<i64>((2, 3));
        write(&mut a);
        a.ravel().tolist()
    };
    let two = gpu::array(&[[1i64], [2]]);
    assert_eq!(of(&|a| a.putmask(&mask, &two)), [1, 2, 0, 2, 1, 2]);
    assert_eq!(of(&|a| a.putmask(&mask, gpu::arange(1..9i64))), [1, 2, 0, 4, 5, 6]);
    assert_eq!(of(&|a| a.putmask(&mask, gpu::array(&[[[1i64, 2, 3]]]))), [1, 2, 0, 1, 2, 3]);
    assert_eq!(of(&|a| a.putmask(&mask, gpu::array(&[[[7i64]]]))), [7, 7, 0, 7, 7, 7]);
    assert_eq!(of(&|a| a.putmask(&mask, gpu::zeros::<i64>(0))), [0; 6]);
    assert_eq!(of(&|a| a.putmask(&mask.ravel(), &two)), [1, 2, 0, 2, 1, 2]);
    assert_eq!(of(&|a| a.place(&mask, &two)), [1, 2, 0, 1, 2, 1]);
    assert_eq!(of(&|a| a.place(&mask.reshape((3, 2)), gpu::arange(1..9i64))), [1, 2, 0, 3, 4, 5]);
    assert_eq!(of(&|a| a.place(&mask, 9)), [9, 9, 0, 9, 9, 9]);
    assert_eq!(of(&|a| a.place(&mask.logical_xor(&mask), gpu::zeros::<i64>(0))), [0; 6]);
    let mut a = gpu::zeros::<i64>((2, 3));
    assert_eq!(
        a.try_place(&mask, gpu::zeros::<i64>(0)).unwrap_err().to_string(),
        "place: the shape [0] has no values for 5 true elements of the mask; give one value at least"
    );
    assert_eq!(
        a.try_place(&gpu::array(&[true]), 1).unwrap_err().to_string(),
        "place: the shape [1] of the mask does not have the 6 elements of the array's shape, [2, 3]; make the mask from the \
         array itself"
    );
    assert_eq!(a.sum(), 0);
}

/// What an array of 4 rows of 5 becomes when a part of it is written to, and the same by `ndarray`.
#[test]
fn set_writes_what_ndarray_writes() {
    fn check(ours: impl Fn(&DeviceArray<f64>), theirs: impl Fn(&mut Array2<f64>)) {
        let start = Array2::from_shape_fn((4, 5), |(row, column)| (10 * row + column) as f64);
        for on_device in [gpu::asarray(&start), gpu::asarray(&start.t()).t()] {
            let mut on_host = start.clone();
            ours(&on_device);
            theirs(&mut on_host);
            assert_eq!(on_device.to_host(), on_host.into_dyn());
        }
    }
    let n = 3usize;
    let row = gpu::arange(5.0);
    check(|a| gpu::set!(a[1, 2] = 7.0), |a| a[[1, 2]] = 7.0);
    check(|a| gpu::set!(a[-1] = 7.0), |a| a.row_mut(3).fill(7.0));
    check(|a| gpu::set!(a[1..-1, 1..-1] += 1.0), |a| a.slice_mut(s![1..-1, 1..-1]).mapv_inplace(|x| x + 1.0));
    check(|a| gpu::set!(a[..n, ..;2] *= 2.0), |a| a.slice_mut(s![..3, ..;2]).mapv_inplace(|x| 2.0 * x));
    check(|a| gpu::set!(a[..=1, 3..] -= 1.0), |a| a.slice_mut(s![..=1, 3..]).mapv_inplace(|x| x - 1.0));
    check(
        |a| gpu::set!(a[..;-1, 0] = gpu::arange(4.0)),
        |a| {
            a.slice_mut(s![..;-1, 0]).assign(&Array1::from_iter((0..4).map(f64::from)));
        },
    );
    check(
        |a| gpu::set!(a[2, ..] /= &(&row + 1.0)),
        |a| {
            a.row_mut(2).iter_mut().enumerate().for_each(|(at, x)| *x /= at as f64 + 1.0);
        },
    );
    check(
        |a| gpu::set!(a[..] = a.slice(s![..;-1, ..])),
        |a| {
            let reversed = a.slice(s![..;-1, ..]).to_owned();
            a.assign(&reversed);
        },
    );
    // Masks.
    let change = |a: &mut Array2<f64>, of: fn(f64) -> bool, to: fn(f64) -> f64| {
        a.mapv_inplace(|x| if of(x) { to(x) } else { x });
    };
    check(|a| gpu::set!(a[&a.gt(20.0)] = 0.0), |a| change(a, |x| x > 20.0, |_| 0.0));
    check(|a| gpu::set!(a[&a.gt(20.0)] -= 20.0), |a| change(a, |x| x > 20.0, |x| x - 20.0));
    check(
        |a| gpu::set!(a[&a.lt(3.0)] += &gpu::array(&[5.0, 6.0, 7.0])),
        |a| {
            (0..3).for_each(|at| a[[0, at]] += 5.0 + at as f64);
        },
    );
    let rows = gpu::array(&[true, false, false, true]);
    check(|a| gpu::set!(a[&rows] = 0.0), |a| [0, 3].iter().for_each(|at| a.row_mut(*at).fill(0.0)));
    check(
        |a| gpu::set!(a[&rows, 1] = &gpu::array(&[1.0, 2.0])),
        |a| {
            a[[0, 1]] = 1.0;
            a[[3, 1]] = 2.0;
        },
    );
    // Indices.
    let places = gpu::array(&[2i64, -4]);
    check(
        |a| gpu::set!(a[&places] = &row),
        |a| {
            [2, 0].iter().for_each(|at| {
                (0..5).for_each(|column| a[[*at, column]] = column as f64);
            })
        },
    );
    check(
        |a| gpu::set!(a[.., &places] += 1.0),
        |a| {
            [2, 1].iter().for_each(|at| {
                a.column_mut(*at).mapv_inplace(|x| x + 1.0);
            })
        },
    );
    check(|a| gpu::set!(a[1, &places] = 1.0), |a| [2, 1].iter().for_each(|at| a[[1, *at]] = 1.0));
    check(
        |a| gpu::set!(a[&places, &gpu::array(&[4, 0])] *= 0.0),
        |a| {
            a[[2, 4]] = 0.0;
            a[[0, 0]] = 0.0;
        },
    );
}

#[test]
fn set_says_what_does_not_fit() {
    let a = gpu::zeros::<f64>((4, 5));
    let places = gpu::array(&[0, 1]);
    let cases: [(&dyn Fn(), &str); 7] = [
        (&|| gpu::set!(a[0, 0, 0] = 1.0), "has 2 axes, but 3 parts are given"),
        (&|| gpu::set!(a[0..9] = 1.0), "along axis 0 of length 4"),
        (&|| gpu::set!(a[9] = 1.0), "has no index 9 along axis 0 of length 4"),
        (&|| gpu::set!(a[&gpu::array(&[7])] = 1.0), "7"),
        (&|| gpu::set!(a[0, ..] = &gpu::zeros::<f64>(4)), "the shapes [4] and [5] do not broadcast"),
        (&|| gpu::set!(a[&gpu::zeros::<f64>((4, 5)).eq(0.0)] = &gpu::zeros::<f64>(3)), "3"),
        (&|| gpu::set!(a[&places, &places, &places] = 1.0), "give one such array, or one for each axis"),
    ];
    for (case, said) in cases {
        let error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(case)).expect_err(said);
        let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.contains(said), "{text} has no {said}");
    }
    assert_eq!(a.sum(), 0.0, "nothing was written");
}

#[test]
fn new_shapes_say_what_does_not_fit() {
    let a = gpu::arange(12);
    let n = 3usize;
    assert_eq!(a.reshape((n, -1)).shape(), [3, 4]);
    assert_eq!(a.reshape((-1, 2, n)).shape(), [2, 2, 3]);
    assert_eq!(a.reshape([2, -1]).shape(), [2, 6]);
    assert_eq!(gpu::zeros::<f64>((0, 3)).reshape((-1, 3)).shape(), [0, 3]);
    for (lengths, said) in [
        (vec![5, -1], "the other lengths make 5, which does not divide 12"),
        (vec![-1, -1], "-1 stands 2 times"),
        (vec![-2, 6], "cannot get the length -2"),
        (vec![0, -1], "the other lengths make 0"),
        (vec![5, 2], "has 12 elements"),
    ] {
        let error = a.try_reshape(&lengths).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}
