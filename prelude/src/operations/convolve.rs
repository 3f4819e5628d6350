//! Discrete convolution of 2-D and 1-D arrays, with SciPy's and NumPy's modes and boundaries.
//!
//! [`Plan2`] and [`Plan1`] hold what is decided before any work: which argument is the image, and which part of the
//! full result is wanted. The device functions here and the host functions in [`crate::host`] share them.

use crate::array::sides::AnyView;
use crate::array::sides::sealed::{Any, Host};
use crate::array::{DeviceArray, OnDevice, RawArray, assign, transfer};
use crate::backend::{BinaryOperation, Padding};
use crate::dtype::{Arithmetic, DType, Element, Number};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::composing::Composed;
use crate::operations::fftconvolve::Filter;
use ndarray::{Array, Array1, ArrayBase, Data, Dimension};
use num_complex::Complex;

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

fallible! {
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
    /// The sum over the window is taken directly, whatever the sizes; [`convolve_with`](crate::convolve_with) takes
    /// Fourier transforms where they are faster.
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
    pub fn convolve2d, try_convolve2d<A, K, T>(image: &A, kernel: &K, mode: Mode) -> Result<DeviceArray<T>>
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
    pub fn convolve2d_with, try_convolve2d_with<A, K, T>(
        image: &A,
        kernel: &K,
        mode: Mode,
        boundary: Boundary<T>,
    ) -> Result<DeviceArray<T>>
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
    /// Both are 1-D, not empty, of one element type with arithmetic. The longer one counts as the image. The sum is
    /// taken directly, whatever the lengths; [`convolve_with`](crate::convolve_with) takes Fourier transforms where
    /// they are faster.
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
    pub fn convolve, try_convolve<A, V>(a: &A, v: &V, mode: Mode) -> Result<A::Output>
    where
        A: Convolve,
        V: SameSide<A::Side, A::Elem>,
    {
        a.slide(v.any_view(), mode, Sum::Convolution)
    }
}

/// Names a side in bounds: the device.
pub enum DeviceSide {}
/// Names a side in bounds: the host.
pub enum HostSide {}

pub(crate) mod sealed {
    use super::{AnyView, Mode, Result, Sum};
    use crate::operations::fftconvolve::Filter;

    pub trait Sealed<Output, Filtered> {
        /// The 1-D convolution or correlation.
        fn slide(&self, v: AnyView<'_>, mode: Mode, sum: Sum) -> Result<Output>;
        /// What a filter gives, with the axes of this array.
        fn filter(&self, v: AnyView<'_>, filter: Filter) -> Result<Filtered>;
    }
}

/// Which way the second argument lies below the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Turned.
    Convolution,
    /// As it is.
    Correlation,
}

/// What [`convolve`] and its relatives take first: an array on either side, of numbers. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this function needs arrays of numbers, but this argument is not one",
    label = "neither a host array nor a device array",
    note = "`gpu::DeviceArray`s and `ndarray` arrays of numbers can be convolved"
)]
pub trait Convolve: sealed::Sealed<Self::Output, Self::Filtered> + Any {
    /// The type of its elements.
    type Elem: Arithmetic;
    /// [`DeviceSide`] or [`HostSide`].
    type Side;
    /// A 1-D array on the same side.
    type Output;
    /// An array on the same side with as many axes.
    type Filtered;
}

/// What [`convolve`] and its relatives take second: an array of `T` on a given side. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "this function needs two arrays on the same side and of one element type",
    label = "not an array of `{T}` on the side of the first one",
    note = "copy the host array to the device, `gpu::asarray(&a)`, or the device array to the host, `a.to_host()`",
    note = "convert a device array to another element type with `a.astype::<{T}>()`"
)]
pub trait SameSide<Side, T>: Any {}

impl<T: Number> Convolve for DeviceArray<T> {
    type Elem = T;
    type Side = DeviceSide;
    type Output = DeviceArray<T>;
    type Filtered = DeviceArray<T>;
}
impl<T: Number> SameSide<DeviceSide, T> for DeviceArray<T> {}
impl<T: Number> sealed::Sealed<DeviceArray<T>, DeviceArray<T>> for DeviceArray<T> {
    fn slide(&self, v: AnyView<'_>, mode: Mode, sum: Sum) -> Result<DeviceArray<T>> {
        match v {
            AnyView::Device(v) => slide_raw(&self.raw, v, mode, sum).map(DeviceArray::from_raw),
            AnyView::Host(_) => unreachable!("both are on the same side"),
        }
    }

    fn filter(&self, v: AnyView<'_>, filter: Filter) -> Result<DeviceArray<T>> {
        match v {
            AnyView::Device(v) => filter.apply(&self.raw, v).map(DeviceArray::from_raw),
            AnyView::Host(_) => unreachable!("both are on the same side"),
        }
    }
}

