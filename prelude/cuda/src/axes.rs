//! The axes that kernels walk over: joined where the strides allow it, and as kernels take them.

use warpcell_base::error::Result;

/// The most axes that a kernel takes, after joining.
pub const MOST_AXES: usize = 8;

/// An axis, and the strides of some arrays along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis<const N: usize = 3> {
    pub length: usize,
    pub strides: [isize; N],
}

/// The axes of a shape from the innermost outwards, without those of length 1, and with neighbours joined where all arrays
/// allow it. Empty strides stand for zeros. There is at least one axis.
pub fn joined<const N: usize>(shape: &[usize], strides: [&[isize]; N]) -> Vec<Axis<N>> {
    let mut axes: Vec<Axis<N>> = Vec::with_capacity(shape.len().max(1));
    for (number, &length) in shape.iter().enumerate().rev() {
        if length == 1 {
            continue;
        }
        let here = strides.map(|of_one| of_one.get(number).copied().unwrap_or(0));
        match axes.last_mut() {
            Some(inner) if (0..N).all(|side| here[side] == inner.strides[side] * inner.length as isize) => {
                inner.length *= length;
            }
            _ => axes.push(Axis { length, strides: here }),
        }
    }
    if axes.is_empty() {
        axes.push(Axis { length: 1, strides: [0; N] });
    }
    axes
}

/// Launches a kernel over all elements along some axes, from the innermost outwards: `launch` gets the addresses of the arrays, the
/// number of elements and their axes. Axes that a kernel does not take are a loop here, in which the addresses move. `sizes` are the
/// bytes of an element. The address 0 stands for a value and does not move.
pub fn launch_over<const N: usize>(
    axes: &[Axis<N>],
    addresses: [u64; N],
    sizes: [usize; N],
    launch: &mut dyn FnMut([u64; N], usize, KernelAxes<N>) -> Result<()>,
) -> Result<()> {
    if let [inner @ .., outer] = axes
        && axes.len() > MOST_AXES
    {
        for index in 0..outer.length as isize {
            let moved = std::array::from_fn(|side| match addresses[side] {
                0 => 0,
                address => address.wrapping_add_signed((outer.strides[side] * index * sizes[side] as isize) as i64),
            });
            launch_over(inner, moved, sizes, launch)?;
        }
        return Ok(());
    }
    launch(addresses, axes.iter().map(|axis| axis.length).product(), KernelAxes::new(axes))
}

/// The elements of a row that a block has, of kernels that take rows.
pub const ROW_PART: usize = 1024;

/// Whether so many elements are taken by rows of a length: no more than a quarter of the last block of each is idle, and a grid has as
/// many blocks for one, also if they have fewer elements.
pub fn are_rows(length: usize, elements: usize) -> bool {
    let parts = length.div_ceil(ROW_PART);
    elements <= i32::MAX as usize && 4 * length >= 3 * parts * ROW_PART && (1..1 << 12).contains(&parts)
}

/// Whether so many elements are taken by tiles of their two innermost axes, of these lengths: a quarter of their threads are idle at most.
pub fn are_tiles(length: usize, lines: usize, elements: usize) -> bool {
    let padded = |length: usize| length.next_multiple_of(TILE);
    elements <= i32::MAX as usize && 3 * padded(length) / 4 <= length && 3 * padded(lines) / 4 <= lines
}

/// Columns of a tile, and lines of one at most.
const TILE: usize = 32;

/// Axes as kernels take them: `warpcell_axes` in `kernels/axes.cuh`. In generated programs it has the rows of strides of the
/// program's arrays only.
#[repr(C)]
pub struct KernelAxes<const N: usize = 3> {
    rank: i32,
    magic: [u32; MOST_AXES],
    shift: [u32; MOST_AXES],
    length: [i64; MOST_AXES],
    strides: [[i64; MOST_AXES]; N],
}

impl<const N: usize> KernelAxes<N> {
    /// For `MOST_AXES` axes at most.
    pub fn new(axes: &[Axis<N>]) -> KernelAxes<N> {
        let mut passed = KernelAxes {
            rank: axes.len() as i32,
            magic: [0; MOST_AXES],
            shift: [0; MOST_AXES],
            length: [1; MOST_AXES],
            strides: [[0; MOST_AXES]; N],
        };
        for (number, axis) in axes.iter().enumerate() {
            (passed.magic[number], passed.shift[number]) = magic(axis.length);
            passed.length[number] = axis.length as i64;
            for (side, stride) in axis.strides.iter().enumerate() {
                passed.strides[side][number] = *stride as i64;
            }
        }
        passed
    }

    /// The length of the innermost axis.
    pub fn length(&self) -> usize {
        self.length[0] as usize
    }

