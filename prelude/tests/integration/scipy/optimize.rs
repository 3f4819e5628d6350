//! `gpu::optimize` against SciPy.

use super::{Table, floats, wave};
use warpcell as gpu;
use warpcell::optimize;
use warpcell::prelude::*;

fn valley<const N: usize>(x: &[f64; N]) -> f64 {
    x.windows(2).map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2)).sum()
}

fn slope<const N: usize>(x: &[f64; N]) -> [f64; N] {
    let mut slope = [0.0; N];
    for at in 0..N - 1 {
        let miss = x[at + 1] - x[at] * x[at];
        slope[at] += -400.0 * x[at] * miss - 2.0 * (1.0 - x[at]);
        slope[at + 1] += 200.0 * miss;
    }
    slope
}

#[test]
fn minima_are_those_of_scipy() {
    let table = Table::of(&["minimize", "minimize_scalar"]);
    for method in ["L-BFGS-B", "BFGS"] {
        let best = optimize::minimize!(valley, &[-1.2, 1.0], jac = slope, method = method, tol = 1e-12);
        assert!(best.success, "{best}");
        table.near("minimize", &[&best.x], 1e-7);
        let best = optimize::minimize!(valley, &[1.3; 8], jac = slope, method = method, tol = 1e-12);
        assert!(best.success, "{best}");
        table.near("minimize many", &[&best.x], 1e-6);
        // By differences.
        let best = optimize::minimize!(valley, &[-1.2, 1.0], method = method);
        table.near("minimize", &[&best.x], 1e-3);
    }
    let best = optimize::minimize!(valley, &[-1.2, 1.0], method = "Nelder-Mead", tol = 1e-10, maxiter = 1000);
    assert!(best.success && best.njev == 0);
    table.near("minimize", &[&best.x], 1e-7);
    let text = format!("{best:?}");
    assert!(
        text.contains("  success: true\n") && text.contains("\n        x: [") && text.contains("     nfev: "),
        "{text}"
    );
    let cut = optimize::minimize!(valley, &vec![-1.2, 1.0].try_into().unwrap(), maxiter = 3);
    let _: [f64; 2] = cut.x;
    assert!(!cut.success && cut.status == 1 && cut.nit == 3);
    let f = |x: f64| (x - 2.0) * x * (x + 2.0).powi(2);
    let found = [optimize::minimize_scalar(f).x, optimize::minimize_scalar!(f, bounds = (-3.0, -1.0)).x];
    table.near("minimize_scalar", &[&found], 1e-6);
    table.finish();
}

#[test]
fn minima_of_arrays_stay_on_the_device() {
    let target = gpu::linspace(-1.0, 1.0, 2000).reshape((40, 50));
    let best = optimize::minimize!(
        |x| {
            let distance = x - &target;
            let square = &distance * &distance;
            (&(&square * &square) + &square).sum()
        },
        &gpu::zeros::<f64>((40, 50)),
        jac = |x| {
            let distance = x - &target;
            (&(&distance * &distance) * &distance) * 4.0 + &(&distance * 2.0)
        },
        tol = 1e-10,
    );
    assert!(best.success);
    assert_eq!(best.x.shape(), [40, 50]);
    assert!(gpu::allclose_with(&best.x, &target, 0.0, 1e-4, false));
    let best = optimize::minimize(|x: &Vec<f64>| (x[0] - 2.0).powi(2) + x[1].powi(2), &vec![1.0, 1.0]);
    assert!((best.x[0] - 2.0).abs() < 1e-5);
    let few = optimize::minimize(|x| (x - 2.0).square().sum(), &gpu::zeros::<f64>(3));
    assert!(gpu::allclose_with(&few.x, &(gpu::ones::<f64>(3) * 2.0), 0.0, 1e-5, false));
}

