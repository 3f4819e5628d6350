//! Parts of arrays in brackets.

use super::arithmetic::numbers_of;
use super::axes::axes_of;
use super::dtypes::Kind;
use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_integer, is_name};
use super::operators::{COMPARISONS, array_of_list, as_argument, as_element, as_object, is_list, is_operand};
use crate::evaluator::elements;

/// The text between the brackets.
enum Index {
    /// Whole numbers.
    Elements(Vec<String>),
    /// Parts along the axes.
    Parts(Vec<String>),
    /// The index of one element, along all axes.
    Place(String),
    /// An array of `bool`.
    Mask(String),
    /// An array of places along the first axis.
    Places(String),
    /// An array of places along another axis.
    Along(String, usize),
    /// Arrays of places along all axes, which lead to one element each.
    Points(Vec<String>),
    /// An array of places along an axis of a part.
    AlongPart(String, usize, Vec<String>),
}

const ASSIGNMENTS: [&str; 5] = ["=", "+=", "-=", "*=", "/="];

/// `a[1:3]`, `m[0, 1]`, `a[mask]`, and assignments to them.
pub fn index(line: &Line, known: &Known<'_>) -> Option<String> {
    // Functions of device code do not compute with arrays.
    if known.device.is_some() {
        return None;
    }
    // The parameters of a kernel are indexed as a `Vec` is.
    if known.says("must be a view of an array") {
        return None;
    }
    line.find("[")
        .filter_map(|open| {
            let close = line.closing(open)?;
            if line.before(open, 1) == "!" && line.before(open, 2) == "s" {
                let parts = parts_of(line, open)?;
                return Some(line.with(open, close, &format!("[{}]", parts.join(", "))));
            }
            if line.before(open, 1) == "s" && line.before(open, 2) != "." && known.says("macro `s`") {
                return Some(line.with(open, close, &format!("![{}]", parts_of(line, open)?.join(", "))));
            }
            let first = line.operand_before(open).filter(|first| *first < open && line.before(open, 1) != "!")?;
            let is_in_set = line.before(first, 1) == "(" && line.before(first, 3) == "set";
            if is_in_set {
                return None;
            }
            let base = line.slice(first, open - 1);
            // `properties["prominences"]` of `find_peaks`
            let word = line.slice(open + 1, close - 1).trim_matches(['"', '\'']);
            if known.says("cannot index into a value of type `PeakProperties`") && is_name(word) {
                return Some(line.with(first, close, &format!("{base}.{word}")));
            }
            let type_name = known.type_of(base).unwrap_or_default();
            // `gpu::load_npz("run.npz")["losses"]`
            let is_archive = type_name.ends_with("Npz") || base.starts_with("gpu::load_npz(");
            if is_archive && line.at(open + 1).starts_with(['"', '\'']) {
                return Some(line.with(first, close, &format!("{base}.get::<f64>(\"{word}\")")));
            }
            let is_array = type_name.contains(ARRAY)
                || known.is_sparse(base)
                || ["`", "`&", "`&mut "]
                    .iter()
                    .any(|by| known.says(&format!("cannot index into a value of type {by}{ARRAY}")));
            if is_array || is_of_call(line, first, open, base, known) {
                return array_index(line, first, open, base, known);
            }
            let parts = parts_of(line, open)?;
            if known.is_host_array(base) && line.at(open + 1) == "[" {
                return None;
            }
            if known.is_host_array(base) {
                let is_slice = parts.iter().any(|part| part.contains(".."));
                // The compiler does not know the number of axes of such an array.
                let by = if type_name.contains("IxDyn") || type_name.contains("ArrayD<") { ".as_ref()" } else { "" };
                let new = if is_slice {
                    // A later cell cannot use a part that is only borrowed.
                    let is_kept = line.at(0) == "let" && close == line.last();
                    let owned = if is_kept { ".to_owned()" } else { "" };
                    format!("{base}.slice(s![{}]{by}){owned}", parts.join(", "))
                } else {
                    format!("{base}[[{}]]", parts.join(", "))
                };
                return Some(line.with(first, close, &new));
            }
            match parts.as_slice() {
                [part] if !part.contains(';') && known.says("negative integers cannot be used to index") => {
                    let from_end = part.strip_prefix('-').filter(|rest| is_integer(rest))?;
                    Some(line.with(open, close, &format!("[{base}.len() - {from_end}]")))
                }
                [part] if part.contains("..") && !part.contains(';') => {
                    // A range counts from the end only in arrays, and a part of a `Vec` is used by reference.
                    let (from, to) = part.split_once("..")?;
                    let place = |text: &str| {
                        text.strip_prefix('-').map_or(text.to_owned(), |rest| format!("{base}.len() - {rest}"))
                    };
                    let is_argument = matches!(line.at(close + 1), ")" | ",");
                    let is_moved = (close + 1 >= line.len() || is_argument) && line.before(first, 1) != "&";
                    let by = if is_moved { "&" } else { "" };
                    Some(line.with(first, close, &format!("{by}{base}[{}..{}]", place(from), place(to))))
                }
                _ => None,
            }
        })
        .find(|new| *new != line.text)
}

