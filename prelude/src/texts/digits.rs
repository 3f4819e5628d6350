//! The decimal digits of a float: as few as tell it from its neighbours, or those of its exact value, rounded.
//!
//! The standard library finds both. What NumPy does with them at a limit is here: a number that needs more digits than it may have
//! is rounded once, from its exact value.

use crate::dtype::dtypes;
use crate::dtype::rounding::odd_from_f64;
use std::cmp::Ordering;
use std::fmt::LowerExp;

/// Digits, and the power of ten of the first: 0.0625 is 625 and -2.
#[derive(Clone, Debug, PartialEq)]
pub struct Decimal {
    pub digits: String,
    pub exponent: i32,
}

impl Decimal {
    /// What `{:e}` writes. NaN and infinities have no digits.
    fn of(value: impl LowerExp) -> Decimal {
        let text = format!("{value:e}");
        let none = Decimal { digits: String::new(), exponent: 0 };
        if text.contains('e') { Decimal::read(&text) } else { none }
    }

    /// A number with an exponent.
    fn read(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once('e').expect("an exponent was asked for");
        let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
        Decimal { digits, exponent: exponent.parse().expect("exponents are integers") }
    }

    fn compared(&self, other: &Decimal) -> Ordering {
        let digits = |decimal: &Decimal| decimal.digits.trim_end_matches('0').to_owned();
        self.exponent.cmp(&other.exponent).then_with(|| digits(self).cmp(&digits(other)))
    }

    /// The power of ten of the last digit.
    fn last(&self) -> i32 {
        self.exponent - self.digits.len() as i32 + 1
    }
}

/// A float without its type.
#[derive(Clone, Debug)]
pub struct Number {
    pub value: f64,
    /// The digits that tell the number from its neighbours of the same type.
    few: Decimal,
}

/// Which digits are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// As few as tell the number apart; else those of its exact value.
    pub is_unique: bool,
    /// Whether digits are counted behind the point; else all are.
    pub is_fractional: bool,
    /// The most digits. The exact value needs it.
    pub most: Option<usize>,
    /// The least digits, for numbers that are told apart by fewer.
    pub least: Option<usize>,
}

mod sealed {
    use super::Number;

    pub trait Sealed {
        /// The decimal digits that every number of the type keeps; NumPy's `finfo(type).precision`.
        const PRECISION: i32;
        /// The nearest value of the type.
        fn nearest(value: f64) -> f64;
        /// The number without its type.
        fn number(self) -> Number;
    }
}
pub(super) use sealed::Sealed;

/// A float whose text can be asked for: `f32`, `f64` or a narrower one. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float",
    label = "expected a float of Rust's or of gpu, such as f32 or gpu::f16",
    note = "write integers as floats, such as `3.0`, and read the element of an array by `a.item()` or `a.get(&[0])`"
)]
pub trait TextFloat: Sealed + Copy {}

macro_rules! floats {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => { $(floats!(@$kind $type);)* };
    (@Float $type:ty) => {
        floats!(@each $type, |value| value as $type, |float| Decimal::of(float.abs()));
    };
    (@Narrow $type:ty) => {
        floats!(@each $type, |value| <$type>::from_f32(odd_from_f64(value)), |float| {
            fewest(f64::from(float).abs(), Self::nearest)
        });
    };
    (@each $type:ty, |$value:ident| $nearest:expr, |$float:ident| $few:expr) => {
        impl Sealed for $type {
            const PRECISION: i32 = <$type>::DIGITS as i32;
            fn nearest($value: f64) -> f64 {
                f64::from($nearest)
            }
            fn number(self) -> Number {
                let $float = self;
                Number { value: f64::from($float), few: $few }
            }
        }
        impl TextFloat for $type {}
    };
    (@$other:ident $type:ty) => {};
}
dtypes!(floats!());

