//! The methods and associated functions of floats.

use super::{Parameter, Table, function, table};
use crate::scalars::Scalar::*;

macro_rules! methods {
    ($type:literal, $bits:ident) => {
        table! { $type;
            sqrt() -> SAME;
            cbrt() -> SAME;
            exp() -> SAME;
            exp2() -> SAME;
            exp_m1() -> SAME;
            ln() -> SAME;
            ln_1p() -> SAME;
            log(SAME) -> SAME;
            log2() -> SAME;
            log10() -> SAME;
            sin() -> SAME;
            cos() -> SAME;
            tan() -> SAME;
            asin() -> SAME;
            acos() -> SAME;
            atan() -> SAME;
            atan2(SAME) -> SAME;
            sin_cos() -> (SAME, SAME);
            sinh() -> SAME;
            cosh() -> SAME;
            tanh() -> SAME;
            asinh() -> SAME;
            acosh() -> SAME;
            atanh() -> SAME;
            hypot(SAME) -> SAME;
            powi(I32) -> SAME;
            powf(SAME) -> SAME;
            mul_add(SAME, SAME) -> SAME;
            abs() -> SAME;
            signum() -> SAME;
            copysign(SAME) -> SAME;
            floor() -> SAME;
            ceil() -> SAME;
            round() -> SAME;
            round_ties_even() -> SAME;
            trunc() -> SAME;
            fract() -> SAME;
            recip() -> SAME;
            to_degrees() -> SAME;
            to_radians() -> SAME;
            min(SAME) -> SAME;
            max(SAME) -> SAME;
            clamp(SAME, SAME) -> SAME, fails;
            midpoint(SAME) -> SAME;
            div_euclid(SAME) -> SAME;
            rem_euclid(SAME) -> SAME;
            is_nan() -> BOOL;
            is_finite() -> BOOL;
            is_infinite() -> BOOL;
            is_normal() -> BOOL;
            is_subnormal() -> BOOL;
            is_sign_positive() -> BOOL;
            is_sign_negative() -> BOOL;
            next_up() -> SAME;
            next_down() -> SAME;
            to_bits() -> $bits;
        }
    };
}

pub(super) static OF_F32: [Table; 2] = [
    methods!("f32", U32),
    &[function!("from_bits", "f32_from_bits", Parameter::Scalar(U32)), function!("from", "f32", Parameter::Lossless)],
];

pub(super) static OF_F64: [Table; 2] = [
    methods!("f64", U64),
    &[function!("from_bits", "f64_from_bits", Parameter::Scalar(U64)), function!("from", "f64", Parameter::Lossless)],
];
