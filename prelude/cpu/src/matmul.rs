//! Products of matrices: of floats and complex numbers by `faer`, of integers and bools in tiles that stay in vector registers.

use super::numeric::{Arithmetic, Bit, Native, Shared, by_isa, for_integer};
use super::runs::Runs;
use super::{dot, pool};
use num_complex::Complex;
use std::ops::Range;
use warpcell_base::backend::Layout;
use warpcell_base::dtype::{DType, dtypes, if_dtype};
use warpcell_linalg::Multiply;
use warpcell_linalg::faer::{Accum, MatMut, MatRef, Par};

/// Products of pairs of matrices.
pub struct Products<'a> {
    /// Rows of the left matrix, its columns (rows of the right one), and columns of the right one; none is 0.
    pub lengths: [usize; 3],
    pub a: Factor,
    pub b: Factor,
    /// For each pair, how many elements from those of the first pair its matrices begin.
    pub pairs: &'a [[isize; 2]],
    /// The products follow one another, row-major.
    pub out: *mut u8,
}

/// The matrices on one side: where the first begins, and how many elements apart its rows and its columns are.
#[derive(Clone, Copy)]
pub struct Factor {
    pub start: *const u8,
    pub strides: [isize; 2],
}

/// The distances of the matrices of each pair, from the strides along the axes that count pairs (the first ones).
pub fn pairs(shape: &[usize], a: &[isize], b: &[isize]) -> Vec<[isize; 2]> {
    let layout =
        |strides: &[isize]| Layout { shape: shape.to_vec(), strides: strides[..shape.len()].to_vec(), offset: 0 };
    let runs = Runs::row_major(&[&layout(a), &layout(b)]);
    let mut pairs = Vec::with_capacity(runs.total());
    runs.visit(0..runs.total(), &mut |offsets, length| {
        let along = |side: usize, index: usize| offsets[side] + runs.inner_strides[side] * index as isize;
        pairs.extend((0..length).map(|index| [along(0, index), along(1, index)]));
    });
    pairs
}

/// Computes the products.
///
/// # Safety
///
/// The factors must describe matrices of this dtype in memory that nothing else writes to, and `out` must have room for
/// the products and overlap nothing.
pub unsafe fn matmul(dtype: DType, products: &Products<'_>) {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => floats::<f32>(products),
            DType::F64 => floats::<f64>(products),
            DType::C64 => floats::<Complex<f32>>(products),
            DType::C128 => floats::<Complex<f64>>(products),
            DType::Bool => whole::<Bit, 32>(products),
            dtype => for_integer!(dtype, T => match size_of::<T>() {
                1 | 2 => whole::<T, 32>(products),
                4 => whole::<T, 16>(products),
                _ => whole::<T, 8>(products),
            }),
        }
    }
}

/// What can be multiplied and added: numbers, integers wrapping; bools, by `and` and `or`. The default is nothing.
pub(super) trait Ring: Native {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// The sum of products of elements that follow one another.
    #[inline(always)]
    fn sum_of_products(a: &[Self], b: &[Self]) -> Self {
        dot::lanes(a, b)
    }
}

macro_rules! rings {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { numbers $kind $use {
            impl Ring for $type {
                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    Arithmetic::add(self, other)
                }
                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    Arithmetic::multiply(self, other)
                }
            }
        } {} })*
    };
}
dtypes!(rings!());

impl Ring for Bit {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Bit(self.0 | other.0)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Bit::from(self.is_true() & other.is_true())
    }
}

/// From so many multiplications on, one product is spread over the threads.
const SPREAD: usize = 1 << 21;
/// Fewer multiplications than this are not worth a task.
const GRAIN: usize = 1 << 15;
/// About as many multiplications are made between looks for an interrupt: some tenths of a second.
const PIECE: usize = 1 << 33;
/// As many terms of each sum are added up at a time by `faer` too, so pieces of multiples of it cost nothing.
const SLAB: usize = 512;

