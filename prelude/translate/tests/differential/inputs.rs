//! Arguments for functions: the edges of each type, and random values of all magnitudes.

use super::Scalar;

/// Numbers that look random and are the same in each run (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

fn bits_of(of: Scalar) -> u32 {
    match of {
        Scalar::Bool => 1,
        Scalar::I8 | Scalar::U8 => 8,
        Scalar::I16 | Scalar::U16 => 16,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
        _ => 64,
    }
}

/// The values of a type at which functions change what they do.
pub fn edges(of: Scalar) -> Vec<u64> {
    const FLOATS: [f64; 33] = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.0,
        2.5,
        3.0,
        3.5,
        10.0,
        100.0,
        0.1,
        0.75,
        1e-3,
        1e-10,
        1e10,
        127.5,
        128.0,
        255.0,
        255.5,
        256.0,
        32767.5,
        65535.5,
        8388607.5,
        16777217.0,
        2147483647.5,
        2147483648.0,
        4294967295.5,
        4294967296.0,
        9.2e18,
        9223372036854775808.0,
        18446744073709551616.0,
        std::f64::consts::PI,
        4503599627370495.5,
    ];
    let mask = u64::MAX >> (64 - bits_of(of));
    match of {
        Scalar::Bool => vec![0, 1],
        Scalar::F32 => {
            let special = [
                f32::INFINITY,
                f32::NAN,
                f32::MAX,
                f32::MIN_POSITIVE,
                f32::EPSILON,
                1e-45,
                1e-40,
                0.49999997,
                0.99999994,
                1.0000001,
            ];
            let all = FLOATS.iter().map(|float| *float as f32).chain(special);
            all.flat_map(|float| [u64::from(float.to_bits()), u64::from((-float).to_bits())]).collect()
        }
        Scalar::F64 => {
            let special = [
                f64::INFINITY,
                f64::NAN,
                f64::MAX,
                f64::MIN_POSITIVE,
                f64::EPSILON,
                5e-324,
                1e-310,
                0.49999999999999994,
            ];
            FLOATS.into_iter().chain(special).flat_map(|float| [float.to_bits(), (-float).to_bits()]).collect()
        }
        integer => {
            let small = (0..=4).chain([
                7,
                8,
                10,
                16,
                31,
                32,
                33,
                63,
                64,
                65,
                99,
                100,
                127,
                128,
                255,
                256,
                1000,
                65535,
                1 << 31,
            ]);
            let highest = 1u64 << (bits_of(integer) - 1);
            let large =
                [highest, highest - 1, highest + 1, highest >> 1, mask - 1, mask / 3, 46340, 3037000499, 4294967295];
            let mut all: Vec<u64> =
                small.chain(large).flat_map(|bits| [bits & mask, bits.wrapping_neg() & mask]).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

/// A value of any magnitude; floats are finite, and mostly of a magnitude with which one calculates.
pub fn random(of: Scalar, random: &mut Random) -> u64 {
    let mask = u64::MAX >> (64 - bits_of(of));
    let bits = random.next();
    let magnitude = random.below(8);
    let unit = (random.next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
    let scaled = unit * [1.0, 1.0, 4.0, 10.0, 100.0, 1e4, 1e9, 1e-6][magnitude];
    match of {
        Scalar::F32 => u64::from((scaled as f32).to_bits()),
        Scalar::F64 => scaled.to_bits(),
        // Shifted with the sign, so that small negative numbers occur as well.
        _ => ((bits as i64) >> random.below(64)) as u64 & mask,
    }
}

/// Arguments for `count` calls: mostly of edges where they are `edgy`, else mostly random.
pub fn calls(parameters: &[Scalar], count: usize, edgy: bool, numbers: &mut Random) -> Vec<Vec<u64>> {
    let edges: Vec<Vec<u64>> = parameters.iter().map(|of| edges(*of)).collect();
    let all: usize = edges.iter().map(Vec::len).product();
    (0..count)
        .map(|call| {
            // All pairs of edges, where there are not too many.
            let mut place = call;
            let every = edgy && all <= count && call < all;
            let argument = |at: usize| {
                let choices = &edges[at];
                let next = place % choices.len();
                place /= choices.len();
                if every {
                    choices[next]
                } else if numbers.below(4) < if edgy { 3 } else { 1 } {
                    *numbers.one_of(choices)
                } else {
                    random(parameters[at], numbers)
                }
            };
            (0..parameters.len()).map(argument).collect()
        })
        .collect()
}
