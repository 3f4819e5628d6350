//! Checking a function: finds what its names mean, infers its types, and reports what the subset of Rust lacks.
//!
//! Rust's compiler has checked the same function, so what is wrong by Rust's own rules is its business. Only the types
//! have to be found once more, and they have to be the same: everything is visited in the compiler's order, and literals
//! get the type that unification gives them.

mod calls;
mod constants;
mod expressions;
mod loops;
mod paths;
mod patterns;
mod signature;
mod statements;
mod threads;

use crate::complex::{COMPLEX, ComplexPath, complex_path, has_own_complex};
use crate::program::{References, Role, Value};
use crate::refuse;
use crate::scalars::Scalar;
use crate::tree::{Block, Expression, ExpressionKind, Function, Local, LocalId, LoopId};
use crate::types::{Kind, Layout, Ty, Types};
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::{HashMap, HashSet, VecDeque};
use syn::Error;
use syn::spanned::Spanned;

pub(crate) use constants::integer_value;
pub(crate) use paths::type_of;
pub(crate) use signature::struct_fields;

/// What is known around a function when it is translated: by the paths as they are written in it.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) functions: HashMap<String, Signature>,
    /// The names of the structs' items.
    pub(crate) structs: HashMap<String, String>,
    pub(crate) constants: HashMap<String, Value>,
    /// The fields of all structs, by the names of their items.
    pub(crate) fields: HashMap<String, Vec<(String, Ty)>>,
    /// Whether there are threads: the program is a kernel's.
    pub(crate) kernel: bool,
}

#[derive(Clone)]
pub(crate) struct Signature {
    /// The name of the function's item.
    pub(crate) item: String,
    pub(crate) parameters: Vec<Ty>,
    pub(crate) result: Ty,
    /// Whether others may see that it was called: it changes arrays, or lets threads meet.
    pub(crate) has_effects: bool,
}

impl Signature {
    /// Whether it is written anew for each layout of its arguments.
    pub(crate) fn takes_views(&self) -> bool {
        self.parameters.iter().any(Ty::is_view)
    }
}

/// As what a function is checked.
pub(crate) struct Asked<'a> {
    pub(crate) role: Role,
    /// The types of a formula's last parameters.
    pub(crate) captures: &'a [Scalar],
    /// The layouts of those parameters that are views.
    pub(crate) layouts: &'a [Layout],
    /// The number of the first shared array that it declares.
    pub(crate) first_array: usize,
}

/// What came of a check. The function is of use if there are no errors.
pub(crate) struct Checked {
    pub(crate) function: Function,
    pub(crate) references: References,
    /// The names of the shared arrays that it declares, and their lines within its text.
    pub(crate) arrays: Vec<(String, usize)>,
    /// The functions that it calls with views, and the layouts of these.
    pub(crate) calls: Vec<(String, Vec<Layout>)>,
    pub(crate) errors: Vec<Error>,
}

/// Checks a function. Without a world only the function itself is known, and what follows from others is left open.
pub(crate) fn function(written: &syn::ItemFn, item: &str, asked: &Asked<'_>, world: Option<&World>) -> Checked {
    let mut checker = Checker::new(asked.role, world, written.sig.ident.to_string(), written);
    checker.layouts = asked.layouts.iter().cloned().collect();
    checker.first_array = asked.first_array;
    checker.attributes(&written.attrs);
    checker.reject_qualifiers(&written.sig);
    let parameters = checker.parameters(&written.sig, asked.captures);
    let result = checker.result(&written.sig);
    checker.result = result.clone();
    let body = checker.block(&written.block);
    if body.tail.is_some() {
        let place = written.block.stmts.last().map_or_else(Span::call_site, Spanned::span);
        checker.expect(&body.ty, &result, place);
    } else {
        checker.types.unify(&body.ty, &result);
    }
    checker.types.apply_defaults();
    checker.check_result(&written.sig);
    checker.check_references();
    checker.check_later();
    let calls = checker.layouts_of_calls();
    let function = Function {
        name: item.to_owned(),
        identifier: written.sig.ident.to_string(),
        is_called: written.attrs.iter().any(is_inline_never),
        parameters,
        result,
        body,
        locals: checker.locals,
        types: checker.types,
    };
    Checked { function, references: checker.references, arrays: checker.arrays, calls, errors: checker.errors }
}

