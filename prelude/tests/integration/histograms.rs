//! Histograms of several dimensions, of weights and of densities: as NumPy counts, against a slow reference.

use crate::fixtures::check;
use expect_test::expect;
use warpcell as gpu;
use warpcell::prelude::*;

/// The bin of a number between these edges. The last bin has its right edge.
fn bin(edges: &[f64], x: f64) -> Option<usize> {
    let last = edges.len() - 1;
    if x == edges[last] {
        return (0..last).rev().find(|&at| edges[at] < edges[at + 1] || at == 0).map(|_| last - 1);
    }
    (0..last).rev().find(|&at| edges[at] <= x && x < edges[at + 1])
}

/// What each point adds to its cell.
fn slow(points: &Array2<f64>, edges: &[Vec<f64>], weights: &[f64]) -> ArrayD<f64> {
    let mut out = ArrayD::zeros(edges.iter().map(|edges| edges.len() - 1).collect::<Vec<_>>());
    for (point, weight) in points.rows().into_iter().zip(weights) {
        let cell: Option<Vec<usize>> = point.iter().zip(edges).map(|(&x, edges)| bin(edges, x)).collect();
        if let Some(cell) = cell {
            out[&cell[..]] += weight;
        }
    }
    out
}

#[test]
fn points_are_counted_in_their_cells() {
    let mut generator = gpu::random::Generator::new(6);
    let points = generator.normal(0.0, 1.0, (1000, 3));
    let on_host = points.to_host_as::<ndarray::Ix2>();
    let weights = generator.uniform(0.5, 1.0, 1000);
    let on_host_weights: Vec<f64> = weights.tolist();
    let lists = |edges: &[DeviceArray<f64>]| edges.iter().map(DeviceArray::tolist).collect::<Vec<_>>();
    for points in [&points, &points.t().copy().t()] {
        let (h, edges) = gpu::histogramdd(points, (4, [-1.0, 0.0, 0.25, 2.0], 5), ..);
        assert_eq!((h.shape(), edges[1].tolist()), (&[4, 3, 5][..], vec![-1.0, 0.0, 0.25, 2.0]));
        assert_eq!(h.to_host(), slow(&on_host, &lists(&edges), &[1.0; 1000]));
        let (h, edges) =
            gpu::histogramdd!(points, bins = 3, range = [(-1.0, 1.0), (0.0, 0.5), (-9.0, 9.0)], weights = &weights);
        assert_eq!(lists(&edges)[0][0], -1.0);
        let expected = slow(&on_host, &lists(&edges), &on_host_weights);
        assert!((&h.to_host() - &expected).iter().all(|difference| difference.abs() < 1e-9));
        let (density, _) = gpu::histogramdd!(points, bins = [2, 3, 4], density = true);
        let (counts, edges) = gpu::histogramdd(points, [2, 3, 4], ..);
        let mut volume = 1.0;
        for edges in lists(&edges) {
            volume *= (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64;
        }
        assert!(gpu::allclose(&(density * volume * 1000.0), &counts));
    }
    let [x, y] = [0, 1].map(|column| points.slice(s![.., column]));
    let (h, x_edges, y_edges) = gpu::histogram2d(&x, &y, 7, ..);
    let expected = slow(&on_host.slice(s![.., ..2]).to_owned(), &[x_edges.tolist(), y_edges.tolist()], &[1.0; 1000]);
    assert_eq!((h.to_host(), h.sum()), (expected, 1000.0));
    for (other, edges) in [gpu::histogramdd([&x, &y], 7, ..), gpu::histogramdd((&x, &y), vec![7, 7], ..)] {
        assert!(other.eq(&h).all() && edges[0].eq(&x_edges).all());
    }
    // One axis is the plain histogram.
    let (counts, edges) = gpu::histogram(&x, 9, ..);
    let (one, one_edges) = gpu::histogramdd(&x, 9, ..);
    assert!(one.eq(&counts.astype::<f64>()).all() && one_edges[0].eq(&edges).all());
    let width = edges.get(&[1]) - edges.get(&[0]);
    let (density, _) = gpu::histogram!(&x, bins = 9, density = true);
    assert!(gpu::allclose(&(density * width * 1000.0), &one));
}

#[test]
fn edges_nan_and_infinity() {
    let nan = f64::NAN;
    let x = gpu::array(&[0.0, 1.0, 2.0, 3.0, nan, f64::INFINITY, -0.5, 1.0]);
    let y = gpu::array(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, nan]);
    // The last bin has its right edge; NaN and what is outside is not counted.
    let (h, ..) = gpu::histogram2d(&x, &y, ([0.0, 1.0, 2.0], [0.0, 0.5, 1.0]), ..);
    assert_eq!(h.ravel().tolist(), [1.0, 0.0, 1.0, 1.0]);
    let (h, ..) = gpu::histogram2d(&x, &y, ([0.0, f64::INFINITY], 1), (.., 0.0..=1.0));
    assert_eq!(h.ravel().tolist(), [5.0]);
    // Edges that are equal; all elements equal.
    let ones = gpu::ones::<f32>(3);
    let (h, edges, _) = gpu::histogram2d(&ones, &ones, 2, ..);
    assert_eq!((h.ravel().tolist(), edges.tolist()), (vec![0.0, 0.0, 0.0, 3.0], vec![0.5, 1.0, 1.5]));
    let (h, ..) = gpu::histogram2d(&ones, &ones, [1.0, 1.0, 1.0], ..);
    assert_eq!(h.ravel().tolist(), [0.0, 0.0, 0.0, 3.0]);
    // No points.
    let none = gpu::zeros::<i32>(0);
    let (h, edges, _) = gpu::histogram2d(&none, &none, (2, 3), ..);
    assert_eq!((h.shape(), h.sum(), edges.tolist()), (&[2, 3][..], 0.0, vec![0.0, 0.5, 1.0]));
    assert!(gpu::histogram2d!(&none, &none, density = true).0.is_nan().all());
    assert_eq!(gpu::histogramdd(&gpu::zeros::<f64>((0, 3)), 2, ..).0.shape(), [2, 2, 2]);
    // Coordinates of two types.
    let (h, ..) = gpu::histogram2d(&gpu::arange(4), &gpu::array(&[0.0f32, 0.0, 1.0, 1.0]), 2, ..);
    assert_eq!(h.ravel().tolist(), [2.0, 0.0, 0.0, 2.0]);
    let edges = gpu::array(&[0.0, 2.0, 4.0]);
    let (h, ..) = gpu::histogram2d(&gpu::arange(4), &gpu::arange(4), &edges, [[0.0, 1.0], [0.0, 1.0]]);
    assert_eq!(h.ravel().tolist(), [2.0, 0.0, 0.0, 2.0], "with edges, ranges are not looked at");
}

