//! Functions of SciPy on arrays that are longer than vectors and windows, against slow loops: what the CPU computes in blocks, and in
//! parts, has ends everywhere.

use warpcell as gpu;
use warpcell::ndimage as nd;
use warpcell::prelude::*;
use warpcell::sparse::{self, SparseMatrix};

/// Numbers without an order (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// From -1 up to 1.
    fn float(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn floats(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.float()).collect()
    }

    fn bools(&mut self, count: usize, share: f64) -> Vec<bool> {
        (0..count).map(|_| self.float() < 2.0 * share - 1.0).collect()
    }
}

const MODES: [&str; 5] = ["reflect", "constant", "nearest", "mirror", "wrap"];
const SHAPES: [&[usize]; 8] =
    [&[700], &[1], &[3, 257], &[130, 5], &[40, 83], &[7, 9, 70], &[6, 5, 4, 33], &[2, 2, 2, 2]];

/// The index at which `n` elements continue; by steps, one after another.
fn continued(i: i64, n: usize, mode: &str) -> Option<usize> {
    let last = n as i64 - 1;
    let mut at = i;
    while !(0..=last).contains(&at) {
        at = match mode {
            "constant" => return None,
            "nearest" => at.clamp(0, last),
            "reflect" => {
                if at < 0 {
                    -1 - at
                } else {
                    2 * last + 1 - at
                }
            }
            "mirror" if n == 1 => 0,
            "mirror" => {
                if at < 0 {
                    -at
                } else {
                    2 * last - at
                }
            }
            _ => {
                if at < 0 {
                    at + n as i64
                } else {
                    at - n as i64
                }
            }
        };
    }
    Some(at as usize)
}

/// All indices of a shape, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let count = shape.iter().product();
    (0..count)
        .map(|mut rest| {
            let mut index = vec![0; shape.len()];
            for axis in (0..shape.len()).rev() {
                index[axis] = rest % shape[axis];
                rest /= shape[axis];
            }
            index
        })
        .collect()
}

/// The elements of the window around each element, row by row.
fn windows<T: Copy>(x: &[T], shape: &[usize], window: &[usize], mode: &str, outside: T) -> Vec<Vec<T>> {
    let taps = indices(window);
    let of = |index: &Vec<usize>| {
        let value = |tap: &Vec<usize>| {
            let mut place = 0;
            for axis in 0..shape.len() {
                let at = (index[axis] + tap[axis]) as i64 - (window[axis] / 2) as i64;
                match continued(at, shape[axis], mode) {
                    Some(at) => place = place * shape[axis] + at,
                    None => return outside,
                }
            }
            x[place]
        };
        taps.iter().map(value).collect()
    };
    indices(shape).iter().map(of).collect()
}

fn array<T: gpu::Element>(values: &[T], shape: &[usize]) -> DeviceArray<T> {
    gpu::array(values).reshape(shape)
}

fn near(name: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{name}");
    for (at, (x, y)) in found.iter().zip(wanted).enumerate() {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{name}: {x}, not {y}, at {at}");
    }
}

#[test]
fn weighted_sums_of_windows() {
    let mut numbers = Numbers(3);
    for shape in SHAPES {
        let x = numbers.floats(shape.iter().product());
        for mode in MODES {
            let window: Vec<usize> = shape.iter().map(|_| 1 + numbers.below(4)).collect();
            let mut weights = numbers.floats(window.iter().product());
            weights[0] = 0.0;
            let wanted: Vec<f64> = windows(&x, shape, &window, mode, 0.25)
                .iter()
                .map(|window| window.iter().zip(&weights).map(|(x, w)| x * w).sum())
                .collect();
            let (given, by) = (array(&x, shape), array(&weights, &window));
            let found = nd::correlate!(&given, &by, mode = mode, cval = 0.25);
            near(&format!("{shape:?} {window:?} {mode}"), &found.ravel().tolist(), &wanted, 1e-12);
            let single: Vec<f64> = nd::correlate!(&given.astype::<f32>(), &by, mode = mode, cval = 0.25)
                .ravel()
                .tolist()
                .into_iter()
                .map(f64::from)
                .collect();
            near(&format!("{shape:?} {window:?} {mode} f32"), &single, &wanted, 3e-6);
        }
    }
}

