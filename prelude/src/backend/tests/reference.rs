//! Slow, obvious references for what the backend computes, over single values, and arrays to compare with them.

use super::convert::narrow;
use crate::backend::functions::{float_functions, float_functions_of_two};
use crate::backend::{BinaryOperation, Layout, UnaryOperation};
use crate::dtype::{DType, Kind, Scalar};
use num_complex::Complex;

/// Marsaglia's xorshift64.
pub(super) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Random values; with `special`, the edges of the type among them.
pub(super) fn values(dtype: DType, count: usize, seed: u64, special: bool) -> Vec<Scalar> {
    let mut random = Random::new(seed);
    let edges = if special { edges(dtype) } else { Vec::new() };
    (0..count)
        .map(|_| {
            let dice = random.next();
            if !edges.is_empty() && dice.is_multiple_of(5) {
                return edges[(dice / 5) as usize % edges.len()];
            }
            let small = (random.next() % 21) as i64 - 10;
            let wide = random.next();
            let number = if dice.is_multiple_of(2) { small } else { wide as i64 };
            let mut float = || random.unit() * 4.0 - 2.0;
            match dtype.kind() {
                Kind::Bool => Scalar::Bool(dice.is_multiple_of(2)),
                Kind::Unsigned | Kind::Signed => Scalar::from_bits(dtype, number as u128),
                Kind::Narrow | Kind::Float => convert(Scalar::F64(float()), dtype),
                Kind::Complex => complex(float(), float(), dtype),
            }
        })
        .collect()
}

/// A complex number of `dtype`.
pub(super) fn complex(re: f64, im: f64, dtype: DType) -> Scalar {
    match dtype {
        DType::C64 => Scalar::C64(Complex::new(re as f32, im as f32)),
        _ => Scalar::C128(Complex::new(re, im)),
    }
}

/// The two parts of a complex number.
pub(super) fn parts(value: Scalar) -> Complex<f64> {
    match value {
        Scalar::C64(value) => Complex::new(value.re.into(), value.im.into()),
        Scalar::C128(value) => value,
        other => unreachable!("{other:?} is not complex"),
    }
}

fn edges(dtype: DType) -> Vec<Scalar> {
    let floats = [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 300.5, -7.25, 4e9, -4e9, 1e20];
    match dtype.kind() {
        Kind::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        Kind::Unsigned | Kind::Signed => {
            let (least, most) = limits(dtype);
            let all = [0, 1, -1, 2, least, most].into_iter().filter(|value| (least..=most).contains(value));
            all.map(|value| Scalar::from_bits(dtype, value as u128)).collect()
        }
        // The last one is far from all others that 16 bits have.
        Kind::Narrow => floats.into_iter().chain([1e-7]).map(|value| convert(Scalar::F64(value), dtype)).collect(),
        Kind::Float => floats.map(|value| Scalar::of_float(value, dtype)).to_vec(),
        Kind::Complex => floats.iter().flat_map(|&re| floats.map(|im| complex(re, im, dtype))).collect(),
    }
}

/// The least and the largest value of an integer type.
fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size();
    if dtype.kind() == Kind::Signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

pub(super) fn to_bytes(values: &[Scalar]) -> Vec<u8> {
    values.iter().flat_map(|value| value.bits().to_le_bytes().into_iter().take(value.dtype().size())).collect()
}

pub(super) fn from_bytes(dtype: DType, bytes: &[u8]) -> Scalar {
    Scalar::from_bits(dtype, bytes[..dtype.size()].iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte)))
}

/// The positions of a layout's elements, in row-major order of the indices.
pub(super) fn positions(layout: &Layout) -> Vec<usize> {
    let mut all = vec![layout.offset as isize];
    for (&length, &stride) in layout.shape.iter().zip(&layout.strides) {
        all = all.iter().flat_map(|&base| (0..length as isize).map(move |index| base + index * stride)).collect();
    }
    all.into_iter().map(|position| position as usize).collect()
}

