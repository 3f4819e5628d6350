//! Cosine and sine transforms of the types 1 to 4: what comes before and after the Fourier transform of a line is done while the line is
//! in the cache. The formulas are those of `prelude/src/fft/cosines.rs`.

use super::super::memory::Scratch;
use super::super::numeric::{Native, Shared};
use super::{COLUMNS, GRAIN, Lines, Real, load, neighbours, pitch, split, store};
use num_complex::Complex;
use realfft::{ComplexToReal, RealToComplex};
use rustfft::{Fft, FftDirection};
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};
use std::sync::Arc;
use warpcell_base::backend::loops::WaveKind;
use warpcell_base::error::Result;

/// The Fourier transform of a line.
enum Plan<T: Real> {
    ToHalf(Arc<dyn RealToComplex<T>>),
    FromHalf(Arc<dyn ComplexToReal<T>>),
    Complex(Arc<dyn Fft<T>>),
}

/// What is the same for all lines.
struct Wave<T: Real> {
    kind: WaveKind,
    /// The numbers of a line.
    length: usize,
    /// The real numbers and the complex ones that a line is transformed by.
    reals: usize,
    numbers: usize,
    plan: Plan<T>,
    /// By what complex numbers are multiplied before they are transformed, and after.
    before: Vec<Complex<T>>,
    after: Vec<Complex<T>>,
    scale: T,
}

fn real<T: Real>(value: f64) -> T {
    T::from_f64(value).expect("a float")
}

/// `scale` times numbers of absolute value 1, whose angles begin with `first` and differ by `step`. Each is the product of two: sines of
/// all angles would take as long as the Fourier transform of a long line.
fn turns<T: Real>(count: usize, [first, step, scale]: [f64; 3]) -> Vec<Complex<T>> {
    let turn = |angle: f64, scale: f64| Complex::from_polar(scale, angle);
    let each = count.isqrt().max(1);
    let fine: Vec<Complex<f64>> = (0..each).map(|at| turn(step * at as f64, 1.0)).collect();
    let mut turns = Vec::with_capacity(count + each);
    for start in (0..count).step_by(each) {
        let coarse = turn(first + step * start as f64, scale);
        turns.extend(fine.iter().map(|fine| {
            let product = coarse * fine;
            Complex::new(real(product.re), real(product.im))
        }));
    }
    turns.truncate(count);
    turns
}

impl<T: Real> Wave<T> {
    fn new(kind: WaveKind, length: usize) -> Wave<T> {
        let quarter = PI / (4 * length) as f64;
        let is_even = length.is_multiple_of(2);
        let half = length / 2 + 1;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let (reals, numbers) = match kind.number {
            1 => {
                let reals = if kind.is_sine { 2 * (length + 1) } else { 2 * (length - 1) };
                (reals, reals / 2 + 1)
            }
            2 => {
                after = turns(half, [0.0, -2.0 * quarter, 2.0 * kind.scale]);
                (length, half)
            }
            3 => {
                before = turns(half, [0.0, 2.0 * quarter, kind.scale]);
                (length, half)
            }
            _ if is_even => {
                before = turns(length / 2, [-quarter, -4.0 * quarter, 1.0]);
                after = turns(length / 2, [0.0, -4.0 * quarter, 2.0 * kind.scale]);
                (0, length / 2)
            }
            _ => {
                before = turns(length, [-quarter, -2.0 * quarter, 1.0]);
                after = turns(length, [0.0, -2.0 * quarter, 2.0 * kind.scale]);
                (0, 2 * length)
            }
        };
        let plan = T::planners(|planners| match kind.number {
            1 | 2 => Plan::ToHalf(planners.real.plan_fft_forward(reals)),
            3 => Plan::FromHalf(planners.real.plan_fft_inverse(reals)),
            _ => Plan::Complex(planners.complex.plan_fft(numbers, FftDirection::Forward)),
        });
        Wave { kind, length, reals, numbers, plan, before, after, scale: real(kind.scale) }
    }
}

/// A line that is transformed.
struct Line<'a, T: Real>
where
    Complex<T>: Native,
{
    wave: &'a Wave<T>,
    reals: Scratch<T>,
    numbers: Scratch<Complex<T>>,
    scratch: Scratch<Complex<T>>,
}

