//! How arrays print. The brackets and abbreviations are NumPy's.

use expect_test::{Expect, expect};
use warpcell as gpu;

fn check<T: gpu::Element>(array: gpu::DeviceArray<T>, expected: Expect) {
    let described = format!("{array:?}");
    // `{}` gives the values alone.
    assert!(described.starts_with(&format!("{array}\nshape (")));
    expected.assert_eq(&described.replace(&format!("on {}", array.device()), "on DEVICE"));
}

#[test]
fn small_arrays() {
    check(
        gpu::array(&[1, -20, 3]),
        expect![[r#"
        [  1 -20   3]
        shape (3,), dtype i32, on DEVICE"#]],
    );
    check(
        gpu::array(&[[1.0, 2.5], [f64::NAN, -0.125]]),
        expect![[r#"
            [[ 1.     2.5  ]
             [   nan -0.125]]
            shape (2, 2), dtype f64, on DEVICE"#]],
    );
    check(
        gpu::array(&[1.0f32, 2.0, 3.0]),
        expect![[r#"
        [1. 2. 3.]
        shape (3,), dtype f32, on DEVICE"#]],
    );
    check(
        gpu::array(&[1e-9, 1.0]),
        expect![[r#"
            [1.e-09 1.e+00]
            shape (2,), dtype f64, on DEVICE"#]],
    );
    check(
        gpu::array(&[gpu::Complex::new(1.0, 2.0), gpu::Complex::new(-0.5, -10.25)]),
        expect![[r#"
            [ 1.  +2.i   -0.5-10.25i]
            shape (2,), dtype Complex<f64>, on DEVICE"#]],
    );
    check(
        gpu::array(&[gpu::Complex::new(0.1f32, f32::NAN), gpu::Complex::new(f32::INFINITY, -0.0)]),
        expect![[r#"
            [0.1+nani inf -0.i]
            shape (2,), dtype Complex<f32>, on DEVICE"#]],
    );
    check(
        gpu::array(&[true, false]),
        expect![[r#"
        [ true false]
        shape (2,), dtype bool, on DEVICE"#]],
    );
    check(
        gpu::full((), 7u8),
        expect![[r#"
        7
        shape (), dtype u8, on DEVICE"#]],
    );
    check(
        gpu::zeros::<f32>((2, 0)),
        expect![[r#"
        [[]
         []]
        shape (2, 0), dtype f32, on DEVICE"#]],
    );
    check(
        gpu::arange(8).reshape((2, 2, 2)),
        expect![[r#"
        [[[0 1]
          [2 3]]

         [[4 5]
          [6 7]]]
        shape (2, 2, 2), dtype i32, on DEVICE"#]],
    );
    check(
        gpu::array(&[1.0 / 3.0, 0.1f32]),
        expect![[r#"
            [0.33333334 0.1       ]
            shape (2,), dtype f32, on DEVICE"#]],
    );
}

/// As NumPy prints arrays of int8, uint16 and float16.
#[test]
fn types_for_storage() {
    let halves = |values: &[f64]| gpu::asarray(values).astype::<gpu::f16>();
    check(
        halves(&[0.1, 2.5, 1.0 / 3.0]),
        expect![[r#"
            [0.1    2.5    0.3333]
            shape (3,), dtype f16, on DEVICE"#]],
    );
    check(
        halves(&[1000.5, 0.25, f64::NAN, f64::NEG_INFINITY]).reshape((2, 2)),
        expect![[r#"
            [[1.0005e+03 2.5000e-01]
             [       nan       -inf]]
            shape (2, 2), dtype f16, on DEVICE"#]],
    );
    check(
        halves(&[6e-8, 65504.0, 1.0]),
        expect![[r#"
            [5.96e-08 6.55e+04 1.00e+00]
            shape (3,), dtype f16, on DEVICE"#]],
    );
    check(
        halves(&[0.0001, 0.05]),
        expect![[r#"
            [0.0001 0.05  ]
            shape (2,), dtype f16, on DEVICE"#]],
    );
    check(
        gpu::array(&[0.1f32, -2.0, 3.1402]).astype::<gpu::bf16>(),
        expect![[r#"
            [ 0.1  -2.    3.14]
            shape (3,), dtype bf16, on DEVICE"#]],
    );
    check(
        gpu::array(&[1i8, -128, 3]),
        expect![[r#"
            [   1 -128    3]
            shape (3,), dtype i8, on DEVICE"#]],
    );
    check(
        gpu::arange(2000).astype::<u16>(),
        expect![[r#"
            [   0    1    2 ... 1997 1998 1999]
            shape (2000,), dtype u16, on DEVICE"#]],
    );
}

#[test]
fn large_arrays_are_abbreviated() {
    check(
        gpu::arange(2000),
        expect![[r#"
        [   0    1    2 ... 1997 1998 1999]
        shape (2000,), dtype i32, on DEVICE"#]],
    );
    check(
        gpu::arange(10_000.0).reshape((100, 100)),
        expect![[r#"
        [[   0.    1.    2. ...   97.   98.   99.]
         [ 100.  101.  102. ...  197.  198.  199.]
         [ 200.  201.  202. ...  297.  298.  299.]
         ...
         [9700. 9701. 9702. ... 9797. 9798. 9799.]
         [9800. 9801. 9802. ... 9897. 9898. 9899.]
         [9900. 9901. 9902. ... 9997. 9998. 9999.]]
        shape (100, 100), dtype f64, on DEVICE"#]],
    );
}
