//! Names that stand for values: variables, captured ones, constants.

use super::patterns::is_in_capitals;
use super::{Checker, Meaning, path_text, plain_name};
use crate::complex::ComplexPath;
use crate::methods;
use crate::program::{Role, Value};
use crate::refuse;
use crate::scalars::scalar_named;
use crate::tree::{Expression, ExpressionKind, LocalId};
use crate::types::Ty;

impl Checker<'_> {
    pub(super) fn path(&mut self, written: &syn::ExprPath) -> Expression {
        if written.qself.is_some() {
            return self.refuse(written, refuse::QUALIFIED_PATH);
        }
        if let Some(id) = written.path.get_ident().and_then(|ident| self.local(&plain_name(ident))) {
            return self.variable(id, written);
        }
        let path = self.without_use(&written.path);
        let text = path_text(&path);
        if let Some(reason) = refuse::named_value(&path) {
            return self.refuse(written, reason);
        }
        if let Some(name) = crate::threads::thread_name(&path).filter(|_| self.world.is_none()) {
            return self.refuse(written, refuse::not_called(&name));
        }
        if let Some(ComplexPath { part, name: Some(name) }) = self.complex_path(&path) {
            let takes_nothing = |method: &methods::Method| !method.takes_self && method.parameters.is_empty();
            if methods::associated_function(crate::scalars::Scalar::C128, &name).is_some_and(|of| !takes_nothing(of)) {
                return self.refuse(written, refuse::CALLED_VALUE);
            }
            let of = self.complex_type(part);
            return self.complex_call(of, &name, Vec::new(), written);
        }
        if let Some((scalar, name)) = of_scalar(&path) {
            return match methods::associated_constant(scalar, &name) {
                Some(value) => self.constant(None, value, written),
                None => self.refuse(written, refuse::associated_constant(scalar, &name)),
            };
        }
        if let Some(value) = methods::path_constant(&text) {
            let name = path.segments.last().map(|segment| segment.ident.to_string());
            return self.constant(name, value, written);
        }
        if let Some(ident) = written.path.get_ident()
            && self.role == Role::Formula
            && self.meaning(&plain_name(ident)).is_none()
            && !is_in_capitals(&ident.to_string())
            && self.world.is_none()
        {
            return self.captured(ident, written);
        }
        if self.is_new("constant", &text) {
            self.references.constants.push(path.clone());
        }
        match self.world {
            None => {
                let ty = self.types.any();
                self.made(ExpressionKind::Nothing, ty, written)
            }
            Some(world) => match world.constants.get(&text) {
                Some(value) => {
                    let name = path.segments.last().map(|segment| segment.ident.to_string());
                    self.constant(name, value.clone(), written)
                }
                None => self.refuse(written, refuse::unknown_value(&text)),
            },
        }
    }

    fn variable(&mut self, id: LocalId, written: &syn::ExprPath) -> Expression {
        self.locals[id].reads += 1;
        let ty = self.locals[id].ty.clone();
        self.made(ExpressionKind::Local(id), ty, written)
    }

    /// What a formula takes from its surroundings: it becomes one of the last parameters.
    fn captured(&mut self, ident: &syn::Ident, written: &syn::ExprPath) -> Expression {
        let ty = self.types.any();
        self.references.captures.push(ident.clone());
        let id = self.locals.len();
        self.locals.push(crate::tree::Local { name: plain_name(ident), ty, mutable: false, reads: 0 });
        self.places.push(ident.span());
        // It is the same variable in all of the formula.
        if let Some(scope) = self.scopes.first_mut() {
            scope.insert(plain_name(ident), Meaning::Local(id));
        }
        self.variable(id, written)
    }

    fn constant(&mut self, name: Option<String>, value: Value, written: &syn::ExprPath) -> Expression {
        let ty = type_of(&value);
        match name {
            Some(name) => self.made(ExpressionKind::Constant(name, value), ty, written),
            None => self.made(ExpressionKind::Value(value), ty, written),
        }
    }
}

/// The scalar and the name of `f32::MAX`, also of `core::primitive::f32::MAX`.
pub(super) fn of_scalar(path: &syn::Path) -> Option<(crate::scalars::Scalar, String)> {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments[..] {
        [scalar, name] | ["std" | "core", "primitive", scalar, name] => Some((scalar_named(scalar)?, name.to_owned())),
        _ => None,
    }
}

/// The type of a constant.
pub(crate) fn type_of(value: &Value) -> Ty {
    match value {
        Value::Scalar(scalar, _) => Ty::of(*scalar),
        Value::Tuple(parts) => Ty::Tuple(parts.iter().map(type_of).collect()),
        Value::Array(element, elements) => Ty::Array(Box::new(Ty::from(element)), Some(elements.len())),
        Value::Struct(name, _) => Ty::Struct(name.clone()),
    }
}
