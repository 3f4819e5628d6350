//! The methods and associated functions of integers.

use super::{Parameter, Table, function, table};
use crate::scalars::Scalar::{self, *};

/// Methods of all integers.
macro_rules! methods {
    ($type:literal, $unsigned:ident) => {
        table! { $type;
            count_ones() -> U32;
            count_zeros() -> U32;
            leading_zeros() -> U32;
            leading_ones() -> U32;
            trailing_zeros() -> U32;
            trailing_ones() -> U32;
            rotate_left(U32) -> SAME;
            rotate_right(U32) -> SAME;
            swap_bytes() -> SAME;
            reverse_bits() -> SAME;
            to_be() -> SAME;
            to_le() -> SAME;
            min(SAME) -> SAME;
            max(SAME) -> SAME;
            clamp(SAME, SAME) -> SAME, fails;
            pow(U32) -> SAME;
            abs_diff(SAME) -> $unsigned;
            midpoint(SAME) -> SAME;
            div_euclid(SAME) -> SAME, fails;
            rem_euclid(SAME) -> SAME, fails;
            ilog(SAME) -> U32, fails;
            ilog2() -> U32, fails;
            ilog10() -> U32, fails;
            wrapping_add(SAME) -> SAME;
            wrapping_sub(SAME) -> SAME;
            wrapping_mul(SAME) -> SAME;
            wrapping_neg() -> SAME;
            wrapping_shl(U32) -> SAME;
            wrapping_shr(U32) -> SAME;
            wrapping_pow(U32) -> SAME;
            wrapping_div(SAME) -> SAME, fails;
            wrapping_rem(SAME) -> SAME, fails;
            wrapping_div_euclid(SAME) -> SAME, fails;
            wrapping_rem_euclid(SAME) -> SAME, fails;
            unbounded_shl(U32) -> SAME;
            unbounded_shr(U32) -> SAME;
            saturating_add(SAME) -> SAME;
            saturating_sub(SAME) -> SAME;
            saturating_mul(SAME) -> SAME;
            saturating_pow(U32) -> SAME;
            saturating_div(SAME) -> SAME, fails;
            overflowing_add(SAME) -> (SAME, BOOL);
            overflowing_sub(SAME) -> (SAME, BOOL);
            overflowing_mul(SAME) -> (SAME, BOOL);
            overflowing_neg() -> (SAME, BOOL);
            overflowing_shl(U32) -> (SAME, BOOL);
            overflowing_shr(U32) -> (SAME, BOOL);
            overflowing_pow(U32) -> (SAME, BOOL);
            overflowing_div(SAME) -> (SAME, BOOL), fails;
            overflowing_rem(SAME) -> (SAME, BOOL), fails;
            overflowing_div_euclid(SAME) -> (SAME, BOOL), fails;
            overflowing_rem_euclid(SAME) -> (SAME, BOOL), fails;
        }
    };
}

macro_rules! methods_of_signed {
    ($type:literal, $unsigned:ident) => {
        table! { $type;
            abs() -> SAME;
            signum() -> SAME;
            is_positive() -> BOOL;
            is_negative() -> BOOL;
            unsigned_abs() -> $unsigned;
            cast_unsigned() -> $unsigned;
            isqrt() -> SAME, fails;
            wrapping_abs() -> SAME;
            wrapping_add_unsigned($unsigned) -> SAME;
            wrapping_sub_unsigned($unsigned) -> SAME;
            saturating_abs() -> SAME;
            saturating_neg() -> SAME;
            saturating_add_unsigned($unsigned) -> SAME;
            saturating_sub_unsigned($unsigned) -> SAME;
            overflowing_abs() -> (SAME, BOOL);
            overflowing_add_unsigned($unsigned) -> (SAME, BOOL);
            overflowing_sub_unsigned($unsigned) -> (SAME, BOOL);
        }
    };
}

macro_rules! methods_of_unsigned {
    ($type:literal, $signed:ident) => {
        table! { $type;
            isqrt() -> SAME;
            cast_signed() -> $signed;
            div_ceil(SAME) -> SAME, fails;
            next_multiple_of(SAME) -> SAME, fails;
            is_multiple_of(SAME) -> BOOL;
            is_power_of_two() -> BOOL;
            next_power_of_two() -> SAME;
            wrapping_add_signed($signed) -> SAME;
            wrapping_sub_signed($signed) -> SAME;
            saturating_add_signed($signed) -> SAME;
            saturating_sub_signed($signed) -> SAME;
            overflowing_add_signed($signed) -> (SAME, BOOL);
            overflowing_sub_signed($signed) -> (SAME, BOOL);
            carrying_add(SAME, BOOL) -> (SAME, BOOL);
            borrowing_sub(SAME, BOOL) -> (SAME, BOOL);
            carrying_mul(SAME, SAME) -> (SAME, SAME);
            carrying_mul_add(SAME, SAME, SAME) -> (SAME, SAME);
        }
    };
}

/// Functions without `self`: conversions of what fits into the type, and of numbers in another order of bytes.
macro_rules! functions {
    ($type:literal) => {
        &[
            function!("from", $type, Parameter::Lossless),
            function!("from_be", concat!($type, "_from_be"), Parameter::Same),
            function!("from_le", concat!($type, "_from_le"), Parameter::Same),
        ]
    };
}

const OF_BYTES: Table = table! { "u8";
    is_ascii() -> BOOL;
    is_ascii_alphabetic() -> BOOL;
    is_ascii_alphanumeric() -> BOOL;
    is_ascii_control() -> BOOL;
    is_ascii_digit() -> BOOL;
    is_ascii_graphic() -> BOOL;
    is_ascii_hexdigit() -> BOOL;
    is_ascii_lowercase() -> BOOL;
    is_ascii_punctuation() -> BOOL;
    is_ascii_uppercase() -> BOOL;
    is_ascii_whitespace() -> BOOL;
    to_ascii_lowercase() -> SAME;
    to_ascii_uppercase() -> SAME;
};

static OF_BOOL: [Table; 1] = [&[function!("from", "bool", Parameter::Lossless)]];

/// A type's tables: of all integers, of those with or without a sign, and of functions without `self`.
macro_rules! integers {
    ($($scalar:ident $type:literal $methods:ident $other:ident $unsigned:ident;)*) => {
        pub(super) fn of(integer: Scalar) -> &'static [Table] {
            match integer {
                $(Scalar::$scalar => {
                    static TABLES: [Table; 4] = [
                        methods!($type, $unsigned),
                        $methods!($type, $other),
                        functions!($type),
                        if matches!(Scalar::$scalar, U8) { OF_BYTES } else { &[] },
                    ];
                    &TABLES
                })*
                _ => &OF_BOOL,
            }
        }
    };
}

integers! {
    I8 "i8" methods_of_signed U8 U8;
    U8 "u8" methods_of_unsigned I8 U8;
    I16 "i16" methods_of_signed U16 U16;
    U16 "u16" methods_of_unsigned I16 U16;
    I32 "i32" methods_of_signed U32 U32;
    U32 "u32" methods_of_unsigned I32 U32;
    I64 "i64" methods_of_signed U64 U64;
    U64 "u64" methods_of_unsigned I64 U64;
    Isize "isize" methods_of_signed USIZE USIZE;
    Usize "usize" methods_of_unsigned ISIZE USIZE;
}
