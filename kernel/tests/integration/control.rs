//! Interrupt, shutdown, signals, and the end of the parent process.

use crate::frontend::{Channel, DEADLINE, Frontend};
use jupyter_protocol::Transport;
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn the_control_channel_answers_while_a_cell_runs() {
    let mut frontend = Frontend::start();
    let id = frontend.execute("sleep-until-interrupted");
    frontend.begins(&id, "sleep-until-interrupted", 1);
    let info = frontend.client.send(Channel::Control, "kernel_info_request", json!({}));
    frontend.busy(&info);
    frontend.client.reply(Channel::Control, "kernel_info_reply", &info);
    frontend.idle(&info);
    frontend.busy(&id);
    frontend.interrupt(Some(&id));
    frontend.ends_badly(&id, 1, "Interrupted", "the cell was interrupted");
}

#[test]
fn an_interrupt_without_a_cell_does_nothing() {
    let mut frontend = Frontend::start();
    frontend.run_quietly("", 1);
    frontend.interrupt(None);
    frontend.run_quietly("", 2);
}

#[test]
fn sigint_interrupts_the_cell() {
    let mut frontend = Frontend::start();
    let id = frontend.execute("sleep-until-interrupted");
    frontend.begins(&id, "sleep-until-interrupted", 1);
    frontend.kernel.signal(libc::SIGINT);
    frontend.ends_badly(&id, 1, "Interrupted", "the cell was interrupted");
}

#[test]
fn shutdown_answers_what_runs_and_what_waits() {
    let mut frontend = Frontend::start();
    let running = frontend.execute("sleep-until-interrupted");
    frontend.begins(&running, "sleep-until-interrupted", 1);
    let queued = frontend.execute("print never");
    frontend.ask_while_running("comm_info_request", &running);
    let id = frontend.client.send(Channel::Control, "shutdown_request", json!({ "restart": true }));
    frontend.busy(&id);
    let reply = frontend.client.reply(Channel::Shell, "execute_reply", &running);
    assert_eq!(reply["status"], "aborted");
    frontend.idle(&running);
    frontend.is_aborted(&queued);
    let expected = json!({ "status": "ok", "restart": true });
    assert_eq!(frontend.client.reply(Channel::Control, "shutdown_reply", &id), expected);
    frontend.client.published("shutdown_reply", &id, expected);
    frontend.idle(&id);
    assert!(frontend.exits().success());
}

#[test]
fn shutdown_is_understood_on_shell() {
    let mut frontend = Frontend::start();
    let id = frontend.request("shutdown_request", json!({}));
    frontend.busy(&id);
    let expected = json!({ "status": "ok", "restart": false });
    assert_eq!(frontend.client.reply(Channel::Shell, "shutdown_reply", &id), expected);
    frontend.client.published("shutdown_reply", &id, expected);
    frontend.idle(&id);
    assert!(frontend.exits().success());
}

#[test]
fn a_cell_that_quits_has_its_answer_before_the_kernel_ends() {
    let mut frontend = Frontend::start();
    let code = "ask who?\nprint last\nquit";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    frontend.client.reply(Channel::Stdin, "input_request", &id);
    let queued = frontend.execute("print never");
    // The cell waits in the queue when a request that was sent after it has its answer. Else the kernel could end before it comes.
    frontend.ask_while_running("kernel_info_request", &id);
    frontend.client.send(Channel::Stdin, "input_reply", json!({ "value": "first" }));
    frontend.stream(&id, "stdout", "first\nlast\n");
    let reply = frontend.client.reply(Channel::Shell, "execute_reply", &id);
    assert_eq!(reply["status"], "ok");
    frontend.client.published("shutdown_reply", &id, json!({ "status": "ok", "restart": false }));
    frontend.idle(&id);
    frontend.is_aborted(&queued);
    assert!(frontend.exits().success());
}

#[test]
fn everything_is_written_before_the_end() {
    let mut frontend = Frontend::start();
    let code = "flood 8000000";
    let id = frontend.execute(code);
    let shutdown = frontend.client.send(Channel::Control, "shutdown_request", json!({}));
    // The client reads only now; the kernel must wait for it, and the last message must be there.
    let mut last = frontend.client.next_published();
    let mut text = 0;
    while !(last.parent == shutdown && last.content["execution_state"] == "idle") {
        if last.message_type == "stream" {
            assert_eq!(last.parent, id);
            text += last.content["text"].as_str().map_or(0, str::len);
        }
        last = frontend.client.next_published();
    }
    assert!(text <= 8_000_000);
    assert!(frontend.exits().success());
}

#[test]
fn sigterm_ends_the_kernel() {
    let mut frontend = Frontend::start_with(Transport::IPC, |_| {});
    frontend.run_quietly("", 1);
    frontend.kernel.signal(libc::SIGTERM);
    assert!(frontend.exits().success());
    let left: Vec<_> = std::fs::read_dir(frontend.kernel.directory.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the connection file is left: {left:?}");
}

#[test]
fn the_kernel_ends_with_its_parent() {
    let mut parent = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let mut frontend = Frontend::start_with(Transport::TCP, |command| {
        command.env("JPY_PARENT_PID", parent.id().to_string());
    });
    frontend.run_quietly("", 1);
    let start = Instant::now();
    // Not waited for yet, so it stays in the process table, as under a server that reaps late.
    parent.kill().unwrap();
    assert!(frontend.exits().success());
    assert!(start.elapsed() < DEADLINE);
    parent.wait().unwrap();
}

#[test]
fn a_parent_of_another_namespace_is_not_watched() {
    let mut frontend = Frontend::start_with(Transport::TCP, |command| {
        // Beyond the largest process number that Linux gives.
        command.env("JPY_PARENT_PID", "4194305");
    });
    frontend.run_quietly("", 1);
}

#[test]
fn a_cell_that_cannot_be_stopped_is_answered_and_the_next_one_waits_for_it() {
    // This one has no second evaluator to help with completions.
    let mut frontend = Frontend::start_with(Transport::TCP, |command| {
        command.args(["--evaluator", "late-echo"]);
    });
    let pipe = frontend.kernel.pipe();
    let code = format!("deaf {}", pipe.display());
    let deaf = frontend.execute(&code);
    frontend.begins(&deaf, &code, 1);
    let start = Instant::now();
    frontend.interrupt(Some(&deaf));
    frontend.ends_badly(&deaf, 1, "Interrupted", "interrupted before the cell had begun to run");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let completions = frontend.ask("complete_request", json!({ "code": "ab", "cursor_pos": 2 }));
    assert_eq!(completions["matches"], json!([]), "the evaluator has no time for this");
    let taken_back = frontend.execute("print never");
    frontend.ask("kernel_info_request", json!({}));
    frontend.interrupt(None);
    frontend.begins(&taken_back, "print never", 2);
    frontend.ends_badly(&taken_back, 2, "Interrupted", "interrupted before the cell had begun to run");
    let next = frontend.execute("print next");
    frontend.ask("kernel_info_request", json!({}));
    std::fs::write(&pipe, "late").unwrap();
    frontend.stream(&deaf, "stdout", "late");
    frontend.begins(&next, "print next", 3);
    frontend.stream(&next, "stdout", "next\n");
    frontend.ends_well(&next, 3);
}
