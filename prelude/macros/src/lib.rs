//! The macros for functions that run over arrays and on devices, `gpu::vectorize`, `gpu::device`, `gpu::kernel` and the half of
//! `gpu::fuse!` that reads the formula; for types that show more than text, `gpu::rich`; and for controls of a notebook,
//! `gpu::interact!`.
//!
//! What a macro emits is compiled again in every cell that has the function, so it is small: everything that does not
//! depend on the function is precompiled in the prelude. A function that the cell process knows already comes here no
//! more: the kernel's build step takes the attribute away.

mod device;
mod formula;
mod head;
mod interact;
mod kernel;
mod keywords;
mod notebook;
mod registration;
mod rich;
mod text;
mod vectorize;

use proc_macro::TokenStream;
use registration::{Register, beside};

fn expand(arguments: TokenStream, item: TokenStream, registration: Register) -> TokenStream {
    beside(arguments.into(), item.into(), registration).into()
}

/// Lets a function of scalars run over arrays: `gpu::map(f, (&a, &b, 2.0f32))`.
///
/// The function stays an ordinary one: `f(1.0, 2.0, 3.0)` is an ordinary call. Its arguments, one to eight, are scalars:
/// `bool`, integers of 8 to 64 bits, `f16`, `bf16`, `f32`, `f64`, `Complex<f32>` and `Complex<f64>`; or `#[device]` structs, of
/// 2,560 bytes at most, which are the same for all elements. Its result is a scalar, or a tuple of two to eight. On the CPU it
/// runs over arrays as it was compiled by the cell that defined it: with checks for overflow, unless that was a timed cell. On
/// CUDA devices its text is translated to CUDA C.
///
/// So its body is of that part of Rust that can be translated: numbers, bools, tuples, fixed arrays, `#[device]` structs, their
/// methods and operators, `if`, `match`, loops over ranges and arrays, constants, and calls of functions that have
/// `#[device]` or `#[vectorize]` before them. Anything else is an error that says what to write instead.
#[proc_macro_attribute]
pub fn vectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments, item, vectorize::registration)
}

/// Before a function that others with `#[device]` or `#[vectorize]`, and formulas of `fuse!`, call; or before a struct of
/// scalars, tuples and arrays that they use.
///
/// The function stays an ordinary one. Its arguments and its result are scalars, tuples, fixed arrays and `#[device]` structs;
/// its body is of the part of Rust that `#[vectorize]` names. A struct is passed by value, so it needs
/// `#[derive(Clone, Copy)]`.
///
/// The compiler for the GPU copies small and large functions to where they are called, which takes it long for large ones.
/// A function with `#[inline(never)]` is compiled once, there as on the CPU.
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// #[device]
/// #[derive(Clone, Copy)]
/// struct Circle {
///     x: f32,
///     y: f32,
///     radius: f32,
/// }
///
/// #[device]
/// fn contains(circle: Circle, x: f32, y: f32) -> bool {
///     (x - circle.x).hypot(y - circle.y) <= circle.radius
/// }
///
/// #[kernel]
/// fn count(circle: Circle, x: View<f32>, y: View<f32>, counts: ViewMut<u32>) {
///     let i = global_idx().x;
///     if i < x.len() && contains(circle, x[i], y[i]) {
///         counts.atomic_add(0, 1);
///     }
/// }
///
/// let (x, y) = (gpu::array(&[0.5f32, 2.0, 1.0]), gpu::array(&[0.5f32, 0.0, 0.0]));
/// let mut counts = gpu::zeros::<u32>(1);
/// gpu::launch_for(count, 3, (Circle { x: 0.0, y: 0.0, radius: 1.0 }, &x, &y, &mut counts));
/// assert_eq!(counts.get(&[0]), 2);
/// ```
#[proc_macro_attribute]
pub fn device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments, item, device::registration)
}

/// Makes a function a kernel: what one thread does of the many that `gpu::launch(f, grid, block, (&a, &mut out, 3))` starts.
///
/// Its parameters are:
///
/// - views of arrays: `View<f32>` for one that it reads, `ViewMut<f32>` for one that it writes to;
/// - scalars: `bool`, integers of 8 to 64 bits, `usize`, `isize`, `f16`, `bf16`, `f32`, `f64`, `Complex<f32>` and `Complex<f64>`;
/// - `#[device]` structs, of 2,560 bytes at most.
///
/// It returns nothing. All threads hold the views at once; which thread it is says `thread_idx()`, `block_idx()` and their relatives, threads of a block share `shared_array`s and meet
/// at `sync_threads()`.
///
/// Its body is of the part of Rust that `#[vectorize]` names, and may call `#[device]` functions. On the CPU it runs as the cell that
/// defined it has compiled it; on CUDA devices its text is translated to CUDA C.
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// #[kernel]
/// fn scale(input: View<f32>, mut out: ViewMut<f32>, by: f32) {
///     let i = global_idx().x;
///     if i < out.len() {
///         out[i] = by * input[i];
///     }
/// }
///
/// let a = gpu::arange(1000.0f32);
/// let mut out = gpu::zeros::<f32>(1000);
/// gpu::launch_for(scale, 1000, (&a, &mut out, 0.5));
/// assert_eq!(out.get(&[10]), 5.0);
/// ```
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments, item, kernel::registration)
}

/// What `fuse!` calls: reads a formula, and gives what the prelude must know of it. Use `gpu::fuse!`.
#[doc(hidden)]
#[proc_macro]
pub fn formula(formula: TokenStream) -> TokenStream {
    formula::expand(formula.into()).into()
}

/// What `interact!` calls: the controls, and the closure that they call. Use `gpu::interact!`.
#[doc(hidden)]
#[proc_macro]
pub fn interaction(call: TokenStream) -> TokenStream {
    interact::expand(call.into()).into()
}

/// What a call with keywords comes to that has no meaning: the error for it. See `prelude/src/keywords.rs`.
#[doc(hidden)]
#[proc_macro]
pub fn wrong_call(call: TokenStream) -> TokenStream {
    keywords::wrong_call(call.into()).into()
}

/// The error for a word that a keyword does not take.
#[doc(hidden)]
#[proc_macro]
pub fn wrong_word(word: TokenStream) -> TokenStream {
    keywords::wrong_word(word.into()).into()
}

/// Before `impl gpu::Rich for …`: gives the type the `Debug` by which a notebook finds its rich representations. It writes
/// the plain text, so leave `Debug` out of the type's derives.
#[proc_macro_attribute]
pub fn rich(arguments: TokenStream, item: TokenStream) -> TokenStream {
    rich::expand(arguments.into(), item.into()).into()
}
