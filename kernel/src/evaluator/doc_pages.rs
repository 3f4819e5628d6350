//! Documentation as a notebook shows it: the names that a cell has for the prelude, examples as one types them, and
//! coloured code. rust-analyzer gives it as plain text and as HTML.

use ra_ap_parser::{Edition, LexedStr, SyntaxKind};

const RESET: &str = "\u{1b}[0m";

/// What a token of code is, for its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Keyword,
    Text,
    Number,
    Comment,
    Plain,
}

impl Role {
    fn of(kind: SyntaxKind) -> Role {
        match kind {
            SyntaxKind::STRING | SyntaxKind::CHAR | SyntaxKind::BYTE_STRING | SyntaxKind::C_STRING => Role::Text,
            SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => Role::Number,
            SyntaxKind::COMMENT => Role::Comment,
            kind if kind.is_keyword(Edition::Edition2024) => Role::Keyword,
            _ => Role::Plain,
        }
    }

    /// The colour for a terminal. It is readable on light and dark ground.
    fn ansi(self) -> Option<&'static str> {
        match self {
            Role::Keyword => Some("\u{1b}[35m"),
            Role::Text => Some("\u{1b}[32m"),
            Role::Number => Some("\u{1b}[36m"),
            Role::Comment => Some("\u{1b}[2m"),
            Role::Plain => None,
        }
    }

    /// The colour of JupyterLab's editor, which follows the theme, and one for other front ends.
    fn css(self) -> Option<&'static str> {
        match self {
            Role::Keyword => Some("var(--jp-mirror-editor-keyword-color, #a626a4)"),
            Role::Text => Some("var(--jp-mirror-editor-string-color, #50a14f)"),
            Role::Number => Some("var(--jp-mirror-editor-number-color, #0b7f8a)"),
            Role::Comment => Some("var(--jp-mirror-editor-comment-color, #7f848e)"),
            Role::Plain => None,
        }
    }
}

/// Code with `colour` around its tokens.
fn coloured(code: &str, colour: impl Fn(Role, &str) -> String) -> String {
    let tokens = LexedStr::new(Edition::Edition2024, code);
    (0..tokens.len()).map(|index| colour(Role::of(tokens.kind(index)), tokens.text(index))).collect()
}

fn ansi(code: &str) -> String {
    coloured(code, |role, text| match role.ansi() {
        Some(colour) => format!("{colour}{text}{RESET}"),
        None => text.to_owned(),
    })
}

fn html(code: &str) -> String {
    coloured(code, |role, text| match role.css() {
        Some(colour) => format!("<span style=\"color: {colour}\">{}</span>", escaped(text)),
        None => escaped(text),
    })
}

/// Text for HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Code as one types it in a cell: a cell has the prelude as `gpu`, and its imports.
fn typed(code: &str) -> String {
    let is_typed = |line: &&str| {
        let text = line.trim();
        !(text == "#" || text.starts_with("# ") || text.starts_with("use warpcell"))
    };
    let lines: Vec<&str> = code.lines().filter(is_typed).collect();
    lines.join("\n").trim_start_matches('\n').replace("warpcell::", "gpu::")
}

/// The page in plain text and in HTML.
pub struct Page {
    pub plain: String,
    pub html: String,
}

