//! Fourier transforms are those of NumPy: lengths, axes, norms and element types.

use crate::complex::{ComplexSample, assert_near, complex_device, complex_host};
use crate::fixtures::{Sample, assert_same, cases, device, host, with_dtype};
use serde_json::Value;
use warpcell as gpu;
use warpcell::fft::{self, Norm};
use warpcell::prelude::*;
use warpcell::{Complex, Element, Inexact, Real, Signal, Spectrum, f16};

fn norm(case: &Value) -> Norm {
    match case["norm"].as_str() {
        Some("ortho") => Norm::Ortho,
        Some("forward") => Norm::Forward,
        _ => Norm::Backward,
    }
}

fn numbers(value: &Value) -> Option<Vec<i64>> {
    value.as_array().map(|all| all.iter().map(|number| number.as_i64().unwrap()).collect())
}

/// What is asked of a transform: the points along each axis, and the axes.
struct Asked {
    lengths: Option<Vec<usize>>,
    axes: Option<Vec<isize>>,
}

impl Asked {
    fn of(case: &Value) -> Asked {
        let lengths = numbers(&case["s"]).or(case["n"].as_i64().map(|n| vec![n]));
        let axes = numbers(&case["axes"]).or(case["axis"].as_i64().map(|axis| vec![axis]));
        Asked {
            lengths: lengths.map(|all| all.into_iter().map(|n| n as usize).collect()),
            axes: axes.map(|all| all.into_iter().map(|axis| axis as isize).collect()),
        }
    }

    fn n(&self) -> Option<usize> {
        self.lengths.as_ref().map(|all| all[0])
    }

    fn axis(&self) -> isize {
        self.axes.as_ref().unwrap()[0]
    }

    fn two(&self) -> (Option<[usize; 2]>, (isize, isize)) {
        let axes = self.axes.as_ref().unwrap();
        (self.lengths.as_ref().map(|all| [all[0], all[1]]), (axes[0], axes[1]))
    }
}

/// How large the errors of f32 or f64 may be.
fn tolerance<T: Element>() -> f64 {
    if T::DTYPE.size() == size_of::<Complex<f32>>() { 3e-7 } else { 1e-15 }
}

fn complex_result<T: ComplexSample>(case: &Value, actual: &DeviceArray<T>) {
    let expected = complex_host::<T>(case, "expected");
    let scale = expected.iter().map(|z| z.wide().norm()).fold(0.0, f64::max);
    assert_near(&actual.to_host(), &expected, (8.0 * tolerance::<T>(), scale), case);
}

fn real_result<T: ComplexSample>(case: &Value, actual: &DeviceArray<T::Part>)
where
    <T as ComplexSample>::Part: Into<f64>,
{
    let expected = host::<T::Part>(case, "expected");
    let scale = expected.iter().map(|&x| x.into().abs()).fold(0.0, f64::max);
    assert_eq!(actual.shape(), expected.shape(), "{case}");
    for (&actual, &expected) in actual.to_host().iter().zip(&expected) {
        let distance = (actual.into() - expected.into()).abs();
        assert!(distance <= 8.0 * tolerance::<T>() * scale, "{actual} is not {expected}\n{case}");
    }
}

