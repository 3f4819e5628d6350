//! Completion, inspection and the check for completeness.

use crate::build_step;
use crate::choices;
use crate::evaluator::{Completeness, Completion, Completions, documentation, open_call, paths};
use crate::magics::{self, Completing, Notebook};
use crate::nesting;
use crate::syntax::{blank, is_word};
use evcxr::CommandContext;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// No candidates.
pub fn nothing(cursor: usize) -> Completions {
    Completions { candidates: Vec::new(), start: cursor, end: cursor }
}

/// Candidates for a magic, for its options or for a path, if the cursor is at one. `directory` is the directory of the
/// cells.
pub fn words(code: &str, cursor: usize, notebook: &Notebook, directory: &dyn Fn() -> PathBuf) -> Option<Completions> {
    Some(match magics::complete_at(code, cursor, notebook)? {
        Completing::Words { range, candidates } => complete_words(range, candidates),
        Completing::Path { range, directories, shell } => {
            paths::complete(code, range, directories, shell, &directory())
        }
    })
}

/// The documentation of the magic at the cursor. The outer `None` means that there is no magic at the cursor.
pub fn help_on_magic(code: &str, cursor: usize) -> Option<Option<Map<String, Value>>> {
    let word = magics::word_at(code, cursor)?;
    let help = magics::help(code[word].trim_start_matches(['/', '%']));
    Some(help.map(|text| Map::from_iter([("text/plain".to_owned(), Value::from(text))])))
}

/// Whether a cell can be run as it stands.
pub fn is_complete(code: &str, notebook: &Notebook) -> Completeness {
    match magics::expand(code, notebook) {
        Err(error) if error.incomplete => Completeness::Incomplete { indent: String::new() },
        // Shell lines and questions follow no rule of Rust's.
        Ok(expansion) if !code.trim_start().starts_with("%%") && !expansion.timed => {
            crate::completeness::is_complete(&expansion.code)
        }
        _ => crate::completeness::is_complete(code),
    }
}

/// Candidates at a position in Rust code. `known` is code with the definitions that the context does not have.
pub fn complete(
    context: &mut CommandContext,
    notebook: &Notebook,
    known: &str,
    code: &str,
    cursor: usize,
) -> Completions {
    if nesting::too_deep(code, nesting::HELP).is_some() {
        return nothing(cursor);
    }
    let Ok(expansion) = magics::expand(code, notebook) else { return nothing(cursor) };
    let Some(offset) = expansion.code_offset(cursor) else { return nothing(cursor) };
    let (known, code) = behind_commands(known, &expansion.code, offset);
    let mut parts = parts_of_arrays(&code, offset);
    match context.completions(&format!("{known}{code}"), known.len() + offset) {
        Ok(found) if found.start_offset >= known.len() => {
            let (start, end) = (found.start_offset - known.len(), found.end_offset - known.len());
            let written = code.get(start..offset).unwrap_or_default();
            let mut candidates: Vec<Completion> = found
                .completions
                .into_iter()
                .map(|item| candidate(item.code, item.kind))
                .filter(|candidate| is_offered(&candidate.text, written))
                .collect();
            sort(&code[..start], &mut candidates);
            sign(context, &format!("{known}{}", &code[..start]), &mut candidates);
            if is_at_member(&code[..start]) && !has_sources() {
                candidates.push(Completion { text: LACK.to_owned(), kind: "text".to_owned(), signature: None });
            }
            parts.candidates.append(&mut candidates);
            let candidates = parts.candidates;
            Completions { candidates, start: expansion.original_offset(start), end: expansion.original_offset(end) }
        }
        _ => Completions {
            candidates: parts.candidates,
            start: expansion.original_offset(parts.start),
            end: expansion.original_offset(parts.end),
        },
    }
}

