//! Changes evcxr's generated code for variables. Stored variables are identified by the definitions of their types. The
//! old value of a variable that a cell redefines is kept until the new one is stored.
//!
//! evcxr takes all stored variables at the start of a cell's function. It runs the cell in a closure that stores new
//! variables at its end. It stores the other variables after the closure. If the cell panics, or ends with `?`, the old
//! value of a variable that it was about to redefine would be dropped. Here, an old value that the cell does not use
//! stays in the store, and an old value that it uses goes back there. The second change does not compile if the cell
//! moves the value away. Then the compiler reports this, and the cell is compiled without the change.
//!
//! Variables that the cell does not name are checked, but stay in the store.
//!
//! If a cell moves a variable away and assigns a new value (`a = a + 1.0;`), the variable cannot be stored after the
//! closure, because it has been moved into the closure. If the compiler reports this, the variable is taken at the
//! start of the closure and stored at its end. If the cell panics in between, the value is lost.

use super::compiler_message::{CompilerMessage, lines_where};
use super::definitions::{Definitions, may_define_types};
use super::names::{assigned, is_used, items_before_runtime, mentioned};
use super::report::{StoredVariable, VariableReport};
use super::store_calls::{LONGEST_STATEMENT, STORE, Statement, statement_at, with_definitions};
use super::types::KnownTypes;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Crates that the user added: names in code, with what identifies the files that were built.
pub type Crates = [(String, String)];

/// The compiler's errors about the planned text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompilerFindings {
    /// Variables that the cell uses, though it did not look so.
    pub used: Vec<String>,
    /// Variables whose old values the cell moves away, so that they cannot be kept.
    pub moved: Vec<String>,
    /// Variables that the cell moves away and assigns again.
    pub replaced: Vec<String>,
    /// Variables that seemed to be such, but have no value at the end of the cell.
    pub without_value: Vec<String>,
    /// Variables whose types cannot be named any longer, because the cell redefines the name.
    pub nameless: Vec<String>,
}

impl CompilerFindings {
    /// Adds what another attempt has shown.
    pub fn add(&mut self, more: CompilerFindings) {
        self.used.extend(more.used);
        self.moved.extend(more.moved);
        self.replaced.extend(more.replaced);
        self.without_value.extend(more.without_value);
        self.nameless.extend(more.nameless);
    }
}

/// The changes to the source of a cell crate.
#[derive(Debug, Default)]
pub struct VariablePlan {
    /// The hashes of the definitions of types in lines that store or check variables. A missing hash means 0.
    definitions: HashMap<usize, u64>,
    /// The lines whose types name definitions of the notebook.
    of_notebook: HashSet<usize>,
    checked: Vec<Statement>,
    /// The lines that take and store variables.
    moving: Vec<Range<usize>>,
    /// The line on which old values go back to the store.
    old_values_line: Option<usize>,
    kept: Vec<OldValue>,
    /// The lines that check and take variables whose old values stay in the store, with the hash of their types.
    unused: Vec<(Statement, u64)>,
    /// The lines that take and store variables which the cell does not name, and the lines that check them.
    idle: Vec<Statement>,
    idle_checks: Vec<Statement>,
    /// The lines of both. A notebook may have a thousand such variables.
    idle_lines: HashSet<usize>,
    idle_check_lines: HashSet<usize>,
    /// The variables stored after the closure that the cell assigns to.
    assigned: Vec<String>,
    /// The variables that are taken and stored inside of the closure.
    replaced: Vec<InnerVariable>,
    /// The parts of the function.
    layout: Option<FunctionLayout>,
}

/// The parts of a cell's function, as lines from 0.
#[derive(Debug)]
pub struct FunctionLayout {
    /// The user's code.
    pub code: Range<usize>,
    /// The calls that store new variables, behind the user's code.
    pub new: Vec<Statement>,
    /// The first line behind these calls.
    pub end: usize,
    /// The five lines that end the closure.
    pub tail: usize,
    /// The calls that store the other variables, behind the closure.
    pub others: Vec<Statement>,
    /// The stored variables that the function takes, and whether they are mutable.
    pub taken: Vec<(String, bool)>,
    /// Variables whose old values go back to the store if the cell fails, and the statements that do it.
    pub kept: Vec<(StoredVariable, String)>,
    /// Those that the whole cell moves away, and the statements that would put their old values back.
    pub away: Vec<(StoredVariable, String)>,
    /// The result of the closure.
    pub kind: CellForm,
}

