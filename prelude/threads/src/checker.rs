//! The checker of a launch: which thread has accessed what, and whether a barrier lies between.

use crate::element::ViewElement;
use crate::failure::Failure;
use crate::region::Region;
use crate::trace::{AccessKind, Trace};
use std::panic::Location;

pub(crate) struct Checker {
    trace: Trace,
}

impl Checker {
    pub(crate) fn new(_block: [usize; 3], _traced: bool) -> Checker {
        Checker { trace: Trace::default() }
    }

    pub(crate) fn into_trace(self) -> Trace {
        self.trace
    }

    pub(crate) fn begin_block(&mut self, _block: usize, _index: [usize; 3]) {}

    pub(crate) fn settle(&mut self) -> Option<Failure> {
        None
    }

    pub(crate) fn warp_met(&mut self, _first: usize, _lanes: u32) {}

    pub(crate) fn barrier_opened(&mut self) {}

    pub(crate) fn note<T: ViewElement>(
        &mut self,
        _thread: usize,
        _element: *const T,
        _region: &Region,
        _index: &[usize],
        _kind: AccessKind,
        _place: &'static Location<'static>,
    ) -> Option<Failure> {
        None
    }
}
