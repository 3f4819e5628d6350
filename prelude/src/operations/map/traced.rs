//! One element of a function over arrays, step by step: [`trace_map`].

use super::{Arguments, Function, MapOperand, Operand, Request, short};
use crate::array::IntoShape;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::elementwise::RawOperand;
use crate::registry::FORMULA;
use crate::tracing::{ElementArgument, Trace, trace_element};

fallible! {
    /// Computes one element as [`map`](crate::map) does, and records how: each statement of the function, with the values of its variables.
    /// As the last line of a cell, the [`Trace`] is a film of it, which plays forwards and backwards.
    ///
    /// The arguments are those of [`map`](crate::map). `index` is that of the element in the result, to whose shape the arguments
    /// broadcast: `3`, `(2, 5)` or `[2, 5]`; `()` if all arguments are scalars. No other element is computed, and nothing is written to
    /// any array. It is computed on the CPU. Of arrays with more than 65,536 elements only the one that is needed is copied to
    /// the host.
    ///
    /// Calls of `#[device]` functions are stepped into. If the function fails on the element, as by a division by zero, the film ends there,
    /// and [`Trace::error`] is the error.
    ///
    /// **Panics** if the function has no `#[vectorize]`, is a formula of [`fuse!`](crate::fuse), if shapes do not broadcast or devices
    /// differ, or if the result has no such element.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[vectorize]
    /// fn collatz(start: u32) -> u32 {
    ///     let mut n = start;
    ///     let mut steps = 0;
    ///     while n > 1 {
    ///         n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
    ///         steps += 1;
    ///     }
    ///     steps
    /// }
    ///
    /// let numbers = gpu::arange(10u32);
    /// let trace = gpu::trace_map(collatz, &numbers, 6);
    /// assert!(format!("{trace:?}").starts_with("Trace of `collatz` for the element [6]: "));
    /// assert!(format!("{trace:?}").contains("It gives 8."));
    /// ```
    pub fn trace_map, try_trace_map<T, F: Function<T>, A: Arguments<T>>(
        function: F,
        arguments: A,
        index: impl IntoShape,
    ) -> Result<Trace> {
        let request = Request::new::<T, F>("trace_map", &function)?;
        let (index, mut trace) = (index.into_shape(), None);
        arguments.with(&mut |operands| trace = Some(request.traced(operands, &index)));
        trace.expect("arguments call once")
    }
}

impl Request<'_> {
    fn traced(&self, operands: &[MapOperand<'_>], index: &[usize]) -> Result<Trace> {
        let operands: Vec<Operand<'_>> = operands.iter().map(Operand::of).collect();
        self.accepts(&operands.iter().map(Operand::given).collect::<Vec<_>>())?;
        let Some(threads) = self.function.recorded else {
            let reason = match self.function.name {
                FORMULA => {
                    "a formula of `fuse!` has no lines to step through; write a function with `#[vectorize]` before it"
                        .to_owned()
                }
                name => format!(
                    "`{}` was compiled in a cell that traces nothing, so it cannot tell its statements; run the cell with the function \
                     again",
                    short(name)
                ),
            };
            return Err(Error::argument(self.operation, reason));
        };
        let (handle, shape) = self.place(&operands)?;
        handle.may_wait(self.operation)?;
        if index.len() != shape.len() || index.iter().zip(&*shape).any(|(index, length)| index >= length) {
            let reason = format!(
                "the result of `{}` has the shape {shape:?}, and so no element {index:?}; give one index per axis, each below \
                 its length",
                short(self.function.name)
            );
            return Err(Error::argument(self.operation, reason));
        }
        let arguments: Vec<ElementArgument<'_>> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Elements(RawOperand::Array(array)) => ElementArgument::Array(array),
                Operand::Elements(RawOperand::Scalar(value)) => ElementArgument::Scalar(*value),
                Operand::Struct(value) => ElementArgument::Struct(value),
            })
            .collect();
        trace_element(self.operation, &self.function, threads, &arguments, &shape, index)
    }
}
