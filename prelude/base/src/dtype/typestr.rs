//! NumPy's type strings, such as `<f4`: how `.npy` files and `__cuda_array_interface__` name element types.

use crate::dtype::DType;

/// What NumPy calls an element type, but for the order of the bytes: kind and size. None for what NumPy has not.
fn name(dtype: DType) -> Option<String> {
    let kind = match dtype.numpy_name().trim_end_matches(|character: char| character.is_ascii_digit()) {
        "bool" => 'b',
        "uint" => 'u',
        "int" => 'i',
        "float" => 'f',
        "complex" => 'c',
        _ => return None,
    };
    Some(format!("{kind}{}", dtype.size()))
}

/// The type string of an element type in this machine's order of bytes; none for what NumPy has not, `bf16`.
pub fn typestr(dtype: DType) -> Option<String> {
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "little") => '<',
        _ => '>',
    };
    name(dtype).map(|name| format!("{order}{name}"))
}

/// The element type that a type string names, and whether its bytes are in the other order than this machine's.
pub fn parse(typestr: &str) -> Option<(DType, bool)> {
    let mut characters = typestr.chars();
    let order = characters.next()?;
    let dtype = DType::ALL.into_iter().find(|&dtype| name(dtype).as_deref() == Some(characters.as_str()))?;
    let is_swapped = match order {
        '|' | '=' => false,
        '<' => cfg!(target_endian = "big"),
        '>' => cfg!(target_endian = "little"),
        _ => return None,
    };
    Some((dtype, is_swapped && dtype.size() > 1))
}

/// The bytes that change places among themselves when the order of bytes changes: an element, or a part of a complex one. Such a
/// number is also what elements are aligned to.
pub fn word(dtype: DType) -> usize {
    if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Kind;

    #[test]
    fn type_strings_are_numpys() {
        assert_eq!(typestr(DType::F32).as_deref(), Some("<f4"));
        assert_eq!(typestr(DType::Bool).as_deref(), Some("|b1"));
        assert_eq!(parse(">i8"), Some((DType::I64, true)));
        assert_eq!(parse(">u1"), Some((DType::U8, false)));
        assert_eq!(parse("|b1"), Some((DType::Bool, false)));
        assert_eq!((parse(">c16"), word(DType::C128), word(DType::I16)), (Some((DType::C128, true)), 8, 2));
        for bad in ["", "<", "f4", "<f16", "<U3", "|O", "<M8[ns]", "¼f4"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        for dtype in DType::ALL {
            let is_numpys = dtype.kind() != Kind::Narrow || dtype == DType::F16;
            assert_eq!(typestr(dtype).and_then(|name| parse(&name)), is_numpys.then_some((dtype, false)), "{dtype}");
        }
    }
}
