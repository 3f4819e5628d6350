//! The copy of a kernel that tells its statements, for launches that are recorded: it calls `registry::steps::step` before each, and
//! notes what variables hold after `let`, assignments and patterns. `count` has arithmetic counted. All else is the user's text.

use super::count;
use crate::registration::prelude;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::HashSet;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprCall, ExprForLoop, ExprIf, ExprLoop, ExprMatch, ExprWhile, FnArg, Item, ItemFn, Pat,
    Signature, Stmt, Type,
};
use warpcell_translate::{References, path_text};

/// The name of the copy.
pub const COPY: &str = "__warpcell_recorded";

/// What is called in place of a function that tells its statements, and the function that gives it.
const CALLED: &str = "__warpcell_called";
const STEPPED: &str = "__warpcell_stepped";

/// The copy of a kernel, or of a function over arrays or of `#[device]`. `references` has the functions that it calls; `counts` says that
/// it counts its arithmetic, which kernels do.
pub fn copy(kernel: &ItemFn, references: &References, counts: bool) -> TokenStream {
    let mut copy = kernel.clone();
    copy.attrs.clear();
    copy.vis = syn::Visibility::Inherited;
    let place = copy.sig.ident.span();
    copy.sig.ident = Ident::new(COPY, Span::call_site());
    copy.sig.constness = None;
    if counts {
        count::count(&mut copy);
    }
    let calls = references.functions.iter().map(path_text).collect();
    let mut statements = Statements { calls, ..Statements::default() };
    let first = statements.next();
    statements.visit_block_mut(&mut copy.block);
    let last = statements.number;
    let prelude = prelude();
    let head = statements.step(first, place, "step");
    let parameters = copy.sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(parameter) => Some(bound(&parameter.pat)),
        FnArg::Receiver(_) => None,
    });
    let notes: TokenStream = parameters.flatten().map(|name| note(&name, first, last)).collect();
    let body = &copy.block.stmts;
    let signature = &copy.sig;
    quote! {
        #[allow(warnings, clippy::all)]
        #signature {
            use ::#prelude::registry::steps::{Hidden as _, Plain as _, Shown as _, Unstepped as _};
            #head
            #notes
            #(#body)*
        }
    }
}

/// The copy of a `#[device]` function, and what others call in its place, which is found by the function's mark; none if it cannot have
/// one.
pub fn called(function: &ItemFn, references: &References) -> Option<TokenStream> {
    let Signature { ident, generics, inputs, output, unsafety, abi, .. } = &function.sig;
    if !generics.params.is_empty() || unsafety.is_some() || abi.is_some() {
        return None;
    }
    let prelude = prelude();
    let (copied, visibility) = (copy(function, references, false), &function.vis);
    let word = |text: &str| Ident::new(text, Span::call_site());
    let (copy, called, stepped) = (word(COPY), word(CALLED), word(STEPPED));
    let types: Vec<&Type> = inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(parameter) => Some(&*parameter.ty),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let names: Vec<Ident> = (0..types.len()).map(|number| format_ident!("__warpcell_argument_{number}")).collect();
    Some(quote! {
        #copied
        #[allow(warnings, clippy::all)]
        fn #called(#(#names: #types),*) #output {
            ::#prelude::registry::steps::enter();
            let __warpcell_result = #copy(#(#names),*);
            ::#prelude::registry::steps::leave();
            __warpcell_result
        }
        #[allow(warnings, clippy::all)]
        impl #ident {
            #[doc(hidden)]
            #visibility fn #stepped<F>(_: F) -> fn(#(#types),*) #output {
                #called
            }
        }
    })
}

/// Gives statements their numbers, and what tells them.
#[derive(Default)]
struct Statements {
    number: u32,
    /// How many loops there are around.
    depth: usize,
    /// The functions that may tell their statements, as they are written.
    calls: HashSet<String>,
}

/// What is written around a statement.
struct Around {
    before: TokenStream,
    /// Names that it binds, or assigns to.
    names: Vec<Ident>,
    number: u32,
    assigns: bool,
}

