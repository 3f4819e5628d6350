//! The cores of the filters: windows that move over an array.

// Long because: each form of a window, along an axis, as a box or with elements of its own, has its core here, and all share how
// types, edges and origins are treated.

use super::arguments::{begins, brought, chosen_axes, each, lengths, mode_of, modes_of, one_mode, reversed_origin};
use super::kernels::{
    Around, Given, KEPT, MOST_AXES, has_many_threads, mode_for, named, place_of, ranked as of_rank, run, run_in,
};
use crate::array::axes::axis_of;
use crate::array::sides::AnyView;
use crate::array::transfer::download_vec;
use crate::array::{RawArray, slice_axis};
use crate::backend::loops::{Loops, Windows};
use crate::backend::{BinaryOperation, UnaryOperation, best_or_general};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{binary, binary_into, unary};

/// How the array continues: modes for each axis, and the value of `constant`.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    pub modes: &'a [String],
    pub outside: f64,
}

/// The elements as f32 or f64, contiguous.
pub(super) fn floats(operation: &'static str, x: &RawArray) -> Result<RawArray> {
    match x.dtype {
        DType::F32 | DType::F64 => x.contiguous(operation),
        DType::F16 | DType::BF16 => x.converted(operation, DType::F32),
        _ => x.converted(operation, DType::F64),
    }
}

/// Floats as elements of another type: integers without their fraction, and wrapped. Bools are what is not 0 without its fraction.
pub(super) fn back(operation: &'static str, x: RawArray, dtype: DType) -> Result<RawArray> {
    if x.dtype == dtype {
        return Ok(x);
    }
    if dtype == DType::Bool || (dtype.is_integer() && dtype != DType::U64) {
        return x.converted(operation, DType::I64)?.converted(operation, dtype);
    }
    x.converted(operation, dtype)
}

/// The elements in reverse along all axes, contiguous.
pub(super) fn reversed(operation: &'static str, x: &RawArray) -> Result<RawArray> {
    let turn = |x: RawArray, axis: usize| {
        let length = x.shape()[axis];
        slice_axis(&x, axis, length.saturating_sub(1), -1, length)
    };
    (0..x.shape().len()).fold(x.clone(), turn).contiguous(operation)
}

/// What a kernel along one axis needs to know: how far neighbours are apart, and how many there are.
pub(super) fn along(x: &RawArray, axis: usize) -> (usize, usize) {
    (x.shape()[axis + 1..].iter().product(), x.shape()[axis])
}

/// Weights along an axis, and what is known of them: that they are symmetric (1), the negative ones on the other side (2), neither (0),
/// or nothing (-1).
struct Weights {
    values: RawArray,
    form: i32,
}

/// Windows of so many elements have kernels of their own on a GPU.
const FEW: usize = 64;

/// The length of a window, for which a kernel is compiled if it is small.
fn length_of(size: usize) -> Given<'static> {
    if size <= FEW { Given::fixed(size) } else { Given::Length(size) }
}

/// Correlates along an axis, with `left` elements of the window before each element, and divides the sums.
fn correlated(
    operation: &'static str,
    x: &RawArray,
    Weights { values: weights, form }: &Weights,
    divisor: f64,
    axis: usize,
    left: i64,
    (mode, outside): (i32, f64),
) -> Result<RawArray> {
    let floats = floats(operation, x)?;
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), floats.dtype)?;
    let (inner, length) = along(&floats, axis);
    let loops = Loops::CorrelateLine {
        x: floats.view(),
        weights: weights.view(),
        divisor,
        around: floats.layout.around(axis),
        left,
        mode,
        outside,
        out: out.view(),
    };
    if x.handle.backend.by_loops(loops)? {
        return back(operation, out, x.dtype);
    }
    let given = [
        Given::Read(&floats),
        Given::Read(weights),
        length_of(weights.size()),
        Given::fixed_word(*form),
        Given::fixed_flag(divisor != 1.0),
        Given::Number(divisor),
        Given::Length(inner),
        Given::Length(length),
        Given::fixed_word(place_of(floats.layout.around(axis))),
        Given::is_small(out.size()),
        Given::Signed(left),
        Given::fixed_word(mode_for(mode, [(weights.size(), length)].into_iter())),
        Given::Number(outside),
        Given::Write(&out),
    ];
    run(operation, named::correlate1d(floats.dtype), out.size(), &given)?;
    back(operation, out, x.dtype)
}

