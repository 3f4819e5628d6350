//! Completion and documentation. A separate process has an evcxr context for it ([`process`]), with a rust-analyzer that knows all
//! crates, so it never waits for a cell, and cells never wait for it. It gets what the session has defined ([`Knowledge`]) with each
//! question.
//!
//! The process takes more memory than the kernel. It is started when it is first asked, or when the kernel has been idle for a while: a
//! notebook that is run from top to bottom does not need it. Only some kernels of a user start it ahead of a question ([`ahead`]). If it
//! dies, the next question starts it again.

mod ahead;
pub mod process;

use super::completion;
use super::context::IMPORTS;
use super::{CellError, Completeness, Completions, Evaluator, InputAnswer, InterruptHandle, Outcome, OutputSink};
use crate::environment::{ASSISTANT, CONTEXT_DIRECTORY, SESSION, assistants_ahead};
use crate::files;
use crate::magics::{self, Notebook};
use crate::memory;
use crate::printing::errln;
use crate::process_group;
use crate::syntax::parse;
use anyhow::{Context, Result, bail};
use process::{HelpAnswer, HelpGoal, HelpQuestion};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an answer may take. Then the process is ended.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a question waits for a process that starts. A user does not wait for completions longer than that.
const STARTING: Duration = Duration::from_secs(10);
/// How long the start may take that an installation records: the tools are asked then.
const RECORDING: Duration = Duration::from_secs(300);

/// The text before all items. evcxr drops comments at the start of code. Without this text the first item would lose
/// its documentation.
const FIRST: &str = "const _: () = ();\n";

/// What the session has defined so far.
#[derive(Clone, Debug, Default)]
struct Knowledge {
    /// The `:dep` commands that were carried out.
    crates: Vec<String>,
    /// The cell crate as evcxr last had it compiled. Its items are looked for only when there is a question.
    source: String,
    /// Its variables with their types, and its items.
    notebook: Notebook,
}

impl Knowledge {
    /// Code that defines the same, but for the variables' values.
    fn code(&self) -> String {
        let variables = self.notebook.variables.iter();
        let declarations: String = variables.map(|(name, its_type)| format!("let mut {name}: {its_type};\n")).collect();
        format!("{FIRST}{}{declarations}", items_of_user(&self.source))
    }
}

/// The process that helps to write code, and the knowledge that it needs. The evaluator and the thread that answers questions share it.
pub struct Assistant {
    directory: PathBuf,
    /// The current directory of the cells.
    cells_directory: Mutex<PathBuf>,
    knowledge: Mutex<Knowledge>,
    connection: Mutex<Option<Connection>>,
    /// Apart from the connection, so that the process can be ended while an answer is awaited.
    child: Mutex<Option<Child>>,
    /// When a cell or an answer was last finished.
    used: Mutex<Instant>,
    ended: AtomicBool,
}

/// A connection to the process.
struct Connection {
    stream: BufReader<UnixStream>,
    /// Whether the process has reported that it can answer soon.
    is_ready: bool,
    /// If it was started ahead of a question.
    _place: Option<ahead::Place>,
}

impl Connection {
    /// Whether the process is ready, or becomes so in time.
    fn becomes_ready(&mut self, patience: Duration) -> Result<bool> {
        if self.is_ready {
            return Ok(true);
        }
        self.stream.get_ref().set_read_timeout(Some(patience))?;
        match self.stream.read_line(&mut String::new()) {
            Ok(0) => bail!("it has ended"),
            Ok(_) => {
                self.stream.get_ref().set_read_timeout(Some(PATIENCE))?;
                self.is_ready = true;
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(false),
            Err(error) => Err(error).context("it does not start"),
        }
    }
}

impl Assistant {
    /// For the session of this directory; starts nothing.
    pub fn new(session: &Path) -> Arc<Assistant> {
        Arc::new(Assistant {
            directory: session.join("assistant"),
            cells_directory: Mutex::new(std::env::current_dir().unwrap_or_default()),
            knowledge: Mutex::new(Knowledge { source: IMPORTS.to_owned(), ..Knowledge::default() }),
            connection: Mutex::default(),
            child: Mutex::default(),
            used: Mutex::new(Instant::now()),
            ended: AtomicBool::new(false),
        })
    }

    /// Records what a cell has defined. `source` is the source that evcxr had compiled, if it had any compiled.
    pub fn learn_items(&self, code: &str, source: Option<String>) {
        let mut knowledge = lock(&self.knowledge);
        for line in code.lines().filter(|line| line.starts_with(":dep ")) {
            if !knowledge.crates.iter().any(|known| known == line) {
                knowledge.crates.push(line.to_owned());
            }
        }
        if let Some(source) = source {
            knowledge.source = source;
        }
    }

