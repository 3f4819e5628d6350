//! What to write instead of a method that kernels have not.

use super::{associated_function, method};
use crate::scalars::{Scalar, is_half, name_of, part_of};

/// What to write instead of `name` for a receiver of that type: a clause for the end of a message.
pub(crate) fn suggestion(receiver: Scalar, name: &str) -> String {
    if part_of(receiver).is_some() {
        return of_complex(receiver, name);
    }
    if is_half(receiver) && method(Scalar::F32, name).is_some() {
        let arguments = if takes_more(name) { "…" } else { "" };
        return format!("compute it in `f32`: `{}::from_f32(x.to_f32().{name}({arguments}))`", name_of(receiver));
    }
    let near = || nearest(receiver, name).map(|known| format!("write `{known}`"));
    option(receiver, name)
        .or_else(|| known_reason(name).map(str::to_owned))
        .or_else(|| other_name(receiver, name))
        .or_else(near)
        .or_else(|| other_type(receiver, name))
        .unwrap_or_else(|| "write it out in arithmetic, or as a function with `#[device]` before it".to_owned())
}

/// The same for complex numbers.
fn of_complex(receiver: Scalar, name: &str) -> String {
    let instead = match name.to_ascii_lowercase().as_str() {
        "abs" | "absolute" | "magnitude" | "modulus" | "hypot" | "cabs" => "z.norm()",
        "abs2" | "square" | "norm_squared" | "norm2" => "z.norm_sqr()",
        "angle" | "phase" | "atan2" | "carg" => "z.arg()",
        "conjugate" => "z.conj()",
        "real" => "z.re",
        "imag" => "z.im",
        "recip" | "reciprocal" => "z.inv()",
        "pow" | "power" => "z.powi(2)` or `z.powf(0.5)",
        "sin_cos" => "z.sin()` and `z.cos()",
        "min" | "max" | "clamp" | "cmp" | "partial_cmp" | "total_cmp" => {
            return "complex numbers have no order: compare `z.norm()` or `z.re`".to_owned();
        }
        "is_zero" => "z == Complex::ZERO",
        _ => match (known_reason(name), nearest(receiver, name)) {
            (Some(reason), _) => return reason.to_owned(),
            (None, Some(known)) => known,
            (None, None) => return "compute with the parts: `z.re` and `z.im`".to_owned(),
        },
    };
    format!("write `{instead}`")
}

/// Whether a method of floats has arguments.
fn takes_more(name: &str) -> bool {
    method(Scalar::F32, name).is_some_and(|method| !method.parameters.is_empty())
}

/// Variants of arithmetic that give an `Option`, panic on overflow, or are unsafe.
fn option(receiver: Scalar, name: &str) -> Option<String> {
    let (what, operation) = ["checked_", "strict_", "unchecked_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix).map(|operation| (*prefix, operation)))?;
    let mut instead: Vec<String> = ["wrapping_", "saturating_", "overflowing_"]
        .iter()
        .map(|prefix| format!("{prefix}{operation}"))
        .filter(|other| associated_function(receiver, other).is_some())
        .collect();
    if instead.is_empty() && associated_function(receiver, operation).is_some() {
        instead.push(operation.to_owned());
    }
    let choice = listed(&instead)?;
    Some(match what {
        "checked_" if operation.contains("div") || operation.contains("rem") => {
            format!("kernels have no `Option`: compare the divisor with 0 first, or use {choice}")
        }
        "checked_" => format!("kernels have no `Option`: use {choice}"),
        "strict_" => format!("kernels do not panic on overflow: use {choice}"),
        _ => format!("use {choice}"),
    })
}

/// `` `a`, `b` or `c` ``.
fn listed(names: &[String]) -> Option<String> {
    let (last, others) = names.split_last()?;
    if others.is_empty() {
        return Some(format!("`{last}`"));
    }
    let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
    Some(format!("{} or `{last}`", others.join(", ")))
}

/// What there is in Rust, but not in kernels.
fn known_reason(name: &str) -> Option<&'static str> {
    Some(match name {
        "cmp" | "partial_cmp" | "total_cmp" => "compare with `<`, `==` and `>`: kernels have no `Ordering`",
        "then" | "then_some" => "kernels have no `Option`: write `if … { … } else { … }`",
        "into" => "write the type: `f64::from(x)` or `x as f64`",
        "try_into" | "try_from" => "kernels have no `Result`: write `x as u32` after a comparison with the limits",
        "clone" | "to_owned" | "borrow" => "write the value itself: numbers are copied",
        "to_be_bytes" | "to_le_bytes" | "to_ne_bytes" => "take the bytes with shifts: `(x >> 8) as u8`",
        "from_be_bytes" | "from_le_bytes" | "from_ne_bytes" => {
            "put the bytes together with shifts: `u32::from(b) << 8`"
        }
        "classify" => "use `is_nan`, `is_infinite`, `is_normal` or `is_subnormal`",
        "to_int_unchecked" => "write `x as i32`",
        "to_string" | "parse" | "from_str_radix" => "kernels have no text: do this before or after the kernel",
        "next" | "iter" | "sum" | "product" | "fold" | "map" => "write a `for` loop over a range",
        "algebraic_add" | "add" => "write `a + b`",
        "algebraic_sub" | "sub" => "write `a - b`",
        "algebraic_mul" | "mul" => "write `a * b`",
        "algebraic_div" | "div" => "write `a / b`",
        "algebraic_rem" | "rem" => "write `a % b`",
        "neg" => "write `-a`",
        "not" => "write `!a`",
        "eq" => "write `a == b`",
        "ne" => "write `a != b`",
        "lt" => "write `a < b`",
        "le" => "write `a <= b`",
        "gt" => "write `a > b`",
        "ge" => "write `a >= b`",
        "erf" | "erfc" | "gamma" | "tgamma" | "ln_gamma" | "lgamma" => {
            "stable Rust has no such method: write it as a function with `#[device]` before it"
        }
        _ => return None,
    })
}

