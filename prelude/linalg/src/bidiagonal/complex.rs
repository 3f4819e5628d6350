//! Complex matrices made bidiagonal, in the same way as real ones.
//!
//! A column has its real parts first, then the imaginary ones: so products of complex numbers are products of vectors of floats.

use super::{Bidiagonal, VECTORS};
use crate::lanes::{LANES, Lane, as_it_is, by_instructions, fused};
use crate::steps::{self, Columns, PARTS, Steps, Together};
use crate::{Field, number};
use faer::MatMut;
use faer::reborrow::ReborrowMut;
use std::ops::Range;

/// Numbers that are computed side by side.
const GROUP: usize = 8;
/// Elements of the matrix that are worth a part of their own.
const GRAIN: usize = 1 << 12;

/// The real and the imaginary part.
type Number<T> = [T; 2];
/// Those of neighbours in a column.
type Group<T> = [[T; GROUP]; 2];

/// As [`bidiagonalise`](super::bidiagonalise), of a complex matrix: the reflections are `1 - u uᴴ / τ`, and those from the right have the
/// conjugates of their elements in the rows. What is left in the matrix has no meaning unless it `keeps` the reflections.
pub(crate) fn bidiagonalise<T: Field>(
    matrix: MatMut<'_, T>,
    rows: usize,
    mut vectors: MatMut<'_, T>,
    keeps: bool,
    together: Together<'_>,
) -> Bidiagonal<T> {
    let (padded, columns) = (matrix.nrows(), matrix.ncols());
    assert!(size_of::<T>() == 2 * size_of::<T::Part>(), "complex numbers are two floats");
    assert!(padded % LANES == 0 && padded >= rows && rows >= columns && columns > 0);
    assert!(matrix.row_stride() == 1 && vectors.row_stride() == 1);
    assert!(vectors.nrows() == padded && vectors.ncols() == VECTORS);
    vectors.rb_mut().fill(number(0.0));
    let mut multiples = vec![[[T::Part::ZERO; 2]; 2]; columns];
    let (apart, vectors_apart) = (2 * matrix.col_stride() as usize, 2 * vectors.col_stride() as usize);
    let memory = Columns {
        matrix: matrix.as_ptr_mut().cast::<T::Part>(),
        apart,
        vectors: vectors.as_ptr_mut().cast(),
        vectors_apart,
    };
    let mut room = vec![[T::Part::ZERO; 2]; padded];
    for column in 0..columns {
        let start = memory.column(column);
        // SAFETY: a column has so many numbers, of two floats each, and nobody else accesses it.
        unsafe {
            std::ptr::copy_nonoverlapping(start.cast::<Number<T::Part>>(), room.as_mut_ptr(), padded);
            for (row, [re, im]) in room.iter().enumerate() {
                start.add(row).write(*re);
                start.add(padded + row).write(*im);
            }
        }
    }
    let multiples = multiples.as_mut_ptr();
    let state = State { memory, padded, rows, columns, multiples, inverse: std::cell::Cell::new(T::Part::ZERO), keeps };
    let outcome = Outcome { diagonal: Vec::new(), beside: Vec::new(), left: Vec::new(), right: Vec::new() };
    let found = steps::run(&state, columns, outcome, together);
    if keeps {
        for column in 0..columns {
            let start = state.memory.column(column);
            // SAFETY: as above.
            unsafe {
                for (row, number) in room.iter_mut().enumerate() {
                    *number = [start.add(row).read(), start.add(padded + row).read()];
                }
                std::ptr::copy_nonoverlapping(room.as_ptr(), start.cast(), padded);
            }
        }
    }
    // SAFETY: the type is that of two floats, the real part first.
    let complex = |parts: Number<T::Part>| unsafe { std::mem::transmute_copy::<Number<T::Part>, T>(&parts) };
    let all = |numbers: Vec<Number<T::Part>>| numbers.into_iter().map(complex).collect();
    let real = |numbers: Vec<T::Part>| numbers.into_iter().map(|tau| complex([tau, T::Part::ZERO])).collect();
    let Outcome { diagonal, beside, left, right } = found;
    Bidiagonal { diagonal: all(diagonal), beside: all(beside), left: real(left), right: real(right) }
}

/// As [`Bidiagonal`].
struct Outcome<T> {
    diagonal: Vec<Number<T>>,
    beside: Vec<Number<T>>,
    left: Vec<T>,
    right: Vec<T>,
}

/// A matrix that is being reduced, and what the step from one row and column to the next needs, as for a real one; for each column the
/// product with the reflection from the left, and the conjugate of the reflection from the right.
struct State<T> {
    memory: Columns<T>,
    padded: usize,
    rows: usize,
    columns: usize,
    multiples: *mut [Number<T>; 2],
    /// 1 / τ of the reflection from the left.
    inverse: std::cell::Cell<T>,
    keeps: bool,
}

