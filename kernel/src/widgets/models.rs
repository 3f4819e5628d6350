//! The models of ipywidgets that interactions are made of, with the state of each as its Python classes have it.

use crate::controls::{Control, Kind};
use bytes::Bytes;
use serde_json::{Map, Value, json};

/// The module of controls and its version; the versions are those of ipywidgets 8.
const CONTROLS: (&str, &str) = ("@jupyter-widgets/controls", "2.0.0");
const BASE: (&str, &str) = ("@jupyter-widgets/base", "2.0.0");
const OUTPUT: (&str, &str) = ("@jupyter-widgets/output", "1.0.0");

/// The key of the binary part of a model: the file of a picture.
pub const BINARY: &str = "value";

/// A model: what the client and the kernel both have of a widget.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its identity, which is that of its comm.
    pub id: String,
    /// Its state, without the binary part.
    pub state: Map<String, Value>,
    /// The value of `BINARY`, where the state has one.
    pub binary: Option<Bytes>,
}

impl Model {
    /// A reference to it, in the state of another one.
    pub fn reference(&self) -> Value {
        reference(&self.id)
    }
}

/// A reference to a model.
pub fn reference(id: &str) -> Value {
    Value::from(format!("IPY_MODEL_{id}"))
}

fn model(name: &str, model_of: (&str, &str), view: (Option<&str>, (&str, &str)), more: Value) -> Model {
    let (view_name, view_of) = view;
    let mut state = object(json!({
        "_model_name": format!("{name}Model"), "_model_module": model_of.0, "_model_module_version": model_of.1,
        "_view_name": view_name, "_view_module": view_of.0, "_view_module_version": view_of.1, "_view_count": null,
    }));
    state.extend(object(more));
    Model { id: uuid::Uuid::new_v4().simple().to_string(), state, binary: None }
}

