//! What a row of the table becomes: a macro with the function's name.

macro_rules! functions {
    ($d:tt $(
        $name:ident($($needed:ident),*) [$($positional:tt $(= $default:tt)?),*] [$($other:tt $(= $value:tt)?),*]
            => $kind:ident [$($($function:ident)::+),*] $example:literal;
    )*) => {
        /// The calls of these functions, for the table of names.
        pub const SIGNATURES: &[$crate::keywords::Signature] = &[$($crate::keywords::Signature {
            name: stringify!($name),
            needed: &[$(stringify!($needed)),*],
            keywords: &[
                $((stringify!($positional), concat!("" $(, stringify!($default))?)),)*
                $((stringify!($other), concat!("" $(, stringify!($value))?)),)*
            ],
        }),*];
        $(
        /// The function of this name with NumPy's keywords, in any order:
        #[doc = concat!($("`", stringify!($positional), "` ",)* $("`", stringify!($other), "` ",)*)]
        ///
        /// ```
        /// use warpcell as gpu;
        #[doc = $example]
        /// ```
        #[macro_export]
        macro_rules! $name {
            ($d($d given:tt)*) => {
                $crate::__keywords! {
                    @read [
                        ($name [$($needed)*] [$($positional)*] [$($other)*])
                        [$({ $positional $($default)? })* $({ $other $($value)? })*]
                        [$kind $($crate::$($function)::+),*]
                    ]
                    [$($needed)*] [$($positional)*] [] [] [$d($d given)*]; $d($d given)*
                }
            };
        }
        )*
    };
}
