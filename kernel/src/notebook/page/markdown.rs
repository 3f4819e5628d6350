//! Markdown of a notebook as HTML.

use super::escape::{escape, escaped};
use super::formulas::{self, Formulas};
use super::highlight;
use super::links::Places;
use super::texts;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream, html};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What the texts of a page share.
#[derive(Default)]
pub struct Shared {
    pub formulas: Formulas,
    /// The texts that were linked to, by their paths from the notebook's folder.
    pub texts: Vec<PathBuf>,
    /// The identifiers of the headings.
    ids: HashSet<String>,
}

/// Where a text comes from.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    pub places: Places<'a>,
    /// The cell's identifier, which keeps the footnotes of cells apart.
    pub cell: &'a str,
    /// Whether code has made the text. HTML in it is shown as text then, so that it cannot end the element around it.
    pub is_output: bool,
    /// The path of the text that this is, if it is not a cell's but that of a file which a cell links to.
    pub text: Option<&'a Path>,
}

pub fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM
}

/// A Markdown text as HTML.
pub fn to_html(markdown: &str, origin: Origin<'_>, shared: &mut Shared) -> String {
    let markdown = formulas::on_one_line(markdown);
    let mut writer = Writer { origin, shared, events: Vec::new(), heading: None, links: 0, held: None };
    for event in TextMergeStream::new(Parser::new_ext(&markdown, options())) {
        writer.event(event);
    }
    let mut text = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut text, writer.events.into_iter());
    text
}

/// The headings of a Markdown text as plain text, with their levels.
pub fn headings(markdown: &str) -> Vec<(usize, String)> {
    let markdown = formulas::on_one_line(markdown);
    let mut found = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(&markdown, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(level)) => {
                found.push((level as usize, heading.take().unwrap_or_default().trim().to_owned()));
            }
            event => heading.iter_mut().for_each(|text| text.push_str(read(&event))),
        }
    }
    found
}