/// The numbers of multiplications of a product.
fn work([rows, inner, columns]: [usize; 3]) -> usize {
    rows.saturating_mul(inner).saturating_mul(columns)
}

/// # Safety
///
/// As for [`matmul`].
unsafe fn floats<T: Multiply + Ring>(products: &Products<'_>) {
    let (work, count) = (work(products.lengths), products.pairs.len());
    if products.lengths[2] == 1 && products.lengths[1] >= 16 {
        let operands = Operands::<T>::of(products);
        let [rows, inner, _] = products.lengths;
        let [(_, [_, a_step]), (_, [b_step, _])] = operands.factors;
        if (a_step == 1 || rows == 1) && work <= PIECE {
            // Each element is a product of vectors.
            return pool::split(count * rows, (2 * GRAIN / inner).max(1), &|range| {
                for index in range {
                    let (pair, row) = (index / rows, index % rows);
                    // SAFETY: the caller's promise; each element belongs to one task.
                    unsafe {
                        let (a, b) = (operands.at(0, pair, row, 0), operands.at(1, pair, 0, 0));
                        operands.out(pair, row, 0).write(dot::part((a, a_step), (b, b_step), inner));
                    }
                }
            });
        }
    }
    if work <= PIECE && (work < SPREAD || count >= 4 * pool::threads()) {
        let operands = Operands::<T>::of(products);
        pool::split(count, (GRAIN / work).max(1), &|range| {
            for pair in range {
                // SAFETY: the caller's promise; each product belongs to one task.
                unsafe { operands.part(pair, operands.lengths.map(|length| 0..length), Par::Seq) };
            }
        });
        return;
    }
    let operands = Operands::<T>::of(products);
    let parts = parts(products.lengths);
    let total = count * parts.len();
    pool::split_finely(total, total, 1, &|range| {
        for index in range {
            let (pair, part) = (index / parts.len(), &parts[index % parts.len()]);
            // SAFETY: the caller's promise; one part is computed at a time.
            pool::install(|| unsafe {
                if parts.len() == 1 && operands.is_symmetric(pair) {
                    operands.symmetric(pair);
                } else {
                    operands.part(pair, part.clone(), Par::rayon(0));
                }
            });
        }
    });
}

/// The rows, terms and columns of the parts that a product is computed in, those with the first terms before the others.
fn parts([rows, inner, columns]: [usize; 3]) -> Vec<[Range<usize>; 3]> {
    let cut = |length: usize, most: usize| (0..length).step_by(most).map(move |at| at..length.min(at + most));
    if work([rows, inner, columns]) <= PIECE {
        return vec![[0..rows, 0..inner, 0..columns]];
    }
    let slab = (PIECE / rows.saturating_mul(columns) / SLAB * SLAB).clamp(SLAB, inner.max(SLAB));
    let across = columns.min(8192);
    let down = (PIECE / slab / across).max(1);
    let blocks = cut(rows, down).flat_map(|rows| cut(columns, across).map(move |columns| (rows.clone(), columns)));
    blocks
        .flat_map(|(rows, columns)| cut(inner, slab).map(move |inner| [rows.clone(), inner, columns.clone()]))
        .collect()
}

/// [`Products`] with their type, for tasks on several threads.
struct Operands<'a, T> {
    lengths: [usize; 3],
    factors: [(Shared<T>, [isize; 2]); 2],
    pairs: &'a [[isize; 2]],
    out: Shared<T>,
}

impl<'a, T> Operands<'a, T> {
    fn of(products: &Products<'a>) -> Self {
        let factor = |factor: Factor| (Shared(factor.start.cast_mut().cast::<T>()), factor.strides);
        Operands {
            lengths: products.lengths,
            factors: [factor(products.a), factor(products.b)],
            pairs: products.pairs,
            out: Shared(products.out.cast()),
        }
    }

    /// Where the matrix of a pair has the element of these indices.
    fn at(&self, side: usize, pair: usize, row: usize, column: usize) -> *const T {
        let (start, [down, across]) = self.factors[side];
        let distance = self.pairs[pair][side] + down * row as isize + across * column as isize;
        start.get().cast_const().wrapping_offset(distance)
    }

