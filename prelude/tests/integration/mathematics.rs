//! Functions of NumPy that are composed of others, where a row of names.rs is not enough: other types, other memory, what is
//! empty or has no axes, special values, and errors.

use crate::fixtures::message;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Complex, DType};

const NAN: f64 = f64::NAN;
const INFINITY: f64 = f64::INFINITY;

/// Whether two lists of floats are the same, NaN equal to NaN.
#[track_caller]
fn same(found: &DeviceArray<f64>, expected: &[f64]) {
    let found = found.ravel().tolist();
    let is_same = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(a, b)| a == b && a.is_sign_negative() == b.is_sign_negative() || a.is_nan() && b.is_nan());
    assert!(is_same, "{found:?} is not {expected:?}");
}

#[test]
fn reductions_pass_over_nan() {
    let nothing = gpu::array(&[[NAN, NAN], [1.0, NAN]]);
    same(&gpu::nansum!(&nothing, axis = 1), &[0.0, 1.0]);
    same(&gpu::nanprod!(&nothing, axis = 1), &[1.0, 1.0]);
    same(&gpu::nanmax!(&nothing, axis = 1), &[NAN, 1.0]);
    same(&gpu::nanmin!(&nothing, axis = 0), &[1.0, NAN]);
    same(&gpu::nanmean!(&nothing, axis = 1), &[NAN, 1.0]);
    same(&gpu::nanvar!(&nothing, axis = 1), &[NAN, 0.0]);
    same(&gpu::nanvar!(&nothing, axis = 1, ddof = 1), &[NAN, NAN]);
    same(&gpu::nanmedian!(&nothing, axis = 1), &[NAN, 1.0]);
    same(&gpu::nancumsum!(&nothing, axis = -1), &[0.0, 0.0, 1.0, 1.0]);
    same(&gpu::nancumprod(&nothing), &[1.0, 1.0, 1.0, 1.0]);
    // An infinity is no NaN, nor is what it makes of others.
    let infinite = gpu::array(&[INFINITY, NAN, 1.0]);
    assert_eq!((gpu::nanmax(&infinite), gpu::nanmean(&infinite)), (INFINITY, INFINITY));
    assert!(gpu::nanvar(&infinite).is_nan());
    assert_eq!(gpu::nanmedian(&gpu::array(&[INFINITY, NAN, 1.0, 2.0])), 2.0);
    // Empty, without axes, and with the elements in another order in memory.
    let empty = gpu::zeros::<f64>((0, 2));
    assert_eq!((gpu::nansum(&empty), gpu::nanprod(&empty)), (0.0, 1.0));
    assert!(gpu::nanmean(&empty).is_nan() && gpu::nanmedian(&empty).is_nan() && gpu::nanvar(&empty).is_nan());
    same(&gpu::nanmedian!(&empty, axis = 0), &[NAN, NAN]);
    assert_eq!(gpu::nanmedian!(&empty, axis = 1).shape(), [0]);
    assert!(message(|| drop(gpu::nanmax!(&empty, axis = 0))).contains("nanmax"));
    assert!(message(|| assert_eq!(gpu::ptp(&empty), 0.0)).contains("ptp"));
    let single = gpu::full((), 3.0);
    assert_eq!((gpu::nansum(&single), gpu::nanmedian(&single), gpu::ptp(&single)), (3.0, 3.0, 0.0));
    let a = gpu::array(&[[5.0, NAN, 1.0], [2.0, 8.0, NAN]]);
    let turned = gpu::flip(&a.t().copy(), 0).t();
    same(&gpu::nanmedian!(&turned, axis = 1), &[3.0, 5.0]);
    same(&gpu::nanmax!(&turned, axis = 0), &[1.0, 8.0, 5.0]);
    same(&gpu::nansum!(&turned, axis = (0, 1), keepdims = true), &[16.0]);
    assert!(message(|| drop(gpu::nansum!(&a, axis = 2))).contains("nansum: the shape [2, 3] has no axis 2"));
}

