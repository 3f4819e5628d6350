//! What generated programs need beside their own functions: Rust's scalars and their functions, and the record of failures.
//!
//! The texts stand in `support/*.cuh`, parted by blank lines. A function of many types stands there once, with names such as
//! `INT` for what differs; `text` takes those parts that a program uses, with what these need, so that a small program stays
//! one that compiles in milliseconds.

use crate::methods::associated_constant;
use crate::program::Value;
use crate::scalars::{ALL, is_half, is_struct, name_of, part_of, scalar_named, size_of, typedefs};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

#[cfg(test)]
mod tests;

/// The support text of a program that calls these functions, and names these types in its own text. Other names are not its business.
pub(crate) fn text(used: &BTreeSet<String>, program: &str) -> String {
    let mut written = typedefs();
    let mut known = BTreeSet::new();
    for of in ALL.into_iter().filter(|&scalar| is_struct(scalar)).map(name_of) {
        if words(program).any(|word| word == of) {
            add(of, &mut known, &mut written);
        }
    }
    for name in used {
        add(name, &mut known, &mut written);
    }
    written
}

/// Writes a function behind those that it needs, unless it is there.
fn add(name: &str, known: &mut BTreeSet<String>, written: &mut String) {
    if known.contains(name) {
        return;
    }
    let Some(part) = LIBRARY.part(name) else { return };
    known.insert(name.to_owned());
    for word in words(&part).filter(|word| is_name(word)) {
        add(word, known, written);
    }
    written.push('\n');
    written.push_str(&part);
}

/// Which types a part is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Family {
    /// It is as it stands.
    Single,
    Integer,
    Signed,
    Unsigned,
    Float,
    Half,
    Complex,
}

/// The files, those that others need first.
const FILES: [(Family, &str); 12] = [
    (Family::Single, include_str!("../support/failures.cuh")),
    (Family::Single, include_str!("../support/threads.cuh")),
    (Family::Single, include_str!("../support/bytes.cuh")),
    (Family::Float, include_str!("../support/casts.cuh")),
    (Family::Float, include_str!("../support/floats.cuh")),
    (Family::Half, include_str!("../support/halves.cuh")),
    (Family::Complex, include_str!("../support/complex.cuh")),
    (Family::Integer, include_str!("../support/integers.cuh")),
    (Family::Signed, include_str!("../support/signed.cuh")),
    (Family::Unsigned, include_str!("../support/unsigned.cuh")),
    (Family::Integer, include_str!("../support/atomic_integers.cuh")),
    (Family::Float, include_str!("../support/atomic_floats.cuh")),
];

struct Library {
    /// The parts by the name that they define: as it stands there, `INT_add`.
    parts: HashMap<(Family, &'static str), &'static str>,
}

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let mut library = Library { parts: HashMap::new() };
    for (family, text) in FILES {
        // The first part says what the file is.
        for part in text.split_inclusive("\n\n").skip(1).map(|part| part.trim_start_matches('\n')) {
            let part = part.strip_suffix("\n\n").map_or(part, |without| &part[..without.len() + 1]);
            let name = defined_name(part).expect("every part defines a function or the record");
            library.parts.insert((family, name), part);
        }
    }
    library
});

impl Library {
    /// The part that defines a name, for the type that the name speaks of.
    fn part(&self, name: &str) -> Option<String> {
        if let Some(part) = self.parts.get(&(Family::Single, name)) {
            return Some((*part).to_owned());
        }
        // Parts of one float type stand among those of both, under their own names.
        if let Some(part) = self.parts.get(&(Family::Float, name)).or_else(|| self.parts.get(&(Family::Half, name))) {
            return Some((*part).to_owned());
        }
        if let Some((family, generic, names)) = names_of(name) {
            return self.parts.get(&(family, generic)).map(|part| substitute(part, &names));
        }
        let (first, rest) = name.split_once('_')?;
        if let Some((to, float)) = name.split_once("_from_")
            && let Some(names) = float_names(float)
            && let Some(part) = self.parts.get(&(Family::Float, format!("{to}_from_FLOAT").as_str()))
        {
            return Some(substitute(part, &names));
        }
        if let Some((family, generic, names)) = names_of(first) {
            let generic = format!("{generic}_{rest}");
            return self.parts.get(&(family, generic.as_str())).map(|part| substitute(part, &names));
        }
        let (family, names) = integer_names(first)?;
        let generic = format!("INT_{rest}");
        let part = self
            .parts
            .get(&(family, generic.as_str()))
            .or_else(|| self.parts.get(&(Family::Integer, generic.as_str())))?;
        Some(substitute(part, &names))
    }
}

