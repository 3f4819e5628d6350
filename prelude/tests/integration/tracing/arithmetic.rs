//! What is counted of the arithmetic of kernels, and rooflines.

use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{TraceArithmetic, TraceFinding};

#[device]
fn cubed(x: f32) -> f32 {
    x * x * x
}

/// The lines are counted from here.
#[allow(clippy::manual_is_multiple_of, reason = "the operations are counted")]
#[kernel]
fn computes(x: View<f32>, y: View<f64>, n: i32, mut out: ViewMut<f32>, mut wide: ViewMut<f64>) {
    let i = global_idx().x;
    let a = x[i] * 2.0 + 1.0;
    let b = a.mul_add(x[i], -a).sqrt().max(0.5);
    let mut sum = 0.0;
    for k in 0..3 {
        sum += y[i] * k as f64;
    }
    let m = (n << 2) % 7;
    let length = out.len();
    out[(i + length) % length] = if i % 2 == 0 { a - b } else { cubed(b) } + m as f32;
    wide[i] = sum.abs() / 3.0;
}

/// The single, double and integer operations, and the bytes.
fn counts(arithmetic: TraceArithmetic) -> [u64; 4] {
    let TraceArithmetic { single, double, integer, bytes, .. } = arithmetic;
    [single, double, integer, bytes]
}

#[test]
fn operations_are_counted_by_lines_and_types() {
    let (x, y) = (gpu::ones::<f32>(64), gpu::ones::<f64>(64));
    let (mut out, mut wide) = (gpu::zeros::<f32>(64), gpu::zeros::<f64>(64));
    let trace = gpu::launch_traced(computes, 2, 32, (&x, &y, 5, &mut out, &mut wide));
    assert!(trace.error().is_none(), "{:?}", trace.error());
    let report = trace.report();
    let first = serde_json::from_str::<serde_json::Value>(&trace.json()).unwrap()["source"]["first"].as_u64().unwrap();
    let line = |number: usize| counts(report.arithmetic_of(first as usize + number));
    // Each of 64 threads; of two blocks, the one in the middle is the last.
    assert_eq!(line(2), [2 * 64, 0, 0, 4 * 64]);
    // A multiply-add is two, a root and a maximum one each.
    assert_eq!(line(3), [4 * 64, 0, 0, 4 * 64]);
    assert_eq!(line(6), [0, 3 * 2 * 64, 0, 3 * 8 * 64]);
    assert_eq!(line(8), [0, 0, 2 * 64, 0]);
    // A difference in half of the threads, and a sum in all; what `cubed` computes does not count.
    let [single, double, integer, _] = line(10);
    assert_eq!([single, double, integer], [32 + 64, 0, 3 * 64]);
    assert_eq!(line(11), [0, 64, 0, 8 * 64]);
    let all = report.arithmetic();
    assert_eq!((all.single, all.double, all.integer), ((2 + 4 + 1) * 64 + 32, 7 * 64, 5 * 64));
    let row = report.find(first as usize + 3, TraceFinding::Arithmetic).unwrap();
    assert_eq!((row.count, row.value, row.access.as_str()), (2, 128.0, "f32, 1 a byte"));
    let text = format!("{report:?}");
    assert!(text.contains("\nArithmetic: 928 floating-point operations and 320 integer operations, "), "{text}");
    assert!(text.contains("arithmetic: f32, 1 a byte"), "{text}");
    assert!(text.contains(". What `cubed` computes is not counted.\n"), "{text}");
    let json = trace.json();
    assert!(
        json.contains(r#""arithmetic":"256 floating-point operations, 256 bytes of global memory: 1 a byte","rows""#)
    );
}

#[kernel]
fn tiles(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    let mut sum = 0.0;
    for k in 0..a.shape()[1] {
        sum += a[[y, k]] * a[[k, x]];
    }
    out[[y, x]] = sum;
}

#[test]
fn rooflines_count_for_all_blocks() {
    let a = gpu::ones::<f32>((64, 64));
    let mut out = gpu::zeros::<f32>((64, 64));
    let roofline = gpu::roofline(tiles, (4, 4), (16, 16), (&a, &mut out));
    assert!(gpu::array_equal(&out, &gpu::full((64, 64), 64.0f32)));
    assert_eq!(roofline.arithmetic().single, 2 * 64 * 64 * 64);
    // Each block needs 16 rows and 16 columns of 64 numbers, which have 16 × 16 in common, and writes as many.
    assert_eq!(roofline.distinct_bytes(), 16 * (2 * 16 * 64) * 4);
    // A warp has two rows of 16 threads: two sectors of one column, and 16 numbers of a row.
    assert_eq!(roofline.arithmetic().bytes, 128 * 64 * (2 + 2) * 32 + 64 * 64 * 4);
    let text = format!("{roofline:?}");
    println!("{text}");
    assert!(text.starts_with("Roofline of `tiles`, (4, 4) blocks of (16, 16) threads, on "), "{text}");
    assert!(text.contains("3 of 16 blocks"), "{text}");
    match gpu::device() {
        gpu::Device::Cpu => {
            assert!(text.contains("are shown only on a GPU") && !text.contains("occupancy  "), "{text}");
            assert!(roofline.plot().is_none() && roofline.seconds().is_none());
        }
        _ => {
            assert!(roofline.plot().is_some() && roofline.seconds().is_some_and(|seconds| seconds > 0.0), "{text}");
            let occupancy = roofline.occupancy().unwrap();
            assert!(occupancy.fraction() > 0.2 && !occupancy.limits.is_empty(), "{text}");
            assert!(roofline.peak() > Some(1e11) && roofline.copy_bandwidth() > Some(1e10), "{text}");
        }
    }
}

#[kernel]
fn beyond(mut out: ViewMut<f32>) {
    out[global_idx().x + 1] = 1.0;
}

#[test]
fn a_thread_that_fails_is_an_error_of_the_roofline() {
    let mut out = gpu::zeros::<f32>(64);
    let error = gpu::try_roofline(beyond, 2, 32, &mut out).unwrap_err().to_string();
    assert!(error.contains("beyond") && error.contains("64"), "{error}");
    assert_eq!(out.sum(), 0.0);
}
