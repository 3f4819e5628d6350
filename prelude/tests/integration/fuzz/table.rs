//! The functions that the fuzz calls: their names in tests/fuzz/table.py, the element types, and the call.

use super::case::Case;
use super::compare::{Host, Outcome};
use super::families::{Call, functions};
use warpcell as gpu;
use warpcell::fft::{self, Norm};
use warpcell::keywords;
use warpcell::linalg;
use warpcell::{Complex, Element, MixedArray, Mode, Pad, Side, f16};

/// The call of the function that a case names.
pub fn evaluate(case: &Case) -> Vec<Host> {
    let calls =
        [elementwise, pairs, reductions, orders, shapes, parts, products, signals, made, super::arguments::arguments];
    let found = calls.iter().chain(&super::scipy::CALLS).find_map(|calls| calls(case.function, case.dtype));
    let call = found.unwrap_or_else(|| panic!("fuzz: the table has no {} of {}", case.function, case.dtype));
    call(case)
}

functions! { elementwise(c) {
    inexact:
        "exp" => c.a::<T>(0).exp(),
        "sqrt" => c.a::<T>(0).sqrt(),
        "log" => c.a::<T>(0).log(),
        "log2" => c.a::<T>(0).log2(),
        "log10" => c.a::<T>(0).log10(),
        "log1p" => c.a::<T>(0).log1p(),
        "exp2" => c.a::<T>(0).exp2(),
        "expm1" => c.a::<T>(0).expm1(),
        "sin" => c.a::<T>(0).sin(),
        "cos" => c.a::<T>(0).cos(),
        "tan" => c.a::<T>(0).tan(),
        "sinh" => c.a::<T>(0).sinh(),
        "cosh" => c.a::<T>(0).cosh(),
        "tanh" => c.a::<T>(0).tanh(),
        "asin" => c.a::<T>(0).asin(),
        "acos" => c.a::<T>(0).acos(),
        "atan" => c.a::<T>(0).atan(),
        "asinh" => c.a::<T>(0).asinh(),
        "acosh" => c.a::<T>(0).acosh(),
        "atanh" => c.a::<T>(0).atanh(),
        "reciprocal" => c.a::<T>(0).reciprocal(),
        "sinc" => c.a::<T>(0).sinc(),
        "nan_to_num" => keywords::nan_to_num(&c.a::<T>(0), c.opt_float("nan"), c.opt_float("posinf"), c.opt_float("neginf"));
    floats:
        "cbrt" => c.a::<T>(0).cbrt(),
        "radians" => c.a::<T>(0).radians(),
        "degrees" => c.a::<T>(0).degrees(),
        "i0" => c.a::<T>(0).i0(),
        "modf" => c.a::<T>(0).modf(),
        "frexp" => c.a::<T>(0).frexp(),
        "fabs" => gpu::fabs(&c.a::<T>(0)),
        "rint" => gpu::rint(&c.a::<T>(0)),
        "ldexp" => c.a::<T>(0).ldexp(c.a::<i32>(1)),
        "nextafter" => c.a::<T>(0).nextafter(c.a::<T>(1)),
        "atan2" => c.a::<T>(0).atan2(c.a::<T>(1)),
        "hypot" => c.a::<T>(0).hypot(c.a::<T>(1)),
        "copysign" => c.a::<T>(0).copysign(c.a::<T>(1)),
        "logaddexp" => c.a::<T>(0).logaddexp(c.a::<T>(1)),
        "logaddexp2" => c.a::<T>(0).logaddexp2(c.a::<T>(1)),
        "heaviside" => c.a::<T>(0).heaviside(c.a::<T>(1)),
        "powi" => c.a::<T>(0).powi(c.int("exponent") as i32),
        "divide" => &c.a::<T>(0) / &c.a::<T>(1),
        "divide_scalar" => &c.a::<T>(0) / c.one::<T>(1),
        "scalar_divide" => c.one::<T>(1) / &c.a::<T>(0);
    numbers:
        "abs" => c.a::<T>(0).abs(),
        "floor" => c.a::<T>(0).floor(),
        "ceil" => c.a::<T>(0).ceil(),
        "trunc" => c.a::<T>(0).trunc(),
        "round" => keywords::round(&c.a::<T>(0), c.int("decimals") as i32),
        "sign" => c.a::<T>(0).sign(),
        "square" => c.a::<T>(0).square(),
        "negative" => -c.a::<T>(0),
        "positive" => gpu::positive(&c.a::<T>(0)),
        "isnan" => c.a::<T>(0).is_nan(),
        "isinf" => c.a::<T>(0).is_inf(),
        "isfinite" => c.a::<T>(0).is_finite(),
        "signbit" => c.a::<T>(0).signbit(),
        "isposinf" => c.a::<T>(0).isposinf(),
        "isneginf" => c.a::<T>(0).isneginf(),
        "clip" => c.a::<T>(0).clip(c.a::<T>(1), c.a::<T>(2)),
        "clip_scalars" => c.a::<T>(0).clip(c.one::<T>(1), c.one::<T>(2));
    stored:
        "abs" => c.a::<T>(0).abs(),
        "floor" => c.a::<T>(0).floor(),
        "sign" => c.a::<T>(0).sign(),
        "square" => c.a::<T>(0).square(),
        "negative" => -c.a::<T>(0),
        "add" => &c.a::<T>(0) + &c.a::<T>(1),
        "subtract" => &c.a::<T>(0) - &c.a::<T>(1),
        "multiply" => &c.a::<T>(0) * &c.a::<T>(1),
        "maximum" => c.a::<T>(0).maximum(c.a::<T>(1)),
        "minimum" => c.a::<T>(0).minimum(c.a::<T>(1)),
        "floor_divide" => c.a::<T>(0).floor_divide(c.a::<T>(1)),
        "modulo" => c.a::<T>(0).modulo(c.a::<T>(1));
    complexes:
        "abs" => c.a::<T>(0).abs(),
        "square" => c.a::<T>(0).square(),
        "negative" => -c.a::<T>(0),
        "add" => &c.a::<T>(0) + &c.a::<T>(1),
        "subtract" => &c.a::<T>(0) - &c.a::<T>(1),
        "multiply" => &c.a::<T>(0) * &c.a::<T>(1),
        "divide" => &c.a::<T>(0) / &c.a::<T>(1),
        "real" => c.a::<T>(0).real(),
        "imag" => c.a::<T>(0).imag(),
        "conj" => c.a::<T>(0).conj(),
        "angle" => c.a::<T>(0).angle(),
        "isnan" => c.a::<T>(0).is_nan(),
        "isinf" => c.a::<T>(0).is_inf(),
        "isfinite" => c.a::<T>(0).is_finite();
    any:
        "isreal" => c.a::<T>(0).isreal(),
        "iscomplex" => c.a::<T>(0).iscomplex(),
        "logical_not" => c.a::<T>(0).logical_not(),
        "logical_and" => c.a::<T>(0).logical_and(c.a::<T>(1)),
        "logical_or" => c.a::<T>(0).logical_or(c.a::<T>(1)),
        "logical_xor" => c.a::<T>(0).logical_xor(c.a::<T>(1)),
        "equal" => c.a::<T>(0).eq(c.a::<T>(1)),
        "not_equal" => c.a::<T>(0).ne(c.a::<T>(1)),
        "where" => gpu::where_(&c.a::<bool>(1), c.a::<T>(0), c.a::<T>(2)),
        "where_scalar" => gpu::where_(&c.a::<bool>(1), c.a::<T>(0), c.one::<T>(2)),
        "array_equal" => gpu::array_equal(&c.a::<T>(0), &c.a::<T>(1)),
        "array_equiv" => gpu::array_equiv(&c.a::<T>(0), &c.a::<T>(1));
    integers:
        "bitwise_count" => c.a::<T>(0).bitwise_count(),
        "gcd" => c.a::<T>(0).gcd(c.a::<T>(1)),
        "lcm" => c.a::<T>(0).lcm(c.a::<T>(1)),
        "left_shift" => c.a::<T>(0).left_shift(c.a::<T>(1)),
        "right_shift" => c.a::<T>(0).right_shift(c.a::<T>(1));
    bits:
        "invert" => c.a::<T>(0).bitwise_not(),
        "bitwise_and" => c.a::<T>(0).bitwise_and(c.a::<T>(1)),
        "bitwise_or" => c.a::<T>(0).bitwise_or(c.a::<T>(1)),
        "bitwise_xor" => c.a::<T>(0).bitwise_xor(c.a::<T>(1)),
        "packbits" => keywords::packbits(&c.a::<T>(0), c.opt("axis"), Some(c.text("bitorder")));
    bytes:
        "unpackbits" => keywords::unpackbits(&c.a::<T>(0), c.opt("axis"), c.opt("count"), Some(c.text("bitorder")));
    double:
        "isclose" => keywords::isclose(&c.a::<T>(0), &c.a::<T>(1), c.float("rtol"), c.float("atol"), c.flag("equal_nan")),
        "allclose" => gpu::allclose_with(&c.a::<T>(0), &c.a::<T>(1), c.float("rtol"), c.float("atol"), c.flag("equal_nan"));
} }

