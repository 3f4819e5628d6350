//! The variables that code takes from around it, as far as its text shows them.
//!
//! A macro does not know which names are variables. A name without a path that is not bound in the code is one, or a
//! function or constant, of which a copy is as good. In the arguments of other macros, which are no code yet, names stand
//! for variables where values may stand, and in the brackets of format strings. Arguments that are expressions are read as such.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashSet;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Arm, Block, Expr, ExprCall, ExprClosure, ExprForLoop, ExprIf, ExprLet, ExprPath, ExprWhile, Local, Macro, Pat,
    PatIdent, Token,
};

/// The names that are variables from around a block, each once, without those that `known` are the closure's parameters.
pub fn captures(block: &Block, known: &[&Ident]) -> Vec<Ident> {
    let known = known.iter().map(|name| name.to_string()).collect();
    let mut finder = Finder { scopes: vec![known], found: Vec::new() };
    finder.visit_block(block);
    finder.found
}

/// Types without capitals.
const TYPES: [&str; 19] = [
    "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
    "f32", "f64", "f16", "bf16",
];

struct Finder {
    /// The names that are bound, from the outermost block to the innermost.
    scopes: Vec<HashSet<String>>,
    found: Vec<Ident>,
}

impl Finder {
    fn within(&mut self, visit: impl FnOnce(&mut Finder)) {
        self.scopes.push(HashSet::new());
        visit(self);
        self.scopes.pop();
    }

    fn bind(&mut self, pattern: &Pat) {
        struct Names<'a>(&'a mut HashSet<String>);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
                self.0.insert(name.ident.to_string());
                visit::visit_pat_ident(self, name);
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            Names(scope).visit_pat(pattern);
        }
    }

    fn meet(&mut self, name: &Ident) {
        let text = name.to_string();
        // Constants, statics and types have capitals.
        let is_variable =
            text.starts_with(|first: char| first.is_lowercase() || first == '_') && !TYPES.contains(&text.as_str());
        let is_bound = text == "self" || self.scopes.iter().any(|scope| scope.contains(&text));
        if is_variable && !is_bound && !self.found.iter().any(|found| *found == text) {
            self.found.push(name.clone());
        }
    }

    /// The arguments of a macro.
    fn meet_arguments(&mut self, tokens: TokenStream) {
        let Ok(arguments) = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone()) else {
            return self.within(|inner| inner.meet_tokens(tokens));
        };
        for argument in arguments {
            match argument {
                // `axis = 0` is a keyword and its value.
                Expr::Assign(keyword) if matches!(*keyword.left, Expr::Path(_)) => self.visit_expr(&keyword.right),
                Expr::Lit(literal) => self.meet_names(&literal.lit.to_token_stream().to_string(), literal.lit.span()),
                other => self.visit_expr(&other),
            }
        }
    }

    /// The names in the brackets of a format string.
    fn meet_names(&mut self, literal: &str, place: Span) {
        for name in in_format(literal) {
            if let Ok(mut name) = syn::parse_str::<Ident>(&name) {
                name.set_span(place);
                self.meet(&name);
            }
        }
    }

    /// The arguments of a macro that are no expressions. What has a type there is bound there.
    fn meet_tokens(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colon =
            |index: usize| matches!(trees.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        for (index, tree) in trees.iter().enumerate() {
            if let (TokenTree::Ident(name), true, false) = (tree, is_colon(index + 1), is_colon(index + 2))
                && let Some(scope) = self.scopes.last_mut()
            {
                scope.insert(name.to_string());
            }
        }
        let punct = |index: usize| match trees.get(index) {
            Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
            _ => None,
        };
        for (index, tree) in trees.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).and_then(punct);
            match tree {
                TokenTree::Ident(name) => {
                    let is_member = before(1) == Some('.') && before(2) != Some('.');
                    let is_in_path = before(1) == Some(':') && before(2) == Some(':');
                    let is_lifetime = before(1) == Some('\'');
                    let (next, behind) = (punct(index + 1), punct(index + 2));
                    let is_label =
                        matches!(next, Some(':')) || (next == Some('=') && !matches!(behind, Some('=' | '>')));
                    let is_called = next == Some('!') && behind != Some('=')
                        || matches!(trees.get(index + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    let is_keyword = syn::parse_str::<Ident>(&name.to_string()).is_err();
                    if !(is_member || is_in_path || is_lifetime || is_label || is_called || is_keyword) {
                        self.meet(name);
                    }
                }
                TokenTree::Group(group) => self.meet_tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    self.meet_names(&literal.to_string(), literal.span());
                }
                TokenTree::Punct(_) => {}
            }
        }
    }
}

