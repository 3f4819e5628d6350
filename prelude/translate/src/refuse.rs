//! What is said of code that the subset lacks: what it is, and what to write instead.

use crate::methods::suggestion;
use crate::scalars::{Scalar, element_names, is_float, is_half, name_of, scalar_named};
use crate::threads::Atomic;
use crate::types::Ty;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, Lit, Pat, Type};

/// Arrays lie in registers or in a thread's own memory: more elements than this are a mistake.
pub(crate) const LONGEST_ARRAY: usize = 65_536;

pub(crate) const ASSERT: &str = "an assertion needs a condition: `assert!(x > 0.0)`";
pub(crate) const CALLED_VALUE: &str = "device code can only call functions, by their names; write a `#[device]` \
                                       function instead of a closure or a variable that holds a function";
pub(crate) const CHOSEN_REFERENCE: &str =
    "a branch or a loop cannot choose a `&mut` reference; change the variable itself within each branch";
pub(crate) const CONDITIONAL: &str =
    "`cfg` is not supported in device code; remove it, or write one function for each case";
pub(crate) const EMPTY_MATCH: &str = "a `match` in device code needs an arm; write `_ => …`";
pub(crate) const GLOB: &str =
    "glob imports are not supported in device code; name what is used: `use std::f32::consts::PI;`";
pub(crate) const INNER_ITEM: &str =
    "only constants and `use` are allowed inside a function that runs on a device; move this out of the function";
pub(crate) const ITERATOR: &str = "the only iterators in device code are ranges with `.rev()` and `.step_by(n)`, and \
                                   arrays with `.iter()`, `.enumerate()` and `.rev()`, in `for` loops; write a `for` \
                                   loop with a variable that collects the result";
pub(crate) const LARGE_LITERAL: &str = "numbers on a device have at most 64 bits; write a smaller one";
pub(crate) const LENGTH: &str = "in device code, the length of an array must be a number, a constant or a sum of \
                                 these; write it as `const N: usize = 4;`";
pub(crate) const LET_ELSE: &str = "`let … else` is not for devices; write `match`, or an `if` before the `let`";
pub(crate) const MACRO_DEFINITION: &str = "macros are not for devices; write a `#[device]` function instead";
pub(crate) const NAMED_REST: &str = "in device code, the rest of an array cannot have a name; name the elements one by \
                                     one";
pub(crate) const NAMES_IN_ALTERNATIVES: &str =
    "in device code, alternatives `a | b` of a pattern cannot bind names; write one arm for each alternative";
pub(crate) const NEW_REFERENCE: &str = "in device code, a `&mut` variable always refers to the same thing; write a \
                                        second variable, or change the value itself: `*x = …`";
pub(crate) const OPEN_RANGE: &str =
    "in device code, a `for` loop needs a range with both ends, such as `0..n`; or write `loop`";
pub(crate) const OUTSIDE_OF_LOOP: &str = "this is not inside a loop that it could leave";
pub(crate) const PATTERN_VALUE: &str = "in device code, a pattern must be a number, a constant or a range of these; or \
                                        write a guard: `x if x == …`";
pub(crate) const PLACE: &str = "device code can assign only to variables, fields and elements of arrays";
pub(crate) const QUALIFIED_PATH: &str = "traits are not for devices; write `f32::name` or a `#[device]` function";
pub(crate) const RANGE: &str = "device code supports ranges only in `for` loops, patterns and `(a..b).contains(&x)`; \
                                keep the two ends in two variables";
pub(crate) const RANGE_OF_OTHERS: &str = "a `for` loop must go over integers; count with an integer and compute the \
                                          other number: `let x = i as f32 * step;`";
pub(crate) const REFERENCE_PATTERN: &str =
    "in device code, patterns bind values, not mutable references; take a `&mut` of the field: `let x = &mut p.x;`";
pub(crate) const SLICING: &str =
    "slices are not for devices; loop over the range of indices: `for i in 1..3 { … a[i] … }`";
pub(crate) const STEP_OF_ZERO: &str = "a step must be at least 1";
pub(crate) const STORED_REFERENCE: &str = "in device code, only parameters of `#[device]` functions and plain \
                                           variables can be references; write the value itself here";
