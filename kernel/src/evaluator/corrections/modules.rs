//! Functions of the prelude's modules: under SciPy's names, and with arguments that only their macros take.

use super::known::Known;
use super::line::{Line, is_name};
use super::named::{argument_counts, keyword, sorted_out};
use super::operators::{array_of_list, as_argument, as_array, as_float, is_list, list_of_arrays};
use super::signatures;
use crate::evaluator::elements;
use crate::syntax::{list_has, list_value, words};

/// The pages with SciPy's names and ours.
pub const PAGES: [&str; 2] =
    [include_str!("../../../../prelude/SCIPY.md"), include_str!("../../../../prelude/NUMPY.md")];

/// The prelude's tables of macros that stand in modules.
const TABLES: [&str; 2] = [
    include_str!("../../../../prelude/src/keywords/linear.rs"),
    include_str!("../../../../prelude/src/keywords/modules.rs"),
];

/// SciPy's modules that are here.
const MODULES: &str = "special signal ndimage sparse linalg fft interpolate spatial stats optimize";

/// What Python's users call them, and SciPy itself.
const ALIASES: &str = "scipy= cupyx= sp= sig=signal sps=sparse ndi=ndimage sla=linalg";

/// Functions without a macro that measure what has labels, and what they need.
const MEASUREMENTS: &str = "sum_labels mean variance standard_deviation minimum maximum minimum_position maximum_position \
    center_of_mass median extrema";
const MEASURED: [&str; 3] = ["input", "labels", "index"];

/// A macro in a module.
struct Macro<'a> {
    /// The names of the arguments that it needs.
    needed: Vec<&'a str>,
    /// The names of its other arguments.
    row: &'a str,
}

impl Macro<'static> {
    /// `path` is `linalg::svd`, or `signal::windows::hann`.
    fn find(path: &str) -> Option<Macro<'static>> {
        let start = format!("\n    __{}(", path.replace("::", "_"));
        let (_, row) = TABLES.iter().find_map(|table| table.split_once(&start))?;
        let (needed, row) = row.lines().next()?.split_once(')')?;
        Some(Macro { needed: needed.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(), row })
    }

    fn takes(&self, key: &str) -> bool {
        words(self.row).any(|word| word == key)
    }

    /// The name of an argument by its place among all of them.
    fn name_at(&self, place: usize) -> Option<&str> {
        match self.needed.get(place) {
            Some(name) => Some(name),
            None => self
                .row
                .split(['[', ',', ']'])
                .filter_map(|part| part.trim().split_once(" = "))
                .nth(place - self.needed.len())
                .map(|(name, _)| name),
        }
    }

    /// Whether the default of an argument says that it is a float.
    fn is_float(&self, key: &str) -> bool {
        self.row.split(['[', ',', ']']).filter_map(|part| part.trim().split_once(" = ")).any(|(name, default)| {
            name == key && (default.contains("f64") || default.parse::<f64>().is_ok() && default.contains('.'))
        })
    }
}

/// Python's value of an argument with a name; `None` is a default here.
fn value(text: &str, known: &Known<'_>) -> Option<String> {
    match text {
        "None" => None,
        "True" | "False" => Some(text.to_lowercase()),
        // A list with a float is one of floats.
        text if is_list(text) && text.contains('.') => {
            Some(array_of_list(text, true).trim_start_matches("&gpu::array(&").trim_end_matches(')').to_owned())
        }
        text if list_of_arrays(text, known).is_some() => list_of_arrays(text, known),
        text => Some(as_argument(&text.replace('\'', "\""), known)),
    }
}

