//! Conversions between all element types, of the values that are hard to round; and the slow reference for 16-bit floats.

use super::check::Check;
use super::reference::convert;
use crate::backend::Layout;
use crate::dtype::{DType, Kind, Scalar};
use half::{bf16, f16};

/// All pairs of real types. All values of 16-bit types are among the sources, if so many are checked.
pub(super) fn conversions(check: &mut Check) {
    let real = || DType::ALL.into_iter().filter(|dtype| !dtype.is_complex());
    for from in real() {
        let step = if check.takes(1 << 16) { 1 } else { 13 };
        let values: Vec<Scalar> = delicate(from).into_iter().step_by(step).collect();
        let count = values.len();
        let x = check.array_of(from, Layout::contiguous(&[count]), values.clone());
        for to in real() {
            let expected: Vec<Scalar> = values.iter().map(|&value| convert(value, to)).collect();
            let dense = (Layout::contiguous(&[count]), count);
            check.expect(&format!("conversion of {from}"), to, dense, &expected, (0.0, &[]), |backend, out| {
                backend.copy(x.view(), out)
            });
            // One by one, where the address allows no packs.
            let shifted = (Layout { offset: 1, ..Layout::contiguous(&[count]) }, count + 1);
            check.expect(&format!("conversion of {from}"), to, shifted, &expected, (0.0, &[]), |backend, out| {
                backend.copy(x.view(), out)
            });
        }
    }
}

/// Values of a type at and beside what conversions have to decide.
fn delicate(dtype: DType) -> Vec<Scalar> {
    if dtype.size() == 2 || dtype.kind() == Kind::Narrow {
        return (0..1 << (8 * dtype.size())).map(|bits| Scalar::from_bits(dtype, bits)).collect();
    }
    let mut values =
        vec![0.0, f64::NAN, f64::INFINITY, f64::MAX, f64::from(f32::MAX), f64::MIN_POSITIVE, 5e-324, 1e-45];
    // Ties between neighbours of both types, and what rounding to f32 first would make one.
    for bits in (0..0x7f00).step_by(37).chain([0x7bfd, 0x7bfe, 0x7f7d, 0x7f7e]) {
        let ties = [
            (f64::from(f16::from_bits(bits)) + f64::from(f16::from_bits(bits + 1))) / 2.0,
            (f64::from(bf16::from_bits(bits)) + f64::from(bf16::from_bits(bits + 1))) / 2.0,
        ];
        for tie in ties.into_iter().filter(|tie| tie.is_finite()) {
            values.extend([tie, tie.next_up(), tie.next_down(), tie * (1.0 + 1e-9), tie * (1.0 - 1e-9)]);
        }
    }
    values.extend([65519.999, 65520.0, f64::from(bf16::MAX) * 1.001, f64::from(bf16::MAX) * 1.002]);
    for exponent in [7, 8, 15, 16, 31, 32, 53, 63, 64] {
        let power = f64::from(exponent).exp2();
        values.extend([power, power.next_down(), power - 1.0, power + 1.0, power - 0.5, power * (1.0 + 1.0 / 256.0)]);
    }
    let mut all: Vec<Scalar> = values.iter().flat_map(|&value| [value, -value]).map(Scalar::F64).collect();
    // Integers that no f64 equals.
    for shift in 8..64 {
        for low in [0, 1, 1 << shift >> 8, (1 << shift >> 8) + 1, (3u64 << shift >> 8) - 1] {
            let value = 1u64 << shift | low;
            all.extend([Scalar::U64(value), Scalar::I64(value as i64), Scalar::I64((value as i64).wrapping_neg())]);
        }
    }
    all.extend([Scalar::U64(u64::MAX), Scalar::I64(i64::MIN), Scalar::I64(i64::MAX)]);
    all.into_iter().map(|value| convert(value, dtype)).collect()
}

/// The bits of the nearest float of a narrow type, ties to even, by whole numbers: the value is `units` times a power of two.
pub(super) fn narrow(value: Scalar, to: DType) -> u16 {
    let fraction = match to {
        DType::F16 => 10,
        DType::BF16 => 7,
        other => unreachable!("how many bits the fraction of {other} has is not said here"),
    };
    let top_bit = 8 * to.size() as i32 - 1;
    let exponent = top_bit - fraction;
    let infinity = ((1 << exponent) - 1) << fraction;
    let (negative, units, power) = match value.float() {
        Some(value) => {
            let sign = u16::from(value.is_sign_negative()) << top_bit;
            if value.is_nan() {
                return infinity | 1;
            }
            if value.is_infinite() {
                return sign | infinity;
            }
            let (bits, hidden) = (value.to_bits() & (u64::MAX >> 1), 1 << 52);
            match bits >> 52 {
                0 => (sign, u128::from(bits), -1074),
                biased => (sign, u128::from((bits % hidden) | hidden), biased as i32 - 1075),
            }
        }
        None => {
            let value = super::reference::integer(value);
            (u16::from(value < 0) << top_bit, value.unsigned_abs(), 0)
        }
    };
    if units == 0 {
        return negative;
    }
    let bias = (1 << (exponent - 1)) - 1;
    let top = (127 - units.leading_zeros() as i32 + power).max(1 - bias);
    let dropped = top - fraction - power;
    let kept = match dropped {
        ..=0 => units << -dropped,
        1..=126 => {
            let (kept, rest, half) = (units >> dropped, units % (1 << dropped), 1 << (dropped - 1));
            kept + u128::from(rest > half || (rest == half && kept % 2 == 1))
        }
        _ => 0,
    };
    // A fraction that has become too large carries into the exponent.
    let bits = (i128::from(top + bias - 1) << fraction) + kept as i128;
    negative | if bits >= i128::from(infinity) { infinity } else { bits as u16 }
}

#[test]
fn the_reference_knows_single_values() {
    let f16_bits = |value: f64| narrow(Scalar::F64(value), DType::F16);
    assert_eq!([1.0, -2.0, 65504.0, 65520.0, 65519.9].map(f16_bits), [0x3c00, 0xc000, 0x7bff, 0x7c00, 0x7bff]);
    assert_eq!([5.960_464_5e-8, 2.9e-8, -0.0, 1e300, 1e-300].map(f16_bits), [1, 0, 0x8000, 0x7c00, 0]);
    assert_eq!(narrow(Scalar::U64(u64::MAX), DType::BF16), 0x5f80);
    assert_eq!(narrow(Scalar::I64((1 << 30) + (1 << 22) + 1), DType::BF16), 0x4e81);
    assert_eq!(narrow(Scalar::I64((1 << 30) + (1 << 22)), DType::BF16), 0x4e80);
    assert_eq!(narrow(Scalar::F32(0.1), DType::BF16), bf16::from_f32(0.1).to_bits());
}
