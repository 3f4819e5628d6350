//! Functions of device code and their calls, as CUDA, Numba and NumPy have them.

use super::calls::METHODS;
use super::known::{ARRAY, DeviceFunction, Known};
use super::line::{Line, LineTokenKind, is_name};
use super::modules::PAGES;
use super::operators::as_argument;
use crate::syntax::{is_keyword, list_has, list_value};

/// CUDA's variables and functions, and ours.
const NAMES: &str = "\
    threadIdx=thread_idx() blockIdx=block_idx() blockDim=block_dim() gridDim=grid_dim() \
    __syncthreads=sync_threads syncthreads=sync_threads";

/// `x.size`, `x.shape[0]` of a view.
pub fn length(line: &Line, known: &Known<'_>) -> Option<String> {
    if known.device != Some(DeviceFunction::Kernel) {
        return None;
    }
    (1..line.len()).filter(|at| line.before(*at, 1) == ".").find_map(|at| match line.at(at) {
        "size" => {
            let last = if line.at(at + 1) == "(" { line.closing(at + 1)? } else { at };
            Some(line.with(at, last, "len()"))
        }
        "shape" if line.at(at + 1) == "[" && line.at(at + 2) == "0" => Some(line.with(at, at + 3, "len()")),
        _ => None,
    })
}

/// `threadIdx.x`, `cuda.grid(1)`, `__syncthreads()`
pub fn names(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let name = line.at(at);
        let is_own = line.before(at, 1) == "cuda" || !matches!(line.before(at, 1), "." | "::");
        if let Some(ours) = list_value(NAMES, name).filter(|_| is_own && known.blames(name)) {
            return Some(line.with(at, at, ours));
        }
        if name == "cuda" && matches!(line.at(at + 1), "." | "::") && line.before(at, 1) != "." {
            if let Some(ours) = list_value(NAMES, line.at(at + 2)) {
                return Some(line.with(at, at + 2, ours));
            }
            if line.at(at + 2) == "grid" && line.at(at + 3) == "(" {
                return Some(line.with(at, line.closing(at + 3)?, "global_idx().x"));
            }
        }
        let is_index = matches!(name, "global_idx" | "thread_idx" | "block_idx" | "block_dim" | "grid_dim");
        let is_whole = is_index && line.at(at + 1) == "(" && line.at(at + 3) != "." && known.says("`Dim3`");
        is_whole.then(|| line.with(at, at + 2, &format!("{name}().x")))
    })
}

/// `ndtr(x)`, `scipy.special.ndtr(x)`, `gpu::special::ndtr(x)`: device code needs the function of numbers.
pub fn special(line: &Line, known: &Known<'_>) -> Option<String> {
    const PATHS: [&str; 6] = ["", "special", "gpu::special", "sp.special", "scipy.special", "cupyx.scipy.special"];
    known.device?;
    let is_special = |name: &str| {
        let row = format!("`scipy.special.{name}(");
        !list_has(METHODS, name) && PAGES.iter().any(|page| page.contains(&row))
    };
    (0..line.len()).filter(|at| line.at(at + 1) == "(" && is_special(line.at(*at))).find_map(|at| {
        let mut first = at;
        while matches!(line.before(first, 1), "." | "::") && line.is_word(first - 2) {
            first -= 2;
        }
        let path = if first == at { "" } else { line.slice(first, at - 2) };
        let is_method = line.before(first, 1) == ".";
        let name = line.at(at);
        // A bare name may be that of a function of the notebook.
        let is_meant = PATHS.contains(&path) && (!path.is_empty() || known.blames(name));
        let can_be = is_meant && !is_method && line.before(first, 1) != "fn";
        can_be.then(|| line.with(first, at, &format!("gpu::special::scalar::{name}")))
    })
}

/// Parameters that a kernel or a formula cannot have: `p: &[f64]`, `t: &DeviceArray<f64>`.
pub fn parameters(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_kernel = known.says("must be a view of an array");
    let is_formula = known.says("function must have one of the types");
    let name = line.find("fn").next()? + 1;
    if !(is_kernel || is_formula) || line.at(name + 1) != "(" {
        return None;
    }
    line.parts(name + 1, ",")?.into_iter().find_map(|(first, last)| {
        let colon = line.find(":").find(|at| *at > first && *at < last)?;
        let type_name = line.slice(colon + 1, last);
        let is_mutable = type_name.starts_with("&mut") || type_name.starts_with("Out<");
        let element = type_name.trim_start_matches('&').trim_start_matches("mut ").trim();
        let element = element
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .or_else(|| element.split_once('<')?.1.strip_suffix('>'))?;
        if type_name.starts_with("View") || !is_name(element) {
            return None;
        }
        let parameter = line.slice(first, colon - 1);
        let new = match (is_formula, is_mutable) {
            (true, _) => format!("{parameter}: {element}"),
            (false, true) => format!("mut {}: ViewMut<{element}>", parameter.trim_start_matches("mut ")),
            (false, false) => format!("{parameter}: View<{element}>"),
        };
        Some(line.with(first, last, &new))
    })
}