/// The call of a function in a module with Python's arguments: of the macro, if the function does not take them all.
pub fn call(path: &str, values: Vec<String>, named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let found = Macro::find(path);
    let is_measurement = path.strip_prefix("ndimage::").is_some_and(|name| list_has(MEASUREMENTS, name));
    let needed = match &found {
        Some(found) => &found.needed[..],
        None if is_measurement => &MEASURED,
        None => &[],
    };
    // What a function needs has no name here: `gaussian_filter(x, sigma=2)`.
    let (mut values, mut named) = (values, named.to_vec());
    while let Some(at) = named.iter().position(|(key, _)| needed.get(values.len()) == Some(key)) {
        values.push(value(named.remove(at).1, known)?);
    }
    if is_measurement {
        // Of all elements, unless labels and an index are given.
        values.resize_with(values.len().max(needed.len()), || "()".to_owned());
    }
    // SciPy makes one of the nearest neighbours.
    if needed.get(values.len()) == Some(&"structure") && path.starts_with("ndimage::") {
        values.push("()".to_owned());
    }
    let takes_arrays =
        ["interpolate::", "spatial::", "linalg::", "fft::"].iter().any(|module| path.starts_with(module));
    if takes_arrays {
        for value in values.iter_mut().filter(|value| is_list(value)) {
            *value = array_of_list(value, true);
        }
    }
    let is_macro = !named.is_empty() || found.as_ref().is_some_and(|found| values.len() > found.needed.len());
    if !is_macro {
        return Some(format!("gpu::{path}({})", values.join(", ")));
    }
    macro_call(path, values, &named, known)
}

/// The call of the macro of a function, if there is one that takes the arguments.
pub fn macro_call(path: &str, values: Vec<String>, named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let found = Macro::find(path)?;
    if !named.iter().all(|(key, _)| found.takes(key)) {
        return None;
    }
    let named = named.iter().filter_map(|(key, text)| {
        let value = value(text, known)?;
        Some(format!("{key} = {}", if found.is_float(key) { as_float(&value) } else { value }))
    });
    let values = values.into_iter().enumerate().map(|(place, value)| {
        if found.name_at(place).is_some_and(|name| found.is_float(name)) { as_float(&value) } else { value }
    });
    let quoted = |text: String| if text.starts_with('\'') { text.replace('\'', "\"") } else { text };
    let arguments: Vec<String> = values.map(quoted).chain(named).collect();
    Some(format!("gpu::{path}!({})", arguments.join(", ")))
}

/// `gpu::linalg::norm(&m, axis = 1)`, `gpu::signal::medfilt(&x, 5)`, `gpu::signal::welch!(&x, fs = 1000)`
pub fn arguments(line: &Line, known: &Known<'_>) -> Option<String> {
    (4..line.len()).find_map(|at| {
        let is_macro = line.at(at + 1) == "!";
        let open = at + 1 + usize::from(is_macro);
        let given = line.arguments(open).filter(|_| line.at(open) == "(" && line.is_word(at))?;
        let mut first = at;
        while line.before(first, 1) == "::" && first > 1 {
            first -= 2;
        }
        if line.at(first) != "gpu" || at - first < 4 {
            return None;
        }
        let (values, named) = sorted_out(&given);
        let is_surplus = known
            .faults
            .iter()
            .filter_map(|(_, text)| argument_counts(text))
            .any(|(takes, supplied)| supplied == given.len() && supplied > takes);
        let is_meant = if is_macro { known.says("{integer}") || known.says("found integer") } else { true };
        if !is_meant || named.is_empty() && !is_surplus {
            return None;
        }
        // Distributions are functions with all arguments.
        let path = line.slice(first + 2, at);
        Macro::find(path).filter(|_| !path.starts_with("random"))?;
        let values = values.iter().map(|value| as_argument(value, known)).collect();
        let close = line.closing(open)?;
        let new = call(path, values, &named, known).filter(|new| new != line.slice(first, close))?;
        Some(line.with(first, close, &new))
    })
}

