//! The table of dtypes: all that is known of an element type, one row each. Types, traits, dispatch and names are made from it, in this
//! crate and in those above.

/// Calls a macro with the arguments, and behind them the rows of all dtypes, in order of promotion. Each row is in braces:
///
/// - its [`Kind`](crate::dtype::Kind). What follows from kind and size, such as NumPy's name, is not in the table.
/// - `computed` if operations compute in it, or `storage`.
/// - the tag, and the type in Rust.
/// - the type that operations compute in, the type of sums and products, and the type of means.
/// - the name in Rust, the name in the sources in `prelude/cuda/kernels/`, and the name in CUDA C.
/// - the number of its kind in DLPack (`DLDataTypeCode`).
///
/// ```text
/// macro_rules! print_sizes {
///     ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => { $(println!("{}", size_of::<$type>());)* };
/// }
/// dtypes!(print_sizes!());
/// ```
#[macro_export]
macro_rules! dtypes {
    ($($callback:ident)::+ ! ($($arguments:tt)*)) => {
        $($callback)::+! { $($arguments)*
            // kind     use      tag  type                 in    sum   mean  Rust    kernels   CUDA C                DLPack
            { Bool     computed Bool bool,                bool, u64,  f64,  "bool", "bool",   "bool",               6 }
            { Unsigned computed U8   u8,                  u8,   u64,  f64,  "u8",   "u8",     "unsigned char",      1 }
            { Signed   storage  I8   i8,                  i32,  i64,  f64,  "i8",   "i8",     "signed char",        0 }
            { Unsigned storage  U16  u16,                 u32,  u64,  f64,  "u16",  "u16",    "unsigned short",     1 }
            { Signed   storage  I16  i16,                 i32,  i64,  f64,  "i16",  "i16",    "short",              0 }
            { Signed   computed I32  i32,                 i32,  i64,  f64,  "i32",  "int",    "int",                0 }
            { Unsigned computed U32  u32,                 u32,  u64,  f64,  "u32",  "u32",    "unsigned int",       1 }
            { Signed   computed I64  i64,                 i64,  i64,  f64,  "i64",  "i64",    "long long",          0 }
            { Unsigned computed U64  u64,                 u64,  u64,  f64,  "u64",  "u64",    "unsigned long long", 1 }
            { Narrow   storage  F16  $crate::dtype::f16,  f32,  f32,  f32,  "f16",  "f16",    "float16",            2 }
            { Narrow   storage  BF16 $crate::dtype::bf16, f32,  f32,  f32,  "bf16", "bf16",   "bfloat16",           4 }
            { Float    computed F32  f32,                 f32,  f32,  f32,  "f32",  "float",  "float",              2 }
            { Float    computed F64  f64,                 f64,  f64,  f64,  "f64",  "double", "double",             2 }
            { Complex  computed C64  $crate::dtype::Complex<f32>,
              $crate::dtype::Complex<f32>, $crate::dtype::Complex<f32>, $crate::dtype::Complex<f32>,
              "Complex<f32>", "c64", "complex<float>", 5 }
            { Complex  computed C128 $crate::dtype::Complex<f64>,
              $crate::dtype::Complex<f64>, $crate::dtype::Complex<f64>, $crate::dtype::Complex<f64>,
              "Complex<f64>", "c128", "complex<double>", 5 }
        }
    };
}
pub use dtypes;

/// The element types that are not Rust's own.
pub mod types {
    pub use half::{bf16, f16};
    pub use num_complex::{Complex, Complex32, Complex64};
}

/// Expands to the tokens of the first braces if a dtype of this kind and use belongs to a set, else to those of the second.
///
/// The sets are `real` (not complex), `primitive` (the real types that are Rust's own), `computed` (the real types that operations
/// compute in), and of these `numbers` (not bool) and `integers`; `narrow` (the floats that are only stored), `arithmetic` (real and
/// not bool) and `bits` (all integers).
#[macro_export]
macro_rules! if_dtype {
    (integers Unsigned computed { $($yes:tt)* } $no:tt) => { $($yes)* };
    (integers Signed computed { $($yes:tt)* } $no:tt) => { $($yes)* };
    (integers $kind:ident $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    ($set:ident Complex $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (real $kind:ident $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (narrow Narrow $use:ident { $($yes:tt)* } $no:tt) => { $($yes)* };
    (narrow $kind:ident $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
    (primitive Narrow $use:ident $yes:tt { $($no:tt)* }) => { $($no)* };
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
