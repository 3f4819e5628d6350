//! `gpu::stats` against SciPy.

use super::{Table, floats, queries, samples, wave};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::stats::{self, gaussian_kde};

fn matrix() -> DeviceArray<f64> {
    wave(60).reshape((12, 5)).abs() + 0.1
}

/// `wave(50)`, and a sample that is correlated with it.
fn pair() -> (DeviceArray<f64>, DeviceArray<f64>) {
    let x = wave(50);
    let y = gpu::array(&samples(120)[70..]) + &(&x * 0.5);
    (x, y)
}

#[test]
fn statistics_along_an_axis_are_those_of_scipy() {
    let table = Table::of(&[
        "zscore",
        "gzscore",
        "trim_mean",
        "moments",
        "skew",
        "kurtosis",
        "sem",
        "variation",
        "mad",
        "means",
        "entropy",
        "mode",
        "describe",
        "limits",
        "zmap",
        "tmean",
        "iqr",
        "boxcox_llf",
        "rankdata",
    ]);
    let m = matrix();
    let ties = (wave(60).reshape((20, 3)) * 2.0).round();
    for axis in [0, 1] {
        let near = |name: &str, found: &[DeviceArray<f64>]| {
            let found: Vec<f64> = found.iter().flat_map(floats).collect();
            table.near(&format!("{name} {axis}"), &[&found], 1e-12);
        };
        for ddof in [0, 1] {
            let z = stats::zscore!(&m, axis = axis, ddof = ddof);
            table.near(&format!("zscore {axis} {ddof}"), &[&floats(&z)], 1e-12);
        }
        near("gzscore", &[stats::gzscore!(&m, axis = axis)]);
        near("trim_mean", &[stats::trim_mean!(&m, 0.2, axis = axis)]);
        let mut moments: Vec<_> = (0..6).map(|order| stats::moment!(&m, order, axis)).collect();
        moments.push(stats::moment!(&m, 3, axis, center = 0.5));
        near("moments", &moments);
        near("skew", &[stats::skew!(&m, axis), stats::skew!(&m, axis, bias = false)]);
        near("kurtosis", &[stats::kurtosis!(&m, axis), stats::kurtosis!(&m, axis, fisher = false, bias = false)]);
        near("sem", &[stats::sem!(&m, axis), stats::sem!(&m, axis, ddof = 0)]);
        near("variation", &[stats::variation!(&m, axis), stats::variation!(&m, axis, ddof = 1)]);
        let mad = [stats::median_abs_deviation!(&m, axis), stats::median_abs_deviation!(&m, axis, scale = 0.5)];
        near("mad", &mad);
        near("means", &[stats::gmean!(&m, axis), stats::hmean!(&m, axis), stats::pmean!(&m, 3.0, axis)]);
        let flipped = m.slice(s![..;-1, ..;-1]);
        let entropies = [
            stats::entropy!(&m, axis = axis),
            stats::entropy!(&m, base = 2.0, axis = axis),
            stats::entropy!(&m, qk = &flipped, axis = axis),
        ];
        near("entropy", &entropies);
        let mode = stats::mode!(&ties, axis);
        near("mode", &[mode.mode, mode.count.astype::<f64>()]);
        let d = stats::describe!(&m, axis);
        let nobs = gpu::array(&[d.nobs as f64]);
        near("describe", &[nobs, d.minmax.0, d.minmax.1, d.mean, d.variance, d.skewness, d.kurtosis]);
        let limits = (0.2, 0.9);
        let limited = [
            stats::tvar!(&m, limits, axis = axis),
            stats::tstd!(&m, limits, (false, true), axis = axis),
            stats::tsem!(&m, limits, axis = axis),
            stats::tmin!(&m, 0.3, axis),
            stats::tmax!(&m, 0.9, axis, inclusive = false),
            stats::tvar!(&m, axis = axis, ddof = 0),
        ];
        near("limits", &limited);
    }
    let constant = gpu::array(&[[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]]);
    table.near("zscore constant", &[&floats(&stats::zscore(&constant))], 1e-12);
    table.near("zmap", &[&floats(&stats::zmap!(&m.slice(s![..3, ..]), &m, ddof = 1))], 1e-12);
    let means = [
        stats::tmean(&m),
        stats::tmean!(&m, (0.2, 0.9)),
        stats::tmean!(&m, limits = (None, 0.9), inclusive = (true, false)),
    ];
    table.near("tmean", &[&means.map(|mean| mean.item())], 1e-12);
    table.near("iqr", &[&[stats::iqr(&m).item(), stats::iqr!(&m, rng = (10.0, 80.0), scale = 2.0).item()]], 1e-12);
    let llf: Vec<f64> = [-1.5, 0.0, 0.5, 2.0].iter().flat_map(|&lmb| floats(&stats::boxcox_llf(lmb, &m))).collect();
    table.near("boxcox_llf", &[&llf], 1e-11);
    for method in ["average", "min", "max", "dense", "ordinal"] {
        table.near(&format!("rankdata {method}"), &[&floats(&stats::rankdata!(&ties, method))], 0.0);
    }
    table.finish();
}

