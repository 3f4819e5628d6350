//! `gpu::linalg`, `gpu::fft`, `gpu::interpolate`, `gpu::spatial` and `gpu::stats`.

use super::super::case::Case;
use super::super::compare::{Host, Outcome};
use super::super::families::{Call, functions};
use warpcell::fft::{self, Norm};
use warpcell::interpolate::{
    self, Akima1DInterpolator, CubicSpline, PchipInterpolator, RBFInterpolator, RegularGridInterpolator,
};
use warpcell::spatial::{self, KDTree, distance};
use warpcell::{Complex, Mode, linalg, stats};

fn norm(c: &Case) -> Norm {
    match c.text("norm") {
        "ortho" => Norm::Ortho,
        "forward" => Norm::Forward,
        _ => Norm::Backward,
    }
}

functions! { algebra(c) {
    makers:
        "linalg.toeplitz" => linalg::toeplitz_with(&c.a::<T>(0), &c.a::<T>(1)),
        "linalg.hankel" => linalg::hankel_with(&c.a::<T>(0), &c.a::<T>(1)),
        "linalg.circulant" => linalg::circulant(&c.a::<T>(0)),
        "linalg.block_diag" => linalg::block_diag(&c.rest::<T>(0)),
        "linalg.leslie" => linalg::leslie(&c.a::<T>(0), &c.a::<T>(1)),
        "linalg.convolution_matrix" => {
            let mode = match c.text("mode") {
                "full" => Mode::Full,
                "same" => Mode::Same,
                _ => Mode::Valid,
            };
            linalg::convolution_matrix_with(&c.a::<T>(0), c.size("n"), mode)
        };
    double:
        "linalg.companion" => linalg::companion(&c.a::<T>(0)),
        "linalg.fiedler" => linalg::fiedler(&c.a::<T>(0));
    products:
        "linalg.solve_triangular" => linalg::solve_triangular_with(
            &c.a::<T>(0), &c.a::<T>(1), c.int("trans") as i32, c.flag("lower"), c.flag("unit_diagonal")
        ),
        "linalg.lu_solve" => linalg::lu_solve_with(&linalg::lu_factor(&c.a::<T>(0)), &c.a::<T>(1), c.int("trans") as i32),
        "linalg.cho_solve" => linalg::cho_solve(&linalg::cho_factor_with(&c.a::<T>(0), c.flag("lower")), &c.a::<T>(1)),
        "linalg.lu" => linalg::lu(&c.a::<T>(0)),
        "linalg.expm" => linalg::expm(&c.a::<T>(0));
} }

/// A transform along an axis.
macro_rules! wave {
    ($c:ident $with:ident) => {
        fft::$with(
            &$c.a::<T>(0),
            $c.size("type"),
            $c.opt_size("n"),
            $c.int("axis"),
            norm($c),
            $c.opt_flag("orthogonalize"),
        )
    };
}

/// A transform along axes.
macro_rules! waves {
    ($c:ident $with:ident) => {
        fft::$with(
            &$c.a::<T>(0),
            $c.size("type"),
            $c.has("s").then(|| $c.lengths("s")),
            Some($c.list("axes")),
            norm($c),
            None,
        )
    };
}

functions! { transforms(c) {
    floats:
        "fft.dct" => wave!(c dct_with),
        "fft.idct" => wave!(c idct_with),
        "fft.dst" => wave!(c dst_with),
        "fft.idst" => wave!(c idst_with),
        "fft.dctn" => waves!(c dctn_with),
        "fft.idctn" => waves!(c idctn_with),
        "fft.dstn" => waves!(c dstn_with),
        "fft.idstn" => waves!(c idstn_with);
    double:
        "fft.fht" => fft::fht_with(&c.a::<T>(0), c.float("dln"), c.float("mu"), c.float("offset"), c.float("bias")),
        "fft.ifht" => fft::ifht_with(&c.a::<T>(0), c.float("dln"), c.float("mu"), c.float("offset"), c.float("bias"));
    long:
        "fft.next_fast_len" => fft::next_fast_len_with(c.size("target"), c.flag("real"));
} }

