//! The messages that the kernel publishes to all clients.

use super::Parent;
use super::content::untyped;
use super::envelope::envelope;
use crate::evaluator::{CellError, Output, StreamName};
use jupyter_protocol::{
    ClearOutput, CommClose, CommId, ErrorOutput, ExecuteInput, ExecutionCount, ExecutionState, InputRequest,
    IoPubWelcome, JupyterMessage, JupyterMessageContent, Status, Stdio, StreamContent,
};
use serde_json::{Map, Value, json};

/// All that this kernel can publish.
#[derive(Clone, Debug, PartialEq)]
pub enum Publication {
    /// Answers a new subscription.
    Welcome {
        /// The topic of the subscription.
        topic: String,
    },
    /// Work on a request begins.
    Busy,
    /// Work on a request is over.
    Idle,
    /// The code that runs now.
    Input {
        /// The text of the cell.
        code: String,
        /// Its number.
        count: usize,
    },
    /// Something that the cell shows; `count` is the number of a result.
    Output {
        /// The output.
        output: Output,
        /// The number of the cell.
        count: usize,
    },
    /// The cell has failed.
    Error(CellError),
    /// The kernel has no counterpart for a comm.
    CommClose {
        /// Its identity.
        comm_id: String,
    },
    /// The kernel is about to end.
    Shutdown {
        /// Whether another kernel will follow.
        restart: bool,
    },
}

impl Publication {
    /// The message for this, as a child of the request that caused it.
    pub fn into_message(self, parent: Option<&Parent>) -> JupyterMessage {
        envelope(self.into_content(), parent)
    }

    /// About how much memory the message takes.
    pub fn size(&self) -> usize {
        const ENVELOPE: usize = 1 << 10;
        let bundle = |data: &Map<String, Value>| data.values().filter_map(Value::as_str).map(str::len).sum();
        let content = match self {
            Self::Input { code, .. } => code.len(),
            Self::Output { output: Output::Stream { text, .. }, .. } => text.len(),
            Self::Output {
                output: Output::Display { data, .. } | Output::Progress { data, .. } | Output::Result { data, .. },
                ..
            } => bundle(data),
            _ => 0,
        };
        ENVELOPE + content
    }

    /// The content of the message.
    pub fn into_content(self) -> JupyterMessageContent {
        match self {
            Self::Welcome { topic } => IoPubWelcome::new(topic).into(),
            Self::Busy => Status { execution_state: ExecutionState::Busy }.into(),
            Self::Idle => Status { execution_state: ExecutionState::Idle }.into(),
            Self::Input { code, count } => ExecuteInput { code, execution_count: ExecutionCount::new(count) }.into(),
            Self::Output { output, count } => output_content(output, count),
            Self::Error(CellError { name, value, traceback }) => {
                ErrorOutput { ename: name, evalue: value, traceback }.into()
            }
            Self::CommClose { comm_id } => CommClose { comm_id: CommId(comm_id), data: Map::new() }.into(),
            Self::Shutdown { restart } => super::reply::Reply::Shutdown { restart }.into_content(),
        }
    }
}

fn output_content(output: Output, count: usize) -> JupyterMessageContent {
    match output {
        Output::Stream { name, text } => {
            let name = match name {
                StreamName::Stdout => Stdio::Stdout,
                StreamName::Stderr => Stdio::Stderr,
            };
            StreamContent { name, text }.into()
        }
        // The library's `Media` reorders a bundle and converts its entries to its own types. Ours pass unchanged.
        Output::Display { data, metadata, display_id, update } => display_content(data, metadata, display_id, update),
        Output::Progress { data, id, update, .. } => display_content(data, Map::new(), Some(id), update),
        Output::Result { data, metadata } => {
            untyped("execute_result", json!({ "execution_count": count, "data": data, "metadata": metadata }))
        }
        Output::Clear { wait } => ClearOutput { wait }.into(),
        Output::Input { prompt, password } => InputRequest { prompt, password }.into(),
    }
}

fn display_content(
    data: Map<String, Value>,
    metadata: Map<String, Value>,
    display_id: Option<String>,
    update: bool,
) -> JupyterMessageContent {
    let message_type = if update { "update_display_data" } else { "display_data" };
    let transient = display_id.map_or_else(|| json!({}), |id| json!({ "display_id": id }));
    untyped(message_type, json!({ "data": data, "metadata": metadata, "transient": transient }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(output: Output) -> (String, serde_json::Value) {
        let message = Publication::Output { output, count: 3 }.into_message(None);
        (message.header.msg_type, serde_json::to_value(&message.content).unwrap())
    }

    #[test]
    fn bundles_pass_unchanged() {
        let data = json!({"text/plain": "1", "application/x-unheard-of+json": {"a": [1, null]}});
        let bundle = data.as_object().unwrap().clone();
        let result = Output::Result { data: bundle.clone(), metadata: Map::new() };
        let expected = json!({"execution_count": 3, "data": data, "metadata": {}});
        assert_eq!(content(result), ("execute_result".into(), expected));
        let update = Output::Display { data: bundle, metadata: Map::new(), display_id: Some("d".into()), update: true };
        let expected = json!({"data": data, "metadata": {}, "transient": {"display_id": "d"}});
        assert_eq!(content(update), ("update_display_data".into(), expected));
    }
}
