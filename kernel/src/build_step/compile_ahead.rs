//! A compiler that is started before there is a source. When the next cell comes, it has read its arguments and the
//! prelude.
//!
//! The compiler gets a root file that names the prelude and then includes its standard input. It waits until the kernel
//! writes the name of the cell's file there. If the kernel ends first, the compiler finds nothing to compile and ends
//! too. At this point it is also a fork server (`fork_server.rs`): a child of it compiles, and it waits for the next cell
//! with the same arguments. Where it cannot be one, it compiles itself, and the kernel starts the next compiler. The kernel
//! process keeps the compiler, because the build step lives for one cell only. The two speak over a socket in the session's
//! directory. The build step says what to compile and how. If the build step is ended, its compiler ends too.

use super::fork_server::{self, Report};
use super::messages::Types;
use crate::files;
use crate::local_socket;
use crate::memory;
use crate::printing::errln;
use crate::process_group;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, PipeWriter, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a compiler is for. The kernel keeps one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerTask {
    Cells,
    /// The types of new variables.
    Types,
}

impl CompilerTask {
    const ALL: [CompilerTask; 2] = [CompilerTask::Cells, CompilerTask::Types];

    /// The socket in the session's directory.
    fn socket(self) -> &'static str {
        match self {
            CompilerTask::Cells => "compiler.socket",
            CompilerTask::Types => "types.socket",
        }
    }
}

/// The module that tells the root file that its source has come.
const ARRIVED: &str = "warpcell_source_arrived";

/// Text that a source must not contain if the root file includes it: attributes of the whole crate, and items that the
/// language allows only in a crate's root file.
const NOT_INCLUDED: [&str; 3] = ["#![", "extern crate", "macro_export"];

/// Splits a source into the attributes of the crate and the rest. Lines keep their numbers.
///
/// `None` if it cannot be compiled as an included file.
pub fn split(source: &str) -> Option<(String, String)> {
    let mut attributes = String::new();
    let mut rest = source;
    while rest.starts_with("#![") {
        let (line, following) = rest.split_once('\n')?;
        if !line.trim_end().ends_with(']') {
            return None;
        }
        attributes.push_str(line);
        attributes.push('\n');
        rest = following;
    }
    if NOT_INCLUDED.iter().any(|text| rest.contains(text)) {
        return None;
    }
    let blank = "\n".repeat(attributes.lines().count());
    Some((attributes, blank + rest))
}

/// A call of the compiler, but for the source.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct CompilerCall {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
    /// The root file, which is among the arguments, and its text.
    root: PathBuf,
    text: String,
}

impl CompilerCall {
    /// The call of `command`, in the environment of this process.
    ///
    /// `attributes` are the attributes of the crate. The compiler reads `crates` ahead, and gives them the second names.
    pub fn new<'a>(
        command: &Command,
        root: PathBuf,
        attributes: &str,
        crates: impl Iterator<Item = (&'a str, String)>,
    ) -> Result<CompilerCall> {
        let changes: Vec<_> = command.get_envs().collect();
        let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        environment.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        environment.extend(changes.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?.to_owned()))));
        environment.sort();
        let crates: String = crates.map(|(name, other)| format!("extern crate {name} as {other};\n")).collect();
        Ok(CompilerCall {
            program: PathBuf::from(command.get_program()),
            arguments: command.get_args().map(OsString::from).collect(),
            environment,
            directory: command.get_current_dir().context("the compiler has no directory")?.to_owned(),
            text: format!("{attributes}{crates}include!(\"/dev/stdin\");\nuse {ARRIVED} as _;\n"),
            root,
        })
    }
}

/// When a compilation is finished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CompileGoal {
    /// The source has no errors.
    Checked,
    /// The library exists, or the object that it is made of.
    Linked,
}

impl CompileGoal {
    /// Whether the goal is reached when the compiler reports a file of this kind. It links itself, or writes the object that is to be
    /// linked.
    fn is_reached_by(self, emit: &str) -> bool {
        match self {
            CompileGoal::Checked => emit == "metadata",
            CompileGoal::Linked => ["link", "obj"].contains(&emit),
        }
    }
}

/// A request to the kernel's thread.
#[derive(Debug, Serialize, Deserialize)]
enum CompilerRequest {
    /// To start a compiler for a later cell.
    Prepare(CompilerCall),
    /// To compile a source.
    Compile(CompilerCall, PathBuf, CompileGoal),
    /// To end the compiler that waits.
    EndWaiting,
}

/// How a compilation ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Compiled {
    /// The compiler's exit status.
    pub status: i32,
    /// The text on standard error, without reports of files.
    pub stderr: String,
    /// The types of the variables for which they were looked for.
    pub types: Types,
}

impl Compiled {
    /// What a compiler that was started for one source has said.
    pub fn by(output: &Output) -> Compiled {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Compiled::without_types(output.status.code().unwrap_or(1), stderr)
    }

