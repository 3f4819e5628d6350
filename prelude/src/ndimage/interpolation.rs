//! The cores of interpolation: splines through the elements, and their values elsewhere.

use super::arguments::{each, spline_mode};
use super::filters::{along, back, wrapped};
use super::kernels::{self, Given, Grid, MOST_AXES, has_many_threads, run};
use crate::array::axes::axis_of;
use crate::array::{RawArray, assign, slice_axis};
use crate::backend::Layout;
use crate::backend::loops::{Loops, Splines};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};

/// How an array is interpolated.
#[derive(Clone, Copy)]
pub(super) struct Spline<'a> {
    pub order: usize,
    pub mode: &'a str,
    pub outside: f64,
    pub prefilter: bool,
}

/// By how many elements an array is continued, where splines have no form for what lies beyond its ends; as in SciPy.
const PADDING: usize = 12;

/// The order, if there are splines of it.
pub(super) fn checked_order(operation: &'static str, order: usize) -> Result<usize> {
    if order <= 5 {
        return Ok(order);
    }
    let reason = format!(
        "splines of the order {order} are not available; `order` is 0 (nearest), 1 (linear), 2, 3 (cubic), 4 or 5"
    );
    Err(Error::argument(operation, reason))
}

/// The poles of the filter that gives the coefficients of splines of an order.
fn poles_of(order: usize) -> Vec<f64> {
    let two = |whole: f64, square: f64, under: f64, less: f64| {
        let root = square.sqrt();
        vec![(whole - root).sqrt() + under.sqrt() - less, (whole + root).sqrt() - under.sqrt() - less]
    };
    match order {
        2 => vec![8f64.sqrt() - 3.0],
        3 => vec![3f64.sqrt() - 2.0],
        4 => two(664.0, 438976.0, 304.0, 19.0),
        5 => two(67.5, 4436.25, 26.25, 6.5),
        _ => Vec::new(),
    }
}

/// Writes the coefficients of splines along an axis over the elements.
fn filter_lines(operation: &'static str, x: &RawArray, axis: usize, order: usize, mode: i32) -> Result<()> {
    let (inner, length) = along(x, axis);
    if length < 2 || x.size() == 0 {
        return Ok(());
    }
    // Of the modes, splines know three.
    let form = match mode {
        1 | 2 => 2,
        4 => 4,
        _ => 3,
    };
    let poles = poles_of(order);
    let gain = poles.iter().map(|pole| (1.0 - pole) * (1.0 - 1.0 / pole)).product();
    let around = x.layout.around(axis);
    if x.handle.backend.by_loops(Loops::SplineLines { x: x.view(), around, mode: form, gain, poles: &poles })? {
        return Ok(());
    }
    if has_many_threads(x) && length >= LONG_LINE {
        return filter_long_lines(operation, x, axis, form, gain, &poles);
    }
    let given = [
        Given::Write(x),
        Given::Length(inner),
        Given::Length(length),
        Given::Word(form),
        Given::Number(gain),
        Given::Number(poles[0]),
        Given::Number(*poles.last().expect("at least one")),
        Given::Length(poles.len()),
    ];
    run(operation, kernels::spline_lines(), x.size() / length, &given)
}

/// Lines of so many elements are filtered by several threads.
const LONG_LINE: usize = 512;

/// How many elements of a line a thread filters, beside those from which it gets its first value.
const RUN: usize = 64;

