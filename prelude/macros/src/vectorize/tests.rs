//! Every diagnostic with the text that it points at, and what is emitted for a function that has none.

use super::registration;
use crate::notebook::Notebook;
use crate::registration::beside;
use expect_test::{Expect, expect};
use proc_macro2::TokenStream;

/// The errors of several functions: what each points at, and its message.
fn check(functions: &[&str], expected: Expect) {
    let mut text = String::new();
    for function in functions {
        let errors = registration(Default::default(), function.parse().unwrap(), None).err();
        for error in errors.unwrap_or_else(|| panic!("no error for {function}")) {
            text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
        }
    }
    expected.assert_eq(&text);
}

fn emitted(function: &str, notebook: Option<&Notebook>) -> String {
    registration(Default::default(), function.parse().unwrap(), notebook).unwrap().to_string()
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
        expect![[r#"
            const
              a `#[vectorize]` function must be a plain `fn`; remove `const`
            async
              a `#[vectorize]` function must be a plain `fn`; remove `async`
            unsafe
              a `#[vectorize]` function must be a plain `fn`; remove `unsafe`
            extern "C"
              a `#[vectorize]` function must be a plain `fn`; remove `extern`
            <T: Copy>
              a `#[vectorize]` function cannot have type parameters; write one function for each type, such as `fn f(x: f32) -> f32`
            where f32: Copy
              a `#[vectorize]` function cannot have a `where` clause; remove it
            struct
              `#[vectorize]` goes before a plain function: `#[vectorize] fn f(x: f32) -> f32 { … }`
            let
              `#[vectorize]` goes before a plain function: `#[vectorize] fn f(x: f32) -> f32 { … }`
        "#]],
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
            "fn f(n: i128) -> f32 { 1.0 }",
            "fn f(n: u128) -> f32 { 1.0 }",
            "fn f(x: real) -> f32 { 1.0 }",
            "fn f(x: Vec<f32>) -> f32 { 1.0 }",
            "fn f(x: impl Fn()) -> f32 { 1.0 }",
            "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8) -> u8 { a }",
        ],
        expect![[r#"
            ()
              a `#[vectorize]` function needs at least one argument, which is an element of an array, such as `x: f32`
            &self
              a `#[vectorize]` function must be outside of `impl` blocks; it takes scalars and structs, not `self`
            &f32
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write the scalar type itself: the function gets one element at a time
            &mut [f32]
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write the scalar type itself: the function gets one element at a time
            [f32; 3]
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one argument for each element, or a `#[device]` struct that has them
            (f32, f32)
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one argument for each part, or a `#[device]` struct that has them
            usize
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write `u64`
            i128
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write `i64`
            u128
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write `u64`
            real
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one of these, not the name of another type for it
            Vec<f32>
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one of these, without a path or type arguments
            impl Fn()
              an argument of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one of these
            i: u8
              a `#[vectorize]` function can take at most 8 arguments
        "#]],
    );
}

#[test]
fn only_scalars_out() {
    check(
        &[
            "fn f(x: f32) { }",
            "fn f(x: f32) -> () { }",
            "fn f(x: f32) -> (f32,) { (x,) }",
            "fn f(x: f32) -> (f32, i128) { (x, 1) }",
            "fn f(x: f32) -> [f32; 2] { [x, x] }",
            "fn f(x: f32) -> String { String::new() }",
        ],
        expect![[r#"
            f
              a `#[vectorize]` function must return a value, the element of the resulting array; write its type, such as `-> f32`
            ()
              the result of a `#[vectorize]` function must be a scalar, or a tuple of two to 8 scalars; return one of these
            (f32,)
              the result of a `#[vectorize]` function must be a scalar, or a tuple of two to 8 scalars; return one of these
            i128
              each part of the result of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write `i64`
            [f32; 2]
              the result of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; return a tuple of these, such as `(f32, f32)`
            String
              the result of a `#[vectorize]` function must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; write one of these, not the name of another type for it
        "#]],
    );
}

#[test]
fn the_attribute_takes_no_arguments() {
    let error = registration("target = cpu".parse().unwrap(), "fn f(x: f32) -> f32 { x }".parse().unwrap(), None);
    expect!["`#[vectorize]` takes no arguments; write `#[vectorize]`"].assert_eq(&error.unwrap_err()[0].to_string());
}

#[test]
fn the_function_stays_as_it_is_also_beside_an_error() {
    for function in ["fn f(x : f32) -> f32 { x }", "pub fn f(x : & f32) -> f32 { * x }"] {
        let function: TokenStream = function.parse().unwrap();
        let text = beside(Default::default(), function.clone(), registration).to_string();
        assert!(text.starts_with(&function.to_string()), "{text}");
    }
}

#[test]
fn what_is_emitted_calls_the_function_for_each_element() {
    let function = "#[inline] /// Doc.\n pub(crate) fn mixed(mut x: f32, _: bool) -> i64 { 1 }";
    let text = emitted(function, None);
    for part in [
        "= mixed (__warpcell_input_0 [__warpcell_index] , __warpcell_input_1 [__warpcell_index]) ;",
        "= < f32 as :: warpcell :: registry :: Block > :: input (__warpcell_inputs , 0usize) ;",
        "results : & [:: warpcell :: DType :: I64]",
        "source : \"fn mixed(mut x: f32, _: bool) -> i64 { 1 }\"",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    // Code of a library asks which instructions the processor has.
    assert_eq!(text.contains("has_wide_vectors ()"), cfg!(target_arch = "x86_64"));
}

#[test]
fn the_parts_of_a_tuple_go_to_an_output_each() {
    let with_struct = emitted("fn f(x: f32, shift: Shift) -> f32 { x + shift.by }", None);
    for part in [
        "StructParameter :: of :: < Shift > ()",
        "structure :: < Shift > (1usize)",
        "registry :: copied (& __warpcell_input_1)",
    ] {
        assert!(with_struct.contains(part), "{part} is not in {with_struct}");
    }
    let text = emitted("fn f(x: f32) -> (f32, bool) { (x, true) }", None);
    for part in [
        "let (__warpcell_result_0 , __warpcell_result_1) = f (__warpcell_input_0 [__warpcell_index]) ;",
        "let __warpcell_output_1 = < bool as :: warpcell :: registry :: Block > :: output (__warpcell_outputs) ;",
        "__warpcell_output_1 [__warpcell_index] = __warpcell_result_1 ;",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn in_a_notebook_the_hash_is_known_and_plain_functions_are() {
    let notebook = Notebook::read("item f 12ab\nplain g\n\n");
    assert!(emitted("fn f(x: f32) -> f32 { x }", Some(&notebook)).contains("\"12ab\""));
    let function = "fn f(x: f32) -> f32 { x + g(x) + g(2.0 * x) }".parse().unwrap();
    let errors = registration(Default::default(), function, Some(&notebook)).unwrap_err();
    assert_eq!(errors.len(), 1, "the first call");
    expect!["`g` can be called only on the host; write `#[device]` before its `fn`"].assert_eq(&errors[0].to_string());
}

#[test]
fn checks_in_loops_are_no_part_of_the_text() {
    let function = "fn f(n: i64) -> i64 { loop { ::warpcell::cell::check(); if n > 0 { return n; } } }";
    let text = emitted(function, None);
    assert!(text.contains("source : \"fn f(n: i64) -> i64 { loop { if n > 0 { return n; } } }\""), "{text}");
    let whole = beside(Default::default(), function.parse().unwrap(), registration).to_string();
    assert!(whole.contains("check ()"), "{whole}");
}
