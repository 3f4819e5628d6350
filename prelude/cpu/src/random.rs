//! Random numbers: blocks of Philox in vector instructions, then a loop over the words for each distribution.
//!
//! All arithmetic is of operations that IEEE 754 defines to the last bit (no fused multiplications, no library functions),
//! in the order in which `kernels/random.cu` does it: both backends give the same bits.

use super::numeric::{Native, Shared, by_isa, for_integer};
use super::pool;
use std::mem::MaybeUninit;
use warpcell_base::backend::Distribution;
use warpcell_base::dtype::{DType, dtypes, if_dtype};
use warpcell_base::error::{Error, Result};
use warpcell_base::philox::{Blocks, MULTIPLIERS, round_keys};

/// Blocks whose words are made at a time; they stay in the first-level cache.
const CHUNK: usize = 256;
/// 64-bit words of a chunk.
const WORDS: usize = 2 * CHUNK;
/// Fewer elements than this are not worth a second thread. A multiple of the elements of a chunk.
const GRAIN: usize = 1 << 15;

/// Fills `size` elements of `dtype` with the numbers that the blocks give.
///
/// # Safety
///
/// `out` must have room for `size` elements, which only this call accesses. They may be uninitialised.
pub(super) unsafe fn fill(blocks: Blocks, distribution: Distribution, dtype: DType, out: *mut u8, size: usize) {
    macro_rules! of {
        ($type:ty, $transform:expr) => {{
            let transform = $transform;
            let out = Shared(out.cast::<MaybeUninit<$type>>());
            pool::split(size, GRAIN, &|range| {
                // SAFETY: the caller's promise; each element belongs to one task.
                let part = unsafe { std::slice::from_raw_parts_mut(out.get().add(range.start), range.len()) };
                fill_part(&transform, blocks, range.start, part);
            });
        }};
    }
    macro_rules! floats {
        ($type:ty) => {{
            let of = <$type>::of;
            match distribution {
                Distribution::Uniform { low, span, last } => {
                    of!($type, Uniform { low: of(low), span: of(span), last: of(last) })
                }
                Distribution::Normal { mean, deviation } => {
                    of!($type, Normal { mean: of(mean), deviation: of(deviation) })
                }
                Distribution::Exponential { scale } => of!($type, Exponential { scale: of(scale) }),
                Distribution::Integers { .. } => unreachable!("operations reject floats"),
            }
        }};
    }
    match dtype {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        dtype => {
            let Distribution::Integers { low, count } = distribution else {
                unreachable!("operations refuse other types")
            };
            for_integer!(dtype, T => of!(T, Integers { low: T::of(low), count, blocks }))
        }
    }
}

/// As [`fill`], of host memory; an error if the cell was interrupted meanwhile and parts were left out.
///
/// # Safety
///
/// As for [`fill`].
pub unsafe fn fill_host(
    blocks: Blocks,
    distribution: Distribution,
    dtype: DType,
    out: *mut u8,
    size: usize,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { fill(blocks, distribution, dtype, out, size) };
    if pool::left_out() { Err(Error::Interrupted) } else { Ok(()) }
}

/// How the words of a chunk become elements.
trait Transform: Sync {
    type Element: Copy;
    /// The elements of one block.
    const EACH: usize;
    /// `first` is the index of the first word; `out` has the elements of a chunk.
    fn apply(&self, words: &[u64; WORDS], first: u64, out: &mut [MaybeUninit<Self::Element>]);
}

by_isa! {
    /// The elements from index `start` on, which is at the beginning of a block.
    fn fill_part<T: Transform>(transform: &T, blocks: Blocks, start: usize, out: &mut [MaybeUninit<T::Element>]) {
        let mut words = [0; WORDS];
        let mut block = (start / T::EACH) as u64;
        for part in out.chunks_mut(CHUNK * T::EACH) {
            make_words(blocks, block, &mut words);
            if part.len() == CHUNK * T::EACH {
                transform.apply(&words, 2 * block, part);
            } else {
                let mut whole = [MaybeUninit::uninit(); 4 * CHUNK];
                transform.apply(&words, 2 * block, &mut whole[..CHUNK * T::EACH]);
                part.copy_from_slice(&whole[..part.len()]);
            }
            block += CHUNK as u64;
        }
    }
}

