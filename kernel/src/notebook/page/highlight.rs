//! The colours of Rust code on a page, from the compiler's lexer, and of magics among the code. The code need not be valid.

use super::escape::escape;
use crate::magics::{self, Foreign};
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

const KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "type", "union", "unsafe", "use", "where", "while",
];

/// Types that begin with a small letter.
const TYPES: &[&str] = &[
    "bool", "char", "f16", "f32", "f64", "bf16", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

/// The classes of the spans, which `style.css` gives colours.
mod class {
    pub const ATTRIBUTE: &str = "a";
    pub const COMMENT: &str = "c";
    pub const KEYWORD: &str = "k";
    pub const LIFETIME: &str = "l";
    pub const MACRO: &str = "m";
    pub const NUMBER: &str = "n";
    pub const MAGIC: &str = "p";
    pub const STRING: &str = "s";
    pub const TYPE: &str = "t";
    pub const NONE: &str = "";
}

/// A cell with Rust as HTML.
pub fn cell(code: &str) -> String {
    let mut html = String::with_capacity(code.len() * 2);
    let mut at = 0;
    for (range, foreign) in magics::foreign(code) {
        rust_into(&mut html, &code[at..range.start]);
        let class = if foreign == Foreign::Magic { class::MAGIC } else { class::NONE };
        span(&mut html, class, &code[range.clone()]);
        at = range.end;
    }
    rust_into(&mut html, &code[at..]);
    html
}

fn span(html: &mut String, class: &str, text: &str) {
    if class.is_empty() || text.is_empty() {
        return escape(html, text);
    }
    html.push_str("<span class=\"");
    html.push_str(class);
    html.push_str("\">");
    escape(html, text);
    html.push_str("</span>");
}

fn rust_into(html: &mut String, code: &str) {
    let mut start = 0;
    let tokens: Vec<(TokenKind, &str)> = tokenize(code, FrontmatterAllowed::No)
        .map(|token| {
            let text = &code[start..][..token.len as usize];
            start += text.len();
            (token.kind, text)
        })
        .collect();
    let mut at = 0;
    while at < tokens.len() {
        let length = attribute(&tokens[at..]);
        if length > 0 {
            let text: String = tokens[at..at + length].iter().map(|(_, text)| *text).collect();
            span(html, class::ATTRIBUTE, &text);
            at += length;
            continue;
        }
        let (kind, text) = tokens[at];
        at += 1;
        let next = |index: usize| tokens.get(index).map(|(kind, _)| *kind);
        let is_call = kind == TokenKind::Ident
            && next(at) == Some(TokenKind::Bang)
            && next(at + 1) != Some(TokenKind::Eq)
            && !KEYWORDS.contains(&text);
        if is_call {
            at += 1;
            span(html, class::MACRO, &format!("{text}!"));
        } else {
            span(html, class_of(kind, text), text);
        }
    }
}

fn class_of(kind: TokenKind, text: &str) -> &'static str {
    match kind {
        TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => class::COMMENT,
        TokenKind::Literal { kind: LiteralKind::Int { .. } | LiteralKind::Float { .. }, .. } => class::NUMBER,
        // A quotation mark that is not closed, such as in the words of a person.
        TokenKind::Literal { kind: LiteralKind::Char { terminated: false }, .. } => class::NONE,
        TokenKind::Literal { .. } => class::STRING,
        TokenKind::Lifetime { .. } | TokenKind::RawLifetime => class::LIFETIME,
        TokenKind::Ident if KEYWORDS.contains(&text) => class::KEYWORD,
        TokenKind::Ident if TYPES.contains(&text) => class::TYPE,
        // `N` and `WIDTH` are constants or parameters of a type; they look like types, as in editors.
        TokenKind::Ident if text.starts_with(char::is_uppercase) => class::TYPE,
        _ => class::NONE,
    }
}

