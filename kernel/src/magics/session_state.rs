//! Expansions of the magics that show or change the state of a session: variables, environment, directory, device. They
//! call functions in `warpcell::session`.

use super::action::Action;
use super::literal::literal;
use super::magic::{Arguments, unquoted};
use super::notebook::Notebook;
use super::values::{self, Dollar};

/// How many names `%who` prints on a line, as in IPython.
const NAMES_A_LINE: usize = 9;

/// `%who`.
pub(super) fn who(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<Action, String> {
    let names: Vec<&str> = notebook.variables_of(arguments.rest).into_iter().map(|(name, _)| shown(name)).collect();
    if names.is_empty() {
        return Ok(Action::print(none(arguments.rest)));
    }
    let lines: Vec<String> = names.chunks(NAMES_A_LINE).map(|names| names.join("  ")).collect();
    Ok(Action::print(lines.join("\n")))
}

/// `%whos`.
pub(super) fn whos(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<String, String> {
    let variables = notebook.variables_of(arguments.rest);
    if variables.is_empty() && !arguments.rest.is_empty() {
        return Ok(format!("println!(\"{{}}\", {});", literal(&none(arguments.rest))));
    }
    let rows: Vec<String> = variables
        .into_iter()
        .map(|(name, type_name)| {
            let probe = format!("(&&&&warpcell::session::Probe(&{name})).describe()");
            format!("({}, {}, {probe})", literal(shown(name)), literal(&type_name))
        })
        .collect();
    let traits = ["DescribeDevice", "DescribeHost", "DescribeDebug", "DescribeAny"];
    let imports: Vec<String> = traits.iter().map(|name| format!("{name} as _")).collect();
    Ok(format!(
        "{{ #[allow(unused_imports)] use warpcell::session::{{{}}}; warpcell::session::whos(&[{}]); }}",
        imports.join(", "),
        rows.join(", ")
    ))
}

/// A name as one says it.
fn shown(name: &str) -> &str {
    name.trim_start_matches("r#")
}

fn none(types: &str) -> String {
    match types {
        "" => "There are no variables yet.".to_owned(),
        types => format!("There are no variables of type {types}."),
    }
}

/// `%env`.
pub(super) fn env(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<String, String> {
    let rest = arguments.rest;
    if arguments.option("-u").is_some() {
        return Ok(format!("warpcell::session::env_unset({});", literal(name_of(rest)?)));
    }
    if rest.is_empty() {
        return Ok("warpcell::session::env_list();".to_owned());
    }
    let has_name = |(name, _): &(&str, &str)| !name.trim().contains(char::is_whitespace);
    let split = rest.split_once('=').filter(has_name).or_else(|| rest.split_once(char::is_whitespace));
    let Some((name, value)) = split else {
        return Ok(format!("warpcell::session::env_get({});", literal(name_of(rest)?)));
    };
    let name = literal(name_of(name.trim())?);
    Ok(with_values(value.trim(), notebook, |value| format!("warpcell::session::env_set({name}, {value});")))
}

/// A call with a text, in which the values of variables are. A text in single quotes stays as it is.
fn with_values(text: &str, notebook: &Notebook, call: impl FnOnce(&str) -> String) -> String {
    let plain = unquoted(text);
    if text.starts_with('\'') && plain != text {
        return call(&literal(plain));
    }
    let text = values::text(plain, notebook, Dollar::Environment);
    let call = call(&text.expression);
    if text.items.is_empty() { call } else { format!("{{ {}{call} }};", text.items) }
}

fn name_of(name: &str) -> Result<&str, String> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '=' || c == '\0') {
        return Err(format!("`{name}` cannot be the name of an environment variable"));
    }
    Ok(name)
}

/// `%cd`.
pub(super) fn cd(arguments: &Arguments<'_>, notebook: &Notebook) -> Result<String, String> {
    let quiet = arguments.option("-q").is_some();
    Ok(with_values(arguments.rest, notebook, |path| format!("warpcell::session::cd({path}, {quiet});")))
}

/// `%gpuinfo`.
pub(super) fn gpuinfo(arguments: &Arguments<'_>, _: &Notebook) -> Result<String, String> {
    arguments.nothing()?;
    Ok("warpcell::session::gpuinfo();".to_owned())
}
