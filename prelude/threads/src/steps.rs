//! What a kernel calls whose statements are recorded: the copy that `#[kernel]` makes for launches that are traced.

use crate::access::Element;
pub use crate::arithmetic::{function, multiply_add, product, quotient, sum};
pub use crate::recording::LocalName;
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

/// The value of a variable. Which `note` is called depends on its type: that of [`Plain`] is found first, then that of [`Shown`], and that
/// of [`Hidden`] only where there is no other.
pub struct Value<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> Clone for Value<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Value<'_, T> {}

/// Types whose values tell themselves: numbers, by their bits, and structs with `#[device]`, by their fields.
pub trait Told {
    /// Notes the variable.
    fn tell(&self, name: LocalName);
}

/// Values that tell themselves.
pub trait Plain {
    /// Notes the variable.
    fn note(&self, name: &'static str, start: u32, end: u32);
}

/// Values that have a text.
pub trait Shown {
    /// Notes the variable.
    fn note(&self, name: &'static str, start: u32, end: u32);
}

/// Values that have none, such as views.
pub trait Hidden: Sized {
    /// Does nothing.
    fn note(self, _name: &'static str, _start: u32, _end: u32) {}
}

impl<T: Told> Plain for &Value<'_, T> {
    fn note(&self, name: &'static str, start: u32, end: u32) {
        self.0.tell(LocalName { name, start, end });
    }
}

impl<T: Debug + ?Sized> Shown for Value<'_, T> {
    fn note(&self, name: &'static str, start: u32, end: u32) {
        tell_text(LocalName { name, start, end }, &|| format!("{:?}", &self.0));
    }
}

impl<T: ?Sized> Hidden for Value<'_, T> {}

/// Notes a variable whose value has this text.
pub fn tell_text(name: LocalName, text: &dyn Fn() -> String) {
    if let Some(worker) = running() {
        worker.local(name, &|| values::short(&text()));
    }
}

macro_rules! told {
    ($($type:ty as $element:ty),*) => {$(
        impl Told for $type {
            fn tell(&self, name: LocalName) {
                if let Some(worker) = running() {
                    worker.bits(name, Element::new::<$element>(&(*self as $element)).word());
                }
            }
        }
    )*};
}
told!(
    bool as bool,
    u8 as u8,
    i8 as i8,
    u16 as u16,
    i16 as i16,
    u32 as u32,
    i32 as i32,
    u64 as u64,
    i64 as i64,
    usize as u64,
    isize as i64,
    f32 as f32,
    f64 as f64
);
