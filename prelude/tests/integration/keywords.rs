//! Calls with NumPy's keywords: each row of the table with each of its keywords, against the functions without keywords or
//! against NumPy's results.

use crate::fixtures::message;
use warpcell as gpu;
use warpcell::Element;
use warpcell::prelude::*;

fn m() -> DeviceArray<f64> {
    gpu::array(&[[1.0, -2.0, 3.0], [4.0, 5.5, -6.0]])
}

/// 24 different numbers in three axes.
fn cube() -> DeviceArray<f64> {
    (gpu::arange(24.0) * 7.0).modulo(11.0).reshape((2, 3, 4))
}

#[track_caller]
fn same<T: Element>(ours: DeviceArray<T>, expected: DeviceArray<T>) {
    assert_eq!(ours.shape(), expected.shape());
    gpu::testing::assert_allclose(&ours.astype::<f64>(), &expected.astype::<f64>());
}

/// Each reduction of floats: of all, along one axis by name and by position, along a negative one, along two, with kept axes.
macro_rules! reductions {
    ($($name:ident $axis:ident ($($q:expr)?);)*) => {$(
        #[test]
        fn $name() {
            let (a, b) = (m(), cube());
            assert_eq!(gpu::$name!(&a $(, $q)?), gpu::$name(&a $(, $q)?));
            assert_eq!(gpu::$name!(&a, $($q,)? axis = None), gpu::$name(&a $(, $q)?));
            assert_eq!(gpu::$name!(&a, $($q,)? keepdims = false), gpu::$name(&a $(, $q)?));
            let kept = gpu::$name!(&a, $($q,)? keepdims = true);
            assert_eq!((kept.shape(), kept.get(&[0, 0])), (&[1, 1][..], gpu::$name(&a $(, $q)?).cast()));
            for axis in [0, 1, -1] {
                let expected = gpu::$axis(&a, $($q,)? axis);
                same(gpu::$name!(&a, $($q,)? axis = axis), expected.clone());
                same(gpu::$name!(&a, $($q,)? axis), expected.clone());
                same(gpu::$name!(&a, $($q,)? keepdims = true, axis = axis), expected.expand_dims(axis));
                same(gpu::$name!(&a, $($q,)? axis = axis, keepdims = false), expected);
            }
            same(gpu::$name!(&b, $($q,)? axis = -2, keepdims = true), gpu::$axis(&b, $($q,)? 1).expand_dims(1));
            reductions!(@several $name a b $($q)?);
        }
    )*};
    // NumPy's take one axis.
    (@several argmax $($others:tt)*) => {};
    (@several argmin $($others:tt)*) => {};
    (@several $name:ident $a:ident $b:ident $($q:expr)?) => {
        // The first and the last axis, joined by hand.
        let joined = $b.permute_dims((1, 0, 2)).reshape((3, 8));
        let expected = gpu::$name!(&joined, $($q,)? axis = 1);
        same(gpu::$name!(&$b, $($q,)? axis = (0, -1)), expected.clone());
        same(gpu::$name!(&$b, $($q,)? axis = (0, 2), keepdims = true), expected.reshape((1, 3, 1)));
        same(gpu::$name!(&$a, $($q,)? axis = (0, 1)), gpu::full((), gpu::$name(&$a $(, $q)?).cast()));
    };
}

/// Places of all elements are `usize`, along an axis `i64`.
trait Cast<T> {
    fn cast(self) -> T;
}
impl Cast<f64> for f64 {
    fn cast(self) -> f64 {
        self
    }
}
impl Cast<i64> for usize {
    fn cast(self) -> i64 {
        self as i64
    }
}

reductions! {
    sum sum_axis ();
    prod prod_axis ();
    mean mean_axis ();
    var var_axis ();
    std std_axis ();
    max max_axis ();
    min min_axis ();
    argmax argmax_axis ();
    argmin argmin_axis ();
    median median_axis ();
    quantile quantile_axis (0.3);
    percentile percentile_axis (30.0);
}

#[test]
fn truths() {
    let mask = m().gt(0.0);
    assert_eq!((gpu::all!(&mask), gpu::any!(&mask)), (false, true));
    assert_eq!(gpu::all!(&mask, axis = 0).tolist(), [true, false, false]);
    assert_eq!(gpu::any!(&mask, axis = (0, 1), keepdims = true).shape(), [1, 1]);
    let chosen = gpu::array(&[[true, false, true], [true, true, false]]);
    assert!(gpu::all!(&mask, where = &chosen));
    assert_eq!(gpu::any!(&mask, axis = 1, where = &!&chosen).tolist(), [false, false]);
    assert_eq!(gpu::count_nonzero!(&m()), 6);
    assert_eq!(gpu::count_nonzero!(&mask, axis = 1).tolist(), [2, 2]);
    assert_eq!(gpu::count_nonzero!(&m(), axis = 0, keepdims = true).shape(), [1, 3]);
}

