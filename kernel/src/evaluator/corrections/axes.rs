//! How many axes an array has, as far as the text of the notebook shows it: its type does not say it. A number has none.

use super::known::Known;
use super::layout::with_joined_lines;
use super::line::{Line, LineTokenKind, is_integer, is_name};
use super::named::{REDUCTIONS, sorted_out, value_of};
use super::operators::is_list;
use super::values::{declared, declared_beside, listed_value, operands, statements, without_parentheses};
use crate::evaluator::elements;
use crate::syntax::list_has;
use std::collections::BTreeMap;

/// How many variables may lead to one another.
const DEPTH: usize = 10;

/// What has the axes of its first argument, or of the array that it is called on.
const SAME: &str = "\
    abs absolute exp exp2 expm1 log log2 log10 log1p sqrt cbrt square sin cos tan asin acos atan arcsin arccos arctan sinh cosh tanh \
    floor ceil round trunc rint sign negative reciprocal degrees radians deg2rad rad2deg real imag conj conjugate angle isnan isfinite \
    isinf is_nan is_finite is_inf logical_not nan_to_num clip pow powi powf power astype copy clone sort flip flipud fliplr rot90 roll \
    pad t T transpose permute_dims swapaxes moveaxis zeros_like ones_like full_like empty_like asarray ascontiguousarray diff gradient \
    fft ifft fftshift sigmoid relu eq ne lt le gt ge add subtract multiply divide true_divide floor_divide modulo mod remainder fmod \
    maximum minimum fmax fmin hypot arctan2 atan2 logaddexp logical_and logical_or logical_xor bitwise_and bitwise_or where where_ \
    take_along_axis cov corrcoef tril triu pinv inv interp isin digitize";

/// What has one axis.
const ONE: &str = "\
    arange linspace logspace geomspace bincount ravel flatten flatnonzero unique convolve correlate fftfreq rfftfreq hanning hamming \
    blackman extract compress intersect1d union1d setdiff1d ediff1d permutation polyfit polyder polyint roots eigvals eigvalsh";

/// What has two.
const TWO: &str = "eye identity outer column_stack vander cholesky tri";

/// What makes an array of the shape that its last argument is, or the first one.
const OF_FIRST: &str = "zeros ones empty full random";
const OF_LAST: &str = "normal uniform integers randint random_sample standard_normal choice broadcast_to reshape";

/// How many axes an expression has, if its text shows it.
pub fn axes_of(expression: &str, known: &Known<'_>) -> Option<usize> {
    at_depth(expression, known, DEPTH)
}

fn at_depth(expression: &str, known: &Known<'_>, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let expression = expression.trim().trim_end_matches(';').trim_start_matches(['&', '*', '!', '~']).trim();
    let expression = without_parentheses(expression);
    if is_name(expression) {
        return of_variable(expression, known, depth);
    }
    let line = Line::new(expression);
    let parts = operands(&line)?;
    if let [part] = parts[..] {
        return (part == (0, line.len() - 1)).then(|| of_operand(&line, known, depth))?;
    }
    let mut all = parts.iter().map(|part| at_depth(line.part(*part), known, depth));
    let first = all.next()??;
    let signs = parts.windows(2).map(|pair| line.at(pair[0].1 + 1));
    signs.zip(all).try_fold(first, |left, (sign, right)| match sign {
        "@" => product(left, right?),
        // The sides of an operator are broadcast.
        _ => Some(left.max(right?)),
    })
}

/// The axes of a product of matrices and vectors.
fn product(left: usize, right: usize) -> Option<usize> {
    match (left, right) {
        (1.., 1) => Some(left - 1),
        (1, 2..) => Some(right - 1),
        (2.., 2..) => Some(left.max(right)),
        _ => None,
    }
}

fn of_variable(name: &str, known: &Known<'_>, depth: usize) -> Option<usize> {
    if let Some(axes) = of_loop(name, known, depth) {
        return axes;
    }
    if let Some(value) = declared(name, known.cell) {
        return at_depth(value, known, depth);
    }
    if let Some((place, count, value)) = declared_beside(name, known.cell) {
        return of_several(place, count, value, known, depth);
    }
    let type_name = known.variable(name)?;
    let is_number = elements::is_integer(&type_name) || matches!(&*type_name, "usize" | "f64" | "f32" | "bool");
    if is_number { Some(0) } else { (known.axes)(name) }
}

