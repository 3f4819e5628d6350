//! Memory that changes hands between host arrays and arrays on the CPU: taken over without copying, and given back.

use crate::array::sides::sealed::Host;
use crate::array::transfer::{self, Owned, reversed};
use crate::array::view::writable;
use crate::array::{DeviceArray, OnHost, RawArray};
use crate::backend::{Layout, recording};
use crate::device::{self, Device};
use crate::dtype::{DType, Element, dtypes};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::host::memory;
use ndarray::{
    Array, ArrayBase, ArrayD, ArrayViewMutD, Axis, Data, Dimension, IxDyn, RawArrayViewMut, ShapeBuilder, s,
};
use std::sync::Arc;

pub(crate) mod sealed {
    use super::{RawArray, Result};

    pub trait Source {
        fn into_raw(self, operation: &'static str) -> Result<RawArray>;
    }
}

/// What [`asarray`](fn@crate::asarray) takes: a reference to a host array, whose elements it copies, or a host array itself, whose
/// memory it takes over where it can. Also Rust's arrays and `Vec`s of up to three levels, and a number, which gives an array without
/// axes. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "an array on the device is made from host arrays, but `{Self}` is not one",
    label = "not a host array",
    note = "give a reference such as `&a`, or the array itself: an `ndarray` array, a `Vec` or a list such as `[1.0, 2.0]`",
    note = "an array that is on the device already needs no `asarray`; `a.copy()` copies it"
)]
pub trait IntoDevice: sealed::Source {
    /// The type of its elements.
    type Elem: Element;
}

impl<A: OnHost + ?Sized> sealed::Source for &A {
    fn into_raw(self, operation: &'static str) -> Result<RawArray> {
        transfer::upload(operation, &Host::host_view(self), &device::current()?)
    }
}
impl<A: OnHost + ?Sized> IntoDevice for &A {
    type Elem = A::Elem;
}

impl<T: Element, D: Dimension> sealed::Source for Array<T, D> {
    fn into_raw(self, operation: &'static str) -> Result<RawArray> {
        // One that lies otherwise is put into order by the copy, once, and not by each operation on it.
        if !self.is_standard_layout() {
            return (&self).into_raw(operation);
        }
        let shape = self.shape().to_vec();
        match self.into_raw_vec_and_offset() {
            (values, None | Some(0)) => vector_into_raw(operation, values, &shape),
            (values, Some(offset)) => {
                let size = shape.iter().product::<usize>();
                let raw = (&values[offset..offset + size]).into_raw(operation)?;
                Ok(raw.with_layout(Layout::contiguous(&shape)))
            }
        }
    }
}
impl<T: Element, D: Dimension> IntoDevice for Array<T, D> {
    type Elem = T;
}

impl<T: Element> sealed::Source for Vec<T> {
    fn into_raw(self, operation: &'static str) -> Result<RawArray> {
        let length = self.len();
        vector_into_raw(operation, self, &[length])
    }
}
impl<T: Element> IntoDevice for Vec<T> {
    type Elem = T;
}

macro_rules! lists {
    ($($type:ty [$($generics:tt)*];)*) => {$(
        impl<T: Element, $($generics)*> sealed::Source for $type {
            fn into_raw(self, operation: &'static str) -> Result<RawArray> {
                (&self).into_raw(operation)
            }
        }
        impl<T: Element, $($generics)*> IntoDevice for $type {
            type Elem = T;
        }
    )*};
}
lists! {
    [T; N] [const N: usize];
    [[T; N]; M] [const N: usize, const M: usize];
    [[[T; N]; M]; L] [const N: usize, const M: usize, const L: usize];
    [Vec<T>; N] [const N: usize];
    Vec<Vec<T>> [];
    Vec<Vec<Vec<T>>> [];
}

/// Rows of one length, which lie in one piece.
impl<T: Element, const N: usize> sealed::Source for Vec<[T; N]> {
    fn into_raw(self, operation: &'static str) -> Result<RawArray> {
        let shape = [self.len(), N];
        vector_into_raw(operation, self.into_flattened(), &shape)
    }
}
impl<T: Element, const N: usize> IntoDevice for Vec<[T; N]> {
    type Elem = T;
}
impl<T: Element, const N: usize> sealed::Source for &Vec<[T; N]> {
    fn into_raw(self, operation: &'static str) -> Result<RawArray> {
        let flat = self.as_flattened().into_raw(operation)?;
        Ok(flat.with_layout(Layout::contiguous(&[self.len(), N])))
    }
}
impl<T: Element, const N: usize> IntoDevice for &Vec<[T; N]> {
    type Elem = T;
}

