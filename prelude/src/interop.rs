//! Sharing arrays with other libraries, without copying: DLPack, `__cuda_array_interface__`, slices of `cudarc`, pointers; and
//! pictures of the crate `image`.
//!
//! `ndarray` needs nothing of this: [`asarray`](fn@crate::asarray), [`to_host`](crate::DeviceArray::to_host),
//! [`into_host`](crate::DeviceArray::into_host) and [`as_host_mut`](crate::DeviceArray::as_host_mut) are for host arrays.
//!
//! # Order of work on a GPU
//!
//! Operations on arrays are queued on a stream of this library, which waits for no other stream, CUDA's default one included.
//! Whoever shares memory has to see to the order:
//!
//! - Handing an array out **waits** until what was queued for it is done ([`DeviceArray::to_dlpack`]), or makes the stream wait
//!   on which it will be used ([`hold_stream`]).
//! - What is taken in must be complete, or be ordered before what follows by [`wait_for_stream`]. The `stream` of
//!   `__cuda_array_interface__` is waited for so.
//! - Memory that was taken in goes back to its owner when the last array that uses it is dropped; on a GPU, that waits for the
//!   queued work.
//!
//! On the CPU, operations are done when they return. What other code does with shared elements must not happen at the same time
//! as an operation on them.
//!
//! [`DeviceArray::to_dlpack`]: crate::DeviceArray::to_dlpack

mod cuda_array;
mod dlpack;
mod pointers;

pub use crate::files::picture::{Pixel, from_image, to_image, try_from_image, try_to_image};
pub use cuda_array::{CudaArrayInterface, from_cuda_array_interface, try_from_cuda_array_interface};
#[doc(no_inline)]
pub use dlpark;
#[doc(no_inline)]
pub use image;
pub use pointers::{from_cuda_slice, hold_stream, stream, try_from_cuda_slice, wait_for_stream};
pub use warpcell_cuda::driver::interop::bindings::*;

use crate::array::transfer::placed;
use crate::array::{RawArray, byte_count};
use crate::backend::{Foreign, Layout};
use crate::device::Handle;
use crate::dtype::DType;
use crate::error::{Error, Result};
pub(crate) use dlpack::{ForUse, device_of_tensor, dtype_of_tensor, export, export_legacy};
use std::any::Any;

/// Elements in memory of others.
struct Elements {
    /// Where the element of index zero is.
    address: usize,
    dtype: DType,
    shape: Vec<usize>,
    /// In elements.
    strides: Vec<isize>,
    is_read_only: bool,
}

/// The row-major strides of a shape.
pub(crate) fn row_major(shape: &[usize]) -> Vec<isize> {
    Layout::contiguous(shape).strides
}

/// An array of elements in memory of others, which `owner` keeps. They are copied if they must not be written to or lie on
/// one another: arrays can be written to.
///
/// # Safety
///
/// Until `owner` is dropped, the elements are in memory of `handle`'s device (initialised, on the CPU), and nothing else touches
/// them while operations on the array run.
unsafe fn adopted(
    operation: &'static str,
    handle: &Handle,
    elements: Elements,
    owner: Box<dyn Any + Send + Sync>,
) -> Result<RawArray> {
    let Elements { address, dtype, shape, strides, is_read_only } = elements;
    if byte_count(operation, &shape, dtype)? == 0 {
        return RawArray::uninitialised(operation, handle, &shape, dtype);
    }
    let invalid = |reason: String| Error::argument(operation, reason);
    if address == 0 {
        return Err(invalid("the pointer to the elements is null, but there are elements".into()));
    }
    if !address.is_multiple_of(dtype.size()) {
        let reason = format!(
            "the address {address:#x} of the elements is not a multiple of {}, the size of {dtype}; copy them in the other library",
            dtype.size()
        );
        return Err(invalid(reason));
    }
    let Some((layout, first, bytes)) = placed(address, dtype, shape, strides) else {
        return Err(invalid(
            "the strides go beyond the memory that a machine can address; check shape and strides".into(),
        ));
    };
    // SAFETY: the caller's promise; the range was computed from the indices of all elements.
    let allocation = unsafe { handle.backend.adopt(Foreign { address: first, bytes, owner }) }?;
    let overlaps = overlaps(&layout);
    let raw = RawArray { handle: handle.clone(), allocation, layout, dtype };
    if is_read_only || overlaps { raw.copied(operation) } else { Ok(raw) }
}

/// Whether two indices may lead to one element, those along broadcast axes aside: such views are known not to be writable.
pub(crate) fn overlaps(layout: &Layout) -> bool {
    let mut axes: Vec<(usize, usize)> =
        layout.strides.iter().map(|stride| stride.unsigned_abs()).zip(layout.shape.clone()).collect();
    axes.retain(|&(stride, length)| stride > 0 && length > 1);
    axes.sort_unstable();
    let mut reach = 0;
    axes.iter().any(|&(stride, length)| {
        let within = stride <= reach;
        reach += stride * (length - 1);
        within
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_placed_in_the_range_that_holds_them() {
        let place = |shape: &[usize], strides: &[isize]| placed(1000, DType::F32, shape.to_vec(), strides.to_vec());
        let (layout, first, bytes) = place(&[2, 3], &[-3, 1]).unwrap();
        assert_eq!((layout.offset, first, bytes), (3, 1000 - 12, 24));
        let (layout, first, bytes) = place(&[1, 4], &[isize::MAX, 2]).unwrap();
        assert_eq!((layout.strides, layout.offset, first, bytes), (vec![0, 2], 0, 1000, 28));
        assert_eq!(place(&[], &[]).map(|(_, _, bytes)| bytes), Some(4));
        assert!(place(&[3], &[isize::MAX]).is_none());
        assert!(place(&[1001], &[-1]).is_none());
        assert!(place(&[usize::MAX], &[1]).is_none());
    }

    #[test]
    fn overlapping_elements_are_seen() {
        let check = |shape: &[usize], strides: &[isize]| {
            overlaps(&Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: 0 })
        };
        assert!(!check(&[2, 3], &[3, 1]) && !check(&[2, 3], &[1, 2]) && !check(&[2, 3], &[-3, -1]));
        assert!(check(&[4, 3], &[1, 1]) && check(&[2, 3], &[2, 1]));
        assert!(!check(&[5, 3], &[0, 1]) && !check(&[1, 3], &[1, 1]));
    }
}
