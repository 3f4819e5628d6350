//! Formulas along rows: that their programs compile, and what they give on a GPU.

use super::nvrtc;
use crate::backend::ReduceOperation;
use crate::backend::cuda::map::program::Stages;
use crate::fuse;
use expect_test::expect_file;
use ndarray::s;
use warpcell_translate::{FunctionParameter, Scalar, Translation};

/// A function of `inputs` elements of a type, and of as many values of earlier formulas as there are, which adds all of them.
fn sum_of_all(stage: usize, inputs: usize, captured: usize, scalar: Scalar, name: &str) -> Translation {
    let count = inputs + stage + captured;
    let parameters: Vec<String> = (0..count).map(|number| format!("{name} p{number}")).collect();
    let terms: Vec<String> = (0..count).map(|number| format!("p{number}")).collect();
    let source = format!(
        "namespace rust {{\n__device__ inline {name} all({}) {{ return {}; }}\n}}\n",
        parameters.join(", "),
        terms.join(" + ")
    );
    Translation {
        support: format!("typedef {name} number;\n"),
        source,
        name: "rust::all".to_owned(),
        parameters: vec![FunctionParameter::Scalar(scalar); count],
        results: vec![scalar],
        result_type: name.to_owned(),
        may_fail: false,
        functions: vec!["all".to_owned()],
    }
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_formulas_along_rows() {
    use ReduceOperation::{Max, Min, Product, Sum};
    let nvrtc = nvrtc();
    for (scalar, name) in [(Scalar::F32, "float"), (Scalar::F64, "double")] {
        for (reductions, aligned, threads, scalars, vectors, kept) in [
            (vec![Some(Max), Some(Sum), None], true, 512, 0, 0, None),
            (vec![Some(Max), Some(Sum), None], true, 512, 0, 0, Some(5)),
            (vec![Some(Min), Some(Product)], false, 32, 0b10, 0b01, Some(1)),
            (vec![Some(Sum)], true, 256, 0, 0b10, None),
        ] {
            let translations: Vec<Translation> =
                (0..reductions.len()).map(|stage| sum_of_all(stage, 2, stage, scalar, name)).collect();
            let stages = Stages { reductions, inputs: 2, scalars, vectors, aligned, threads, kept, contracts: true };
            for stages in [stages.general(512), stages] {
                let program = stages.program(&translations.iter().collect::<Vec<_>>()).expect("a program");
                let made = super::compiled(&nvrtc, threads / 32, "along.cu", &program.source);
                made.unwrap_or_else(|error| panic!("{error}\n{}", program.source));
            }
        }
    }
}

/// A softmax over the columns of rows, as it is translated: where rows fit into registers, and where they do not.
#[test]
fn text_of_a_softmax() {
    let function = |stage: usize, parameters: &str, result: &str| {
        let name = ["largest", "powers", "shares"][stage];
        let mut translation = sum_of_all(stage, 1, 0, Scalar::F32, "float");
        translation.source =
            format!("namespace rust {{\n__device__ inline float {name}({parameters}) {{ return {result}; }}\n}}\n");
        translation.name = format!("rust::{name}");
        translation
    };
    let translations = [
        function(0, "float x", "x"),
        function(1, "float x, float largest", "expf(x - largest)"),
        function(2, "float x, float largest, float total", "expf(x - largest) / total"),
    ];
    let text = |kept: Option<usize>| {
        let reductions = vec![Some(ReduceOperation::Max), Some(ReduceOperation::Sum), None];
        let stages =
            Stages { reductions, inputs: 1, scalars: 0, vectors: 0, aligned: true, threads: 64, kept, contracts: true };
        let source = stages.program(&translations.each_ref()).expect("a program").source;
        // Without what is the same in all reductions.
        let (head, states) = source.split_once("#define WARPCELL_MAP").unwrap();
        format!("{head}{}", &states[states.find("template <typename S> union").unwrap()..])
    };
    expect_file!["snapshots/softmax_kept.cu"].assert_eq(&text(Some(2)));
    expect_file!["snapshots/softmax.cu"].assert_eq(&text(None));
}

#[test]
fn only_floats_are_reduced_along_rows() {
    let one = sum_of_all(0, 1, 0, Scalar::I32, "int");
    let stages = |reduction| Stages {
        reductions: vec![Some(reduction)],
        inputs: 1,
        scalars: 0,
        vectors: 0,
        aligned: true,
        threads: 32,
        kept: None,
        contracts: true,
    };
    assert!(stages(ReduceOperation::Sum).program(&[&one]).is_none());
    let one = sum_of_all(0, 1, 0, Scalar::F32, "float");
    assert!(stages(ReduceOperation::Sum).program(&[&one]).is_some());
    assert!(stages(ReduceOperation::ArgMax).program(&[&one]).is_none());
}

/// Against obvious loops in `f64`.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_kernels_along_rows() {
    assert!(crate::device_info().starts_with("cuda"), "no CUDA device");
    let near = |found: f64, expected: f64, what: &str| {
        assert!((found - expected).abs() <= 2e-5 * expected.abs().max(1e-3), "{what}: {found} in place of {expected}");
    };
    for (rows, length) in [(16, 2), (100, 7), (33, 64), (40, 1000), (17, 4096), (20, 10_001), (1000, 256)] {
        let what = format!("{rows} rows of {length}");
        let x = crate::random::uniform(-2.0f32, 2.0, (rows, length));
        let weights = crate::random::uniform(0.5f32, 1.5, length);
        let (host, of_columns) = (x.to_host(), weights.to_host());
        let softmax = (
            fuse!(|x: f32| max(x)),
            fuse!(|x: f32, largest: f32| sum((x - largest).exp())),
            fuse!(|x: f32, largest: f32, total: f32| (x - largest).exp() / total),
        );
        let found = crate::map_along(softmax, &x, 1).to_host();
        let named = crate::keywords::softmax(&x, 1isize).to_host();
        let count = length as f32;
        let scale = 3.0f32;
        let centred = (
            fuse!(|x: f32, w: f32, by: f32| sum(x * by / count + 0.0 * w)),
            fuse!(|x: f32, w: f32, by: f32, mean: f32| (x * by - mean) * w * scale),
        );
        let scaled = crate::map_along(centred, (&x, &weights, 2.0f32), -1).to_host();
        let squares = crate::map_along((fuse!(|x: f32| sum(x * x)),), &x, 1).to_host();
        let wide = x.astype::<f64>();
        let least = (fuse!(|x: f64| min(x)), fuse!(|x: f64, low: f64| x - low));
        let above = crate::map_along(least, &wide, 1).to_host();
        for row in 0..rows {
            let own: Vec<f64> = (0..length).map(|column| f64::from(host[[row, column]])).collect();
            let largest = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let lowest = own.iter().copied().fold(f64::INFINITY, f64::min);
            let total: f64 = own.iter().map(|x| (x - largest).exp()).sum();
            let mean = own.iter().sum::<f64>() * 2.0 / length as f64;
            near(squares[[row]].into(), own.iter().map(|x| x * x).sum(), &what);
            for column in 0..length {
                near(found[[row, column]].into(), (own[column] - largest).exp() / total, &what);
                assert_eq!(found[[row, column]], named[[row, column]], "{what}");
                let expected = (own[column] * 2.0 - mean) * f64::from(of_columns[[column]]) * 3.0;
                assert!((f64::from(scaled[[row, column]]) - expected).abs() < 1e-4, "{what}");
                assert_eq!(above[[row, column]], own[column] - lowest, "{what}");
            }
        }
    }
}

