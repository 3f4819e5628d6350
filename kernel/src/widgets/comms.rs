//! The comms that are open: one for each model of an interaction, and those of clients that ask for all models at once.

use super::area::{Changes, binary_path, fallback, normalised};
use super::models::{BINARY, Model};
use super::view::View;
use crate::controls::{Call, Interaction};
use crate::evaluator::{CellError, Output};
use bytes::Bytes;
use serde_json::{Map, Value, json};

/// The target of models, and the version of their messages.
const WIDGET: (&str, &str) = ("jupyter.widget", "2.1.0");
/// The target of comms that ask for all models.
const CONTROL: &str = "jupyter.widget.control";
/// The MIME type by which a display names the model that it shows.
const VIEW: &str = "application/vnd.jupyter.widget-view+json";

/// A message of a comm, in one direction or the other.
#[derive(Clone, Debug, PartialEq)]
pub enum CommMessage {
    /// It is opened.
    Open {
        /// Its identity.
        comm_id: String,
        /// Whom it is for.
        target_name: String,
        /// What comes with it.
        data: Value,
        /// The version of the messages that it will have.
        version: &'static str,
        /// Binary parts of `data`.
        buffers: Vec<Bytes>,
    },
    /// It says something.
    Message {
        /// Its identity.
        comm_id: String,
        /// What it says.
        data: Value,
        /// Binary parts of `data`.
        buffers: Vec<Bytes>,
    },
    /// It is closed.
    Close {
        /// Its identity.
        comm_id: String,
    },
}

/// What a client's message leads to.
#[derive(Debug, Default, PartialEq)]
pub struct Reaction {
    /// What is published, in this order.
    pub messages: Vec<CommMessage>,
    /// The interaction whose closure is to be called.
    pub call: Option<String>,
    /// The interactions whose closures nobody can call any more.
    pub forgotten: Vec<String>,
}

/// An interaction that is shown.
struct Shown {
    id: String,
    view: View,
    /// The identity that the client has for the cell.
    cell: Option<String>,
    /// Whether the process with its closure is gone.
    has_ended: bool,
}

/// See the module.
#[derive(Default)]
pub struct Comms {
    shown: Vec<Shown>,
    /// The comms by which clients ask for all models.
    controls: Vec<String>,
}

impl Comms {
    /// Shows an interaction with its first state. Returns what is published for it: its models, and then its display.
    pub fn show(
        &mut self,
        interaction: &Interaction,
        outputs: Vec<Output>,
        cell: Option<&str>,
    ) -> (Vec<CommMessage>, Output) {
        let outputs = normalised(outputs);
        let mut data = fallback(&outputs);
        let mut view = View::new(interaction);
        view.show(outputs, None);
        let messages = view.models().map(open).collect();
        let root = json!({ "version_major": 2, "version_minor": 0, "model_id": view.root() });
        data.insert(VIEW.to_owned(), root);
        let cell = cell.map(str::to_owned);
        self.shown.push(Shown { id: interaction.id.clone(), view, cell, has_ended: false });
        (messages, Output::Display { data, metadata: Map::new(), display_id: None, update: false })
    }

    /// The call that an interaction is due for. `None` if it is not there any more.
    pub fn call(&mut self, id: &str) -> Option<Call> {
        let shown = self.shown.iter_mut().find(|shown| shown.id == id && !shown.has_ended)?;
        Some(Call { id: id.to_owned(), values: shown.view.take_values() })
    }

    /// Shows what a call has given. `is_gone`: the process that ran it has ended.
    pub fn called(
        &mut self,
        id: &str,
        outputs: Vec<Output>,
        error: Option<CellError>,
        is_gone: bool,
    ) -> Vec<CommMessage> {
        let Some(shown) = self.shown.iter_mut().find(|shown| shown.id == id) else { return Vec::new() };
        let Changes { new, changes } = shown.view.show(normalised(outputs), error);
        let mut messages: Vec<CommMessage> = new.iter().map(open).collect();
        messages.extend(changes.into_iter().map(|change| {
            // Clients treat both alike. But VS Code waits for its page at each `update` of an Output widget, and where that answers too
            // soon (a remote machine, a browser) it never passes on a message of the kernel again.
            let method = if change.state.contains_key("outputs") { "echo_update" } else { "update" };
            update(change.id, method, change.state, change.binary)
        }));
        if is_gone {
            shown.has_ended = true;
            messages.extend(shown.view.disable().into_iter().map(|id| changed(id, "disabled", true)));
        }
        messages
    }

