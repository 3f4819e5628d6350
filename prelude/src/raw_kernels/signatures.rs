//! The kernels that a CUDA C text declares, read before it is compiled.
//!
//! This is not a parser of C++. It knows comments, strings, namespaces, and parameters of CUDA's own types. It does not know what
//! the text defines itself: types, macros, and the parameters of templates. Those are checked by their sizes, which the driver
//! reports, once the text is compiled.

use super::type_names;
use crate::dtype::DType;

/// A kernel as the text declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// With the namespaces that it is in, such as `space::add`.
    pub name: String,
    pub is_template: bool,
    /// None if they are not known: the kernel is a template, or the text has several kernels of this name.
    pub parameters: Option<Vec<CParameter>>,
    /// Whether the text has its body, and not only a declaration.
    is_defined: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CParameter {
    /// As it stands in the text, such as `const double* in`.
    pub text: String,
    pub c_type: CType,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CType {
    /// An address; `is_const` if the kernel cannot write through it.
    Pointer { to: Pointee, is_const: bool },
    /// A value of one of these types, the usual one first.
    Scalar(Vec<DType>),
    /// A type that is not known here. It may be another name of a pointer.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pointee {
    /// Elements of one of these types, each with the number of elements in one value.
    Elements(Vec<(DType, usize)>),
    /// Other addresses.
    Addresses,
    /// `void`, or a type that is not known here.
    Anything,
}

impl Signature {
    /// The name, for messages.
    pub fn shown(&self) -> String {
        if self.is_template { format!("{}<…>", self.name) } else { self.name.clone() }
    }
}

/// The kernels of a text, in their order, each name once.
pub(super) fn signatures(source: &str) -> Vec<Signature> {
    let tokens = tokens(source);
    let mut found: Vec<Signature> = Vec::new();
    // The open braces: names of namespaces, and empty names for others. And where the current statement begins.
    let (mut scopes, mut statement) = (Vec::new(), 0);
    let mut at = 0;
    while at < tokens.len() {
        at += 1;
        let before = &tokens[statement..at - 1];
        match tokens[at - 1] {
            "{" => {
                let namespace = before.iter().position(|token| *token == "namespace");
                scopes.push(namespace.map_or(String::new(), |at| before[at + 1..].concat()));
            }
            "}" => drop(scopes.pop()),
            ";" => {}
            "__global__" => {
                if let Some((name, inside, end)) = name_and_parameters(&tokens[at..]) {
                    let is_template = before.contains(&"template");
                    let scopes = scopes.iter().map(String::as_str).filter(|scope| !scope.is_empty());
                    let name = scopes.chain([name]).collect::<Vec<&str>>().join("::");
                    let parameters = if is_template { None } else { parameters(source, inside) };
                    at += end;
                    let is_defined = tokens.get(at) == Some(&"{");
                    add(&mut found, Signature { name, is_template, parameters, is_defined });
                }
                continue;
            }
            _ => continue,
        }
        statement = at;
    }
    found
}

/// Adds a kernel. It may be one that is known from a declaration, where its parameters may have other names.
fn add(found: &mut Vec<Signature>, new: Signature) {
    let types = |signature: &Signature| -> Option<Vec<CType>> {
        Some(signature.parameters.as_ref()?.iter().map(|parameter| parameter.c_type.clone()).collect())
    };
    match found.iter_mut().find(|known| known.name == new.name) {
        None => found.push(new),
        Some(known) if types(known) != types(&new) => known.parameters = None,
        Some(known) if new.is_defined => *known = new,
        Some(_) => {}
    }
}

/// The name of the kernel that is declared after `__global__`, the tokens between its parentheses, and the number of all tokens.
fn name_and_parameters<'a, 'b>(tokens: &'b [&'a str]) -> Option<(&'a str, &'b [&'a str], usize)> {
    let mut start = 0;
    loop {
        let open = start + tokens[start..].iter().position(|token| matches!(*token, "(" | ";" | "{" | "}"))?;
        let name = *tokens[..open].last().filter(|_| tokens[open] == "(")?;
        let mut depth = 0i32;
        let length = tokens[open..].iter().position(|token| {
            depth += i32::from(*token == "(") - i32::from(*token == ")");
            depth == 0
        })?;
        start = open + length + 1;
        // Attributes, such as `__launch_bounds__(256)`, stand before the name.
        let is_attribute = name.starts_with("__") && name.ends_with("__") || name == "alignas";
        if !is_attribute {
            return name.starts_with(is_word).then_some((name, &tokens[open + 1..start - 1], start));
        }
    }
}

/// The parameters between two parentheses; none if the commas between them cannot be found.
fn parameters(source: &str, tokens: &[&str]) -> Option<Vec<CParameter>> {
    if matches!(tokens, [] | ["void"]) {
        return Some(Vec::new());
    }
    let mut depth = 0i32;
    let is_comma = |token: &&str| {
        match *token {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == ","
    };
    let parts: Vec<&[&str]> = tokens.split(is_comma).collect();
    (depth == 0).then(|| parts.into_iter().map(|part| parameter(source, part)).collect())
}

fn parameter(source: &str, tokens: &[&str]) -> CParameter {
    let declared = tokens.split(|token| *token == "=").next().unwrap_or(tokens);
    // Tokens are slices of the source.
    let place = |token: &str| token.as_ptr() as usize - source.as_ptr() as usize;
    let text = match declared {
        [] => "",
        [first, ..] => &source[place(first)..declared.last().map_or(0, |last| place(last) + last.len())],
    };
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    CParameter { text, c_type: c_type(declared).unwrap_or(CType::Unknown) }
}

/// The type that a parameter's tokens declare; none if it is not known here.
fn c_type(tokens: &[&str]) -> Option<CType> {
    if tokens.iter().any(|token| matches!(*token, "&" | "(" | ".")) {
        return None;
    }
    let brackets = tokens.iter().position(|token| *token == "[").unwrap_or(tokens.len());
    // The value, then each pointer to it, from the inside outwards.
    let levels: Vec<&[&str]> = tokens[..brackets].split(|token| *token == "*").collect();
    let pointers = levels.len() - 1 + usize::from(brackets < tokens.len());
    let mut words = type_words(levels[0])?;
    if levels.len() == 1 && words.len() > 1 && !type_names::is_c_keyword(words[words.len() - 1]) {
        // The parameter's own name.
        words.pop();
    }
    let types = if words.is_empty() { None } else { type_names::of_c(&words) };
    let to = match (pointers, types) {
        (0, types) => {
            let values = types?.into_iter().filter(|(_, lanes)| *lanes == 1).map(|(dtype, _)| dtype);
            let values: Vec<DType> = values.collect();
            return (!values.is_empty()).then_some(CType::Scalar(values));
        }
        (1, Some(types)) => Pointee::Elements(types),
        (1, None) => Pointee::Anything,
        _ => Pointee::Addresses,
    };
    Some(CType::Pointer { to, is_const: levels[pointers - 1].contains(&"const") })
}

/// The words of a type, without qualifiers and namespaces; none for templates other than complex numbers.
fn type_words<'a>(mut tokens: &[&'a str]) -> Option<Vec<&'a str>> {
    let mut words = Vec::new();
    while let [first, rest @ ..] = tokens {
        tokens = rest;
        match *first {
            "const" | "volatile" | "restrict" | "__restrict__" | "__restrict" | "__grid_constant__" | "struct"
            | "class" | "enum" | "typename" | "register" => {}
            "::" => drop(words.pop()),
            "<" => {
                let complex = match (words.pop()?, rest) {
                    ("complex", ["float", ">", ..]) => "complex<float>",
                    ("complex", ["double", ">", ..]) => "complex<double>",
                    _ => return None,
                };
                words.push(complex);
                tokens = &rest[2..];
            }
            word => words.push(word),
        }
    }
    Some(words)
}

