//! What is made of Rust functions for CUDA devices, as users see it; and that it computes what the host does.

use warpcell as gpu;
use warpcell::prelude::*;

#[device]
fn weighted(x: f32, weight: f32) -> f32 {
    x * weight
}

#[vectorize]
fn mixed(x: f32, y: f32) -> f32 {
    let sum = weighted(x, 0.75) + y * y;
    if sum > 1.0 { sum - 1.0 / 3.0 } else { sum * x - y }
}

#[vectorize]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

fn plain(x: f32) -> f32 {
    x
}

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

const FAR: Point = Point { x: 100.0, y: 0.0 };

#[vectorize]
fn to_far(x: f32) -> f32 {
    FAR.x - x + FAR.y
}

#[test]
fn the_source_has_the_function_what_it_calls_and_a_kernel() {
    let text = gpu::cuda_source(mixed);
    for part in ["// let sum = weighted(x, 0.75) + y * y;", "// x * weight", "__global__", "packed_mixed"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(!text.contains("warpcell_record"), "what cannot fail has no record:\n{text}");
    let text = gpu::cuda_source(quotient);
    assert!(text.contains("warpcell_record"), "{text}");
}

#[test]
fn a_constant_brings_the_struct_that_it_is_of() {
    let text = gpu::cuda_source(to_far);
    assert!(text.contains("f32 x;") && text.contains("const Point FAR = {100.0f, 0.0f}"), "{text}");
    assert_eq!(gpu::map(to_far, &gpu::array(&[1.0f32])).item(), 99.0);
}

#[test]
fn formulas_have_a_source_too() {
    let scale = 0.5f32;
    let text = gpu::cuda_source(fuse!(|x: f32, y: f32| (x - y) * scale));
    assert!(text.contains("(x - y) * scale"), "{text}");
    assert!(text.contains("float x2"), "what was captured is a value of the kernel:\n{text}");
    let text = gpu::cuda_source(fuse!(|x: f32, y: f32| sum((x - y) * (x - y))));
    assert!(text.contains("deliver_whole"), "{text}");
}

#[test]
fn functions_without_the_attribute_have_none() {
    let error = gpu::try_cuda_source(plain).unwrap_err().to_string();
    assert!(error.starts_with("cuda_source: ") && error.contains("#[vectorize]"), "{error}");
    let error = gpu::try_ptx(plain).unwrap_err().to_string();
    assert!(error.starts_with("ptx: "), "{error}");
}

/// One test, since the setting is the process's.
#[test]
fn contraction_is_a_setting_and_without_it_results_are_the_hosts() {
    let contracted = gpu::try_ptx(mixed);
    let (x, y) = (gpu::random::uniform(-2.0f32, 2.0, 100_003), gpu::random::uniform(-2.0f32, 2.0, 100_003));
    gpu::set_fmad(false);
    let rounded_apart = gpu::try_ptx(mixed);
    let here = gpu::map(mixed, (&x, &y)).to_host();
    gpu::set_fmad(true);
    let on_host = gpu::host::map(mixed, (&x.to_host(), &y.to_host()));
    assert!(here.iter().zip(&on_host).all(|(here, there)| here.to_bits() == there.to_bits()));
    match (contracted, rounded_apart) {
        (Ok(contracted), Ok(rounded_apart)) => {
            assert!(contracted.contains(".target sm_") && contracted.contains(".entry packed_mixed"), "{contracted}");
            assert!(contracted.contains("fma.rn.f32") && !rounded_apart.contains("fma.rn.f32"), "{rounded_apart}");
        }
        (Err(error), _) | (_, Err(error)) => assert!(matches!(error, gpu::Error::LibraryMissing { .. }), "{error}"),
    }
}
