//! The cores of binary morphology, of labels and of distances.

use super::arguments::{begins, brought, each, reversed_origin};
use super::filters::{given_windows, reversed, windows_of};
use super::kernels::{self, Around, Given, MOST_AXES, run};
use crate::array::sides::AnyView;
use crate::array::sides::sealed::Host;
use crate::array::transfer::{download_vec, item, upload};
use crate::array::{RawArray, assign, grids, slice_axis};
use crate::backend::loops::Loops;
use crate::backend::{BinaryOperation, ReduceOperation, ScanOperation, UnaryOperation};
use crate::device::{Device, Handle};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{binary, unary};
use crate::operations::reduce::reduce_all;
use crate::operations::scan::scan_axis;
use crate::operations::selection::choose;

/// The elements as bools, contiguous.
pub(super) fn bools(operation: &'static str, x: &RawArray) -> Result<RawArray> {
    if x.dtype == DType::Bool { x.contiguous(operation) } else { x.converted(operation, DType::Bool) }
}

/// The bools of SciPy's `generate_binary_structure`, in row-major order.
pub(super) fn ball(rank: usize, connectivity: usize) -> Vec<bool> {
    let count = 3usize.pow(rank as u32);
    (0..count)
        .map(|tap| (0..rank).filter(|&axis| tap / 3usize.pow(axis as u32) % 3 != 1).count() <= connectivity.max(1))
        .collect()
}

/// A structuring element: the one that is given, or the nearest neighbours along the axes.
pub(super) fn structure_of(
    operation: &'static str,
    given: Option<&AnyView<'_>>,
    rank: usize,
    handle: &Handle,
) -> Result<RawArray> {
    let structure = match given {
        Some(view) => brought(operation, view, handle, DType::Bool)?,
        None => {
            let flat = upload(operation, &ball(rank, 1).host_view(), handle)?;
            flat.with_layout(crate::backend::Layout::contiguous(&vec![3; rank]))
        }
    };
    if structure.shape().len() != rank || structure.size() == 0 {
        let reason =
            format!("is the shape of a structuring element for an array of {rank} axes; give one with as many axes");
        return Err(Error::shape(operation, structure.shape(), reason));
    }
    Ok(structure)
}

/// What a binary operation is asked for, besides the array.
#[derive(Clone, Copy)]
pub(super) struct Binary<'a> {
    pub structure: Option<&'a AnyView<'a>>,
    pub iterations: i64,
    pub mask: Option<&'a AnyView<'a>>,
    pub border: bool,
    pub origins: &'a [isize],
}

/// The lengths of four axes: those of an array, and 1 before them.
fn four(operation: &'static str, shape: &[usize]) -> Result<[i64; MOST_AXES]> {
    if shape.len() > MOST_AXES {
        let reason = format!("has {} axes, but this function takes at most {MOST_AXES}", shape.len());
        return Err(Error::shape(operation, shape, reason));
    }
    let mut lengths = [1; MOST_AXES];
    for (axis, &length) in shape.iter().enumerate() {
        lengths[MOST_AXES - shape.len() + axis] = length as i64;
    }
    Ok(lengths)
}

/// One pass: an erosion, or a dilation by a structure that is reflected already.
fn pass(
    operation: &'static str,
    x: &RawArray,
    structure: &RawArray,
    mask: Option<&RawArray>,
    border: bool,
    origins: &[isize],
    is_dilation: bool,
) -> Result<RawArray> {
    let rank = x.shape().len();
    let mut meta = four(operation, x.shape())?.to_vec();
    meta.extend(four(operation, structure.shape())?);
    meta.extend([0; MOST_AXES]);
    for axis in 0..rank {
        meta[3 * MOST_AXES - rank + axis] = begins(operation, structure.shape()[axis], origins[axis])?;
    }
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), DType::Bool)?;
    let loops = Loops::Erode {
        x: x.view(),
        structure: structure.view(),
        mask: mask.map(RawArray::view),
        windows: windows_of(&meta, 0),
        border,
        is_dilation,
        out: out.view(),
    };
    if x.handle.backend.by_loops(loops)? {
        return Ok(out);
    }
    let mut given = vec![Given::Read(x)];
    given.extend(given_windows(&meta, rank, x.size(), 0));
    given.extend([
        Given::Flag(border),
        Given::Read(structure),
        Given::Read(mask.unwrap_or(x)),
        Given::fixed_flag(mask.is_some()),
        Given::fixed_flag(is_dilation),
        Given::Write(&out),
    ]);
    run(operation, kernels::erode(), out.size(), &given)?;
    Ok(out)
}

