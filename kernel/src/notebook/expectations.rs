//! What the outputs of an executed notebook must be: what the cells' metadata say of them (`lessons/README.md`), and that only
//! those cells fail that are meant to.

use super::{FAILS, Finding, SKIPPED, errors_of, has_tag, media_of, outputs_of, plain, text_of};
use jupyter_protocol::media::{Media, MediaType};
use nbformat::v4::{Cell, Notebook};
use serde_json::Value;

/// What the metadata may say, as `lessons/README.md` explains it.
const KEYS: [&str; 6] = ["error", "gallery", "image", "points", "prints", "source"];

/// How much of an output a message shows.
const SHOWN: usize = 1000;

/// Where the outputs are not what they should be: the index of the cell, and a text for a person.
pub fn surprises(notebook: &Notebook) -> Vec<Finding> {
    let cells = notebook.cells.iter().enumerate().filter(|(_, cell)| !has_tag(cell, SKIPPED));
    cells.flat_map(|(cell, content)| of_cell(content).into_iter().map(move |text| Finding { cell, text })).collect()
}

fn of_cell(cell: &Cell) -> Vec<String> {
    let mut found = Vec::new();
    let promised = cell.metadata().additional.get("warpcell").unwrap_or(&Value::Null);
    let keys = promised.as_object().into_iter().flat_map(|object| object.keys());
    for key in keys.filter(|key| !KEYS.contains(&key.as_str())) {
        found.push(format!(
            "its metadata have `{key}` under `warpcell`, which says nothing; write one of {}",
            KEYS.join(", ")
        ));
    }
    let error = errors_of(cell).next().map(|error| plain(&error.traceback.join("\n")));
    let errors = texts(&promised["error"]);
    match &error {
        Some(error) if !has_tag(cell, FAILS) => found.push(format!("it failed: {}", start(error))),
        None if has_tag(cell, FAILS) || !errors.is_empty() => found.push("it should fail".into()),
        _ => {}
    }
    for text in errors {
        if let Some(error) = &error
            && !error.contains(&text)
        {
            found.push(format!("{text:?} is not in the error: {}", start(error)));
        }
    }
    let shown: String = outputs_of(cell).iter().map(text_of).collect();
    for text in texts(&promised["prints"]) {
        if !shown.contains(&text) {
            found.push(format!("{text:?} is not in its output: {}", start(&shown)));
        }
    }
    let is_picture = |media: &Media| media.content.iter().any(|kind| matches!(kind, MediaType::Png(_)));
    if promised["image"].as_bool() == Some(true) && !outputs_of(cell).iter().filter_map(media_of).any(is_picture) {
        found.push("it should show an image".into());
    }
    found
}

/// The texts of a list, or one text.
fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().map_or(std::slice::from_ref(list), Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn start(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::tests::notebook;
    use serde_json::json;

    #[test]
    fn outputs_are_what_the_metadata_say() {
        let stream = json!([{ "output_type": "stream", "name": "stdout", "text": ["one ", "two"] }]);
        let picture = json!([{ "output_type": "display_data", "metadata": {}, "data": { "image/png": "iVBO", "text/plain": "picture" } }]);
        let error = |text: &str| json!([{ "output_type": "error", "ename": "CompileError", "evalue": text, "traceback": [format!("\u{1b}[31m{text}\u{1b}[0m")] }]);
        let cases = [
            (json!({ "warpcell": { "prints": ["two"] } }), stream.clone(), None),
            (
                json!({ "warpcell": { "prints": ["three"] } }),
                stream.clone(),
                Some("\"three\" is not in its output: one two"),
            ),
            (json!({ "warpcell": { "prints": ["picture"], "image": true } }), picture, None),
            (json!({ "warpcell": { "image": true } }), stream, Some("it should show an image")),
            (json!({ "tags": [FAILS], "warpcell": { "error": ["needs arrays"] } }), error("needs arrays"), None),
            (
                json!({ "tags": [FAILS], "warpcell": { "error": ["needs arrays"] } }),
                error("cannot add"),
                Some("\"needs arrays\" is not in the error: cannot add"),
            ),
            (json!({ "tags": [FAILS] }), error("cannot add"), None),
            (json!({ "tags": [FAILS] }), json!([]), Some("it should fail")),
            (json!({ "warpcell": { "error": ["needs arrays"] } }), json!([]), Some("it should fail")),
            (json!({}), error("cannot add"), Some("it failed: cannot add")),
            (json!({ "tags": [SKIPPED], "warpcell": { "prints": ["two"] } }), json!([]), None),
            (
                json!({ "warpcell": { "print": ["two"] } }),
                json!([]),
                Some(
                    "its metadata have `print` under `warpcell`, which says nothing; write one of error, gallery, image, points, prints, source",
                ),
            ),
        ];
        for (metadata, outputs, expected) in cases {
            let found = surprises(&notebook(&[("a", "x", metadata.clone(), outputs)]));
            let texts: Vec<&str> = found.iter().map(|finding| finding.text.as_str()).collect();
            assert_eq!(texts, Vec::from_iter(expected), "{metadata}");
        }
    }
}
