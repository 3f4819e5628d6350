//! The two ways off the short path of an access: an index that is refused, and a launch that is checked.

use crate::checker::Touch;
use crate::element::ViewElement;
use crate::failure::FailureKind;
use crate::region::Region;
use crate::values::Word;
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

/// An element that is accessed, as the checker sees it. Whatever is generic is compiled again for each kernel, and this is not.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) at: *const u8,
    pub(crate) size: usize,
    /// Whether it is what shared memory begins with, or made of that.
    ///
    /// # Safety
    ///
    /// There must be such an element at the address.
    pub(crate) comes_from_unset: unsafe fn(*const u8) -> bool,
    /// Its type's.
    pub(crate) tag: u8,
}

impl Element {
    #[inline(always)]
    pub(crate) fn new<T: ViewElement>(at: *const T) -> Element {
        Element { at: at.cast(), size: size_of::<T>(), comes_from_unset: comes_from_unset::<T>, tag: T::TAG }
    }

    /// The element as it is now.
    pub(crate) fn word(&self) -> Word {
        let mut bits = [0; size_of::<u128>()];
        // SAFETY: elements are accessed while their arrays are there, and have no padding.
        unsafe { std::ptr::copy_nonoverlapping(self.at, bits.as_mut_ptr(), self.size.min(bits.len())) };
        (self.tag, u128::from_le_bytes(bits))
    }

    /// Whether it is what shared memory begins with.
    pub(crate) fn is_unset(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.comes_from_unset)(self.at) }
    }
}

/// # Safety
///
/// There must be a `T`.
unsafe fn comes_from_unset<T: ViewElement>(element: *const u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { element.cast::<T>().read() }.comes_from_unset()
}

/// Tells the checker of an access, if the launch of this thread has one.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn note(element: Element, region: &Region, index: &[usize], touch: Touch) {
    let Some(worker) = running() else { return };
    worker.note(element, region, index, touch, Location::caller());
}
