//! Each part of the subset is translated, as `subset/functions.cu` has it, and compiled; and what is no Rust, or not quite,
//! never stops the translator.

mod program;

use expect_test::expect_file;
use warpcell_translate::{
    Item, Items, KernelOptions, Parameter, Role, check, check_struct, path_text, translate, translate_kernel,
};

const FUNCTIONS: &str = include_str!("subset/functions.rs");
const KERNELS: &str = include_str!("grids/kernels.rs");

#[test]
fn all_of_the_subset() {
    let head = "// What the translator makes of functions.rs.\n//\n// Long by nature: it is generated.\n\n";
    expect_file!["subset/functions.cu"].assert_eq(&format!("{head}{}", program::source(FUNCTIONS, "all")));
}

/// Pseudo-random numbers, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// Words and signs of a text.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for character in text.chars() {
        let is_word = character.is_alphanumeric() || character == '_';
        match tokens.last_mut() {
            Some(last) if is_word && last.ends_with(|of: char| of.is_alphanumeric() || of == '_') => {
                last.push(character)
            }
            _ => tokens.push(character.to_string()),
        }
    }
    tokens
}

/// Functions with tokens left out, exchanged, doubled or taken from elsewhere: those that are still Rust are checked, and
/// translated with whatever they name as far as it is there. Errors are welcome.
#[test]
fn odd_functions_are_errors_at_worst() {
    assert!(odd_translated(FUNCTIONS, 2000, &mut Random(7)) > 100);
}

/// The same of kernels.
#[test]
fn odd_kernels_are_errors_at_worst() {
    assert!(odd_translated(KERNELS, 3000, &mut Random(11)) > 100);
}

/// How many of so many odd functions could be translated.
fn odd_translated(functions: &str, rounds: usize, random: &mut Random) -> usize {
    let all = tokens(functions);
    let sources: Vec<Item> = program::items(functions);
    let mut translated = 0;
    let count = sources.len();
    for round in 0..rounds {
        let index = random.below(count);
        let mut text = tokens(&sources[index].source);
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => {
                    text.remove(at);
                }
                1 => text.insert(at, all[random.below(all.len())].clone()),
                2 => text[at] = all[random.below(all.len())].clone(),
                _ => {
                    let other = random.below(text.len());
                    text.swap(at, other);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        translated += usize::from(translates(&text.concat(), &sources, round, random));
    }
    translated
}

struct Others<'a> {
    odd: Item,
    known: &'a [Item],
}

impl Items for Others<'_> {
    fn item(&self, name: &str) -> Option<&Item> {
        if name == "odd" { Some(&self.odd) } else { self.known.iter().find(|item| item.name == name) }
    }
}

/// An argument for a parameter, if there may be one.
fn parameter(of: &syn::FnArg, random: &mut Random) -> Option<Parameter> {
    let syn::FnArg::Typed(typed) = of else { return None };
    let text = quote::ToTokens::to_token_stream(&typed.ty).to_string().replace(' ', "");
    let gaps = if random.below(3) == 0 { "*" } else { "" };
    let rank = 1 + random.below(3);
    Some(match text.trim_start_matches("gpu::").split_once('<') {
        Some((access, element)) if access.starts_with("View") && element.ends_with('>') => {
            program::parameter(&format!("{access}{rank}<{element}{gaps}"))?
        }
        _ => program::parameter(&text)?,
    })
}

/// Checks and translates a text, whatever it is. Whether it could be translated.
fn translates(text: &str, known: &[Item], round: usize, random: &mut Random) -> bool {
    if let Ok(item) = syn::parse_str::<syn::ItemStruct>(text) {
        let _ = check_struct(&item);
    }
    let Ok(function) = syn::parse_str::<syn::ItemFn>(text) else { return false };
    let role = [Role::Device, Role::Vectorize, Role::Formula, Role::Kernel][round % 4];
    let references = check(&function, role).unwrap_or_default();
    let named = |paths: &[syn::Path]| paths.iter().map(|path| (path_text(path), path_text(path))).collect::<Vec<_>>();
    // Also with the names of others where the function's own could not be found.
    let all = |keyword: &str| -> Vec<(String, String)> {
        let of = known.iter().filter(|item| item.source.starts_with(keyword));
        of.map(|item| (item.name.clone(), item.name.clone())).collect()
    };
    let odd = Item {
        name: "odd".to_owned(),
        source: text.to_owned(),
        line: 1,
        functions: if references.functions.is_empty() { all("fn") } else { named(&references.functions) },
        structs: all("struct"),
        constants: Vec::new(),
    };
    let items = Others { odd, known };
    if role == Role::Kernel {
        let parameters: Vec<Parameter> = function.sig.inputs.iter().filter_map(|of| parameter(of, random)).collect();
        let options = KernelOptions { checked: random.below(2) == 0 };
        return translate_kernel("odd", &parameters, options, &items).is_ok();
    }
    translate("odd", role, &[], &items).is_ok()
}