/// How the user's code is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellForm {
    Plain,
    /// In a closure with a result, for `?`.
    Result,
    /// In a future.
    Async,
}

/// A variable that is taken and stored inside of the closure.
#[derive(Debug)]
struct InnerVariable {
    name: String,
    /// The two kinds of lines outside of the closure.
    outside: [Statement; 2],
    take: String,
    put: String,
}

/// An old value that goes back to the store.
#[derive(Debug)]
struct OldValue {
    name: String,
    type_name: String,
    is_mutable: bool,
    definitions: u64,
}

const HEAD: &str = "{let mut vars_ok = true;";
const HEAD_END: &str = "if !vars_ok {return evcxr_variable_store;}}";
/// The line where the code of a cell begins.
pub const CATCHES: &str = "match std::panic::catch_unwind(";
/// The end of the closure that the cell runs in.
pub const TAIL: [&str; 5] =
    ["})) { ", "  Ok(_) => {}", "  Err(_) => {", "    println!(\"EVCXR_PANIC_NOTIFICATION\");", "}}"];
/// The text that replaces the last of these lines, before the code that keeps the old values.
pub const OLD_VALUES: &str = "}} ";
/// The line before the code of a cell with `.await`.
pub const WAITS: &str = ".block_on(async {";
/// The text before lines of variables that stay in the store.
const LEFT: &str = "// stays in the store: ";
/// The text before lines of variables that the cell does not name.
const IDLE: &str = "// not named in this cell: ";
/// The beginning of the line that checks these variables.
pub const CHECK_OTHERS: &str = "vars_ok &= evcxr_variable_store.check_others(";
/// The text before lines of variables that are taken and stored inside of the closure.
const INSIDE: &str = "// inside: ";
/// Lines that may stand between the closure's stores and the end of the closure or function.
const TRAILERS: [&str; 5] = ["});", "Ok(())})();", ASYNC_RESULT, "evcxr_variable_store", "}"];
/// The value of a cell with `.await` and `?`.
const ASYNC_RESULT: &str = "Ok::<(), EvcxrUserCodeError>(())";

/// The names that statements are about.
fn names_of(statements: &[Statement]) -> HashSet<&str> {
    statements.iter().map(|statement| &*statement.name).collect()
}

/// Statements by the names that they are about.
fn by_name(statements: &[Statement]) -> HashMap<&str, &Statement> {
    statements.iter().map(|statement| (&*statement.name, statement)).collect()
}

/// The definitions of the notebook in a source that evcxr wrote; none if there are no types.
pub fn definitions_in(source: &str, crates: &Crates) -> Option<Definitions> {
    let items = items_before_runtime(source);
    // After the first `?` of a session this is in every cell, in front of the module.
    let items = items.rsplit_once("struct EvcxrUserCodeError {}").map_or(items, |(items, _)| items);
    (!crates.is_empty() || may_define_types(items)).then(|| Definitions::read(items, crates))
}