#[test]
fn weights_of_one_dimension() {
    let a = gpu::array(&[[1.0, 2.0], [1.0, 4.0]]);
    let w = gpu::array(&[[1.0f32, 0.5], [2.0, 4.0]]);
    let (sums, edges) = gpu::histogram!(&a, bins = 3, weights = &w);
    assert_eq!((sums.tolist(), edges.tolist()), (vec![3.0, 0.5, 4.0], vec![1.0, 2.0, 3.0, 4.0]));
    let (density, _) = gpu::histogram!(&a, [0.0, 2.0, 10.0], .., true, &w.t().t());
    assert_eq!(density.tolist(), [0.2, 0.075]);
    assert_eq!(gpu::histogram!(&a, 2, range = [0.0, 2.0]).0.tolist(), [0i64, 3]);
    let is_density = false;
    assert_eq!(gpu::histogram!(&a, bins = 3, density = is_density).0.tolist(), [2.0, 1.0, 1.0]);
    check(
        || drop(gpu::histogram!(&a, weights = &gpu::ones::<f64>(4))),
        expect![
            "histogram: the shape [4] of the weights differs from the shape of the data, [2, 2]; give one for each"
        ],
    );
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let (x, y) = (gpu::arange(3.0), gpu::arange(4.0));
    check(
        || drop(gpu::histogram2d(&x, &y, 2, ..)),
        expect![
            "histogram2d: the shape [4] differs from the shape [3] of the first coordinates; give as many for each axis"
        ],
    );
    check(
        || drop(gpu::histogram2d(&gpu::ones::<f64>((2, 2)), &y, 2, ..)),
        expect!["histogram2d: the shape [2, 2] is not 1-D; give the coordinates along each axis as a 1-D array"],
    );
    check(
        || drop(gpu::histogram2d(&x, &x, [2, 3, 4], ..)),
        expect!["histogram2d: there are bins for 3 axes, but the points have 2; give one for each axis"],
    );
    check(
        || drop(gpu::histogram2d(&x, &x, 2, [(0.0, 1.0)])),
        expect!["histogram2d: there are ranges for 1 axes, but the points have 2; give one for each axis"],
    );
    check(
        || drop(gpu::histogram2d(&x, &x, (2, [1.0, 3.0, 2.0]), ..)),
        expect!["histogram2d: the edges 3 and 2 do not ascend; sort the edges first"],
    );
    check(
        || drop(gpu::histogram2d(&x, &x, (2, 0), ..)),
        expect!["histogram2d: the number of bins is 0; give at least one"],
    );
    check(
        || drop(gpu::histogram2d(&x, &x, 2, (.., (1.0, f64::INFINITY)))),
        expect!["histogram2d: the range, from 1 to inf, is not finite; give a finite one, such as `0.0..=1.0`"],
    );
    check(
        || drop(gpu::histogram2d(&x, &x, 2, (.., (2.0, 1.0)))),
        expect!["histogram2d: the range ends at 1, before its start 2; swap them"],
    );
    check(
        || drop(gpu::histogramdd(&(&x * f64::NAN), 2, ..)),
        expect![
            "histogramdd: the data's range, from NaN to NaN, is not finite; give a finite one, such as `0.0..=1.0`"
        ],
    );
    check(
        || drop(gpu::histogramdd(&gpu::ones::<f64>((2, 2, 2)), 2, ..)),
        expect![
            "histogramdd: the shape [2, 2, 2] is not that of points; give a 2-D array with a row for each point, or a 1-D array for each coordinate"
        ],
    );
    check(
        || drop(gpu::histogramdd(&gpu::ones::<f64>((5, 0)), 2, ..)),
        expect![
            "histogramdd: the shape [] has no axis; give an array of coordinates for each axis, such as `[&x, &y]`"
        ],
    );
    check(
        || drop(gpu::histogramdd!(&x, bins = 2, weights = &y)),
        expect!["histogramdd: the shape [4] of the weights does not fit 3 points; give one weight for each point"],
    );
    // More cells than memory has.
    let many = [&x; 8];
    assert!(gpu::try_histogramdd(many, 1000, ..).is_err() && gpu::try_histogramdd(&x, usize::MAX, ..).is_err());
}
