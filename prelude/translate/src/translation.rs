//! The way from items to a translation: an entry, and before it all that it leads to.

use crate::check::{self, Signature, World};
use crate::emit::{Module, NAMESPACE, Source};
use crate::program::{Error, Item, Items, Role, Scalar, Translation, Value};
use crate::refuse;
use crate::support;
use crate::types::Ty;
use std::collections::HashMap;
use syn::spanned::Spanned;

/// The translation of a function that is known by the name of its item, with all that it calls and names.
///
/// `captures` are the types of a formula's last parameters, those that have `_` for a type.
///
/// ```
/// use std::collections::HashMap;
/// use warpcell_translate::{Item, Items, Role, translate};
///
/// struct Known(HashMap<String, Item>);
/// impl Items for Known {
///     fn item(&self, name: &str) -> Option<&Item> {
///         self.0.get(name)
///     }
/// }
///
/// let source = "fn half(x: f32) -> f32 { x / 2.0 }".to_owned();
/// let item = Item { name: "cell::half".to_owned(), source, line: 1, ..Item::default() };
/// let known = Known(HashMap::from([(item.name.clone(), item)]));
/// let translation = translate("cell::half", Role::Vectorize, &[], &known).unwrap();
/// assert_eq!(translation.name, "rust::half");
/// assert!(translation.source.contains("return x / 2.0f;"));
/// assert!(!translation.may_fail);
/// ```
///
/// # Errors
///
/// The first thing that cannot be translated: an item that is not there, a function that calls itself, or something that
/// the subset lacks and that only shows with the types of other functions.
pub fn translate(entry: &str, role: Role, captures: &[Scalar], items: &dyn Items) -> Result<Translation, Error> {
    let mut program =
        Program { items, module: Module::new(), done: HashMap::new(), fields: HashMap::new(), path: Vec::new() };
    program.function(entry, role, captures)?;
    let Program { mut module, done, .. } = program;
    let missing = || Error { function: entry.to_owned(), line: 0, reason: "it was not translated".to_owned() };
    let signature = done.get(entry).ok_or_else(missing)?;
    let written = module.written(entry).cloned().ok_or_else(missing)?;
    let scalars = |ty: &Ty| match ty {
        Ty::Scalar(scalar) => vec![*scalar],
        Ty::Tuple(parts) => parts.iter().filter_map(Ty::scalar).collect(),
        _ => Vec::new(),
    };
    let result_type = match &signature.result {
        result if result.is_unit() => "void".to_owned(),
        Ty::Scalar(scalar) => crate::types::name_of(*scalar).to_owned(),
        other => format!("{NAMESPACE}::{}", module.type_name(other)),
    };
    Ok(Translation {
        support: support::text(&module.used),
        source: module.text(),
        name: format!("{NAMESPACE}::{}", written.name),
        parameters: signature.parameters.iter().filter_map(Ty::scalar).collect(),
        results: scalars(&signature.result),
        result_type,
        may_fail: written.may_fail,
        functions: module.functions,
    })
}

struct Program<'a> {
    items: &'a dyn Items,
    module: Module,
    /// The functions that are written, by the names of their items.
    done: HashMap<String, Signature>,
    fields: HashMap<String, Vec<(String, Ty)>>,
    /// The functions on the way to the one that is looked at.
    path: Vec<String>,
}

impl Program<'_> {
    fn function(&mut self, name: &str, role: Role, captures: &[Scalar]) -> Result<(), Error> {
        if self.done.contains_key(name) {
            return Ok(());
        }
        let Some(item) = self.items.item(name) else {
            return Err(Error {
                function: last_name(name).to_owned(),
                line: 0,
                reason: refuse::unknown_function(last_name(name)),
            });
        };
        if let Some(start) = self.path.iter().position(|known| known == name) {
            let names: Vec<&str> = self.path[start..].iter().map(|name| last_name(name)).collect();
            let reason = if names.len() == 1 { refuse::recursion(names[0]) } else { refuse::cycle(&names) };
            return Err(Error { function: last_name(name).to_owned(), line: item.line, reason });
        }
        let parsed: syn::ItemFn = syn::parse_str(&item.source).map_err(|error| located(item, &error))?;
        // The entry's number is the first.
        let number = self.module.functions.len();
        self.module.functions.push(parsed.sig.ident.to_string());
        self.path.push(name.to_owned());
        let mut world = World { constants: item.constants.iter().cloned().collect(), ..World::default() };
        for (path, target) in &item.functions {
            // One that is not there is reported where it is called.
            if self.items.item(target).is_some() {
                self.function(target, Role::Device, &[])?;
                if let Some(signature) = self.done.get(target) {
                    world.functions.insert(path.clone(), signature.clone());
                }
            }
        }
        self.structs(item, &mut world)?;
        for (_, value) in &item.constants {
            self.structs_of(value)?;
        }
        world.fields = self.fields.clone();
        let checked = check::function(&parsed, name, role, captures, Some(&world));
        if let Some(error) = checked.errors.first() {
            return Err(located(item, error));
        }
        let function = checked.function;
        let signature = Signature {
            item: name.to_owned(),
            parameters: function.parameters.iter().map(|parameter| function.types.resolve(&parameter.ty)).collect(),
            result: function.types.resolve(&function.result),
        };
        let source = Source {
            text: &item.source,
            line: item.line,
            last_line_of_head: parsed.block.brace_token.span.open().start().line,
        };
        self.module.function(&function, &source, number);
        self.path.pop();
        self.done.insert(name.to_owned(), signature);
        Ok(())
    }

    /// The structs that an item names, with those that these are made of.
    fn structs(&mut self, item: &Item, world: &mut World) -> Result<(), Error> {
        for (path, target) in &item.structs {
            if self.items.item(target).is_some() {
                self.structure(target)?;
                world.structs.insert(path.clone(), target.clone());
            }
        }
        Ok(())
    }

    /// The structs of a constant, whose types need not be named.
    fn structs_of(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Scalar(..) => Ok(()),
            Value::Tuple(parts) | Value::Array(_, parts) => parts.iter().try_for_each(|part| self.structs_of(part)),
            Value::Struct(name, fields) => {
                self.structure(name)?;
                fields.iter().try_for_each(|(_, field)| self.structs_of(field))
            }
        }
    }

    fn structure(&mut self, name: &str) -> Result<(), Error> {
        let Some(item) = self.items.item(name) else { return Ok(()) };
        if self.fields.contains_key(name) {
            return Ok(());
        }
        self.fields.insert(name.to_owned(), Vec::new());
        let parsed: syn::ItemStruct = syn::parse_str(&item.source).map_err(|error| located(item, &error))?;
        let mut world = World { constants: item.constants.iter().cloned().collect(), ..World::default() };
        self.structs(item, &mut world)?;
        let (fields, _, errors) = check::struct_fields(&parsed, Some(&world));
        if let Some(error) = errors.first() {
            return Err(located(item, error));
        }
        self.module.define_struct(name, fields.clone(), &item.source);
        self.fields.insert(name.to_owned(), fields);
        Ok(())
    }
}

/// An error with its place in the user's file or cell.
fn located(item: &Item, error: &syn::Error) -> Error {
    Error {
        function: last_name(&item.name).to_owned(),
        line: item.line + error.span().span().start().line.max(1) - 1,
        reason: error.to_string(),
    }
}

/// The last part of a path.
fn last_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
