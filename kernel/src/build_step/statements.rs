//! Runs each statement of a cell separately. So the effects before a failing statement remain, as in Python.
//!
//! evcxr puts the whole cell into one closure that catches panics, and stores new variables at its end. Here each
//! statement gets such a closure, which returns the variables that it defines:
//!
//! ```text
//! if let Some((mut q,)) = ::warpcell::cell::statement(|| {
//! let mut q = 2;
//! ; (q,) }) {
//! if let Some(()) = ::warpcell::cell::statement(|| {
//! fails();
//! ; () }) {
//! }
//! evcxr_variable_store.put_variable::<i32>(stringify!(q), q);
//! }
//! ```
//!
//! So a new variable is stored even if a later statement fails. The compiler's error shows which closure moves a
//! variable away. Such a variable cannot be stored after that statement, but it can if an earlier statement fails. If
//! the statement also assigns a new value (`a = a + 1.0;`), its closure returns this value.
//!
//! Cells with `return` or `.await` stay unchanged, because this does not work for them. If there is an error that this
//! form may have caused, the other form is compiled, because evcxr must get the compiler's messages about the user's
//! own code.

use super::compiler_message::{CompilerMessage, with_objects};
use super::messages;
use super::names::{Binding, assigned, bindings};
use super::report::{StoredVariable, VariableReport};
use super::rewrite::SHOW;
use super::store_calls::STORE;
use super::stored_variables::{CellForm, FunctionLayout, OLD_VALUES};
use crate::syntax::{line_start, plain, statements};
use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// A statement whose closure moves a variable away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consumed {
    /// The variable.
    name: String,
    /// The number of the statement.
    statement: usize,
    /// Whether the variable has a value again at the statement's end.
    renewed: bool,
    /// The later statement that assigns a new value.
    revived_by: Option<usize>,
}

impl Consumed {
    /// Whether the variable gets no other value.
    fn is_gone(&self) -> bool {
        !self.renewed && self.revived_by.is_none()
    }
}

/// The facts from an earlier compilation of a cell. evcxr asks for another one when it learns that a variable is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownMoves {
    code: String,
    /// The statements that move variables away.
    pub consumed: Vec<Consumed>,
    /// The names and store calls of variables that evcxr does not store any longer.
    puts: Vec<(String, String)>,
}

/// The file of the session with it.
const KNOWN: &str = "statements.json";

impl KnownMoves {
    /// Reads the facts about the cell with this code.
    pub fn read(session: &Path, code: &str) -> KnownMoves {
        let known: KnownMoves = messages::read(session, KNOWN);
        if known.code == code { known } else { KnownMoves { code: code.to_owned(), ..KnownMoves::default() } }
    }

    /// Adds what another compilation has shown.
    pub fn add(&mut self, more: &[Consumed]) {
        for consumed in more {
            let is_same = |known: &&mut Consumed| known.name == consumed.name && known.statement == consumed.statement;
            match self.consumed.iter_mut().find(is_same) {
                Some(known) => {
                    known.renewed &= consumed.renewed;
                    known.revived_by = known.revived_by.or(consumed.revived_by);
                }
                None => self.consumed.push(consumed.clone()),
            }
        }
    }

    /// Keeps it for the next compilation.
    pub fn write(&self, session: &Path) -> anyhow::Result<()> {
        messages::write(session, KNOWN, self)
    }
}

/// What the compiler's messages mean for a cell in this form.
#[derive(Debug, PartialEq, Eq)]
pub enum SplitVerdict {
    /// Variables are moved away. If some of them are gone, the messages for evcxr about them.
    Consumes(Vec<Consumed>, Option<String>),
    /// There are other errors.
    Other,
}

/// A cell in this form.
#[derive(Default)]
pub struct Split {
    /// The source.
    pub text: String,
    /// For each line of it, the line that evcxr wrote; both from 0.
    origins: Vec<usize>,
    /// The lines that begin and end the closures.
    openings: Vec<usize>,
    closings: Vec<usize>,
    /// The variables that each statement may assign to, and those that it defines.
    assigned: Vec<HashSet<String>>,
    defined: Vec<HashSet<String>>,
    consumed: Vec<Consumed>,
    /// The lines that store variables, with their names. The flag says whether evcxr wrote the line.
    stored: Vec<(String, usize, bool)>,
    /// Variables that the cell may have stored, unknown to evcxr, before it fails.
    made: Vec<StoredVariable>,
    /// Variables of earlier cells that are lost if the cell fails while it assigns new values to them.
    replaced: Vec<String>,
    /// Variables whose old values are lost if the cell fails in the statement that moves them away, or later.
    uncertain: Vec<StoredVariable>,
}

