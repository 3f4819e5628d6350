//! What an interaction shows under its controls: pictures as models of their own, which change without flicker, and
//! everything else as outputs of a cell.

use super::models::{self, BINARY, Model};
use crate::evaluator::{CellError, Output, StreamName};
use base64::Engine;
use bytes::Bytes;
use serde_json::{Map, Value, json};

/// How many pictures have models of their own. Others are outputs.
const PICTURES: usize = 8;
/// Formats of pictures, with their MIME types.
const FORMATS: [(&str, &str); 2] = [("image/png", "png"), ("image/jpeg", "jpeg")];

/// Outputs as a cell would show them in the end: text joined, nothing that was cleared or replaced. Outputs that a notebook
/// has elsewhere, and those that are no outputs, are left out.
pub fn normalised(outputs: Vec<Output>) -> Vec<Output> {
    let mut shown: Vec<Output> = Vec::new();
    for output in outputs {
        match output {
            Output::Clear { .. } => shown.clear(),
            Output::Stream { name, text } => match shown.last_mut() {
                Some(Output::Stream { name: last, text: before }) if *last == name => before.push_str(&text),
                _ => shown.push(Output::Stream { name, text }),
            },
            Output::Result { data, metadata } => {
                shown.push(Output::Display { data, metadata, display_id: None, update: false });
            }
            Output::Progress { data, id, update, .. } => {
                let bar = Output::Display { data, metadata: Map::new(), display_id: Some(id), update };
                if !replaced_in(&mut shown, &bar) {
                    shown.push(bar);
                }
            }
            display @ Output::Display { update: false, .. } => shown.push(display),
            display @ Output::Display { .. } => drop(replaced_in(&mut shown, &display)),
            Output::Waiting { .. }
            | Output::Input { .. }
            | Output::Interaction { .. }
            | Output::InteractionClosed { .. } => {}
        }
    }
    shown
}

/// Puts an update in place of the output that it replaces, if that is here.
pub fn replaced_in(shown: &mut [Output], new: &Output) -> bool {
    let Output::Display { data, metadata, display_id: Some(wanted), update: true } = new else { return false };
    let mut is_here = false;
    for output in shown {
        match output {
            Output::Display { data: old, metadata: old_metadata, display_id: Some(id), .. } if id == wanted => {
                (*old, *old_metadata) = (data.clone(), metadata.clone());
                is_here = true;
            }
            _ => {}
        }
    }
    is_here
}