#[test]
fn element_types() {
    let a = gpu::array(&[[1, 2], [3, 4]]);
    let small: f32 = gpu::sum!(&a, dtype = f32);
    let wrapped: u8 = gpu::sum!(&(&a * 100), dtype = u8);
    assert_eq!((small, wrapped), (10.0, 232));
    same(gpu::sum!(&a, axis = -1, dtype = f64), gpu::array(&[3.0, 7.0]));
    same(gpu::prod!(&a, 0, dtype = f32, keepdims = true), gpu::array(&[[3.0f32, 8.0]]));
    same(gpu::mean!(&a, axis = 0, dtype = f32), gpu::array(&[2.0f32, 3.0]));
    same(gpu::std!(&a, axis = 0, dtype = f32, ddof = 1), gpu::array(&[2.0f32.sqrt(), 2.0f32.sqrt()]));
    same(gpu::var!(&a, axis = 1, dtype = f32), gpu::array(&[0.25f32, 0.25]));
    same(gpu::cumsum!(&a, dtype = f64), gpu::array(&[1.0, 3.0, 6.0, 10.0]));
    same(gpu::cumprod!(&a, axis = 0, dtype = u8), gpu::array(&[[1u8, 2], [3, 8]]));
    let complex = gpu::sum!(&a, axis = 0, dtype = gpu::Complex<f64>);
    assert_eq!(complex.real().tolist(), [4.0, 6.0]);
}

#[test]
fn degrees_of_freedom() {
    let a = gpu::array(&[[1.0, 3.0], [2.0, 6.0]]);
    assert_eq!(gpu::var!(&a, ddof = 1), 14.0 / 3.0);
    assert_eq!(gpu::std!(&a, ddof = 1.0, axis = 1).tolist(), [2.0f64.sqrt(), 8.0f64.sqrt()]);
    same(gpu::var!(&a, axis = 0, ddof = 1, keepdims = true), a.var_with(0, 1.0).expand_dims(0));
}

#[test]
fn masks_and_initial_values() {
    let (a, mask) = (m(), m().gt(0.0));
    assert_eq!(gpu::sum!(&a, where = &mask, initial = 1.0), 14.5);
    same(gpu::sum!(&a, axis = 0, where = &mask), gpu::array(&[5.0, 5.5, 3.0]));
    same(gpu::prod!(&a, axis = 1, where = &mask, initial = 2.0), gpu::array(&[6.0, 44.0]));
    // A mask of one row goes over all rows.
    same(gpu::sum!(&a, axis = 1, where = &gpu::array(&[true, false, false])), gpu::array(&[1.0, 4.0]));
    same(gpu::mean!(&a, axis = 1, where = &mask), gpu::array(&[2.0, 4.75]));
    assert_eq!(gpu::mean!(&a, where = &mask), 13.5 / 4.0);
    same(gpu::var!(&a, axis = 1, where = &mask), gpu::array(&[1.0, 0.5625]));
    same(
        gpu::std!(&a, axis = 1, where = &mask, ddof = 1, keepdims = true),
        gpu::array(&[[2.0f64.sqrt()], [1.125f64.sqrt()]]),
    );
    same(gpu::max!(&a, axis = 0, where = &mask, initial = -1.0), gpu::array(&[4.0, 5.5, 3.0]));
    same(gpu::min!(&a, axis = 0, where = &!&mask, initial = 9.0), gpu::array(&[9.0, -2.0, -6.0]));
    assert_eq!(gpu::max!(&gpu::zeros::<f64>(0), initial = 7.0), 7.0);
    assert_eq!(gpu::min!(&gpu::zeros::<f64>((2, 0)), axis = 1, initial = 7.0).tolist(), [7.0, 7.0]);
    let complex = gpu::array(&[gpu::Complex::new(1.0, 2.0), gpu::Complex::new(3.0, -1.0)]);
    let first = gpu::array(&[true, false]);
    assert_eq!(gpu::sum!(&complex, where = &first, initial = gpu::Complex::new(0.0, 1.0)), gpu::Complex::new(1.0, 3.0));
    assert_eq!(gpu::mean!(&complex, axis = 0, where = &first).item(), gpu::Complex::new(1.0, 2.0));
    assert_eq!(gpu::mean!(&complex, axis = 0).item(), complex.mean());
    let text = message(|| drop(gpu::max!(&a, axis = 0, where = &mask)));
    assert!(text.contains("write `gpu::max!(…, where = &mask, initial = …)`"), "{text}");
    let text = message(|| drop(gpu::sum!(&a, axis = 2)));
    assert!(text.contains("sum: the shape [2, 3] has no axis 2"), "{text}");
}