functions! { pairs(c) {
    numbers:
        "add" => &c.a::<T>(0) + &c.a::<T>(1),
        "subtract" => &c.a::<T>(0) - &c.a::<T>(1),
        "multiply" => &c.a::<T>(0) * &c.a::<T>(1),
        "maximum" => c.a::<T>(0).maximum(c.a::<T>(1)),
        "minimum" => c.a::<T>(0).minimum(c.a::<T>(1)),
        "fmax" => c.a::<T>(0).fmax(c.a::<T>(1)),
        "fmin" => c.a::<T>(0).fmin(c.a::<T>(1)),
        "true_divide" => c.a::<T>(0).true_divide(c.a::<T>(1)),
        "float_power" => c.a::<T>(0).float_power(c.a::<T>(1)),
        "floor_divide" => c.a::<T>(0).floor_divide(c.a::<T>(1)),
        "modulo" => c.a::<T>(0).modulo(c.a::<T>(1)),
        "fmod" => gpu::fmod(&c.a::<T>(0), c.a::<T>(1)),
        "divmod" => c.a::<T>(0).divmod(c.a::<T>(1)),
        "power" => c.a::<T>(0).pow(c.a::<T>(1)),
        "add_scalar" => &c.a::<T>(0) + c.one::<T>(1),
        "scalar_subtract" => c.one::<T>(1) - &c.a::<T>(0),
        "multiply_scalar" => &c.a::<T>(0) * c.one::<T>(1),
        "modulo_scalar" => c.a::<T>(0).modulo(c.one::<T>(1)),
        "floor_divide_scalar" => c.a::<T>(0).floor_divide(c.one::<T>(1)),
        "power_scalar" => c.a::<T>(0).pow(c.one::<T>(1)),
        "maximum_scalar" => c.a::<T>(0).maximum(c.one::<T>(1));
    real:
        "less" => c.a::<T>(0).lt(c.a::<T>(1)),
        "less_equal" => c.a::<T>(0).le(c.a::<T>(1)),
        "greater" => c.a::<T>(0).gt(c.a::<T>(1)),
        "greater_equal" => c.a::<T>(0).ge(c.a::<T>(1)),
        "less_scalar" => c.a::<T>(0).lt(c.one::<T>(1));
    any:
        "astype" => converted::<T>(c);
    stored:
        "astype" => converted::<T>(c);
    integers:
        "astype" => converted::<T>(c);
} }