/// What a part defines: the name before the first parenthesis of its code, or the record's variable.
fn defined_name(part: &'static str) -> Option<&'static str> {
    if part.contains("struct WarpcellRecord") {
        return Some("warpcell_record");
    }
    if let Some(name) = ["HALF", "COMPLEX"].into_iter().find(|name| part.starts_with(&format!("struct {name} "))) {
        return Some(name);
    }
    if part.contains("extern __shared__") {
        return Some("warpcell_dynamic_memory");
    }
    let code = part.lines().find(|line| line.contains("__device__"))?;
    words(code.split('(').next()?).filter(|word| is_name(word)).last()
}

/// What stands for the names of a part, for one type.
type Names = Vec<(&'static str, String)>;

/// Of a type that is not an integer: the family, the name that stands for the type in the texts, and all names that it replaces.
fn names_of(of: &str) -> Option<(Family, &'static str, Names)> {
    let floats = || Some((Family::Float, "FLOAT", float_names(of)?));
    let halves = || Some((Family::Half, "HALF", half_names(of)?));
    let complex = || Some((Family::Complex, "COMPLEX", complex_names(of)?));
    floats().or_else(halves).or_else(complex)
}

fn float_names(float: &str) -> Option<Names> {
    let texts = match float {
        "f32" => ["u32", "f", "0x80000000", "0x7fc00000", "0x7f7fffff", "0x00800000"],
        "f64" => ["u64", "", "0x8000000000000000", "0x7ff8000000000000", "0x7fefffffffffffff", "0x0010000000000000"],
        _ => return None,
    };
    let names = ["UINT", "_F", "SIGN_BITS", "NAN_BITS", "GREATEST_BITS", "NORMAL_BITS"];
    let mut names: Names = names.into_iter().zip(texts.map(str::to_owned)).collect();
    names.push(("FLOAT", float.to_owned()));
    Some(names)
}

fn half_names(half: &str) -> Option<Names> {
    let scalar = scalar_named(half).filter(|&scalar| is_half(scalar))?;
    let bits = |name, of| match associated_constant(scalar, of) {
        Some(Value::Scalar(_, bits)) => (name, format!("{bits:#x}")),
        other => unreachable!("{other:?} is not a float"),
    };
    let size = 8 * size_of(scalar);
    Some(vec![
        ("HALF", half.to_owned()),
        ("UNS", format!("u{size}")),
        bits("SIGN_BITS", "NEG_ZERO"),
        ("MAGNITUDE_BITS", format!("{:#x}", (1 << (size - 1)) - 1)),
        bits("EXPONENT_BITS", "INFINITY"),
        bits("ONE_BITS", "ONE"),
    ])
}

fn complex_names(complex: &str) -> Option<Names> {
    let mut names = float_names(name_of(part_of(scalar_named(complex)?)?))?;
    names.push(("COMPLEX", complex.to_owned()));
    Some(names)
}

fn integer_names(integer: &str) -> Option<(Family, Names)> {
    let signed = integer.starts_with('i');
    let size = integer.strip_prefix(if signed { 'i' } else { 'u' })?;
    let bits: u32 = if size == "size" { 64 } else { size.parse().ok()? };
    let word = if bits == 64 { "u64" } else { "u32" };
    // The limits as bits, so that no literal is too large for its type.
    let all = u64::MAX >> (64 - bits);
    let (least, greatest) = if signed { (all / 2 + 1, all / 2) } else { (0, all) };
    let suffix = if bits == 64 { "ull" } else { "u" };
    let names = vec![
        ("INT", integer.to_owned()),
        ("UNS", format!("u{size}")),
        ("SIG", format!("i{size}")),
        ("WORD", word.to_owned()),
        ("BITS", format!("{bits}")),
        ("LEAST", format!("{integer}({least:#x}{suffix})")),
        ("GREATEST", format!("{integer}({greatest:#x}{suffix})")),
    ];
    Some((if signed { Family::Signed } else { Family::Unsigned }, names))
}

/// A part with its names replaced: as whole words, before `_` (`INT_add`) and behind it (`i8_from_FLOAT`, `sin_F`).
fn substitute(part: &str, names: &Names) -> String {
    let value = |wanted: &str| names.iter().find(|(name, _)| *name == wanted).map(|(_, text)| text.as_str());
    let mut result = String::with_capacity(part.len());
    for word in words(part) {
        if let Some(text) = value(word) {
            result.push_str(text);
        } else if let Some(function) = word.strip_suffix("_F") {
            result.push_str(function);
            result.push_str(value("_F").unwrap_or("_F"));
        } else if let Some((before, "FLOAT")) = word.rsplit_once('_') {
            result.push_str(before);
            result.push('_');
            result.push_str(value("FLOAT").unwrap_or("FLOAT"));
        } else if let Some((first, rest)) = word.split_once('_')
            && let Some(text) = value(first)
        {
            result.push_str(text);
            result.push('_');
            result.push_str(rest);
        } else {
            result.push_str(word);
        }
    }
    result
}

/// A text's words (names and numbers) and the characters between them, in order; together the text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if inside(first) {
            rest.find(|character| !inside(character)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

fn is_name(word: &str) -> bool {
    word.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_')
}
