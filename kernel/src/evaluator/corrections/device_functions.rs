//! Functions of device code: which lines of a cell belong to one, as attributes and Python's decorators say.

use super::line::Line;
use super::uses;
use crate::syntax::{is_word, list_has};

/// What a function of device code computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFunction {
    /// `#[kernel]`: views of arrays.
    Kernel,
    /// `#[vectorize]` or `#[device]`: numbers.
    OfNumbers,
}

impl DeviceFunction {
    /// The kind of function that an attribute or a decorator begins.
    pub fn of_attribute(text: &str) -> Option<DeviceFunction> {
        if let Some(attribute) = text.strip_prefix("#[") {
            let path = ["gpu::", "warpcell::"].iter().find_map(|path| attribute.strip_prefix(path));
            return match path.unwrap_or(attribute).split(|next| !is_word(next)).next()? {
                "kernel" => Some(DeviceFunction::Kernel),
                "vectorize" | "device" => Some(DeviceFunction::OfNumbers),
                _ => None,
            };
        }
        kind(text)
    }

    /// The function that a line of a cell, counted from 1, belongs to.
    pub fn around(cell: &str, line: usize) -> Option<DeviceFunction> {
        let mut attribute = None;
        // The indentation of the head of the function, and the number of open braces.
        let mut open: Option<(usize, i32)> = None;
        for (index, text) in cell.lines().enumerate() {
            let (trimmed, indent) = (text.trim(), text.len() - text.trim_start().len());
            if let Some(found) = DeviceFunction::of_attribute(trimmed) {
                // What Numba and JAX compile may also be a function of arrays.
                let is_of_host = is_of_any_function(trimmed) && is_of_host(cell, index);
                (attribute, open) = (Some(found).filter(|_| !is_of_host), None);
            }
            if let Some((head, depth)) = &mut open {
                // A function of Python ends with its indentation, one of Rust with its brace.
                if *depth <= 0 && indent <= *head && !trimmed.is_empty() && !trimmed.starts_with('}') {
                    (attribute, open) = (None, None);
                }
            }
            if attribute.is_some()
                && Line::new(trimmed).find("fn").chain(Line::new(trimmed).find("def")).next().is_some()
            {
                open = Some((indent, 0));
            }
            if index + 1 == line {
                return attribute;
            }
            if let Some((_, depth)) = &mut open {
                let count = |brace: char| i32::try_from(text.matches(brace).count()).unwrap_or(0);
                *depth += count('{') - count('}');
                if *depth == 0 && text.contains('}') {
                    (attribute, open) = (None, None);
                }
            }
        }
        None
    }
}

/// The names of a decorator, in the order of its path.
pub fn path(text: &str) -> Option<Vec<&str>> {
    let path = text.strip_prefix('@')?.split(|next| !is_word(next) && next != '.').next()?;
    Some(path.split('.').collect())
}

/// The kind of function that a decorator begins.
pub fn kind(text: &str) -> Option<DeviceFunction> {
    let is_of_device = text.replace(' ', "").contains("device=True");
    match path(text)?.as_slice() {
        [.., "cuda", "jit"] if !is_of_device => Some(DeviceFunction::Kernel),
        [.., "rawkernel"] => Some(DeviceFunction::Kernel),
        [.., "vectorize" | "fuse"] | [.., "cuda", "jit"] => Some(DeviceFunction::OfNumbers),
        _ => is_of_any_function(text).then_some(DeviceFunction::OfNumbers),
    }
}

/// Whether a decorator compiles a function whatever it computes with: `@njit`, `@jax.jit`, `@torch.compile`
pub fn is_of_any_function(text: &str) -> bool {
    match path(text).unwrap_or_default().as_slice() {
        ["jit" | "njit"] | ["numba" | "nb" | "jax", "jit" | "njit"] => true,
        ["torch", "compile"] | ["torch", "jit", "script"] | ["tf", "function"] => true,
        [.., "partial"] => text.contains("(jax.jit") || text.contains("(jit"),
        _ => false,
    }
}

