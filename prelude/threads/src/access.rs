//! The two ways off the short path of an access: an index that is refused, and a launch that is checked.

use crate::checker::Touch;
use crate::element::ViewElement;
use crate::failure::FailureKind;
use crate::region::Region;
use crate::worker::running;
use std::panic::Location;
use std::sync::atomic::AtomicUsize;

/// How many checked launches there are in the process. While there is none, an access asks no further.
pub(crate) static CHECKED_LAUNCHES: AtomicUsize = AtomicUsize::new(0);

/// Ends a thread that names an element which is not there.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn refuse(region: &Region, index: &[usize]) -> ! {
    let (memory, index, shape) = (region.name.memory(), index.to_vec(), region.shape().to_vec());
    let Some(worker) = running() else { panic!("the index {index:?} is out of bounds of the shape {shape:?}") };
    let kind = if index.len() == shape.len() {
        FailureKind::OutOfBounds { memory, index, shape }
    } else {
        FailureKind::WrongAxes { memory, index, shape }
    };
    worker.fail(kind, Location::caller())
}

/// Tells the checker of an access, if the launch of this thread has one.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn note<T: ViewElement>(element: *const T, region: &Region, index: &[usize], touch: Touch) {
    let Some(worker) = running() else { return };
    worker.note::<T>(element, region, index, touch, Location::caller());
}
