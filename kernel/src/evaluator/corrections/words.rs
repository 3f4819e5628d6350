//! Python's words: comments, imports, the heads of blocks, declarations.

use super::known::{DeviceFunction, Known};
use super::line::{Line, LineTokenKind, is_name};
use super::values::declared;
use super::{kernels, modules};
use crate::syntax::list_value;

/// Types of other languages, and ours.
const TYPES: &str = "\
    int=i64 float=f64 double=f64 long=i64 string=String str=String boolean=bool float32=f32 float64=f64 int32=i32 \
    int64=i64 uint8=u8";

fn rust_type(name: &str) -> Option<&'static str> {
    list_value(TYPES, name)
}

/// `# comment`, `"""What a function does."""`
pub fn comment(line: &Line, _: &Known<'_>) -> Option<String> {
    let documentation =
        ["\"\"\"", "'''"].iter().find_map(|quotes| line.text.strip_prefix(quotes)?.strip_suffix(quotes));
    if let Some(text) = documentation {
        return Some(format!("// {}", text.trim()));
    }
    let rest = line.text.strip_prefix('#')?;
    (!rest.starts_with(['[', '!'])).then(|| format!("// {}", rest.trim_start_matches(['#', ' '])))
}

/// `import numpy as np`, `from math import sqrt`: notebooks have the names already, but for modules of SciPy.
pub fn import(line: &Line, _: &Known<'_>) -> Option<String> {
    const MODULES: [&str; 6] = ["numpy", "cupy", "torch", "math", "scipy", "matplotlib"];
    let is_use = line.at(0) == "use" && MODULES.contains(&line.at(1));
    let is_import = is_use || line.at(0) == "import" || (line.at(0) == "from" && line.find("import").next().is_some());
    is_import.then(|| modules::import(line).unwrap_or_else(|| "use gpu::prelude::*;".to_owned()))
}

/// The heads of blocks, which end with a colon.
pub fn header(line: &Line, known: &Known<'_>) -> Option<String> {
    let last = line.len().checked_sub(1)?;
    let is_function = matches!(line.at(0), "def" | "function" | "func") && line.is_word(1) && line.at(2) == "(";
    if is_function {
        let parameters = line.parts(2, ",")?.into_iter().map(|(first, end)| {
            let (name, behind) = (line.at(first), line.at(first + 1));
            let typed = (behind == ":").then(|| line.at(first + 2));
            let typed = typed.map(|known| format!("{name}: {}", rust_type(known).unwrap_or(known)));
            (first <= end && is_name(name)).then(|| typed.unwrap_or_else(|| kernels::parameter(name, known)))
        });
        let parameters: Vec<String> = parameters.collect::<Option<_>>()?;
        let close = line.closing(2)?;
        let body = match line.at(close + 1) {
            ":" | "->" if line.at(last) == ":" => "{".to_owned(),
            ":" => format!("{{ {} }}", line.slice(close + 2, last).trim_start_matches("return ")),
            "{" => line.slice(close + 1, last).to_owned(),
            _ => return None,
        };
        // A function of several lines that returns nothing has no type behind its parameters.
        let is_kernel = known.device == Some(DeviceFunction::Kernel);
        let has_value = !is_kernel && (body != "{" || !known.cell.contains('\n') || known.cell.contains("return"));
        let result = if has_value { "-> f64 " } else { "" };
        return Some(format!("fn {}({}) {result}{body}", line.at(1), parameters.join(", ")));
    }
    let is_head = matches!(line.at(0), "for" | "while" | "if" | "elif" | "else");
    let mut colon = 1;
    while is_head && colon < line.len() && line.at(colon) != ":" {
        colon = if matches!(line.at(colon), "(" | "[" | "{") { line.closing(colon)? } else { colon } + 1;
    }
    if !is_head || line.at(colon) != ":" {
        return None;
    }
    let head = line.slice(0, colon - 1);
    // Python's loop leaves the list to later cells.
    let is_list = line.before(colon, 2) == "in"
        && (known.type_of)(line.before(colon, 1)).is_some_and(|name| name.starts_with("Vec<"));
    let head = &if line.at(0) == "for" && is_list { format!("{head}.clone()") } else { head.to_owned() };
    let body = match line.slice(colon + 1, last) {
        "" => "{".to_owned(),
        "pass" => "{}".to_owned(),
        body => format!("{{ {body} }}"),
    };
    Some(match line.at(0) {
        "elif" => format!("}} else if{} {body}", head.trim_start_matches("elif")),
        "else" => format!("}} else {body}"),
        _ => format!("{head} {body}"),
    })
}