#[test]
fn weighted_sums_and_extremes_along_an_axis() {
    let mut numbers = Numbers(5);
    for shape in SHAPES {
        let x = numbers.floats(shape.iter().product());
        let given = array(&x, shape);
        for (axis, mode) in (0..shape.len()).flat_map(|axis| MODES.map(|mode| (axis, mode))) {
            let size = 1 + numbers.below(9);
            let mut window = vec![1; shape.len()];
            window[axis] = size;
            let around = windows(&x, shape, &window, mode, 0.1);
            let half = numbers.floats(size.div_ceil(2));
            // Even, odd, and any.
            for (kind, sign) in [("even", 1.0), ("odd", -1.0), ("any", 0.7)] {
                let weights: Vec<f64> = (0..size)
                    .map(|k| {
                        let value = half[k.min(size - 1 - k)];
                        if 2 * k + 1 == size && kind == "odd" {
                            0.0
                        } else if 2 * k + 1 > size {
                            sign * value
                        } else {
                            value
                        }
                    })
                    .collect();
                let wanted: Vec<f64> =
                    around.iter().map(|window| window.iter().zip(&weights).map(|(x, w)| x * w).sum()).collect();
                let by = gpu::array(&weights);
                let name = format!("{shape:?} axis {axis} {mode} {kind} {size}");
                let found = nd::correlate1d!(&given, &by, axis = axis as isize, mode = mode, cval = 0.1);
                near(&name, &found.ravel().tolist(), &wanted, 1e-12);
                let single =
                    nd::correlate1d!(&given.astype::<f32>(), &by, axis = axis as isize, mode = mode, cval = 0.1);
                let single: Vec<f64> = single.ravel().tolist().into_iter().map(f64::from).collect();
                near(&format!("{name} f32"), &single, &wanted, 3e-6);
            }
            let most: Vec<f64> = around.iter().map(|window| window.iter().copied().fold(f64::MIN, f64::max)).collect();
            let found = nd::maximum_filter1d!(&given, size as isize, axis = axis as isize, mode = mode, cval = 0.1);
            near(&format!("{shape:?} axis {axis} {mode} maximum"), &found.ravel().tolist(), &most, 0.0);
        }
    }
}

#[test]
fn ranks_in_windows() {
    let mut numbers = Numbers(7);
    for shape in [&[300][..], &[23, 41], &[5, 6, 35]] {
        let x = numbers.floats(shape.iter().product());
        for size in 2..if shape.len() == 1 { 34 } else { 6 } {
            let window = vec![size; shape.len()];
            let count: usize = window.iter().product();
            let around = windows(&x, shape, &window, "reflect", 0.0);
            let rank = numbers.below(count);
            let wanted: Vec<f64> = around
                .into_iter()
                .map(|mut window| {
                    window.sort_by(f64::total_cmp);
                    window[rank]
                })
                .collect();
            let found = nd::rank_filter(&array(&x, shape), rank as isize, size);
            near(&format!("{shape:?} rank {rank} of {count}"), &found.ravel().tolist(), &wanted, 0.0);
        }
    }
}

#[test]
fn erosions_and_dilations() {
    let mut numbers = Numbers(11);
    for shape in SHAPES {
        let x = numbers.bools(shape.iter().product(), 0.8);
        for border in [false, true] {
            let window: Vec<usize> = shape.iter().map(|_| 1 + numbers.below(4)).collect();
            let mut structure = numbers.bools(window.iter().product(), 0.6);
            structure[0] = true;
            let around = windows(&x, shape, &window, "constant", border);
            let wanted: Vec<bool> =
                around.iter().map(|window| window.iter().zip(&structure).all(|(x, s)| *x || !s)).collect();
            let (given, by) = (array(&x, shape), array(&structure, &window));
            let found = nd::binary_erosion!(&given, &by, border_value = border);
            assert_eq!(found.ravel().tolist(), wanted, "{shape:?} {window:?} {border}");
            let axes: Vec<isize> = (0..shape.len() as isize).collect();
            // A dilation is an erosion of what is not there, with all reflected; of odd windows.
            if window.iter().all(|length| length % 2 == 1) {
                let other = nd::binary_dilation!(&given.logical_not(), &gpu::flip(&by, axes), border_value = !border);
                assert_eq!(other.logical_not().ravel().tolist(), wanted, "dilation {shape:?} {window:?} {border}");
            }
        }
    }
}

