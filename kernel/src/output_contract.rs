//! The kernel's side of the output contract: messages of the cell process inside its standard output.
//!
//! `kernel/OUTPUT_CONTRACT.md` defines the format. The prelude's side is `prelude/src/output.rs`. [`Splitter`] reads
//! the bytes of the cell process and returns text and messages in their order.

use crate::controls::Interaction;
use crate::profile::Profile;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of the cell process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// A display with a representation per MIME type.
    Display {
        /// MIME type to content.
        data: Map<String, Value>,
        /// Identity for later updates.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Whether this replaces the display of that identity.
        #[serde(default, skip_serializing_if = "is_false")]
        update: bool,
    },
    /// How far a loop is.
    Progress {
        /// MIME type to content: a bar as HTML, a line as plain text.
        data: Map<String, Value>,
        /// Which bar.
        id: String,
        /// Whether the bar exists already.
        #[serde(default)]
        update: bool,
        /// Whether the bar will not move again.
        #[serde(default)]
        done: bool,
    },
    /// Removes the outputs that the cell has shown so far.
    ClearOutput {
        /// Whether to wait for the next output.
        wait: bool,
    },
    /// What the cell waits for.
    Waiting {
        /// One line; `None`: it waits no longer.
        what: Option<String>,
    },
    /// How much text each cell may show from now on.
    OutputLimit {
        /// In bytes.
        bytes: u64,
    },
    /// The value of the cell's last expression.
    Result {
        /// MIME type to content.
        data: Map<String, Value>,
    },
    /// A thread of the cell process panicked.
    Panic {
        /// The panic's message.
        message: String,
        /// Where: file, line and column.
        location: String,
        /// Whether it was the thread that runs cells.
        cell_thread: bool,
        /// The user's functions on the stack, innermost first.
        backtrace: Vec<String>,
    },
    /// The cell has stopped, because the user asked for that.
    Interrupted {
        /// Where the thread that runs cells was: file, line and column.
        location: Option<String>,
    },
    /// `?` ended the cell with this error.
    UserError {
        /// The error's `Debug` text.
        message: String,
    },
    /// What happened to the variables that the cell was defining when it failed.
    Stored {
        /// Those that it has stored since then.
        names: Vec<String>,
        /// Variables that have their old values again.
        kept: Vec<String>,
        /// The types in the compiled program of variables whose types differ from those at the end of the cell.
        types: Vec<(String, String)>,
        /// Those whose new values are lost.
        lost: Vec<String>,
    },
    /// A line for evcxr.
    Control {
        /// The line, without its end.
        line: String,
    },
    /// A compiled cell could not be loaded.
    LoadFailed {
        /// The dynamic linker's message.
        message: String,
    },
    /// The cell asks the user for a line, and waits on a socket of the session's directory.
    Input {
        /// The prompt.
        prompt: String,
        /// Whether the line must not be shown.
        password: bool,
    },
    /// The compiled cell has been loaded.
    Loaded {
        /// How long that took.
        microseconds: u64,
    },
    /// What `%prun` has sampled.
    Profile {
        /// The samples.
        profile: Box<Profile>,
    },
    /// The closure of an interaction is called for the first time: its outputs follow.
    Interaction {
        /// The closure's identity, and its controls.
        #[serde(flatten)]
        interaction: Interaction,
    },
    /// A call of an interaction's closure has come to its end; all its output precedes this.
    Called {
        /// Whether it was the first one and has unwound: there is nothing that could be called again.
        #[serde(default)]
        unwound: bool,
    },
    /// The program has closed an interaction.
    InteractionClosed {
        /// Which one.
        id: String,
    },
    /// The cell has come to its end.
    End,
}

impl Message {
    /// A display without an identity.
    pub fn display(data: Map<String, Value>) -> Message {
        Message::Display { data, id: None, update: false }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A piece of the cell process's standard output.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text of the user.
    Text(Vec<u8>),
    /// A message of the contract.
    Message(Message),
}

/// A new marker that user text cannot guess.
pub fn new_marker() -> String {
    format!("\u{1b}_warpcell:{}:", uuid::Uuid::new_v4().simple())
}

/// Writes a message as the cell process does.
pub fn encode(marker: &str, message: &Message) -> String {
    let text = serde_json::to_string(message).unwrap_or_else(|error| unreachable!("a message is plain data: {error}"));
    format!("{marker}{}\n{text}\n", text.len())
}

const BEGIN_CONTENT: &[u8] = b"EVCXR_BEGIN_CONTENT ";
const END_CONTENT: &[u8] = b"\nEVCXR_END_CONTENT\n";

/// Splits standard output into text and messages. Text is passed on at once. Only a tail is held back if it could be
/// the start of a marker or, at the start of a line, of a content block of evcxr. Crates that were made for evcxr print
/// such blocks.
pub struct Splitter {
    marker: Vec<u8>,
    held: Vec<u8>,
    at_line_start: bool,
}

impl Splitter {
    /// A splitter for a session's marker.
    pub fn new(marker: &str) -> Splitter {
        Splitter { marker: marker.as_bytes().to_vec(), held: Vec::new(), at_line_start: true }
    }

