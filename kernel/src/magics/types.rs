//! Names of types as users write them: without the paths of modules, `ndarray`'s arrays by their short names.

/// A type that evcxr names, in a user's words.
pub(super) fn readable(type_name: &str) -> String {
    let short = without_paths(type_name);
    array_alias(&short).unwrap_or(short)
}

fn without_paths(type_name: &str) -> String {
    let mut text = String::with_capacity(type_name.len());
    // The start of the name that is being written.
    let mut segment = 0;
    let mut rest = type_name;
    while let Some(character) = rest.chars().next() {
        if rest.starts_with("::") && segment < text.len() {
            text.truncate(segment);
            rest = &rest[2..];
            continue;
        }
        text.push(character);
        if !crate::syntax::is_word(character) {
            segment = text.len();
        }
        rest = &rest[character.len_utf8()..];
    }
    text
}

/// `Array2<f64>` for `ArrayBase<OwnedRepr<f64>, Dim<[usize; 2]>, f64>`.
fn array_alias(name: &str) -> Option<String> {
    let rest = name.strip_prefix("ArrayBase<OwnedRepr<")?;
    let (element, rest) = rest.split_once(">, Dim<")?;
    let (dimensions, _) = rest.split_once('>')?;
    let rank = match dimensions {
        "IxDynImpl" => "D",
        fixed => fixed.strip_prefix("[usize; ")?.strip_suffix(']')?,
    };
    Some(format!("Array{rank}<{element}>"))
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_are_short() {
        for (name, expected) in [
            ("i32", "i32"),
            ("std::collections::HashMap<alloc::string::String, Vec<i32>>", "HashMap<String, Vec<i32>>"),
            ("Option<(i32, &'static str)>", "Option<(i32, &'static str)>"),
            ("ndarray::ArrayBase<ndarray::OwnedRepr<f64>, ndarray::Dim<[usize; 2]>, f64>", "Array2<f64>"),
            (
                "ndarray::ArrayBase<ndarray::OwnedRepr<Vec<u8>>, ndarray::Dim<ndarray::IxDynImpl>, Vec<u8>>",
                "ArrayD<Vec<u8>>",
            ),
            ("[std::time::Duration; 3]", "[Duration; 3]"),
        ] {
            assert_eq!(readable(name), expected);
        }
    }
}