/// Weights that the host knows.
fn uploaded(operation: &'static str, x: &RawArray, weights: &[f64]) -> Result<Weights> {
    let values = RawArray::of_floats(operation, &x.handle, &[weights.len()], weights.iter().copied(), DType::F64)?;
    let pairs = || weights.iter().zip(weights.iter().rev()).take(weights.len() / 2);
    let is_even = pairs().all(|(a, b)| (b - a).abs() <= f64::EPSILON);
    let is_odd = pairs().all(|(a, b)| (b + a).abs() <= f64::EPSILON);
    let form = match (weights.len() % 2, is_even, is_odd) {
        (0, ..) => 0,
        (_, true, _) => 1,
        (_, _, true) => 2,
        _ => 0,
    };
    Ok(Weights { values, form })
}

/// `correlate1d`, and `convolve1d` with `is_reversed`.
pub(super) fn line(
    operation: &'static str,
    x: &RawArray,
    weights: &AnyView<'_>,
    is_reversed: bool,
    axis: isize,
    edges: Edges<'_>,
    origin: isize,
) -> Result<RawArray> {
    let axis = axis_of(operation, x.shape(), axis)?;
    let mut weights = brought(operation, weights, &x.handle, DType::F64)?;
    if weights.shape().len() != 1 || weights.size() == 0 {
        return Err(Error::shape(
            operation,
            weights.shape(),
            "is not the shape of weights; give a vector of at least one",
        ));
    }
    let mut origin = origin;
    if is_reversed {
        weights = reversed(operation, &weights)?;
        origin = reversed_origin(weights.size(), origin);
    }
    let left = begins(operation, weights.size(), origin)?;
    let mode = mode_of(operation, one_mode(operation, edges.modes)?)?;
    let weights = Weights { values: weights, form: -1 };
    correlated(operation, x, &weights, 1.0, axis, left, (mode, edges.outside))
}

/// What a kernel over windows needs to know: the lengths of four axes, those of the window, and where it begins.
fn around(operation: &'static str, shape: &[usize], window: &[usize], origins: &[isize]) -> Result<Vec<i64>> {
    let rank = shape.len();
    if rank > MOST_AXES {
        let reason = format!("has {rank} axes, but windows can have at most {MOST_AXES}; join axes with `reshape`");
        return Err(Error::shape(operation, shape, reason));
    }
    if window.len() != rank {
        let reason = format!("has {rank} axes, but the window has the shape {window:?}; give one with as many axes");
        return Err(Error::shape(operation, shape, reason));
    }
    if window.contains(&0) {
        return Err(Error::shape(operation, window, "is the shape of an empty window; give one that has elements"));
    }
    let origins = each(operation, "origin", origins, rank)?;
    let mut meta = vec![1i64; 8];
    meta.extend([0; 4]);
    for axis in 0..rank {
        let place = MOST_AXES - rank + axis;
        meta[place] = shape[axis] as i64;
        meta[4 + place] = window[axis] as i64;
        meta[8 + place] = begins(operation, window[axis], origins[axis])?;
    }
    Ok(meta)
}

/// The windows that [`around`] describes, for loops.
pub(super) fn windows_of(meta: &[i64], mode: i32) -> Windows {
    let lengths = |first: usize| std::array::from_fn(|axis| meta[first + axis] as usize);
    Windows { shape: lengths(0), window: lengths(4), before: std::array::from_fn(|axis| meta[8 + axis]), mode }
}

/// What the kernels over windows that [`around`] describes are given after the array, up to the mode.
pub(super) fn given_windows(meta: &[i64], axes: usize, size: usize, mode: i32) -> [Given<'static>; 6] {
    let &[n0, n1, n2, n3, w0, w1, w2, w3, b0, b1, b2, b3] = meta else { unreachable!("three numbers for each axis") };
    let pair = |a: i64, b: i64| {
        if w0 * w1 * w2 * w3 <= FEW as i64 {
            Given::Fixed(Scalar::I64(a << 32 | b))
        } else {
            Given::Signed(a << 32 | b)
        }
    };
    [
        Given::Around(Around { n0, n1, n2, n3, b0, b1, b2, b3 }),
        pair(w0, w1),
        pair(w2, w3),
        Given::fixed_word(axes as i32),
        Given::is_small(size),
        Given::fixed_word(mode_for(mode, (0..4).map(|axis| (meta[4 + axis] as usize, meta[axis] as usize)))),
    ]
}

/// A value as an element.
fn element(value: f64, dtype: DType) -> Given<'static> {
    Given::Element(Scalar::of_float(value, dtype))
}