/// A statement of the cell.
struct Part {
    /// Its lines.
    lines: std::ops::Range<usize>,
    /// The variables that it defines, and whether they are mutable.
    defines: Vec<(String, bool)>,
    assigned: HashSet<String>,
    /// Declarations of variables that earlier statements declared without a value. This statement assigns their values.
    declares: String,
}

/// A variable, starting with the statement that gives it its value.
struct Instance {
    name: String,
    is_mutable: bool,
    /// The statement; none for variables of earlier cells.
    made_by: Option<usize>,
    /// The statement that moves it away.
    consumed_by: Option<usize>,
    /// Which `let` of the cell it is from, or from before it.
    variable: usize,
}

/// More closures than this take longer to compile than they are worth.
const MOST: usize = 40;

/// Errors that may be due to the closures.
const MAYBE_OURS: [&str; 13] = [
    "E0282", "E0283", "E0373", "E0381", "E0382", "E0499", "E0502", "E0505", "E0506", "E0515", "E0521", "E0597", "E0716",
];

impl Split {
    /// The split form of a cell. evcxr wrote the lines, and the plan for the variables has changed them. `None` if the
    /// form is useless and not `wanted`, or if it does not work.
    pub fn new(planned: &str, layout: &FunctionLayout, known: &KnownMoves, wanted: bool) -> Option<Split> {
        let lines: Vec<&str> = planned.lines().collect();
        let parts = parts(&lines, layout)?;
        let (_, all_but_last) = parts.split_last()?;
        let has_use = wanted || !known.consumed.is_empty() || all_but_last.iter().any(|part| !part.defines.is_empty());
        (has_use && parts.len() > 1).then(|| Writer::new(&lines, layout, &parts, known).write())
    }

    /// The code that identifies a cell. It leaves out evcxr's code for showing the value, because evcxr tries several
    /// forms of it.
    pub fn code(planned: &str, layout: &FunctionLayout) -> String {
        let lines = planned.lines().skip(layout.code.start).take(layout.code.len());
        let shows = |line: &str| {
            matches!(line, "" | "(" | SHOW | ")));")
                || ["fn evcxr_send_text_plain(", "evcxr_send_text_plain("].iter().any(|start| line.starts_with(start))
        };
        lines.filter(|line| !shows(line)).collect::<Vec<_>>().join("\n")
    }

    /// What the messages about this text mean.
    pub fn verdict(&self, messages: &str) -> SplitVerdict {
        let mut found: Vec<Consumed> = Vec::new();
        let mut about_gone = String::new();
        for message in CompilerMessage::errors(messages) {
            let Some(primary) = message.line() else { continue };
            let Some(consumed) = self.consumption(&message, primary) else { return SplitVerdict::Other };
            let is_stored = |(name, at, own): &(String, usize, bool)| *own && *name == consumed.name && *at == primary;
            if consumed.is_gone() && self.stored.iter().any(is_stored) {
                about_gone.push_str(&format!("{}\n", message.json()));
            }
            if !found.contains(&consumed) {
                found.push(consumed);
            }
        }
        let gone = (!about_gone.is_empty()).then(|| self.in_lines_of_evcxr(&about_gone));
        let is_known = found.iter().all(|consumed| self.consumed.contains(consumed));
        if is_known && gone.is_none() { SplitVerdict::Other } else { SplitVerdict::Consumes(found, gone) }
    }

    fn consumption(&self, message: &CompilerMessage, primary: usize) -> Option<Consumed> {
        if message.code() != "E0382" {
            return None;
        }
        let (_, rest) = message.text().split_once('`')?;
        // It may be of a part: `*a`, `a.0`, `(*a).0`, `a[_]`.
        let name = rest.trim_start_matches(['*', '(']).split(['`', '.', '[', ')']).next()?;
        let name = plain(name).to_owned();
        if let Some(statement) = self.closings.iter().position(|line| *line == primary) {
            return Some(Consumed { name, statement, renewed: false, revived_by: None });
        }
        let is_into =
            |span: &&Value| span["label"].as_str().is_some_and(|label| label.contains("moved into closure here"));
        let into = message.spans().iter().find(is_into)?;
        let line = usize::try_from(into["line_start"].as_u64()?).ok()?.checked_sub(1)?;
        let statement = self.openings.iter().position(|opening| *opening == line)?;
        let renewed = self.assigned[statement].contains(&name);
        let is_ours = self.openings.contains(&primary) || self.stored.iter().any(|(_, line, _)| *line == primary);
        // A use after a move is the user's own error, unless the moving statement or the use assigns a new value.
        let using = self.openings.iter().position(|opening| *opening == primary).filter(|_| !renewed);
        // Of several uses the compiler may name the last.
        let until = (statement..self.defined.len()).find(|part| self.defined[*part].contains(&name));
        let later = statement + 1..until.unwrap_or(self.defined.len());
        let mut later = later.filter(|_| !renewed && (using.is_some() || is_ours));
        let revived_by = later.find(|later| self.assigned[*later].contains(&name));
        let revived_by = revived_by.filter(|revived| using.is_none_or(|using| *revived <= using));
        (renewed || revived_by.is_some() || is_ours && using.is_none()).then_some(Consumed {
            name,
            statement,
            renewed,
            revived_by,
        })
    }