/// Lists of `Vec`s do not lie in one piece.
macro_rules! lists_of_lists {
    ($($type:ty [$($generics:tt)*] $self:ident $operation:ident => $outer:expr, $rows:expr;)*) => {$(
        impl<T: Element, $($generics)*> sealed::Source for &$type {
            fn into_raw($self, $operation: &'static str) -> Result<RawArray> {
                of_rows($operation, $outer, $rows)
            }
        }
        impl<T: Element, $($generics)*> IntoDevice for &$type {
            type Elem = T;
        }
    )*};
}
lists_of_lists! {
    [Vec<T>; N] [const N: usize] self operation => vec![N], self.iter();
    Vec<Vec<T>> [] self operation => vec![self.len()], self.iter();
    Vec<Vec<Vec<T>>> [] self operation => {
        let rows = self.first().map_or(0, Vec::len);
        self.iter().try_for_each(|matrix| same_length(operation, matrix.len(), rows))?;
        vec![self.len(), rows]
    }, self.iter().flatten();
}

/// An array of rows, which must have the same length, behind the outer lengths.
fn of_rows<T: Element>(
    operation: &'static str,
    mut shape: Vec<usize>,
    rows: impl Iterator<Item = impl AsRef<[T]>> + Clone,
) -> Result<RawArray> {
    let width = rows.clone().next().map_or(0, |row| row.as_ref().len());
    rows.clone().try_for_each(|row| same_length(operation, row.as_ref().len(), width))?;
    shape.push(width);
    let mut values = Vec::with_capacity(shape.iter().product());
    rows.for_each(|row| values.extend_from_slice(row.as_ref()));
    vector_into_raw(operation, values, &shape)
}

fn same_length(operation: &'static str, length: usize, first: usize) -> Result<()> {
    if length == first {
        return Ok(());
    }
    let reason =
        format!("all lists of one level must have the same length, but the first has {first} and another has {length}");
    Err(Error::argument(operation, reason))
}

/// A number is an array without axes.
macro_rules! numbers {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {$(
        impl sealed::Source for $type {
            fn into_raw(self, operation: &'static str) -> Result<RawArray> {
                vector_into_raw(operation, vec![self], &[])
            }
        }
        impl IntoDevice for $type {
            type Elem = Self;
        }
    )*};
}
dtypes!(numbers!());

fn vector_into_raw<T: Element>(operation: &'static str, values: Vec<T>, shape: &[usize]) -> Result<RawArray> {
    transfer::take_over(operation, Owned::vector(values, shape), &device::current()?)
}

/// As [`asarray`](fn@crate::asarray); **panics** as that does.
impl<T: Element, D: Dimension> From<Array<T, D>> for DeviceArray<T> {
    #[track_caller]
    fn from(host: Array<T, D>) -> Self {
        crate::asarray(host)
    }
}

/// As [`asarray`](fn@crate::asarray); **panics** as that does.
impl<T: Element> From<Vec<T>> for DeviceArray<T> {
    #[track_caller]
    fn from(host: Vec<T>) -> Self {
        crate::asarray(host)
    }
}

macro_rules! from_references {
    ($($type:ty [$($generics:tt)*];)*) => {$(
        /// As [`asarray`](fn@crate::asarray); **panics** as that does.
        impl<T: Element, $($generics)*> From<&$type> for DeviceArray<T> {
            #[track_caller]
            fn from(host: &$type) -> Self {
                crate::asarray(host)
            }
        }
    )*};
}
from_references! {
    ArrayBase<S, D> [S: Data<Elem = T>, D: Dimension];
    [T] [];
    Vec<T> [];
    [T; N] [const N: usize];
    [[T; N]; M] [const N: usize, const M: usize];
    [[[T; N]; M]; L] [const N: usize, const M: usize, const L: usize];
}

