//! What evcxr's generated code does with variables, and what is added to it: stored variables are known by the
//! definitions that lay them out, and the old value of a variable that a cell defines anew is kept until the new one is
//! stored.
//!
//! evcxr takes all stored variables at the start of a cell's function, runs the cell in a closure at whose end new
//! variables are stored, and stores the others behind it. When the cell panics, or ends by `?`, the old value of a
//! variable that it was about to define anew would be dropped. Here, an old value that the cell does not use stays in
//! the store, and one that it uses goes back there. The latter does not compile where the cell moves the value away:
//! then the compiler says so, and the cell is compiled without.
//!
//! Variables that the cell does not name at all are checked, but stay in the store.

use super::definitions::{Definitions, may_define_types};
use ra_ap_parser::{Edition, LexedStr, SyntaxKind};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Crates that the user added: names in code, with what identifies the files that were built.
pub type Crates = [(String, String)];

/// What the compiler has said against the text as it was planned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Variables that the cell uses, though it did not look so.
    pub used: Vec<String>,
    /// Variables whose old values the cell moves away, so that they cannot be kept.
    pub moved: Vec<String>,
    /// Variables whose types cannot be named any more, because the cell defines other ones of the name.
    pub nameless: Vec<String>,
}

impl Findings {
    /// Adds what another attempt has shown.
    pub fn add(&mut self, more: Findings) {
        self.used.extend(more.used);
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
    /// The lines that check and take variables whose old values stay in the store, with the hash of their types.
    unused: Vec<(Statement, u64)>,
    /// The lines that take and store variables which the cell does not name.
    idle: Vec<Statement>,
}

/// An old value that goes back to the store.
#[derive(Debug)]
struct Kept {
    name: String,
    type_name: String,
    definitions: u64,
}

/// A call of the store that evcxr wrote.
#[derive(Clone, Debug)]
struct Statement {
    lines: Range<usize>,
    name: String,
    type_name: String,
}

const HEAD: &str = "{let mut vars_ok = true;";
const HEAD_END: &str = "if !vars_ok {return evcxr_variable_store;}}";
const STORE: &str = "evcxr_variable_store.";
/// The end of the closure that the cell runs in.
const TAIL: [&str; 5] =
    ["})) { ", "  Ok(_) => {}", "  Err(_) => {", "    println!(\"EVCXR_PANIC_NOTIFICATION\");", "}}"];
/// What the last of these lines becomes, in front of what keeps the old values.
const KEEPING: &str = "}} ";
/// What stands before the lines of variables that stay in the store, with a hash.
const LEFT: &str = "// stays in the store: ";
/// What stands before the lines of variables that the cell does not name.
const IDLE: &str = "// not named in this cell: ";
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
        let mut hashes: HashMap<String, u64> = HashMap::new();
        let mut hash = |statement: &Statement| {
            let Some(known) = &definitions else { return 0 };
            // Many variables have the same type.
            *hashes.entry(statement.type_name.clone()).or_insert_with_key(|type_name| known.hash(type_name))
        };
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
        if let (Some(tail), Some(body)) = (tail, start_of_cell(&lines, body)) {
            plan.keeping = Some(tail + TAIL.len() - 1);
            let end = stored.first().map_or(tail, |statement| statement.lines.start);
            let code = lines[body.min(end)..end].join("\n");
            let is_shadowed = |old: &Statement| stored.iter().any(|new| new.name == old.name);
            for old in taken.iter().filter(|old| is_shadowed(old)) {
                if !findings.used.contains(&old.name) && !is_used(&code, &old.name) {
                    let hash = hash(old);
                    let lines = checked.iter().chain(&taken).filter(|statement| statement.name == old.name);
                    plan.unused.extend(lines.map(|statement| (statement.clone(), hash)));
                } else if !findings.moved.contains(&old.name) {
                    let (name, type_name) = (old.name.clone(), old.type_name.clone());
                    plan.kept.push(Kept { name, type_name, definitions: hash(old) });
                }
            }
            // To take and store a variable costs the compiler more than most cells do. It is checked all the same.
            let whole = &lines[body.min(tail)..tail];
            let mentioned = mentioned(&whole.join("\n"));
            for old in taken.iter().filter(|old| !is_shadowed(old) && !findings.used.contains(&old.name)) {
                let store = others.iter().find(|store| store.name == old.name);
                if let (false, Some(store)) = (mentioned.contains(&old.name), store) {
                    plan.idle.extend([old.clone(), store.clone()]);
                }
            }
        }
        plan.moving = taken.into_iter().chain(stored).chain(others).map(|statement| statement.lines).collect();
        plan.checked = checked;
        plan
    }

    /// Whether the compiler may have something to say that [`findings`](Plan::findings) understands.
    pub fn may_fail(&self) -> bool {
        !self.kept.is_empty()
            || !self.unused.is_empty()
            || !self.idle.is_empty()
            || self.checked.iter().any(|statement| self.definitions.contains_key(&statement.lines.start))
    }

    /// A line (from 0) with what is added to it.
    pub fn line<'a>(&self, index: usize, line: &'a str) -> Cow<'a, str> {
        let mut line = Cow::Borrowed(line);
        if let Some((_, hash)) = self.unused.iter().find(|(statement, _)| statement.lines.contains(&index)) {
            return format!("{LEFT}{hash} {line}").into();
        }
        if self.idle.iter().any(|statement| statement.lines.contains(&index)) {
            return format!("{IDLE}{line}").into();
        }
        if let Some(hash) = self.definitions.get(&index) {
            line = line.replacen(STORE, &format!("{STORE}defined_by({hash}u64)."), 1).into();
        }
        if self.keeping == Some(index) && !self.kept.is_empty() {
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
            let text = message["message"].as_str().unwrap_or_default();
            let is_named = |name: &str| text.contains(&format!("`{name}`"));
            let checked = self.checked.iter().find(|statement| statement.lines.contains(&index));
            let unused = self.unused.iter().map(|(statement, _)| statement).chain(&self.idle);
            let unused = unused.map(|statement| statement.name.clone());
            let used: BTreeSet<String> = unused.filter(|name| is_named(name)).collect();
            if message["code"]["code"] == "E0425" && !used.is_empty() {
                findings.used.extend(used);
            } else if self.keeping == Some(index) {
                let names = || self.kept.iter().map(|kept| kept.name.clone());
                let moved: Vec<String> = names().filter(|name| is_named(name)).collect();
                findings.moved.extend(if moved.is_empty() { names().collect() } else { moved });
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

/// The stored variables that a compiled cell has found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The names of all.
    pub names: Vec<String>,
    /// Those whose old values are in the store if the cell has not come to its end.
    pub left: Vec<Left>,
}

/// A variable that is in the store, unknown to evcxr.
#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// Its name.
    pub name: String,
    /// A statement that fails if there is no such value.
    pub demand: String,
    /// A statement that takes the value.
    pub take: String,
}

