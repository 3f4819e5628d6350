//! Philox4x32-10, the counter-based generator of Salmon and others ("Parallel random numbers: as easy as 1, 2, 3", 2011).
//!
//! A counter of 128 bits and a key of 64 bits give a block of four 32-bit words; blocks can be computed in any order, so the
//! same numbers come from one thread and from many, on every device. Of the counter, the lower half is the block's place in
//! its stream, 56 bits are the stream's number, and the uppermost 8 bits say what the block is for: see [`NUMBERS`].

/// The blocks that numbers are made of. From 1 on: those that replace words which would make integers uneven.
const NUMBERS: u8 = 0;
/// Most replacements of one word. Fewer than half of all words have to be replaced at all, so nobody gets so far.
const MOST_REPLACEMENTS: u8 = 250;
/// The blocks that the keys of further streams are made of.
const SPAWNING: u8 = 255;

pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
pub const ROUNDS: usize = 10;

/// The keys of the rounds.
pub fn round_keys(key: u64) -> [[u32; 2]; ROUNDS] {
    let first = [key as u32, (key >> 32) as u32];
    let of = |half: usize, round: usize| first[half].wrapping_add(KEY_STEPS[half].wrapping_mul(round as u32));
    std::array::from_fn(|round| [of(0, round), of(1, round)])
}

/// One block.
pub fn philox(counter: [u32; 4], key: u64) -> [u32; 4] {
    let mut x = counter;
    for key in round_keys(key) {
        let left = u64::from(MULTIPLIERS[0]) * u64::from(x[0]);
        let right = u64::from(MULTIPLIERS[1]) * u64::from(x[2]);
        x = [(right >> 32) as u32 ^ x[1] ^ key[0], right as u32, (left >> 32) as u32 ^ x[3] ^ key[1], left as u32];
    }
    x
}

/// The blocks of a stream from one place on: what an array of random numbers is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    pub key: u64,
    /// The stream's number: 56 bits.
    pub stream: u64,
    pub first: u64,
}

impl Blocks {
    fn block(self, index: u64, purpose: u8) -> [u32; 4] {
        let (place, upper) = (self.first.wrapping_add(index), self.stream | u64::from(purpose) << 56);
        let counter = [place as u32, (place >> 32) as u32, upper as u32, (upper >> 32) as u32];
        philox(counter, self.key)
    }

    /// The 64-bit word of this index; a block has two.
    pub fn word(self, index: u64) -> u64 {
        self.word_for(index, NUMBERS)
    }

    fn word_for(self, index: u64, purpose: u8) -> u64 {
        let block = self.block(index / 2, purpose);
        let half = (index % 2) as usize * 2;
        u64::from(block[half]) | u64::from(block[half + 1]) << 32
    }

    /// A number below `count` (0 stands for 2^64) from `word`, which has this index. All numbers are equally likely: a word
    /// of the few that would favour some of them is replaced (Lemire, "Fast random integer generation in an interval",
    /// 2019), by the word of the same index in blocks for that purpose.
    #[inline(always)]
    pub fn below(self, word: u64, index: u64, count: u64) -> u64 {
        if count == 0 {
            return word;
        }
        let product = u128::from(word) * u128::from(count);
        if (product as u64) < count { self.replaced(word, index, count) } else { (product >> 64) as u64 }
    }

    #[cold]
    #[inline(never)]
    fn replaced(self, mut word: u64, index: u64, count: u64) -> u64 {
        // 2^64 modulo `count`.
        let uneven = count.wrapping_neg() % count;
        let mut purpose = NUMBERS;
        loop {
            let product = u128::from(word) * u128::from(count);
            if product as u64 >= uneven || purpose == MOST_REPLACEMENTS {
                return (product >> 64) as u64;
            }
            purpose += 1;
            word = self.word_for(index, purpose);
        }
    }
}

/// A sequence of random numbers: where its next ones come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    next: Blocks,
    children: u64,
}

impl Stream {
    pub fn new(seed: u64) -> Stream {
        Stream { next: Blocks { key: seed, stream: 0, first: 0 }, children: 0 }
    }

    /// A stream that the system's source of entropy chooses.
    pub fn from_entropy() -> Stream {
        Stream { next: Blocks { key: rand::random(), stream: rand::random::<u64>() >> 8, first: 0 }, children: 0 }
    }

    /// All that decides which numbers come next: the key, the stream's number, the place of the next block, and how many streams were
    /// made of this one.
    pub fn state(&self) -> [u64; 4] {
        [self.next.key, self.next.stream, self.next.first, self.children]
    }

