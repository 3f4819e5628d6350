//! The names in an expression of Python or Rust, and which of them the expression is about.
//!
//! The kernel has this file too, for `np.percentile?`. So it needs the standard library only.

/// What modules are called before the name of a function: `np.sort`, `gpu::sort`.
pub const ROOTS: [&str; 9] = ["np", "numpy", "cp", "cupy", "cupyx", "scipy", "jnp", "jax", "gpu"];

/// Modules that stand at the start of a path themselves: `cuda.grid`.
const MODULES: [&str; 2] = ["cuda", "plt"];

/// Where a name stands in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePlace {
    /// `np.linalg.svd`, of which `np` is left out.
    Module,
    /// `a.sum`
    Variable,
    /// `np.fft.fft(a).imag`
    Result,
    /// `len(a)`
    Alone,
}

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The words of the path.
    pub path: Vec<&'a str>,
    /// How it is written, `np` included.
    pub text: &'a str,
    pub place: NamePlace,
    /// Whether a bracket follows.
    pub is_called: bool,
    /// The number of brackets around it.
    pub depth: usize,
}

impl<'a> Name<'a> {
    /// The last word of the path.
    pub fn last(&self) -> &'a str {
        self.path.last().copied().unwrap_or_default()
    }
}

/// The words of a path, with Python's dots or Rust's colons.
pub fn words_of_path(path: &str) -> Vec<&str> {
    path.split(['.', ':']).filter(|word| !word.is_empty()).collect()
}

/// The words behind `np`, `cupyx.scipy` and the like.
pub fn behind_roots<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let roots = words.iter().take_while(|word| ROOTS.contains(word)).count();
    &words[roots.min(words.len().saturating_sub(1))..]
}

/// The names in an expression, in their order.
pub fn names(expression: &str) -> Vec<Name<'_>> {
    let bytes = expression.as_bytes();
    let at_byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    let is_start = |at: usize| at_byte(at).is_ascii_alphabetic() || at_byte(at) == b'_';
    let is_word = |at: usize| at_byte(at).is_ascii_alphanumeric() || at_byte(at) == b'_';
    let end_of_word = |from: usize| (from..).find(|at| !is_word(*at)).unwrap_or(from);
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            quote @ (b'\'' | b'"') => {
                if let Some(length) = bytes[at + 1..].iter().position(|byte| *byte == quote) {
                    at += length + 1;
                }
            }
            digit if digit.is_ascii_digit() => {
                // `1e9`, `0.5`
                at = end_of_word(at);
                while at_byte(at) == b'.' && at_byte(at + 1).is_ascii_digit() {
                    at = end_of_word(at + 1);
                }
                continue;
            }
            _ if is_start(at) => {
                let start = at;
                at = end_of_word(at);
                while let Some(next) = match (at_byte(at), at_byte(at + 1)) {
                    (b'.', _) if is_start(at + 1) => Some(at + 1),
                    (b':', b':') if is_start(at + 2) => Some(at + 2),
                    _ => None,
                } {
                    at = end_of_word(next);
                }
                let text = &expression[start..at];
                let words = words_of_path(text);
                // Not behind the dots of a range.
                let is_of_result = start > 0 && at_byte(start - 1) == b'.' && (start < 2 || at_byte(start - 2) != b'.');
                let each = |from: usize, place| (from..words.len()).map(|word| (word..word + 1, place)).collect();
                let kept: Vec<(std::ops::Range<usize>, NamePlace)> = match words[..] {
                    _ if is_of_result => each(0, NamePlace::Result),
                    [root, _, ..] if ROOTS.contains(&root) => {
                        let roots = words.len() - behind_roots(&words).len();
                        vec![(roots..words.len(), NamePlace::Module)]
                    }
                    [module, _, ..] if MODULES.contains(&module) => vec![(0..words.len(), NamePlace::Module)],
                    [_] if at_byte(at) == b'(' => each(0, NamePlace::Alone),
                    // The first word is a variable.
                    _ => each(1, NamePlace::Variable),
                };
                let is_called = matches!(at_byte(at), b'(' | b'[');
                for (range, place) in kept {
                    found.push(Name { path: words[range].to_vec(), text, place, is_called, depth });
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether a name of ours is the same word: Rust's `where_` is NumPy's `where`.
pub fn is_same(ours: &str, theirs: &str) -> bool {
    ours == theirs || ours.strip_suffix('_') == Some(theirs)
}

/// The names of our expression that are not in brackets within it.
pub fn heads(ours: &str) -> Vec<Name<'_>> {
    let mut found = names(ours);
    found.retain(|name| name.place != NamePlace::Alone);
    let top = found.iter().map(|name| name.depth).min();
    found.retain(|name| Some(name.depth) == top);
    found
}

/// What their expression is about, beside ours: of `np.nansum(np.where(mask, a, np.nan))` this is `np.nansum`.
pub fn subjects<'a>(theirs: &'a str, ours: &str) -> Vec<Name<'a>> {
    // `(c := a.copy(), np.copyto(c, b))[0]` shows what a call has changed.
    let call = theirs.strip_prefix("(c := ").and_then(|rest| rest.find(", np.").map(|at| &rest[at + 2..]));
    let mut found = names(call.unwrap_or(theirs));
    if found.iter().any(|name| name.place != NamePlace::Alone) {
        found.retain(|name| name.place != NamePlace::Alone);
    }
    let heads = heads(ours);
    let is_ours = |name: &&Name<'_>| heads.iter().any(|head| is_same(head.last(), name.last()));
    let depth = |names: &mut dyn Iterator<Item = &Name<'_>>| names.map(|name| name.depth).min();
    let top = depth(&mut found.iter().filter(is_ours)).or_else(|| depth(&mut found.iter()));
    found.retain(|name| Some(name.depth) == top);
    found
}

/// Whether our expression has the word that their name ends with.
pub fn mentions(ours: &str, theirs: &str) -> bool {
    names(ours).iter().any(|name| is_same(name.last(), theirs))
}

/// The arrays of the tables.
const ARRAYS: [&str; 4] = ["a", "b", "i", "mask"];

/// Whether an expression uses one of the arrays of the tables.
pub fn uses_arrays(expression: &str) -> bool {
    let without_texts = expression.split(['\'', '"']).step_by(2);
    let mut words =
        without_texts.flat_map(|part| part.split(|character: char| !(character.is_alphanumeric() || character == '_')));
    words.any(|word| ARRAYS.contains(&word))
}

/// Our expression with the arrays of the tables as references, as they are written in a cell.
pub fn with_references(ours: &str) -> String {
    let mut written = String::with_capacity(ours.len() + 8);
    let mut rest = ours;
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    while let Some(at) = rest.find(is_word) {
        written += &rest[..at];
        let end = rest[at..].find(|character| !is_word(character)).map_or(rest.len(), |length| at + length);
        let before = written.trim_end();
        // `|[i, j]|` are the parameters of a closure.
        let is_argument = before.ends_with(['(', ',', '[', '=']) && !before.ends_with("|[");
        let is_whole = rest[end..].starts_with([',', ')', ']']);
        if is_argument && is_whole && ARRAYS.contains(&&rest[at..end]) {
            written.push('&');
        }
        written += &rest[at..end];
        rest = &rest[end..];
    }
    written + rest
}