impl VariablePlan {
    /// Plans the changes for a source that evcxr wrote.
    pub fn new(source: &str, crates: &Crates, types: &KnownTypes, findings: &CompilerFindings) -> VariablePlan {
        let lines: Vec<&str> = source.lines().collect();
        let Some(head) = lines.iter().position(|line| *line == HEAD) else { return VariablePlan::default() };
        let checked = statements(&lines, head + 1, "vars_ok &= ", "check_variable");
        let head_end = checked.last().map_or(head + 1, |statement| statement.lines.end);
        if lines.get(head_end) != Some(&HEAD_END) {
            return VariablePlan::default();
        }
        let taken = statements(&lines, head_end + 1, "let ", "take_variable");
        let body = taken.last().map_or(head_end + 1, |statement| statement.lines.end);
        let tail = lines.windows(TAIL.len()).rposition(|window| window == TAIL);
        let stored = stores_before(&lines, tail.unwrap_or(lines.len()));
        let others = tail.map_or_else(Vec::new, |tail| statements(&lines, tail + TAIL.len(), "", "put_variable"));

        let definitions = definitions_in(source, crates);
        let mut hashes: HashMap<String, u64> = HashMap::new();
        let mut both = |statement: &Statement| {
            let Some(known) = &definitions else { return (0, 0) };
            types.definitions(&statement.type_name, |code| {
                // Many variables have the same type.
                *hashes.entry(code.to_owned()).or_insert_with_key(|code| known.hash(code))
            })
        };
        let mut plan = VariablePlan::default();
        for statement in checked.iter().chain(&stored).chain(&others) {
            let (now, hash) = both(statement);
            if now != 0 {
                plan.of_notebook.insert(statement.lines.start);
            }
            if hash != 0 {
                plan.definitions.insert(statement.lines.start, hash);
            }
        }
        let mut hash = |statement: &Statement| both(statement).1;
        if let (Some(tail), Some(body)) = (tail, start_of_cell(&lines, body)) {
            plan.old_values_line = Some(tail + TAIL.len() - 1);
            let end = stored.first().map_or(tail, |statement| statement.lines.start);
            let code = lines[body.min(end)..end].join("\n");
            let is_mutable = |old: &Statement| lines[old.lines.start].contains("let mut ");
            let new_names = names_of(&stored);
            let is_shadowed = |old: &Statement| new_names.contains(&*old.name);
            for old in taken.iter().filter(|old| is_shadowed(old)) {
                if !findings.used.contains(&old.name) && !is_used(&code, &old.name) {
                    let hash = hash(old);
                    let lines = checked.iter().chain(&taken).filter(|statement| statement.name == old.name);
                    plan.unused.extend(lines.map(|statement| (statement.clone(), hash)));
                } else if !findings.moved.contains(&old.name) {
                    plan.kept.push(OldValue::of(old, is_mutable(old), hash(old)));
                }
            }
            // To take and store a variable costs the compiler more than most cells do. It is checked all the same.
            let whole = &lines[body.min(tail)..tail];
            let mentioned = mentioned(&whole.join("\n"));
            let stores = by_name(&others);
            let checks = by_name(&checked);
            for old in taken.iter().filter(|old| !is_shadowed(old) && !findings.used.contains(&old.name)) {
                let store = stores.get(&*old.name);
                if let (false, Some(store)) = (mentioned.contains(&old.name), store) {
                    plan.idle.extend([old.clone(), (*store).clone()]);
                    let check = checks.get(&*old.name).filter(|check| check.lines.len() == 1);
                    plan.idle_checks.extend(check.map(|check| (*check).clone()));
                }
            }
            plan.idle_lines = plan.idle.iter().flat_map(|statement| statement.lines.clone()).collect();
            plan.idle_check_lines = plan.idle_checks.iter().map(|check| check.lines.start).collect();
            let targets = if others.is_empty() { HashSet::new() } else { assigned(&code) };
            for store in others.iter().filter(|store| targets.contains(&store.name)) {
                let old = taken.iter().find(|old| old.name == store.name);
                let Some(old) = old.filter(|old| !findings.without_value.contains(&old.name)) else { continue };
                plan.assigned.push(store.name.clone());
                if findings.replaced.contains(&old.name) {
                    let text = |statement: &Statement| lines[statement.lines.clone()].join(" ");
                    plan.replaced.push(InnerVariable {
                        name: old.name.clone(),
                        outside: [old.clone(), store.clone()],
                        take: text(old),
                        put: with_definitions(&text(store), hash(store)),
                    });
                }
            }
            let is_stored = |old: &Statement| is_shadowed(old) || stores.contains_key(&*old.name);
            let away = taken.iter().filter(|old| !is_stored(old));
            let away = away.map(|old| OldValue::of(old, is_mutable(old), hash(old)).restored()).collect();
            let kind = kind_of(lines[body - 1]);
            plan.layout = Some(FunctionLayout {
                code: body..end_of_cell(&lines, tail, kind).min(end),
                new: stored.clone(),
                end: end_of_cell(&lines, tail, kind),
                tail,
                others: others.clone(),
                taken: taken.iter().map(|old| (old.name.clone(), is_mutable(old))).collect(),
                kept: plan.kept.iter().map(OldValue::restored).collect(),
                away,
                kind,
            });
        }
        plan.moving =
            [&taken, &stored, &others].into_iter().flatten().map(|statement| statement.lines.clone()).collect();
        plan.checked = checked;
        plan
    }

