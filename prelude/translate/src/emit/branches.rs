//! `if`, `match` and patterns.

use super::bounds::{leaves, leaves_expression};
use super::function::{Operand, Target, UNARY, Writer, is_simple};
use super::literals;
use super::operators::{AND, compared, infix};
use crate::names::member_name;
use crate::scalars::{is_integer, limits};
use crate::tree::{Arm, Block, Comparison, Expression, ExpressionKind, Member, Pattern, PatternKind};
use crate::types::Ty;

/// What patterns look at: a text that may be repeated, or the parts of a tuple that never is one.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    text: String,
    parts: Option<Vec<Subject>>,
}

impl Subject {
    pub(super) fn text(text: String) -> Subject {
        Subject { text, parts: None }
    }

    pub(super) fn parts(parts: Vec<Subject>) -> Subject {
        Subject { text: String::new(), parts: Some(parts) }
    }

    fn member(&self, member: &Member) -> Subject {
        match (member, &self.parts) {
            (Member::Field(name), Some(parts)) => {
                name.parse::<usize>().ok().and_then(|index| parts.get(index).cloned()).unwrap_or_else(|| self.clone())
            }
            (Member::Field(name), None) => Subject::text(format!("{}.{}", self.text, member_name(name))),
            (Member::Element(index), _) => Subject::text(format!("{}.at[{index}]", self.text)),
        }
    }
}

/// Conditions that all have to hold.
pub(super) fn all_of(conditions: &[Operand]) -> Operand {
    let mut conditions = conditions.iter();
    let Some(first) = conditions.next() else { return Operand::primary("true", true) };
    conditions.fold(first.clone(), |all, next| infix(&all, "&&", next, AND))
}

