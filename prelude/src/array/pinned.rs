//! Host arrays in memory that is locked in place, and device arrays that are copied into host arrays that are there.

use crate::array::{DeviceArray, IntoShape, RawArray, transfer};
use crate::backend::PinnedMemory;
use crate::device;
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use ndarray::{ArrayBase, ArrayD, ArrayViewMutD, DataMut, Dimension, IxDyn, NdIndex};
use std::fmt;
use std::ops::{Deref, Index, IndexMut};

/// A host array in pinned memory: memory that the system does not move, so that a CUDA device reads and writes it itself.
///
/// A copy to the device, such as `gpu::asarray(&p)` or `a.set(&p)`, is queued and takes no time of the host: what comes next in the cell
/// runs meanwhile. A copy from the device, [`to_host_into`](DeviceArray::to_host_into), needs no memory of its own. What writes to the
/// array waits for the copies from it that are queued.
///
/// It is an `ndarray` array for what only reads: `p[[0, 1]]`, `p.sum()`, `p.slice(s![0, ..])`. To write, use an index or
/// [`view_mut`](Self::view_mut). On the CPU device it is a host array like all others.
///
/// Other programs cannot use pinned memory, and locking it takes longer than a copy of the same size: make such arrays once, for data that
/// is copied often. A copy from what [`view_mut`](Self::view_mut) gives is waited for; give the array itself.
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// let mut batch = gpu::zeros_pinned::<f32>((2, 3));
/// let mut a = gpu::zeros::<f32>((2, 3));
/// for step in 0..3 {
///     batch.view_mut().fill(step as f32);
///     a.set(&batch);
/// }
/// assert_eq!(a.sum(), 12.0);
/// batch[[0, 1]] = 5.0;
/// assert_eq!((batch.sum(), a.sum()), (15.0, 12.0));
/// ```
pub struct PinnedArray<T> {
    /// Dropped before the memory.
    lock: Option<Box<dyn PinnedMemory>>,
    array: ArrayD<T>,
}

impl<T: Element> PinnedArray<T> {
    fn zeros(operation: &'static str, shape: &[usize]) -> Result<PinnedArray<T>> {
        let size = shape.iter().try_fold(size_of::<T>(), |size, &length| size.checked_mul(length));
        if size.is_none_or(|size| size > isize::MAX as usize) {
            return Err(Error::shape(operation, shape, "has more elements than can be addressed"));
        }
        let count = shape.iter().product();
        let bytes = count * size_of::<T>();
        let handle = device::current()?;
        let mut elements = Vec::new();
        if elements.try_reserve_exact(count).is_err() {
            return Err(Error::OutOfMemory {
                device: "the host".to_owned(),
                requested: bytes,
                free: 0,
                pooled: 0,
                limit: None,
            });
        }
        elements.resize(count, T::default());
        let mut array = ArrayD::from_shape_vec(IxDyn(shape), elements).expect("as many elements as the shape has");
        let backend = handle.backend;
        // SAFETY: the elements are the array's own, which drops the lock before them. It gives them to be written to when it has waited,
        // and says that they are lent until it is borrowed to be read again. They are never moved, and freshly allocated, so nothing else
        // locks them.
        let lock = if bytes == 0 { None } else { unsafe { backend.pin(array.as_mut_ptr().cast(), bytes)? } };
        Ok(PinnedArray { lock, array })
    }

    /// Whether the memory is locked: for a CUDA device, and not without elements.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let p = gpu::zeros_pinned::<f64>(100);
    /// assert_eq!(p.is_pinned(), gpu::device() != gpu::Device::Cpu);
    /// ```
    pub fn is_pinned(&self) -> bool {
        self.lock.is_some()
    }

    /// The elements, to be written to. Waits for copies to the device that are queued.
    ///
    /// **Panics** if such a copy failed.
    ///
    /// ```
    /// let mut p = warpcell::zeros_pinned::<i32>(3);
    /// p.view_mut().assign(&ndarray::array![1, 2, 3].into_dyn());
    /// assert_eq!(p.sum(), 6);
    /// ```
    #[track_caller]
    pub fn view_mut(&mut self) -> ArrayViewMutD<'_, T> {
        check(self.lend());
        self.array.view_mut()
    }

    /// Waits before elements are written to. Whoever has them may give them to a transfer and then write to them again.
    fn lend(&mut self) -> Result<()> {
        self.wait()?;
        if let Some(lock) = &self.lock {
            lock.set_lent(true);
        }
        Ok(())
    }

    /// The address of the elements, for a view that only reads: nobody has elements to write to while the array is borrowed for it.
    pub(super) fn start_to_read(&self) -> *const T {
        if let Some(lock) = &self.lock {
            lock.set_lent(false);
        }
        self.array.as_ptr()
    }

    /// Waits until nothing reads the memory.
    fn wait(&self) -> Result<()> {
        self.lock.as_ref().map_or(Ok(()), |lock| lock.wait())
    }
}

impl<T> Deref for PinnedArray<T> {
    type Target = ArrayD<T>;
    fn deref(&self) -> &ArrayD<T> {
        &self.array
    }
}

impl<T, I: NdIndex<IxDyn>> Index<I> for PinnedArray<T> {
    type Output = T;
    #[track_caller]
    fn index(&self, index: I) -> &T {
        &self.array[index]
    }
}

impl<T: Element, I: NdIndex<IxDyn>> IndexMut<I> for PinnedArray<T> {
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        check(self.lend());
        &mut self.array[index]
    }
}