/// The addresses of the pictures that a Markdown text names.
pub fn pictures(markdown: &str) -> Vec<String> {
    let markdown = formulas::on_one_line(markdown);
    let events = Parser::new_ext(&markdown, options());
    let addresses = events.filter_map(|event| match event {
        Event::Start(Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    addresses.collect()
}

/// What a person reads of an event.
fn read<'e>(event: &'e Event<'_>) -> &'e str {
    match event {
        Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => text,
        Event::SoftBreak | Event::HardBreak => " ",
        _ => "",
    }
}

/// Changes the parser's events to those that are written.
struct Writer<'a, 't, 's> {
    origin: Origin<'a>,
    shared: &'s mut Shared,
    events: Vec<Event<'t>>,
    /// Where the current heading begins among the events, and what is read of it.
    heading: Option<(usize, String)>,
    /// The number of links and pictures around the place.
    links: usize,
    /// The text of a block of code with its language, or of HTML.
    held: Option<(Option<String>, String)>,
}

impl<'t> Writer<'_, 't, '_> {
    fn event(&mut self, event: Event<'t>) {
        if let Some((_, text)) = &mut self.heading {
            text.push_str(read(&event));
        }
        match event {
            Event::Start(Tag::CodeBlock(kind)) => self.held = Some((Some(language(&kind)), String::new())),
            Event::Start(Tag::HtmlBlock) => self.held = Some((None, String::new())),
            Event::Text(text) | Event::Html(text) if self.held.is_some() => {
                self.held.iter_mut().for_each(|(_, held)| held.push_str(&text));
            }
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => match self.held.take() {
                Some((Some(language), code)) => self.events.push(Event::Html(block(&language, &code).into())),
                Some((None, html)) => self.raw(&html),
                None => {}
            },
            Event::Html(html) | Event::InlineHtml(html) => self.raw(&html),
            Event::Text(text) if self.links == 0 => self.text(&text),
            Event::InlineMath(tex) => self.events.push(Event::InlineHtml(self.shared.formulas.inline(&tex).into())),
            Event::DisplayMath(tex) => self.events.push(Event::InlineHtml(self.shared.formulas.display(&tex).into())),
            Event::FootnoteReference(label) => self.events.push(Event::FootnoteReference(self.label(&label))),
            Event::Start(Tag::FootnoteDefinition(label)) => {
                let label = self.label(&label);
                self.events.push(Event::Start(Tag::FootnoteDefinition(label)));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                self.links += 1;
                let dest_url = match self.origin.places.picture(&dest_url) {
                    Some(address) => address.into(),
                    None => harmless(dest_url),
                };
                self.events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                self.links += 1;
                let dest_url = self.linked(&dest_url).map_or_else(|| harmless(dest_url), CowStr::from);
                self.events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::End(end @ (TagEnd::Link | TagEnd::Image)) => {
                self.links -= 1;
                self.events.push(Event::End(end));
            }
            Event::Start(tag @ Tag::Heading { .. }) => {
                self.heading = Some((self.events.len(), String::new()));
                self.events.push(Event::Start(tag));
            }
            Event::End(TagEnd::Heading(level)) => {
                self.end_heading();
                self.events.push(Event::End(TagEnd::Heading(level)));
            }
            event => self.events.push(event),
        }
    }

    /// HTML that the text contains.
    fn raw(&mut self, html: &str) {
        let is_break = ["<br>", "<br/>", "<br />"].contains(&html.trim());
        self.events.push(match self.origin.is_output && !is_break {
            true => Event::Text(html.to_owned().into()),
            false => Event::InlineHtml(self.origin.places.html(html).into()),
        });
    }

    /// Text outside of links, whose addresses become links.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, address, after)) = address(rest) {
            self.events.push(Event::Text(before.to_owned().into()));
            let dest_url: CowStr<'t> = address.to_owned().into();
            let (title, id) = ("".into(), "".into());
            self.events.push(Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url: dest_url.clone(),
                title,
                id,
            }));
            self.events.push(Event::Text(dest_url));
            self.events.push(Event::End(TagEnd::Link));
            rest = after;
        }
        self.events.push(Event::Text(rest.to_owned().into()));
    }

    /// The address of the page of a notebook, or of the section that a text gets.
    fn linked(&mut self, address: &str) -> Option<String> {
        let Origin { places, text, .. } = self.origin;
        if text.is_some() {
            // `texts.rs` has changed its links.
            return None;
        }
        places.page(address).or_else(|| {
            let (path, heading) = texts::text_at(&places, address)?;
            let address = format!("#{}", texts::anchor(&path, heading));
            if !self.shared.texts.contains(&path) {
                self.shared.texts.push(path);
            }
            Some(address)
        })
    }

    fn label(&self, label: &str) -> CowStr<'t> {
        format!("{}-{label}", self.origin.cell).into()
    }

    /// Gives the heading its identifier, as Jupyter does: its text with hyphens for spaces. In a text of its own, as GitHub does.
    fn end_heading(&mut self) {
        let Some((start, text)) = self.heading.take() else { return };
        let Some(Event::Start(Tag::Heading { id, .. })) = self.events.get_mut(start) else { return };
        let name = self.origin.text.map_or_else(|| text.trim().replace(' ', "-"), |_| texts::slug(&text));
        let mut unique = id.take().map_or(name, |given| given.to_string());
        if let Some(path) = self.origin.text {
            unique = texts::anchor(path, &unique);
        }
        let first = unique.clone();
        let mut number = 1;
        while !self.shared.ids.insert(unique.clone()) {
            number += 1;
            unique = format!("{first}-{number}");
        }
        *id = Some(unique.clone().into());
        if !unique.is_empty() {
            let mut link = String::from("<a class=\"anchor\" aria-label=\"Link to this heading\" href=\"#");
            escape(&mut link, &unique.replace('%', "%25"));
            self.events.push(Event::InlineHtml((link + "\">¶</a>").into()));
        }
    }
}

/// The first word behind a fence.
fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(info) => info.split([',', ' ', '{']).next().unwrap_or_default().to_ascii_lowercase(),
        CodeBlockKind::Indented => String::new(),
    }
}

fn block(language: &str, code: &str) -> String {
    let html = if matches!(language, "rust" | "rs") { highlight::cell(code) } else { escaped(code) };
    format!("<pre class=\"source\"><code>{html}</code></pre>\n")
}

