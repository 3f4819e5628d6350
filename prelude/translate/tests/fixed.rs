//! Kernels for values that are known when they are compiled.

mod program;

use warpcell_translate::{KernelOptions, Parameter, Scalar, translate_kernel};

#[test]
fn known_values_are_constants() {
    let text = "
#[kernel]
fn sums(x: View<f64>, size: usize, sign: i32, is_mean: bool, mut out: ViewMut<f64>) {
    let i = global_idx().x;
    let mut sum = 0.0;
    for k in 0..size {
        sum += x[i + k];
    }
    for k in 0..(sign & 3) as usize {
        sum += x[k];
    }
    out[i] = if is_mean { sum / size as f64 } else { sum };
}";
    let program = program::program(text, &[]);
    let view = |changing| Parameter::View { element: Scalar::F64, rank: 1, contiguous: true, changing };
    let known = |size| {
        let fixed = [
            Parameter::Fixed(Scalar::Usize, size),
            Parameter::Fixed(Scalar::I32, -2),
            Parameter::Fixed(Scalar::Bool, 1),
        ];
        let parameters = [&[view(false)], &fixed[..], &[view(true)]].concat();
        translate_kernel("sums", &parameters, KernelOptions { checked: false }, &program).unwrap()
    };
    let kernel = known(5);
    assert!(
        kernel
            .source
            .contains("sums_kernel(const __grid_constant__ View1_f64 x, const __grid_constant__ ViewMut1_f64 out)")
    );
    for constant in ["usize size = 5ULL;", "i32 sign = -2;", "bool is_mean = true;"] {
        assert!(kernel.source.contains(&format!("[[maybe_unused]] constexpr {constant}")), "{}", kernel.source);
    }
    // Loops of few passes are written out, also where the number of passes is computed; none of them looks at whether to stop.
    assert_eq!(kernel.source.matches("#pragma unroll").count(), 2, "{}", kernel.source);
    assert!(!kernel.may_fail);
    assert_eq!(known(5000).source.matches("#pragma unroll").count(), 1);
    // Without such values a loop is left to the compiler.
    let plain = [
        view(false),
        Parameter::Scalar(Scalar::Usize),
        Parameter::Scalar(Scalar::I32),
        Parameter::Scalar(Scalar::Bool),
        view(true),
    ];
    let plain = translate_kernel("sums", &plain, KernelOptions { checked: false }, &program).unwrap();
    assert!(!plain.source.contains("#pragma"));
    let wrong = [
        view(false),
        Parameter::Fixed(Scalar::I64, 5),
        Parameter::Scalar(Scalar::I32),
        Parameter::Scalar(Scalar::Bool),
        view(true),
    ];
    assert!(translate_kernel("sums", &wrong, KernelOptions { checked: false }, &program).is_err());
}
