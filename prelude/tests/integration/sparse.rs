//! `gpu::sparse` against SciPy, whose results are in tests/parity/sparse.json (by scipy_sparse.py), and against dense matrices.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::sparse::{self, SparseMatrix, csgraph, linalg};
use warpcell::{Float, Scalar};

/// SciPy's results, of which each is to be asked for.
struct Table {
    rows: BTreeMap<String, Vec<f64>>,
    asked: RefCell<BTreeSet<String>>,
    faults: RefCell<Vec<String>>,
}

/// Numbers of a result.
trait Numbers {
    fn numbers(&self) -> Vec<f64>;
}

impl<T: gpu::Element> Numbers for DeviceArray<T> {
    fn numbers(&self) -> Vec<f64> {
        let number = |value: T| match value.to_scalar() {
            Scalar::I32(value) => f64::from(value),
            other => other.float().expect("a number"),
        };
        self.to_host().iter().map(|&value| number(value)).collect()
    }
}
impl<T: Float> Numbers for SparseMatrix<T> {
    fn numbers(&self) -> Vec<f64> {
        self.to_dense().numbers()
    }
}
impl Numbers for f64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}
impl Numbers for f32 {
    fn numbers(&self) -> Vec<f64> {
        vec![f64::from(*self)]
    }
}
impl Numbers for usize {
    fn numbers(&self) -> Vec<f64> {
        vec![*self as f64]
    }
}

impl Table {
    fn read() -> Table {
        let text = include_str!("../../../tests/parity/sparse.json");
        let rows = serde_json::from_str(text).expect("a table");
        Table { rows, asked: RefCell::default(), faults: RefCell::default() }
    }

    fn near(&self, name: &str, results: &[&dyn Numbers], tolerance: f64) {
        let Some(wanted) = self.rows.get(name) else { panic!("there is no row {name:?}") };
        self.asked.borrow_mut().insert(name.to_string());
        let found: Vec<f64> = results.iter().flat_map(|result| result.numbers()).collect();
        let largest = wanted.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if wanted.len() != found.len() {
            self.faults.borrow_mut().push(format!("{name}: {} numbers, not {}", found.len(), wanted.len()));
            return;
        }
        let fault = wanted.iter().zip(&found).position(|(wanted, found)| {
            (wanted - found).abs() > tolerance * largest.max(1e-300) || found.is_nan() != wanted.is_nan()
        });
        if let Some(place) = fault {
            self.faults.borrow_mut().push(format!("{name}[{place}]: {}, not {}", found[place], wanted[place]));
        }
    }

    #[track_caller]
    fn finish(&self) {
        let faults = self.faults.borrow();
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
        let asked = self.asked.borrow();
        let left: Vec<_> = self.rows.keys().filter(|name| !asked.contains(*name)).collect();
        assert!(left.is_empty(), "rows that no test asks for: {left:?}");
    }
}

/// As in the script.
fn pattern<T: Float>(m: usize, n: usize, seed: i64) -> DeviceArray<T> {
    let value = |at: i64| {
        let mixed = (at * 7919 + seed * 104729 + (at * at) % 101 * 31) % 1000;
        T::from_f64(if mixed % 3 == 0 { (mixed % 37) as f64 / 8.0 - 2.0 } else { 0.0 })
    };
    let values: Vec<T> = (0..(m * n) as i64).map(value).collect();
    gpu::array(&values).reshape((m, n))
}

fn csr<T: Float>(m: usize, n: usize, seed: i64) -> SparseMatrix<T> {
    sparse::csr_matrix(&pattern::<T>(m, n, seed))
}