/// The array with another element type.
fn converted<T: Element>(c: &Case) -> Vec<Host> {
    fn to<D: Element, T: Element>(c: &Case) -> Vec<Host> {
        vec![Host::of(&c.a::<T>(0).astype::<D>())]
    }
    macro_rules! each {
        ($($numpy:literal $type:ty),*) => {
            match c.text("to") {
                $($numpy => to::<$type, T>(c),)*
                other => panic!("fuzz: no type {other}"),
            }
        };
    }
    each!(
        "bool" bool, "uint8" u8, "int8" i8, "uint16" u16, "int16" i16, "uint32" u32, "int32" i32, "uint64" u64,
        "int64" i64, "float16" f16, "float32" f32, "float64" f64, "complex64" Complex<f32>, "complex128" Complex<f64>
    )
}

functions! { reductions(c) {
    real:
        "sum" => keywords::sum(&c.a::<T>(0), c.axes(), c.named("initial").map(|a| a.item()), c.named("where").as_ref()),
        "sum_all" => c.a::<T>(0).sum(),
        "prod" => keywords::prod(&c.a::<T>(0), c.axes(), c.named("initial").map(|a| a.item()), c.named("where").as_ref()),
        "mean" => keywords::mean(&c.a::<T>(0), c.axes(), c.named("where").as_ref()),
        "mean_all" => c.a::<T>(0).mean(),
        "argmax" => keywords::argmax(&c.a::<T>(0), c.axes()),
        "argmin" => keywords::argmin(&c.a::<T>(0), c.axes()),
        "argmax_all" => c.a::<T>(0).argmax(),
        "count_nonzero" => keywords::count_nonzero(&c.a::<T>(0), c.axes()),
        "cumsum" => match c.opt("axis") {
            None => gpu::cumsum(&c.a::<T>(0)),
            Some(axis) => gpu::cumsum_axis(&c.a::<T>(0), axis),
        },
        "cumprod" => match c.opt("axis") {
            None => gpu::cumprod(&c.a::<T>(0)),
            Some(axis) => gpu::cumprod_axis(&c.a::<T>(0), axis),
        },
        "cumulative_sum" => keywords::cumulative_sum(&c.a::<T>(0), c.opt("axis"), Some(c.flag("include_initial"))),
        "cumulative_prod" => keywords::cumulative_prod(&c.a::<T>(0), c.opt("axis"), Some(c.flag("include_initial")));
    stored:
        "sum" => keywords::sum(&c.a::<T>(0), c.axes(), None, c.named("where").as_ref());
    complexes:
        "norm" => c.norm::<T>(),
        "sum" => keywords::sum(&c.a::<T>(0), c.axes(), None, c.named("where").as_ref()),
        "mean" => keywords::mean(&c.a::<T>(0), c.axes(), c.named("where").as_ref());
    numbers:
        "var" => keywords::var(&c.a::<T>(0), c.axes(), c.float("ddof"), c.named("where").as_ref()),
        "std" => keywords::std(&c.a::<T>(0), c.axes(), c.float("ddof"), c.named("where").as_ref()),
        "max" => keywords::max(&c.a::<T>(0), c.axes(), c.named::<T>("initial").map(|a| a.item()), c.named("where").as_ref()),
        "min" => keywords::min(&c.a::<T>(0), c.axes(), c.named::<T>("initial").map(|a| a.item()), c.named("where").as_ref()),
        "max_all" => c.a::<T>(0).max(),
        "min_all" => c.a::<T>(0).min(),
        "ptp" => keywords::ptp(&c.a::<T>(0), c.axes()),
        "median" => keywords::median(&c.a::<T>(0), c.axes()),
        "quantile" => keywords::quantile_by(&c.a::<T>(0), c.floats("q"), c.axes(), c.text("method")),
        "percentile" => keywords::percentile(&c.a::<T>(0), c.float("q"), c.axes()),
        "average" => {
            let weights = c.named::<<T as Element>::Mean>("weights");
            keywords::average(&c.a::<T>(0), c.axes(), weights.as_ref().map(|weights| weights as &dyn MixedArray))
        },
        "nansum" => keywords::nansum(&c.a::<T>(0), c.axes(), c.named("initial").map(|a| a.item()), c.named("where").as_ref()),
        "nanprod" => keywords::nanprod(&c.a::<T>(0), c.axes(), c.named("initial").map(|a| a.item()), c.named("where").as_ref()),
        "nanmax" => keywords::nanmax(&c.a::<T>(0), c.axes(), None, None),
        "nanmin" => keywords::nanmin(&c.a::<T>(0), c.axes(), None, None),
        "nanmean" => keywords::nanmean(&c.a::<T>(0), c.axes(), c.named("where").as_ref()),
        "nanvar" => keywords::nanvar(&c.a::<T>(0), c.axes(), c.float("ddof"), c.named("where").as_ref()),
        "nanstd" => keywords::nanstd(&c.a::<T>(0), c.axes(), c.float("ddof"), c.named("where").as_ref()),
        "nanmedian" => keywords::nanmedian(&c.a::<T>(0), c.axes()),
        "nanargmax" => match c.opt("axis") {
            None => gpu::nanargmax(&c.a::<T>(0)).hosts(),
            Some(axis) => keywords::nanargmax(&c.a::<T>(0), axis).hosts(),
        },
        "nanargmin" => match c.opt("axis") {
            None => gpu::nanargmin(&c.a::<T>(0)).hosts(),
            Some(axis) => keywords::nanargmin(&c.a::<T>(0), axis).hosts(),
        },
        "nancumsum" => match c.opt("axis") {
            None => gpu::nancumsum(&c.a::<T>(0)),
            Some(axis) => keywords::nancumsum(&c.a::<T>(0), axis),
        },
        "nancumprod" => match c.opt("axis") {
            None => gpu::nancumprod(&c.a::<T>(0)),
            Some(axis) => keywords::nancumprod(&c.a::<T>(0), axis),
        },
        "norm" => c.norm::<T>(),
        "cov" => {
            let ddof = Some(c.int("ddof") as f64);
            keywords::cov(&c.a::<T>(0), None, Some(c.flag("rowvar")), None, ddof, None, None)
        },
        "corrcoef" => keywords::corrcoef(&c.a::<T>(0), None, Some(c.flag("rowvar"))),
        "diff" => {
            let end = |name| c.named::<T>(name).map(keywords::end);
            keywords::diff(&c.a::<T>(0), c.size("n"), c.int("axis"), end("prepend"), end("append"))
        },
        "ediff1d" => keywords::ediff1d(&c.a::<T>(0), c.named("to_end").as_ref(), c.named("to_begin").as_ref()),
        "trapezoid" => keywords::trapezoid(&c.a::<T>(0), c.named("x").as_ref(), c.opt_float("dx"), c.opt("axis")),
        "unwrap" => keywords::unwrap(&c.a::<T>(0), c.opt_float("discont"), c.opt("axis"), c.opt_float("period")),
        "gradient" => match c.has("axis") {
            true => keywords::gradient_axes(&c.a::<T>(0), c.float("spacing"), c.list("axis"), c.size("edge_order")),
            false => keywords::gradient(&c.a::<T>(0), c.float("spacing"), c.size("edge_order")),
        };
    bools:
        "all" => keywords::all(&c.a::<T>(0), c.axes(), c.named("where").as_ref()),
        "any" => keywords::any(&c.a::<T>(0), c.axes(), c.named("where").as_ref()),
        "all_all" => c.a::<T>(0).all(),
        "any_all" => c.a::<T>(0).any();
} }

