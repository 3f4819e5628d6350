//! Calls of functions of device code: `gpu::launch` and `gpu::map`, also as CUDA, Numba and CuPy have them.

use super::kernels::parameter;
use super::known::{ARRAY, DeviceFunction, Known, declares};
use super::line::{Line, is_integer, is_name};
use super::operators::{as_argument, as_object, with_floats};
use crate::evaluator::elements;
use crate::syntax::is_keyword;

/// What the compiler and the macros say of arguments that do not fit.
const OF_ARGUMENTS: [&str; 7] = [
    "this parameter of the kernel is `",
    "the kernel takes `",
    "the function takes elements of type `",
    "cannot be the arguments of a function",
    "is not the size of a grid or a block",
    "::Length` is not satisfied",
    "arguments were supplied",
];

/// The types of the parameters of a function of the cell, or of an earlier one.
fn parameter_types(function: &str, known: &Known<'_>) -> Option<Vec<String>> {
    let of_text = |text: &str| {
        let tokens = Line::new(text);
        let head = tokens.find("fn").find(|at| tokens.at(at + 1) == function && tokens.at(at + 2) == "(")?;
        let types =
            tokens.parts(head + 2, ",")?.into_iter().filter(|(first, last)| first <= last).map(|(first, last)| {
                let colon = (first..last).find(|at| tokens.at(*at) == ":")?;
                Some(tokens.slice(colon + 1, last).to_owned())
            });
        types.collect::<Option<Vec<String>>>()
    };
    of_text(known.cell).or_else(|| of_text(&(known.source)(function)?))
}

fn is_kernel(function: &str, known: &Known<'_>) -> bool {
    let is_view = |types: Vec<String>| types.iter().any(|one| one.starts_with("View"));
    let is_here = known.cell.contains(&format!("def {function}(")) && known.cell.contains("rawkernel");
    is_here || parameter_types(function, known).is_some_and(is_view)
}

fn is_float(type_name: &str) -> bool {
    matches!(type_name, "f32" | "f64")
}

/// Numbers in brackets: `[1, 2]`, `&[1.0, 2.0]`, `vec![1, 2]`
fn list(text: &str) -> Option<&str> {
    let inner = text.trim_start_matches('&').trim_start_matches("vec!").strip_prefix('[')?.strip_suffix(']')?;
    let is_number = |one: &str| one.trim().trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    inner.split(',').all(is_number).then_some(inner)
}

/// The type of a variable. A parameter of a function of the cell may have its name.
fn type_of(name: &str, known: &Known<'_>) -> Option<String> {
    let is_given = || known.cell.contains(&format!("|{name}|")) || known.cell.lines().any(|text| declares(text, name));
    let of_notebook = || (known.type_of)(name).filter(|_| is_name(name) && !known.is_in_block() && !is_given());
    known.variable(name).or_else(of_notebook)
}

/// The elements of a device array.
fn element_of(name: &str, known: &Known<'_>) -> Option<String> {
    Some(type_of(name, known)?.strip_prefix(ARRAY)?.strip_suffix('>')?.to_owned())
}

/// An array as an argument with elements of a type.
fn array(argument: &str, element: &str, known: &Known<'_>) -> String {
    let name = argument.trim_start_matches('&').trim_start_matches("mut ").trim();
    if let Some(numbers) = list(argument) {
        let numbers = if is_float(element) { with_floats(numbers, |_, _| true) } else { numbers.to_owned() };
        return format!("&gpu::array(&[{numbers}])");
    }
    let (made, own) = match type_of(name, known) {
        _ if known.is_host_array(name) => {
            let own = (known.type_of)(name).unwrap_or_default();
            (format!("gpu::asarray(&{name})"), own.contains(&format!("<{element}>")))
        }
        Some(own) if own.starts_with("Vec<") => (format!("gpu::array(&{name})"), own == format!("Vec<{element}>")),
        _ => match element_of(name, known) {
            Some(own) if is_name(name) => (name.to_owned(), own == element),
            _ => return as_argument(argument, known),
        },
    };
    if own { format!("&{made}") } else { format!("&{made}.astype::<{element}>()") }
}

/// Whether an argument is an array, or can be made one.
fn is_array(argument: &str, known: &Known<'_>) -> bool {
    let name = argument.trim_start_matches('&');
    let is_own = |own: String| own.starts_with("Vec<") || own.starts_with(ARRAY);
    list(argument).is_some()
        || known.is_array(argument)
        || known.is_host_array(name)
        || type_of(name, known).is_some_and(is_own)
}

