//! The language that a kernel speaks: Rust, or the echo of the protocol's tests.

use crate::evaluator::assistant::{Assistant, RustAssistant};
use crate::evaluator::echo::Echo;
use crate::evaluator::rust::RustEvaluator;
use crate::evaluator::session_directory::SessionDirectory;
use crate::evaluator::{self, Evaluator, InputAnswer, InterruptHandle, Output, OutputSink};
use crate::server::{Factory, Language};
use anyhow::Result;
use clap::ValueEnum;
use std::sync::Arc;
use std::time::Duration;

/// Which evaluator runs the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EvaluatorChoice {
    /// Rust.
    #[default]
    Rust,
    /// Commands of the protocol's tests.
    Echo,
    /// The same, ready when standard input ends.
    LateEcho,
    /// The same, and its first cell says at once what it waits for.
    SlowEcho,
    /// Never ready.
    Broken,
}

/// How long the first cell may take before it says what it waits for: users hear of it within a second.
const PATIENCE: Duration = Duration::from_millis(800);
/// In the protocol's tests messages do not depend on the time.
const ENDLESS: Duration = Duration::from_secs(1 << 20);

/// The evaluators of a choice.
///
/// Must be called while the process has one thread: the Rust evaluator changes the environment.
pub fn language(choice: EvaluatorChoice) -> Result<Language> {
    Ok(match choice {
        EvaluatorChoice::Rust => rust()?,
        EvaluatorChoice::Echo => Language { evaluator: echo(), assistant: Some(echo()), patience: ENDLESS },
        EvaluatorChoice::LateEcho => Language { evaluator: Box::new(late_echo), assistant: None, patience: ENDLESS },
        EvaluatorChoice::SlowEcho => {
            Language { evaluator: Box::new(late_echo), assistant: None, patience: Duration::from_millis(1) }
        }
        EvaluatorChoice::Broken => {
            Language { evaluator: Box::new(|| anyhow::bail!("asked for")), assistant: None, patience: ENDLESS }
        }
    })
}

/// Removes the evaluator's files, at the end of the kernel.
pub fn clean_up() {
    evaluator::session_directory::remove_session_files();
}

/// Starts the Rust evaluator and the process that completes, and ends both again.
///
/// Must be called while the process has one thread.
pub fn start_once() -> Result<()> {
    let session = SessionDirectory::prepare()?;
    let assistant = Assistant::new(session.path());
    let evaluator = RustEvaluator::start(session, Arc::clone(&assistant))?;
    evaluator.started()?;
    let result = assistant.start_once();
    assistant.kill();
    result
}

/// Runs cells in a session without a client. Their outputs are dropped. Returns how many have failed.
///
/// Must be called while the process has one thread.
pub fn run_cells(cells: &[String]) -> Result<usize> {
    let session = SessionDirectory::prepare()?;
    let assistant = Assistant::new(session.path());
    let mut evaluator = RustEvaluator::start(session, assistant)?;
    evaluator.started()?;
    let handle = evaluator.interrupt_handle();
    let sink: OutputSink = Arc::new(move |output| {
        if matches!(output, Output::Input { .. }) {
            handle.answer(InputAnswer::Refused { reason: "no client is there".to_owned() });
        }
    });
    let results = (1..).zip(cells).map(|(number, code)| evaluator.execute(number, code, &sink));
    Ok(results.filter(Result::is_err).count())
}

fn rust() -> Result<Language> {
    let session = SessionDirectory::prepare()?;
    let assistant = Assistant::new(session.path());
    let told = Arc::clone(&assistant);
    Ok(Language {
        evaluator: Box::new(|| Ok(Box::new(RustEvaluator::start(session, told)?) as Box<dyn Evaluator>)),
        assistant: Some(Box::new(|| Ok(Box::new(RustAssistant(assistant)) as Box<dyn Evaluator>))),
        patience: PATIENCE,
    })
}

fn echo() -> Factory {
    Box::new(|| Ok(Box::new(Echo::default()) as Box<dyn Evaluator>))
}

fn late_echo() -> anyhow::Result<Box<dyn Evaluator>> {
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    echo()()
}
