//! `fuse!`: a formula as one function over arrays.

use crate::dtype::Element;
use crate::operations::map::Results;
use crate::registry::{self, BlockFunction, Captures, FORMULA, Formula, FunctionParameter, Inputs, Outputs};
use std::fmt;
use std::marker::PhantomData;

/// A formula that [`map`](crate::map) and its relatives run as one function; made by [`fuse!`](crate::fuse).
///
/// `F` is the type of the function that it stands for: `Fused<fn(f32, f32) -> f32>` takes two numbers. It has captured what it
/// needs by value, and can be copied. Shown, it is its text.
pub struct Fused<F> {
    pub(super) function: registry::Function,
    signature: PhantomData<F>,
}

impl<F> Clone for Fused<F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for Fused<F> {}

// The signature alone is a pointer, and there is none of it in the value.
impl<F> std::panic::UnwindSafe for Fused<F> {}
impl<F> std::panic::RefUnwindSafe for Fused<F> {}

impl<F> fmt::Debug for Fused<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "fuse!({})", self.function.text.written)
    }
}

macro_rules! formulas {
    ($(($($type:ident $unused:ident $argument:ident $index:tt),*))*) => {$(
        impl<R: Results, $($type: Element),*> Fused<fn($($type),*) -> R> {
            /// What `fuse!` expands to: the closure for the CPU, and what the macro knows of its text. `WIDE` says that the
            /// processor has AVX2 and FMA.
            #[doc(hidden)]
            pub fn new<FF, const WIDE: bool>(function: FF, formula: Formula<WIDE>) -> Self
            where
                FF: Fn($($type),*) -> R + Copy + Send + Sync + 'static,
            {
                #[inline(always)]
                fn run<R: Results, $($type: Element,)* FF: Fn($($type),*) -> R + Copy>(
                    inputs: &Inputs<'_>,
                    outputs: &mut Outputs<'_>,
                ) {
                    // SAFETY: `new` has put a closure of this type into the captures of the function that has this loop.
                    let function: FF = unsafe { inputs.captures().closure() };
                    let length = inputs.length();
                    $(let $argument = inputs.elements::<$type>($index);)*
                    $(assert!($argument.len() == length);)*
                    let mut blocks = R::blocks(outputs, length);
                    let mut index = 0;
                    while index < length {
                        function($($argument[index]),*).store(&mut blocks, index);
                        index += 1;
                    }
                }
                fn usual<R: Results, $($type: Element,)* FF: Fn($($type),*) -> R + Copy>(
                    inputs: &Inputs<'_>,
                    outputs: &mut Outputs<'_>,
                ) {
                    run::<R, $($type,)* FF>(inputs, outputs);
                }
                #[target_feature(enable = "avx2,fma")]
                fn wide<R: Results, $($type: Element,)* FF: Fn($($type),*) -> R + Copy>(
                    inputs: &Inputs<'_>,
                    outputs: &mut Outputs<'_>,
                ) {
                    run::<R, $($type,)* FF>(inputs, outputs);
                }
                let block: BlockFunction = const {
                    if WIDE {
                        // SAFETY: the macro has seen that the processor has these instructions.
                        |inputs, outputs| unsafe { wide::<R, $($type,)* FF>(inputs, outputs) }
                    } else {
                        usual::<R, $($type,)* FF>
                    }
                };
                let function = registry::Function {
                    name: FORMULA,
                    parameters: const { &[$(FunctionParameter::Element($type::DTYPE)),*] },
                    results: R::DTYPES,
                    block,
                    recorded: None,
                    text: formula.text,
                    captures: Captures::new(formula.scalars(), function),
                    as_of: registry::generation(),
                };
                Fused { function, signature: PhantomData }
            }
        }
    )*};
}
one_to_eight!(formulas);