/// A model that is seen.
fn seen(name: &str, module: (&str, &str), layout: &Model, more: Value) -> Model {
    let view = format!("{name}View");
    let common = json!({ "_dom_classes": [], "layout": layout.reference(), "tabbable": null, "tooltip": null });
    let mut model = model(name, module, (Some(&view), module), common);
    model.state.extend(object(more));
    model
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The layout of widgets that have nothing special.
pub fn layout() -> Model {
    model("Layout", BASE, (Some("LayoutView"), BASE), json!({}))
}

/// The layout of a picture in a column: as large as it is, or as the column is wide. Otherwise clients would stretch it to the
/// width of the column, and draw many times as many pixels for each frame.
pub fn layout_of_pictures() -> Model {
    model("Layout", BASE, (Some("LayoutView"), BASE), json!({ "align_self": "flex-start", "max_width": "100%" }))
}

/// Boxes in a column.
pub fn column(layout: &Model, children: &[Value]) -> Model {
    seen("VBox", CONTROLS, layout, json!({ "box_style": "", "children": children }))
}

/// Boxes in a row.
pub fn row(layout: &Model, children: &[Value]) -> Model {
    seen("HBox", CONTROLS, layout, json!({ "box_style": "", "children": children }))
}

/// A picture; its file is the binary part.
pub fn picture(layout: &Model, format: &str, file: Bytes) -> Model {
    let image = seen("Image", CONTROLS, layout, json!({ "format": format, "height": "", "width": "" }));
    Model { binary: Some(file), ..image }
}

/// Outputs of any kind, as a cell has them.
pub fn outputs(layout: &Model, outputs: &[Value]) -> Model {
    seen("Output", OUTPUT, layout, json!({ "msg_id": "", "outputs": outputs }))
}

/// The models of a control: the one with its value, the one that stands in a row, and those that they need, which come first.
pub struct Parts {
    /// All, in an order in which each comes behind those that it refers to.
    pub models: Vec<Model>,
    /// Which of them has the value.
    pub valued: String,
    /// Which of them stands in a row.
    pub placed: Value,
    /// Which of them counts by itself.
    pub counting: Option<String>,
}

/// How wide the names of an interaction's controls are, in pixels of the page: ipywidgets' own width, or what the longest needs.
pub fn width_of_names(names: &[&str]) -> usize {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    (8 * longest + 8).max(80)
}

/// The models of a control.
pub fn control(control: &Control, layout: &Model, width_of_names: usize) -> Parts {
    let named = |more: Value| {
        let mut all = object(json!({
            "description": control.name, "description_allow_html": false, "disabled": false,
        }));
        all.extend(object(more));
        Value::Object(all)
    };
    let styled = |style: Model, name: &str, more: Value| {
        let mut model = seen(name, CONTROLS, layout, more);
        model.state.insert("style".to_owned(), style.reference());
        let (valued, placed) = (model.id.clone(), model.reference());
        Parts { models: vec![style, model], valued, placed, counting: None }
    };
    let width = format!("{width_of_names}px");
    let slider = |name: &str, min: Value, max: Value, step: Value, value: Value, format: String| {
        let style = style("SliderStyle", json!({ "description_width": width, "handle_color": null }));
        let more = json!({
            "min": min, "max": max, "step": step, "value": value, "readout": true, "readout_format": format,
            "continuous_update": true, "orientation": "horizontal", "behavior": "drag-tap",
        });
        styled(style, name, named(more))
    };
    match &control.kind {
        &Kind::IntSlider { min, max, step, value } => {
            slider("IntSlider", min.into(), max.into(), step.into(), value.into(), "d".to_owned())
        }
        &Kind::FloatSlider { min, max, step, value } => slider(
            "FloatSlider",
            min.into(),
            max.into(),
            step.into(),
            value.into(),
            digits_for(step, min.abs().max(max.abs())),
        ),
        Kind::Checkbox { value } => {
            let style = style("CheckboxStyle", json!({ "background": null, "description_width": width }));
            styled(style, "Checkbox", named(json!({ "value": value, "indent": true })))
        }
        Kind::Dropdown { labels, value } => {
            let style = style("DescriptionStyle", json!({ "description_width": width }));
            styled(style, "Dropdown", named(json!({ "_options_labels": labels, "index": value })))
        }
        Kind::Text { value } => {
            let look = json!({
                "background": null, "description_width": width, "font_size": null, "text_color": null,
            });
            let more = json!({ "value": value, "placeholder": "\u{200b}", "continuous_update": true });
            styled(style("TextStyle", look), "Text", named(more))
        }
        Kind::Button { label } => {
            let look = json!({
                "button_color": null, "font_family": null, "font_size": null, "font_style": null, "font_variant": null,
                "font_weight": null, "text_color": null, "text_decoration": null,
            });
            let more = json!({ "description": label, "disabled": false, "button_style": "", "icon": "" });
            styled(style("ButtonStyle", look), "Button", more)
        }
        &Kind::Play { min, max, step, value, interval } => {
            let numbers = json!({
                "min": min, "max": max, "step": step, "value": value, "interval": interval, "playing": false,
                "repeat": false, "show_repeat": true, "description": "", "description_allow_html": false,
                "disabled": false,
            });
            let play = styled(style("DescriptionStyle", json!({ "description_width": "" })), "Play", numbers);
            let slider = slider("IntSlider", min.into(), max.into(), step.into(), value.into(), "d".to_owned());
            let source = json!([play.placed, "value"]);
            let linked = json!({ "source": source, "target": [slider.placed, "value"] });
            let link = model("Link", CONTROLS, (None, CONTROLS), linked);
            let both = row(layout, &[play.placed, slider.placed]);
            let placed = both.reference();
            let models = play.models.into_iter().chain(slider.models).chain([link, both]).collect();
            Parts { models, valued: slider.valued, placed, counting: Some(play.valued) }
        }
    }
}

fn style(name: &str, more: Value) -> Model {
    model(name, CONTROLS, (Some("StyleView"), BASE), more)
}

/// The format in which a slider shows its number: as many digits as its steps have, two at least.
fn digits_for(step: f64, largest: f64) -> String {
    let digits = (0..=8).find(|&digits| {
        let scaled = step * 10f64.powi(digits);
        scaled >= 0.5 && (scaled - scaled.round()).abs() < 1e-9 * scaled
    });
    match digits {
        Some(digits) if largest < 1e9 => format!(".{}f", digits.max(2)),
        _ => ".4g".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_shows_as_many_digits_as_its_steps_have() {
        for (step, largest, format) in [
            (0.1, 5.0, ".2f"),
            (1.0, 5.0, ".2f"),
            (0.005, 1.0, ".3f"),
            (0.0625, 1.0, ".4f"),
            (1.0 / 3.0, 1.0, ".4g"),
            (1e-12, 1.0, ".4g"),
            (1.0, 1e12, ".4g"),
        ] {
            assert_eq!(digits_for(step, largest), format, "{step}");
        }
    }

    #[test]
    fn each_model_comes_behind_those_that_it_refers_to() {
        let layout = layout();
        let kind = Kind::Play { min: 0, max: 9, step: 1, value: 0, interval: 100 };
        let parts = control(&Control { name: "frame".into(), kind }, &layout, 80);
        let mut known = vec![layout.id.clone()];
        for model in &parts.models {
            let text = serde_json::to_string(&model.state).unwrap();
            for id in text.split("IPY_MODEL_").skip(1).map(|rest| &rest[..32]) {
                assert!(known.iter().any(|known| known == id), "{text}");
            }
            known.push(model.id.clone());
        }
        assert!(known.contains(&parts.valued) && known.contains(&parts.counting.unwrap()));
    }

    #[test]
    fn long_names_have_room() {
        assert_eq!((width_of_names(&["a", "size"]), width_of_names(&["threshold of edges"])), (80, 152));
    }
}