    fn without_types(status: i32, stderr: String) -> Compiled {
        Compiled { status, stderr, types: Types::new() }
    }
}

/// Lets the kernel start a compiler for a later cell. Without a kernel that listens, nothing happens.
pub fn prepare(session: &Path, task: CompilerTask, call: CompilerCall) -> Result<()> {
    send(session, task, &CompilerRequest::Prepare(call)).map(drop)
}

/// Ends the compilers that wait for the next cell, which then takes longer.
pub fn end_waiting(session: &Path) -> Result<()> {
    CompilerTask::ALL.iter().try_for_each(|task| send(session, *task, &CompilerRequest::EndWaiting).map(drop))
}

/// Sends a request; none if no kernel listens.
fn send(session: &Path, task: CompilerTask, request: &CompilerRequest) -> Result<Option<UnixStream>> {
    let Ok(mut kernel) = local_socket::connect(&session.join(task.socket())) else { return Ok(None) };
    writeln!(kernel, "{}", serde_json::to_string(request)?)?;
    Ok(Some(kernel))
}

/// Lets the kernel compile; none if no kernel listens.
pub fn compile(
    session: &Path,
    task: CompilerTask,
    call: CompilerCall,
    source: &Path,
    goal: CompileGoal,
) -> Result<Option<Compiled>> {
    let request = CompilerRequest::Compile(call, source.to_owned(), goal);
    let Some(kernel) = send(session, task, &request)? else { return Ok(None) };
    let mut answer = String::new();
    BufReader::new(kernel).read_line(&mut answer)?;
    if answer.is_empty() {
        bail!("the kernel could not run the compiler");
    }
    Ok(Some(serde_json::from_str(&answer)?))
}

/// Keeps a compiler of each kind for the session's next cell, each in a thread of the kernel.
pub fn serve(session: &Path) -> Result<()> {
    CompilerTask::ALL.iter().try_for_each(|task| {
        let mut compilers = AheadCompilers::default();
        local_socket::listen(&session.join(task.socket()), "compilers", move |connection| {
            if let Err(error) = compilers.serve(connection) {
                errln!("a cell could not be compiled: {error:#}");
            }
        })
    })
}

/// The message if the compiler does not start.
pub fn cannot_run(compiler: &Path) -> String {
    let compiler = compiler.display();
    format!(
        "the compiler {compiler} cannot be run; is the Rust toolchain still installed? `warpcell doctor` checks this"
    )
}

/// The compiler of a session for one task.
#[derive(Default)]
struct AheadCompilers {
    waiting: Option<WaitingCompiler>,
}

/// A compiler that waits for its source.
struct WaitingCompiler {
    call: CompilerCall,
    compiler: Arc<Mutex<Child>>,
    messages: BufReader<ChildStderr>,
    /// What it has said before it had a source. This holds for each one.
    said_before: String,
    /// Where it gets the first source.
    first: Option<ChildStdin>,
    /// Where it gets the later ones, if it is a fork server.
    later: PipeWriter,
}

impl WaitingCompiler {
    fn start(call: CompilerCall) -> Result<WaitingCompiler> {
        files::write(&call.root, &call.text)?;
        let mut command = Command::new(&call.program);
        command
            .args(&call.arguments)
            .env_clear()
            .envs(call.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&call.directory)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let later = fork_server::request(&mut command)?;
        let mut compiler = memory::with_huge_pages(|| command.spawn()).with_context(|| cannot_run(&call.program))?;
        let first = Some(compiler.stdin.take().context("the compiler has no standard input")?);
        let messages = BufReader::new(compiler.stderr.take().context("the compiler has no standard error")?);
        Ok(WaitingCompiler {
            call,
            compiler: Arc::new(Mutex::new(compiler)),
            messages,
            said_before: String::new(),
            first,
            later,
        })
    }

    fn is_alive(&self) -> bool {
        matches!(lock(&self.compiler).try_wait(), Ok(None))
    }

    fn end(&self) {
        process_group::end(&mut lock(&self.compiler));
    }

    /// Hands over the name of the source.
    fn begin(&mut self, source: &Path) {
        let line = format!("mod {ARRIVED} {{}} include!({:?});\n", source.to_string_lossy());
        // If the compiler has died, its end says so.
        let _ = match self.first.take() {
            Some(mut input) => input.write_all(line.as_bytes()),
            None => self.later.write_all(line.as_bytes()),
        };
    }