#[test]
fn norms() {
    // NumPy's numbers for `m` and for `cube`.
    let (a, b) = (m(), cube());
    assert_eq!(gpu::norm!(&a), gpu::linalg::norm(&a));
    same(gpu::norm!(&a, axis = 1), gpu::array(&[14.0f64.sqrt(), 82.25f64.sqrt()]));
    same(gpu::norm!(&a, axis = 0, keepdims = true).square(), gpu::array(&[[17.0, 34.25, 45.0]]));
    same(gpu::norm!(&a, 1, axis = 1), gpu::array(&[6.0, 15.5]));
    same(gpu::norm!(&a, ord = f64::INFINITY, axis = -1), gpu::array(&[3.0, 6.0]));
    same(gpu::norm!(&a, ord = "-inf", axis = -1), gpu::array(&[1.0, 4.0]));
    same(gpu::norm!(&gpu::array(&[[0.0, 2.0], [0.0, 0.0]]), ord = 0, axis = 1), gpu::array(&[1.0, 0.0]));
    same(gpu::norm!(&a, ord = 3.0, axis = 1), gpu::array(&[36.0f64.cbrt(), 446.375f64.cbrt()]));
    // Of a matrix.
    assert_eq!(gpu::norm!(&a, ord = 1), 9.0);
    assert_eq!(gpu::norm!(&a, ord = "inf"), 15.5);
    assert_eq!(gpu::norm!(&a, ord = "fro"), gpu::linalg::norm(&a));
    let values = gpu::linalg::svdvals(&a);
    same(gpu::norm!(&a, ord = 2, keepdims = true), values.max_axis(0).reshape((1, 1)));
    assert!((gpu::norm!(&a, ord = "nuc") - values.sum()).abs() < 1e-12);
    // Of matrices in a stack: rows along the first axis named, columns along the second.
    same(gpu::norm!(&b, axis = (0, 2)), b.square().sum_axis((0, 2)).sqrt());
    same(gpu::norm!(&b, ord = 1, axis = (0, 2)), b.abs().sum_axis(0).max_axis(1));
    same(gpu::norm!(&b, ord = 1, axis = (2, 0)), b.abs().sum_axis(2).max_axis(0));
    same(gpu::norm!(&b, ord = 1, axis = (2, 0), keepdims = true).squeeze(), b.abs().sum_axis(2).max_axis(0));
    let text = message(|| drop(gpu::norm!(&b, ord = 1, keepdims = true)));
    assert!(text.contains("has norms along one axis, or along two"), "{text}");
    let text = message(|| drop(gpu::norm!(&a, ord = 3, axis = (0, 1))));
    assert!(text.contains("of matrices"), "{text}");
    let text = message(|| drop(gpu::norm!(&a, ord = "max", axis = 0)));
    assert!(text.contains("there is no order \"max\""), "{text}");
}

#[test]
fn running_and_sorted() {
    let a = m();
    same(gpu::cumsum!(&a), a.cumsum());
    same(gpu::cumsum!(&a, axis = -1), a.cumsum_axis(-1));
    same(gpu::cumprod!(&a, 0), a.cumprod_axis(0));
    same(gpu::diff!(&a), gpu::diff(&a, 1, -1));
    same(gpu::diff!(&a, axis = 0), gpu::diff(&a, 1, 0));
    same(gpu::diff!(&a, 2), gpu::diff(&a, 2, -1));
    same(gpu::diff!(&a, axis = 0, n = 1), gpu::diff(&a, 1, 0));
    same(gpu::sort!(&a), gpu::sort(&a));
    same(gpu::sort!(&a, axis = 0), gpu::sort_axis(&a, 0));
    same(gpu::argsort!(&a, axis = 0), gpu::argsort_axis(&a, 0));
    let i = gpu::array(&[3, 1, 2, 1]);
    same(gpu::unique!(&i), gpu::unique(&i));
    same(gpu::unique!(&i, return_counts = true).1, gpu::array(&[2i64, 1, 1]));
    same(gpu::unique!(&i, return_inverse = true).1, gpu::array(&[2i64, 0, 1, 0]));
    let (_, inverse, counts) = gpu::unique!(&i, return_inverse = true, return_counts = true);
    assert_eq!((inverse.tolist(), counts.tolist()), (vec![2, 0, 1, 0], vec![2, 1, 1]));
    let sorted = gpu::array(&[1, 2, 2, 3]);
    assert_eq!(gpu::searchsorted!(&sorted, &i).tolist(), [3, 0, 1, 0]);
    assert_eq!(gpu::searchsorted!(&sorted, &i, side = "right").tolist(), [4, 1, 3, 1]);
    assert_eq!(gpu::searchsorted!(&sorted, &i, side = gpu::Side::Left).tolist(), [3, 0, 1, 0]);
    assert_eq!(gpu::digitize!(&i, &sorted).tolist(), [4, 1, 3, 1]);
    assert_eq!(gpu::digitize!(&i, &sorted, right = true).tolist(), [3, 0, 1, 0]);
    assert_eq!(gpu::bincount!(&i, minlength = 6).tolist(), [0, 2, 1, 1, 0, 0]);
    assert_eq!(gpu::bincount!(&i, weights = &gpu::array(&[0.5, 1.0, 2.0, 3.0])).tolist(), [0.0, 4.0, 2.0, 0.5]);
    assert_eq!(gpu::histogram!(&i).0.size(), 10);
    assert_eq!(gpu::histogram!(&i, bins = 2, range = (0.0, 4.0)).0.tolist(), [2, 2]);
    assert_eq!(gpu::histogram!(&i, 2, range = 0.0..4.0).0.tolist(), [2, 2]);
}

