//! Arguments of the prelude's functions and methods: borrowed arrays, arrays of the host, numbers, PyTorch's names.

use super::arithmetic::numbers_of;
use super::axes::axes_of;
use super::calls::{CREATION, METHODS, data_type_of, of_numbers_below, translated};
use super::dtypes::Kind;
use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_integer, is_name};
use super::mixed::mixed_types;
use super::named::{REDUCTIONS, argument_counts, sorted_out, value_of};
use super::operators::{array_of_list, array_of_number, as_argument, as_float, as_object, is_list, is_of_numbers};
use super::rows;
use super::signatures::{OF_TWO, permuted};
use crate::evaluator::elements;
use crate::syntax::{list_has, list_value};

/// PyTorch's conversions, and the types.
const CONVERSIONS: &str =
    "float=f32 double=f64 half=gpu::f16 bfloat16=gpu::bf16 long=i64 int=i32 short=i16 byte=u8 bool=bool";

/// PyTorch's methods that change an array, and ours.
const IN_PLACE: &str =
    "copy_=assign fill_=fill zero_=fill add_=add_assign sub_=sub_assign mul_=mul_assign div_=div_assign";

/// Methods that a host array and a number need not have.
const TO_HOST: [&str; 6] = ["numpy", "cpu", "detach", "item", "tolist", "get"];

/// Where the calls of a line have their name and their bracket: `gpu::f(`, `a.f(`.
pub fn calls_of_prelude(line: &Line) -> impl Iterator<Item = usize> {
    (1..line.len())
        .filter(|at| line.is_word(*at) && line.at(at + 1) == "(" && matches!(line.before(*at, 1), "::" | "."))
}

/// `gpu::exp(&i)`, `i.exp()`, `gpu::special::gamma(5)` of whole numbers
pub fn floats(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("this operation needs an array of f") && !known.says("this operation needs an array of floats") {
        return None;
    }
    let is_whole = |element: &str| element == "bool" || element.starts_with(['i', 'u']);
    // What the element type of an array is, or the type of a number.
    let of = |name: &str| {
        let Some(found) = known.variable(name.trim_start_matches('&')) else {
            // A variable of the cell has no type yet.
            let numbers = numbers_of(name, known)
                .filter(|numbers| is_name(name.trim_start_matches('&')) && numbers.is_whole())?;
            return Some((numbers.is_array, "i32".to_owned()));
        };
        let element = found.split_once(ARRAY).map(|(_, rest)| rest.trim_end_matches('>').to_owned());
        Some((element.is_some(), element.unwrap_or(found)))
    };
    let method = line.calls(true).find(|at| of(line.before(*at, 2)).is_some_and(|(_, element)| is_whole(&element)));
    if let Some(at) = method {
        return Some(line.with(at - 2, at - 2, &format!("{}.astype::<f64>()", line.before(at, 2))));
    }
    let calls: Vec<_> = (0..line.len()).filter(|at| line.before(*at, 1) == "::" && line.at(at + 1) == "(").collect();
    let arguments = || calls.iter().filter_map(|at| line.parts(at + 1, ",")).flatten();
    let array = arguments().find_map(|part| {
        let text = line.part(part);
        let (is_array, element) = of(text)?;
        (is_array && is_whole(&element)).then(|| (part, format!("&{}.astype::<f64>()", text.trim_start_matches('&'))))
    });
    // `gpu::special::gamma(5)`; what makes arrays takes whole numbers too.
    let number = || {
        let of_modules = calls.iter().filter(|at| line.before(**at, 3) == "::" && line.before(**at, 2) != "random");
        of_modules.filter_map(|at| line.parts(at + 1, ",")).flatten().find_map(|part| match of(line.part(part)) {
            Some((false, element)) if is_whole(&element) => Some((part, format!("{} as f64", line.part(part)))),
            None if is_integer(line.part(part)) => Some((part, as_float(line.part(part)))),
            _ => None,
        })
    };
    // `gpu::logspace(0, 2, 3)`
    let ends = || {
        let at = *calls.iter().find(|at| matches!(line.at(**at), "logspace" | "geomspace"))?;
        let parts = line.parts(at + 1, ",")?;
        let part = parts.into_iter().take(2).find(|part| is_integer(line.part(*part)))?;
        Some((part, as_float(line.part(part))))
    };
    let list = || {
        let is_maker = |at: &usize| {
            line.before(*at, 1) == "::" && line.at(at + 1) == "(" && matches!(line.at(*at), "array" | "arange")
        };
        let first = (0..line.len()).find(is_maker)? + 1;
        let last = line.closing(first)?;
        let part = Line::new(line.slice(first, last));
        let floats = (0..part.len())
            .rev()
            .filter(|at| is_integer(part.at(*at)))
            .fold(part.text.clone(), |text, at| Line::new(&text).with(at, at, &as_float(part.at(at))));
        (floats != part.text).then_some(((first, last), floats))
    };
    let ((first, last), new) = array.or_else(list).or_else(ends).or_else(number)?;
    Some(line.with(first, last, &new))
}