functions! { interpolation(c) {
    double:
        "interpolate.CubicSpline" => {
            CubicSpline::with(&c.a::<T>(0), &c.a::<T>(1), c.int("axis"), c.text("bc_type"), ()).eval_nu(&c.a::<T>(2), c.size("nu"))
        },
        "interpolate.PchipInterpolator" => {
            PchipInterpolator::with(&c.a::<T>(0), &c.a::<T>(1), c.int("axis"), ()).eval_nu(&c.a::<T>(2), c.size("nu"))
        },
        "interpolate.Akima1DInterpolator" => {
            let curve = Akima1DInterpolator::with(&c.a::<T>(0), &c.a::<T>(1), c.int("axis"), c.text("method"), ());
            curve.eval_nu(&c.a::<T>(2), c.size("nu"))
        },
        "interpolate.make_interp_spline" => {
            interpolate::make_interp_spline(&c.a::<T>(0), &c.a::<T>(1), c.size("k")).eval_nu(&c.a::<T>(2), c.size("nu"))
        },
        "interpolate.barycentric_interpolate" => interpolate::barycentric_interpolate(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2)),
        "interpolate.krogh_interpolate" => interpolate::krogh_interpolate(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2)),
        "interpolate.pchip_interpolate" => interpolate::pchip_interpolate(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2)),
        "interpolate.RBFInterpolator" => {
            let (epsilon, kernel) = (c.opt_float("epsilon"), c.text("kernel"));
            RBFInterpolator::with(&c.a::<T>(0), &c.a::<T>(1), c.float("smoothing"), kernel, epsilon, None).eval(&c.a::<T>(2))
        };
    floats:
        "interpolate.interp1d" => {
            let (x, y, kind, axis) = (c.a::<f64>(0), c.a::<T>(1), c.text("kind"), c.int("axis"));
            let line = match (c.opt_float("fill_value"), c.flag("extrapolate")) {
                (Some(value), _) => interpolate::interp1d_with(&x, &y, kind, axis, false, value, false),
                (None, true) => interpolate::interp1d_with(&x, &y, kind, axis, None, "extrapolate", false),
                (None, false) => interpolate::interp1d_with(&x, &y, kind, axis, None, (), false),
            };
            line.eval(&c.a::<f64>(2))
        },
        "interpolate.RegularGridInterpolator" => {
            let points = c.rest::<f64>(2);
            let (method, fill) = (c.text("method"), c.float("fill_value"));
            let grid = RegularGridInterpolator::with(points, &c.a::<T>(0), method, c.flag("bounds_error"), fill);
            grid.eval(&c.a::<f64>(1))
        };
} }

/// Results along an axis that count degrees of freedom.
macro_rules! along {
    ($c:ident $with:ident) => {
        stats::$with(&$c.a::<T>(0), $c.int("axis"), $c.int("ddof") as i32)
    };
}

fn limits(c: &Case) -> (f64, f64) {
    (c.float("low"), c.float("high"))
}

fn inclusive(c: &Case) -> (bool, bool) {
    let flags = c.flags("inclusive");
    (flags[0], flags[1])
}