// SAFETY: in a step each column and each sum belongs to the thread that took the part, the rest is only read.
unsafe impl<T: Send> Sync for State<T> {}

impl<T: Lane> Steps for State<T> {
    type Outcome = Outcome<T>;

    fn parts(&self, at: usize) -> usize {
        let elements = (self.rows - at.min(self.rows)) * (self.columns - (at + 1).min(self.columns));
        1 << (elements / GRAIN).clamp(1, PARTS).ilog2()
    }

    unsafe fn before(&self, at: usize, outcome: &mut Outcome<T>) -> bool {
        // SAFETY: the caller's promise.
        let (element, tau) = unsafe { self.reflect_left(at) };
        outcome.diagonal.push(element);
        outcome.left.push(tau);
        at + 1 < self.columns
    }

    unsafe fn part(&self, at: usize, part: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.advance(at, part) };
    }

    unsafe fn after(&self, at: usize, outcome: &mut Outcome<T>) {
        // SAFETY: the caller's promise.
        let (element, tau) = unsafe { self.reflect_right(at) };
        outcome.beside.push(element);
        outcome.right.push(tau);
    }
}

/// The sum with the products of neighbours and a number.
#[inline(always)]
fn add<T: Lane, const FMA: bool>(sum: Group<T>, x: Group<T>, factor: Number<T>) -> Group<T> {
    let ([mut re, mut im], [f, g]) = (sum, factor);
    for lane in 0..GROUP {
        re[lane] = fused::<T, FMA>(x[1][lane], -g, fused::<T, FMA>(x[0][lane], f, re[lane]));
        im[lane] = fused::<T, FMA>(x[1][lane], f, fused::<T, FMA>(x[0][lane], g, im[lane]));
    }
    [re, im]
}

/// The sum with the products of the conjugates of neighbours and other ones.
#[inline(always)]
fn add_conjugated<T: Lane, const FMA: bool>(sum: Group<T>, u: Group<T>, x: Group<T>) -> Group<T> {
    let [mut re, mut im] = sum;
    for lane in 0..GROUP {
        re[lane] = fused::<T, FMA>(u[1][lane], x[1][lane], fused::<T, FMA>(u[0][lane], x[0][lane], re[lane]));
        im[lane] = fused::<T, FMA>(-u[1][lane], x[0][lane], fused::<T, FMA>(u[0][lane], x[1][lane], im[lane]));
    }
    [re, im]
}

#[inline(always)]
fn total<T: Lane>(mut lanes: [T; GROUP]) -> T {
    for half in [4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = lanes[lane] + lanes[lane + half];
        }
    }
    lanes[0]
}

fn product<T: Lane>([a, b]: Number<T>, [c, d]: Number<T>) -> Number<T> {
    [a * c - b * d, a * d + b * c]
}

fn negative<T: Lane>([re, im]: Number<T>) -> Number<T> {
    [-re, -im]
}

fn conjugate<T: Lane>([re, im]: Number<T>) -> Number<T> {
    [re, -im]
}

/// As [`reflection`](crate::lanes::reflection): a multiple with the opposite direction of the first element, τ, and the factor.
fn reflection<T: Lane>(head: Number<T>, squares: T) -> (Number<T>, T, Number<T>) {
    if squares <= T::NOTHING {
        return (head, T::infinite(), [T::ZERO; 2]);
    }
    let [re, im] = head.map(|part| if part < T::ZERO { -part } else { part });
    let most = if re > im { re } else { im };
    let (size, direction) = if most > T::ZERO {
        let scaled = [head[0] / most, head[1] / most];
        let size = (scaled[0] * scaled[0] + scaled[1] * scaled[1]).root();
        (size * most, scaled.map(|part| part / size))
    } else {
        (T::ZERO, [T::ONE, T::ZERO])
    };
    let length = (size * size + squares).root();
    let sum = size + length;
    let tau = (T::ONE + squares / sum / sum) / (T::ONE + T::ONE);
    (direction.map(|part| -part * length), tau, conjugate(direction).map(|part| part / sum))
}

impl<T: Lane> State<T> {
    fn columns_of(&self, at: usize, part: usize) -> Range<usize> {
        let (parts, count) = (self.parts(at), self.columns - at - 1);
        at + 1 + count * part / parts..at + 1 + count * (part + 1) / parts
    }

    /// # Safety
    ///
    /// The vector has these elements, and nobody writes to them.
    #[inline(always)]
    unsafe fn get(&self, vector: *const T, start: usize) -> Group<T> {
        // SAFETY: the caller's promise.
        unsafe { [vector, vector.wrapping_add(self.padded)].map(|part| part.add(start).cast::<[T; GROUP]>().read()) }
    }

