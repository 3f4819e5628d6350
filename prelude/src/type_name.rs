//! Names of types as users write them: without paths, `ndarray`'s arrays by their short names.

/// The name of a value's type as a user would write it, such as `Array2<i32>`; Python's `type`.
///
/// `std::any::type_name_of_val` gives `ndarray::ArrayBase<ndarray::data_repr::OwnedRepr<i32>, ...>`.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// assert_eq!(gpu::type_of(&ndarray::arr2(&[[1, 2], [3, 4]])), "Array2<i32>");
/// assert_eq!(gpu::type_of(&gpu::zeros::<f32>(3)), "DeviceArray<f32>");
/// assert_eq!(gpu::type_of(&vec![Some("text")]), "Vec<Option<&str>>");
/// ```
pub fn type_of<T: ?Sized>(value: &T) -> String {
    readable(std::any::type_name_of_val(value))
}

/// A type that the compiler names, in a user's words.
pub(crate) fn readable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    // Where the path that is being written began.
    let mut path = 0;
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        let length = character.len_utf8();
        if let Some(after) = rest.strip_prefix("::")
            && path < text.len()
        {
            text.truncate(path);
            rest = after;
        } else if character == '<'
            && path < text.len()
            && let Some((inside, after)) = split_brackets(rest)
        {
            // Lifetimes have no names here: what is written for them is `'_`.
            let parts = split_arguments(inside).into_iter().map(str::trim).filter(|part| !part.starts_with('\''));
            let arguments: Vec<String> = parts.map(readable).collect();
            let of = text.split_off(path);
            text += &short_name(&of, &arguments).unwrap_or_else(|| match arguments.len() {
                0 => of,
                _ => format!("{of}<{}>", arguments.join(", ")),
            });
            rest = after;
        } else {
            text.push(character);
            rest = &rest[length..];
            if !(character.is_alphanumeric() || "_{}#".contains(character)) {
                path = text.len();
            }
        }
    }
    text
}

/// What stands inside of the angle brackets with which a text begins, and what behind them.
fn split_brackets(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            // An arrow is not a bracket.
            '>' if before != '-' => {
                depth -= 1;
                if depth == 0 {
                    return Some((&text[1..at], &text[at + 1..]));
                }
            }
            _ => {}
        }
        before = character;
    }
    None
}

/// The parts between the commas that no bracket encloses.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut before) = (Vec::new(), 0, 0isize, ' ');
    for (at, character) in text.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if before != '-' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        before = character;
    }
    parts.push(&text[from..]);
    parts
}

