//! What evcxr's generated code does with variables, and what is added to it: stored variables are known by the
//! definitions that lay them out, and the old value of a variable that a cell defines anew is kept until the new one is
//! stored.
//!
//! evcxr takes all stored variables at the start of a cell's function, runs the cell in a closure at whose end new
//! variables are stored, and stores the others behind it. When the cell panics, or ends by `?`, the old value of a
//! variable that it was about to define anew would be dropped; here it goes back to the store. That does not compile
//! where the cell has moved the old value away: then the compiler says so, and the cell is compiled without.

use super::definitions::{Definitions, may_define_types};
use ra_ap_parser::{Edition, LexedStr, SyntaxKind};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Crates that the user added: names in code, with what identifies the files that were built.
pub type Crates = [(String, String)];

/// What the compiler has said against the text as it was planned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Variables whose old values the cell moves away, so that they cannot be kept.
    pub moved: Vec<String>,
    /// Variables whose types cannot be named any more, because the cell defines other ones of the name.
    pub nameless: Vec<String>,
}

impl Findings {
    /// Adds what another attempt has shown.
    pub fn add(&mut self, more: Findings) {
        self.moved.extend(more.moved);
        self.nameless.extend(more.nameless);
    }
}

/// What is to be done to the source of a cell crate.
#[derive(Debug, Default)]
pub struct Plan {
    /// The hashes of the definitions of the types that lines store or check; where there are none, 0 is meant.
    definitions: HashMap<usize, u64>,
    checked: Vec<Statement>,
    /// The lines that take and store variables.
    moving: Vec<Range<usize>>,
    /// The line on which old values are kept.
    keeping: Option<usize>,
    kept: Vec<Kept>,
}

/// An old value that goes back to the store.
#[derive(Debug)]
struct Kept {
    name: String,
    type_name: String,
    definitions: u64,
    /// Whether the cell names the variable, and so may move its value away.
    is_used: bool,
}

/// A call of the store that evcxr wrote.
#[derive(Debug)]
struct Statement {
    lines: Range<usize>,
    name: String,
    type_name: String,
}

const HEAD: &str = "{let mut vars_ok = true;";
const HEAD_END: &str = "if !vars_ok {return evcxr_variable_store;}}";
const STORE: &str = "evcxr_variable_store.";
/// The end of the closure that the cell runs in.
const TAIL: [&str; 5] = ["})) { ", "  Ok(_) => {}", "  Err(_) => {", "    println!(\"EVCXR_PANIC_NOTIFICATION\");", "}}"];
/// What the last of these lines becomes, in front of what keeps the old values.
const KEEPING: &str = "}} ";
/// What may stand between the closure's stores and its end, or the function's.
const TRAILERS: [&str; 5] = ["});", "Ok(())})();", "Ok::<(), EvcxrUserCodeError>(())", "evcxr_variable_store", "}"];
/// An explicit type of the user may go over several lines.
const LONGEST_STATEMENT: usize = 100;

impl Plan {
    /// Plans the changes for a source that evcxr wrote.
    pub fn new(source: &str, crates: &Crates, findings: &Findings) -> Plan {
        let lines: Vec<&str> = source.lines().collect();
        let Some(head) = lines.iter().position(|line| *line == HEAD) else { return Plan::default() };
        let checked = statements(&lines, head + 1, "vars_ok &= ", "check_variable");
        let head_end = checked.last().map_or(head + 1, |statement| statement.lines.end);
        if lines.get(head_end) != Some(&HEAD_END) {
            return Plan::default();
        }
        let taken = statements(&lines, head_end + 1, "let ", "take_variable");
        let body = taken.last().map_or(head_end + 1, |statement| statement.lines.end);
        let tail = lines.windows(TAIL.len()).rposition(|window| window == TAIL);
        let stored = stores_before(&lines, tail.unwrap_or(lines.len()));
        let others = tail.map_or_else(Vec::new, |tail| statements(&lines, tail + TAIL.len(), "", "put_variable"));

        let items = source.split("\nmod evcxr_internal_runtime {").next().unwrap_or_default();
        // After the first `?` of a session this is in every cell, in front of the module.
        let items = items.rsplit_once("struct EvcxrUserCodeError {}").map_or(items, |(items, _)| items);
        let definitions = (!crates.is_empty() || may_define_types(items)).then(|| Definitions::read(items, crates));
        let hash = |statement: &Statement| definitions.as_ref().map_or(0, |known| known.hash(&statement.type_name));
        let mut plan = Plan::default();
        if definitions.is_some() {
            plan.definitions = checked
                .iter()
                .chain(&stored)
                .chain(&others)
                .map(|statement| (statement.lines.start, hash(statement)))
                .filter(|(_, hash)| *hash != 0)
                .collect();
        }
        if let Some(tail) = tail {
            plan.keeping = Some(tail + TAIL.len() - 1);
            let shadowed = taken.iter().filter(|old| {
                stored.iter().any(|new| new.name == old.name) && !findings.moved.contains(&old.name)
            });
            let end = stored.first().map_or(tail, |statement| statement.lines.start);
            let code = lines[body.min(end)..end].join("\n");
            plan.kept = shadowed
                .map(|old| Kept {
                    name: old.name.clone(),
                    type_name: old.type_name.clone(),
                    definitions: hash(old),
                    is_used: is_used(&code, &old.name),
                })
                .collect();
        }
        plan.moving = taken.into_iter().chain(stored).chain(others).map(|statement| statement.lines).collect();
        plan.checked = checked;
        plan
    }

