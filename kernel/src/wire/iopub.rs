//! The messages that the kernel publishes to all clients.

use super::Parent;
use super::content::untyped;
use super::envelope::envelope;
use crate::evaluator::{CellError, Output, StreamName};
use crate::widgets::CommMessage;
use bytes::Bytes;
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
    /// A message of a comm.
    Comm(CommMessage),
    /// The kernel is about to end.
    Shutdown {
        /// Whether another kernel will follow.
        restart: bool,
    },
}

impl Publication {
    /// The message for this, as a child of the request that caused it.
    pub fn into_message(mut self, parent: Option<&Parent>) -> JupyterMessage {
        let (metadata, buffers) = match &mut self {
            Self::Comm(CommMessage::Open { version, buffers, .. }) => {
                (Some(json!({ "version": version })), std::mem::take(buffers))
            }
            Self::Comm(CommMessage::Message { buffers, .. }) => (None, std::mem::take(buffers)),
            _ => (None, Vec::new()),
        };
        let mut message = envelope(self.into_content(), parent);
        message.metadata = metadata.unwrap_or(message.metadata);
        message.buffers = buffers;
        message
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
            Self::Comm(CommMessage::Open { buffers, .. } | CommMessage::Message { buffers, .. }) => {
                buffers.iter().map(Bytes::len).sum()
            }
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
            Self::Comm(message) => comm_content(message),
            Self::Shutdown { restart } => super::reply::Reply::Shutdown { restart }.into_content(),
        }
    }
}

fn comm_content(message: CommMessage) -> JupyterMessageContent {
    match message {
        CommMessage::Open { comm_id, target_name, data, .. } => {
            untyped("comm_open", json!({ "comm_id": comm_id, "target_name": target_name, "data": data }))
        }
        CommMessage::Message { comm_id, data, .. } => untyped("comm_msg", json!({ "comm_id": comm_id, "data": data })),
        CommMessage::Close { comm_id } => CommClose { comm_id: CommId(comm_id), data: Map::new() }.into(),
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
        Output::Waiting { .. } | Output::Interaction { .. } | Output::InteractionClosed { .. } => {
            unreachable!("they become comms, text and a display before they are published")
        }
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

    #[test]
    fn comms_have_the_version_of_their_messages_and_binary_parts() {
        let (data, buffers) = (json!({"state": {}, "buffer_paths": [["value"]]}), vec![Bytes::from_static(b"png")]);
        let opened = CommMessage::Open {
            comm_id: "c".into(),
            target_name: "jupyter.widget".into(),
            data: data.clone(),
            version: "2.1.0",
            buffers: buffers.clone(),
        };
        let message = Publication::Comm(opened).into_message(None);
        assert_eq!((message.metadata, message.buffers), (json!({"version": "2.1.0"}), buffers));
        let expected = json!({"comm_id": "c", "target_name": "jupyter.widget", "data": data});
        assert_eq!(serde_json::to_value(&message.content).unwrap(), expected);
    }
}
