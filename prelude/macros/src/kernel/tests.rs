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
        expect![[r#"
            const
              a `#[kernel]` function must be a plain `fn`; remove `const`
            async
              a `#[kernel]` function must be a plain `fn`; remove `async`
            unsafe
              a `#[kernel]` function must be a plain `fn`; remove `unsafe`
            extern "C"
              a `#[kernel]` function must be a plain `fn`; remove `extern`
            <T: Copy>
              a `#[kernel]` function cannot have type parameters; write one kernel for each type, such as `fn f(input: View<f32>)`
            where f32: Copy
              a `#[kernel]` function cannot have a `where` clause; remove it
            f32
              a `#[kernel]` function cannot return a value, because each thread would return one; write results to an array: a parameter such as `mut out: ViewMut<f32>`
            struct
              `#[kernel]` goes before a plain function: `#[kernel] fn f(input: View<f32>, mut out: ViewMut<f32>) { … }`
            &self
              a `#[kernel]` function must be outside of `impl` blocks; it takes views, scalars and structs, not `self`
            (a, b)
              a parameter of a `#[kernel]` function must be a name with a type, such as `mut out: ViewMut<f32>`
        "#]],
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
            "fn f(x: View<f128>) {}",
            "fn f(x: View<f32, f32>) {}",
            "fn f(x: &DeviceArray<f32>) {}",
            "fn f(x: DeviceArray<i64>) {}",
            "fn f(x: SharedArray<f32>) {}",
            "fn f(x: Vec<f32>) {}",
            "fn f(x: (f32, f32)) {}",
            "fn f(x: [f32; 3]) {}",
            "fn f(x: i128) {}",
            "fn f(x: std::primitive::f32) {}",
            "fn f(x: Point<f32>) {}",
            "fn f(x: impl Fn()) {}",
            "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8, n: u8, o: u8, p: u8, q: u8) {}",
        ],
        expect![[r#"
            &[f32]
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `View<f32>`: all threads use the same array
            &mut [f64]
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `ViewMut<f64>`: all threads use the same array
            &View<f32>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; views are passed by value: remove the `&`
            *mut i32
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `ViewMut<i32>`
            View
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write the type of its elements, such as `View<f32>`
            f128
              the elements of a view must have one of the types bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64; convert the array with `astype`, and write one of these
            View<f32, f32>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write only the type of its elements, such as `View<f32>`
            &DeviceArray<f32>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `View<f32>`: all threads use the same array
            DeviceArray<i64>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `View<i64>`, or `ViewMut<i64>` if it is written to; pass the array to `gpu::launch`
            SharedArray<f32>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `let mut tile = shared_array::<f32>(256);` in the function
            Vec<f32>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `View<f32>`, or `ViewMut<f32>` if it is written to
            (f32, f32)
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write one argument for each part
            [f32; 3]
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write a view, or one argument for each element
            i128
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write `i64`
            std::primitive::f32
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write one of bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize, or a `#[device]` struct
            Point<f32>
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write one of these
            impl Fn()
              an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`, a scalar or a `#[device]` struct; write one of these
            q: u8
              a `#[kernel]` function can take at most 16 arguments; join arrays, or put scalars into a `#[device]` struct
        "#]],
    );
}

#[test]
fn what_is_emitted() {
    let notebook = Notebook::read("item k 12ab 40\nitem g ff 43 registered\nplain h\n\n\nfn k() {}\n");
    let function = "pub fn k(input: View<f32>, mut out: gpu::ViewMut<f64>, n: usize) { let i = global_idx().x; if i < n { out[i] = \
                    f64::from(input[i]); } }";
    expect![[r#"const _ : () = { fn __warpcell_threads (__warpcell_arguments : & :: warpcell :: registry :: Arguments < '_ > , __warpcell_run : & mut dyn :: core :: ops :: FnMut (& (dyn :: core :: ops :: Fn () + :: core :: marker :: Sync)) ,) { let __warpcell_argument_0 = < f32 as :: warpcell :: registry :: ViewArgument > :: view (__warpcell_arguments , 0usize) ; let __warpcell_argument_1 = < f64 as :: warpcell :: registry :: ViewArgument > :: view_mut (__warpcell_arguments , 1usize) ; let __warpcell_argument_2 = < usize as :: warpcell :: registry :: ScalarArgument > :: value (__warpcell_arguments , 2usize) ; __warpcell_run (& || k (__warpcell_argument_0 , __warpcell_argument_1 , __warpcell_argument_2)) ; } static __WARPCELL_THREADS : :: warpcell :: registry :: Threads = :: warpcell :: registry :: Threads { parameters : & [:: warpcell :: registry :: Parameter :: View ("input" , :: warpcell :: registry :: DType :: F32) , :: warpcell :: registry :: Parameter :: ViewMut ("out" , :: warpcell :: registry :: DType :: F64) , :: warpcell :: registry :: Parameter :: Scalar ("n" , :: warpcell :: registry :: ScalarType :: Usize)] , run : __warpcell_threads , recorded : :: core :: option :: Option :: None , line : 1usize , places : & [("g" , 4usize)] , } ; static __WARPCELL_TEXT : :: warpcell :: registry :: Text = :: warpcell :: registry :: Text { role : :: warpcell :: registry :: Role :: Kernel , source : "fn k(input: View<f32>, mut out: gpu::ViewMut<f64>, n: usize) { let i = global_idx().x; if i < n { out[i] = f64::from(input[i]); } }" , written : "" , line : 1usize , references : | __warpcell_found | { } , } ; extern "C" fn __warpcell_register () { :: warpcell :: registry :: register_kernel (:: core :: any :: type_name_of_val (& k) , "12ab" , & __WARPCELL_TEXT , & __WARPCELL_THREADS) ; } # [used] # [unsafe (link_section = ".init_array")] static __WARPCELL_REGISTER : extern "C" fn () = __warpcell_register ; } ;"#]].assert_eq(&emitted(function, Some(&notebook)));
    expect![[r#"const _ : () = { fn __warpcell_threads (__warpcell_arguments : & :: warpcell :: registry :: Arguments < '_ > , __warpcell_run : & mut dyn :: core :: ops :: FnMut (& (dyn :: core :: ops :: Fn () + :: core :: marker :: Sync)) ,) { __warpcell_run (& || k ()) ; } # [allow (warnings , clippy :: all)] fn __warpcell_recorded () { use :: warpcell :: registry :: steps :: { Hidden as _ , Plain as _ , Shown as _ , Unstepped as _ } ; :: warpcell :: registry :: steps :: step (1u32 , 0usize) ; } fn __warpcell_recorded_threads (__warpcell_arguments : & :: warpcell :: registry :: Arguments < '_ > , __warpcell_run : & mut dyn :: core :: ops :: FnMut (& (dyn :: core :: ops :: Fn () + :: core :: marker :: Sync)) ,) { __warpcell_run (& || __warpcell_recorded ()) ; } static __WARPCELL_THREADS : :: warpcell :: registry :: Threads = :: warpcell :: registry :: Threads { parameters : & [] , run : __warpcell_threads , recorded : :: core :: option :: Option :: Some (__warpcell_recorded_threads) , line : 1usize , places : & [] , } ; static __WARPCELL_TEXT : :: warpcell :: registry :: Text = :: warpcell :: registry :: Text { role : :: warpcell :: registry :: Role :: Kernel , source : "fn k() {}" , written : "" , line : 1usize , references : | __warpcell_found | { } , } ; extern "C" fn __warpcell_register () { :: warpcell :: registry :: register_kernel (:: core :: any :: type_name_of_val (& k) , "" , & __WARPCELL_TEXT , & __WARPCELL_THREADS) ; } # [used] # [unsafe (link_section = ".init_array")] static __WARPCELL_REGISTER : extern "C" fn () = __warpcell_register ; } ;"#]].assert_eq(&emitted("fn k() {}", None));
}

#[test]
fn functions_of_the_host_are_errors() {
    let notebook = Notebook::read("item k 0 1\nplain h\n\n");
    let errors = registration(Default::default(), "fn k() { h(); }".parse().unwrap(), Some(&notebook)).unwrap_err();
    expect!["`h` can be called only on the host; write `#[device]` before its `fn`"].assert_eq(&errors[0].to_string());
}

#[test]
fn arithmetic_of_the_copy_is_counted() {
    let kernel = "fn k(x: View<f32>, mut out: ViewMut<f32>) { out[2 * 1] += x[0].sqrt() * 2.0; \
                  for i in 0..3 * 2 { let a = [0.0; 2 + 1]; if a[i] < 1.0 && i & 1 == 0 { out[i] = x[i].mul_add(-a[i], 1.0) - 1.0; } } }";
    let text = emitted(kernel, None).replace(' ', "").replace("::warpcell::registry::steps::", "");
    let copy = &text[text.find("fn__warpcell_recorded").unwrap()..];
    assert!(copy.contains("out[product(2*1)]+=sum(product(function(x[0].sqrt())*2.0))"), "{copy}");
    // Lengths of arrays are not computed by threads, and comparisons and signs do not count.
    assert!(copy.contains("[0.0;2+1]") && copy.contains("a[i]<1.0&&function(i&1)==0"), "{copy}");
    assert!(copy.contains("out[i]=sum(multiply_add(x[i].mul_add(-a[i],1.0))-1.0)"), "{copy}");
    // What is counted in a range is no access, which would be a step before the loop.
    assert!(copy.contains("foriin0..product(3*2){{pass("), "{copy}");
    assert!(!text[..text.find("fn__warpcell_recorded").unwrap()].contains("product("), "{text}");
}
