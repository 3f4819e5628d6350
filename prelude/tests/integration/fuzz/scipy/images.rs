//! `gpu::ndimage`.

use super::super::case::Case;
use super::super::compare::Outcome;
use super::super::families::{Call, functions};
use warpcell as gpu;
use warpcell::DeviceArray;
use warpcell::ndimage::{self as nd, with};

/// A filter with a window: of a size or a footprint.
macro_rules! window {
    ($c:ident $function:ident($($before:expr),*)) => {
        match $c.named::<bool>("footprint") {
            Some(footprint) => {
                with::$function(&$c.a::<T>(0), $($before,)* (), &footprint, $c.words("mode"), $c.float("cval"), $c.list("origin"))
            }
            None => with::$function(
                &$c.a::<T>(0), $($before,)* $c.list("size"), (), $c.words("mode"), $c.float("cval"), $c.list("origin")
            ),
        }
    };
}

/// A filter with a window that may have heights.
macro_rules! grey {
    ($c:ident $function:ident) => {{
        let (mode, cval, origin) = ($c.words("mode"), $c.float("cval"), $c.list("origin"));
        match ($c.named::<bool>("footprint"), $c.named::<f64>("structure")) {
            (Some(footprint), _) => with::$function(&$c.a::<T>(0), (), &footprint, (), mode, cval, origin),
            (_, Some(structure)) => with::$function(&$c.a::<T>(0), (), (), &structure, mode, cval, origin),
            _ => with::$function(&$c.a::<T>(0), $c.list("size"), (), (), mode, cval, origin),
        }
    }};
}

/// A filter of lines.
macro_rules! line {
    ($c:ident $function:ident $size:expr) => {
        with::$function(&$c.a::<T>(0), $size, $c.int("axis"), $c.words("mode"), $c.float("cval"), $c.int("origin"))
    };
}

functions! { filters(c) {
    images:
        "ndimage.correlate1d" => line!(c correlate1d &c.floats("taps")),
        "ndimage.convolve1d" => line!(c convolve1d &c.floats("taps")),
        "ndimage.uniform_filter1d" => line!(c uniform_filter1d c.list("size")[0]),
        "ndimage.minimum_filter1d" => line!(c minimum_filter1d c.list("size")[0]),
        "ndimage.maximum_filter1d" => line!(c maximum_filter1d c.list("size")[0]),
        "ndimage.correlate" => with::correlate(&c.a::<T>(0), &c.a::<f64>(1), c.words("mode"), c.float("cval"), c.list("origin")),
        "ndimage.convolve" => with::convolve(&c.a::<T>(0), &c.a::<f64>(1), c.words("mode"), c.float("cval"), c.list("origin")),
        "ndimage.gaussian_filter" => with::gaussian_filter(
            &c.a::<T>(0), c.floats("sigma"), c.list("order"), c.words("mode"), c.float("cval"), c.float("truncate"), (), c.list("axes")
        ),
        "ndimage.gaussian_filter1d" => with::gaussian_filter1d(
            &c.a::<T>(0), c.floats("sigma")[0], c.int("axis"), c.int("order"), c.words("mode"), c.float("cval"), c.float("truncate"), ()
        ),
        "ndimage.gaussian_laplace" => with::gaussian_laplace(
            &c.a::<T>(0), c.floats("sigma"), c.words("mode"), c.float("cval"), c.float("truncate"), (), c.list("axes")
        ),
        "ndimage.gaussian_gradient_magnitude" => with::gaussian_gradient_magnitude(
            &c.a::<T>(0), c.floats("sigma"), c.words("mode"), c.float("cval"), c.float("truncate"), (), c.list("axes")
        ),
        "ndimage.sobel" => with::sobel(&c.a::<T>(0), c.int("axis"), c.words("mode"), c.float("cval")),
        "ndimage.prewitt" => with::prewitt(&c.a::<T>(0), c.int("axis"), c.words("mode"), c.float("cval")),
        "ndimage.laplace" => with::laplace(&c.a::<T>(0), c.words("mode"), c.float("cval"), c.list("axes")),
        "ndimage.uniform_filter" => with::uniform_filter(
            &c.a::<T>(0), c.list("size"), c.words("mode"), c.float("cval"), c.list("origin"), c.list("axes")
        ),
        "ndimage.minimum_filter" => window!(c minimum_filter()),
        "ndimage.maximum_filter" => window!(c maximum_filter()),
        "ndimage.median_filter" => window!(c median_filter()),
        "ndimage.percentile_filter" => window!(c percentile_filter(c.float("percentile"))),
        "ndimage.rank_filter" => window!(c rank_filter(c.int("rank"))),
        "ndimage.grey_erosion" => grey!(c grey_erosion),
        "ndimage.grey_dilation" => grey!(c grey_dilation),
        "ndimage.grey_opening" => grey!(c grey_opening),
        "ndimage.grey_closing" => grey!(c grey_closing),
        "ndimage.morphological_gradient" => grey!(c morphological_gradient),
        "ndimage.morphological_laplace" => grey!(c morphological_laplace),
        "ndimage.white_tophat" => grey!(c white_tophat),
        "ndimage.black_tophat" => grey!(c black_tophat);
    floats:
        "ndimage.zoom" => with::zoom(
            &c.a::<T>(0), c.floats("zoom"), c.size("order"), c.text("mode"), c.float("cval"), c.flag("prefilter"), c.flag("grid_mode")
        ),
        "ndimage.shift" => with::shift(
            &c.a::<T>(0), c.floats("shift"), c.size("order"), c.text("mode"), c.float("cval"), c.flag("prefilter")
        ),
        "ndimage.rotate" => with::rotate(
            &c.a::<T>(0), c.float("rotate"), c.list("axes"), c.flag("reshape"), c.size("order"), c.text("mode"), c.float("cval"),
            c.flag("prefilter")
        ),
        "ndimage.affine_transform" => with::affine_transform(
            &c.a::<T>(0), &c.a::<f64>(1), c.floats("offset"), (), c.size("order"), c.text("mode"), c.float("cval"), c.flag("prefilter")
        ),
        "ndimage.map_coordinates" => with::map_coordinates(
            &c.a::<T>(0), &c.a::<f64>(1), c.size("order"), c.text("mode"), c.float("cval"), c.flag("prefilter")
        ),
        "ndimage.spline_filter" => with::spline_filter(&c.a::<T>(0), c.size("order"), c.text("mode")),
        "ndimage.spline_filter1d" => with::spline_filter1d(&c.a::<T>(0), c.size("order"), c.int("axis"), c.text("mode"));
} }

