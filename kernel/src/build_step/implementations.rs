//! Implementations that later cells replace.
//!
//! evcxr keeps an implementation with the named item before it in its cell, and forgets it only when that item is defined again. So an older
//! one is often still there when a cell has a new one, and the compiler refuses both. Nothing is done before it does: its errors say which
//! implementations do not go together. The cell's own counts then, as with other items. An implementation of an earlier cell that does not
//! fit a type or trait which the cell defines again goes too, and the user is told so. Later cells leave out the same.

use super::compiler_message::{CompilerMessage, is_cell_source};
use super::messages::{read, write};
use super::names::items_before_runtime;
use crate::environment::cell_text;
use crate::files;
use crate::syntax::{NUMBER_SUFFIXES, blank, declared_name, parse, statements};
use anyhow::Result;
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;

/// Errors about two implementations: of a trait, or of functions of one name.
const CONFLICTS: [&str; 2] = ["E0119", PARTS];
const PARTS: &str = "E0592";
/// An implementation's text, however it is laid out.
type Text = String;

/// What is left out in a session.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LeftOut {
    /// Whole implementations.
    whole: BTreeSet<Text>,
    /// Functions, types and constants of implementations.
    parts: BTreeMap<Text, BTreeSet<String>>,
    /// Implementations of which evcxr has several with the same text: one stays.
    repeated: BTreeSet<Text>,
}

impl LeftOut {
    const FILE: &str = "implementations.json";

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.parts.is_empty() && self.repeated.is_empty()
    }

    fn count(&self) -> usize {
        self.whole.len() + self.repeated.len() + self.parts.values().map(BTreeSet::len).sum::<usize>()
    }
}

/// What is left out before a cell, to be put back if evcxr forgets the cell.
pub fn replaced(session: &Path) -> Option<String> {
    std::fs::read_to_string(session.join(LeftOut::FILE)).ok()
}

/// Puts it back.
pub fn put_back(session: &Path, replaced: Option<&str>) -> Result<()> {
    let file = session.join(LeftOut::FILE);
    match replaced {
        Some(text) => files::replace(&file, text),
        None if file.exists() => Ok(std::fs::remove_file(&file)?),
        None => Ok(()),
    }
}

/// The implementations that are left out of a cell.
pub struct Implementations<'a> {
    session: &'a Path,
    left_out: LeftOut,
    has_changed: bool,
    /// What the user is told.
    pub notes: Vec<String>,
}