    /// Where the product has the element of these indices.
    fn out(&self, pair: usize, row: usize, column: usize) -> *mut T {
        let [rows, _, columns] = self.lengths;
        self.out.get().wrapping_add((pair * rows + row) * columns + column)
    }
}

/// Rows and columns of a square that is copied to its place on the other side of a diagonal: two of them are in the first-level cache.
const SQUARE: usize = 32;

impl<T: Multiply> Operands<'_, T> {
    /// Whether the right matrix is the left one, transposed.
    fn is_symmetric(&self, pair: usize) -> bool {
        let ([rows, _, columns], [(_, left), (_, right)]) = (self.lengths, self.factors);
        rows == columns && left == [right[1], right[0]] && std::ptr::eq(self.at(0, pair, 0, 0), self.at(1, pair, 0, 0))
    }

    /// Computes the product of a matrix and the same matrix, transposed: one half, which the other one mirrors.
    ///
    /// # Safety
    ///
    /// As for [`matmul`]; the product is symmetric, and nothing else accesses it meanwhile.
    unsafe fn symmetric(&self, pair: usize) {
        let [rows, inner, _] = self.lengths;
        let [(_, [a_down, a_across]), (_, [b_down, b_across])] = self.factors;
        let out = Shared(self.out(pair, 0, 0));
        // SAFETY: the caller's promise.
        unsafe {
            let target = MatMut::from_raw_parts_mut(out.get(), rows, rows, rows as isize, 1);
            let a = MatRef::from_raw_parts(self.at(0, pair, 0, 0), rows, inner, a_down, a_across);
            let b = MatRef::from_raw_parts(self.at(1, pair, 0, 0), inner, rows, b_down, b_across);
            T::lower_matmul(target, a, b, Par::rayon(0));
        }
        let squares = rows.div_ceil(SQUARE);
        pool::split(squares, 1, &|range| {
            let range_of = |square: usize| square * SQUARE..rows.min((square + 1) * SQUARE);
            for (down, across) in range.flat_map(|down| (0..=down).map(move |across| (down, across))) {
                for row in range_of(across) {
                    for column in range_of(down).filter(|&column| column > row) {
                        // SAFETY: both are elements of the product; only this task writes above the diagonal there.
                        unsafe {
                            out.get().add(row * rows + column).write(out.get().add(column * rows + row).read());
                        }
                    }
                }
            }
        });
    }

    /// Adds up some terms of some elements of a product. The first terms come first.
    ///
    /// # Safety
    ///
    /// As for [`matmul`]; nothing else accesses these elements of the product meanwhile.
    unsafe fn part(&self, pair: usize, [rows, inner, columns]: [Range<usize>; 3], parallelism: Par) {
        let [(_, [a_down, a_across]), (_, [b_down, b_across])] = self.factors;
        let stride = self.lengths[2] as isize;
        // SAFETY: the caller's promise.
        let (mut out, a, b) = unsafe {
            let (a, b) = (self.at(0, pair, rows.start, inner.start), self.at(1, pair, inner.start, columns.start));
            let out = self.out(pair, rows.start, columns.start);
            (
                MatMut::from_raw_parts_mut(out, rows.len(), columns.len(), stride, 1isize),
                MatRef::from_raw_parts(a, rows.len(), inner.len(), a_down, a_across),
                MatRef::from_raw_parts(b, inner.len(), columns.len(), b_down, b_across),
            )
        };
        let mode = if inner.start == 0 { Accum::Replace } else { Accum::Add };
        T::matmul(out.as_mut(), mode, a, b, parallelism);
    }
}

/// Rows of a tile.
const TILE: usize = 4;
/// Rows, terms and columns of a block, the work of a task at a time.
const BLOCK: [usize; 3] = [64, 256, 256];
/// Products of no more multiplications are computed as they are written down.
const SMALL: usize = 4096;
/// As many terms of each sum are added up between looks for an interrupt.
const TERMS: usize = 1 << 15;

