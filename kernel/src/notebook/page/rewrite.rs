//! Markdown for another program that makes pages of it: formulas become MathML, so that it needs no script for them, and links are
//! changed or taken out.

use super::formulas::{self, Formulas};
use super::markdown::options;
use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// A Markdown text with its formulas as MathML. `link` gets the address of each link and gives the one to write. If it gives none, the
/// text of the link stays without it.
pub fn rewritten(markdown: &str, link: &(dyn Fn(&str) -> Option<String> + Sync)) -> String {
    let markdown = formulas::on_one_line(markdown);
    let changes = formulas::with_room(|| changes(&markdown, link));
    let (mut text, mut from) = (String::with_capacity(markdown.len()), 0);
    for (range, new) in changes {
        text.push_str(&markdown[from..range.start]);
        text.push_str(&new);
        from = range.end;
    }
    text.push_str(&markdown[from..]);
    text
}

/// The parts of a text that change, and what stands there then, in their order.
fn changes(markdown: &str, link: &dyn Fn(&str) -> Option<String>) -> Vec<(Range<usize>, String)> {
    let mut formulas = Formulas::default();
    let mut changes = Vec::new();
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        match event {
            Event::InlineMath(tex) => changes.push((range, without_markdown(&formulas.inline(&tex)))),
            Event::DisplayMath(tex) => changes.push((range, without_markdown(&formulas.display(&tex)))),
            Event::Start(Tag::Link { dest_url, .. }) => {
                // A link by a reference, or an address in `<>`, leads out of the text's folder.
                let Some(middle) = markdown[range.clone()].rfind("](").map(|at| range.start + at) else { continue };
                match link(&dest_url) {
                    Some(new) if *new == *dest_url => {}
                    Some(new) => changes.push((middle..range.end, format!("]({new})"))),
                    None => changes
                        .extend([(range.start..range.start + 1, String::new()), (middle..range.end, String::new())]),
                }
            }
            _ => {}
        }
    }
    changes.sort_by_key(|(range, _)| range.start);
    changes
}

/// HTML in which the signs between tags are not Markdown's: `<mo>*</mo>` is no emphasis.
fn without_markdown(html: &str) -> String {
    let (mut text, mut is_tag) = (String::with_capacity(html.len()), false);
    for sign in html.chars() {
        match sign {
            '<' => is_tag = true,
            '>' => is_tag = false,
            // `&lt;` has its own meaning.
            '&' | ';' | '#' => {}
            _ if !is_tag && sign.is_ascii_punctuation() => {
                text += &format!("&#{};", u32::from(sign));
                continue;
            }
            _ => {}
        }
        text.push(sign);
    }
    text
}

/// A text that Markdown shows as it is, also in a table.
pub fn literal(text: &str) -> String {
    let sign = |sign: char| match sign {
        '\n' => " ".to_owned(),
        _ if sign.is_ascii_punctuation() => format!("&#{};", u32::from(sign)),
        _ => sign.to_string(),
    };
    text.chars().map(sign).collect()
}

/// The path to which a relative address on a page leads. Paths begin at the same folder, and addresses that lead out of it have none.
/// The heading that an address names stays.
pub fn resolved(page: &str, address: &str) -> Option<String> {
    let (file, heading) = address.split_at(address.find('#').unwrap_or(address.len()));
    let mut path: Vec<&str> = page.split('/').collect();
    path.pop();
    for part in file.split('/') {
        match part {
            ".." => drop(path.pop()?),
            "." | "" => {}
            part => path.push(part),
        }
    }
    Some(path.join("/") + heading)
}

/// The addresses of the links and pictures of a Markdown text.
#[cfg(test)]
pub fn addresses(markdown: &str) -> Vec<String> {
    let events = Parser::new_ext(markdown, options());
    let addresses = events.filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    addresses.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_change_or_go_and_code_stays() {
        let link = |address: &str| match address {
            "a.md" => Some("b.md".to_owned()),
            "gone.md" => None,
            other => Some(other.to_owned()),
        };
        let text = "[One `x`](a.md), [two *words*](gone.md) and [three](c.md#part).\n\n```text\n[One](a.md) $x$\n```\n";
        let expected = "[One `x`](b.md), two *words* and [three](c.md#part).\n\n```text\n[One](a.md) $x$\n```\n";
        assert_eq!(rewritten(text, &link), expected);
        assert_eq!(rewritten("A [text] (in brackets)", &link), "A [text] (in brackets)");
    }

    #[test]
    fn formulas_become_mathml_whose_signs_are_not_markdown() {
        let text = rewritten("So $f(a)$ is\n\n$$\n\\sum_i x_i\n$$\n\nin all.", &|address| Some(address.to_owned()));
        assert!(!text.contains('$') && text.matches("<math").count() == 2, "{text}");
        assert!(!text.contains('(') && text.contains(">&#40;</mo>"), "{text}");
        assert!(text.starts_with("So <math") && text.ends_with("\n\nin all."), "{text}");
    }

    #[test]
    fn addresses_lead_to_paths() {
        for (address, expected) in [
            ("b.md", Some("a/b/b.md")),
            ("../b.md#x", Some("a/b.md#x")),
            (".././../b.md", Some("b.md")),
            ("../../../b.md", None),
            ("c/", Some("a/b/c")),
        ] {
            assert_eq!(resolved("a/b/page.md", address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn a_literal_text_has_no_marks() {
        assert_eq!(literal("a | `b`\n<c>"), "a &#124; &#96;b&#96; &#60;c&#62;");
    }
}
