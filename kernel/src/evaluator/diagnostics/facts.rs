//! What errors and corrections know of the notebook: its variables, and the sources of its functions.

use crate::evaluator::corrections::Known;

/// Returns the position in the cell of a position in the code that evcxr got: line and column, both from 1.
pub type Locate<'a> = &'a dyn Fn(usize, usize) -> (usize, usize);

/// What to say about a variable that is gone.
pub type Missed<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The type of a variable of the notebook.
pub type TypeOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How many axes a variable of the notebook has, if the cells that have run show it.
pub type AxesOf<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// What corrections know of the notebook.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub type_of: TypeOf<'a>,
    pub axes: AxesOf<'a>,
    /// The source of a function of an earlier cell.
    pub source: &'a dyn Fn(&str) -> Option<String>,
}

impl Default for Facts<'_> {
    /// Of no variable.
    fn default() -> Self {
        Facts { type_of: &|_| None, axes: &|_| None, source: &|_| None }
    }
}

impl<'a> Facts<'a> {
    /// What is known of a line of a cell, counted from 1.
    pub fn known(self, faults: &'a [(Option<&'a str>, &'a str)], cell: &'a str, line: usize) -> Known<'a> {
        Known { axes: self.axes, source: self.source, ..Known::of_line(faults, cell, line, self.type_of) }
    }
}