impl<'a> Implementations<'a> {
    /// Those that were left out until now.
    pub fn of(session: &'a Path) -> Implementations<'a> {
        Implementations { session, left_out: read(session, LeftOut::FILE), has_changed: false, notes: Vec::new() }
    }

    /// The source without them. Lines and columns stay.
    pub fn without<'s>(&mut self, source: &'s str) -> Cow<'s, str> {
        if self.left_out.is_empty() {
            return Cow::Borrowed(source);
        }
        // What the cell has counts again.
        for text in self.of_cell().implementations {
            if self.left_out.whole.remove(&text) | self.left_out.parts.remove(&text).is_some() {
                self.left_out.repeated.insert(text);
                self.has_changed = true;
            }
        }
        let mut places: Vec<Range<usize>> = Vec::new();
        let mut seen = HashSet::new();
        for block in implementations(items_before_runtime(source)).iter().rev() {
            let text = text_of(block.syntax());
            if self.left_out.whole.contains(&text)
                || (self.left_out.repeated.contains(&text) && !seen.insert(text.clone()))
            {
                places.push(block.syntax().text_range().into());
            } else if let Some(names) = self.left_out.parts.get(&text) {
                places.extend(parts(block).filter(|(name, _)| names.contains(name)).map(|(_, place)| place));
            }
        }
        let mut result = source.to_owned();
        for place in places {
            let blank = blank(&result[place.clone()]);
            result.replace_range(place, &blank);
        }
        Cow::Owned(result)
    }

    /// Learns of the compiler's messages about a source what else must be left out. False if that is nothing.
    pub fn learn(&mut self, messages: &str, source: &str) -> bool {
        // Most errors are in the cell's statements.
        let last = items_before_runtime(source).matches('\n').count();
        let concerns_items = |message: &CompilerMessage| message.line().is_some_and(|line| line <= last);
        let errors: Vec<CompilerMessage> = CompilerMessage::errors(messages).filter(concerns_items).collect();
        if errors.is_empty() {
            return false;
        }
        let blocks = implementations(items_before_runtime(source));
        if blocks.is_empty() {
            return false;
        }
        let cell = self.of_cell();
        let before = self.left_out.count();
        for error in &errors {
            let concerned: Vec<(&ast::Impl, usize)> = error
                .spans()
                .iter()
                .filter_map(|span| {
                    let line = line_of(span)?;
                    let lines = |block: &&ast::Impl| lines_of(source, block.syntax()).contains(&line);
                    Some((blocks.iter().find(lines)?, line))
                })
                .collect();
            if CONFLICTS.contains(&error.code()) {
                self.choose(error, &concerned, &cell);
            } else if let Some((block, _)) =
                error.line().and_then(|line| concerned.iter().find(|(_, at)| *at == line + 1))
            {
                self.outdate(error, block, &cell);
            }
        }
        self.has_changed |= self.left_out.count() > before;
        self.left_out.count() > before
    }

    /// Leaves out what an earlier cell has in place of what the cell has.
    fn choose(&mut self, error: &CompilerMessage, concerned: &[(&ast::Impl, usize)], cell: &CellItems) {
        let texts: Vec<Text> = concerned.iter().map(|(block, _)| text_of(block.syntax())).collect();
        if let [one, other] = texts.as_slice()
            && one == other
            && concerned[0].0 != concerned[1].0
        {
            self.left_out.repeated.insert(one.clone());
            return;
        }
        let is_of_cell = |text: &Text| cell.implementations.contains(text);
        // What is not an implementation is a type with a `derive`.
        let is_derived = |span: &Value| {
            let line = line_of(span);
            !concerned.iter().any(|(_, at)| Some(*at) == line)
        };
        if !texts.iter().any(is_of_cell) && !error.spans().iter().any(is_derived) {
            return;
        }
        for ((block, _), text) in concerned.iter().zip(texts).filter(|(_, text)| !is_of_cell(text)) {
            // "duplicate definitions with name `new`"
            let name = error.text().split('`').nth(1).filter(|_| error.code() == PARTS);
            match name.filter(|name| parts(block).any(|(part, _)| part == *name)) {
                Some(name) => {
                    self.left_out.parts.entry(text).or_default().insert(name.to_owned());
                }
                None => {
                    self.left_out.whole.insert(text);
                }
            }
        }
    }

    /// Leaves out an implementation of an earlier cell that is in error, if the cell defines its type or trait again.
    fn outdate(&mut self, error: &CompilerMessage, block: &ast::Impl, cell: &CellItems) {
        let text = text_of(block.syntax());
        let head = [block.self_ty(), block.trait_()];
        let names = head.iter().flatten().flat_map(|part| crate::syntax::identifiers(part.syntax()));
        let Some(name) = names.into_iter().find(|name| cell.types.contains(name)) else { return };
        if !cell.implementations.contains(&text) && self.left_out.whole.insert(text) {
            self.notes.push(format!(
                "`{}` of an earlier cell does not fit the new `{name}` and is left out: {}. Write it again for the new `{name}`.",
                head_of(block),
                error.text()
            ));
        }
    }

    /// Keeps for later cells what is left out.
    pub fn keep(&self) -> Result<()> {
        if self.has_changed { write(self.session, LeftOut::FILE, &self.left_out) } else { Ok(()) }
    }

    /// What the cell that is compiled defines.
    fn of_cell(&self) -> CellItems {
        CellItems::of(&std::fs::read_to_string(cell_text(self.session)).unwrap_or_default())
    }
}