/// A part of an area.
#[derive(Debug, PartialEq)]
enum Part {
    Picture { format: &'static str, file: Bytes },
    Outputs(Vec<Value>),
}

/// The parts that outputs become, in order; an error is the last.
fn parts(outputs: Vec<Output>, error: Option<CellError>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut pictures = 0;
    let add = |parts: &mut Vec<Part>, output: Value| match parts.last_mut() {
        Some(Part::Outputs(outputs)) => outputs.push(output),
        _ => parts.push(Part::Outputs(vec![output])),
    };
    for output in outputs {
        match output {
            Output::Display { data, metadata, .. } => match picture(&data).filter(|_| pictures < PICTURES) {
                Some((format, file)) => {
                    pictures += 1;
                    parts.push(Part::Picture { format, file });
                }
                None => {
                    add(&mut parts, json!({ "output_type": "display_data", "data": data, "metadata": metadata }));
                }
            },
            Output::Stream { name, text } => {
                let name = match name {
                    StreamName::Stdout => "stdout",
                    StreamName::Stderr => "stderr",
                };
                add(&mut parts, json!({ "output_type": "stream", "name": name, "text": text }));
            }
            _ => {}
        }
    }
    if let Some(CellError { name, value, traceback }) = error {
        let error = json!({ "output_type": "error", "ename": name, "evalue": value, "traceback": traceback });
        add(&mut parts, error);
    }
    parts
}

/// The picture of a display.
fn picture(data: &Map<String, Value>) -> Option<(&'static str, Bytes)> {
    FORMATS.into_iter().find_map(|(kind, format)| {
        let text = data.get(kind)?.as_str()?;
        let file = base64::engine::general_purpose::STANDARD.decode(text.trim()).ok()?;
        Some((format, Bytes::from(file)))
    })
}

/// What clients without widgets show of the first state: its picture, and its text.
pub fn fallback(outputs: &[Output]) -> Map<String, Value> {
    let displays = || {
        outputs.iter().filter_map(|output| match output {
            Output::Display { data, .. } => Some(data),
            _ => None,
        })
    };
    let mut bundle = Map::new();
    let first = displays().find(|data| picture(data).is_some()).or_else(|| displays().next());
    bundle.extend(first.into_iter().flatten().map(|(kind, content)| (kind.clone(), content.clone())));
    let texts = outputs.iter().filter_map(|output| match output {
        Output::Stream { text, .. } => Some(text.trim_end()),
        Output::Display { data, .. } => data.get("text/plain").and_then(Value::as_str),
        _ => None,
    });
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    bundle.insert("text/plain".to_owned(), Value::from(text));
    bundle
}

/// A change of a model's state.
#[derive(Debug, PartialEq)]
pub struct Change {
    pub id: String,
    pub state: Map<String, Value>,
    pub binary: Option<Bytes>,
}

/// What is to be said to clients after an area has changed: new models first.
#[derive(Debug, Default, PartialEq)]
pub struct Changes {
    pub new: Vec<Model>,
    pub changes: Vec<Change>,
}

/// The models of an area. They are kept for the next state, whose parts are often of the same kinds.
pub struct Area {
    column: Model,
    layout: Model,
    layout_of_pictures: Model,
    pictures: Vec<Model>,
    outputs: Vec<Model>,
}

impl Area {
    /// An area with nothing in it.
    pub fn new(layout: &Model) -> Area {
        Area {
            column: models::column(layout, &[]),
            layout: layout.clone(),
            layout_of_pictures: models::layout_of_pictures(),
            pictures: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// The model that all are in.
    pub fn column(&self) -> &Model {
        &self.column
    }

    /// All models, each behind those that it refers to.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        [&self.layout_of_pictures].into_iter().chain(&self.pictures).chain(&self.outputs).chain([&self.column])
    }

    /// The model of this identity, to change what a client has changed.
    pub fn model_mut(&mut self, id: &str) -> Option<&mut Model> {
        let own = [&mut self.layout_of_pictures, &mut self.column];
        let all = own.into_iter().chain(&mut self.pictures).chain(&mut self.outputs);
        all.into_iter().find(|model| model.id == id)
    }

    /// Shows other outputs.
    pub fn show(&mut self, outputs: Vec<Output>, error: Option<CellError>) -> Changes {
        let mut said = Changes::default();
        let (mut pictures, mut others) = (0, 0);
        let mut children = Vec::new();
        for part in parts(outputs, error) {
            let (pool, index) = match part {
                Part::Picture { .. } => (&mut self.pictures, &mut pictures),
                Part::Outputs(_) => (&mut self.outputs, &mut others),
            };
            match pool.get_mut(*index) {
                Some(model) => said.changes.extend(change(model, part)),
                None => {
                    let model = match part {
                        Part::Picture { format, file } => models::picture(&self.layout_of_pictures, format, file),
                        Part::Outputs(outputs) => models::outputs(&self.layout, &outputs),
                    };
                    said.new.push(model.clone());
                    pool.push(model);
                }
            }
            children.push(pool[*index].reference());
            *index += 1;
        }
        let children = Value::from(children);
        if self.column.state.get("children") != Some(&children) {
            self.column.state.insert("children".to_owned(), children.clone());
            let state = Map::from_iter([("children".to_owned(), children)]);
            said.changes.push(Change { id: self.column.id.clone(), state, binary: None });
        }
        said
    }
}

/// Gives a model of the right kind another content. `None` if it has it already.
fn change(model: &mut Model, part: Part) -> Option<Change> {
    let (key, value, binary) = match part {
        Part::Picture { format, file } => ("format", Value::from(format), Some(file)),
        Part::Outputs(outputs) => ("outputs", Value::from(outputs), None),
    };
    let is_same = model.state.get(key) == Some(&value);
    let binary = binary.filter(|file| model.binary.as_ref() != Some(file));
    if is_same && binary.is_none() {
        return None;
    }
    let mut state = Map::new();
    if !is_same {
        state.insert(key.to_owned(), value.clone());
        model.state.insert(key.to_owned(), value);
    }
    if binary.is_some() {
        model.binary.clone_from(&binary);
    }
    Some(Change { id: model.id.clone(), state, binary })
}

/// The path of the binary part of a state.
pub fn binary_path() -> Value {
    json!([BINARY])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Output {
        Output::Stream { name: StreamName::Stdout, text: text.to_owned() }
    }

    fn display(kind: &str, content: &str, id: Option<&str>, update: bool) -> Output {
        let data = Map::from_iter([(kind.to_owned(), Value::from(content))]);
        Output::Display { data, metadata: Map::new(), display_id: id.map(str::to_owned), update }
    }

    fn png(content: &str) -> Output {
        display("image/png", &base64::engine::general_purpose::STANDARD.encode(content), None, false)
    }

    #[test]
    fn outputs_are_those_that_a_cell_would_show_in_the_end() {
        let outputs = vec![
            text("gone"),
            Output::Clear { wait: true },
            text("a"),
            text("b"),
            display("text/plain", "old", Some("d"), false),
            display("text/plain", "new", Some("d"), true),
            display("text/plain", "elsewhere", Some("e"), true),
        ];
        let shown = display("text/plain", "new", Some("d"), false);
        assert_eq!(normalised(outputs), [text("ab"), shown]);
    }

    #[test]
    fn a_state_of_the_same_kinds_changes_the_models_and_another_one_adds_some() {
        let mut area = Area::new(&models::layout());
        let first = area.show(vec![text("1"), png("one")], None);
        let [outputs, picture] = first.new.as_slice() else { panic!("{first:?}") };
        assert_eq!(outputs.state["outputs"], json!([{"output_type": "stream", "name": "stdout", "text": "1"}]));
        assert_eq!((picture.binary.as_deref(), &picture.state["format"]), (Some(&b"one"[..]), &json!("png")));
        let [children] = first.changes.as_slice() else { panic!("{first:?}") };
        assert_eq!(children.state["children"], json!([outputs.reference(), picture.reference()]));

        let second = area.show(vec![text("1"), png("two")], None);
        let file = Some(Bytes::from_static(b"two"));
        let expected = Change { id: picture.id.clone(), state: Map::new(), binary: file };
        assert_eq!(second, Changes { new: vec![], changes: vec![expected] });

        let error = CellError { name: "Panic".into(), value: "no".into(), traceback: vec!["no".into()] };
        let third = area.show(vec![], Some(error));
        assert!(third.new.is_empty());
        assert_eq!(third.changes[0].state["outputs"][0]["ename"], "Panic");
        assert_eq!(third.changes[1].state["children"], json!([outputs.reference()]));
        assert!(area.models().any(|model| model.id == picture.id), "the picture is kept for later");
        assert_eq!(area.show(vec![], None).changes.len(), 1, "nothing is shown any more");
    }

    #[test]
    fn more_pictures_than_have_models_are_outputs() {
        let outputs = (0..PICTURES + 2).map(|index| png(&index.to_string())).collect();
        let parts = parts(outputs, None);
        assert_eq!(parts.len(), PICTURES + 1);
        assert!(matches!(&parts[PICTURES], Part::Outputs(rest) if rest.len() == 2));
    }

    #[test]
    fn without_widgets_there_is_a_picture_and_text() {
        let bundle = fallback(&[text("mean 3\n"), png("x"), display("text/plain", "more", None, false)]);
        assert_eq!(bundle["text/plain"], "mean 3\nmore");
        assert_eq!(bundle["image/png"], "eA==");
        assert_eq!(fallback(&[])["text/plain"], "");
    }
}
