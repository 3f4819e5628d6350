//! Direct convolution: the result is cut into tiles, each tile's window of the image is copied with its border, and a
//! block of results is kept in registers while the window slides over the filter.

mod simd;

use super::numeric::{Arithmetic, Isa, Native, Shared, for_number};
use super::pool;
use simd::{Avx2F32, Avx2F64, Avx512F32, Avx512F64, Simd, Sse2F32, Sse2F64};
use warpcell_base::backend::Padding;
use warpcell_base::dtype::DType;

/// What is to be convolved; shapes are rows and columns, all arrays row-major. 1-D is one row.
pub struct Job {
    pub image: *const u8,
    pub image_shape: [usize; 2],
    pub filter: *const u8,
    pub filter_shape: [usize; 2],
    /// Where in the full result `out` starts.
    pub origin: (usize, usize),
    pub padding: Padding,
    pub out: *mut u8,
    pub out_shape: [usize; 2],
}

/// `out[i, j] = Σ image[i + origin.0 - p, j + origin.1 - q] · filter[p, q]`.
///
/// # Safety
///
/// The job must describe memory of this dtype, which only this call accesses. `out` may be uninitialised.
pub unsafe fn convolve2d(dtype: DType, job: &Job) {
    // SAFETY: the caller's promise; the processor has the instruction set.
    unsafe { convolve2d_on(Isa::detected(), dtype, job) }
}

/// # Safety
///
/// As for [`convolve2d`], and the processor must have the instruction set.
unsafe fn convolve2d_on(isa: Isa, dtype: DType, job: &Job) {
    // SAFETY: the caller's promise.
    unsafe {
        match (dtype, isa) {
            (DType::F32, Isa::Sse2) => run(job, Sse2F32::BLOCK, sse2::<Sse2F32>),
            (DType::F64, Isa::Sse2) => run(job, Sse2F64::BLOCK, sse2::<Sse2F64>),
            (DType::F32, Isa::Avx2) => run(job, Avx2F32::BLOCK, avx2::<Avx2F32>),
            (DType::F64, Isa::Avx2) => run(job, Avx2F64::BLOCK, avx2::<Avx2F64>),
            (DType::F32, Isa::Avx512) => run(job, Avx512F32::BLOCK, avx512::<Avx512F32>),
            (DType::F64, Isa::Avx512) => run(job, Avx512F64::BLOCK, avx512::<Avx512F64>),
            (dtype, Isa::Sse2) => for_number!(dtype, T => run(job, 16, integers::<T>)),
            (dtype, _) => for_number!(dtype, T => run(job, 16, integers_avx2::<T>)),
        }
    }
}

/// One tile of the result and its window of the image, border included.
struct Tile<T> {
    window: *const T,
    /// From one row of the window to the next.
    window_stride: usize,
    /// The filter turned by 180 degrees, row-major.
    weights: *const T,
    filter_shape: [usize; 2],
    out: *mut T,
    out_stride: usize,
    rows: usize,
    columns: usize,
}

/// The rows of a tile, a multiple of those of all blocks. The window of a tile of this many rows and some hundred columns fits in a second-level cache.
const TILE_ROWS: usize = 30;
/// The bytes in a row of a tile.
const TILE_BYTES: usize = 3072;
/// The same if there is only one row.
const LINE_BYTES: usize = 32 << 10;
/// The most multiplications in a tile, some tens of milliseconds of work: between tiles an interrupt can stop the operation.
const TILE_WORK: usize = 1 << 28;

/// Rows and columns of tiles; the columns are a multiple of `block`.
fn tile_shape([rows, columns]: [usize; 2], weights: usize, block: usize, element: usize) -> (usize, usize) {
    let tile_rows = rows.min(TILE_ROWS);
    let tile_bytes = if rows == 1 { LINE_BYTES } else { TILE_BYTES };
    let tile_columns = (tile_bytes / element).next_multiple_of(block).min(columns.next_multiple_of(block));
    // For a large filter tiles are smaller; their windows are mostly border and fit no cache either way.
    let most = (TILE_WORK / weights.max(1)).max(1);
    let tile_columns = tile_columns.min((most / tile_rows.max(1) / block).max(1) * block);
    let most_rows = (most / tile_columns.max(1)).max(1);
    // Six rows are what most instruction sets compute at once.
    let most_rows = if most_rows > 6 { most_rows / 6 * 6 } else { most_rows };
    (tile_rows.min(most_rows), tile_columns)
}

