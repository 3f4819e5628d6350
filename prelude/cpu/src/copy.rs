//! Copies: between layouts, of raw bytes, and of host arrays. Between dtypes it is `convert.rs`.

use super::elementwise::{GRAIN, Input, blocks};
use super::index::{distance, without};
use super::numeric::{Isa, Shared, for_bits};
use super::pool;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use warpcell_base::backend::Layout;
use warpcell_base::dtype::DType;
use warpcell_base::host_view::HostView;

/// Copies elements of one dtype from one layout to another of the same shape; only the elements' size matters.
///
/// # Safety
///
/// Both must describe memory that nothing else accesses, of this dtype, without overlap.
pub(super) unsafe fn copy(dtype: DType, source: *const u8, source_layout: &Layout, out: *mut u8, out_layout: &Layout) {
    if source_layout.is_contiguous() && out_layout.is_contiguous() {
        // SAFETY: the caller's promise; contiguous layouts are one range of bytes.
        return unsafe { bytes(source, out, out_layout.size() * dtype.size()) };
    }
    if let Some(axes) = transposed(source_layout, out_layout) {
        // SAFETY: the caller's promise.
        return unsafe {
            for_bits!(dtype, T => squares::<T>(source.cast(), source_layout, out.cast(), out_layout, axes))
        };
    }
    let input = Input::Array(source, source_layout);
    // SAFETY: the caller's promise; sources are host or device memory, whose bytes are initialised.
    unsafe {
        for_bits!(dtype, T => {
            blocks::<T, T, 1>([input], out, out_layout, &|[x], out| out.copy_from_slice(x))
        });
    }
}

/// Rows and columns of a square that is copied at a time; it is in the first-level cache twice.
const SQUARE: usize = 32;

/// The axis along which the source's elements are neighbours, and that along which the copy's are, if these are two long ones.
fn transposed(source: &Layout, out: &Layout) -> Option<[usize; 2]> {
    let fast = |layout: &Layout| {
        (0..layout.shape.len()).find(|&axis| layout.strides[axis] == 1 && layout.shape[axis] >= SQUARE)
    };
    let axes = [fast(source)?, fast(out)?];
    (axes[0] != axes[1]).then_some(axes)
}

/// Copies square after square: each line of the cache is read once, while elements that are far apart would be read one by one, and
/// lines would have gone when their next element is wanted.
///
/// # Safety
///
/// As for [`copy`]; along the first axis the source's elements are neighbours, along the second one the copy's.
unsafe fn squares<T: Copy>(
    source: *const T,
    source_layout: &Layout,
    out: *mut T,
    out_layout: &Layout,
    [across, down]: [usize; 2],
) {
    let others = |layout: &Layout| without(&without(layout, across.max(down)), across.min(down));
    let (source_others, out_others) = (others(source_layout), others(out_layout));
    let (columns, rows) = (source_layout.shape[across], source_layout.shape[down]);
    let (source_step, out_step) = (source_layout.strides[down], out_layout.strides[across]);
    let bands = columns.div_ceil(SQUARE);
    let (source, out) = (Shared(source.cast_mut()), Shared(out));
    let in_vectors = matches!(size_of::<T>(), 4 | 8) && Isa::detected() != Isa::Sse2;
    // A band has the columns of a square, and all rows.
    pool::split(source_others.size() * bands, (GRAIN / (SQUARE * rows)).max(1), &|range| {
        let mut square = [const { [const { MaybeUninit::<T>::uninit() }; SQUARE] }; SQUARE];
        for number in range {
            let first_column = number % bands * SQUARE;
            let width = SQUARE.min(columns - first_column);
            // SAFETY: the caller's promise; each band belongs to one task.
            unsafe {
                let source = source.get().offset(distance(&source_others, number / bands)).add(first_column);
                let out = out.get().offset(distance(&out_others, number / bands));
                let out = out.offset(first_column as isize * out_step);
                for first_row in (0..rows).step_by(SQUARE) {
                    let height = SQUARE.min(rows - first_row);
                    if in_vectors {
                        let from = source.offset(first_row as isize * source_step);
                        turned(from, source_step, out.add(first_row), out_step, [height, width]);
                        continue;
                    }
                    for (row, line) in square[..height].iter_mut().enumerate() {
                        let from = source.offset((first_row + row) as isize * source_step);
                        std::ptr::copy_nonoverlapping(from, line.as_mut_ptr().cast::<T>(), width);
                    }
                    for column in 0..width {
                        let to = out.offset(column as isize * out_step).add(first_row);
                        for (row, line) in square[..height].iter().enumerate() {
                            to.add(row).write(line[column].assume_init());
                        }
                    }
                }
            }
        }
    });
}

