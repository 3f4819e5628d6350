//! What a program gets of the support texts.

use super::{LIBRARY, text};
use crate::methods;
use crate::scalars::{ALL, is_half, name_of};

fn text_of(used: &[&str]) -> String {
    text(&used.iter().map(|name| (*name).to_owned()).collect(), "")
}

#[test]
fn a_program_gets_what_it_uses_and_nothing_else() {
    assert!(text_of(&[]).ends_with("typedef double f64;\n"));
    assert!(!text_of(&["f32", "sqrtf", "unknown_name"]).contains("__device__"));
    let text = text_of(&["f32_sqrt"]);
    assert!(text.ends_with("__device__ __forceinline__ f32 f32_sqrt(f32 x) { return sqrtf(x); }\n"), "{text}");
    assert_eq!(text.matches("__device__").count(), 1, "{text}");
}

#[test]
fn what_a_function_needs_stands_before_it_and_once() {
    let text = text_of(&["i64_rem_euclid", "i64_div", "u8_from_f64"]);
    let place = |what: &str| {
        assert_eq!(text.matches(what).count(), 1, "{what} in {text}");
        text.find(what).unwrap()
    };
    assert!(place("struct WarpcellRecord {") < place("void warpcell_fail("));
    assert!(place("void warpcell_fail(") < place("i64 i64_rem(i64 a"));
    assert!(place("i64 i64_rem(i64 a") < place("i64 i64_rem_euclid("));
    assert!(place("u32 u32_from_f64(") < place("u8 u8_from_f64("));
    assert!(text.contains("if (b == 0) warpcell_fail(1, function, line, i64(a), 0);"));
    for name in ["INT", "UNS", "FLOAT", "WORD", "_F("] {
        assert!(!text.contains(name), "{name} is left in {text}");
    }
}

#[test]
fn every_method_has_a_definition() {
    for (name, c_name) in methods::all_c_names() {
        let defined = LIBRARY.part(c_name).is_some() || name == "from";
        assert!(defined, "`{name}` is `{c_name}`, which no support text defines");
    }
    for half in ALL.into_iter().filter(|&scalar| is_half(scalar)).map(name_of) {
        for needed in ["to_f32_bits", "bits_from_f32"] {
            assert!(
                LIBRARY.part(&format!("{half}_{needed}")).is_some(),
                "`{half}_{needed}` is missing in `halves.cuh`"
            );
        }
    }
}
