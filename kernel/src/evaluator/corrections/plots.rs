//! Plots as matplotlib's users type them.

use super::known::{ARRAY, Known};
use super::line::{Line, LineTokenKind, is_name};
use super::named::sorted_out;
use super::operators::{as_float, as_object, with_references};
use crate::syntax::{list_has, list_value};

/// How a function that draws takes its values.
#[derive(Clone, Copy)]
enum Form {
    /// One after another, by reference.
    Each,
    /// Several of them as one tuple.
    Together,
    /// Numbers too; matplotlib fills the area down to 0 if there is no second curve.
    Area,
    /// It is a method of a plot, and takes a number.
    Method,
}

/// Functions that draw.
const PLOTS: [(&str, Form); 13] = [
    ("plot", Form::Together),
    ("imshow", Form::Each),
    ("spy", Form::Each),
    ("pcolormesh", Form::Together),
    ("specgram", Form::Each),
    ("scatter", Form::Each),
    ("hist", Form::Each),
    ("bar", Form::Each),
    ("errorbar", Form::Each),
    ("contour", Form::Together),
    ("fill_between", Form::Area),
    ("axhline", Form::Method),
    ("axvline", Form::Method),
];

/// Functions that plot with logarithmic axes, and what says so here.
const LOGARITHMIC: [(&str, &str); 3] = [
    ("semilogx", ".xscale(\"log\")"),
    ("semilogy", ".yscale(\"log\")"),
    ("loglog", ".xscale(\"log\").yscale(\"log\")"),
];

/// Arguments with a name that are methods here: those that take floats, and the others.
const FLOATS: &str = "alpha linewidth markersize capsize vmin vmax";
const OPTIONS: &str = "label color linestyle marker cmap bins density levels c xerr yerr origin aspect";

/// Keywords of the macro of `specgram`.
const KEYWORDS: &str = "NFFT Fs noverlap";

/// Matplotlib's short names of options.
const SHORT: &str = "lw=linewidth ls=linestyle ms=markersize";

/// Whether a function draws.
pub fn is_plot(name: &str) -> bool {
    PLOTS.iter().any(|(known, _)| *known == name) || is_logarithmic(name)
}

/// Whether a function plots with a logarithmic axis.
pub fn is_logarithmic(name: &str) -> bool {
    LOGARITHMIC.iter().any(|(known, _)| *known == name)
}

/// `gpu::errorbar(&x, &y).yerr(&e)` for a function and its arguments.
pub fn translated(name: &str, arguments: &[&str], known: &Known<'_>) -> Option<String> {
    let (name, scales) =
        LOGARITHMIC.iter().find(|(known, _)| *known == name).map_or((name, ""), |(_, scales)| ("plot", *scales));
    let (_, form) = PLOTS.iter().find(|(known, _)| *known == name)?;
    let (mut values, mut named) = sorted_out(arguments);
    let keywords: Vec<_> = named.extract_if(.., |(key, _)| name == "specgram" && list_has(KEYWORDS, key)).collect();
    // `"r--"` behind the curve.
    let style =
        values.last().filter(|text| values.len() > 1 && text.starts_with(['"', '\''])).and_then(|text| style(text));
    if style.is_some() {
        values.pop();
    }
    let mut all: Vec<String> = match form {
        Form::Method => values.iter().map(|text| (*text).to_owned()).collect(),
        _ => values.iter().map(|text| data(text, known)).collect::<Option<_>>()?,
    };
    let drawn = match (form, all.len()) {
        (_, 0) => return None,
        _ if name == "specgram" => {
            all.extend(keywords.iter().map(|(key, text)| format!("{key} = {text}")));
            format!("gpu::{name}!({})", all.join(", "))
        }
        (Form::Together, 2..) => format!("gpu::{name}(({}))", all.join(", ")),
        (Form::Each | Form::Together, _) => format!("gpu::{name}({})", all.join(", ")),
        (Form::Area, 2 | 3) => {
            all.resize(3, "0.0".to_owned());
            format!("gpu::{name}({})", all.join(", "))
        }
        (Form::Method, 1) => format!("gpu::Plot::new().{name}({})", all[0]),
        (Form::Area | Form::Method, _) => return None,
    };
    let options = named.iter().map(|(option, text)| {
        let value = value(text, known)?;
        let option = match list_value(SHORT, option).unwrap_or(option) {
            // One colour for all.
            "c" if value.starts_with('"') => "color",
            // An area in points, and a diameter in pixels.
            "s" => {
                let area: f64 = value.parse().ok()?;
                return Some(format!(".markersize({:.1})", area.sqrt() * 1.4));
            }
            option => option,
        };
        match option {
            "extent" => Some(format!(".extent({})", text.replacen('(', "[", 1).replace(')', "]"))),
            _ if list_has(FLOATS, option) => Some(format!(".{option}({})", as_float(&value))),
            _ if list_has(OPTIONS, option) => Some(format!(".{option}({value})")),
            _ => None,
        }
    });
    Some(drawn + &style.unwrap_or_default() + &options.collect::<Option<String>>()? + scales)
}

