//! What other backends compute by kernels, by loops over rows; see [`Loops`].

mod band;
mod complex_order;
mod distances;
mod filters;
mod label;
mod line;
mod neighbours;
mod pieces;
mod ranks;
mod splines;
mod substitution;
mod windows;

use super::transform::waves;
use super::{origin, sparse};
use complex_order::Question;
use warpcell_base::backend::View;
use warpcell_base::backend::loops::{LinesView, Loops, Tree};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;

/// Elements that are computed in f64.
pub(super) trait Float: Copy + Send + Sync {
    fn wide(self) -> f64;
    fn narrow(value: f64) -> Self;
}

impl Float for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn narrow(value: f64) -> f32 {
        value as f32
    }
}

impl Float for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn narrow(value: f64) -> f64 {
        value
    }
}

/// The index at which `n` elements continue beyond their ends. None where they have a value there.
#[inline]
fn continued(i: i64, n: i64, mode: i32) -> Option<usize> {
    if (0..n).contains(&i) {
        return Some(i as usize);
    }
    let at = match mode {
        0 => return None,
        1 => i.clamp(0, n - 1),
        2 => {
            let at = i.rem_euclid(2 * n);
            if at >= n { 2 * n - 1 - at } else { at }
        }
        3 if n == 1 => 0,
        3 => {
            let at = i.rem_euclid(2 * n - 2);
            if at >= n { 2 * n - 2 - at } else { at }
        }
        _ => i.rem_euclid(n),
    };
    Some(at as usize)
}

/// The elements of a contiguous array.
///
/// # Safety
///
/// They are of this type, and nothing writes to them.
pub(super) unsafe fn elements<'a, T>(view: &View<'a>) -> &'a [T] {
    // SAFETY: the layout lies within the allocation; the rest is the caller's promise.
    unsafe { std::slice::from_raw_parts(origin(view).cast(), view.layout.size()) }
}

/// The same, to be written to.
///
/// # Safety
///
/// They are of this type, and nothing else accesses them.
pub(super) unsafe fn elements_mut<'a, T>(view: &View<'a>) -> &'a mut [T] {
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(origin(view).cast(), view.layout.size()) }
}

/// The lines of a sparse matrix.
///
/// # Safety
///
/// As for [`elements`].
pub(super) unsafe fn lines<'a, T>(view: &LinesView<'a>) -> sparse::Lines<'a, T> {
    // SAFETY: pointers and indices are i32; the rest is the caller's promise.
    unsafe {
        sparse::Lines {
            pointers: elements(&view.pointers),
            indices: elements(&view.indices),
            data: elements(&view.data),
        }
    }
}

/// How many rows an array has, and how long they are.
fn rows(view: &View<'_>) -> [usize; 2] {
    let (&length, others) = view.layout.shape.split_last().expect("there is an axis");
    [others.iter().product(), length]
}

/// A tree of points.
///
/// # Safety
///
/// As for [`elements`].
unsafe fn nodes<'a>(tree: &Tree<'a>) -> neighbours::Nodes<'a> {
    // SAFETY: the types are those of a tree; the rest is the caller's promise.
    unsafe {
        neighbours::Nodes {
            data: elements(&tree.data),
            order: elements(&tree.order),
            nodes: elements(&tree.nodes),
            boxes: elements(&tree.boxes),
            dimensions: tree.data.layout.shape[1],
        }
    }
}

