//! Elements of functions over arrays, step by step.

use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Error, Trace};

#[vectorize]
fn blend(x: f32, y: f64, share: f64) -> f64 {
    let x = f64::from(x);
    if share < 0.0 {
        return x;
    }
    let rest = 1.0 - share;
    share * x + rest * y
}

#[vectorize]
fn halves(n: u32) -> (u32, u32) {
    let mut steps = 0;
    let mut left = n;
    while left > 1 {
        left /= 2;
        steps += 1;
    }
    (steps, left)
}

#[device]
#[derive(Clone, Copy)]
struct Line {
    slope: f32,
    offset: f32,
}

#[device]
fn clipped(x: f32) -> f32 {
    x.clamp(-1.0, 1.0)
}

#[vectorize]
fn on_line(x: f32, line: Line) -> f32 {
    let y = line.slope * x + line.offset;
    clipped(y)
}

#[vectorize]
fn divided(n: i32, by: i32) -> i32 {
    let whole = n / by;
    whole + 1
}

/// What a film tells: the line within the function, and what happens there.
fn told(trace: &Trace) -> Vec<String> {
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let text = |id: &Value| id.as_u64().map_or("", |id| json["texts"][id as usize].as_str().unwrap()).to_owned();
    let array = |id: &Value| json["arrays"][id.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_owned();
    let first = json["source"]["first"].as_i64().unwrap();
    let mut told = Vec::new();
    for step in json["blocks"][0]["steps"].as_array().unwrap() {
        let line = step[1].as_i64().unwrap() - first;
        for effect in &step.as_array().unwrap()[3..] {
            match effect[0].as_str().unwrap() {
                "L" => told.push(format!("{line} {} = {}", text(&effect[1]), text(&effect[2][0]))),
                "R" => {
                    told.push(format!("{line} reads {}[{}]: {}", array(&effect[1]), effect[2][0], text(&effect[3][0])))
                }
                "W" => {
                    told.push(format!("{line} writes {}[{}]: {}", array(&effect[1]), effect[2][0], text(&effect[3][0])))
                }
                "F" => told.push(format!("{line} fails")),
                _ => {}
            }
        }
    }
    told
}

#[test]
fn statements_and_values_of_an_element() {
    let x = gpu::arange(12.0f32).reshape((3, 4));
    let y = gpu::array(&[[10.0f64], [20.0], [30.0]]);
    let trace = gpu::trace_map(blend, (&x, &y, 0.25), (2, 1));
    let expected = [
        "0 reads x[9]: 9",
        "0 reads y[2]: 30",
        "0 reads share[0]: 0.25",
        "0 x = 9",
        "0 y = 30",
        "0 share = 0.25",
        "1 x = 9",
        "5 rest = 0.75",
        "6 writes result[9]: 24.75",
    ];
    assert_eq!(told(&trace), expected);
    assert_eq!(gpu::map(blend, (&x, &y, 0.25)).get(&[2, 1]), 24.75);
    let text = format!("{trace:?}");
    assert!(text.starts_with("Trace of `blend` for the element [2, 1]: "), "{text}");
    assert!(text.contains("\nIt gives 24.75.") && !text.contains("sectors"), "{text}");
    // Another way through it, of a view.
    let trace = gpu::trace_map(blend, (&x.t(), 1.0, -1.0), [3, 2]);
    assert_eq!(told(&trace).last().unwrap(), "3 writes result[11]: 11");
}

#[test]
fn several_results_and_structs() {
    let trace = gpu::trace_map(halves, (9u32,), ());
    let all = told(&trace);
    assert_eq!(all.iter().filter(|line| line.contains("left = ")).count(), 4, "{all:?}");
    assert!(all.ends_with(&["7 writes result.0[0]: 3".to_owned(), "7 writes result.1[0]: 1".to_owned()]), "{all:?}");
    assert!(format!("{trace:?}").contains("It gives (3, 1)."), "{trace:?}");
    let x = gpu::arange(4.0f32);
    let trace = gpu::trace_map(on_line, (&x, Line { slope: 0.25, offset: 0.125 }), 3);
    assert!(told(&trace).contains(&"1 y = 0.875".to_owned()), "{:?}", told(&trace));
    assert!(format!("{trace:?}").contains("It gives 0.875."), "{trace:?}");
}

#[test]
fn an_element_that_fails_is_shown_until_then() {
    let (n, by) = (gpu::arange(4i32), gpu::array(&[1, 2, 0, 4]));
    let trace = gpu::trace_map(divided, (&n, &by), 2);
    let error = trace.error().expect("a division by zero").to_string();
    assert!(error.contains("in the element [2], an integer was divided by zero"), "{error}");
    assert_eq!(told(&trace).last().unwrap(), "1 fails");
    assert!(gpu::trace_map(divided, (&n, &by), 3).error().is_none());
}

#[test]
fn elements_that_are_not_there_are_refused() {
    let x = gpu::arange(4.0f32);
    for index in [vec![4], vec![0, 0], vec![]] {
        let error = gpu::try_trace_map(on_line, (&x, Line { slope: 1.0, offset: 0.0 }), &index).map(drop).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error:?}");
        assert!(error.to_string().contains("has the shape [4], and so no element"), "{error}");
    }
    let error = gpu::try_trace_map(gpu::fuse!(|x: f32| x + 1.0), &x, 0).map(drop).unwrap_err().to_string();
    assert!(error.contains("a formula of `fuse!` has no lines to step through"), "{error}");
}

#[test]
fn one_element_of_a_large_array_is_enough() {
    let x = gpu::arange(100_000.0f32);
    let trace = gpu::trace_map(on_line, (&x, Line { slope: 1e-6, offset: 0.0 }), 99_999);
    assert!(told(&trace).contains(&"0 reads x[99999]: 99999".to_owned()), "{:?}", told(&trace));
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    assert!(json["arrays"][0]["initial"].is_null());
    assert!(trace.html().len() < 100_000, "{}", trace.html().len());
}
