//! What needs the order of complex numbers: by their real parts, and of equal real parts by the imaginary ones. Numbers with a NaN come
//! last: those whose imaginary part alone is NaN, those whose real part alone is, and those of which both are.

use super::super::numeric::{Ordered, Shared};
use super::super::pool;
use super::super::search::position;
use num_complex::Complex;
use std::cmp::Ordering;
use warpcell_base::dtype::DType;

/// So many elements are worth a thread.
const GRAIN: usize = 1 << 12;

/// What is asked of complex numbers; see the variants of `Loops` of these names.
#[derive(Clone, Copy)]
pub(super) enum Question {
    /// `ComplexExtremes`: whether the greatest ones are wanted.
    Extremes(bool),
    /// `ComplexOrder`.
    Order,
    /// `ComplexPlaces`: how many sorted elements there are, where they are, and whether equal ones are counted.
    Places(usize, *const u8, bool),
}

/// Answers a question on `count` rows of `length` elements.
///
/// # Safety
///
/// All is memory of as many elements of this dtype, which is complex, and nothing else writes to it; `out` has the numbers of the answer.
pub(super) unsafe fn answer(
    question: Question,
    dtype: DType,
    x: *const u8,
    [count, length]: [usize; 2],
    out: *mut i64,
) {
    // SAFETY: of both: the caller's promise.
    unsafe {
        match dtype {
            DType::C64 => of_type::<f32>(question, x.cast(), [count, length], out),
            DType::C128 => of_type::<f64>(question, x.cast(), [count, length], out),
            _ => unreachable!("only complex numbers are asked about"),
        }
    }
}

/// # Safety
///
/// As for [`answer`].
unsafe fn of_type<T: Key + Send + Sync>(
    question: Question,
    x: *const Complex<T>,
    [count, length]: [usize; 2],
    out: *mut i64,
) {
    let (x, out) = (Shared(x.cast_mut()), Shared(out));
    // SAFETY: of all: the caller's promise; each element of `out` belongs to one task.
    let row = |at: usize| unsafe { std::slice::from_raw_parts(x.get().add(at * length), length) };
    let grain = GRAIN.div_ceil(length.max(1));
    match question {
        Question::Extremes(greatest) => pool::split(count, grain, &|range| {
            for at in range {
                // SAFETY: as above.
                unsafe { out.get().add(at).write(extreme(row(at), greatest) as i64) };
            }
        }),
        Question::Order => pool::split(count, grain, &|range| {
            let mut classes: [Vec<Keyed>; 4] = Default::default();
            for at in range {
                for (place, number) in order(row(at), &mut classes).enumerate() {
                    // SAFETY: as above.
                    unsafe { out.get().add(at * length + place).write(number) };
                }
            }
        }),
        Question::Places(size, sorted, right) => {
            // SAFETY: the caller's promise.
            let sorted = unsafe { std::slice::from_raw_parts(sorted.cast::<Complex<T>>(), size) };
            pool::split(count * length, GRAIN, &|range| {
                for at in range {
                    // SAFETY: as above.
                    let value = unsafe { x.get().add(at).read() };
                    // SAFETY: as above.
                    unsafe { out.get().add(at).write(place_of(sorted, value, right) as i64) };
                }
            });
        }
    }
}

/// How many sorted numbers are less than a value; with `right`, less or equal.
#[inline(always)]
fn place_of<T: Ordered>(sorted: &[Complex<T>], value: Complex<T>, right: bool) -> usize {
    // Comparisons with a NaN are false. Behind the value stand numbers whose imaginary part alone is NaN, too.
    let before = |z: Complex<T>, equal: bool| !is_nan(z.im) & ((z.re < value.re) | ((z.re == value.re) & equal));
    match (class(value), right) {
        (0, false) => position(sorted, |z| before(z, z.im < value.im)),
        (0, true) => position(sorted, |z| before(z, z.im <= value.im)),
        (_, false) => position(sorted, |z| compare(z, value) == Ordering::Less),
        (_, true) => position(sorted, |z| compare(z, value) != Ordering::Greater),
    }
}

/// A number of 64 bits that is ordered as a part, and behind it the place of the number: what is sorted as a whole.
type Keyed = u128;

/// The places of the numbers of a row in ascending order. `classes` are empty, and will be used again.
fn order<'a, T: Key>(row: &[Complex<T>], classes: &'a mut [Vec<Keyed>; 4]) -> impl Iterator<Item = i64> + 'a {
    let key = |part: T, at: usize| Keyed::from(if is_nan(part) { 0 } else { part.key() }) << 64 | at as Keyed;
    for class in classes.iter_mut() {
        class.clear();
    }
    for (at, &z) in row.iter().enumerate() {
        classes[usize::from(class(z))].push(key(z.re, at));
    }
    for class in classes.iter_mut() {
        class.sort_unstable();
        for equal in class.chunk_by_mut(|a, b| a >> 64 == b >> 64).filter(|equal| equal.len() > 1) {
            for keyed in equal.iter_mut() {
                let at = *keyed as u64 as usize;
                *keyed = key(row[at].im, at);
            }
            equal.sort_unstable();
        }
    }
    classes.iter().flatten().map(|&keyed| keyed as u64 as i64)
}

/// Parts of complex numbers.
trait Key: Ordered {
    /// A number that is ordered as the parts are; NaN has none.
    fn key(self) -> u64;
}

impl Key for f64 {
    #[inline(always)]
    fn key(self) -> u64 {
        // Both zeros are one. Negative numbers are ordered from the other end.
        let bits = (self + 0.0).to_bits();
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    }
}

impl Key for f32 {
    #[inline(always)]
    fn key(self) -> u64 {
        f64::from(self).key()
    }
}

#[inline(always)]
#[allow(clippy::eq_op, reason = "only NaN is unequal to itself")]
fn is_nan<T: Ordered>(part: T) -> bool {
    part != part
}

/// Which part is NaN, in the order in which such numbers stand.
#[inline(always)]
fn class<T: Ordered>(z: Complex<T>) -> u8 {
    2 * u8::from(is_nan(z.re)) + u8::from(is_nan(z.im))
}

/// How two numbers are ordered.
#[inline(always)]
fn compare<T: Ordered>(a: Complex<T>, b: Complex<T>) -> Ordering {
    let part = |a: T, b: T| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    class(a).cmp(&class(b)).then_with(|| part(a.re, b.re)).then_with(|| part(a.im, b.im))
}

/// The place of the first number with a NaN, else of the first extreme one. The row is not empty.
#[inline(always)]
fn extreme<T: Ordered>(row: &[Complex<T>], greatest: bool) -> usize {
    let has_nan = |z: Complex<T>| is_nan(z.re) || is_nan(z.im);
    let mut found = 0;
    if has_nan(row[0]) {
        return 0;
    }
    for (at, &z) in row.iter().enumerate().skip(1) {
        let best = row[found];
        let (before, equal) =
            if greatest { (z.re > best.re, z.im > best.im) } else { (z.re < best.re, z.im < best.im) };
        // Comparisons with a NaN are all false, so that it is looked for apart.
        if before || (z.re == best.re && equal) {
            found = at;
            if is_nan(z.im) {
                return at;
            }
        } else if has_nan(z) {
            return at;
        }
    }
    found
}
