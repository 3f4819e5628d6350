//! What changes a type's hash and what does not.

use super::{Definitions, may_define_types};

fn hash(items: &str, type_name: &str) -> u64 {
    Definitions::read(items, &[]).hash(type_name)
}

/// Asserts that the type is laid out anew when the first items become the second.
#[track_caller]
fn changes(type_name: &str, old: &str, new: &str) {
    assert_ne!(hash(old, type_name), 0, "{type_name} is the notebook's");
    assert_ne!(hash(old, type_name), hash(new, type_name), "{type_name} must be another");
}

#[track_caller]
fn stays(type_name: &str, old: &str, new: &str) {
    assert_ne!(hash(old, type_name), 0, "{type_name} is the notebook's");
    assert_eq!(hash(old, type_name), hash(new, type_name), "{type_name} must be the same");
}

const P: &str = "struct P { x: f64 }";
const Q: &str = "struct P { x: f64, y: f64 }";

#[test]
fn fields_change_a_type_wherever_it_is_named() {
    for name in [
        "P",
        "Vec<P>",
        "HashMap<String, P>",
        "std::collections::HashMap<String, Vec<P>>",
        "Option<Box<P>>",
        "(i32, [P; 3])",
        "&'static [P]",
        "*const P",
        "Box<dyn Fn(P) -> i32>",
        "fn(&P) -> P",
        "crate::P",
        "r#P",
        "Box<dyn Iterator<Item = P>>",
    ] {
        changes(name, P, Q);
        stays(name, P, "struct P{x:f64}");
    }
}

#[test]
fn what_the_notebook_does_not_define_contributes_nothing() {
    for name in
        ["i32", "Vec<String>", "DeviceArray<f64>", "gpu::Event", "Box<dyn Fn(i32) -> i32>", "T", "<i32 as A>::B"]
    {
        assert_eq!(hash(P, name), 0, "{name}");
    }
}

#[test]
fn types_behind_fields_variants_and_aliases_count() {
    let outer =
        |inner: &str| format!("struct A {{ b: B }} struct B {{ c: Vec<C> }} enum C {{ None, Some(D) }} {inner}");
    changes("A", &outer("type D = [u8; 3];"), &outer("type D = [u8; 4];"));
    changes("A", &outer("union D { a: u8, b: u16 }"), &outer("union D { a: u8, b: u32 }"));
    changes("Vec<Alias>", "type Alias = (i32, P); struct P(i32);", "type Alias = (i32, P); struct P(i64);");
    changes("C", "enum C { A, B }", "enum C { B, A }");
    stays("C", "enum C { A, B } struct Other(i32);", "enum C { A, B } struct Other(i64);");
}

#[test]
fn recursive_types_come_to_an_end() {
    changes("List", "struct List { next: Option<Box<List>> }", "struct List { next: Option<Box<List>>, n: i32 }");
    changes("A", "struct A(Vec<B>); struct B(Vec<A>);", "struct A(Vec<B>); struct B(Vec<A>, i32);");
}

#[test]
fn what_does_not_change_the_layout_does_not_matter() {
    stays(
        "P",
        P,
        "/// A point.\n#[derive(Debug, Clone)] pub(crate) struct P { /* here */ pub x: f64, }"
            .replace(", }", " }")
            .as_str(),
    );
    stays("P", P, &format!("{P} impl P {{ fn double(&self) -> f64 {{ self.x * 2.0 }} }} fn x() {{}}"));
    stays("P", &format!("{P} fn f() {{}}"), &format!("fn f() -> i32 {{ 3 }}\n{P}"));
    stays("P", "#[derive(Serialize)] struct P { #[serde(skip)] x: f64 }", P);
}

#[test]
fn what_changes_the_layout_does_matter() {
    changes("P", P, &format!("#[repr(C)] {P}"));
    changes("P", &format!("#[repr(C)] {P}"), &format!("#[repr(packed)] {P}"));
    changes("P", "struct P { x: f64, y: i32 }", "struct P { y: i32, x: f64 }");
    changes("P", P, "enum P { x }");
    changes("P", "struct P { a: [u8; N] } const N: usize = 3;", "struct P { a: [u8; N] } const N: usize = 4;");
    changes(
        "P",
        "struct P { a: [u8; size(2)] } const fn size(n: usize) -> usize { n }",
        "struct P { a: [u8; size(2)] } const fn size(n: usize) -> usize { n * 2 }",
    );
    changes(
        "P",
        "struct P([u8; Q::SIZE]); struct Q; impl Q { const SIZE: usize = 3; }",
        "struct P([u8; Q::SIZE]); struct Q; impl Q { const SIZE: usize = 4; }",
    );
    changes(
        "P",
        "struct P { a: numbers!(2) } macro_rules! numbers { ($n:expr) => { [u8; $n] } }",
        "struct P { a: numbers!(2) } macro_rules! numbers { ($n:expr) => { [u16; $n] } }",
    );
}

