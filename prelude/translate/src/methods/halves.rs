//! The methods and associated functions of floats of 16 bits: those that the crate `half` has itself. The others are computed in `f32`.

use super::{Parameter, Table, function, table};
use crate::scalars::Scalar::*;

macro_rules! tables {
    ($type:literal) => {
        [
            table! { $type;
                to_f32() -> F32;
                to_f64() -> F64;
                to_bits() -> U16;
                is_nan() -> BOOL;
                is_finite() -> BOOL;
                is_infinite() -> BOOL;
                is_normal() -> BOOL;
                is_sign_positive() -> BOOL;
                is_sign_negative() -> BOOL;
                signum() -> SAME;
                copysign(SAME) -> SAME;
                min(SAME) -> SAME;
                max(SAME) -> SAME;
            },
            &[
                function!("from_f32", concat!($type, "_from_f32"), Parameter::Scalar(F32)),
                function!("from_f32_const", concat!($type, "_from_f32"), Parameter::Scalar(F32)),
                function!("from_bits", concat!($type, "_from_bits"), Parameter::Scalar(U16)),
            ],
        ]
    };
}

pub(super) static OF_F16: [Table; 2] = tables!("f16");

pub(super) static OF_BF16: [Table; 2] = tables!("bf16");
