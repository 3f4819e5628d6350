//! What is known of integers without running the function: so that divisions, indices and loops that cannot fail need no
//! checks, and divisions of numbers that are never negative are unsigned, which GPUs do faster.

use super::function::Writer;
use crate::check::integer_value;
use crate::scalars::{Scalar, integer_bits, is_integer, limits};
use crate::tree::{BinaryOperator, Block, Comparison, Expression, ExpressionKind, Statement};

impl Writer<'_> {
    /// What is written where a condition holds, or where it does not.
    pub(super) fn where_it<R>(&mut self, condition: &Expression, holds: bool, write: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.bounds.clone();
        self.narrow(condition, holds);
        let written = write(self);
        self.bounds = before;
        written
    }

    /// From here on a condition holds, or it does not: bounds of variables that never change.
    pub(super) fn narrow(&mut self, condition: &Expression, holds: bool) {
        match &condition.kind {
            ExpressionKind::Not(of) => self.narrow(of, !holds),
            ExpressionKind::And(left, right) if holds => {
                self.narrow(left, true);
                self.narrow(right, true);
            }
            ExpressionKind::Or(left, right) if !holds => {
                self.narrow(left, false);
                self.narrow(right, false);
            }
            ExpressionKind::Block(None, block) if block.statements.is_empty() => {
                if let Some(tail) = &block.tail {
                    self.narrow(tail, holds);
                }
            }
            ExpressionKind::Compare(comparison, left, right) => {
                let comparison = if holds { *comparison } else { comparison.opposite() };
                self.narrow_local(left, comparison, self.bounds(right));
                self.narrow_local(right, comparison.mirrored(), self.bounds(left));
            }
            _ => {}
        }
    }

    fn narrow_local(&mut self, local: &Expression, comparison: Comparison, (low, high): (i128, i128)) {
        let ExpressionKind::Local(id) = local.kind else { return };
        if self.function.locals[id].mutable || !self.type_of(local).scalar().is_some_and(is_integer) {
            return;
        }
        let (least, greatest) = self.bounds(local);
        let narrowed = match comparison {
            Comparison::Less => (least, greatest.min(high - 1)),
            Comparison::LessOrEqual => (least, greatest.min(high)),
            Comparison::Greater => (least.max(low + 1), greatest),
            Comparison::GreaterOrEqual => (least.max(low), greatest),
            Comparison::Equal => (least.max(low), greatest.min(high)),
            Comparison::NotEqual if low == high => {
                (least + i128::from(least == low), greatest - i128::from(greatest == low))
            }
            Comparison::NotEqual => return,
        };
        // Without any value, this is never reached.
        if narrowed.0 <= narrowed.1 {
            self.bounds.insert(id, narrowed);
        }
    }

    /// The least and the greatest value that an integer expression may have.
    pub(super) fn bounds(&self, expression: &Expression) -> (i128, i128) {
        let Some(scalar) = self.value_type(expression).scalar().filter(|scalar| is_integer(*scalar)) else {
            return (i128::MIN, i128::MAX);
        };
        let all = limits(scalar);
        let within = |(low, high): (i128, i128)| (all.0 <= low && high <= all.1).then_some((low, high));
        self.narrower_bounds(expression).and_then(within).unwrap_or(all)
    }

    fn narrower_bounds(&self, expression: &Expression) -> Option<(i128, i128)> {
        let one = |value: i128| Some((value, value));
        match &expression.kind {
            ExpressionKind::Integer(value) => one(i128::try_from(*value).ok()?),
            ExpressionKind::Constant(_, value) | ExpressionKind::Value(value) => one(integer_value(value)?),
            ExpressionKind::Local(id) => self.bounds.get(id).copied(),
            ExpressionKind::Field(of, axis) => match of.kind {
                ExpressionKind::Thread(function, _) => function.bounds(axis),
                _ => None,
            },
            ExpressionKind::Thread(function, _) => function.bounds(""),
            ExpressionKind::Negate(of) => {
                let (low, high) = self.bounds(of);
                Some((high.checked_neg()?, low.checked_neg()?))
            }
            ExpressionKind::Dereference(of) | ExpressionKind::Reference(false, of) => Some(self.bounds(of)),
            ExpressionKind::Cast(of) => match self.value_type(of).scalar()? {
                Scalar::Bool => Some((0, 1)),
                from if is_integer(from) => Some(self.bounds(of)),
                _ => None,
            },
            ExpressionKind::Binary(operator, left, right) => {
                let ((a, b), (c, d)) = (self.bounds(left), self.bounds(right));
                binary(*operator, (a, b), (c, d))
            }
            ExpressionKind::Block(None, block) if block.statements.is_empty() => {
                block.tail.as_ref().map(|tail| self.bounds(tail))
            }
            _ => None,
        }
    }

    /// Whether an integer is as large as arrays and grids are, at most, or as numbers of 32 bits: loops up to there come to an
    /// end.
    pub(super) fn is_sized(&self, expression: &Expression) -> bool {
        let is_dim3 = |of: &Expression| self.value_type(of) == crate::threads::dim3();
        let all = |parts: &[Expression]| parts.iter().all(|part| self.is_sized(part));
        match &expression.kind {
            _ if self.value_type(expression).scalar().is_some_and(|of| (1..=32).contains(&integer_bits(of))) => true,
            ExpressionKind::Integer(_) | ExpressionKind::Constant(..) | ExpressionKind::Value(_) => {
                self.bounds(expression).1 < i128::from(u32::MAX)
            }
            ExpressionKind::Length(_) | ExpressionKind::Thread(..) => true,
            ExpressionKind::Local(id) => self.sized.contains(id),
            ExpressionKind::Field(of, _) => is_dim3(of),
            ExpressionKind::Index(of, _) => matches!(of.kind, ExpressionKind::Shape(_)),
            ExpressionKind::Cast(of) | ExpressionKind::Dereference(of) | ExpressionKind::Reference(false, of) => {
                self.is_sized(of)
            }
            ExpressionKind::Binary(operator, left, right) => match operator {
                BinaryOperator::ShiftLeft | BinaryOperator::Or | BinaryOperator::Xor => false,
                BinaryOperator::And => self.is_sized(left) || self.is_sized(right),
                BinaryOperator::Remainder => self.is_sized(right),
                BinaryOperator::Divide | BinaryOperator::ShiftRight => self.is_sized(left),
                _ => self.is_sized(left) && self.is_sized(right),
            },
            ExpressionKind::Method(method, _, arguments) if method.c_name.ends_with("_min") => {
                arguments.iter().any(|part| self.is_sized(part))
            }
            ExpressionKind::Ordered("min", arguments) => arguments.iter().any(|part| self.is_sized(part)),
            ExpressionKind::Method(_, _, arguments)
            | ExpressionKind::Complex(_, _, arguments)
            | ExpressionKind::Ordered(_, arguments) => all(arguments),
            ExpressionKind::Block(None, block) if block.statements.is_empty() => {
                block.tail.as_ref().is_some_and(|tail| self.is_sized(tail))
            }
            ExpressionKind::If(_, then, Some(otherwise)) => {
                then.statements.is_empty()
                    && then.tail.as_ref().is_some_and(|tail| self.is_sized(tail))
                    && self.is_sized(otherwise)
            }
            _ => false,
        }
    }

    /// The value of an expression that is known.
    pub(super) fn fixed(&self, expression: &Expression) -> Option<i128> {
        let (low, high) = self.bounds(expression);
        (low == high).then_some(low)
    }

    /// Whether dividing by an expression can neither fail nor overflow.
    pub(super) fn divides_safely(&self, dividend: &Expression, divisor: &Expression) -> bool {
        let (low, high) = self.bounds(divisor);
        let Some(scalar) = self.value_type(divisor).scalar() else { return false };
        let not_zero = low > 0 || high < 0;
        let not_minus_one = low > -1 || high < -1;
        not_zero && (not_minus_one || self.bounds(dividend).0 > limits(scalar).0)
    }
}