/// The words of the blocks from index `first` on. Numbers of 32 bits are kept in 64: the product of two is then one
/// instruction, and of what is left in the upper halves nothing reaches the lower ones.
#[inline(always)]
fn make_words(blocks: Blocks, first: u64, words: &mut [u64; WORDS]) {
    const LOW: u64 = u32::MAX as u64;
    let start = blocks.first.wrapping_add(first);
    let keys = round_keys(blocks.key).map(|key| key.map(u64::from));
    for index in 0..CHUNK {
        let place = start.wrapping_add(index as u64);
        let mut x = [place, place >> 32, blocks.stream & LOW, blocks.stream >> 32];
        for key in &keys {
            let left = u64::from(MULTIPLIERS[0]) * (x[0] & LOW);
            let right = u64::from(MULTIPLIERS[1]) * (x[2] & LOW);
            x = [(right >> 32) ^ x[1] ^ key[0], right, (left >> 32) ^ x[3] ^ key[1], left];
        }
        words[2 * index] = (x[0] & LOW) | x[1] << 32;
        words[2 * index + 1] = (x[2] & LOW) | x[3] << 32;
    }
}

/// The words of a chunk in halves, the lower one first.
#[inline(always)]
fn halves(words: &[u64; WORDS]) -> &[u32; 2 * WORDS] {
    // SAFETY: as many bytes, of a type with a smaller alignment; x86-64 is little-endian.
    unsafe { &*std::ptr::from_ref(words).cast() }
}

struct Uniform<T> {
    low: T,
    span: T,
    last: T,
}

struct Normal<T> {
    mean: T,
    deviation: T,
}

struct Exponential<T> {
    scale: T,
}

macro_rules! floats {
    ($($type:ty, $each:literal, |$words:ident| $parts:expr, |$word:ident| $unit:expr, $minus_log:ident, $circle:ident;)*) => {$(
        impl Transform for Uniform<$type> {
            type Element = $type;
            const EACH: usize = $each;
            #[inline(always)]
            fn apply(&self, $words: &[u64; WORDS], _first: u64, out: &mut [MaybeUninit<$type>]) {
                for (out, &$word) in out.iter_mut().zip($parts) {
                    let value = self.low + self.span * $unit;
                    out.write(if value < self.last { value } else { self.last });
                }
            }
        }

        impl Transform for Normal<$type> {
            type Element = $type;
            const EACH: usize = $each;
            #[inline(always)]
            fn apply(&self, $words: &[u64; WORDS], _first: u64, out: &mut [MaybeUninit<$type>]) {
                for (out, words) in out.chunks_exact_mut(2).zip($parts.chunks_exact(2)) {
                    let radius = (2.0 * $minus_log(words[0])).sqrt();
                    let (cosine, sine) = $circle(words[1]);
                    out[0].write(self.mean + self.deviation * (radius * cosine));
                    out[1].write(self.mean + self.deviation * (radius * sine));
                }
            }
        }

        impl Transform for Exponential<$type> {
            type Element = $type;
            const EACH: usize = $each;
            #[inline(always)]
            fn apply(&self, $words: &[u64; WORDS], _first: u64, out: &mut [MaybeUninit<$type>]) {
                for (out, &word) in out.iter_mut().zip($parts) {
                    out.write(self.scale * $minus_log(word));
                }
            }
        }
    )*};
}
// The elements of a block, the words, a number in [0, 1), and what the other distributions are made of.
floats! {
    f64, 2, |words| words, |word| ((word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)), minus_log_f64, circle_f64;
    f32, 4, |words| halves(words), |word| ((word >> 8) as i32 as f32 * (1.0 / (1u32 << 24) as f32)), minus_log_f32, circle_f32;
}

struct Integers<T> {
    low: T,
    count: u64,
    blocks: Blocks,
}

macro_rules! integers {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { integers $kind $use {
            impl Transform for Integers<$type> {
                type Element = $type;
                const EACH: usize = 2;
                #[inline(always)]
                fn apply(&self, words: &[u64; WORDS], first: u64, out: &mut [MaybeUninit<$type>]) {
                    for (index, (out, &word)) in out.iter_mut().zip(words).enumerate() {
                        let number = self.blocks.below(word, first + index as u64, self.count);
                        out.write(self.low.wrapping_add(number as $type));
                    }
                }
            }
        } {} })*
    };
}
dtypes!(integers!());

