//! Factorisations of many and of large matrices: what they give is multiplied on the host, in f64. And which matrix of a stack
//! cannot be factorised. Other shapes and strides are in `prelude/tests/integration/factorisations.rs`.

use super::check::Check;
use super::reference::Random;
use crate::backend::factorisations::Fault;
use crate::backend::{Allocation, Backend, Layout, View};
use crate::dtype::DType;
use num_complex::Complex;
use std::sync::Arc;

/// A matrix on the host, by rows. In the place of each complex number x + iy is a square of real ones, `[[x, -y], [y, x]]`: such
/// matrices are added, multiplied and transposed as the complex ones are added, multiplied, and transposed and conjugated.
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

    /// The complex number that is in the square of this row and column; of a matrix of real ones (`parts` is 1) the element.
    fn number(&self, parts: usize, row: usize, column: usize) -> Complex<f64> {
        let (row, column) = (row * parts, column * parts);
        Complex::new(self.at(row, column), if parts == 1 { 0.0 } else { self.at(row + 1, column) })
    }

    /// The determinant, by elimination.
    fn determinant(&self, parts: usize) -> Complex<f64> {
        let n = self.rows / parts;
        let mut rest: Vec<Vec<Complex<f64>>> =
            (0..n).map(|row| (0..n).map(|column| self.number(parts, row, column)).collect()).collect();
        let mut product = Complex::new(1.0, 0.0);
        for at in 0..n {
            let pivot = (at..n).max_by(|&a, &b| rest[a][at].norm().total_cmp(&rest[b][at].norm())).unwrap();
            if pivot != at {
                rest.swap(pivot, at);
                product = -product;
            }
            product *= rest[at][at];
            for row in at + 1..n {
                let factor = rest[row][at] / rest[at][at];
                (at..n).for_each(|column| {
                    let upper = rest[at][column];
                    rest[row][column] -= factor * upper;
                });
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
        self.empty_of(self.dtype, shape)
    }

    /// For results that are real.
    fn empty_real(&self, shape: &[usize]) -> Array {
        self.empty_of(self.dtype.part(), shape)
    }

    fn empty_of(&self, dtype: DType, shape: &[usize]) -> Array {
        let layout = Layout::contiguous(shape);
        let allocation = self.backend.allocate(layout.size() * dtype.size()).unwrap();
        Array { allocation, layout, dtype }
    }

    /// The real numbers of an element.
    fn parts(&self) -> usize {
        if self.dtype.is_complex() { 2 } else { 1 }
    }

    /// A matrix of real numbers, as one of this type.
    fn spread(&self, real: &Matrix) -> Matrix {
        let parts = self.parts();
        Matrix::new(real.rows * parts, real.columns * parts, |row, column| {
            if row % parts == column % parts { real.at(row / parts, column / parts) } else { 0.0 }
        })
    }

    fn eye(&self, n: usize) -> Matrix {
        self.spread(&Matrix::new(n, n, |row, column| f64::from(u8::from(row == column))))
    }

    fn upload(&self, matrices: &[Matrix]) -> Array {
        let parts = self.parts();
        let (rows, columns) = (matrices[0].rows / parts, matrices[0].columns / parts);
        let out = self.empty(&[matrices.len(), rows, columns]);
        let mut all = Vec::new();
        for matrix in matrices {
            for at in 0..rows * columns {
                let number = matrix.number(parts, at / columns, at % columns);
                all.extend_from_slice(&[number.re, number.im][..parts]);
            }
        }
        let bytes: Vec<u8> = match self.dtype.part() {
            DType::F32 => all.iter().flat_map(|&value| (value as f32).to_ne_bytes()).collect(),
            _ => all.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        };
        self.backend.upload(&bytes, &out.allocation).unwrap();
        out
    }

    /// The elements; of complex numbers both parts.
    fn numbers(&self, array: &Array) -> Vec<f64> {
        let mut bytes = vec![0; array.layout.size() * array.dtype.size()];
        self.backend.download(&array.allocation, 0, &mut bytes).unwrap();
        match self.dtype.part() {
            DType::F32 => bytes.as_chunks().0.iter().map(|&bytes| f32::from_ne_bytes(bytes).into()).collect(),
            _ => bytes.as_chunks().0.iter().map(|&bytes| f64::from_ne_bytes(bytes)).collect(),
        }
    }

    fn download(&self, array: &Array) -> Vec<Matrix> {
        let &[_, rows, columns] = &array.layout.shape[..] else { unreachable!("three axes") };
        let (chunks, parts) = (self.numbers(array), self.parts());
        let matrix = |elements: &[f64]| {
            Matrix::new(rows * parts, columns * parts, |row, column| {
                let at = (row / parts * columns + column / parts) * parts;
                match (row % parts, column % parts) {
                    (0, 1) => -elements[at + 1],
                    (1, 0) => elements[at + 1],
                    _ => elements[at],
                }
            })
        };
        chunks.chunks(rows * columns * parts).map(matrix).collect()
    }

    fn epsilon(&self) -> f64 {
        if self.dtype.part() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
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
    on_all_types(&Check::on_cpu(), |floats| {
        square(floats, 33, 3);
        square(floats, 4, 40);
        faults(floats, 40);
    });
}

#[test]
#[ignore = "needs a CUDA device, cuSOLVER and cuBLAS"]
fn gpu_check_factorisations() {
    on_all_types(&Check::on_first_device(), |floats| {
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
    on_all_types(&Check::on_first_device(), |floats| {
        square(floats, 4, 3);
        square(floats, 40, 1);
    });
}

fn on_all_types(check: &Check, work: impl Fn(&mut Floats)) {
    let mut failed = Vec::new();
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let mut floats = Floats { backend: check.backend.clone(), dtype, failed: Vec::new(), passed: 0 };
        floats.backend.factorisations().can_factorise().unwrap();
        work(&mut floats);
        println!("{dtype}: {} passed, {} failed", floats.passed, floats.failed.len());
        failed.extend(floats.failed);
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

impl Floats {
    fn random(&self, m: usize, n: usize, count: usize) -> Vec<Matrix> {
        let (mut random, parts) = (Random::new((m * 1000 + n * 10 + count) as u64), self.parts());
        let round = |value: f64| f64::from(value as f32);
        let mut matrix = || {
            let elements: Vec<f64> = (0..m * n * parts).map(|_| round(random.unit() * 2.0 - 1.0)).collect();
            Matrix::new(m * parts, n * parts, |row, column| {
                let at = (row / parts * n + column / parts) * parts;
                match (row % parts, column % parts) {
                    (0, 1) => -elements[at + 1],
                    (1, 0) => elements[at + 1],
                    _ => elements[at],
                }
            })
        };
        (0..count).map(|_| matrix()).collect()
    }
}

fn square(floats: &mut Floats, n: usize, count: usize) {
    let (matrices, parts) = (floats.random(n, n, count), floats.parts());
    let definite: Vec<Matrix> = matrices
        .iter()
        .map(|a| {
            let product = a.times(&a.t());
            Matrix::new(n * parts, n * parts, |row, column| {
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
        let expected = a.determinant(parts);
        let [determinant, sign, logarithm] = [0, 1, 2].map(|row| {
            let at = (row * count + index) * parts;
            Complex::new(found[at], if parts == 1 { 0.0 } else { found[at + 1] })
        });
        // Random matrices of this kind have condition numbers of some times their size.
        let room = (100.0 * floats.epsilon() * (n * n) as f64).max(if count > 10 { 1e-2 } else { 0.0 });
        let direction = expected / expected.norm();
        let is_right = (logarithm - expected.norm().ln()).norm() <= room
            && if parts == 1 { sign == direction } else { (sign - direction).norm() <= room.max(1e-3) }
            && (determinant - sign * logarithm.re.exp()).norm() <= 1e-3 * determinant.norm();
        floats.note(is_right, || format!("det {n}: {determinant}, {sign}, {logarithm} for {expected}"));
    }

    let x = floats.upload(&definite);
    let (inverses, right) = (floats.empty(&[count, n, n]), floats.upload(&floats.random(n, 3, count)));
    assert_eq!(on.inverses(x.view(), inverses.view(), None), Ok(None));
    let solutions = floats.empty(&[count, n, 3]);
    assert_eq!(on.solve(x.view(), right.view(), solutions.view(), None), Ok(None));
    let vectors = floats.empty(&[count, n, 1]);
    let first = Layout { shape: vec![count, n, 1], ..right.layout.clone() };
    assert_eq!(on.solve(x.view(), View { layout: &first, ..right.view() }, vectors.view(), None), Ok(None));
    // Above the diagonal, and on it in imaginary parts, is what is not to be read.
    let x = floats.upload(&definite.iter().map(|a| without_upper(a, parts)).collect::<Vec<_>>());
    let factors = floats.empty(&[count, n, n]);
    assert_eq!(on.cholesky(x.view(), factors.view(), None), Ok(None));
    let (values, eigenvectors) = (floats.empty_real(&[count, n]), floats.empty(&[count, n, n]));
    assert_eq!(on.eigh(x.view(), values.view(), Some(eigenvectors.view()), None), Ok(None));
    let alone = floats.empty_real(&[count, n]);
    assert_eq!(on.eigh(x.view(), alone.view(), None, None), Ok(None));
    let [inverses, right, solutions, vectors, factors, eigenvectors] =
        [&inverses, &right, &solutions, &vectors, &factors, &eigenvectors].map(|array| floats.download(array));
    let (values, alone) = (floats.numbers(&values), floats.numbers(&alone));
    for (index, a) in definite.iter().enumerate() {
        let norm = a.norm();
        floats.same("a · inverse", &a.times(&inverses[index]), &floats.eye(n), norm * 4.0);
        floats.same("a · x", &a.times(&solutions[index]), &right[index], norm * 4.0);
        let column = Matrix::new(n * parts, parts, |row, column| right[index].at(row, column));
        floats.same("a · one x", &a.times(&vectors[index]), &column, norm * 4.0);
        floats.same("l lᴴ", &factors[index].times(&factors[index].t()), a, norm);
        let zero =
            (0..n).all(|row| (row + 1..n).all(|column| factors[index].number(parts, row, column) == Complex::ZERO));
        floats.note(zero, || format!("l {n} is not zero above its diagonal"));
        let (v, values) = (&eigenvectors[index], &values[index * n..][..n]);
        let scaled = Matrix::new(n * parts, n * parts, |row, column| v.at(row, column) * values[column / parts]);
        floats.same("a v", &a.times(v), &scaled, norm);
        floats.same("vᴴ v", &v.t().times(v), &floats.eye(n), 1.0);
        floats.note(values.windows(2).all(|two| two[0] <= two[1]), || format!("eigenvalues {values:?}"));
        let row = |values: &[f64]| Matrix { rows: 1, columns: n, elements: values.to_vec() };
        floats.same("eigenvalues alone", &row(&alone[index * n..][..n]), &row(values), norm);
    }
}

/// The matrix with other numbers where those of a symmetric or Hermitian matrix are not read.
fn without_upper(a: &Matrix, parts: usize) -> Matrix {
    Matrix::new(a.rows, a.columns, |row, column| match (row / parts).cmp(&(column / parts)) {
        std::cmp::Ordering::Greater => a.at(row, column),
        // `[[x, -y], [y, x]]`
        std::cmp::Ordering::Equal if row == column => a.at(row, column),
        std::cmp::Ordering::Equal => 7.0 * (row as f64 - column as f64),
        std::cmp::Ordering::Less => 0.5,
    })
}

/// Stacks of identity matrices, of which the last one is another real matrix.
fn last_of(floats: &Floats, count: usize, last: &Matrix) -> Array {
    let eye = floats.eye(last.rows);
    floats.upload(&(1..count).map(|_| eye.clone()).chain([floats.spread(last)]).collect::<Vec<_>>())
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
            let fault = |order| Ok(Some(Fault { matrix: count - 1, order }));
            let out = floats.empty(&[count, n, n]);
            let x = last_of(floats, count, &singular);
            let found = on.inverses(x.view(), out.view(), None);
            floats.note(found == fault(n), || format!("{n} singular, {count}: {found:?}"));
            let right = last_of(floats, count, &Matrix::new(n, n, |row, column| f64::from(u8::from(row == column))));
            let found = on.solve(x.view(), right.view(), out.view(), None);
            floats.note(found == fault(n), || format!("{n} singular to solve, {count}: {found:?}"));
            let three = floats.empty(&[3, count]);
            on.determinants(x.view(), three.view()).unwrap();
            let (numbers, parts) = (floats.numbers(&three), floats.parts());
            let last = [1, 2, 3].map(|row| numbers[(row * count - 1) * parts]);
            floats.note(last == [0.0, 0.0, f64::NEG_INFINITY], || format!("det of a singular one: {last:?}"));
            for (matrix, order) in [(&negative, 3), (&nan, 2)] {
                let x = last_of(floats, count, matrix);
                let found = on.cholesky(x.view(), out.view(), None);
                floats.note(found == fault(order), || {
                    format!("{n} not positive definite, {count}: {found:?}, not {order}")
                });
            }
        }
    }
    let nan = floats.upload(&[floats.spread(&Matrix::new(2, 2, |row, _| [1.0, f64::NAN][row]))]);
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
