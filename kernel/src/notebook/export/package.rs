//! The functions of a notebook as a Python package: a wheel with one library, which any Python of this system can install.
//!
//! Of the notebook's cells the items are taken that the functions need, and no statement. The library is that of `warpcell function`, with several
//! functions and for any processor; the prelude and Rust's standard library are beside it. What calls it is the code of the package
//! `warpcell` itself.

use super::cells::{self, Cells, CodeCell, Part, ProgramCell};
use super::check::{corrected_items, line_of};
use super::items::Items;
use super::libraries;
use super::manifest::crates_in;
use super::stubs::{is_keyword, literal, stubs};
use super::wheel::{self, Description, Entry, Libraries};
use crate::build_step::{CompilerMessage, library};
use crate::evaluator::CellError;
use crate::functions::source::{Found, find_all, functions_in, with_glue};
use crate::functions::{refused, set_up};
use crate::installation::Installation;
use crate::notebook::{Finding, has_tag, language, plain, source};
use crate::printing::{errln, outln};
use anyhow::{Result, bail};
use nbformat::v4::{Cell, Notebook};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The tag of cells whose functions a package has.
const EXPORT: &str = "export";
/// What a cell of a Python notebook begins with, and the option that names functions.
const RUST: &str = "%%rust";
const OPTION: &str = "--export";
/// The module of a package that calls its library.
const CALLS: &str = "_warpcell";
/// The file of the library.
const LIBRARY: &str = "_functions.so";
/// The source, which errors show lines of.
const SOURCE: &str = "functions.rs";
/// The modules of the package `warpcell` that a package has copies of.
const MODULES: [(&str, &str); 4] = [
    ("calls.py", include_str!("../../../python/warpcell/calls.py")),
    ("errors.py", include_str!("../../../python/warpcell/errors.py")),
    ("libraries.py", include_str!("../../../python/warpcell/libraries.py")),
    ("packaged.py", include_str!("../../../python/warpcell/packaged.py")),
];

/// Packages that one of the same name would hide.
const PACKAGES: [&str; 4] = ["warpcell", "numpy", "cupy", "torch"];
/// Python's own modules, which one of the same name would not be found behind: `sys.stdlib_module_names` of Python 3.11, and what 3.14 adds.
const STANDARD: &str = include_str!("standard_modules.txt");
/// Names that the modules and the stubs of a package have themselves.
const OWN: [&str; 14] = [
    "RustError",
    "synchronize",
    "numpy",
    "overload",
    "Any",
    "Union",
    "Sequence",
    "Protocol",
    "bool",
    "complex",
    "float",
    "int",
    "list",
    "tuple",
];

/// The package that is wanted.
pub struct Wanted<'a> {
    pub name: &'a str,
    pub version: &'a str,
    /// Where the wheel is written.
    pub folder: &'a Path,
}