/// Runs a kernel over the windows of floats, in at most as many threads; 0 for any number.
fn windowed(
    operation: &'static str,
    kernel: super::kernels::Named,
    x: &RawArray,
    window: (&[usize], &[isize]),
    edges: Edges<'_>,
    extra: &[Given<'_>],
    threads: usize,
) -> Result<RawArray> {
    let meta = around(operation, x.shape(), window.0, window.1)?;
    let mode = mode_of(operation, one_mode(operation, edges.modes)?)?;
    let floats = floats(operation, x)?;
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), floats.dtype)?;
    let mut given = vec![Given::Read(&floats)];
    given.extend(given_windows(&meta, x.shape().len(), x.size(), mode));
    given.push(element(edges.outside, floats.dtype));
    given.extend_from_slice(extra);
    given.push(Given::Write(&out));
    run_in(operation, kernel(floats.dtype), out.size(), threads, &given)?;
    back(operation, out, x.dtype)
}

/// `correlate`, and `convolve` with `is_reversed`.
pub(super) fn correlate(
    operation: &'static str,
    x: &RawArray,
    weights: &AnyView<'_>,
    is_reversed: bool,
    edges: Edges<'_>,
    origins: &[isize],
) -> Result<RawArray> {
    let mut weights = brought(operation, weights, &x.handle, DType::F64)?;
    let mut origins = each(operation, "origin", origins, x.shape().len())?;
    if is_reversed {
        for (origin, &length) in origins.iter_mut().zip(weights.shape()) {
            *origin = reversed_origin(length, *origin);
        }
        weights = reversed(operation, &weights)?;
    }
    if x.handle.device == Device::Cpu {
        let meta = around(operation, x.shape(), weights.shape(), &origins)?;
        let windows = windows_of(&meta, mode_of(operation, one_mode(operation, edges.modes)?)?);
        let floats = floats(operation, x)?;
        let out = RawArray::uninitialised(operation, &x.handle, x.shape(), floats.dtype)?;
        let (from, by, to, outside) = (floats.view(), weights.view(), out.view(), edges.outside);
        if x.handle.backend.by_loops(Loops::Correlate { x: from, weights: by, windows, outside, out: to })? {
            return back(operation, out, x.dtype);
        }
    }
    windowed(operation, named::correlate, x, (weights.shape(), &origins), edges, &[Given::Read(&weights)], 0)
}