    /// The parts of the function, if it can be changed.
    pub fn layout(&self) -> Option<&FunctionLayout> {
        self.layout.as_ref()
    }

    /// The report about variables.
    pub fn report(&self) -> VariableReport {
        let Some(layout) = &self.layout else { return VariableReport::default() };
        let idle = names_of(&self.idle);
        let is_idle = |name: &str| idle.contains(name);
        let is_mutable = |name: &str| layout.taken.iter().any(|(taken, mutable)| taken == name && *mutable);
        let stored = |name: &str, type_name: &str, hash| StoredVariable::new(name, type_name, is_mutable(name), hash);
        let unused = self.unused.iter().filter(|(statement, _)| !self.checks(statement));
        let unused = unused.map(|(statement, hash)| stored(&statement.name, &statement.type_name, *hash));
        let kept = self.kept.iter().map(OldValue::stored);
        VariableReport {
            names: layout.taken.iter().map(|(name, _)| name.clone()).filter(|name| !is_idle(name)).collect(),
            left: unused.chain(kept).collect(),
            replaced: self.replaced.iter().map(|replaced| replaced.name.clone()).collect(),
            ..VariableReport::default()
        }
    }

    fn checks(&self, statement: &Statement) -> bool {
        self.checked.iter().any(|check| check.lines == statement.lines)
    }

    /// Whether the compiler may have something to say that [`findings`](VariablePlan::findings) understands.
    pub fn may_fail(&self) -> bool {
        !self.kept.is_empty()
            || !self.unused.is_empty()
            || !self.idle.is_empty()
            || !self.assigned.is_empty()
            || self.checked.iter().any(|statement| self.of_notebook.contains(&statement.lines.start))
    }

    /// The line in place of a check of a variable that the cell does not name, if it is on this line. The first one checks them all: only the
    /// hashes of their types' definitions can have changed, and without the types the cell may not need these definitions.
    fn check_of_idle(&self, index: usize) -> Option<String> {
        let first = self.idle_checks.first()?;
        if first.lines.start != index {
            return self.idle_check_lines.contains(&index).then(|| "\n".to_owned());
        }
        let hash = |check: &Statement| self.definitions.get(&check.lines.start).copied().unwrap_or_default();
        let each =
            |check: &Statement| format!("(stringify!({}), {:?}, {}u64), ", check.name, check.type_name, hash(check));
        let all: String = self.idle_checks.iter().map(each).collect();
        Some(format!("{CHECK_OTHERS}&[{all}]);\n"))
    }

