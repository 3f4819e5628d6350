//! Questions about Rust text that need a parser: the last statement, and the definitions of a name.

use crate::syntax::{declared_name, parse, range_of};
use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasName};
use std::ops::Range;

/// The last statement of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// An expression, with or without a semicolon.
    Expression {
        /// Its range, without the semicolon.
        range: Range<usize>,
        /// Whether it names a value that exists (`x`, `x.field`, `x[0]`): handing it on would move it.
        place: bool,
        /// Whether a semicolon follows.
        semicolon: bool,
    },
    /// A `let`.
    Let {
        /// The variable, if the pattern is a plain name.
        name: Option<String>,
        /// Whether it ends with its semicolon.
        semicolon: bool,
    },
    /// A `for` or `while` loop, an item.
    Other,
    /// There is no statement.
    Nothing,
    /// The text does not parse; the compiler will say why.
    Broken,
}

/// The last statement of `text`.
pub(super) fn last_statement(text: &str) -> Last {
    // The newline ends a comment on the last line.
    const OPEN: &str = "fn cell() {";
    let parse = parse(&format!("{OPEN}{text}\n}}"));
    let body = parse.tree().syntax().descendants().find_map(ast::StmtList::cast);
    let Some(body) = body else { return Last::Broken };
    let here = |node: &ra_ap_syntax::SyntaxNode| {
        let range = range_of(node);
        range.start - OPEN.len()..range.end - OPEN.len()
    };
    let expression = |expression: ast::Expr, semicolon| match expression {
        ast::Expr::ForExpr(_) | ast::Expr::WhileExpr(_) => Last::Other,
        other => Last::Expression { range: here(other.syntax()), place: is_place(&other), semicolon },
    };
    let last = match (body.tail_expr(), body.statements().last()) {
        (Some(tail), _) => expression(tail, false),
        (None, None) => Last::Nothing,
        (None, Some(ast::Stmt::Item(_))) => Last::Other,
        (None, Some(ast::Stmt::ExprStmt(statement))) => match statement.expr() {
            Some(inner) => expression(inner, statement.semicolon_token().is_some()),
            None => Last::Other,
        },
        (None, Some(ast::Stmt::LetStmt(statement))) => Last::Let {
            name: match statement.pat() {
                Some(ast::Pat::IdentPat(pattern)) => pattern.name().map(|name| name.text().to_string()),
                _ => None,
            },
            semicolon: statement.semicolon_token().is_some(),
        },
    };
    // A `let` that only lacks its semicolon is mended by the expansion; other errors are the compiler's to report.
    match last {
        Last::Let { semicolon: false, .. } if parse.errors().len() == 1 => last,
        _ if !parse.errors().is_empty() => Last::Broken,
        _ => last,
    }
}

/// Whether an expression names a value that exists, without computing anything.
fn is_place(expression: &ast::Expr) -> bool {
    let inner = match expression {
        ast::Expr::PathExpr(_) => return true,
        ast::Expr::FieldExpr(field) => field.expr(),
        ast::Expr::ParenExpr(paren) => paren.expr(),
        ast::Expr::PrefixExpr(prefix) if prefix.op_kind() == Some(ast::UnaryOp::Deref) => prefix.expr(),
        ast::Expr::IndexExpr(index) if index.index().is_some_and(|index| is_plain(&index)) => index.base(),
        _ => return false,
    };
    inner.is_some_and(|inner| is_place(&inner))
}

/// Whether no call or macro stands in an index.
fn is_plain(index: &ast::Expr) -> bool {
    !index
        .syntax()
        .descendants()
        .filter_map(ast::Expr::cast)
        .any(|part| matches!(part, ast::Expr::CallExpr(_) | ast::Expr::MethodCallExpr(_) | ast::Expr::MacroExpr(_)))
}

/// The texts of the items of that name in a file: functions, types and so on, with the `impl` blocks of a type.
pub fn items_named(text: &str, name: &str) -> Vec<String> {
    let is_named = |item: &ast::Item| match item {
        ast::Item::Impl(block) => block.self_ty().is_some_and(|ty| head_of(&ty) == name),
        other => declared_name(other.syntax()).is_some_and(|found| found == name),
    };
    parse(text)
        .syntax_node()
        .descendants()
        .filter_map(ast::Item::cast)
        .filter(is_named)
        .map(|item| item.syntax().text().to_string())
        .collect()
}

/// The name of a type, without its path and arguments.
fn head_of(ty: &ast::Type) -> String {
    let text = ty.syntax().text().to_string();
    let head = text.split('<').next().unwrap_or_default().trim();
    head.rsplit("::").next().unwrap_or_default().to_owned()
}