/// A number as an argument of a type.
fn number(argument: &str, type_name: &str, known: &Known<'_>) -> String {
    let own = type_of(argument, known).filter(|own| elements::is_element(own) || own == "usize");
    match own {
        _ if is_float(type_name) && is_integer(argument) => format!("{argument}.0"),
        _ if elements::is_integer(type_name) || type_name == "usize" => {
            argument.strip_suffix(".0").filter(|whole| is_integer(whole)).unwrap_or(argument).to_owned()
        }
        Some(own) if is_float(type_name) && own != type_name => format!("{argument} as {type_name}"),
        _ => argument.to_owned(),
    }
}

/// An argument as a parameter of a type needs it.
fn fitted(argument: &str, type_name: &str, known: &Known<'_>) -> String {
    let name = argument.trim_start_matches('&').trim_start_matches("mut ").trim();
    let element = |start: &str| type_name.strip_prefix(start).and_then(|rest| rest.strip_suffix('>'));
    if type_name.starts_with("ViewMut<") {
        // What is written to a copy would be lost.
        return if is_name(name) { format!("&mut {name}") } else { argument.to_owned() };
    }
    match element("View<") {
        Some(_) if is_name(name) && !is_array(argument, known) => format!("&{name}"),
        Some(element) => array(argument, element, known),
        None if is_array(argument, known) => array(argument, type_name, known),
        None => number(argument, type_name, known),
    }
}

/// The texts between brackets around all of a text: `(x, t)`, `&(x, t)`
fn within<'a>(line: &'a Line, open: &str) -> Option<Vec<&'a str>> {
    let first = usize::from(line.at(0) == "&");
    let is_whole = line.at(first) == open && line.closing(first) == line.len().checked_sub(1);
    let given = line.arguments(first).filter(|_| is_whole)?;
    Some(given.into_iter().filter(|one| !one.is_empty()).collect())
}

fn tuple(arguments: &[String]) -> String {
    let comma = if arguments.len() == 1 { "," } else { "" };
    format!("({}{comma})", arguments.join(", "))
}

/// An argument of a launch. What the kernel does with it says whether it is an array, and whether it is written to.
fn launched(kernel: &str, index: usize, argument: &str, known: &Known<'_>) -> String {
    if let Some(types) = parameter_types(kernel, known) {
        return types.get(index).map_or_else(|| argument.to_owned(), |one| fitted(argument, one, known));
    }
    let cell = Line::new(known.cell);
    let is_head = |at: &usize| cell.at(*at) == "def" && cell.at(at + 1) == kernel && cell.at(at + 2) == "(";
    let parameters = (0..cell.len()).find(is_head).and_then(|at| cell.arguments(at + 2)).unwrap_or_default();
    let Some(name) = parameters.get(index).filter(|_| is_name(argument)) else { return as_argument(argument, known) };
    let line =
        known.cell.lines().position(|text| text.contains(&format!("def {kernel}("))).map_or(known.line, |at| at + 1);
    let in_kernel = Known { device: Some(DeviceFunction::Kernel), line, ..*known };
    let name = name.split(':').next().unwrap_or_default().trim();
    match parameter(name, &in_kernel) {
        said if said.contains("ViewMut<") => format!("&mut {argument}"),
        said if said.contains("View<") => format!("&{argument}"),
        _ => as_argument(argument, known),
    }
}

/// The launch of a kernel with arguments as they were given elsewhere.
struct Launch<'a> {
    kernel: &'a str,
    grid: &'a str,
    block: &'a str,
    /// Bytes of shared memory, and a stream.
    shared: &'a str,
    stream: &'a str,
    arguments: Vec<&'a str>,
}