/// # Safety
///
/// As for [`matmul`].
unsafe fn whole<T: Ring, const N: usize>(products: &Products<'_>) {
    let operands = Operands::<T>::of(products);
    let [rows, inner, columns] = products.lengths;
    if work(products.lengths) <= SMALL {
        let grain = (GRAIN / work(products.lengths)).max(1);
        return pool::split(products.pairs.len(), grain, &|range| {
            for pair in range {
                // SAFETY: the caller's promise; each product belongs to one task.
                unsafe { operands.small(pair) };
            }
        });
    }
    let (down, across) = (rows.div_ceil(BLOCK[0]), columns.div_ceil(BLOCK[2]));
    let (blocks, slabs) = (down * across, inner.div_ceil(TERMS));
    pool::split_finely(slabs, slabs, 1, &|slabs| {
        for slab in slabs {
            let terms = slab * TERMS..inner.min((slab + 1) * TERMS);
            pool::split(products.pairs.len() * blocks, 1, &|range| {
                let mut workspace = Workspace::<T, N>::for_block(rows.min(BLOCK[0]), columns.min(BLOCK[2]));
                for index in range {
                    let (pair, block) = (index / blocks, index % blocks);
                    let (row, column) = (block / across * BLOCK[0], block % across * BLOCK[2]);
                    let columns = column..columns.min(column + BLOCK[2]);
                    // SAFETY: the caller's promise; each block belongs to one task.
                    unsafe {
                        operands.block(pair, row..rows.min(row + BLOCK[0]), columns, terms.clone(), &mut workspace)
                    };
                }
            });
        }
    });
}

/// Parts of both matrices as tiles take them, and the sums of a block.
struct Workspace<T, const N: usize> {
    /// For each tile's rows, term after term.
    a: Vec<[T; TILE]>,
    /// For each tile's columns, term after term.
    b: Vec<[T; N]>,
    sums: Vec<[[T; N]; TILE]>,
}

impl<T: Ring, const N: usize> Workspace<T, N> {
    fn for_block(rows: usize, columns: usize) -> Self {
        let (down, across) = (rows.div_ceil(TILE), columns.div_ceil(N));
        Workspace {
            a: vec![[T::default(); TILE]; down * BLOCK[1]],
            b: vec![[T::default(); N]; across * BLOCK[1]],
            sums: vec![[[T::default(); N]; TILE]; down * across],
        }
    }
}

impl<T: Ring> Operands<'_, T> {
    /// # Safety
    ///
    /// As for [`matmul`]; nothing else accesses this product meanwhile.
    unsafe fn small(&self, pair: usize) {
        let [rows, inner, columns] = self.lengths;
        for row in 0..rows {
            for column in 0..columns {
                let mut sum = T::default();
                for term in 0..inner {
                    // SAFETY: the caller's promise.
                    let (a, b) = unsafe { (self.at(0, pair, row, term).read(), self.at(1, pair, term, column).read()) };
                    sum = sum.plus(a.times(b));
                }
                // SAFETY: the caller's promise.
                unsafe { self.out(pair, row, column).write(sum) };
            }
        }
    }

    /// Adds up some terms of a block of a product. The first terms come first.
    ///
    /// # Safety
    ///
    /// As for [`matmul`]; nothing else accesses this block meanwhile.
    unsafe fn block<const N: usize>(
        &self,
        pair: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        terms: Range<usize>,
        workspace: &mut Workspace<T, N>,
    ) {
        let (down, across) = (rows.len().div_ceil(TILE), columns.len().div_ceil(N));
        workspace.sums.fill([[T::default(); N]; TILE]);
        for first in terms.clone().step_by(BLOCK[1]) {
            let depth = BLOCK[1].min(terms.end - first);
            // Beyond the matrices are zeros.
            for (index, lines) in workspace.a.chunks_exact_mut(depth).take(down).enumerate() {
                for (term, line) in lines.iter_mut().enumerate() {
                    for (lane, element) in line.iter_mut().enumerate() {
                        let row = rows.start + index * TILE + lane;
                        *element = T::default();
                        if row < rows.end {
                            // SAFETY: the caller's promise.
                            *element = unsafe { self.at(0, pair, row, first + term).read() };
                        }
                    }
                }
            }
            for (index, lines) in workspace.b.chunks_exact_mut(depth).take(across).enumerate() {
                for (term, line) in lines.iter_mut().enumerate() {
                    for (lane, element) in line.iter_mut().enumerate() {
                        let column = columns.start + index * N + lane;
                        *element = T::default();
                        if column < columns.end {
                            // SAFETY: the caller's promise.
                            *element = unsafe { self.at(1, pair, first + term, column).read() };
                        }
                    }
                }
            }
            for (index, sums) in workspace.sums[..down * across].iter_mut().enumerate() {
                let (a, b) = (index / across * depth, index % across * depth);
                tile(&workspace.a[a..a + depth], &workspace.b[b..b + depth], sums);
            }
        }
        for row in rows.clone() {
            for column in columns.clone() {
                let (down, right) = (row - rows.start, column - columns.start);
                let sum = workspace.sums[down / TILE * across + right / N][down % TILE][right % N];
                let out = self.out(pair, row, column);
                // SAFETY: the caller's promise.
                unsafe { out.write(if terms.start == 0 { sum } else { out.read().plus(sum) }) };
            }
        }
    }
}