/// The short name of one of `ndarray`'s types, if it has one; the arguments are in a user's words already.
fn short_name(of: &str, arguments: &[String]) -> Option<String> {
    let dimension = |text: &str| text.strip_prefix("Ix").map(|rank| if rank == "Dyn" { "D" } else { rank }.to_owned());
    match of {
        "Dim" => match arguments {
            [dynamic] if dynamic == "IxDynImpl" => Some("IxDyn".to_owned()),
            [fixed] => {
                let rank: usize = fixed.strip_prefix("[usize; ")?.strip_suffix(']')?.parse().ok()?;
                (rank <= 6).then(|| format!("Ix{rank}"))
            }
            _ => None,
        },
        "ArrayBase" => {
            let (storage, rank) = (arguments.first()?, arguments.get(1)?);
            let (kind, element) = storage.strip_suffix('>')?.split_once('<')?;
            let (name, element) = match kind {
                "OwnedRepr" => ("Array", element),
                "OwnedArcRepr" => ("ArcArray", element),
                "CowRepr" => ("CowArray", element),
                "ViewRepr" => match element.strip_prefix("&mut ") {
                    Some(element) => ("ArrayViewMut", element),
                    None => ("ArrayView", element.strip_prefix('&')?),
                },
                _ => return None,
            };
            Some(match dimension(rank) {
                Some(_) if kind == "CowRepr" => format!("{name}<{element}, {rank}>"),
                // Of shared arrays only these have short names.
                Some(short) if kind != "OwnedArcRepr" || matches!(short.as_str(), "1" | "2") => {
                    format!("{name}{short}<{element}>")
                }
                _ => format!("{name}<{element}, {rank}>"),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ArcArray, Array, Array2, ArrayD, CowArray, Ix2, Ix3, IxDyn, arr1, arr2};
    use std::collections::HashMap;

    #[test]
    fn types_are_named_as_users_write_them() {
        let square: Array2<i32> = arr2(&[[1, 2], [3, 4]]);
        let mut cube = Array::<f64, Ix3>::zeros((1, 1, 1));
        assert_eq!(type_of(&square), "Array2<i32>");
        assert_eq!(type_of(&square.view()), "ArrayView2<i32>");
        assert_eq!(type_of(&cube.view_mut()), "ArrayViewMut3<f64>");
        assert_eq!(type_of(&square.clone().into_dyn()), "ArrayD<i32>");
        assert_eq!(type_of(&square.clone().into_shared()), "ArcArray2<i32>");
        assert_eq!(type_of(&ArcArray::<u8, Ix3>::zeros((1, 1, 1))), "ArcArray<u8, Ix3>");
        assert_eq!(type_of(&CowArray::from(square.view())), "CowArray<i32, Ix2>");
        assert_eq!(type_of(&vec![Some(arr1(&[1.5f32]))]), "Vec<Option<Array1<f32>>>");
        assert_eq!(type_of(&(ArrayD::<crate::f16>::default(IxDyn(&[1])), ndarray::Ix2(1, 2))), "(ArrayD<f16>, Ix2)");
        assert_eq!(type_of(&Array::<Array2<u8>, Ix2>::default((0, 0))), "Array2<Array2<u8>>");
        assert_eq!(type_of(&crate::zeros::<f32>(2)), "DeviceArray<f32>");
        assert_eq!(type_of(&"text".chars()), "Chars");
        assert_eq!(type_of(&1.0f64), "f64");
        assert_eq!(type_of(&String::new()), "String");
        assert_eq!(type_of("text"), "str");
        assert_eq!(type_of(&[1u8, 2][..]), "[u8]");
        assert_eq!(type_of(&[std::time::Duration::ZERO; 3]), "[Duration; 3]");
        assert_eq!(type_of(&HashMap::<String, Vec<&str>>::new()), "HashMap<String, Vec<&str>>");
        let boxed: Box<dyn Fn(Vec<i32>) -> Option<String>> = Box::new(|_| None);
        assert_eq!(type_of(&boxed), "Box<dyn Fn(Vec<i32>) -> Option<String>>");
        let function: fn(Array2<f64>) -> String = |_| String::new();
        assert_eq!(type_of(&function), "fn(Array2<f64>) -> String");
    }

    #[test]
    fn odd_names_pass_unharmed() {
        for (name, expected) in [
            ("a::b::{{closure}}", "{{closure}}"),
            ("a<b", "a<b"),
            ("a::B<c::D>::e", "e"),
            ("<a::B as c::D>::e", "<B as D>::e"),
            ("::", "::"),
            ("", ""),
            ("ndarray::ArrayBase<ndarray::data_repr::OwnedRepr<f64>, ndarray::Dim<[usize; 2]>, f64>", "Array2<f64>"),
            ("Dim<[usize; 7]>", "Dim<[usize; 7]>"),
            ("ArrayBase<OwnedRepr<f64>, Dim<[usize; 7]>>", "Array<f64, Dim<[usize; 7]>>"),
            ("ArrayBase<RawViewRepr<*const f64>, Dim<[usize; 1]>>", "ArrayBase<RawViewRepr<*const f64>, Ix1>"),
        ] {
            assert_eq!(readable(name), expected);
        }
    }
}