pub(crate) const STRUCT_COMPARISON: &str = "device code cannot compare structs; compare their fields";
pub(crate) const STRUCT_OPERATOR: &str =
    "operators of structs are not for devices; write a `#[device]` function, or compute with the fields";
pub(crate) const SYNTAX: &str = "this is not for devices; write it with numbers, operators, `if`, `match` and loops";
pub(crate) const TURBOFISH: &str =
    "type parameters are not for devices; write one function for each type, without `::<…>`";
pub(crate) const UNKNOWN_TYPE: &str = "the type is not known here; write it, such as `let x: f32 = …`";
pub(crate) const WHILE_LET: &str = "`while let` is not for devices; write `loop` with a `match` that breaks";

pub(crate) const ASSIGNED_VIEW: &str = "a variable with a view cannot change to another array; write a second \
                                        variable, or change its elements: `out[i] = …`";
pub(crate) const CHOSEN_VIEW: &str = "a branch or a loop cannot choose an array; choose its elements: `let x = if \
                                      first { a[i] } else { b[i] };`";
pub(crate) const GRID_STRIDE: &str = "`grid_stride` is allowed only in `for` loops: `for i in grid_stride(out.len()) { \
                                      … }`";
pub(crate) const KERNEL_RESULT: &str =
    "a kernel cannot return a value; write its results into an array: `mut out: ViewMut<f32>`, `out[i] = …`";
pub(crate) const SHARED_AXES: &str = "a shared array must have one to four lengths: `shared_array::<f32>([16, 18])`";
pub(crate) const SHARED_LENGTH: &str = "the length of a `shared_array` must be a number or a constant; write `const N: \
                                        usize = 256;`, or use `dynamic_shared_array::<f32>()`: its length comes from \
                                        the memory that the launch asks for, `LaunchConfig::new(grid, \
                                        block).dynamic_shared_bytes(n)`";
pub(crate) const SHARED_PARAMETER: &str =
    "shared memory cannot be passed to a kernel; write `let mut tile = shared_array::<f32>(256);` in it";
pub(crate) const STORED_VIEW: &str = "only parameters of kernels and `#[device]` functions and plain variables can be \
                                      views; write the elements themselves here";

/// No device has more bytes of memory for a block to share.
pub(crate) const LONGEST_SHARED_ARRAY: usize = 256 * 1024;

/// As many axes as views have.
pub(crate) const MOST_AXES: usize = 4;

/// Instead of `Option`.
const WITHOUT_OPTION: &str = "write a tuple of a `bool` and the value, or a special value in place of `None`";

pub(crate) fn mismatch(found: &Ty, wanted: &Ty) -> String {
    format!("this is `{found}`, but `{wanted}` is needed here; write the types, or `as`")
}

pub(crate) fn inner_function(name: &syn::Ident) -> String {
    format!("functions within functions are not for devices; move `{name}` out and write `#[device]` before it")
}

pub(crate) fn inner_struct(name: &syn::Ident) -> String {
    format!("structs within functions are not for devices; move `{name}` out and write `#[device]` before it")
}

pub(crate) fn unknown_struct(path: &str) -> String {
    format!("`{path}` is not known in device code; write `#[device]` before the struct, or use one of Rust's scalars")
}

pub(crate) fn unknown_function(path: &str) -> String {
    format!("`{path}` is a plain function; write `#[device]` before it, so that it can be called on a device")
}

pub(crate) fn unknown_value(path: &str) -> String {
    format!("`{path}` is not known in device code; write a constant, `const NAME: f32 = …;`, or pass it as an argument")
}

pub(crate) fn recursion(name: &str) -> String {
    format!("`{name}` calls itself; a device function cannot, as each thread has little stack: write a loop")
}

pub(crate) fn cycle(names: &[&str]) -> String {
    format!(
        "`{}` calls itself through other functions ({}); a device function cannot, as each thread has little stack: write a loop",
        names[0],
        names.iter().chain(&names[..1]).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" calls ")
    )
}

pub(crate) fn argument_count(name: &str, wanted: usize, given: usize) -> String {
    let arguments = if wanted == 1 { "argument" } else { "arguments" };
    format!("`{name}` takes {wanted} {arguments}, not {given}")
}

