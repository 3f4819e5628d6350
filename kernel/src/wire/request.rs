//! Requests of clients. Fields that the protocol makes optional, or that clients leave out, have their defaults here.

use super::Malformed;
use super::cursor::to_bytes;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The requests of clients.
#[derive(Debug, PartialEq)]
pub enum Request {
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#kernel-info>
    KernelInfo,
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#execute>
    Execute(Execute),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#completion>
    Complete(AtCursor),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#introspection>
    Inspect(AtCursor),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#code-completeness>
    IsComplete(IsComplete),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#history>
    History(HistoryRequest),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#comm-info>
    CommInfo(CommInfo),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#opening-a-comm>
    CommOpen(CommOpen),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#comm-messages>
    CommMessage(CommMessage),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#tearing-down-comms>
    CommClose(CommClose),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#kernel-interrupt>
    Interrupt,
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#kernel-shutdown>
    Shutdown(Shutdown),
    /// <https://jupyter-client.readthedocs.io/en/latest/messaging.html#messages-on-the-stdin-router-dealer-channel>
    InputReply(InputReply),
    /// A message that this kernel does not know, or one that needs no answer.
    Other,
}

impl Request {
    /// Interprets a content by its message type.
    pub fn read(message_type: &str, content: Value) -> Result<Self, Malformed> {
        Ok(match message_type {
            "kernel_info_request" => Self::KernelInfo,
            "execute_request" => Self::Execute(typed(content)?),
            "complete_request" => Self::Complete(typed(content)?),
            "inspect_request" => Self::Inspect(typed(content)?),
            "is_complete_request" => Self::IsComplete(typed(content)?),
            "history_request" => Self::History(typed(content)?),
            "comm_info_request" => Self::CommInfo(typed(content)?),
            "comm_open" => Self::CommOpen(typed(content)?),
            "comm_msg" => Self::CommMessage(typed(content)?),
            "comm_close" => Self::CommClose(typed(content)?),
            "input_reply" => Self::InputReply(typed(content)?),
            "interrupt_request" => Self::Interrupt,
            "shutdown_request" => Self::Shutdown(typed(content)?),
            _ => Self::Other,
        })
    }
}

/// Code to run.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Execute {
    /// The text of the cell.
    pub code: String,
    /// Run without counting, without an entry in the history and without showing the result.
    #[serde(default)]
    pub silent: bool,
    /// Count this cell and keep its text.
    #[serde(default = "yes")]
    pub store_history: bool,
    /// Abort the cells that are queued behind this cell if it fails.
    #[serde(default = "yes")]
    pub stop_on_error: bool,
    /// Whether the client can be asked for input.
    #[serde(default = "yes")]
    pub allow_stdin: bool,
    /// Expressions whose values the client wants, by the client's names.
    #[serde(default)]
    pub user_expressions: Map<String, Value>,
}

/// Code and a position in it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct AtCursor {
    /// The text of the cell.
    pub code: String,
    /// The position in code points; the end if it is missing.
    #[serde(default, deserialize_with = "position")]
    pub cursor_pos: Option<usize>,
    /// How much of the documentation is wanted: 0 or 1. Requests for completion do not have it.
    #[serde(default)]
    pub detail_level: u8,
}

impl AtCursor {
    /// The position in bytes.
    pub fn byte_offset(&self) -> usize {
        self.cursor_pos.map_or(self.code.len(), |position| to_bytes(&self.code, position))
    }
}

/// Code that may not be finished.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct IsComplete {
    /// The text typed so far.
    pub code: String,
}

/// Which earlier inputs a client wants.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct HistoryRequest {
    /// Whether the results come along.
    #[serde(default)]
    pub output: bool,
    /// The selection.
    #[serde(flatten)]
    pub access: HistoryAccess,
}

/// A selection of inputs.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "hist_access_type", rename_all = "lowercase")]
pub enum HistoryAccess {
    /// By line numbers.
    Range {
        /// 0 is this session, which is the only one this kernel knows.
        #[serde(default)]
        session: Option<i64>,
        /// The first line.
        #[serde(default)]
        start: Option<i64>,
        /// The line after the last one.
        #[serde(default)]
        stop: Option<i64>,
    },
    /// The last ones.
    Tail {
        /// How many.
        #[serde(default)]
        n: Option<i64>,
    },
    /// Those that match.
    Search {
        /// A pattern with `*` and `?`.
        #[serde(default)]
        pattern: Option<String>,
        /// Equal inputs only once.
        #[serde(default)]
        unique: bool,
        /// At most this many, the last ones.
        #[serde(default)]
        n: Option<i64>,
    },
}

/// Which open comms a client wants to know.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct CommInfo {
    /// Those of this target; all if it is missing.
    #[serde(default)]
    pub target_name: Option<String>,
}

/// A widget or another client-side object that wants a counterpart here.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct CommOpen {
    /// Its identity.
    pub comm_id: String,
    /// What is to be its counterpart.
    #[serde(default)]
    pub target_name: String,
}

/// What a comm of the client says.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct CommMessage {
    /// Its identity.
    pub comm_id: String,
    /// What it says.
    #[serde(default)]
    pub data: Value,
}

/// The end of a comm.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct CommClose {
    /// Its identity.
    pub comm_id: String,
}

/// The user's input.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct InputReply {
    /// The line.
    pub value: String,
}

/// The end of the kernel.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Shutdown {
    /// Whether another kernel will follow.
    #[serde(default)]
    pub restart: bool,
}

fn typed<T: serde::de::DeserializeOwned>(content: Value) -> Result<T, Malformed> {
    serde_json::from_value(content).map_err(|error| Malformed { part: "content", reason: error.to_string() })
}

fn yes() -> bool {
    true
}

/// A position. Some clients send a negative number or null for "the end".
fn position<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let number: Option<i64> = Option::deserialize(deserializer)?;
    Ok(number.and_then(|number| usize::try_from(number).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn optional_fields_have_the_defaults_of_the_specification() {
        let execute = Request::read("execute_request", json!({"code": "1"})).unwrap();
        let expected = Execute {
            code: "1".into(),
            silent: false,
            store_history: true,
            stop_on_error: true,
            allow_stdin: true,
            user_expressions: Map::new(),
        };
        assert_eq!(execute, Request::Execute(expected));
        let complete = Request::read("complete_request", json!({"code": "a", "cursor_pos": null})).unwrap();
        assert_eq!(complete, Request::Complete(AtCursor { code: "a".into(), cursor_pos: None, detail_level: 0 }));
        let history = json!({"hist_access_type": "range", "session": 0, "start": 1, "raw": true});
        let access = HistoryAccess::Range { session: Some(0), start: Some(1), stop: None };
        assert_eq!(
            Request::read("history_request", history).unwrap(),
            Request::History(HistoryRequest { output: false, access })
        );
        assert_eq!(
            Request::read("shutdown_request", json!({})).unwrap(),
            Request::Shutdown(Shutdown { restart: false })
        );
    }

    #[test]
    fn unknown_messages_are_no_errors_but_wrong_contents_are() {
        assert_eq!(Request::read("debug_request", json!({"type": 3})).unwrap(), Request::Other);
        assert!(Request::read("comm_msg", json!({"comm_id": 3})).is_err());
        assert!(Request::read("execute_request", json!({"silent": true})).is_err());
        assert!(Request::read("history_request", json!({"hist_access_type": "all"})).is_err());
    }
}
