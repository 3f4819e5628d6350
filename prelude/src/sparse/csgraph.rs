//! Graphs as sparse matrices: an element `[i, j]` is an edge from `i` to `j`. SciPy's `sparse.csgraph`.

use super::kernels;
use super::lines::{read, run_plain, write};
use super::make::square;
use super::matrix::SparseMatrix;
use super::raw::{Format, RawSparse};
use crate::array::{DeviceArray, RawArray, transfer};
use crate::backend::{BinaryOperation, ScanOperation, UnaryOperation};
use crate::dtype::{DType, Float, Scalar};
use crate::error::{Result, check};
use crate::launch::{Work, launch_untyped};
use crate::operations::elementwise::{binary, unary};
use crate::operations::scan::scan_axis;

// The macros for calls with keywords.
pub use __sparse_csgraph_laplacian as laplacian;

/// The connected components of a graph, whose edges count in both directions: how many there are, and the number of the component of each
/// vertex, in the order of their first vertices. SciPy's `connected_components(graph, directed=False)`, which is that of `connection =
/// "weak"`. By the smallest number that neighbours share, along chains that become short. Waits for the device in each round.
/// Source: Shiloach and Vishkin, "An O(log n) Parallel Connectivity Algorithm" (1982).
///
/// **Panics** if the matrix is not square ([`Error::InvalidShape`](crate::Error::InvalidShape)).
///
/// ```
/// use warpcell as gpu;
/// let graph = gpu::sparse::csr_matrix((&[1.0, 1.0], ([0, 3], [2, 1]), (5, 5)));
/// let (count, labels) = gpu::sparse::csgraph::connected_components(&graph);
/// assert_eq!((count, labels.tolist()), (3, vec![0, 1, 0, 1, 2]));
/// ```
#[track_caller]
pub fn connected_components<T: Float>(graph: &SparseMatrix<T>) -> (usize, DeviceArray<i32>) {
    let (count, labels) = check(components(&graph.raw));
    (count, DeviceArray::from_raw(labels))
}

fn components(graph: &RawSparse) -> Result<(usize, RawArray)> {
    let operation = "connected_components";
    let n = square(operation, graph)?;
    let lines = graph.compressed(operation)?.lines();
    let handle = graph.handle();
    handle.may_wait(operation)?;
    let range = |out: &RawArray| handle.backend.arange(Scalar::I32(0), Scalar::I32(1), out.view());
    let labels = RawArray::written(operation, handle, &[n], DType::I32, range)?;
    if n == 0 {
        return Ok((0, labels));
    }
    let own = labels.copied(operation)?;
    loop {
        let changed = graph.maker(operation).zeros(1, DType::I32)?;
        run_plain!(
            operation,
            hook_labels,
            Work::threads(n),
            [read(&lines.pointers), read(&lines.indices), write(&labels), write(&changed)]
        )?;
        run_plain!(operation, flatten_labels, Work::threads(n), [write(&labels)])?;
        if transfer::item(&changed)? == Scalar::I32(0) {
            break;
        }
    }
    // The roots, numbered in their order.
    let is_root = binary(operation, BinaryOperation::Equal, &labels, &own)?.converted(operation, DType::I32)?;
    let numbers = scan_axis(operation, ScanOperation::Sum, &is_root, 0)?;
    let numbers =
        binary(operation, BinaryOperation::Subtract, &numbers, Scalar::I64(1))?.converted(operation, DType::I32)?;
    let root = crate::array::indices::RawIndices::Device(labels);
    let labels = crate::operations::indexing::take_axis(&numbers, root, 0)?;
    let count = crate::operations::reduce::reduce_all(operation, crate::backend::ReduceOperation::Sum, &is_root)?;
    Ok((count.integer().expect("an integer") as usize, labels))
}

/// The Laplacian of a graph of weights: the degrees on the diagonal, minus the weights; by rows. SciPy's `laplacian`. Degrees are the sums
/// of the columns without the diagonal.
///
/// **Panics** if the matrix is not square ([`Error::InvalidShape`](crate::Error::InvalidShape)).
///
/// ```
/// use warpcell as gpu;
/// let graph = gpu::sparse::csr_matrix(&gpu::array(&[[0.0, 2.0], [2.0, 0.0]]));
/// let laplacian = gpu::sparse::csgraph::laplacian(&graph);
/// assert_eq!(laplacian.to_dense().to_host(), ndarray::array![[2.0, -2.0], [-2.0, 2.0]].into_dyn());
/// ```
#[track_caller]
pub fn laplacian<T: Float>(graph: &SparseMatrix<T>) -> SparseMatrix<T> {
    laplacian_with(graph, false)
}

/// As [`laplacian`](fn@laplacian); with `normed`, elements are divided by the square roots of both degrees, and the diagonal is 1 where there are edges.
///
/// **Panics** as [`laplacian`](fn@laplacian) does.
#[track_caller]
pub fn laplacian_with<T: Float>(graph: &SparseMatrix<T>, normed: bool) -> SparseMatrix<T> {
    SparseMatrix::from_raw(check(laplacian_of(&graph.raw, normed)))
}

fn laplacian_of(graph: &RawSparse, normed: bool) -> Result<RawSparse> {
    let operation = "laplacian";
    let n = square(operation, graph)?;
    let matrix = graph.to(operation, Format::Csr)?.canonical(operation)?;
    let above = matrix.kept(operation, [1, i64::MAX], false)?;
    let edges = above.joined(operation, &matrix.kept(operation, [i64::MIN, -1], false)?, 0)?;
    let mut degrees = edges.sums(operation, 0, false)?;
    let mut weights = edges.to(operation, Format::Coo)?;
    if normed {
        let roots = unary(operation, UnaryOperation::Sqrt, &degrees)?;
        let zero = Scalar::zero(degrees.dtype);
        let one = Scalar::of_float(1.0, degrees.dtype);
        let is_alone = binary(operation, BinaryOperation::Equal, &roots, zero)?.converted(operation, degrees.dtype)?;
        // The root of no degree is taken for 1.
        let roots = binary(operation, BinaryOperation::Add, &roots, &is_alone)?;
        for places in [&weights.first, &weights.second] {
            let places = crate::array::indices::RawIndices::Device(places.clone());
            let factors = crate::operations::indexing::take_axis(&roots, places, 0)?;
            weights.data = binary(operation, BinaryOperation::Divide, &weights.data, &factors)?;
        }
        degrees = binary(operation, BinaryOperation::Subtract, one, &is_alone)?;
    }
    weights.data = unary(operation, UnaryOperation::Negative, &weights.data)?;
    let handle = graph.handle();
    let range = |out: &RawArray| handle.backend.arange(Scalar::I32(0), Scalar::I32(1), out.view());
    let places = RawArray::written(operation, handle, &[n], DType::I32, range)?;
    let (first, second) = (places.clone(), places);
    let diagonal = RawSparse { format: Format::Coo, shape: [n, n], first, second, data: degrees, canonical: true };
    let blocks = [([0, 0], weights), ([0, 0], diagonal)];
    RawSparse::assembled(operation, &blocks, [n, n], handle, graph.dtype())?.to(operation, Format::Csr)
}
