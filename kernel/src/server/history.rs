//! The inputs of this session, for `history_request`.

use crate::wire::request::{HistoryAccess, HistoryRequest};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The number of this session. Earlier ones are not kept.
const SESSION: i64 = 1;

/// The inputs that asked to be stored.
#[derive(Default)]
pub struct History {
    entries: Vec<Entry>,
}

struct Entry {
    line: usize,
    input: String,
    output: Option<String>,
}

impl History {
    /// Adds the input of a numbered cell.
    pub fn push(&mut self, line: usize, input: &str) {
        self.entries.push(Entry { line, input: input.to_owned(), output: None });
    }

    /// Adds the result of the last cell, as text.
    pub fn set_output(&mut self, output: Option<String>) {
        if let Some(last) = self.entries.last_mut() {
            last.output = output;
        }
    }

    /// The entries that a request selects, in the form of the protocol, oldest first.
    pub fn select(&self, request: &HistoryRequest) -> Vec<Value> {
        let selected: Vec<&Entry> = match &request.access {
            HistoryAccess::Range { session, start, stop } => {
                let here = matches!(session, None | Some(0 | SESSION));
                let start = start.unwrap_or(0);
                let stop = stop.unwrap_or(i64::MAX);
                let inside = |entry: &&Entry| (start..stop).contains(&i64::try_from(entry.line).unwrap_or(i64::MAX));
                self.entries.iter().filter(|_| here).filter(inside).collect()
            }
            HistoryAccess::Tail { n } => last(self.entries.iter().collect(), *n),
            HistoryAccess::Search { pattern, unique, n } => {
                let pattern = pattern.as_deref().unwrap_or("*");
                let mut found: Vec<&Entry> =
                    self.entries.iter().filter(|entry| matches_glob(pattern, &entry.input)).collect();
                if *unique {
                    // The last of those that are equal.
                    let mut seen = HashSet::new();
                    found = found.into_iter().rev().filter(|entry| seen.insert(&entry.input)).collect();
                    found.reverse();
                }
                last(found, *n)
            }
        };
        selected.into_iter().map(|entry| entry.to_json(request.output)).collect()
    }
}

impl Entry {
    fn to_json(&self, with_output: bool) -> Value {
        let text = if with_output { json!([self.input, self.output]) } else { json!(self.input) };
        json!([SESSION, self.line, text])
    }
}

fn last(mut entries: Vec<&Entry>, n: Option<i64>) -> Vec<&Entry> {
    if let Some(n) = n.and_then(|n| usize::try_from(n).ok()) {
        entries.drain(..entries.len().saturating_sub(n));
    }
    entries
}

/// Whether the whole text matches a pattern with `*` (any text) and `?` (any character).
fn matches_glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where the last `*` stands, and how much text it has swallowed: the only point worth going back to.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star_at, swallowed)) = star else { return false };
                star = Some((star_at, swallowed + 1));
                p = star_at + 1;
                t = swallowed + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(access: HistoryAccess) -> Vec<usize> {
        let mut history = History::default();
        for (line, input) in [(1, "let a = 1;"), (2, "a"), (3, "println!()"), (4, "a")] {
            history.push(line, input);
        }
        let entries = history.select(&HistoryRequest { output: false, access });
        entries.iter().map(|entry| entry[1].as_u64().unwrap() as usize).collect()
    }

    #[test]
    fn ranges_exclude_their_stop() {
        let range = |session, start, stop| lines(HistoryAccess::Range { session, start, stop });
        assert_eq!(range(Some(0), Some(2), Some(4)), [2, 3]);
        assert_eq!(range(Some(1), Some(3), None), [3, 4]);
        assert_eq!(range(None, None, None), [1, 2, 3, 4]);
        assert!(range(Some(-1), Some(1), Some(9)).is_empty());
    }

    #[test]
    fn tails_and_searches_keep_the_last() {
        assert_eq!(lines(HistoryAccess::Tail { n: Some(2) }), [3, 4]);
        assert_eq!(lines(HistoryAccess::Tail { n: Some(9) }), [1, 2, 3, 4]);
        let search =
            |pattern: &str, unique, n| lines(HistoryAccess::Search { pattern: Some(pattern.into()), unique, n });
        assert_eq!(search("a*", false, None), [2, 4]);
        assert_eq!(search("a*", true, None), [4]);
        assert_eq!(search("*l*", false, Some(1)), [3]);
        assert_eq!(search("l?t*;", false, None), [1]);
    }

    #[test]
    fn outputs_come_on_demand() {
        let mut history = History::default();
        history.push(1, "1 + 1");
        history.set_output(Some("2".into()));
        let access = HistoryAccess::Tail { n: None };
        assert_eq!(history.select(&HistoryRequest { output: true, access }), [json!([1, 1, ["1 + 1", "2"]])]);
    }

    #[test]
    fn glob_patterns() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("*", "anything\nat all", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?", "🦀", true),
            ("?", "ab", false),
            ("*ab", "aab", true),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