/// The sum of numbers in NumPy's order, by pairs, so that weights are SciPy's to the last bit: where integers are cut off, that
/// shows.
fn total_of(values: &[f64]) -> f64 {
    if values.len() < 8 {
        return values.iter().fold(0.0, |sum, value| sum + value);
    }
    if values.len() > 128 {
        let half = values.len() / 2 / 8 * 8;
        return total_of(&values[..half]) + total_of(&values[half..]);
    }
    let (groups, rest) = values.as_chunks::<8>();
    let mut sums = groups[0];
    for group in &groups[1..] {
        for (sum, value) in sums.iter_mut().zip(group) {
            *sum += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, value| sum + value)
}

/// The weights of a Gaussian, or of one of its derivatives: a polynomial times it, as SciPy's `_gaussian_kernel1d` computes it.
fn gaussian_weights(sigma: f64, order: usize, radius: usize) -> Vec<f64> {
    let variance = sigma * sigma;
    let places: Vec<f64> = (0..=2 * radius).map(|k| k as f64 - radius as f64).collect();
    let bells: Vec<f64> = places.iter().map(|x| (-0.5 / variance * (x * x)).exp()).collect();
    let total = total_of(&bells);
    let mut polynomial = vec![0.0; order + 1];
    polynomial[0] = 1.0;
    for _ in 0..order {
        // The derivative of `p(x)·e^(−x²/2σ²)` is `(p′(x) − x·p(x)/σ²)·e^(…)`.
        polynomial = (0..=order)
            .map(|k| {
                let derived = polynomial.get(k + 1).map_or(0.0, |c| c * (k + 1) as f64);
                let raised = if k > 0 { polynomial[k - 1] / -variance } else { 0.0 };
                derived + raised
            })
            .collect();
    }
    let at = |x: f64| polynomial.iter().rev().fold(0.0, |sum, c| sum * x + c);
    // The filter correlates, so the weights are those of the convolution in reverse.
    places.iter().zip(&bells).map(|(&x, bell)| at(x) * (bell / total)).rev().collect()
}

/// What a Gaussian filter is asked for.
#[derive(Clone)]
pub(super) struct Gaussian {
    pub sigmas: Vec<f64>,
    pub orders: Vec<isize>,
    pub truncate: f64,
    pub radius: Option<Vec<isize>>,
    pub axes: Option<Vec<isize>>,
}

pub(super) fn gaussian(operation: &'static str, x: &RawArray, of: &Gaussian, edges: Edges<'_>) -> Result<RawArray> {
    let axes = chosen_axes(operation, x.shape(), of.axes.clone())?;
    let rank = axes.len();
    let sigmas = each(operation, "sigma", &of.sigmas, rank)?;
    let orders = each(operation, "order", &of.orders, rank)?;
    let modes = modes_of(operation, edges.modes, rank)?;
    let radii = of.radius.as_ref().map(|radius| each(operation, "radius", radius, rank)).transpose()?;
    let mut passes = Vec::new();
    for k in 0..rank {
        let sigma = sigmas[k];
        if !(sigma.is_finite() && sigma >= 0.0) {
            return Err(Error::argument(operation, format!("`sigma` is {sigma}; it must be 0 or a positive number")));
        }
        let order = usize::try_from(orders[k])
            .map_err(|_| Error::argument(operation, format!("`order` is {}; it must be at least 0", orders[k])))?;
        let radius = match &radii {
            Some(radii) => radii[k] as f64,
            None => (of.truncate * sigma + 0.5).trunc(),
        };
        if !(0.0..=1e8).contains(&radius) {
            let reason =
                format!("the radius of the filter is {radius}; choose `truncate` and `sigma` so that it is at least 0");
            return Err(Error::argument(operation, reason));
        }
        // With a sigma of 0 an axis is left as it is.
        if sigma > 1e-15 {
            passes.push((axes[k], gaussian_weights(sigma, order, radius as usize), modes[k]));
        }
    }
    separable(operation, x, &passes, edges.outside)
}

/// Correlates along several axes, one after the other. The weights are as many on both sides of an element.
fn separable(
    operation: &'static str,
    x: &RawArray,
    passes: &[(usize, Vec<f64>, i32)],
    outside: f64,
) -> Result<RawArray> {
    let mut found: Option<RawArray> = None;
    for (axis, weights, mode) in passes {
        let left = (weights.len() / 2) as i64;
        let weights = uploaded(operation, x, weights)?;
        found = Some(correlated(operation, found.as_ref().unwrap_or(x), &weights, 1.0, *axis, left, (*mode, outside))?);
    }
    found.map_or_else(|| x.copied(operation), Ok)
}

/// `sobel` and `prewitt`: differences along an axis, smoothed along the others.
pub(super) fn edge(
    operation: &'static str,
    x: &RawArray,
    smooth: [f64; 3],
    axis: isize,
    edges: Edges<'_>,
) -> Result<RawArray> {
    let axis = axis_of(operation, x.shape(), axis)?;
    let modes = modes_of(operation, edges.modes, x.shape().len())?;
    let mut passes = vec![(axis, vec![-1.0, 0.0, 1.0], modes[axis])];
    let others = (0..x.shape().len()).filter(|&other| other != axis);
    passes.extend(others.map(|other| (other, smooth.to_vec(), modes[other])));
    separable(operation, x, &passes, edges.outside)
}

/// The sum of what is found for each axis.
fn summed(
    operation: &'static str,
    x: &RawArray,
    axes: &[usize],
    mut of: impl FnMut(usize) -> Result<RawArray>,
) -> Result<RawArray> {
    let mut total: Option<RawArray> = None;
    for k in 0..axes.len() {
        let found = of(k)?;
        match &total {
            Some(total) => binary_into(operation, BinaryOperation::Add, total, &found)?,
            None => total = Some(found),
        }
    }
    total.map_or_else(|| x.copied(operation), Ok)
}

pub(super) fn laplace(
    operation: &'static str,
    x: &RawArray,
    edges: Edges<'_>,
    axes: Option<Vec<isize>>,
) -> Result<RawArray> {
    let axes = chosen_axes(operation, x.shape(), axes)?;
    let modes = modes_of(operation, edges.modes, axes.len())?;
    let weights = uploaded(operation, x, &[1.0, -2.0, 1.0])?;
    summed(operation, x, &axes, |k| correlated(operation, x, &weights, 1.0, axes[k], 1, (modes[k], edges.outside)))
}

/// A Gaussian filter along all axes, with a derivative of this order along one of them.
fn derived(of: &Gaussian, sigmas: &[f64], axis: usize, order: isize) -> Gaussian {
    let mut orders = vec![0; sigmas.len()];
    orders[axis] = order;
    Gaussian { sigmas: sigmas.to_vec(), orders, axes: None, ..of.clone() }
}

/// Something for each of some axes, added up. As in SciPy, the mode of an axis is that of all axes for its derivative.
fn of_derivatives(
    operation: &'static str,
    x: &RawArray,
    axes: &[usize],
    edges: Edges<'_>,
    of: impl Fn(usize, Edges<'_>) -> Result<RawArray>,
) -> Result<RawArray> {
    let modes = each(operation, "mode", edges.modes, axes.len())?;
    summed(operation, x, axes, |k| of(axes[k], Edges { modes: &modes[k..k + 1], ..edges }))
}

pub(super) fn gaussian_laplace(
    operation: &'static str,
    x: &RawArray,
    of: &Gaussian,
    edges: Edges<'_>,
) -> Result<RawArray> {
    let axes = chosen_axes(operation, x.shape(), of.axes.clone())?;
    // The other axes are left as they are.
    let mut sigmas = vec![0.0; x.shape().len()];
    for (&axis, sigma) in axes.iter().zip(each(operation, "sigma", &of.sigmas, axes.len())?) {
        sigmas[axis] = sigma;
    }
    let second = |axis, edges: Edges<'_>| gaussian(operation, x, &derived(of, &sigmas, axis, 2), edges);
    of_derivatives(operation, x, &axes, edges, second)
}

pub(super) fn gaussian_gradient(
    operation: &'static str,
    x: &RawArray,
    of: &Gaussian,
    edges: Edges<'_>,
) -> Result<RawArray> {
    let axes = chosen_axes(operation, x.shape(), of.axes.clone())?;
    // Along the other axes it is smoothed too, as in SciPy.
    let sigmas = each(operation, "sigma", &of.sigmas, x.shape().len())?;
    let squared = |axis, edges: Edges<'_>| {
        let found = gaussian(operation, x, &derived(of, &sigmas, axis, 1), edges)?;
        binary(operation, BinaryOperation::Multiply, &found, &found)
    };
    let squares = of_derivatives(operation, x, &axes, edges, squared)?;
    if axes.is_empty() {
        return Ok(squares);
    }
    back(operation, unary(operation, UnaryOperation::Sqrt, &floats(operation, &squares)?)?, x.dtype)
}

/// Windows of so many elements take loops over vectors less time than what takes each element once.
const FEW_IN_LOOPS: usize = 64;

/// Of windows of so many elements each thread looks at all.
const FEW_OF_EXTREME: usize = 16;

/// The most elements of windows of which a thread keeps all in registers.
const MOST_IN_REGISTERS: usize = 49;

/// How many elements a thread adds up before it begins anew.
const RUN: usize = 64;

/// The mean of the elements around each one along an axis.
fn uniform_along(
    operation: &'static str,
    x: &RawArray,
    size: usize,
    axis: usize,
    left: i64,
    (mode, outside): (i32, f64),
) -> Result<RawArray> {
    // Few elements are added up for each: then rounding does not depend on what lies before them.
    if size <= FEW_IN_LOOPS {
        let weights = uploaded(operation, x, &vec![1.0; size])?;
        return correlated(operation, x, &weights, size as f64, axis, left, (mode, outside));
    }
    let floats = floats(operation, x)?;
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), floats.dtype)?;
    let (inner, length) = along(&floats, axis);
    if out.size() > 0 {
        let given = [
            Given::Read(&floats),
            Given::Length(size),
            Given::Length(inner),
            Given::Length(length),
            Given::Signed(left),
            Given::fixed_word(mode),
            Given::Number(outside),
            Given::Length(RUN),
            Given::Write(&out),
        ];
        run(operation, named::uniform1d(floats.dtype), out.size() / length * length.div_ceil(RUN), &given)?;
    }
    back(operation, out, x.dtype)
}

