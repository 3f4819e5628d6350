//! The outputs of a cell as HTML. Only an output that is HTML itself can change what surrounds it.

use super::escape::escaped;
use super::links::{data_address, drawing_address};
use super::markdown::{self, Origin, Shared};
use super::terminal;
use jupyter_protocol::media::{Media, MediaType};
use nbformat::v4::Output;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The lines of text from which an output can be scrolled on a screen.
const LONG: usize = 60;

/// All outputs of a cell.
pub fn html(outputs: &[Output], origin: Origin<'_>, shared: &mut Shared) -> String {
    let mut html = String::new();
    let mut rest = outputs;
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            Output::Stream { name, text } => {
                // What was printed in several pieces is one text: a line may be written over later.
                let mut all = text.0.clone();
                while let [Output::Stream { name: next, text }, after @ ..] = rest
                    && next == name
                {
                    all += &text.0;
                    rest = after;
                }
                let class = if name == "stderr" { "stderr" } else { "stdout" };
                text_into(&mut html, class, "", &terminal::html(&all));
            }
            Output::Error(error) => {
                let traceback = match error.traceback.is_empty() {
                    true => format!("{}: {}", error.ename, error.evalue),
                    false => error.traceback.join("\n"),
                };
                text_into(&mut html, "error", "", &terminal::html(&traceback));
            }
            Output::DisplayData(display) => media(&mut html, "", &display.data, &display.metadata, origin, shared),
            Output::ExecuteResult(result) => {
                let prompt = format!("[{}]:", result.execution_count.0);
                media(&mut html, &prompt, &result.data, &result.metadata, origin, shared);
            }
        }
    }
    html
}

/// How rich a kind is; 0 for those that a page cannot show.
fn rank(kind: &MediaType) -> usize {
    match kind {
        MediaType::Html(_) => 10,
        MediaType::Svg(_) => 9,
        MediaType::Png(_) => 8,
        MediaType::Jpeg(_) => 7,
        MediaType::Gif(_) => 6,
        MediaType::Other((name, Value::String(_))) if name == "image/webp" => 5,
        MediaType::Markdown(_) => 4,
        MediaType::Latex(_) => 3,
        MediaType::Json(_) => 2,
        MediaType::Plain(_) => 1,
        _ => 0,
    }
}

fn media(
    html: &mut String,
    prompt: &str,
    data: &Media,
    metadata: &Map<String, Value>,
    origin: Origin<'_>,
    shared: &mut Shared,
) {
    let Some(kind) = data.richest(rank) else {
        let mut names: Vec<&str> = data.content.iter().map(MediaType::mime_type).collect();
        names.sort_unstable();
        if !names.is_empty() {
            let note = format!("<p>An output that a page cannot show: {}</p>", escaped(&names.join(", ")));
            output_into(html, "note", prompt, &note);
        }
        return;
    };
    let picture = |address: String| picture(&address, kind.mime_type(), metadata, origin.cell);
    match kind {
        MediaType::Html(text) => output_into(html, "html", prompt, text),
        MediaType::Svg(text) => output_into(html, "picture", prompt, &picture(drawing_address(text))),
        MediaType::Png(base64) | MediaType::Jpeg(base64) | MediaType::Gif(base64) => {
            output_into(html, "picture", prompt, &picture(data_address(kind.mime_type(), base64)));
        }
        MediaType::Other((name, Value::String(base64))) => {
            output_into(html, "picture", prompt, &picture(data_address(name, base64)));
        }
        MediaType::Markdown(text) => {
            let text = markdown::to_html(text, Origin { is_output: true, ..origin }, shared);
            output_into(html, "words", prompt, &text);
        }
        MediaType::Latex(text) => output_into(html, "words", prompt, &shared.formulas.output(text)),
        MediaType::Json(value) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            text_into(html, "plain", prompt, &escaped(&text));
        }
        MediaType::Plain(text) => text_into(html, "plain", prompt, &terminal::html(text)),
        _ => {}
    }
}

/// A picture, as large as its metadata say.
fn picture(address: &str, kind: &str, metadata: &Map<String, Value>, cell: &str) -> String {
    let mut html = format!("<img src=\"{address}\" alt=\"Picture of the cell {}\"", escaped(cell));
    for side in ["width", "height"] {
        let length = metadata.get(kind).and_then(|of_kind| of_kind.get(side)).or_else(|| metadata.get(side));
        if let Some(length) = length.and_then(Value::as_f64).filter(|length| (1.0..100_000.0).contains(length)) {
            // Writing to a string does not fail.
            let _ = write!(html, " {side}=\"{}\"", length.round());
        }
    }
    html + ">"
}

/// Text, which is HTML already, in a `<pre>`.
fn text_into(html: &mut String, class: &str, prompt: &str, text: &str) {
    let is_long = text.bytes().filter(|byte| *byte == b'\n').nth(LONG).is_some();
    let opening = if is_long { "<pre class=\"long\" tabindex=\"0\">" } else { "<pre>" };
    // The first line end behind `<pre>` does not count.
    output_into(html, class, prompt, &format!("{opening}\n{text}</pre>"));
}

/// An output; `inside` is HTML.
fn output_into(html: &mut String, class: &str, prompt: &str, inside: &str) {
    if !prompt.is_empty() {
        let _ = write!(html, "<div class=\"prompt\">{prompt}</div>");
    }
    let _ = writeln!(html, "<div class=\"output {class}\">{inside}</div>");
}
