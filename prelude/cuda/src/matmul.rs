//! Products of matrices on CUDA: of floats and complex numbers by cuBLAS; the kernels for integers and bools are in
//! `kernels/matmul.cu`.

use super::axes::{Axis, joined};
use super::{Compiled, Program, address_of, blocks, family, kernels, source_of, takes, unsigned};
use warpcell_base::backend::{LeadingDimension, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::cublas::{Matrices, Numbers, Products};
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;

const SOURCE: &str = include_str!("../kernels/matmul.cu");
const TYPES: usize = DType::ALL.len();
const NAME: &str = "matmul";
const THREADS: usize = 256;
/// Rows and columns of a product that a thread computes; a block does 16 times as many.
const EACH: [usize; 2] = [4, 8];
/// Lines and terms whose digits a block makes.
const DIGITS: [usize; 2] = [32, 64];
/// As many multiplications, and as many terms, rows and columns, pay for splitting numbers into digits.
const LEAST_BY_DIGITS: (usize, usize) = (1 << 27, 128);
/// With more terms, sums of products of digits might not fit into 32 bits.
const MOST_TERMS: usize = (1 << 15) - 1;

family! {
    struct MatMul {
        tiles: [[Compiled<Tiles>; TYPES]; EACH.len()],
        digits: Compiled<Digits>,
    }
}

kernels! {
    struct Tiles {
        multiply = c"multiply",
    }
    struct Digits {
        split = c"split_digits",
        join = c"join_digits",
    }
}

/// `Strides` in the kernel's source.
#[repr(C)]
struct Strides {
    row: i64,
    column: i64,
    matrix: i64,
}

/// Pairs of matrices that are equally far apart.
struct Batch {
    count: usize,
    /// How many elements apart the matrices of `a`, of `b` and of the output are.
    distances: [isize; 3],
    /// For each time that there are so many: how many elements from the first they begin.
    starts: Vec<[isize; 3]>,
}

impl MatMul {
    /// What is for storage and can be multiplied: cuBLAS takes 16-bit floats.
    pub fn takes(dtype: DType) -> bool {
        numbers(dtype).is_some()
    }

    pub fn run(&self, a: View<'_>, b: View<'_>, may_round: bool, out: View<'_>) -> Result<()> {
        let axes = out.layout.shape.len() - 2;
        let strides = [&a, &b, &out].map(|view| &view.layout.strides[..axes]);
        let batch = batch(joined(&out.layout.shape[..axes], strides));
        match numbers(a.dtype) {
            Some(Numbers::F32) if may_round => self.floats(Numbers::Tf32, a, b, out, &batch),
            Some(numbers) => self.floats(numbers, a, b, out, &batch),
            None => self.whole(a, b, out, &batch),
        }
    }

    fn floats(&self, numbers: Numbers, a: View<'_>, b: View<'_>, out: View<'_>, batch: &Batch) -> Result<()> {
        let [rows, inner, columns] = lengths(a, b);
        let addresses = [source_of(a)?, source_of(b)?, address_of(out)?];
        let size = a.dtype.size() as isize;
        let lines = |view: View<'_>| view.layout.leading_dimension().expect("operations copy other matrices");
        let (lines_a, lines_b) = (lines(a), lines(b));
        let cublas = self.device.cublas()?;
        for start in &batch.starts {
            let at = |side: usize| addresses[side].wrapping_add_signed((start[side] * size) as i64);
            // The library's matrices are column-major: what is row-major is a transposed matrix to it, and it computes the
            // transposed product, of `b` and `a` transposed.
            let matrices = |side: usize, lines: LeadingDimension| Matrices {
                address: at(side),
                leading: lines.distance,
                distance: batch.distances[side] as i64,
                is_transposed: !lines.are_rows,
            };
            let products = Products {
                numbers,
                rows: columns,
                columns: rows,
                inner,
                count: batch.count,
                a: matrices(1, lines_b),
                b: matrices(0, lines_a),
                c: matrices(2, LeadingDimension { are_rows: true, distance: columns }),
            };
            // SAFETY: the views lie in live allocations, and `out`, which overlaps neither of the others, is contiguous.
            unsafe { cublas.multiply(&products)? };
        }
        Ok(())
    }

    fn whole(&self, a: View<'_>, b: View<'_>, out: View<'_>, batch: &Batch) -> Result<()> {
        let [rows, inner, columns] = lengths(a, b);
        let tiles = |each: usize| {
            let tile = 16 * each;
            rows.div_ceil(tile).saturating_mul(columns.div_ceil(tile)).saturating_mul(batch.count)
        };
        // Large tiles where they still give every multiprocessor one; of 64 bits they would need too many registers.
        let is_large = a.dtype.size() <= 4
            && tiles(EACH[1]) >= self.device.multiprocessors() as usize
            && takes(&self.device, || program(a.dtype, EACH[1]), || program(a.dtype, EACH[0]))?;
        let each = EACH[usize::from(is_large)];
        let cell = &self.tiles[usize::from(is_large)][a.dtype as usize];
        let function = cell.get(&self.device, || program(a.dtype, each))?.multiply;
        let strides = |view: View<'_>, side: usize| {
            let &[.., row, column] = &view.layout.strides[..] else { unreachable!("factors have two axes") };
            Strides { row: row as i64, column: column as i64, matrix: batch.distances[side] as i64 }
        };
        let (of_a, of_b) = (strides(a, 0), strides(b, 1));
        let grid = (blocks(NAME, tiles(each), 1)?, 1);
        let addresses = [source_of(a)?, source_of(b)?, address_of(out)?];
        let size = a.dtype.size() as isize;
        let (apart, rows, inner, columns) = (batch.distances[2] as i64, rows as i64, inner as i64, columns as i64);
        for start in &batch.starts {
            let at = |side: usize| addresses[side].wrapping_add_signed((start[side] * size) as i64);
            let (from_a, from_b, to) = (at(0), at(1), at(2));
            let lengths = [rows as usize, inner as usize, columns as usize];
            if batch.count == 1 && self.by_digits(a.dtype, lengths, [(from_a, &of_a), (from_b, &of_b)], to)? {
                continue;
            }
            let mut arguments = arguments![from_a, from_b, to, apart, rows, inner, columns, of_a, of_b];
            // SAFETY: the module is in `self`; the arguments are those of `multiply`, and `Strides` has the layout of theirs;
            // the views lie in live allocations, and `out` is contiguous.
            unsafe { launch(&self.device, function, grid, THREADS as u32, &mut arguments)? };
        }
        Ok(())
    }
}

