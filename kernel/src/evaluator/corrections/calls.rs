//! Calls of functions and methods under the names that they have elsewhere.

use super::arithmetic::meets_whole_numbers;
use super::keywords::{is_short, with_keywords};
use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_integer};
use super::named::{REDUCTIONS, has_keywords, sorted_out, value_of};
use super::operators::{
    array_of_list, as_argument, as_array, as_float, as_object, is_list, list_of_arrays, with_lists, with_references,
};
use super::{control, functional, modules, plots, printing, rows, signatures, ufuncs};
use crate::evaluator::elements;
use crate::syntax::{list_has, list_value};

/// Functions that are methods of arrays and of numbers.
pub const METHODS: &str = "\
    sum prod mean var std min max argmin argmax all any cumsum cumprod exp exp2 expm1 log log2 log10 log1p sqrt cbrt \
    sin cos tan asin acos atan atan2 sinh cosh tanh abs floor ceil round trunc sign square maximum minimum clip \
    hypot reshape ravel transpose copy take count_nonzero diagonal nonzero negative reciprocal add subtract multiply \
    divide pow remainder expand_dims squeeze swapaxes moveaxis broadcast_to argwhere flatnonzero logical_and \
    logical_or logical_xor logical_not to_host degrees radians real imag conj angle";

/// Other names of methods, and ours.
const OTHER_METHODS: &str = "\
    permute=permute_dims view=reshape unsqueeze=expand_dims mm=matmul arcsin=asin arccos=acos \
    slice_mut=slice arctan=atan arctan2=atan2 absolute=abs fabs=abs amax=max amin=min relu=maximum isnan=is_nan isfinite=is_finite isinf=is_inf \
    clamp=clip power=pow float_power=pow mod=remainder fmod=remainder conjugate=conj";

/// The page with all names of the prelude.
const NAMES: &str = include_str!("../../../../prelude/NUMPY.md");

/// Whether the prelude has a function under this name, which takes arrays by reference. For some of them the method is
/// the usual form.
fn is_function(name: &str) -> bool {
    !list_has(METHODS, name) && list_value(OTHER_METHODS, name).is_none() && NAMES.contains(&format!("gpu::{name}("))
}

/// Whether arrays have a method under this name.
pub fn is_method(name: &str) -> bool {
    list_has(METHODS, name) || NAMES.contains(&format!("`a.{name}("))
}

/// Functions of the prelude that make arrays.
pub const CREATION: [&str; 9] = ["zeros", "ones", "empty", "full", "eye", "arange", "linspace", "array", "asarray"];

/// Functions under their other names: those of PyTorch, and older ones of NumPy.
const RENAMED: &str = "\
    trapz=trapezoid row_stack=vstack cat=concatenate mm=matmul bmm=matmul identity=eye from_numpy=asarray from_dlpack=asarray as_tensor=asarray \
    manual_seed=seed clamp=clip asnumpy=to_host to_numpy=to_host greater=gt";

/// What some functions need behind the arguments that NumPy needs.
const DEFAULTS: [(&str, usize, &str); 4] =
    [("diff", 1, "1, -1"), ("split", 2, "0"), ("repeat", 2, "0"), ("flip", 1, "0")];

/// Modules of Python.
const MODULES: [&str; 19] = [
    "jax", "nn", "np", "numpy", "cp", "cupy", "torch", "jnp", "math", "plt", "ax", "gpu", "scipy", "F", "random",
    "time", "os", "cuda", "gc",
];

/// Constants of those modules, and ours.
const CONSTANTS: &str = "pi=std::f64::consts::PI e=std::f64::consts::E inf=f64::INFINITY nan=f64::NAN";

/// An element type by any of its names.
pub fn data_type_of(text: &str) -> Option<&'static str> {
    elements::named(text.trim_matches(['"', '\'']).rsplit(['.', ':']).next()?)
}

/// `assert x == 2`, `del x`
pub fn statement(line: &Line, _: &Known<'_>) -> Option<String> {
    let end = line.last();
    if !line.is_word(1) && line.at(1) != "not" || end == 0 {
        return None;
    }
    match line.at(0) {
        "assert" => Some(format!("assert!({});", line.slice(1, end))),
        "del" => Some(format!("drop({});", line.slice(1, end))),
        _ => None,
    }
}