/// The names that an expression may begin with, if none has begun yet. rust-analyzer fails at many such places: it looks
/// for expressions of the type that is wanted, and panics.
pub fn names(code: &str, cursor: usize, notebook: &Notebook) -> Completions {
    if !magics::is_at_empty_place(code, cursor) {
        return nothing(cursor);
    }
    let parts = parts_of_arrays(code, cursor);
    if !parts.candidates.is_empty() {
        return parts;
    }
    // The last statement has not ended.
    let above = &code[..code[..cursor].rfind([';', '}']).map_or(0, |at| at + 1)];
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    let kind_of = |name: &str| match name {
        "gpu" => "module",
        name if is_type(name) => "class",
        _ => "function",
    };
    let mut of_cell: Vec<String> = build_step::defined_in(above).into_iter().map(|(name, _)| name).collect();
    of_cell.reverse();
    let items_of_cell = build_step::items_in(above);
    let variables = of_cell.into_iter().chain(notebook.variables.iter().map(|(name, _)| name.clone()));
    let items = notebook.items.iter().cloned().chain(OF_PRELUDE.split_whitespace().map(str::to_owned));
    let items = items_of_cell.into_iter().chain(items);
    let mut known = HashSet::new();
    let all = variables.map(|name| (name, "instance")).chain(items.map(|name| (name.clone(), kind_of(&name))));
    let candidates = all
        .filter(|(name, _)| known.insert(name.clone()))
        .map(|(text, kind)| Completion { text, kind: kind.to_owned(), signature: None })
        .collect();
    Completions { candidates, start: cursor, end: cursor }
}

/// Candidates of rust-analyzer's behind these names, if they are for the same place.
pub fn with_names(mut found: Completions, mut names: Completions) -> Completions {
    if found.candidates.is_empty() || (found.start, found.end) != (names.start, names.end) {
        return if found.candidates.is_empty() { names } else { found };
    }
    let plain = |candidate: &Completion| candidate.text.trim_end_matches(['!', ':']).to_owned();
    let known: HashSet<String> = names.candidates.iter().map(plain).collect();
    found.candidates.retain(|candidate| !known.contains(&plain(candidate)));
    names.candidates.append(&mut found.candidates);
    names
}

/// What notebooks use of the prelude and of Rust's own, the most frequent first.
const OF_PRELUDE: &str = "gpu println! array! s! vec! format! Array1 Array2 Axis DeviceArray fuse! Vec String Some None Ok Err assert! dbg! Box";

/// What notebooks use of `gpu`, the most frequent first, as the lessons and the cheat sheet do.
const OF_GPU: &str = "\
    array asarray zeros ones arange linspace full empty eye sum mean max min exp sqrt abs matmul dot where_ set map \
    random:: linalg:: plot imshow scatter hist bar concatenate stack sort argsort allclose convolve convolve2d fft:: host:: \
    launch synchronize device device_info benchmark Timer map_host maximum minimum clip reshape einsum unique \
    histogram median sin cos log tanh load save imread type_of devices memory_pool Device DeviceArray Complex";

/// What is written between the brackets of `s![…]`, the most frequent first.
const PARTS: [&str; 8] = ["..", "1..", "..-1", "1..-1", "..;2", "..;-1", "-1", "NewAxis"];

/// Puts first what notebooks use. The order of the other candidates stays.
fn sort(before: &str, candidates: &mut [Completion]) {
    if !before.trim_end().ends_with("gpu::") {
        return;
    }
    let rank = |candidate: &Completion| {
        let name = candidate.text.trim_end_matches('!');
        OF_GPU.split_whitespace().position(|known| known == name).unwrap_or(usize::MAX)
    };
    candidates.sort_by_key(rank);
}

/// Candidates for a part along an axis, if the cursor is in `s![…]` at the beginning of a part.
fn parts_of_arrays(code: &str, cursor: usize) -> Completions {
    let start = code[..cursor].trim_end_matches(is_word).len();
    let is_start = code[..start].trim_end().ends_with(['[', ',']);
    let is_in_part = open_call::at(code, start).first().is_some_and(|call| call.callee == "s!");
    if !(is_start && is_in_part) {
        return nothing(cursor);
    }
    let written = &code[start..cursor];
    let candidates = PARTS
        .iter()
        .filter(|part| part.starts_with(written))
        .map(|part| Completion { text: (*part).to_owned(), kind: "keyword".to_owned(), signature: None })
        .collect();
    Completions { candidates, start, end: cursor }
}

/// The last candidate if the sources of the standard library are missing. It is a comment, so a cell that contains it
/// does not change.
const LACK: &str = "/* the standard library is not known: `warpcell doctor` says what to do */";

/// Whether rust-analyzer knows the standard library.
fn has_sources() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| choices::installation().is_ok_and(|installation| installation.has_sources()))
}

/// Whether a field, a method or a part of a path comes next. Its owner may belong to the standard library.
fn is_at_member(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with("::") || before.ends_with('.') && !before.ends_with("..")
}

/// A candidate of rust-analyzer's, without the brackets of a call.
fn candidate(mut code: String, kind: &str) -> Completion {
    if let Some(bracket) = code.find('(').filter(|_| code.ends_with([')', ';'])) {
        code.truncate(bracket);
    }
    Completion { text: code, kind: kind.to_owned(), signature: None }
}