#[test]
fn roots_and_fits_are_those_of_scipy() {
    let table = Table::of(&["brentq", "root", "curve_fit", "least_squares"]);
    let g = |x: f64| x.cos() - x.powi(3);
    let result = optimize::root_scalar(g, (0.0, 2.0));
    let found = [
        optimize::brentq(g, 0.0, 2.0),
        optimize::bisect(g, 0.0, 2.0),
        optimize::ridder(g, 0.0, 2.0),
        optimize::newton(g, 0.5),
        result.iterations as f64,
        result.function_calls as f64,
    ];
    table.near("brentq", &[&found], 1e-12);
    let slope = |x: f64| -x.sin() - 3.0 * x * x;
    assert!((optimize::newton!(g, 0.5, fprime = slope) - found[0]).abs() < 1e-10);
    for method in ["bisect", "ridder", "secant"] {
        let result = optimize::root_scalar!(g, bracket = (0.0, 2.0), method = method);
        assert!(result.converged && (result.root - found[0]).abs() < 1e-7 && result.method == method);
    }
    let system = |x: &[f64; 2]| [x[0] + 0.5 * (x[0] - x[1]).powi(3) - 1.0, 0.5 * (x[1] - x[0]).powi(3) + x[1]];
    let result = optimize::root(system, &[0.0, 0.0]);
    assert!(result.success, "{result}");
    table.near("root", &[&result.x], 1e-8);
    let result = optimize::root(|x| [1e4 * x[0] * x[1] - 1.0, (-x[0]).exp() + (-x[1]).exp() - 1.0001], &[0.0, 1.0]);
    assert!(result.success, "{result}");
    table.near("root badly scaled", &[&result.x], 1e-6);
    let x = gpu::linspace(0.0, 4.0, 50);
    let y = (&x * -1.3).exp() * 2.5 + 0.5 + &(wave(50) * 0.05);
    let model = |x: &DeviceArray<f64>, p: &[f64; 3]| (x * -p[1]).exp() * p[0] + p[2];
    let near = |name: &str, (p, cov): ([f64; 3], DeviceArray<f64>)| table.near(name, &[&p, &floats(&cov)], 1e-6);
    near("curve_fit", optimize::curve_fit(model, &x, &y, &[1.0; 3]));
    let sigma = wave(50).abs() * 0.05 + 0.1;
    near("curve_fit sigma", optimize::curve_fit!(model, &x, &y, &[1.0; 3], sigma = &sigma, absolute_sigma = true));
    near("curve_fit relative", optimize::curve_fit!(model, &x, &y, &[1.0; 3], sigma = &sigma));
    let residuals = |p: &[f64; 2]| [10.0 * (p[1] - p[0] * p[0]), 1.0 - p[0], 0.5 * p[1]];
    let result = optimize::least_squares!(residuals, &[-1.2, 1.0], ftol = 1e-14, xtol = 1e-14, gtol = 1e-14);
    assert!(result.success, "{result}");
    table.near("least_squares", &[&result.x, &[result.cost]], 1e-7);
    table.finish();
}

#[test]
fn wrong_arguments_are_errors() {
    let message = |of: fn()| *std::panic::catch_unwind(of).expect_err("an error").downcast::<String>().unwrap();
    let fails = [
        (message(|| drop(optimize::minimize!(|x| x[0], &[1.0], method = "Newton"))), "\"Newton\""),
        (message(|| drop(optimize::minimize(|_: &Vec<f64>| 0.0, &Vec::new()))), "no variables"),
        (message(|| _ = optimize::brentq(|x| x * x + 1.0, 0.0, 1.0)), "different signs"),
        (message(|| _ = optimize::brentq!(|x| x - 0.3, 0.0, 1.0, maxiter = 1)), "raise `maxiter`"),
        (message(|| drop(optimize::root(|x: &Vec<f64>| vec![x[0]], &vec![1.0, 2.0]))), "1 numbers for 2 variables"),
        (message(|| drop(optimize::least_squares(|p| [p[0] + p[1]], &[1.0, 2.0]))), "1 residuals for 2 parameters"),
        (
            message(|| {
                drop(optimize::curve_fit(
                    |x: &DeviceArray<f64>, p: &[f64; 1]| x.sum_axis(0) * p[0],
                    &gpu::ones::<f64>(3),
                    &gpu::ones::<f64>(3),
                    &[1.0],
                ))
            }),
            "is not that of the data",
        ),
    ];
    for (message, wanted) in fails {
        assert!(message.contains(wanted), "{message}");
    }
}
