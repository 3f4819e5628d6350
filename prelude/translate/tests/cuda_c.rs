//! What is generated, for the functions of the lessons and for each part of the subset.

mod program;

use expect_test::expect;
use program::source;
use warpcell_translate::{Role, Scalar, Type, Value, check};

#[test]
fn gaussian_pdf() {
    let text = "
#[vectorize]
fn gaussian_pdf(x: f32, mean: f32, sigma: f32) -> f32 {
    (-0.5 * ((x - mean) / sigma).powi(2)).exp() / (sigma * SQRT_2PI)
}";
    let constants = [("SQRT_2PI", Value::Scalar(Scalar::F32, u128::from(2.506_628_3f32.to_bits())))];
    let translation = program::program(text, &constants).translate("gaussian_pdf").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        constexpr f32 SQRT_2PI = 2.5066283f;

        // fn gaussian_pdf(x: f32, mean: f32, sigma: f32) -> f32 {
        __device__ inline f32 gaussian_pdf(f32 x, f32 mean, f32 sigma) {
            // (-0.5 * ((x - mean) / sigma).powi(2)).exp() / (sigma * SQRT_2PI)
            return f32_exp(-0.5f * f32_powi((x - mean) / sigma, 2)) / (sigma * SQRT_2PI);
        }

        } // namespace rust
    "#]]
    .assert_eq(&translation.source);
}

#[test]
fn a_function_that_is_not_inlined() {
    let text = "
#[device]
#[inline(never)]
fn twice(x: f32) -> f32 {
    x + x
}

#[vectorize]
fn four_times(x: f32) -> f32 {
    twice(twice(x))
}";
    let translation = program::program(text, &[]).translate("four_times").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        // #[inline(never)] fn twice(x: f32) -> f32 {
        __device__ __noinline__ f32 twice(f32 x) {
            // x + x
            return x + x;
        }

        // fn four_times(x: f32) -> f32 {
        __device__ inline f32 four_times(f32 x) {
            // twice(twice(x))
            return twice(twice(x));
        }

        } // namespace rust
    "#]]
    .assert_eq(&translation.source);
}