/// A variable of the notebook in a function becomes a parameter.
pub fn variable(line: &Line, known: &Known<'_>) -> Option<String> {
    let name = line.find("fn").next()? + 1;
    let close = line.closing(name + 1).filter(|_| line.at(name + 1) == "(")?;
    let missing = (close..line.len())
        .find(|at| line.is_word(*at) && known.says(&format!("cannot find value `{}` in this scope", line.at(*at))))?;
    let (missing, is_device) = (line.at(missing), known.cell.contains("#["));
    if line.slice(name + 1, close).contains(&format!("{missing}:")) {
        return None;
    }
    let type_name = (known.type_of)(missing)?;
    let is_array = type_name.contains(ARRAY);
    if is_array && is_device || !(is_array || type_name.chars().all(char::is_alphanumeric)) {
        return None;
    }
    let by = if is_array { "&" } else { "" };
    let parameters = if close == name + 2 { String::new() } else { format!("{}, ", line.slice(name + 2, close - 1)) };
    Some(line.with(name + 1, close, &format!("({parameters}{missing}: {by}{type_name})")))
}

/// Decorators of Python, and ours: `@cuda.jit`, `@vectorize`
pub fn decorator(line: &Line, _: &Known<'_>) -> Option<String> {
    let kind = DeviceFunction::of_attribute(line.text.strip_prefix('@').map(|_| line.text.as_str())?)?;
    let ours = match kind {
        DeviceFunction::Kernel => "#[kernel]",
        DeviceFunction::OfNumbers if line.text.contains("device") => "#[device]",
        DeviceFunction::OfNumbers => "#[vectorize]",
    };
    Some(ours.to_owned())
}

/// `fn f(x) { … }`, `fn f(x: f64): f64 { … }`
pub fn types(line: &Line, known: &Known<'_>) -> Option<String> {
    let name = line.find("fn").next()? + 1;
    if !known.is_syntax() || line.at(name + 1) != "(" {
        return None;
    }
    let close = line.closing(name + 1)?;
    if line.at(close + 1) == ":" && line.is_word(close + 2) {
        return Some(line.with(close + 1, close + 1, " ->"));
    }
    let parts = line.parts(name + 1, ",")?;
    let is_untyped =
        |(first, last): &(usize, usize)| first == last && is_name(line.at(*first)) && line.at(*first) != "self";
    if !parts.iter().any(is_untyped) {
        return None;
    }
    let typed = |part: &(usize, usize)| {
        if is_untyped(part) { parameter(line.part(*part), known) } else { line.part(*part).to_owned() }
    };
    let typed: Vec<String> = parts.iter().map(typed).collect();
    let has_value = known.device != Some(DeviceFunction::Kernel) && line.at(close + 1) == "{";
    let result = if has_value { " -> f64" } else { "" };
    Some(line.with(name + 1, close, &format!("({}){result}", typed.join(", "))))
}

