//! Functions that can fail, written once and offered under two names: the plain one panics, its `try_` twin returns the error.
//!
//! A function in [`fallible!`] is an ordinary one that returns a [`Result`](crate::Result), except that both names stand before
//! what it takes:
//!
//! ```text
//! fallible! {
//!     /// Zeros.
//!     pub fn zeros, try_zeros<T: Element>(shape: impl IntoShape) -> Result<DeviceArray<T>> {
//!         filled("zeros", &shape.into_shape(), T::default().to_scalar()).map(DeviceArray::from_raw)
//!     }
//! }
//! ```
//!
//! The documentation and the attributes are those of `zeros`, which gives a `DeviceArray<T>` or panics at the caller's line. The
//! body is the one of `try_zeros`. Methods stand in a [`fallible!`] of their own within the `impl`.
//!
//! The macro is a declarative one, because rust-analyzer expands only these: so a cell gets completion and documentation of both
//! names. It takes all functions in one step, which keeps them cheap for rust-analyzer and for the compiler. Therefore a lifetime
//! or `?Sized` stands first among the bounds of a type, and a type has one trait as its bound. What has no `self` and stands in an
//! `impl` is written out.

/// Functions under a plain name and under a `try_` name; see the head of this file.
macro_rules! fallible {
    ($(
        $(#[$attribute:meta])*
        pub fn $name:ident, $twin:ident
        $(<
            $($lifetime:lifetime,)*
            // The second word is that of a `const`.
            $($generic:ident $($constant:ident)? $(: $($outlives:lifetime +)? $(?$sized:ident +)? $bound:path)?),+
        >)?
        ($($arguments:tt)*) -> Result<$value:ty>
        $(where $($bounded:ty: $(?$relaxed:ident +)? $predicate:path),+ $(,)?)?
        { $($body:tt)* }
    )*) => {$(
        $crate::fallible::fallible! {
            @call ($($arguments)*) $name $twin {
                attributes: [$(#[$attribute])*]
                generics: [$(<
                    $($lifetime,)*
                    $($generic $($constant)? $(: $($outlives +)? $(?$sized +)? $bound)?),+
                >)?]
                arguments: ($($arguments)*)
                value: $value,
                where: [$(where $($bounded: $(?$relaxed +)? $predicate),+)?]
                body: { $($body)* }
            }
        }
    )*};

    // How the plain name calls the other, and where it is for documentation: by what the function takes first.
    (@call (&mut $self:ident $($others:tt)*) $name:ident $twin:ident $parts:tt) => {
        $crate::fallible::fallible! { @both ($($others)*) $name $twin [$self.$twin] "Self::" $parts }
    };
    (@call (&$self:ident $($others:tt)*) $name:ident $twin:ident $parts:tt) => {
        $crate::fallible::fallible! { @both ($($others)*) $name $twin [$self.$twin] "Self::" $parts }
    };
    (@call ($first:ident: $($others:tt)*) $name:ident $twin:ident $parts:tt) => {
        $crate::fallible::fallible! { @both (, $first: $($others)*) $name $twin [$twin] "fn@" $parts }
    };
    (@call ($self:ident $($others:tt)*) $name:ident $twin:ident $parts:tt) => {
        $crate::fallible::fallible! { @both ($($others)*) $name $twin [$self.$twin] "Self::" $parts }
    };
    (@call () $name:ident $twin:ident $parts:tt) => {
        $crate::fallible::fallible! { @both () $name $twin [$twin] "fn@" $parts }
    };

    (@both ($(, $argument:ident: $type:ty)* $(,)?) $name:ident $twin:ident [$($call:tt)*] $scope:literal {
        attributes: [$($attributes:tt)*]
        generics: [$($generics:tt)*]
        arguments: $arguments:tt
        value: $value:ty,
        where: [$($where:tt)*]
        body: $body:tt
    }) => {
        $($attributes)*
        #[track_caller]
        pub fn $name $($generics)* $arguments -> $value $($where)* {
            $crate::error::check($($call)*($($argument),*))
        }

        #[doc = concat!("As [`", stringify!($name), "`](", $scope, stringify!($name), "), but returns the error.")]
        pub fn $twin $($generics)* $arguments -> $crate::error::Result<$value> $($where)* $body
    };
}
pub(crate) use fallible;