/// The fewest digits that a type reads as this value.
fn fewest(value: f64, nearest: impl Fn(f64) -> f64) -> Decimal {
    let read = |decimal: &Decimal| {
        let text = format!("{}e{}", decimal.digits, decimal.last());
        text.parse::<f64>().expect("a number")
    };
    if !value.is_finite() {
        return Decimal::of(value);
    }
    for count in 0..9 {
        let rounded = Decimal::read(&format!("{value:.count$e}"));
        if nearest(read(&rounded)) == value {
            return rounded;
        }
        // Below a power of two, floats are nearer to one another than above: then the number on the other side may be read as
        // the value where the nearest one is not.
        let digits: u64 = rounded.digits.parse().expect("digits");
        let other = if read(&rounded) < value { digits + 1 } else { digits - 1 };
        let scale = rounded.last();
        let digits = other.to_string();
        let other = Decimal { exponent: scale + digits.len() as i32 - 1, digits };
        if nearest(read(&other)) == value {
            return without_zeros(other);
        }
    }
    Decimal::of(value)
}

/// The number without zeros at its end.
fn without_zeros(mut decimal: Decimal) -> Decimal {
    let kept = decimal.digits.trim_end_matches('0').len().max(1);
    decimal.digits.truncate(kept);
    decimal
}

impl Number {
    pub fn of<T: TextFloat>(value: T) -> Number {
        value.number()
    }

    /// The digits of the magnitude of a finite number.
    pub fn digits(&self, wanted: Wanted) -> Decimal {
        let value = self.value.abs();
        if value == 0.0 {
            return Decimal { digits: "0".to_owned(), exponent: 0 };
        }
        let first = first_exponent(value);
        let length =
            |count: usize| if wanted.is_fractional { i64::from(first) + count as i64 + 1 } else { count as i64 };
        if !wanted.is_unique {
            let (decimal, order) = rounded(value, first, length(wanted.most.unwrap_or(0)));
            // The digits of an exact value end with its last one.
            return if order == Ordering::Equal { without_zeros(decimal) } else { decimal };
        }
        // Where the digits were rounded up to the next power of ten, the one digit of that stands for the first one.
        let own = i64::from(first - self.few.last() + 1).max(1);
        match (wanted.most, wanted.least) {
            (Some(most), _) if length(most) < own => rounded(value, first, length(most)).0,
            (_, Some(least)) if length(least) > own => rounded(value, first, length(least)).0,
            _ => self.few.clone(),
        }
    }
}

/// More digits no float has.
const ALL: usize = 766;

/// All digits of a float.
fn all_digits(value: f64) -> Decimal {
    Decimal::read(&format!("{value:.ALL$e}"))
}

/// The power of ten of the first digit.
fn first_exponent(value: f64) -> i32 {
    let few = Decimal::of(value);
    // A power of ten may be what a smaller number was rounded to.
    if few.digits == "1" { all_digits(value).exponent } else { few.exponent }
}