/// `a.argsort()[::-1]`: what a function of an array gives, with a part in Python's form.
fn is_of_call(line: &Line, first: usize, open: usize, base: &str, known: &Known<'_>) -> bool {
    let is_part = parts_of(line, open).is_some_and(|parts| parts.iter().any(|part| part.contains("..")));
    let is_of_array = known.is_array(line.at(first)) || base.starts_with("gpu::");
    known.is_syntax() && is_part && is_of_array && base.ends_with(')')
}

fn array_index(line: &Line, first: usize, open: usize, base: &str, known: &Known<'_>) -> Option<String> {
    if let Some(new) = of_ellipsis(line, first, open, base, known)? {
        return Some(new);
    }
    let (mut index, mut close) = (index_of(line, open, known)?, line.closing(open)?);
    // `m[0][1]`
    while let (Index::Elements(numbers), "[") = (&mut index, line.at(close + 1)) {
        let Index::Elements(more) = index_of(line, close + 1, known)? else { break };
        numbers.extend(more);
        close = line.closing(close + 1)?;
    }
    let sign = line.at(close + 1);
    if let Index::Elements(numbers) = &mut index {
        for number in numbers.iter_mut().filter(|number| is_name(number)) {
            if known.type_of(number).is_some_and(|name| elements::is_integer(&name)) {
                *number += " as usize";
            }
        }
    }
    if (first == 0 || matches!(line.before(first, 1), "{" | ";")) && ASSIGNMENTS.contains(&sign) {
        let end = (close + 2..line.len()).find(|at| matches!(line.at(*at), ";" | "}")).unwrap_or(line.len());
        let value = line.slice(close + 2, end - 1);
        let parts = match index {
            Index::Elements(parts) | Index::Parts(parts) => {
                parts.iter().map(|part| as_argument(part, known)).collect::<Vec<_>>().join(", ")
            }
            Index::Mask(array) | Index::Places(array) => array,
            Index::Place(_) => return None,
            Index::Along(array, axis) => format!("{}{array}", ".., ".repeat(axis)),
            Index::Points(places) => places.join(", "),
            Index::AlongPart(places, axis, mut parts) => {
                let at = parts.iter().enumerate().filter(|(_, part)| part.contains("..")).nth(axis)?.0;
                parts[at] = places;
                parts.join(", ")
            }
        };
        let as_element = known
            .element_of(base)
            .filter(|element| element.starts_with('f') && is_whole(value, known))
            .map(|element| format!("{} as {element}", as_object(value)));
        let value = as_element.as_deref().unwrap_or(value);
        let of_floats = known.element_of(base).is_some_and(|element| element.starts_with('f'));
        let listed = is_list(value).then(|| array_of_list(value, of_floats)[1..].to_owned());
        let value = listed.as_deref().unwrap_or(value);
        let value = if value.starts_with('[') { &format!("gpu::array(&{value})") } else { value };
        let value = &if value.starts_with("gpu::array(") { format!("&{value}") } else { value.to_owned() };
        let last = if line.at(end) == ";" { end } else { end - 1 };
        let value = if is_operand(value) { as_argument(value, known) } else { value.to_owned() };
        // The macro takes a name, also that of a field.
        let base_line = Line::new(base);
        let is_path = (0..base_line.len()).all(|at| base_line.is_word(at) || base_line.at(at) == ".");
        let new = if is_path {
            format!("gpu::set!({base}[{parts}] {sign} {value});")
        } else {
            let base = self::index(&base_line, known).unwrap_or_else(|| base.to_owned());
            format!("{{ let part = &{base}; gpu::set!(part[{parts}] {sign} {value}); }}")
        };
        return Some(line.with(first, last, &new));
    }
    let new = match index {
        // `m[0]` is a row, if `m` has more axes.
        Index::Elements(numbers) if is_row(base, numbers.len(), known) => {
            format!("{base}.slice(s![{}])", numbers.join(", ").replace(" as usize", " as isize"))
        }
        Index::Elements(numbers) if numbers.len() == 1 && known.rows && axes_of(base, known).is_none() => {
            format!("{base}.slice(s![{}])", numbers[0])
        }
        Index::Elements(numbers) if numbers.iter().any(|number| number.starts_with('-')) => {
            format!("{base}.slice(s![{}]).item()", numbers.join(", "))
        }
        Index::Elements(numbers) => format!("{base}.get(&[{}])", numbers.join(", ")),
        Index::Parts(parts) => format!("{base}.slice(s![{}])", parts.join(", ")),
        Index::Place(place) => format!("{base}.get(&{place})"),
        Index::Mask(mask) => format!("{base}.extract({mask})"),
        Index::Places(places) => format!("{base}.take_axis({places}, 0)"),
        Index::Along(places, axis) => format!("{base}.take_axis({places}, {axis})"),
        Index::Points(places) => {
            format!("{base}.take(&gpu::ravel_multi_index([{}], {base}.shape()))", places.join(", "))
        }
        Index::AlongPart(places, axis, parts) => {
            format!("{base}.slice(s![{}]).take_axis({places}, {axis})", parts.join(", "))
        }
    };
    Some(line.with(first, close, &new))
}

