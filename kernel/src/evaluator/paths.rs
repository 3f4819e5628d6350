//! The paths of magics and of shell lines: what they mean, and their completion.

use crate::evaluator::{Completion, Completions};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// More than a person reads.
const MOST: usize = 500;

/// The place that a user's path means.
pub fn resolve(path: &str, directory: &Path) -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default();
    match path.strip_prefix('~') {
        Some("") => home(),
        Some(within) if within.starts_with('/') => home().join(within.trim_start_matches('/')),
        _ => directory.join(path),
    }
}

/// Completions of the path in `range` of a text.
pub fn complete(text: &str, range: Range<usize>, directories: bool, shell: bool, base: &Path) -> Completions {
    let mut start = range.start;
    if let Some(mark) = ['"', '\''].iter().find(|mark| text[range.clone()].starts_with(**mark)) {
        start += mark.len_utf8();
    }
    let typed = &text[start..range.end];
    let (folder, prefix) =
        typed.rsplit_once('/').map_or(("", typed), |(folder, prefix)| (&typed[..=folder.len()], prefix));
    let unescaped = |text: &str| if shell { text.replace('\\', "") } else { text.to_owned() };
    let place = resolve(&unescaped(folder), base);
    let prefix = unescaped(prefix);
    let mut names: Vec<String> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let is_directory = entry.path().is_dir();
            let name = entry.file_name().into_string().ok()?;
            let fits = name.starts_with(&prefix) && (!name.starts_with('.') || prefix.starts_with('.'));
            let end = if is_directory { "/" } else { "" };
            (fits && (is_directory || !directories)).then(|| format!("{name}{end}"))
        })
        .collect();
    names.sort_unstable();
    names.truncate(MOST);
    let escaped = |name: &str| if shell { escape(name) } else { name.to_owned() };
    let candidates = names
        .iter()
        .map(|name| Completion { text: format!("{folder}{}", escaped(name)), kind: "path".to_owned(), signature: None })
        .collect();
    Completions { candidates, start, end: range.end }
}

/// A name as one word of the shell.
fn escape(name: &str) -> String {
    let mut word = String::with_capacity(name.len());
    for character in name.chars() {
        if !(character.is_alphanumeric() || "/._-+@:,=%~".contains(character)) {
            word.push('\\');
        }
        word.push(character);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_from_the_directory_of_the_cells() {
        let home = std::env::home_dir().unwrap();
        for (path, expected) in [("a b.rs", "/d/a b.rs".into()), ("/a", "/a".into()), ("~", home.clone())] {
            assert_eq!(resolve(path, Path::new("/d")), expected);
        }
        assert_eq!(resolve("~/x", Path::new("/d")), home.join("x"));
        assert_eq!(resolve("~x", Path::new("/d")), Path::new("/d/~x"));
    }

    #[test]
    fn files_and_directories_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("data set/deep")).unwrap();
        for name in ["data set/one.rs", "data.txt", ".hidden"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = |typed: &str, directories, shell| -> Vec<String> {
            let found = complete(typed, 0..typed.len(), directories, shell, folder.path());
            assert_eq!(found.end, typed.len());
            found.candidates.into_iter().map(|candidate| candidate.text).collect()
        };
        assert_eq!(found("da", false, false), ["data set/", "data.txt"]);
        assert_eq!(found("\"da", false, false), ["data set/", "data.txt"]);
        assert_eq!(found("da", true, false), ["data set/"]);
        assert_eq!(found("da", false, true), ["data\\ set/", "data.txt"]);
        assert_eq!(found("data set/", false, false), ["data set/deep/", "data set/one.rs"]);
        assert_eq!(found("data\\ set/o", false, true), ["data\\ set/one.rs"]);
        assert_eq!(found(".h", false, false), [".hidden"]);
        let all = format!("{}/", folder.path().display());
        assert_eq!(found(&all, false, false), [format!("{all}data set/"), format!("{all}data.txt")]);
        assert_eq!(found("nothing/", false, false), [""; 0]);
    }
}