    /// Stops what counts by itself in an interaction, because the user has interrupted a call.
    pub fn stop_counting(&mut self, id: &str) -> Vec<CommMessage> {
        let shown = self.shown.iter_mut().find(|shown| shown.id == id);
        let stopped = shown.map(|shown| shown.view.stop_counting()).unwrap_or_default();
        stopped.into_iter().map(|id| changed(id, "playing", false)).collect()
    }

    /// The process that has the closures has ended. The interaction `but`, which it ended in, stays to be read.
    pub fn end(&mut self, but: Option<&str>) -> Vec<CommMessage> {
        self.remove(|shown| !shown.has_ended && Some(shown.id.as_str()) != but).messages
    }

    /// The program has closed an interaction.
    pub fn close(&mut self, id: &str) -> Vec<CommMessage> {
        self.remove(|shown| shown.id == id).messages
    }

    /// A cell is run again: what it has shown before is closed.
    pub fn close_of_cell(&mut self, cell: &str) -> Reaction {
        self.remove(|shown| shown.cell.as_deref() == Some(cell))
    }

    fn remove(&mut self, mut is_over: impl FnMut(&Shown) -> bool) -> Reaction {
        let mut reaction = Reaction::default();
        self.shown.retain(|shown| {
            let is_over = is_over(shown);
            if is_over {
                reaction.messages.extend(shown.view.models().map(|model| close(&model.id)));
                reaction.forgotten.push(shown.id.clone());
            }
            !is_over
        });
        reaction
    }

    /// The open comms by identity, as `comm_info_reply` has them, of one target or of all.
    pub fn info(&self, target: Option<&str>) -> Map<String, Value> {
        let models = self.shown.iter().flat_map(|shown| shown.view.models());
        let widgets = models.map(|model| (model.id.as_str(), WIDGET.0));
        let controls = self.controls.iter().map(|id| (id.as_str(), CONTROL));
        let all = widgets.chain(controls).filter(|(_, name)| target.is_none_or(|target| target == *name));
        all.map(|(id, name)| (id.to_owned(), json!({ "target_name": name }))).collect()
    }

    /// A client opens a comm. One for a target that is not known here is closed, as the protocol has it.
    pub fn opened(&mut self, comm_id: &str, target: &str) -> Reaction {
        if target == CONTROL && !self.controls.iter().any(|known| known == comm_id) {
            self.controls.push(comm_id.to_owned());
            return Reaction::default();
        }
        Reaction { messages: vec![close(comm_id)], ..Reaction::default() }
    }

    /// A client closes a comm. That of a whole interaction ends it.
    pub fn closed(&mut self, comm_id: &str) -> Reaction {
        self.controls.retain(|known| known != comm_id);
        let mut reaction = self.remove(|shown| shown.view.root() == comm_id);
        reaction.messages.retain(|message| !matches!(message, CommMessage::Close { comm_id: id } if id == comm_id));
        reaction
    }

    /// A client says something.
    pub fn received(&mut self, comm_id: &str, data: &Value) -> Reaction {
        let method = data.get("method").and_then(Value::as_str).unwrap_or_default();
        if self.controls.iter().any(|known| known == comm_id) {
            let messages = if method == "request_states" { vec![self.states(comm_id)] } else { Vec::new() };
            return Reaction { messages, ..Reaction::default() };
        }
        let has_it = |shown: &&mut Shown| shown.view.model(comm_id).is_some();
        // What is not open, or not any more, has no counterpart that could answer.
        let Some(shown) = self.shown.iter_mut().find(has_it) else { return Reaction::default() };
        let mut reaction = Reaction::default();
        let mut is_due = false;
        match method {
            "update" => {
                let state = data.get("state").and_then(Value::as_object);
                let (taken, is_new) = shown.view.take(comm_id, state.unwrap_or(&Map::new()));
                is_due = is_new;
                if !taken.is_empty() {
                    // Other clients hear of it by this, and the sender that it was taken.
                    reaction.messages.push(update(comm_id.to_owned(), "echo_update", taken, None));
                }
            }
            "request_state" => {
                reaction.messages.extend(
                    shown
                        .view
                        .model(comm_id)
                        .map(|model| update(comm_id.to_owned(), "update", model.state.clone(), model.binary.clone())),
                );
            }
            "custom" => is_due = shown.view.take_custom(comm_id, data.get("content").unwrap_or(&Value::Null)),
            _ => {}
        }
        reaction.call = (is_due && !shown.has_ended).then(|| shown.id.clone());
        reaction
    }

