//! Roots of polynomials, polynomials as values, and what is made of their coefficients.

use crate::fixtures::{check, message};
use expect_test::expect;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Arithmetic, Complex32, Complex64, Float, Poly1d};

/// Roots in the order of their real parts, then of their imaginary ones.
fn sorted(roots: &DeviceArray<Complex64>) -> Vec<Complex64> {
    let mut roots: Vec<Complex64> = roots.to_host().into_iter().collect();
    roots.sort_by(|a, b| (a.re, a.im).partial_cmp(&(b.re, b.im)).unwrap());
    roots
}

#[track_caller]
fn near(found: &[Complex64], expected: &[Complex64], room: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).norm() <= room);
    assert!(is_near, "{found:?} is not {expected:?}");
}

fn real(values: &[f64]) -> Vec<Complex64> {
    values.iter().map(|&value| value.into()).collect()
}

#[test]
fn roots_are_those_of_numpy() {
    let of = |p: &[f64]| sorted(&gpu::roots(&gpu::array(p)));
    near(&of(&[1.0, -6.0, 11.0, -6.0]), &real(&[1.0, 2.0, 3.0]), 1e-12);
    // Zeros in front do not count, zeros at the end are roots.
    near(&of(&[0.0, 0.0, 2.0, -2.0, 0.0, 0.0]), &real(&[0.0, 0.0, 1.0]), 1e-15);
    assert_eq!(of(&[5.0]).len() + of(&[]).len() + of(&[0.0, 0.0]).len() + of(&[0.0, 3.0]).len(), 0);
    near(&of(&[3.0, 0.0]), &real(&[0.0]), 0.0);
    near(&of(&[0.0, 2.0, -1.0]), &real(&[0.5]), 0.0);
    near(&of(&[1.0, 0.0, 1.0]), &[-Complex64::I, Complex64::I], 1e-15);
    // Of different sizes: 1e-9, 1 and 1e9.
    let sizes = of(&[1.0, -(1e9 + 1.0 + 1e-9), 1e9 + 1.0 + 1e-9, -1.0]);
    assert!(
        sizes.iter().zip([1e-9, 1.0, 1e9]).all(|(root, expected)| (root / expected - 1.0).norm() < 1e-6),
        "{sizes:?}"
    );
    // Other element types, and other strides.
    near(&sorted(&gpu::roots(&gpu::array(&[1, -3, 2]))), &real(&[1.0, 2.0]), 1e-15);
    near(&sorted(&gpu::roots(&gpu::array(&[2u8, 0, 2])).real().astype()), &real(&[0.0, 0.0]), 1e-15);
    let single: DeviceArray<Complex32> = gpu::roots(&gpu::array(&[1.0f32, -3.0, 2.0]));
    near(&sorted(&single.astype()), &real(&[1.0, 2.0]), 1e-5);
    let complex = gpu::array(&[Complex64::ONE, -Complex64::I, Complex64::ZERO]);
    near(&sorted(&gpu::roots(&complex)), &[Complex64::ZERO, Complex64::I], 1e-15);
    let backwards = gpu::flip(&gpu::array(&[2.0, -3.0, 1.0]), 0);
    near(&sorted(&gpu::roots(&backwards)), &real(&[1.0, 2.0]), 1e-15);
}

#[test]
fn roots_and_coefficients_are_opposites() {
    let coefficients = gpu::random::Generator::new(4).normal(0.0, 1.0, 24);
    let roots = gpu::roots(&coefficients);
    let again = gpu::poly(&roots) * Complex64::from(coefficients.get(&[0]));
    assert!((again.real() - &coefficients).abs().max() < 1e-10 && again.imag().abs().max() < 1e-10);
    let p = coefficients.astype::<Complex64>();
    assert!(gpu::polyval(&p, &roots).abs().max() < 1e-8);
    // The characteristic polynomial.
    let a = gpu::array(&[[1.0, 2.0], [3.0, 4.0]]);
    assert!(gpu::allclose(&gpu::poly(&a), &[1.0, -5.0, -2.0]));
    assert!(gpu::allclose(&gpu::poly(&a.astype::<f32>()), &[1.0f32, -5.0, -2.0]));
    assert_eq!(gpu::poly(&gpu::zeros::<f64>(0)).tolist(), [1.0]);
}