/// The address of a link, unless it is a script.
fn harmless(address: CowStr<'_>) -> CowStr<'_> {
    let plain: String = address.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let scheme = plain.split([':', '/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let is_script = plain[scheme.len()..].starts_with(':') && matches!(scheme.as_str(), "javascript" | "vbscript");
    if is_script { "".into() } else { address }
}

/// The first address in a text, with what is before it and behind it.
fn address(text: &str) -> Option<(&str, &str, &str)> {
    let (start, length) = text.match_indices("http").find_map(|(at, _)| {
        let is_inside = text[..at].ends_with(|c: char| c.is_alphanumeric());
        let rest = &text[at..];
        let scheme =
            ["https://", "http://"].into_iter().find(|scheme| rest.starts_with(scheme)).filter(|_| !is_inside)?;
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`')).unwrap_or(rest.len());
        let mut address = rest[..end].trim_end_matches(['.', ',', ':', ';', '!', '?', '\'', '*', '_']);
        if address.ends_with(')') && !address.contains('(') {
            address = address.trim_end_matches(')').trim_end_matches('.');
        }
        (address.len() > scheme.len()).then_some((at, address.len()))
    })?;
    Some((&text[..start], &text[start..start + length], &text[start + length..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn html_of(markdown: &str, is_output: bool) -> String {
        let places = Places { folder: Path::new("/nowhere"), attachments: None };
        to_html(markdown, Origin { places, cell: "a", is_output, text: None }, &mut Shared::default())
    }

    fn check(markdown: &str, expected: Expect) {
        expected.assert_eq(&html_of(markdown, false));
    }

    #[test]
    fn texts_of_lessons_are_shown() {
        check(
            "# Two `words` $x$\n\n## Two\n## Two\n## Own {#mine}\n\n- [x] done\n- [ ] ~~not~~\n\n| a | b |\n|---|--:|\n| 1 | $|x|$ |\n",
            expect![[r##"
                <h1 id="Two-words-x">Two <code>words</code> <math><mi>x</mi></math><a class="anchor" aria-label="Link to this heading" href="#Two-words-x">¶</a></h1>
                <h2 id="Two">Two<a class="anchor" aria-label="Link to this heading" href="#Two">¶</a></h2>
                <h2 id="Two-2">Two<a class="anchor" aria-label="Link to this heading" href="#Two-2">¶</a></h2>
                <h2 id="mine">Own<a class="anchor" aria-label="Link to this heading" href="#mine">¶</a></h2>
                <ul>
                <li><input disabled="" type="checkbox" checked=""/>
                done</li>
                <li><input disabled="" type="checkbox"/>
                <del>not</del></li>
                </ul>
                <table><thead><tr><th>a</th><th style="text-align: right">b</th></tr></thead><tbody>
                <tr><td>1</td><td style="text-align: right"><math><mo stretchy="false" lspace="0" rspace="0">|</mo><mi>x</mi><mo stretchy="false" lspace="0" rspace="0">|</mo><mrow></mrow></math></td></tr>
                </tbody></table>
            "##]],
        );
        check(
            "```rust\nlet a = \"<b>\";\n```\n\n```python\n# <b>\n```\n\n    indented < code\n",
            expect![[r#"
            <pre class="source"><code><span class="k">let</span> a = <span class="s">&quot;&lt;b&gt;&quot;</span>;
            </code></pre>
            <pre class="source"><code># &lt;b&gt;
            </code></pre>
            <pre class="source"><code>indented &lt; code
            </code></pre>
        "#]],
        );
        check(
            "A note[^1], see https://a.b/c_d?e=1&f. <details><summary>More</summary>\n\n**bold**\n\n</details>\n\n[^1]: Here.",
            expect![[r##"
            <p>A note<sup class="footnote-reference"><a href="#a-1">1</a></sup>, see <a href="https://a.b/c_d?e=1&amp;f">https://a.b/c_d?e=1&amp;f</a>. <details><summary>More</summary></p>
            <p><strong>bold</strong></p>
            </details>
            <div class="footnote-definition" id="a-1"><sup class="footnote-definition-label">1</sup>
            <p>Here.</p>
            </div>
        "##]],
        );
        check(
            "> [!NOTE]\n> Read this.\n\n[a](javascript:alert(1)) [b](#Two-words) ![c](none.png \"d\")",
            expect![[r##"
            <blockquote class="markdown-alert-note">
            <p>Read this.</p>
            </blockquote>
            <p><a href="">a</a> <a href="#Two-words">b</a> <img src="none.png" alt="c" title="d" /></p>
        "##]],
        );
    }

    #[test]
    fn html_in_outputs_is_text() {
        expect![[r#"
            &lt;/div&gt;&lt;script&gt;alert(1)&lt;/script&gt;
            <p>a<br>b &lt;b&gt;c</p>
            <pre class="source"><code>&lt;/pre&gt;</code></pre>
        "#]]
        .assert_eq(&html_of("</div><script>alert(1)</script>\n\na<br>b <b>c\n\n```\n</pre>", true));
    }

    #[test]
    fn headings_are_found() {
        assert_eq!(
            headings("text\n## A `b` *c*\n```\n# no\n```\n# D &amp; e"),
            [(2, "A b c".to_owned()), (1, "D & e".to_owned())]
        );
    }
}