/// `gpu::power(2.0, &b)`, `gpu::searchsorted!(&a, 2.5)`, `gpu::random::permutation(&a)`
pub fn number_and_array(line: &Line, known: &Known<'_>) -> Option<String> {
    let calls = (0..line.len()).filter(|at| line.is_word(*at)).filter_map(|at| {
        let open = if line.at(at + 1) == "!" { at + 2 } else { at + 1 };
        let takes_arrays = !CREATION.contains(&line.at(at));
        (takes_arrays && line.at(open) == "(" && line.before(at, 1) == "::").then_some((at, open))
    });
    let is_number = ["`{float}`", "`{integer}`", "floating-point number", "integer", "`f64`", "`i32`"];
    let needs_array =
        known.says("expected `&") && is_number.iter().any(|number| known.says(&format!("found {number}")));
    let needs_number = known.says("expected `usize`, found `&DeviceArray<");
    if !needs_array && !needs_number {
        return None;
    }
    calls.into_iter().find_map(|(at, open)| {
        let (name, parts) = (line.at(at), line.parts(open, ",")?);
        if needs_number && name == "permutation" {
            let array = Some(line.part(*parts.first()?)).filter(|array| known.is_array(array))?;
            let first = line.operand_before(open)?;
            return Some(line.with(first, line.closing(open)?, &permuted(line.slice(first, at), array)));
        }
        let takes_number = |place: usize| rows::takes_number(name, place);
        // The other numbers may be numbers, but for functions of two arrays.
        let is_done = parts.iter().any(|part| line.part(*part).starts_with("&gpu::ar")) && !list_has(OF_TWO, name);
        let is_one = |(place, part): &(usize, &(usize, usize))| {
            needs_array && !is_done && is_of_numbers(line.part(**part), known) && !takes_number(*place)
        };
        let (_, &part) = parts.iter().enumerate().find(is_one)?;
        let number = line.part(part);
        if name == "choice" && is_integer(number) {
            return Some(line.with(part.0, part.1, &format!("&gpu::arange({number})")));
        }
        let array = parts.iter().map(|part| line.part(*part)).find(|part| known.is_array(part)).unwrap_or_default();
        Some(line.with(part.0, part.1, &array_of_number(number, array, known)))
    })
}

/// `&a + &h` with an array of the host.
pub fn host_operand(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("ArrayBase<") && !known.says("type mismatch resolving") {
        return None;
    }
    let beside = |sign: &str| matches!(sign, "+" | "-" | "*" | "/");
    (0..line.len()).filter(|at| line.is_word(*at) && known.is_host_array(line.at(*at))).find_map(|at| {
        let first = if line.before(at, 1) == "&" { at - 1 } else { at };
        let on_device = format!("gpu::asarray(&{})", line.at(at));
        // `d.assign(&host)`
        let is_of_method =
            line.before(first, 1) == "(" && first > 2 && line.is_word(first - 2) && line.before(first, 3) == ".";
        if is_of_method && line.at(at + 1) == ")" {
            return Some(line.with(first, at, &format!("&{on_device}")));
        }
        (beside(line.before(first, 1)) || beside(line.at(at + 1))).then(|| line.with(first, at, &on_device))
    })
}

