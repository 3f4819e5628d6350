//! Loops, and leaving them.

use super::{Checker, Frame};
use crate::refuse;
use crate::scalars::is_integer;
use crate::tree::{Expression, ExpressionKind, For, LoopId, Over, Range};
use crate::types::{Kind, Ty};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, Lifetime, RangeLimits};

impl Checker<'_> {
    /// What happens inside of a loop or a labelled block. Gives its number and frame back with the result.
    fn framed<R>(
        &mut self,
        label: Option<&Lifetime>,
        is_block: bool,
        value: Option<Ty>,
        inside: impl FnOnce(&mut Self) -> R,
    ) -> (LoopId, Frame, R) {
        let id = self.next_loop;
        self.next_loop += 1;
        let label = label.map(|label| label.ident.to_string());
        let frame = Frame { id, label, is_block, value, left: false };
        self.loops.push(frame);
        let result = inside(self);
        let frame = self.loops.pop().unwrap_or(Frame { id, label: None, is_block, value: None, left: false });
        (id, frame, result)
    }

    pub(super) fn labelled_block(&mut self, label: &Lifetime, block: &syn::Block, written: &Expr) -> Expression {
        let ty = self.types.any();
        let always = self.diverges;
        let (id, frame, block) = self.framed(Some(label), true, Some(ty.clone()), |checker| checker.block(block));
        self.expect(&block.ty, &ty, label.span());
        if frame.left {
            self.diverges = always;
        }
        let made = self.made(ExpressionKind::Block(Some(id), block), ty, written);
        self.without_references(made, written)
    }

    pub(super) fn endless_loop(&mut self, repeated: &syn::ExprLoop) -> Expression {
        let ty = self.types.any();
        let always = self.diverges;
        let label = repeated.label.as_ref().map(|label| &label.name);
        let (id, frame, body) = self.framed(label, false, Some(ty.clone()), |checker| checker.block(&repeated.body));
        self.types.unify(&body.ty, &Ty::UNIT);
        self.diverges = always || !frame.left;
        let made = self.made(ExpressionKind::Loop(id, body), ty, repeated);
        self.without_references(made, repeated)
    }

    pub(super) fn while_loop(&mut self, repeated: &syn::ExprWhile) -> Expression {
        if let Expr::Let(condition) = &*repeated.cond {
            return self.refuse(&condition.let_token, refuse::WHILE_LET);
        }
        let label = repeated.label.as_ref().map(|label| &label.name);
        let always = self.diverges;
        let (id, _, (condition, body)) = self.framed(label, false, None, |checker| {
            let condition = checker.expression(&repeated.cond);
            checker.expect(&condition.ty, &Ty::BOOL, repeated.cond.span());
            (condition, checker.block(&repeated.body))
        });
        self.types.unify(&body.ty, &Ty::UNIT);
        self.diverges = always;
        self.made(ExpressionKind::While(id, Box::new(condition), body), Ty::UNIT, repeated)
    }

    pub(super) fn for_loop(&mut self, repeated: &syn::ExprForLoop) -> Expression {
        let label = repeated.label.as_ref().map(|label| &label.name);
        let Some((over, item)) = self.over(&repeated.expr) else {
            // For what is wrong in the body.
            self.scoped(|checker| {
                let any = checker.types.any();
                checker.pattern(&repeated.pat, &any);
                checker.framed(label, false, None, |checker| checker.block(&repeated.body));
            });
            return self.nothing();
        };
        let always = self.diverges;
        let last_line_of_head = self.last_line(&repeated.expr);
        let (id, _, (pattern, body)) = self.framed(label, false, None, |checker| {
            checker.scoped(|checker| {
                let pattern = checker.pattern(&repeated.pat, &item);
                (pattern, checker.block(&repeated.body))
            })
        });
        self.types.unify(&body.ty, &Ty::UNIT);
        self.diverges = always;
        let parts = For { pattern, over, body, last_line_of_head };
        self.made(ExpressionKind::For(id, Box::new(parts)), Ty::UNIT, repeated)
    }

    /// What a `for` loop goes over, and the type of what it gives.
    fn over(&mut self, written: &Expr) -> Option<(Over, Ty)> {
        match written {
            Expr::Paren(paren) => self.over(&paren.expr),
            Expr::Group(group) => self.over(&group.expr),
            Expr::Range(range) => self.over_range(range),
            Expr::MethodCall(call) => self.over_method(call),
            Expr::Call(call) if self.is_grid_stride(call) => self.over_grid(call),
            other => {
                let array = self.expression(other);
                self.over_array(array, false, other)
            }
        }
    }

    fn over_range(&mut self, range: &syn::ExprRange) -> Option<(Over, Ty)> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.refuse(range, refuse::OPEN_RANGE);
            return None;
        };
        let (start, end_written) = (self.expression(start), end);
        let end = self.expression(end_written);
        let ty = start.ty.clone();
        self.expect(&end.ty, &ty, end_written.span());
        let known = self.types.shallow(&ty);
        if known.scalar().is_some_and(|scalar| !is_integer(scalar)) || self.types.kind(&known) == Some(Kind::Float) {
            self.refuse(range, refuse::RANGE_OF_OTHERS);
            return None;
        }
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        Some((Over::Range(Box::new(Range { start, end, inclusive, backwards: false, step: None })), ty))
    }

    fn over_method(&mut self, call: &syn::ExprMethodCall) -> Option<(Over, Ty)> {
        let name = call.method.to_string();
        match (name.as_str(), call.args.first()) {
            ("iter", None) => {
                let array = self.expression(&call.receiver);
                let ty = Ty::Reference(false, Box::new(array.ty.clone()));
                return self.over_array(Expression { ty, ..array }, false, &call.receiver);
            }
            ("iter_mut", None) => {
                let array = self.expression(&call.receiver);
                let ty = Ty::Reference(true, Box::new(self.types.stripped(&array.ty)));
                return self.over_array(Expression { ty, ..array }, true, &call.receiver);
            }
            ("into_iter", None) => return self.over(&call.receiver),
            ("rev" | "enumerate" | "step_by" | "copied" | "cloned", _) => {}
            _ => {
                self.refuse(&call.method, refuse::ITERATOR);
                return None;
            }
        }
        let (mut over, mut item) = self.over(&call.receiver)?;
        let fits = match (name.as_str(), call.args.first(), &mut over) {
            // The numbers of elements would run backwards with them, and the steps from the other end.
            ("rev", None, Over::Range(range)) if range.step.is_none() => {
                range.backwards = !range.backwards;
                true
            }
            ("rev", None, Over::Array { backwards, numbered: false, .. }) => {
                *backwards = !*backwards;
                true
            }
            ("step_by", Some(written), Over::Range(range)) if range.step.is_none() => {
                let made = self.expression(written);
                self.expect(&made.ty, &Ty::USIZE, written.span());
                if self.constant_integer(written) == Some(0) {
                    self.refuse(written, refuse::STEP_OF_ZERO);
                }
                range.step = Some(made);
                true
            }
            ("enumerate", None, Over::Array { numbered: numbered @ false, backwards: false, .. }) => {
                *numbered = true;
                item = Ty::Tuple(vec![Ty::USIZE, item]);
                true
            }
            ("copied" | "cloned", None, Over::Array { numbered: false, .. }) => {
                item = self.types.stripped(&item);
                true
            }
            _ => false,
        };
        if !fits {
            self.refuse(&call.method, refuse::ITERATOR);
            return None;
        }
        Some((over, item))
    }

    fn over_array(&mut self, array: Expression, changing: bool, written: &Expr) -> Option<(Over, Ty)> {
        let ty = self.types.shallow(&array.ty);
        let (reference, changing) = match &ty {
            Ty::Reference(mutable, _) => (true, changing || *mutable),
            _ => (false, changing),
        };
        let element = match self.known(&ty, written) {
            Some(Ty::Array(element, _)) => *element,
            Some(Ty::View(..)) => {
                self.refuse(written, refuse::loop_over_view(&written.to_token_stream().to_string()));
                return None;
            }
            Some(other) => {
                self.refuse(written, refuse::loop_over(&self.types.resolve(&other)));
                return None;
            }
            None => self.types.any(),
        };
        let item = if reference { Ty::Reference(changing, Box::new(element)) } else { element };
        Some((Over::Array { array, changing, numbered: false, backwards: false }, item))
    }

    /// The frame that a `break` or `continue` is about.
    fn frame(&mut self, label: Option<&Lifetime>, may_be_block: bool) -> Option<usize> {
        match label {
            Some(label) => {
                let name = label.ident.to_string();
                self.loops
                    .iter()
                    .rposition(|frame| frame.label.as_deref() == Some(&name) && (may_be_block || !frame.is_block))
            }
            None => self.loops.iter().rposition(|frame| !frame.is_block),
        }
    }

    pub(super) fn break_out(&mut self, jump: &syn::ExprBreak) -> Expression {
        let value = jump.expr.as_deref().map(|value| (self.expression(value), value.span()));
        let Some(index) = self.frame(jump.label.as_ref(), true) else {
            return self.refuse(jump, refuse::OUTSIDE_OF_LOOP);
        };
        self.loops[index].left = true;
        let id = self.loops[index].id;
        let wanted = self.loops[index].value.clone();
        match (&value, wanted) {
            (Some((made, span)), Some(wanted)) => self.expect(&made.ty, &wanted, *span),
            (None, Some(wanted)) => self.expect(&Ty::UNIT, &wanted, jump.span()),
            (Some(_), None) => return self.refuse(jump, refuse::OUTSIDE_OF_LOOP),
            (None, None) => {}
        }
        self.diverges = true;
        let ty = self.types.any();
        self.made(ExpressionKind::Break(id, value.map(|(made, _)| Box::new(made))), ty, jump)
    }

    pub(super) fn go_on(&mut self, jump: &syn::ExprContinue) -> Expression {
        let Some(index) = self.frame(jump.label.as_ref(), false) else {
            return self.refuse(jump, refuse::OUTSIDE_OF_LOOP);
        };
        let id = self.loops[index].id;
        self.diverges = true;
        let ty = self.types.any();
        self.made(ExpressionKind::Continue(id), ty, jump)
    }
}
