//! Indices that a GPU checks while it reads by them, and matrices that it finds no result for: who hears of that, and what can be used
//! then.

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
        matrices_without_a_result();
        results_of_all_sizes();
        matrices_that_are_not_finite();
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
    for wrong in [20i64, 31, 32, 33, 70, 99] {
        let mut all = Vec::new();
        let mut place = None;
        for call in 0..100i64 {
            let index = if call == wrong { 50 } else { call % 50 };
            let (b, at) = taken(&a, &gpu::array(&[index]));
            all.push(b);
            place = Some(at);
        }
        let error = gpu::try_synchronize().unwrap_err();
        assert!(is_of(&error, "take", 50, place.unwrap()), "{error}");
        for (call, b) in (0..).zip(&all) {
            if call == wrong { invalid(b.try_to_host()) } else { assert_eq!(b.tolist(), [(call % 50) as f64]) }
        }
    }
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

/// What the next one who waits hears: an error of this call, after which its results are refused.
#[track_caller]
fn found_later(call: impl FnOnce() -> Vec<DeviceArray<f64>>, expected: &Error) {
    let bystander = gpu::arange(4.0) + 1.0;
    let results = call();
    // It has not waited.
    assert!(bystander.raw.handle.backend.has_checks());
    let sums: Vec<_> = results.iter().map(|result| result + 1.0).collect();
    match bystander.try_to_host() {
        Err(Error::FoundLater { error, location }) => {
            assert_eq!(*error, *expected);
            assert!(location.file().ends_with("checks.rs"), "{location}");
        }
        other => panic!("{other:?} in place of {expected}"),
    }
    assert_eq!(bystander.tolist(), [1.0, 2.0, 3.0, 4.0]);
    for result in results.iter().chain(&sums) {
        match result.try_to_host() {
            Err(Error::InvalidResult { cause }) => assert_eq!(*cause, *expected),
            other => panic!("{other:?} in place of {expected}"),
        }
    }
    gpu::synchronize();
}

/// A symmetric matrix with small elements beside its diagonal, on which there is `1 + row`; and one where all is 0 from a row on.
fn matrices_of(n: usize) -> [DeviceArray<f64>; 2] {
    let places = |at: (usize, usize), limit: usize| {
        if at.0.max(at.1) >= limit { 0.0 } else { 0.5 / (1.0 + (at.0 + at.1) as f64) }
    };
    [n, n / 2].map(|limit| {
        let diagonal = |row: usize| if row < limit { 1.0 + row as f64 } else { 0.0 };
        let host = ndarray::Array2::from_shape_fn((n, n), |at| {
            places(at, limit) + if at.0 == at.1 { diagonal(at.0) } else { 0.0 }
        });
        gpu::asarray(&host)
    })
}

fn matrices_without_a_result() {
    use gpu::linalg;
    // Kernels of our own, the libraries, and many at once.
    for n in [2usize, 8, 31, 40, 300] {
        let [good, bad] = matrices_of(n);
        let (minor, vector) = (n / 2 + 1, gpu::ones::<f64>(n));
        let singular = |operation| Error::SingularMatrix { operation, matrix: None, pivot: minor };
        found_later(|| vec![linalg::inv(&bad)], &singular("inv"));
        found_later(|| vec![linalg::solve(&bad, &vector)], &singular("solve"));
        let right = gpu::ones::<f64>((n, 3));
        found_later(|| vec![linalg::solve(&bad, &right)], &singular("solve"));
        let expected = Error::NotPositiveDefinite { operation: "cholesky", matrix: None, minor };
        found_later(|| vec![linalg::cholesky(&bad), linalg::cholesky(&bad)], &expected);
        assert_eq!(linalg::try_cholesky(&bad).unwrap_err(), expected);
        // Of a stack the first one, with its number.
        let stack = gpu::stack([&good, &good, &bad, &bad], 0);
        let expected = Error::SingularMatrix { operation: "inv", matrix: Some(2), pivot: minor };
        found_later(|| vec![linalg::inv(&stack)], &expected);
        assert_eq!(linalg::try_inv(&stack).unwrap_err(), expected);
        let expected = Error::NotPositiveDefinite { operation: "cholesky", matrix: Some(2), minor };
        found_later(|| vec![linalg::cholesky(&stack)], &expected);
        // A result that others are computed from, which fail too.
        let inverse = linalg::inv(&bad);
        let product = linalg::cholesky(&gpu::matmul(&inverse, &good));
        assert!(matches!(gpu::try_synchronize(), Err(Error::FoundLater { .. })));
        assert!(matches!(product.try_to_host(), Err(Error::InvalidResult { .. } | Error::FoundLater { .. })));
        gpu::synchronize();
        assert!(gpu::allclose(&gpu::matmul(&linalg::inv(&good), &good), &gpu::eye::<f64>(n)));
    }
}

fn results_of_all_sizes() {
    use gpu::linalg;
    let [a, _] = matrices_of(48);
    let mut sums = Vec::new();
    for round in 0..60 {
        let x = &a + f64::from(round) * gpu::eye::<f64>(48);
        let l = linalg::cholesky(&x);
        let (w, v) = linalg::eigh(&x);
        let again = gpu::matmul(&(&v * &w), &v.t());
        let difference = (gpu::matmul(&l, &l.t()) - &x).abs().max_axis(0) + (again - &x).abs().max_axis(0);
        sums.push(difference + (linalg::solve(&x, &x) - gpu::eye::<f64>(48)).abs().max_axis(0));
    }
    for sum in sums {
        assert!(sum.max() < 1e-9, "{}", sum.max());
    }
}

fn matrices_that_are_not_finite() {
    use gpu::linalg;
    for n in [3usize, 100] {
        let [good, _] = matrices_of(n);
        let (w, _) = linalg::eigh(&good);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut host = good.to_host();
            host[[n - 1, 0]] = value;
            let a = gpu::asarray(&host);
            found_later(|| vec![linalg::eigvalsh(&a)], &Error::NotFinite { operation: "eigvalsh" });
            let both = || {
                let (w, v) = linalg::eigh(&a);
                vec![w, v]
            };
            found_later(both, &Error::NotFinite { operation: "eigh" });
            let stack = gpu::stack([&good, &a], 0);
            found_later(|| vec![linalg::eigvalsh(&stack)], &Error::NotFinite { operation: "eigvalsh" });
            let complex = a.astype::<gpu::Complex<f64>>();
            found_later(|| vec![linalg::eigvalsh(&complex)], &Error::NotFinite { operation: "eigvalsh" });
        }
        assert!(gpu::allclose(&linalg::eigvalsh(&good), &w));
    }
}

/// The end of a cell.
fn nobody_waits() {
    let a = gpu::arange(3.0);
    let (_, place) = taken(&a, &gpu::array(&[3i64]));
    let error = crate::device::settle().unwrap_err();
    assert!(is_of(&error, "take", 3, place), "{error}");
    assert_eq!(crate::device::settle(), Ok(()));
}
