//! Functions of device code and their calls, as CUDA, Numba and NumPy have them.

use super::calls::METHODS;
use super::known::{ARRAY, DeviceFunction, Known, declares, is_counter};
use super::line::{Line, LineTokenKind, is_integer, is_name};
use super::modules::PAGES;
use super::uses::{counts, written};
use super::{control, decorators, uses};
use crate::evaluator::elements;
use crate::syntax::{is_keyword, list_has, list_value};

/// CUDA's variables and functions, and ours.
const NAMES: &str = "\
    threadIdx=thread_idx() blockIdx=block_idx() blockDim=block_dim() gridDim=grid_dim() \
    __syncthreads=sync_threads syncthreads=sync_threads";

/// `x.size`, `x.shape[0]`, `len(x)` of a view.
pub fn length(line: &Line, known: &Known<'_>) -> Option<String> {
    if known.device != Some(DeviceFunction::Kernel) {
        return None;
    }
    // The first axis of an array of more axes.
    let of_len = line.find("len").find_map(|at| {
        let (name, close) = (line.at(at + 2), at + 3);
        let is_len = line.before(at, 1) != "." && line.at(at + 1) == "(" && line.at(close) == ")";
        (is_len && has_axes(name, known)).then(|| line.with(at, close, &format!("{name}.shape()[0]")))
    });
    of_len.or_else(|| {
        (1..line.len()).filter(|at| line.before(*at, 1) == ".").find_map(|at| match line.at(at) {
            "size" => {
                let last = if line.at(at + 1) == "(" { line.closing(at + 1)? } else { at };
                Some(line.with(at, last, "len()"))
            }
            "shape" if line.at(at + 1) == "[" => Some(line.with(at, at, "shape()")),
            _ => None,
        })
    })
}

/// Whether the cell gives more than one index of an array.
fn has_axes(name: &str, known: &Known<'_>) -> bool {
    let cell = Line::new(known.cell);
    cell.find(name).any(|at| {
        let has_several = |parts: Vec<(usize, usize)>| parts.len() > 1 || cell.at(at + 2) == "[";
        cell.at(at + 1) == "[" && cell.parts(at + 1, ",").is_some_and(has_several)
    })
}

/// A value for each of the axes of a grid: `cuda.grid(2)`
fn of_axes(count: &str, value: impl Fn(&str) -> String) -> Option<String> {
    let axes = match count {
        "1" => return Some(value("x")),
        "2" => &["x", "y"][..],
        "3" => &["x", "y", "z"][..],
        _ => return None,
    };
    Some(format!("({})", axes.iter().map(|axis| value(axis)).collect::<Vec<_>>().join(", ")))
}

/// `t = cuda.threadIdx.x` where the notebook has a variable `t`, too: functions do not see it.
pub fn own_variable(line: &Line, known: &Known<'_>) -> Option<String> {
    let name = line.at(0);
    let is_seen = known.device.is_some() && known.is_in_block() && line.is_word(0) && line.at(1) == "=";
    (known.type_of)(name).filter(|_| is_seen)?;
    let before: Vec<&str> = known.cell.lines().take(known.line.saturating_sub(1)).collect();
    let head = before.iter().rposition(|text| matches!(Line::new(text.trim()).at(0), "fn" | "def"))?;
    let is_declared = before[head + 1..].iter().any(|text| declares(text, name) || is_counter(text, name));
    let is_parameter = Line::new(before[head].trim()).find(name).any(|at| at > 1);
    (!is_declared && !is_parameter).then(|| format!("let {};", line.text.trim_end_matches(';')))
}

/// `TPB = 16` of a number that functions of device code use: they do not see variables.
pub fn constant(line: &Line, known: &Known<'_>) -> Option<String> {
    let (name, value) = (line.at(0), line.at(2));
    let is_named = name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase);
    let is_number = line.last() == 2 && line.at(1) == "=" && line.kind(2) == Some(LineTokenKind::Number);
    if !(is_named && is_number) || known.device.is_some() || known.is_in_block() {
        return None;
    }
    let is_used = known.cell.lines().enumerate().any(|(index, text)| {
        let names = |text: &str| Line::new(text.trim()).find(name).next().is_some();
        index + 1 != known.line && names(text) && Known::of_line(&[], known.cell, index + 1, &|_| None).device.is_some()
    });
    let type_name = if is_integer(value) { "usize" } else { "f64" };
    is_used.then(|| format!("const {name}: {type_name} = {value};"))
}