#[test]
fn tests_and_fits_are_those_of_scipy() {
    let table = Table::of(&[
        "linregress",
        "pearsonr",
        "spearmanr",
        "ks_2samp",
        "ttest_1samp",
        "ttest_rel",
        "ttest_ind",
        "chisquare",
        "jarque_bera",
    ]);
    let (x, y) = pair();
    let m = matrix();
    let ties = (wave(60).reshape((20, 3)) * 2.0).round();
    let r = stats::linregress(&x, &y);
    let found = [r.slope, r.intercept, r.rvalue, r.pvalue, r.stderr, r.intercept_stderr];
    table.near("linregress", &[&found], 1e-12);
    let part = |of: &DeviceArray<f64>, count: usize| of.slice(s![..count]);
    let found = [50, 3, 2].map(|count| stats::pearsonr(&part(&x, count), &part(&y, count)));
    table.near("pearsonr", &[&found.map(|r| [r.statistic, r.pvalue]).concat()], 1e-11);
    let column = |at: usize| ties.slice(s![.., at]);
    let found = [stats::spearmanr(&x, &y), stats::spearmanr(&column(0), &column(1))];
    table.near("spearmanr", &[&found.map(|r| [r.statistic, r.pvalue]).concat()], 1e-12);
    for alternative in ["two-sided", "less", "greater"] {
        for method in ["exact", "asymp"] {
            for (name, n1, n2) in [("equal", 50, 50), ("unequal", 36, 24), ("prime", 23, 31)] {
                let r = stats::ks_2samp!(&part(&x, n1), &part(&y, n2), alternative, method);
                let found = [r.statistic, r.pvalue, r.statistic_location, r.statistic_sign as f64];
                // For few elements SciPy has an exact form where ours is asymptotic.
                let tolerance = if method == "asymp" && alternative == "two-sided" { 2e-3 } else { 1e-10 };
                table.near(&format!("ks_2samp {alternative} {method} {name}"), &[&found], tolerance);
            }
        }
    }
    let r = stats::ks_2samp(&wave(12000), &(wave(11000) + 0.02));
    table.near("ks_2samp auto", &[&[r.statistic, r.pvalue]], 1e-7);
    let all = |t: stats::TtestResult<f64>| [floats(&t.statistic), floats(&t.pvalue), floats(&t.df)].concat();
    let first: Vec<f64> = {
        let t = stats::ttest_1samp(&m, 0.5);
        [floats(&t.statistic), floats(&t.pvalue), floats(&t.df)].concat()
    };
    table.near("ttest_1samp", &[&first], 1e-12);
    let t = stats::ttest_rel(&m.slice(s![.., ..2]), &m.slice(s![.., 2..4]));
    table.near("ttest_rel", &[&all(t)], 1e-12);
    let other = m.slice(s![..7, ..]) * 1.3;
    table.near("ttest_ind True", &[&all(stats::ttest_ind(&m, &other))], 1e-12);
    table.near("ttest_ind False", &[&all(stats::ttest_ind!(&m, &other, equal_var = false))], 1e-12);
    let (even, wanted) = (gpu::array(&[16.0, 18.0, 16.0, 14.0, 12.0, 12.0]), gpu::array(&[15.0, 20.0, 14.0, 15.0]));
    let found = [stats::chisquare(&even), stats::chisquare!(&part(&even, 4), f_exp = &wanted, ddof = 1)];
    table.near("chisquare", &[&found.map(|r| [r.statistic, r.pvalue]).concat()], 1e-12);
    let r = stats::jarque_bera(&x);
    table.near("jarque_bera", &[&[r.statistic, r.pvalue]], 1e-12);
    table.finish();
}