/// `gpu::sparse::csr_matrix([[1, 2], [0, 3]])`, `gpu::sparse::csr_matrix((data, (row, col)), shape=(3, 3))`
pub fn sparse_source(line: &Line, known: &Known<'_>) -> Option<String> {
    const MAKERS: [&str; 6] = ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array", "coo_array"];
    (2..line.len()).filter(|at| MAKERS.contains(&line.at(*at)) && line.at(at + 1) == "(").find_map(|at| {
        let close = line.closing(at + 1)?;
        let given = line.arguments(at + 1)?;
        let (values, named) = sorted_out(&given);
        let [source] = values[..] else { return None };
        let by_reference = |text: &str| {
            let text = text.trim_start_matches('&');
            // Elements of a sparse matrix are floats.
            let is_whole = known.element_of(text).is_none_or(|element| elements::is_integer(&element));
            match as_argument(text, known) {
                _ if is_list(text) => array_of_list(text, true),
                array if known.is_array(text) && is_whole => format!("{array}.astype::<f64>()"),
                array => array,
            }
        };
        let new = if is_list(source) {
            by_reference(source)
        } else if source.starts_with('(') {
            let shape = named.iter().find(|(name, _)| *name == "shape").filter(|_| named.len() == 1)?.1;
            let parts = Line::new(source);
            let parts = parts.arguments(0)?.into_iter().map(|part| match part.strip_prefix('(') {
                Some(places) => {
                    let places: Vec<String> =
                        places.trim_end_matches(')').split(',').map(|one| as_argument(one.trim(), known)).collect();
                    format!("({})", places.join(", "))
                }
                None => by_reference(part),
            });
            format!("({}, {shape})", parts.collect::<Vec<_>>().join(", "))
        } else {
            return None;
        };
        let call = format!("({new})");
        let is_ours = line.before(at, 2) == "sparse" || known.says(&format!("`{}`", line.at(at)));
        (is_ours && call != line.slice(at + 1, close)).then(|| line.with(at + 1, close, &call))
    })
}

/// `spline(1.5)`: curves are types here.
pub fn curve(line: &Line, known: &Known<'_>) -> Option<String> {
    const CURVES: [&str; 4] = ["Spline", "Interp", "Poly", "Curve"];
    let found = |text: &str| text.split_once("expected function, found `")?.1.split('`').next().map(str::to_owned);
    let is_curve = known
        .faults
        .iter()
        .filter_map(|(_, text)| found(text))
        .any(|name| CURVES.iter().any(|part| name.contains(part)));
    let at = line.calls(false).find(|at| {
        let name = line.at(*at);
        is_curve && (known.cell.contains(&format!("let {name} = ")) || (known.type_of)(name).is_some())
    })?;
    let [place] = line.arguments(at + 1)?[..] else { return None };
    let place = match place.parse::<f64>() {
        Ok(_) => format!("&gpu::full((), {})", as_float(place)),
        Err(_) => as_array(place, known),
    };
    Some(line.with(at, line.closing(at + 1)?, &format!("{}.eval({place})", line.at(at))))
}

/// `matrix.dot(&i)` of whole numbers
pub fn sparse_operand(line: &Line, known: &Known<'_>) -> Option<String> {
    let refused = "a sparse matrix cannot be multiplied by `";
    let is_whole = known.faults.iter().any(|(_, text)| {
        text.split_once(refused).is_some_and(|(_, rest)| {
            rest.trim_start_matches('&')
                .strip_prefix("DeviceArray<")
                .is_some_and(|rest| rest.starts_with(['i', 'u', '{']))
        })
    });
    let at = line.calls(true).find(|at| is_whole && matches!(line.at(*at), "dot" | "matmul"))?;
    let [operand] = line.arguments(at + 1)?[..] else { return None };
    let operand = operand.trim_start_matches('&');
    (!operand.contains("astype"))
        .then(|| line.with(at + 2, line.closing(at + 1).unwrap_or(at + 2) - 1, &format!("&{operand}.astype::<f64>()")))
}

/// Our path of a function of SciPy, `signal::windows::hann` of `signal.windows.hann`.
fn path_of(theirs: &str) -> Option<String> {
    // An older name.
    let theirs = if theirs == "ndimage.sum" { "ndimage.sum_labels" } else { theirs };
    let of = |start: String| PAGES.iter().find_map(|page| page.split_once(&start)?.1.lines().next());
    // What both have, the page lists under NumPy's name.
    let is_of_both = theirs.starts_with("linalg.") || theirs.starts_with("fft.");
    let row =
        of(format!("| `scipy.{theirs}(")).or_else(|| of(format!("np.{theirs}(")).filter(|_| is_of_both).map(|_| ""))?;
    // Some have another place here; some are methods in the table, and functions of the module too.
    let ours = row.split_once("`gpu::").and_then(|(_, call)| call.split(['(', '!']).next());
    Some(ours.map_or_else(|| theirs.replace('.', "::"), str::to_owned))
}