/// Copies a square of elements of 4 or 8 bytes, or a part of one, with vectors of four: those of four rows become those of four
/// columns in registers.
///
/// # Safety
///
/// The processor has AVX2. The rows of the source, `source_step` elements apart, and the columns of the copy, `out_step` elements
/// apart, are memory that nothing else accesses.
#[target_feature(enable = "avx2")]
unsafe fn turned<T: Copy>(
    source: *const T,
    source_step: isize,
    out: *mut T,
    out_step: isize,
    [height, width]: [usize; 2],
) {
    let from = |row: usize, column: usize| source.wrapping_offset(row as isize * source_step).wrapping_add(column);
    let to = |row: usize, column: usize| out.wrapping_offset(column as isize * out_step).wrapping_add(row);
    let [whole_height, whole_width] = [height, width].map(|length| length / 4 * 4);
    // SAFETY: the caller's promise; vectors of floats are only moved.
    unsafe {
        for column in (0..whole_width).step_by(4) {
            for row in (0..whole_height).step_by(4) {
                if size_of::<T>() == 8 {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|next| _mm256_loadu_pd(from(row + next, column).cast()));
                    let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                    let (low_2, high_2) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                    let store = |next: usize, four| _mm256_storeu_pd(to(row, column + next).cast(), four);
                    store(0, _mm256_permute2f128_pd::<0x20>(low, low_2));
                    store(1, _mm256_permute2f128_pd::<0x20>(high, high_2));
                    store(2, _mm256_permute2f128_pd::<0x31>(low, low_2));
                    store(3, _mm256_permute2f128_pd::<0x31>(high, high_2));
                } else {
                    let [mut a, mut b, mut c, mut d] =
                        [0, 1, 2, 3].map(|next| _mm_loadu_ps(from(row + next, column).cast()));
                    _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
                    for (next, four) in [a, b, c, d].into_iter().enumerate() {
                        _mm_storeu_ps(to(row, column + next).cast(), four);
                    }
                }
            }
            for row in whole_height..height {
                (column..column + 4).for_each(|column| to(row, column).write(from(row, column).read()));
            }
        }
        for column in whole_width..width {
            (0..height).for_each(|row| to(row, column).write(from(row, column).read()));
        }
    }
}

/// Copies bytes, large ranges on all threads: one thread alone does not use a processor's memory bandwidth, and
/// pages that are touched for the first time cost more than the copy.
///
/// # Safety
///
/// The source must be readable and the target writable for `count` bytes, without overlap.
pub(super) unsafe fn bytes(source: *const u8, target: *mut u8, count: usize) {
    let (source, target) = (Shared(source.cast_mut()), Shared(target));
    pool::split(count, 1 << 20, &|range| {
        // SAFETY: the caller's promise; each byte belongs to one task.
        unsafe {
            std::ptr::copy_nonoverlapping(source.get().add(range.start), target.get().add(range.start), range.len())
        };
    });
}

/// Copies a host array's elements to `target` in row-major order.
///
/// # Safety
///
/// `target` must have room for all elements and be aligned for the dtype.
unsafe fn pack(host: &HostView<'_>, target: *mut u8) {
    let layout = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if layout.size() > 0 {
        // SAFETY: the view's elements are borrowed; the caller vouches for the target.
        unsafe { copy(host.dtype, host.pointer, &layout, target, &Layout::contiguous(&host.shape)) };
    }
}