#[test]
fn new_arrays() {
    same(gpu::zeros!((2, 3), dtype = f32), gpu::zeros::<f32>((2, 3)));
    same(gpu::zeros!(3, i64), gpu::zeros::<i64>(3));
    same(gpu::zeros!((2, 3)), gpu::zeros::<f64>((2, 3)));
    same(gpu::ones!(2, dtype = u8), gpu::ones::<u8>(2));
    same(gpu::zeros!((2, 2), dtype = bool), gpu::zeros::<bool>((2, 2)));
    assert_eq!(gpu::empty!(4, dtype = f32).size(), 4);
    same(gpu::eye!(3, dtype = f32), gpu::eye::<f32>(3));
    same(gpu::full!((2, 3), 1.5), gpu::full((2, 3), 1.5));
    same(gpu::full!((2, 3), 1, dtype = f32), gpu::full((2, 3), 1.0f32));
    same(gpu::arange!(5, dtype = f64), gpu::arange(5.0));
    same(gpu::arange!(2, 6), gpu::arange(2..6));
    same(gpu::arange!(0.0, 1.0, step = 0.25), gpu::arange((0.0, 1.0, 0.25)));
    same(gpu::arange!(0, 10, 2, dtype = f32), gpu::arange((0.0f32, 10.0, 2.0)));
    same(gpu::linspace!(0.0, 1.0), gpu::linspace(0.0, 1.0, 50));
    same(gpu::linspace!(0.0, 1.0, 5), gpu::linspace(0.0, 1.0, 5));
    same(gpu::linspace!(0.0, 1.0, num = 5, endpoint = false), gpu::array(&[0.0, 0.2, 0.4, 0.6, 0.8]));
    same(gpu::linspace!(0.0, 1.0, 3, dtype = f32), gpu::array(&[0.0f32, 0.5, 1.0]));
    assert_eq!(gpu::linspace!(0.0, 1.0, 0, endpoint = false).size(), 0);
    same(gpu::array!([1, 2], dtype = f32), gpu::array(&[1.0f32, 2.0]));
    same(gpu::array!(&[[1, 2], [3, 4]]), gpu::array(&[[1, 2], [3, 4]]));
    let host = gpu::ndarray::arr1(&[1.0, 2.0]);
    same(gpu::asarray!(&host, dtype = f32), gpu::array(&[1.0f32, 2.0]));
}

#[test]
fn rearranged() {
    let (a, b) = (m(), gpu::array(&[1.0, 2.0, 3.0]));
    same(gpu::concatenate!((&a, &a)), gpu::concatenate([&a, &a], 0));
    same(gpu::concatenate!([&a, &a], axis = 1), gpu::concatenate([&a, &a], 1));
    same(gpu::concatenate!(&vec![a.clone(), a.clone()], -1), gpu::concatenate([&a, &a], 1));
    same(gpu::stack!((&b, &b), axis = -1), gpu::stack([&b, &b], -1));
    same(gpu::split!(&a, 3, axis = 1)[2].clone(), gpu::split(&a, 3, 1)[2].clone());
    same(gpu::flip!(&a), gpu::flip(&a, (0, 1)));
    same(gpu::flip!(&a, axis = 1), gpu::flip(&a, 1));
    same(gpu::roll!(&a, 1), gpu::array(&[[-6.0, 1.0, -2.0], [3.0, 4.0, 5.5]]));
    same(gpu::roll!(&a, 1, axis = 0), gpu::roll(&a, 1, 0));
    same(gpu::roll!(&a, (1, -1), axis = (0, 1)), gpu::roll(&gpu::roll(&a, 1, 0), -1, 1));
    same(gpu::roll!(&a, 1, axis = (0, 1)), gpu::roll(&gpu::roll(&a, 1, 0), 1, 1));
    same(gpu::repeat!(&a, 2), gpu::repeat(&a.ravel(), 2, 0));
    same(gpu::repeat!(&a, 2, axis = 1), gpu::repeat(&a, 2, 1));
    each_part_is_repeated();
    let i = gpu::array(&[1, 0]);
    same(gpu::take!(&a, &i), a.take(&i));
    same(gpu::take!(&a, &i, axis = 1), a.take_axis(&i, 1));
    same(gpu::pad!(&b, 1), gpu::pad(&b, 1, gpu::Pad::Constant(0.0)));
    same(gpu::pad!(&b, 1, constant_values = 9.0), gpu::pad(&b, 1, gpu::Pad::Constant(9.0)));
    same(gpu::pad!(&b, [(2, 1)], mode = "reflect"), gpu::pad(&b, [(2, 1)], gpu::Pad::Reflect));
    same(gpu::pad!(&b, 2, "edge"), gpu::pad(&b, 2, gpu::Pad::Edge));
    same(gpu::pad!(&b, 2, mode = "symmetric"), gpu::pad(&b, 2, gpu::Pad::Symmetric));
    same(gpu::pad!(&b, 2, mode = "wrap"), gpu::pad(&b, 2, gpu::Pad::Wrap));
    let text = message(|| drop(gpu::roll!(&a, (1, 2), axis = 0)));
    assert!(text.contains("there are 2 shifts for 1 axes"), "{text}");
}

