//! What a formula of `fuse!` captures: scalars by value, and the closure that has them for the CPU.

use super::Text;
use super::constant::Constant;
use crate::dtype::types::*;
use std::mem::MaybeUninit;
use warpcell_translate::{Scalar, Value, scalars};

/// As many variables as a formula may capture.
pub const MOST: usize = 8;

/// A captured scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Its type.
    pub scalar: Scalar,
    /// Its bits; those above its size are zero.
    pub bits: u128,
}

/// A type whose values a formula may capture: numbers and truth values.
#[diagnostic::on_unimplemented(
    message = "`fuse!` captures numbers by value, but this is `{Self}`",
    label = "not a number",
    note = "give an array as an argument: write a parameter for its elements, such as `|x: f32|`, and `gpu::map(g, &a)`",
    note = "to capture numbers of a struct, an array or a tuple, write `let x = p.x;` before it"
)]
pub trait Capture: Constant + Copy {
    /// The value.
    fn captured(self) -> Captured {
        match self.value() {
            Value::Scalar(scalar, bits) => Captured { scalar, bits },
            other => unreachable!("{other:?} is not a scalar"),
        }
    }
}

macro_rules! captures {
    ($({ $sort:ident $use:ident $tag:ident $type:ident $($rest:tt)* })*) => {$(
        impl Capture for $type {}
    )*};
}
scalars!(captures!());

/// The captured scalars of a formula, and its closure.
#[derive(Clone, Copy)]
pub struct Captures {
    count: usize,
    scalars: [Captured; MOST],
    /// The bytes of the closure.
    closure: [MaybeUninit<u128>; MOST],
}

impl Captures {
    /// Those of a function.
    pub const fn none() -> Captures {
        let none = Captured { scalar: Scalar::Bool, bits: 0 };
        Captures { count: 0, scalars: [none; MOST], closure: [MaybeUninit::uninit(); MOST] }
    }

    /// Those of a closure that has captured these, which are [`MOST`] at most.
    pub fn new<F: Copy + Send + Sync + 'static>(scalars: &[Captured], closure: F) -> Captures {
        const { assert!(size_of::<F>() <= 16 * MOST && align_of::<F>() <= 16, "`fuse!` captures at most eight numbers") };
        let mut captures = Captures::none();
        captures.count = scalars.len();
        captures.scalars[..scalars.len()].copy_from_slice(scalars);
        // SAFETY: there is room for the closure, as was just seen, and it is aligned.
        unsafe { captures.closure.as_mut_ptr().cast::<F>().write(closure) };
        captures
    }

    /// The scalars, in the order of the formula's last parameters.
    pub fn scalars(&self) -> &[Captured] {
        &self.scalars[..self.count]
    }

    /// The closure.
    ///
    /// # Safety
    ///
    /// `new` was given one of this type.
    pub unsafe fn closure<F: Copy>(&self) -> F {
        // SAFETY: the caller's promise; the closure may be copied.
        unsafe { self.closure.as_ptr().cast::<F>().read() }
    }
}

/// What the procedural half of `fuse!` gives to the other one. `WIDE` says that the processor has AVX2 and FMA.
pub struct Formula<const WIDE: bool> {
    /// The formula's text.
    pub text: &'static Text,
    scalars: [Captured; MOST],
    count: usize,
}

impl<const WIDE: bool> Formula<WIDE> {
    /// A formula that has captured these, which are eight at most.
    pub fn new(text: &'static Text, captured: &[Captured]) -> Formula<WIDE> {
        let mut formula =
            Formula { text, scalars: [Captured { scalar: Scalar::Bool, bits: 0 }; MOST], count: captured.len() };
        formula.scalars[..captured.len()].copy_from_slice(captured);
        formula
    }

    /// What it has captured.
    pub fn scalars(&self) -> &[Captured] {
        &self.scalars[..self.count]
    }
}
