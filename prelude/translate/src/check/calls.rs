//! Calls of functions, methods and macros.

use super::paths::of_scalar;
use super::{Checker, path_text, plain_name};
use crate::complex::ComplexPath;
use crate::methods::{self, Method, MethodResult, Parameter};
use crate::refuse;
use crate::scalars::{ALL, Scalar};
use crate::threads;
use crate::tree::{Comparison, Expression, ExpressionKind, Pattern, PatternKind};
use crate::types::{Kind, Layout, Ty};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

impl Checker<'_> {
    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Expression {
        let Expr::Path(function) = without_parentheses(&call.func) else {
            return self.refuse(&call.func, refuse::CALLED_VALUE);
        };
        if function.qself.is_some() {
            return self.refuse(function, refuse::QUALIFIED_PATH);
        }
        if let Some(ident) = function.path.get_ident()
            && self.local(&plain_name(ident)).is_some()
        {
            return self.refuse(function, refuse::CALLED_VALUE);
        }
        let path = self.without_use(&function.path);
        let text = path_text(&path);
        if let Some(name) = threads::thread_name(&path) {
            return self.thread_call(&name, &path, call);
        }
        if let Some(reason) = refuse::named_value(&path) {
            return self.refuse(function, reason);
        }
        if let Some(ComplexPath { part, name: Some(name) }) = self.complex_path(&path) {
            let of = self.complex_type(part);
            let arguments = call.args.iter().map(|argument| self.expression(argument)).collect();
            return self.complex_call(of, &name, arguments, call);
        }
        if let Some((scalar, name)) = of_scalar(&path) {
            return self.associated_call(scalar, &name, call);
        }
        let plain = text.trim_start_matches("::");
        match plain.strip_prefix("std::").or_else(|| plain.strip_prefix("core::")) {
            Some("cmp::min") => return self.of_two("min", call),
            Some("cmp::max") => return self.of_two("max", call),
            Some("mem::swap") => return self.swap(call),
            Some(_) => return self.refuse(function, refuse::standard_function(&text)),
            None => {}
        }
        let last = path.segments.last();
        if last.is_some_and(|segment| !segment.arguments.is_none()) {
            return self.refuse(function, refuse::TURBOFISH);
        }
        if last.is_some_and(|segment| segment.ident.to_string().starts_with(char::is_uppercase)) {
            return self.tuple_struct(&path, call);
        }
        self.function_call(&path, call)
    }

    /// A function of the user's.
    fn function_call(&mut self, path: &syn::Path, call: &syn::ExprCall) -> Expression {
        let text = path_text(path);
        if path.get_ident().is_some_and(|ident| *ident == self.identifier) {
            return self.refuse(&call.func, refuse::recursion(&self.identifier));
        }
        if self.is_new("function", &text) {
            self.references.functions.push(path.clone());
        }
        let mut arguments: Vec<Expression> = call.args.iter().map(|argument| self.expression(argument)).collect();
        let Some(world) = self.world else {
            let ty = self.types.any();
            return self.made(ExpressionKind::Call(text, arguments, false), ty, call);
        };
        let Some(signature) = world.functions.get(&text).cloned() else {
            return self.refuse(&call.func, refuse::unknown_function(&text));
        };
        if arguments.len() != signature.parameters.len() {
            return self.refuse(call, refuse::argument_count(&text, signature.parameters.len(), arguments.len()));
        }
        let mut views = Vec::new();
        for ((made, wanted), written) in arguments.iter_mut().zip(&signature.parameters).zip(&call.args) {
            let wanted = self.with_open_layout(wanted);
            self.expect(&made.ty, &wanted, written.span());
            if wanted.is_view() {
                views.push(wanted);
            }
        }
        if !views.is_empty() {
            self.calls.push((signature.item.clone(), views));
        }
        let kind = ExpressionKind::Call(signature.item, arguments, signature.has_effects);
        self.made(kind, signature.result, call)
    }

    /// A parameter's type for one call: the layout of a view is that of the argument.
    fn with_open_layout(&mut self, parameter: &Ty) -> Ty {
        match parameter {
            Ty::Reference(changing, of) => Ty::Reference(*changing, Box::new(self.with_open_layout(of))),
            Ty::View(access, element, layout) if **layout == Ty::Layout(Layout::Argument) => {
                Ty::View(*access, element.clone(), Box::new(self.types.any()))
            }
            other => other.clone(),
        }
    }

    fn tuple_struct(&mut self, path: &syn::Path, call: &syn::ExprCall) -> Expression {
        let of = self.struct_type(path);
        let fields = self.fields_of(&of);
        let mut made = Vec::new();
        for (index, argument) in call.args.iter().enumerate() {
            let value = self.expression(argument);
            if let Some((_, ty)) = fields.as_ref().and_then(|fields| fields.get(index)) {
                self.expect(&value.ty, ty, argument.span());
            }
            made.push((index.to_string(), value));
        }
        if let Some(fields) = fields.filter(|fields| fields.len() != made.len()) {
            return self.refuse(call, refuse::argument_count(&path_text(path), fields.len(), made.len()));
        }
        let name = match &of {
            Ty::Struct(name) => name.clone(),
            _ => path_text(path),
        };
        self.made(ExpressionKind::Struct(name, made, None), of, call)
    }

    /// `f32::max(a, b)`.
    fn associated_call(&mut self, scalar: Scalar, name: &str, call: &syn::ExprCall) -> Expression {
        match methods::associated_function(scalar, name) {
            Some(method) => {
                let arguments = call.args.iter().map(|argument| self.expression(argument)).collect();
                self.method(method, scalar, name, arguments, call)
            }
            None => self.refuse(&call.func, refuse::associated_function(scalar, name)),
        }
    }

    /// `Complex::new(a, b)`, `z.exp()` or `Complex::I`.
    pub(super) fn complex_call(
        &mut self,
        of: Ty,
        name: &str,
        arguments: Vec<Expression>,
        at: &dyn ToTokens,
    ) -> Expression {
        // All complex numbers have the same functions.
        let of = self.types.resolve(&of);
        let scalar = of.scalar().unwrap_or(Scalar::C128);
        let Some((name, method)) = methods::named_function(scalar, name) else {
            return self.refuse(at, refuse::scalar_method(scalar, name));
        };
        let wanted = method.argument_types(&of);
        if arguments.len() != wanted.len() {
            let own = usize::from(method.takes_self);
            let count = wanted.len() - own;
            return self.refuse(at, refuse::argument_count(name, count, arguments.len().saturating_sub(own)));
        }
        for (argument, wanted) in arguments.iter().zip(wanted.iter().flatten()) {
            let found = self.types.stripped(&argument.ty);
            self.expect(&found, wanted, at.to_token_stream().span());
        }
        let ty = method.result_type(&of);
        self.made(ExpressionKind::Complex(name, of, arguments), ty, at)
    }

    /// `std::cmp::min(a, b)`: the method of what its arguments are.
    fn of_two(&mut self, name: &str, call: &syn::ExprCall) -> Expression {
        let arguments: Vec<Expression> = call.args.iter().map(|argument| self.expression(argument)).collect();
        if arguments.len() != 2 {
            return self.refuse(call, refuse::argument_count(name, 2, call.args.len()));
        }
        self.ordered(name, arguments, call)
    }

    /// `min`, `max` and `clamp` are methods of all integers, so the type need not be known yet.
    fn ordered(&mut self, name: &str, arguments: Vec<Expression>, call: &dyn ToTokens) -> Expression {
        let Some((name, count)) = ordering(name) else { return self.nothing() };
        if arguments.len() != count {
            return self.refuse(call, refuse::argument_count(name, count - 1, arguments.len() - 1));
        }
        let ty = self.types.stripped(&arguments[0].ty);
        for argument in &arguments[1..] {
            let found = self.types.stripped(&argument.ty);
            self.expect(&found, &ty, call.to_token_stream().span());
        }
        self.made(ExpressionKind::Ordered(name, arguments), ty, call)
    }

    fn swap(&mut self, call: &syn::ExprCall) -> Expression {
        let mut places: Vec<Expression> = call.args.iter().map(|argument| self.expression(argument)).collect();
        match (places.pop(), places.pop(), places.is_empty()) {
            (Some(right), Some(left), true) => {
                if self.types.stripped(&left.ty).is_view() {
                    return self.refuse(call, refuse::ASSIGNED_VIEW);
                }
                self.expect(&right.ty, &left.ty, call.span());
                self.made(ExpressionKind::Swap(Box::new(left), Box::new(right)), Ty::UNIT, call)
            }
            _ => self.refuse(call, refuse::argument_count("swap", 2, call.args.len())),
        }
    }

    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall) -> Expression {
        let name = call.method.to_string();
        if let (Expr::Range(range), "contains") = (without_parentheses(&call.receiver), name.as_str()) {
            return self.contains(range, call);
        }
        if let Expr::Range(_) = without_parentheses(&call.receiver) {
            return self.refuse(&call.method, refuse::ITERATOR);
        }
        if let Some(turbofish) = &call.turbofish {
            return self.refuse(turbofish, refuse::TURBOFISH);
        }
        let receiver = self.expression(&call.receiver);
        if matches!(receiver.kind, ExpressionKind::Nothing) && !self.errors.is_empty() {
            for argument in &call.args {
                self.expression(argument);
            }
            return self.nothing();
        }
        let of = match self.known(&receiver.ty, &call.receiver) {
            Some(Ty::Scalar(scalar)) => scalar,
            Some(of @ Ty::Complex(_)) if name != "clone" => {
                let mut arguments = vec![receiver];
                arguments.extend(call.args.iter().map(|argument| self.expression(argument)));
                return self.complex_call(of, &name, arguments, &call.method);
            }
            Some(ty @ Ty::Variable(_)) if ordering(&name).is_some() && self.types.kind(&ty) == Some(Kind::Integer) => {
                let mut arguments = vec![receiver];
                arguments.extend(call.args.iter().map(|argument| self.expression(argument)));
                return self.ordered(&name, arguments, call);
            }
            Some(ty @ Ty::Variable(_)) => match self.types.kind(&ty) {
                Some(Kind::Float) => Scalar::F64,
                _ => Scalar::I32,
            },
            Some(Ty::View(..)) => return self.view_method(call, &name, receiver),
            Some(Ty::Array(element, length)) => return self.array_method(call, &name, receiver, &element, length),
            Some(_) if name == "clone" && call.args.is_empty() => return self.copied(receiver, call),
            Some(other) => {
                let reason = refuse::method_of(&self.types.resolve(&other), &name);
                return self.refuse(&call.method, reason);
            }
            None => return self.open_method(call, &name, receiver),
        };
        if name == "clone" && call.args.is_empty() {
            return self.copied(receiver, call);
        }
        match methods::method(of, &name) {
            Some(method) => {
                let mut arguments = vec![receiver];
                arguments.extend(call.args.iter().map(|argument| self.expression(argument)));
                self.method(method, of, &name, arguments, call)
            }
            None => self.refuse(&call.method, refuse::scalar_method(of, &name)),
        }
    }

    /// A method of a value whose type follows from another function: it has to be one that some scalar or array has.
    fn open_method(&mut self, call: &syn::ExprMethodCall, name: &str, receiver: Expression) -> Expression {
        let mut known: Vec<&'static Method> = ALL.into_iter().filter_map(|of| methods::method(of, name)).collect();
        let of_arrays = ["len", "iter", "iter_mut", "clone"].contains(&name);
        if known.pop().is_none() && !of_arrays && !matches!(receiver.kind, ExpressionKind::Nothing) {
            return self.refuse(&call.method, refuse::open_method(name));
        }
        let mut arguments = vec![receiver];
        arguments.extend(call.args.iter().map(|argument| self.expression(argument)));
        let ty = self.types.any();
        self.made(ExpressionKind::Tuple(arguments), ty, call)
    }

    fn copied(&mut self, receiver: Expression, call: &syn::ExprMethodCall) -> Expression {
        let ty = self.types.stripped(&receiver.ty);
        self.made(ExpressionKind::Dereference(Box::new(receiver)), ty, call)
    }

    fn array_method(
        &mut self,
        call: &syn::ExprMethodCall,
        name: &str,
        receiver: Expression,
        element: &Ty,
        length: Option<usize>,
    ) -> Expression {
        match (name, call.args.len()) {
            ("len", 0) => {
                let value = length.map_or(ExpressionKind::Nothing, |length| ExpressionKind::Integer(length as u128));
                self.made(value, Ty::USIZE, call)
            }
            ("is_empty", 0) => self.made(ExpressionKind::Bool(length == Some(0)), Ty::BOOL, call),
            ("clone", 0) => self.copied(receiver, call),
            ("swap", 2) => {
                let name = receiver_name(&call.receiver);
                self.refuse(&call.method, refuse::array_swap(&name))
            }
            ("iter" | "iter_mut" | "into_iter", 0) => self.refuse(&call.method, refuse::ITERATOR),
            _ => {
                let array = Ty::Array(Box::new(self.types.resolve(element)), length);
                self.refuse(&call.method, refuse::array_method(&array, name))
            }
        }
    }

    /// A method with its receiver as the first argument.
    fn method(
        &mut self,
        method: &'static Method,
        of: Scalar,
        name: &str,
        arguments: Vec<Expression>,
        at: &dyn ToTokens,
    ) -> Expression {
        let of_type = Ty::of(of);
        let wanted = method.argument_types(&of_type);
        if arguments.len() != wanted.len() {
            let counts = (wanted.len().saturating_sub(1), arguments.len().saturating_sub(1));
            return self.refuse(at, refuse::argument_count(name, counts.0, counts.1));
        }
        for (argument, wanted) in arguments.iter().zip(&wanted) {
            let found = self.types.stripped(&argument.ty);
            if let Some(wanted) = wanted {
                self.expect(&found, wanted, at.to_token_stream().span());
            }
        }
        let ty = method.result_type(&of_type);
        self.made(ExpressionKind::Method(method, of, arguments), ty, at)
    }

    /// `(1..5).contains(&x)`.
    fn contains(&mut self, range: &syn::ExprRange, call: &syn::ExprMethodCall) -> Expression {
        let start = range.start.as_deref().map(|bound| self.expression(bound));
        let end = range.end.as_deref().map(|bound| self.expression(bound));
        let (Some(value), 1) = (call.args.first(), call.args.len()) else {
            return self.refuse(call, refuse::argument_count("contains", 1, call.args.len()));
        };
        let value = self.expression(value);
        let ty = self.types.stripped(&value.ty);
        for bound in [&start, &end].into_iter().flatten() {
            let of = self.types.stripped(&bound.ty);
            self.expect(&of, &ty, range.span());
        }
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let pattern = Pattern { kind: PatternKind::Range(start, end, inclusive), ty };
        self.made(ExpressionKind::Matches(Box::new(value), Box::new(pattern), None), Ty::BOOL, call)
    }

    pub(super) fn macro_call(&mut self, call: &syn::Macro) -> Expression {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                self.diverges = true;
                let ty = self.types.any();
                self.made(ExpressionKind::Panic, ty, call)
            }
            "assert" | "debug_assert" => match self.macro_arguments(call).first() {
                Some(condition) => {
                    let made = self.expression(condition);
                    self.expect(&made.ty, &Ty::BOOL, condition.span());
                    self.assertion(made, call)
                }
                None => self.refuse(call, refuse::ASSERT),
            },
            "assert_eq" | "debug_assert_eq" => self.compared_assertion(call, Comparison::Equal),
            "assert_ne" | "debug_assert_ne" => self.compared_assertion(call, Comparison::NotEqual),
            "matches" => self.matches(call),
            _ => self.refuse(&call.path, refuse::macro_call(&name)),
        }
    }

    fn macro_arguments(&mut self, call: &syn::Macro) -> Vec<Expr> {
        match Punctuated::<Expr, Token![,]>::parse_terminated.parse2(call.tokens.clone()) {
            Ok(arguments) => arguments.into_iter().collect(),
            Err(error) => {
                self.errors.push(error);
                Vec::new()
            }
        }
    }

    fn compared_assertion(&mut self, call: &syn::Macro, comparison: Comparison) -> Expression {
        let arguments = self.macro_arguments(call);
        let [left, right, ..] = &arguments[..] else { return self.refuse(call, refuse::ASSERT) };
        let (left, right) = (self.expression(left), self.expression(right));
        let (left_type, right_type) = (self.types.stripped(&left.ty), self.types.stripped(&right.ty));
        if matches!(left_type, Ty::Struct(_)) {
            return self.refuse(call, refuse::STRUCT_COMPARISON);
        }
        self.expect(&right_type, &left_type, call.span());
        let kind = ExpressionKind::Compare(comparison, Box::new(left), Box::new(right));
        let condition = self.made(kind, Ty::BOOL, call);
        self.assertion(condition, call)
    }

    /// `if !condition { panic!() }`.
    fn assertion(&mut self, condition: Expression, at: &syn::Macro) -> Expression {
        let failed = self.made(ExpressionKind::Not(Box::new(condition)), Ty::BOOL, at);
        let panic = self.made(ExpressionKind::Panic, Ty::UNIT, at);
        let then = crate::tree::Block { statements: Vec::new(), tail: Some(Box::new(panic)), ty: Ty::UNIT };
        self.made(ExpressionKind::If(Box::new(failed), then, None), Ty::UNIT, at)
    }

    fn matches(&mut self, call: &syn::Macro) -> Expression {
        let parser = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = if input.parse::<Option<Token![if]>>()?.is_some() { Some(input.parse()?) } else { None };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard): (Expr, syn::Pat, Option<Expr>) = match parser.parse2(call.tokens.clone()) {
            Ok(parts) => parts,
            Err(error) => {
                self.errors.push(error);
                return self.nothing();
            }
        };
        let value = self.expression(&value);
        let (pattern, guard) = self.scoped(|checker| {
            let pattern = checker.refutable_pattern(&pattern, &value.ty);
            let guard = guard.map(|guard| {
                let made = checker.expression(&guard);
                checker.expect(&made.ty, &Ty::BOOL, guard.span());
                Box::new(made)
            });
            (pattern, guard)
        });
        self.made(ExpressionKind::Matches(Box::new(value), Box::new(pattern), guard), Ty::BOOL, call)
    }
}

