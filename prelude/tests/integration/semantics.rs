//! What arrays promise beyond single results: sharing, conversion, large arrays, threads.

use warpcell as gpu;
use warpcell::prelude::*;

#[test]
fn views_write_to_their_base() {
    let a = gpu::zeros::<i32>((4, 4));
    a.slice(s![1..3, ..;-2]).assign(&gpu::array(&[[1, 2], [3, 4]]));
    assert_eq!(a.to_host(), ndarray::array![[0, 0, 0, 0], [0, 2, 0, 1], [0, 4, 0, 3], [0, 0, 0, 0]].into_dyn());
    let mut row = a.slice(s![1, ..]);
    row += 10;
    row *= &gpu::array(&[1, 2, 3, 4]);
    assert_eq!(a.slice(s![1, ..]).to_host(), ndarray::arr1(&[10, 24, 30, 44]).into_dyn());
    let mut clone = a.clone();
    clone.fill(7);
    assert_eq!(a.sum(), 7 * 16i64);
}

#[test]
fn overlapping_views_are_assigned_as_if_copied_first() {
    let a = gpu::arange(100_000);
    a.slice(s![1..]).assign(&a.slice(s![..-1]));
    assert_eq!(a.slice(s![..4]).to_host(), ndarray::arr1(&[0, 0, 1, 2]).into_dyn());
    assert_eq!(a.get(&[99_999]), 99_998);
    let b = gpu::arange(6);
    let mut reversed = b.slice(s![..;-1]);
    reversed -= &b;
    assert_eq!(b.to_host(), ndarray::arr1(&[-5, -3, -1, 1, 3, 5]).into_dyn());
}

#[test]
fn operators_take_values_references_and_scalars() {
    let a = gpu::array(&[1.0f32, 2.0]);
    let b = gpu::array(&[3.0f32, 4.0]);
    let sums = [&a + &b, a.clone() + &b, &a + b.clone(), a.clone() + b.clone()];
    assert!(sums.iter().all(|sum| sum.sum() == 10.0));
    assert_eq!((2.0 * &a).sum(), 6.0);
    assert_eq!((10.0 - &a).to_host(), ndarray::arr1(&[9.0f32, 8.0]).into_dyn());
    assert_eq!((&a - 1.0 + 2.0 * b).sum(), 15.0);
    assert_eq!((-&a).sum(), -3.0);
    let truth = a.gt(1.0);
    assert!((&truth | !&truth).all());
    assert!(!(truth.clone() & !truth).any());
}

#[test]
fn shapes_change_without_copying() {
    let a = gpu::arange(24.0).reshape((2, 3, 4));
    assert_eq!((a.ndim(), a.size(), a.nbytes(), a.strides()), (3, 24, 192, &[12, 4, 1][..]));
    assert_eq!((a.t().shape(), a.t().strides()), (&[4, 3, 2][..], &[1, 4, 12][..]));
    assert_eq!(a.t().reshape(24).get(&[1]), 12.0);
    assert_eq!(a.reshape([4, 6]).diagonal().to_host(), ndarray::arr1(&[0.0, 7.0, 14.0, 21.0]).into_dyn());
    assert_eq!(a.slice(s![1, .., NewAxis, 2]).shape(), [3, 1]);
    assert_eq!(a.slice(s![-1]).shape(), [3, 4]);
    assert_eq!(gpu::full((), 3).item(), 3);
    use ndarray::NewAxis;
}

#[test]
fn conversions_are_rusts() {
    let x = gpu::array(&[-1.5, 0.0, 300.7, f64::NAN, f64::INFINITY]);
    let host = x.to_host();
    assert_eq!(x.astype::<u8>().to_host(), host.mapv(|x| x as u8));
    assert_eq!(x.astype::<i64>().to_host(), host.mapv(|x| x as i64));
    assert_eq!(x.astype::<bool>().to_host(), host.mapv(|x| x != 0.0));
    assert_eq!(gpu::array(&[true, false]).astype::<f32>().sum(), 1.0);
}