/// The least or the greatest of the elements around each one along an axis.
fn extreme_along(
    operation: &'static str,
    x: &RawArray,
    is_maximum: bool,
    size: usize,
    axis: usize,
    left: i64,
    (mode, outside): (i32, f64),
) -> Result<RawArray> {
    let floats = floats(operation, x)?;
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), floats.dtype)?;
    let (inner, length) = along(&floats, axis);
    if size <= FEW_IN_LOOPS {
        let dtype = x.dtype;
        let (x, around, to) = (floats.view(), floats.layout.around(axis), out.view());
        let outside = if floats.dtype == DType::F32 { f64::from(outside as f32) } else { outside };
        let loops = Loops::ExtremeLine { x, is_largest: is_maximum, size, around, left, mode, outside, out: to };
        if floats.handle.backend.by_loops(loops)? {
            return back(operation, out, dtype);
        }
    }
    if size <= FEW_OF_EXTREME && has_many_threads(x) {
        let given = [
            Given::Read(&floats),
            Given::fixed(size),
            Given::Length(inner),
            Given::Length(length),
            Given::fixed_word(place_of(floats.layout.around(axis))),
            Given::is_small(out.size()),
            Given::Signed(left),
            Given::fixed_word(mode_for(mode, [(size, length)].into_iter())),
            element(outside, floats.dtype),
            Given::fixed_flag(is_maximum),
            Given::Write(&out),
        ];
        run(operation, named::extreme1d_few(floats.dtype), out.size(), &given)?;
    } else if out.size() > 0 {
        let given = [
            Given::Read(&floats),
            Given::Length(size),
            Given::Length(inner),
            Given::Length(length),
            Given::Signed(left),
            Given::fixed_word(mode),
            element(outside, floats.dtype),
            Given::fixed_flag(is_maximum),
            Given::Write(&out),
        ];
        run(operation, named::extreme1d(floats.dtype), out.size() / length * length.div_ceil(size), &given)?;
    }
    back(operation, out, x.dtype)
}

