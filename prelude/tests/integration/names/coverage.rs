//! CuPy's public names: which have a row in the table of names, and which are absent for a reason.

use super::{FILES, ROWS, path_of};
use warpcell as gpu;

/// The names by module.
const NAMES: &str = include_str!("cupy.txt");
/// The reasons.
const ABSENT: &str = include_str!("absent.txt");
/// What NumPy's functions take.
const ARGUMENTS: &str = include_str!("arguments.txt");
/// Why they do not take it here.
const ARGUMENTS_ABSENT: &str = include_str!("arguments_absent.txt");
/// What no function takes: these are about memory, classes, conversions and devices.
const NOWHERE: [&str; 7] = ["out", "overwrite_input", "order", "casting", "subok", "like", "device"];

pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !(line.starts_with('#') || line.trim().is_empty()))
}

/// The modules with their names, as they are written behind `np.`.
fn modules() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut modules: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines(NAMES) {
        match (line.strip_suffix(':'), modules.last_mut()) {
            (Some(module), _) => modules.push((module, Vec::new())),
            (None, Some((_, names))) => names.extend(line.split_whitespace()),
            (None, None) => panic!("cupy.txt: {line:?} is in no module; write a line such as `creation:` before it"),
        }
    }
    modules
}

/// The names that are absent, as they are written behind `np.`, and why.
fn absent() -> Vec<(&'static str, &'static str)> {
    let row = |line: &'static str| line.strip_prefix("np.")?.split_once(" | ");
    lines(ABSENT)
        .map(|line| row(line).unwrap_or_else(|| panic!("absent.txt: {line:?} is not `np.name | reason`")))
        .collect()
}

/// NumPy's expressions: those of the rows, and those in the lists of what is tested elsewhere.
pub(super) fn expressions() -> Vec<&'static str> {
    let of_rows = ROWS.iter().flat_map(|(_, rows)| *rows).map(|row| row.numpy);
    let points = FILES.lines().filter_map(|line| line.strip_prefix("- "));
    // Theirs comes before the first colon that is not in code.
    let theirs = points.flat_map(|point| {
        let is_in_code = |at: usize| point[..at].matches('`').count() % 2 == 1;
        let colon = point.match_indices(": ").map(|(at, _)| at).find(|at| !is_in_code(*at)).unwrap_or(0);
        point[..colon].split('`').skip(1).step_by(2)
    });
    of_rows.chain(theirs).collect()
}

/// Whether an expression has a name: behind `np.` with its module, or as a method or a property of an array.
fn has_name(expression: &str, name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    expression.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&expression[..at], &expression[at + name.len()..]);
        if behind.starts_with(is_word) {
            return false;
        }
        let path =
            &before[before.rfind(|character| !(is_word(character) || character == '.')).map_or(0, |end| end + 1)..];
        match path {
            "np." | "cp." => true,
            // An array, or the result of a call. Names in a module are not methods.
            _ => {
                path.ends_with('.')
                    && !name.contains('.')
                    && !["np.", "cp.", "scipy."].iter().any(|root| path.starts_with(root))
            }
        }
    })
}

/// The arguments of the calls of a function, such as `np.sum`, in an expression, as they are written.
pub(super) fn calls<'a>(expression: &'a str, path: &str) -> Vec<Vec<&'a str>> {
    let call = format!("{path}(");
    let arguments = expression.match_indices(&call).map(|(at, _)| {
        let inside = &expression[at + call.len()..];
        let (mut depth, mut quote, mut start) = (0, None, 0);
        let mut found = Vec::new();
        for (at, character) in inside.char_indices() {
            match (quote, character) {
                (Some(open), _) if open == character => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(character),
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
                (None, ',' | ')') if depth == 0 => {
                    found.push(inside[start..at].trim());
                    start = at + 1;
                    if character == ')' {
                        break;
                    }
                }
                _ => {}
            }
        }
        found
    });
    arguments.collect()
}

