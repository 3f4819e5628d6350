//! Numbers that are given for a float: `2.0`, and `2` as well.

use crate::array::conversions::conversions;

mod sealed {
    pub trait Sealed {}
    pub trait Optional {}
    pub trait Pair {}
}

/// A number where a function computes with a float: a float, or an integer, such as `2` for `2.0`. Not an extension point.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number", label = "expected a number such as `2.0` or `2`")]
pub trait IntoFloat: sealed::Sealed + Copy {
    /// The number as `f64`.
    fn into_float(self) -> f64;
}

/// A number that may be left out: [`IntoFloat`], or an `Option` of `f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "expected a number such as `2.0` or `2`, or `None`"
)]
pub trait MaybeFloat: sealed::Optional + Copy {
    /// The number, if it is given.
    fn maybe_float(self) -> Option<f64>;
}

/// Two numbers, such as `(0, 0.5)`; see [`IntoFloat`]. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not two numbers",
    label = "expected two numbers such as `(0.0, 1.0)`"
)]
pub trait FloatPair: sealed::Pair {
    /// The numbers as `f64`.
    fn into_pair(self) -> (f64, f64);
}
impl<A: IntoFloat, B: IntoFloat> sealed::Pair for (A, B) {}
impl<A: IntoFloat, B: IntoFloat> FloatPair for (A, B) {
    fn into_pair(self) -> (f64, f64) {
        (self.0.into_float(), self.1.into_float())
    }
}

/// Both traits for types of numbers.
macro_rules! numbers {
    ($($type:ty)*) => {
        conversions! {
            fn into_float(self) -> f64: IntoFloat, sealed::Sealed;
            f64 => self;
            $($type => self as f64;)*
        }
        conversions! {
            fn maybe_float(self) -> Option<f64>: MaybeFloat, sealed::Optional;
            Option<f64> => self;
            f64 => Some(self);
            $($type => Some(self as f64);)*
        }
    };
}
numbers!(f32 i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: impl IntoFloat) -> f64 {
        number.into_float()
    }

    fn maybe(number: impl MaybeFloat) -> Option<f64> {
        number.maybe_float()
    }

    #[test]
    fn numbers_of_all_types_are_floats() {
        assert_eq!([of(2), of(2.5), of(2usize), of(0.5f32), of(-3i8)], [2.0, 2.5, 2.0, 0.5, -3.0]);
        assert_eq!([maybe(2), maybe(2.5), maybe(None), maybe(Some(1.5))], [Some(2.0), Some(2.5), None, Some(1.5)]);
    }
}
