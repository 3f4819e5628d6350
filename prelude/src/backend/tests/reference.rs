//! Slow, obvious references for what the backend computes, over single values, and arrays to compare with them.

use super::convert::narrow;
use crate::backend::functions::{float_functions, float_functions_of_two};
use crate::backend::{BinaryOperation, Layout, UnaryOperation};
use crate::dtype::{DType, Scalar};
use half::{bf16, f16};
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
            match dtype {
                DType::Bool => Scalar::Bool(dice.is_multiple_of(2)),
                DType::U8 => Scalar::U8(number as u8),
                DType::I8 => Scalar::I8(number as i8),
                DType::U16 => Scalar::U16(number as u16),
                DType::I16 => Scalar::I16(number as i16),
                DType::F16 | DType::BF16 => convert(Scalar::F64(random.unit() * 4.0 - 2.0), dtype),
                DType::I32 => Scalar::I32(number as i32),
                DType::U32 => Scalar::U32(number as u32),
                DType::I64 => Scalar::I64(number),
                DType::U64 => Scalar::U64(number as u64),
                DType::F32 => Scalar::F32((random.unit() * 4.0 - 2.0) as f32),
                DType::F64 => Scalar::F64(random.unit() * 4.0 - 2.0),
                DType::C64 | DType::C128 => complex(random.unit() * 4.0 - 2.0, random.unit() * 4.0 - 2.0, dtype),
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
    match dtype {
        DType::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        DType::U8 => [0, 1, 2, u8::MAX].map(Scalar::U8).to_vec(),
        DType::I8 => [0, 1, -1, 2, i8::MIN, i8::MAX].map(Scalar::I8).to_vec(),
        DType::U16 => [0, 1, 2, u16::MAX].map(Scalar::U16).to_vec(),
        DType::I16 => [0, 1, -1, 2, i16::MIN, i16::MAX].map(Scalar::I16).to_vec(),
        DType::F16 | DType::BF16 => {
            edges(DType::F64).into_iter().chain([Scalar::F64(1e-7)]).map(|value| convert(value, dtype)).collect()
        }
        DType::I32 => [0, 1, -1, 2, i32::MIN, i32::MAX].map(Scalar::I32).to_vec(),
        DType::U32 => [0, 1, 2, u32::MAX].map(Scalar::U32).to_vec(),
        DType::I64 => [0, 1, -1, 2, i64::MIN, i64::MAX].map(Scalar::I64).to_vec(),
        DType::U64 => [0, 1, 2, u64::MAX].map(Scalar::U64).to_vec(),
        DType::F32 => [0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 300.5, -7.25, 4e9, -4e9, 1e20]
            .map(Scalar::F32)
            .to_vec(),
        DType::F64 => [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 300.5, -7.25, 4e9, -4e9, 1e20]
            .map(Scalar::F64)
            .to_vec(),
        DType::C64 | DType::C128 => {
            let edges = edges(dtype.part());
            let pairs = edges.iter().flat_map(|&re| edges.iter().map(move |&im| (float(re), float(im))));
            pairs.map(|(re, im)| complex(re, im, dtype)).collect()
        }
    }
}

pub(super) fn to_bytes(values: &[Scalar]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &value in values {
        match value {
            Scalar::Bool(value) => bytes.push(u8::from(value)),
            Scalar::U8(value) => bytes.push(value),
            Scalar::I8(value) => bytes.push(value.cast_unsigned()),
            Scalar::U16(value) => bytes.extend(value.to_le_bytes()),
            Scalar::I16(value) => bytes.extend(value.to_le_bytes()),
            Scalar::F16(value) => bytes.extend(value.to_le_bytes()),
            Scalar::BF16(value) => bytes.extend(value.to_le_bytes()),
            Scalar::I32(value) => bytes.extend(value.to_le_bytes()),
            Scalar::U32(value) => bytes.extend(value.to_le_bytes()),
            Scalar::I64(value) => bytes.extend(value.to_le_bytes()),
            Scalar::U64(value) => bytes.extend(value.to_le_bytes()),
            Scalar::F32(value) => bytes.extend(value.to_le_bytes()),
            Scalar::F64(value) => bytes.extend(value.to_le_bytes()),
            Scalar::C64(value) => bytes.extend([value.re, value.im].iter().flat_map(|part| part.to_le_bytes())),
            Scalar::C128(value) => bytes.extend([value.re, value.im].iter().flat_map(|part| part.to_le_bytes())),
        }
    }
    bytes
}