/// `pass`, `null`, `let y = 3` at the end of a cell
pub fn single(line: &Line, known: &Known<'_>) -> Option<String> {
    if line.at(0) == "let" && line.at(line.last() + 1) != ";" && known.says("found the end of the cell") {
        return Some(format!("{};", line.text));
    }
    let (word, ours) = match line.at(0) {
        "pass" => ("pass", "{}"),
        "null" => ("null", "None::<f64>"),
        "nil" => ("nil", "None::<f64>"),
        "undefined" => ("undefined", "None::<f64>"),
        _ => return None,
    };
    (line.len() == 1 && known.blames(word)).then(|| ours.to_owned())
}

/// `True`, `and`, `not`
pub fn python_words(line: &Line, known: &Known<'_>) -> Option<String> {
    for index in 0..line.len() {
        let word = line.at(index);
        if !line.is_word(index) || matches!(line.before(index, 1), "." | "::") || !known.blames(word) {
            continue;
        }
        let ours = match word {
            "True" => "true",
            "False" => "false",
            "and" if index > 0 => "&&",
            "or" if index > 0 => "||",
            "not" if line.before(index, 1) != "is" && line.at(index + 1) != "in" => {
                // It binds less than comparisons.
                let ends = |at: &usize| {
                    matches!(
                        line.at(*at),
                        "and" | "or" | "&&" | "||" | ":" | "," | "{" | ";" | "else" | "if" | ")" | "]"
                    )
                };
                let operand = line.operand_after(index + 1)?;
                let last = (operand + 1..line.len()).find(ends).unwrap_or(line.len()) - 1;
                let negated = if last > operand {
                    format!("!({})", line.slice(index + 1, last))
                } else {
                    format!("!{}", line.slice(index + 1, operand))
                };
                // A cell that begins with `!` is a command of the shell.
                let negated = if index == 0 { format!("({negated})") } else { negated };
                return Some(line.with(index, last, &negated));
            }
            _ => continue,
        };
        return Some(line.with(index, index, ours));
    }
    None
}

/// `x is None`, `x is not None`
pub fn none(line: &Line, _: &Known<'_>) -> Option<String> {
    let is = line.find("is").next()?;
    let first = line.operand_before(is)?;
    let (last, method) = match (line.at(is + 1), line.at(is + 2)) {
        ("None", _) => (is + 1, "is_none"),
        ("not", "None") => (is + 2, "is_some"),
        _ => return None,
    };
    Some(line.with(first, last, &format!("{}.{method}()", line.slice(first, is - 1))))
}

/// `lambda x: x + 1`
pub fn lambda(line: &Line, _: &Known<'_>) -> Option<String> {
    let lambda = line.find("lambda").next()?;
    let colon = line.find(":").find(|index| *index > lambda)?;
    let parameters = if colon == lambda + 1 { "" } else { line.slice(lambda + 1, colon - 1) };
    // A cell cannot keep a closure.
    let name = if line.at(0) == "let" { 1 } else { 0 };
    if line.is_word(name) && line.at(name + 1) == "=" && lambda == name + 2 {
        let types: Vec<String> = parameters.split(',').map(|one| format!("{}: f64", one.trim())).collect();
        let body = line.slice(colon + 1, line.last());
        return Some(format!("fn {}({}) -> f64 {{ {body} }}", line.at(name), types.join(", ")));
    }
    Some(line.with(lambda, colon, &format!("|{parameters}|")))
}

