//! Random calls, with SciPy's results in tests/parity/ndimage_cases.json; tests/parity/ndimage_cases.py makes them.

use super::{Flat, Found, number};
use serde_json::Value;
use warpcell as gpu;
use warpcell::ndimage::{self as nd, with};
use warpcell::prelude::*;
use warpcell::{Element, Real};

/// What a case has, by its name.
struct Case<'a>(&'a Value);

impl<'a> Case<'a> {
    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| !value.is_null())
    }
    fn floats(&self, key: &str) -> Vec<f64> {
        self.0[key].as_array().unwrap_or_else(|| panic!("no {key}")).iter().map(float).collect()
    }
    fn float(&self, key: &str) -> f64 {
        float(&self.0[key])
    }
    fn signed(&self, key: &str) -> Vec<isize> {
        self.floats(key).into_iter().map(|value| value as isize).collect()
    }
    fn lengths(&self, key: &str) -> Vec<usize> {
        self.floats(key).into_iter().map(|value| value as usize).collect()
    }
    fn whether(&self, key: &str) -> bool {
        self.0[key].as_bool().unwrap_or_else(|| panic!("no {key}"))
    }
    fn modes(&self) -> Vec<&'a str> {
        self.0["mode"].as_array().expect("modes").iter().map(|mode| mode.as_str().unwrap()).collect()
    }
    fn mode(&self) -> &'a str {
        self.modes()[0]
    }
    fn name(&self) -> &'a str {
        self.0["name"].as_str().unwrap()
    }
    /// A window with these elements.
    fn window<T: Element>(&self, key: &str, of: fn(f64) -> T) -> DeviceArray<T> {
        let values: Vec<T> = self.floats(key).into_iter().map(of).collect();
        gpu::array(&values).reshape(self.lengths("window"))
    }
}

/// A number, which JSON has no words for if it is not finite.
fn float(value: &Value) -> f64 {
    match value {
        Value::Null => f64::NAN,
        Value::String(text) => text.parse().expect("a number"),
        _ => value.as_f64().expect("a number"),
    }
}

/// The numbers that the script has too.
fn numbers(seed: u64, count: usize) -> Vec<i64> {
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((*state >> 33) as i64)
    };
    std::iter::repeat_n((), count).scan(seed, |state, ()| next(state)).collect()
}

/// The elements of a case as f64.
fn elements(case: &Case<'_>, dtype: &str, seed: u64, count: usize) -> Vec<f64> {
    let few = case.whether("few");
    let element = |drawn: i64| match dtype {
        "bool" => f64::from(u8::from(drawn % 4 >= if few { 1 } else { 2 })),
        _ if few => (drawn % 4) as f64,
        "u8" => (drawn % 256) as f64,
        "i16" => (drawn % 65536 - 32768) as f64,
        "f32" | "f64" => (drawn % 2000 - 1000) as f64 / 64.0,
        _ => (drawn % 20001 - 10000) as f64,
    };
    numbers(seed, count).into_iter().map(element).collect()
}