    /// Notes what the notebook has.
    pub fn learn_notebook(&self, notebook: Notebook) {
        self.is_used();
        lock(&self.knowledge).notebook = notebook;
    }

    /// Records the current directory of the cells.
    pub fn learn_directory(&self, directory: PathBuf) {
        *lock(&self.cells_directory) = directory;
    }

    /// Starts the process ahead of the first question, if it does not run and not too many wait already.
    pub fn start_ahead(&self) {
        // While it is asked, it runs; a cell must not wait for the answer.
        let Ok(mut connection) = self.connection.try_lock() else { return };
        if connection.is_some() {
            return;
        }
        let Some(place) = ahead::take(assistants_ahead()) else { return };
        match self.connect(Some(place)) {
            Ok(made) => *connection = Some(made),
            Err(error) => errln!("no completions: {error:#}"),
        }
    }

    /// Starts the process, and waits until it can answer.
    pub fn start_once(&self) -> Result<()> {
        let mut connection = lock(&self.connection);
        let is_ready = self.started(&mut connection)?.becomes_ready(RECORDING)?;
        if is_ready { Ok(()) } else { bail!("the process that completes does not start") }
    }

    /// The documentation of a path.
    pub fn describe(&self, path: &str) -> Option<Map<String, Value>> {
        match self.ask(HelpGoal::Describe, path, path.len()) {
            Some(HelpAnswer::Documentation(data)) => data,
            _ => None,
        }
    }

    /// Ends the process, unless somebody has used it or run a cell within `idle`; the next question starts it again. Whether it is
    /// ended.
    pub fn free_memory(&self, idle: Duration) -> bool {
        // While it is asked, it is needed.
        let Ok(mut connection) = self.connection.try_lock() else { return false };
        if lock(&self.used).elapsed() < idle {
            return false;
        }
        *connection = None;
        self.end_child();
        true
    }

    fn is_used(&self) {
        *lock(&self.used) = Instant::now();
    }

    fn notebook(&self) -> Notebook {
        lock(&self.knowledge).notebook.clone()
    }

    fn started<'a>(&self, connection: &'a mut Option<Connection>) -> Result<&'a mut Connection> {
        if connection.is_none() {
            *connection = Some(self.connect(None)?);
        }
        connection.as_mut().context("just made")
    }

    fn connect(&self, place: Option<ahead::Place>) -> Result<Connection> {
        let context = self.directory.join("context");
        files::create_folder(&context)?;
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_write_timeout(Some(PATIENCE))?;
        let mut child = lock(&self.child);
        if self.ended.load(Ordering::Acquire) {
            bail!("the kernel ends");
        }
        let mut command = Command::new(std::env::current_exe()?);
        let process = memory::without_huge_pages(&mut command)
            .env(ASSISTANT, "1")
            .env(SESSION, &self.directory)
            .env(CONTEXT_DIRECTORY, &context)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        *child = Some(process);
        Ok(Connection { stream: BufReader::new(ours), is_ready: false, _place: place })
    }

    /// Asks for what `goal` says at a place in a cell; none if the process cannot answer.
    fn ask(&self, goal: HelpGoal, code: &str, cursor: usize) -> Option<HelpAnswer> {
        let knowledge = lock(&self.knowledge).clone();
        let known = knowledge.code();
        let question = HelpQuestion { goal, crates: knowledge.crates, known, code: code.to_owned(), cursor };
        let mut connection = lock(&self.connection);
        let answer = self.started(&mut connection).and_then(|connection| {
            if connection.becomes_ready(STARTING)? {
                converse(&mut connection.stream, &question).map(Some)
            } else {
                Ok(None)
            }
        });
        self.is_used();
        match answer {
            Ok(answer) => answer,
            Err(error) => {
                errln!("the process that completes is stopped: {error:#}");
                *connection = None;
                self.end_child();
                None
            }
        }
    }

    fn end_child(&self) {
        if let Some(mut child) = lock(&self.child).take() {
            process_group::end(&mut child);
        }
    }
}

impl InterruptHandle for Assistant {
    /// It runs no cells.
    fn interrupt(&self, _cell: u64) {}

    fn has_not_run(&self, _cell: u64) -> bool {
        true
    }

    fn answer(&self, _answer: InputAnswer) {}

    fn kill(&self) {
        self.ended.store(true, Ordering::Release);
        self.end_child();
    }
}

fn converse(connection: &mut BufReader<UnixStream>, question: &HelpQuestion) -> Result<HelpAnswer> {
    let mut line = serde_json::to_vec(question)?;
    line.push(b'\n');
    connection.get_mut().write_all(&line).context("it does not take the question")?;
    let mut answer = String::new();
    connection.read_line(&mut answer).context("it does not answer")?;
    if answer.is_empty() {
        bail!("it has ended");
    }
    Ok(serde_json::from_str(&answer)?)
}

