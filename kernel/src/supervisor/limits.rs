//! Limits how much a cell may show. Output beyond the limit is dropped here, with a note. 100 MB of output would block
//! the browser, and no user would read it.

use crate::printing::errln;
use serde_json::{Map, Value};

/// The variable with the limit of a cell's text, in bytes or as `20MB`. `none` means no limit.
pub const OUTPUT_LIMIT: &str = "WARPCELL_OUTPUT_LIMIT";

/// The limit of a cell's text if none is set. Above about 3 MB in a few seconds Jupyter's server itself drops messages.
const TEXT: u64 = 2_000_000;
/// How many displays a cell may show. Their content may be so many times as large as the text.
const DISPLAYS: u64 = 1000;
const DISPLAY_SHARE: u64 = 25;
/// How the advice of a note begins.
const ADVICE: &str = "`gpu::set_output_limit(";
/// How much of the end of the dropped text is shown.
const TAIL: usize = 2000;

/// The limits of one cell, and the amounts that it has shown.
pub struct OutputLimits {
    /// In bytes.
    text: u64,
    shown: Amounts,
    dropped: Amounts,
    /// The end of the text that was dropped.
    tail: String,
    /// Whether the user knows that text is being dropped.
    told: bool,
}

#[derive(Clone, Copy, Default)]
struct Amounts {
    text: u64,
    displays: u64,
    display_bytes: u64,
}

impl OutputLimits {
    /// Those that the environment asks for.
    pub fn from_environment() -> OutputLimits {
        let set = std::env::var(OUTPUT_LIMIT).ok();
        let size = set.as_deref().map(size_of);
        if size == Some(None) {
            errln!("{OUTPUT_LIMIT} is not a size such as 20MB; {} are used", size_in_words(TEXT));
        }
        OutputLimits::new(size.flatten().unwrap_or(TEXT))
    }

    fn new(text: u64) -> OutputLimits {
        let none = Amounts::default();
        OutputLimits { text, shown: none, dropped: none, tail: String::new(), told: false }
    }

    /// Changes the limit of text for the rest of the session.
    pub fn set(&mut self, text: u64) {
        self.text = text;
    }

    /// A new cell begins, with nothing shown.
    pub fn begin_cell(&mut self) {
        *self = OutputLimits::new(self.text);
    }

    /// The outputs of the cell were removed.
    pub fn cleared(&mut self) {
        self.shown = Amounts::default();
        self.told = false;
    }