/// The words and signs of a text, without comments and directives. A string is one token.
fn tokens(source: &str) -> Vec<&str> {
    let (mut rest, mut tokens, mut is_line_start) = (source, Vec::new(), true);
    while let Some(first) = rest.chars().next() {
        let (is_token, length) = match first {
            _ if first.is_whitespace() => (false, first.len_utf8()),
            '/' if rest.starts_with("//") => (false, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => (false, rest[2..].find("*/").map_or(rest.len(), |at| at + 4)),
            '#' if is_line_start => (false, directive(rest)),
            '"' | '\'' => (true, quoted(rest, first)),
            ':' if rest.starts_with("::") => (true, 2),
            // In a number, `'` stands between digits.
            '0'..='9' => (true, rest.find(|c| !is_word(c) && c != '\'').unwrap_or(rest.len())),
            _ => (true, rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8())),
        };
        let (token, behind) = rest.split_at(length);
        if is_token {
            tokens.push(token);
        }
        is_line_start = (is_line_start || first == '\n') && !is_token;
        rest = behind;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The length of a directive, with the lines that continue it.
fn directive(text: &str) -> usize {
    let mut is_continued = true;
    let lines = text
        .split_inclusive('\n')
        .take_while(|line| std::mem::replace(&mut is_continued, line.trim_end().ends_with('\\')));
    lines.map(str::len).sum()
}

/// The length of a string or a character, with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// The kernels of a text, with a line for each parameter.
    fn shown(source: &str) -> String {
        let mut text = String::new();
        for signature in signatures(source) {
            text += &signature.shown();
            text += if signature.parameters.is_some() { ":\n" } else { ": unknown\n" };
            for CParameter { text: declared, c_type } in signature.parameters.unwrap_or_default() {
                text += &match c_type {
                    CType::Pointer { to: Pointee::Elements(types), is_const: true } => {
                        format!("  {declared} -> const {types:?}\n")
                    }
                    CType::Pointer { to: Pointee::Elements(types), is_const: false } => {
                        format!("  {declared} -> {types:?}\n")
                    }
                    other => format!("  {declared} = {other:?}\n"),
                };
            }
        }
        text
    }

    #[test]
    fn the_parameters_of_a_lesson() {
        let source = "extern \"C\" __global__\n void mul(const double* in, double* out, const int Z, const int Y, \
                      const int X) {\n int x = blockDim.x * blockIdx.x + threadIdx.x; if (x < X) { out[x] = 1.; } }";
        expect![[r#"
            mul:
              const double* in -> const [(f64, 1)]
              double* out -> [(f64, 1)]
              const int Z = Scalar([i32])
              const int Y = Scalar([i32])
              const int X = Scalar([i32])
        "#]]
        .assert_eq(&shown(source));
    }

    #[test]
    fn declarations_of_many_shapes() {
        let source = r#"
            // extern "C" __global__ void commented(int x)
            /* __global__ void commented(int x); */
            #define KERNEL(name) \
                __global__ void name(int x)
            const char* text = "__global__ void quoted(int x)"; char quote = '"'; int number = 1'000;
            typedef const float* readable; struct Point { float x, y; };
            __global__ void __launch_bounds__(256, sizeof(int) == 4 ? 2 : 1)
            many(float const * __restrict__ a, float *b, const float * const * c, float **d, const void* e, Point* f,
                 readable g, unsigned long long i = 1, unsigned k, unsigned, std::size_t l, const volatile int m[],
                 thrust::complex<float>* n, __half *__restrict o, float4 *p, NOTHING struct Point q, float* const r, char s,
                 float2* t, const Point, int /* why */ u, Pair<int, float*> v, const int& w, float x[2][3]) {}
        "#;
        expect![[r#"
            many:
              float const * __restrict__ a -> const [(f32, 1)]
              float *b -> [(f32, 1)]
              const float * const * c = Pointer { to: Addresses, is_const: true }
              float **d = Pointer { to: Addresses, is_const: false }
              const void* e = Pointer { to: Anything, is_const: true }
              Point* f = Pointer { to: Anything, is_const: false }
              readable g = Unknown
              unsigned long long i = Scalar([u64])
              unsigned k = Scalar([u32])
              unsigned = Scalar([u32])
              std::size_t l = Scalar([u64])
              const volatile int m[] -> const [(i32, 1)]
              thrust::complex<float>* n -> [(Complex<f32>, 1)]
              __half *__restrict o -> [(f16, 1)]
              float4 *p -> [(f32, 4)]
              NOTHING struct Point q = Unknown
              float* const r -> [(f32, 1)]
              char s = Scalar([i8, u8])
              float2* t -> [(Complex<f32>, 1), (f32, 2)]
              const Point = Unknown
              int /* why */ u = Scalar([i32])
              Pair<int, float*> v = Unknown
              const int& w = Unknown
              float x[2][3] -> [(f32, 1)]
        "#]]
        .assert_eq(&shown(source));
    }

    #[test]
    fn names_have_their_namespaces_and_templates_have_no_parameters() {
        let source = "namespace a { namespace b { template <typename T, int N> __global__ void scale(T* x, int n) {} }\n\
                      inline namespace c { __global__ void add(int* x) { if (*x) { *x = 1; } } } using namespace b; }\n\
                      extern \"C\" { __global__ void plain(REAL* x, OTHER y) {} }";
        expect![[r#"
            a::b::scale<…>: unknown
            a::c::add:
              int* x -> [(i32, 1)]
            plain:
              REAL* x = Pointer { to: Anything, is_const: false }
              OTHER y = Unknown
        "#]]
        .assert_eq(&shown(source));
    }

    #[test]
    fn what_cannot_be_known() {
        expect!["a: unknown\n"].assert_eq(&shown("__global__ void a(int x) {} __global__ void a(float x) {}"));
        expect!["a: unknown\n"].assert_eq(&shown("__global__ void a(int x = 1 < 2, int y) {}"));
        expect!["a:\n  int x = Scalar([i32])\n"]
            .assert_eq(&shown("__global__ void a(int); __global__ void a(int x) {} __global__ void a(int y);"));
        expect!["a:\n"].assert_eq(&shown("void __global__ a(void); void __global__ a(void) {}"));
        for broken in
            ["__global__", "__global__ void", "__global__ void a(", "template <", "namespace", "} } __global__ ("]
        {
            assert_eq!(shown(broken), "");
        }
        for open in ["/* open", "// open", "# open \\", "\"open", "'"] {
            assert!(tokens(open).len() < 2, "{open}");
        }
    }
}
