//! A compiler that is started before there is a source. When the next cell comes, it has read its arguments and the
//! prelude.
//!
//! The compiler gets a root file that names the prelude and then includes its standard input. It waits until the kernel
//! writes the name of the cell's file there. If the kernel ends first, the compiler finds nothing to compile and ends
//! too. The kernel process keeps the compiler, because the build step lives for one cell only. The two speak over a
//! socket in the session's directory. The build step says what to compile and how. The kernel then starts the next
//! compiler with the same arguments. If the build step is ended, its compiler ends too.

use crate::files;
use crate::local_socket;
use crate::memory;
use crate::process_group;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The socket in the session's directory.
const SOCKET_NAME: &str = "compiler.socket";

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
    /// `attributes` are the attributes of the crate. The compiler reads `crates` ahead.
    pub fn new<'a>(
        command: &Command,
        root: PathBuf,
        attributes: &str,
        crates: impl Iterator<Item = &'a String>,
    ) -> Result<CompilerCall> {
        let changes: Vec<_> = command.get_envs().collect();
        let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        environment.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        environment.extend(changes.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?.to_owned()))));
        environment.sort();
        let crates: String = crates.map(|name| format!("extern crate {name} as _;\n")).collect();
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
    /// The library exists.
    Linked,
}

impl CompileGoal {
    /// The kind of file that the compiler reports when the goal is reached.
    fn emit(self) -> &'static str {
        match self {
            CompileGoal::Checked => "metadata",
            CompileGoal::Linked => "link",
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
}

/// Lets the kernel start a compiler for a later cell. Without a kernel that listens, nothing happens.
pub fn prepare(session: &Path, call: CompilerCall) -> Result<()> {
    send(session, &CompilerRequest::Prepare(call)).map(drop)
}

/// Ends the compiler that waits for the next cell, which then takes longer.
pub fn end_waiting(session: &Path) -> Result<()> {
    send(session, &CompilerRequest::EndWaiting).map(drop)
}

/// Sends a request; none if no kernel listens.
fn send(session: &Path, request: &CompilerRequest) -> Result<Option<UnixStream>> {
    let Ok(mut kernel) = local_socket::connect(&session.join(SOCKET_NAME)) else { return Ok(None) };
    writeln!(kernel, "{}", serde_json::to_string(request)?)?;
    Ok(Some(kernel))
}

/// Lets the kernel compile; none if no kernel listens.
pub fn compile(session: &Path, call: CompilerCall, source: &Path, goal: CompileGoal) -> Result<Option<Compiled>> {
    let request = CompilerRequest::Compile(call, source.to_owned(), goal);
    let Some(kernel) = send(session, &request)? else { return Ok(None) };
    let mut answer = String::new();
    BufReader::new(kernel).read_line(&mut answer)?;
    if answer.is_empty() {
        bail!("the kernel could not run the compiler");
    }
    Ok(Some(serde_json::from_str(&answer)?))
}

/// Keeps a compiler for the session's next cell, in a thread of the kernel.
pub fn serve(session: &Path) -> Result<()> {
    let mut compilers = AheadCompilers::default();
    local_socket::listen(&session.join(SOCKET_NAME), "compilers", move |connection| {
        if let Err(error) = compilers.serve(connection) {
            eprintln!("a cell could not be compiled: {error:#}");
        }
    })
}

/// The message if the compiler does not start.
pub fn cannot_run(compiler: &Path) -> String {
    let compiler = compiler.display();
    format!(
        "the compiler {compiler} cannot be run; is the Rust toolchain still installed? `warpcell doctor` checks this"
    )
}

/// The compiler of a session.
#[derive(Default)]
struct AheadCompilers {
    waiting: Option<WaitingCompiler>,
}

/// A compiler that waits for its source.
struct WaitingCompiler {
    call: CompilerCall,
    compiler: Child,
    gate: ChildStdin,
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
        let mut compiler = memory::with_huge_pages(|| command.spawn()).with_context(|| cannot_run(&call.program))?;
        let gate = compiler.stdin.take().context("the compiler has no standard input")?;
        Ok(WaitingCompiler { call, compiler, gate })
    }
}

