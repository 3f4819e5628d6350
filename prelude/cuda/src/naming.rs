//! What kernels are called on the device, and so in profiles: `packed` of the program that adds floats is
//! `packed_add_float` there.

use std::borrow::Cow;

/// What the kernels of a program have behind their names: the words among the values of its macros, the operation first.
pub(super) fn suffix(options: &[String]) -> String {
    let macros = options.iter().filter_map(|option| option.strip_prefix("-DWARPCELL_")?.split_once('='));
    let is_word = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    let words: Vec<(&str, &str)> = macros.filter(|(_, value)| is_word(value)).collect();
    let is_type = |name: &str| matches!(name, "STORED" | "INPUT" | "OUTPUT" | "ELEMENT" | "INDEX");
    let (types, operations): (Vec<_>, Vec<_>) = words.into_iter().partition(|(name, _)| is_type(name));
    let mut names: Vec<&str> = operations.into_iter().chain(types).map(|(_, value)| value).collect();
    names.dedup();
    names.iter().map(|name| format!("_{name}")).collect()
}

/// The source with the suffix behind the name of each kernel. Nothing else names kernels: no kernel starts another.
pub(super) fn renamed<'a>(source: &'a str, suffix: &str) -> Cow<'a, str> {
    if suffix.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len() + 256);
    let mut rest = source;
    while let Some(end) = end_of_kernel_name(rest) {
        text += &rest[..end];
        text += suffix;
        rest = &rest[end..];
    }
    text += rest;
    Cow::Owned(text)
}

/// Where the name of the first kernel in a text ends: in `__global__ void __launch_bounds__(THREADS) name(`.
fn end_of_kernel_name(text: &str) -> Option<usize> {
    const MARK: &str = "__global__";
    let mut from = 0;
    loop {
        let at = from + text[from..].find(MARK)? + MARK.len();
        if let Some(end) = name_behind(&text[at..]) {
            return Some(at + end);
        }
        // A comment speaks of it.
        from = at;
    }
}

fn name_behind(text: &str) -> Option<usize> {
    let behind = |rest: &str| text.len() - rest.len();
    let rest = text.trim_start().strip_prefix("void")?.trim_start();
    let rest = match rest.strip_prefix("__launch_bounds__") {
        Some(bounds) => after_parentheses(bounds.trim_start())?.trim_start(),
        None => rest,
    };
    let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '_')?;
    (end > 0 && rest[end..].trim_start().starts_with('(')).then(|| behind(rest) + end)
}

/// What stands behind the parentheses with which a text begins.
fn after_parentheses(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(&text[at + 1..]),
            ')' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_come_before_types_and_numbers_are_left_out() {
        let of = |options: &[&str]| suffix(&options.iter().map(ToString::to_string).collect::<Vec<_>>());
        let add =
            ["-DWARPCELL_INPUT=float", "-DWARPCELL_OUTPUT=float", "-DWARPCELL_OPERATION=add", "-DWARPCELL_ARITY=2"];
        assert_eq!(of(&add), "_add_float");
        assert_eq!(
            of(&["-DWARPCELL_INPUT=float", "-DWARPCELL_OUTPUT=bool", "-DWARPCELL_OPERATION=less"]),
            "_less_float_bool"
        );
        let mean = ["-DWARPCELL_STORED=int", "-DWARPCELL_INPUT=double", "-DWARPCELL_OUTPUT=double"];
        assert_eq!(of(&[&mean[..], &["-DWARPCELL_REDUCTION=Sum"]].concat()), "_Sum_int_double");
        assert_eq!(of(&["-DWARPCELL_ELEMENT=double", "-DWARPCELL_KERNEL_ROWS=15", "--fmad=false"]), "_double");
        assert_eq!(of(&[]), "");
    }

    #[test]
    fn kernels_are_renamed_and_nothing_else() {
        let source = "// __global__ functions\nextern \"C\" __global__ void __launch_bounds__(A, sizeof(b) == 4 ? 5 : 4)\n\
                      sum(int x) { sum_of(x); }\nextern \"C\" __global__ void sum_all (int y) {}\n__device__ void sum_of(int) {}";
        let expected = "// __global__ functions\nextern \"C\" __global__ void __launch_bounds__(A, sizeof(b) == 4 ? 5 : 4)\n\
                        sum_f(int x) { sum_of(x); }\nextern \"C\" __global__ void sum_all_f (int y) {}\n__device__ void sum_of(int) {}";
        assert_eq!(renamed(source, "_f"), expected);
        assert_eq!(renamed(source, ""), source);
    }

    #[test]
    fn all_kernels_of_all_programs_are_renamed() {
        for program in crate::tests::all() {
            let kernels = program.source.matches("__global__ void").count();
            let text = renamed(program.source, "_suffix");
            assert_eq!(text.matches("_suffix").count(), kernels, "{}", program.name);
            assert!(kernels > 0, "{}", program.name);
        }
    }
}