/// `m[np.ix_(rows, columns)]`: the places along each axis for themselves.
pub fn crossed(line: &Line, known: &Known<'_>) -> Option<String> {
    line.find("ix_").find_map(|at| {
        let (open, name) = (at.checked_sub(3)?, at + 1);
        let close = line.closing(name).filter(|_| line.at(open) == "[" && line.at(name) == "(")?;
        let first = line.operand_before(open).filter(|_| line.closing(open) == Some(close + 1))?;
        if ASSIGNMENTS.contains(&line.at(close + 2)) {
            return None;
        }
        let places = line.arguments(name)?.into_iter().enumerate().map(|(axis, places)| {
            let places = if is_list(places) { array_of_list(places, false) } else { as_argument(places, known) };
            format!(".take_axis({places}, {axis})")
        });
        Some(line.with(first, close + 1, &format!("{}{}", line.slice(first, open - 1), places.collect::<String>())))
    })
}

/// Whether so many numbers between the brackets lead to more than one element.
fn is_row(base: &str, numbers: usize, known: &Known<'_>) -> bool {
    axes_of(base, known).is_some_and(|axes| axes > numbers)
}

/// `c[..., 2]`, `c[..., None]`: what three dots stand for depends on the number of axes, which a type does not show. `None` if
/// this cannot be written, and nothing in it if there are no dots, or none that matter.
fn of_ellipsis(line: &Line, first: usize, open: usize, base: &str, known: &Known<'_>) -> Option<Option<String>> {
    let is_dots = |part: &str| matches!(part, "..." | "Ellipsis");
    let (parts, close) = (line.arguments(open)?, line.closing(open)?);
    let Some(at) = parts.iter().position(|part| is_dots(part)) else { return Some(None) };
    let is_new = |part: &&str| *part == "None" || part.ends_with("newaxis");
    let (before, behind) = (&parts[..at], &parts[at + 1..]);
    let axes =
        || axes_of(base, known)?.checked_sub(parts.iter().filter(|part| !is_new(part) && !is_dots(part)).count());
    if behind.is_empty() && !before.is_empty() {
        // The axes that are left out are whole.
        if ASSIGNMENTS.contains(&line.at(close + 1)) {
            return Some(Some(line.with(open, close, &format!("[{}, :]", before.join(", ")))));
        }
        let parts = parts_of(line, open)?;
        let parts = parts[..before.len()].join(", ");
        return Some(Some(line.with(first, close, &format!("{base}.slice(s![{parts}])"))));
    }
    if behind.is_empty() {
        return Some(None);
    }
    if let Some(whole) = axes().filter(|whole| *whole > 0) {
        let all = before.iter().copied().chain(std::iter::repeat_n(":", whole)).chain(behind.iter().copied());
        return Some(Some(line.with(open, close, &format!("[{}]", all.collect::<Vec<_>>().join(", ")))));
    }
    if !before.is_empty() || ASSIGNMENTS.contains(&line.at(close + 1)) {
        return None;
    }
    // New axes, from the last one.
    if behind.iter().all(|part| is_new(part) || *part == ":") {
        let places = (1..=behind.len()).rev().filter(|back| is_new(&behind[behind.len() - back]));
        let mut places: Vec<usize> = places.collect();
        places.reverse();
        let new: String = places.iter().map(|back| format!(".expand_dims(-{back})")).collect();
        return Some(Some(line.with(first, close, &format!("{base}{new}"))));
    }
    let [place] = behind else { return None };
    let is_place = is_integer(&place.replace("- ", "-"))
        || numbers_of(place, known).is_some_and(|numbers| numbers.is_whole() && !numbers.is_array);
    let taken = match place.split_once(':') {
        Some((from, to))
            if !from.is_empty()
                && !to.is_empty()
                && !to.contains(':')
                && !from.starts_with('-')
                && !to.starts_with('-') =>
        {
            format!("&gpu::arange({from}..{to})")
        }
        None if is_place => (*place).to_owned(),
        _ => return None,
    };
    Some(Some(line.with(first, close, &format!("gpu::take!(&{base}, {taken}, axis = -1)"))))
}