/// Cuts the result into tiles and calls `compute` for each. Windows are wide enough for a multiple of `block` columns.
///
/// # Safety
///
/// As for [`convolve2d`], and `compute` may be called on this processor.
unsafe fn run<T: Native>(job: &Job, block: usize, compute: unsafe fn(&Tile<T>)) {
    let [filter_rows, filter_columns] = job.filter_shape;
    let [rows, columns] = job.out_shape;
    // SAFETY: the filter is borrowed for the call.
    let filter = unsafe { std::slice::from_raw_parts(job.filter.cast::<T>(), filter_rows * filter_columns) };
    let weights: Vec<T> = filter.iter().rev().copied().collect();
    let (tile_rows, tile_columns) = tile_shape(job.out_shape, weights.len(), block, size_of::<T>());
    let window_rows = tile_rows + filter_rows - 1;
    // One cache line more than needed keeps the rows of wide windows from competing for one place in the cache.
    let window_stride = tile_columns + filter_columns - 1 + 64 / size_of::<T>();
    let tiles_across = columns.div_ceil(tile_columns);
    let tiles = rows.div_ceil(tile_rows) * tiles_across;
    let image =
        Image { pointer: Shared(job.image.cast_mut().cast::<T>()), shape: job.image_shape, padding: job.padding };
    let (out, weights, filter_shape, origin) = (Shared(job.out.cast::<T>()), &weights, job.filter_shape, job.origin);
    // Small results are not worth a second thread.
    let tile_work = tile_rows * tile_columns * filter_rows * filter_columns;
    let grain = ((1 << 16) / tile_work).max(1);
    pool::split(tiles, grain, &|range| {
        let mut window = vec![T::default(); window_rows * window_stride];
        for tile in range {
            let (row, column) = (tile / tiles_across * tile_rows, tile % tiles_across * tile_columns);
            let tile = Tile {
                window: window.as_ptr(),
                window_stride,
                weights: weights.as_ptr(),
                filter_shape,
                // SAFETY: the tile lies within the result.
                out: unsafe { out.get().add(row * columns + column) },
                out_stride: columns,
                rows: tile_rows.min(rows - row),
                columns: tile_columns.min(columns - column),
            };
            let top = (row + origin.0) as isize - (filter_rows as isize - 1);
            let left = (column + origin.1) as isize - (filter_columns as isize - 1);
            for (index, line) in window.chunks_exact_mut(window_stride).take(tile.rows + filter_rows - 1).enumerate() {
                image.read_row(top + index as isize, left, &mut line[..tile.columns + filter_columns - 1]);
            }
            // SAFETY: the window holds all that the tile needs; each tile belongs to one task.
            unsafe { compute(&tile) };
        }
    });
}

/// The image, continued in all directions.
struct Image<T> {
    pointer: Shared<T>,
    shape: [usize; 2],
    padding: Padding,
}

impl<T: Native> Image<T> {
    /// Copies a part of a row that may lie outside the image.
    fn read_row(&self, row: isize, left: isize, line: &mut [T]) {
        let [rows, columns] = self.shape;
        let fill = if let Padding::Fill(value) = self.padding { T::of(value) } else { T::default() };
        let Some(row) = continued(row, rows, self.padding) else { return line.fill(fill) };
        // SAFETY: a row of the image, which the caller of `convolve2d` lends.
        let source = unsafe { std::slice::from_raw_parts(self.pointer.get().add(row * columns), columns) };
        let inside = |index: isize| (index - left).clamp(0, line.len() as isize) as usize;
        let (first, last) = (inside(0), inside(columns as isize));
        for index in (0..first).chain(last..line.len()) {
            line[index] = continued(left + index as isize, columns, self.padding).map_or(fill, |column| source[column]);
        }
        if first < last {
            let start = (left + first as isize) as usize;
            line[first..last].copy_from_slice(&source[start..start + last - first]);
        }
    }
}

