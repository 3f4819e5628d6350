//! Discrete convolution of 2-D and 1-D arrays, with SciPy's and NumPy's modes and boundaries.
//!
//! [`Plan2`] and [`Plan1`] hold what is decided before any work: which argument is the image, and which part of the
//! full result is wanted. The device functions here and the host functions in [`crate::host`] share them.

use crate::array::sides::AnyView;
use crate::array::sides::sealed::{Any, Host};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::Padding;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use ndarray::{Array1, ArrayBase, Data, Dimension};

/// Which part of the full convolution is wanted; SciPy's and NumPy's `mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All of it: along each axis, the sum of the lengths less one.
    Full,
    /// The central part, as large as the image (1-D: as the longer argument).
    Same,
    /// What does not depend on elements outside the image: the difference of the lengths plus one.
    Valid,
}

/// What lies outside the image; SciPy's `boundary`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary<T = f64> {
    /// This value everywhere.
    Fill(T),
    /// The image again.
    Wrap,
    /// The image mirrored at its edges; the elements at the edges are doubled.
    Symmetric,
}

/// The 2-D convolution of device arrays, with zeros outside the image; SciPy's `signal.convolve2d`.
///
/// `image` and `kernel` are 2-D and of one element type with arithmetic; the result has that type (integers wrap).
/// Its shape follows from [`Mode`]. In [`Mode::Valid`] the arguments are swapped if the kernel is the larger one.
/// NaN and infinity in the image reach every result element whose window contains them.
///
/// **Panics** if an argument is not 2-D or is empty, or if in `Mode::Valid` neither is as large as the other along
/// both axes ([`Error::InvalidShape`], [`Error::InvalidArgument`]), for arrays of bool and of types for storage
/// ([`Error::UnsupportedDType`]), and for arrays on two devices.
///
/// The sum over the window is taken directly, not by Fourier transform.
///
/// ```
/// use warpcell::prelude::*;
/// let mut unit = Array2::<f64>::zeros((5, 5));
/// unit[[2, 2]] = 1.0;
/// let kernel = warpcell::array(&[[1.0, 2.0], [3.0, 4.0]]);
/// let out = warpcell::convolve2d(&warpcell::asarray(&unit), &kernel, Mode::Full);
/// assert_eq!(out.shape(), [6, 6]);
/// assert_eq!(out.get(&[3, 2]), 3.0);
/// ```
#[track_caller]
pub fn convolve2d<A, K, T>(image: &A, kernel: &K, mode: Mode) -> DeviceArray<T>
where
    A: OnDevice<Elem = T>,
    K: OnDevice<Elem = T>,
    T: Element,
{
    check(try_convolve2d(image, kernel, mode))
}

/// As [`convolve2d`], but returns the error.
pub fn try_convolve2d<A, K, T>(image: &A, kernel: &K, mode: Mode) -> Result<DeviceArray<T>>
where
    A: OnDevice<Elem = T>,
    K: OnDevice<Elem = T>,
    T: Element,
{
    try_convolve2d_with(image, kernel, mode, Boundary::Fill(T::default()))
}

/// As [`convolve2d`], with a choice of what lies outside the image.
///
/// ```
/// use warpcell::prelude::*;
/// let ramp = warpcell::array(&[[1.0, 2.0, 3.0]]);
/// let sum = warpcell::ones::<f64>((1, 3));
/// let out = warpcell::convolve2d_with(&ramp, &sum, Mode::Same, Boundary::Wrap);
/// assert_eq!(out.get(&[0, 0]), 3.0 + 1.0 + 2.0);
/// ```
#[track_caller]
pub fn convolve2d_with<A, K, T>(image: &A, kernel: &K, mode: Mode, boundary: Boundary<T>) -> DeviceArray<T>
where
    A: OnDevice<Elem = T>,
    K: OnDevice<Elem = T>,
    T: Element,
{
    check(try_convolve2d_with(image, kernel, mode, boundary))
}

/// As [`convolve2d_with`], but returns the error.
pub fn try_convolve2d_with<A, K, T>(image: &A, kernel: &K, mode: Mode, boundary: Boundary<T>) -> Result<DeviceArray<T>>
where
    A: OnDevice<Elem = T>,
    K: OnDevice<Elem = T>,
    T: Element,
{
    convolve2d_raw(image.raw(), kernel.raw(), mode, padding(boundary)).map(DeviceArray::from_raw)
}

