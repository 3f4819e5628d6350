//! The compiler's messages in the format for programs: JSON, one message on each line.

use serde_json::{Map, Value};

/// A message of the compiler.
pub struct CompilerMessage(Value);

impl CompilerMessage {
    /// The messages in a text. Other lines are left out.
    pub fn all(text: &str) -> impl Iterator<Item = CompilerMessage> {
        text.lines().filter_map(CompilerMessage::read)
    }

    /// The errors in a text.
    pub fn errors(text: &str) -> impl Iterator<Item = CompilerMessage> {
        CompilerMessage::all(text).filter(CompilerMessage::is_error)
    }

    /// The errors in a text, without the last one, which only counts the others.
    pub fn own_errors(text: &str) -> impl Iterator<Item = CompilerMessage> {
        CompilerMessage::errors(text).filter(|message| !message.is_count())
    }

    /// The message on a line.
    pub fn read(line: &str) -> Option<CompilerMessage> {
        serde_json::from_str(line).ok().map(CompilerMessage)
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.0["level"] == "error"
    }

    /// Whether it is the last error, which only counts the others.
    pub fn is_count(&self) -> bool {
        self.is_error() && self.0["code"].is_null() && self.0["spans"].as_array().is_some_and(Vec::is_empty)
    }

    /// The code, such as `E0382`. Empty if it has none.
    pub fn code(&self) -> &str {
        self.0["code"]["code"].as_str().unwrap_or_default()
    }

    /// The headline.
    pub fn text(&self) -> &str {
        self.0["message"].as_str().unwrap_or_default()
    }

    /// The places that it is about.
    pub fn spans(&self) -> &[Value] {
        self.0["spans"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Its main place.
    pub fn primary(&self) -> Option<&Value> {
        self.spans().iter().find(|span| span["is_primary"] == true)
    }

    /// The line of its main place, from 0.
    pub fn line(&self) -> Option<usize> {
        usize::try_from(self.primary()?["line_start"].as_u64()?).ok()?.checked_sub(1)
    }

    /// The message as JSON.
    pub fn json(&self) -> &Value {
        &self.0
    }
}

/// Whether a file that a message names is the source of a cell, as evcxr or the build step writes it, and not that of a library.
pub fn is_cell_source(file: &str) -> bool {
    let is_of_library = file.ends_with("/src/lib.rs") && !file.ends_with("/context/src/lib.rs");
    (file == "lib.rs" || file == "src/lib.rs" || file.ends_with("/lib.rs")) && !is_of_library
}

/// The lines of a text whose message is wanted. Lines without a message are wanted too.
pub fn lines_where(text: &str, wanted: impl Fn(&CompilerMessage) -> bool) -> String {
    let is_wanted = |line: &&str| CompilerMessage::read(line).is_none_or(|message| wanted(&message));
    text.lines().filter(is_wanted).flat_map(|line| [line, "\n"]).collect()
}

/// Changes each object of the messages in a text, such as spans. Other lines stay unchanged.
pub fn with_objects(text: &str, mut change: impl FnMut(&mut Map<String, Value>)) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        match CompilerMessage::read(line) {
            Some(CompilerMessage(mut message @ Value::Object(_))) => {
                change_objects(&mut message, &mut change);
                result.push_str(&message.to_string());
            }
            _ => result.push_str(line),
        }
        result.push('\n');
    }
    result
}

fn change_objects(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Array(parts) => parts.iter_mut().for_each(|part| change_objects(part, change)),
        Value::Object(fields) => {
            change(fields);
            fields.values_mut().for_each(|part| change_objects(part, change));
        }
        _ => {}
    }
}