impl Launch<'_> {
    fn written(&self, known: &Known<'_>) -> String {
        // `(4,)`, `dim3(4, 2)`
        let size = |text: &str| {
            let tokens = Line::new(text.trim_start_matches("dim3").trim());
            match within(&tokens, "(").as_deref() {
                Some([one]) => (*one).to_owned(),
                _ => tokens.text.clone(),
            }
        };
        let is_given = |text: &str| !matches!(text, "" | "0" | "None");
        let (kernel, grid, block) = (self.kernel, size(self.grid), size(self.block));
        let given = self.arguments.iter().filter(|one| !one.is_empty()).enumerate();
        let arguments: Vec<String> = given.map(|(index, one)| launched(kernel, index, one, known)).collect();
        let arguments = tuple(&arguments);
        let call = if is_given(self.shared) {
            let config = format!("gpu::LaunchConfig::new({grid}, {block}).dynamic_shared_bytes({})", self.shared);
            format!("gpu::launch_with({config}, {kernel}, {arguments})")
        } else {
            format!("gpu::launch({kernel}, {grid}, {block}, {arguments})")
        };
        if is_given(self.stream) { format!("{}.with(|| {call})", self.stream) } else { call }
    }
}

/// `scale[blocks, threads](a, 2.0)` as in Numba, `scale<<<blocks, threads>>>(a, 2.0)` as in CUDA, `scale((4,), (32,), (a, 2.0))` as in
/// CuPy, `scale.forall(n)(a, 2.0)`
pub fn start(line: &Line, known: &Known<'_>) -> Option<String> {
    of_cuda(line, known).or_else(|| {
        (0..line.len()).filter(|at| line.is_word(*at)).find_map(|at| {
            let kernel = line.at(at);
            let is_for_all = line.at(at + 1) == "." && line.at(at + 2) == "forall" && line.at(at + 3) == "(";
            if is_for_all {
                let close = line.closing(at + 3)?;
                let end = line.closing(close + 1).filter(|_| line.at(close + 1) == "(")?;
                let given = line.arguments(close + 1)?;
                let given = given.iter().enumerate().map(|(index, one)| launched(kernel, index, one, known));
                let count = *line.arguments(at + 3)?.first()?;
                let launch = format!("gpu::launch_for({kernel}, {count}, {})", tuple(&given.collect::<Vec<_>>()));
                return Some(line.with(at, end, &launch));
            }
            let close = line.closing(at + 1).filter(|_| matches!(line.at(at + 1), "[" | "("))?;
            let given = line.arguments(at + 1)?;
            if line.at(at + 1) == "(" {
                let ([grid, block, arguments], true) = (given.as_slice(), is_kernel(kernel, known)) else {
                    return None;
                };
                let all = [grid, block, arguments].iter().all(|one| one.starts_with('('));
                let arguments = Line::new(arguments);
                let arguments = within(&arguments, "(").filter(|_| all && line.before(at, 1) != "def")?;
                let launch = Launch { kernel, grid, block, shared: "", stream: "", arguments };
                return Some(line.with(at, close, &launch.written(known)));
            }
            let (grid, block, stream, shared) = match *given.as_slice() {
                [grid, block] => (grid, block, "", ""),
                [grid, block, stream] => (grid, block, stream, ""),
                [grid, block, stream, shared] => (grid, block, stream, shared),
                _ => return None,
            };
            let end = line.closing(close + 1).filter(|_| line.at(close + 1) == "(")?;
            let launch = Launch { kernel, grid, block, shared, stream, arguments: line.arguments(close + 1)? };
            Some(line.with(at, end, &launch.written(known)))
        })
    })
}