impl MatMul {
    /// Queues a product of numbers of 32 bits by their digits, if that is worth it and the library has it. `a` and `b` are two
    /// addresses with what is between rows and columns; the product is row-major.
    fn by_digits(
        &self,
        dtype: DType,
        [rows, inner, columns]: [usize; 3],
        [a, b]: [(u64, &Strides); 2],
        out: u64,
    ) -> Result<bool> {
        if !takes_digits(dtype, [rows, inner, columns], out)
            || !takes(&self.device, digits_program, || program(dtype, EACH[0]))?
        {
            return Ok(false);
        }
        let kernels = self.digits.get(&self.device, digits_program)?;
        let padded = inner.next_multiple_of(16);
        let split = |from: u64, lines: usize, steps: [i64; 2], is_reversed: i32| -> Result<DeviceMemory> {
            let memory = DeviceMemory::new(&self.device, lines * 4 * padded)?;
            let grid = blocks(NAME, lines.div_ceil(DIGITS[0]) * padded.div_ceil(DIGITS[1]), 1)?;
            let (to, [line_step, term_step]) = (memory.address(), steps);
            let (lines, terms, padded) = (lines as i64, inner as i64, padded as i64);
            let mut arguments = arguments![from, to, lines, terms, line_step, term_step, padded, is_reversed];
            // SAFETY: the module is in `self`; the arguments are those of `split_digits`; the matrix lies in a live allocation, and there
            // are four digits for each of its numbers.
            unsafe { launch(&self.device, kernels.split, (grid, 1), THREADS as u32, &mut arguments)? };
            Ok(memory)
        };
        // Dropped at the end of this function: the pool may hand them out again to work that is queued later.
        let left = split(a.0, rows, [a.1.row, a.1.column], 0)?;
        let right = split(b.0, columns, [b.1.column, b.1.row], 1)?;
        let size = rows * columns;
        let sums = DeviceMemory::new(&self.device, 4 * size * size_of::<u32>())?;
        let cublas = self.device.cublas()?;
        for power in 0..4 {
            // The digits of the left factor up to this power, and those of the right one from it down. The library's matrices are
            // column-major, and it computes the transposed product.
            let digits = |memory: &DeviceMemory, parts: usize| Matrices {
                address: memory.address() + (parts * padded) as u64,
                leading: 4 * padded,
                distance: 0,
                is_transposed: false,
            };
            let address = sums.address() + ((3 - power) * size * size_of::<u32>()) as u64;
            let c = Matrices { address, leading: columns, distance: 0, is_transposed: false };
            let (lengths, right, left) =
                ([columns, rows, (power + 1) * padded], digits(&right, 3 - power), digits(&left, 0));
            // SAFETY: the digits and the sums have been allocated above.
            if !unsafe { cublas.multiply_bytes(lengths, [right, left, c])? } {
                return Ok(false);
            }
        }
        drop(cublas);
        let (grid, from, packs) = (blocks(NAME, size / 4, THREADS)?, sums.address(), (size / 4) as i64);
        let mut arguments = arguments![from, out, packs];
        // SAFETY: the module is in `self`; the arguments are those of `join_digits`; there are four matrices of sums, and the product
        // lies in a live allocation, at a multiple of 16 bytes.
        unsafe { launch(&self.device, kernels.join, (grid, 1), THREADS as u32, &mut arguments)? };
        Ok(true)
    }
}