/// `gpu::random::integers(0, 10, 5)`, `gpu::einsum("ij->i", &m)`, `gpu::random::choice(5, 3)`: our function with NumPy's arguments.
pub fn as_in_numpy(line: &Line, known: &Known<'_>) -> Option<String> {
    let counts: Vec<_> = known.faults.iter().filter_map(|(_, text)| argument_counts(text)).collect();
    calls_of_prelude(line).find_map(|at| {
        let mut first = at;
        while line.before(first, 1) == "::" && first > 1 {
            first -= 2;
        }
        let (close, arguments) = (line.closing(at + 1)?, line.arguments(at + 1)?);
        let is_surplus = counts.iter().any(|&(takes, given)| given == arguments.len() && given > takes);
        let start = *arguments.first()?;
        let is_other = match line.at(at) {
            "integers" => known.says("is not a range of integers") && !start.contains(".."),
            "choice" => known.says("expected `&") && of_numbers_below(start, known).is_some(),
            "percentile" | "quantile" => known.says("expected `f64`, found `"),
            _ => false,
        };
        if line.at(first) != "gpu" || !(is_surplus || is_other) {
            return None;
        }
        // Our function has a range and a size.
        if let ("integers", [high, size]) = (line.at(at), &arguments[..]) {
            return Some(line.with(at + 1, close, &format!("(0..{high}, {size})")));
        }
        let path: Vec<&str> =
            std::iter::once("np").chain((first + 2..=at).step_by(2).map(|place| line.at(place))).collect();
        let new = translated(&path, &arguments, known).filter(|new| new != line.slice(first, close))?;
        Some(line.with(first, close, &new))
    })
}

/// `a.compress(&mask, 0)`, `gpu::compress!(&a, &mask, axis = 0)`: the condition comes first.
pub fn exchanged(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_mask = |text: &str| numbers_of(text, known).is_some_and(|numbers| numbers.kind == Kind::Bool);
    line.find("compress").find_map(|at| {
        let open = if line.at(at + 1) == "!" { at + 2 } else { at + 1 };
        let (close, arguments) = (line.closing(open).filter(|_| line.at(open) == "(")?, line.arguments(open)?);
        let (values, named) = sorted_out(&arguments);
        let as_call = |mask: &str, array: &str, axis: Option<&str>| {
            let by = |text: &str| format!("&{}", text.trim_start_matches('&'));
            match axis {
                Some(axis) => format!("gpu::compress!({}, {}, axis = {axis})", by(mask), by(array)),
                None => format!("gpu::compress({}, {})", by(mask), by(array)),
            }
        };
        let axis = value_of(&named, "axis");
        if line.before(at, 1) == "." && !matches!(line.before(at, 2), "np" | "cp" | "numpy" | "cupy") {
            let first = line.operand_before(at - 1)?;
            let mask = values.first().filter(|mask| is_mask(mask))?;
            return Some(line.with(
                first,
                close,
                &as_call(mask, line.slice(first, at - 2), axis.or(values.get(1).copied())),
            ));
        }
        let [array, mask, rest @ ..] = &values[..] else { return None };
        let first =
            if line.before(at, 1) == "::" || line.before(at, 1) == "." { at.checked_sub(2)? } else { return None };
        (is_mask(mask) && !is_mask(array))
            .then(|| line.with(first, close, &as_call(mask, array, axis.or(rest.first().copied()))))
    })
}

/// `gpu::sparse::eye(5)`, `gpu::fft::fft(&gpu::ones(5))`, where nothing says which elements
pub fn untyped(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("type annotations needed") {
        return None;
    }
    calls_of_prelude(line).find_map(|at| {
        let (name, module) = (line.at(at), line.before(at, 2));
        let is_maker = match module {
            "gpu" => matches!(name, "zeros" | "ones" | "empty" | "eye" | "identity" | "load" | "loadtxt" | "fromfile"),
            "sparse" => matches!(name, "eye" | "identity" | "random" | "rand" | "eye_array" | "random_array"),
            _ => false,
        };
        is_maker.then(|| line.with(at, at, &format!("{name}::<f64>")))
    })
}

