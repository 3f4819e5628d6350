//! Arrays of complex numbers: what NumPy gives of them, and that whatever moves elements moves both parts.

use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Complex, Element, Error, Pad, f16};

/// A type of complex numbers that fixtures hold.
pub trait ComplexSample: Element {
    type Part: Sample;
    fn of(re: Self::Part, im: Self::Part) -> Self;
    /// In f64.
    fn wide(self) -> Complex<f64>;
}

macro_rules! complex {
    ($($part:ty)*) => {$(
        impl ComplexSample for Complex<$part> {
            type Part = $part;
            fn of(re: $part, im: $part) -> Self {
                Complex::new(re, im)
            }
            fn wide(self) -> Complex<f64> {
                Complex::new(self.re.into(), self.im.into())
            }
        }
    )*};
}
complex!(f32 f64);

/// The host array that a case holds under a name.
pub fn complex_host<T: ComplexSample>(case: &Value, name: &str) -> ArrayD<T> {
    let array = &case[name];
    assert_eq!(array["dtype"], T::DTYPE.name(), "{name} of {case}");
    let shape: Vec<usize> = array["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let part = |value: &Value, index: usize| T::Part::read(&value[index]);
    let data = array["data"].as_array().unwrap().iter().map(|value| T::of(part(value, 0), part(value, 1)));
    ArrayD::from_shape_vec(IxDyn(&shape), data.collect()).expect("the shape has as many elements")
}

/// The same on the device.
pub fn complex_device<T: ComplexSample>(case: &Value, name: &str) -> DeviceArray<T> {
    gpu::asarray(&complex_host::<T>(case, name))
}

/// Compares element by element: the distance, to the size of each element and to `scale`. Infinities and NaN must be the same.
#[track_caller]
pub fn assert_near<T: ComplexSample>(
    actual: &ArrayD<T>,
    expected: &ArrayD<T>,
    (relative, scale): (f64, f64),
    case: &Value,
) {
    assert_eq!(actual.shape(), expected.shape(), "{case}");
    for (&actual_one, &expected_one) in actual.iter().zip(expected) {
        let (a, e) = (actual_one.wide(), expected_one.wide());
        let same = |a: f64, e: f64| a == e || (a.is_nan() && e.is_nan());
        let is_near = (a - e).norm() <= relative * e.norm().max(scale) || (same(a.re, e.re) && same(a.im, e.im));
        assert!(is_near, "{actual_one} is not {expected_one}\n{case}");
    }
}

fn functions<T>(case: &Value, relative: f64)
where
    T: ComplexSample + gpu::Inexact<Part = <T as ComplexSample>::Part> + Element<Sum = T, Mean = T>,
    DeviceArray<T>: Parts<T>,
{
    let x = || complex_device::<T>(case, "x");
    let near = |actual: ArrayD<T>| {
        let expected = complex_host::<T>(case, "expected");
        assert_near(&actual, &expected, (relative, 0.0), case);
    };
    let real = |actual: DeviceArray<<T as ComplexSample>::Part>| {
        assert_same(&actual.to_host(), &host(case, "expected"), relative, case);
    };
    let truth = |actual: DeviceArray<bool>| assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
    let pair = || (complex_device::<T>(case, "a"), complex_device::<T>(case, "b"));
    let axis = case["axis"].as_i64().map(|axis| axis as isize);
    match case["name"].as_str().unwrap() {
        "add" => near((pair().0 + pair().1).to_host()),
        "subtract" => near((pair().0 - pair().1).to_host()),
        "multiply" => near((pair().0 * pair().1).to_host()),
        "divide" => near((pair().0 / pair().1).to_host()),
        "eq" => truth(pair().0.eq(pair().1)),
        "ne" => truth(pair().0.ne(pair().1)),
        "negative" => near((-x()).to_host()),
        "exp" => near(x().exp().to_host()),
        "sqrt" => near(x().sqrt().to_host()),
        "square" => near(x().square().to_host()),
        "abs" => real(x().abs()),
        "conj" => near(x().conj_().to_host()),
        "angle" => real(x().angle_()),
        "real" => real(x().real_()),
        "imag" => real(x().imag_()),
        "is_nan" => truth(x().is_nan_()),
        "is_inf" => truth(x().is_inf_()),
        "is_finite" => truth(x().is_finite_()),
        "bool" => truth(x().astype()),
        "sum" if axis.is_none() => near(ArrayD::from_elem(vec![], x().sum())),
        "sum" => near(x().sum_axis(axis.unwrap()).to_host()),
        "mean" if axis.is_none() => near(ArrayD::from_elem(vec![], x().mean())),
        "mean" => near(x().mean_axis(axis.unwrap()).to_host()),
        other => panic!("no test for {other}"),
    }
}

/// The methods of complex numbers, which are those of two types.
trait Parts<T: ComplexSample> {
    fn conj_(&self) -> DeviceArray<T>;
    fn angle_(&self) -> DeviceArray<T::Part>;
    fn real_(&self) -> DeviceArray<T::Part>;
    fn imag_(&self) -> DeviceArray<T::Part>;
    fn is_nan_(&self) -> DeviceArray<bool>;
    fn is_inf_(&self) -> DeviceArray<bool>;
    fn is_finite_(&self) -> DeviceArray<bool>;
}

macro_rules! parts {
    ($($part:ty)*) => {$(
        impl Parts<Complex<$part>> for DeviceArray<Complex<$part>> {
            fn conj_(&self) -> DeviceArray<Complex<$part>> {
                self.conj()
            }
            fn angle_(&self) -> DeviceArray<$part> {
                self.angle()
            }
            fn real_(&self) -> DeviceArray<$part> {
                self.real()
            }
            fn imag_(&self) -> DeviceArray<$part> {
                self.imag()
            }
            fn is_nan_(&self) -> DeviceArray<bool> {
                self.is_nan()
            }
            fn is_inf_(&self) -> DeviceArray<bool> {
                self.is_inf()
            }
            fn is_finite_(&self) -> DeviceArray<bool> {
                self.is_finite()
            }
        }
    )*};
}
parts!(f32 f64);

#[test]
fn functions_and_sums_are_those_of_numpy() {
    fn conversions<T: Sample>(case: &Value) {
        fn to<T: Sample, U: ComplexSample>(case: &Value) {
            let actual = device::<T>(case, "x").astype::<U>().to_host();
            assert_near(&actual, &complex_host(case, "expected"), (0.0, 0.0), case);
        }
        match case["expected"]["dtype"].as_str() {
            Some("Complex<f32>") => to::<T, Complex<f32>>(case),
            _ => to::<T, Complex<f64>>(case),
        }
    }
    for case in cases("complex_numbers") {
        let given = if case["x"].is_null() { &case["a"] } else { &case["x"] };
        match (case["name"].as_str(), given["dtype"].as_str()) {
            (Some("astype"), Some("Complex<f64>")) => {
                let x = complex_device::<Complex<f64>>(case, "x");
                match case["expected"]["dtype"].as_str() {
                    Some("Complex<f32>") => {
                        let expected = complex_host::<Complex<f32>>(case, "expected");
                        assert_near(&x.astype::<Complex<f32>>().to_host(), &expected, (0.0, 0.0), case);
                    }
                    _ => assert_near(
                        &x.astype().to_host(),
                        &complex_host::<Complex<f64>>(case, "expected"),
                        (0.0, 0.0),
                        case,
                    ),
                }
            }
            (Some("astype"), _) => {
                with_dtype!(given["dtype"], [bool u8 i8 u16 i16 i32 u32 i64 u64 f16 f32 f64], conversions(case));
            }
            (_, Some("Complex<f32>")) => functions::<Complex<f32>>(case, 1e-6),
            _ => functions::<Complex<f64>>(case, 4e-15),
        }
    }
}

/// What moves elements does with both parts what it does with real numbers.
#[test]
fn elements_are_moved_as_both_their_parts() {
    fn moved<T>()
    where
        T: ComplexSample + gpu::Inexact<Part = <T as ComplexSample>::Part>,
        DeviceArray<T>: Parts<T>,
    {
        let z = |re: &DeviceArray<i32>| {
            let z = gpu::zeros::<T>(re.shape());
            z.real_().assign(&re.astype());
            z.imag_().assign(&(re * 10 + 1).astype());
            z
        };
        let same = |actual: &DeviceArray<T>, expected: &DeviceArray<i32>| {
            assert_eq!(actual.shape(), expected.shape());
            assert_eq!(actual.to_host(), z(expected).to_host());
        };
        let small = gpu::arange(24).reshape((2, 3, 4));
        let a = z(&small);
        let seven = z(&gpu::full((), 7)).item();
        same(&a, &small);
        same(&gpu::asarray(&a.to_host()), &small);
        same(&gpu::asarray(&a.to_host().t()), &small.t());
        same(&a.t().copy(), &small.t());
        same(&a.slice(s![.., 1..;-1, ..;2]), &small.slice(s![.., 1..;-1, ..;2]));
        same(&a.slice(s![.., 1..;-1, ..;2]).copy(), &small.slice(s![.., 1..;-1, ..;2]));
        same(&a.reshape((6, 4)).diagonal(), &small.reshape((6, 4)).diagonal());
        same(&a.broadcast_to((3, 2, 3, 4)).copy(), &small.broadcast_to((3, 2, 3, 4)));
        same(&gpu::concatenate([&a, &a], -1), &gpu::concatenate([&small, &small], -1));
        same(&gpu::stack([&a, &a], 1), &gpu::stack([&small, &small], 1));
        same(&gpu::tile(&a, (2, 1, 3)), &gpu::tile(&small, (2, 1, 3)));
        same(&gpu::roll(&a, 5, 2), &gpu::roll(&small, 5, 2));
        same(&gpu::flip(&a, (0, 2)), &gpu::flip(&small, (0, 2)));
        same(&gpu::repeat(&a, 3, 1), &gpu::repeat(&small, 3, 1));
        same(&gpu::pad(&a, 2, Pad::Constant(seven)), &gpu::pad(&small, 2, Pad::Constant(7)));
        same(&gpu::full((3, 5), seven), &gpu::full((3, 5), 7));
        let mut filled = a.copy();
        filled.slice(s![.., .., 1..;2]).fill(seven);
        let mut reference = small.copy();
        reference.slice(s![.., .., 1..;2]).fill(7);
        same(&filled, &reference);
        let places = gpu::array(&[[5i64, -1], [0, 5]]);
        same(&a.take(&places), &small.take(&places));
        same(&a.take_axis([2, 0], 1), &small.take_axis([2, 0], 1));
        filled.put(&places, seven);
        reference.put(&places, 7);
        same(&filled, &reference);
        let mask = small.modulo(3).eq(0);
        same(&a.extract(&mask), &small.extract(&mask));
        same(&gpu::where_(&mask, &a, seven), &gpu::where_(&mask, &small, 7));
        same(&gpu::where_(&mask, &a, &filled), &gpu::where_(&mask, &small, &reference));
        filled.putmask(&mask, seven);
        reference.putmask(&mask, 7);
        same(&filled, &reference);
        let mut two = (a.copy(), small.copy());
        two.0.put(gpu::array(&[3i64, 4, 3]), z(&gpu::array(&[100, 200, 300])));
        two.1.put(gpu::array(&[3i64, 4, 3]), gpu::array(&[100, 200, 300]));
        same(&two.0, &two.1);
        assert_eq!(a.get(&[1, 2, 3]), a.slice(s![-1, -1, -1]).item());
        assert_eq!((a.nbytes(), a.dtype()), (24 * size_of::<T>(), T::DTYPE));
        let on_host = gpu::host::tile(&a.to_host_as::<ndarray::Ix3>().t(), (1, 2, 1));
        same(&gpu::asarray(&on_host), &gpu::tile(&small.t(), (1, 2, 1)));
        assert!(gpu::allclose(&a, &a.to_host()));
        // Large enough for several threads.
        let large = gpu::arange(60_000).reshape((200, 300));
        same(&z(&large).t().copy(), &large.t());
        same(&z(&large).take_axis(gpu::arange(200i64), 0), &large);
    }
    moved::<Complex<f32>>();
    moved::<Complex<f64>>();
}

#[test]
fn scalars_real_and_complex_stand_beside_arrays() {
    let i = Complex::new(0.0, 1.0);
    let z = gpu::array(&[1.0 + i, 2.0 - i]);
    let same = |actual: DeviceArray<Complex<f64>>, expected: [Complex<f64>; 2]| {
        assert_eq!(actual.to_host(), ndarray::arr1(&expected).into_dyn());
    };
    same(&z * i, [i - 1.0, 2.0 * i + 1.0]);
    same(i * &z, [i - 1.0, 2.0 * i + 1.0]);
    same(&z + 1.0, [2.0 + i, 3.0 - i]);
    same(1.0 - &z, [-i, -1.0 + i]);
    same(z.clone() / 2.0, [0.5 + 0.5 * i, 1.0 - 0.5 * i]);
    same(2.0 / gpu::array(&[i, -i]), [-2.0 * i, 2.0 * i]);
    let mut changed = z.copy();
    changed *= i;
    changed += &z;
    changed -= 1.0;
    same(changed, [2.0 * i - 1.0, 2.0 + i]);
    same(gpu::ones::<Complex<f64>>(2), [Complex::new(1.0, 0.0); 2]);
    assert_eq!(gpu::eye::<Complex<f32>>(3).sum(), Complex::new(3.0, 0.0));
    assert!(z.eq(1.0 + i).get(&[0]) && z.ne(1.0 + i).get(&[1]));
    assert_eq!((z.count_nonzero(), gpu::zeros::<Complex<f32>>(2).count_nonzero()), (2, 0));
    assert_eq!(gpu::array(&[0.0 * i, i]).flatnonzero().to_host(), ndarray::arr1(&[1i64]).into_dyn());
}

#[test]
fn closeness_is_that_of_distances() {
    let z = gpu::array(&[Complex::new(1.0, 1e-9), Complex::new(-3.0, 4.0)]);
    assert!(gpu::allclose(&z, &[Complex::new(1.0f32, 0.0), Complex::new(-3.0, 4.0)]));
    assert!(!gpu::allclose(&z, &[1.0, -3.0]) && gpu::allclose(&z.slice(s![..1]), &[1.0]));
    assert!(gpu::allclose_with(&z, &z.conj(), 2.0, 0.0, false));
    let broken = gpu::array(&[Complex::new(f64::NAN, 0.0), Complex::new(0.0, f64::INFINITY)]);
    assert!(!gpu::allclose(&broken, &broken) && gpu::allclose_with(&broken, &broken, 1e-5, 1e-8, true));
}

#[test]
fn what_complex_numbers_have_not_is_refused() {
    let z = gpu::ones::<Complex<f64>>(3);
    let error = z.try_astype::<f64>().unwrap_err();
    assert!(matches!(error, Error::UnsupportedDType { operation: "astype", .. }));
    let text = error.to_string();
    assert!(text.contains("Complex<f64>") && text.contains("a.real()"), "{text}");
    let image = z.expand_dims(0);
    let text = gpu::try_convolve2d(&image, &image, Mode::Full).unwrap_err().to_string();
    assert!(text.contains("Complex<f64>") && text.contains("a.imag()"), "{text}");
    assert!(z.try_astype::<bool>().is_ok());
}

/// Numbers in all quadrants, on the axes, and on both sides of the branch cuts.
fn points() -> Vec<Complex<f64>> {
    let parts = [-30.0, -2.5, -1.0, -0.3, -0.0, 0.0, 0.7, 1.5, 30.0];
    parts.iter().flat_map(|re| parts.map(|im| Complex::new(*re, im))).collect()
}

/// A function of arrays, and what it computes of one number.
type Elementary =
    (&'static str, fn(&DeviceArray<Complex<f64>>) -> DeviceArray<Complex<f64>>, fn(Complex<f64>) -> Complex<f64>);

#[test]
fn functions_of_complex_numbers() {
    // Inverse functions are checked by the functions that they are inverse to: other formulas lose digits.
    let functions: &[Elementary] = &[
        ("log", |z| z.log(), |z| z.ln()),
        ("log2", |z| z.log2(), |z| z.ln() / std::f64::consts::LN_2),
        ("log10", |z| z.log10(), |z| z.ln() / std::f64::consts::LN_10),
        ("log1p", |z| z.log1p(), |z| (z + 1.0).ln()),
        ("exp2", |z| z.exp2(), |z| (z * std::f64::consts::LN_2).exp()),
        ("expm1", |z| z.expm1(), |z| z.exp() - 1.0),
        ("sin", |z| z.sin(), |z| z.sin()),
        ("cos", |z| z.cos(), |z| z.cos()),
        ("sinh", |z| z.sinh(), |z| z.sinh()),
        ("cosh", |z| z.cosh(), |z| z.cosh()),
        ("reciprocal", |z| z.reciprocal(), |z| z.inv()),
        ("sin of asin", |z| z.asin().sin(), |z| z),
        ("cos of acos", |z| z.acos().cos(), |z| z),
        ("sinh of asinh", |z| z.asinh().sinh(), |z| z),
        ("cosh of acosh", |z| z.acosh().cosh(), |z| z),
        ("power", |z| z.pow(Complex::new(0.5, -1.5)), |z| (z.ln() * Complex::new(0.5, -1.5)).exp()),
        ("integer power", |z| z.powi(-3), |z| (z * z * z).inv()),
    ];
    let points = points();
    let z = gpu::array(&points);
    for (name, ours, reference) in functions {
        let found = ours(&z).tolist();
        for (point, found) in points.iter().zip(found) {
            let expected = reference(*point);
            let scale = expected.norm();
            let near = |found: f64, expected: f64| {
                let room = 1e-11 * expected.abs().max(scale).max(1.0);
                (found - expected).abs() <= room || found == expected || !expected.is_finite()
            };
            assert!(
                near(found.re, expected.re) && near(found.im, expected.im),
                "{name} of {point}: {found}, not {expected}"
            );
        }
    }
    // Far from 0, tanh is the sign of the real part; near it, the quotient.
    for (point, found) in points.iter().zip(z.tanh().tolist()) {
        let quotient = point.sinh() / point.cosh();
        assert!((found - quotient).norm() < 1e-14, "tanh of {point}: {found}, not {quotient}");
    }
    for (point, found) in points.iter().zip(z.tan().tolist()) {
        let quotient = point.sin() / point.cos();
        assert!(
            (found - quotient).norm() < 1e-12 * quotient.norm().max(1.0),
            "tan of {point}: {found}, not {quotient}"
        );
    }
    for (point, found) in points.iter().zip(z.atanh().tanh().tolist()) {
        if point.im != 0.0 || point.re.abs() != 1.0 {
            assert!((found - point).norm() < 1e-10 * point.norm().max(1.0), "tanh of atanh of {point}: {found}");
        }
    }
    for (point, found) in points.iter().zip(z.atan().tan().tolist()) {
        if point.re != 0.0 || point.im.abs() != 1.0 {
            assert!((found - point).norm() < 1e-10 * point.norm().max(1.0), "tan of atan of {point}: {found}");
        }
    }
}

#[test]
fn powers_of_zero_and_sides_of_branch_cuts() {
    let zero = gpu::zeros::<Complex<f64>>(1);
    let (one, i) = (Complex::new(1.0, 0.0), Complex::new(0.0, 1.0));
    assert_eq!((zero.pow(one + i).item(), zero.pow(&gpu::zeros(1)).item()), (0.0 * one, one));
    assert!(zero.pow(i).is_nan().all() && zero.powi(0).item() == one);
    let cut = gpu::array(&[Complex::new(-4.0, 0.0), Complex::new(-4.0, -0.0)]);
    let pi = std::f64::consts::PI;
    assert_eq!(cut.log().imag().tolist(), [pi, -pi]);
    let beyond = gpu::array(&[Complex::new(2.0, 0.0), Complex::new(2.0, -0.0)]);
    assert_eq!(beyond.atanh().imag().tolist(), [pi / 2.0, -pi / 2.0]);
    assert!(beyond.asin().imag().tolist()[0] > 1.3 && beyond.asin().imag().tolist()[1] < -1.3);
}

#[test]
fn sums_products_and_spreads_of_complex_numbers() {
    let z = gpu::array(&points()).reshape((9, 9));
    let host = points();
    let product = |values: &[Complex<f64>]| values.iter().product::<Complex<f64>>();
    for (row, found) in gpu::prod!(&(&z + 0.5), axis = 1).tolist().into_iter().enumerate() {
        let factors: Vec<Complex<f64>> = host[9 * row..9 * row + 9].iter().map(|z| z + 0.5).collect();
        assert!((found - product(&factors)).norm() <= 1e-12 * product(&factors).norm());
    }
    let running = gpu::cumprod!(&(&z + 0.5), axis = 1);
    assert!(gpu::allclose(&running.slice(s![.., 8]), &gpu::prod!(&(&z + 0.5), axis = 1)));
    assert!(gpu::allclose(&gpu::cumsum!(&z, axis = 0).slice(s![8, ..]), &gpu::sum!(&z, axis = 0)));
    assert!(gpu::allclose(&gpu::diff!(&gpu::cumsum(&z)), &z.ravel().slice(s![1..])));
    let spread = (&z - z.mean()).abs().square().mean();
    assert!((z.var() - spread).abs() < 1e-10 && (z.std() - spread.sqrt()).abs() < 1e-12);
    assert_eq!(gpu::zeros::<Complex<f32>>(0).prod(), Complex::new(1.0, 0.0));
    assert_eq!(gpu::prod!(&gpu::zeros::<Complex<f32>>((0, 2)), axis = 0).tolist(), [Complex::new(1.0, 0.0); 2]);
    assert_eq!(gpu::cumprod(&gpu::zeros::<Complex<f32>>(0)).size(), 0);
}

#[test]
fn loops_and_operations_order_complex_numbers_alike() {
    let parts = [f64::NAN, 1.0, -0.0, f64::INFINITY, 0.0, 1.0, f64::NEG_INFINITY];
    let all: Vec<Complex<f64>> = parts.iter().flat_map(|&re| parts.map(|im| Complex::new(re, im))).collect();
    let numbers: Vec<Complex<f64>> = all.iter().copied().filter(|z| !z.re.is_nan() && !z.im.is_nan()).collect();
    let found = || {
        // NumPy's order, with NaN last: of the imaginary part alone, then of the real part alone, then of both.
        let (z, sorted) = (gpu::array(&all), gpu::sort(&gpu::array(&all)));
        let class = |z: &Complex<f64>| 2 * u8::from(z.re.is_nan()) + u8::from(z.im.is_nan());
        assert!(sorted.tolist().is_sorted_by_key(class));
        let rows = gpu::array(&numbers).reshape((6, -1));
        let places =
            [gpu::searchsorted(&sorted, &z, gpu::Side::Left), gpu::searchsorted(&sorted, &z, gpu::Side::Right)];
        assert!(places[0].tolist().iter().zip(places[1].tolist()).all(|(&left, right)| left < right));
        let extremes = [0, 1].map(|axis| [gpu::argmax!(&rows, axis = axis), gpu::argmin!(&rows, axis = axis)]);
        let of_nan = [z.argmax(), z.argmin(), z.slice(s![7..]).argmax(), z.slice(s![1..]).argmin()];
        assert_eq!(of_nan, [0, 0, 0, 0]);
        let integers = [&[gpu::argsort(&z), gpu::argsort!(&rows, axis = 0).ravel()], &places];
        (integers.map(|arrays| arrays.each_ref().map(|x| x.tolist())), extremes.map(|pair| pair.map(|x| x.tolist())))
    };
    assert_eq!(found(), gpu::by_kernels(found));
}
