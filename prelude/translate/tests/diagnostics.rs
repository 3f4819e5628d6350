//! Everything that the subset lacks: the token at which it is reported, and what is said.

use expect_test::{Expect, expect};
use warpcell_translate::{Item, Role, check, check_struct, translate};

/// The errors of functions: what each points at, and its message.
fn functions(role: Role, functions: &[&str], expected: Expect) {
    let mut text = String::new();
    for function in functions {
        let parsed: syn::ItemFn = syn::parse_str(function).unwrap_or_else(|error| panic!("{error}: {function}"));
        let errors = check(&parsed, role).err().unwrap_or_else(|| panic!("no error for {function}"));
        for error in errors {
            text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
        }
    }
    expected.assert_eq(&text);
}

/// The same of the body of a device function with the parameters `x: f32, n: i32, a: [f32; 4], p: Point`.
fn bodies(bodies: &[&str], expected: Expect) {
    let texts: Vec<String> =
        bodies.iter().map(|body| format!("fn f(x: f32, n: i32, a: [f32; 4], p: Point) -> f32 {{ {body} }}")).collect();
    functions(Role::Device, &texts.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn heads_of_vectorized_functions() {
    functions(
        Role::Vectorize,
        &[
            "const fn f(x: f32) -> f32 { x }",
            "async fn f(x: f32) -> f32 { x }",
            "unsafe fn f(x: f32) -> f32 { x }",
            "extern \"C\" fn f(x: f32) -> f32 { x }",
            "fn f<T: Copy>(x: f32) -> f32 { x }",
            "fn f(x: f32) -> f32 where f32: Copy { x }",
            "fn f() -> f32 { 1.0 }",
            "fn f(&self) -> f32 { 1.0 }",
            "fn f(x: &f32) -> f32 { *x }",
            "fn f(x: f32, y: &mut [f32]) -> f32 { x }",
            "fn f(x: [f32; 3]) -> f32 { x[0] }",
            "fn f(x: (f32, f32)) -> f32 { x.0 }",
            "fn f(x: real) -> f32 { 1.0 }",
            "fn f(x: u128) -> f32 { 1.0 }",
            "fn f(x: char) -> f32 { 1.0 }",
            "fn f(x: impl Fn()) -> f32 { 1.0 }",
            "fn f(x: f32) { }",
            "fn f(x: f32) -> [f32; 2] { [x, x] }",
            "fn f(x: f32) -> (f32, [f32; 2]) { (x, [x, x]) }",
            "fn f(x: f32) -> String { String::new() }",
            "#[cfg(test)] fn f(x: f32) -> f32 { x }",
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
            ()
              a `#[vectorize]` function needs at least one argument, which is an element of an array, such as `x: f32`
            &self
              a `#[vectorize]` function must be outside of `impl` blocks and cannot take `self`; write a parameter with a name and a type, such as `point: Point`
            &f32
              an argument of a `#[vectorize]` function must be a scalar; write the type itself: the function gets one element at a time
            &mut [f32]
              an argument of a `#[vectorize]` function must be a scalar; write the type itself: the function gets one element at a time
            [f32; 3]
              an argument of a `#[vectorize]` function must be a scalar; write one argument for each element
            (f32, f32)
              an argument of a `#[vectorize]` function must be a scalar; write one argument for each part
            real
              an argument of a `#[vectorize]` function must be a scalar; write one, such as `f32`, not the name of another type for it
            u128
              an argument of a `#[vectorize]` function must be a scalar; write `u64`
            char
              an argument of a `#[vectorize]` function must be a scalar; write `u32`
            impl Fn()
              an argument of a `#[vectorize]` function must be a scalar; write one, such as `f32`
            f
              a `#[vectorize]` function must return a value, the element of the resulting array; write its type, such as `-> f32`
            [f32; 2]
              the result of a `#[vectorize]` function must be a scalar; write a tuple of scalars, such as `(f32, f32)`
            [f32; 2]
              each part of the result of a `#[vectorize]` function must be a scalar; write a tuple of scalars, such as `(f32, f32)`
            String
              the result of a `#[vectorize]` function must be a scalar; write one, such as `f32`, not the name of another type for it
            String::new
              `String` is not for devices; compute with numbers, and write text on the host
            #[cfg(test)]
              `cfg` is not supported in device code; remove it, or write one function for each case
        "#]],
    );
}

#[test]
fn heads_of_others() {
    functions(
        Role::Device,
        &[
            "fn f(x: &[f32]) -> f32 { x[0] }",
            "fn f(x: [f32]) -> f32 { x[0] }",
            "fn f(x: *const f32) -> f32 { 1.0 }",
            "fn f(g: fn(f32) -> f32) -> f32 { 1.0 }",
            "fn f(g: impl Fn(f32) -> f32) -> f32 { 1.0 }",
            "fn f(g: &dyn Shape) -> f32 { 1.0 }",
            "fn f(v: Vec<f32>) -> f32 { 1.0 }",
            "fn f(v: Option<f32>) -> f32 { 1.0 }",
            "fn f(v: Box<f32>) -> f32 { 1.0 }",
            "fn f(v: &str) -> f32 { 1.0 }",
            "fn f(v: f128) -> f32 { 1.0 }",
            "fn f(v: Pair<f32>) -> f32 { 1.0 }",
            "fn f(v: (&f32, f32)) -> f32 { 1.0 }",
            "fn f(v: [f32; 1000000]) -> f32 { 1.0 }",
            "fn f(x: f32) -> &f32 { &x }",
            "fn f(x: f32) -> ! { loop {} }",
            "fn f<T: Float>(x: T) -> T { x }",
            "fn f(self) {}",
        ],
        expect![[r#"
            &[f32]
              slices are not for devices; write a fixed array, such as `&[f32; 4]`
            [f32]
              slices are not for devices; write a fixed array, such as `[f32; 4]`
            *const f32
              pointers are not for devices; write a reference as a parameter, `&mut f32`
            fn(f32) -> f32
              device code calls functions by their names; write a `#[device]` function
            impl Fn(f32) -> f32
              traits are not for devices; write one function for each type
            dyn Shape
              traits are not for devices; write one function for each type
            Vec<f32>
              `Vec` is not for devices; write a fixed array, such as `[f32; 4]`
            Option<f32>
              `Option` is not for devices; write a tuple of a `bool` and the value, or a special value in place of `None`
            Box<f32>
              `Box` is not for devices; write the value itself
            str
              `str` is not for devices; compute with numbers, and write text on the host
            f128
              `f128` is not for devices; write `f64`
            Pair<f32>
              type parameters are not for devices; write one function for each type, without `::<…>`
            &f32
              in device code, only parameters of `#[device]` functions and plain variables can be references; write the value itself here
            1000000
              an array of 1000000 elements does not fit a thread's memory; write at most 65536
            &f32
              in device code, only parameters of `#[device]` functions and plain variables can be references; write the value itself here
            !
              `!` is not for devices; write the type of a value that is never returned
            <T: Float>
              a `#[device]` function cannot have type parameters; write one function for each type, such as `fn f(x: f32) -> f32`
            self
              a `#[device]` function must be outside of `impl` blocks and cannot take `self`; write a parameter with a name and a type, such as `point: Point`
        "#]],
    );
    functions(
        Role::Formula,
        &["fn formula(x: f32) -> _ { [x, x] }", "fn formula() -> _ { 1.0 }"],
        expect![[r#"
        -> _
          the result of a formula of `fuse!` must be a scalar or a tuple of scalars, not `[f32; 2]`
        ()
          a formula of `fuse!` needs at least one argument, which is an element of an array, such as `x: f32`
    "#]],
    );
}

#[test]
fn structs() {
    let mut text = String::new();
    for item in [
        "struct P<T> { x: T }",
        "struct P { v: Vec<f32>, s: String, r: &'static f32, o: Option<f32> }",
        "struct P { f: fn(f32) -> f32, c: char, #[cfg(test)] t: f32 }",
    ] {
        let parsed: syn::ItemStruct = syn::parse_str(item).unwrap();
        for error in check_struct(&parsed).err().unwrap() {
            text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
        }
    }
    expect![[r#"
        <T>
          a `#[device]` struct cannot have type parameters; write one struct for each type
        Vec<f32>
          `Vec` is not for devices; write a fixed array, such as `[f32; 4]`
        String
          `String` is not for devices; compute with numbers, and write text on the host
        &'static f32
          in device code, only parameters of `#[device]` functions and plain variables can be references; write the value itself here
        Option<f32>
          `Option` is not for devices; write a tuple of a `bool` and the value, or a special value in place of `None`
        fn(f32) -> f32
          device code calls functions by their names; write a `#[device]` function
        char
          `char` is not for devices; write `u8` or `u32`
        #[cfg(test)]
          `cfg` is not supported in device code; remove it, or write one function for each case
    "#]].assert_eq(&text);
}

#[test]
fn syntax() {
    bodies(
        &[
            "let double = |v: f32| v * 2.0; double(x)",
            "half(x)?",
            "unsafe { x }",
            "async { x }.await",
            "const { 1.0 }",
            "let v = &raw const x; x",
            "let [a, b] = [x, x] else { return x; }; x",
            "if let 1 = n && x > 0.0 { x } else { 1.0 }",
            "while let 1 = n { } x",
            "let r = 0..4; x",
            "for i in 0.. { } x",
            "for t in 0.0..1.0 { } x",
            "for v in x { } x",
            "for i in (0..4).step_by(0) { } x",
            "for i in (0..4).map(double) { } x",
            "for i in (0..4).step_by(2).rev() { } x",
            "for (i, v) in a.iter().zip(a.iter()) { } x",
            "let s = &a[1..3]; x",
            "_ + x",
            "break; x",
            "let v = <f32 as Default>::default(); x",
            "match x {}",
        ],
        expect![[r#"
            |
              closures are not for devices; write a `#[device]` function, or a loop where one is given to an iterator
            double
              device code can only call functions, by their names; write a `#[device]` function instead of a closure or a variable that holds a function
            ?
              `?` is not for devices; return a tuple of a `bool` and the value, and test it with `if`
            unsafe
              `unsafe` is not for devices; write the same with arrays and numbers
            await
              `await` is not for devices; write a plain function
            const
              `const` blocks are not for devices; write `const NAME: f32 = …;`
            &raw const x
              pointers are not for devices; write a reference, `&mut x`
            else
              `let … else` is not for devices; write `match`, or an `if` before the `let`
            let
              in device code, `let` cannot be combined with other conditions; write `match` with a guard
            let
              `while let` is not for devices; write `loop` with a `match` that breaks
            0..4
              device code supports ranges only in `for` loops, patterns and `(a..b).contains(&x)`; keep the two ends in two variables
            0..
              in device code, a `for` loop needs a range with both ends, such as `0..n`; or write `loop`
            0.0..1.0
              a `for` loop must go over integers; count with an integer and compute the other number: `let x = i as f32 * step;`
            x
              in device code, a `for` loop must go over a range or a fixed array, but this is `f32`
            0
              a step must be at least 1
            map
              the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` loop with a variable that collects the result
            rev
              the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` loop with a variable that collects the result
            zip
              the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` loop with a variable that collects the result
            1..3
              slices are not for devices; loop over the range of indices: `for i in 1..3 { … a[i] … }`
            _
              `_` is not a value; write a value
            break
              this is not inside a loop that it could leave
            <f32 as Default>::default
              traits are not for devices; write `f32::name` or a `#[device]` function
            match x {}
              a `match` in device code needs an arm; write `_ => …`
        "#]],
    );
}

#[test]
fn items() {
    bodies(
        &[
            "fn double(v: f32) -> f32 { v * 2.0 } double(x)",
            "struct Q { x: f32 } x",
            "static S: f32 = 1.0; x",
            "use std::f32::consts::*; PI",
            "macro_rules! m { () => {} } x",
            "impl Point { } x",
            "#[cfg(test)] let y = 1.0; x",
        ],
        expect![[r#"
            double
              functions within functions are not for devices; move `double` out and write `#[device]` before it
            Q
              structs within functions are not for devices; move `Q` out and write `#[device]` before it
            static S: f32 = 1.0;
              only constants and `use` are allowed inside a function that runs on a device; move this out of the function
            *
              glob imports are not supported in device code; name what is used: `use std::f32::consts::PI;`
            macro_rules
              macros are not for devices; write a `#[device]` function instead
            impl Point { }
              only constants and `use` are allowed inside a function that runs on a device; move this out of the function
            #[cfg(test)]
              `cfg` is not supported in device code; remove it, or write one function for each case
        "#]],
    );
}

#[test]
fn names_of_the_library() {
    bodies(
        &[
            "let v = Vec::new(); x",
            "let b = Box::new(x); *b",
            "let s = String::from(\"a\"); x",
            "let o = Some(x); x",
            "let o = None; x",
            "let r = Ok(x); x",
            "std::mem::replace(&mut x, 1.0)",
            "std::thread::sleep(x)",
            "f32::from_str(x)",
            "f32::MIN_EXP2",
            "i32::default()",
            "Self::helper(x)",
            "f(x, n, a, p)",
            "let h = x; h(1.0)",
            "(if n > 0 { g } else { h })(x)",
            "double::<f32>(x)",
            "std::cmp::max(n)",
        ],
        expect![[r#"
            Vec::new
              `Vec` is not for devices; write a fixed array, such as `[f32; 4]`
            Box::new
              `Box` is not for devices; write the value itself
            String::from
              `String` is not for devices; compute with numbers, and write text on the host
            Some
              `Some` is not for devices; write a tuple of a `bool` and the value, or a special value in place of `None`
            None
              `None` is not for devices; write a tuple of a `bool` and the value, or a special value in place of `None`
            Ok
              `Ok` is not for devices; write a tuple of a `bool` and the value; an impossible case is `panic!()`
            std::mem::replace
              `std::mem::replace` is not for devices; write an assignment: `let old = *x; *x = new;`
            std::thread::sleep
              `std::thread::sleep` is not for devices; write it with numbers, operators and their methods
            f32::from_str
              `f32::from_str` is not supported in device code; write a method of `f32`, an operator, or `as f32`
            f32::MIN_EXP2
              `f32::MIN_EXP2` is not supported in device code; `f32` has `MAX`, `MIN`, `EPSILON`, `INFINITY`, `NAN` and others: write your own constant
            i32::default
              `i32::default` is not supported in device code; write a method of `i32`, an operator, or `as i32`
            Self::helper
              `helper` is not for devices; write a function outside of `impl` blocks
            f
              `f` calls itself; a device function cannot, as each thread has little stack: write a loop
            h
              device code can only call functions, by their names; write a `#[device]` function instead of a closure or a variable that holds a function
            (if n > 0 { g } else { h })
              device code can only call functions, by their names; write a `#[device]` function instead of a closure or a variable that holds a function
            double::<f32>
              type parameters are not for devices; write one function for each type, without `::<…>`
            std::cmp::max(n)
              `max` takes 2 arguments, not 1
        "#]],
    );
}

#[test]
fn macros() {
    bodies(
        &[
            "println!(\"{x}\"); x",
            "dbg!(x)",
            "let v = vec![x; 3]; x",
            "let s = format!(\"{x}\"); x",
            "my_macro!(x)",
            "assert!(); x",
        ],
        expect![[r#"
            println
              `println!` is not for devices; return the value, and print it on the host
            dbg
              `dbg!` is not for devices; return the value, and print it on the host
            vec
              `vec!` is not for devices; write a fixed array, `[0.0f32; 4]`
            format
              `format!` is not for devices; compute with numbers, and write text on the host
            my_macro
              `my_macro!` is not for devices; write the code that it stands for, or a `#[device]` function
            assert!()
              an assertion needs a condition: `assert!(x > 0.0)`
        "#]],
    );
}

#[test]
fn literals() {
    bodies(
        &[
            "let c = 'a'; x",
            "let s = \"text\"; x",
            "let s = b\"bytes\"; x",
            "let h = 1.0f16; x",
            "let h = 1u128; x",
            "let h = 1i128; x",
            "let h = 3meters; x",
            "let h = 340282366920938463463374607431768211456; x",
        ],
        expect![[r#"
            'a'
              characters are not for devices; write a byte, such as `b'a'`, or a number
            "text"
              strings are not for devices; compute with numbers, and write text on the host
            b"bytes"
              byte strings are not for devices; write an array of numbers, `[97u8, 98]`
            1.0f16
              `f16` has no literals; write `f16::from_f32(2.0)`
            1u128
              `u128` is not for devices; write `u64`
            1i128
              `i128` is not for devices; write `i64`
            3meters
              `meters` is not a number type in device code; write one of Rust's, such as `f32`
            340282366920938463463374607431768211456
              numbers on a device have at most 64 bits; write a smaller one
        "#]],
    );
}

#[test]
fn methods() {
    bodies(
        &[
            "x.checked_add(1.0)",
            "n.checked_add(1) as f32",
            "x.to_string(); x",
            "n.powf(2.0)",
            "x.pow(2)",
            "x.partial_cmp(&1.0); x",
            "x.sine()",
            "n.into()",
            "x.sqrt::<f32>()",
            "x.powi()",
            "x.then(|| 1.0)",
            "(n > 0).then(|| 1.0)",
            "a.iter().map(|v| v * 2.0).sum()",
            "a.sort(); x",
            "a.swap(0, 1); x",
            "p.norm()",
            "(x, n).swap()",
            "(0..4).sum::<i32>() as f32",
            "other(x).unwrap()",
        ],
        expect![[r#"
            checked_add
              `f32` has no method `checked_add` on a device; write it out in arithmetic, or as a function with `#[device]` before it
            checked_add
              `i32` has no method `checked_add` on a device; kernels have no `Option`: use `wrapping_add`, `saturating_add` or `overflowing_add`
            to_string
              `f32` has no method `to_string` on a device; kernels have no text: do this before or after the kernel
            powf
              `i32` has no method `powf` on a device; write `x.pow(2)`
            pow
              `f32` has no method `pow` on a device; write `x.powi(2)` or `x.powf(0.5)`
            partial_cmp
              `f32` has no method `partial_cmp` on a device; compare with `<`, `==` and `>`: kernels have no `Ordering`
            sine
              `f32` has no method `sine` on a device; write `sin`
            into
              `i32` has no method `into` on a device; write the type: `f64::from(x)` or `x as f64`
            ::<f32>
              type parameters are not for devices; write one function for each type, without `::<…>`
            x.powi()
              `powi` takes 1 argument, not 0
            then
              `f32` has no method `then` on a device; kernels have no `Option`: write `if … { … } else { … }`
            then
              `bool` has no method `then` on a device; kernels have no `Option`: write `if … { … } else { … }`
            iter
              the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` loop with a variable that collects the result
            |
              closures are not for devices; write a `#[device]` function, or a loop where one is given to an iterator
            sort
              `[f32; 4]` has no method `sort` on a device; it has `len`, `clone`, and `iter` in `for` loops: write a loop
            swap
              arrays have no method `swap` on a device; write `(a[i], a[j]) = (a[j], a[i])`
            norm
              `Point` has no methods on a device; write a `#[device]` function `norm(value: Point)`
            swap
              `(f32, i32)` has no methods on a device; write a `#[device]` function `swap(parts: (f32, i32))`
            sum
              the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` loop with a variable that collects the result
            unwrap
              `unwrap` is a method of `Option` and `Result`, which are not for devices; write a tuple of a `bool` and the value, or a special value in place of `None`
        "#]],
    );
}

#[test]
fn patterns() {
    bodies(
        &[
            "match n { 1 | 2 => x, m @ (3 | 4) => x, (5, y) | (y, 5) => x, _ => x }",
            "match n { ref mut m => x }",
            "match a { [first, rest @ ..] => first }",
            "match n { m!() => x, _ => x }",
            "match x { Some(v) => v, None => 0.0 }",
            "match n { const { 3 } => x, _ => x }",
            "let &mut y = x; x",
        ],
        expect![[r#"
            (5, y) | (y, 5)
              in device code, alternatives `a | b` of a pattern cannot bind names; write one arm for each alternative
            mut
              in device code, patterns bind values, not mutable references; take a `&mut` of the field: `let x = &mut p.x;`
            ..
              in device code, the rest of an array cannot have a name; name the elements one by one
            m!()
              macros are not for devices; write the pattern that it stands for
            Some
              `Some` is not for devices; write a tuple of a `bool` and the value, or a special value in place of `None`
            const { 3 }
              in device code, a pattern must be a number, a range, a name, a tuple, a struct or an array of these; or write a guard
            mut
              in device code, patterns bind values, not mutable references; take a `&mut` of the field: `let x = &mut p.x;`
        "#]],
    );
}

#[test]
fn places_and_references() {
    bodies(
        &[
            "f(x) = 1.0; x",
            "let mut y = 1.0; let mut r = &mut x; r = &mut y; x",
            "let r = if n > 0 { &mut x } else { &mut x }; x",
            "let t = (&mut x, n); x",
            "a[4] + a[1 + 3]",
            "n[0]",
            "p[0] + x.y + (x, n).2",
            "p + p",
            "-p",
            "p == p",
            "(x, n) + (x, n)",
            "a as f32",
            "let y: Vec<f32> = x; let z: [f32; 0x10000000000000000] = x; y",
        ],
        expect![[r#"
            f(x)
              device code can assign only to variables, fields and elements of arrays
            r = &mut y
              in device code, a `&mut` variable always refers to the same thing; write a second variable, or change the value itself: `*x = …`
            if n > 0 { &mut x } else { &mut x }
              a branch or a loop cannot choose a `&mut` reference; change the variable itself within each branch
            t
              in device code, only parameters of `#[device]` functions and plain variables can be references; write the value itself here
            4
              index 4 is past the end of an array of 4
            1 + 3
              index 4 is past the end of an array of 4
            n
              device code can index only fixed arrays, such as `[f32; 4]`, but this is `i32`
            p
              device code can index only fixed arrays, such as `[f32; 4]`, but this is `Point`
            y
              `f32` has no field `y`
            2
              `(f32, i32)` has no field `2`
            p + p
              operators of structs are not for devices; write a `#[device]` function, or compute with the fields
            -p
              operators of structs are not for devices; write a `#[device]` function, or compute with the fields
            p == p
              device code cannot compare structs; compare their fields
            (x, n) + (x, n)
              operators are only for scalars, but this is `(f32, i32)`; write them for each part
            a
              only scalars can be cast with `as`, but this is `[f32; 4]`; cast its parts
            Vec<f32>
              `Vec` is not for devices; write a fixed array, such as `[f32; 4]`
            0x10000000000000000
              an array of 18446744073709551616 elements does not fit a thread's memory; write at most 65536
        "#]],
    );
}

#[test]
fn all_errors_of_a_function_are_reported() {
    functions(
        Role::Vectorize,
        &["fn f(x: f32) -> f32 {
            println!(\"{x}\");
            let y = x.sine();
            for c in \"text\" { y += vec![1.0].len(); }
            y.unwrap()?
        }"],
        expect![[r#"
            println
              `println!` is not for devices; return the value, and print it on the host
            sine
              `f32` has no method `sine` on a device; write `sin`
            "text"
              strings are not for devices; compute with numbers, and write text on the host
            vec
              `vec!` is not for devices; write a fixed array, `[0.0f32; 4]`
            ?
              `?` is not for devices; return a tuple of a `bool` and the value, and test it with `if`
        "#]],
    );
}

/// Errors that only show when a program is translated.
#[test]
fn programs() {
    let item = |name: &str, source: &str, functions: &[&str]| Item {
        name: format!("cell::{name}"),
        source: source.to_owned(),
        line: 10,
        functions: functions.iter().map(|name| ((*name).to_owned(), format!("cell::{name}"))).collect(),
        ..Item::default()
    };
    struct Known(Vec<Item>);
    impl warpcell_translate::Items for Known {
        fn item(&self, name: &str) -> Option<&Item> {
            self.0.iter().find(|item| item.name == name)
        }
    }
    let known = Known(vec![
        item("plain", "fn plain(x: f32) -> f32 {\n    helper(x)\n}", &["helper"]),
        item("even", "fn even(n: i32) -> bool { n == 0 || odd(n - 1) }", &["odd"]),
        item("odd", "fn odd(n: i32) -> bool { n != 0 && even(n - 1) }", &["even"]),
        item("count", "fn count(x: f32) -> f32 {\n    two(x)\n}", &["two"]),
        item("two", "fn two(x: f32, y: f32) -> f32 { x + y }", &[]),
        item("typed", "fn typed(x: f32) -> f32 {\n    two(\n        x,\n        1i32)\n}", &["two"]),
        item("unknown", "fn unknown(x: f32) -> f32 { let y; x }", &[]),
        item("constant", "fn constant(x: f32) -> f32 { x * SCALE }", &[]),
        item("structure", "fn structure(x: f32) -> f32 { let p = P { x }; p.x }", &[]),
        item("broken", "fn broken(x: f32 -> f32 { x }", &[]),
        item("late", "fn late(x: f32) -> f32 {\n    let y = two(x, x);\n    y.sine()\n}", &["two"]),
        item("length", "fn length(x: f32) -> f32 { let a = [x; N]; a[0] }", &[]),
        item("recursive", "fn recursive(n: i32) -> i32 { if n < 1 { 1 } else { recursive(n - 1) } }", &["recursive"]),
    ]);
    let mut text = String::new();
    for name in [
        "plain",
        "even",
        "count",
        "typed",
        "unknown",
        "constant",
        "structure",
        "broken",
        "late",
        "length",
        "recursive",
        "none",
    ] {
        match translate(&format!("cell::{name}"), Role::Device, &[], &known) {
            Ok(_) => text += &format!("{name}: no error\n"),
            Err(error) => text += &format!("{error}\n"),
        }
    }
    expect![[r#"
        `plain`, line 11: `helper` is a plain function; write `#[device]` before it, so that it can be called on a device
        `even`, line 10: `even` calls itself through other functions (`even` calls `odd` calls `even`); a device function cannot, as each thread has little stack: write a loop
        `count`, line 11: `two` takes 2 arguments, not 1
        `typed`, line 13: this is `i32`, but `f32` is needed here; write the types, or `as`
        unknown: no error
        `constant`, line 10: `SCALE` is not known in device code; write a constant, `const NAME: f32 = …;`, or pass it as an argument
        `structure`, line 10: `P` is not known in device code; write `#[device]` before the struct, or use one of Rust's scalars
        `broken`, line 10: cannot parse string into token stream
        `late`, line 12: `f32` has no method `sine` on a device; write `sin`
        `length`, line 10: `N` is not known in device code; write a constant, `const NAME: f32 = …;`, or pass it as an argument
        `recursive`, line 10: `recursive` calls itself; a device function cannot, as each thread has little stack: write a loop
        `none`, line 0: `none` is a plain function; write `#[device]` before it, so that it can be called on a device
    "#]].assert_eq(&text);
}
