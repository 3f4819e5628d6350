//! Everything that kernels lack: the token at which it is reported, and what is said.

mod program;

use expect_test::{Expect, expect};
use warpcell_translate::{Role, check};

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

/// The same of the body of a kernel with the parameters `a: View<f32>, mut out: ViewMut<f32>, n: i32, flag: bool`.
fn bodies(bodies: &[&str], expected: Expect) {
    let texts: Vec<String> = bodies
        .iter()
        .map(|body| format!("fn f(a: View<f32>, mut out: ViewMut<f32>, n: i32, flag: bool) {{ {body} }}"))
        .collect();
    functions(Role::Kernel, &texts.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn heads() {
    functions(
        Role::Kernel,
        &[
            "fn f(out: &mut [f32]) {}",
            "fn f(a: &[f32]) {}",
            "fn f(a: &View<f32>) {}",
            "fn f(a: [f32; 3]) {}",
            "fn f(a: (i32, i32)) {}",
            "fn f(a: Vec<f32>) {}",
            "fn f(a: *mut f32) {}",
            "fn f(a: i128) {}",
            "fn f(a: Point<f32>) {}",
            "fn f(a: View) {}",
            "fn f(a: View<isize>) {}",
            "fn f(a: View<usize>) {}",
            "fn f(a: View<(f32, f32)>) {}",
            "fn f(a: SharedArray<f32>) {}",
            "fn f(a: Dim3) {}",
            "fn f(a: View<f32>) -> f32 { a[0] }",
            "const fn f(a: View<f32>) {}",
            "fn f<T>(a: View<T>) {}",
            "unsafe fn f(a: View<f32>) {}",
        ],
        expect![[r#"
            &mut [f32]
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write `mut out: ViewMut<f32>`: threads change one array together
            &[f32]
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write `View<f32>`
            &View<f32>
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write the type itself
            [f32; 3]
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write `View<f32>`, or one argument for each element
            (i32, i32)
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write one argument for each part
            Vec<f32>
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write `View<f32>`, or `mut out: ViewMut<f32>` for an array that is changed
            *mut f32
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write `View<f32>`, or `mut out: ViewMut<f32>` for an array that is changed
            i128
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write `i64`
            Point<f32>
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write one of these, not the name of another type
            View
              the type of the elements is missing; write it, such as `View<f32>`
            isize
              elements of arrays must be of type bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32 or Complex64, not `isize`; write `i64`
            usize
              elements of arrays must be of type bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32 or Complex64, not `usize`; write `u64`
            (f32, f32)
              elements of arrays must be of type bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32 or Complex64, not `(f32, f32)`; write one array for each part
            SharedArray<f32>
              shared memory cannot be passed to a kernel; write `let mut tile = shared_array::<f32>(256);` in it
            Dim3
              a parameter of a kernel must be a `View`, a `ViewMut`, a scalar (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32, Complex64, usize, isize) or a `#[device]` struct; write one of these, not the name of another type
            f32
              a kernel cannot return a value; write its results into an array: `mut out: ViewMut<f32>`, `out[i] = …`
            const
              a `#[kernel]` function must be a plain `fn`; remove `const`
            <T>
              a `#[kernel]` function cannot have type parameters; write one function for each type, such as `fn f(a: View<f32>)`
            T
              elements of arrays must be of type bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32 or Complex64, not `T`; write one array for each part
            unsafe
              a `#[kernel]` function must be a plain `fn`; remove `unsafe`
        "#]],
    );
}

#[test]
fn threads_in_functions_over_elements() {
    functions(
        Role::Vectorize,
        &[
            "fn f(x: f32) -> f32 { x + thread_idx().x as f32 }",
            "fn f(x: f32) -> f32 { gpu::sync_threads(); x }",
            "fn f(x: f32) -> f32 { let t = shared_array::<f32>(4); x }",
            "fn f(x: i32) -> i32 { for i in grid_stride(4) {} x }",
            "fn f(x: View<f32>) -> f32 { 1.0 }",
        ],
        expect![[r#"
            thread_idx
              `thread_idx` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, or pass the value as an argument
            gpu::sync_threads
              `sync_threads` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, or pass the value as an argument
            shared_array::<f32>
              `shared_array` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, or pass the value as an argument
            grid_stride
              `grid_stride` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, or pass the value as an argument
            View<f32>
              an argument of a `#[vectorize]` function must be a scalar; write one, such as `f32`, not the name of another type for it
        "#]],
    );
    functions(
        Role::Formula,
        &["fn f(x: f32) -> _ { x * warpcell::lane_id() as f32 }"],
        expect![[r#"
        warpcell::lane_id
          `lane_id` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, or pass the value as an argument
    "#]],
    );
}

#[test]
fn shared_memory() {
    bodies(
        &[
            "let mut t = shared_array::<f32>(n as usize);",
            "let mut t = shared_array::<f32>([16, block_dim().x]);",
            "let mut t = shared_array::<f32>([1, 1, 1, 1, 1]);",
            "let mut t = shared_array::<f32>(1 << 40);",
            "let mut t = shared_array::<isize>(4);",
            "let mut t = shared_array::<f32>();",
            "let mut t = dynamic_shared_array::<f32>(4);",
            "out[0] = shared_array::<f32>(4)[0];",
            "let mut t = shared_array::<f32>([4, 6]); t[3] = 1.0;",
            "let mut t = shared_array::<f32>([4, 6]); t[[3, 6]] = 1.0;",
            "const N: usize = 4; let mut t = shared_array::<f32>(N); t[N] = 1.0;",
            "let t = dynamic_shared_array::<f32>(); let x = t[[0, 1]];",
        ],
        expect![[r#"
            n as usize
              the length of a `shared_array` must be a number or a constant; write `const N: usize = 256;`, or use `dynamic_shared_array::<f32>()`: its length comes from the memory that the launch asks for, `LaunchConfig::new(grid, block).dynamic_shared_bytes(n)`
            block_dim().x
              the length of a `shared_array` must be a number or a constant; write `const N: usize = 256;`, or use `dynamic_shared_array::<f32>()`: its length comes from the memory that the launch asks for, `LaunchConfig::new(grid, block).dynamic_shared_bytes(n)`
            [1, 1, 1, 1, 1]
              a shared array must have one to four lengths: `shared_array::<f32>([16, 18])`
            1 << 40
              a block's shared memory has no room for 1099511627776 elements; write tiles of fewer elements, one after the other
            isize
              elements of arrays must be of type bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16, Complex32 or Complex64, not `isize`; write `i64`
            shared_array::<f32>()
              `shared_array` takes 1 argument, not 0
            dynamic_shared_array::<f32>(4)
              `dynamic_shared_array` takes 0 arguments, not 1
            shared_array::<f32>(4)
              `shared_array` must be the value of a `let` with a name: `let mut tile = shared_array::<f32>(256);`
            3
              `t` has 2 axes, but this is one index; write `t[[y, x]]`
            6
              index 6 is past the end of an array of 6
            N
              index 4 is past the end of an array of 4
            [0, 1]
              `t` has 1 axis, but these are 2 indices; write `t[i]`
        "#]],
    );
}

#[test]
fn views() {
    bodies(
        &[
            "let b = if flag { a } else { a };",
            "let b = match n { 0 => (a, 1), _ => (a, 2) };",
            "let b = (a, a);",
            "let b = [a, a];",
            "let mut b = out; b = out;",
            "for x in a { }",
            "for x in a.iter() { }",
            "let x = a.sum();",
            "let x = a[1..3];",
            "a.atomic_add(0, 1.0);",
            "out.atomic_and(0, 1.0);",
            "out.atomic_add(0);",
            "let mut t = shared_array::<bool>(4); t.atomic_exchange(0, true);",
            "let x = a + 1.0;",
            "std::mem::swap(&mut out, &mut out);",
            "let x = &a[..];",
        ],
        expect![[r#"
            if flag { a } else { a }
              a branch or a loop cannot choose an array; choose its elements: `let x = if first { a[i] } else { b[i] };`
            match n { 0 => (a, 1), _ => (a, 2) }
              a branch or a loop cannot choose an array; choose its elements: `let x = if first { a[i] } else { b[i] };`
            b
              only parameters of kernels and `#[device]` functions and plain variables can be views; write the elements themselves here
            b
              only parameters of kernels and `#[device]` functions and plain variables can be views; write the elements themselves here
            b = out
              a variable with a view cannot change to another array; write a second variable, or change its elements: `out[i] = …`
            a
              in a kernel, loop over the indices of an array; write `for i in 0..a.len() { … a[i] … }`
            a
              in a kernel, loop over the indices of an array; write `for i in 0..a.len() { … a[i] … }`
            sum
              `View<f32>` has no method `sum`; it has `len`, `shape` and `ndim`, and a `ViewMut` also has atomics such as `atomic_add`
            1..3
              slices are not for devices; loop over the range of indices: `for i in 1..3 { … a[i] … }`
            atomic_add
              `a` is a `View`, which can only be read; write `mut a: ViewMut<f32>`
            atomic_and
              `atomic_and` is for arrays of i32, u32, i64 and u64, but this is an array of `f32`; use an array of integers
            out.atomic_add(0)
              `atomic_add` takes 2 arguments, not 1
            atomic_exchange
              `atomic_exchange` is for arrays of i32, u32, i64, u64, f32 and f64, but this is an array of `bool`; use an array of `i32`
            a + 1.0
              operators are only for scalars, but this is `View<f32>`; write them for its elements: `a[i] + b[i]`
            std::mem::swap(&mut out, &mut out)
              a variable with a view cannot change to another array; write a second variable, or change its elements: `out[i] = …`
            ..
              slices are not for devices; loop over the range of indices: `for i in 1..3 { … a[i] … }`
        "#]],
    );
}

#[test]
fn functions_of_threads() {
    bodies(
        &[
            "let x = thread_idx().w;",
            "let x = thread_idx(1);",
            "let x = shfl_down_sync(u32::MAX, n);",
            "let x = shfl_down_sync(u32::MAX, flag, 1);",
            "let x = shfl_down_sync(u32::MAX, n, 1.5);",
            "let x = shfl_sync(u32::MAX, a, 1);",
            "let x = sync_threads::<u32>();",
            "let r = grid_stride(10);",
            "for i in grid_stride(10).rev() {}",
            "for i in grid_stride() {}",
            "let f = sync_threads;",
        ],
        expect![[r#"
            w
              `Dim3` has no field `w`
            thread_idx(1)
              `thread_idx` takes 0 arguments, not 1
            shfl_down_sync(u32::MAX, n)
              `shfl_down_sync` takes 3 arguments, not 2
            flag
              `shfl_down_sync` passes on values of type i32, u32, i64, u64, f32 or f64, but this is `bool`; cast it with `as`
            1.5
              `shfl_down_sync` takes lanes as usize, i32 or u32, but this is `f64`; cast it with `as`
            a
              `shfl_sync` passes on values of type i32, u32, i64, u64, f32 or f64, but this is `View<f32>`; cast it with `as`
            ::<u32>
              type parameters are not for devices; write one function for each type, without `::<…>`
            grid_stride(10)
              `grid_stride` is allowed only in `for` loops: `for i in grid_stride(out.len()) { … }`
            rev
              the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` loop with a variable that collects the result
            grid_stride()
              `grid_stride` takes 1 argument, not 0
            sync_threads
              `sync_threads` is a function of threads; call it, `sync_threads(…)`
        "#]],
    );
}

/// What only shows when all functions and the arguments are known.
#[test]
fn programs() {
    let text = "
#[device]
fn place() -> usize {
    thread_idx().x
}

#[vectorize]
fn over_elements(x: f32) -> f32 {
    x + place() as f32
}

#[device]
fn corner(a: View<f32>) -> f32 {
    a[[0, 0]]
}

#[kernel]
fn first(a: View<f32>, mut out: ViewMut<f32>) {
    out[0] = corner(a);
}

#[kernel]
fn wrong(a: View<f32>, mut out: ViewMut<f32>) {
    out[0] =
        a[0];
}

#[device]
fn even(a: View<f32>, n: usize) -> f32 {
    odd(a, n - 1)
}

#[device]
fn odd(a: View<f32>, n: usize) -> f32 {
    even(a, n - 1)
}

#[kernel]
fn cycle(a: View<f32>, mut out: ViewMut<f32>) {
    out[0] = even(a, 3);
}

#[kernel]
fn unknown_length(mut out: ViewMut<f32>, n: i32) {
    let t = shared_array::<f32>(LENGTH);
}";
    let program = program::program(text, &[]);
    let mut said = format!("{}\n", program.translate("over_elements").unwrap_err());
    for (name, parameters) in [
        ("first", ["View1<f32>", "ViewMut1<f32>"]),
        ("wrong", ["View2<f32>", "ViewMut1<f32>"]),
        ("wrong", ["View1<f32>", "ViewMut3<f32>"]),
        ("wrong", ["View1<f64>", "ViewMut1<f32>"]),
        ("wrong", ["ViewMut1<f32>", "ViewMut1<f32>"]),
        ("cycle", ["View2<f32>", "ViewMut1<f32>"]),
        ("unknown_length", ["ViewMut1<f32>", "i32"]),
        ("missing", ["ViewMut1<f32>", "i32"]),
    ] {
        said += &format!("{}\n", program.kernel(name, &parameters, true).unwrap_err());
    }
    assert!(program.kernel("first", &["View2<f32>", "ViewMut1<f32>"], true).is_ok());
    expect![[r#"
        `place`, line 4: `thread_idx` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, or pass the value as an argument
        `corner`, line 14: `a` has 1 axis, but these are 2 indices; write `a[i]`
        `wrong`, line 25: `a` has 2 axes, but this is one index; write `a[[y, x]]`
        `wrong`, line 24: `out` has 3 axes, but this is one index; write `out[[z, y, x]]`
        `wrong`, line 23: it takes (View<f32>, ViewMut<f32>), not (View<f64>, ViewMut<f32>)
        `wrong`, line 23: it takes (View<f32>, ViewMut<f32>), not (ViewMut<f32>, ViewMut<f32>)
        `even`, line 29: `even` calls itself through other functions (`even` calls `odd` calls `even`); a device function cannot, as each thread has little stack: write a loop
        `unknown_length`, line 45: `LENGTH` is not known in device code; write a constant, `const NAME: f32 = …;`, or pass it as an argument
        `missing`, line 0: `missing` is a plain function; write `#[device]` before it, so that it can be called on a device
    "#]].assert_eq(&said);
}
