//! The types of the variables that a cell binds, which the compiler finds.
//!
//! evcxr asks rust-analyzer for the type of each new variable, before a cell is compiled, and writes it into the calls that store the
//! variable and take it again. The compiler finds these types in any case. So the kernel writes a name of its own for each type that
//! the cell does not write ([`with_names`]), and evcxr takes it for the type. The build step takes these names out of the cell. In the
//! calls it writes `_` for a name whose type is not known yet. A second compiler checks the same source at the same time, and writes
//! down how it understands the function of the cell (`-Zdump-mir`), with the whole paths of all types ([`found_in`]). From then on the
//! build step writes the type for the name ([`KnownTypes`]).

use super::messages::{self, Types};
use super::names::{Binding, bindings, stable};
use crate::files;
use crate::syntax::{blank, has_form, is_word, parse, plain, range_of, statements};
use anyhow::Result;
use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{Parse, SourceFile, SyntaxKind, SyntaxNode};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The prelude's name for `!`.
const NEVER: &str = "::warpcell::cell::Never";

/// The function in evcxr's code for the analysis, and the text behind its arguments, which are the stored variables.
const ANALYSIS: &str = "async fn evcxr_analysis_wrapper(";
const END_OF_ARGUMENTS: &str = ") -> Result<(), EvcxrUserCodeError> {";
/// The value of the function. The other two texts mean the same even if the cell defines `Result` or `Ok`.
const VALUE: &str = "Ok(())";
const OWN_END_OF_ARGUMENTS: &str = ") -> ::core::result::Result<(), EvcxrUserCodeError> {";
const OWN_VALUE: &str = "::core::result::Result::Ok(())";

/// How the names of types begin. The name of the variable and a number follow.
const NAME: &str = "WarpcellType_";
/// How the names of crates begin in what the compiler writes down. Without a name of their own their paths would begin with `_`.
pub const CRATE: &str = "warpcell_crate_";
/// Has the compiler write down the function of a cell, with whole paths.
pub const WRITES_DOWN: [&str; 2] = ["-Zdump-mir=run_user_code & built", "-Ztrim-diagnostic-paths=no"];

/// The calls that store new variables: as what they are, or for a cell that gives a name to two of them, as the last of both.
const PUT: &str = "put_variable::<";
const PUT_AS: &str = "put_variable_as::<";

/// A type that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KnownType {
    code: String,
    /// A hash of the notebook's definitions of the type, when its variable was defined.
    definitions: u64,
}

/// The types of a session, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTypes(BTreeMap<String, KnownType>);

impl KnownTypes {
    const FILE: &str = "types.json";

    /// Those that the build step has found.
    pub fn read(session: &Path) -> KnownTypes {
        messages::read(session, KnownTypes::FILE)
    }

    /// Keeps them for the next cell.
    pub fn write(&self, session: &Path) -> Result<()> {
        messages::write(session, KnownTypes::FILE, self)
    }

    /// Adds a type. `definitions` is a hash of the notebook's definitions of it.
    pub fn learn(&mut self, name: &str, code: &str, definitions: u64) {
        self.0.insert(name.to_owned(), KnownType { code: code.to_owned(), definitions });
    }

    /// Forgets the types that no variable has. Returns whether there were any. `types` are the types of all variables as evcxr knows
    /// them.
    pub fn keep<'a>(&mut self, types: impl Iterator<Item = &'a str>) -> bool {
        let before = self.0.len();
        let kept = types.filter_map(|name| Some((name.to_owned(), self.0.get(name)?.clone()))).collect();
        self.0 = kept;
        self.0.len() < before
    }

    /// The text with types in place of their names, as far as they are known.
    pub fn put_into<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replace_names(text, |_, name| Some(self.0.get(name)?.code.as_str()))
    }

    /// The hash of the notebook's definitions of a type, and the one to store with a variable of it, by `hash` of a type as code. A
    /// variable is stored before its type is known, with 0. So the second hash is 0 for such a type, until its definitions change.
    pub fn definitions(&self, type_name: &str, hash: impl FnOnce(&str) -> u64) -> (u64, u64) {
        if !type_name.starts_with(NAME) {
            let now = hash(type_name);
            return (now, now);
        }
        let Some(known) = self.0.get(type_name) else { return (0, 0) };
        let now = hash(&known.code);
        (now, if now == known.definitions { 0 } else { now })
    }
}