macro_rules! from_values {
    ($($type:ty [$($generics:tt)*];)*) => {$(
        /// As [`asarray`](fn@crate::asarray); **panics** as that does.
        impl<T: Element, $($generics)*> From<$type> for DeviceArray<T> {
            #[track_caller]
            fn from(values: $type) -> Self {
                crate::asarray(&values)
            }
        }
    )*};
}
from_values! {
    [T; N] [const N: usize];
    [[T; N]; M] [const N: usize, const M: usize];
    [[[T; N]; M]; L] [const N: usize, const M: usize, const L: usize];
}

/// The values along one axis, such as of `(0..10).map(f).collect::<DeviceArray<f32>>()`; **panics** if there is not enough memory.
impl<T: Element> FromIterator<T> for DeviceArray<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        crate::asarray(values.into_iter().collect::<Vec<T>>())
    }
}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The elements as a host array of the same shape: [`to_host`](Self::to_host), but an array on the CPU that
        /// nothing shares gives its memory away without copying, if that is large or was a host array's before.
        ///
        /// **Panics** as [`to_host`](Self::to_host) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// let mut a = gpu::asarray(vec![1.0, 2.0, 3.0]); // on the CPU, the vector's memory
        /// a += 1.0;
        /// assert_eq!(a.into_host(), ndarray::arr1(&[2.0, 3.0, 4.0]).into_dyn());
        /// ```
        pub fn into_host, try_into_host(self) -> Result<ArrayD<T>> {
            into_host(self)
        }

        /// The elements of an array on the CPU as an `ndarray` view of the same memory, to read and to write, without
        /// copying.
        ///
        /// **Panics** if the array is on a GPU, whose memory the host cannot reach; if another array, clone or view
        /// shares the elements, since it could change them meanwhile; or if it is a broadcast view
        /// ([`Error::InvalidArgument`]).
        ///
        /// ```
        /// let mut a = warpcell::DeviceArray::from([[1.0, 2.0], [3.0, 4.0]]);
        /// if warpcell::device() == warpcell::Device::Cpu {
        ///     a.as_host_mut()[[0, 1]] = 5.0;
        ///     assert_eq!(a.sum(), 13.0);
        /// }
        /// ```
        pub fn as_host_mut, try_as_host_mut(&mut self) -> Result<ArrayViewMutD<'_, T>> {
            host_view_mut(&mut self.raw)
        }
    }
}

/// See [`DeviceArray::into_host`].
fn into_host<T: Element>(array: DeviceArray<T>) -> Result<ArrayD<T>> {
    let is_row_major = array.raw.layout.is_contiguous();
    if array.raw.handle.device != Device::Cpu || !(is_row_major || reversed(&array.raw.layout).is_contiguous()) {
        return array.try_to_host();
    }
    let RawArray { handle, allocation, layout, dtype } = array.raw.into_inner();
    match memory::vector_of::<T>(allocation) {
        Ok((mut values, before)) => {
            let start = before + layout.offset;
            if dtype == DType::Bool {
                normalise(values.as_mut_ptr().cast(), values.len());
            }
            // The vector may have more elements, before and behind.
            let elements = Array::from_vec(values).slice_move(s![start..start + layout.size()]);
            let shape = if is_row_major { layout.shape } else { reversed(&layout).shape };
            let elements = elements.into_shape_with_order(IxDyn(&shape)).expect("as many elements as the shape has");
            Ok(if is_row_major { elements } else { elements.reversed_axes() })
        }
        Err(allocation) => DeviceArray::from_raw(RawArray { handle, allocation, layout, dtype }).try_to_host(),
    }
}

/// See [`DeviceArray::as_host_mut`].
fn host_view_mut<T: Element>(raw: &mut RawArray) -> Result<ArrayViewMutD<'_, T>> {
    const OPERATION: &str = "as_host_mut";
    // What is written is unknown, and notes of operations share the memory.
    recording::spoil();
    let invalid = |reason: String| Error::argument(OPERATION, reason);
    if raw.handle.device != Device::Cpu {
        let device = raw.handle.device;
        return Err(invalid(format!("the array is on {device}, which the host cannot reach; copy it with `to_host`")));
    }
    writable(OPERATION, raw)?;
    if Arc::get_mut(&mut raw.allocation).is_none() {
        let reason = "another array shares the elements (a clone or a view, perhaps a variable); drop that, or take a \
                      `copy()` or `to_host()`";
        return Err(invalid(reason.into()));
    }
    if T::DTYPE == DType::Bool && raw.size() > 0 {
        normalise_all(raw, first_element(raw));
    }
    // SAFETY: the layout lies within the allocation and its elements do not overlap. Nothing else refers to the allocation,
    // and nothing can before the view, which borrows the array, is gone. Bools were made 0 or 1.
    Ok(unsafe { raw_host_view(raw).deref_into_view_mut() })
}