/// `c0 + z * (c1 + z * (c2 + …))`.
macro_rules! polynomial {
    ($z:ident: $last:literal) => { $last };
    ($z:ident: $first:literal $($rest:literal)+) => { $first + $z * (polynomial!($z: $($rest)+)) };
}

// The polynomials below have the least largest error (Remez), which is below 2^-56 of the result for f64 and 2^-26 for f32.
// The logarithm is that of m·2^e with m between √½ and √2: ln m = 2s + s·z·P(z) with s = (m - 1) / (m + 1) and z = s².

/// `-ln(u)` of u = 1 - k·2^-52, k the upper bits of the word.
#[inline(always)]
fn minus_log_f64(word: u64) -> f64 {
    const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    // Keeps the exponent positive: u is not below 2^-52.
    const SHIFT: u64 = 64 << 52;
    const TWO_52: u64 = 0x433 << 52;
    let u = 2.0 - f64::from_bits(0x3ff << 52 | word >> 12);
    let bits = u.to_bits().wrapping_add(SHIFT);
    let exponent = bits.wrapping_sub(SQRT_HALF) >> 52;
    let f = f64::from_bits(bits.wrapping_sub(exponent << 52)) - 1.0;
    let exponent = f64::from_bits(TWO_52 | exponent) - (4_503_599_627_370_496.0 + 64.0);
    let s = f / (2.0 + f);
    let z = s * s;
    let series = polynomial!(z: 0.666666666666667 0.39999999999898445 0.28571428626399387 0.222222110728223
        0.18182893219785845 0.15331596932448704 0.14617872952506913);
    // ln 2 in two parts, the first of which is exact when multiplied.
    let upper = exponent * 0.6931471805598903;
    let lower = exponent * 5.497923018708371e-14 + (2.0 * s + (s * z) * series);
    0.0 - (upper + lower)
}

/// `-ln(u)` of u = (word + 1)·2^-32.
#[inline(always)]
fn minus_log_f32(word: u32) -> f32 {
    const SQRT_HALF: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    const SHIFT: u32 = 64 << 23;
    const TO_UNIT: f32 = 1.0 / (1u64 << 32) as f32;
    // Near 1 the distance from it is what has to be exact.
    let distance = !word;
    let is_near = distance < 1_257_966_796;
    let bits = (word.wrapping_add(1) as f32 * TO_UNIT).to_bits().wrapping_add(SHIFT);
    let exponent = bits.wrapping_sub(SQRT_HALF) >> 23;
    let far = f32::from_bits(bits.wrapping_sub(exponent << 23)) - 1.0;
    let f = if is_near { distance as f32 * -TO_UNIT } else { far };
    let exponent = if is_near { 0.0 } else { (exponent as i32 - 64) as f32 };
    let s = f / (2.0 + f);
    let z = s * s;
    let series = polynomial!(z: 0.66666687 0.39988717 0.29582152);
    let upper = exponent * 0.69314575;
    let lower = exponent * 1.4286068e-06 + (2.0 * s + (s * z) * series);
    0.0 - (upper + lower)
}

/// Cosine and sine of the angle `word`·2^-64 turns: the quadrant, and a distance from its middle of at most π/4.
#[inline(always)]
fn circle_f64(word: u64) -> (f64, f64) {
    const TWO_52: u64 = 0x433 << 52;
    let turned = word.wrapping_add(1 << 61);
    let quadrant = turned >> 62;
    let offset = f64::from_bits(TWO_52 | (turned & ((1 << 62) - 1)) >> 10) - (4_503_599_627_370_496.0 * 1.5);
    let a = offset * 3.487868498008632e-16;
    let z = a * a;
    let sine_series = polynomial!(z: -0.16666666666666666 0.00833333333333095 -0.00019841269836759208
        2.755731610272336e-06 -2.5051131855020103e-08 1.5918128540749538e-10);
    let cosine_series = polynomial!(z: 0.041666666666666664 -0.0013888888888887398 2.4801587298765916e-05
        -2.755731727175974e-07 2.0876146260409636e-09 -1.1382631029181099e-11);
    let sine = a + (a * z) * sine_series;
    let cosine = 1.0 - (0.5 * z - (z * z) * cosine_series);
    let (x, y) = if quadrant & 1 == 1 { (sine, cosine) } else { (cosine, sine) };
    let sign = |value: f64, sign: u64| f64::from_bits(value.to_bits() ^ (sign & 2) << 62);
    (sign(x, quadrant + 1), sign(y, quadrant))
}