impl Page {
    /// From what rust-analyzer says.
    pub fn new(plain: &str, page: &str) -> Page {
        let (mut new_plain, mut new_html) = (plain.to_owned(), String::new());
        let mut rest = page;
        while let Some(at) = rest.find("<pre><code") {
            let Some(start) = rest[at..]
                .find("\">")
                .map(|length| at + length + 2)
                .filter(|_| rest[at..].starts_with("<pre><code "))
                .or(Some(at + "<pre><code>".len()))
            else {
                break;
            };
            let Some(end) = rest[start..].find("</code></pre>").map(|length| start + length) else { break };
            new_html += &rest[..at];
            let code = unescaped(&rest[start..end]);
            rest = &rest[end + "</code></pre>".len()..];
            let is_signature = page[..page.len() - rest.len()].matches("<hr").count() == 0;
            // The path of the module is of the prelude's inside or of evcxr's, where no cell gets.
            if is_signature && (code.starts_with("warpcell") || code.trim_end() == "ctx") && !code.contains(' ') {
                new_plain = new_plain.replacen(code.trim_end(), "", 1).trim_start().to_owned();
                continue;
            }
            let shown = typed(&code).replace("    // Bounds from impl:\n", "");
            new_html += &format!("<pre><code class=\"language-rust\">{}\n</code></pre>", html(shown.trim_end()));
            if !is_signature {
                new_plain = new_plain.replacen(code.trim_end(), &ansi(shown.trim_end()), 1);
            }
        }
        new_html += rest;
        // Between the bounds rust-analyzer writes a comment.
        const BOUNDS: &str = "    // Bounds from impl:\n";
        let new_plain = new_plain.replace("warpcell::", "gpu::").replace(BOUNDS, "");
        Page { plain: new_plain, html: without_links(new_html.trim_start()) }
    }

    /// The signature and the first paragraph.
    pub fn short(&self) -> Page {
        // Behind the signature there is a rule in HTML, and in the plain text two empty lines. What the parameters of
        // types are stands between two of them.
        let is_of_types =
            |text: &&str| text.trim_start_matches(['\n', ' ']).starts_with("<p><code>") && text.contains("</code> = ");
        let mut parts = self.html.split("<hr />");
        let head = parts.next().unwrap_or_default();
        let paragraph = parts.find(|part| !is_of_types(part)).map(|text| {
            let text = text.trim_start();
            text.find("</p>").map_or(text, |end| &text[..end + "</p>".len()])
        });
        let html = format!("{head}{}", paragraph.unwrap_or_default());
        let is_of_types =
            |text: &&str| text.lines().next().is_some_and(|line| line.split(" = ").next().is_some_and(is_parameter));
        let mut parts = self.plain.split("\n\n\n").map(str::trim_start);
        let head = parts.next().unwrap_or_default().trim_end();
        let paragraph = parts.find(|part| !part.is_empty() && !is_of_types(part));
        let plain = match paragraph.and_then(|text| text.split("\n\n").next()) {
            Some(text) => format!("{head}\n\n{}", text.trim_end()),
            None => head.to_owned(),
        };
        Page { plain, html }
    }

    /// Whether there is more than the signature.
    pub fn is_explained(&self) -> bool {
        self.html.contains("<hr />")
    }

    /// The page with the documentation of another page below the signature.
    pub fn explained_by(self, other: &Page) -> Page {
        let html = other.html.split_once("<hr />").map_or("", |(_, text)| text);
        let plain = other.plain.split_once("\n\n\n").map_or("", |(_, text)| text);
        Page { plain: format!("{}\n\n\n{plain}", self.plain.trim_end()), html: format!("{}<hr />{html}", self.html) }
    }

    /// Both pages, one below the other.
    pub fn with(self, other: Page) -> Page {
        Page { plain: format!("{}\n\n{}", self.plain.trim_end(), other.plain), html: self.html + &other.html }
    }
}

/// Whether a text is the name of a parameter of types.
fn is_parameter(text: &str) -> bool {
    text.len() < 3 && text.starts_with(|first: char| first.is_ascii_uppercase())
}

/// HTML without links to pages that do not exist: the prelude is not on docs.rs.
fn without_links(html: &str) -> String {
    const START: &str = "<a href=\"https://docs.rs/warpcell";
    let mut result = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(START) {
        result += &rest[..at];
        let link = &rest[at..];
        let (Some(text), Some(end)) = (link.find('>'), link.find("</a>")) else { break };
        result += &link[text + 1..end];
        rest = &link[end + "</a>".len()..];
    }
    result + rest
}