pub(crate) fn field(name: &str, of: &Ty) -> String {
    match of {
        Ty::Complex(_) => format!("a complex number has no field `{name}`; its parts are `re` and `im`"),
        _ => format!("`{of}` has no field `{name}`"),
    }
}

pub(crate) fn index(of: &Ty) -> String {
    format!("device code can index only fixed arrays, such as `[f32; 4]`, but this is `{of}`")
}

pub(crate) fn past_the_end(index: i128, length: usize) -> String {
    format!("index {index} is past the end of an array of {length}")
}

pub(crate) fn too_long_to_share(count: usize) -> String {
    format!(
        "a block's shared memory has no room for {count} elements; write tiles of fewer elements, one after the other"
    )
}

pub(crate) fn too_long(length: i128) -> String {
    format!("an array of {length} elements does not fit a thread's memory; write at most {LONGEST_ARRAY}")
}

pub(crate) fn cast(of: &Ty) -> String {
    format!("only scalars can be cast with `as`, but this is `{of}`; cast its parts")
}

pub(crate) fn operator_on(of: &Ty) -> String {
    let advice = if of.is_view() { "its elements: `a[i] + b[i]`" } else { "each part" };
    format!("operators are only for scalars, but this is `{of}`; write them for {advice}")
}

pub(crate) fn loop_over_view(array: &str) -> String {
    format!("in a kernel, loop over the indices of an array; write `for i in 0..{array}.len() {{ … {array}[i] … }}`")
}

pub(crate) fn only_in_kernels(name: &str) -> String {
    format!(
        "`{name}` is for threads of a kernel, but this runs over the elements of arrays; write a `#[kernel]` function, \
         or pass the value as an argument"
    )
}

pub(crate) fn not_called(name: &str) -> String {
    format!("`{name}` is a function of threads; call it, `{name}(…)`")
}

pub(crate) fn shared_array_elsewhere(name: &str) -> String {
    let length = if name == "shared_array" { "256" } else { "" };
    format!("`{name}` must be the value of a `let` with a name: `let mut tile = {name}::<f32>({length});`")
}

pub(crate) fn view_without_element(name: &str) -> String {
    format!("the type of the elements is missing; write it, such as `{name}<f32>`")
}

pub(crate) fn wrong_axes(array: &str, rank: usize, count: usize) -> String {
    let indices = ["", "i", "[y, x]", "[z, y, x]", "[w, z, y, x]"];
    let advice = match indices.get(rank) {
        Some(&"") | None => "it cannot be indexed".to_owned(),
        Some(index) => format!("write `{array}[{index}]`"),
    };
    let axes = if rank == 1 { "axis" } else { "axes" };
    let given = if count == 1 { "this is one index".to_owned() } else { format!("these are {count} indices") };
    format!("`{array}` has {rank} {axes}, but {given}; {advice}")
}

pub(crate) fn element_type(of: &Ty) -> String {
    let advice = match of {
        Ty::Scalar(Scalar::Usize) => "write `u64`",
        Ty::Scalar(Scalar::Isize) => "write `i64`",
        _ => "write one array for each part",
    };
    format!("elements of arrays must be of type {}, not `{of}`; {advice}", element_names(" or "))
}

pub(crate) fn shuffled_type(name: &str, of: &Ty) -> String {
    format!("`{name}` passes on values of type i32, u32, i64, u64, f32 or f64, but this is `{of}`; cast it with `as`")
}

pub(crate) fn lane_type(name: &str, of: &Ty) -> String {
    format!("`{name}` takes lanes as usize, i32 or u32, but this is `{of}`; cast it with `as`")
}

pub(crate) fn atomic_type(atomic: &Atomic, of: &Ty) -> String {
    if atomic.of_bits {
        format!(
            "`{}` is for arrays of i32, u32, i64 and u64, but this is an array of `{of}`; use an array of integers",
            atomic.name
        )
    } else {
        format!(
            "`{}` is for arrays of i32, u32, i64, u64, f32 and f64, but this is an array of `{of}`; use an array of \
             `i32`",
            atomic.name
        )
    }
}