/// The axes of what a loop goes through: `for row in grid`. Nothing in it if they are unknown.
fn of_loop(name: &str, known: &Known<'_>, depth: usize) -> Option<Option<usize>> {
    known.cell.lines().find_map(|text| {
        let (names, over) = text.trim_start().strip_prefix("for ")?.split_once(" in ")?;
        let over = over.trim().trim_end_matches([':', '{']).trim();
        let names = Line::new(names);
        let at = names.find(name).next()?;
        let below = |array: &str| Some(at_depth(array, known, depth)?.checked_sub(1));
        Some(if names.len() > 1 {
            let array = over.strip_prefix("enumerate(").and_then(|rest| rest.strip_suffix(')'));
            // The first name is that of the place.
            if at == 0 || names.at(0) == "(" && at == 1 {
                array.map(|_| 0)
            } else {
                array.and_then(|array| below(array)?)
            }
        } else if over.starts_with("range(") || over.contains("..") || over.ends_with(".tolist()") {
            Some(0)
        } else {
            below(over).flatten()
        })
    })
}

/// The axes of one of several values: `x, y = np.meshgrid(a, b)`, `rows, columns = m.shape`.
fn of_several(place: usize, count: usize, value: &str, known: &Known<'_>, depth: usize) -> Option<usize> {
    if let Some(own) = listed_value(place, count, value) {
        return at_depth(&own, known, depth);
    }
    let line = Line::new(without_parentheses(value));
    if line.text.ends_with(".shape") || line.text.ends_with(".shape()") {
        return Some(0);
    }
    let open =
        line.find("(").find(|open| line.closing(*open) == Some(line.last())).or_else(|| line.find("[").next())?;
    let arguments = line.arguments(open)?;
    let first = || at_depth(arguments.first()?, known, depth);
    match line.before(open, 1) {
        "meshgrid" | "mgrid" | "ogrid" => Some(count),
        "unique" | "nonzero" | "where" | "histogram" => Some(1),
        "split" | "array_split" | "hsplit" | "vsplit" | "gradient" | "modf" => first(),
        "eigh" | "eig" | "qr" => Some(if place == 0 && line.before(open, 1) != "qr" { 1 } else { 2 }),
        "svd" => Some(if place == 1 { 1 } else { 2 }),
        _ => None,
    }
}

/// The axes of an operand: of a number, a variable or a call, and what is called on it.
fn of_operand(line: &Line, known: &Known<'_>, depth: usize) -> Option<usize> {
    let start = (0..line.len()).find(|at| !matches!(line.at(*at), "-" | "&" | "!" | "~" | "*"))?;
    let (mut axes, mut at) = match line.at(start) {
        "(" => (at_depth(line.slice(start, line.closing(start)?), known, depth)?, line.closing(start)? + 1),
        "[" => {
            let close = line.closing(start)?;
            let list = line.slice(start, close);
            (is_list(list).then(|| of_list(list))?, close + 1)
        }
        _ if line.kind(start) == Some(LineTokenKind::Number) => (0, start + 1),
        "gpu" | "np" | "numpy" | "cp" | "cupy" => {
            let mut last = start;
            while matches!(line.at(last + 1), "." | "::") && line.is_word(last + 2) {
                last += 2;
            }
            let open = (last + 1..line.len()).find(|at| line.at(*at) == "(" || line.at(*at) == "[")?;
            (of_call(line.at(last), None, &line.arguments(open)?, known, depth)?, line.closing(open)? + 1)
        }
        name if line.is_word(start) && line.len() > start + 1 && !matches!(line.at(start + 1), "(" | "!" | "::") => {
            (of_variable(name, known, depth)?, start + 1)
        }
        _ => return None,
    };
    while at < line.len() {
        match line.at(at) {
            "." if line.is_word(at + 1) => {
                let open = (at + 2..line.len()).find(|open| line.at(*open) == "(");
                let open = open.filter(|open| *open == at + 2 || line.at(at + 2) == "::");
                let arguments = match open {
                    Some(open) => line.arguments(open)?,
                    None => Vec::new(),
                };
                axes = of_call(line.at(at + 1), Some(axes), &arguments, known, depth)?;
                at = open.map_or(Some(at + 2), |open| line.closing(open).map(|close| close + 1))?;
            }
            "[" => {
                axes = of_parts(axes, &line.arguments(at)?, known, depth)?;
                at = line.closing(at)? + 1;
            }
            _ => return None,
        }
    }
    Some(axes)
}