#[test]
fn products_and_signals() {
    let (a, b) = (m(), gpu::array(&[1.0, 2.0, 3.0]));
    same(gpu::tensordot!(&a, &b, axes = 1), gpu::tensordot(&a, &b, 1));
    same(gpu::tensordot!(&a, &a), gpu::tensordot(&a, &a, 2));
    same(gpu::tensordot!(&a, &a, axes = (0, 0)), gpu::tensordot(&a, &a, (0, 0)));
    assert!(gpu::allclose!(&a, &(&a * 1.0001), rtol = 1e-3));
    assert!(!gpu::allclose!(&a, &(&a * 1.0001)));
    assert!(gpu::allclose!(&a, &(&a + 0.1), atol = 1.0));
    let nan = gpu::array(&[f64::NAN]);
    assert!(gpu::allclose!(&nan, &nan, equal_nan = true) && !gpu::allclose!(&nan, &nan));
    same(gpu::convolve!(&b, &b), gpu::convolve(&b, &b, Mode::Full));
    same(gpu::convolve!(&b, &b, mode = "same"), gpu::convolve(&b, &b, Mode::Same));
    same(gpu::convolve!(&b, &b, "valid"), gpu::convolve(&b, &b, Mode::Valid));
    same(gpu::convolve!(&b, &b, mode = Mode::Valid), gpu::convolve(&b, &b, Mode::Valid));
    same(gpu::correlate!(&b, &b), gpu::correlate(&b, &b, Mode::Valid));
    same(gpu::correlate!(&b, &b, mode = "full"), gpu::correlate(&b, &b, Mode::Full));
    same(gpu::fftconvolve!(&b, &b, mode = "same"), gpu::fftconvolve(&b, &b, Mode::Same));
    same(gpu::convolve2d!(&a, &a), gpu::convolve2d(&a, &a, Mode::Full));
    same(
        gpu::convolve2d!(&a, &a, mode = "same", boundary = "wrap"),
        gpu::convolve2d_with(&a, &a, Mode::Same, Boundary::Wrap),
    );
    same(
        gpu::convolve2d!(&a, &a, mode = "same", fillvalue = 2.0),
        gpu::convolve2d_with(&a, &a, Mode::Same, Boundary::Fill(2.0)),
    );
    same(
        gpu::correlate2d!(&a, &a, mode = "same", boundary = "symm"),
        gpu::correlate2d_with(&a, &a, Mode::Same, Boundary::Symmetric),
    );
}

/// Parts that are repeated as often as an array says: of arrays that lie in memory in any way.
fn each_part_is_repeated() {
    let lengths = [5, 7, 40_000];
    for (axis, &length) in lengths.iter().enumerate() {
        let mut shape = [3, 2, 3];
        shape[axis] = length;
        let elements: usize = shape.iter().product();
        let a = gpu::arange(elements as i64).reshape(shape);
        let counts: Vec<i64> = (0..length as i64).map(|part| part * 7919 % 5).collect();
        let parts = (0..length as i64).flat_map(|part| (0..counts[part as usize]).map(move |_| part));
        let parts: Vec<i64> = parts.collect();
        for a in [a.clone(), a.swapaxes(0, 2).copy().swapaxes(0, 2), gpu::flip!(&a)] {
            let found = gpu::repeat!(&a, &gpu::array(&counts), axis = axis as isize);
            assert!(gpu::array_equal(&found, &a.take_axis(&gpu::array(&parts), axis as isize)), "axis {axis}");
        }
    }
    let none = gpu::repeat!(&gpu::ones::<f32>((2, 3)), &gpu::array(&[0i64, 0]), axis = 0);
    assert_eq!(none.shape(), [0, 3]);
}

