//! Convolution by Fourier transforms, and the choice between them and the sum itself.
//!
//! The product of two spectra is that of a convolution whose arguments repeat (a circular one); zeros behind them keep the
//! repetitions apart. A long signal with a short kernel, or a large image with a small one, is cut into pieces that overlap by the
//! kernel's length, whose results are put together ("overlap-save"): transforms of pieces stay in the cache, and the kernel has
//! one transform for all of them.

use crate::array::sides::HostView;
use crate::array::view::broadcast_to;
use crate::array::{RawArray, transfer};
use crate::backend::{BinaryOperation, Layout, Operand, Padding, cuda};
use crate::device::{self, Device};
use crate::dtype::{DType, Float, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::convolve::Plan2;
use crate::operations::convolve::{
    Convolve, Mode, SameSide, covers, one_covers, part, planned_1d, planned_2d, require_arithmetic,
};
use crate::operations::correlate::correlate2d_raw;
use crate::operations::fourier::complex;

/// How a convolution is computed; SciPy's `method`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The one that [`choose_conv_method`] estimates to be faster.
    #[default]
    Auto,
    /// The sum of products, of one or two axes.
    Direct,
    /// Fourier transforms, of floats and any number of axes.
    Fft,
}

fallible! {
    /// The convolution along all axes of two arrays on the same side by Fourier transforms; SciPy's
    /// `signal.fftconvolve`.
    ///
    /// Both have the same number of axes, at least one, and one element type, `f32` or `f64`; device arrays give a
    /// device array, host arrays a host array. [`Mode`] counts from the first argument: `Mode::Same` gives its shape.
    /// For a large kernel this is much faster than [`convolve2d`](fn@crate::convolve2d), which takes the sum itself.
    ///
    /// The rounding errors of an element are relative to the largest products of the whole sum: about `1e-16` (`f32`:
    /// `1e-7`) times the root of the sum of squares of `a` times that of `k`. NaN and infinity make more of the result NaN than
    /// the elements whose sums they are in: all of it, or, where a large array is cut into pieces, those pieces.
    ///
    /// **Panics** if the numbers of axes differ or are 0, if an argument is empty, or if in `Mode::Valid` neither is as
    /// large as the other along all axes ([`Error::InvalidShape`], [`Error::InvalidArgument`]), for arrays on two
    /// devices, and on CUDA devices without cuFFT ([`Error::LibraryMissing`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::Mode;
    /// let image = gpu::random::random((100, 120));
    /// let kernel = gpu::random::random((31, 31));
    /// let out = gpu::fftconvolve(&image, &kernel, Mode::Same);
    /// assert!(gpu::allclose(&out, &gpu::convolve2d(&image, &kernel, Mode::Same)));
    /// ```
    pub fn fftconvolve, try_fftconvolve<A, K>(a: &A, k: &K, mode: Mode) -> Result<A::Filtered>
    where
        A: Convolve<Elem: Float>,
        K: SameSide<A::Side, A::Elem>,
    {
        a.filter(k.any_view(), Filter(FilterKind::Convolve("fftconvolve", mode, Method::Fft)))
    }

    /// The convolution along all axes of two arrays on the same side, with zeros outside, by a [`Method`] of choice;
    /// SciPy's `signal.convolve`.
    ///
    /// Both have the same number of axes, at least one, and one element type other than bool. [`Mode`] counts from the
    /// first argument: `Mode::Same` gives its shape, also if it is the smaller one (unlike
    /// [`convolve`](fn@crate::convolve), which is NumPy's). `Method::Direct` takes one or two axes, `Method::Fft` floats;
    /// see [`fftconvolve`] for its accuracy.
    ///
    /// **Panics** as [`fftconvolve`] does, for arrays of bool, and for what the method does not take
    /// ([`Error::InvalidShape`], [`Error::UnsupportedDType`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::{Method, Mode};
    /// let signal = gpu::random::normal(0.0, 1.0, 10_000);
    /// let kernel = gpu::ones::<f64>(2000);
    /// let out = gpu::convolve_with(&signal, &kernel, Mode::Full, Method::Auto);
    /// assert!(gpu::allclose(&out, &gpu::convolve(&signal, &kernel, Mode::Full)));
    /// ```
    pub fn convolve_with, try_convolve_with<A, K>(a: &A, k: &K, mode: Mode, method: Method) -> Result<A::Filtered>
    where
        A: Convolve<Elem: Number>,
        K: SameSide<A::Side, A::Elem>,
    {
        a.filter(k.any_view(), Filter(FilterKind::Convolve("convolve_with", mode, method)))
    }
}

