//! Arithmetic that is counted, in the copy of a kernel for launches that are recorded: each operation is given to a function of
//! `registry::steps`, which counts it by the type of its value and gives the value back.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprCall, ItemFn};

/// Methods of numbers that are one operation. What only looks at a number or changes its sign, such as `abs`, is none.
const FUNCTIONS: [&str; 61] = [
    "abs_diff",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "count_ones",
    "count_zeros",
    "div_euclid",
    "exp",
    "exp2",
    "exp_m1",
    "floor",
    "fract",
    "hypot",
    "leading_zeros",
    "ln",
    "ln_1p",
    "log10",
    "log2",
    "max",
    "min",
    "pow",
    "powf",
    "powi",
    "recip",
    "rem_euclid",
    "reverse_bits",
    "rotate_left",
    "rotate_right",
    "round",
    "round_ties_even",
    "saturating_add",
    "saturating_mul",
    "saturating_sub",
    "signum",
    "sin",
    "sinh",
    "sqrt",
    "swap_bytes",
    "tan",
    "tanh",
    "to_degrees",
    "to_radians",
    "trailing_zeros",
    "trunc",
    "wrapping_add",
    "wrapping_div",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_rem",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_sub",
];

/// Counts what a kernel computes.
pub fn count(kernel: &mut ItemFn) {
    Operations.visit_block_mut(&mut kernel.block);
}

/// Whether a call is one that counts.
pub fn is_count(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    path.path.segments.iter().rev().nth(1).is_some_and(|module| module.ident == "steps")
}

struct Operations;

impl VisitMut for Operations {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        match expression {
            Expr::Binary(binary) => {
                let Some((function, assigns)) = function_of(&binary.op) else { return };
                // Only values are counted: what is written to must stay a place.
                if assigns { wrap(&mut binary.right, function) } else { wrap(expression, function) }
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if name == "mul_add" {
                    wrap(expression, "multiply_add");
                } else if FUNCTIONS.contains(&name.as_str()) {
                    wrap(expression, "function");
                }
            }
            _ => {}
        }
    }

    // What is not executed, or not a part of the kernel.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}
    fn visit_expr_repeat_mut(&mut self, array: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut array.expr);
    }
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
}

/// The function that counts an operator, and whether the operator assigns.
fn function_of(operator: &BinOp) -> Option<(&'static str, bool)> {
    Some(match operator {
        BinOp::Add(_) | BinOp::Sub(_) => ("sum", false),
        BinOp::AddAssign(_) | BinOp::SubAssign(_) => ("sum", true),
        BinOp::Mul(_) => ("product", false),
        BinOp::MulAssign(_) => ("product", true),
        BinOp::Div(_) | BinOp::Rem(_) => ("quotient", false),
        BinOp::DivAssign(_) | BinOp::RemAssign(_) => ("quotient", true),
        BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) | BinOp::Shl(_) | BinOp::Shr(_) => ("function", false),
        BinOp::BitAndAssign(_)
        | BinOp::BitOrAssign(_)
        | BinOp::BitXorAssign(_)
        | BinOp::ShlAssign(_)
        | BinOp::ShrAssign(_) => ("function", true),
        _ => return None,
    })
}

/// The call has the place of what it counts: statements begin with it.
fn wrap(expression: &mut Expr, function: &str) {
    let place = expression.to_token_stream().into_iter().next().map_or_else(Span::call_site, |tree| tree.span());
    let (prelude, function) = (Ident::new("warpcell", place), Ident::new(function, place));
    let counted = std::mem::replace(expression, Expr::Verbatim(TokenStream::new()));
    *expression = Expr::Call(ExprCall {
        attrs: Vec::new(),
        func: Box::new(syn::parse_quote_spanned!(place => ::#prelude::registry::steps::#function)),
        paren_token: syn::token::Paren::default(),
        args: std::iter::once(counted).collect(),
    });
}
