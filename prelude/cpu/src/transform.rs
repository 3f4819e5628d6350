//! Fourier transforms along any axes of contiguous arrays: one axis after the other, its lines spread over the threads.
//!
//! The lines' own transforms are those of `realfft` and `rustfft`, which choose vector instructions at run time.

pub(super) mod waves;

use super::memory::{Memory, Scratch};
use super::numeric::{Native, Shared};
use super::{copy, pool};
use num_complex::Complex;
use realfft::{ComplexToReal, FftNum, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftPlanner};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use warpcell_base::backend::Layout;
use warpcell_base::error::Result;

/// Points that are not worth a second thread.
const GRAIN: usize = 1 << 14;
/// Lines of an axis that is not the last which are transformed together: neighbours lie in one cache line.
const COLUMNS: usize = 8;
/// Points of short lines that are transformed together.
const TOGETHER: usize = 1 << 11;

/// Plans of transforms, which are kept.
pub(super) struct Planners<T: FftNum> {
    pub real: RealFftPlanner<T>,
    pub complex: FftPlanner<T>,
}

/// The floats.
pub(super) trait Real: Native + FftNum {
    fn planners<R>(plan: impl FnOnce(&mut Planners<Self>) -> R) -> R;
}

macro_rules! reals {
    ($($type:ty)*) => {$(
        impl Real for $type {
            fn planners<R>(plan: impl FnOnce(&mut Planners<Self>) -> R) -> R {
                static PLANNERS: OnceLock<Mutex<Planners<$type>>> = OnceLock::new();
                let new = || Mutex::new(Planners { real: RealFftPlanner::new(), complex: FftPlanner::new() });
                plan(&mut PLANNERS.get_or_init(new).lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    )*};
}
reals!(f32 f64);

/// An array: its start, its shape, and whether its elements are complex numbers, else real ones.
pub(super) type Array<'a> = (*mut u8, &'a Layout, bool);

/// What is to be computed; see [`Operation::Transform`](warpcell_base::backend::Operation::Transform).
pub(super) struct Job<'a> {
    pub axes: &'a [usize],
    pub is_inverse: bool,
    pub scale: f64,
    pub destroys: bool,
}

/// Computes a transform of arrays whose parts are `T`.
///
/// # Safety
///
/// Both arrays must be memory that nothing else accesses, without overlap, of layouts as the operation states.
pub(super) unsafe fn transform<T: Real>(transform: Job<'_>, x: Array<'_>, out: Array<'_>) -> Result<()>
where
    Complex<T>: Native,
{
    let (&last, others) = transform.axes.split_last().expect("an axis");
    let direction = if transform.is_inverse { FftDirection::Inverse } else { FftDirection::Forward };
    let (shape, out_shape) = (&x.1.shape[..], &out.1.shape[..]);
    let scale = T::from_f64(transform.scale).expect("a float");
    let scale_of = |is_final: bool| if is_final { scale } else { T::one() };
    // SAFETY (of all passes): the caller's promise; the lines are those of arrays of these shapes.
    match (x.2, out.2) {
        (true, true) => {
            let (mut from, to) = (x.0.cast(), out.0.cast());
            for (number, &axis) in transform.axes.iter().rev().enumerate() {
                let lines = Lines::new(shape, shape[axis], axis);
                // SAFETY: see above.
                unsafe { complex::<T>(from, to, &lines, direction, scale_of(number == others.len())) }?;
                from = to;
            }
        }
        (false, true) => {
            let to = out.0.cast();
            let mut lines = Lines::new(shape, out_shape[last], last);
            if (shape.len(), last) == (2, 1) {
                lines.apart = x.1.strides[0].unsigned_abs();
            }
            // SAFETY: see above.
            unsafe { from_real::<T>(x.0.cast(), to, &lines, scale_of(others.is_empty())) }?;
            for (number, &axis) in others.iter().enumerate() {
                let lines = Lines::new(out_shape, out_shape[axis], axis);
                // SAFETY: see above.
                unsafe { complex::<T>(to, to, &lines, direction, scale_of(number + 1 == others.len())) }?;
            }
        }
        (true, false) => {
            let mut from: *mut Complex<T> = x.0.cast();
            let keeps = !others.is_empty() && !transform.destroys;
            let between = Memory::new(if keeps { x.1.size() * size_of::<Complex<T>>() } else { 0 })?;
            for &axis in others {
                let lines = Lines::new(shape, shape[axis], axis);
                let to = if keeps { between.start().cast() } else { from };
                // SAFETY: see above; there is memory for as many numbers as `x` has.
                unsafe { complex::<T>(from, to, &lines, direction, T::one()) }?;
                from = to;
            }
            let mut lines = Lines::new(shape, out_shape[last], last);
            lines.destroys = transform.destroys || keeps;
            // SAFETY: see above.
            unsafe { to_real::<T>(from, out.0.cast(), &lines, scale) }?;
        }
        (false, false) => unreachable!("one of the arrays is complex"),
    }
    Ok(())
}

/// The lines along one axis of an array, and of one that differs in the length of that axis.
struct Lines {
    /// The number of blocks.
    before: usize,
    /// The number of lines of a block, and how many elements apart the neighbours of a line are.
    inner: usize,
    /// Elements of a line that is read.
    source: usize,
    /// How many elements apart lines of neighbours that are read begin.
    apart: usize,
    /// Elements of a line that is written.
    target: usize,
    /// Whether lines may be destroyed where they are read.
    destroys: bool,
}

impl Lines {
    fn new(shape: &[usize], target: usize, axis: usize) -> Lines {
        let inner = shape[axis + 1..].iter().product();
        let (before, source) = (shape[..axis].iter().product(), shape[axis]);
        Lines { before, inner, source, apart: source, target, destroys: false }
    }
}

/// Shares out work that may fail: as [`pool::split`].
fn split(total: usize, grain: usize, work: &(dyn Fn(Range<usize>) -> Result<()> + Sync)) -> Result<()> {
    let failure = OnceLock::new();
    pool::split(total, grain, &|range| {
        if let Err(error) = work(range) {
            // One error says enough.
            let _ = failure.set(error);
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

/// Computes some lines, one behind the other, of as many; it may destroy what it reads.
type Step<S, D> = Box<dyn FnMut(&mut [S], &mut [D])>;
/// Makes what a task works with.
type Work<'a, S, D> = dyn Fn() -> Result<Step<S, D>> + Sync + 'a;

/// Computes all lines.
///
/// # Safety
///
/// Both must be memory of all lines that nothing else accesses; they may be the same if lines have one length and type.
unsafe fn each<S: Native, D: Native>(
    source: *const S,
    target: *mut D,
    lines: &Lines,
    work: &Work<'_, S, D>,
) -> Result<()> {
    let &Lines { inner, source: from, target: to, destroys, .. } = lines;
    let (source, target) = (Shared(source.cast_mut()), Shared(target));
    if inner == 1 {
        return following(lines, &|groups, most| {
            let mut work = work()?;
            let mut buffer = Scratch::<S>::new(if destroys { 0 } else { from * most })?;
            for (start, first, count) in groups {
                // SAFETY: lines that follow one another, which belong to one task; those that may be the same in both arrays are
                // copied before they are written.
                unsafe {
                    let start = source.get().add(start);
                    let read = if destroys {
                        std::slice::from_raw_parts_mut(start, count * from)
                    } else {
                        let bytes = count * from * size_of::<S>();
                        copy::bytes(start.cast(), buffer.as_mut_ptr().cast(), bytes);
                        &mut buffer[..count * from]
                    };
                    work(read, std::slice::from_raw_parts_mut(target.get().add(first * to), count * to));
                }
            }
            Ok(())
        });
    }
    let (pitch, out_pitch) = (pitch(from), pitch(to));
    neighbours(lines, &|groups| {
        let mut work = work()?;
        let (mut read, mut written) = (Scratch::<S>::new(pitch * COLUMNS)?, Scratch::<D>::new(out_pitch * COLUMNS)?);
        for (block, column, count) in groups {
            // SAFETY: elements of lines that belong to one task; all are copied before any is written.
            unsafe { load(source.get().add(block * from * inner + column), inner, (from, count), &mut read) };
            for (read, written) in read.chunks_mut(pitch).zip(written.chunks_mut(out_pitch)).take(count) {
                work(&mut read[..from], &mut written[..to]);
            }
            // SAFETY: as above.
            unsafe { store(target.get().add(block * to * inner + column), inner, (to, count), &written) };
        }
        Ok(())
    })
}

/// Some lines: two numbers that say which is the first one, and how many they are.
type Group = (usize, usize, usize);
/// Computes groups of lines.
type Groups<'a> = &'a mut dyn Iterator<Item = Group>;

/// Shares out the lines along the last axis: where the first line of a group is read, its number, and how many lines it has. The work
/// also gets how many these are at most.
fn following(lines: &Lines, work: &(dyn Fn(Groups<'_>, usize) -> Result<()> + Sync)) -> Result<()> {
    let &Lines { before, source, apart, target, .. } = lines;
    let longer = source.max(target);
    let together = if apart == source { (TOGETHER / longer).clamp(1, before.max(1)) } else { 1 };
    split(before.div_ceil(together), GRAIN.div_ceil(longer * together), &|range| {
        let groups =
            range.map(|group| (group * together * apart, group * together, together.min(before - group * together)));
        work(&mut { groups }, together)
    })
}

/// Shares out the lines along an axis that is not the last: neighbouring lines, by their block and the first one.
fn neighbours(lines: &Lines, work: &(dyn Fn(Groups<'_>) -> Result<()> + Sync)) -> Result<()> {
    let across = lines.inner.div_ceil(COLUMNS);
    let grain = GRAIN.div_ceil(lines.source.max(lines.target) * COLUMNS);
    split(lines.before * across, grain, &|range| {
        work(&mut range.map(|group| {
            let column = group % across * COLUMNS;
            (group / across, column, COLUMNS.min(lines.inner - column))
        }))
    })
}

/// How far apart lines are in a buffer: a cache line more where they would compete for the same places in the cache.
fn pitch(length: usize) -> usize {
    if length.is_multiple_of(64) { length + 8 } else { length }
}

/// Copies neighbouring lines, whose elements are `inner` apart, to a buffer.
///
/// # Safety
///
/// The lines must begin at `start`.
unsafe fn load<T: Copy>(start: *const T, inner: usize, (length, count): (usize, usize), buffer: &mut [T]) {
    let pitch = pitch(length);
    assert!(count <= COLUMNS && buffer.len() >= COLUMNS * pitch);
    for row in 0..length {
        // SAFETY: the caller's promise, and the assertion.
        unsafe {
            let (from, to) = (start.add(row * inner), buffer.as_mut_ptr().add(row));
            // Unrolled where it can be: what limits is how many elements are on their way.
            if count == COLUMNS {
                (0..COLUMNS).for_each(|line| to.add(line * pitch).write(from.add(line).read()));
            } else {
                (0..count).for_each(|line| to.add(line * pitch).write(from.add(line).read()));
            }
        }
    }
}

/// The opposite of [`load`].
///
/// # Safety
///
/// As for [`load`]; nothing else may access the lines.
unsafe fn store<T: Copy>(start: *mut T, inner: usize, (length, count): (usize, usize), buffer: &[T]) {
    let pitch = pitch(length);
    assert!(count <= COLUMNS && buffer.len() >= COLUMNS * pitch);
    for row in 0..length {
        // SAFETY: the caller's promise, and the assertion.
        unsafe {
            let (from, to) = (buffer.as_ptr().add(row), start.add(row * inner));
            if count == COLUMNS {
                (0..COLUMNS).for_each(|line| to.add(line).write(from.add(line * pitch).read()));
            } else {
                (0..count).for_each(|line| to.add(line).write(from.add(line * pitch).read()));
            }
        }
    }
}

fn scaled<T: Real>(numbers: &mut [Complex<T>], scale: T) {
    if scale != T::one() {
        numbers.iter_mut().for_each(|number| *number = Complex { re: number.re * scale, im: number.im * scale });
    }
}

/// # Safety
///
/// As for [`each`].
unsafe fn complex<T: Real>(
    source: *const Complex<T>,
    target: *mut Complex<T>,
    lines: &Lines,
    direction: FftDirection,
    scale: T,
) -> Result<()>
where
    Complex<T>: Native,
{
    let length = lines.source;
    let plan: Arc<dyn Fft<T>> = T::planners(|planners| planners.complex.plan_fft(length, direction));
    if lines.inner > 1 {
        let (source, target) = (Shared(source.cast_mut()), Shared(target));
        return neighbours(lines, &|groups| {
            let mut scratch = Scratch::new(plan.get_inplace_scratch_len())?;
            let mut buffer = Scratch::new(pitch(length) * COLUMNS)?;
            for (block, column, count) in groups {
                let first = block * length * lines.inner + column;
                // SAFETY: elements of lines that belong to one task; all are copied before any is written.
                unsafe { load(source.get().add(first), lines.inner, (length, count), &mut buffer) };
                for line in buffer.chunks_mut(pitch(length)).take(count) {
                    plan.process_with_scratch(&mut line[..length], &mut scratch);
                    scaled(&mut line[..length], scale);
                }
                // SAFETY: as above.
                unsafe { store(target.get().add(first), lines.inner, (length, count), &buffer) };
            }
            Ok(())
        });
    }
    let work = || -> Result<Step<Complex<T>, Complex<T>>> {
        let plan = plan.clone();
        let mut scratch = Scratch::new(plan.get_outofplace_scratch_len())?;
        Ok(Box::new(move |read, written| {
            plan.process_outofplace_with_scratch(read, written, &mut scratch);
            scaled(written, scale);
        }))
    };
    // SAFETY: the caller's promise.
    unsafe { each(source, target, lines, &work) }
}

/// Lines of all numbers of a spectrum, or of its first half.
///
/// # Safety
///
/// As for [`each`].
unsafe fn from_real<T: Real>(source: *const T, target: *mut Complex<T>, lines: &Lines, scale: T) -> Result<()>
where
    Complex<T>: Native,
{
    let (length, numbers) = (lines.source, lines.target);
    let half = length / 2 + 1;
    let plan: Arc<dyn RealToComplex<T>> = T::planners(|planners| planners.real.plan_fft_forward(length));
    let work = || -> Result<Step<T, Complex<T>>> {
        let plan = plan.clone();
        let mut scratch = Scratch::new(plan.get_scratch_len())?;
        Ok(Box::new(move |read, written| {
            for (read, written) in read.chunks_exact_mut(length).zip(written.chunks_exact_mut(numbers)) {
                let (first, rest) = written.split_at_mut(half);
                plan.process_with_scratch(read, first, &mut scratch).expect("the plan's lengths");
                scaled(first, scale);
                if !rest.is_empty() {
                    mirror(&first[1..], rest);
                }
            }
        }))
    };
    // SAFETY: the caller's promise.
    unsafe { each(source, target, lines, &work) }
}

/// Writes the conjugates of the numbers in reverse, of the last one of an even spectrum's half not.
fn mirror<T: Real>(numbers: &[Complex<T>], rest: &mut [Complex<T>]) {
    let numbers = &numbers[..rest.len()];
    let rest = Shared(rest.as_mut_ptr());
    pool::split(numbers.len(), GRAIN, &|range| {
        // SAFETY: as many as there are numbers, and each belongs to one task.
        let part = unsafe { std::slice::from_raw_parts_mut(rest.get().add(range.start), range.len()) };
        let numbers = &numbers[numbers.len() - range.end..numbers.len() - range.start];
        part.iter_mut().zip(numbers.iter().rev()).for_each(|(out, number)| *out = number.conj());
    });
}

/// # Safety
///
/// As for [`each`].
unsafe fn to_real<T: Real>(source: *const Complex<T>, target: *mut T, lines: &Lines, scale: T) -> Result<()>
where
    Complex<T>: Native,
{
    let (half, length) = (lines.source, lines.target);
    let plan: Arc<dyn ComplexToReal<T>> = T::planners(|planners| planners.real.plan_fft_inverse(length));
    let work = || -> Result<Step<Complex<T>, T>> {
        let plan = plan.clone();
        let mut scratch = Scratch::new(plan.get_scratch_len())?;
        Ok(Box::new(move |read, written| {
            for (read, written) in read.chunks_exact_mut(half).zip(written.chunks_exact_mut(length)) {
                // What would make the result complex is not looked at, as NumPy does not.
                read[0].im = T::zero();
                if length.is_multiple_of(2) {
                    read[half - 1].im = T::zero();
                }
                plan.process_with_scratch(read, written, &mut scratch).expect("the plan's lengths, and real ends");
                if scale != T::one() {
                    written.iter_mut().for_each(|value| *value = *value * scale);
                }
            }
        }))
    };
    // SAFETY: the caller's promise.
    unsafe { each(source, target, lines, &work) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type C = Complex<f64>;

    /// One term after the other, as the definition says, along one axis.
    fn along(data: &[C], shape: &[usize], axis: usize, sign: f64) -> Vec<C> {
        let (length, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        (0..data.len())
            .map(|index| {
                let (k, start) = (index / inner % length, index / (inner * length) * inner * length + index % inner);
                let term = |n: usize| {
                    let angle = sign * std::f64::consts::TAU * (k * n % length) as f64 / length as f64;
                    data[start + n * inner] * Complex::from_polar(1.0, angle)
                };
                (0..length).map(term).sum()
            })
            .collect()
    }

    fn run<S, D: Default + Clone>(
        axes: &[usize],
        is_inverse: bool,
        (x, shape, x_is_complex): (&[S], &[usize], bool),
        (out_shape, out_is_complex): (&[usize], bool),
    ) -> Vec<D> {
        let (layout, out_layout) = (Layout::contiguous(shape), Layout::contiguous(out_shape));
        let mut out = vec![D::default(); out_layout.size()];
        let from = (x.as_ptr().cast_mut().cast(), &layout, x_is_complex);
        let to = (out.as_mut_ptr().cast(), &out_layout, out_is_complex);
        // SAFETY: the vectors have the elements; `x` is only read.
        unsafe { transform::<f64>(Job { axes, is_inverse, scale: 0.5, destroys: false }, from, to).unwrap() };
        out
    }

    fn near(found: &[C], expected: &[C], what: &dyn Fn() -> String) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).norm() < 1e-10, "{}: {found}, not {expected}", what());
        }
    }

    #[test]
    fn transforms_along_all_axes_are_the_sums_by_definition() {
        let shapes: [&[usize]; 9] = [&[1], &[2], &[7], &[12], &[1, 5], &[6, 4], &[5, 1, 3], &[3, 4, 10], &[2, 3, 2, 9]];
        for shape in shapes {
            let size: usize = shape.iter().product();
            let wave = |index: usize| ((index * index * 7 + 3) % 19) as f64 - 9.0;
            let x: Vec<C> = (0..size).map(|index| Complex::new(wave(index), wave(index + 5))).collect();
            let real: Vec<f64> = x.iter().map(|number| number.re).collect();
            let lifted: Vec<C> = real.iter().map(|&x| Complex::new(x, 0.0)).collect();
            let axes: Vec<usize> = (0..shape.len()).collect();
            let mut choices: Vec<Vec<usize>> = axes.iter().map(|&axis| vec![axis]).collect();
            choices.push(axes.clone());
            choices.push(axes.into_iter().rev().collect());
            for axes in choices {
                let what = || format!("{axes:?} of {shape:?}");
                let by_definition = |data: &[C], sign: f64| -> Vec<C> {
                    axes.iter().fold(data.iter().map(|x| x * 0.5).collect(), |data: Vec<C>, &axis| {
                        along(&data, shape, axis, sign)
                    })
                };
                let forward = by_definition(&x, -1.0);
                near(&run(&axes, false, (&x, shape, true), (shape, true)), &forward, &what);
                near(&run(&axes, true, (&x, shape, true), (shape, true)), &by_definition(&x, 1.0), &what);
                let all = by_definition(&lifted, -1.0);
                near(&run(&axes, false, (&real, shape, false), (shape, true)), &all, &what);

                let last = *axes.last().unwrap();
                let (length, inner) = (shape[last], shape[last + 1..].iter().product::<usize>());
                let mut halved = shape.to_vec();
                halved[last] = length / 2 + 1;
                let is_kept = |index: &usize| index / inner % length <= length / 2;
                let half: Vec<C> = (0..size).filter(is_kept).map(|index| all[index]).collect();
                near(&run(&axes, false, (&real, shape, false), (&halved, true)), &half, &what);
                let back: Vec<f64> = run(&axes, true, (&half, &halved, true), (shape, false));
                let count = axes.iter().map(|&axis| shape[axis]).product::<usize>() as f64;
                for (back, x) in back.iter().zip(&real) {
                    assert!((back * 4.0 / count - x).abs() < 1e-12, "{}", what());
                }
            }
        }
    }

    #[test]
    fn many_short_lines_and_one_long_line() {
        let x: Vec<C> = (0..30_000).map(|index| Complex::new((index % 7) as f64, (index % 3) as f64)).collect();
        let expected = along(&x[29_997..].iter().map(|x| x * 0.5).collect::<Vec<C>>(), &[3], 0, -1.0);
        let found: Vec<C> = run(&[1], false, (&x, &[10_000, 3], true), (&[10_000, 3], true));
        near(&found[29_997..], &expected, &|| "short lines".into());
        let forth: Vec<C> = run(&[0], false, (&x, &[30_000], true), (&[30_000], true));
        let back: Vec<C> = run(&[0], true, (&forth, &[30_000], true), (&[30_000], true));
        for (back, x) in back.iter().zip(&x) {
            assert!((back * (4.0 / 30_000.0) - x).norm() < 1e-11);
        }
    }
}
