//! The methods and associated functions of complex numbers, which are those of the crate `num-complex`.

use super::{Parameter, Table, function, table};

macro_rules! tables {
    ($type:literal) => {
        [
            table! { $type;
                norm() -> PART;
                norm_sqr() -> PART;
                l1_norm() -> PART;
                arg() -> PART;
                to_polar() -> (PART, PART);
                conj() -> SAME;
                inv() -> SAME;
                finv() -> SAME;
                fdiv(SAME) -> SAME;
                scale(PART) -> SAME;
                unscale(PART) -> SAME;
                powu(U32) -> SAME;
                powi(I32) -> SAME;
                powf(PART) -> SAME;
                powc(SAME) -> SAME;
                expf(PART) -> SAME;
                exp() -> SAME;
                exp2() -> SAME;
                ln() -> SAME;
                log(PART) -> SAME;
                log2() -> SAME;
                log10() -> SAME;
                sqrt() -> SAME;
                cbrt() -> SAME;
                sin() -> SAME;
                cos() -> SAME;
                tan() -> SAME;
                asin() -> SAME;
                acos() -> SAME;
                atan() -> SAME;
                sinh() -> SAME;
                cosh() -> SAME;
                tanh() -> SAME;
                asinh() -> SAME;
                acosh() -> SAME;
                atanh() -> SAME;
                is_nan() -> BOOL;
                is_finite() -> BOOL;
                is_infinite() -> BOOL;
                is_normal() -> BOOL;
            },
            &[
                function!("new", concat!($type, "_new"), Parameter::Part, Parameter::Part),
                function!("from_polar", concat!($type, "_from_polar"), Parameter::Part, Parameter::Part),
                function!("cis", concat!($type, "_cis"), Parameter::Part),
                function!("from", concat!($type, "_from"), Parameter::Part),
                function!("i", concat!($type, "_i")),
                // Constants, as functions: a type of parts may follow from what is done with them.
                function!("I", concat!($type, "_i")),
                function!("ZERO", concat!($type, "_zero")),
                function!("ONE", concat!($type, "_one")),
            ],
        ]
    };
}

pub(super) static OF_C64: [Table; 2] = tables!("Complex32");

pub(super) static OF_C128: [Table; 2] = tables!("Complex64");