/// Whether an expression has integers only, and a variable among them.
fn is_whole(value: &str, known: &Known<'_>) -> bool {
    let line = Line::new(value);
    let names = || (0..line.len()).filter(|at| line.is_word(*at) && line.before(*at, 1) != ".");
    names().next().is_some()
        && names().all(|at| known.is_integer(line.at(at)))
        && !(0..line.len()).any(|at| line.kind(at) == Some(LineTokenKind::Number) && line.at(at).contains('.'))
}

fn index_of(line: &Line, open: usize, known: &Known<'_>) -> Option<Index> {
    let parts = line.parts(open, ",")?;
    // `m[(0, 1)]` is `m[0, 1]`
    if line.at(open + 1) == "("
        && line.closing(open + 1) == line.closing(open)?.checked_sub(1)
        && line.parts(open + 1, ",").is_some_and(|inner| inner.len() > 1)
    {
        return index_of(line, open + 1, known);
    }
    // `for index in np.ndindex(m.shape):`, `m[index]`
    if let [(first, last)] = parts[..]
        && first == last
        && [format!("for {} in ", line.at(first)), format!("for ({}, ", line.at(first))].iter().any(|head| {
            known.cell.lines().any(|line| {
                line.trim_start().starts_with(head) && (line.contains("ndindex(") || line.contains("ndenumerate("))
            })
        })
    {
        return Some(Index::Place(line.at(first).to_owned()));
    }
    // `p = (1, 2)`, `m[p]`
    if let [(first, last)] = parts[..]
        && first == last
        && let Some(types) = known.variable(line.at(first)).filter(|name| name.starts_with('(') && !name.contains('<'))
    {
        let name = line.at(first);
        let count = types.split(',').filter(|one| !one.trim_matches([' ', ')']).is_empty()).count();
        return Some(Index::Elements((0..count).map(|at| format!("{name}.{at} as usize")).collect()));
    }
    if let [(first, last)] = parts.as_slice() {
        let text = line.part((*first, *last));
        let is_comparison = (*first..=*last).any(|at| COMPARISONS.iter().any(|(sign, _)| *sign == line.at(at)));
        let type_name = known.type_of(text).unwrap_or_default();
        // Another rule turns comparisons of arrays into methods. Then the brackets are not needed.
        let method = (*first..=*last)
            .any(|at| COMPARISONS.iter().any(|(_, method)| *method == line.at(at)) && line.at(at + 1) == "(");
        if is_comparison {
            return None;
        }
        if let Some(index) = of_places(text, known) {
            return Some(index);
        }
        if method {
            return Some(Index::Mask(format!("&{text}")));
        }
        let is_mask = || numbers_of(text, known).is_some_and(|numbers| numbers.is_array && numbers.kind == Kind::Bool);
        if type_name.contains("DeviceArray<bool>") || type_name.contains(ARRAY) && is_mask() {
            return Some(Index::Mask(as_argument(text, known)));
        }
        if type_name.contains(ARRAY) {
            return Some(Index::Places(as_argument(text, known)));
        }
        if text.starts_with('[') {
            return Some(Index::Places(format!("&gpu::array(&{text})")));
        }
    }
    let parts = parts_of(line, open)?;
    if let Some((last, before)) = parts.split_last()
        && known.is_array(last)
        && !known.type_of(last).is_some_and(|name| name.contains("DeviceArray<bool>"))
        && before.iter().all(|part| part == "..")
    {
        return Some(Index::Along(as_argument(last, known), before.len()));
    }
    // `m[:, [0, 2]]`
    if let Some((last, before)) = parts.split_last()
        && last.starts_with('[')
        && !before.is_empty()
        && before.iter().all(|part| part == "..")
    {
        return Some(Index::Along(format!("&gpu::array(&{last})"), before.len()));
    }
    if let Some(advanced) = advanced(&parts, known) {
        return Some(advanced);
    }
    let is_part = |part: &String| part.contains("..") || part == "NewAxis";
    Some(if parts.iter().any(is_part) { Index::Parts(parts) } else { Index::Elements(parts) })
}

