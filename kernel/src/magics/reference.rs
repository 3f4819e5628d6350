//! The texts about magics: `%name?`, `%lsmagic`, and the page `kernel/MAGICS.md`. All are made from the table.

use super::magic::Magic;
#[cfg(test)]
use super::table::MAGICS;
use super::table::{find, forms};

/// Lines that are not magics and not Rust.
const OTHER_LINES: &[(&str, &str)] = &[
    ("!command", "Run a command line in the shell; its output is shown while it runs"),
    ("name?", "Open the documentation of a variable, function, type or module; ?name does the same"),
    ("name??", "The same, with the source where the notebook defines the name"),
    (":help", "List the commands of evcxr, such as :dep, :vars, :type, :explain and :clear"),
];

/// What `%name?` shows; `name` may be written with or without percent signs and question mark.
pub fn help(name: &str) -> Option<String> {
    let name = name.trim().trim_start_matches("//").trim_start_matches('%').trim_end_matches('?');
    let magic = find(name)?;
    let mut text = format!("{}.\n\nUsage:\n", magic.summary);
    for line in magic.usage.lines() {
        text += &format!("  {line}\n");
    }
    text += &format!("\n{}\n", magic.details);
    if !magic.options.is_empty() {
        text += &format!("\nOptions:\n{}", options(magic));
    }
    text += &format!("\nExamples:\n{}", examples(magic, "  "));
    Some(text)
}

fn options(magic: &Magic) -> String {
    let forms: Vec<String> = magic.options.iter().map(|option| format!("{} {}", option.text, option.value)).collect();
    let width = forms.iter().map(|form| form.trim_end().len()).max().unwrap_or(0);
    let lines = forms.iter().zip(magic.options);
    lines.map(|(form, option)| format!("  {:width$}   {}\n", form.trim_end(), option.meaning)).collect()
}

fn examples(magic: &Magic, indent: &str) -> String {
    let mut text = String::new();
    for (index, example) in magic.examples.iter().enumerate() {
        if index > 0 && (example.contains('\n') || magic.examples[index - 1].contains('\n')) {
            text.push('\n');
        }
        for line in example.lines() {
            text += &format!("{indent}{line}\n");
        }
    }
    text
}

/// What `%lsmagic` prints.
pub fn lsmagic() -> String {
    let others = OTHER_LINES.iter().map(|(form, _)| form.len());
    let width = forms().map(|(percent, magic)| percent.len() + magic.name.len()).chain(others).max().unwrap_or(0);
    let mut text = String::new();
    for (form, title) in [("%", "Line magics"), ("%%", "Cell magics, on the first line of a cell")] {
        text += &format!("{title}:\n");
        for (_, magic) in forms().filter(|(percent, _)| *percent == form) {
            text += &format!("  {:width$}  {}\n", format!("{form}{}", magic.name), magic.summary);
        }
        text.push('\n');
    }
    text += "Other lines:\n";
    for (form, summary) in OTHER_LINES {
        text += &format!("  {form:width$}  {summary}\n");
    }
    text + "\n%name? shows the details of a magic.\n"
}

/// The reference page.
#[cfg(test)]
pub(super) fn page() -> String {
    let mut text = "\
# Magics

What a cell can contain in addition to Rust. A line is a magic if it begins with `%` and the name of
a magic, outside strings and comments. `//%` means the same, for files that must stay valid Rust.
`%lsmagic` in a cell lists the magics, `%name?` shows one. This page is made from the table in
[src/magics/table.rs](src/magics/table.rs); a test compares the two.

| line | what it does |
|---|---|
"
    .to_owned();
    for (percent, magic) in forms() {
        text += &format!("| [`{percent}{0}`](#{0}) | {1} |\n", magic.name, magic.summary);
    }
    for (form, summary) in OTHER_LINES {
        text += &format!("| `{form}` | {summary} |\n");
    }
    for magic in MAGICS {
        text += &format!("\n## {}\n\n{}.\n\n```text\n{}\n", magic.name, magic.summary, magic.usage);
        if !magic.options.is_empty() {
            text += &format!("\n{}", options(magic));
        }
        text += &format!("```\n\n{}\n\n```text\n{}```\n", as_markdown(magic.details), examples(magic, ""));
    }
    text += &format!("\n## What `%lsmagic` prints\n\n```text\n{}```\n", lsmagic());
    text + "
## The order of lines

Lines work in their order. What the kernel does itself, such as `%run`, `%load` or `%who`, divides the
cell: the code above it runs first, and the code below it is compiled when that is done, as in a cell of
its own. So a closure, or a reference to a variable, cannot be used on both sides. Such a line cannot
stand inside brackets, nor below code in a cell with `%%time` or another magic around its code.

## Shell lines

A line that begins with `!` in its first column runs in `sh`, in the environment and the directory
of the process that runs the cells (see [cd](#cd) and [env](#env)). It runs in the order of the
cell's lines. A command that fails makes the cell fail. Below other code, `!name` is Rust's negation
if the notebook or the cell defines the name, or if it is a call. Put such an expression in
brackets to be sure that it is Rust.

`{name}` in a line is the value of a variable of the notebook, or of the cell above the line. It can
be an expression that names a variable, such as `{n + 1}` or `{v.len()}`, with a format, such as
`{x:.3}`. `$name` is the value too. The text is that of `Display`, or of a path. Values are not
quoted: write `'{path}'` if a path may contain blanks. All else is the shell's: `$HOME`, `${name}`,
`{a,b}`, awk's braces, and a `$name` that the line itself sets, as in `for name in …`. `{{name}}` and
`$$name` hand `{name}` and `$name` on to the shell. `%%bash` replaces nothing.

`let lines = !command` keeps the lines that a command prints, as a `Vec<String>`. Its errors are
shown. `let x = !y;` is Rust where `y` is a name of the notebook or the cell.

## Interrupts

An interrupt stops a cell with `%%prun` or `%prun` in any loop, as it stops other cells; what was
sampled is shown. Cells with `%time` and `%timeit` have no checks in their loops, because the checks
would be measured. They stop in operations on arrays, and `%timeit` between two calls of its
statement. If nothing stops them, a line says so after a second, and a second interrupt ends the
process: then all variables are lost.

After an interrupt, variables of earlier cells have the values that they had last. A variable that
the cell has moved away is lost. What the cell defines itself is not defined, also above the magic.

## Questions

`name?`, `?name` and `name??` need a line of their own. After the cell has run, the front end's
pager shows the documentation of the last one: a variable with its type, a function or method with
its signature, a type, a trait or a module. `name!?` shows a macro that the notebook has defined.
`value?` at the end of a cell is a question too; `value?;` is Rust.

## Commands of evcxr

`:help` lists them. They work as in evcxr's own kernel. Write them above all code and magics of
their cell, or in a cell of their own:

```text
:dep itoa = \"1\"
itoa::Buffer::new().format(7).to_owned()
```

`:quit` ends the kernel after the lines above it: the cell has its answer, and what waits is not run.
JupyterLab then starts a new kernel.
"
}

/// Names of magics in the text as code.
#[cfg(test)]
fn as_markdown(details: &str) -> String {
    let words = details.split_inclusive([' ', '\n']);
    let code = |word: &str| {
        let name = word.trim_end_matches([' ', '\n', ',', '.', ')', ':', ';']);
        let bare = name.trim_start_matches(['(', '%']);
        let percent = name.trim_start_matches('(');
        if percent.starts_with('%') && (find(bare).is_some() || bare.is_empty()) {
            word.replacen(percent, &format!("`{percent}`"), 1)
        } else {
            word.to_owned()
        }
    };
    words.map(code).collect()
}