/// The method that `Method::Auto` takes for arrays like these; SciPy's `signal.choose_conv_method`.
///
/// Integers are always convolved directly, which is exact, and so is everything on a CUDA device without cuFFT. Of floats with
/// more than two axes the transforms are taken. Else the times of both are estimated from the numbers of products and of
/// points to transform, and the direct method is kept unless transforms take less than three quarters of its time. What the
/// elements are is not looked at: if there may be NaN or infinities, ask for `Method::Direct`.
///
/// **Panics** as [`convolve_with`] does.
///
/// ```
/// use warpcell as gpu;
/// use gpu::{Method, Mode};
/// let image = ndarray::Array2::<f64>::zeros((500, 500));
/// let small = ndarray::Array2::<f64>::zeros((3, 3));
/// assert_eq!(gpu::choose_conv_method(&image, &small, Mode::Same), Method::Direct);
/// assert_eq!(gpu::choose_conv_method(&image, &image, Mode::Same), Method::Fft);
/// ```
#[track_caller]
pub fn choose_conv_method<A: Convolve<Elem: Number>, K: SameSide<A::Side, A::Elem>>(
    a: &A,
    k: &K,
    mode: Mode,
) -> Method {
    check(choose_for(&a.any_view(), &k.any_view(), mode))
}

/// What is computed of two arrays, without their types.
#[derive(Clone, Copy)]
pub struct Filter(pub(super) FilterKind);

#[derive(Clone, Copy)]
pub(super) enum FilterKind {
    /// [`correlate2d`](fn@crate::correlate2d).
    Correlate2d(Mode, Padding),
    /// By the function of this name.
    Convolve(&'static str, Mode, Method),
}

impl Filter {
    pub(super) fn apply(self, a: &RawArray, k: &RawArray) -> Result<RawArray> {
        match self.0 {
            FilterKind::Correlate2d(mode, padding) => correlate2d_raw(a, k, mode, padding),
            FilterKind::Convolve(operation, mode, method) => convolve_all(operation, a, k, mode, method),
        }
    }

    /// The same of host arrays, by the CPU's backend.
    pub(super) fn apply_to_views(self, a: &HostView<'_>, k: &HostView<'_>) -> Result<RawArray> {
        let (operation, handle) = (self.operation(), device::host());
        self.apply(&transfer::upload(operation, a, &handle)?, &transfer::upload(operation, k, &handle)?)
    }

    fn operation(self) -> &'static str {
        match self.0 {
            FilterKind::Correlate2d(..) => "correlate2d",
            FilterKind::Convolve(operation, ..) => operation,
        }
    }
}

/// The part of the full convolution that is wanted.
struct Plan {
    shape: Vec<usize>,
    /// Where in the full result it starts.
    origin: Vec<usize>,
}

impl Plan {
    fn new(operation: &'static str, a: &[usize], k: &[usize], dtype: DType, mode: Mode) -> Result<Plan> {
        require_arithmetic(operation, dtype)?;
        for shape in [a, k] {
            let reason = match shape {
                [] => "has no axes; give arrays with at least one axis".to_owned(),
                shape if shape.contains(&0) => "has no elements; give arrays that have some".to_owned(),
                shape if shape.len() != a.len() => {
                    format!("has a different number of axes than {a:?}; insert axes of length 1 with `expand_dims`")
                }
                _ => continue,
            };
            return Err(Error::shape(operation, shape, reason));
        }
        let (a, k) = if mode == Mode::Valid && one_covers(operation, a, k)? { (k, a) } else { (a, k) };
        let parts = a.iter().zip(k).map(|(&a, &k)| part(a, k, mode));
        let (shape, origin) = parts.map(|part| (part.length, part.origin)).unzip();
        Ok(Plan { shape, origin })
    }
}

