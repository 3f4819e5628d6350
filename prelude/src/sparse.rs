//! Sparse matrices: products, conversions, equations and graphs; SciPy's `sparse`.
//!
//! A [`SparseMatrix`] is stored by rows ("csr"), by columns ("csc"), or as rows, columns and values ("coo"). It has elements of `f32`
//! or `f64`, on the device where its parts are, and all is computed there, unless a function says that it is computed on the host.
//! Indices are `i32`, so a matrix has up to 2³¹ - 1 elements.
//!
//! ```
//! use warpcell as gpu;
//! use gpu::sparse;
//!
//! // Poisson's equation on a grid of 20 × 20 points.
//! let line = sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (20, 20));
//! let plane = sparse::kronsum(&line, &line);
//! let source = gpu::ones::<f64>(400);
//! let (x, info) = sparse::linalg::cg(&plane, &source);
//! assert_eq!(info, 0);
//! assert!(gpu::allclose_with(&plane.dot(&x), &source, 1e-4, 1e-4, false));
//! ```

mod by_loops;
pub mod csgraph;
mod kernels;
pub mod linalg;
mod lines;
mod make;
mod matrix;
mod merging;
mod raw;
mod shown;

pub use make::{
    Diagonals, block_array, block_diag, bmat, diags, diags_with, eye, eye_with, find, hstack, identity, issparse, kron,
    kronsum, random, random_with, spdiags, tril, tril_with, triu, triu_with, vstack,
};
pub use matrix::{
    Multiplicand, SparseMatrix, SparseSource, coo_matrix, csc_matrix, csr_matrix, try_coo_matrix, try_csc_matrix,
    try_csr_matrix,
};
pub use raw::Format;

// SciPy's names of what makes sparse arrays, and its older ones.
pub use make::{
    diags as diags_array, eye as eye_array, issparse as isspmatrix, random as rand, random as random_array,
};
pub use matrix::{coo_matrix as coo_array, csc_matrix as csc_array, csr_matrix as csr_array};

// The macros for calls with keywords.
pub use {
    __sparse_diags as diags, __sparse_eye as eye, __sparse_random as random, __sparse_tril as tril,
    __sparse_triu as triu,
};