/// Calls of modules without arrays, and what they are here.
const PLAIN_CALLS: [(&str, &str); 14] = [
    ("cuda.synchronize", "gpu::synchronize()"),
    ("null.synchronize", "gpu::synchronize()"),
    ("cuda.is_available", "(gpu::device() != gpu::Device::Cpu)"),
    ("cuda.device_count", "gpu::devices().len()"),
    ("cuda.get_device_name", "gpu::device_info()"),
    ("time.time", "std::time::Instant::now()"),
    ("time.perf_counter", "std::time::Instant::now()"),
    ("os.getcwd", "std::env::current_dir().unwrap()"),
    ("plt.show", "// the plot at the end of a cell is shown"),
    ("plt.figure", "gpu::Plot::new()"),
    ("plt.tight_layout", "// labels have room"),
    ("np.seterr", "// a division by zero gives no warning here"),
    ("np.errstate", "// a division by zero gives no warning here"),
    ("gc.collect", "gpu::memory_pool().free_all_blocks()"),
];

/// What a call of a module without arrays is here.
fn plain_call(path: &[&str], arguments: &[&str]) -> Option<String> {
    let name = path.get(path.len().checked_sub(2)?..)?.join(".");
    if let Some((_, ours)) = PLAIN_CALLS.iter().find(|(theirs, _)| *theirs == name) {
        return Some((*ours).to_owned());
    }
    if path[0] == "plt" && *path.last()? == "savefig" {
        return Some(format!("gpu::Plot::new().savefig({})", arguments.first()?.replace('\'', "\"")));
    }
    if path[0] == "plt" && matches!(*path.last()?, "legend" | "grid" | "colorbar") {
        return Some(format!("gpu::Plot::new().{}(true)", path[1]));
    }
    let is_label = path[0] == "plt" && matches!(*path.last()?, "title" | "xlabel" | "ylabel" | "xlim" | "ylim");
    is_label.then(|| format!("gpu::Plot::new().{}({})", path[1], arguments.join(", ")))
}

/// The array that NumPy chooses from if it is given a whole number: `n` is all numbers below it.
pub fn of_numbers_below(text: &str, known: &Known<'_>) -> Option<String> {
    let text = text.trim_start_matches('&');
    let text = text
        .strip_prefix("range(")
        .or_else(|| text.strip_prefix("(0.."))
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(text);
    let line = Line::new(text);
    let type_of = |at| known.variable(line.at(at)).unwrap_or_default();
    let is_count = |at| {
        let is_whole = matches!(&*type_of(at), "i32" | "i64" | "usize" | "u32" | "u64");
        line.is_word(at) && (is_whole || known.is_integer(line.at(at)))
    };
    let is_whole = |at| is_integer(line.at(at)) || is_count(at) || matches!(line.at(at), "+" | "-" | "*" | "(" | ")");
    if line.len() == 0 || !(0..line.len()).all(is_whole) {
        return None;
    }
    let has_addresses = (0..line.len()).any(|at| type_of(at) == "usize");
    let count = match (has_addresses, line.len()) {
        (false, _) => line.text.clone(),
        (true, 1) => format!("{} as i64", line.text),
        (true, _) => format!("({}) as i64", line.text),
    };
    Some(format!("&gpu::arange({count})"))
}

