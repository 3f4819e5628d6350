//! The product of two vectors: leaves of some hundred products summed in vector lanes, joined pairwise.
//!
//! As for reductions, the length alone decides how the work is cut, so that results are the same on every machine.

use super::complex::Conjugated;
use super::matmul::Ring;
use super::numeric::{Isa, Shared, for_dtype};
use super::pool;
use super::reduce::{Cascade, LANES, LEAF, TASK, Terms, joined};
use num_complex::Complex;
use std::mem::MaybeUninit;
use warpcell_base::dtype::DType;

/// Writes the sum of the products of two vectors, each given by its first element and how many elements apart its
/// elements are. With `conjugates` the elements are complex, and those of `a` are conjugated.
///
/// # Safety
///
/// Both must describe `length` elements in memory that nothing else writes to, and `out` must have room for one.
pub unsafe fn dot(
    dtype: DType,
    a: (*const u8, isize),
    b: (*const u8, isize),
    length: usize,
    conjugates: bool,
    out: *mut u8,
) {
    macro_rules! write {
        ($T:ty) => {
            // SAFETY: the caller's promise; conjugates lie in memory as complex numbers do.
            unsafe {
                let sum = vectors::<$T>((a.0.cast(), a.1), (b.0.cast(), b.1), length);
                out.cast::<$T>().write(sum);
            }
        };
    }
    match (dtype, conjugates) {
        (DType::C64, false) => write!(Complex<f32>),
        (DType::C128, false) => write!(Complex<f64>),
        (DType::C64, true) => write!(Conjugated<f32>),
        (DType::C128, true) => write!(Conjugated<f64>),
        (dtype, _) => for_dtype!(dtype, T => write!(T)),
    }
}

/// # Safety
///
/// As for [`dot`].
unsafe fn vectors<T: Ring>(a: (*const T, isize), b: (*const T, isize), length: usize) -> T {
    let tasks = length.div_ceil(TASK);
    let mut partial = vec![T::default(); tasks];
    let parts = Shared(partial.as_mut_ptr());
    let starts = (Shared(a.0.cast_mut()), Shared(b.0.cast_mut()));
    pool::split(tasks, 1, &|range| {
        for task in range {
            let first = task * TASK;
            let count = TASK.min(length - first);
            let at =
                |start: Shared<T>, stride: isize| start.get().cast_const().wrapping_offset(first as isize * stride);
            // SAFETY: the task's elements are among the vectors', and each task has its own place.
            unsafe {
                let sum = part::<T>((at(starts.0, a.1), a.1), (at(starts.1, b.1), b.1), count);
                parts.get().add(task).write(sum);
            }
        }
    });
    let mut cascade = Cascade::<Terms<T>>::new();
    partial.into_iter().for_each(|sum| cascade.push(sum));
    cascade.total()
}

/// The sum of as many products as two vectors have elements, or as one task takes of them. All leaves in one function: a call for each of
/// them would take a quarter of the time. With AVX-512 a row that comes from the third-level cache takes a tenth less, of `f32` an
/// eighth.
///
/// # Safety
///
/// As for [`dot`].
pub(super) unsafe fn part<T: Ring>(a: (*const T, isize), b: (*const T, isize), length: usize) -> T {
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2<T: Ring>(a: (*const T, isize), b: (*const T, isize), length: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { part_in_lanes(a, b, length) }
    }
    #[target_feature(enable = "avx512f,avx512vl,fma")]
    unsafe fn avx512<T: Ring>(a: (*const T, isize), b: (*const T, isize), length: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { part_in_lanes(a, b, length) }
    }
    // SAFETY: the caller's promise; the processor has the instructions.
    unsafe {
        match Isa::detected() {
            Isa::Sse2 => part_in_lanes(a, b, length),
            Isa::Avx2 => avx2(a, b, length),
            Isa::Avx512 => avx512(a, b, length),
        }
    }
}

/// # Safety
///
/// As for [`dot`].
#[inline(always)]
unsafe fn part_in_lanes<T: Ring>(a: (*const T, isize), b: (*const T, isize), length: usize) -> T {
    if length <= 2 * LEAF && (a.1, b.1) == (1, 1) {
        // As a cascade adds them, without what it keeps: that takes a fifth of the time of a row of a matrix.
        let mut sum: Option<T> = None;
        for first in (0..length).step_by(LEAF) {
            let count = LEAF.min(length - first);
            // SAFETY: the elements are among the vectors', and they follow one another.
            let (a, b) = unsafe {
                (std::slice::from_raw_parts(a.0.add(first), count), std::slice::from_raw_parts(b.0.add(first), count))
            };
            let product = T::sum_of_products(a, b);
            sum = Some(sum.map_or(product, |earlier| earlier.plus(product)));
        }
        return sum.unwrap_or_default();
    }
    let mut cascade = Cascade::<Terms<T>>::new();
    // Not cleared, which takes as long as the sum of a short vector.
    let mut room = [const { [MaybeUninit::uninit(); LEAF] }; 2];
    for first in (0..length).step_by(LEAF) {
        let count = LEAF.min(length - first);
        let [room_a, room_b] = &mut room;
        // SAFETY: the elements are among the vectors'.
        let (a, b) = unsafe { (leaf_of(a, first, count, room_a), leaf_of(b, first, count, room_b)) };
        cascade.push(T::sum_of_products(a, b));
    }
    cascade.total()
}

