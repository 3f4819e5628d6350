//! `gpu::ndimage` against SciPy. Each row has SciPy's expression and ours. tests/parity/ndimage.py reads the expressions here,
//! evaluates them, and writes tests/parity/ndimage.json.

mod cases;
mod kernels;

use std::collections::BTreeMap;
use warpcell as gpu;
use warpcell::ndimage as nd;
use warpcell::prelude::*;
use warpcell::{Element, Scalar};

/// A result: its shape, and its elements in row-major order.
struct Found {
    shape: Vec<usize>,
    values: Vec<f64>,
    tolerance: f64,
}

fn number<T: Element>(value: T) -> f64 {
    match value.to_scalar() {
        Scalar::Bool(value) => value.into(),
        Scalar::I64(value) => value as f64,
        Scalar::I32(value) => value.into(),
        Scalar::U8(value) => value.into(),
        Scalar::I16(value) => value.into(),
        other => other.float().expect("a number"),
    }
}

trait Flat {
    fn flat(&self) -> Found;
}

impl<T: Element> Flat for DeviceArray<T> {
    fn flat(&self) -> Found {
        let tolerance = if T::DTYPE == gpu::DType::F32 { 2e-5 } else { 1e-9 };
        Found {
            shape: self.shape().to_vec(),
            values: self.to_host().iter().map(|&value| number(value)).collect(),
            tolerance,
        }
    }
}

impl Flat for (DeviceArray<i32>, usize) {
    fn flat(&self) -> Found {
        let mut found = self.0.flat();
        found.values.push(self.1 as f64);
        found.shape = vec![found.values.len()];
        found
    }
}

impl Flat for Vec<Option<Vec<std::ops::Range<usize>>>> {
    fn flat(&self) -> Found {
        let ends = self.iter().flatten().flatten().flat_map(|range| [range.start as f64, range.end as f64]);
        let values: Vec<f64> = ends.collect();
        Found { shape: vec![values.len()], values, tolerance: 0.0 }
    }
}

fn ramp(count: i64) -> Vec<f64> {
    (0..count).map(|i| ((i * 37 + 11) % 101) as f64 / 8.0).collect()
}

fn bits(count: i64, limit: i64) -> Vec<bool> {
    (0..count).map(|i| (i * i * 7 + i * 3 + i / 5) % 11 < limit).collect()
}