fn side(c: &Case) -> Side {
    if c.flag("right") { Side::Right } else { Side::Left }
}

functions! { orders(c) {
    real:
        "sort" => gpu::sort_axis(&c.a::<T>(0), c.int("axis")),
        "argsort" => gpu::argsort_axis(&c.a::<T>(0), c.int("axis")),
        "sort_in_place" => { c.a::<T>(0).sort(); c.base::<T>(0) },
        "msort" => gpu::msort(&c.a::<T>(0)),
        "partition" => {
            let parted = keywords::partition(&c.a::<T>(0), c.size("kth"), c.int("axis"));
            (parted.take_axis(c.size("kth"), c.int("axis")), gpu::sort_axis(&parted, c.int("axis")))
        },
        "argpartition" => {
            let places = keywords::argpartition(&c.a::<T>(0), c.size("kth"), c.int("axis"));
            let parted = c.a::<T>(0).take_along_axis(&places, c.int("axis"));
            (parted.take_axis(c.size("kth"), c.int("axis")), gpu::sort_axis(&parted, c.int("axis")))
        },
        "unique" => gpu::unique(&c.a::<T>(0)),
        "unique_counts" => gpu::unique_counts(&c.a::<T>(0)),
        "unique_inverse" => gpu::unique_inverse(&c.a::<T>(0)),
        "unique_all" => gpu::unique_all(&c.a::<T>(0)),
        "searchsorted" => gpu::searchsorted(&c.a::<T>(0), &c.a::<T>(1), side(c)),
        "digitize" => gpu::digitize_with(&c.a::<T>(0), &c.a::<T>(1), side(c)),
        "lexsort" => keywords::lexsort(&c.rest::<T>(0), c.int("axis")),
        "isin" => keywords::isin(&c.a::<T>(0), &c.a::<T>(1), c.flag("invert")),
        "intersect1d" => gpu::intersect1d(&c.a::<T>(0), &c.a::<T>(1)),
        "setdiff1d" => gpu::setdiff1d(&c.a::<T>(0), &c.a::<T>(1)),
        "setxor1d" => gpu::setxor1d(&c.a::<T>(0), &c.a::<T>(1)),
        "union1d" => gpu::union1d(&c.a::<T>(0), &c.a::<T>(1));
    numbers:
        "histogram" => match (c.flag("density"), c.has("weights"), c.opt_float("low"), c.has("edges")) {
            (false, false, None, false) => gpu::histogram(&c.a::<T>(0), c.size("bins"), ..).hosts(),
            (false, false, Some(low), false) => gpu::histogram(&c.a::<T>(0), c.size("bins"), (low, c.float("high"))).hosts(),
            (density, _, None, false) => {
                keywords::histogram(&c.a::<T>(0), c.size("bins"), .., density, c.named::<f64>("weights").as_ref()).hosts()
            }
            (density, _, Some(low), false) => {
                let range = (low, c.float("high"));
                keywords::histogram(&c.a::<T>(0), c.size("bins"), range, density, c.named::<f64>("weights").as_ref()).hosts()
            }
            (false, false, _, true) => gpu::histogram(&c.a::<T>(0), &c.named::<f64>("edges").expect("edges"), ..).hosts(),
            (density, _, _, true) => {
                let edges = c.named::<f64>("edges").expect("edges");
                keywords::histogram(&c.a::<T>(0), &edges, .., density, c.named::<f64>("weights").as_ref()).hosts()
            }
        },
        "histogram2d" => gpu::histogram2d(&c.a::<T>(0), &c.a::<T>(1), c.size("bins"), ..);
    integers:
        "bincount" => match c.named::<f64>("weights") {
            None => gpu::bincount_with(&c.a::<T>(0), c.size("minlength")).hosts(),
            Some(weights) => gpu::bincount_weighted(&c.a::<T>(0), &weights, c.size("minlength")).hosts(),
        };
    any:
        "sort_complex" => gpu::sort_complex(&c.a::<T>(0)),
        "nonzero" => c.a::<T>(0).nonzero(),
        "flatnonzero" => c.a::<T>(0).flatnonzero(),
        "argwhere" => c.a::<T>(0).argwhere();
    floats:
        "interp" => gpu::interp(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2));
} }