/// The same for long lines on a device with many threads.
fn filter_long_lines(
    operation: &'static str,
    x: &RawArray,
    axis: usize,
    mode: i32,
    gain: f64,
    poles: &[f64],
) -> Result<()> {
    // Neighbouring threads take neighbouring lines, which lie beside each other along all axes but the last one.
    let last = x.shape().len() - 1;
    let turned = |x: &RawArray| {
        let (mut shape, mut strides) = (x.layout.shape.clone(), x.layout.strides.clone());
        shape.swap(last - 1, last);
        strides.swap(last - 1, last);
        x.with_layout(Layout { shape, strides, ..x.layout.clone() })
    };
    let turns = axis == last && last > 0;
    let (lines, axis) = if turns { (turned(x).copied(operation)?, last - 1) } else { (x.clone(), axis) };
    let (inner, length) = along(&lines, axis);
    let threads = lines.size() / length * length.div_ceil(RUN);
    let broken = RawArray::filled(operation, &x.handle, &[lines.size() / length], Scalar::I32(0))?;
    let half = RawArray::uninitialised(operation, &x.handle, lines.shape(), DType::F64)?;
    for (number, &pole) in poles.iter().enumerate() {
        // What is left of a value after so many elements is less than what is rounded off, and a few more.
        let warm = (f64::EPSILON.ln() / pole.abs().ln()).ceil() as usize + 12;
        let sizes = [Given::Length(inner), Given::Length(length), Given::fixed_word(mode)];
        let run_of = [Given::Number(pole), Given::Length(warm), Given::Length(RUN)];
        let mut given = vec![Given::Read(&lines)];
        given.extend(sizes);
        given.push(Given::Number(if number == 0 { gain } else { 1.0 }));
        given.extend(run_of);
        given.extend([Given::Write(&broken), Given::Write(&half)]);
        run(operation, kernels::causal(), threads, &given)?;
        let mut given = vec![Given::Read(&half)];
        given.extend(sizes);
        given.extend(run_of);
        given.extend([Given::Read(&broken), Given::Write(&lines)]);
        run(operation, kernels::anticausal(), threads, &given)?;
    }
    if turns { assign(operation, x, &turned(&lines)) } else { Ok(()) }
}

/// The coefficients along some axes, as f64.
pub(super) fn coefficients(
    operation: &'static str,
    x: &RawArray,
    axes: Option<isize>,
    order: usize,
    mode: &str,
) -> Result<RawArray> {
    let mode = spline_mode(operation, mode)?;
    checked_order(operation, order)?;
    let axes = match axes {
        Some(axis) => vec![axis_of(operation, x.shape(), axis)?],
        None => (0..x.shape().len()).collect(),
    };
    let out = x.converted(operation, DType::F64)?;
    if order > 1 {
        for axis in axes {
            filter_lines(operation, &out, axis, order, mode)?;
        }
    }
    Ok(out)
}

/// The array with elements on all sides: those of its ends, or a value.
fn padded(operation: &'static str, x: &RawArray, value: Option<f64>) -> Result<RawArray> {
    let mut found = x.clone();
    for axis in 0..x.shape().len() {
        let length = found.shape()[axis];
        let mut shape = found.shape().to_vec();
        shape[axis] += 2 * PADDING;
        let out = RawArray::filled(operation, &x.handle, &shape, Scalar::F64(value.unwrap_or(0.0)))?;
        assign(operation, &slice_axis(&out, axis, PADDING, 1, length), &found)?;
        if value.is_none() {
            for (from, to) in [(0, 0), (length - 1, PADDING + length)] {
                let end = slice_axis(&found, axis, from, 1, 1);
                assign(operation, &slice_axis(&out, axis, to, 1, PADDING), &end)?;
            }
        }
        found = out;
    }
    Ok(found)
}

/// Where a result lies in the array: at a matrix times each index and an offset, or at coordinates, a row for each axis.
pub(super) enum Where<'a> {
    Matrix(Vec<f64>, Vec<f64>),
    Coordinates(&'a RawArray),
}