/// Layouts of a shape over an allocation of `elements`: dense, shifted by one, column-major, backwards, with gaps.
pub(super) fn layouts(shape: &[usize]) -> Vec<(Layout, usize)> {
    let dense = Layout::contiguous(shape);
    let size: usize = shape.iter().product();
    let mut shifted = dense.clone();
    shifted.offset = 1;
    let mut columns = dense.clone();
    let mut step = 1;
    for (stride, &length) in columns.strides.iter_mut().zip(shape) {
        *stride = step;
        step *= length.max(1) as isize;
    }
    let mut backwards = dense.clone();
    backwards.strides.iter_mut().for_each(|stride| *stride = -*stride);
    backwards.offset = size.saturating_sub(1);
    let mut gaps = dense.clone();
    let mut step = 2;
    for (stride, &length) in gaps.strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step = step * length.max(1) as isize + 1;
    }
    gaps.offset = 3;
    vec![(dense, size), (shifted, size + 1), (columns, size), (backwards, size), (gaps, step as usize + 4)]
}

pub(super) fn unary(operation: UnaryOperation, value: Scalar) -> Scalar {
    let float = |value: f64| -> f64 {
        macro_rules! computed {
            ($($variant:ident $method:ident $cuda:literal |$x:ident| $value:expr;)*) => {
                match operation {
                    UnaryOperation::Floor => value.floor(),
                    UnaryOperation::Ceil => value.ceil(),
                    UnaryOperation::Round => value.round_ties_even(),
                    UnaryOperation::Trunc => value.trunc(),
                    UnaryOperation::Negative => -value,
                    UnaryOperation::Abs => value.abs(),
                    UnaryOperation::Sign if value == 0.0 => 0.0,
                    UnaryOperation::Sign => value.signum(),
                    // In f64, and rounded once for f32.
                    $(UnaryOperation::$variant => { let $x = value; $value })*
                    _ => unreachable!(),
                }
            };
        }
        float_functions!(computed)
    };
    let dtype = value.dtype();
    let of_integer = |change: fn(i128) -> i128| Scalar::from_bits(dtype, change(integer(value)) as u128);
    match operation {
        UnaryOperation::LogicalNot => Scalar::Bool(!truth(value)),
        UnaryOperation::IsNan => Scalar::Bool(dtype.is_float() && self::float(value).is_nan()),
        UnaryOperation::IsInf => Scalar::Bool(is_infinite(value)),
        UnaryOperation::IsFinite => Scalar::Bool(is_finite(value)),
        _ if dtype.is_float() => Scalar::of_float(float(self::float(value)), dtype),
        UnaryOperation::BitwiseNot if dtype == DType::Bool => Scalar::Bool(!truth(value)),
        UnaryOperation::BitwiseNot => of_integer(|x| !x),
        UnaryOperation::Negative => of_integer(|x| -x),
        UnaryOperation::Abs => of_integer(i128::abs),
        UnaryOperation::Sign => of_integer(i128::signum),
        // Rounding leaves integers as they are.
        _ => value,
    }
}

fn is_infinite(value: Scalar) -> bool {
    value.dtype().is_float() && float(value).is_infinite()
}

fn is_finite(value: Scalar) -> bool {
    !value.dtype().is_float() || float(value).is_finite()
}

fn truth(value: Scalar) -> bool {
    match convert(value, DType::Bool) {
        Scalar::Bool(value) => value,
        _ => unreachable!(),
    }
}