/// `a[np.where(a > 2)]`, which is `a[a > 2]`, and arrays of places such as `a[np.flatnonzero(a > 2)]`.
fn of_places(text: &str, known: &Known<'_>) -> Option<Index> {
    if let Some(tested) = text.strip_suffix(".nonzero()") {
        let line = Line::new(tested);
        let is_test =
            |at: usize| COMPARISONS.iter().any(|(_, method)| *method == line.at(at)) && line.at(at + 1) == "(";
        let is_mask = known.element_of(tested).is_some_and(|element| element == "bool") || (0..line.len()).any(is_test);
        let mask = if is_mask { tested.to_owned() } else { format!("{tested}.ne({})", as_element("0", tested, known)) };
        return Some(Index::Mask(if is_operand(&mask) { as_argument(&mask, known) } else { format!("&{mask}") }));
    }
    let is_of_places = text.ends_with(".nonzero()[0]")
        || text.ends_with(".flatnonzero()")
        || text.starts_with("gpu::flatnonzero(")
        || text.contains(".argwhere()") && (text.ends_with(".flatten()") || text.ends_with(".ravel()"));
    is_of_places.then(|| Index::Places(format!("&{text}")))
}

/// Arrays of places or of `bool` between the brackets of several axes: `m[i, j]`, `m[mask, :]`, `m[i, 2]`.
fn advanced(parts: &[String], known: &Known<'_>) -> Option<Index> {
    let is_mask = |part: &str| known.type_of(part).is_some_and(|name| name.contains("DeviceArray<bool>"));
    let is_range = |part: &str| part.starts_with("range(") || part.starts_with("(0..");
    let is_array = |part: &&String| part.starts_with('[') || known.is_array(part) || is_range(part);
    let places = |part: &String| {
        if part.starts_with('[') {
            return format!("&gpu::array(&{part})");
        }
        if is_range(part) {
            let end = part.trim_start_matches("range(").trim_start_matches("(0..").trim_end_matches(')');
            return format!("&gpu::arange({end} as i64)");
        }
        let places = as_argument(part, known);
        if is_mask(part) { format!("&gpu::flatnonzero({places})") } else { places }
    };
    let at = parts.iter().position(|part| is_array(&part))?;
    let arrays = parts.iter().filter(is_array).count();
    if arrays == parts.len() && arrays > 1 {
        let all = parts.iter().map(places);
        // Indices of the host and of the device have one type.
        return Some(Index::Points(all.map(|part| with_wide_indices(&part, known)).collect()));
    }
    let is_slice = |part: &String| part.contains("..") && !is_range(part);
    let is_whole = |part: &String| part == "..";
    if arrays != 1 {
        return None;
    }
    let axis = parts[..at].iter().filter(|part| is_slice(part)).count();
    if parts.iter().enumerate().all(|(other, part)| other == at || is_whole(part)) {
        return Some(match at {
            0 => Index::Places(places(&parts[at])),
            _ => Index::Along(places(&parts[at]), at),
        });
    }
    // NumPy puts the axes of an array first, if a slice is between it and a number.
    let is_number = |part: &&String| !is_slice(part);
    let numbers_before = parts[..at].iter().filter(is_number).count();
    if numbers_before > 0 && axis > 0 || parts.iter().any(|part| part == "NewAxis") {
        return None;
    }
    let mut rest = parts.to_vec();
    rest[at] = "..".to_owned();
    Some(Index::AlongPart(places(&parts[at]), axis, rest))
}

