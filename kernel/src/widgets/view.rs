//! One interaction as clients see it: the models of its controls, and of what it shows.

use super::area::{Area, Changes};
use super::models::{self, Model};
use crate::controls::{Interaction, Kind};
use crate::evaluator::{CellError, Output};
use serde_json::{Map, Value, json};

/// A control, and the models that stand for it.
struct Valued {
    kind: Kind,
    /// The model that has its value.
    model: String,
    /// The one that counts by itself.
    counting: Option<String>,
    /// For a button: whether it was pressed.
    value: Value,
}

impl Valued {
    /// The key of the value in the state of the model.
    fn key(&self) -> &'static str {
        if matches!(self.kind, Kind::Dropdown { .. }) { "index" } else { "value" }
    }
}

/// See the module.
pub struct View {
    /// All models but those of the area.
    models: Vec<Model>,
    area: Area,
    root: String,
    controls: Vec<Valued>,
}

impl View {
    /// The models of an interaction that shows nothing yet.
    pub fn new(interaction: &Interaction) -> View {
        let layout = models::layout();
        let names: Vec<&str> = interaction.controls().map(|control| control.name.as_str()).collect();
        let width = models::width_of_names(&names);
        let area = Area::new(&layout);
        let (mut all, mut controls, mut rows) = (vec![layout.clone()], Vec::new(), Vec::new());
        for row in &interaction.rows {
            let mut placed = Vec::new();
            for control in row {
                let parts = models::control(control, &layout, width);
                let (kind, value) = (control.kind.clone(), control.kind.first());
                controls.push(Valued { kind, model: parts.valued, counting: parts.counting, value });
                placed.push(parts.placed);
                all.extend(parts.models);
            }
            match placed.as_slice() {
                [one] => rows.push(one.clone()),
                several => {
                    let row = models::row(&layout, several);
                    rows.push(row.reference());
                    all.push(row);
                }
            }
        }
        rows.push(area.column().reference());
        let mut root = models::column(&layout, &rows);
        // ipywidgets' own interactions have this, and themes know it.
        root.state.insert("_dom_classes".to_owned(), json!(["widget-interact"]));
        let id = root.id.clone();
        all.push(root);
        View { models: all, area, root: id, controls }
    }

    /// The model that is shown.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// All models, each behind those that it refers to; but the area before the root.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        let (before, root) = self.models.split_at(self.models.len() - 1);
        before.iter().chain(self.area.models()).chain(root)
    }

    /// The model of this identity.
    pub fn model(&self, id: &str) -> Option<&Model> {
        self.models().find(|model| model.id == id)
    }

    fn model_mut(&mut self, id: &str) -> Option<&mut Model> {
        match self.models.iter_mut().find(|model| model.id == id) {
            Some(model) => Some(model),
            None => self.area.model_mut(id),
        }
    }

    /// Shows the outputs of a call.
    pub fn show(&mut self, outputs: Vec<Output>, error: Option<CellError>) -> Changes {
        self.area.show(outputs, error)
    }

    /// Takes what a client has changed. Returns what of it counts, and whether the closure has other values now. Values that
    /// it cannot take are passed over, and so is what a model does not have.
    pub fn take(&mut self, id: &str, state: &Map<String, Value>) -> (Map<String, Value>, bool) {
        let control = self.controls.iter().position(|control| control.model == id);
        let mut taken = Map::new();
        let mut is_new = false;
        for (key, given) in state {
            if let Some(control) = control.map(|index| &mut self.controls[index])
                && key == control.key()
            {
                let Some(value) = control.kind.accepted(given) else { continue };
                is_new |= control.value != value;
                control.value = value;
            } else if key.starts_with("_model") || key.starts_with("_view_m") || key == "_view_name" {
                continue;
            }
            taken.insert(key.clone(), given.clone());
        }
        let Some(model) = self.model_mut(id) else { return (Map::new(), false) };
        taken.retain(|key, _| model.state.contains_key(key));
        model.state.extend(taken.iter().map(|(key, value)| (key.clone(), value.clone())));
        (taken, is_new)
    }

    /// Takes a message of a model's own; whether the closure is to be called.
    pub fn take_custom(&mut self, id: &str, content: &Value) -> bool {
        let is_press = content.get("event") == Some(&Value::from("click"));
        let button = self.controls.iter_mut().find(|control| control.model == id);
        match button {
            Some(control) if is_press && matches!(control.kind, Kind::Button { .. }) => {
                control.value = Value::from(true);
                true
            }
            _ => false,
        }
    }

    /// The values for the next call. Buttons are not pressed any more then.
    pub fn take_values(&mut self) -> Vec<Value> {
        let values = self.controls.iter().map(|control| control.value.clone()).collect();
        for control in &mut self.controls {
            if matches!(control.kind, Kind::Button { .. }) {
                control.value = Value::from(false);
            }
        }
        values
    }

    /// Stops what counts by itself; the models that have changed.
    pub fn stop_counting(&mut self) -> Vec<String> {
        let counting: Vec<String> = self.controls.iter().filter_map(|control| control.counting.clone()).collect();
        counting.into_iter().filter(|id| self.set(id, "playing", false)).collect()
    }

    /// Makes the controls such that nobody can move them; the models that have changed.
    pub fn disable(&mut self) -> Vec<String> {
        let all: Vec<String> = self.models.iter().map(|model| model.id.clone()).collect();
        all.into_iter().filter(|id| self.set(id, "disabled", true)).collect()
    }

    /// Sets a key of a state that has it; whether it had another value.
    fn set(&mut self, id: &str, key: &str, value: bool) -> bool {
        let Some(old) = self.model_mut(id).and_then(|model| model.state.get_mut(key)) else { return false };
        std::mem::replace(old, Value::from(value)) != value
    }
}
