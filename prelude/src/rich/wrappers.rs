//! Wrappers that say what their content is: [`Html`], [`Markdown`], [`Latex`], [`Json`], [`Svg`], [`Png`], [`Image`].
//!
//! They are shown as the value of a cell and by [`display`](crate::display()). Their plain text, for front ends that
//! know no better, is the source, or the size of a picture.

use super::bundle::MimeBundle;
use super::shortened;
use crate::error::{Error, Result, check};
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// HTML.
///
/// ```
/// warpcell::display(&warpcell::Html("<table><tr><td>1<td>2</table>"));
/// ```
#[derive(Clone, PartialEq)]
pub struct Html<S>(pub S);

/// Markdown.
///
/// ```
/// warpcell::display(&warpcell::Markdown("# Results\n\n- **2.5** times as fast"));
/// ```
#[derive(Clone, PartialEq)]
pub struct Markdown<S>(pub S);

/// LaTeX, with formulas between dollars.
///
/// ```
/// warpcell::display(&warpcell::Latex(r"$$\int_0^1 x^2\,dx = \frac{1}{3}$$"));
/// ```
#[derive(Clone, PartialEq)]
pub struct Latex<S>(pub S);

/// A drawing in SVG, from `<svg` on.
///
/// ```
/// let square = r#"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>"#;
/// warpcell::display(&warpcell::Svg(square));
/// ```
#[derive(Clone, PartialEq)]
pub struct Svg<S>(pub S);

/// A value that JupyterLab shows as a tree to open and close: whatever `serde` can serialise.
///
/// ```
/// use std::collections::BTreeMap;
/// let sizes = BTreeMap::from([("rows", vec![1, 2]), ("columns", vec![3])]);
/// let tree = warpcell::Json(&sizes);
/// warpcell::display(&tree);
/// assert!(format!("{tree:?}").contains("\"rows\": ["));
/// ```
#[derive(Clone, PartialEq)]
pub struct Json<T>(pub T);

/// The bytes of a PNG file.
///
/// ```
/// let figure = warpcell::imshow(&ndarray::array![[1, 2], [3, 4]]);
/// warpcell::display(&warpcell::Png(figure.png()));
/// ```
#[derive(Clone, PartialEq)]
pub struct Png<B>(pub B);

/// A picture: the bytes of a PNG, JPEG, GIF or WebP file.
#[derive(Clone, PartialEq)]
pub struct Image {
    mime_type: &'static str,
    bytes: Vec<u8>,
}

impl Image {
    /// From the bytes of a file.
    ///
    /// **Panics** if they are not those of a PNG, JPEG, GIF or WebP file.
    ///
    /// ```
    /// let png = warpcell::imshow(&ndarray::array![[1, 2], [3, 4]]).png().to_vec();
    /// warpcell::display(&warpcell::Image::new(png));
    /// ```
    #[track_caller]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Image {
        check(Image::recognise(bytes.into(), "these bytes"))
    }

    /// From a file.
    ///
    /// **Panics** if it cannot be read, or is not a PNG, JPEG, GIF or WebP file.
    ///
    /// ```no_run
    /// warpcell::display(&warpcell::Image::open("photo.jpg"));
    /// ```
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Image {
        check(Image::read(path.as_ref()))
    }

    fn read(path: &Path) -> Result<Image> {
        let bytes = std::fs::read(path).map_err(|error| {
            let folder = std::env::current_dir().map_or_else(|_| "?".to_owned(), |folder| folder.display().to_string());
            invalid(format!("{} cannot be read: {error}; relative paths start at {folder}", path.display()))
        })?;
        Image::recognise(bytes, &path.display().to_string())
    }

    fn recognise(bytes: Vec<u8>, name: &str) -> Result<Image> {
        let mime_type = match bytes.as_slice() {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => {
                return Err(invalid(format!(
                    "{name} ({} bytes) cannot be read as a PNG, JPEG, GIF or WebP file; for text formats use `Svg` or \
                     `Html`, for an array `imshow`",
                    bytes.len()
                )));
            }
        };
        Ok(Image { mime_type, bytes })
    }
}

fn invalid(reason: String) -> Error {
    Error::argument("Image", reason)
}