/// The 1-D convolution of two arrays on the same side: two device arrays give a device array, two host arrays give
/// an `Array1`; `numpy.convolve`.
///
/// Both are 1-D, not empty, of one element type with arithmetic. The longer one counts as the image.
///
/// **Panics** if an argument is not 1-D or is empty ([`Error::InvalidShape`]), and for arrays on two devices.
///
/// ```
/// use warpcell::prelude::*;
/// let signal = ndarray::array![1.0, 2.0, 3.0];
/// let kernel = ndarray::array![0.0, 1.0, 0.5];
/// let on_host: Array1<f64> = warpcell::convolve(&signal, &kernel, Mode::Full);
/// assert_eq!(on_host, ndarray::array![0.0, 1.0, 2.5, 4.0, 1.5]);
/// let on_device = warpcell::convolve(&warpcell::asarray(&signal), &warpcell::asarray(&kernel), Mode::Full);
/// assert!(warpcell::allclose(&on_device, &on_host));
/// ```
#[track_caller]
pub fn convolve<A, V>(a: &A, v: &V, mode: Mode) -> A::Output
where
    A: Convolve,
    V: SameSide<A::Side, A::Elem>,
{
    check(try_convolve(a, v, mode))
}

/// As [`convolve`], but returns the error.
pub fn try_convolve<A, V>(a: &A, v: &V, mode: Mode) -> Result<A::Output>
where
    A: Convolve,
    V: SameSide<A::Side, A::Elem>,
{
    a.convolve_with(v.any_view(), mode)
}

/// Names a side in bounds: the device.
pub enum DeviceSide {}
/// Names a side in bounds: the host.
pub enum HostSide {}

mod sealed {
    use super::{AnyView, Mode, Result};

    pub trait Sealed<Output> {
        fn convolve_with(&self, v: AnyView<'_>, mode: Mode) -> Result<Output>;
    }
}

/// What [`convolve`] takes first: an array on either side, of numbers. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`convolve` needs arrays of numbers, but this argument is not one",
    label = "neither a host array nor a device array",
    note = "`gpu::DeviceArray`s and `ndarray` arrays of numbers can be convolved"
)]
pub trait Convolve: sealed::Sealed<Self::Output> {
    /// The type of its elements.
    type Elem: Number;
    /// [`DeviceSide`] or [`HostSide`].
    type Side;
    /// An array on the same side.
    type Output;
}

/// What [`convolve`] takes second: an array of `T` on a given side. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`convolve` needs two arrays on the same side and of one element type",
    label = "not an array of `{T}` on the side of the first one",
    note = "copy the host array to the device, `gpu::asarray(&a)`, or the device array to the host, `a.to_host()`",
    note = "convert a device array to another element type with `a.astype::<{T}>()`"
)]
pub trait SameSide<Side, T>: Any {}

impl<T: Number> Convolve for DeviceArray<T> {
    type Elem = T;
    type Side = DeviceSide;
    type Output = DeviceArray<T>;
}
impl<T: Number> SameSide<DeviceSide, T> for DeviceArray<T> {}
impl<T: Number> sealed::Sealed<DeviceArray<T>> for DeviceArray<T> {
    fn convolve_with(&self, v: AnyView<'_>, mode: Mode) -> Result<DeviceArray<T>> {
        match v {
            AnyView::Device(v) => convolve_raw(&self.raw, v, mode).map(DeviceArray::from_raw),
            AnyView::Host(_) => unreachable!("both are on the same side"),
        }
    }
}

impl<T: Number, S: Data<Elem = T>, D: Dimension> Convolve for ArrayBase<S, D> {
    type Elem = T;
    type Side = HostSide;
    type Output = Array1<T>;
}
impl<T: Number, S: Data<Elem = T>, D: Dimension> SameSide<HostSide, T> for ArrayBase<S, D> {}
impl<T: Number, S: Data<Elem = T>, D: Dimension> sealed::Sealed<Array1<T>> for ArrayBase<S, D> {
    fn convolve_with(&self, v: AnyView<'_>, mode: Mode) -> Result<Array1<T>> {
        match v {
            AnyView::Host(v) => crate::host::convolve_views(&self.host_view(), &v, mode).map(Array1::from_vec),
            AnyView::Device(_) => unreachable!("both are on the same side"),
        }
    }
}

/// A boundary without its type.
pub(crate) fn padding<T: Element>(boundary: Boundary<T>) -> Padding {
    match boundary {
        Boundary::Fill(value) => Padding::Fill(value.to_scalar()),
        Boundary::Wrap => Padding::Wrap,
        Boundary::Symmetric => Padding::Symmetric,
    }
}

fn convolve2d_raw(image: &RawArray, kernel: &RawArray, mode: Mode, padding: Padding) -> Result<RawArray> {
    image.same_device("convolve2d", kernel)?;
    let plan = Plan2::new(image.shape(), kernel.shape(), image.dtype, mode)?;
    let (image, kernel) = if plan.swapped { (kernel, image) } else { (image, kernel) };
    let (image, kernel) = (image.contiguous("convolve2d")?, kernel.contiguous("convolve2d")?);
    let out = RawArray::uninitialised("convolve2d", &image.handle, &plan.shape, image.dtype)?;
    out.handle.backend.convolve2d(image.view(), kernel.view(), plan.origin, padding, out.view())?;
    Ok(out)
}