pub(crate) fn read_only(array: &str, element: &Ty) -> String {
    format!("`{array}` is a `View`, which can only be read; write `mut {array}: ViewMut<{element}>`")
}

pub(crate) fn view_method(view: &Ty, name: &str) -> String {
    format!(
        "`{view}` has no method `{name}`; it has `len`, `shape` and `ndim`, and a `ViewMut` also has atomics such as \
         `atomic_add`"
    )
}

pub(crate) fn loop_over(of: &Ty) -> String {
    format!("in device code, a `for` loop must go over a range or a fixed array, but this is `{of}`")
}

pub(crate) fn method_of(of: &Ty, name: &str) -> String {
    let parameter = match of {
        Ty::Struct(_) => "value",
        _ => "parts",
    };
    format!("`{of}` has no methods on a device; write a `#[device]` function `{name}({parameter}: {of})`")
}

pub(crate) fn scalar_method(of: Scalar, name: &str) -> String {
    format!("`{}` has no method `{name}` on a device; {}", Ty::of(of), suggestion(of, name))
}

/// Of a value whose type follows from another function.
pub(crate) fn open_method(name: &str) -> String {
    match name {
        "unwrap" | "expect" | "unwrap_or" | "is_some" | "is_none" | "ok" => {
            format!("`{name}` is a method of `Option` and `Result`, which are not for devices; {WITHOUT_OPTION}")
        }
        _ => format!("numbers have no method `{name}` on a device; {}", suggestion(Scalar::F32, name)),
    }
}

pub(crate) fn array_method(of: &Ty, name: &str) -> String {
    format!("`{of}` has no method `{name}` on a device; it has `len`, `clone`, and `iter` in `for` loops: write a loop")
}

pub(crate) fn array_swap(array: &str) -> String {
    format!("arrays have no method `swap` on a device; write `({array}[i], {array}[j]) = ({array}[j], {array}[i])`")
}

pub(crate) fn associated_constant(of: Scalar, name: &str) -> String {
    let known = match of {
        _ if is_float(of) => "`MAX`, `MIN`, `EPSILON`, `INFINITY`, `NAN`",
        _ if is_half(of) => "`ZERO`, `ONE`, `MAX`, `MIN`, `EPSILON`",
        _ => "`MAX`, `MIN`, `BITS`",
    };
    let of = name_of(of);
    format!("`{of}::{name}` is not supported in device code; `{of}` has {known} and others: write your own constant")
}

pub(crate) fn associated_function(of: Scalar, name: &str) -> String {
    let (half, of) = (is_half(of), name_of(of));
    if half {
        return format!("`{of}::{name}` is not supported in device code; write `{of}::from_f32(x as f32)`");
    }
    format!("`{of}::{name}` is not supported in device code; write a method of `{of}`, an operator, or `as {of}`")
}

pub(crate) fn standard_function(path: &str) -> String {
    let advice = match path.rsplit("::").next() {
        Some("from" | "into" | "try_from") => "write `as`",
        Some("replace" | "take") => "write an assignment: `let old = *x; *x = new;`",
        _ => "write it with numbers, operators and their methods",
    };
    format!("`{path}` is not for devices; {advice}")
}

pub(crate) fn number_type(suffix: &str) -> String {
    match suffix {
        _ if scalar_named(suffix).is_some() => format!("`{suffix}` has no literals; write `{suffix}::from_f32(2.0)`"),
        "f128" => "`f128` is not for devices; write `f64`".to_owned(),
        "i128" => "`i128` is not for devices; write `i64`".to_owned(),
        "u128" => "`u128` is not for devices; write `u64`".to_owned(),
        other => format!("`{other}` is not a number type in device code; write one of Rust's, such as `f32`"),
    }
}

pub(crate) fn literal(literal: &Lit) -> &'static str {
    match literal {
        Lit::Char(_) => "characters are not for devices; write a byte, such as `b'a'`, or a number",
        Lit::ByteStr(_) => "byte strings are not for devices; write an array of numbers, `[97u8, 98]`",
        _ => "strings are not for devices; compute with numbers, and write text on the host",
    }
}

