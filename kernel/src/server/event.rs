//! All that can wake the kernel's loop.

use super::lane::{Answer, LaneName, Ready};
use crate::evaluator::{CellError, Output};
use crate::wire::Incoming;

/// All that can wake the kernel's loop.
pub enum Event {
    /// A client has sent a message with a valid signature.
    Message {
        /// Where it came in, and where the reply goes.
        channel: Channel,
        /// The message.
        incoming: Incoming,
    },
    /// An evaluator has started, or could not.
    Started {
        /// Which one.
        lane: LaneName,
        /// What it offers, or why cells cannot run.
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
    /// SIGTERM, or the process that started the kernel is gone.
    Terminate {
        /// Which of them, for the log.
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