#[test]
fn densities_are_those_of_scipy() {
    let table = Table::of(&["gaussian_kde"]);
    let (x, y) = pair();
    let points = queries(-2.0, 2.0);
    let at = gpu::array(&points);
    let kdes = [
        ("scott", gaussian_kde::new(&x)),
        ("silverman", gaussian_kde::with(&x, "silverman", None)),
        ("number", gaussian_kde::with(&x, 0.3, None)),
    ];
    for (name, kde) in kdes {
        let rest = [kde.factor(), kde.covariance().item(), kde.integrate_box_1d(-0.5, 1.0)];
        table.near(&format!("gaussian_kde {name}"), &[&floats(&kde.evaluate(&at)), &rest], 1e-12);
    }
    let weights = wave(50).abs() + 0.1;
    let kde = gaussian_kde::with(&gpu::stack([&x, &y], 0), (), Some(&weights));
    let back: Vec<f64> = points.iter().rev().map(|x| 0.5 * x).collect();
    let values = kde.evaluate(&gpu::stack([&at, &gpu::array(&back)], 0));
    let found =
        [floats(&values), floats(&kde.covariance()), vec![kde.neff()], floats(&kde.logpdf(&gpu::array(&[0.3, 0.2])))];
    table.near("gaussian_kde weights", &[&found.concat()], 1e-12);
    table.finish();
    // Many data and few points: parts are summed on their own.
    let data = gpu::tile(&wave(500), 100);
    let one = gaussian_kde::with(&data, 0.2, None).evaluate(&at);
    let other = gaussian_kde::with(
        &wave(500),
        0.2 * (gpu::var!(&wave(500), ddof = 1) / gpu::var!(&data, ddof = 1)).sqrt().recip(),
        None,
    )
    .evaluate(&at);
    assert!(gpu::allclose_with(&one, &other, 1e-10, 1e-12, false));
}

#[test]
fn single_precision_stays_and_wrong_arguments_are_errors() {
    let x = gpu::array(&[1.0f32, 2.0, 4.0]);
    let z: DeviceArray<f32> = stats::zscore(&x);
    assert!((z.get(&[0]) + 1.069045).abs() < 1e-6);
    assert_eq!(stats::mode(&gpu::array(&[7i32, 9, 9])).mode.item(), 9);
    assert!(stats::rankdata(&gpu::array(&[1.0, f64::NAN])).get(&[0]).is_nan());
    let message = |of: fn()| *std::panic::catch_unwind(of).expect_err("an error").downcast::<String>().unwrap();
    let fails = [
        (message(|| drop(stats::zscore!(&gpu::arange(3.0), axis = 1))), "no axis 1"),
        (message(|| drop(stats::trim_mean(&gpu::arange(3.0), 0.7))), "0.7"),
        (message(|| drop(stats::entropy!(&gpu::arange(3.0), base = -1.0))), "-1"),
        (message(|| _ = stats::linregress(&gpu::ones::<f64>(3), &gpu::arange(3.0))), "all `x` are equal"),
        (message(|| _ = stats::pearsonr(&gpu::arange(3.0), &gpu::arange(4.0))), "one length"),
        (message(|| drop(stats::rankdata!(&gpu::arange(3.0), method = "best"))), "\"best\""),
        (message(|| drop(gaussian_kde::new(&gpu::zeros::<f64>(5)))), "singular"),
    ];
    for (message, wanted) in fails {
        assert!(message.contains(wanted), "{message}");
    }
}