    /// Whether the compiler may have something to say that [`findings`](Plan::findings) understands.
    pub fn may_fail(&self) -> bool {
        self.kept.iter().any(|kept| kept.is_used)
            || self.checked.iter().any(|statement| self.definitions.contains_key(&statement.lines.start))
    }

    /// A line (from 0) with what is added to it.
    pub fn line<'a>(&self, index: usize, line: &'a str) -> Cow<'a, str> {
        let mut line = Cow::Borrowed(line);
        if let Some(hash) = self.definitions.get(&index) {
            line = line.replacen(STORE, &format!("{STORE}defined_by({hash}u64)."), 1).into();
        }
        if self.keeping == Some(index) {
            let kept: String = self.kept.iter().map(Kept::statement).collect();
            line = format!("{KEEPING}{kept}\n").into();
        }
        line
    }

    /// The source of a cell that does nothing but give up the variables whose types have no name any more; evcxr then
    /// runs the user's cell without them. `source` has the lines that were planned.
    pub fn only_lose(&self, source: &str, nameless: &[String]) -> String {
        let Some(first) = self.checked.first().map(|statement| statement.lines.start) else { return source.to_owned() };
        let checks_end = self.checked.last().map_or(first, |statement| statement.lines.end);
        let count = source.lines().count();
        let mut result = String::with_capacity(source.len());
        for (index, line) in source.split_inclusive('\n').enumerate() {
            let lost = self
                .checked
                .iter()
                .find(|statement| statement.lines.contains(&index) && nameless.contains(&statement.name));
            match lost {
                Some(Statement { lines, name, type_name }) if lines.start == index => {
                    result.push_str(&format!(
                        "vars_ok = false; {STORE}lose_variable(stringify!({name}), {type_name:?});\n"
                    ));
                }
                Some(_) => result.push('\n'),
                // The checks, their end, and the last two lines of the function.
                None if index <= checks_end || index + 2 >= count => result.push_str(line),
                None => result.push('\n'),
            }
        }
        result
    }

    /// What the compiler's messages (JSON, one a line) say against the plan; nothing if they concern the user.
    pub fn findings(&self, messages: &str) -> Option<Findings> {
        let mut findings = Findings::default();
        let mut elsewhere = false;
        for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
            let primary = spans.iter().find(|span| span["is_primary"] == true);
            let line = primary.and_then(|span| span["line_start"].as_u64()).and_then(|line| usize::try_from(line).ok());
            let (true, Some(line)) = (message["level"] == "error", line) else { continue };
            let index = line.saturating_sub(1);
            let checked = self.checked.iter().find(|statement| statement.lines.contains(&index));
            if self.keeping == Some(index) {
                let text = message["message"].as_str().unwrap_or_default();
                let named = |kept: &&Kept| text.contains(&format!("`{}`", kept.name));
                let moved: Vec<String> = self.kept.iter().filter(named).map(|kept| kept.name.clone()).collect();
                let all = || self.kept.iter().map(|kept| kept.name.clone()).collect();
                findings.moved.extend(if moved.is_empty() { all() } else { moved });
            } else if let Some(statement) = checked {
                findings.nameless.push(statement.name.clone());
            } else if !self.moving.iter().any(|lines| lines.contains(&index)) {
                elsewhere = true;
            }
        }
        if elsewhere {
            // The cell has errors of its own and will not run, so no variable may be given up for it.
            findings.nameless.clear();
        }
        (findings != Findings::default()).then_some(findings)
    }
}