impl Taken {
    /// Whether the cell had the variable and did not leave it.
    pub fn has_moved(&self, name: &str) -> bool {
        self.names.iter().any(|taken| taken == name) && !self.left.iter().any(|left| left.name == name)
    }

    /// Reads them from the source of a cell as it was compiled.
    pub fn read(rewritten: &str) -> Taken {
        let lines: Vec<&str> = rewritten.lines().collect();
        let Some(mut line) = lines.iter().position(|line| *line == HEAD_END).map(|head| head + 1) else {
            return Taken::default();
        };
        let keeping = lines.iter().rev().find_map(|line| line.strip_prefix(KEEPING)).unwrap_or_default();
        let mut taken = Taken::default();
        loop {
            while lines.get(line).is_some_and(|text| text.starts_with(IDLE)) {
                line += 1;
            }
            let (hash, statement) = match lines.get(line).and_then(|text| text.strip_prefix(LEFT)) {
                Some(rest) => {
                    let hash = rest.split(' ').next().unwrap_or_default().to_owned();
                    // All lines of the statement begin with the same.
                    let mark = format!("{LEFT}{hash} ");
                    let end = (lines.len()).min(line + LONGEST_STATEMENT);
                    let statement: Vec<&str> =
                        lines[line..end].iter().map_while(|text| text.strip_prefix(&mark)).collect();
                    (Some(hash), statement_at(&statement, 0, "let ", "take_variable"))
                }
                None => (None, statement_at(&lines, line, "let ", "take_variable")),
            };
            let Some(Statement { lines: place, name, type_name }) = statement else { return taken };
            let kept =
                keeping.split_inclusive(';').find(|call| call.contains(&format!("(stringify!({name}), {name})")));
            let hash = hash.or_else(|| {
                let defined = kept?.split_once("defined_by(").and_then(|(_, rest)| rest.split_once("u64"));
                Some(defined.map_or("0", |(hash, _)| hash).to_owned())
            });
            if let Some(hash) = hash {
                let is_mutable = lines[line].contains("let mut ");
                let mutable = if is_mutable { "mut " } else { "" };
                let defined = if hash == "0" { String::new() } else { format!("defined_by({hash}u64).") };
                taken.left.push(Left {
                    demand: format!("{STORE}{defined}demand_variable::<{type_name}>(stringify!({name}));"),
                    take: format!(
                        "let {mutable}{name}: {type_name} = {STORE}take_variable::<{type_name}>(stringify!({name}));"
                    ),
                    name: name.clone(),
                });
            }
            taken.names.push(name);
            line += place.len();
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

/// The line on which the user's code begins, inside of what evcxr puts around it.
fn start_of_cell(lines: &[&str], from: usize) -> Option<usize> {
    if lines.get(from..from + 2)? != ["match std::panic::catch_unwind(", "  std::panic::AssertUnwindSafe(||{"] {
        return None;
    }
    let first = lines.get(from + 2)?;
    if first.starts_with("let mut mutex = evcxr_variable_store.lazy_arc") {
        let length = lines[from..].iter().take(LONGEST_STATEMENT).position(|line| *line == ".block_on(async {")?;
        return Some(from + length + 1);
    }
    let is_wrapped = *first == "let _ = (|| -> std::result::Result<(), EvcxrUserCodeError> {";
    Some(from + 2 + usize::from(is_wrapped))
}

/// The names that code may mean: its identifiers, and what stands in formats.
fn mentioned(code: &str) -> HashSet<String> {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    let mut names = HashSet::new();
    for index in 0..tokens.len() {
        let text = tokens.text(index);
        match tokens.kind(index) {
            SyntaxKind::IDENT => {
                names.insert(text.strip_prefix("r#").unwrap_or(text).to_owned());
            }
            SyntaxKind::STRING => {
                let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
                names.extend(words.map(str::to_owned));
            }
            _ => {}
        }
    }
    names
}

/// Whether the user's code names a variable before it defines it anew.
fn is_used(code: &str, name: &str) -> bool {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    let mut depth = 0usize;
    // Whether a `let` of the cell itself is before its `=`, and whether it binds the name.
    let (mut in_pattern, mut binds) = (false, false);
    for index in 0..tokens.len() {
        let text = tokens.text(index);
        match tokens.kind(index) {
            SyntaxKind::L_CURLY | SyntaxKind::L_PAREN | SyntaxKind::L_BRACK => depth += 1,
            SyntaxKind::R_CURLY | SyntaxKind::R_PAREN | SyntaxKind::R_BRACK => depth = depth.saturating_sub(1),
            SyntaxKind::LET_KW if depth == 0 => in_pattern = true,
            SyntaxKind::EQ if depth == 0 => in_pattern = false,
            SyntaxKind::SEMICOLON if depth == 0 => {
                if binds {
                    return false;
                }
                in_pattern = false;
            }
            SyntaxKind::IDENT if text == name => {
                if !in_pattern {
                    return true;
                }
                binds = true;
            }
            // Formatted with the name inside.
            SyntaxKind::STRING if text.contains(&format!("{{{name}")) => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests;