/// A parameter of a function with the type that its body needs.
pub fn parameter(name: &str, known: &Known<'_>) -> String {
    let cell = Line::new(known.cell);
    let is_used = |at: &usize| cell.at(*at) == name && !matches!(cell.before(*at, 1), "." | "::");
    let places: Vec<usize> = (0..cell.len()).filter(is_used).collect();
    let is_indexed = places.iter().any(|at| cell.at(at + 1) == "[");
    let is_assigned = places.iter().filter(|at| cell.at(*at + 1) == "[").any(|at| {
        let behind = cell.closing(at + 1).map_or("", |close| cell.at(close + 1));
        matches!(behind, "=" | "+=" | "-=" | "*=" | "/=")
    });
    let is_limit = places.iter().any(|at| matches!(cell.before(*at, 1), "<" | "..") && is_name(cell.before(*at, 2)));
    // Elements are gone through, or functions for arrays are called.
    let is_gone_through = places.iter().any(|at| {
        cell.before(*at, 1) == "in"
            || (matches!(cell.before(*at, 2), "len" | "sum" | "enumerate") && cell.before(*at, 1) == "(")
            || (cell.before(*at, 1) == "(" && cell.before(*at, 3) == "." && matches!(cell.before(*at, 4), "np" | "cp"))
    });
    // What is computed of all elements: `(x ** 2).sum()`, `np.mean(x - y)`, `x.shape`.
    const OF_ALL: &str = "sum mean std var min max prod median cumsum argmax argmin argsort sort reshape ravel shape size ndim T dot any all";
    // `d = x - y`, and then `d.sum()`
    let mut names = vec![name];
    for text in known.cell.lines().map(str::trim) {
        let (target, value) = text.split_once('=').unwrap_or_default();
        let value = Line::new(value);
        let is_derived = names.iter().any(|one| value.find(one).next().is_some()) && is_name(target.trim());
        names.extend(is_derived.then(|| target.trim()));
    }
    let is_within = |first: usize, last: usize| {
        (first..=last).any(|at| names.contains(&cell.at(at)) && !matches!(cell.before(at, 1), "." | "::"))
    };
    let is_of_all = (1..cell.len()).any(|at| {
        if !list_has(OF_ALL, cell.at(at)) || cell.before(at, 1) != "." {
            return false;
        }
        let is_module = matches!(cell.before(at, 2), "np" | "cp" | "numpy" | "gpu");
        match cell.operand_before(at - 1) {
            _ if is_module => cell.closing(at + 1).is_some_and(|close| cell.at(at + 1) == "(" && is_within(at, close)),
            Some(first) => is_within(first, at) && cell.before(first, 1) != "def",
            None => false,
        }
    });
    match known.device {
        None if is_gone_through || is_indexed || is_of_all => format!("{name}: &DeviceArray<f64>"),
        Some(DeviceFunction::Kernel) if is_assigned => format!("mut {name}: ViewMut<f64>"),
        Some(DeviceFunction::Kernel) if is_indexed => format!("{name}: View<f64>"),
        Some(DeviceFunction::Kernel) if is_limit => format!("{name}: usize"),
        _ => format!("{name}: f64"),
    }
}

/// `(&a, &out)` of a kernel that writes to `out`: the compiler's message says for which argument.
pub fn written(line: &Line, known: &Known<'_>) -> Option<String> {
    let wrong = known.says("this parameter of the kernel is `gpu::ViewMut<")
        && known.says("but the argument is `&DeviceArray<");
    let at = line.find("launch").find(|_| wrong && !line.text.contains("&mut"))?;
    let arguments = line.find("(").filter(|open| *open > at + 1).last()?;
    // Kernels write to their last parameters.
    let (first, last) = *line.parts(arguments, ",")?.iter().rev().find(|part| line.part(**part).starts_with('&'))?;
    Some(line.with(first, last, &format!("&mut {}", line.slice(first + 1, last))))
}

/// An argument of a launch. What the cell's own kernel does with it says whether it is an array, and whether it is written to.
fn launched(kernel: &str, index: usize, argument: &str, known: &Known<'_>) -> String {
    let cell = Line::new(known.cell);
    let is_head =
        |at: &usize| matches!(cell.at(*at), "def" | "fn") && cell.at(at + 1) == kernel && cell.at(at + 2) == "(";
    let parameters = (0..cell.len()).find(is_head).and_then(|at| cell.arguments(at + 2)).unwrap_or_default();
    let Some(name) = parameters.get(index).filter(|_| is_name(argument)) else { return as_argument(argument, known) };
    let in_kernel = Known { device: Some(DeviceFunction::Kernel), ..*known };
    let name = name.split(':').next().unwrap_or_default().trim().trim_start_matches("mut ");
    match parameter(name, &in_kernel) {
        said if said.contains("ViewMut<") => format!("&mut {argument}"),
        said if said.contains("View<") => format!("&{argument}"),
        _ => as_argument(argument, known),
    }
}

/// `scale[blocks, threads](a, 2.0)`, as in Numba.
pub fn start(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).filter(|at| line.is_word(*at) && line.at(at + 1) == "[").find_map(|at| {
        let close = line.closing(at + 1)?;
        let (sizes, end) = (line.arguments(at + 1)?, line.closing(close + 1)?);
        let ([blocks, threads], "(") = (sizes.as_slice(), line.at(close + 1)) else { return None };
        let given = line.arguments(close + 1)?;
        let arguments: Vec<String> =
            given.iter().enumerate().map(|(index, given)| launched(line.at(at), index, given, known)).collect();
        let comma = if arguments.len() == 1 { "," } else { "" };
        let launch = format!("gpu::launch({}, {blocks}, {threads}, ({}{comma}))", line.at(at), arguments.join(", "));
        Some(line.with(at, end, &launch))
    })
}