/// A host array's elements in row-major order, unless they lie so already. (`u64` for the alignment.)
pub fn packed(host: &HostView<'_>) -> Option<Vec<u64>> {
    let layout = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if layout.is_contiguous() {
        return None;
    }
    let mut elements = vec![0u64; (layout.size() * host.dtype.size()).div_ceil(8)];
    // SAFETY: the vector has room, and an alignment that suits every dtype.
    unsafe { pack(host, elements.as_mut_ptr().cast()) };
    Some(elements)
}

/// Writes a host array repeated along each axis, in row-major order; one repetition per axis.
///
/// # Safety
///
/// `target` must have room for all elements and be aligned for the dtype.
pub unsafe fn tile(host: &HostView<'_>, repetitions: &[usize], target: *mut u8) {
    // Each axis becomes two, the repetition and the position in the tile; the source repeats along the first.
    let shape: Vec<usize> = repetitions.iter().zip(&host.shape).flat_map(|(&count, &length)| [count, length]).collect();
    if shape.contains(&0) {
        return;
    }
    let strides = host.strides.iter().flat_map(|&stride| [0, stride]).collect();
    let out = Layout::contiguous(&shape);
    let source = Layout { shape, strides, offset: 0 };
    // SAFETY: the view's elements are borrowed; the caller vouches for the target.
    unsafe { copy(host.dtype, host.pointer, &source, target, &out) };
}

/// Copies a host array's elements to where a layout of the same shape puts them.
///
/// # Safety
///
/// The layout must lie within memory that nothing else accesses, aligned for the dtype, from `target` on.
pub unsafe fn place(host: &HostView<'_>, target: *mut u8, layout: &Layout) {
    let source = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if source.size() > 0 {
        let target = target.wrapping_add(layout.offset * host.dtype.size());
        // SAFETY: the view's elements are borrowed; the caller vouches for the target.
        unsafe { copy(host.dtype, host.pointer, &source, target, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_copies_of_all_sizes_are_where_they_belong() {
        fn check<T: Copy + PartialEq + std::fmt::Debug>(dtype: DType, number: impl Fn(usize) -> T) {
            for [depth, rows, columns] in [[1, 32, 32], [1, 33, 100], [3, 70, 41], [2, 500, 64]] {
                let source: Vec<T> = (0..depth * rows * columns).map(&number).collect();
                let from = Layout::contiguous(&[depth, rows, columns]);
                // Columns are apart by more than their length, and in reverse order; at the end are the first column's elements.
                let apart = rows + 3;
                let strides = vec![(apart * columns) as isize, 1, -(apart as isize)];
                let to = Layout { shape: vec![depth, rows, columns], strides, offset: 0 };
                assert_eq!(transposed(&from, &to), Some([2, 1]));
                let nothing = number(usize::MAX);
                let mut out = vec![nothing; depth * apart * columns];
                let last = (columns - 1) * apart;
                // SAFETY: both vectors have the elements of their layouts, that of index zero of `out` is in the last column's place.
                unsafe {
                    let start = out.as_mut_ptr().add(last).cast();
                    copy(dtype, source.as_ptr().cast(), &from, start, &to);
                }
                for (index, &found) in out.iter().enumerate() {
                    let (plane, rest) = (index / (apart * columns), index % (apart * columns));
                    let (column, row) = (columns - 1 - rest / apart, rest % apart);
                    let expected = if row < rows { source[(plane * rows + row) * columns + column] } else { nothing };
                    assert_eq!(found, expected, "{dtype} {depth} {rows} {columns} {index}");
                }
            }
        }
        check(DType::U8, |index| index as u8);
        check(DType::I32, |index| index as i32);
        check(DType::U64, |index| index as u64);
        check(DType::C64, |index| [index as u32, !0]);
        check(DType::C128, |index| [index as u64, 7]);
    }
}