/// `int z = 3;`, `z := 3`, `var z = 3`, and `z = 3` of a variable that is not there.
pub fn declaration(line: &Line, known: &Known<'_>) -> Option<String> {
    let ended = |text: String| if text.ends_with([';', '{']) { text } else { format!("{text};") };
    let last = line.len().checked_sub(1)?;
    let first = line.at(0);
    if line.at(0) == "let" && line.at(2) == ":=" {
        return Some(line.with(2, 2, "="));
    }
    if line.is_word(0) && line.at(1) == ":=" {
        return Some(ended(format!("let {first} = {}", line.slice(2, last))));
    }
    if line.is_word(1) && line.at(2) == "=" {
        let value = line.slice(3, last);
        if matches!(first, "var" | "auto") {
            return Some(ended(format!("let {} = {value}", line.at(1))));
        }
        if let Some(type_name) = rust_type(first) {
            return Some(ended(format!("let {}: {type_name} = {value}", line.at(1))));
        }
        if first == "const" {
            let type_name =
                if line.kind(3) == Some(LineTokenKind::Number) && line.at(3).contains('.') { "f64" } else { "usize" };
            return (line.kind(3) == Some(LineTokenKind::Number))
                .then(|| ended(format!("const {}: {type_name} = {value}", line.at(1))));
        }
    }
    // A variable may have the name of a macro.
    let is_missing = |name: &str| {
        known.says(&format!("cannot find value `{name}` in this scope"))
            || known.says(&format!("expected value, found macro `{name}`"))
    };
    // `s = s + v` changes what is there. `s![1..]` is a macro.
    let names_itself = |at: usize| {
        let end = line.semicolons().find(|end| *end > at).unwrap_or_else(|| line.len());
        (at + 2..end).any(|place| {
            line.at(place) == line.at(at)
                && !matches!(line.before(place, 1), "." | "::")
                && !(line.at(place + 1) == "!" && line.at(place + 2) == "[")
        })
    };
    let is_new = |at: usize| {
        line.is_word(at)
            && line.at(at + 1) == "="
            && is_missing(line.at(at))
            && !names_itself(at)
            && !known.is_of_outer_block(line.at(at), line.find("{").any(|open| open < at))
    };
    let behind = (1..line.len()).find(|at| matches!(line.before(*at, 1), ";" | "{") && is_new(*at));
    if let Some(at) = behind.filter(|_| !is_new(0)) {
        return Some(ended(line.with(at, at, &format!("let {}", line.at(at)))));
    }
    // A variable of an earlier cell gets another value, which may have another type.
    let is_again = line.is_word(0) && line.at(1) == "=" && is_given_again(line, known);
    // In Python both names have the same array.
    let is_list = |name: &str| match known.variable(name) {
        Some(type_name) => type_name.starts_with("Vec<"),
        None => declared(name, known.cell)
            .is_some_and(|value| value.starts_with("Vec::new()") || value.starts_with("vec![")),
    };
    let is_shared = line.last() == 2 && line.is_word(2) && (known.is_array(line.at(2)) || is_list(line.at(2)));
    let shares = if (is_new(0) || is_again) && is_shared { ".clone()" } else { "" };
    if !(is_new(0) || is_again) {
        return None;
    }
    // A list of Python's may grow.
    if known.is_python && line.at(2) == "[" && line.closing(2) == Some(line.last()) {
        let list = line.slice(2, line.last());
        let is_flat = line.find("[").count() == 1 && line.find("for").next().is_none();
        match list {
            "[]" => return Some(format!("let {first} = Vec::new();")),
            list if is_flat => return Some(format!("let {first} = vec!{list};")),
            _ => {}
        }
    }
    // `p = f(a); p` shows the value.
    let has_more = line.semicolons().any(|at| at + 1 < line.len());
    let new = format!("let {}{shares}", line.text.trim_end_matches(';'));
    Some(if has_more && !line.text.ends_with(';') { new } else { ended(new) })
}

