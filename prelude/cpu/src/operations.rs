//! The operations: what profiles call each, and the file of its family that computes it.

use crate::convolve::Job;
use crate::{
    CpuBackend, argminmax, convert, convolve, dot, elementwise, histogram, index, input, launch, map, matmul, name_of,
    origin, random, reduce, rows, scan, search, sort, sparse, transform, where_,
};
use warpcell_base::backend::{Operand, Operation, Padding, ReduceOperation, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::Result;
use warpcell_base::profiling::Kind;

/// Executes an operation.
pub(super) fn execute(cpu: &CpuBackend, operation: Operation<'_>) -> Result<()> {
    let kind = if is_copy(&operation) { Kind::Copy } else { Kind::Kernel };
    let guard = cpu.spend(kind, || describe(&operation));
    match operation {
        // These end by themselves: functions of the user may panic or fail.
        Operation::Map { function, inputs, outs } => {
            map::on_arrays(guard, function, None, inputs, &outs[0].layout.shape, outs)
        }
        Operation::MapReduce { function, reduction, inputs, shape, out } => {
            map::on_arrays(guard, function, Some(reduction), inputs, shape, &[out])
        }
        Operation::Launch { launch, arguments } => launch::launch(guard, launch, arguments),
        _ => {
            run(operation)?;
            guard.end()
        }
    }
}

fn is_copy(operation: &Operation<'_>) -> bool {
    matches!(operation, Operation::Copy { source, out } if source.dtype == out.dtype)
}

/// What profiles call an operation, and of a copy its bytes.
fn describe(operation: &Operation<'_>) -> (String, usize) {
    use Operation as O;
    let name = match *operation {
        O::Fill { out, .. } => format!("fill {}", out.dtype),
        O::Arange { out, .. } => format!("arange {}", out.dtype),
        O::Copy { out, .. } if is_copy(operation) => {
            return (format!("copy {}", out.dtype), out.layout.size() * out.dtype.size());
        }
        O::Copy { source, out } => format!("convert {} to {}", source.dtype, out.dtype),
        O::Unary { function, x, .. } => format!("{} {}", name_of(function), x.dtype),
        O::Binary { function, a, b, .. } => format!("{} {}", name_of(function), common_dtype(a, b)),
        O::Map { function, .. } => format!("map {}", function.name),
        O::MapReduce { function, reduction, .. } => format!("map {} {}", function.name, name_of(reduction)),
        O::Reduce { reduction, x, .. } => format!("{} {}", name_of(reduction), x.dtype),
        O::SquaredDistances { x, .. } => format!("squared distances {}", x.dtype),
        O::Scan { reduction, x, .. } => format!("cumulative {} {}", name_of(reduction), x.dtype),
        O::Convolve2d { image, .. } => format!("convolve2d {}", image.dtype),
        O::Convolve { signal, .. } => format!("convolve {}", signal.dtype),
        O::Where { out, .. } => format!("where {}", out.dtype),
        O::Gather { out, .. } => format!("take {}", out.dtype),
        O::Scatter { out, .. } => format!("put {}", out.dtype),
        O::Sort { x, .. } => format!("sort {}", x.dtype),
        O::ArgSort { x, .. } => format!("argsort {}", x.dtype),
        O::SearchSorted { sorted, .. } => format!("searchsorted {}", sorted.dtype),
        O::Contains { sorted, .. } => format!("isin {}", sorted.dtype),
        O::Interpolate { x, .. } => format!("interp {}", x.dtype),
        O::BinCount { x, .. } | O::Histogram { x, .. } => format!("histogram {}", x.dtype),
        O::Random { distribution, out, .. } => format!("random {} {}", name_of(distribution), out.dtype),
        O::MatMul { a, .. } => format!("matmul {}", a.dtype),
        O::Dot { a, .. } => format!("dot {}", a.dtype),
        O::SparseProduct { data, .. } => format!("sparse product {}", data.dtype),
        O::Transform { x, .. } => format!("fft {}", x.dtype),
        O::Launch { launch, .. } => format!("kernel {}", launch.kernel.short_name()),
    };
    (name, 0)
}

/// The dtype of two operands.
fn common_dtype(a: Operand<'_>, b: Operand<'_>) -> DType {
    match (a, b) {
        (Operand::Array(array), _) | (_, Operand::Array(array)) => array.dtype,
        (Operand::Scalar(scalar), _) => scalar.dtype(),
    }
}

/// An array's memory and the number of its elements.
fn elements(view: &View<'_>) -> (*const u8, usize) {
    (origin(view).cast_const(), view.layout.size())
}

/// An array's memory and how its elements lie there.
fn placed<'a>(view: &View<'a>) -> (*mut u8, &'a warpcell_base::backend::Layout) {
    (origin(view), view.layout)
}