#[test]
fn values_that_are_needed_may_have_names() {
    let a = gpu::array(&[3.0, 1.0, 2.0]);
    assert_eq!(gpu::quantile!(&a, q = 0.5), 2.0);
    assert_eq!(gpu::quantile!(q = 0.5, a = &a), 2.0);
    same(gpu::roll!(&a, shift = 1, axis = 0), gpu::roll!(&a, 1));
    same(gpu::fft::fft!(a = &a, n = 4).abs(), gpu::fft::fft!(&a, 4).abs());
    let image = cube();
    same(gpu::ndimage::gaussian_filter!(&image, sigma = 2), gpu::ndimage::gaussian_filter(&image, 2.0));
    same(
        gpu::ndimage::median_filter!(input = &image, size = 3, mode = "wrap"),
        gpu::ndimage::median_filter!(&image, 3, mode = "wrap"),
    );
}

/// Where SciPy's functions compute with floats.
#[test]
fn integers_are_numbers_too() {
    use warpcell::{interpolate, ndimage, optimize, signal, sparse, stats};
    let x = gpu::array(&[0.0, 2.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.0]);
    same(
        signal::find_peaks!(&x, prominence = 2, distance = 2).0,
        signal::find_peaks!(&x, prominence = 2.0, distance = 2.0).0,
    );
    same(signal::find_peaks!(&x, height = (1, None)).0, signal::find_peaks!(&x, height = 1.0).0);
    let ours = signal::butter!(4, (100, 250), btype = "band", fs = 1000);
    let floats = signal::butter!(4, (100.0, 250.0), btype = "band", fs = 1000.0);
    same(ours.0, floats.0);
    same(signal::cheby1(2, 1, 0.5).0, signal::cheby1(2, 1.0, 0.5).0);
    same(signal::firwin!(9, 100, fs = 1000), signal::firwin!(9, 100.0, fs = 1000.0));
    same(signal::windows::kaiser(9, 14), signal::windows::kaiser(9, 14.0));
    same(signal::windows::general_cosine(3, &[1, 2]), signal::windows::general_cosine(3, &[1.0, 2.0]));
    same(signal::get_window(("tukey", 1), 9), signal::get_window(("tukey", 1.0), 9));
    same(signal::welch!(&x, fs = 8).0, signal::welch!(&x, fs = 8.0).0);
    same(signal::lfilter([1, 2], 2, &x), signal::lfilter([1.0, 2.0], 2.0, &x));
    let image = cube();
    same(ndimage::rotate!(&image, 45, cval = 1, order = 1), ndimage::rotate!(&image, 45.0, cval = 1.0, order = 1));
    same(ndimage::gaussian_filter1d(&image, 1), ndimage::gaussian_filter1d(&image, 1.0));
    same(stats::trim_mean(&x, 0), stats::trim_mean(&x, 0.0));
    same(stats::iqr!(&x, rng = (0, 50)), stats::iqr!(&x, rng = (0.0, 50.0)));
    same(stats::tmean!(&x, limits = (1, None)), stats::tmean!(&x, limits = (1.0, None)));
    let ascending = gpu::arange(8.0);
    let line = interpolate::interp1d!(&ascending, &x, fill_value = 7);
    same(line.eval(&gpu::array(&[1.0, 9.0])), gpu::array(&[2.0, 7.0]));
    assert_eq!(optimize::brentq(|x| x - 1.0, 0, 3), 1.0);
    let integers: sparse::SparseMatrix<f64> = sparse::diags!([-1, 2, -1], [-1, 0, 1], shape = (4, 4));
    let floats = sparse::diags!(&[-1.0, 2.0, -1.0], &[-1, 0, 1], shape = (4, 4));
    same(integers.todense(), floats.to_dense());
    same((2.0 * &integers).toarray(), floats.toarray() * 2.0);
}

