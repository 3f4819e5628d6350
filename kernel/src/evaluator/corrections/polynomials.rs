//! Polynomials as NumPy has them: `p(2)`, `p[1]`, `p.roots` of `p = np.poly1d([1, -3, 2])`.

use super::known::Known;
use super::line::{Line, is_integer, is_name};
use super::operators::{array_of_list, as_argument, as_float, is_list};
use super::values::declared;

/// Attributes of NumPy's polynomials, and methods of ours.
const FIELDS: [(&str, &str); 9] = [
    ("roots", "roots"),
    ("r", "r"),
    ("coeffs", "coeffs"),
    ("coef", "coeffs"),
    ("coefficients", "coeffs"),
    ("c", "c"),
    ("order", "order"),
    ("o", "o"),
    ("variable", "variable"),
];

/// Where a polynomial ends that begins at a token: a variable, or a call of `poly1d`.
fn polynomial(line: &Line, at: usize, known: &Known<'_>) -> Option<usize> {
    if matches!(line.before(at, 1), "." | "::") {
        return None;
    }
    let is_module = matches!(line.at(at), "gpu" | "np" | "cp" | "numpy" | "cupy");
    if is_module && line.at(at + 2) == "poly1d" {
        return line.closing(at + 3).filter(|_| line.at(at + 3) == "(");
    }
    let name = line.at(at);
    let is_one = match known.variable(name) {
        Some(type_name) => type_name.contains("Poly1d<"),
        None => is_name(name) && declared(name, known.cell).is_some_and(is_made),
    };
    is_one.then_some(at)
}

fn is_made(value: &str) -> bool {
    ["np.poly1d(", "gpu::poly1d(", "cp.poly1d("].iter().any(|start| value.starts_with(start)) && value.ends_with(')')
}

/// `np.poly1d([1, -3, 2])` with floats, so that it can be evaluated between whole numbers too; `p(2)`, `p[1]`, `p.roots`.
pub fn use_of(line: &Line, known: &Known<'_>) -> Option<String> {
    (0..line.len()).find_map(|at| {
        let end = polynomial(line, at, known)?;
        if end > at
            && let [list] = line.arguments(at + 3)?[..]
            && is_list(list.trim_start_matches("&gpu::array(").trim_end_matches(')'))
        {
            let list = list.trim_start_matches("&gpu::array(").trim_end_matches(')');
            let new = format!("gpu::poly1d({})", array_of_list(list, true));
            if new != line.slice(at, end) {
                return Some(line.with(at, end, &new));
            }
        }
        let close = |open| line.closing(open);
        match line.at(end + 1) {
            "(" => {
                let [argument] = line.arguments(end + 1)?[..] else { return None };
                let argument = match argument {
                    number if is_integer(number) => as_float(number),
                    list if is_list(list) => array_of_list(list, true),
                    array => as_argument(array, known),
                };
                Some(line.with(end + 1, close(end + 1)?, &format!(".eval({argument})")))
            }
            "[" => {
                let [power] = line.arguments(end + 1)?[..] else { return None };
                Some(line.with(end + 1, close(end + 1)?, &format!(".get({power})")))
            }
            "." if line.at(end + 3) != "(" => {
                let (_, ours) = FIELDS.iter().find(|(theirs, _)| *theirs == line.at(end + 2))?;
                Some(line.with(end + 2, end + 2, &format!("{ours}()")))
            }
            "**" if is_integer(line.at(end + 2)) => {
                let base = line.slice(at, end);
                Some(line.with(at, end + 2, &format!("{base}.powi({})", line.at(end + 2))))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::of_line;
    use super::super::tests::type_of;
    use super::*;

    #[test]
    fn polynomials_are_used_as_in_numpy() {
        let of_notebook = |name: &str| if name == "p" { Some("Poly1d<f64>".to_owned()) } else { type_of(name) };
        let faults = [(Some("E0425"), "cannot find value `np` in this scope"), (Some("E0618"), "expected function")];
        for (typed, expected) in [
            ("p(2)", "p.eval(2.0)"),
            ("p(0.5) + 1", "p.eval(0.5) + 1"),
            ("p(a)", "p.eval(&a)"),
            ("p([0, 1])", "p.eval(&gpu::array(&[0.0, 1.0]))"),
            ("p[1]", "p.get(1)"),
            ("p.roots", "p.roots()"),
            ("p.coef", "p.coeffs()"),
            ("p.order", "p.order()"),
            ("p ** 2", "p.powi(2)"),
            ("np.poly1d([1, -3, 2])", "gpu::poly1d(&gpu::array(&[1.0, -3.0, 2.0]))"),
            ("np.poly1d([1, -3, 2])(2)", "gpu::poly1d(&gpu::array(&[1.0, -3.0, 2.0])).eval(2.0)"),
            ("np.poly1d(b)[1]", "gpu::poly1d(&b).get(1)"),
        ] {
            let known = Known::of_line(&faults, typed, 1, &of_notebook);
            let corrected = of_line(typed, &known);
            assert_eq!(corrected.as_deref(), Some(expected), "{typed}");
        }
        let known = Known::of_line(&faults, "m[1]", 1, &of_notebook);
        assert_eq!(use_of(&Line::new("m[1]"), &known), None);
    }
}