by_isa! {
    /// Adds products of rows and columns to a tile's sums.
    fn tile<T: Ring; const N: usize>(a: &[[T; TILE]], b: &[[T; N]], sums: &mut [[T; N]; TILE]) {
        let mut added = *sums;
        for (a, b) in a.iter().zip(b) {
            for (sums, &a) in added.iter_mut().zip(a) {
                for (sum, &b) in sums.iter_mut().zip(b) {
                    *sum = sum.plus(a.times(b));
                }
            }
        }
        *sums = added;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_a_product_once_first_terms_first() {
        for lengths in [[3, 4, 5], [4096, 4096, 4096], [100_000, 3000, 200_000], [2, 1 << 40, 3], [1 << 33, 7, 1]] {
            let parts = parts(lengths);
            let size = |part: &[Range<usize>; 3]| part.iter().map(|range| range.len() as u128).product::<u128>();
            assert_eq!(parts.iter().map(size).sum::<u128>(), lengths.iter().map(|&length| length as u128).product());
            assert!(parts.iter().all(|part| size(part) <= PIECE as u128 * 2), "{lengths:?}");
            let is_start = |part: &[Range<usize>; 3]| part[1].start == 0;
            assert!(
                is_start(&parts[0])
                    && parts.windows(2).all(|two| {
                        is_start(&two[1])
                            || (two[0][0] == two[1][0] && two[0][2] == two[1][2] && two[0][1].end == two[1][1].start)
                    })
            );
        }
    }

    #[test]
    fn pairs_follow_the_strides() {
        assert_eq!(pairs(&[], &[7, 1], &[3, 1]), [[0, 0]]);
        assert_eq!(pairs(&[2, 2], &[0, 10, 1, 1], &[5, 0, 1, 1]), [[0, 0], [10, 0], [0, 5], [10, 5]]);
    }

    fn check<T: Ring>(dtype: DType, lengths: [usize; 3], of: impl Fn(usize) -> T) {
        let [rows, inner, columns] = lengths;
        let a: Vec<T> = (0..rows * inner * 3).map(|index| of(index * 7919 % 1009)).collect();
        let b: Vec<T> = (0..inner * columns * 2).map(|index| of(index * 104_729 % 1013)).collect();
        let mut out = vec![T::default(); 2 * rows * columns];
        let pairs = [[0, 0], [(2 * rows * inner) as isize, (inner * columns) as isize]];
        // The first is column-major, the second row-major.
        let factor = |values: &[T], strides| Factor { start: values.as_ptr().cast(), strides };
        let (a_strides, b_strides) = ([1, rows as isize], [columns as isize, 1]);
        let (a_factor, b_factor) = (factor(&a, a_strides), factor(&b, b_strides));
        let products = Products { lengths, a: a_factor, b: b_factor, pairs: &pairs, out: out.as_mut_ptr().cast() };
        // SAFETY: the vectors have the elements.
        unsafe { matmul(dtype, &products) };
        for (pair, [a_start, b_start]) in pairs.into_iter().enumerate() {
            for row in 0..rows {
                for column in 0..columns {
                    let at = |start: isize, step: isize| start.unsigned_abs() + step.unsigned_abs();
                    let term = |term: usize| {
                        let (a_step, b_step) = (term * rows + row, term * columns + column);
                        a[at(a_start, a_step as isize)].times(b[at(b_start, b_step as isize)])
                    };
                    let expected = (0..inner).map(term).fold(T::default(), T::plus);
                    let found = out[(pair * rows + row) * columns + column];
                    assert!(found == expected, "{lengths:?} {pair} {row} {column}");
                }
            }
        }
    }

    #[test]
    fn a_product_with_the_same_matrix_transposed_is_symmetric() {
        // Whole numbers, whose sums are exact.
        let of = |index: usize| (index * 7919 % 1009) as f64 - 500.0;
        for (rows, inner) in [(130, 200), (257, 64), (400, 33)] {
            let matrix: Vec<f64> = (0..2 * rows * inner).map(of).collect();
            for (down, across) in [(inner as isize, 1), (1, rows as isize)] {
                let start = matrix.as_ptr().cast();
                let (a, b) = (Factor { start, strides: [down, across] }, Factor { start, strides: [across, down] });
                let mut out = vec![0.0; 2 * rows * rows];
                let apart = (rows * inner) as isize;
                // Of the second pair only the left factor is another matrix.
                for pairs in [[[0, 0], [apart, apart]], [[0, 0], [apart, 0]]] {
                    let out = out.as_mut_ptr();
                    let products = Products { lengths: [rows, inner, rows], a, b, pairs: &pairs, out: out.cast() };
                    // SAFETY: the vectors have the elements.
                    unsafe { matmul(DType::F64, &products) };
                    for (pair, [left, right]) in pairs.into_iter().enumerate() {
                        let at = |start: isize, row: usize, term: usize| {
                            matrix[(start + down * row as isize + across * term as isize) as usize]
                        };
                        for (row, column) in (0..rows).flat_map(|row| (0..rows).map(move |column| (row, column))) {
                            let term = |term: usize| at(left, row, term) * at(right, column, term);
                            // SAFETY: the product has so many elements.
                            let found = unsafe { *out.add((pair * rows + row) * rows + column) };
                            assert_eq!(found, (0..inner).map(term).sum::<f64>(), "{rows} {inner} {row} {column}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn products_of_all_sizes_are_exact() {
        for lengths in [
            [1, 1, 1],
            [2, 3, 4],
            [4, 16, 16],
            [17, 300, 33],
            [70, 5, 270],
            [64, 257, 256],
            [3, 40_000, 5],
            [200, 30, 1],
        ] {
            check::<u8>(DType::U8, lengths, |index| index as u8);
            check::<i32>(DType::I32, lengths, |index| (index as i32 - 500).wrapping_mul(0x1234_5678));
            check::<u64>(DType::U64, lengths, |index| (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            check::<Bit>(DType::Bool, lengths, |index| Bit(u8::from(index % 50 == 0)));
            // Small whole numbers, whose sums are exact.
            check::<f32>(DType::F32, lengths, |index| (index % 13) as f32 - 6.0);
            check::<f64>(DType::F64, lengths, |index| (index % 31) as f64 - 15.0);
            check::<Complex<f32>>(DType::C64, lengths, |index| {
                Complex::new(index as f32 % 7.0, index as f32 % 5.0 - 2.0)
            });
            check::<Complex<f64>>(DType::C128, lengths, |index| Complex::new(index as f64 % 7.0, index as f64 % 5.0));
        }
    }
}