#[test]
fn reductions_keep_their_types() {
    let single = gpu::array(&[1.0f32, f32::NAN, 4.0]);
    assert_eq!((gpu::nansum(&single), gpu::nanmean(&single), gpu::nanmax(&single)), (5.0f32, 2.5f32, 4.0f32));
    assert_eq!((gpu::nanstd(&single), gpu::nanmedian(&single)), (1.5f32, 2.5f32));
    assert_eq!(gpu::nansum!(&single, dtype = f64), 5.0f64);
    let bytes = gpu::array(&[200u8, 100, 3]);
    assert_eq!((gpu::nansum(&bytes), gpu::nanprod(&bytes), gpu::nanmin(&bytes)), (303u64, 60_000u64, 3u8));
    assert_eq!((gpu::nanmean(&bytes), gpu::nanmedian(&bytes), gpu::ptp(&bytes)), (101.0f64, 100.0f64, 197u8));
    assert_eq!(gpu::nancumsum(&bytes).dtype(), DType::U64);
    assert_eq!(gpu::nanmean!(&bytes, where = &gpu::array(&[true, false, true])), 101.5);
}

#[test]
fn running_sums_may_begin_with_their_first_value() {
    let a = gpu::array(&[[1u8, 2], [3, 4]]);
    let sums = gpu::cumulative_sum!(&a, axis = 0, include_initial = true);
    assert_eq!((sums.dtype(), sums.ravel().tolist()), (DType::U64, vec![0, 0, 1, 2, 4, 6]));
    assert_eq!(gpu::cumulative_prod!(&gpu::zeros::<f64>(0), include_initial = true).tolist(), [1.0]);
    let text = message(|| drop(gpu::cumulative_sum(&a)));
    assert!(text.contains("is not 1-D; name the axis, such as `gpu::cumulative_sum!(&x, axis = 0)`"), "{text}");
}

#[test]
fn functions_of_elements() {
    let numbers = gpu::array(&[-0.0f32, 1.5, f32::NAN, f32::NEG_INFINITY]);
    assert_eq!(gpu::signbit(&numbers).tolist(), [true, false, false, true]);
    assert_eq!(gpu::signbit(&gpu::array(&[3i32, -1])).tolist(), [false, true]);
    assert_eq!(gpu::nan_to_num(&numbers).tolist(), [0.0, 1.5, 0.0, f32::MIN]);
    assert_eq!(gpu::nan_to_num!(&numbers, neginf = -2.0).tolist(), [0.0, 1.5, 0.0, -2.0]);
    let z = gpu::array(&[Complex::new(NAN, INFINITY), Complex::new(1.0, -2.0)]);
    assert_eq!(gpu::nan_to_num(&z).tolist(), [Complex::new(0.0, f64::MAX), Complex::new(1.0, -2.0)]);
    assert_eq!(gpu::nextafter(&gpu::array(&[1.0f32, 0.0]), 2.0).tolist(), [1.0 + f32::EPSILON, f32::from_bits(1)]);
    assert!(gpu::nextafter(&gpu::array(&[1.0]), NAN).item().is_nan());
    same(&gpu::fmax(&gpu::array(&[NAN, 1.0, NAN]), &gpu::array(&[2.0, NAN, NAN])), &[2.0, 1.0, NAN]);
    same(&gpu::fmin(&gpu::array(&[NAN, 1.0, 3.0]), NAN), &[NAN, 1.0, 3.0]);
    assert_eq!(gpu::fmin(&gpu::array(&[3i32, -1]), 0).tolist(), [0, -1]);
    same(&gpu::logaddexp(&gpu::array(&[NAN, INFINITY]), 1.0), &[NAN, INFINITY]);
    assert_eq!(gpu::sinc(&gpu::array(&[0.0f32, 0.5])).tolist(), [1.0, std::f32::consts::FRAC_2_PI]);
    assert_eq!(gpu::true_divide(&gpu::array(&[1i32, 2]), &gpu::array(&[4, 0])).tolist(), [0.25, INFINITY]);
    assert_eq!(gpu::float_power(&gpu::array(&[2i32]), -2).item(), 0.25);
    assert_eq!(gpu::bitwise_count(&gpu::array(&[255u8, 1, 0])).tolist(), [8, 1, 0]);
    assert_eq!(gpu::bitwise_count(&gpu::array(&[u64::MAX, 1 << 63])).tolist(), [64, 1]);
    assert_eq!(gpu::bitwise_count(&gpu::array(&[i32::MIN, -1])).tolist(), [1, 1]);
    assert_eq!(gpu::gcd(&gpu::zeros::<i32>(0), 3).shape(), [0]);
    assert_eq!(
        gpu::lcm(&gpu::array(&[0u32, 4, 6]), &gpu::array(&[[0u32], [10]])).ravel().tolist(),
        [0, 0, 0, 0, 20, 30]
    );
    assert_eq!(
        gpu::gcd(&gpu::array(&[2971215073u32, u32::MAX]), &gpu::array(&[1836311903, u32::MAX])).tolist(),
        [1, u32::MAX]
    );
    assert_eq!(gpu::gcd(&gpu::array(&[i64::MIN, i64::MAX]), 1 << 40).tolist(), [1 << 40, 1]);
    assert_eq!(gpu::gcd(&gpu::array(&[u64::MAX]), u64::MAX).item(), u64::MAX);
    // The function at 800 is too large, and the one at 712 nearly, for which NumPy gives infinity.
    let bessel: Vec<f64> = gpu::i0(&gpu::array(&[-700.0, 800.0, 29.999999, 30.000001, 712.0])).tolist();
    assert!((bessel[0] / 1.529593347671874e302 - 1.0).abs() < 1e-12 && bessel[1] == INFINITY, "{bessel:?}");
    assert!(bessel[4].is_finite() && gpu::i0(&gpu::array(&[NAN])).item().is_nan());
    assert!((bessel[3] / bessel[2] - 1.0 - 1.966e-6).abs() < 1e-8, "{bessel:?}");
    let (fractions, exponents) = gpu::frexp(&gpu::array(&[f32::MIN_POSITIVE / 4.0, -8.0]));
    assert_eq!((fractions.tolist(), exponents.tolist()), (vec![0.5f32, -0.5], vec![-127, 4]));
    assert_eq!(
        gpu::ldexp(&gpu::array(&[1.0f32, 1.0]), &gpu::array(&[-149, 128])).tolist(),
        [f32::from_bits(1), f32::INFINITY]
    );
    assert_eq!(gpu::round!(&gpu::array(&[2.345f32]), decimals = 1).item(), 2.3);
    assert_eq!(gpu::round!(&gpu::array(&[7]), decimals = 3).item(), 7);
    assert!(
        message(|| drop(gpu::fmax(&gpu::zeros::<f64>(2), &gpu::zeros::<f64>(3))))
            .contains("fmax: the shapes [2] and [3]")
    );
    assert!(message(|| drop(gpu::divmod(&gpu::zeros::<f64>(2), &gpu::zeros::<f64>(3)))).contains("divmod"));
}

