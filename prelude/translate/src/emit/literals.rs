//! Numbers and constants as C++ writes them.

use super::Module;
use crate::check::integer_value;
use crate::names::member_name;
use crate::program::Value;
use crate::scalars::{Scalar, integer_bits, is_half, is_signed, limits, name_of, part_of, size_of};
use crate::types::Ty;

/// An integer of a type, with the suffix by which C++ takes it for one of that type. What does not fit wraps.
pub(super) fn integer(value: i128, scalar: Scalar) -> String {
    let bits = integer_bits(scalar).max(1);
    let low = value & ((1 << bits) - 1);
    let value = if is_signed(scalar) && low >> (bits - 1) != 0 { low - (1 << bits) } else { low };
    let suffix = match (bits, is_signed(scalar)) {
        (64, true) => "LL",
        (64, false) => "ULL",
        (32, false) => "u",
        _ => "",
    };
    // C++ negates after it has read the number, which would not fit.
    if bits >= 32 && value == limits(scalar).0 && value != 0 {
        return format!("({}{suffix} - 1{suffix})", value + 1);
    }
    format!("{value}{suffix}")
}

/// A float by its shortest decimals, which are read as the same one; none for infinities and NaN.
pub(super) fn float(bits: u128, scalar: Scalar) -> Option<String> {
    if scalar == Scalar::F32 {
        let value = f32::from_bits(u32::try_from(bits).ok()?);
        value.is_finite().then(|| format!("{value:?}f"))
    } else {
        let value = f64::from_bits(u64::try_from(bits).ok()?);
        value.is_finite().then(|| format!("{value:?}"))
    }
}

/// The bits of a float literal.
pub(super) fn float_bits(digits: &str, scalar: Scalar) -> u128 {
    if scalar == Scalar::F32 {
        u128::from(digits.parse::<f32>().unwrap_or(f32::NAN).to_bits())
    } else {
        u128::from(digits.parse::<f64>().unwrap_or(f64::NAN).to_bits())
    }
}

/// A scalar as an expression, with the support's function that it needs.
pub(super) fn scalar(module: &mut Module, scalar: Scalar, bits: u128) -> String {
    if let Some((part, parts)) = parts(scalar, bits) {
        let [re, im] = parts.map(|bits| self::scalar(module, part, bits));
        return format!("{}{{{re}, {im}}}", name_of(scalar));
    }
    match scalar {
        Scalar::Bool => if bits == 0 { "false" } else { "true" }.to_owned(),
        Scalar::F32 | Scalar::F64 => float(bits, scalar).unwrap_or_else(|| {
            let function = format!("{}_from_bits", name_of(scalar));
            let suffix = if scalar == Scalar::F32 { "u" } else { "ULL" };
            let text = format!("{function}({bits:#x}{suffix})");
            module.used.insert(function);
            text
        }),
        _ if is_half(scalar) => format!("{}{{{bits:#x}}}", name_of(scalar)),
        _ => integer(integer_value(&Value::Scalar(scalar, bits)).unwrap_or(0), scalar),
    }
}

/// The type and the bits of the parts of a complex number.
fn parts(complex: Scalar, bits: u128) -> Option<(Scalar, [u128; 2])> {
    let part = part_of(complex)?;
    let width = 8 * size_of(part);
    Some((part, [bits & ((1 << width) - 1), bits >> width]))
}

/// What a constant is initialised with. None for a float that has no literal: it is written where it is used. Within others
/// it is a division: the compilers know no other constant expression for it.
pub(super) fn constant(module: &mut Module, value: &Value) -> Option<String> {
    match value {
        Value::Scalar(Scalar::F32 | Scalar::F64, bits) => {
            let of = if let Value::Scalar(of, _) = value { *of } else { Scalar::F64 };
            float(*bits, of)
        }
        Value::Scalar(of, bits) if let Some((part, parts)) = parts(*of, *bits) => {
            parts.into_iter().all(|bits| float(bits, part).is_some()).then(|| scalar(module, *of, *bits))
        }
        Value::Scalar(of, bits) => Some(scalar(module, *of, *bits)),
        _ => Some(part(module, value)),
    }
}

fn part(module: &mut Module, value: &Value) -> String {
    match value {
        Value::Scalar(of @ (Scalar::F32 | Scalar::F64), bits) => float(*bits, *of).unwrap_or_else(|| {
            let (suffix, value) = match of {
                Scalar::F32 => ("f", f64::from(f32::from_bits(*bits as u32))),
                _ => ("", f64::from_bits(*bits as u64)),
            };
            let dividend = if value.is_nan() {
                "0.0"
            } else if value > 0.0 {
                "1.0"
            } else {
                "-1.0"
            };
            format!("{dividend}{suffix} / 0.0{suffix}")
        }),
        Value::Scalar(of, bits) => match parts(*of, *bits) {
            Some((of, parts)) => {
                let [re, im] = parts.map(|bits| part(module, &Value::Scalar(of, bits)));
                format!("{{{re}, {im}}}")
            }
            None => scalar(module, *of, *bits),
        },
        Value::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|value| part(module, value)).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Value::Array(_, elements) => {
            let elements: Vec<String> = elements.iter().map(|value| part(module, value)).collect();
            format!("{{{{{}}}}}", elements.join(", "))
        }
        Value::Struct(item, fields) => {
            // In the order of the struct's own fields, which may be empty if nobody asked for one.
            module.type_name(&Ty::Struct(item.clone()));
            let order: Vec<String> = module.fields_of(item).iter().map(|(name, _)| name.clone()).collect();
            let mut texts = Vec::new();
            for name in &order {
                let found = fields.iter().find(|(of, _)| member_name(of) == member_name(name));
                texts.push(found.map_or_else(|| "{}".to_owned(), |(_, value)| part(module, value)));
            }
            format!("{{{}}}", texts.join(", "))
        }
    }
}
