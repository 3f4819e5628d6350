//! Calls with the arguments that few callers give.

use super::case::Case;
use super::compare::Outcome;
use super::families::{Call, functions};
use warpcell as gpu;
use warpcell::keywords::{self, Statistic};
use warpcell::{Complex, DeviceArray, Element, MixedArray, Pad};

/// Arrays of pairs, one for each of up to three axes, as `pad` takes them.
macro_rules! by_axis {
    ($pairs:expr, |$values:ident| $call:expr) => {
        match $pairs[..] {
            [a] => {
                let $values = [a];
                $call
            }
            [a, b] => {
                let $values = [a, b];
                $call
            }
            [a, b, c] => {
                let $values = [a, b, c];
                $call
            }
            _ => panic!("fuzz: arrays are padded that have one to three axes"),
        }
    };
}

/// The values before and behind each axis: the rows of the second array.
fn ends<T: Element>(c: &Case) -> Vec<(T, T)> {
    let ends: Vec<T> = c.a::<T>(1).ravel().to_host().into_iter().collect();
    ends.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

fn statistic(c: &Case) -> Statistic {
    match c.text("mode") {
        "maximum" => Statistic::Maximum,
        "mean" => Statistic::Mean,
        "median" => Statistic::Median,
        "minimum" => Statistic::Minimum,
        other => panic!("fuzz: no statistic {other}"),
    }
}

fn of_whole_lines<T>(statistic: Statistic) -> Pad<T> {
    match statistic {
        Statistic::Maximum => Pad::Maximum,
        Statistic::Mean => Pad::Mean,
        Statistic::Median => Pad::Median,
        Statistic::Minimum => Pad::Minimum,
    }
}

/// The weights of quantiles.
fn weights(c: &Case) -> DeviceArray<f64> {
    c.named("weights").unwrap_or_else(|| panic!("fuzz: {} has no weights", c.function))
}

functions! { arguments(c) {
    any:
        "pad_constants" => by_axis!(ends::<T>(c), |values| keywords::pad_constants(&c.a::<T>(0), &c.pairs("width")[..], values)),
        "meshgrid_of_three" => keywords::meshgrid3(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2), c.text("indexing"), c.flag("sparse")),
        "trim_zeros" => keywords::trim_zeros(&c.a::<T>(0), c.text("trim")),
        "trim_zeros_along" => keywords::trim_zeros_along(&c.a::<T>(0), c.text("trim"), c.list("axis")),
        "traces" => keywords::traces(&c.a::<T>(0), c.int("offset"), c.int("axis1"), c.int("axis2"));
    real:
        "unique_along" => keywords::unique_along(&c.a::<T>(0), c.int("axis")),
        "setdiff1d_of_unique" => keywords::setdiff1d(&c.a::<T>(0), &c.a::<T>(1), true);
    complexes:
        "median" => keywords::median(&c.a::<T>(0), c.axes());
    numbers:
        "pad_ramps" => by_axis!(ends::<T>(c), |values| keywords::pad_ramps(&c.a::<T>(0), &c.pairs("width")[..], values)),
        "pad_statistic" => match c.has("lengths") {
            true => keywords::pad_statistic(&c.a::<T>(0), &c.pairs("width")[..], statistic(c), &c.pairs("lengths")[..]),
            false => gpu::pad(&c.a::<T>(0), &c.pairs("width")[..], of_whole_lines(statistic(c))),
        },
        "pad_turned" => keywords::pad_turned(&c.a::<T>(0), &c.pairs("width")[..], c.text("mode") == "symmetric"),
        "nanquantile" => keywords::nanquantile_by(&c.a::<T>(0), c.floats("q"), c.axes(), c.text("method")),
        "nanpercentile" => keywords::nanpercentile(&c.a::<T>(0), c.float("q"), c.axes()),
        "quantile_weighted" => keywords::quantile_weighted(&c.a::<T>(0), c.floats("q"), c.axes(), "inverted_cdf", &weights(c) as &dyn MixedArray),
        "nanquantile_weighted" => keywords::nanquantile_weighted(&c.a::<T>(0), c.floats("q"), c.axes(), "inverted_cdf", &weights(c) as &dyn MixedArray),
        "nanmax_of_some" => keywords::nanmax(&c.a::<T>(0), c.axes(), c.named::<T>("initial").map(|a| a.item()), c.named("where").as_ref()),
        "nanmin_of_some" => keywords::nanmin(&c.a::<T>(0), c.axes(), c.named::<T>("initial").map(|a| a.item()), c.named("where").as_ref()),
        "cov_weighted" => {
            let [frequencies, importances] = ["fweights", "aweights"].map(|name| c.opt(name).map(|at| at as usize));
            let (frequencies, importances) = (frequencies.map(|at| c.a::<i64>(at)), importances.map(|at| c.a::<f64>(at)));
            let ddof = c.opt("ddof").map(|ddof| ddof as f64);
            keywords::cov(&c.a::<T>(0), None, Some(c.flag("rowvar")), c.opt_flag("bias"), ddof,
                frequencies.as_ref().map(|weights| weights as &dyn MixedArray), importances.as_ref().map(|weights| weights as &dyn MixedArray))
        };
    floats:
        "interp_outside" => keywords::interp(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2),
            c.opt_float("left").map(|value| value as T), c.opt_float("right").map(|value| value as T), c.opt_float("period").map(|value| value as T)),
        "linspace_of_arrays" => keywords::linspace(&c.a::<T>(0), &c.a::<T>(1), c.size("num"), c.flag("endpoint"), c.int("axis"));
    double:
        "interp_complex" => gpu::interp_complex(&c.a::<f64>(0), &c.a::<f64>(1), &c.a::<Complex<f64>>(2)),
        "polyfit_covariance" => keywords::polyfit_cov(&c.a::<T>(0), &c.a::<T>(1), c.size("deg"), None, c.named::<f64>("weights").as_ref(), c.opt_flag("scaled"));
} }