    /// A line (from 0) with its additions.
    pub fn line<'a>(&self, index: usize, line: &'a str) -> Cow<'a, str> {
        let mut line = Cow::Borrowed(line);
        if self.unused.iter().any(|(statement, _)| statement.lines.contains(&index)) {
            return format!("{LEFT}{line}").into();
        }
        if self.idle_lines.contains(&index) {
            return format!("{IDLE}{line}").into();
        }
        if self.replaced.iter().flat_map(|replaced| &replaced.outside).any(|line| line.lines.contains(&index)) {
            return format!("{INSIDE}{line}").into();
        }
        if let Some(text) = self.check_of_idle(index) {
            return text.into();
        }
        if let Some(hash) = self.definitions.get(&index) {
            line = with_definitions(&line, *hash).into();
        }
        if self.old_values_line == Some(index) && !(self.kept.is_empty() && self.replaced.is_empty()) {
            let kept: String = self.kept.iter().map(OldValue::statement).collect();
            let missed = |replaced: &InnerVariable| format!("{STORE}miss_variable(stringify!({}));", replaced.name);
            let missed: String = self.replaced.iter().map(missed).collect();
            line = format!("{OLD_VALUES}{kept}{missed}\n").into();
        }
        match self.layout.as_ref().map(|layout| (layout.code.start - 1, layout.end)) {
            Some((start, _)) if start == index && !self.replaced.is_empty() => {
                let takes: String = self.replaced.iter().map(|replaced| format!(" {}", replaced.take)).collect();
                line = format!("{}{takes}\n", line.trim_end_matches('\n')).into();
            }
            Some((_, end)) if end == index => {
                let puts: String = self.replaced.iter().map(|replaced| format!("{} ", replaced.put)).collect();
                line = format!("{puts}{line}").into();
            }
            _ => {}
        }
        line
    }

    /// The source of a cell that only drops the variables whose types cannot be named any longer. evcxr then runs the
    /// user's cell without them. `source` has the planned lines.
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

    /// The findings in the compiler's messages (JSON, one on each line). `None` if all errors are the user's.
    pub fn findings(&self, messages: &str) -> Option<CompilerFindings> {
        let mut findings = CompilerFindings::default();
        let mut elsewhere = false;
        for message in CompilerMessage::errors(messages) {
            let Some(index) = message.line() else { continue };
            let is_named = |name: &str| message.text().contains(&format!("`{name}`"));
            let checked = self.checked.iter().find(|statement| statement.lines.contains(&index));
            let unused = self.unused.iter().map(|(statement, _)| statement).chain(&self.idle);
            let unused = unused.map(|statement| statement.name.clone());
            let used: BTreeSet<String> = unused.filter(|name| is_named(name)).collect();
            if message.code() == "E0425" && !used.is_empty() {
                findings.used.extend(used);
            } else if self.old_values_line == Some(index) {
                let names = || self.kept.iter().map(|kept| kept.name.clone());
                let moved: Vec<String> = names().filter(|name| is_named(name)).collect();
                findings.moved.extend(if moved.is_empty() { names().collect() } else { moved });
            } else if let Some(replaced) = self.replaced_at(index).find(|replaced| is_named(&replaced.name)) {
                findings.without_value.push(replaced.name.clone());
            } else if let Some(name) = self.moved_away(&message).filter(|name| self.assigned.contains(name)) {
                findings.replaced.push(name.clone());
            } else if let Some(statement) = checked {
                findings.nameless.push(statement.name.clone());
            } else if !self.moving.iter().any(|lines| lines.contains(&index)) {
                elsewhere = true;
            }
        }
        if elsewhere {
            // The cell has errors of its own and will not run. So no variable may be dropped for it.
            findings.nameless.clear();
        }
        (findings != CompilerFindings::default()).then_some(findings)
    }

    /// Whether the only errors are about variables that cannot be stored after the closure, because it has moved them
    /// away.
    pub fn only_moves_away(&self, messages: &str) -> bool {
        // Old values that cannot be kept, too.
        let moves = |message: &CompilerMessage| {
            self.moved_away(message).is_some() || (message.code() == "E0382" && message.line() == self.old_values_line)
        };
        let errors: Vec<_> = CompilerMessage::errors(messages).filter(|message| message.line().is_some()).collect();
        !errors.is_empty() && errors.iter().all(moves)
    }

    /// The compiler's messages in the form that evcxr understands: a variable without a value counts as moved away.
    pub fn for_evcxr(&self, messages: &str) -> String {
        if !messages.contains("E0381") {
            return messages.to_owned();
        }
        let stores = |index: usize| self.moving.iter().any(|lines| lines.contains(&index));
        let changed = messages.lines().map(|line| match CompilerMessage::read(line) {
            Some(message) if message.code() == "E0381" && message.line().is_some_and(stores) => {
                let mut message = message.json().clone();
                message["code"]["code"] = "E0382".into();
                format!("{message}\n")
            }
            _ => format!("{line}\n"),
        });
        changed.collect()
    }

    /// The compiler's messages for evcxr about variables that are gone when the cell ends, without `replaced`
    /// variables. evcxr then forgets them. `None` if there are no such variables, or if there are other errors.
    pub fn about_gone(&self, messages: &str, replaced: &[String]) -> Option<String> {
        let errors = CompilerMessage::errors(messages).filter(|message| message.line().is_some());
        let gone: Vec<&String> = errors.map(|message| self.moved_away(&message)).collect::<Option<_>>()?;
        let is_replaced = |name: &String| replaced.contains(name);
        let is_wanted = |message: &CompilerMessage| !self.moved_away(message).is_some_and(is_replaced);
        gone.into_iter().any(|name| !is_replaced(name)).then(|| lines_where(messages, is_wanted))
    }

    /// The new variables that cannot be stored, since their values were moved away, with their types.
    pub fn new_that_are_moved_away(&self, messages: &str) -> BTreeMap<String, String> {
        let Some(layout) = &self.layout else { return BTreeMap::new() };
        let moved = CompilerMessage::all(messages).filter_map(|message| {
            let index = message.line().filter(|_| message.code() == "E0382")?;
            let store = layout.new.iter().find(|store| store.lines.contains(&index))?;
            Some((store.name.clone(), store.type_name.clone()))
        });
        moved.collect()
    }

    /// The variable that cannot be stored after the closure, because its value was moved away.
    fn moved_away(&self, error: &CompilerMessage) -> Option<&String> {
        let index = error.line().filter(|_| error.code() == "E0382")?;
        let store = self.layout.as_ref()?.others.iter().find(|store| store.lines.contains(&index))?;
        Some(&store.name)
    }

    /// The variables that a line stores inside of the closure.
    fn replaced_at(&self, index: usize) -> impl Iterator<Item = &InnerVariable> {
        let is_there = self.layout.as_ref().is_some_and(|layout| layout.end == index);
        self.replaced.iter().filter(move |_| is_there)
    }
}

