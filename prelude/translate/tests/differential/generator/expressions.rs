//! The expressions of random functions.

use super::super::Scalar;
use super::super::programs::name_of;
use super::{Generator, Kind, Variable, is_float, is_signed};
use std::fmt::Write as _;

/// Methods of all integers: `S` stands for the type, `N` for `u32`, `C` for a small count.
const OF_INTEGERS: &[&str] = &[
    "S.wrapping_add(S)",
    "S.wrapping_sub(S)",
    "S.wrapping_mul(S)",
    "S.wrapping_neg()",
    "S.wrapping_shl(N)",
    "S.wrapping_shr(N)",
    "S.wrapping_pow(C)",
    "S.unbounded_shl(C)",
    "S.saturating_add(S)",
    "S.saturating_sub(S)",
    "S.saturating_mul(S)",
    "S.saturating_pow(C)",
    "S.rotate_left(N)",
    "S.rotate_right(N)",
    "S.swap_bytes()",
    "S.reverse_bits()",
    "S.to_be()",
    "S.min(S)",
    "S.max(S)",
    "S.pow(C)",
    "S.midpoint(S)",
    "S.rem_euclid(S | 1)",
    "S.div_euclid(S | 1)",
    "S.wrapping_div(S | 1)",
    "S.overflowing_add(S).0",
    "S.overflowing_mul(S).0",
    "S.overflowing_sub(S).0",
    "T::min(S, S)",
    "T::from_be(S)",
];

const OF_SIGNED: &[&str] =
    &["S.abs()", "S.signum()", "S.saturating_abs()", "S.saturating_neg()", "S.wrapping_abs()", "S.abs().isqrt().abs()"];

const OF_UNSIGNED: &[&str] =
    &["S.isqrt()", "S.abs_diff(S)", "S.div_ceil(S | 1)", "S.next_multiple_of(S | 1)", "S.next_power_of_two()"];

/// Methods of any integer, `I`, that give a `u32`.
const COUNTS: &[&str] = &[
    "I.count_ones()",
    "I.count_zeros()",
    "I.leading_zeros()",
    "I.trailing_zeros()",
    "I.leading_ones()",
    "I.trailing_ones()",
];

/// Methods of floats: `P` stands for a parameter, `Z` for a whole number.
const OF_FLOATS: &[&str] = &[
    "S.abs()",
    "S.sqrt()",
    "S.abs().sqrt()",
    "S.floor()",
    "S.ceil()",
    "S.round()",
    "S.round_ties_even()",
    "S.trunc()",
    "S.fract()",
    "S.recip()",
    "S.signum()",
    "S.to_degrees()",
    "S.to_radians()",
    "S.powi(Z)",
    "S.mul_add(S, S)",
    "(S.min(S) + 0.0)",
    "(S.max(S) + 0.0)",
    "(S.clamp(-1.5, 2.5) + 0.0)",
    "S.copysign(P)",
    "S.rem_euclid(S)",
    "S.div_euclid(S)",
    "S.next_up()",
    "T::from_bits(P.to_bits() ^ 1)",
    "T::mul_add(S, S, S)",
];

/// The same of those that the C library computes.
const OF_THE_LIBRARY: &[&str] = &[
    "S.sin()",
    "S.cos()",
    "S.atan()",
    "S.tanh()",
    "S.exp()",
    "S.ln_1p()",
    "S.exp_m1()",
    "S.abs().ln()",
    "S.exp2()",
    "S.log2()",
    "S.log10()",
    "S.cbrt()",
    "S.asinh()",
    "S.powf(S)",
    "S.atan2(S)",
    "S.hypot(S)",
    "S.sin_cos().1",
    "T::hypot(S, S)",
];

/// Tests of floats.
const TESTS: &[&str] = &["F.is_nan()", "F.is_finite()", "F.is_infinite()", "F.is_normal()", "F.is_subnormal()"];

impl Generator {
    /// An expression that needs no further parentheses, and whose type is known without what is around it.
    pub(super) fn expression(&mut self, of: Scalar, depth: usize) -> String {
        if depth == 0 || self.chance(1, 6) {
            return self.leaf(of);
        }
        match self.random.below(14) {
            0 => {
                let condition = self.expression(Scalar::Bool, depth - 1);
                let (yes, no) = (self.expression(of, depth - 1), self.expression(of, depth - 1));
                format!("(if {condition} {{ {yes} }} else {{ {no} }})")
            }
            1 => self.matched(of, depth - 1),
            2 => self.block_expression(of, depth - 1),
            3 => self.call(of, depth - 1),
            4 => self.cast(of, depth - 1),
            _ => match of {
                Scalar::Bool => self.truth(depth - 1),
                of if is_float(of) => self.float(of, depth - 1),
                of => self.whole(of, depth - 1),
            },
        }
    }