/// What is done in a box, along one axis after the other.
#[derive(Clone, Copy)]
pub(super) enum Box {
    Mean,
    Minimum,
    Maximum,
}

pub(super) fn boxed(
    operation: &'static str,
    x: &RawArray,
    of: Box,
    size: &[isize],
    edges: Edges<'_>,
    origins: &[isize],
    axes: Option<Vec<isize>>,
) -> Result<RawArray> {
    let axes = chosen_axes(operation, x.shape(), axes)?;
    let sizes = lengths(operation, size, axes.len())?;
    let origins = each(operation, "origin", origins, axes.len())?;
    let modes = modes_of(operation, edges.modes, axes.len())?;
    let mut passes = Vec::new();
    for k in 0..axes.len() {
        let left = begins(operation, sizes[k], origins[k])?;
        if sizes[k] > 1 {
            passes.push((axes[k], sizes[k], left, (modes[k], edges.outside)));
        }
    }
    let mut found: Option<RawArray> = None;
    for (axis, size, left, edge) in passes {
        let x = found.as_ref().unwrap_or(x);
        found = Some(match of {
            Box::Mean => uniform_along(operation, x, size, axis, left, edge)?,
            Box::Minimum => extreme_along(operation, x, false, size, axis, left, edge)?,
            Box::Maximum => extreme_along(operation, x, true, size, axis, left, edge)?,
        });
    }
    found.map_or_else(|| x.copied(operation), Ok)
}

/// A window: the lengths of a box, or which elements of a box belong to it, and perhaps what is added to each.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    pub size: Option<&'a [isize]>,
    pub footprint: Option<&'a AnyView<'a>>,
    pub structure: Option<&'a AnyView<'a>>,
}

fn no_window(operation: &'static str) -> Error {
    Error::argument(
        operation,
        "no window is given; give its lengths, `size = 3`, or its elements, `footprint = &elements`",
    )
}

/// The least number of integers of a type, and how many numbers it has; nothing for floats. Bools are bytes here, as in SciPy.
fn circle(dtype: DType) -> Option<(f64, f64)> {
    if !(dtype.is_integer() || dtype == DType::Bool) {
        return None;
    }
    let modulus = 2f64.powi(8 * dtype.size() as i32);
    let is_signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    Some((if is_signed { -modulus / 2.0 } else { 0.0 }, modulus))
}

/// A value as an element: of integers without its fraction, and wrapped.
pub(super) fn wrapped(value: f64, dtype: DType) -> f64 {
    let whole = value.trunc();
    match circle(dtype) {
        None => value,
        Some((low, modulus)) if whole >= low && whole < low + modulus => whole,
        Some((low, modulus)) => (whole - low).rem_euclid(modulus) + low,
    }
}