    /// Whether there are errors that a cell in evcxr's form might not have.
    pub fn may_have_caused(&self, messages: &str) -> bool {
        MAYBE_OURS.iter().any(|code| messages.contains(code))
    }

    /// Messages about this text as messages about evcxr's.
    pub fn in_lines_of_evcxr(&self, messages: &str) -> String {
        with_objects(messages, |span| {
            for name in ["line_start", "line_end"] {
                let line = span.get(name).and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
                if let Some(origin) = line.and_then(|line| self.origins.get(line.checked_sub(1)?)) {
                    span.insert(name.to_owned(), Value::from(origin + 1));
                }
            }
        })
    }

    /// Adds the changes of this form to the report.
    pub fn add_to(&self, report: &mut VariableReport) {
        report.made.extend(self.made.iter().cloned());
        report.left.retain(|left| !self.uncertain.iter().any(|uncertain| uncertain.name == left.name));
        report.uncertain.extend(self.uncertain.iter().cloned());
        report.replaced.extend(self.replaced.iter().cloned());
        report.by_statements = true;
    }
}

/// The statements of a cell. `None` if they cannot run separately.
fn parts(lines: &[&str], layout: &FunctionLayout) -> Option<Vec<Part>> {
    if layout.kind == CellForm::Async {
        return None;
    }
    let code = lines[layout.code.clone()].join("\n");
    if code.contains(STORE) {
        return None;
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut is_open = false;
    // Variables without a value yet. If the type of one is not known, all statements up to its assignment stay
    // together.
    let mut without_value: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (start, node) in &statements(&code) {
        if leaves(node) {
            return None;
        }
        let line_start = line_start(&code, *start);
        let line = layout.code.start + code[..*start].matches('\n').count();
        // evcxr gives each statement its own lines.
        let begins_line = code[line_start..*start].trim().is_empty();
        let is_variable = |binding: &Binding| {
            !binding.may_be_constant() || layout.new.iter().any(|stored| stored.name == binding.name)
        };
        let bound: Vec<Binding> = bindings(node).into_iter().filter(is_variable).collect();
        let mut defines: Vec<(String, bool)> =
            bound.iter().map(|binding| (binding.name.clone(), binding.is_mutable)).collect();
        let assigned = assigned(&node.text().to_string());
        let mut declares = String::new();
        // A name that is given to another variable.
        for (name, _) in &defines {
            if !assigned.contains(name) {
                without_value.remove(name);
            }
        }
        for Binding { name, without_value: declared, .. } in bound {
            let Some(type_name) = declared else { continue };
            if type_name.is_some() {
                defines.clear();
            }
            without_value.insert(name, type_name);
        }
        for name in &assigned {
            if let Some(type_name) = without_value.remove(name).flatten() {
                declares.push_str(&format!(" let mut {name}: {type_name};"));
                defines.push((name.clone(), true));
            }
        }
        // An item stays with the statement behind it.
        if let (true, Some(last)) = (is_open || !begins_line || parts.len() >= MOST, parts.last_mut()) {
            last.defines.extend(defines);
            last.assigned.extend(assigned);
            last.declares.push_str(&declares);
        } else {
            if let Some(last) = parts.last_mut() {
                last.lines.end = line;
            }
            let start = if parts.is_empty() { layout.code.start } else { line };
            parts.push(Part { lines: start..layout.code.end, defines, assigned, declares });
        }
        is_open = ast::Item::can_cast(node.kind()) || without_value.values().any(Option::is_none);
    }
    Some(parts)
}

/// Whether a statement may end the cell by `return`, or wait in it.
fn leaves(node: &SyntaxNode) -> bool {
    node.descendants_with_tokens().filter_map(|element| element.into_token()).any(|token| {
        let is_way_out = matches!(token.kind(), SyntaxKind::RETURN_KW | SyntaxKind::AWAIT_KW)
            || (token.kind() == SyntaxKind::IDENT && matches!(token.text(), "return" | "await"));
        let inside =
            |kind| token.parent_ancestors().take_while(|around| around != node).any(|around| around.kind() == kind);
        is_way_out && !inside(SyntaxKind::CLOSURE_EXPR) && !inside(SyntaxKind::FN)
    })
}

/// Writes the text.
struct Writer<'a> {
    lines: &'a [&'a str],
    layout: &'a FunctionLayout,
    parts: &'a [Part],
    known: &'a KnownMoves,
    instances: Vec<Instance>,
    split: Split,
    /// The line of evcxr that the written text belongs to.
    origin: usize,
}

