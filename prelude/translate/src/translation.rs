//! The way from items to a translation: an entry, and before it all that it leads to.

use crate::check::{self, Asked, Signature, World};
use crate::complex::COMPLEX;
use crate::emit::{Instance, Module, NAMESPACE, Source};
use crate::program::{
    Error, FunctionParameter, Item, Items, KernelOptions, KernelTranslation, Parameter, Role, Translation, Value,
};
use crate::refuse;
use crate::scalars::Scalar;
use crate::support;
use crate::threads::{DIM3, dim3_fields};
use crate::types::{Access, Layout, Ty};
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
    let mut program = Program::new(items);
    program.function(entry, role, captures, &[])?;
    let Program { mut module, done, .. } = program;
    let instance = (entry.to_owned(), Vec::new());
    let missing = || Error { function: entry.to_owned(), line: 0, reason: "it was not translated".to_owned() };
    let signature = done.get(&instance).ok_or_else(missing)?;
    let written = module.written(&instance).cloned().ok_or_else(missing)?;
    let scalars = |ty: &Ty| match ty {
        Ty::Tuple(parts) => parts.iter().filter_map(Ty::scalar).collect(),
        one => one.scalar().into_iter().collect(),
    };
    let parameter = |ty: &Ty| match ty {
        Ty::Struct(item) => Some(FunctionParameter::Struct {
            item: item.clone(),
            c_name: format!("{NAMESPACE}::{}", module.type_name(ty)),
        }),
        other => other.scalar().map(FunctionParameter::Scalar),
    };
    let parameters = signature.parameters.iter().filter_map(parameter).collect();
    let result_type = match &signature.result {
        result if result.is_unit() => "void".to_owned(),
        Ty::Scalar(_) | Ty::Complex(_) => module.type_name(&signature.result),
        other => format!("{NAMESPACE}::{}", module.type_name(other)),
    };
    Ok(Translation {
        support: support::text(&module.used, &module.text()),
        source: module.text(),
        name: format!("{NAMESPACE}::{}", written.name),
        parameters,
        results: scalars(&signature.result),
        result_type,
        may_fail: written.may_fail,
        functions: module.functions,
    })
}

/// The translation of a kernel that is known by the name of its item, with all that it calls and names, for arguments of these
/// kinds.
///
/// ```
/// use std::collections::HashMap;
/// use warpcell_translate::{Item, Items, KernelOptions, Parameter, Scalar, translate_kernel};
///
/// struct Known(HashMap<String, Item>);
/// impl Items for Known {
///     fn item(&self, name: &str) -> Option<&Item> {
///         self.0.get(name)
///     }
/// }
///
/// let source = "fn fill(mut out: ViewMut<f32>, x: f32) { out[global_idx().x] = x; }".to_owned();
/// let item = Item { name: "cell::fill".to_owned(), source, line: 1, ..Item::default() };
/// let known = Known(HashMap::from([(item.name.clone(), item)]));
/// let array = Parameter::View { element: Scalar::F32, rank: 1, contiguous: true, changing: true };
/// let parameters = [array, Parameter::Scalar(Scalar::F32)];
/// let kernel = translate_kernel("cell::fill", &parameters, KernelOptions { checked: false }, &known).unwrap();
/// assert_eq!(kernel.name, "fill_kernel");
/// assert!(kernel.source.contains("out.data[(usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x] = x;"));
/// assert!(!kernel.may_fail);
/// ```
///
/// # Errors
///
/// The first thing that cannot be translated, as for [`translate`], and an index that does not fit an array's axes. Also
/// parameters that are not those of the kernel.
pub fn translate_kernel(
    entry: &str,
    parameters: &[Parameter],
    options: KernelOptions,
    items: &dyn Items,
) -> Result<KernelTranslation, Error> {
    let mut program = Program::new(items);
    program.kernel = true;
    program.module.kernel = true;
    program.module.checked = options.checked;
    let mut layouts = Vec::new();
    for parameter in parameters {
        if let Parameter::View { rank, contiguous, .. } = parameter {
            let number = layouts.len();
            layouts.push(Layout::Global { rank: *rank, contiguous: *contiguous, number });
        }
    }
    program.module.fixed = parameters.iter().map(fixed_value).collect();
    let names = program.views_of(entry)?;
    program.module.array_lines = vec![0; names.len()];
    program.module.arrays = names;
    program.function(entry, Role::Kernel, &[], &layouts)?;
    let instance = (entry.to_owned(), layouts);
    let error = |reason: String| {
        let line = items.item(entry).map_or(0, |item| item.line);
        Error { function: last_name(entry).to_owned(), line, reason }
    };
    let signature = program.done.get(&instance).ok_or_else(|| error("it was not translated".to_owned()))?;
    let passed: Vec<String> = parameters.iter().map(written_parameter).collect();
    let wanted: Vec<String> = signature.parameters.iter().map(ToString::to_string).collect();
    if passed != wanted {
        return Err(error(format!("it takes ({}), not ({})", wanted.join(", "), passed.join(", "))));
    }
    let Program { module, .. } = program;
    let written = module.written(&instance).ok_or_else(|| error("it was not translated".to_owned()))?;
    Ok(KernelTranslation {
        support: support::text(&module.used, &module.text()),
        source: module.text(),
        name: written.name.clone(),
        may_fail: written.may_fail,
        static_shared_bytes: module.static_shared_bytes,
        uses_dynamic_shared: module.uses_dynamic_shared,
        uses_barriers: module.uses_barriers,
        functions: module.functions,
        arrays: module.arrays,
        array_lines: module.array_lines,
    })
}