/// The mask, or one that lets all through.
fn mask(c: &Case, shape: &[usize]) -> DeviceArray<bool> {
    c.named("mask").unwrap_or_else(|| gpu::full(shape.to_vec(), true))
}

/// The places of blobs, one after another.
fn boxes(labels: &DeviceArray<i32>) -> DeviceArray<i64> {
    let found = nd::find_objects(labels);
    let ends = found.iter().flatten().flatten().flat_map(|range| [range.start as i64, range.end as i64]);
    gpu::array(&ends.collect::<Vec<_>>())
}

functions! { shapes(c) {
    pixels:
        "ndimage.binary_erosion" => {
            let (x, border) = (c.a::<T>(0), c.flag("border_value"));
            with::binary_erosion(&x, &c.a::<bool>(1), c.int("iterations") as i64, &mask(c, x.shape()), border, c.list("origin"))
        },
        "ndimage.binary_dilation" => {
            let (x, border) = (c.a::<T>(0), c.flag("border_value"));
            with::binary_dilation(&x, &c.a::<bool>(1), c.int("iterations") as i64, &mask(c, x.shape()), border, c.list("origin"))
        },
        "ndimage.binary_opening" => {
            let (x, border) = (c.a::<T>(0), c.flag("border_value"));
            with::binary_opening(&x, &c.a::<bool>(1), c.int("iterations") as i64, c.list("origin"), &mask(c, x.shape()), border)
        },
        "ndimage.binary_closing" => {
            let (x, border) = (c.a::<T>(0), c.flag("border_value"));
            with::binary_closing(&x, &c.a::<bool>(1), c.int("iterations") as i64, c.list("origin"), &mask(c, x.shape()), border)
        },
        "ndimage.binary_propagation" => {
            let x = c.a::<T>(0);
            with::binary_propagation(&x, &c.a::<bool>(1), &mask(c, x.shape()), c.flag("border_value"), 0)
        },
        "ndimage.binary_hit_or_miss" => with::binary_hit_or_miss(&c.a::<T>(0), &c.a::<bool>(1), (), c.list("origin1"), ()),
        "ndimage.binary_fill_holes" => with::binary_fill_holes(&c.a::<T>(0), &c.a::<bool>(1), 0);
    blobs:
        "ndimage.label" => {
            let x = c.a::<T>(0);
            with::label(&x, &nd::generate_binary_structure(x.ndim(), c.size("connectivity")))
        },
        "ndimage.find_objects" => {
            let x = c.a::<T>(0);
            boxes(&with::label(&x, &nd::generate_binary_structure(x.ndim(), c.size("connectivity"))).0)
        },
        "ndimage.distance_transform_edt" => with::distance_transform_edt(&c.a::<T>(0), c.floats("sampling"));
} }

/// Of all labels, of one, or of several.
macro_rules! measured {
    ($c:ident $function:ident($($before:expr),*)) => {{
        let (x, labels) = ($c.a::<T>(0), $c.a::<i32>(1));
        match ($c.has("index"), $c.opt("index")) {
            (false, _) => nd::$function(&x, $($before,)* &labels, ()).hosts(),
            (true, Some(label)) => nd::$function(&x, $($before,)* &labels, label as i64).hosts(),
            _ => {
                let several: Vec<i64> = $c.list("index").into_iter().map(|label| label as i64).collect();
                nd::$function(&x, $($before,)* &labels, several).hosts()
            }
        }
    }};
}

functions! { measurements(c) {
    labelled:
        "ndimage.sum_labels" => measured!(c sum_labels()),
        "ndimage.mean" => measured!(c mean()),
        "ndimage.variance" => measured!(c variance()),
        "ndimage.standard_deviation" => measured!(c standard_deviation()),
        "ndimage.minimum" => measured!(c minimum()),
        "ndimage.maximum" => measured!(c maximum()),
        "ndimage.minimum_position" => measured!(c minimum_position()),
        "ndimage.maximum_position" => measured!(c maximum_position()),
        "ndimage.median" => measured!(c median()),
        "ndimage.center_of_mass" => measured!(c center_of_mass()),
        "ndimage.histogram" => measured!(c histogram(-10.0, 10.0, 4));
} }
