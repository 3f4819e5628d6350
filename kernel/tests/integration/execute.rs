//! Counters, outputs, errors and what they abort.

use crate::frontend::{Channel, Frontend};
use serde_json::json;

#[test]
fn cells_are_counted_from_one() {
    let mut frontend = Frontend::start();
    frontend.run_quietly("", 1);
    frontend.run_quietly("pass\npass", 2);
}

#[test]
fn outputs_belong_to_their_cell_and_keep_their_order() {
    let mut frontend = Frontend::start();
    let code = "print one\npartial two\neprint three\ndisplay four\nupdate five\nclear\nresult six";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    frontend.stream(&id, "stdout", "one\ntwo");
    frontend.stream(&id, "stderr", "three\n");
    let shown = |text: &str| json!({"data": {"text/plain": text}, "metadata": {}, "transient": {"display_id": "echo"}});
    frontend.client.published("display_data", &id, shown("four"));
    frontend.client.published("update_display_data", &id, shown("five"));
    frontend.client.published("clear_output", &id, json!({ "wait": false }));
    let result = json!({ "execution_count": 1, "data": { "text/plain": "six" }, "metadata": {} });
    frontend.client.published("execute_result", &id, result);
    frontend.ends_well(&id, 1);
}

#[test]
fn silent_cells_show_no_input_and_no_result_and_are_not_counted() {
    let mut frontend = Frontend::start();
    let id = frontend.execute_with(json!({ "code": "print a\nresult b", "silent": true }));
    frontend.busy(&id);
    frontend.stream(&id, "stdout", "a\n");
    frontend.ends_well(&id, 0);
    frontend.run_quietly("", 1);
    let id = frontend.execute_with(json!({ "code": "", "store_history": false }));
    frontend.begins(&id, "", 1);
    frontend.ends_well(&id, 1);
    frontend.run_quietly("", 2);
}

#[test]
fn user_expressions_are_refused_one_by_one() {
    let mut frontend = Frontend::start();
    let id = frontend.execute_with(json!({ "code": "pass", "user_expressions": { "a": "1 + 1" } }));
    frontend.begins(&id, "pass", 1);
    let reply = frontend.client.reply(Channel::Shell, "execute_reply", &id);
    assert_eq!((&reply["status"], &reply["user_expressions"]["a"]["status"]), (&json!("ok"), &json!("error")));
    frontend.idle(&id);
}

#[test]
fn payloads_are_in_the_reply() {
    let mut frontend = Frontend::start();
    let id = frontend.execute("page text");
    frontend.begins(&id, "page text", 1);
    let reply = frontend.client.reply(Channel::Shell, "execute_reply", &id);
    assert_eq!(reply["payload"], json!([{ "source": "page", "data": { "text/plain": "text" }, "start": 0 }]));
    frontend.idle(&id);
}

#[test]
fn an_error_aborts_the_cells_queued_behind_it() {
    let mut frontend = Frontend::start();
    let failing = frontend.execute("sleep-until-interrupted");
    frontend.begins(&failing, "sleep-until-interrupted", 1);
    let queued = [frontend.execute("print never"), frontend.execute("print never")];
    // Its answer says that the two before it have arrived.
    frontend.ask_while_running("kernel_info_request", &failing);
    frontend.interrupt(Some(&failing));
    frontend.ends_badly(&failing, 1, "Interrupted", "the cell was interrupted");
    for id in &queued {
        frontend.is_aborted(id);
    }
    frontend.run_quietly("", 2);
}

#[test]
fn without_stop_on_error_the_queue_goes_on() {
    let mut frontend = Frontend::start();
    let code = "sleep-until-interrupted";
    let failing = frontend.execute_with(json!({ "code": code, "stop_on_error": false }));
    frontend.begins(&failing, code, 1);
    let next = frontend.execute("print next");
    frontend.ask_while_running("kernel_info_request", &failing);
    frontend.interrupt(Some(&failing));
    frontend.ends_badly(&failing, 1, "Interrupted", "the cell was interrupted");
    frontend.begins(&next, "print next", 2);
    frontend.stream(&next, "stdout", "next\n");
    frontend.ends_well(&next, 2);
}

#[test]
fn errors_are_published_and_in_the_reply() {
    let mut frontend = Frontend::start();
    let code = "print before\nerror Panic";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    frontend.stream(&id, "stdout", "before\n");
    frontend.ends_badly(&id, 1, "Panic", "asked for");
    frontend.run_quietly("", 2);
}

#[test]
fn a_bug_in_the_evaluator_fails_the_cell_and_not_the_kernel() {
    let mut frontend = Frontend::start();
    let id = frontend.execute("panic");
    frontend.begins(&id, "panic", 1);
    let error = frontend.client.next_published();
    assert_eq!((error.message_type.as_str(), error.parent), ("error", id.clone()));
    assert_eq!(error.content["ename"], "KernelError");
    assert_eq!(error.content["evalue"], "a bug in Warpcell: asked for");
    let reply = frontend.client.reply(Channel::Shell, "execute_reply", &id);
    assert_eq!(reply["status"], "error");
    frontend.idle(&id);
    frontend.run_quietly("", 2);
}

#[test]
fn late_output_goes_to_the_last_cell() {
    let mut frontend = Frontend::start();
    let pipe = frontend.kernel.pipe();
    frontend.run_quietly(&format!("late {}", pipe.display()), 1);
    let id = frontend.execute("");
    frontend.begins(&id, "", 2);
    frontend.ends_well(&id, 2);
    std::fs::write(&pipe, "text").unwrap();
    frontend.stream(&id, "stdout", "text");
}
