//! Integers divided by one value: by a multiplication, since a division takes ten times as long.
//!
//! Source: T. Granlund and P. L. Montgomery, Division by invariant integers using multiplication (1994).

use super::elementwise::{Input, blocks, map};
use super::numeric::{Integer, Native};
use warpcell_base::backend::{BinaryOperation, Layout};
use warpcell_base::dtype::{DType, Scalar};

/// Divides each element of `x` by a value; whether it did: not by 0 and 1, negative values and very large ones.
///
/// # Safety
///
/// As for [`binary`](super::elementwise::binary), of one array and a value.
pub(super) unsafe fn by_value(
    operation: BinaryOperation,
    dtype: DType,
    x: Input<'_>,
    divisor: Scalar,
    out: *mut u8,
    layout: &Layout,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::U8 => run::<u8>(operation, x, divisor, out, layout),
            DType::I32 => run::<i32>(operation, x, divisor, out, layout),
            DType::U32 => run::<u32>(operation, x, divisor, out, layout),
            DType::I64 => run::<i64>(operation, x, divisor, out, layout),
            _ => false,
        }
    }
}

/// # Safety
///
/// As for [`by_value`].
unsafe fn run<T: Divided>(
    operation: BinaryOperation,
    x: Input<'_>,
    divisor: Scalar,
    out: *mut u8,
    layout: &Layout,
) -> bool {
    let value = T::of(divisor);
    let Some(divisor) = T::divisor(value) else { return false };
    macro_rules! apply {
        (|$x:ident| $result:expr) => {
            // SAFETY: the caller's promise.
            unsafe { blocks::<T, T, 1>([x], out, layout, &|[x], out| map(x, out, |$x: T| $result)) }
        };
    }
    match operation {
        BinaryOperation::FloorDivide => apply!(|x| x.down(divisor)),
        BinaryOperation::Modulo => apply!(|x| x.subtract(x.down(divisor).multiply(value))),
        BinaryOperation::Divide => apply!(|x| x.towards_zero(divisor)),
        BinaryOperation::Remainder => apply!(|x| x.subtract(x.towards_zero(divisor).multiply(value))),
        _ => return false,
    }
    true
}

/// A factor, and how many bits of the product to leave out, beside those that the type has.
type Divisor<W> = (W, u32);

/// Integers that are divided as non-negative ones of one bit less than a wider type has.
trait Divided: Native + Integer {
    type Wide: Copy + Send + Sync;
    /// For a value from 2 on.
    fn divisor(value: Self) -> Option<Divisor<Self::Wide>>;
    /// The quotient rounded down.
    fn down(self, divisor: Divisor<Self::Wide>) -> Self;
    /// The quotient rounded towards 0.
    fn towards_zero(self, divisor: Divisor<Self::Wide>) -> Self;
}

macro_rules! divided {
    // The type, the signed integers that it is divided as, unsigned ones, and those of twice as many bits.
    ($($type:ty: $signed:ty, $unsigned:ty, $double:ty;)*) => {$(
        impl Divided for $type {
            type Wide = $unsigned;

            fn divisor(value: $type) -> Option<Divisor<$unsigned>> {
                let value = <$signed>::from(value);
                if value < 2 {
                    return None;
                }
                // So many bits does the value less one have. The factor is a power of two over the value, rounded up; a number
                // of one bit less, times what was rounded, is too small to change the quotient.
                let bits = <$signed>::BITS - (value - 1).leading_zeros();
                let factor = ((1 as $double) << (<$signed>::BITS - 1 + bits)).div_ceil(value as $double);
                Some((factor as $unsigned, bits - 1))
            }

            #[inline(always)]
            fn down(self, (factor, shift): Divisor<$unsigned>) -> $type {
                // Of negative x, −1 − x is not negative, and −1 less its quotient is that of x.
                let x = <$signed>::from(self);
                let sign = x >> (<$signed>::BITS - 1);
                let high = ((x ^ sign) as $unsigned as $double * factor as $double) >> <$signed>::BITS;
                (((high as $unsigned) >> shift) as $signed ^ sign) as $type
            }

            #[inline(always)]
            fn towards_zero(self, (factor, shift): Divisor<$unsigned>) -> $type {
                let x = <$signed>::from(self);
                let sign = x >> (<$signed>::BITS - 1);
                let high = (x.unsigned_abs() as $double * factor as $double) >> <$signed>::BITS;
                ((((high as $unsigned) >> shift) as $signed ^ sign).wrapping_sub(sign)) as $type
            }
        }
    )*};
}
divided! {
    u8: i32, u32, u64;
    i32: i32, u32, u64;
    u32: i64, u64, u128;
    i64: i64, u64, u128;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;
    use warpcell_base::dtype::Tagged;

    fn check<T: Divided + Tagged + Debug>(extremes: &[T], others: impl Fn(u64) -> T) {
        let operations = [
            BinaryOperation::FloorDivide,
            BinaryOperation::Modulo,
            BinaryOperation::Divide,
            BinaryOperation::Remainder,
        ];
        let mut state = 1u64;
        let mut numbers: Vec<T> = extremes.to_vec();
        numbers.extend((0..3000).map(|index| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            others((state >> 7) >> (index % 57))
        }));
        let layout = Layout::contiguous(&[numbers.len()]);
        for &divisor in &numbers[..300] {
            for operation in operations {
                let mut found = vec![T::default(); numbers.len()];
                let x = Input::Array(numbers.as_ptr().cast(), &layout);
                // SAFETY: both vectors have as many elements as the layout.
                let done =
                    unsafe { by_value(operation, T::TAG, x, divisor.tagged(), found.as_mut_ptr().cast(), &layout) };
                assert_eq!(done, divisor > T::ONE, "{operation:?} by {divisor:?}");
                if !done {
                    continue;
                }
                for (&x, &found) in numbers.iter().zip(&found) {
                    let expected = match operation {
                        BinaryOperation::FloorDivide => x.floor_divide(divisor),
                        BinaryOperation::Modulo => x.modulo(divisor),
                        BinaryOperation::Divide => x.divide(divisor),
                        _ => x.remainder(divisor),
                    };
                    assert_eq!(found, expected, "{operation:?} of {x:?} and {divisor:?}");
                }
            }
        }
    }

    #[test]
    fn quotients_and_rests_are_those_of_a_division() {
        check::<u8>(&[0, 1, 2, 3, 7, 127, 128, 129, 254, 255], |bits| bits as u8);
        check::<u32>(&[0, 1, 2, 3, 7, 1 << 31, (1 << 31) - 1, (1 << 31) + 1, u32::MAX, u32::MAX - 1], |bits| {
            bits as u32
        });
        check::<i32>(
            &[0, 1, -1, 2, -2, 3, 7, 1 << 30, (1 << 30) + 1, i32::MAX, i32::MAX - 1, i32::MIN, i32::MIN + 1],
            |bits| bits as i32,
        );
        let extremes =
            [0, 1, -1, 2, -2, 3, 7, 10, 1 << 62, (1 << 62) + 1, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1];
        check::<i64>(&extremes, |bits| if bits % 3 == 0 { -(bits as i64) } else { bits as i64 });
    }
}