fn result<T: Real>(case: &Case<'_>, x: &DeviceArray<T>) -> Found {
    let (name, seed) = (case.name(), case.0["seed"].as_u64().unwrap());
    let origin = || case.signed("origin");
    let cval = || case.float("cval");
    let axis = || case.float("axis") as isize;
    let order = || case.lengths("order")[0];
    let is_true = |value: f64| value != 0.0;
    macro_rules! window {
        ($function:ident $($before:expr),*) => {
            if case.has("footprint") {
                let footprint = case.window("footprint", is_true);
                with::$function(x, $($before,)* (), &footprint, case.modes(), cval(), origin()).flat()
            } else {
                with::$function(x, $($before,)* case.signed("size"), (), case.modes(), cval(), origin()).flat()
            }
        };
    }
    macro_rules! grey {
        ($function:ident) => {
            if case.has("footprint") {
                let footprint = case.window("footprint", is_true);
                with::$function(x, (), &footprint, (), case.modes(), cval(), origin()).flat()
            } else if case.has("structure") {
                let structure = case.window("structure", |height| height);
                with::$function(x, (), (), &structure, case.modes(), cval(), origin()).flat()
            } else {
                with::$function(x, case.signed("size"), (), (), case.modes(), cval(), origin()).flat()
            }
        };
    }
    let binary = || {
        let structure = if case.has("structure") {
            case.window("structure", is_true)
        } else {
            nd::generate_binary_structure(x.ndim(), 1)
        };
        let is_masked = case.0["masked"].as_bool() == Some(true);
        let mask = elements(case, "bool", seed + 1, x.size());
        let mask: Vec<bool> = mask.into_iter().map(|value| !is_masked || value != 0.0).collect();
        (structure, gpu::array(&mask).reshape(x.shape().to_vec()))
    };
    let border = || case.whether("border_value");
    let iterations = || case.float("iterations") as i64;
    macro_rules! measured {
        ($function:ident $($before:expr),*) => {{
            let labels = numbers(seed + 1, x.size());
            let labels: Vec<i32> = labels.into_iter().map(|drawn| (drawn % case.float("labels") as i64) as i32).collect();
            let labels = gpu::array(&labels).reshape(x.shape().to_vec());
            match &case.0["index"] {
                Value::Null => nd::$function(x, $($before,)* &labels, ()).flat(),
                Value::Number(label) => nd::$function(x, $($before,)* &labels, label.as_i64().unwrap()).flat(),
                _ => nd::$function(x, $($before,)* &labels, case.signed("index").iter().map(|&label| label as i64).collect::<Vec<i64>>()).flat(),
            }
        }};
    }
    match name {
        "correlate1d" => {
            with::correlate1d(x, &case.floats("weights"), axis(), case.modes(), cval(), origin()[0]).flat()
        }
        "convolve1d" => with::convolve1d(x, &case.floats("weights"), axis(), case.modes(), cval(), origin()[0]).flat(),
        "uniform_filter1d" => {
            with::uniform_filter1d(x, case.signed("size")[0], axis(), case.modes(), cval(), origin()[0]).flat()
        }
        "minimum_filter1d" => {
            with::minimum_filter1d(x, case.signed("size")[0], axis(), case.modes(), cval(), origin()[0]).flat()
        }
        "maximum_filter1d" => {
            with::maximum_filter1d(x, case.signed("size")[0], axis(), case.modes(), cval(), origin()[0]).flat()
        }
        "correlate" => {
            with::correlate(x, &case.window("weights", |weight| weight), case.modes(), cval(), origin()).flat()
        }
        "convolve" => {
            with::convolve(x, &case.window("weights", |weight| weight), case.modes(), cval(), origin()).flat()
        }
        "gaussian_filter" => with::gaussian_filter(
            x,
            case.floats("sigma"),
            case.signed("order"),
            case.modes(),
            cval(),
            case.float("truncate"),
            (),
            case.signed("axes"),
        )
        .flat(),
        "gaussian_filter1d" => with::gaussian_filter1d(
            x,
            case.floats("sigma")[0],
            case.signed("axes")[0],
            case.signed("order")[0],
            case.modes(),
            cval(),
            case.float("truncate"),
            (),
        )
        .flat(),
        "gaussian_laplace" => with::gaussian_laplace(
            x,
            case.floats("sigma"),
            case.modes(),
            cval(),
            case.float("truncate"),
            (),
            case.signed("axes"),
        )
        .flat(),
        "gaussian_gradient_magnitude" => with::gaussian_gradient_magnitude(
            x,
            case.floats("sigma")[0],
            case.modes(),
            cval(),
            case.float("truncate"),
            (),
            case.signed("axes"),
        )
        .flat(),
        "sobel" => with::sobel(x, axis(), case.modes(), cval()).flat(),
        "prewitt" => with::prewitt(x, axis(), case.modes(), cval()).flat(),
        "laplace" => with::laplace(x, case.modes(), cval(), case.signed("axes")).flat(),
        "uniform_filter" => {
            with::uniform_filter(x, case.signed("size"), case.modes(), cval(), origin(), case.signed("axes")).flat()
        }
        "minimum_filter" => window!(minimum_filter),
        "maximum_filter" => window!(maximum_filter),
        "median_filter" => window!(median_filter),
        "percentile_filter" => window!(percentile_filter case.float("percentile")),
        "rank_filter" => window!(rank_filter case.float("rank") as isize),
        "grey_erosion" => grey!(grey_erosion),
        "grey_dilation" => grey!(grey_dilation),
        "grey_opening" => grey!(grey_opening),
        "grey_closing" => grey!(grey_closing),
        "morphological_gradient" => grey!(morphological_gradient),
        "morphological_laplace" => grey!(morphological_laplace),
        "white_tophat" => grey!(white_tophat),
        "black_tophat" => grey!(black_tophat),
        "binary_erosion" => {
            let (structure, mask) = binary();
            with::binary_erosion(x, &structure, iterations(), &mask, border(), origin()).flat()
        }
        "binary_dilation" => {
            let (structure, mask) = binary();
            with::binary_dilation(x, &structure, iterations(), &mask, border(), origin()).flat()
        }
        "binary_opening" => {
            let (structure, mask) = binary();
            with::binary_opening(x, &structure, iterations(), origin(), &mask, border()).flat()
        }
        "binary_closing" => {
            let (structure, mask) = binary();
            with::binary_closing(x, &structure, iterations(), origin(), &mask, border()).flat()
        }
        "binary_propagation" => {
            let (structure, mask) = binary();
            with::binary_propagation(x, &structure, &mask, border(), 0).flat()
        }
        "binary_hit_or_miss" => with::binary_hit_or_miss(x, &binary().0, (), origin(), ()).flat(),
        "binary_fill_holes" => with::binary_fill_holes(x, &binary().0, 0).flat(),
        "label" | "find_objects" => {
            let structure = nd::generate_binary_structure(x.ndim(), case.float("connectivity") as usize);
            let (labels, count) = with::label(x, &structure);
            if name == "label" { (labels, count).flat() } else { nd::find_objects(&labels).flat() }
        }
        "distance_transform_edt" => with::distance_transform_edt(x, case.floats("sampling")).flat(),
        "zoom" => with::zoom(
            x,
            case.floats("zoom"),
            order(),
            case.mode(),
            cval(),
            case.whether("prefilter"),
            case.whether("grid_mode"),
        )
        .flat(),
        "shift" => with::shift(x, case.floats("shift"), order(), case.mode(), cval(), case.whether("prefilter")).flat(),
        "rotate" => with::rotate(
            x,
            case.float("angle"),
            case.signed("axes"),
            case.whether("reshape"),
            order(),
            case.mode(),
            cval(),
            case.whether("prefilter"),
        )
        .flat(),
        "affine_transform" => {
            let rank = x.ndim();
            let matrix = gpu::array(&case.floats("matrix")).reshape((rank, rank));
            with::affine_transform(
                x,
                &matrix,
                case.floats("offset"),
                (),
                order(),
                case.mode(),
                cval(),
                case.whether("prefilter"),
            )
            .flat()
        }
        "map_coordinates" => {
            let coordinates = gpu::array(&case.floats("coordinates")).reshape((x.ndim(), 6));
            with::map_coordinates(x, &coordinates, order(), case.mode(), cval(), case.whether("prefilter")).flat()
        }
        "spline_filter" => with::spline_filter(x, order(), case.mode()).flat(),
        "spline_filter1d" => with::spline_filter1d(x, order(), axis(), case.mode()).flat(),
        "sum_labels" => measured!(sum_labels),
        "mean" => measured!(mean),
        "variance" => measured!(variance),
        "standard_deviation" => measured!(standard_deviation),
        "minimum" => measured!(minimum),
        "maximum" => measured!(maximum),
        "minimum_position" => measured!(minimum_position),
        "maximum_position" => measured!(maximum_position),
        "median" => measured!(median),
        "center_of_mass" => measured!(center_of_mass),
        "histogram" => measured!(histogram - 10.0, 10.0, 4),
        _ => panic!("there is no {name} here"),
    }
}