/// Computes. The queue is held.
fn run(operation: Operation<'_>) -> Result<()> {
    use Operation as O;
    // SAFETY: of all calls: by the invariants of `Memory` nothing else accesses the arrays. Layouts, dtypes and shapes are as each
    // operation states, which is what the functions ask for.
    unsafe {
        match operation {
            O::Fill { value, out } => elementwise::fill(value, origin(&out), out.layout),
            O::Arange { start, step, out } => {
                elementwise::arange(start, step, out.dtype, origin(&out), out.layout.strides[0], out.layout.shape[0]);
            }
            O::Copy { source, out } => {
                convert::convert(source.dtype, origin(&source), source.layout, out.dtype, origin(&out), out.layout);
            }
            O::Unary { function, x, out } => {
                let input = elementwise::Input::Array(origin(&x), x.layout);
                elementwise::unary(function, x.dtype, input, origin(&out), out.layout);
            }
            O::Binary { function, a, b, out } => {
                elementwise::binary(function, common_dtype(a, b), [&a, &b].map(input), origin(&out), out.layout);
            }
            O::Reduce { reduction: reduction @ (ReduceOperation::ArgMax | ReduceOperation::ArgMin), x, axes, out } => {
                argminmax::arg(reduction, x.dtype, origin(&x), x.layout, axes[0], origin(&out).cast());
            }
            O::Reduce { reduction, x, axes, out } => {
                reduce::reduce(reduction, x.dtype, origin(&x), x.layout, axes, origin(&out));
            }
            O::SquaredDistances { x, axes, centres, skips_nan, out } => {
                let array = (origin(&x).cast_const(), x.layout);
                reduce::squared_distances(x.dtype, array, axes, origin(&centres), skips_nan, origin(&out));
            }
            O::Scan { reduction, x, axis, out } => {
                scan::scan(reduction, x.dtype, origin(&x), x.layout.around(axis), origin(&out));
            }
            O::Convolve2d { image, filter, origin: first, padding, out } => {
                let shape = |view: &View<'_>| [view.layout.shape[0], view.layout.shape[1]];
                let shapes = [shape(&image), shape(&filter), shape(&out)];
                convolve::convolve2d(image.dtype, &job([image, filter, out], shapes, first, padding));
            }
            O::Convolve { signal, filter, origin: first, out } => {
                let shapes = [signal, filter, out].map(|view| [1, view.layout.shape[0]]);
                let padding = Padding::Fill(Scalar::zero(signal.dtype));
                convolve::convolve2d(signal.dtype, &job([signal, filter, out], shapes, (0, first), padding));
            }
            O::Where { condition, a, b, out } => {
                let condition = (origin(&condition).cast_const(), condition.layout);
                where_::where_(out.dtype, condition, [&a, &b].map(input), origin(&out), out.layout);
            }
            O::Gather { source, axis, indices, out } => {
                let (from, by) = (placed(&source), placed(&indices));
                let job = index::Gather { source: from, axis, indices: by, out: (origin(&out), &out.layout.shape) };
                index::gather(out.dtype, indices.dtype, &job);
            }
            O::Scatter { values, axis, indices, out } => {
                let (by, to) = (placed(&indices), placed(&out));
                let job = index::Scatter { values: input(&values), axis, indices: by, out: to };
                index::scatter(out.dtype, indices.dtype, &job);
            }
            O::Sort { x, places, out } => {
                sort::sort(x.dtype, origin(&x), origin(&out), rows(&x), places)?;
            }
            O::ArgSort { x, out } => {
                let (rows, length) = rows(&x);
                sort::argsort(x.dtype, origin(&x), origin(&out).cast(), rows, length)?;
            }
            O::SearchSorted { sorted, values, right, out } => {
                let target = origin(&out).cast();
                search::search_sorted(sorted.dtype, elements(&sorted), elements(&values), right, target);
            }
            O::Contains { sorted, values, is_inverted, out } => {
                let target = origin(&out).cast();
                search::contains(sorted.dtype, elements(&sorted), elements(&values), is_inverted, target);
            }
            O::Interpolate { x, places, values, out } => {
                let points = [&places, &values].map(|view| origin(view).cast_const());
                search::interpolate(x.dtype, elements(&x), points, places.layout.size(), origin(&out));
            }
            O::BinCount { x, weights, out } => {
                let weights = weights.map(|weights| origin(&weights).cast_const());
                histogram::values(x.dtype, elements(&x), weights, (origin(&out), out.layout.size()));
            }
            O::Histogram { x, edges, span, out } => {
                let target = (origin(&out).cast(), out.layout.size());
                histogram::between(x.dtype, elements(&x), origin(&edges).cast(), span, target);
            }
            O::Random { blocks, distribution, out } => {
                random::fill(blocks, distribution, out.dtype, origin(&out), out.layout.size());
            }
            O::SparseProduct { pointers, indices, data, x, out } => {
                let (first, count) = elements(&pointers);
                let lines = (first.cast(), count - 1);
                let columns = out.layout.shape[1];
                let [data_at, x_at] = [&data, &x].map(|view| origin(view).cast_const());
                sparse::multiply(data.dtype, lines, origin(&indices).cast(), data_at, x_at, columns, origin(&out));
            }
            O::MatMul { a, b, out, .. } => {
                let (pairs, [rows, columns]) = out.layout.shape.split_last_chunk().expect("`out` has two axes");
                let pairs = matmul::pairs(pairs, &a.layout.strides, &b.layout.strides);
                let factor = |view: &View<'_>| {
                    let &[.., down, across] = &view.layout.strides[..] else { unreachable!("factors have two axes") };
                    matmul::Factor { start: origin(view), strides: [down, across] }
                };
                let lengths = [*rows, a.layout.shape[a.layout.shape.len() - 1], *columns];
                let (left, right) = (factor(&a), factor(&b));
                let products = matmul::Products { lengths, a: left, b: right, pairs: &pairs, out: origin(&out) };
                matmul::matmul(a.dtype, &products);
            }
            O::Dot { a, b, conjugates, out } => {
                let vector = |view: &View<'_>| (origin(view).cast_const(), view.layout.strides[0]);
                dot::dot(a.dtype, vector(&a), vector(&b), a.layout.shape[0], conjugates, origin(&out));
            }
            O::Transform { axes, is_inverse, scale, destroys, x, out } => {
                let job = transform::Job { axes, is_inverse, scale, destroys };
                let from = (origin(&x), x.layout, x.dtype.is_complex());
                let to = (origin(&out), out.layout, out.dtype.is_complex());
                match out.dtype.part() {
                    DType::F32 => transform::transform::<f32>(job, from, to)?,
                    _ => transform::transform::<f64>(job, from, to)?,
                }
            }
            O::Map { .. } | O::MapReduce { .. } | O::Launch { .. } => unreachable!("these end by themselves"),
        }
    }
    Ok(())
}

/// A convolution of arrays with these shapes.
fn job([image, filter, out]: [View<'_>; 3], shapes: [[usize; 2]; 3], origin_: (usize, usize), padding: Padding) -> Job {
    let [image_shape, filter_shape, out_shape] = shapes;
    Job {
        image: origin(&image),
        image_shape,
        filter: origin(&filter),
        filter_shape,
        origin: origin_,
        padding,
        out: origin(&out),
        out_shape,
    }
}