/// The variables that a compiled cell takes from the store, by name, as statements that take them once more.
pub struct Taken {
    /// Those whose old values go back to the store if the cell does not come to its end.
    pub kept: HashMap<String, String>,
    /// The names of all.
    pub names: Vec<String>,
}

impl Taken {
    /// Reads them from the source of a cell as it was compiled.
    pub fn read(rewritten: &str) -> Taken {
        let lines: Vec<&str> = rewritten.lines().collect();
        let head = lines.iter().position(|line| *line == HEAD_END);
        let taken = head.map_or_else(Vec::new, |head| statements(&lines, head + 1, "let ", "take_variable"));
        let keeping = lines.iter().rev().find(|line| line.starts_with(&format!("{KEEPING}{STORE}")));
        let is_kept = |name: &str| keeping.is_some_and(|line| line.contains(&format!("(stringify!({name}), {name})")));
        let again = |statement: &Statement| {
            let Statement { lines: place, name, type_name } = statement;
            let mutable = if lines[place.start].starts_with("let mut ") { "mut " } else { "" };
            format!("let {mutable}{name}: {type_name} = {STORE}take_variable::<{type_name}>(stringify!({name}));")
        };
        let kept = taken.iter().filter(|statement| is_kept(&statement.name));
        Taken {
            kept: kept.map(|statement| (statement.name.clone(), again(statement))).collect(),
            names: taken.iter().map(|statement| statement.name.clone()).collect(),
        }
    }
}

impl Kept {
    fn statement(&self) -> String {
        let Kept { name, type_name, definitions, .. } = self;
        let defined = if *definitions == 0 { String::new() } else { format!("defined_by({definitions}u64).") };
        // On one line, as all that is added.
        let type_name = type_name.replace('\n', " ");
        format!("{STORE}{defined}keep_variable::<{type_name}>(stringify!({name}), {name});")
    }
}

/// The statements of one kind that follow one another from a line on.
fn statements(lines: &[&str], mut from: usize, start: &str, operation: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    while let Some(statement) = statement_at(lines, from, start, operation) {
        from = statement.lines.end;
        found.push(statement);
    }
    found
}

fn statement_at(lines: &[&str], from: usize, start: &str, operation: &str) -> Option<Statement> {
    let call = format!("{STORE}{operation}::<");
    let first = lines.get(from)?.trim_start();
    if !first.starts_with(start) || !first.contains(&call) {
        return None;
    }
    let length = lines[from..].iter().take(LONGEST_STATEMENT).position(|line| line.ends_with(");"))? + 1;
    let text = lines[from..from + length].join("\n");
    let (_, rest) = text.split_once(&call)?;
    let (type_name, rest) = rest.rsplit_once(">(stringify!(")?;
    let (name, _) = rest.split_once(')')?;
    Some(Statement { lines: from..from + length, name: name.to_owned(), type_name: type_name.to_owned() })
}

/// The stores that stand, one after the other, at the end of the lines before `end`.
fn stores_before(lines: &[&str], mut end: usize) -> Vec<Statement> {
    while end > 0 && TRAILERS.contains(&lines[end - 1]) {
        end -= 1;
    }
    let mut found = Vec::new();
    loop {
        let starts = (end.saturating_sub(LONGEST_STATEMENT)..end).rev();
        let statement = starts
            .filter_map(|start| statement_at(lines, start, STORE, "put_variable"))
            .next()
            .filter(|statement| statement.lines.end == end);
        let Some(statement) = statement else { break };
        end = statement.lines.start;
        found.push(statement);
    }
    found.reverse();
    found
}

/// Whether code names a variable otherwise than to define it.
fn is_used(code: &str, name: &str) -> bool {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    let mut before = SyntaxKind::EOF;
    for index in 0..tokens.len() {
        let kind = tokens.kind(index);
        if kind.is_trivia() {
            continue;
        }
        let defines = matches!(before, SyntaxKind::LET_KW | SyntaxKind::MUT_KW);
        if kind == SyntaxKind::IDENT && tokens.text(index) == name && !defines {
            return true;
        }
        before = kind;
    }
    false
}
