//! Factorisations of many and of large matrices: what they give is multiplied on the host, in f64. And which matrix of a stack
//! cannot be factorised. Other shapes and strides are in `prelude/tests/integration/factorisations.rs`.

use super::check::Check;
use super::reference::Random;
use crate::backend::factorisations::Fault;
use crate::backend::{Allocation, Backend, Layout, View};
use crate::dtype::DType;
use std::sync::Arc;

/// A matrix on the host, by rows.
#[derive(Clone, Debug, PartialEq)]
struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, element: impl Fn(usize, usize) -> f64) -> Matrix {
        let elements = (0..rows * columns).map(|at| element(at / columns, at % columns)).collect();
        Matrix { rows, columns, elements }
    }

    fn eye(n: usize) -> Matrix {
        Matrix::new(n, n, |row, column| f64::from(u8::from(row == column)))
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.elements[row * self.columns + column]
    }

    fn t(&self) -> Matrix {
        Matrix::new(self.columns, self.rows, |row, column| self.at(column, row))
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let sum = |row, column| (0..self.columns).map(|inner| self.at(row, inner) * other.at(inner, column)).sum();
        Matrix::new(self.rows, other.columns, sum)
    }

    fn norm(&self) -> f64 {
        self.elements.iter().map(|value| value * value).sum::<f64>().sqrt()
    }

    /// The determinant, by elimination.
    fn determinant(&self) -> f64 {
        let (n, mut rest, mut product) = (self.rows, self.clone(), 1.0);
        for at in 0..n {
            let pivot = (at..n).max_by(|&a, &b| rest.at(a, at).abs().total_cmp(&rest.at(b, at).abs())).unwrap();
            if pivot != at {
                (0..n).for_each(|column| rest.elements.swap(pivot * n + column, at * n + column));
                product = -product;
            }
            product *= rest.at(at, at);
            for row in at + 1..n {
                let factor = rest.at(row, at) / rest.at(at, at);
                (at..n).for_each(|column| rest.elements[row * n + column] -= factor * rest.at(at, column));
            }
        }
        product
    }
}

/// Matrices of a type on a device.
struct Floats {
    backend: Arc<dyn Backend>,
    dtype: DType,
    failed: Vec<String>,
    passed: usize,
}

/// An array on the device.
struct Array {
    allocation: Arc<dyn Allocation>,
    layout: Layout,
    dtype: DType,
}

impl Array {
    fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }
}

impl Floats {
    fn empty(&self, shape: &[usize]) -> Array {
        let layout = Layout::contiguous(shape);
        let allocation = self.backend.allocate(layout.size() * self.dtype.size()).unwrap();
        Array { allocation, layout, dtype: self.dtype }
    }

    fn upload(&self, matrices: &[Matrix]) -> Array {
        let out = self.empty(&[matrices.len(), matrices[0].rows, matrices[0].columns]);
        let all = matrices.iter().flat_map(|matrix| &matrix.elements);
        let bytes: Vec<u8> = match self.dtype {
            DType::F32 => all.flat_map(|&value| (value as f32).to_ne_bytes()).collect(),
            _ => all.flat_map(|value| value.to_ne_bytes()).collect(),
        };
        self.backend.upload(&bytes, &out.allocation).unwrap();
        out
    }

    fn numbers(&self, array: &Array) -> Vec<f64> {
        let mut bytes = vec![0; array.layout.size() * self.dtype.size()];
        self.backend.download(&array.allocation, 0, &mut bytes).unwrap();
        match self.dtype {
            DType::F32 => bytes.as_chunks().0.iter().map(|&bytes| f32::from_ne_bytes(bytes).into()).collect(),
            _ => bytes.as_chunks().0.iter().map(|&bytes| f64::from_ne_bytes(bytes)).collect(),
        }
    }

    fn download(&self, array: &Array) -> Vec<Matrix> {
        let &[_, rows, columns] = &array.layout.shape[..] else { unreachable!("three axes") };
        let chunks = self.numbers(array);
        let matrix = |elements: &[f64]| Matrix { rows, columns, elements: elements.to_vec() };
        chunks.chunks(rows * columns).map(matrix).collect()
    }

    fn epsilon(&self) -> f64 {
        if self.dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }

    fn note(&mut self, is_right: bool, what: impl Fn() -> String) {
        if is_right {
            self.passed += 1;
        } else {
            self.failed.push(what());
        }
    }