/// The items of a cell's text.
#[derive(Default)]
struct CellItems {
    implementations: HashSet<Text>,
    /// The names of its types and traits.
    types: HashSet<String>,
}

impl CellItems {
    fn of(cell: &str) -> CellItems {
        let mut found = CellItems::default();
        for (_, node) in statements(cell) {
            match ast::Item::cast(node) {
                Some(ast::Item::Impl(block)) => {
                    found.implementations.insert(text_of(block.syntax()));
                }
                Some(
                    item @ (ast::Item::Struct(_)
                    | ast::Item::Enum(_)
                    | ast::Item::Union(_)
                    | ast::Item::Trait(_)
                    | ast::Item::TypeAlias(_)),
                ) => found.types.extend(declared_name(item.syntax())),
                _ => {}
            }
        }
        found
    }
}

fn implementations(items: &str) -> Vec<ast::Impl> {
    let blocks = parse(items).tree().items().filter_map(|item| match item {
        ast::Item::Impl(block) => Some(block),
        _ => None,
    });
    blocks.collect()
}

/// The named parts of an implementation, with their places.
fn parts(block: &ast::Impl) -> impl Iterator<Item = (String, Range<usize>)> + use<> {
    let items = block.assoc_item_list().into_iter().flat_map(|list| list.assoc_items().collect::<Vec<_>>());
    items.filter_map(|item| Some((declared_name(item.syntax())?, item.syntax().text_range().into())))
}

/// A text without comments and blanks. The types that the kernel writes behind numbers do not count.
fn text_of(node: &SyntaxNode) -> Text {
    let mut text = String::new();
    for token in node.descendants_with_tokens().filter_map(NodeOrToken::into_token) {
        let word = match token.kind() {
            kind if kind.is_trivia() => continue,
            SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => {
                let suffixes = NUMBER_SUFFIXES.iter().flat_map(|suffix| [*suffix, &suffix[1..]]);
                let plain = suffixes.into_iter().find_map(|suffix| token.text().strip_suffix(suffix));
                plain.unwrap_or(token.text()).to_owned()
            }
            _ => token.text().to_owned(),
        };
        text.push_str(&word);
        text.push(' ');
    }
    text
}