/// Quotients of integers are rounded down, by a value and by an array.
#[test]
fn quotients_and_rests_of_integers() {
    let a = gpu::array(&[7i64, -7, 0, i64::MIN, i64::MAX, 12]);
    for divisor in [3i64, -3, -1, 1, 0, i64::MAX, i64::MIN] {
        let expected = |x: i64| match divisor {
            0 => (0, 0),
            _ => {
                let (quotient, rest) = (x.wrapping_div(divisor), x.wrapping_rem(divisor));
                let is_past = rest != 0 && (rest < 0) != (divisor < 0);
                if is_past { (quotient - 1, rest + divisor) } else { (quotient, rest) }
            }
        };
        let (quotients, rests): (Vec<i64>, Vec<i64>) = a.tolist().into_iter().map(expected).unzip();
        for (found, left) in [a.divmod(divisor), a.divmod(&gpu::full(6, divisor))] {
            assert_eq!((found.tolist(), left.tolist()), (quotients.clone(), rests.clone()), "by {divisor}");
        }
    }
    let (quotients, rests) = gpu::array(&[200u8, 7, 0]).divmod(&gpu::array(&[7u8, 0, 3]));
    assert_eq!((quotients.tolist(), rests.tolist()), (vec![28, 0, 0], vec![4, 0, 0]));
}