    /// A stream in this state.
    pub fn from_state([key, stream, first, children]: [u64; 4]) -> Stream {
        // The number has 56 bits.
        Stream { next: Blocks { key, stream: stream << 8 >> 8, first }, children }
    }

    /// The next `count` blocks, which are not given again.
    pub fn take(&mut self, count: u64) -> Blocks {
        let taken = self.next;
        self.next.first = taken.first.wrapping_add(count);
        taken
    }

    /// A stream of its own. Its 120 bits of key and number come from blocks of this one that no numbers are made of: two
    /// streams are the same by chance only, once in 2^60 streams.
    pub fn spawn(&mut self) -> Stream {
        let from = Blocks { first: self.children, ..self.next };
        self.children += 1;
        let [a, b, c, d] = from.block(0, SPAWNING);
        let key = u64::from(a) | u64::from(b) << 32;
        let number = (u64::from(c) | u64::from(d) << 32) >> 8;
        Stream { next: Blocks { key, stream: number, first: 0 }, children: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `kat_vectors` of the Random123 distribution.
    #[test]
    fn known_answers() {
        for (counter, key, expected) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(philox(counter, u64::from(key[0]) | u64::from(key[1]) << 32), expected);
        }
    }

    #[test]
    fn words_are_the_halves_of_blocks() {
        let blocks = Stream::new(0).take(1);
        assert_eq!([blocks.word(0), blocks.word(1)], [0xe169_c58d_6627_e8d5, 0x9b00_dbd8_bc57_ac4c]);
        let pi = Blocks { key: 0x299f_31d0_a409_3822, stream: 0x0003_7073_4413_198a, first: 0x85a3_08d3_243f_6a80 };
        assert_eq!(pi.block(8, 0), Blocks { first: 0x85a3_08d3_243f_6a88, ..pi }.block(0, 0));
        let end = Blocks { first: u64::MAX, ..pi };
        assert_eq!(end.word(2), Blocks { first: 0, ..pi }.word(0), "places wrap");
    }

    #[test]
    fn numbers_below_a_count_are_even() {
        let blocks = Stream::new(7).take(0);
        assert_eq!(blocks.below(u64::MAX, 0, 0), u64::MAX);
        assert_eq!(blocks.below(u64::MAX, 0, 10), 9);
        assert_eq!(blocks.below(0, 5, 1), 0);
        // 2^64 = 3·(2^64 / 3) + 1: the word 0 is one too many.
        assert_eq!(blocks.below(0, 5, 3), ((u128::from(blocks.word_for(5, 1)) * 3) >> 64) as u64);
        assert_eq!(blocks.below(1, 5, 3), 0);
        // A little more than half of all words: many are replaced.
        let count = (1 << 63) + 1;
        let mut sum = 0.0;
        for index in 0..4000 {
            let number = blocks.below(blocks.word(index), index, count);
            assert!(number < count);
            sum += number as f64 / count as f64;
        }
        assert!((sum / 4000.0 - 0.5).abs() < 0.02, "{sum}");
    }

    #[test]
    fn streams_differ() {
        let mut parent = Stream::new(3);
        let mut children = [parent.spawn(), parent.spawn(), parent.clone().spawn()];
        let grandchild = children[0].spawn();
        let [first, second, third] = children;
        let all = [&parent, &first, &second, &third, &grandchild, &Stream::new(4)];
        let words: std::collections::HashSet<u64> =
            all.iter().flat_map(|stream| (0..1000).map(|index| stream.next.word(index))).collect();
        assert_eq!(words.len(), 6000);
        assert_eq!(Stream::new(3).spawn().next, first.next, "children are determined by the seed");
        assert_ne!(Stream::from_entropy().next, Stream::from_entropy().next);
        let mut stream = Stream::new(1);
        assert_eq!((stream.take(3).first, stream.take(0).first, stream.take(2).first), (0, 3, 3));
    }

    #[test]
    fn states_can_be_put_back() {
        let mut stream = Stream::from_entropy();
        stream.spawn();
        stream.take(7);
        let mut again = Stream::from_state(stream.state());
        assert_eq!(again, stream);
        assert_eq!((again.take(1), again.spawn()), (stream.take(1), stream.spawn()));
        assert_eq!(Stream::from_state([1, u64::MAX, 2, 3]).state(), [1, u64::MAX >> 8, 2, 3]);
    }
}
