//! What the kernel's build step says of the notebook: a file whose path is in a variable. Elsewhere there is none.
//!
//! Its lines up to the first empty one are `item NAME HASH LINE`, for items with an attribute of ours, with the line of the source
//! where the item begins, and with ` registered` behind it if the cell process knows the item; and `plain NAME` for the other
//! functions. Behind the empty line is the cell's text.
//! `kernel/OUTPUT_CONTRACT.md` has the same.

use syn::{Error, Path};
use warpcell_translate::References;

/// The variable with the path of the file.
const NOTEBOOK: &str = "WARPCELL_NOTEBOOK";

/// The notebook whose cell is compiled.
pub struct Notebook {
    head: String,
    cell: String,
}

impl Notebook {
    /// The notebook, if this is one.
    pub fn open() -> Option<Notebook> {
        Some(Notebook::read(&std::fs::read_to_string(std::env::var_os(NOTEBOOK)?).ok()?))
    }

    pub fn read(text: &str) -> Notebook {
        let (head, cell) = text.split_once("\n\n").unwrap_or((text, ""));
        Notebook { head: head.to_owned(), cell: cell.to_owned() }
    }

    /// The rest of the line for an item.
    fn item(&self, name: &str) -> Option<&str> {
        let mut items = self.head.lines().filter_map(|line| line.strip_prefix("item ")?.split_once(' '));
        items.find(|(item, _)| *item == name).map(|(_, rest)| rest)
    }

    /// By what the build step will recognise an item.
    pub fn hash(&self, name: &str) -> &str {
        self.item(name).and_then(|rest| rest.split(' ').next()).unwrap_or_default()
    }

    /// Whether the cell process knows an item as it is now.
    pub fn is_registered(&self, name: &str) -> bool {
        self.item(name).is_some_and(|rest| rest.ends_with(" registered"))
    }

    /// Where each of our items begins, as lines of the source: their names, and how many lines behind the one that is named.
    pub fn places(&self, name: &str) -> Vec<(String, isize)> {
        let line = |rest: &str| rest.split(' ').nth(1)?.parse::<isize>().ok();
        let Some(own) = self.item(name).and_then(line) else { return Vec::new() };
        let items = self.head.lines().filter_map(|line| line.strip_prefix("item ")?.split_once(' '));
        let others = items.filter(|(item, _)| *item != name);
        others.filter_map(|(item, rest)| Some((item.to_owned(), line(rest)? - own))).collect()
    }

    /// Where an item begins in the cell that defined it, as a line from 1, if this is an earlier one.
    pub fn first_line_of(&self, name: &str) -> Option<usize> {
        let mut words = self.item(name)?.split(' ').skip_while(|word| *word != "first");
        words.nth(1)?.parse().ok()
    }

    /// Where a text begins in the cell, as a line from 1.
    pub fn line_of(&self, text: &str) -> Option<usize> {
        self.cell.find(text).map(|at| 1 + self.cell[..at].matches('\n').count())
    }

    /// The errors for calls of the notebook's functions that only the host has.
    pub fn plain_calls(&self, references: &References) -> Vec<Error> {
        let is_plain = |path: &&Path| {
            name_at_root(path)
                .is_some_and(|name| self.head.lines().any(|line| line.strip_prefix("plain ") == Some(name.as_str())))
        };
        let error = |path: &Path| {
            let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            Error::new_spanned(
                path,
                format!("`{name}` can be called only on the host; write `#[device]` before its `fn`"),
            )
        };
        references.functions.iter().filter(is_plain).map(error).collect()
    }
}

/// The name of an item of the notebook in a path to it.
fn name_at_root(path: &Path) -> Option<String> {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match &names[..] {
        [name] => Some(name.clone()),
        [root, name] if root == "self" || root == "crate" => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        let notebook = Notebook::read("item f 12ab 7\nitem P ff 3 registered\nplain g\n\nlet x = 1;\nfn f() {}\n");
        assert_eq!((notebook.hash("f"), notebook.hash("P"), notebook.hash("g")), ("12ab", "ff", ""));
        assert!(notebook.is_registered("P") && !notebook.is_registered("f") && !notebook.is_registered("x"));
        assert_eq!((notebook.line_of("fn f"), notebook.line_of("fn g")), (Some(2), None));
        assert_eq!(notebook.places("f"), [("P".to_owned(), -4)]);
        assert_eq!((notebook.places("g").len(), Notebook::read("item f 0\n\n").places("f").len()), (0, 0));
        assert_eq!(Notebook::read("").hash("f"), "");
        let again = Notebook::read("item f 12ab 7 first 3\nitem g 0 1\n\n");
        assert_eq!((again.first_line_of("f"), again.first_line_of("g"), again.hash("f")), (Some(3), None, "12ab"));
    }

    #[test]
    fn calls_of_plain_functions_are_errors() {
        let notebook = Notebook::read("item f 0\nplain g\n\n");
        let path = |text: &str| syn::parse_str::<Path>(text).unwrap();
        let functions = ["f", "g", "self::g", "m::g", "h"].map(path).to_vec();
        let errors = notebook.plain_calls(&References { functions, ..References::default() });
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["`g` can be called only on the host; write `#[device]` before its `fn`"; 2]);
    }
}