/// Whether a name is offered behind what is written. Names with `__` are those of macros that other macros call: rust-analyzer
/// offers them, although they are hidden.
fn is_offered(name: &str, written: &str) -> bool {
    written.starts_with('_') || !name.starts_with("__")
}

/// Signatures are requested one by one, so only for a few candidates and only for this time.
const SIGNED: usize = 12;
const TIME_TO_SIGN: Duration = Duration::from_millis(100);

/// Adds the signatures of functions. `before` is the code in front of the candidates.
fn sign(context: &mut CommandContext, before: &str, candidates: &mut [Completion]) {
    if candidates.len() > SIGNED {
        return;
    }
    let began = Instant::now();
    let functions = candidates.iter_mut().filter(|candidate| candidate.kind == "function");
    for candidate in functions.filter(|candidate| !candidate.text.ends_with('!')) {
        if began.elapsed() > TIME_TO_SIGN {
            return;
        }
        candidate.signature = documentation::signature(before, &candidate.text, context);
    }
}

/// evcxr takes its commands only before any code. After `known` they are replaced with blanks. If the cursor is in a
/// command, `known` is not needed.
fn behind_commands<'a>(known: &'a str, code: &'a str, cursor: usize) -> (&'a str, Cow<'a, str>) {
    let mut blanked = String::new();
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let is_command = line.starts_with(':') || line.starts_with('!');
        if !is_command && !line.trim().is_empty() && !line.starts_with("//") {
            break;
        }
        if is_command && (start..=start + line.trim_end().len()).contains(&cursor) {
            return ("", Cow::Borrowed(code));
        }
        start += line.len();
        blanked.push_str(&blank(line));
    }
    if known.is_empty() || start == 0 {
        (known, Cow::Borrowed(code))
    } else {
        (known, Cow::Owned(blanked + &code[start..]))
    }
}

/// Documentation at a position in Rust code: of the call that the cursor is in, or of the name there. `known` is as in
/// [`complete`]. `detail` is Jupyter's level: with 0 the documentation of a call is short.
pub fn inspect(
    context: &mut CommandContext,
    known: &str,
    code: &str,
    cursor: usize,
    detail: u8,
) -> Option<Map<String, Value>> {
    if nesting::too_deep(code, nesting::HELP).is_some() {
        return None;
    }
    if !open_call::is_at_function(code, cursor)
        && let Some(found) = documentation::of_call(known, code, cursor, detail > 0, context)
    {
        return Some(found);
    }
    documentation::of(known, path_at(code, cursor)?, context)
}

fn complete_words(range: std::ops::Range<usize>, candidates: Vec<magics::MagicCandidate>) -> Completions {
    let kind = |candidate: &magics::MagicCandidate| if candidate.is_option { "option" } else { "magic" };
    let candidates = candidates
        .into_iter()
        .map(|candidate| Completion { kind: kind(&candidate).to_owned(), text: candidate.text, signature: None })
        .collect();
    Completions { candidates, start: range.start, end: range.end }
}

