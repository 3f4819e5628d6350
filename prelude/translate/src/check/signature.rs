//! Parameters, results and other types as they are written; the fields of structs.

use super::{Checker, World, path_text, plain_name};
use crate::complex::{ComplexPath, scalar_of_path};
use crate::program::{References, Role};
use crate::refuse;
use crate::scalars::Scalar;
use crate::threads::{dim3, own_name};
use crate::tree::Parameter;
use crate::types::{Access, Ty};
use syn::{Error, FnArg, ReturnType};

/// Where a type is written: not everything may be everywhere.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Position {
    Parameter,
    Result,
    Local,
    Field,
    /// Within a tuple or an array.
    Part,
}

impl Checker<'_> {
    fn role_name(&self) -> &'static str {
        match self.role {
            Role::Vectorize => "a `#[vectorize]` function",
            Role::Device => "a `#[device]` function",
            Role::Formula => "a formula of `fuse!`",
            Role::Kernel => "a `#[kernel]` function",
        }
    }

    pub(super) fn attributes(&mut self, attributes: &[syn::Attribute]) {
        for attribute in attributes {
            if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
                self.refuse(attribute, refuse::CONDITIONAL);
            }
        }
    }

    pub(super) fn reject_qualifiers(&mut self, signature: &syn::Signature) {
        let role = self.role_name();
        let plain = |what: &str| format!("{role} must be a plain `fn`; remove `{what}`");
        if let (Some(token), true) = (&signature.constness, matches!(self.role, Role::Vectorize | Role::Kernel)) {
            self.refuse(token, plain("const"));
        }
        if let Some(token) = &signature.asyncness {
            self.refuse(token, plain("async"));
        }
        if let Some(token) = &signature.unsafety {
            self.refuse(token, plain("unsafe"));
        }
        if let Some(abi) = &signature.abi {
            self.refuse(abi, plain("extern"));
        }
        if !signature.generics.params.is_empty() {
            let head = if self.role == Role::Kernel { "a: View<f32>)" } else { "x: f32) -> f32" };
            let text = format!(
                "{role} cannot have type parameters; write one function for each type, such as `fn {}({head}`",
                signature.ident
            );
            self.refuse(&signature.generics, text);
        }
        if let Some(clause) = &signature.generics.where_clause {
            self.refuse(clause, format!("{role} cannot have a `where` clause; remove it"));
        }
        if let Some(variadic) = &signature.variadic {
            self.refuse(variadic, format!("{role} must have a fixed number of arguments"));
        }
    }

    /// Declares the parameters. The last ones of a formula, which have `_` for a type, are what it captures.
    pub(super) fn parameters(&mut self, signature: &syn::Signature, captures: &[Scalar]) -> Vec<Parameter> {
        let role = self.role_name();
        if signature.inputs.is_empty() && matches!(self.role, Role::Vectorize | Role::Formula) {
            let text = format!("{role} needs at least one argument, which is an element of an array, such as `x: f32`");
            self.errors.push(Error::new(signature.paren_token.span.join(), text));
        }
        let mut captured = captures.iter();
        let mut parameters = Vec::new();
        for argument in &signature.inputs {
            let FnArg::Typed(argument) = argument else {
                let text = format!(
                    "{role} must be outside of `impl` blocks and cannot take `self`; write a parameter with a name and \
                     a type, such as `point: Point`"
                );
                self.refuse(argument, text);
                continue;
            };
            self.attributes(&argument.attrs);
            let ty = match (&*argument.ty, self.role) {
                (syn::Type::Infer(_), Role::Formula) => match captured.next() {
                    Some(scalar) => Ty::of(*scalar),
                    None => self.types.any(),
                },
                (written, Role::Device) => self.written_type(written, Position::Parameter),
                (written, Role::Kernel) => self.kernel_parameter(written),
                (written, Role::Vectorize) => self.element_or_struct(written),
                (written, _) => self.scalar_type(written, "an argument"),
            };
            let pattern = self.pattern(&argument.pat, &ty);
            parameters.push(Parameter { pattern, ty });
        }
        parameters
    }

    /// The type of the result. That of a formula follows from it.
    pub(super) fn result(&mut self, signature: &syn::Signature) -> Ty {
        match (&signature.output, self.role) {
            (ReturnType::Default, Role::Device | Role::Kernel) => Ty::UNIT,
            (ReturnType::Type(_, written), Role::Kernel) => {
                if !matches!(&**written, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) {
                    self.refuse(written, refuse::KERNEL_RESULT);
                }
                Ty::UNIT
            }
            (ReturnType::Default, Role::Formula) => self.types.any(),
            (ReturnType::Default, Role::Vectorize) => {
                let text = "a `#[vectorize]` function must return a value, the element of the resulting array; write \
                            its type, such as `-> f32`";
                self.refuse(&signature.ident, text);
                Ty::UNIT
            }
            (ReturnType::Type(_, written), Role::Formula) if matches!(**written, syn::Type::Infer(_)) => {
                self.types.any()
            }
            (ReturnType::Type(_, written), Role::Device) => self.written_type(written, Position::Result),
            (ReturnType::Type(_, written), _) => match &**written {
                syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                    let parts = tuple.elems.iter().map(|part| self.scalar_type(part, "each part of the result"));
                    Ty::Tuple(parts.collect())
                }
                one => self.scalar_type(one, "the result"),
            },
        }
    }

    /// What a formula comes to must be what an array can hold.
    pub(super) fn check_result(&mut self, signature: &syn::Signature) {
        let result = self.types.resolve(&self.result);
        let fits = |ty: &Ty| matches!(ty, Ty::Scalar(_) | Ty::Complex(_) | Ty::Variable(_));
        let fine = match &result {
            Ty::Tuple(parts) => !parts.is_empty() && parts.iter().all(fits),
            one => fits(one),
        };
        if self.role == Role::Formula && !fine && self.errors.is_empty() {
            let text =
                format!("the result of a formula of `fuse!` must be a scalar or a tuple of scalars, not `{result}`");
            self.refuse(&signature.output, text);
        }
    }

    /// What a launch can pass: a view of an array, or a scalar.
    fn kernel_parameter(&mut self, written: &syn::Type) -> Ty {
        let path = match written {
            syn::Type::Group(group) => return self.kernel_parameter(&group.elem),
            syn::Type::Paren(paren) => return self.kernel_parameter(&paren.elem),
            syn::Type::Path(path) if path.qself.is_none() => self.without_use(&path.path),
            _ => {
                self.refuse(written, refuse::for_kernel(written));
                return self.types.any();
            }
        };
        match scalar_of_path(&path) {
            Some(scalar) => Ty::of(scalar),
            None => match self.view_type(&path, Position::Parameter) {
                Some(Ty::View(Access::Shared, ..)) => self.refuse(written, refuse::SHARED_PARAMETER).ty,
                Some(ty @ Ty::View(..)) => ty,
                _ if refuse::may_be_struct(&path) => self.struct_type(&path),
                _ => self.refuse(written, refuse::for_kernel(written)).ty,
            },
        }
    }

    /// The type of a parameter of a function over arrays: of an element, or a struct.
    fn element_or_struct(&mut self, written: &syn::Type) -> Ty {
        match written {
            syn::Type::Group(group) => self.element_or_struct(&group.elem),
            syn::Type::Paren(paren) => self.element_or_struct(&paren.elem),
            syn::Type::Path(path)
                if path.qself.is_none()
                    && scalar_of_path(&path.path).is_none()
                    && refuse::may_be_struct(&self.without_use(&path.path)) =>
            {
                self.struct_type(&path.path)
            }
            _ => self.scalar_type(written, "an argument"),
        }
    }

    fn scalar_type(&mut self, written: &syn::Type, what: &str) -> Ty {
        let scalar = match written {
            syn::Type::Path(path) if path.qself.is_none() => scalar_of_path(&path.path),
            syn::Type::Group(group) => return self.scalar_type(&group.elem, what),
            syn::Type::Paren(paren) => return self.scalar_type(&paren.elem, what),
            _ => None,
        };
        match scalar {
            Some(scalar) => Ty::of(scalar),
            None => {
                let text =
                    format!("{what} of {} must be a scalar; {}", self.role_name(), refuse::for_scalar(written, what));
                self.refuse(written, text);
                self.types.any()
            }
        }
    }

    /// A type of the subset.
    pub(super) fn written_type(&mut self, written: &syn::Type, position: Position) -> Ty {
        match written {
            syn::Type::Group(group) => self.written_type(&group.elem, position),
            syn::Type::Paren(paren) => self.written_type(&paren.elem, position),
            syn::Type::Infer(_) if position == Position::Local || position == Position::Part => self.types.any(),
            syn::Type::Tuple(tuple) => {
                Ty::Tuple(tuple.elems.iter().map(|part| self.written_type(part, Position::Part)).collect())
            }
            syn::Type::Array(array) => {
                let element = self.written_type(&array.elem, Position::Part);
                Ty::Array(Box::new(element), self.length(&array.len))
            }
            syn::Type::Reference(reference) => self.reference_type(reference, position),
            syn::Type::Path(path) if path.qself.is_none() => self.path_type(&path.path, position),
            _ => {
                self.refuse(written, refuse::type_of(written));
                self.types.any()
            }
        }
    }

    fn reference_type(&mut self, reference: &syn::TypeReference, position: Position) -> Ty {
        if let syn::Type::Slice(_) = &*reference.elem {
            self.refuse(reference, refuse::type_of(&syn::Type::Reference(reference.clone())));
            return self.types.any();
        }
        if matches!(position, Position::Field | Position::Result | Position::Part) {
            self.refuse(reference, refuse::STORED_REFERENCE);
        }
        let of = self.written_type(&reference.elem, position);
        Ty::Reference(reference.mutability.is_some(), Box::new(of))
    }

    fn path_type(&mut self, path: &syn::Path, position: Position) -> Ty {
        let used = self.without_use(path);
        if let Some(scalar) = scalar_of_path(&used) {
            return Ty::of(scalar);
        }
        if let Some(view) = self.view_type(&used, position) {
            return view;
        }
        if let Some(reason) = refuse::named_type(path) {
            self.refuse(path, reason);
            return self.types.any();
        }
        self.struct_type(path)
    }

    /// A struct by its path, which is noted as a reference.
    pub(super) fn struct_type(&mut self, path: &syn::Path) -> Ty {
        let path = &self.without_use(path);
        if let Some(ComplexPath { part, name: None }) = self.complex_path(path) {
            return self.complex_type(part);
        }
        if own_name(path).is_some_and(|name| name == "Dim3") {
            return dim3();
        }
        let text = path_text(path);
        if self.is_new("struct", &text) {
            self.references.structs.push(path.clone());
        }
        let Some(world) = self.world else { return Ty::Struct(text) };
        match world.structs.get(&text) {
            Some(name) => Ty::Struct(name.clone()),
            None => {
                self.refuse(path, refuse::unknown_struct(&text));
                self.types.any()
            }
        }
    }
}

/// The fields of a struct with their types, in their order; a tuple struct's are `0`, `1` ….
pub(crate) fn struct_fields(
    item: &syn::ItemStruct,
    world: Option<&World>,
) -> (Vec<(String, Ty)>, References, Vec<Error>) {
    let mut checker = Checker::new(Role::Device, world, String::new(), item);
    if !item.generics.params.is_empty() {
        let text = "a `#[device]` struct cannot have type parameters; write one struct for each type";
        checker.refuse(&item.generics, text);
    }
    let mut fields = Vec::new();
    for (index, field) in item.fields.iter().enumerate() {
        checker.attributes(&field.attrs);
        let ty = checker.written_type(&field.ty, Position::Field);
        let ty = checker.types.resolve(&ty);
        fields.push((field.ident.as_ref().map_or_else(|| index.to_string(), |ident| plain_name(ident)), ty));
    }
    (fields, checker.references, checker.errors)
}