/// What `np.name(…)` is here.
pub fn translated(path: &[&str], arguments: &[&str], known: &Known<'_>) -> Option<String> {
    let name = *path.last()?;
    if plots::is_plot(name) {
        return plots::translated(name, arguments, known);
    }
    let name = list_value(RENAMED, name).unwrap_or(name);
    // Those of `gpu::special::scalar` stay as they are.
    let module = Some(if path.len() > 2 { path[path.len() - 2] } else { path[0] }).filter(|last| *last != "scalar")?;
    if let Some(new) = plain_call(path, arguments) {
        return Some(new);
    }
    if let Some(test) = functional::of_testing(path) {
        return Some(format!("assert!({})", translated(&["np", test], arguments.get(..2)?, known)?));
    }
    let (values, named) = sorted_out(arguments);
    if let Some(new) = ufuncs::method(path, &values, &named, known) {
        return new;
    }
    if let Some((target, others, end)) = signatures::with_target(path, arguments, &named, known) {
        return translated(path, &others, known).map(|new| format!("let {target} = {new}{end}"));
    }
    if let Some(new) = signatures::of_another_form(name, &values, &named, known) {
        return Some(new);
    }
    if let Some(new) = functional::translated(name, &values, known) {
        return Some(new);
    }
    if let Some(new) = rows::changing(name, &values, known).filter(|_| named.is_empty()) {
        return Some(new);
    }
    if name == "set_printoptions" {
        return printing::print_options(&named).filter(|_| values.is_empty());
    }
    if let Some(all) = signatures::by_position(name, &values, &named) {
        return translated(path, &all.iter().map(String::as_str).collect::<Vec<_>>(), known);
    }
    if let Some(new) = signatures::of_sequence(name, &values, &named, known) {
        return Some(new);
    }
    let data_type = value_of(&named, "dtype").map(data_type_of);
    if data_type == Some(None) {
        return None;
    }
    let data_type = data_type.flatten();
    let shape =
        |values: &[&str]| if values.len() == 1 { values[0].to_owned() } else { format!("({})", values.join(", ")) };
    let by_reference = |value: &&str| {
        if known.is_array(value) {
            return as_argument(value, known);
        }
        let is_one = Line::new(value).operand_after(0).is_some_and(|last| last + 1 == Line::new(value).len());
        match (value.starts_with(|first: char| matches!(first, '&' | '"' | '\'') || first.is_ascii_digit()), is_one) {
            (true, _) => (*value).to_owned(),
            (false, true) => format!("&{value}"),
            (false, false) => format!("&({})", with_references(value, known)),
        }
    };
    let as_arguments = |values: &[&str]| values.iter().map(|value| as_argument(value, known)).collect::<Vec<_>>();
    let first = |value: &&str| if is_list(value) { as_array(value, known) } else { by_reference(value) };
    let first_by_reference = || [vec![first(&values[0])], as_arguments(&values[1..])].concat();
    let as_typed = || values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let ours = list_value(OTHER_METHODS, name).unwrap_or(name);
    if !values.is_empty() && !is_short(ours, &named) && has_keywords(ours) {
        let values = match ours {
            "linspace" => values
                .iter()
                .enumerate()
                .map(|(at, value)| if at < 2 { as_float(value) } else { (*value).to_owned() })
                .collect(),
            _ if CREATION.contains(&ours) => as_typed(),
            _ => first_by_reference(),
        };
        return with_keywords(ours, values, &named, known);
    }
    let has_list = values.iter().any(|value| value.starts_with('['));
    let by_row = rows::by_row(&path[1..], &values, &named, known);
    // Arguments with names that are not handled here are rewritten by a later rule. If none does, the line is not Rust
    // and is not shown.
    let mut taken = vec!["dtype", "device", "requires_grad"];
    let mut type_behind = data_type.filter(|_| list_has("rand random randn standard_normal", name));
    let (function, mut new): (String, Vec<String>) = match (module, name) {
        ("random", "rand" | "random") | (_, "rand") => ("gpu::random::random".to_owned(), vec![shape(&values)]),
        ("random", "standard_normal") | (_, "randn") => {
            ("gpu::random::normal".to_owned(), vec!["0.0".to_owned(), "1.0".to_owned(), shape(&values)])
        }
        ("random", "normal" | "uniform") => {
            taken.extend(["size", "loc", "scale", "low", "high"]);
            let of = |name, place: usize, other: &str| {
                as_float(value_of(&named, name).or(values.get(place).copied()).unwrap_or(other))
            };
            let (first, second) = match name {
                "normal" => (of("loc", 0, "0.0"), of("scale", 1, "1.0")),
                _ => (of("low", 0, "0.0"), of("high", 1, "1.0")),
            };
            let size = value_of(&named, "size").or(values.get(2).copied()).unwrap_or("1");
            (format!("gpu::random::{name}"), vec![first, second, size.to_owned()])
        }
        ("random", "randint" | "integers") if values.first().is_some_and(|first| !first.contains("..")) => {
            taken.extend(["size", "low", "high"]);
            let high = value_of(&named, "high").or(values.get(1).copied());
            let range = high.map_or_else(|| format!("0..{}", values[0]), |high| format!("{}..{high}", values[0]));
            let size = value_of(&named, "size").or(values.get(2).copied()).unwrap_or("1");
            ("gpu::random::integers".to_owned(), vec![range, size.to_owned()])
        }
        // A generator has a seed here.
        ("random", "default_rng") if values.is_empty() => {
            ("gpu::random::Generator::new".to_owned(), vec!["0".to_owned()])
        }
        ("random", "default_rng") => ("gpu::random::Generator::new".to_owned(), as_typed()),
        (_, "seed") => ("gpu::random::seed".to_owned(), as_typed()),
        ("random", "shuffle") if values.len() == 1 && known.is_array(values[0]) => {
            ("gpu::random::shuffle".to_owned(), vec![format!("&mut {}", values[0])])
        }
        ("random", "permutation") => (format!("gpu::random::{name}"), as_typed()),
        ("random", "choice") if !values.is_empty() => {
            taken.extend(["size", "replace"]);
            let size = value_of(&named, "size").or(values.get(1).copied()).unwrap_or("1");
            let replace = value_of(&named, "replace").or(values.get(2).copied()).unwrap_or("true").to_lowercase();
            let from = of_numbers_below(values[0], known).unwrap_or_else(|| by_reference(&values[0]));
            ("gpu::random::choice".to_owned(), vec![from, size.to_owned(), replace])
        }
        ("linalg" | "fft", _) if !values.is_empty() => {
            let floats = |value: String| if is_list(&value) { array_of_list(&value, true) } else { value };
            let values = first_by_reference().into_iter().map(floats).collect();
            return modules::call(&format!("{module}::{name}"), values, &named, known);
        }
        (_, "zeros" | "ones" | "empty") if !values.is_empty() => {
            // Whole numbers beside NumPy's floats would make it an array of whole numbers.
            let data_type = data_type.or(meets_whole_numbers(known).then_some("f64"));
            let of_type = data_type.map_or_else(String::new, |type_name| format!("::<{type_name}>"));
            (format!("gpu::{name}{of_type}"), vec![shape(&values)])
        }
        (_, "array" | "asarray" | "tensor") if values.len() == 1 => {
            type_behind = data_type;
            let lists = with_lists(values[0]);
            if is_list(&lists) {
                let made = array_of_list(&lists, false);
                (made[1..made.find('(')?].to_owned(), vec![made[made.find('(')? + 1..made.len() - 1].to_owned()])
            } else if let Some(arrays) = list_of_arrays(values[0], known) {
                ("gpu::stack".to_owned(), vec![arrays, "0".to_owned()])
            } else {
                let function = if values[0].starts_with('[') { "gpu::array" } else { "gpu::asarray" };
                (function.to_owned(), vec![by_reference(&values[0])])
            }
        }
        (_, "arange") if values.len() == 2 => {
            type_behind = data_type;
            let is_float = values.iter().any(|value| value.contains('.'));
            let (step, ends) = if is_float {
                ("1.0", values.iter().map(|value| as_float(value)).collect())
            } else {
                ("1", as_typed())
            };
            ("gpu::arange".to_owned(), vec![format!("({}, {}, {step})", ends[0], ends[1])])
        }
        (_, "arange") if !values.is_empty() => {
            type_behind = data_type;
            let are_floats =
                values.len() > 1 && values.iter().any(|value| value.contains('.') && !value.ends_with(".len()"));
            if let [count] = values[..]
                && (count.starts_with("len(") || count.ends_with(".len()") || count.ends_with(".size()"))
            {
                return Some(format!("gpu::arange({count} as i64)"));
            }
            let numbers: Vec<String> =
                if are_floats { values.iter().map(|value| as_float(value)).collect() } else { as_typed() };
            let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
            ("gpu::arange".to_owned(), vec![shape(&numbers)])
        }
        (_, "linspace") if values.len() == 3 => {
            type_behind = data_type;
            ("gpu::linspace".to_owned(), vec![as_float(values[0]), as_float(values[1]), values[2].to_owned()])
        }
        (_, "full" | "eye") if !values.is_empty() => {
            type_behind = data_type;
            (format!("gpu::{name}"), as_typed())
        }
        (_, "norm" | "inv" | "solve" | "det" | "svd" | "qr" | "eigh" | "cholesky" | "pinv" | "lstsq")
            if path.len() == 2 && !values.is_empty() =>
        {
            (format!("gpu::linalg::{name}"), first_by_reference())
        }
        (_, "where") if values.len() == 1 => {
            (format!("{}.nonzero", as_object(&with_references(values[0], known))), Vec::new())
        }
        (_, "zeros_like" | "ones_like" | "empty_like") if values.len() == 1 => {
            let element = data_type.map(str::to_owned).or_else(|| known.element_of(values[0]));
            let element = element.unwrap_or_else(|| "f64".to_owned());
            let name = name.trim_end_matches("_like");
            (format!("gpu::{name}::<{element}>"), vec![format!("{}.shape()", as_object(values[0]))])
        }
        (_, "array_equal") if values.len() == 2 => {
            let [one, other] = [values[0], values[1]];
            return Some(format!("{}.eq({}).all()", as_object(one), as_argument(other, known)));
        }
        (_, "cov" | "corrcoef") if values.len() == 2 => {
            let [one, other] = [by_reference(&values[0]), by_reference(&values[1])];
            (format!("gpu::{name}"), vec![format!("&gpu::stack([{one}, {other}], 0)")])
        }
        (_, "einsum") if values.len() > 1 => {
            let arrays: Vec<String> = values[1..].iter().map(by_reference).collect();
            ("gpu::einsum".to_owned(), vec![values[0].to_owned(), format!("[{}]", arrays.join(", "))])
        }
        (_, "percentile" | "quantile") if values.len() == 2 && values[1].trim_start_matches('&').starts_with('[') => {
            let levels: Vec<String> =
                values[1].trim_matches(['&', '[', ']']).split(',').map(|level| as_float(level.trim())).collect();
            return Some(format!("gpu::{name}!({}, [{}])", by_reference(&values[0]), levels.join(", ")));
        }
        (_, "save") if values.len() == 2 => {
            ("gpu::save".to_owned(), vec![values[0].to_owned(), by_reference(&values[1])])
        }
        (_, "plot") if values.len() > 1 => {
            ("gpu::plot".to_owned(), vec![format!("({}, {})", by_reference(&values[0]), by_reference(&values[1]))])
        }
        (_, "histogram") if values.len() == 1 && value_of(&named, "bins").is_some() => {
            taken.push("bins");
            (
                "gpu::histogram".to_owned(),
                vec![by_reference(&values[0]), value_of(&named, "bins")?.to_owned(), "..".to_owned()],
            )
        }
        (_, name) if REDUCTIONS.contains(&name) && values.len() == 2 && name != "any" && name != "all" => {
            (format!("{}.{name}_axis", as_object(values[0])), vec![values[1].to_owned()])
        }
        (_, "round") if values.len() == 2 => {
            let factor = format!("{}.0", 10u64.pow(values[1].parse::<u32>().ok().filter(|digits| *digits < 10)?));
            let object = with_references(values[0], known);
            let object =
                if known.is_array(values[0]) && !object.starts_with('&') { format!("&{object}") } else { object };
            return Some(format!("({object} * {factor}).round() / {factor}"));
        }
        (_, name) if DEFAULTS.iter().any(|(known, given, _)| *known == name && *given == values.len()) => {
            let rest = DEFAULTS.iter().find(|(known, ..)| *known == name).map(|(.., rest)| (*rest).to_owned());
            taken.push("axis");
            let rest = value_of(&named, "axis").filter(|_| name != "diff").map(str::to_owned).or(rest);
            (format!("gpu::{name}"), first_by_reference().into_iter().chain(rest).collect())
        }
        (_, "max" | "min") if values.len() == 2 => {
            (format!("{}.{name}imum", as_object(values[0])), as_arguments(&values[1..]))
        }
        (_, "where") if !values.is_empty() => ("gpu::where_".to_owned(), first_by_reference()),
        (_, "concatenate" | "stack" | "vstack" | "hstack") => {
            taken.extend(["axis", "dim"]);
            let inner = Line::new(values.first()?);
            let arrays: Vec<String> = inner.arguments(0)?.iter().map(by_reference).collect();
            let axis = value_of(&named, "axis").or(value_of(&named, "dim")).or(values.get(1).copied()).unwrap_or("0");
            let axis = (!matches!(name, "vstack" | "hstack")).then(|| axis.to_owned());
            (format!("gpu::{name}"), [format!("[{}]", arrays.join(", "))].into_iter().chain(axis).collect())
        }
        _ if module != "math"
            && !is_method(ours)
            && (has_list || !is_function(name) || name.ends_with("space"))
            && by_row.is_some() =>
        {
            return by_row;
        }
        // It has defaults that only its macro knows.
        (module, name)
            if has_keywords(name)
                && !is_function(name)
                && !is_method(name)
                && module != "math"
                && !values.is_empty() =>
        {
            return with_keywords(name, first_by_reference(), &named, known);
        }
        // The functions of `math` are for numbers.
        (module, name) if is_function(name) && !values.is_empty() && module != "math" => {
            (format!("gpu::{name}"), first_by_reference())
        }
        (_, name) => {
            type_behind = data_type;
            let method = list_value(OTHER_METHODS, name).unwrap_or(name);
            let object = values.first().filter(|_| is_method(method) || method.starts_with("is_"))?;
            let is_number = path.first().is_some_and(|module| module.eq_ignore_ascii_case("math"))
                || known.type_of(object).is_some_and(|known| known == "f64" || known == "f32");
            // `np.log(10)`, `np.maximum(3, 4)`
            let is_literal = Line::new(object).len() == 1 && Line::new(object).kind(0) == Some(LineTokenKind::Number);
            let method = match method {
                "log" if is_number || is_literal => "ln",
                "maximum" if is_literal => "max",
                "minimum" if is_literal => "min",
                _ => method,
            };
            let object = if object.starts_with(['[', '(']) && as_array(object, known).starts_with("&gpu::") {
                as_array(object, known).trim_start_matches('&').to_owned()
            } else if is_literal {
                format!("{object}_f64")
            } else if known.type_of(object).is_some_and(|name| matches!(name.as_str(), "i32" | "i64" | "usize")) {
                format!("({object} as f64)")
            } else {
                as_object(&with_references(object, known))
            };
            let list_or_argument =
                |value: &&str| if is_list(value) { as_array(value, known) } else { as_argument(value, known) };
            let others = match name {
                "relu" => vec!["0.0".to_owned()],
                _ if is_literal => values[1..].iter().map(|value| as_float(value)).collect(),
                _ => values[1..].iter().map(list_or_argument).collect(),
            };
            (format!("{object}.{method}"), others)
        }
    };
    let kept = named.iter().filter(|(name, _)| !taken.contains(name));
    new.extend(kept.map(|(name, value)| format!("{name}={value}")));
    let type_behind = type_behind.map_or_else(String::new, |type_name| format!(".astype::<{type_name}>()"));
    Some(format!("{function}({}){type_behind}", new.join(", ")))
}

