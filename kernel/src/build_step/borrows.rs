//! Arrays in formulas stay: `let d = gpu::exp(m) * 2.0;` leaves `m` to later lines and cells, as NumPy does.
//!
//! Rust moves `m` there, though operators and the prelude's functions only read it. If the compiler reports that an array was moved
//! away by one of them, the cell is compiled once more with `&` before this operand. So nothing is lost either if the operation
//! panics, for example because the shapes do not fit. An array that is given where a reference to one is wanted gets a `&` too. Other
//! functions that take an array by value still move it away.

use super::cell::CellCrate;
use super::cell_cache::CachedCell;
use super::compile_ahead::{CompileGoal, Compiled, CompilerTask};
use super::compiler_message::CompilerMessage;
use super::{cell_cache, checks, messages, times};
use crate::syntax::{line_start, offset_of, parse, range_of};
use anyhow::Result;
use ra_ap_syntax::ast::{self, AstNode, BinaryOp, UnaryOp};
use ra_ap_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, T, TextRange};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

/// What is written before an operand; and around one that is a formula itself. It can be told from what the user wrote.
pub const BORROW: &str = "&/* ::warpcell::cell::borrow */ ";
pub const BORROW_OF: &str = "&/* ::warpcell::cell::borrow of */(";
pub const END_OF_BORROW: &str = ")/* ::warpcell::cell::borrow */";

/// One of these texts, in the order in which they stand at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Part {
    End,
    Formula,
    Operand,
}

impl Part {
    fn text(self) -> &'static str {
        match self {
            Part::End => END_OF_BORROW,
            Part::Formula => BORROW_OF,
            Part::Operand => BORROW,
        }
    }
}

/// The types of arrays, of which a reference is an operand too: the prelude's, with its sparse matrices, polynomials and arrays in shards, and
/// those of `ndarray`.
const ARRAYS: [&str; 5] = ["DeviceArray<", "SparseMatrix<", "Poly1d<", "Sharded<", "ArrayBase<OwnedRepr<"];

/// How paths to the prelude's functions begin.
const PRELUDE: [&str; 2] = ["gpu::", "warpcell::"];

/// What the compiler says at the place that moves a value away.
const MOVES: [&str; 5] =
    ["value moved here", OF_OPERATOR, "variable moved due to use in closure", "move occurs because", "move out of"];

/// The same of an operator.
const OF_OPERATOR: &str = "moved due to usage in operator";

/// Errors about types: what a reference can be wrong for.
const OF_TYPES: [&str; 6] = ["E0277", "E0282", "E0308", "E0369", "E0600", "E0614"];

/// The file of the session with the lines that had references.
const KNOWN: &str = "borrows.json";

/// The operands that get a `&`.
#[derive(Debug, Default)]
pub struct Borrows {
    /// What is inserted.
    places: BTreeSet<Insertion>,
    /// What the compiler does not want.
    refused: BTreeSet<Insertion>,
}

/// An offset in the source, and what is inserted there.
type Insertion = (usize, Part);

/// A place in a line of the notebook that had an insertion: the line, the byte in it, and which insertion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct KnownBorrow {
    line: String,
    at: usize,
    part: Part,
}

impl Borrows {
    /// The operands in lines that were compiled before, such as those of functions, which every later cell has too.
    pub fn of(session: &Path, source: &str) -> Borrows {
        Borrows::among(&messages::read(session, KNOWN), source)
    }

    fn among(known: &BTreeSet<KnownBorrow>, source: &str) -> Borrows {
        let mut borrows = Borrows::default();
        let mut start = 0;
        for line in source.split_inclusive('\n').take_while(|_| !known.is_empty()) {
            let here = known.iter().filter(|known| known.line == line.trim_end());
            borrows.places.extend(here.map(|known| (start + known.at, known.part)));
            start += line.len();
        }
        borrows
    }

