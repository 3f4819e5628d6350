//! What contents have in common.

use jupyter_protocol::{JupyterMessageContent, UnknownMessage};

/// The version of the messaging protocol that this kernel implements.
pub const PROTOCOL_VERSION: &str = "5.5";

/// A content that is sent unchanged.
pub fn untyped(message_type: &str, content: serde_json::Value) -> JupyterMessageContent {
    UnknownMessage { msg_type: message_type.to_owned(), content }.into()
}