/// `a = b + 1` of a variable `a` of an earlier cell, outside of blocks: a new variable takes its name.
fn is_given_again(line: &Line, known: &Known<'_>) -> bool {
    let name = line.at(0);
    let is_refused = ["cannot assign twice to immutable variable", "cannot assign to"]
        .iter()
        .any(|start| known.says(&format!("{start} `{name}`")));
    // `x = 5` of a float that can be changed.
    let is_float = || {
        line.kind(2) == Some(LineTokenKind::Number)
            && line.last() == 2
            && (known.type_of)(name).is_some_and(|name| matches!(&*name, "f64" | "f32"))
    };
    // Not what another correction has made of a method that changes an array.
    let typed = Line::new(known.cell.lines().nth(known.line.saturating_sub(1)).unwrap_or_default());
    let is_typed = typed.at(0) == name && typed.at(1) == "=";
    is_typed
        && line.at(2) != "+"
        && (known.type_of)(name).is_some()
        && !known.is_in_block()
        && (is_refused || known.is_python && !is_float())
}

/// `let t: float`, `x as int`
pub fn type_names(line: &Line, known: &Known<'_>) -> Option<String> {
    (1..line.len()).find_map(|index| {
        let is_missing = || known.says(&format!("cannot find type `{}`", line.at(index)));
        // `z: gpu::Array`
        let is_of_prelude =
            line.before(index, 1) == "::" && matches!(line.before(index, 2), "gpu" | "np" | "cp" | "torch");
        if is_of_prelude
            && ARRAYS.contains(&line.at(index))
            && (is_missing() || known.says("cannot find module or crate"))
        {
            return Some(line.with(index - 2, index, "DeviceArray<f64>"));
        }
        let ours = rust_type(line.at(index))?;
        let is_type = matches!(line.before(index, 1), ":" | "as" | "->" | "<");
        (is_type && known.says(&format!("cannot find type `{}`", line.at(index))))
            .then(|| line.with(index, index, ours))
    })
}

/// Names of arrays elsewhere.
const ARRAYS: [&str; 8] = ["Array", "NdArray", "NDArray", "ndarray", "array", "Tensor", "Matrix", "Vector"];

/// Statements of Python that one line cannot replace, and what to do.
const STATEMENTS: [(&str, &str); 8] = [
    ("try", NO_EXCEPTIONS),
    ("except", NO_EXCEPTIONS),
    ("finally", NO_EXCEPTIONS),
    (
        "raise",
        "`panic!(\"what is wrong\");` ends the cell; a function that may fail returns `Err(\"what is wrong\".into())`",
    ),
    (
        "with",
        "files and locks are closed at the end of a block; a file is read by `let text = std::fs::read_to_string(\"file.txt\")?;`",
    ),
    (
        "class",
        "a `struct` has the fields and an `impl` the methods: `struct Point { x: f64 }` and \
         `impl Point { fn double(&self) -> f64 { 2.0 * self.x } }`; `Point { x: 1.0 }` makes one",
    ),
    ("global", "a function gets what it needs from the notebook by parameters: `fn f(x: f64) -> f64 { 2.0 * x }`"),
    ("yield", "an iterator gives its values one by one: `let squares = (0..3).map(|i| i * i);`"),
];

const NO_EXCEPTIONS: &str = "Rust has no exceptions: what may fail returns a `Result`, and \
    `match \"3\".parse::<i32>() { Ok(number) => println!(\"{number}\"), Err(error) => println!(\"{error}\") }` looks at it";

