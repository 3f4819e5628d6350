//! The table of puzzles itself, and what is shown of it.

use super::*;
use crate::cell::representations_of;
use serde_json::json;

#[test]
fn each_puzzle_has_arrays_that_fit_its_launches() {
    for description in ALL {
        let cases = (description.cases)();
        assert!(cases.len() >= 2, "{}: a kernel must not fit one size alone", description.name);
        for case in cases {
            for array in case.arrays() {
                assert_eq!(array.shape.iter().product::<usize>(), array.values.len(), "{}", description.name);
                let parameter = format!("{}: View", array.name);
                assert!(description.signature.contains(&parameter), "{}: no {parameter}", description.name);
            }
            assert!(description.signature.contains(&format!("mut {}: ViewMut", case.out.name)), "{}", description.name);
            assert!(case.out.values.iter().any(|&value| value != 0.0), "{}: zeros would do", description.name);
        }
        assert!(
            description.task.ends_with('.') && description.signature.starts_with(&format!("fn {}(", description.name))
        );
    }
    assert!(ALL.len() >= 13);
}

#[test]
fn a_puzzle_shows_its_arrays() {
    let shown = json!(representations_of(&guard()));
    let text = shown["text/plain"].as_str().unwrap();
    assert!(text.starts_with("guard: `out[i]` is half of `a[i]`."), "{text}");
    assert!(text.ends_with("Launched with 1 block of 8 threads, and in other sizes."), "{text}");
    let html = shown["text/html"].as_str().unwrap();
    assert!(
        html.starts_with("<p>guard: <code>out[i]</code> is half") && html.contains("data:image/svg+xml;base64,"),
        "{html}"
    );
}

#[test]
fn text_becomes_html() {
    assert_eq!(as_html("`a<b>` & c\n  out[0]\nd"), "<code>a&lt;b&gt;</code> &amp; c<br/>&emsp;out[0]<br/>d");
}