/// `np.sum(a)`, `np::pi`, `gpu.zeros(3)`, and functions that the prelude does not have under that name.
pub fn module(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let module = line.at(at);
        // `time.time() - start`
        let is_clock = module == "time" && matches!(line.at(at + 2), "time" | "perf_counter") && known.blames("time");
        if is_clock && line.at(at + 3) == "(" && line.at(at + 5) == "-" && line.is_word(at + 6) {
            return Some(line.with(at, at + 6, &format!("{}.elapsed().as_secs_f64()", line.at(at + 6))));
        }
        let constant = || list_value(CONSTANTS, &module.to_lowercase()).filter(|_| line.at(at + 1) != "(");
        // `gpu::pi`, `gpu::PI`
        if line.before(at, 1) == "::"
            && line.before(at, 2) == "gpu"
            && known.says(&format!("cannot find value `{module}`"))
            && let Some(constant) = constant()
        {
            return Some(line.with(at - 2, at, constant));
        }
        if module == "pi" && !matches!(line.before(at, 1), "." | "::") && known.says("cannot find value `pi`") {
            return Some(line.with(at, at, constant()?));
        }
        if !MODULES.contains(&module) || matches!(line.before(at, 1), "." | "::" | "use" | "let" | "mut") {
            return None;
        }
        let mut path = Vec::new();
        let mut last = at;
        while matches!(line.at(last + 1), "." | "::") && line.is_word(last + 2) {
            last += 2;
            path.push(line.at(last));
        }
        let name = *path.last()?;
        if module == "gpu" {
            let is_missing =
                known.says(&format!("function `{name}` in ")) || known.says(&format!("function `r#{name}` in "));
            let is_missing = is_missing || known.says("cannot find `cuda` in `gpu`");
            // `gpu::linalg.inv(m)`
            let is_missing = is_missing || known.says("expected value, found module `gpu::");
            let is_list = name == "asarray" && line.at(last + 2) == "[";
            let is_whole =
                matches!(name, "linspace" | "normal" | "uniform") && known.says("its elements are `{integer}`");
            if !(line.at(at + 1) == "." || is_missing || is_list || is_whole || (name == "where" && known.is_syntax()))
            {
                return None;
            }
        } else if !known.blames(module) || (known.type_of)(module).is_some() {
            return None;
        }
        if let Some(constant) = list_value(CONSTANTS, name).filter(|_| line.at(last + 1) != "(") {
            return Some(line.with(at, last, constant));
        }
        if line.at(last + 1) != "(" {
            let compared = line.at(at.wrapping_sub(1)) == "==" || line.at(at.wrapping_sub(1)) == "!=";
            let data_type = data_type_of(name).filter(|name| compared && !name.contains(':'))?;
            return Some(line.with(
                at,
                last,
                &format!("gpu::DType::{}", data_type[..1].to_uppercase() + &data_type[1..]),
            ));
        }
        if let Some(data_type) = data_type_of(name).filter(|_| path.len() == 1 && module != "gpu") {
            let [value] = line.arguments(last + 1)?[..] else { return None };
            let cast = format!("{} as {data_type}", as_object(value));
            let is_whole = at == 0 && line.closing(last + 1)? + 1 >= line.len();
            let cast = if is_whole { cast } else { format!("({cast})") };
            return Some(line.with(at, line.closing(last + 1)?, &cast));
        }
        let close = line.closing(last + 1)?;
        if name == "vectorize" && line.at(close + 1) == "(" {
            let [function] = line.arguments(last + 1)?[..] else { return None };
            let new = functional::vectorized(function, &line.arguments(close + 1)?, known)?;
            return Some(line.with(at, line.closing(close + 1)?, &new));
        }
        path.insert(0, module);
        let new = translated(&path, &line.arguments(last + 1)?, known).or_else(|| {
            let is_field = module == "gpu" && (at..last).any(|place| line.at(place) == ".");
            is_field.then(|| {
                format!("{}{}", path.join("::"), line.slice(last + 1, line.closing(last + 1).unwrap_or(last + 1)))
            })
        })?;
        Some(line.with(at, line.closing(last + 1)?, &new)).filter(|new| *new != line.text)
    })
}

