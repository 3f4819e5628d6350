//! The corrected line of a cell that does not compile: what people type who know NumPy, CuPy or PyTorch, as Rust.
//!
//! Each rule of [`RULES`] rewrites one construct of a line. The rules are applied until none changes the line. The
//! result is shown only if it has the form of Rust.

mod arguments;
mod arithmetic;
mod axes;
mod calls;
mod control;
mod decorators;
mod device_functions;
mod dtypes;
mod floored;
mod formats;
mod forms;
mod functional;
mod indexing;
mod kernels;
mod keywords;
mod known;
mod languages;
mod launches;
mod layout;
mod lengths;
mod line;
mod lists;
mod mixed;
mod modules;
mod named;
mod numbers;
mod operators;
mod plots;
mod polynomials;
mod printing;
mod references;
mod rows;
mod shapes;
mod signatures;
mod ufuncs;
mod uses;
mod values;
mod words;

use crate::syntax::{list_has, parse};
pub use arithmetic::notes;
pub use axes::Axes;
pub use known::{Known, is_given, is_of_outer_block};
pub use languages::{has_rust, is_python_line};
use layout::comment_behind;
pub use layout::{has_blocks, with_braces, with_figure, with_joined_lines, with_one_plot, with_semicolons};
pub use line::is_name;
use line::{LONGEST_LINE, Line};
pub use numbers::{of_expected_number, of_operands};
pub use operators::keeping_arrays;
pub use shapes::of_panic;
pub use words::advice;