/// Makes the package. The status is that of a failure, and nothing is written, if a function cannot be one of Python's.
pub fn export(notebook: &Notebook, path: &Path, wanted: &Wanted<'_>) -> Result<ExitCode> {
    check_names(wanted)?;
    let refuse = |findings: &[Finding], more: &str| {
        super::report(notebook, findings);
        errln!("{more}Nothing was written. Correct these cells.");
        Ok(ExitCode::FAILURE)
    };
    let installation = set_up()?;
    let carried: BTreeSet<&str> = installation.record.prelude.externs.iter().map(|(name, _)| name.as_str()).collect();
    let mut functions = match read(notebook, &path.file_name().unwrap_or_default().to_string_lossy(), &carried) {
        Ok(functions) => functions,
        Err(findings) => return refuse(&findings, ""),
    };
    if functions.names.is_empty() {
        bail!(
            "no cell of the notebook has a function for Python; give the tag `{EXPORT}` to the cells with the functions, or in a Python notebook \
             begin these cells with `{RUST} {OPTION} NAME`"
        );
    }
    let made = match find_all(&functions.text, &functions.names) {
        Ok(made) => made,
        Err(wrong) => {
            let findings = wrong.into_iter().map(|(number, text)| Finding { cell: functions.cells[number], text });
            return refuse(&findings.collect::<Vec<_>>(), "");
        }
    };
    functions.text = corrected_items(&functions.text, &functions.lines, &installation)?;
    // The places of heads have moved.
    let made = find_all(&functions.text, &functions.names).unwrap_or(made);
    let written = with_glue(&functions.text, &made);
    let library = match library::portable(&installation, &functions.text, &written)? {
        Ok(library) => library,
        Err(messages) => {
            let CellError { traceback, .. } = refused(&functions.text, &written, &messages, &made);
            let said = traceback.join("\n");
            let said = if std::io::stderr().is_terminal() { said } else { plain(&said) };
            return refuse(&functions.findings(&messages), &format!("{said}\n"));
        }
    };
    let prelude = &installation.record.prelude;
    let places = places(&installation);
    let toolchain = &installation.record.toolchain;
    let libraries = Libraries::of(LIBRARY, library, &installation.prelude(), &prelude.identity, toolchain, &places)?;
    let tag = libraries.tag();
    let title = format!("Functions in Rust: {}.", functions.names.join(", "));
    let mut entries = texts(wanted, &title, &functions, &made);
    let files = libraries.files.into_iter();
    entries.extend(files.map(|(name, contents)| Entry { path: format!("{}/{name}", wanted.name), contents }));
    let description = Description {
        name: &distribution(wanted.name),
        version: wanted.version,
        summary: &title,
        text: &page(wanted.name, &functions.text, &made),
    };
    let wheel = wheel::write(wanted.folder, &description, &tag, entries)?;
    let count = made.len();
    outln!(
        "Wrote {count} function{} to {}\n`pip install` installs it on Linux with x86-64 processors. `import {}` needs NumPy, and neither Rust nor \
         Warpcell.",
        if count == 1 { "" } else { "s" },
        wheel.display(),
        wanted.name
    );
    Ok(ExitCode::SUCCESS)
}

fn check_names(wanted: &Wanted<'_>) -> Result<()> {
    let Wanted { name, version, .. } = wanted;
    let proper = proper_name(name);
    if proper != *name {
        let why = match is_taken(name) {
            true => "is a word of Python's, or the name of another package or of a module of Python's",
            false => {
                "is no name for a package: it has letters from a to z, digits and `_`, and a letter at its beginning"
            }
        };
        bail!("`{name}` {why}; write --python {proper}");
    }
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    if !version.split('.').all(is_number) {
        bail!("`{version}` is no version: it has numbers with dots between them; write --package-version 0.1.0");
    }
    Ok(())
}

fn is_taken(name: &str) -> bool {
    is_keyword(name)
        || PACKAGES.contains(&name.to_ascii_lowercase().as_str())
        || STANDARD.lines().any(|own| own == name)
}

/// A name of a package that is as near to another text as can be: that text, if it is one.
fn proper_name(name: &str) -> String {
    let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(letters).collect();
    let name = name.trim_matches('_');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match (begins && !is_taken(name), name) {
        (true, name) => name.to_owned(),
        (false, "") => "functions".to_owned(),
        (false, name) => format!("functions_{name}"),
    }
}