/// The same of `word`·2^-32 turns.
#[inline(always)]
fn circle_f32(word: u32) -> (f32, f32) {
    let turned = word.wrapping_add(1 << 29);
    let quadrant = turned >> 30;
    let offset = ((turned & ((1 << 30) - 1)) as i32 - (1 << 29)) as f32;
    let a = offset * 1.4629181e-09;
    let z = a * a;
    let sine_series = polynomial!(z: -0.16666664 0.008332749 -0.00019587984);
    let cosine_series = polynomial!(z: 0.041666664 -0.0013888304 2.4548015e-05);
    let sine = a + (a * z) * sine_series;
    let cosine = 1.0 - (0.5 * z - (z * z) * cosine_series);
    let (x, y) = if quadrant & 1 == 1 { (sine, cosine) } else { (cosine, sine) };
    let sign = |value: f32, sign: u32| f32::from_bits(value.to_bits() ^ (sign & 2) << 30);
    (sign(x, quadrant + 1), sign(y, quadrant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Isa;
    use std::f64::consts::TAU;
    use warpcell_base::dtype::{Scalar, Tagged};

    const BLOCKS: Blocks = Blocks { key: 0x0123_4567_89ab_cdef, stream: 0x00fe_dcba_9876_5432, first: u64::MAX - 700 };

    fn drawn<T: Tagged + Default>(blocks: Blocks, distribution: Distribution, size: usize) -> Vec<T> {
        let mut values = vec![T::default(); size];
        // SAFETY: the vector has room.
        unsafe { fill(blocks, distribution, T::TAG, values.as_mut_ptr().cast(), size) };
        values
    }

    #[target_feature(enable = "avx2,fma")]
    fn with_avx2(blocks: Blocks, first: u64, words: &mut [u64; WORDS]) {
        make_words(blocks, first, words);
    }

    #[test]
    fn vector_loops_make_the_words_of_the_definition() {
        let mut words = [0; WORDS];
        for first in [0, 500, 701, 1 << 40] {
            let expected: Vec<u64> = (0..WORDS as u64).map(|index| BLOCKS.word(2 * first + index)).collect();
            make_words(BLOCKS, first, &mut words);
            assert_eq!(words[..], expected);
            if Isa::detected() != Isa::Sse2 {
                // SAFETY: the processor has AVX2 and FMA.
                unsafe { with_avx2(BLOCKS, first, &mut words) };
                assert_eq!(words[..], expected);
            }
            assert_eq!(halves(&words)[3], (expected[1] >> 32) as u32);
        }
    }

    #[test]
    fn parts_are_parts_of_the_whole() {
        let uniform = Distribution::Uniform {
            low: Scalar::F64(-1.0),
            span: Scalar::F64(3.0),
            last: Scalar::F64(2f64.next_down()),
        };
        let whole: Vec<f64> = drawn(BLOCKS, uniform, 200_001);
        for size in [0, 1, 2, 3, 511, 512, 513, 1024, 40_000, 200_000] {
            assert_eq!(drawn::<f64>(BLOCKS, uniform, size), whole[..size]);
        }
        let later = Blocks { first: BLOCKS.first.wrapping_add(50), ..BLOCKS };
        assert_eq!(drawn::<f64>(later, uniform, 1000), whole[100..1100]);
        for (index, &value) in whole.iter().enumerate().step_by(997) {
            let unit = (BLOCKS.word(index as u64) >> 11) as f64 / (1u64 << 53) as f64;
            assert_eq!(value, -1.0 + 3.0 * unit);
        }
    }

    #[test]
    fn functions_are_accurate() {
        let mut worst = [0f64; 6];
        let mut note = |which: usize, found: f64, expected: f64, scale: f64| {
            worst[which] = worst[which].max((found - expected).abs() / scale);
        };
        let mut state = 1u64;
        let edges = [0, 1, 2, 1 << 12, u64::MAX, u64::MAX << 12, 1 << 61, 3 << 61, 1 << 63, (1 << 61) - 1];
        for round in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let word = edges.get(round).copied().unwrap_or(if round % 3 == 0 { state >> (round % 50) } else { state });
            let k = (word >> 12) as f64 / (1u64 << 52) as f64;
            let expected = -(-k).ln_1p();
            note(0, minus_log_f64(word), expected, expected.max(f64::MIN_POSITIVE));
            let (cosine, sine) = circle_f64(word);
            // The angle to 53 bits after the quadrant is taken out, as there.
            let turned = word.wrapping_add(1 << 61);
            let angle = ((turned & ((1 << 62) - 1)) >> 10) as f64 - (1u64 << 51) as f64;
            let angle = angle * TAU / (1u64 << 54) as f64;
            let (x, y) = match turned >> 62 {
                0 => (angle.cos(), angle.sin()),
                1 => (-angle.sin(), angle.cos()),
                2 => (-angle.cos(), -angle.sin()),
                _ => (angle.sin(), -angle.cos()),
            };
            note(1, cosine, x, x.abs().max(1e-300));
            note(2, sine, y, y.abs().max(1e-300));
            let word = (word >> 32) as u32;
            let expected = -((f64::from(word) + 1.0) / (1u64 << 32) as f64).ln();
            note(3, minus_log_f32(word).into(), expected, expected.max(1e-300));
            let angle = f64::from(word) * TAU / (1u64 << 32) as f64;
            let (cosine, sine) = circle_f32(word);
            // Near a zero of the one, the angle's rounding counts.
            note(4, cosine.into(), angle.cos(), angle.cos().abs().max(1e-7));
            note(5, sine.into(), angle.sin(), angle.sin().abs().max(1e-7));
        }
        let ulps =
            [f64::EPSILON, f64::EPSILON, f64::EPSILON, f32::EPSILON.into(), f32::EPSILON.into(), f32::EPSILON.into()];
        for (which, (worst, ulp)) in worst.into_iter().zip(ulps).enumerate() {
            println!("{which}: {} units", worst / ulp);
            assert!(worst < 2.5 * ulp, "{which}: {} units", worst / ulp);
        }
        assert_eq!(minus_log_f64(0).to_bits(), 0, "not the negative zero");
        assert_eq!(minus_log_f32(u32::MAX).to_bits(), 0);
    }

    #[test]
    fn integers_of_every_type() {
        let of = |low, count| Distribution::Integers { low, count };
        let bytes: Vec<u8> = drawn(BLOCKS, of(Scalar::U8(250), 6), 10_000);
        assert!(bytes.iter().all(|&byte| byte >= 250) && (250..=255).all(|byte| bytes.contains(&byte)));
        let signed: Vec<i32> = drawn(BLOCKS, of(Scalar::I32(i32::MIN), 1 << 32), 10_000);
        assert!(signed.iter().any(|&x| x > i32::MAX / 2) && signed.iter().any(|&x| x < i32::MIN / 2));
        let wide: Vec<u64> = drawn(BLOCKS, of(Scalar::U64(0), 0), 1000);
        assert!(wide.iter().enumerate().all(|(index, &x)| x == BLOCKS.word(index as u64)));
        let narrow: Vec<i64> = drawn(BLOCKS, of(Scalar::I64(-3), 3), 30_000);
        for value in -3..0 {
            let times = narrow.iter().filter(|&&x| x == value).count();
            assert!((9_700..10_300).contains(&times), "{value}: {times}");
        }
        // More than half of all words: every second one is replaced.
        let half: Vec<i64> = drawn(BLOCKS, of(Scalar::I64(i64::MIN), (1 << 63) + 1), 5000);
        assert!(half.iter().enumerate().all(|(index, &x)| {
            let number = BLOCKS.below(BLOCKS.word(index as u64), index as u64, (1 << 63) + 1);
            x == i64::MIN.wrapping_add(number as i64) && x <= 0
        }));
    }
}
