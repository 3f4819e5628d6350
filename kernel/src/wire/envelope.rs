//! What surrounds a content: who sent it, and which request it answers.

use super::content::PROTOCOL_VERSION;
use bytes::Bytes;
use jupyter_protocol::{Header, JupyterMessage, JupyterMessageContent};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The request that a message answers or belongs to; cheap to clone.
#[derive(Clone)]
pub struct Parent(Arc<ParentParts>);

struct ParentParts {
    identities: Vec<Bytes>,
    header: Header,
    from_terminal: bool,
    cell_id: Option<String>,
}

impl Parent {
    /// Whether the sender is probably a client without HTML and without updates of displays. Notebooks name the cell
    /// (JupyterLab, Notebook, VS Code) or cannot ask anybody (nbclient). A terminal does neither.
    pub fn is_from_terminal(&self) -> bool {
        self.0.from_terminal
    }

    /// The identity that the client has for the cell, if it says so.
    pub fn cell_id(&self) -> Option<&str> {
        self.0.cell_id.as_deref()
    }

    /// The identity of the request.
    pub fn id(&self) -> &str {
        &self.0.header.msg_id
    }

    /// A message to the sender of this request.
    pub fn reply(&self, content: JupyterMessageContent) -> JupyterMessage {
        let mut message = envelope(content, Some(self));
        message.zmq_identities.clone_from(&self.0.identities);
        message
    }
}

/// A message of the kernel that is not routed to one client.
///
/// `None` as parent is for the few messages that no request has caused.
pub(super) fn envelope(content: JupyterMessageContent, parent: Option<&Parent>) -> JupyterMessage {
    let mut message = JupyterMessage::new(content, None);
    // The library fixes "5.3" and its own name.
    message.header.version = PROTOCOL_VERSION.to_owned();
    message.header.username = "kernel".to_owned();
    message.parent_header = parent.map(|parent| parent.0.header.clone());
    message
}

/// A message from a client whose signature has been checked.
pub struct Incoming {
    /// The address of a reply, and the request that it answers.
    pub parent: Parent,
    /// The type that the header names.
    pub message_type: String,
    /// The content, not yet interpreted.
    pub content: Value,
}

impl Incoming {
    /// Reads the four JSON parts: header, parent header, metadata and content. Binary buffers are ignored.
    pub fn from_parts(identities: Vec<Bytes>, parts: &[Bytes]) -> Result<Self, Malformed> {
        let [header, _, metadata, content, ..] = parts else {
            return Err(Malformed { part: "frames", reason: format!("{} of 4", parts.len()) });
        };
        let header: Header = json("header", header)?;
        let content: Value = json("content", content)?;
        let metadata: Value = serde_json::from_slice(metadata).unwrap_or_default();
        let from_terminal = metadata.get("cellId").is_none() && content.get("allow_stdin") == Some(&Value::Bool(true));
        let cell_id = metadata.get("cellId").and_then(Value::as_str).map(str::to_owned);
        let message_type = header.msg_type.clone();
        let parent = Parent(Arc::new(ParentParts { identities, header, from_terminal, cell_id }));
        Ok(Self { parent, message_type, content })
    }
}

/// Why a message cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The part of the message that is wrong.
    pub part: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed {}: {}", self.part, self.reason)
    }
}

fn json<T: serde::de::DeserializeOwned>(part: &'static str, bytes: &[u8]) -> Result<T, Malformed> {
    serde_json::from_slice(bytes).map_err(|error| Malformed { part, reason: error.to_string() })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A request as a client would send it.
    pub fn incoming(message_type: &str, content: Value) -> Incoming {
        incoming_with(message_type, &serde_json::json!({}), content)
    }

    fn incoming_with(message_type: &str, metadata: &Value, content: Value) -> Incoming {
        let header = serde_json::json!({
            "msg_id": "m1", "username": "u", "session": "s", "date": "2026-01-02T03:04:05.678901Z",
            "msg_type": message_type, "version": "5.4", "subshell_id": null,
        });
        let parts = [header.to_string(), "{}".into(), metadata.to_string(), content.to_string()].map(Bytes::from);
        Incoming::from_parts(vec![Bytes::from_static(b"client")], &parts).unwrap()
    }

    #[test]
    fn replies_carry_identity_and_parent() {
        let request = incoming("kernel_info_request", serde_json::json!({}));
        let reply = request.parent.reply(jupyter_protocol::InterruptReply::new().into());
        assert_eq!(reply.zmq_identities, [Bytes::from_static(b"client")]);
        assert_eq!(reply.parent_header.unwrap().msg_id, "m1");
        assert_eq!(reply.header.version, PROTOCOL_VERSION);
    }

    #[test]
    fn terminals_are_told_from_notebooks() {
        for (metadata, allow_stdin, from_terminal) in
            [("{}", true, true), ("{}", false, false), (r#"{"cellId":"c"}"#, true, false)]
        {
            let metadata = serde_json::from_str(metadata).unwrap();
            let content = serde_json::json!({"code": "1", "allow_stdin": allow_stdin});
            let request = incoming_with("execute_request", &metadata, content);
            assert_eq!(request.parent.is_from_terminal(), from_terminal, "{metadata} {allow_stdin}");
            assert_eq!(request.parent.cell_id(), metadata["cellId"].as_str());
        }
    }

    #[test]
    fn malformed_parts_are_named() {
        let part = |parts: &[&'static str]| {
            let parts: Vec<Bytes> = parts.iter().copied().map(Bytes::from).collect();
            Incoming::from_parts(vec![], &parts).err().map(|error| error.part)
        };
        assert_eq!(part(&["{}", "{}"]), Some("frames"));
        assert_eq!(part(&["{}", "{}", "{}", "{}"]), Some("header"));
        assert_eq!(part(&["[", "{}", "{}", "{}"]), Some("header"));
        let header = r#"{"msg_id":"m","username":"","session":"","msg_type":"x","version":"5.3"}"#;
        assert_eq!(part(&[header, "{}", "{}", "{"]), Some("content"));
        assert_eq!(part(&[header, "{}", "{}", "{}"]), None);
    }
}