impl<'a> Writer<'a> {
    fn new(lines: &'a [&'a str], layout: &'a FunctionLayout, parts: &'a [Part], known: &'a KnownMoves) -> Writer<'a> {
        let split = Split {
            assigned: parts.iter().map(|part| part.assigned.clone()).collect(),
            defined: parts.iter().map(|part| part.defines.iter().map(|(name, _)| name.clone()).collect()).collect(),
            consumed: known.consumed.clone(),
            ..Split::default()
        };
        let instances = instances(layout, parts, &known.consumed);
        Writer { lines, layout, parts, known, instances, split, origin: 0 }
    }

    fn line(&mut self, text: &str) {
        self.split.text.push_str(text);
        self.split.text.push('\n');
        self.split.origins.push(self.origin);
    }

    /// Writes a line that belongs to the end of the cell.
    fn line_at_tail(&mut self, text: &str) {
        self.origin = self.layout.tail;
        self.line(text);
    }

    fn copy(&mut self, lines: std::ops::Range<usize>) {
        for index in lines {
            self.origin = index;
            self.line(self.lines[index]);
        }
    }

    fn write(mut self) -> Split {
        let layout = self.layout;
        // The lines up to `match std::panic::catch_unwind(`. If the cell has a `?`, one of them is inside of the
        // closure.
        let start = layout.code.start - if layout.kind == CellForm::Result { 3 } else { 2 };
        self.copy(0..start);
        for index in 0..self.parts.len() {
            self.open(index);
        }
        for index in (0..self.parts.len()).rev() {
            self.close(index);
        }
        for index in 0..self.instances.len() {
            if self.instances[index].made_by.is_none() && self.is_stored_at_end(index) {
                self.store(index);
            }
        }
        let old_values_line = layout.tail + 4;
        self.origin = old_values_line;
        let kept: String = layout.kept.iter().map(|(_, keep)| keep.as_str()).collect();
        let behind_kept =
            self.lines[old_values_line].strip_prefix(OLD_VALUES).and_then(|text| text.strip_prefix(&kept));
        let behind_kept = behind_kept.unwrap_or_default().to_owned();
        let of_others = layout.taken.iter().map(|(name, _)| name);
        let of_others = of_others.filter(|name| layout.others.iter().any(|store| store.name == **name));
        let has_value = |name: &str| self.known.consumed.iter().any(|known| !known.is_gone() && known.name == name);
        let consumed: Vec<String> = of_others.filter(|name| has_value(name)).cloned().collect();
        let missed: String = consumed.iter().map(|name| format!("{STORE}miss_variable(stringify!({name}));")).collect();
        self.line(&format!("{behind_kept}{missed}"));
        self.split.replaced = consumed;
        let is_consumed = |name: &String| {
            let mut old = self.instances.iter().filter(|instance| instance.made_by.is_none());
            old.any(|old| old.name == *name && old.consumed_by.is_some())
        };
        // If the cell leaves nothing of a variable, it may only be moved away by a new variable of the same name.
        let kept = layout.kept.iter().filter(|(old, _)| is_consumed(&old.name));
        self.split.uncertain = kept.chain(&layout.away).map(|(old, _)| old).cloned().collect();
        let behind = layout.others.last().map_or(old_values_line + 1, |store| store.lines.end);
        self.copy(behind..self.lines.len());
        self.note_made();
        self.split
    }

    fn open(&mut self, index: usize) {
        let part = &self.parts[index];
        let made = || self.instances.iter().filter(|instance| instance.made_by == Some(index));
        let pattern: String =
            made().map(|made| format!("{}{}, ", if made.is_mutable { "mut " } else { "" }, made.name)).collect();
        let tuple: String = made().map(|made| format!("{}, ", made.name)).collect();
        self.origin = part.lines.start;
        self.split.openings.push(self.split.origins.len());
        // The statement declares the variables that it assigns again.
        let declared: String = self
            .known
            .consumed
            .iter()
            .filter(|consumed| consumed.revived_by == Some(index))
            .map(|consumed| format!(" let mut {};", consumed.name))
            .chain([part.declares.clone()])
            .collect();
        // The closure of a cell with `?` returns a result.
        let (result, ok, end) = match self.layout.kind {
            CellForm::Result => (" -> ::std::result::Result<_, EvcxrUserCodeError>", "::std::result::Result::Ok(", ")"),
            _ => ("", "", ""),
        };
        self.line(&format!(
            "if let ::std::option::Option::Some({ok}({pattern}){end}) = ::warpcell::cell::statement(||{result} {{{declared}"
        ));
        self.copy(part.lines.clone());
        self.split.closings.push(self.split.origins.len());
        self.line(&format!("; {ok}({tuple}){end} }}) {{"));
    }