#[test]
fn wrong_values_of_more_keywords_are_named() {
    let (a, b) = (m(), gpu::array(&[2.0, 0.5, -1.0]));
    for (found, expected) in [
        (
            message(|| drop(gpu::quantile!(&a, [0.5], method = "lowest"))),
            "there is no method \"lowest\"; write one of \"inverted_cdf\"",
        ),
        (message(|| drop(gpu::quantile!(&a, [1.5], method = "lower"))), "1.5 is not from 0 to 1"),
        (
            message(|| drop(gpu::diff!(&a, prepend = &b))),
            "the shape [2, 3] of array 1 does not fit the shape of the first array, [3]",
        ),
        (message(|| drop(gpu::interp!(&a, &b, &b, period = 0.0))), "the period is 0"),
        (
            message(|| drop(gpu::cov!(&a, aweights = &b.slice(s![..2])))),
            "the shape [2] of `aweights` is not that of 3 observations",
        ),
        (
            message(|| drop(gpu::cov!(&a, &b.slice(s![..2])))),
            "of `y` has 2 observations, but the other variables have 3",
        ),
        (message(|| drop(gpu::squeeze!(&a, axis = 0))), "the shape [2, 3] has length 2 along axis 0"),
        (message(|| drop(gpu::diagonal!(&a, axis1 = 1, axis2 = -1))), "has no diagonal of axis 1 and itself"),
        (message(|| drop(gpu::trace!(&a, axis1 = 0, axis2 = 2))), "no axis 2"),
        (message(|| drop(gpu::ravel!(&a, order = "B"))), "there is no order \"B\""),
        (message(|| drop(gpu::ravel!(&a, order = "K"))), "there is no order \"K\"; write \"C\", \"F\" or \"A\""),
        (message(|| drop(gpu::meshgrid!(&b, &b, indexing = "yx"))), "there is no indexing \"yx\""),
        (message(|| drop(gpu::unique!(&a, axis = 2))), "no axis 2"),
        (message(|| drop(gpu::moveaxis(&a, [0, 1], [1]))), "there are 2 axes and 1 places for them"),
        (message(|| drop(gpu::moveaxis(&a, [0, 0], [0, 1]))), "axis 0 twice"),
        (message(|| drop(gpu::pad!(&a, ((1, 2), (0, 0), (1, 1))))), "pad: "),
        (message(|| gpu::linalg::cond!(&b, p = 1)), "cond: the shape [3]"),
        (message(|| gpu::linalg::cond!(&gpu::zeros::<f64>((0, 0)), p = 1)), "has no elements"),
        (message(|| gpu::linalg::cond!(&gpu::zeros::<f64>((0, 3)), p = -2)), "has no elements"),
        (message(|| drop(gpu::linalg::cholesky!(&a, upper = true))), "cholesky: the shape [2, 3]"),
    ] {
        assert!(found.contains(expected), "{found} does not say {expected}");
    }
}

