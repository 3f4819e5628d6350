//! Expansions of `%timeit`, `%time` and `%gpusync`. They call functions in `warpcell::timing`.
//!
//! Their paths have no leading `::`, because evcxr takes a first line that starts with a colon as a command.

use super::magic::{Arguments, CellCall, LineCall, Wrap};
use super::notebook::Notebook;
use super::options::Options;
use super::rewrite::Edit;
use super::rust::{Last, last_statement};

const NO_STATEMENT: &str = "there is nothing to time; write a statement after it";
const NO_BODY: &str = "there is nothing to time; write the statements below";

/// `%timeit`.
pub(super) fn timeit(call: &LineCall<'_>) -> Result<Wrap, String> {
    let (options, start) = Options::parse(call.arguments)?;
    let mut edits = vec![Edit::replace(0..start, "")];
    edits.extend(keep_value(&call.arguments[start..], NO_STATEMENT)?.into_iter().map(|edit| edit.shifted(start)));
    let (before, after) = measurement(&options, "", call.shows_value);
    Ok(Wrap { before, edits, after })
}

/// `%%timeit`.
pub(super) fn timeit_cell(call: &CellCall<'_>) -> Result<Vec<Edit>, String> {
    let (options, start) = Options::parse(call.arguments)?;
    let (before, after) = measurement(&options, &call.arguments[start..], true);
    let mut edits = vec![Edit::insert(call.opening, before), Edit::replace(call.first_line.clone(), "")];
    edits.extend(keep_value(call.body(), NO_BODY)?.into_iter().map(|edit| edit.shifted(call.code.start)));
    edits.push(Edit::insert(call.code.end, after));
    Ok(edits)
}

/// The code before and after the measured statements. Set-up code gets its own block. There it may borrow, which a
/// variable of the cell may not.
fn measurement(options: &Options, setup: &str, shows_value: bool) -> (String, String) {
    let (binding, end) = match &options.variable {
        Some(name) => (format!("let {name} = "), ";"),
        None if options.output && shows_value => (String::new(), ""),
        None => (String::new(), ";"),
    };
    let call = format!("warpcell::timing::timeit({}, || {{", options.to_rust());
    if setup.is_empty() {
        return (format!("{binding}{call}"), format!(" }}){end}"));
    }
    let separator = match last_statement(setup) {
        Last::Let { semicolon: false, .. } | Last::Expression { semicolon: false, .. } => ";",
        _ => "",
    };
    let before = format!("{binding}{{ {setup}{separator} {call}");
    let has_result = options.variable.is_some() || options.output;
    let after = if has_result { format!(" }}) }}{end}") } else { " }); }".into() };
    (before, after)
}

/// Edits of measured statements that keep the compiler from dropping the last one's value unused.
fn keep_value(statements: &str, nothing: &str) -> Result<Vec<Edit>, String> {
    const KEEP: &str = "std::hint::black_box(";
    let end = statements.len();
    Ok(match last_statement(statements) {
        Last::Nothing => return Err(nothing.into()),
        Last::Expression { range, place, semicolon } => vec![
            Edit::insert(range.start, format!("{KEEP}{}", if place { "&" } else { "" })),
            Edit::insert(range.end, if semicolon { ")" } else { ");" }),
        ],
        Last::Let { name, semicolon } => {
            let mut after = String::from(if semicolon { "" } else { ";" });
            if let Some(name) = name {
                after += &format!(" {KEEP}&{name});");
            }
            vec![Edit::insert(end, after)]
        }
        Last::Other | Last::Broken => Vec::new(),
    })
}

/// `%time`.
pub(super) fn time(call: &LineCall<'_>) -> Result<Wrap, String> {
    let edits = measure_once(call.arguments, call.shows_value, "timing::time_value", "timing::time_end")?;
    let Some(edits) = edits else {
        return Err(NO_STATEMENT.into());
    };
    Ok(Wrap { before: "warpcell::timing::time_begin();".into(), edits, after: String::new() })
}

/// `%%time`.
pub(super) fn time_cell(call: &CellCall<'_>) -> Result<Vec<Edit>, String> {
    around_cell(call, ["timing::time_begin", "timing::time_value", "timing::time_end"], NO_BODY)
}

/// `%%gpusync`.
pub(super) fn gpusync_cell(call: &CellCall<'_>) -> Result<Vec<Edit>, String> {
    around_cell(call, ["timing::gpusync_begin", "timing::gpusync_value", "timing::gpusync_end"], NO_BODY)
}

/// Edits that put calls of the prelude around the statements of a cell: one before them, one with the last value, one behind them.
/// `nothing` is said if there are none.
pub(super) fn around_cell(
    call: &CellCall<'_>,
    [begin, value, end]: [&str; 3],
    nothing: &str,
) -> Result<Vec<Edit>, String> {
    if !call.arguments.is_empty() {
        return Err(format!(
            "nothing may follow it on its line, but got `{}`; write the statements below",
            call.arguments
        ));
    }
    around(call, &format!("warpcell::{begin}();"), value, end, nothing)
}

/// The same with code before the statements, whatever follows on the magic's line.
pub(super) fn around(
    call: &CellCall<'_>,
    begin: &str,
    value: &str,
    end: &str,
    nothing: &str,
) -> Result<Vec<Edit>, String> {
    let Some(edits) = measure_once(call.body(), true, value, end)? else {
        return Err(nothing.into());
    };
    let mut all = vec![Edit::insert(call.opening, begin), Edit::replace(call.first_line.clone(), "")];
    all.extend(edits.into_iter().map(|edit| edit.shifted(call.code.start)));
    Ok(all)
}

/// Edits that end a measurement after the statements, or around a last expression, so that its value is still the value
/// of the cell. `None` if there is no statement. Items and variables stay in the cell, because no block is put around
/// them.
pub(super) fn measure_once(
    statements: &str,
    shows_value: bool,
    value: &str,
    end: &str,
) -> Result<Option<Vec<Edit>>, String> {
    let at_end = |separator: &str| vec![Edit::insert(statements.len(), format!("{separator} warpcell::{end}();"))];
    Ok(Some(match last_statement(statements) {
        Last::Nothing => return Ok(None),
        // A place is not handed on: that would move the variable away.
        Last::Expression { range, place: true, semicolon: false } if shows_value => {
            vec![Edit::insert(range.start, format!("warpcell::{end}(); "))]
        }
        Last::Expression { range, place: false, semicolon: false } => vec![
            Edit::insert(range.start, format!("warpcell::{value}(")),
            Edit::insert(range.end, if shows_value { ")" } else { ");" }),
        ],
        Last::Expression { semicolon: false, .. } | Last::Let { semicolon: false, .. } => at_end(";"),
        Last::Expression { .. } | Last::Let { .. } | Last::Other | Last::Broken => at_end(""),
    }))
}

/// `%gpusync`.
pub(super) fn gpusync(arguments: &Arguments<'_>, _: &Notebook) -> Result<String, String> {
    Ok(match arguments.rest {
        "" => "warpcell::timing::gpusync();",
        "on" => "warpcell::timing::set_synchronize(true);",
        "off" => "warpcell::timing::set_synchronize(false);",
        other => return Err(format!("takes `on`, `off` or nothing, not `{other}`")),
    }
    .into())
}
