//! The translation of a subset of Rust to CUDA C: plain data and text in, text out.
//!
//! It is used twice. The macros call `check` when a function is compiled, so that what the subset lacks is an error at its
//! place; there one function is seen at a time. The prelude calls `translate` when a function is first run on a CUDA
//! device; there all of the registered items are known, and with them the types of what the function calls.
//!
//! What the generated code promises: integers wrap, `as` saturates, shifts take the count modulo the width, and floats are
//! those of the literals' types: with `--fmad=false` the results are the host's, bit for bit, but for functions of `libm`.
//!
//! # How it works
//!
//! 1. `check` goes over the syntax once, in the order in which Rust's compiler does. It finds what names stand for, refuses
//!    what the subset lacks (`refuse` has the texts), and makes a tree of expressions with types (`tree`). Types are found
//!    by unification (`types`). As the compiler has accepted the function too, what is found is what the compiler found,
//!    and differences of types are only reported where a program is translated.
//! 2. `emit` turns the tree into C++ that needs no headers. Expressions stay expressions where they can; what C++ has
//!    only as statements (blocks, `match`, loops with values) sets a variable. Where Rust's order of evaluation could
//!    be seen, earlier operands are kept in variables. References that only read are copies, for nothing changes what they
//!    refer to; `&mut` becomes C++'s reference, and so cannot be stored in other values. Bounds of integers (`emit::bounds`)
//!    show which divisions and indices cannot fail, and which sums cannot overflow: those are C++'s own.
//! 3. `translation` does this for an entry and, before it, for all that it calls. Everything lies in the namespace `rust`,
//!    so that names can stay; the functions of Rust's numbers are `support`'s, named as `i32_add`, and are only added
//!    where they are used. `methods` is the table of what scalars have.
//!
//! Kernels are translated for the layouts of the arrays that they are launched with (`translate_kernel`): how many axes, and
//! whether the elements follow one another. A layout is a part of a view's type that Rust does not see (`types::Layout`), and so
//! the same inference tells which array each name stands for; device functions that take views are written once for each layout.
//! Views have no values: they are names of parameters and of shared arrays, and so cannot be chosen or stored. `threads` is the
//! table of what threads call. As in CUDA, every `dynamic_shared_array` of a block is the same memory, whatever its elements.
//! In kernels, ranges up to lengths of arrays and grids are plain loops; those of unknown length look after each 65,536 passes
//! whether to stop, between strips of which the compiler knows nothing else.
//!
//! A name in capitals within a formula or a pattern is taken for a constant, and a called path whose last name begins with a
//! capital for a tuple struct: these are Rust's own conventions, of which the compiler warns otherwise.

mod bytes;
mod check;
mod complex;
mod emit;
mod methods;
mod names;
mod program;
mod refuse;
mod scalars;
mod support;
mod threads;
mod translation;
mod tree;
mod types;

pub use check::{is_inline_never, path_text};
pub use complex::{element_of_path, scalar_of_path};
pub use methods::distance;
pub use program::{
    Error, FunctionParameter, Item, Items, KernelOptions, KernelTranslation, Parameter, References, Role, Translation,
    Type, Value,
};
pub use refuse::may_be_struct;
pub use scalars::{Scalar, element_names, is_struct, name_of};
pub use translation::{translate, translate_kernel};

/// Checks one function: what it refers to, or everything in it that the subset of Rust lacks, each at its token and with
/// what to write instead.
///
/// Of other functions nothing is known here, so types that follow from them are left open. A formula's closure is given
/// as a function with its parameters; of what it captures, which `References::captures` tells, there need not be parameters. Its
/// result may be `_`.
///
/// ```
/// use warpcell_translate::{Role, check, path_text};
///
/// let function = syn::parse_str("fn area(r: f32) -> f32 { square(r) * std::f32::consts::PI * SCALE }").unwrap();
/// let references = check(&function, Role::Vectorize).unwrap();
/// assert_eq!(path_text(&references.functions[0]), "square");
/// assert_eq!(path_text(&references.constants[0]), "SCALE");
///
/// let function = syn::parse_str("fn total(x: f32) -> f32 { vec![x].iter().sum() }").unwrap();
/// let errors = check(&function, Role::Vectorize).err().unwrap();
/// assert_eq!(errors[0].to_string(), "`vec!` is not for devices; write a fixed array, `[0.0f32; 4]`");
/// ```
///
/// # Errors
///
/// All that is wrong, in the order of the text.
pub fn check(function: &syn::ItemFn, role: Role) -> Result<References, Vec<syn::Error>> {
    let asked = check::Asked { role, captures: &[], layouts: &[], first_array: 0 };
    let checked = check::function(function, &function.sig.ident.to_string(), &asked, None);
    if checked.errors.is_empty() { Ok(checked.references) } else { Err(checked.errors) }
}

/// Checks a struct that device functions are to use: scalars, tuples, fixed arrays and other such structs.
///
/// ```
/// let item = syn::parse_str("struct Ray { from: Point, to: [f32; 3] }").unwrap();
/// assert_eq!(warpcell_translate::check_struct(&item).unwrap().structs.len(), 1);
///
/// let item = syn::parse_str("struct Path { points: Vec<f32> }").unwrap();
/// assert!(warpcell_translate::check_struct(&item).is_err());
/// ```
///
/// # Errors
///
/// All fields of other types, and type parameters.
pub fn check_struct(item: &syn::ItemStruct) -> Result<References, Vec<syn::Error>> {
    let (_, references, errors) = check::struct_fields(item, None);
    if errors.is_empty() { Ok(references) } else { Err(errors) }
}