impl Statements {
    fn next(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// The call before a statement. Its place is that of the statement, whose line the call tells.
    fn step(&self, number: u32, place: Span, function: &str) -> TokenStream {
        let (prelude, depth, function) = (Ident::new("warpcell", place), self.depth, Ident::new(function, place));
        quote_spanned! { place => ::#prelude::registry::steps::#function(#number, #depth); }
    }

    /// What is around a statement; none if it is to stay as it is.
    fn around(&mut self, statement: &mut Stmt) -> Option<Around> {
        let place = first_token(statement);
        let plain = |before, number| Around { before, names: Vec::new(), number, assigns: false };
        match statement {
            Stmt::Item(_) => None,
            Stmt::Expr(expression, _) if is_check(expression) => None,
            Stmt::Expr(expression @ (Expr::While(_) | Expr::Loop(_) | Expr::ForLoop(_)), _) => {
                // Each pass tells of itself; what a range is made of may access memory before.
                let number = self.number + 1;
                let before = match expression {
                    Expr::ForLoop(known) if accesses(&known.expr) => self.step(number, place, "step"),
                    _ => TokenStream::new(),
                };
                self.visit_expr_mut(expression);
                Some(plain(before, number))
            }
            Stmt::Local(local) => {
                let number = self.next();
                let before = if local.init.is_some() { self.step(number, place, "step") } else { TokenStream::new() };
                let names = if local.init.is_some() { bound(&local.pat) } else { Vec::new() };
                self.visit_local_mut(local);
                Some(Around { before, names, number, assigns: false })
            }
            Stmt::Expr(expression, end) => {
                let number = self.next();
                let (target, function) = match expression {
                    Expr::Assign(assign) => (Some(&assign.left), "step"),
                    Expr::Binary(binary) if is_assignment(&binary.op) => (Some(&binary.left), "change"),
                    _ => (None, "step"),
                };
                let names: Vec<Ident> = target.map_or_else(Vec::new, |target| roots(target));
                let assigns = target.is_some();
                let before = self.step(number, place, function);
                self.visit_expr_mut(expression);
                if assigns {
                    end.get_or_insert_with(Default::default);
                }
                Some(Around { before, names, number, assigns })
            }
            Stmt::Macro(_) => {
                let number = self.next();
                Some(plain(self.step(number, place, "step"), number))
            }
        }
    }

    /// The body of a loop, with what each pass begins with.
    fn body(&mut self, block: &mut Block, number: u32, header: Option<Span>, names: &[Ident]) {
        let (prelude, depth) = (prelude(), self.depth);
        self.depth += 1;
        let pass = quote! { ::#prelude::registry::steps::pass(#number, #depth); };
        let step = header.map(|place| self.step(number, place, "step"));
        self.visit_block_mut(block);
        let notes = names.iter().map(|name| note(name, number, self.number));
        let begin = quote! { #pass #step #(#notes)* };
        block.stmts.insert(0, Stmt::Expr(Expr::Verbatim(quote! { { #begin } }), Some(Default::default())));
        self.depth -= 1;
    }
}

impl VisitMut for Statements {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.stmts);
        let mut told = Vec::with_capacity(statements.len());
        for mut statement in statements {
            let around = self.around(&mut statement);
            told.push((statement, around));
        }
        let last = self.number;
        let verbatim = |tokens: TokenStream| Stmt::Expr(Expr::Verbatim(tokens), None);
        for (statement, around) in told {
            let Some(Around { before, names, number, assigns }) = around else {
                block.stmts.push(statement);
                continue;
            };
            if !before.is_empty() {
                block.stmts.push(verbatim(before));
            }
            block.stmts.push(statement);
            let (start, end) = if assigns { (0, 0) } else { (number, last) };
            let notes: TokenStream = names.iter().map(|name| note(name, start, end)).collect();
            if !notes.is_empty() {
                block.stmts.push(verbatim(notes));
            }
        }
    }

    fn visit_expr_if_mut(&mut self, choice: &mut ExprIf) {
        let names = in_condition(&choice.cond);
        self.visit_expr_mut(&mut choice.cond);
        self.visit_block_mut(&mut choice.then_branch);
        let last = self.number;
        let notes: TokenStream = names.iter().map(|name| note(name, last.min(self.number), last)).collect();
        if !notes.is_empty() {
            choice.then_branch.stmts.insert(0, Stmt::Expr(Expr::Verbatim(notes), None));
        }
        if let Some((_, otherwise)) = &mut choice.else_branch {
            if let Expr::If(next) = &mut **otherwise {
                let number = self.next();
                let step = self.step(number, next.if_token.span, "step");
                before(&mut next.cond, &step);
            }
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_match_mut(&mut self, choice: &mut ExprMatch) {
        self.visit_expr_mut(&mut choice.expr);
        for arm in &mut choice.arms {
            let names = bound(&arm.pat);
            if !matches!(*arm.body, Expr::Block(_)) {
                let body = &arm.body;
                *arm.body = syn::parse_quote! { { #body } };
                arm.comma.get_or_insert_with(Default::default);
            }
            let start = self.number + 1;
            self.visit_expr_mut(&mut arm.body);
            let notes: TokenStream = names.iter().map(|name| note(name, start, self.number)).collect();
            if let (Expr::Block(body), false) = (&mut *arm.body, notes.is_empty()) {
                body.block.stmts.insert(0, Stmt::Expr(Expr::Verbatim(notes), None));
            }
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        let Expr::Path(function) = &*call.func else { return };
        if function.qself.is_none() && self.calls.contains(&path_text(&function.path)) {
            let (path, stepped) = (&function.path, Ident::new(STEPPED, Span::call_site()));
            *call.func = Expr::Verbatim(quote! { (<#path>::#stepped(#path)) });
        }
    }

    fn visit_expr_while_mut(&mut self, repeated: &mut ExprWhile) {
        let (number, depth) = (self.next(), self.depth);
        self.visit_expr_mut(&mut repeated.cond);
        let prelude = prelude();
        self.depth += 1;
        let step = self.step(number, repeated.while_token.span, "step");
        let lead = quote! { ::#prelude::registry::steps::pass(#number, #depth); #step };
        before(&mut repeated.cond, &lead);
        self.visit_block_mut(&mut repeated.body);
        self.depth -= 1;
    }

    fn visit_expr_loop_mut(&mut self, repeated: &mut ExprLoop) {
        let number = self.next();
        self.body(&mut repeated.body, number, None, &[]);
    }

    fn visit_expr_for_loop_mut(&mut self, repeated: &mut ExprForLoop) {
        let number = self.next();
        self.visit_expr_mut(&mut repeated.expr);
        let names = bound(&repeated.pat);
        self.body(&mut repeated.body, number, Some(repeated.for_token.span), &names);
    }

    // What is no statement of the kernel.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}
    fn visit_expr_repeat_mut(&mut self, array: &mut syn::ExprRepeat) {
        visit_mut::visit_expr_mut(self, &mut array.expr);
    }
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
}

/// Writes something before a condition is evaluated.
fn before(condition: &mut Expr, tokens: &TokenStream) {
    match condition {
        Expr::Let(pattern) => before(&mut pattern.expr, tokens),
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => before(&mut both.left, tokens),
        other => *other = Expr::Verbatim(quote! { { #tokens #other } }),
    }
}

/// Where a statement begins.
fn first_token(statement: &Stmt) -> Span {
    statement.to_token_stream().into_iter().next().map_or_else(Span::call_site, |tree| tree.span())
}

/// The names that a pattern binds.
fn bound(pattern: &Pat) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            // Others are constants.
            if pattern.ident.to_string().starts_with(|letter: char| letter.is_lowercase() || letter == '_') {
                self.0.push(pattern.ident.clone());
            }
            if let Some((_, inner)) = &pattern.subpat {
                self.visit_pat(inner);
            }
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pattern);
    names.0
}

/// The names that the patterns of a condition bind.
fn in_condition(condition: &Expr) -> Vec<Ident> {
    match condition {
        Expr::Let(pattern) => bound(&pattern.pat),
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
            let mut names = in_condition(&both.left);
            names.extend(in_condition(&both.right));
            names
        }
        _ => Vec::new(),
    }
}

/// The variables that an assignment changes.
fn roots(target: &Expr) -> Vec<Ident> {
    match target {
        Expr::Path(path) => path.path.get_ident().cloned().into_iter().collect(),
        Expr::Index(index) => roots(&index.expr),
        Expr::Field(field) => roots(&field.base),
        Expr::Paren(paren) => roots(&paren.expr),
        Expr::Group(group) => roots(&group.expr),
        Expr::Tuple(parts) => parts.elems.iter().flat_map(roots).collect(),
        _ => Vec::new(),
    }
}

/// Whether an expression may access memory.
fn accesses(expression: &Expr) -> bool {
    struct Accesses(bool);
    impl<'ast> Visit<'ast> for Accesses {
        fn visit_expr_index(&mut self, _: &'ast syn::ExprIndex) {
            self.0 = true;
        }
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            match count::is_count(call) {
                true => call.args.iter().for_each(|counted| self.visit_expr(counted)),
                false => self.0 = true,
            }
        }
    }
    let mut found = Accesses(false);
    found.visit_expr(expression);
    found.0
}

fn is_assignment(operator: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign, ShrAssign,
        SubAssign,
    };
    matches!(
        operator,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Whether this is what the build step writes into loops.
fn is_check(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    let words: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    words == ["warpcell", "cell", "check"]
}

/// What notes the value of a variable.
fn note(name: &Ident, start: u32, end: u32) -> TokenStream {
    let (prelude, text) = (prelude(), name.to_string());
    let text = text.strip_prefix("r#").unwrap_or(&text);
    quote! { (&&::#prelude::registry::steps::Value(&#name)).note(#text, #start, #end); }
}
