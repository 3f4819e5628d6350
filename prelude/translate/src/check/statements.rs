//! Blocks: `let`, constants and `use` within functions, and statements.

use super::signature::Position;
use super::{Checker, Meaning, plain_name};
use crate::refuse;
use crate::tree::{Block, Expression, ExpressionKind, Let, Pattern, PatternKind, Statement};
use crate::types::Ty;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Item, Pat, Stmt, UseTree};

impl Checker<'_> {
    /// The statements of a block, in a scope that was opened for them.
    pub(super) fn statements(&mut self, written: &[Stmt]) -> Block {
        let mut statements = Vec::new();
        let mut tail = None;
        self.items(written, &mut statements);
        for (index, statement) in written.iter().enumerate() {
            let is_last = index + 1 == written.len();
            match statement {
                Stmt::Local(local) => statements.push(self.local_statement(local)),
                Stmt::Item(_) => {}
                Stmt::Expr(expression, semicolon) => {
                    let made = self.expression(expression);
                    if is_last && semicolon.is_none() {
                        tail = Some(Box::new(made));
                    } else {
                        if semicolon.is_none() {
                            self.types.unify(&made.ty, &Ty::UNIT);
                        }
                        statements.push(Statement::Expression(made));
                    }
                }
                Stmt::Macro(statement) => {
                    self.attributes(&statement.attrs);
                    let made = self.macro_call(&statement.mac);
                    if is_last && statement.semi_token.is_none() {
                        tail = Some(Box::new(made));
                    } else {
                        statements.push(Statement::Expression(made));
                    }
                }
            }
        }
        let ty = match &tail {
            Some(tail) => tail.ty.clone(),
            None if self.diverges => self.types.any(),
            None => Ty::UNIT,
        };
        Block { statements, tail, ty }
    }

    fn local_statement(&mut self, local: &syn::Local) -> Statement {
        self.attributes(&local.attrs);
        let (pattern, annotation) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let annotated = annotation.map(|written| self.written_type(written, Position::Local));
        if let Some(init) = &local.init
            && let Some(statement) = self.shared_array_statement(pattern, annotated.as_ref(), &init.expr, local)
        {
            return statement;
        }
        let value = local.init.as_ref().map(|init| {
            if let Some((token, _)) = &init.diverge {
                self.refuse(token, refuse::LET_ELSE);
            }
            self.expression(&init.expr)
        });
        let ty = match (annotated, &value) {
            (Some(ty), Some(value)) => {
                let at = local.init.as_ref().map_or_else(|| local.span(), |init| init.expr.span());
                self.expect(&value.ty, &ty, at);
                ty
            }
            (Some(ty), None) => ty,
            (None, Some(value)) => value.ty.clone(),
            (None, None) => self.types.any(),
        };
        let pattern = self.pattern(pattern, &ty);
        self.note_value(&pattern, value.as_ref());
        Statement::Let(Box::new(Let { pattern, ty, value, last_line: self.last_line(local) }))
    }

    /// Keeps the value of a variable that is a fixed integer, for checks of indices.
    fn note_value(&mut self, pattern: &Pattern, value: Option<&Expression>) {
        if let (PatternKind::Bind(id, None), Some(Expression { kind: ExpressionKind::Integer(value), .. })) =
            (&pattern.kind, value)
            && !self.locals[*id].mutable
            && let Ok(value) = i128::try_from(*value)
        {
            self.values.insert(*id, value);
        }
    }

    /// The items of a block. They are known in all of it, also before their place.
    fn items(&mut self, written: &[Stmt], statements: &mut Vec<Statement>) {
        let items = written.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(item),
            _ => None,
        });
        for item in items.clone() {
            if let Item::Use(used) = item {
                self.use_tree(&used.tree, &mut Vec::new(), used.leading_colon.is_some());
            }
        }
        for item in items {
            match item {
                Item::Use(_) => {}
                Item::Const(constant) => statements.push(self.constant_item(constant)),
                Item::Fn(function) => {
                    self.refuse(&function.sig.ident, refuse::inner_function(&function.sig.ident));
                }
                Item::Struct(item) => {
                    self.refuse(&item.ident, refuse::inner_struct(&item.ident));
                }
                Item::Macro(item) => {
                    self.refuse(&item.mac.path, refuse::MACRO_DEFINITION);
                }
                other => {
                    self.refuse(other, refuse::INNER_ITEM);
                }
            }
        }
    }

    fn constant_item(&mut self, constant: &syn::ItemConst) -> Statement {
        self.attributes(&constant.attrs);
        let ty = self.written_type(&constant.ty, Position::Local);
        let fixed = self.constant_integer(&constant.expr);
        let value = self.expression(&constant.expr);
        self.expect(&value.ty, &ty, constant.expr.span());
        let id = self.declare(&plain_name(&constant.ident), ty.clone(), false, constant.ident.span());
        if let Some(fixed) = fixed {
            self.values.insert(id, fixed);
        }
        let last_line = self.last_line(constant);
        let pattern = Pattern { kind: PatternKind::Bind(id, None), ty: ty.clone() };
        Statement::Let(Box::new(Let { pattern, ty, value: Some(value), last_line }))
    }

    fn use_tree(&mut self, tree: &UseTree, path: &mut Vec<syn::Ident>, absolute: bool) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.clone());
                self.use_tree(&part.tree, path, absolute);
                path.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = path.last().cloned() {
                    self.used(&last, path, absolute);
                }
            }
            UseTree::Name(name) => {
                path.push(name.ident.clone());
                self.used(&name.ident, path, absolute);
                path.pop();
            }
            UseTree::Rename(name) => {
                path.push(name.ident.clone());
                self.used(&name.rename, path, absolute);
                path.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, path, absolute);
                }
            }
            UseTree::Glob(glob) => {
                self.refuse(glob, refuse::GLOB);
            }
        }
    }

    fn used(&mut self, name: &syn::Ident, path: &[syn::Ident], absolute: bool) {
        let segments = path.iter().map(|ident| syn::PathSegment::from(ident.clone())).collect();
        let leading_colon = absolute.then(|| syn::Token![::](name.span()));
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(plain_name(name), Meaning::Path(syn::Path { leading_colon, segments }));
        }
    }

    /// A path with the names that a `use` in the function gave replaced by what they stand for.
    pub(super) fn without_use(&self, path: &syn::Path) -> syn::Path {
        let Some(first) = path.segments.first() else { return path.clone() };
        let Some(Meaning::Path(used)) = self.meaning(&plain_name(&first.ident)) else { return path.clone() };
        if path.leading_colon.is_some() {
            return path.clone();
        }
        let mut whole = used.clone();
        whole.segments.extend(path.segments.iter().skip(1).cloned());
        // Errors are about what is written.
        for segment in &mut whole.segments {
            segment.ident.set_span(first.to_token_stream().span());
        }
        whole
    }
}