fn padding<T: Element>(c: &Case) -> Pad<T> {
    match c.text("mode") {
        "constant" => Pad::Constant(c.one(1)),
        "edge" => Pad::Edge,
        "reflect" => Pad::Reflect,
        "symmetric" => Pad::Symmetric,
        "wrap" => Pad::Wrap,
        other => panic!("fuzz: no mode {other}"),
    }
}

functions! { shapes(c) {
    any:
        "copy" => c.a::<T>(0).copy(),
        "reshape" => c.a::<T>(0).reshape(c.list("shape")),
        "ravel" => c.a::<T>(0).ravel(),
        "transpose" => c.a::<T>(0).transpose(),
        "permute_dims" => c.a::<T>(0).permute_dims(c.list("axes")),
        "swapaxes" => c.a::<T>(0).swapaxes(c.int("one"), c.int("other")),
        "moveaxis" => c.a::<T>(0).moveaxis(c.int("from"), c.int("to")),
        "expand_dims" => c.a::<T>(0).expand_dims(c.int("axis")),
        "squeeze" => c.a::<T>(0).squeeze(),
        "broadcast_to" => c.a::<T>(0).broadcast_to(c.lengths("shape")),
        "broadcast_arrays" => gpu::broadcast_arrays(&c.rest::<T>(0)),
        "matrix_transpose" => gpu::matrix_transpose(&c.a::<T>(0)),
        "concatenate" => gpu::concatenate(&c.rest::<T>(0), c.int("axis")),
        "stack" => gpu::stack(&c.rest::<T>(0), c.int("axis")),
        "vstack" => gpu::vstack(&c.rest::<T>(0)),
        "hstack" => gpu::hstack(&c.rest::<T>(0)),
        "dstack" => gpu::dstack(&c.rest::<T>(0)),
        "column_stack" => gpu::column_stack(&c.rest::<T>(0)),
        "split" => match c.has("places") {
            true => gpu::split(&c.a::<T>(0), c.list("places"), c.int("axis")),
            false => gpu::split(&c.a::<T>(0), c.size("sections"), c.int("axis")),
        },
        "array_split" => match c.has("places") {
            true => keywords::array_split(&c.a::<T>(0), c.list("places"), c.int("axis")),
            false => keywords::array_split(&c.a::<T>(0), c.size("sections"), c.int("axis")),
        },
        "hsplit" => gpu::hsplit(&c.a::<T>(0), c.size("sections")),
        "vsplit" => gpu::vsplit(&c.a::<T>(0), c.size("sections")),
        "dsplit" => gpu::dsplit(&c.a::<T>(0), c.size("sections")),
        "flip" => match c.has("axis") {
            true => gpu::flip(&c.a::<T>(0), c.list("axis")),
            false => keywords::flip_all(&c.a::<T>(0)),
        },
        "fliplr" => gpu::fliplr(&c.a::<T>(0)),
        "flipud" => gpu::flipud(&c.a::<T>(0)),
        "rot90" => keywords::rot90(&c.a::<T>(0), c.int("k"), c.list("axes")),
        "roll" => match c.has("axis") {
            true => keywords::roll(&c.a::<T>(0), c.list("shift"), c.list("axis")),
            false => keywords::roll_all(&c.a::<T>(0), c.int("shift")),
        },
        "rollaxis" => keywords::rollaxis(&c.a::<T>(0), c.int("axis"), c.int("start")),
        "pad" => gpu::pad(&c.a::<T>(0), &c.pairs("width")[..], padding(c)),
        "repeat" => match c.opt("axis") {
            None => keywords::repeat_all(&c.a::<T>(0), c.size("repeats")),
            Some(axis) => keywords::repeat(&c.a::<T>(0), c.size("repeats"), axis),
        },
        "repeat_each" => match c.opt("axis") {
            None => keywords::repeat_all(&c.a::<T>(0), &c.a::<i64>(1)),
            Some(axis) => keywords::repeat(&c.a::<T>(0), &c.a::<i64>(1), axis),
        },
        "tile" => gpu::tile(&c.a::<T>(0), c.lengths("reps")),
        "resize" => gpu::resize(&c.a::<T>(0), c.lengths("shape")),
        "atleast_1d" => gpu::atleast_1d(&c.a::<T>(0)),
        "atleast_2d" => gpu::atleast_2d(&c.a::<T>(0)),
        "atleast_3d" => gpu::atleast_3d(&c.a::<T>(0)),
        "sliding_window_view" => match c.has("axis") {
            true => keywords::sliding_window_view(&c.a::<T>(0), c.lengths("window"), c.list("axis")),
            false => gpu::sliding_window_view(&c.a::<T>(0), c.lengths("window")),
        },
        "meshgrid" => gpu::meshgrid(&c.a::<T>(0), &c.a::<T>(1)),
        "append" => match c.opt("axis") {
            None => gpu::append(&c.a::<T>(0), c.a::<T>(1)),
            Some(axis) => keywords::append(&c.a::<T>(0), c.a::<T>(1), axis),
        },
        "delete" => match c.opt("axis") {
            None => gpu::delete(&c.a::<T>(0), c.list("obj")),
            Some(axis) => keywords::delete(&c.a::<T>(0), c.list("obj"), axis),
        },
        "delete_one" => match c.opt("axis") {
            None => gpu::delete(&c.a::<T>(0), c.int("obj")),
            Some(axis) => keywords::delete(&c.a::<T>(0), c.int("obj"), axis),
        },
        "insert" => match c.opt("axis") {
            None => gpu::insert(&c.a::<T>(0), c.list("obj"), c.a::<T>(1)),
            Some(axis) => keywords::insert(&c.a::<T>(0), c.list("obj"), c.a::<T>(1), axis),
        },
        "insert_one" => match c.opt("axis") {
            None => gpu::insert(&c.a::<T>(0), c.int("obj"), c.a::<T>(1)),
            Some(axis) => keywords::insert(&c.a::<T>(0), c.int("obj"), c.a::<T>(1), axis),
        },
        "trim_zeros" => keywords::trim_zeros(&c.a::<T>(0), c.text("trim")),
        "diag" => keywords::diag(&c.a::<T>(0), c.int("k")),
        "diagflat" => keywords::diagflat(&c.a::<T>(0), c.int("k")),
        "diagonal" => c.a::<T>(0).diagonal(),
        "tril" => keywords::tril(&c.a::<T>(0), c.int("k")),
        "triu" => keywords::triu(&c.a::<T>(0), c.int("k")),
        "fftshift" => match c.has("axes") {
            true => fft::fftshift_with(&c.a::<T>(0), c.list("axes")),
            false => fft::fftshift(&c.a::<T>(0)),
        },
        "ifftshift" => match c.has("axes") {
            true => fft::ifftshift_with(&c.a::<T>(0), c.list("axes")),
            false => fft::ifftshift(&c.a::<T>(0)),
        };
} }

