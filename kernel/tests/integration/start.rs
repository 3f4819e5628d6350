//! Requests before the evaluator is ready, or when it never is.

use crate::frontend::{Channel, Client, Frontend, Kernel};
use jupyter_protocol::Transport;
use serde_json::json;
use std::path::PathBuf;
use std::process::Stdio;

#[test]
fn a_kernel_that_still_starts_answers_what_it_can_and_queues_the_rest() {
    let mut frontend = Frontend::start_with(Transport::TCP, |command| {
        command.args(["--evaluator", "late-echo"]).stdin(Stdio::piped());
    });
    let info = frontend.ask("kernel_info_request", json!({}));
    assert!(info["banner"].as_str().is_some_and(|banner| banner.starts_with("Warpcell")), "{info}");
    let complete = frontend.ask("is_complete_request", json!({ "code": "f(" }));
    assert_eq!(complete["status"], "incomplete");

    let withdrawn = frontend.execute("print never");
    frontend.ask("comm_info_request", json!({}));
    frontend.interrupt(None);
    frontend.begins(&withdrawn, "print never", 1);
    let value = "interrupted before the cell had begun to run";
    let error = frontend.client.next_published();
    assert_eq!((error.message_type.as_str(), &error.content["evalue"]), ("error", &json!(value)));
    let reply = frontend.client.reply(Channel::Shell, "execute_reply", &withdrawn);
    assert_eq!((&reply["status"], &reply["ename"]), (&json!("error"), &json!("Interrupted")));
    frontend.idle(&withdrawn);

    let queued = frontend.execute("print at last");
    // The evaluator waits for the end of its input.
    drop(frontend.kernel.process.stdin.take());
    frontend.begins(&queued, "print at last", 2);
    frontend.stream(&queued, "stdout", "at last\n");
    frontend.ends_well(&queued, 2);
}

#[test]
fn requests_before_iopub_is_subscribed_are_answered() {
    // As VS Code does: several at once, on both channels, while the kernel starts and nobody listens to iopub.
    let kernel = Kernel::start(Transport::TCP, |command| {
        command.args(["--evaluator", "late-echo"]).stdin(Stdio::piped());
    });
    let mut early = Client::connect_without_iopub(&kernel.info);
    let requests: Vec<String> = (0..3).map(|_| early.send(Channel::Shell, "kernel_info_request", json!({}))).collect();
    let control = early.send(Channel::Control, "kernel_info_request", json!({}));
    let info = early.reply(Channel::Control, "kernel_info_reply", &control);
    for request in &requests {
        assert_eq!(early.reply(Channel::Shell, "kernel_info_reply", request), info);
    }
    let cell = early.send(Channel::Shell, "execute_request", json!({ "code": "print early", "silent": true }));
    let mut kernel = kernel;
    drop(kernel.process.stdin.take());
    assert_eq!(early.reply(Channel::Shell, "execute_reply", &cell)["status"], "ok");
    let mut client = Client::connect(&kernel.info);
    let request = client.send(Channel::Shell, "kernel_info_request", json!({}));
    // The end of the early cell may be published only now.
    let mut first = client.next_published();
    while first.parent != request {
        first = client.next_published();
    }
    assert_eq!(first.content, json!({ "execution_state": "busy" }));
    client.reply(Channel::Shell, "kernel_info_reply", &request);
}

#[test]
fn a_kernel_that_cannot_start_says_so_in_each_cell() {
    let mut frontend = Frontend::start_with(Transport::TCP, |command| {
        command.args(["--evaluator", "broken"]);
    });
    for count in 1..=2 {
        let id = frontend.execute("1");
        frontend.begins(&id, "1", count);
        let error = frontend.client.next_published();
        assert_eq!((error.message_type.as_str(), error.parent.as_str()), ("error", id.as_str()));
        let reply = frontend.client.reply(Channel::Shell, "execute_reply", &id);
        assert_eq!((&reply["ename"], &reply["evalue"]), (&json!("KernelStartError"), &json!("asked for")));
        frontend.idle(&id);
    }
    let reply = frontend.ask("complete_request", json!({ "code": "ab", "cursor_pos": 2 }));
    assert_eq!(reply["matches"], json!([]));
}

/// What the first cell waits for while the session starts.
const STARTING: &str = "Waiting for the session to start: the compiler, and the process that runs cells.\n";

fn slow() -> Frontend {
    Frontend::start_with(Transport::TCP, |command| {
        command.args(["--evaluator", "slow-echo"]).stdin(Stdio::piped());
    })
}

/// One whose evaluator is ready, and a pipe that a cell may wait for.
fn slow_and_ready() -> (Frontend, PathBuf) {
    let mut frontend = slow();
    drop(frontend.kernel.process.stdin.take());
    frontend.ask("complete_request", json!({ "code": "ab", "cursor_pos": 2 }));
    let pipe = frontend.kernel.pipe();
    (frontend, pipe)
}

#[test]
fn the_first_cell_says_that_the_session_starts() {
    let mut frontend = slow();
    let withdrawn = frontend.execute_in_notebook("print never");
    frontend.begins(&withdrawn, "print never", 1);
    frontend.stream(&withdrawn, "stdout", STARTING);
    frontend.interrupt(None);
    frontend.client.published("clear_output", &withdrawn, json!({ "wait": false }));
    frontend.ends_badly(&withdrawn, 1, "Interrupted", "interrupted before the cell had begun to run");

    let mut frontend = slow();
    let first = frontend.execute_in_notebook("print one\nprint two");
    frontend.begins(&first, "print one\nprint two", 1);
    frontend.stream(&first, "stdout", STARTING);
    // The evaluator waits for the end of its input.
    drop(frontend.kernel.process.stdin.take());
    frontend.client.published("clear_output", &first, json!({ "wait": false }));
    frontend.stream(&first, "stdout", "one\ntwo\n");
    frontend.ends_well(&first, 1);
}

#[test]
fn the_first_cell_says_that_it_is_compiled_and_later_ones_do_not() {
    let (mut frontend, pipe) = slow_and_ready();
    let code = format!("compile {}", pipe.display());
    let first = frontend.execute_in_notebook(&code);
    frontend.begins(&first, &code, 1);
    frontend.stream(&first, "stdout", "Waiting for the compiler.\n");
    std::fs::write(&pipe, "").unwrap();
    frontend.client.published("clear_output", &first, json!({ "wait": false }));
    frontend.ends_well(&first, 1);

    let second = frontend.execute_in_notebook(&code);
    frontend.begins(&second, &code, 2);
    std::fs::write(&pipe, "").unwrap();
    frontend.ends_well(&second, 2);
}

#[test]
fn a_cell_that_has_shown_something_keeps_it() {
    let (mut frontend, pipe) = slow_and_ready();
    let code = format!("print mine\ncompile {}", pipe.display());
    let first = frontend.execute_in_notebook(&code);
    frontend.begins(&first, &code, 1);
    frontend.stream(&first, "stdout", "mine\n");
    std::fs::write(&pipe, "").unwrap();
    frontend.ends_well(&first, 1);
}

#[test]
fn what_is_no_notebook_is_told_nothing() {
    let (mut frontend, pipe) = slow_and_ready();
    let code = format!("compile {}", pipe.display());
    let first = frontend.execute(&code);
    frontend.begins(&first, &code, 1);
    // Its outputs may be among those of others.
    std::fs::write(&pipe, "").unwrap();
    frontend.ends_well(&first, 1);
}