    /// The next line of the compiler's; none if it has ended.
    fn line(&mut self) -> Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.messages.read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.ends_with(b"\n") {
            line.pop();
        }
        Ok(Some(line))
    }

    /// Compiles, and answers on the connection. Says whether the compiler waits for another source.
    fn work(&mut self, source: &Path, goal: CompileGoal, mut connection: UnixStream) -> Result<bool> {
        let answered = Arc::new(AtomicBool::new(false));
        let watcher = watch(&connection, &self.compiler, &answered)?;
        self.begin(source);
        let (mut text, mut serves, mut reached, mut child_ended) = (String::new(), false, false, false);
        while !reached
            && !child_ended
            && let Some(line) = self.line()?
        {
            match Report::of(&line) {
                Some(Report::Artifact { emit }) => reached = goal.is_reached_by(&emit),
                Some(Report::Started) => serves = true,
                Some(Report::Ended) => child_ended = true,
                // The fork server puts one before its reports.
                None if line.is_empty() => {}
                None => {
                    let text = if serves { &mut text } else { &mut self.said_before };
                    text.push_str(&String::from_utf8_lossy(&line));
                    text.push('\n');
                }
            }
        }
        text.insert_str(0, &self.said_before);
        if reached && goal == CompileGoal::Checked {
            // If it has ended already, this changes nothing.
            if !serves || self.later.write_all(fork_server::STOP).is_err() {
                self.end();
            }
        }
        let status = match (reached, child_ended) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => lock(&self.compiler).wait()?.code().unwrap_or(1),
        };
        answered.store(true, Ordering::Release);
        // Who asked may have been ended meanwhile.
        let _ = answer(&mut connection, &Compiled::without_types(status, text));
        let _ = watcher.join();
        // It may still remove its files. The next one uses the same names.
        while !child_ended
            && serves
            && let Some(line) = self.line()?
        {
            child_ended = Report::of(&line) == Some(Report::Ended);
        }
        Ok(child_ended)
    }
}

impl AheadCompilers {
    fn serve(&mut self, mut connection: UnixStream) -> Result<()> {
        let mut line = String::new();
        BufReader::new(&connection).read_line(&mut line)?;
        match serde_json::from_str(&line)? {
            CompilerRequest::Prepare(call) => self.waiting = Some(self.waiting_for(call)?),
            CompilerRequest::Compile(call, source, goal) => {
                let mut compiler = match self.waiting_for(call) {
                    Ok(compiler) => compiler,
                    Err(error) => {
                        return answer(&mut connection, &Compiled::without_types(1, format!("{error:#}\n")));
                    }
                };
                self.waiting = Some(if compiler.work(&source, goal, connection)? {
                    compiler
                } else {
                    let next = WaitingCompiler::start(compiler.call)?;
                    lock(&compiler.compiler).wait()?;
                    next
                });
            }
            CompilerRequest::EndWaiting => {
                if let Some(waiting) = self.waiting.take() {
                    waiting.end();
                }
            }
        }
        Ok(())
    }

    /// The compiler that waits, if it was started by the same call and lives, or a new one.
    fn waiting_for(&mut self, call: CompilerCall) -> Result<WaitingCompiler> {
        if let Some(waiting) = self.waiting.take() {
            if waiting.call == call && waiting.is_alive() {
                return Ok(waiting);
            }
            waiting.end();
        }
        WaitingCompiler::start(call)
    }
}

fn answer(connection: &mut UnixStream, compiled: &Compiled) -> Result<()> {
    writeln!(connection, "{}", serde_json::to_string(compiled)?)?;
    Ok(connection.shutdown(Shutdown::Both)?)
}

/// Ends the compiler if the other end of the connection closes before the answer.
fn watch(
    connection: &UnixStream,
    compiler: &Arc<Mutex<Child>>,
    answered: &Arc<AtomicBool>,
) -> Result<std::thread::JoinHandle<()>> {
    let mut connection = connection.try_clone()?;
    let (compiler, answered) = (Arc::clone(compiler), Arc::clone(answered));
    Ok(std::thread::Builder::new().name("compiler's client".to_owned()).spawn(move || {
        // Nothing comes; this returns when either side closes.
        let _ = connection.read(&mut [0]);
        if !answered.load(Ordering::Acquire) {
            process_group::end(&mut lock(&compiler));
        }
    })?)
}

fn lock(compiler: &Mutex<Child>) -> MutexGuard<'_, Child> {
    compiler.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_the_crate_are_split_off_and_no_line_moves() {
        let source = "#![allow(unused_mut)]\n#![allow(dead_code)]\nuse a::b;\nfn f() {}\n";
        let (attributes, rest) = split(source).unwrap();
        assert_eq!(attributes, "#![allow(unused_mut)]\n#![allow(dead_code)]\n");
        assert_eq!(rest, "\n\nuse a::b;\nfn f() {}\n");
    }

    #[test]
    fn what_only_a_root_file_may_have_is_not_included() {
        for source in [
            "fn f() { #![allow(dead_code)] }\n",
            "#![allow(\ndead_code)]\nfn f() {}\n",
            "extern crate alloc;\n",
            "#[macro_export] macro_rules! m { () => {} }\n",
            "#![no_std]",
        ] {
            assert_eq!(split(source), None, "{source}");
        }
    }
}