/// The values of splines at the places of a result of `shape`. Only some axes may be interpolated.
pub(super) fn transformed(
    operation: &'static str,
    x: &RawArray,
    places: &Where<'_>,
    shape: &[usize],
    axes: Option<&[usize]>,
    spline: Spline<'_>,
) -> Result<RawArray> {
    let rank = x.shape().len();
    let is_still = |axis: usize| axes.is_some_and(|axes| !axes.contains(&axis));
    checked_order(operation, spline.order)?;
    let mode = spline_mode(operation, spline.mode)?;
    if x.dtype.is_complex() {
        return Err(Error::dtype(operation, x.dtype, "transform `a.real()` and `a.imag()`"));
    }
    if rank == 0 || rank > MOST_AXES {
        let reason = format!("has {rank} axes, but this function takes 1 to {MOST_AXES}");
        return Err(Error::shape(operation, x.shape(), reason));
    }
    if x.size() == 0 && shape.contains(&0) {
        return RawArray::uninitialised(operation, &x.handle, shape, x.dtype);
    }
    if x.size() == 0 {
        return Err(Error::shape(operation, x.shape(), "has no elements to interpolate"));
    }
    let is_filtered = spline.prefilter && spline.order > 1;
    let (mut source, mut padding) = (x.converted(operation, DType::F64)?, 0);
    if is_filtered {
        if mode == 1 || mode == 6 {
            // What lies outside is of the type of the elements then.
            let outside = wrapped(spline.outside, x.dtype);
            source = padded(operation, &source, (mode == 6).then_some(outside))?;
            padding = PADDING;
        }
        for axis in (0..rank).filter(|&axis| !is_still(axis)) {
            filter_lines(operation, &source, axis, spline.order, mode)?;
        }
    }
    let coordinates = match places {
        Where::Matrix(..) => None,
        // Only the kernels read integers.
        Where::Coordinates(coordinates) if coordinates.dtype == DType::I64 && has_many_threads(x) => {
            Some(coordinates.contiguous(operation)?)
        }
        Where::Coordinates(coordinates) => Some(coordinates.converted(operation, DType::F64)?),
    };
    let handle = &x.handle;
    let ends = ends_of(x.dtype);
    let out = RawArray::uninitialised(operation, handle, shape, DType::F64)?;
    let splines = Splines {
        shape: source.shape(),
        is_still: std::array::from_fn(is_still),
        padding: padding as f64,
        order: spline.order as i32,
        mode,
        outside: spline.outside,
        out_shape: shape,
        matrix: match places {
            Where::Matrix(matrix, offset) => (&matrix[..], &offset[..]),
            Where::Coordinates(_) => (&[], &[]),
        },
        rounds: ends,
        taps: kernels::taps,
    };
    let (from, at) = (source.view(), coordinates.as_ref().map(RawArray::view));
    if handle.backend.by_loops(Loops::Splines { x: from, coordinates: at, splines, out: out.view() })? {
        return back(operation, out, x.dtype);
    }
    let mut grid = Grid { matrix: [0.0; 16], offset: [0.0; 4], from: [1; 4], to: [1; 4], padding: padding as f64 };
    for (axis, &length) in source.shape().iter().enumerate() {
        grid.from[axis] = length as i64;
    }
    if let Where::Matrix(matrix, offset) = places {
        grid.matrix[..rank * rank].copy_from_slice(matrix);
        grid.offset[..rank].copy_from_slice(offset);
        for (axis, &length) in shape.iter().enumerate() {
            grid.to[axis] = length as i64;
        }
    }
    let counts = (0..MOST_AXES).fold(0, |counts, slot| {
        let is_there = slot + rank >= MOST_AXES && !is_still(slot + rank - MOST_AXES);
        counts << 4 | if is_there { spline.order as i32 + 1 } else { 1 }
    });
    let (least, most) = ends.unwrap_or((0.0, 0.0));
    let ends_of_values = [Given::fixed_flag(ends.is_some()), Given::Number(least), Given::Number(most)];
    if coordinates.is_none() && is_diagonal(&grid, rank) && source.size().max(out.size()) < 1 << 31 {
        let lengths: Vec<(usize, usize)> =
            (0..rank).map(|axis| (shape[axis], (counts >> (4 * (rank - 1 - axis)) & 15) as usize)).collect();
        let count: usize = lengths.iter().map(|(length, _)| length).sum();
        let entries: usize = lengths.iter().map(|(length, taps)| length * taps).sum();
        let weights = RawArray::uninitialised(operation, handle, &[entries], DType::F64)?;
        let taken = RawArray::uninitialised(operation, handle, &[entries], DType::I32)?;
        let forms = [Given::fixed(rank), Given::fixed_word(counts), Given::fixed_word(mode)];
        let mut given = vec![Given::Grid(&grid), Given::Length(count)];
        given.extend(forms);
        given.extend([Given::Write(&weights), Given::Write(&taken)]);
        run(operation, kernels::axis_taps(), count, &given)?;
        let mut given = vec![Given::Read(&source), Given::Read(&weights), Given::Read(&taken), Given::Grid(&grid)];
        given.extend(forms);
        given.push(Given::Number(spline.outside));
        given.extend(ends_of_values);
        given.push(Given::Write(&out));
        run(operation, kernels::interpolate_grid(), out.size(), &given)?;
        return back(operation, out, x.dtype);
    }
    let mut given = vec![
        Given::Read(&source),
        Given::Read(coordinates.as_ref().unwrap_or(&source)),
        Given::Grid(&grid),
        Given::fixed(rank),
        Given::fixed_flag(coordinates.is_some()),
        Given::is_small(out.size()),
        Given::fixed_word(counts),
        Given::fixed_word(mode),
        Given::Number(spline.outside),
    ];
    given.extend(ends_of_values);
    given.push(Given::Write(&out));
    let are_integers = coordinates.as_ref().is_some_and(|coordinates| coordinates.dtype == DType::I64);
    let kernel = if are_integers { kernels::interpolate_at_integers() } else { kernels::interpolate() };
    run(operation, kernel, out.size(), &given)?;
    back(operation, out, x.dtype)
}