/// Macros, which rust-analyzer does not explain: how they are called, and what they do.
const MACROS: [(&str, &str, &str); 9] = [
    (
        "s!",
        "s![1..3, .., ..;2, -1, NewAxis]",
        "The part along each axis: a range, a range with a step, one index, or a new axis. Negative numbers count from the end. `m.slice(s![1..-1, ..;2])` is NumPy's `m[1:-1, ::2]`.",
    ),
    (
        "gpu::set!",
        "gpu::set!(a[1..-1, 0] = value), also += -= *= /=",
        "Writes into a part of an array: ranges, one index, a mask (`a[&mask] = 0.0`), or places (`a[&rows, ..] += 1.0`).",
    ),
    (
        "fuse!",
        "fuse!(|x: f64, y: f64| (x - y) * y)",
        "A formula for `gpu::map`, which computes it for all elements in one pass.",
    ),
    (
        "println!",
        "println!(\"{a} {:.2}\", x)",
        "Prints a text and a new line. `{a}` is a variable, `{}` the next argument, `{:.2}` has two decimal places, `{:?}` shows lists.",
    ),
    ("print!", "print!(\"{a} {:.2}\", x)", "Prints a text without a new line."),
    ("format!", "format!(\"{a} {:.2}\", x)", "A `String` with values in it, written as for `println!`."),
    ("vec!", "vec![1, 2, 3], vec![0.0; 100]", "A `Vec` of these elements, or of one element many times."),
    ("assert!", "assert!(condition, \"what is wrong: {x}\")", "Panics if the condition is false."),
    ("assert_eq!", "assert_eq!(left, right)", "Panics if both are not equal, and shows both."),
];

/// The page of a macro.
pub fn of_macro(name: &str) -> Option<Page> {
    let name = name.strip_prefix("ndarray::").unwrap_or(name);
    let (_, form, text) =
        MACROS.iter().find(|(known, ..)| *known == name || known.strip_prefix("gpu::") == Some(name))?;
    let mut is_code = false;
    let mut marked = String::new();
    for part in text.split('`') {
        marked += &if is_code { format!("<code>{}</code>", escaped(part)) } else { escaped(part) };
        is_code = !is_code;
    }
    Some(Page {
        plain: format!("{form}\n\n{text}"),
        html: format!("<pre><code class=\"language-rust\">{}\n</code></pre><p>{marked}</p>", html(form)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "warpcell::array\n\npub fn ones(n: usize) -> f64\n\n\nAll ones, see zeros.\n\nMore.\n\nlet a = warpcell::ones(3); // three";
    const HTML: &str = "<pre><code class=\"language-rust\">warpcell::array\n</code></pre>\n<pre><code class=\"language-rust\">pub fn ones(n: usize) -&gt; f64\n</code></pre>\n<hr />\n<p>All ones, see <a href=\"https://docs.rs/warpcell/0/zeros\">zeros</a>.</p>\n<p>More.</p>\n<pre><code>let a = warpcell::ones(3); // three\n</code></pre>\n";

    #[test]
    fn examples_are_as_one_types_them() {
        assert_eq!(
            typed("use warpcell::prelude::*;\n# let h = 1;\n#\nlet a = warpcell::ones(3);"),
            "let a = gpu::ones(3);"
        );
        let page = Page::new(PLAIN, HTML);
        assert!(page.plain.starts_with("pub fn ones(n: usize) -> f64\n"), "{}", page.plain);
        assert!(page.plain.contains("\u{1b}[35mlet\u{1b}[0m a = gpu::ones(\u{1b}[36m3\u{1b}[0m)"), "{}", page.plain);
        assert!(page.html.contains("gpu::ones(<span") && !page.html.contains("warpcell"), "{}", page.html);
        assert!(page.html.contains("keyword-color, #a626a4)\">let</span>"), "{}", page.html);
    }

    #[test]
    fn a_short_page_has_the_signature_and_the_first_paragraph() {
        let page = Page::new(PLAIN, HTML).short();
        assert_eq!(page.plain, "pub fn ones(n: usize) -> f64\n\nAll ones, see zeros.");
        assert!(page.html.ends_with("<p>All ones, see zeros.</p>"), "{}", page.html);
    }

    #[test]
    fn macros_have_pages() {
        assert!(of_macro("set!").is_some() && of_macro("gpu::set!").is_some() && of_macro("ndarray::s!").is_some());
        assert!(of_macro("unknown!").is_none());
        assert!(of_macro("s!").unwrap().html.contains("<code>m.slice(s![1..-1, ..;2])</code>"));
    }
}
