//! The rows of the functions of [`linalg`](crate::linalg), as those in `modules.rs`.

functions! { $
    __linalg_norm(x) [ord, axis] [keepdims] => norm [linalg::norm]
        "assert_eq!(gpu::linalg::norm!(&gpu::array(&[[3.0, 4.0], [6.0, 8.0]]), axis = 1).tolist(), [5.0, 10.0]);";
    __linalg_svd(a) [full_matrices = true, compute_uv = true, hermitian = false] [] => svd [linalg::svd_with]
        "assert_eq!(gpu::linalg::svd!(&gpu::ones::<f64>((5, 3)), full_matrices = false).0.shape(), [5, 3]);";
    __linalg_qr(a) [mode = "reduced"] [] => qr []
        "assert_eq!(gpu::linalg::qr!(&gpu::ones::<f64>((5, 3)), mode = \"complete\").0.shape(), [5, 5]);";
    __linalg_eigh(a) [UPLO = "L"] [] => eigh [linalg::eigh]
        "let m = gpu::array(&[[2.0, 1.0], [9.0, 2.0]]);\nassert!(gpu::allclose(&gpu::linalg::eigh!(&m, UPLO = \"U\").0, &[1.0, 3.0]));";
    __linalg_eigvalsh(a) [UPLO = "L"] [] => eigh [linalg::eigvalsh]
        "let m = gpu::array(&[[2.0, 1.0], [9.0, 2.0]]);\nassert!(gpu::allclose(&gpu::linalg::eigvalsh!(&m, UPLO = \"U\"), &[1.0, 3.0]));";
    __linalg_pinv(a) [rcond, hermitian = false] [rtol] => pinv [linalg::pinv, linalg::pinv_with]
        "assert_eq!(gpu::linalg::pinv!(&gpu::ones::<f64>((5, 3)), rcond = 0.1).shape(), [3, 5]);";
    __linalg_lstsq(a, b) [rcond] [] => along [linalg::lstsq, linalg::lstsq_with]
        "let a = gpu::array(&[[1.0, 0.0], [0.0, 1e-3]]);\nassert_eq!(gpu::linalg::lstsq!(&a, &gpu::ones::<f64>(2), rcond = 0.01).2, 1);";

    __linalg_matrix_rank(A) [tol, hermitian = false] [rtol] => ranked [keywords::matrix_rank]
        "assert_eq!(gpu::linalg::matrix_rank!(&gpu::array(&[[1.0, 0.0], [0.0, 1e-3]]), tol = 0.01), 1);";
    __linalg_cond(x) [p] [] => along [linalg::cond, keywords::cond]
        "assert_eq!(gpu::linalg::cond!(&gpu::array(&[[2.0, 0.0], [0.0, 1.0]]), p = 1), 2.0);";
    __linalg_cholesky(a) [] [upper = false] => cholesky [linalg::cholesky, keywords::cholesky_upper]
        "assert_eq!(gpu::linalg::cholesky!(&gpu::array(&[[4.0, 2.0], [2.0, 2.0]]), upper = true).get(&[0, 1]), 1.0);";

    __linalg_tensorinv(a) [ind = 2] [] => call [keywords::tensorinv]
        "assert_eq!(gpu::linalg::tensorinv!(&gpu::eye::<f64>(6).reshape((6, 2, 3)), ind = 1).shape(), [2, 3, 6]);";
    __linalg_tensorsolve(a, b) [axes] [] => along [linalg::tensorsolve, keywords::tensorsolve]
        "let a = gpu::eye::<f64>(6).reshape((2, 3, 6));\nassert_eq!(gpu::linalg::tensorsolve!(&a, &gpu::ones::<f64>(6), axes = (0, 1)).shape(), [2, 3]);";

    __linalg_toeplitz(c) [r] [] => along [linalg::toeplitz, linalg::toeplitz_with]
        "let t = gpu::linalg::toeplitz!(&gpu::array(&[1, 2]), r = &gpu::array(&[1, 3]));\nassert_eq!(t.get(&[0, 1]), 3);";
    __linalg_hankel(c) [r] [] => along [linalg::hankel, linalg::hankel_with]
        "let h = gpu::linalg::hankel!(&gpu::array(&[1, 2]), r = &gpu::array(&[2, 3]));\nassert_eq!(h.get(&[1, 1]), 3);";
    __linalg_convolution_matrix(a, n) [mode = "full"] [] => call [linalg::convolution_matrix_with]
        "assert_eq!(gpu::linalg::convolution_matrix!(&gpu::arange(3), 5, mode = \"same\").shape(), [5, 5]);";
    __linalg_hadamard(n) [dtype] [] => converted [linalg::hadamard]
        "assert_eq!(gpu::linalg::hadamard!(4, dtype = f32).sum(), 4.0);";
    __linalg_helmert(n) [full = false] [] => call [linalg::helmert_with]
        "assert_eq!(gpu::linalg::helmert!(4, full = true).shape(), [4, 4]);";
    __linalg_dft(n) [scale] [] => along [linalg::dft, linalg::dft_with]
        "assert_eq!(gpu::linalg::dft!(4, scale = \"n\").get(&[0, 0]).re, 0.25);";
    __linalg_solve_triangular(a, b) [trans = 0, lower = false, unit_diagonal = false] [] => call [linalg::solve_triangular_with]
        "let x = gpu::linalg::solve_triangular!(&gpu::eye::<f64>(2), &gpu::ones::<f64>(2), lower = true);\nassert_eq!(x.tolist(), [1.0, 1.0]);";
    __linalg_lu_solve(lu_and_piv, b) [trans = 0] [] => call [linalg::lu_solve_with]
        "let factors = gpu::linalg::lu_factor(&gpu::eye::<f64>(2));\nassert_eq!(gpu::linalg::lu_solve!(&factors, &gpu::ones::<f64>(2), trans = 1).sum(), 2.0);";
    __linalg_cho_factor(a) [lower = false] [] => call [linalg::cho_factor_with]
        "assert!(gpu::linalg::cho_factor!(&gpu::eye::<f64>(2), lower = true).1);";
}