macro_rules! rows {
    ([$($array:ident)*] $($expected:literal => $ours:expr;)*) => {
        /// Calls a function with each row.
        fn each_row(visit: &mut dyn FnMut(&'static str, &dyn Fn() -> Found)) {
            let Arrays { $($array),* } = arrays();
            $(visit($expected, &|| Flat::flat(&$ours));)*
        }
    };
}

/// The arrays of the rows, as in tests/parity/ndimage.py.
struct Arrays {
    x: DeviceArray<f64>,
    y: DeviceArray<f32>,
    v: DeviceArray<f64>,
    c: DeviceArray<f64>,
    k: DeviceArray<i32>,
    b: DeviceArray<bool>,
    s: DeviceArray<bool>,
    m: DeviceArray<bool>,
    l: DeviceArray<i32>,
}

fn arrays() -> Arrays {
    let x = gpu::array(&ramp(63)).reshape((7, 9));
    Arrays {
        y: x.astype::<f32>(),
        x,
        v: gpu::array(&ramp(23)),
        c: gpu::array(&ramp(120)).reshape((4, 5, 6)),
        k: (gpu::array(&ramp(42)).reshape((6, 7)) * 8.0).astype::<i32>(),
        b: gpu::array(&bits(99, 7)).reshape((9, 11)),
        s: gpu::array(&bits(120, 4)).reshape((4, 5, 6)),
        m: gpu::array(&bits(99, 9)).reshape((9, 11)),
        l: gpu::array(&(0..63).map(|i| (i * i + i / 3) % 5).collect::<Vec<i32>>()).reshape((7, 9)),
    }
}

const CROSS: [[bool; 3]; 3] = [[false, true, false], [true, true, true], [false, true, false]];
const CORNER: [[bool; 3]; 2] = [[true, true, false], [false, true, true]];
const HEIGHTS: [[f64; 3]; 3] = [[0.0, 1.0, 0.0], [1.0, 2.5, 1.0], [0.0, 1.5, 0.0]];
const WEIGHTS: [[f64; 3]; 4] = [[0.5, 1.0, 0.0], [1.0, -2.5, 1.0], [0.25, 1.5, 0.0], [1.0, 3.0, -1.0]];

rows! {
    [x y v c k b s m l]
    "nd.gaussian_filter(x, 1.5)" => nd::gaussian_filter(&x, 1.5);
    "nd.gaussian_filter(y, 1.5)" => nd::gaussian_filter(&y, 1.5);
    "nd.gaussian_filter(k, 1.0)" => nd::gaussian_filter(&k, 1.0);
    "nd.gaussian_filter(c, (1, 0, 2))" => nd::gaussian_filter(&c, (1, 0, 2));
    "nd.gaussian_filter(x, 4.0, mode='constant', cval=2.0)" => nd::gaussian_filter!(&x, 4.0, mode = "constant", cval = 2.0);
    "nd.gaussian_filter(x, 1.2, order=(1, 2), mode=('wrap', 'mirror'))" =>
        nd::gaussian_filter!(&x, 1.2, order = (1, 2), mode = ("wrap", "mirror"));
    "nd.gaussian_filter(x, 2.0, mode='nearest', truncate=2.0, axes=1)" =>
        nd::gaussian_filter!(&x, 2.0, mode = "nearest", truncate = 2.0, axes = 1);
    "nd.gaussian_filter(x, 2.0, radius=3)" => nd::gaussian_filter!(&x, 2.0, radius = 3);
    "nd.gaussian_filter1d(x, 1.0, axis=0, order=3)" => nd::gaussian_filter1d!(&x, 1.0, axis = 0, order = 3);
    "nd.gaussian_laplace(x, 1.0)" => nd::gaussian_laplace(&x, 1.0);
    "nd.gaussian_gradient_magnitude(c, 1.0, mode='mirror')" => nd::gaussian_gradient_magnitude!(&c, 1.0, mode = "mirror");
    "nd.uniform_filter(x, 3)" => nd::uniform_filter(&x, 3);
    "nd.uniform_filter(c, (2, 1, 4), mode='wrap', origin=(-1, 0, 1))" =>
        nd::uniform_filter!(&c, (2, 1, 4), mode = "wrap", origin = (-1, 0, 1));
    "nd.uniform_filter(v, 19, mode='mirror')" => nd::uniform_filter!(&v, 19, mode = "mirror");
    "nd.uniform_filter1d(x, 18, axis=0, mode='constant', cval=1.5)" =>
        nd::uniform_filter1d!(&x, 18, axis = 0, mode = "constant", cval = 1.5);
    "nd.minimum_filter(x, 3)" => nd::minimum_filter(&x, 3);
    "nd.minimum_filter(k, (2, 5), mode='constant')" => nd::minimum_filter!(&k, (2, 5), mode = "constant");
    "nd.maximum_filter(x, footprint=CORNER, origin=(0, 1))" =>
        nd::maximum_filter!(&x, (), footprint = &CORNER, origin = (0, 1));
    "nd.maximum_filter(c, 2, origin=-1)" => nd::maximum_filter!(&c, 2, origin = -1);
    "nd.minimum_filter1d(x, 4, axis=0, mode='nearest')" => nd::minimum_filter1d!(&x, 4, axis = 0, mode = "nearest");
    "nd.maximum_filter1d(v, 5, origin=2)" => nd::maximum_filter1d!(&v, 5, origin = 2);
    "nd.median_filter(x, 3)" => nd::median_filter(&x, 3);
    "nd.median_filter(y, (3, 4), mode='mirror')" => nd::median_filter!(&y, (3, 4), mode = "mirror");
    "nd.median_filter(k, footprint=CROSS, mode='constant', cval=7)" =>
        nd::median_filter!(&k, (), footprint = &CROSS, mode = "constant", cval = 7.0);
    "nd.median_filter(c, 3)" => nd::median_filter(&c, 3);
    "nd.median_filter(x, 13)" => nd::median_filter(&x, 13);
    "nd.percentile_filter(x, 20, 3)" => nd::percentile_filter(&x, 20.0, 3);
    "nd.percentile_filter(x, -10, 4, origin=1)" => nd::percentile_filter!(&x, -10.0, 4, origin = 1);
    "nd.rank_filter(x, -2, 3)" => nd::rank_filter(&x, -2, 3);
    "nd.rank_filter(v, 1, 3, mode='wrap')" => nd::rank_filter!(&v, 1, 3, mode = "wrap");
    "nd.sobel(x)" => nd::sobel(&x);
    "nd.sobel(c, axis=1, mode='wrap')" => nd::sobel!(&c, axis = 1, mode = "wrap");
    "nd.prewitt(k, axis=0)" => nd::prewitt!(&k, axis = 0);
    "nd.laplace(x)" => nd::laplace(&x);
    "nd.laplace(c, mode='mirror', axes=(0, 2))" => nd::laplace!(&c, mode = "mirror", axes = (0, 2));
    "nd.correlate(x, WEIGHTS)" => nd::correlate(&x, &WEIGHTS);
    "nd.correlate(x, WEIGHTS, mode='constant', cval=1.0, origin=(1, -1))" =>
        nd::correlate!(&x, &WEIGHTS, mode = "constant", cval = 1.0, origin = (1, -1));
    "nd.convolve(x, WEIGHTS, mode='nearest')" => nd::convolve!(&x, &WEIGHTS, mode = "nearest");
    "nd.convolve(x, WEIGHTS, mode='mirror', origin=(-1, 1))" =>
        nd::convolve!(&x, &WEIGHTS, mode = "mirror", origin = (-1, 1));
    "nd.convolve(c, np.ones((2, 3, 2)), mode='wrap')" => nd::convolve!(&c, &gpu::ones::<f64>((2, 3, 2)), mode = "wrap");
    "nd.correlate(k, HEIGHTS)" => nd::correlate(&k, &HEIGHTS);
    "nd.correlate1d(x, [1, 2, 4, -1], axis=0)" => nd::correlate1d!(&x, &[1, 2, 4, -1], axis = 0);
    "nd.convolve1d(x, [1, 2, 4, -1], mode='grid-wrap', origin=-1)" =>
        nd::convolve1d!(&x, &[1, 2, 4, -1], mode = "grid-wrap", origin = -1);
    "nd.convolve1d(v, [1, 2, 4], mode='grid-mirror')" => nd::convolve1d!(&v, &[1, 2, 4], mode = "grid-mirror");
    "nd.correlate1d(v[:2], np.ones(9), mode='mirror')" =>
        nd::correlate1d!(&v.slice(s![..2]), &gpu::ones::<f64>(9), mode = "mirror");
    "nd.correlate1d(v[:3], np.arange(12.0), mode='reflect', origin=2)" =>
        nd::correlate1d!(&v.slice(s![..3]), &gpu::arange(12.0), mode = "reflect", origin = 2);

    "nd.grey_erosion(x, 3)" => nd::grey_erosion(&x, 3);
    "nd.grey_erosion(x, structure=HEIGHTS)" => nd::grey_erosion!(&x, (), structure = &HEIGHTS);
    "nd.grey_dilation(x, (2, 4))" => nd::grey_dilation(&x, (2, 4));
    "nd.grey_dilation(x, footprint=CORNER)" => nd::grey_dilation!(&x, (), footprint = &CORNER);
    "nd.grey_dilation(x, structure=HEIGHTS, mode='constant', cval=3.0)" =>
        nd::grey_dilation!(&x, (), structure = &HEIGHTS, mode = "constant", cval = 3.0);
    "nd.grey_opening(k, 3)" => nd::grey_opening(&k, 3);
    "nd.grey_closing(c, (2, 3, 2))" => nd::grey_closing(&c, (2, 3, 2));
    "nd.morphological_gradient(x, 3)" => nd::morphological_gradient(&x, 3);
    "nd.morphological_laplace(x, footprint=CROSS)" => nd::morphological_laplace!(&x, (), footprint = &CROSS);
    "nd.white_tophat(x, (3, 2))" => nd::white_tophat(&x, (3, 2));
    "nd.black_tophat(k, 3)" => nd::black_tophat(&k, 3);

    "nd.binary_erosion(b)" => nd::binary_erosion(&b, ());
    "nd.binary_erosion(m, CORNER, border_value=1)" => nd::binary_erosion!(&m, &CORNER, border_value = true);
    "nd.binary_erosion(m, iterations=2, mask=b)" => nd::binary_erosion!(&m, (), iterations = 2, mask = &b);
    "nd.binary_erosion(m, iterations=-1, border_value=1)" =>
        nd::binary_erosion!(&m, (), iterations = -1, border_value = true);
    "nd.binary_dilation(s, iterations=2)" => nd::binary_dilation!(&s, (), iterations = 2);
    "nd.binary_dilation(b, CORNER, origin=(0, 1))" => nd::binary_dilation!(&b, &CORNER, origin = (0, 1));
    "nd.binary_dilation(~m, CORNER, iterations=-1, mask=b)" =>
        nd::binary_dilation!(&!&m, &CORNER, iterations = -1, mask = &b);
    "nd.binary_dilation(~m, mask=m, iterations=0)" => nd::binary_dilation!(&!&m, (), mask = &m, iterations = 0);
    "nd.binary_opening(m, CROSS)" => nd::binary_opening(&m, &CROSS);
    "nd.binary_closing(b, iterations=2)" => nd::binary_closing!(&b, (), iterations = 2);
    "nd.binary_propagation(~m, mask=b)" => nd::binary_propagation!(&!&m, (), mask = &b);
    "nd.binary_propagation(b & ~m, np.ones((3, 3)), mask=b, border_value=1)" =>
        nd::binary_propagation!(&(&b & &!&m), &gpu::ones::<f64>((3, 3)), mask = &b, border_value = true);
    "nd.binary_fill_holes(b)" => nd::binary_fill_holes(&b, ());
    "nd.binary_fill_holes(m, np.ones((3, 3)))" => nd::binary_fill_holes(&m, &gpu::full((3, 3), true));
    "nd.binary_fill_holes(~s)" => nd::binary_fill_holes(&!&s, ());
    "nd.binary_hit_or_miss(b, CROSS)" => nd::binary_hit_or_miss(&b, &CROSS);
    "nd.binary_hit_or_miss(b, CORNER, ~np.array(CORNER), origin1=(0, 1))" =>
        nd::binary_hit_or_miss!(&b, &CORNER, structure2 = &[[false, false, true], [true, false, false]], origin1 = (0, 1));
    "nd.generate_binary_structure(3, 2)" => nd::generate_binary_structure(3, 2);
    "nd.generate_binary_structure(2, 0)" => nd::generate_binary_structure(2, 0);
    "nd.iterate_structure(CORNER, 3)" => nd::iterate_structure(&gpu::array(&CORNER), 3);
    "nd.distance_transform_edt(b)" => nd::distance_transform_edt(&b);
    "nd.distance_transform_edt(~s, sampling=(1.5, 1, 0.5))" =>
        nd::distance_transform_edt!(&!&s, sampling = (1.5, 1.0, 0.5));
    "nd.distance_transform_edt(m, return_distances=False, return_indices=True).shape" =>
        gpu::array(&nd::distance_transform_edt_indices(&m, ()).1.shape().iter().map(|&n| n as i64).collect::<Vec<_>>());

    "nd.label(b)" => nd::label(&b);
    "nd.label(~m)" => nd::label(&!&m);
    "nd.label(b, np.ones((3, 3)))" => nd::label!(&b, structure = &gpu::full((3, 3), true));
    "nd.label(~m, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])" => nd::label!(&!&m, structure = &[[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    "nd.label(s)" => nd::label(&s);
    "nd.label(s, np.ones((3, 3, 3)))" => nd::label!(&s, structure = &gpu::full((3, 3, 3), true));
    "nd.label(v > 6)" => nd::label(&v.gt(6.0));
    "nd.find_objects(nd.label(~m)[0])" => nd::find_objects(&nd::label(&!&m).0);
    "nd.find_objects(l * (l > 2), 4)" => nd::find_objects!(&(&l * l.gt(2).astype::<i32>()), max_label = 4);
    "nd.sum_labels(x, l, [1, 4, 2, 9])" => nd::sum_labels(&x, &l, [1, 4, 2, 9]);
    "nd.sum_labels(x, l, np.arange(1, 5))" => nd::sum_labels(&x, &l, 1..5);
    "nd.sum_labels(x, l)" => nd::sum_labels(&x, &l, ());
    "nd.sum_labels(x)" => nd::sum_labels(&x, (), ());
    "nd.mean(x, l, [4, 2])" => nd::mean(&x, &l, [4, 2]);
    "nd.mean(x, l, 3)" => nd::mean(&x, &l, 3);
    "nd.variance(k, k % 4, [0, 1, 3])" => nd::variance(&k, &(&k % 4), [0, 1, 3]);
    "nd.standard_deviation(x, l, [0, 2])" => nd::standard_deviation(&x, &l, [0, 2]);
    "nd.minimum(x, l, [1, 2, 3, 4])" => nd::minimum(&x, &l, 1..=4);
    "nd.maximum(x, l, [3, 1])" => nd::maximum(&x, &l, [3, 1]);
    "nd.minimum_position(x, l, [1, 2, 3, 4])" => nd::minimum_position(&x, &l, 1..=4);
    "nd.maximum_position(x, l, 2)" => nd::maximum_position(&x, &l, 2);
    "nd.extrema(x, l, [1, 2])[1]" => nd::extrema(&x, &l, [1, 2]).1;
    "nd.median(x, l, [0, 1, 4])" => nd::median(&x, &l, [0, 1, 4]);
    "nd.center_of_mass(x)" => nd::center_of_mass(&x, (), ());
    "nd.center_of_mass(x, l, [1, 2, 4])" => nd::center_of_mass(&x, &l, [1, 2, 4]);
    "nd.center_of_mass(c, c > 5)" => nd::center_of_mass(&c, &c.gt(5.0), ());
    "nd.histogram(x, 0, 12, 5)" => nd::histogram(&x, 0.0, 12.0, 5, (), ());
    "np.array(list(nd.histogram(x, 0, 12, 5, l, [1, 4])))" => nd::histogram(&x, 0.0, 12.0, 5, &l, [1, 4]);

    "nd.zoom(x, 1.7)" => nd::zoom(&x, 1.7);
    "nd.zoom(y, (2, 0.6), order=1)" => nd::zoom!(&y, (2.0, 0.6), order = 1);
    "nd.zoom(x, 2.0, order=0, grid_mode=True, mode='nearest')" =>
        nd::zoom!(&x, 2.0, order = 0, grid_mode = true, mode = "nearest");
    "nd.zoom(c, (1.5, 0.8, 1), order=3, mode='nearest')" => nd::zoom!(&c, (1.5, 0.8, 1.0), mode = "nearest");
    "nd.zoom(x, 1.4, mode='reflect', grid_mode=True)" => nd::zoom!(&x, 1.4, mode = "reflect", grid_mode = true);
    "nd.shift(x, (1.3, -0.6))" => nd::shift(&x, (1.3, -0.6));
    "nd.shift(x, (1.3, -2.6), mode='wrap')" => nd::shift!(&x, (1.3, -2.6), mode = "wrap");
    "nd.shift(x, (3.3, -2.6), mode='grid-wrap')" => nd::shift!(&x, (3.3, -2.6), mode = "grid-wrap");
    "nd.shift(x, (3.3, -2.6), mode='grid-constant', cval=2.0)" =>
        nd::shift!(&x, (3.3, -2.6), mode = "grid-constant", cval = 2.0);
    "nd.shift(x, (3.3, -2.6), order=1, mode='grid-constant', cval=2.0)" =>
        nd::shift!(&x, (3.3, -2.6), order = 1, mode = "grid-constant", cval = 2.0);
    "nd.shift(x, (9.3, -12.6), mode='mirror')" => nd::shift!(&x, (9.3, -12.6), mode = "mirror");
    "nd.shift(x, (3.3, -2.6), mode='reflect')" => nd::shift!(&x, (3.3, -2.6), mode = "reflect");
    "nd.shift(x, (3.3, -2.6), mode='nearest')" => nd::shift!(&x, (3.3, -2.6), mode = "nearest");
    "nd.shift(x, 0.5, order=1, mode='wrap')" => nd::shift!(&x, 0.5, order = 1, mode = "wrap");
    "nd.shift(k, 1, order=0)" => nd::shift!(&k, 1, order = 0);
    "nd.rotate(x, 30)" => nd::rotate(&x, 30.0);
    "nd.rotate(x, 90)" => nd::rotate(&x, 90.0);
    "nd.rotate(x, -57.5, reshape=False, order=1, mode='nearest')" =>
        nd::rotate!(&x, -57.5, reshape = false, order = 1, mode = "nearest");
    "nd.rotate(c, 20, axes=(0, 2), mode='reflect')" => nd::rotate!(&c, 20.0, axes = (0, 2), mode = "reflect");
    "nd.affine_transform(x, [[0.9, 0.2], [-0.1, 1.1]], offset=(0.5, -0.25))" =>
        nd::affine_transform!(&x, &[[0.9, 0.2], [-0.1, 1.1]], offset = (0.5, -0.25));
    "nd.affine_transform(x, [[0.9, 0.2, 0.5], [-0.1, 1.1, 1.0]], output_shape=(4, 5), order=1)" =>
        nd::affine_transform!(&x, &[[0.9, 0.2, 0.5], [-0.1, 1.1, 1.0]], output_shape = (4, 5), order = 1);
    "nd.affine_transform(x, [0.5, 2.0], mode='mirror')" => nd::affine_transform!(&x, &[0.5, 2.0], mode = "mirror");
    "nd.uniform_filter1d(np.full(9, 1, np.uint8), 6)" => nd::uniform_filter1d(&gpu::full(9, 1u8), 6);
    "nd.uniform_filter(np.full((5, 5), 200, np.uint8), (7, 13))" => nd::uniform_filter(&gpu::full((5, 5), 200u8), (7, 13));
    "nd.uniform_filter1d(np.array([0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0], bool), 3)" =>
        nd::uniform_filter1d(&gpu::array(&[0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0]).astype::<bool>(), 3);
    "nd.zoom(np.array([0, 255, 0, 255, 0, 255, 255], np.uint8), 2)" =>
        nd::zoom(&gpu::array(&[0u8, 255, 0, 255, 0, 255, 255]), 2.0);
    "nd.zoom(np.array([32767, -32768, 32767, 32767, -32768, -32768], np.int16), 2)" =>
        nd::zoom(&gpu::array(&[32767i16, -32768, 32767, 32767, -32768, -32768]), 2.0);
    "nd.zoom(np.array([True, False, True, True]), 2, mode='nearest')" =>
        nd::zoom!(&gpu::array(&[true, false, true, true]), 2.0, mode = "nearest");
    "nd.shift(np.array([1, 5, 9, 2], np.int32), 0.4)" => nd::shift(&gpu::array(&[1, 5, 9, 2]), 0.4);
    "nd.gaussian_filter(x, (1, 3), axes=(1, 0))" => nd::gaussian_filter!(&x, (1.0, 3.0), axes = (1, 0));
    "nd.uniform_filter(x, (2, 5), axes=(-1, 0))" => nd::uniform_filter!(&x, (2, 5), axes = (-1, 0));
    "nd.gaussian_filter1d(np.repeat(np.arange(256, dtype=np.uint8), 2).reshape(256, 2), 1.7)" =>
        nd::gaussian_filter1d(&gpu::array(&(0..512).map(|i| (i / 2) as u8).collect::<Vec<u8>>()).reshape((256, 2)), 1.7);
    "nd.zoom(np.arange(1.0, 7.0), 2, order=1, grid_mode=True, mode='constant')" =>
        nd::zoom!(&(gpu::arange(6.0) + 1.0), 2.0, order = 1, grid_mode = true, mode = "constant");
    "nd.zoom(np.arange(1.0, 7.0), 2, order=1, grid_mode=True, mode='wrap')" =>
        nd::zoom!(&(gpu::arange(6.0) + 1.0), 2.0, order = 1, grid_mode = true, mode = "wrap");
    "np.array(nd.maximum_position(np.array([[1, 9, 2], [9, 0, 0]])))" =>
        nd::maximum_position(&gpu::array(&[[1, 9, 2], [9, 0, 0]]), (), ());
    "nd.map_coordinates(np.arange(9.0), [[-8, -16, -4, 16]], order=1, mode='wrap')" =>
        nd::map_coordinates!(&gpu::arange(9.0), &[[-8.0, -16.0, -4.0, 16.0]], order = 1, mode = "wrap");
    "nd.zoom(x, 1.7, order=2)" => nd::zoom!(&x, 1.7, order = 2);
    "nd.zoom(x, 1.7, order=4, mode='reflect')" => nd::zoom!(&x, 1.7, order = 4, mode = "reflect");
    "nd.zoom(x, 1.7, order=5, mode='grid-wrap')" => nd::zoom!(&x, 1.7, order = 5, mode = "grid-wrap");
    "nd.mean(x, l, [1, 99])" => nd::mean(&x, &l, [1, 99]);
    "nd.minimum_filter(x, footprint=np.ones((2, 3)), origin=(0, 1))" =>
        nd::minimum_filter!(&x, (), footprint = &[[true; 3]; 2], origin = (0, 1));
    "nd.map_coordinates(x, [[0.5, 2.25, 6.5], [3.5, 1.0, 8.0]])" =>
        nd::map_coordinates(&x, &[[0.5, 2.25, 6.5], [3.5, 1.0, 8.0]]);
    "nd.map_coordinates(x, [[0.5, 2.25, -6.5], [3.5, 1.0, 28.0]], order=1, mode='reflect')" =>
        nd::map_coordinates!(&x, &[[0.5, 2.25, -6.5], [3.5, 1.0, 28.0]], order = 1, mode = "reflect");
    "nd.map_coordinates(x, [[0.4, 2.25, -0.2], [3.6, 1.0, 9.5]], order=0, mode='nearest')" =>
        nd::map_coordinates!(&x, &[[0.4, 2.25, -0.2], [3.6, 1.0, 9.5]], order = 0, mode = "nearest");
    "nd.spline_filter(x)" => nd::spline_filter(&x);
    "nd.spline_filter1d(x, axis=0, mode='reflect')" => nd::spline_filter1d!(&x, axis = 0, mode = "reflect");
    "nd.spline_filter1d(x, mode='grid-wrap')" => nd::spline_filter1d!(&x, mode = "grid-wrap");
    "nd.fourier_gaussian(x, (1, 2))" => nd::fourier_gaussian(&x, (1, 2));
    "nd.fourier_uniform(x, 3, n=16)" => nd::fourier_uniform!(&x, 3, n = 16);
    "nd.fourier_shift(x, (1, 0.5)).real" => nd::fourier_shift(&x, (1.0, 0.5)).real();
    "nd.fourier_shift(x, (1, 0.5)).imag" => nd::fourier_shift(&x, (1.0, 0.5)).imag();
}

/// Where a result is not what is wanted. NaN is only equal to NaN, and infinity to itself.
fn difference(found: &Found, wanted: &[f64]) -> Option<String> {
    let finite = wanted.iter().filter(|value| value.is_finite());
    let size = finite.fold(1.0f64, |most, value| most.max(value.abs()));
    let is_same = |ours: f64, theirs: f64| {
        ours == theirs || (ours.is_nan() && theirs.is_nan()) || (ours - theirs).abs() <= found.tolerance * size
    };
    let wrong: Vec<usize> = (0..wanted.len()).filter(|&at| !is_same(found.values[at], wanted[at])).collect();
    let at = *wrong.first()?;
    let (ours, theirs) = (found.values[at], wanted[at]);
    Some(format!("element {at} is {ours}, not {theirs} ({} of {} differ)", wrong.len(), wanted.len()))
}

#[test]
fn as_scipy() {
    compare_with_scipy();
}

fn compare_with_scipy() {
    let text = include_str!("../../../tests/parity/ndimage.json");
    let expected: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).expect("a table");
    let list = |of: &serde_json::Value| -> Vec<f64> {
        of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
    };
    let mut faults = Vec::new();
    let mut count = 0;
    each_row(&mut |name, ours| {
        count += 1;
        let Some(wanted) = expected.get(name) else {
            faults.push(format!("{name}: run tests/parity/ndimage.py"));
            return;
        };
        let found = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(ours)) {
            Ok(found) => found,
            Err(_) => {
                faults.push(format!("{name}: panics"));
                return;
            }
        };
        let shape: Vec<usize> = list(&wanted["shape"]).iter().map(|&length| length as usize).collect();
        let wanted = list(&wanted["values"]);
        if found.shape != shape {
            faults.push(format!("{name}: the shape is {:?}, not {shape:?}", found.shape));
            return;
        }
        if let Some(fault) = difference(&found, &wanted) {
            faults.push(format!("{name}: {fault}"));
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(expected.len(), count, "rows that are no longer here; run tests/parity/ndimage.py");
}

/// Where several elements are equally near, another one than SciPy's may be found; its distance says that it is right.
#[test]
fn indices_lead_to_the_nearest_zero() {
    let Arrays { m, .. } = arrays();
    let (distances, indices) = nd::distance_transform_edt_indices(&m, ());
    let (m, distances, indices) = (m.to_host(), distances.to_host(), indices.to_host());
    for (at, &distance) in distances.indexed_iter() {
        let (row, column) = (indices[[0, at[0], at[1]]], indices[[1, at[0], at[1]]]);
        assert!(!m[[row as usize, column as usize]]);
        assert_eq!(((at[0] as i64 - row) as f64).hypot((at[1] as i64 - column) as f64), distance);
    }
    assert!(nd::distance_transform_edt(&gpu::full((3, 4), true)).to_host().iter().all(|x| x.is_infinite()));
}

/// Labels of an image that has many blobs, by flooding one after the other.
#[test]
fn labels_of_a_large_image() {
    let (rows, columns) = (300, 257);
    let noise = gpu::random::Generator::new(7).random((rows, columns));
    let image = noise.gt(0.42);
    let (labels, count) = nd::label(&image);
    let (labels, image) = (labels.to_host(), image.to_host());
    let mut wanted = ndarray::Array2::<i32>::zeros((rows, columns));
    let mut parts = 0;
    for row in 0..rows {
        for column in 0..columns {
            if !image[[row, column]] || wanted[[row, column]] != 0 {
                continue;
            }
            parts += 1;
            let mut open = vec![(row, column)];
            while let Some((y, x)) = open.pop() {
                if image[[y, x]] && wanted[[y, x]] == 0 {
                    wanted[[y, x]] = parts;
                    open.extend([(y.saturating_sub(1), x), ((y + 1).min(rows - 1), x)]);
                    open.extend([(y, x.saturating_sub(1)), (y, (x + 1).min(columns - 1))]);
                }
            }
        }
    }
    assert_eq!(count, parts as usize);
    assert!(labels.iter().eq(wanted.iter()));
}

#[test]
fn arrays_without_elements_and_of_other_layouts() {
    let empty = gpu::zeros::<f64>((0, 3));
    assert_eq!(nd::gaussian_filter(&empty, 1.0).shape(), [0, 3]);
    assert_eq!(nd::median_filter(&empty, 3).shape(), [0, 3]);
    assert_eq!(nd::uniform_filter(&empty, 20).shape(), [0, 3]);
    assert_eq!(nd::label(&empty).1, 0);
    assert_eq!(nd::binary_fill_holes(&empty, ()).shape(), [0, 3]);
    assert_eq!(nd::distance_transform_edt(&empty).shape(), [0, 3]);
    let Arrays { x, .. } = arrays();
    assert!(gpu::allclose(&nd::sobel(&x.t()), &nd::sobel!(&x, axis = 0).t()));
    let halves = x.slice(s![..;2, 1..]);
    assert!(gpu::allclose(&nd::median_filter(&halves, 3), &nd::median_filter(&halves.copy(), 3)));
}

#[test]
fn wrong_arguments_are_errors() {
    let Arrays { x, l, .. } = arrays();
    let fails = |what: &str, of: Box<dyn FnOnce()>| {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(of)).expect_err(what);
        let text = payload.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.contains(what), "{text:?} has no {what:?}");
    };
    let y = x.clone();
    fails("there is no mode \"mirrored\"", Box::new(move || drop(nd::sobel!(&y, mode = "mirrored"))));
    let y = x.clone();
    fails("`origin` is 2, but a window of 3 elements", Box::new(move || drop(nd::uniform_filter!(&y, 3, origin = 2))));
    let y = x.clone();
    fails("`sigma` has 3 values for 2 axes", Box::new(move || drop(nd::gaussian_filter(&y, (1, 2, 3)))));
    let y = x.clone();
    fails("`sigma` is -1", Box::new(move || drop(nd::gaussian_filter(&y, -1))));
    let y = x.clone();
    fails("no window is given", Box::new(move || drop(nd::median_filter(&y, ()))));
    let y = x.clone();
    fails("has 2 axes, but the window has the shape [3]", Box::new(move || drop(nd::convolve(&y, &[1, 2, 3]))));
    let y = x.clone();
    fails("`rank` is 9", Box::new(move || drop(nd::rank_filter(&y, 9, 3))));
    let y = x.clone();
    let pair = [[true, false, true]];
    fails("`rank` is 2", Box::new(move || drop(nd::rank_filter!(&y, 2, (), footprint = &pair))));
    let y = x.clone();
    fails("`footprint` has no", Box::new(move || drop(nd::median_filter!(&y, (), footprint = &[[false, false]]))));
    let y = x.clone();
    fails("`footprint` has no", Box::new(move || drop(nd::maximum_filter!(&y, (), footprint = &[[false, false]]))));
    let y = x.clone();
    fails("with axis 1 twice", Box::new(move || drop(nd::gaussian_filter!(&y, 1.0, axes = (1, -1)))));
    let dots = gpu::array(&[false, false, true, false, false]);
    let ends = [true, false, true];
    fails("for ever", Box::new(move || drop(nd::binary_dilation!(&dots, &ends, iterations = -1))));
    let y = x.clone();
    fails("order 6 are not available", Box::new(move || drop(nd::zoom!(&y, 2.0, order = 6))));
    let y = x.clone();
    fails("the first axis must be as long", Box::new(move || drop(nd::map_coordinates(&y, &[[1.0]]))));
    let y = x.clone();
    fails("no labels are given", Box::new(move || drop(nd::mean(&y, (), 1))));
    let y = x.clone();
    fails("convert the labels to integers", Box::new(move || drop(nd::mean(&y, &y, 1))));
    fails("symmetric about its centre", Box::new(move || drop(nd::label!(&l, structure = &CORNER))));
    fails("`axes` has 1 axes", Box::new(move || drop(nd::rotate!(&x, 10.0, axes = 0))));
}