/// `threadIdx.x`, `cuda.grid(1)`, `__syncthreads()`
pub fn names(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let name = line.at(at);
        let is_own = !matches!(line.before(at, 1), "." | "::");
        if let Some(ours) = list_value(NAMES, name).filter(|_| is_own && known.blames(name)) {
            return Some(line.with(at, at, ours));
        }
        if matches!(name, "cuda" | "jit") && matches!(line.at(at + 1), "." | "::") && line.before(at, 1) != "." {
            if let Some(ours) = list_value(NAMES, line.at(at + 2)) {
                return Some(line.with(at, at + 2, ours));
            }
            let close = line.closing(at + 3).filter(|_| line.at(at + 3) == "(")?;
            let count = line.slice(at + 4, close - 1);
            let ours = match line.at(at + 2) {
                "grid" => of_axes(count, |axis| format!("global_idx().{axis}"))?,
                "gridsize" => {
                    let size = of_axes(count, |axis| format!("grid_dim().{axis} * block_dim().{axis}"))?;
                    let is_operand = |sign: &str| matches!(sign, "+" | "-" | "*" | "/" | "//" | "%" | "**");
                    let is_part = is_operand(line.before(at, 1)) || is_operand(line.at(close + 1));
                    if is_part && count == "1" { format!("({size})") } else { size }
                }
                _ => return None,
            };
            return Some(line.with(at, close, &ours));
        }
        let is_index = matches!(name, "global_idx" | "thread_idx" | "block_idx" | "block_dim" | "grid_dim");
        let is_whole = is_index && line.at(at + 1) == "(" && line.at(at + 3) != "." && known.says("`Dim3`");
        is_whole.then(|| line.with(at, at + 2, &format!("{name}().x")))
    })
}

/// `out[i] = x[i] if x[i] > 0 else 0` and `s //= 2` of device code.
pub fn conditional_value(line: &Line, known: &Known<'_>) -> Option<String> {
    known.device?;
    let name = line.at(0);
    // `/` rounds towards 0, and so differs for negative numbers.
    let may_be_negative = known.cell.contains(&format!("{name} -= "));
    if line.at(1) == "//" && line.at(2) == "=" && known.is_python && known.is_integer(name) && !may_be_negative {
        return Some(format!("{name} /= {};", line.slice(3, line.last())));
    }
    let sign = line.find("=").next().filter(|_| line.is_word(0) && !is_keyword(name))?;
    let first = line.find("if").find(|at| *at > sign + 1)?;
    let other = line.find("else").find(|at| *at > first + 1 && line.before(*at, 1) != "}")?;
    let (value, condition) = (line.slice(sign + 1, first - 1), line.slice(first + 1, other - 1));
    let otherwise = Some(line.slice(other + 1, line.last())).filter(|text| !text.contains(" else "))?;
    Some(format!("{} = if {condition} {{ {value} }} else {{ {otherwise} }};", line.slice(0, sign - 1)))
}

/// The names of atomic operations, and ours.
const ATOMICS: &str = "\
    add=add sub=sub max=max min=min and_=and or_=or xor=xor exch=exchange cas=compare_exchange \
    Add=add Sub=sub Max=max Min=min And=and Or=or Xor=xor Exch=exchange CAS=compare_exchange \
    _add=add _sub=sub _max=max _min=min _and=and _or=or _xor=xor _exch=exchange _cas=compare_exchange";