/// Complex numbers are convolved on a device, along one axis.
macro_rules! complex {
    ($($part:ident)*) => {$(
        impl Convolve for DeviceArray<Complex<$part>> {
            type Elem = Complex<$part>;
            type Side = DeviceSide;
            type Output = Self;
            type Filtered = Self;
        }
        impl SameSide<DeviceSide, Complex<$part>> for DeviceArray<Complex<$part>> {}
        impl sealed::Sealed<Self, Self> for DeviceArray<Complex<$part>> {
            fn slide(&self, v: AnyView<'_>, mode: Mode, sum: Sum) -> Result<Self> {
                match v {
                    AnyView::Device(v) => slide_complex(&self.raw, v, mode, sum).map(DeviceArray::from_raw),
                    AnyView::Host(_) => unreachable!("both are on the same side"),
                }
            }
            fn filter(&self, _: AnyView<'_>, _: Filter) -> Result<Self> {
                unreachable!("filters take real numbers")
            }
        }
    )*};
}
complex! { f32 f64 }

impl<T: Number, S: Data<Elem = T>, D: Dimension> Convolve for ArrayBase<S, D> {
    type Elem = T;
    type Side = HostSide;
    type Output = Array1<T>;
    type Filtered = Array<T, D>;
}
impl<T: Number, S: Data<Elem = T>, D: Dimension> SameSide<HostSide, T> for ArrayBase<S, D> {}
impl<T: Number, S: Data<Elem = T>, D: Dimension> sealed::Sealed<Array1<T>, Array<T, D>> for ArrayBase<S, D> {
    fn slide(&self, v: AnyView<'_>, mode: Mode, sum: Sum) -> Result<Array1<T>> {
        match v {
            AnyView::Host(v) => crate::host::slide_views(&self.host_view(), &v, mode, sum).map(Array1::from_vec),
            AnyView::Device(_) => unreachable!("both are on the same side"),
        }
    }