/// The axes of a list of numbers: `[[1, 2], [3, 4]]`.
fn of_list(list: &str) -> usize {
    let list = list.trim_start_matches('&');
    list.len() - list.trim_start_matches(['[', '(']).len()
}

/// The axes of what a function or a method gives. `of` has those of the array that it is called on.
fn of_call(name: &str, of: Option<usize>, arguments: &[&str], known: &Known<'_>, depth: usize) -> Option<usize> {
    let (values, named) = sorted_out(arguments);
    // The array, and the arguments behind it.
    let (first, rest) = match of {
        Some(axes) => (Some(axes), &values[..]),
        None => (values.first().and_then(|first| at_depth(first, known, depth)), values.get(1..).unwrap_or_default()),
    };
    let listed =
        || values.first().map(|first| first.trim_start_matches('&')).filter(|first| first.starts_with(['[', '(']));
    let of_first_listed = || {
        let list = Line::new(listed()?);
        at_depth(list.arguments(0)?.first()?, known, depth)
    };
    let axis = value_of(&named, "axis").or(rest.first().copied());
    if let Some(name) = name.strip_suffix("_axis").filter(|name| REDUCTIONS.contains(name)) {
        return if name.starts_with("cum") { first } else { first?.checked_sub(1) };
    }
    if REDUCTIONS.contains(&name) || matches!(name, "norm" | "average" | "count_nonzero" | "nansum" | "nanmean" | "ptp")
    {
        let is_kept = value_of(&named, "keepdims").is_some_and(|kept| kept.eq_ignore_ascii_case("true"));
        return match axis.filter(|axis| *axis != "None") {
            _ if is_kept => first,
            None if name.starts_with("cum") => Some(1),
            None => Some(0),
            Some(_) if name.starts_with("cum") => first,
            Some(axis) if axis.starts_with('(') => first?.checked_sub(Line::new(axis).arguments(0)?.len()),
            Some(_) => first?.checked_sub(1),
        };
    }
    let of_shape = |shape: &str| shape_length(shape, known, depth);
    match name {
        _ if list_has(ONE, name) => Some(1),
        "array" => match values.first().map(|first| first.trim_start_matches('&')) {
            Some(list) if list.contains(" for ") => None,
            Some(list) if list.starts_with('[') => {
                let inner = Line::new(list);
                let head = *inner.arguments(0)?.first()?;
                if head.starts_with('[') { Some(of_list(list)) } else { Some(at_depth(head, known, depth)? + 1) }
            }
            _ => first,
        },
        _ if list_has(OF_FIRST, name) && of.is_none() => of_shape(values.first()?),
        "reshape" if of.is_some() && values.len() > 1 => Some(values.len()),
        "rand" | "randn" => Some(values.len()),
        _ if list_has(OF_LAST, name) => of_shape(value_of(&named, "size").or(values.last().copied())?),
        "len" | "shape" | "size" | "ndim" | "get" | "item" | "trace" | "det" => Some(0),
        "percentile" | "quantile" if axis.is_none_or(|q| q.starts_with(['(', '['])) && named.is_empty() => {
            let q = rest.first()?.trim_start_matches('&');
            Some(usize::from(q.starts_with(['(', '[']) || q.starts_with("gpu::array(")))
        }
        "mgrid" | "indices" => None,
        "stack" => Some(of_first_listed()? + 1),
        "vstack" => Some(of_first_listed()?.max(2)),
        "concatenate" | "hstack" => of_first_listed(),
        "matmul" => product(first?, at_depth(rest.first()?, known, depth)?),
        "dot" => match (first?, at_depth(rest.first()?, known, depth)?) {
            (0, other) | (other, 0) => Some(other),
            (one, other) => (one + other).checked_sub(2),
        },
        "solve" => at_depth(rest.first()?, known, depth),
        "expand_dims" => Some(first? + 1),
        "diag" => match first? {
            1 => Some(2),
            2 => Some(1),
            _ => None,
        },
        "tile" => {
            let times = rest.first()?;
            let count = if times.starts_with(['(', '[']) { Line::new(times).arguments(0)?.len() } else { 1 };
            Some(first?.max(count))
        }
        "repeat" | "argsort" | "argpartition" | "partition" => first,
        "take_axis" => Some(first? + at_depth(rest.first()?, known, depth)? - 1),
        "slice" => {
            let parts = Line::new(rest.first()?);
            let open = parts.find("[").next().filter(|open| parts.before(*open, 1) == "!")?;
            of_parts(first?, &parts.arguments(open)?, known, depth)
        }
        _ if list_has(TWO, name) => Some(2),
        "where" | "nonzero" if of.is_none() && rest.is_empty() => None,
        _ if list_has(SAME, name) => {
            // Of two arrays the larger one counts.
            let others = rest.iter().filter_map(|value| at_depth(value, known, depth));
            Some(others.fold(first?, usize::max))
        }
        _ => None,
    }
}

