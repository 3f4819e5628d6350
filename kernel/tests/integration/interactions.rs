//! Interactions: what a client with widgets hears, and what its messages lead to.

use crate::frontend::{Channel, Frontend};
use serde_json::{Value, json};

/// Runs a cell that shows an interaction; returns the models by their names, with their identities.
fn interact(frontend: &mut Frontend, name: &str, count: usize) -> Vec<(String, String)> {
    let code = format!("interact {name}");
    let id = frontend.execute(&code);
    frontend.begins(&id, &code, count);
    let mut models = Vec::new();
    loop {
        let received = frontend.client.next_published();
        assert_eq!(received.parent, id);
        let content = received.content;
        if received.message_type == "display_data" {
            let view = json!({ "version_major": 2, "version_minor": 0, "model_id": id_of(&models, "VBoxModel") });
            assert_eq!(
                content["data"],
                json!({ "application/vnd.jupyter.widget-view+json": view, "text/plain": name })
            );
            break;
        }
        assert_eq!((received.message_type.as_str(), &content["target_name"]), ("comm_open", &json!("jupyter.widget")));
        let model = content["data"]["state"]["_model_name"].as_str().expect("a model").to_owned();
        models.push((model, content["comm_id"].as_str().expect("an identity").to_owned()));
    }
    frontend.ends_well(&id, count);
    models
}

/// The last model of this name: of boxes that is the one around all.
fn id_of(models: &[(String, String)], name: &str) -> String {
    models.iter().rev().find(|(model, _)| model == name).expect("the model").1.clone()
}

fn update(comm: &str, method: &str, state: Value) -> Value {
    json!({ "comm_id": comm, "data": { "method": method, "state": state, "buffer_paths": [] } })
}

fn text(text: &str) -> Value {
    json!({ "output_type": "stream", "name": "stdout", "text": text })
}

/// Sends a value of the slider, which is echoed.
fn moves(frontend: &mut Frontend, slider: &str, value: i64) -> String {
    let id = frontend.request("comm_msg", update(slider, "update", json!({ "value": value })));
    frontend.busy(&id);
    frontend.client.published("comm_msg", &id, update(slider, "echo_update", json!({ "value": value })));
    id
}

#[test]
fn a_moved_slider_calls_the_closure() {
    let mut frontend = Frontend::start();
    let models = interact(&mut frontend, "first", 1);
    let (slider, output) = (id_of(&models, "IntSliderModel"), id_of(&models, "OutputModel"));
    let id = moves(&mut frontend, &slider, 5);
    frontend.client.published("comm_msg", &id, update(&output, "echo_update", json!({ "outputs": [text("[5]")] })));
    frontend.idle(&id);
    // An error is shown in the same place, and the next value works again.
    let id = moves(&mut frontend, &slider, 8);
    let error = json!({
        "output_type": "error", "ename": "TooMuch", "evalue": "asked for", "traceback": ["TooMuch: asked for"],
    });
    frontend.client.published(
        "comm_msg",
        &id,
        update(&output, "echo_update", json!({ "outputs": [text("[8]"), error] })),
    );
    frontend.idle(&id);
    let id = moves(&mut frontend, &slider, 2);
    frontend.client.published("comm_msg", &id, update(&output, "echo_update", json!({ "outputs": [text("[2]")] })));
    frontend.idle(&id);
    frontend.run_quietly("pass", 2);
}

#[test]
fn while_a_cell_runs_the_latest_value_waits() {
    let mut frontend = Frontend::start();
    let models = interact(&mut frontend, "first", 1);
    let (slider, output) = (id_of(&models, "IntSliderModel"), id_of(&models, "OutputModel"));
    let running = frontend.execute("sleep-until-interrupted");
    frontend.begins(&running, "sleep-until-interrupted", 2);
    let mut last = String::new();
    for value in [3, 4, 5] {
        last = moves(&mut frontend, &slider, value);
        frontend.idle(&last);
        frontend.busy(&running);
    }
    // All models are known meanwhile, for a page that is loaded again.
    let info = frontend.ask("comm_info_request", json!({ "target_name": "jupyter.widget" }));
    frontend.busy(&running);
    assert_eq!(info["comms"].as_object().expect("comms").len(), models.len());
    let opened = frontend.request(
        "comm_open",
        json!({
            "comm_id": "asks", "target_name": "jupyter.widget.control", "data": {},
        }),
    );
    frontend.busy(&opened);
    frontend.idle(&opened);
    frontend.busy(&running);
    let asked = frontend.request("comm_msg", json!({ "comm_id": "asks", "data": { "method": "request_states" } }));
    frontend.busy(&asked);
    let states = frontend.client.next_published();
    assert_eq!((states.message_type.as_str(), states.parent.as_str()), ("comm_msg", asked.as_str()));
    assert_eq!(states.content["data"]["states"][&slider]["state"]["value"], 5);
    frontend.idle(&asked);
    frontend.busy(&running);
    frontend.interrupt(Some(&running));
    frontend.ends_badly(&running, 2, "Interrupted", "the cell was interrupted");
    frontend.busy(&last);
    frontend.client.published("comm_msg", &last, update(&output, "echo_update", json!({ "outputs": [text("[5]")] })));
    frontend.idle(&last);
}

#[test]
fn a_call_can_be_interrupted_and_cells_wait_for_it() {
    let mut frontend = Frontend::start();
    let models = interact(&mut frontend, "first", 1);
    let (slider, output) = (id_of(&models, "IntSliderModel"), id_of(&models, "OutputModel"));
    let id = moves(&mut frontend, &slider, 9);
    let cell = frontend.execute("pass");
    let interrupt = frontend.client.send(Channel::Control, "interrupt_request", json!({}));
    frontend.busy(&interrupt);
    frontend.client.reply(Channel::Control, "interrupt_reply", &interrupt);
    frontend.idle(&interrupt);
    frontend.busy(&id);
    let outputs = frontend.client.next_published();
    assert_eq!((outputs.message_type.as_str(), outputs.parent.as_str()), ("comm_msg", id.as_str()));
    assert_eq!(outputs.content["comm_id"], output.as_str());
    assert_eq!(outputs.content["data"]["state"]["outputs"][1]["ename"], "Interrupted");
    frontend.idle(&id);
    frontend.begins(&cell, "pass", 2);
    frontend.ends_well(&cell, 2);
}

#[test]
fn a_client_may_close_an_interaction() {
    let mut frontend = Frontend::start();
    let models = interact(&mut frontend, "first", 1);
    let id = frontend.request("comm_close", json!({ "comm_id": id_of(&models, "VBoxModel"), "data": {} }));
    frontend.busy(&id);
    for _ in 1..models.len() {
        assert_eq!(frontend.client.next_published().message_type, "comm_close");
    }
    frontend.idle(&id);
    assert_eq!(frontend.ask("comm_info_request", json!({}))["comms"], json!({}));
}