/// Whether a product is computed by digits.
fn takes_digits(dtype: DType, [rows, inner, columns]: [usize; 3], out: u64) -> bool {
    let (multiplications, shortest) = LEAST_BY_DIGITS;
    matches!(dtype, DType::I32 | DType::U32)
        && rows.saturating_mul(inner).saturating_mul(columns) >= multiplications
        && rows.min(inner).min(columns) >= shortest
        && inner <= MOST_TERMS
        && columns.is_multiple_of(4)
        && out.is_multiple_of(16)
}

/// What cuBLAS calls an element type, if it takes it.
fn numbers(dtype: DType) -> Option<Numbers> {
    match dtype {
        DType::F16 => Some(Numbers::F16),
        DType::BF16 => Some(Numbers::Bf16),
        DType::F32 => Some(Numbers::F32),
        DType::F64 => Some(Numbers::F64),
        DType::C64 => Some(Numbers::C64),
        DType::C128 => Some(Numbers::C128),
        _ => None,
    }
}

/// Rows, terms and columns of a product.
fn lengths(a: View<'_>, b: View<'_>) -> [usize; 3] {
    let (&[.., rows, inner], &[.., columns]) = (&a.layout.shape[..], &b.layout.shape[..]) else {
        unreachable!("factors have two axes")
    };
    [rows, inner, columns]
}

/// The longest axis counts the matrices of a call, the others the calls.
fn batch(mut axes: Vec<Axis<3>>) -> Batch {
    let longest = (0..axes.len()).max_by_key(|&number| axes[number].length).expect("there is at least one");
    let longest = axes.swap_remove(longest);
    let mut starts = vec![[0; 3]];
    for axis in axes {
        let moved = |start: &[isize; 3], index: usize| {
            std::array::from_fn(|side| start[side] + axis.strides[side] * index as isize)
        };
        starts = (0..axis.length).flat_map(|index| starts.iter().map(move |start| moved(start, index))).collect();
    }
    Batch { count: longest.length, distances: longest.strides, starts }
}

fn program(dtype: DType, each: usize) -> Program {
    let each = each.to_string();
    let mut macros = vec![("ELEMENT", unsigned(dtype).cu_name()), ("EACH", &each)];
    if dtype == DType::Bool {
        macros.push(("LOGICAL", "1"));
    }
    Program::new("matmul.cu", SOURCE, &macros)
}

fn digits_program() -> Program {
    Program::new("matmul.cu", SOURCE, &[("ELEMENT", "u32")])
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let of = |dtype: DType| {
        EACH.into_iter().filter(move |&each| each == EACH[0] || dtype.size() <= 4).map(move |each| program(dtype, each))
    };
    let integers = DType::COMPUTED.into_iter().filter(|dtype| !dtype.is_float());
    integers.flat_map(of).chain([digits_program()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_products_are_computed_by_digits() {
        let of = |lengths| takes_digits(DType::I32, lengths, 256);
        assert!(of([2048, 2048, 2048]) && of([512, 513, 512]));
        assert!(!of([128, 128, 128]), "small");
        assert!(!of([100, 4096, 4096]), "narrow");
        assert!(!of([2048, 2048, 2047]), "packs");
        assert!(!of([2048, 1 << 15, 2048]), "sums");
        assert!(!takes_digits(DType::I64, [2048; 3], 256) && !takes_digits(DType::I32, [2048; 3], 260));
        // The digits of most terms, times the most that a product of two digits is.
        const { assert!(4 * MOST_TERMS * 128 * 128 < 1 << 31) };
    }

    #[test]
    fn calls_are_as_few_as_the_strides_permit() {
        let of = |shape: &[usize], strides: [&[isize]; 3]| {
            let batch = batch(joined(shape, strides));
            (batch.count, batch.distances, batch.starts)
        };
        assert_eq!(of(&[], [&[], &[], &[]]), (1, [0; 3], vec![[0; 3]]));
        assert_eq!(of(&[2, 3], [&[60, 20], &[0, 0], &[36, 12]]), (6, [20, 0, 12], vec![[0; 3]]));
        let outer = of(&[2, 30], [&[20, 0], &[0, 15], &[360, 12]]);
        assert_eq!(outer, (30, [0, 15, 12], vec![[0; 3], [20, 0, 360]]));
        let outer = of(&[30, 2], [&[20, 0], &[0, 15], &[24, 12]]);
        assert_eq!(outer, (30, [20, 0, 24], vec![[0; 3], [0, 15, 12]]));
    }
}
