//! Complex numbers: how they are written, what is generated, and what is said of what they lack.

mod program;

use expect_test::expect;
use warpcell_translate::{Role, Scalar, Value, check};

/// Literals whose type follows later, operators with floats, parts, functions, a constant.
#[test]
fn they_are_structs_in_cuda_c() {
    let text = "
#[device]
fn turned(z: gpu::Complex<f64>, by: f64) -> Complex64 {
    let Complex { re, im } = z;
    Complex { im: by * re, re: -im }
}

#[vectorize]
fn escape(c: Complex<f64>, most: i32) -> (i32, Complex64) {
    let mut z = Complex::new(0.0, 0.0);
    let shift = 2.0 * Complex::I - SHIFT;
    for step in 0..most {
        if z.norm_sqr() > 4.0 || z == c {
            return (step, z);
        }
        z = z * z + turned(c, 0.5) / shift;
        z *= 1.5;
        z.im -= 1.0;
    }
    (most, (-z.conj()).exp() + Complex::from_polar(1.0, z.arg()))
}";
    let bits = |re: f64, im: f64| u128::from(re.to_bits()) | u128::from(im.to_bits()) << 64;
    let constants = [("SHIFT", Value::Scalar(Scalar::C128, bits(0.5, -2.0)))];
    let translation = program::program(text, &constants).translate("escape").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        struct Tuple2_i32_Complex64 {
            i32 _0;
            Complex64 _1;
        };

        __device__ const Complex64 SHIFT = Complex64{0.5, -2.0};

        // fn turned(z: gpu::Complex<f64>, by: f64) -> Complex64 {
        __device__ inline Complex64 turned(Complex64 z, f64 by) {
            // let Complex { re, im } = z;
            const f64 re = z.re;
            const f64 im = z.im;
            // Complex { im: by * re, re: -im }
            return Complex64{-im, by * re};
        }

        // fn escape(c: Complex<f64>, most: i32) -> (i32, Complex64) {
        __device__ inline Tuple2_i32_Complex64 escape(Complex64 c, i32 most) {
            // let mut z = Complex::new(0.0, 0.0);
            Complex64 z = Complex64_new(0.0, 0.0);
            // let shift = 2.0 * Complex::I - SHIFT;
            const Complex64 shift = 2.0 * Complex64_i() - SHIFT;
            // for step in 0..most {
            for (i32 step = 0; step < most; ++step) {
                // if z.norm_sqr() > 4.0 || z == c {
                bool value = Complex64_norm_sqr(z) > 4.0;
                if (!value) {
                    value = z == c;
                }
                if (value) {
                    // return (step, z);
                    return Tuple2_i32_Complex64{step, z};
                }
                // z = z * z + turned(c, 0.5) / shift;
                z = z * z + turned(c, 0.5) / shift;
                // z *= 1.5;
                z *= 1.5;
                // z.im -= 1.0;
                z.im -= 1.0;
            }
            // (most, (-z.conj()).exp() + Complex::from_polar(1.0, z.arg()))
            return Tuple2_i32_Complex64{most, Complex64_exp(-Complex64_conj(z)) + Complex64_from_polar(1.0, Complex64_arg(z))};
        }

        } // namespace rust
    "#]].assert_eq(&translation.source);
    assert_eq!(
        (translation.scalars().collect::<Vec<_>>(), translation.results),
        (vec![Scalar::C128, Scalar::I32], vec![Scalar::I32, Scalar::C128])
    );
}

/// A struct of the user's has that name too.
#[test]
fn a_struct_of_the_users_may_be_called_complex() {
    let text = "
struct Complex {
    re: f32,
    im: f32,
    exact: bool,
}

#[device]
fn square(z: Complex) -> Complex {
    Complex { re: z.re * z.re - z.im * z.im, im: 2.0 * z.re * z.im, ..z }
}

#[vectorize]
fn real_part_of_square(re: f32, im: f32) -> f32 {
    square(Complex { re, im, exact: false }).re + gpu::Complex::new(re, im).norm()
}";
    let translation = program::program(text, &[]).translate("real_part_of_square").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        // struct Complex {
        //     re: f32,
        //     im: f32,
        //     exact: bool,
        struct Complex {
            f32 re;
            f32 im;
            bool exact;
        };

        // fn square(z: Complex) -> Complex {
        __device__ inline Complex square(Complex z) {
            // Complex { re: z.re * z.re - z.im * z.im, im: 2.0 * z.re * z.im, ..z }
            return Complex{z.re * z.re - z.im * z.im, 2.0f * z.re * z.im, z.exact};
        }

        // fn real_part_of_square(re: f32, im: f32) -> f32 {
        __device__ inline f32 real_part_of_square(f32 re, f32 im) {
            // square(Complex { re, im, exact: false }).re + gpu::Complex::new(re, im).norm()
            return square(Complex{re, im, false}).re + Complex32_norm(Complex32_new(re, im));
        }

        } // namespace rust
    "#]]
    .assert_eq(&translation.source);
}