/// The mask on the device, of the array's shape.
fn mask_of(operation: &'static str, x: &RawArray, mask: Option<&AnyView<'_>>) -> Result<Option<RawArray>> {
    let Some(view) = mask else { return Ok(None) };
    let mask = brought(operation, view, &x.handle, DType::Bool)?;
    if mask.shape() != x.shape() {
        let (left, right) = (x.shape().to_vec(), mask.shape().to_vec());
        return Err(Error::ShapeMismatch { operation, left, right });
    }
    Ok(Some(mask))
}

/// `binary_erosion`, or `binary_dilation`.
pub(super) fn eroded(operation: &'static str, x: &RawArray, of: Binary<'_>, is_dilation: bool) -> Result<RawArray> {
    let rank = x.shape().len();
    let mut x = bools(operation, x)?;
    let mut structure = structure_of(operation, of.structure, rank, &x.handle)?;
    let mut origins = each(operation, "origin", of.origins, rank)?;
    let mask = mask_of(operation, &x, of.mask)?;
    if is_dilation {
        structure = reversed(operation, &structure)?;
        for (origin, &length) in origins.iter_mut().zip(structure.shape()) {
            *origin = reversed_origin(length, *origin);
        }
    }
    let once = |x: &RawArray| pass(operation, x, &structure, mask.as_ref(), of.border, &origins, is_dilation);
    if of.iterations >= 1 {
        for _ in 0..of.iterations {
            x = once(&x)?;
        }
        return Ok(x);
    }
    if is_dilation && is_of_neighbours(&structure, &origins, true)? {
        let seeds = once(&x)?;
        let whole = RawArray::filled(operation, &x.handle, x.shape(), Scalar::Bool(true))?;
        return propagated(operation, &x, &seeds, mask.as_ref().unwrap_or(&whole), &structure);
    }
    let mut before: Option<RawArray> = None;
    let differ = |a: &RawArray, b: &RawArray| -> Result<bool> {
        let differs = binary(operation, BinaryOperation::NotEqual, a, b)?;
        Ok(a.size() > 0 && reduce_all(operation, ReduceOperation::Any, &differs)? != Scalar::Bool(false))
    };
    loop {
        let next = once(&x)?;
        if !differ(&x, &next)? {
            return Ok(next);
        }
        if let Some(before) = &before
            && !differ(before, &next)?
        {
            let reason = "two shapes follow each other for ever, so that `iterations` has to be a number above 0";
            return Err(Error::argument(operation, reason));
        }
        before = Some(x);
        x = next;
    }
}

/// Whether a structure joins each element with some of its nearest neighbours, and these with it; and with itself, if that is asked
/// for.
fn is_of_neighbours(structure: &RawArray, origins: &[isize], with_itself: bool) -> Result<bool> {
    if structure.shape().iter().any(|&length| length != 3) || origins.iter().any(|&origin| origin != 0) {
        return Ok(false);
    }
    let values: Vec<bool> = download_vec(structure)?;
    Ok(values.iter().eq(values.iter().rev()) && (!with_itself || values[values.len() / 2]))
}