/// Names of other languages and libraries, and those that differ between floats and integers.
fn other_name(receiver: Scalar, name: &str) -> Option<String> {
    let float = matches!(receiver, Scalar::F32 | Scalar::F64);
    let lower = name.to_ascii_lowercase();
    let instead = match lower.trim_end_matches('f') {
        "pow" | "power" if float => "x.powi(2)` or `x.powf(0.5)",
        "powi" | "powf" | "pow" | "power" if !float => "x.pow(2)",
        "isqrt" if float => "x.sqrt().floor()",
        "rsqrt" if float => "x.sqrt().recip()",
        "rcp" | "reciprocal" if float => "x.recip()",
        "square" | "sqr" => "x * x",
        "fabs" | "absolute" => "x.abs()",
        "log1p" => "x.ln_1p()",
        "expm1" => "x.exp_m1()",
        "exp10" => "x.powf(y)` with `10.0` as `x",
        "ilog2" if float => "x.log2().floor()",
        "ilog10" if float => "x.log10().floor()",
        "ln" | "log" if !float => "x.ilog(base)` or `(x as f64).ln()",
        "log2" if !float => "x.ilog2()` or `(x as f64).log2()",
        "log10" if !float => "x.ilog10()` or `(x as f64).log10()",
        "arcsin" => "x.asin()",
        "arccos" => "x.acos()",
        "arctan" => "x.atan()",
        "arctan2" => "y.atan2(x)",
        "sincos" => "x.sin_cos()",
        "sign" | "sgn" => "x.signum()",
        "rint" | "nearbyint" => "x.round_ties_even()",
        "ceiling" => "x.ceil()",
        "truncate" => "x.trunc()",
        "fma" => "x.mul_add(factor, more)",
        "fmin" | "minimum" => "x.min(y)",
        "fmax" | "maximum" => "x.max(y)",
        "clip" | "saturate" => "x.clamp(least, greatest)",
        "fmod" | "mod" | "modulo" | "remainder" => "x % y` or `x.rem_euclid(y)",
        "isnan" => "x.is_nan()",
        "isin" => "x.is_infinite()",
        "isfinite" => "x.is_finite()",
        "signbit" => "x.is_sign_negative()",
        "degrees" | "rad2deg" => "x.to_degrees()",
        "radians" | "deg2rad" => "x.to_radians()",
        "popcount" | "popc" | "popcnt" | "bit_count" => "x.count_ones()",
        "clz" | "lzcnt" => "x.leading_zeros()",
        "ctz" | "tzcnt" | "ffs" => "x.trailing_zeros()",
        "rotl" | "rol" => "x.rotate_left(count)",
        "rotr" | "ror" => "x.rotate_right(count)",
        "bswap" => "x.swap_bytes()",
        "brev" | "bitreverse" => "x.reverse_bits()",
        _ => return None,
    };
    Some(format!("write `{instead}`"))
}

/// The method of the type that differs by one or two letters.
fn nearest(receiver: Scalar, name: &str) -> Option<&'static str> {
    super::tables(receiver)
        .iter()
        .flat_map(|table| table.iter())
        .map(|(known, _)| (distance(known, name), *known))
        .filter(|(far, known)| *far <= (known.len() / 3).min(2))
        .min()
        .map(|(_, known)| known)
}

/// How many letters must be put in, left out or changed.
pub fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, wanted) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != wanted);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// A method that other types have.
fn other_type(receiver: Scalar, name: &str) -> Option<String> {
    let has = |of: Scalar| associated_function(of, name).is_some();
    let own = name_of(receiver);
    match receiver {
        Scalar::Bool => (has(Scalar::I32) || has(Scalar::U32) || has(Scalar::F32))
            .then(|| format!("numbers have it: write `i32::from(x).{name}(…)` or `f32::from(x).{name}(…)`")),
        Scalar::F32 => {
            has(Scalar::U32).then(|| format!("integers have it: write `(x as i32).{name}(…)` or `x.to_bits()`"))
        }
        Scalar::F64 => {
            has(Scalar::U64).then(|| format!("integers have it: write `(x as i64).{name}(…)` or `x.to_bits()`"))
        }
        _ if has(Scalar::I64) => {
            Some(format!("signed integers have it: write `(x as i{}).{name}(…)`", own.trim_start_matches(['u', 'i'])))
        }
        _ if has(Scalar::U64) => {
            Some(format!("unsigned integers have it: write `(x as u{}).{name}(…)`", own.trim_start_matches(['u', 'i'])))
        }
        _ if has(Scalar::F32) => Some(format!("floats have it: write `(x as f32).{name}(…)`")),
        _ => has(Scalar::U8).then(|| format!("`u8` has it: write `(x as u8).{name}(…)`")),
    }
}