/// `minimum_filter`, `maximum_filter`, and with `is_reflected` what a dilation needs.
pub(super) fn extreme(
    operation: &'static str,
    x: &RawArray,
    is_maximum: bool,
    is_reflected: bool,
    window: Window<'_>,
    edges: Edges<'_>,
    origins: &[isize],
) -> Result<RawArray> {
    let rank = x.shape().len();
    let mut origins = each(operation, "origin", origins, rank)?;
    let turn = |raw: RawArray| -> Result<RawArray> { if is_reflected { reversed(operation, &raw) } else { Ok(raw) } };
    let reverse = |origins: &mut [isize], lengths: &[usize]| {
        if is_reflected {
            for (origin, &length) in origins.iter_mut().zip(lengths) {
                *origin = reversed_origin(length, *origin);
            }
        }
    };
    if window.footprint.is_none() && window.structure.is_none() {
        let size = window.size.ok_or_else(|| no_window(operation))?;
        let sizes = lengths(operation, size, rank)?;
        reverse(&mut origins, &sizes);
        let of = if is_maximum { Box::Maximum } else { Box::Minimum };
        return boxed(operation, x, of, size, edges, &origins, None);
    }
    let heights =
        window.structure.map(|view| brought(operation, view, &x.handle, DType::F64).and_then(turn)).transpose()?;
    let footprint =
        window.footprint.map(|view| brought(operation, view, &x.handle, DType::Bool).and_then(turn)).transpose()?;
    if let Some(footprint) = &footprint {
        let counted = trues(footprint)?;
        if counted == 0 {
            return Err(Error::argument(operation, "`footprint` has no elements that are true; give one that has"));
        }
        // A box, whose axes are apart from each other.
        if counted == footprint.size() && heights.is_none() && footprint.shape().len() == rank {
            reverse(&mut origins, footprint.shape());
            let size: Vec<isize> = footprint.shape().iter().map(|&length| length as isize).collect();
            let of = if is_maximum { Box::Maximum } else { Box::Minimum };
            return boxed(operation, x, of, &size, edges, &origins, None);
        }
    }
    let shape = footprint.as_ref().or(heights.as_ref()).expect("one is given").shape().to_vec();
    let filled = |value| RawArray::filled(operation, &x.handle, &shape, value);
    let heights = heights.map_or_else(|| filled(Scalar::F64(0.0)), Ok)?;
    let footprint = footprint.map_or_else(|| filled(Scalar::Bool(true)), Ok)?;
    if heights.shape() != footprint.shape() {
        let (left, right) = (footprint.shape().to_vec(), heights.shape().to_vec());
        return Err(Error::ShapeMismatch { operation, left, right });
    }
    reverse(&mut origins, &shape);
    let (low, modulus) = circle(x.dtype).unwrap_or((0.0, 0.0));
    let extra = [
        Given::Read(&footprint),
        Given::Read(&heights),
        Given::fixed_flag(is_maximum),
        Given::Number(low),
        Given::Number(modulus),
    ];
    let edges = Edges { outside: wrapped(edges.outside, x.dtype), ..edges };
    windowed(operation, named::extreme, x, (&shape, &origins), edges, &extra, 0)
}

/// How many elements of a footprint are true. Waits.
fn trues(footprint: &RawArray) -> Result<usize> {
    Ok(download_vec::<bool>(footprint)?.into_iter().filter(|&is_true| is_true).count())
}

/// Which element of a window is wanted.
#[derive(Clone, Copy)]
pub(super) enum Rank {
    At(isize),
    Median,
    Percent(f64),
}

/// The most elements of windows that loops over vectors take.
const MOST_IN_LOOPS: usize = 100;

/// How many bytes threads may have together for the elements of their windows.
const ROOM: usize = 64 << 20;

/// How many threads run with windows that are too large for that.
const MOST_THREADS_WITHOUT_ROOM: usize = 64;

pub(super) fn ranked(
    operation: &'static str,
    x: &RawArray,
    rank: Rank,
    window: Window<'_>,
    edges: Edges<'_>,
    origins: &[isize],
) -> Result<RawArray> {
    let (footprint, count) = match (window.footprint, window.size) {
        (Some(view), _) => {
            let footprint = brought(operation, view, &x.handle, DType::Bool)?;
            let count = trues(&footprint)?;
            (footprint, count)
        }
        (None, Some(size)) => {
            let shape = lengths(operation, size, x.shape().len())?;
            (RawArray::filled(operation, &x.handle, &shape, Scalar::Bool(true))?, shape.iter().product())
        }
        (None, None) => return Err(no_window(operation)),
    };
    if count == 0 {
        return Err(Error::argument(operation, "`footprint` has no elements that are true; give one that has"));
    }
    let at = match rank {
        Rank::Median => count / 2,
        Rank::Percent(percent) => {
            let counted = if percent < 0.0 { percent + 100.0 } else { percent };
            if !(0.0..=100.0).contains(&counted) {
                let reason = format!("`percentile` is {percent}; it must be from -100 to 100");
                return Err(Error::argument(operation, reason));
            }
            // A percentile is that of the window's own elements.
            if counted == 100.0 { count - 1 } else { (count as f64 * counted / 100.0) as usize }
        }
        Rank::At(at) => {
            let counted = if at < 0 { at + count as isize } else { at };
            match usize::try_from(counted) {
                Ok(counted) if counted < count => counted,
                _ => {
                    let reason =
                        format!("`rank` is {at}, but the window has {count} elements; the last one is {}", count - 1);
                    return Err(Error::argument(operation, reason));
                }
            }
        }
    };
    if at == 0 || at == count - 1 {
        return extreme(operation, x, at > 0, false, window, edges, origins);
    }
    let shape = footprint.shape().to_vec();
    let origins = each(operation, "origin", origins, x.shape().len())?;
    // Along one axis SciPy wraps it afterwards.
    let edges = if shape.len() > 1 { Edges { outside: wrapped(edges.outside, x.dtype), ..edges } } else { edges };
    if count <= MOST_IN_LOOPS && x.handle.device == Device::Cpu {
        let meta = around(operation, x.shape(), &shape, &origins)?;
        let windows = windows_of(&meta, mode_of(operation, one_mode(operation, edges.modes)?)?);
        let floats = floats(operation, x)?;
        let out = RawArray::uninitialised(operation, &x.handle, x.shape(), floats.dtype)?;
        let (from, chosen, to, outside) = (floats.view(), footprint.view(), out.view(), edges.outside);
        let loops = Loops::Rank { x: from, footprint: chosen, rank: at, windows, outside, out: to };
        if x.handle.backend.by_loops(loops)? {
            return back(operation, out, x.dtype);
        }
    }
    let extra = [Given::Read(&footprint), Given::Length(at)];
    let of_any_size = || {
        let floats = floats(operation, x)?;
        // A row of memory for each thread, of which there are only as many as have room.
        let room = ROOM / (count * floats.dtype.size()).max(1);
        let most = room.clamp(MOST_THREADS_WITHOUT_ROOM, isize::MAX as usize);
        let threads = super::kernels::threads(&floats, most);
        let kept = RawArray::uninitialised(operation, &x.handle, &[threads, count], floats.dtype)?;
        let extra = [extra[0], extra[1], Given::Write(&kept), Given::Length(count)];
        back(
            operation,
            windowed(operation, of_rank::rank_of_many, &floats, (&shape, &origins), edges, &extra, most)?,
            x.dtype,
        )
    };
    let best = || {
        if shape == [3, 3] && count == 9 && at == 4 {
            return windowed(operation, of_rank::median9, x, (&shape, &origins), edges, &[], 0);
        }
        if count == footprint.size() && count <= MOST_IN_REGISTERS && has_many_threads(x) {
            let keep = (at + 1).min(count - at);
            let extra = [Given::fixed(count), Given::fixed(keep), Given::fixed_flag(keep <= at)];
            return windowed(operation, of_rank::rank_of_few, x, (&shape, &origins), edges, &extra, 0);
        }
        if count <= KEPT {
            return windowed(operation, of_rank::rank, x, (&shape, &origins), edges, &extra, 0);
        }
        of_any_size()
    };
    best_or_general(&*x.handle.backend, best, of_any_size)
}