fn check_all<T: Float>(exact: f64, solved: f64)
where
    for<'a> &'a [T]: sparse::Diagonals<T>,
    for<'a> &'a [&'a Vec<T>]: sparse::Diagonals<T>,
    Vec<T>: gpu::AnyArray<Elem = T>,
{
    let table = Table::read();
    let of = |values: &[f64]| -> Vec<T> { values.iter().map(|&value| T::from_f64(value)).collect() };
    let (a, b, c) = (csr::<T>(7, 5, 1), csr::<T>(7, 5, 2), csr::<T>(5, 6, 3));
    for format in ["csr", "csc", "coo"] {
        let (a, b, c) = (a.asformat(format), b.asformat(format), c.asformat(format));
        let near = |name: &str, results: &[&dyn Numbers]| table.near(name, results, exact);
        let (rows, columns) = (a.tocsr(), a.tocsc());
        near("csr_matrix parts", &[&rows.indptr(), &rows.indices(), &rows.data()]);
        near("csc_matrix parts", &[&columns.indptr(), &columns.indices(), &columns.data()]);
        let coo = a.tocsr().tocoo();
        near("coo_matrix parts", &[&coo.coords().0, &coo.coords().1, &coo.data()]);
        near("add", &[&(&a + &b)]);
        near("subtract", &[&(&a - &b)]);
        near("multiply", &[&a.multiply(&b)]);
        near("maximum", &[&a.maximum(&b)]);
        near("minimum", &[&a.minimum(&b)]);
        near("power", &[&a.power(T::from_f64(3.0))]);
        near("abs", &[&a.abs()]);
        let x = gpu::array(&of(&[-0.5, -0.25, 0.0, 0.25, 0.5]));
        let many = gpu::array(&of(&(0..15).map(|at| f64::from(at) / 8.0).collect::<Vec<_>>())).reshape((5, 3));
        near("dot vector", &[&a.dot(&x)]);
        near("dot matrix", &[&a.dot(&many)]);
        near("dot sparse", &[&a.dot(&c)]);
        near("sum 0", &[&a.sum_axis(0)]);
        near("sum 1", &[&a.sum_axis(1)]);
        near("mean 0", &[&a.mean_axis(0)]);
        near("mean 1", &[&a.mean_axis(-1)]);
        near("sum and mean", &[&a.sum().to_f64(), &a.mean().to_f64(), &a.trace().to_f64()]);
        for k in [-8, -3, 0, 2, 4, 5] {
            near(&format!("diagonal {k}"), &[&a.diagonal(k)]);
        }
        near("rows", &[&a.slice(s![2..6, ..])]);
        near("every other", &[&a.slice(s![..;2, 1..4])]);
        near("backward", &[&a.slice(s![..;-1, ..;-2])]);
        near("taken", &[&a.take_rows([5, 0, 5]), &a.take_columns([4, -5])]);
        let positive = a.abs();
        near("sqrt", &[&positive.sqrt()]);
        near("sin", &[&positive.sin()]);
        near("tan", &[&positive.tan()]);
        near("tanh", &[&positive.tanh()]);
        near("expm1", &[&positive.expm1()]);
        near("log1p", &[&positive.log1p()]);
        near("sign", &[&positive.sign()]);
        near("floor", &[&positive.floor()]);
        near("ceil", &[&positive.ceil()]);
        near("trunc", &[&positive.trunc()]);
        near("kron", &[&sparse::kron(&a, &c)]);
        near("hstack", &[&sparse::hstack(&[&a, &b])]);
        near("vstack", &[&sparse::vstack(&[&a, &b])]);
        near("block_diag", &[&sparse::block_diag(&[&a, &c])]);
        near("bmat", &[&sparse::bmat(&[&[Some(&a), None], &[None, Some(&c)]])]);
        for k in [-2, 0, 1] {
            near(&format!("tril {k}"), &[&sparse::tril_with(&a, k)]);
            near(&format!("triu {k}"), &[&sparse::triu_with(&a, k)]);
        }
        let (rows, columns, values) = sparse::find(&a);
        near("find", &[&rows, &columns, &values]);
        near(
            "norm",
            &[
                &linalg::norm(&a).to_f64(),
                &linalg::norm_with(&a, 1.0).to_f64(),
                &linalg::norm_with(&a, f64::INFINITY).to_f64(),
                &linalg::norm_with(&a, -1.0).to_f64(),
                &linalg::norm_with(&a, f64::NEG_INFINITY).to_f64(),
            ],
        );
        near("norm axis", &[&linalg::norm_axis(&a, 0), &linalg::norm_axis(&a, 1)]);
    }
    let near = |name: &str, results: &[&dyn Numbers]| table.near(name, results, exact);
    let parts = of(&[1.0, 2.0, 3.0, -3.0]);
    let twice: SparseMatrix<T> = sparse::csr_matrix((&parts, ([2, 0, 2, 1], [1, 3, 1, 1]), (3, 4)));
    near("duplicates", &[&twice.indptr(), &twice.indices(), &twice.data()]);
    let dense = pattern::<T>(7, 5, 1);
    near("csr_array", &[&sparse::csr_array(&dense)]);
    near("csc_array", &[&sparse::csc_array(&dense)]);
    near("coo_array", &[&sparse::coo_array(&dense)]);
    near("issparse", &[&usize::from(sparse::issparse(&a)), &usize::from(sparse::issparse(&dense))]);
    near("isspmatrix", &[&usize::from(sparse::isspmatrix(&a))]);
    near("block_array", &[&sparse::block_array(&[&[Some(&a), Some(&b)], &[None, Some(&b)]])]);
    near("eye_array", &[&sparse::eye_array::<T>(3)]);
    near("identity", &[&sparse::identity::<T>(3)]);
    near("rand", &[&sparse::rand::<T>(20, 30, 0.1).nnz()]);
    near("random", &[&sparse::random_with::<T>(20, 30, 0.1, "csc").nnz()]);
    near("random_array", &[&sparse::random_array::<T>(20, 30, 0.1).nnz()]);
    let line = of(&[1.0, 2.0, 3.0]);
    near("diags_array", &[&sparse::diags_array(&[&line][..], &[-1])]);
    near("diags", &[&sparse::diags_with(&of(&[1.0, -2.0, 1.0])[..], &[-1, 0, 1], (4, 6))]);
    let (low, high) = (of(&[1.0, 2.0, 3.0]), of(&[4.0, 5.0]));
    near("diags arrays", &[&sparse::diags(&[&low, &high][..], &[-1, 2])]);
    near("spdiags", &[&sparse::spdiags(&pattern::<T>(3, 5, 4), &[1, -2, 0], 4, 6)]);
    near("eye", &[&sparse::eye_with::<T>(4, 6, 1, "csr"), &sparse::eye_with::<T>(4, 6, -2, "csc")]);
    near("kronsum", &[&sparse::kronsum(&csr::<T>(3, 3, 5), &csr::<T>(2, 2, 6))]);
    near("matrix_power", &[&linalg::matrix_power(&csr::<T>(4, 4, 9), 3)]);

    let near = |name: &str, results: &[&dyn Numbers]| table.near(name, results, solved);
    let n = 30;
    let spd = sparse::diags_with(&of(&[-1.0, 2.5, -1.0])[..], &[-1, 0, 1], (n, n));
    let general = csr::<T>(n, n, 7) / T::from_f64(8.0) + sparse::diags_with(&of(&[6.0])[..], &[0], (n, n));
    let host: Vec<f64> = (0..n).map(|at| (at as f64).sin()).collect();
    let right = gpu::array(&of(&host));
    let both = gpu::array(&of(&host.iter().flat_map(|&x| [x, x * x]).collect::<Vec<_>>())).reshape((n, 2));
    near("spsolve", &[&linalg::spsolve(&general, &right)]);
    near("splu transposed", &[&linalg::splu(&general).solve_transposed(&right)]);
    near("spsolve matrix", &[&linalg::spsolve(&general, &both)]);
    near(
        "spsolve_triangular",
        &[
            &linalg::spsolve_triangular(&sparse::tril(&general), &right),
            &linalg::spsolve_triangular_with(&sparse::triu(&general), &right, false, false),
        ],
    );
    near("spsolve spd", &[&linalg::spsolve(&spd, &right)]);
    near("factorized", &[&linalg::factorized(&general).solve(&right)]);
    let accuracy = Some(solved / 10.0);
    let inverse = |matrix: &SparseMatrix<T>| -> SparseMatrix<T> {
        let pivots = of(&matrix.diagonal(0).numbers().iter().map(|x| 1.0 / x).collect::<Vec<_>>());
        sparse::diags(&[&pivots][..], &[0])
    };
    let solution = |name: &str, (x, info): (DeviceArray<T>, i64)| {
        assert_eq!(info, 0, "{name}");
        near(name, &[&x]);
    };
    let scaled = inverse(&spd);
    solution("cg", linalg::cg_with(&spd, &right, None, accuracy, None, None, None));
    solution("cg", linalg::cg_with(&spd, &right, Some(&right), accuracy, None, None, Some(&scaled)));
    solution("minres", linalg::minres_with(&spd, &right, None, accuracy, None, None, None));
    solution("minres", linalg::minres_with(&spd, &right, Some(&right), accuracy, None, None, Some(&scaled)));
    let scaled = inverse(&general);
    solution("cgs", linalg::cgs_with(&general, &right, None, accuracy, None, None, None));
    solution("cgs", linalg::cgs_with(&general, &right, Some(&right), accuracy, None, None, Some(&scaled)));
    solution("bicgstab", linalg::bicgstab_with(&general, &right, None, accuracy, None, None, None));
    solution("bicgstab", linalg::bicgstab_with(&general, &right, Some(&right), accuracy, None, None, Some(&scaled)));
    solution("gmres", linalg::gmres_with(&general, &right, None, accuracy, None, Some(12), None, None));
    solution("gmres", linalg::gmres_with(&general, &right, Some(&right), accuracy, None, None, None, Some(&scaled)));
    solution("gmres", linalg::gmres_with(&general.to_dense(), &right, None, accuracy, None, None, None, None));
    let tall = csr::<T>(20, 8, 8);
    let b = right.slice(s![..20]).copy();
    let (short, long) = (gpu::arange(8.0).astype::<T>(), gpu::arange(20.0).astype::<T>());
    let (forward, back) = (tall.clone(), tall.transpose());
    let operator = linalg::LinearOperator::new((20, 8), move |x| forward.dot(x)).with_rmatvec(move |x| back.dot(x));
    near("LinearOperator", &[&operator.matvec(&short), &operator.rmatvec(&long)]);
    let same = linalg::aslinearoperator(&tall);
    near("aslinearoperator", &[&same.matvec(&short), &same.rmatvec(&long)]);
    let tiny = Some(solved / 1e3);
    let lsqr = |damp| linalg::lsqr_with(&tall, &b, damp, tiny, tiny, None, Some(200), None).x;
    near("lsqr", &[&lsqr(None)]);
    near("lsqr damped", &[&lsqr(Some(0.5))]);
    let lsmr = |damp| linalg::lsmr_with(&operator, &b, damp, tiny, tiny, None, Some(200), None).x;
    near("lsmr", &[&lsmr(None)]);
    near("lsmr damped", &[&lsmr(Some(0.5))]);
    let largest = linalg::eigvalsh_with(&spd, Some(4), None, None, None, None, None);
    let smallest = linalg::eigvalsh_with(&spd, Some(4), Some("SA"), None, None, None, None);
    let ends = linalg::eigsh_with(&spd, Some(4), Some("BE"), None, None, None, None).0;
    near("eigsh", &[&largest, &smallest, &ends]);
    near("svds", &[&linalg::svdvals_with(&tall, Some(3), None, None, None, None, None)]);
    let (u, s, vt) = linalg::svds_with(&tall.transpose(), Some(3), None, None, None, None, None);
    near("svds", &[&s]);
    assert!(gpu::allclose_with(&tall.dot(&u), &(vt.t() * &s), 10.0 * solved, 10.0 * solved, false));
    near("expm_multiply", &[&linalg::expm_multiply(&(&general / T::from_f64(4.0)), &right)]);

    let edges = of(&[1.0; 4]);
    let graph: SparseMatrix<T> = sparse::coo_matrix((&edges, ([0, 2, 3, 6], [2, 4, 1, 6]), (7, 7)));
    let (count, labels) = csgraph::connected_components(&graph);
    near("connected_components", &[&count, &labels]);
    let weights = csr::<T>(6, 6, 10).abs();
    let symmetric = &weights + &weights.transpose();
    near("laplacian", &[&csgraph::laplacian(&symmetric), &csgraph::laplacian_with(&symmetric, true)]);
    table.finish();
}

#[test]
fn sparse_matrices_are_scipys() {
    check_all::<f64>(1e-14, 1e-9);
}

#[test]
fn sparse_matrices_of_f32_are_scipys() {
    check_all::<f32>(1e-6, 1e-4);
}

#[test]
fn kernels_of_sparse_matrices_are_scipys() {
    gpu::by_kernels(|| {
        check_all::<f64>(1e-14, 1e-9);
        check_all::<f32>(1e-6, 1e-4);
    });
}

/// Random numbers of a seed, which messages have.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    /// Rows, columns and values, with duplicates and zeros among them, in any order.
    fn elements(&mut self, m: usize, n: usize) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
        let count = if m * n == 0 { 0 } else { self.below(2 * m * n / 3 + 2) };
        let draw = |random: &mut Random, n| (0..count).map(|_| random.below(n) as i64).collect();
        let (rows, columns) = (draw(self, m), draw(self, n));
        let values = (0..count).map(|_| self.below(9) as f64 - 4.0).collect();
        (rows, columns, values)
    }
}

