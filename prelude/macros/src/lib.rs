//! The attribute macros for functions that run over arrays, `gpu::vectorize`, and for types that show more than text,
//! `gpu::rich`.
//!
//! What a macro emits is compiled again in every cell that has the function, so it is small: everything that does not
//! depend on the function is precompiled in the prelude. A function that the cell process knows already comes here no
//! more: the kernel's build step takes the attribute away.

mod rich;
mod vectorize;

use proc_macro::TokenStream;

/// Lets a function of scalars run over arrays: `gpu::map(f, (&a, &b, 2.0f32))`.
///
/// The function stays an ordinary one: `f(1.0, 2.0, 3.0)` is an ordinary call. Its arguments, one to eight, and its
/// result are scalars: `bool u8 i32 u32 i64 u64 f32 f64`. It may call other functions. Over arrays it runs as it was
/// compiled by the cell that defined it: with checks for overflow, unless that was a timed cell.
///
/// Anything else than a plain `fn` of scalars is an error that says what to write instead.
#[proc_macro_attribute]
pub fn vectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    vectorize::expand(arguments.into(), item.into()).into()
}

/// Before `impl gpu::Rich for …`: gives the type the `Debug` by which a notebook finds its rich representations. It writes
/// the plain text, so leave `Debug` out of the type's derives.
#[proc_macro_attribute]
pub fn rich(arguments: TokenStream, item: TokenStream) -> TokenStream {
    rich::expand(arguments.into(), item.into()).into()
}
