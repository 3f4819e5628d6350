//! The supervisor's reports to the kernel over their socket: one JSON object on each line.

use crate::output_contract::Message;
use serde::{Deserialize, Serialize};

/// One report of the supervisor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "snake_case")]
pub enum Frame {
    /// The cell process has been started.
    Started {
        /// Its process number.
        pid: u32,
    },
    /// A compiled cell has been handed to the cell process.
    Running,
    /// Text of the user's code.
    Text {
        /// Whether the text is from standard error.
        stderr: bool,
        /// The text.
        text: String,
    },
    /// A message of the output contract.
    Message {
        /// The message.
        message: Message,
    },
    /// All output of the cell so far has been reported.
    EndOfCell,
    /// The cell process has ended.
    Exited {
        /// How: in words.
        status: String,
    },
    /// The answer to a `ping` of the kernel: everything before it has been reported.
    Pong,
}
