//! What `#[kernel]` says of functions that it cannot take, and what it emits for others.

use super::registration;
use crate::notebook::Notebook;
use expect_test::{Expect, expect};

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
    registration(Default::default(), function.parse().unwrap(), notebook)
        .map_err(|errors| errors[0].to_string())
        .unwrap()
        .to_string()
}

#[test]
fn only_plain_functions_that_return_nothing() {
    check(
        &[
            "const fn f() {}",
            "async fn f() {}",
            "unsafe fn f() {}",
            "extern \"C\" fn f() {}",
            "fn f<T: Copy>(x: View<T>) {}",
            "fn f() where f32: Copy {}",
            "fn f() -> f32 { 1.0 }",
            "struct S { x: f32 }",
            "fn f(&self) {}",
            "fn f((a, b): (f32, f32)) {}",
        ],
        expect![""],
    );
    let error = registration("fast".parse().unwrap(), "fn f() {}".parse().unwrap(), None).unwrap_err();
    expect!["`#[kernel]` takes no arguments; write `#[kernel]`"].assert_eq(&error[0].to_string());
}

#[test]
fn only_views_and_scalars() {
    check(
        &[
            "fn f(x: &[f32]) {}",
            "fn f(x: &mut [f64]) {}",
            "fn f(x: &View<f32>) {}",
            "fn f(x: *mut i32) {}",
            "fn f(x: View) {}",
            "fn f(x: View<i16>) {}",
            "fn f(x: View<f32, f32>) {}",
            "fn f(x: &DeviceArray<f32>) {}",
            "fn f(x: DeviceArray<i64>) {}",
            "fn f(x: SharedArray<f32>) {}",
            "fn f(x: Vec<f32>) {}",
            "fn f(x: (f32, f32)) {}",
            "fn f(x: [f32; 3]) {}",
            "fn f(x: i16) {}",
            "fn f(x: std::primitive::f32) {}",
            "fn f(x: Point) {}",
            "fn f(x: impl Fn()) {}",
            "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8, n: u8, o: u8, p: u8, q: u8) {}",
        ],
        expect![""],
    );
}

#[test]
fn what_is_emitted() {
    let notebook = Notebook::read("item k 12ab 40\nitem g ff 30 registered\nplain h\n\n\nfn k() {}\n");
    let function = "pub fn k(input: View<f32>, mut out: gpu::ViewMut<f64>, n: usize) { let i = global_idx().x; if i < n { out[i] = \
                    f64::from(input[i]); } }";
    expect![""].assert_eq(&emitted(function, Some(&notebook)));
    expect![""].assert_eq(&emitted("fn k() {}", None));
}

#[test]
fn functions_of_the_host_are_errors() {
    let notebook = Notebook::read("item k 0 1\nplain h\n\n");
    let errors = registration(Default::default(), "fn k() { h(); }".parse().unwrap(), Some(&notebook)).unwrap_err();
    expect!["`h` is a function of the host alone; write `#[device]` before its `fn`"].assert_eq(&errors[0].to_string());
}
