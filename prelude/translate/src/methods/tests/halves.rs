//! Floats of 16 bits: the support text against the crate `half`, for all values, and for random pairs of them.

use super::inputs::Random;
use super::printed_by;
use crate::methods::{associated_constant, tables};
use crate::program::Value;
use crate::scalars::Scalar;
use crate::support;
use half::{bf16, f16};
use std::collections::BTreeSet;

/// Pairs that operators are tried with.
const PAIRS: usize = 200_000;

/// The program: for each of all values the bits of its functions, then for each pair those of the operators, then for each `f32` what
/// it becomes. Its input is pairs of 32 bits.
const MAIN: &str = r#"
static u32 bits_of(f32 x) { return f32_to_bits(x); }
static u32 bits_of(f64 x) { return u32(f64_to_bits(x) >> 32) ^ u32(f64_to_bits(x)); }
static u32 bits_of(bool x) { return x; }
static u32 bits_of(u16 x) { return x; }
static u32 bits_of(HALF x) { return x.bits; }
int main(int, char **arguments) {
    std::vector<u32> all;
    for (u32 value = 0; value < 65536; value++) {
        const HALF x = HALF_from_bits(u16(value));
        for (u32 bits : {bits_of(HALF_to_f32(x)), bits_of(HALF_to_f64(x)), bits_of(HALF_to_bits(x)), bits_of(-x),
                         bits_of(HALF_is_nan(x)), bits_of(HALF_is_finite(x)), bits_of(HALF_is_infinite(x)),
                         bits_of(HALF_is_normal(x)), bits_of(HALF_is_sign_positive(x)),
                         bits_of(HALF_is_sign_negative(x)), bits_of(HALF_signum(x))})
            all.push_back(bits);
    }
    FILE *file = fopen(arguments[1], "rb");
    for (u32 pair[2]; fread(pair, 4, 2, file) == 2;) {
        const HALF a = HALF_from_bits(u16(pair[0])), b = HALF_from_bits(u16(pair[1]));
        HALF sum = a, difference = a, product = a, quotient = a;
        sum += b, difference -= b, product *= b, quotient /= b;
        for (u32 bits : {bits_of(a + b), bits_of(a - b), bits_of(a * b), bits_of(a / b), bits_of(HALF_rem(a, b)), bits_of(a == b),
                         bits_of(a != b), bits_of(a < b), bits_of(a <= b), bits_of(a > b), bits_of(a >= b), bits_of(HALF_min(a, b)),
                         bits_of(HALF_max(a, b)), bits_of(HALF_copysign(a, b)), bits_of(sum), bits_of(difference),
                         bits_of(product), bits_of(quotient), bits_of(HALF_from_f32(f32_from_bits(pair[0])))})
            all.push_back(bits);
    }
    return fwrite(all.data(), 4, all.size(), stdout) == all.size() ? 0 : 1;
}
"#;