/// The text with other names, or types, in place of names. `by` gets what precedes a name, and the name.
fn replace_names<'a, 'b>(text: &'a str, by: impl Fn(&str, &str) -> Option<&'b str>) -> Cow<'a, str> {
    let mut result = String::new();
    let mut done = 0;
    for (start, _) in text.match_indices(NAME) {
        if start < done || text[..start].ends_with(is_word) {
            continue;
        }
        let length = text[start..].find(|character| !is_word(character)).unwrap_or(text.len() - start);
        if let Some(other) = by(&text[..start], &text[start..start + length]) {
            result.push_str(&text[done..start]);
            result.push_str(other);
            done = start + length;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    result.push_str(&text[done..]);
    Cow::Owned(result)
}

/// The text for the compiler, which finds the types that names are left for.
pub fn without_names(text: &str) -> Cow<'_, str> {
    // A type that is to be compared cannot be found there.
    replace_names(text, |before, _| Some(if before.ends_with(PUT_AS) { "()" } else { "_" }))
}

/// Whether the types that names are left for must be known for the library.
pub fn must_be_known(text: &str) -> bool {
    text.contains(&format!("{PUT_AS}{NAME}"))
}

/// The variables whose types are not known yet, with the names of the types.
pub fn open_in(text: &str) -> BTreeMap<String, String> {
    let calls = [PUT, PUT_AS].into_iter().flat_map(|call| text.split(call).skip(1));
    let stored = calls.filter(|rest| rest.starts_with(NAME)).filter_map(|rest| {
        let (name, rest) = rest.split_once(">(stringify!(")?;
        let (variable, _) = rest.split_once(')')?;
        Some((variable.to_owned(), name.trim_end_matches(", _").to_owned()))
    });
    stored.collect()
}

/// The types of variables in what the compiler has written down. `is_whole` says that the source has no errors.
pub fn found_in<'a>(folder: &Path, variables: impl Iterator<Item = &'a String>, is_whole: bool) -> Types {
    let mut paths: Vec<PathBuf> = files::paths_in(folder).collect();
    // In this order the variables of later statements come later.
    paths.sort_by_cached_key(|path| closures_in(path));
    let texts: Vec<(usize, String)> =
        paths.iter().filter_map(|path| Some((closures_in(path).len(), std::fs::read_to_string(path).ok()?))).collect();
    // The function, and what it calls for the cell or for each of its statements. Closures of the user have other variables.
    let functions = texts.iter().filter(|(depth, _)| *depth < 2);
    let mut found: Types = functions.flat_map(|(_, text)| defined_in(text)).collect();
    found.extend(texts.iter().flat_map(|(_, text)| stored_in(text)));
    // What comes after a `return` is not written down. It has no value either, so any type will do.
    let any = || is_whole.then(|| "()".to_owned());
    variables.filter_map(|variable| Some((variable.clone(), found.get(variable).cloned().or_else(any)?))).collect()
}

/// The numbers of the closures that a function is in, by the name of the compiler's file about it: `….run_user_code_-{closure#0}.….mir`.
fn closures_in(path: &Path) -> Vec<usize> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers = name.split('#').skip(1).map(|rest| rest.split('}').next().and_then(|number| number.parse().ok()));
    numbers.map(Option::unwrap_or_default).collect()
}

/// The types of the variables that one function defines. Its lines say, for a variable `x`:
///
/// ```text
/// let _2: std::vec::Vec<f32>;
///     debug x => _2;
/// ```
fn defined_in(function: &str) -> Types {
    let mut places: HashMap<&str, &str> = HashMap::new();
    let mut types = Types::new();
    for line in function.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("let ").and_then(|line| line.strip_suffix(';')) {
            places.extend(place.trim_start_matches("mut ").split_once(": "));
        } else if let Some(named) = line.strip_prefix("debug ").and_then(|line| line.strip_suffix(';'))
            && let Some((name, place)) = named.split_once(" => ")
            && let Some(its_type) = places.get(place)
        {
            // The last one is what later cells get.
            types.insert(name.to_owned(), its_type.replace(CRATE, ""));
        }
    }
    types
}