/// `cuda.atomic.add(counts, i, 1)`, `atomicAdd(&counts[i], 1)`, `atomic_add(counts, i, 1)`
pub fn atomic(line: &Line, known: &Known<'_>) -> Option<String> {
    known.device?;
    line.calls(true).chain(line.calls(false)).find_map(|at| {
        let name = line.at(at);
        let (first, ours) = match name.strip_prefix("atomic").and_then(|rest| list_value(ATOMICS, rest)) {
            Some(ours) if line.before(at, 1) != "." => (at, ours),
            Some(ours) if line.before(at, 2) == "jit" => (at - 2, ours),
            Some(_) => return None,
            None if line.before(at, 2) == "atomic" && line.before(at, 4) == "cuda" => {
                (at - 4, list_value(ATOMICS, name)?)
            }
            None => return None,
        };
        let (given, close) = (line.parts(at + 1, ",")?, line.closing(at + 1)?);
        // `&counts[i]`
        let address = *given.first()?;
        let (array, index, rest) = if line.at(address.0) == "&" && line.at(address.0 + 2) == "[" {
            let inner = line.slice(address.0 + 3, address.1 - 1);
            (line.at(address.0 + 1), inner.to_owned(), &given[1..])
        } else {
            (line.part(address), line.part(*given.get(1)?).to_owned(), given.get(2..)?)
        };
        if !is_name(array) || rest.is_empty() {
            return None;
        }
        let tokens = Line::new(&index);
        let is_whole = tokens.at(1) == "(" && tokens.closing(1) == tokens.len().checked_sub(1);
        let index = match tokens.at(0) {
            // Of several axes.
            "(" if tokens.closing(0) == tokens.len().checked_sub(1) => {
                format!("[{}]", tokens.slice(1, tokens.len() - 2))
            }
            "int" if is_whole => as_place(tokens.slice(2, tokens.len() - 2)),
            _ if tokens.find(",").next().is_some() && !is_whole => format!("[{index}]"),
            _ => index,
        };
        let values: String = rest.iter().map(|part| format!(", {}", line.part(*part))).collect();
        Some(line.with(first, close, &format!("{array}.atomic_{ours}({index}{values})")))
    })
}

/// `cuda.shared.array(32, dtype=float32)`, `cuda.shared.array((16, 18), float32)`, `__shared__ float tile[32];`
pub fn shared(line: &Line, known: &Known<'_>) -> Option<String> {
    known.device?;
    let made = |length: &str, element: &str| {
        let length = Line::new(length);
        let inner = length.arguments(0).filter(|_| matches!(length.at(0), "(" | "["));
        let length =
            match inner.as_deref().map(|all| all.iter().filter(|one| !one.is_empty()).copied().collect::<Vec<_>>()) {
                Some(all) if all.len() == 1 => all[0].to_owned(),
                Some(all) => format!("[{}]", all.join(", ")),
                None => length.text.clone(),
            };
        format!("shared_array::<{element}>({length})")
    };
    if line.at(0) == "__shared__" {
        let (element, name) = (if line.at(1) == "float" { "f32" } else { elements::named(line.at(1))? }, line.at(2));
        let (mut lengths, mut at) = (Vec::new(), 3);
        while line.at(at) == "[" {
            let close = line.closing(at)?;
            lengths.push(line.slice(at + 1, close - 1));
            at = close + 1;
        }
        let lengths = format!("({})", lengths.join(", "));
        return is_name(name).then(|| format!("let mut {name} = {};", made(&lengths, element)));
    }
    line.find("array").find_map(|at| {
        let is_shared = line.before(at, 2) == "shared" && line.before(at, 4) == "cuda" && line.at(at + 1) == "(";
        let given = line.arguments(at + 1).filter(|_| is_shared)?;
        let [length, element] = given.as_slice() else { return None };
        let value = |text: &'_ str| text.split_once('=').map_or(text, |(_, value)| value).trim().to_owned();
        let element = value(element);
        let element = elements::named(element.rsplit('.').next()?)?;
        let new = line.with(at - 4, line.closing(at + 1)?, &made(&value(length), element));
        let is_new = line.is_word(0) && line.at(1) == "=" && at == 6;
        Some(if is_new { format!("let mut {};", new.trim_end_matches(';')) } else { new })
    })
}

/// `a[i, j]` of a view, and `a[i][j]`: the element of a matrix.
pub fn element(line: &Line, known: &Known<'_>) -> Option<String> {
    if known.device != Some(DeviceFunction::Kernel) {
        return None;
    }
    let is_place = |open: &usize| *open > 0 && line.is_word(open - 1) && !is_keyword(line.before(*open, 1));
    line.find("[").filter(is_place).find_map(|open| {
        let (parts, close) = (line.parts(open, ",")?, line.closing(open)?);
        let inner = line.slice(open + 1, close - 1);
        if parts.len() > 1 {
            return Some(line.with(open, close, &format!("[[{inner}]]")));
        }
        let name = line.before(open, 1);
        let is_view = ["View<", "ViewMut<"].iter().any(|of| known.cell.contains(&format!("{name}: {of}")));
        let last = line.closing(close + 1).filter(|_| line.at(close + 1) == "[" && line.at(close + 2) != "[")?;
        let is_wrong = known.says("device code can index only fixed arrays");
        let new = format!("[[{inner}, {}]]", line.slice(close + 2, last - 1));
        (is_view && is_wrong && line.at(open + 1) != "[").then(|| line.with(open, last, &new))
    })
}