/// What the program prints.
fn of_cpp(half: &str, scalar: Scalar, pairs: &[u32]) -> Vec<u32> {
    let mut used: BTreeSet<String> =
        tables(scalar).iter().flat_map(|table| table.iter()).map(|(_, method)| method.c_name.to_owned()).collect();
    used.extend([
        format!("{half}_rem"),
        "f64_to_bits".to_owned(),
        "f32_to_bits".to_owned(),
        "f32_from_bits".to_owned(),
    ]);
    let text = format!("#include \"host.h\"\n{}{}", support::text(&used, half), MAIN.replace("HALF", half));
    let words: Vec<u8> = pairs.iter().flat_map(|word| word.to_le_bytes()).collect();
    let printed = printed_by(half, &text, &words);
    printed.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// Random bits: those of all values, those of numbers near one another, and those of `f32` at the limits of 16 bits.
fn pairs() -> Vec<u32> {
    let mut random = Random(3);
    let mut pairs = Vec::with_capacity(2 * PAIRS);
    for index in 0..PAIRS {
        let word = random.next() as u32;
        let exponent = 95 + random.below(55) as u32;
        pairs.push(match index % 3 {
            0 => word,
            1 => (word & 0x807f_ffff) | exponent << 23,
            // Halfway between two values of 16 bits, or next to it.
            _ => (((word & 0x807f_0000) | exponent << 23) | 0x1000 << random.below(4))
                .wrapping_add(random.below(3) as u32)
                .wrapping_sub(1),
        });
        pairs.push(if index % 5 == 0 { pairs[2 * index] ^ 0x8000 } else { random.next() as u32 });
    }
    pairs
}

macro_rules! agrees {
    ($test:ident $half:ident $tag:ident) => {
        #[test]
        fn $test() {
            let pairs = pairs();
            // NaN of an operation has bits of its own on each machine.
            let result = |x: $half| u32::from(if x.is_nan() { $half::NAN } else { x }.to_bits());
            let found = of_cpp(stringify!($half), Scalar::$tag, &pairs);
            let (each, of_pairs) = found.split_at(11 * 65536);
            for (bits, found) in each.chunks_exact(11).enumerate() {
                let x = $half::from_bits(bits as u16);
                let wide = x.to_f64().to_bits();
                let expected = [
                    x.to_f32().to_bits(),
                    (wide >> 32) as u32 ^ wide as u32,
                    x.to_bits().into(),
                    (-x).to_bits().into(),
                    x.is_nan().into(),
                    x.is_finite().into(),
                    x.is_infinite().into(),
                    x.is_normal().into(),
                    x.is_sign_positive().into(),
                    x.is_sign_negative().into(),
                    x.signum().to_bits().into(),
                ];
                assert_eq!(found, expected, "{bits:#x}");
            }
            assert_eq!(of_pairs.len(), 19 * PAIRS);
            for (pair, found) in pairs.chunks_exact(2).zip(of_pairs.chunks_exact(19)) {
                let (a, b) = ($half::from_bits(pair[0] as u16), $half::from_bits(pair[1] as u16));
                let expected = [
                    result(a + b),
                    result(a - b),
                    result(a * b),
                    result(a / b),
                    result(a % b),
                    (a == b).into(),
                    (a != b).into(),
                    (a < b).into(),
                    (a <= b).into(),
                    (a > b).into(),
                    (a >= b).into(),
                    result(a.min(b)),
                    result(a.max(b)),
                    result(a.copysign(b)),
                    result(a + b),
                    result(a - b),
                    result(a * b),
                    result(a / b),
                    result($half::from_f32(f32::from_bits(pair[0]))),
                ];
                let found: Vec<u32> = found
                    .iter()
                    .enumerate()
                    .map(|(at, bits)| {
                        let is_half = !(5..11).contains(&at);
                        if is_half { result($half::from_bits(*bits as u16)) } else { *bits }
                    })
                    .collect();
                assert_eq!(found, expected, "{a} ({:#x}) and {b} ({:#x}); {:#x}", a.to_bits(), b.to_bits(), pair[0]);
            }
            for (name, value) in [
                ("ZERO", $half::ZERO),
                ("NEG_ZERO", $half::NEG_ZERO),
                ("ONE", $half::ONE),
                ("NEG_ONE", $half::NEG_ONE),
                ("MIN", $half::MIN),
                ("MAX", $half::MAX),
                ("MIN_POSITIVE", $half::MIN_POSITIVE),
                ("EPSILON", $half::EPSILON),
                ("INFINITY", $half::INFINITY),
                ("NEG_INFINITY", $half::NEG_INFINITY),
                ("NAN", $half::NAN),
            ] {
                assert_eq!(
                    associated_constant(Scalar::$tag, name),
                    Some(Value::Scalar(Scalar::$tag, value.to_bits().into())),
                    "{name}"
                );
            }
        }
    };
}
agrees!(f16_is_that_of_the_crate f16 F16);
agrees!(bf16_is_that_of_the_crate bf16 BF16);