/// `gpu::random::normal(0, 1.0, 3)`, `gpu::linspace(0.0, n, 5)` of an integer: the numbers of a call have one type.
pub fn numbers_of_one_type(line: &Line, known: &Known<'_>) -> Option<String> {
    // The value is meant, or a comparison between the brackets.
    if line.find("set").any(|at| line.at(at + 1) == "!") {
        return None;
    }
    let is_whole = |name: &str| name == "{integer}" || name == "usize" || elements::is_integer(name);
    let float = mixed_types(known).find_map(|(one, other)| {
        let float = [&one, &other].into_iter().find(|name| matches!(name.as_str(), "{float}" | "f64" | "f32"))?;
        (is_whole(&one) || is_whole(&other)).then_some(if float == "f32" { "f32" } else { "f64" })
    })?;
    // `gpu::pad!(&a, 2, constant_values = (0, 1))`
    let of_keyword = |key: &str| {
        let at = line.find(key).find(|at| line.at(at + 1) == "=")?;
        let end =
            (at..line.len()).find(|place| *place > at + 1 && line.at(*place) == ",").filter(|_| line.at(at + 2) != "(");
        let last = if line.at(at + 2) == "(" { line.closing(at + 2)? } else { end.unwrap_or(line.last()) };
        let numbers = (at..=last).rev().filter(|place| is_integer(line.at(*place)));
        let new = numbers.fold(line.text.clone(), |text, place| {
            let line = Line::new(&text);
            line.with(place, place, &as_float(line.at(place)))
        });
        (new != line.text).then_some(new)
    };
    if let Some(new) = of_keyword("constant_values").or_else(|| of_keyword("end_values")) {
        return Some(new);
    }
    let whole = |text: &str| known.is_integer(text) || known.variable(text).is_some_and(|name| is_whole(&name));
    calls_of_prelude(line).filter(|at| line.before(*at, 1) == "::" && line.text.contains("gpu::")).find_map(|at| {
        let mut parts = line.parts(at + 1, ",")?;
        // The last number is a size.
        if line.before(at, 2) == "random" || line.at(at).ends_with("space") {
            parts.pop();
        }
        parts.into_iter().enumerate().find_map(|(place, part)| {
            let text = line.part(part);
            // Places, axes and counts stay whole.
            if line.before(at, 2) == "gpu" && rows::takes_whole(line.at(at), place) {
                return None;
            }
            let (sign, number) = text.strip_prefix('-').map_or(("", text), |number| ("-", number.trim()));
            let new = match number {
                number if is_integer(number) => format!("{sign}{}", as_float(number)),
                name if whole(name) => format!("{sign}{name} as {float}"),
                _ => return None,
            };
            Some(line.with(part.0, part.1, &new))
        })
    })
}

/// `gpu::hsplit(&a, (3, 4))`
pub fn cuts(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("does not say where an array is cut") {
        return None;
    }
    calls_of_prelude(line).filter(|at| line.at(*at).ends_with("split")).find_map(|at| {
        let part = line.parts(at + 1, ",")?.into_iter().find(|part| line.at(part.0) == "(")?;
        let inner = line.part(part).trim_start_matches('(').trim_end_matches([')', ',']);
        Some(line.with(part.0, part.1, &format!("[{inner}]")))
    })
}

/// `gpu::histogram!(&a, bins = [0, 1, 2])`
pub fn edges(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("cannot be used as bins") {
        return None;
    }
    let at = line.find("[").find(|at| {
        line.closing(*at).is_some_and(|close| is_list(line.slice(*at, close))) && line.before(*at, 1) != "&"
    })?;
    let close = line.closing(at)?;
    Some(line.with(at, close, &array_of_list(line.slice(at, close), true)))
}

/// `let (p, q) = gpu::split(&a, 2, 0);`: a list of arrays
pub fn unpacked(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_of = |expected: &str| known.says(&format!("expected `{expected}DeviceArray<")) && known.says("found `(");
    if !(is_of("Vec<") || is_of("")) || line.at(0) != "let" || line.at(1) != "(" {
        return None;
    }
    let (close, last) = (line.closing(1)?, line.last());
    let names = line.slice(2, close - 1);
    let value = line.slice(close + 2, last);
    // An array is unpacked along its first axis.
    let values = match axes_of(value, known) {
        _ if is_of("Vec<") => String::new(),
        Some(1) => ".tolist()".to_owned(),
        _ => ".iter().collect::<Vec<_>>()".to_owned(),
    };
    (line.at(close + 1) == "=").then(|| format!("let [{names}] = {}{values}.try_into().unwrap();", as_object(value)))
}

