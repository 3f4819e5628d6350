//! The table of scalars: all that is known of a type of numbers or truth values in functions that run on devices.

/// Calls a macro with the arguments, and behind them the rows of all scalars. Each row is in braces:
///
/// - what sort of values it has. What follows from this and the size, such as the limits, is not in the table.
/// - `element` if arrays have elements of the type, or `size` for what counts elements.
/// - the tag, the type in Rust, which has this name in the generated text too, and the name in the tables of methods.
/// - the type of the same values on a 64-bit machine, the unsigned integer of as many bytes, and the type in CUDA C. Those of the
///   crate `half` and complex numbers have none: `support/halves.cuh` and `support/complex.cuh` define them. A float of the crate
///   `half` says how many bits its fraction has.
#[macro_export]
macro_rules! scalars {
    ($($callback:ident)::+ ! ($($arguments:tt)*)) => {
        $($callback)::+! { $($arguments)*
            { Bool     element Bool  bool  BOOL,  bool, u8, "bool" }
            { Signed   element I8    i8    I8,    i8,   u8, "signed char" }
            { Unsigned element U8    u8    U8,    u8,   u8, "unsigned char" }
            { Signed   element I16   i16   I16,   i16,  u16, "short" }
            { Unsigned element U16   u16   U16,   u16,  u16, "unsigned short" }
            { Signed   element I32   i32   I32,   i32,  u32, "int" }
            { Unsigned element U32   u32   U32,   u32,  u32, "unsigned int" }
            { Signed   element I64   i64   I64,   i64,  u64, "long long" }
            { Unsigned element U64   u64   U64,   u64,  u64, "unsigned long long" }
            { Signed   size    Isize isize ISIZE, i64, u64, "long long" }
            { Unsigned size    Usize usize USIZE, u64, u64, "unsigned long long" }
            { Float    element F32   f32   F32,   f32,  u32, "float" }
            { Float    element F64   f64   F64,   f64,  u64, "double" }
            { Half     element F16   f16   F16,   Narrow<u16, 10>, u16, "" }
            { Half     element BF16  bf16  BF16,  Narrow<u16, 7>,  u16, "" }
            { Complex  element C64   Complex32 C64,  [f32; 2], u64, "" }
            { Complex  element C128  Complex64 C128, [f64; 2], u128, "" }
        }
    };
}
pub(crate) use scalars;

/// A float of less than 32 bits: a sign, an exponent, and this many bits of fraction, as IEEE's formats have them.
pub(crate) struct Narrow<Bits, const FRACTION: u32>(Bits);

impl<Bits, const FRACTION: u32> Narrow<Bits, FRACTION> {
    pub(crate) const FRACTION: u32 = FRACTION;
}

/// What sort of values a type has.
#[derive(PartialEq)]
enum Sort {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// Narrow floats, which are structs, as those of the crate `half` are: they have Rust's operators, but neither literals nor `as`.
    Half,
    /// Complex numbers of the crate `num-complex`, structs too: their operators also take a float on one side.
    Complex,
}

macro_rules! tags {
    ($({ $sort:ident $use:ident $tag:ident $type:ident $name:ident, $host:ty, $bits:ty, $c_type:literal })*) => {
        /// The types of numbers and truth values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Scalar {
            $($tag,)*
        }

        /// All types.
        pub(crate) const ALL: [Scalar; [$(Scalar::$tag),*].len()] = [$(Scalar::$tag),*];

        /// The name of a type, which is the same in Rust and in the generated text.
        pub const fn name_of(scalar: Scalar) -> &'static str {
            match scalar {
                $(Scalar::$tag => stringify!($type),)*
            }
        }

        /// Bytes of a value in memory. Sizes are those of a 64-bit machine.
        pub(crate) const fn size_of(scalar: Scalar) -> usize {
            match scalar {
                $(Scalar::$tag => std::mem::size_of::<$host>(),)*
            }
        }

        /// The names of the types, as every generated program begins; CUDA C has `bool` itself.
        pub(crate) fn typedefs() -> String {
            let mut text = String::from("// Scalars by their names in Rust, on a 64-bit machine.\n");
            $(if !$c_type.is_empty() && stringify!($type) != $c_type {
                text += concat!("typedef ", $c_type, " ", stringify!($type), ";\n");
            })*
            text
        }

        const fn sort(scalar: Scalar) -> Sort {
            match scalar {
                $(Scalar::$tag => Sort::$sort,)*
            }
        }

        /// Whether arrays have elements of a type. The others are `usize` and `isize`.
        pub(crate) const fn is_element(scalar: Scalar) -> bool {
            match scalar {
                $(Scalar::$tag => tags!(@$use),)*
            }
        }
    };
    (@element) => { true };
    (@size) => { false };
}
scalars!(tags!());

/// The type of this name.
pub(crate) fn scalar_named(name: &str) -> Option<Scalar> {
    ALL.into_iter().find(|&scalar| name_of(scalar) == name)
}

/// The names of the types of elements, with commas between them and `before_last` before the last one.
pub fn element_names(before_last: &str) -> String {
    let names: Vec<&str> = ALL.into_iter().filter(|&scalar| is_element(scalar)).map(name_of).collect();
    let (last, others) = names.split_last().expect("there are types");
    format!("{}{before_last}{last}", others.join(", "))
}

/// Bits of an integer type, 0 for the others.
pub(crate) fn integer_bits(scalar: Scalar) -> u32 {
    if is_integer(scalar) { 8 * size_of(scalar) as u32 } else { 0 }
}

pub(crate) fn is_integer(scalar: Scalar) -> bool {
    matches!(sort(scalar), Sort::Signed | Sort::Unsigned)
}

/// Whether it is one of Rust's own floats.
pub(crate) fn is_float(scalar: Scalar) -> bool {
    sort(scalar) == Sort::Float
}

/// Whether it is a float of less than 32 bits.
pub(crate) fn is_half(scalar: Scalar) -> bool {
    sort(scalar) == Sort::Half
}

/// Whether C++'s operators do what Rust's do, as they do for floats.
pub(crate) fn has_operators_of_floats(scalar: Scalar) -> bool {
    matches!(sort(scalar), Sort::Float | Sort::Half | Sort::Complex)
}

/// Whether it is a struct in the generated text, which the support defines.
pub fn is_struct(scalar: Scalar) -> bool {
    matches!(sort(scalar), Sort::Half | Sort::Complex)
}

/// The type of the real and the imaginary part of a complex number.
pub(crate) fn part_of(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::C64 => Some(Scalar::F32),
        Scalar::C128 => Some(Scalar::F64),
        _ => None,
    }
}

/// The complex numbers with parts of this type.
pub(crate) fn complex_of(part: Scalar) -> Option<Scalar> {
    ALL.into_iter().find(|&scalar| part_of(scalar) == Some(part))
}

/// The scalar of a literal's suffix. Floats of 16 bits and complex numbers have no literals.
pub(crate) fn scalar_of_suffix(suffix: &str) -> Option<Scalar> {
    scalar_named(suffix).filter(|&scalar| !is_struct(scalar))
}

pub(crate) fn is_signed(scalar: Scalar) -> bool {
    sort(scalar) == Sort::Signed
}

/// The least and the greatest value of an integer type.
pub(crate) fn limits(scalar: Scalar) -> (i128, i128) {
    let bits = integer_bits(scalar).max(1);
    if is_signed(scalar) { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}