    /// Whether two matrices agree but for rounding errors of matrices of this norm.
    fn same(&mut self, what: &str, found: &Matrix, expected: &Matrix, norm: f64) {
        let size = found.rows.max(found.columns) as f64;
        let room = 8.0 * self.epsilon() * size * norm.max(1.0);
        let pairs = found.elements.iter().zip(&expected.elements);
        let worst = pairs
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, |worst, one| if one > worst || one.is_nan() { one } else { worst });
        let dtype = self.dtype;
        self.note(worst <= room, || {
            format!("{what} of {dtype}, {} by {}: {worst:e} apart, more than {room:e}", expected.rows, expected.columns)
        });
    }
}

#[test]
fn cpu_check_factorisations() {
    on_both_types(&Check::on_cpu(), |floats| {
        square(floats, 33, 3);
        square(floats, 4, 40);
        faults(floats, 40);
    });
}

#[test]
#[ignore = "needs a CUDA device, cuSOLVER and cuBLAS"]
fn gpu_check_factorisations() {
    on_both_types(&Check::on_first_device(), |floats| {
        for n in [1, 2, 33, 64, 300] {
            for count in [1, 3] {
                square(floats, n, count);
            }
        }
        square(floats, 4, 1000);
        faults(floats, 400);
    });
}

/// Each kernel on little: race checkers take minutes for what `gpu_check_factorisations` does.
#[test]
#[ignore = "needs a CUDA device, cuSOLVER and cuBLAS"]
fn gpu_races_of_factorisations() {
    on_both_types(&Check::on_first_device(), |floats| {
        square(floats, 4, 3);
        square(floats, 40, 1);
    });
}