pub(super) fn from_bytes(dtype: DType, bytes: &[u8]) -> Scalar {
    let two = || bytes[..2].try_into().unwrap();
    let four = || bytes[..4].try_into().unwrap();
    let eight = || bytes[..8].try_into().unwrap();
    match dtype {
        DType::Bool => Scalar::Bool(bytes[0] != 0),
        DType::U8 => Scalar::U8(bytes[0]),
        DType::I8 => Scalar::I8(bytes[0].cast_signed()),
        DType::U16 => Scalar::U16(u16::from_le_bytes(two())),
        DType::I16 => Scalar::I16(i16::from_le_bytes(two())),
        DType::F16 => Scalar::F16(f16::from_le_bytes(two())),
        DType::BF16 => Scalar::BF16(bf16::from_le_bytes(two())),
        DType::I32 => Scalar::I32(i32::from_le_bytes(four())),
        DType::U32 => Scalar::U32(u32::from_le_bytes(four())),
        DType::I64 => Scalar::I64(i64::from_le_bytes(eight())),
        DType::U64 => Scalar::U64(u64::from_le_bytes(eight())),
        DType::F32 => Scalar::F32(f32::from_le_bytes(four())),
        DType::F64 => Scalar::F64(f64::from_le_bytes(eight())),
        DType::C64 | DType::C128 => {
            let part = dtype.part();
            complex(float(from_bytes(part, bytes)), float(from_bytes(part, &bytes[part.size()..])), dtype)
        }
    }
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

macro_rules! on_numbers {
    ($value:expr, $x:ident => $integer:expr, $float:expr) => {
        match $value {
            Scalar::Bool($x) => {
                let $x = u8::from($x);
                Scalar::Bool($integer != 0)
            }
            Scalar::U8($x) => Scalar::U8($integer),
            Scalar::I32($x) => Scalar::I32($integer),
            Scalar::U32($x) => Scalar::U32($integer),
            Scalar::I64($x) => Scalar::I64($integer),
            Scalar::U64($x) => Scalar::U64($integer),
            Scalar::F32($x) => Scalar::F32($float),
            Scalar::F64($x) => Scalar::F64($float),
            other => unreachable!("no arithmetic on {other:?}"),
        }
    };
}

trait Signed: Copy {
    fn sign(self) -> Self;
    fn absolute(self) -> Self;
}
macro_rules! signed {
    ($($type:ty)*) => {$(impl Signed for $type {
        fn sign(self) -> Self { self.signum() }
        fn absolute(self) -> Self { self.wrapping_abs() }
    })*};
}
macro_rules! unsigned {
    ($($type:ty)*) => {$(impl Signed for $type {
        fn sign(self) -> Self { self.min(1) }
        fn absolute(self) -> Self { self }
    })*};
}
signed!(i32 i64);
unsigned!(u8 u32 u64);

// One text for f32 and f64.
#[allow(clippy::useless_conversion)]
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
    match operation {
        UnaryOperation::LogicalNot => Scalar::Bool(!truth(value)),
        UnaryOperation::IsNan => {
            Scalar::Bool(matches!(value, Scalar::F32(x) if x.is_nan()) || matches!(value, Scalar::F64(x) if x.is_nan()))
        }
        UnaryOperation::IsInf => Scalar::Bool(is_infinite(value)),
        UnaryOperation::IsFinite => Scalar::Bool(is_finite(value)),
        UnaryOperation::BitwiseNot if value.dtype() == DType::Bool => Scalar::Bool(!truth(value)),
        UnaryOperation::BitwiseNot => on_numbers!(value, x => !x, x),
        UnaryOperation::Negative => on_numbers!(value, x => x.wrapping_neg(), -x),
        UnaryOperation::Abs => on_numbers!(value, x => x.absolute(), x.abs()),
        UnaryOperation::Sign => on_numbers!(value, x => x.sign(), float(f64::from(x)) as _),
        _ => on_numbers!(value, x => x, float(f64::from(x)) as _),
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
                (Scalar::Bool(_), _) => {
                    Scalar::Bool(integers(operation, 1, integer(a), integer(b), |x| i128::from(x != 0)) != 0)
                }
                (Scalar::U8(_), _) => {
                    Scalar::U8(integers(operation, 8, integer(a), integer(b), |x| x as u8 as i128) as u8)
                }
                (Scalar::I32(_), _) => {
                    Scalar::I32(integers(operation, 32, integer(a), integer(b), |x| x as i32 as i128) as i32)
                }
                (Scalar::U32(_), _) => {
                    Scalar::U32(integers(operation, 32, integer(a), integer(b), |x| x as u32 as i128) as u32)
                }
                (Scalar::I64(_), _) => {
                    Scalar::I64(integers(operation, 64, integer(a), integer(b), |x| x as i64 as i128) as i64)
                }
                (Scalar::U64(_), _) => {
                    Scalar::U64(integers(operation, 64, integer(a), integer(b), |x| x as u64 as i128) as u64)
                }
                _ => unreachable!(),
            };
        }
    };
    Scalar::Bool(answer)
}