/// What grows from the seeds within the mask: the sets of neighbours of the mask that have a seed.
fn propagated(
    operation: &'static str,
    x: &RawArray,
    seeds: &RawArray,
    mask: &RawArray,
    structure: &RawArray,
) -> Result<RawArray> {
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), DType::Bool)?;
    if x.size() == 0 {
        return Ok(out);
    }
    let labels = RawArray::uninitialised(operation, &x.handle, x.shape(), DType::I32)?;
    let roots = match labelled_by_loops(operation, mask, structure, &labels)? {
        Some(_) => {
            let labels = labels.converted(operation, DType::I64)?;
            binary(operation, BinaryOperation::Subtract, &labels, Scalar::I64(1))?
        }
        None => components(operation, mask, structure)?.0,
    };
    let marks = RawArray::filled(operation, &x.handle, &[x.size()], Scalar::I32(0))?;
    let is_long = roots.dtype == DType::I64;
    let (mark, marked) =
        if is_long { (kernels::long_mark(), kernels::long_marked()) } else { (kernels::mark(), kernels::marked()) };
    let given = [Given::Read(&roots), Given::Read(seeds), Given::Write(&marks)];
    run(operation, mark, x.size(), &given)?;
    let given = [Given::Read(&roots), Given::Read(&marks), Given::Read(x), Given::Write(&out)];
    run(operation, marked, x.size(), &given)?;
    Ok(out)
}

/// The structure in the middle of one of four axes.
fn neighbours_of(structure: &RawArray) -> Result<[bool; 81]> {
    let values: Vec<bool> = download_vec(structure)?;
    let mut wide = [false; 81];
    let first = 81 / 2 - values.len() / 2;
    wide[first..first + values.len()].copy_from_slice(&values);
    Ok(wide)
}

/// The first element of the set of neighbours of each element of a mask that is not empty, -1 elsewhere; and whether an element
/// is one of these. `structure` is 3 long along each axis and symmetric.
fn components(operation: &'static str, mask: &RawArray, structure: &RawArray) -> Result<(RawArray, RawArray)> {
    let handle = &mask.handle;
    let [n0, n1, n2, n3] = four(operation, mask.shape())?;
    let wide = neighbours_of(structure)?;
    let joins = wide[39];
    // Half of the neighbours, the last of which is in the same line.
    let taps = (0..if joins { 39 } else { 40 }).filter(|&tap| wide[tap]).fold(0i64, |taps, tap| taps | 1 << tap);
    let is_small = mask.size() < 1 << 31;
    let new = |dtype| RawArray::uninitialised(operation, handle, mask.shape(), dtype);
    let word = if is_small { DType::I32 } else { DType::I64 };
    let (parents, roots, firsts) = (new(word)?, new(word)?, new(DType::I32)?);
    let (runs, unite, find) = if is_small {
        (kernels::runs(), kernels::unite(), kernels::roots())
    } else {
        (kernels::long_runs(), kernels::long_unite(), kernels::long_roots())
    };
    let length = *mask.shape().last().expect("an axis");
    let joined = Given::fixed_flag(joins);
    let given =
        [Given::Read(mask), Given::Length(length), Given::is_small(mask.size()), joined, Given::Write(&parents)];
    run(operation, runs, mask.size(), &given)?;
    // Runs are found in parts.
    if taps != 0 || joins {
        let given = [
            Given::Read(mask),
            Given::Fixed(Scalar::I64(taps)),
            Given::Around(Around { n0, n1, n2, n3, b0: 0, b1: 0, b2: 0, b3: 0 }),
            Given::fixed_word(mask.shape().len() as i32),
            Given::is_small(mask.size()),
            joined,
            Given::Write(&parents),
        ];
        run(operation, unite, mask.size(), &given)?;
    }
    let given = [Given::Write(&parents), Given::Write(&roots), Given::Write(&firsts)];
    run(operation, find, mask.size(), &given)?;
    Ok((roots, firsts))
}