fn choose_for(
    a: &crate::array::sides::AnyView<'_>,
    k: &crate::array::sides::AnyView<'_>,
    mode: Mode,
) -> Result<Method> {
    use crate::array::sides::AnyView;
    const NAME: &str = "choose_conv_method";
    let of = |view: &AnyView<'_>| match view {
        AnyView::Host(view) => (view.shape.clone(), view.dtype, device::host()),
        AnyView::Device(raw) => (raw.shape().to_vec(), raw.dtype, raw.handle.clone()),
    };
    let ((a, dtype, handle), (k, ..)) = (of(a), of(k));
    let plan = Plan::new(NAME, &a, &k, dtype, mode)?;
    Ok(choose(&handle, &a, &k, dtype, &plan))
}

/// The faster method, as far as the sizes tell.
fn choose(handle: &device::Handle, a: &[usize], k: &[usize], dtype: DType, plan: &Plan) -> Method {
    if !dtype.is_float() || handle.backend.can_transform().is_err() {
        return Method::Direct;
    }
    if a.len() > 2 {
        Method::Fft
    } else {
        faster(handle.device, has_tensor_cores(handle.device, dtype), a, k, dtype, plan)
    }
}

/// Whether sums over two axes are computed by tensor cores.
fn has_tensor_cores(device: Device, dtype: DType) -> bool {
    let Device::Cuda(ordinal) = device else { return false };
    let target = cuda::driver::context::target_of(ordinal);
    target.is_ok_and(|target| cuda::convolves_on_tensor_cores(dtype, target.capability))
}

/// The same for floats along one or two axes.
fn faster(device: Device, on_tensor_cores: bool, a: &[usize], k: &[usize], dtype: DType, plan: &Plan) -> Method {
    let product = |shape: &[usize]| shape.iter().map(|&length| length as f64).product::<f64>();
    let products = product(&plan.shape) * product(a).min(product(k));
    let transforms = Transforms::new(device, dtype, a, k, plan);
    let points = transforms.points();
    let points = transforms.count() * points * points.log2();
    let cost = Cost::of(device, on_tensor_cores && a.len() == 2, dtype, a, k);
    let (direct, fft) = (products * cost.product, cost.call + points * cost.point);
    if fft < direct * 0.75 { Method::Fft } else { Method::Direct }
}

/// Estimated times in nanoseconds.
struct Cost {
    /// Of one product of the sum.
    product: f64,
    /// Of a point of a transform, divided by the logarithm (to base 2) of the number of points.
    point: f64,
    /// Of what does not depend on the sizes.
    call: f64,
}

impl Cost {
    /// Measured: the CPU's on two cores with AVX2, the CUDA device's on an H200 (BENCHMARKS.md, convolutions of images).
    fn of(device: Device, on_tensor_cores: bool, dtype: DType, a: &[usize], k: &[usize]) -> Cost {
        let is_single = dtype == DType::F32;
        match device {
            Device::Cpu if is_single => Cost { product: 0.024, point: 0.17, call: 5e3 },
            Device::Cpu => Cost { product: 0.048, point: 0.3, call: 5e3 },
            Device::Cuda(_) => {
                let is_large = a.len() == 2 && !cuda::has_sized_program(dtype, a[0].min(k[0]), a[1].min(k[1]));
                // Transforms of more points than this do not stay in the cache.
                const NEAR: usize = 1 << 23;
                let is_far = a.iter().zip(k).map(|(a, k)| a.saturating_add(*k)).fold(1, usize::saturating_mul) > NEAR;
                let (product, point) = match (is_single, is_large, is_far) {
                    (true, false, false) => (6.5e-5, 6.2e-4),
                    (true, false, true) => (6.5e-5, 1e-3),
                    (true, true, false) => (1.6e-4, 6.2e-4),
                    (true, true, true) => (1.6e-4, 1e-3),
                    (false, _, _) if on_tensor_cores => (7e-5, 1.7e-3),
                    (false, false, _) => (1.02e-4, 1.7e-3),
                    (false, true, _) => (2.8e-4, 1.7e-3),
                };
                Cost { product, point, call: 7e4 }
            }
        }
    }
}