/// Makes one function over arrays of a formula that is written as a closure; `cupy.fuse`.
///
/// `fuse!(|x: f32, y: f32| (x - y) * (x - y))` is a [`Fused`] that [`map`](crate::map) and its relatives take: all of the
/// formula is computed in one pass over memory, where the operators of arrays would take one each. Parameters have types, one of
/// `bool`, integers of 8 to 64 bits, `f32` and `f64`; the result, which may be a tuple, follows from the formula. What else a formula may
/// contain is what a `#[vectorize]` function may: it calls functions with `#[device]` or `#[vectorize]` before them.
/// Variables that are numbers are captured by value: a change of the variable afterwards does not change the formula.
///
/// With `sum`, `prod`, `min`, `max`, `any` or `all` around all of the formula, its results are reduced to one in the same pass
/// (see [`map_reduce`](crate::map_reduce)), and `map` gives an array without axes.
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// let scale = 0.5f32;
/// let scaled_difference = fuse!(|x: f32, y: f32| (x - y) * (x - y) * scale);
/// let squared_distance = fuse!(|x: f32, y: f32| sum((x - y) * (x - y)));
/// # if gpu::device() == gpu::Device::Cpu {
/// let (x, y) = (gpu::array(&[1.0f32, 5.0]), gpu::array(&[3.0f32, 4.0]));
/// assert_eq!(gpu::map(scaled_difference, (&x, &y)).to_host(), ndarray::arr1(&[2.0f32, 0.5]).into_dyn());
/// assert_eq!(gpu::map(squared_distance, (&x, &y)).item(), 5.0);
/// # }
/// ```
///
/// What cannot be captured is a compile error:
///
/// ```compile_fail,E0277
/// use warpcell as gpu;
/// use gpu::prelude::*;
/// let a = gpu::array(&[1.0f32, 2.0]);
/// let g = fuse!(|x: f32| x + a); // give `a` as an argument: fuse!(|x: f32, a: f32| x + a)
/// ```
#[macro_export]
macro_rules! fuse {
    (|$($name:ident: $type:ty),+ $(,)?| sum($($body:tt)*)) => {
        $crate::fuse!(@reduced Sum sum |$($name: $type),+| $($body)*)
    };
    (|$($name:ident: $type:ty),+ $(,)?| prod($($body:tt)*)) => {
        $crate::fuse!(@reduced Product prod |$($name: $type),+| $($body)*)
    };
    (|$($name:ident: $type:ty),+ $(,)?| min($($body:tt)*)) => {
        $crate::fuse!(@reduced Min min |$($name: $type),+| $($body)*)
    };
    (|$($name:ident: $type:ty),+ $(,)?| max($($body:tt)*)) => {
        $crate::fuse!(@reduced Max max |$($name: $type),+| $($body)*)
    };
    (|$($name:ident: $type:ty),+ $(,)?| any($($body:tt)*)) => {
        $crate::fuse!(@reduced Any any |$($name: $type),+| $($body)*)
    };
    (|$($name:ident: $type:ty),+ $(,)?| all($($body:tt)*)) => {
        $crate::fuse!(@reduced All all |$($name: $type),+| $($body)*)
    };
    (@reduced $reduction:ident $word:ident |$($name:ident: $type:ty),+| $($body:tt)*) => {
        $crate::Fused::<fn($($type),+) -> $crate::reduction::Reduced<$crate::reduction::$reduction, _>>::new(
            move |$($name: $type),+| $crate::reduction::Reduced::new($($body)*),
            $crate::registry::formula!($word |$($name: $type),+| $($body)*),
        )
    };
    (|$($name:ident: $type:ty),+ $(,)?| $($body:tt)+) => {
        $crate::Fused::<fn($($type),+) -> _>::new(
            move |$($name: $type),+| $($body)+,
            $crate::registry::formula!(|$($name: $type),+| $($body)+),
        )
    };
    ($($other:tt)*) => {
        $crate::registry::formula!(@other $($other)*)
    };
}