/// Writes the numbers of the sets of neighbours of a mask that is not empty, if the backend has loops for that; gives how many there
/// are.
fn labelled_by_loops(
    operation: &'static str,
    mask: &RawArray,
    structure: &RawArray,
    out: &RawArray,
) -> Result<Option<usize>> {
    if mask.handle.device != Device::Cpu {
        return Ok(None);
    }
    let count = RawArray::uninitialised(operation, &mask.handle, &[1], DType::I64)?;
    let shape = four(operation, mask.shape())?.map(|length| length as usize);
    let neighbours = neighbours_of(structure)?;
    let (mask_view, to, counted) = (mask.view(), out.view(), count.view());
    let loops = Loops::Label { mask: mask_view, shape, neighbours: &neighbours, out: to, count: counted };
    if !mask.handle.backend.by_loops(loops)? {
        return Ok(None);
    }
    let count: i64 = crate::array::transfer::typed_scalar(item(&count)?);
    Ok(Some(count as usize))
}

/// `label`.
pub(super) fn label(
    operation: &'static str,
    x: &RawArray,
    structure: Option<&AnyView<'_>>,
) -> Result<(RawArray, usize)> {
    let rank = x.shape().len();
    if rank == 0 {
        return Err(Error::shape(operation, x.shape(), "has no axes; give an array with at least one"));
    }
    let structure = structure_of(operation, structure, rank, &x.handle)?;
    if !is_of_neighbours(&structure, &[], false)? {
        let reason = "is the shape of a structuring element that does not fit; it must be 3 along each axis, and the element \
                      symmetric about its centre";
        return Err(Error::shape(operation, structure.shape(), reason));
    }
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), DType::I32)?;
    if x.size() == 0 {
        return Ok((out, 0));
    }
    let mask = bools(operation, x)?;
    if let Some(count) = labelled_by_loops(operation, &mask, &structure, &out)? {
        return Ok((out, count));
    }
    let (roots, firsts) = components(operation, &mask, &structure)?;
    let ranks = scan_axis(operation, ScanOperation::Sum, &firsts.flat(operation)?, 0)?;
    let given = [Given::Read(&roots), Given::Read(&ranks), Given::Write(&out)];
    let numbers = if roots.dtype == DType::I64 { kernels::long_numbers() } else { kernels::numbers() };
    run(operation, numbers, x.size(), &given)?;
    let count = item(&slice_axis(&ranks, 0, ranks.size() - 1, 1, 1))?;
    let count: i64 = crate::array::transfer::typed_scalar(count);
    Ok((out, count as usize))
}

