//! Expressions: literals, operators, places, values made of others, and branches.

use super::signature::Position;
use super::threads::has_view;
use super::{Checker, path_text, plain_name};
use crate::refuse;
use crate::scalars::{is_float, scalar_of_suffix};
use crate::tree::{Arm, BinaryOperator, Block, Comparison, Expression, ExpressionKind};
use crate::types::{Kind, Ty};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, UnOp};

impl Checker<'_> {
    pub(super) fn expression(&mut self, written: &Expr) -> Expression {
        match written {
            Expr::Paren(paren) => self.expression(&paren.expr),
            Expr::Group(group) => self.expression(&group.expr),
            Expr::Lit(literal) => self.literal(&literal.lit, None),
            Expr::Path(path) => self.path(path),
            Expr::Unary(unary) => self.unary(unary, None),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Field(field) => self.field(field),
            Expr::Index(index) => self.index(index),
            Expr::Tuple(tuple) => {
                let parts: Vec<Expression> = tuple.elems.iter().map(|part| self.expression(part)).collect();
                let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
                self.made(ExpressionKind::Tuple(parts), ty, written)
            }
            Expr::Array(array) => {
                let element = self.types.any();
                let mut elements = Vec::new();
                for part in &array.elems {
                    let made = self.expression(part);
                    self.expect(&made.ty, &element, part.span());
                    elements.push(made);
                }
                let ty = Ty::Array(Box::new(element), Some(elements.len()));
                self.made(ExpressionKind::Array(elements), ty, written)
            }
            Expr::Repeat(repeat) => {
                let element = self.expression(&repeat.expr);
                let length = self.length(&repeat.len);
                let ty = Ty::Array(Box::new(element.ty.clone()), length);
                self.made(ExpressionKind::Repeat(Box::new(element), length.unwrap_or(0)), ty, written)
            }
            Expr::Struct(literal) => self.struct_literal(literal),
            Expr::Reference(reference) => {
                let of = self.expression(&reference.expr);
                let changing = reference.mutability.is_some();
                let ty = Ty::Reference(changing, Box::new(of.ty.clone()));
                self.made(ExpressionKind::Reference(changing, Box::new(of)), ty, written)
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Macro(call) => {
                self.attributes(&call.attrs);
                self.macro_call(&call.mac)
            }
            Expr::If(branch) => self.branch(branch),
            Expr::Match(choice) => self.choice(choice),
            Expr::Block(block) => match &block.label {
                Some(label) => self.labelled_block(&label.name, &block.block, written),
                None => {
                    let block = self.block(&block.block);
                    let ty = block.ty.clone();
                    self.made(ExpressionKind::Block(None, block), ty, written)
                }
            },
            Expr::Loop(repeated) => self.endless_loop(repeated),
            Expr::While(repeated) => self.while_loop(repeated),
            Expr::ForLoop(repeated) => self.for_loop(repeated),
            Expr::Break(jump) => self.break_out(jump),
            Expr::Continue(jump) => self.go_on(jump),
            Expr::Return(leave) => {
                let value = leave.expr.as_deref().map(|value| {
                    let made = self.expression(value);
                    let result = self.result.clone();
                    self.expect(&made.ty, &result, value.span());
                    Box::new(made)
                });
                if value.is_none() {
                    let result = self.result.clone();
                    self.expect(&Ty::UNIT, &result, leave.span());
                }
                self.diverges = true;
                let ty = self.types.any();
                self.made(ExpressionKind::Return(value), ty, written)
            }
            Expr::Range(range) => self.refuse(range, refuse::RANGE),
            other => {
                let (at, reason) = refuse::expression(other);
                self.refuse(&at, reason)
            }
        }
    }

    /// What is cast decides nothing, but a literal without a type of its own is written in the type that it is cast to.
    fn cast(&mut self, cast: &syn::ExprCast) -> Expression {
        let ty = self.written_type(&cast.ty, Position::Local);
        let value = self.cast_operand(&cast.expr, &ty);
        if !self.is_open(&value) && self.types.stripped(&value.ty).scalar().is_none() {
            let of = self.types.resolve(&value.ty);
            if self.types.kind(&of).is_none() {
                return self.refuse(&cast.expr, refuse::cast(&of));
            }
        }
        self.made(ExpressionKind::Cast(Box::new(value)), ty, cast)
    }

    fn cast_operand(&mut self, written: &Expr, to: &Ty) -> Expression {
        match written {
            Expr::Paren(paren) => self.cast_operand(&paren.expr, to),
            Expr::Group(group) => self.cast_operand(&group.expr, to),
            Expr::Lit(literal) => self.literal(&literal.lit, Some(to)),
            Expr::Unary(unary) => self.unary(unary, Some(to)),
            other => self.expression(other),
        }
    }

    /// A literal. Behind `as` the type is a hint: an integer as a float is an integer nevertheless.
    pub(super) fn literal(&mut self, literal: &Lit, hint: Option<&Ty>) -> Expression {
        let hint = hint.and_then(|ty| self.types.shallow(ty).scalar());
        match literal {
            Lit::Int(integer) => {
                let suffix = scalar_of_suffix(integer.suffix());
                if suffix.is_none() && !integer.suffix().is_empty() {
                    return self.refuse(literal, refuse::number_type(integer.suffix()));
                }
                if suffix.is_some_and(is_float) {
                    let ty = suffix.map_or(Ty::UNIT, Ty::Scalar);
                    return self.made(ExpressionKind::Float(integer.base10_digits().to_owned()), ty, literal);
                }
                let digits = integer.base10_digits();
                let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |rest| (true, rest));
                let Ok(value) = digits.parse() else { return self.refuse(literal, refuse::LARGE_LITERAL) };
                let ty = match suffix.or(hint.filter(|hint| crate::scalars::is_integer(*hint))) {
                    Some(scalar) => Ty::Scalar(scalar),
                    None => self.types.fresh(Kind::Integer),
                };
                let made = self.made(ExpressionKind::Integer(value), ty, literal);
                self.negated_if(negative, made, literal)
            }
            Lit::Float(float) => {
                let suffix = scalar_of_suffix(float.suffix());
                if suffix.is_none() && !float.suffix().is_empty() {
                    return self.refuse(literal, refuse::number_type(float.suffix()));
                }
                let ty = match suffix.or(hint.filter(|hint| is_float(*hint))) {
                    Some(scalar) => Ty::Scalar(scalar),
                    None => self.types.fresh(Kind::Float),
                };
                let digits = float.base10_digits();
                let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |rest| (true, rest));
                let made = self.made(ExpressionKind::Float(digits.to_owned()), ty, literal);
                self.negated_if(negative, made, literal)
            }
            Lit::Bool(truth) => self.made(ExpressionKind::Bool(truth.value), Ty::BOOL, literal),
            Lit::Byte(byte) => {
                let ty = Ty::Scalar(crate::scalars::Scalar::U8);
                self.made(ExpressionKind::Integer(u128::from(byte.value())), ty, literal)
            }
            other => self.refuse(other, refuse::literal(other)),
        }
    }

    fn negated_if(&mut self, negative: bool, value: Expression, at: &dyn ToTokens) -> Expression {
        if !negative {
            return value;
        }
        let ty = value.ty.clone();
        self.made(ExpressionKind::Negate(Box::new(value)), ty, at)
    }

    fn unary(&mut self, unary: &syn::ExprUnary, hint: Option<&Ty>) -> Expression {
        let value = match hint {
            Some(hint) if !matches!(unary.op, UnOp::Deref(_)) => self.cast_operand(&unary.expr, hint),
            _ => self.expression(&unary.expr),
        };
        match unary.op {
            UnOp::Deref(_) => {
                let ty = match self.types.shallow(&value.ty) {
                    Ty::Reference(_, of) => *of,
                    _ => self.types.any(),
                };
                self.made(ExpressionKind::Dereference(Box::new(value)), ty, unary)
            }
            UnOp::Neg(_) | UnOp::Not(_) => {
                let ty = self.types.stripped(&value.ty);
                if matches!(ty, Ty::Struct(_)) {
                    return self.refuse(unary, refuse::STRUCT_OPERATOR);
                }
                let kind = match unary.op {
                    UnOp::Neg(_) => ExpressionKind::Negate(Box::new(value)),
                    _ => ExpressionKind::Not(Box::new(value)),
                };
                self.made(kind, ty, unary)
            }
            _ => self.refuse(unary, refuse::SYNTAX),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Expression {
        if let Some(operator) = assigning(&binary.op) {
            return self.assign_binary(binary, operator);
        }
        if let BinOp::And(_) | BinOp::Or(_) = binary.op {
            let left = self.expression(&binary.left);
            let reached = self.diverges;
            let right = self.expression(&binary.right);
            // The right side may be left out.
            self.diverges = reached;
            self.expect(&left.ty, &Ty::BOOL, binary.left.span());
            self.expect(&right.ty, &Ty::BOOL, binary.right.span());
            let kind = match binary.op {
                BinOp::And(_) => ExpressionKind::And(Box::new(left), Box::new(right)),
                _ => ExpressionKind::Or(Box::new(left), Box::new(right)),
            };
            return self.made(kind, Ty::BOOL, binary);
        }
        let left = self.expression(&binary.left);
        let right = self.expression(&binary.right);
        let (left_type, right_type) = (self.types.stripped(&left.ty), self.types.stripped(&right.ty));
        if let Some(comparison) = comparison(&binary.op) {
            if matches!(left_type, Ty::Struct(_)) {
                return self.refuse(binary, refuse::STRUCT_COMPARISON);
            }
            self.expect(&right_type, &left_type, binary.right.span());
            let kind = ExpressionKind::Compare(comparison, Box::new(left), Box::new(right));
            return self.made(kind, Ty::BOOL, &binary.op).spanning(self.last_line(binary));
        }
        let Some(operator) = plain(&binary.op) else { return self.refuse(&binary.op, refuse::SYNTAX) };
        let Some(ty) = self.operands(operator, &left_type, &right_type, binary) else { return self.nothing() };
        let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
        self.made(kind, ty, &binary.op).spanning(self.last_line(binary))
    }

    /// The type of what an operator gives: both sides are of it, but for the count of a shift.
    fn operands(&mut self, operator: BinaryOperator, left: &Ty, right: &Ty, at: &syn::ExprBinary) -> Option<Ty> {
        for ty in [left, right] {
            match ty {
                Ty::Struct(_) => {
                    self.refuse(at, refuse::STRUCT_OPERATOR);
                    return None;
                }
                Ty::Tuple(_) | Ty::Array(..) | Ty::View(..) => {
                    self.refuse(at, refuse::operator_on(ty));
                    return None;
                }
                _ => {}
            }
        }
        let is_open = |ty: &Ty| self.world.is_none() && self.types.kind(ty) == Some(Kind::Any);
        match (left, right) {
            _ if matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) => {}
            // It may be a complex number beside a float, or the other way round.
            _ if is_open(left) || is_open(right) => return Some(self.types.any()),
            // Complex numbers have operators with their parts too.
            (Ty::Complex(part), other) if self.is_part(other) => self.expect(other, part, at.right.span()),
            (other, Ty::Complex(part)) if self.is_part(other) => {
                self.expect(part, other, at.right.span());
                return Some(right.clone());
            }
            _ => self.expect(right, left, at.right.span()),
        }
        Some(left.clone())
    }

    /// Whether a type is that of a float, which may be the part of a complex number.
    fn is_part(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Scalar(_)) || self.types.kind(ty) == Some(Kind::Float)
    }

    fn assign_binary(&mut self, binary: &syn::ExprBinary, operator: BinaryOperator) -> Expression {
        let value = self.expression(&binary.right);
        let place = self.place(&binary.left);
        let (left, right) = (self.types.stripped(&place.ty), self.types.stripped(&value.ty));
        if self.operands(operator, &left, &right, binary).is_none() {
            return self.nothing();
        }
        let kind = ExpressionKind::AssignBinary(operator, Box::new(place), Box::new(value));
        self.made(kind, Ty::UNIT, &binary.op).spanning(self.last_line(binary))
    }

    fn assign(&mut self, assign: &syn::ExprAssign) -> Expression {
        let value = self.expression(&assign.right);
        if let Expr::Tuple(tuple) = &*assign.left {
            let mut types = Vec::new();
            let mut places = Vec::new();
            for part in &tuple.elems {
                let place = (!matches!(part, Expr::Infer(_))).then(|| self.place(part));
                types.push(place.as_ref().map_or_else(|| self.types.any(), |place| place.ty.clone()));
                places.push(place);
            }
            self.expect(&value.ty, &Ty::Tuple(types), assign.right.span());
            return self.made(ExpressionKind::AssignParts(places, Box::new(value)), Ty::UNIT, assign);
        }
        if let Expr::Infer(_) = &*assign.left {
            return self.made(ExpressionKind::AssignParts(Vec::new(), Box::new(value)), Ty::UNIT, assign);
        }
        let place = self.place(&assign.left);
        if has_view(&self.types.resolve(&place.ty)) || has_view(&self.types.resolve(&value.ty)) {
            return self.refuse(assign, refuse::ASSIGNED_VIEW);
        }
        self.expect(&value.ty, &place.ty, assign.right.span());
        if let (ExpressionKind::Local(_), Ty::Reference(true, _)) = (&place.kind, self.types.shallow(&place.ty)) {
            return self.refuse(assign, refuse::NEW_REFERENCE);
        }
        self.made(ExpressionKind::Assign(Box::new(place), Box::new(value)), Ty::UNIT, assign)
    }

    /// What is assigned to. The value of a variable is not asked for there.
    fn place(&mut self, written: &Expr) -> Expression {
        match written {
            Expr::Paren(paren) => self.place(&paren.expr),
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) | Expr::Group(_) => {
                let made = self.expression(written);
                if let ExpressionKind::Local(id) = &made.kind {
                    self.locals[*id].reads -= 1;
                }
                made
            }
            other => self.refuse(other, refuse::PLACE),
        }
    }

    fn field(&mut self, field: &syn::ExprField) -> Expression {
        let base = self.expression(&field.base);
        let name = plain_name(&field.member);
        let ty = match self.known(&base.ty, &field.base) {
            None => self.types.any(),
            Some(Ty::Tuple(parts)) => match name.parse::<usize>().ok().and_then(|index| parts.get(index).cloned()) {
                Some(ty) => ty,
                None => return self.refuse(&field.member, refuse::field(&name, &self.types.resolve(&base.ty))),
            },
            Some(of @ (Ty::Struct(_) | Ty::Complex(_))) => match self.fields_of(&of) {
                None => self.types.any(),
                Some(fields) => match fields.into_iter().find(|(known, _)| *known == name) {
                    Some((_, ty)) => ty,
                    None => return self.refuse(&field.member, refuse::field(&name, &of)),
                },
            },
            Some(other) => return self.refuse(&field.member, refuse::field(&name, &self.types.resolve(&other))),
        };
        self.made(ExpressionKind::Field(Box::new(base), name), ty, field)
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Expression {
        let base = self.expression(&index.expr);
        if let Expr::Range(range) = &*index.index {
            return self.refuse(range, refuse::SLICING);
        }
        if self.types.stripped(&base.ty).is_view() {
            return self.element(base, index);
        }
        let at = self.expression(&index.index);
        let (ty, length) = match self.known(&base.ty, &index.expr) {
            None => (self.types.any(), None),
            Some(Ty::Array(element, length)) => (*element, length),
            Some(other) => {
                let reason = refuse::index(&self.types.resolve(&other));
                return self.refuse(&index.expr, reason);
            }
        };
        let at_type = self.types.stripped(&at.ty);
        self.expect(&at_type, &Ty::USIZE, index.index.span());
        if let (Some(length), Some(value)) = (length, self.constant_integer(&index.index))
            && usize::try_from(value).is_ok_and(|value| value >= length)
        {
            return self.refuse(&index.index, refuse::past_the_end(value, length));
        }
        self.made(ExpressionKind::Index(Box::new(base), Box::new(at)), ty, &index.index).spanning(self.last_line(index))
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> Expression {
        if literal.qself.is_some() {
            return self.refuse(literal, refuse::SYNTAX);
        }
        let of = self.struct_type(&literal.path);
        let fields = self.fields_of(&of);
        let mut made = Vec::new();
        for field in &literal.fields {
            let name = plain_name(&field.member);
            let value = self.expression(&field.expr);
            if let Some(fields) = &fields {
                match fields.iter().find(|(known, _)| *known == name) {
                    Some((_, ty)) => self.expect(&value.ty, ty, field.expr.span()),
                    None => return self.refuse(&field.member, refuse::field(&name, &of)),
                }
            }
            made.push((name, value));
        }
        let rest = literal.rest.as_deref().map(|rest| {
            let value = self.expression(rest);
            self.expect(&value.ty, &of, rest.span());
            Box::new(value)
        });
        let name = match &of {
            Ty::Struct(name) => name.clone(),
            _ => path_text(&literal.path),
        };
        self.made(ExpressionKind::Struct(name, made, rest), of, literal)
    }

    fn branch(&mut self, branch: &syn::ExprIf) -> Expression {
        if let Expr::Let(condition) = &*branch.cond {
            return self.branch_on_pattern(branch, condition);
        }
        let condition = self.expression(&branch.cond);
        self.expect(&condition.ty, &Ty::BOOL, branch.cond.span());
        let always = self.diverges;
        let then = self.block(&branch.then_branch);
        let after_then = self.diverges;
        self.diverges = always;
        let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| Box::new(self.expression(otherwise)));
        self.diverges = always || after_then && self.diverges;
        let ty = match &otherwise {
            Some(otherwise) => self.joined(&then.ty, &otherwise.ty, branch),
            None => {
                self.types.unify(&then.ty, &Ty::UNIT);
                Ty::UNIT
            }
        };
        let made = self.made(ExpressionKind::If(Box::new(condition), then, otherwise), ty, branch);
        self.without_references(made, branch)
    }

    /// `if let pattern = value { … }`: a `match` with two arms.
    fn branch_on_pattern(&mut self, branch: &syn::ExprIf, condition: &syn::ExprLet) -> Expression {
        let value = self.expression(&condition.expr);
        let always = self.diverges;
        let line = self.last_line(&condition.expr);
        let (pattern, then) = self.scoped(|checker| {
            let pattern = checker.refutable_pattern(&condition.pat, &value.ty);
            (pattern, checker.block(&branch.then_branch))
        });
        let after_then = self.diverges;
        self.diverges = always;
        let otherwise = match &branch.else_branch {
            Some((_, otherwise)) => self.expression(otherwise),
            None => {
                let block = Block { statements: Vec::new(), tail: None, ty: Ty::UNIT };
                self.made(ExpressionKind::Block(None, block), Ty::UNIT, branch)
            }
        };
        self.diverges = always || after_then && self.diverges;
        let ty = self.joined(&then.ty, &otherwise.ty, branch);
        let last_line = self.last_line(&branch.then_branch);
        let (then_type, any) = (then.ty.clone(), self.types.stripped(&value.ty));
        let then = Expression { kind: ExpressionKind::Block(None, then), ty: then_type, line, last_line };
        let rest = crate::tree::Pattern { kind: crate::tree::PatternKind::Wild, ty: any };
        let arms = vec![
            Arm { pattern, guard: None, body: then, line },
            Arm { pattern: rest, guard: None, body: otherwise, line },
        ];
        let made = self.made(ExpressionKind::Match(Box::new(value), arms), ty, branch);
        self.without_references(made, branch)
    }

    fn choice(&mut self, choice: &syn::ExprMatch) -> Expression {
        let value = self.expression(&choice.expr);
        let always = self.diverges;
        let mut all_diverge = true;
        let mut ty: Option<Ty> = None;
        let mut arms = Vec::new();
        for arm in &choice.arms {
            self.attributes(&arm.attrs);
            self.diverges = always;
            let made = self.scoped(|checker| {
                let pattern = checker.refutable_pattern(&arm.pat, &value.ty);
                let guard = arm.guard.as_ref().map(|(_, guard)| {
                    let made = checker.expression(guard);
                    checker.expect(&made.ty, &Ty::BOOL, guard.span());
                    made
                });
                checker.diverges = always;
                let body = checker.expression(&arm.body);
                let line = checker.last_line(&arm.fat_arrow_token);
                Arm { pattern, guard, body, line }
            });
            all_diverge &= self.diverges;
            ty = Some(match ty {
                None => made.body.ty.clone(),
                Some(ty) => self.joined(&ty, &made.body.ty, &arm.body),
            });
            arms.push(made);
        }
        self.diverges = always || all_diverge;
        if arms.is_empty() {
            return self.refuse(choice, refuse::EMPTY_MATCH);
        }
        let ty = ty.unwrap_or(Ty::UNIT);
        let made = self.made(ExpressionKind::Match(Box::new(value), arms), ty, choice);
        self.without_references(made, choice)
    }

    /// The type of what either of two branches gives.
    pub(super) fn joined(&mut self, one: &Ty, other: &Ty, at: &dyn ToTokens) -> Ty {
        self.expect(other, one, at.to_token_stream().span());
        self.types.shallow(one)
    }

    /// A reference that may change something must be known by its name.
    pub(super) fn without_references(&mut self, made: Expression, at: &dyn ToTokens) -> Expression {
        match self.types.resolve(&made.ty) {
            Ty::Reference(true, of) if !of.is_view() => self.refuse(at, refuse::CHOSEN_REFERENCE),
            ty if has_view(&ty) => self.refuse(at, refuse::CHOSEN_VIEW),
            _ => made,
        }
    }
}