/// Elements of a vector, copied together if they are not neighbours.
///
/// # Safety
///
/// The vector has them, and nothing writes to them meanwhile.
#[inline(always)]
unsafe fn leaf_of<T: Ring>(
    vector: (*const T, isize),
    first: usize,
    count: usize,
    room: &mut [MaybeUninit<T>; LEAF],
) -> &[T] {
    let (start, stride) = vector;
    let start = start.wrapping_offset(first as isize * stride);
    if stride == 1 {
        // SAFETY: the caller's promise.
        return unsafe { std::slice::from_raw_parts(start, count) };
    }
    let room = &mut room[..count];
    for (index, element) in room.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        element.write(unsafe { start.offset(index as isize * stride).read() });
    }
    // SAFETY: all of them were written.
    unsafe { room.assume_init_ref() }
}

/// How many products [`lanes`] adds side by side: sums of `f64` in four registers of AVX-512, since one addition after the other into one
/// or two of them takes longer than to read the elements.
const SIDE_BY_SIDE: usize = 2 * LANES;

/// The sum of products of elements that follow one another, by whatever instructions the caller is compiled for.
#[inline(always)]
pub(super) fn lanes<T: Ring>(a: &[T], b: &[T]) -> T {
    let mut lanes = [T::default(); SIDE_BY_SIDE];
    let ((chunks_a, mut a), (chunks_b, mut b)) = (a.as_chunks::<SIDE_BY_SIDE>(), b.as_chunks::<SIDE_BY_SIDE>());
    for (a, b) in chunks_a.iter().zip(chunks_b) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane = lane.plus(a.times(b));
        }
    }
    let mut lanes: [T; LANES] = std::array::from_fn(|lane| lanes[lane].plus(lanes[lane + LANES]));
    // Whole registers of what is left: a loop over single elements would write them to memory.
    add_first::<T, LANES>(&mut lanes, &mut a, &mut b);
    add_first::<T, { LANES / 2 }>(&mut lanes, &mut a, &mut b);
    if !a.is_empty() {
        let mut last = [T::default(); LANES / 2];
        last.iter_mut().zip(a.iter().zip(b)).for_each(|(last, (&a, &b))| *last = a.times(b));
        lanes.iter_mut().zip(last).for_each(|(lane, last)| *lane = lane.plus(last));
    }
    joined(lanes, T::plus)
}

/// Adds the first `N` products to the first lanes, if there are as many, and leaves the others.
#[inline(always)]
fn add_first<T: Ring, const N: usize>(lanes: &mut [T; LANES], a: &mut &[T], b: &mut &[T]) {
    if let (Some((first_a, rest_a)), Some((first_b, rest_b))) = (a.split_first_chunk::<N>(), b.split_first_chunk::<N>())
    {
        for lane in 0..N {
            lanes[lane] = lanes[lane].plus(first_a[lane].times(first_b[lane]));
        }
        (*a, *b) = (rest_a, rest_b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: Ring>(dtype: DType, a: &[T], b: &[T], strides: [isize; 2], length: usize) -> T {
        let start = |values: &[T], stride: isize| {
            let first = if stride < 0 { (length - 1) * stride.unsigned_abs() } else { 0 };
            (values[first..].as_ptr().cast::<u8>(), stride)
        };
        let mut out = T::default();
        // SAFETY: the vectors have the elements; `out` has room for one.
        unsafe { dot(dtype, start(a, strides[0]), start(b, strides[1]), length, false, (&raw mut out).cast()) };
        out
    }

    #[test]
    fn sums_of_products_at_all_lengths_and_strides() {
        let a: Vec<i64> = (0..400_000).map(|index| (index * 7919) % 1013 - 500).collect();
        let b: Vec<i64> = (0..400_000).map(|index| (index * 104_729) % 997 - 300).collect();
        for length in [1, 2, 15, 16, 17, LEAF, LEAF + 1, TASK - 1, TASK + 3, 3 * TASK + 100] {
            for strides in [[1, 1], [1, 2], [-1, 1], [2, -2]] {
                let at = |values: &[i64], stride: isize, index: usize| {
                    let place = if stride < 0 { length - 1 - index } else { index };
                    values[place * stride.unsigned_abs()]
                };
                let terms = (0..length).map(|index| at(&a, strides[0], index) * at(&b, strides[1], index));
                assert_eq!(of(DType::I64, &a, &b, strides, length), terms.sum::<i64>(), "{length} {strides:?}");
            }
        }
    }

    #[test]
    fn float_sums_do_not_lose_more_with_length() {
        // Each product is about a third; added one after the other in f32, such a sum stops growing.
        let (a, b) = (vec![0.57f32; 20_000_000], vec![0.58f32; 20_000_000]);
        let (found, expected) =
            (f64::from(of(DType::F32, &a, &b, [1, 1], a.len())), 20e6 * 0.57f32 as f64 * 0.58f32 as f64);
        assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
    }
}
