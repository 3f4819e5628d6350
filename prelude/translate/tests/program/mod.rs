//! Programs for tests: items from a text, as the macros register them, and their translations.

#![allow(dead_code)]

use std::collections::HashMap;
use std::process::Command;
use syn::spanned::Spanned;
use warpcell_translate::{
    Error, Item, Items, KernelOptions, KernelTranslation, Parameter, Role, Scalar, Translation, Value, check,
    check_struct, is_inline_never, path_text, translate, translate_kernel,
};

pub struct Program {
    items: HashMap<String, Item>,
    roles: HashMap<String, Role>,
    captures: HashMap<String, Vec<Scalar>>,
}

impl Items for Program {
    fn item(&self, name: &str) -> Option<&Item> {
        self.items.get(name)
    }
}

/// The items of a text: functions with `#[vectorize]`, `#[device]` or `#[formula]`, and structs. Constants are given by name.
pub fn program(text: &str, constants: &[(&str, Value)]) -> Program {
    let file: syn::File = syn::parse_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut program = Program { items: HashMap::new(), roles: HashMap::new(), captures: HashMap::new() };
    let lines: Vec<&str> = text.lines().collect();
    for item in &file.items {
        let (name, references, start) = match item {
            syn::Item::Fn(function) => {
                let role = function.attrs.iter().find_map(|attribute| match role_named(attribute)?.as_str() {
                    "vectorize" => Some(Role::Vectorize),
                    "device" => Some(Role::Device),
                    "formula" => Some(Role::Formula),
                    "kernel" => Some(Role::Kernel),
                    _ => None,
                });
                let Some(role) = role else { continue };
                let name = function.sig.ident.to_string();
                program.roles.insert(name.clone(), role);
                let bare = syn::ItemFn { attrs: Vec::new(), ..function.clone() };
                let references = check(&bare, role).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
                (name, references, function.sig.span().start().line)
            }
            syn::Item::Struct(item) => {
                let bare = syn::ItemStruct { attrs: Vec::new(), ..item.clone() };
                let references = check_struct(&bare).unwrap_or_else(|errors| panic!("{}", errors[0]));
                (item.ident.to_string(), references, item.struct_token.span.start().line)
            }
            _ => continue,
        };
        let is_called = matches!(item, syn::Item::Fn(function) if function.attrs.iter().any(is_inline_never));
        let end = item.span().end().line;
        let known = |paths: &[syn::Path]| paths.iter().map(|path| (path_text(path), path_text(path))).collect();
        let constants = references.constants.iter().map(path_text).filter_map(|path| {
            let (_, value) = constants.iter().find(|(name, _)| *name == path)?;
            Some((path, value.clone()))
        });
        let item = Item {
            name: name.clone(),
            source: ["", "#[inline(never)] "][usize::from(is_called)].to_owned() + &lines[start - 1..end].join("\n"),
            line: start,
            functions: known(&references.functions),
            structs: known(&references.structs),
            constants: constants.collect(),
        };
        program.items.insert(name, item);
    }
    program
}

/// `kernel` of `#[kernel]` and of `#[cfg_attr(any(), kernel)]`, which means nothing to the compiler.
fn role_named(attribute: &syn::Attribute) -> Option<String> {
    match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg_attr") => {
            list.tokens.clone().into_iter().last().map(|token| token.to_string())
        }
        meta => Some(meta.path().get_ident()?.to_string()),
    }
}

/// The items of a text, in their order.
pub fn items(text: &str) -> Vec<Item> {
    let file: syn::File = syn::parse_str(text).unwrap();
    let program = program(text, &[]);
    let names = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(function) => Some(function.sig.ident.to_string()),
        syn::Item::Struct(item) => Some(item.ident.to_string()),
        _ => None,
    });
    names.filter_map(|name| program.items.get(&name).cloned()).collect()
}

impl Program {
    pub fn with_captures(mut self, name: &str, captures: &[Scalar]) -> Program {
        self.captures.insert(name.to_owned(), captures.to_vec());
        self
    }

