//! The kernels that a GPU runs, on the CPU, which has loops and other kernels for the same: against SciPy, against those, and against
//! slow loops.

use super::cases::compare_random_calls;
use super::compare_with_scipy;
use std::path::Path;
use warpcell as gpu;
use warpcell::ndimage as nd;
use warpcell::prelude::*;

const MODES: [&str; 5] = ["reflect", "constant", "nearest", "mirror", "wrap"];

#[test]
fn kernels_as_scipy() {
    gpu::by_kernels(compare_with_scipy);
}

#[test]
fn kernels_in_random_calls() {
    gpu::by_kernels(compare_random_calls);
}

fn image(seed: u64, shape: &[usize]) -> DeviceArray<f64> {
    gpu::random::Generator::new(seed).random(shape.to_vec()) - 0.5
}

type Call<'a> = Box<dyn Fn() -> DeviceArray<f64> + 'a>;

/// Calls on an image, by their names.
fn calls<'a>(x: &'a DeviceArray<f64>, mode: &'static str) -> Vec<(&'static str, Call<'a>)> {
    let weights = gpu::asarray(&ndarray::Array2::from_shape_fn((5, 3), |(i, j)| (i * 7 + j * 5) as f64 % 4.0 - 1.0));
    let any = gpu::array(&[0.5, -1.0, 0.25, 2.0, 0.75, -0.125, 1.0, 0.0, 0.5]);
    let wide = gpu::ones::<f64>(70);
    vec![
        ("correlate", Box::new(move || nd::correlate!(x, &weights, mode = mode, cval = 0.2))),
        ("correlate1d", Box::new(move || nd::correlate1d!(x, &any, axis = 0, mode = mode, cval = 0.2))),
        ("many weights", Box::new(move || nd::correlate1d!(x, &wide, mode = mode))),
        ("gaussian", Box::new(move || nd::gaussian_filter!(x, 1.5, mode = mode, cval = 0.2))),
        ("laplace", Box::new(move || nd::laplace!(x, mode = mode))),
        ("sobel", Box::new(move || nd::sobel!(x, axis = 0, mode = mode))),
        ("uniform", Box::new(move || nd::uniform_filter!(x, (5, 4), mode = mode))),
        ("maximum", Box::new(move || nd::maximum_filter!(x, 5, mode = mode, cval = 0.2))),
        ("minimum", Box::new(move || nd::minimum_filter!(x, (4, 20), mode = mode, cval = 0.2))),
        ("median 3", Box::new(move || nd::median_filter!(x, 3, mode = mode, cval = 0.2))),
        ("median 5", Box::new(move || nd::median_filter!(x, 5, mode = mode, cval = 0.2))),
        ("percentile 30", Box::new(move || nd::percentile_filter!(x, 30.0, 3, mode = mode, cval = 0.2))),
        ("percentile 80", Box::new(move || nd::percentile_filter!(x, 80.0, (3, 5), mode = mode, cval = 0.2))),
        ("rank of many", Box::new(move || nd::rank_filter!(x, 20, 9, mode = mode, cval = 0.2))),
        ("zoom 1", Box::new(move || nd::zoom!(x, 1.5, order = 1, mode = mode, cval = 0.2))),
        ("zoom 3", Box::new(move || nd::zoom!(x, (0.7, 1.3), mode = mode, cval = 0.2))),
        ("shift 2", Box::new(move || nd::shift!(x, (-3.3, 2.5), order = 2, mode = mode, cval = 0.2))),
        ("shift by whole numbers", Box::new(move || nd::shift!(x, (70.0, -2.0), order = 0, mode = mode, cval = 0.2))),
        ("rotate 1", Box::new(move || nd::rotate!(x, 30.0, order = 1, mode = mode, cval = 0.2))),
        ("rotate 0", Box::new(move || nd::rotate!(x, 10.0, order = 0, mode = mode, cval = 0.2))),
    ]
}

