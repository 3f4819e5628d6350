//! What `#[device]` says of items that it cannot take, and what it emits for others.

use super::{bare, registration};
use crate::notebook::Notebook;
use expect_test::{Expect, expect};

fn check(items: &[&str], expected: Expect) {
    let mut text = String::new();
    for item in items {
        let errors = registration(Default::default(), item.parse().unwrap(), None).err();
        for error in errors.unwrap_or_else(|| panic!("no error for {item}")) {
            text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
        }
    }
    expected.assert_eq(&text);
}

fn emitted(item: &str, notebook: Option<&Notebook>) -> String {
    registration(Default::default(), item.parse().unwrap(), notebook)
        .map_err(|errors| errors[0].to_string())
        .unwrap()
        .to_string()
}

#[test]
fn only_functions_and_structs() {
    check(
        &[
            "enum E { A, B }",
            "impl P { fn f(x: f32) -> f32 { x } }",
            "async fn f(x: f32) -> f32 { x }",
            "fn f<T: Copy>(x: T) -> T { x }",
            "fn f(&self) -> f32 { 1.0 }",
            "fn f(x: Vec<f32>) -> f32 { x[0] }",
            "struct P<T> { x: T }",
            "struct P { x: String }",
        ],
        expect![[r#"
            enum
              `#[device]` goes before a function or a struct: `#[device] fn f(x: f32) -> f32 { … }`
            impl
              `#[device]` goes before a function or a struct: `#[device] fn f(x: f32) -> f32 { … }`
            async
              a `#[device]` function must be a plain `fn`; remove `async`
            <T: Copy>
              a `#[device]` function cannot have type parameters; write one function for each type, such as `fn f(x: f32) -> f32`
            &self
              a `#[device]` function must be outside of `impl` blocks and cannot take `self`; write a parameter with a name and a type, such as `point: Point`
            Vec<f32>
              `Vec` is not for devices; write a fixed array, such as `[f32; 4]`
            <T>
              a `#[device]` struct cannot have type parameters; write one struct for each type
            String
              `String` is not for devices; compute with numbers, and write text on the host
        "#]],
    );
    let text = |arguments: &str| {
        let item = "#[inline(never)] pub fn f(x: f64) -> f64 { f64::from_bits(x.to_bits()) }";
        let item = if arguments == "apart" { item.replace("never", "always") } else { item.to_owned() };
        registration(arguments.parse().unwrap(), item.parse().unwrap(), None).unwrap().to_string()
    };
    assert!(text("apart").contains("#[inline(never)] fn f"), "{}", text("apart"));
    let elsewhere = text("elsewhere(x.exp())");
    assert!(
        elsewhere.contains("exp") && !elsewhere.contains("from_bits") && !elsewhere.contains("never"),
        "{elsewhere}"
    );
    let error = registration("target = cpu".parse().unwrap(), "fn f() {}".parse().unwrap(), None).unwrap_err();
    expect!["`#[device]` takes no arguments; write `#[device]`"].assert_eq(&error[0].to_string());
}

#[test]
fn attributes_and_visibility_are_no_part_of_the_text() {
    for item in ["#[inline]\n/// Doc.\npub(crate) fn f(x: f32) -> f32 { x }", "pub fn f(x: f32) -> f32 { x }"] {
        assert!(bare(item.parse().unwrap()).to_string().starts_with("fn f"));
        let text = emitted(item, None);
        assert!(text.contains("source : \"fn f(x: f32) -> f32 { x }\""), "{text}");
    }
}

#[test]
fn references_are_told_with_their_paths() {
    let text = emitted("fn f(x: f32) -> f32 { m::g(x) + P { x }.x * LIMIT }", None);
    for part in [
        "function (\"m::g\" , :: core :: any :: type_name_of_val (& m :: g))",
        "structure (\"P\" , :: core :: any :: type_name :: < P > ())",
        "constant (\"LIMIT\" , & LIMIT)",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn a_struct_is_a_constant_too() {
    let text = emitted("#[derive(Clone, Copy)] struct P { x: f32, y: [i32; 2] }", None);
    for part in ["(\"x\" , & self . x) , (\"y\" , & self . y)", "a_device_struct_needs_derive_clone_copy :: < P > ()"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(emitted("struct P(f32, bool);", None).contains("(\"1\" , & self . 1)"));
}

#[test]
fn a_registered_struct_keeps_what_constants_need() {
    let notebook = Notebook::read("item P 12 registered\nitem f 13\nplain g\n\n");
    let text = emitted("struct P { x: f32 }", Some(&notebook));
    assert!(text.contains("Constant for P") && !text.contains("init_array"), "{text}");
    let text = emitted("fn f(x: f32) -> f32 { x }", Some(&notebook));
    assert!(text.contains("\"13\""), "{text}");
    let item = "fn f(x: f32) -> f32 { g(x) }".parse().unwrap();
    let error = registration(Default::default(), item, Some(&notebook)).unwrap_err();
    expect!["`g` can be called only on the host; write `#[device]` before its `fn`"].assert_eq(&error[0].to_string());
}

#[test]
fn lines_are_those_of_the_cell() {
    let notebook = Notebook::read("\n\nlet x = 1;\n\nfn f() -> f32 {\n    1.0\n}");
    let text = emitted("fn f() -> f32 {\n    1.0\n}", Some(&notebook));
    assert!(text.contains("line : 3usize"), "{text}");
    let text = emitted("\n\nfn g() -> f32 { 1.0 }", Some(&notebook));
    assert!(text.contains("line : 1usize"), "{text}");
}

#[test]
fn a_constant_needs_no_attribute() {
    let error = registration(Default::default(), "const LIMIT: i32 = 3;".parse().unwrap(), None).unwrap_err();
    expect!["device code can use a constant without an attribute; remove `#[device]`"].assert_eq(&error[0].to_string());
}

#[test]
fn of_attributes_only_inline_never_is_a_part_of_the_text() {
    for (attributes, expected) in [
        ("", "\"fn f"),
        ("#[inline(never)] ", "\"#[inline(never)] fn f"),
        ("#[inline] #[must_use] ", "\"fn f"),
        ("#[inline(always)] ", "\"fn f"),
        ("#[must_use] #[inline(never)] pub ", "\"#[inline(never)] fn f"),
    ] {
        let emitted = emitted(&format!("{attributes}fn f(x: f32) -> f32 {{ x }}"), None);
        assert!(emitted.contains(&format!("source : {expected}")), "{attributes}: {emitted}");
    }
}