    pub(super) fn leaf(&mut self, of: Scalar) -> String {
        let mut places = Vec::new();
        for variable in &self.scope {
            match &variable.kind {
                Kind::Scalar(scalar) if *scalar == of => places.push((variable.name.clone(), 0)),
                Kind::Tuple(parts) => {
                    let fitting = parts.iter().enumerate().filter(|(_, part)| **part == of);
                    places.extend(fitting.map(|(at, _)| (format!("{}.{at}", variable.name), 0)));
                }
                Kind::Array(element, length) if *element == of => places.push((variable.name.clone(), *length)),
                _ => {}
            }
        }
        if !places.is_empty() && !self.chance(1, 5) {
            let (name, length) = self.random.one_of(&places).clone();
            return match length {
                0 => name,
                length if self.chance(1, 2) => format!("{name}[{}]", self.random.below(length)),
                length => {
                    let indices: Vec<String> = self
                        .scope
                        .iter()
                        .filter(|variable| matches!(variable.kind, Kind::Scalar(Scalar::Usize)))
                        .map(|variable| variable.name.clone())
                        .collect();
                    let index = if indices.is_empty() { "1".to_owned() } else { self.random.one_of(&indices).clone() };
                    format!("{name}[{index} % {length}]")
                }
            };
        }
        let parameters: Vec<Variable> = self.scope.iter().filter(|variable| variable.parameter).cloned().collect();
        let parameter = self.random.one_of(&parameters).clone();
        match parameter.kind {
            Kind::Scalar(own) if self.chance(2, 3) && !(own == Scalar::Bool && is_float(of)) && own != of => match of {
                Scalar::Bool => format!("({} > {})", parameter.name, if is_float(own) { "0.5" } else { "9" }),
                of => format!("({} as {})", parameter.name, name_of(of)),
            },
            _ => self.literal(of),
        }
    }

    pub(super) fn literal(&mut self, of: Scalar) -> String {
        let name = name_of(of);
        match of {
            Scalar::Bool => self.chance(1, 2).to_string(),
            Scalar::F32 | Scalar::F64 => match self.random.below(12) {
                0 => format!("{name}::MAX"),
                1 => format!("{name}::EPSILON"),
                2 => format!("std::{name}::consts::PI"),
                3 => format!("{name}::INFINITY"),
                4 => format!("{}e{}_{name}", self.random.below(100), self.random.below(8)),
                5 => format!("(-{}.5_{name})", self.random.below(50)),
                _ => format!("{}.{}{name}", self.random.below(20), self.random.below(1000)),
            },
            _ => match self.random.below(10) {
                0 => format!("{name}::MAX"),
                1 => format!("{name}::MIN"),
                2 if is_signed(of) => format!("(-{}{name})", self.random.below(100)),
                3 => format!("{:#x}_{name}", self.random.below(128)),
                4 if !matches!(of, Scalar::I8 | Scalar::U8) => format!("{}{name}", self.random.below(32768)),
                _ => format!("{}{name}", self.random.below(100)),
            },
        }
    }

    pub(super) fn truth(&mut self, depth: usize) -> String {
        let of = self.scalar();
        match self.random.below(8) {
            0 => format!("(!{})", self.expression(Scalar::Bool, depth)),
            1 | 2 => {
                let operator = *self.random.one_of(&["&&", "||", "^", "&", "|"]);
                format!(
                    "({} {operator} {})",
                    self.expression(Scalar::Bool, depth),
                    self.expression(Scalar::Bool, depth)
                )
            }
            3 => {
                let float = if self.chance(1, 2) { Scalar::F32 } else { Scalar::F64 };
                let test = *self.random.one_of(TESTS);
                test.replace('F', &self.expression(float, depth))
            }
            4 => {
                let of = self.integer();
                let (least, greatest) = (self.random.below(50), 50 + self.random.below(50));
                format!("({least}..{greatest}).contains(&{})", self.expression(of, depth))
            }
            _ => {
                let operator = *self.random.one_of(&["<", "<=", "==", "!=", ">", ">="]);
                format!("({} {operator} {})", self.expression(of, depth), self.expression(of, depth))
            }
        }
    }

    pub(super) fn float(&mut self, of: Scalar, depth: usize) -> String {
        match self.random.below(3) {
            0 => {
                let library = self.library && self.chance(1, 2);
                let method = *self.random.one_of(if library { OF_THE_LIBRARY } else { OF_FLOATS });
                self.filled(method, of, depth)
            }
            1 if self.chance(1, 4) => format!("(-{})", self.expression(of, depth)),
            _ => {
                let operator = *self.random.one_of(&["+", "-", "*", "/", "+", "*", "%"]);
                format!("({} {operator} {})", self.expression(of, depth), self.expression(of, depth))
            }
        }
    }

    pub(super) fn whole(&mut self, of: Scalar, depth: usize) -> String {
        match self.random.below(10) {
            0..=2 => {
                let special = if is_signed(of) { OF_SIGNED } else { OF_UNSIGNED };
                let method = match self.random.below(4) {
                    0 => *self.random.one_of(special),
                    1 if of == Scalar::U32 => *self.random.one_of(COUNTS),
                    _ => *self.random.one_of(OF_INTEGERS),
                };
                self.filled(method, of, depth)
            }
            3 => format!("(!{})", self.expression(of, depth)),
            4 if is_signed(of) => format!("(-{})", self.expression(of, depth)),
            5 => {
                let count = self.integer();
                let operator = *self.random.one_of(&["<<", ">>"]);
                format!("({} {operator} {})", self.expression(of, depth), self.expression(count, depth))
            }
            6 => {
                let operator = *self.random.one_of(&["/", "%"]);
                let (left, right) = (self.expression(of, depth), self.expression(of, depth));
                // Now and then by zero, where both sides fail.
                if self.chance(1, 5) {
                    format!("({left} {operator} {right})")
                } else {
                    format!("({left} {operator} ({right} | 1))")
                }
            }
            _ => {
                let operator = *self.random.one_of(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.expression(of, depth), self.expression(of, depth))
            }
        }
    }

