//! Indices that a GPU checks while it reads by them: who hears of one that is out of range, and what can be used then.

use crate as gpu;
use crate::{Device, DeviceArray, Error};
use ndarray::{Array1, arr1};
use std::panic::Location;

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_indices_that_are_checked_later() {
    Device::Cuda(0).with(|| {
        all_in_range();
        a_call_that_fails();
        changed_in_place();
        what_waits_before();
        more_calls_than_reports();
        along_axes();
        nobody_waits();
    });
}

/// `take`, and where it is called.
#[track_caller]
fn taken(a: &DeviceArray<f64>, indices: &DeviceArray<i64>) -> (DeviceArray<f64>, &'static Location<'static>) {
    (a.take(indices), Location::caller())
}

/// Whether it is the error of a call at this place.
fn is_of(error: &Error, operation: &str, index: i128, location: &Location<'_>) -> bool {
    matches!(error, Error::FoundLater { error, location: found }
        if found.line() == location.line() && found.file() == location.file()
            && matches!(&**error, Error::IndexOutOfRange { operation: of, index: at, .. } if *of == operation && *at == index))
}

#[track_caller]
fn invalid<T>(result: gpu::Result<T>) {
    match result {
        Err(Error::InvalidResult { cause }) => assert!(matches!(*cause, Error::IndexOutOfRange { .. }), "{cause}"),
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

fn all_in_range() {
    let count = 100_000i64;
    let places: Array1<i64> = (0..count).map(|at| (at * 7919) % count - if at % 3 == 0 { count } else { 0 }).collect();
    let a = gpu::arange(count as f64);
    let expected = places.mapv(|at| at.rem_euclid(count) as f64);
    assert_eq!(a.take(&gpu::asarray(&places)).to_host(), expected.into_dyn());
    gpu::synchronize();
    assert!(!a.raw.handle.backend.has_checks());
}

fn a_call_that_fails() {
    let (a, bad, good) = (gpu::array(&[10.0, 20.0, 30.0]), gpu::array(&[0i64, 9]), gpu::array(&[2i64, -1]));
    let before = &a * 2.0;
    let (b, place) = taken(&a, &bad);
    // All of this is queued before anybody knows.
    let (from_good, _) = taken(&a, &good);
    let (sum, others, total) = (&b + 1.0, &a + 1.0, b.sum_axis(0));
    let (soft, middle) = (gpu::special::softmax(&b), gpu::median_axis(&b, 0));
    let places = gpu::zeros::<i64>(2);
    let mixed = gpu::where_(&gpu::equal(&places, 0), &a.slice(ndarray::s![..2]), &b);
    let error = before.try_to_host().unwrap_err();
    assert!(is_of(&error, "take", 9, place), "{error}");
    // It is said once. What does not depend on the call is as it should be.
    assert_eq!(before.to_host(), arr1(&[20.0, 40.0, 60.0]).into_dyn());
    assert_eq!(others.to_host(), arr1(&[11.0, 21.0, 31.0]).into_dyn());
    assert_eq!(from_good.to_host(), arr1(&[30.0, 30.0]).into_dyn());
    assert_eq!(a.to_host(), arr1(&[10.0, 20.0, 30.0]).into_dyn());
    for array in [&b, &sum, &total, &mixed, &soft, &middle] {
        invalid(array.try_to_host());
        invalid(array.try_astype::<f32>());
    }
    // So may a name: it gets another array.
    let b = a.take(&good);
    assert_eq!(b.to_host(), arr1(&[30.0, 30.0]).into_dyn());
}

fn changed_in_place() {
    let (a, bad) = (gpu::array(&[1.0, 2.0]), gpu::array(&[5i64, 0]));
    let (mut changed, mut untouched) = (gpu::zeros::<f64>(2), gpu::zeros::<f64>(2));
    let (b, place) = taken(&a, &bad);
    changed += &b;
    untouched += &a;
    let error = gpu::try_synchronize().unwrap_err();
    assert!(is_of(&error, "take", 5, place), "{error}");
    invalid(changed.try_to_host());
    assert_eq!(untouched.to_host(), arr1(&[1.0, 2.0]).into_dyn());
    gpu::synchronize();
}

/// Work of which nobody follows what it depends on.
fn what_waits_before() {
    let (a, bad) = (gpu::array(&[[2.0, 0.0], [0.0, 4.0]]), gpu::array(&[[0i64, 1], [2, 77]]));
    let (matrix, place) = taken(&a, &bad);
    let error = gpu::linalg::try_inv(&matrix).unwrap_err();
    assert!(is_of(&error, "take", 77, place), "{error}");
    invalid(gpu::linalg::try_inv(&matrix));
    // Of an array that does not depend on the call too: it waits for the status of the factors. Once it is said, all is as before.
    let (_, place) = taken(&a, &bad);
    let error = gpu::linalg::try_inv(&a).unwrap_err();
    assert!(is_of(&error, "take", 77, place), "{error}");
    assert_eq!(gpu::linalg::inv(&a).to_host(), ndarray::arr2(&[[0.5, 0.0], [0.0, 0.25]]).into_dyn());
    // A graph that reads it.
    let (b, place) = taken(&a.ravel(), &gpu::array(&[3i64, 1]));
    let graph = gpu::Graph::capture(|| &b * 2.0);
    assert_eq!(graph.launch().to_host(), arr1(&[8.0, 0.0]).into_dyn(), "{place}");
}

fn more_calls_than_reports() {
    let a = gpu::arange(50.0);
    let mut all = Vec::new();
    let mut place = None;
    for call in 0..100i64 {
        let index = if call == 20 { 50 } else { call % 50 };
        let (b, at) = taken(&a, &gpu::array(&[index]));
        all.push(b);
        place = Some(at);
    }
    let error = gpu::try_synchronize().unwrap_err();
    assert!(is_of(&error, "take", 50, place.unwrap()), "{error}");
    for (call, b) in all.iter().enumerate() {
        if call == 20 { invalid(b.try_to_host()) } else { assert_eq!(b.tolist(), [(call % 50) as f64]) }
    }
    // More than the calls of a round.
    for call in 0..10_000i64 {
        drop(a.take(&gpu::array(&[call % 50])));
    }
    gpu::synchronize();
}

fn along_axes() {
    let a = gpu::array(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let rows = a.take_axis(&gpu::array(&[1i64, 2]), 0);
    let error = gpu::try_synchronize().unwrap_err();
    assert!(
        matches!(&error, Error::FoundLater { error, .. }
        if **error == Error::IndexOutOfRange { operation: "take_axis", index: 2, axis: Some(0), length: 2 }),
        "{error}"
    );
    invalid(rows.try_to_host());
    let along = gpu::take_along_axis(&a, &gpu::array(&[[-4i64], [0]]), 1);
    let error = gpu::try_synchronize().unwrap_err();
    assert!(
        matches!(&error, Error::FoundLater { error, .. }
        if **error == Error::IndexOutOfRange { operation: "take_along_axis", index: -4, axis: Some(1), length: 3 }),
        "{error}"
    );
    invalid(along.try_to_host());
    // Who asks for the error waits for it.
    let error = a.try_take(&gpu::array(&[6i32])).unwrap_err();
    assert_eq!(error, Error::IndexOutOfRange { operation: "take", index: 6, axis: None, length: 6 });
    gpu::synchronize();
}

/// The end of a cell.
fn nobody_waits() {
    let a = gpu::arange(3.0);
    let (_, place) = taken(&a, &gpu::array(&[3i64]));
    let error = crate::device::settle().unwrap_err();
    assert!(is_of(&error, "take", 3, place), "{error}");
    assert_eq!(crate::device::settle(), Ok(()));
}