/// A value as an index.
fn as_place(text: &str) -> String {
    let tokens = Line::new(text);
    let is_single = tokens.operand_after(0) == tokens.len().checked_sub(1);
    if is_single { format!("{text} as usize") } else { format!("({text}) as usize") }
}

/// `a[n]` with an integer. What is already an index stays as it is.
pub fn place(line: &Line, known: &Known<'_>) -> Option<String> {
    let new = control::place(line, known)?;
    let is_index = |name: &str| {
        let starts = [format!("let {name} = "), format!("for {name} in ")];
        let of_index = |text: &str| {
            let value = starts.iter().find_map(|start| text.trim().strip_prefix(start.as_str()));
            let value = value.filter(|value| !value.contains(" as ")).unwrap_or_default();
            ["_idx()", "_dim()", "len()", "shape()", "grid_stride("].iter().any(|call| value.contains(call))
        };
        known.cell.contains(&format!("{name}: usize")) || known.cell.lines().any(of_index)
    };
    let tokens = Line::new(&new);
    let mut converted = tokens.find("as").filter(|at| tokens.before(*at, 2) == "[" && tokens.at(at + 1) == "usize");
    let is_wrong = known.device.is_some() && converted.any(|at| is_index(tokens.before(at, 1)));
    (!is_wrong).then_some(new)
}

