//! Elements of an array on the host, without their type: [`HostView`].

use crate::dtype::DType;
use std::marker::PhantomData;

/// Host elements under strides, without their type.
pub struct HostView<'a> {
    /// The element of index zero along each axis.
    pub pointer: *const u8,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// In elements.
    pub strides: Vec<isize>,
    /// Their type.
    pub dtype: DType,
    lifetime: PhantomData<&'a ()>,
}

impl HostView<'_> {
    /// The elements from `pointer` on.
    ///
    /// # Safety
    ///
    /// Every index in `shape` must lead to an element of the type `dtype` that outlives the view and is not written to.
    pub unsafe fn new(pointer: *const u8, shape: &[usize], strides: &[isize], dtype: DType) -> Self {
        HostView { pointer, shape: shape.to_vec(), strides: strides.to_vec(), dtype, lifetime: PhantomData }
    }
}

impl<'a> HostView<'a> {
    /// The elements with all axes reversed. There are some.
    pub fn reversed(&self) -> HostView<'a> {
        let last: isize =
            self.shape.iter().zip(&self.strides).map(|(&length, &stride)| (length as isize - 1) * stride).sum();
        HostView {
            pointer: self.pointer.wrapping_offset(last * self.dtype.size() as isize),
            shape: self.shape.clone(),
            strides: self.strides.iter().map(|stride| -stride).collect(),
            dtype: self.dtype,
            lifetime: PhantomData,
        }
    }
}
