//! [`MimeBundle`]: the representations of one value; [`Rich`]: types of users that have more than text to show.

use crate::cell;
use crate::output::Data;
use base64::Engine;
use serde_json::Value;
use std::fmt;

/// What a front end may choose from to show one value: text always, and richer representations.
///
/// ```
/// let bundle = warpcell::MimeBundle::new().text("3 of 4").html("<progress value=3 max=4></progress>");
/// warpcell::display(&bundle);
/// assert_eq!(format!("{bundle:?}"), "3 of 4");
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct MimeBundle {
    data: Data,
}

impl MimeBundle {
    /// Without any representation yet.
    pub fn new() -> MimeBundle {
        MimeBundle::default()
    }

    /// Plain text, which every front end can show. Without it the sorts of the others are named.
    pub fn text(self, text: impl Into<String>) -> MimeBundle {
        self.with("text/plain", text)
    }

    /// A piece of HTML.
    pub fn html(self, html: impl Into<String>) -> MimeBundle {
        self.with("text/html", html)
    }

    /// Markdown.
    pub fn markdown(self, markdown: impl Into<String>) -> MimeBundle {
        self.with("text/markdown", markdown)
    }

    /// LaTeX, with formulas between dollars: `$x^2$`.
    pub fn latex(self, latex: impl Into<String>) -> MimeBundle {
        self.with("text/latex", latex)
    }

    /// A drawing in SVG.
    pub fn svg(self, svg: impl Into<String>) -> MimeBundle {
        self.with("image/svg+xml", svg)
    }

    /// A PNG file.
    pub fn png(self, bytes: impl AsRef<[u8]>) -> MimeBundle {
        self.binary("image/png", bytes.as_ref())
    }

    /// A JSON value, which JupyterLab shows as a tree.
    pub fn json(mut self, value: impl Into<Value>) -> MimeBundle {
        self.data.insert("application/json".to_owned(), value.into());
        self
    }

    /// Any other type that a front end knows, as text.
    ///
    /// ```
    /// let graph = warpcell::MimeBundle::new().with("text/vnd.mermaid", "graph LR; A --> B").text("A → B");
    /// warpcell::display(&graph);
    /// ```
    pub fn with(mut self, mime_type: &str, content: impl Into<String>) -> MimeBundle {
        self.data.insert(mime_type.to_owned(), Value::String(content.into()));
        self
    }

    /// Any other binary type.
    pub fn binary(self, mime_type: &str, bytes: &[u8]) -> MimeBundle {
        self.with(mime_type, base64::engine::general_purpose::STANDARD.encode(bytes))
    }

    pub(crate) fn into_data(self) -> Data {
        self.data
    }

    fn plain_text(&self) -> String {
        match self.data.get("text/plain") {
            Some(Value::String(text)) => text.clone(),
            _ => {
                let types: Vec<&str> = self.data.keys().map(String::as_str).collect();
                format!("<{}>", if types.is_empty() { "nothing to show".to_owned() } else { types.join(", ") })
            }
        }
    }
}

/// Its plain text.
impl fmt::Display for MimeBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plain_text())
    }
}

/// The same as `Display`. In a notebook it is shown in the richest way that the front end knows.
impl fmt::Debug for MimeBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.plain_text();
        cell::offer_rich(&text, || self.data.clone());
        f.write_str(&text)
    }
}

/// Types that have more to show than text.
///
/// With the attribute `#[gpu::rich]` before the implementation, the type gets a `Debug` that writes the plain text and by
/// which the notebook finds the rest: as the value of a cell, in [`display`](crate::display()), behind `Box`, `Rc` and
/// references. So leave `Debug` out of its derives.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// struct Molecule { name: String, atoms: usize }
///
/// #[gpu::rich]
/// impl gpu::Rich for Molecule {
///     fn mime_bundle(&self) -> gpu::MimeBundle {
///         gpu::MimeBundle::new()
///             .text(format!("{}, {} atoms", self.name, self.atoms))
///             .html(format!("<b>{}</b>, {} atoms", self.name, self.atoms))
///     }
/// }
///
/// let water = Molecule { name: "H₂O".to_owned(), atoms: 3 };
/// gpu::display(&water);
/// assert_eq!(format!("{water:?}"), "H₂O, 3 atoms");
/// ```
pub trait Rich {
    /// The representations, plain text among them.
    fn mime_bundle(&self) -> MimeBundle;
}

/// What `#[gpu::rich]` makes of `Debug`.
#[doc(hidden)]
pub fn write_rich(value: &dyn Rich, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    fmt::Debug::fmt(&value.mime_bundle(), f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use serde_json::json;

    #[test]
    fn a_bundle_is_shown_behind_references_and_boxes_but_not_inside_of_others() {
        let bundle = MimeBundle::new().text("x").html("<i>x</i>").json(json!([1, null]));
        let expected = json!({"text/plain": "x", "text/html": "<i>x</i>", "application/json": [1, null]});
        assert_eq!(json!(representations_of(&bundle)), expected);
        assert_eq!(json!(representations_of(&Box::new(&&bundle))), expected);
        assert_eq!(json!(representations_of(&(bundle,))), json!({"text/plain": "(x,)"}));
    }

    #[test]
    fn there_is_always_plain_text() {
        let shown = json!(representations_of(&MimeBundle::new().png(b"ab")));
        assert_eq!(shown, json!({"text/plain": "<image/png>", "image/png": "YWI="}));
    }
}