impl<'a, T: Real> Line<'a, T>
where
    Complex<T>: Native,
{
    fn new(wave: &'a Wave<T>) -> Result<Line<'a, T>> {
        let scratch = match &wave.plan {
            Plan::ToHalf(plan) => plan.get_scratch_len(),
            Plan::FromHalf(plan) => plan.get_scratch_len(),
            Plan::Complex(plan) => plan.get_inplace_scratch_len(),
        };
        let (reals, numbers) = (Scratch::new(wave.reals)?, Scratch::new(wave.numbers)?);
        Ok(Line { wave, reals, numbers, scratch: Scratch::new(scratch)? })
    }

    /// Takes the numbers of a line.
    fn take(&mut self, x: &[T]) {
        let Wave { kind, length: n, before, .. } = self.wave;
        let (n, odd) = (*n, *n / 2);
        let at = |index: usize| if kind.is_sine { x[n - 1 - index] } else { x[index] };
        match kind.number {
            1 if kind.is_sine => {
                // 0, x, 0, -x in reverse
                let (front, behind) = self.reals.split_at_mut(n + 1);
                for (both, first) in [(front, false), (behind, true)] {
                    both[0] = T::zero();
                    if first {
                        both[1..].iter_mut().zip(x.iter().rev()).for_each(|(to, &from)| *to = -from);
                    } else {
                        both[1..].copy_from_slice(x);
                    }
                }
            }
            1 => {
                let (front, behind) = self.reals.split_at_mut(n);
                front.copy_from_slice(x);
                behind.iter_mut().zip(x[1..].iter().rev().skip(1)).for_each(|(to, &from)| *to = from);
                if kind.is_orthogonal {
                    for end in [0, n - 1] {
                        front[end] = front[end] * real(SQRT_2);
                    }
                }
            }
            2 => {
                // x0, x2, x4, …, x5, x3, x1
                let (front, behind) = self.reals.split_at_mut(n - odd);
                let (pairs, rest) = x.as_chunks::<2>();
                let both = front.iter_mut().zip(behind.iter_mut().rev()).zip(pairs);
                if kind.is_sine {
                    both.for_each(|((even, odd), pair)| (*even, *odd) = (pair[0], -pair[1]));
                } else {
                    both.for_each(|((even, odd), pair)| (*even, *odd) = (pair[0], pair[1]));
                }
                if let Some(&last) = rest.first() {
                    front[odd] = last;
                }
            }
            3 => {
                let first = if kind.is_orthogonal { at(0) * real(SQRT_2) } else { at(0) };
                self.numbers[0] = Complex::new(first * before[0].re, T::zero());
                let turned = self.numbers.iter_mut().zip(before).enumerate().skip(1);
                turned.for_each(|(k, (to, turn))| *to = Complex::new(at(k), -at(n - k)) * turn);
                if n.is_multiple_of(2) {
                    self.numbers[odd].im = T::zero();
                }
            }
            _ if n.is_multiple_of(2) => {
                let turned = self.numbers.iter_mut().zip(before).enumerate();
                turned.for_each(|(i, (to, turn))| *to = Complex::new(at(2 * i), at(n - 1 - 2 * i)) * turn);
            }
            _ => {
                let (front, behind) = self.numbers.split_at_mut(n);
                let turned = front.iter_mut().zip(before).enumerate();
                turned.for_each(|(i, (to, turn))| *to = Complex::new(turn.re * at(i), turn.im * at(i)));
                behind.fill(Complex::new(T::zero(), T::zero()));
            }
        }
    }

    fn transform(&mut self) {
        let Line { wave, reals, numbers, scratch } = self;
        match &wave.plan {
            Plan::ToHalf(plan) => plan.process_with_scratch(reals, numbers, scratch).expect("the plan's lengths"),
            Plan::FromHalf(plan) => {
                plan.process_with_scratch(numbers, reals, scratch).expect("the plan's lengths, and real ends");
            }
            Plan::Complex(plan) => plan.process_with_scratch(numbers, scratch),
        }
    }

    /// Gives the transformed numbers.
    fn give(&mut self, out: &mut [T]) {
        let Wave { kind, length: n, after, scale, .. } = self.wave;
        let (n, odd, scale) = (*n, *n / 2, *scale);
        match kind.number {
            1 if kind.is_sine => {
                out.iter_mut().zip(&self.numbers[1..]).for_each(|(to, from)| *to = -(from.im * scale));
            }
            1 => {
                out.iter_mut().zip(&*self.numbers).for_each(|(to, from)| *to = from.re * scale);
                if kind.is_orthogonal {
                    for end in [0, n - 1] {
                        out[end] = out[end] * real(FRAC_1_SQRT_2);
                    }
                }
            }
            2 => {
                let out = &mut out[..n];
                let first = self.numbers[0].re * after[0].re;
                out[0] = if kind.is_orthogonal { first * real(FRAC_1_SQRT_2) } else { first };
                let pairs = n.div_ceil(2);
                for (k, (number, turn)) in self.numbers[..pairs].iter().zip(after).enumerate().skip(1) {
                    let turned = number * turn;
                    out[k] = turned.re;
                    out[n - k] = -turned.im;
                }
                if n.is_multiple_of(2) {
                    let (number, turn) = (self.numbers[odd], after[odd]);
                    out[odd] = number.re * turn.re - number.im * turn.im;
                }
                if kind.is_sine {
                    out.reverse();
                }
            }
            3 => {
                let (front, behind) = self.reals.split_at(n - odd);
                let (pairs, rest) = out.as_chunks_mut::<2>();
                let both = front.iter().zip(behind.iter().rev()).zip(pairs);
                if kind.is_sine {
                    both.for_each(|((&even, &odd), pair)| *pair = [even, -odd]);
                } else {
                    both.for_each(|((&even, &odd), pair)| *pair = [even, odd]);
                }
                if let Some(last) = rest.first_mut() {
                    *last = front[odd];
                }
            }
            _ if n.is_multiple_of(2) => {
                for (k, (number, turn)) in self.numbers.iter().zip(after).enumerate() {
                    let turned = number * turn;
                    out[2 * k] = turned.re;
                    out[n - 1 - 2 * k] = if kind.is_sine { turned.im } else { -turned.im };
                }
            }
            _ => {
                for (k, (number, turn)) in self.numbers.iter().zip(after).enumerate() {
                    let value = number.re * turn.re - number.im * turn.im;
                    out[k] = if kind.is_sine && k % 2 == 1 { -value } else { value };
                }
            }
        }
    }
}

/// Transforms the lines along an axis; `around` has how many elements lie before it, along it and behind it.
///
/// # Safety
///
/// Both arrays have so many elements, and nothing else accesses them; they may be the same.
pub(in super::super) unsafe fn waves<T: Real>(
    kind: WaveKind,
    around: [usize; 3],
    x: *const T,
    out: *mut T,
) -> Result<()>
where
    Complex<T>: Native,
{
    let [before, length, inner] = around;
    if before * length * inner == 0 {
        return Ok(());
    }
    let wave = Wave::new(kind, length);
    let (x, out) = (Shared(x.cast_mut()), Shared(out));
    if inner == 1 {
        return split(before, GRAIN.div_ceil(length), &|range| {
            let mut line = Line::new(&wave)?;
            for row in range {
                // SAFETY: a row of this task; the slices do not live at once.
                unsafe {
                    line.take(std::slice::from_raw_parts(x.get().add(row * length), length));
                    line.transform();
                    line.give(std::slice::from_raw_parts_mut(out.get().add(row * length), length));
                }
            }
            Ok(())
        });
    }
    neighbours(&Lines::new(&around, length, 1), &|groups| {
        let mut line = Line::new(&wave)?;
        let mut buffer = Scratch::<T>::new(pitch(length) * COLUMNS)?;
        for (block, column, count) in groups {
            let first = block * length * inner + column;
            // SAFETY: elements of lines that belong to one task; all are copied before any is written.
            unsafe { load(x.get().add(first), inner, (length, count), &mut buffer) };
            for part in buffer.chunks_mut(pitch(length)).take(count) {
                line.take(&part[..length]);
                line.transform();
                line.give(&mut part[..length]);
            }
            // SAFETY: as above.
            unsafe { store(out.get().add(first), inner, (length, count), &buffer) };
        }
        Ok(())
    })
}
