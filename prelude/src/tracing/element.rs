//! Recording how one element of a function over arrays is computed: the function is a kernel of one thread then.

use super::Trace;
use super::contents::{Recorded, TracedElement};
use super::json::MOST_INITIAL;
use super::run::{Buffer, TracedArray, lines_of};
use crate::array::RawArray;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::failures::of_threads;
use crate::launch::TRACE_EVENTS;
use crate::registry::{Arguments, Function, Given, Kernel, Parameter, Threads, Value};
use std::time::Instant;
use warpcell_base::backend::Layout;
use warpcell_base::interrupt::Stop;
use warpcell_threads::{Launch, Mode, Plan, element_texts, record};

/// An argument of a function over arrays.
pub(crate) enum ElementArgument<'a> {
    Array(&'a RawArray),
    Scalar(Scalar),
    Struct(&'a Value),
}

/// An array of which an element is read or written, as a view of it that has one axis.
struct Viewed {
    array: TracedArray,
    memory: Buffer,
    length: [usize; 1],
    /// Zero if there is only the one element.
    stride: [isize; 1],
    /// The element's number in C order.
    number: usize,
}

/// Computes the element `index` of what has the shape `shape`; `threads` is what tells of the function's statements.
pub(crate) fn trace_element(
    operation: &'static str,
    function: &Function,
    threads: &'static Threads,
    arguments: &[ElementArgument<'_>],
    shape: &[usize],
    index: &[usize],
) -> Result<Trace> {
    let kernel = Kernel { name: function.name, text: function.text, threads };
    let mut parameters = threads.parameters.iter();
    let mut viewed = Vec::new();
    // The number of the view, or the struct.
    let mut order = Vec::new();
    for (argument, parameter) in arguments.iter().zip(&mut parameters) {
        let name = parameter.name();
        match argument {
            ElementArgument::Struct(value) => order.push(Err(*value)),
            ElementArgument::Array(array) => {
                order.push(Ok(viewed.len()));
                viewed.push(Viewed::of(name, array, index)?);
            }
            ElementArgument::Scalar(value) => {
                order.push(Ok(viewed.len()));
                viewed.push(Viewed::one(name, *value));
            }
        }
    }
    let first_result = viewed.len();
    for parameter in parameters {
        if let Parameter::ViewMut(name, dtype) = *parameter {
            order.push(Ok(viewed.len()));
            viewed.push(Viewed::result(name, dtype, shape, index));
        }
    }
    let began = Instant::now();
    let numbers: Vec<Given<'_>> = viewed.iter().map(|view| Given::Scalar(Scalar::U64(view.number as u64))).collect();
    let starts: Vec<*mut u8> = viewed.iter_mut().map(|view| view.memory.start()).collect();
    let given = order.iter().map(|what| match what {
        Err(value) => Given::Struct(value),
        Ok(view) => Given::Array { start: starts[*view], shape: &viewed[*view].length, strides: &viewed[*view].stride },
    });
    let given: Vec<Given<'_>> = given.chain(numbers).collect();
    // SAFETY: `map` has checked the types, and results are made of theirs; each view has memory for its one element, or for all of them;
    // bools are 0 or 1, and nothing else accesses the memory.
    let passed = unsafe { Arguments::new(&given, threads.parameters) };
    let stop = Stop::of_this_thread();
    let interrupted = || stop.is_asked();
    let launch = Launch {
        function: kernel.short_name(),
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared_bytes: 0,
        mode: Mode::Checked,
        interrupted: &interrupted,
    };
    let plan = Plan { blocks: vec![0], only: false, most_events: TRACE_EVENTS, lines: lines_of(&kernel) };
    let mut outcome = None;
    (threads.run)(&passed, &mut |thread| {
        // SAFETY: as above.
        outcome = Some(unsafe { record(&launch, plan.clone(), thread, thread) });
    });
    let (result, recording) = outcome.expect("the macro's function runs the thread");
    let took = began.elapsed();
    let gives = viewed[first_result..].iter().flat_map(|view| {
        let dtype = view.array.dtype;
        element_texts(dtype.name(), view.memory.bytes(), dtype.size())
    });
    let gives = if result.is_ok() { gives.collect() } else { Vec::new() };
    let failure = result.err();
    let error = failure.as_ref().map(|failure| {
        let error = of_threads(operation, &kernel, failure, "cpu".to_owned());
        // Users know no threads here.
        match error {
            Error::FunctionFailed { function, line, device, reason } => {
                let reason = reason.replace("thread (0, 0, 0) of block (0, 0, 0)", &format!("the element {index:?}"));
                Error::FunctionFailed { function, line, device, reason }
            }
            other => other,
        }
    });
    let arrays = viewed.into_iter().map(|view| view.array).collect();
    Trace::or_shown(Recorded {
        kernel,
        grid: [1; 3],
        block: [1; 3],
        most_events: TRACE_EVENTS,
        arrays,
        recording,
        failure,
        error,
        took,
        notes: Vec::new(),
        element: Some(TracedElement { index: index.to_vec(), gives }),
    })
}

impl Viewed {
    /// The element of an array that belongs to that of a result.
    fn of(name: &'static str, array: &RawArray, index: &[usize]) -> Result<Viewed> {
        let (shape, layout) = (array.shape(), &array.layout);
        let missing = index.len() - shape.len();
        // Axes of length 1 are repeated.
        let own: Vec<usize> = shape.iter().zip(&index[missing..]).map(|(&length, &at)| at.min(length - 1)).collect();
        let number = own.iter().zip(shape).fold(0, |number, (at, length)| number * length + at);
        let is_whole = array.size() <= MOST_INITIAL;
        let memory = if is_whole {
            Buffer::of(array)?
        } else {
            let distance: isize = own.iter().zip(&layout.strides).map(|(&at, &stride)| at as isize * stride).sum();
            let offset = layout.offset.checked_add_signed(distance).expect("within the allocation");
            Buffer::of(&array.with_layout(Layout { shape: Vec::new(), strides: Vec::new(), offset }))?
        };
        let shown = if shape.is_empty() { &[1][..] } else { shape };
        let array = TracedArray::new(name, array.dtype, shown, memory.bytes());
        Ok(Viewed { length: [array.elements()], stride: [isize::from(is_whole)], array, memory, number })
    }

    /// A value that is the same for all elements.
    fn one(name: &'static str, value: Scalar) -> Viewed {
        let (dtype, bits) = (value.dtype(), value.bits().to_le_bytes());
        let memory = Buffer::with(&bits[..dtype.size()]);
        Viewed {
            array: TracedArray::new(name, dtype, &[1], memory.bytes()),
            memory,
            length: [1],
            stride: [1],
            number: 0,
        }
    }

    /// The element of a result.
    fn result(name: &'static str, dtype: DType, shape: &[usize], index: &[usize]) -> Viewed {
        let shown = if shape.is_empty() { &[1][..] } else { shape };
        let number = index.iter().zip(shape).fold(0, |number, (at, length)| number * length + at);
        let array = TracedArray::new(name, dtype, shown, &[]);
        let memory = Buffer::with(&vec![0; dtype.size()]);
        Viewed { length: [array.elements()], stride: [0], array, memory, number }
    }
}