pub(crate) fn macro_call(name: &str) -> String {
    let advice = match name {
        "println" | "print" | "eprintln" | "eprint" | "dbg" => "return the value, and print it on the host",
        "format" | "write" | "writeln" | "concat" | "stringify" => "compute with numbers, and write text on the host",
        "vec" => "write a fixed array, `[0.0f32; 4]`",
        _ => "write the code that it stands for, or a `#[device]` function",
    };
    format!("`{name}!` is not for devices; {advice}")
}

/// A name of Rust's library that stands for a value or a function, with what to write instead.
pub(crate) fn named_value(path: &syn::Path) -> Option<String> {
    let first = path.segments.first()?.ident.to_string();
    let last = path.segments.last()?.ident.to_string();
    let advice = match (first.as_str(), last.as_str()) {
        (_, "Some" | "None") => WITHOUT_OPTION,
        (_, "Ok" | "Err") => "write a tuple of a `bool` and the value; an impossible case is `panic!()`",
        ("self" | "Self", _) => "write a function outside of `impl` blocks",
        _ => return named_type_with(&first),
    };
    Some(format!("`{last}` is not for devices; {advice}"))
}

/// A type of Rust's library, with what to write instead.
pub(crate) fn named_type(path: &syn::Path) -> Option<String> {
    let last = path.segments.last()?;
    if let Some(reason) = named_type_with(&last.ident.to_string()) {
        return Some(reason);
    }
    (!last.arguments.is_none()).then(|| TURBOFISH.to_owned())
}

fn named_type_with(name: &str) -> Option<String> {
    let advice = match name {
        "Vec" | "VecDeque" | "HashMap" | "BTreeMap" | "HashSet" => "write a fixed array, such as `[f32; 4]`",
        "Box" | "Rc" | "Arc" | "Cell" | "RefCell" => "write the value itself",
        "String" | "str" => "compute with numbers, and write text on the host",
        "char" => "write `u8` or `u32`",
        "Option" | "Some" | "None" => WITHOUT_OPTION,
        "Result" | "Ok" | "Err" => "write a tuple of a `bool` and the value; an impossible case is `panic!()`",
        "u128" => "write `u64`",
        "i128" => "write `i64`",
        "f128" => "write `f64`",
        "Self" => "write the name of the type",
        "Wrapping" => "write the integer itself: integers wrap on devices",
        _ => return None,
    };
    Some(format!("`{name}` is not for devices; {advice}"))
}

/// Whether a path may be that of a user's struct: it has no arguments, and is not known to be something else.
pub fn may_be_struct(path: &syn::Path) -> bool {
    let Some(last) = path.segments.last() else { return false };
    let name = last.ident.to_string();
    let is_other =
        ["DeviceArray", "Array", "Array1", "Array2", "ArrayD", "ArrayView", "ArrayViewMut", "SharedArray", "Dim3"];
    last.arguments.is_none()
        && name.starts_with(char::is_uppercase)
        && !is_other.contains(&name.as_str())
        && named_type_with(&name).is_none()
}

/// The message for a type that is not a name.
pub(crate) fn type_of(written: &Type) -> &'static str {
    match written {
        Type::Slice(_) => "slices are not for devices; write a fixed array, such as `[f32; 4]`",
        Type::Reference(_) => "slices are not for devices; write a fixed array, such as `&[f32; 4]`",
        Type::Ptr(_) => "pointers are not for devices; write a reference as a parameter, `&mut f32`",
        Type::BareFn(_) => "device code calls functions by their names; write a `#[device]` function",
        Type::ImplTrait(_) | Type::TraitObject(_) => "traits are not for devices; write one function for each type",
        Type::Never(_) => "`!` is not for devices; write the type of a value that is never returned",
        Type::Infer(_) => "the type must be written here, such as `f32`",
        _ => "this type is not for devices; write a scalar, a tuple, a fixed array or a `#[device]` struct",
    }
}