/// The names with a row, with NumPy's optional arguments that neither a row uses nor our call with keywords has.
fn missing_arguments() -> Vec<(&'static str, Vec<&'static str>)> {
    let expressions = expressions();
    let signatures = || gpu::keywords::SIGNATURES.iter().flat_map(|signatures| *signatures);
    let of_name = |line: &'static str| {
        let (name, parameters) = line.strip_suffix(')')?.split_once('(')?;
        let parameters: Vec<&str> = parameters.split(", ").collect();
        let paths = [name.to_owned(), name.rsplit('.').next()?.to_owned()];
        let ours = signatures().filter(|signature| paths.contains(&path_of(signature).replace("::", ".")));
        let mut known: Vec<&str> =
            ours.flat_map(|signature| signature.keywords.iter().map(|(keyword, _)| *keyword)).collect();
        for arguments in expressions.iter().flat_map(|expression| calls(expression, &format!("np.{name}"))) {
            for (at, argument) in arguments.into_iter().enumerate() {
                let keyword =
                    argument.split_once('=').filter(|(_, value)| !value.starts_with('=')).map(|(keyword, _)| keyword);
                known.extend(keyword.or_else(|| Some(parameters.get(at)?.trim_end_matches('='))));
            }
        }
        let optional = parameters.iter().filter_map(|parameter| parameter.strip_suffix('='));
        let missing: Vec<&str> = optional.filter(|one| !(known.contains(one) || NOWHERE.contains(one))).collect();
        let has_row = expressions.iter().any(|expression| has_name(expression, name));
        (has_row && !missing.is_empty()).then_some((name, missing))
    };
    lines(ARGUMENTS).filter_map(of_name).collect()
}

/// The reasons: of which function, or of all, which argument, and why.
fn reasons() -> Vec<(Option<&'static str>, &'static str, &'static str)> {
    let row = |line: &'static str| {
        let (what, reason) = line.split_once(" | ")?;
        let named = what.strip_prefix("np.").and_then(|named| named.split_once(' '));
        Some(named.map_or((None, what, reason), |(name, argument)| (Some(name), argument, reason)))
    };
    lines(ARGUMENTS_ABSENT)
        .map(|line| {
            row(line).unwrap_or_else(|| panic!("arguments_absent.txt: {line:?} is not `np.name argument | reason`"))
        })
        .collect()
}

/// The place of the reason why a function does not take an argument.
fn reason_of(name: &str, argument: &str) -> Option<usize> {
    let is_of = |reason: &(Option<&str>, &str, &str)| reason.1 == argument && reason.0.is_none_or(|of| of == name);
    reasons().iter().position(is_of)
}

/// What is missing, with its reasons: `` `copy`: every array is a copy; `like`, `device`: … ``.
fn with_reasons(name: &str, missing: &[&str]) -> String {
    let reasons = reasons();
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for argument in missing {
        let reason = reason_of(name, argument).map_or("", |at| reasons[at].2);
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, arguments)) => arguments.push(argument),
            None => groups.push((reason, vec![argument])),
        }
    }
    groups.iter().map(|(reason, arguments)| format!("{}: {reason}", listed(arguments))).collect::<Vec<_>>().join("; ")
}

/// Words as code.
pub(super) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The sections of the page about the names that are absent, and the counts.
pub(super) fn sections() -> String {
    let expressions = expressions();
    let mut page = format!(
        "\n## Arguments that differ\n\nNumPy's optional arguments that are not here: neither a row above uses them nor the call with optional \
        arguments has them.\nNo function takes any of {}: results are new arrays on the device of the arguments.\nFunctions of elements take \
        neither `where` nor `dtype`: `gpu::where_` chooses, and `a.astype` converts.\n\n| NumPy, CuPy (`cp` for `np`) | not here |\n|---|---|\n",
        listed(&NOWHERE),
    );
    for (name, missing) in missing_arguments() {
        page += &format!("| np.{name} | {} |\n", with_reasons(name, &missing));
    }
    page += "\n## Absent\n\nNames of CuPy 14 that are not here, and why.\n\n| NumPy, CuPy (`cp` for `np`) | reason |\n|---|---|\n";
    for (name, reason) in absent() {
        page += &format!("| np.{name} | {} |\n", reason.replace('|', "\\|"));
    }
    page += "\n## Counts\n\nThe public names of CuPy 14, as its documentation lists them (`prelude/tests/integration/names/cupy.txt`). \
        \"Ours\" have a row\nabove or are in one of the lists. `cargo test -p warpcell-tests names` counts again.\n\n\
        | module | names | ours | absent, with a reason |\n|---|---|---|---|\n";
    let mut total = [0; 3];
    for (module, names) in modules() {
        let ours = names.iter().filter(|name| expressions.iter().any(|expression| has_name(expression, name))).count();
        let without = names.iter().filter(|name| absent().iter().any(|(other, _)| other == *name)).count();
        page += &format!("| {module} | {} | {ours} | {without} |\n", names.len());
        total = [total[0] + names.len(), total[1] + ours, total[2] + without];
    }
    let [names, ours, without] = total;
    page + &format!("| **all** | **{names}** | **{ours}** | **{without}** |\n")
}

