//! `gpu::interpolate` against SciPy.

use super::{Table, floats, queries, samples, wave};
use warpcell as gpu;
use warpcell::interpolate::*;
use warpcell::prelude::*;

/// The places of scipy_modules.py.
fn places(count: usize) -> Vec<f64> {
    (0..count).map(|at| 0.5 * at as f64 + 0.2 * (2.0 * at as f64).sin()).collect()
}

/// The points at which functions between `places(11)` are evaluated, and the same without those outside.
fn points() -> (Vec<f64>, Vec<f64>) {
    let x = places(11);
    let at = [queries(x[0], x[10]), x.clone()].concat();
    let inside = at.iter().map(|value| value.clamp(x[0], x[10])).collect();
    (at, inside)
}

#[test]
fn cubic_curves_are_those_of_scipy() {
    let table = Table::of(&[
        "CubicSpline",
        "PchipInterpolator",
        "Akima1DInterpolator",
        "makima",
        "CubicHermiteSpline",
        "pchip_interpolate",
    ]);
    let (x, y) = (places(11), samples(11));
    let (at, inside) = points();
    let (at, inside) = (gpu::array(&at), gpu::array(&inside));
    let ends = |word: &str, x: &[f64], y: &[f64]| {
        let (x, y) = (gpu::array(x), gpu::array(y));
        match word {
            "mixed" => CubicSpline!(&x, &y, bc_type = ((1, 0.5), (2, -1.0))),
            "words" => CubicSpline!(&x, &y, bc_type = ("natural", "clamped")),
            "half" => CubicSpline!(&x, &y, bc_type = ("not-a-knot", "natural")),
            _ => CubicSpline!(&x, &y, bc_type = word),
        }
    };
    for word in ["not-a-knot", "natural", "clamped", "mixed", "words", "half"] {
        for count in [2, 3, 4, 11] {
            let cs = ends(word, &x[..count], &y[..count]);
            let found = [0, 1, 2, 4].map(|nu| floats(&cs.eval_nu(&at, nu))).concat();
            table.near(&format!("CubicSpline {word} {count}"), &[&found], 1e-11);
        }
    }
    for count in [3, 4, 11] {
        let mut values = y[..count].to_vec();
        values[count - 1] = values[0];
        let cs = ends("periodic", &x[..count], &values);
        let found = [&floats(&cs.eval(&at))[..], &floats(&cs.eval_nu(&at, 1)), &[cs.integrate(0.3, 9.7).item()]];
        table.near(&format!("CubicSpline periodic {count}"), &found, 1e-11);
    }
    let (x, y, ym) = (gpu::array(&x), gpu::array(&y), wave(33).reshape((11, 3)));
    let cs = CubicSpline::new(&x, &ym);
    let found = [
        floats(&cs.eval(&at)),
        floats(&cs.derivative(1).eval(&at)),
        floats(&cs.antiderivative(2).eval(&at)),
        floats(&cs.integrate(0.1, 4.0)),
        floats(&cs.c()),
        floats(&cs.x()),
    ];
    table.near("CubicSpline columns", &[&found.concat()], 1e-11);
    let cs = CubicSpline!(&x, &ym.transpose(), axis = 1, extrapolate = false);
    let values = cs.eval(&at.reshape((2, 17)));
    assert_eq!(values.shape(), [3, 2, 17]);
    let found = [floats(&values), floats(&cs.integrate(4.0, 0.1)), floats(&cs.integrate(0.1, 40.0))];
    table.near("CubicSpline axis 1", &[&found.concat()], 1e-11);
    let cs = CubicSpline::new(&x, &y);
    let turns = CubicSpline!(&x, &y, extrapolate = false).derivative(1).roots();
    table.near("CubicSpline roots", &[&floats(&cs.roots()), &floats(&cs.solve(0.3)), &floats(&turns)], 1e-11);
    type Make = fn(&DeviceArray<f64>, &DeviceArray<f64>, isize) -> PPoly;
    let curves: [(&str, Make); 3] = [
        ("PchipInterpolator", |x, y, axis| (*PchipInterpolator!(x, y, axis = axis)).clone()),
        ("Akima1DInterpolator", |x, y, axis| (*Akima1DInterpolator!(x, y, axis = axis)).clone()),
        ("makima", |x, y, axis| (*Akima1DInterpolator!(x, y, axis = axis, method = "makima")).clone()),
    ];
    for (name, make) in curves {
        for count in [2, 3, 11] {
            let f = make(&x.slice(s![..count]), &y.slice(s![..count]), 0);
            table.near(&format!("{name} {count}"), &[&floats(&f.eval(&at)), &floats(&f.eval_nu(&at, 1))], 1e-11);
        }
        let flat = gpu::array(&[0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0]);
        table.near(&format!("{name} flat"), &[&floats(&make(&x, &flat, 0).eval(&at))], 1e-11);
        table.near(&format!("{name} axis 1"), &[&floats(&make(&x, &ym.transpose(), 1).eval(&at))], 1e-11);
    }
    let slopes = gpu::array(&samples(20)[9..]);
    table.near("CubicHermiteSpline", &[&floats(&CubicHermiteSpline::new(&x, &y, &slopes).eval(&at))], 1e-11);
    table.near("pchip_interpolate", &[&floats(&pchip_interpolate(&x, &y, &inside))], 1e-12);
    table.finish();
}

