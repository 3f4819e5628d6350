//! Optional arguments beyond the rows of `names.rs`: all element types, edges and errors.

use crate::fixtures::message;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::random::Generator;
use warpcell::{Element, Pad};

/// The elements in row-major order.
fn list<T: Element>(a: &DeviceArray<T>) -> Vec<T> {
    a.ravel().tolist()
}

/// A file of this process with a text.
fn file(name: &str, text: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("warpcell-arguments-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_is_put_around_arrays_of_each_type() {
    macro_rules! check {
        ($($type:ty)*) => {$({
            let a = gpu::array(&[2, 4, 9]).astype::<$type>();
            let padded = |a: DeviceArray<$type>| list(&a.astype::<f64>());
            assert_eq!(padded(gpu::pad(&a, (1, 2), Pad::Maximum)), [9.0, 2.0, 4.0, 9.0, 9.0, 9.0]);
            assert_eq!(padded(gpu::pad(&a, 1, Pad::Mean)), [5.0, 2.0, 4.0, 9.0, 5.0]);
            assert_eq!(padded(gpu::pad(&a, 1, Pad::Median)), [4.0, 2.0, 4.0, 9.0, 4.0]);
            assert_eq!(padded(gpu::pad!(&a, (0, 3), mode = "linear_ramp")), [2.0, 4.0, 9.0, 6.0, 3.0, 0.0]);
            assert_eq!(padded(gpu::pad!(&a, (0, 2), mode = "reflect", reflect_type = "odd")), [2.0, 4.0, 9.0, 14.0, 16.0]);
            assert_eq!(padded(gpu::pad!(&a, 1, constant_values = (a.get(&[1]), a.get(&[0])))), [4.0, 2.0, 4.0, 9.0, 2.0]);
        })*};
    }
    check!(u8 i8 u16 i16 i32 u32 i64 u64 gpu::f16 gpu::bf16 f32 f64);
}

#[test]
fn odd_reflection_is_that_of_a_line() {
    // Differences go on: a line stays a line, however far it is padded.
    for length in [2, 3, 7] {
        for (before, behind) in [(0, 1), (3, 5), (20, 33)] {
            let line = gpu::arange(length as i64) * 3;
            let expected: Vec<i64> = (-(before as i64)..(length + behind) as i64).map(|at| at * 3).collect();
            let found = gpu::pad!(&line, (before, behind), mode = "reflect", reflect_type = "odd");
            assert_eq!(found.tolist(), expected, "{length} {before} {behind}");
        }
    }
    // One element is continued by itself.
    let one = gpu::array(&[[5.0], [7.0]]);
    assert_eq!(
        list(&gpu::pad!(&one, ((0, 0), (1, 2)), mode = "reflect", reflect_type = "odd")),
        [5.0, 5.0, 5.0, 5.0, 7.0, 7.0, 7.0, 7.0]
    );
}

#[test]
fn padding_says_what_does_not_fit() {
    let (a, none) = (gpu::zeros::<f64>((2, 3)), gpu::zeros::<f64>(0));
    for (found, expected) in [
        (message(|| drop(gpu::pad!(&a, 1, mode = "mean", stat_length = 0))), "`stat_length` is 0"),
        (
            message(|| drop(gpu::pad!(&a, 1, constant_values = ((1.0, 2.0), (1.0, 2.0), (1.0, 2.0))))),
            "one pair of values",
        ),
        (message(|| drop(gpu::pad!(&a, 1, mode = "mean", stat_length = [(1, 2); 3]))), "one pair of lengths"),
        (message(|| drop(gpu::pad(&none, 1, Pad::Mean))), "no elements along axis 0"),
        (message(|| drop(gpu::pad(&none, 1, Pad::LinearRamp(1.0)))), "no elements along axis 0"),
    ] {
        assert!(found.contains(expected), "{found} does not say {expected}");
    }
    assert_eq!(gpu::pad(&none, 2, Pad::Constant(1.0)).sum(), 4.0);
    // More elements than there are.
    assert_eq!(list(&gpu::pad!(&gpu::array(&[1, 4]), 1, mode = "maximum", stat_length = 99)), [4, 1, 4, 4]);
}

#[test]
fn parameters_that_are_arrays_belong_to_their_elements() {
    let mut generator = Generator::new(20261128);
    let means = gpu::array(&[-100.0, 0.0, 100.0]);
    let a = generator.normal(&means, 2.0, (4000, 3));
    assert!((a.mean_axis(0) - &means).abs().max() < 0.3 && (a.std_axis(0) - gpu::full(3, 2.0)).abs().max() < 0.2);
    let spread = generator.normal(1.0f32, &gpu::array(&[0.0f32, 3.0]), (4000, 2));
    assert!(!spread.slice(s![.., 0]).ne(1.0).any());
    assert!((spread.std_axis(0).get(&[1]) - 3.0).abs() < 0.3);
    let (low, high) = (gpu::array(&[0.0, 10.0]), gpu::array(&[1.0, 30.0]));
    let b = generator.uniform(&low, &high, (4000, 2));
    assert!(b.min_axis(0).ge(&low).all() && b.max_axis(0).lt(&high).all());
    assert!((b.mean_axis(0) - gpu::array(&[0.5, 20.0])).abs().max() < 0.5);
    let c = generator.exponential(&gpu::array(&[1.0f64, 50.0]), (4000, 2)).mean_axis(0);
    assert!((c.get(&[0]) - 1.0).abs() < 0.1 && (c.get(&[1]) - 50.0).abs() < 5.0);
    // The shape is that of the parameters, unless there is a size.
    assert_eq!(generator.normal(&means, &gpu::ones::<f64>((2, 1)), ()).shape(), [2, 3]);
    // Numbers give what they gave before.
    let [mut one, mut other] = [Generator::new(7), Generator::new(7)];
    assert_eq!(list(&one.normal(0.0, 1.0, 9)), list(&other.normal(0.0, 1.0, 9)));
}

#[test]
fn integers_between_arrays() {
    let mut generator = Generator::new(20261128);
    macro_rules! check {
        ($($type:ty)*) => {$({
            let high = gpu::array(&[2, 5, 100]).astype::<$type>();
            let a = generator.randint(1 as $type, &high, (3000, 3));
            assert_eq!((list(&a.min_axis(0)), list(&a.max_axis(0))), (vec![1 as $type; 3], vec![1, 4, 99]));
            // All are equally likely.
            let share = a.slice(s![.., 1]).eq(2).astype::<f64>().mean();
            assert!((share - 0.25).abs() < 0.04, "{share}");
        })*};
    }
    check!(u8 i32 u32 i64 u64);
    // All integers of 64 bits, and those that i64 has not.
    let wide = generator.randint(&gpu::array(&[i64::MIN, i64::MAX - 1]), &gpu::array(&[i64::MAX, i64::MAX]), (2000, 2));
    assert!(wide.min_axis(0).get(&[0]) < -(1 << 62) && wide.max_axis(0).get(&[0]) > 1 << 62);
    assert_eq!(wide.min_axis(0).get(&[1]), i64::MAX - 1);
    let large = generator.randint(&gpu::array(&[u64::MAX - 2]), u64::MAX, 500);
    assert_eq!((large.min(), large.max()), (u64::MAX - 2, u64::MAX - 1));
    let found = message(|| drop(gpu::random::randint(3, &gpu::array(&[4, 3]), ())));
    assert!(found.contains("randint: an element of `high` is not greater than that of `low`"), "{found}");
    let found = message(|| drop(gpu::random::normal(&gpu::array(&[1.0, f64::NAN]), 1.0, ())));
    assert!(found.contains("the parameter `loc`"), "{found}");
    let found = message(|| drop(gpu::random::uniform(&gpu::array(&[1.0, 2.0]), 1.5, ())));
    assert!(found.contains("is greater than `high` = 1.5"), "{found}");
}

#[test]
fn quantiles_with_weights_and_without_nan() {
    let a = gpu::array(&[3.0f32, 1.0, 2.0]);
    let by = |q: f64, weights: &[f64; 3]| gpu::quantile!(&a, q, weights = weights, method = "inverted_cdf");
    assert_eq!((by(0.0, &[1.0, 0.0, 1.0]), by(0.5, &[1.0, 0.0, 1.0]), by(0.51, &[1.0, 0.0, 1.0])), (2.0, 2.0, 3.0));
    let empty = gpu::zeros::<f64>((2, 0));
    assert!(gpu::nanquantile!(&empty, 0.5, axis = 1).is_nan().all());
    assert!(gpu::nanpercentile(&gpu::full(3, f64::NAN), 50.0).is_nan());
    let infinite = gpu::array(&[f64::NEG_INFINITY, 1.0, f64::INFINITY, f64::NAN]);
    assert_eq!(gpu::nanquantile!(&infinite, [0.0, 0.5, 1.0]).tolist(), [f64::NEG_INFINITY, 1.0, f64::INFINITY]);
    assert!(gpu::quantile!(&gpu::array(&[1.0, f64::NAN]), 0.0, weights = &[1, 1], method = "inverted_cdf").is_nan());
    for (found, expected) in [
        (message(|| gpu::quantile!(&a, 0.5, weights = &[1, 1, 1])), "only the method \"inverted_cdf\" takes weights"),
        (
            message(|| gpu::quantile!(&a, 0.5, weights = &[1, 1], method = "inverted_cdf")),
            "does not fit the weights, [2]",
        ),
        (message(|| gpu::percentile!(&a, 101.0, weights = &[1, 1, 1], method = "inverted_cdf")), "not from 0 to 1"),
        (message(|| gpu::nanpercentile(&a, 101.0)), "101 is not from 0 to 100"),
    ] {
        assert!(found.contains(expected), "{found} does not say {expected}");
    }
}

#[test]
fn fits_say_what_they_cannot_know() {
    let (x, y) = (gpu::array(&[0.0, 1.0]), gpu::array(&[1.0, 3.0]));
    let found = message(|| drop(gpu::polyfit!(&x, &y, 1, cov = true)));
    assert!(found.contains("write `cov = \"unscaled\"`"), "{found}");
    assert_eq!(gpu::polyfit!(&x, &y, 1, cov = "unscaled").1.shape(), [2, 2]);
    let (_, residuals, rank, values, rcond) =
        gpu::polyfit!(&gpu::array(&[1.0f32, 1.0, 2.0, 2.0, 1.0]), &gpu::arange(5.0f32), 2, full = true);
    assert_eq!((residuals.shape(), rank, values.shape()), (&[0][..], 2, &[3][..]));
    assert_eq!(rcond, 5.0 * f64::from(f32::EPSILON));
}

#[test]
fn ends_that_are_arrays() {
    let (low, high) = (gpu::array(&[0.0f32, 1.0]), gpu::array(&[[4.0f32], [8.0]]));
    assert_eq!(gpu::linspace(&low, &high, 5).shape(), [5, 2, 2]);
    assert_eq!(list(&gpu::linspace!(&low, 2.0, 1)), [0.0, 1.0]);
    assert_eq!(gpu::linspace(&low, 2.0, 0).shape(), [0, 2]);
    assert_eq!(gpu::linspace!(0.0, 1.0, 3, axis = -1).shape(), [3]);
    assert!(message(|| drop(gpu::linspace!(&low, 2.0, 3, axis = 2))).contains("no axis 2"));
    // The end is exact.
    let ends = gpu::linspace(0.0, &gpu::array(&[0.1, 0.7]), 11);
    assert_eq!(list(&ends.slice(s![10])), [0.1, 0.7]);
}

#[test]
fn text_files_with_formats_names_and_axes() {
    let path = file("table.csv", "");
    let a = gpu::array(&[[1.0, 2.5], [3.0, 4.25]]);
    let written = |work: &dyn Fn()| {
        work();
        std::fs::read_to_string(&path).unwrap()
    };
    assert_eq!(written(&|| gpu::savetxt!(&path, &a, fmt = ["%d", "%.2f"], delimiter = ",")), "1,2.50\n3,4.25\n");
    assert_eq!(written(&|| gpu::savetxt!(&path, &a, fmt = "%d: %.1f;")), "1: 2.5;\n3: 4.2;\n");
    assert_eq!(written(&|| gpu::savetxt!(&path, &a.ravel(), fmt = ["%g"])), "1\n2.5\n3\n4.25\n");
    let found = message(|| gpu::savetxt!(&path, &a, fmt = ["%d", "%d", "%d"]));
    assert!(found.contains("has 3 formats for 2 columns"), "{found}");
    let found = message(|| gpu::savetxt!(&path, &a, fmt = ["%d", "%y"]));
    assert!(found.contains("the format \"%y\""), "{found}");

    std::fs::write(&path, "skipped\n# time, my height,x,x\n0,1.5,7,1\n1,,8,2\n").unwrap();
    let table = gpu::genfromtxt!(&path, delimiter = ",", skip_header = 1, names = true, filling_values = -1.0);
    assert_eq!(table.names(), ["time", "my_height", "x", "x_1"]);
    assert_eq!((table["my_height"].tolist(), table.get("x_1").tolist()), (vec![1.5, -1.0], vec![1.0, 2.0]));
    assert_eq!(table.iter().count(), 4);
    let found = message(|| drop(table["height"].copy()));
    assert!(found.contains("the columns are \"time\", \"my_height\""), "{found}");
    let some = gpu::genfromtxt!(&path, dtype = i32, delimiter = ",", skip_header = 1, names = true, usecols = (2, 0));
    assert_eq!((some.names(), some["x"].tolist()), (&["x".to_owned(), "time".to_owned()][..], vec![7, 8]));
    let named = gpu::genfromtxt!(&path, delimiter = ",", skip_header = 2, names = ["a", "b", "c", "d"]);
    assert_eq!(named["d"].tolist(), [1.0, 2.0]);
    let found = message(|| drop(gpu::genfromtxt!(&path, delimiter = ",", skip_header = 2, names = ["a"])));
    assert!(found.contains("has 4 columns; give a name for each of them, not 1 (a)"), "{found}");
    // One row, and none.
    std::fs::write(&path, "x y\n1 2\n").unwrap();
    assert_eq!(gpu::genfromtxt!(&path, names = true)["y"].tolist(), [2.0]);
    std::fs::write(&path, "x y\n").unwrap();
    assert_eq!(gpu::genfromtxt!(&path, names = true)["y"].shape(), [0]);

    std::fs::write(&path, "1 2 3\n").unwrap();
    assert_eq!(gpu::loadtxt!(&path).shape(), [3]);
    assert_eq!(gpu::loadtxt!(&path, ndmin = 2).shape(), [1, 3]);
    assert_eq!(gpu::genfromtxt!(&path, ndmin = 2, unpack = true).shape(), [3, 1]);
    std::fs::write(&path, "5\n").unwrap();
    assert_eq!((gpu::loadtxt!(&path).shape(), gpu::loadtxt!(&path, ndmin = 1).shape()), (&[][..], &[1][..]));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn complex_medians_and_interpolation() {
    let z = |re: f32, im: f32| Complex::new(re, im);
    let a = gpu::array(&[z(2.0, 1.0), z(1.0, 5.0), z(1.0, -5.0)]);
    assert_eq!(gpu::median(&a), z(1.0, 5.0));
    assert!(gpu::median(&gpu::array(&[z(2.0, 1.0), z(f32::NAN, 0.0)])).re.is_nan());
    let (xp, fp) = (gpu::array(&[0.0f32, 2.0]), gpu::array(&[z(0.0, 4.0), z(2.0, 0.0)]));
    assert_eq!(gpu::interp_complex(0.5, &xp, &fp).item(), z(0.5, 3.0));
    assert_eq!(gpu::linspace(z(0.0, 0.0), z(1.0, -2.0), 3).tolist(), [z(0.0, 0.0), z(0.5, -1.0), z(1.0, -2.0)]);
}

#[test]
fn arrays_without_elements_are_padded() {
    let rows = gpu::zeros::<f64>((4, 0));
    assert_eq!(gpu::pad!(&rows, ((0, 1), (0, 0)), mode = "reflect", reflect_type = "odd").shape(), [5, 0]);
    assert_eq!(gpu::pad(&rows, [(1, 2), (0, 0)], Pad::LinearRamp(3.0)).shape(), [7, 0]);
    assert_eq!(gpu::pad(&gpu::zeros::<u8>(0), 0, Pad::Mean).size(), 0);
    let text = message(|| drop(gpu::pad(&rows, [(0, 0), (0, 1)], Pad::Mean)));
    assert!(text.contains("has no elements along axis 1 to continue; pad it with a constant"), "{text}");
}

#[test]
fn quantiles_are_nan_where_weights_are_none() {
    let a = gpu::array(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]);
    let weights = gpu::array(&[[0.0, 0.0], [-1.0, 3.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0], [0.0, 2.0]]);
    let found: Vec<f64> = gpu::quantile!(&a, 0.5, axis = 1, weights = &weights, method = "inverted_cdf").tolist();
    assert!(found[..4].iter().all(|value| value.is_nan()), "{found:?}");
    assert_eq!(found[4], 10.0);
}

#[test]
fn grids_are_made_of_flattened_arrays() {
    let (x, y) = gpu::meshgrid(&gpu::array(&[[1, 2], [3, 4]]), &gpu::full((), 7));
    assert_eq!((list(&x), list(&y)), (vec![1, 2, 3, 4], vec![7; 4]));
    assert_eq!(x.shape(), [1, 4]);
}

#[test]
fn a_median_of_no_complex_numbers_has_no_parts() {
    let median = gpu::median(&gpu::zeros::<Complex<f32>>(0));
    assert!(median.re.is_nan() && median.im.is_nan());
}