/// Transforms of any numbers.
fn of_any<T>(case: &Value, x: &DeviceArray<T>)
where
    T: Element,
    Spectrum<T>: ComplexSample<Part = Signal<T>>,
    Signal<T>: Into<f64>,
{
    let (asked, norm) = (Asked::of(case), norm(case));
    let is_plain = asked.lengths.is_none() && norm == Norm::Backward;
    let (n, lengths) = (asked.n(), asked.lengths.as_deref());
    let complex = |actual: DeviceArray<Spectrum<T>>| complex_result::<Spectrum<T>>(case, &actual);
    let real = |actual: DeviceArray<Signal<T>>| real_result::<Spectrum<T>>(case, &actual);
    match case["name"].as_str().unwrap() {
        "fft" if is_plain && asked.axis() == -1 => complex(fft::fft(x)),
        "fft" => complex(fft::fft_with(x, n, asked.axis(), norm)),
        "ifft" if is_plain && asked.axis() == -1 => complex(fft::ifft(x)),
        "ifft" => complex(fft::ifft_with(x, n, asked.axis(), norm)),
        "irfft" if is_plain && asked.axis() == -1 => real(fft::irfft(x)),
        "irfft" => real(fft::irfft_with(x, n, asked.axis(), norm)),
        "hfft" if is_plain && asked.axis() == -1 => real(fft::hfft(x)),
        "hfft" => real(fft::hfft_with(x, n, asked.axis(), norm)),
        "fft2" if is_plain => complex(fft::fft2(x)),
        "fft2" => complex(fft::fft2_with(x, asked.two().0, asked.two().1, norm)),
        "ifft2" if is_plain => complex(fft::ifft2(x)),
        "ifft2" => complex(fft::ifft2_with(x, asked.two().0, asked.two().1, norm)),
        "irfft2" if is_plain => real(fft::irfft2(x)),
        "irfft2" => real(fft::irfft2_with(x, asked.two().0, asked.two().1, norm)),
        "fftn" if asked.axes.is_none() => complex(fft::fftn(x)),
        "fftn" => complex(fft::fftn_with(x, lengths, asked.axes.unwrap(), norm)),
        "ifftn" if asked.axes.is_none() => complex(fft::ifftn(x)),
        "ifftn" => complex(fft::ifftn_with(x, lengths, asked.axes.unwrap(), norm)),
        "irfftn" if asked.axes.is_none() => real(fft::irfftn(x)),
        "irfftn" => real(fft::irfftn_with(x, lengths, asked.axes.unwrap(), norm)),
        other => panic!("no test for {other}"),
    }
}

/// Transforms of real numbers, as they lie and with other strides.
fn of_real<T>(case: &Value)
where
    T: Sample + Real,
    Spectrum<T>: ComplexSample<Part = Signal<T>>,
    Signal<T>: Into<f64>,
{
    let x = device::<T>(case, "x");
    for x in [&x, &x.t().copy().t()] {
        let (asked, norm) = (Asked::of(case), norm(case));
        let lengths = asked.lengths.as_deref();
        let actual = match case["name"].as_str().unwrap() {
            "rfft" if lengths.is_none() && norm == Norm::Backward && asked.axis() == -1 => fft::rfft(x),
            "rfft" => fft::rfft_with(x, asked.n(), asked.axis(), norm),
            "ihfft" if lengths.is_none() && norm == Norm::Backward && asked.axis() == -1 => fft::ihfft(x),
            "ihfft" => fft::ihfft_with(x, asked.n(), asked.axis(), norm),
            "rfft2" => fft::rfft2_with(x, asked.two().0, asked.two().1, norm),
            "rfftn" if asked.axes.is_none() => fft::rfftn(x),
            "rfftn" => fft::rfftn_with(x, lengths, asked.axes.unwrap(), norm),
            _ => {
                of_any(case, x);
                continue;
            }
        };
        complex_result(case, &actual);
    }
}

#[test]
fn transforms() {
    fn of_complex<T>(case: &Value)
    where
        T: ComplexSample + Element<Mean = T> + Inexact<Complex = T, Part = <T as ComplexSample>::Part>,
        <T as ComplexSample>::Part: Into<f64>,
    {
        let x = complex_device::<T>(case, "x");
        of_any(case, &x);
        of_any(case, &gpu::flip(&gpu::flip(&x, 0).copy(), 0));
    }
    for case in cases("fourier").iter().filter(|case| case["norm"].is_string()) {
        match case["x"]["dtype"].as_str() {
            Some("Complex<f32>") => of_complex::<Complex<f32>>(case),
            Some("Complex<f64>") => of_complex::<Complex<f64>>(case),
            _ => with_dtype!(case["x"]["dtype"], [f32 f64 i32 u8 i64 bool], of_real(case)),
        }
    }
}