#[test]
fn splines_and_pieces_are_those_of_scipy() {
    let table = Table::of(&["PPoly", "BPoly", "BSpline", "make_interp_spline", "splder", "splantider"]);
    let (x, y, ym) = (gpu::array(&places(11)), wave(11), wave(33).reshape((11, 3)));
    let (at, inside) = points();
    let (at, inside) = (gpu::array(&at), gpu::array(&inside));
    let (c, breaks) = (wave(24).reshape((4, 3, 2)), gpu::array(&[0.0, 1.0, 2.5, 3.0]));
    let p = PPoly::new(&c, &breaks);
    let found = [
        floats(&p.eval(&at)),
        floats(&p.eval_nu(&at, 2)),
        floats(&p.derivative(2).eval(&at)),
        floats(&p.antiderivative(1).eval(&at)),
        floats(&p.integrate(-1.0, 4.0)),
    ];
    table.near("PPoly", &[&found.concat()], 1e-12);
    let found = [floats(&p.eval_with(&at, 0, "periodic")), floats(&p.eval_with(&at, 0, false))];
    table.near("PPoly periodic", &[&found.concat()], 1e-12);
    let b = BPoly::new(&c, &breaks);
    table.near("BPoly", &[&floats(&b.eval(&at)), &floats(&b.eval_nu(&at, 1))], 1e-11);
    let knots = gpu::array(&[0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 3.5, 5.0, 5.0, 5.0, 5.0]);
    let s = BSpline::new(&knots, &wave(8), 3);
    let found = [
        floats(&s.eval(&at)),
        floats(&s.eval_nu(&at, 1)),
        floats(&s.derivative(2).eval(&at)),
        floats(&s.antiderivative(1).eval(&at)),
        floats(&s.integrate(0.5, 4.0)),
        floats(&s.derivative(1).c()),
        floats(&s.antiderivative(1).t()),
    ];
    table.near("BSpline", &[&found.concat()], 1e-12);
    let s = BSpline::with(&gpu::arange(9.0), &wave(10).reshape((5, 2)), 3, false, 0);
    table.near("BSpline columns", &[&floats(&s.eval(&at))], 1e-12);
    let s = BSpline::with(&gpu::arange(9.0), &wave(5), 3, "periodic", 0);
    table.near("BSpline periodic", &[&floats(&s.eval(&at))], 1e-12);
    for k in 0..6 {
        let s = make_interp_spline(&x, &y, k);
        let values = s.eval(if k == 0 { &inside } else { &at });
        table.near(&format!("make_interp_spline {k}"), &[&floats(&values), &floats(&s.t()), &floats(&s.c())], 1e-11);
    }
    let s = make_interp_spline!(&x, &ym, k = 3, bc_type = "natural");
    table.near("make_interp_spline natural", &[&floats(&s.eval(&at)), &floats(&s.c())], 1e-11);
    let s = make_interp_spline!(&x, &y, bc_type = "clamped");
    table.near("make_interp_spline clamped", &[&floats(&s.eval(&at))], 1e-11);
    let s = make_interp_spline(&x, &y, 3);
    table.near("splder", &[&floats(&splder(&s, 2).eval(&at))], 1e-11);
    table.near("splantider", &[&floats(&splantider(&s, 2).eval(&at))], 1e-11);
    table.finish();
}