#[test]
fn interpolation_between_points_and_outside() {
    let (places, values) = (gpu::array(&[-1.0, 0.0, 0.0, 2.0, 8.0]), gpu::array(&[5.0, 1.0, 3.0, 3.0, -3.0]));
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let x = gpu::array(&[-9.0, -1.0, -0.5, 0.0, 1.5, 2.0, 3.0, 8.0, 9.0, infinite, -infinite, nan]);
    let found = gpu::interp(&x, &places, &values).tolist();
    assert_eq!(found[..11], [5.0, 5.0, 3.0, 3.0, 3.0, 3.0, 2.0, -3.0, -3.0, -3.0, 5.0]);
    assert!(found[11].is_nan());
    // One point; views; other shapes and types.
    assert_eq!(
        gpu::interp(&gpu::array(&[1.0f32, 2.0, 3.0]), &gpu::array(&[2.0]), &gpu::array(&[7.0])).tolist(),
        [7.0; 3]
    );
    let grid = x.slice(s![..10]).reshape((2, 5)).t();
    let backwards = gpu::interp(&grid, &places, &values.slice(s![..;-1]));
    assert_eq!(backwards.shape(), [5, 2]);
    assert_eq!(backwards.get(&[2, 0]), 0.0);
    assert_eq!(gpu::interp(&gpu::zeros::<f64>((0, 3)), &places, &values).shape(), [0, 3]);
}

#[test]
fn cross_products() {
    let (a, b) = (gpu::array(&[[1, 2, 3], [4, 5, 6]]), gpu::array(&[7, 8, 10]));
    assert_eq!(gpu::cross(&a, &b).ravel().tolist(), [-4, 11, -6, 2, 2, -3]);
    assert_eq!(gpu::cross(&gpu::array(&[1, 2]), &gpu::array(&[[3, 5], [7, 1]])).tolist(), [-1, -13]);
    let columns = gpu::cross!(&a.t(), &b.expand_dims(1), axis = 0);
    assert_eq!((columns.shape(), columns.get(&[1, 0])), (&[3, 2][..], 11));
    assert_eq!(gpu::cross(&gpu::zeros::<f64>((0, 3)), &gpu::zeros::<f64>(3)).shape(), [0, 3]);
    let z = gpu::array(&[Complex::new(0.0, 1.0), Complex::new(1.0, 0.0), Complex::new(0.0, 0.0)]);
    assert_eq!(gpu::cross(&z, &z.conj()).get(&[2]), Complex::new(0.0, 2.0));
    let text = message(|| drop(gpu::cross(&a, &gpu::array(&[1, 2]))));
    assert!(text.contains("has vectors of 2 elements") && text.contains("vectors of 3"), "{text}");
}

#[test]
fn derivatives_and_integrals() {
    let f = gpu::array(&[1.0f32, 4.0, 9.0, 16.0]);
    assert_eq!(gpu::gradient(&f)[0].tolist(), [3.0f32, 4.0, 6.0, 7.0]);
    assert_eq!(gpu::gradient!(&f, axis = 0, edge_order = 2).tolist(), [2.0f32, 4.0, 6.0, 8.0]);
    let x = gpu::array(&[1.0f32, 2.0, 3.0, 4.0]);
    assert_eq!(gpu::gradient!(&f, &x, axis = 0, edge_order = 2).tolist(), [2.0f32, 4.0, 6.0, 8.0]);
    assert_eq!(gpu::gradient!(&gpu::flip(&f, 0), &gpu::flip(&x, 0), axis = 0).tolist(), [7.0f32, 6.0, 4.0, 3.0]);
    assert_eq!(gpu::gradient(&gpu::array(&[1, 4]))[0].tolist(), [3.0f64, 3.0]);
    let wide = gpu::zeros::<f64>((2, 3));
    assert_eq!(gpu::gradient(&wide).len(), 2);
    assert_eq!(gpu::gradient(&gpu::full((), 1.0)).len(), 0);
    let text = message(|| drop(gpu::gradient(&gpu::zeros::<f64>((2, 1)))));
    assert!(text.contains("has 1 elements along axis 1"), "{text}");
    assert!(message(|| drop(gpu::gradient!(&wide, (1.0, 2.0), axis = 0))).contains("there are 2 spacings for 1 axes"));
    assert!(
        message(|| drop(gpu::gradient!(&wide, &gpu::zeros::<f64>(4), axis = 1))).contains("array of 3 coordinates")
    );
    assert!(message(|| drop(gpu::gradient!(&wide, axis = 0, edge_order = 3))).contains("`edge_order` is 3"));
    assert!(message(|| drop(gpu::gradient!(&wide, axis = (0, -2)))).contains("axis 0 twice"));

    assert_eq!(gpu::trapezoid(&gpu::zeros::<f64>((2, 0))).tolist(), [0.0, 0.0]);
    assert_eq!(gpu::trapezoid(&gpu::ones::<f32>((4, 1))).tolist(), [0.0f32; 4]);
    assert_eq!(
        gpu::trapezoid!(&gpu::array(&[[1, 2], [3, 4]]), x = &gpu::array(&[0.0, 2.0]), axis = 0).tolist(),
        [4.0, 6.0]
    );
    assert!(message(|| drop(gpu::trapezoid!(&wide, &gpu::zeros::<f64>(2)))).contains("axis 1 of the shape [2, 3]"));
    assert!(message(|| drop(gpu::trapezoid(&gpu::full((), 1.0)))).contains("it has no axes"));

    let turns = gpu::array(&[[0.0f32, 350.0, 20.0], [0.0, 180.0, 0.0]]);
    let smooth = gpu::unwrap!(&turns, period = 360.0);
    assert_eq!(smooth.ravel().tolist(), [0.0f32, -10.0, 20.0, 0.0, 180.0, 0.0]);
    assert_eq!(gpu::unwrap(&gpu::zeros::<f64>(0)).shape(), [0]);
    assert_eq!(gpu::ediff1d(&gpu::full((), 1)).shape(), [0]);
    assert_eq!(gpu::ediff1d!(&gpu::zeros::<f64>(0), to_end = &gpu::array(&[[1.0], [2.0]])).tolist(), [1.0, 2.0]);
}

