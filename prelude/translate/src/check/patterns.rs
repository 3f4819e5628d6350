//! Patterns of `let`, `match`, `for` and parameters.

use super::{Checker, plain_name};
use crate::refuse;
use crate::tree::{Expression, ExpressionKind, Member, Pattern, PatternKind};
use crate::types::{Kind, Ty};
use syn::{Expr, Pat, RangeLimits};

/// How names in a pattern get at what they are for: as Rust has it, behind a reference they are references themselves.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Value,
    Read,
    Change,
}

impl Checker<'_> {
    /// A pattern that always fits: every name in it is a new one.
    pub(super) fn pattern(&mut self, written: &Pat, ty: &Ty) -> Pattern {
        self.pattern_in(written, ty, Mode::Value, false)
    }

    /// A pattern that may not fit: a name in capitals is that of a constant.
    pub(super) fn refutable_pattern(&mut self, written: &Pat, ty: &Ty) -> Pattern {
        self.pattern_in(written, ty, Mode::Value, true)
    }

    fn pattern_in(&mut self, written: &Pat, ty: &Ty, mode: Mode, refutable: bool) -> Pattern {
        match written {
            Pat::Paren(paren) => return self.pattern_in(&paren.pat, ty, mode, refutable),
            Pat::Ident(ident) if refutable && ident.subpat.is_none() && self.is_constant(&ident.ident) => {
                let path = syn::Path::from(ident.ident.clone());
                return self.constant_pattern(&Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path }), ty);
            }
            Pat::Ident(ident) => return self.binding(ident, ty, mode, refutable),
            Pat::Wild(_) => return Pattern { kind: PatternKind::Wild, ty: self.types.stripped(ty) },
            Pat::Reference(reference) => {
                if let Some(token) = &reference.mutability {
                    self.refuse(token, refuse::REFERENCE_PATTERN);
                }
                let inner = match self.types.shallow(ty) {
                    Ty::Reference(_, inner) => *inner,
                    other => other,
                };
                return self.pattern_in(&reference.pat, &inner, Mode::Value, refutable);
            }
            _ => {}
        }
        let (ty, mode) = self.through_references(ty, mode);
        match written {
            Pat::Lit(literal) => self.constant_pattern(&Expr::Lit(literal.clone()), &ty),
            Pat::Path(path) => self.constant_pattern(&Expr::Path(path.clone()), &ty),
            Pat::Range(range) => {
                let start = range.start.as_deref().map(|bound| self.constant_value(bound, &ty));
                let end = range.end.as_deref().map(|bound| self.constant_value(bound, &ty));
                let inclusive = matches!(range.limits, RangeLimits::Closed(_));
                Pattern { kind: PatternKind::Range(start, end, inclusive), ty }
            }
            Pat::Or(or) => {
                let declared = self.locals.len();
                let cases = or.cases.iter().map(|case| self.pattern_in(case, &ty, mode, refutable)).collect();
                if self.locals.len() > declared {
                    self.refuse(or, refuse::NAMES_IN_ALTERNATIVES);
                }
                Pattern { kind: PatternKind::Or(cases), ty }
            }
            Pat::Tuple(tuple) => {
                let parts: Vec<&Pat> = tuple.elems.iter().collect();
                let count = match self.types.shallow(&ty) {
                    Ty::Tuple(known) => Some(known.len()),
                    _ if parts.iter().any(|part| is_rest(part)) => None,
                    _ => {
                        let fresh = parts.iter().map(|_| self.types.any()).collect();
                        self.types.unify(&ty, &Ty::Tuple(fresh));
                        Some(parts.len())
                    }
                };
                let types = match self.types.shallow(&ty) {
                    Ty::Tuple(known) => known,
                    _ => Vec::new(),
                };
                let member = |index: usize| Member::Field(index.to_string());
                self.members(&parts, count, &ty, mode, refutable, &member, &|index| types.get(index).cloned())
            }
            Pat::Slice(slice) => {
                let parts: Vec<&Pat> = slice.elems.iter().collect();
                let (element, length) = match self.types.shallow(&ty) {
                    Ty::Array(element, length) => (Some(*element), length),
                    _ => (None, None),
                };
                let length = length.or_else(|| (!parts.iter().any(|part| is_rest(part))).then_some(parts.len()));
                self.members(&parts, length, &ty, mode, refutable, &Member::Element, &|_| element.clone())
            }
            Pat::TupleStruct(pattern) => {
                if let Some(reason) = refuse::named_type(&pattern.path) {
                    self.refuse(&pattern.path, reason);
                    return Pattern { kind: PatternKind::Wild, ty };
                }
                let of = self.struct_type(&pattern.path);
                self.types.unify(&ty, &of);
                let fields = self.fields_of(&of);
                let parts: Vec<&Pat> = pattern.elems.iter().collect();
                let count = fields.as_ref().map(Vec::len);
                let member = |index: usize| Member::Field(index.to_string());
                let field = |index: usize| Some(fields.as_ref()?.get(index)?.1.clone());
                self.members(&parts, count, &ty, mode, refutable, &member, &field)
            }
            Pat::Struct(pattern) => self.struct_pattern(pattern, &ty, mode, refutable),
            other => {
                self.refuse(other, refuse::pattern_of(other));
                Pattern { kind: PatternKind::Wild, ty }
            }
        }
    }

    fn through_references(&self, ty: &Ty, mode: Mode) -> (Ty, Mode) {
        let (mut current, mut mode) = (self.types.shallow(ty), mode);
        while let Ty::Reference(changing, inner) = current {
            mode = if changing && mode != Mode::Read { Mode::Change } else { Mode::Read };
            current = self.types.shallow(&inner);
        }
        (current, mode)
    }

    fn binding(&mut self, ident: &syn::PatIdent, ty: &Ty, mode: Mode, refutable: bool) -> Pattern {
        let by_reference = ident.by_ref.is_some();
        if let (Some(_), Some(token)) = (&ident.by_ref, &ident.mutability) {
            self.refuse(token, refuse::REFERENCE_PATTERN);
        }
        if let Some((_, part)) = &ident.subpat
            && is_rest(part)
        {
            self.refuse(part, refuse::NAMED_REST);
            return Pattern { kind: PatternKind::Wild, ty: self.types.stripped(ty) };
        }
        let bound = match mode {
            Mode::Value if by_reference => Ty::Reference(false, Box::new(ty.clone())),
            Mode::Value => ty.clone(),
            Mode::Read => Ty::Reference(false, Box::new(ty.clone())),
            Mode::Change => Ty::Reference(true, Box::new(ty.clone())),
        };
        let part = ident.subpat.as_ref().map(|(_, part)| Box::new(self.pattern_in(part, ty, mode, refutable)));
        let mutable = ident.mutability.is_some();
        let id = self.declare(&plain_name(&ident.ident), bound, mutable, ident.ident.span());
        Pattern { kind: PatternKind::Bind(id, part), ty: self.types.stripped(ty) }
    }

    /// The parts of a tuple, a tuple struct or an array, of which `..` leaves some out.
    #[allow(clippy::too_many_arguments)]
    fn members(
        &mut self,
        parts: &[&Pat],
        count: Option<usize>,
        ty: &Ty,
        mode: Mode,
        refutable: bool,
        member: &dyn Fn(usize) -> Member,
        type_of: &dyn Fn(usize) -> Option<Ty>,
    ) -> Pattern {
        let rest = parts.iter().position(|part| is_rest(part));
        let mut members = Vec::new();
        for (position, part) in parts.iter().enumerate() {
            // What comes after `..` is counted from the end.
            let index = match (rest, count) {
                (Some(rest), _) if position == rest => continue,
                (Some(rest), Some(count)) if position > rest => (count + position).checked_sub(parts.len()),
                (Some(rest), None) if position > rest => None,
                _ => Some(position),
            };
            let of = index.and_then(type_of).unwrap_or_else(|| self.types.any());
            let pattern = self.pattern_in(part, &of, mode, refutable);
            members.push((member(index.unwrap_or(position)), pattern));
        }
        Pattern { kind: PatternKind::Members(members), ty: ty.clone() }
    }

    fn struct_pattern(&mut self, pattern: &syn::PatStruct, ty: &Ty, mode: Mode, refutable: bool) -> Pattern {
        let of = self.struct_type(&pattern.path);
        self.types.unify(ty, &of);
        let fields = self.fields_of(&of);
        let mut members = Vec::new();
        for field in &pattern.fields {
            let name = plain_name(&field.member);
            let known = fields.as_ref().and_then(|fields| fields.iter().find(|(known, _)| *known == name));
            let field_type = known.map_or_else(|| self.types.any(), |(_, ty)| ty.clone());
            members.push((Member::Field(name), self.pattern_in(&field.pat, &field_type, mode, refutable)));
        }
        Pattern { kind: PatternKind::Members(members), ty: ty.clone() }
    }

    fn constant_pattern(&mut self, written: &Expr, ty: &Ty) -> Pattern {
        let value = self.constant_value(written, ty);
        Pattern { kind: PatternKind::Value(value), ty: self.types.stripped(ty) }
    }

    fn constant_value(&mut self, written: &Expr, ty: &Ty) -> Expression {
        match written {
            Expr::Lit(_) | Expr::Path(_) => {
                let value = self.expression(written);
                let (found, wanted) = (self.types.stripped(&value.ty), self.types.stripped(ty));
                self.expect(&found, &wanted, proc_macro2::Span::call_site());
                value
            }
            other => self.refuse(other, refuse::PATTERN_VALUE),
        }
    }

    /// Whether a name in a pattern is that of a constant. Names of variables are in small letters, of constants in capitals:
    /// the compiler warns of others.
    fn is_constant(&self, name: &syn::Ident) -> bool {
        let text = plain_name(name);
        is_in_capitals(&text) && self.local(&text).is_none_or(|id| !self.locals[id].mutable)
    }

    /// The fields of a struct, if they are known.
    pub(super) fn fields_of(&self, ty: &Ty) -> Option<Vec<(String, Ty)>> {
        match self.types.stripped(ty) {
            Ty::Struct(name) if name == crate::threads::DIM3 => Some(crate::threads::dim3_fields()),
            Ty::Struct(name) => self.world?.fields.get(&name).cloned(),
            Ty::Complex(part) => Some(["re", "im"].map(|name| (name.to_owned(), (*part).clone())).to_vec()),
            _ => None,
        }
    }

    /// Whether an expression's type is not known at all, as that of what follows from another function while only one is
    /// seen.
    pub(super) fn is_open(&self, expression: &Expression) -> bool {
        self.types.kind(&self.types.stripped(&expression.ty)) == Some(Kind::Any)
            || matches!(expression.kind, ExpressionKind::Nothing)
    }
}

fn is_rest(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Rest(_))
}

pub(super) fn is_in_capitals(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