/// `gpu::trace(k, 1, 32, &mut a)` of a kernel, as `gpu::trace` is NumPy's, and `.blocks([0, 7])` behind it.
pub fn traced(line: &Line, known: &Known<'_>) -> Option<String> {
    let calls = (2..line.len()).filter(|at| line.at(at + 1) == "(");
    calls.into_iter().find_map(|at| match (line.at(at), line.arguments(at + 1)?.as_slice()) {
        ("trace", [kernel, _, _, _]) if line.before(at, 2) == "gpu" && is_name(kernel) && !known.is_array(kernel) => {
            Some(line.with(at, at, "launch_traced"))
        }
        ("launch_traced", [kernel, grid, block, arguments]) => {
            let close = line.closing(at + 1)?;
            let chosen = line.closing(close + 3).filter(|_| line.at(close + 2) == "blocks")?;
            let blocks = line.slice(close + 3, chosen);
            let config = format!("gpu::LaunchConfig::new({grid}, {block}).trace_blocks{blocks}");
            Some(line.with(at, chosen, &format!("launch_traced_with({config}, {kernel}, {arguments})")))
        }
        ("blocks", [_]) if known.says("no method named `blocks` found for struct `LaunchConfig`") => {
            Some(line.with(at, at, "trace_blocks"))
        }
        _ => None,
    })
}

/// `f(&a)` of a function of numbers, `gpu::map(f, a, b)`, `gpu::launch(k, 1, (a))`
pub fn call(line: &Line, known: &Known<'_>) -> Option<String> {
    let tuple = |arguments: &[&str]| match arguments {
        [one] => as_argument(one, known),
        many => format!("({})", many.iter().map(|one| as_argument(one, known)).collect::<Vec<_>>().join(", ")),
    };
    let found = ["`&DeviceArray<", "`DeviceArray<"].iter().any(|name| {
        ["f64", "f32", "i32", "i64"].iter().any(|number| known.says(&format!("expected `{number}`, found {name}")))
    });
    let of_function = line.calls(false).find_map(|at| {
        // `y = len(a)` of a variable with another type.
        let is_missing = known.says(&format!("cannot find function `{}`", line.at(at)));
        let arguments = line.arguments(at + 1).filter(|_| found && !is_missing)?;
        let is_mapped = arguments.iter().any(|argument| known.is_array(argument))
            && line.before(at, 1) != "fn"
            && !is_keyword(line.at(at));
        let new = format!("gpu::map({}, {})", line.at(at), tuple(&arguments));
        is_mapped.then(|| Some(line.with(at, line.closing(at + 1)?, &new)))?
    });
    of_function.or_else(|| {
        (2..line.len()).find_map(|at| {
            let arguments = line.arguments(at + 1).filter(|_| line.at(at + 1) == "(" && line.before(at, 2) == "gpu")?;
            let close = line.closing(at + 1)?;
            match (line.at(at), arguments.as_slice()) {
                ("map", [function, first, second, rest @ ..]) => {
                    let all = [&[*first, *second], rest].concat();
                    Some(line.with(at, close, &format!("map({function}, {})", tuple(&all))))
                }
                ("map", [function, one]) if known.says("cannot be the arguments of a function") => {
                    let target = known
                        .faults
                        .iter()
                        .find_map(|(_, text)| text.split_once("parameters are `(")?.1.split([',', ')']).next());
                    let name = one.trim_start_matches('&');
                    let converted = target.filter(|target| {
                        known
                            .type_of(name)
                            .is_some_and(|known| known.contains(ARRAY) && !known.contains(&format!("<{target}>")))
                    });
                    let new = match converted {
                        Some(target) => format!("&{name}.astype::<{target}>()"),
                        None => as_argument(one, known),
                    };
                    (new != *one).then(|| line.with(at, close, &format!("map({function}, {new})")))
                }
                ("launch", [kernel, grid, arguments]) => {
                    Some(line.with(at, close, &format!("launch({kernel}, {grid}, 256, {arguments})")))
                }
                ("launch", [kernel, grid, block, arguments]) => {
                    let inner = arguments.trim_start_matches('(').trim_end_matches([')', ',']);
                    let new: Vec<String> = inner.split(", ").map(|one| as_argument(one, known)).collect();
                    let comma = if new.len() == 1 { "," } else { "" };
                    let new = format!("launch({kernel}, {grid}, {block}, ({}{comma}))", new.join(", "));
                    (known.says("the kernel takes") && line.slice(at, close) != new).then(|| line.with(at, close, &new))
                }
                _ => None,
            }
        })
    })
}