#[test]
fn edges_of_more_keywords() {
    // Parts without elements, one part, and parts that are all equal.
    let (values, first, inverse, counts) = gpu::unique!(
        &gpu::ones::<f64>((3, 2)),
        return_index = true,
        return_inverse = true,
        return_counts = true,
        axis = 0
    );
    assert_eq!((values.shape(), first.tolist()), (&[1, 2][..], vec![0]));
    assert_eq!((inverse.tolist(), counts.tolist()), (vec![0, 0, 0], vec![3]));
    assert_eq!(gpu::unique!(&gpu::zeros::<i32>((0, 2)), axis = 0).shape(), [0, 2]);
    assert_eq!(gpu::unique!(&gpu::zeros::<i32>((2, 0)), axis = 0).shape(), [1, 0]);
    assert_eq!(gpu::unique!(&gpu::array(&[true, false, true]), axis = 0).tolist(), [false, true]);
    // Of an array without axes.
    assert_eq!(gpu::count_nonzero(&gpu::array(&[-5, 0]).sum_axis(0)), 1);
    assert_eq!(gpu::count_nonzero!(&gpu::array(&[2.5, 0.0]).sum_axis(0), keepdims = true).item(), 1);
    // A singular matrix has no inverse.
    assert_eq!(gpu::linalg::cond!(&gpu::ones::<f64>((2, 2)), p = 1), f64::INFINITY);
    // By 2 and -2 all matrices have one. Nothing but zeros is as bad as can be, as NumPy has it.
    let wide = gpu::array(&[[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    let conditions = gpu::array(&[gpu::linalg::cond!(&wide, p = 2), gpu::linalg::cond!(&wide, p = -2)]);
    assert!(gpu::allclose!(&conditions, &gpu::array(&[1.5, 2.0 / 3.0]), rtol = 1e-14));
    let singular = gpu::array(&[[2.0, 0.0], [0.0, 0.0]]);
    assert_eq!([gpu::linalg::cond!(&singular, p = 2), gpu::linalg::cond!(&singular, p = -2)], [f64::INFINITY, 0.0]);
    assert_eq!(gpu::linalg::cond!(&gpu::zeros::<f64>((2, 2)), p = -2), f64::INFINITY);
    assert_eq!(gpu::quantile!(&gpu::array(&[7]), 1, method = "hazen"), 7.0);
    assert!(gpu::quantile!(&gpu::array(&[1.0, f64::NAN]), 0.0, method = "lower").is_nan());
    assert_eq!(gpu::diff!(&gpu::zeros::<f64>(0), prepend = 1.0, append = 3.0).tolist(), [2.0]);
    assert_eq!(gpu::diff!(&gpu::array(&[1, 4]), n = 0, prepend = 0, append = 9).tolist(), [1, 4]);
    let wild = gpu::array(&[f64::NAN, -9.0, 9.0]);
    let found =
        gpu::interp!(&wild, &gpu::array(&[0.0, 1.0]), &gpu::array(&[5.0, 6.0]), left = -1.0, right = 1.0).tolist();
    assert!(found[0].is_nan() && found[1..] == [-1.0, 1.0]);
    let turned = gpu::reshape!(&gpu::arange(6).reshape((2, 3)).t(), (2, 3), order = "A");
    assert_eq!(turned.ravel().tolist(), [0, 2, 4, 1, 3, 5]);
    assert_eq!(gpu::squeeze!(&gpu::ones::<f32>((1, 3, 1)), axis = (0, -1)).shape(), [3]);
    assert_eq!(gpu::gradient!(&gpu::array(&[1.0, 3.0]), 2)[0].tolist(), [1.0, 1.0]);
}

#[test]
fn values_are_computed_once() {
    fn seen<T>(calls: &std::cell::Cell<[u8; 4]>, at: usize, value: T) -> T {
        let mut counts = calls.get();
        counts[at] += 1;
        calls.set(counts);
        value
    }
    let (a, weights) = (m(), gpu::array(&[3.0, 1.0]));
    let calls = std::cell::Cell::default();
    let (means, sums) = gpu::average!(
        seen(&calls, 0, &a),
        axis = seen(&calls, 1, 0),
        weights = seen(&calls, 2, &weights),
        returned = true,
        keepdims = seen(&calls, 3, true)
    );
    assert_eq!(calls.get(), [1; 4]);
    same(means, gpu::array(&[[1.75, -0.125, 0.75]]));
    same(sums, gpu::array(&[[4.0, 4.0, 4.0]]));
    let (mean, sum) =
        gpu::average!(seen(&calls, 0, &a), weights = &seen(&calls, 2, m()).abs(), returned = true, keepdims = true);
    assert_eq!(calls.get(), [2, 1, 2, 1]);
    same(mean, gpu::full((1, 1), (&a * a.abs()).sum() / 21.5));
    same(sum, gpu::full((1, 1), 21.5));
    // Without weights it is how many elements there are.
    let (mean, count) = gpu::average!(seen(&calls, 0, &a), axis = seen(&calls, 1, vec![0_isize, 1]), returned = true);
    assert_eq!((calls.get(), mean.item(), count.item()), ([3, 2, 2, 1], a.mean(), 6.0));
    let (means, counts) = gpu::average!(&gpu::array(&[[1, 2], [3, 5]]), axis = -1, returned = true);
    assert_eq!((means.tolist(), counts.tolist()), (vec![1.5, 4.0], vec![2.0, 2.0]));
    assert_eq!(gpu::average!(&a, returned = true), (a.mean(), 6.0));
}

#[test]
fn grids_are_sparse_or_turned() {
    let (x, y) = (gpu::array(&[1.0, 2.0, 3.0]), gpu::array(&[10.0, 20.0]));
    let (columns, rows) = gpu::meshgrid!(&gpu::flip(&x, 0), &y, sparse = true);
    same(columns, gpu::array(&[[3.0, 2.0, 1.0]]));
    same(rows, gpu::array(&[[10.0], [20.0]]));
    let (first, second) = gpu::meshgrid!(&x, &y, indexing = "ij", sparse = true);
    same(first, gpu::array(&[[1.0], [2.0], [3.0]]));
    same(second, gpu::array(&[[10.0, 20.0]]));
    let (first, second) = gpu::meshgrid!(&x, &y, indexing = "ij");
    let (columns, rows) = gpu::meshgrid(&x, &y);
    same(first, columns.t());
    same(second, rows.t());
    // NumPy's shapes where one axis has no elements.
    let none = gpu::zeros::<f64>(0);
    for (indexing, sparse, expected) in [
        ("xy", true, [[1, 3], [0, 1]]),
        ("ij", true, [[3, 1], [1, 0]]),
        ("xy", false, [[0, 3], [0, 3]]),
        ("ij", false, [[3, 0], [3, 0]]),
    ] {
        let (first, second) = gpu::meshgrid!(&x, &none, indexing = indexing, sparse = sparse);
        assert_eq!([first.shape(), second.shape()], expected, "{indexing}, sparse: {sparse}");
    }
}

#[test]
fn the_upper_factor_is_that_of_the_upper_triangle() {
    // What is below the diagonal is not looked at.
    let real = gpu::array(&[[4.0, 2.0], [99.0, 2.0]]);
    same(gpu::linalg::cholesky!(&real, upper = true), gpu::array(&[[2.0, 1.0], [0.0, 1.0]]));
    let stack = gpu::stack([&real, &(&real * 4.0)], 0);
    same(
        gpu::linalg::cholesky!(&stack, upper = true),
        gpu::array(&[[[2.0, 1.0], [0.0, 1.0]], [[4.0, 2.0], [0.0, 2.0]]]),
    );
    let z = |re, im| Complex::new(re, im);
    let complex = gpu::array(&[[z(4.0, 0.0), z(2.0, 1.0)], [z(99.0, -7.0), z(3.0, 0.0)]]);
    let factor = gpu::linalg::cholesky!(&complex, upper = true).ravel().tolist();
    let expected = [z(2.0, 0.0), z(1.0, 0.5), z(0.0, 0.0), z(1.75f64.sqrt(), 0.0)];
    assert!(factor.iter().zip(&expected).all(|(found, expected)| (found - expected).norm() < 1e-15), "{factor:?}");
}
