//! The constants of scalars, as values.

use crate::program::{Scalar, Value};

/// `f32::MAX`, `u32::BITS`.
pub(crate) fn associated_constant(of: Scalar, name: &str) -> Option<Value> {
    macro_rules! integer {
        ($scalar:ident, $type:ident, $unsigned:ident) => {
            match name {
                "MIN" => Some(Value::Scalar(Scalar::$scalar, u64::from($type::MIN as $unsigned))),
                "MAX" => Some(Value::Scalar(Scalar::$scalar, u64::from($type::MAX as $unsigned))),
                "BITS" => Some(Value::Scalar(Scalar::U32, u64::from($type::BITS))),
                _ => None,
            }
        };
    }
    macro_rules! float {
        ($scalar:ident, $type:ident, $($constant:ident)*) => {
            match name {
                $(stringify!($constant) => Some(Value::Scalar(Scalar::$scalar, u64::from($type::$constant.to_bits()))),)*
                "RADIX" => Some(Value::Scalar(Scalar::U32, u64::from($type::RADIX))),
                "DIGITS" => Some(Value::Scalar(Scalar::U32, u64::from($type::DIGITS))),
                "MANTISSA_DIGITS" => Some(Value::Scalar(Scalar::U32, u64::from($type::MANTISSA_DIGITS))),
                "MIN_EXP" => Some(exponent($type::MIN_EXP)),
                "MAX_EXP" => Some(exponent($type::MAX_EXP)),
                "MIN_10_EXP" => Some(exponent($type::MIN_10_EXP)),
                "MAX_10_EXP" => Some(exponent($type::MAX_10_EXP)),
                _ => None,
            }
        };
    }
    match of {
        Scalar::Bool => None,
        Scalar::I8 => integer!(I8, i8, u8),
        Scalar::U8 => integer!(U8, u8, u8),
        Scalar::I16 => integer!(I16, i16, u16),
        Scalar::U16 => integer!(U16, u16, u16),
        Scalar::I32 => integer!(I32, i32, u32),
        Scalar::U32 => integer!(U32, u32, u32),
        Scalar::I64 => integer!(I64, i64, u64),
        Scalar::U64 => integer!(U64, u64, u64),
        // The device's are of 64 bits, and so are those of every host that has one.
        Scalar::Isize => integer!(Isize, i64, u64),
        Scalar::Usize => integer!(Usize, u64, u64),
        Scalar::F32 => float!(F32, f32, MIN MAX MIN_POSITIVE EPSILON INFINITY NEG_INFINITY NAN),
        Scalar::F64 => float!(F64, f64, MIN MAX MIN_POSITIVE EPSILON INFINITY NEG_INFINITY NAN),
    }
}

fn exponent(of: i32) -> Value {
    Value::Scalar(Scalar::I32, u64::from(of as u32))
}

/// `std::f32::consts::PI` and, of the modules that are named like the types, `std::i32::MAX`.
pub(crate) fn path_constant(path: &str) -> Option<Value> {
    let path = path.strip_prefix("::").unwrap_or(path);
    let inside = path.strip_prefix("std::").or_else(|| path.strip_prefix("core::"));
    let mut parts = inside.unwrap_or(path).split("::");
    let of = super::scalar_named(parts.next()?)?;
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
                    (Scalar::F32, stringify!($name)) => Some(u64::from(std::f32::consts::$name.to_bits())),
                    (Scalar::F64, stringify!($name)) => Some(std::f64::consts::$name.to_bits()),
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
