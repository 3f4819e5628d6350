//! Text as HTML.

/// Appends a text, so that it is text in an element and in an attribute with quotation marks.
pub fn escape(html: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        html.push_str(&rest[..at]);
        html.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    html.push_str(rest);
}

/// A text as HTML.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    escape(&mut html, text);
    html
}