/// Answers by the assistant.
pub struct RustAssistant(pub Arc<Assistant>);

impl Evaluator for RustAssistant {
    fn interrupt_handle(&self) -> Arc<dyn InterruptHandle> {
        Arc::clone(&self.0) as Arc<dyn InterruptHandle>
    }

    fn execute(&mut self, _cell: u64, _code: &str, _sink: &OutputSink) -> Result<Outcome, CellError> {
        let value = "cells are run by the other evaluator".to_owned();
        Err(CellError { name: "KernelError".to_owned(), traceback: vec![value.clone()], value })
    }

    /// What is asked while no cell runs may start the process after the other evaluator has freed its memory.
    fn free_memory(&mut self, idle: Duration) -> bool {
        self.0.free_memory(idle)
    }

    fn complete(&mut self, code: &str, cursor: usize) -> Completions {
        let directory = || lock(&self.0.cells_directory).clone();
        let code = &*magics::rust_around(code, cursor);
        if let Some(completions) = completion::words(code, cursor, &self.0.notebook(), &directory) {
            return completions;
        }
        let names = completion::names(code, cursor, &self.0.notebook());
        match self.0.ask(HelpGoal::Complete, code, cursor) {
            Some(HelpAnswer::Completions(found)) => completion::with_names(found, names),
            _ => names,
        }
    }

    fn inspect(&mut self, code: &str, cursor: usize, detail: u8) -> Option<Map<String, Value>> {
        let code = &*magics::rust_around(code, cursor);
        if let Some(help) = completion::help_on_magic(code, cursor) {
            return help;
        }
        match self.0.ask(HelpGoal::Inspect { detail }, code, cursor) {
            Some(HelpAnswer::Documentation(data)) => data,
            _ => None,
        }
    }

    fn is_complete(&self, code: &str) -> Completeness {
        completion::is_complete(code, &self.0.notebook())
    }

    fn banner(&self) -> String {
        String::new()
    }
}

/// The items of a cell crate that are not evcxr's own.
fn items_of_user(source: &str) -> String {
    let items = parse(source).tree().items().filter(|item| !is_generated(item));
    items.map(|item| format!("{}\n", item.syntax().text())).collect()
}

fn is_generated(item: &ast::Item) -> bool {
    let starts = |name: Option<ast::Name>, prefix: &str| name.is_some_and(|name| name.text().starts_with(prefix));
    match item {
        ast::Item::Fn(function) => starts(function.name(), "run_user_code_"),
        ast::Item::Module(module) => starts(module.name(), "evcxr_internal_runtime"),
        ast::Item::Struct(structure) => starts(structure.name(), "EvcxrUserCodeError"),
        ast::Item::Impl(implementation) => {
            implementation.self_ty().is_some_and(|of| of.syntax().text() == "EvcxrUserCodeError")
        }
        _ => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that is locked here is left half changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_items_are_told_from_generated_ones() {
        let source = "#![allow(dead_code)]\nuse warpcell as gpu;\nstruct P { x: u8 }\nimpl P { fn f(&self) {} }\n\
            macro_rules! two { () => { 2 } }\nstruct EvcxrUserCodeError {}\n\
            impl<T: std::fmt::Display> From<T> for EvcxrUserCodeError { fn from(_: T) -> Self { Self {} } }\n\
            mod evcxr_internal_runtime { pub struct VariableStore; }\n\
            #[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3(x: *mut u8) -> *mut u8 { x }\n";
        assert_eq!(
            items_of_user(source),
            "use warpcell as gpu;\nstruct P { x: u8 }\nimpl P { fn f(&self) {} }\nmacro_rules! two { () => { 2 } }\n"
        );
    }

    #[test]
    fn what_was_learnt_is_code_again() {
        let session = tempfile::tempdir().unwrap();
        let assistant = Assistant::new(session.path());
        assert_eq!(lock(&assistant.knowledge).code(), format!("{FIRST}{IMPORTS}\n"), "what every session starts with");
        assistant.learn_items(":dep a = \"1\"\n:dep a = \"1\"", Some("fn f() {}".to_owned()));
        assistant.learn_items("let x = 1;", None);
        let variables = [("v", "Vec<u8>"), ("x", "i32")].map(|(name, code)| (name.to_owned(), code.to_owned()));
        assistant.learn_notebook(Notebook { variables: variables.into(), ..Notebook::default() });
        let knowledge = lock(&assistant.knowledge).clone();
        assert_eq!(knowledge.crates, [":dep a = \"1\""]);
        assert_eq!(knowledge.code(), format!("{FIRST}fn f() {{}}\nlet mut v: Vec<u8>;\nlet mut x: i32;\n"));
    }
}