/// The place within `0..length` that an index outside it stands for; none if the boundary is filled.
fn continued(index: isize, length: usize, padding: Padding) -> Option<usize> {
    let length = length as isize;
    if (0..length).contains(&index) {
        return Some(index as usize);
    }
    match padding {
        Padding::Fill(_) => None,
        Padding::Wrap => Some(index.rem_euclid(length) as usize),
        Padding::Symmetric => {
            let position = index.rem_euclid(2 * length);
            Some(position.min(2 * length - 1 - position) as usize)
        }
    }
}

/// # Safety
///
/// The tile must be as [`run`] makes it.
unsafe fn sse2<S: Simd>(tile: &Tile<S::Element>) {
    // SAFETY: the caller's promise; SSE2 is part of x86-64.
    unsafe { floats::<S, 5, 2, 8>(tile) }
}

/// # Safety
///
/// The tile must be as [`run`] makes it.
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<S: Simd>(tile: &Tile<S::Element>) {
    // 12 sums, 2 parts of the window and a weight, of 16 registers. With 4 by 3, which would load less, the compiler
    // keeps one of the sums in memory.
    // SAFETY: the caller's promise.
    unsafe { floats::<S, 6, 2, 8>(tile) }
}

/// # Safety
///
/// The tile must be as [`run`] makes it.
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn avx512<S: Simd>(tile: &Tile<S::Element>) {
    // 24 sums, 4 parts of the window and a weight, of 32 registers.
    // SAFETY: the caller's promise.
    unsafe { floats::<S, 6, 4, 8>(tile) }
}

/// Computes a tile in blocks of `R` rows by `V` vectors, and rows that are left in blocks of `W` vectors.
///
/// # Safety
///
/// The tile must be as [`run`] makes it, and the caller compiled for the instruction set.
#[inline(always)]
unsafe fn floats<S: Simd, const R: usize, const V: usize, const W: usize>(tile: &Tile<S::Element>) {
    let width = V * S::LANES;
    debug_assert_eq!(width, S::BLOCK);
    let mut row = 0;
    while row < tile.rows {
        let whole = tile.rows - row >= R;
        let mut column = 0;
        while column < tile.columns {
            let left = tile.columns - column;
            // SAFETY: the window has whole blocks of `V` vectors from each block's first column on; the result has
            // the columns that are left.
            unsafe {
                let window = tile.window.add(row * tile.window_stride + column);
                let out = tile.out.add(row * tile.out_stride + column);
                if whole {
                    store(tile, out, left.min(width), sums::<S, R, V>(tile, window));
                } else if left >= W * S::LANES {
                    store(tile, out, W * S::LANES, sums::<S, 1, W>(tile, window));
                    column += (W - V) * S::LANES;
                } else {
                    store(tile, out, left.min(width), sums::<S, 1, V>(tile, window));
                }
            }
            column += width;
        }
        row += if whole { R } else { 1 };
    }
}

/// Writes a block of sums to the result.
///
/// # Safety
///
/// `out` must have `count` columns, at most `V` vectors.
#[inline(always)]
unsafe fn store<T: Copy + Default, S, const R: usize, const V: usize>(
    tile: &Tile<T>,
    out: *mut T,
    count: usize,
    sums: [[Vector<S>; V]; R],
) where
    S: Simd<Element = T>,
{
    for (row, sums) in sums.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe {
            let out = out.add(row * tile.out_stride);
            if count == V * S::LANES {
                for (index, sum) in sums.iter().enumerate() {
                    S::store(out.add(index * S::LANES), sum.0);
                }
            } else {
                // 64 elements are the widest block.
                let mut line = [T::default(); 64];
                for (index, sum) in sums.iter().enumerate() {
                    S::store(line.as_mut_ptr().add(index * S::LANES), sum.0);
                }
                std::ptr::copy_nonoverlapping(line.as_ptr(), out, count);
            }
        }
    }
}

/// A vector of an instruction set.
struct Vector<S: Simd>(S::Vector);

impl<S: Simd> Clone for Vector<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Simd> Copy for Vector<S> {}