/// `a.astype("float32")`
pub fn data_type(line: &Line, _: &Known<'_>) -> Option<String> {
    line.calls(true).filter(|at| line.at(*at) == "astype").find_map(|at| {
        let close = line.closing(at + 1)?;
        let arguments = line.arguments(at + 1)?;
        let type_name = data_type_of(arguments.first()?.trim_start_matches("dtype=").trim())?;
        Some(line.with(at, close, &format!("astype::<{type_name}>()")))
    })
}

/// `len(v)`, `sqrt(x)`, `range(3)`
pub fn function(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(false).find_map(|at| {
        let name = line.at(at);
        let is_own = known.cell.contains(&format!("fn {name}("))
            || known.cell.contains(&format!("def {name}("))
            || known.cell.contains(&format!("let {name} ="))
            || (known.type_of)(name).is_some();
        if is_own || !known.blames(name) {
            return None;
        }
        let close = line.closing(at + 1)?;
        let arguments = line.arguments(at + 1)?;
        let (values, named) = sorted_out(&arguments);
        let first = values.first().copied().unwrap_or_default();
        let is_cast = |type_name: &str| {
            let cast = format!("{} as {type_name}", as_object(first));
            // A conversion binds less than a call, and more than most signs: but not before `<`.
            if at == 0 && close + 1 >= line.len() || matches!(line.at(close + 1), ")" | "," | ";") {
                cast
            } else {
                format!("({cast})")
            }
        };
        let new = match (name, values.as_slice()) {
            ("len", [_]) if known.type_of(first).is_some_and(|known| known.starts_with("ArrayBase<")) => {
                format!("{}.shape()[0]", as_object(first))
            }
            ("len", [_]) => format!("{}.len()", as_object(first)),
            ("range", [end]) => in_head(line, at, format!("0..{end}")),
            ("range", [start, end]) => in_head(line, at, format!("{start}..{end}")),
            ("range", [start, end, step]) => control::stepped(start, end, step),
            ("float" | "int", [text]) if text.contains("input(") => {
                format!("{text}.parse::<{}>().unwrap()", data_type_of(name)?)
            }
            ("f64" | "f32" | "usize" | "i64" | "i32", [_]) => is_cast(name),
            ("float", [_]) => is_cast("f64"),
            ("int", [_]) => is_cast("i64"),
            ("str", [_]) => format!("{}.to_string()", as_object(first)),
            ("type", [_]) => format!("gpu::type_of(&{first})"),
            ("help", [_]) => format!("{}?", first.trim_start_matches("np.").replace('.', "::")),
            ("input", _) => format!("gpu::input({})", if first.is_empty() { "\"\"" } else { first }),
            ("sorted", [_]) if known.is_array(first) => format!("gpu::sort(&{first})"),
            ("enumerate", [_]) => format!("{}.enumerate()", control::gone_through(first, known)),
            ("zip", [_, second]) => control::together(first, second, known),
            ("round", [_, _]) => translated(&["np", name], &arguments, known)?,
            ("exp" | "sin" | "cos" | "tan" | "sqrt" | "log", [_]) if !known.is_array(first) => {
                translated(&["math", name], &arguments, known)?
            }
            ("pow", [_, power]) => format!("{} ** {power}", as_object(first)),
            ("min" | "max", [_, second]) if known.is_array(first) => {
                format!("{}.{name}imum({})", as_object(first), as_argument(second, known))
            }
            ("min" | "max", [_, second]) => format!("{}.{name}({second})", as_object(first)),
            _ if CREATION.contains(&name) || is_function(name) || is_method(name) || plots::is_plot(name) => {
                let is_number = !known.is_array(first) && name == "log";
                let path = if is_number { ["math", name] } else { ["gpu", name] };
                translated(&path, &arguments, known)?
            }
            _ => return None,
        };
        (named.is_empty() || matches!(name, "sum" | "mean") || CREATION.contains(&name) || plots::is_plot(name))
            .then(|| line.with(at, close, &new))
    })
}