/// How many lengths a shape has.
fn shape_length(shape: &str, known: &Known<'_>, depth: usize) -> Option<usize> {
    let shape = shape.trim_start_matches('&');
    let line = Line::new(shape);
    if matches!(line.at(0), "(" | "[") && line.closing(0) == line.len().checked_sub(1) {
        let lengths = line.arguments(0)?;
        return Some(lengths.iter().filter(|length| !length.is_empty()).count());
    }
    if let Some(array) = shape.trim_end_matches("()").strip_suffix(".shape") {
        return at_depth(array, known, depth);
    }
    if is_integer(shape) || at_depth(shape, known, depth) == Some(0) {
        return Some(1);
    }
    // `shape = (3, 4)`
    is_name(shape).then(|| shape_length(declared(shape, known.cell)?, known, depth))?
}

/// The axes of a part of an array.
fn of_parts(axes: usize, parts: &[&str], known: &Known<'_>, depth: usize) -> Option<usize> {
    let (mut left, mut has_array) = (axes, false);
    for part in parts {
        let line = Line::new(part);
        let is_slice = (0..line.len()).any(|at| matches!(line.at(at), ":" | "..")) && !part.starts_with(['[', '(']);
        match *part {
            "NewAxis" | "None" => left += 1,
            part if part.ends_with("newaxis") => left += 1,
            "..." | "Ellipsis" => {}
            _ if is_slice => {}
            part => {
                let is_mask = known.type_of(part).is_some_and(|name| name.contains("DeviceArray<bool>"));
                let of_part = at_depth(part, known, depth)?;
                match of_part {
                    0 => left = left.checked_sub(1)?,
                    _ if is_mask => left = (left + 1).checked_sub(of_part)?,
                    // Several arrays lead to one axis together.
                    _ if has_array => left = left.checked_sub(1)?,
                    _ => left = left + of_part - 1,
                }
                has_array |= of_part > 0 && !is_mask;
            }
        }
    }
    Some(left)
}

/// The axes of the notebook's variables.
#[derive(Default)]
pub struct Axes(BTreeMap<String, usize>);

