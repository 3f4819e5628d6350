//! Integers as text: NumPy's `base_repr` and `binary_repr`.

use crate::error::{Error, Result, check};

/// An integer as text in a base; NumPy's `base_repr`. Digits from 10 on are `A` to `Z`, and a negative number has a `-` in front.
///
/// The number is an integer of any type. In base 2; `gpu::base_repr!(n, base = 16, padding = 2)` is another base, with so many
/// zeros in front.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::base_repr(-5), "-101");
/// assert_eq!(gpu::base_repr!(254u8, base = 16), "FE");
/// ```
#[track_caller]
pub fn base_repr(number: impl TryInto<i128>) -> String {
    check(in_base(whole(number), 2, 0))
}

/// An integer as text in base 2; NumPy's `binary_repr`. A negative number has a `-` in front.
///
/// `gpu::binary_repr!(n, width = 8)` has at least so many digits, and writes a negative number as its two's complement.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::binary_repr(5), "101");
/// assert_eq!(gpu::binary_repr!(-3, width = 5), "11101");
/// ```
#[track_caller]
pub fn binary_repr(num: impl TryInto<i128>) -> String {
    check(in_binary(whole(num), None))
}

/// The number of any type of integers.
pub(crate) fn whole(number: impl TryInto<i128>) -> i128 {
    // Only a u128 can be larger.
    number.try_into().unwrap_or(i128::MAX)
}

/// `base_repr` with all arguments.
pub(crate) fn in_base(number: i128, base: u32, padding: usize) -> Result<String> {
    if !(2..=36).contains(&base) {
        let reason = format!("the base is {base}; give one from 2 to 36, for which there are digits");
        return Err(Error::argument("base_repr", reason));
    }
    let mut digits = Vec::new();
    let mut rest = number.unsigned_abs();
    while rest > 0 {
        let digit = (rest % u128::from(base)) as u32;
        digits.push(char::from_digit(digit, base).expect("a digit of the base").to_ascii_uppercase());
        rest /= u128::from(base);
    }
    // As in NumPy, 0 has no digit of its own behind the zeros of a padding.
    let zeros = if digits.is_empty() { padding.max(1) } else { padding };
    let sign = if number < 0 { "-" } else { "" };
    Ok(format!("{sign}{}{}", "0".repeat(zeros), digits.iter().rev().collect::<String>()))
}

/// `binary_repr` with all arguments.
pub(crate) fn in_binary(number: i128, width: Option<usize>) -> Result<String> {
    let Some(width) = width else { return in_base(number, 2, 0) };
    let digits = match number {
        // As in NumPy, 0 has at least one digit, whatever the width is.
        0 => return Ok("0".repeat(width.max(1))),
        1.. => format!("{number:b}"),
        // The least bits that have the number as a two's complement.
        _ => format!("{:b}", number as u128 & (u128::MAX >> ((!number).leading_zeros() - 1))),
    };
    if digits.len() > width {
        let reason =
            format!("{number} takes {} binary digits, more than the width {width}; give a larger width", digits.len());
        return Err(Error::argument("binary_repr", reason));
    }
    let fill = if number < 0 { "1" } else { "0" };
    Ok(fill.repeat(width - digits.len()) + &digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts are NumPy's.
    #[test]
    fn integers_in_any_base() {
        let text = |number: i128, base, padding| in_base(number, base, padding).unwrap();
        assert_eq!(text(6, 2, 3), "000110");
        assert_eq!((text(0, 2, 0), text(0, 10, 3)), ("0".to_owned(), "000".to_owned()));
        assert_eq!((text(-7, 5, 1), text(35, 36, 0)), ("-012".to_owned(), "Z".to_owned()));
        assert_eq!(text(i128::from(i64::MIN), 16, 0), "-8000000000000000");
        let refused = in_base(1, 37, 0).unwrap_err().to_string();
        assert_eq!(refused, "base_repr: the base is 37; give one from 2 to 36, for which there are digits");
        assert!(in_base(1, 1, 0).is_err());
        assert_eq!((base_repr(7u64), base_repr(7usize), base_repr(-1i8)), ("111".into(), "111".into(), "-1".into()));
    }

    #[test]
    fn two_complements() {
        let text = |number: i128, width| in_binary(number, width).map_err(|error| error.to_string());
        for (number, width, expected) in [
            (3, None, "11"),
            (-3, None, "-11"),
            (0, Some(0), "0"),
            (0, Some(4), "0000"),
            (3, Some(4), "0011"),
            (-3, Some(3), "101"),
            (-3, Some(5), "11101"),
            (-1, Some(1), "1"),
            (-1, Some(3), "111"),
            (-2, Some(2), "10"),
            (-4, Some(3), "100"),
            (-8, Some(4), "1000"),
            (i128::from(i64::MIN), Some(64), "1000000000000000000000000000000000000000000000000000000000000000"),
        ] {
            assert_eq!(text(number, width).as_deref(), Ok(expected), "{number} {width:?}");
        }
        let refused = "binary_repr: 5 takes 3 binary digits, more than the width 2; give a larger width";
        assert_eq!(text(5, Some(2)), Err(refused.to_owned()));
        assert!(text(-5, Some(3)).is_err());
    }
}