/// What to do in place of a line that cannot be corrected alone.
pub fn advice(line: &str, known: &Known<'_>) -> Option<String> {
    let line = Line::new(line.trim());
    let statement = STATEMENTS.iter().find(|(word, _)| *word == line.at(0) && line.at(1) != "=");
    if let Some((_, text)) = statement.filter(|_| known.is_syntax() || known.blames(line.at(0))) {
        return Some((*text).to_owned());
    }
    if let Some(text) = (0..line.len()).find_map(|at| kept_by_ipython(&line, at, known)) {
        return Some(text);
    }
    let module = (0..line.len()).find(|at| {
        matches!(line.at(*at), "np" | "numpy" | "cp" | "cupy" | "torch" | "scipy" | "plt") && line.at(at + 1) == "."
    })?;
    let mut last = module;
    while line.at(last + 1) == "." && line.is_word(last + 2) {
        last += 2;
    }
    let name = line.slice(module, last);
    known.blames(line.at(module)).then(|| {
        format!(
            "`{name}` is Python's; the functions for arrays are in `gpu`: `gpu::lookup(\"{name}\")` says what to type"
        )
    })
}

/// `_`, `__`, `_3`, `Out[3]`, `In[3]`, `_i`: what IPython keeps of earlier cells.
fn kept_by_ipython(line: &Line, at: usize, known: &Known<'_>) -> Option<String> {
    let word = line.at(at);
    let number = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    let is_index = || line.at(at + 1) == "[";
    let is_output = matches!(word, "_" | "__" | "___")
        || word.strip_prefix('_').is_some_and(number)
        || (matches!(word, "Out" | "_oh") && is_index());
    let is_input = matches!(word, "_i" | "_ii" | "_iii")
        || word.strip_prefix("_i").is_some_and(number)
        || (matches!(word, "In" | "_ih") && is_index());
    let is_blamed = known.faults.iter().any(|(_, message)| message.contains(&format!("`{word}`")));
    if !(is_output || is_input) || !is_blamed || matches!(line.before(at, 1), "." | "::" | "let") {
        return None;
    }
    let shown = if is_index() { line.slice(at, line.closing(at + 1)?) } else { word };
    Some(match is_output {
        true => format!(
            "`{shown}` is IPython's: values of earlier cells are kept only under a name; give the value one in its cell, \
             `let result = …;`, and write `result` here"
        ),
        false => format!("`{shown}` is IPython's: `%history -n` shows the earlier cells with their numbers"),
    })
}

/// `gpu::histogramm(a, bins=3)`: the function that the compiler takes to be meant.
pub fn similar_name(line: &Line, known: &Known<'_>) -> Option<String> {
    const MEANT: &str = "a function with a similar name exists: `";
    let of = |start: &str| known.faults.iter().find_map(|(_, text)| text.split_once(start)?.1.split('`').next());
    let (wrong, right) = (of("cannot find function `")?, of(MEANT)?);
    let at = (0..line.len()).find(|at| line.at(*at) == wrong && line.before(*at, 1) == "::")?;
    Some(line.with(at, at, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ipython_have_a_way_out() {
        let advice = |line: &str, message: &str| {
            let faults = [(Some("E0425"), message)];
            advice(line, &Known::of_line(&faults, line, 1, &|_| None))
        };
        for (line, name, shown) in [
            ("Out[2] + 1", "Out", "`Out[2]` is IPython's: values of earlier cells are kept only under a name"),
            ("let y = f(__);", "__", "`__` is IPython's"),
            ("_3", "_3", "write `result` here"),
            ("In[2]", "In", "`In[2]` is IPython's: `%history -n` shows"),
            ("_i", "_i", "`%history -n`"),
        ] {
            let text = advice(line, &format!("cannot find value `{name}` in this scope")).unwrap();
            assert!(text.contains(shown), "{line}: {text}");
        }
        let place = "in expressions, `_` can only be used on the left-hand side of an assignment";
        assert!(advice("_ * 2", place).unwrap().starts_with("`_` is IPython's"));
        assert_eq!(advice("let _ = x;", "cannot find value `x` in this scope"), None);
        assert_eq!(advice("Out[2]", "cannot find value `x` in this scope"), None);
    }
}
