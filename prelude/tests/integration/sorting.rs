//! Orders, searches, distinct elements, counts and quantiles equal those of NumPy.

use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use serde_json::Value;
use warpcell::ndarray::{self, ArrayD};
use warpcell::{DeviceArray, Number, Side};

fn side(case: &Value) -> Side {
    if case["side"] == "left" { Side::Left } else { Side::Right }
}

fn axis(case: &Value) -> Option<isize> {
    case["axis"].as_i64().map(|axis| axis as isize)
}

/// What all dtypes have; whether the case is one of it.
fn of_elements<T: Sample>(case: &Value, x: &DeviceArray<T>) -> bool {
    let same = |actual: &DeviceArray<i64>, name: &str| assert_same(&actual.to_host(), &host(case, name), 0.0, case);
    match case["name"].as_str().unwrap() {
        "sort" => {
            let expected = host::<T>(case, "expected");
            let axis = axis(case).unwrap();
            assert_same(&warpcell::sort_axis(x, axis).to_host(), &expected, 0.0, case);
            if axis == -1 {
                assert_same(&warpcell::sort(x).to_host(), &expected, 0.0, case);
                assert_same(&warpcell::host::sort(&x.to_host()), &expected, 0.0, case);
            }
        }
        "argsort" => {
            same(&warpcell::argsort_axis(x, axis(case).unwrap()), "expected");
            if axis(case) == Some(-1) {
                same(&warpcell::argsort(x), "expected");
            }
        }
        "unique" => {
            let expected = host::<T>(case, "expected");
            assert_same(&warpcell::unique(x).to_host(), &expected, 0.0, case);
            let (values, counts) = warpcell::unique_counts(x);
            assert_same(&values.to_host(), &expected, 0.0, case);
            same(&counts, "counts");
            let (values, inverse) = warpcell::unique_inverse(x);
            assert_same(&values.to_host(), &expected, 0.0, case);
            same(&inverse, "inverse");
        }
        "searchsorted" => same(&warpcell::searchsorted(&device::<T>(case, "sorted"), x, side(case)), "expected"),
        _ => return false,
    }
    true
}

/// What numbers have besides.
fn of_numbers<T>(case: &Value, x: &DeviceArray<T>)
where
    T: Sample + Number<Mean: Sample>,
{
    let same = |actual: &DeviceArray<i64>| assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
    let minlength = || case["minlength"].as_u64().unwrap() as usize;
    // A few units in the last place of the element type.
    let tolerance = if case["x"]["dtype"] == "f32" { 3e-7 } else { 1e-15 };
    let mean = |actual: ArrayD<T::Mean>| assert_same(&actual, &host(case, "expected"), tolerance, case);
    let whole = |value: T::Mean| mean(ArrayD::from_elem(vec![], value));
    let share = || case["share"].as_f64().unwrap();
    match (case["name"].as_str().unwrap(), axis(case)) {
        ("digitize", _) => {
            // NumPy's `right` says which edge belongs to a bin.
            same(&warpcell::digitize_with(x, &device::<T>(case, "bins"), side(case)));
            if side(case) == Side::Left {
                same(&warpcell::digitize(x, &device::<T>(case, "bins")));
            }
        }
        ("bincount", _) => {
            same(&warpcell::bincount_with(x, minlength()));
            if minlength() == 0 {
                same(&warpcell::bincount(x));
            }
        }
        ("bincount_weighted", _) => {
            let found = warpcell::bincount_weighted(x, &device::<f32>(case, "weights"), minlength());
            assert_same(&found.to_host(), &host(case, "expected"), 0.0, case);
        }
        ("histogram", _) => {
            let range = case["range"].as_array().map(|ends| (f64::read(&ends[0]), f64::read(&ends[1])));
            let (counts, edges) = match (case["bins"].as_u64(), range) {
                (Some(bins), Some(range)) => warpcell::histogram(x, bins as usize, range),
                (Some(bins), None) => warpcell::histogram(x, bins as usize, ..),
                (None, _) => warpcell::histogram(x, &device::<f64>(case, "bins"), ..),
            };
            same(&counts);
            assert_same(&edges.to_host(), &host(case, "edges"), 1e-15, case);
        }
        ("median", None) => whole(warpcell::median(x)),
        ("median", Some(axis)) => mean(warpcell::median_axis(x, axis).to_host()),
        ("quantile", None) => whole(warpcell::quantile(x, share())),
        ("quantile", Some(axis)) => mean(warpcell::quantile_axis(x, share(), axis).to_host()),
        ("percentile", None) => whole(warpcell::percentile(x, share())),
        ("percentile", Some(axis)) => mean(warpcell::percentile_axis(x, share(), axis).to_host()),
        (other, _) => panic!("no test for {other}"),
    }
}

#[test]
fn sorting() {
    fn check<T>(case: &Value)
    where
        T: Sample + Number<Mean: Sample>,
    {
        let x = device::<T>(case, "x");
        // The same elements with other strides.
        for x in [&x, &x.t().copy().t()] {
            if !of_elements(case, x) {
                of_numbers(case, x);
            }
        }
    }
    for case in cases("sorting") {
        if case["x"]["dtype"] == "bool" {
            assert!(of_elements(case, &device::<bool>(case, "x")), "{case}");
        } else {
            with_dtype!(case["x"]["dtype"], [u8 i32 u32 i64 u64 f32 f64], check(case));
        }
    }
}

/// Rows of one array whose elements differ in some digits only, in none, or in all of them.
#[test]
fn elements_that_share_digits() {
    fn row(kind: usize, k: u64) -> u64 {
        let mixed = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match kind {
            0 => 7,
            1 => mixed % 3200,
            2 => (mixed % 251) << 40,
            3 => ((mixed % 3) << 8) | ((mixed / 3 % 5) << 56),
            4 => (mixed % 1000).wrapping_sub(500),
            5 => ((mixed % 3) << 16) | 0x1234_5678_0000_0009,
            _ => mixed,
        }
    }
    fn sorted<T: Number>(of: fn(u64) -> T) {
        for length in [2049usize, 30_000] {
            let numbers = ndarray::Array2::from_shape_fn((7, length), |(kind, k)| of(row(kind, k as u64)));
            let a = warpcell::asarray(&numbers);
            let (in_order, order) = (warpcell::sort(&a).to_host(), warpcell::argsort(&a).to_host());
            for (kind, numbers) in numbers.outer_iter().enumerate() {
                let mut positions: Vec<i64> = (0..length as i64).collect();
                positions.sort_by(|&i, &j| numbers[i as usize].partial_cmp(&numbers[j as usize]).expect("no NaN"));
                let row = |k: usize| (in_order[[kind, k]], order[[kind, k]]);
                let wrong = (0..length).find(|&k| row(k) != (numbers[positions[k] as usize], positions[k]));
                assert_eq!(wrong, None, "row {kind} of {length}, {}", T::DTYPE);
            }
        }
    }
    sorted::<u8>(|bits| bits as u8);
    sorted::<i32>(|bits| bits as i32);
    sorted::<u32>(|bits| (bits >> 16) as u32);
    sorted::<i64>(|bits| bits as i64);
    sorted::<u64>(|bits| bits);
    sorted::<f32>(|bits| bits as i32 as f32);
    sorted::<f64>(|bits| bits as i64 as f64);
}