    /// Keeps the operands for later cells.
    pub fn keep(&self, session: &Path, source: &str) -> Result<()> {
        let known: BTreeSet<KnownBorrow> = messages::read(session, KNOWN);
        let in_line = |(place, part): &Insertion| {
            let start = line_start(source, *place);
            let line = source[start..].lines().next().unwrap_or_default().trim_end().to_owned();
            KnownBorrow { line, at: place - start, part: *part }
        };
        let refused: BTreeSet<KnownBorrow> = self.refused.iter().map(in_line).collect();
        let now = known.iter().cloned().chain(self.places.iter().map(in_line));
        let now: BTreeSet<KnownBorrow> = now.filter(|borrow| !refused.contains(borrow)).collect();
        if now == known { Ok(()) } else { messages::write(session, KNOWN, &now) }
    }

    /// Takes the operands from messages about the source. Returns whether there is another text to compile.
    pub fn learn(&mut self, messages: &str, source: &str) -> bool {
        let line_of = |place: usize| source[..place].matches('\n').count();
        let errors: Vec<CompilerMessage> = CompilerMessage::errors(messages).collect();
        let wanted: Vec<&Value> = errors.iter().flat_map(wanted_references).collect();
        let others = || errors.iter().filter(|message| wanted_references(message).is_empty());
        let of_types = others().filter(|message| OF_TYPES.contains(&message.code()));
        let lines: BTreeSet<usize> = of_types.filter_map(|message| message.line()).collect();
        let (wrong, right): (BTreeSet<Insertion>, BTreeSet<Insertion>) =
            std::mem::take(&mut self.places).into_iter().partition(|(place, _)| lines.contains(&line_of(*place)));
        let is_changed = !wrong.is_empty();
        self.places = right;
        self.refused.extend(wrong);
        let is_of_ours = |message: &CompilerMessage| self.is_of_reference(message, source);
        let moved: Vec<&CompilerMessage> =
            others().filter(|message| is_of_array(message) || is_of_ours(message)).collect();
        if moved.is_empty() && wanted.is_empty() {
            return is_changed;
        }
        let file = parse(source).syntax_node();
        let spans = moved.iter().flat_map(|message| message.spans());
        let moves = spans.filter(|span| is_move(span)).filter_map(|span| operand(&file, source, span));
        let arguments = wanted.iter().filter_map(|span| range_in(source, span)).flat_map(|place| around(&file, &place));
        let found = moves.map(|place| (place, Part::Operand)).chain(arguments);
        let before = self.places.len();
        self.places.extend(found.filter(|place| !self.refused.contains(place)).collect::<Vec<_>>());
        is_changed || self.places.len() > before
    }

    /// Whether a message says that an array with a reference of ours is moved away, as behind it in `&a * a`.
    fn is_of_reference(&self, message: &CompilerMessage, source: &str) -> bool {
        let is_ours = |span: &Value| {
            let is_borrowed = span["label"].as_str().is_some_and(|label| label.starts_with("borrow of `"));
            let place = range_in(source, span).filter(|_| is_borrowed);
            place.is_some_and(|place| self.places.contains(&(place.start, Part::Operand)))
        };
        message.code() == "E0505" && message.spans().iter().any(is_ours)
    }

    /// The source with the references.
    pub fn write<'a>(&self, source: &'a str) -> Cow<'a, str> {
        if self.places.is_empty() {
            return Cow::Borrowed(source);
        }
        let mut text = source.to_owned();
        self.places.iter().rev().for_each(|(place, part)| text.insert_str(*place, part.text()));
        Cow::Owned(text)
    }
}

/// What the compiler says of a source that is only checked, in places of the source, and its status. The file is for the source with
/// references.
pub fn checked(cell: &CellCrate<'_>, source: &str, file: &Path) -> Result<(String, i32)> {
    let mut borrows = Borrows::of(cell.session(), source);
    loop {
        let written = borrows.write(source);
        let Compiled { status, stderr: mut messages, .. } = check(cell, &written, file)?;
        if *written != *source {
            messages = checks::correct_columns(&messages, file, &written);
        }
        if !borrows.learn(&messages, source) {
            borrows.keep(cell.session(), source)?;
            return Ok((messages, status));
        }
    }
}