/// The element of index zero of an array on the CPU.
fn first_element<T>(raw: &RawArray) -> *mut T {
    let start = raw.handle.backend.address(&raw.allocation);
    std::ptr::with_exposed_provenance_mut::<T>(start).wrapping_add(raw.layout.offset)
}

/// An array on the CPU, of elements of the size of `T`, as `ndarray` has it.
pub(crate) fn raw_host_view<T>(raw: &RawArray) -> RawArrayViewMut<T, IxDyn> {
    let Layout { shape, strides, .. } = &raw.layout;
    if raw.size() == 0 {
        let nowhere = std::ptr::NonNull::dangling().as_ptr();
        // SAFETY: no elements are there, and the pointer is aligned.
        return unsafe { RawArrayViewMut::from_shape_ptr(IxDyn(shape), nowhere) };
    }
    // `ndarray` wants positive strides at first.
    let backwards = |axis: usize| if strides[axis] < 0 { strides[axis] * (shape[axis] as isize - 1) } else { 0 };
    let start = first_element::<T>(raw).wrapping_offset((0..shape.len()).map(backwards).sum());
    let distances: Vec<usize> = strides.iter().map(|stride| stride.unsigned_abs()).collect();
    // SAFETY: the layout lies within the allocation.
    let mut view = unsafe { RawArrayViewMut::from_shape_ptr(IxDyn(shape).strides(IxDyn(&distances)), start) };
    for (axis, &stride) in strides.iter().enumerate() {
        if stride < 0 {
            view.invert_axis(Axis(axis));
        }
    }
    view
}

/// Whether all elements of an array of bools on the CPU are 0 or 1.
pub(crate) fn has_only_bools(raw: &RawArray) -> bool {
    // SAFETY: the elements are bytes within the allocation, which nothing writes to meanwhile.
    unsafe { raw_host_view::<u8>(raw).deref_into_view() }.iter().all(|&byte| byte <= 1)
}

/// Makes bytes 0 or 1: others, from a kernel of a user or from another library, would be undefined behaviour as a `bool`.
fn normalise(start: *mut u8, count: usize) {
    // SAFETY: the caller has the only reference to so many initialised bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, count) };
    bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
}

