//! Vectors of floats, computed many elements side by side by the best instructions that the processor has.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Elements that are computed side by side. The rows of a matrix are a multiple of it.
pub(crate) const LANES: usize = 16;

/// What floats need here.
pub trait Lane:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The sum of squares up to which a vector counts as 0, beside numbers of about 1.
    const NOTHING: Self;
    /// The product with a factor, and a term, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// Infinity.
    fn infinite() -> Self;
}

macro_rules! lanes {
    ($($type:ident)*) => {$(
        impl Lane for $type {
            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;
            const NOTHING: $type = $type::MIN_POSITIVE / $type::EPSILON;
            #[inline(always)]
            fn fused(self, factor: $type, term: $type) -> $type {
                self.mul_add(factor, term)
            }
            fn root(self) -> $type {
                self.sqrt()
            }
            fn infinite() -> $type {
                $type::INFINITY
            }
        }
    )*};
}
lanes!(f32 f64);

/// Functions that are compiled for each set of instructions, and run for the best that the processor has: with so many columns at a
/// time, and with or without products that are added in one step.
macro_rules! by_instructions {
    ($($(#[$doc:meta])* unsafe fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? => $inner:ident;)*) => {$(
        $(#[$doc])*
        unsafe fn $name(&self, $($argument: $type),*) $(-> $result)? {
            #[target_feature(enable = "avx512f,avx512vl,fma")]
            unsafe fn avx512<T: Lane>(state: &State<T>, $($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's promise.
                unsafe { state.$inner::<true, 4>($($argument),*) }
            }
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<T: Lane>(state: &State<T>, $($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's promise.
                unsafe { state.$inner::<true, 2>($($argument),*) }
            }
            // SAFETY: the caller's promise; the processor has the instructions.
            unsafe {
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                    avx512(self, $($argument),*)
                } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    avx2(self, $($argument),*)
                } else {
                    self.$inner::<false, 1>($($argument),*)
                }
            }
        }
    )*};
}

/// A product that is added.
#[inline(always)]
pub(crate) fn fused<T: Lane, const FMA: bool>(one: T, other: T, term: T) -> T {
    if FMA { one.fused(other, term) } else { one * other + term }
}

#[inline(always)]
pub(crate) fn total<T: Lane>(lanes: [T; LANES]) -> T {
    let mut lanes = lanes;
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = lanes[lane] + lanes[lane + half];
        }
    }
    lanes[0]
}

pub(crate) use by_instructions;

/// How a vector becomes a multiple of the first unit vector: given its first element and the sum of the squares of the others, the
/// multiple, τ, and what the others are multiplied by to be those of the reflection.
pub(crate) fn reflection<T: Lane>(head: T, squares: T) -> (T, T, T) {
    if squares <= T::NOTHING {
        return (head, T::infinite(), T::ZERO);
    }
    let length = (head * head + squares).root();
    let multiple = if head < T::ZERO { length } else { -length };
    let factor = T::ONE / (head - multiple);
    (multiple, (T::ONE + squares * factor * factor) / (T::ONE + T::ONE), factor)
}

/// The same number. The compiler does not see that, and so leaves a loop over groups of lanes as it is: it would take the same lane of
/// many groups together, from all over the memory.
#[inline(always)]
pub(crate) fn as_it_is(mut index: usize) -> usize {
    // SAFETY: there is no instruction.
    unsafe { std::arch::asm!("/* {} */", inout(reg) index, options(nomem, nostack, preserves_flags)) };
    index
}

/// # Safety
///
/// So many elements are there, and nobody writes to them.
#[inline(always)]
pub(crate) unsafe fn lanes_of<T: Lane>(vector: *const T, start: usize) -> [T; LANES] {
    // SAFETY: the caller's promise.
    unsafe { vector.add(start).cast::<[T; LANES]>().read() }
}

/// # Safety
///
/// There is room for so many elements, and nobody else accesses it.
#[inline(always)]
pub(crate) unsafe fn write_lanes<T: Lane>(vector: *mut T, start: usize, lanes: [T; LANES]) {
    // SAFETY: the caller's promise.
    unsafe { vector.add(start).cast::<[T; LANES]>().write(lanes) };
}