/// Matplotlib's letters for colours.
const COLOURS: &str = "r=red g=green b=blue c=cyan m=magenta y=yellow k=black";

/// The methods for a format such as `"r--"` or `"o"`.
fn style(text: &str) -> Option<String> {
    let mut rest = text.trim_matches(['"', '\'']).to_owned();
    let mut methods = String::new();
    let lines = ["--", "-.", "-", ":"];
    let line = lines.into_iter().find(|sign| rest.contains(sign));
    if let Some(sign) = line {
        rest = rest.replacen(sign, "", 1);
        methods += &format!(".linestyle(\"{sign}\")");
    }
    for letter in rest.chars() {
        let letter = letter.to_string();
        match list_value(COLOURS, &letter) {
            Some(colour) => methods += &format!(".color(\"{colour}\")"),
            None if "o.x+^sD*v".contains(&letter) => {
                let none = if line.is_none() { ".linestyle(\"none\")" } else { "" };
                let marker = if letter == "." { "o" } else { &letter };
                methods += &format!(".marker(\"{marker}\"){none}");
            }
            None => return None,
        }
    }
    Some(methods)
}

/// What is drawn: any expression, but no text such as `"r--"`. CuPy's arrays are copied to the host first.
fn data(text: &str, known: &Known<'_>) -> Option<String> {
    let text = text.strip_suffix(".get()").unwrap_or(text);
    match value(text, known) {
        Some(value) => (!value.starts_with('"')).then_some(value),
        None => Some(format!("&{}", as_object(&with_references(text, known)))),
    }
}

/// A value: numbers and texts as they are, arrays and lists by reference.
fn value(text: &str, known: &Known<'_>) -> Option<String> {
    let line = Line::new(text);
    let is_number = |name: &str| {
        known.type_of(name).is_some_and(|known| known.starts_with(['f', 'i', 'u']) && !known.contains(['<', '[']))
    };
    match (line.len(), line.kind(0)?) {
        (1, LineTokenKind::Number) => Some(text.to_owned()),
        (2, _) if line.at(0) == "-" && line.kind(1) == Some(LineTokenKind::Number) => Some(text.to_owned()),
        (1, LineTokenKind::Text) => Some(format!("\"{}\"", text.trim_matches(['\'', '"']))),
        (1, _) if matches!(text, "True" | "False") => Some(text.to_lowercase()),
        _ if text.starts_with('&') || is_number(text) => Some(text.to_owned()),
        _ if text.starts_with('[') => Some(format!("&{}", text.replace('\'', "\""))),
        _ if is_name(text) => Some(format!("&{text}")),
        _ => None,
    }
}

/// `gpu::plot((x, &y))`: the compiler's message has the types.
pub fn pair(line: &Line, known: &Known<'_>) -> Option<String> {
    let types =
        known.faults.iter().find_map(|(_, text)| text.strip_prefix("`(")?.split_once(")` cannot be plotted"))?.0;
    let types: Vec<&str> = types.split(", ").collect();
    line.find("(").filter(|at| line.before(*at, 1) == "(").find_map(|open| {
        let values = line.arguments(open)?;
        let needs = |index: usize, value: &str| !value.starts_with('&') && types[index].starts_with(ARRAY);
        if values.len() != types.len() || !values.iter().enumerate().any(|(index, value)| needs(index, value)) {
            return None;
        }
        let by = |(index, value): (usize, &&str)| {
            if needs(index, value) { format!("&{value}") } else { (*value).to_owned() }
        };
        let new: Vec<String> = values.iter().enumerate().map(by).collect();
        Some(line.with(open, line.closing(open)?, &format!("({})", new.join(", "))))
    })
}

/// The corrected line has at most so many plots in a figure.
const MOST_PLOTS: usize = 6;

/// `fig, ax = plt.subplots(1, 2)`: here a figure is made of its plots.
pub fn figure(line: &Line, known: &Known<'_>) -> Option<String> {
    let at = line.find("subplots").next()?;
    if line.before(at, 2) != "plt" || line.at(at + 1) != "(" || !known.blames("plt") {
        return None;
    }
    // `fig, ax` or one name alone.
    let [figure, axes] = match line.find("=").next()? {
        1 => [line.at(0); 2],
        3 if line.at(1) == "," => [line.at(0), line.at(2)],
        _ => return None,
    };
    let arguments = line.arguments(at + 1)?;
    let (shape, _) = sorted_out(&arguments);
    let lengths: Vec<usize> = shape.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
    let (rows, columns) = match lengths[..] {
        [] => return Some(format!("let {axes} = gpu::Plot::new();")),
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    let count = rows.checked_mul(columns).filter(|count| (1..=MOST_PLOTS).contains(count))?;
    let plots = vec!["gpu::Plot::new()"; count].join(", ");
    Some(format!("let {figure} = gpu::subplots(({rows}, {columns}), [{plots}]);"))
}