/// The types of the variables that one function stores, which may be others by the same names. Its lines say, for a variable `x`:
///
/// ```text
/// _8 = const "x";
/// _7 = &(*_8);
/// _5 = …::put_variable::<std::vec::Vec<f32>>(move _6, move _7, move _9) -> [return: bb2, unwind: bb4];
/// ```
fn stored_in(function: &str) -> Types {
    let (mut texts, mut same): (HashMap<&str, &str>, HashMap<&str, &str>) = (HashMap::new(), HashMap::new());
    let mut types = Types::new();
    for line in function.lines() {
        let Some((place, value)) = line.trim().trim_end_matches(';').split_once(" = ") else { continue };
        if let Some(text) = value.strip_prefix("const \"").and_then(|text| text.strip_suffix('"')) {
            texts.insert(place, text);
        } else if let Some(other) = value.strip_prefix("&(*").and_then(|other| other.strip_suffix(')')) {
            same.insert(place, other);
        } else if let Some((_, call)) = value.split_once(PUT)
            && let Some((call, _)) = call.split_once(") -> [")
            && let Some((type_name, arguments)) = call.rsplit_once(">(")
            && let Some(name) = arguments.split(", ").nth(1)
        {
            let name = name.trim_start_matches("move ").trim_start_matches("copy ");
            let name = texts.get(same.get(name).unwrap_or(&name));
            types.extend(name.map(|name| ((*name).to_owned(), type_name.replace(CRATE, ""))));
        }
    }
    types
}

/// A type that the compiler has found, as code.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundType {
    pub code: String,
    /// Whether the variable has this type only if the code says so: a function as a pointer to it.
    pub must_be_written: bool,
}

impl FoundType {
    /// `None` if it cannot be written.
    pub fn of(said: &str) -> Option<FoundType> {
        // A function has a type of its own: `fn(i32) -> i32 {name}`.
        let pointer = said.strip_suffix('}').and_then(|text| text.rsplit_once(" {")).map(|(pointer, _)| pointer);
        let pointer = pointer.filter(|pointer| pointer.contains("fn(") && is_type(pointer));
        let code = with_never_named(&stable(pointer.unwrap_or(said)));
        is_type(&code).then_some(FoundType { code, must_be_written: pointer.is_some() })
    }
}

/// evcxr's message about a variable that cannot be kept, since its type cannot be written.
pub fn not_kept(variable: &str, said: Option<&str>) -> String {
    match said {
        Some(said) if said.starts_with("{closure@") => {
            format!("The variable `{variable}` is a closure, which cannot be persisted.")
        }
        Some(said) => {
            format!("The variable `{variable}` has type `{}`, which cannot be persisted.", without_places(said))
        }
        None => {
            format!("Couldn't automatically determine type of variable `{variable}`.\nPlease give it an explicit type.")
        }
    }
}

/// A type without the places in files that the compiler writes behind what has no name: `{closure@src/lib.rs:1:2: 1:4}`.
fn without_places(said: &str) -> String {
    let mut parts = said.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (inner, rest) = part.split_once('}').unwrap_or((part, ""));
        let kind = inner.split('@').next().unwrap_or_default();
        text.push_str(&format!("{{{kind}}}{rest}"));
    }
    text
}

/// evcxr's code for the analysis, changed for the check.
pub fn for_analysis(source: &str) -> Cow<'_, str> {
    let source = with_static_references(source);
    let Some(function) = source.rfind(ANALYSIS) else { return source };
    let (items, function) = source.split_at(function);
    let Some((code, end)) = function.rsplit_once(VALUE) else { return source };
    let code = code.replacen(END_OF_ARGUMENTS, OWN_END_OF_ARGUMENTS, 1);
    Cow::Owned(format!("{items}{code}{OWN_VALUE}{end}"))
}

