//! Arrays made of values of the host, of iterators, and of pieces; what is checked of them.

use crate::fixtures::message;
use warpcell as gpu;
use warpcell::prelude::*;

#[test]
fn iterators_become_arrays() {
    assert_eq!(gpu::fromiter([1.5f32, 2.5]).tolist(), [1.5, 2.5]);
    assert_eq!(gpu::fromiter(std::iter::empty::<u8>()).shape(), [0]);
    assert_eq!(gpu::fromiter([true, false]).tolist(), [true, false]);
    assert_eq!(gpu::fromiter!(1.., count = 3).tolist(), [1, 2, 3]);
    assert_eq!(gpu::fromiter!((0..3).rev(), dtype = gpu::f16).tolist(), [2.0, 1.0, 0.0].map(gpu::f16::from_f64));
    assert_eq!(gpu::fromiter!(0..3, count = 0).shape(), [0]);
    let said = "fromiter: the iterator has 3 values, fewer than 4; give a smaller count";
    assert_eq!(message(|| gpu::fromiter!(0..3, count = 4)), said);
}

#[test]
fn only_finite_values_pass() {
    assert_eq!(gpu::asarray_chkfinite(vec![1, 2]).tolist(), [1, 2]);
    assert_eq!(gpu::asarray_chkfinite(&[true]).tolist(), [true]);
    assert_eq!(gpu::asarray_chkfinite(&ndarray::Array2::<f64>::zeros((0, 2))).shape(), [0, 2]);
    assert_eq!(gpu::asarray_chkfinite(&ndarray::arr0(2.5)).item(), 2.5);
    assert_eq!(gpu::asarray_chkfinite(&[gpu::f16::MAX]).item(), gpu::f16::MAX);
    let said = "asarray_chkfinite: the element [1, 0] is NaN or infinite; replace such elements, or use `asarray`";
    assert_eq!(message(|| gpu::asarray_chkfinite(&[[1.0, 2.0], [f64::NAN, f64::INFINITY]])), said);
    assert_eq!(message(|| gpu::asarray_chkfinite(ndarray::array![[1.0f32, 2.0], [f32::NEG_INFINITY, 0.0]])), said);
    let columns = ndarray::array![[0.0, f64::NAN], [1.0, 2.0]];
    assert_eq!(message(|| gpu::asarray_chkfinite(&columns.t())), said);
    assert!(message(|| gpu::asarray_chkfinite(&[gpu::bf16::NAN])).contains("the element [0]"));
    let z = [Complex::new(1.0, 0.0), Complex::new(0.0, 1.0), Complex::new(0.0, f64::INFINITY)];
    assert!(message(|| gpu::asarray_chkfinite(&z)).contains("the element [2]"));
    assert!(gpu::try_asarray_chkfinite(&ndarray::arr0(f32::NAN)).is_err());
}

#[test]
fn pieces_are_joined_for_all_types() {
    fn check<T: gpu::Number + PartialEq>() {
        let a: DeviceArray<T> = gpu::array(&[3, 1]).astype();
        let reversed = gpu::flip(&a, 0);
        let joined = gpu::r_![&a, &reversed, a.get(&[0])];
        assert_eq!(joined.astype::<f64>().tolist(), [3.0, 1.0, 1.0, 3.0, 3.0]);
        assert_eq!(gpu::c_![&a, &reversed].astype::<f64>().ravel().tolist(), [3.0, 1.0, 1.0, 3.0]);
    }
    check::<u8>();
    check::<i32>();
    check::<u32>();
    check::<i64>();
    check::<u64>();
    check::<f32>();
    check::<f64>();
    let z = Complex::new(1.0, 2.0);
    assert_eq!(gpu::r_![z, &gpu::array(&[z]), [z, z]].sum(), Complex::new(4.0, 8.0));
    assert_eq!(gpu::r_![gpu::f16::ONE, [gpu::f16::ZERO]].sum(), 1.0);
    assert_eq!(gpu::c_![gpu::arange(3)].shape(), [3, 1]);
    // An array without axes is a number.
    assert_eq!(gpu::r_![&gpu::full((), 5), 6].tolist(), [5, 6]);
    assert!(message(|| gpu::r_![&gpu::zeros::<f64>((2, 2)), 1.0]).starts_with("r_: the shape [1]"));
    assert!(message(|| gpu::c_!["x", 1.0]).contains("the directive \"x\" is not known"));
}

#[test]
fn numbers_are_true_unless_they_are_zero() {
    let check = |a: DeviceArray<bool>, expected: &[bool]| assert_eq!(a.ravel().tolist(), expected);
    let x = gpu::array(&[0.0f32, -0.0, 1.0, f32::NAN]);
    check(x.logical_not(), &[true, true, false, false]);
    check(x.logical_and(1.0), &[false, false, true, true]);
    check(x.logical_or(0.0), &[false, false, true, true]);
    check(x.logical_xor(f32::NAN), &[true, true, false, false]);
    let z = gpu::array(&[Complex::new(0.0, 0.0), Complex::new(0.0, 1.0)]);
    check(z.logical_not(), &[true, false]);
    check(z.logical_and(&z), &[false, true]);
    check(gpu::logical_or(&gpu::array(&[0i8, -1]), &gpu::array(&[[0i8], [2]])), &[false, true, true, true]);
    check(gpu::logical_xor(&gpu::array(&[gpu::f16::ZERO, gpu::f16::ONE]), gpu::f16::ONE), &[true, false]);
    check(gpu::flip(&gpu::array(&[0u64, 7]), 0).logical_and(3), &[true, false]);
    check(gpu::zeros::<f64>((0, 2)).logical_and(gpu::zeros::<f64>((1, 2))), &[]);
    assert!(gpu::full((), 2.0).logical_and(3.0).item());
    assert!(message(|| x.logical_and(gpu::zeros::<f32>(3))).starts_with("logical_and: "));
}