#[test]
fn random_patterns_give_what_dense_matrices_give() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
    let seed = std::env::var("WARPCELL_SPARSE_SEED").map_or(u64::from(now), |seed| seed.parse().unwrap());
    println!("seed {seed}; set WARPCELL_SPARSE_SEED to it to run the same cases");
    let mut random = Random(seed);
    for case in 0..60 {
        // Some have no rows, no columns, or one.
        let [m, n, k] = [0; 3].map(|_| random.below(9) * (1 + random.below(3)));
        let at = |what: &str| format!("seed {seed}, case {case}, {m} x {n} x {k}: {what}");
        let (rows, columns, values) = random.elements(m, n);
        let mut dense = ndarray::Array2::<f64>::zeros((m, n));
        for ((&row, &column), &value) in rows.iter().zip(&columns).zip(&values) {
            dense[[row as usize, column as usize]] += value;
        }
        let dense = gpu::asarray(&dense);
        let other = random.elements(n, k);
        let other = sparse::coo_matrix((&other.2, (&other.0, &other.1), (n, k)));
        let like = random.elements(m, n);
        let like = sparse::coo_matrix((&like.2, (&like.0, &like.1), (m, n)));
        let coo = sparse::coo_matrix((&values, (&rows, &columns), (m, n)));
        let same = |found: &SparseMatrix<f64>, wanted: &DeviceArray<f64>, what: &str| {
            assert_eq!(found.to_dense().to_host(), wanted.to_host(), "{}", at(what));
            let (by_rows, by_columns) = (found.tocsr(), found.tocsc());
            for lines in [&by_rows, &by_columns] {
                let pointers = lines.indptr().tolist();
                assert_eq!(pointers[pointers.len() - 1] as usize, lines.nnz(), "{}", at(what));
            }
            assert_eq!(by_columns.to_dense().to_host(), wanted.to_host(), "{}", at(what));
        };
        for format in ["coo", "csr", "csc"] {
            let a = coo.asformat(format);
            same(&a, &dense, format);
            same(&a.sum_duplicates(), &dense, "sum_duplicates");
            same(&a.eliminate_zeros(), &dense, "eliminate_zeros");
            assert_eq!(a.count_nonzero(), dense.count_nonzero(), "{}", at("count_nonzero"));
            same(&a.transpose(), &dense.t().copy(), "transpose");
            same(&a.dot(&other), &dense.matmul(&other.to_dense()), "product");
            assert_eq!(a.dot(&other.to_dense()).to_host(), dense.matmul(&other.to_dense()).to_host(), "{}", at("dot"));
            same(&(&a + &like), &(&dense + &like.to_dense()), "sum");
            same(&(&a - &like), &(&dense - &like.to_dense()), "difference");
            same(&(&a * &like), &(&dense * &like.to_dense()), "elementwise product");
            same(&a.maximum(&like), &dense.maximum(&like.to_dense()), "maximum");
            assert_eq!(a.sum_axis(0).to_host(), dense.sum_axis(0).to_host(), "{}", at("sum 0"));
            assert_eq!(a.sum_axis(1).to_host(), dense.sum_axis(1).to_host(), "{}", at("sum 1"));
            same(&sparse::vstack(&[&a, &like]), &gpu::concatenate([&dense, &like.to_dense()], 0), "vstack");
            same(&sparse::hstack(&[&a, &like]), &gpu::concatenate([&dense, &like.to_dense()], 1), "hstack");
            same(&sparse::kron(&a, &other), &gpu::kron(&dense, &other.to_dense()), "kron");
            let (low, high) = (random.below(m + 1), random.below(m + 1));
            let (low, high) = (low.min(high), low.max(high));
            let part = s![low..high, ..;-2];
            same(&a.slice(part), &dense.slice(part).copy(), "slice");
            if m * n > 0 {
                let index = [random.below(m), random.below(n)];
                assert_eq!(a.get(&index), dense.get(&index), "{}", at("get"));
                let chosen: Vec<i64> = (0..4).map(|_| random.below(m) as i64).collect();
                same(&a.take_rows(&chosen), &dense.take_axis(&chosen, 0), "take_rows");
            }
        }
        same(&sparse::csr_matrix(&dense), &dense, "of dense");
        same(&sparse::csc_matrix(&dense), &dense, "of dense, by columns");
        let lines = sparse::csr_matrix((&coo.tocsr().data(), &coo.tocsr().indices(), &coo.tocsr().indptr(), (m, n)));
        same(&lines, &dense, "of parts");
    }
}