    /// The lengths of the innermost axis and of the next one.
    pub fn two_lengths(&self) -> [usize; 2] {
        [self.length[0], self.length[1]].map(|length| length as usize)
    }

    /// How many rows along the innermost axis so many elements are, and the parts of each, if kernels take them by rows.
    pub fn rows(&self, elements: usize) -> Option<(usize, u32)> {
        let length = self.length();
        let parts = length.div_ceil(ROW_PART);
        (self.rank > 1 && are_rows(length, elements)).then_some((elements / length.max(1), parts as u32))
    }

    /// The same bytes in words, with the strides of the first `arrays` arrays.
    pub fn words(&self, arrays: usize) -> Vec<i64> {
        // Zeros fill the gap before the lengths.
        let halves: Vec<u32> = [&[self.rank as u32][..], &self.magic, &self.shift, &[0]].concat();
        let pairs = halves.chunks(2).map(|pair| i64::from(pair[0]) | i64::from(pair[1]) << 32);
        pairs.chain(self.length).chain(self.strides[..arrays].iter().flatten().copied()).collect()
    }
}

/// Multiplier and shift that divide numbers below 2^31 by `divisor` (see `kernels/axes.cuh`); zeros for a larger divisor.
fn magic(divisor: usize) -> (u32, u32) {
    if divisor == 0 || divisor > i32::MAX as usize {
        return (0, 0);
    }
    let divisor = divisor as u64;
    let shift = divisor.next_power_of_two().trailing_zeros();
    ((((1u64 << 32) * ((1u64 << shift) - divisor)) / divisor + 1) as u32, shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_divides() {
        let quotient =
            |n: u32, (magic, shift): (u32, u32)| (((u64::from(n) * u64::from(magic)) >> 32) as u32 + n) >> shift;
        let most = i32::MAX as u32;
        for divisor in (1..2000).chain([65_535, 65_536, 1 << 30, most - 1, most]) {
            let numbers = [0, 1, divisor - 1, divisor, divisor + 1, 1_000_003, most - 1, most];
            for n in numbers.into_iter().filter(|&n| n <= most) {
                assert_eq!(quotient(n, magic(divisor as usize)), n / divisor, "{n} / {divisor}");
            }
        }
    }

    #[test]
    fn tiles_are_mostly_full() {
        assert!(are_tiles(8192, 8192, 1 << 26) && are_tiles(24, 32, 768) && are_tiles(48, 1000, 48_000));
        assert!(!are_tiles(23, 32, 736) && !are_tiles(32, 23, 736) && !are_tiles(40, 1000, 40_000));
        assert!(!are_tiles(1 << 16, 1 << 15, 1 << 31));
    }

    #[test]
    fn axes_are_joined_where_all_strides_allow_it() {
        let axis = |length, strides| Axis { length, strides };
        let whole = joined(&[4, 1, 5, 6], [&[30, 99, 6, 1], &[], &[30, 7, 6, 1]]);
        assert_eq!(whole, [axis(120, [1, 0, 1])]);
        let row = joined(&[4, 5], [&[5, 1], &[0, 1], &[5, 1]]);
        assert_eq!(row, [axis(5, [1, 1, 1]), axis(4, [5, 0, 5])]);
        assert_eq!(joined(&[], [&[], &[], &[]]), [axis(1, [0, 0, 0])]);
        let reversed = joined(&[3, 4], [&[-4, -1], &[], &[4, 1]]);
        assert_eq!(reversed, [axis(12, [-1, 0, 1])]);
    }

    #[test]
    fn axes_that_a_kernel_does_not_take_are_a_loop() {
        // Ten axes that cannot be joined, of which the two outermost are left to the loop.
        let strides: Vec<isize> = (0..10).map(|axis| 3 * (1 << axis)).collect();
        let axes = joined(&[2; 10], [&strides[..], &[], &strides[..]]);
        let mut launches = Vec::new();
        launch_over(&axes, [1000, 0, 0], [4, 4, 4], &mut |addresses, size, passed| {
            assert_eq!((size, passed.rank), (256, 8));
            launches.push(addresses);
            Ok(())
        })
        .unwrap();
        assert_eq!(launches, [[1000, 0, 0], [1024, 0, 0], [1012, 0, 0], [1036, 0, 0]]);
    }

    #[test]
    fn words_are_the_bytes_that_kernels_read() {
        let axes = KernelAxes::new(&joined(&[4, 5], [&[5, 1], &[0, -1], &[5, 1]]));
        let words = axes.words(2);
        assert_eq!(words.len(), 9 + MOST_AXES * 3);
        // SAFETY: the struct has as many bytes at least, and none of the compared ones is padding, which is before the lengths.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const axes).cast::<u8>(), 8 * words.len()) };
        let found: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!((&found[..68], &found[72..]), (&bytes[..68], &bytes[72..]));
    }
}