functions! { parts(c) {
    any:
        "take" => c.a::<T>(0).take(&c.a::<i64>(1)),
        "take_axis" => c.a::<T>(0).take_axis(&c.a::<i64>(1), c.int("axis")),
        "take_along_axis" => c.a::<T>(0).take_along_axis(&c.a::<i64>(1), c.int("axis")),
        "extract_mask" => c.a::<T>(0).extract(&c.a::<bool>(1)),
        "extract" => gpu::extract(&c.a::<bool>(1), &c.a::<T>(0)),
        "compress" => match c.opt("axis") {
            None => gpu::compress(&c.a::<bool>(1), &c.a::<T>(0)),
            Some(axis) => keywords::compress(&c.a::<bool>(1), &c.a::<T>(0), axis),
        },
        "get" => c.a::<T>(0).get(&c.lengths("index")),
        "select" => {
            let choices = c.rest::<T>(3);
            keywords::select([&c.a::<bool>(1), &c.a::<bool>(2)], choices, c.one::<T>(0))
        },
        "choose" => match c.text("mode") {
            "raise" => gpu::choose(&c.a::<i64>(0), c.rest::<T>(1)),
            "wrap" => keywords::choose_wrapped(&c.a::<i64>(0), c.rest::<T>(1)),
            _ => keywords::choose_clipped(&c.a::<i64>(0), c.rest::<T>(1)),
        },
        // What writes gives the array that was written to, of which the first argument is a view.
        "put" => {
            let (mut a, places, values) = (c.a::<T>(0), c.a::<i64>(1), c.a::<T>(2));
            match c.text("mode") {
                "raise" => gpu::put(&mut a, &places, values),
                "wrap" => keywords::put_wrapped(&mut a, &places, values),
                _ => keywords::put_clipped(&mut a, &places, values),
            }
            c.base::<T>(0)
        },
        "put_along_axis" => {
            gpu::put_along_axis(&mut c.a::<T>(0), &c.a::<i64>(1), c.a::<T>(2), c.int("axis"));
            c.base::<T>(0)
        },
        "putmask" => { gpu::putmask(&mut c.a::<T>(0), &c.a::<bool>(1), c.a::<T>(2)); c.base::<T>(0) },
        "place" => { gpu::place(&mut c.a::<T>(0), &c.a::<bool>(1), c.a::<T>(2)); c.base::<T>(0) },
        "copyto" => {
            match c.named::<bool>("where") {
                None => gpu::copyto(&mut c.a::<T>(0), c.a::<T>(1)),
                Some(mask) => keywords::copyto(&mut c.a::<T>(0), c.a::<T>(1), &mask),
            }
            c.base::<T>(0)
        },
        "fill_diagonal" => { keywords::fill_diagonal(&mut c.a::<T>(0), c.a::<T>(1), c.flag("wrap")); c.base::<T>(0) },
        "assign" => { c.a::<T>(0).assign(c.a::<T>(1)); c.base::<T>(0) },
        "fill" => { c.a::<T>(0).fill(c.one::<T>(1)); c.base::<T>(0) },
        "set_axis" => { c.a::<T>(0).put_axis(&c.a::<i64>(1), c.a::<T>(2), c.int("axis")); c.base::<T>(0) };
    numbers:
        "add_assign" => { let mut a = c.a::<T>(0); a += &c.a::<T>(1); c.base::<T>(0) },
        "multiply_assign" => { let mut a = c.a::<T>(0); a *= &c.a::<T>(1); c.base::<T>(0) };
    long:
        "ravel_multi_index" => gpu::ravel_multi_index(&c.rest::<T>(0), c.lengths("dims")),
        "unravel_index" => gpu::unravel_index(&c.a::<T>(0), c.lengths("shape")),
        "ix_" => gpu::ix_(&c.rest::<T>(0)),
        "diag_indices" => keywords::diag_indices(c.size("n"), c.size("ndim")),
        "tril_indices" => keywords::tril_indices(c.size("n"), c.int("k"), c.size("m")),
        "triu_indices" => keywords::triu_indices(c.size("n"), c.int("k"), c.size("m")),
        "indices" => gpu::indices(c.lengths("dimensions"));
} }