#[test]
fn shifts_and_frequencies() {
    for case in cases("fourier").iter().filter(|case| !case["norm"].is_string()) {
        let axes = numbers(&case["axes"]).map(|all| all.into_iter().map(|axis| axis as isize).collect::<Vec<isize>>());
        let x = || device::<i64>(case, "x");
        let moved = |actual: DeviceArray<i64>| assert_same(&actual.to_host(), &host(case, "expected"), 0.0, case);
        let points = || (case["n"].as_u64().unwrap() as usize, case["d"].as_f64().unwrap());
        let float = |actual: DeviceArray<f64>| assert_same(&actual.to_host(), &host(case, "expected"), 1e-15, case);
        match (case["name"].as_str().unwrap(), axes) {
            ("fftshift", None) => moved(fft::fftshift(&x())),
            ("fftshift", Some(axes)) => moved(fft::fftshift_with(&x(), axes)),
            ("ifftshift", None) => moved(fft::ifftshift(&x())),
            ("ifftshift", Some(axes)) => moved(fft::ifftshift_with(&x(), axes)),
            ("fftfreq", _) => float(fft::fftfreq(points().0, points().1)),
            ("rfftfreq", _) => float(fft::rfftfreq(points().0, points().1)),
            (other, _) => panic!("no test for {other}"),
        }
    }
}

/// Large transforms come back, and keep the sum of squares.
#[test]
fn large_transforms_come_back() {
    for shape in [vec![1 << 17], vec![100_003], vec![3, 40_000], vec![400, 300], vec![30, 20, 50]] {
        let mut numbers = gpu::random::Generator::new(7);
        let x: DeviceArray<f64> = numbers.normal(0.0, 1.0, &shape[..]);
        let all: Vec<isize> = (0..shape.len() as isize).collect();
        let spectrum = fft::fftn_with(&x, None, all.clone(), Norm::Ortho);
        let (before, after) = (x.square().sum(), spectrum.abs().square().sum());
        assert!((before / after - 1.0).abs() < 1e-13, "{shape:?}");
        let back = fft::ifftn_with(&spectrum, None, all.clone(), Norm::Ortho);
        assert!(gpu::allclose_with(&back, &x, 0.0, 1e-13, false), "{shape:?}");
        let half = fft::rfftn(&x);
        let again = fft::irfftn_with(&half, Some(&shape), all, Norm::Backward);
        assert!(gpu::allclose_with(&again, &x, 0.0, 1e-13, false), "{shape:?}");
        let single = x.astype::<f32>();
        let back =
            fft::irfftn_with(&fft::rfftn(&single), Some(&shape), (0..shape.len()).collect::<Vec<_>>(), Norm::Backward);
        assert!(gpu::allclose_with(&back, &single, 0.0, 3e-6, false), "{shape:?}");
    }
}

#[test]
fn results_are_of_the_precision_of_their_elements() {
    let halves = gpu::array(&[1.0f32, 2.0]).astype::<f16>();
    assert_eq!(
        fft::fft(&halves).to_host(),
        ndarray::arr1(&[Complex::new(3.0f32, 0.0), Complex::new(-1.0, 0.0)]).into_dyn()
    );
    let signal: DeviceArray<f32> = fft::irfft(&fft::rfft(&halves));
    assert_eq!(signal.to_host(), ndarray::arr1(&[1.0f32, 2.0]).into_dyn());
    let not_a_number = gpu::array(&[1.0, f64::NAN, 2.0]);
    assert!(fft::fft(&not_a_number).is_nan().all() && fft::rfft(&not_a_number).is_nan().all());
}

#[test]
fn errors_name_the_shape_and_what_to_do() {
    let a = gpu::zeros::<f64>((3, 4));
    let message = |work: &dyn Fn()| -> String {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        *caught.downcast::<String>().unwrap()
    };
    let no_axis = message(&|| drop(fft::fft_with(&a, None, 2, Norm::Backward)));
    assert!(no_axis.contains("fft_with: the shape [3, 4] has no axis 2"), "{no_axis}");
    let none = message(&|| drop(fft::fft_with(&a, 0, 0, Norm::Backward)));
    assert!(none.contains("0 points"), "{none}");
    let too_few = message(&|| drop(fft::irfft(&gpu::zeros::<Complex<f64>>((2, 1)))));
    assert!(too_few.contains("n/2 + 1") && too_few.contains("[2, 1]"), "{too_few}");
    let scalar = message(&|| drop(fft::fftn(&gpu::full((), 1.0))));
    assert!(scalar.contains("along no axis"), "{scalar}");
    let line = message(&|| drop(fft::fft2(&gpu::zeros::<f32>(3))));
    assert!(line.contains("no axis -2"), "{line}");
    let large = message(&|| drop(fft::fft_with(&a, usize::MAX / 2, 0, Norm::Backward)));
    assert!(large.contains("more elements"), "{large}");
}