    fn close(&mut self, index: usize) {
        for at in 0..self.instances.len() {
            if self.instances[at].made_by != Some(index) {
                continue;
            }
            if self.is_stored_at_end(at) {
                self.store(at);
            } else if self.hides(at) {
                self.line_at_tail(&format!("{STORE}hide_variable(stringify!({}));", self.instances[at].name));
            }
        }
        self.line_at_tail("} else {");
        for at in 0..self.instances.len() {
            let instance = &self.instances[at];
            let is_visible = instance.made_by.is_none_or(|made| made < index)
                && !self.instances.iter().any(|other| {
                    other.name == instance.name
                        && other.made_by.is_some_and(|made| made < index)
                        && instance.made_by.is_none_or(|own| own < other.made_by.unwrap_or_default())
                });
            match instance.consumed_by {
                Some(consumer) if consumer > index && is_visible => self.store(at),
                Some(consumer) if consumer == index && is_visible => {
                    let lost = format!("{STORE}lose_value(stringify!({}));", instance.name);
                    self.line(&lost);
                }
                None if is_visible && self.is_away(at) => self.store(at),
                _ => {}
            }
        }
        self.line_at_tail("}");
    }

    /// Whether a variable is stored at the end of its scope. A variable that is gone by then is not stored, but evcxr
    /// must first learn this from the compiler.
    fn is_stored_at_end(&self, index: usize) -> bool {
        let instance = &self.instances[index];
        let is_evcxrs = || self.layout.new.iter().chain(&self.layout.others).any(|store| store.name == instance.name);
        let is_last = || self.instances[index + 1..].iter().all(|other| other.name != instance.name);
        !self.is_away(index) && instance.consumed_by.is_none() || (is_last() && is_evcxrs())
    }

    /// Whether a variable hides another variable of the cell or of an earlier cell.
    fn hides(&self, index: usize) -> bool {
        let instance = &self.instances[index];
        let mut earlier = self.instances[..index].iter();
        earlier.any(|other| other.name == instance.name && other.variable < instance.variable)
    }

    /// Whether this is the old value of a variable of which the cell leaves nothing. It goes back only if a statement
    /// fails before the name has another value.
    fn is_away(&self, index: usize) -> bool {
        let instance = &self.instances[index];
        instance.made_by.is_none() && self.layout.away.iter().any(|(old, _)| old.name == instance.name)
    }

    /// Stores a variable.
    fn store(&mut self, index: usize) {
        let Instance { name, variable, .. } = &self.instances[index];
        let name = name.clone();
        let last = self.instances.iter().rfind(|other| other.name == name).map(|other| other.variable);
        let own = self.layout.new.iter().chain(&self.layout.others).find(|store| store.name == name).cloned();
        // evcxr does not store one that is gone at the end.
        let put = match &own {
            Some(store) => Some(self.lines[store.lines.clone()].join(" ")),
            None => self.known.puts.iter().find(|(known, _)| *known == name).map(|(_, put)| put.clone()),
        };
        let is_last = last == Some(*variable);
        let is_old = *variable < self.layout.taken.len();
        match (own, put) {
            (Some(store), _) if is_last => {
                self.split.stored.push((name, self.split.origins.len(), true));
                self.copy(store.lines);
            }
            (None, Some(put)) if is_last => {
                self.line_at_tail(&put);
            }
            // A variable of an earlier cell that this cell redefines or moves away.
            _ if is_old => {
                let mut old = self.layout.kept.iter().chain(&self.layout.away);
                if let Some((_, keep)) = old.find(|(old, _)| old.name == name) {
                    self.split.stored.push((name, self.split.origins.len(), false));
                    self.line_at_tail(keep);
                }
            }
            // The cell gives the name to another variable later.
            (_, Some(put)) => {
                let put = put.replacen("put_variable::<", "put_variable_as::<", 1);
                if let Some((before, after)) = put.rsplit_once(">(stringify!(") {
                    self.split.stored.push((name, self.split.origins.len(), false));
                    self.line_at_tail(&format!("{before}, _>(stringify!({after}"));
                }
            }
            _ => {}
        }
    }

    /// Records the variables that evcxr does not know about if the cell fails: new variables, and variables that are
    /// moved away later.
    fn note_made(&mut self) {
        let is_mutable = |name: &str| {
            self.instances.iter().rfind(|instance| instance.name == name).is_some_and(|instance| instance.is_mutable)
        };
        let own = self.layout.new.iter().map(|store| (store.name.clone(), self.lines[store.lines.clone()].join(" ")));
        let calls: BTreeMap<String, String> = self.known.puts.iter().cloned().chain(own).collect();
        self.split.made = calls.iter().filter_map(|(name, put)| StoredVariable::by(put, is_mutable(name))).collect();
    }
}

