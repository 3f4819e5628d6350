//! The rows of functions that stand in modules of `gpu`. A macro is always made at the root of the crate, so its name there is
//! `__module_name`, and its module gives it the name by which it is called: `gpu::fft::rfft!`.

functions! { $
    __fft_fft(a) [n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward"] [] => call [fft::fft_with]
        "assert_eq!(gpu::fft::fft!(&gpu::ones::<f64>(3), n = 4).shape(), [4]);";
    __fft_ifft(a) [n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward"] [] => call [fft::ifft_with]
        "assert_eq!(gpu::fft::ifft!(&gpu::ones::<f64>((2, 3)), axis = 0).shape(), [2, 3]);";
    __fft_rfft(a) [n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward"] [] => call [fft::rfft_with]
        "assert_eq!(gpu::fft::rfft!(&gpu::ones::<f64>(4), norm = \"forward\").get(&[0]).re, 1.0);";
    __fft_irfft(a) [n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward"] [] => call [fft::irfft_with]
        "assert_eq!(gpu::fft::irfft!(&gpu::fft::rfft(&gpu::ones::<f64>(5)), n = 5).shape(), [5]);";
    __fft_hfft(a) [n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward"] [] => call [fft::hfft_with]
        "assert_eq!(gpu::fft::hfft!(&gpu::ones::<f64>(3), n = 5).shape(), [5]);";
    __fft_ihfft(a) [n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward"] [] => call [fft::ihfft_with]
        "assert_eq!(gpu::fft::ihfft!(&gpu::ones::<f64>(4), norm = \"ortho\").shape(), [3]);";
    __fft_fft2(a) [s = (::core::option::Option::<[usize; 2]>::None), axes = ((-2, -1)), norm = "backward"] []
        => call [fft::fft2_with] "assert_eq!(gpu::fft::fft2!(&gpu::ones::<f64>((2, 3)), s = [4, 4]).shape(), [4, 4]);";
    __fft_ifft2(a) [s = (::core::option::Option::<[usize; 2]>::None), axes = ((-2, -1)), norm = "backward"] []
        => call [fft::ifft2_with] "assert_eq!(gpu::fft::ifft2!(&gpu::ones::<f64>((2, 3)), axes = (1, 0)).shape(), [2, 3]);";
    __fft_rfft2(a) [s = (::core::option::Option::<[usize; 2]>::None), axes = ((-2, -1)), norm = "backward"] []
        => call [fft::rfft2_with] "assert_eq!(gpu::fft::rfft2!(&gpu::ones::<f64>((2, 3)), norm = \"ortho\").shape(), [2, 2]);";
    __fft_irfft2(a) [s = (::core::option::Option::<[usize; 2]>::None), axes = ((-2, -1)), norm = "backward"] []
        => call [fft::irfft2_with]
        "let a = gpu::fft::rfft2(&gpu::ones::<f64>((2, 3)));\nassert_eq!(gpu::fft::irfft2!(&a, s = [2, 3]).shape(), [2, 3]);";
    __fft_fftn(a) [s, axes, norm = "backward"] [] => axes [fft::fftn_with]
        "assert_eq!(gpu::fft::fftn!(&gpu::ones::<f64>((2, 3)), norm = \"forward\").get(&[0, 0]).re, 1.0);";
    __fft_ifftn(a) [s, axes, norm = "backward"] [] => axes [fft::ifftn_with]
        "assert_eq!(gpu::fft::ifftn!(&gpu::ones::<f64>((2, 3)), axes = 0).shape(), [2, 3]);";
    __fft_rfftn(a) [s, axes, norm = "backward"] [] => axes [fft::rfftn_with]
        "assert_eq!(gpu::fft::rfftn!(&gpu::ones::<f64>((2, 3)), s = (4, 4), axes = (0, 1)).shape(), [4, 3]);";
    __fft_irfftn(a) [s, axes, norm = "backward"] [] => axes [fft::irfftn_with]
        "let a = gpu::fft::rfftn(&gpu::ones::<f64>((2, 3)));\nassert_eq!(gpu::fft::irfftn!(&a, s = (2, 3)).shape(), [2, 3]);";
    __fft_dct(x) [type = 2, n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] []
        => call [fft::dct_with] "assert_eq!(gpu::fft::dct!(&gpu::ones::<f64>((2, 3)), type = 4, n = 5).shape(), [2, 5]);";
    __fft_idct(x) [type = 2, n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] []
        => call [fft::idct_with] "assert_eq!(gpu::fft::idct!(&gpu::ones::<f64>((2, 3)), type = 4, n = 5).shape(), [2, 5]);";
    __fft_dst(x) [type = 2, n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] []
        => call [fft::dst_with] "assert_eq!(gpu::fft::dst!(&gpu::ones::<f64>((2, 3)), type = 4, n = 5).shape(), [2, 5]);";
    __fft_idst(x) [type = 2, n = (::core::option::Option::<usize>::None), axis = (-1), norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] []
        => call [fft::idst_with] "assert_eq!(gpu::fft::idst!(&gpu::ones::<f64>((2, 3)), type = 4, n = 5).shape(), [2, 5]);";
    __fft_dctn(x) [type = 2, s, axes, norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] [] => waves [fft::dctn_with]
        "assert_eq!(gpu::fft::dctn!(&gpu::ones::<f64>((2, 3)), s = (4, 5), norm = \"ortho\").shape(), [4, 5]);";
    __fft_idctn(x) [type = 2, s, axes, norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] [] => waves [fft::idctn_with]
        "assert_eq!(gpu::fft::idctn!(&gpu::ones::<f64>((2, 3)), s = (4, 5), norm = \"ortho\").shape(), [4, 5]);";
    __fft_dstn(x) [type = 2, s, axes, norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] [] => waves [fft::dstn_with]
        "assert_eq!(gpu::fft::dstn!(&gpu::ones::<f64>((2, 3)), s = (4, 5), norm = \"ortho\").shape(), [4, 5]);";
    __fft_idstn(x) [type = 2, s, axes, norm = "backward", orthogonalize = (::core::option::Option::<bool>::None)] [] => waves [fft::idstn_with]
        "assert_eq!(gpu::fft::idstn!(&gpu::ones::<f64>((2, 3)), s = (4, 5), norm = \"ortho\").shape(), [4, 5]);";
    __fft_hfft2(x) [s = (::core::option::Option::<[usize; 2]>::None), axes = ((-2, -1)), norm = "backward"] []
        => call [fft::hfft2_with] "assert_eq!(gpu::fft::hfft2!(&gpu::ones::<f64>((2, 3)), s = [2, 5]).shape(), [2, 5]);";
    __fft_ihfft2(x) [s = (::core::option::Option::<[usize; 2]>::None), axes = ((-2, -1)), norm = "backward"] []
        => call [fft::ihfft2_with] "assert_eq!(gpu::fft::ihfft2!(&gpu::ones::<f64>((2, 3)), axes = (1, 0)).shape(), [2, 3]);";
    __fft_hfftn(x) [s, axes, norm = "backward"] [] => axes [fft::hfftn_with]
        "assert_eq!(gpu::fft::hfftn!(&gpu::ones::<f64>((2, 3)), s = (2, 5)).shape(), [2, 5]);";
    __fft_ihfftn(x) [s, axes, norm = "backward"] [] => axes [fft::ihfftn_with]
        "assert_eq!(gpu::fft::ihfftn!(&gpu::ones::<f64>((2, 3)), norm = \"ortho\").shape(), [2, 2]);";
    __fft_next_fast_len(target) [real = false] [] => call [fft::next_fast_len_with]
        "assert_eq!(gpu::fft::next_fast_len!(7, real = true), 8);";
    __fft_fht(a, dln, mu) [offset = 0.0, bias = 0.0] [] => call [fft::fht_with]
        "assert_eq!(gpu::fft::fht!(&gpu::ones::<f64>((2, 8)), 0.1, 1.0, bias = 0.5).shape(), [2, 8]);";
    __fft_ifht(A, dln, mu) [offset = 0.0, bias = 0.0] [] => call [fft::ifht_with]
        "assert_eq!(gpu::fft::ifht!(&gpu::ones::<f64>(8), 0.1, 1.0, offset = 0.5).shape(), [8]);";
    __fft_fhtoffset(dln, mu) [initial = 0.0, bias = 0.0] [] => call [fft::fhtoffset_with]
        "assert!((gpu::fft::fhtoffset!(0.1, 2.0, initial = 0.5) - 0.5).abs() < 0.1);";
    __fft_fftfreq(n) [d = 1.0] [] => call [fft::fftfreq]
        "assert_eq!(gpu::fft::fftfreq!(4).tolist(), [0.0, 0.25, -0.5, -0.25]);";
    __fft_rfftfreq(n) [d = 1.0] [] => call [fft::rfftfreq]
        "assert_eq!(gpu::fft::rfftfreq!(4, d = 0.5).tolist(), [0.0, 0.5, 1.0]);";
    __fft_fftshift(x) [axes] [] => along [fft::fftshift, fft::fftshift_with]
        "assert_eq!(gpu::fft::fftshift!(&gpu::arange(4), axes = 0).tolist(), [2, 3, 0, 1]);";
    __fft_ifftshift(x) [axes] [] => along [fft::ifftshift, fft::ifftshift_with]
        "assert_eq!(gpu::fft::ifftshift!(&gpu::arange(3)).tolist(), [1, 2, 0]);";

    __special_softmax(x) [axis] [] => along [special::softmax, keywords::softmax]
        "assert_eq!(gpu::special::softmax!(&gpu::ones::<f64>((3, 2)), axis = 1).get(&[0, 0]), 0.5);";
    __special_log_softmax(x) [axis] [] => along [special::log_softmax, keywords::log_softmax]
        "assert_eq!(gpu::special::log_softmax!(&gpu::ones::<f64>((3, 2)), axis = 1).get(&[0, 0]), 0.5f64.ln());";
    __special_logsumexp(a) [axis] [] => along [special::logsumexp, keywords::logsumexp]
        "assert_eq!(gpu::special::logsumexp!(&gpu::zeros::<f64>((3, 2)), axis = 0).shape(), [2]);";

    __special_comb(N, k) [] [repetition = false] => repeated [special::comb, keywords::comb_again]
        "assert_eq!(gpu::special::comb!(3.0, &gpu::array(&[2.0]), repetition = true).tolist(), [6.0]);";

    __interpolate_interp1d(x, y) [kind = "linear", axis = (-1)] [bounds_error = (::core::option::Option::<bool>::None), fill_value = (()), assume_sorted = false]
        => given [interpolate::interp1d_with]
        "let f = gpu::interpolate::interp1d!(&gpu::arange(3.0), &gpu::arange(3.0), fill_value = -1.0);\nassert_eq!(f.eval(&gpu::array(&[5.0])).item(), -1.0);";
    __interpolate_make_interp_spline(x, y) [k = 3, bc_type = "not-a-knot"] [axis = 0] => given [interpolate::make_interp_spline_with]
        "let s = gpu::interpolate::make_interp_spline!(&gpu::arange(5.0), &gpu::arange(5.0), k = 1);\nassert_eq!(s.eval(&gpu::array(&[2.5])).item(), 2.5);";
    __interpolate_CubicSpline(x, y) [axis = 0, bc_type = "not-a-knot", extrapolate = (())] [] => given [interpolate::CubicSpline::with]
        "let x = gpu::arange(4.0f64);\nlet s = gpu::interpolate::CubicSpline!(&x, &x, bc_type = \"natural\", extrapolate = false);\nassert!(s.eval(&gpu::array(&[9.0f64])).item().is_nan());";
    __interpolate_PchipInterpolator(x, y) [axis = 0, extrapolate = (())] [] => given [interpolate::PchipInterpolator::with]
        "let x = gpu::arange(4.0f64);\nlet p = gpu::interpolate::PchipInterpolator!(&x, &x, extrapolate = false);\nassert!(p.eval(&gpu::array(&[9.0f64])).item().is_nan());";
    __interpolate_Akima1DInterpolator(x, y) [axis = 0] [method = "akima", extrapolate = (())] => given [interpolate::Akima1DInterpolator::with]
        "let x = gpu::arange(6.0);\nlet a = gpu::interpolate::Akima1DInterpolator!(&x, &x, method = \"makima\");\nassert_eq!(a.eval(&gpu::array(&[2.5])).item(), 2.5);";
    __interpolate_RegularGridInterpolator(points, values) [method = "linear", bounds_error = true, fill_value = (f64::NAN)] []
        => given [interpolate::RegularGridInterpolator::with]
        "let x = gpu::arange(3.0);\nlet f = gpu::interpolate::RegularGridInterpolator!((&x,), &x, method = \"nearest\");\nassert_eq!(f.eval(&gpu::array(&[1.7])).item(), 2.0);";
    __interpolate_interpn(points, values, xi) [method = "linear", bounds_error = true, fill_value = (f64::NAN)] []
        => given [interpolate::interpn_with]
        "let x = gpu::arange(3.0);\nassert_eq!(gpu::interpolate::interpn!((&x,), &x, &gpu::array(&[5.0]), bounds_error = false, fill_value = -1.0).item(), -1.0);";
    __interpolate_RBFInterpolator(y, d) [smoothing = 0.0, kernel = "thin_plate_spline", epsilon = (::core::option::Option::<f64>::None), degree = (::core::option::Option::<i32>::None)] []
        => given [interpolate::RBFInterpolator::with]
        "let y = gpu::array(&[[0.0], [1.0], [2.0]]);\nlet f = gpu::interpolate::RBFInterpolator!(&y, &gpu::arange(3.0f64), kernel = \"linear\");\nassert!((f.eval(&gpu::array(&[[0.5f64]])).item() - 0.5).abs() < 1e-9);";

    __stats_zscore(a) [axis = 0, ddof = 0] [] => given [stats::zscore_with]
        "assert_eq!(gpu::stats::zscore!(&gpu::array(&[[1.0, 3.0]]), axis = 1).ravel().tolist(), [-1.0, 1.0]);";
    __stats_gzscore(a) [axis = 0, ddof = 0] [] => given [stats::gzscore_with]
        "assert_eq!(gpu::stats::gzscore!(&gpu::ones::<f64>((2, 3)), axis = 1).shape(), [2, 3]);";
    __stats_zmap(scores, compare) [axis = 0, ddof = 0] [] => given [stats::zmap_with]
        "assert_eq!(gpu::stats::zmap!(&gpu::array(&[5.0]), &gpu::array(&[1.0, 3.0]), ddof = 0).tolist(), [3.0]);";
    __stats_entropy(pk) [qk, base = (::core::option::Option::<f64>::None), axis = 0] [] => entropy [stats::entropy_with, stats::relative_entropy]
        "assert_eq!(gpu::stats::entropy!(&gpu::ones::<f64>(4), base = 2.0).item(), 2.0);";
    __stats_trim_mean(a, proportiontocut) [axis = 0] [] => given [stats::trim_mean_with]
        "assert_eq!(gpu::stats::trim_mean!(&gpu::ones::<f64>((2, 4)), 0.25, axis = 1).shape(), [2]);";
    __stats_tmean(a) [limits = (()), inclusive = ((true, true))] [] => given [stats::tmean_with]
        "assert_eq!(gpu::stats::tmean!(&gpu::arange(5.0), limits = (1.0, 3.0), inclusive = (false, true)).item(), 2.5);";
    __stats_tvar(a) [limits = (()), inclusive = ((true, true)), axis = 0, ddof = 1] [] => given [stats::tvar_with]
        "assert_eq!(gpu::stats::tvar!(&gpu::arange(5.0), limits = (1.0, 3.0)).item(), 1.0);";
    __stats_tstd(a) [limits = (()), inclusive = ((true, true)), axis = 0, ddof = 1] [] => given [stats::tstd_with]
        "assert_eq!(gpu::stats::tstd!(&gpu::arange(5.0), limits = (1.0, 3.0)).item(), 1.0);";
    __stats_tsem(a) [limits = (()), inclusive = ((true, true)), axis = 0, ddof = 1] [] => given [stats::tsem_with]
        "assert_eq!(gpu::stats::tsem!(&gpu::arange(4.0), limits = (1.0, 2.0)).item(), 0.5);";
    __stats_tmin(a) [lowerlimit = (::core::option::Option::<f64>::None), axis = 0, inclusive = true] [] => given [stats::tmin_with]
        "assert_eq!(gpu::stats::tmin!(&gpu::arange(5.0), lowerlimit = 2.0, inclusive = false).item(), 3.0);";
    __stats_tmax(a) [upperlimit = (::core::option::Option::<f64>::None), axis = 0, inclusive = true] [] => given [stats::tmax_with]
        "assert_eq!(gpu::stats::tmax!(&gpu::arange(5.0), upperlimit = 2.0).item(), 2.0);";
    __stats_gmean(a) [axis = 0] [] => given [stats::gmean_with]
        "assert_eq!(gpu::stats::gmean!(&gpu::ones::<f64>((2, 3)), axis = 1).tolist(), [1.0, 1.0]);";
    __stats_hmean(a) [axis = 0] [] => given [stats::hmean_with]
        "assert_eq!(gpu::stats::hmean!(&gpu::ones::<f64>((2, 3)), axis = 1).tolist(), [1.0, 1.0]);";
    __stats_pmean(a, p) [axis = 0] [] => given [stats::pmean_with]
        "assert_eq!(gpu::stats::pmean!(&gpu::ones::<f64>((2, 3)), 2.0, axis = 1).tolist(), [1.0, 1.0]);";
    __stats_moment(a) [order = 1, axis = 0, center = (::core::option::Option::<f64>::None)] [] => given [stats::moment_with]
        "assert_eq!(gpu::stats::moment!(&gpu::array(&[1.0, 3.0]), order = 2, center = 0.0).item(), 5.0);";
    __stats_skew(a) [axis = 0, bias = true] [] => given [stats::skew_with]
        "assert_eq!(gpu::stats::skew!(&gpu::array(&[1.0, 2.0, 3.0]), bias = false).item(), 0.0);";
    __stats_kurtosis(a) [axis = 0, fisher = true, bias = true] [] => given [stats::kurtosis_with]
        "assert_eq!(gpu::stats::kurtosis!(&gpu::array(&[-1.0, 1.0]), fisher = false).item(), 1.0);";
    __stats_sem(a) [axis = 0, ddof = 1] [] => given [stats::sem_with]
        "assert_eq!(gpu::stats::sem!(&gpu::array(&[1.0, 1.0, 3.0, 3.0]), ddof = 0).item(), 0.5);";
    __stats_variation(a) [axis = 0, ddof = 0] [] => given [stats::variation_with]
        "assert_eq!(gpu::stats::variation!(&gpu::array(&[1.0, 3.0]), ddof = 1).item(), 0.5 * 2f64.sqrt());";
    __stats_iqr(x) [rng = ((25.0, 75.0)), scale = 1.0] [] => given [stats::iqr_with]
        "assert_eq!(gpu::stats::iqr!(&gpu::arange(5.0), rng = (0.0, 100.0)).item(), 4.0);";
    __stats_median_abs_deviation(x) [axis = 0, scale = 1.0] [] => given [stats::median_abs_deviation_with]
        "assert_eq!(gpu::stats::median_abs_deviation!(&gpu::arange(5.0), scale = 0.5).item(), 2.0);";
    __stats_describe(a) [axis = 0, ddof = 1, bias = true] [] => given [stats::describe_with]
        "assert_eq!(gpu::stats::describe!(&gpu::arange(5.0), ddof = 0).variance.item(), 2.0);";
    __stats_rankdata(a) [method = "average"] [] => given [stats::rankdata_with]
        "assert_eq!(gpu::stats::rankdata!(&gpu::array(&[2.0, 2.0]), method = \"min\").tolist(), [1.0, 1.0]);";
    __stats_mode(a) [axis = 0] [] => given [stats::mode_with]
        "assert_eq!(gpu::stats::mode!(&gpu::ones::<f64>((2, 3)), axis = 1).count.tolist(), [3, 3]);";
    __stats_ks_2samp(data1, data2) [alternative = "two-sided", method = "auto"] [] => given [stats::ks_2samp_with]
        "assert_eq!(gpu::stats::ks_2samp!(&gpu::arange(8.0), &gpu::arange(8.0), alternative = \"less\").pvalue, 1.0);";
    __stats_ttest_ind(a, b) [axis = 0, equal_var = true] [] => given [stats::ttest_ind_with]
        "assert_eq!(gpu::stats::ttest_ind!(&gpu::arange(3.0), &gpu::arange(3.0), equal_var = false).df.item(), 4.0);";
    __stats_chisquare(f_obs) [f_exp, ddof = 0] [] => counts [stats::chisquare, stats::chisquare_with]
        "assert_eq!(gpu::stats::chisquare!(&gpu::ones::<f64>(4), f_exp = &gpu::ones::<f64>(4)).statistic, 0.0);";

    __spatial_distance_cdist(XA, XB) [metric = "euclidean"] [p = 2.0] => given [spatial::distance::cdist_with]
        "let a = gpu::array(&[[0.0, 0.0], [3.0, 4.0]]);\nassert_eq!(gpu::spatial::distance::cdist!(&a, &a, \"cityblock\").get(&[0, 1]), 7.0);";
    __spatial_distance_pdist(X) [metric = "euclidean"] [p = 2.0] => given [spatial::distance::pdist_with]
        "let a = gpu::array(&[[0.0, 0.0], [3.0, 4.0]]);\nassert_eq!(gpu::spatial::distance::pdist!(&a, metric = \"minkowski\", p = 1.0).item(), 7.0);";
    __spatial_distance_minkowski(u, v) [p = 2.0] [] => given [spatial::distance::minkowski_with]
        "assert_eq!(gpu::spatial::distance::minkowski!(&gpu::array(&[0.0]), &gpu::array(&[2.0]), p = 3.0), 2.0);";
    __spatial_distance_matrix(x, y) [p = 2.0] [] => given [spatial::distance_matrix_with]
        "let a = gpu::array(&[[0.0, 0.0], [3.0, 4.0]]);\nassert_eq!(gpu::spatial::distance_matrix!(&a, &a, p = 1.0).get(&[0, 1]), 7.0);";

    __optimize_minimize(fun, x0) [jac, method = "L-BFGS-B", tol = (::core::option::Option::<f64>::None), maxiter = (::core::option::Option::<usize>::None)] []
        => minimize [optimize::minimize_with, optimize::minimize_with_jac]
        "let best = gpu::optimize::minimize!(|x| (x[0] - 3.0).powi(2), &[0.0], jac = |x| [2.0 * (x[0] - 3.0)], tol = 1e-10);\nassert!((best.x[0] - 3.0).abs() < 1e-8);";
    __optimize_minimize_scalar(fun) [bounds, tol = (::core::option::Option::<f64>::None), maxiter = 500] []
        => bounded [optimize::minimize_scalar_with, optimize::minimize_scalar_bounded]
        "assert!((gpu::optimize::minimize_scalar!(|x| (x - 3.0).powi(2), bounds = (0.0, 5.0)).x - 3.0).abs() < 1e-5);";
    __optimize_root(fun, x0) [tol = (::core::option::Option::<f64>::None)] [] => given [optimize::root_with]
        "assert!((gpu::optimize::root!(|x| [x[0] * x[0] - 4.0], &[1.0], tol = 1e-12).x[0] - 2.0).abs() < 1e-10);";
    __optimize_least_squares(fun, x0) [ftol = 1e-8, xtol = 1e-8, gtol = 1e-8, max_nfev = (::core::option::Option::<usize>::None)] []
        => given [optimize::least_squares_with]
        "assert!((gpu::optimize::least_squares!(|p| [p[0] - 4.0], &[1.0], ftol = 1e-12).x[0] - 4.0).abs() < 1e-8);";
    __optimize_curve_fit(f, xdata, ydata, p0) [sigma, absolute_sigma = false] [] => fit [optimize::curve_fit, optimize::curve_fit_with]
        "let x = gpu::arange(5.0);\nlet (p, _) = gpu::optimize::curve_fit!(|x, p| x * p[0], &x, &(&x * 2.0), &[1.0], sigma = &gpu::ones::<f64>(5));\nassert!((p[0] - 2.0).abs() < 1e-8);";
    __optimize_brentq(f, a, b) [xtol = 2e-12, rtol = 8.881784197001252e-16, maxiter = 100] [] => given [optimize::brentq_with]
        "assert!((gpu::optimize::brentq!(|x| x * x - 4.0, 0.0, 5.0, xtol = 1e-3) - 2.0).abs() < 1e-3);";
    __optimize_bisect(f, a, b) [xtol = 2e-12, rtol = 8.881784197001252e-16, maxiter = 100] [] => given [optimize::bisect_with]
        "assert!((gpu::optimize::bisect!(|x| x * x - 4.0, 0.0, 5.0, xtol = 1e-3) - 2.0).abs() < 1e-3);";
    __optimize_ridder(f, a, b) [xtol = 2e-12, rtol = 8.881784197001252e-16, maxiter = 100] [] => given [optimize::ridder_with]
        "assert!((gpu::optimize::ridder!(|x| x * x - 4.0, 0.0, 5.0, xtol = 1e-3) - 2.0).abs() < 1e-3);";
    __optimize_newton(func, x0) [fprime, tol = 1.48e-8, maxiter = 50] [] => newton [optimize::newton_with, optimize::newton_with_fprime]
        "assert!((gpu::optimize::newton!(|x| x * x - 4.0, 1.0, fprime = |x| 2.0 * x) - 2.0).abs() < 1e-8);";
    __optimize_root_scalar(f) [bracket, method = "brentq", xtol = 2e-12, rtol = 8.881784197001252e-16, maxiter = 100] [] => given [optimize::root_scalar_with]
        "assert!((gpu::optimize::root_scalar!(|x| x * x - 4.0, bracket = (0.0, 5.0)).root - 2.0).abs() < 1e-10);";

    __random_random() [size = ()] [] => call [random::random]
        "assert_eq!(gpu::random::random!(size = (2, 3)).shape(), [2, 3]);";
    __random_uniform() [low = 0.0f64, high = 1.0f64, size = ()] [] => call [random::uniform]
        "assert!(gpu::random::uniform!(5.0, 6.0, size = 10).min() >= 5.0);";
    __random_normal() [loc = 0.0f64, scale = 1.0f64, size = ()] [] => call [random::normal]
        "assert_eq!(gpu::random::normal!(size = (2, 3)).shape(), [2, 3]);";
    __random_exponential() [scale = 1.0f64, size = ()] [] => call [random::exponential]
        "assert_eq!(gpu::random::exponential!(scale = 2.0, size = 4).shape(), [4]);";
    __random_integers(low) [high, size = (), dtype, endpoint = false] [] => integers [random::integers]
        "assert!(gpu::random::integers!(0, 9, size = 100).max() < 9);\nassert_eq!(gpu::random::integers!(3, 3, size = 2, endpoint = true).tolist(), [3, 3]);";
    __random_choice(a) [size = (), replace = true, p] [] => choice [random::choice, random::choice_with]
        "assert_eq!(gpu::random::choice!(&gpu::arange(5), size = 5, replace = false).shape(), [5]);";
    __random_beta(a, b) [size = ()] [] => call [random::beta]
        "assert_eq!(gpu::random::beta!(1.0, 2.0, size = 4).shape(), [4]);";
    __random_binomial(n, p) [size = ()] [] => call [random::binomial]
        "assert_eq!(gpu::random::binomial!(10, 0.5, size = 4).shape(), [4]);";
    __random_chisquare(df) [size = ()] [] => call [random::chisquare]
        "assert_eq!(gpu::random::chisquare!(3.0, size = 4).shape(), [4]);";
    __random_dirichlet(alpha) [size = ()] [] => call [random::dirichlet]
        "assert_eq!(gpu::random::dirichlet!(&gpu::ones::<f64>(3), size = 4).shape(), [4, 3]);";
    __random_f(dfnum, dfden) [size = ()] [] => call [random::f]
        "assert_eq!(gpu::random::f!(3.0, 5.0, size = 4).shape(), [4]);";
    __random_gamma(shape) [scale = 1.0, size = ()] [] => call [random::gamma]
        "assert_eq!(gpu::random::gamma!(2.0, scale = 0.5, size = 4).shape(), [4]);";
    __random_geometric(p) [size = ()] [] => call [random::geometric]
        "assert_eq!(gpu::random::geometric!(0.5, size = 4).shape(), [4]);";
    __random_gumbel() [loc = 0.0, scale = 1.0, size = ()] [] => call [random::gumbel]
        "assert_eq!(gpu::random::gumbel!(0.0, scale = 2.0, size = 4).shape(), [4]);";
    __random_hypergeometric(ngood, nbad, nsample) [size = ()] [] => call [random::hypergeometric]
        "assert_eq!(gpu::random::hypergeometric!(5, 4, 3, size = 4).shape(), [4]);";
    __random_laplace() [loc = 0.0, scale = 1.0, size = ()] [] => call [random::laplace]
        "assert_eq!(gpu::random::laplace!(0.0, scale = 2.0, size = 4).shape(), [4]);";
    __random_logistic() [loc = 0.0, scale = 1.0, size = ()] [] => call [random::logistic]
        "assert_eq!(gpu::random::logistic!(0.0, scale = 2.0, size = 4).shape(), [4]);";
    __random_lognormal() [mean = 0.0, sigma = 1.0, size = ()] [] => call [random::lognormal]
        "assert_eq!(gpu::random::lognormal!(sigma = 0.5, size = 4).shape(), [4]);";
    __random_logseries(p) [size = ()] [] => call [random::logseries]
        "assert_eq!(gpu::random::logseries!(0.5, size = 4).shape(), [4]);";
    __random_multinomial(n, pvals) [size = ()] [] => call [random::multinomial]
        "assert_eq!(gpu::random::multinomial!(9, &gpu::array(&[0.5, 0.5])).sum(), 9);";
    __random_multivariate_normal(mean, cov) [size = ()] [] => call [random::multivariate_normal]
        "assert_eq!(gpu::random::multivariate_normal!(&gpu::zeros::<f64>(2), &gpu::eye::<f64>(2), size = 4).shape(), [4, 2]);";
    __random_negative_binomial(n, p) [size = ()] [] => call [random::negative_binomial]
        "assert_eq!(gpu::random::negative_binomial!(3.0, 0.5, size = 4).shape(), [4]);";
    __random_noncentral_chisquare(df, nonc) [size = ()] [] => call [random::noncentral_chisquare]
        "assert_eq!(gpu::random::noncentral_chisquare!(3.0, 1.0, size = 4).shape(), [4]);";
    __random_noncentral_f(dfnum, dfden, nonc) [size = ()] [] => call [random::noncentral_f]
        "assert_eq!(gpu::random::noncentral_f!(3.0, 5.0, 1.0, size = 4).shape(), [4]);";
    __random_pareto(a) [size = ()] [] => call [random::pareto]
        "assert_eq!(gpu::random::pareto!(3.0, size = 4).shape(), [4]);";
    __random_poisson() [lam = 1.0, size = ()] [] => call [random::poisson]
        "assert_eq!(gpu::random::poisson!(lam = 4.0, size = 4).shape(), [4]);";
    __random_power(a) [size = ()] [] => call [random::power]
        "assert_eq!(gpu::random::power!(3.0, size = 4).shape(), [4]);";
    __random_randint(low) [high, size = (), dtype] [] => randint [random::randint]
        "assert!(gpu::random::randint!(9, size = 100).max() < 9);\nassert_eq!(gpu::random::randint!(1, &gpu::array(&[2, 20]), dtype = u8).shape(), [2]);";
    __random_random_sample() [size = ()] [] => call [random::random_sample]
        "assert_eq!(gpu::random::random_sample!(size = 4).shape(), [4]);";
    __random_ranf() [size = ()] [] => call [random::ranf]
        "assert_eq!(gpu::random::ranf!(size = 4).shape(), [4]);";
    __random_rayleigh() [scale = 1.0, size = ()] [] => call [random::rayleigh]
        "assert_eq!(gpu::random::rayleigh!(scale = 2.0, size = 4).shape(), [4]);";
    __random_sample() [size = ()] [] => call [random::sample]
        "assert_eq!(gpu::random::sample!(size = 4).shape(), [4]);";
    __random_standard_cauchy() [size = ()] [] => call [random::standard_cauchy]
        "assert_eq!(gpu::random::standard_cauchy!(size = 4).shape(), [4]);";
    __random_standard_exponential() [size = ()] [] => call [random::standard_exponential]
        "assert_eq!(gpu::random::standard_exponential!(size = 4).shape(), [4]);";
    __random_standard_gamma(shape) [size = ()] [] => call [random::standard_gamma]
        "assert_eq!(gpu::random::standard_gamma!(2.0, size = 4).shape(), [4]);";
    __random_standard_normal() [size = ()] [] => call [random::standard_normal]
        "assert_eq!(gpu::random::standard_normal!(size = 4).shape(), [4]);";
    __random_standard_t(df) [size = ()] [] => call [random::standard_t]
        "assert_eq!(gpu::random::standard_t!(3.0, size = 4).shape(), [4]);";
    __random_triangular(left, mode, right) [size = ()] [] => call [random::triangular]
        "assert_eq!(gpu::random::triangular!(0.0, 1.0, 2.0, size = 4).shape(), [4]);";
    __random_vonmises(mu, kappa) [size = ()] [] => call [random::vonmises]
        "assert_eq!(gpu::random::vonmises!(0.0, 2.0, size = 4).shape(), [4]);";
    __random_wald(mean, scale) [size = ()] [] => call [random::wald]
        "assert_eq!(gpu::random::wald!(1.0, 2.0, size = 4).shape(), [4]);";
    __random_weibull(a) [size = ()] [] => call [random::weibull]
        "assert_eq!(gpu::random::weibull!(2.0, size = 4).shape(), [4]);";
    __random_zipf(a) [size = ()] [] => call [random::zipf]
        "assert_eq!(gpu::random::zipf!(2.0, size = 4).shape(), [4]);";

    __signal_windows_barthann(M) [sym = true] [] => given [signal::windows::barthann_with]
        "assert_eq!(gpu::signal::windows::barthann!(5, sym = false).shape(), [5]);";
    __signal_windows_bartlett(M) [sym = true] [] => given [signal::windows::bartlett_with]
        "assert_eq!(gpu::signal::windows::bartlett!(5, sym = false).shape(), [5]);";
    __signal_windows_blackman(M) [sym = true] [] => given [signal::windows::blackman_with]
        "assert_eq!(gpu::signal::windows::blackman!(5, sym = false).shape(), [5]);";
    __signal_windows_blackmanharris(M) [sym = true] [] => given [signal::windows::blackmanharris_with]
        "assert_eq!(gpu::signal::windows::blackmanharris!(5, sym = false).shape(), [5]);";
    __signal_windows_bohman(M) [sym = true] [] => given [signal::windows::bohman_with]
        "assert_eq!(gpu::signal::windows::bohman!(5, sym = false).shape(), [5]);";
    __signal_windows_boxcar(M) [sym = true] [] => given [signal::windows::boxcar_with]
        "assert_eq!(gpu::signal::windows::boxcar!(5, sym = false).shape(), [5]);";
    __signal_windows_chebwin(M, at) [sym = true] [] => given [signal::windows::chebwin_with]
        "assert_eq!(gpu::signal::windows::chebwin!(5, 100.0, sym = false).shape(), [5]);";
    __signal_windows_cosine(M) [sym = true] [] => given [signal::windows::cosine_with]
        "assert_eq!(gpu::signal::windows::cosine!(5, sym = false).shape(), [5]);";
    __signal_windows_exponential(M) [center = (::core::option::Option::<f64>::None), tau = 1.0, sym = true] [] => given [signal::windows::exponential_with]
        "assert_eq!(gpu::signal::windows::exponential!(5, tau = 2.0).shape(), [5]);";
    __signal_windows_flattop(M) [sym = true] [] => given [signal::windows::flattop_with]
        "assert_eq!(gpu::signal::windows::flattop!(5, sym = false).shape(), [5]);";
    __signal_windows_gaussian(M, std) [sym = true] [] => given [signal::windows::gaussian_with]
        "assert_eq!(gpu::signal::windows::gaussian!(5, 1.5, sym = false).shape(), [5]);";
    __signal_windows_general_cosine(M, a) [sym = true] [] => given [signal::windows::general_cosine_with]
        "assert_eq!(gpu::signal::windows::general_cosine!(5, &[0.5, 0.5], sym = false).shape(), [5]);";
    __signal_windows_general_gaussian(M, p, sig) [sym = true] [] => given [signal::windows::general_gaussian_with]
        "assert_eq!(gpu::signal::windows::general_gaussian!(5, 1.5, 2.0, sym = false).shape(), [5]);";
    __signal_windows_general_hamming(M, alpha) [sym = true] [] => given [signal::windows::general_hamming_with]
        "assert_eq!(gpu::signal::windows::general_hamming!(5, 0.6, sym = false).shape(), [5]);";
    __signal_windows_hamming(M) [sym = true] [] => given [signal::windows::hamming_with]
        "assert_eq!(gpu::signal::windows::hamming!(5, sym = false).shape(), [5]);";
    __signal_windows_hann(M) [sym = true] [] => given [signal::windows::hann_with]
        "assert_eq!(gpu::signal::windows::hann!(5, sym = false).shape(), [5]);";
    __signal_windows_kaiser(M, beta) [sym = true] [] => given [signal::windows::kaiser_with]
        "assert_eq!(gpu::signal::windows::kaiser!(5, 8.0, sym = false).shape(), [5]);";
    __signal_windows_lanczos(M) [sym = true] [] => given [signal::windows::lanczos_with]
        "assert_eq!(gpu::signal::windows::lanczos!(5, sym = false).shape(), [5]);";
    __signal_windows_nuttall(M) [sym = true] [] => given [signal::windows::nuttall_with]
        "assert_eq!(gpu::signal::windows::nuttall!(5, sym = false).shape(), [5]);";
    __signal_windows_parzen(M) [sym = true] [] => given [signal::windows::parzen_with]
        "assert_eq!(gpu::signal::windows::parzen!(5, sym = false).shape(), [5]);";
    __signal_windows_taylor(M) [nbar = 4, sll = 30.0, norm = true, sym = true] [] => given [signal::windows::taylor_with]
        "assert_eq!(gpu::signal::windows::taylor!(5, sll = 40.0, norm = false).shape(), [5]);";
    __signal_windows_triang(M) [sym = true] [] => given [signal::windows::triang_with]
        "assert_eq!(gpu::signal::windows::triang!(5, sym = false).shape(), [5]);";
    __signal_windows_tukey(M) [alpha = 0.5, sym = true] [] => given [signal::windows::tukey_with]
        "assert_eq!(gpu::signal::windows::tukey!(5, alpha = 0.25).shape(), [5]);";
    __signal_windows_kaiser_bessel_derived(M, beta) [sym = true] [] => given [signal::windows::kaiser_bessel_derived_with]
        "assert_eq!(gpu::signal::windows::kaiser_bessel_derived!(6, 4.0).shape(), [6]);";
    __signal_get_window(window, Nx) [fftbins = true] [] => given [signal::get_window_with]
        "assert_eq!(gpu::signal::get_window!(\"hann\", 8, fftbins = false).shape(), [8]);";
    __signal_butter(N, Wn) [btype = "low", analog = false, output = "ba"] [fs = (::core::option::Option::<f64>::None)]
        => design [signal::butter_with, signal::butter_zpk, signal::butter_sos]
        "assert_eq!(gpu::signal::butter!(4, 20.0, output = \"sos\", fs = 100.0).shape(), [2, 6]);";
    __signal_cheby1(N, rp, Wn) [btype = "low", analog = false, output = "ba"] [fs = (::core::option::Option::<f64>::None)]
        => design [signal::cheby1_with, signal::cheby1_zpk, signal::cheby1_sos]
        "assert_eq!(gpu::signal::cheby1!(4, 1.0, 20.0, output = \"sos\", fs = 100.0).shape(), [2, 6]);";
    __signal_cheby2(N, rs, Wn) [btype = "low", analog = false, output = "ba"] [fs = (::core::option::Option::<f64>::None)]
        => design [signal::cheby2_with, signal::cheby2_zpk, signal::cheby2_sos]
        "assert_eq!(gpu::signal::cheby2!(4, 40.0, 20.0, output = \"sos\", fs = 100.0).shape(), [2, 6]);";
    __signal_ellip(N, rp, rs, Wn) [btype = "low", analog = false, output = "ba"] [fs = (::core::option::Option::<f64>::None)]
        => design [signal::ellip_with, signal::ellip_zpk, signal::ellip_sos]
        "assert_eq!(gpu::signal::ellip!(4, 1.0, 40.0, 20.0, output = \"sos\", fs = 100.0).shape(), [2, 6]);";
    __signal_firwin2(numtaps, freq, gain) [] [nfreqs = (::core::option::Option::<usize>::None), window = "hamming", antisymmetric = false, fs = (::core::option::Option::<f64>::None)]
        => given [signal::firwin2_with]
        "assert_eq!(gpu::signal::firwin2!(8, &[0.0, 50.0], &[1.0, 0.0], window = \"hann\", fs = 100.0).shape(), [8]);";
    __signal_firwin(numtaps, cutoff) [] [width = (::core::option::Option::<f64>::None), window = "hamming", pass_zero = true, scale = true, fs = (::core::option::Option::<f64>::None)]
        => given [signal::firwin_with]
        "assert_eq!(gpu::signal::firwin!(31, 20.0, window = \"hann\", fs = 100.0).shape(), [31]);";
    __signal_freqz(b) [a = 1.0, worN = 512usize, whole = false] [fs = (::core::f64::consts::TAU), include_nyquist = false]
        => given [signal::freqz_with]
        "assert_eq!(gpu::signal::freqz!(&[0.5, 0.5], worN = 16, whole = true).1.shape(), [16]);";
    __signal_sosfreqz(sos) [worN = 512usize, whole = false, fs = (::core::f64::consts::TAU)] [] => given [signal::sosfreqz_with]
        "assert_eq!(gpu::signal::sosfreqz!(&[[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]], worN = 16).1.shape(), [16]);";
    __signal_lfilter(b, a, x) [axis = (-1), zi] [] => filtered [signal::lfilter_with, signal::lfilter_from]
        "assert_eq!(gpu::signal::lfilter!(1.0, &[1.0, -0.5], &gpu::ones::<f64>((2, 3)), axis = 0).shape(), [2, 3]);";
    __signal_sosfilt(sos, x) [axis = (-1), zi] [] => filtered [signal::sosfilt_with, signal::sosfilt_from]
        "let x = gpu::ones::<f64>((2, 3));\nassert_eq!(gpu::signal::sosfilt!(&[[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]], &x, axis = 0).shape(), [2, 3]);";
    __signal_filtfilt(b, a, x) [axis = (-1), padtype = "odd", padlen = (::core::option::Option::<usize>::None)] [] => given [signal::filtfilt_with]
        "assert_eq!(gpu::signal::filtfilt!(1.0, &[1.0, -0.5], &gpu::ones::<f64>((2, 30)), padtype = \"even\").shape(), [2, 30]);";
    __signal_sosfiltfilt(sos, x) [axis = (-1), padtype = "odd", padlen = (::core::option::Option::<usize>::None)] [] => given [signal::sosfiltfilt_with]
        "let x = gpu::ones::<f64>((2, 30));\nassert_eq!(gpu::signal::sosfiltfilt!(&[[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]], &x, padlen = 3).shape(), [2, 30]);";
    __signal_welch(x) [fs = 1.0, window = "hann", nperseg = (::core::option::Option::<usize>::None), noverlap = (::core::option::Option::<usize>::None), nfft = (::core::option::Option::<usize>::None), detrend = "constant", return_onesided = true, scaling = "density", axis = (-1), average = "mean"] []
        => given [signal::welch_with]
        "assert_eq!(gpu::signal::welch!(&gpu::ones::<f64>(64), nperseg = 16).1.shape(), [9]);";
    __signal_csd(x, y) [fs = 1.0, window = "hann", nperseg = (::core::option::Option::<usize>::None), noverlap = (::core::option::Option::<usize>::None), nfft = (::core::option::Option::<usize>::None), detrend = "constant", return_onesided = true, scaling = "density", axis = (-1), average = "mean"] []
        => given [signal::csd_with]
        "assert_eq!(gpu::signal::csd!(&gpu::ones::<f64>(64), &gpu::ones::<f64>(64), nperseg = 16).1.shape(), [9]);";
    __signal_coherence(x, y) [fs = 1.0, window = "hann", nperseg = (::core::option::Option::<usize>::None), noverlap = (::core::option::Option::<usize>::None), nfft = (::core::option::Option::<usize>::None), detrend = "constant", axis = (-1)] []
        => given [signal::coherence_with]
        "assert_eq!(gpu::signal::coherence!(&gpu::ones::<f64>(64), &gpu::ones::<f64>(64), nperseg = 16).1.shape(), [9]);";
    __signal_periodogram(x) [fs = 1.0, window = "boxcar", nfft = (::core::option::Option::<usize>::None), detrend = "constant", return_onesided = true, scaling = "density", axis = (-1)] []
        => given [signal::periodogram_with]
        "assert_eq!(gpu::signal::periodogram!(&gpu::ones::<f64>(64), nfft = 100).1.shape(), [51]);";
    __signal_spectrogram(x) [fs = 1.0, window = (("tukey", 0.25)), nperseg = (::core::option::Option::<usize>::None), noverlap = (::core::option::Option::<usize>::None), nfft = (::core::option::Option::<usize>::None), detrend = "constant", return_onesided = true, scaling = "density", axis = (-1), mode = "psd"] []
        => given [signal::spectrogram_with]
        "assert_eq!(gpu::signal::spectrogram!(&gpu::ones::<f64>(64), nperseg = 16, noverlap = 8).2.shape(), [9, 7]);";
    __signal_stft(x) [fs = 1.0, window = "hann", nperseg = 256, noverlap = (::core::option::Option::<usize>::None), nfft = (::core::option::Option::<usize>::None), detrend = "none", return_onesided = true, boundary = "zeros", padded = true, axis = (-1), scaling = "spectrum"] []
        => given [signal::stft_with]
        "assert_eq!(gpu::signal::stft!(&gpu::ones::<f64>(64), nperseg = 16, boundary = \"none\").2.shape(), [9, 7]);";
    __signal_istft(Zxx) [fs = 1.0, window = "hann", nperseg = (::core::option::Option::<usize>::None), noverlap = (::core::option::Option::<usize>::None), nfft = (::core::option::Option::<usize>::None), input_onesided = true, boundary = true, time_axis = (-1), freq_axis = (-2), scaling = "spectrum"] []
        => given [signal::istft_with]
        "assert_eq!(gpu::signal::istft!(&gpu::ones::<f64>((9, 7)), nperseg = 16).1.shape(), [48]);";
    __signal_detrend(data) [axis = (-1), type = "linear", bp = 0usize] []
        => given [signal::detrend_with]
        "assert_eq!(gpu::signal::detrend!(&gpu::ones::<f64>((2, 8)), axis = 0).shape(), [2, 8]);";
    __signal_hilbert(x) [N = (::core::option::Option::<usize>::None), axis = (-1)] []
        => given [signal::hilbert_with]
        "assert_eq!(gpu::signal::hilbert!(&gpu::ones::<f64>(6), N = 8).shape(), [8]);";
    __signal_resample(x, num) [axis = 0] []
        => given [signal::resample_with]
        "assert_eq!(gpu::signal::resample!(&gpu::ones::<f64>((2, 8)), 4, axis = 1).shape(), [2, 4]);";
    __signal_upfirdn(h, x) [up = 1, down = 1, axis = (-1)] []
        => given [signal::upfirdn_with]
        "assert_eq!(gpu::signal::upfirdn!(&[1.0, 1.0], &gpu::ones::<f64>(8), up = 2).shape(), [16]);";
    __signal_resample_poly(x, up, down) [axis = 0, window = (("kaiser", 5.0)), padtype = "constant"] []
        => given [signal::resample_poly_with]
        "assert_eq!(gpu::signal::resample_poly!(&gpu::ones::<f64>((2, 8)), 3, 2, axis = 1).shape(), [2, 12]);";
    __signal_decimate(x, q) [n = (::core::option::Option::<usize>::None), ftype = "iir", axis = (-1), zero_phase = true] []
        => given [signal::decimate_with]
        "assert_eq!(gpu::signal::decimate!(&gpu::ones::<f64>(40), 4, ftype = \"fir\").shape(), [10]);";
    __signal_savgol_coeffs(window_length, polyorder) [deriv = 0, delta = 1.0, pos = (::core::option::Option::<f64>::None), use = "conv"] []
        => given [signal::savgol_coeffs_with]
        "assert_eq!(gpu::signal::savgol_coeffs!(5, 2, deriv = 1).shape(), [5]);";
    __signal_savgol_filter(x, window_length, polyorder) [deriv = 0, delta = 1.0, axis = (-1), mode = "interp", cval = 0.0] []
        => given [signal::savgol_filter_with]
        "assert_eq!(gpu::signal::savgol_filter!(&gpu::ones::<f64>(9), 5, 2, mode = \"wrap\").shape(), [9]);";
    __signal_medfilt2d(input) [kernel_size = 3] []
        => given [signal::medfilt2d_with]
        "assert_eq!(gpu::signal::medfilt2d!(&gpu::ones::<f64>((4, 5)), kernel_size = [3, 1]).shape(), [4, 5]);";
    __signal_lombscargle(x, y, freqs) [] [normalize, weights, floating_mean] => options [signal::lombscargle_with]
        "let t = gpu::arange(9.0);\nassert!(gpu::signal::lombscargle!(&t, &t.sin(), &gpu::array(&[1.0]), normalize = true).item() < 1.01);";
    __signal_max_len_seq(nbits) [] [state, length, taps] => options [signal::max_len_seq_with]
        "assert_eq!(gpu::signal::max_len_seq!(5, state = &[0, 1, 1, 0, 1], length = 3).0.tolist(), [0, 1, 1]);";
    __signal_medfilt(volume) [kernel_size = 3] []
        => given [signal::medfilt_with]
        "assert_eq!(gpu::signal::medfilt!(&gpu::ones::<f64>((4, 5)), kernel_size = [3, 1]).shape(), [4, 5]);";
    __signal_wiener(im) [mysize = 3, noise = (::core::option::Option::<f64>::None)] []
        => given [signal::wiener_with]
        "assert_eq!(gpu::signal::wiener!(&gpu::ones::<f64>(9), mysize = 5).shape(), [9]);";
    __signal_convolve(in1, in2) [mode = "full"] []
        => call [signal::convolve_with]
        "assert_eq!(gpu::signal::convolve!(&gpu::ones::<f64>(5), &gpu::ones::<f64>(3), mode = \"valid\").shape(), [3]);";
    __signal_correlate(in1, in2) [mode = "full"] []
        => call [signal::correlate_with]
        "assert_eq!(gpu::signal::correlate!(&gpu::ones::<f64>(5), &gpu::ones::<f64>(3), mode = \"valid\").shape(), [3]);";
    __signal_fftconvolve(in1, in2) [mode = "full", axes] []
        => convolved [signal::fftconvolve_with, signal::fftconvolve_axes]
        "assert_eq!(gpu::signal::fftconvolve!(&gpu::ones::<f64>(5), &gpu::ones::<f64>(3), mode = \"valid\").shape(), [3]);";
    __signal_oaconvolve(in1, in2) [mode = "full", axes] []
        => convolved [signal::oaconvolve_with, signal::fftconvolve_axes]
        "assert_eq!(gpu::signal::oaconvolve!(&gpu::ones::<f64>(5), &gpu::ones::<f64>(3), mode = \"valid\").shape(), [3]);";
    __signal_correlation_lags(in1_len, in2_len) [mode = "full"] []
        => call [signal::correlation_lags_with]
        "assert_eq!(gpu::signal::correlation_lags!(5, 3, mode = \"valid\").tolist(), [0, 1, 2]);";
    __signal_argrelmax(data) [axis = 0, order = 1, mode = "clip"] []
        => given [signal::argrelmax_with]
        "assert_eq!(gpu::signal::argrelmax!(&gpu::array(&[0.0, 1.0, 0.0]), order = 2)[0].tolist(), [1]);";
    __signal_argrelmin(data) [axis = 0, order = 1, mode = "clip"] []
        => given [signal::argrelmin_with]
        "assert_eq!(gpu::signal::argrelmin!(&gpu::array(&[1.0, 0.0, 1.0]), mode = \"wrap\")[0].tolist(), [1]);";
    __signal_argrelextrema(data, comparator) [axis = 0, order = 1, mode = "clip"] []
        => given [signal::argrelextrema_with]
        "assert_eq!(gpu::signal::argrelextrema!(&gpu::array(&[0.0, 1.0, 0.0]), \"greater\", order = 2)[0].tolist(), [1]);";
    __signal_find_peaks(x) [height = (()), threshold = (()), distance = (::core::option::Option::<f64>::None), prominence = (()), width = (()), wlen = (::core::option::Option::<usize>::None), rel_height = 0.5, plateau_size = (())] []
        => given [signal::find_peaks_with]
        "assert_eq!(gpu::signal::find_peaks!(&gpu::array(&[0.0, 1.0, 0.0]), prominence = 0.5).0.tolist(), [1]);";
    __signal_peak_prominences(x, peaks) [wlen = (::core::option::Option::<usize>::None)] []
        => given [signal::peak_prominences_with]
        "assert_eq!(gpu::signal::peak_prominences!(&gpu::array(&[0.0, 1.0, 0.0]), &gpu::array(&[1i64]), wlen = 3).0.tolist(), [1.0]);";
    __signal_peak_widths(x, peaks) [rel_height = 0.5, wlen = (::core::option::Option::<usize>::None)] []
        => given [signal::peak_widths_with]
        "assert_eq!(gpu::signal::peak_widths!(&gpu::array(&[0.0, 1.0, 0.0]), &gpu::array(&[1i64]), rel_height = 1.0).0.tolist(), [2.0]);";
    __signal_chirp(t, f0, t1, f1) [method = "linear", phi = 0.0, vertex_zero = true] []
        => given [signal::chirp_with]
        "assert_eq!(gpu::signal::chirp!(&gpu::zeros::<f64>(2), 1.0, 2.0, 3.0, method = \"quadratic\").tolist(), [1.0, 1.0]);";
    __signal_gausspulse(t) [fc = 1000.0, bw = 0.5, bwr = (-6.0)] []
        => given [signal::gausspulse_with]
        "assert_eq!(gpu::signal::gausspulse!(&gpu::zeros::<f64>(2), fc = 5.0).tolist(), [1.0, 1.0]);";
    __signal_sawtooth(t) [width = 1.0] []
        => given [signal::sawtooth_with]
        "assert_eq!(gpu::signal::sawtooth!(&gpu::zeros::<f64>(1), width = 0.5).tolist(), [-1.0]);";
    __signal_square(t) [duty = 0.5] []
        => given [signal::square_with]
        "assert_eq!(gpu::signal::square!(&gpu::array(&[1.0]), duty = 0.1).tolist(), [-1.0]);";
    __signal_sweep_poly(t, poly) [phi = 0.0] []
        => given [signal::sweep_poly_with]
        "assert_eq!(gpu::signal::sweep_poly!(&gpu::zeros::<f64>(1), &[1.0], phi = 0.0).tolist(), [1.0]);";
    __signal_unit_impulse(shape) [idx = 0usize] []
        => given [signal::unit_impulse_with]
        "assert_eq!(gpu::signal::unit_impulse!((2, 2), idx = [1, 0]).ravel().tolist(), [0.0, 0.0, 1.0, 0.0]);";

    __sparse_eye(m) [n = (::core::option::Option::<usize>::None), k = 0, dtype = f64, format = "csr"] []
        => sparse [sparse::eye_with]
        "assert_eq!(gpu::sparse::eye!(3, 4, k = 1, dtype = f32, format = \"csc\").nnz(), 3);";
    __sparse_random(m, n) [density = 0.01, format = "csr", dtype = f64] []
        => sparse [sparse::random_with]
        "assert_eq!(gpu::sparse::random!(100, 200, density = 0.05, format = \"csc\").nnz(), 1000);";
    __sparse_diags(diagonals, offsets) [shape = (::core::option::Option::<(usize, usize)>::None)] []
        => given [sparse::diags_with]
        "assert_eq!(gpu::sparse::diags!(&[1.0, -2.0, 1.0], &[-1, 0, 1], shape = (4, 4)).nnz(), 10);";
    __sparse_tril(A) [k = 0] []
        => given [sparse::tril_with]
        "assert_eq!(gpu::sparse::tril!(&gpu::sparse::eye::<f64>(3), k = -1).nnz(), 0);";
    __sparse_triu(A) [k = 0] []
        => given [sparse::triu_with]
        "assert_eq!(gpu::sparse::triu!(&gpu::sparse::eye::<f64>(3), k = -1).nnz(), 3);";
    __sparse_linalg_cg(A, b) [x0] [rtol, atol, maxiter, M]
        => options [sparse::linalg::cg_with]
        "let a = gpu::sparse::eye::<f64>(3) * 2.0;\nassert_eq!(gpu::sparse::linalg::cg!(&a, &gpu::ones::<f64>(3), rtol = 1e-8, M = &a).0.tolist(), [0.5; 3]);";
    __sparse_linalg_cgs(A, b) [x0] [rtol, atol, maxiter, M]
        => options [sparse::linalg::cgs_with]
        "let a = gpu::sparse::eye::<f64>(3) * 2.0;\nassert_eq!(gpu::sparse::linalg::cgs!(&a, &gpu::ones::<f64>(3), rtol = 1e-8).0.tolist(), [0.5; 3]);";
    __sparse_linalg_bicgstab(A, b) [x0] [rtol, atol, maxiter, M]
        => options [sparse::linalg::bicgstab_with]
        "let a = gpu::sparse::eye::<f64>(3) * 2.0;\nassert_eq!(gpu::sparse::linalg::bicgstab!(&a, &gpu::ones::<f64>(3), maxiter = 5).0.tolist(), [0.5; 3]);";
    __sparse_linalg_gmres(A, b) [x0] [rtol, atol, restart, maxiter, M]
        => options [sparse::linalg::gmres_with]
        "let (a, b) = (gpu::sparse::eye::<f64>(3) * 2.0, gpu::ones::<f64>(3));\nassert!(gpu::allclose(&gpu::sparse::linalg::gmres!(&a, &b, x0 = &b, restart = 2).0, &[0.5; 3]));";
    __sparse_linalg_minres(A, b) [x0] [rtol, shift, maxiter, M]
        => options [sparse::linalg::minres_with]
        "let (a, b) = (gpu::sparse::eye::<f64>(3) * 2.0, gpu::ones::<f64>(3));\nassert!(gpu::allclose(&gpu::sparse::linalg::minres!(&a, &b, shift = 1.0).0, &[1.0; 3]));";
    __sparse_linalg_lsqr(A, b) [damp, atol, btol, conlim, iter_lim] [x0]
        => options [sparse::linalg::lsqr_with]
        "let (a, b) = (gpu::sparse::eye::<f64>(3), gpu::ones::<f64>(3));\nassert!(gpu::allclose(&gpu::sparse::linalg::lsqr!(&a, &b, damp = 1.0).x, &[0.5; 3]));";
    __sparse_linalg_lsmr(A, b) [damp, atol, btol, conlim, maxiter] [x0]
        => options [sparse::linalg::lsmr_with]
        "let (a, b) = (gpu::sparse::eye::<f64>(3), gpu::ones::<f64>(3));\nassert!(gpu::allclose(&gpu::sparse::linalg::lsmr!(&a, &b, damp = 1.0).x, &[0.5; 3]));";
    __sparse_linalg_eigsh(A) [k, which, v0, ncv, maxiter, tol, return_eigenvectors = true] []
        => spectrum [sparse::linalg::eigsh_with, sparse::linalg::eigvalsh_with]
        "let a = gpu::sparse::diags(&[&vec![1.0, 2.0, 3.0]], &[0]);\nassert!(gpu::allclose(&gpu::sparse::linalg::eigsh!(&a, k = 2, which = \"SA\", return_eigenvectors = false), &[1.0, 2.0]));";
    __sparse_linalg_svds(A) [k, ncv, tol, which, v0, maxiter, return_singular_vectors = true] []
        => spectrum [sparse::linalg::svds_with, sparse::linalg::svdvals_with]
        "let a = gpu::sparse::diags(&[&vec![1.0, 2.0, 3.0]], &[0]);\nassert!(gpu::allclose(&gpu::sparse::linalg::svds!(&a, k = 2).1, &[2.0, 3.0]));";
    __sparse_linalg_norm(x) [ord] []
        => along [sparse::linalg::norm, sparse::linalg::norm_with]
        "assert_eq!(gpu::sparse::linalg::norm!(&gpu::sparse::eye::<f64>(4), ord = 1.0), 1.0);";
    __sparse_linalg_spsolve_triangular(A, b) [lower = true] [unit_diagonal = false]
        => given [sparse::linalg::spsolve_triangular_with]
        "let a = gpu::sparse::eye::<f64>(3) * 2.0;\nassert_eq!(gpu::sparse::linalg::spsolve_triangular!(&a, &gpu::ones::<f64>(3), lower = false).tolist(), [0.5; 3]);";
    __sparse_csgraph_laplacian(csgraph) [normed = false] []
        => given [sparse::csgraph::laplacian_with]
        "assert_eq!(gpu::sparse::csgraph::laplacian!(&gpu::sparse::eye::<f64>(3), normed = true).sum(), 0.0);";
    __ndimage_correlate1d(input, weights) [axis = (-1), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::correlate1d]
        "let x = gpu::array(&[1.0, 2.0, 3.0]);
assert_eq!(gpu::ndimage::correlate1d!(&x, &[1.0, 1.0, 1.0], mode = \"constant\").tolist(), [3.0, 6.0, 5.0]);";
    __ndimage_convolve1d(input, weights) [axis = (-1), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::convolve1d]
        "let x = gpu::array(&[1.0, 2.0, 3.0]);
assert_eq!(gpu::ndimage::convolve1d!(&x, &[1.0, 1.0, 1.0], mode = \"constant\").tolist(), [3.0, 6.0, 5.0]);";
    __ndimage_correlate(input, weights) [mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::correlate]
        "let x = gpu::ones::<f64>((3, 3));
assert_eq!(gpu::ndimage::correlate!(&x, &[[1.0, 1.0]], mode = \"constant\", origin = (0, -1)).sum(), 15.0);";
    __ndimage_convolve(input, weights) [mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::convolve]
        "let x = gpu::ones::<f64>((3, 3));
assert_eq!(gpu::ndimage::convolve!(&x, &[[1.0, 1.0]], mode = \"constant\", origin = (0, 0)).sum(), 15.0);";
    __ndimage_gaussian_filter(input, sigma) [order = 0, mode = "reflect", cval = 0.0, truncate = 4.0, radius = (), axes = ()] [] => plain [ndimage::with::gaussian_filter]
        "let x = gpu::arange(10.0f64);
assert!((gpu::ndimage::gaussian_filter!(&x, 1.0, order = 1).get(&[5]) - 1.0).abs() < 1e-2);";
    __ndimage_gaussian_filter1d(input, sigma) [axis = (-1), order = 0, mode = "reflect", cval = 0.0, truncate = 4.0, radius = ()] [] => plain [ndimage::with::gaussian_filter1d]
        "let x = gpu::ones::<f64>((3, 5));
assert!(gpu::allclose(&gpu::ndimage::gaussian_filter1d!(&x, 1.0, axis = 0), &x));";
    __ndimage_sobel(input) [axis = (-1), mode = "reflect", cval = 0.0] [] => plain [ndimage::with::sobel]
        "let x = gpu::arange(25.0).reshape((5, 5));
assert_eq!(gpu::ndimage::sobel!(&x, axis = 0).get(&[2, 2]), 40.0);";
    __ndimage_prewitt(input) [axis = (-1), mode = "reflect", cval = 0.0] [] => plain [ndimage::with::prewitt]
        "let x = gpu::arange(25.0).reshape((5, 5));
assert_eq!(gpu::ndimage::prewitt!(&x, axis = 0).get(&[2, 2]), 30.0);";
    __ndimage_laplace(input) [mode = "reflect", cval = 0.0, axes = ()] [] => plain [ndimage::with::laplace]
        "let x = gpu::ones::<f64>((3, 3));
assert_eq!(gpu::ndimage::laplace!(&x, mode = \"constant\", axes = 0).get(&[0, 0]), -1.0);";
    __ndimage_gaussian_laplace(input, sigma) [mode = "reflect", cval = 0.0, truncate = 4.0, radius = (), axes = ()] [] => plain [ndimage::with::gaussian_laplace]
        "assert!(gpu::ndimage::gaussian_laplace!(&gpu::ones::<f64>((4, 4)), 1.0, mode = \"nearest\").abs().max() < 1e-3);";
    __ndimage_gaussian_gradient_magnitude(input, sigma) [mode = "reflect", cval = 0.0, truncate = 4.0, radius = (), axes = ()] [] => plain [ndimage::with::gaussian_gradient_magnitude]
        "assert!(gpu::ndimage::gaussian_gradient_magnitude!(&gpu::ones::<f64>((4, 4)), 1.0, mode = \"nearest\").abs().max() < 1e-6);";
    __ndimage_uniform_filter(input, size) [mode = "reflect", cval = 0.0, origin = 0, axes = ()] [] => plain [ndimage::with::uniform_filter]
        "let x = gpu::ones::<f64>((3, 4));
assert!(gpu::allclose(&gpu::ndimage::uniform_filter!(&x, (3, 2), mode = \"mirror\"), &x));";
    __ndimage_minimum_filter(input, size) [footprint = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::minimum_filter]
        "let x = gpu::arange(9.0).reshape((3, 3));
let cross = [[false, true, false], [true, true, true], [false, true, false]];
assert_eq!(gpu::ndimage::minimum_filter!(&x, (), footprint = &cross).get(&[1, 1]), 1.0);";
    __ndimage_maximum_filter(input, size) [footprint = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::maximum_filter]
        "let x = gpu::arange(9.0).reshape((3, 3));
let cross = [[false, true, false], [true, true, true], [false, true, false]];
assert_eq!(gpu::ndimage::maximum_filter!(&x, (), footprint = &cross).get(&[1, 1]), 7.0);";
    __ndimage_uniform_filter1d(input, size) [axis = (-1), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::uniform_filter1d]
        "let x = gpu::ones::<f64>((3, 3));
assert!(gpu::allclose(&gpu::ndimage::uniform_filter1d!(&x, 3, axis = 0), &x));";
    __ndimage_minimum_filter1d(input, size) [axis = (-1), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::minimum_filter1d]
        "let x = gpu::ones::<f64>((3, 3));
assert!(gpu::allclose(&gpu::ndimage::minimum_filter1d!(&x, 3, axis = 0), &x));";
    __ndimage_maximum_filter1d(input, size) [axis = (-1), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::maximum_filter1d]
        "let x = gpu::ones::<f64>((3, 3));
assert!(gpu::allclose(&gpu::ndimage::maximum_filter1d!(&x, 3, axis = 0), &x));";
    __ndimage_median_filter(input, size) [footprint = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::median_filter]
        "let x = gpu::arange(9.0).reshape((3, 3));
assert_eq!(gpu::ndimage::median_filter!(&x, 3, mode = \"constant\").get(&[0, 0]), 0.0);";
    __ndimage_percentile_filter(input, percentile, size) [footprint = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::percentile_filter]
        "let x = gpu::array(&[2, 80, 6, 3, 5]);
assert_eq!(gpu::ndimage::percentile_filter!(&x, 100.0, 3, mode = \"wrap\").tolist(), [80, 80, 80, 6, 5]);";
    __ndimage_rank_filter(input, rank, size) [footprint = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::rank_filter]
        "let x = gpu::array(&[2, 80, 6, 3, 5]);
assert_eq!(gpu::ndimage::rank_filter!(&x, 0, (), footprint = &[true, false, true]).tolist(), [2, 2, 3, 5, 3]);";
    __ndimage_grey_erosion(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::grey_erosion]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::grey_erosion!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [1.0, 1.0, 1.0, 2.0, 2.0]);";
    __ndimage_grey_dilation(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::grey_dilation]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::grey_dilation!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [5.0, 5.0, 3.0, 3.0, 3.0]);";
    __ndimage_grey_opening(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::grey_opening]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::grey_opening!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [1.0, 1.0, 2.0, 2.0, 2.0]);";
    __ndimage_grey_closing(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::grey_closing]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::grey_closing!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [5.0, 3.0, 3.0, 3.0, 3.0]);";
    __ndimage_morphological_gradient(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::morphological_gradient]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::morphological_gradient!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [4.0, 4.0, 2.0, 1.0, 1.0]);";
    __ndimage_morphological_laplace(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::morphological_laplace]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::morphological_laplace!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [-4.0, 4.0, -2.0, -1.0, 1.0]);";
    __ndimage_white_tophat(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::white_tophat]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::white_tophat!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [4.0, 0.0, 1.0, 1.0, 0.0]);";
    __ndimage_black_tophat(input, size) [footprint = (), structure = (), mode = "reflect", cval = 0.0, origin = 0] [] => plain [ndimage::with::black_tophat]
        "let x = gpu::array(&[5.0, 1.0, 3.0, 3.0, 2.0]);
assert_eq!(gpu::ndimage::black_tophat!(&x, (), structure = &[0.0, 0.0, 0.0]).tolist(), [0.0, 2.0, 0.0, 0.0, 1.0]);";
    __ndimage_binary_erosion(input, structure) [iterations = 1, mask = (), border_value = false, origin = 0] [] => plain [ndimage::with::binary_erosion]
        "let x = gpu::ones::<i32>((5, 5));
assert_eq!(gpu::ndimage::binary_erosion!(&x, &gpu::full((3, 3), true), iterations = 2).count_nonzero(), 1);";
    __ndimage_binary_dilation(input, structure) [iterations = 1, mask = (), border_value = false, origin = 0] [] => plain [ndimage::with::binary_dilation]
        "let x = gpu::ones::<i32>((5, 5));
assert_eq!(gpu::ndimage::binary_dilation!(&x, &gpu::full((3, 3), true), iterations = 2).count_nonzero(), 25);";
    __ndimage_binary_opening(input, structure) [iterations = 1, origin = 0, mask = (), border_value = false] [] => plain [ndimage::with::binary_opening]
        "let x = gpu::zeros::<bool>((5, 5));
assert_eq!(gpu::ndimage::binary_opening!(&x, (), iterations = 2).count_nonzero(), 0);";
    __ndimage_binary_closing(input, structure) [iterations = 1, origin = 0, mask = (), border_value = false] [] => plain [ndimage::with::binary_closing]
        "let x = gpu::zeros::<bool>((5, 5));
assert_eq!(gpu::ndimage::binary_closing!(&x, (), iterations = 2).count_nonzero(), 0);";
    __ndimage_binary_propagation(input, structure) [mask = (), border_value = false, origin = 0] [] => plain [ndimage::with::binary_propagation]
        "let x = gpu::array(&[true, false, false, false]);
let mask = [true, true, false, true];
assert_eq!(gpu::ndimage::binary_propagation!(&x, (), mask = &mask).tolist(), [true, true, false, false]);";
    __ndimage_binary_fill_holes(input, structure) [origin = 0] [] => plain [ndimage::with::binary_fill_holes]
        "let x = gpu::array(&[1, 0, 1]);
assert!(gpu::ndimage::binary_fill_holes!(&x, (), origin = 0).all());";
    __ndimage_binary_hit_or_miss(input, structure1) [structure2 = (), origin1 = 0, origin2 = ()] [] => plain [ndimage::with::binary_hit_or_miss]
        "let x = gpu::array(&[1, 0, 1]);
assert_eq!(gpu::ndimage::binary_hit_or_miss!(&x, &[0, 1, 0], structure2 = &[0, 0, 1]).tolist(), [true, false, true]);";
    __ndimage_label(input) [structure = ()] [] => plain [ndimage::with::label]
        "let x = gpu::array(&[[1, 0], [0, 1]]);
assert_eq!(gpu::ndimage::label!(&x, structure = &gpu::full((3, 3), true)).1, 1);";
    __ndimage_find_objects(input) [max_label = 0] [] => plain [ndimage::with::find_objects]
        "assert_eq!(gpu::ndimage::find_objects!(&gpu::array(&[0, 2]), max_label = 1).len(), 1);";
    __ndimage_distance_transform_edt(input) [sampling = ()] [] => plain [ndimage::with::distance_transform_edt]
        "let x = gpu::array(&[[1, 1], [1, 0]]);
assert_eq!(gpu::ndimage::distance_transform_edt!(&x, sampling = (3.0, 4.0)).get(&[0, 0]), 5.0);";
    __ndimage_zoom(input, zoom) [order = 3, mode = "constant", cval = 0.0, prefilter = true, grid_mode = false] [] => plain [ndimage::with::zoom]
        "let x = gpu::array(&[0.0, 2.0]);
assert_eq!(gpu::ndimage::zoom!(&x, 1.5, order = 1).tolist(), [0.0, 1.0, 2.0]);";
    __ndimage_shift(input, shift) [order = 3, mode = "constant", cval = 0.0, prefilter = true] [] => plain [ndimage::with::shift]
        "let x = gpu::array(&[1.0, 2.0, 3.0]);
assert_eq!(gpu::ndimage::shift!(&x, 0.5, order = 1, mode = \"nearest\").tolist(), [1.0, 1.5, 2.5]);";
    __ndimage_rotate(input, angle) [axes = (1, 0), reshape = true, order = 3, mode = "constant", cval = 0.0, prefilter = true] [] => plain [ndimage::with::rotate]
        "let x = gpu::ones::<f64>((3, 4));
assert_eq!(gpu::ndimage::rotate!(&x, 45.0, reshape = false, order = 1).shape(), [3, 4]);";
    __ndimage_affine_transform(input, matrix) [offset = 0.0, output_shape = (), order = 3, mode = "constant", cval = 0.0, prefilter = true] [] => plain [ndimage::with::affine_transform]
        "let x = gpu::array(&[1.0, 2.0, 3.0]);
assert_eq!(gpu::ndimage::affine_transform!(&x, &[1.0], offset = 1.0, output_shape = [2], order = 1).tolist(), [2.0, 3.0]);";
    __ndimage_map_coordinates(input, coordinates) [order = 3, mode = "constant", cval = 0.0, prefilter = true] [] => plain [ndimage::with::map_coordinates]
        "let x = gpu::array(&[0.0, 10.0]);
assert_eq!(gpu::ndimage::map_coordinates!(&x, &[[0.5, 3.0]], order = 1, cval = -1.0).tolist(), [5.0, -1.0]);";
    __ndimage_spline_filter(input) [order = 3, mode = "mirror"] [] => plain [ndimage::with::spline_filter]
        "let x = gpu::arange(4.0);
assert_eq!(gpu::ndimage::spline_filter!(&x, order = 1).tolist(), [0.0, 1.0, 2.0, 3.0]);";
    __ndimage_spline_filter1d(input) [order = 3, axis = (-1), mode = "mirror"] [] => plain [ndimage::with::spline_filter1d]
        "let x = gpu::ones::<f64>((4, 4));
assert!(gpu::allclose(&gpu::ndimage::spline_filter1d!(&x, axis = 0, mode = \"reflect\"), &x));";
    __ndimage_fourier_gaussian(input, sigma) [n = (-1), axis = (-1)] [] => plain [ndimage::with::fourier_gaussian]
        "let x = gpu::fft::rfft(&gpu::ones::<f64>(5));
assert_eq!(gpu::ndimage::fourier_gaussian!(&x, 1.0, n = 5).shape(), [3]);";
    __ndimage_fourier_uniform(input, size) [n = (-1), axis = (-1)] [] => plain [ndimage::with::fourier_uniform]
        "let x = gpu::fft::rfft(&gpu::ones::<f64>(5));
assert_eq!(gpu::ndimage::fourier_uniform!(&x, 1.0, n = 5).shape(), [3]);";
    __ndimage_fourier_shift(input, shift) [n = (-1), axis = (-1)] [] => plain [ndimage::with::fourier_shift]
        "let x = gpu::fft::rfft(&gpu::ones::<f64>(5));
assert_eq!(gpu::ndimage::fourier_shift!(&x, 1.0, n = 5).shape(), [3]);";
}