fn convolve_all(operation: &'static str, a: &RawArray, k: &RawArray, mode: Mode, method: Method) -> Result<RawArray> {
    a.same_device(operation, k)?;
    let plan = Plan::new(operation, a.shape(), k.shape(), a.dtype, mode)?;
    let method = match method {
        Method::Auto => choose(&a.handle, a.shape(), k.shape(), a.dtype, &plan),
        other => other,
    };
    if method == Method::Fft {
        if !a.dtype.is_float() {
            let advice = "convert them first, such as with `a.astype::<f64>()`, or use Method::Direct";
            return Err(Error::dtype(operation, a.dtype, advice));
        }
        a.handle.backend.can_transform()?;
        return match Transforms::new(a.handle.device, a.dtype, a.shape(), k.shape(), &plan) {
            Transforms::Whole(lengths) => whole(operation, a, k, &plan, &lengths),
            Transforms::Pieces(cuts) => pieces(operation, a, k, &plan, &cuts),
        };
    }
    // The image is the larger one: the order of the arguments does not matter where zeros are outside.
    let (image, kernel) = if k.size() > a.size() { (k, a) } else { (a, k) };
    match (&plan.shape[..], &plan.origin[..]) {
        (&[length], &[origin]) => planned_1d(operation, image, kernel, origin, length),
        (&[rows, columns], &[down, across]) => {
            let plan = Plan2 { swapped: false, shape: [rows, columns], origin: (down, across) };
            planned_2d(operation, image, kernel, &plan, Padding::Fill(Scalar::zero(a.dtype)))
        }
        _ => {
            let reason = "has more than two axes, which Method::Direct does not support; use Method::Fft, with floats";
            Err(Error::shape(operation, a.shape(), reason))
        }
    }
}

/// Which transforms a convolution takes.
#[derive(Debug, PartialEq)]
enum Transforms {
    /// Both arrays at once, with these lengths.
    Whole(Vec<usize>),
    /// Pieces of the larger one, which is cut along each axis.
    Pieces(Vec<Cut>),
}

/// How an axis is cut: into `count` pieces, `length` long and `step` apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    length: usize,
    step: usize,
    count: usize,
}

impl Cut {
    /// Elements from the first of the first piece to the last of the last one.
    fn covered(self) -> usize {
        (self.count - 1) * self.step + self.length
    }

    /// The pieces whose results are of one width, as (the first, how many, width): all but the last, and the last, which has what
    /// is left of `wanted` elements.
    fn parts(self, wanted: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let last = self.count - 1;
        [(0, last, self.step), (last, 1, wanted - last * self.step)].into_iter().filter(|&(_, count, _)| count > 0)
    }
}

impl Transforms {
    fn new(device: Device, dtype: DType, a: &[usize], k: &[usize], plan: &Plan) -> Transforms {
        let last = a.len() - 1;
        // Transforms of real numbers are fastest along an axis of even length.
        let fast =
            |axis, least: usize| if axis == last { 2 * fast_length(least.div_ceil(2)) } else { fast_length(least) };
        let lengths = (0..a.len()).map(|axis| {
            // The repetitions of the full result may overlap where nothing of it is wanted.
            let (from, to) = (plan.origin[axis], plan.origin[axis] + plan.shape[axis]);
            fast(axis, (a[axis] + k[axis] - 1 - from).max(to).max(a[axis]).max(k[axis]))
        });
        let lengths = lengths.collect::<Vec<_>>();
        match (a, k, &plan.shape[..]) {
            (&[a], &[k], &[wanted]) => {
                let short = a.min(k);
                let length = piece(short, 8, 1 << 12);
                // An even distance keeps the pieces aligned for what reads two elements at once.
                let step = (length - (short - 1)) / 2 * 2;
                if wanted > 3 * step {
                    return Transforms::Pieces(vec![Cut { length, step, count: wanted.div_ceil(step) }]);
                }
            }
            (&[_, _], &[_, _], wanted) if covers(a, k) || covers(k, a) => {
                let size = lengths.iter().fold(dtype.size(), |size, &length| size.saturating_mul(length));
                let rule = Pieces::of(device, dtype);
                if size > rule.largest_whole {
                    let cut = |axis: usize| rule.cut(a[axis].min(k[axis]), wanted[axis], |least| fast(axis, least));
                    let pieces = Transforms::Pieces(vec![cut(0), cut(1)]);
                    let whole = Transforms::Whole(lengths);
                    let points = |of: &Transforms| of.points() * of.count();
                    return if points(&pieces) <= 1.25 * points(&whole) { pieces } else { whole };
                }
            }
            _ => {}
        }
        Transforms::Whole(lengths)
    }

    /// Points of one transform.
    fn points(&self) -> f64 {
        match self {
            Transforms::Whole(lengths) => lengths.iter().map(|&length| length as f64).product(),
            Transforms::Pieces(cuts) => cuts.iter().map(|cut| cut.length as f64).product(),
        }
    }

