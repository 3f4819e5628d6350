//! Stored outputs against new ones: `warpcell test --compare`.
//!
//! What changes from run to run by itself is replaced before: times, rates and addresses, and what the user's patterns match. Of a
//! picture only the size is compared.

use super::{Finding, code_cells, errors_of, has_tag, media_of, outputs_of, plain, text_of};
use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use jupyter_protocol::media::MediaType;
use nbformat::v4::{Cell, Notebook, Output};
use regex::Regex;
use std::collections::HashMap;

/// A cell with this tag is not compared; nbval has it under this name.
const IGNORED: &str = "nbval-ignore-output";

/// What changes from run to run.
const CHANGES: [&str; 4] = [
    // Rates, such as "310 GB/s", "186 rows/s", "8/s" or "2 s each". A speed, such as "3 m/s", may be a result.
    r"(\d[\d_,]*(\.\d+)?(e[+-]?\d+)?[^\S\n]?([kMGTP]?i?(B|FLOP|flop|it)s?|\p{L}{2,}s)?/s\b|\d[\d_,.]*(e[+-]?\d+)? s each)",
    // Times, such as "1.25 ms" or "3 seconds".
    r"\d[\d_,]*(\.\d+)?(e[+-]?\d+)?[^\S\n]?(ns|µs|μs|us|ms|s|seconds?|minutes?|hours?)\b",
    // The times of a progress bar, such as "[00:01<00:03".
    r"\[(\d+:)?\d\d:\d\d(<(\?|(\d+:)?\d\d:\d\d))?",
    // Addresses.
    r"0x[0-9a-fA-F]{6,}",
];

/// Lines that some runs only have: of `%timeit` and `%time`.
const SOMETIMES: &str = r"(?m)^(The slowest run took .* times longer than the fastest\. .*|Device time: .*|The host only queued the work and went on; .*)(\n|$)";

/// What some runs only write before the rest of a line: of `%timeit` before its time, and of `%%writefile` about a file that is there.
const OTHERWISE: [(&str, &str); 2] = [(r"(?m)^Host time:[^\S\n]+", ""), (r"(?m)^Overwriting ", "Writing ")];

/// What stands in their place.
const CHANGED: &str = "…";

/// Compares outputs.
pub struct Comparison {
    patterns: Vec<Regex>,
    sometimes: Vec<(Regex, &'static str)>,
}

impl Comparison {
    /// With patterns of the user's for what changes besides.
    pub fn new(patterns: &[String]) -> Result<Self> {
        let own = patterns.iter().map(String::as_str).map(|pattern| {
            Regex::new(pattern).with_context(|| format!("--ignore {pattern:?} is not a regular expression"))
        });
        let usual = CHANGES.iter().map(|pattern| Ok(Regex::new(pattern)?));
        let sometimes = [(SOMETIMES, "")].into_iter().chain(OTHERWISE);
        let sometimes = sometimes.map(|(pattern, text)| Ok((Regex::new(pattern)?, text)));
        Ok(Self { patterns: own.chain(usual).collect::<Result<_>>()?, sometimes: sometimes.collect::<Result<_>>()? })
    }

    /// Where the outputs of an executed notebook are not those that were stored. Cells are matched by their identifiers.
    pub fn differences(&self, stored: &Notebook, executed: &Notebook) -> Result<Vec<Finding>> {
        if stored.cells.iter().all(|cell| outputs_of(cell).is_empty()) {
            bail!("the notebook has no stored outputs. `warpcell run NOTEBOOK -o NOTEBOOK` stores them");
        }
        let before: HashMap<&str, &Cell> = code_cells(stored).map(|(_, cell)| (cell.id().as_str(), cell)).collect();
        let compared = code_cells(executed).filter(|(_, cell)| !has_tag(cell, IGNORED));
        let difference = |(cell, now): (usize, &Cell)| {
            let text = self.difference(before.get(now.id().as_str())?, now)?;
            Some(Finding { cell, text })
        };
        Ok(compared.filter_map(difference).collect())
    }