#[test]
fn random_matrices_have_as_many_elements_as_were_asked_for() {
    gpu::random::seed(5);
    for (m, n, density) in [(1, 1, 1.0), (1, 1000, 0.3), (37, 53, 0.11), (100, 100, 1.0), (5, 0, 0.5), (8, 8, 0.0)] {
        let a = sparse::random_with::<f64>(m, n, density, "csc");
        let wanted = (density * (m * n) as f64).round() as usize;
        assert_eq!((a.shape(), a.nnz(), a.tocsr().nnz()), ([m, n], wanted, wanted));
    }
    gpu::random::seed(6);
    let first = sparse::random::<f32>(30, 40, 0.2);
    gpu::random::seed(6);
    assert_eq!((&first - &sparse::random::<f32>(30, 40, 0.2)).nnz(), 0);
}

#[test]
fn what_does_not_fit_is_an_error_with_the_values() {
    let text = |error: gpu::Error| error.to_string();
    let (a, b) = (csr::<f64>(3, 4, 1), csr::<f64>(3, 5, 1));
    let error = text(a.try_dot(&b).unwrap_err());
    assert!(error.contains("[3, 4]") && error.contains("[3, 5]"), "{error}");
    let error = text(a.try_dot(&gpu::ones::<f64>(3)).unwrap_err());
    assert!(error.contains("[3, 4]") && error.contains("[3]"), "{error}");
    let error = text(a.try_slice(s![2..5, ..]).unwrap_err());
    assert!(error.contains("2..5") && error.contains("axis 0"), "{error}");
    let error = text(a.try_get(&[3, 0]).unwrap_err());
    assert!(error.contains("[3, 0]"), "{error}");
    let error = text(a.try_take_rows([1, 3]).unwrap_err());
    assert!(error.contains('3'), "{error}");
    let error = text(sparse::try_coo_matrix::<f64, _>((&[1.0], ([2], [4]), (3, 4))).unwrap_err());
    assert!(error.contains("`col` has 4") && error.contains("below 4"), "{error}");
    let error = text(sparse::try_csr_matrix::<f64, _>((&[1.0], [0], [0, 1], (3, 4))).unwrap_err());
    assert!(error.contains("`indptr` has 2 numbers") && error.contains("give 4 numbers"), "{error}");
    let error = text(sparse::try_csr_matrix::<f64, _>((&[1.0, 2.0], [0, 1], [0, 2, 1, 2], (3, 4))).unwrap_err());
    assert!(error.contains("falls from 2 to 1"), "{error}");
    let error = text(sparse::try_csr_matrix::<f64, _>((&[1.0, 2.0], ([0], [0]), (3, 4))).unwrap_err());
    assert!(error.contains("`data` has 2 elements, but `row` has 1"), "{error}");
    let panics = |work: &dyn Fn()| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        caught.downcast_ref::<String>().expect("a text").clone()
    };
    let error = panics(&|| drop(&a + &b));
    assert!(error.contains("[3, 4]") && error.contains("[3, 5]"), "{error}");
    let error = panics(&|| drop(a.asformat("dia")));
    assert!(error.contains("\"dia\"") && error.contains("\"csr\""), "{error}");
    let singular = sparse::csr_matrix(&gpu::array(&[[1.0, 2.0], [2.0, 4.0]]));
    let error = panics(&|| drop(linalg::spsolve(&singular, &gpu::array(&[1.0, 1.0]))));
    assert!(error.contains("singular"), "{error}");
    let empty = sparse::csr_matrix(&gpu::array(&[[1.0, 0.0], [2.0, 0.0]]));
    let error = panics(&|| drop(linalg::spsolve(&empty, &gpu::array(&[1.0, 1.0]))));
    assert!(error.contains("singular"), "{error}");
}

#[test]
fn matrices_are_shown_with_their_elements() {
    let a = sparse::csr_matrix(&gpu::array(&[[0.0, 1.5], [2.0, 0.0]]));
    assert_eq!(format!("{a}"), "(0, 1)\t1.5\n(1, 0)\t2.0");
    let shown = format!("{a:?}");
    assert!(shown.contains("csr matrix, shape (2, 2), 2 stored elements, dtype f64, on "), "{shown}");
    assert!(format!("{:?}", SparseMatrix::<f32>::zeros((0, 3))).starts_with("csr matrix, shape (0, 3), 0 stored"));
    let many = sparse::eye::<f64>(1000);
    assert_eq!(format!("{many}").lines().count(), 51);
}
