//! The methods and associated functions of narrow floats: those that the crate `half` has itself. The others are computed in `f32`.

use super::{Parameter, Table, function, table};
use crate::scalars::Scalar::{self, *};
use crate::scalars::scalars;

macro_rules! tables {
    ($type:expr, $bits:ident) => {
        [
            table! { $type;
                to_f32() -> F32;
                to_f64() -> F64;
                to_bits() -> $bits;
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
                function!("from_bits", concat!($type, "_from_bits"), Parameter::Scalar($bits)),
            ],
        ]
    };
}

/// The tables of a narrow float.
pub(super) fn of(half: Scalar) -> &'static [Table] {
    macro_rules! of {
        ($({ $sort:ident $use:ident $tag:ident $type:ident $name:ident, $host:ty, $bits:ident, $c_type:literal })*) => {
            match half {
                $(Scalar::$tag => of!(@$sort $type $bits),)*
            }
        };
        (@Half $type:ident u8) => { of!(@tables $type, U8) };
        (@Half $type:ident u16) => { of!(@tables $type, U16) };
        (@tables $type:ident, $bits:ident) => {{
            static TABLES: [Table; 2] = tables!(stringify!($type), $bits);
            &TABLES
        }};
        (@$other:ident $type:ident $bits:ident) => { &[] };
    }
    scalars!(of!())
}