/// Whether what follows a block is never reached through it.
pub(super) fn leaves(block: &Block) -> bool {
    let last = match block.statements.last() {
        _ if block.tail.is_some() => block.tail.as_deref(),
        Some(Statement::Expression(expression)) => Some(expression),
        _ => None,
    };
    last.is_some_and(leaves_expression)
}

pub(super) fn leaves_expression(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Return(_) | ExpressionKind::Break(..) | ExpressionKind::Continue(_) | ExpressionKind::Panic => {
            true
        }
        ExpressionKind::Block(None, block) => leaves(block),
        ExpressionKind::If(_, then, Some(otherwise)) => leaves(then) && leaves_expression(otherwise),
        _ => false,
    }
}

impl Comparison {
    /// What holds where this does not, of integers.
    fn opposite(self) -> Comparison {
        use Comparison::*;
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            Less => GreaterOrEqual,
            LessOrEqual => Greater,
            Greater => LessOrEqual,
            GreaterOrEqual => Less,
        }
    }

    /// The same with its sides exchanged.
    fn mirrored(self) -> Comparison {
        use Comparison::*;
        match self {
            Less => Greater,
            LessOrEqual => GreaterOrEqual,
            Greater => Less,
            GreaterOrEqual => LessOrEqual,
            same => same,
        }
    }
}

pub(super) fn binary(operator: BinaryOperator, (a, b): (i128, i128), (c, d): (i128, i128)) -> Option<(i128, i128)> {
    match operator {
        BinaryOperator::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOperator::Subtract => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOperator::Multiply => {
            let ends = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        BinaryOperator::Divide if c > 0 => {
            let ends = [a / c, a / d, b / c, b / d];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        // The remainder has the dividend's sign.
        BinaryOperator::Remainder if c > 0 => {
            Some((if a < 0 { (1 - d).max(a) } else { 0 }, if b > 0 { (d - 1).min(b) } else { 0 }))
        }
        BinaryOperator::And if a == b && c == d => Some((a & c, a & c)),
        BinaryOperator::And if c >= 0 => Some((0, d)),
        BinaryOperator::And if a >= 0 => Some((0, b)),
        BinaryOperator::ShiftRight if c == d && (0..64).contains(&c) => Some((a >> c, b >> c)),
        _ => None,
    }
}