/// `scipy.signal.butter(4, 0.2)`, `signal.medfilt(x, 5)`, `signal.windows.hann(51, sym=False)`
pub fn of_scipy(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let root = line.at(at);
        let module = if list_has(MODULES, root) { Some(root) } else { list_value(ALIASES, root) }?;
        let is_path = line.at(at + 1) == "." && !matches!(line.before(at, 1), "." | "::" | "let" | "mut");
        if !is_path || !known.blames(root) || (known.type_of)(root).is_some() {
            return None;
        }
        let (mut last, mut path) = (at, Vec::from_iter((!module.is_empty()).then_some(module)));
        while line.at(last + 1) == "." && is_name(line.at(last + 2)) {
            last += 2;
            if line.at(last) != "scipy" {
                path.push(line.at(last));
            }
        }
        let (given, close) = (line.arguments(last + 1).filter(|_| line.at(last + 1) == "(")?, line.closing(last + 1)?);
        let (values, named) = sorted_out(&given);
        let path = path_of(&path.join("."))?;
        let name = path.rsplit("::").next().unwrap_or_default();
        let other = match path.split_once("::") {
            // What is not in a module here.
            None => signatures::convolved(name, &values, &named, known),
            Some(("fft", _)) => signatures::frequencies(name, &values, &named, known),
            Some(_) => None,
        };
        if let Some(new) = other {
            return Some(line.with(at, close, &new));
        }
        let values = values.iter().map(|text| value(text, known)).collect::<Option<_>>()?;
        Some(line.with(at, close, &call(&path, values, &named, known)?))
    })
}

