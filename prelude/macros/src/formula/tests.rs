//! What `fuse!` says about code that is not a formula, and what it makes of a formula.

use super::expression;
use crate::notebook::Notebook;
use expect_test::{Expect, expect};

fn check(formulas: &[&str], expected: Expect) {
    let mut text = String::new();
    for formula in formulas {
        let errors = expression(formula.parse().unwrap(), None).err();
        for error in errors.unwrap_or_else(|| panic!("no error for {formula}")) {
            text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
        }
    }
    expected.assert_eq(&text);
}

fn emitted(formula: &str) -> String {
    expression(formula.parse().unwrap(), None).map_err(|errors| errors[0].to_string()).unwrap().to_string()
}

#[test]
fn only_closures_with_types() {
    check(
        &[
            "@other |x, y| x + y",
            "@other move |x: f32| x",
            "@other || 1.0",
            "@other f",
            "@other",
            "@other |(x, y): (f32, f32)| x",
            "@other |x: f32|",
            "max |x: f32| x, 2.0",
            "|x: usize| x",
            "|x: [f32; 2]| x[0]",
            "|a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8| a",
            "|x: f32| x.to_string()",
            "|x: f32| a + b + c + d + e + f + g + h + x * i",
        ],
        expect![[r#"
            x
              write the type of the parameter, such as `x: f32`
            move
              `fuse!` always captures by value; remove `move`
            |
              a formula needs at least one parameter, which is an element of an array: `|x: f32| …`

              write a formula with a type for each parameter: `fuse!(|x: f32, y: f32| (x - y) * (x - y))`

              write a formula with a type for each parameter: `fuse!(|x: f32, y: f32| (x - y) * (x - y))`
            (
              a parameter of a formula must be a name with a type, such as `x: f32`; to destructure it or to make it mutable, write a `let` in the formula

              unexpected end of input, the formula is missing: `|x: f32| x * x`
            ,
              `max(…)` around a formula takes one value, and reduces the results over all elements; for two numbers, write `a.min(b)` or `a.max(b)`
            usize
              a parameter of a formula of `fuse!` must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write `u64`
            [f32; 2]
              a parameter of a formula of `fuse!` must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one argument for each element
            i
              a formula can have at most 8 parameters
            to_string
              `f32` has no method `to_string` on a device; kernels have no text: do this before or after the kernel
            i
              a formula can capture at most 8 variables; pass some as arguments
        "#]],
    );
}

#[test]
fn captures_are_the_last_parameters() {
    let text = emitted("|x: f32, n: i32| scale * x.powi(n) + scale - offset");
    assert!(
        text.contains(
            "source : \"fn formula(x: f32, n: i32, scale: _, offset: _) -> _ { scale * x.powi(n) + scale - offset\\n}\""
        ),
        "{text}"
    );
    assert!(text.contains("written : \"|x: f32, n: i32| scale * x.powi(n) + scale - offset\""), "{text}");
    assert!(text.contains("& [:: warpcell :: registry :: Capture :: captured (scale) ,"), "{text}");
}

#[test]
fn a_result_may_have_a_type_and_a_reduction() {
    let text = emitted("|x: f32| -> (f32, bool) { (x, true) }");
    assert!(text.contains("fn formula(x: f32) -> (f32,bool) { { (x, true) }"), "{text}");
    let text = emitted("sum |x: f32| x * x");
    assert!(text.contains("written : \"|x: f32| sum(x * x)\""), "{text}");
}

#[test]
fn in_a_notebook_plain_functions_are_known() {
    let notebook = Notebook::read("plain g\n\nlet a = 1;\nlet h = fuse!(|x: f32|\n    g(x));");
    let error = expression("|x: f32| g(x)".parse().unwrap(), Some(&notebook)).unwrap_err();
    expect!["`g` can be called only on the host; write `#[device]` before its `fn`"].assert_eq(&error[0].to_string());
    let text = expression("|x: f32| f(x)".parse().unwrap(), Some(&notebook)).unwrap().to_string();
    assert!(text.contains("line : 1usize"), "{text}");
}
