//! Pages of notebooks that are written here: no kernel runs.

use super::*;
use crate::notebook::parse;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// One white pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==";

fn markdown(text: &str) -> Value {
    json!({ "cell_type": "markdown", "id": "words", "source": text, "metadata": {} })
}

fn code(source: &str, metadata: Value, outputs: Value) -> Value {
    let id = "show";
    json!({ "cell_type": "code", "id": id, "source": source, "metadata": metadata, "outputs": outputs, "execution_count": 3 })
}

fn stream(name: &str, text: &str) -> Value {
    json!({ "output_type": "stream", "name": name, "text": text })
}

fn display(data: Value) -> Value {
    json!({ "output_type": "display_data", "data": data, "metadata": {} })
}

fn notebook(cells: Value) -> Notebook {
    let metadata = json!({ "language_info": { "name": "rust" } });
    parse(&json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells }).to_string()).unwrap()
}

/// What is between the tags of the page's body.
fn body(cells: Value) -> String {
    let page = page(&notebook(cells), Path::new("/nowhere"));
    let start = page.find("<main>\n").unwrap() + "<main>\n".len();
    page[start..page.rfind("</main>").unwrap()].to_owned()
}

/// The cell that shows one output.
fn check(output: Value, expected: Expect) {
    expected.assert_eq(&body(json!([code("x", json!({}), json!([output]))])));
}

#[test]
fn a_page_needs_no_network() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other.ipynb"), "{}").unwrap();
    let text = "# A lesson <1>\n\nWith $\\frac{1}{\\sigma}$, and [another](other.ipynb).";
    let picture = display(json!({ "image/png": PNG, "text/plain": "picture" }));
    let cells =
        json!([markdown(text), code("gpu::imshow(&a);", json!({}), json!([picture, stream("stdout", "printed\n")]))]);
    let page = page(&notebook(cells), folder.path());
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"), "{page}");
    assert!(page.contains("<title>A lesson &lt;1&gt;</title>") && page.contains("printed"));
    assert!(page.contains("<mfrac>") && page.contains("href=\"other.html\""));
    assert!(page.contains(&format!("<img src=\"data:image/png;base64,{PNG}\" alt=\"Picture of the cell show\">")));
    for loaded in ["<script", "<link", "<iframe", "src=\"http", "@import", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
}

#[test]
fn the_first_heading_is_the_title() {
    let title = |cells: Value| title(&notebook(cells));
    assert_eq!(title(json!([markdown("## Before"), code("# no", json!({}), json!([]))])).as_deref(), Some("Before"));
    let both = json!({ "cell_type": "markdown", "id": "b", "source": ["```\n", "# code\n", "```\n", "# The `real` one"], "metadata": {} });
    assert_eq!(title(json!([markdown("## Before"), both])).as_deref(), Some("The real one"));
    assert_eq!(title(json!([code("1", json!({}), json!([]))])), None);
}

#[test]
fn a_cell_has_its_number_and_its_code() {
    expect![[r#"
        <section class="cell text" id="cell-words">
        <div class="words">
        <p>Some <em>words</em>.</p>
        </div>
        </section>
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code><span class="k">let</span> a = <span class="s">&quot;&lt;/script&gt;&quot;</span>;</code></pre>
        </section>
    "#]].assert_eq(&body(json!([markdown("Some *words*."), code("let a = \"</script>\";\n", json!({}), json!([]))])));
    let mut empty = code(" ", json!({}), json!([]));
    empty["execution_count"] = Value::Null;
    assert_eq!(body(json!([empty])), "");
    empty["source"] = json!("a");
    assert!(body(json!([empty])).contains("[ ]:"));
}