    /// All models with their states.
    fn states(&self, comm_id: &str) -> CommMessage {
        let (mut states, mut paths, mut buffers) = (Map::new(), Vec::new(), Vec::new());
        for model in self.shown.iter().flat_map(|shown| shown.view.models()) {
            if let Some(file) = &model.binary {
                paths.push(json!([model.id, "state", BINARY]));
                buffers.push(file.clone());
            }
            let named = |key: &str| model.state.get(key).cloned().unwrap_or_default();
            let state = json!({
                "model_name": named("_model_name"), "model_module": named("_model_module"),
                "model_module_version": named("_model_module_version"), "state": model.state,
            });
            states.insert(model.id.clone(), state);
        }
        let data = json!({ "method": "update_states", "states": states, "buffer_paths": paths });
        CommMessage::Message { comm_id: comm_id.to_owned(), data, buffers }
    }
}

fn open(model: &Model) -> CommMessage {
    let paths: Vec<Value> = model.binary.iter().map(|_| binary_path()).collect();
    CommMessage::Open {
        comm_id: model.id.clone(),
        target_name: WIDGET.0.to_owned(),
        data: json!({ "state": model.state, "buffer_paths": paths }),
        version: WIDGET.1,
        buffers: model.binary.iter().cloned().collect(),
    }
}

fn update(comm_id: String, method: &str, state: Map<String, Value>, binary: Option<Bytes>) -> CommMessage {
    let paths: Vec<Value> = binary.iter().map(|_| binary_path()).collect();
    let data = json!({ "method": method, "state": state, "buffer_paths": paths });
    CommMessage::Message { comm_id, data, buffers: binary.into_iter().collect() }
}

fn changed(comm_id: String, key: &str, value: bool) -> CommMessage {
    update(comm_id, "update", Map::from_iter([(key.to_owned(), Value::from(value))]), None)
}