/// The methods of order that give a value, with their number of arguments.
fn ordering(name: &str) -> Option<(&'static str, usize)> {
    [("min", 2), ("max", 2), ("clamp", 3)].into_iter().find(|(known, _)| *known == name)
}

impl Method {
    /// The types of its arguments, the receiver's first; none where several are taken.
    pub(crate) fn argument_types(&self, of: &Ty) -> Vec<Option<Ty>> {
        let receiver = self.takes_self.then_some(Some(of.clone()));
        let others = self.parameters.iter().map(|parameter| match parameter {
            Parameter::Same => Some(of.clone()),
            Parameter::Scalar(scalar) => Some(Ty::of(*scalar)),
            Parameter::Part => Some(part(of)),
            Parameter::Lossless => None,
        });
        receiver.into_iter().chain(others).collect()
    }

    pub(crate) fn result_type(&self, of: &Ty) -> Ty {
        fn whole(result: &MethodResult, of: &Ty) -> Ty {
            match result {
                MethodResult::Same => of.clone(),
                MethodResult::Scalar(scalar) => Ty::of(*scalar),
                MethodResult::Part => part(of),
                MethodResult::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| whole(part, of)).collect()),
            }
        }
        whole(&self.result, of)
    }
}

/// The type of the parts of complex numbers.
fn part(of: &Ty) -> Ty {
    match of {
        Ty::Complex(part) => (**part).clone(),
        other => other.clone(),
    }
}

fn without_parentheses(written: &Expr) -> &Expr {
    match written {
        Expr::Paren(paren) => without_parentheses(&paren.expr),
        Expr::Group(group) => without_parentheses(&group.expr),
        other => other,
    }
}

fn receiver_name(written: &Expr) -> String {
    match written {
        Expr::Path(path) => path_text(&path.path),
        _ => "a".to_owned(),
    }
}