#[test]
fn polar_distance() {
    let text = "
#[device]
fn polar_to_cartesian(rho: f32, theta: f32) -> (f32, f32) {
    let x = rho * theta.cos();
    let y = rho * theta.sin();
    (x, y)
}

#[vectorize]
fn polar_distance(rho1: f32, theta1: f32, rho2: f32, theta2: f32) -> f32 {
    let (x1, y1) = polar_to_cartesian(rho1, theta1);
    let (x2, y2) = polar_to_cartesian(rho2, theta2);

    ((x1 - x2).powi(2) + (y1 - y2).powi(2)).sqrt()
}";
    expect![[r#"
        namespace rust {

        struct Tuple2_f32_f32 {
            f32 _0;
            f32 _1;
        };

        // fn polar_to_cartesian(rho: f32, theta: f32) -> (f32, f32) {
        __device__ inline Tuple2_f32_f32 polar_to_cartesian(f32 rho, f32 theta) {
            // let x = rho * theta.cos();
            const f32 x = rho * f32_cos(theta);
            // let y = rho * theta.sin();
            const f32 y = rho * f32_sin(theta);
            // (x, y)
            return Tuple2_f32_f32{x, y};
        }

        // fn polar_distance(rho1: f32, theta1: f32, rho2: f32, theta2: f32) -> f32 {
        __device__ inline f32 polar_distance(f32 rho1, f32 theta1, f32 rho2, f32 theta2) {
            // let (x1, y1) = polar_to_cartesian(rho1, theta1);
            const Tuple2_f32_f32 value = polar_to_cartesian(rho1, theta1);
            const f32 x1 = value._0;
            const f32 y1 = value._1;
            // let (x2, y2) = polar_to_cartesian(rho2, theta2);
            const Tuple2_f32_f32 value_2 = polar_to_cartesian(rho2, theta2);
            const f32 x2 = value_2._0;
            const f32 y2 = value_2._1;
            // ((x1 - x2).powi(2) + (y1 - y2).powi(2)).sqrt()
            return f32_sqrt(f32_powi(x1 - x2, 2) + f32_powi(y1 - y2, 2));
        }

        } // namespace rust
    "#]]
    .assert_eq(&source(text, "polar_distance"));
}

#[test]
fn check_prime() {
    let text = "
#[vectorize]
fn check_prime(number: i32) -> i32 {
    if number < 2 {
        return 0;
    }
    for j in 2..number / 2 + 1 {
        if number % j == 0 {
            return 0;
        }
    }
    number
}";
    expect![[r#"
        namespace rust {

        // fn check_prime(number: i32) -> i32 {
        __device__ inline i32 check_prime(i32 number) {
            // if number < 2 {
            if (number < 2) {
                // return 0;
                return 0;
            }
            // for j in 2..number / 2 + 1 {
            const i32 j_end = number / 2 + 1;
            for (i32 j = 2; j < j_end; ++j) {
                // if number % j == 0 {
                if ((i32)((u32)number % (u32)j) == 0) {
                    // return 0;
                    return 0;
                }
            }
            // number
            return number;
        }

        } // namespace rust
    "#]]
    .assert_eq(&source(text, "check_prime"));
}

/// Where both sides are never negative, a division is unsigned; where that is not known, it is not.
#[test]
fn divisions_of_what_is_never_negative() {
    let unsigned = [
        "if a < 0 || b < 1 { return 0; } a / b",
        "if a < 0 { return 0; } if 1 > b { return 0; } a % b",
        "if a >= 0 && b > 0 { a % b } else { 0 }",
        "if !(a >= 0 && b > 0) { 0 } else { let c = a; c / b }",
        "if a < 0 { return 0; } else if b <= 0 { return 1; } a / b",
        "if a >= 0 && b >= 1 { } else { return 0; } a / b",
        "if a >= 0 && b >= 1 && a % b == 0 { 1 } else { 0 }",
        "if a < 0 || b < 1 || a % b == 0 { 1 } else { 0 }",
        "let mut sum = 0; for i in 1..9 { if a < 0 { break; } sum += a / i; } sum",
        "let mut sum = 0; for i in -9..9 { if i < 1 || a < 0 { continue; } sum += a % i; } sum",
        "if a < 0 { return 0; } let c = a / 2; for i in 1..=b { if c % i == 1 { return i; } } 0",
        "while a > 0 && b > 2 { return a / b; } 0",
        "let c = if b > 0 { b } else { return 1 }; if a < 0 { return 2; } if b > 0 { a / b } else { c }",
    ];
    let signed = [
        "if b < 1 { return 0; } a / b",
        "if a < 0 { return 0; } if b == 0 { return 0; } a / b",
        "if a >= 0 || b > 0 { if b > 0 { a % b } else { 0 } } else { 0 }",
        "if b < 1 { return 0; } if b > 5 { if a < 0 { return 0; } } a / b",
        "if b < 1 { return 0; } if a < 0 { if b > 5 { return 0; } } a / b",
        "if b < 1 { return 0; } let mut a = a; if a < 0 { return 0; } a = a - 7; a / b",
        "if b < 1 { return 0; } for i in 0..3 { if a < 0 { break; } } a / b",
        "if b < 1 { return 0; } if a < 0 { 0 } else { 1 }; a / b",
        // The compiler multiplies.
        "if a < 0 { return 0; } a / 10",
    ];
    for (body, expected) in unsigned.iter().map(|body| (body, true)).chain(signed.iter().map(|body| (body, false))) {
        let text = format!("#[vectorize]\nfn f(a: i32, b: i32) -> i32 {{ {body} }}");
        let source = source(&text, "f");
        let found = source.lines().filter(|line| !line.trim().starts_with("//")).any(|line| line.contains("(u32)"));
        assert_eq!(found, expected, "{body}:\n{source}");
    }
}

#[test]
fn squared_diff() {
    let text = "
#[formula]
fn squared_diff(x: i64, y: i64) -> _ {
    (x - y) * (x - y)
}";
    expect![[r#"
        namespace rust {

        // fn squared_diff(x: i64, y: i64) -> _ {
        __device__ inline i64 squared_diff(i64 x, i64 y) {
            // (x - y) * (x - y)
            return i64_mul(i64_sub(x, y), i64_sub(x, y));
        }

        } // namespace rust
    "#]]
    .assert_eq(&source(text, "squared_diff"));
}

#[test]
fn log_of_sum() {
    let text = "
#[vectorize]
fn log_of_sum(x: f64, y: f64) -> f64 {
    (x + y).ln()
}";
    expect![[r#"
        namespace rust {

        // fn log_of_sum(x: f64, y: f64) -> f64 {
        __device__ inline f64 log_of_sum(f64 x, f64 y) {
            // (x + y).ln()
            return f64_ln(x + y);
        }

        } // namespace rust
    "#]]
    .assert_eq(&source(text, "log_of_sum"));
}

#[test]
fn add_ufunc() {
    let text = "
#[vectorize]
fn add_ufunc(x: i64, y: i64) -> i64 {
    x + y
}";
    expect![[r#"
        namespace rust {

        // fn add_ufunc(x: i64, y: i64) -> i64 {
        __device__ inline i64 add_ufunc(i64 x, i64 y) {
            // x + y
            return i64_add(x, y);
        }

        } // namespace rust
    "#]]
    .assert_eq(&source(text, "add_ufunc"));
}

/// What a formula captures are its last parameters.
#[test]
fn captures() {
    let text = "
#[formula]
fn formula(x: f32, y: u8, scale: _, offset: _) -> _ {
    (x * scale, if y > 3 { offset + 1 } else { OFFSETS[y as usize] })
}";
    let offsets = [1, 2, -3i32].map(|value| Value::Scalar(Scalar::I32, u128::from(value as u32)));
    let constants = [("OFFSETS", Value::Array(Type::Scalar(Scalar::I32), offsets.to_vec()))];
    let program = program::program(text, &constants).with_captures("formula", &[Scalar::F32, Scalar::I32]);
    let translation = program.translate("formula").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        struct Tuple2_f32_i32 {
            f32 _0;
            i32 _1;
        };
        struct Array3_i32 {
            i32 at[3];
        };

        __device__ const Array3_i32 OFFSETS = {{1, 2, -3}};

        // fn formula(x: f32, y: u8, scale: _, offset: _) -> _ {
        __device__ inline Tuple2_f32_i32 formula(f32 x, u8 y, f32 scale, i32 offset) {
            // (x * scale, if y > 3 { offset + 1 } else { OFFSETS[y as usize] })
            return Tuple2_f32_i32{x * scale, y > 3 ? i32_add(offset, 1) : OFFSETS.at[checked_index((usize)y, 3, 0, 4)]};
        }

        } // namespace rust
    "#]]
    .assert_eq(&translation.source);
    assert_eq!(translation.scalars().collect::<Vec<_>>(), [Scalar::F32, Scalar::U8, Scalar::F32, Scalar::I32]);
    assert_eq!(translation.results, [Scalar::F32, Scalar::I32]);
    assert_eq!(translation.result_type, "rust::Tuple2_f32_i32");
    assert!(translation.may_fail);

    let closure: syn::ItemFn =
        syn::parse_str("fn formula(x: f32) -> _ { let y = k * x; y + SCALE + k + f(j) }").unwrap();
    let references = check(&closure, Role::Formula).unwrap();
    let captures: Vec<String> = references.captures.iter().map(ToString::to_string).collect();
    assert_eq!(captures, ["k", "j"]);
    assert_eq!(references.constants.len(), 1);
}

/// Constants of all kinds, as the host's compiler has computed them.
#[test]
fn constants() {
    let text = "
struct Ray {
    origin: [f64; 2],
    weight: f32,
    r#float: bool,
}

#[device]
fn of_constants(i: usize) -> f64 {
    let far = if RAY.float { LIMIT } else { f64::NEG_INFINITY };
    let Ray { origin, weight, .. } = RAY;
    origin[i] + weight as f64 + far + PAIRS[1].0 as f64 + math::SMALLEST as f64 + std::f64::consts::TAU
}";
    let float = |value: f64| Value::Scalar(Scalar::F64, value.to_bits().into());
    let ray = Value::Struct(
        "Ray".to_owned(),
        vec![
            ("origin".to_owned(), Value::Array(Type::Scalar(Scalar::F64), vec![float(1.5), float(f64::NAN)])),
            ("weight".to_owned(), Value::Scalar(Scalar::F32, u128::from(f32::INFINITY.to_bits()))),
            ("float".to_owned(), Value::Scalar(Scalar::Bool, 1)),
        ],
    );
    let pair = |value: u128| Value::Tuple(vec![Value::Scalar(Scalar::U8, value), Value::Scalar(Scalar::Bool, 0)]);
    let pair_type = Type::Tuple(vec![Type::Scalar(Scalar::U8), Type::Scalar(Scalar::Bool)]);
    let constants = [
        ("RAY", ray),
        ("LIMIT", float(f64::INFINITY)),
        ("PAIRS", Value::Array(pair_type, vec![pair(7), pair(255)])),
        ("math::SMALLEST", Value::Scalar(Scalar::I64, u128::from(i64::MIN as u64))),
    ];
    let translation = program::program(text, &constants).translate("of_constants").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        struct Array2_f64 {
            f64 at[2];
        };
        // struct Ray {
        //     origin: [f64; 2],
        //     weight: f32,
        //     r#float: bool,
        struct Ray {
            Array2_f64 origin;
            f32 weight;
            bool float_;
        };
        struct Tuple2_u8_bool {
            u8 _0;
            bool _1;
        };
        struct Array2_Tuple2_u8_bool {
            Tuple2_u8_bool at[2];
        };

        __device__ const Ray RAY = {{{1.5, 0.0 / 0.0}}, 1.0f / 0.0f, true};
        __device__ const Array2_Tuple2_u8_bool PAIRS = {{{7, false}, {255, false}}};
        constexpr i64 SMALLEST = (-9223372036854775807LL - 1LL);
        constexpr f64 TAU = 6.283185307179586;

        // fn of_constants(i: usize) -> f64 {
        __device__ inline f64 of_constants(usize i) {
            // let far = if RAY.float { LIMIT } else { f64::NEG_INFINITY };
            const f64 far = RAY.float_ ? f64_from_bits(0x7ff0000000000000ULL) : f64_from_bits(0xfff0000000000000ULL);
            // let Ray { origin, weight, .. } = RAY;
            const Array2_f64 origin = RAY.origin;
            const f32 weight = RAY.weight;
            // origin[i] + weight as f64 + far + PAIRS[1].0 as f64 + math::SMALLEST as f64 + std::f64::consts::TAU
            return origin.at[checked_index(i, 2, 0, 12)] + (f64)weight + far + (f64)PAIRS.at[1]._0 + (f64)SMALLEST + TAU;
        }

        } // namespace rust
    "#]].assert_eq(&translation.source);
}

/// Lines are those of the user's file; the entry is the first function, and messages name it.
#[test]
fn places_of_failures() {
    let text = "

#[device]
fn ratio(a: i32, b: i32) -> i32 {
    a
        / b
}

#[vectorize]
fn entry(a: i32, b: i32) -> i32 {
    ratio(a, b) %
        b
}";
    let translation = program::program(text, &[]).translate("entry").unwrap();
    assert_eq!(translation.functions, ["entry", "ratio"]);
    assert!(translation.source.contains("i32_div(a, b, 1, 6)"), "{}", translation.source);
    assert!(translation.source.contains("i32_rem(ratio(a, b), b, 0, 11)"), "{}", translation.source);
    assert!(translation.may_fail);
}

#[test]
fn structs_are_parameters_of_functions_over_arrays() {
    let text = "
#[device]
struct Shift { by: f32, is_up: bool }

#[vectorize]
fn shifted(x: f32, shift: Shift) -> f32 {
    if shift.is_up { x + shift.by } else { x - shift.by }
}";
    let translation = program::program(text, &[]).translate("shifted").unwrap();
    program::compiles(&translation);
    expect![[r#"
        namespace rust {

        // struct Shift { by: f32, is_up: bool }
        struct Shift {
            f32 by;
            bool is_up;
        };

        // fn shifted(x: f32, shift: Shift) -> f32 {
        __device__ inline f32 shifted(f32 x, Shift shift) {
            // if shift.is_up { x + shift.by } else { x - shift.by }
            return shift.is_up ? x + shift.by : x - shift.by;
        }

        } // namespace rust
    "#]]
    .assert_eq(&translation.source);
    expect![[r#"[Scalar(F32), Struct { item: "Shift", c_name: "rust::Shift" }]"#]]
        .assert_eq(&format!("{:?}", translation.parameters));
}