    /// A method's text with expressions for its letters.
    pub(super) fn filled(&mut self, method: &str, of: Scalar, depth: usize) -> String {
        let mut text = String::new();
        for (at, character) in method.char_indices() {
            // Letters of names do not count.
            let alone = !method[at + 1..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
                && !method[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
            match character {
                'S' if alone => text.push_str(&self.expression(of, depth)),
                'T' if alone => text.push_str(&name_of(of)),
                'N' if alone => text.push_str(&self.expression(Scalar::U32, depth)),
                'C' if alone => write!(text, "({} % 70)", self.expression(Scalar::U32, 1)).expect("text"),
                'Z' if alone => write!(text, "({} % 8)", self.expression(Scalar::I32, 1)).expect("text"),
                'I' if alone => {
                    let integer = self.integer();
                    text.push_str(&self.expression(integer, depth));
                }
                'P' if alone => {
                    let fitting = |variable: &&Variable| {
                        variable.parameter && matches!(variable.kind, Kind::Scalar(own) if own == of)
                    };
                    let parameter = self.scope.iter().find(fitting).map(|variable| variable.name.clone());
                    text.push_str(&parameter.unwrap_or_else(|| format!("2.5{}", name_of(of))));
                }
                other => text.push(other),
            }
        }
        text
    }

    pub(super) fn cast(&mut self, of: Scalar, depth: usize) -> String {
        let from = match of {
            Scalar::Bool => return self.truth(depth),
            of if is_float(of) => match self.scalar() {
                Scalar::Bool => self.integer(),
                other => other,
            },
            _ => self.scalar(),
        };
        format!("({} as {})", self.expression(from, depth), name_of(of))
    }

    pub(super) fn call(&mut self, of: Scalar, depth: usize) -> String {
        let fitting: Vec<usize> = (0..self.device.len()).filter(|at| self.device[*at].result == of).collect();
        if fitting.is_empty() || depth == 0 {
            return self.cast(of, depth);
        }
        let at = *self.random.one_of(&fitting);
        let (name, parameters) = (self.device[at].name.clone(), self.device[at].parameters.clone());
        let arguments: Vec<String> = parameters.iter().map(|of| self.expression(*of, depth - 1)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    pub(super) fn block_expression(&mut self, of: Scalar, depth: usize) -> String {
        if self.chance(1, 3)
            && let Some((place, own)) = self.place()
        {
            // What stands to the left must not see this, and what stands to the right must.
            let value = self.expression(own, depth);
            let operator = if own == Scalar::Bool { "^=" } else { *self.random.one_of(&["=", "+=", "-=", "*="]) };
            let result = if own == of && self.chance(1, 2) { place.clone() } else { self.expression(of, depth) };
            return format!("({{ {place} {operator} {value}; {result} }})");
        }
        let inner = self.scalar();
        let value = self.expression(inner, depth);
        let outside = self.scope.clone();
        let name = self.fresh("b");
        self.declare(name.clone(), Kind::Scalar(inner), false);
        let result = self.expression(of, depth);
        self.scope = outside;
        format!("({{ let {name} = {value}; {result} }})")
    }

    pub(super) fn matched(&mut self, of: Scalar, depth: usize) -> String {
        let mut arms = Vec::new();
        let value;
        match self.random.below(3) {
            0 => {
                value = format!("({}, {})", self.expression(Scalar::Bool, depth), self.expression(Scalar::U8, depth));
                arms.push(format!("(true, 0..=99) => {}", self.expression(of, depth)));
                arms.push(format!("(false, x) if x > {} => {}", self.random.below(200), self.expression(of, depth)));
                arms.push(format!("(_, 7 | 9 | 200..) => {}", self.expression(of, depth)));
            }
            _ => {
                let integer = self.integer();
                value = self.expression(integer, depth);
                let (first, last) = (self.random.below(30), 30 + self.random.below(60));
                arms.push(format!("{first} => {}", self.expression(of, depth)));
                if is_signed(integer) {
                    arms.push(format!("-{last}..={first} => {}", self.expression(of, depth)));
                }
                arms.push(format!("{first}..{last} => {}", self.expression(of, depth)));
                arms.push(format!("{last} | 100 | 102 => {}", self.expression(of, depth)));
                arms.push(format!("x if x & 1 == 0 => {}", self.expression(of, depth)));
            }
        }
        arms.push(format!("_ => {}", self.expression(of, depth)));
        format!("(match {value} {{ {} }})", arms.join(", "))
    }
}