fn on_both_types(check: &Check, work: impl Fn(&mut Floats)) {
    let mut failed = Vec::new();
    for dtype in [DType::F32, DType::F64] {
        let mut floats = Floats { backend: check.backend.clone(), dtype, failed: Vec::new(), passed: 0 };
        floats.backend.factorisations().can_factorise().unwrap();
        work(&mut floats);
        println!("{dtype}: {} passed, {} failed", floats.passed, floats.failed.len());
        failed.extend(floats.failed);
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

fn random(m: usize, n: usize, count: usize) -> Vec<Matrix> {
    let mut random = Random::new((m * 1000 + n * 10 + count) as u64);
    let round = |value: f64| f64::from(value as f32);
    (0..count)
        .map(|_| Matrix {
            rows: m,
            columns: n,
            elements: (0..m * n).map(|_| round(random.unit() * 2.0 - 1.0)).collect(),
        })
        .collect()
}

fn square(floats: &mut Floats, n: usize, count: usize) {
    let matrices = random(n, n, count);
    let definite: Vec<Matrix> = matrices
        .iter()
        .map(|a| {
            let product = a.times(&a.t());
            Matrix::new(n, n, |row, column| {
                f64::from((product.at(row, column) + f64::from(u8::from(row == column))) as f32)
            })
        })
        .collect();
    let backend = floats.backend.clone();
    let on = backend.factorisations();

    let x = floats.upload(&matrices);
    let out = floats.empty(&[3, count]);
    on.determinants(x.view(), out.view()).unwrap();
    let found = floats.numbers(&out);
    for (index, a) in matrices.iter().enumerate() {
        let expected = a.determinant();
        let [determinant, sign, logarithm] = [0, 1, 2].map(|row| found[row * count + index]);
        // Random matrices of this kind have condition numbers of some times their size.
        let room = 100.0 * floats.epsilon() * (n * n) as f64;
        let is_right = (logarithm - expected.abs().ln()).abs() <= room.max(if count > 10 { 1e-2 } else { 0.0 })
            && sign == expected.signum()
            && (determinant - sign * logarithm.exp()).abs() <= 1e-3 * determinant.abs();
        floats.note(is_right, || format!("det {n}: {determinant}, {sign}, {logarithm} for {expected}"));
    }

    let x = floats.upload(&definite);
    let (inverses, right) = (floats.empty(&[count, n, n]), floats.upload(&random(n, 3, count)));
    assert_eq!(on.inverses(x.view(), inverses.view()), Ok(None));
    let solutions = floats.empty(&[count, n, 3]);
    assert_eq!(on.solve(x.view(), right.view(), solutions.view()), Ok(None));
    let vectors = floats.empty(&[count, n, 1]);
    let first = Layout { shape: vec![count, n, 1], ..right.layout.clone() };
    assert_eq!(on.solve(x.view(), View { layout: &first, ..right.view() }, vectors.view()), Ok(None));
    let factors = floats.empty(&[count, n, n]);
    assert_eq!(on.cholesky(x.view(), factors.view()), Ok(None));
    let (values, eigenvectors) = (floats.empty(&[count, n]), floats.empty(&[count, n, n]));
    assert_eq!(on.eigh(x.view(), values.view(), Some(eigenvectors.view())), Ok(None));
    let alone = floats.empty(&[count, n]);
    assert_eq!(on.eigh(x.view(), alone.view(), None), Ok(None));
    let [inverses, right, solutions, vectors, factors, eigenvectors] =
        [&inverses, &right, &solutions, &vectors, &factors, &eigenvectors].map(|array| floats.download(array));
    let (values, alone) = (floats.numbers(&values), floats.numbers(&alone));
    for (index, a) in definite.iter().enumerate() {
        let norm = a.norm();
        floats.same("a · inverse", &a.times(&inverses[index]), &Matrix::eye(n), norm * 4.0);
        floats.same("a · x", &a.times(&solutions[index]), &right[index], norm * 4.0);
        let column = Matrix::new(n, 1, |row, _| right[index].at(row, 0));
        floats.same("a · one x", &a.times(&vectors[index]), &column, norm * 4.0);
        floats.same("l lᵀ", &factors[index].times(&factors[index].t()), a, norm);
        let zero = (0..n).all(|row| (row + 1..n).all(|column| factors[index].at(row, column) == 0.0));
        floats.note(zero, || format!("l {n} is not zero above its diagonal"));
        let (v, values) = (&eigenvectors[index], &values[index * n..][..n]);
        let scaled = Matrix::new(n, n, |row, column| v.at(row, column) * values[column]);
        floats.same("a v", &a.times(v), &scaled, norm);
        floats.same("vᵀ v", &v.t().times(v), &Matrix::eye(n), 1.0);
        floats.note(values.windows(2).all(|two| two[0] <= two[1]), || format!("eigenvalues {values:?}"));
        let row = |values: &[f64]| Matrix { rows: 1, columns: n, elements: values.to_vec() };
        floats.same("eigenvalues alone", &row(&alone[index * n..][..n]), &row(values), norm);
    }
}

fn faults(floats: &mut Floats, large: usize) {
    let backend = floats.backend.clone();
    let on = backend.factorisations();
    for n in [3, large] {
        // The last two rows are equal.
        let singular = Matrix::new(n, n, |row, column| {
            f64::from(u8::from(row.min(n - 2) == column)) * 2.0 + f64::from(u8::from(column == n - 1))
        });
        let negative = Matrix::new(n, n, |row, column| if row == column { 1.0 - (row / 2) as f64 } else { 0.0 });
        let nan = Matrix::new(n, n, |row, column| if row == column { [1.0, f64::NAN][row % 2] } else { 0.0 });
        for count in [1, 3] {
            let stack = |one: &Matrix| {
                (0..count)
                    .map(|index| if index + 1 == count { one.clone() } else { Matrix::eye(n) })
                    .collect::<Vec<_>>()
            };
            let fault = |order| Ok(Some(Fault { matrix: count - 1, order }));
            let out = floats.empty(&[count, n, n]);
            let x = floats.upload(&stack(&singular));
            let found = on.inverses(x.view(), out.view());
            floats.note(found == fault(n), || format!("{n} singular, {count}: {found:?}"));
            let right = floats.upload(&stack(&Matrix::eye(n)));
            let found = on.solve(x.view(), right.view(), out.view());
            floats.note(found == fault(n), || format!("{n} singular to solve, {count}: {found:?}"));
            let three = floats.empty(&[3, count]);
            on.determinants(x.view(), three.view()).unwrap();
            let numbers = floats.numbers(&three);
            let last = [numbers[count - 1], numbers[2 * count - 1], numbers[3 * count - 1]];
            floats.note(last == [0.0, 0.0, f64::NEG_INFINITY], || format!("det of a singular one: {last:?}"));
            for (matrix, order) in [(&negative, 3), (&nan, 2)] {
                let x = floats.upload(&stack(matrix));
                let found = on.cholesky(x.view(), out.view());
                floats.note(found == fault(order), || {
                    format!("{n} not positive definite, {count}: {found:?}, not {order}")
                });
            }
        }
    }
    let nan = floats.upload(&[Matrix::new(2, 2, |row, _| [1.0, f64::NAN][row])]);
    let out = floats.empty(&[3, 1]);
    on_nan(floats, &nan, &out);
}

/// NaN spreads, and is not a fault.
fn on_nan(floats: &mut Floats, nan: &Array, out: &Array) {
    let backend = floats.backend.clone();
    backend.factorisations().determinants(nan.view(), out.view()).unwrap();
    let determinant = floats.numbers(out)[0];
    floats.note(determinant.is_nan(), || format!("det of NaN: {determinant}"));
}