fn convolve_raw(a: &RawArray, v: &RawArray, mode: Mode) -> Result<RawArray> {
    a.same_device("convolve", v)?;
    let plan = Plan1::new(a.shape(), v.shape(), a.dtype, mode)?;
    let (a, v) = if plan.swapped { (v, a) } else { (a, v) };
    let (a, v) = (a.contiguous("convolve")?, v.contiguous("convolve")?);
    let out = RawArray::uninitialised("convolve", &a.handle, &[plan.length], a.dtype)?;
    out.handle.backend.convolve(a.view(), v.view(), plan.origin, out.view())?;
    Ok(out)
}

/// The shapes of a 2-D convolution.
pub(crate) struct Plan2 {
    /// Whether the second argument is the image.
    pub swapped: bool,
    /// The result's shape.
    pub shape: [usize; 2],
    /// Where in the full result it starts.
    pub origin: (usize, usize),
}

impl Plan2 {
    pub fn new(image: &[usize], kernel: &[usize], dtype: DType, mode: Mode) -> Result<Plan2> {
        let operation = "convolve2d";
        require_arithmetic(operation, dtype)?;
        let axes = |shape: &[usize]| match *shape {
            [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
            [_, _] => Err("has no elements; convolve arrays that have some"),
            _ => Err("is not 2-D; reshape the array to two axes, or use `convolve` for 1-D arrays"),
        };
        let axes = |shape: &[usize]| {
            axes(shape).map_err(|reason| Error::InvalidShape {
                operation,
                shape: shape.to_vec(),
                reason: reason.into(),
            })
        };
        let (mut image, mut kernel) = (axes(image)?, axes(kernel)?);
        let covers = |a: [usize; 2], b: [usize; 2]| a[0] >= b[0] && a[1] >= b[1];
        let swapped = mode == Mode::Valid && !covers(image, kernel);
        if swapped {
            if !covers(kernel, image) {
                return Err(Error::InvalidArgument {
                    operation,
                    reason: format!(
                        "in Mode::Valid, one array must be at least as large as the other along both axes, but the \
                         shapes are {image:?} and {kernel:?}; use Mode::Full or Mode::Same, or a smaller kernel"
                    ),
                });
            }
            std::mem::swap(&mut image, &mut kernel);
        }
        let (rows, columns) = (part(image[0], kernel[0], mode), part(image[1], kernel[1], mode));
        Ok(Plan2 { swapped, shape: [rows.length, columns.length], origin: (rows.origin, columns.origin) })
    }
}

/// The lengths of a 1-D convolution.
pub(crate) struct Plan1 {
    /// Whether the second argument is the longer one.
    pub swapped: bool,
    /// The result's length.
    pub length: usize,
    /// Where in the full result it starts.
    pub origin: usize,
}

impl Plan1 {
    pub fn new(a: &[usize], v: &[usize], dtype: DType, mode: Mode) -> Result<Plan1> {
        let operation = "convolve";
        require_arithmetic(operation, dtype)?;
        for shape in [a, v] {
            let reason = match *shape {
                [0] => "has no elements; convolve arrays that have some",
                [_] => continue,
                _ => "is not 1-D; flatten the array first with `ravel`, or use `convolve2d` for 2-D arrays",
            };
            return Err(Error::InvalidShape { operation, shape: shape.to_vec(), reason: reason.into() });
        }
        let swapped = v[0] > a[0];
        let (long, short) = if swapped { (v[0], a[0]) } else { (a[0], v[0]) };
        let Part { length, origin } = part(long, short, mode);
        Ok(Plan1 { swapped, length, origin })
    }
}

/// A part of the full convolution along one axis.
struct Part {
    length: usize,
    origin: usize,
}

fn part(image: usize, kernel: usize, mode: Mode) -> Part {
    match mode {
        Mode::Full => Part { length: image + kernel - 1, origin: 0 },
        Mode::Same => Part { length: image, origin: (kernel - 1) / 2 },
        Mode::Valid => Part { length: image + 1 - kernel, origin: kernel - 1 },
    }
}

fn require_arithmetic(operation: &'static str, dtype: DType) -> Result<()> {
    if dtype != DType::Bool && !dtype.is_storage() {
        return Ok(());
    }
    Err(Error::UnsupportedDType { operation, dtype, advice: "convert them first, such as with `a.astype::<f32>()`" })
}
