//! Rust's operators in C++, where they are not the same: integers wrap, shifts take the count modulo the width, floats become
//! integers by saturation, and what is shorter than an `int` stays as short as it is.

use super::function::{Operand, PRIMARY, UNARY, Writer};
use super::literals;
use crate::scalars::{Scalar, has_operators_of_floats, integer_bits, is_float, is_integer, is_signed, limits, name_of};
use crate::tree::{BinaryOperator, Comparison, Expression, ExpressionKind};

pub(super) const MULTIPLY: u8 = 12;
pub(super) const ADD: u8 = 11;
const SHIFT: u8 = 10;
const RELATION: u8 = 9;
pub(super) const EQUALITY: u8 = 8;
const BIT_AND: u8 = 7;
const BIT_XOR: u8 = 6;
const BIT_OR: u8 = 5;
pub(super) const AND: u8 = 4;
pub(super) const OR: u8 = 3;

/// Two operands around an operator. Parentheses stand where C++ wants them, and where its compilers advise them.
pub(super) fn infix(left: &Operand, operator: &str, right: &Operand, level: u8) -> Operand {
    let bits = matches!(level, SHIFT | BIT_AND | BIT_XOR | BIT_OR);
    let side = |operand: &Operand, least: u8| match operand.level {
        // Also of the same operator: `a & b & c` needs none.
        own if bits && own < UNARY && own != level => format!("({})", operand.text),
        AND if level == OR => format!("({})", operand.text),
        RELATION | EQUALITY if matches!(level, RELATION | EQUALITY) => format!("({})", operand.text),
        _ => operand.at(least),
    };
    Operand {
        text: format!("{} {operator} {}", side(left, level), side(right, level + 1)),
        level,
        stable: left.stable && right.stable,
    }
}

/// A call of a function that has no effects.
pub(super) fn call(function: &str, arguments: &[&Operand]) -> Operand {
    let texts: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
    Operand::primary(format!("{function}({})", texts.join(", ")), arguments.iter().all(|argument| argument.stable))
}

/// A value as one of a type shorter than an `int`, as which C++ has computed it.
pub(super) fn shortened(operand: Operand, scalar: Scalar) -> Operand {
    if scalar == Scalar::Bool || integer_bits(scalar) < 32 && is_integer(scalar) {
        let text = format!("({}){}", name_of(scalar), operand.at(UNARY));
        return Operand { text, level: UNARY, ..operand };
    }
    operand
}

/// An operand as a value of another type.
fn cast(to: &str, operand: &Operand) -> Operand {
    Operand { text: format!("({to}){}", operand.at(UNARY)), level: UNARY, stable: operand.stable }
}

