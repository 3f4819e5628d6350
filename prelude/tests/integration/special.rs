//! Special functions against SciPy's, from tests/parity/special.py.

use std::collections::BTreeMap;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::special::{self, scalar};

/// Arguments, by their places, and SciPy's results.
struct Case {
    arguments: Vec<Vec<f64>>,
    results: Vec<f64>,
}

fn table() -> BTreeMap<String, Case> {
    let text = include_str!("../../../tests/parity/special.json");
    let rows: BTreeMap<String, Vec<Vec<serde_json::Value>>> = serde_json::from_str(text).expect("a table");
    let number = |of: &serde_json::Value| of.as_f64().unwrap_or_else(|| of.as_str().unwrap().parse().unwrap());
    let case = |columns: Vec<Vec<serde_json::Value>>| {
        let mut arguments: Vec<Vec<f64>> = columns.iter().map(|column| column.iter().map(number).collect()).collect();
        let results = arguments.pop().expect("the results");
        Case { arguments, results }
    };
    rows.into_iter().map(|(name, columns)| (name, case(columns))).collect()
}

/// What the functions of `f64`, of `f32` and of numbers give for the arguments.
fn results(name: &str, of: &[Vec<f64>]) -> [Vec<f64>; 3] {
    let doubles: Vec<DeviceArray<f64>> = of.iter().map(|column| gpu::array(column)).collect();
    let singles: Vec<DeviceArray<f32>> = doubles.iter().map(|column| column.astype()).collect();
    let wide = |a: DeviceArray<f32>| a.astype::<f64>().tolist();
    let lines = 0..of[0].len();
    macro_rules! by_count {
        ($($one:ident)*; $($two:ident)*; $($three:ident)*) => {
            match name {
                $(stringify!($one) => [
                    special::$one(&doubles[0]).tolist(),
                    wide(special::$one(&singles[0])),
                    lines.map(|line| scalar::$one(of[0][line])).collect(),
                ],)*
                $(stringify!($two) => [
                    special::$two(&doubles[0], &doubles[1]).tolist(),
                    wide(special::$two(&singles[0], &singles[1])),
                    lines.map(|line| scalar::$two(of[0][line], of[1][line])).collect(),
                ],)*
                $(stringify!($three) => [
                    special::$three(&doubles[0], &doubles[1], &doubles[2]).tolist(),
                    wide(special::$three(&singles[0], &singles[1], &singles[2])),
                    lines.map(|line| scalar::$three(of[0][line], of[1][line], of[2][line])).collect(),
                ],)*
                _ => panic!("no function {name}"),
            }
        };
    }
    by_count! {
        erf erfc erfcx erfinv erfcinv ndtr ndtri log_ndtr gamma gammaln loggamma gammasgn rgamma digamma psi riemann_zeta j0 j1 y0 y1 i0 i0e i1 i1e k0 k0e k1 k1e ellipk ellipkm1 exp1 expit logit log_expit exp10 exprel cosm1 entr sindg cosdg tandg cotdg;
        polygamma zeta beta betaln binom poch gammainc gammaincc chdtr chdtrc pdtr pdtrc stdtr xlogy xlog1py rel_entr kl_div huber pseudo_huber boxcox boxcox1p inv_boxcox inv_boxcox1p;
        betainc betaincc bdtr bdtrc fdtr fdtrc gdtr gdtrc radian
    }
}

/// Whether the number is the expected one up to a share of it, or of the amplitude of functions that oscillate.
fn is_near(name: &str, value: f64, expected: f64, tolerance: f64) -> bool {
    if value.is_nan() || expected.is_nan() || value.is_infinite() || expected.is_infinite() {
        return value == expected || (value.is_nan() && expected.is_nan());
    }
    let oscillates = ["j0", "j1", "y0", "y1", "digamma", "psi", "gammaln", "loggamma"].contains(&name);
    let size = if oscillates { expected.abs().max(0.1) } else { expected.abs() };
    (value - expected).abs() <= tolerance * size + 1e-305
}