#[test]
fn methods_of_universal_functions() {
    // Lengths around powers of two, and another order than the sum's: a matrix product is associative only.
    for length in [1, 2, 3, 7, 8, 9, 33, 100] {
        let a = gpu::random::integers(-50..50i64, (length, 2));
        let host = a.to_host();
        let running = gpu::ufunc::accumulate(|x, y| x.minimum(y), &a, 0).to_host();
        let counts = gpu::ufunc::accumulate(|x, y| x + y, &a, 0);
        assert!(counts.eq(&a.cumsum_axis(0)).all());
        for (column, row) in (0..2).flat_map(|column| (0..length).map(move |row| (column, row))) {
            let least = (0..=row).map(|before| host[[before, column]]).min().unwrap();
            assert_eq!(running[[row, column]], least);
        }
        assert!(gpu::ufunc::reduce(|x, y| x.maximum(y), &a, 0).eq(&a.max_axis(0)).all());
        let words = gpu::arange(2 * length as i64).reshape((length, 2));
        // The last one of two stays, the first one of two stays: both depend on the order.
        assert_eq!(
            gpu::ufunc::reduce(|_, y| y.clone(), &words, 0).tolist(),
            [2 * length as i64 - 2, 2 * length as i64 - 1]
        );
        assert_eq!(gpu::ufunc::reduce(|x, _| x.clone(), &words, 0).tolist(), [0, 1]);

        let places = gpu::random::integers(0..5i64, length);
        let values = gpu::random::integers(-9..9i64, (length, 2));
        let mut sums = gpu::zeros::<i64>((5, 2));
        gpu::ufunc::at(|x, y| x + y, &mut sums, &places, &values);
        let mut largest = gpu::full((5, 2), -100i64);
        gpu::ufunc::at(|x, y| x.maximum(y), &mut largest, &places, &values);
        let mut expected = [[0i64; 2]; 5];
        let mut expected_largest = [[-100i64; 2]; 5];
        for (row, place) in places.tolist().into_iter().enumerate() {
            for column in 0..2 {
                let value = values.get(&[row, column]);
                expected[place as usize][column] += value;
                expected_largest[place as usize][column] = expected_largest[place as usize][column].max(value);
            }
        }
        assert!(sums.eq(&gpu::array(&expected)).all());
        assert!(largest.eq(&gpu::array(&expected_largest)).all());
    }
    let a = gpu::arange(12).reshape((3, 4));
    let mut view = a.slice(s![.., 1]);
    gpu::ufunc::at(|x, y| x * y, &mut view, [-1, 0, -1], 2);
    assert_eq!(a.slice(s![.., 1]).tolist(), [2, 5, 36]);
    assert_eq!(gpu::ufunc::outer(|x, y| x.gt(y), &a, &gpu::arange(5)).shape(), [3, 4, 5]);
    assert_eq!(gpu::ufunc::accumulate(|x, y| x + y, &gpu::zeros::<f64>((0, 2)), 0).shape(), [0, 2]);

    let add = |x: &DeviceArray<i32>, y: &DeviceArray<i32>| x + y;
    for (text, wanted) in [
        (message(|| drop(gpu::ufunc::reduce(add, &a, 2))), "no axis 2"),
        (message(|| drop(gpu::ufunc::reduce(add, &a.slice(s![..0, ..]), 0))), "no elements along axis 0"),
        (message(|| drop(gpu::ufunc::reduce(|x, _| x.ravel(), &a, 0))), "it must keep the shape"),
        (message(|| drop(gpu::ufunc::reduceat(add, &a, &[4], 1))), "the index 4 is out of range for axis 1"),
        (message(|| drop(gpu::ufunc::reduceat(add, &a, &[], 1))), "there are no indices"),
        (message(|| gpu::ufunc::at(add, &mut a.copy(), [3], 1)), "the index 3 is out of range"),
        (message(|| gpu::ufunc::at(add, &mut a.copy(), [0, 1], &gpu::arange(3))), "[3]"),
    ] {
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn functions_of_the_caller() {
    let a = gpu::arange(24).reshape((2, 3, 4));
    let doubled = gpu::apply_along_axis(|part| gpu::stack([&part, &part], 1), 1, &a);
    assert_eq!((doubled.shape(), doubled.get(&[1, 2, 1, 3])), (&[2, 3, 2, 4][..], 23));
    assert_eq!(gpu::apply_along_axis(|part| part.astype::<f64>().mean_axis(0), 0, &a).shape(), [3, 4]);
    assert!(
        message(|| drop(gpu::apply_along_axis(|part| part, 0, &gpu::zeros::<f64>((0, 2))))).contains("no elements")
    );
    assert!(message(|| drop(gpu::apply_along_axis(|part| part, 3, &a))).contains("no axis 3"));
    let kept = gpu::apply_over_axes(|a, axis| gpu::flip(a, axis), &a, [0, -1]);
    assert_eq!((kept.shape(), kept.get(&[0, 0, 0])), (&[2, 3, 4][..], 15));
    assert!(message(|| drop(gpu::apply_over_axes(|a, _| a.ravel(), &a, 0))).contains("drop axis 0"));
    let x = gpu::array(&[1.0, 2.0]);
    let text = message(|| drop(gpu::piecewise(&x, &[&x.gt(1.0)], &[])));
    assert!(text.contains("there are 0 functions for 1 conditions"), "{text}");
    assert_eq!(gpu::piecewise(&x, &[&x.gt(1.0)], &[&|x| x * 3.0]).tolist(), [0.0, 6.0]);
    // The result without conditions is not a view of the array.
    let mut same = gpu::piecewise(&x, &[], &[&|x| x.clone()]);
    same.fill(7.0);
    assert_eq!(x.tolist(), [1.0, 2.0]);
}

#[test]
fn polynomials() {
    assert_eq!(gpu::polyval(&gpu::zeros::<f64>(0), &gpu::ones::<f64>((2, 1))).shape(), [2, 1]);
    assert!(gpu::polyval(&gpu::array(&[1.0]), &gpu::array(&[INFINITY])).item().is_nan());
    assert_eq!(gpu::poly(&gpu::zeros::<f32>(0)).tolist(), [1.0f32]);
    assert_eq!(gpu::polymul(&gpu::array(&[0, 0]), &gpu::array(&[0, 1, 2])).tolist(), [0, 0]);
    assert_eq!(gpu::polyadd(&gpu::flip(&gpu::array(&[1, 2]), 0), &gpu::zeros::<i32>(0)).tolist(), [2, 1]);
    assert_eq!(gpu::polyvander(&gpu::full((), 3.0f32), 2).to_host(), ndarray::arr2(&[[1.0f32, 3.0, 9.0]]).into_dyn());
    assert_eq!(gpu::polyvalfromroots(&gpu::array(&[2.0, 3.0]), &gpu::zeros::<f64>((0, 2))).shape(), [2, 2]);
    assert_eq!(gpu::polycompanion(&gpu::array(&[4.0, 2.0])).ravel().tolist(), [-2.0]);
    assert_eq!(gpu::trimseq(&gpu::zeros::<i32>(0)).shape(), [0]);
    assert_eq!(gpu::trimseq(&gpu::zeros::<i32>(3)).tolist(), [0]);
    let (x, y) = (gpu::array(&[0.0f32, 1.0, 2.0, 3.0]), gpu::array(&[1.0f32, 2.0, 5.0, 10.0]));
    assert!(gpu::allclose!(&gpu::polyfit(&x, &y, 2), &[1.0f32, 0.0, 1.0], atol = 1e-5));
    assert!(message(|| drop(gpu::polyfit(&x, &y.slice(s![..3]), 1))).contains("the 4 elements of `x`"));
    assert!(message(|| drop(gpu::polyval(&gpu::ones::<f64>((2, 2)), &gpu::ones::<f64>(2)))).contains("is not 1-D"));
    assert!(message(|| drop(gpu::polycompanion(&gpu::array(&[1.0, 0.0])))).contains("degree 1 at least"));
    assert!(message(|| drop(gpu::trimcoef(&gpu::zeros::<f64>(0)))).contains("no elements"));
    assert!(message(|| drop(gpu::trimcoef!(&gpu::ones::<f64>(2), tol = -1.0))).contains("-1 is negative"));
}

#[test]
fn windows_and_tensors() {
    for count in [0, 1] {
        for window in [
            gpu::bartlett(count),
            gpu::blackman(count),
            gpu::hamming(count),
            gpu::hanning(count),
            gpu::kaiser(count, 5.0),
        ] {
            assert_eq!(window.tolist(), vec![1.0; count]);
        }
    }
    assert!(message(|| drop(gpu::kaiser(3, 800.0))).contains("`beta` is 800"));
    // Of long windows the second half mirrors the first one.
    for count in [8191, 8192, 8193, 20_000, 20_481] {
        let (window, x) = (gpu::kaiser(count, 14.0), gpu::linspace(-1.0, 1.0, count));
        let expected = gpu::i0(&((&x * &x * -1.0 + 1.0).maximum(0.0).sqrt() * 14.0)) / gpu::i0(&gpu::array(&[14.0]));
        assert!(gpu::allclose(&window, &expected), "{count}");
        assert_eq!(window.shape(), [count]);
        assert!(gpu::array_equal(&window, &gpu::flip!(&window)), "{count}");
    }
    for count in [8193, 20_000] {
        let x = gpu::linspace(-1.0, 1.0, count) * std::f64::consts::PI;
        let expected = x.cos() * 0.5 + (&x * 2.0).cos() * 0.08 + 0.42;
        assert!((gpu::blackman(count) - expected).abs().max() < 1e-13, "{count}");
        for window in [gpu::bartlett(count), gpu::blackman(count), gpu::hamming(count), gpu::hanning(count)] {
            assert_eq!(window.shape(), [count]);
            assert!(gpu::array_equal(&window, &gpu::flip!(&window)), "{count}");
        }
    }
    let a = gpu::eye::<f32>(6).reshape((2, 3, 3, 2)) * 4.0;
    let inverse = gpu::linalg::tensorinv(&a);
    assert_eq!((inverse.shape(), inverse.sum()), (&[3, 2, 2, 3][..], 1.5));
    assert!(message(|| drop(gpu::linalg::tensorinv!(&a, ind = 0))).contains("tensorinv"));
    assert!(message(|| drop(gpu::linalg::tensorinv!(&a, ind = 1))).contains("rows of the shape [2]"));
    assert!(message(|| drop(gpu::linalg::tensorsolve(&a, &gpu::ones::<f32>((2, 2))))).contains("tensorsolve"));
}

#[test]
fn results_at_the_edge_have_numpys_shapes() {
    // np.cov([[1, 2, 3]]), np.cov([[1], [2], [3]], rowvar=False): of one variable it is a number.
    let row = gpu::array(&[[1.0, 2.0, 3.0]]);
    assert_eq!(gpu::cov(&row).shape(), [0usize; 0]);
    assert_eq!(gpu::cov!(&row.t(), rowvar = false).item(), 1.0);
    assert_eq!(gpu::corrcoef(&row).shape(), [0usize; 0]);
    assert_eq!(gpu::polyvander(&gpu::full((), 2.0), 2).to_host(), ndarray::arr2(&[[1.0, 2.0, 4.0]]).into_dyn());
    assert_eq!(gpu::trim_zeros(&gpu::zeros::<f64>((1, 0))).shape(), [0, 0]);
    assert_eq!(gpu::norm!(&gpu::zeros::<f64>((2, 0)), ord = 2), 0.0);
    assert_eq!(gpu::norm!(&gpu::zeros::<f64>((2, 0)), ord = 1), 0.0);
    assert_eq!(gpu::norm!(&gpu::zeros::<f64>((0, 2)), ord = f64::INFINITY), 0.0);
    assert_eq!(gpu::norm!(&gpu::zeros::<f64>((2, 0)), ord = f64::INFINITY, axis = 1).tolist(), [0.0, 0.0]);
}

/// Pairs of random bits, of near exponents, of multiples and their neighbours, and of special values, with few digits too.
macro_rules! dividends_and_divisors {
    ($float:ty, $bits:ty, $fraction:literal) => {{
        let special: [$float; 13] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            3.0,
            <$float>::INFINITY,
            <$float>::NEG_INFINITY,
            <$float>::NAN,
            <$float>::MAX,
            <$float>::MIN,
            <$float>::MIN_POSITIVE,
            <$float>::from_bits(1),
        ];
        let mut state = 1u128;
        let mut bits = || {
            state = state.wrapping_mul(0xda94_2042_e4dd_58b5).wrapping_add(0x9e37_79b9_7f4a_7c15);
            (state >> 61) as $bits
        };
        let pair = |number: usize| {
            let [mut x, mut y, chosen] = [bits(), bits(), bits()];
            let exponents = <$bits>::MAX >> 1 & <$bits>::MAX << $fraction;
            match number % 6 {
                0 | 1 => {
                    let near = (y & exponents).wrapping_add((chosen % 60) << $fraction) & exponents;
                    x = x & !exponents | near;
                }
                2 => {
                    x &= <$bits>::MAX << (chosen % ($fraction + 1));
                    y &= <$bits>::MAX << (chosen / 64 % ($fraction + 1));
                }
                _ => {}
            }
            let (mut x, mut y) = (<$float>::from_bits(x), <$float>::from_bits(y));
            match number % 6 {
                3 => x = (y * (chosen % 100_000) as $float).next_up(),
                4 => x = (y * (chosen >> (chosen % 40)) as $float).next_down(),
                5 => {
                    x = special[(chosen % 13) as usize];
                    y = if chosen / 16 % 2 == 0 { special[(chosen / 32 % 13) as usize] } else { y };
                }
                _ => {}
            }
            (x, y)
        };
        (0..300_000).map(pair).unzip::<$float, $float, Vec<_>, Vec<_>>()
    }};
}

#[test]
fn quotients_and_remainders_are_those_of_numpy_to_the_last_bit() {
    macro_rules! compare {
        ($float:ty, $bits:ty, $fraction:literal) => {
            let (x, y) = dividends_and_divisors!($float, $bits, $fraction);
            let (a, b) = (gpu::array(&x), gpu::array(&y));
            let (quotients, rests) = gpu::divmod(&a, &b);
            let all = a.modulo(&b).tolist().into_iter().zip(rests.tolist());
            let down = a.floor_divide(&b).tolist().into_iter().zip(quotients.tolist());
            for ((&x, &y), ((found, rest_found), (quotient, other_quotient))) in x.iter().zip(&y).zip(all.zip(down)) {
                // NumPy's rule, by an exact remainder.
                let rest = x % y;
                let expected = match rest {
                    0.0 => <$float>::copysign(0.0, y),
                    _ if (rest < 0.0) != (y < 0.0) => rest + y,
                    _ => rest,
                };
                let same = |a: $float, b: $float| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                assert!(same(found, expected), "{x:e} by {y:e}: {found:e}, not {expected:e}");
                assert!(same(rest_found, expected), "divmod of {x:e} and {y:e}: {rest_found:e}, not {expected:e}");
                let is_past = rest != 0.0 && (rest < 0.0) != (y < 0.0);
                let nearly = (x - rest) / y - if is_past { 1.0 } else { 0.0 };
                let expected = match nearly {
                    _ if y == 0.0 => x / y,
                    0.0 => <$float>::copysign(0.0, x / y),
                    _ if nearly - nearly.floor() > 0.5 => nearly.floor() + 1.0,
                    _ => nearly.floor(),
                };
                for found in [quotient, other_quotient] {
                    assert!(same(found, expected), "{x:e} // {y:e}: {found:e}, not {expected:e}");
                }
            }
        };
    }
    compare!(f64, u64, 52);
    compare!(f32, u32, 23);
}