    /// Shortens text to what may be shown. Returns a note about this, once.
    pub fn cut(&mut self, text: &mut String) -> Option<String> {
        let left = usize::try_from(self.text.saturating_sub(self.shown.text)).unwrap_or(usize::MAX);
        let cut = text.floor_char_boundary(left);
        self.shown.text += cut as u64;
        if cut == text.len() {
            return None;
        }
        // Whatever is left of the budget is too little for the next character.
        self.shown.text = self.text;
        let rest = text.split_off(cut);
        self.dropped.text += rest.len() as u64;
        self.tail.push_str(&rest[rest.ceil_char_boundary(rest.len().saturating_sub(TAIL))..]);
        let start = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(TAIL));
        self.tail.drain(..start);
        if std::mem::replace(&mut self.told, true) {
            return None;
        }
        Some(format!("\n[This cell has printed {}: what follows is not shown.]\n", size_in_words(self.text)))
    }

    /// Whether a display, or its new content, may be shown.
    pub fn admit(&mut self, data: &Map<String, Value>, update: bool) -> bool {
        let bytes = data.values().map(size_of_content).sum();
        let (most, most_bytes) = self.of_displays();
        // A new content replaces the old one, and so adds nothing.
        let (count, before) = if update { (0, 0) } else { (1, self.shown.display_bytes) };
        if self.shown.displays + count > most || before + bytes > most_bytes {
            self.dropped.displays += 1;
            self.dropped.display_bytes += bytes;
            return false;
        }
        self.shown.displays += count;
        self.shown.display_bytes = before.max(self.shown.display_bytes) + if update { 0 } else { bytes };
        true
    }

    /// At the end of a cell: how much was dropped, and the end of it.
    pub fn note(&mut self) -> Option<String> {
        let dropped = std::mem::take(&mut self.dropped);
        let tail = std::mem::take(&mut self.tail);
        let mut notes = Vec::new();
        if dropped.displays > 0 {
            let (most, most_bytes) = self.of_displays();
            let number = match dropped.displays {
                1 => "1 display".to_owned(),
                number => format!("{number} displays"),
            };
            notes.push(format!(
                "{number} of {} dropped: a cell shows {most}, or {}.",
                size_in_words(dropped.display_bytes),
                size_in_words(most_bytes)
            ));
        }
        if dropped.text > 0 {
            let limit = size_in_words(self.text);
            notes.push(format!("{} of text dropped: a cell shows {limit}.", size_in_words(dropped.text)));
        }
        if notes.is_empty() {
            return None;
        }
        let (name, bytes) = (OUTPUT_LIMIT, self.text.saturating_mul(10));
        let advice = format!(
            "{ADVICE}{bytes});` in an earlier cell, or {name}={} in Jupyter's environment, raises this limit.",
            size_in_words(bytes).replace(' ', "")
        );
        let end = if tail.is_empty() { "]\n".to_owned() } else { format!(" The end of the text:]\n{tail}\n") };
        Some(format!("\n[{} {advice}{end}", notes.join(" ")))
    }

    /// How many displays a cell may show, and how large they may be. Both depend on the limit of text.
    fn of_displays(&self) -> (u64, u64) {
        let factor = self.text as f64 / TEXT as f64;
        ((DISPLAYS as f64 * factor).max(1.0) as u64, self.text.saturating_mul(DISPLAY_SHARE))
    }
}

/// What a note at the end of a cell says.
#[derive(Debug, PartialEq, Eq)]
pub struct Dropped<'a> {
    /// How much was dropped, and the limit, in sentences.
    pub what: &'a str,
    /// A limit that lets all of the text pass.
    pub limit: u64,
}

/// Reads the note in the text of a cell.
pub fn dropped(text: &str) -> Option<Dropped<'_>> {
    let notes = text.rmatch_indices("\n[").map(|(at, mark)| &text[at + mark.len()..]);
    let mut said = notes.filter_map(|note| note.split_once(ADVICE));
    let (what, rest) = said.find(|(what, _)| what.contains(" dropped: a cell shows "))?;
    let mut limit: u64 = rest.split_once(')')?.0.parse().ok()?;
    let text = what.split_once(" of text dropped").and_then(|(before, _)| size_of(before.rsplit(". ").next()?));
    // The amount is rounded.
    while limit < text.unwrap_or(0).saturating_mul(2) {
        limit = limit.saturating_mul(10).max(10);
    }
    Some(Dropped { what: what.trim_end(), limit })
}

/// About how much memory a representation takes.
pub fn size_of_content(content: &Value) -> u64 {
    match content {
        Value::String(text) => text.len() as u64,
        Value::Array(items) => items.iter().map(|item| size_of_content(item) + 1).sum(),
        Value::Object(fields) => fields.iter().map(|(name, item)| name.len() as u64 + size_of_content(item)).sum(),
        _ => 8,
    }
}

/// A number of bytes, such as `2500000`, `2.5 MB`, `500kB`; or `none`.
fn size_of(text: &str) -> Option<u64> {
    let text = text.trim().to_lowercase();
    if text == "none" {
        return Some(u64::MAX);
    }
    let unit = text.find(|character: char| character.is_alphabetic()).unwrap_or(text.len());
    let factor = match &text[unit..] {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        _ => return None,
    };
    let number: f64 = text[..unit].trim().replace('_', "").parse().ok()?;
    (number >= 0.0).then_some((number * factor) as u64)
}

