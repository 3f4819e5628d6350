//! What is generated, for the functions of the lessons and for each part of the subset.

mod program;

use expect_test::expect;
use program::source;
use warpcell_translate::{Scalar, Value};

#[test]
fn gaussian_pdf() {
    let text = "
#[vectorize]
fn gaussian_pdf(x: f32, mean: f32, sigma: f32) -> f32 {
    (-0.5 * ((x - mean) / sigma).powi(2)).exp() / (sigma * SQRT_2PI)
}";
    let constants = [("SQRT_2PI", Value::Scalar(Scalar::F32, u64::from(2.506_628_3f32.to_bits())))];
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
                if (number % j == 0) {
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