/// The name that pip knows a package by: small letters, and one `_` between words.
fn distribution(name: &str) -> String {
    name.to_ascii_lowercase().split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// Places of this machine, which a package does not name. One that is below another one comes first.
fn places(installation: &Installation) -> Vec<PathBuf> {
    let variables = ["HOME", "CARGO_HOME", "RUSTUP_HOME"].iter().filter_map(std::env::var_os);
    // Without a slash at the end.
    let variables = variables.map(|text| Path::new(&text).components().collect());
    let own = [installation.home.clone(), installation.record.toolchain.clone()];
    let mut all: Vec<PathBuf> = own.into_iter().chain(variables).collect();
    all.retain(|place| place.is_absolute() && place.components().count() > 1);
    all.sort_by_key(|place| std::cmp::Reverse(place.as_os_str().len()));
    all
}

/// The functions of a notebook.
#[derive(Debug, Default)]
struct Functions {
    /// The items that they need.
    text: String,
    /// Those that are exported, and the cell of each.
    names: Vec<String>,
    cells: Vec<usize>,
    /// Where the items of cells begin: lines, and the cells.
    lines: Vec<(usize, usize)>,
    /// Cells of which nothing is in the package, because something is wrong with them.
    left_out: Vec<Finding>,
}

impl Functions {
    /// The cells with what the compiler refuses, behind those that are not there.
    fn findings(&self, messages: &str) -> Vec<Finding> {
        let errors = CompilerMessage::own_errors(messages);
        let refused = errors.filter_map(|message| {
            let cell = self.cell_at(line_of(&message, "lib.rs")?)?;
            Some(Finding { cell, text: format!("the compiler refuses it in the package: {}", message.text()) })
        });
        let mut found = self.left_out.clone();
        refused.for_each(|finding| {
            if !found.contains(&finding) {
                found.push(finding);
            }
        });
        found
    }

    /// The cell of a line. Behind the text is a line for each function.
    fn cell_at(&self, line: usize) -> Option<usize> {
        let behind = self.text.matches('\n').count() + 2;
        match line.checked_sub(behind) {
            Some(number) => self.cells.get(number).copied(),
            None => self.lines.iter().rfind(|(start, _)| *start <= line).map(|(_, cell)| *cell),
        }
    }
}

/// The functions of a notebook, or what keeps cells that have some from being exported. `carried` are the crates that code can name.
fn read(notebook: &Notebook, title: &str, carried: &BTreeSet<&str>) -> Result<Functions, Vec<Finding>> {
    let Cells { cells, dependencies, findings: mut left_out } = cells::read(notebook);
    let mut findings = Vec::new();
    let mut names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for cell in &cells {
        let Some(wanted) = notebook.cells.get(cell.index).and_then(exported) else { continue };
        let mut find = |text: String| findings.push(Finding { cell: cell.index, text });
        match &cell.part {
            Part::Code(code) => {
                let all: Vec<String> = code.items.iter().flat_map(|item| functions_in(item)).collect();
                match wanted.iter().find(|name| !all.contains(name)) {
                    Some(missing) => find(format!("it has no function `{missing}`")),
                    None if all.is_empty() => find(format!("it has no function; remove the tag `{EXPORT}`")),
                    None => {}
                }
                names.insert(cell.index, if wanted.is_empty() { all } else { wanted });
            }
            Part::LeftOut { reason, .. } => find(reason.clone()),
            Part::Text(_) => {}
        }
    }
    // Items only: what statements do is not the package's.
    let with_items: Vec<(usize, String, CodeCell)> = cells.iter().filter_map(without_statements).collect();
    let mut items = Items::of(with_items.iter().map(|(index, _, code)| (*index, code)));
    let libraries = dependencies.keys().map(|name| name.replace('-', "_"));
    let missing: BTreeSet<String> = libraries.filter(|name| !carried.contains(name.as_str())).collect();
    items.keep(&names.values().flatten().cloned().collect::<Vec<_>>(), &missing);
    // Other cells of a Python notebook are Python.
    let is_python = language(notebook).is_some_and(|name| name.eq_ignore_ascii_case("python"));
    let is_rust = |cell: &Cell| !is_python || source(cell).starts_with(RUST);
    let is_gone = |cell: usize| cells.iter().any(|one| one.index == cell && matches!(one.part, Part::LeftOut { .. }));
    left_out.retain(|finding| notebook.cells.get(finding.cell).is_some_and(is_rust) && is_gone(finding.cell));
    let text = format!("// The functions of the notebook `{title}`.\n");
    let mut functions = Functions { text, left_out, ..Functions::default() };
    for (index, name, _) in &with_items {
        let own: Vec<&str> = items.at_root(*index).collect();
        if !own.is_empty() {
            functions.lines.push((functions.text.matches('\n').count() + 1, *index));
            let _ = write!(functions.text, "\n// Cell {name}\n{}\n", own.join("\n\n"));
        }
        let named: BTreeSet<String> = own.iter().flat_map(|item| crates_in(item)).collect();
        for name in named.intersection(&missing) {
            let text = format!(
                "it uses the crate `{name}` of `:dep`, which a package does not have; write it without this crate, or export a program by `--to`"
            );
            findings.push(Finding { cell: *index, text });
        }
        let defined: Vec<String> = own.iter().flat_map(|item| functions_in(item)).collect();
        for name in names.remove(index).into_iter().flatten() {
            if !defined.contains(&name) {
                let text =
                    format!("a later cell defines `{name}` again; give that cell the tag `{EXPORT}`, and not this one");
                findings.push(Finding { cell: *index, text });
            }
            if is_keyword(&name) || OWN.contains(&name.as_str()) {
                let text = format!(
                    "a function of a package cannot be called `{name}`; give it another name, such as `{name}_of`"
                );
                findings.push(Finding { cell: *index, text });
            }
            functions.names.push(name);
            functions.cells.push(*index);
        }
    }
    findings.sort_by_key(|finding| finding.cell);
    if findings.is_empty() { Ok(functions) } else { Err(findings) }
}

fn without_statements(cell: &ProgramCell) -> Option<(usize, String, CodeCell)> {
    let code = cell.code()?;
    let items = CodeCell { items: code.items.clone(), clears: code.clears, ..CodeCell::default() };
    Some((cell.index, cell.name(), items))
}

/// The names of the functions that a cell exports; an empty list stands for all. None if it exports nothing.
fn exported(cell: &Cell) -> Option<Vec<String>> {
    let text = source(cell);
    let line = text.strip_prefix(RUST).and_then(|rest| rest.lines().next());
    let mut words = line.into_iter().flat_map(str::split_whitespace);
    let named = words.find_map(|word| match word.strip_prefix(OPTION) {
        Some("") => Some(None),
        Some(rest) => rest.strip_prefix('=').map(Some),
        None => None,
    });
    match named {
        Some(given) => {
            let list = given.or_else(|| words.next()).unwrap_or_default();
            Some(list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
        }
        None => has_tag(cell, EXPORT).then(Vec::new),
    }
}

/// The files of a package that are text.
fn texts(wanted: &Wanted<'_>, title: &str, functions: &Functions, made: &[Found]) -> Vec<Entry> {
    let name = wanted.name;
    let mut module = format!(
        "\"\"\"{title}\n\nWritten by Warpcell {}. The source is in {SOURCE}.\n\"\"\"\n\n\
         from .{CALLS}.calls import synchronize\nfrom .{CALLS}.errors import RustError\n\
         from .{CALLS}.packaged import PackagedFunction as _PackagedFunction\n\n__version__ = {}\n\n",
        env!("CARGO_PKG_VERSION"),
        literal(wanted.version)
    );
    let list =
        |texts: &mut dyn Iterator<Item = &str>| format!("[{}]", texts.map(literal).collect::<Vec<_>>().join(", "));
    for (number, function) in made.iter().enumerate() {
        let Found { name, signature, documentation, types, .. } = function;
        let _ = writeln!(
            module,
            "{name} = _PackagedFunction(__name__, {number}, {}, {}, {}, {})",
            literal(name),
            literal(signature),
            literal(documentation),
            list(&mut types.iter().map(|(name, _)| name.as_str()))
        );
    }
    let mut names = made.iter().map(|function| function.name.as_str()).chain(["RustError", "synchronize"]);
    let _ = write!(module, "\n__all__ = {}\n", list(&mut names));
    let mut entries = vec![
        Entry::text(format!("{name}/__init__.py"), module),
        Entry::text(format!("{name}/__init__.pyi"), stubs(title, made)),
        Entry::text(format!("{name}/py.typed"), ""),
        Entry::text(format!("{name}/{SOURCE}"), functions.text.as_str()),
        Entry::text(
            format!("{name}/{CALLS}/__init__.py"),
            "\"\"\"What calls functions in Rust: a part of Warpcell.\"\"\"\n",
        ),
    ];
    entries.extend(MODULES.map(|(file, text)| Entry::text(format!("{name}/{CALLS}/{file}"), text)));
    entries
}

/// The page about a package, which pip and package indices show.
fn page(name: &str, source: &str, made: &[Found]) -> String {
    let mut text = format!("# {name}\n");
    for function in made {
        let Found { name, signature, documentation, .. } = function;
        let _ = write!(text, "\n## {name}\n\n```rust\n{signature}\n```\n");
        if !documentation.is_empty() {
            let _ = write!(text, "\n{documentation}\n");
        }
    }
    let _ = write!(
        text,
        "\nArrays of NumPy, CuPy and PyTorch are passed to Rust without a copy, and results are arrays of the same library. A panic is a \
         `{name}.RustError`. On the CPU nothing but NumPy is needed. On a GPU of NVIDIA's, arrays of CuPy and PyTorch need the driver and these \
         libraries of CUDA:\n\n{}",
        libraries::table(&libraries::needed(source, false))
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::export::tests::notebook;
    use serde_json::json;

    fn tagged() -> serde_json::Value {
        json!({"metadata": {"tags": ["export"]}})
    }

    fn read_all(notebook: &Notebook) -> Result<Functions, Vec<Finding>> {
        read(notebook, "a.ipynb", &BTreeSet::from(["ndarray", "warpcell"]))
    }

    #[test]
    fn the_functions_of_tagged_cells_are_taken_with_what_they_need() {
        let notebook = notebook(
            "rust",
            &[
                (
                    "code",
                    ":dep ndarray\n:dep itoa\nuse ndarray::arr1;\nuse itoa::Buffer;\nfn digits(b: Buffer) {}",
                    json!({}),
                ),
                ("code", "#[device]\nfn g(x: f32) -> f32 { x.half() }\nlet a = 1;", json!({})),
                (
                    "code",
                    "trait Half { fn half(self) -> Self; }\nimpl Half for f32 { fn half(self) -> f32 { self / 2.0 } }",
                    json!({}),
                ),
                ("code", "/// Twice.\n#[vectorize]\nfn f(x: f32) -> f32 { 2.0 * g(Half::half(x)) }\nf_of(a)", tagged()),
                ("code", "fn old() {}\nimpl Clone for S { fn clone(&self) -> S { S } }\nstruct S;", json!({})),
                ("code", "fn old(n: i32) -> i32 { n }\n\nfn none() {}", tagged()),
            ],
        );
        let functions = read_all(&notebook).unwrap();
        assert_eq!((functions.names.join(" "), &functions.cells[..]), ("f old none".to_owned(), &[3, 5, 5][..]));
        expect_test::expect![[r#"
            // The functions of the notebook `a.ipynb`.

            // Cell 1
            use ndarray::arr1;

            // Cell 2
            #[device]
            fn g(x: f32) -> f32 { x.half() }

            // Cell 3
            trait Half { fn half(self) -> Self; }

            impl Half for f32 { fn half(self) -> f32 { self / 2.0 } }

            // Cell 4
            /// Twice.
            #[vectorize]
            fn f(x: f32) -> f32 { 2.0 * g(Half::half(x)) }

            // Cell 6
            fn old(n: i32) -> i32 { n }

            fn none() {}
        "#]]
        .assert_eq(&functions.text);
        let line = |text: &str| 1 + functions.text[..functions.text.find(text).unwrap()].matches('\n').count();
        let last = functions.text.matches('\n').count() + 1;
        let places = [line("fn g"), line("#[vectorize]"), line("fn none"), last + 1, last + 3, last + 4];
        assert_eq!(places.map(|line| functions.cell_at(line)), [Some(1), Some(3), Some(5), Some(3), Some(5), None]);
    }

    #[test]
    fn crates_that_a_package_does_not_have_are_named() {
        let notebook = notebook(
            "rust",
            &[
                ("code", ":dep itoa\nuse itoa::Buffer;", json!({})),
                ("code", "fn f(n: i32) -> usize { Buffer::new().format(n).len() }", tagged()),
                ("code", "fn g(n: i32) -> usize { itoa::Buffer::new().format(n).len() }", tagged()),
            ],
        );
        let findings = read_all(&notebook).unwrap_err();
        assert_eq!(findings.iter().map(|finding| finding.cell).collect::<Vec<_>>(), [0, 2]);
        assert!(findings[0].text.starts_with("it uses the crate `itoa` of `:dep`"), "{findings:?}");
    }

    #[test]
    fn cells_of_python_notebooks_name_their_functions() {
        let notebook = notebook(
            "python",
            &[
                ("code", "import numpy", json!({})),
                ("code", "%%rust --export f,g\nfn f() {}\nfn g() {}\nfn h() {}", json!({})),
                ("code", "%%rust --export=one\nfn one() -> i32 { 1 }", json!({})),
                ("code", "%%rust\nfn other() {}", json!({})),
            ],
        );
        assert_eq!(read_all(&notebook).unwrap().names, ["f", "g", "one"]);
    }

    #[test]
    fn what_cannot_be_exported_is_named_with_its_cell() {
        let failed = json!({"metadata": {"tags": ["export"]},
            "outputs": [{"output_type": "error", "ename": "Panic", "evalue": "no", "traceback": []}]});
        let notebook = notebook(
            "rust",
            &[
                ("code", "fn f() {}", tagged()),
                ("code", "fn f() -> i32 { 1 }", json!({})),
                ("code", "let a = 1;", tagged()),
                ("code", "fn g() {}", failed),
            ],
        );
        let findings = read_all(&notebook).unwrap_err();
        let shown: Vec<String> =
            findings.iter().map(|finding| format!("{}: {}", finding.cell + 1, finding.text)).collect();
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(shown[0].starts_with("1: a later cell defines `f` again"), "{shown:?}");
        assert!(shown[1].starts_with("3: it has no function;"), "{shown:?}");
        assert!(shown[2].starts_with("4: it has failed (Panic: no)"), "{shown:?}");
    }

    #[test]
    fn functions_have_names_that_python_takes() {
        let text = "fn lambda() {}\nfn synchronize() {}\nfn f() {}";
        let findings = read_all(&notebook("rust", &[("code", text, tagged())])).unwrap_err();
        assert_eq!(findings.len(), 2);
        assert!(findings[0].text.ends_with("cannot be called `lambda`; give it another name, such as `lambda_of`"));
    }

    #[test]
    fn names_are_those_of_packages() {
        let folder = Path::new(".");
        let wrong = |name, version| check_names(&Wanted { name, version, folder }).unwrap_err().to_string();
        for name in ["my_functions2", "Mine", "a__b"] {
            assert!(check_names(&Wanted { name, version: "1.0", folder }).is_ok(), "{name}");
        }
        for (name, proper) in [
            ("my-functions", "my_functions"),
            ("1a", "functions_1a"),
            ("_a b_", "a_b"),
            ("größe", "gr__e"),
            ("", "functions"),
            ("lambda", "functions_lambda"),
            ("None", "functions_None"),
            ("numpy", "functions_numpy"),
        ] {
            assert!(wrong(name, "1").ends_with(&format!("; write --python {proper}")), "{}", wrong(name, "1"));
        }
        assert!(wrong("a", "1.x").ends_with("write --package-version 0.1.0"));
        assert_eq!(distribution("My__Functions_2"), "my_functions_2");
    }
}