/// Formulas over views of one array, moved by some rows and columns: their neighbours begin at even and at odd places, in rows of even and of
/// odd lengths, and one array is no view of the same.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_formulas_over_views_of_one_array() {
    assert!(crate::device_info().starts_with("cuda"), "no CUDA device");
    formulas_over_views_of_one_array();
}

#[test]
fn formulas_over_views_of_one_array() {
    for (rows, columns) in [(64, 64), (65, 63), (31, 130), (200, 301), (25, 1024)] {
        for first in [0usize, 1] {
            let a = crate::random::uniform(-2.0f32, 2.0, (2, rows + 5, columns + 6));
            let host = a.to_host();
            let part = |down: usize, right: usize| s![.., down..down + rows, first + right..first + right + columns];
            let moved = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)];
            let [c, n, s, w, e] = moved.map(|(down, right)| a.slice(part(down, right)));
            let of = moved.map(|(down, right)| host.slice(part(down, right)).to_owned());
            let what = format!("{rows} by {columns} from {first}");
            let mean = fuse!(|c: f32, n: f32, s: f32, w: f32, e: f32| (c + n + s + w + e) * 0.2);
            let expected = (&of[0] + &of[1] + &of[2] + &of[3] + &of[4]) * 0.2;
            assert!(crate::map(mean, (&c, &n, &s, &w, &e)).to_host() == expected.into_dyn(), "a mean of {what}");
            // Rows apart, and another array among them.
            let other = crate::random::uniform(-1.0f32, 1.0, (columns, rows));
            let of_other = other.to_host().into_shape_with_order((1, columns, rows)).unwrap().permuted_axes([0, 2, 1]);
            let far = a.slice(part(5, 4));
            let sum = fuse!(|near: f32, other: f32, far: f32, beside: f32| near - other + far - beside);
            let expected = &of[1] - &of_other + host.slice(part(5, 4)) - &of[3];
            let found = crate::map(sum, (&n, &other.t(), &far, &w));
            assert!(found.to_host() == expected.into_dyn(), "a sum of {what}");
            // Over one of the views themselves.
            let mut target = a.slice(part(0, 0));
            let before = target.to_host();
            let step = fuse!(|x: f32, above: f32, below: f32| x + above * 2.0 - below);
            let expected = before + host.slice(part(1, 0)).mapv(|x| x * 2.0) - host.slice(part(2, 0));
            crate::map_into(step, (&target.clone(), &a.slice(part(1, 0)), &a.slice(part(2, 0))), &mut target);
            assert!(target.to_host() == expected.into_dyn(), "a step over {what}");
        }
    }
}

