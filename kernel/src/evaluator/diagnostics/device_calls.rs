//! Calls of functions that do not run on devices. The macros refuse them by a type of the function's name, which only functions for
//! devices have (`mark` in `prelude/macros`); what the compiler says of that type is put here into words about the function.

use crate::build_step::CompilerMessage;
use serde_json::Value;

/// What a message about such a type is worth.
#[derive(Debug, PartialEq, Eq)]
pub enum DeviceCall {
    /// The function exists, for the host alone.
    OfHost { message: String, help: String },
    /// There is no such function, which another message says.
    OfNothing,
}

/// What is said of a call in a function for devices; `None` if the message is about something else.
pub fn device_call(message: &CompilerMessage) -> Option<DeviceCall> {
    let is_of_name = matches!(message.code(), "E0412" | "E0425" | "E0573");
    if !is_of_name || !is_called(message.primary()?) {
        return None;
    }
    let Some(rest) = message.text().strip_prefix("expected type, found function `") else {
        // The compiler says "function" of what is called.
        let is_of_macro =
            ["type", "value"].iter().any(|kind| message.text().starts_with(&format!("cannot find {kind} `")));
        return is_of_macro.then_some(DeviceCall::OfNothing);
    };
    let path = rest.split('`').next()?;
    let name = path.rsplit("::").next()?;
    Some(DeviceCall::OfHost {
        message: format!("`{path}` can be called only on the host, not in a function for devices"),
        help: format!("write the function in the notebook, with `#[device]` before `fn {name}`"),
    })
}

/// Whether a place is followed by arguments: a type cannot stand there.
fn is_called(span: &Value) -> bool {
    let line = &span["text"][0];
    let end = line["highlight_end"].as_u64().and_then(|end| usize::try_from(end).ok()).unwrap_or(1);
    let text = line["text"].as_str().unwrap_or_default();
    text.chars().skip(end.saturating_sub(1)).find(|character| !character.is_whitespace()) == Some('(')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(code: &str, text: &str, line: &str, end: usize) -> Option<DeviceCall> {
        let span =
            json!({ "is_primary": true, "text": [{ "text": line, "highlight_start": 1, "highlight_end": end }] });
        let message = json!({ "level": "error", "message": text, "code": { "code": code }, "spans": [span] });
        device_call(&CompilerMessage::read(&message.to_string())?)
    }

    #[test]
    fn calls_of_functions_of_the_host_are_put_into_words() {
        let found = said("E0573", "expected type, found function `libm::erfc`", "libm::erfc(x)", 11);
        let Some(DeviceCall::OfHost { message, help }) = found else { panic!("{found:?}") };
        assert_eq!(message, "`libm::erfc` can be called only on the host, not in a function for devices");
        assert_eq!(help, "write the function in the notebook, with `#[device]` before `fn erfc`");
        assert_eq!(said("E0412", "cannot find type `g` in this scope", "g (x)", 2), Some(DeviceCall::OfNothing));
        assert_eq!(said("E0425", "cannot find value `g` in this scope", "g(x)", 2), Some(DeviceCall::OfNothing));
    }

    #[test]
    fn types_are_left_alone() {
        assert_eq!(said("E0573", "expected type, found function `f`", "x: f, y", 5), None);
        assert_eq!(said("E0412", "cannot find type `g` in this scope", "x: g = 3", 5), None);
        assert_eq!(said("E0425", "cannot find function `g` in this scope", "g(x)", 2), None);
    }
}