/// The names in the brackets of a format string, as in `"{x:.3} {y}"`.
fn in_format(literal: &str) -> Vec<String> {
    if !literal.contains('"') {
        return Vec::new();
    }
    let text = literal.replace("{{", "").replace("}}", "");
    let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
    let names = parts.map(|(inside, _)| inside.split(':').next().unwrap_or_default().trim().to_owned());
    names.filter(|name| name.starts_with(|first: char| first.is_alphabetic() || first == '_')).collect()
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_block(&mut self, block: &'ast Block) {
        self.within(|inner| visit::visit_block(inner, block));
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
        self.bind(&local.pat);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        // Items take nothing from around them; a function's name is bound in the whole block, but rarely used before.
        if let (syn::Item::Fn(function), Some(scope)) = (item, self.scopes.last_mut()) {
            scope.insert(function.sig.ident.to_string());
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.within(|inner| {
            closure.inputs.iter().for_each(|input| inner.bind(input));
            inner.visit_expr(&closure.body);
        });
    }

    fn visit_expr_for_loop(&mut self, for_loop: &'ast ExprForLoop) {
        self.visit_expr(&for_loop.expr);
        self.within(|inner| {
            inner.bind(&for_loop.pat);
            inner.visit_block(&for_loop.body);
        });
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.within(|inner| {
            inner.bind(&arm.pat);
            visit::visit_arm(inner, arm);
        });
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        self.visit_expr(&condition.expr);
        self.bind(&condition.pat);
    }

    fn visit_expr_if(&mut self, condition: &'ast ExprIf) {
        self.within(|inner| {
            inner.visit_expr(&condition.cond);
            inner.visit_block(&condition.then_branch);
        });
        if let Some((_, other)) = &condition.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        self.within(|inner| visit::visit_expr_while(inner, repeated));
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        // What is called is a function.
        if !matches!(&*call.func, Expr::Path(_)) {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            self.meet(name);
        }
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        let is_match = called.path.segments.last().is_some_and(|name| name.ident.to_string().ends_with("matches"));
        let arguments = called.tokens.clone().into_iter();
        // What stands behind the first comma is a pattern.
        let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ',');
        self.meet_arguments(arguments.take_while(|tree| !is_match || !is_comma(tree)).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<String> {
        let stmts = Block::parse_within.parse_str(code).unwrap();
        let block = Block { brace_token: Default::default(), stmts };
        let control: Ident = syn::parse_quote!(sigma);
        captures(&block, &[&control]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn variables_from_around_the_code_are_found() {
        for (code, expected) in [
            ("gpu::imshow(&blur(&image, sigma))", vec!["image"]),
            ("let total = total + image.sum(); total", vec!["total", "image"]),
            ("let y = x; y + x", vec!["x"]),
            ("for row in rows { use_it(row, k) }", vec!["rows", "k"]),
            ("if let Some(x) = best { x } else { y }", vec!["best", "y"]),
            ("match a { Some(b) if b > c => b, _ => d }", vec!["a", "c", "d"]),
            ("(0..n).map(|i| i * k).sum::<usize>()", vec!["n", "k"]),
            ("let f = |x| x + y; f(1)", vec!["y"]),
            ("Point { x, y: z }", vec!["x", "z"]),
            ("data.field.method(index)", vec!["data", "index"]),
            ("N + gpu::PI + std::f64::consts::E", vec![]),
            ("fn half(x: f64) -> f64 { x / 2.0 } half(width)", vec!["width"]),
            ("points.iter().map(half).collect::<Vec<_>>()", vec!["points", "half"]),
            ("a[i] += b; *c = 1", vec!["a", "i", "b", "c"]),
            ("while let Some(x) = stack.pop() { seen(x) }", vec!["stack"]),
        ] {
            assert_eq!(found(code), expected, "{code}");
        }
    }

    #[test]
    fn in_arguments_of_macros_too() {
        for (code, expected) in [
            (r#"println!("{sigma} {x:.3} {{no}} {}", y)"#, vec!["x", "y"]),
            ("gpu::sum!(&m, axis = 0, keepdims = true)", vec!["m"]),
            ("gpu::percentile!(&m, q, method = \"linear\")", vec!["m", "q"]),
            ("vec![x; n]", vec!["x", "n"]),
            ("assert!(a != b && c == d.e)", vec!["a", "b", "c", "d"]),
            ("matches!(x, Some(y) if y > 0)", vec!["x"]),
            ("a.slice(s![start..end, ..;step])", vec!["a", "start", "end", "step"]),
            ("let k = 3; println!(\"{k}\")", vec![]),
            ("gpu::map(fuse!(|x: f64| x * k), &image)", vec!["k", "image"]),
            ("fuse!(|x: f32, y: f32| sum(x * y + bias))", vec!["bias"]),
            ("gpu::interact!(b: bool, n: usize in 0..9 => a && b)", vec!["a"]),
            ("println!(\"{:?} {width:>8}\", rows.iter().map(|row| row + k).sum::<f64>())", vec!["width", "rows", "k"]),
            ("gpu::set!(copy[.., 0] = 3.0)", vec!["copy"]),
        ] {
            assert_eq!(found(code), expected, "{code}");
        }
    }
}