fn computed(case: &Case<'_>) -> Found {
    let (dtype, shape) = (case.0["dtype"].as_str().unwrap(), case.lengths("shape"));
    let count = shape.iter().product();
    let values = elements(case, dtype, case.0["seed"].as_u64().unwrap(), count);
    macro_rules! typed {
        ($type:ty) => {
            result(case, &gpu::array(&values).reshape(shape).astype::<$type>())
        };
    }
    match dtype {
        "u8" => typed!(u8),
        "i16" => typed!(i16),
        "i32" => typed!(i32),
        "i64" => typed!(i64),
        "bool" => typed!(bool),
        "f32" => typed!(f32),
        _ => typed!(f64),
    }
}

/// What is wrong with a result.
fn fault(case: &Case<'_>) -> Option<String> {
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| computed(case)));
    let fails = case.0.get("fails").is_some();
    let found = match found {
        Ok(_) if fails => return Some("does not fail".to_owned()),
        Err(_) if fails => return None,
        Ok(found) => found,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            return Some(format!("panics: {}", text.unwrap_or_default()));
        }
    };
    let wanted = case.floats("values");
    let count = case.lengths("result").iter().product::<usize>();
    if found.values.len() != count {
        return Some(format!("the shape is {:?}, not {:?}", found.shape, case.lengths("result")));
    }
    if found.shape != case.lengths("result") && count > 0 {
        return Some(format!("the shape is {:?}, not {:?}", found.shape, case.lengths("result")));
    }
    super::difference(&found, &wanted)
}

#[test]
fn random_calls() {
    compare_random_calls();
}

pub(super) fn compare_random_calls() {
    let own = include_str!("../../../../tests/parity/ndimage_cases.json");
    let text = std::env::var_os("WARPCELL_NDIMAGE_CASES").map(|path| std::fs::read_to_string(path).expect("the cases"));
    let cases: Vec<Value> = serde_json::from_str(text.as_deref().unwrap_or(own)).expect("a list of cases");
    assert!(cases.len() > 500);
    let mut faults = Vec::new();
    for case in &cases {
        if let Some(fault) = fault(&Case(case)) {
            let mut shown = case.clone();
            for long in ["values", "result", "coordinates"] {
                shown.as_object_mut().unwrap().remove(long);
            }
            faults.push(format!("{fault}\n    {shown}"));
        }
    }
    let shown = faults.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {} differ\n{shown}", faults.len(), cases.len());
    // Numbers of all types are compared.
    assert_eq!(number(2.5f64), 2.5);
}