/// Two integers of `bits` bits, in 128; wrapped to their type by `wrap`.
fn integers(operation: BinaryOperation, bits: u32, a: i128, b: i128, wrap: impl Fn(i128) -> i128) -> i128 {
    match operation {
        BinaryOperation::FloorDivide => wrap(if b == 0 { 0 } else { (a - modulo(a, b)) / b }),
        BinaryOperation::Modulo => wrap(if b == 0 { 0 } else { modulo(a, b) }),
        BinaryOperation::BitwiseAnd => a & b,
        BinaryOperation::BitwiseOr => a | b,
        BinaryOperation::BitwiseXor => a ^ b,
        BinaryOperation::LeftShift => wrap(if (0..i128::from(bits)).contains(&b) { a << b } else { 0 }),
        BinaryOperation::RightShift => a >> if (0..i128::from(bits)).contains(&b) { b } else { 127 },
        BinaryOperation::Add => wrap(a + b),
        BinaryOperation::Subtract => wrap(a - b),
        BinaryOperation::Multiply => wrap(wrap(a).wrapping_mul(b)),
        BinaryOperation::Divide => wrap(if b == 0 { 0 } else { a / b }),
        BinaryOperation::Remainder => wrap(if b == 0 { 0 } else { a % b }),
        BinaryOperation::Power if b < 0 => match a {
            1 => 1,
            -1 => 1 - 2 * (b & 1),
            _ => 0,
        },
        BinaryOperation::Power => {
            let (mut base, mut result, mut exponent) = (a, 1i128, b);
            while exponent > 0 {
                if exponent & 1 == 1 {
                    result = wrap(result.wrapping_mul(base));
                }
                base = wrap(base.wrapping_mul(base));
                exponent >>= 1;
            }
            result
        }
        BinaryOperation::Maximum => a.max(b),
        BinaryOperation::Minimum => a.min(b),
        _ => unreachable!(),
    }
}

/// What division that rounds down leaves.
fn modulo(a: i128, b: i128) -> i128 {
    a - b * (a / b - i128::from(a % b != 0 && (a < 0) != (b < 0)))
}

macro_rules! floats {
    ($operation:expr, $a:expr, $b:expr) => {
        match $operation {
            BinaryOperation::FloorDivide if $b == 0.0 => $a / $b,
            BinaryOperation::FloorDivide => {
                let rest = $a % $b;
                let past = rest != 0.0 && (rest < 0.0) != ($b < 0.0);
                let quotient = ($a - rest) / $b - if past { 1.0 } else { 0.0 };
                quotient.floor() + if quotient - quotient.floor() > 0.5 { 1.0 } else { 0.0 }
            }
            BinaryOperation::Modulo => {
                let rest = $a % $b;
                if rest != 0.0 && (rest < 0.0) != ($b < 0.0) { rest + $b } else { rest }
            }
            BinaryOperation::Add => $a + $b,
            BinaryOperation::Subtract => $a - $b,
            BinaryOperation::Multiply => $a * $b,
            BinaryOperation::Divide => $a / $b,
            BinaryOperation::Remainder => $a % $b,
            BinaryOperation::Power => f64::from($a).powf(f64::from($b)) as _,
            BinaryOperation::Maximum if $a.is_nan() || $b.is_nan() => $a + $b,
            BinaryOperation::Minimum if $a.is_nan() || $b.is_nan() => $a + $b,
            BinaryOperation::Maximum => $a.max($b),
            BinaryOperation::Minimum => $a.min($b),
            // In f64, and rounded once for f32.
            operation => float_function(operation, f64::from($a), f64::from($b)) as _,
        }
    };
}

fn float_function(operation: BinaryOperation, a: f64, b: f64) -> f64 {
    macro_rules! computed {
        ($($variant:ident $method:ident $cuda:literal |$a:ident, $b:ident| $value:expr;)*) => {
            match operation {
                $(BinaryOperation::$variant => {
                    let ($a, $b) = (a, b);
                    $value
                })*
                _ => unreachable!(),
            }
        };
    }
    float_functions_of_two!(computed)
}