#[test]
fn imaginary_parts_are_near_zero_or_not() {
    let near = |imaginary: f64| gpu::array(&[Complex::new(1.0, 0.0), Complex::new(2.0, imaginary)]);
    let epsilon = f64::EPSILON;
    assert_eq!(gpu::real_if_close(&near(99.0 * epsilon)).unwrap().tolist(), [1.0, 2.0]);
    for imaginary in [100.0 * epsilon, -1.0, f64::NAN, f64::INFINITY] {
        assert!(gpu::real_if_close(&near(imaginary)).is_none(), "{imaginary}");
    }
    // A tolerance of at most 1 is the bound itself.
    assert!(gpu::real_if_close!(&near(0.5), tol = 1.0).is_some());
    assert!(gpu::real_if_close!(&near(0.5), tol = 2.0).is_none());
    assert!(gpu::real_if_close!(&near(0.0), tol = 0.0).is_none());
    let single = gpu::array(&[Complex::new(1.0f32, 99.0 * f32::EPSILON)]);
    assert_eq!(gpu::real_if_close(&single).unwrap().item(), 1.0);
    assert_eq!(gpu::real_if_close(&gpu::zeros::<Complex<f64>>((0, 3))).unwrap().shape(), [0, 3]);
    assert_eq!(gpu::real_if_close(&gpu::flip(&near(0.0), 0)).unwrap().tolist(), [2.0, 1.0]);
}

#[test]
fn lists_and_numbers_become_arrays() {
    // Two levels, then three, each as itself and by reference, in all ways in which Rust can write them.
    let expected = [1.0, 2.0, 3.0, 4.0];
    let rows = || vec![vec![1.0, 2.0], vec![3.0, 4.0]];
    for a in [
        gpu::array([[1.0, 2.0], [3.0, 4.0]]),
        gpu::array(&[[1.0, 2.0], [3.0, 4.0]]),
        gpu::array(vec![[1.0, 2.0], [3.0, 4.0]]),
        gpu::array(&vec![[1.0, 2.0], [3.0, 4.0]]),
        gpu::array([vec![1.0, 2.0], vec![3.0, 4.0]]),
        gpu::array(&[vec![1.0, 2.0], vec![3.0, 4.0]]),
        gpu::array(rows()),
        gpu::asarray(&rows()),
        gpu::array(ndarray::array![[1.0, 2.0], [3.0, 4.0]]),
    ] {
        assert_eq!((a.shape(), a.ravel().tolist()), (&[2, 2][..], expected.to_vec()));
    }
    for a in [
        gpu::array([rows(), rows(), rows()].to_vec()),
        gpu::array(&vec![rows(); 3]),
        gpu::array([[[1.0, 2.0], [3.0, 4.0]]; 3]),
    ] {
        assert_eq!((a.shape(), a.ravel().tolist()), (&[3, 2, 2][..], expected.repeat(3)));
    }
    assert_eq!(gpu::array([1, 2, 3]).tolist(), [1, 2, 3]);
    assert_eq!(gpu::array(vec![true]).tolist(), [true]);
    let number = gpu::array(2.5_f32);
    assert_eq!((number.shape(), number.item()), (&[][..], 2.5));
    assert_eq!(gpu::power(&gpu::array(2.0), &gpu::array([1.0, 3.0])).tolist(), [2.0, 8.0]);
    assert_eq!(gpu::array(Vec::<Vec<f64>>::new()).shape(), [0, 0]);
    assert_eq!(gpu::array(Vec::<Vec<Vec<i64>>>::new()).shape(), [0, 0, 0]);
    // The length of rows is known even if there are none.
    assert_eq!(gpu::array(Vec::<[f64; 3]>::new()).shape(), [0, 3]);
    assert_eq!(gpu::asarray(&Vec::<[f64; 3]>::new()).shape(), [0, 3]);
    assert_eq!(gpu::array(vec![[0_u8; 0]; 2]).shape(), [2, 0]);
    assert_eq!(gpu::array(vec![Vec::<f32>::new(); 2]).shape(), [2, 0]);
}

#[test]
fn rows_that_lie_in_one_piece_are_taken_over() {
    let rows: Vec<[f32; 3]> = (0..1000).map(|row| [row as f32, 0.5, -1.0]).collect();
    let start = rows.as_ptr().addr();
    let a = gpu::asarray(rows);
    assert_eq!((a.shape(), a.get(&[999, 0]), a.get(&[3, 2])), (&[1000, 3][..], 999.0, -1.0));
    if gpu::device() == gpu::Device::Cpu {
        assert_eq!(a.data_ptr(), start);
    }
}

#[test]
fn lists_of_different_lengths_are_no_array() {
    let error = gpu::try_array(vec![vec![1, 2], vec![3]]).unwrap_err().to_string();
    assert!(error.contains("the first has 2 and another has 1"), "{error}");
    let error = gpu::try_array(vec![vec![vec![1]], vec![vec![1], vec![2]]]).unwrap_err().to_string();
    assert!(error.contains("the first has 1 and another has 2"), "{error}");
}