/// What to write where a scalar belongs.
pub(crate) fn for_scalar(written: &Type, what: &str) -> String {
    let path = match written {
        Type::Path(path) => &path.path,
        Type::Reference(_) | Type::Ptr(_) => {
            return "write the type itself: the function gets one element at a time".to_owned();
        }
        Type::Tuple(_) if what == "an argument" => return "write one argument for each part".to_owned(),
        Type::Tuple(_) => return "write a tuple of scalars, such as `(f32, f32)`".to_owned(),
        Type::Array(_) | Type::Slice(_) if what == "an argument" => {
            return "write one argument for each element".to_owned();
        }
        Type::Array(_) => return "write a tuple of scalars, such as `(f32, f32)`".to_owned(),
        _ => return "write one, such as `f32`".to_owned(),
    };
    match path.get_ident().map(ToString::to_string).as_deref() {
        Some("u128") => "write `u64`".to_owned(),
        Some("i128") => "write `i64`".to_owned(),
        Some("char") => "write `u32`".to_owned(),
        _ => "write one, such as `f32`, not the name of another type for it".to_owned(),
    }
}

/// What to write where a parameter of a kernel is neither a view nor a scalar that can be passed.
pub(crate) fn for_kernel(written: &Type) -> String {
    let advice = match written {
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(_) => "write the type itself",
            _ if reference.mutability.is_some() => "write `mut out: ViewMut<f32>`: threads change one array together",
            _ => "write `View<f32>`",
        },
        Type::Slice(_) | Type::Ptr(_) => "write `View<f32>`, or `mut out: ViewMut<f32>` for an array that is changed",
        Type::Array(_) => "write `View<f32>`, or one argument for each element",
        Type::Tuple(_) => "write one argument for each part",
        Type::Path(path) => match path.path.segments.last().map(|segment| segment.ident.to_string()).as_deref() {
            Some("char") => "write `i32`",
            Some("u128") => "write `u64`",
            Some("i128") => "write `i64`",
            Some("Vec" | "Array1" | "Array2" | "Array" | "DeviceArray") => {
                "write `View<f32>`, or `mut out: ViewMut<f32>` for an array that is changed"
            }
            _ => "write one of these, not the name of another type",
        },
        _ => "write one of these",
    };
    let elements = element_names(", ");
    format!(
        "a parameter of a kernel must be a `View`, a `ViewMut`, a scalar ({elements}, usize, isize) or a `#[device]` struct; {advice}"
    )
}

pub(crate) fn pattern_of(pattern: &Pat) -> &'static str {
    match pattern {
        Pat::Macro(_) => "macros are not for devices; write the pattern that it stands for",
        Pat::Rest(_) => "`..` is allowed only within a tuple or an array; write `_`",
        _ => {
            "in device code, a pattern must be a number, a range, a name, a tuple, a struct or an array of these; or \
             write a guard"
        }
    }
}

/// The token at which an expression is refused, and why.
pub(crate) fn expression(written: &Expr) -> (TokenStream, &'static str) {
    match written {
        Expr::Closure(closure) => (
            closure.or1_token.to_token_stream(),
            "closures are not for devices; write a `#[device]` function, or a loop where one is given to an iterator",
        ),
        Expr::Try(attempt) => (
            attempt.question_token.to_token_stream(),
            "`?` is not for devices; return a tuple of a `bool` and the value, and test it with `if`",
        ),
        Expr::Unsafe(block) => (
            block.unsafe_token.to_token_stream(),
            "`unsafe` is not for devices; write the same with arrays and numbers",
        ),
        Expr::Async(block) => {
            (block.async_token.to_token_stream(), "`async` is not for devices; write a plain function")
        }
        Expr::Await(block) => {
            (block.await_token.to_token_stream(), "`await` is not for devices; write a plain function")
        }
        Expr::Const(block) => {
            (block.const_token.to_token_stream(), "`const` blocks are not for devices; write `const NAME: f32 = …;`")
        }
        Expr::Let(condition) => (
            condition.let_token.to_token_stream(),
            "in device code, `let` cannot be combined with other conditions; write `match` with a guard",
        ),
        Expr::RawAddr(address) => {
            (address.to_token_stream(), "pointers are not for devices; write a reference, `&mut x`")
        }
        Expr::Infer(infer) => (infer.to_token_stream(), "`_` is not a value; write a value"),
        other => (other.to_token_stream(), SYNTAX),
    }
}
