//! The kinds of plots: one file each, with its numbers, how they become marks, its functions and its tests. This is the
//! list of them.

mod bar;
mod hist;
mod imshow;
mod plot;
mod scatter;

macro_rules! kinds {
    ($($kind:ident)*) => {
        $(pub use $kind::*;)*

        /// Plots of numbers that are hard to draw, from the tests of every kind.
        #[cfg(test)]
        pub(super) fn hard_to_draw() -> Vec<super::Plot> {
            [$($kind::tests::hard_to_draw()),*].concat()
        }
    };
}
kinds!(bar hist imshow plot scatter);
