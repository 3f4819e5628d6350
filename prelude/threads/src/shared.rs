//! Shared memory of a block: arrays by the place that makes them, and the dynamic part.

use crate::element::{ViewElement, type_of};
use crate::failure::FailureKind;
use crate::launch::SHARED_MEMORY_LIMIT;
use crate::region::{Name, SharedShape};
use crate::view::SharedArray;
use crate::waits::same;
use crate::worker::{Worker, here};
use std::any::TypeId;
use std::panic::Location;

/// An array that the threads of a block share, of constant shape: `shared_array::<f32>([16, 16])` or `((16, 16))`, `shared_array::<i32>(256)`.
/// CUDA's `__shared__`: one place in the program makes one array for each block, however often it is passed, and nothing is in it
/// before a thread writes there.
///
/// # Panics
///
/// Outside of a kernel. In one, a launch fails if its shared memory is more than a block has.
#[inline]
#[track_caller]
pub fn shared_array<T: ViewElement>(shape: impl SharedShape) -> SharedArray<T> {
    let lengths = shape.lengths();
    let lengths = lengths.as_ref();
    let data = allocate(lengths, size_of::<T>(), type_of::<T>(), fill::<T>);
    SharedArray::new(data.cast(), lengths, Name::Shared(Location::caller()))
}

/// The dynamic shared memory of a block as an array with one axis; its length is that of the launch in bytes, divided by the
/// size of an element. CUDA's `extern __shared__`: all calls give the same memory.
///
/// # Panics
///
/// Outside of a kernel.
#[inline]
#[track_caller]
pub fn dynamic_shared_array<T: ViewElement>() -> SharedArray<T> {
    let (data, bytes) = dynamic(type_of::<T>(), fill::<T>);
    SharedArray::new(data.cast(), &[bytes / size_of::<T>()], Name::Dynamic)
}

/// Fills memory with what no kernel computes.
///
/// # Safety
///
/// `data` must be aligned and valid for writes of `elements` of the type.
unsafe fn fill<T: ViewElement>(data: *mut u8, bytes: usize) {
    for element in 0..bytes / size_of::<T>() {
        // SAFETY: the caller's promise.
        unsafe { data.cast::<T>().add(element).write(T::UNSET) };
    }
}

type Fill = unsafe fn(*mut u8, usize);

#[inline(never)]
#[track_caller]
fn allocate(shape: &[usize], size: usize, element: TypeId, fill: Fill) -> *mut u8 {
    let worker = here("shared_array");
    let place = Location::caller();
    let given = worker.store.borrow_mut().array(place, shape, size, element, fill);
    given.unwrap_or_else(|kind| worker.fail(kind, place))
}

#[inline(never)]
#[track_caller]
fn dynamic(element: TypeId, fill: Fill) -> (*mut u8, usize) {
    let worker: &Worker<'_> = here("dynamic_shared_array");
    let given = worker.store.borrow_mut().dynamic(element, fill);
    given.unwrap_or_else(|kind| worker.fail(kind, Location::caller()))
}

/// The shared memory of a worker's blocks, which run one after another.
pub(crate) struct Store {
    arrays: Vec<Array>,
    dynamic: Buffer,
    dynamic_bytes: usize,
    /// What the dynamic memory is used as in this block.
    dynamic_elements: Vec<TypeId>,
    /// Counts the blocks.
    block: u64,
}

/// Memory that is aligned for any element.
type Buffer = Box<[u128]>;

struct Array {
    place: &'static Location<'static>,
    shape: Vec<usize>,
    element: TypeId,
    bytes: usize,
    memory: Buffer,
    /// The block for which it was filled.
    block: u64,
}

fn buffer(bytes: usize) -> Buffer {
    vec![0; bytes.div_ceil(size_of::<u128>())].into()
}

impl Store {
    pub(crate) fn new(dynamic_bytes: usize) -> Store {
        let dynamic = buffer(dynamic_bytes);
        Store { arrays: Vec::new(), dynamic, dynamic_bytes, dynamic_elements: Vec::new(), block: 0 }
    }

    /// A block begins: nothing is in its memory.
    pub(crate) fn begin(&mut self) {
        self.block += 1;
        self.dynamic_elements.clear();
    }

    /// The array of a place in the program, for elements of `size` bytes.
    fn array(
        &mut self,
        place: &'static Location<'static>,
        shape: &[usize],
        size: usize,
        element: TypeId,
        fill: Fill,
    ) -> Result<*mut u8, FailureKind> {
        let known = self.arrays.iter().position(|array| same(array.place, place));
        let number = match known {
            Some(number) => number,
            None => {
                let bytes = shape.iter().fold(size, |bytes, &length| bytes.saturating_mul(length));
                let whole = self.arrays.iter().fold(self.dynamic_bytes, |bytes, array| bytes + array.bytes);
                if whole.saturating_add(bytes) > SHARED_MEMORY_LIMIT {
                    let bytes = whole.saturating_add(bytes);
                    return Err(FailureKind::SharedMemoryTooLarge { bytes, limit: SHARED_MEMORY_LIMIT });
                }
                let memory = buffer(bytes);
                self.arrays.push(Array { place, shape: shape.to_vec(), element, bytes, memory, block: 0 });
                self.arrays.len() - 1
            }
        };
        let array = &mut self.arrays[number];
        if array.shape != shape || array.element != element {
            let reason = format!(
                "a shared array must have the same shape in all threads of a launch, but here it is {shape:?} after \
                 {:?}",
                array.shape
            );
            return Err(FailureKind::Misuse { operation: "shared_array", reason });
        }
        let data = array.memory.as_mut_ptr().cast();
        if array.block != self.block {
            array.block = self.block;
            // SAFETY: the memory is as long, and aligned for any element.
            unsafe { fill(data, array.bytes) };
        }
        Ok(data)
    }

    /// The dynamic memory and its length.
    fn dynamic(&mut self, element: TypeId, fill: Fill) -> Result<(*mut u8, usize), FailureKind> {
        let data = self.dynamic.as_mut_ptr().cast();
        if !self.dynamic_elements.contains(&element) {
            if self.dynamic_elements.is_empty() {
                // SAFETY: the memory is as long, and aligned for any element.
                unsafe { fill(data, self.dynamic_bytes) };
            }
            self.dynamic_elements.push(element);
            // Not every byte is a `bool`.
            if self.dynamic_elements.len() > 1 && self.dynamic_elements.contains(&type_of::<bool>()) {
                let reason =
                    "the dynamic shared memory of one block is used as `bool` and as another type: use `u8`".to_owned();
                return Err(FailureKind::Misuse { operation: "dynamic_shared_array", reason });
            }
        }
        Ok((data, self.dynamic_bytes))
    }
}