/// The calls that store variables which are gone at the cell's end, for [`KnownMoves`].
pub fn puts_of(planned: &str, layout: &FunctionLayout, known: &mut KnownMoves, gone: &[Consumed]) {
    let lines: Vec<&str> = planned.lines().collect();
    for store in layout.new.iter().chain(&layout.others) {
        if gone.iter().any(|one| one.is_gone() && one.name == store.name) {
            known.puts.push((store.name.clone(), lines[store.lines.clone()].join(" ")));
        }
    }
}

/// The variables of a cell, each starting with the statement that gives it its value.
fn instances(layout: &FunctionLayout, parts: &[Part], consumed: &[Consumed]) -> Vec<Instance> {
    let of_earlier = layout.taken.iter().enumerate().map(|(variable, (name, is_mutable))| Instance {
        name: name.clone(),
        is_mutable: *is_mutable,
        made_by: None,
        consumed_by: None,
        variable,
    });
    let mut instances: Vec<Instance> = of_earlier.collect();
    let mut next = instances.len();
    for (index, part) in parts.iter().enumerate() {
        let here = consumed.iter().filter(|consumed| consumed.statement == index);
        let mut gone_at_once = Vec::new();
        let mut renewed = Vec::new();
        for consumed in here {
            let earlier = instances.iter_mut().rfind(|instance| {
                instance.name == consumed.name && instance.made_by != Some(index) && instance.consumed_by.is_none()
            });
            match earlier {
                Some(instance) => {
                    instance.consumed_by = Some(index);
                    if consumed.renewed {
                        renewed.push((consumed.name.clone(), instance.is_mutable, instance.variable));
                    }
                }
                None => gone_at_once.push(&consumed.name),
            }
        }
        for revived in consumed.iter().filter(|consumed| consumed.revived_by == Some(index)) {
            let last = instances.iter().rfind(|instance| instance.name == revived.name);
            if let Some((is_mutable, variable)) = last.map(|last| (last.is_mutable, last.variable)) {
                renewed.push((revived.name.clone(), is_mutable, variable));
            }
        }
        let is_defined = |name: &str| part.defines.iter().any(|(defined, _)| defined == name);
        for (name, is_mutable, variable) in renewed {
            if !is_defined(&name) {
                instances.push(Instance { name, is_mutable, made_by: Some(index), consumed_by: None, variable });
            }
        }
        let mut seen = HashSet::new();
        for (name, is_mutable) in part.defines.iter().rev().filter(|(name, _)| !gone_at_once.contains(&name)) {
            if seen.insert(name) {
                let (name, is_mutable) = (name.clone(), *is_mutable);
                instances.push(Instance { name, is_mutable, made_by: Some(index), consumed_by: None, variable: next });
                next += 1;
            }
        }
    }
    instances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build_step::stored_variables::tests::source;
    use crate::build_step::stored_variables::{CompilerFindings, VariablePlan};
    use crate::build_step::types::KnownTypes;
    use serde_json::json;

    const STORED: [(&str, &str); 2] = [("mut x", "Vec<i32>"), ("y", "String")];

    fn split(code: &str, new: &[(&str, &str)], consumed: &[(&str, usize, bool)]) -> Option<Split> {
        let consumed = consumed.iter().map(|(name, statement, renewed)| Consumed {
            name: (*name).to_owned(),
            statement: *statement,
            renewed: *renewed,
            revived_by: None,
        });
        split_knowing(code, new, consumed.collect())
    }

    fn split_knowing(code: &str, new: &[(&str, &str)], consumed: Vec<Consumed>) -> Option<Split> {
        let source = source("", &STORED, code, new);
        let plan = VariablePlan::new(&source, &[], &KnownTypes::default(), &CompilerFindings::default());
        // With the lines that keep old values.
        let with_old_values =
            |(index, line)| if str::starts_with(line, "}}") { plan.line(index, line) } else { line.into() };
        let planned: String = source.split_inclusive('\n').enumerate().map(with_old_values).collect();
        let known = KnownMoves { consumed, ..KnownMoves::default() };
        Split::new(&planned, plan.layout().unwrap(), &known, false)
    }

    #[test]
    fn old_values_are_kept_as_long_as_they_are_there() {
        let code = "g();\nlet x = f(x);\nh();\n";
        let whole = split(code, &[("x", "X")], &[]).unwrap();
        assert!(body(&whole).contains("keep_<Vec<i32>>(x), x);\nput_<String>(y), y);"), "{}", body(&whole));
        assert!(whole.uncertain.is_empty());
        let line = whole.text.lines().position(|line| line.contains("keep_variable")).unwrap();
        let message = moved(&whole, "x", 1, line);
        let SplitVerdict::Consumes(consumed, None) = whole.verdict(&message) else { panic!("{message}") };
        let made = split_knowing(code, &[("x", "X")], consumed).unwrap();
        let text = body(&made);
        // The value goes back before that statement. It is lost in the statement. After it, the new value exists.
        assert!(
            text.contains("put_<X>(x), x);\n} else {\nlose_value(x));\n}\n} else {\nkeep_<Vec<i32>>(x), x);\n}"),
            "{text}"
        );
        assert_eq!(made.uncertain.iter().map(|old| old.name.as_str()).collect::<Vec<_>>(), ["x"]);
    }

    /// The text between the variables that are taken and the function's end.
    fn body(split: &Split) -> String {
        let (_, rest) = split.text.split_once("take_variable::<String>(stringify!(y));\n").unwrap();
        let short = rest.replace("::std::option::Option::", "").replace("::warpcell::cell::", "");
        short.replace("evcxr_variable_store.", "").replace("variable::<", "<").replace("(stringify!", "")
    }

    #[test]
    fn new_variables_are_stored_behind_the_statements_that_follow_them() {
        let made = split("let mut a = f();\nlet b = 2;\ng(&x);\n", &[("a", "A"), ("b", "i32")], &[]).unwrap();
        let expected = "if let Some((mut a, )) = statement(|| {\nlet mut a = f();\n; (a, ) }) {\n\
                        if let Some((b, )) = statement(|| {\nlet b = 2;\n; (b, ) }) {\n\
                        if let Some(()) = statement(|| {\ng(&x);\n; () }) {\n} else {\n}\n\
                        put_<i32>(b), b);\n} else {\n}\nput_<A>(a), a);\n} else {\n}\n\
                        put_<Vec<i32>>(x), x);\nput_<String>(y), y);\n\nevcxr_variable_store\n}\n";
        assert_eq!(body(&made), expected);
        assert_eq!(made.text.lines().count(), made.origins.len());
        assert_eq!(made.made.iter().map(|stored| stored.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(made.made[0].take.starts_with("let mut a: A = "), "{:?}", made.made);
    }

    #[test]
    fn a_variable_that_is_renewed_comes_out_of_the_closure_again() {
        let made = split("let a = 1;\nx = f(x);\ng();\n", &[("a", "i32")], &[("x", 1, true)]).unwrap();
        let text = body(&made);
        assert!(text.contains("if let Some((mut x, )) = statement(|| {\nx = f(x);\n; (x, ) }) {\n"), "{text}");
        // The value is lost where it is taken. Before, it goes back. After, its new value goes back.
        assert!(text.contains("put_<Vec<i32>>(x), x);\n} else {\nlose_value(x));\n}\n"), "{text}");
        assert!(text.contains("put_<i32>(a), a);\n} else {\nput_<Vec<i32>>(x), x);\n}\n"), "{text}");
        assert!(text.ends_with("put_<String>(y), y);\nmiss_variable(x));\nevcxr_variable_store\n}\n"), "{text}");
        assert_eq!(made.replaced, ["x"]);
    }

    #[test]
    fn a_name_that_the_cell_gives_away_twice_is_stored_as_what_it_is_in_the_end() {
        let made = split("let s = f();\nlet s = s.len();\ng();\n", &[("s", "usize")], &[]).unwrap();
        let text = body(&made);
        assert!(text.contains("put_<usize>(s), s);\n} else {\n}\nput_variable_as::<usize, _>(s), s);\n"), "{text}");
    }

    #[test]
    fn variables_without_a_value_are_declared_where_they_get_one() {
        let made = split("let mut a: A;\ng();\na = f();\nh();\n", &[("a", "A")], &[]).unwrap();
        let expected = "if let Some(()) = statement(|| {\nlet mut a: A;\n; () }) {\n\
                        if let Some(()) = statement(|| {\ng();\n; () }) {\n\
                        if let Some((mut a, )) = statement(|| { let mut a: A;\na = f();\n; (a, ) }) {\n\
                        if let Some(()) = statement(|| {\nh();\n; () }) {\n} else {\n}\nput_<A>(a), a);\n";
        assert!(body(&made).starts_with(expected), "{}", body(&made));
        let open = split("let a;\ng();\na = f();\nh();\n", &[("a", "A")], &[]).unwrap();
        let expected = "if let Some((a, )) = statement(|| {\nlet a;\ng();\na = f();\n; (a, ) }) {\n";
        assert!(body(&open).starts_with(expected), "{}", body(&open));
    }

    #[test]
    fn cells_that_cannot_be_split_or_need_not_be() {
        for code in [
            "let a = f();\nif a { return; }\ng();\n",
            "let a = f();\nm!(return);\n",
            "let a = f();\n",
            "f();\ng();\n",
            "let a = 1; let b = 2;\n",
        ] {
            assert!(split(code, &[("a", "A")], &[]).is_none(), "{code}");
        }
        let returning = "let a = 1;\nlet b = (|| { return 3; })();\n";
        assert!(split(returning, &[("a", "i32"), ("b", "i32")], &[]).is_some());
    }

    #[test]
    fn items_go_with_the_statement_behind_them() {
        let made = split("let a = 1;\nfn show(n: i32) {\n}\nshow(\na\n);\n", &[("a", "i32")], &[]).unwrap();
        assert!(body(&made).contains("statement(|| {\nfn show(n: i32) {\n}\nshow(\na\n);\n; () })"), "{}", body(&made));
    }

    #[test]
    fn a_declared_name_that_is_given_to_another_variable_is_that_variable() {
        let made = split("let mut z: u8;\nlet mut z = f();\nz = g(z);\n", &[("z", "Z")], &[]).unwrap();
        assert!(!body(&made).contains("{ let mut z: u8;"), "{}", body(&made));
    }

    /// The compiler's error about a value that the closure of a statement has moved away.
    fn moved(split: &Split, name: &str, statement: usize, primary: usize) -> String {
        let message = format!("use of moved value: `{name}`");
        let spans = json!([
            { "is_primary": true, "line_start": primary + 1, "line_end": primary + 1 },
            { "is_primary": false, "label": "value moved into closure here", "line_start": split.openings[statement] + 1 },
        ]);
        json!({ "level": "error", "message": message, "code": { "code": "E0382" }, "spans": spans }).to_string()
    }

    #[test]
    fn the_compiler_says_where_variables_are_moved_away() {
        let split_of =
            |consumed: &[(&str, usize, bool)]| split("let a = 1;\nx = f(x);\ndrop(y);\n", &[("a", "i32")], consumed);
        let first = split_of(&[]).unwrap();
        let line =
            |name: &str| first.text.lines().position(|line| line.contains(&format!("put_variable::<{name}>"))).unwrap();
        let both = [moved(&first, "x", 1, line("Vec<i32>")), moved(&first, "y", 2, line("String"))].join("\n");
        let SplitVerdict::Consumes(found, Some(gone)) = first.verdict(&both) else { panic!("{both}") };
        let expected =
            |name: &str, statement, renewed| Consumed { name: name.to_owned(), statement, renewed, revived_by: None };
        assert_eq!(found, [expected("x", 1, true), expected("y", 2, false)]);
        let message = CompilerMessage::read(&gone).unwrap();
        let source = source("", &STORED, "let a = 1;\nx = f(x);\ndrop(y);\n", &[("a", "i32")]);
        let stored = source.lines().nth(message.line().unwrap()).unwrap();
        assert!(stored.contains("put_variable::<String>"), "evcxr knows its own line: {stored}");
        // A later statement assigns it again, and so does the following one.
        let revived = Consumed { name: "y".to_owned(), statement: 1, renewed: false, revived_by: Some(2) };
        let code = "let a = 1;\ndrop(y);\ny = f();\n";
        let moved_first = split(code, &[("a", "i32")], &[]).unwrap();
        let used = moved(&moved_first, "y", 1, moved_first.openings[2]);
        assert_eq!(moved_first.verdict(&used), SplitVerdict::Consumes(vec![revived.clone()], None));
        // A use of the value that it points to is a use of the variable.
        let of_part = moved(&moved_first, "*y", 1, moved_first.openings[2]);
        assert_eq!(moved_first.verdict(&of_part), SplitVerdict::Consumes(vec![revived.clone()], None));
        let made = split_knowing(code, &[("a", "i32")], vec![revived]).unwrap();
        let text = body(&made);
        assert!(text.contains("if let Some((y, )) = statement(|| { let mut y;\ny = f();\n; (y, ) }) {"), "{text}");
        assert!(text.contains("put_<String>(y), y);\n} else {\n}\n} else {\nlose_value(y));"), "{text}");
        // At the end of the closure: it has no value after all.
        let second = split_of(&[("x", 1, true), ("y", 2, false)]).unwrap();
        let again = moved(&second, "x", 1, second.closings[1]);
        assert_eq!(second.verdict(&again), SplitVerdict::Consumes(vec![expected("x", 1, false)], None));
        // In the user's own code it is the user's error.
        let own = moved(&second, "y", 2, second.closings[2] - 1);
        assert_eq!(second.verdict(&own), SplitVerdict::Other);
        assert!(second.may_have_caused(&own));
    }
}
