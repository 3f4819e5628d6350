//! Products of matrices on CUDA: of floats and complex numbers by cuBLAS; the kernel for integers and bools is in `kernels/matmul.cu`.

use super::axes::{Axis, joined};
use super::{Compiled, Program, address_of, blocks, family, kernels, source_of, unsigned};
use warpcell_base::backend::{LeadingDimension, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::cublas::{Matrices, Numbers, Products};
use warpcell_driver::launch::{arguments, launch};

const SOURCE: &str = include_str!("../kernels/matmul.cu");
const TYPES: usize = DType::ALL.len();
const NAME: &str = "matmul";
const THREADS: usize = 256;
/// Rows and columns of a product that a thread computes; a block does 16 times as many.
const EACH: [usize; 2] = [4, 8];

family! {
    struct MatMul {
        tiles: [[Compiled<Tiles>; TYPES]; EACH.len()],
    }
}

kernels! {
    struct Tiles {
        multiply = c"multiply",
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

    pub fn run(&self, a: View<'_>, b: View<'_>, out: View<'_>) -> Result<()> {
        let axes = out.layout.shape.len() - 2;
        let strides = [&a, &b, &out].map(|view| &view.layout.strides[..axes]);
        let batch = batch(joined(&out.layout.shape[..axes], strides));
        match numbers(a.dtype) {
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
        let is_large = a.dtype.size() <= 4 && tiles(EACH[1]) >= self.device.multiprocessors() as usize;
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
            let mut arguments = arguments![from_a, from_b, to, apart, rows, inner, columns, of_a, of_b];
            // SAFETY: the module is in `self`; the arguments are those of `multiply`, and `Strides` has the layout of theirs;
            // the views lie in live allocations, and `out` is contiguous.
            unsafe { launch(&self.device, function, grid, THREADS as u32, &mut arguments)? };
        }
        Ok(())
    }
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

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let of = |dtype: DType| {
        EACH.into_iter().filter(move |&each| each == EACH[0] || dtype.size() <= 4).map(move |each| program(dtype, each))
    };
    DType::COMPUTED.into_iter().filter(|dtype| !dtype.is_float()).flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