/// Whether an attribute is `#[inline(never)]`. It is a part of a device function's text, unlike all others.
pub fn is_inline_never(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("inline") && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "never")
}

/// The types of a device function's parameters and result; of views it says nothing but the types.
pub(crate) fn signature(written: &syn::ItemFn, item: &str, world: &World) -> Result<Signature, Vec<Error>> {
    let mut checker = Checker::new(Role::Device, Some(world), written.sig.ident.to_string(), written);
    let parameters = checker.parameters(&written.sig, &[]);
    let parameters = parameters.iter().map(|parameter| checker.types.resolve(&parameter.ty)).collect();
    let result = checker.result(&written.sig);
    let result = checker.types.resolve(&result);
    if !checker.errors.is_empty() {
        return Err(checker.errors);
    }
    Ok(Signature { item: item.to_owned(), parameters, result, has_effects: true })
}

pub(crate) struct Checker<'a> {
    role: Role,
    world: Option<&'a World>,
    /// Whether `Complex` is a struct of the user's.
    has_own_complex: bool,
    /// The function's own identifier.
    identifier: String,
    types: Types,
    locals: Vec<Local>,
    /// Where each local was declared, for messages.
    places: Vec<Span>,
    /// The values of integer constants that the function itself defines, and of what else is fixed.
    values: HashMap<LocalId, i128>,
    scopes: Vec<HashMap<String, Meaning>>,
    loops: Vec<Frame>,
    next_loop: LoopId,
    result: Ty,
    /// Whether what comes next is never reached.
    diverges: bool,
    references: References,
    referred: HashSet<String>,
    /// The layouts of the parameters that are views, those left of them.
    layouts: VecDeque<Layout>,
    first_array: usize,
    arrays: Vec<(String, usize)>,
    /// The functions that are called with views, and the types of these.
    calls: Vec<(String, Vec<Ty>)>,
    later: Vec<threads::Later>,
    errors: Vec<Error>,
}

/// What a name stands for.
#[derive(Clone)]
enum Meaning {
    Local(LocalId),
    /// By a `use` in the function.
    Path(syn::Path),
}

/// A loop, or a block with a label, around the place that is looked at.
struct Frame {
    id: LoopId,
    label: Option<String>,
    is_block: bool,
    /// The type of the values that it is left with; none for `while` and `for`.
    value: Option<Ty>,
    left: bool,
}

impl<'a> Checker<'a> {
    fn new(role: Role, world: Option<&'a World>, identifier: String, item: &dyn ToTokens) -> Checker<'a> {
        Checker {
            has_own_complex: match world {
                Some(world) => world.structs.contains_key(COMPLEX),
                None => has_own_complex(item.to_token_stream()),
            },
            role,
            world,
            identifier,
            types: Types::default(),
            locals: Vec::new(),
            places: Vec::new(),
            values: HashMap::new(),
            scopes: vec![HashMap::new()],
            loops: Vec::new(),
            next_loop: 0,
            result: Ty::UNIT,
            diverges: false,
            references: References::default(),
            referred: HashSet::new(),
            layouts: VecDeque::new(),
            first_array: 0,
            arrays: Vec::new(),
            calls: Vec::new(),
            later: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Reports something at a token, and goes on.
    fn refuse(&mut self, at: &dyn ToTokens, reason: impl std::fmt::Display) -> Expression {
        self.errors.push(Error::new_spanned(at.to_token_stream(), reason));
        self.nothing()
    }

    /// What stands for an expression that was reported.
    fn nothing(&mut self) -> Expression {
        let ty = self.types.any();
        Expression { kind: ExpressionKind::Nothing, ty, line: 0, last_line: 0 }
    }

    fn made(&self, kind: ExpressionKind, ty: Ty, at: &dyn ToTokens) -> Expression {
        // Where only errors are asked for, nobody needs lines.
        if self.world.is_none() {
            return Expression { kind, ty, line: 0, last_line: 0 };
        }
        let span = at.to_token_stream().span();
        Expression { kind, ty, line: span.start().line, last_line: span.end().line }
    }

    /// The line on which something ends.
    fn last_line(&self, of: &dyn ToTokens) -> usize {
        if self.world.is_none() { 0 } else { of.to_token_stream().span().end().line }
    }

    /// Makes a type the one that is wanted. Differences are the compiler's to report, or, where it has not, a surprise.
    fn expect(&mut self, found: &Ty, wanted: &Ty, at: Span) {
        if !self.types.unify(found, wanted) && self.world.is_some() {
            let (found, wanted) = (self.types.resolve(found), self.types.resolve(wanted));
            self.errors.push(Error::new(at, refuse::mismatch(&found, &wanted)));
        }
    }

    /// The type of what a value refers to, if it is known. Where everything is known, it is an error if it is not.
    fn known(&mut self, of: &Ty, at: &dyn ToTokens) -> Option<Ty> {
        let ty = self.types.stripped(of);
        if self.types.kind(&ty) != Some(Kind::Any) {
            return Some(ty);
        }
        if self.world.is_some() && self.errors.is_empty() {
            self.refuse(at, refuse::UNKNOWN_TYPE);
        }
        None
    }

    /// A path that begins with a type of complex numbers, unless that is a struct of the user's.
    fn complex_path(&self, path: &syn::Path) -> Option<ComplexPath> {
        let is_own = self.has_own_complex
            && path.segments.first().is_some_and(|first| first.ident == COMPLEX && first.arguments.is_none());
        if is_own { None } else { complex_path(path) }
    }

    /// The complex numbers with parts of this type; without one it follows from what is done with them.
    fn complex_type(&mut self, part: Option<Scalar>) -> Ty {
        Ty::Complex(Box::new(part.map_or_else(|| self.types.fresh(Kind::Float), Ty::Scalar)))
    }

    fn declare(&mut self, name: &str, ty: Ty, mutable: bool, at: Span) -> LocalId {
        let id = self.locals.len();
        self.locals.push(Local { name: name.to_owned(), ty, mutable, reads: 0 });
        self.places.push(at);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), Meaning::Local(id));
        }
        id
    }

    fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn local(&self, name: &str) -> Option<LocalId> {
        match self.meaning(name) {
            Some(Meaning::Local(id)) => Some(*id),
            _ => None,
        }
    }

    /// What happens in a scope of its own.
    fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(HashMap::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// Whether a path was not met before. It counts as met then.
    fn is_new(&mut self, kind: &str, path: &str) -> bool {
        self.referred.insert(format!("{kind} {path}"))
    }

    /// A block, typed as Rust does it: without a value at its end it is `()`, or anything if its end is not reached.
    fn block(&mut self, written: &syn::Block) -> Block {
        self.scoped(|checker| checker.statements(&written.stmts))
    }

    fn layouts_of_calls(&self) -> Vec<(String, Vec<Layout>)> {
        let layout = |ty: &Ty| match self.types.resolve(ty).referent() {
            Ty::View(_, _, layout) => match &**layout {
                Ty::Layout(layout) => Some(layout.clone()),
                _ => None,
            },
            _ => None,
        };
        self.calls.iter().map(|(item, views)| (item.clone(), views.iter().filter_map(layout).collect())).collect()
    }

    /// References that may change something cannot be kept in other values: the generated text has them as names only.
    fn check_references(&mut self) {
        for index in 0..self.locals.len() {
            let ty = self.types.resolve(&self.locals[index].ty);
            let inside = match &ty {
                Ty::Reference(true, of) => has_changing_reference(of),
                other => has_changing_reference(other),
            };
            if inside {
                self.errors.push(Error::new(self.places[index], refuse::STORED_REFERENCE));
            }
        }
    }
}

fn has_changing_reference(ty: &Ty) -> bool {
    match ty {
        Ty::Reference(true, _) => true,
        Ty::Reference(false, of) | Ty::Array(of, _) => has_changing_reference(of),
        Ty::Tuple(parts) => parts.iter().any(has_changing_reference),
        Ty::Variable(_) | Ty::Scalar(_) | Ty::Complex(_) | Ty::Struct(_) | Ty::View(..) | Ty::Layout(_) => false,
    }
}

/// A name without the mark of raw identifiers: `r#x` is `x`.
fn plain_name(of: &dyn ToTokens) -> String {
    let name = of.to_token_stream().to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// A path as it is written, without blanks: by what an `Item` names it.
///
/// ```
/// let path = syn::parse_str("geometry :: area").unwrap();
/// assert_eq!(warpcell_translate::path_text(&path), "geometry::area");
/// ```
pub fn path_text(path: &syn::Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
