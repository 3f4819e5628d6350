//! A registered kernel, as a puzzle's check sees it.

use super::examine::{Buffer, Subject, Thread};
use super::film::Film;
use crate::dtype::DType;
use crate::error::Error;
use crate::failures::{Places, of_threads};
use crate::registry::{Arguments, Given, Kernel, Parameter};
use crate::tracing::{Recorded, Trace, TracedArray, lines_of};
use std::ops::Range;
use warpcell_base::backend::Layout;
use warpcell_base::interrupt::Stop;
use warpcell_threads::{Failure, Memory};

/// What messages call the function.
const CHECK: &str = "Puzzle::check";

pub(super) struct RegisteredKernel {
    kernel: Kernel,
    places: Places,
    /// Whether the user has asked to stop this.
    stop: Stop,
}

impl RegisteredKernel {
    pub fn new(kernel: Kernel) -> RegisteredKernel {
        RegisteredKernel { kernel, places: Places::of(&kernel), stop: Stop::of_this_thread() }
    }
}

impl Subject for RegisteredKernel {
    fn name(&self) -> &str {
        self.kernel.short_name()
    }

    fn buffer(&self, parameter: usize, values: &[f64]) -> Buffer {
        // The type of the puzzle has seen to it that these are all.
        match self.kernel.threads.parameters[parameter] {
            Parameter::View(_, DType::U32) | Parameter::ViewMut(_, DType::U32) => {
                Buffer::U32(values.iter().map(|&value| value as u32).collect())
            }
            _ => Buffer::F32(values.iter().map(|&value| value as f32).collect()),
        }
    }

    fn traced(&self, parameter: usize, buffer: &Buffer, shape: &[usize]) -> TracedArray {
        let name = self.kernel.threads.parameters[parameter].name();
        let dtype = match buffer {
            Buffer::F32(_) => DType::F32,
            Buffer::U32(_) => DType::U32,
        };
        TracedArray::new(name, dtype, shape, buffer.bytes())
    }

    fn prepare(&self, buffers: &mut [(Buffer, &[usize])], then: &mut dyn FnMut(Thread<'_>, Thread<'_>)) {
        let layouts: Vec<Layout> = buffers.iter().map(|(_, shape)| Layout::contiguous(shape)).collect();
        let given: Vec<Given<'_>> = buffers
            .iter_mut()
            .zip(&layouts)
            .map(|((buffer, shape), Layout { strides, .. })| Given::Array { start: buffer.start(), shape, strides })
            .collect();
        // SAFETY: `buffer` has made these of the parameters' types, with as many elements as the shapes say; nobody else accesses
        // them before `then` returns.
        let arguments = unsafe { Arguments::new(&given, self.kernel.threads.parameters) };
        (self.kernel.threads.run)(&arguments, &mut |thread| match self.kernel.threads.recorded {
            Some(run) => run(&arguments, &mut |recorded| then(thread, recorded)),
            None => then(thread, thread),
        });
    }

    fn film(&self, film: Film) -> Trace {
        let Film { grid, block, most_events, arrays, recording, failure, opens, took } = film;
        let error = failure.as_ref().map(|failure| of_threads(CHECK, &self.kernel, failure, "cpu".to_owned()));
        let (kernel, notes, element) = (self.kernel, Vec::new(), None);
        let recorded =
            Recorded { kernel, grid, block, most_events, arrays, recording, failure, error, took, notes, element };
        Trace::new(recorded, opens)
    }

    fn lines(&self) -> Range<u32> {
        lines_of(&self.kernel)
    }

    fn line(&self, compiled: u32) -> u32 {
        u32::try_from(self.places.find(Some(compiled)).1).unwrap_or(compiled)
    }

    fn memory(&self, memory: &Memory) -> String {
        self.places.memory(memory)
    }

    fn message(&self, failure: &Failure) -> String {
        match of_threads(CHECK, &self.kernel, failure, "cpu".to_owned()) {
            Error::FunctionFailed { line, reason, .. } => format!("In line {line}, {reason}."),
            other => other.to_string(),
        }
    }

    fn interrupted(&self) -> bool {
        self.stop.is_asked()
    }
}