fn close(comm_id: &str) -> CommMessage {
    CommMessage::Close { comm_id: comm_id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::{Control, Kind};
    use crate::evaluator::StreamName;

    fn text(text: &str) -> Vec<Output> {
        vec![Output::Stream { name: StreamName::Stdout, text: text.to_owned() }]
    }

    fn control(name: &str, kind: Kind) -> Control {
        Control { name: name.to_owned(), kind }
    }

    /// A table with an interaction `a` of a cell `c`, and the models of a kind.
    fn shown() -> (Comms, impl Fn(&str) -> String) {
        let rows = vec![
            vec![control("size", Kind::IntSlider { min: 0, max: 9, step: 1, value: 4 })],
            vec![
                control("again", Kind::Button { label: "Again".into() }),
                control("frame", Kind::Play { min: 0, max: 9, step: 1, value: 0, interval: 100 }),
            ],
        ];
        let mut comms = Comms::default();
        let (messages, _) = comms.show(&Interaction { id: "a".into(), rows }, text("first"), Some("c"));
        let id = move |name: &str| {
            let is_it = |message: &&CommMessage| matches!(message, CommMessage::Open { data, .. } if data["state"]["_model_name"] == name);
            match messages.iter().find(is_it) {
                Some(CommMessage::Open { comm_id, .. }) => comm_id.clone(),
                _ => panic!("no {name} among {messages:?}"),
            }
        };
        (comms, id)
    }

    fn moved(value: Value) -> Value {
        json!({ "method": "update", "state": { "value": value }, "buffer_paths": [] })
    }

    #[test]
    fn a_moved_slider_is_echoed_and_calls_with_the_latest_value() {
        let (mut comms, id) = shown();
        let slider = id("IntSliderModel");
        for value in [5, 7] {
            let reaction = comms.received(&slider, &moved(json!(value)));
            let echo = json!({ "method": "echo_update", "state": { "value": value }, "buffer_paths": [] });
            let echo = CommMessage::Message { comm_id: slider.clone(), data: echo, buffers: vec![] };
            assert_eq!((reaction.messages, reaction.call.as_deref()), (vec![echo], Some("a")));
        }
        assert_eq!(comms.call("a").unwrap().values, [json!(7), json!(false), json!(0)]);
        assert_eq!(comms.received(&slider, &moved(json!(7))).call, None, "it has this value");
        let refused = comms.received(&slider, &moved(json!(70)));
        assert_eq!(refused, Reaction::default());
    }

    #[test]
    fn a_button_is_pressed_for_one_call() {
        let (mut comms, id) = shown();
        let click = json!({ "method": "custom", "content": { "event": "click" } });
        assert_eq!(comms.received(&id("ButtonModel"), &click).call.as_deref(), Some("a"));
        let pressed = [0, 1].map(|_| comms.call("a").unwrap().values[1].clone());
        assert_eq!(pressed, [json!(true), json!(false)]);
        assert_eq!(comms.received(&id("IntSliderModel"), &click).call, None);
    }

    #[test]
    fn what_counts_calls_by_its_slider_and_can_be_stopped() {
        let (mut comms, id) = shown();
        let play = id("PlayModel");
        let begun = comms.received(&play, &json!({ "method": "update", "state": { "playing": true, "value": 1 } }));
        assert_eq!((begun.messages.len(), begun.call), (1, None), "the linked slider follows by itself");
        assert_eq!(comms.stop_counting("a"), [changed(play, "playing", false)]);
        assert_eq!(comms.stop_counting("a"), []);
    }

    #[test]
    fn all_states_are_there_for_a_page_that_is_loaded_again() {
        let (mut comms, id) = shown();
        let _ = comms.received(&id("IntSliderModel"), &moved(json!(9)));
        let picture = Map::from_iter([("image/png".to_owned(), json!("eA=="))]);
        let picture = Output::Display { data: picture, metadata: Map::new(), display_id: None, update: false };
        let _ = comms.called("a", vec![picture], None, false);
        assert_eq!(comms.opened("asks", CONTROL), Reaction::default());
        let reaction = comms.received("asks", &json!({ "method": "request_states" }));
        let [CommMessage::Message { comm_id, data, buffers }] = reaction.messages.as_slice() else { panic!() };
        assert_eq!((comm_id.as_str(), data["method"].as_str()), ("asks", Some("update_states")));
        assert_eq!(data["states"][id("IntSliderModel")]["state"]["value"], 9);
        let path = data["buffer_paths"][0].as_array().unwrap();
        assert_eq!(data["states"][path[0].as_str().unwrap()]["model_name"], "ImageModel");
        assert_eq!(buffers, &[Bytes::from_static(b"x")]);
        assert_eq!(comms.info(Some(CONTROL)).len(), 1);
        let widgets = comms.info(Some(WIDGET.0));
        assert_eq!(widgets.len(), data["states"].as_object().unwrap().len());
        assert_eq!(comms.info(None).len(), widgets.len() + 1);
        let _ = comms.closed("asks");
        assert_eq!(comms.info(Some(CONTROL)).len(), 0);
    }

    #[test]
    fn comms_for_unknown_targets_are_closed() {
        let mut comms = Comms::default();
        let closed = Reaction { messages: vec![close("x")], ..Reaction::default() };
        assert_eq!(comms.opened("x", "somebody's"), closed);
        assert_eq!(comms.received("x", &moved(json!(1))), Reaction::default());
        assert_eq!(comms.closed("x"), Reaction::default());
    }

    #[test]
    fn a_cell_that_runs_again_closes_what_it_has_shown() {
        let (mut comms, id) = shown();
        assert_eq!(comms.close_of_cell("another"), Reaction::default());
        let number = comms.info(None).len();
        let reaction = comms.close_of_cell("c");
        assert_eq!((reaction.messages.len(), reaction.forgotten), (number, vec!["a".to_owned()]));
        assert!(comms.info(None).is_empty() && comms.call("a").is_none());
        assert_eq!(comms.received(&id("IntSliderModel"), &moved(json!(1))), Reaction::default());
    }

    #[test]
    fn an_interaction_whose_call_has_ended_the_process_stays_to_be_read() {
        let (mut comms, id) = shown();
        assert_eq!(comms.end(Some("a")), []);
        let error = CellError { name: "CellProcessDied".into(), value: String::new(), traceback: vec![] };
        let said = comms.called("a", vec![], Some(error), true);
        assert!(said.contains(&changed(id("IntSliderModel"), "disabled", true)), "{said:?}");
        assert_eq!(comms.received(&id("IntSliderModel"), &moved(json!(1))).call, None);
        assert!(comms.call("a").is_none());
        let (mut comms, _) = shown();
        assert!(!comms.end(None).is_empty() && comms.info(None).is_empty());
    }
}
