//! Tests of `gpu::distributed`: ranks as threads, and ranks as processes that launchers start and that are killed.

#![allow(clippy::reversed_empty_ranges, reason = "negative bounds count from the end")]

mod calls;
mod processes;
mod programs;
mod sharded;

/// Random numbers with a seed that is printed: `WARPCELL_TEST_SEED` repeats a run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(test: &str) -> Random {
        let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = std::env::var("WARPCELL_TEST_SEED").map_or_else(|_| now(), |seed| seed.parse().unwrap());
        println!("{test}: WARPCELL_TEST_SEED={seed}");
        Random(seed)
    }

    /// Steele's and Vigna's SplitMix64.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }
}
