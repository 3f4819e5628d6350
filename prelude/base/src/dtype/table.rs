//! The table of dtypes: all that is known of an element type, one row each. Types, traits, dispatch and names are made from it, in this
//! crate and in those above.

/// Calls a macro with the arguments, and behind them the rows of all dtypes, in order of promotion. Each row is in braces:
///
/// - its [`Kind`](crate::dtype::Kind). What follows from kind and size, such as NumPy's name, is not in the table.
/// - `computed` if operations compute in it, or `storage`.
/// - the tag, and the type in Rust.
/// - the type that operations compute in, the type of sums and products, and the type of means.
/// - the name in the sources in `prelude/cuda/kernels/`, and the name in CUDA C.
///
/// ```text
/// macro_rules! print_names {
///     ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => { $(println!(stringify!($type));)* };
/// }
/// dtypes!(print_names!());
/// ```
#[macro_export]
macro_rules! dtypes {
    ($($callback:ident)::+ ! ($($arguments:tt)*)) => {
        $($callback)::+! { $($arguments)*
            // kind     use      tag  type           computed in   sums          means         kernels   CUDA C
            { Bool     computed Bool bool,          bool,         u64,          f64,          "bool",   "bool" }
            { Unsigned computed U8   u8,            u8,           u64,          f64,          "u8",     "unsigned char" }
            { Signed   storage  I8   i8,            i32,          i64,          f64,          "i8",     "signed char" }
            { Unsigned storage  U16  u16,           u32,          u64,          f64,          "u16",    "unsigned short" }
            { Signed   storage  I16  i16,           i32,          i64,          f64,          "i16",    "short" }
            { Signed   computed I32  i32,           i32,          i64,          f64,          "int",    "int" }
            { Unsigned computed U32  u32,           u32,          u64,          f64,          "u32",    "unsigned int" }
            { Signed   computed I64  i64,           i64,          i64,          f64,          "i64",    "long long" }
            { Unsigned computed U64  u64,           u64,          u64,          f64,          "u64",    "unsigned long long" }
            { Half     storage  F16  f16,           f32,          f32,          f32,          "f16",    "float16" }
            { Brain    storage  BF16 bf16,          f32,          f32,          f32,          "bf16",   "bfloat16" }
            { Float    computed F32  f32,           f32,          f32,          f32,          "float",  "float" }
            { Float    computed F64  f64,           f64,          f64,          f64,          "double", "double" }
            { Complex  computed C64  Complex<f32>,  Complex<f32>, Complex<f32>, Complex<f32>, "c64",    "complex<float>" }
            { Complex  computed C128 Complex<f64>,  Complex<f64>, Complex<f64>, Complex<f64>, "c128",   "complex<double>" }
        }
    };
}
pub use dtypes;

/// Expands to the tokens of the first braces if a dtype of this kind and use belongs to a set, else to those of the second.
///
/// The sets are `real` (not complex), `primitive` (the real types that are Rust's own), `computed` (the real types that operations
/// compute in), and of these `numbers` (not bool) and `integers`; `arithmetic` (real and not bool) and `bits` (all integers).
#[macro_export]
macro_rules! if_dtype {
    (integers Unsigned computed { $($yes:tt)* } $no:tt) => { $($yes)* };
    (integers Signed computed { $($yes:tt)* } $no:tt) => { $($yes)* };
    (integers $kind:ident $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    ($set:ident Complex $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (real $kind:ident $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (primitive Half $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (primitive Brain $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (primitive $kind:ident $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (bits Unsigned $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (bits Signed $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (bits $kind:ident $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (arithmetic Bool $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (arithmetic $kind:ident $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (numbers Bool $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    ($set:ident $kind:ident computed { $($yes:tt)* } $no:tt) => { $($yes)* };
    ($set:ident $kind:ident storage $yes:tt { $($no:tt)* }) => { $($no)* };
}
pub use if_dtype;