fn size_in_words(bytes: u64) -> String {
    let (number, unit) = match bytes as f64 {
        bytes if bytes < 1e3 => (bytes, "bytes"),
        bytes if bytes < 1e6 => (bytes / 1e3, "kB"),
        bytes if bytes < 1e9 => (bytes / 1e6, "MB"),
        bytes => (bytes / 1e9, "GB"),
    };
    let digits = if number < 10.0 { 1 } else { 0 };
    format!("{} {unit}", format!("{number:.digits$}").trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(limits: &mut OutputLimits, text: &str) -> (String, Option<String>) {
        let mut text = text.to_owned();
        let note = limits.cut(&mut text);
        (text, note)
    }

    #[test]
    fn text_beyond_the_limit_is_dropped_with_one_note_and_its_end_is_kept() {
        let mut limits = OutputLimits::new(10);
        assert_eq!(shown(&mut limits, "12345"), ("12345".to_owned(), None));
        let (text, note) = shown(&mut limits, "6789ää");
        // The second byte of a character is not shown without the first.
        assert_eq!(text, "6789");
        assert_eq!(note.unwrap(), "\n[This cell has printed 10 bytes: what follows is not shown.]\n");
        assert_eq!(shown(&mut limits, "a"), (String::new(), None));
        for _ in 0..100_000 {
            assert_eq!(shown(&mut limits, "line of 20 bytes ü.\n"), (String::new(), None));
        }
        let note = limits.note().unwrap();
        assert!(note.starts_with("\n[2.1 MB of text dropped: a cell shows 10 bytes. `gpu::set_output_limit(100);`"));
        assert!(note.ends_with(" ü.\nline of 20 bytes ü.\n\n"), "{note}");
        let what = "2.1 MB of text dropped: a cell shows 10 bytes.";
        assert_eq!(dropped(&format!("[a]\n{note}")), Some(Dropped { what, limit: 10_000_000 }));
        assert_eq!(dropped("\n[2 MB of text dropped]\n"), None);
        assert!((TAIL..TAIL + 300).contains(&note.len()));
        assert_eq!(limits.note(), None, "it is said once");
        limits.begin_cell();
        assert_eq!(shown(&mut limits, "12345").0, "12345");
        limits.cleared();
        assert_eq!(shown(&mut limits, "1234567890").0, "1234567890");
    }

    #[test]
    fn displays_are_limited_in_number_and_size() {
        let data = |bytes: usize| Map::from_iter([("text/html".to_owned(), Value::from("x".repeat(bytes)))]);
        let mut limits = OutputLimits::new(TEXT);
        let small = data(10);
        assert_eq!((0..2000).filter(|_| limits.admit(&small, false)).count(), 1000);
        assert!((0..2000).all(|_| limits.admit(&small, true)), "updates add nothing");
        let note = limits.note().unwrap();
        assert!(note.starts_with("\n[1000 displays of 10 kB dropped: a cell shows 1000, or 50 MB. "), "{note}");
        assert!(note.ends_with("WARPCELL_OUTPUT_LIMIT=20MB in Jupyter's environment, raises this limit.]\n"), "{note}");
        limits.begin_cell();
        let large = data(20_000_000);
        assert_eq!((0..5).filter(|_| limits.admit(&large, false)).count(), 2);
        assert!(!limits.admit(&data(60_000_000), true));
        assert!(limits.admit(&small, false), "there is room for a small one");
        let mut unlimited = OutputLimits::new(u64::MAX);
        assert_eq!((0..5000).filter(|_| unlimited.admit(&small, false)).count(), 5000);
    }

    #[test]
    fn sizes_as_people_write_them() {
        for (text, bytes) in [
            ("1000", Some(1000)),
            ("20MB", Some(20_000_000)),
            (" 2.5 mb", Some(2_500_000)),
            ("1_000k", Some(1_000_000)),
            ("1G", Some(1_000_000_000)),
            ("none", Some(u64::MAX)),
            ("-1", None),
            ("much", None),
            ("", None),
        ] {
            assert_eq!(size_of(text), bytes, "{text}");
        }
        let words = [0, 999, 2_000_000, 2_400_000, 98_765_432, 3_000_000_000].map(size_in_words);
        assert_eq!(words, ["0 bytes", "999 bytes", "2 MB", "2.4 MB", "99 MB", "3 GB"]);
    }
}