/// evcxr's code for the analysis, in which stored references are `'static`. It passes stored variables as arguments,
/// whose references would live only as long as the call.
fn with_static_references(source: &str) -> Cow<'_, str> {
    let arguments = source.rfind(ANALYSIS).map(|at| at + ANALYSIS.len()).and_then(|start| {
        let length = source[start..].find(END_OF_ARGUMENTS)?;
        Some(start..start + length)
    });
    let Some(arguments) = arguments.filter(|arguments| source[arguments.clone()].contains('&')) else {
        return Cow::Borrowed(source);
    };
    let before = "fn f(";
    let parsed = parse(&format!("{before}{}) {{}}", &source[arguments.clone()])).syntax_node();
    let mut result = source.to_owned();
    let references = parsed.descendants().filter_map(ast::RefType::cast);
    // References in a function's own arguments live as long as each call.
    let is_of_function = |kind| matches!(kind, SyntaxKind::FN_PTR_TYPE | SyntaxKind::PARENTHESIZED_ARG_LIST);
    let mut places: Vec<usize> = references
        .filter(|reference| reference.lifetime().is_none())
        .filter(|reference| !reference.syntax().ancestors().any(|node| is_of_function(node.kind())))
        .map(|reference| arguments.start + range_of(reference.syntax()).start - before.len() + 1)
        .collect();
    places.sort_unstable();
    places.into_iter().rev().for_each(|place| result.insert_str(place, "'static "));
    Cow::Owned(result)
}

/// The constant whose type is looked at.
const TYPED: &str = "const _: ";

fn parsed(type_name: &str) -> Parse<SourceFile> {
    parse(&format!("{TYPED}{type_name} = x;"))
}

/// A type in which `!` is replaced by a name, except as the result of a function. Stable code may not write it
/// elsewhere.
fn with_never_named(type_name: &str) -> String {
    let mut result = type_name.to_owned();
    if !type_name.contains('!') {
        return result;
    }
    let parsed = parsed(type_name).syntax_node();
    let is_returned = |node: &SyntaxNode| node.parent().is_some_and(|parent| ast::RetType::can_cast(parent.kind()));
    let nevers = parsed.descendants().filter(|node| ast::NeverType::can_cast(node.kind()) && !is_returned(node));
    let mut places: Vec<usize> = nevers.map(|node| range_of(&node).start - TYPED.len()).collect();
    places.reverse();
    places.into_iter().for_each(|place| result.replace_range(place..=place, NEVER));
    result
}

/// Whether this is a type as code has it: without closures, `impl Trait` and parts that the compiler left open.
pub fn is_type(type_name: &str) -> bool {
    let parsed = parsed(type_name);
    let has_no_name = |kind| matches!(kind, SyntaxKind::INFER_TYPE | SyntaxKind::IMPL_TRAIT_TYPE);
    parsed.errors().is_empty() && !parsed.syntax_node().descendants().any(|node| has_no_name(node.kind()))
}

/// A variable of a cell, by the last `let` that binds it: that is what later cells get.
struct Bound {
    name: String,
    is_mutable: bool,
    /// Whether its `let` says its whole type.
    has_type: bool,
    may_be_constant: bool,
    /// The end of the statement.
    end: usize,
}

/// The variables that a cell's statements bind.
fn bound(code: &str) -> Vec<Bound> {
    // Commands and shell lines are not Rust.
    let is_rust = |line: &&str| !line.starts_with(':') && !line.starts_with('!');
    let masked: String =
        code.split_inclusive('\n').map(|line| if is_rust(&line) { line.to_owned() } else { blank(line) }).collect();
    // Code behind an error may be anything. The compiler reports errors in the user's own text.
    if !has_form(&masked) {
        return Vec::new();
    }
    let mut found: Vec<Bound> = Vec::new();
    for (start, node) in statements(&masked) {
        let said = ast::LetStmt::cast(node.clone()).filter(|said| matches!(said.pat(), Some(ast::Pat::IdentPat(_))));
        // A constant does not fit all values.
        let is_whole = said.as_ref().is_some_and(|said| said.let_else().is_none());
        let has_type = said
            .and_then(|said| said.ty())
            .is_some_and(|said| said.syntax().descendants().all(|node| node.kind() != SyntaxKind::INFER_TYPE));
        let end = start + usize::from(node.text_range().len());
        for binding in bindings(&node) {
            let may_be_constant = !is_whole && binding.name.starts_with(char::is_uppercase);
            let Binding { name, is_mutable, .. } = binding;
            found.retain(|bound| bound.name != name);
            found.push(Bound { name, is_mutable, has_type, may_be_constant, end });
        }
    }
    found
}