/// The type of a parameter, as it is written in Rust.
fn written_parameter(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Scalar(scalar) | Parameter::Fixed(scalar, _) => Ty::of(*scalar).to_string(),
        Parameter::Struct(item) => Ty::Struct(item.clone()).to_string(),
        Parameter::View { element, changing, .. } => {
            let access = if *changing { Access::Change } else { Access::Read };
            format!("{}<{}>", access.type_name(), Ty::of(*element))
        }
    }
}

/// The value of a parameter that is not passed.
fn fixed_value(parameter: &Parameter) -> Option<i64> {
    match parameter {
        Parameter::Fixed(_, value) => Some(*value),
        _ => None,
    }
}

struct Program<'a> {
    items: &'a dyn Items,
    module: Module,
    /// Whether there are threads.
    kernel: bool,
    /// The functions that are written.
    done: HashMap<Instance, Signature>,
    fields: HashMap<String, Vec<(String, Ty)>>,
    /// The functions on the way to the one that is looked at.
    path: Vec<String>,
}

impl<'a> Program<'a> {
    fn new(items: &'a dyn Items) -> Program<'a> {
        let mut module = Module::new();
        module.define_struct(DIM3, dim3_fields(), "");
        let fields = HashMap::from([(DIM3.to_owned(), dim3_fields())]);
        Program { items, module, kernel: false, done: HashMap::new(), fields, path: Vec::new() }
    }

    /// The names of a kernel's parameters that are views.
    fn views_of(&self, name: &str) -> Result<Vec<String>, Error> {
        let Some(item) = self.items.item(name) else { return Ok(Vec::new()) };
        let parsed: syn::ItemFn = syn::parse_str(&item.source).map_err(|error| located(item, &error))?;
        let mut names = Vec::new();
        for argument in &parsed.sig.inputs {
            let syn::FnArg::Typed(argument) = argument else { continue };
            if let syn::Type::Path(path) = &*argument.ty
                && path
                    .path
                    .segments
                    .last()
                    .is_some_and(|segment| segment.ident != "Complex" && !segment.arguments.is_none())
            {
                names.push(match &*argument.pat {
                    syn::Pat::Ident(ident) => ident.ident.to_string(),
                    _ => "an array".to_owned(),
                });
            }
        }
        Ok(names)
    }

    /// A device function that takes views is written when it is known of what layout they are: here its types alone.
    fn signature(&mut self, name: &str) -> Result<Option<Signature>, Error> {
        let Some(item) = self.items.item(name) else { return Ok(None) };
        let parsed: syn::ItemFn = syn::parse_str(&item.source).map_err(|error| located(item, &error))?;
        let mut world = self.world(item);
        self.structs(item, &mut world)?;
        world.fields = self.fields.clone();
        let signature = check::signature(&parsed, name, &world);
        let signature = signature.map_err(|errors| located(item, &errors[0]))?;
        Ok(signature.takes_views().then_some(signature))
    }

    fn world(&self, item: &Item) -> World {
        World { constants: item.constants.iter().cloned().collect(), kernel: self.kernel, ..World::default() }
    }

    fn function(&mut self, name: &str, role: Role, captures: &[Scalar], layouts: &[Layout]) -> Result<(), Error> {
        let instance = (name.to_owned(), layouts.to_vec());
        if self.done.contains_key(&instance) {
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
        let mut world = self.world(item);
        for (path, target) in &item.functions {
            // One that is not there is reported where it is called.
            if self.items.item(target).is_some() {
                if let Some(signature) = self.signature(target)? {
                    world.functions.insert(path.clone(), signature);
                    continue;
                }
                self.function(target, Role::Device, &[], &[])?;
                if let Some(signature) = self.done.get(&(target.clone(), Vec::new())) {
                    world.functions.insert(path.clone(), signature.clone());
                }
            }
        }
        self.structs(item, &mut world)?;
        for (_, value) in &item.constants {
            self.structs_of(value)?;
        }
        world.fields = self.fields.clone();
        let asked = Asked { role, captures, layouts, first_array: self.module.arrays.len() };
        let checked = check::function(&parsed, name, &asked, Some(&world));
        if let Some(error) = checked.errors.first() {
            return Err(located(item, error));
        }
        for (array, line) in checked.arrays {
            self.module.arrays.push(array);
            self.module.array_lines.push(item.line + line.max(1) - 1);
        }
        for (target, layouts) in &checked.calls {
            self.function(target, Role::Device, &[], layouts)?;
        }
        let function = checked.function;
        let resolved = |ty: &Ty| function.types.resolve(ty);
        let parameters = function.parameters.iter().map(|parameter| resolved(&parameter.ty)).collect();
        let result = resolved(&function.result);
        let source = Source {
            text: &item.source,
            line: item.line,
            last_line_of_head: parsed.block.brace_token.span.open().start().line,
        };
        self.module.function(&function, layouts, &source, number, role == Role::Kernel);
        self.path.pop();
        let has_effects = self.module.written(&instance).is_some_and(|written| written.has_effects);
        self.done.insert(instance, Signature { item: name.to_owned(), parameters, result, has_effects });
        Ok(())
    }

    /// The structs that an item names, with those that these are made of.
    fn structs(&mut self, item: &Item, world: &mut World) -> Result<(), Error> {
        // A function that only makes such values does not tell whether `Complex` is the user's.
        let module = item.name.rsplit_once("::").map_or("", |(module, _)| module);
        let own = format!("{module}::{COMPLEX}");
        if self.items.item(&own).is_some_and(|item| item.source.contains("struct")) {
            self.structure(&own)?;
            world.structs.insert(COMPLEX.to_owned(), own);
        }
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
        let mut world = self.world(item);
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
