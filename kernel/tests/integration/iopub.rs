//! Several subscribers, slow ones, floods.

use crate::frontend::{Client, Frontend};
use jupyter_zmq_client::create_client_iopub_connection;
use serde_json::json;

#[test]
fn two_clients_see_the_same() {
    let mut frontend = Frontend::start();
    let mut other = Client::connect(&frontend.kernel.info);
    let id = frontend.execute("print both");
    frontend.begins(&id, "print both", 1);
    frontend.stream(&id, "stdout", "both\n");
    frontend.ends_well(&id, 1);
    for expected in ["status", "execute_input", "stream", "status"] {
        let received = other.next_published();
        assert_eq!((received.message_type.as_str(), received.parent), (expected, id.clone()));
    }
}

#[test]
fn a_flood_arrives_whole() {
    let mut frontend = Frontend::start();
    let code = "flood 3000000";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    let text = format!("{}\n", "x".repeat(999)).repeat(3000);
    frontend.stream(&id, "stdout", &text);
    frontend.ends_well(&id, 1);
}

#[test]
fn a_subscriber_that_does_not_read_holds_nobody_up() {
    let mut frontend = Frontend::start();
    // Never polled again, so what it is sent fills the buffers of its connection.
    let info = frontend.kernel.info.clone();
    let stalled = frontend.client.block_on(create_client_iopub_connection(&info, "", "stalled")).unwrap();
    let code = "flood 30000000";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    let text = format!("{}\n", "x".repeat(999)).repeat(30_000);
    frontend.stream(&id, "stdout", &text);
    frontend.ends_well(&id, 1);
    frontend.run_quietly("", 2);
    drop(stalled);
}

#[test]
fn a_subscriber_that_leaves_holds_nobody_up() {
    let mut frontend = Frontend::start();
    let before = frontend.kernel.descriptors();
    for _ in 0..20 {
        drop(Client::connect(&frontend.kernel.info));
    }
    frontend.kernel.wait_until(|kernel| kernel.descriptors() == before);
    let code = "flood 3000000";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    drop(Client::connect(&frontend.kernel.info));
    let text = format!("{}\n", "x".repeat(999)).repeat(3000);
    frontend.stream(&id, "stdout", &text);
    frontend.ends_well(&id, 1);
}

#[test]
fn progress_is_a_display_in_a_notebook_and_a_line_in_a_terminal() {
    let mut frontend = Frontend::start();
    let code = "progress one of two\nprogressed two";
    let id = frontend.execute_with(json!({ "code": code, "allow_stdin": false }));
    frontend.begins(&id, code, 1);
    for (message_type, text) in [("display_data", "one of two"), ("update_display_data", "two")] {
        let transient = json!({ "display_id": "echo" });
        let content = json!({ "data": { "text/plain": text }, "metadata": {}, "transient": transient });
        frontend.client.published(message_type, &id, content);
    }
    frontend.ends_well(&id, 1);
    let id = frontend.execute_with(json!({ "code": code, "allow_stdin": true }));
    frontend.begins(&id, code, 2);
    frontend.stream(&id, "stderr", "\rone of two\rtwo       \n");
    frontend.ends_well(&id, 2);
    let code = "progress one\neprint text\nprogressed two";
    let id = frontend.execute_with(json!({ "code": code, "allow_stdin": true }));
    frontend.begins(&id, code, 3);
    frontend.stream(&id, "stderr", "\rone\r   \rtext\n\rtwo\n");
    frontend.ends_well(&id, 3);
}
