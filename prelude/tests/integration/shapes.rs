//! Edges of what makes, cuts, rearranges, chooses from and compares arrays: empty arrays, axes, NaN, strides and errors. What is
//! expected is what NumPy 2.4 gives; the rows of `names.rs` have the ordinary cases.

use crate::fixtures::message;
use expect_test::expect;
use warpcell as gpu;
use warpcell::Element;
use warpcell::ndarray::ArrayD;
use warpcell::prelude::*;

/// The elements in row-major order.
fn list<T: Element>(a: &DeviceArray<T>) -> Vec<T> {
    a.ravel().tolist()
}

#[test]
fn new_arrays() {
    assert_eq!(gpu::vander!(&gpu::array(&[2, 3]), N = 0).shape(), [2, 0]);
    assert_eq!(gpu::vander(&gpu::zeros::<f32>(0)).shape(), [0, 0]);
    assert_eq!(list(&gpu::vander!(&gpu::array(&[200u8, 3]), N = 3)), [40_000u64, 200, 1, 9, 3, 1]);
    assert_eq!(gpu::tri::<f64>(0).shape(), [0, 0]);
    assert_eq!(gpu::eye!(2, 0).shape(), [2, 0]);
    assert_eq!((gpu::tri!(2, 3, 5).sum(), gpu::tri!(2, 3, -5).sum()), (6.0, 0.0));
    assert_eq!(gpu::geomspace(2.0, 2.0, 3).tolist(), [2.0; 3]);
    assert_eq!(gpu::geomspace(1.0f32, 256.0, 1).tolist(), [1.0]);
    assert_eq!(gpu::geomspace(3.0, 700.0, 5).get(&[4]), 700.0);
    assert_eq!(gpu::geomspace!(1.0, 8.0, 1, endpoint = false).tolist(), [1.0]);
    assert_eq!(gpu::logspace(0.0, 1.0, 0).shape(), [0]);
    assert_eq!(gpu::logspace!(0.0, 2.0, 3, dtype = i64).tolist(), [1, 10, 100]);
    assert_eq!(list(&gpu::diagflat(&gpu::full((), 5))), [5]);
    assert_eq!((gpu::indices(()).shape(), gpu::indices((2, 0)).shape()), (&[0][..], &[2, 2, 0][..]));
    assert_eq!(gpu::mgrid([(0, 3, 1)]).shape(), [1, 3]);
    let grids: Vec<DeviceArray<i64>> =
        gpu::fromfunction(|grids: [DeviceArray<f64>; 3]| grids.map(|g| g.astype()).into(), [2, 0, 3]);
    assert_eq!((grids.len(), grids[2].shape()), (3, &[2, 0, 3][..]));
    assert_eq!(gpu::frombuffer::<i16>(&[]).shape(), [0]);
    assert_eq!(gpu::frombuffer::<bool>(&[0, 7]).tolist(), [false, true]);
    assert_eq!(gpu::frombuffer!(&7.5f64.to_ne_bytes()).item(), 7.5);
    assert_eq!(gpu::fromstring::<f64>("", " ").shape(), [0]);
    assert_eq!(gpu::fromstring::<f64>("1 ,nan,", ",").is_nan().tolist(), [false, true]);
    let of = |text: String| text;
    expect!["frombuffer: 3 bytes are not a whole number of elements of i16 of 2 bytes; give a count, or another type"]
        .assert_eq(&of(message(|| gpu::frombuffer::<i16>(&[1, 2, 3]))));
    expect!["frombuffer: 2 bytes are fewer than 3 elements of u8 have; give a smaller count"]
        .assert_eq(&of(message(|| gpu::frombuffer!(&[1, 2, 3], dtype = u8, count = 3, offset = 1))));
    expect![[r#"fromstring: "x", number 2 of the text, is not a number of type f64"#]]
        .assert_eq(&of(message(|| gpu::fromstring::<f64>("1 x", " "))));
    expect![
        "geomspace: no number times itself again and again leads from 1 to -4; give two ends of one sign that are not 0"
    ]
    .assert_eq(&of(message(|| gpu::geomspace(1.0, -4.0, 3))));
    assert!(message(|| gpu::vander(&gpu::zeros::<f64>((2, 2)))).contains("[2, 2] is not 1-D"));
}

#[test]
fn diagonals_are_filled_in_place() {
    let base = gpu::zeros::<i32>((3, 8));
    let mut view = base.slice(s![..;-1, ..;2]).t();
    gpu::fill_diagonal!(&mut view, &gpu::array(&[1, 2, 3, 4]), wrap = true);
    // The view has 4 rows and 3 columns, so its diagonal does not start over: the row behind it is left free.
    assert_eq!(list(&base), [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let mut cube = gpu::zeros::<f32>((2, 2, 2));
    gpu::fill_diagonal(&mut cube, 5.0);
    assert_eq!((cube.sum(), cube.get(&[1, 1, 1])), (10.0, 5.0));
    let mut own = gpu::arange(9).reshape((3, 3));
    let turned = own.slice(s![..;-1, 0]);
    gpu::fill_diagonal(&mut own, &turned);
    assert_eq!(own.diagonal().tolist(), [6, 3, 0]);
    gpu::fill_diagonal(&mut gpu::zeros::<f64>((0, 3)), 1.0);
    assert!(message(|| gpu::fill_diagonal(&mut gpu::zeros::<f64>(3), 1.0)).contains("has no diagonal"));
    assert!(message(|| gpu::fill_diagonal(&mut gpu::zeros::<f64>((2, 2, 3)), 1.0)).contains("whose lengths differ"));
    assert!(message(|| gpu::fill_diagonal(&mut gpu::zeros::<f64>(2).broadcast_to((2, 2)), 1.0)).contains("broadcast"));
}

#[test]
fn parts() {
    let lists = |parts: Vec<DeviceArray<i32>>| parts.iter().map(DeviceArray::tolist).collect::<Vec<_>>();
    assert_eq!(lists(gpu::array_split(&gpu::arange(7), 3)), [vec![0, 1, 2], vec![3, 4], vec![5, 6]]);
    assert_eq!(lists(gpu::array_split(&gpu::arange(5), [3, 1])), [vec![0, 1, 2], vec![], vec![1, 2, 3, 4]]);
    assert_eq!(lists(gpu::array_split(&gpu::arange(5), [-2])), [vec![0, 1, 2], vec![3, 4]]);
    assert_eq!(lists(gpu::split(&gpu::arange(4), vec![1usize, 3], -1)), [vec![0], vec![1, 2], vec![3]]);
    assert_eq!(gpu::split(&gpu::zeros::<f64>(0), 2, 0).len(), 2);
    let mut halves = gpu::vsplit(&gpu::arange(4).reshape((2, 2)), 2);
    halves[1].fill(9);
    assert!(message(|| gpu::split(&gpu::arange(5), 2, 0)).contains("cannot be divided into 2 equal parts"));
    assert!(message(|| gpu::array_split(&gpu::arange(5), 0)).contains("cannot be cut into no parts"));
    assert!(message(|| gpu::array_split(&gpu::arange(5), -1)).contains("cannot be cut into no parts"));
    expect!["vsplit: the shape [3] has 1 axes, but at least 2 are needed; use `split` along an axis that there is"]
        .assert_eq(&message(|| gpu::vsplit(&gpu::arange(3), 3)));
}

#[test]
fn axes_and_views() {
    let a = gpu::arange(8).reshape((2, 2, 2));
    assert_eq!(list(&gpu::rot90!(&a, 3, (2, 0))), [1, 5, 3, 7, 0, 4, 2, 6]);
    assert_eq!(list(&gpu::rot90!(&a, -5, (-1, 0))), [1, 5, 3, 7, 0, 4, 2, 6]);
    assert_eq!(gpu::rot90(&gpu::zeros::<f64>((2, 0))).shape(), [0, 2]);
    assert!(message(|| gpu::rot90!(&a, 1, (0, -3))).contains("from axis 0 to itself"));
    assert!(message(|| gpu::rot90(&gpu::arange(3))).contains("at least 2 are needed"));
    assert!(message(|| gpu::rollaxis!(&a, 0, 4)).contains("has no place 4"));
    assert_eq!(gpu::rollaxis!(&gpu::zeros::<f64>((2, 3)), 0, 2).shape(), [3, 2]);
    let (columns, base) = (gpu::asfortranarray(&a), gpu::arange(6).reshape((2, 3)));
    assert_eq!((columns.strides(), list(&columns)), (&[1, 2, 4][..], list(&a)));
    assert_eq!(gpu::asfortranarray(&columns).strides(), [1, 2, 4]);
    assert_eq!(gpu::ascontiguousarray(&gpu::full((), 1.0)).shape(), [1]);
    gpu::fliplr(&base).slice(s![0, 0]).fill(-1);
    gpu::matrix_transpose(&base).slice(s![0, 1]).fill(-2);
    assert_eq!(list(&base), [0, 1, -1, -2, 4, 5]);
    assert!(message(|| gpu::fliplr(&gpu::arange(3))).contains("has 1 axes"));
    assert!(message(|| gpu::flipud(&gpu::full((), 3))).contains("has 0 axes"));
    let error = message(|| gpu::broadcast_arrays([&gpu::zeros::<f64>((2, 3)), &gpu::zeros::<f64>(2)]));
    assert!(error.contains("broadcast_arrays") && error.contains("[2, 3]"), "{error}");
    assert_eq!(gpu::column_stack([&gpu::zeros::<f64>((2, 1)), &gpu::zeros::<f64>(2)]).shape(), [2, 2]);
    assert_eq!(gpu::dstack([&gpu::zeros::<f64>((2, 3, 1)), &gpu::zeros::<f64>((2, 3))]).shape(), [2, 3, 2]);
}

#[test]
fn windows_are_views_that_cannot_be_written_to() {
    let a = gpu::arange(12).reshape((3, 4));
    let turned = a.slice(s![..;-1, ..;2]);
    assert_eq!(list(&gpu::sliding_window_view(&turned, (2, 2))), [8, 10, 4, 6, 4, 6, 0, 2]);
    assert_eq!(gpu::sliding_window_view(&gpu::arange(4), 0).shape(), [5, 0]);
    assert_eq!(gpu::sliding_window_view!(&gpu::zeros::<f32>((4, 6)), (2, 3), axis = (0, 0)).shape(), [1, 6, 2, 3]);
    let line = gpu::arange(1000.0);
    let mut windows = gpu::sliding_window_view(&line, 3);
    assert_eq!(windows.max_axis(-1).tolist(), gpu::arange(2.0..1000.0).tolist());
    line.slice(s![2]).fill(-1.0);
    assert_eq!(list(&windows.slice(s![..2, ..])), [0.0, 1.0, -1.0, 1.0, -1.0, 3.0]);
    expect!["fill: the target is a view of windows, which have elements in common; write to a `copy()` of it"]
        .assert_eq(&windows.try_fill(1.0).unwrap_err().to_string());
    // Windows without common elements, and of one element, may be.
    windows.slice(s![..;3, ..]).fill(7.0);
    gpu::sliding_window_view(&line, 1).fill(8.0);
    assert_eq!(line.sum(), 8000.0);
    expect!["sliding_window_view: the shape [3, 4] has 3 elements along axis 0, fewer than the window's 4; give a smaller window"]
        .assert_eq(&message(|| gpu::sliding_window_view(&a, (4, 1))));
    assert!(message(|| gpu::sliding_window_view(&a, 2)).contains("2 axes, but 1 lengths"));
}

#[test]
fn evenly_spaced_numbers_are_those_of_the_host() {
    for (start, stop, count) in [(0.1, 0.7, 100_001), (-3.0, 1e9, 7), (5.0, 5.0, 3), (2.5, -1.0, 2), (1.0, 9.0, 1)] {
        assert_eq!(gpu::linspace(start, stop, count).to_host(), gpu::host::linspace(start, stop, count).into_dyn());
        let (start, stop) = (start as f32, stop as f32);
        assert_eq!(gpu::linspace(start, stop, count).to_host(), gpu::host::linspace(start, stop, count).into_dyn());
    }
    // Without the end, the first of one more.
    let more = gpu::linspace(0.3, 1.1, 1001);
    assert_eq!(list(&gpu::linspace!(0.3, 1.1, 1000, endpoint = false)), list(&more)[..1000]);
    assert_eq!(gpu::fft::fftfreq(5, 0.1).tolist(), [0.0, 2.0, 4.0, -4.0, -2.0]);
    assert_eq!((gpu::fft::fftfreq(1, 2.0).tolist(), gpu::fft::rfftfreq(3, 1.0).size()), (vec![0.0], 2));
}

#[test]
fn parts_repeated_each_so_often() {
    let a = gpu::arange(6i64).reshape((2, 3));
    // On the device and from the host; a part that is left out; an array with other strides.
    let counts = gpu::array(&[2, 0, 3]);
    let expected = [0, 0, 2, 2, 2, 3, 3, 5, 5, 5];
    assert_eq!(list(&gpu::repeat!(&a, &counts, axis = 1)), expected);
    assert_eq!(list(&gpu::repeat!(&a.t(), &counts, axis = 0).t()), expected);
    assert_eq!(gpu::repeat!(&a, &gpu::array(&[0i32, 0, 0]), axis = 1).shape(), [2, 0]);
    assert_eq!(gpu::repeat!(&gpu::zeros::<f64>(0), &gpu::zeros::<i64>(0)).shape(), [0]);
    let many = gpu::arange(1000i64);
    let expected: Vec<i64> = (0..1000).flat_map(|place| std::iter::repeat_n(place, (place * 7 % 5) as usize)).collect();
    assert_eq!(list(&gpu::repeat!(&many, &(&many * 7).modulo(5))), expected);
    for counts in [gpu::array(&[1, -1, 1]), gpu::array(&[1, 1])] {
        expect!["repeat: the shape [2, 3] has 3 elements along axis 1; give one count for each, none of them negative"]
            .assert_eq(&message(|| gpu::repeat!(&a, &counts, axis = 1)));
    }
    let large = gpu::array(&[1, i64::MAX / 2, 1]);
    expect!["repeat: the shape [2, 3] would have more elements than memory can address; the largest count is 4611686018427387903"]
        .assert_eq(&message(|| gpu::repeat!(&a, &large, axis = 1)));
}

#[test]
fn parts_appended_inserted_and_deleted() {
    let (line, a) = (gpu::arange(3i64), gpu::arange(6i64).reshape((2, 3)));
    assert_eq!(gpu::append(&gpu::full((), 5), 6).tolist(), [5, 6]);
    assert!(message(|| gpu::append!(&a, &line, axis = 0)).contains("append"));
    let none: [i64; 0] = [];
    assert_eq!(gpu::delete(&line, none).tolist(), [0, 1, 2]);
    assert_eq!(gpu::delete(&line, 0..3).shape(), [0]);
    assert_eq!(gpu::delete!(&gpu::zeros::<f64>((2, 0)), 0, axis = 0).shape(), [1, 0]);
    // More runs than are copied one by one, from the host and on the device, of an array with other strides.
    let large = gpu::arange(60).reshape((2, 30)).t();
    let odd: Vec<i64> = (0..30).filter(|place| place % 2 == 1).collect();
    let expected = list(&large.slice(s![..;2, ..]).copy());
    assert_eq!(list(&gpu::delete!(&large, &odd, axis = 0)), expected);
    let negative = gpu::array(&odd) - 30;
    assert_eq!(list(&gpu::delete!(&large, &negative, axis = 0)), expected);
    let line_of_many = gpu::arange(10_000i64);
    let gone: Vec<i64> = (0..900).map(|k| k * k * 31 % 10_000 - if k % 2 == 0 { 0 } else { 10_000 }).collect();
    let places: Vec<i64> = gone.iter().map(|place| place.rem_euclid(10_000)).collect();
    let kept: Vec<i64> = (0..10_000).filter(|place| !places.contains(place)).collect();
    assert_eq!(list(&gpu::delete(&line_of_many, &gone)), kept);
    expect!["delete: the index 3 is out of range for axis 1 of length 3; indices go from -3 to 2"]
        .assert_eq(&message(|| gpu::delete!(&a, [0, 3], axis = 1)));
    expect!["delete: the index -7 is out of range for an array of 6 elements; indices go from -6 to 5"]
        .assert_eq(&message(|| gpu::delete(&a, &gpu::array(&[-7i64]))));
    assert_eq!(gpu::insert(&line, none, 7).tolist(), [0, 1, 2]);
    assert_eq!(gpu::insert(&line, [3, 3], &gpu::array(&[8i64, 9])).tolist(), [0, 1, 2, 8, 9]);
    assert_eq!(list(&gpu::insert!(&a, 1, &a, axis = 0)), [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
    let square = gpu::array(&[[7i64, 8], [9, 10]]);
    assert_eq!(list(&gpu::insert!(&a, 1, &square, axis = 1)), [0, 7, 9, 1, 2, 3, 8, 10, 4, 5]);
    let column = gpu::array(&[[7i64], [8]]);
    let found = gpu::insert!(&a, &gpu::array(&[0, 0, 3]), &column, axis = -1);
    assert_eq!(list(&found), [7, 7, 0, 1, 2, 7, 8, 8, 3, 4, 5, 8]);
    expect!["insert: there is no place 4 along an axis of length 3; indices go from -3 to 3"]
        .assert_eq(&message(|| gpu::insert(&line, 4, 1)));
    assert!(message(|| gpu::insert!(&a, [0, 1], &line, axis = 1)).contains("insert"));
    assert_eq!(gpu::resize(&gpu::zeros::<f64>(0), 3).tolist(), [0.0; 3]);
    assert_eq!((gpu::resize(&line, ()).item(), gpu::resize(&line, 0).shape()), (0, &[0][..]));
    assert_eq!(list(&gpu::resize(&a.t(), (2, 4))), [0, 3, 1, 4, 2, 5, 0, 3]);
}

#[test]
fn zeros_at_the_ends() {
    assert_eq!(gpu::trim_zeros(&gpu::zeros::<f64>(3)).shape(), [0]);
    assert_eq!(gpu::trim_zeros!(&gpu::zeros::<f64>((2, 3)), "f").shape(), [0, 0]);
    assert_eq!(gpu::trim_zeros(&gpu::zeros::<f64>(0)).shape(), [0]);
    assert!(gpu::trim_zeros(&gpu::array(&[0.0, f64::NAN, -0.0])).item().is_nan());
    let a = gpu::array(&[[0, 0, 0], [0, 5, 0], [0, 0, 7]]);
    assert_eq!(list(&gpu::trim_zeros!(&a, "F")), [5, 0, 0, 7]);
    assert_eq!(gpu::trim_zeros!(&a.t().slice(s![..;-1, ..]), trim = "b").shape(), [2, 3]);
    gpu::trim_zeros(&a).fill(1);
    assert_eq!(a.sum(), 4i64);
    assert!(message(|| gpu::trim_zeros!(&a, "x")).contains(r#"there are no ends "x""#));
}

#[test]
fn choices() {
    let choices = [gpu::arange(3), gpu::full((), 7)];
    let found = gpu::choose(&gpu::array(&[[0u32], [1]]), &choices);
    assert_eq!((found.shape(), list(&found)), (&[2, 3][..], vec![0, 1, 2, 7, 7, 7]));
    assert_eq!(gpu::choose!(&gpu::array(&[-1, 5]), [1, 2], mode = "wrap").tolist(), [2, 2]);
    expect![[r#"
        choose: the index -1 names none of the 2 choices; indices go from 0 to 1, or write `mode = "wrap"` or `mode = "clip"`"#]]
    .assert_eq(&message(|| gpu::choose(&gpu::array(&[-1, 0]), [1, 2])));
    assert!(message(|| gpu::choose(&gpu::array(&[0, 2]), [1, 2])).contains("the index 2 names none"));
    assert!(
        message(|| gpu::choose(&gpu::array(&[0]), &Vec::<DeviceArray<f64>>::new())).contains("nothing to choose from")
    );
    assert_eq!(gpu::choose(&gpu::zeros::<i32>(0), [1.5]).shape(), [0]);
    let (c, x) = (gpu::array(&[true, false]), gpu::array(&[[1.0], [f64::NAN]]));
    assert!(gpu::select([&c], [&x]).get(&[1, 0]).is_nan());
    assert_eq!(gpu::select([&c, &!&c], [true, true]).tolist(), [true, true]);
    expect!["select: there are 1 conditions for 2 choices; give one condition for each choice, and at least one"]
        .assert_eq(&message(|| gpu::select([&c], [1, 2])));
    assert_eq!(gpu::compress!(&gpu::array(&[true]), &gpu::zeros::<f64>((2, 3)), axis = -1).shape(), [2, 1]);
    assert_eq!(gpu::compress(&gpu::zeros::<bool>(0), &gpu::arange(2)).shape(), [0]);
    let columns = gpu::compress!(&gpu::array(&[true, false, true]), &gpu::arange(6).reshape((3, 2)).t(), axis = 1);
    assert_eq!(list(&columns), [0, 4, 1, 5]);
    assert!(message(|| gpu::compress(&gpu::ones_like(&gpu::arange(3)).gt(0), &gpu::arange(2))).contains("at most 2"));
    assert_eq!(gpu::extract(&c, &gpu::array(&[[1], [2]])).tolist(), [1]);
    assert!(message(|| gpu::extract(&c, &gpu::arange(3))).contains("has 2 elements, but the array has 3"));
    let mut a = gpu::arange(4).reshape((2, 2));
    let turned = a.t();
    gpu::copyto!(&mut a, &turned, where = &c);
    assert_eq!(list(&a), [0, 1, 1, 3]);
    assert!(message(|| gpu::copyto!(&mut a.clone(), 1, where = &gpu::zeros::<bool>(3))).contains("copyto"));
    assert!(message(|| gpu::copyto!(&mut a.clone(), &gpu::arange(3), where = &c)).contains("copyto"));
}

#[test]
fn positions() {
    assert_eq!(gpu::tril_indices(0)[0].shape(), [0]);
    assert_eq!(gpu::tril_indices!(2, k = 5)[1].tolist(), [0, 1, 0, 1]);
    for (rows, columns) in [(0, 3), (3, 0), (1, 1), (3, 5), (6, 2)] {
        for k in [isize::MIN, -7, -2, -1, 0, 1, 2, 7, isize::MAX] {
            let places = |is_kept: &dyn Fn(isize) -> bool| -> [Vec<i64>; 2] {
                let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
                let kept: Vec<(i64, i64)> = all.filter(|&(row, column)| is_kept((column - row) as isize)).collect();
                [kept.iter().map(|place| place.0).collect(), kept.iter().map(|place| place.1).collect()]
            };
            let lists = |found: Vec<gpu::DeviceArray<i64>>| [0, 1].map(|axis| found[axis].tolist());
            let (n, m) = (rows as usize, columns as usize);
            assert_eq!(lists(gpu::tril_indices!(n, k = k, m = m)), places(&|distance| distance <= k), "{n} {k} {m}");
            assert_eq!(lists(gpu::triu_indices!(n, k = k, m = m)), places(&|distance| distance >= k), "{n} {k} {m}");
        }
    }
    assert_eq!(gpu::triu_indices!(2, k = 5).len(), 2);
    assert_eq!(gpu::mask_indices(2, |m| m.copy())[1].tolist(), [0, 1, 0, 1]);
    let grid = gpu::ix_([&gpu::array(&[1u32, 0]), &gpu::array(&[2u32, 0, 1]), &gpu::array(&[0u32])]);
    assert_eq!((grid[1].shape(), list(&grid[1])), (&[1, 3, 1][..], vec![2, 0, 1]));
    assert!(message(|| gpu::ix_([&gpu::zeros::<i64>((2, 2))])).contains("is not 1-D"));
    assert!(message(|| gpu::diag_indices_from(&gpu::zeros::<f64>((2, 3)))).contains("all of one length"));
    assert!(message(|| gpu::tril_indices_from(&gpu::zeros::<f64>(3))).contains("is not 2-D"));
}

#[test]
fn sets() {
    let none = gpu::zeros::<f64>(0);
    let (nan, one) = (f64::NAN, gpu::array(&[1.0, 2.0]));
    assert_eq!(gpu::isin(&gpu::zeros::<f64>((0, 2)), &one).shape(), [0, 2]);
    assert_eq!(gpu::isin(&one, &none).tolist(), [false, false]);
    assert_eq!(gpu::isin!(&one, &none, invert = true).tolist(), [true, true]);
    assert!(gpu::isin(&gpu::full((), 2.0), &one).item());
    assert_eq!(gpu::isin(&gpu::array(&[0.0, -0.0]), &gpu::array(&[-0.0, 5.0])).tolist(), [true, true]);
    assert_eq!(gpu::isin(&gpu::array(&[0.0, -0.0]), &gpu::array(&[0.0, -5.0])).tolist(), [true, true]);
    assert_eq!(gpu::isin(&gpu::array(&[true]), &gpu::array(&[[false], [true]])).tolist(), [true]);
    let halves = gpu::array(&[0.5, 1.5, nan]).astype::<f16>();
    assert_eq!(gpu::isin(&halves, &halves.slice(s![1..])).tolist(), [false, true, false]);
    assert_eq!(gpu::isin(&gpu::array(&[u64::MAX]), &gpu::array(&[u64::MAX, 1])).tolist(), [true]);
    let with_nan = gpu::array(&[nan, 1.0, 2.0, 1.0]);
    assert_eq!(gpu::intersect1d(&with_nan, &gpu::array(&[nan, 1.0])).tolist(), [1.0]);
    let left = gpu::setdiff1d(&with_nan, &gpu::array(&[nan, 1.0])).tolist();
    assert!(left[0] == 2.0 && left[1].is_nan() && left.len() == 2, "{left:?}");
    assert_eq!(gpu::setdiff1d(&with_nan, &none).shape(), [3]);
    assert_eq!(gpu::union1d(&none, &none).shape(), [0]);
    assert_eq!(gpu::setxor1d(&none, &one).tolist(), [1.0, 2.0]);
    assert_eq!(gpu::setxor1d(&one, &one).shape(), [0]);
    let columns = gpu::array(&[[3, 1], [1, 2]]).t();
    assert_eq!(gpu::union1d(&columns, &gpu::array(&[[2], [9]])).tolist(), [1, 2, 3, 9]);
    let (values, first, inverse, counts) = gpu::unique_all(&columns);
    assert_eq!((values.tolist(), first.tolist()), (vec![1, 2, 3], vec![1, 3, 0]));
    assert_eq!((list(&inverse), counts.tolist()), (vec![2, 0, 0, 1], vec![2, 1, 1]));
    assert_eq!(gpu::unique_all(&none).1.shape(), [0]);
    // Many elements, of which the bisection finds some.
    let (many, some) = (gpu::arange(100_000), gpu::arange((0, 200_000, 3)));
    assert_eq!(gpu::isin(&many, &gpu::flip(&some, 0)).count_nonzero(), 33_334);
    assert_eq!(gpu::setxor1d(&many, &some).size(), 100_000 + 66_667 - 2 * 33_334);
}

#[test]
fn orders() {
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    let keys = (gpu::array(&[3.0, nan, 1.0, 1.0]), gpu::array(&[1.0, 1.0, nan, 0.0]));
    assert_eq!(gpu::lexsort([&keys.0, &keys.1]).tolist(), [3, 0, 1, 2]);
    assert_eq!(gpu::lexsort([&gpu::zeros::<f64>(0)]).shape(), [0]);
    assert!(message(|| gpu::lexsort(&Vec::<DeviceArray<f64>>::new())).contains("no key to sort by"));
    assert!(message(|| gpu::lexsort([&keys.0, &gpu::zeros::<f64>(3)])).contains("key 1"));
    // As sorting pairs does.
    let pairs: Vec<(i64, i64)> = (0..5000).map(|n| (n * 7919 % 13, n * 104_729 % 17)).collect();
    let of = |part: fn(&(i64, i64)) -> i64| gpu::asarray(&pairs.iter().map(part).collect::<Vec<i64>>());
    let mut expected: Vec<usize> = (0..pairs.len()).collect();
    expected.sort_by_key(|&at| pairs[at]);
    let found = gpu::lexsort([&of(|pair| pair.1), &of(|pair| pair.0)]);
    assert_eq!(found.tolist(), expected.iter().map(|&at| at as i64).collect::<Vec<_>>());
    let tall = gpu::lexsort!([&of(|pair| pair.1).expand_dims(1), &of(|pair| pair.0).expand_dims(1)], axis = 0);
    assert_eq!(tall.ravel().tolist(), found.tolist());

    assert_eq!(gpu::nanargmax(&gpu::array(&[[nan, 2.0], [5.0, nan]])), 2);
    assert_eq!((gpu::nanargmax(&gpu::array(&[nan, -infinity])), gpu::nanargmin(&gpu::array(&[3, 1, 1]))), (0, 1));
    assert_eq!(gpu::nanargmin!(&gpu::array(&[[nan, 2.0], [5.0, nan]]), axis = 0).tolist(), [1, 0]);
    assert_eq!(gpu::nanargmin!(&gpu::zeros::<f64>((2, 0)), axis = 0).shape(), [0]);
    assert_eq!(gpu::nanargmax(&gpu::array(&[f32::NAN, 1.0]).astype::<f16>()), 1);
    expect!["nanargmax: there are only NaN somewhere along axis 1; give at least one number, or use `argmax`"]
        .assert_eq(&message(|| gpu::nanargmax!(&gpu::array(&[[1.0, nan], [nan, nan]]), axis = -1)));
    assert!(message(|| gpu::nanargmin(&gpu::array(&[nan]))).contains("use `argmin`"));
    assert!(message(|| gpu::nanargmax(&gpu::zeros::<f64>(0))).contains("has no elements"));

    let numbers = [(nan, 1.0), (1.0, nan), (nan, nan), (2.0, 0.0), (nan, 0.0), (0.0, nan), (1.0, 0.0)];
    let numbers = numbers.map(|(real, imag)| Complex::new(real, imag));
    let expected = "[1+0i, 2+0i, 0+NaNi, 1+NaNi, NaN+0i, NaN+1i, NaN+NaNi]";
    let text = |a: &DeviceArray<Complex64>| {
        let numbers: Vec<String> = a.tolist().iter().map(ToString::to_string).collect();
        format!("[{}]", numbers.join(", "))
    };
    assert_eq!(text(&gpu::sort_complex(&gpu::array(&numbers))), expected);
    let rows: DeviceArray<Complex32> = gpu::sort_complex(&gpu::array(&[[3.0f32, 1.0], [f32::NAN, 2.0]]));
    assert_eq!(rows.real().slice(s![.., 0]).tolist(), [1.0, 2.0]);
    let whole: ArrayD<Complex64> = gpu::sort_complex(&gpu::array(&[3, 1, 2])).to_host();
    assert_eq!(whole[2], Complex::new(3.0, 0.0));
}

#[test]
fn reshape_is_a_view_where_the_strides_permit() {
    let base = gpu::arange(24).reshape((2, 3, 4));
    // What is written through the view is written to the base.
    let is_view = |view: DeviceArray<i32>, shape: &[usize]| {
        let expected = view.copy().ravel().tolist();
        let reshaped = view.reshape(shape);
        assert_eq!(reshaped.ravel().tolist(), expected, "{shape:?}");
        let before = view.get(&vec![0; view.ndim()]);
        let mut first = reshaped.clone();
        first += 100;
        let is_view = view.get(&vec![0; view.ndim()]) == before + 100;
        first -= if is_view { 100 } else { 0 };
        is_view
    };
    assert!(is_view(base.slice(s![.., .., ..;2]), &[2, 3, 2]));
    assert!(is_view(base.slice(s![.., .., ..;2]), &[6, 2]));
    assert!(is_view(base.slice(s![.., .., ..;2]), &[2, 1, 3, 1, 2, 1]));
    assert!(is_view(base.slice(s![0, 0, ..;-1]), &[2, 2]));
    assert!(is_view(base.slice(s![.., 1, ..]), &[2, 2, 2]));
    assert!(is_view(base.slice(s![.., 1.., 1..2]), &[1, 2, 2]));
    assert!(!is_view(base.slice(s![.., 1, ..]), &[8]));
    assert!(!is_view(base.slice(s![.., 1.., ..]), &[4, 4]));
    assert!(!is_view(base.t(), &[24]));
    assert_eq!(base.to_host().iter().copied().collect::<Vec<_>>(), (0..24).collect::<Vec<_>>());
    // Without elements any strides do.
    assert_eq!(base.slice(s![..0, .., ..;2]).reshape((3, 0)).shape(), [3, 0]);
}