functions! { products(c) {
    any:
        "matmul" => gpu::matmul(&c.a::<T>(0), &c.a::<T>(1));
    products:
        "matmul" => gpu::matmul(&c.a::<T>(0), &c.a::<T>(1)),
        "dot" => gpu::dot(&c.a::<T>(0), &c.a::<T>(1)),
        "vdot" => gpu::vdot(&c.a::<T>(0), &c.a::<T>(1)),
        "inner" => gpu::inner(&c.a::<T>(0), &c.a::<T>(1)),
        "outer" => gpu::outer(&c.a::<T>(0), &c.a::<T>(1)),
        "kron" => gpu::kron(&c.a::<T>(0), &c.a::<T>(1)),
        "tensordot" => match c.has("axes") {
            true => gpu::tensordot(&c.a::<T>(0), &c.a::<T>(1), c.size("axes")),
            false => gpu::tensordot(&c.a::<T>(0), &c.a::<T>(1), (c.list("left"), c.list("right"))),
        },
        "einsum" => gpu::einsum(c.text("notation"), &c.rest::<T>(0)),
        "trace" => gpu::trace(&c.a::<T>(0)),
        "cross" => keywords::cross(&c.a::<T>(0), &c.a::<T>(1), None, None, None, c.opt("axis")),
        "inv" => linalg::inv(&c.a::<T>(0)),
        "solve" => linalg::solve(&c.a::<T>(0), &c.a::<T>(1)),
        "matrix_power" => linalg::matrix_power(&c.a::<T>(0), c.int("n") as i64),
        "det" => linalg::det_each(&c.a::<T>(0)),
        "slogdet" => linalg::slogdet_each(&c.a::<T>(0)),
        "qr_r" => linalg::qr_r(&c.a::<T>(0)).abs(),
        "qr" => { let (q, r) = linalg::qr(&c.a::<T>(0)); gpu::matmul(&q, &r) },
        "svdvals" => linalg::svdvals(&c.a::<T>(0)),
        "svd" => {
            let (u, s, vh) = linalg::svd_with(&c.a::<T>(0), false);
            gpu::matmul(&(u * s.astype::<T>().expand_dims(-2)), &vh)
        },
        "cholesky" => linalg::cholesky(&c.a::<T>(0)),
        "eigvalsh" => linalg::eigvalsh(&c.a::<T>(0)),
        "pinv" => linalg::pinv(&c.a::<T>(0)),
        "matrix_rank" => linalg::matrix_rank_each(&c.a::<T>(0)),
        "lstsq" => linalg::lstsq(&c.a::<T>(0), &c.a::<T>(1)).0;
    integers:
        "dot" => gpu::dot(&c.a::<T>(0), &c.a::<T>(1)),
        "inner" => gpu::inner(&c.a::<T>(0), &c.a::<T>(1)),
        "outer" => gpu::outer(&c.a::<T>(0), &c.a::<T>(1)),
        "trace" => gpu::trace(&c.a::<T>(0));
    floats:
        "polyvander" => gpu::polyvander(&c.a::<T>(0), c.size("deg")),
        "polyvalfromroots" => gpu::polyvalfromroots(&c.a::<T>(0), &c.a::<T>(1)),
        "polycompanion" => gpu::polycompanion(&c.a::<T>(0)),
        "polyfit" => keywords::polyfit(&c.a::<T>(0), &c.a::<T>(1), c.size("deg"), None, None);
    numbers:
        "polyval" => gpu::polyval(&c.a::<T>(0), &c.a::<T>(1)),
        "polyadd" => gpu::polyadd(&c.a::<T>(0), &c.a::<T>(1)),
        "polysub" => gpu::polysub(&c.a::<T>(0), &c.a::<T>(1)),
        "polymul" => gpu::polymul(&c.a::<T>(0), &c.a::<T>(1)),
        "polydiv" => gpu::polydiv(&c.a::<T>(0), &c.a::<T>(1)),
        "polyder" => keywords::polyder(&c.a::<T>(0), c.size("m")),
        "polyint" => keywords::polyint(&c.a::<T>(0), c.size("m"), []),
        "trimseq" => gpu::trimseq(&c.a::<T>(0)),
        "vander" => keywords::vander(&c.a::<T>(0), c.size("n"), c.flag("increasing"));
    double:
        "poly" => gpu::poly(&c.a::<T>(0)),
        "roots" => { let roots = gpu::roots(&c.a::<T>(0)); gpu::sort(&roots.abs()) };
} }

