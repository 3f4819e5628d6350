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
//! The core gives a [`Result`](crate::Result) with an array without its type, or with several. The function gives them their
//! types, or panics at the caller's line. As [`fallible!`](crate::fallible) it is a declarative macro that takes all functions in one step.

use crate::array::{DeviceArray, RawArray};
use crate::dtype::Element;

/// Arrays that are made of what a core gives.
pub(crate) trait Typed {
    /// The same without the type.
    type Raw;
    fn typed(raw: Self::Raw) -> Self;
}

impl<T: Element> Typed for DeviceArray<T> {
    type Raw = RawArray;
    fn typed(raw: RawArray) -> Self {
        DeviceArray::from_raw(raw)
    }
}

impl<T: Element> Typed for Vec<DeviceArray<T>> {
    type Raw = Vec<RawArray>;
    fn typed(raw: Vec<RawArray>) -> Self {
        raw.into_iter().map(DeviceArray::from_raw).collect()
    }
}

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
            <$value as $crate::thin::Typed>::typed($crate::error::check($core))
        }
    )*};
}
pub(crate) use thin;