impl Writer<'_> {
    /// `left operator right` of a type, once both are written.
    pub(super) fn operation(
        &mut self,
        operator: BinaryOperator,
        scalar: Scalar,
        (left, left_text): (&Expression, &Operand),
        (right, right_text): (&Expression, &Operand),
        line: usize,
    ) -> Operand {
        use BinaryOperator::*;
        let of = name_of(scalar);
        let (a, b) = (left_text, right_text);
        if has_operators_of_floats(scalar) {
            return match operator {
                Add => infix(a, "+", b, ADD),
                Subtract => infix(a, "-", b, ADD),
                Multiply => infix(a, "*", b, MULTIPLY),
                Divide => infix(a, "/", b, MULTIPLY),
                _ => call(&self.support(&format!("{of}_rem")), &[a, b]),
            };
        }
        match operator {
            Add | Subtract | Multiply => self.wrapping(operator, scalar, (left, a), (right, b)),
            Divide | Remainder => {
                let (sign, name) = if operator == Divide { ("/", "div") } else { ("%", "rem") };
                if self.divides_safely(left, right) {
                    let natural = self.bounds(left).0 >= 0 && self.bounds(right).0 >= 0;
                    // By a constant the compiler multiplies, whatever the sign.
                    if natural && is_signed(scalar) && integer_bits(scalar) >= 32 && self.fixed(right).is_none() {
                        let unsigned = format!("u{}", integer_bits(scalar));
                        let quotient = infix(&cast(&unsigned, a), sign, &cast(&unsigned, b), MULTIPLY);
                        return cast(of, &quotient);
                    }
                    return infix(a, sign, b, MULTIPLY);
                }
                let function = self.support(&format!("{of}_{name}"));
                let place = self.place_of_failure(line);
                Operand::primary(format!("{function}({}, {}, {place})", a.text, b.text), false)
            }
            And => infix(a, "&", b, BIT_AND),
            Or => infix(a, "|", b, BIT_OR),
            Xor => infix(a, "^", b, BIT_XOR),
            ShiftLeft | ShiftRight => self.shift(operator, scalar, a, (right, b)),
        }
    }

    /// Sums, differences and products. Where the operands show that nothing overflows, they are C++'s own.
    fn wrapping(
        &mut self,
        operator: BinaryOperator,
        scalar: Scalar,
        (left, a): (&Expression, &Operand),
        (right, b): (&Expression, &Operand),
    ) -> Operand {
        let (sign, name, level) = match operator {
            BinaryOperator::Add => ("+", "add", ADD),
            BinaryOperator::Subtract => ("-", "sub", ADD),
            _ => ("*", "mul", MULTIPLY),
        };
        let plain = infix(a, sign, b, level);
        match (is_signed(scalar), integer_bits(scalar)) {
            (false, 32 | 64) => plain,
            // Products of these may not fit an `int`.
            (false, 16) if operator == BinaryOperator::Multiply => {
                shortened(infix(&cast("u32", a), sign, b, level), scalar)
            }
            (false, _) => shortened(plain, scalar),
            (true, _) => {
                let ends = self.sum_bounds(operator, left, right);
                let (least, greatest) = limits(scalar);
                if ends.is_some_and(|(low, high)| least <= low && high <= greatest) {
                    return shortened(plain, scalar);
                }
                call(&self.support(&format!("{}_{name}", name_of(scalar))), &[a, b])
            }
        }
    }

    fn sum_bounds(&self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Option<(i128, i128)> {
        super::bounds::binary(operator, self.bounds(left), self.bounds(right))
    }

    fn shift(
        &mut self,
        operator: BinaryOperator,
        scalar: Scalar,
        a: &Operand,
        (count, b): (&Expression, &Operand),
    ) -> Operand {
        let (sign, name) = if operator == BinaryOperator::ShiftLeft { ("<<", "shl") } else { (">>", "shr") };
        let fits = self.fixed(count).is_some_and(|count| (0..i128::from(integer_bits(scalar))).contains(&count));
        let is_plain = integer_bits(scalar) >= 32 && (!is_signed(scalar) || sign == ">>");
        if fits && is_plain {
            return infix(a, sign, b, SHIFT);
        }
        let function = self.support(&format!("{}_{name}", name_of(scalar)));
        let of = self.value_type(count).scalar().unwrap_or(Scalar::U32);
        let b = if of == Scalar::U32 || matches!(count.kind, ExpressionKind::Integer(_)) {
            b.clone()
        } else {
            cast("u32", b)
        };
        call(&function, &[a, &b])
    }

    pub(super) fn negation(&mut self, of: &Expression, operand: &Operand) -> Operand {
        let Some(scalar) = self.value_type(of).scalar() else { return operand.clone() };
        if let ExpressionKind::Integer(value) = of.kind {
            let text = literals::integer(-i128::try_from(value).unwrap_or(0), scalar);
            let level = if text.starts_with('-') { UNARY } else { PRIMARY };
            return Operand { text, level, stable: true };
        }
        if has_operators_of_floats(scalar) {
            let text = operand.at(UNARY);
            let text = if text.starts_with('-') { format!("-({text})") } else { format!("-{text}") };
            return Operand { text, level: UNARY, stable: operand.stable };
        }
        call(&self.support(&format!("{}_neg", name_of(scalar))), &[operand])
    }

    pub(super) fn inversion(&mut self, of: &Expression, operand: &Operand) -> Operand {
        let scalar = self.value_type(of).scalar().unwrap_or(Scalar::Bool);
        let sign = if scalar == Scalar::Bool { "!" } else { "~" };
        let text = format!("{sign}{}", operand.at(UNARY));
        let inverted = Operand { text, level: UNARY, stable: operand.stable };
        if scalar == Scalar::Bool { inverted } else { shortened(inverted, scalar) }
    }

    /// `operand as to`.
    pub(super) fn conversion(&mut self, operand: &Operand, from: Scalar, to: Scalar) -> Operand {
        if from == to {
            return operand.clone();
        }
        if is_float(from) && is_integer(to) {
            return call(&self.support(&format!("{}_from_{}", name_of(to), name_of(from))), &[operand]);
        }
        cast(name_of(to), operand)
    }
}

/// The operator of a comparison of scalars.
pub(super) fn compared(comparison: Comparison, left: &Operand, right: &Operand) -> Operand {
    match comparison {
        Comparison::Equal => infix(left, "==", right, EQUALITY),
        Comparison::NotEqual => infix(left, "!=", right, EQUALITY),
        Comparison::Less => infix(left, "<", right, RELATION),
        Comparison::LessOrEqual => infix(left, "<=", right, RELATION),
        Comparison::Greater => infix(left, ">", right, RELATION),
        Comparison::GreaterOrEqual => infix(left, ">=", right, RELATION),
    }
}