/// Whether the function behind a decorator, at a line counted from 0, computes with arrays, or does what only the host can.
pub fn is_of_host(cell: &str, decorator: usize) -> bool {
    const OF_HOST: &str = "print println append random zeros ones empty array asarray arange linspace vec format";
    let is_head = |text: &str| matches!(text.split(' ').next(), Some("def" | "fn"));
    let mut lines = cell.lines().skip(decorator).map(str::trim_end).skip_while(|text| !is_head(text.trim_start()));
    let Some(head) = lines.next() else { return false };
    let body = lines.take_while(|text| text.is_empty() || text.starts_with([' ', '\t', '}']));
    let function: Vec<&str> = [head.trim_start()].into_iter().chain(body).collect();
    let function = function.join("\n");
    let tokens = Line::new(&function);
    let calls_host = (1..tokens.len()).any(|at| {
        let is_itself = tokens.at(at) == tokens.at(1) && at > 1;
        (list_has(OF_HOST, tokens.at(at)) || is_itself) && matches!(tokens.at(at + 1), "(" | "!")
    });
    let of_arrays = |(first, _): &(usize, usize)| uses::is_array(tokens.at(*first), &function);
    calls_host || tokens.parts(2, ",").is_some_and(|parts| parts.iter().any(of_arrays))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_device_code_are_told_apart() {
        let cell = "let a = 1;\n#[kernel]\nfn k(x) {\n    if x > 0 {\n        f(x)\n    }\n}\nk(a) > 0\n#[vectorize] fn g(x: f64) -> f64 { x }\na > 1\n\
                    @cuda.jit\ndef h(x):\n    x[0] = 1\n\nh(a)";
        let found: Vec<_> = (1..=cell.lines().count()).map(|line| DeviceFunction::around(cell, line)).collect();
        let (kernel, numbers) = (Some(DeviceFunction::Kernel), Some(DeviceFunction::OfNumbers));
        let expected = [
            None, kernel, kernel, kernel, kernel, kernel, kernel, None, numbers, None, kernel, kernel, kernel, kernel,
            None,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn attributes_and_decorators_begin_functions_of_device_code() {
        let (kernel, numbers) = (Some(DeviceFunction::Kernel), Some(DeviceFunction::OfNumbers));
        for (text, expected) in [
            ("#[kernel]", kernel),
            ("#[gpu::kernel]", kernel),
            ("#[warpcell::kernel]", kernel),
            ("#[gpu::vectorize] fn f(x: f64) -> f64 {", numbers),
            ("#[gpu::device]", numbers),
            ("#[gpu::devices]", None),
            ("#[derive(Clone)]", None),
            ("@cuda.jit", kernel),
            ("@numba.cuda.jit('void(float32[:])')", kernel),
            ("@cuda.jit('float32(float32)', device=True)", numbers),
            ("@jit.rawkernel()", kernel),
            ("@nb.vectorize", numbers),
            ("@jax.jit", numbers),
            ("@jit(nopython=True)", numbers),
            ("@torch.compile", numbers),
            ("@partial(jax.jit, static_argnums=0)", numbers),
            ("@dataclass", None),
        ] {
            assert_eq!(DeviceFunction::of_attribute(text), expected, "{text}");
        }
    }

    #[test]
    fn compiled_functions_of_arrays_are_for_the_host() {
        for (cell, line, expected) in [
            ("@njit\ndef f(x):\n    return x * x\nf(a)", 3, Some(DeviceFunction::OfNumbers)),
            ("@njit\ndef f(v):\n    s = 0.0\n    for i in range(len(v)):\n        s += v[i]\n    return s", 5, None),
            ("@jit\ndef f(x):\n    print(x)\n    return x", 4, None),
            ("@jax.jit\ndef f(x):\n    return jnp.sum(x ** 2)", 3, None),
            ("@cuda.jit\ndef f(x):\n    x[0] = 1", 3, Some(DeviceFunction::Kernel)),
        ] {
            assert_eq!(DeviceFunction::around(cell, line), expected, "{cell}");
        }
    }
}