/// The boxes around what has each label from 1 to `count`: the first index and the last one along each axis.
pub(super) fn boxes(
    operation: &'static str,
    labels: &RawArray,
    count: Option<usize>,
) -> Result<Vec<Option<Vec<[usize; 2]>>>> {
    let rank = labels.shape().len();
    let lengths = four(operation, labels.shape())?;
    if labels.size() == 0 {
        return Ok(vec![None; count.unwrap_or(0)]);
    }
    let labels = labels.converted(operation, DType::I64)?;
    let count = match count {
        Some(count) => count,
        None => {
            let most: i64 = crate::array::transfer::typed_scalar(reduce_all(operation, ReduceOperation::Max, &labels)?);
            most.max(0) as usize
        }
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    let meta = RawArray::of_indices(operation, &labels.handle, &[MOST_AXES], &lengths)?;
    let filled = |value| RawArray::filled(operation, &labels.handle, &[count * MOST_AXES], Scalar::I64(value));
    let (low, high) = (filled(i64::MAX)?, filled(-1)?);
    let given = [
        Given::Read(&labels),
        Given::Read(&meta),
        Given::Signed(count as i64),
        Given::Write(&low),
        Given::Write(&high),
    ];
    run(operation, kernels::boxes(), labels.size(), &given)?;
    let (low, high): (Vec<i64>, Vec<i64>) = (download_vec(&low)?, download_vec(&high)?);
    let object = |number: usize| {
        let place = number * MOST_AXES + MOST_AXES - rank;
        let ends = |axis: usize| [low[place + axis] as usize, high[place + axis] as usize];
        (high[number * MOST_AXES] >= 0).then(|| (0..rank).map(ends).collect())
    };
    Ok((0..count).map(object).collect())
}

/// `binary_fill_holes`: all that does not grow together with the outside.
pub(super) fn filled(
    operation: &'static str,
    x: &RawArray,
    structure: Option<&AnyView<'_>>,
    origins: &[isize],
) -> Result<RawArray> {
    let holes = unary(operation, UnaryOperation::LogicalNot, &bools(operation, x)?)?;
    let none = RawArray::filled(operation, &x.handle, x.shape(), Scalar::Bool(false))?;
    let mask = AnyView::Device(&holes);
    let of = Binary { structure, iterations: -1, mask: Some(&mask), border: true, origins };
    unary(operation, UnaryOperation::LogicalNot, &eroded(operation, &none, of, true)?)
}

/// `binary_hit_or_miss`: where the first structure is all true, and the second all false.
pub(super) fn hit_or_miss(
    operation: &'static str,
    x: &RawArray,
    structures: [Option<&AnyView<'_>>; 2],
    origins: [Vec<isize>; 2],
) -> Result<RawArray> {
    let rank = x.shape().len();
    let x = bools(operation, x)?;
    let first = structure_of(operation, structures[0], rank, &x.handle)?;
    let second = match structures[1] {
        Some(_) => structure_of(operation, structures[1], rank, &x.handle)?,
        None => unary(operation, UnaryOperation::LogicalNot, &first)?,
    };
    let first_origins = each(operation, "origin1", &origins[0], rank)?;
    let second_origins = each(operation, "origin2", &origins[1], rank)?;
    let hits = pass(operation, &x, &first, None, false, &first_origins, false)?;
    let touches = pass(operation, &x, &second, None, false, &second_origins, true)?;
    let misses = unary(operation, UnaryOperation::LogicalNot, &touches)?;
    binary(operation, BinaryOperation::BitwiseAnd, &hits, &misses)
}

/// `iterate_structure`: a structure dilated by itself.
pub(super) fn iterated(operation: &'static str, structure: &RawArray, iterations: usize) -> Result<RawArray> {
    let structure = bools(operation, structure)?;
    if iterations < 2 {
        return structure.copied(operation);
    }
    let more = iterations - 1;
    let shape: Vec<usize> = structure.shape().iter().map(|&length| length + more * length.saturating_sub(1)).collect();
    let out = RawArray::filled(operation, &structure.handle, &shape, Scalar::Bool(false))?;
    let mut centre = out.clone();
    for (axis, &length) in structure.shape().iter().enumerate() {
        centre = slice_axis(&centre, axis, more * (length / 2), 1, length);
    }
    assign(operation, &centre, &structure)?;
    let view = AnyView::Device(&structure);
    let of = Binary { structure: Some(&view), iterations: more as i64, mask: None, border: false, origins: &[0] };
    eroded(operation, &out, of, true)
}

/// The distance of each element that is not 0 to the nearest one that is, and the position of that in row-major order, if it is wanted
/// or found on the way.
pub(super) fn distances(
    operation: &'static str,
    x: &RawArray,
    sampling: Option<Vec<f64>>,
    wants_nearest: bool,
) -> Result<(RawArray, Option<RawArray>)> {
    let rank = x.shape().len();
    let sampling = sampling.map_or(Ok(vec![1.0; rank]), |sampling| each(operation, "sampling", &sampling, rank))?;
    if let Some(wrong) = sampling.iter().find(|step| !(step.is_finite() && **step > 0.0)) {
        return Err(Error::argument(operation, format!("`sampling` has {wrong}; distances must be positive numbers")));
    }
    let inside = bools(operation, x)?;
    if x.size() > 0 && kernels::has_many_threads(x) && x.shape().iter().all(|&length| length < 1 << 31) {
        return distances_by_many(operation, &inside, &sampling, wants_nearest);
    }
    let mut squares = choose(&inside, Scalar::F64(f64::INFINITY), Scalar::F64(0.0))?;
    let mut nearest = grids::numbers(operation, &x.handle, x.size())?;
    let kept = RawArray::uninitialised(operation, &x.handle, &[x.size()], DType::I64)?;
    for axis in (0..rank).rev() {
        let (inner, length) = super::filters::along(&squares, axis);
        let new = |dtype| RawArray::uninitialised(operation, &x.handle, x.shape(), dtype);
        let (out, found) = (new(DType::F64)?, new(DType::I64)?);
        let given = [
            Given::Read(&squares),
            Given::Read(&nearest),
            Given::Length(inner),
            Given::Length(length),
            Given::Number(sampling[axis]),
            Given::Write(&kept),
            Given::Write(&out),
            Given::Write(&found),
        ];
        if out.size() > 0 {
            run(operation, kernels::distances(), out.size() / length, &given)?;
        }
        (squares, nearest) = (out, found);
    }
    Ok((unary(operation, UnaryOperation::Sqrt, &squares)?, Some(nearest)))
}

/// The same on a device with many threads.
fn distances_by_many(
    operation: &'static str,
    inside: &RawArray,
    sampling: &[f64],
    wants_nearest: bool,
) -> Result<(RawArray, Option<RawArray>)> {
    let (handle, shape) = (&inside.handle, inside.shape());
    let mut squares = choose(inside, Scalar::F64(f64::INFINITY), Scalar::F64(0.0))?;
    let mut positions = wants_nearest.then(|| grids::numbers(operation, handle, inside.size())).transpose()?;
    for axis in (0..shape.len()).rev() {
        let (inner, length) = super::filters::along(&squares, axis);
        let new = |dtype| RawArray::uninitialised(operation, handle, shape, dtype);
        let (out, sites) = (new(DType::F64)?, new(DType::I32)?);
        let lines = inside.size() / length;
        let pass = |stride: usize, refines: bool| {
            let each = if refines { (length + stride) / (2 * stride) } else { length / stride };
            let given = [
                Given::Read(&squares),
                Given::Length(inner),
                Given::Length(length),
                Given::Number(sampling[axis]),
                Given::Length(stride),
                Given::fixed_flag(refines),
                Given::is_small(inside.size()),
                Given::Write(&sites),
                Given::Write(&out),
            ];
            run(operation, kernels::nearest(), lines * each, &given)
        };
        // At first so many elements of each line that there is work for all threads.
        let threads = if handle.device == Device::Cpu { THREADS_OF_TESTS } else { MANY_THREADS };
        let wanted = threads.div_ceil(lines).min(length);
        let mut stride = (length / wanted).next_power_of_two();
        if stride > length {
            stride /= 2;
        }
        pass(stride, false)?;
        while stride > 1 {
            stride /= 2;
            pass(stride, true)?;
        }
        if let Some(before) = &positions {
            let next = new(DType::I64)?;
            let given = [
                Given::Read(before),
                Given::Read(&sites),
                Given::Length(inner),
                Given::Length(length),
                Given::is_small(inside.size()),
                Given::Write(&next),
            ];
            run(operation, kernels::found(), inside.size(), &given)?;
            positions = Some(next);
        }
        squares = out;
    }
    Ok((unary(operation, UnaryOperation::Sqrt, &squares)?, positions))
}

/// About so many threads keep a GPU busy.
const MANY_THREADS: usize = 1 << 17;

/// On the CPU, where tests run these kernels, so few that small arrays are divided too.
const THREADS_OF_TESTS: usize = 1 << 8;
