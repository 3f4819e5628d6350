//! What a kernel calls whose statements are recorded: the copy that `#[kernel]` makes for launches that are traced.

pub use crate::arithmetic::{function, multiply_add, product, quotient, sum};
use crate::recording::LocalName;
use crate::values;
use crate::worker::running;
use std::fmt::Debug;
use std::panic::Location;

/// The thread comes to a statement: its number in the kernel, from 1, and how many loops are around it.
#[track_caller]
pub fn step(position: u32, depth: usize) {
    if let Some(worker) = running() {
        worker.step(position, depth, Location::caller().line(), false);
    }
}

/// The same for `a[i] += x` and its like, which read what they write to.
#[track_caller]
pub fn change(position: u32, depth: usize) {
    if let Some(worker) = running() {
        worker.step(position, depth, Location::caller().line(), true);
    }
}

/// The thread begins a pass of a loop, the statement of this number with `depth` loops around it.
pub fn pass(number: u32, depth: usize) {
    if let Some(worker) = running() {
        worker.pass(number, depth);
    }
}

/// The thread calls a function that tells its statements.
pub fn enter() {
    if let Some(worker) = running() {
        worker.enter();
    }
}

/// It comes back from there.
pub fn leave() {
    if let Some(worker) = running() {
        worker.leave();
    }
}

/// The functions that tell no statements: they are called as they are. What `#[device]` emits for others is found first.
pub trait Unstepped {
    /// What is called in place of a function.
    fn __warpcell_stepped<F>(function: F) -> F {
        function
    }
}

impl<T> Unstepped for T {}

/// The value of a variable.
pub struct Value<'a, T: ?Sized>(pub &'a T);

/// Values that have a text.
pub trait Shown {
    /// Notes the variable.
    fn note(&self, name: &'static str, start: u32, end: u32);
}

/// Values that have none, such as views. This trait is found only if the other one is not.
pub trait Hidden {
    /// Does nothing.
    fn note(&self, name: &'static str, start: u32, end: u32);
}

impl<T: Debug + ?Sized> Shown for Value<'_, T> {
    fn note(&self, name: &'static str, start: u32, end: u32) {
        noted(LocalName { name, start, end }, &self.0);
    }
}

impl<T: ?Sized> Hidden for &Value<'_, T> {
    fn note(&self, _name: &'static str, _start: u32, _end: u32) {}
}

fn noted(name: LocalName, value: &dyn Debug) {
    if let Some(worker) = running() {
        worker.local(name, &|| values::short(&format!("{value:?}")));
    }
}