impl Expression {
    /// The same, ending on another line: messages are about its operator, comments about all of it.
    pub(super) fn spanning(mut self, last_line: usize) -> Expression {
        self.last_line = last_line;
        self
    }
}

fn plain(operator: &BinOp) -> Option<BinaryOperator> {
    Some(match operator {
        BinOp::Add(_) => BinaryOperator::Add,
        BinOp::Sub(_) => BinaryOperator::Subtract,
        BinOp::Mul(_) => BinaryOperator::Multiply,
        BinOp::Div(_) => BinaryOperator::Divide,
        BinOp::Rem(_) => BinaryOperator::Remainder,
        BinOp::BitAnd(_) => BinaryOperator::And,
        BinOp::BitOr(_) => BinaryOperator::Or,
        BinOp::BitXor(_) => BinaryOperator::Xor,
        BinOp::Shl(_) => BinaryOperator::ShiftLeft,
        BinOp::Shr(_) => BinaryOperator::ShiftRight,
        _ => return None,
    })
}

fn assigning(operator: &BinOp) -> Option<BinaryOperator> {
    Some(match operator {
        BinOp::AddAssign(_) => BinaryOperator::Add,
        BinOp::SubAssign(_) => BinaryOperator::Subtract,
        BinOp::MulAssign(_) => BinaryOperator::Multiply,
        BinOp::DivAssign(_) => BinaryOperator::Divide,
        BinOp::RemAssign(_) => BinaryOperator::Remainder,
        BinOp::BitAndAssign(_) => BinaryOperator::And,
        BinOp::BitOrAssign(_) => BinaryOperator::Or,
        BinOp::BitXorAssign(_) => BinaryOperator::Xor,
        BinOp::ShlAssign(_) => BinaryOperator::ShiftLeft,
        BinOp::ShrAssign(_) => BinaryOperator::ShiftRight,
        _ => return None,
    })
}

fn comparison(operator: &BinOp) -> Option<Comparison> {
    Some(match operator {
        BinOp::Eq(_) => Comparison::Equal,
        BinOp::Ne(_) => Comparison::NotEqual,
        BinOp::Lt(_) => Comparison::Less,
        BinOp::Le(_) => Comparison::LessOrEqual,
        BinOp::Gt(_) => Comparison::Greater,
        BinOp::Ge(_) => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
