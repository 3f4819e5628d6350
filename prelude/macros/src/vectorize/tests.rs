//! Every diagnostic with the text that it points at, and what is emitted for a function that has none.

use super::{expand, registration};
use expect_test::{Expect, expect};

/// The errors of several functions: what each points at, and its message.
fn check(functions: &[&str], expected: Expect) {
    let mut text = String::new();
    for function in functions {
        let error = registration(Default::default(), function.parse().unwrap()).err();
        let error = error.unwrap_or_else(|| panic!("no error for {function}"));
        text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
    }
    expected.assert_eq(&text);
}

#[test]
fn only_plain_functions() {
    check(
        &[
            "const fn f(x: f32) -> f32 { x }",
            "async fn f(x: f32) -> f32 { x }",
            "unsafe fn f(x: f32) -> f32 { x }",
            "extern \"C\" fn f(x: f32) -> f32 { x }",
            "fn f<T: Copy>(x: f32) -> f32 { x }",
            "fn f(x: f32) -> f32 where f32: Copy { x }",
            "struct S { x: f32 }",
            "let f = 1;",
        ],
        expect![""],
    );
}

#[test]
fn only_scalars_in() {
    check(
        &[
            "fn f() -> f32 { 1.0 }",
            "fn f(&self) -> f32 { 1.0 }",
            "fn f(x: &f32) -> f32 { *x }",
            "fn f(x: f32, y: &mut [f32]) -> f32 { x }",
            "fn f(x: [f32; 3]) -> f32 { x[0] }",
            "fn f(x: (f32, f32)) -> f32 { x.0 }",
            "fn f(n: usize) -> f32 { 1.0 }",
            "fn f(n: i16) -> f32 { 1.0 }",
            "fn f(n: u16) -> f32 { 1.0 }",
            "fn f(x: Real) -> f32 { 1.0 }",
            "fn f(x: Vec<f32>) -> f32 { 1.0 }",
            "fn f(x: impl Fn()) -> f32 { 1.0 }",
            "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8) -> u8 { a }",
        ],
        expect![""],
    );
}

#[test]
fn only_one_scalar_out() {
    check(
        &["fn f(x: f32) { }", "fn f(x: f32) -> (f32, f32) { (x, x) }", "fn f(x: f32) -> String { String::new() }"],
        expect![""],
    );
}

#[test]
fn the_attribute_takes_no_arguments() {
    let error = registration("target = cpu".parse().unwrap(), "fn f(x: f32) -> f32 { x }".parse().unwrap());
    expect![""].assert_eq(&error.unwrap_err().to_string());
}

#[test]
fn the_function_stays_as_it_is_also_beside_an_error() {
    for function in ["fn f(x : f32) -> f32 { x }", "pub fn f(x : & f32) -> f32 { * x }"] {
        let text = expand(Default::default(), function.parse().unwrap()).to_string();
        assert!(text.starts_with(function), "{text}");
    }
}

#[test]
fn what_is_emitted_calls_the_function_for_each_element() {
    let function = "#[inline] /// Doc.\n pub(crate) fn mixed(mut x: f32, _: bool) -> i64 { 1 }";
    let text = registration(Default::default(), function.parse().unwrap()).unwrap().to_string();
    for part in ["mixed (__warpcell_input_0 [__warpcell_index] , __warpcell_input_1", ". f32 (0usize)", "DType :: I64"]
    {
        assert!(text.contains(part), "no {part} in {text}");
    }
}