    /// Takes more bytes and returns the complete parts.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.held.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Returns the bytes that are still held, at the end of the stream.
    pub fn finish(&mut self) -> Vec<Piece> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() { Vec::new() } else { vec![Piece::Text(held)] }
    }

    /// Handles the first thing in `held`; false when more bytes are needed.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        if self.held.is_empty() {
            return false;
        }
        if self.held.starts_with(&self.marker) {
            return self.take_message(pieces);
        }
        if self.at_line_start && self.held.starts_with(BEGIN_CONTENT) {
            return self.take_content_block(pieces);
        }
        if self.marker.starts_with(&self.held) || (self.at_line_start && BEGIN_CONTENT.starts_with(&self.held)) {
            return false;
        }
        let length = self.plain_length();
        let text: Vec<u8> = self.held.drain(..length).collect();
        self.at_line_start = text.ends_with(b"\n");
        match pieces.last_mut() {
            Some(Piece::Text(last)) => last.extend(text),
            _ => pieces.push(Piece::Text(text)),
        }
        true
    }

    /// How many bytes from the start are certainly text: at least one.
    fn plain_length(&self) -> usize {
        let first = self.marker[0];
        for index in 1..self.held.len() {
            let rest = &self.held[index..];
            let may_be_marker = rest[0] == first && (rest.starts_with(&self.marker) || self.marker.starts_with(rest));
            let may_be_block = self.held[index - 1] == b'\n'
                && rest[0] == b'E'
                && (rest.starts_with(BEGIN_CONTENT) || BEGIN_CONTENT.starts_with(rest));
            if may_be_marker || may_be_block {
                return index;
            }
        }
        self.held.len()
    }

    fn take_message(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let start = self.marker.len();
        let Some(line_length) = self.held[start..].iter().position(|&byte| byte == b'\n') else { return false };
        let length: Option<usize> =
            std::str::from_utf8(&self.held[start..start + line_length]).ok().and_then(|digits| digits.parse().ok());
        let body = start + line_length + 1;
        let Some(end) = length.and_then(|length| body.checked_add(length)) else {
            // It is not one of our markers. Its first byte is text, and the search continues behind it.
            pieces.push(Piece::Text(self.held.drain(..1).collect()));
            return true;
        };
        if self.held.len() < end + 1 {
            return false;
        }
        match serde_json::from_slice(&self.held[body..end]) {
            Ok(message) => pieces.push(Piece::Message(message)),
            Err(error) => pieces.push(Piece::Text(format!("[unreadable message: {error}]\n").into_bytes())),
        }
        self.held.drain(..end + 1);
        true
    }

    fn take_content_block(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let start = BEGIN_CONTENT.len();
        let Some(line_length) = self.held[start..].iter().position(|&byte| byte == b'\n') else { return false };
        let body = start + line_length;
        // A block contains no other message. So if a message comes first, the block is text of the user that only looks
        // like a beginning. The end of the cell is such a message.
        let end = self.held[body..].windows(END_CONTENT.len()).position(|window| window == END_CONTENT);
        let message = self.held[body..].windows(self.marker.len()).position(|window| window == self.marker);
        if message.is_some_and(|message| end.is_none_or(|end| message < end)) {
            pieces.push(Piece::Text(self.held.drain(..start).collect()));
            self.at_line_start = false;
            return true;
        }
        let Some(length) = end else { return false };
        let mime_type = String::from_utf8_lossy(&self.held[start..body]).trim().to_owned();
        let content = String::from_utf8_lossy(&self.held[(body + 1).min(body + length)..body + length]).into_owned();
        self.held.drain(..body + length + END_CONTENT.len());
        // Adjacent blocks are representations of one value, as in evcxr.
        match pieces.last_mut() {
            Some(Piece::Message(Message::Display { data, id: None, .. })) if !data.contains_key(&mime_type) => {
                data.insert(mime_type, Value::String(content));
            }
            _ => {
                let data = Map::from_iter([(mime_type, Value::String(content))]);
                pieces.push(Piece::Message(Message::display(data)));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::{Control, Kind};

    fn text(content: &str) -> Piece {
        Piece::Text(content.as_bytes().to_vec())
    }

    fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
        let mut result: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (result.last_mut(), piece) {
                (Some(Piece::Text(last)), Piece::Text(more)) => last.extend(more),
                (_, piece) => result.push(piece),
            }
        }
        result
    }

    #[test]
    fn order_is_kept_however_the_bytes_arrive() {
        let marker = new_marker();
        let panic = Message::Control { line: "EVCXR_PANIC_NOTIFICATION".to_owned() };
        let stream = format!(
            "partial{}more\nEVCXR_BEGIN_CONTENT text/html\n<b>x</b>\ny\nEVCXR_END_CONTENT\ntail \u{1b}[31mred",
            encode(&marker, &panic)
        );
        let expected = vec![
            text("partial"),
            Piece::Message(panic),
            text("more\n"),
            Piece::Message(Message::display(Map::from_iter([("text/html".to_owned(), Value::from("<b>x</b>\ny"))]))),
            text("tail \u{1b}[31mred"),
        ];
        for size in [1, 2, 3, 7, stream.len()] {
            let mut splitter = Splitter::new(&marker);
            let mut pieces = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                pieces.extend(splitter.feed(chunk));
            }
            pieces.extend(splitter.finish());
            assert_eq!(joined(pieces), expected, "in chunks of {size}");
        }
    }

    #[test]
    fn text_is_not_held_back_without_need() {
        let mut splitter = Splitter::new(&new_marker());
        assert_eq!(splitter.feed(b"50 %"), [text("50 %")]);
        assert_eq!(splitter.feed(b"\r100 %"), [text("\r100 %")]);
        assert_eq!(splitter.feed(b"EVCXR_BEGIN_CONTENT in a line"), [text("EVCXR_BEGIN_CONTENT in a line")]);
    }

    #[test]
    fn text_that_begins_like_a_block_swallows_no_message() {
        let marker = new_marker();
        let stream = format!("EVCXR_BEGIN_CONTENT text/html\nmine\n{}next\n", encode(&marker, &Message::End));
        for size in [1, 5, stream.len()] {
            let mut splitter = Splitter::new(&marker);
            let chunks = stream.as_bytes().chunks(size);
            let pieces = joined(chunks.flat_map(|chunk| splitter.feed(chunk)).collect());
            let expected =
                [text("EVCXR_BEGIN_CONTENT text/html\nmine\n"), Piece::Message(Message::End), text("next\n")];
            assert_eq!(pieces, expected, "in chunks of {size}");
        }
    }

    #[test]
    fn blocks_of_two_types_are_one_display() {
        let mut splitter = Splitter::new(&new_marker());
        let pieces = splitter.feed(
            b"EVCXR_BEGIN_CONTENT text/html\n<i>\nEVCXR_END_CONTENT\nEVCXR_BEGIN_CONTENT text/plain\ni\nEVCXR_END_CONTENT\n",
        );
        assert_eq!(pieces.len(), 1);
        let Piece::Message(Message::Display { data, .. }) = &pieces[0] else { panic!("not a display: {pieces:?}") };
        assert_eq!((data["text/html"].as_str(), data["text/plain"].as_str()), (Some("<i>"), Some("i")));
    }

    #[test]
    fn messages_of_the_prelude_are_read() {
        let read = |text: &str| serde_json::from_str::<Message>(text).unwrap();
        let data = Map::from_iter([("text/plain".to_owned(), Value::from("x"))]);
        assert_eq!(read(r#"{"type":"display","data":{"text/plain":"x"}}"#), Message::display(data.clone()));
        assert_eq!(
            read(r#"{"type":"display","data":{"text/plain":"x"},"id":"a","update":true}"#),
            Message::Display { data: data.clone(), id: Some("a".to_owned()), update: true }
        );
        assert_eq!(
            read(r#"{"type":"progress","data":{"text/plain":"x"},"id":"a","update":true,"done":false}"#),
            Message::Progress { data, id: "a".to_owned(), update: true, done: false }
        );
        assert_eq!(read(r#"{"type":"clear_output","wait":true}"#), Message::ClearOutput { wait: true });
        let rows = vec![vec![Control { name: "on".to_owned(), kind: Kind::Checkbox { value: true } }]];
        assert_eq!(
            read(r#"{"type":"interaction","id":"1","rows":[[{"name":"on","kind":"checkbox","value":true}]]}"#),
            Message::Interaction { interaction: Interaction { id: "1".to_owned(), rows } }
        );
        assert_eq!(read(r#"{"type":"called"}"#), Message::Called { unwound: false });
    }
}