/// The head of an implementation, on one line.
fn head_of(block: &ast::Impl) -> String {
    let text = block.syntax().text().to_string();
    let first = block.syntax().text_range().start();
    let start = block.impl_token().map_or(0, |token| usize::from(token.text_range().start() - first));
    let list = block.assoc_item_list().map(|list| usize::from(list.syntax().text_range().start() - first));
    text[start..list.unwrap_or(text.len())].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The line of a place in the source, from 1.
fn line_of(span: &Value) -> Option<usize> {
    let is_cell = span["file_name"].as_str().is_some_and(is_cell_source);
    is_cell.then(|| usize::try_from(span["line_start"].as_u64()?).ok()).flatten()
}

/// The lines of a part of a source, from 1.
fn lines(source: &str, place: &Range<usize>) -> Range<usize> {
    let first = 1 + source[..place.start].matches('\n').count();
    first..first + 1 + source[place.clone()].matches('\n').count()
}

fn lines_of(source: &str, node: &SyntaxNode) -> Range<usize> {
    lines(source, &node.text_range().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SPEAK: &str = "trait Speak { fn speak(&self) -> u8; }\n";
    const BEHIND: &str = "mod evcxr_internal_runtime {\n}\nfn code() {}\n";

    /// A session whose cell has a text.
    fn session(cell: &str) -> tempfile::TempDir {
        let session = tempfile::tempdir().unwrap();
        std::fs::write(cell_text(session.path()), cell).unwrap();
        session
    }

    /// The compiler's message about lines of the source.
    fn message(code: &str, text: &str, lines: &[usize]) -> String {
        let span = |(index, line): (usize, &usize)| json!({"file_name": "/s/build/lib.rs", "line_start": line, "line_end": line, "is_primary": index == 0});
        let spans: Vec<Value> = lines.iter().enumerate().map(span).collect();
        json!({"level": "error", "code": {"code": code}, "message": text, "spans": spans}).to_string() + "\n"
    }

    #[test]
    fn what_the_cell_has_replaces_what_was_there() {
        let old = "impl Speak for A { fn speak(&self) -> u8 { 1 } }\n";
        let new = "impl Speak for A {\n    fn speak(&self) -> u8 { 2 }\n}\n";
        let session = session(&format!("struct A;\n// Again.\n{new}"));
        let mut known = Implementations::of(session.path());
        for (source, lines) in [
            (format!("{SPEAK}{old}struct A;\n{new}{BEHIND}"), [4, 2]),
            (format!("{SPEAK}struct A;\n{new}{old}{BEHIND}"), [6, 3]),
        ] {
            known.left_out = LeftOut::default();
            assert_eq!(known.without(&source), source);
            assert!(known.learn(&message("E0119", "conflicting", &lines), &source));
            assert_eq!(known.without(&source), source.replace(old, &blank(old)));
            assert!(!known.learn(&message("E0119", "conflicting", &lines), &source), "nothing more is known");
        }
        known.keep().unwrap();
        assert_eq!(Implementations::of(session.path()).left_out, known.left_out);
        // When the old one is run again, it counts.
        std::fs::write(cell_text(session.path()), old).unwrap();
        let source = format!("struct A;\n{new}{old}{old}{BEHIND}");
        let mut known = Implementations::of(session.path());
        let rest = known.without(&source).into_owned();
        assert_eq!(rest.matches("impl").count(), 2, "{rest}");
        assert!(known.learn(&message("E0119", "conflicting", &[6, 2]), &rest));
        assert_eq!(
            known.without(&source).trim(),
            format!("struct A;\n{}{}{old}{BEHIND}", blank(new), blank(old)).trim()
        );
    }

    #[test]
    fn a_function_replaces_the_one_of_its_name() {
        let old = "impl A { fn a() {} fn b() {} }\n";
        let new = "impl A { fn b() { 1; } }\n";
        let session = session(new);
        let mut known = Implementations::of(session.path());
        let source = format!("{old}struct A;\n{new}{BEHIND}");
        assert!(known.learn(&message("E0592", "duplicate definitions with name `b`", &[1, 3]), &source));
        assert_eq!(known.without(&source), source.replace("fn b() {} }", "          }"));
    }

    #[test]
    fn what_does_not_fit_a_new_type_is_left_out_and_said() {
        let old = "impl A { fn get(&self) -> u8 { self.v } }\n";
        let source = format!("{old}struct A {{ w: u8 }}\n{BEHIND}");
        let error = message("E0609", "no field `v` on type `&A`", &[1]);
        let elsewhere = session("struct B;");
        assert!(!Implementations::of(elsewhere.path()).learn(&error, &source), "the cell does not define the type");
        let session = session("struct A { w: u8 }");
        let mut known = Implementations::of(session.path());
        assert!(!known.learn(&message("E0609", "no field", &[6]), &source), "an error of the cell's statements");
        assert!(known.learn(&error, &source));
        assert_eq!(
            known.notes,
            [
                "`impl A` of an earlier cell does not fit the new `A` and is left out: no field `v` on type `&A`. Write it again for the new `A`."
            ]
        );
    }

    #[test]
    fn two_implementations_of_a_cell_are_its_users_error() {
        let both = "impl A { fn a() {} }\nimpl A { fn a() { 1; } }\n";
        let session = session(both);
        let source = format!("{both}struct A;\n{BEHIND}");
        assert!(
            !Implementations::of(session.path())
                .learn(&message("E0592", "duplicate definitions with name `a`", &[1, 2]), &source)
        );
    }
}