functions! { statistics(c) {
    samples:
        "spatial.cdist" => distance::cdist_with(&c.a::<T>(0), &c.a::<T>(1), c.text("metric"), c.float("p")),
        "spatial.pdist" => distance::pdist_with(&c.a::<T>(0), c.text("metric"), c.float("p")),
        "spatial.distance_matrix" => spatial::distance_matrix_with(&c.a::<T>(0), &c.a::<T>(1), c.float("p")),
        "spatial.squareform" => distance::squareform(&c.a::<T>(0)),
        "stats.zscore" => along!(c zscore_with),
        "stats.gzscore" => along!(c gzscore_with),
        "stats.sem" => along!(c sem_with),
        "stats.variation" => along!(c variation_with),
        "stats.skew" => stats::skew_with(&c.a::<T>(0), c.int("axis"), c.flag("bias")),
        "stats.kurtosis" => stats::kurtosis_with(&c.a::<T>(0), c.int("axis"), c.flag("fisher"), c.flag("bias")),
        "stats.gmean" => stats::gmean_with(&c.a::<T>(0), c.int("axis")),
        "stats.hmean" => stats::hmean_with(&c.a::<T>(0), c.int("axis")),
        "stats.pmean" => stats::pmean_with(&c.a::<T>(0), c.float("p"), c.int("axis")),
        "stats.moment" => stats::moment_with(&c.a::<T>(0), c.int("order") as u32, c.int("axis"), None),
        "stats.median_abs_deviation" => stats::median_abs_deviation_with(&c.a::<T>(0), c.int("axis"), 1.0),
        "stats.trim_mean" => stats::trim_mean_with(&c.a::<T>(0), c.float("proportiontocut"), c.int("axis")),
        "stats.iqr" => stats::iqr(&c.a::<T>(0)),
        "stats.rankdata" => stats::rankdata_with(&c.a::<T>(0), c.text("method")),
        "stats.mode" => {
            let found = stats::mode_with(&c.a::<T>(0), c.int("axis"));
            (found.mode, found.count)
        },
        "stats.describe" => {
            let found = stats::describe_with(&c.a::<T>(0), c.int("axis"), 1, true);
            (found.minmax.0, found.minmax.1, found.mean, found.variance)
        };
    counts:
        "stats.tmean" => stats::tmean_with(&c.a::<T>(0), limits(c), inclusive(c)),
        "stats.tvar" => stats::tvar_with(&c.a::<T>(0), limits(c), inclusive(c), 0, 1),
        "stats.tstd" => stats::tstd_with(&c.a::<T>(0), limits(c), inclusive(c), 0, 1),
        "stats.tsem" => stats::tsem_with(&c.a::<T>(0), limits(c), inclusive(c), 0, 1),
        "stats.tmin" => stats::tmin_with(&c.a::<T>(0), c.float("limit"), c.int("axis"), c.flag("inclusive")),
        "stats.tmax" => stats::tmax_with(&c.a::<T>(0), c.float("limit"), c.int("axis"), c.flag("inclusive")),
        "stats.linregress" => {
            let d = stats::linregress(&c.a::<T>(0), &c.a::<T>(1));
            [d.slope, d.intercept, d.rvalue, d.pvalue, d.stderr].into_iter().flat_map(Outcome::hosts).collect::<Vec<Host>>()
        },
        "stats.pearsonr" => {
            let d = stats::pearsonr(&c.a::<T>(0), &c.a::<T>(1));
            (d.statistic, d.pvalue)
        },
        "stats.spearmanr" => {
            let d = stats::spearmanr(&c.a::<T>(0), &c.a::<T>(1));
            (d.statistic, d.pvalue)
        },
        "stats.ks_2samp" => {
            let d = stats::ks_2samp_with(&c.a::<T>(0), &c.a::<T>(1), c.text("alternative"), c.text("method"));
            (d.statistic, d.pvalue)
        };
    floats:
        "stats.entropy" => stats::entropy_with(&c.a::<T>(0), c.opt_float("base"), c.int("axis")),
        "stats.relative_entropy" => stats::relative_entropy(&c.a::<T>(0), &c.a::<T>(1), c.opt_float("base"), c.int("axis")),
        "spatial.KDTree" => {
            let tree = KDTree::new(&c.a::<T>(0));
            tree.query_with(&c.a::<T>(1), c.size("k"), c.float("p"), c.float("bound"))
        };
    double:
        "spatial.distance.braycurtis" => distance::braycurtis(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.canberra" => distance::canberra(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.chebyshev" => distance::chebyshev(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.cityblock" => distance::cityblock(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.correlation" => distance::correlation(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.cosine" => distance::cosine(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.euclidean" => distance::euclidean(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.hamming" => distance::hamming(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.sqeuclidean" => distance::sqeuclidean(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.jensenshannon" => distance::jensenshannon(&c.a::<T>(0), &c.a::<T>(1)),
        "spatial.distance.minkowski" => distance::minkowski_with(&c.a::<T>(0), &c.a::<T>(1), c.float("p")),
        "stats.ttest_1samp" => {
            let d = stats::ttest_1samp(&c.a::<T>(0), c.float("popmean"));
            (d.statistic, d.pvalue)
        },
        "stats.ttest_ind" => {
            let d = stats::ttest_ind_with(&c.a::<T>(0), &c.a::<T>(1), 0, c.flag("equal_var"));
            (d.statistic, d.pvalue)
        },
        "stats.ttest_rel" => {
            let d = stats::ttest_rel(&c.a::<T>(0), &c.a::<T>(1));
            (d.statistic, d.pvalue)
        },
        "stats.jarque_bera" => {
            let d = stats::jarque_bera(&c.a::<T>(0));
            (d.statistic, d.pvalue)
        },
        "stats.chisquare" => {
            let d = stats::chisquare(&c.a::<T>(0));
            (d.statistic, d.pvalue)
        },
        "stats.gaussian_kde" => stats::gaussian_kde::new(&c.a::<T>(0)).evaluate(&c.a::<T>(1));
} }