/// The path (`a::b.c`) that ends at or around the cursor.
fn path_at(code: &str, cursor: usize) -> Option<&str> {
    let end = code[cursor..].find(|character| !is_word(character)).map_or(code.len(), |length| cursor + length);
    let is_path = |character: char| is_word(character) || character == ':' || character == '.';
    let start = code[..end]
        .rfind(|character| !is_path(character))
        .map_or(0, |index| index + code[index..].chars().next().map_or(1, char::len_utf8));
    let path = code[start..end].trim_matches([':', '.']);
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_blanked_behind_what_is_known() {
        let code = ":dep é = \"1\"\nlet a = b";
        assert_eq!(
            behind_commands("fn f() {}\n", code, code.len()),
            ("fn f() {}\n", format!("{}\nlet a = b", " ".repeat(13)).into())
        );
        assert_eq!(behind_commands("fn f() {}\n", code, 3), ("", code.into()));
        assert_eq!(behind_commands("", code, code.len()), ("", code.into()));
        assert_eq!(behind_commands("fn f() {}\n", "a.b", 3), ("fn f() {}\n", "a.b".into()));
    }

    #[test]
    fn members_follow_dots_and_paths() {
        assert!(is_at_member("let x = v.") && is_at_member("v\n    .") && is_at_member("Vec::"));
        assert!(!is_at_member("0..") && !is_at_member("v") && !is_at_member(""));
    }

    #[test]
    fn candidates_come_without_the_brackets_of_a_call() {
        for (code, expected) in [("f(x, &y)", "f"), ("clear();", "clear"), ("println!()", "println!"), ("name", "name")]
        {
            assert_eq!(candidate(code.to_owned(), "function").text, expected);
        }
    }

    #[test]
    fn hidden_names_are_offered_if_they_are_begun() {
        assert!(is_offered("fft::", "") && is_offered("_ptr", "") && is_offered("__fft_dct!", "_"));
        assert!(!is_offered("__fft_dct!", ""));
    }

    #[test]
    fn what_notebooks_use_comes_first() {
        let named = |text: &str| Completion { text: text.to_owned(), kind: "function".to_owned(), signature: None };
        let mut candidates = ["AnyArray", "zeros", "set!", "Argument", "random::", "array"].map(named);
        sort("let x = gpu::", &mut candidates);
        let texts = candidates.each_ref().map(|candidate| candidate.text.as_str());
        assert_eq!(texts, ["array", "zeros", "set!", "random::", "AnyArray", "Argument"]);
    }

    #[test]
    fn parts_of_arrays_are_completed() {
        let of = |code: &str| {
            let found = parts_of_arrays(code, code.len());
            (found.candidates.len(), found.start)
        };
        assert_eq!(of("m.slice(s!["), (PARTS.len(), 11));
        assert_eq!(of("m.slice(s![1.., "), (PARTS.len(), 16));
        assert_eq!(of("m.slice(s![.., New"), (1, 15));
        assert_eq!(of("m.slice(s![1..").0, 0);
        assert_eq!(of("let v = [").0, 0);
    }

    #[test]
    fn names_are_offered_where_nothing_is_written() {
        let items = ["double", "Point"].map(str::to_owned);
        let notebook = Notebook {
            variables: vec![("x".to_owned(), "i32".to_owned())],
            items: items.into(),
            ..Notebook::default()
        };
        let of = |code: &str| {
            let found = names(code, code.len(), &notebook);
            assert_eq!((found.start, found.end), (code.len(), code.len()));
            found.candidates.into_iter().map(|candidate| candidate.text).collect::<Vec<_>>()
        };
        assert_eq!(of("")[..5], ["x", "Point", "double", "gpu", "println!"]);
        assert_eq!(of("let a = 1;\nlet b = 2;\nfn f() {}\nlet c = ")[..4], ["b", "a", "x", "f"]);
        assert_eq!(of("let x = 1;\n").iter().filter(|name| *name == "x").count(), 1);
        for code in [
            "f(",
            "f(a, ",
            "let y = a + ",
            "return ",
            "for i in ",
            "%time ",
            "%time f()\n",
            "a\n",
            "if a { ",
            "if a {} ",
        ] {
            assert!(of(code).contains(&"x".to_owned()), "{code}");
        }
        assert_eq!(of("m.slice(s![")[0], "..");
        for code in [
            "let ",
            "a",
            "a ",
            "a.",
            "gpu::",
            "\"a ",
            "// a ",
            "let a: ",
            "fn f() -> ",
            "f() ",
            "fn ",
            "1",
            "use a::{b, ",
            "use a::{\n",
            "struct S { a: u8, ",
        ] {
            assert_eq!(of(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn names_come_before_other_candidates() {
        let of = |texts: &[&str], start: usize| {
            let named =
                |text: &&str| Completion { text: (*text).to_owned(), kind: "instance".to_owned(), signature: None };
            Completions { candidates: texts.iter().map(named).collect(), start, end: start }
        };
        let texts =
            |found: Completions| found.candidates.into_iter().map(|candidate| candidate.text).collect::<Vec<_>>();
        assert_eq!(texts(with_names(of(&["b", "gpu::", "a"], 3), of(&["a", "gpu"], 3))), ["a", "gpu", "b"]);
        assert_eq!(texts(with_names(of(&["b"], 3), of(&["a"], 4))), ["b"]);
        assert_eq!(texts(with_names(of(&["b"], 3), nothing(3))), ["b"]);
        assert_eq!(texts(with_names(of(&[], 3), of(&["a"], 4))), ["a"]);
    }

    #[test]
    fn the_path_under_the_cursor() {
        assert_eq!(path_at("let x = gpu::zeros(3);", 15), Some("gpu::zeros"));
        assert_eq!(path_at("x.len()", 3), Some("x.len"));
        assert_eq!(path_at("   ", 1), None);
        assert_eq!(path_at("ä.abs", 5), Some("ä.abs"));
    }
}