/// Kernels and loops add up the same terms in the same order: their results are the same bits.
#[test]
fn kernels_and_loops_are_the_same() {
    let x = image(3, &[61, 83]);
    let coordinates = gpu::arange(-40..60).reshape((2, 50));
    let bytes = (&x * 200.0).astype::<i16>();
    let taken = || nd::map_coordinates!(&x, &coordinates, order = 1, mode = "mirror");
    assert!(gpu::array_equal(&gpu::by_kernels(taken), &taken()));
    let zoomed = || nd::zoom!(&bytes, 1.7, order = 3);
    assert!(gpu::array_equal(&gpu::by_kernels(zoomed), &zoomed()));
    for mode in MODES {
        for (name, call) in calls(&x, mode) {
            let (ours, loops) = (gpu::by_kernels(&call).to_host(), call().to_host());
            let wrong = ours.iter().zip(&loops).filter(|(a, b)| a != b).count();
            assert!(ours.shape() == loops.shape() && wrong == 0, "{name} {mode}: {wrong} of {} differ", ours.len());
        }
    }
}

/// Sets of neighbours, and what grows from them.
#[test]
fn labels_by_kernels() {
    for (shape, share) in
        [(&[5000][..], 0.0), (&[300, 257], -0.08), (&[300, 257], 0.1), (&[30, 40, 50], 0.2), (&[9, 8, 17, 16], 0.3)]
    {
        compare_labels(&image(17, shape).gt(share));
    }
    // One long run, one large set, and one that winds through the whole image.
    compare_labels(&gpu::full(3000, true));
    compare_labels(&gpu::full((70, 300), true));
    let winds = |(i, j): (usize, usize)| i % 2 == 0 || j == if i % 4 == 1 { 0 } else { 99 };
    compare_labels(&gpu::asarray(&ndarray::Array2::from_shape_fn((61, 100), winds).into_dyn()));
}

fn compare_labels(mask: &DeviceArray<bool>) {
    let shape = mask.shape();
    for connectivity in 1..=shape.len() {
        let structure = nd::generate_binary_structure(shape.len(), connectivity);
        let label = || nd::label!(mask, structure = &structure);
        let (ours, loops) = (gpu::by_kernels(label), label());
        assert_eq!(ours.1, loops.1, "{shape:?} {connectivity}");
        assert!(gpu::array_equal(&ours.0, &loops.0), "{shape:?} {connectivity}");
        let fill = || nd::binary_fill_holes(mask, &structure);
        assert!(gpu::array_equal(&gpu::by_kernels(fill), &fill()), "{shape:?} {connectivity}");
    }
}

/// Medians of small windows, which are sorted on the CPU.
#[test]
fn medians_with_zeros_beyond_the_ends() {
    let x = image(19, &[40, 31]);
    for sizes in [[3, 3], [1, 5], [5, 7], [1, 1], [9, 3]] {
        let medians = || gpu::signal::medfilt2d!(&x, kernel_size = sizes);
        assert!(gpu::array_equal(&gpu::by_kernels(medians), &medians()), "{sizes:?}");
    }
    let bytes = (&x * 100.0).astype::<i32>();
    let medians = || gpu::signal::medfilt!(&bytes, 5);
    assert!(gpu::array_equal(&gpu::by_kernels(medians), &medians()));
}

/// The filter of splines in parts forgets what is far away, and is the same as in one go.
#[test]
fn long_lines_of_splines() {
    for shape in [&[1300][..], &[520, 13], &[9, 611], &[3, 515, 4], &[700, 2, 600]] {
        let x = image(5, shape);
        for (order, mode) in
            [(2, "mirror"), (3, "mirror"), (4, "reflect"), (5, "grid-wrap"), (3, "nearest"), (5, "mirror")]
        {
            let filter = || nd::spline_filter!(&x, order = order, mode = mode);
            let (ours, whole) = (gpu::by_kernels(filter).to_host(), filter().to_host());
            let most = ours.iter().zip(&whole).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(most < 1e-13, "{shape:?} {order} {mode}: {most}");
        }
    }
    // What is not finite is in the whole line, and in no other.
    let x = image(7, &[3, 600]);
    x.slice(s![1, 400]).fill(f64::INFINITY);
    let found = gpu::by_kernels(|| nd::spline_filter1d!(&x, 3, axis = 1)).to_host();
    assert!(found.indexed_iter().all(|(at, value)| value.is_finite() == (at[0] != 1)));
}