impl Writer<'_> {
    /// `if`, its value to the target.
    pub(super) fn branch(
        &mut self,
        condition: &Expression,
        then: &Block,
        otherwise: Option<&Expression>,
        target: &Target,
    ) {
        self.comment_through(condition.last_line);
        let text = self.value(condition).text;
        self.line(format!("if ({text}) {{"));
        let before = self.bounds.clone();
        self.where_it(condition, true, |writer| writer.nested(|writer| writer.block_into(then, target)));
        self.narrow(condition, false);
        // What holds after the branches that were written: that none of the conditions did whose branches leave.
        let mut after = vec![(condition, leaves(then))];
        let mut rest = otherwise;
        while let Some(Expression { kind: ExpressionKind::If(condition, then, otherwise), .. }) = rest {
            if !is_simple(condition, self.function) {
                break;
            }
            let text = self.value(condition).text;
            self.line(format!("}} else if ({text}) {{"));
            self.where_it(condition, true, |writer| {
                writer.nested(|writer| {
                    writer.comment_through(condition.last_line);
                    writer.block_into(then, target);
                });
            });
            self.narrow(condition, false);
            after.push((condition, leaves(then)));
            rest = otherwise.as_deref();
        }
        if let Some(rest) = rest {
            self.line("} else {");
            self.nested(|writer| writer.inside(rest, target));
        }
        self.line("}");
        self.bounds = before;
        for (condition, _) in after.iter().take_while(|(_, leaves)| *leaves) {
            self.narrow(condition, false);
        }
        if let [(condition, false)] = after[..]
            && rest.is_some_and(leaves_expression)
        {
            self.narrow(condition, true);
        }
    }

    /// `match`, its value to the target: arms are tried one after the other.
    pub(super) fn choice(&mut self, value: &Expression, arms: &[Arm], target: &Target) {
        self.comment_through(value.last_line);
        let subject = self.subject(value);
        let simple = arms.iter().all(|arm| arm.guard.as_ref().is_none_or(|guard| is_simple(guard, self.function)));
        if !simple {
            return self.choice_by_turns(&subject, arms, target);
        }
        let mut opened = false;
        for (index, arm) in arms.iter().enumerate() {
            let mut conditions = self.conditions(&arm.pattern, &subject);
            if let Some(guard) = &arm.guard {
                self.alias(&arm.pattern, &subject);
                conditions.push(self.value(guard));
            }
            // The compiler has seen that one of the arms fits.
            let is_last = conditions.is_empty() || (index + 1 == arms.len() && arm.guard.is_none());
            let condition = all_of(&conditions).text;
            if is_last && opened && is_nothing(&arm.body) {
                break;
            }
            self.line(match (opened, is_last) {
                (false, true) => "{".to_owned(),
                (true, true) => "} else {".to_owned(),
                (false, false) => format!("if ({condition}) {{"),
                (true, false) => format!("}} else if ({condition}) {{"),
            });
            opened = true;
            self.nested(|writer| writer.arm(arm, &subject, target));
            if is_last {
                break;
            }
        }
        self.line("}");
    }

    fn arm(&mut self, arm: &Arm, subject: &Subject, target: &Target) {
        self.comment_through(arm.line);
        self.bind(&arm.pattern, subject);
        self.inside(&arm.body, target);
    }

    /// The same where a guard needs statements: each arm asks whether one before it was chosen.
    fn choice_by_turns(&mut self, subject: &Subject, arms: &[Arm], target: &Target) {
        let chosen = self.fresh("chosen");
        self.line(format!("bool {chosen} = false;"));
        for arm in arms {
            let mut conditions = vec![Operand { text: format!("!{chosen}"), level: UNARY, stable: false }];
            conditions.extend(self.conditions(&arm.pattern, subject));
            self.line(format!("if ({}) {{", all_of(&conditions).text));
            self.nested(|writer| {
                writer.comment_through(arm.line);
                writer.bind(&arm.pattern, subject);
                let guard = arm.guard.as_ref().map(|guard| writer.value(guard).text);
                if let Some(guard) = &guard {
                    writer.line(format!("if ({guard}) {{"));
                }
                let body = |writer: &mut Self| {
                    writer.line(format!("{chosen} = true;"));
                    writer.into(&arm.body, target);
                };
                if guard.is_some() {
                    writer.nested(body);
                    writer.line("}");
                } else {
                    body(writer);
                }
            });
            self.line("}");
        }
    }

    /// What has to hold for a pattern to fit.
    pub(super) fn conditions(&mut self, pattern: &Pattern, subject: &Subject) -> Vec<Operand> {
        let own = Operand::primary(subject.text.clone(), false);
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Bind(_, None) => Vec::new(),
            PatternKind::Bind(_, Some(part)) => self.conditions(part, subject),
            PatternKind::Value(value) => self.equal_to(value, &own),
            PatternKind::Range(start, end, inclusive) => {
                let mut conditions = Vec::new();
                if let Some(start) = start
                    && !self.is_limit(start, false)
                {
                    let bound = self.value(start);
                    conditions.push(compared(Comparison::GreaterOrEqual, &own, &bound));
                }
                if let Some(end) = end
                    && !(*inclusive && self.is_limit(end, true))
                {
                    let bound = self.value(end);
                    let comparison = if *inclusive { Comparison::LessOrEqual } else { Comparison::Less };
                    conditions.push(compared(comparison, &own, &bound));
                }
                conditions
            }
            PatternKind::Members(members) => {
                members.iter().flat_map(|(member, part)| self.conditions(part, &subject.member(member))).collect()
            }
            PatternKind::Or(cases) => {
                let mut alternatives = Vec::new();
                for case in cases {
                    let conditions = self.conditions(case, subject);
                    if conditions.is_empty() {
                        return Vec::new();
                    }
                    alternatives.push(all_of(&conditions));
                }
                let mut alternatives = alternatives.into_iter();
                let Some(first) = alternatives.next() else { return Vec::new() };
                vec![alternatives.fold(first, |any, next| infix(&any, "||", &next, super::operators::OR))]
            }
        }
    }

    fn equal_to(&mut self, value: &Expression, own: &Operand) -> Vec<Operand> {
        let ty = self.value_type(value);
        if let ExpressionKind::Bool(truth) = value.kind {
            let text = if truth { own.text.clone() } else { format!("!{}", own.text) };
            return vec![Operand { text, level: UNARY, stable: false }];
        }
        let bound = self.value(value);
        if ty.scalar().is_some() {
            return vec![compared(Comparison::Equal, own, &bound)];
        }
        let text = self.module.comparison(&ty, Comparison::Equal, &own.text, &bound.text);
        vec![Operand::primary(text, false)]
    }

    /// Whether a bound is the least or the greatest value there is: C++'s compilers warn of comparisons with it.
    fn is_limit(&self, bound: &Expression, greatest: bool) -> bool {
        let Some(scalar) = self.value_type(bound).scalar().filter(|scalar| is_integer(*scalar)) else { return false };
        let (low, high) = limits(scalar);
        self.fixed(bound) == Some(if greatest { high } else { low })
    }

    /// Lets the names of a pattern stand for parts of the subject, while a guard is written.
    pub(super) fn alias(&mut self, pattern: &Pattern, subject: &Subject) {
        match &pattern.kind {
            PatternKind::Bind(id, part) => {
                let text = self.whole_subject(&pattern.ty, subject);
                self.local_names.insert(*id, text);
                if let Some(part) = part {
                    self.alias(part, subject);
                }
            }
            PatternKind::Members(members) => {
                for (member, part) in members {
                    self.alias(part, &subject.member(member));
                }
            }
            PatternKind::Wild | PatternKind::Value(_) | PatternKind::Range(..) | PatternKind::Or(_) => {}
        }
    }

    /// The text of a subject, put together if it has only parts.
    fn whole_subject(&mut self, ty: &Ty, subject: &Subject) -> String {
        let Some(parts) = &subject.parts else { return subject.text.clone() };
        let ty = self.resolve(ty).referent().clone();
        let types = match &ty {
            Ty::Tuple(types) => types.clone(),
            _ => Vec::new(),
        };
        let name = self.module.type_name(&ty);
        let mut texts = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            texts.push(self.whole_subject(types.get(index).unwrap_or(&Ty::UNIT), part));
        }
        format!("{name}{{{}}}", texts.join(", "))
    }

    /// Declares the names of a pattern that fits.
    pub(super) fn bind(&mut self, pattern: &Pattern, subject: &Subject) {
        match &pattern.kind {
            PatternKind::Bind(id, part) => {
                let text = self.whole_subject(&pattern.ty, subject);
                self.declare(*id, Some(&text));
                if let Some(part) = part {
                    self.bind(part, subject);
                }
            }
            PatternKind::Members(members) => {
                for (member, part) in members {
                    self.bind(part, &subject.member(member));
                }
            }
            PatternKind::Wild | PatternKind::Value(_) | PatternKind::Range(..) | PatternKind::Or(_) => {}
        }
    }

    /// Declares a variable, with its value if it has one at once. Gives its name.
    pub(super) fn declare(&mut self, id: usize, value: Option<&str>) -> String {
        let local = &self.function.locals[id];
        let ty = self.resolve(&local.ty);
        // A view has no variable of its own: it is what it is a copy of.
        if let (true, Some(value)) = (ty.is_view(), value) {
            self.local_names.insert(id, value.to_owned());
            return value.to_owned();
        }
        let name = self.fresh(&local.name);
        let of = self.module.type_name(&ty);
        let unused = if local.reads == 0 { "[[maybe_unused]] " } else { "" };
        self.line(match (value, &ty) {
            (Some(value), Ty::Reference(true, _)) => format!("{unused}{of} &{name} = {value};"),
            (Some(value), _) if local.mutable => format!("{unused}{of} {name} = {value};"),
            (Some(value), _) => format!("{unused}const {of} {name} = {value};"),
            (None, _) => format!("{unused}{of} {name};"),
        });
        self.local_names.insert(id, name.clone());
        name
    }
}

/// Whether an expression is an empty block, or `()`.
fn is_nothing(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Block(None, block) => block.statements.is_empty() && block.tail.is_none(),
        ExpressionKind::Tuple(parts) => parts.is_empty(),
        _ => false,
    }
}

/// The literal of an integer of a type.
pub(super) fn number(value: i128, scalar: crate::scalars::Scalar) -> String {
    literals::integer(value, scalar)
}
