//! All that can wake the kernel's loop.

use crate::evaluator::{Called, CellError, Completeness, Completions, InterruptHandle, Outcome, Output};
use crate::wire::Incoming;
use serde_json::{Map, Value};
use std::sync::Arc;

/// All that can wake the kernel's loop.
pub enum Event {
    /// A client has sent a message with a valid signature.
    Message {
        /// The channel of the message and of its reply.
        channel: Channel,
        /// The message.
        incoming: Incoming,
    },
    /// An evaluator has started, or could not.
    Started {
        /// Which one.
        lane: LaneName,
        /// The evaluator's handle and banner, or why cells cannot run.
        outcome: Result<Ready, CellError>,
    },
    /// An evaluator has done a job.
    Answered {
        /// Which one.
        lane: LaneName,
        /// The result.
        answer: Answer,
    },
    /// The cell asks the user for a line: an [`Output::Input`].
    Asked(Output),
    /// SIGINT.
    Interrupt,
    /// A cell was interrupted some time ago.
    Overdue {
        /// Its number.
        cell: u64,
    },
    /// It is time to say what the first cell waits for.
    Slow,
    /// SIGTERM, or the process that started the kernel is gone.
    Terminate {
        /// The reason, for the log.
        reason: &'static str,
    },
}

/// The channels on which clients send messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Ordinary requests.
    Shell,
    /// Requests that must not wait for cells.
    Control,
    /// Answers to the kernel's requests.
    Stdin,
}

/// Which evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneName {
    /// The evaluator that runs cells.
    Evaluator,
    /// The evaluator that helps to write cells.
    Assistant,
}

/// What an evaluator provides after its start.
pub struct Ready {
    /// Stops cells.
    pub handle: Arc<dyn InterruptHandle>,
    /// For `kernel_info`.
    pub banner: String,
}

/// The result of a job.
pub enum Answer {
    /// Of a cell.
    Executed(Result<Outcome, CellError>),
    /// Of a call of an interaction's closure.
    Called(Called),
    /// Of a completion.
    Completed(Completions),
    /// Of an inspection.
    Inspected(Option<Map<String, Value>>),
    /// Of the question whether code is finished.
    Completeness(Completeness),
}
