//! The kernels of a CUDA C text and their parameters, as far as they can be read without compiling it.

use super::tokens::{Tokens, split, tokens};
use super::type_names;
use crate::dtype::DType;
use std::collections::HashMap;

/// A text's kernels in their order, each name once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kernel {
    /// With the namespaces that it is in, such as `space::add`.
    pub name: String,
    /// The names of a template's parameters; none if it is none.
    template: Option<Vec<String>>,
    /// The tokens of each parameter; none if they cannot be known from the text: there are two kernels of this name, or a pack.
    parameters: Option<Vec<Vec<String>>>,
    /// Whether its body was met, and not only a declaration.
    is_defined: bool,
}

/// The kernels of a text, and what it, or an option, has given other names to.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernels {
    pub all: Vec<Kernel>,
    aliases: HashMap<String, Vec<String>>,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    /// As it stands in the text, such as `const double* in`.
    pub text: String,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An address of elements; `is_const` if the kernel cannot write to them.
    Pointer { element: Pointee, is_const: bool },
    /// A value of one of these types; none if the type is not known here.
    Value(Option<Vec<DType>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pointee {
    /// Elements of one of these types, each with how many lie in one value.
    Elements(Vec<(DType, usize)>),
    /// Other addresses.
    Addresses,
    /// `void`, or a type that is not known here.
    Anything,
}

impl Kernel {
    /// Whether it is a template: not a kernel until it is given arguments.
    pub fn is_template(&self) -> bool {
        self.template.is_some()
    }
}

impl Kernels {
    /// Reads a text. `options` are the compiler's, of which `-DNAME=value` counts.
    pub fn of(source: &str, options: &[String]) -> Kernels {
        let Tokens { all, macros } = tokens(source);
        let mut kernels = Kernels { all: Vec::new(), aliases: macros };
        for option in options {
            let defined = ["-D", "--define-macro="].iter().find_map(|prefix| option.strip_prefix(prefix));
            if let Some((name, value)) = defined.and_then(|defined| defined.split_once('=')) {
                kernels.aliases.insert(name.trim().to_owned(), split(value));
            }
        }
        Reader { tokens: &all, at: 0, scopes: Vec::new(), template: None }.read(&mut kernels);
        kernels
    }

    /// The names of kernels, for messages.
    pub fn names(&self) -> Vec<String> {
        self.all
            .iter()
            .map(|kernel| match &kernel.template {
                Some(parameters) => format!("{}<{}>", kernel.name, parameters.join(", ")),
                None => kernel.name.clone(),
            })
            .collect()
    }

    /// The kernel of this name, which may have a template's arguments.
    pub fn find(&self, name: &str) -> Option<&Kernel> {
        let base = name.split('<').next().unwrap_or(name).trim().trim_start_matches("::");
        self.all.iter().find(|kernel| kernel.name == base)
    }

    /// The parameters of a kernel by its name, such as `add` or `add<float>`, if they can be known from the text.
    pub fn parameters(&self, name: &str) -> Option<Vec<Parameter>> {
        let kernel = self.find(name)?;
        let mut aliases = self.aliases.clone();
        if let Some(names) = &kernel.template {
            let given = split(name);
            let open = given.iter().position(|token| token == "<").map_or(given.len(), |at| at + 1);
            let inside = &given[open..given.len().saturating_sub(1).max(open)];
            // What is not given is deduced or has a default: not known here.
            for (name, value) in names.iter().zip(commas(inside)) {
                aliases.insert(name.clone(), value);
            }
        }
        let parameters = kernel.parameters.as_ref()?;
        parameters.iter().map(|tokens| parameter(tokens, &aliases)).collect()
    }
}

struct Reader<'a> {
    tokens: &'a [String],
    at: usize,
    /// The open braces: the names of namespaces, and nothing for others.
    scopes: Vec<String>,
    /// The parameters of the template that the next declaration is.
    template: Option<Vec<String>>,
}

