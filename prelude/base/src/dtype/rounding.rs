//! Rounding to 16-bit floats, to nearest with ties to even, once.
//!
//! Two roundings in a row, to `f32` and on to 16 bits, can differ from one: what was just above a tie may become the
//! tie. So the first one is not to nearest but "to odd": toward zero, and if that was not exact, with the last bit set.
//! The result has two bits more than it will keep, so it lies on the same side of every tie as the value did (Boldo and
//! Melquiond, Emulation of FMA and correctly rounded sums, 2008). The CUDA kernels do the same.

/// An `f64` as the `f32` that rounds on to 16 bits as the value itself would.
#[inline(always)]
pub fn odd_from_f64(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let toward_zero = nearest.to_bits() - u32::from(back.abs() > value.abs());
    // For a NaN too: it stays one.
    f32::from_bits(toward_zero | u32::from(back != value))
}

/// As [`odd_from_f64`], for a `u64`.
#[inline(always)]
pub fn odd_from_u64(value: u64) -> f32 {
    // More than the 53 bits of an `f64` lose the last ones, to odd as well.
    let odd = (value & !0x7ff) | u64::from(value & 0x7ff != 0) << 11;
    odd_from_f64(if value >> 53 == 0 { value } else { odd } as f64)
}

/// As [`odd_from_f64`], for an `i64`.
#[inline(always)]
pub fn odd_from_i64(value: i64) -> f32 {
    let magnitude = odd_from_u64(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    /// The nearest of all finite values of a type, ties to the even one; the next larger power of two stands for infinity.
    fn nearest(value: f64, to_f64: impl Fn(u16) -> f64, infinity: u16) -> u16 {
        let magnitude = value.abs();
        let at = |bits: u16| {
            if bits == infinity { 2.0 * to_f64(infinity - 1).log2().floor().exp2() } else { to_f64(bits) }
        };
        // The values grow with their bits.
        let (mut below, mut above) = (0, infinity);
        if magnitude >= at(infinity) {
            below = infinity;
        }
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if at(middle) <= magnitude { below = middle } else { above = middle }
        }
        let (down, up) = (magnitude - at(below), at(above) - magnitude);
        let bits = if below == infinity || down < up || (down == up && below % 2 == 0) { below } else { above };
        bits | if value.is_sign_negative() { 0x8000 } else { 0 }
    }

    /// Values around every tie of some neighbours, at all magnitudes.
    fn delicate(to_f64: impl Fn(u16) -> f64, infinity: u16) -> Vec<f64> {
        let mut values =
            vec![0.0, 1e-60, 5e-324, 1e60, f64::MAX, 1.0 / 3.0, 65519.999, 65520.0, 3.4e38, 3.402_823_5e38];
        for bits in (0..infinity - 1).step_by(3).chain(infinity - 3..infinity - 1) {
            let tie = (to_f64(bits) + to_f64(bits + 1)) / 2.0;
            values.extend([tie, tie.next_up(), tie.next_down(), tie * (1.0 + 1e-9), tie * (1.0 - 1e-9)]);
            values.extend([f64::from(tie as f32), f64::from((tie as f32).next_up()), to_f64(bits)]);
        }
        let negative: Vec<f64> = values.iter().map(|value| -value).collect();
        values.extend(negative);
        values
    }

    #[test]
    fn one_rounding_to_f16() {
        let to_f64 = |bits| f64::from(f16::from_bits(bits));
        for value in delicate(to_f64, f16::INFINITY.to_bits()) {
            let expected = nearest(value, to_f64, f16::INFINITY.to_bits());
            assert_eq!(f16::from_f32(odd_from_f64(value)).to_bits(), expected, "{value:e}");
        }
        assert!(f16::from_f32(odd_from_f64(f64::NAN)).is_nan());
        assert_eq!(f16::from_f32(odd_from_f64(f64::NEG_INFINITY)), f16::NEG_INFINITY);
    }

    #[test]
    fn one_rounding_to_bf16() {
        let to_f64 = |bits| f64::from(bf16::from_bits(bits));
        for value in delicate(to_f64, bf16::INFINITY.to_bits()) {
            let expected = nearest(value, to_f64, bf16::INFINITY.to_bits());
            assert_eq!(bf16::from_f32(odd_from_f64(value)).to_bits(), expected, "{value:e}");
        }
        assert!(bf16::from_f32(odd_from_f64(f64::NAN)).is_nan());
        assert_eq!(bf16::from_f32(odd_from_f64(f64::INFINITY)), bf16::INFINITY);
    }

    #[test]
    fn integers_round_once() {
        let bits = |value: u64| bf16::from_f32(odd_from_u64(value)).to_bits();
        for shift in 0..64 {
            for low in [0, 1, 2, 3, 5, 1 << shift >> 9, 3 << shift >> 10] {
                for value in [(1u64 << shift) | low, (1u64 << shift).wrapping_sub(low), (0xffff << shift) | low] {
                    // Kept bits, and how what is dropped compares with half of the last one.
                    let dropped = (64 - value.leading_zeros()).saturating_sub(8);
                    let (kept, rest) = (value >> dropped, value & ((1 << dropped) - 1));
                    let half = (1u64 << dropped) / 2;
                    let up = dropped > 0 && (rest > half || (rest == half && kept % 2 == 1));
                    let expected = bf16::from_f64((kept + u64::from(up)) as f64 * f64::from(dropped).exp2());
                    assert_eq!(bits(value), expected.to_bits(), "{value:#x}");
                    let signed = value as i64;
                    let of_signed = bf16::from_f32(odd_from_i64(signed)).to_bits();
                    let sign = if signed < 0 { 0x8000 } else { 0 };
                    assert_eq!(of_signed, bits(signed.unsigned_abs()) | sign, "{signed:#x}");
                }
            }
        }
        assert_eq!(odd_from_u64(u64::MAX), 0xffff_ff00_0000_0000u64 as f32);
    }
}