/// An integer's value.
pub(super) fn integer(value: Scalar) -> i128 {
    match value {
        Scalar::Bool(value) => value.into(),
        Scalar::U8(value) => value.into(),
        Scalar::I8(value) => value.into(),
        Scalar::U16(value) => value.into(),
        Scalar::I16(value) => value.into(),
        Scalar::I32(value) => value.into(),
        Scalar::U32(value) => value.into(),
        Scalar::I64(value) => value.into(),
        Scalar::U64(value) => value.into(),
        other => unreachable!("{other:?} is no integer"),
    }
}

/// A float's value.
pub(super) fn float(value: Scalar) -> f64 {
    match value {
        Scalar::F16(value) => value.into(),
        Scalar::BF16(value) => value.into(),
        Scalar::F32(value) => value.into(),
        Scalar::F64(value) => value,
        _ => unreachable!(),
    }
}

/// Rust's `as`; to bool: not zero.
pub(super) fn convert(value: Scalar, to: DType) -> Scalar {
    match to {
        to if to == value.dtype() => return value,
        DType::F16 => return Scalar::F16(f16::from_bits(narrow(value, 10, 5))),
        DType::BF16 => return Scalar::BF16(bf16::from_bits(narrow(value, 7, 8))),
        _ => {}
    }
    macro_rules! to {
        ($x:expr) => {
            match to {
                DType::Bool => Scalar::Bool($x as f64 != 0.0),
                DType::U8 => Scalar::U8($x as u8),
                DType::I8 => Scalar::I8($x as i8),
                DType::U16 => Scalar::U16($x as u16),
                DType::I16 => Scalar::I16($x as i16),
                DType::F16 | DType::BF16 => unreachable!("handled above"),
                DType::I32 => Scalar::I32($x as i32),
                DType::U32 => Scalar::U32($x as u32),
                DType::I64 => Scalar::I64($x as i64),
                DType::U64 => Scalar::U64($x as u64),
                DType::F32 => Scalar::F32($x as f32),
                DType::F64 => Scalar::F64($x as f64),
                DType::C64 | DType::C128 => complex($x as f64, 0.0, to),
            }
        };
    }
    match value {
        Scalar::Bool(x) => to!(u8::from(x)),
        Scalar::U8(x) => to!(x),
        Scalar::I8(x) => to!(x),
        Scalar::U16(x) => to!(x),
        Scalar::I16(x) => to!(x),
        Scalar::F16(x) => to!(f64::from(x)),
        Scalar::BF16(x) => to!(f64::from(x)),
        Scalar::I32(x) => to!(x),
        Scalar::U32(x) => to!(x),
        Scalar::I64(x) => to!(x),
        Scalar::U64(x) => to!(x),
        Scalar::F32(x) => to!(x),
        Scalar::F64(x) => to!(x),
        Scalar::C64(_) | Scalar::C128(_) => unreachable!("complex numbers stay what they are"),
    }
}

/// Whether two values are equal: floats within `tolerance` relative to the larger of `scale` and the expected value, NaN
/// equal to NaN.
pub(super) fn agree(found: Scalar, expected: Scalar, tolerance: f64, scale: f64) -> bool {
    match (found, expected) {
        (Scalar::F16(found), Scalar::F16(expected)) if tolerance == 0.0 => {
            found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
        }
        (Scalar::BF16(found), Scalar::BF16(expected)) if tolerance == 0.0 => {
            found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
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