/// Indices as `i64`, as those of NumPy's functions are here.
fn with_wide_indices(places: &str, known: &Known<'_>) -> String {
    let is_narrow = known.element_of(places).is_some_and(|element| element != "i64");
    if is_narrow { format!("{places}.astype::<i64>()") } else { places.to_owned() }
}

/// The text between brackets, with Rust's ranges.
fn parts_of(line: &Line, open: usize) -> Option<Vec<String>> {
    line.parts(open, ",")?
        .into_iter()
        .filter(|(first, last)| first <= last)
        .map(|(first, last)| part_of(line, first, last))
        .collect()
}

fn part_of(line: &Line, first: usize, last: usize) -> Option<String> {
    let text = line.slice(first, last);
    if text == "None" || text.ends_with("newaxis") {
        return Some("NewAxis".to_owned());
    }
    if text == "..." || text == "Ellipsis" {
        return Some("..".to_owned());
    }
    if text.is_empty() {
        return None;
    }
    let mut pieces = vec![String::new()];
    let mut at = first;
    while at <= last {
        if line.at(at) == ":" {
            pieces.push(String::new());
        } else {
            let end = if matches!(line.at(at), "(" | "[" | "{") { line.closing(at)?.min(last) } else { at };
            let piece = pieces.last_mut()?;
            if !piece.is_empty() && is_name(line.before(at, 1)) && is_name(line.at(at)) {
                piece.push(' ');
            }
            piece.push_str(line.slice(at, end));
            at = end;
        }
        at += 1;
    }
    match pieces.as_slice() {
        [_] => Some(text.to_owned()),
        [from, to] => Some(format!("{from}..{to}")),
        [from, to, step] if step.is_empty() || step == "1" => Some(format!("{from}..{to}")),
        // With a negative step, Rust's slices take the range first.
        [from, to, step] if step.starts_with('-') && !(from.is_empty() && to.is_empty()) => None,
        [from, to, step] => Some(format!("{from}..{to};{step}")),
        _ => None,
    }
}