/// What the compiler says of a source. It is kept, as that about cells is.
fn check(cell: &CellCrate<'_>, source: &str, file: &Path) -> Result<Compiled> {
    let command = cell.checker(file);
    let cached = CachedCell::of(cell, &command, source, CompileGoal::Checked);
    if let Some(compiled) = cached.as_ref().and_then(|cached| cached.take(None)) {
        return Ok(compiled);
    }
    let began = SystemTime::now();
    times::count_run();
    cell_cache::forget_inputs(cell.context);
    let compiled = cell.checked(CompilerTask::Cells, command, source, file)?;
    if let Some(cached) = cached {
        cached.keep(cell, None, &compiled, began);
    }
    Ok(compiled)
}

/// Whether a message says that an array is moved away.
fn is_of_array(message: &CompilerMessage) -> bool {
    let is_array = |span: &Value| {
        let label = span["label"].as_str().unwrap_or_default();
        label.contains("does not implement the `Copy` trait") && ARRAYS.iter().any(|array| label.contains(array))
    };
    match message.code() {
        "E0382" | "E0507" => message.spans().iter().any(is_array),
        // Of an element of an array of Rust's.
        "E0508" => ARRAYS.iter().any(|array| message.text().contains(array)),
        _ => false,
    }
}

/// Whether a value is moved away at a place of a message.
fn is_move(span: &Value) -> bool {
    span["expansion"].is_null()
        && span["label"].as_str().is_some_and(|label| MOVES.iter().any(|text| label.contains(text)))
}

/// The places of arrays that are given where references to arrays are wanted. Of several arguments the compiler says it in notes.
fn wanted_references(message: &CompilerMessage) -> Vec<&Value> {
    if message.code() != "E0308" {
        return Vec::new();
    }
    let is_wanted = |text: &Value| {
        let wanted =
            text.as_str().and_then(|text| text.strip_prefix("expected `&")).filter(|rest| !rest.starts_with("mut "));
        let found = wanted.and_then(|rest| rest.split_once("`, found `")).map(|(_, found)| found);
        found.is_some_and(|found| ARRAYS.iter().any(|array| found.contains(array)))
    };
    let labels = message.spans().iter().filter(|span| is_wanted(&span["label"]));
    let notes = message.json()["children"].as_array().into_iter().flatten().filter(|note| is_wanted(&note["message"]));
    let places = labels.chain(notes.filter_map(|note| note["spans"].get(0)));
    places.filter(|span| span["expansion"].is_null()).collect()
}

/// Whether an operator moves the value away.
fn is_of_operator(span: &Value) -> bool {
    span["label"].as_str().is_some_and(|label| label.contains(OF_OPERATOR))
}

/// Where the operand of an operator begins, if a place is one.
fn operand(file: &SyntaxNode, source: &str, span: &Value) -> Option<usize> {
    let place = range_in(source, span)?;
    let (start, (element, range)) = (place.start, element_at(file, &place)?);
    let node = element.as_node().cloned().or_else(|| element.parent())?;
    let expression = node.ancestors().take_while(|node| node.text_range() == range).filter_map(ast::Expr::cast).last();
    // The whole may be in parentheses.
    if let Some(ast::Expr::ParenExpr(paren)) = &expression
        && is_of_operator(span)
        && let Some(start) = left_side(paren)
    {
        return Some(start);
    }
    let is_operand = match &expression {
        // Of an operator the compiler may name the whole. Its left side is the operand.
        Some(ast::Expr::BinExpr(_)) if is_of_operator(span) => true,
        Some(ast::Expr::PrefixExpr(prefix)) if is_of_operator(span) => {
            return prefix.expr().map(|operand| range_of(operand.syntax()).start);
        }
        Some(expression) => is_operand(expression.syntax()),
        None if element.as_token().is_some() => is_beside_operator(&node, range),
        None => {
            is_of_operator(span) && source[start..].starts_with(|first: char| first.is_alphabetic() || first == '_')
        }
    };
    is_operand.then_some(start)
}

/// Where the left side of the operator in parentheses begins, or the operand of the sign.
fn left_side(paren: &ast::ParenExpr) -> Option<usize> {
    match paren.expr()? {
        ast::Expr::ParenExpr(inner) => left_side(&inner),
        ast::Expr::BinExpr(binary) => Some(range_of(binary.lhs()?.syntax()).start),
        ast::Expr::PrefixExpr(prefix) => Some(range_of(prefix.expr()?.syntax()).start),
        _ => None,
    }
}