/// Whether each index of a result depends on one index of the array.
fn is_diagonal(grid: &Grid, rank: usize) -> bool {
    (0..rank * rank).all(|at| at / rank == at % rank || grid.matrix[at] == 0.0)
}

/// The least and the greatest integer of a type; none for other types.
fn ends_of(dtype: DType) -> Option<(f64, f64)> {
    Some(match dtype {
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        DType::I64 => (i64::MIN as f64, i64::MAX as f64),
        DType::U8 => (0.0, u8::MAX.into()),
        DType::U16 => (0.0, u16::MAX.into()),
        DType::U32 => (0.0, u32::MAX.into()),
        DType::U64 => (0.0, u64::MAX as f64),
        _ => return None,
    })
}

/// A matrix with these numbers on its diagonal.
fn diagonal(values: &[f64]) -> Vec<f64> {
    let rank = values.len();
    (0..rank * rank).map(|k| if k / rank == k % rank { values[k / rank] } else { 0.0 }).collect()
}

/// `zoom`.
pub(super) fn zoomed(
    operation: &'static str,
    x: &RawArray,
    zoom: &[f64],
    spline: Spline<'_>,
    is_of_grid: bool,
) -> Result<RawArray> {
    let zoom = each(operation, "zoom", zoom, x.shape().len())?;
    if let Some(wrong) = zoom.iter().find(|factor| !(factor.is_finite() && **factor > 0.0)) {
        return Err(Error::argument(operation, format!("`zoom` has {wrong}; factors must be positive numbers")));
    }
    // Python rounds halves to even numbers.
    let shape: Vec<usize> = x
        .shape()
        .iter()
        .zip(&zoom)
        .map(|(&length, factor)| (length as f64 * factor).round_ties_even() as usize)
        .collect();
    if spline.prefilter && zoom.iter().all(|&factor| factor == 1.0) {
        checked_order(operation, spline.order)?;
        spline_mode(operation, spline.mode)?;
        return x.copied(operation);
    }
    let (mut steps, mut offset) = (Vec::new(), Vec::new());
    for (&from, &to) in x.shape().iter().zip(&shape) {
        let (from, to) = (from as f64, to as f64);
        if is_of_grid {
            let step = if to > 0.0 { from / to } else { 1.0 };
            steps.push(step);
            offset.push(0.5 * step - 0.5);
        } else {
            steps.push(if to > 1.0 { (from - 1.0) / (to - 1.0) } else { 1.0 });
            offset.push(0.0);
        }
    }
    transformed(operation, x, &Where::Matrix(diagonal(&steps), offset), &shape, None, spline)
}

/// `shift`.
pub(super) fn moved(operation: &'static str, x: &RawArray, shift: &[f64], spline: Spline<'_>) -> Result<RawArray> {
    let shift = each(operation, "shift", shift, x.shape().len())?;
    let offset = shift.iter().map(|by| -by).collect();
    transformed(operation, x, &Where::Matrix(diagonal(&vec![1.0; shift.len()]), offset), x.shape(), None, spline)
}

/// Sine and cosine of degrees, exact for multiples of 90.
fn of_degrees(angle: f64) -> (f64, f64) {
    let quarter = angle.rem_euclid(360.0);
    match quarter {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => quarter.to_radians().sin_cos(),
    }
}