/// The number of tokens of the attribute at the start; 0 if there is none.
fn attribute(tokens: &[(TokenKind, &str)]) -> usize {
    let opening = match tokens {
        [(TokenKind::Pound, _), (TokenKind::OpenBracket, _), ..] => 1,
        [(TokenKind::Pound, _), (TokenKind::Bang, _), (TokenKind::OpenBracket, _), ..] => 2,
        _ => return 0,
    };
    let mut depth = 0;
    for (index, (kind, _)) in tokens.iter().enumerate().skip(opening) {
        match kind {
            TokenKind::OpenBracket => depth += 1,
            TokenKind::CloseBracket if depth == 1 => return index + 1,
            TokenKind::CloseBracket => depth -= 1,
            // It is not closed: the rest of the cell is not a part of it.
            TokenKind::Semi => return 0,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(code: &str, expected: Expect) {
        expected.assert_eq(&cell(code));
    }

    #[test]
    fn tokens_have_their_classes() {
        check(
            "#[kernel]\nfn add<'a>(x: &'a Array1<f32>, n: i32) -> bool { // it's <new>\n    println!(\"{}\", x != n); 'c' == '\\'' && 0x1f > 1.5e3\n}",
            expect![[r#"
                <span class="a">#[kernel]</span>
                <span class="k">fn</span> add&lt;<span class="l">&#39;a</span>&gt;(x: &amp;<span class="l">&#39;a</span> <span class="t">Array1</span>&lt;<span class="t">f32</span>&gt;, n: <span class="t">i32</span>) -&gt; <span class="t">bool</span> { <span class="c">// it&#39;s &lt;new&gt;</span>
                    <span class="m">println!</span>(<span class="s">&quot;{}&quot;</span>, x != n); <span class="s">&#39;c&#39;</span> == <span class="s">&#39;\&#39;&#39;</span> &amp;&amp; <span class="n">0x1f</span> &gt; <span class="n">1.5e3</span>
                }"#]],
        );
        check("#![allow(a[0])] x", expect![[r##"<span class="a">#![allow(a[0])]</span> x"##]]);
    }

    #[test]
    fn magics_have_a_class_and_the_rest_is_rust() {
        check(
            ":dep csv = \"1\"\n%timeit -n 5 let a = 1;\n!ls *.rs\nlet b = 7\n    % 4;",
            expect![[r#"
                <span class="p">:dep csv = &quot;1&quot;</span>
                <span class="p">%timeit</span> -n <span class="n">5</span> <span class="k">let</span> a = <span class="n">1</span>;
                <span class="p">!ls *.rs</span>
                <span class="k">let</span> b = <span class="n">7</span>
                    % <span class="n">4</span>;"#]],
        );
        check(
            "%%bash\nfor f in *; do echo $f; done",
            expect![[r#"
            <span class="p">%%bash</span>
            for f in *; do echo $f; done"#]],
        );
        check(
            "f?\n%nonsense x // y\n%%timeit\nf(1)?;",
            expect![[r#"
            <span class="p">f?</span>
            <span class="p">%nonsense x</span> <span class="c">// y</span>
            <span class="p">%%timeit</span>
            f(<span class="n">1</span>)?;"#]],
        );
    }

    #[test]
    fn text_that_is_not_rust_is_complete() {
        for code in [
            "</script><script>alert(1)</script>",
            "\"open",
            "r#\"open",
            "'",
            "/* open",
            "#[open",
            "é → \u{1f600} #\"",
            "a!b!",
            "%",
            "!",
        ] {
            let html = cell(code);
            let mut plain = String::new();
            let mut inside = false;
            for letter in html.chars() {
                match letter {
                    '<' => inside = true,
                    '>' => inside = false,
                    letter if !inside => plain.push(letter),
                    _ => {}
                }
            }
            let plain = plain
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&");
            assert_eq!(plain, code);
            assert!(!html.contains("<script"), "{html}");
        }
    }
}