/// `scale<<<blocks, threads, shared, stream>>>(a, 2.0);`
fn of_cuda(line: &Line, known: &Known<'_>) -> Option<String> {
    let (before, rest) = line.text.split_once("<<<")?;
    let (sizes, behind) = rest.split_once(">>>")?;
    let kernel = before.rsplit(|next| !crate::syntax::is_word(next)).next().filter(|kernel| is_name(kernel))?;
    let start = before.len() - kernel.len();
    let (sizes, behind) = (Line::new(&format!("({sizes})")), Line::new(behind));
    let (sizes, end) = (sizes.arguments(0)?, behind.closing(0).filter(|_| behind.at(0) == "(")?);
    let (grid, block, shared, stream) = match *sizes.as_slice() {
        [grid, block] => (grid, block, "", ""),
        [grid, block, shared] => (grid, block, shared, ""),
        [grid, block, shared, stream] => (grid, block, shared, stream),
        _ => return None,
    };
    let launch = Launch { kernel, grid, block, shared, stream, arguments: behind.arguments(0)? };
    Some(format!("{}{}", &before[..start], behind.with(0, end, &launch.written(known))))
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

/// `gpu::launch(k, (4, 32), (a, b))`, `gpu::launch_for(k, a, (a, b))`: sizes, and arguments as the parameters of the kernel need them.
pub fn arguments(line: &Line, known: &Known<'_>) -> Option<String> {
    // A list of references.
    let is_listed = known.says("mismatched types") && line.text.contains("[&");
    let is_said = is_listed || OF_ARGUMENTS.iter().any(|text| known.says(text));
    let calls = (2..line.len()).filter(|at| line.at(at + 1) == "(" && line.before(*at, 1) == "::");
    calls.filter(|_| is_said).find_map(|at| {
        let (name, all) = (line.at(at), line.arguments(at + 1)?);
        let (kernel, sizes, given) = match (name, all.as_slice()) {
            ("launch" | "launch_traced", [kernel, grid, block, given @ ..]) if !given.is_empty() => {
                (kernel, vec![*grid, *block], given.to_vec())
            }
            ("launch" | "launch_traced", [kernel, size, given]) if !is_integer(given) => {
                let size = Line::new(size);
                // A grid and a block in one tuple.
                let pair = within(&size, "(").filter(|pair| pair.len() == 2 && !known.is_syntax());
                let launch = |sizes: &[&str]| {
                    let new = format!("{name}({kernel}, {}, {given})", sizes.join(", "));
                    line.closing(at + 1).map(|close| line.with(at, close, &new))
                };
                return pair.map_or_else(|| launch(&[&size.text, "256"]), |pair| launch(&pair));
            }
            ("launch_for", [kernel, count, given @ ..]) if !given.is_empty() => (kernel, vec![*count], given.to_vec()),
            _ => return None,
        };
        let close = line.closing(at + 1)?;
        // `gpu::launch_for(k, a, …)` of an array: one thread for each element.
        let sizes = sizes.iter().map(|size| {
            let is_of_array = name == "launch_for" && known.is_array(size);
            if is_of_array { format!("{}.size()", as_object(size.trim_start_matches('&'))) } else { (*size).to_owned() }
        });
        let sizes = sizes.collect::<Vec<_>>().join(", ");
        let line_of_given = Line::new(given.first()?);
        let inner = ["(", "["].iter().find_map(|open| within(&line_of_given, open));
        let in_tuple = inner.is_some();
        let inner = match (inner, given.as_slice()) {
            (Some(inner), [_]) => inner,
            (None, all) if all.iter().all(|one| !one.contains('=')) => all.to_vec(),
            _ => return None,
        };
        let new = match parameter_types(kernel, known) {
            Some(types) if types.len() == inner.len() => {
                inner.iter().zip(&types).map(|(one, of)| fitted(one, of, known)).collect::<Vec<_>>()
            }
            Some(_) => return None,
            None => inner.iter().map(|one| as_argument(one, known)).collect(),
        };
        let new = match new.as_slice() {
            [one] if !in_tuple => one.clone(),
            new => tuple(new),
        };
        let new = format!("{name}({kernel}, {sizes}, {new})");
        (new != line.slice(at, close)).then(|| line.with(at, close, &new))
    })
}

/// `f(&a)` of a function of numbers, `gpu::map(f, a, b)`, `gpu::map(f, (&a, 1))`
pub fn mapped(line: &Line, known: &Known<'_>) -> Option<String> {
    let found = ["`&DeviceArray<", "`DeviceArray<"].iter().any(|name| {
        ["f64", "f32", "i32", "i64"].iter().any(|number| known.says(&format!("expected `{number}`, found {name}")))
    });
    let is_called = found || known.says("arguments to this function are incorrect");
    let of_function = line.calls(false).filter(|_| is_called).find_map(|at| {
        let name = line.at(at);
        // `y = len(a)` of a variable with another type.
        let is_missing = known.says(&format!("cannot find function `{name}`"));
        let arguments = line.arguments(at + 1).filter(|_| !is_missing)?;
        let is_of_numbers = |types: Vec<String>| types.iter().all(|one| elements::is_element(one));
        let can_be = found || parameter_types(name, known).is_some_and(is_of_numbers);
        let is_mapped = can_be
            && arguments.iter().any(|argument| is_array(argument, known))
            && line.before(at, 1) != "fn"
            && !is_keyword(name);
        let given = of_elements(name, &arguments, known).unwrap_or_else(|| as_arguments(&arguments, known));
        is_mapped.then(|| Some(line.with(at, line.closing(at + 1)?, &format!("gpu::map({name}, {given})"))))?
    });
    of_function.or_else(|| {
        (2..line.len()).filter(|at| line.at(at + 1) == "(" && line.before(*at, 2) == "gpu").find_map(|at| {
            let (all, close) = (line.arguments(at + 1)?, line.closing(at + 1)?);
            let ("map", [function, given @ ..]) = (line.at(at), all.as_slice()) else { return None };
            let is_said = OF_ARGUMENTS[2..4].iter().any(|text| known.says(text));
            let new = match given {
                [first, second, rest @ ..] => {
                    match second.strip_prefix("out").map(|rest| rest.trim_start().strip_prefix('=')) {
                        Some(Some(out)) if rest.is_empty() && is_name(out.trim()) => {
                            let new =
                                format!("map_into({function}, {}, &mut {})", as_argument(first, known), out.trim());
                            return Some(line.with(at, close, &new));
                        }
                        Some(Some(_)) => return None,
                        _ => {
                            let all = [&[*first, *second], rest].concat();
                            of_elements(function, &all, known).unwrap_or_else(|| as_arguments(&all, known))
                        }
                    }
                }
                [one] if is_said => {
                    let tokens = Line::new(one);
                    let is_single = parameter_types(function, known).is_some_and(|types| types.len() == 1);
                    let inner = within(&tokens, "(").or_else(|| within(&tokens, "[").filter(|_| !is_single));
                    let new = of_elements(function, &inner.unwrap_or_else(|| vec![one]), known);
                    new.unwrap_or_else(|| as_argument(one, known))
                }
                _ => return None,
            };
            let new = format!("map({}, {new})", function.trim_start_matches('&'));
            (new != line.slice(at, close)).then(|| line.with(at, close, &new))
        })
    })
}

fn as_arguments(arguments: &[&str], known: &Known<'_>) -> String {
    match arguments {
        [one] => as_argument(one, known),
        many => format!("({})", many.iter().map(|one| as_argument(one, known)).collect::<Vec<_>>().join(", ")),
    }
}

/// The arguments of `gpu::map` with elements of the types of a function's parameters.
fn of_elements(function: &str, arguments: &[&str], known: &Known<'_>) -> Option<String> {
    let types = parameter_types(function.trim_start_matches('&'), known).or_else(|| {
        let said = known.faults.iter().find_map(|(_, text)| text.split_once("parameters are `(")?.1.split(')').next());
        Some(said?.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect())
    });
    // What is blamed, if the function cannot be seen: a closure of `gpu::fuse!`.
    let blamed = known.faults.iter().find_map(|(_, text)| {
        let (of, found) = text.strip_prefix(OF_ARGUMENTS[2])?.split_once("`, but this argument is `")?;
        Some((of, found.trim_end_matches('`').trim_start_matches('&')))
    });
    let given: Vec<String> = match (types, blamed) {
        (Some(types), _) if types.len() == arguments.len() => {
            arguments.iter().zip(&types).map(|(one, of)| fitted(one, of, known)).collect()
        }
        (None, Some((of, found))) => {
            let is_blamed = |one: &str| match found {
                "{integer}" => is_integer(one),
                found => found.starts_with(ARRAY) && known.type_of(one).as_deref() == Some(found),
            };
            let given = arguments.iter();
            given.map(|one| if is_blamed(one) { fitted(one, of, known) } else { as_argument(one, known) }).collect()
        }
        _ => return None,
    };
    match given.as_slice() {
        [one] => Some(one.clone()),
        given => Some(format!("({})", given.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

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

    /// What earlier cells have.
    fn source(name: &str) -> Option<String> {
        let text = match name {
            "total" => "#[kernel]\nfn total(p: View<f64>, out: ViewMut<f64>) {\n    out.atomic_add(0, p[0]);\n}",
            "scale" => "#[kernel] fn scale(mut out: ViewMut<f64>, factor: f64) { out[0] *= factor; }",
            "small" => "#[kernel] fn small(p: View<f32>, mut out: ViewMut<f64>, n: i32) { out[0] = p[0] as f64; }",
            "add" => "#[vectorize]\nfn add(x: f64, y: f64) -> f64 { x + y }",
            "sq" => "#[gpu::vectorize] fn sq(x: f64) -> f64 { x * x }",
            "sqf" => "#[vectorize] fn sqf(x: f32) -> f32 { x * x }",
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn corrected(message: &str, typed: &str) -> Option<String> {
        let faults = [(if message.starts_with("expected ") { None } else { Some("E0277") }, message)];
        of_line(typed, &Known { source: &source, ..Known::of_line(&faults, typed, 1, &type_of) })
    }

    #[test]
    fn launches_have_sizes_and_arguments() {
        let view = "this parameter of the kernel is `View<f64>`, but the argument is `DeviceArray<f64>`";
        let length = "the trait bound `&DeviceArray<f64>: raw_kernels::dim3::sealed::Length` is not satisfied";
        let syntax = "expected type, found `4`";
        let count = "this function takes 2 arguments but 3 arguments were supplied";
        let mut differing = Vec::new();
        for (message, typed, expected) in [
            (length, "gpu::launch(total, (4, 32), (&a, &mut b))", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (
                length,
                "gpu::launch(total, ((2, 2), (8, 8)), (&a, &mut b))",
                "gpu::launch(total, (2, 2), (8, 8), (&a, &mut b))",
            ),
            (length, "gpu::launch(total, 4, (&a, &mut b))", "gpu::launch(total, 4, 256, (&a, &mut b))"),
            (length, "gpu::launch(total, (2, 3), (a, b))", "gpu::launch(total, 2, 3, (&a, &mut b))"),
            (view, "gpu::launch(total, 4, 32, (a, b))", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (view, "gpu::launch(total, 4, 32, (&a, b))", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (view, "gpu::launch(total, 4, 32, (&a, &b));", "gpu::launch(total, 4, 32, (&a, &mut b));"),
            (view, "gpu::launch(total, 4, 32, [a, b])", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (view, "gpu::launch(total, 4, 32, &a, &mut b)", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (view, "gpu::launch(total, 4, 32, (&h, &mut b))", "gpu::launch(total, 4, 32, (&gpu::asarray(&h), &mut b))"),
            (view, "gpu::launch(total, 4, 32, (i, b))", "gpu::launch(total, 4, 32, (&i.astype::<f64>(), &mut b))"),
            (
                view,
                "gpu::launch(total, 4, 32, ([1, 2], b))",
                "gpu::launch(total, 4, 32, (&gpu::array(&[1.0, 2.0]), &mut b))",
            ),
            (view, "gpu::launch(scale, 4, 32, (a, 2))", "gpu::launch(scale, 4, 32, (&mut a, 2.0))"),
            (view, "gpu::launch(scale, 4, 32, (&mut a, n))", "gpu::launch(scale, 4, 32, (&mut a, n as f64))"),
            (
                view,
                "gpu::launch(small, 4, 32, (a, b, 3.0))",
                "gpu::launch(small, 4, 32, (&a.astype::<f32>(), &mut b, 3))",
            ),
            (view, "gpu::launch_for(total, 100, (a, b))", "gpu::launch_for(total, 100, (&a, &mut b))"),
            (
                "`DeviceArray<f64>` is not the size of a grid or a block",
                "gpu::launch_for(total, a, (&a, &mut b))",
                "gpu::launch_for(total, a.size(), (&a, &mut b))",
            ),
            (syntax, "total<<<4, 32>>>(a, b);", "gpu::launch(total, 4, 32, (&a, &mut b));"),
            (syntax, "scale<<<dim3(4, 2), dim3(32)>>>(a, 2);", "gpu::launch(scale, (4, 2), 32, (&mut a, 2.0));"),
            ("mismatched types", "gpu::launch(scale, 1, 8, [&mut a, 2.0])", "gpu::launch(scale, 1, 8, (&mut a, 2.0))"),
            (
                syntax,
                "total<<<4, 32, 256>>>(a, b);",
                "gpu::launch_with(gpu::LaunchConfig::new(4, 32).dynamic_shared_bytes(256), total, (&a, &mut b));",
            ),
            (syntax, "total[4, 32](a, b)", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (syntax, "total[(4,), (32,)](a, b)", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (syntax, "total[(2, 2), (8, 8)](a, b)", "gpu::launch(total, (2, 2), (8, 8), (&a, &mut b))"),
            (syntax, "scale[4, 32](a, 2)", "gpu::launch(scale, 4, 32, (&mut a, 2.0))"),
            (syntax, "total[4, 32, st](a, b)", "st.with(|| gpu::launch(total, 4, 32, (&a, &mut b)))"),
            (
                syntax,
                "total[4, 32, 0, 1024](a, b)",
                "gpu::launch_with(gpu::LaunchConfig::new(4, 32).dynamic_shared_bytes(1024), total, (&a, &mut b))",
            ),
            (count, "total((4,), (32,), (a, b))", "gpu::launch(total, 4, 32, (&a, &mut b))"),
            (count, "scale((2, 2), (8, 8), (a, 2.0))", "gpu::launch(scale, (2, 2), (8, 8), (&mut a, 2.0))"),
            ("no method named `forall` found", "scale.forall(100)(a, 2)", "gpu::launch_for(scale, 100, (&mut a, 2.0))"),
        ] {
            let found = corrected(message, typed);
            if found.as_deref() != Some(expected) {
                differing.push(format!("{typed}: {found:?}, not {expected}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        // There is an argument too few.
        assert_eq!(corrected(view, "gpu::launch(total, 4, 32, (a,))"), None);
    }

    #[test]
    fn a_parameter_may_have_the_name_of_a_variable() {
        let faults = [(Some("E0308"), "arguments to this function are incorrect")];
        let cell = "#[vectorize]\nfn pd(a: f64, b: f64) -> f64 {\n    a * b\n}\npd(a, b)";
        let found = of_line("pd(a, b)", &Known::of_line(&faults, cell, 5, &type_of));
        assert_eq!(found.as_deref(), Some("gpu::map(pd, (&a, &b))"));
        let cell = "let a = 1.0;\nlet b = 2;\nfn pd(a: f64, b: f64) -> f64 {\n    a * b\n}\npd(a, b)";
        assert_eq!(of_line("pd(a, b)", &Known::of_line(&faults, cell, 6, &type_of)), None);
    }

    #[test]
    fn functions_are_mapped_over_arrays_of_their_types() {
        let takes = |found: &str| format!("the function takes elements of type `f64`, but this argument is `{found}`");
        let arguments = "`X` cannot be the arguments of a function whose parameters are `(f64,)`";
        let incorrect = "arguments to this function are incorrect";
        let mut differing = Vec::new();
        for (message, typed, expected) in [
            (takes("{integer}").as_str(), "gpu::map(add, (&a, 1))", "gpu::map(add, (&a, 1.0))"),
            (takes("{integer}").as_str(), "gpu::map(add, (a, 1))", "gpu::map(add, (&a, 1.0))"),
            (takes("i32").as_str(), "gpu::map(add, (&a, n))", "gpu::map(add, (&a, n as f64))"),
            (takes("&DeviceArray<i64>").as_str(), "gpu::map(add, (&a, &i))", "gpu::map(add, (&a, &i.astype::<f64>()))"),
            (takes("{integer}").as_str(), "gpu::map(f, (&a, 1))", "gpu::map(f, (&a, 1.0))"),
            (arguments, "gpu::map(add, [&a, &b])", "gpu::map(add, (&a, &b))"),
            (arguments, "gpu::map(add, a, 2)", "gpu::map(add, (&a, 2.0))"),
            (arguments, "gpu::map(sq, h)", "gpu::map(sq, &gpu::asarray(&h))"),
            (arguments, "gpu::map(sq, &h)", "gpu::map(sq, &gpu::asarray(&h))"),
            (arguments, "gpu::map(sqf, &h)", "gpu::map(sqf, &gpu::asarray(&h).astype::<f32>())"),
            (arguments, "gpu::map(sqf, a)", "gpu::map(sqf, &a.astype::<f32>())"),
            (arguments, "gpu::map(sq, [1, 2])", "gpu::map(sq, &gpu::array(&[1.0, 2.0]))"),
            (arguments, "gpu::map(sq, vec![1.0, 2.0])", "gpu::map(sq, &gpu::array(&[1.0, 2.0]))"),
            (arguments, "gpu::map(sq, v)", "gpu::map(sq, &gpu::array(&v).astype::<f64>())"),
            (arguments, "gpu::map(sq, &a, out=b)", "gpu::map_into(sq, &a, &mut b)"),
            (incorrect, "add(a, b)", "gpu::map(add, (&a, &b))"),
            (incorrect, "add(a, 1)", "gpu::map(add, (&a, 1.0))"),
            ("expected `f32`, found `DeviceArray<f64>`", "sqf(a)", "gpu::map(sqf, &a.astype::<f32>())"),
        ] {
            let found = corrected(message, typed);
            if found.as_deref() != Some(expected) {
                differing.push(format!("{typed}: {found:?}, not {expected}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}