impl Reader<'_> {
    fn token(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn read(mut self, kernels: &mut Kernels) {
        while self.at < self.tokens.len() {
            match self.token(0) {
                "namespace" => {
                    let mut name = Vec::new();
                    self.at += 1;
                    while !matches!(self.token(0), "{" | ";" | "=" | "") {
                        name.push(self.token(0).to_owned());
                        self.at += 1;
                    }
                    if self.token(0) == "{" {
                        self.scopes.push(name.concat().replace("inline", ""));
                        self.at += 1;
                    }
                    continue;
                }
                "template" if self.token(1) == "<" => {
                    self.at += 2;
                    let inside = self.group("<", ">");
                    self.template = Some(commas(&inside).into_iter().filter_map(|one| declared(&one)).collect());
                    continue;
                }
                "typedef" => {
                    let statement = self.statement();
                    if let Some((name, value)) = statement.split_last()
                        && !value.iter().any(|token| matches!(token.as_str(), "{" | "(" | "["))
                    {
                        kernels.aliases.insert(name.clone(), value.to_vec());
                    }
                    continue;
                }
                "using" if self.token(2) == "=" => {
                    let statement = self.statement();
                    if self.template.take().is_none() {
                        kernels.aliases.insert(statement[0].clone(), statement[2..].to_vec());
                    }
                    continue;
                }
                "__global__" => {
                    self.at += 1;
                    self.kernel(kernels);
                    continue;
                }
                "{" => self.scopes.push(String::new()),
                "}" => {
                    self.scopes.pop();
                    self.template = None;
                }
                ";" => self.template = None,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The tokens behind the current one, up to the semicolon that ends its statement.
    fn statement(&mut self) -> Vec<String> {
        self.at += 1;
        let start = self.at;
        let mut depth = 0usize;
        while self.at < self.tokens.len() && (depth > 0 || self.token(0) != ";") {
            match self.token(0) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        self.tokens[start..self.at].to_vec()
    }

    /// What stands up to the sign that closes a group, the first sign of which was passed.
    fn group(&mut self, open: &str, close: &str) -> Vec<String> {
        let (start, mut depth) = (self.at, 1usize);
        while self.at < self.tokens.len() {
            let token = self.token(0);
            if token == open {
                depth += 1;
            } else if token == close {
                depth -= 1;
                if depth == 0 {
                    self.at += 1;
                    return self.tokens[start..self.at - 1].to_vec();
                }
            }
            self.at += 1;
        }
        self.tokens[start..].to_vec()
    }

    /// A kernel, behind `__global__`: words and attributes, the name, the parameters.
    fn kernel(&mut self, kernels: &mut Kernels) {
        let template = self.template.take();
        let mut name = String::new();
        loop {
            match self.token(0) {
                "(" if is_attribute(&name) => {
                    self.at += 1;
                    self.group("(", ")");
                    name.clear();
                }
                "(" => break,
                "" | ";" | "{" | "}" => return,
                word => {
                    name = word.to_owned();
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        let inside = self.group("(", ")");
        let is_name = name.starts_with(|c: char| c == '_' || c.is_alphabetic());
        if !is_name {
            return;
        }
        let scopes = self.scopes.iter().filter(|scope| !scope.is_empty());
        let name = scopes.cloned().chain([name]).collect::<Vec<String>>().join("::");
        let is_nothing = inside.is_empty() || inside == ["void"];
        let is_pack = inside.windows(3).any(|three| three == [".", ".", "."]);
        let listed = if is_nothing { Vec::new() } else { commas(&inside) };
        let parameters = (!is_pack).then_some(listed);
        let is_defined = self.token(0) == "{";
        match kernels.all.iter_mut().find(|known| known.name == name) {
            // The names in a declaration may be others.
            Some(known) if known.is_defined && !is_defined => {}
            Some(known) if !known.is_defined => *known = Kernel { name, template, parameters, is_defined },
            Some(known) if known.parameters != parameters => known.parameters = None,
            Some(_) => {}
            None => kernels.all.push(Kernel { name, template, parameters, is_defined }),
        }
    }
}

/// Whether brackets behind this word belong to it and not to a kernel of this name.
fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "__launch_bounds__"
            | "__attribute__"
            | "__align__"
            | "alignas"
            | "__declspec"
            | "__cluster_dims__"
            | "__block_size__"
            | "__maxnreg__"
    )
}

/// The parts between commas that stand in no brackets. Behind `=`, `<` compares.
fn commas(tokens: &[String]) -> Vec<Vec<String>> {
    let (mut parts, mut depth) = (vec![Vec::new()], 0i32);
    for token in tokens {
        let has_default = parts.last().is_some_and(|part: &Vec<String>| part.iter().any(|token| token == "="));
        match token.as_str() {
            "<" | ">" if has_default => {}
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth <= 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(token.clone());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The name that a template's parameter declares, such as `T` of `typename T = float`.
fn declared(tokens: &[String]) -> Option<String> {
    let end = tokens.iter().position(|token| token == "=").unwrap_or(tokens.len());
    tokens[..end].last().cloned()
}

/// What a parameter's tokens declare. None if that cannot be read, and so not counted either.
fn parameter(tokens: &[String], aliases: &HashMap<String, Vec<String>>) -> Option<Parameter> {
    let end = tokens.iter().position(|token| token == "=").unwrap_or(tokens.len());
    let text = written(&tokens[..end]);
    let declared = declarator(&tokens[..end], aliases, 0)?;
    let pointee = match (declared.pointers, declared.types()) {
        (0, types) => {
            let values =
                types.map(|types| types.into_iter().filter(|(_, lanes)| *lanes == 1).map(|(dtype, _)| dtype).collect());
            return Some(Parameter {
                text,
                kind: Kind::Value(values.filter(|values: &Vec<DType>| !values.is_empty())),
            });
        }
        (1, Some(types)) => Pointee::Elements(types),
        (1, None) => Pointee::Anything,
        _ => Pointee::Addresses,
    };
    Some(Parameter { text, kind: Kind::Pointer { element: pointee, is_const: declared.is_const } })
}

/// A type, as it stands behind a parameter.
#[derive(Debug, Default)]
struct Declarator {
    /// Those of the type itself, names with their namespaces and templates' arguments in one.
    words: Vec<String>,
    pointers: usize,
    /// Whether what the outermost pointer leads to cannot be written to.
    is_const: bool,
}

impl Declarator {
    fn types(&self) -> Option<Vec<(DType, usize)>> {
        type_names::of_c(&self.words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

fn declarator(tokens: &[String], aliases: &HashMap<String, Vec<String>>, depth: usize) -> Option<Declarator> {
    let words = without_attributes(tokens)?;
    // The last name is the parameter's if a type stands before it.
    let end = words.iter().position(|word| word == "[").unwrap_or(words.len());
    let brackets = words[end..].iter().filter(|word| *word == "[").count();
    let (mut before, mut found) = (words[..end].to_vec(), Declarator::default());
    let has_type = |words: &[String]| words.iter().any(|word| !matches!(word.as_str(), "const" | "*"));
    if let Some(last) = before.last()
        && last != "*"
        && last != "const"
        && !is_keyword(last)
        && has_type(&before[..before.len() - 1])
    {
        before.pop();
    }
    // Of each level whether it is const: the value itself, then the pointers from the inside outwards.
    let mut levels = vec![false];
    for word in before {
        match (word.as_str(), aliases.get(&word)) {
            ("*", _) => levels.push(false),
            ("const", _) => *levels.last_mut()? = true,
            (_, Some(meaning)) if meaning.is_empty() => {}
            (_, Some(meaning)) if depth < 8 && levels.len() == 1 => {
                let mut meaning = meaning.clone();
                // A name, so that no word of the type is taken for it.
                meaning.push("_".into());
                let inner = declarator(&meaning, aliases, depth + 1)?;
                found.words.extend(inner.words);
                if inner.pointers > 0 {
                    levels = vec![inner.is_const; inner.pointers];
                    levels.push(false);
                } else if inner.is_const {
                    levels[0] = true;
                }
            }
            _ if levels.len() == 1 => found.words.push(word),
            // A name behind pointers that is followed by another: nothing that is known here.
            _ => return None,
        }
    }
    if found.words.is_empty() {
        return None;
    }
    levels.extend(std::iter::repeat_n(false, brackets));
    found.pointers = levels.len() - 1;
    found.is_const = if found.pointers > 0 { levels[found.pointers - 1] } else { levels[0] };
    Some(found)
}

/// The words and signs of a declaration that count, with `a::b<c>` as one word; none for references and functions.
fn without_attributes(tokens: &[String]) -> Option<Vec<String>> {
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    let skip = |mut at: usize, open: &str, close: &str| {
        let mut depth = 0i32;
        while at < tokens.len() {
            depth += i32::from(tokens[at] == open) - i32::from(tokens[at] == close);
            at += 1;
            if depth == 0 {
                break;
            }
        }
        at
    };
    while at < tokens.len() {
        let token = tokens[at].as_str();
        match token {
            "__restrict__" | "__restrict" | "restrict" | "volatile" | "__grid_constant__" | "struct" | "class"
            | "enum" | "typename" | "register" => at += 1,
            word if is_attribute(word) => at = skip(at + 1, "(", ")"),
            "[" if tokens.get(at + 1).is_some_and(|next| next == "[") => at = skip(at, "[", "]"),
            "[" => {
                kept.push("[".into());
                at = skip(at, "[", "]");
            }
            "&" | "(" => return None,
            "::" => {
                let next = tokens.get(at + 1)?;
                match kept.last_mut() {
                    Some(last) if !matches!(last.as_str(), "const" | "*") => *last = format!("{last}::{next}"),
                    _ => kept.push(next.clone()),
                }
                at += 2;
            }
            "<" => {
                let end = skip(at, "<", ">");
                let last = kept.last_mut()?;
                *last += &tokens[at..end].concat();
                at = end;
            }
            _ => {
                kept.push(token.to_owned());
                at += 1;
            }
        }
    }
    Some(kept)
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "unsigned" | "signed" | "int" | "long" | "short" | "char" | "float" | "double" | "bool" | "void")
}

/// Tokens as one writes them in C.
fn written(tokens: &[String]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_word = |token: &str| token.starts_with(|c: char| c == '_' || c.is_alphanumeric());
        let before = at.checked_sub(1).map_or("", |at| tokens[at].as_str());
        if is_word(token) && (is_word(before) || matches!(before, "*" | "&" | ">" | "]")) {
            text.push(' ');
        }
        text += token;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn shown(source: &str, name: &str, options: &[&str]) -> String {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let Some(parameters) = Kernels::of(source, &options).parameters(name) else { return "unknown".into() };
        let one = |parameter: &Parameter| match &parameter.kind {
            Kind::Pointer { element, is_const } => {
                let to = match element {
                    Pointee::Elements(types) => format!("{types:?}"),
                    other => format!("{other:?}"),
                };
                format!("{} -> {}{to}", parameter.text, if *is_const { "const " } else { "" })
            }
            Kind::Value(types) => format!("{} = {types:?}", parameter.text),
        };
        parameters.iter().map(one).collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn the_parameters_of_a_lesson() {
        let source = "extern \"C\" __global__\n void mul(const double* in, double* out, const int Z, const int Y, \
                      const int X) {\n int x = blockDim.x * blockIdx.x + threadIdx.x; if (x < X) { out[x] = 1.; } }";
        expect![[r#"
            const double* in -> const [(f64, 1)]
            double* out -> [(f64, 1)]
            const int Z = Some([i32])
            const int Y = Some([i32])
            const int X = Some([i32])"#]]
        .assert_eq(&shown(source, "mul", &[]));
    }

    #[test]
    fn declarations_of_many_shapes() {
        let source = r#"
            // extern "C" __global__ void commented(int x) {}
            const char* text = "__global__ void quoted(int x)";
            typedef unsigned long long u64; typedef const float* readable; using real = double;
            #define COUNT long
            #define NOTHING
            struct Point { float x, y; };
            __global__ void __launch_bounds__(256, sizeof(int) == 4 ? 2 : 1)
            many(float const * __restrict__ a, float *b, const float * const * c, float **d, const void* e, Point* f,
                 readable g, real h, u64 i = 1 < 2, COUNT j, unsigned k, unsigned, std::size_t l, const volatile int m[],
                 thrust::complex<float>* n, __half *__restrict o, float4 *p, NOTHING struct Point q, float* const r, char s,
                 float2* t, const Point) {}
        "#;
        expect![[r#"
            float const* __restrict__ a -> const [(f32, 1)]
            float* b -> [(f32, 1)]
            const float* const* c -> const Addresses
            float** d -> Addresses
            const void* e -> const Anything
            Point* f -> Anything
            readable g -> const [(f32, 1)]
            real h = Some([f64])
            u64 i = Some([u64])
            COUNT j = Some([i64])
            unsigned k = Some([u32])
            unsigned = Some([u32])
            std::size_t l = Some([u64])
            const volatile int m[] -> const [(i32, 1)]
            thrust::complex<float>* n -> [(Complex<f32>, 1)]
            __half* __restrict o -> [(f16, 1)]
            float4* p -> [(f32, 4)]
            NOTHING struct Point q = None
            float* const r -> [(f32, 1)]
            char s = Some([i8, u8])
            float2* t -> [(Complex<f32>, 1), (f32, 2)]
            const Point = None"#]]
        .assert_eq(&shown(source, "many", &[]));
    }

    #[test]
    fn templates_get_their_arguments_and_options_count() {
        let source = "namespace a { namespace b { template <typename T, int N> __global__ void scale(T* x, \
                      const T by, int n) {} } }\n extern \"C\" { __global__ void plain(REAL* x, OTHER y) {} }";
        expect![[r#"
            T* x -> [(f32, 1)]
            const T by = Some([f32])
            int n = Some([i32])"#]]
        .assert_eq(&shown(source, "a::b::scale<float, 4>", &[]));
        expect![[r#"
            T* x -> [(u64, 1)]
            const T by = Some([u64])
            int n = Some([i32])"#]]
        .assert_eq(&shown(source, "a::b::scale<unsigned long long, 2 + 1>", &[]));
        expect![[r#"
            T* x -> Anything
            const T by = None
            int n = Some([i32])"#]]
        .assert_eq(&shown(source, "a::b::scale", &[]));
        expect![[r#"
            REAL* x -> [(f64, 1)]
            OTHER y = None"#]]
        .assert_eq(&shown(source, "plain", &["-DREAL=double", "--std=c++20"]));
        assert_eq!(Kernels::of(source, &[]).names(), ["a::b::scale<T, N>", "plain"]);
    }

    #[test]
    fn what_cannot_be_known() {
        assert_eq!(shown("__global__ void a(int x) {} __global__ void a(float x) {}", "a", &[]), "unknown");
        assert_eq!(shown("template <typename... A> __global__ void a(A... all) {}", "a<int>", &[]), "unknown");
        assert_eq!(shown("__global__ void a(const int& x) {}", "a", &[]), "unknown");
        assert_eq!(shown("__global__ void a() {}", "b", &[]), "unknown");
        assert_eq!(
            shown("__global__ void a(int); __global__ void a(int x) {} __global__ void a(int y);", "a", &[]),
            "int x = Some([i32])"
        );
        assert_eq!(shown("void __global__ a(void); void __global__ a(void) {}", "a", &[]), "");
        for broken in [
            "__global__",
            "__global__ void",
            "__global__ void a(",
            "template <",
            "typedef",
            "namespace",
            "} } __global__ (",
        ] {
            let kernels = Kernels::of(broken, &[]);
            assert!(kernels.all.len() < 2, "{broken}");
        }
    }
}
