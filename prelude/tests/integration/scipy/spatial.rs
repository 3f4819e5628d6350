//! `gpu::spatial` against SciPy.

use super::{Table, floats, samples, wave};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::spatial::distance::{self, cdist, pdist};
use warpcell::spatial::{self, KDTree};

/// The row of the functions of two vectors.
const VECTORS: &str = "euclidean+sqeuclidean+cityblock+chebyshev+canberra+braycurtis+jensenshannon+cosine+correlation+minkowski+\
    hamming+russellrao+hellinger+kl_divergence";

#[test]
fn distances_are_those_of_scipy() {
    let table = Table::of(&["cdist", "cdist+pdist", "distance_matrix", VECTORS, "squareform"]);
    let a = wave(40).reshape((8, 5));
    let b = gpu::array(&samples(70)[40..]).reshape((6, 5));
    let (p, q) = (a.abs() + 0.1, b.abs() + 0.1);
    let signs = |x: &DeviceArray<f64>| gpu::where_(&x.gt(0.3), 1.0, 0.0);
    let (s, t) = (signs(&a), signs(&b));
    let both = |metric: &str, a: &DeviceArray<f64>, b: &DeviceArray<f64>| {
        let found = [floats(&cdist!(a, b, metric)), floats(&pdist!(a, metric))].concat();
        table.near(&format!("cdist+pdist {metric}"), &[&found], 1e-12);
    };
    for metric in
        ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "cosine", "correlation"]
    {
        both(metric, &a, &b);
    }
    for metric in ["hamming", "jaccard", "russellrao", "dice", "rogerstanimoto", "sokalsneath", "yule"] {
        both(metric, &s, &t);
    }
    both("jensenshannon", &p, &q);
    let found = [floats(&cdist!(&a, &b, "minkowski", p = 3.5)), floats(&pdist!(&a, "minkowski", p = 1.0))].concat();
    table.near("cdist+pdist minkowski", &[&found], 1e-12);
    for metric in ["kl_divergence", "hellinger"] {
        table.near(&format!("cdist {metric}"), &[&floats(&cdist!(&p, &q, metric))], 1e-12);
    }
    let powers: Vec<f64> = [1.0, 2.0, 3.0, f64::INFINITY]
        .iter()
        .flat_map(|&power| floats(&spatial::distance_matrix!(&a, &b, p = power)))
        .collect();
    table.near("distance_matrix", &[&powers], 1e-12);
    let (u, v) = (p.slice(s![0, ..]), p.slice(s![1, ..]));
    let found = [
        distance::euclidean(&u, &v),
        distance::sqeuclidean(&u, &v),
        distance::cityblock(&u, &v),
        distance::chebyshev(&u, &v),
        distance::canberra(&u, &v),
        distance::braycurtis(&u, &v),
        distance::jensenshannon(&u, &v),
        distance::cosine(&u, &v),
        distance::correlation(&u, &v),
        distance::minkowski!(&u, &v, p = 3.0),
        distance::hamming(&s.slice(s![0, ..]), &s.slice(s![1, ..])),
        distance::russellrao(&s.slice(s![0, ..]), &s.slice(s![1, ..])),
        distance::hellinger(&u, &v),
        distance::kl_divergence(&u, &v),
    ];
    table.near(VECTORS, &[&found], 1e-12);
    let square = distance::squareform(&pdist(&a));
    table.near("squareform", &[&floats(&square)], 1e-12);
    assert_eq!(floats(&distance::squareform(&square)), floats(&pdist(&a)));
    table.finish();
}