/// Distances to the nearest zero, among all zeros.
#[test]
fn distances_are_the_least() {
    let (rows, columns) = (57, 130);
    let noise = image(11, &[rows, columns]);
    let one = ndarray::Array2::from_shape_fn((rows, columns), |at| at != (40, 7));
    let stripes = ndarray::Array2::from_shape_fn((rows, columns), |(i, j)| i % 9 != 4 || j > 100);
    let masks = [
        noise.gt(-0.45).to_host(),
        noise.gt(-0.499).to_host(),
        noise.gt(0.2).to_host(),
        one.into_dyn(),
        stripes.into_dyn(),
    ];
    for (number, mask) in masks.into_iter().enumerate() {
        for sampling in [(1.0, 1.0), (0.7, 2.5)] {
            let of = gpu::asarray(&mask);
            let (found, places) = gpu::by_kernels(|| nd::distance_transform_edt_indices(&of, [sampling.0, sampling.1]));
            let alone = gpu::by_kernels(|| nd::distance_transform_edt!(&of, sampling = [sampling.0, sampling.1]));
            assert!(gpu::array_equal(&alone, &found));
            let (found, places) = (found.to_host(), places.to_host());
            let zeros: Vec<(usize, usize)> =
                mask.indexed_iter().filter(|(_, is_set)| !**is_set).map(|(at, _)| (at[0], at[1])).collect();
            for (at, &distance) in found.indexed_iter() {
                let away = |(row, column): (usize, usize)| {
                    let (y, x) = (at[0] as f64 - row as f64, at[1] as f64 - column as f64);
                    ((y * sampling.0).powi(2) + (x * sampling.1).powi(2)).sqrt()
                };
                let least = zeros.iter().map(|&zero| away(zero)).fold(f64::INFINITY, f64::min);
                assert!((distance - least).abs() <= 1e-12 * least, "mask {number}: {at:?} is {distance}, not {least}");
                let zero = (places[[0, at[0], at[1]]] as usize, places[[1, at[0], at[1]]] as usize);
                assert!(
                    !mask[[zero.0, zero.1]] && (away(zero) - least).abs() <= 1e-12 * least,
                    "mask {number}: {at:?} {zero:?}"
                );
            }
        }
    }
    let none = gpu::full((5, 9), true);
    assert!(gpu::by_kernels(|| nd::distance_transform_edt(&none)).to_host().iter().all(|x| x.is_infinite()));
}

/// What a kernel is compiled for stands in its text as constants. With `WARPCELL_NDIMAGE_SOURCES` the texts are written to that folder.
#[test]
fn kernels_know_their_windows() {
    // The texts of what the CPU runs are kept; a GPU compiles the same.
    if gpu::device() != gpu::Device::Cpu {
        return;
    }
    let x = image(13, &[40, 600]);
    let mask = x.gt(0.0);
    let sources = gpu::sources_of(|| {
        for mode in ["reflect", "constant"] {
            for (_, call) in calls(&x, mode) {
                call();
            }
        }
        nd::shift(&x, (1.5, 2.5));
        nd::map_coordinates!(&x, &gpu::zeros::<f64>((2, 50)), order = 1);
        nd::distance_transform_edt(&mask);
        nd::binary_erosion(&mask, ());
        nd::label(&mask);
    });
    let with = |kernel: &str, text: &str| sources.iter().any(|(source, name)| name == kernel && source.contains(text));
    assert!(with("rank_of_few", "constexpr usize keep = 13ULL;"));
    assert!(with("correlate", "constexpr i64 w23 = 21474836483LL;"));
    assert!(
        with("interpolate", "constexpr i32 counts = 4386;") && with("interpolate_grid", "constexpr i32 counts = 4420;")
    );
    assert!(with("nearest", "constexpr bool refines = true;"));
    // Programs whose kernels are embedded have those for all values.
    let names: std::collections::BTreeSet<&String> = sources.values().collect();
    let is_general =
        |source: &str| !source.contains("constexpr i32 mode = ") && !source.contains("constexpr i32 counts = ");
    for name in names {
        assert!(sources.iter().any(|(source, of)| of == name && is_general(source)), "{name}");
    }
    assert!(sources.keys().all(|source| !source.contains("checked_axis(")), "indices are checked");
    if let Some(folder) = std::env::var_os("WARPCELL_NDIMAGE_SOURCES") {
        for (number, (source, name)) in sources.iter().enumerate() {
            std::fs::write(Path::new(&folder).join(format!("{name}_{number}.cu")), source).expect("a folder");
        }
    }
}