    /// How many there are: of both arrays and of the result, or of pieces there and back and of the kernel.
    fn count(&self) -> f64 {
        match self {
            Transforms::Whole(_) => 3.0,
            Transforms::Pieces(cuts) => 2.0 * cuts.iter().map(|cut| cut.count as f64).product::<f64>() + 1.0,
        }
    }
}

/// How large images are cut. Measured (BENCHMARKS.md, convolutions of other sizes): transforms that are larger than about half of the
/// H200's second-level cache go through memory; there powers of two are best, but not on a CPU, whose caches they miss.
struct Pieces {
    /// Bytes of the largest image that is not cut.
    largest_whole: usize,
    /// A piece is about so many times as long as the kernel, and no longer than `longest` elements.
    times: usize,
    longest: usize,
    powers_of_two: bool,
}

impl Pieces {
    fn of(device: Device, dtype: DType) -> Pieces {
        match device {
            Device::Cuda(_) => Pieces {
                largest_whole: 32 << 20,
                times: if dtype == DType::F32 { 16 } else { 8 },
                longest: 1 << 11,
                powers_of_two: true,
            },
            Device::Cpu => Pieces { largest_whole: 16 << 20, times: 8, longest: 1 << 10, powers_of_two: false },
        }
    }

    /// For an axis, a kernel of `short` elements, and a result of `wanted`.
    fn cut(&self, short: usize, wanted: usize, fast: impl Fn(usize) -> usize) -> Cut {
        let length = piece(short, self.times, 1 << 8).min(self.longest.max(piece(short, 4, 0)));
        let step = length - (short - 1);
        if self.powers_of_two && wanted > 4 * step {
            return Cut { length, step, count: wanted.div_ceil(step) };
        }
        // About as long, all of one length.
        let step = wanted.div_ceil(((wanted + step / 2) / step).max(1));
        Cut { length: fast(step + short - 1), step, count: wanted.div_ceil(step) }
    }
}

/// The length of a piece that is so many times as long as a kernel: a power of two.
fn piece(short: usize, times: usize, least: usize) -> usize {
    short.saturating_mul(times).checked_next_power_of_two().unwrap_or(usize::MAX).max(least)
}

/// The smallest number from `least` on whose prime factors are 2, 3, 5 and at most once 7: transforms of such lengths are fast.
fn fast_length(least: usize) -> usize {
    let is_fast = |mut length: usize| {
        for factor in [2, 3, 5] {
            while length.is_multiple_of(factor) {
                length /= factor;
            }
        }
        length == 1 || length == 7
    };
    (least.max(1)..).find(|&length| is_fast(length)).expect("a power of two")
}

/// By transforms of both arrays.
fn whole(operation: &'static str, a: &RawArray, k: &RawArray, plan: &Plan, lengths: &[usize]) -> Result<RawArray> {
    let padded = |array: &RawArray| padded(operation, array, &vec![0; lengths.len()], lengths);
    let x = padded(a)?;
    product(operation, &x, padded(k)?, &x)?;
    let out = RawArray::uninitialised(operation, &a.handle, &plan.shape, a.dtype)?;
    divided(&within(&x, &plan.origin, &plan.shape), lengths.iter().map(|&n| n as f64).product(), &out)?;
    Ok(out)
}

