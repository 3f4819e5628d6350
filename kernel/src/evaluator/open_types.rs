//! Numbers whose type a cell leaves open, as in `let x = gpu::linspace(0.0, 1.0, 5); (2.0 * &x).sqrt()`. Rust uses
//! `f64` and `i32` by default, but methods need to know the type earlier. So such a cell is compiled once more with
//! these types behind its literals, and `::<f64>` behind functions such as `gpu::zeros`. An integer that is added to
//! floats, as in `&x + 1`, becomes a float. Lines and columns stay the user's.

use crate::build_step::{CompilerMessage, Diagnostics, bindings};
use crate::evaluator::advice;
use crate::evaluator::places::Places;
use crate::syntax::{
    NUMBER_SUFFIXES, has_form, is_over_arrays, offset_of, range_of, statements, with_arguments, words,
};
use evcxr::Error;
use ra_ap_syntax::ast::{self, AstNode, AstToken, HasArgList, HasGenericArgs};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, T, TextRange};
use serde_json::Value;
use std::ops::Range;
use std::rc::Rc;

/// The compiler's error codes for an open type.
const OPEN: [&str; 4] = ["E0282", "E0283", "E0284", "E0689"];
/// Those about moved and borrowed values.
const OF_BORROWS: [&str; 15] = [
    "E0373", "E0381", "E0382", "E0499", "E0502", "E0503", "E0505", "E0506", "E0507", "E0508", "E0515", "E0594",
    "E0596", "E0597", "E0716",
];
/// Functions of the prelude whose element type nothing in their arguments fixes; NumPy's is `f64`.
const FUNCTIONS: [&str; 8] =
    ["zeros", "ones", "empty", "eye", "loadtxt", "loadtxt_with", "genfromtxt", "genfromtxt_with"];
/// The modules that have these functions.
const MODULES: [&str; 4] = ["gpu", "warpcell", "gpu::host", "warpcell::host"];
/// The compiler's name for the type of an open integer, and `i32`, which may have been written for it.
const INTEGERS: [&str; 2] = ["`{integer}`", "`i32`"];
/// How often a cell is compiled with types written into it.
const ROUNDS: usize = 6;

/// The code of a cell, and the places where a type may be written. `warpcell export` has the same for the cells of a program.
pub struct OpenTypes {
    code: Rc<str>,
    statements: Vec<(usize, SyntaxNode)>,
    places: Vec<OpenPlace>,
    rounds: usize,
}

/// An error of the compiler's, and its place in the code without types.
pub type PlacedError = (CompilerMessage, Option<Range<usize>>);

/// Why code has failed.
pub struct Failure {
    /// Only because types are open.
    is_open: bool,
    /// What the compiler has said, if it has said something.
    errors: Option<Vec<PlacedError>>,
}

impl Failure {
    /// That of a cell, in evcxr's words and the compiler's.
    fn of(code: &str, error: &Error, said: Option<&Diagnostics>) -> Failure {
        let errors = said.map(|said| placed(code, said));
        let is_open = match error {
            Error::CompilationErrors(_) => errors.as_deref().is_some_and(are_open),
            Error::Message(message) => advice::without_type(message).is_some(),
            _ => false,
        };
        Failure { is_open, errors }
    }

    /// That of code which the compiler has refused.
    pub fn by(errors: Vec<PlacedError>) -> Failure {
        Failure { is_open: are_open(&errors), errors: Some(errors) }
    }

    /// Whether the code fails only because types are open.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether there are errors about types: those about moved and borrowed values come when all types are right.
    pub fn is_about_types(&self) -> bool {
        self.errors().iter().any(|(message, _)| !OF_BORROWS.contains(&message.code()))
    }

    fn errors(&self) -> &[PlacedError] {
        self.errors.as_deref().unwrap_or_default()
    }
}