/// `counts[x[i] % 3] += 1`, `counts.atomic_add(x[i], 1)`: an index that is computed of elements.
pub fn index(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_wrong = known.says("views and shared arrays cannot be indexed by `");
    // A variable of the kernel that is an element, or computed of one.
    let is_element = |name: &str| {
        let start = format!("let {name} = ");
        let mut declared = known.cell.lines().filter_map(|text| text.trim().strip_prefix(start.as_str()));
        declared.any(|value| value.contains('[') && !value.ends_with("as usize;"))
    };
    (1..line.len()).filter(|_| is_wrong && known.device.is_some()).find_map(|at| {
        let is_atomic = line.at(at) == "(" && line.before(at, 1).starts_with("atomic_") && line.before(at, 2) == ".";
        let is_place = line.at(at) == "[" && line.is_word(at - 1) && !is_keyword(line.before(at, 1));
        let (first, last) = *line.parts(at, ",").filter(|_| is_atomic || is_place)?.first()?;
        let text = line.part((first, last));
        let is_computed = (first..=last).any(|at| line.at(at) == "[" && at > first) || is_element(text);
        // Of another type, as a whole.
        let is_converted = (first..=last).any(|at| line.at(at) == "as") && line.at(last) == "usize";
        let text = text.strip_suffix(" as i64").or_else(|| text.strip_suffix(" as i32")).unwrap_or(text);
        let new = as_place(text);
        (is_computed && !is_converted).then(|| line.with(first, last, &new))
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
        let is_written = || written(line.slice(first, colon - 1).trim_start_matches("mut "), &Line::new(known.cell));
        let is_mutable = type_name.starts_with("&mut")
            || type_name.starts_with("Out<")
            || line.at(first) == "mut"
            || is_kernel && is_written();
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

/// `fn f(x: float) -> int` of device code.
pub fn type_names(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_wrong = known.says("function must have one of the types") || known.says("must be a view of an array");
    let name = line.find("fn").find(|_| is_wrong)? + 1;
    (name + 2..line.len()).find_map(|at| {
        let is_type = matches!(line.before(at, 1), ":" | "->") && line.at(at + 1) != "<";
        let ours = elements::named(line.at(at)).filter(|ours| is_type && *ours != line.at(at))?;
        Some(line.with(at, at, ours))
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

/// The elements of the array that the cell gives to its kernel for a parameter.
fn element_given(name: &str, known: &Known<'_>) -> Option<String> {
    let head = Line::new(known.cell.lines().nth(known.line.checked_sub(1)?)?.trim());
    let index = head.parts(2, ",")?.iter().position(|(first, _)| head.at(*first) == name)?;
    known.cell.lines().map(Line::new).find_map(|line| {
        let at =
            line.find(head.at(1)).find(|at| matches!(line.at(at + 1), "[" | "(") && line.before(*at, 1) != "def")?;
        // `k[4, 32](x, y)`, `k((4,), (32,), (x, y))`
        let open = match line.at(at + 1) {
            "[" => line.closing(at + 1)? + 1,
            _ => line.parts(at + 1, ",").filter(|parts| parts.len() == 3)?.get(2)?.0,
        };
        let open = Some(open).filter(|open| line.at(*open) == "(")?;
        let argument = *line.arguments(open)?.get(index)?;
        let start = format!("{argument} = ");
        let is_given = known.cell.lines().any(|text| text.starts_with(&start));
        let of_notebook = (known.type_of)(argument).filter(|_| !is_given);
        let element = of_notebook.and_then(|own| Some(own.strip_prefix(ARRAY)?.strip_suffix('>')?.to_owned()));
        element.or_else(|| {
            let value = known.cell.lines().find_map(|text| text.strip_prefix(start.as_str()))?;
            let dtype = value.split_once("dtype=")?.1.trim_start_matches(['\'', '"']);
            let dtype = dtype.split(|next| !crate::syntax::is_word(next) && next != '.').next()?;
            elements::named(dtype.rsplit('.').next()?).map(str::to_owned)
        })
    })
}

/// A parameter of a function with the type that its body needs.
pub fn parameter(name: &str, known: &Known<'_>) -> String {
    let cell = Line::new(known.cell);
    let is_used = |at: &usize| cell.at(*at) == name && !matches!(cell.before(*at, 1), "." | "::");
    let places: Vec<usize> = (0..cell.len()).filter(is_used).collect();
    let is_kernel = known.device == Some(DeviceFunction::Kernel);
    let is_measured = |at: &usize| {
        let is_field = cell.at(at + 1) == "." && matches!(cell.at(at + 2), "shape" | "size" | "ndim");
        is_kernel && (is_field || cell.before(*at, 1) == "(" && cell.before(*at, 2) == "len")
    };
    let is_indexed = places.iter().any(|at| cell.at(at + 1) == "[" || is_measured(at));
    let is_assigned = written(name, &cell);
    let given = decorators::of_parameter(name, known);
    // `range(start, n, step)`
    let of_range = |at: &usize| {
        let is_part = |open: usize| {
            let parts = cell.parts(open + 1, ",").unwrap_or_default();
            parts.iter().any(|(first, last)| first == last && first == at)
        };
        is_kernel && cell.find("range").any(|open| cell.at(open + 1) == "(" && is_part(open))
    };
    let is_compared = |at: &usize| matches!(cell.before(*at, 1), "<" | "..") && is_name(cell.before(*at, 2));
    let is_limit = places.iter().any(|at| is_compared(at) || of_range(at));
    let element = || match given {
        Some(given) => given.element.to_owned(),
        None => element_given(name, known).unwrap_or_else(|| {
            let is_count = counts(name, &cell);
            if is_count { "i64".to_owned() } else { "f64".to_owned() }
        }),
    };
    match (known.device, given) {
        (Some(_), Some(given)) if !given.is_array => format!("{name}: {}", given.element),
        (None, _) if uses::is_array(name, known.cell) => format!("{name}: &DeviceArray<f64>"),
        (Some(DeviceFunction::Kernel), _) if is_assigned => format!("mut {name}: ViewMut<{}>", element()),
        (Some(DeviceFunction::Kernel), _) if is_indexed => format!("{name}: View<{}>", element()),
        (Some(DeviceFunction::Kernel), _) if is_limit => format!("{name}: usize"),
        _ => format!("{name}: f64"),
    }
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
    fn lines_of_kernels() {
        let kernel = |text: &str| format!("@cuda.jit\ndef k(p, q, n):\n    {text}");
        let mut differing = Vec::new();
        for (typed, expected) in [
            ("x, y = cuda.grid(2)", "let (x, y) = (global_idx().x, global_idx().y);"),
            ("x, y, z = cuda.grid(3)", "let (x, y, z) = (global_idx().x, global_idx().y, global_idx().z);"),
            ("j = cuda.grid(1)", "j = global_idx().x;"),
            ("j = jit.grid(1)", "j = global_idx().x;"),
            ("step = cuda.gridsize(1)", "step = grid_dim().x * block_dim().x;"),
            ("j += cuda.gridsize(1)", "j += grid_dim().x * block_dim().x;"),
            (
                "for j in range(cuda.grid(1), n, cuda.gridsize(1)):",
                "for j in (global_idx().x..n).step_by(grid_dim().x * block_dim().x) {",
            ),
            ("q[x, y] = p[x, y] + 1", "q[[x, y]] = p[[x, y]] + 1"),
            ("q[x, y] = p[x, y + 1] * p[0, y]", "q[[x, y]] = p[[x, y + 1]] * p[[0, y]]"),
            ("if x < q.shape[0] and y < q.shape[1]:", "if x < q.shape()[0] && y < q.shape()[1] {"),
            ("if x < p.size:", "if x < p.len() {"),
            ("rows, columns = p.shape", "let (rows, columns) = (p.shape()[0], p.shape()[1]);"),
            ("cuda.atomic.add(q, j, 1)", "q.atomic_add(j, 1)"),
            ("cuda.atomic.add(q, (x, y), 1)", "q.atomic_add([x, y], 1)"),
            ("cuda.atomic.add(q, int(p[j]), 1)", "q.atomic_add(p[j] as usize, 1)"),
            ("cuda.atomic.max(q, 0, p[j])", "q.atomic_max(0, p[j])"),
            ("cuda.atomic.cas(q, 0, 1, 2)", "q.atomic_compare_exchange(0, 1, 2)"),
            ("jit.atomic_add(q, j, 1)", "q.atomic_add(j, 1)"),
            ("atomicAdd(&q[j], 1);", "q.atomic_add(j, 1);"),
            ("tile = cuda.shared.array(32, dtype=float32)", "let mut tile = shared_array::<f32>(32);"),
            (
                "tile = cuda.shared.array(shape=(16, 18), dtype=np.float64)",
                "let mut tile = shared_array::<f64>([16, 18]);",
            ),
            ("__shared__ float tile[16][18];", "let mut tile = shared_array::<f32>([16, 18]);"),
            ("cuda.syncthreads()", "sync_threads()"),
            ("q[j] = p[j] if p[j] > 0 else 0", "q[j] = if p[j] > 0 { p[j] } else { 0 };"),
        ] {
            let (cell, faults) = (kernel(typed), [(None, "expected something")]);
            let found = of_line(typed, &Known::of_line(&faults, &cell, 3, &type_of));
            if found.as_deref().map(|line| line.trim_end_matches(';')) != Some(expected.trim_end_matches(';')) {
                differing.push(format!("{typed}: {found:?}, not {expected}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn lines_of_our_kernels() {
        let missing = "cannot find function `atomic_add` in this scope";
        let index = "views and shared arrays cannot be indexed by `i64`";
        let fixed = "device code can index only fixed arrays, such as `[f32; 4]`, but this is `f64`";
        let power = "type `{integer}` cannot be dereferenced";
        let mut differing = Vec::new();
        for attribute in ["#[kernel]", "#[gpu::kernel]"] {
            for (message, typed, expected) in [
                (power, "q[j] = p[j] ** 2;", "q[j] = p[j].powi(2);"),
                ("`View<f64>` has no field `size`", "if j < p.size {", "if j < p.len() {"),
                ("`View<f64>` has no field `shape`", "if j < p.shape[0] {", "if j < p.shape()[0] {"),
                (missing, "atomic_add(q, 0, p[j]);", "q.atomic_add(0, p[j]);"),
                (index, "q.atomic_add(p[j] % 3, 1);", "q.atomic_add((p[j] % 3) as usize, 1);"),
                (index, "q.atomic_add(p[j], 1);", "q.atomic_add(p[j] as usize, 1);"),
                (index, "q[p[j] % 3] += 1;", "q[(p[j] % 3) as usize] += 1;"),
                (fixed, "q[j][0] = p[j][1];", "q[[j, 0]] = p[[j, 1]];"),
            ] {
                let head = "fn k(p: View<f64>, mut q: ViewMut<f64>) {";
                let cell = format!("{attribute}\n{head}\n    let j = global_idx().x;\n    {typed}\n}}");
                let faults = [(Some("E0277"), message)];
                let found = of_line(typed, &Known::of_line(&faults, &cell, 4, &type_of));
                if found.as_deref() != Some(expected) {
                    differing.push(format!("{attribute} {typed}: {found:?}, not {expected}"));
                }
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn names_of_the_notebook_in_kernels() {
        let cell = "SIZE = 16\n@cuda.jit\ndef k(p, q):\n    n = cuda.grid(1)\n    n = SIZE\n    q = p[n]\n    if n < 3:\n        m = n";
        let faults = [(None, "expected something")];
        let found = |line: usize| {
            let text = cell.lines().nth(line - 1).unwrap();
            of_line(text, &Known::of_line(&faults, cell, line, &type_of))
        };
        assert_eq!(found(1).as_deref(), Some("const SIZE: usize = 16;"));
        assert_eq!(found(4).as_deref(), Some("let n = global_idx().x;"));
        assert_eq!(found(5), None);
        assert_eq!(found(6), None);
        // A number, not the notebook's array.
        assert_eq!(found(7).as_deref(), Some("if n < 3 {"));
        assert_eq!(found(8).as_deref(), Some("let m = n;"));
    }

    #[test]
    fn heads_of_device_functions() {
        let view = "an argument of a `#[kernel]` function must be a view of an array, `View<f32>` or `ViewMut<f32>`";
        let types = "an argument of a `#[vectorize]` function must have one of the types bool, i8, u8";
        let result = "the result of a `#[vectorize]` function must have one of the types bool, i8, u8";
        let of_syntax = "expected something";
        let mut differing = Vec::new();
        for (message, cell, expected) in [
            (
                view,
                "#[kernel]\nfn k(x: DeviceArray<f32>, mut out: DeviceArray<f32>) {\n    out[0] = x[0];\n}",
                "fn k(x: View<f32>, mut out: ViewMut<f32>) {",
            ),
            (
                view,
                "#[kernel]\nfn k(x: &DeviceArray<f32>, out: &DeviceArray<f32>) {\n    out[0] += x[0];\n}",
                "fn k(x: View<f32>, mut out: ViewMut<f32>) {",
            ),
            (view, "#[kernel]\nfn k(x: View<f32>, n: int) {\n}", "fn k(x: View<f32>, n: i64) {"),
            (types, "#[vectorize]\nfn f(x: float) -> float {\n    x * 2.0\n}", "fn f(x: f64) -> f64 {"),
            (result, "#[vectorize]\nfn f(x: f64) -> int {\n    x as i64\n}", "fn f(x: f64) -> i64 {"),
            (types, "#[vectorize]\nfn f(x: float32) -> float32 {\n    x\n}", "fn f(x: f32) -> f32 {"),
            (
                of_syntax,
                "@cuda.jit\ndef k(x, counts):\n    cuda.atomic.add(counts, int(x[0]), 1)",
                "fn k(x: View<f64>, mut counts: ViewMut<i64>) {",
            ),
            (
                of_syntax,
                "@cuda.jit\ndef k(x, total):\n    cuda.atomic.add(total, 0, x[0])",
                "fn k(x: View<f64>, mut total: ViewMut<f64>) {",
            ),
            (of_syntax, "@cuda.jit\ndef k(x):\n    x[0] = 1\nk[1, 1](i)", "fn k(mut x: ViewMut<i64>) {"),
            (
                of_syntax,
                "@cuda.jit\ndef k(x):\n    x[0] = 1\nw = np.zeros(3, dtype=np.int32)\nk[1, 1](w)",
                "fn k(mut x: ViewMut<i32>) {",
            ),
            (
                of_syntax,
                "@jit.rawkernel()\ndef k(x, size):\n    for j in range(jit.grid(1), size, 4):\n        x[j] = 0\nk((1,), (4,), (i, 8))",
                "fn k(mut x: ViewMut<i64>, size: usize) {",
            ),
            (
                of_syntax,
                "@cuda.jit\ndef k(x, out):\n    j = cuda.grid(1)\n    if j < x.shape[0]:\n        cuda.atomic.add(out, 0, 1)",
                "fn k(x: View<f64>, mut out: ViewMut<i64>) {",
            ),
            (of_syntax, "@cuda.jit\ndef k(x):\n    x[0, 1] += 1", "fn k(mut x: ViewMut<f64>) {"),
        ] {
            let faults = [(if message == of_syntax { None } else { Some("E0277") }, message)];
            let head = cell.lines().nth(1).unwrap();
            let found = of_line(head, &Known::of_line(&faults, cell, 2, &type_of));
            if found.as_deref() != Some(expected) {
                differing.push(format!("{cell}: {found:?}, not {expected}"));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}
