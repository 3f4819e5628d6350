//! Thin functions: what a function of typed arrays does, said by the call of its core, which works without the types.
//!
//! A function in [`thin!`] is an ordinary one, except that `=>` stands behind its type, with what computes the elements:
//!
//! ```text
//! thin! {
//!     /// The differences of neighbours.
//!     pub fn diff<A: OnDevice<Elem = T>, T: Number>(a: &A) -> DeviceArray<T> => differences("diff", a.raw());
//! }
//! ```
//!
//! The core gives a [`Result`](crate::Result) with an array without its type. The function gives it its type, or panics at the
//! caller's line. As [`fallible!`](crate::fallible) it is a declarative macro that takes all functions in one step.

/// Functions that call a core and give its result a type; see the head of this file.
macro_rules! thin {
    ($(
        $(#[$attribute:meta])*
        pub $(($scope:ident))? fn $name:ident
        // The second word is that of a `const`.
        $(<
            $($lifetime:lifetime,)*
            $($generic:ident $($constant:ident)? $(: $($outlives:lifetime +)? $(?$sized:ident +)? $bound:path)?),+
        >)?
        ($($arguments:tt)*) -> $value:ty
        $(where $($bounded:ty: $predicate:path),+)?
        => $core:expr;
    )*) => {$(
        $(#[$attribute])*
        #[track_caller]
        pub $(($scope))? fn $name
        $(<$($lifetime,)* $($generic $($constant)? $(: $($outlives +)? $(?$sized +)? $bound)?),+>)?
        ($($arguments)*) -> $value
        $(where $($bounded: $predicate),+)?
        {
            <$value>::from_raw($crate::error::check($core))
        }
    )*};
}
pub(crate) use thin;
