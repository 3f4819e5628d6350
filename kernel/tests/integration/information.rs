//! kernel_info, history, comms, unknown messages.

use crate::frontend::{Channel, Frontend};
use serde_json::{Value, json};

#[test]
fn kernel_info() {
    let mut frontend = Frontend::start();
    frontend.run_quietly("", 1);
    let info = frontend.ask("kernel_info_request", json!({}));
    assert_eq!(info["status"], "ok");
    assert_eq!(info["protocol_version"], "5.5");
    assert_eq!(info["implementation"], "warpcell");
    assert_eq!(info["implementation_version"], env!("CARGO_PKG_VERSION"));
    // A cell has run, so the evaluator has started and its banner is known.
    assert_eq!(info["banner"], "echo");
    assert_eq!(info["supported_features"], json!([]));
    let language = json!({
        "name": "rust", "version": "1.95.0", "mimetype": "text/x-rustsrc", "file_extension": ".rs",
        "pygments_lexer": "rust", "codemirror_mode": "rust",
    });
    assert_eq!(info["language_info"], language);
    assert!(info["help_links"].as_array().is_some_and(|links| links.iter().all(|link| link["url"].is_string())));
}

#[test]
fn history() {
    let mut frontend = Frontend::start();
    let id = frontend.execute("result A");
    frontend.begins(&id, "result A", 1);
    let result = json!({ "execution_count": 1, "data": { "text/plain": "A" }, "metadata": {} });
    frontend.client.published("execute_result", &id, result);
    frontend.ends_well(&id, 1);
    frontend.run_quietly("pass", 2);
    let mut history = |content: Value| {
        let reply = frontend.ask("history_request", content);
        assert_eq!(reply["status"], "ok");
        reply["history"].clone()
    };
    let tail = json!({ "hist_access_type": "tail", "n": 1, "output": false, "raw": true });
    assert_eq!(history(tail), json!([[1, 2, "pass"]]));
    let range =
        json!({ "hist_access_type": "range", "session": 0, "start": 1, "stop": 2, "output": true, "raw": true });
    assert_eq!(history(range), json!([[1, 1, ["result A", "A"]]]));
    let search = json!({ "hist_access_type": "search", "pattern": "p*", "unique": true, "output": false });
    assert_eq!(history(search), json!([[1, 2, "pass"]]));
}

#[test]
fn comms_for_unknown_targets_are_refused() {
    let mut frontend = Frontend::start();
    assert_eq!(frontend.ask("comm_info_request", json!({})), json!({ "status": "ok", "comms": {} }));
    let id = frontend.request("comm_open", json!({ "comm_id": "c", "target_name": "t", "data": {} }));
    frontend.busy(&id);
    frontend.client.published("comm_close", &id, json!({ "comm_id": "c", "data": {} }));
    frontend.idle(&id);
    for message in ["comm_msg", "comm_close"] {
        let id = frontend.request(message, json!({ "comm_id": "c", "data": {} }));
        frontend.busy(&id);
        frontend.idle(&id);
    }
}

#[test]
fn unknown_messages_are_passed_over() {
    let mut frontend = Frontend::start();
    for channel in [Channel::Shell, Channel::Control] {
        let id = frontend.client.send(channel, "debug_request", json!({ "type": "request" }));
        frontend.busy(&id);
        frontend.idle(&id);
    }
}
