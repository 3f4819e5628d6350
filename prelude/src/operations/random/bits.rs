//! The bit generator, and its state.

use crate::philox::Stream;

/// The bit generator of all random numbers here: Philox4x32-10 of Salmon and others ("Parallel random numbers: as easy as 1, 2, 3",
/// 2011), under CuPy's name. Its blocks can be computed in any order, so the CPU and GPUs give the same numbers.
///
/// NumPy's `Generator(Philox(seed))` is `Generator::from(Philox4x3210::new(seed))`, the same as `Generator::new(seed)`. The
/// [`state`](Self::state) of a generator is four numbers, which can be written to a file and put back.
///
/// ```
/// use warpcell as gpu;
/// use gpu::random::{Generator, Philox4x3210};
/// let mut generator = Generator::new(7);
/// generator.random(1000);
/// let state: [u64; 4] = generator.bit_generator().state();
/// let next = generator.random(5);
/// let mut again = Generator::from(Philox4x3210::from_state(state));
/// assert!(again.random(5).eq(&next).all());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Philox4x3210 {
    stream: Stream,
}

impl Philox4x3210 {
    /// A bit generator that is determined by its seed.
    pub fn new(seed: u64) -> Philox4x3210 {
        Philox4x3210 { stream: Stream::new(seed) }
    }

    /// A bit generator that is seeded from the system's entropy.
    pub fn from_entropy() -> Philox4x3210 {
        Philox4x3210 { stream: Stream::from_entropy() }
    }

    /// All that decides what comes next: the key, the number of the stream, the place of the next block in it, and how many
    /// generators were [spawned](crate::random::Generator::spawn). Of a new one, the key is the seed and the rest is 0.
    ///
    /// ```
    /// assert_eq!(warpcell::random::Philox4x3210::new(7).state(), [7, 0, 0, 0]);
    /// ```
    pub fn state(&self) -> [u64; 4] {
        self.stream.state()
    }

    /// The bit generator in a state that [`state`](Self::state) gave.
    pub fn from_state(state: [u64; 4]) -> Philox4x3210 {
        Philox4x3210 { stream: Stream::from_state(state) }
    }

    pub(crate) fn of(stream: Stream) -> Philox4x3210 {
        Philox4x3210 { stream }
    }

    pub(crate) fn into_stream(self) -> Stream {
        self.stream
    }
}