    fn filter(&self, v: AnyView<'_>, filter: Filter) -> Result<Array<T, D>> {
        match v {
            AnyView::Host(v) => {
                let out = filter.apply_to_views(&self.host_view(), &v)?;
                let mut shape = self.raw_dim();
                shape.slice_mut().copy_from_slice(out.shape());
                let values = transfer::download_vec(&out)?;
                Ok(Array::from_shape_vec(shape, values).expect("as many elements as the shape has"))
            }
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
    let plan = Plan2::new("convolve2d", image.shape(), kernel.shape(), image.dtype, mode, Sum::Convolution)?;
    planned_2d("convolve2d", image, kernel, &plan, padding)
}

/// The part of a 2-D convolution that a plan names.
pub(super) fn planned_2d(
    operation: &'static str,
    image: &RawArray,
    kernel: &RawArray,
    plan: &Plan2,
    padding: Padding,
) -> Result<RawArray> {
    let (image, kernel) = if plan.swapped { (kernel, image) } else { (image, kernel) };
    let (image, kernel) = (image.contiguous(operation)?, kernel.contiguous(operation)?);
    let out = RawArray::uninitialised(operation, &image.handle, &plan.shape, image.dtype)?;
    out.handle.backend.convolve2d(image.view(), kernel.view(), plan.origin, padding, out.view())?;
    Ok(out)
}

pub(super) fn slide_raw(a: &RawArray, v: &RawArray, mode: Mode, sum: Sum) -> Result<RawArray> {
    let operation = sum.name();
    a.same_device(operation, v)?;
    let plan = Plan1::new(a.shape(), v.shape(), a.dtype, mode, sum)?;
    let v = if sum == Sum::Correlation { &reversed(v) } else { v };
    let (a, v) = if plan.swapped { (v, a) } else { (a, v) };
    planned_1d(operation, a, v, plan.origin, plan.length)
}

/// As [`slide_raw`], of the parts of complex numbers. Correlation is with the conjugates, as in NumPy.
fn slide_complex(a: &RawArray, v: &RawArray, mode: Mode, sum: Sum) -> Result<RawArray> {
    use BinaryOperation::{Add, Subtract};
    let calc = Composed(sum.name());
    let slid = |of_a: bool, of_v: bool| slide_raw(&a.part(of_a), &v.part(of_v), mode, sum);
    let (straight, crossed) = if sum == Sum::Correlation { (Add, Subtract) } else { (Subtract, Add) };
    let real = calc.pair(straight, &slid(false, false)?, &slid(true, true)?)?;
    let imag = calc.pair(crossed, &slid(true, false)?, &slid(false, true)?)?;
    let out = RawArray::uninitialised(calc.0, &a.handle, real.shape(), a.dtype)?;
    assign(calc.0, &out.part(false), &real)?;
    assign(calc.0, &out.part(true), &imag)?;
    Ok(out)
}

/// The part of a 1-D convolution from `origin` on.
pub(super) fn planned_1d(
    operation: &'static str,
    signal: &RawArray,
    kernel: &RawArray,
    origin: usize,
    length: usize,
) -> Result<RawArray> {
    let (signal, kernel) = (signal.contiguous(operation)?, kernel.contiguous(operation)?);
    let out = RawArray::uninitialised(operation, &signal.handle, &[length], signal.dtype)?;
    out.handle.backend.convolve(signal.view(), kernel.view(), origin, out.view())?;
    Ok(out)
}

/// The array with all axes reversed; a view. It has elements.
pub(super) fn reversed(raw: &RawArray) -> RawArray {
    let mut layout = raw.layout.clone();
    for (stride, &length) in layout.strides.iter_mut().zip(&layout.shape) {
        layout.offset = layout.offset.wrapping_add_signed(*stride * (length as isize - 1));
        *stride = -*stride;
    }
    raw.with_layout(layout)
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
    pub fn new(
        operation: &'static str,
        image: &[usize],
        kernel: &[usize],
        dtype: DType,
        mode: Mode,
        sum: Sum,
    ) -> Result<Plan2> {
        require_arithmetic(operation, dtype)?;
        let axes = |shape: &[usize]| match *shape {
            [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
            [_, _] => Err(format!("has no elements; {} arrays that have some", sum.name())),
            _ => Err(format!("is not 2-D; reshape the array to two axes, or use `{}` for 1-D arrays", sum.name())),
        };
        let axes = |shape: &[usize]| axes(shape).map_err(|reason| Error::shape(operation, shape, reason));
        let (mut image, mut kernel) = (axes(image)?, axes(kernel)?);
        let swapped = mode == Mode::Valid && one_covers(operation, &image, &kernel)?;
        if swapped {
            std::mem::swap(&mut image, &mut kernel);
        }
        let mut parts = [part(image[0], kernel[0], mode), part(image[1], kernel[1], mode)];
        if mode == Mode::Same && sum == Sum::Correlation {
            // SciPy's centre is the one of the kernel as it is, not turned.
            parts.iter_mut().zip(kernel).for_each(|(part, kernel)| part.origin = kernel / 2);
        }
        let [rows, columns] = parts;
        Ok(Plan2 { swapped, shape: [rows.length, columns.length], origin: (rows.origin, columns.origin) })
    }
}

/// Whether an array is at least as large as another one along all axes.
pub(super) fn covers(a: &[usize], b: &[usize]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b)
}

/// Whether in `Mode::Valid` the second array is the image: one must be as large as the other along all axes.
pub(super) fn one_covers(operation: &'static str, image: &[usize], kernel: &[usize]) -> Result<bool> {
    match (covers(image, kernel), covers(kernel, image)) {
        (true, _) => Ok(false),
        (false, true) => Ok(true),
        (false, false) => {
            let all = if image.len() == 2 { "both" } else { "all" };
            let reason = format!(
                "in Mode::Valid, one array must be at least as large as the other along {all} axes, but the shapes are \
                     {image:?} and {kernel:?}; use Mode::Full or Mode::Same, or a smaller kernel"
            );
            Err(Error::argument(operation, reason))
        }
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
    pub fn new(a: &[usize], v: &[usize], dtype: DType, mode: Mode, sum: Sum) -> Result<Plan1> {
        let operation = sum.name();
        require_arithmetic(operation, dtype)?;
        for shape in [a, v] {
            let reason = match *shape {
                [0] => format!("has no elements; {operation} arrays that have some"),
                [_] => continue,
                _ => format!("is not 1-D; flatten the array first with `ravel`, or use `{operation}2d` for 2-D arrays"),
            };
            return Err(Error::shape(operation, shape, reason));
        }
        let swapped = v[0] > a[0];
        let (long, short) = if swapped { (v[0], a[0]) } else { (a[0], v[0]) };
        let Part { length, mut origin } = part(long, short, mode);
        if swapped && mode == Mode::Same && sum == Sum::Correlation {
            // NumPy takes the middle of the exchanged arguments' correlation, and reverses it.
            origin = short / 2;
        }
        Ok(Plan1 { swapped, length, origin })
    }
}

impl Sum {
    /// The 1-D function's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Sum::Convolution => "convolve",
            Sum::Correlation => "correlate",
        }
    }
}

/// A part of the full convolution along one axis.
pub(super) struct Part {
    pub length: usize,
    pub origin: usize,
}

pub(super) fn part(image: usize, kernel: usize, mode: Mode) -> Part {
    match mode {
        Mode::Full => Part { length: image + kernel - 1, origin: 0 },
        Mode::Same => Part { length: image, origin: (kernel - 1) / 2 },
        Mode::Valid => Part { length: image + 1 - kernel, origin: kernel - 1 },
    }
}

pub(super) fn require_arithmetic(operation: &'static str, dtype: DType) -> Result<()> {
    let advice = match dtype {
        dtype if dtype.is_complex() => "convolve the parts, `a.real()` and `a.imag()`, and add them up",
        dtype if dtype == DType::Bool || dtype.is_storage() => "convert them first, such as with `a.astype::<f32>()`",
        _ => return Ok(()),
    };
    Err(Error::dtype(operation, dtype, advice))
}