/// `let rng = gpu::random::Generator::new(1);`: what draws from it changes it.
pub fn generator(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_new = line.text.contains("= gpu::random::Generator::new(") && line.at(0) == "let" && line.at(1) != "mut";
    if is_new {
        return Some(line.with(0, 0, "let mut"));
    }
    let name = known.faults.iter().find_map(|(_, text)| {
        text.split_once("cannot borrow `")?
            .1
            .split_once("` as mutable, as it is not declared as mutable")
            .map(|(name, _)| name)
    })?;
    let is_of_notebook = known.variable(name).is_some_and(|of| of.contains("Generator") || of.starts_with(ARRAY));
    (is_of_notebook && (line.at(0) != "let" || line.at(2) != name))
        .then(|| format!("let mut {name} = {name}; {}", line.text))
        .filter(|_| !line.text.contains(&format!("let mut {name} = {name};")))
}

/// `h.get(&[0]).abs()` of a complex number, `a.astype(b.dtype)`
pub fn of_numbers(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(true).find_map(|at| match line.at(at) {
        "abs" if known.says("no method named `abs` found for struct `Complex<") => Some(line.with(at, at, "norm")),
        "astype" => {
            let [of] = line.arguments(at + 1)?[..] else { return None };
            let array = of.trim_end_matches("()").strip_suffix(".dtype")?;
            let element = known.element_of(array)?;
            Some(line.with(at, line.closing(at + 1)?, &format!("astype::<{element}>()")))
        }
        _ => None,
    })
}

/// `z.real`, `z.conjugate()` of a complex number
pub fn of_complex_number(line: &Line, known: &Known<'_>) -> Option<String> {
    const NAMES: &str = "real=re imag=im conjugate=conj";
    (2..line.len()).filter(|at| line.before(*at, 1) == ".").find_map(|at| {
        let ours = list_value(NAMES, line.at(at))?;
        let is_refused =
            ["no field `", "no method named `"].iter().any(|start| known.says(&format!("{start}{}`", line.at(at))));
        (is_refused && known.says("Complex<")).then(|| line.with(at, at, ours))
    })
}

/// `gpu::sparse::linalg::cg(&a, &b)` of elements of two types
pub fn other_elements(line: &Line, known: &Known<'_>) -> Option<String> {
    let element = |text: &str| text.split_once(ARRAY)?.1.split('>').next().map(str::to_owned);
    let found = known.faults.iter().find_map(|(_, text)| {
        let (expected, found) = text.split_once("expected `&")?.1.split_once("found `&")?;
        let (wanted, given) = (element(expected.split('`').next()?)?, element(found.split('`').next()?)?);
        (wanted != given && wanted != "_").then_some((wanted, given))
    });
    let (wanted, given) = found?;
    calls_of_prelude(line).find_map(|call| {
        let parts = line.parts(call + 1, ",")?;
        parts.into_iter().find_map(|part| {
            let name = line.part(part).strip_prefix('&')?;
            let is_given = element(&known.variable(name)?)? == given;
            is_given.then(|| line.with(part.0, part.1, &format!("&{name}.astype::<{wanted}>()")))
        })
    })
}

/// `gpu::concatenate((a, b))`, `gpu::concatenate(a, b)`
pub fn joined(line: &Line, known: &Known<'_>) -> Option<String> {
    calls_of_prelude(line).find_map(|at| {
        let name = line.at(at);
        let is_join = matches!(name, "concatenate" | "stack" | "vstack" | "hstack") && line.before(at, 2) == "gpu";
        let arguments = line.arguments(at + 1).filter(|_| is_join)?;
        let first = *arguments.first()?;
        let listed = format!("({})", arguments.join(", "));
        let new = match arguments.as_slice() {
            _ if first.starts_with('(') => translated(&["np", name], &arguments, known)?,
            _ if arguments.iter().all(|argument| known.is_array(argument)) => {
                translated(&["np", name], &[&listed], known)?
            }
            [_] if matches!(name, "concatenate" | "stack") => translated(&["np", name], &arguments, known)?,
            _ => return None,
        };
        Some(line.with(at - 2, line.closing(at + 1)?, &new))
    })
}

/// `gpu::exp(x)` of a number.
pub fn number(line: &Line, known: &Known<'_>) -> Option<String> {
    calls_of_prelude(line).find_map(|at| {
        let [argument] = line.arguments(at + 1)?[..] else { return None };
        let own = Line::new(argument);
        let is_literal = own.len() == 1 && own.kind(0) == Some(LineTokenKind::Number);
        let is_number =
            is_literal || known.type_of(argument).is_some_and(|name| matches!(name.as_str(), "f64" | "f32"));
        if !is_number || line.before(at, 2) != "gpu" || !list_has(METHODS, line.at(at)) {
            return None;
        }
        let object = if is_literal { format!("{}_f64", argument.trim_end_matches('.')) } else { as_object(argument) };
        let method = if line.at(at) == "log" { "ln" } else { line.at(at) };
        Some(line.with(at - 2, line.closing(at + 1)?, &format!("{object}.{method}()")))
    })
}