impl AheadCompilers {
    fn serve(&mut self, mut connection: UnixStream) -> Result<()> {
        let mut line = String::new();
        BufReader::new(&connection).read_line(&mut line)?;
        match serde_json::from_str(&line)? {
            CompilerRequest::Prepare(call) => self.waiting = Some(self.waiting_for(call)?),
            CompilerRequest::Compile(call, source, goal) => {
                let waiting = match self.waiting_for(call) {
                    Ok(waiting) => waiting,
                    Err(error) => {
                        return answer(&mut connection, &Compiled { status: 1, stderr: format!("{error:#}\n") });
                    }
                };
                let (call, compiler) = AheadCompilers::work(waiting, &source, goal, connection)?;
                let next = WaitingCompiler::start(call)?;
                // It may still remove its files. The next compiler uses the same names.
                lock(&compiler).wait()?;
                self.waiting = Some(next);
            }
            CompilerRequest::EndWaiting => {
                if let Some(mut waiting) = self.waiting.take() {
                    process_group::end(&mut waiting.compiler);
                }
            }
        }
        Ok(())
    }

    /// The compiler that waits, if it was started by the same call and lives, or a new one.
    fn waiting_for(&mut self, call: CompilerCall) -> Result<WaitingCompiler> {
        if let Some(mut waiting) = self.waiting.take() {
            if waiting.call == call && matches!(waiting.compiler.try_wait(), Ok(None)) {
                return Ok(waiting);
            }
            process_group::end(&mut waiting.compiler);
        }
        WaitingCompiler::start(call)
    }

    /// Compiles, and answers on the connection. Returns the call, and the compiler, which may not have ended yet.
    fn work(
        waiting: WaitingCompiler,
        source: &Path,
        goal: CompileGoal,
        mut connection: UnixStream,
    ) -> Result<(CompilerCall, Arc<Mutex<Child>>)> {
        let WaitingCompiler { call, mut compiler, mut gate } = waiting;
        let stderr = compiler.stderr.take().context("the compiler has no standard error")?;
        let compiler = Arc::new(Mutex::new(compiler));
        let answered = Arc::new(AtomicBool::new(false));
        let watcher = watch(&connection, &compiler, &answered)?;
        // If the compiler has died, its end says so.
        let _ = writeln!(gate, "mod {ARRIVED} {{}} include!({:?});", source.to_string_lossy());
        drop(gate);
        let mut text = String::new();
        let mut reached = false;
        for line in BufReader::new(stderr).split(b'\n') {
            let line = line?;
            match reported(&line) {
                Some(emit) => reached = emit == goal.emit(),
                None => {
                    text.push_str(&String::from_utf8_lossy(&line));
                    text.push('\n');
                }
            }
            if reached {
                break;
            }
        }
        if reached && goal == CompileGoal::Checked {
            process_group::end(&mut lock(&compiler));
        }
        let status = if reached { 0 } else { lock(&compiler).wait()?.code().unwrap_or(1) };
        answered.store(true, Ordering::Release);
        // Who asked may have been ended meanwhile.
        let _ = answer(&mut connection, &Compiled { status, stderr: text });
        let _ = watcher.join();
        Ok((call, compiler))
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

/// The kind of file that a line of the compiler reports, if it is such a report.
fn reported(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct FileReport {
        #[serde(rename = "$message_type")]
        message: String,
        emit: String,
    }
    let artifact: FileReport = serde_json::from_slice(line).ok()?;
    (artifact.message == "artifact").then_some(artifact.emit)
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

    #[test]
    fn reports_of_files_are_told_from_what_the_compiler_says() {
        let report = br#"{"$message_type":"artifact","artifact":"/tmp/libctx.so","emit":"link"}"#;
        assert_eq!(reported(report).as_deref(), Some("link"));
        assert_eq!(reported(br#"{"$message_type":"diagnostic","message":"emit"}"#), None);
        assert_eq!(reported(b"error: the compiler unexpectedly panicked"), None);
    }
}