/// Rewrites one construct of a line, if it has one.
type Rule = fn(&Line, &Known<'_>) -> Option<String>;

/// The rules. Rules for words come first, because other rules read their results.
const RULES: &[Rule] = &[
    kernels::special,
    lists::combined,
    arithmetic::in_numpy,
    words::comment,
    decorators::attribute,
    kernels::constant,
    words::import,
    words::header,
    words::python_words,
    words::none,
    words::lambda,
    forms::types_behind_name,
    forms::arrow,
    forms::bracketed_slice,
    forms::conversion,
    forms::control,
    plots::figure,
    plots::pair,
    words::single,
    control::of_c,
    control::several_in_a_loop,
    control::range,
    control::exchanged,
    control::chained_assignment,
    control::several_targets,
    control::several_values,
    operators::leading_zero,
    control::returned,
    control::tuple,
    formats::formatted,
    formats::concatenation,
    formats::output,
    kernels::types,
    decorators::result,
    launches::start,
    launches::traced,
    launches::arguments,
    launches::mapped,
    kernels::parameters,
    kernels::type_names,
    kernels::variable,
    kernels::length,
    kernels::conditional_value,
    kernels::own_variable,
    kernels::names,
    kernels::atomic,
    kernels::shared,
    kernels::element,
    kernels::index,
    kernels::conversion,
    words::declaration,
    words::type_names,
    polynomials::use_of,
    lists::comparison_with_none,
    control::generator,
    control::comprehension,
    lists::dictionary,
    lists::member,
    lists::function,
    lists::method,
    lists::extended,
    lists::kept,
    printing::print,
    formats::printed_format,
    formats::fields,
    printing::expressions,
    formats::debug,
    printing::text,
    calls::statement,
    control::membership,
    arguments::exchanged,
    arguments::of_prelude,
    arguments::joined,
    arguments::floats,
    arguments::number,
    arguments::creation,
    arguments::untyped,
    arguments::other_elements,
    arguments::numbers_of_one_type,
    modules::of_scipy,
    modules::sparse_source,
    modules::curve,
    modules::sparse_operand,
    arguments::generator,
    arguments::of_numbers,
    arguments::of_complex_number,
    rows::made,
    rows::limit,
    rows::grid,
    indexing::crossed,
    functional::defined,
    calls::module,
    words::similar_name,
    calls::data_type,
    calls::function,
    modules::arguments,
    keywords::keywords_of_function,
    keywords::macros,
    keywords::keywords,
    keywords::positional_axis,
    keywords::missing_axis,
    shapes::lengths,
    arguments::method,
    calls::method,
    calls::field,
    control::iteration,
    control::ternary,
    control::conditional,
    control::then,
    control::chain,
    control::shape_comparison,
    operators::inverted,
    operators::matrix_product,
    operators::sparse_product,
    operators::power,
    operators::whole_power,
    floored::floor_quotient,
    operators::truth_of_numbers,
    operators::true_quotient,
    operators::quotient,
    operators::comparison,
    control::parentheses,
    control::logic,
    control::truth,
    operators::of_masks,
    operators::moved,
    references::of_references,
    lists::arithmetic,
    operators::whole_number,
    operators::set_value,
    operators::increment,
    operators::ambiguous,
    operators::list,
    indexing::index,
    indexing::assignment,
    indexing::range,
    lengths::as_elements,
    lengths::beside_arrays,
    lengths::from_end,
    lengths::bounds,
    kernels::place,
    arguments::as_in_numpy,
    rows::list,
    rows::of_arrays,
    shapes::of_parts,
    shapes::of_lengths,
    mixed::of_means,
    mixed::mixed_arrays,
    mixed::mixed_references,
    arguments::cuts,
    arguments::edges,
    arguments::unpacked,
    arguments::mixed_list,
    arguments::number_and_array,
    references::changed,
    references::borrowed,
    arguments::host_operand,
    arithmetic::of_large_numbers,
];

/// More rewritings than this are a circle.
const MOST_STEPS: usize = 40;

/// A result that is so many times longer than the line is one, too.
const LONGEST: usize = 12;

/// The corrected line, if a correction is known.
pub fn of_line(text: &str, known: &Known<'_>) -> Option<String> {
    if text.len() > LONGEST_LINE {
        return None;
    }
    // `%timeit -n 5 np.sum(a)`
    if let Some(start) = code_behind_magic(text) {
        let (magic, code) = text.split_at(start);
        return of_line(code, known).map(|code| format!("{magic}{code}"));
    }
    // `a = np.arange(3)  # three`
    if let Some(start) = comment_behind(text) {
        let (code, comment) = text.trim_end().split_at(start);
        let new = of_line(code, known);
        let comment = comment.trim_start_matches(['#', '/', ' ']);
        let code = new.or_else(|| text[start..].starts_with('#').then(|| code.trim().to_owned()))?;
        let code = if is_unended(&code, known) { format!("{code};") } else { code };
        let code = code.trim_end();
        return Some(format!("{code}  // {comment}"));
    }
    let known = &Known { is_python: known.is_python || languages::is_python_line(text), ..*known };
    let mut line = Line::new(text.trim());
    for _ in 0..MOST_STEPS {
        match RULES.iter().find_map(|rule| rule(&line, known).filter(|new| *new != line.text)) {
            Some(new) if new.len() > text.len() * LONGEST => return None,
            Some(new) => line = Line::new(&new),
            None => {
                let kept = keeping_arrays(&line.text, known);
                // A cell that begins with `!` is a command of the shell.
                let kept = if kept.starts_with('!') { format!("({kept})") } else { kept };
                let kept = if is_unended(&kept, known) { format!("{kept};") } else { kept };
                // A `//` that is left is Python's division. Rust would read a comment.
                let is_whole = line.find("//").next().is_none();
                let is_new = line.text != text.trim() || kept != line.text && known.says("expected `;`");
                return (is_new && is_whole && is_rust(&kept)).then_some(kept);
            }
        }
    }
    None
}

/// Whether a line is a statement or an item that lacks its semicolon, and does not go on.
fn is_unended(text: &str, known: &Known<'_>) -> bool {
    const WORDS: &str = "let const static type use";
    let goes_on = known.cell.lines().nth(known.line).map(str::trim_start).is_some_and(|next| {
        next.starts_with(['.', '?', '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '=', ')', ']', '}', '{'])
            || next.starts_with("as ")
            || next.starts_with("else")
    });
    let line = Line::new(text);
    // `let p = f(a); p` shows the value.
    let start = line.semicolons().last().map_or(0, |at| at + 1);
    list_has(WORDS, line.at(start)) && !text.ends_with([';', '{', ',', '(', '[']) && !goes_on
}

/// A line that may be Rust, with the arithmetic that it has in Python.
pub fn arithmetic_of_line(text: &str, known: &Known<'_>) -> Option<String> {
    arithmetic::in_numpy(&Line::new(text), known)
}

/// The magics that statements follow, with the letters of their options with values.
const BEFORE_STATEMENTS: [(&str, &str); 3] = [("%timeit ", "nrpv"), ("%time ", ""), ("%prun ", "lsTo")];

/// Where the code begins behind such a magic and its options.
fn code_behind_magic(text: &str) -> Option<usize> {
    let start = |rest: &str| text.len() - rest.trim_start().len();
    let after_word = |rest: &str| start(rest) + text[start(rest)..].find(' ').unwrap_or(0);
    let behind = |(magic, values): &(&str, &'static str)| Some((text.trim_start().strip_prefix(magic)?, *values));
    let (mut rest, values) = BEFORE_STATEMENTS.iter().find_map(behind)?;
    while let Some(option) = rest.trim_start().strip_prefix('-').filter(|rest| rest.starts_with(char::is_alphabetic)) {
        let has_value = option.starts_with(|letter| values.contains(letter)) && option[1..].starts_with(' ');
        rest = &text[after_word(rest)..];
        if has_value {
            rest = &text[after_word(rest)..];
        }
    }
    (!rest.trim().is_empty()).then(|| start(rest))
}

/// Whether a line has the form of Rust; it may open a block or close one.
pub fn is_rust(text: &str) -> bool {
    if Line::new(text).has_keyword_argument() {
        return false;
    }
    let before = if text.starts_with('}') { "if true {" } else { "" };
    let after = if text.starts_with("#[") && text.ends_with(']') {
        "fn f() {}"
    } else if text.ends_with('{') {
        "}"
    } else {
        ""
    };
    let program = format!("fn main() {{\n{before}{text}\n{after}\n}}");
    parse(&program).errors().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn type_of(name: &str) -> Option<String> {
        let known = match name {
            "a" | "b" | "m" => "DeviceArray<f64>",
            "mask" => "DeviceArray<bool>",
            "i" => "DeviceArray<i64>",
            "s" => "SparseMatrix<f64>",
            "x" => "f64",
            "n" => "i32",
            "v" => "Vec<i32>",
            "h" => "ndarray::prelude::ArrayBase<ndarray::OwnedRepr<f64>, ndarray::prelude::Dim<[usize; 2]>, f64>",
            _ => return None,
        };
        Some(known.to_owned())
    }

    /// What is said of a line that is not Rust by its form.
    pub(super) fn corrected(text: &str) -> Option<String> {
        let faults = [(None, "expected something")];
        of_line(text, &Known::of_line(&faults, text, 1, &type_of))
    }

    /// A line of a cell, the second one, with its correction.
    pub(super) fn second(head: &str, typed: &str) -> Option<String> {
        let cell = format!("{head}\n{typed}");
        let faults = [(None, "expected something")];
        of_line(typed, &Known::of_line(&faults, &cell, 2, &type_of))
    }

    #[test]
    fn code_behind_magics_is_corrected() {
        for (typed, expected) in [
            ("%timeit a ** 2", "%timeit a.powi(2)"),
            ("%timeit -n 5 -r 3 a ** 2", "%timeit -n 5 -r 3 a.powi(2)"),
            ("%timeit -q a ** 2", "%timeit -q a.powi(2)"),
            ("%prun -q -l 5 a ** 2", "%prun -q -l 5 a.powi(2)"),
        ] {
            let start = code_behind_magic(typed).unwrap();
            assert!(typed.is_char_boundary(start) && !typed[..start].contains("**"), "{typed}: {start}");
            assert_eq!(corrected(typed).as_deref(), Some(expected), "{typed}");
        }
        assert_eq!(code_behind_magic("%timeit "), None);
        assert_eq!(code_behind_magic("a % timeit "), None);
    }

    #[test]
    fn lines_that_are_not_rust_by_their_form() {
        for (typed, expected) in [
            ("a[1:3]", "a.slice(s![1..3])"),
            ("m[1:-1, ::2]", "m.slice(s![1..-1, ..;2])"),
            ("m[:, 0]", "m.slice(s![.., 0])"),
            ("a[::-1]", "a.slice(s![..;-1])"),
            ("m[0, 1]", "m.get(&[0, 1])"),
            ("m[0, ..] = 1.0;", "gpu::set!(m[0, ..] = 1.0);"),
            ("v[0:2]", "&v[0..2]"),
            ("a ** 2", "a.powi(2)"),
            ("a @ b", "gpu::matmul(&a, &b)"),
            ("s @ a", "s.dot(&a)"),
            ("(s @ a).sum()", "(s.dot(&a)).sum()"),
            ("s[0, 1]", "s.get(&[0, 1])"),
            ("s[1:3, :]", "s.slice(s![1..3, ..])"),
            ("(~(a > 2)).any()", "(!a.gt(2)).any()"),
            ("let c = a @ b.t() @ b;", "let c = gpu::matmul(&gpu::matmul(&a, &b.t()), &b);"),
            ("print(f\"sum {x}\")", "println!(\"sum {x}\")"),
            ("print(f\"{a.sum():.2f} of {x}\")", "println!(\"{:.2} of {x}\", a.sum())"),
            ("import numpy as np", "use gpu::prelude::*;"),
            ("def f(x):", "fn f(x: f64) -> f64 {"),
            ("for j in range(3):", "for j in 0..3 {"),
            ("if x > 1.0 and not done:", "if x > 1.0 && !done {"),
            ("else:", "} else {"),
            ("elif x > 1.0:", "} else if x > 1.0 {"),
            ("# a comment", "// a comment"),
            ("'hello'", "\"hello\""),
            ("x is None", "x.is_none()"),
            ("lambda t: t + 1", "|t| t + 1"),
            ("let z := 3;", "let z = 3;"),
            ("int z = 3;", "let z: i64 = 3;"),
            ("z := 3", "let z = 3;"),
            ("del x", "drop(x);"),
            ("while x < 1.0: pass", "while x < 1.0 {}"),
            ("if x > 1: print(x)", "if x > 1 { println!(\"{x}\") }"),
            ("assert x == 2.0", "assert!(x == 2.0);"),
            ("[j * 2 for j in range(3)]", "(0..3).map(|j| j * 2).collect::<Vec<_>>()"),
            ("m.slice(s![1:3])", "m.slice(s![1..3])"),
            ("fig, ax = plt.subplots()", "let ax = gpu::Plot::new();"),
            (
                "fig, axes = plt.subplots(1, 2, figsize=(8, 3))",
                "let fig = gpu::subplots((1, 2), [gpu::Plot::new(), gpu::Plot::new()]);",
            ),
            ("plt.plot(a, label='a')", "gpu::plot(&a).label(\"a\")"),
            ("m[..., 0]", "gpu::take!(&m, 0, axis = -1)"),
            ("m[..., n]", "gpu::take!(&m, n, axis = -1)"),
            ("m[..., None]", "m.expand_dims(-1)"),
            ("m[..., np.newaxis, :]", "m.expand_dims(-2)"),
            ("m[0, ...]", "m.slice(s![0])"),
            ("m[0, ...] = 1.0", "gpu::set!(m[0, ..] = 1.0);"),
            ("a = 3  # three", "let a = 3;  // three"),
            ("\"\"\"What it does.\"\"\"", "// What it does."),
            ("-i // 2", "(-&i).floor_divide(2)"),
            ("-7 // 2", "(-7_i32).div_euclid(2)"),
            ("a[~(a > 2)]", "a.extract(&!a.gt(2))"),
            ("def total(t): return (t ** 2).sum()", "fn total(t: &DeviceArray<f64>) -> f64 { (t.powi(2)).sum() }"),
            ("m[:, i]", "m.take_axis(&i, 1)"),
            ("v[-2:]", "&v[v.len() - 2..]"),
            ("h[0, 1]", "h[[0, 1]]"),
            ("h[:, 1]", "h.slice(s![.., 1])"),
            ("a[1:3] = [7.0, 8.0]", "gpu::set!(a[1..3] = &gpu::array(&[7.0, 8.0]));"),
            ("let y = x if x > 1.0 else 0.0;", "let y = if x > 1.0 { x } else { 0.0 };"),
            ("2 in v", "v.contains(&2)"),
            ("n not in v", "(!v.contains(&n))"),
            ("x in (1.0, 2.0)", "[1.0, 2.0].contains(&x)"),
            ("(a > 1.0) and (b > 0.0)", "a.gt(1.0) & b.gt(0.0)"),
            ("for k, value in enumerate(v):", "for (k, value) in v.iter().enumerate() {"),
            ("for p, q in zip(v, v):", "for (p, q) in v.iter().zip(&v) {"),
            ("rows, cols = m.shape", "let (rows, cols) = (m.shape()[0], m.shape()[1]);"),
            ("let p, q = 1, 2;", "let (p, q) = (1, 2);"),
            ("for (int k = 0; k < 3; k++) {", "for k in 0..3 {"),
            ("if (x > 1.0) x = 0.0;", "if x > 1.0 { x = 0.0; }"),
            (
                "[w ** 2 for w in v if w > 1]",
                "v.iter().copied().filter(|&w| w > 1).map(|w| w.pow(2)).collect::<Vec<_>>()",
            ),
            ("{\"a\": 1, \"b\": 2}", "std::collections::HashMap::from([(\"a\", 1), (\"b\", 2)])"),
            ("let g = lambda t: t ** 2;", "fn g(t: f64) -> f64 { t.powi(2) }"),
            ("assert a == b", "assert!(a.eq(&b).all());"),
            ("assert a.shape == (5,)", "assert!(a.shape() == [5]);"),
            ("fn sq(t) { t * t }", "fn sq(t: f64) -> f64 { t * t }"),
            ("fn sq(t: f64): f64 { t * t }", "fn sq(t: f64) -> f64 { t * t }"),
            ("++n", "n += 1;"),
            ("x =+ 1.0", "x += 1.0;"),
            ("let z = 1 + 2j;", "let z = gpu::Complex::new(1.0, 2.0);"),
        ] {
            assert_eq!(corrected(typed).as_deref(), Some(expected), "{typed}");
        }
    }

    #[test]
    fn lines_with_names_that_are_not_there() {
        for (code, message, typed, expected) in [
            ("E0423", "expected function, found macro `print`", "print(a)", "println!(\"{a}\")"),
            ("E0423", "expected function, found macro `print`", "print(\"x\", x)", "println!(\"x {x}\")"),
            ("E0425", "cannot find function `len` in this scope", "len(v) + 1", "v.len() + 1"),
            ("E0425", "cannot find function `len` in this scope", "len(a)", "a.len()"),
            ("E0425", "cannot find value `np` in this scope", "np.sum(a)", "a.sum()"),
            ("E0425", "cannot find value `np` in this scope", "np.sum(a, axis=0)", "a.sum_axis(0)"),
            ("E0425", "cannot find value `np` in this scope", "np.linalg.norm(a)", "gpu::linalg::norm(&a)"),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "let y = np.sqrt(a) * np.pi;",
                "let y = a.sqrt() * std::f64::consts::PI;",
            ),
            ("E0425", "cannot find value `np` in this scope", "np.array([1.0, 2.0])", "gpu::array(&[1.0, 2.0])"),
            ("E0425", "cannot find value `np` in this scope", "np.zeros(3, 4)", "gpu::zeros((3, 4))"),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.zeros((3, 4), dtype=np.float32)",
                "gpu::zeros::<f32>((3, 4))",
            ),
            (
                "E0425",
                "cannot find value `torch` in this scope",
                "torch.randn(3, 3)",
                "gpu::random::normal(0.0, 1.0, (3, 3))",
            ),
            ("E0425", "cannot find value `np` in this scope", "np.linspace(0, 1, 5)", "gpu::linspace(0.0, 1.0, 5)"),
            ("E0425", "cannot find value `plt` in this scope", "plt.plot(a)", "gpu::plot(&a)"),
            ("E0425", "cannot find value `plt` in this scope", "plt.plot(a, b)", "gpu::plot((&a, &b))"),
            ("E0425", "cannot find value `plt` in this scope", "plt.axhline(0)", "gpu::Plot::new().axhline(0)"),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.axvline(x, color=\"k\")",
                "gpu::Plot::new().axvline(x).color(\"k\")",
            ),
            (
                "E0425",
                "cannot find value `ax` in this scope",
                "ax.errorbar(a, b, yerr=b, capsize=4)",
                "gpu::errorbar(&a, &b).yerr(&b).capsize(4.0)",
            ),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.fill_between(a, b)",
                "gpu::fill_between(&a, &b, 0.0)",
            ),
            (
                "E0425",
                "cannot find value `ax` in this scope",
                "ax.contour(m, levels=10)",
                "gpu::contour(&m).levels(10)",
            ),
            ("E0425", "cannot find value `plt` in this scope", "plt.hist(a, bins=20)", "gpu::hist(&a).bins(20)"),
            ("E0425", "cannot find value `plt` in this scope", "plt.imshow(m.t().get())", "gpu::imshow(&m.t())"),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.imshow(m, origin='lower', extent=[0, 1, 0, 2], aspect='auto')",
                "gpu::imshow(&m).origin(\"lower\").extent([0, 1, 0, 2]).aspect(\"auto\")",
            ),
            ("E0425", "cannot find value `plt` in this scope", "plt.pcolormesh(m)", "gpu::pcolormesh(&m)"),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.pcolormesh(a, b, m)",
                "gpu::pcolormesh((&a, &b, &m))",
            ),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.specgram(a, Fs=100)",
                "gpu::specgram!(&a, Fs = 100)",
            ),
            ("E0425", "cannot find value `plt` in this scope", "plt.plot(a + 1.0)", "gpu::plot(&(&a + 1.0))"),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.axhline(x / 2.0)",
                "gpu::Plot::new().axhline(x / 2.0)",
            ),
            ("E0425", "cannot find function `sqrt` in this scope", "sqrt(x + 1.0)", "(x + 1.0).sqrt()"),
            ("E0425", "cannot find function `max` in this scope", "max(x, 1.0)", "x.max(1.0)"),
            ("E0425", "cannot find function `float` in this scope", "float(n) / 2.0", "(n as f64) / 2.0"),
            (
                "E0425",
                "cannot find value `axis` in this scope",
                "m.mean(axis=0, keepdims=True)",
                "gpu::mean!(&m, axis = 0, keepdims = true)",
            ),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.sum(m, axis=0, keepdims=True)",
                "gpu::sum!(&m, axis = 0, keepdims = true)",
            ),
            ("E0425", "cannot find value `np` in this scope", "np.linalg.norm(m, axis=1)", "gpu::norm!(&m, axis = 1)"),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.sum(a, dtype=np.float32) + 1.0",
                "gpu::sum!(&a, dtype = f32) + 1.0",
            ),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.linspace(0, 1, 5, endpoint=False)",
                "gpu::linspace!(0.0, 1.0, 5, endpoint = false)",
            ),
            (
                "E0061",
                "this function takes 1 argument but 2 arguments were supplied",
                "gpu::sum(&m, axis = 0)",
                "gpu::sum!(&m, axis = 0)",
            ),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.random.seed(0); let r = np.random.normal(0, 1, size=(3, 3));",
                "gpu::random::seed(0); let r = gpu::random::normal(0.0, 1.0, (3, 3));",
            ),
            ("E0425", "cannot find value `np` in this scope", "np.diff(a, n=2)", "gpu::diff!(&a, n = 2)"),
            ("E0425", "cannot find value `axis` in this scope", "a.argsort(axis=0)", "gpu::argsort!(&a, axis = 0)"),
            ("E0425", "cannot find value `ddof` in this scope", "a.std(ddof=1)", "gpu::std!(&a, ddof = 1)"),
            (
                "E0425",
                "cannot find value `dim` in this scope",
                "m.sum(dim=0, dtype=\"f32\")",
                "gpu::sum!(&m, axis = 0, dtype = f32)",
            ),
            ("E0425", "cannot find value `y` in this scope", "y = 3", "let y = 3;"),
            ("E0425", "cannot find value `True` in this scope", "let t = True;", "let t = true;"),
            ("E0061", "this method takes 0 arguments but 1 argument was supplied", "m.mean(0)", "m.mean_axis(0)"),
            (
                "E0061",
                "this method takes 2 arguments but 1 argument was supplied",
                "println!(\"{}\", a.repeat(2));",
                "println!(\"{}\", gpu::repeat!(&a, 2));",
            ),
            (
                "E0061",
                "this method takes 1 argument but 2 arguments were supplied",
                "a.reshape(2, 3)",
                "a.reshape((2, 3))",
            ),
            (
                "E0061",
                "this function takes 1 argument but 2 arguments were supplied",
                "gpu::zeros(3, 4)",
                "gpu::zeros((3, 4))",
            ),
            (
                "E0061",
                "this method takes 0 arguments but 1 argument was supplied",
                "a.astype(\"float32\")",
                "a.astype::<f32>()",
            ),
            (
                "E0599",
                "no method named `unique` found for struct `DeviceArray<T>` in the current scope",
                "a.unique()",
                "gpu::unique(&a)",
            ),
            (
                "E0599",
                "no method named `permute` found for struct `DeviceArray<T>` in the current scope",
                "m.permute(1, 0)",
                "m.permute_dims((1, 0))",
            ),
            ("E0609", "no field `T` on type `DeviceArray<f64>`", "a.T", "a.t()"),
            (
                "E0615",
                "attempted to take value of method `shape` on type `DeviceArray<f64>`",
                "a.shape[0]",
                "a.shape()[0]",
            ),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "a[0] * 2.0", "a.get(&[0]) * 2.0"),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "m[0][1]", "m.get(&[0, 1])"),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "a[-1]", "a.slice(s![-1]).item()"),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "a[0] = 5.0;", "gpu::set!(a[0] = 5.0);"),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "a[mask]", "a.extract(&mask)"),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "a[a > 2.0]", "a.extract(&a.gt(2.0))"),
            (
                "E0608",
                "cannot index into a value of type `DeviceArray<f64>`",
                "a[a < 0.0] = 0.0;",
                "gpu::set!(a[&a.lt(0.0)] = 0.0);",
            ),
            ("E0608", "cannot index into a value of type `DeviceArray<f64>`", "a[i]", "a.take_axis(&i, 0)"),
            (
                "E0608",
                "cannot index into a value of type `DeviceArray<f64>`",
                "m[1..3] += a;",
                "gpu::set!(m[1..3] += &a);",
            ),
            (
                "E0070",
                "invalid left-hand side of assignment",
                "m.slice(s![0, ..]) = a;",
                "m.slice(s![0, ..]).assign(&a);",
            ),
            ("E0369", "binary operation `>` cannot be applied to type `DeviceArray<f64>`", "a > 2.0", "a.gt(2.0)"),
            (
                "E0369",
                "binary operation `==` cannot be applied to type `DeviceArray<f64>`",
                "(a + 1.0) == b",
                "(&a + 1.0).eq(&b)",
            ),
            ("E0369", "no implementation for `f64 ^ {integer}`", "x ^ 2", "x.powi(2)"),
            (
                "E0277",
                "the trait bound `std::ops::Range<{integer}>: AsRef<[SliceInfoElem]>` is not satisfied",
                "m.slice(1..3)",
                "m.slice(s![1..3])",
            ),
            (
                "E0369",
                "cannot multiply `[{float}; 2]` by `{float}`",
                "[1.0, 2.0] * 2.0",
                "gpu::array(&[1.0, 2.0]) * 2.0",
            ),
            ("E0277", "`DeviceArray<f64>` is not an iterator", "for y in a { }", "for y in &a { }"),
            ("E0061", "this method takes 1 argument but 0 arguments were supplied", "a.get()", "a.to_host()"),
            ("E0614", "type `{integer}` cannot be dereferenced", "2 ** n", "2_i32.pow(n as u32)"),
            ("E0277", "can't compare `{float}` with `DeviceArray<f64>`", "1.0 < a", "a.gt(1.0)"),
            ("E0369", "cannot add `f64` to `&str`", "\"value: \" + x", "format!(\"value: {x}\")"),
            ("E0369", "no implementation", "\"n = %d, %.2f\" % (n, x)", "format!(\"n = {n}, {x:.2}\")"),
            ("E0599", "no method named `format` found", "\"{:.2f}\".format(x)", "format!(\"{x:.2}\")"),
            ("E0425", "cannot find function `printf` in this scope", "printf(\"%d\\n\", n)", "println!(\"{n}\")"),
            ("E0425", "cannot find value `cout` in this scope", "cout << x << endl;", "println!(\"{x}\");"),
            ("E0425", "cannot find function `max` in this scope", "max(v)", "v.iter().max().unwrap()"),
            ("E0425", "cannot find function `max` in this scope", "max(a, b)", "a.maximum(&b)"),
            ("E0425", "cannot find value `np` in this scope", "np.round(a, 2)", "(&a * 100.0).round() / 100.0"),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.where(a > 2.0, a, 0.0)",
                "gpu::where_(&a.gt(2.0), &a, 0.0)",
            ),
            ("E0425", "cannot find value `np` in this scope", "np.zeros_like(a)", "gpu::zeros::<f64>(a.shape())"),
            (
                "E0425",
                "cannot find value `plt` in this scope",
                "plt.plot(a, b, label=\"x\")",
                "gpu::plot((&a, &b)).label(\"x\")",
            ),
            (
                "E0425",
                "cannot find value `torch` in this scope",
                "torch.cat([a, b], dim=0)",
                "gpu::concatenate([&a, &b], 0)",
            ),
            ("E0425", "cannot find value `torch` in this scope", "torch.zeros(2, 3).cuda()", "gpu::zeros((2, 3))"),
            ("E0599", "no method named `float` found for struct `DeviceArray<T>`", "a.float()", "a.astype::<f32>()"),
            ("E0599", "no method named `zero_` found for struct `DeviceArray<T>`", "a.zero_()", "a.fill(0.0)"),
            ("E0599", "no method named `item` found for type `f64`", "a.sum().item()", "a.sum()"),
            (
                "E0599",
                "`DeviceArray<f64>` is not an iterator",
                "a.map(|t| t + 1.0)",
                "gpu::map(fuse!(|t: f64| t + 1.0), &a)",
            ),
            (
                "E0277",
                "cannot combine an array of `i64` with `&DeviceArray<f64>`",
                "i.add(&a)",
                "i.astype::<f64>().add(&a)",
            ),
            ("E0658", "the type `f16` is unstable", "a.astype::<f16>()", "a.astype::<gpu::f16>()"),
            ("E0308", "expected `&_`, found `DeviceArray<f64>`", "gpu::matmul(m, b)", "gpu::matmul(&m, &b)"),
            (
                "E0308",
                "expected `&_`, found floating-point number",
                "gpu::power(2, &a)",
                "gpu::power(&gpu::array(2.0), &a)",
            ),
            ("E0308", "expected `&_`, found integer", "gpu::fmod(-7, 3)", "gpu::fmod(&gpu::array(-7), &gpu::array(3))"),
            ("E0308", "expected `&_`, found integer", "gpu::polyval(&a, 2)", "gpu::polyval(&a, &gpu::array(2.0))"),
            (
                "E0308",
                "expected `&_`, found floating-point number",
                "gpu::sin(3.14 / 2.0)",
                "gpu::sin(&gpu::array(3.14 / 2.0))",
            ),
            (
                "E0308",
                "expected `&_`, found integer",
                "gpu::random::choice!(5, 3)",
                "gpu::random::choice!(&gpu::arange(5), 3)",
            ),
            (
                "E0308",
                "expected `usize`, found `&DeviceArray<f64>`",
                "gpu::random::permutation(&a)",
                "a.take_axis(&gpu::random::permutation(a.shape()[0]), 0)",
            ),
            ("E0277", "not a device array", "gpu::matmul(&m, &h)", "gpu::matmul(&m, &gpu::asarray(&h))"),
            (
                "E0277",
                "cannot add `&ArrayBase<OwnedRepr<f64>>` to `&DeviceArray<f64>`",
                "&a + &h",
                "&a + gpu::asarray(&h)",
            ),
            ("E0308", "expected `f64`, found `&DeviceArray<f64>`", "sc(&a)", "gpu::map(sc, &a)"),
            (
                "E0061",
                "this function takes 4 arguments but 3 arguments were supplied",
                "gpu::launch(k, 1, &a)",
                "gpu::launch(k, 1, 256, &a)",
            ),
            ("E0425", "cannot find value `threadIdx` in this scope", "let k = threadIdx.x;", "let k = thread_idx().x;"),
            (
                "E0425",
                "cannot find value `x` in this scope",
                "fn g(t: f64) -> f64 { t * x }",
                "fn g(t: f64, x: f64) -> f64 { t * x }",
            ),
            ("E0369", "cannot add `{integer}` to `DeviceArray<bool>`", "mask + 1", "mask.astype::<i64>() + 1"),
            ("E0369", "cannot multiply `Vec<i32>` by `{integer}`", "v * 2", "gpu::array(&v) * 2"),
            ("E0277", "the type `[i32]` cannot be indexed by `i32`", "v[n]", "v[n as usize]"),
            ("E0308", "expected `bool`, found `i32`", "if n { }", "if n != 0 { }"),
            (
                "E0425",
                "cannot find value `np` in this scope",
                "np.percentile(a, [25, 50.5])",
                "gpu::percentile!(&a, [25.0, 50.5])",
            ),
            ("E0599", "no method named `relu` found for struct `DeviceArray<f64>`", "a.relu()", "a.maximum(0.0)"),
            (
                "E0277",
                "cannot combine an array of `f64` with `&ArrayBase<OwnedRepr<f64>, Dim<[usize; 2]>, f64>`",
                "a.assign(&h)",
                "a.assign(&gpu::asarray(&h))",
            ),
        ] {
            let faults = [(Some(code), message)];
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known).as_deref(), Some(expected), "{typed}");
        }
    }

    #[test]
    fn of_what_is_rust_nothing_is_said() {
        for (code, message, typed) in [
            ("E0308", "mismatched types", "let y: String = v[0];"),
            ("E0425", "cannot find value `z` in this scope", "let y = x ^ 2 + z;"),
            ("E0425", "cannot find value `plt` in this scope", "plt.plot(a, zorder=3)"),
            ("E0425", "cannot find value `plt` in this scope", "plt.plot(a, \"a text\")"),
            ("E0425", "cannot find value `np` in this scope", "np.linalg.norm(m, check_finite=False)"),
            ("E0425", "cannot find value `plt` in this scope", "plt.plot(a, picker=5)"),
            ("E0425", "cannot find value `np` in this scope", "np.zeros(3, order=\"F\")"),
            ("E0599", "no method named `foo` found for struct `DeviceArray<T>` in the current scope", "a.foo(1)"),
            ("E0277", "cannot add `f64` to `usize`", "for j in 0..3 { v[j] += x; }"),
            ("E0425", "cannot find value `s` in this scope", "s = s + x;"),
        ] {
            let faults = [(Some(code), message)];
            let known = Known::of_line(&faults, typed, 1, &type_of);
            assert_eq!(of_line(typed, &known), None, "{typed}");
        }
        assert_eq!(corrected("let y = &x.;"), None);
    }
}