    /// # Safety
    ///
    /// The vector has room for these elements, and nobody else accesses it.
    #[inline(always)]
    unsafe fn put(&self, vector: *mut T, start: usize, [re, im]: Group<T>) {
        // SAFETY: the caller's promise.
        unsafe {
            vector.add(start).cast::<[T; GROUP]>().write(re);
            vector.add(self.padded + start).cast::<[T; GROUP]>().write(im);
        }
    }

    /// # Safety
    ///
    /// As for `get`.
    unsafe fn element(&self, vector: *const T, row: usize) -> Number<T> {
        // SAFETY: the caller's promise.
        unsafe { [vector.add(row).read(), vector.add(self.padded + row).read()] }
    }

    /// # Safety
    ///
    /// As for `put`.
    unsafe fn set(&self, vector: *mut T, row: usize, [re, im]: Number<T>) {
        // SAFETY: the caller's promise.
        unsafe {
            vector.add(row).write(re);
            vector.add(self.padded + row).write(im);
        }
    }

    by_instructions! {
        /// Brings a column up to date, and finds the reflection that makes what is below the diagonal 0: the element on the diagonal, and τ.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the memory.
        unsafe fn reflect_left(at: usize) -> (Number<T>, T) => reflect_left_with;
        /// Brings the columns of a part up to date, and multiplies them by the reflections.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the columns of the part and its sum, or writes to the rest.
        unsafe fn advance(at: usize, part: usize) => advance_with;
        /// Finds the reflection that makes what is right of the element beside the diagonal 0: that element, and τ.
        ///
        /// # Safety
        ///
        /// Nobody else accesses the memory.
        unsafe fn reflect_right(at: usize) -> (Number<T>, T) => reflect_right_with;
    }

    /// # Safety
    ///
    /// As for `reflect_left`.
    #[inline(always)]
    unsafe fn reflect_left_with<const FMA: bool, const W: usize>(&self, at: usize) -> (Number<T>, T) {
        let ([u, before], z, column) = (self.memory.reflections(at), self.memory.vector(2), self.memory.column(at));
        let (first, nothing) = (at / GROUP * GROUP, [[T::ZERO; GROUP]; 2]);
        // SAFETY: the caller's promise; all of these are as long as a column.
        unsafe {
            if at > 0 {
                // Its row is done.
                self.set(before, at - 1, [T::ZERO; 2]);
            }
            let [y, v] = self.multiples.add(at).read().map(negative);
            let mut squares = [T::ZERO; GROUP];
            for start in (first..self.padded).step_by(GROUP) {
                let start = as_it_is(start);
                let mut x = add::<T, FMA>(self.get(column, start), self.get(before, start), y);
                x = add::<T, FMA>(x, self.get(z, start), v);
                self.put(column, start, x);
                if start == first {
                    x.iter_mut().for_each(|part| part[..=at - first].fill(T::ZERO));
                }
                self.put(u, start, x);
                for lane in 0..GROUP {
                    let square = fused::<T, FMA>(x[0][lane], x[0][lane], squares[lane]);
                    squares[lane] = fused::<T, FMA>(x[1][lane], x[1][lane], square);
                }
            }
            let (element, tau, factor) = reflection(self.element(column, at), total(squares));
            for start in (first..self.padded).step_by(GROUP) {
                self.put(u, start, add::<T, FMA>(nothing, self.get(u, start), factor));
            }
            for part in [0, self.padded] {
                let count = self.rows - at - 1;
                std::ptr::copy_nonoverlapping(u.add(part + at + 1), column.add(part + at + 1), count);
            }
            self.set(u, at, [T::ONE, T::ZERO]);
            self.inverse.set(T::ONE / tau);
            (element, tau)
        }
    }

    /// # Safety
    ///
    /// As for `advance`.
    #[inline(always)]
    unsafe fn advance_with<const FMA: bool, const W: usize>(&self, at: usize, part: usize) {
        let (columns, sum) = (self.columns_of(at, part), self.memory.vector(3 + part));
        // SAFETY: the caller's promise.
        unsafe {
            for start in (at / GROUP * GROUP..self.padded).step_by(GROUP) {
                self.put(sum, start, [[T::ZERO; GROUP]; 2]);
            }
            let mut column = columns.start;
            // Two columns of complex numbers fill a first-level cache.
            while W > 1 && column + 2 <= columns.end {
                self.some_columns::<FMA, 2>(at, column, sum);
                column += 2;
            }
            for column in column..columns.end {
                self.some_columns::<FMA, 1>(at, column, sum);
            }
        }
    }

