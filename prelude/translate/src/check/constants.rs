//! Integers that are fixed when a function is translated: lengths of arrays, and indices that can be checked at once.

use super::Checker;
use super::{path_text, plain_name};
use crate::program::Value;
use crate::refuse;
use crate::scalars::{integer_bits, is_integer, is_signed};
use syn::{BinOp, Expr, Lit, UnOp};

impl Checker<'_> {
    /// The length of an array as it is written; none while a constant's value is not known.
    pub(super) fn length(&mut self, written: &Expr) -> Option<usize> {
        let errors = self.errors.len();
        // For the references, and for what is wrong in it.
        let expression = self.expression(written);
        self.types.unify(&expression.ty, &crate::types::Ty::USIZE);
        let value = self.constant_integer(written);
        if value.is_none() && self.errors.len() == errors && self.world.is_some() {
            self.refuse(written, refuse::LENGTH);
        }
        let value = value?;
        match usize::try_from(value) {
            Ok(length) if length <= refuse::LONGEST_ARRAY => Some(length),
            _ => {
                self.refuse(written, refuse::too_long(value));
                None
            }
        }
    }

    /// The value of an integer expression of literals and constants.
    pub(super) fn constant_integer(&self, written: &Expr) -> Option<i128> {
        match written {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(integer) => integer.base10_parse().ok(),
                _ => None,
            },
            Expr::Paren(paren) => self.constant_integer(&paren.expr),
            Expr::Group(group) => self.constant_integer(&group.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => self.constant_integer(&unary.expr)?.checked_neg(),
            Expr::Path(path) => self.constant_path(&path.path),
            // Small enough for every type that it may be cast to.
            Expr::Cast(cast) => self.constant_integer(&cast.expr).filter(|value| (0..128).contains(value)),
            Expr::Binary(binary) => {
                let (left, right) = (self.constant_integer(&binary.left)?, self.constant_integer(&binary.right)?);
                match binary.op {
                    BinOp::Add(_) => left.checked_add(right),
                    BinOp::Sub(_) => left.checked_sub(right),
                    BinOp::Mul(_) => left.checked_mul(right),
                    BinOp::Div(_) => left.checked_div(right),
                    BinOp::Rem(_) => left.checked_rem(right),
                    BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok().filter(|count| *count < 64)?),
                    BinOp::Shr(_) => left.checked_shr(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => match &*call.receiver {
                Expr::Path(path) => match self.world?.constants.get(&path_text(&path.path))? {
                    Value::Array(_, elements) => i128::try_from(elements.len()).ok(),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn constant_path(&self, path: &syn::Path) -> Option<i128> {
        if let Some(id) = path.get_ident().and_then(|ident| self.local(&plain_name(ident))) {
            return self.values.get(&id).copied();
        }
        let path = path_text(&self.without_use(path));
        let value = match path
            .split_once("::")
            .and_then(|(scalar, name)| Some((crate::scalars::scalar_named(scalar)?, name)))
        {
            Some((scalar, name)) => crate::methods::associated_constant(scalar, name),
            None => self.world?.constants.get(&path).cloned(),
        };
        integer_value(&value?)
    }
}

/// The value of an integer constant.
pub(crate) fn integer_value(value: &Value) -> Option<i128> {
    match value {
        Value::Scalar(scalar, bits) if is_integer(*scalar) => {
            // Signed ones are extended to 128 bits.
            let unused = if is_signed(*scalar) { 128 - integer_bits(*scalar) } else { 0 };
            Some((bits.cast_signed() << unused) >> unused)
        }
        _ => None,
    }
}
