//! The rows of functions that stand in modules of `gpu`. A macro is always made at the root of the crate, so its name there is
//! `__module_name`, and its module gives it the name by which it is called: `gpu::fft::rfft!`.

functions! { $
    __linalg_norm(x) [ord, axis] [keepdims] => norm [linalg::norm]
        "assert_eq!(gpu::linalg::norm!(&gpu::array(&[[3.0, 4.0], [6.0, 8.0]]), axis = 1).tolist(), [5.0, 10.0]);";
    __linalg_svd(a) [full_matrices = true] [] => call [linalg::svd_with]
        "assert_eq!(gpu::linalg::svd!(&gpu::ones::<f64>((5, 3)), full_matrices = false).0.shape(), [5, 3]);";
    __linalg_qr(a) [mode = "reduced"] [] => qr []
        "assert_eq!(gpu::linalg::qr!(&gpu::ones::<f64>((5, 3)), mode = \"complete\").0.shape(), [5, 5]);";
    __linalg_eigh(a) [UPLO = "L"] [] => eigh [linalg::eigh]
        "let m = gpu::array(&[[2.0, 1.0], [9.0, 2.0]]);\nassert!(gpu::allclose(&gpu::linalg::eigh!(&m, UPLO = \"U\").0, &[1.0, 3.0]));";
    __linalg_eigvalsh(a) [UPLO = "L"] [] => eigh [linalg::eigvalsh]
        "let m = gpu::array(&[[2.0, 1.0], [9.0, 2.0]]);\nassert!(gpu::allclose(&gpu::linalg::eigvalsh!(&m, UPLO = \"U\"), &[1.0, 3.0]));";
    __linalg_pinv(a) [rcond] [] => along [linalg::pinv, linalg::pinv_with]
        "assert_eq!(gpu::linalg::pinv!(&gpu::ones::<f64>((5, 3)), rcond = 0.1).shape(), [3, 5]);";
    __linalg_lstsq(a, b) [rcond] [] => along [linalg::lstsq, linalg::lstsq_with]
        "let a = gpu::array(&[[1.0, 0.0], [0.0, 1e-3]]);\nassert_eq!(gpu::linalg::lstsq!(&a, &gpu::ones::<f64>(2), rcond = 0.01).2, 1);";

    __linalg_tensorinv(a) [ind = 2] [] => call [keywords::tensorinv]
        "assert_eq!(gpu::linalg::tensorinv!(&gpu::eye::<f64>(6).reshape((6, 2, 3)), ind = 1).shape(), [2, 3, 6]);";
    __linalg_tensorsolve(a, b) [axes] [] => along [linalg::tensorsolve, keywords::tensorsolve]
        "let a = gpu::eye::<f64>(6).reshape((2, 3, 6));\nassert_eq!(gpu::linalg::tensorsolve!(&a, &gpu::ones::<f64>(6), axes = (0, 1)).shape(), [2, 3]);";

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
    __fft_fftfreq(n) [d = 1.0] [] => call [fft::fftfreq]
        "assert_eq!(gpu::fft::fftfreq!(4).tolist(), [0.0, 0.25, -0.5, -0.25]);";
    __fft_rfftfreq(n) [d = 1.0] [] => call [fft::rfftfreq]
        "assert_eq!(gpu::fft::rfftfreq!(4, d = 0.5).tolist(), [0.0, 0.5, 1.0]);";
    __fft_fftshift(x) [axes] [] => along [fft::fftshift, fft::fftshift_with]
        "assert_eq!(gpu::fft::fftshift!(&gpu::arange(4), axes = 0).tolist(), [2, 3, 0, 1]);";
    __fft_ifftshift(x) [axes] [] => along [fft::ifftshift, fft::ifftshift_with]
        "assert_eq!(gpu::fft::ifftshift!(&gpu::arange(3)).tolist(), [1, 2, 0]);";

    __random_random() [size = ()] [] => call [random::random]
        "assert_eq!(gpu::random::random!(size = (2, 3)).shape(), [2, 3]);";
    __random_uniform() [low = 0.0f64, high = 1.0f64, size = ()] [] => call [random::uniform]
        "assert!(gpu::random::uniform!(5.0, 6.0, size = 10).min() >= 5.0);";
    __random_normal() [loc = 0.0f64, scale = 1.0f64, size = ()] [] => call [random::normal]
        "assert_eq!(gpu::random::normal!(size = (2, 3)).shape(), [2, 3]);";
    __random_exponential() [scale = 1.0f64, size = ()] [] => call [random::exponential]
        "assert_eq!(gpu::random::exponential!(scale = 2.0, size = 4).shape(), [4]);";
    __random_integers(low) [high, size = ()] [] => integers [random::integers]
        "assert!(gpu::random::integers!(0, 9, size = 100).max() < 9);";
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
    __random_randint(low) [high, size = ()] [] => integers [random::integers]
        "assert!(gpu::random::randint!(9, size = 100).max() < 9);";
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
}