/// A cell with a name for each type that it does not write, where evcxr looks for the type of a variable. Names that begin with a
/// capital letter may be those of constants in a pattern; they are left out if `constants` is false.
pub fn with_names(code: &str, constants: bool) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let mut result = code.to_owned();
    // From the back, so that places stay right.
    for bound in bound(code).into_iter().rev().filter(|bound| !bound.has_type && (constants || !bound.may_be_constant))
    {
        let Bound { name, is_mutable, end, .. } = bound;
        let mutable = if is_mutable { "mut " } else { "" };
        // The lines of the generated code are put in order, and the number must not decide about it.
        let type_name = format!("{NAME}{}_{:06}", plain(&name), COUNT.fetch_add(1, Ordering::Relaxed));
        result.insert_str(end, &format!(" let {mutable}{name}: {type_name} = {name};"));
    }
    result
}

/// evcxr's source without the `let`s of such names. Lines keep their numbers.
pub fn without_added_lets(source: &str) -> Cow<'_, str> {
    let mut result = String::new();
    let mut done = 0;
    for (at, _) in source.match_indices(NAME) {
        if let Some(added) = added_let(source, at) {
            result.push_str(&source[done..added.start]);
            done = added.end;
        }
    }
    if done == 0 {
        return Cow::Borrowed(source);
    }
    result.push_str(&source[done..]);
    Cow::Owned(result)
}

