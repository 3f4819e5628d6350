//! The kinds of plots: one file each, with its numbers, how they become marks, its functions and its tests. This is the
//! list of them.

mod axhline;
mod bar;
mod contour;
mod errorbar;
mod fill_between;
mod hist;
mod imshow;
mod pcolormesh;
mod plot;
mod scatter;
mod spy;

macro_rules! kinds {
    ($($kind:ident)*) => {
        $(
            #[allow(unused_imports)] // Some kinds have methods only.
            pub use $kind::*;
        )*

        /// Plots of numbers that are hard to draw, from the tests of every kind.
        #[cfg(test)]
        pub(super) fn hard_to_draw() -> Vec<super::Plot> {
            [$($kind::tests::hard_to_draw()),*].concat()
        }
    };
}
kinds!(axhline bar contour errorbar fill_between hist imshow pcolormesh plot scatter spy);