    fn difference(&self, stored: &Cell, now: &Cell) -> Option<String> {
        let [stored, now] = [stored, now].map(|cell| self.lines(cell));
        if stored == now {
            return None;
        }
        let number = stored.iter().zip(&now).take_while(|(one, other)| one == other).count();
        let line =
            |lines: &[String]| lines.get(number).map_or_else(|| "nothing".to_owned(), |line| format!("`{line}`"));
        Some(format!("line {} of its output is {}, but {} is stored", number + 1, line(&now), line(&stored)))
    }

    /// The outputs as lines that can be compared: what goes to a stream may come in any number of pieces, between the others.
    fn lines(&self, cell: &Cell) -> Vec<String> {
        let of_stream = |wanted: &str| -> String {
            let texts = outputs_of(cell).iter().filter_map(|output| match output {
                Output::Stream { name, text } if name == wanted => Some(text.0.as_str()),
                _ => None,
            });
            texts.collect()
        };
        let mut text = of_stream("stdout");
        for output in outputs_of(cell).iter().filter(|output| media_of(output).is_some()) {
            text += &format!("\n{}\n{}", text_of(output), pictures(output));
        }
        text += &format!("\n{}\n", of_stream("stderr"));
        for error in errors_of(cell) {
            text += &format!("{}: {}\n", error.ename, error.evalue);
        }
        let replaced = |text: String, (pattern, by): &(Regex, &str)| pattern.replace_all(&text, *by).into_owned();
        let text = self.sometimes.iter().fold(plain(&text), replaced);
        let text = self.patterns.iter().fold(text, |text, pattern| pattern.replace_all(&text, CHANGED).into_owned());
        text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
}

/// A line for each picture of an output.
fn pictures(output: &Output) -> String {
    let kinds = media_of(output).into_iter().flat_map(|media| &media.content);
    let line = |kind: &MediaType| match kind {
        MediaType::Png(base64) => Some(format!("picture{}\n", size(base64).unwrap_or_default())),
        MediaType::Jpeg(_) | MediaType::Gif(_) | MediaType::Svg(_) => Some("picture\n".to_owned()),
        _ => None,
    };
    kinds.filter_map(line).collect()
}

/// The width and height of a PNG picture: its bytes 16 to 23.
fn size(base64: &str) -> Option<String> {
    let bytes = STANDARD.decode(base64.get(..32)?).ok()?;
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some(format!(" of {} × {} pixels", number(16)?, number(20)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::tests::notebook;
    use serde_json::{Value, json};

    fn stream(texts: &[&str]) -> Value {
        let outputs = texts.iter().map(|text| json!({ "output_type": "stream", "name": "stdout", "text": text }));
        outputs.collect()
    }

    fn shown(data: Value) -> Value {
        json!([{ "output_type": "display_data", "metadata": {}, "data": data }])
    }

    fn compared(before: Value, after: Value, patterns: &[&str]) -> Option<String> {
        let [before, after] = [before, after].map(|outputs| notebook(&[("a", "x", json!({}), outputs)]));
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let mut found = Comparison::new(&patterns).unwrap().differences(&before, &after).unwrap();
        assert!(found.len() < 2);
        found.pop().map(|finding| finding.text)
    }

    #[test]
    fn what_changes_by_itself_is_left_out() {
        for (before, after) in [
            ("took 1.25 ms, 3_000 times", "took 980 µs, 3_000 times"),
            ("The slowest run took 5.1 times longer than the fastest. This could mean.\n1 ms", "2 ms"),
            ("in 3 seconds", "in 1 second"),
            ("310.5 GB/s", "2.9e2 GB/s"),
            ("1.2 TFLOP/s", "0.9 TFLOP/s"),
            ("186 rows/s", "92.5 rows/s"),
            (
                "100%|████| 40000/40000 [00:01, 3.92e+04/s]\n 25%|█   | 1/4 [00:00<00:03, 2 s each]",
                "100%|████| 40000/40000 [1:00:03, 92/s]\n 25%|█   | 1/4 [00:00<?, 2.5/s]",
            ),
            ("Writing words.txt\n", "Overwriting words.txt\n"),
            (
                "CPU times: user 2 ms, sys: 0 ns, total: 2 ms\nWall time: 3.1 ms\nDevice time: 34 ms (cpu)\n\
                 The host only queued the work and went on; the device was done after the device time.",
                "CPU times: user 1 ms, sys: 1 ms, total: 2 ms\nWall time: 3 ms",
            ),
            (
                "Host time:   2.1 ms ± 3 µs per loop (mean ± std. dev. of 7 runs, 100 loops each)\nDevice time: 3 ms ± 0 ns per loop\n\
                 The host only queued the work and went on; the device was done after the device time.\n",
                "2.2 ms ± 0 ns per loop (mean ± std. dev. of 7 runs, 100 loops each)\n",
            ),
            ("at 0x7f12ab34cd56", "at 0x7fffffffffff"),
            ("trailing  \n\n", "trailing"),
        ] {
            assert_eq!(compared(stream(&[before]), stream(&[after]), &[]), None, "{before}");
        }
        assert_eq!(compared(stream(&["a", "b\n"]), stream(&["ab\n"]), &[]), None);
        assert_eq!(compared(stream(&["seed 17"]), stream(&["seed 4"]), &["seed [0-9]+"]), None);
    }

    #[test]
    fn what_differs_is_said_with_the_line() {
        let say = |before, after| compared(before, after, &[]).unwrap();
        assert_eq!(say(stream(&["1\n2\n"]), stream(&["1\n3\n"])), "line 2 of its output is `3`, but `2` is stored");
        assert_eq!(say(stream(&["1\n2"]), stream(&["1"])), "line 2 of its output is nothing, but `2` is stored");
        assert_eq!(
            say(stream(&["5 rows"]), stream(&["6 rows"])),
            "line 1 of its output is `6 rows`, but `5 rows` is stored"
        );
        // What looks like a unit of time may be a name.
        assert_eq!(
            say(stream(&["17\nh = 2"]), stream(&["18\nh = 2"])),
            "line 1 of its output is `18`, but `17` is stored"
        );
        let extremes = |max: &str| stream(&[&format!("max {max} min 1.1")]);
        assert_eq!(
            say(extremes("3.2"), extremes("3.3")),
            "line 1 of its output is `max 3.3 min 1.1`, but `max 3.2 min 1.1` is stored"
        );
        // Not a rate, and not a bar.
        for (before, after) in
            [("5/side", "6/side"), ("3 m/s", "4 m/s"), ("at 12:30", "at 12:31"), ("Writing a", "Overwriting b")]
        {
            assert!(compared(stream(&[before]), stream(&[after]), &[]).is_some(), "{before}");
        }
        let png = |width: u8| {
            let mut bytes = vec![0; 24];
            (bytes[19], bytes[23]) = (width, 7);
            shown(json!({ "image/png": STANDARD.encode(&bytes), "text/plain": "plot" }))
        };
        assert_eq!(
            say(png(5), png(6)),
            "line 2 of its output is `picture of 6 × 7 pixels`, but `picture of 5 × 7 pixels` is stored"
        );
        assert_eq!(compared(png(5), png(5), &[]), None);
    }

    #[test]
    fn a_tag_leaves_a_cell_out_and_stored_outputs_are_needed() {
        let cell = |text: &str, tag: &str| notebook(&[("a", "x", json!({ "tags": [tag] }), stream(&[text]))]);
        let comparison = Comparison::new(&[]).unwrap();
        assert_eq!(comparison.differences(&cell("1", IGNORED), &cell("2", IGNORED)).unwrap(), []);
        assert_eq!(comparison.differences(&cell("1", "x"), &cell("2", "x")).unwrap().len(), 1);
        let empty = notebook(&[("a", "x", json!({}), json!([]))]);
        assert!(comparison.differences(&empty, &cell("1", "x")).unwrap_err().to_string().contains("no stored outputs"));
        let wrong = Comparison::new(&["[".to_owned()]).err().unwrap();
        assert!(wrong.to_string().contains("\"[\" is not a regular expression"), "{wrong}");
    }
}