/// By transforms of pieces of the larger array, each of which overlaps the next.
fn pieces(operation: &'static str, a: &RawArray, k: &RawArray, plan: &Plan, cuts: &[Cut]) -> Result<RawArray> {
    let backend = &a.handle.backend;
    let (image, kernel) = if k.size() > a.size() { (k, a) } else { (a, k) };
    let axes = 0..cuts.len();
    let lengths = cuts.iter().map(|cut| cut.length).collect::<Vec<_>>();
    let counts = cuts.iter().map(|cut| cut.count).collect::<Vec<_>>();
    // The elements of a piece from here on have all their products in it.
    let border = kernel.shape().iter().map(|length| length - 1).collect::<Vec<_>>();
    // The first element of the result needs as many elements of the image before its own.
    let from = axes.clone().map(|axis| plan.origin[axis].saturating_sub(border[axis])).collect::<Vec<_>>();
    let start = axes.clone().map(|axis| border[axis].saturating_sub(plan.origin[axis])).collect::<Vec<_>>();
    let covered = cuts.iter().map(|cut| cut.covered()).collect::<Vec<_>>();
    let needed = axes.clone().map(|axis| (image.shape()[axis] - from[axis]).min(covered[axis] - start[axis]));
    let image = within(image, &from, &needed.collect::<Vec<_>>());
    let all = padded(operation, &image, &start, &covered)?;
    let steps = |array: &RawArray| {
        let strides = &array.layout.strides;
        cuts.iter()
            .zip(strides)
            .map(|(cut, stride)| cut.step as isize * stride)
            .chain(strides.clone())
            .collect::<Vec<_>>()
    };
    let both = |one: &[usize], other: &[usize]| [one, other].concat();
    let overlapping = all.with_layout(Layout { shape: both(&counts, &lengths), strides: steps(&all), offset: 0 });
    let kernel = padded(operation, kernel, &vec![0; cuts.len()], &lengths)?;
    let shape = both(&[counts.iter().product()], &lengths);
    let results = RawArray::uninitialised(operation, &a.handle, &shape, a.dtype)?;
    let grid = results.with_layout(Layout::contiguous(&both(&counts, &lengths)));
    if cuts.len() == 1 {
        product(operation, &overlapping, kernel, &results)?;
    } else {
        // Transforms of several arrays need one distance between them.
        backend.copy(overlapping.view(), grid.view())?;
        drop((all, overlapping));
        product(operation, &results, kernel, &results)?;
    }
    let out = RawArray::uninitialised(operation, &a.handle, &plan.shape, a.dtype)?;
    let parts = cuts.iter().zip(&plan.shape).map(|(cut, &wanted)| cut.parts(wanted).collect::<Vec<_>>());
    for part in combinations(parts) {
        let of = |each: fn(&(usize, usize, usize)) -> usize| part.iter().map(each).collect::<Vec<_>>();
        let shape = both(&of(|part| part.1), &of(|part| part.2));
        let source = within(&grid, &both(&of(|part| part.0), &border), &shape);
        let target = Layout { shape: both(&plan.shape, &plan.shape), strides: steps(&out), offset: 0 };
        let target = within(&out.with_layout(target), &both(&of(|part| part.0), &vec![0; cuts.len()]), &shape);
        divided(&source, lengths.iter().map(|&length| length as f64).product(), &target)?;
    }
    Ok(out)
}

