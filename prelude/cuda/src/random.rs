//! Random numbers on CUDA; the kernels are in `kernels/random.cu`.

use super::{Compiled, Program, address_of, bits, blocks, family, kernels};
use warpcell_base::backend::{Distribution, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::Result;
use warpcell_base::philox::{Blocks, round_keys};
use warpcell_driver::launch::{arguments, launch};

const SOURCE: &str = include_str!("../kernels/random.cu");
const TYPES: usize = DType::ALL.len();
const THREADS: u32 = 256;
const DISTRIBUTIONS: [&str; 4] = ["uniform", "normal", "exponential", "integers"];

family! {
    struct Random {
        /// By distribution and element type.
        loaded: [[Compiled<Numbers>; TYPES]; DISTRIBUTIONS.len()],
    }
}

kernels! {
    struct Numbers {
        numbers = c"random_numbers",
    }
}

impl Random {
    pub fn run(&self, from: Blocks, distribution: Distribution, out: View<'_>) -> Result<()> {
        let (number, [a, b, c], count) = match distribution {
            Distribution::Uniform { low, span, last } => {
                (0, [bits(low), bits(span), bits(last)], what_changes(low, span, last))
            }
            Distribution::Normal { mean, deviation } => (1, [bits(mean), bits(deviation), 0], 0),
            Distribution::Exponential { scale } => (2, [bits(scale), 0, 0], 0),
            Distribution::Integers { low, count } => (3, [bits(low), 0, 0], count),
        };
        let cell = &self.loaded[number][out.dtype as usize];
        let function = cell.get(&self.device, || program(DISTRIBUTIONS[number], out.dtype))?.numbers;
        let made = out.layout.size().div_ceil(distribution.elements_of_a_block(out.dtype));
        // Philox blocks of a thread, as in the kernel's source.
        let each = if out.dtype.is_float() { 4 } else { 2 };
        let grid = blocks("random", made, each * THREADS as usize)?;
        let (address, size) = (address_of(out)?, out.layout.size() as i64);
        let Blocks { key, stream, first } = from;
        let keys = round_keys(key);
        let mut arguments = arguments![address, size, keys, stream, first, a, b, c, count];
        // SAFETY: the module is in `self`; the arguments are those of `random_numbers`; the view is contiguous and lies in a
        // live allocation.
        unsafe { launch(&self.device, function, (grid, 1), THREADS, &mut arguments) }
    }
}

/// Which of the steps from [0, 1) to a range change anything: 1 for stretching and moving it, 2 for the limit. Rounding is
/// monotone, so the largest number shows whether the limit is met by any.
fn what_changes(low: Scalar, span: Scalar, last: Scalar) -> u64 {
    let (is_moved, is_limited) = match (low, span, last) {
        (Scalar::F32(low), Scalar::F32(span), Scalar::F32(last)) => {
            ((low, span) != (0.0, 1.0), low + span * (1.0 - f32::EPSILON / 2.0) > last)
        }
        (Scalar::F64(low), Scalar::F64(span), Scalar::F64(last)) => {
            ((low, span) != (0.0, 1.0), low + span * (1.0 - f64::EPSILON / 2.0) > last)
        }
        _ => (true, true),
    };
    u64::from(is_moved) | u64::from(is_limited) << 1
}

fn program(distribution: &str, dtype: DType) -> Program {
    let macros = [("ELEMENT", dtype.cu_name()), ("DISTRIBUTION", distribution)];
    let mut program = Program::new("random.cu", SOURCE, &macros);
    // The CPU backend rounds products and sums apart.
    program.options.push("--fmad=false".to_string());
    program
}

#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let of = |distributions: &'static [&str], takes: fn(&DType) -> bool| {
        let dtypes = DType::COMPUTED.into_iter().filter(takes);
        dtypes.flat_map(|dtype| distributions.iter().map(move |distribution| program(distribution, dtype)))
    };
    of(&DISTRIBUTIONS[..3], |dtype| dtype.is_float())
        .chain(of(&DISTRIBUTIONS[3..], |dtype| dtype.is_integer()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_change_nothing_are_left_out() {
        let of = |low: f64, high: f64| {
            what_changes(Scalar::F64(low), Scalar::F64(high - low), Scalar::F64(high.next_down()))
        };
        assert_eq!(of(0.0, 1.0), 0);
        assert_eq!(of(-1.0, 1.0), 1, "no number of [-1, 1) rounds to 1");
        assert_eq!(of(1.0, 2.0), 3, "2 - 2^-53 rounds to 2");
        assert_eq!(what_changes(Scalar::F32(0.0), Scalar::F32(1.0), Scalar::F32(1f32.next_down())), 0);
    }
}