/// Computes. The queue is held.
///
/// # Safety
///
/// The invariants of `Memory`; arrays are as the variant says.
pub(super) unsafe fn run(loops: Loops<'_>) -> Result<()> {
    // SAFETY: of all calls: the caller's promise.
    unsafe {
        match loops {
            Loops::CorrelateLine { x, weights, divisor, around, left, mode, outside, out } => {
                let weights: &[f64] = elements(&weights);
                let line = line::Line { around, size: weights.len(), left, mode, outside };
                line::correlate(x.dtype, &line, (weights, divisor), origin(&x), origin(&out));
            }
            Loops::ExtremeLine { x, is_largest, size, around, left, mode, outside, out } => {
                let line = line::Line { around, size, left, mode, outside };
                line::extreme(x.dtype, &line, is_largest, origin(&x), origin(&out));
            }
            Loops::Correlate { x, weights, windows, outside, out } => {
                windows::correlate(x.dtype, &windows, elements(&weights), outside, origin(&x), origin(&out));
            }
            Loops::Rank { x, footprint, rank, windows, outside, out } => {
                let chosen = (elements(&footprint), rank);
                windows::ranked(x.dtype, &windows, chosen, outside, origin(&x), origin(&out));
            }
            Loops::Erode { x, structure, mask, windows, border, is_dilation, out } => {
                let mask = mask.map(|mask| elements(&mask));
                let job = windows::Erosion { structure: elements(&structure), mask, border, is_dilation };
                windows::erode(&windows, &job, elements(&x), elements_mut(&out));
            }
            Loops::SplineLines { x, around, mode, gain, poles } => {
                splines::filter(elements_mut(&x), around, mode, gain, poles);
            }
            Loops::Splines { x, coordinates, splines, out } => {
                let coordinates = coordinates.map(|coordinates| elements(&coordinates));
                splines::evaluate(&splines, elements(&x), coordinates, elements_mut(&out));
            }
            Loops::Slots { labels, values, form, out } => {
                label::slots(elements(&labels), elements(&values), form, elements_mut(&out));
            }
            Loops::Label { mask, shape, neighbours, out, count } => {
                let found = label::label(elements(&mask), shape, neighbours, elements_mut(&out));
                elements_mut::<i64>(&count)[0] = found as i64;
            }
            Loops::Distances { a, b, metric, p, out } => {
                let count = |view: &View<'_>| view.layout.shape[0];
                let by = distances::Metric { number: metric, p, dimensions: a.layout.shape[1] };
                let others = b.map(|b| (elements(&b), count(&b)));
                distances::distances(&by, (elements(&a), count(&a)), others, elements_mut(&out));
            }
            Loops::Nearest { tree, points, bound, distances, indices } => {
                let (nodes, points) = (nodes(&tree), elements(&points));
                neighbours::nearest(&tree, &nodes, points, bound, elements_mut(&distances), elements_mut(&indices));
            }
            Loops::Within { tree, points, limits, starts, out } => {
                let (nodes, points, limits) = (nodes(&tree), elements(&points), elements(&limits));
                let starts = starts.map(|starts| elements(&starts));
                neighbours::within(&tree, &nodes, points, limits, starts, elements_mut(&out));
            }
            Loops::Pieces { points, breaks, table, scale, mode, below, above, derivative, out } => {
                let shape = [table.layout.shape[1], table.layout.shape[2]];
                let (breaks, table) = (elements(&breaks), elements(&table));
                let curve = pieces::Curve { breaks, table, shape, scale, mode, outside: [below, above], derivative };
                pieces::evaluate(&curve, elements(&points), elements_mut(&out));
            }
            Loops::Ranks { sorted, order, of, out } => {
                ranks::write(elements(&sorted), elements(&order), of, elements_mut(&out));
            }
            Loops::ComplexExtremes { x, greatest, out } => {
                complex_order::answer(Question::Extremes(greatest), x.dtype, origin(&x), rows(&x), origin(&out).cast());
            }
            Loops::ComplexOrder { x, out } => {
                complex_order::answer(Question::Order, x.dtype, origin(&x), rows(&x), origin(&out).cast());
            }
            Loops::ComplexPlaces { sorted, values, right, out } => {
                let question = Question::Places(sorted.layout.size(), origin(&sorted), right);
                complex_order::answer(
                    question,
                    values.dtype,
                    origin(&values),
                    [1, values.layout.size()],
                    origin(&out).cast(),
                );
            }
            Loops::Waves { x, kind, around, out } => match x.dtype {
                DType::F32 => waves::waves::<f32>(kind, around, origin(&x).cast(), origin(&out).cast())?,
                _ => waves::waves::<f64>(kind, around, origin(&x).cast(), origin(&out).cast())?,
            },
            Loops::Recursive { coefficients, order, chunk, backward, writes, states, data, out } => {
                let [rows, length] = [data.layout.shape[0], data.layout.shape[1]];
                let job = filters::Recursive { coefficients, order, rows, length, chunk, backward, writes };
                filters::recursive(&job, elements_mut(&states), elements(&data), elements_mut(&out));
            }
            Loops::Between { data, taps, between, out } => {
                let lengths = [data.layout.shape[1], out.layout.shape[1]];
                filters::between(&between, lengths, elements(&data), elements(&taps), elements_mut(&out));
            }
            Loops::Extend { data, edge, kind, out } => {
                let lengths = [data.layout.shape[1], out.layout.shape[1]];
                filters::extend(edge, kind, lengths, elements(&data), elements_mut(&out));
            }
            Loops::Peaks { x, marks } => filters::mark_peaks(elements(&x), elements_mut(&marks)),
            Loops::Band { x, out } => {
                let shape = [x.layout.shape[0], x.layout.shape[1]];
                let found = band::widths(x.dtype, origin(&x), shape);
                elements_mut::<i64>(&out).copy_from_slice(&found.map(|width| width as i64));
            }
            Loops::Substitute { a, b, lower, unit, fault, out } => {
                let strides = [a.layout.strides[0], a.layout.strides[1]];
                let matrix = substitution::Triangle { start: origin(&a), strides, lower, unit };
                let (from, to) =
                    ((origin(&b).cast_const(), b.layout.strides[0]), (origin(&out), out.layout.strides[0]));
                let found = substitution::solve(a.dtype, matrix, from, to, b.layout.shape[0]);
                fault.set(found.unwrap_or(0));
            }
            Loops::Transpose { lines, out } => sparse::transpose::transpose(lines, out)?,
            Loops::Group { keys, others, data, out } => {
                sparse::transpose::group(elements(&keys), elements(&others), &data, out)?;
            }
            Loops::Sort { lines } => sparse::order::sort(lines),
            Loops::Disorder { lines, out } => {
                let found = sparse::order::disorder(elements(&lines.pointers), elements(&lines.indices));
                elements_mut::<i32>(&out).copy_from_slice(&found);
            }
            Loops::SumAcross { lines, absolute, factors, out } => {
                sparse::order::sum_across(lines, absolute, factors, out)?;
            }
        }
    }
    Ok(())
}
