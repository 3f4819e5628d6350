//! Arguments that functions want by reference, to read them or to write to them.

use super::arguments::calls_of_prelude;
use super::known::Known;
use super::line::{Line, is_name};
use super::operators::as_argument;

/// `gpu::random::shuffle(&mut a)`, `gpu::map_into(f, (&a, &b), &mut out)`: what a call writes to stands last.
pub fn changed(line: &Line, known: &Known<'_>) -> Option<String> {
    if !known.says("expected `&mut ") && !known.says("types differ in mutability") {
        return None;
    }
    calls_of_prelude(line).find_map(|at| {
        let (first, last) = *line.parts(at + 1, ",")?.last()?;
        let name = line.part((first, last)).trim_start_matches('&').trim_start();
        is_name(name).then(|| line.with(first, last, &format!("&mut {name}")))
    })
}

/// `gpu::matmul(m, c)`, `gpu::array(vec![1.0])`, `gpu::matmul(&m, &h)`
pub fn borrowed(line: &Line, known: &Known<'_>) -> Option<String> {
    let is_wanted =
        |(_, text): &(Option<&str>, &str)| text.contains("expected `&") && !text.contains("expected `&mut ");
    let needs_reference = known.says("is made from host arrays, but `(")
        || known.faults.iter().any(is_wanted)
        || known.says("cannot be plotted")
        || known.says("expected reference `&");
    let needs_device = known.says("not a device array")
        || known.says("expected `&_`, found `ArrayBase<")
        || known.says("found `ArrayBase<")
        || known.says("cannot combine an array of `f64` with `ArrayBase<");
    if !(needs_reference || needs_device) {
        return None;
    }
    calls_of_prelude(line).find_map(|at| {
        let (close, arguments) = (line.closing(at + 1)?, line.arguments(at + 1)?);
        let is_array_maker = matches!(line.at(at), "array" | "asarray");
        let convert = |argument: &&str| {
            let name = argument.trim_start_matches('&');
            let type_name = known.type_of(name).unwrap_or_default();
            let is_host = known.is_host_array(name) || type_name.starts_with("Vec<");
            if is_host && !is_array_maker && is_name(name) {
                format!("&gpu::asarray(&{name})")
            } else if is_array_maker && argument.starts_with('(') {
                format!("&[{}]", argument.trim_start_matches('(').trim_end_matches([')', ',']))
            } else if (argument.starts_with("vec!") || argument.starts_with('[')) && is_array_maker
                || is_host && is_array_maker && !argument.starts_with('&')
            {
                format!("&{argument}")
            } else {
                as_argument(argument, known)
            }
        };
        let new: Vec<String> = arguments.iter().map(convert).collect();
        (new.iter().ne(arguments.iter())).then(|| line.with(at + 1, close, &format!("({})", new.join(", "))))
    })
}