#[test]
fn functions_through_points_are_those_of_scipy() {
    let table = Table::of(&[
        "interp1d",
        "BarycentricInterpolator+barycentric_interpolate",
        "KroghInterpolator+krogh_interpolate",
    ]);
    let (nodes, y, ym) = (places(11), wave(11), wave(33).reshape((11, 3)));
    let x = gpu::array(&nodes);
    let (at, inside) = points();
    let middle = [inside.clone(), nodes.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect()].concat();
    let (at, inside, middle) = (gpu::array(&at), gpu::array(&inside), gpu::array(&middle));
    for kind in ["linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous", "next"] {
        let name = |what: &str| format!("interp1d {kind}{what}");
        table.near(&name(""), &[&floats(&interp1d!(&x, &y, kind).eval(&middle))], 1e-12);
        let f = interp1d!(&x, &ym, kind, axis = 0, bounds_error = false);
        table.near(&name(" axis 0"), &[&floats(&f.eval(&at))], 1e-12);
        let f = interp1d!(&x, &ym.transpose(), kind, fill_value = (-1.0, -2.0), bounds_error = false);
        table.near(&name(" fill"), &[&floats(&f.eval(&at))], 1e-12);
        let f = interp1d!(&x, &y, kind, fill_value = "extrapolate");
        table.near(&name(" extrapolate"), &[&floats(&f.eval(&at))], 1e-12);
    }
    let order: Vec<usize> = (0..11).map(|at| at * 7 % 11).collect();
    let pick = |of: &[f64]| gpu::array(&order.iter().map(|&at| of[at]).collect::<Vec<_>>());
    let f = interp1d(&pick(&nodes), &pick(&samples(11)));
    table.near("interp1d unsorted", &[&floats(&f.eval(&inside))], 1e-12);
    let p = BarycentricInterpolator::new(&x, &y);
    let found = [floats(&p.eval(&at)), floats(&barycentric_interpolate(&x, &ym, &at))];
    table.near("BarycentricInterpolator+barycentric_interpolate", &[&found.concat()], 1e-10);
    let chebyshev: Vec<f64> = (0..200).map(|at| (std::f64::consts::PI * at as f64 / 199.0).cos()).collect();
    let chebyshev = gpu::array(&chebyshev);
    let p = BarycentricInterpolator::new(&chebyshev, &chebyshev.exp());
    table.near(
        "BarycentricInterpolator+barycentric_interpolate Chebyshev",
        &[&floats(&p.eval(&gpu::array(&queries(-0.7, 0.7))))],
        1e-12,
    );
    let k = KroghInterpolator::new(&x, &ym);
    let found = [
        floats(&k.eval(&at)),
        floats(&k.derivative(&at, 2)),
        floats(&k.derivatives(&at, 3)),
        floats(&krogh_interpolate(&x, &y, &at)),
    ];
    table.near("KroghInterpolator+krogh_interpolate", &[&found.concat()], 1e-10);
    let k = KroghInterpolator::new(&gpu::array(&[0.0, 0.0, 0.0, 1.0, 2.0, 2.0]), &wave(6));
    table.near("KroghInterpolator+krogh_interpolate hermite", &[&floats(&k.eval(&at))], 1e-11);
    table.finish();
}