/// `gpu::sum(m, 0)`, `gpu::zeros((2, 3), f32)`, `gpu::eye(3.0)`, `gpu::linspace(0.0, 1.0)`
pub fn creation(line: &Line, known: &Known<'_>) -> Option<String> {
    calls_of_prelude(line).find_map(|at| {
        let (arguments, close) = (line.arguments(at + 1)?, line.closing(at + 1)?);
        let is_function = line.before(at, 2) == "gpu";
        let has_keywords = !sorted_out(&arguments).1.is_empty() && !matches!(line.at(at), "zeros" | "ones" | "empty");
        if has_keywords {
            return None;
        }
        let new = match (line.at(at), arguments.as_slice()) {
            (name, [array, axis])
                if is_function && REDUCTIONS.contains(&name) && known.says("this function takes 1 argument but 2") =>
            {
                format!("{name}_axis({}, {axis})", as_argument(array, known))
            }
            (name @ ("zeros" | "ones" | "empty"), [shape, data_type]) if is_function => {
                format!("{name}::<{}>({shape})", data_type_of(data_type.trim_start_matches("dtype=").trim())?)
            }
            (name @ ("eye" | "zeros" | "ones"), [length])
                if known.says("expected `usize`, found floating-point number") || known.says("is not a shape") =>
            {
                format!("{name}({})", length.strip_suffix(".0")?)
            }
            ("linspace", [start, end]) if is_function => {
                format!("linspace({}, {}, 50)", as_float(start), as_float(end))
            }
            ("random", _) if is_function && known.says("found module `gpu::random`") => {
                format!("random::random({})", one_shape(&arguments))
            }
            ("uniform", [size]) if line.before(at, 2) == "random" => format!("random({size})"),
            ("normal", [size]) if line.before(at, 2) == "random" => format!("normal(0.0, 1.0, {size})"),
            ("plot", [_, second, ..])
                if is_function && !second.starts_with('"') && known.says("this function takes 1 argument") =>
            {
                let by: Vec<String> = arguments.iter().map(|one| as_argument(one, known)).collect();
                format!("plot(({}))", by.join(", "))
            }
            ("get", numbers)
                if !numbers.is_empty()
                    && (known.says("expected `&[usize]`") || known.says("this method takes 1 argument")) =>
            {
                let inner = numbers.join(", ");
                let inner = inner.trim_matches(['&', '(', ')', '[', ']']);
                format!("get(&[{inner}])")
            }
            ("sum_axis" | "mean_axis", [axis]) if known.says("expected `Axis`") && is_integer(axis) => {
                format!("{}(Axis({axis}))", line.at(at))
            }
            _ => return None,
        };
        Some(line.with(at, close, &new))
    })
}

fn one_shape(arguments: &[&str]) -> String {
    if let [one] = arguments { (*one).to_owned() } else { format!("({})", arguments.join(", ")) }
}

/// `gpu::array(&[1, 2.0])`
pub fn mixed_list(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("expected integer, found floating-point number")
        && !known.says("expected floating-point number, found integer")
    {
        return None;
    }
    line.find("[").find_map(|open| {
        let (close, parts) = (line.closing(open)?, line.arguments(open)?);
        let are_numbers =
            parts.iter().all(|part| part.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()));
        let new: Vec<String> = parts.iter().map(|part| as_float(part)).collect();
        let has_float = parts.iter().any(|part| part.contains('.'));
        (are_numbers && has_float && new.iter().ne(parts.iter()))
            .then(|| line.with(open, close, &format!("[{}]", new.join(", "))))
    })
}

/// `0` of `ndarray`'s `Axis(0)`.
fn number_of_axis(text: &str) -> Option<&str> {
    text.strip_prefix("Axis(")?.strip_suffix(')')
}

