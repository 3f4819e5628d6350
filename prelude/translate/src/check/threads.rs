//! What only threads of a kernel have: views of arrays, shared memory, and functions that tell where a thread is or let it meet
//! others.

use super::signature::Position;
use super::{Checker, path_text, plain_name};
use crate::program::Role;
use crate::refuse;
use crate::scalars::Scalar;
use crate::threads::{self, Argument, Atomic, own_name};
use crate::tree::{Expression, ExpressionKind, Let, Over, Pattern, PatternKind, Statement};
use crate::types::{Access, Kind, Layout, Ty};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, PathArguments};

/// A type that has to be one of some, which is looked at when all types are known.
pub(super) struct Later {
    ty: Ty,
    at: Span,
    wanted: Wanted,
}

enum Wanted {
    Element,
    Shuffled(&'static str),
    Lane(&'static str),
    Atomic(&'static Atomic),
}

impl Checker<'_> {
    /// Whether threads may be spoken of here.
    fn is_of_threads(&self) -> bool {
        match self.world {
            Some(world) => world.kernel,
            None => matches!(self.role, Role::Kernel | Role::Device),
        }
    }

    /// The same. If not, that is reported.
    fn has_threads(&mut self, name: &str, at: &dyn ToTokens) -> bool {
        let has = self.is_of_threads();
        if !has {
            self.refuse(at, refuse::only_in_kernels(name));
        }
        has
    }

    /// A call of a function that needs threads.
    pub(super) fn thread_call(&mut self, name: &str, path: &syn::Path, call: &syn::ExprCall) -> Expression {
        if !self.has_threads(name, path) {
            return self.nothing();
        }
        if name == threads::SHARED_ARRAY || name == threads::DYNAMIC_SHARED_ARRAY {
            return self.refuse(call, refuse::shared_array_elsewhere(name));
        }
        let Some(function) = threads::function(name) else { return self.refuse(call, refuse::GRID_STRIDE) };
        if let Some(segment) = path.segments.last().filter(|segment| !segment.arguments.is_none()) {
            return self.refuse(&segment.arguments, refuse::TURBOFISH);
        }
        let arguments: Vec<Expression> = call.args.iter().map(|argument| self.expression(argument)).collect();
        if arguments.len() != function.arguments.len() {
            return self.refuse(call, refuse::argument_count(name, function.arguments.len(), arguments.len()));
        }
        let mut result = function.result_type();
        for ((made, wanted), written) in arguments.iter().zip(function.arguments).zip(&call.args) {
            let found = self.types.stripped(&made.ty);
            match wanted {
                Argument::U32 => self.expect(&found, &Ty::Scalar(Scalar::U32), written.span()),
                Argument::Bool => self.expect(&found, &Ty::BOOL, written.span()),
                Argument::Lane => {
                    let wanted = Wanted::Lane(function.name);
                    self.later.push(Later { ty: found, at: written.span(), wanted });
                }
                Argument::Value => {
                    let wanted = Wanted::Shuffled(function.name);
                    self.later.push(Later { ty: found.clone(), at: written.span(), wanted });
                    result = Some(found);
                }
            }
        }
        self.made(ExpressionKind::Thread(function, arguments), result.unwrap_or(Ty::UNIT), call)
    }

    /// `View<f32>` and its like, if a path is one of them.
    pub(super) fn view_type(&mut self, path: &syn::Path, position: Position) -> Option<Ty> {
        let name = own_name(path)?;
        if name == "Dim3" {
            return Some(threads::dim3());
        }
        let access = Access::ALL.into_iter().find(|access| access.type_name() == name)?;
        if !self.has_threads(&name, path) {
            return Some(self.types.any());
        }
        if !matches!(position, Position::Parameter | Position::Local) {
            self.refuse(path, refuse::STORED_VIEW);
        }
        let element = path.segments.last().and_then(|segment| self.type_argument(&segment.arguments));
        if element.is_none() && position == Position::Parameter {
            self.refuse(path, refuse::view_without_element(&name));
        }
        let element = element.unwrap_or_else(|| self.types.any());
        let layout = match self.layouts.pop_front() {
            Some(layout) if position == Position::Parameter => Ty::Layout(layout),
            _ if position == Position::Parameter && self.world.is_some() => Ty::Layout(Layout::Argument),
            _ => self.types.any(),
        };
        Some(Ty::View(access, Box::new(element), Box::new(layout)))
    }

    /// The type of the elements in `<f32>` or `::<f32>`.
    fn type_argument(&mut self, arguments: &PathArguments) -> Option<Ty> {
        let PathArguments::AngleBracketed(arguments) = arguments else { return None };
        let Some(GenericArgument::Type(written)) = arguments.args.first() else { return None };
        let ty = self.written_type(written, Position::Local);
        self.later.push(Later { ty: ty.clone(), at: written.span(), wanted: Wanted::Element });
        Some(ty)
    }

    /// `let mut tile = shared_array::<f32>([16, 18]);`, if a `let` is one of these.
    pub(super) fn shared_array_statement(
        &mut self,
        pattern: &syn::Pat,
        annotated: Option<&Ty>,
        written: &Expr,
        statement: &syn::Local,
    ) -> Option<Statement> {
        let Expr::Call(call) = written else { return None };
        let Expr::Path(function) = &*call.func else { return None };
        if function.path.get_ident().is_some_and(|ident| self.local(&plain_name(ident)).is_some()) {
            return None;
        }
        let path = self.without_use(&function.path);
        let name = threads::thread_name(&path)?;
        let is_dynamic = name == threads::DYNAMIC_SHARED_ARRAY;
        let syn::Pat::Ident(ident) = pattern else { return None };
        if !is_dynamic && name != threads::SHARED_ARRAY || !self.is_of_threads() {
            return None;
        }
        let arguments = path.segments.last().map_or(&PathArguments::None, |segment| &segment.arguments);
        let element = self.type_argument(arguments).unwrap_or_else(|| self.types.any());
        if call.args.len() != usize::from(!is_dynamic) {
            self.refuse(call, refuse::argument_count(&name, usize::from(!is_dynamic), call.args.len()));
        }
        let own = plain_name(&ident.ident);
        let number = self.first_array + self.arrays.len();
        self.arrays.push((own.clone(), call.span().start().line));
        let layout = match call.args.first() {
            Some(length) if !is_dynamic => match self.shared_shape(length) {
                Some(shape) => Ty::Layout(Layout::Fixed { shape, number }),
                None => self.types.any(),
            },
            _ => Ty::Layout(Layout::Dynamic { number }),
        };
        let ty = Ty::View(Access::Shared, Box::new(element), Box::new(layout));
        if let Some(annotated) = annotated {
            self.expect(&ty, annotated, call.span());
        }
        let value = self.made(ExpressionKind::SharedArray, ty.clone(), call);
        let id = self.declare(&own, ty.clone(), ident.mutability.is_some(), ident.ident.span());
        let pattern = Pattern { kind: PatternKind::Bind(id, None), ty: ty.clone() };
        let last_line = self.last_line(statement);
        Some(Statement::Let(Box::new(Let { pattern, ty, value: Some(value), last_line })))
    }

    /// The lengths of a shared array: `256`, `[16, 18]`, `(16, 18)`, `[N; 2]` or constants of these types.
    fn shared_shape(&mut self, written: &Expr) -> Option<Vec<usize>> {
        let parts: Vec<&Expr> = match written {
            Expr::Paren(paren) => return self.shared_shape(&paren.expr),
            Expr::Array(array) => array.elems.iter().collect(),
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            Expr::Repeat(repeat) => {
                let count = self.constant_integer(&repeat.len).and_then(|count| usize::try_from(count).ok())?;
                vec![&*repeat.expr; count.min(refuse::MOST_AXES + 1)]
            }
            Expr::Path(path) => {
                let text = path_text(&self.without_use(&path.path));
                if let Some(crate::program::Value::Array(_, lengths)) =
                    self.world.and_then(|world| world.constants.get(&text))
                {
                    let lengths: Option<Vec<usize>> =
                        lengths.iter().map(|value| usize::try_from(super::integer_value(value)?).ok()).collect();
                    self.expression(written);
                    if lengths.as_ref().is_none_or(|lengths| !(1..=refuse::MOST_AXES).contains(&lengths.len())) {
                        self.refuse(written, refuse::SHARED_AXES);
                        return None;
                    }
                    return self.short_enough(lengths, written);
                }
                vec![written]
            }
            other => vec![other],
        };
        if parts.is_empty() || parts.len() > refuse::MOST_AXES {
            self.refuse(written, refuse::SHARED_AXES);
            return None;
        }
        let mut shape = Some(Vec::new());
        for part in parts {
            let errors = self.errors.len();
            let made = self.expression(part);
            let is_open = self.is_open(&made);
            self.types.unify(&made.ty, &Ty::USIZE);
            let length = self.constant_integer(part).and_then(|length| usize::try_from(length).ok());
            if length.is_none() && self.errors.len() == errors && (self.world.is_some() || !is_open) {
                self.refuse(part, refuse::SHARED_LENGTH);
            }
            shape = shape.zip(length).map(|(mut shape, length)| {
                shape.push(length);
                shape
            });
        }
        self.short_enough(shape, written)
    }

    /// The lengths of a shared array, if a block's memory has room for as many elements.
    fn short_enough(&mut self, shape: Option<Vec<usize>>, at: &Expr) -> Option<Vec<usize>> {
        let shape = shape?;
        let count = shape.iter().fold(1usize, |count, length| count.saturating_mul(*length));
        if count > refuse::LONGEST_SHARED_ARRAY {
            self.refuse(at, refuse::too_long_to_share(count));
            return None;
        }
        Some(shape)
    }

    pub(super) fn is_grid_stride(&self, call: &syn::ExprCall) -> bool {
        let Expr::Path(function) = &*call.func else { return false };
        threads::thread_name(&self.without_use(&function.path)).as_deref() == Some(threads::GRID_STRIDE)
    }

    /// `for i in grid_stride(n)`.
    pub(super) fn over_grid(&mut self, call: &syn::ExprCall) -> Option<(Over, Ty)> {
        if !self.has_threads(threads::GRID_STRIDE, &call.func) {
            return None;
        }
        let Some(written) = call.args.first().filter(|_| call.args.len() == 1) else {
            self.refuse(call, refuse::argument_count(threads::GRID_STRIDE, 1, call.args.len()));
            return None;
        };
        let end = self.expression(written);
        let found = self.types.stripped(&end.ty);
        self.expect(&found, &Ty::USIZE, written.span());
        Some((Over::Grid(end), Ty::USIZE))
    }

    /// `view[i]`, `view[[y, x]]`, `view[(y, x)]`.
    pub(super) fn element(&mut self, view: Expression, index: &syn::ExprIndex) -> Expression {
        let Ty::View(_, element, _) = self.types.stripped(&view.ty) else { return self.nothing() };
        let at = self.expression(&index.index);
        if !self.view_index(&view, &index.expr, &at, &index.index) {
            return self.nothing();
        }
        let last_line = self.last_line(index);
        self.made(ExpressionKind::Element(Box::new(view), Box::new(at)), *element, &index.index).spanning(last_line)
    }

    /// Whether an index is one of a view, as far as that is known. If not, that is reported.
    fn view_index(&mut self, view: &Expression, array: &Expr, at: &Expression, written: &Expr) -> bool {
        let Ty::View(_, _, layout) = self.types.stripped(&view.ty) else { return false };
        let count = match self.types.stripped(&at.ty) {
            Ty::Array(part, count) => {
                self.expect(&part, &Ty::USIZE, written.span());
                count
            }
            Ty::Tuple(parts) => {
                parts.iter().for_each(|part| self.expect(part, &Ty::USIZE, written.span()));
                Some(parts.len())
            }
            open @ Ty::Variable(_) if self.types.kind(&open) == Some(Kind::Any) && self.world.is_none() => None,
            one => {
                self.expect(&one, &Ty::USIZE, written.span());
                Some(1)
            }
        };
        let (Ty::Layout(layout), Some(count)) = (self.types.shallow(&layout), count) else { return true };
        if layout == Layout::Argument {
            return true;
        }
        let rank = layout.rank();
        if count != rank {
            self.refuse(written, refuse::wrong_axes(&array.to_token_stream().to_string(), rank, count));
            return false;
        }
        if let Layout::Fixed { shape, .. } = &layout {
            let parts: Vec<&Expr> = match written {
                Expr::Array(array) => array.elems.iter().collect(),
                Expr::Tuple(tuple) => tuple.elems.iter().collect(),
                one => vec![one],
            };
            for (part, length) in parts.iter().zip(shape) {
                if let Some(value) = self.constant_integer(part)
                    && usize::try_from(value).is_ok_and(|value| value >= *length)
                {
                    self.refuse(part, refuse::past_the_end(value, *length));
                    return false;
                }
            }
        }
        true
    }

    pub(super) fn view_method(&mut self, call: &syn::ExprMethodCall, name: &str, view: Expression) -> Expression {
        let Ty::View(access, element, layout) = self.types.stripped(&view.ty) else { return self.nothing() };
        let layout = match self.types.shallow(&layout) {
            Ty::Layout(layout) => Some(layout),
            _ => None,
        };
        match (name, call.args.len()) {
            ("len", 0) => self.made(ExpressionKind::Length(Box::new(view)), Ty::USIZE, call),
            ("is_empty", 0) => {
                let length = self.made(ExpressionKind::Length(Box::new(view)), Ty::USIZE, call);
                let zero = self.made(ExpressionKind::Integer(0), Ty::USIZE, call);
                let kind = ExpressionKind::Compare(crate::tree::Comparison::Equal, Box::new(length), Box::new(zero));
                self.made(kind, Ty::BOOL, call)
            }
            ("ndim", 0) => {
                let rank = layout.map_or(ExpressionKind::Nothing, |of| ExpressionKind::Integer(of.rank() as u128));
                self.made(rank, Ty::USIZE, call)
            }
            ("shape", 0) => {
                let lengths = Ty::Array(Box::new(Ty::USIZE), layout.map(|layout| layout.rank()));
                self.made(ExpressionKind::Shape(Box::new(view)), Ty::Reference(false, Box::new(lengths)), call)
            }
            ("clone", 0) => view,
            ("iter" | "iter_mut" | "into_iter", _) => {
                let array = call.receiver.to_token_stream().to_string();
                self.refuse(&call.method, refuse::loop_over_view(&array))
            }
            _ => match threads::atomic_method(name) {
                Some(atomic) => self.atomic(call, atomic, view, access, &element),
                None => {
                    let view = Ty::View(access, Box::new(self.types.resolve(&element)), Box::new(Ty::UNIT));
                    self.refuse(&call.method, refuse::view_method(&view, name))
                }
            },
        }
    }

    fn atomic(
        &mut self,
        call: &syn::ExprMethodCall,
        atomic: &'static Atomic,
        view: Expression,
        access: Access,
        element: &Ty,
    ) -> Expression {
        let mut arguments: Vec<Expression> = call.args.iter().map(|argument| self.expression(argument)).collect();
        if arguments.len() != atomic.values + 1 {
            return self.refuse(call, refuse::argument_count(atomic.name, atomic.values + 1, call.args.len()));
        }
        if !access.changes() {
            let array = call.receiver.to_token_stream().to_string();
            return self.refuse(&call.method, refuse::read_only(&array, &self.types.resolve(element)));
        }
        let values = arguments.split_off(1);
        for (value, written) in values.iter().zip(call.args.iter().skip(1)) {
            let found = self.types.stripped(&value.ty);
            self.expect(&found, element, written.span());
        }
        self.later.push(Later { ty: element.clone(), at: call.method.span(), wanted: Wanted::Atomic(atomic) });
        let Some(at) = arguments.pop() else { return self.nothing() };
        if !self.view_index(&view, &call.receiver, &at, &call.args[0]) {
            return self.nothing();
        }
        let kind = ExpressionKind::Atomic(atomic, Box::new(view), Box::new(at), values);
        self.made(kind, element.clone(), &call.method).spanning(self.last_line(call))
    }

    /// What could not be told before all types were known.
    pub(super) fn check_later(&mut self) {
        for later in std::mem::take(&mut self.later) {
            let ty = self.types.resolve(&later.ty);
            // What is open is the type of code that is never reached, or follows from another function.
            if let Ty::Variable(_) = ty {
                continue;
            }
            let is = |fits: fn(Scalar) -> bool| ty.scalar().is_some_and(fits);
            let reason = match later.wanted {
                Wanted::Element if !is(crate::scalars::is_element) => refuse::element_type(&ty),
                Wanted::Shuffled(name) if !is(threads::is_shuffled) => refuse::shuffled_type(name, &ty),
                Wanted::Lane(name) if !is(threads::is_lane) => refuse::lane_type(name, &ty),
                Wanted::Atomic(atomic) if !ty.scalar().is_some_and(|of| atomic.takes(of)) => {
                    refuse::atomic_type(atomic, &ty)
                }
                _ => continue,
            };
            self.errors.push(syn::Error::new(later.at, reason));
        }
        for index in 0..self.locals.len() {
            let ty = self.types.resolve(&self.locals[index].ty);
            if !ty.is_view() && has_view(&ty) {
                self.errors.push(syn::Error::new(self.places[index], refuse::STORED_VIEW));
            }
        }
    }
}

/// Whether a type is one of a view, or is made of some.
pub(super) fn has_view(ty: &Ty) -> bool {
    match ty {
        Ty::View(..) => true,
        Ty::Reference(_, of) | Ty::Array(of, _) => has_view(of),
        Ty::Tuple(parts) => parts.iter().any(has_view),
        Ty::Variable(_) | Ty::Scalar(_) | Ty::Complex(_) | Ty::Struct(_) | Ty::Layout(_) => false,
    }
}
