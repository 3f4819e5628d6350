//! Elements as texts, without their types: what is generic is compiled again for each kernel.

use crate::element::ViewElement;
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt::Debug;

/// An element: its type's tag, and its bits.
pub(crate) type Word = (u8, u128);

macro_rules! elements {
    ($($type:ty),*) => {
        /// The name of the type with a tag.
        pub(crate) fn name(tag: u8) -> &'static str {
            $(if tag == <$type as ViewElement>::TAG {
                return <$type as ViewElement>::NAME;
            })*
            ""
        }

        /// The tag of the type with a name.
        fn tag_of(name: &str) -> Option<u8> {
            $(if name == <$type as ViewElement>::NAME {
                return Some(<$type as ViewElement>::TAG);
            })*
            None
        }

        /// The text of an element.
        pub(crate) fn text((tag, bits): Word) -> String {
            $(if tag == <$type as ViewElement>::TAG {
                // SAFETY: the bits were read from an element of the type, which is not longer.
                let value = unsafe { (&raw const bits).cast::<$type>().read() };
                return number(&value);
            })*
            String::new()
        }
    };
}
elements!(i32, u32, i64, u64, f32, f64, u8, i8, u16, i16, bool, f16, bf16, Complex<f32>, Complex<f64>);

/// The texts of elements that follow one another, as recordings have them; `dtype` is the name of their type.
pub fn element_texts(dtype: &str, elements: &[u8], size: usize) -> Vec<String> {
    let Some(tag) = tag_of(dtype) else { return Vec::new() };
    let element = |bytes: &[u8]| {
        let mut bits = [0; size_of::<u128>()];
        bits[..bytes.len()].copy_from_slice(bytes);
        text((tag, u128::from_le_bytes(bits)))
    };
    elements.chunks_exact(size.clamp(1, size_of::<u128>())).map(element).collect()
}

fn number(value: &dyn Debug) -> String {
    short(&format!("{value:?}"))
}

/// As long a text of a value is at most.
const LONGEST: usize = 60;

/// The text that `Debug` gives, shorter: numbers with seven digits, and no more than a line.
pub(crate) fn short(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        short.push_str(before);
        let end = end_of_number(from);
        let is_in_name = before.chars().next_back().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
        short.push_str(&if is_in_name { from[..end].to_owned() } else { rounded(&from[..end]) });
        rest = &from[end..];
        if short.len() > LONGEST {
            break;
        }
    }
    short.push_str(rest);
    if let Some(indices) = short.strip_prefix("Dim3 { x: ").and_then(|rest| rest.strip_suffix(" }")) {
        return format!("({})", indices.replace("y: ", "").replace("z: ", ""));
    }
    let end = short.char_indices().nth(LONGEST).map(|(end, _)| end);
    end.map_or_else(|| short.clone(), |end| format!("{}…", &short[..end]))
}

fn end_of_number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let sign = usize::from(bytes.get(end + 1) == Some(&b'-'));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}

/// A number with a point, with at most seven digits; others as they are.
fn rounded(number: &str) -> String {
    const DIGITS: usize = 8;
    const LONGEST_WHOLE: usize = 10;
    let whole = number.strip_suffix(".0").unwrap_or(number);
    if number.len() <= DIGITS
        || whole.len() <= LONGEST_WHOLE && !whole.contains(['.', 'e'])
        || !number.contains(['.', 'e'])
    {
        return whole.to_owned();
    }
    let Ok(value) = number.parse::<f64>() else { return number.to_owned() };
    let exact = format!("{value:.6e}");
    let Some((digits, exponent)) = exact.split_once('e') else { return exact };
    match exponent.parse::<i32>() {
        Ok(power @ -4..=6) => {
            let text = format!("{value:.*}", (6 - power) as usize);
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        _ => format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let of = |value: &dyn Debug| short(&format!("{value:?}"));
        assert_eq!(of(&1.0f32), "1");
        assert_eq!(of(&0.1f32), "0.1");
        assert_eq!(of(&(1.0f64 / 3.0)), "0.3333333");
        assert_eq!(of(&-1234.5678912f64), "-1234.568");
        assert_eq!(of(&1.0e-12f64), "1e-12");
        assert_eq!(of(&1.234_567_89e22f64), "1.234568e22");
        assert_eq!(of(&16_777_216.0f32), "16777216");
        assert_eq!(of(&u64::MAX), "18446744073709551615");
        assert_eq!(of(&[1.0f32, 2.5]), "[1, 2.5]");
        assert_eq!(of(&(1u8, true)), "(1, true)");
        assert_eq!(of(&f32::NAN), "NaN");
        assert_eq!(of(&vec![7; 100]).chars().count(), LONGEST + 1);
        assert_eq!(short("Dim3 { x: 3, y: 0, z: 12 }"), "(3, 0, 12)");
        assert_eq!(short("Point { x: 1.0 }"), "Point { x: 1 }");
    }

    #[test]
    fn elements_are_told_by_their_tags() {
        assert_eq!((name(4), text((4, u128::from(2.5f32.to_bits())))), ("f32", "2.5".to_owned()));
        assert_eq!((name(7), text((7, 1))), ("bool", "true".to_owned()));
        assert_eq!(name(200), "");
    }
}