/// One of each list, in all ways.
fn combinations<T: Copy>(lists: impl Iterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    lists.fold(vec![Vec::new()], |all, list| {
        let with = |one: &Vec<T>| list.iter().map(|&item| [one.as_slice(), &[item]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(with).collect()
    })
}

/// The circular convolution of `x` with `kernel` by the product of their spectra, times the number of elements of `kernel`. `x` may
/// have one more axis in front, which counts arrays. `out`, of the shape of `x`, may be `x`.
fn product(operation: &'static str, x: &RawArray, kernel: RawArray, out: &RawArray) -> Result<()> {
    let backend = &x.handle.backend;
    let rank = kernel.shape().len();
    let spectrum = |x: &RawArray| {
        let mut shape = x.shape().to_vec();
        let axes = (shape.len() - rank..shape.len()).collect::<Vec<_>>();
        let last = shape.last_mut().expect("an axis");
        *last = *last / 2 + 1;
        let spectrum = RawArray::uninitialised(operation, &x.handle, &shape, complex(x.dtype))?;
        backend.transform(&axes, false, 1.0, false, x.view(), spectrum.view()).map(|()| (spectrum, axes))
    };
    let ((spectra, axes), (other, _)) = (spectrum(x)?, spectrum(&kernel)?);
    // What follows can take its memory.
    drop(kernel);
    let other =
        if other.shape() == spectra.shape() { other } else { broadcast_to(operation, &other, spectra.shape())? };
    let (left, right) = (Operand::Array(spectra.view()), Operand::Array(other.view()));
    backend.binary(BinaryOperation::Multiply, left, right, spectra.view())?;
    backend.transform(&axes, true, 1.0, true, spectra.view(), out.view())
}

/// Writes what is `points` times too large.
fn divided(x: &RawArray, points: f64, out: &RawArray) -> Result<()> {
    let scale = Operand::Scalar(Scalar::of_float(1.0 / points, x.dtype));
    x.handle.backend.binary(BinaryOperation::Multiply, Operand::Array(x.view()), scale, out.view())
}

/// The part of an array from `start` on, of this shape.
fn within(array: &RawArray, start: &[usize], shape: &[usize]) -> RawArray {
    let Layout { strides, mut offset, .. } = array.layout.clone();
    for (&start, &stride) in start.iter().zip(&strides) {
        offset = offset.wrapping_add_signed(start as isize * stride);
    }
    array.with_layout(Layout { shape: shape.to_vec(), strides, offset })
}

/// A new contiguous array of `shape` with the elements of another one at `start`, and zeros around them.
fn padded(operation: &'static str, array: &RawArray, start: &[usize], shape: &[usize]) -> Result<RawArray> {
    let backend = &array.handle.backend;
    let out = RawArray::uninitialised(operation, &array.handle, shape, array.dtype)?;
    if out.size() > array.size() {
        backend.fill(Scalar::of_float(0.0, array.dtype), out.view())?;
    }
    backend.copy(array.view(), within(&out, start, array.shape()).view())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceArray;
    use crate::array::sides::sealed::Device as _;

    fn plan(a: &[usize], k: &[usize], mode: Mode) -> Plan {
        Plan::new("fftconvolve", a, k, DType::F64, mode).unwrap()
    }

    #[test]
    fn lengths_are_fast_and_no_longer_than_needed() {
        assert_eq!([1, 2, 11, 13, 97, 121, 1021].map(fast_length), [1, 2, 12, 14, 100, 125, 1024]);
        let of = |a: &[usize], k: &[usize], mode| Transforms::new(Device::Cpu, DType::F64, a, k, &plan(a, k, mode));
        assert_eq!(of(&[100, 100], &[30, 28], Mode::Full), Transforms::Whole(vec![135, 128]));
        assert_eq!(of(&[100, 100], &[30, 28], Mode::Valid), Transforms::Whole(vec![100, 100]));
        assert_eq!(of(&[100, 100], &[30, 28], Mode::Same), Transforms::Whole(vec![120, 120]));
        assert_eq!(of(&[7], &[7], Mode::Full), Transforms::Whole(vec![14]));
        let cut = |length, step, count| Cut { length, step, count };
        assert_eq!(of(&[1_000_000], &[1001], Mode::Full), Transforms::Pieces(vec![cut(8192, 7192, 140)]));
        assert_eq!(of(&[1400, 1400], &[15, 15], Mode::Full), Transforms::Whole(vec![1440, 1440]));
        let images = Transforms::Pieces(vec![cut(256, 242, 17), cut(252, 238, 9)]);
        assert_eq!(of(&[4100, 2128], &[15, 15], Mode::Full), images);
        // The kernel may be the first one, but neither may be longer than the other along one axis only.
        assert_eq!(of(&[15, 15], &[4100, 2128], Mode::Full), images);
        assert!(matches!(of(&[4100, 15], &[15, 2128], Mode::Full), Transforms::Whole(_)));
        let of = |dtype, side: usize, width: usize| {
            let (a, k) = ([side; 2], [width; 2]);
            match Transforms::new(Device::Cuda(0), dtype, &a, &k, &plan(&a, &k, Mode::Full)) {
                Transforms::Pieces(cuts) => (cuts[0].length, cuts[0].count),
                Transforms::Whole(lengths) => (lengths[0], 1),
            }
        };
        assert_eq!(
            [15, 63, 200, 1000].map(|width| of(DType::F32, 4096, width)),
            [(256, 17), (1024, 5), (2400, 2), (5103, 1)]
        );
        assert_eq!([15, 63].map(|width| of(DType::F64, 2048, width)), [(256, 9), (512, 5)]);
        assert_eq!(of(DType::F32, 2048, 63), (2160, 1));
    }

    /// Random images, kernels, parts and cuts, by pieces and as one.
    #[test]
    fn pieces_are_put_together() {
        let seed = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
        println!("seed {seed}");
        let mut state = seed;
        let mut below = |most: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % most
        };
        for case in 0..200 {
            let rank = 1 + case % 2;
            let mut shape = |least: usize, most: usize| (0..rank).map(|_| least + below(most)).collect::<Vec<_>>();
            let (image, kernel) = (shape(9, 50), shape(1, 9));
            let (image, kernel) = if case % 3 == 0 { (kernel, image) } else { (image, kernel) };
            let mode = [Mode::Full, Mode::Same, Mode::Valid][below(3)];
            let random = |shape: &[usize]| crate::random::normal(0.0, 1.0, shape);
            let (a, k) = (random(&image), random(&kernel));
            let plan = plan(&image, &kernel, mode);
            let cut = |axis: usize, below: &mut dyn FnMut(usize) -> usize| {
                let step = 1 + below(plan.shape[axis]);
                let length = fast_length(step + image[axis].min(kernel[axis]) - 1);
                Cut { length, step, count: plan.shape[axis].div_ceil(step) }
            };
            let cuts = (0..rank).map(|axis| cut(axis, &mut below)).collect::<Vec<_>>();
            let lengths = (0..rank).map(|axis| image[axis] + kernel[axis] - 1).collect::<Vec<_>>();
            let found = pieces("test", a.raw(), k.raw(), &plan, &cuts).unwrap();
            let expected = whole("test", a.raw(), k.raw(), &plan, &lengths).unwrap();
            let (found, expected) = (DeviceArray::<f64>::from_raw(found), DeviceArray::<f64>::from_raw(expected));
            assert!(crate::allclose(&found, &expected), "{image:?} * {kernel:?}, {mode:?}, {cuts:?}");
        }
    }

    #[test]
    fn integers_and_small_kernels_are_summed() {
        let handle = device::host();
        let of = |a: &[usize], k: &[usize], dtype| choose(&handle, a, k, dtype, &plan(a, k, Mode::Same));
        assert_eq!(of(&[2048, 2048], &[15, 15], DType::F32), Method::Direct);
        assert_eq!(of(&[2048, 2048], &[200, 200], DType::F32), Method::Fft);
        assert_eq!(of(&[2048, 2048], &[200, 200], DType::I64), Method::Direct);
        assert_eq!(of(&[4_000_000], &[15], DType::F64), Method::Direct);
        assert_eq!(of(&[4_000_000], &[10_000], DType::F64), Method::Fft);
        assert_eq!(of(&[4, 4, 4], &[2, 2, 2], DType::F64), Method::Fft);
    }

    /// Microseconds on an H200, directly and by transforms.
    #[test]
    fn the_faster_method_of_a_gpu_is_chosen() {
        let measured = [
            (DType::F32, 256, 3, 8.3, 56.3),
            (DType::F32, 256, 31, 39.9, 73.9),
            (DType::F32, 1024, 5, 16.5, 96.0),
            (DType::F32, 2048, 3, 20.1, 260.4),
            (DType::F32, 2048, 5, 24.0, 259.5),
            (DType::F32, 2048, 15, 59.6, 261.9),
            (DType::F32, 2048, 31, 193.7, 261.1),
            (DType::F32, 2048, 63, 2752.2, 266.4),
            (DType::F32, 8192, 3, 189.7, 2714.4),
            (DType::F32, 8192, 15, 656.5, 2827.5),
            (DType::F32, 4096, 63, 10_593.2, 905.9),
            (DType::F64, 2048, 5, 39.6, 350.0),
            (DType::F64, 2048, 15, 95.5, 351.9),
            (DType::F64, 2048, 31, 1179.2, 400.4),
            (DType::F64, 2048, 63, 4851.7, 419.1),
        ];
        // The same, where tensor cores compute the sums.
        let on_tensor_cores = [
            (DType::F64, 2048, 5, 39.6, 350.0),
            (DType::F64, 2048, 15, 71.5, 351.9),
            (DType::F64, 2048, 31, 205.3, 400.4),
            (DType::F64, 2048, 63, 790.0, 419.1),
        ];
        let all = measured.map(|row| (false, row)).into_iter().chain(on_tensor_cores.map(|row| (true, row)));
        for (on_tensor_cores, (dtype, side, width, direct, transforms)) in all {
            let (a, k) = ([side; 2], [width; 2]);
            let expected = if transforms < 0.75 * direct { Method::Fft } else { Method::Direct };
            let plan = plan(&a, &k, Mode::Full);
            let found = faster(Device::Cuda(0), on_tensor_cores, &a, &k, dtype, &plan);
            assert_eq!(found, expected, "{dtype}: {side}² by {width}², tensor cores: {on_tensor_cores}");
        }
    }
}