    pub fn translate(&self, name: &str) -> Result<Translation, Error> {
        let captures = self.captures.get(name).map_or(&[][..], Vec::as_slice);
        translate(name, self.roles[name], captures, self)
    }

    /// A kernel for arguments of these kinds, such as `View2<f32>`, `ViewMut1<i32>`, `f32` or `struct Point`; `View2<f32>*` has gaps.
    pub fn kernel(&self, name: &str, parameters: &[&str], checked: bool) -> Result<KernelTranslation, Error> {
        let parameters: Vec<Parameter> = parameters.iter().map(|text| parameter(text).expect(text)).collect();
        translate_kernel(name, &parameters, KernelOptions { checked }, self)
    }
}

/// What an argument is by its text, as `Program::kernel` takes it.
pub fn parameter(text: &str) -> Option<Parameter> {
    if let Some(name) = text.strip_prefix("struct ") {
        return Some(Parameter::Struct(name.to_owned()));
    }
    let scalar = |name: &str| {
        Some(match name {
            "bool" => Scalar::Bool,
            "u8" => Scalar::U8,
            "i32" => Scalar::I32,
            "u32" => Scalar::U32,
            "i64" => Scalar::I64,
            "u64" => Scalar::U64,
            "isize" => Scalar::Isize,
            "usize" => Scalar::Usize,
            "f32" => Scalar::F32,
            "f64" => Scalar::F64,
            "Complex32" => Scalar::C64,
            "Complex64" => Scalar::C128,
            _ => return None,
        })
    };
    let Some((head, rest)) = text.split_once('<') else { return scalar(text).map(Parameter::Scalar) };
    let (element, end) = rest.split_once('>')?;
    let (access, rank) = head.split_at(head.len() - 1);
    Some(Parameter::View {
        element: scalar(element)?,
        rank: rank.parse().ok()?,
        contiguous: end.is_empty(),
        changing: access == "ViewMut",
    })
}

/// The generated text of a function. It is compiled as C++ too, where a compiler is there.
pub fn source(text: &str, name: &str) -> String {
    let translation = program(text, &[]).translate(name).unwrap_or_else(|error| panic!("{error}"));
    compiles(&translation);
    translation.source
}

/// Compiles a translation as C++17, with warnings as errors.
pub fn compiles(translation: &Translation) {
    compiles_text(&translation.support, &translation.source);
}

/// The same of a kernel.
pub fn kernel_compiles(translation: &KernelTranslation) {
    let support = translation.support.replace("extern __shared__ __align__(16)", "alignas(16) extern");
    compiles_text(&format!("{FUNCTIONS_OF_THREADS}\n{support}"), &translation.source);
}

/// What CUDA has built in for threads, as declarations.
const FUNCTIONS_OF_THREADS: &str = "
void __syncthreads();
int __syncthreads_count(int), __syncthreads_and(int), __syncthreads_or(int);
void __syncwarp(unsigned int mask = 0xffffffffu);
void __threadfence();
template <typename T> T __shfl_sync(unsigned int, T, int);
template <typename T> T __shfl_up_sync(unsigned int, T, unsigned int);
template <typename T> T __shfl_down_sync(unsigned int, T, unsigned int);
template <typename T> T __shfl_xor_sync(unsigned int, T, int);
unsigned int __ballot_sync(unsigned int, int);
int __all_sync(unsigned int, int), __any_sync(unsigned int, int);
template <typename T> T atomicAdd(T *, T);
";

fn compiles_text(support: &str, source: &str) {
    let directory = std::env::temp_dir().join(format!(
        "warpcell-translate-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("program.cpp");
    let header = include_str!("../differential/host.h");
    std::fs::write(&file, format!("{header}\n{support}\n{source}")).unwrap();
    let Ok(output) =
        Command::new("g++").args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(&file).output()
    else {
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{source}");
    std::fs::remove_dir_all(&directory).ok();
}
