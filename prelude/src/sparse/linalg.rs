//! Equations, eigenvalues and norms of sparse matrices; SciPy's `sparse.linalg`.
//!
//! Solvers by iteration compute on the device of the matrix, and wait for it in each iteration. They take a
//! [`SparseMatrix`](super::SparseMatrix), a dense matrix, or a [`LinearOperator`]. Factorisations ([`splu`], [`spsolve`],
//! [`spsolve_triangular`](fn@spsolve_triangular)) are computed on the host, as SciPy and CuPy do it: matrix and right side are copied there, and the solution
//! is copied back.

mod direct;
mod iterative;
mod least;
mod operator;
mod spectra;
mod vectors;

pub use direct::{SparseLu, factorized, splu, spsolve, spsolve_triangular, spsolve_triangular_with};
pub use iterative::{bicgstab, bicgstab_with, cg, cg_with, cgs, cgs_with, gmres, gmres_with, minres, minres_with};
pub use least::{LeastSquares, lsmr, lsmr_with, lsqr, lsqr_with};
pub use operator::{LinearOperator, Operator, aslinearoperator};
pub use spectra::{
    eigsh, eigsh_with, eigvalsh_with, expm_multiply, matrix_power, norm, norm_axis, norm_with, svds, svds_with,
    svdvals_with,
};

// The macros for calls with keywords.
pub use {
    __sparse_linalg_bicgstab as bicgstab, __sparse_linalg_cg as cg, __sparse_linalg_cgs as cgs,
    __sparse_linalg_eigsh as eigsh, __sparse_linalg_gmres as gmres, __sparse_linalg_lsmr as lsmr,
    __sparse_linalg_lsqr as lsqr, __sparse_linalg_minres as minres, __sparse_linalg_norm as norm,
    __sparse_linalg_spsolve_triangular as spsolve_triangular, __sparse_linalg_svds as svds,
};
