//! Text as HTML.

/// Appends a text, so that it is text in an element and in an attribute with quotation marks.
pub fn escape(html: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let name = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        html.push_str(&text[from..at]);
        html.push_str(name);
        from = at + 1;
    }
    html.push_str(&text[from..]);
}

/// A text as HTML.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    escape(&mut html, text);
    html
}