/// Operations and formulas over arrays with strides that are large enough to be taken by rows or by tiles.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_elements_by_rows() {
    assert!(crate::device_info().starts_with("cuda"), "no CUDA device");
    for (rows, columns) in [(25, 26), (64, 31), (3, 770), (70, 1024), (5, 5000), (1001, 1025), (2, 12_287)] {
        let a = crate::random::uniform(-2.0f32, 2.0, (2, rows + 2, columns + 3));
        let host = a.to_host();
        #[allow(clippy::reversed_empty_ranges, reason = "negative bounds count from the end")]
        let parts = (s![.., 1..-1, 2..-1], s![.., ..-2, 1..-2]);
        let (x, y) = (a.slice(parts.0), a.slice(parts.1));
        let (of_x, of_y) = (host.slice(parts.0).to_owned(), host.slice(parts.1).to_owned());
        let same = |found: ndarray::ArrayD<f32>, expected: ndarray::Array3<f32>, what: &str| {
            assert!(found == expected.into_dyn(), "{what} of {rows} rows of {columns}");
        };
        same((&x + &y).to_host(), &of_x + &of_y, "sums");
        same((&x * 3.0f32).to_host(), &of_x * 3.0, "products with a number");
        same((2.0f32 - &y).to_host(), 2.0 - &of_y, "a number less");
        same(x.copy().to_host(), of_x.clone(), "a copy");
        same(x.abs().to_host(), of_x.mapv(f32::abs), "sizes");
        same(y.astype::<f64>().astype::<f32>().to_host(), of_y.clone(), "a conversion");
        let formula = fuse!(|x: f32, y: f32, by: f32| x * by - y);
        same(crate::map(formula, (&x, &y, 2.0f32)).to_host(), &of_x * 2.0 - &of_y, "a formula");
        let turned = crate::random::uniform(0.0f32, 1.0, (columns, rows));
        let of_turned = turned.to_host().into_shape_with_order((1, columns, rows)).unwrap().permuted_axes([0, 2, 1]);
        same(crate::map(formula, (&x, &turned.t(), 2.0f32)).to_host(), &of_x * 2.0 - &of_turned, "a formula across");
        let lines = crate::random::uniform(0.0f32, 1.0, (rows, 1));
        let of_lines = lines.to_host().into_shape_with_order((1, rows, 1)).unwrap();
        same((&x + &lines).to_host(), &of_x + &of_lines, "lines");
        same((&x.t().t() + &x).to_host(), &of_x + &of_x, "views of views");
        let target = crate::zeros::<f32>((2, rows + 2, columns + 3));
        let mut part = target.slice(parts.0);
        part.assign(&y);
        let mut expected = ndarray::Array3::<f32>::zeros((2, rows + 2, columns + 3));
        expected.slice_mut(parts.0).assign(&of_y);
        same(target.to_host(), expected, "what is set");
    }
}
