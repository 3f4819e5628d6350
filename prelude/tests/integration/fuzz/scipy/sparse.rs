//! `gpu::sparse`.

use super::super::case::Case;
use super::super::compare::{Host, Outcome};
use super::super::families::{Call, functions};
use warpcell as gpu;
use warpcell::ndarray::SliceInfoElem;
use warpcell::sparse::{self, SparseMatrix, csgraph, linalg};
use warpcell::{DeviceArray, Float};

/// A matrix of the dense one with this number, in a format of the case.
fn matrix<T: Float>(c: &Case, at: usize, key: &str) -> SparseMatrix<T> {
    let dense = c.a::<T>(at);
    match c.opt_text(key).unwrap_or("csr") {
        "csc" => sparse::csc_matrix(&dense),
        "coo" => sparse::coo_matrix(&dense),
        _ => sparse::csr_matrix(&dense),
    }
}

fn first<T: Float>(c: &Case) -> SparseMatrix<T> {
    matrix(c, 0, "format")
}

fn second<T: Float>(c: &Case) -> SparseMatrix<T> {
    matrix(c, 1, "other")
}

impl<T: Float> Outcome for SparseMatrix<T> {
    fn hosts(self) -> Vec<Host> {
        self.toarray().hosts()
    }
}

fn part(c: &Case, key: &str) -> SliceInfoElem {
    let numbers = c.list(key);
    SliceInfoElem::Slice { start: numbers[0], end: Some(numbers[1]), step: numbers[2] }
}

fn index(c: &Case) -> [usize; 2] {
    c.lengths("index").try_into().expect("two numbers")
}

functions! { matrices(c) {
    floats:
        "sparse.toarray" => first::<T>(c).asformat(c.text("to")),
        "sparse.transpose" => first::<T>(c).asformat(c.text("to")).t(),
        "sparse.eliminate_zeros" => first::<T>(c).asformat(c.text("to")).eliminate_zeros(),
        "sparse.parts" => {
            let m = first::<T>(c);
            (m.data(), m.indices(), m.indptr())
        },
        "sparse.from_coo" => {
            let shape = c.lengths("shape");
            let source = (&c.a::<T>(0), (&c.a::<i64>(1), &c.a::<i64>(2)), (shape[0], shape[1]));
            match c.text("format") {
                "csc" => sparse::csc_matrix(source),
                "coo" => sparse::coo_matrix(source),
                _ => sparse::csr_matrix(source),
            }
        },
        "sparse.sum" => match c.opt("axis") {
            Some(axis) => first::<T>(c).sum_axis(axis).hosts(),
            None => first::<T>(c).sum().hosts(),
        },
        "sparse.mean" => match c.opt("axis") {
            Some(axis) => first::<T>(c).mean_axis(axis).hosts(),
            None => first::<T>(c).mean().hosts(),
        },
        "sparse.diagonal" => first::<T>(c).diagonal(c.int("k")),
        "sparse.trace" => first::<T>(c).trace(),
        "sparse.count_nonzero" => first::<T>(c).count_nonzero(),
        "sparse.slice" => first::<T>(c).slice([part(c, "part0"), part(c, "part1")]),
        "sparse.take_rows" => first::<T>(c).take_rows(c.list("indices")),
        "sparse.take_columns" => first::<T>(c).take_columns(c.list("indices")),
        "sparse.getrow" => first::<T>(c).getrow(c.int("i")),
        "sparse.getcol" => first::<T>(c).getcol(c.int("i")),
        "sparse.get" => first::<T>(c).get(&index(c)),
        "sparse.matvec" => first::<T>(c).dot(&c.a::<T>(1)),
        "sparse.times_dense" => first::<T>(c).matmul(&c.a::<T>(1)),
        "sparse.matmat" => first::<T>(c).dot(&second::<T>(c)),
        "sparse.add" => &first::<T>(c) + &second::<T>(c),
        "sparse.subtract" => &first::<T>(c) - &second::<T>(c),
        "sparse.multiply" => first::<T>(c).multiply(&second(c)),
        "sparse.maximum" => first::<T>(c).maximum(&second(c)),
        "sparse.minimum" => first::<T>(c).minimum(&second(c)),
        "sparse.scale" => &first::<T>(c) * (c.float("factor") as T),
        "sparse.negative" => -&first::<T>(c),
        "sparse.abs" => first::<T>(c).abs(),
        "sparse.sqrt" => first::<T>(c).sqrt(),
        "sparse.sin" => first::<T>(c).sin(),
        "sparse.expm1" => first::<T>(c).expm1(),
        "sparse.power" => first::<T>(c).power(2.0),
        "sparse.vstack" => sparse::vstack(&[&first::<T>(c), &second(c)]),
        "sparse.hstack" => sparse::hstack(&[&first::<T>(c), &second(c)]),
        "sparse.block_diag" => sparse::block_diag(&[&first::<T>(c), &second(c)]),
        "sparse.kron" => sparse::kron(&first::<T>(c), &second(c)),
        "sparse.kronsum" => sparse::kronsum(&first::<T>(c), &second(c)),
        "sparse.tril" => sparse::tril_with(&first::<T>(c), c.int("k")),
        "sparse.triu" => sparse::triu_with(&first::<T>(c), c.int("k")),
        "sparse.eye" => sparse::eye_with::<T>(c.size("m"), c.size("n"), c.int("k"), c.text("format")),
        "sparse.diags" => {
            let (diagonals, shape) = (c.rest::<T>(0), c.lengths("shape"));
            let diagonals: Vec<&DeviceArray<T>> = diagonals.iter().collect();
            sparse::diags_with(&diagonals[..], &c.list("offsets"), (shape[0], shape[1]))
        },
        "sparse.norm" => match c.opt_float("ord") {
            Some(order) => linalg::norm_with(&first::<T>(c), order),
            None => linalg::norm(&first::<T>(c)),
        },
        "sparse.spsolve" => linalg::spsolve(&first::<T>(c), &c.a::<T>(1)),
        "sparse.splu" => linalg::splu(&first::<T>(c)).solve(&c.a::<T>(1)),
        "sparse.cg" => linalg::cg!(&first::<T>(c), &c.a::<T>(1), rtol = tight::<T>()).0,
        "sparse.gmres" => linalg::gmres!(&first::<T>(c), &c.a::<T>(1), rtol = tight::<T>()).0,
        "sparse.bicgstab" => linalg::bicgstab!(&first::<T>(c), &c.a::<T>(1), rtol = tight::<T>()).0,
        "sparse.minres" => linalg::minres!(&first::<T>(c), &c.a::<T>(1), rtol = tight::<T>()).0,
        "sparse.lsqr" => linalg::lsqr!(&first::<T>(c), &c.a::<T>(1), atol = tight::<T>(), btol = tight::<T>()).x,
        "sparse.spsolve_triangular" => linalg::spsolve_triangular_with(&first::<T>(c), &c.a::<T>(1), c.flag("lower"), false),
        "sparse.matrix_power" => linalg::matrix_power(&first::<T>(c), c.size("power")),
        "sparse.expm_multiply" => linalg::expm_multiply(&first::<T>(c), &c.a::<T>(1)),
        "sparse.connected_components" => {
            let (count, labels) = csgraph::connected_components(&first::<T>(c));
            (count, labels)
        },
        "sparse.laplacian" => csgraph::laplacian_with(&first::<T>(c), c.flag("normed"));
} }

/// A tolerance that the type can meet.
fn tight<T: Float>() -> f64 {
    if T::DTYPE == gpu::DType::F32 { 1e-6 } else { 1e-13 }
}
