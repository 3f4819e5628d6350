//! What a function of two arrays does to each pair of elements: the function is called once, and the operations that it asks for are
//! noted. A backend may then do them in a pass of its own ([`Fold`]).

use super::launch::Argument;
use super::{Allocation, BinaryOperation, Operand, Operation, UnaryOperation, View};
use crate::dtype::{DType, Scalar};
use crate::registry::Function;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Taken {
    /// The value with this number.
    Value(usize),
    /// One value for all elements.
    Scalar(Scalar),
}

/// An operation on elements. `out` is the number of the value that it makes, and every value is made once.
#[derive(Clone)]
pub enum Step {
    Unary { function: UnaryOperation, x: usize, out: usize },
    Binary { function: BinaryOperation, a: Taken, b: Taken, out: usize },
    Convert { x: usize, out: usize },
    Where { condition: usize, a: Taken, b: Taken, out: usize },
    Fill { value: Scalar, out: usize },
    Map { function: Box<Function>, inputs: Vec<Taken>, outs: Vec<usize> },
}

/// A function of two elements, as operations one after the other. The values 0 and 1 are its arguments.
pub struct Program {
    /// The types of the values.
    pub dtypes: Vec<DType>,
    pub steps: Vec<Step>,
    /// The number of the value that is its result; of the type of the arguments.
    pub result: usize,
}

impl Program {
    /// The operation on the two arguments that the program is, if it is one alone.
    pub fn operation(&self) -> Option<BinaryOperation> {
        match self.steps[..] {
            [Step::Binary { function, a: Taken::Value(0), b: Taken::Value(1), out }] if out == self.result => {
                Some(function)
            }
            _ => None,
        }
    }
}

/// Elements along an axis that an associative function combines.
#[derive(Clone, Copy)]
pub struct Fold<'a> {
    pub program: &'a Program,
    /// Of the program's type, not empty.
    pub x: View<'a>,
    pub axis: usize,
    /// Which elements along the axis make one each; none of the ranges is empty. Without them, each element is combined with all
    /// before it.
    pub parts: Option<&'a [Range<usize>]>,
    /// Contiguous, of the shape of `x`, but with an element for each part along the axis. Overlaps nothing.
    pub out: View<'a>,
}

/// What is noted.
struct Notes {
    /// Arrays whose elements are known, with their memory, which stays theirs as long as this is there. None once something else than
    /// an operation on elements has happened: a closure may then be the only owner of its arrays.
    known: Vec<(Arc<dyn Allocation>, usize)>,
    /// The number of elements of each array.
    size: usize,
    dtypes: Vec<DType>,
    steps: Vec<Step>,
    /// Whether everything was an operation on elements.
    is_whole: bool,
}

thread_local! {
    static IS_NOTING: Cell<bool> = const { Cell::new(false) };
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
}

/// Notes what this thread asks for, while it lives.
pub struct Recording {
    outer: Option<Notes>,
}

impl Recording {
    /// Begins, for a function that is then called with these two arrays: contiguous, in memory of their own.
    pub fn begin(arguments: [View<'_>; 2]) -> Recording {
        let known = arguments.iter().enumerate().map(|(number, view)| (view.allocation.clone(), number)).collect();
        let [x, y] = arguments;
        let notes =
            Notes { known, size: x.layout.size(), dtypes: vec![x.dtype, y.dtype], steps: Vec::new(), is_whole: true };
        IS_NOTING.set(true);
        Recording { outer: NOTES.replace(Some(notes)) }
    }

    /// The function, given what it has returned; if it is made of operations on elements.
    pub fn end(self, result: View<'_>) -> Option<Program> {
        let notes = NOTES.take()?;
        let number = notes.value(&result)?;
        let is_program = notes.is_whole && notes.dtypes[number] == notes.dtypes[0];
        is_program.then_some(Program { dtypes: notes.dtypes, steps: notes.steps, result: number })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // What has happened inside is not an operation on elements to who notes outside.
        let mut outer = self.outer.take();
        if let Some(notes) = &mut outer {
            notes.give_up();
        }
        IS_NOTING.set(outer.is_some());
        NOTES.set(outer);
    }
}

/// Hears of each operation.
pub(super) fn note(operation: &Operation<'_>) {
    if IS_NOTING.get() {
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes
                && notes.is_whole
                && notes.add(operation).is_none()
            {
                notes.give_up();
            }
        });
    }
}

/// Says that this thread does what is not an operation: it reads a value, writes one by itself, or computes otherwise. Nothing keeps the
/// memory of the arrays after it.
pub fn spoil() {
    if IS_NOTING.get() {
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                notes.give_up();
            }
        });
    }
}

impl Notes {
    /// Notes no more: not everything was an operation on elements.
    fn give_up(&mut self) {
        self.is_whole = false;
        self.known.clear();
    }

    fn is_like_arguments(&self, view: &View<'_>) -> bool {
        view.layout.offset == 0 && view.layout.size() == self.size && view.layout.is_contiguous()
    }

    /// The number of an array's elements.
    fn value(&self, view: &View<'_>) -> Option<usize> {
        let (_, number) = self.known.iter().find(|(allocation, _)| Arc::ptr_eq(allocation, view.allocation))?;
        (self.is_like_arguments(view) && self.dtypes[*number] == view.dtype).then_some(*number)
    }

    fn taken(&self, operand: &Operand<'_>) -> Option<Taken> {
        match operand {
            Operand::Array(view) => self.value(view).map(Taken::Value),
            Operand::Scalar(value) => Some(Taken::Scalar(*value)),
        }
    }

    /// A number for what is written to an array.
    fn new_value(&mut self, view: &View<'_>) -> Option<usize> {
        if !self.is_like_arguments(view) {
            return None;
        }
        let number = self.dtypes.len();
        self.dtypes.push(view.dtype);
        self.known.retain(|(allocation, _)| !Arc::ptr_eq(allocation, view.allocation));
        self.known.push((view.allocation.clone(), number));
        Some(number)
    }

    fn add(&mut self, operation: &Operation<'_>) -> Option<()> {
        let step = match *operation {
            Operation::Unary { function, x, out } => {
                Step::Unary { function, x: self.value(&x)?, out: self.new_value(&out)? }
            }
            Operation::Binary { function, a, b, out } => {
                let (a, b) = (self.taken(&a)?, self.taken(&b)?);
                Step::Binary { function, a, b, out: self.new_value(&out)? }
            }
            Operation::Copy { source, out } => Step::Convert { x: self.value(&source)?, out: self.new_value(&out)? },
            Operation::Where { condition, a, b, out } => {
                let (condition, a, b) = (self.value(&condition)?, self.taken(&a)?, self.taken(&b)?);
                Step::Where { condition, a, b, out: self.new_value(&out)? }
            }
            Operation::Fill { value, out } => Step::Fill { value, out: self.new_value(&out)? },
            Operation::Map { function, inputs, outs } => {
                let taken = |input: &Argument<'_>| match input {
                    Argument::Array(view, _) => self.value(view).map(Taken::Value),
                    Argument::Scalar(value) => Some(Taken::Scalar(*value)),
                    Argument::Struct(_) => None,
                };
                let inputs = inputs.iter().map(taken).collect::<Option<_>>()?;
                let outs = outs.iter().map(|out| self.new_value(out)).collect::<Option<_>>()?;
                Step::Map { function: Box::new(*function), inputs, outs }
            }
            _ => return None,
        };
        self.steps.push(step);
        Some(())
    }
}
