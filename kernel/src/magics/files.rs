//! The magics that read and write files: `%load`, `%%writefile`. The kernel acts; here is what it is to do.

use super::calls::{Action, Selection};
use super::magic::{Arguments, TextCell};
use super::notebook::Notebook;

/// `%load`.
pub(super) fn load(arguments: &Arguments<'_>, _: &Notebook) -> Result<Action, String> {
    let path = arguments.path();
    if path.is_empty() {
        return Err("there is no file named; write its path after it".to_owned());
    }
    let lines = arguments.option("-r").map_or(Ok(Vec::new()), lines)?;
    let symbols = arguments.option("-s").unwrap_or_default();
    let symbols = symbols.split(',').filter(|symbol| !symbol.is_empty()).map(str::to_owned).collect();
    Ok(Action::Load { path: path.to_owned(), part: Selection { lines, symbols } })
}

fn lines(text: &str) -> Result<Vec<(usize, Option<usize>)>, String> {
    let wrong = || format!("`-r` needs lines such as `5`, `5-10`, `5-` or `1-3,7`, not `{text}`");
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0).ok_or_else(wrong);
    text.split(',')
        .map(|part| match part.split_once('-') {
            None => number(part).map(|line| (line, Some(line))),
            Some((first, "")) => Ok((number(first)?, None)),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first <= last { Ok((first, Some(last))) } else { Err(wrong()) }
            }
        })
        .collect()
}

/// `%%writefile`.
pub(super) fn writefile(arguments: &Arguments<'_>, body: &str) -> Result<TextCell, String> {
    let path = arguments.path();
    if path.is_empty() {
        return Err("there is no file named; write its path after it".to_owned());
    }
    let append = arguments.option("-a").is_some();
    let mut text = body.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(TextCell::Act(Action::Write { path: path.to_owned(), text, append }))
}