#[test]
fn labels_of_large_masks() {
    let mut numbers = Numbers(13);
    for (shape, share) in [
        (&[5000][..], 0.5),
        (&[70, 64], 0.6),
        (&[400, 301], 0.62),
        (&[400, 301], 0.4),
        (&[30, 40, 50], 0.3),
        (&[9, 8, 17, 16], 0.25),
    ] {
        let rank = shape.len();
        let mask = numbers.bools(shape.iter().product(), share);
        // Symmetric structures of all kinds; the element in the middle does not matter.
        for _ in 0..4 {
            let size = 3usize.pow(rank as u32);
            let mut structure = numbers.bools(size, 0.5);
            for tap in 0..size {
                structure[size - 1 - tap] = structure[tap];
            }
            structure[size / 2] = true;
            let taps: Vec<Vec<usize>> = indices(&vec![3; rank])
                .into_iter()
                .zip(&structure)
                .filter(|(_, is)| **is)
                .map(|(tap, _)| tap)
                .collect();
            let places = indices(shape);
            let mut wanted = vec![0; mask.len()];
            let mut count = 0;
            for start in 0..mask.len() {
                if !mask[start] || wanted[start] != 0 {
                    continue;
                }
                count += 1;
                wanted[start] = count;
                let mut waiting = vec![start];
                while let Some(at) = waiting.pop() {
                    for tap in &taps {
                        let mut other = Some(0);
                        for axis in 0..rank {
                            let place = (places[at][axis] + tap[axis]).wrapping_sub(1);
                            other = other.filter(|_| place < shape[axis]).map(|other| other * shape[axis] + place);
                        }
                        if let Some(other) = other.filter(|&other| mask[other] && wanted[other] == 0) {
                            wanted[other] = count;
                            waiting.push(other);
                        }
                    }
                }
            }
            let structure = array(&structure, &vec![3; rank]);
            let (found, number) = nd::label!(&array(&mask, shape), structure = &structure);
            assert_eq!(number, count as usize, "{shape:?} {:?}", structure.ravel().tolist());
            assert!(found.ravel().tolist() == wanted, "{shape:?} {:?}", structure.ravel().tolist());
        }
    }
}

/// Elements of a sparse matrix in any order, some of them twice.
fn elements(numbers: &mut Numbers, shape: (usize, usize), count: usize) -> (Vec<f64>, Vec<i32>, Vec<i32>) {
    let values = (0..count).map(|_| (numbers.float() * 8.0).round() / 4.0).collect();
    let rows = (0..count).map(|_| numbers.below(shape.0) as i32).collect();
    (values, rows, (0..count).map(|_| numbers.below(shape.1) as i32).collect())
}

fn dense(matrix: &SparseMatrix<f64>) -> Vec<f64> {
    matrix.to_dense().ravel().tolist()
}

#[test]
fn large_sparse_matrices() {
    let mut numbers = Numbers(17);
    for (shape, count) in
        [((300, 200), 20_000), ((2, 5000), 3000), ((5000, 3), 40_000), ((400, 400), 50), ((90, 70), 0)]
    {
        let (values, rows, columns) = elements(&mut numbers, shape, count);
        let mut wanted = vec![0.0; shape.0 * shape.1];
        for ((value, row), column) in values.iter().zip(&rows).zip(&columns) {
            wanted[*row as usize * shape.1 + *column as usize] += value;
        }
        let name = format!("{shape:?} {count}");
        let coo = sparse::coo_matrix((&gpu::array(&values), (&gpu::array(&rows), &gpu::array(&columns)), shape));
        let (csr, csc) = (coo.tocsr(), coo.tocsc());
        for matrix in [&coo, &csr, &csc, &csr.tocsc(), &csc.tocsr()] {
            near(&name, &dense(matrix), &wanted, 0.0);
        }
        for lines in [&csr, &csc, &csr.tocsc(), &csc.tocsr()] {
            let (pointers, indices) = (lines.indptr().tolist(), lines.indices().tolist());
            let are_sorted = |pair: &[i32]| indices[pair[0] as usize..pair[1] as usize].is_sorted_by(|a, b| a < b);
            assert!(pointers.windows(2).all(are_sorted), "{name}");
        }
        let full = gpu::array(&wanted).reshape([shape.0, shape.1]);
        near(&name, &dense(&sparse::csr_matrix(&full)), &wanted, 0.0);
        for (axis, matrix) in [(0, &csr), (1, &csr), (0, &csc), (1, &csc)] {
            near(&name, &matrix.sum_axis(axis).tolist(), &full.sum_axis(axis).tolist(), 1e-12);
        }
        let x = gpu::array(&numbers.floats(shape.1));
        for matrix in [&csr, &csc, &coo] {
            near(&name, &matrix.dot(&x).tolist(), &full.matmul(&x).tolist(), 1e-12);
        }
        let block = gpu::array(&numbers.floats(shape.1 * 45)).reshape([shape.1, 45]);
        near(&name, &csr.dot(&block).ravel().tolist(), &full.matmul(&block).ravel().tolist(), 1e-12);
        let turned = csr.transpose();
        for (left, right) in [(&csr, &turned), (&csr, &turned.tocsr()), (&csc, &csr.tocsc().transpose())] {
            let product = left.dot(right);
            near(&name, &dense(&product), &full.matmul(&full.t()).ravel().tolist(), 1e-12);
        }
        let (values, rows, columns) = elements(&mut numbers, shape, count / 2);
        let other = sparse::csr_matrix((&gpu::array(&values), (&gpu::array(&rows), &gpu::array(&columns)), shape));
        let pairs: Vec<(f64, f64)> = wanted.iter().copied().zip(dense(&other)).collect();
        let each = |of: fn(f64, f64) -> f64| pairs.iter().map(|&(a, b)| of(a, b)).collect::<Vec<f64>>();
        near(&name, &dense(&(&csr + &other)), &each(|a, b| a + b), 0.0);
        near(&name, &dense(&(&csr - &other)), &each(|a, b| a - b), 0.0);
        near(&name, &dense(&csr.multiply(&other)), &each(|a, b| a * b), 0.0);
        near(&name, &dense(&csr.maximum(&other)), &each(f64::max), 0.0);
        near(&name, &dense(&csr.minimum(&other)), &each(f64::min), 0.0);
        assert_eq!((&csr - &csr).nnz(), 0, "{name}");
    }
}