/// `rotate`.
pub(super) fn rotated(
    operation: &'static str,
    x: &RawArray,
    angle: f64,
    axes: &[isize],
    reshape: bool,
    spline: Spline<'_>,
) -> Result<RawArray> {
    let rank = x.shape().len();
    let axes = crate::array::axes::axes_of(operation, x.shape(), axes)?;
    let &[first, second] = &axes[..] else {
        let reason = format!("`axes` has {} axes; an array is rotated in the plane of two", axes.len());
        return Err(Error::argument(operation, reason));
    };
    if !angle.is_finite() {
        return Err(Error::argument(operation, format!("`angle` is {angle}; give degrees")));
    }
    let (sine, cosine) = of_degrees(angle);
    let turn = |y: f64, x: f64| (cosine * y + sine * x, cosine * x - sine * y);
    let (height, width) = (x.shape()[first] as f64, x.shape()[second] as f64);
    let mut shape = x.shape().to_vec();
    if reshape {
        let corners = [turn(0.0, 0.0), turn(0.0, width), turn(height, 0.0), turn(height, width)];
        let span = |of: fn(&(f64, f64)) -> f64| {
            let (low, high) = corners
                .iter()
                .map(of)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
            (high - low + 0.5) as usize
        };
        shape[first] = span(|corner| corner.0);
        shape[second] = span(|corner| corner.1);
    }
    let centre = turn((shape[first] as f64 - 1.0) / 2.0, (shape[second] as f64 - 1.0) / 2.0);
    let mut matrix = diagonal(&vec![1.0; rank]);
    matrix[first * rank + first] = cosine;
    matrix[first * rank + second] = sine;
    matrix[second * rank + first] = -sine;
    matrix[second * rank + second] = cosine;
    let mut offset = vec![0.0; rank];
    offset[first] = (height - 1.0) / 2.0 - centre.0;
    offset[second] = (width - 1.0) / 2.0 - centre.1;
    transformed(operation, x, &Where::Matrix(matrix, offset), &shape, Some(&axes), spline)
}

/// `affine_transform`: `matrix` has the shape `(n,)`, `(n, n)`, `(n, n + 1)` or `(n + 1, n + 1)`.
pub(super) fn affine(
    operation: &'static str,
    x: &RawArray,
    (values, form): (Vec<f64>, &[usize]),
    offset: &[f64],
    output_shape: Option<Vec<isize>>,
    spline: Spline<'_>,
) -> Result<RawArray> {
    let rank = x.shape().len();
    let offset = each(operation, "offset", offset, rank)?;
    let (matrix, offset) = match form {
        [n] if *n == rank => (diagonal(&values), offset),
        [n, m] if *n == rank && *m == rank => (values, offset),
        [n, m] if (*n == rank || *n == rank + 1) && *m == rank + 1 => {
            let (rows, last) = values.split_at(rank * (rank + 1));
            if !last.is_empty() && (last[rank] != 1.0 || last[..rank].iter().any(|&value| value != 0.0)) {
                let reason = format!("the last row of the matrix is {last:?}; it must be zeros and a 1");
                return Err(Error::argument(operation, reason));
            }
            let rows: Vec<&[f64]> = rows.chunks(rank + 1).collect();
            (rows.iter().flat_map(|row| row[..rank].to_vec()).collect(), rows.iter().map(|row| row[rank]).collect())
        }
        other => {
            let reason = format!(
                "the matrix has the shape {other:?}, but the array has {rank} axes; give one of the shape ({rank},), ({rank}, \
                 {rank}), ({rank}, {}) or ({}, {})",
                rank + 1,
                rank + 1,
                rank + 1
            );
            return Err(Error::argument(operation, reason));
        }
    };
    let shape = match output_shape {
        None => x.shape().to_vec(),
        Some(lengths) => {
            let found: Vec<usize> = lengths.iter().filter_map(|&length| usize::try_from(length).ok()).collect();
            if found.len() != lengths.len() || found.len() != rank {
                let reason = format!("`output_shape` is {lengths:?}; give {rank} lengths, one for each axis");
                return Err(Error::argument(operation, reason));
            }
            found
        }
    };
    transformed(operation, x, &Where::Matrix(matrix, offset), &shape, None, spline)
}