/// A range as it stands in the head of a loop, or in parentheses.
fn in_head(line: &Line, at: usize, range: String) -> String {
    let is_head = line.at(0) == "for" && line.before(at, 1) == "in";
    if is_head { range } else { format!("({range})") }
}

/// `a.median()`, `a.numpy()`, `m.transpose((1, 0))`
pub fn method(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(true).find_map(|at| {
        let name = line.at(at);
        let is_missing = known.says(&format!("no method named `{name}`"))
            || (name == "transpose" && known.says("this method takes 0 arguments"))
            || (known.is_syntax() && name == "dot")
            || (name == "get" && known.says("takes 1 argument but 0 arguments were supplied"));
        let first = line.operand_before(at - 1)?;
        let object = line.slice(first, at - 2);
        let (open, close) = (at + 1, line.closing(at + 1)?);
        let arguments = line.arguments(open)?;
        // Of a generator: `rng.normal(0, 1, size=(3, 4))`.
        let is_generator = known.cell.contains(&format!("{object} = gpu::random::Generator::"))
            || known.cell.contains(&format!("{object} = np.random.default_rng("))
            || (known.type_of)(object).is_some_and(|name| name.contains("Generator"));
        if is_generator && !arguments.first().is_some_and(|first| first.contains("..")) {
            let drawn = translated(&["np", "random", name], &arguments, known)?;
            let new = format!("{object}.{}", drawn.strip_prefix("gpu::random::")?);
            return Some(line.with(first, close, &new));
        }
        let is_array =
            ["for struct `", "for reference `&", "`"].iter().any(|before| known.says(&format!("{before}{ARRAY}")))
                || known.is_array(object);
        if name == "clip" && is_array && arguments.contains(&"None") {
            return Some(line.with(first, close, &signatures::clipped(object, object, &arguments, known)?));
        }
        if name == "append"
            && known.type_of(object).is_some_and(|known| known.starts_with("Vec<"))
            && arguments.len() == 1
        {
            return Some(line.with(at, at, "push"));
        }
        if !is_missing || !is_array {
            return None;
        }
        let new = match name {
            _ if plots::is_plot(name) => translated(&["gpu", name], &[&[object], &arguments[..]].concat(), known)?,
            "numpy" | "cpu" | "asnumpy" | "get" => format!("{object}.to_host()"),
            "cuda" | "to" | "detach" => format!("{object}.copy()"),
            "relu" => format!("{object}.maximum(0.0)"),
            _ if is_function(name) => translated(&["gpu", name], &[&[object], &arguments[..]].concat(), known)?,
            _ => {
                let ours = if name == "transpose" { "permute_dims" } else { list_value(OTHER_METHODS, name)? };
                let all = if arguments.len() > 1 { format!("({})", arguments.join(", ")) } else { arguments.concat() };
                format!("{object}.{ours}({all})")
            }
        };
        Some(line.with(first, close, &new))
    })
}

