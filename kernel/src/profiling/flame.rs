//! Draws a flame graph: a box for each function, as wide as its share of the samples, above the function that has called it.
//!
//! It has no background and no colour outside of boxes, so that it fits light and dark pages, and no script: clients show it as a
//! picture.

use super::names::Origin;
use super::report::{Step, Steps, shortened};
use crate::evaluator::doc_pages;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The width of the picture, in pixels.
const WIDTH: f64 = 960.0;
/// The height of a box, with the gap above it.
const ROW: f64 = 18.0;
/// Narrower boxes are left out.
const NARROWEST: f64 = 0.7;
/// Boxes higher than this are left out.
const HIGHEST: usize = 80;
/// The width of a character, and the room beside a text.
const CHARACTER: f64 = 6.7;
const MARGIN: f64 = 3.0;

/// Fills of boxes, and what they mean.
const LEGEND: [(Origin, [&str; 2], &str); 3] = [
    (Origin::Notebook, ["#ffb066", "#ffc285"], "notebook"),
    (Origin::Crate, ["#8fc1f0", "#a9d0f5"], "crates"),
    (Origin::System, ["#c9cdd2", "#d8dbdf"], "system"),
];

/// A function below the functions that have called it.
struct Node<'a> {
    step: &'a Step,
    samples: u64,
    callees: BTreeMap<&'a str, Node<'a>>,
}

impl<'a> Node<'a> {
    fn new(step: &'a Step) -> Node<'a> {
        Node { step, samples: 0, callees: BTreeMap::new() }
    }

    fn height(&self) -> usize {
        1 + self.callees.values().map(Node::height).max().unwrap_or(0)
    }
}

/// The functions on which stacks stand.
fn trees(stacks: &[Steps]) -> BTreeMap<&str, Node<'_>> {
    let mut trees = BTreeMap::new();
    for Steps { steps, samples } in stacks {
        let mut level = &mut trees;
        for step in steps.iter().take(HIGHEST) {
            let node = level.entry(step.plain.as_str()).or_insert_with(|| Node::new(step));
            node.samples += samples;
            level = &mut node.callees;
        }
    }
    trees
}

/// The picture of stacks, in which processors have worked for so many seconds.
pub fn drawn(stacks: &[Steps], seconds: f64) -> String {
    let trees = trees(stacks);
    let samples: u64 = trees.values().map(|tree| tree.samples).sum();
    let rows = trees.values().map(Node::height).max().unwrap_or(0) + 1;
    let height = rows as f64 * ROW + 4.0;
    let mut drawing =
        Drawing { text: String::new(), bottom: height, per_sample: WIDTH / samples.max(1) as f64, samples, seconds };
    let mut x = 0.0;
    for tree in trees.values() {
        drawing.node(tree, x, 0);
        x += tree.samples as f64 * drawing.per_sample;
    }
    drawing.legend();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"11\">\n\
         <title>Flame graph: {} of processor time</title>\n{}</svg>\n",
        super::report::seconds(seconds),
        drawing.text
    )
}

struct Drawing {
    text: String,
    bottom: f64,
    per_sample: f64,
    samples: u64,
    seconds: f64,
}

