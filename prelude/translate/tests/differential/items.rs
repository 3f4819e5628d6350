//! A file of functions as the translator wants it: the items that a program would have registered.

use super::Scalar;
use super::programs::name_of;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use syn::spanned::Spanned;
use warpcell_translate::{Error, Item, Items, References, Role, Translation, Type, Value};

pub struct Program {
    text: String,
    items: HashMap<String, Item>,
    /// The functions for arrays, in the order of the text.
    pub vectorized: Vec<String>,
}

/// Several translations as one text.
#[derive(Default)]
pub struct Joined {
    /// The parts of the support texts that the translations need, each once.
    support: String,
    parts: HashSet<String>,
    sources: String,
}

impl Items for Program {
    fn item(&self, name: &str) -> Option<&Item> {
        self.items.get(name)
    }
}

impl Program {
    /// Takes a file of functions with `#[vectorize]` or `#[device]`, structs and constants.
    pub fn of(text: &str) -> Program {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error} at {:?}", error.span().start()));
        let constants: BTreeMap<String, Value> = file.items.iter().filter_map(constant).collect();
        let mut program = Program { text: text.to_owned(), items: HashMap::new(), vectorized: Vec::new() };
        for item in file.items {
            let (name, first, last, references) = match &item {
                syn::Item::Fn(function) => {
                    let vectorized = function.attrs.iter().any(|attribute| attribute.path().is_ident("vectorize"));
                    let role = if vectorized { Role::Vectorize } else { Role::Device };
                    let name = function.sig.ident.to_string();
                    if vectorized {
                        program.vectorized.push(name.clone());
                    }
                    let bare = syn::ItemFn { attrs: Vec::new(), ..function.clone() };
                    let references = warpcell_translate::check(&bare, role);
                    (name, function.sig.fn_token.span(), function.block.brace_token.span.close(), references)
                }
                syn::Item::Struct(item) => {
                    let bare = syn::ItemStruct { attrs: Vec::new(), ..item.clone() };
                    let references = warpcell_translate::check_struct(&bare);
                    (item.ident.to_string(), item.struct_token.span(), item.fields.span(), references)
                }
                _ => continue,
            };
            let references = references.unwrap_or_else(|errors| panic!("`{name}`: {}", reasons(&errors)));
            let item = described(&name, slice(text, first, last), first.start().line, &references, &constants);
            program.items.insert(name, item);
        }
        program
    }

    pub fn translate(&self, name: &str) -> Result<Translation, Error> {
        warpcell_translate::translate(name, Role::Vectorize, &[], self)
    }

    /// The file for a compiler that does not know the attributes.
    pub fn plain_rust(&self) -> String {
        let ours = |line: &&str| !matches!(line.trim(), "#[vectorize]" | "#[device]");
        self.text.lines().filter(ours).fold(String::new(), |text, line| text + line + "\n")
    }
}

impl Joined {
    /// Puts a translation into a namespace behind the others, and what it needs before them all.
    pub fn add(&mut self, translation: &Translation, space: &str) {
        for part in translation.support.split("\n\n").map(str::trim_end) {
            if self.parts.insert(part.to_owned()) {
                self.support.push_str(part);
                self.support.push_str("\n\n");
            }
        }
        write!(self.sources, "namespace {space} {{\n{}\n}}\n\n", translation.source).expect("text");
    }

    pub fn text(&self) -> String {
        format!("{}{}", self.support, self.sources)
    }
}

fn reasons(errors: &[syn::Error]) -> String {
    let all: Vec<String> = errors.iter().map(|error| format!("line {}: {error}", error.span().start().line)).collect();
    all.join("\n")
}

/// The text between two places, both included.
fn slice(text: &str, first: proc_macro2::Span, last: proc_macro2::Span) -> String {
    let offset = |place: proc_macro2::LineColumn| {
        let before: usize = text.split_inclusive('\n').take(place.line - 1).map(str::len).sum();
        before + place.column
    };
    text[offset(first.start())..offset(last.end())].to_owned()
}

fn described(
    name: &str,
    source: String,
    line: usize,
    references: &References,
    constants: &BTreeMap<String, Value>,
) -> Item {
    let written = |path: &syn::Path| quote::ToTokens::to_token_stream(path).to_string().replace(' ', "");
    let named = |paths: &[syn::Path]| paths.iter().map(|path| (written(path), written(path))).collect();
    let known = |path: &syn::Path| {
        let path = written(path);
        let value =
            constants.get(&path).unwrap_or_else(|| panic!("`{name}` names `{path}`, which is no constant here"));
        (path, value.clone())
    };
    Item {
        name: name.to_owned(),
        source,
        line,
        functions: named(&references.functions),
        structs: named(&references.structs),
        constants: references.constants.iter().map(known).collect(),
    }
}

/// The name and the value of a constant.
fn constant(item: &syn::Item) -> Option<(String, Value)> {
    let syn::Item::Const(constant) = item else { return None };
    Some((constant.ident.to_string(), value_of(&constant.expr, &constant.ty)))
}

fn value_of(expression: &syn::Expr, of: &syn::Type) -> Value {
    match (expression, of) {
        (syn::Expr::Array(array), syn::Type::Array(of)) => {
            let elements = array.elems.iter().map(|element| value_of(element, &of.elem)).collect();
            Value::Array(Type::Scalar(scalar_of(&of.elem)), elements)
        }
        (syn::Expr::Tuple(tuple), syn::Type::Tuple(of)) => {
            Value::Tuple(tuple.elems.iter().zip(&of.elems).map(|(part, of)| value_of(part, of)).collect())
        }
        (syn::Expr::Unary(negative), of) => {
            let Value::Scalar(scalar, bits) = value_of(&negative.expr, of) else { panic!("only numbers are negative") };
            Value::Scalar(
                scalar,
                match scalar {
                    Scalar::F32 => bits ^ 0x8000_0000,
                    Scalar::F64 => bits ^ 0x8000_0000_0000_0000,
                    Scalar::I32 => u128::from((bits as u32).wrapping_neg()),
                    _ => u128::from((bits as u64).wrapping_neg()),
                },
            )
        }
        (syn::Expr::Lit(literal), of) => {
            let scalar = scalar_of(of);
            let bits = match (&literal.lit, scalar) {
                (syn::Lit::Float(float), Scalar::F32) => {
                    u64::from(float.base10_parse::<f32>().expect("a number").to_bits())
                }
                (syn::Lit::Float(float), _) => float.base10_parse::<f64>().expect("a number").to_bits(),
                (syn::Lit::Int(integer), _) => integer.base10_parse::<u64>().expect("a number"),
                _ => panic!("constants are numbers"),
            };
            Value::Scalar(scalar, u128::from(bits))
        }
        _ => panic!("constants are numbers, arrays and tuples of literals"),
    }
}

fn scalar_of(written: &syn::Type) -> Scalar {
    const SCALARS: [Scalar; 7] =
        [Scalar::U8, Scalar::I32, Scalar::U32, Scalar::U64, Scalar::Usize, Scalar::F32, Scalar::F64];
    let syn::Type::Path(path) = written else { panic!("constants are of scalars") };
    *SCALARS.iter().find(|scalar| path.path.is_ident(&name_of(**scalar))).expect("a scalar that constants here are of")
}