/// `a.T`, `a.shape[0]`
pub fn field(line: &Line, known: &Known<'_>) -> Option<String> {
    (1..line.len()).filter(|at| line.before(*at, 1) == "." && line.is_word(*at) && line.at(at + 1) != "(").find_map(
        |at| {
            let name = line.at(at);
            if name == "shape" && line.at(at + 1) == "=" {
                let (first, last) = (line.operand_before(at - 1)?, line.last());
                let object = line.slice(first, at - 2);
                return Some(line.with(
                    first,
                    last,
                    &format!("{object} = {object}.reshape({})", line.slice(at + 2, last)),
                ));
            }
            let is_method = known.says(&format!("value of method `{name}`"));
            let in_syntax = known.is_syntax() && matches!(name, "shape" | "ndim" | "size" | "dtype");
            let is_array =
                || line.operand_before(at - 1).is_some_and(|first| known.is_array(line.slice(first, at - 2)));
            match name {
                "flat" if line.at(0) == "for" && (known.says("field `flat`") || is_array()) => {
                    Some(line.with(at, at, "flatten().tolist()"))
                }
                "flat" if known.says("field `flat`") || is_array() => Some(line.with(at, at, "flatten()")),
                "T" => Some(line.with(at, at, "t()")),
                "length" if known.says("no field `length`") => Some(line.with(at, at, "len()")),
                _ if is_method || in_syntax => Some(line.with(at, at, &format!("{name}()"))),
                _ => None,
            }
        },
    )
}