/// `(float) n`, `n.to_int()`, `5.sqrt()`, `x.pow(2)`
pub fn conversion(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let name = line.at(at);
        let target = match name {
            "float" | "double" => "f64",
            "int" | "long" => "i64",
            _ => "",
        };
        if !target.is_empty() && line.before(at, 1) == "(" && line.at(at + 1) == ")" && known.blames(name) {
            let last = line.operand_after(at + 2)?;
            return Some(line.with(at - 1, last, &format!("{} as {target}", line.slice(at + 2, last))));
        }
        let is_missing = known.says(&format!("no method named `{name}`"));
        let of_float = ["f64", "f32"].iter().any(|number| known.says(&format!("`{name}` found for type `{number}`")));
        if name == "pow" && is_missing && of_float {
            return Some(line.with(
                at,
                at,
                if line.kind(at + 2) == Some(LineTokenKind::Number) && !line.at(at + 2).contains('.') {
                    "powi"
                } else {
                    "powf"
                },
            ));
        }
        if matches!(name, "to_int" | "to_i64") && is_missing && line.at(at + 2) == ")" {
            return Some(line.with(at - 1, at + 2, " as i64"));
        }
        let is_open =
            known.says("on ambiguous numeric type `{integer}`") && line.before(at, 1) == "." && line.at(at + 1) == "(";
        (is_open && line.kind(at.wrapping_sub(2)) == Some(LineTokenKind::Number))
            .then(|| line.with(at - 2, at - 2, &format!("{}_f64", line.at(at - 2))))
    })
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn special_functions_of_numbers() {
        let of_cell = |text: &str, attribute: &str| {
            let cell = format!("{attribute}\nfn f(x: f64) -> f64 {{\n    {text}\n}}");
            let faults = [(Some("E0425"), "cannot find function `ndtr` in this scope")];
            of_line(text, &Known::of_line(&faults, &cell, 3, &type_of))
        };
        for typed in ["ndtr(x)", "scipy.special.ndtr(x)", "gpu::special::ndtr(x)", "special::ndtr(x)"] {
            let corrected = of_cell(&format!("2.0 * {typed}"), "#[device]");
            assert_eq!(corrected.as_deref(), Some("2.0 * gpu::special::scalar::ndtr(x)"), "{typed}");
        }
        for typed in ["x.ndtr()", "gpu::special::scalar::ndtr(x)", "x.exp()"] {
            assert!(of_cell(typed, "#[vectorize]").is_none_or(|line| !line.contains("scalar::scalar")), "{typed}");
        }
        // Arrays have functions of their own.
        assert!(of_cell("ndtr(x)", "").is_none_or(|line| !line.contains("scalar")));
    }

    #[test]
    fn launches_that_are_traced() {
        let too_many = "this function takes 1 argument but 4 arguments were supplied";
        let without = |name: &str| format!("no method named `blocks` found for struct `{name}` in the current scope");
        let config = without("LaunchConfig");
        for (message, typed, expected) in [
            (too_many, "gpu::trace(k, 16, 64, &mut a)", "gpu::launch_traced(k, 16, 64, &mut a)"),
            (
                too_many,
                "let t = gpu::trace(k, (2, 2), (8, 8), (&a, 3));",
                "let t = gpu::launch_traced(k, (2, 2), (8, 8), (&a, 3));",
            ),
            (
                too_many,
                "gpu::trace(k, 16, 64, (&a, &mut b)).blocks([0, 7])",
                "gpu::launch_traced_with(gpu::LaunchConfig::new(16, 64).trace_blocks([0, 7]), k, (&a, &mut b))",
            ),
            (
                &without("Trace"),
                "gpu::launch_traced(k, 16, 64, &mut a).blocks([0]).report()",
                "gpu::launch_traced_with(gpu::LaunchConfig::new(16, 64).trace_blocks([0]), k, &mut a).report()",
            ),
            (
                &config,
                "gpu::launch_traced_with(gpu::LaunchConfig::new(16, 64).blocks([0, 7]), k, &mut a)",
                "gpu::launch_traced_with(gpu::LaunchConfig::new(16, 64).trace_blocks([0, 7]), k, &mut a)",
            ),
        ] {
            let faults = [(None, message)];
            assert_eq!(
                of_line(typed, &Known::of_line(&faults, typed, 1, &type_of)).as_deref(),
                Some(expected),
                "{typed}"
            );
        }
        // NumPy's has an array, and up to three numbers.
        let faults = [(None, too_many)];
        let numpys = of_line("gpu::trace(&a, 1, 0, 1)", &Known::of_line(&faults, "", 1, &type_of));
        assert!(numpys.is_none_or(|line| !line.contains("launch")));
    }
}