#[test]
fn names_that_a_type_binds_itself_are_its_own() {
    stays("W<i32>", "struct W<T> { t: T } struct T(i32);", "struct W<T> { t: T } struct T(i64);");
    changes("W<T>", "struct W<U> { t: U } struct T(i32);", "struct W<U> { t: U } struct T(i64);");
    stays("P", "struct P { scale: f32 } fn scale() {}", "struct P { scale: f32 } fn scale() -> i32 { 2 }");
}

#[test]
fn associated_types_are_followed_into_implementations() {
    let items = |output: &str| {
        format!("struct W<T: A> {{ t: T::Out }} trait A {{ type Out; }} impl A for i32 {{ type Out = {output}; }}")
    };
    changes("W<i32>", &items("u8"), &items("u16"));
    let qualified = |output: &str| items(output).replace("T::Out", "<T as A>::Out");
    changes("W<i32>", &qualified("u8"), &qualified("u16"));
}

#[test]
fn traits_behind_dyn_count_by_their_methods() {
    let shape = |methods: &str| format!("trait Shape {{ {methods} }}");
    changes("Box<dyn Shape>", &shape("fn area(&self) -> f64;"), &shape("fn name(&self); fn area(&self) -> f64;"));
    stays("Box<dyn Shape>", &shape("fn area(&self) -> f64 { 0.0 }"), &shape("fn area(&self) -> f64 { 1.0 }"));
    let rectangle = |field: &str| format!("trait Shape {{ fn bounds(&self) -> R; }} struct R({field});");
    changes("Vec<Box<dyn Shape>>", &rectangle("f32"), &rectangle("f64"));
}

#[test]
fn modules_and_imports_are_looked_through() {
    let module = |field: &str| {
        format!("mod m {{ pub struct P {{ pub x: {field} }} pub mod n {{ pub struct Q(pub super::P); }} }}")
    };
    for (name, import) in [
        ("m::P", ""),
        ("crate::m::P", ""),
        ("self::m::n::Q", ""),
        ("P", "use m::P;"),
        ("P", "use m::*;"),
        ("Renamed", "use crate::m::{n::{self, Q as Renamed}};"),
        ("n::Q", "use m::n;"),
        ("n::Q", "use m::n::{self};"),
    ] {
        let items = |field| format!("{} {import}", module(field));
        changes(name, &items("i32"), &items("i64"));
    }
    stays("P", &format!("{P} {}", module("i32")), &format!("{P} {}", module("i64")));
}

#[test]
fn a_type_of_the_notebook_hides_one_of_the_prelude() {
    assert_eq!(hash("use gpu::prelude::*;", "Array2"), 0);
    changes("Array2", "use gpu::prelude::*; struct Array2(i32);", "use gpu::prelude::*; struct Array2(i64);");
    let user = "struct P { d: Duration }";
    let with_std = format!("use std::time::Duration; {user}");
    assert_ne!(hash(&with_std, "P"), hash(&format!("{user} struct Duration(i32);"), "P"));
}

#[test]
fn imports_in_a_circle_come_to_an_end() {
    assert_eq!(hash("use a::b; use b::a; struct X; use self::*; use crate::*;", "a::P"), 0);
    assert_eq!(hash("use P; struct X;", "P"), 0);
}

#[test]
fn modules_with_macros_count_as_a_whole() {
    let module = |body: &str| format!("mod m {{ make!({body}); }}");
    changes("m::P", &module("P, i32"), &module("P, i64"));
}

#[test]
fn crates_of_the_user_count_by_what_was_built() {
    let with = |identity: &str, items: &str, name: &str| {
        Definitions::read(items, &[("shapes".to_owned(), identity.to_owned())]).hash(name)
    };
    for (items, name) in [
        ("", "Vec<shapes::Shape>"),
        ("use shapes::Shape;", "Shape"),
        ("use shapes::*;", "Shape"),
        ("extern crate shapes as forms;", "forms::Shape"),
        ("struct P(shapes::Shape);", "P"),
    ] {
        assert_ne!(with("1", items, name), 0, "{items} {name}");
        assert_ne!(with("1", items, name), with("2", items, name), "{items} {name}");
        assert_eq!(with("1", items, name), with("1", items, name));
    }
    assert_eq!(with("1", "", "i32"), 0);
}

#[test]
fn the_order_of_the_items_does_not_matter() {
    let (a, b) = ("struct A(B);", "struct B(i32);");
    assert_eq!(hash(&format!("{a}{b}"), "A"), hash(&format!("{b}{a}"), "A"));
}

#[test]
fn cells_without_types_need_no_look() {
    assert!(!may_define_types("use gpu::prelude::*;\nfn destruct(x: i32) -> i32 { x }"));
    assert!(may_define_types("#[derive(Debug)]\npub struct P;"));
}