/// The sums of `R` rows by `V` vectors of results. Each part of the window is loaded once for all rows that need it.
///
/// Rows of the window at its ends serve fewer than `R` rows of results. They are not multiplied by weights of zero
/// instead (zero times infinity is NaN): a row at the top and one at the bottom together serve `R` rows.
///
/// # Safety
///
/// The window must have `R - 1` rows more than the filter, and `V` vectors less one element more columns.
#[inline(always)]
unsafe fn sums<S: Simd, const R: usize, const V: usize>(
    tile: &Tile<S::Element>,
    window: *const S::Element,
) -> [[Vector<S>; V]; R] {
    let [rows, columns] = tile.filter_shape;
    // SAFETY: the caller's promise; weights are indexed within the filter's shape.
    unsafe {
        let zero = Vector::<S>(S::splat(S::Element::default()));
        let mut sums = [[zero; V]; R];
        for y in R - 1..rows {
            let line = window.add(y * tile.window_stride);
            let weights = tile.weights.add((y + 1 - R) * columns);
            for q in 0..columns {
                let mut parts = [zero; V];
                for (v, part) in parts.iter_mut().enumerate() {
                    part.0 = S::load(line.add(q + v * S::LANES));
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let weight = S::splat(*weights.add((R - 1 - r) * columns + q));
                    for (sum, part) in sums.iter_mut().zip(&parts) {
                        sum.0 = S::multiply_add(part.0, weight, sum.0);
                    }
                }
            }
        }
        if rows + 1 >= R {
            for top in 0..R - 1 {
                // Row `r` of the results needs row `top` of the window if it is not below it, else the one that is
                // as many rows further down as the filter has.
                let mut lines = [window; R];
                let mut weights = [tile.weights; R];
                for r in 0..R {
                    let y = if r <= top { top } else { top + rows };
                    lines[r] = window.add(y * tile.window_stride);
                    weights[r] = tile.weights.add((y - r) * columns);
                }
                for q in 0..columns {
                    for (r, sums) in sums.iter_mut().enumerate() {
                        let weight = S::splat(*weights[r].add(q));
                        for (v, sum) in sums.iter_mut().enumerate() {
                            sum.0 = S::multiply_add(S::load(lines[r].add(q + v * S::LANES)), weight, sum.0);
                        }
                    }
                }
            }
        } else {
            for (r, sums) in sums.iter_mut().enumerate() {
                for p in 0..rows {
                    let line = window.add((r + p) * tile.window_stride);
                    for q in 0..columns {
                        let weight = S::splat(*tile.weights.add(p * columns + q));
                        for (v, sum) in sums.iter_mut().enumerate() {
                            sum.0 = S::multiply_add(S::load(line.add(q + v * S::LANES)), weight, sum.0);
                        }
                    }
                }
            }
        }
        sums
    }
}

/// # Safety
///
/// The tile must be as [`run`] makes it.
#[inline(always)]
unsafe fn integers<T: Arithmetic>(tile: &Tile<T>) {
    const WIDTH: usize = 128;
    let [filter_rows, filter_columns] = tile.filter_shape;
    for row in 0..tile.rows {
        for column in (0..tile.columns).step_by(WIDTH) {
            let count = WIDTH.min(tile.columns - column);
            let mut sums = [T::default(); WIDTH];
            let sums = &mut sums[..count];
            for p in 0..filter_rows {
                for q in 0..filter_columns {
                    // SAFETY: the window has the rows and columns of the tile and the filter, less one each.
                    let (weight, line) = unsafe {
                        let line = tile.window.add((row + p) * tile.window_stride + column + q);
                        (*tile.weights.add(p * filter_columns + q), std::slice::from_raw_parts(line, count))
                    };
                    for (sum, &x) in sums.iter_mut().zip(line) {
                        *sum = sum.add(x.multiply(weight));
                    }
                }
            }
            // SAFETY: the tile lies within the result.
            unsafe {
                let out = tile.out.add(row * tile.out_stride + column);
                std::ptr::copy_nonoverlapping(sums.as_ptr(), out, count);
            }
        }
    }
}

