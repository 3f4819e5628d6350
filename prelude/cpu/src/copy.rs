//! Copies: between layouts, of raw bytes, and of host arrays. Between dtypes it is `convert.rs`.

use super::elementwise::{Input, blocks};
use super::numeric::{Shared, for_bits};
use super::pool;
use warpcell_base::backend::Layout;
use warpcell_base::dtype::DType;
use warpcell_base::host_view::HostView;

/// Copies elements of one dtype from one layout to another of the same shape; only the elements' size matters.
///
/// # Safety
///
/// Both must describe memory that nothing else accesses, of this dtype, without overlap.
pub(super) unsafe fn copy(dtype: DType, source: *const u8, source_layout: &Layout, out: *mut u8, out_layout: &Layout) {
    if source_layout.is_contiguous() && out_layout.is_contiguous() {
        // SAFETY: the caller's promise; contiguous layouts are one range of bytes.
        return unsafe { bytes(source, out, out_layout.size() * dtype.size()) };
    }
    let input = Input::Array(source, source_layout);
    // SAFETY: the caller's promise; sources are host or device memory, whose bytes are initialised.
    unsafe {
        for_bits!(dtype, T => {
            blocks::<T, T, 1>([input], out, out_layout, &|[x], out| out.copy_from_slice(x))
        });
    }
}

/// Copies bytes, large ranges on all threads: one thread alone does not use a processor's memory bandwidth, and
/// pages that are touched for the first time cost more than the copy.
///
/// # Safety
///
/// The source must be readable and the target writable for `count` bytes, without overlap.
pub(super) unsafe fn bytes(source: *const u8, target: *mut u8, count: usize) {
    let (source, target) = (Shared(source.cast_mut()), Shared(target));
    pool::split(count, 1 << 20, &|range| {
        // SAFETY: the caller's promise; each byte belongs to one task.
        unsafe {
            std::ptr::copy_nonoverlapping(source.get().add(range.start), target.get().add(range.start), range.len())
        };
    });
}

/// Copies a host array's elements to `target` in row-major order.
///
/// # Safety
///
/// `target` must have room for all elements and be aligned for the dtype.
unsafe fn pack(host: &HostView<'_>, target: *mut u8) {
    let layout = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if layout.size() > 0 {
        // SAFETY: the view's elements are borrowed; the caller vouches for the target.
        unsafe { copy(host.dtype, host.pointer, &layout, target, &Layout::contiguous(&host.shape)) };
    }
}

/// A host array's elements in row-major order, unless they lie so already. (`u64` for the alignment.)
pub fn packed(host: &HostView<'_>) -> Option<Vec<u64>> {
    let layout = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if layout.is_contiguous() {
        return None;
    }
    let mut elements = vec![0u64; (layout.size() * host.dtype.size()).div_ceil(8)];
    // SAFETY: the vector has room, and an alignment that suits every dtype.
    unsafe { pack(host, elements.as_mut_ptr().cast()) };
    Some(elements)
}

/// Writes a host array repeated along each axis, in row-major order; one repetition per axis.
///
/// # Safety
///
/// `target` must have room for all elements and be aligned for the dtype.
pub unsafe fn tile(host: &HostView<'_>, repetitions: &[usize], target: *mut u8) {
    // Each axis becomes two, the repetition and the position in the tile; the source repeats along the first.
    let shape: Vec<usize> = repetitions.iter().zip(&host.shape).flat_map(|(&count, &length)| [count, length]).collect();
    if shape.contains(&0) {
        return;
    }
    let strides = host.strides.iter().flat_map(|&stride| [0, stride]).collect();
    let out = Layout::contiguous(&shape);
    let source = Layout { shape, strides, offset: 0 };
    // SAFETY: the view's elements are borrowed; the caller vouches for the target.
    unsafe { copy(host.dtype, host.pointer, &source, target, &out) };
}

/// Copies a host array's elements to where a layout of the same shape puts them.
///
/// # Safety
///
/// The layout must lie within memory that nothing else accesses, aligned for the dtype, from `target` on.
pub unsafe fn place(host: &HostView<'_>, target: *mut u8, layout: &Layout) {
    let source = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
    if source.size() > 0 {
        let target = target.wrapping_add(layout.offset * host.dtype.size());
        // SAFETY: the view's elements are borrowed; the caller vouches for the target.
        unsafe { copy(host.dtype, host.pointer, &source, target, layout) };
    }
}
