//! Completion, inspection and completeness.

use crate::frontend::Frontend;
use serde_json::{Value, json};

fn at(code: &str, cursor: usize) -> Value {
    json!({ "code": code, "cursor_pos": cursor, "detail_level": 0 })
}

#[test]
fn completion_counts_code_points() {
    let mut frontend = Frontend::start();
    let reply = frontend.ask("complete_request", at("👨\u{200d}👩 ab é", 6));
    let expected = json!({
        "status": "ok", "matches": ["AB"], "cursor_start": 4, "cursor_end": 6,
        "metadata": {
            "_jupyter_types_experimental": [{ "text": "AB", "type": "keyword", "start": 4, "end": 6 }],
        },
    });
    assert_eq!(reply, expected);
}

#[test]
fn a_cursor_outside_means_the_end() {
    let mut frontend = Frontend::start();
    let end = |reply: Value| reply["cursor_end"].as_u64();
    assert_eq!(end(frontend.ask("complete_request", at("🦀", 99))), Some(1));
    assert_eq!(end(frontend.ask("complete_request", json!({ "code": "🦀" }))), Some(1));
}

#[test]
fn inspection() {
    let mut frontend = Frontend::start();
    let found = json!({ "status": "ok", "found": true, "data": { "text/plain": "é" }, "metadata": {} });
    assert_eq!(frontend.ask("inspect_request", at("ébc", 1)), found);
    let nothing = json!({ "status": "ok", "found": false, "data": {}, "metadata": {} });
    assert_eq!(frontend.ask("inspect_request", at("abc", 0)), nothing);
}

#[test]
fn completeness() {
    let mut frontend = Frontend::start();
    for (code, status, indent) in [("1 + 1", "complete", ""), ("f(", "incomplete", "    "), ("}", "invalid", "")] {
        let reply = frontend.ask("is_complete_request", json!({ "code": code }));
        assert_eq!(reply, json!({ "status": status, "indent": indent }), "{code}");
    }
}

#[test]
fn help_does_not_wait_for_a_cell() {
    let mut frontend = Frontend::start();
    let id = frontend.execute("sleep-until-interrupted");
    frontend.begins(&id, "sleep-until-interrupted", 1);
    for request in ["complete_request", "inspect_request", "is_complete_request", "history_request"] {
        frontend.ask_while_running(request, &id);
    }
    frontend.interrupt(Some(&id));
    frontend.ends_badly(&id, 1, "Interrupted", "the cell was interrupted");
}