/// What is inserted so that an argument becomes a reference: a formula needs parentheses.
fn around(file: &SyntaxNode, place: &Range<usize>) -> Vec<Insertion> {
    const FORMULAS: [SyntaxKind; 3] = [SyntaxKind::BIN_EXPR, SyntaxKind::CAST_EXPR, SyntaxKind::PREFIX_EXPR];
    match element_at(file, place) {
        None => Vec::new(),
        Some((element, range)) if element.text_range() == range && FORMULAS.contains(&element.kind()) => {
            vec![(place.start, Part::Formula), (place.end, Part::End)]
        }
        Some(_) => vec![(place.start, Part::Operand)],
    }
}

/// The least element that has all of a place in it, and the place as a range.
fn element_at(file: &SyntaxNode, place: &Range<usize>) -> Option<(SyntaxElement, TextRange)> {
    let range = TextRange::new(u32::try_from(place.start).ok()?.into(), u32::try_from(place.end).ok()?.into());
    (range.end() <= file.text_range().end() && !range.is_empty()).then(|| (file.covering_element(range), range))
}

/// The bytes of a place in the source; none if something else stands there, as where the message is about code that was added to the
/// source.
fn range_in(source: &str, span: &Value) -> Option<Range<usize>> {
    let number = |name: &str| usize::try_from(span[name].as_u64()?).ok();
    let start = offset_of(source, number("line_start")?, number("column_start")?);
    let end = offset_of(source, number("line_end")?, number("column_end")?);
    let is_said = source.get(start..).is_some_and(|rest| rest.starts_with(&highlighted(span)));
    is_said.then_some(start..end)
}

/// The text of the first line of a place, as it was before references were added.
fn highlighted(span: &Value) -> String {
    let line = &span["text"][0];
    let number = |name: &str| line[name].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(1);
    let (start, end) = (number("highlight_start"), number("highlight_end"));
    let text = line["text"].as_str().unwrap_or_default();
    let before: String = text.chars().take(start.saturating_sub(1)).collect();
    let text: String = text.chars().take(end.saturating_sub(1)).skip(start.saturating_sub(1)).collect();
    // Parentheses of ours belong to the operator in them.
    let inner = || text.strip_prefix('(')?.strip_suffix(')');
    let inner = BORROW_OF.strip_suffix('(').filter(|of| before.ends_with(of)).and_then(|_| inner());
    checks::without_checks(inner.unwrap_or(&text))
}

/// Whether an expression is an operand of an operator, or an argument of a function, that reads references of arrays.
fn is_operand(expression: &SyntaxNode) -> bool {
    let Some(around) = expression.parent() else { return false };
    if let Some(arguments) = ast::ArgList::cast(around.clone()) {
        return arguments.syntax().parent().and_then(ast::CallExpr::cast).is_some_and(|call| is_of_prelude(&call));
    }
    let reads = |operator| matches!(operator, BinaryOp::ArithOp(_));
    match ast::Expr::cast(around) {
        Some(ast::Expr::ParenExpr(paren)) => is_operand(paren.syntax()),
        // Several arrays as one argument.
        Some(ast::Expr::TupleExpr(tuple)) => is_argument(tuple.syntax()),
        Some(ast::Expr::ArrayExpr(array)) => is_argument(array.syntax()),
        Some(ast::Expr::BinExpr(binary)) => match binary.op_kind() {
            Some(BinaryOp::Assignment { op: Some(_) }) => {
                binary.rhs().is_some_and(|right| right.syntax() == expression)
            }
            operator => operator.is_some_and(reads),
        },
        Some(ast::Expr::PrefixExpr(prefix)) => matches!(prefix.op_kind(), Some(UnaryOp::Neg | UnaryOp::Not)),
        _ => false,
    }
}

/// Whether an expression is an argument of one of the prelude's functions.
fn is_argument(expression: &SyntaxNode) -> bool {
    expression.parent().is_some_and(|around| ast::ArgList::can_cast(around.kind())) && is_operand(expression)
}