#[test]
fn each_name_of_cupy_has_a_row_or_a_reason() {
    let (expressions, absent) = (expressions(), absent());
    let mut faults = Vec::new();
    for (module, names) in modules() {
        for (at, name) in names.iter().enumerate() {
            let row = expressions.iter().find(|expression| has_name(expression, name));
            let reason = absent.iter().find(|(other, _)| other == name);
            match (row, reason) {
                (None, None) => {
                    faults.push(format!("np.{name} ({module}) has no row in names.rs and no reason in absent.txt"))
                }
                (Some(row), Some(_)) => {
                    faults.push(format!("np.{name} ({module}) has the row `{row}`; delete its reason in absent.txt"))
                }
                _ => {}
            }
            if names[..at].contains(name) {
                faults.push(format!("np.{name} is twice in {module}; delete one in cupy.txt"));
            }
        }
    }
    for (at, (name, reason)) in absent.iter().enumerate() {
        if !modules().iter().any(|(_, names)| names.contains(name)) {
            faults.push(format!("np.{name} has a reason in absent.txt, but is not in cupy.txt"));
        }
        if absent[..at].iter().any(|(other, _)| other == name) {
            faults.push(format!("np.{name} has two reasons in absent.txt; delete one"));
        }
        if reason.trim().is_empty() || reason.ends_with('.') {
            faults.push(format!("the reason of np.{name} in absent.txt should be words without a full stop"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_argument_that_is_not_here_has_a_reason() {
    let (missing, reasons) = (missing_arguments(), reasons());
    let all = || missing.iter().flat_map(|(name, arguments)| arguments.iter().map(move |argument| (*name, *argument)));
    let mut faults: Vec<String> = all()
        .filter(|(name, argument)| reason_of(name, argument).is_none())
        .map(|(name, argument)| {
            format!("np.{name} does not take `{argument}`; take it, or write a reason in arguments_absent.txt")
        })
        .collect();
    for (at, (name, argument, reason)) in reasons.iter().enumerate() {
        if !all().any(|(name, argument)| reason_of(name, argument) == Some(at)) {
            let name = name.map_or(String::new(), |name| format!("np.{name} "));
            faults.push(format!(
                "{name}{argument} is taken, or has a reason already; delete this one in arguments_absent.txt"
            ));
        }
        if reason.trim().is_empty() || reason.ends_with('.') || reason.contains(['|', ';']) {
            faults.push(format!("the reason of {argument} should be words without a full stop, a semicolon and a bar"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn names_are_found_in_expressions() {
    for (expression, name, expected) in [
        ("np.sort(a)", "sort", true),
        ("np.argsort(a)", "sort", false),
        ("np.sort_complex(a)", "sort", false),
        ("i.argsort()", "argsort", true),
        ("a.shape[0]", "shape", true),
        ("np.fft.rfft(b).imag", "imag", true),
        ("np.random.power(3, 4)", "power", false),
        ("np.random.power(3, 4)", "random.power", true),
        ("np.power(a, b)", "random.power", false),
        ("a.power(3)", "random.power", false),
        ("scipy.signal.convolve(a, b)", "convolve", false),
        ("abs(np.linalg.qr(a, 'r'))", "linalg.qr", true),
        ("np.lib.stride_tricks.sliding_window_view(b, 2)", "lib.stride_tricks.sliding_window_view", true),
        ("(c := a.copy(), np.put(c, 0, 1))[0]", "put", true),
        ("np.ix_(i, i)", "ix_", true),
        ("where(a)", "where", false),
        ("cp.from_dlpack(tensor)", "from_dlpack", true),
    ] {
        assert_eq!(has_name(expression, name), expected, "{name} in {expression}");
    }
}

#[test]
fn arguments_of_calls_are_found() {
    assert_eq!(calls("np.sum(a[1, 2], axis=(0, 1))", "np.sum"), [["a[1, 2]", "axis=(0, 1)"]]);
    assert_eq!(calls("np.loadtxt('a, b)', delimiter=',')", "np.loadtxt"), [["'a, b)'", "delimiter=','"]]);
    assert_eq!(calls("np.sum(np.sum(a, 0)) + np.cumsum(b)", "np.sum"), [vec!["np.sum(a, 0)"], vec!["a", "0"]]);
    let missing = missing_arguments();
    let of = |name: &str| missing.iter().find(|(other, _)| *other == name).map(|(_, missing)| missing.clone());
    // The keywords of the call, those that a row has, and those that come by position.
    assert_eq!(of("fft.rfft"), None);
    assert_eq!(of("sum"), None);
    assert!(of("save").is_some_and(|missing| missing.contains(&"allow_pickle") && !missing.contains(&"arr")));
}

/// `gpu::lookup` reads the page as it was when the prelude was compiled.
#[test]
fn each_name_of_cupy_is_found() {
    for (module, names) in modules() {
        for name in names {
            let answer = gpu::lookup(&format!("np.{name}")).to_string();
            assert!(
                !answer.contains("is in no table"),
                "np.{name} ({module}): {answer}\nrun UPDATE_EXPECT=1 cargo test, and this again"
            );
        }
    }
}