fn norm(c: &Case) -> Norm {
    match c.text("norm") {
        "ortho" => Norm::Ortho,
        "forward" => Norm::Forward,
        _ => Norm::Backward,
    }
}
fn mode(c: &Case) -> Mode {
    match c.text("mode") {
        "full" => Mode::Full,
        "same" => Mode::Same,
        _ => Mode::Valid,
    }
}
fn count(c: &Case) -> Option<usize> {
    c.opt("n").map(|n| n as usize)
}

functions! { signals(c) {
    any:
        "fft" => fft::fft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c)),
        "ifft" => fft::ifft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c)),
        "irfft" => fft::irfft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c)),
        "hfft" => fft::hfft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c)),
        "fftn" => match c.has("s") {
            true => fft::fftn_with(&c.a::<T>(0), Some(&c.lengths("s")[..]), c.list("axes"), norm(c)),
            false => fft::fftn_with(&c.a::<T>(0), None, c.list("axes"), norm(c)),
        },
        "ifftn" => match c.has("s") {
            true => fft::ifftn_with(&c.a::<T>(0), Some(&c.lengths("s")[..]), c.list("axes"), norm(c)),
            false => fft::ifftn_with(&c.a::<T>(0), None, c.list("axes"), norm(c)),
        },
        "irfftn" => match c.has("s") {
            true => fft::irfftn_with(&c.a::<T>(0), Some(&c.lengths("s")[..]), c.list("axes"), norm(c)),
            false => fft::irfftn_with(&c.a::<T>(0), None, c.list("axes"), norm(c)),
        };
    real:
        "rfft" => fft::rfft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c)),
        "ihfft" => fft::ihfft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c)),
        "rfftn" => match c.has("s") {
            true => fft::rfftn_with(&c.a::<T>(0), Some(&c.lengths("s")[..]), c.list("axes"), norm(c)),
            false => fft::rfftn_with(&c.a::<T>(0), None, c.list("axes"), norm(c)),
        };
    complexes:
        "fft" => fft::fft_with(&c.a::<T>(0), count(c), c.int("axis"), norm(c));
    numbers:
        "convolve" => gpu::convolve(&c.a::<T>(0), &c.a::<T>(1), mode(c)),
        "correlate" => gpu::correlate(&c.a::<T>(0), &c.a::<T>(1), mode(c));
} }

functions! { made(c) {
    numbers:
        "arange" => match c.has("b") {
            false => gpu::arange(c.one::<T>(0)),
            true => gpu::arange((c.one::<T>(0), c.one::<T>(1), c.one::<T>(2))),
        },
        "full" => gpu::full(c.lengths("shape"), c.one::<T>(0)),
        "full_like" => gpu::full_like(&c.a::<T>(0), c.one::<T>(1)),
        "eye" => keywords::eye::<T>(c.size("n"), c.size("m"), c.int("k")),
        "tri" => keywords::tri::<T>(c.size("n"), c.size("m"), c.int("k")),
        "zeros" => gpu::zeros::<T>(c.lengths("shape")),
        "ones" => gpu::ones::<T>(c.lengths("shape")),
        "zeros_like" => gpu::zeros_like(&c.a::<T>(0)),
        "ones_like" => gpu::ones_like(&c.a::<T>(0));
    floats:
        "linspace" => keywords::linspace(c.one::<T>(0), c.one::<T>(1), c.size("num"), c.flag("endpoint"), 0),
        "logspace" => keywords::logspace(c.one::<T>(0), c.one::<T>(1), c.size("num"), c.flag("endpoint"), c.one::<T>(2)),
        "geomspace" => keywords::geomspace(c.one::<T>(0), c.one::<T>(1), c.size("num"), c.flag("endpoint"));
    double:
        "bartlett" => gpu::bartlett(c.size("n")),
        "blackman" => gpu::blackman(c.size("n")),
        "hamming" => gpu::hamming(c.size("n")),
        "hanning" => gpu::hanning(c.size("n")),
        "kaiser" => gpu::kaiser(c.size("n"), c.float("beta")),
        "fftfreq" => fft::fftfreq(c.size("n"), c.float("d")),
        "rfftfreq" => fft::rfftfreq(c.size("n"), c.float("d"));
} }
