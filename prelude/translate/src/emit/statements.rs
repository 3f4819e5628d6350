//! Statements: `let`, assignments, and what ends a block.

use super::branches::Subject;
use super::function::{Operand, Target, Writer, is_simple};
use super::values::is_place;
use crate::scalars::{Scalar, has_operators_of_floats, integer_bits, is_integer, is_signed};
use crate::tree::{BinaryOperator, Block, Expression, ExpressionKind, Pattern, PatternKind, Statement};
use crate::types::Ty;

impl Writer<'_> {
    /// The statements of a block between braces that are there, its value to the target.
    pub(super) fn block_into(&mut self, block: &Block, target: &Target) {
        // What its conditions show holds to its end.
        let before = self.bounds.clone();
        for statement in &block.statements {
            match statement {
                Statement::Let(parts) => {
                    self.let_statement(&parts.pattern, &parts.ty, parts.value.as_ref(), parts.last_line);
                }
                Statement::Expression(expression) => self.into(expression, &Target::Nothing),
            }
        }
        if let Some(tail) = &block.tail {
            self.into(tail, target);
        }
        self.bounds = before;
    }

    /// An expression as statements, its value to the target.
    pub(super) fn into(&mut self, expression: &Expression, target: &Target) {
        let ty = self.value_type(expression);
        let none = Target::Nothing;
        let target = if ty.is_unit() || matches!(ty, Ty::Variable(_)) { &none } else { target };
        match &expression.kind {
            ExpressionKind::If(condition, then, otherwise) => {
                if !matches!(target, Target::Nothing) && is_simple(expression, self.function) {
                    self.comment_through(expression.last_line);
                    let value = self.whole_value(expression);
                    return self.finish(value, &ty, target);
                }
                self.branch(condition, then, otherwise.as_deref(), target);
            }
            ExpressionKind::Match(value, arms) => self.choice(value, arms, target),
            ExpressionKind::Block(label, block) => self.inner_block(*label, block, target),
            ExpressionKind::Loop(id, body) => self.endless_loop(*id, body, expression.line, target),
            ExpressionKind::While(id, condition, body) => self.while_loop(*id, condition, body),
            ExpressionKind::For(id, parts) => self.for_loop(*id, parts),
            ExpressionKind::Break(id, value) => {
                self.break_out(*id, value.as_deref(), expression.last_line);
            }
            ExpressionKind::Continue(id) => {
                self.comment_through(expression.last_line);
                self.go_on(*id);
            }
            ExpressionKind::Return(value) => match value {
                Some(value) => {
                    let is_value = !self.value_type(value).is_unit();
                    self.into(value, &Target::Return);
                    if !is_value {
                        self.line("return;");
                    }
                }
                None => {
                    self.comment_through(expression.last_line);
                    self.line("return;");
                }
            },
            ExpressionKind::Panic => {
                self.comment_through(expression.last_line);
                let function = self.support("panicked");
                let place = self.place_of_failure(expression.line);
                self.line(format!("{function}({place});"));
            }
            ExpressionKind::Assign(place, value) => self.assign(expression, place, value),
            ExpressionKind::AssignParts(places, value) => self.assign_parts(expression, places, value),
            ExpressionKind::AssignBinary(operator, place, value) => {
                self.assign_binary(expression, *operator, place, value);
            }
            ExpressionKind::Swap(left, right) => {
                self.comment_through(expression.last_line);
                let of = self.value_type(left);
                let places = self.values(&[left, right]);
                let kept = self.keep(&places[0], &of);
                self.line(format!("{} = {};", places[0].text, places[1].text));
                self.line(format!("{} = {};", places[1].text, kept.text));
            }
            ExpressionKind::Repeat(element, length) if !self.is_written_out(element, *length) => {
                self.fill(expression, element, *length, target);
            }
            _ => {
                self.comment_through(expression.last_line);
                let value = self.whole_value(expression);
                self.finish(value, &ty, target);
            }
        }
    }

    /// The same between braces that are there: a block needs none of its own.
    pub(super) fn inside(&mut self, expression: &Expression, target: &Target) {
        match &expression.kind {
            ExpressionKind::Block(None, block) if !self.value_type(expression).is_unit() => {
                self.block_into(block, target)
            }
            ExpressionKind::Block(None, block) => self.block_into(block, &Target::Nothing),
            _ => self.into(expression, target),
        }
    }

    /// `[element; length]` by a loop.
    fn fill(&mut self, expression: &Expression, element: &Expression, length: usize, target: &Target) {
        self.comment_through(expression.last_line);
        let value = self.value(element);
        let element_type = self.value_type(element);
        let value = if value.stable { value } else { self.keep(&value, &element_type) };
        let ty = self.value_type(expression);
        let name = match target {
            Target::Nothing => return,
            Target::Set(name) => name.clone(),
            Target::Return => {
                let name = self.fresh("value");
                let of = self.module.type_name(&ty);
                self.line(format!("{of} {name};"));
                name
            }
        };
        let index = self.fresh("index");
        self.line(format!("for (u32 {index} = 0; {index} < {length}; ++{index}) {name}.at[{index}] = {};", value.text));
        if let Target::Return = target {
            self.line(format!("return {name};"));
        }
    }

    fn let_statement(&mut self, pattern: &Pattern, ty: &Ty, value: Option<&Expression>, last_line: usize) {
        let Some(value) = value else {
            self.comment_through(last_line);
            if let PatternKind::Bind(id, _) = pattern.kind {
                self.declare(id, None);
            }
            return;
        };
        match &pattern.kind {
            PatternKind::Bind(id, None) => self.let_name(*id, value, last_line),
            PatternKind::Wild => self.into(value, &Target::Nothing),
            PatternKind::Members(members) => {
                let is_plain = |part: &Pattern| matches!(part.kind, PatternKind::Bind(_, None) | PatternKind::Wild);
                self.comment_unless_nested(value, last_line);
                match &value.kind {
                    ExpressionKind::Tuple(parts)
                        if parts.len() == members.len() && members.iter().all(|(_, part)| is_plain(part)) =>
                    {
                        let operands = self.values(&parts.iter().collect::<Vec<_>>());
                        for ((_, member), (operand, part)) in members.iter().zip(operands.into_iter().zip(parts)) {
                            let ty = self.value_type(part);
                            match member.kind {
                                PatternKind::Bind(id, _) => {
                                    self.declare(id, Some(&operand.text));
                                }
                                _ => self.finish(operand, &ty, &Target::Nothing),
                            }
                        }
                    }
                    _ => {
                        let subject = self.subject(value);
                        self.bind(pattern, &subject);
                    }
                }
            }
            _ => {
                self.comment_unless_nested(value, last_line);
                let operand = self.value(value);
                let ty = self.resolve(ty);
                let kept = self.keep(&operand, ty.referent());
                self.bind(pattern, &Subject::text(kept.text));
            }
        }
    }

    /// `let name = value;`.
    fn let_name(&mut self, id: usize, value: &Expression, last_line: usize) {
        let ty = self.resolve(&self.function.locals[id].ty);
        if let ExpressionKind::SharedArray = value.kind {
            self.comment_through(last_line);
            return self.shared_array(id, &ty);
        }
        if self.takes_statements(value) && !matches!(ty, Ty::Reference(true, _)) {
            if ty.is_unit() || matches!(ty, Ty::Variable(_)) {
                self.into(value, &Target::Nothing);
                let unit = self.module.type_name(&Ty::UNIT);
                self.declare(id, Some(&format!("{unit}{{}}")));
                return;
            }
            // Rust's lines come before what they declare.
            self.comment_through(value.line);
            let name = self.declare(id, None);
            self.into(value, &Target::Set(name));
            return;
        }
        self.comment_through(last_line);
        let bounds = match value.kind {
            ExpressionKind::Tuple(_) => None,
            _ if self.function.locals[id].mutable => None,
            _ => ty.scalar().filter(|scalar| is_integer(*scalar)).map(|_| self.bounds(value)),
        };
        let mut operand = self.whole_value(value);
        if ty.is_unit() || matches!(ty, Ty::Variable(_)) {
            self.finish(operand, &ty, &Target::Nothing);
            let unit = self.module.type_name(&Ty::UNIT);
            operand = Operand::primary(format!("{unit}{{}}"), true);
        }
        let is_sized = bounds.is_some() && self.is_sized(value);
        self.declare(id, Some(&operand.text));
        if is_sized {
            self.sized.insert(id);
        }
        if let Some(bounds) = bounds {
            self.bounds.insert(id, bounds);
        }
    }

    /// Whether an expression is written as statements that set a variable.
    fn takes_statements(&self, value: &Expression) -> bool {
        match &value.kind {
            ExpressionKind::If(..) => !is_simple(value, self.function),
            ExpressionKind::Block(None, block) => !block.statements.is_empty() || block.tail.is_none(),
            ExpressionKind::Match(..)
            | ExpressionKind::Block(..)
            | ExpressionKind::Loop(..)
            | ExpressionKind::While(..)
            | ExpressionKind::For(..)
            | ExpressionKind::Return(_)
            | ExpressionKind::Break(..)
            | ExpressionKind::Continue(_)
            | ExpressionKind::Panic => true,
            ExpressionKind::Repeat(element, length) => !self.is_written_out(element, *length),
            _ => false,
        }
    }

    /// The lines of a statement as comments, but for those that stand within it.
    fn comment_unless_nested(&mut self, value: &Expression, last_line: usize) {
        self.comment_through(if self.takes_statements(value) { value.line } else { last_line });
    }

    fn assign(&mut self, expression: &Expression, place: &Expression, value: &Expression) {
        if self.takes_statements(value) && matches!(place.kind, ExpressionKind::Local(_)) {
            self.comment_through(value.line);
            let place = self.place(place);
            self.into(value, &Target::Set(place.text));
            return;
        }
        self.comment_through(expression.last_line);
        let operands = self.operands(&[(value, false), (place, true)]);
        self.line(format!("{} = {};", operands[1].text, operands[0].text));
    }

    /// `(a, b) = value`.
    fn assign_parts(&mut self, expression: &Expression, places: &[Option<Expression>], value: &Expression) {
        self.comment_through(expression.last_line);
        let mut texts = Vec::new();
        match &value.kind {
            ExpressionKind::Tuple(parts) if parts.len() == places.len() => {
                let operands = self.values(&parts.iter().collect::<Vec<_>>());
                for (operand, part) in operands.iter().zip(parts) {
                    let ty = self.value_type(part);
                    texts.push(if operand.stable { operand.text.clone() } else { self.keep(operand, &ty).text });
                }
            }
            _ if places.is_empty() => {
                let ty = self.value_type(value);
                let operand = self.whole_value(value);
                self.finish(operand, &ty, &Target::Nothing);
            }
            _ => {
                let ty = self.value_type(value);
                let operand = self.value(value);
                let kept = self.keep(&operand, &ty);
                texts = (0..places.len()).map(|index| format!("{}._{index}", kept.text)).collect();
            }
        }
        for (place, text) in places.iter().zip(&texts) {
            if let Some(place) = place {
                let place = self.place(place);
                self.line(format!("{} = {text};", place.text));
            }
        }
    }

    fn assign_binary(
        &mut self,
        expression: &Expression,
        operator: BinaryOperator,
        place: &Expression,
        value: &Expression,
    ) {
        self.comment_through(expression.last_line);
        let operands = self.operands(&[(value, false), (place, true)]);
        let (amount, mut target) = (&operands[0], operands[1].clone());
        let scalar = self.value_type(place).scalar().unwrap_or(Scalar::I32);
        if let Some(sign) = own_assignment(operator, scalar) {
            let text = &amount.text;
            self.line(format!("{} {sign}= {text};", target.text));
            return;
        }
        // The place stands twice in what follows: it is looked up once.
        if !is_place(place) || target.text.contains('(') {
            let of = self.value_type(place);
            target = self.keep(&target, &Ty::Reference(true, Box::new(of)));
        }
        let result = self.operation(operator, scalar, (place, &target), (value, amount), expression.line);
        self.line(format!("{} = {};", target.text, result.text));
    }
}

/// C++'s operator where it does the same in place.
fn own_assignment(operator: BinaryOperator, scalar: Scalar) -> Option<&'static str> {
    let is_wide = integer_bits(scalar) >= 32;
    match operator {
        BinaryOperator::Add if has_operators_of_floats(scalar) || is_wide && !is_signed(scalar) => Some("+"),
        BinaryOperator::Subtract if has_operators_of_floats(scalar) || is_wide && !is_signed(scalar) => Some("-"),
        BinaryOperator::Multiply if has_operators_of_floats(scalar) || is_wide && !is_signed(scalar) => Some("*"),
        BinaryOperator::Divide if has_operators_of_floats(scalar) => Some("/"),
        BinaryOperator::And => Some("&"),
        BinaryOperator::Or => Some("|"),
        BinaryOperator::Xor => Some("^"),
        _ => None,
    }
}
