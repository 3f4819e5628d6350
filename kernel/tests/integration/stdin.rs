//! Input that a cell asks for.

use crate::frontend::{Channel, Frontend};
use serde_json::{Value, json};

/// A cell that asks; returns its request.
#[track_caller]
fn asks(frontend: &mut Frontend, code: &str, count: usize, password: bool) -> String {
    let id = frontend.execute(code);
    frontend.begins(&id, code, count);
    let question = frontend.client.reply(Channel::Stdin, "input_request", &id);
    assert_eq!(question, json!({ "prompt": "who?", "password": password }));
    id
}

fn answer(frontend: &mut Frontend, content: Value) {
    frontend.client.send(Channel::Stdin, "input_reply", content);
}

#[test]
fn text_and_passwords_are_asked_for() {
    let mut frontend = Frontend::start();
    for (count, (command, password)) in [("ask", false), ("ask-secret", true)].into_iter().enumerate() {
        let id = asks(&mut frontend, &format!("{command} who?"), count + 1, password);
        answer(&mut frontend, json!({ "value": "é 1" }));
        frontend.stream(&id, "stdout", "é 1\n");
        frontend.ends_well(&id, count + 1);
    }
}

#[test]
fn a_client_that_takes_no_input_is_not_asked() {
    let mut frontend = Frontend::start();
    let id = frontend.execute_with(json!({ "code": "ask who?", "allow_stdin": false }));
    frontend.begins(&id, "ask who?", 1);
    let error = frontend.client.next_published();
    assert_eq!((error.message_type.as_str(), &error.content["ename"]), ("error", &json!("Refused")));
    assert!(error.content["evalue"].as_str().is_some_and(|text| text.contains("allow_stdin")), "{error:?}");
    assert_eq!(frontend.client.reply(Channel::Shell, "execute_reply", &id)["status"], "error");
    frontend.idle(&id);
    frontend.run_quietly("", 2);
}

#[test]
fn an_interrupt_ends_the_waiting_and_a_late_answer_meets_nothing() {
    let mut frontend = Frontend::start();
    let id = asks(&mut frontend, "ask who?", 1, false);
    frontend.interrupt(Some(&id));
    frontend.ends_badly(&id, 1, "Interrupted", "the cell was interrupted");
    answer(&mut frontend, json!({ "value": "late" }));
    // Nothing says when an answer has come that nobody waits for; other cells give it the time, on another channel.
    for count in 2..12 {
        frontend.run_quietly("", count);
    }
    let id = asks(&mut frontend, "ask who?", 12, false);
    answer(&mut frontend, json!({ "value": "in time" }));
    frontend.stream(&id, "stdout", "in time\n");
    frontend.ends_well(&id, 12);
}

#[test]
fn other_requests_are_answered_while_a_cell_waits_and_shutdown_ends_it() {
    let mut frontend = Frontend::start();
    let id = asks(&mut frontend, "ask who?", 1, false);
    frontend.ask_while_running("kernel_info_request", &id);
    // A message that is not an answer is ignored.
    answer(&mut frontend, json!({ "text": "no value" }));
    frontend.client.send(Channel::Stdin, "kernel_info_request", json!({}));
    frontend.ask_while_running("complete_request", &id);
    let shutdown = frontend.client.send(Channel::Control, "shutdown_request", json!({}));
    frontend.busy(&shutdown);
    assert_eq!(frontend.client.reply(Channel::Shell, "execute_reply", &id)["status"], "aborted");
    frontend.idle(&id);
    frontend.client.reply(Channel::Control, "shutdown_reply", &shutdown);
    frontend.client.published("shutdown_reply", &shutdown, json!({ "status": "ok", "restart": false }));
    frontend.idle(&shutdown);
    assert!(frontend.exits().success());
}
