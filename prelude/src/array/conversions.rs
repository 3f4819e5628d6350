//! Implementations of a trait for types that differ in one expression only: what can be given as an argument.
//!
//! The first line has the trait's method. Each row has a type, its generics in brackets, and what the method gives:
//!
//! ```text
//! conversions! {
//!     fn into_axes(self) -> Vec<isize>: IntoAxes, sealed::Sealed;
//!     i32 => vec![self as isize];
//!     [isize; N] [const N: usize] => self.to_vec();
//! }
//! ```
//!
//! The second trait has no method. The types get it too: it seals the first one, or it is what the first one seals.

/// Implements a trait row by row; see the head of this file.
macro_rules! conversions {
    (
        fn $method:ident $arguments:tt -> $result:ty: $trait:path;
        $($type:ty $([$($generics:tt)*])? => $value:expr;)*
    ) => {$(
        impl $(<$($generics)*>)? $trait for $type {
            fn $method $arguments -> $result {
                $value
            }
        }
    )*};
    (
        fn $method:ident $arguments:tt -> $result:ty: $trait:path, $without_method:path;
        $($type:ty $([$($generics:tt)*])? => $value:expr;)*
    ) => {
        $(impl $(<$($generics)*>)? $without_method for $type {})*
        $crate::array::conversions::conversions! {
            fn $method $arguments -> $result: $trait;
            $($type $([$($generics)*])? => $value;)*
        }
    };
}
pub(crate) use conversions;