impl Drawing {
    fn node(&mut self, node: &Node<'_>, x: f64, row: usize) {
        let width = node.samples as f64 * self.per_sample;
        if width < NARROWEST {
            return;
        }
        let share = node.samples as f64 / self.samples.max(1) as f64;
        let time = share * self.seconds * 1e3;
        let title = format!("{}: {time:.1} ms, {:.1}%", node.step.full, share * 100.0);
        let label = if row == 0 { format!("{}: {time:.0} ms", node.step.short) } else { node.step.short.clone() };
        // Neighbours differ a little.
        let tone = node.step.plain.bytes().fold(0u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)) % 2;
        self.box_at([x, self.bottom - (row + 1) as f64 * ROW, width], fill(node.step.origin, tone), &label, &title);
        let mut callee_x = x;
        for callee in node.callees.values() {
            self.node(callee, callee_x, row + 1);
            callee_x += callee.samples as f64 * self.per_sample;
        }
    }

    fn box_at(&mut self, [x, y, width]: [f64; 3], fill: &str, label: &str, title: &str) {
        let drawn = (width - 0.5).max(0.3);
        let _ = write!(
            self.text,
            "<g><title>{}</title><rect x=\"{x:.2}\" y=\"{y:.1}\" width=\"{drawn:.2}\" height=\"{:.1}\" rx=\"2\" fill=\"{fill}\"/>",
            escaped(title),
            ROW - 1.0
        );
        let label = fitted(label, width - 2.0 * MARGIN);
        if !label.is_empty() {
            let _ = write!(
                self.text,
                "<text x=\"{:.2}\" y=\"{:.1}\" fill=\"#1b1b1b\">{}</text>",
                x + MARGIN,
                y + ROW - 5.5,
                escaped(&label)
            );
        }
        self.text.push_str("</g>\n");
    }

    fn legend(&mut self) {
        let mut x = WIDTH;
        for (_, [fill, _], meaning) in LEGEND.iter().rev() {
            let width = meaning.len() as f64 * CHARACTER + 2.0 * MARGIN + 1.0;
            x -= width + 2.0;
            self.box_at([x, 0.0, width], fill, meaning, meaning);
        }
    }
}

fn fill(origin: Origin, tone: u8) -> &'static str {
    let of_origin = LEGEND.iter().find(|(known, ..)| *known == origin).unwrap_or(&LEGEND[2]);
    of_origin.1[usize::from(tone)]
}

/// As much of a text as a width has room for.
fn fitted(text: &str, width: f64) -> String {
    let room = (width / CHARACTER).max(0.0) as usize;
    if room < 3 && text.chars().count() > room { String::new() } else { shortened(text, room) }
}

/// A text inside of XML, which has no control characters.
fn escaped(text: &str) -> String {
    doc_pages::escaped(text).replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quick_xml::Reader;
    use quick_xml::events::Event;

    fn step(name: &str) -> Step {
        Step::new(name, name, Origin::Notebook)
    }

    fn stacks() -> Vec<Steps> {
        let stack = |names: &[&str], samples| Steps { steps: names.iter().map(|name| step(name)).collect(), samples };
        vec![
            stack(&["cell", "a<T> & \"b\""], 60),
            stack(&["cell", "a<T> & \"b\"", "c\u{1}"], 20),
            stack(&["cell"], 19),
            stack(&["threads x"], 1),
        ]
    }

    #[test]
    fn boxes_are_as_wide_as_their_shares() {
        let picture = drawn(&stacks(), 2.0);
        assert!(picture.contains("<title>cell: 1980.0 ms, 99.0%</title>"), "{picture}");
        assert!(picture.contains("<title>a&lt;T&gt; &amp; \"b\": 1600.0 ms, 80.0%</title>"), "{picture}");
        assert!(picture.contains("width=\"767.50\""), "{picture}");
    }

    #[test]
    fn it_is_well_formed() {
        let picture = drawn(&stacks(), 2.0);
        let mut reader = Reader::from_str(&picture);
        let (mut depth, mut boxes) = (0, 0);
        loop {
            match reader.read_event().unwrap() {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Empty(element) => boxes += usize::from(element.name().as_ref() == b"rect"),
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!((depth, boxes), (0, 4 + LEGEND.len()));
        assert!(!picture.contains('\u{1}'));
        let empty = drawn(&[], 0.0);
        assert!(empty.starts_with("<svg") && empty.ends_with("</svg>\n"));
    }

    #[test]
    fn texts_are_cut_where_boxes_are_narrow() {
        assert_eq!(fitted("abcdef", 100.0), "abcdef");
        assert_eq!(fitted("abcdef", 4.0 * CHARACTER + 0.1), "abc…");
        assert_eq!(fitted("abcdef", 2.0 * CHARACTER), "");
        assert_eq!(fitted("abcdef", -5.0), "");
    }
}