/// A place where a type may be written.
#[derive(Debug, PartialEq, Eq)]
struct OpenPlace {
    /// The literal or the function's name.
    range: Range<usize>,
    kind: OpenTypeKind,
    state: TypeState,
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextAttempt {
    /// There is another text to try.
    Try,
    /// The types that are open are the fault.
    SayFirst,
    /// With the types the compiler has found another fault.
    SayLast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenTypeKind {
    Float,
    Integer,
    /// A function, with the text to write behind it.
    Function(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeState {
    Waiting,
    Written(&'static str),
    /// The compiler wants another type.
    Refused,
}

impl OpenTypes {
    /// The places in a cell's code, if it fails because types are open and there are any.
    pub fn of(code: &str, error: &Error, said: Option<&Diagnostics>) -> Option<OpenTypes> {
        let failure = Failure::of(code, error, said);
        let mut open = failure.is_open.then(|| OpenTypes::in_statements(Rc::from(code), statements(code)))?;
        open.begin(&failure).then_some(open)
    }

    /// The places in statements of a code, each with the byte at which it begins. No type is written yet.
    pub fn in_statements(code: Rc<str>, statements: Vec<(usize, SyntaxNode)>) -> OpenTypes {
        let statements: Vec<_> = statements.into_iter().map(|(start, node)| (start, seen_through(node))).collect();
        let mut places: Vec<OpenPlace> = statements.iter().flat_map(|(start, node)| places_in(*start, node)).collect();
        places.sort_by_key(|place| place.range.start);
        OpenTypes { code, statements, places, rounds: 0 }
    }

    /// Writes the first types after a failure. Returns whether there were any to be written. Other numbers may get their types from those
    /// that integers are beside, as in `2.0 * &x + 1`.
    pub fn begin(&mut self, failure: &Failure) -> bool {
        self.write_as_beside(failure) || self.write_open()
    }

    /// Writes the types of floats and functions, or else of integers. Returns whether there were any to be written.
    pub fn write_open(&mut self) -> bool {
        self.write_others() || self.write_integers()
    }

    /// Writes the types of functions such as `gpu::zeros`. Returns whether there were any to be written.
    pub fn write_functions(&mut self) -> bool {
        self.write(|kind| if let OpenTypeKind::Function(written) = kind { Some(written) } else { None })
    }

    /// Writes the types of the numbers in a part of the code: of floats, or of integers. Returns whether there were any.
    pub fn write_within(&mut self, range: &Range<usize>, floats: bool) -> bool {
        let (kind, written) = if floats { (OpenTypeKind::Float, "_f64") } else { (OpenTypeKind::Integer, "_i32") };
        let found = self.within(range, |place| place.kind == kind && place.state == TypeState::Waiting);
        found.iter().for_each(|&index| self.places[index].state = TypeState::Written(written));
        !found.is_empty()
    }

    /// Writes the types of floats and functions; whether there was any to be written.
    fn write_others(&mut self) -> bool {
        self.write(|kind| match kind {
            OpenTypeKind::Float => Some("_f64"),
            OpenTypeKind::Integer => None,
            OpenTypeKind::Function(written) => Some(written),
        })
    }

    /// Writes the types of integers; whether there was any to be written.
    fn write_integers(&mut self) -> bool {
        self.write(|kind| (kind == OpenTypeKind::Integer).then_some("_i32"))
    }

    fn write(&mut self, type_of: impl Fn(OpenTypeKind) -> Option<&'static str>) -> bool {
        let mut has_written = false;
        for place in self.places.iter_mut().filter(|place| place.state == TypeState::Waiting) {
            if let Some(written) = type_of(place.kind) {
                place.state = TypeState::Written(written);
                has_written = true;
            }
        }
        has_written
    }

    /// Writes the types of numbers behind integers that are combined with them. Returns whether there was such an
    /// integer.
    fn write_as_beside(&mut self, failure: &Failure) -> bool {
        let mut found = Vec::new();
        for (message, range) in failure.errors() {
            let (Some(written), Some(range)) = (number_beside(message), range) else { continue };
            // `let x: DeviceArray<f32> = gpu::zeros(3) + 1;`: the other numbers follow.
            let is_function = |place: &OpenPlace| {
                matches!(place.kind, OpenTypeKind::Function(_)) && place.state == TypeState::Waiting
            };
            let functions = if message.code() == "E0308" { self.meant_by(range, is_function) } else { Vec::new() };
            if !functions.is_empty() {
                let of_function = |index: usize| Some((index, written_behind(self.places[index].kind, written)?));
                found.extend(functions.into_iter().filter_map(of_function));
                continue;
            }
            let is_integer = |place: &OpenPlace| {
                place.kind == OpenTypeKind::Integer
                    && matches!(place.state, TypeState::Waiting | TypeState::Written("_i32"))
            };
            found.extend(self.meant_by(range, is_integer).into_iter().map(|index| (index, written)));
        }
        found.iter().for_each(|&(index, written)| self.places[index].state = TypeState::Written(written));
        !found.is_empty()
    }

    /// The types, each behind a byte of the code.
    pub fn written(&self) -> impl Iterator<Item = (usize, String)> {
        self.places.iter().filter_map(|place| {
            let TypeState::Written(written) = place.state else { return None };
            // A type cannot follow a point.
            let zero = if self.code[place.range.clone()].ends_with('.') { "0" } else { "" };
            Some((place.range.end, format!("{zero}{written}")))
        })
    }

    /// The code with types.
    pub fn text(&self) -> String {
        with_texts(&self.code, self.written())
    }

    /// Learns from the failure of [`text`](Self::text).
    pub fn learn(&mut self, error: &Error, said: Option<&Diagnostics>) -> NextAttempt {
        self.learn_from(&Failure::of(&Rc::clone(&self.code), error, said))
    }

    /// Learns from the failure of the code with types.
    pub fn learn_from(&mut self, failure: &Failure) -> NextAttempt {
        self.rounds += 1;
        let has_more = self.rounds < ROUNDS;
        if has_more && self.write_as_beside(failure) {
            return NextAttempt::Try;
        }
        if failure.is_open {
            return if has_more && self.write_open() { NextAttempt::Try } else { NextAttempt::SayFirst };
        }
        if failure.errors.is_none() || !has_more {
            return NextAttempt::SayFirst;
        }
        // All are looked for before any is taken back: one error may be the reason of another.
        let is_written = |place: &OpenPlace| matches!(place.state, TypeState::Written(_));
        let ranges = failure.errors().iter().filter_map(|(_, range)| range.as_ref());
        let refused: Vec<usize> = ranges.flat_map(|range| self.meant_by(range, is_written)).collect();
        refused.iter().for_each(|&index| self.places[index].state = TypeState::Refused);
        if refused.is_empty() { NextAttempt::SayLast } else { NextAttempt::Try }
    }

    /// The `wanted` places that an error is about. The first choice is the places inside the range of the error. The
    /// next is the operands of its operator or the arguments of its call. The last is the definitions of the variables
    /// in the range.
    fn meant_by(&self, range: &Range<usize>, wanted: impl Fn(&OpenPlace) -> bool) -> Vec<usize> {
        let covered = self.within(range, &wanted);
        if !covered.is_empty() {
            return covered;
        }
        let Some((start, statement)) =
            self.statements.iter().rfind(|(start, node)| (*start..start + range_of(node).len()).contains(&range.start))
        else {
            return Vec::new();
        };
        let Range { start: shift, end } = range_of(statement);
        let within = |offset: usize| u32::try_from((offset - start + shift).min(end));
        let (Ok(first), Ok(last)) = (within(range.start), within(range.end.max(range.start))) else {
            return Vec::new();
        };
        let element = statement.covering_element(TextRange::new(first.into(), last.into()));
        let node = element.as_node().cloned().or_else(|| element.parent());
        let of_node = |node: &SyntaxNode| {
            let range = range_of(node);
            range.start + start - shift..range.end + start - shift
        };
        for node in node.iter().flat_map(SyntaxNode::ancestors).take_while(|node| !ast::Stmt::can_cast(node.kind())) {
            let direct: Vec<usize> =
                operands(&node).iter().flat_map(|operand| self.within(&of_node(operand), &wanted)).collect();
            if !direct.is_empty() {
                return direct;
            }
        }
        let names: Vec<&str> = words(&self.code[range.clone()]).collect();
        let is_named = |node: &SyntaxNode| bindings(node).iter().any(|binding| names.contains(&&*binding.name));
        let defining = self.statements.iter().filter(|(_, node)| is_named(node));
        defining.flat_map(|(start, node)| self.within(&(*start..start + range_of(node).len()), &wanted)).collect()
    }

    /// The places within a range that are `wanted`.
    fn within(&self, range: &Range<usize>, wanted: impl Fn(&OpenPlace) -> bool) -> Vec<usize> {
        let is_within =
            |place: &OpenPlace| place.range.start < range.end.max(range.start + 1) && range.start < place.range.end;
        let places = self.places.iter().enumerate();
        places.filter(|(_, place)| is_within(place) && wanted(place)).map(|(index, _)| index).collect()
    }
}

/// A code with texts in it, each behind a byte. They are in this order.
pub fn with_texts(code: &str, texts: impl Iterator<Item = (usize, String)>) -> String {
    let (mut text, mut done) = (String::with_capacity(code.len() + 64), 0);
    for (place, written) in texts {
        text.push_str(&code[done..place]);
        text.push_str(&written);
        done = place;
    }
    text + &code[done..]
}

/// The errors that the compiler has reported about a cell, with their places in its code.
fn placed(code: &str, said: &Diagnostics) -> Vec<PlacedError> {
    let places = Places::new(&said.source, code);
    let place = |message: &CompilerMessage| {
        let span = outermost(message)?;
        let offset = |line: &str, column: &str| {
            let number = |name: &str| usize::try_from(span[name].as_u64()?).ok();
            let (line, column) = places.in_cell(number(line)?, number(column)?)?;
            Some(offset_of(code, line, column))
        };
        Some(offset("line_start", "column_start")?..offset("line_end", "column_end")?)
    };
    let placed = CompilerMessage::own_errors(&said.messages).map(|message| {
        let range = place(&message);
        (message, range)
    });
    placed.collect()
}

/// The main place of a message. Of a macro the user has written the call only.
pub fn outermost(message: &CompilerMessage) -> Option<&Value> {
    let mut span = message.primary()?;
    while span["expansion"]["span"].is_object() {
        span = &span["expansion"]["span"];
    }
    Some(span)
}

/// Whether all errors say that types are open.
fn are_open(errors: &[PlacedError]) -> bool {
    let is_open = |message: &CompilerMessage| OPEN.contains(&message.code()) || number_beside(message).is_some();
    // Of one comparison there may be two errors.
    let is_of_integer = |message: &CompilerMessage| {
        let label = message.primary().and_then(|span| span["label"].as_str()).unwrap_or_default();
        message.code() == "E0308" && INTEGERS.iter().any(|integer| label.contains(integer))
    };
    let mut messages = errors.iter().map(|(message, _)| message);
    messages.clone().any(is_open) && messages.all(|message| is_open(message) || is_of_integer(message))
}

/// The type to write behind the name of a function for that of a number.
fn written_behind(kind: OpenTypeKind, number: &str) -> Option<&'static str> {
    let OpenTypeKind::Function(of_f64) = kind else { return None };
    match number {
        "_f64" => Some(of_f64),
        "_f32" if of_f64.contains('_') => Some("::<f32, _>"),
        "_f32" => Some("::<f32>"),
        _ => None,
    }
}

/// The type to write behind an integer, if an error says that it is combined or compared with numbers of another type: with floats, or with
/// the integers that a sum gives.
fn number_beside(message: &CompilerMessage) -> Option<&'static str> {
    let text = message.text();
    if message.code() == "E0308" {
        // `let x: DeviceArray<f32> = gpu::zeros(3) + 1;`
        let label = message.primary()?["label"].as_str()?;
        let (wanted, found) = label.strip_prefix("expected `")?.strip_suffix('`')?.split_once("`, found `")?;
        let is_wanted = |written: &&str| found.replace("{integer}", &written[1..]) == wanted;
        return NUMBER_SUFFIXES.into_iter().find(is_wanted).filter(|_| found.contains("<{integer}>"));
    }
    let is_compared = text.starts_with("can't compare ");
    let is_combined = message.code() == "E0277" && (is_compared || text.starts_with("cannot "));
    if !is_combined || !INTEGERS.iter().any(|integer| text.contains(integer)) {
        return None;
    }
    let has = |float: &str| text.contains(float);
    if has("f64") || has("{float}") {
        return Some("_f64");
    }
    if has("f32") {
        return Some("_f32");
    }
    let others = NUMBER_SUFFIXES.into_iter().filter(|written| !["_f64", "_f32", "_i32"].contains(written));
    others.into_iter().find(|written| has(&format!("`{}`", &written[1..])))
}

/// A statement in which the arguments of macros are expressions.
fn seen_through(statement: SyntaxNode) -> SyntaxNode {
    let text = statement.text().to_string();
    match (with_arguments(&text), &text) {
        (seen, text) if seen == *text => statement,
        // What macros take that is not an expression stays as tokens.
        (seen, _) if !has_form(&seen) => statement,
        (seen, _) => match statements(&seen).into_iter().next() {
            Some((0, node)) => node,
            _ => statement,
        },
    }
}

/// Whether types may be written at a place: in statements, and in the bodies of functions and methods.
fn is_in_code(place: &SyntaxNode) -> bool {
    // What device code may contain, our attributes check.
    if is_over_arrays(place) {
        return false;
    }
    // The values of constants have their types.
    let is_body = |node: &SyntaxNode| matches!(node.kind(), SyntaxKind::BLOCK_EXPR | SyntaxKind::CLOSURE_EXPR);
    let mut around = place.ancestors().skip_while(|node| !is_body(node) && !ast::Item::can_cast(node.kind()));
    around.next().is_none_or(|node| is_body(&node))
}

/// The places in a statement that begins at `start` of the code.
fn places_in(start: usize, statement: &SyntaxNode) -> Vec<OpenPlace> {
    let shift = range_of(statement).start;
    let in_code =
        |range: TextRange| usize::from(range.start()) + start - shift..usize::from(range.end()) + start - shift;
    let tokens = statement.descendants_with_tokens().filter_map(|element| element.into_token());
    let literals = tokens.filter_map(|token| {
        let kind = literal(&token)?;
        Some(OpenPlace { range: in_code(token.text_range()), kind, state: TypeState::Waiting })
    });
    let calls = statement.descendants().filter_map(ast::CallExpr::cast).filter(|call| is_in_code(call.syntax()));
    let functions = calls.filter_map(|call| {
        let Some(ast::Expr::PathExpr(callee)) = call.expr() else { return None };
        let path = callee.path()?;
        let segment = path.segment()?;
        let module = path.qualifier()?.syntax().text().to_string();
        let is_one = segment.generic_arg_list().is_none()
            && segment.name_ref().is_some_and(|name| FUNCTIONS.iter().any(|known| name.text() == *known))
            && MODULES.contains(&&*module);
        // On the host a second parameter is the shape.
        let written = if module.ends_with("host") { "::<f64, _>" } else { "::<f64>" };
        is_one.then(|| OpenPlace {
            range: in_code(segment.syntax().text_range()),
            kind: OpenTypeKind::Function(written),
            state: TypeState::Waiting,
        })
    });
    literals.chain(functions).collect()
}

/// The kind of a literal without a type.
fn literal(token: &SyntaxToken) -> Option<OpenTypeKind> {
    let is_open = match token.kind() {
        SyntaxKind::FLOAT_NUMBER => ast::FloatNumber::cast(token.clone())?.suffix().is_none(),
        // A larger number does not have the type that Rust uses by default.
        SyntaxKind::INT_NUMBER => {
            let number = ast::IntNumber::cast(token.clone())?;
            number.suffix().is_none() && number.value().is_ok_and(|value| i32::try_from(value).is_ok())
        }
        _ => false,
    };
    // Fields of tuples, lengths in types and numbers in patterns have types already.
    let before =
        std::iter::successors(token.prev_token(), SyntaxToken::prev_token).find(|token| !token.kind().is_trivia());
    let is_field = before.is_some_and(|token| token.kind() == T![.]);
    let has_type = |node: SyntaxNode| {
        let kind = node.kind();
        ast::Pat::can_cast(kind)
            || ast::Type::can_cast(kind)
            || ast::Attr::can_cast(kind)
            || ast::ConstArg::can_cast(kind)
    };
    let is_code = || token.parent().is_some_and(|node| is_in_code(&node));
    if !is_open || is_field || token.parent_ancestors().any(has_type) || !is_code() {
        return None;
    }
    Some(if token.kind() == SyntaxKind::FLOAT_NUMBER { OpenTypeKind::Float } else { OpenTypeKind::Integer })
}

/// The literals that an expression combines: operands of its operator, arguments of its call.
fn operands(node: &SyntaxNode) -> Vec<SyntaxNode> {
    let mut found = Vec::new();
    let mut wanted: Vec<ast::Expr> = Vec::new();
    if let Some(binary) = ast::BinExpr::cast(node.clone()) {
        wanted.extend(binary.lhs().into_iter().chain(binary.rhs()));
    } else if let Some(call) = ast::CallExpr::cast(node.clone()) {
        wanted.extend(call.arg_list().into_iter().flat_map(|list| list.args()));
        wanted.extend(call.expr());
    } else if let Some(call) = ast::MethodCallExpr::cast(node.clone()) {
        wanted.extend(call.arg_list().into_iter().flat_map(|list| list.args()).chain(call.receiver()));
    }
    while let Some(expression) = wanted.pop() {
        match expression {
            ast::Expr::Literal(literal) => found.push(literal.syntax().clone()),
            ast::Expr::PathExpr(path) => found.push(path.syntax().clone()),
            ast::Expr::ParenExpr(inner) => wanted.extend(inner.expr()),
            ast::Expr::PrefixExpr(inner) => wanted.extend(inner.expr()),
            ast::Expr::RefExpr(inner) => wanted.extend(inner.expr()),
            ast::Expr::TupleExpr(tuple) => wanted.extend(tuple.fields()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn failed() -> Error {
        Error::Message("Couldn't automatically determine type of variable `x`.".to_owned())
    }

    fn with_types(code: &str) -> String {
        OpenTypes::of(code, &failed(), None).map_or_else(|| code.to_owned(), |open| open.text())
    }

    #[test]
    fn open_literals_get_the_types_that_rust_would_take() {
        for (code, expected) in [
            (
                "let x = gpu::linspace(0.0, 1.0, 5);\nlet y = (2. * &x).sqrt();",
                "let x = gpu::linspace(0.0_f64, 1.0_f64, 5);\nlet y = (2.0_f64 * &x).sqrt();",
            ),
            ("let a = gpu::arange(5); (2 * &a).sum()", "let a = gpu::arange(5_i32); (2_i32 * &a).sum()"),
            ("let z = gpu::zeros((2, 3));", "let z = gpu::zeros::<f64>((2, 3));"),
            ("let z = gpu::host::ones(3);", "let z = gpu::host::ones::<f64, _>(3);"),
            ("println!(\"{}\", 1e3 * &x)", "println!(\"{}\", 1e3_f64 * &x)"),
            ("fn f() -> f64 { 2.0 }\nf()", "fn f() -> f64 { 2.0_f64 }\nf()"),
            ("impl S { fn f() { println!(\"{}\", 2.) } }", "impl S { fn f() { println!(\"{}\", 2.0_f64) } }"),
            ("vec![gpu::zeros(3)]", "vec![gpu::zeros::<f64>(3)]"),
        ] {
            assert_eq!(with_types(code), expected);
        }
    }

    #[test]
    fn what_has_a_type_stays() {
        for code in [
            "let x = 2.0_f32; let t = (1u8, 2i64); x",
            "#[vectorize] fn f(x: f32) -> f32 { 2.0 * x }",
            "mod m { #[gpu::device] fn f(x: f32) -> f32 { 2.0 * x } }",
            "impl S { const C: f32 = 2.0; fn f(x: [f32; 3]) -> f32 { g::<2>(x) } }",
            "enum E { A = 1 }",
            "macro_rules! twice { ($x:expr) => { 2.0 * $x } }",
            "struct S([f32; 3]); const C: f32 = 2.0;",
            "let z = gpu::zeros::<f32>(n);",
            "x.0.sqrt()",
            "\"2.0\".len()",
        ] {
            assert_eq!(with_types(code), code);
        }
        let other = Error::Message("something else".to_owned());
        assert!(OpenTypes::of("let x = 2.0;", &other, None).is_none());
    }

    /// What the compiler says at a column of a line that is a cell.
    fn said(line: &str, code: &str, message: &str, label: &str, column: usize) -> Diagnostics {
        let is_item = statements(line).first().is_some_and(|(_, node)| ast::Item::can_cast(node.kind()));
        let entry = "pub extern \"C\" fn run_user_code_3(";
        let source = if is_item { format!("{line}\n{entry}\n") } else { format!("{entry}\n{line}\n") };
        let at = if is_item { 1 } else { 2 };
        let span = json!({ "is_primary": true, "line_start": at, "line_end": at, "column_start": column, "column_end": column + 1,
            "label": label });
        let message = json!({ "level": "error", "code": { "code": code }, "message": message, "spans": [span] });
        Diagnostics { source, messages: message.to_string() }
    }

    #[test]
    fn integers_among_floats_are_floats() {
        let error = Error::CompilationErrors(Vec::new());
        for (code, message, column, expected) in [
            ("let y = &x + 1;", "cannot add `{integer}` to `&DeviceArray<f64>`", 12, "let y = &x + 1_f64;"),
            (
                "let y = (-2) * x.abs();",
                "cannot multiply `{integer}` by `DeviceArray<f32>`",
                14,
                "let y = (-2_f32) * x.abs();",
            ),
            ("assert_eq!(x, 5);", "can't compare `i64` with `i32`", 15, "assert_eq!(x, 5_i64);"),
            ("let y = x.gt(2);", "cannot combine an array of `f64` with `{integer}`", 14, "let y = x.gt(2_f64);"),
        ] {
            let said = said(code, "E0277", message, "", column);
            assert_eq!(OpenTypes::of(code, &error, Some(&said)).unwrap().text(), expected);
        }
        let of_text = said("let y = n + 1;", "E0277", "cannot add `{integer}` to `String`", "", 11);
        assert!(OpenTypes::of("let y = n + 1;", &error, Some(&of_text)).is_none());
    }

    #[test]
    fn integers_among_floats_are_floats_wherever_they_stand() {
        const PLACES: [&str; 41] = [
            "@",
            "let y = @;",
            "let y = { @ };",
            "{ let y = @; y }",
            "(@).sum()",
            "f(@, 2)",
            "a.f(2, @)",
            "(2, @)",
            "[@, b]",
            "S { x: @ }",
            "if c { @ } else { b }",
            "if (@).any() { 2 } else { 3 };",
            "for k in 0..2 { g(@); }",
            "while c { let y = @; }",
            "loop { break @; }",
            "match n { 3 => @, _ => b }",
            "match @ { y => y }",
            "let f = |a: &A| @;",
            "let f = move || { @ };",
            "v.map(|k| @).collect::<Vec<_>>();",
            "let y = Some(@)?;",
            "println!(\"{}\", @);",
            "println!(\"{y} {}\", 2, y = @);",
            "let t = format!(\"{:?}\", (2, @));",
            "let y = dbg!(@);",
            "assert!((@).all(), \"{}\", 2);",
            "assert_eq!(2, @, \"{}\", 2);",
            "let v = vec![b, @];",
            "let v = vec![@; 2];",
            "println!(\"{}\", vec![format!(\"{}\", @)].len());",
            "println!(\"{}\", { let y = @; y });",
            "println!(\"{:?}\", n.map(|k| @));",
            "let s = gpu::sum!(@, axis = 0);",
            "gpu::set!(m[0, ..] = @);",
            "gpu::interact!(n: usize = 1 in 1..9, s: f64 in [0.5] => { let y = &a; @ });",
            "fn f(x: &A) -> A { @ }",
            "#[inline] fn f(x: &A) { println!(\"{}\", @); }",
            "impl S { fn f(&self, x: &A) -> A { @ } }",
            "impl T for S { fn f(x: &A) -> A { let y = @; y } }",
            "trait T { fn f(x: &A) -> A { @ } }",
            "mod m { impl S { fn f(x: &A) -> A { if c { return @; } b } } }",
        ];
        const EXPRESSIONS: [(&str, &str, &str); 4] = [
            ("x + 1", "+", "x + 1_f32"),
            ("1 - &x", "-", "1_f32 - &x"),
            ("x.abs() * -(4)", "*", "x.abs() * -(4_f32)"),
            ("(y * (x / 1))", "/", "(y * (x / 1_f32))"),
        ];
        let error = Error::CompilationErrors(Vec::new());
        for (place, (typed, operator, expected)) in
            PLACES.iter().flat_map(|place| EXPRESSIONS.map(|each| (place, each)))
        {
            let code = place.replace('@', typed);
            let column = place.find('@').unwrap() + typed.find(operator).unwrap() + 1;
            let said = said(&code, "E0277", "cannot add `{integer}` to `&DeviceArray<f32>`", "", column);
            let failure = Failure::of(&code, &error, Some(&said));
            let mut open = OpenTypes::in_statements(Rc::from(code.as_str()), statements(&code));
            assert!(open.write_as_beside(&failure), "{code}");
            assert_eq!(open.text(), place.replace('@', expected));
        }
    }

    #[test]
    fn integers_beside_arrays_of_no_type_get_the_one_that_is_wanted() {
        let error = Error::CompilationErrors(Vec::new());
        for (code, label, expected) in [
            (
                "let y: DeviceArray<f32> = z + 1;",
                "expected `DeviceArray<f32>`, found `DeviceArray<{integer}>`",
                "let y: DeviceArray<f32> = z + 1_f32;",
            ),
            (
                "let y: DeviceArray<f32> = gpu::zeros(3) + 1;",
                "expected `DeviceArray<f32>`, found `DeviceArray<{integer}>`",
                "let y: DeviceArray<f32> = gpu::zeros::<f32>(3) + 1;",
            ),
            ("f(z + 1)", "expected `&DeviceArray<u8>`, found `&DeviceArray<{integer}>`", "f(z + 1_u8)"),
        ] {
            let column = code.find("zeros").or(code.find('+')).unwrap() + 1;
            let said = said(code, "E0308", "mismatched types", label, column);
            assert_eq!(OpenTypes::of(code, &error, Some(&said)).unwrap().text(), expected);
        }
        for label in ["expected `f32`, found integer", "expected `Vec<f32>`, found `DeviceArray<{integer}>`"] {
            let code = "let y: f32 = z + 1;";
            assert!(OpenTypes::of(code, &error, Some(&said(code, "E0308", "mismatched types", label, 16))).is_none());
        }
    }

    #[test]
    fn a_type_that_the_compiler_refuses_is_taken_back() {
        let code = "let y = 2.0 * &single + gpu::zeros(3);\ny.sqrt()";
        let mut open = OpenTypes::of(code, &failed(), None).unwrap();
        let source =
            "pub extern \"C\" fn run_user_code_3(\nlet y = 2.0_f64 * &single + gpu::zeros::<f64>(3);\n(\ny.sqrt()\n)\n";
        // The operator is the place of the error.
        let message = r#"{"level":"error","code":{"code":"E0277"},"message":"cannot multiply","spans":[{"is_primary":true,"line_start":2,"line_end":2,"column_start":17,"column_end":18}]}"#;
        let said = Diagnostics { source: source.to_owned(), messages: message.to_owned() };
        assert_eq!(open.learn(&Error::CompilationErrors(Vec::new()), Some(&said)), NextAttempt::Try);
        assert_eq!(open.text(), "let y = 2.0 * &single + gpu::zeros::<f64>(3);\ny.sqrt()");
        // A variable is; its definition has the type.
        let message = r#"{"level":"error","code":{"code":"E0308"},"message":"mismatched","spans":[{"is_primary":true,"line_start":4,"line_end":4,"column_start":1,"column_end":2}]}"#;
        let source = source.replace("2.0_f64", "2.0");
        let said = Diagnostics { source, messages: message.to_owned() };
        assert_eq!(open.learn(&Error::CompilationErrors(Vec::new()), Some(&said)), NextAttempt::Try);
        assert_eq!(open.text(), code);
        // There is nothing left to take back.
        assert_eq!(open.learn(&Error::CompilationErrors(Vec::new()), Some(&said)), NextAttempt::SayLast);
    }
}