/// The medians of small windows with zeros beyond the ends, on a device with many threads; none for others, and for elements that are not
/// all floats of 64 bits too.
pub(crate) fn small_medians(operation: &'static str, x: &RawArray, sizes: &[usize]) -> Result<Option<RawArray>> {
    let count: usize = sizes.iter().product();
    let fits = !matches!(x.dtype, DType::I64 | DType::U64) && !x.dtype.is_complex();
    // The loops of a processor are of floats.
    let is_quick = has_many_threads(x) || matches!(x.dtype, DType::F32 | DType::F64);
    if !fits || count > MOST_IN_REGISTERS || sizes.len() > MOST_AXES || !is_quick {
        return Ok(None);
    }
    let size: Vec<isize> = sizes.iter().map(|&size| size as isize).collect();
    let window = Window { size: Some(&size), footprint: None, structure: None };
    let edges = Edges { modes: &["constant".to_owned()], outside: 0.0 };
    ranked(operation, x, Rank::Median, window, edges, &[0]).map(Some)
}

/// The shapes that a morphological filter of grey values can have.
#[derive(Clone, Copy)]
pub(super) enum Grey {
    Erosion,
    Dilation,
    Opening,
    Closing,
    Gradient,
    Laplace,
    WhiteTopHat,
    BlackTopHat,
}

pub(super) fn grey(
    operation: &'static str,
    x: &RawArray,
    of: Grey,
    window: Window<'_>,
    edges: Edges<'_>,
    origins: &[isize],
) -> Result<RawArray> {
    let erosion = |x: &RawArray| extreme(operation, x, false, false, window, edges, origins);
    let dilation = |x: &RawArray| extreme(operation, x, true, true, window, edges, origins);
    let less = |a: &RawArray, b: &RawArray| {
        let operation_of = if x.dtype == DType::Bool { BinaryOperation::BitwiseXor } else { BinaryOperation::Subtract };
        binary(operation, operation_of, a, b)
    };
    match of {
        Grey::Erosion => erosion(x),
        Grey::Dilation => dilation(x),
        Grey::Opening => dilation(&erosion(x)?),
        Grey::Closing => erosion(&dilation(x)?),
        Grey::Gradient => less(&dilation(x)?, &erosion(x)?),
        Grey::Laplace => {
            let found = binary(operation, BinaryOperation::Add, &dilation(x)?, &erosion(x)?)?;
            less(&less(&found, x)?, x)
        }
        Grey::WhiteTopHat => less(x, &dilation(&erosion(x)?)?),
        Grey::BlackTopHat => less(&erosion(&dilation(x)?)?, x),
    }
}