#[test]
fn values_of_grids_and_scattered_points_are_those_of_scipy() {
    let table = Table::of(&["RegularGridInterpolator", "interpn", "RBFInterpolator", "NearestNDInterpolator"]);
    let (x, y, z) = (gpu::array(&places(5)), gpu::array(&places(4)), gpu::array(&[3.0, 1.0, -0.5]));
    let values = wave(120).reshape((5, 4, 3, 2));
    let rows: Vec<f64> = (0..40)
        .map(|n| n as f64)
        .flat_map(|n| [1.0 + 1.5 * n.sin(), 0.8 + 0.9 * (1.7 * n).cos(), 1.2 + 1.9 * (0.7 * n).sin()])
        .collect();
    let xi = gpu::array(&rows).reshape((40, 3));
    for method in ["linear", "nearest"] {
        let name = |what: &str| format!("RegularGridInterpolator {method}{what}");
        let f = RegularGridInterpolator!((&x, &y, &z), &values, method, bounds_error = false);
        let found = f.eval(&xi.reshape((8, 5, 3)));
        assert_eq!(found.shape(), [8, 5, 2]);
        table.near(&name(""), &[&floats(&found)], 1e-12);
        let f = RegularGridInterpolator!((&x, &y, &z), &values, method, bounds_error = false, fill_value = -9.0);
        table.near(&name(" fill"), &[&floats(&f.eval(&xi))], 1e-12);
        let f =
            RegularGridInterpolator!((&x, &y, &z), &values, method, bounds_error = false, fill_value = "extrapolate");
        table.near(&name(" extrapolate"), &[&floats(&f.eval(&xi))], 1e-12);
        let plane = values.slice(s![.., .., 0, 0]);
        let xi = xi.slice(s![.., ..2]) * 0.5 + 0.3;
        let found = interpn!((&x, &y), &plane, &xi, method, bounds_error = false, fill_value = "extrapolate");
        table.near(&format!("interpn {method}"), &[&floats(&found)], 1e-12);
    }
    let pairs = |one: &[f64], other: &[f64]| gpu::stack([&gpu::array(one), &gpu::array(other)], 1);
    let twice: Vec<f64> = samples(60)[30..].iter().map(|x| 2.0 * x).collect();
    let half: Vec<f64> = samples(12).iter().map(|x| 0.5 * x).collect();
    let (points, there) = (pairs(&samples(30), &twice), pairs(&half, &samples(24)[12..]));
    for kernel in [
        "linear",
        "thin_plate_spline",
        "cubic",
        "quintic",
        "multiquadric",
        "inverse_multiquadric",
        "inverse_quadratic",
        "gaussian",
    ] {
        let f = RBFInterpolator!(&points, &wave(60).reshape((30, 2)), kernel = kernel, epsilon = 2.5);
        table.near(&format!("RBFInterpolator {kernel}"), &[&floats(&f.eval(&there))], 1e-7);
    }
    let f = RBFInterpolator!(&points, &wave(30), smoothing = 0.5, degree = 2);
    table.near("RBFInterpolator smooth", &[&floats(&f.eval(&there))], 1e-9);
    let f = NearestNDInterpolator::new(&points, &wave(60).reshape((30, 2)));
    table.near("NearestNDInterpolator", &[&floats(&f.eval(&there.reshape((3, 4, 2))))], 1e-12);
    table.finish();
}

#[test]
fn single_precision_stays_and_wrong_arguments_are_errors() {
    let x = gpu::arange(5.0f32);
    let cs = CubicSpline::new(&x, &(&x * &x));
    let value: DeviceArray<f32> = cs.eval(&gpu::array(&[1.5f32]));
    assert!((value.item() - 2.25).abs() < 1e-6);
    assert_eq!(cs.eval(&gpu::array(&[2])).item(), 4.0f64);
    assert_eq!(cs.eval(&gpu::zeros::<f64>((0, 3))).shape(), [0, 3]);
    assert!(cs.eval(&gpu::array(&[f64::NAN])).item().is_nan());
    let message = |of: fn()| *std::panic::catch_unwind(of).expect_err("an error").downcast::<String>().unwrap();
    let fails = [
        (message(|| drop(CubicSpline::new(&gpu::array(&[0.0, 0.0]), &gpu::arange(2.0)))), "not increasing"),
        (message(|| drop(CubicSpline::new(&gpu::arange(3.0), &gpu::arange(4.0)))), "has not the length 3"),
        (
            message(|| drop(CubicSpline!(&gpu::arange(3.0), &gpu::arange(3.0), bc_type = "periodic"))),
            "one value at both",
        ),
        (message(|| drop(CubicSpline!(&gpu::arange(3.0), &gpu::arange(3.0), bc_type = "free"))), "\"free\""),
        (message(|| drop(interp1d!(&gpu::arange(3.0), &gpu::arange(3.0), kind = "cubic"))), "4 points"),
        (message(|| drop(interp1d(&gpu::arange(3.0), &gpu::arange(3.0)).eval(&gpu::array(&[-0.5])))), "below 0"),
        (message(|| drop(make_interp_spline(&gpu::arange(3.0), &gpu::arange(3.0), 3))), "too small"),
        (
            message(|| drop(RBFInterpolator!(&gpu::zeros::<f64>((5, 1)), &gpu::arange(5.0), kernel = "gaussian"))),
            "epsilon",
        ),
        (message(|| drop(interpn((&gpu::arange(3.0),), &gpu::arange(3.0), &gpu::array(&[[9.0]])))), "from 0 to 2"),
        (message(|| drop(BSpline::new(&gpu::arange(4.0), &gpu::arange(4.0), 2))), "6 or more"),
    ];
    for (message, wanted) in fails {
        assert!(message.contains(wanted), "{message}");
    }
}