#[test]
fn whose_complex_is_meant_is_seen_in_the_code() {
    for (text, is_own) in [
        ("fn f(x: f32) -> f32 { let z = Complex { re: x, im: x }; z.re }", false),
        ("fn f(x: f32) -> f32 { g(&Complex { re: x, im: x }) }", false),
        ("fn f(x: f32) -> f32 { let z: gpu::Complex<f32> = Complex::new(x, x); z.re }", false),
        ("fn f(x: f32) -> f32 { let z = Complex { re: x, im: x }; let w: Complex = z; w.re }", true),
        ("fn f(x: f32) -> Complex { Complex { re: x, im: x } }", true),
        ("fn f(z: &Complex) -> f32 { z.re }", true),
        ("fn f(x: f32) -> f32 { let z = Complex { re: x, im: x, exact: true }; z.re }", true),
    ] {
        let references = check(&syn::parse_str(text).unwrap(), Role::Device).unwrap();
        assert_eq!(references.structs.len(), usize::from(is_own), "{text}");
    }
}

/// What other items give is not known when a function is looked at alone: it may be complex beside a float.
#[test]
fn what_is_not_known_yet_is_neither_a_float_nor_complex() {
    for text in [
        "fn f(t: f64) -> f64 { (turned(t) * 2.0).norm() }",
        "fn f(t: f64) -> f64 { (0.5 * camera(t).centre).re }",
        "fn f(t: f64) -> f64 { (SHIFT * t).re + (t * SHIFT).im }",
        "fn f(x: f32, z: Complex<f32>) -> f32 { let g = gain(x); let y = z * g; y.re + g.max(1.0) }",
    ] {
        assert!(check(&syn::parse_str(text).unwrap(), Role::Device).is_ok(), "{text}");
    }
    let formula = syn::parse_str("fn formula(x: f64) -> _ { (w * x).norm() }").unwrap();
    assert!(check(&formula, Role::Formula).is_ok());
}

#[test]
fn what_they_lack_has_a_substitute() {
    let said = [
        "Complex::new(x, 1.0).abs()",
        "Complex32::new(x, 1.0).angle()",
        "Complex::new(x, 1.0).max(Complex::I).re",
        "Complex::new(x, 1.0).conjg().re",
        "Complex::new(x, 1.0).to_string()",
        "Complex::new(x).re",
        "Complex::make(x).re",
        "Complex::new(x, 1.0).real",
        "Complex::new(x, 1.0).0",
    ]
    .map(|body| {
        let function = syn::parse_str(&format!("fn f(x: f32) -> f32 {{ {body} }}")).unwrap();
        format!("{body}\n  {}\n", check(&function, Role::Device).err().expect(body)[0])
    });
    expect![[r#"
        Complex::new(x, 1.0).abs()
          `Complex<f32>` has no method `abs` on a device; write `z.norm()`
        Complex32::new(x, 1.0).angle()
          `Complex<f32>` has no method `angle` on a device; write `z.arg()`
        Complex::new(x, 1.0).max(Complex::I).re
          `Complex<f32>` has no method `max` on a device; complex numbers have no order: compare `z.norm()` or `z.re`
        Complex::new(x, 1.0).conjg().re
          `Complex<f32>` has no method `conjg` on a device; write `conj`
        Complex::new(x, 1.0).to_string()
          `Complex<f32>` has no method `to_string` on a device; kernels have no text: do this before or after the kernel
        Complex::new(x).re
          `new` takes 2 arguments, not 1
        Complex::make(x).re
          `Complex<f64>` has no method `make` on a device; compute with the parts: `z.re` and `z.im`
        Complex::new(x, 1.0).real
          a complex number has no field `real`; its parts are `re` and `im`
        Complex::new(x, 1.0).0
          a complex number has no field `0`; its parts are `re` and `im`
    "#]]
    .assert_eq(&said.concat());
}