/// `a.float()`, `a.to(torch.float32)`, `a.fill_(0.0)`, `a.sum().item()`
pub fn method(line: &Line, known: &Known<'_>) -> Option<String> {
    line.calls(true).find_map(|at| {
        let name = line.at(at);
        let is_missing =
            known.says(&format!("no method named `{name}`")) || name == "map" && known.says("is not an iterator");
        let (close, arguments) = (line.closing(at + 1)?, line.arguments(at + 1)?);
        let first = line.operand_before(at - 1)?;
        let object = line.slice(first, at - 2);
        let is_array = known.is_array(object)
            || known.says("for struct `DeviceArray<")
            || known.says("for reference `&DeviceArray<")
            || known.says("`DeviceArray<");
        // What is at the host already, or a number.
        let is_number = ["f64", "f32", "i64", "i32", "usize", "bool"]
            .iter()
            .any(|type_name| known.says(&format!("no method named `{name}` found for type `{type_name}`")));
        let is_at_host =
            ["to_host()", "item()"].iter().any(|end| object.ends_with(end)) && name != "item" && name != "tolist";
        if name == "collect" && arguments.is_empty() && known.says("type annotations needed") {
            return Some(line.with(at, close, "collect::<Vec<_>>()"));
        }
        // `a.item(0)`, `a.item((0, 1))`
        let is_place = |text: &str| text.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, ',' | ' '));
        if is_array && name == "item" && known.says("takes 0 arguments but") && !arguments.is_empty() {
            let place = arguments.join(", ").replace(['(', ')'], "");
            // One place counts along all axes.
            let flat = if place.contains(',') || axes_of(object, known) == Some(1) { "" } else { "ravel()." };
            return is_place(&place).then(|| line.with(at, close, &format!("{flat}get(&[{place}])")));
        }
        // `a.set(2, 1.0)`, `m.set((0, 1), 1.0)`
        if is_array && name == "set" && known.says("this method takes 1 argument but") && arguments.len() > 1 {
            let (value, place) = arguments.split_last()?;
            let place = place.join(", ");
            let place = place.trim_matches(['&', '(', ')', '[', ']']);
            let statement = format!("gpu::set!({object}[{place}] = {value})");
            let behind = if close == line.last() { ";" } else { "" };
            return Some(line.with(first, close, &format!("{statement}{behind}")));
        }
        if name == "unwrap" && is_number {
            return Some(line.with(at - 1, close, ""));
        }
        if matches!(name, "to_device" | "cuda" | "to") && known.says("for struct `ArrayBase<") {
            return Some(line.with(first, close, &format!("gpu::asarray(&{object})")));
        }
        if name == "sum"
            && object.ends_with(".iter()")
            && known.is_array(object.trim_end_matches(".iter()"))
            && known.says("type annotations needed")
        {
            return Some(line.with(first, close, &format!("{}.sum()", object.trim_end_matches(".iter()"))));
        }
        if TO_HOST.contains(&name) && arguments.is_empty() && (is_number || is_at_host) {
            return Some(line.with(at - 1, close, ""));
        }
        let integer = ["i32", "i64", "usize", "u32"]
            .iter()
            .any(|type_name| known.says(&format!("no method named `{name}` found for type `{type_name}`")));
        if integer && matches!(name, "sqrt" | "sin" | "cos" | "exp" | "ln" | "log" | "powf" | "tan") && is_name(object)
        {
            return Some(line.with(first, at - 2, &format!("({object} as f64)")));
        }
        if is_missing && name == "powi" && integer {
            return Some(line.with(at, at, "pow"));
        }
        let by_reference: Vec<String> = arguments.iter().map(|argument| as_argument(argument, known)).collect();
        let rounds = name == "round" && arguments.len() == 1 && known.says("takes 0 arguments but 1");
        if rounds {
            let digits = arguments[0].parse::<u32>().ok().filter(|digits| *digits < 10)?;
            let factor = format!("{}.0", 10u64.pow(digits));
            let object =
                if known.is_array(object) && is_name(object) { format!("&{object}") } else { object.to_owned() };
            return Some(line.with(first, close, &format!("({object} * {factor}).round() / {factor}")));
        }
        if name == "dot" && arguments.len() == 1 && by_reference[0] != arguments[0] {
            let ours = if object.ends_with(".t()") || object.ends_with(".T") { "matmul" } else { "dot" };
            return Some(line.with(at, close, &format!("{ours}({})", by_reference[0])));
        }
        if matches!(name, "cuda" | "contiguous" | "detach" | "to") && object.starts_with("gpu::") && !is_missing {
            return Some(line.with(at - 1, close, ""));
        }
        let new = match name {
            "max" | "min" if arguments.len() == 1 && known.is_array(arguments[0]) => {
                format!("{}imum({})", name, by_reference[0])
            }
            "clamp" if is_array && (is_missing || known.says("method `clamp` exists")) => {
                format!("clip({})", by_reference.join(", "))
            }
            _ if !is_array || !is_missing && name != "to" => return None,
            "to" | "type" if arguments.len() == 1 && data_type_of(arguments[0]).is_some() => {
                format!("astype::<{}>()", data_type_of(arguments[0])?)
            }
            "zero_" => "fill(0.0)".to_owned(),
            "norm" => {
                return Some(line.with(first, close, &format!("gpu::linalg::norm({})", as_argument(object, known))));
            }
            "rows" | "nrows" => "shape()[0]".to_owned(),
            "cols" | "columns" | "ncols" => "shape()[1]".to_owned(),
            "outer_iter" if arguments.is_empty() => "iter()".to_owned(),
            "to_vec" | "into_raw_vec" | "into_vec" if arguments.is_empty() => "flatten().tolist()".to_owned(),
            "view" | "into_owned" if arguments.is_empty() => "clone()".to_owned(),
            "len_of" => format!("shape()[{}]", number_of_axis(arguments.first()?)?),
            "index_axis" if arguments.len() == 2 => {
                let (place, axis) = (arguments[1], number_of_axis(arguments[0])?);
                return Some(line.with(first, close, &format!("gpu::take!(&{object}, {place}, axis = {axis})")));
            }
            "any" | "all" => format!("ne(0.0).{name}()"),
            "push" | "append" if arguments.len() == 1 => {
                let joined = format!("gpu::concatenate([&{object}, &gpu::array(&[{}])], 0)", arguments[0]);
                return Some(line.with(first, close, &joined));
            }
            "map" | "mapv" | "mapv_into" if arguments.len() == 1 && arguments[0].starts_with('|') => {
                let element = known.type_of(object)?.strip_prefix("DeviceArray<")?.strip_suffix('>')?.to_owned();
                let (parameter, body) = arguments[0].strip_prefix('|')?.split_once('|')?;
                let mapped = format!("gpu::map(fuse!(|{parameter}: {element}|{body}), &{object})");
                return Some(line.with(first, close, &mapped));
            }
            "to_numpy" => "to_host()".to_owned(),
            "row" => format!("slice(s![{}, ..])", arguments.first()?),
            "column" | "col" => format!("slice(s![.., {}])", arguments.first()?),
            "length" => "len()".to_owned(),
            _ => match (list_value(CONVERSIONS, name), list_value(IN_PLACE, name)) {
                (Some(data_type), _) if arguments.is_empty() => format!("astype::<{data_type}>()"),
                (_, Some(ours)) => format!("{ours}({})", by_reference.join(", ")),
                _ => return None,
            },
        };
        Some(line.with(at, close, &new))
    })
}

/// `f16`, `Complex::new(1.0, 2.0)`, `2j`: types that a cell finds in `gpu`.
pub fn of_prelude(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let name = line.at(at);
        if let Some(digits) = name.strip_suffix('j').filter(|_| line.kind(at) == Some(LineTokenKind::Number)) {
            let imaginary = as_float(digits);
            let is_sum =
                matches!(line.before(at, 1), "+" | "-") && line.kind(at.wrapping_sub(2)) == Some(LineTokenKind::Number);
            if is_sum {
                let sign = if line.before(at, 1) == "-" { "-" } else { "" };
                let real = as_float(line.before(at, 2));
                return Some(line.with(at - 2, at, &format!("gpu::Complex::new({real}, {sign}{imaginary})")));
            }
            return Some(line.with(at, at, &format!("gpu::Complex::new(0.0, {imaginary})")));
        }
        let is_ours =
            elements::is_of_prelude(name) || matches!(name, "Complex" | "Graph" | "Stream" | "Event" | "Timer");
        let is_missing =
            known.says(&format!("`{name}` is unstable")) || known.says(&format!("type `{name}` in this scope"));
        (is_ours && is_missing && line.before(at, 1) != "::").then(|| line.with(at, at, &format!("gpu::{name}")))
    })
}
