//! The constants of scalars, as values.

use crate::program::Value;
use crate::scalars::{Narrow, Scalar, scalars, size_of};

/// `f32::MAX`, `u32::BITS`.
pub(crate) fn associated_constant(of: Scalar, name: &str) -> Option<Value> {
    macro_rules! constants {
        ($({ $sort:ident $use:ident $tag:ident $type:ident $name:ident, $host:ty, $bits:ident, $c_type:literal })*) => {
            match of {
                $(Scalar::$tag => constants!(@$sort $tag $host $bits),)*
            }
        };
        (@Bool $tag:ident $host:tt $bits:ident) => { None };
        // They follow from what is done with them (`methods/complex.rs`).
        (@Complex $tag:ident $host:tt $bits:ident) => { None };
        (@Half $tag:ident $host:tt $bits:ident) => { of_half(Scalar::$tag, <$host>::FRACTION, name) };
        (@Float $tag:ident $host:tt $bits:ident) => {
            constants!(@float $tag $host, MIN MAX MIN_POSITIVE EPSILON INFINITY NEG_INFINITY NAN)
        };
        (@float $tag:ident $host:tt, $($constant:ident)*) => {
            match name {
                $(stringify!($constant) => Some(Value::Scalar(Scalar::$tag, u128::from(<$host>::$constant.to_bits()))),)*
                "RADIX" => Some(Value::Scalar(Scalar::U32, u128::from(<$host>::RADIX))),
                "DIGITS" => Some(Value::Scalar(Scalar::U32, u128::from(<$host>::DIGITS))),
                "MANTISSA_DIGITS" => Some(Value::Scalar(Scalar::U32, u128::from(<$host>::MANTISSA_DIGITS))),
                "MIN_EXP" => Some(exponent(<$host>::MIN_EXP)),
                "MAX_EXP" => Some(exponent(<$host>::MAX_EXP)),
                "MIN_10_EXP" => Some(exponent(<$host>::MIN_10_EXP)),
                "MAX_10_EXP" => Some(exponent(<$host>::MAX_10_EXP)),
                _ => None,
            }
        };
        (@$integer:ident $tag:ident $host:tt $bits:ident) => {
            match name {
                "MIN" => Some(Value::Scalar(Scalar::$tag, u128::from(<$host>::MIN as $bits))),
                "MAX" => Some(Value::Scalar(Scalar::$tag, u128::from(<$host>::MAX as $bits))),
                "BITS" => Some(Value::Scalar(Scalar::U32, u128::from(<$host>::BITS))),
                _ => None,
            }
        };
    }
    scalars!(constants!())
}

/// Those of the crate `half`, of a float with so many bits of fraction.
fn of_half(of: Scalar, fraction: u32, name: &str) -> Option<Value> {
    let sign = 1u128 << (8 * size_of(of) - 1);
    let least = 1 << fraction;
    let (infinity, one) = (sign - least, sign / 2 - least);
    let bits = match name {
        "ZERO" => 0,
        "NEG_ZERO" => sign,
        "ONE" => one,
        "NEG_ONE" => sign | one,
        "MIN" => sign | (infinity - 1),
        "MAX" => infinity - 1,
        "MIN_POSITIVE" => least,
        "EPSILON" => one - u128::from(fraction) * least,
        "INFINITY" => infinity,
        "NEG_INFINITY" => sign | infinity,
        "NAN" => infinity | (least / 2),
        _ => return None,
    };
    Some(Value::Scalar(of, bits))
}

fn exponent(of: i32) -> Value {
    Value::Scalar(Scalar::I32, u128::from(of as u32))
}

/// `std::f32::consts::PI` and, of the modules that are named like the types, `std::i32::MAX`.
pub(crate) fn path_constant(path: &str) -> Option<Value> {
    let path = path.strip_prefix("::").unwrap_or(path);
    let inside = path.strip_prefix("std::").or_else(|| path.strip_prefix("core::"));
    let mut parts = inside.unwrap_or(path).split("::");
    let of = crate::scalars::scalar_named(parts.next()?)?;
    match (parts.next()?, parts.next(), parts.next()) {
        ("consts", Some(name), None) => mathematical(of, name),
        // Without the crate it is the constant of the type.
        (name, None, None) if inside.is_some() => associated_constant(of, name),
        _ => None,
    }
}

fn mathematical(of: Scalar, name: &str) -> Option<Value> {
    macro_rules! values {
        ($($name:ident)*) => {
            match (of, name) {
                $(
                    (Scalar::F32, stringify!($name)) => Some(u128::from(std::f32::consts::$name.to_bits())),
                    (Scalar::F64, stringify!($name)) => Some(u128::from(std::f64::consts::$name.to_bits())),
                )*
                _ => None,
            }
        };
    }
    let bits = values! {
        PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2 GOLDEN_RATIO EULER_GAMMA
        FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI FRAC_1_SQRT_2
    };
    bits.map(|bits| Value::Scalar(of, bits))
}