/// `m.slice(…) = 5.0`
pub fn assignment(line: &Line, known: &Known<'_>) -> Option<String> {
    // Functions of device code do not compute with arrays.
    if known.device.is_some() {
        return None;
    }
    let sign = line.find("=").next().filter(|sign| *sign > 3 && line.before(*sign, 1) == ")")?;
    let open = line.opening(sign - 1)?;
    let is_slice =
        line.before(open, 1) == "slice" && line.before(open, 2) == "." && line.operand_before(sign) == Some(0);
    let end = line.last();
    if !is_slice || end <= sign {
        return None;
    }
    let (part, value) = (line.slice(0, sign - 1), line.slice(sign + 1, end));
    let by_reference = as_argument(value, known);
    let method = if by_reference.starts_with('&') { "assign" } else { "fill" };
    Some(format!("{part}.{method}({by_reference});"))
}

/// `m.slice(1..3)`
pub fn range(line: &Line, known: &Known<'_>) -> Option<String> {
    // Functions of device code do not compute with arrays.
    if known.device.is_some() {
        return None;
    }
    let is_said = known.says("AsRef<[SliceInfoElem]>") || known.says(": SliceArg<Dim<");
    let at = line.calls(true).find(|at| line.at(*at) == "slice" && is_said)?;
    let (open, close) = (at + 1, line.closing(at + 1)?);
    if line.at(open + 1) == "s" || close == open + 1 {
        return None;
    }
    let parts = match line.at(open + 1) {
        "(" | "[" if line.closing(open + 1) == Some(close - 1) => parts_of(line, open + 1)?,
        _ => parts_of(line, open)?,
    };
    Some(line.with(open, close, &format!("(s![{}])", parts.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::super::tests::corrected;

    #[test]
    fn places_of_what_is_true() {
        for (typed, expected) in [
            ("a[np.where(a > 2)]", "a.extract(&a.gt(2))"),
            ("m[np.where(mask)]", "m.extract(&mask)"),
            ("a[np.nonzero(a)]", "a.extract(&a.ne(0.0))"),
            ("a[np.where(a > 2)[0]]", "a.take_axis(&a.gt(2).nonzero()[0], 0)"),
            ("a[np.flatnonzero(a > 2)]", "a.take_axis(&a.gt(2).flatnonzero(), 0)"),
            ("a[np.argwhere(a > 2).flatten()]", "a.take_axis(&a.gt(2).argwhere().flatten(), 0)"),
            ("a[np.where(a > 2)] = 0", "gpu::set!(a[&a.gt(2)] = 0);"),
            ("a[np.where((a > 0) & (a < 5))]", "a.extract(&(a.gt(0) & a.lt(5)))"),
            ("np.histogram(a, bins=4)[0]", "gpu::histogram!(&a, bins = 4)[0]"),
            ("np.unique(i, return_counts=True)[1]", "gpu::unique!(&i, return_counts = true)[1]"),
            ("np.meshgrid(a, b, indexing='ij')[1]", "gpu::meshgrid!(&a, &b, indexing = \"ij\")[1]"),
            ("ndimage.label(mask)[0]", "gpu::ndimage::label(&mask)[0]"),
            ("signal.find_peaks(a)[0]", "gpu::signal::find_peaks(&a)[0]"),
            ("np.triu_indices(3)[0]", "gpu::triu_indices(3)[0]"),
        ] {
            assert_eq!(corrected(typed).as_deref(), Some(expected), "{typed}");
        }
    }
}