impl<T: fmt::Debug> fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.array.fmt(f)
    }
}

impl<T: fmt::Display> fmt::Display for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.array.fmt(f)
    }
}

fallible! {
    /// A host array of zeros in [pinned memory](PinnedArray), for the current device; CuPy's `cupyx.zeros_pinned`.
    ///
    /// **Panics** if the shape is too large to address or the memory cannot be locked.
    ///
    /// ```
    /// let p = warpcell::zeros_pinned::<f32>((4, 5));
    /// assert_eq!((p.shape(), p.sum()), (&[4, 5][..], 0.0));
    /// ```
    pub fn zeros_pinned, try_zeros_pinned<T: Element>(shape: impl IntoShape) -> Result<PinnedArray<T>> {
        PinnedArray::zeros("zeros_pinned", &shape.into_shape())
    }

    /// A host array in [pinned memory](PinnedArray), for results; CuPy's `cupyx.empty_pinned`. Its elements are zeros too.
    ///
    /// **Panics** as [`zeros_pinned`] does.
    ///
    /// ```
    /// let mut p = warpcell::empty_pinned::<f64>(3);
    /// warpcell::arange(3.0).to_host_into(&mut p);
    /// assert_eq!(p[2], 2.0);
    /// ```
    pub fn empty_pinned, try_empty_pinned<T: Element>(shape: impl IntoShape) -> Result<PinnedArray<T>> {
        PinnedArray::zeros("empty_pinned", &shape.into_shape())
    }

    /// A host array of zeros in [pinned memory](PinnedArray) with the shape of a device array; CuPy's `cupyx.zeros_like_pinned`.
    ///
    /// **Panics** as [`zeros_pinned`] does.
    ///
    /// ```
    /// let a = warpcell::ones::<i64>((2, 2));
    /// let mut p = warpcell::zeros_like_pinned(&a);
    /// a.to_host_into(&mut p);
    /// assert_eq!(p.sum(), 4);
    /// ```
    pub fn zeros_like_pinned, try_zeros_like_pinned<T: Element>(a: &DeviceArray<T>) -> Result<PinnedArray<T>> {
        PinnedArray::zeros("zeros_like_pinned", a.shape())
    }
}

mod hidden {
    use super::{RawArray, Result};

    pub trait Target {
        /// Copies the elements of an array into this one.
        fn take(&mut self, raw: &RawArray) -> Result<()>;
    }
}

/// A host array that a device array of `T` is copied into: an `ndarray` array or view, a slice, a `Vec`, or a [`PinnedArray`]. Not an
/// extension point.
#[diagnostic::on_unimplemented(
    message = "a device array of `{T}` cannot be copied into `{Self}`",
    label = "not a host array of `{T}`",
    note = "give a mutable reference to a host array with elements of its type, such as `&mut h`",
    note = "for a new host array, write `let h = a.to_host();`"
)]
pub trait HostTarget<T>: hidden::Target {}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// Copies the elements into a host array of the same shape that is there; CuPy's `get(out=h)`. Waits for queued work.
        ///
        /// **Panics** if the shapes differ ([`Error::InvalidShape`]), or if a queued operation failed on the device.
        ///
        /// ```
        /// let a = warpcell::arange(4i64).reshape((2, 2));
        /// let mut h = ndarray::Array2::<i64>::zeros((2, 2));
        /// a.to_host_into(&mut h);
        /// assert_eq!(h, ndarray::array![[0, 1], [2, 3]]);
        /// ```
        pub fn to_host_into, try_to_host_into<A: ?Sized + HostTarget<T>>(&self, out: &mut A) -> Result<()> {
            self.raw.handle.may_wait("to_host_into")?;
            out.take(&self.raw)
        }
    }
}

/// Fails if a host array does not have the shape of a device array.
fn of_one_shape(raw: &RawArray, shape: &[usize]) -> Result<()> {
    if raw.shape() == shape {
        return Ok(());
    }
    let reason = format!("is not the shape of the host array, {shape:?}; give one of the same shape, or reshape it");
    Err(Error::shape("to_host_into", raw.shape(), reason))
}

impl<T: Element, S: DataMut<Elem = T>, D: Dimension> hidden::Target for ArrayBase<S, D> {
    fn take(&mut self, raw: &RawArray) -> Result<()> {
        of_one_shape(raw, self.shape())?;
        if let Some(elements) = self.as_slice_mut() {
            return transfer::download_into(raw, elements);
        }
        let elements = transfer::download_vec::<T>(raw)?;
        self.iter_mut().zip(elements).for_each(|(to, from)| *to = from);
        Ok(())
    }
}
impl<T: Element, S: DataMut<Elem = T>, D: Dimension> HostTarget<T> for ArrayBase<S, D> {}

impl<T: Element> hidden::Target for [T] {
    fn take(&mut self, raw: &RawArray) -> Result<()> {
        of_one_shape(raw, &[self.len()])?;
        transfer::download_into(raw, self)
    }
}
impl<T: Element> HostTarget<T> for [T] {}

impl<T: Element> hidden::Target for Vec<T> {
    fn take(&mut self, raw: &RawArray) -> Result<()> {
        self.as_mut_slice().take(raw)
    }
}
impl<T: Element> HostTarget<T> for Vec<T> {}

impl<T: Element> hidden::Target for PinnedArray<T> {
    fn take(&mut self, raw: &RawArray) -> Result<()> {
        self.wait()?;
        self.array.take(raw)
    }
}
impl<T: Element> HostTarget<T> for PinnedArray<T> {}