/// So many digits from the first one on, the last one rounded, ties to the even one; and how they compare with the value. With no
/// digit or less, the number is rounded to a place in front of its first digit: to 0, or to 1 of that place.
fn rounded(value: f64, first: i32, length: i64) -> (Decimal, Ordering) {
    if length <= 0 {
        let place = i64::from(first) - length + 1;
        let is_one = length == 0 && {
            // The place is behind the point, so many digits of it.
            let behind = usize::try_from(-place).unwrap_or(0);
            format!("{value:.behind$}").ends_with('1')
        };
        let digits = if is_one { "1" } else { "0" }.to_owned();
        return (Decimal { digits, exponent: place as i32 }, if is_one { Ordering::Greater } else { Ordering::Less });
    }
    let behind = (length - 1) as usize;
    let text = format!("{value:.behind$e}");
    let decimal = Decimal::read(&text);
    let order = match text.parse::<f64>().expect("a number").total_cmp(&value) {
        Ordering::Equal => decimal.compared(&all_digits(value)),
        order => order,
    };
    // Nines that became zeros are left out; zeros that are the number's own digits stay.
    (if order == Ordering::Greater { without_zeros(decimal) } else { decimal }, order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bf16, f16};

    fn few<T: TextFloat>(value: T) -> (String, i32) {
        let Decimal { digits, exponent } = Number::of(value).few;
        (digits, exponent)
    }

    fn decimal(digits: &str, exponent: i32) -> (String, i32) {
        (digits.to_owned(), exponent)
    }

    #[test]
    fn as_few_digits_as_tell_a_float_apart() {
        assert_eq!(few(0.1f64), decimal("1", -1));
        assert_eq!(few(0.1f32), decimal("1", -1));
        assert_eq!(few(f16::from_f32(0.3)), decimal("3", -1));
        assert_eq!(few(f16::PI), decimal("314", 0));
        assert_eq!(few(f16::MAX), decimal("655", 4));
        assert_eq!(few(f16::from_bits(1)), decimal("6", -8));
        assert_eq!(few(bf16::from_f32(3.140_625)), decimal("314", 0));
        assert_eq!(few(1e23f64), decimal("1", 23));
    }

    /// Every number of 16 bits is read from its digits, and one digit less is not enough.
    #[test]
    fn digits_of_16_bits_are_read_as_the_number() {
        let check = |value: f64, few: &Decimal, nearest: &dyn Fn(f64) -> f64| {
            let read = |digits: &str, last: i32| format!("{digits}e{last}").parse::<f64>().unwrap();
            assert_eq!(nearest(read(&few.digits, few.last())), value);
            assert!(few.digits.len() == 1 || !few.digits.ends_with('0'), "{few:?}");
            if few.digits.len() > 1 {
                let shorter: u64 = few.digits[..few.digits.len() - 1].parse().unwrap();
                for shorter in [shorter, shorter + 1] {
                    assert_ne!(nearest(read(&shorter.to_string(), few.last() + 1)), value, "{few:?}");
                }
            }
        };
        for bits in 1..0x7c00u16 {
            let number = Number::of(f16::from_bits(bits));
            check(number.value, &number.few, &<f16 as Sealed>::nearest);
        }
        for bits in 1..0x7f80u16 {
            let number = Number::of(bf16::from_bits(bits));
            check(number.value, &number.few, &<bf16 as Sealed>::nearest);
        }
    }

    #[test]
    fn a_limit_rounds_the_exact_value() {
        let of = |value: f64, is_unique, is_fractional, most: Option<usize>, least: Option<usize>| {
            let Decimal { digits, exponent } =
                Number::of(value).digits(Wanted { is_unique, is_fractional, most, least });
            (digits, exponent)
        };
        // More digits than are needed to tell it apart.
        assert_eq!(of(0.1, true, true, None, Some(20)), decimal("10000000000000000555", -1));
        assert_eq!(of(0.1, false, true, Some(20), None), decimal("10000000000000000555", -1));
        // Ties to the even digit.
        assert_eq!(of(0.125, true, true, Some(2), None), decimal("12", -1));
        assert_eq!(of(0.375, true, true, Some(2), None), decimal("38", -1));
        // Nines that were rounded up are left out; zeros of the number are not.
        assert_eq!(of(1.9996, true, true, Some(3), None), decimal("2", 0));
        assert_eq!(of(1.0004, true, true, Some(3), None), decimal("1000", 0));
        assert_eq!(of(9.996, true, false, Some(3), None), decimal("1", 1));
        // A place in front of the first digit.
        assert_eq!(of(0.0006, true, true, Some(2), None), decimal("0", -2));
        assert_eq!(of(0.006, true, true, Some(2), None), decimal("1", -2));
        assert_eq!(of(0.5, true, true, Some(0), None), decimal("0", 0));
        assert_eq!(of(0.75, true, true, Some(0), None), decimal("1", 0));
        assert_eq!(of(1234.5, true, false, Some(2), None), decimal("12", 3));
    }
}
