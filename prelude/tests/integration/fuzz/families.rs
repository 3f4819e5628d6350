//! Families of functions for the table of the fuzz: a macro that looks up a name and an element type.

use super::case::Case;
use super::compare::Host;

/// The call of a function.
pub type Call = fn(&Case) -> Vec<Host>;

/// `family { types: name name => call; … }`: `T` is the element type in a call, and the case is `c`.
macro_rules! functions {
    ($family:ident ($c:ident) { $($group:ident: $($name:literal => $call:expr),+;)* }) => {
        pub fn $family(name: &str, dtype: &str) -> Option<Call> {
            $(functions!(@$group $c name dtype $($name => $call),+);)*
            None
        }
    };
    // What a family's name stands for.
    (@floats $($rest:tt)*) => { functions!(@types [f64 "float64" f32 "float32"] $($rest)*); };
    (@complexes $($rest:tt)*) => { functions!(@types [Complex<f64> "complex128" Complex<f32> "complex64"] $($rest)*); };
    (@products $($rest:tt)*) => {
        functions!(@types [f64 "float64" f32 "float32" Complex<f64> "complex128" Complex<f32> "complex64"] $($rest)*);
    };
    (@inexact $($rest:tt)*) => { functions!(@types [f64 "float64" f32 "float32" Complex<f64> "complex128"] $($rest)*); };
    (@numbers $($rest:tt)*) => {
        functions!(@types [f64 "float64" f32 "float32" i64 "int64" i32 "int32" u8 "uint8"] $($rest)*);
    };
    (@stored $($rest:tt)*) => { functions!(@types [i8 "int8" u16 "uint16" f16 "float16"] $($rest)*); };
    (@integers $($rest:tt)*) => { functions!(@types [i64 "int64" i32 "int32" u8 "uint8" u64 "uint64"] $($rest)*); };
    (@bits $($rest:tt)*) => { functions!(@types [i64 "int64" u8 "uint8" bool "bool"] $($rest)*); };
    (@real $($rest:tt)*) => { functions!(@types [f64 "float64" f32 "float32" i64 "int64" u8 "uint8" bool "bool"] $($rest)*); };
    (@any $($rest:tt)*) => {
        functions!(@types [f64 "float64" i32 "int32" bool "bool" Complex<f64> "complex128"] $($rest)*);
    };
    (@bools $($rest:tt)*) => { functions!(@types [bool "bool"] $($rest)*); };
    (@double $($rest:tt)*) => { functions!(@types [f64 "float64"] $($rest)*); };
    (@samples $($rest:tt)*) => { functions!(@types [f64 "float64" f32 "float32" i64 "int64"] $($rest)*); };
    (@counts $($rest:tt)*) => { functions!(@types [f64 "float64" i64 "int64"] $($rest)*); };
    (@images $($rest:tt)*) => { functions!(@types [f64 "float64" f32 "float32" i32 "int32" u8 "uint8"] $($rest)*); };
    (@pixels $($rest:tt)*) => { functions!(@types [bool "bool" u8 "uint8"] $($rest)*); };
    (@blobs $($rest:tt)*) => { functions!(@types [bool "bool" i32 "int32" f64 "float64"] $($rest)*); };
    (@labelled $($rest:tt)*) => { functions!(@types [f64 "float64" i32 "int32" u8 "uint8"] $($rest)*); };
    (@makers $($rest:tt)*) => { functions!(@types [f64 "float64" i64 "int64" Complex<f64> "complex128"] $($rest)*); };
    (@complex $($rest:tt)*) => { functions!(@types [Complex<f64> "complex128"] $($rest)*); };
    (@long $($rest:tt)*) => { functions!(@types [i64 "int64"] $($rest)*); };
    (@bytes $($rest:tt)*) => { functions!(@types [u8 "uint8"] $($rest)*); };
    (@types $types:tt $c:ident $name:ident $dtype:ident $($literal:literal => $call:expr),+) => {
        $(functions!(@one $types $c $name $dtype $literal => $call);)+
    };
    (@one [$($type:ident $(<$part:ident>)? $numpy:literal)*] $c:ident $name:ident $dtype:ident $literal:literal => $call:expr) => {
        if $name == $literal {
            match $dtype {
                $($numpy => {
                    #[allow(unused, reason = "not each call names the type")]
                    type T = $type $(<$part>)?;
                    return Some(|$c: &Case| Outcome::hosts($call));
                })*
                _ => {}
            }
        }
    };
}
pub(super) use functions;