/// A picture in a few words.
fn describe(mime_type: &str, bytes: &[u8]) -> String {
    let kind = mime_type.trim_start_matches("image/").to_uppercase();
    let number = |at: usize| bytes.get(at..at + 4).and_then(|part| part.try_into().ok()).map(u32::from_be_bytes);
    // The first chunk of a PNG file has its size.
    match (number(16), number(20)) {
        (Some(width), Some(height)) if mime_type == "image/png" => format!("{kind} image, {width}×{height} pixels"),
        _ => format!("{kind} image, {} bytes", bytes.len()),
    }
}

macro_rules! sources {
    ($($wrapper:ident: $mime_type:literal, $source:ident => $text:expr;)*) => {$(
        impl<S: AsRef<str>> fmt::Debug for $wrapper<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $source = self.0.as_ref();
                write_source($mime_type, $source, $text, f)
            }
        }
    )*};
}
sources! {
    Html: "text/html", source => beginning(source);
    Markdown: "text/markdown", source => source.to_owned();
    Latex: "text/latex", source => source.to_owned();
    Svg: "image/svg+xml", source => describe("image/svg", source.as_bytes());
}

/// The source, if it is not so long that nobody reads it.
fn beginning(source: &str) -> String {
    shortened(source, 2000).into_owned()
}

fn write_source(mime_type: &str, source: &str, text: String, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    fmt::Debug::fmt(&MimeBundle::new().with(mime_type, source).text(text), f)
}

impl<T: Serialize> fmt::Debug for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(serde_json::to_value(&self.0), f)
    }
}

fn write_json(value: serde_json::Result<serde_json::Value>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Ok(value) => fmt::Debug::fmt(&MimeBundle::new().text(format!("{value:#}")).json(value), f),
        Err(error) => write!(f, "<this value cannot be written as JSON: {error}>"),
    }
}

impl<B: AsRef<[u8]>> fmt::Debug for Png<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_picture("image/png", self.0.as_ref(), f)
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_picture(self.mime_type, &self.bytes, f)
    }
}

fn write_picture(mime_type: &str, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    fmt::Debug::fmt(&MimeBundle::new().binary(mime_type, bytes).text(describe(mime_type, bytes)), f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use serde_json::json;

    fn shown(value: &dyn fmt::Debug) -> serde_json::Value {
        json!(representations_of(value))
    }

    #[test]
    fn each_wrapper_has_its_type_and_plain_text() {
        assert_eq!(shown(&Html("<b>")), json!({"text/html": "<b>", "text/plain": "<b>"}));
        assert_eq!(shown(&Markdown("*a*".to_owned())), json!({"text/markdown": "*a*", "text/plain": "*a*"}));
        assert_eq!(shown(&Latex("$x$")), json!({"text/latex": "$x$", "text/plain": "$x$"}));
        assert_eq!(shown(&Svg("<svg/>")), json!({"image/svg+xml": "<svg/>", "text/plain": "SVG image, 6 bytes"}));
        assert_eq!(
            shown(&Json(vec![(1, "a")])),
            json!({"application/json": [[1, "a"]], "text/plain": "[\n  [\n    1,\n    \"a\"\n  ]\n]"})
        );
        let figure = crate::imshow(&ndarray::array![[1, 2]]).size(300, 200);
        for picture in [shown(&Png(figure.png())), shown(&Image::new(figure.png()))] {
            assert_eq!(picture["text/plain"], "PNG image, 300×200 pixels");
            assert!(picture["image/png"].as_str().unwrap().starts_with("iVBORw0KGgo"));
        }
    }

    #[test]
    fn what_cannot_be_shown_says_why() {
        let text = shown(&Json(std::collections::HashMap::from([((1, 2), 3)])))["text/plain"].to_string();
        assert!(text.contains("cannot be written as JSON: key must be a string"), "{text}");
        let error = Image::recognise(b"plain".to_vec(), "these bytes").unwrap_err().to_string();
        assert!(
            error.starts_with("Image: these bytes (5 bytes) cannot be read as a PNG, JPEG, GIF or WebP file; "),
            "{error}"
        );
        let error = Image::read("/nonexistent.png".as_ref()).unwrap_err().to_string();
        assert!(error.starts_with("Image: /nonexistent.png cannot be read: No such file"), "{error}");
    }
}