#[test]
fn neighbours_are_those_of_scipy() {
    let table = Table::of(&["KDTree"]);
    let columns = |parts: [&[f64]; 3]| gpu::stack(&parts.map(gpu::array), 1);
    let (x, y, z) = (samples(300), samples(600), samples(900));
    let points = columns([&x, &y[300..].iter().map(|y| 3.0 * y).collect::<Vec<_>>(), &z[600..]]);
    let (x, y, z) = (samples(40), samples(80), samples(120));
    let there = columns([&x, &y[40..], &z[80..].iter().map(|z| 2.0 * z).collect::<Vec<_>>()]);
    let tree = KDTree::new(&points);
    for (name, p) in [("1", 1.0), ("2", 2.0), ("3", 3.0), ("inf", f64::INFINITY)] {
        let (distances, indices) = tree.query_with(&there, 4, p, f64::INFINITY);
        table.near(&format!("KDTree query {name}"), &[&floats(&distances), &floats(&indices)], 1e-13);
        let lists = tree.query_ball_point_with(&there, 0.7, p);
        let lengths: Vec<f64> = lists.iter().map(|list| list.len() as f64).collect();
        let found: Vec<f64> = lists.concat().iter().map(|&at| at as f64).collect();
        table.near(&format!("KDTree ball {name}"), &[&lengths, &found], 0.0);
        if p == 2.0 {
            assert_eq!(floats(&tree.query_ball_count(&there, 0.7)), lengths);
        }
    }
    let (distances, indices) = tree.query(&there.reshape((4, 10, 3)), 1);
    assert_eq!(distances.shape(), [4, 10]);
    table.near("KDTree one", &[&floats(&distances), &floats(&indices)], 1e-13);
    let (distances, indices) = tree.query_with(&there, 5, 2.0, 0.5);
    let distances: Vec<f64> = floats(&distances).iter().map(|d| if d.is_infinite() { -1.0 } else { *d }).collect();
    table.near("KDTree bound", &[&distances, &floats(&indices)], 1e-13);
    let pairs: Vec<f64> = tree.query_pairs(0.3).iter().flat_map(|&(i, j)| [i as f64, j as f64]).collect();
    table.near("KDTree pairs", &[&pairs], 0.0);
    table.finish();
}

#[test]
fn neighbours_are_those_of_all_distances() {
    gpu::random::seed(5);
    for dimensions in [1, 2, 7] {
        let points = gpu::random::uniform!(size = (2000, dimensions));
        let there = gpu::random::uniform!(size = (300, dimensions));
        let (distances, _) = KDTree::new(&points).query(&there, 6);
        let all = gpu::sort_axis(&cdist(&there, &points), 1).slice(s![.., ..6]);
        assert!(gpu::allclose_with(&distances, &all, 1e-12, 1e-14, false));
    }
    // Points at one place, and none.
    let (distances, indices) = KDTree::new(&gpu::ones::<f64>((100, 2))).query(&gpu::zeros::<f64>((1, 2)), 3);
    assert_eq!(distances.ravel().tolist(), [2f64.sqrt(); 3]);
    assert!(indices.max() < 100);
    let (distances, indices) = KDTree::new(&gpu::zeros::<f64>((0, 2))).query(&gpu::zeros::<f64>((1, 2)), 1);
    assert_eq!((distances.get(&[0]), indices.get(&[0])), (f64::INFINITY, 0));
}

#[test]
fn single_precision_stays_and_wrong_arguments_are_errors() {
    let a = gpu::array(&[[0.0f32, 0.0], [3.0, 4.0]]);
    let d: DeviceArray<f32> = cdist(&a, &a);
    assert_eq!(d.get(&[0, 1]), 5.0);
    assert_eq!(cdist(&gpu::zeros::<f64>((0, 3)), &gpu::zeros::<f64>((2, 3))).shape(), [0, 2]);
    let message = |of: fn()| *std::panic::catch_unwind(of).expect_err("an error").downcast::<String>().unwrap();
    let fails = [
        (message(|| drop(cdist(&gpu::ones::<f64>((2, 3)), &gpu::ones::<f64>((2, 2))))), "number of columns"),
        (message(|| drop(cdist!(&gpu::ones::<f64>((2, 3)), &gpu::ones::<f64>((2, 3)), "far"))), "\"far\""),
        (message(|| drop(cdist!(&gpu::ones::<f64>((2, 3)), &gpu::ones::<f64>((2, 3)), "minkowski", p = -1.0))), "-1"),
        (message(|| drop(pdist(&gpu::arange(3.0)))), "a row for each"),
        (message(|| drop(distance::squareform(&gpu::arange(4.0)))), "n (n - 1) / 2"),
        (message(|| drop(distance::squareform(&gpu::arange(4.0).reshape((2, 2))))), "symmetric"),
        (message(|| drop(KDTree::new(&gpu::array(&[[f64::NAN]])))), "NaN"),
        (
            message(|| drop(KDTree::new(&gpu::ones::<f64>((2, 3))).query(&gpu::ones::<f64>((2, 2)), 1))),
            "coordinates, 3",
        ),
        (message(|| drop(KDTree::new(&gpu::ones::<f64>((2, 3))).query(&gpu::ones::<f64>((2, 3)), 0))), "`k` is 0"),
    ];
    for (message, wanted) in fails {
        assert!(message.contains(wanted), "{message}");
    }
}
