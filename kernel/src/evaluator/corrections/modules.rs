//! Functions of the prelude's modules: under SciPy's names, and with arguments that only their macros take.

use super::known::Known;
use super::line::{Line, is_name};
use super::named::{argument_counts, keyword, sorted_out};
use super::operators::{as_argument, as_float};
use crate::syntax::{list_has, list_value, words};

/// The pages with SciPy's names and ours.
const PAGES: [&str; 2] = [include_str!("../../../../prelude/SCIPY.md"), include_str!("../../../../prelude/NUMPY.md")];

/// The prelude's table of macros that stand in modules.
const TABLE: &str = include_str!("../../../../prelude/src/keywords/modules.rs");

/// SciPy's modules that are here.
const MODULES: &str = "special signal ndimage sparse linalg fft interpolate spatial stats optimize";

/// What Python's users call them, and SciPy itself.
const ALIASES: &str = "scipy= cupyx= sp= sig=signal sps=sparse ndi=ndimage sla=linalg";

/// A macro in a module.
struct Macro<'a> {
    /// How many arguments it needs.
    needed: usize,
    /// The names of its other arguments.
    row: &'a str,
}

impl Macro<'static> {
    /// `path` is `linalg::svd`, or `signal::windows::hann`.
    fn find(path: &str) -> Option<Macro<'static>> {
        let (_, row) = TABLE.split_once(&format!("\n    __{}(", path.replace("::", "_")))?;
        let (needed, row) = row.lines().next()?.split_once(')')?;
        Some(Macro { needed: needed.split(',').filter(|name| !name.trim().is_empty()).count(), row })
    }

    fn takes(&self, key: &str) -> bool {
        words(self.row).any(|word| word == key)
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
        text => Some(as_argument(&text.replace('\'', "\""), known)),
    }
}

/// The call of a function in a module with Python's arguments: of the macro, if the function does not take them all.
pub fn call(path: &str, values: Vec<String>, named: &[(&str, &str)], known: &Known<'_>) -> Option<String> {
    let found = Macro::find(path);
    let is_macro = !named.is_empty() || found.as_ref().is_some_and(|found| values.len() > found.needed);
    if !is_macro {
        return Some(format!("gpu::{path}({})", values.join(", ")));
    }
    let found = found?;
    if !named.iter().all(|(key, _)| found.takes(key)) {
        return None;
    }
    let named = named.iter().filter_map(|(key, text)| {
        let value = value(text, known)?;
        Some(format!("{key} = {}", if found.is_float(key) { as_float(&value) } else { value }))
    });
    let arguments: Vec<String> = values.into_iter().chain(named).collect();
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

/// Our path of a function of SciPy, `signal::windows::hann` of `signal.windows.hann`.
fn path_of(theirs: &str) -> Option<String> {
    let row = PAGES.iter().find_map(|page| page.split_once(&format!("| `scipy.{theirs}("))?.1.lines().next())?;
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