impl OldValue {
    fn of(old: &Statement, is_mutable: bool, definitions: u64) -> OldValue {
        OldValue { name: old.name.clone(), type_name: old.type_name.clone(), is_mutable, definitions }
    }

    fn stored(&self) -> StoredVariable {
        StoredVariable::new(&self.name, &self.type_name, self.is_mutable, self.definitions)
    }

    /// The variable, and the statement that puts its old value back.
    fn restored(&self) -> (StoredVariable, String) {
        (self.stored(), self.statement())
    }

    fn statement(&self) -> String {
        let OldValue { name, type_name, definitions, .. } = self;
        // On one line, as all that is added.
        let type_name = type_name.replace('\n', " ");
        with_definitions(&format!("{STORE}keep_variable::<{type_name}>(stringify!({name}), {name});"), *definitions)
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

/// The first line of the user's code, inside of evcxr's code.
fn start_of_cell(lines: &[&str], from: usize) -> Option<usize> {
    if lines.get(from..from + 2)? != [CATCHES, "  std::panic::AssertUnwindSafe(||{"] {
        return None;
    }
    let first = lines.get(from + 2)?;
    if first.starts_with("let mut mutex = evcxr_variable_store.lazy_arc") {
        let length = lines[from..].iter().take(LONGEST_STATEMENT).position(|line| *line == WAITS)?;
        return Some(from + length + 1);
    }
    let is_wrapped = *first == "let _ = (|| -> std::result::Result<(), EvcxrUserCodeError> {";
    Some(from + 2 + usize::from(is_wrapped))
}

fn kind_of(last_line_before: &str) -> CellForm {
    match last_line_before {
        WAITS => CellForm::Async,
        "  std::panic::AssertUnwindSafe(||{" => CellForm::Plain,
        _ => CellForm::Result,
    }
}

/// The line behind the user's code and the stores of new variables. The closure ends at `tail`.
fn end_of_cell(lines: &[&str], tail: usize, kind: CellForm) -> usize {
    match kind {
        CellForm::Async if lines[tail - 2] == ASYNC_RESULT => tail - 2,
        CellForm::Plain => tail,
        CellForm::Async | CellForm::Result => tail - 1,
    }
}

#[cfg(test)]
pub mod tests;