// One text for f32 and f64.
#[allow(clippy::useless_conversion)]
pub(super) fn binary(operation: BinaryOperation, a: Scalar, b: Scalar) -> Scalar {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => a.partial_cmp(&b),
        (Scalar::F64(a), Scalar::F64(b)) => a.partial_cmp(&b),
        (a, b) => Some(integer(a).cmp(&integer(b))),
    };
    let answer = match operation {
        BinaryOperation::Equal => order == Some(Equal),
        BinaryOperation::NotEqual => order != Some(Equal),
        BinaryOperation::Less => order == Some(Less),
        BinaryOperation::LessEqual => matches!(order, Some(Less | Equal)),
        BinaryOperation::Greater => order == Some(Greater),
        BinaryOperation::GreaterEqual => matches!(order, Some(Greater | Equal)),
        BinaryOperation::LogicalAnd => truth(a) && truth(b),
        BinaryOperation::LogicalOr => truth(a) || truth(b),
        _ => {
            return match (a, b) {
                (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(floats!(operation, a, b)),
                (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(floats!(operation, a, b)),
                (a, b) => {
                    let dtype = a.dtype();
                    let wrapped = |value: i128| Scalar::from_bits(dtype, value as u128);
                    let bits = if dtype == DType::Bool { 1 } else { 8 * dtype.size() as u32 };
                    wrapped(integers(operation, bits, integer(a), integer(b), |value| integer(wrapped(value))))
                }
            };
        }
    };
    Scalar::Bool(answer)
}

/// An integer's value.
pub(super) fn integer(value: Scalar) -> i128 {
    value.integer().unwrap_or_else(|| unreachable!("{value:?} is not an integer"))
}

/// A float's value.
pub(super) fn float(value: Scalar) -> f64 {
    value.float().unwrap_or_else(|| unreachable!("{value:?} is not a float"))
}

/// Rust's `as`; to bool: not zero.
pub(super) fn convert(value: Scalar, to: DType) -> Scalar {
    if to == value.dtype() {
        return value;
    }
    let wide = value.float().unwrap_or_else(|| integer(value) as f64);
    match to.kind() {
        Kind::Bool => Scalar::Bool(wide != 0.0),
        Kind::Unsigned | Kind::Signed => {
            let (least, most) = limits(to);
            let number = value.integer().unwrap_or_else(|| (wide as i128).clamp(least, most));
            Scalar::from_bits(to, number as u128)
        }
        Kind::Narrow => Scalar::from_bits(to, narrow(value, to).into()),
        // Rounded once.
        Kind::Float if to == DType::F32 => Scalar::F32(value.integer().map_or(wide as f32, |number| number as f32)),
        Kind::Float => Scalar::F64(wide),
        Kind::Complex => complex(wide, 0.0, to),
    }
}

/// Whether two values are equal: floats within `tolerance` relative to the larger of `scale` and the expected value, NaN
/// equal to NaN.
pub(super) fn agree(found: Scalar, expected: Scalar, tolerance: f64, scale: f64) -> bool {
    match (found, expected) {
        (found, expected) if tolerance == 0.0 && found.dtype().kind() == Kind::Narrow => {
            let are_nan = float(found).is_nan() && float(expected).is_nan();
            found.dtype() == expected.dtype() && (found.bits() == expected.bits() || are_nan)
        }
        (found, expected) if found.dtype().is_float() && found.dtype() == expected.dtype() => {
            let (found, expected) = (float(found), float(expected));
            let room = tolerance * scale.max(expected.abs()) + f64::from(f32::MIN_POSITIVE) * tolerance;
            found == expected || (found.is_nan() && expected.is_nan()) || (found - expected).abs() <= room
        }
        (Scalar::C64(_), Scalar::C64(_)) | (Scalar::C128(_), Scalar::C128(_)) => {
            let (found, expected) = (parts(found), parts(expected));
            // Of finite numbers, to the size of the whole.
            let scale = if expected.norm().is_finite() { scale.max(expected.norm()) } else { scale };
            let part = |found: f64, expected: f64| agree(Scalar::F64(found), Scalar::F64(expected), tolerance, scale);
            part(found.re, expected.re) && part(found.im, expected.im)
        }
        _ => found == expected,
    }
}