/// The same for the elements of an array of bools, whose first element is at `start`.
fn normalise_all(raw: &RawArray, start: *mut u8) {
    let Layout { shape, strides, .. } = &raw.layout;
    for number in 0..raw.size() {
        let (mut rest, mut distance) = (number, 0);
        for (&length, &stride) in shape.iter().zip(strides).rev() {
            distance += (rest % length) as isize * stride;
            rest /= length;
        }
        normalise(start.wrapping_offset(distance), 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Device, DeviceArray, asarray, device};
    use ndarray::{Array, Array2, ArrayD, IxDyn, ShapeBuilder, arr1, arr2, array, s};

    #[test]
    fn on_the_cpu_memory_changes_hands() {
        if device() != Device::Cpu {
            return;
        }
        let host = Array2::from_shape_fn((30, 40), |(row, column)| (row * 40 + column) as f32);
        let (address, expected) = (host.as_ptr(), host.clone());
        let mut a = asarray(host);
        a += 1.0;
        assert_eq!(a.sum(), (expected.sum() + 1200.0));
        let back = a.into_host();
        assert_eq!(back.as_ptr(), address);
        assert_eq!(back, (expected + 1.0).into_dyn());
        // Large memory of the pool, which counts it no more.
        let large = crate::arange(1_000_001.0f32) + 1.0;
        let (address, row) = (large.data_ptr(), large.slice(s![1..]).reshape((1000, 1000)).t());
        drop(large);
        let back = row.into_host();
        assert_eq!((back.as_ptr() as usize, back[[3, 2]]), (address + 4, 2005.0));
        assert_eq!((back.shape(), back.iter().count()), (&[1000, 1000][..], 1_000_000));
        let bools = crate::full(2_000_000, 1u8).eq(1).into_host();
        assert!(bools.len() == 2_000_000 && bools.iter().all(|&is_one| is_one));
    }

    #[test]
    fn shared_memory_is_copied() {
        let a = asarray(vec![1, 2, 3, 4]);
        let (view, clone) = (a.slice(s![1..3]), a.clone());
        assert_eq!(a.into_host(), arr1(&[1, 2, 3, 4]).into_dyn());
        assert_eq!(view.into_host(), arr1(&[2, 3]).into_dyn());
        assert_eq!(clone.reshape((2, 2)).t().into_host(), arr2(&[[1, 3], [2, 4]]).into_dyn());
        let last = asarray(vec![1, 2, 3, 4]).reshape((2, 2)).t();
        assert_eq!(last.into_host(), arr2(&[[1, 3], [2, 4]]).into_dyn());
        let part = asarray(vec![1, 2, 3, 4]).slice(s![..2]);
        assert_eq!(part.into_host(), arr1(&[1, 2]).into_dyn());
    }

    #[test]
    fn owned_arrays_of_any_layout_are_taken() {
        let columns = Array::from_shape_vec((2, 3).f(), vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(asarray(columns.clone()).to_host(), columns.clone().into_dyn());
        assert_eq!(asarray(columns).strides(), [3, 1]);
        let part = arr1(&[1, 2, 3, 4, 5]).slice_move(s![2..]);
        assert_eq!(asarray(part).to_host(), arr1(&[3, 4, 5]).into_dyn());
        let reversed = arr1(&[1, 2, 3]).slice_move(s![..;-1]);
        assert_eq!(asarray(reversed).to_host(), arr1(&[3, 2, 1]).into_dyn());
        assert_eq!(asarray(ndarray::arr0(2.5)).item(), 2.5);
        let empty = ArrayD::<f64>::zeros(IxDyn(&[0, 3]));
        assert_eq!((asarray(empty.clone()).into_host(), asarray(Vec::<u8>::new()).size()), (empty, 0));
    }

    #[test]
    fn conversions_are_those_of_the_standard_library() {
        let all = [
            DeviceArray::from(vec![1.0, 2.0]),
            DeviceArray::from(&[1.0, 2.0][..]),
            DeviceArray::from([1.0, 2.0]),
            DeviceArray::from(&[1.0, 2.0]),
            DeviceArray::from(arr1(&[1.0, 2.0])),
            DeviceArray::from(&arr1(&[1.0, 2.0]).view()),
            (1..3).map(f64::from).collect(),
        ];
        assert!(all.iter().all(|a| a.to_host() == arr1(&[1.0, 2.0]).into_dyn()));
        assert_eq!(DeviceArray::from([[1, 2], [3, 4]]).shape(), [2, 2]);
        assert_eq!(DeviceArray::from(&[[[1u8; 4]; 3]; 2]).shape(), [2, 3, 4]);
    }

    #[test]
    fn the_host_sees_an_array_that_nothing_shares() {
        if device() != Device::Cpu {
            let error = crate::zeros::<f32>(3).try_as_host_mut().unwrap_err();
            assert!(error.to_string().contains("to_host"), "{error}");
            return;
        }
        let mut a = asarray(array![[1, 2, 3], [4, 5, 6]]);
        a.as_host_mut()[[1, 2]] = 7;
        let mut turned = a.slice(s![..;-1, ..;-2]);
        assert!(turned.try_as_host_mut().unwrap_err().to_string().contains("shares the elements"));
        drop(a);
        assert_eq!(turned.as_host_mut(), array![[7, 4], [3, 1]].into_dyn());
        turned.as_host_mut()[[0, 1]] = 0;
        assert_eq!(turned.to_host(), array![[7, 0], [3, 1]].into_dyn());
        assert!(crate::full(1, 2.0).broadcast_to(3).try_as_host_mut().is_err());
        assert_eq!(crate::zeros::<f32>((2, 0)).as_host_mut().shape(), [2, 0]);
        assert!(crate::ones::<i32>(2).eq(1).as_host_mut().iter().all(|&is_one| is_one));
    }
}