#[test]
fn quotients_derivatives_and_integrals() {
    fn floats<T: Float>() {
        let of = |values: &[f64]| gpu::array(values).astype::<T>();
        let list = |a: &DeviceArray<T>| a.to_host().iter().map(|value| value.to_f64()).collect::<Vec<_>>();
        let (q, r) = gpu::polydiv(&of(&[2.0, 3.0, 0.0, 5.0]), &of(&[1.0, 0.0, -1.0]));
        assert_eq!((list(&q), list(&r)), (vec![2.0, 3.0], vec![2.0, 8.0]));
        let (q, r) = gpu::polydiv(&of(&[3.0]), &of(&[1.0, 2.0]));
        assert_eq!((list(&q), list(&r)), (vec![0.0], vec![3.0]));
        let (q, r) = gpu::polydiv(&of(&[2.0, 4.0]), &of(&[4.0]));
        assert_eq!((list(&q), list(&r)), (vec![0.5, 1.0], vec![0.0]));
        assert_eq!(list(&gpu::polyder!(&of(&[1.0, 2.0, 3.0, 4.0]), m = 0)), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(list(&gpu::polyder!(&of(&[1.0, 2.0, 3.0, 4.0]), 2)), [6.0, 4.0]);
        assert_eq!(gpu::polyder!(&of(&[1.0, 2.0]), m = 9).size(), 0);
        assert_eq!(list(&gpu::polyint!(&of(&[6.0, 2.0]), m = 2, k = [T::from_f64(5.0)])), [1.0, 1.0, 5.0, 5.0]);
        assert_eq!(list(&gpu::polyint!(&of(&[6.0]), m = 0)), [6.0]);
        assert_eq!(list(&gpu::polyint(&of(&[]))), [0.0]);
    }
    floats::<f64>();
    floats::<f32>();
    let (q, r) = gpu::polydiv(&gpu::array(&[1, 5, 7]), &gpu::array(&[2, 4]));
    assert_eq!((q.tolist(), r.tolist()), (vec![0.5, 1.5], vec![1.0]));
    assert_eq!(gpu::polyint(&gpu::array(&[3i16, 2])).tolist(), [1.5f64, 2.0, 0.0]);
    assert_eq!(gpu::polyder(&gpu::array(&[3u8, 100, 2])).tolist(), [6, 100]);
    let infinite: DeviceArray<f64> = gpu::polydiv(&gpu::array(&[1.0, 2.0]), &gpu::array(&[0.0, 1.0])).0;
    assert!(!infinite.is_finite().any(), "as NumPy divides by 0");
}

#[test]
fn complex_and_narrow_coefficients() {
    let i = Complex64::I;
    let p = gpu::array(&[Complex64::ONE, i]);
    assert_eq!(gpu::polymul(&p, &p).tolist(), [Complex64::ONE, 2.0 * i, -Complex64::ONE]);
    assert_eq!(gpu::polyadd(&p, &gpu::array(&[i])).tolist(), [Complex64::ONE, 2.0 * i]);
    assert_eq!(gpu::polysub(&gpu::array(&[i]), &p).tolist(), [-Complex64::ONE, Complex64::ZERO]);
    assert_eq!(gpu::polyval(&p, &gpu::array(&[i, -i])).tolist(), [2.0 * i, Complex64::ZERO]);
    assert_eq!(gpu::poly(&gpu::array(&[i, -i])).tolist(), real(&[1.0, 0.0, 1.0]));
    let narrow = gpu::array(&[1i8, 100]);
    assert_eq!(gpu::polymul(&narrow, &narrow).tolist(), [1, -56, 16], "products wrap, as in NumPy");
    assert_eq!(gpu::polyval(&narrow, &gpu::array(&[27i8, 28])).tolist(), [127, -128]);
    let half = gpu::array(&[1.0f32, 2.0]).astype::<gpu::f16>();
    assert_eq!(gpu::polyval(&half, &half).astype::<f32>().tolist(), [3.0, 4.0]);
}

#[test]
fn polynomials_are_values() {
    let of = |values: &[f64]| gpu::poly1d(&gpu::array(values));
    let coefficients = |p: Poly1d<f64>| p.c().tolist();
    let (p, q) = (of(&[0.0, 1.0, 2.0, 3.0]), of(&[2.0, 5.0]));
    assert_eq!((p.order(), p.o(), p.variable(), q.coeffs().tolist()), (2, 2, "x", vec![2.0, 5.0]));
    assert_eq!((p.get(2), p.get(0), p.get(7)), (1.0, 3.0, 0.0));
    assert_eq!(coefficients(&p + &q), [1.0, 4.0, 8.0]);
    assert_eq!(coefficients(p.clone() - &q), [1.0, 0.0, -2.0]);
    assert_eq!(coefficients(&q - p.clone()), [-1.0, 0.0, 2.0]);
    assert_eq!(coefficients(p.clone() * q.clone()), [2.0, 9.0, 16.0, 15.0]);
    assert_eq!(coefficients(&p - &p), [0.0]);
    assert_eq!(coefficients(&p + 1.0), [1.0, 2.0, 4.0]);
    assert_eq!(coefficients(&p - 1.0), [1.0, 2.0, 2.0]);
    assert_eq!(coefficients(1.0 - &p), [-1.0, -2.0, -2.0]);
    assert_eq!(coefficients(1.0 + p.clone()), [1.0, 2.0, 4.0]);
    assert_eq!(coefficients(2.0 * &p * 0.5), [1.0, 2.0, 3.0]);
    assert_eq!(coefficients(&p * 0.0), [0.0]);
    assert_eq!(coefficients(&p / 2.0), [0.5, 1.0, 1.5]);
    assert_eq!(coefficients(-&p), [-1.0, -2.0, -3.0]);
    let (quotient, rest) = &p / &q;
    assert_eq!(&quotient * &q + &rest, p);
    assert_eq!((quotient.order(), rest.order()), (1, 0));
    assert_eq!(coefficients(q.powi(0)), [1.0]);
    assert_eq!(coefficients(q.powi(3)), [8.0, 60.0, 150.0, 125.0]);
    assert_eq!(coefficients(q.powi(6)), coefficients(q.powi(3) * q.powi(3)));
    assert_eq!(coefficients(p.deriv()), [2.0, 2.0]);
    assert_eq!(coefficients(p.deriv_with(3)), [0.0]);
    assert_eq!(coefficients(q.integ()), [1.0, 5.0, 0.0]);
    assert_eq!(coefficients(q.integ_with(2, [6.0])), coefficients(q.integ_with(1, [6.0]).integ_with(1, [6.0])));
    assert_eq!(p.eval(2.0), 11.0);
    assert_eq!(p.eval(gpu::array(&[[0.0], [1.0]])).ravel().tolist(), [3.0, 6.0]);
    assert_eq!(coefficients(p.eval(&q)), coefficients(&q * &q + &q * 2.0 + 3.0));
    near(&sorted(&of(&[1.0, 0.0, -4.0]).roots()), &real(&[-2.0, 2.0]), 1e-15);
    near(&sorted(&of(&[1.0, 0.0, 4.0]).r()), &[-2.0 * Complex64::I, 2.0 * Complex64::I], 1e-15);
    assert!(p == of(&[1.0, 2.0, 3.0]) && p != q && of(&[]) == of(&[0.0, 0.0]) && of(&[f64::NAN]) != of(&[f64::NAN]));
    // Functions of arrays take polynomials, too.
    assert_eq!(gpu::polyval(&p, &gpu::array(&[2.0])).tolist(), [11.0]);
    assert_eq!(gpu::polyder(&p).tolist(), [2.0, 2.0]);
    // What is made of a polynomial has the name of its variable.
    let t = gpu::poly1d!(&gpu::array(&[1, 2, 3]), variable = "t");
    assert_eq!((&t * 2).to_string(), "   2\n2 t + 4 t + 6");
    assert_eq!(t.astype::<f32>().deriv().to_string(), " \n2 t + 2");
    assert_eq!(format!("{t:?} {:?}", of(&[1.0, 2.5])), "poly1d([1, 2, 3]) poly1d([1.0, 2.5])");
    // The coefficients are copied.
    let mut c = gpu::array(&[1.0, 2.0]);
    let p = gpu::poly1d(&c);
    c.fill(9.0);
    assert_eq!(coefficients(p), [1.0, 2.0]);
    // Zeros in front are not counted, whether or not somebody has asked for the degree; what was handed out is the polynomial's own.
    for values in [&[0.0, 0.0, 5.0, 7.0][..], &[5.0, 7.0]] {
        let p = of(values);
        assert_eq!((p.get(0), p.get(1), p.get(2), p.get(9), p.eval(2.0)), (7.0, 5.0, 0.0, 0.0, 17.0));
        assert_eq!((p.order(), p.get(1), p.get(2), p.eval(2.0)), (1, 5.0, 0.0, 17.0));
        p.coeffs().fill(3.0);
        assert_eq!((p.get(0), p.get(1), p.get(2), p.eval(2.0)), (3.0, 3.0, 0.0, 9.0));
    }
    for values in [&[][..], &[0.0], &[0.0, 0.0]] {
        let p = of(values);
        assert_eq!((p.get(0), p.get(1), p.eval(2.0), p.order(), coefficients(p)), (0.0, 0.0, 0.0, 0, vec![0.0]));
    }
}

#[test]
fn polynomials_of_all_types() {
    fn of_type<T: Arithmetic>() {
        let p = gpu::poly1d(&gpu::array(&[0, 1, 2, 1]).astype::<T>());
        let one = gpu::poly1d(&gpu::array(&[1, 1]).astype::<T>());
        assert_eq!((p.order(), one.powi(2)), (2, p.clone()));
        let (quotient, rest) = &p / &one;
        assert!(quotient == one.astype::<T::Mean>() && rest.order() == 0 && rest.get(0) == Default::default());
        assert_eq!(p.to_string(), "   2\n1 x + 2 x + 1");
        assert_eq!((&p + &one - &one) * p.get(0), p);
        assert_eq!(p.deriv().integ().deriv(), p.deriv().astype::<T::Mean>());
    }
    of_type::<u8>();
    of_type::<i16>();
    of_type::<i32>();
    of_type::<i64>();
    of_type::<u64>();
    of_type::<gpu::f16>();
    of_type::<f32>();
    of_type::<f64>();
    of_type::<Complex32>();
    of_type::<Complex64>();
}

#[test]
fn series_of_one_type_without_zeros() {
    let series = gpu::as_series([&gpu::array(&[1, 0, 2, 0]), &gpu::array(&[0, 0]), &gpu::array(&[3])]);
    let lists: Vec<Vec<f64>> = series.iter().map(DeviceArray::tolist).collect();
    assert_eq!(lists, [vec![1.0, 0.0, 2.0], vec![0.0], vec![3.0]]);
    let single: Vec<DeviceArray<f32>> = gpu::as_series!([&gpu::array(&[1.0f32, 0.0])], trim = false);
    assert_eq!(single[0].tolist(), [1.0, 0.0]);
    assert!(gpu::as_series(&[] as &[DeviceArray<f64>]).is_empty());
}

#[test]
fn what_is_no_polynomial_is_refused() {
    let matrix = gpu::zeros::<f64>((2, 3));
    check(
        || drop(gpu::roots(&matrix)),
        expect!["roots: the shape [2, 3] is not 1-D; give the coefficients or roots as a 1-D array"],
    );
    check(
        || drop(gpu::poly(&matrix)),
        expect![
            "poly: the shape [2, 3] is neither that of a 1-D array of roots nor that of a square matrix with elements; give one of these"
        ],
    );
    assert!(message(|| drop(gpu::poly(&gpu::zeros::<f64>((0, 0))))).contains("[0, 0] is neither"));
    check(
        || drop(gpu::poly1d(&matrix)),
        expect!["poly1d: the shape [2, 3] is not 1-D; give the coefficients or roots as a 1-D array"],
    );
    let nan = gpu::array(&[1.0, f64::NAN, 2.0]);
    assert_eq!(gpu::try_roots(&nan).unwrap_err(), gpu::Error::NotFinite { operation: "roots" });
    // The ratio of the coefficients is infinite.
    assert!(gpu::try_roots(&gpu::array(&[1e-300, 1e300])).is_err());
    check(
        || drop(gpu::polydiv(&gpu::zeros::<f64>(0), &nan)),
        expect!["polydiv: the shape [0] has no elements; give at least one coefficient"],
    );
    check(
        || drop(gpu::polyint!(&nan, m = 3, k = [1.0, 2.0])),
        expect!["polyint: there are 2 constants for 3 integrals; give one constant, or one for each integral"],
    );
    check(
        || drop(gpu::as_series([&gpu::zeros::<f64>(0)])),
        expect!["as_series: the shape [0] has no elements; give at least one coefficient"],
    );
    check(
        || drop(gpu::as_series([&matrix])),
        expect!["as_series: the shape [2, 3] is not 1-D; give the coefficients or roots as a 1-D array"],
    );
}