/// `from scipy import signal`, `import scipy.signal as sig`, `from scipy.special import erf, gamma`: what `use` they are.
pub fn import(line: &Line) -> Option<String> {
    let is_of_scipy = |at: usize| matches!(line.at(at), "scipy" | "cupyx");
    let (path, names) = match line.at(0) {
        "import" if is_of_scipy(1) => (1, None),
        "from" if is_of_scipy(1) => (1, Some(line.find("import").next()? + 1)),
        _ => return None,
    };
    let mut last = path;
    while line.at(last + 1) == "." && line.is_word(last + 2) {
        last += 2;
    }
    let mut parts: Vec<&str> =
        (path..=last).step_by(2).map(|at| line.at(at)).filter(|word| !matches!(*word, "scipy" | "cupyx")).collect();
    let Some(names) = names else {
        let is_here = parts.first().is_some_and(|module| list_has(MODULES, module));
        let alias = if line.at(last + 1) == "as" { format!(" as {}", line.at(last + 2)) } else { String::new() };
        return is_here.then(|| format!("use gpu::{}{alias};", parts.join("::")));
    };
    let listed = line.slice(names, line.last()).trim_matches(['(', ')', ' ']);
    if parts.is_empty() && !listed.contains(',') {
        let (module, alias) = listed.split_once(" as ").map_or((listed, None), |(module, alias)| (module, Some(alias)));
        let alias = alias.map(|alias| format!(" as {alias}")).unwrap_or_default();
        return list_has(MODULES, module).then(|| format!("use gpu::{module}{alias};"));
    }
    let first = parts.first().copied().unwrap_or_else(|| listed.split(',').next().unwrap_or_default().trim());
    if !list_has(MODULES, first) || keyword(listed).is_some() {
        return None;
    }
    parts.insert(0, "gpu");
    let listed = if listed.contains(',') { format!("{{{listed}}}") } else { listed.to_owned() };
    Some(format!("use {}::{listed};", parts.join("::")))
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::{corrected, type_of};
    use super::*;

    #[test]
    fn functions_of_modules() {
        let of = |module: &str| format!("cannot find value `{module}` in this scope");
        let more =
            |takes: &str, given: usize| format!("this function takes {takes} but {given} arguments were supplied");
        let floats =
            |element: &str| format!("this operation needs an array of f32 or f64, but its elements are `{element}`");
        for (message, typed, expected) in [
            (of("scipy"), "scipy.signal.medfilt(a, 5)", "gpu::signal::medfilt!(&a, 5)"),
            (of("scipy"), "let b = scipy.special.erf(a);", "let b = gpu::special::erf(&a);"),
            (of("cupyx"), "cupyx.scipy.special.gammaln(a)", "gpu::special::gammaln(&a)"),
            (of("signal"), "signal.butter(4, 0.2)", "gpu::signal::butter(4, 0.2)"),
            (of("signal"), "signal.butter(4, 0.2, btype='high')", "gpu::signal::butter!(4, 0.2, btype = \"high\")"),
            (of("sig"), "sig.windows.hann(51, sym=False)", "gpu::signal::windows::hann!(51, sym = false)"),
            (of("signal"), "signal.detrend(a, axis=0).sum()", "gpu::signal::detrend!(&a, axis = 0).sum()"),
            (of("height"), "gpu::signal::find_peaks(&a, height = 0.5)", "gpu::signal::find_peaks!(&a, height = 0.5)"),
            (of("sym"), "gpu::signal::windows::hann(9, sym = false)", "gpu::signal::windows::hann!(9, sym = false)"),
            (of("axis"), "gpu::linalg::norm(m, axis = 1)", "gpu::linalg::norm!(&m, axis = 1)"),
            (more("1 argument", 2), "gpu::signal::medfilt(&a, 5)", "gpu::signal::medfilt!(&a, 5)"),
            (more("1 argument", 2), "gpu::linalg::norm(&a, 2)", "gpu::linalg::norm!(&a, 2)"),
            (more("2 arguments", 3), "gpu::signal::butter(4, 0.2, \"low\")", "gpu::signal::butter!(4, 0.2, \"low\")"),
            (
                of("signal"),
                "signal.welch(a, fs=1000, nperseg=64)",
                "gpu::signal::welch!(&a, fs = 1000.0, nperseg = 64)",
            ),
            (
                "the trait bound `Option<f64>: From<{integer}>` is not satisfied".to_owned(),
                "gpu::signal::find_peaks!(&a, distance = 3, wlen = 9)",
                "gpu::signal::find_peaks!(&a, distance = 3.0, wlen = 9)",
            ),
            (of("signal"), "signal.convolve2d(m, m, mode='same')", "gpu::convolve2d!(&m, &m, mode = \"same\")"),
            (of("signal"), "signal.fftconvolve(a, b, 'same')", "gpu::fftconvolve!(&a, &b, \"same\")"),
            (of("scipy"), "scipy.signal.correlate2d(m, m)", "gpu::correlate2d!(&m, &m)"),
            (of("np"), "np.linalg.qr(m, 'r')", "gpu::linalg::qr!(&m, \"r\")"),
            (of("scipy"), "scipy.fft.rfftfreq(8, 0.5)", "gpu::fft::rfftfreq(8, 0.5)"),
            (of("ndimage"), "ndimage.gaussian_filter(a, sigma=2)", "gpu::ndimage::gaussian_filter(&a, 2)"),
            (
                of("scipy"),
                "scipy.ndimage.median_filter(m, size=3, mode='wrap')",
                "gpu::ndimage::median_filter!(&m, 3, mode = \"wrap\")",
            ),
            (of("ndi"), "ndi.sum_labels(a, labels=i, index=[1, 2])", "gpu::ndimage::sum_labels(&a, &i, [1, 2])"),
            (of("ndimage"), "ndimage.sum(a, labels=i, index=[1, 2])", "gpu::ndimage::sum_labels(&a, &i, [1, 2])"),
            (of("ndimage"), "ndimage.sum(a)", "gpu::ndimage::sum_labels(&a, (), ())"),
            (of("sigma"), "gpu::ndimage::gaussian_filter(&a, sigma = 2)", "gpu::ndimage::gaussian_filter(&a, 2)"),
            (of("sparse"), "sparse.linalg.cg(s, b=a, rtol=1e-8)", "gpu::sparse::linalg::cg!(&s, &a, rtol = 1e-8)"),
            (of("plt"), "plt.spy(s)", "gpu::spy(&s)"),
            (of("plt"), "plt.semilogy(a, b, label='b')", "gpu::plot((&a, &b)).label(\"b\").yscale(\"log\")"),
            (
                "cannot find function `loglog` in crate `gpu`".to_owned(),
                "gpu::loglog(&a, &b)",
                "gpu::plot((&a, &b)).xscale(\"log\").yscale(\"log\")",
            ),
            (
                "cannot multiply `SparseMatrix<f64>` by `DeviceArray<f64>`".to_owned(),
                "let y = s * a;",
                "let y = s.dot(&a);",
            ),
            (
                "cannot multiply `&SparseMatrix<f64>` by `&DeviceArray<f64>`".to_owned(),
                "(&s * &a).sum()",
                "(s.dot(&a)).sum()",
            ),
            ("type annotations needed".to_owned(), "gpu::sparse::eye(5)", "gpu::sparse::eye::<f64>(5)"),
            (
                "type annotations needed".to_owned(),
                "gpu::signal::welch!(&gpu::ones(5000), 8192)",
                "gpu::signal::welch!(&gpu::ones::<f64>(5000), 8192)",
            ),
            (
                "expected `&DeviceArray<f64>`, found `&DeviceArray<i64>`".to_owned(),
                "gpu::sparse::linalg::cg(&s, &i)",
                "gpu::sparse::linalg::cg(&s, &i.astype::<f64>())",
            ),
            (
                "cannot index into a value of type `PeakProperties`".to_owned(),
                "let p = found[\"prominences\"].clone();",
                "let p = found.prominences.clone();",
            ),
            ("borrow of moved value: `s`".to_owned(), "let twice = 2.0 * s; s.nnz()", "let twice = 2.0 * &s; s.nnz()"),
            (floats("i64"), "gpu::special::expit(&i)", "gpu::special::expit(&i.astype::<f64>())"),
            (floats("i64"), "i.exp() + 1.0", "i.astype::<f64>().exp() + 1.0"),
            (floats("i32"), "gpu::special::gamma(n)", "gpu::special::gamma(n as f64)"),
            (floats("{integer}"), "gpu::special::gamma(5)", "gpu::special::gamma(5.0)"),
            (
                floats("{integer}"),
                "gpu::special::gamma(&gpu::array(&[1, 2, 5]))",
                "gpu::special::gamma(&gpu::array(&[1.0, 2.0, 5.0]))",
            ),
        ] {
            let faults = [(Some("E0425"), &*message)];
            let corrected = of_line(typed, &Known::of_line(&faults, typed, 1, &type_of));
            assert_eq!(corrected.as_deref(), Some(expected), "{typed}");
        }
        for (typed, expected) in [
            ("from scipy import signal", "use gpu::signal;"),
            ("from scipy import signal as sig", "use gpu::signal as sig;"),
            ("from scipy import signal, special", "use gpu::{signal, special};"),
            ("import scipy.signal as sig", "use gpu::signal as sig;"),
            ("import scipy.special", "use gpu::special;"),
            ("from scipy.special import erf, gamma", "use gpu::special::{erf, gamma};"),
            ("from cupyx.scipy.signal.windows import hann", "use gpu::signal::windows::hann;"),
            ("import scipy as sp", "use gpu::prelude::*;"),
            ("from scipy import datasets", "use gpu::prelude::*;"),
            ("import numpy as np", "use gpu::prelude::*;"),
        ] {
            assert_eq!(corrected(typed).as_deref(), Some(expected), "{typed}");
        }
    }
}