type Distance = fn(&[f64], &[f64]) -> f64;

#[test]
fn distances_of_many_points() {
    let mut numbers = Numbers(19);
    let of: [(&str, Distance); 5] = [
        ("euclidean", |x, y| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()),
        ("cityblock", |x, y| x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum()),
        ("chebyshev", |x, y| x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)),
        ("canberra", |x, y| {
            let share = |(x, y): (&f64, &f64)| if x == y { 0.0 } else { (x - y).abs() / (x.abs() + y.abs()) };
            x.iter().zip(y).map(share).sum()
        }),
        ("jensenshannon", |x, y| {
            let (all, other) = (x.iter().sum::<f64>(), y.iter().sum::<f64>());
            let term = |x: f64, m: f64| if x > 0.0 { x * (x / m).ln() } else { 0.0 };
            let sum: f64 = x
                .iter()
                .zip(y)
                .map(|(x, y)| (x / all, y / other))
                .map(|(x, y)| term(x, 0.5 * (x + y)) + term(y, 0.5 * (x + y)))
                .sum();
            (0.5 * sum).max(0.0).sqrt()
        }),
    ];
    for (rows, columns, dimensions) in [(37, 53, 3), (100, 16, 7), (3, 1, 1), (1, 70, 20)] {
        let positive = |numbers: &mut Numbers, count: usize| -> Vec<f64> {
            let some = numbers.floats(count * dimensions);
            some.iter().enumerate().map(|(at, x)| if at % 11 == 3 { 0.0 } else { x.abs() + 0.01 }).collect()
        };
        let (a, b) = (positive(&mut numbers, rows), positive(&mut numbers, columns));
        let (one, other) = (array(&a, &[rows, dimensions]), array(&b, &[columns, dimensions]));
        for (metric, distance) in of {
            let name = format!("{metric} {rows} {columns} {dimensions}");
            let wanted: Vec<f64> = a
                .chunks(dimensions)
                .flat_map(|x| b.chunks(dimensions).map(move |y| (x, y)))
                .map(|(x, y)| distance(x, y))
                .collect();
            let found = gpu::spatial::distance::cdist!(&one, &other, metric);
            near(&name, &found.ravel().tolist(), &wanted, 1e-9);
            let square = gpu::spatial::distance::cdist!(&one, &one, metric);
            let pairs = gpu::spatial::distance::squareform(&gpu::spatial::distance::pdist!(&one, metric));
            let off = |matrix: &DeviceArray<f64>| {
                let values = matrix.ravel().tolist();
                (0..values.len()).filter(|at| at / rows != at % rows).map(|at| values[at]).collect::<Vec<f64>>()
            };
            near(&name, &off(&pairs), &off(&square), 1e-9);
        }
    }
}

#[test]
fn curves_at_points_in_any_order() {
    let mut numbers = Numbers(23);
    let mut places: Vec<f64> = numbers.floats(500);
    places.sort_by(f64::total_cmp);
    let even: Vec<f64> = (0..500).map(|at| f64::from(at) / 250.0 - 1.0).collect();
    let values = numbers.floats(500);
    for places in [places, even] {
        let spline = gpu::interpolate::CubicSpline::new(&gpu::array(&places), &gpu::array(&values));
        let mut points = numbers.floats(9000);
        points.extend([f64::NAN, -3.0, 3.0]);
        points.extend(&places);
        let found = spline.eval(&gpu::array(&points)).tolist();
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| points[a].total_cmp(&points[b]));
        let sorted: Vec<f64> = order.iter().map(|&at| points[at]).collect();
        let again = spline.eval(&gpu::array(&sorted)).tolist();
        for (&at, value) in order.iter().zip(again) {
            assert!(found[at] == value || found[at].is_nan() && value.is_nan(), "{}", points[at]);
        }
        let knots = &found[found.len() - places.len()..];
        near("at the knots", knots, &values, 1e-9);
    }
}