/// # Safety
///
/// The tile must be as [`run`] makes it.
#[target_feature(enable = "avx2,fma")]
unsafe fn integers_avx2<T: Arithmetic>(tile: &Tile<T>) {
    // SAFETY: the caller's promise.
    unsafe { integers(tile) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpcell_base::dtype::Scalar;

    /// One term after the other, as the definition says; inputs are small integers, so that every order is exact.
    fn reference(image: &[f64], [rows, columns]: [usize; 2], filter: &[f64], filter_shape: [usize; 2]) -> Vec<f64> {
        let [full_rows, full_columns] = [rows + filter_shape[0] - 1, columns + filter_shape[1] - 1];
        let mut out = vec![0.0; full_rows * full_columns];
        for (index, &x) in image.iter().enumerate() {
            for (place, &weight) in filter.iter().enumerate() {
                let row = index / columns + place / filter_shape[1];
                let column = index % columns + place % filter_shape[1];
                out[row * full_columns + column] += x * weight;
            }
        }
        out
    }

    fn numbers(count: usize) -> Vec<f64> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 28) - 8.0
        };
        (0..count).map(|_| next()).collect()
    }

    fn check<T: Native>(isa: Isa, dtype: DType, convert: fn(f64) -> T, back: fn(T) -> f64) {
        let images = [[1, 1], [5, 7], [29, 31], [64, 130], [33, 420], [1, 3000], [95, 1]];
        let filters = [[1, 1], [2, 3], [3, 3], [5, 2], [6, 6], [7, 4], [15, 15], [1, 40], [40, 1]];
        for (image_shape, filter_shape) in images.into_iter().flat_map(|image| filters.map(|filter| (image, filter))) {
            let image = numbers(image_shape[0] * image_shape[1]);
            let filter = numbers(filter_shape[0] * filter_shape[1]);
            let expected = reference(&image, image_shape, &filter, filter_shape);
            let (image, filter): (Vec<T>, Vec<T>) =
                (image.into_iter().map(convert).collect(), filter.into_iter().map(convert).collect());
            let out_shape = [image_shape[0] + filter_shape[0] - 1, image_shape[1] + filter_shape[1] - 1];
            // Guards on both sides: nothing outside the result may be written.
            let guard = convert(77.0);
            let mut out = vec![guard; out_shape[0] * out_shape[1] + 128];
            let job = Job {
                image: image.as_ptr().cast(),
                image_shape,
                filter: filter.as_ptr().cast(),
                filter_shape,
                origin: (0, 0),
                padding: Padding::Fill(Scalar::zero(dtype)),
                out: out[64..].as_mut_ptr().cast(),
                out_shape,
            };
            // SAFETY: the job describes the vectors.
            unsafe { convolve2d_on(isa, dtype, &job) };
            let (before, rest) = out.split_at(64);
            let (result, after) = rest.split_at(expected.len());
            let result: Vec<f64> = result.iter().map(|&x| back(x)).collect();
            assert!(result == expected, "{isa:?} {dtype}: {image_shape:?} by {filter_shape:?}");
            assert!(before.iter().chain(after).all(|&x| x == guard), "{isa:?} {dtype}: written outside");
        }
    }

    #[test]
    fn every_instruction_set_gives_the_sum_by_definition() {
        println!("this processor has {:?}", Isa::usable());
        for isa in Isa::usable() {
            check::<f32>(isa, DType::F32, |x| x as f32, f64::from);
            check::<f64>(isa, DType::F64, |x| x, |x| x);
            check::<i32>(isa, DType::I32, |x| x as i32, f64::from);
            check::<i64>(isa, DType::I64, |x| x as i64, |x| x as f64);
        }
    }

    #[test]
    fn places_outside_the_image_continue_it() {
        let places = |padding| (-7..9).map(|index| continued(index, 3, padding)).collect::<Vec<_>>();
        let some = |places: [usize; 16]| places.map(Some).to_vec();
        assert_eq!(places(Padding::Wrap), some([2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]));
        assert_eq!(places(Padding::Symmetric), some([0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2]));
        assert_eq!(places(Padding::Fill(Scalar::F64(0.0))).iter().flatten().count(), 3);
    }

    #[test]
    fn no_tile_takes_long_and_usual_ones_are_whole() {
        assert_eq!(tile_shape([2062, 2062], 225, 32, 8), (30, 384), "as a 15 by 15 filter needs");
        assert_eq!(tile_shape([1, 4_000_000], 15, 32, 8), (1, 4096));
        assert_eq!(tile_shape([3, 5], 225, 32, 8), (3, 32));
        for weights in [40_000, 400_000, 1_000_000, 8_000_000] {
            for shape in [[6000, 6000], [1, 4_000_000]] {
                let (rows, columns) = tile_shape(shape, weights, 32, 8);
                assert!(
                    rows * columns * weights <= TILE_WORK && columns % 32 == 0,
                    "{rows} by {columns} for {weights}"
                );
            }
        }
    }
}
