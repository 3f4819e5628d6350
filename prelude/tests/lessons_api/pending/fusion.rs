//! `fuse!`: a formula as one function over arrays.

use std::marker::PhantomData;
use warpcell::{Element, Function};

/// A formula that `gpu::map` runs in one kernel. A nameable type, so a notebook's variable can hold it.
#[derive(Clone, Copy, Debug)]
pub struct Fused<F> {
    function: PhantomData<F>,
}

impl<A: Element, B: Element, R: Element> Fused<fn(A, B) -> R> {
    /// What `fuse!` expands to. The result's type follows from the formula: the shell needs no `-> i64`.
    pub fn new(formula: fn(A, B) -> R) -> Self {
        todo!()
    }
}

impl<A: Element, B: Element, R: Element> Function<(A, B)> for Fused<fn(A, B) -> R> {
    type Output = R;
}

/// `fuse!(|x: f32, y: f32| (x - y) * (x - y))`: written as a closure, used as a `#[vectorize]` function.
macro_rules! fuse {
    (|$($name:ident: $type:ty),+| $formula:expr) => {
        $crate::pending::Fused::new(|$($name: $type),+| $formula)
    };
}
pub(crate) use fuse;