/// The `let` that [`with_names`] has written with the name at this place.
fn added_let(source: &str, at: usize) -> Option<Range<usize>> {
    let before = source[..at].strip_suffix(": ")?;
    let let_and = before.trim_end_matches(|character| is_word(character) || character == '#');
    let variable = &before[let_and.len()..];
    let start = let_and.strip_suffix("let mut ").or_else(|| let_and.strip_suffix("let "))?.len();
    let length = source[at..].find(|character| !is_word(character))?;
    let end = source[at + length..].strip_prefix(" = ")?.strip_prefix(variable)?.strip_prefix(';')?;
    Some(start..source.len() - end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_references_live_for_ever() {
        let source = |arguments: &str| {
            format!(
                "fn g(x: &str) {{}}\nasync fn evcxr_analysis_wrapper(\n{arguments}\n) -> Result<(), EvcxrUserCodeError> {{\n"
            )
        };
        let changed = |arguments: &str| with_static_references(&source(arguments)).into_owned();
        assert_eq!(
            changed("s: &str,\nmut t: (&[&u8], &'static str),"),
            source("s: &'static str,\nmut t: (&'static [&'static u8], &'static str),")
        );
        for same in ["f: Box<dyn Fn(&str) -> usize>,", "f: fn(&u8) -> &u8,", "x: i32,"] {
            assert_eq!(changed(same), source(same));
        }
    }

    #[test]
    fn types_without_a_name_are_told_apart() {
        for type_name in
            ["i32", "a::B<f64, c::D>", "&[u8]", "[f32; 4]", "(u8, Box<dyn Fn(i32) -> i32>)", "<a as b::C>::D"]
        {
            assert!(is_type(type_name), "{type_name}");
        }
        for type_name in ["_", "Vec<_>", "impl Iterator<Item = u8>", "{closure@src/lib.rs:1:2}", "Map<.., {integer}>"] {
            assert!(!is_type(type_name), "{type_name}");
        }
    }

    #[test]
    fn never_has_a_name_where_it_is_not_returned() {
        for (type_name, written) in [
            ("a::R<!, Box<dyn b::Any>>", "a::R<NEVER, Box<dyn b::Any>>"),
            ("!", "NEVER"),
            ("(!, fn(!) -> !, [!; 2])", "(NEVER, fn(NEVER) -> !, [NEVER; 2])"),
            ("Box<dyn Fn() -> !>", "Box<dyn Fn() -> !>"),
        ] {
            assert_eq!(with_never_named(type_name), written.replace("NEVER", NEVER));
            assert!(is_type(written), "{written}");
        }
    }

    /// A cell as evcxr gets it, with numbers of one digit in the names.
    fn named(code: &str, constants: bool) -> String {
        let text = with_names(code, constants);
        let mut parts = text.split(NAME);
        let mut result = parts.next().unwrap().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('_').unwrap();
            result.push_str(&format!("T_{name}{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit())));
        }
        result
    }

    #[test]
    fn each_variable_without_a_type_gets_a_name_for_it() {
        assert_eq!(named("let x = f(); x", false), "let x = f(); let x: T_x = x; x");
        assert_eq!(
            named("let (a, mut b) = f();\nlet mut c = g(a); // c", false),
            "let (a, mut b) = f(); let a: T_a = a; let mut b: T_b = b;\nlet mut c = g(a); let mut c: T_c = c; // c"
        );
        // What later cells get is the last variable of a name.
        assert_eq!(named("let x = 1; let x = f(x);", false), "let x = 1; let x = f(x); let x: T_x = x;");
        assert_eq!(
            named("let Some(x) = f() else {\n return };\n1", false),
            "let Some(x) = f() else {\n return }; let x: T_x = x;\n1"
        );
        assert_eq!(named("let v: Vec<_> = f();", false), "let v: Vec<_> = f(); let v: T_v = v;");
        assert_eq!(named("let N = 1;", false), "let N = 1; let N: T_N = N;");
        assert_eq!(named("let (N, M) = f();", true), "let (N, M) = f(); let N: T_N = N; let M: T_M = M;");
        for same in [
            "f(1); { let x = 1; }",
            "let x: Vec<u8> = f();",
            "let x = 1",
            "let (N, M) = f();",
            "let N = f() else { return };",
            ":dep a = \"1\"",
            "let x = ;",
        ] {
            assert_eq!(named(same, false), same);
        }
    }

    #[test]
    fn names_differ_and_are_ordered_as_their_variables() {
        let name = |variable: &str| {
            let text = with_names(&format!("let {variable} = 1;"), false);
            let start = text.find(NAME).unwrap();
            text[start..].split(' ').next().unwrap().to_owned()
        };
        let mut names: Vec<String> = ["b", "a", "b", "aa", "a"].map(name).into();
        names.sort();
        let variables = names.iter().map(|name| name[NAME.len()..].split('_').next().unwrap().to_owned());
        assert_eq!(variables.collect::<Vec<_>>(), ["a", "a", "aa", "b", "b"]);
        names.dedup();
        assert_eq!(names.len(), 5);
    }

    #[test]
    fn the_compiler_gets_the_cell_without_added_lines() {
        let cell = "let (a, mut b) = f(); // first\nlet c: u8 = 1; let r#d = 2; a + 1";
        let without: Vec<String> =
            without_added_lets(&with_names(cell, false)).split_whitespace().map(str::to_owned).collect();
        assert_eq!(without.join(" "), cell.replace('\n', " "));
        assert_eq!(without_added_lets(cell), cell);
        // evcxr writes each statement on a line of its own, with the comments before it, and items elsewhere.
        let by_evcxr = with_names("let x = 1;\nconst N: u8 = 1;\nlet mut y = 2;", false);
        let by_evcxr = by_evcxr.replace("; let", ";\n let").replace("const N: u8 = 1;\n", "");
        assert_eq!(without_added_lets(&by_evcxr), "let x = 1;\n \nlet mut y = 2;\n ");
        // What only looks like one stays.
        for same in ["let x: WarpcellType_x_1 = y;", "x: WarpcellType_x_1 = x;", "put::<WarpcellType_x_1>(x);"] {
            assert_eq!(without_added_lets(same), same);
        }
    }

    fn known(types: &[(&str, &str, u64)]) -> KnownTypes {
        let mut known = KnownTypes::default();
        types.iter().for_each(|(name, code, hash)| known.learn(&format!("{NAME}{name}"), code, *hash));
        known
    }

    #[test]
    fn types_take_the_place_of_their_names() {
        let text = format!(
            "s.check_variable::<{NAME}x_1>(stringify!(x));\ns.put_variable::<{NAME}y_2>(stringify!(y), y);\n\
             s.put_variable_as::<{NAME}y_2, _>(stringify!(y), y); My{NAME}x_1"
        );
        let written = known(&[("x_1", "Vec<u8>", 0)]).put_into(&text).into_owned();
        assert!(written.starts_with("s.check_variable::<Vec<u8>>(stringify!(x));\n"), "{written}");
        assert!(written.ends_with(&format!("My{NAME}x_1")), "not a name: {written}");
        assert_eq!(open_in(&written), BTreeMap::from([("y".to_owned(), format!("{NAME}y_2"))]));
        let hidden = format!("s.put_variable_as::<{NAME}z_3, _>(stringify!(z), z);");
        assert_eq!(open_in(&hidden), BTreeMap::from([("z".to_owned(), format!("{NAME}z_3"))]));
        assert!(must_be_known(&written));
        assert!(without_names(&written).contains("put_variable::<_>(stringify!(y), y);\ns.put_variable_as::<(), _>("));
        let all = known(&[("x_1", "Vec<u8>", 0), ("y_2", "u8", 0)]);
        let written = all.put_into(&text).into_owned();
        assert!(open_in(&written).is_empty() && !must_be_known(&written));
        assert_eq!(without_names("put_variable::<u8>(x)"), "put_variable::<u8>(x)");
    }

    #[test]
    fn a_type_counts_as_changed_when_its_definitions_are_others_than_when_it_was_found() {
        let types = known(&[("x_1", "P", 7), ("y_1", "u8", 0)]);
        let name = |name: &str| format!("{NAME}{name}");
        assert_eq!(types.definitions(&name("x_1"), |code| if code == "P" { 7 } else { 1 }), (7, 0));
        assert_eq!(types.definitions(&name("x_1"), |_| 8), (8, 8));
        assert_eq!(types.definitions(&name("y_1"), |_| 0), (0, 0));
        assert_eq!(types.definitions(&name("z_1"), |_| 9), (0, 0), "it is found with the cell");
        assert_eq!(types.definitions("P", |_| 7), (7, 7), "the cell writes it");
    }

    #[test]
    fn types_that_no_variable_has_are_forgotten() {
        let mut types = known(&[("x_1", "P", 7), ("y_1", "u8", 0)]);
        let used = [format!("{NAME}y_1"), "i32".to_owned()];
        assert!(types.keep(used.iter().map(String::as_str)));
        assert_eq!(types, known(&[("y_1", "u8", 0)]));
        assert!(!types.keep(used.iter().map(String::as_str)));
        let session = tempfile::tempdir().unwrap();
        types.write(session.path()).unwrap();
        assert_eq!(KnownTypes::read(session.path()), types);
    }

    #[test]
    fn types_are_read_from_what_the_compiler_writes_down() {
        let function = "fn run_user_code_::{closure#0}(_1: {closure@/s/build/lib.rs:9:3: 9:5}) -> () {\n\
            \x20   let mut _9: std::vec::Vec<f32>;\n\
            \x20   bb1: {\n\
            \x20       _6 = const \"unrelated\";\n\
            \x20       _8 = const \"total\";\n\
            \x20       _7 = &(*_8);\n\
            \x20       _9 = move _2;\n\
            \x20       _5 = warpcell_crate_warpcell::cell::VariableStore::put_variable::<std::vec::Vec<warpcell_crate_warpcell::DeviceArray<f32>>>\
            (move _6, move _7, move _9) -> [return: bb2, unwind: bb4];\n\
            \x20       _15 = const \"f\";\n\
            \x20       _12 = a::put_variable::<std::boxed::Box<dyn std::ops::Fn(&str) -> (u8, u8)>>(copy _6, copy _15, move _9) -> [return: bb3, unwind: bb4];\n\
            \x20       _13 = a::put_variable_as::<(), u8>(move _6, copy _15, move _9) -> [return: bb3, unwind: bb4];\n";
        let types = stored_in(function);
        assert_eq!(
            types.into_iter().collect::<Vec<_>>(),
            [
                ("f".to_owned(), "std::boxed::Box<dyn std::ops::Fn(&str) -> (u8, u8)>".to_owned()),
                ("total".to_owned(), "std::vec::Vec<warpcell::DeviceArray<f32>>".to_owned()),
            ]
        );
    }

    #[test]
    fn types_of_variables_that_are_not_stored_are_read_too() {
        let folder = tempfile::tempdir().unwrap();
        let found = |is_whole| {
            let names = ["x", "y", "z"].map(str::to_owned);
            found_in(folder.path(), names.iter(), is_whole).into_values().collect::<Vec<_>>()
        };
        assert!(found(false).is_empty(), "the compiler has not come so far");
        let function = "fn run_user_code_() -> () {\n    let mut _0: ();\n    let _1: warpcell_crate_warpcell::A;\n    scope 1 {\n\
            \x20       debug x => _1;\n        let mut _2: u8;\n        scope 2 {\n            debug x => _2;\n\
            \x20           let _3: i32;\n            scope 3 {\n                debug y => _3;\n            }\n        }\n    }\n\
            \x20   _8 = const \"y\";\n    _5 = a::put_variable::<f64>(move _6, copy _8, move _9) -> [return: bb2];\n";
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(format!("ctx.run_user_code_{name}.1-1-000.built.after.mir")), text)
                .unwrap();
        };
        write("", function);
        assert_eq!(found(true), ["u8", "f64", "()"]);
        assert_eq!(found(false), ["u8", "f64"]);
        // The closures of two statements, and one of the user's.
        let defines = |its_type: &str| format!("    let _1: {its_type};\n        debug x => _1;\n");
        write("-{closure#10}", &defines("late"));
        write("-{closure#9}", &defines("early"));
        write("-{closure#11}-{closure#0}", &defines("inner"));
        assert_eq!(found(false), ["late", "f64"]);
    }

    #[test]
    fn what_the_compiler_says_becomes_code() {
        let found = |said: &str| FoundType::of(said).map(|found| (found.code, found.must_be_written));
        let code = |code: &str, must_be_written| Some((code.to_owned(), must_be_written));
        assert_eq!(found("std::vec::Vec<f32>"), code("std::vec::Vec<f32>", false));
        assert_eq!(found("fn(i32) -> i32 {double}"), code("fn(i32) -> i32", true));
        assert_eq!(found("for<'a> fn(&'a str) -> &'a str {m::f}"), code("for<'a> fn(&'a str) -> &'a str", true));
        assert_eq!(found("std::sync::atomic::Atomic<u8>"), code("std::sync::atomic::AtomicU8", false));
        assert_eq!(found("!"), code(NEVER, false));
        for nameless in
            ["{closure@/s/lib.rs:1:2: 1:4}", "std::iter::Map<I, fn(i32) -> i32 {f}>", "impl Fn()", "{type error}"]
        {
            assert_eq!(found(nameless), None, "{nameless}");
        }
    }

    #[test]
    fn a_variable_that_cannot_be_kept_is_named() {
        assert!(not_kept("f", Some("{closure@/s/lib.rs:1:2: 1:4}")).starts_with("The variable `f` is a closure"));
        assert_eq!(
            not_kept("x", Some("M<{closure@/s/a.rs:1:2: 1:4}, u8, {closure@/s/b.rs:1:2: 1:4}>")),
            "The variable `x` has type `M<{closure}, u8, {closure}>`, which cannot be persisted."
        );
        assert!(not_kept("f", Some("{async block@/s/a.rs:1:2: 1:4}")).contains("type `{async block}`"));
        assert!(not_kept("y", None).starts_with("Couldn't automatically determine type of variable `y`"));
    }
}