#[test]
fn made_arrays_equal_their_host_twins() {
    assert_eq!(gpu::arange((5, -5, -3)).to_host(), gpu::host::arange((5, -5, -3)).into_dyn());
    assert_eq!(gpu::arange((0.0, 1.0, 0.1)).to_host(), gpu::host::arange((0.0, 1.0, 0.1)).into_dyn());
    assert_eq!(gpu::arange((0.0, 1.0, 0.1)).size(), 10);
    assert_eq!(gpu::arange(3u8..3).size(), 0);
    assert_eq!(gpu::linspace(1.0f32, 2.0, 7).to_host(), gpu::host::linspace(1.0f32, 2.0, 7).into_dyn());
    assert_eq!(gpu::linspace(3.0, 4.0, 1).item(), 3.0);
    assert_eq!(gpu::eye::<i32>(3).to_host(), gpu::host::eye::<f64>(3).mapv(|x| x as i32).into_dyn());
    assert_eq!(gpu::zeros::<u8>((2, 0)).to_host().shape(), [2, 0]);
    let a = gpu::host::arange(6).into_shape_with_order((2, 3)).unwrap();
    assert_eq!(gpu::tile(&gpu::asarray(&a.t()), (2, 1)).to_host(), gpu::host::tile(&a.t(), (2, 1)).into_dyn());
    assert_eq!(gpu::tile(&gpu::array(&[1, 2]), (2, 2)).shape(), [2, 4]);
    assert_eq!(gpu::tile(&gpu::asarray(&a), 2).shape(), [2, 6]);
}

#[test]
fn large_arrays_use_all_paths() {
    let size = 1_000_003i64;
    let x = gpu::arange(size);
    assert_eq!(x.sum(), size * (size - 1) / 2);
    assert_eq!((x.max(), x.min()), (size - 1, 0));
    let y = (&x % 7).slice(s![..;-3]).copy();
    assert_eq!(y.sum(), (0..size).rev().step_by(3).map(|x| x % 7).sum::<i64>());
    // Tall and narrow, short and wide, and reduced across the middle axis.
    for shape in [[100_000, 3, 1], [3, 100_000, 1], [50, 60, 70], [2, 70_000, 3]] {
        let x = gpu::arange(shape.iter().product::<usize>() as i32).reshape(shape) % 1000;
        let host = x.to_host().mapv(i64::from);
        for axis in 0..3 {
            assert_eq!(x.sum_axis(axis).to_host(), host.sum_axis(Axis(axis)), "{shape:?} {axis}");
            assert_eq!(x.t().sum_axis(2 - axis).t().to_host(), host.sum_axis(Axis(axis)), "{shape:?} {axis}");
        }
    }
}

#[test]
fn sums_are_accurate() {
    // The error of adding one after the other would be 5e-3 relative; pairwise it stays near the rounding of one.
    let x = gpu::full(10_000_000, 0.1f32);
    assert!((x.sum() / (10_000_000.0 * 0.1) - 1.0).abs() < 1e-6);
    let columns = gpu::full((3_000_000, 2), 0.1f32).sum_axis(0).to_host();
    assert!(columns.iter().all(|sum| (sum / 300_000.0 - 1.0).abs() < 1e-6), "{columns}");
}

#[test]
fn arrays_are_used_from_many_threads() {
    // Also from within a rayon pool, whose threads must not wait for one another.
    use rayon::prelude::*;
    let a = gpu::ones::<f64>(200_000);
    let sums: Vec<f64> = (0..32).into_par_iter().map(|k| (&a + f64::from(k)).sum()).collect();
    assert!(sums.iter().enumerate().all(|(k, &sum)| sum == 200_000.0 * (k as f64 + 1.0)));
    let b = gpu::zeros::<i64>(200_000);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let mut b = b.clone();
            scope.spawn(move || b += 1);
        }
    });
    assert_eq!(b.sum(), 8 * 200_000);
}