#[test]
fn all_agree_with_scipy() {
    let table = table();
    assert!(table.len() > 70, "{}", table.len());
    let mut wrong = Vec::new();
    for (name, case) in &table {
        let [doubles, singles, numbers] = results(name, &case.arguments);
        for line in 0..case.results.len() {
            let expected = case.results[line];
            let arguments: Vec<f64> = case.arguments.iter().map(|column| column[line]).collect();
            for (kind, value, tolerance) in [("f64", doubles[line], 2e-12), ("a number", numbers[line], 2e-12)] {
                if !is_near(name, value, expected, tolerance) {
                    wrong.push(format!("{name}{arguments:?}, {kind}: {value:e}, not {expected:e}"));
                }
            }
            // The arguments are those of `f32` too, so this is the result rounded, where it is a normal number.
            let fits = expected.abs() > 1e-37 && expected.abs() < 3e38 || expected == 0.0 || !expected.is_finite();
            if fits && !is_near(name, singles[line], expected, 1e-7) {
                wrong.push(format!("{name}{arguments:?}, f32: {:e}, not {expected:e}", singles[line]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} results:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn arguments_broadcast_and_may_be_numbers() {
    let a = gpu::array(&[[0.5], [2.0]]);
    let x = gpu::array(&[0.0, 1.0, 3.0]);
    let all = special::gammainc(&a, &x);
    assert_eq!(all.shape(), [2, 3]);
    assert_eq!(all.get(&[1, 2]), scalar::gammainc(2.0, 3.0));
    assert_eq!(special::gammainc(2.0, &x).tolist(), all.slice(s![1, ..]).tolist());
    assert_eq!(special::gammainc(&a, 1.0).shape(), [2, 1]);
    assert_eq!(special::gammainc(2.0, 3.0).shape(), [0usize; 0]);
    assert_eq!(special::gamma(5.0f32).item(), 24.0);
    assert_eq!(special::gamma(&gpu::zeros::<f64>((0, 3))).shape(), [0, 3]);
    let columns = gpu::ones::<f64>((2, 3));
    let failed = std::panic::catch_unwind(|| special::beta(&columns, &gpu::ones::<f64>(2)));
    assert!(failed.is_err(), "shapes that do not broadcast");
}

#[device]
fn log_evidence(a: f64, b: f64) -> f64 {
    scalar::betaln(a + 1.0, b) - scalar::betaln(a, b)
}

#[vectorize]
fn evidence(a: f64, b: f64) -> f64 {
    log_evidence(a, b).exp() * special::scalar::erfcx(0.0)
}

#[test]
fn functions_of_cells_call_them() {
    let a = gpu::array(&[1.0, 2.0, 30.0]);
    assert!(gpu::allclose(&gpu::map(evidence, (&a, 2.0)), &(&a / (&a + 2.0))));
    assert!(gpu::allclose(&gpu::map(scalar::gammaln, &a), &special::gammaln(&a)));
    assert!(gpu::cuda_source(evidence).contains("__global__"));
}

#[test]
fn sums_of_exponentials() {
    let infinity = f64::INFINITY;
    let a =
        gpu::array(&[[1.0, 2.0, 3.0], [1000.0, 0.0, 1000.0], [-infinity, -infinity, -infinity], [infinity, 0.0, 1.0]]);
    let sums = special::logsumexp!(&a, axis = -1).tolist();
    // SciPy's `logsumexp`.
    assert!((sums[0] - 3.4076059644443806).abs() < 1e-15 && sums[1] == 1000.6931471805599);
    assert_eq!(sums[2..], [-infinity, infinity]);
    assert_eq!(special::logsumexp(&gpu::array(&[0.0, -60.0])), 8.75651076269652e-27);
    assert!(special::logsumexp(&gpu::array(&[0.0, f64::NAN])).is_nan());
    assert_eq!(special::logsumexp!(&a.slice(s![..2, ..]), axis = 0).shape(), [3]);
    let softmax = special::softmax!(&a.slice(s![..2, ..]), axis = 1);
    let by_kernels = gpu::by_kernels(|| special::softmax!(&a.slice(s![..2, ..]), axis = 1));
    assert!(
        gpu::allclose(&by_kernels, &softmax) && gpu::by_kernels(|| special::softmax(&a.astype::<f32>())).sum().is_nan()
    );
    assert!(gpu::allclose(&softmax.slice(s![0, ..]), &[0.09003057317038046, 0.24472847105479767, 0.6652409557748219]));
    assert_eq!(softmax.slice(s![1, ..]).tolist(), [0.5, 0.0, 0.5]);
    let logs = special::log_softmax!(&gpu::array(&[[1.0f32, 2.0, 3.0], [0.0, -500.0, 0.0]]), axis = 1);
    assert!(gpu::allclose(&logs.slice(s![0, ..]), &[-2.407606f32, -1.407606, -0.40760595]));
    assert_eq!(logs.get(&[1, 1]), -500.0f32 - 2.0f32.ln());
    assert_eq!(special::softmax(&gpu::zeros::<f32>((0, 2))).shape(), [0, 2]);
    assert!(std::panic::catch_unwind(|| special::softmax!(&gpu::ones::<f64>((2, 2)), axis = 2)).is_err());
    assert!(std::panic::catch_unwind(|| special::logsumexp(&gpu::zeros::<f64>(0))).is_err());
}