/// Whether a call is one of the prelude's functions: `gpu::exp`, `gpu::linalg::inv`.
fn is_of_prelude(call: &ast::CallExpr) -> bool {
    let Some(callee) = call.expr() else { return false };
    let path = callee.syntax().text().to_string();
    // Functions of types keep what they get.
    let is_of_type = path.split("::").any(|part| part.starts_with(char::is_uppercase));
    PRELUDE.iter().any(|module| path.starts_with(module)) && !is_of_type
}

/// The same for a place among the tokens of a macro call.
fn is_beside_operator(node: &SyntaxNode, range: TextRange) -> bool {
    if node.kind() != SyntaxKind::TOKEN_TREE {
        return false;
    }
    let is_operator = |kind| matches!(kind, T![+] | T![-] | T![*] | T![/] | T![%] | T![^] | T![|]);
    let tokens: Vec<_> = node.children_with_tokens().filter(|element| !element.kind().is_trivia()).collect();
    let before = tokens.iter().rev().find(|token| token.text_range().end() <= range.start());
    let behind = tokens.iter().find(|token| token.text_range().start() >= range.end());
    before.is_some_and(|token| is_operator(token.kind()) || token.kind() == T![!])
        || behind.is_some_and(|token| is_operator(token.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::line_and_column;
    use serde_json::json;

    /// A text with the references alone.
    fn plain(text: &str) -> String {
        text.replace(BORROW_OF, "&(").replace(END_OF_BORROW, ")").replace(BORROW, "&")
    }

    /// The source with `&` where the compiler's message, about the `nth` occurrence of a text, leads to one.
    fn written(source: &str, of: &str, nth: usize, label: &str) -> String {
        let at = source.match_indices(of).nth(nth).unwrap().0;
        let ((line, start), (_, end)) = (line_and_column(source, at), line_and_column(source, at + of.len()));
        let span = |label: &str| json!({ "label": label, "line_start": line, "line_end": line, "column_start": start, "column_end": end });
        let copy = "move occurs because `m` has type `DeviceArray<f64>`, which does not implement the `Copy` trait";
        let message = json!({ "level": "error", "message": "use of moved value", "code": { "code": "E0382" }, "spans": [
            { "label": copy, "line_start": 9, "line_end": 9, "column_start": 1, "column_end": 2 }, span(label)] });
        let mut borrows = Borrows::default();
        borrows.learn(&message.to_string(), source);
        plain(&borrows.write(source))
    }

    #[test]
    fn messages_about_code_that_was_added_change_nothing() {
        let source = "let g = gpu::map(fuse!(|t: f64| turned(t)), &a);\n";
        let added = "if let ::std::option::Option::Some((g, )) = statement(|| {";
        let learned = |text: &str, start: usize, end: usize| {
            let line = json!({ "text": text, "highlight_start": start, "highlight_end": end });
            let copy = "move occurs because `g` has type `DeviceArray<f64>`, which does not implement the `Copy` trait";
            let message = json!({ "level": "error", "message": "use of moved value: `g`", "code": { "code": "E0382" }, "spans": [
                { "label": copy, "line_start": 1, "line_end": 1, "column_start": 33, "column_end": 34, "text": [line] },
                { "label": OF_OPERATOR, "line_start": 1, "line_end": 1, "column_start": 33, "column_end": 34, "text": [line] } ] });
            let mut borrows = Borrows::default();
            borrows.learn(&message.to_string(), source);
            plain(&borrows.write(source))
        };
        assert_eq!(learned(added, 37, 38), source);
        // The same place, where the message is about the source itself.
        assert_ne!(learned(source, 33, 34), source);
    }

    #[test]
    fn operands_of_operators_are_borrowed() {
        for (code, of, expected) in [
            ("let d = m * 2.0;", "m", "&m * 2.0"),
            ("let d = 2.0 * m;", "m", "2.0 * &m"),
            ("let d = (m) * c;", "m", "(&m) * c"),
            ("let d = -m;", "m", "-&m"),
            ("let d = !m;", "m", "!&m"),
            ("d += m;", "m", "d += &m"),
            ("let d = v[0] * 2.0;", "v[0]", "&v[0] * 2.0"),
            ("let d = self.m / k;", "self.m", "&self.m / k"),
            ("let d = gpu::exp(m);", "m", "gpu::exp(&m)"),
            ("let d = warpcell::linalg::solve(c, q);", "q", "solve(c, &q)"),
            ("let d = gpu::concatenate((c, q));", "q", "gpu::concatenate((c, &q))"),
            ("let d = gpu::stack(&[c, q]);", "q", "gpu::stack(&[c, q])"),
            ("show!(\"{}\", q - z);", "z", "q - &z"),
            ("show!(z * 2.0, f(q));", "z", "&z * 2.0"),
        ] {
            let source = format!("fn f() {{\n    {code}\n}}\n");
            let result = written(&source, of, 0, "value moved here");
            assert!(result.contains(expected), "{result}");
        }
    }

    #[test]
    fn the_whole_of_an_operator_may_be_named() {
        const LABEL: &str = "`m` moved due to usage in operator";
        for (code, of, expected) in [
            ("let d = m * 2.0;", "m * 2.0", "let d = &m * 2.0;"),
            ("let d = (m.part * 2.0 + c).sum();", "m.part * 2.0", "(&m.part * 2.0 + c)"),
            ("let d = -m;", "-m", "let d = -&m;"),
            ("show!(\"{}\", z * 2.0);", "z * 2.0", "&z * 2.0"),
            ("show(&(m * 2.0));", "(m * 2.0)", "show(&(&m * 2.0));"),
            ("show(&((m + 1.0) / 2.0));", "(m + 1.0)", "show(&((&m + 1.0) / 2.0));"),
            ("show(&(-m));", "(-m)", "show(&(-&m));"),
        ] {
            let source = format!("fn f() {{\n    {code}\n}}\n");
            let result = written(&source, of, 0, LABEL);
            assert!(result.contains(expected), "{result}");
        }
    }

    #[test]
    fn an_array_on_both_sides_gets_two_references() {
        let source = "let d = m * m;\n";
        let of_place = |label: &str, start: usize| {
            json!({ "label": label, "line_start": 1, "line_end": 1, "column_start": start, "column_end": start + 1,
                "text": [{ "text": source, "highlight_start": start, "highlight_end": start + 1 }] })
        };
        let spans = [of_place("borrow of `m` occurs here", 9), of_place("move out of `m` occurs here", 13)];
        let message = json!({ "level": "error", "message": "cannot move out of `m` because it is borrowed",
            "code": { "code": "E0505" }, "spans": spans })
        .to_string();
        let mut borrows = Borrows::default();
        assert!(!borrows.learn(&message, source), "a reference of the user's");
        borrows.places.insert((8, Part::Operand));
        assert!(borrows.learn(&message, source));
        assert_eq!(plain(&borrows.write(source)), "let d = &m * &m;\n");
    }

    #[test]
    fn what_else_moves_a_value_stays() {
        for (code, of) in [
            ("f(m)", "m"),
            ("let n = m;", "m"),
            ("m.into_raw()", "m"),
            ("m = c;", "m"),
            ("m == c", "m"),
            ("m += c", "m"),
            ("g(m)[0] + 1", "m"),
            ("show!(z, 1 + 2)", "z"),
            ("show!(f(z) + 2)", "f(z)"),
            ("own::f(z)", "z"),
            ("gpu::Plot::of(z)", "z"),
            ("f((z, 1))", "z"),
        ] {
            let source = format!("fn x() {{\n    {code}\n}}\n");
            assert_eq!(written(&source, of, 0, "value moved here"), source);
        }
        let source = "fn f() {\n    let d = m * 2.0;\n}\n";
        assert_eq!(written(source, "m", 0, "value used here after move"), source);
    }

    #[test]
    fn an_array_is_passed_by_reference_where_one_is_wanted() {
        let source = "fn f() {\n    let d = gpu::exp(m);\n}\n";
        let said = |label: &str| {
            let span = json!({ "label": label, "line_start": 2, "line_end": 2, "column_start": 22, "column_end": 23, "is_primary": true });
            let message = json!({ "level": "error", "message": "mismatched types", "code": { "code": "E0308" }, "spans": [span] });
            let mut borrows = Borrows::default();
            borrows.learn(&message.to_string(), source);
            plain(&borrows.write(source))
        };
        assert_eq!(said("expected `&_`, found `DeviceArray<f64>`"), source.replace("(m)", "(&m)"));
        assert_eq!(
            said("expected `&ArrayBase<_, _>`, found `ArrayBase<OwnedRepr<f64>, Dim<[usize; 1]>>`"),
            source.replace("(m)", "(&m)")
        );
        for other in [
            "expected `&_`, found `Vec<f64>`",
            "expected `&mut _`, found `DeviceArray<f64>`",
            "expected `f64`, found `DeviceArray<f64>`",
        ] {
            assert_eq!(said(other), source, "{other}");
        }
        let source_of = |argument: &str| format!("fn f() {{\n    let d = gpu::exp({argument});\n}}\n");
        for (argument, expected) in
            [("m * 2.0", "&(m * 2.0)"), ("-m", "&(-m)"), ("m.t()", "&m.t()"), ("(m + c)", "&(m + c)")]
        {
            let source = source_of(argument);
            let span = json!({ "label": "expected `&_`, found `DeviceArray<f64>`", "line_start": 2, "line_end": 2, "column_start": 22,
                "column_end": 22 + argument.len(), "is_primary": true });
            let message = json!({ "level": "error", "message": "mismatched types", "code": { "code": "E0308" }, "spans": [span] });
            let mut borrows = Borrows::default();
            assert!(borrows.learn(&message.to_string(), &source));
            assert_eq!(plain(&borrows.write(&source)), source_of(expected));
        }
        let note = json!({ "level": "note", "message": "expected `&_`, found `DeviceArray<f64>`", "spans": [
            { "line_start": 2, "line_end": 2, "column_start": 22, "column_end": 23 }] });
        let message = json!({ "level": "error", "message": "arguments to this function are incorrect", "code": { "code": "E0308" },
            "spans": [{ "line_start": 2, "line_end": 2, "column_start": 13, "column_end": 21, "is_primary": true }], "children": [note] });
        let mut borrows = Borrows::default();
        assert!(borrows.learn(&message.to_string(), source));
        assert_eq!(plain(&borrows.write(source)), source.replace("(m)", "(&m)"));
    }

    #[test]
    fn an_operator_without_references_is_left_as_it_was() {
        let source = "fn f() {\n    let d = m * 2.0;\n}\n";
        let span = |label: &str| json!({ "label": label, "line_start": 2, "line_end": 2, "column_start": 13, "column_end": 14, "is_primary": true });
        let error = |code: &str| {
            json!({ "level": "error", "message": "m", "code": { "code": code }, "spans": [
            span("move occurs because `m` has type `DeviceArray<f64>`, which does not implement the `Copy` trait"), span("value moved here")] })
        };
        let mut borrows = Borrows::default();
        assert!(borrows.learn(&error("E0382").to_string(), source));
        assert!(!borrows.learn(&error("E0382").to_string(), source), "the same again is nothing new");
        assert!(borrows.learn(&error("E0277").to_string(), source));
        assert_eq!(borrows.write(source), source);
        assert!(!borrows.learn(&error("E0382").to_string(), source), "once refused, it is not tried again");
    }

    #[test]
    fn lines_that_come_again_have_their_references_at_once() {
        let known = BTreeSet::from([KnownBorrow {
            line: "fn f(x: A) -> A { x * 2.0 + x }".to_owned(),
            at: 18,
            part: Part::Operand,
        }]);
        let source = "use a;\nfn f(x: A) -> A { x * 2.0 + x }\nfn g() {}\n";
        assert_eq!(plain(&Borrows::among(&known, source).write(source)), source.replace("{ x *", "{ &x *"));
        assert_eq!(Borrows::among(&known, "fn g() {}\n").write("fn g() {}\n"), "fn g() {}\n");
    }
}