#[test]
fn outputs_show_their_richest_kind() {
    let all = json!({
        "text/html": "<b>html</b>", "image/svg+xml": "<svg/>", "image/png": PNG, "text/markdown": "*a*", "text/latex": "$x$",
        "application/json": {}, "text/plain": "plain",
    });
    check(
        display(all),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output html"><b>html</b></div>
        </section>
    "#]],
    );
    check(
        display(json!({ "image/svg+xml": "<svg></svg></div><script>", "image/png": PNG })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output picture"><img src="data:image/svg+xml;base64,PHN2Zz48L3N2Zz48L2Rpdj48c2NyaXB0Pg==" alt="Picture of the cell show"></div>
        </section>
    "#]],
    );
    check(
        display(json!({ "image/gif": "AA\"><script>", "text/plain": "a" })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output picture"><img src="data:image/gif;base64,AAscript" alt="Picture of the cell show"></div>
        </section>
    "#]],
    );
    check(
        display(json!({ "text/markdown": "a **b** </div><script>", "text/latex": "$x$" })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output words"><p>a <strong>b</strong> &lt;/div&gt;&lt;script&gt;</p>
        </div>
        </section>
    "#]],
    );
    check(
        display(json!({ "text/latex": "$$x < y$$", "application/json": {} })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output words"><span class="formula"><math display="block"><mi>x</mi><mo>&lt;</mo><mi>y</mi></math></span></div>
        </section>
    "#]],
    );
    check(
        display(json!({ "application/json": { "a": ["</pre>", 1] }, "text/plain": "plain" })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output plain"><pre>
        {
          &quot;a&quot;: [
            &quot;&lt;/pre&gt;&quot;,
            1
          ]
        }</pre></div>
        </section>
    "#]],
    );
    check(
        display(json!({ "text/plain": "\u{1b}[1ma\u{1b}[0m < b" })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output plain"><pre>
        <span class="ansi-bold">a</span> &lt; b</pre></div>
        </section>
    "#]],
    );
    check(
        display(json!({ "application/javascript": "alert(1)" })),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output note"><p>An output that a page cannot show: application/javascript</p></div>
        </section>
    "#]],
    );
    check(
        display(json!({})),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        </section>
    "#]],
    );
}

#[test]
fn pictures_have_the_size_of_their_metadata() {
    let data = json!({ "image/png": PNG });
    let sized = json!({ "output_type": "execute_result", "execution_count": 3, "data": data, "metadata": { "image/png": { "width": 300, "height": 200.4 } } });
    check(
        sized,
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="prompt">[3]:</div><div class="output picture"><img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==" alt="Picture of the cell show" width="300" height="200"></div>
        </section>
    "#]],
    );
    let hostile =
        json!({ "output_type": "display_data", "data": data, "metadata": { "width": "\"><script>", "height": -1 } });
    assert!(!body(json!([code("x", json!({}), json!([hostile]))])).contains("script"));
}

#[test]
fn texts_and_errors_are_as_a_terminal_shows_them() {
    let outputs = json!([stream("stdout", "10 %\r"), stream("stdout", "100 %\n"), stream("stderr", "a </pre> b")]);
    expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output stdout"><pre>
        100 %
        </pre></div>
        <div class="output stderr"><pre>
        a &lt;/pre&gt; b</pre></div>
        </section>
    "#]]
    .assert_eq(&body(json!([code("x", json!({}), outputs)])));
    let error = |traceback: Value| json!({ "output_type": "error", "ename": "Error", "evalue": "of <b>", "traceback": traceback });
    check(
        error(json!(["\u{1b}[31mcannot add\u{1b}[0m", "a & b"])),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output error"><pre>
        <span class="ansi-1">cannot add</span>
        a &amp; b</pre></div>
        </section>
    "#]],
    );
    check(
        error(json!([])),
        expect![[r#"
        <section class="cell code" id="cell-show">
        <div class="prompt">[3]:</div><pre class="source"><code>x</code></pre>
        <div class="output error"><pre>
        Error: of &lt;b&gt;</pre></div>
        </section>
    "#]],
    );
}

#[test]
fn what_is_hidden_can_be_opened_and_what_is_removed_is_not_there() {
    let one = |metadata: Value| body(json!([code("source()", metadata, json!([stream("stdout", "printed")]))]));
    let folded = |name: &str| format!("<details class=\"folded\"><summary>{name}</summary>");
    for metadata in [json!({ "jupyter": { "source_hidden": true } }), json!({ "tags": ["hide-input"] })] {
        let html = one(metadata);
        assert!(
            html.contains(&folded("Code")) && !html.contains(&folded("Output")) && html.contains("source()"),
            "{html}"
        );
    }
    for metadata in [
        json!({ "jupyter": { "outputs_hidden": true } }),
        json!({ "tags": ["hide-output"] }),
        json!({ "collapsed": true }),
    ] {
        let html = one(metadata);
        assert!(
            html.contains(&folded("Output")) && !html.contains(&folded("Code")) && html.contains("printed"),
            "{html}"
        );
    }
    assert_eq!(one(json!({ "tags": ["other", "remove-cell"] })), "");
    assert!(!one(json!({ "tags": ["remove-input"] })).contains("source()"));
    assert!(!one(json!({ "tags": ["remove-output"] })).contains("printed"));
}

#[test]
fn pictures_in_a_cell_and_raw_cells_are_shown() {
    let mut text = markdown("![A dot](attachment:dot.png \"Title\")");
    text["attachments"] = json!({ "dot.png": { "image/png": PNG } });
    assert!(
        body(json!([text]))
            .contains(&format!("<img src=\"data:image/png;base64,{PNG}\" alt=\"A dot\" title=\"Title\" />"))
    );
    let raw = |metadata: Value| {
        body(json!([{ "cell_type": "raw", "id": "r", "source": "<i>raw</i>", "metadata": metadata }]))
    };
    assert!(raw(json!({})).contains("<pre>\n&lt;i&gt;raw&lt;/i&gt;</pre>"));
    assert!(raw(json!({ "raw_mimetype": "text/html" })).contains("<i>raw</i>"));
}

#[test]
fn texts_that_are_linked_to_are_a_part_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("more")).unwrap();
    let terms = "# Terms\n\n### Memory pool, *pinned*\n\nSee [host](#host), [the rest](more/rest.md#x), [the site](https://a.b) and \
                 [a file](none.md).\n\n### Host\n";
    std::fs::write(folder.path().join("terms.md"), terms).unwrap();
    std::fs::write(folder.path().join("more/rest.md"), "# Rest\n\n[Terms](../terms.md)").unwrap();
    std::fs::write(folder.path().join("unnamed.md"), "# Not linked to").unwrap();
    let text = "# Host\n\nThe [pool](terms.md#memory-pool-pinned), [again](./terms.md), [more](more/rest.md), [none](none.md), \
                [out](../terms.md).";
    let page = page(&notebook(json!([markdown(text)])), folder.path());
    for part in [
        "<a href=\"#terms.md:memory-pool-pinned\">pool</a>, <a href=\"#terms.md\">again</a>, <a href=\"#more/rest.md\">more</a>",
        "<a href=\"none.md\">none</a>, <a href=\"../terms.md\">out</a>",
        "<section class=\"cell linked\" id=\"terms.md\">",
        "<h3 id=\"terms.md:memory-pool-pinned\">",
        "<h3 id=\"terms.md:host\">",
        "<h1 id=\"Host\">",
        "See <a href=\"#terms.md:host\">host</a>, <a href=\"#more/rest.md:x\">the rest</a>, <a href=\"https://a.b\">the site</a> and a file.",
        "<a href=\"#terms.md\">Terms</a>",
    ] {
        assert!(page.contains(part), "{part}\n{}", &page[page.find("<main>").unwrap()..]);
    }
    assert_eq!(page.matches("class=\"cell linked\"").count(), 2);
    assert!(!page.contains("Not linked to"));
}

#[test]
fn pictures_go_with_a_copy_of_a_notebook() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    for (name, text) in [("from/figures/a.svg", "new"), ("from/b.svg", "new"), ("to/b.svg", "old"), ("c.svg", "beside")]
    {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let text = "![A](figures/a.svg) ![B](b.svg) ![C](../c.svg) ![D](none.svg) $x$ [no picture](figures/a.svg)";
    let in_code = code("// ![A](figures/a.svg)", json!({}), json!([]));
    carry_pictures(&notebook(json!([in_code, markdown(text)])), &from, &to).unwrap();
    let read = |name: &str| std::fs::read_to_string(to.join(name)).ok();
    assert_eq!(read("figures/a.svg").as_deref(), Some("new"));
    assert_eq!(read("b.svg").as_deref(), Some("old"), "what is there stays");
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 2);
    carry_pictures(&notebook(json!([in_code])), &from, &folder.path().join("none")).unwrap();
    assert!(!folder.path().join("none").exists());
}

#[test]
fn other_languages_are_not_coloured_as_rust() {
    let page_of = |source: &str| {
        let mut python = notebook(json!([code(source, json!({}), json!([]))]));
        python.metadata.language_info.as_mut().unwrap().name = "python".to_owned();
        page(&python, Path::new("/nowhere"))
    };
    assert!(page_of("import a # 'b\n").contains("<code>import a # &#39;b</code>"));
    assert!(page_of("%%rust\nlet a = 1;").contains("<span class=\"k\">let</span>"));
}

/// Whether each element of a text ends, in the order in which they began.
fn is_balanced(html: &str) -> bool {
    const EMPTY: [&str; 6] = ["br", "hr", "img", "input", "meta", "source"];
    let mut open: Vec<&str> = Vec::new();
    for (at, _) in html.match_indices('<') {
        let tag = &html[at + 1..];
        let is_end = tag.starts_with('/');
        let tag = tag.trim_start_matches('/');
        let name = &tag[..tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len())];
        if is_end {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn no_output_but_html_ends_the_element_around_it() {
    let texts = [
        "</script></pre></code></div></section></main></body><script>alert(1)</script>",
        "\" onload=\"alert(1)\" '",
        "&lt;script&gt; &amp; & <",
        "```\nopen fence </pre>",
        "<!-- open",
        "<![CDATA[",
        "<svg><style><!--</style>",
        "$</math><script>$ and $$\n</span>",
        "[a](<\"><script>) ![b](\"><script>) <javascript:alert(1)>",
        "| a |\n|---|\n| </table><script> |",
        "<details>\n\n**bold**",
        "\u{1b}[3\"><script>m \u{1b}]8;;\"><script>\u{7} \r</pre>\u{8}",
        "\u{0}\u{feff}\u{202e}",
        "x[^1]\n\n[^1]: </div>\n# <b id=\"x\">\n## {#\"><script>}",
    ];
    for text in texts {
        let kinds = [
            "image/svg+xml",
            "image/png",
            "image/jpeg",
            "image/gif",
            "image/webp",
            "text/markdown",
            "text/latex",
            "application/json",
            "application/x-\"><script>",
            "text/plain",
        ];
        let mut outputs: Vec<Value> = kinds.iter().map(|kind| display(json!({ *kind: text }))).collect();
        outputs.extend([stream("stdout", text), stream(text, text)]);
        outputs.push(json!({ "output_type": "error", "ename": text, "evalue": text, "traceback": [text] }));
        outputs.push(json!({ "output_type": "error", "ename": text, "evalue": text, "traceback": [] }));
        for output in outputs {
            let html = body(json!([code(text, json!({}), json!([output])), markdown("# After")]));
            assert!(!html.contains("<script") && !html.contains("<!") && is_balanced(&html), "{text}\n{html}");
        }
    }
}

#[test]
fn html_of_an_output_stays_as_it_is() {
    let film = "<div id=\"a\"></div><script>const x = 1 < 2 && \"$a$\";</script>";
    assert!(body(json!([code("x", json!({}), json!([display(json!({ "text/html": film }))]))])).contains(film));
}

#[test]
fn large_outputs_are_written() {
    let lines = "0123456789 <abc> \u{1b}[32mgreen\u{1b}[0m\n".repeat(300_000);
    let steps = "working 50 %\r".repeat(200_000);
    let html = body(json!([code("x", json!({}), json!([stream("stdout", &lines), stream("stderr", &steps)]))]));
    assert_eq!(html.matches("<span class=\"ansi-2\">green</span>\n").count(), 300_000);
    assert_eq!(html.matches("working").count(), 1);
    assert!(html.contains("<pre class=\"long\" tabindex=\"0\">"));
}