    /// # Safety
    ///
    /// As for `advance`, of these columns.
    #[inline(always)]
    unsafe fn some_columns<const FMA: bool, const W: usize>(&self, at: usize, column: usize, sum: *mut T) {
        let ([u, before], z, first) = (self.memory.reflections(at), self.memory.vector(2), at / GROUP * GROUP);
        let columns: [*mut T; W] = std::array::from_fn(|index| self.memory.column(column + index));
        // SAFETY: the caller's promise.
        unsafe {
            let multiples: [[Number<T>; 2]; W] =
                std::array::from_fn(|index| self.multiples.add(column + index).read().map(negative));
            let mut products = [[[T::ZERO; GROUP]; 2]; W];
            for start in (first..self.padded).step_by(GROUP) {
                let start = as_it_is(start);
                let (u, before, z) = (self.get(u, start), self.get(before, start), self.get(z, start));
                for index in 0..W {
                    let [y, v] = multiples[index];
                    let x = add::<T, FMA>(add::<T, FMA>(self.get(columns[index], start), before, y), z, v);
                    self.put(columns[index], start, x);
                    products[index] = add_conjugated::<T, FMA>(products[index], u, x);
                }
            }
            let mut factors = [[T::ZERO; 2]; W];
            for index in 0..W {
                let y = products[index].map(|lanes| total(lanes) * self.inverse.get());
                let element = self.element(columns[index], at);
                let row = [element[0] - y[0], element[1] - y[1]];
                self.multiples.add(column + index).write([y, row]);
                // The first element of the reflection is known.
                factors[index] = if column + index == at + 1 { [T::ZERO; 2] } else { conjugate(row) };
            }
            for start in (first..self.padded).step_by(GROUP) {
                let start = as_it_is(start);
                let mut sums = self.get(sum, start);
                for index in 0..W {
                    sums = add::<T, FMA>(sums, self.get(columns[index], start), factors[index]);
                }
                self.put(sum, start, sums);
            }
        }
    }

    /// # Safety
    ///
    /// As for `reflect_right`.
    #[inline(always)]
    unsafe fn reflect_right_with<const FMA: bool, const W: usize>(&self, at: usize) -> (Number<T>, T) {
        let ([u, _], z, next) = (self.memory.reflections(at), self.memory.vector(2), self.memory.column(at + 1));
        let first = at / GROUP * GROUP;
        // SAFETY: the caller's promise.
        unsafe {
            let multiples = std::slice::from_raw_parts_mut(self.multiples.add(at + 1), self.columns - at - 1);
            let (head, others) = multiples.split_first_mut().expect("there is a column behind this one");
            let mut lanes = [T::ZERO; GROUP];
            for (place, [_, [re, im]]) in others.iter().enumerate() {
                let lane = place % GROUP;
                lanes[lane] = fused::<T, FMA>(*im, *im, fused::<T, FMA>(*re, *re, lanes[lane]));
            }
            let (element, tau, factor) = reflection(head[1], total(lanes));
            head[1] = [T::ONE, T::ZERO];
            let mut lanes = [[T::ZERO; 2]; GROUP];
            for (place, [y, row]) in others.iter_mut().enumerate() {
                *row = product(*row, factor);
                let (lane, more) = (place % GROUP, product(*y, conjugate(*row)));
                lanes[lane] = [lanes[lane][0] + more[0], lanes[lane][1] + more[1]];
            }
            let sum = lanes.iter().fold(head[0], |sum, lane| [sum[0] + lane[0], sum[1] + lane[1]]);
            let (inverse, parts) = (T::ONE / tau, self.parts(at));
            if self.keeps {
                for (place, [_, row]) in others.iter().enumerate() {
                    self.set(self.memory.column(at + 2 + place), at, *row);
                }
            }
            for start in (first..self.padded).step_by(GROUP) {
                let start = as_it_is(start);
                let mut sums = self.get(self.memory.vector(3), start);
                for part in 1..parts {
                    let more = self.get(self.memory.vector(3 + part), start);
                    for lane in 0..GROUP {
                        sums[0][lane] = sums[0][lane] + more[0][lane];
                        sums[1][lane] = sums[1][lane] + more[1][lane];
                    }
                }
                let column = add::<T, FMA>(self.get(next, start), sums, conjugate(factor));
                let mut found = add::<T, FMA>(column, self.get(u, start), negative(sum));
                found.iter_mut().flatten().for_each(|x| *x = *x * inverse);
                if start == first {
                    found.iter_mut().for_each(|part| part[..=at - first].fill(T::ZERO));
                }
                self.put(z, start, found);
            }
            (element, tau)
        }
    }
}