impl Axes {
    /// How many axes a variable has, if its cell shows it.
    pub fn of(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// Reads the text of a cell that has run.
    pub fn learn(&mut self, cell: &str, type_of: &dyn Fn(&str) -> Option<String>) {
        for text in with_joined_lines(cell).lines().flat_map(statements) {
            let target = text.strip_prefix("let ").unwrap_or(text).split_once('=').map_or("", |(target, _)| target);
            let target = target.split(':').next().unwrap_or_default();
            let is_part = |character: char| matches!(character, '(' | ')' | '[' | ']' | ',' | ' ');
            let is_plain = |name: &&str| is_name(name) && *name != "mut";
            let names: Vec<&str> = target.split(is_part).filter(is_plain).collect();
            let is_target = target.split(is_part).all(|part| part.is_empty() || is_name(part));
            for name in names.iter().filter(|_| is_target) {
                let value = text.split_once('=').map_or("", |(_, value)| value.trim());
                let axes = {
                    let of = |name: &str| self.of(name);
                    let known = Known { axes: &of, ..Known::of_line(&[], "", 1, type_of) };
                    match names.len() {
                        1 => axes_of(value, &known),
                        count => {
                            let place = names.iter().position(|one| one == name).unwrap_or_default();
                            of_several(place, count, value.trim_end_matches(';'), &known, DEPTH)
                        }
                    }
                };
                match axes {
                    Some(axes) => drop(self.0.insert((*name).to_owned(), axes)),
                    None => drop(self.0.remove(*name)),
                }
            }
        }
    }

    /// Forgets all, as `:clear` does.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::type_of;
    use super::*;

    fn axes(name: &str) -> Option<usize> {
        match name {
            "m" => Some(2),
            "a" | "i" | "mask" => Some(1),
            _ => None,
        }
    }

    #[test]
    fn the_axes_of_expressions_are_known() {
        let cell = "e = np.sin(np.arange(20)).reshape(5, 4)\nx, y = np.meshgrid(a, a)\nrows, columns = m.shape\nfor row in m:\nfor k in range(3):";
        let known = Known { axes: &axes, ..Known::of_line(&[], cell, 1, &type_of) };
        for (expression, expected) in [
            ("e", Some(2)),
            ("e.T", Some(2)),
            ("x + y", Some(2)),
            ("rows", Some(0)),
            ("row", Some(1)),
            ("m[k]", Some(1)),
            ("m[k, 0]", Some(0)),
            ("np.ones((5, 3))", Some(2)),
            ("np.zeros(rows)", Some(1)),
            ("np.zeros(m.shape)", Some(2)),
            ("np.array([[1, 2], [3, 4]])", Some(2)),
            ("gpu::array(&[1, 2])", Some(1)),
            ("np.arange(3)", Some(1)),
            ("m - m.mean(axis=0)", Some(2)),
            ("m.sum(axis=1)", Some(1)),
            ("m.sum_axis(1)", Some(1)),
            ("m.sum(axis=1, keepdims=True)", Some(2)),
            ("m.sum()", Some(0)),
            ("m[1:3]", Some(2)),
            ("m[0]", Some(1)),
            ("m[:, None]", Some(3)),
            ("m[mask]", Some(2)),
            ("m[m > 2]", Some(1)),
            ("m[i]", Some(2)),
            ("m[i, i]", Some(1)),
            ("m.slice(s![.., 0])", Some(1)),
            ("m @ a", Some(1)),
            ("m @ m.T", Some(2)),
            ("np.vstack((a, a))", Some(2)),
            ("np.stack([m, m])", Some(3)),
            ("gpu::random::normal(0.0, 1.0, (3, 4))", Some(2)),
            ("np.flipud(m)", Some(2)),
            ("np.maximum(a, m)", Some(2)),
            ("a + unknown", None),
            ("f(m)", None),
            ("b", None),
        ] {
            assert_eq!(axes_of(expression, &known), expected, "{expression}");
        }
    }

    #[test]
    fn axes_are_learned_from_cells() {
        let mut axes = Axes::default();
        let of_arrays = |_: &str| Some("DeviceArray<f64>".to_owned());
        axes.learn(
            "let p = gpu::arange(6).reshape((2, 3)); let q = p.sum_axis(0);\nlet (u, w) = gpu::meshgrid(&q, &q);",
            &of_arrays,
        );
        let found = ["p", "q", "u", "w"].map(|name| axes.of(name));
        assert_eq!(found, [Some(2), Some(1), Some(2), Some(2)]);
        axes.learn("let p = p.reshape(-1);\nlet q = unknown(&p);\nlet t = p.slice(s![..;2]);", &of_arrays);
        assert_eq!(["p", "q", "t"].map(|name| axes.of(name)), [Some(1), None, Some(1)]);
        axes.clear();
        assert_eq!(axes.of("p"), None);
    }
}
