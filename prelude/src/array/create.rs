//! Making arrays on the current device.

use crate::array::axes::axis_of;
use crate::array::ownership::sealed::Source;
use crate::array::{
    DeviceArray, IntoDevice, IntoRange, IntoShape, OnDevice, RawArray, assign, shape, slice_axis, transfer,
};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::device;
use crate::dtype::{Arithmetic, DType, Element, Inexact, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::composing::Composed;
use crate::operations::elementwise::{Operand, RawOperand, unary};
use crate::operations::reduce::reduce_all;

fallible! {
    /// Copies a host array to the current device: an `ndarray` array or view of any rank and strides, a slice, a `Vec`.
    ///
    /// The result has the same shape and element type, and is contiguous; the host array may be changed afterwards.
    /// Where the host array is not needed any more, `asarray(host)` instead of `asarray(&host)` gives it away: on the
    /// CPU, an `ndarray` array in row-major order or a `Vec` is then not copied, and
    /// [`into_host`](DeviceArray::into_host) gives it back.
    ///
    /// **Panics** if there is not enough memory ([`Error::OutOfMemory`]).
    ///
    /// ```
    /// let host = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
    /// let a = warpcell::asarray(&host);
    /// assert_eq!(a.shape(), [2, 2]);
    /// assert_eq!(warpcell::asarray(&host.t()).get(&[0, 1]), 3.0);
    /// assert_eq!(warpcell::asarray(vec![1i64, 2, 3]).sum(), 6);
    /// ```
    pub fn asarray, try_asarray<A: IntoDevice<Elem = T>, T: Element>(host: A) -> Result<DeviceArray<T>> {
        Source::into_raw(host, "asarray").map(DeviceArray::from_raw)
    }
}

fallible! {
    /// As [`asarray`](fn@asarray), of an array that has neither NaN nor infinities; NumPy's `asarray_chkfinite`. Waits for the check. For an
    /// array on the device, write `a.is_finite().all()`.
    ///
    /// Integers and bools are always finite. Both parts of complex numbers must be.
    ///
    /// **Panics** if an element is not finite ([`Error::InvalidArgument`]), or if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::asarray_chkfinite(&[1.0, 2.0]).sum(), 3.0);
    /// assert!(gpu::try_asarray_chkfinite(&[1.0, f64::NAN]).is_err());
    /// ```
    pub fn asarray_chkfinite, try_asarray_chkfinite<A: IntoDevice<Elem = T>, T: Element>(a: A) -> Result<DeviceArray<T>> {
        const NAME: &str = "asarray_chkfinite";
        let raw = Source::into_raw(a, NAME)?;
        all_finite(NAME, &raw)?;
        Ok(DeviceArray::from_raw(raw))
    }

    /// An array of the values that an iterator gives, on the current device; 1-D. NumPy's `fromiter`, but that the element type
    /// follows from the values. `gpu::fromiter!(values, dtype = f32, count = 3)` converts them, and takes so many.
    ///
    /// The values are collected on the host first.
    ///
    /// **Panics** if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let squares = gpu::fromiter((0..5).map(|number| number * number));
    /// assert_eq!(squares.tolist(), [0, 1, 4, 9, 16]);
    /// ```
    pub fn fromiter, try_fromiter<T: Element>(iter: impl IntoIterator<Item = T>) -> Result<DeviceArray<T>> {
        of_values(iter.into_iter().collect())
    }
}

/// `fromiter` of collected values.
pub(crate) fn of_values<T: Element>(values: Vec<T>) -> Result<DeviceArray<T>> {
    Source::into_raw(values, "fromiter").map(DeviceArray::from_raw)
}

/// The error for an array that has NaN or infinities, if it has.
fn all_finite(operation: &'static str, raw: &RawArray) -> Result<()> {
    let parts = if raw.dtype.is_complex() { raw.parts() } else { raw.clone() };
    if !parts.dtype.is_float() || parts.size() == 0 {
        return Ok(());
    }
    let is_finite = unary(operation, UnaryOperation::IsFinite, &parts)?.flat(operation)?;
    if reduce_all(operation, ReduceOperation::All, &is_finite)? == Scalar::Bool(true) {
        return Ok(());
    }
    // The first that is not.
    let place: i64 = transfer::typed_scalar(reduce_all(operation, ReduceOperation::ArgMin, &is_finite)?);
    let mut place = usize::try_from(place).expect("a place within the array") / (parts.size() / raw.size());
    let mut index = vec![0; raw.shape().len()];
    for (axis, &length) in raw.shape().iter().enumerate().rev() {
        (place, index[axis]) = (place / length, place % length);
    }
    let reason = format!("the element {index:?} is NaN or infinite; replace such elements, or use `asarray`");
    Err(Error::argument(operation, reason))
}

fallible! {
    /// An array of these values: `gpu::array([1.0, 2.0])`. Lists of lists give two axes, and one level more gives three. A number gives
    /// an array without axes. Otherwise as [`asarray`](fn@asarray): a reference to a host array is copied.
    ///
    /// **Panics** if lists of one level have different lengths ([`Error::InvalidArgument`]), or if there is not enough memory.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::array([[1, 2, 3], [4, 5, 6]]).shape(), [2, 3]);
    /// assert_eq!(gpu::array(vec![vec![1.0, 2.0], vec![3.0, 4.0]]).sum(), 10.0);
    /// assert_eq!(gpu::array(2.5).ndim(), 0);
    /// ```
    pub fn array, try_array<A: IntoDevice<Elem = T>, T: Element>(values: A) -> Result<DeviceArray<T>> {
        Source::into_raw(values, "array").map(DeviceArray::from_raw)
    }

    /// Zeros (`false` for `bool`): `gpu::zeros::<f64>((16, 16))`.
    ///
    /// **Panics** if the shape is too large to address, or if there is not enough memory.
    ///
    /// ```
    /// let a = warpcell::zeros::<f64>((2, 3));
    /// assert_eq!(a.sum(), 0.0);
    /// ```
    pub fn zeros, try_zeros<T: Element>(shape: impl IntoShape) -> Result<DeviceArray<T>> {
        filled("zeros", &shape.into_shape(), T::default().to_scalar()).map(DeviceArray::from_raw)
    }

    /// Ones.
    ///
    /// **Panics** as [`zeros`] does.
    ///
    /// ```
    /// assert_eq!(warpcell::ones::<i32>(4).sum(), 4);
    /// ```
    pub fn ones, try_ones<T: Arithmetic>(shape: impl IntoShape) -> Result<DeviceArray<T>> {
        filled("ones", &shape.into_shape(), Scalar::one(T::DTYPE)).map(DeviceArray::from_raw)
    }

    /// An array with every element `value`.
    ///
    /// **Panics** as [`zeros`] does.
    ///
    /// ```
    /// assert_eq!(warpcell::full((2, 2), 0.5).sum(), 2.0);
    /// ```
    pub fn full, try_full<T: Element>(shape: impl IntoShape, value: T) -> Result<DeviceArray<T>> {
        filled("full", &shape.into_shape(), value.to_scalar()).map(DeviceArray::from_raw)
    }

    /// An array whose elements are unspecified until they are written.
    ///
    /// **Panics** as [`zeros`] does.
    ///
    /// ```
    /// let mut a = warpcell::empty::<f32>(8);
    /// a.fill(1.0);
    /// assert_eq!(a.sum(), 8.0);
    /// ```
    pub fn empty, try_empty<T: Element>(shape: impl IntoShape) -> Result<DeviceArray<T>> {
        let handle = device::current()?;
        RawArray::uninitialised("empty", &handle, &shape.into_shape(), T::DTYPE).map(DeviceArray::from_raw)
    }

    /// `start`, `start + step`, … up to but without `stop`; 1-D. Of `arange(stop)` the start is 0 and the step 1, of
    /// `arange(start..stop)` the step is 1; `arange((start, stop, step))` has all three.
    ///
    /// The length is `ceil((stop - start) / step)`, as in NumPy; use [`linspace`] where the number of elements matters
    /// and the step is a fraction.
    ///
    /// **Panics** if `step` is zero or not finite ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::arange(4).to_host(), ndarray::arr1(&[0, 1, 2, 3]).into_dyn());
    /// assert_eq!(gpu::arange(0.5..3.0).to_host(), ndarray::arr1(&[0.5, 1.5, 2.5]).into_dyn());
    /// assert_eq!(gpu::arange((10, 0, -3)).to_host(), ndarray::arr1(&[10, 7, 4, 1]).into_dyn());
    /// ```
    pub fn arange, try_arange<T: Number>(range: impl IntoRange<T>) -> Result<DeviceArray<T>> {
        let (start, stop, step) = range.into_range();
        arange_raw(start.to_scalar(), stop.to_scalar(), step.to_scalar()).map(DeviceArray::from_raw)
    }

    /// `count` evenly spaced values from `start` to `stop`, both included; 1-D. Of ends that are arrays, which broadcast to one another,
    /// the values stand along a new first axis. Complex ends have complex values between them. NumPy's `linspace`;
    /// `gpu::linspace!(0.0, 1.0, 5, endpoint = false)` has its keywords.
    ///
    /// **Panics** if arrays do not broadcast or a device differs.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::linspace(-2.0, 2.0, 5).to_host(), ndarray::arr1(&[-2.0, -1.0, 0.0, 1.0, 2.0]).into_dyn());
    /// assert_eq!(gpu::linspace(0.0, &gpu::array(&[1.0, 10.0]), 3).ravel().tolist(), [0.0, 0.0, 0.5, 5.0, 1.0, 10.0]);
    /// ```
    pub fn linspace, try_linspace<T: Inexact>(
        start: impl Operand<T>,
        stop: impl Operand<T>,
        count: usize,
    ) -> Result<DeviceArray<T>> {
        spaced([start.raw_operand(), stop.raw_operand()], count, true, 0, T::DTYPE).map(DeviceArray::from_raw)
    }
}

/// The coordinates of a grid: `(x, y)` of shape `(y.size(), x.size())`, where `x` varies along the columns and `y`
/// along the rows (NumPy's `indexing="xy"`). `gpu::meshgrid!(&x, &y, &z, indexing = "ij", sparse = true)` has more axes, and NumPy's
/// other arguments. Arrays of other numbers of axes are flattened, as by [`DeviceArray::ravel`].
///
/// ```
/// let axis = warpcell::arange(3);
/// let (x, y) = warpcell::meshgrid(&axis, &axis);
/// assert_eq!((x.get(&[0, 2]), y.get(&[0, 2])), (2, 0));
/// ```
#[track_caller]
pub fn meshgrid<T: Element, X, Y>(x: &X, y: &Y) -> (DeviceArray<T>, DeviceArray<T>)
where
    X: OnDevice<Elem = T>,
    Y: OnDevice<Elem = T>,
{
    let [x, y] = <[RawArray; 2]>::try_from(check(grids(&[x.raw(), y.raw()], false, false)))
        .unwrap_or_else(|_| unreachable!("two grids"));
    (DeviceArray::from_raw(x), DeviceArray::from_raw(y))
}

fallible! {
    /// The array repeated `repetitions` times along each axis; missing axes are put in front of the shorter of the two,
    /// as in NumPy.
    ///
    /// ```
    /// let unit = warpcell::array(&[[1, 0], [0, 0]]);
    /// assert_eq!(warpcell::tile(&unit, (3, 2)).shape(), [6, 4]);
    /// ```
    pub fn tile, try_tile<A: OnDevice<Elem = T>, T: Element>(
        a: &A,
        repetitions: impl IntoShape,
    ) -> Result<DeviceArray<T>> {
        tile_raw(a.raw(), repetitions.into_shape()).map(DeviceArray::from_raw)
    }
}

/// The identity matrix of order `n`.
///
/// ```
/// assert_eq!(warpcell::eye::<f64>(4).sum(), 4.0);
/// ```
#[track_caller]
pub fn eye<T: Arithmetic>(n: usize) -> DeviceArray<T> {
    check(eye_raw(n, T::DTYPE).map(DeviceArray::from_raw))
}

/// The array whose elements are in memory as these bytes, one after the other, in the byte order of this machine: copied to the
/// current device, 1-D. NumPy's `frombuffer`; `gpu::frombuffer!(&bytes, dtype = f32, count = 3, offset = 8)` takes a part.
///
/// **Panics** if the bytes are not a whole number of elements ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// let bytes: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
/// assert_eq!(gpu::frombuffer::<f32>(&bytes).tolist(), [1.5, -2.0]);
/// ```
#[track_caller]
pub fn frombuffer<T: Element>(buffer: &[u8]) -> DeviceArray<T> {
    DeviceArray::from_raw(check(of_buffer(buffer, -1, 0, T::DTYPE)))
}

/// `frombuffer` with all arguments.
pub(crate) fn of_buffer(buffer: &[u8], count: isize, offset: usize, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "frombuffer";
    let invalid = |reason: String| Error::argument(NAME, reason);
    let size = dtype.size();
    let Some(rest) = buffer.get(offset..) else {
        return Err(invalid(format!(
            "the buffer has {} bytes, so it has none from byte {offset} on; give a smaller offset",
            buffer.len()
        )));
    };
    let bytes = match usize::try_from(count) {
        Ok(count) => count.checked_mul(size).and_then(|bytes| rest.get(..bytes)).ok_or_else(|| {
            invalid(format!(
                "{} bytes are fewer than {count} elements of {dtype} have; give a smaller count",
                rest.len()
            ))
        })?,
        Err(_) if rest.len().is_multiple_of(size) => rest,
        Err(_) => {
            let reason = format!(
                "{} bytes are not a whole number of elements of {dtype} of {size} bytes; give a count, or another type",
                rest.len()
            );
            return Err(invalid(reason));
        }
    };
    let handle = device::current()?;
    handle.may_upload(NAME)?;
    if dtype == DType::Bool {
        // Bytes other than 0 and 1 are not bools.
        let bytes: Vec<u8> = bytes.iter().map(|&byte| u8::from(byte != 0)).collect();
        return RawArray::of_bytes(NAME, &handle, &[bytes.len()], &bytes, dtype);
    }
    RawArray::of_bytes(NAME, &handle, &[bytes.len() / size], bytes, dtype)
}

fn filled(operation: &'static str, shape: &[usize], value: Scalar) -> Result<RawArray> {
    RawArray::filled(operation, &device::current()?, shape, value)
}

/// The length of `start..stop` in steps of `step`, or `None` if there is none.
pub(crate) fn arange_length(start: Scalar, stop: Scalar, step: Scalar) -> Option<usize> {
    let float = |value: Scalar| value.float().unwrap_or(f64::NAN);
    if let (Some(start), Some(stop), Some(step)) = (start.integer(), stop.integer(), step.integer()) {
        if step == 0 {
            return None;
        }
        let (distance, step) = if step < 0 { (start - stop, -step) } else { (stop - start, step) };
        return usize::try_from(((distance + step - 1) / step).max(0)).ok();
    }
    let length = ((float(stop) - float(start)) / float(step)).ceil();
    (float(step) != 0.0 && float(step).is_finite() && length.is_finite()).then_some(length.max(0.0) as usize)
}

pub(super) fn arange_raw(start: Scalar, stop: Scalar, step: Scalar) -> Result<RawArray> {
    let length = arange_length(start, stop, step).ok_or_else(|| bad_range(start, stop, step))?;
    RawArray::written("arange", &device::current()?, &[length], start.dtype(), |out| {
        out.handle.backend.arange(start, step, out.view())
    })
}

pub(crate) fn bad_range(start: Scalar, stop: Scalar, step: Scalar) -> Error {
    let reason = format!(
        "a range from {start} to {stop} with step {step} is not possible; give finite bounds and a step that is \
             not 0"
    );
    Error::argument("arange", reason)
}

/// `linspace` with its keywords: between numbers or arrays, with the values along an axis.
pub(crate) fn spaced(
    ends: [RawOperand<'_>; 2],
    count: usize,
    has_end: bool,
    axis: isize,
    dtype: DType,
) -> Result<RawArray> {
    const NAME: &str = "linspace";
    if let [RawOperand::Scalar(start), RawOperand::Scalar(stop)] = ends {
        axis_of(NAME, &[count], axis)?;
        let parts = |value: Scalar| match value {
            Scalar::C64(value) => [value.re.into(), value.im.into()],
            Scalar::C128(value) => [value.re, value.im],
            real => [real.float().unwrap_or(f64::NAN), 0.0],
        };
        let ([start, start_im], [stop, stop_im]) = (parts(start), parts(stop));
        let line = |ends| evenly_spaced(NAME, ends, count, has_end, dtype.part());
        let real = line([start, stop])?;
        if !dtype.is_complex() {
            return Ok(real);
        }
        return RawArray::written(NAME, &real.handle, &[count], dtype, |out| {
            assign(NAME, &out.part(false), &real)?;
            assign(NAME, &out.part(true), &line([start_im, stop_im])?)
        });
    }
    let handle = ends.iter().find_map(|end| end.array()).expect("one is an array").handle.clone();
    let [start, stop] = ends;
    let (start, stop) = (start.on(NAME, &handle)?, stop.on(NAME, &handle)?);
    let calc = Composed(NAME);
    let distance = calc.pair(BinaryOperation::Subtract, &stop, &start)?;
    let rank = distance.shape().len();
    let axis = axis_of(NAME, &vec![1; rank + 1], axis)?;
    let steps = if has_end { count.saturating_sub(1) } else { count }.max(1);
    let step = calc.with(BinaryOperation::Divide, &distance, steps as f64)?;
    let numbers = RawArray::written(NAME, &handle, &[count], DType::F64, |out| {
        out.handle.backend.arange(Scalar::F64(0.0), Scalar::F64(1.0), out.view())
    })?;
    let shape = [&[count], &vec![1; rank][..]].concat();
    let numbers = calc.shaped(&numbers.converted(NAME, dtype)?, &shape)?;
    let values = calc.pair(BinaryOperation::Multiply, &numbers, &step)?;
    let values = calc.pair(BinaryOperation::Add, &values, &start)?;
    if has_end && count > 1 {
        // Sums are rounded; the end is what was asked for.
        assign(NAME, &slice_axis(&values, 0, count - 1, 1, 1), &stop)?;
    }
    if axis == 0 { Ok(values) } else { values.moved(0, axis).copied(NAME) }
}

/// `count` evenly spaced values between two ends, of which the second may be left out; NumPy's formula, of which
/// [`linspace_values`](crate::host::linspace_values) is that of the host.
pub(crate) fn evenly_spaced(
    operation: &'static str,
    [start, stop]: [f64; 2],
    count: usize,
    has_end: bool,
    dtype: DType,
) -> Result<RawArray> {
    RawArray::written(operation, &device::current()?, &[count], dtype, |out| {
        let distances = if has_end { (count - 1).max(1) } else { count };
        let step = (stop - start) / distances as f64;
        out.handle.backend.arange(Scalar::F64(start), Scalar::F64(step), out.view())?;
        if has_end && count > 1 {
            // Sums are rounded; the end is what was asked for.
            let end = Scalar::of_float(stop, dtype);
            out.handle.backend.fill(end, slice_axis(out, 0, count - 1, 1, 1).view())?;
        }
        Ok(())
    })
}

/// The coordinates of a grid along each of its axes; see [`meshgrid`]. Each array has its own axis, in order, but that the first two are
/// exchanged unless it is turned. If it is sparse, each has length 1 along the other axes.
pub(crate) fn grids(arrays: &[&RawArray], is_turned: bool, is_sparse: bool) -> Result<Vec<RawArray>> {
    const NAME: &str = "meshgrid";
    for axis in arrays {
        arrays[0].same_device(NAME, axis)?;
    }
    let as_line = |axis: &&RawArray| if axis.shape().len() == 1 { Ok((*axis).clone()) } else { axis.flat(NAME) };
    let arrays: Vec<RawArray> = arrays.iter().map(as_line).collect::<Result<_>>()?;
    let axis_of = |place: usize| if place < 2 && !is_turned { 1 - place } else { place };
    let shape: Vec<usize> = (0..arrays.len()).map(|axis| arrays[axis_of(axis)].size()).collect();
    let made = arrays.iter().enumerate().map(|(place, line)| {
        let mut own =
            Layout { shape: vec![1; arrays.len()], strides: vec![0; arrays.len()], offset: line.layout.offset };
        (own.shape[axis_of(place)], own.strides[axis_of(place)]) = (line.size(), line.layout.strides[0]);
        line.with_layout(if is_sparse { own } else { shape::broadcast_layout(&own, &shape) }).copied(NAME)
    });
    made.collect()
}

fn tile_raw(a: &RawArray, mut repetitions: Vec<usize>) -> Result<RawArray> {
    let rank = a.shape().len().max(repetitions.len());
    repetitions.splice(0..0, vec![1; rank - repetitions.len()]);
    let own = shape::broadcast_layout(&a.layout, &[vec![1; rank - a.shape().len()], a.shape().to_vec()].concat());
    let overflow = || {
        let reason = format!("repeated {repetitions:?} times has more elements than memory can address");
        Error::shape("tile", a.shape(), reason)
    };
    let shape = (own.shape.iter().zip(&repetitions))
        .map(|(&length, &count)| length.checked_mul(count).ok_or_else(overflow))
        .collect::<Result<Vec<usize>>>()?;
    RawArray::written("tile", &a.handle, &shape, a.dtype, |out| {
        // Each axis becomes two, the repetition and the position in the tile; the source repeats along the first.
        let pairs = |first: &[usize], second: &[usize]| {
            first.iter().zip(second).flat_map(|(&first, &second)| [first, second]).collect::<Vec<usize>>()
        };
        let split = pairs(&repetitions, &own.shape);
        let strides = own.strides.iter().flat_map(|&stride| [0, stride]).collect();
        let source = a.with_layout(Layout { shape: split.clone(), strides, offset: own.offset });
        let target = out.with_layout(Layout::contiguous(&split));
        out.handle.backend.copy(source.view(), target.view())
    })
}

fn eye_raw(n: usize, dtype: DType) -> Result<RawArray> {
    let handle = device::current()?;
    RawArray::written("eye", &handle, &[n, n], dtype, |out| {
        handle.backend.fill(Scalar::zero(dtype), out.view())?;
        let diagonal = out.with_layout(Layout { shape: vec![n], strides: vec![n as isize + 1], offset: 0 });
        handle.backend.fill(Scalar::one(dtype), diagonal.view())
    })
}
